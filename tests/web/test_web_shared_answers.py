"""Requests for the same page of results at the same time are answered once."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from clerk.core import config
from clerk.web.middleware import checked
from clerk.web.shared_answers import RunningAnswers, shared

READERS = 6


class Pages:
    """A server whose page is made only when all readers have asked for it."""

    def __init__(self, waits_for: int = READERS, fails: bool = False) -> None:
        self.made: Counter[str] = Counter()
        self._asked = 0
        self._all_asked = threading.Event()

        def count(request: Request) -> Response | None:
            self._asked += 1
            if self._asked >= waits_for:
                self._all_asked.set()
            return None

        @shared
        @checked(count)
        def page(request: Request) -> Response:
            self.made[str(request.url)] += 1
            assert self._all_asked.wait(60)
            # The last one has been counted, and is about to wait for this answer.
            time.sleep(1)
            if fails:
                raise ValueError("no page")
            return PlainTextResponse(str(request.url), headers={"X-Made": "once"})

        self.app = Starlette(routes=[Route("/search", page)])
        self.app.state.settings = config.load()
        self.app.state.running_answers = RunningAnswers()

    def ask(self, *queries: str, **headers: str) -> list[httpx.Response]:
        async def ask_all() -> list[httpx.Response]:
            transport = httpx.ASGITransport(self.app, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as each:
                asked = (each.get("/search", params={"q": q}, headers=headers) for q in queries)
                return await asyncio.gather(*asked)

        return asyncio.run(ask_all())


@pytest.fixture
def pages(installation: Path) -> Callable[..., Pages]:
    return Pages


def test_a_page_that_many_ask_for_is_made_once(pages: Callable[..., Pages]) -> None:
    server = pages()

    answers = server.ask(*["zoning"] * (READERS - 1), "bridge")

    assert [answer.status_code for answer in answers] == [200] * READERS
    assert {answer.headers["x-made"] for answer in answers} == {"once"}
    assert sorted(server.made.values()) == [1, 1]
    assert [answer.text[-6:] for answer in answers] == ["zoning"] * (READERS - 1) + ["bridge"]


def test_an_answer_is_not_kept_for_those_who_come_later(pages: Callable[..., Pages]) -> None:
    server = pages(waits_for=1)

    server.ask("zoning")
    server.ask("zoning")

    assert list(server.made.values()) == [2]


def test_each_language_has_its_own_answer(pages: Callable[..., Pages]) -> None:
    server = pages(waits_for=2)
    threads = [
        threading.Thread(target=server.ask, args=["zoning"], kwargs={"accept-language": each})
        for each in ("en", "es")
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert list(server.made.values()) == [2]


def test_an_error_reaches_everybody_and_stops_nobody_later(pages: Callable[..., Pages]) -> None:
    server = pages(fails=True)

    answers = server.ask(*["zoning"] * READERS)

    assert [answer.status_code for answer in answers] == [500] * READERS
    assert list(server.made.values()) == [1]
    assert server.ask("zoning")[0].status_code == 500
    assert list(server.made.values()) == [2]


def test_readers_who_wait_for_results_keep_no_other_page_waiting(installation: Path) -> None:
    other_was_asked = threading.Event()

    @shared
    def results(request: Request) -> Response:
        assert other_was_asked.wait(60)
        return PlainTextResponse("found")

    def other(request: Request) -> Response:
        other_was_asked.set()
        return PlainTextResponse("another page")

    app = Starlette(routes=[Route("/search", results), Route("/other", other)])
    app.state.settings = config.load()
    app.state.running_answers = RunningAnswers()

    async def ask_all() -> list[httpx.Response]:
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as each:
            # More than there are threads for pages that are not shared.
            waiting = [each.get("/search", params={"q": "zoning"}) for _ in range(60)]
            return await asyncio.gather(*waiting, each.get("/other"))

    *found, last = asyncio.run(ask_all())

    assert last.text == "another page"
    assert {answer.text for answer in found} == {"found"}
