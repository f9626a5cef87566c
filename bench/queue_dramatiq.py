"""A Dramatiq group with a completion callback on Redis."""

from __future__ import annotations

import os
import time

import dramatiq
from dramatiq.brokers.redis import RedisBroker
from dramatiq.middleware.group_callbacks import GroupCallbacks
from dramatiq.rate_limits.backends import RedisBackend
from redis import Redis

_client = Redis(unix_socket_path=os.environ.get("BENCH_REDIS", ""))
_broker = RedisBroker(client=_client)
_broker.add_middleware(GroupCallbacks(RedisBackend(client=_client)))
dramatiq.set_broker(_broker)


@dramatiq.actor
def document() -> None:
    """Cost nothing but noting the time."""
    _client.set("bench-last", time.time())


@dramatiq.actor
def finish() -> None:
    """Run when all are done."""
    _client.set("bench-finished", time.time())


def run(documents: int) -> tuple[float, float]:
    """Send the group, wait, and return the seconds in all and those of the fan-in."""
    _client.delete("bench-finished")
    group = dramatiq.group(document.message() for _ in range(documents))
    group.add_completion_callback(finish.message())
    started = time.perf_counter()
    group.run()
    while not _client.exists("bench-finished"):
        time.sleep(0.005)
    seconds = time.perf_counter() - started
    return seconds, float(_client.get("bench-finished")) - float(_client.get("bench-last"))
