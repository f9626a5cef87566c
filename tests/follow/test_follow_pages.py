"""Signing up, confirming and the personal page, as readers and those who mean harm use them."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
from follow_town import (
    SITE,
    Mailbox,
    Webhook,
    add_document,
    forget_confirmations,
    links_in,
    matter,
    vote_of,
)
from spoken import CODE, outside_of_the_catalogue, read_by_people, values_of, with_marked_spanish
from sqlalchemy import func, select, update

from clerk.core import config, db, language
from clerk.core.models import (
    db_now,
    follow_deliveries_table,
    followers_table,
    subscriptions_table,
)
from clerk.core.storage import compiled_database
from clerk.follow import subscriptions
from clerk.follow.turn import take_turn


def _web_town() -> Any:
    """The browser of the tests of pages, which are another folder."""
    path = Path(__file__).parents[1] / "web" / "web_town.py"
    spec = importlib.util.spec_from_file_location("web_town", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault("web_town", module)
    spec.loader.exec_module(module)
    return module


Browser: Any = _web_town().Browser
ANN = "ann@example.org"
FORM = {"follow": "search", "q": "zoning", "address": ANN, "cadence": "immediate"}

pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


@pytest.fixture
def reader(followed_town: str) -> Any:
    """Somebody with a browser."""
    return Browser()


def path_of(link: str) -> str:
    return link.removeprefix("https://minutes.example.org").strip("<>")


def test_from_sign_up_to_unsubscribing_by_one_click(reader: Any, mailbox: Mailbox) -> None:
    page = reader.get("/search?q=zoning&kind=minutes").text
    assert '<form method="post" action="/follow">' in page and 'name="kind" value="minutes"' in page
    assert reader.post("/follow", data=FORM).headers["location"] == "/follow/sent"
    assert "Check your mail" in reader.get("/follow/sent").text
    take_turn(config.load())
    confirm = path_of(links_in(mailbox.mails[0])[1])

    shown = reader.get(confirm)
    assert "Search: zoning" in shown.text and shown.headers["cache-control"] == "no-store"
    with db.reading_connection() as conn:
        states = conn.execute(select(subscriptions_table.c.state)).scalars().all()
        stored = conn.execute(select(subscriptions_table.c.confirm_hash)).scalar_one()
    assert states == ["unconfirmed"], "looking changes nothing"
    assert confirm.rpartition("/")[2] not in stored
    mine = reader.post(confirm).headers["location"]
    assert "Confirmed" in reader.get(mine).text and ANN in reader.get(mine).text

    add_document("minutes/City Council/2024-02-20", "Roll call", "zoning")
    take_turn(config.load())
    [message] = mailbox.news
    hit = next(link for link in links_in(message) if "?q=zoning" in link)
    assert "<mark" in reader.get(path_of(hit)).text
    stop = path_of(message["List-Unsubscribe"])
    assert "Search: zoning" in reader.get(stop).text
    # As a mail provider does it: no cookies, no page before.
    program = httpx.Client(transport=reader._transport, base_url="http://localhost")
    answer = program.post(stop, data={"List-Unsubscribe": "One-Click"})
    assert answer.status_code == 200 and "stopped" in answer.text
    assert program.post(stop, data={"List-Unsubscribe": "One-Click"}).status_code == 200
    assert "You follow nothing now" in reader.get(mine.partition("?")[0]).text


def test_messages_are_in_the_language_of_the_reader(reader: Any, mailbox: Mailbox) -> None:
    spanish = {"Accept-Language": "es-MX,es;q=0.9"}
    reader.post("/follow", data=FORM | {"kind": "minutes"}, headers=spanish)
    take_turn(config.load())
    [confirm] = mailbox.mails
    assert confirm["Subject"] == "Confirme, por favor: Búsqueda: zoning, acta"
    reader.post(path_of(links_in(confirm)[1]), headers=spanish)

    add_document("minutes/City Council/2024-02-20", "Roll call", "zoning")
    take_turn(config.load())

    [message] = mailbox.news
    assert message["Subject"] == "1 documento nuevo: Búsqueda: zoning, acta"
    text, html = (message.get_body((kind,)).get_content() for kind in ("plain", "html"))
    for told in ("City Council, acta", "20 de febrero de 2024", "Página 2"):
        assert told in text and told in html
    assert '<html lang="es">' in html and "2 páginas" in html
    assert not re.search("Page |Change, pause|Stop messages|Text is read", text + html)


def test_every_word_of_following_is_of_the_catalogue_or_of_documents(
    reader: Any, mailbox: Mailbox, webhook: Webhook, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = with_marked_spanish()
    monkeypatch.setattr(language, "languages", lambda: known)
    spoken = {"Accept-Language": CODE}
    given = [*values_of(compiled_database(config.load().storage_dir / SITE)), SITE, "Springfield"]
    given += [ANN, "zoning", "budget", "Roll call", "minutes.example.org"]
    found: dict[str, str] = {}

    def look(where: str, text: str, kind: str = "html") -> None:
        pieces, _ = read_by_people(text, kind)
        for words in outside_of_the_catalogue(pieces, "\n".join(given)):
            found[words] = where

    def get(path: str) -> Any:
        answer = reader.get(path, headers=spoken)
        look(path, answer.text)
        return answer

    def post(path: str, **data: str) -> Any:
        answer = reader.post(path, data=data, headers=spoken)
        look(f"POST {path} {data}", answer.text)
        return answer.headers.get("location", path)

    for asked in (
        {"follow": "search", "q": "zoning", "kind": "minutes", "from": "2024-01-01"},
        {"follow": "place", "site": SITE},
        {"follow": "body", "site": SITE, "body": "City Council"},
        {"follow": "person", "site": SITE, "person": "City-Council/diaz"},
        {"follow": "matter", "site": SITE, "matter": "case 7"},
    ):
        get(post("/follow", address=ANN, cadence="immediate", **asked))
        take_turn(config.load())
        forget_confirmations()
    assert len(mailbox.mails) == 5
    for message in list(mailbox.mails):
        confirm = path_of(links_in(message)[1])
        get(confirm)
        mine = post(confirm)
    get(mine)
    mine = mine.partition("?")[0]
    numbers = re.findall(r'name="subscription" value="(\d+)"', get(mine).text)
    votes, matters = [vote_of("Diaz")], [matter("case 7")]
    add_document("minutes/City Council/2024-02-20", "zoning", votes=votes, matters=matters)
    given += values_of(compiled_database(config.load().storage_dir / SITE))
    take_turn(config.load())
    get(path_of(mailbox.news[0]["List-Unsubscribe"]))
    post(path_of(mailbox.news[0]["List-Unsubscribe"]))
    for number, action in zip(numbers, ("change", "pause", "again", "delete", "x"), strict=False):
        get(post(mine, action=action, subscription=number, cadence="weekly"))
    get(post(mine, action="forget"))
    get(post(mine, action="forget", sure="1"))
    for message in mailbox.mails:
        look("subject", str(message["Subject"]), "text")
        for kind in ("plain", "html"):
            body = message.get_body((kind,))
            assert body is not None
            look(f"mail {message['Subject']}", body.get_content(), kind)

    assert len(mailbox.news) >= 1
    assert not found, "\n".join(f"{where}: {words}" for words, where in found.items())


def test_the_personal_page_changes_pauses_and_deletes(reader: Any, mailbox: Mailbox) -> None:
    for words in ("zoning", "budget"):
        reader.post("/follow", data=FORM | {"q": words})
    take_turn(config.load())
    for message in mailbox.mails:
        mine = reader.post(path_of(links_in(message)[1])).headers["location"].partition("?")[0]
    first, second = re.findall(r'name="subscription" value="(\d+)"', reader.get(mine).text)

    def send(**data: str) -> Any:
        return reader.post(mine, data=data)

    send(action="change", subscription=first, cadence="weekly")
    assert '<option value="weekly" selected>' in reader.get(mine).text
    send(action="pause", subscription=second)
    assert "Paused" in reader.get(mine).text and "Resume" in reader.get(mine).text
    send(action="change", subscription=second, cadence="daily")
    assert "Resume" not in reader.get(mine).text
    assert send(action="change", subscription=first, cadence="hourly").status_code == 400
    assert send(action="change", subscription="999", cadence="daily").status_code == 404
    send(action="delete", subscription=first)
    assert "zoning" not in reader.get(mine).text
    assert send(action="forget").status_code == 400, "not by accident"
    assert "Everything is deleted" in send(action="forget", sure="1").text
    assert reader.get(mine).status_code == 404
    with db.reading_connection() as conn:
        for table in (followers_table, subscriptions_table, follow_deliveries_table):
            assert conn.execute(select(func.count()).select_from(table)).scalar_one() == 0


@pytest.mark.parametrize(
    "address",
    [
        "ann@example.org\r\nBcc: all@example.org",
        "ann@example.org\nX: y",
        "ann@example.org%0d%0aBcc: x@example.org",
        "Ann <ann@example.org>",
        "ann@example.org, bob@example.org",
        '"a b"@example.org',
        "ann@localhost",
        "ann@-x.org",
        "ann",
        "a..b@example.org",
        "@example.org",
        "ann@example.org\0",
        "ann@" + "x" * 260 + ".org",
    ],
)
def test_what_is_no_address_is_refused(reader: Any, mailbox: Mailbox, address: str) -> None:
    assert reader.post("/follow", data=FORM | {"address": address}).status_code == 400
    take_turn(config.load())
    assert mailbox.mails == []


def test_sign_ups_are_limited_by_address_domain_and_client(
    reader: Any, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = [reader.post("/follow", data=FORM).status_code for _ in range(8)]
    assert answers == [303] * subscriptions.PER_ADDRESS + [429] * 3
    others = [
        reader.post("/follow", data=FORM | {"address": f"reader{n}@example.org"}).status_code
        for n in range(100)
    ]
    assert others.count(303) == subscriptions.PER_DOMAIN - subscriptions.PER_ADDRESS
    assert reader.post("/follow", data=FORM | {"address": "a@example.com"}).status_code == 303
    from clerk.web.middleware import default_limits

    reader.app.state.limits = default_limits()
    data = FORM | {"address": "b@example.net"}
    assert [reader.post("/follow", data=data).status_code for _ in range(12)][-1] == 429


def test_forged_foreign_and_old_links_lead_nowhere(reader: Any, mailbox: Mailbox) -> None:
    for address in (ANN, "bob@example.org"):
        reader.post("/follow", data=FORM | {"address": address})
    take_turn(config.load())
    first, second = (path_of(links_in(each)[1]) for each in mailbox.mails)
    mine = reader.post(first).headers["location"].partition("?")[0]
    number, _, signature = mine.rpartition("/")[2].partition(".")
    for forged in (f"2.{signature}", f"{number}.{'A' * 27}", number, "x", f"{number}.", "9" * 40):
        assert reader.get(f"/follow/me/{forged}").status_code == 404, forged
        assert reader.post(f"/follow/stop/{forged}").status_code == 404
    with db.civic_db_connection() as conn:
        conn.execute(update(subscriptions_table).values(confirm_until=db_now(-1)))
    assert reader.get(second).status_code == reader.post(second).status_code == 404
    take_turn(config.load())
    from clerk.follow import deliveries

    deliveries.clean_up()
    with db.reading_connection() as conn:
        assert conn.execute(select(subscriptions_table.c.state)).scalars().all() == ["active"]


def test_nobody_learns_whether_an_address_is_known(reader: Any, mailbox: Mailbox) -> None:
    answers = []
    for _ in range(2):
        answer = reader.post("/follow", data=FORM)
        answers.append((answer.status_code, answer.headers["location"], answer.text))
        take_turn(config.load())
        reader.post(path_of(links_in(mailbox.mails[-1])[1]))
    assert answers[0] == answers[1]
    for path in ("/", "/search?q=zoning", f"/s/{SITE}/", "/follow/sent", "/robots.txt"):
        assert ANN not in reader.get(path).text
    operator = Browser("operator")
    assert ANN not in operator.get("/ops/follow").text
    assert "Search: zoning" in operator.get("/ops/follow").text


def test_operators_decide_who_may_sign_up(
    reader: Any, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOLLOW_SIGNUP", "invitation")
    by_invitation = Browser()
    subscriptions.invite("bob@example.org", "ann")
    for address in (ANN, "bob@example.org"):
        answer = by_invitation.post("/follow", data=FORM | {"address": address})
        assert answer.status_code == 303
    take_turn(config.load())
    assert [each["To"] for each in mailbox.mails] == ["bob@example.org"]

    monkeypatch.setenv("FOLLOW_SIGNUP", "off")
    closed = Browser()
    page = closed.get(f"/s/{SITE}/").text
    assert 'action="/follow"' not in page and f"/s/{SITE}/feed.atom" in page
    assert closed.post("/follow", data=FORM).status_code == 403
    monkeypatch.setenv("FOLLOW_SIGNUP", "open")
    monkeypatch.delenv("MAIL_URL")
    assert 'action="/follow"' not in Browser().get(f"/s/{SITE}/").text


def test_what_does_not_exist_cannot_be_followed(reader: Any) -> None:
    for what in (
        {"follow": "search", "q": '"open'},
        {"follow": "search", "q": "  "},
        {"follow": "search", "q": "x", "kind": "song"},
        {"follow": "search", "q": "x", "year": "soon"},
        {"follow": "search", "q": "x", "site": "nowhere"},
        {"follow": "place", "site": "nowhere"},
        {"follow": "place", "site": "../.."},
        {"follow": "body", "site": SITE, "body": "Senate"},
        {"follow": "person", "site": SITE, "person": "nobody"},
        {"follow": "matter", "site": SITE, "matter": "nothing"},
        {"follow": "everything"},
    ):
        data = {"address": ANN, "cadence": "daily"} | what
        assert reader.post("/follow", data=data).status_code in (400, 404), what
    assert reader.post("/follow", data=FORM | {"website": "spam"}).status_code == 303
    with db.reading_connection() as conn:
        assert conn.execute(select(followers_table)).all() == []


def test_programs_add_and_remove_webhooks(reader: Any, webhook: Webhook) -> None:
    operator = Browser("operator")
    asked = {"url": webhook.url, "follow": "search", "q": "zoning", "from": "2024"}
    assert reader.post("/api/v1/webhooks", params=asked).status_code == 401
    made = operator.post("/api/v1/webhooks", params=asked)
    assert made.status_code == 201 and len(made.json()["key"]) == 64
    [row] = operator.get("/api/v1/webhooks").json()["items"]
    assert row["follows"] == ["Search: zoning, from 2024"] and "key" not in row
    number = made.json()["id"]
    assert operator.post(f"/api/v1/webhooks/{number}/remove").json() == {"removed": True}
    assert operator.post(f"/api/v1/webhooks/{number}/remove").status_code == 404
    forget_confirmations()
