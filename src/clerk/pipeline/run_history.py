"""Runs that are over: what is kept of them, and for how long.

::

    ended        its run, jobs, items, batches and events
    2 days       without changes: the row of the run alone
    HISTORY_DAYS its share in ``run_history``: sums by day and site

A site's last run and its last reading are kept however old they are: they say what is published,
and what failed.  Batches are added to their own history before they go with their run.

Pruning is safe next to running work: only runs that are over are touched, a hundred in one
transaction, and those that somebody holds are left for the next time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import reduce
from operator import add
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Date,
    Select,
    and_,
    delete,
    exists,
    func,
    or_,
    select,
)

from clerk.core.db import civic_db_connection, insert_into, reading_connection
from clerk.core.models import (
    db_now,
    items_table,
    jobs_table,
    log_lines_table,
    run_history_table,
    runs_table,
    stage_events_table,
)
from clerk.core.states import DEPLOY, FETCH, OCR, Item, Kind, Run, Step

from . import batches
from .failures import DAY_SECONDS
from .stages import DeployResult, FetchResult

#: How long a run without changes keeps its rows; the figures of the last day count them.
UNCHANGED_DAYS = 2
#: How many runs are pruned in one transaction.
RUNS_AT_ONCE = 100

_SUMS = ("documents_read", "documents_failed", "pages", "seconds")

_runs, _jobs, _history = runs_table, jobs_table, run_history_table


@dataclass(frozen=True)
class EndedRun:
    """A run that is over."""

    run_id: str
    subdomain: str
    state: str
    finished_at: datetime


@dataclass(frozen=True)
class EarlierRuns:
    """The runs of a site of which only sums are kept."""

    first_day: date
    last_day: date
    runs: int
    failed: int
    documents_read: int


def earlier_runs(conn: Connection, subdomain: str) -> EarlierRuns | None:
    """Return the sums of a site's runs that were pruned; None if there are none."""
    every = reduce(add, (_history.c[word] for word in Run.ENDED))
    row = conn.execute(
        select(
            func.min(_history.c.day, type_=Date).label("first_day"),
            func.max(_history.c.day, type_=Date).label("last_day"),
            func.sum(every).label("runs"),
            func.sum(_history.c.failed).label("failed"),
            func.sum(_history.c.documents_read).label("documents_read"),
        ).where(_history.c.subdomain == subdomain)
    ).one()
    if row.first_day is None:
        return None
    return EarlierRuns(
        row.first_day, row.last_day, int(row.runs), int(row.failed), int(row.documents_read)
    )


# ------------------------------------------------------------------------------------- pruning


def prune_unchanged_runs(days: int, *, dry_run: bool = False) -> Iterator[int]:
    """Delete all but the row of runs that changed nothing, and give how many so far.

    Those that ended more than ``days`` ago are left to :func:`prune_old_runs`.
    """
    states = _runs.c.state.in_((Run.COMPLETED, Run.PARTIAL))
    has_rows = exists().where(_jobs.c.run_id == _runs.c.run_id)
    chosen = _replaceable(UNCHANGED_DAYS).where(states, has_rows)
    chosen = chosen.where(_runs.c.finished_at >= db_now(-DAY_SECONDS * days))
    done = 0
    for page in _pages(chosen):
        with reading_connection() as conn:
            unchanged = _without_changes(conn, page)
        if unchanged and not dry_run:
            with civic_db_connection() as conn:
                held = _hold(conn, chosen, unchanged)
                _delete_rows_of(conn, held)
        done += len(unchanged)
        yield done


def prune_old_runs(days: int, *, dry_run: bool = False) -> Iterator[int]:
    """Delete runs that ended this many days ago, after adding them up; give how many so far."""
    chosen, done = _replaceable(days), 0
    for page in _pages(chosen):
        if not dry_run:
            with civic_db_connection() as conn:
                held = _hold(conn, chosen, page)
                _add_up(conn, held)
                _delete_rows_of(conn, held)
                conn.execute(delete(_runs).where(_runs.c.run_id.in_(_ids(held))))
        done += len(page)
        yield done


def _replaceable(days: float) -> Select[Any]:
    """Select the runs older than ``days`` that are neither the last run nor the last reading."""
    later, reading, later_reading = _runs.alias(), _jobs.alias("reading"), _jobs.alias("later_job")

    def is_reading(job: Any) -> ColumnElement[bool]:
        return and_(job.c.stage == OCR, job.c.kind == Kind.STAGE)

    has_later_run = exists().where(
        later.c.subdomain == _runs.c.subdomain, later.c.epoch > _runs.c.epoch
    )
    followed = exists().where(
        later_reading.c.subdomain == reading.c.subdomain,
        later_reading.c.id > reading.c.id,
        is_reading(later_reading),
    )
    has_last_reading = exists().where(
        reading.c.run_id == _runs.c.run_id, is_reading(reading), ~followed
    )
    return (
        select(_runs.c.run_id, _runs.c.subdomain, _runs.c.state, _runs.c.finished_at)
        .where(_runs.c.finished_at < db_now(-DAY_SECONDS * days), _runs.c.state != Run.ACTIVE)
        .where(has_later_run, ~has_last_reading)
    )


def _pages(chosen: Select[Any]) -> Iterator[list[EndedRun]]:
    """Yield the runs of a query, some at a time, oldest first; none is read twice."""
    ended, name = _runs.c.finished_at, _runs.c.run_id
    page: list[EndedRun] = []
    while True:
        query = chosen.order_by(ended, name).limit(RUNS_AT_ONCE)
        if page:
            last = page[-1]
            same = and_(ended == last.finished_at, name > last.run_id)
            query = query.where(or_(ended > last.finished_at, same))
        with reading_connection() as conn:
            page = [EndedRun(*row) for row in conn.execute(query)]
        if not page:
            return
        yield page


def _hold(conn: Connection, chosen: Select[Any], runs: Sequence[EndedRun]) -> list[EndedRun]:
    """Lock those of the runs that are still to be pruned; leave out what others hold."""
    still = chosen.where(_runs.c.run_id.in_(_ids(runs))).order_by(_runs.c.run_id)
    locked = still.with_for_update(of=_runs, skip_locked=True)
    return [EndedRun(*row) for row in conn.execute(locked)]


def _ids(runs: Iterable[EndedRun]) -> list[str]:
    return [run.run_id for run in runs]


def _without_changes(conn: Connection, runs: Sequence[EndedRun]) -> list[EndedRun]:
    """Return the runs that read nothing, found nothing new, moved or gone, and published nothing.

    The same is decided by :attr:`clerk.pipeline.runs.Summary.nothing_new`.
    """
    items, names = items_table, _ids(runs)
    tried = select(items.c.run_id).where(
        items.c.run_id.in_(names), items.c.step == Step.DOCUMENT, items.c.attempt > 0
    )
    changed = set(conn.execute(tried.distinct()).scalars())
    said = select(_jobs.c.run_id, _jobs.c.stage, _jobs.c.detail)
    for run_id, stage, detail in conn.execute(said.where(_jobs.c.run_id.in_(names))):
        fetched = FetchResult.stored(detail) if stage == FETCH else None
        deployed = DeployResult.stored(detail) if stage == DEPLOY else None
        moved = fetched and (fetched.new or fetched.changed or fetched.moved or fetched.gone)
        if moved or (deployed and deployed.changed):
            changed.add(run_id)
    return [run for run in runs if run.run_id not in changed]


def _delete_rows_of(conn: Connection, runs: Sequence[EndedRun]) -> None:
    """Delete the jobs, items, batches and events of runs."""
    names, events = _ids(runs), stage_events_table
    batches.move_runs_to_history(conn, names)
    conn.execute(delete(log_lines_table).where(log_lines_table.c.run_id.in_(names)))
    conn.execute(delete(items_table).where(items_table.c.run_id.in_(names)))
    conn.execute(delete(_jobs).where(_jobs.c.run_id.in_(names)))
    conn.execute(
        delete(events)
        .where(events.c.subdomain.in_({run.subdomain for run in runs}))
        .where(events.c.run_id.in_(names))
    )


def _add_up(conn: Connection, runs: Sequence[EndedRun]) -> None:
    """Add runs to the sums of their day and site."""
    items, names = items_table, _ids(runs)
    failed = items.c.state.in_((Item.FAILED, Item.QUARANTINED))
    documents = conn.execute(
        select(
            items.c.run_id,
            func.count().filter(items.c.state == Item.COMPLETED).label("documents_read"),
            func.count().filter(failed).label("documents_failed"),
            func.coalesce(func.sum(items.c.pages), 0).label("pages"),
        )
        .where(items.c.run_id.in_(names), items.c.step == Step.DOCUMENT, items.c.attempt > 0)
        .group_by(items.c.run_id)
    )
    read = {row.run_id: row._mapping for row in documents}
    busy = select(_jobs.c.run_id, func.sum(_jobs.c.busy_seconds))
    worked = conn.execute(busy.where(_jobs.c.run_id.in_(names)).group_by(_jobs.c.run_id))
    seconds = {row[0]: row[1] for row in worked}
    sums: dict[tuple[str, date], dict[str, float]] = {}
    for run in runs:
        nothing: dict[str, float] = dict.fromkeys((*Run.ENDED, *_SUMS), 0)
        day = sums.setdefault((run.subdomain, run.finished_at.date()), nothing)
        day[run.state] += 1
        day["seconds"] += seconds.get(run.run_id) or 0.0
        for name in _SUMS[:3]:
            day[name] += read[run.run_id][name] if run.run_id in read else 0
    for (subdomain, at), added in sorted(sums.items()):
        statement = insert_into(conn, _history).values(subdomain=subdomain, day=at, **added)
        added_up = {name: _history.c[name] + statement.excluded[name] for name in added}
        conn.execute(
            statement.on_conflict_do_update(index_elements=["subdomain", "day"], set_=added_up)
        )
