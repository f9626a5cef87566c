"""The fetcher ``urls``: a list of documents, fetched from a real server on this machine."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from folder_town import fetch_town, manifest_of
from sqlalchemy import update

from clerk.core import storage
from clerk.core.config import Settings
from clerk.core.db import writing_to
from clerk.core.errors import SourceUnavailable
from clerk.core.models import documents_table
from clerk.fetch.base import FetchReport
from clerk.fetch.http.client import Client


class Server:
    """Serves what is put into it, with an ETag, and remembers what it was asked."""

    def __init__(self) -> None:
        self.pages: dict[str, bytes] = {}
        self.asked: list[tuple[str, int]] = []
        served = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                served.answer(self)

            def log_message(self, *arguments: object) -> None:
                """Say nothing."""

        self.httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.httpd.server_port}"

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        content = self.pages.get(request.path)
        etag = f'"{hash(content)}"'
        status = 404 if content is None else 200
        if content is not None and request.headers.get("If-None-Match") == etag:
            status, content = 304, b""
        self.asked.append((request.path, status))
        request.send_response(status)
        request.send_header("ETag", etag)
        request.send_header("Content-Length", str(len(content or b"")))
        request.end_headers()
        request.wfile.write(content or b"")


@pytest.fixture
def server() -> Iterator[Server]:
    served = Server()
    thread = threading.Thread(target=served.httpd.serve_forever, args=(0.01,))
    thread.start()
    yield served
    served.httpd.shutdown()
    thread.join()
    served.httpd.server_close()


class Town:
    """A site that follows a list."""

    def __init__(self, source: str, storage_dir: Path) -> None:
        self.folder = storage_dir / "town"
        self.settings = Settings(storage_dir=storage_dir, fetch_allow_private=True)
        extra = json.dumps({"source": source})
        self.site = {"subdomain": "town", "scraper": "urls", "extra": extra}

    def fetch(self) -> FetchReport:
        client = Client.from_settings(self.settings, pace_seconds=0.001)
        return fetch_town(self.site, self.settings, client=client)

    def names(self) -> list[str]:
        return sorted(document.name for document in storage.pdf_documents(self.folder))


def pdf(text: str) -> bytes:
    return b"%PDF-1.4 " + text.encode()


def test_a_list_of_urls_becomes_documents(tmp_path, server):
    paths = ["/Council%20Minutes%20Jan%2015%202024.pdf", "/get?id=7"]
    server.pages = {path: pdf(path) for path in paths}
    listed = tmp_path / "list.txt"
    listed.write_text("# minutes\n\n" + "".join(f"{server.url}{path}\n" for path in paths))
    town = Town(str(listed), tmp_path / "sites")

    report = town.fetch()

    assert town.names() == ["minutes/Council/2024-01-15", "minutes/Meetings/get"]
    assert not report.errors


def test_a_table_says_what_each_document_is(tmp_path, server):
    server.pages = {"/1": pdf("a"), "/2": pdf("b")}
    listed = tmp_path / "list.csv"
    listed.write_text(
        "URL,Meeting,Date,Kind\n"
        f'{server.url}/1,"Parks, Trees",1/15/2024,Agenda\n{server.url}/2,Council,2024-02-15,\n'
    )
    town = Town(str(listed), tmp_path / "sites")

    town.fetch()

    assert town.names() == ["agendas/Parks, Trees/2024-01-15", "minutes/Council/2024-02-15"]


def test_a_list_may_lie_at_a_url(tmp_path, server):
    server.pages = {"/list.txt": f"{server.url}/1\n".encode(), "/1": pdf("a")}

    assert Town(f"{server.url}/list.txt", tmp_path / "sites").fetch().documents == 1


def test_unchanged_documents_are_not_sent_again_and_changed_ones_are(tmp_path, server):
    server.pages = {"/1": pdf("a"), "/2": pdf("b")}
    listed = tmp_path / "list.txt"
    listed.write_text(f"{server.url}/1\n{server.url}/2\n")
    town = Town(str(listed), tmp_path / "sites")
    town.fetch()
    server.asked.clear()
    server.pages["/2"] = pdf("approved")

    report = town.fetch()

    assert sorted(server.asked) == [("/1", 304), ("/2", 200), ("/robots.txt", 404)]
    assert (report.unchanged, report.changed) == (["minutes/Meetings/1"], ["minutes/Meetings/2"])


def test_bad_lines_and_bad_answers_are_reported_and_do_not_stop_the_rest(tmp_path, server):
    server.pages = {"/1": pdf("a"), "/page": b"<html>Sign in</html>", "/empty": b""}
    listed = tmp_path / "list.txt"
    lines = ["/etc/passwd", *(f"{server.url}/{name}" for name in ("page", "empty", "404", "1"))]
    listed.write_text("\n".join(lines))
    town = Town(str(listed), tmp_path / "sites")

    report = town.fetch()

    assert town.names() == ["minutes/Meetings/1"]
    assert [problem.what for problem in report.skipped] == [f"{server.url}/page"]
    assert {problem.what: problem.error for problem in report.errors} == {
        "/etc/passwd": "",
        f"{server.url}/empty": "EmptyDocument",
        f"{server.url}/404": "PageMissing",
    }


def test_documents_of_private_addresses_need_the_allowance(tmp_path, server):
    server.pages = {"/1": pdf("a")}
    listed = tmp_path / "list.txt"
    listed.write_text(f"{server.url}/1\n")
    town = Town(str(listed), tmp_path / "sites")
    town.settings = Settings(storage_dir=tmp_path / "sites")

    report = town.fetch()

    assert [problem.error for problem in report.errors] == ["AddressRefused"]
    assert not server.asked


def test_a_missing_list_is_unavailable(tmp_path):
    with pytest.raises(SourceUnavailable, match="cannot be read"):
        Town(str(tmp_path / "nothing.txt"), tmp_path / "sites").fetch()


def test_a_host_that_breaks_down_is_given_up_in_one_line(tmp_path, server):
    listed = tmp_path / "list.txt"
    listed.write_text("\n".join(f"http://127.0.0.1:9/{number}" for number in range(20)))

    report = Town(str(listed), tmp_path / "sites").fetch()

    assert len(report.errors) == 6
    assert report.errors[-1].what == "15 documents not requested"


def test_a_document_is_not_called_by_the_secrets_of_its_url(tmp_path, server):
    paths = ["/get.ashx?id=7&token=abc123", "/minutes%20sig=abc123.pdf"]
    server.pages = {path: pdf(path) for path in paths}
    listed = tmp_path / "list.txt"
    listed.write_text("".join(f"{server.url}{path}\n" for path in paths))
    town = Town(str(listed), tmp_path / "sites")

    town.fetch()

    assert not [name for name in town.names() if "abc123" in name]
    assert len(town.names()) == 2
    known = {each.source_url for each in manifest_of(town.settings, town.site).documents()}
    assert known == {f"{server.url}{path}" for path in paths}, "what is fetched again stays whole"


def test_a_document_that_was_called_by_a_secret_gets_another_name(tmp_path, server):
    server.pages = {"/a.pdf?token=abc123": pdf("a")}
    listed = tmp_path / "list.txt"
    listed.write_text(f"{server.url}/a.pdf?token=abc123\n")
    town = Town(str(listed), tmp_path / "sites")
    town.fetch()
    good, bad = (storage.Document("minutes", "Meetings", each) for each in ("a", "a-token=abc123"))
    good.pdf(town.folder).rename(bad.pdf(town.folder))
    bad.text(town.folder).mkdir(parents=True)
    (bad.text(town.folder) / "page-1.txt").write_text("a")
    with writing_to(town.settings.sql_url) as conn:
        conn.execute(update(documents_table).values(name=bad.name))

    report = town.fetch()

    assert (report.moved, town.names()) == (["minutes/Meetings/a"], ["minutes/Meetings/a"])
    assert not bad.pdf(town.folder).exists() and not bad.text(town.folder).exists()
    assert (good.text(town.folder) / "page-1.txt").read_text() == "a"
    assert town.fetch().unchanged == ["minutes/Meetings/a"]
