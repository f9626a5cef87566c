"""When each host may be asked next, for all machines: the table ``hosts``.

The database's clock counts: machines whose clocks differ take turns all the same.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from datetime import UTC, datetime

import msgspec
from sqlalchemy import Connection, select, update

from .db import civic_db_connection, insert_into, reading_connection
from .models import db_now, hosts_table

#: How long a robots.txt is believed before it is asked for again.
ROBOTS_SECONDS = 3600.0


class HostState(msgspec.Struct):
    """The next turn at a host, its failures in a row, and until when it is left alone.

    Moments are seconds since 1970.
    """

    next_at: float = 0.0
    failures: int = 0
    closed_until: float = 0.0


class SharedHosts:
    """The states of hosts in the database, each changed by one process at a time."""

    @contextlib.contextmanager
    def locked(self, host: str) -> Iterator[tuple[HostState, float]]:
        """Give the state of a host and the time while nobody else can, and keep what is changed."""
        with civic_db_connection() as conn:
            _add(conn, host)
            columns = (hosts_table.c.next_at, hosts_table.c.failures, hosts_table.c.closed_until)
            query = select(*columns, db_now().label("now")).where(hosts_table.c.host == host)
            row = conn.execute(query.with_for_update()).one()
            closed_until = row.closed_until.timestamp() if row.closed_until else 0.0
            state = HostState(row.next_at.timestamp(), row.failures, closed_until)
            yield state, row.now.timestamp()
            conn.execute(
                update(hosts_table)
                .where(hosts_table.c.host == host)
                .values(
                    next_at=datetime.fromtimestamp(state.next_at, UTC),
                    failures=state.failures,
                    closed_until=datetime.fromtimestamp(state.closed_until, UTC),
                )
            )

    def robots(self, host: str) -> str | None:
        """Return a host's robots.txt if some machine has read it lately."""
        query = select(hosts_table.c.robots).where(
            hosts_table.c.host == host, hosts_table.c.robots_at > db_now(-ROBOTS_SECONDS)
        )
        with reading_connection() as conn:
            return conn.execute(query).scalar()

    def keep_robots(self, host: str, content: str) -> None:
        """Keep a host's robots.txt for the other machines."""
        with civic_db_connection() as conn:
            _add(conn, host)
            conn.execute(
                update(hosts_table)
                .where(hosts_table.c.host == host)
                .values(robots=content.replace("\0", ""), robots_at=db_now())
            )


def _add(conn: Connection, host: str) -> None:
    conn.execute(insert_into(conn, hosts_table).values(host=host).on_conflict_do_nothing())
