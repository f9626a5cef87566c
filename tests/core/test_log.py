"""Logs: a line of JSON for each piece of work, and Loki, which never keeps the work waiting."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from small_work import Town, work_embedded

from clerk.core import errors, log


@pytest.fixture(autouse=True)
def former_logging(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave logging as it was found."""
    logger = logging.getLogger("clerk")
    monkeypatch.setattr(logger, "handlers", [])
    monkeypatch.setattr(logger, "propagate", logger.propagate)
    monkeypatch.setattr(logger, "level", logger.level)


def test_each_piece_of_work_is_logged_as_a_line_of_json(
    make_site: Callable[..., str], capfd: pytest.CaptureFixture[str]
) -> None:
    town = Town(make_site())
    town.pdfs(1)
    town.start()
    log.set_up("json")

    work_embedded()

    lines = [json.loads(line) for line in capfd.readouterr().err.splitlines()]
    (told,) = [line for line in lines if line["message"] == "document completed"]
    assert (told["site"], told["run"], told["stage"]) == (town.subdomain, town.run.run_id, "ocr")
    assert told.keys() >= {"at", "level", "batch", "job", "document", "duration"}


@pytest.mark.parametrize("form", ["json", "plain"])
def test_passwords_in_addresses_are_neither_logged_nor_stored(
    form: str, capfd: pytest.CaptureFixture[str]
) -> None:
    log.set_up(form)
    try:
        raise RuntimeError("https://ann:hunter2@example.org/list did not answer")
    except RuntimeError as error:
        stored = errors.described(error)
        logging.getLogger("clerk").exception("No answer: %s", error)

    logged = capfd.readouterr().err
    assert "ann:***@example.org/list" in stored and "ann:***@example.org/list" in logged
    assert "hunter2" not in stored + logged


class Sent(BaseHTTPRequestHandler):
    """A Loki that keeps what it is sent."""

    seen: list[tuple[str, Any, dict[str, Any]]]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.seen.append((self.path, self.headers, json.loads(body)))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture
def loki() -> Iterator[tuple[str, type[Sent]]]:
    handler = type("Kept", (Sent,), {"seen": []})
    server = HTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"127.0.0.1:{server.server_port}", handler
    server.shutdown()
    thread.join()
    server.server_close()


def test_lines_reach_loki_with_their_fields(loki: tuple[str, type[Sent]]) -> None:
    place, sent = loki
    log.set_up(loki_url=f"http://me:p%40ss@{place}")

    logging.getLogger("clerk.tests").warning("It broke", extra={"site": "springfield"})

    ((path, headers, body),) = sent.seen
    ((at, line),) = body["streams"][0]["values"]
    assert path == "/loki/api/v1/push"
    assert headers["Authorization"] == "Basic bWU6cEBzcw=="
    assert at.isdecimal()
    assert (json.loads(line)["message"], json.loads(line)["site"]) == ("It broke", "springfield")


def test_a_loki_that_is_away_is_no_trouble(capfd: pytest.CaptureFixture[str]) -> None:
    log.set_up(loki_url="http://127.0.0.1:1")

    logging.getLogger("clerk.tests").warning("It broke")

    assert "It broke" in capfd.readouterr().err
