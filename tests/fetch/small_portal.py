"""A portal played from a few answers, for the tests of fetchers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import stamina
from folder_town import fetch_town, manifest_of

from clerk.core import answers
from clerk.core.answers import KeptAnswer
from clerk.core.config import Settings
from clerk.core.db import reading_connection
from clerk.core.manifest import DocumentRow
from clerk.fetch.base import FetchReport
from clerk.fetch.http.client import Client

NOW = datetime(2024, 3, 1, tzinfo=UTC)
#: What a host answers: text, JSON, or bytes, by a piece of the URL; anything else is a PDF.
Answers = Mapping[str, Any]


class StillClock:
    now = 1_709_251_200.0

    def time(self) -> float:
        return self.now

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


class Portal:
    """A portal played from a few answers; remembers what it was asked."""

    def __init__(self, tmp_path: Path, scraper: str, source: str, answers: Answers) -> None:
        self.folder = tmp_path / "sites" / "town"
        self.settings = Settings(storage_dir=tmp_path / "sites")
        self.site: dict[str, Any] = {"subdomain": "town", "scraper": scraper, "start_year": 2023}
        self.extra: dict[str, Any] = {"source": source}
        self.answers = dict(answers)
        self.asked: list[httpx.Request] = []
        self.clock = StillClock()

    def fetch(self, now: datetime = NOW, **options: Any) -> FetchReport:
        client = self.client()
        site = {**self.site, "extra": json.dumps(self.extra)}
        with stamina.set_testing(True):
            return fetch_town(
                site, self.settings, client=client, now=now, clock=self.clock.monotonic, **options
            )

    def client(self) -> Client:
        """A client that asks this portal and forgets what it was asked before."""
        self.asked.clear()
        return Client(
            self.folder / "pace", transport=httpx.MockTransport(self._answer), clock=self.clock
        )

    def known(self) -> list[DocumentRow]:
        """What the manifest says of its documents."""
        site = {**self.site, "extra": json.dumps(self.extra)}
        return manifest_of(self.settings, site).documents()

    def kept_answers(self) -> list[tuple[KeptAnswer, str]]:
        """What it answered and nobody understood, each with its text."""
        with reading_connection(self.settings.sql_url) as conn:
            return [
                (each, answers.text_of_answer(conn, "town", each.name) or "")
                for each in answers.kept_answers(conn, "town")
            ]

    def asked_again(self) -> list[httpx.Request]:
        """Fetch once more and return what was asked for."""
        self.fetch()
        return self.asked

    def _remember(self, request: httpx.Request) -> None:
        self.asked.append(request)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        if request.url.path == "/robots.txt":
            return httpx.Response(404)
        self._remember(request)
        for piece, answer in self.answers.items():
            if piece in str(request.url):
                return _response(answer(request) if callable(answer) else answer)
        return httpx.Response(200, content=b"%PDF-1.4 " + str(request.url).encode())


def _response(answer: Any) -> httpx.Response:
    if isinstance(answer, httpx.Response):
        return answer
    if isinstance(answer, bytes):
        return httpx.Response(200, content=answer)
    if isinstance(answer, str):
        return httpx.Response(200, html=answer)
    return httpx.Response(200, json=answer)
