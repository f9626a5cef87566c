"""A canary among the secrets: no page, log or answer of the API ever sings."""

from __future__ import annotations

import html
import json
import logging
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import insert, update
from starlette.routing import Route
from web_town import MINUTES, PAGES, SITE, Browser, identity

from clerk.core import config, db
from clerk.core.models import items_table, runs_table, sites_table
from clerk.core.public_text import Redactor
from clerk.ops.web_sessions import OPERATOR
from clerk.pipeline import ledger, transitions
from clerk.web import api, ops, serving
from clerk.web.app import all_routes

CANARY = "c4n4ry-0f-s3cr3ts"
ERROR = f"Cannot reach postgresql://clerk:{CANARY}@db/clerk?sslkey={CANARY}"
KNOWN = {
    "site": SITE["subdomain"],
    "document": identity(MINUTES),
    "page": f"{identity(MINUTES)}-1",
    "member": "Lee",
    "rest": "City%20Council/",
    "queue": "ocr",
}


@pytest.fixture
def client(town: Path, monkeypatch: pytest.MonkeyPatch) -> Browser:
    """An operator of an installation full of secrets, which its errors quote."""
    monkeypatch.setenv("REDIS_URL", f"redis://:{CANARY}@127.0.0.1:1/0")
    monkeypatch.setenv("SENTRY_DSN", f"https://{CANARY}@127.0.0.1/1")
    monkeypatch.setenv("LOKI_URL", f"http://me:{CANARY}@127.0.0.1/push?key={CANARY}")
    logger = logging.getLogger("clerk")
    for name, value in (("handlers", []), ("propagate", False), ("level", logging.INFO)):
        monkeypatch.setattr(logger, name, value)
    serving.log_safely(config.load(sentry_dsn=""))
    with db.civic_db_connection() as conn:
        run_id = transitions.start_run(conn, SITE["subdomain"])
        conn.execute(update(sites_table).values(last_error_message=ERROR, last_error_stage="ocr"))
        conn.execute(update(items_table).values(state="failed", error=ERROR))
        conn.execute(update(runs_table).values(reason=ERROR))
        ledger.record(conn, "run failed", subdomain=SITE["subdomain"], detail=ERROR)
        ledger.audit(conn, "somebody", "run cancelled", run_id, ERROR)
        conn.execute(insert(sites_table).values(subdomain="other", last_error_message=ERROR))
    return Browser(OPERATOR)


def filled(path: str) -> str:
    """Return an address of a route, with something known in its fields."""
    path = re.sub(r"\{(\w+):int\}", "1", path)
    return re.sub(r"\{(\w+)(:path)?\}", lambda field: KNOWN.get(field[1], "1"), path)


def every_address(method: str) -> Iterator[str]:
    for route in all_routes():
        takes_it = isinstance(route, Route) and method in (route.methods or ())
        if takes_it and route.path != "/ops/stream":
            yield filled(route.path)
    if method == "GET":
        yield from PAGES
        yield from (f"{filled(r.path)}?fragment=1" for r in ops.routes() if _is_live(r))
        yield from ("/ops/reconcile?preview=1", "/ops/failures/preview?action=retry")


def _is_live(route: object) -> bool:
    return isinstance(route, Route) and route.path in ("/ops/", "/ops/sites/{site}", "/ops/system")


def test_no_page_log_or_answer_has_a_secret(
    client: Browser, capfd: pytest.CaptureFixture[str]
) -> None:
    said = []
    for method in ("GET", "POST"):
        for address in every_address(method):
            if method == "POST":
                client.log_in(OPERATOR)  # some of them end the session
            answer = client.request(method, address)
            said.append(f"{method} {address} {answer.text} {answer.headers!r}")
    assert len(said) > 80
    logged = "".join(capfd.readouterr())

    assert [text[:300] for text in said if CANARY in text] == []
    assert CANARY not in logged
    assert "Cannot reach" in "".join(said), "errors are shown, their secrets are not"
    assert "REDIS_URL" in "".join(said)


def test_what_has_no_secret_is_passed_on_untouched(client: Browser) -> None:
    client.headers["Accept-Encoding"] = "identity"
    style = client.get("/static/style.css")

    assert int(style.headers["content-length"]) == len(style.content)
    head = client.head("/static/style.css")
    assert head.headers["content-length"] == style.headers["content-length"]
    piece = client.get("/static/style.css", headers={"Range": "bytes=0-9"})
    assert (piece.status_code, len(piece.content)) == (206, 10)


def test_every_endpoint_of_the_api_is_among_them() -> None:
    known = set(every_address("GET")) | set(every_address("POST"))

    assert {filled(api.PREFIX + each.path) for each in api.ENDPOINTS} <= known


def test_a_password_that_is_a_word_spoils_no_page(
    town: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOKI_URL", "http://zoning:zoning@127.0.0.1/push")
    with db.civic_db_connection() as conn:
        said = "No answer from http://zoning:zoning@127.0.0.1/push"
        conn.execute(update(sites_table).values(last_error_message=said))
    client = Browser(OPERATOR)

    assert "zoning" in client.get("/search?q=zoning").text
    shown = client.get("/ops/sites/springfield").text
    assert "zoning:***@" in shown and "zoning:zoning" not in shown


@pytest.mark.parametrize("secret", ['q"uo\\te-12345', "amp&er<sand>-12345"])
def test_a_secret_is_known_in_every_dress(secret: str) -> None:
    redact = Redactor(config.load(sentry_dsn=secret))

    for text in (secret, html.escape(secret), json.dumps(secret)):
        assert "12345" not in redact.unmistakable(text)
        assert "12345" not in redact(text)


def test_an_error_shows_everybody_what_is_wrong_and_the_log_says_where(
    town: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for url in [url for url in db._engines if str(town) in url]:
        db._engines.pop(url).dispose()
    (town / "clerk.db").write_bytes(b"not a database" * 100)

    shown = Browser().get("/coverage").text

    assert "The database clerk.db cannot be used" in shown and str(town) not in shown
    assert str(town) in caplog.text


def test_what_an_older_version_compiled_is_shown_without_secrets(town: Path) -> None:
    reasons = json.dumps({"9": f"OSError: '{town}/a.pdf'"})
    with closing(sqlite3.connect(town / "springfield" / "meetings.db")) as connection:
        connection.execute("UPDATE about SET value = ? WHERE key = 'name'", (ERROR,))
        connection.execute("UPDATE documents SET failed_pages = ?", (reasons,))
        sources = {
            "minutes": f"https://a:{CANARY}@town.example/?sig={CANARY}&id=5",
            "agenda": f"file://{town}/Council/a%20b.pdf",
        }
        for kind, url in sources.items():
            connection.execute("UPDATE documents SET source_url = ? WHERE kind = ?", (url, kind))
        connection.commit()

    page = Browser().get(f"/d/{identity(MINUTES)}").text
    known = Browser().get(f"/api/v1/documents/{identity(MINUTES)}").json()
    agenda = Browser().get(f"/d/{identity('agendas/City Council/2024-01-15')}").text

    assert 'href="https://town.example/?id=5"' in page
    assert "Page 9: the program that reads it failed" in page and "OSError" not in page
    assert (known["source"], known["source_url"]) == (
        "town.example",
        "https://town.example/?id=5",
    )
    assert "<dd>a b.pdf</dd>" in agenda
    for text in (page, agenda, str(known)):
        assert CANARY not in text and str(town) not in text
