"""How the last 24 hours, 7 days and 90 days went: throughput, age, failures by cause and vendor.

Documents read, failures and runs are counted when they ended.  A failure counts once, in the run
in which it was tried, also if a later run succeeds; a document that is only carried into the next
run as failed is not counted again.  Of runs that were pruned the sums by day are added; their
causes are not known any more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Float, extract, func, select

from clerk.core.db import snapshot_connection
from clerk.core.models import (
    db_now,
    hour_of,
    items_table,
    jobs_table,
    run_history_table,
    runs_table,
    sites_table,
    stage_events_table,
)
from clerk.core.states import OCR, Run
from clerk.pipeline.ledger import sql_word


@dataclass(frozen=True)
class ChartPeriod:
    """How far back, and into which pieces it is divided."""

    length: timedelta
    piece: timedelta
    words: str


SPANS = {
    "24h": ChartPeriod(timedelta(hours=24), timedelta(hours=1), "24 hours, by the hour"),
    "7d": ChartPeriod(timedelta(days=7), timedelta(hours=6), "7 days, by six hours"),
    "90d": ChartPeriod(timedelta(days=90), timedelta(days=1), "90 days, by the day"),
}

#: Causes and vendors with the most failures that are shown.
SHOWN = 12


@dataclass
class Piece:
    """What ended within a piece of time; the first and the last are incomplete."""

    begins_at: datetime
    read: int = 0
    failed: int = 0
    runs: int = 0
    runs_failed: int = 0
    #: Of the runs that went well: how long they took altogether, and the longest.
    _seconds: float = 0.0
    _went_well: int = 0
    longest_hours: float = 0.0

    @property
    def average_hours(self) -> float:
        """The average time from queueing a site to publishing it."""
        return self._seconds / self._went_well / 3600 if self._went_well else 0.0

    def add_runs(self, state: str, number: int, seconds: float, longest: float) -> None:
        """Count runs that ended in a state."""
        if state in (Run.CANCELLED, Run.SUPERSEDED):
            return
        self.runs += number
        if state == Run.FAILED:
            self.runs_failed += number
        if state in (Run.COMPLETED, Run.PARTIAL):
            self._went_well += number
            self._seconds += seconds
            self.longest_hours = max(self.longest_hours, longest / 3600)


@dataclass
class Share:
    """The failures of one cause, or of one vendor."""

    name: str
    #: The stage of a cause.
    stage: str = ""
    failures: int = 0
    sites: set[str] = field(default_factory=set)
    #: Of a vendor: runs that ended, and how many of them failed.
    runs: int = 0
    runs_failed: int = 0
    #: Failures by the number of the piece.
    by_piece: Counter[int] = field(default_factory=Counter)


@dataclass(frozen=True)
class Trends:
    """Everything the charts show."""

    pieces: list[Piece]
    causes: list[Share]
    vendors: list[Share]
    #: Causes and vendors that are not listed.
    more_causes: int
    more_vendors: int


def trends(name: str) -> Trends:
    """Count what happened within a span."""
    span = SPANS[name]
    with snapshot_connection() as conn:
        now = conn.execute(select(db_now())).scalar_one()
        since = now - span.length
        midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
        # Pieces begin at whole hours, quarters of a day or days.
        last = midnight + span.piece * ((now - midnight) // span.piece)
        first = last - span.piece * (span.length // span.piece)
        pieces = [
            Piece(first + span.piece * number) for number in range(span.length // span.piece + 1)
        ]

        def number_of(at: datetime) -> int:
            return min(max((at - first) // span.piece, 0), len(pieces) - 1)

        events = stage_events_table
        hour = hour_of(events.c.at)
        read = (
            select(hour, func.sum(events.c.completed))
            .where(events.c.event == "finished", events.c.at >= since, events.c.stage == OCR)
            .group_by(hour)
        )
        for at, documents in conn.execute(read):
            pieces[number_of(at)].read += int(documents)
        causes: dict[tuple[str, str], Share] = {}
        vendors: dict[str, Share] = {}
        for row in _failures(conn, since):
            number = number_of(row.hour)
            pieces[number].failed += row.documents
            cause = causes.setdefault((row.stage, row.kind), Share(row.kind, row.stage))
            vendor = vendors.setdefault(row.vendor, Share(row.vendor))
            for share in (cause, vendor):
                share.failures += row.failures
                share.sites.add(row.subdomain)
                share.by_piece[number] += row.failures
        for row in _runs(conn, since):
            piece = pieces[number_of(row.hour)]
            piece.add_runs(row.state, row.runs, float(row.seconds or 0), float(row.longest or 0))
            if row.state not in (Run.CANCELLED, Run.SUPERSEDED):
                vendor = vendors.setdefault(row.vendor, Share(row.vendor))
                vendor.runs += row.runs
                vendor.runs_failed += row.runs if row.state == Run.FAILED else 0
        # The sums of pruned runs by day; a day that is only partly within the span is left out.
        history = run_history_table
        ends = (Run.COMPLETED, Run.PARTIAL, Run.NO_DOCUMENTS, Run.FAILED)
        sums = (
            func.sum(history.c[name]).label(name)
            for name in (*ends, "documents_read", "documents_failed")
        )
        pruned = select(history.c.day, *sums).where(history.c.day > since.date())
        for row in conn.execute(pruned.group_by(history.c.day)):
            midnight = datetime(row.day.year, row.day.month, row.day.day, tzinfo=UTC)
            piece = pieces[number_of(midnight)]
            piece.read += int(row.documents_read)
            piece.failed += int(row.documents_failed)
            for state in ends:
                ended = int(row._mapping[state])
                piece.runs += ended
                piece.runs_failed += ended if state == Run.FAILED else 0
    by_cause = _worst_first(causes.values())
    by_vendor = _worst_first(vendors.values())
    return Trends(
        pieces,
        by_cause[:SHOWN],
        by_vendor[:SHOWN],
        max(0, len(by_cause) - SHOWN),
        max(0, len(by_vendor) - SHOWN),
    )


def _worst_first(shares: Iterable[Share]) -> list[Share]:
    return sorted(shares, key=lambda each: (-each.failures, -each.runs_failed, each.name))


_VENDOR = func.coalesce(func.nullif(sites_table.c.scraper, ""), "none").label("vendor")


def _failures(conn: Connection, since: datetime) -> list[Any]:
    """Return failures by hour, stage, kind, vendor and site."""
    items, jobs, sites = items_table, jobs_table, sites_table
    hour = hour_of(items.c.finished_at).label("hour")
    kind = func.coalesce(items.c.error_kind, "unknown").label("kind")
    columns = (hour, jobs.c.stage, kind, _VENDOR, jobs.c.subdomain)
    failed = items.c.state.in_([sql_word("failed"), sql_word("quarantined")])
    return list(
        conn.execute(
            select(
                *columns,
                func.count().label("failures"),
                func.count().filter(jobs.c.stage == OCR, jobs.c.kind == "stage").label("documents"),
            )
            .join(jobs, jobs.c.id == items.c.job_id)
            .join(sites, sites.c.subdomain == jobs.c.subdomain)
            .where(failed, items.c.finished_at >= since, items.c.attempt > 0)
            .where(items.c.run_id.is_not(None))
            .group_by(*columns)
        )
    )


def _runs(conn: Connection, since: datetime) -> list[Any]:
    """Return ended runs by hour, state and vendor, with how long they took."""
    runs, sites = runs_table, sites_table
    if conn.dialect.name == "sqlite":
        days: Any = func.julianday(runs.c.finished_at, type_=Float) - func.julianday(
            runs.c.created_at, type_=Float
        )
        seconds = days * 86_400.0
    else:
        seconds = extract("epoch", runs.c.finished_at - runs.c.created_at)
    columns = (hour_of(runs.c.finished_at).label("hour"), runs.c.state, _VENDOR)
    return list(
        conn.execute(
            select(
                *columns,
                func.count().label("runs"),
                func.sum(seconds).label("seconds"),
                func.max(seconds).label("longest"),
            )
            .join(sites, sites.c.subdomain == runs.c.subdomain)
            .where(runs.c.finished_at >= since, runs.c.state != Run.ACTIVE)
            .group_by(*columns)
        )
    )
