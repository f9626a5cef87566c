"""Agendas and minutes that are web pages become documents of a site, through ``clerk run``."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from small_pdfs import printed

from clerk.core import config, manifest, plugins
from clerk.core.db import reading_connection

#: The fetchers as they are, but in a hurry.
PLUGIN = """
from dataclasses import replace

from clerk import hookimpl
from clerk.fetch.platforms import boarddocs, granicus, legistar, plain


@hookimpl
def register_fetchers():
    return [
        replace(each.SPEC, id=f"quick-{each.SPEC.id}", pace=0.001)
        for each in (boarddocs, granicus, legistar, plain)
    ]
"""
AGENDA = """<html><title>Agenda</title><body><h1>Agenda of the regular meeting</h1>
<p>1. Call to order and roll call</p><p>2. Approval of the minutes of the last meeting</p>
<p>3. Motion to adopt the budget of the library, as the committee on finance has proposed it</p>
<p>4. Report of the treasurer</p><p>5. Public comment, three minutes for each speaker</p>
<p>6. Reports of the departments and of the manager</p><p>7. Adjournment</p></body></html>"""
MINUTES = AGENDA.replace("Agenda of", "Minutes of").replace("Motion to adopt", "Moved to adopt")

#: A piece of an address -> what a host answers; the first that fits counts.
BOARD = {
    "PRINT-AgendaDetailed": AGENDA,
    "BD-GetMinutes": MINUTES,
    "BD-GetMeetingsList": json.dumps(
        [{"unique": "A1", "name": "Regular Board Meeting", "numberdate": "20240116"}, {}]
    ),
    "BD-GetMeeting": '<a id="btn-view-minutes">Minutes</a>',
    "BD-GetPublicFiles": "<p></p>",
    "Public": "<html></html>",
}
VIEW = {
    "AgendaViewer": AGENDA,
    "MinutesViewer": MINUTES,
    "ViewPublisher": """<table><tr class="listingRow"><td headers="Name">Board</td>
      <td>Jan 16, 2024</td><td><a href="/AgendaViewer.php?view_id=1&clip_id=7">Agenda</a></td>
      <td><a href="/MinutesViewer.php?view_id=1&clip_id=7">Minutes</a></td></tr></table>""",
}
CALENDAR = {
    "M=AADA": AGENDA,
    "M=MADA": MINUTES,
    "Calendar": """<table class="rgMasterTable"><tr><th>Name</th><th>Meeting Date</th>
      <th>Agenda</th></tr><tr class="rgRow"><td>Board</td><td>1/16/2024</td><td>
      <a href="View.ashx?M=AADA&ID=1&GUID=G">Agenda</a>
      <a href="View.ashx?M=MADA&ID=1&GUID=G">Minutes</a></td></tr></table>""",
}


@pytest.fixture
def host(request: pytest.FixtureRequest) -> Iterator[str]:
    """A portal on this machine."""

    class Portal(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            self.rfile.read(length)
            answers = (text for piece, text in request.param.items() if piece in self.path)
            answer = next(answers, "")
            content = answer() if callable(answer) else answer.encode()
            self.send_response(200 if content else 404)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_POST = do_GET

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Portal)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def in_a_hurry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The fetchers of the plugin, allowed to fetch from this machine."""
    folder = tmp_path / "plugins"
    folder.mkdir()
    (folder / "quick.py").write_text(PLUGIN)
    monkeypatch.setenv("CLERK_PLUGINS_DIR", str(folder))
    monkeypatch.setenv("FETCH_ALLOW_PRIVATE", "yes")
    plugins._build.cache_clear()
    yield
    plugins._build.cache_clear()


@pytest.mark.parametrize(
    ("host", "fetcher", "address"),
    [
        pytest.param(BOARD, "boarddocs", "/wa/town/Board.nsf/Public", id="boarddocs"),
        pytest.param(VIEW, "granicus", "/ViewPublisher.php?view_id=1", id="granicus"),
        pytest.param(CALENDAR, "legistar", "/Calendar.aspx", id="legistar"),
    ],
    indirect=["host"],
)
def test_pages_of_a_portal_are_stored_read_and_found(
    host: str, fetcher: str, address: str, storage: Path, in_a_hurry: None, clerk
) -> None:
    added = clerk("site", "add", "town", "--from", host + address, "--scraper", f"quick-{fetcher}")
    run = clerk("run", "town")

    assert (added.code, run.code) == (0, 0), added.err + run.out + run.err
    with reading_connection(config.load().sql_url) as conn:
        found = manifest.documents(conn, "town")
    assert [(row.name, row.kind, str(row.date), row.body) for row in found] == [
        ("agendas/Board/2024-01-16.html", "agenda", "2024-01-16", "Board"),
        ("minutes/Board/2024-01-16.html", "minutes", "2024-01-16", "Board"),
    ]
    assert all(row.text_sha256 for row in found)
    assert "library" in clerk("search", "library").out
    again = clerk("run", "town")
    assert "nothing new" in again.out


class UntilItIsRead:
    """A document that arrives only when the one before it has been read."""

    def __init__(self) -> None:
        self.text: Path | None = None
        self.was_read = False

    def __call__(self) -> bytes:
        for _ in range(300):
            if self.text and self.text.exists():
                self.was_read = True
                break
            threading.Event().wait(0.1)
        return printed(["Minutes of January"])


SECOND = UntilItIsRead()


@pytest.mark.parametrize(
    "host",
    [
        {
            "first.pdf": lambda: printed(["Minutes of February"]),
            "second.pdf": SECOND,
            "/minutes": """<ul><li>2024-02-06 <a href="/first.pdf">City Council Minutes</a></li>
              <li>2024-01-16 <a href="/second.pdf">City Council Minutes</a></li></ul>""",
        }
    ],
    indirect=True,
)
def test_a_document_is_read_while_the_next_is_being_fetched(
    host: str, storage: Path, in_a_hurry: None, clerk, monkeypatch
) -> None:
    monkeypatch.setenv("WORKERS", "2")
    SECOND.text = storage / "town" / "txt" / "City Council" / "2024-02-06"
    clerk("site", "add", "town", "--from", f"{host}/minutes", "--scraper", "quick-plain")

    run = clerk("run", "town")

    assert run.code == 0, run.out + run.err
    assert SECOND.was_read
    assert "read       2 of 2 documents" in run.out
