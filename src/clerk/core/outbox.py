"""The outbox: which documents changed, in order, for those who read on from where they stopped.

The only module that writes the table ``document_changes``.  A change is announced in the
transaction that makes it: :mod:`clerk.core.manifest` does so, for documents that have text.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Final

from sqlalchemy import ColumnElement, Connection, delete, func, insert, select

from .models import db_now, document_changes_table

#: What a row says has changed.
TEXT: Final = "text"
FINDINGS: Final = "findings"
FACTS: Final = "facts"
REMOVED: Final = "removed"

#: On PostgreSQL, writers of the outbox share this lock until they commit.  Who reads on takes it
#: alone for a moment: then no number below those that can be seen is still to appear.
_LOCK: Final = 0x6F7574626F78

_INSERT_CHANGE = insert(document_changes_table)


@dataclass(frozen=True)
class DocumentChange:
    """A row of the outbox."""

    number: int
    subdomain: str
    name: str
    change: str
    text_sha256: str | None


def announce(
    conn: Connection, subdomain: str, changes: Iterable[tuple[str, str, str | None]]
) -> None:
    """Add changes to the outbox: the name, what changed, and the text's hash."""
    rows = [
        {"subdomain": subdomain, "name": name, "change": change, "text_sha256": text}
        for name, change, text in changes
    ]
    if not rows:
        return
    if conn.dialect.name == "postgresql":
        conn.execute(select(func.pg_advisory_xact_lock_shared(_LOCK)))
    conn.execute(_INSERT_CHANGE, rows)


def announce_site(conn: Connection, subdomain: str, change: str) -> None:
    """Announce that facts about a site changed, or that it was removed."""
    announce(conn, subdomain, [("", change, None)])


def _wait_for_writers(conn: Connection) -> None:
    """Wait until nobody is about to commit, and keep writers and readers out until we have."""
    if conn.dialect.name == "postgresql":
        conn.execute(select(func.pg_advisory_xact_lock(_LOCK)))


def changes_after(conn: Connection, number: int, limit: int = 1000) -> list[DocumentChange]:
    """Return the changes behind a number of the outbox, oldest first; ask in a short transaction.

    Numbers are given when a row is written and seen when it is committed: on PostgreSQL this waits
    for those who are about to commit, so that no change is ever passed over.
    """
    table = document_changes_table
    behind = select(table.c.number).where(table.c.number > number).limit(1)
    if conn.execute(behind).first() is None:
        return []
    _wait_for_writers(conn)
    columns = [table.c[each.name] for each in fields(DocumentChange)]
    query = select(*columns).where(table.c.number > number).order_by(table.c.number).limit(limit)
    return [DocumentChange(*row) for row in conn.execute(query)]


def changed_names(conn: Connection, subdomain: str, after: int) -> tuple[list[str] | None, int]:
    """Return the documents of a site that changed behind a number of the outbox, and the last one.

    None if the outbox does not reach back so far.  Ask in a short transaction.
    """
    table = document_changes_table.c
    _wait_for_writers(conn)
    last = conn.execute(select(func.max(table.number))).scalar() or 0
    if after < oldest_change(conn) - 1 or after > last:
        return None, last
    query = select(table.name).distinct()
    query = query.where(table.subdomain == subdomain, table.number > after, table.number <= last)
    return list(conn.execute(query.order_by(table.name)).scalars()), last


def last_change(conn: Connection) -> int:
    """Return the last number of the outbox, 0 if it is empty; ask in a short transaction."""
    _wait_for_writers(conn)
    return conn.execute(select(func.max(document_changes_table.c.number))).scalar() or 0


def oldest_change(conn: Connection) -> int:
    """Return the oldest number in the outbox, 0 if empty; a reader behind it must rebuild."""
    return conn.execute(select(func.min(document_changes_table.c.number))).scalar() or 0


def count_old_changes(conn: Connection, seconds: float) -> int:
    """Return how many rows of the outbox are older than this."""
    return conn.execute(select(func.count()).where(_is_old_change(seconds))).scalar_one()


def delete_old_changes(conn: Connection, seconds: float, limit: int) -> int:
    """Delete rows of the outbox that are older than this, oldest first; return how many.

    The newest row stays: by it a reader knows that it has seen everything.
    """
    number = document_changes_table.c.number
    # No reader advances meanwhile: it finds the changes it has not seen, or rebuilds.
    _wait_for_writers(conn)
    oldest = select(number).where(_is_old_change(seconds)).order_by(number).limit(limit)
    return conn.execute(delete(document_changes_table).where(number.in_(oldest))).rowcount


def _is_old_change(seconds: float) -> ColumnElement[bool]:
    """Whether a row comes before all that are younger: what is left has no gaps."""
    table = document_changes_table.c
    newest = select(func.max(table.number)).scalar_subquery()
    young = select(table.number).where(table.at >= db_now(-seconds)).order_by(table.at).limit(1)
    return table.number < func.coalesce(young.scalar_subquery(), newest)
