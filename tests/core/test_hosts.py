"""One pace per host for all machines: the states of hosts in the database."""

from __future__ import annotations

import time

import httpx
import pytest
from small_work import reap, spawn

from clerk.core.hosts import SharedHosts
from clerk.fetch.http.client import Client
from clerk.fetch.http.hosts import CLOSED_SECONDS, FAILURES_TO_CLOSE, Hosts
from clerk.fetch.http.responses import CircuitOpen


class ImpatientClock:
    """A clock that remembers how long it should have slept instead of doing so."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    def time(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float, /) -> None:
        self.slept.append(seconds)


def machine() -> Hosts:
    """What another machine would make for itself."""
    return Hosts(SharedHosts(), ImpatientClock(), pace_seconds=10)


def next_turn() -> float:
    with SharedHosts().locked("town.example") as (state, now):
        return state.next_at - now


def test_ten_processes_ask_a_host_no_faster_than_one(site: str) -> None:
    def ask_four_times() -> None:
        hosts = machine()
        for _ in range(4):
            hosts.await_turn("town.example")

    processes = [spawn(ask_four_times) for _ in range(10)]
    assert [reap(each) for each in processes] == [0] * 10

    assert next_turn() > 39 * 10


def test_failures_seen_by_one_machine_close_the_host_for_another(site: str) -> None:
    one, another = machine(), machine()
    for _ in range(FAILURES_TO_CLOSE):
        one.failed("town.example")

    with pytest.raises(CircuitOpen, match="No requests go to"):
        another.await_turn("town.example")
    with SharedHosts().locked("town.example") as (state, now):
        assert 0 < state.closed_until - now <= CLOSED_SECONDS
        state.closed_until = now - 1
    another.await_turn("town.example")


def test_robots_txt_is_asked_for_once_by_all_machines(site: str) -> None:
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.path)
        return httpx.Response(200, text="User-agent: *\nAllow: /\n")

    for _ in range(3):
        transport = httpx.MockTransport(answer)
        with Client(SharedHosts(), transport=transport, clock=ImpatientClock()) as client:
            client.page("https://town.example/list")

    assert asked == ["/robots.txt", "/list", "/list", "/list"]
