"""The operators' pages: closed by default, the same figures as the commands, deeds kept."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from small_work import SmallWork, Town, hurry, work_embedded
from sqlalchemy import select, update
from starlette.routing import Route
from web_town import HOSTILE, Browser

from clerk.core import config, db
from clerk.core.clock import utc_now
from clerk.core.models import audit_table, metadata, queues_table, sites_table, tokens_table
from clerk.core.states import Run
from clerk.executors.pool import Pool
from clerk.ops import counts
from clerk.ops.web_sessions import OPERATOR, VIEWER
from clerk.web import ops
from clerk.web.auth import Logins
from clerk.web.middleware import RateLimit

#: Needs no login.
OPEN = ("/ops/login", "/ops/logout")
#: Allowed to viewers with a role in the project; see test_web_annotations.
OF_PROJECTS = ("/ops/uploads/1", "/ops/project")
PAGES = (
    "/ops/",
    "/ops/?fragment=1",
    "/ops/sites",
    "/ops/sites?outcome=partial&sort=failed",
    "/ops/sites/springfield",
    "/ops/charts",
    "/ops/charts?span=7d",
    "/ops/charts?span=90d",
    "/ops/search?q=spring",
    "/ops/new-site",
    "/ops/sites/springfield/edit",
    "/ops/bulk?action=run",
    "/ops/failures",
    "/ops/failures/preview?action=retry",
    "/ops/failures/preview?action=skip",
    "/ops/batches",
    "/ops/batches/1",
    "/ops/queues",
    "/ops/reconcile",
    "/ops/reconcile?preview=1",
    "/ops/system",
    "/ops/audit",
)


@pytest.fixture
def springfield(installation: Path, monkeypatch: pytest.MonkeyPatch) -> Town:
    """A site of which two documents were read and one failed."""
    with db.civic_db_connection() as conn:
        db.upsert_site(conn, {"subdomain": "springfield", "name": f"Springfield {HOSTILE}"})
    return read_in(Town("springfield"), monkeypatch)


@pytest.fixture
def either_springfield(make_site: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> Town:
    """The same, on either database."""
    return read_in(Town(make_site(name=f"Springfield {HOSTILE}")), monkeypatch)


def read_in(town: Town, monkeypatch: pytest.MonkeyPatch) -> Town:
    """Take a town through a run; one of its documents is bad."""
    hurry(monkeypatch)
    town.pdfs(2)
    town.pdf("2024-02-01", "bad")
    town.start()
    work_embedded()
    return town


def addresses(method: str) -> list[str]:
    """Return every guarded address below /ops that takes a method."""
    found = []
    for route in ops.routes():
        assert isinstance(route, Route)
        if method in (route.methods or ()) and route.path not in OPEN:
            filled = route.path.replace("{site}", "springfield").replace("{queue}", "ocr")
            found.append(re.sub(r"\{\w+:int\}", "1", filled))
    return found


def everything() -> dict[str, list[Any]]:
    """Return all rows of all tables but the heartbeats."""
    with db.reading_connection() as conn:
        return {
            table.name: sorted(map(repr, conn.execute(select(table))))
            for table in metadata.sorted_tables
            if table.name != "workers"
        }


def audited() -> list[tuple[str, str]]:
    """Return who did what."""
    with db.reading_connection() as conn:
        rows = conn.execute(select(audit_table).order_by(audit_table.c.id))
        return [(row.who, row.action) for row in rows]


# --------------------------------------------------------------------------------- access


@pytest.mark.parametrize("address", addresses("GET"))
def test_every_page_asks_for_a_login(installation: Path, address: str) -> None:
    answer = Browser().get(address)

    assert answer.status_code in (303, 401)
    assert answer.headers.get("location", "/ops/login").startswith("/ops/login")


@pytest.mark.parametrize("address", addresses("POST"))
def test_every_deed_asks_for_an_operator(installation: Path, address: str) -> None:
    viewer = Browser(VIEWER)
    before = everything()

    assert Browser().post(address, data={"action": "retry"}).status_code == 401
    # A viewer may have a role in a project, so that the project is looked for first.
    refused = (403, 404) if address in OF_PROJECTS else (403,)
    assert viewer.post(address, data={"action": "retry"}).status_code in refused
    assert everything() == before


def test_a_login_leads_back_to_the_page_and_never_elsewhere(installation: Path) -> None:
    client = Browser()

    def goes_to(path: str) -> str:
        link = client.app.state.logins.new_link(OPERATOR, "ann")
        answer = client.post("/ops/login", data={"link": link, "next": path})
        return str(answer.headers["location"])

    assert goes_to("/ops/sites") == "/ops/sites"
    assert goes_to("//evil.example/") == "/ops/"
    assert goes_to("https://evil.example/ops/") == "/ops/"
    assert goes_to("/ops/\\evil.example") == "/ops/"


def test_the_secret_is_readable_by_its_owner_only(installation: Path) -> None:
    Logins(installation)

    assert (installation / "_clerk" / "web" / "secret").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
    ],
)
def test_a_deed_caused_by_another_site_is_refused(
    installation: Path, headers: dict[str, str]
) -> None:
    client = Browser(OPERATOR)

    answer = client.post("/ops/queues/ocr", data={"action": "pause"}, headers=headers)

    assert answer.status_code == 403 and audited() == []


def test_too_many_logins_have_to_wait(installation: Path) -> None:
    client = Browser()
    client.app.state.limits["login"] = RateLimit(2, 0.001)

    answers = [client.post("/ops/login", data={"link": "x"}).status_code for _ in range(3)]
    assert answers == [403, 403, 429]


def test_a_form_that_is_too_large_is_refused(installation: Path) -> None:
    answer = Browser(OPERATOR).post("/ops/failures/act", data={"failure": "1:1" * 1_000_000})

    assert answer.status_code == 413


# ---------------------------------------------------------------------------------- pages


def test_looking_changes_nothing_and_hostile_text_stays_text(either_springfield: Town) -> None:
    client = Browser(OPERATOR)
    before = everything()

    for address in PAGES:
        answer = client.get(address)
        assert answer.status_code == 200, address
        assert "<script>alert" not in answer.text and "<img src=x" not in answer.text
        assert answer.headers["cache-control"] == "no-store"
    assert everything() == before


def test_a_fragment_is_the_live_part_of_its_page(springfield: Town) -> None:
    client = Browser(VIEWER)
    whole, part = client.get("/ops/").text, client.get("/ops/?fragment=1").text

    assert "<html" in whole and "<html" not in part
    assert "<h2>Recent events</h2>" in part and 'hx-get="/ops/?fragment=1"' in whole


def test_overview_shows_the_figures_that_were_counted(either_springfield: Town) -> None:
    html = Browser(VIEWER).get("/ops/").text
    seen = counts.figures(config.load())

    assert f"health score {seen.health_score} %" in html
    assert f'Failed, 24 h <b class="warn">{seen.last_day.documents_failed}</b>' in html
    assert "33.3 %" in html, "a third of the documents failed: that needs attention"


def test_a_site_shows_counters_against_disk(springfield: Town) -> None:
    html = Browser(VIEWER).get("/ops/sites/springfield").text
    assert "The counters match the disk" in html and "UnreadablePdf: not a PDF" in html

    springfield.pdf("2024-03-01")
    html = Browser(VIEWER).get("/ops/sites/springfield").text
    assert "3 counted, 4 on disk" in html


def test_a_crash_is_shown_with_its_document(
    make_site: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hurry(monkeypatch)
    town = Town(make_site())
    town.pdf("2024-02-01", "crash SIGKILL")
    town.start()
    work_embedded()

    html = Browser(VIEWER).get("/ops/batches?status=crashed").text
    assert "minutes/Council/2024-02-01" in html
    assert 'Crashed, 24 h <b class="bad">2</b>' in html
    failures = Browser(VIEWER).get("/ops/failures").text
    assert '<span class="tag bad">crash</span>' in failures


def test_nothing_found_is_never_green(make_site: Callable[..., str]) -> None:
    Town(make_site()).start()
    work_embedded()

    html = Browser(VIEWER).get("/ops/").text
    assert "Everything is OK" not in html and "no documents found" in html


def test_a_stuck_site_is_said_first(make_site: Callable[..., str]) -> None:
    Town(make_site()).start()
    long_ago = utc_now() - timedelta(hours=5)
    with db.civic_db_connection() as conn:
        conn.execute(update(sites_table).values(updated_at=long_ago))

    html = Browser(VIEWER).get("/ops/").text
    assert "1 site needs attention" in html and "stuck in fetch" in html
    assert "springfield" in Browser(VIEWER).get("/ops/reconcile?preview=1").text


def test_sites_that_need_attention_are_listed_with_the_reason(either_springfield: Town) -> None:
    html = Browser(VIEWER).get("/ops/sites?attention=1").text

    assert "1 of 3 documents failed" in html


@pytest.mark.parametrize("form", ["/ops/system/tokens", "/ops/system/invite"])
def test_the_page_after_a_form_can_be_updated_and_refreshed(installation: Path, form: str) -> None:
    client = Browser(OPERATOR)

    shown = client.post(form, data={"name": "grafana", "role": VIEWER}).text

    [live], [refresh] = (
        re.findall('hx-get="(.+?)"', shown),
        re.findall('href="(.+?)">Refresh', shown),
    )
    assert client.get(live).status_code == 200 and "<html" not in client.get(live).text
    assert client.get(refresh).status_code == 200


def test_an_empty_database_says_what_to_do(installation: Path) -> None:
    client = Browser(OPERATOR)

    assert "clerk site add" in client.get("/ops/").text
    assert "No document failed" in client.get("/ops/failures").text
    assert "No audit entries yet" in client.get("/ops/audit").text


def test_filters_are_in_the_address_and_search_all_rows(installation: Path) -> None:
    rows = [{"subdomain": f"town-{number:03}"} for number in range(130)]
    with db.civic_db_connection() as conn:
        conn.execute(sites_table.insert(), rows)
    client = Browser(VIEWER)

    assert "town-129" not in client.get("/ops/sites").text
    assert "town-129" in client.get("/ops/sites?page=2").text
    assert "town-129" in client.get("/ops/sites?q=129").text


# ---------------------------------------------------------------------------------- deeds


def frozen(html: str) -> list[str]:
    """Return the list that a preview has frozen."""
    return re.findall(r'name="failure" value="(\d+:\d+)"', html)


def test_failures_are_retried_from_a_frozen_list(either_springfield: Town) -> None:
    client = Browser(OPERATOR)
    preview = client.get("/ops/failures/preview?action=retry&kind=UnreadablePdf").text
    either_springfield.pdf("2024-02-01", "fine")

    answer = client.post("/ops/failures/act", data={"action": "retry", "failure": frozen(preview)})
    work_embedded()

    assert "Retried 1 document" in answer.text
    assert either_springfield.counts == (3, 3, 0)
    assert audited() == [("the operator", "failures retried")]


def test_what_changed_since_the_preview_is_left_alone(springfield: Town) -> None:
    client = Browser(OPERATOR)
    [mark] = frozen(client.get("/ops/failures/preview?action=retry").text)
    older = re.sub(r":\d+", ":0", mark)

    answer = client.post("/ops/failures/act", data={"action": "retry", "failure": older})

    assert "1 changed after the list was made" in answer.text and springfield.counts == (3, 2, 1)


def test_skipping_asks_why_and_keeps_it(springfield: Town) -> None:
    client = Browser(OPERATOR)
    marks = frozen(client.get("/ops/failures/preview?action=skip").text)

    refused = client.post("/ops/failures/act", data={"action": "skip", "failure": marks})
    assert refused.status_code == 400 and springfield.counts == (3, 2, 1)

    client.post("/ops/failures/act", data={"action": "skip", "failure": marks, "why": "a menu"})
    assert springfield.counts == (2, 2, 0)
    assert "a menu" in client.get("/ops/audit").text


def test_queues_are_paused_and_resumed(springfield: Town) -> None:
    client = Browser(OPERATOR)

    client.post("/ops/queues/ocr", data={"action": "pause"})
    assert "paused by the operator" in client.get("/ops/queues").text
    client.post("/ops/queues/ocr", data={"action": "resume"})
    with db.reading_connection() as conn:
        assert conn.execute(select(queues_table)).fetchall() == []
    assert [action for _, action in audited()] == ["queue paused", "queue resumed"]


def test_a_run_is_started_and_cancelled_with_a_confirmation(springfield: Town) -> None:
    client = Browser(OPERATOR)

    client.post("/ops/sites/springfield/run")
    assert springfield.run.state == Run.ACTIVE
    client.post("/ops/sites/springfield/cancel")
    assert springfield.run.state == Run.ACTIVE, "nobody was sure"
    client.post("/ops/sites/springfield/cancel", data={"sure": "yes"})
    assert springfield.run.state == Run.CANCELLED
    assert [action for _, action in audited()] == ["run started", "run cancelled"]


def test_what_was_cancelled_has_its_own_count(either_springfield: Town) -> None:
    client, town = Browser(OPERATOR), either_springfield
    for day in (3, 4, 5):
        town.pdf(f"2024-02-0{day}")
    town.start()
    with Pool(SmallWork(config.load()), ("fetch",), config.load()) as crew:
        while crew.turn() or not crew.nothing_to_claim():
            pass
    assert SmallWork(config.load()).claim(("ocr",), "somebody", lambda _queue: 2)

    client.post("/ops/sites/springfield/cancel", data={"sure": "yes"})

    shown = client.get("/ops/sites/springfield").text
    assert figures_in(shown, "<td>ocr</td>") == ["6", "2", "1", "3"]
    of_site, of_run, of_documents, of_batch = 1, 1, 3, 1
    assert shown.count('"warn">cancelled<') == of_site + of_run + of_documents + of_batch
    listed = client.get("/ops/sites").text
    assert figures_in(listed, 'id="site-springfield"') == ["2", "6", "1", "3"]
    batches = client.get("/ops/batches?status=cancelled").text
    assert " failed, 1 cancelled</span>" in batches and ">cancelled 1</a>" in batches
    (batch,) = re.findall(r'href="(/ops/batches/\d+)"', batches)
    assert "Cancelled by the operator" in client.get(batch).text


def figures_in(page: str, row: str) -> list[str]:
    """Return the numbers in a row of a table, which begins so."""
    begin = page.index(row)
    return re.findall(r">(\d+)</td>", page[begin : page.index("</tr>", begin)])


def test_starting_twice_starts_once(springfield: Town) -> None:
    client = Browser(OPERATOR)
    client.post("/ops/sites/springfield/run")
    first = springfield.run.run_id

    client.post("/ops/sites/springfield/run")

    assert springfield.run.run_id == first and len(audited()) == 1


def test_reconciling_now_is_audited_and_shown(springfield: Town) -> None:
    client = Browser(OPERATOR)

    assert "No reconciliation has run yet" in client.get("/ops/reconcile").text
    client.post("/ops/reconcile")
    assert "No reconciliation has run yet" not in client.get("/ops/reconcile").text
    assert audited() == [("the operator", "reconciled")]


def test_a_token_is_shown_once_kept_hashed_and_can_be_revoked(installation: Path) -> None:
    client = Browser(OPERATOR)
    html = client.post("/ops/system/tokens", data={"name": "grafana", "role": "viewer"}).text
    token = re.findall(r"clerk_[\w-]{40,}", html)[0]

    with db.reading_connection() as conn:
        [row] = conn.execute(select(tokens_table)).fetchall()
    assert token not in repr(row) and token not in client.get("/ops/system").text
    headers = {"Authorization": f"Bearer {token}"}
    assert Browser().get("/api/v1/batches", headers=headers).status_code == 200
    refused = Browser().post("/api/v1/sites/springfield/runs", headers=headers)
    assert refused.status_code == 403

    client.post(f"/ops/system/tokens/{row.id}")
    assert Browser().get("/api/v1/batches", headers=headers).status_code == 401
    assert [action for _, action in audited()] == ["token made", "token revoked"]


def test_an_invited_viewer_sees_and_cannot_do(installation: Path) -> None:
    html = Browser(OPERATOR).post("/ops/system/invite", data={"name": "ben", "role": "viewer"}).text
    link = re.findall(r"login\?link=([\w.-]+)", html)[0]
    guest = Browser()
    guest.post("/ops/login", data={"link": link})

    assert "ben (viewer)" in guest.get("/ops/").text
    assert guest.post("/ops/queues/ocr", data={"action": "pause"}).status_code == 403
    assert "Make a token" not in guest.get("/ops/system").text
