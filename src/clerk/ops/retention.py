"""What is removed after a while: details of runs, events, audit entries, objects of the store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta

from sqlalchemy import Connection, Table, delete, func, select

from clerk.core import child_process, installation, manifest, outbox
from clerk.core.clock import utc_now
from clerk.core.config import Settings
from clerk.core.db import civic_db_connection, reading_connection, snapshot_connection
from clerk.core.errors import WrongInstallation
from clerk.core.models import audit_table, db_now, stage_events_table
from clerk.core.store import KINDS, Store, key_of
from clerk.pipeline import run_history
from clerk.pipeline.failures import DAY_SECONDS

#: How many rows are deleted in one transaction, and how many objects in one request.
ROWS_AT_ONCE = 2_000
OBJECTS_AT_ONCE = 500
#: An object is written before the row that names it; it may wait this long for the row.
GRACE = timedelta(days=7)
#: How long changes of documents stay in the outbox.  A search index or a build that has not read
#: on for longer compares everything instead.
CHANGES_DAYS = 30
#: Upper bound for listing the store and deleting from it.
STORE_SECONDS = 6 * 3600.0


@dataclass(frozen=True)
class Pruned:
    """What was removed so far, or would be."""

    #: Runs of which only the sums by day and site are kept.
    runs: int = 0
    #: Runs without changes of which only the row is kept.
    unchanged_runs: int = 0
    events: int = 0
    audit_entries: int = 0
    #: Changes of documents that every reader of the outbox has had weeks to see.
    changes: int = 0
    #: Objects in the store that no row names.
    objects: int = 0


def prune(settings: Settings, *, dry_run: bool = False) -> Iterator[Pruned]:
    """Remove what is older than the settings say, in small transactions; give what was so far."""
    done = Pruned()
    days = settings.history_days
    for number in _prune_rows(stage_events_table, days, dry_run=dry_run):
        yield (done := replace(done, events=number))
    for number in run_history.prune_old_runs(days, dry_run=dry_run):
        yield (done := replace(done, runs=number))
    for number in run_history.prune_unchanged_runs(days, dry_run=dry_run):
        yield (done := replace(done, unchanged_runs=number))
    for number in _prune_rows(audit_table, settings.audit_days, dry_run=dry_run):
        yield (done := replace(done, audit_entries=number))
    seen_by_all = CHANGES_DAYS * DAY_SECONDS
    for number in _in_groups(
        lambda conn: outbox.count_old_changes(conn, seen_by_all),
        lambda conn: outbox.delete_old_changes(conn, seen_by_all, ROWS_AT_ONCE),
        dry_run=dry_run,
    ):
        yield (done := replace(done, changes=number))
    if settings.storage_url:
        # In a child: a process that has used a store must not fork others that do.
        objects = child_process.call(
            prune_objects, settings, dry_run, returns=int, seconds=STORE_SECONDS
        )
        done = replace(done, objects=objects)
    yield done


def _prune_rows(table: Table, days: int, *, dry_run: bool) -> Iterator[int]:
    """Delete the rows of a table from more than this many days ago; give how many so far."""
    is_old = table.c.at < db_now(-DAY_SECONDS * days)
    number = select(func.count()).select_from(table).where(is_old)
    oldest = select(table.c.id).where(is_old).order_by(table.c.at).limit(ROWS_AT_ONCE)
    some = delete(table).where(table.c.id.in_(oldest))
    return _in_groups(
        lambda conn: conn.execute(number).scalar_one(),
        lambda conn: conn.execute(some).rowcount,
        dry_run=dry_run,
    )


def _in_groups(
    count: Callable[[Connection], int], delete_some: Callable[[Connection], int], *, dry_run: bool
) -> Iterator[int]:
    """Delete until nothing is left, and give how many so far; a dry run only counts."""
    if dry_run:
        with reading_connection() as conn:
            yield count(conn)
        return
    deleted = 0
    while True:
        with civic_db_connection() as conn:
            removed = delete_some(conn)
        if not removed:
            return
        deleted += removed
        yield deleted


def prune_objects(settings: Settings, dry_run: bool) -> int:
    """Delete the objects that no row has named for a while, and return how many.

    Only in the store of this installation: to another database all objects would be unknown.
    """
    store = Store(settings.storage_url, allow_http=settings.storage_allow_http)
    with civic_db_connection() as conn:
        here = installation.installation_id(conn)
    if (found := store.installation()) != here:
        raise WrongInstallation(
            f"{store.url} belongs to the installation {found}, this database to {here};"
            " no object was deleted.",
            hint="Correct STORAGE_URL or DATABASE_URL; they must belong to one installation.",
        )
    before, deleted = utc_now() - GRACE, 0
    for kind in KINDS:
        old = {
            bytes.fromhex(each.sha256)
            for each in store.listing(kind)
            if each.modified_at < before and each.sha256
        }
        with snapshot_connection() as conn:
            for named in manifest.named_objects(conn, kind):
                old.discard(bytes.fromhex(named))
        unnamed = sorted(digest.hex() for digest in old)
        for first in range(0, len(unnamed), OBJECTS_AT_ONCE):
            group = unnamed[first : first + OBJECTS_AT_ONCE]
            # Asked again: the same bytes may have been fetched since.
            with snapshot_connection() as conn:
                named_now = set(manifest.named_objects(conn, kind, group))
            keys = [key_of(kind, each) for each in group if each not in named_now]
            if keys and not dry_run:
                store.delete(keys)
            deleted += len(keys)
    return deleted
