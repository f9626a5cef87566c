"""Notice that somebody has written to the database, without knowing what."""

from __future__ import annotations

import contextlib
import logging
import threading

from sqlalchemy.pool import PoolProxiedConnection

from .db import get_civic_db

_log = logging.getLogger(__name__)

#: A number that differs whenever somebody else has written something.
_CHANGE_NUMBER = {
    "sqlite": "PRAGMA data_version",
    "postgresql": "SELECT pg_snapshot_xmax(pg_current_snapshot())::text",
}


class ChangeCounter:
    """Reads the database's own change number, on a connection of its own; safe between threads."""

    def __init__(self) -> None:
        self._connection: PoolProxiedConnection | None = None
        self._lock = threading.Lock()

    def read(self) -> str | None:
        """Return a value that differs after every change; None if the database does not answer.

        The connection is outside any transaction: inside one, nothing ever changes.
        """
        with self._lock:
            try:
                engine = get_civic_db()
                if self._connection is None:
                    self._connection = engine.raw_connection()
                    if engine.dialect.name == "postgresql":
                        self._connection.driver_connection.autocommit = True  # type: ignore[union-attr]
                cursor = self._connection.cursor()
                cursor.execute(_CHANGE_NUMBER[engine.dialect.name])
                return str(cursor.fetchone())
            except Exception:  # noqa: BLE001 - asked again and again; the pages show what is wrong
                _log.debug("The database did not answer", exc_info=True)
                self._disconnect()
                return None

    def close(self) -> None:
        """Close the connection, after a read that is running; the next one opens another."""
        with self._lock:
            self._disconnect()

    def _disconnect(self) -> None:
        with contextlib.suppress(Exception):
            if self._connection is not None:
                self._connection.invalidate()
        self._connection = None
