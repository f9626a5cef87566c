"""Logs that are sent away reach Loki, and never keep the work waiting."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from clerk import log


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
