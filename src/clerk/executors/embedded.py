"""Work in this process, without any server: a pool with a slot per core."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection

from clerk.core.config import Settings
from clerk.core.errors import StorageIncomplete
from clerk.core.states import QUEUES

from .pool import Pool, Signals
from .work import Flow

#: How often the caller is asked whether it is done.
LOOK_SECONDS = 0.2
#: How often it may show how far it is; that takes longer, and a beat must not be late for it.
SHOW_SECONDS = 1.0


class Interrupted(Exception):
    """A person stopped the work; what was running has been finished or released."""


def run(
    flow: Flow,
    settings: Settings,
    *,
    queues: Collection[str] = QUEUES,
    done: Callable[[], bool],
    on_look: Callable[[], None] = lambda: None,
    on_stop: Callable[[], None] = lambda: None,
    stays: bool = False,
) -> None:
    """Work on queues until the caller is done, a person interrupts, or only a person can help.

    A site whose files are not here does not keep the others waiting: that is raised in the end.
    ``on_stop`` is called as soon as a person interrupts for the first time.
    A worker that ``stays`` raises nothing of the kind; it pauses the stage and tries again.
    """
    number = slots(settings)
    with (
        Signals(Pool(flow, queues, settings, slots=number, pauses=stays), on_stop) as signals,
        signals.pool as pool,
    ):
        look_at = show_at = 0.0
        while True:
            busy = pool.turn(LOOK_SECONDS)
            if signals.received and not busy:
                raise Interrupted
            trouble = pool.trouble
            of_one_site = isinstance(trouble, StorageIncomplete)
            if trouble and not of_one_site:
                _leave(pool)
                raise trouble
            if time.monotonic() >= look_at or not busy:
                look_at = time.monotonic() + LOOK_SECONDS
                if time.monotonic() >= show_at:
                    pool.retry_while_database_is_down(on_look)
                    show_at = time.monotonic() + SHOW_SECONDS
                if pool.retry_while_database_is_down(done):
                    _leave(pool)
                    return
            if trouble and not busy and pool.nothing_to_claim():
                raise trouble


def _leave(pool: Pool) -> None:
    """Finish what is running."""
    pool.stop()
    while pool.busy:
        pool.turn(LOOK_SECONDS)


def slots(settings: Settings) -> int:
    """Return how many documents are worked on at once."""
    return settings.workers or os.cpu_count() or 1
