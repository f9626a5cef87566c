"""PostgreSQL's LISTEN and NOTIFY: wake idle workers on any machine when a queue has work."""

from __future__ import annotations

import logging
import select as polling
import time
from collections.abc import Collection
from typing import TYPE_CHECKING

from sqlalchemy import Connection, func, select
from sqlalchemy.exc import DBAPIError

from .db import get_civic_db

if TYPE_CHECKING:
    import psycopg

log = logging.getLogger(__name__)

#: Carries the names of queues, separated by commas.
CHANNEL = "clerk_work"


def notify(conn: Connection, queues: Collection[str]) -> None:
    """Notify whoever listens that these queues have work, when the transaction commits."""
    conn.execute(select(func.pg_notify(CHANNEL, ",".join(queues))))


class Listener:
    """Waits for notifications about some queues, on a connection of its own.

    A connection that breaks is made again by the next wait.  What was sent meanwhile is lost, so a
    new connection counts as a notification.
    """

    def __init__(self, queues: Collection[str]) -> None:
        self._queues = frozenset(queues)
        self._connection: psycopg.Connection | None = None

    def __enter__(self) -> Listener:
        return self

    def __exit__(self, *_: object) -> None:
        self._disconnect()

    def wait(self, seconds: float) -> bool:
        """Wait at most this long; True when one of the queues may have work."""
        import psycopg

        try:
            if self._connection is None:
                pooled = get_civic_db().raw_connection()
                connection = self._connection = pooled.driver_connection
                # Out of the pool: nobody else may be given a connection that listens.
                pooled.detach()
                assert connection is not None
                connection.rollback()
                connection.autocommit = True
                connection.execute(f"LISTEN {CHANNEL}")
                return True
            # Not by the driver's own wait: it would return late after a signal.
            if not polling.select([self._connection], [], [], seconds)[0]:
                return False
            received = list(self._connection.notifies(timeout=0))
        except (psycopg.Error, DBAPIError, OSError) as error:
            log.warning("Cannot listen for work (%s); polling instead", error)
            self._disconnect()
            time.sleep(seconds)
            return False
        return any(not self._queues.isdisjoint(each.payload.split(",")) for each in received)

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
