"""The queues by name, as operators' scripts use them, and the hint that there is work."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from clerk.core import config
from clerk.core.errors import QueueUnavailable
from clerk.core.states import COMPILATION, DEPLOY, EXTRACTION, FETCH, OCR

if TYPE_CHECKING:
    from rq import Queue


def get_queue(name: str) -> Queue:
    """Return the RQ queue of a name; needs REDIS_URL."""
    settings = config.load()
    if settings.embedded:
        raise QueueUnavailable(
            "There is no queue: REDIS_URL is not set, so work runs embedded.",
            hint="Set REDIS_URL=redis://host:6379/0, or use: clerk run",
        )
    from clerk.executors import rq

    return rq.queue(settings.redis_url, name)


def check() -> None:
    """Refuse to go on without a queue that answers, and say what is wrong."""
    get_queue(FETCH)
    from clerk.executors import rq

    rq.check(config.load().redis_url)


def get_high_queue() -> Queue:
    """Return the queue that every worker looks at first."""
    return get_queue("high")


def get_fetch_queue() -> Queue:
    """Return the queue of fetching."""
    return get_queue(FETCH)


def get_ocr_queue() -> Queue:
    """Return the queue of reading."""
    return get_queue(OCR)


def get_compilation_queue() -> Queue:
    """Return the queue of compiling, and of the coordinators."""
    return get_queue(COMPILATION)


def get_extraction_queue() -> Queue:
    """Return the queue of extracting."""
    return get_queue(EXTRACTION)


def get_deploy_queue() -> Queue:
    """Return the queue of publishing."""
    return get_queue(DEPLOY)


def offer(queues: Collection[str]) -> None:
    """Hint to the workers that these queues may have work; embedded, nobody needs to be told."""
    settings = config.load()
    if settings.embedded:
        return
    from clerk.executors import rq

    rq.offer(settings.redis_url, queues)
