"""``clerk site add`` and ``clerk fetch-test`` as a person types them."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from clerk.core import db, plugins
from clerk.ops import activity

LISTING = """<table class="eventTable"><thead><tr><th>Meeting</th><th>Date | Time</th></tr></thead>
  <tbody><tr><td><a href="/event/?id=1">Tree Committee</a></td><td>Jan 16, 2024 | 09:00 AM
  <a href="/event/GetMinutesFile/Minutes?mid=1">x</a></td></tr></tbody></table>"""


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """A folder with the recorded answer of a portal."""
    folder = tmp_path / "recording"
    folder.mkdir()
    (folder / "home.html").write_text(LISTING)
    answers = [{"url": "https://town.suiteonemedia.com/", "name": "home.html", "note": "made up"}]
    (folder / "manifest.json").write_text(json.dumps(answers))
    return folder


def test_fetch_test_prints_what_a_recording_yields(clerk, recording):
    said = clerk("fetch-test", str(recording), "--all")

    assert said.code == 0
    assert "https://town.suiteonemedia.com/, fetched by 'suiteone'" in said.out
    assert "1 meeting, 1 document" in said.out
    assert "minutes: 1 (2024: 1)" in said.out
    assert "2024-01-16  minutes Tree Committee: https://town.suiteonemedia.com/event/" in said.out


def test_fetch_test_counts_the_links_that_it_skips_by_reason(clerk, recording):
    page = """<h1>City Council</h1><p>January 16, 2024 <a href="/a.pdf">Minutes</a>
      <a href="/b.pdf">Presentation</a> <a href="/c.pdf">Staff report</a></p>"""
    (recording / "home.html").write_text(page)

    said = clerk("fetch-test", str(recording), "--scraper", "plain", "--all")

    assert "skipped 2 links: an attachment (2)" in said.out


def test_fetch_test_names_what_it_does_not_understand(clerk, recording):
    (recording / "home.html").write_text("<title>Moved</title>")

    said = clerk("fetch-test", str(recording), "--json")

    assert said.code == 1
    assert "expected a table of events" in said.err


def test_fetch_test_says_the_next_step_and_promises_no_stored_response(clerk, recording):
    (recording / "home.html").write_text('<form><input type="password"></form>')

    said = clerk("fetch-test", str(recording), "--scraper", "plain")

    assert said.code == 1
    assert "found a page that asks for a password" in said.err
    assert "clerk fetches only what everybody can read" in said.err
    assert "stored" not in said.err


def test_fetch_test_lists_a_folder_of_documents(clerk, tmp_path):
    (tmp_path / "Council").mkdir()
    (tmp_path / "Council" / "minutes 2024-01-16.pdf").write_bytes(b"%PDF-1.4")

    said = clerk("fetch-test", str(tmp_path), "--json")

    assert json.loads(said.out)["documents"][0]["day"] == "2024-01-16"


def test_fetch_test_says_how_many_documents_it_does_not_print(clerk, tmp_path):
    for day in range(11, 16):
        (tmp_path / f"minutes 2024-01-{day}.pdf").write_bytes(b"%PDF-1.4")

    some, everything = (clerk("fetch-test", str(tmp_path), *given) for given in ((), ("--all",)))

    assert some.out.count("file://") == 3
    assert "... and 2 more documents; --all prints all of them." in some.err
    assert {f"2024-01-{day}" for day in range(11, 16)} <= set(everything.out.split())
    assert "--all" not in everything.err


def test_fetch_test_with_a_fetcher_that_is_not_there(clerk, recording):
    said = clerk("fetch-test", str(recording), "--scraper", "gopher")

    assert said.code == 3
    assert "There is no fetcher 'gopher'" in said.err


def test_a_dry_run_shows_what_is_found_and_adds_nothing(clerk, storage, tmp_path):
    (tmp_path / "minutes 2024-01-16.pdf").write_bytes(b"%PDF-1.4")

    said = clerk("site", "add", "springfield", "--from", str(tmp_path), "--dry-run")

    assert said.code == 0
    assert "1 document, identified as:" in said.out
    assert "Nothing was added." in said.err
    assert clerk("site", "list").out == ""


def test_an_address_in_place_of_a_name_names_the_site(clerk, storage):
    said = clerk("site", "add", "https://columbus.legistar.com/Calendar.aspx", "--no-preview")

    assert said.out.splitlines()[-1] == (
        "Added columbus, fetched by 'legistar' from https://columbus.legistar.com/Calendar.aspx."
    )


def test_an_address_may_be_typed_without_its_scheme(clerk, storage):
    said = clerk("site", "add", "columbus.legistar.com", "--no-preview")
    other = clerk(
        "site",
        "add",
        "valley",
        "--from",
        "go.boarddocs.com/wa/cvsd/Board.nsf/Public",
        "--no-preview",
    )

    assert "Added columbus, fetched by 'legistar' from https://columbus.legistar.com." in said.out
    assert "fetched by 'boarddocs' from https://go.boarddocs.com/wa/cvsd/Board.nsf" in other.out


def test_a_permission_is_kept_with_the_site_and_in_the_audit_log(clerk, storage):
    source = "https://town.granicus.com/ViewPublisher.php?view_id=1"
    permission = ("--permission-from", "City Clerk", "--permission-reason", "letter of 3 March")
    assert clerk("site", "add", "town", "--from", source, "--no-preview", *permission).code == 0

    with db.reading_connection() as conn:
        extra = json.loads(str(db.require_site(conn, "town")["extra"]))

    assert extra["permission"]["granted_by"] == "City Clerk"
    assert extra["permission"]["recorded_at"]
    assert "City Clerk" in clerk("site", "show", "town").out
    entry = activity.audit_entries()[0]
    assert (entry.action, entry.subject) == ("permission to fetch recorded", "town")
    assert entry.detail == "by City Clerk: letter of 3 March"


def test_half_a_permission_is_refused(clerk, storage):
    said = clerk("site", "add", "town", "--from", "https://x.example", "--permission-from", "me")

    assert said.code == 2
    assert "Give both --permission-from and --permission-reason." in said.err


def test_a_plain_address_that_cannot_be_reached_is_not_added(clerk, storage, monkeypatch):
    monkeypatch.setenv("FETCH_ALLOW_PRIVATE", "yes")

    said = clerk("site", "add", "town", "--from", "http://127.0.0.1:1/minutes")

    assert said.code == 1
    assert clerk("site", "list").out == ""


def test_a_named_fetcher_is_added_even_if_its_host_does_not_respond(clerk, storage, monkeypatch):
    monkeypatch.setenv("FETCH_ALLOW_PRIVATE", "yes")

    address = "http://127.0.0.1:1/minutes"
    said = clerk("site", "add", "town", "--from", address, "--scraper", "plain")

    assert said.code == 0
    assert "could not be listed" in said.err


#: A fetcher without a pace, so that the test need not wait.
GAZETTE = """
from datetime import datetime
from clerk import hookimpl
from clerk.fetch import DocumentRef, Fetcher, FetcherSpec, MeetingRef

class Gazette(Fetcher):
    def list_meetings(self, window):
        self.client.page(self.settings.source)
        minutes = DocumentRef("minutes", self.settings.source + "/1.pdf", "1")
        start = datetime(2024, 1, 16, 19)
        yield MeetingRef("1", "Tree Committee", "Meeting", start, documents=(minutes,))

@hookimpl
def register_fetchers():
    return [FetcherSpec("gazette", Gazette, url_patterns=(r"/gazette$",), pace=0.0, lists_all=True)]
"""


@pytest.fixture
def host(tmp_path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """A host on this machine, and its pages by their paths; a plugin knows ``/gazette``."""
    pages: dict[str, str] = {}

    class Host(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            page = pages.get(self.path)
            self.send_response(404 if page is None else 200)
            self.end_headers()
            self.wfile.write((page or "").encode())

        def log_message(self, *_: object) -> None:
            return

    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / "gazette.py").write_text(GAZETTE)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Host)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", pages
    server.shutdown()
    server.server_close()


def typed(folder: Path, answers: str, *arguments: str) -> tuple[int, str]:
    """Run clerk on a terminal, type the answers, and return its exit code and what it showed."""
    screen, terminal = pty.openpty()
    environment = {
        **os.environ,
        "CLERK_PLUGINS_DIR": "plugins",
        "FETCH_ALLOW_PRIVATE": "yes",
        "COLUMNS": "160",
        "TERM": "xterm",
    }
    process = subprocess.Popen(
        [str(Path(sys.executable).with_name("clerk")), *arguments],
        cwd=folder,
        env=environment,
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
    )
    os.close(terminal)
    os.write(screen, answers.encode())
    shown = b""
    try:
        while read := os.read(screen, 65536):
            shown += read
    except OSError:
        # The other end is closed.
        pass
    os.close(screen)
    return process.wait(), shown.decode()


def test_a_person_is_asked_for_the_permission_that_robots_txt_refuses(host, tmp_path):
    address, pages = host
    pages |= {"/robots.txt": "User-agent: *\nDisallow: /", "/gazette": "<p>Gazette</p>"}
    add = ("site", "add", "town", "--from", f"{address}/gazette")

    code, shown = typed(tmp_path, "\n", *add)
    assert code and "Who gave permission" in shown and "Added" not in shown

    code, shown = typed(tmp_path, "City Clerk\nletter of 3 March\n", *add)
    assert code == 0 and "Added town, fetched by 'gazette'" in shown
    _, shown = typed(tmp_path, "", "site", "show", "town")
    assert "City Clerk" in shown and "letter of 3 March" in shown


def test_a_person_chooses_among_several_sources(host, tmp_path):
    address, pages = host
    pages["/"] = """<h1>Town Council</h1><a href="/gazette">Gazette</a><ul>
        <li><a href="/a.pdf">Agenda January 2, 2024</a></li>
        <li><a href="/m.pdf">Minutes January 2, 2024</a></li></ul>"""
    pages["/gazette"] = "<p>Gazette</p>"

    code, shown = typed(tmp_path, "2\n", "site", "add", "town", "--from", f"{address}/")

    assert code == 0 and "[1]" in shown and "[2]" in shown
    assert f"Added town, fetched by 'gazette' from {address}/gazette." in shown


@pytest.mark.parametrize(
    ("path", "page", "next_step"),
    [
        ("/gone", None, "Check the address, or start from the home page: {address}/"),
        (
            "/a.pdf",
            "%PDF-1.4",
            "Give the address of the page that links such documents",
        ),
        ("/app", "<script></script>", "Open it in a browser. If it shows another site in a frame"),
        ("/in", '<input type="password">', "clerk fetches only what everybody can read"),
        ("/empty", "", "found an empty page"),
    ],
)
def test_where_nothing_is_found_the_next_step_is_said(host, tmp_path, path, page, next_step):
    address, pages = host
    if page is not None:
        pages[path] = page

    code, shown = typed(tmp_path, "", "site", "add", "town", "--from", f"{address}{path}")

    assert code == 1
    assert next_step.format(address=address) in " ".join(shown.split())


def test_lists_of_one_page_are_added_together(host, tmp_path):
    address, pages = host
    pages["/"] = '<a href="/agendas">Agendas</a> <a href="/minutes">Minutes</a>'
    pages["/agendas"] = '<h1>Town Council</h1><a href="/a.pdf">Agenda January 2, 2024</a>'
    pages["/minutes"] = '<h1>Town Council</h1><a href="/m.pdf">Minutes January 2, 2024</a>'

    code, shown = typed(tmp_path, "\n", "site", "add", "town", "--from", f"{address}/")

    assert code == 0 and "all 2 lists that it links" in shown
    assert "1 meeting, 2 documents" in shown
    _, shown = typed(tmp_path, "", "site", "show", "town")
    assert "follow=" in shown


@pytest.fixture(autouse=True)
def no_plugins_of_other_tests() -> None:
    plugins._build.cache_clear()
