"""Work in this process, without any server: a crew with a lane per core."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection

from clerk.core.config import Settings
from clerk.core.errors import StorageIncomplete
from clerk.core.states import QUEUES

from . import Flow
from .pool import Crew, Signals

#: How often the caller is asked whether it is done.
LOOK_SECONDS = 0.2
#: How often it may show how far it is; that takes longer, and a beat must not be late for it.
SHOW_SECONDS = 1.0


class Interrupted(Exception):
    """A person stopped the work; what was in hand has been finished or given back."""


def run(
    flow: Flow,
    settings: Settings,
    *,
    queues: Collection[str] = QUEUES,
    done: Callable[[], bool],
    on_look: Callable[[], None] = lambda: None,
    stays: bool = False,
) -> None:
    """Work on queues until the caller is done, a person interrupts, or only a person can help.

    A site whose files are not here does not keep the others waiting: that is raised in the end.
    A worker that ``stays`` raises nothing of the kind; it pauses the stage and tries again.
    """
    number = lanes(settings)
    with (
        Crew(flow, queues, settings, lanes=number, pauses=stays) as crew,
        Signals(crew) as signals,
    ):
        look_at = show_at = 0.0
        while True:
            busy = crew.turn(LOOK_SECONDS)
            if signals.received and not busy:
                raise Interrupted
            trouble = crew.trouble
            of_one_site = isinstance(trouble, StorageIncomplete)
            if trouble and not of_one_site:
                _leave(crew)
                raise trouble
            if time.monotonic() >= look_at or not busy:
                look_at = time.monotonic() + LOOK_SECONDS
                if time.monotonic() >= show_at:
                    crew.patiently(on_look)
                    show_at = time.monotonic() + SHOW_SECONDS
                if crew.patiently(done):
                    _leave(crew)
                    return
            if trouble and not busy and crew.nothing_to_claim():
                raise trouble


def _leave(crew: Crew) -> None:
    """Finish what is in hand."""
    crew.stop()
    while crew.busy:
        crew.turn(LOOK_SECONDS)


def lanes(settings: Settings) -> int:
    """Return how many documents are worked on at once."""
    return settings.workers or os.cpu_count() or 1
