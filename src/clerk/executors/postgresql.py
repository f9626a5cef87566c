"""Workers without Redis: woken by notifications of PostgreSQL, which has the ledger anyway.

A notification is a hint like a message of RQ: a worker that is awake drains the ledger without
waiting for any, and an idle one checks it from time to time.  Work whose retry delay
ends is found only so.
"""

from __future__ import annotations

from collections.abc import Collection

from clerk.core.config import Settings
from clerk.core.notifications import Listener

from .pool import Pool, Signals
from .work import Flow

#: How often an idle worker checks the ledger without a notification.
POLL_SECONDS = 2.0
#: How long it waits for a notification before it beats and looks for dead workers.
WAIT_SECONDS = 1.0
#: Seconds a busy worker waits for its child; an idle one waits for a notification.
BUSY_SECONDS = 0.2


def work(flow: Flow, queues: Collection[str], settings: Settings, *, burst: bool) -> None:
    """Be one worker until stopped; one signal finishes what is running, two stop now."""
    with (
        Pool(flow, queues, settings, poll_seconds=POLL_SECONDS) as pool,
        Signals(pool),
        Listener(queues) as listener,
    ):
        while True:
            while pool.turn(BUSY_SECONDS if pool.busy else 0.0) or pool.should_look:
                pass
            if pool.stopping:
                return
            if burst:
                if pool.nothing_to_claim():
                    return
            elif listener.wait(WAIT_SECONDS):
                pool.look_now()
