"""Sessions and tokens: kept as hashes, listed, ended on the server, on both databases."""

from __future__ import annotations

import asyncio
import base64
import hmac
import json
import re
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from databases import sqlite_daily
from sqlalchemy import select, text, update
from web_town import Browser

from clerk.core import db
from clerk.core.clock import utc_now
from clerk.core.errors import NotFound
from clerk.core.models import audit_table, metadata, sessions_table, tokens_table
from clerk.ops import web_sessions
from clerk.ops.web_sessions import OPERATOR, VIEWER, Person
from clerk.web.auth import COOKIE, Logins
from clerk.web.live import ChangeNotifier

Clerk = Callable[..., Any]

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


def is_logged_in(cookie: str) -> bool:
    """Whether a server that was started just now takes a cookie."""
    browser = Browser()
    browser.cookies.set(COOKIE, cookie)
    return browser.get("/ops/").status_code == 200


def cookie_of(browser: Browser) -> str:
    """Return the session cookie that a browser has."""
    return next(each.value or "" for each in browser.cookies.jar if each.name == COOKIE)


def logged_in(role: str = OPERATOR, who: str = "ann", agent: str = FIREFOX) -> Browser:
    """Return a browser that logged in with a link, the way people do."""
    browser = Browser()
    browser.headers["User-Agent"] = agent
    link = browser.app.state.logins.new_link(role, who)
    browser.post("/ops/login", data={"link": link})
    return browser


def rows() -> list[Any]:
    with db.reading_connection() as conn:
        return list(conn.execute(select(sessions_table).order_by(sessions_table.c.id)))


def change_rows(**values: Any) -> None:
    with db.civic_db_connection() as conn:
        conn.execute(update(sessions_table).values(**values))


def audited() -> list[tuple[str, str, str | None]]:
    """Return who did what to whom."""
    with db.reading_connection() as conn:
        kept = conn.execute(select(audit_table).order_by(audit_table.c.id))
        return [(row.who, row.action, row.subject) for row in kept]


# ------------------------------------------------------------------------- login and logout


def test_a_link_logs_in_once(database: str) -> None:
    browser = Browser()
    link = browser.app.state.logins.new_link(OPERATOR, "ann")

    assert "Log in as <strong>ann</strong>" in browser.get(f"/ops/login?link={link}").text
    assert browser.post("/ops/login", data={"link": link}).headers["location"] == "/ops/"
    assert browser.get("/ops/").status_code == 200
    assert Browser().post("/ops/login", data={"link": link}).status_code == 403
    assert "has been used" in Browser().get(f"/ops/login?link={link}").text


def test_of_many_with_the_same_link_one_gets_in(database: str, storage: Path) -> None:
    logins = Logins(storage)
    link = logins.new_link(OPERATOR, "ann")

    with ThreadPoolExecutor(8) as pool:
        cookies = list(pool.map(logins.use_link, [link] * 8))

    assert len([each for each in cookies if each]) == 1
    assert len(rows()) == 1


def test_logout_ends_the_session_on_the_server(database: str) -> None:
    browser = logged_in()
    stolen = cookie_of(browser)
    assert is_logged_in(stolen)

    assert browser.post("/ops/logout").headers["location"] == "/"

    assert not is_logged_in(stolen)
    assert browser.get("/ops/").headers["location"].startswith("/ops/login")
    assert web_sessions.open_sessions() == []


def test_logging_out_ends_no_other_session(database: str) -> None:
    one, other = logged_in(), logged_in()

    one.post("/ops/logout")

    assert is_logged_in(cookie_of(other))


def test_logging_out_without_a_session_is_no_error(database: str) -> None:
    assert Browser().post("/ops/logout").status_code == 303


def test_a_new_login_ends_the_former_session_of_the_browser(database: str) -> None:
    browser = logged_in(VIEWER)
    former = cookie_of(browser)

    link = browser.app.state.logins.new_link(OPERATOR, "ann")
    browser.post("/ops/login", data={"link": link})

    assert not is_logged_in(former) and is_logged_in(cookie_of(browser))


def test_an_expired_session_ends_at_the_login_and_its_row_is_removed(database: str) -> None:
    browser = logged_in()
    change_rows(expires_at=utc_now() - timedelta(seconds=1))

    assert browser.get("/ops/").headers["location"].startswith("/ops/login")
    assert browser.get("/ops/?fragment=1").status_code == 401
    assert web_sessions.open_sessions() == []

    browser.app.state.logins.new_link(OPERATOR, "ben")
    assert [row.who for row in rows()] == ["ben"]


def test_an_expired_link_cannot_be_used(database: str, storage: Path) -> None:
    logins = Logins(storage)
    link = logins.new_link(OPERATOR, "ann")
    change_rows(expires_at=utc_now() - timedelta(seconds=1))

    assert logins.person_of_link(link) is None
    assert logins.use_link(link) is None


def test_a_session_lasts_longer_than_its_link(database: str) -> None:
    logged_in()
    Browser().app.state.logins.new_link(VIEWER, "ben")

    session, link = rows()
    assert session.expires_at - session.started_at == timedelta(hours=12)
    assert link.expires_at - link.created_at == timedelta(hours=1)


def test_ids_are_not_used_again(database: str) -> None:
    logged_in()
    [former] = web_sessions.open_sessions()
    change_rows(expires_at=utc_now() - timedelta(seconds=1))

    logged_in()

    [now] = web_sessions.open_sessions()
    assert now.id > former.id


# -------------------------------------------------------------------------------- signatures


def former_cookie(storage: Path, purpose: str = "session") -> str:
    """Return a value as clerk signed it before sessions were rows, with this secret."""
    secret = (storage / "_clerk" / "web" / "secret").read_bytes()
    said = [purpose, "ann", OPERATOR, time.time() + 3600, "0123456789abcdef"]
    body = base64.urlsafe_b64encode(json.dumps(said).encode()).decode().rstrip("=")
    return f"{body}.{hmac.new(secret, body.encode(), sha256).hexdigest()}"


def test_a_cookie_of_the_former_format_is_logged_out(database: str, storage: Path) -> None:
    browser = Browser()
    browser.cookies.set(COOKIE, former_cookie(storage))

    assert browser.get("/ops/").headers["location"].startswith("/ops/login")
    link = former_cookie(storage, "link")
    assert browser.post("/ops/login", data={"link": link}).status_code == 403


def test_what_was_signed_for_one_purpose_is_of_no_use_for_another(
    database: str, storage: Path
) -> None:
    logins = Logins(storage)
    link = logins.new_link(OPERATOR, "ann")
    assert logins.person(link) is None

    cookie = logins.use_link(link)

    assert cookie and logins.person(cookie) == Person("ann", OPERATOR, session_id=rows()[0].id)
    assert logins.use_link(cookie) is None and logins.person_of_link(cookie) is None


@sqlite_daily
@pytest.mark.parametrize("forged", ["", ".", "a.b", "ann", "\ud800.\ud800", "ü.ü"])
def test_forged_cookies_and_links_are_refused(database: str, storage: Path, forged: str) -> None:
    logins = Logins(storage)

    assert logins.person(forged) is None and logins.person(None) is None
    assert logins.use_link(forged) is None and logins.person_of_link(forged) is None


def test_a_changed_cookie_is_refused(database: str) -> None:
    cookie = cookie_of(logged_in())
    identity, _, signature = cookie.rpartition(".")

    for at in (0, len(identity) // 2):
        other = "A" if identity[at] != "A" else "B"
        assert not is_logged_in(f"{identity[:at]}{other}{identity[at + 1 :]}.{signature}")
    assert not is_logged_in(identity)
    assert is_logged_in(cookie)


def test_without_the_former_secret_everybody_is_logged_out(database: str, storage: Path) -> None:
    cookie = cookie_of(logged_in())

    (storage / "_clerk" / "web" / "secret").unlink()

    assert not is_logged_in(cookie)


def test_the_database_has_hashes_only(database: str, storage: Path) -> None:
    browser = logged_in()
    unused = browser.app.state.logins.new_link(VIEWER, "ben")
    token = web_sessions.new_token("grafana", VIEWER, "ann")
    with db.reading_connection() as conn:
        stored = "".join(
            repr(row) for table in metadata.sorted_tables for row in conn.execute(select(table))
        )

    for secret in (cookie_of(browser), unused, token):
        for part in secret.split("."):
            assert part not in stored and part not in browser.get("/ops/system").text
    assert [path.name for path in (storage / "_clerk" / "web").iterdir()] == ["secret"]


# ------------------------------------------------------------------------ the page asked for


@sqlite_daily
@pytest.mark.parametrize(
    "address",
    [
        "/ops/failures?site=springfield&q=a%26b+c&page=2",
        "/ops/sites/spring%20field?sort=failed",
        "/ops/audit?q=%E2%98%83%25",
        "/ops/sites",
    ],
)
def test_a_login_leads_to_the_page_that_was_asked_for(database: str, address: str) -> None:
    browser = Browser()
    login = browser.get(address).headers["location"]
    assert browser.get(login).status_code == 200

    link = browser.app.state.logins.new_link(OPERATOR, "ann")
    html = browser.get(f"/ops/login?link={link}").text
    [going_to] = re.findall(r'name="next" value="([^"]*)"', html)
    going_to = going_to.replace("&amp;", "&")
    answer = browser.post("/ops/login", data={"link": link, "next": going_to})

    assert answer.headers["location"] == address
    assert "clerk_next" not in browser.cookies, "the next login begins at the overview"


@sqlite_daily
@pytest.mark.parametrize("remembered", ["https://evil.example/ops/", "%2F%2Fevil.example", "%5C"])
def test_a_page_that_is_remembered_is_never_on_another_site(database: str, remembered: str) -> None:
    browser = Browser()
    browser.cookies.set("clerk_next", remembered)
    link = browser.app.state.logins.new_link(OPERATOR, "ann")

    assert 'name="next" value="/ops/"' in browser.get(f"/ops/login?link={link}").text


def test_an_address_too_long_for_a_cookie_is_not_remembered(database: str) -> None:
    answer = Browser().get("/ops/login", params={"next": "/ops/audit?q=" + "x" * 5000})

    assert answer.status_code == 200 and "set-cookie" not in answer.headers


# ---------------------------------------------------------------------------- list and revoke


def test_the_page_lists_sessions_and_unused_links(database: str) -> None:
    browser = logged_in(OPERATOR, "ann")
    browser.app.state.logins.new_link(VIEWER, "ben <b>")

    html = browser.get("/ops/system").text

    assert 'ann (operator) <span class="tag">this browser</span>' in html
    assert "Firefox on Linux" in html
    assert "ben &lt;b&gt; (viewer)" in html and "Login link, not used yet" in html


@sqlite_daily
@pytest.mark.parametrize(
    ("agent", "described"),
    [
        (FIREFOX, "Firefox on Linux"),
        ("Mozilla/5.0 (Windows NT 10.0) AppleWebKit Chrome/1 Safari/1 Edg/1", "Edge on Windows"),
        ("Mozilla/5.0 (Linux; Android 16) AppleWebKit Chrome/1 Safari/1", "Chrome on Android"),
        ("Mozilla/5.0 (iPhone; like Mac OS X) Version/19 Safari/1", "Safari on iPhone"),
        ("curl/8.5.0", "curl/8.5.0"),
        ("x" * 300, "x" * 40),
        ("", "unknown"),
    ],
)
def test_a_client_is_described_as_people_would(database: str, agent: str, described: str) -> None:
    logged_in(agent=agent)

    assert (rows()[0].client or "").rpartition(", ")[0] == described


def test_an_operator_revokes_a_session_on_the_page(database: str) -> None:
    operator, other = logged_in(OPERATOR, "ann"), logged_in(VIEWER, "ben")
    [session] = [each for each in web_sessions.open_sessions() if each.who == "ben"]

    operator.post(f"/ops/system/sessions/{session.id}")

    assert other.get("/ops/").headers["location"].startswith("/ops/login")
    assert other.get("/ops/?fragment=1").status_code == 401
    assert operator.get("/ops/").status_code == 200
    assert "ben" not in operator.get("/ops/system").text
    assert audited() == [("ann", "session revoked", "ben")]
    assert operator.post(f"/ops/system/sessions/{session.id}").status_code == 404
    assert len(audited()) == 1


def test_a_revoked_login_link_cannot_be_used(database: str) -> None:
    operator = logged_in(OPERATOR, "ann")
    link = operator.app.state.logins.new_link(VIEWER, "ben")
    identity = max(each.id for each in web_sessions.open_sessions())

    operator.post(f"/ops/system/sessions/{identity}")

    assert Browser().post("/ops/login", data={"link": link}).status_code == 403
    assert audited() == [("ann", "login link revoked", "ben")]


def test_a_viewer_sees_sessions_and_cannot_revoke(database: str) -> None:
    viewer, operator = logged_in(VIEWER, "ben"), logged_in(OPERATOR, "ann")
    web_sessions.new_token("grafana", VIEWER, "ann")
    html = viewer.get("/ops/system").text
    assert "ann" in html and "grafana" in html and "Revoke" not in html

    for kind in ("sessions", "tokens"):
        for identity in (1, 2):
            assert viewer.post(f"/ops/system/{kind}/{identity}").status_code == 403

    assert operator.get("/ops/").status_code == 200
    assert [action for _, action, _ in audited()] == ["token made"]


def test_another_site_cannot_revoke_a_session(database: str) -> None:
    operator = logged_in()

    for headers in ({"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.example"}):
        answer = operator.post("/ops/system/sessions/1", headers=headers)
        assert answer.status_code == 403

    assert operator.get("/ops/").status_code == 200


def test_revoking_is_all_or_nothing(database: str) -> None:
    browsers = [logged_in(), logged_in()]
    known = [each.id for each in web_sessions.open_sessions()]
    token_id = _token_id("grafana")

    with pytest.raises(NotFound, match="no open session 999"):
        web_sessions.revoke_sessions([*known, 999], "ann")
    with pytest.raises(NotFound, match="no token 999"):
        web_sessions.revoke_tokens([token_id, 999], "ann")

    assert all(each.get("/ops/").status_code == 200 for each in browsers)
    assert [each.name for each in web_sessions.open_tokens()] == ["grafana"]
    assert [action for _, action, _ in audited()] == ["token made"]


def _token_id(name: str) -> int:
    web_sessions.new_token(name, VIEWER, "ann")
    with db.reading_connection() as conn:
        return conn.execute(select(tokens_table.c.id).filter_by(name=name)).scalar_one()


# ----------------------------------------------------------------------------- last visits


def test_the_last_visit_is_written_now_and_then(database: str) -> None:
    browser = logged_in()
    long_ago = utc_now() - timedelta(hours=1)
    change_rows(last_seen_at=long_ago)

    browser.get("/ops/")
    first = rows()[0].last_seen_at
    browser.get("/ops/")

    assert first > long_ago
    assert rows()[0].last_seen_at == first, "not every request writes"


def test_pages_are_shown_although_the_visit_cannot_be_written(database: str) -> None:
    browser = logged_in()
    change_rows(last_seen_at=utc_now() - timedelta(hours=1))
    refuse = {
        "sqlite": "CREATE TRIGGER refuse BEFORE UPDATE ON sessions"
        " BEGIN SELECT RAISE(ABORT, 'refused'); END",
        "postgresql": "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
        " $$BEGIN RAISE 'refused'; END$$;"
        " CREATE TRIGGER refuse BEFORE UPDATE ON sessions EXECUTE FUNCTION refuse()",
    }
    with db.civic_db_connection() as conn:
        conn.execute(text(refuse[database]))

    assert browser.get("/ops/").status_code == 200


# --------------------------------------------------------------------------------- commands


def test_sessions_are_listed_and_revoked_by_command(database: str, clerk: Clerk) -> None:
    browsers = {who: logged_in(OPERATOR, who) for who in ("ann", "ben", "cleo")}
    browsers["ann"].app.state.logins.new_link(VIEWER, "dan")

    listed = json.loads(clerk("session", "list", "--json").out)
    assert [(each["who"], each["role"]) for each in listed] == [
        ("dan", VIEWER),
        ("cleo", OPERATOR),
        ("ben", OPERATOR),
        ("ann", OPERATOR),
    ]
    assert not any("sha256" in each for each in listed)
    shown = clerk("session", "list").out.splitlines()
    assert shown[0].split()[:3] == ["ID", "WHO", "ROLE"]
    assert "not used yet" in shown[1] and "Firefox on Linux" in shown[2]

    identity = str(listed[1]["id"])
    assert clerk("session", "revoke", identity).out == "Revoked 1 session.\n"
    assert browsers["cleo"].get("/ops/").status_code == 303
    assert clerk("session", "revoke", "--who", "ben").out == "Revoked 1 session.\n"
    assert browsers["ben"].get("/ops/").status_code == 303
    assert browsers["ann"].get("/ops/").status_code == 200
    assert clerk("session", "revoke", "--all").out == "Revoked 2 sessions.\n"
    assert browsers["ann"].get("/ops/").status_code == 303
    assert clerk("session", "revoke", "--all").out == "Revoked 0 sessions.\n"
    assert json.loads(clerk("session", "list", "--json").out) == []
    assert sorted(action for _, action, _ in audited()) == [
        "login link revoked",
        *["session revoked"] * 3,
    ]


def test_revoking_needs_one_way_to_choose(database: str, clerk: Clerk) -> None:
    logged_in()

    for wrong in ((), ("1", "--all"), ("--who", "ann", "--all")):
        assert clerk("session", "revoke", *wrong).code == 2
    unknown = clerk("session", "revoke", "999")
    assert unknown.code != 0 and "There is no open session 999." in unknown.err
    assert len(web_sessions.open_sessions()) == 1


def test_tokens_are_listed_and_revoked_by_command(database: str, clerk: Clerk) -> None:
    token = web_sessions.new_token("grafana", VIEWER, "ann")
    headers = {"Authorization": f"Bearer {token}"}
    assert Browser().get("/api/v1/batches", headers=headers).status_code == 200

    [listed] = json.loads(clerk("token", "list", "--json").out)
    assert (listed["name"], listed["role"], listed["created_by"]) == ("grafana", VIEWER, "ann")
    assert token not in clerk("token", "list").out and "sha256" not in listed
    assert clerk("token", "revoke", str(listed["id"])).out == "Revoked 1 token.\n"

    assert Browser().get("/api/v1/batches", headers=headers).status_code == 401
    assert [action for _, action, _ in audited()] == ["token made", "token revoked"]
    again = clerk("token", "revoke", str(listed["id"]))
    assert again.code != 0 and "There is no token" in again.err


# ---------------------------------------------------------------------------------- streams


async def rest_of(events: AsyncIterator[bytes]) -> None:
    """Read a stream to its end."""
    async for _ in events:
        pass


@pytest.mark.parametrize("how", ["logout", "revoked", "expired", "token revoked"])
def test_the_stream_of_an_ended_session_ends_and_others_go_on(
    database: str, storage: Path, how: str
) -> None:
    logins = Logins(storage)
    token = web_sessions.new_token("grafana", VIEWER, "ann")
    cookies = [logins.use_link(logins.new_link(VIEWER, who)) for who in ("ann", "ben")]
    ann, ben = (logins.person(cookie) for cookie in cookies)
    program = web_sessions.person_of_token(token)
    assert ann and ben and program and ann.session_id and program.token_id
    leaving = program if how == "token revoked" else ann
    end: dict[str, Callable[[], None]] = {
        "logout": lambda: web_sessions.end_session(ann.session_id or 0),
        "revoked": lambda: web_sessions.revoke_sessions([ann.session_id or 0], "cleo"),
        "expired": lambda: _expire("ann"),
        "token revoked": lambda: web_sessions.revoke_tokens([program.token_id or 0], "cleo"),
    }

    async def run() -> None:
        notifier = ChangeNotifier(still_logged_in=web_sessions.still_logged_in)
        ends, stays = notifier.listen(leaving), notifier.listen(ben)
        await anext(ends)
        await anext(stays)
        reading = asyncio.create_task(rest_of(stays))
        await asyncio.to_thread(end[how])

        await asyncio.wait_for(rest_of(ends), 60)

        assert notifier.listeners == 1 and not reading.done()
        notifier.close()
        await asyncio.wait_for(reading, 60)
        while notifier.notifications is not None:
            await asyncio.sleep(0.01)

    asyncio.run(run())


def _expire(who: str) -> None:
    ended = update(sessions_table).where(sessions_table.c.who == who)
    with db.civic_db_connection() as conn:
        conn.execute(ended.values(expires_at=utc_now() - timedelta(seconds=1)))
