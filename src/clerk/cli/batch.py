"""``clerk batch``: what workers were given, how it fares, and cleaning up after it."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import click

from clerk.core.states import Batch, Kind

from .common import hint, open_database, operator, print_json, print_table

if TYPE_CHECKING:
    from clerk.pipeline.ledger import BatchJobTracking

RULE = "=" * 60

_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group()
def batch() -> None:
    """Look at batches, and clean up after them.

    A batch is what a worker was given: some documents to read, or a piece of
    an upload of annotations.

    \b
    Examples:
      clerk batch health
      clerk batch report crash-rate
      clerk batch list --status crashed
    """


@batch.command("list")
@click.option("--status", type=click.Choice(Batch.ALL), help="Only those with this status.")
@click.option("--job", type=int, help="Only those of this job.")
@click.option("-n", "--limit", type=click.IntRange(1), default=20, show_default=True)
@_JSON
def list_batches(status: str | None, job: int | None, limit: int, as_json: bool) -> None:
    """List batches, the newest first.

    \b
    Example:
      clerk batch list --status failed -n 50
    """
    open_database()
    from clerk.pipeline.ledger import BatchJobTracking

    chosen = BatchJobTracking.all()
    chosen = chosen.with_status(status) if status else chosen
    chosen = chosen.for_parent(job) if job is not None else chosen
    found = chosen.last(limit)
    if as_json:
        print_json([_as_dict(each) for each in found])
        return
    print_table(
        ("ID", "JOB", "STATUS", "ITEMS", "SECONDS", "DOCUMENTS"),
        [
            (b.id, b.parent_job_id, b.status, b.item_count, _seconds(b), b.doc_summary())
            for b in found
        ],
    )


@batch.command()
@click.argument("batch_id", type=int, metavar="ID")
@_JSON
def show(batch_id: int, as_json: bool) -> None:
    """Show one batch.

    \b
    Example:
      clerk batch show 17
    """
    open_database()
    from clerk.pipeline.ledger import BatchJobTracking

    found = BatchJobTracking.find(batch_id)
    if as_json:
        print_json(_as_dict(found))
        return
    click.echo(f"Batch {found.id} of job {found.parent_job_id}: {found.status_label}")
    for name, value in _facts(found):
        if value not in (None, ""):
            click.echo(f"  {name:10} {value}")


def _facts(found: BatchJobTracking) -> list[tuple[str, Any]]:
    return [
        ("documents", found.doc_summary(10)),
        ("items", found.item_count),
        ("attempt", found.attempt),
        ("worker", found.worker_id),
        ("in hand", found.current_item),
        ("created", found.created_at),
        ("started", found.started_at),
        ("ended", found.completed_at),
        ("seconds", _seconds(found)),
        ("part of", found.parent_batch_id),
        ("error", found.error_message),
    ]


def _seconds(found: BatchJobTracking) -> str:
    return "" if found.duration is None else f"{found.duration.total_seconds():.2f}"


def _as_dict(found: BatchJobTracking) -> dict[str, Any]:
    seconds = found.duration.total_seconds() if found.duration else None
    shown = {"status_label": found.status_label, "doc_summary": found.doc_summary()}
    return {**asdict(found), **shown, "seconds": seconds}


@batch.command()
@click.option("--hours", type=click.FloatRange(0, min_open=True), default=24.0, show_default=True)
@_JSON
def health(hours: float, as_json: bool) -> None:
    """Show how the batches of the last hours fared.

    \b
    Examples:
      clerk batch health
      clerk batch health --hours 168 --json
    """
    open_database()
    from clerk.pipeline import batches

    found = batches.health(hours)
    if as_json:
        print_json({**asdict(found), "completed_percent": found.completed_percent})
        return
    click.echo(f"\nBatch Job Tracking Health (Last {hours:g}h)")
    click.echo(RULE)
    click.echo(f"Total batches: {found.total}")
    click.echo(f"Completed: {found.completed} ({found.completed_percent}%)")
    click.echo(f"Failed: {found.failed}")
    click.echo(f"Crashed: {found.crashed}")
    if found.crashed:
        click.echo("\nRecent crashes:")
        for crash in found.recent_crashes:
            job = f"Job {crash.job}" if crash.job is not None else "Cleaned up"
            click.echo(f"  - {job}: {crash.documents}")
    if found.cancelled:
        click.echo(f"\nCancelled: {found.cancelled}")


# ---------------------------------------------------------------------------------- reports

Rows = tuple[Sequence[str], list[Sequence[Any]]]


def _crash_rate(days: int, _limit: int) -> Rows:
    from clerk.pipeline import batches

    head = ("date", "crashed", "total", "crash_rate_pct")
    return head, [(d.date, d.crashed, d.total, d.crash_rate_pct) for d in batches.crash_rate(days)]


def _timing(days: int, _limit: int) -> Rows:
    from clerk.pipeline import batches

    found = batches.timing(days)
    head = ("avg_seconds", "max_seconds", "p95_seconds", "count")
    return head, [(found.avg_seconds, found.max_seconds, found.p95_seconds, found.count)]


def _size(_days: int, _limit: int) -> Rows:
    from clerk.pipeline import batches

    found = batches.size()
    head = ("rows", "bytes", "size", "oldest_at", "rows_in_history")
    pretty = "" if found.bytes is None else f"{found.bytes / 1024:,.0f} kB"
    return head, [(found.rows, found.bytes, pretty, found.oldest_at, found.rows_in_history)]


def _slow(days: int, limit: int) -> Rows:
    from clerk.pipeline import batches

    head = ("id", "job", "status", "seconds", "items", "documents")
    return head, [
        (b.id, b.parent_job_id, b.status, _seconds(b), b.item_count, b.doc_summary())
        for b in batches.slow(limit, days)
    ]


def _failures(_days: int, limit: int) -> Rows:
    from clerk.pipeline import batches

    head = ("stage", "document", "alone", "failed", "crashed", "last_at", "error")
    return head, [
        (d.stage, f"{d.sourcedb}:{d.sourceid}", d.alone, d.failed, d.crashed, d.last_at, d.error)
        for d in batches.failures(limit)
    ]


REPORTS: dict[str, Callable[[int, int], Rows]] = {
    "crash-rate": _crash_rate,
    "timing": _timing,
    "size": _size,
    "slow": _slow,
    "failures": _failures,
}


@batch.command()
@click.argument("name", type=click.Choice(list(REPORTS)), metavar="REPORT")
@click.option("--days", type=click.IntRange(1), default=7, show_default=True)
@click.option("-n", "--limit", type=click.IntRange(1), default=20, show_default=True)
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
@_JSON
def report(name: str, days: int, limit: int, as_csv: bool, as_json: bool) -> None:
    """Print a REPORT: crash-rate, timing, size, slow or failures.

    \b
    Examples:
      clerk batch report crash-rate --days 30
      clerk batch report timing --json
      clerk batch report failures --csv > failing.csv
    """
    open_database()
    head, rows = REPORTS[name](days, limit)
    if as_json:
        print_json([dict(zip(head, row, strict=True)) for row in rows])
    elif as_csv:
        writer = csv.writer(sys.stdout)
        writer.writerow(head)
        writer.writerows(rows)
    else:
        shown = [["" if cell is None else cell for cell in row] for row in rows]
        print_table([word.upper() for word in head], shown)


# --------------------------------------------------------------------------------- clean-up


@batch.command()
@click.option(
    "--older-than",
    "days",
    type=click.FloatRange(0),
    default=7.0,
    show_default=True,
    help="Days.",
)
@click.option("--dry-run", is_flag=True, help="Show what would be removed; change nothing.")
@_JSON
def cleanup(days: float, dry_run: bool, as_json: bool) -> None:
    """Remove finished batches that are older than a week.

    They are added to the history first, so that no report changes.  What
    waits or is in work is never touched.  Files of uploads that ended before
    that time, and annotations they replaced, are removed as well: after that
    an upload cannot be rolled back any more.

    \b
    Examples:
      clerk batch cleanup --dry-run
      clerk batch cleanup --older-than 30
    """
    open_database()
    from clerk.pipeline import batches

    done = batches.cleanup(timedelta(days=days), dry_run=dry_run)
    if as_json:
        print_json({**asdict(done), "dry_run": dry_run})
        return
    verb = "Would delete" if dry_run else "Deleted"
    click.echo(f"{verb} {done.batches} old batch tracking records")
    if done.former_sets or done.uploaded_files:
        click.echo(
            f"{verb} {done.former_sets} replaced annotation sets and the files of "
            f"{done.uploaded_files} uploads"
        )


@batch.command("detect-crashed")
@click.option("--timeout", type=click.FloatRange(1), help="Seconds without any sign of life.")
def detect_crashed(timeout: float | None) -> None:
    """Take batches back from workers that are dead.

    Workers do this all the time; the timeout (CRASH_DETECTION_TIMEOUT, 600
    seconds) is for batches that no worker of clerk has.

    \b
    Example:
      clerk batch detect-crashed
    """
    settings = open_database()
    from clerk.core import log
    from clerk.pipeline import batches

    log.set_up(settings.log_format, sentry_dsn=settings.sentry_dsn, loki_url=settings.loki_url)
    found = batches.detect_crashed(timedelta(seconds=timeout) if timeout else None)
    click.echo(f"Detected {found} potentially crashed jobs")


@batch.command()
@click.argument("batch_id", type=int, metavar="ID")
def retry(batch_id: int) -> None:
    """Try a batch again that failed or crashed.

    \b
    Example:
      clerk batch retry 17
    """
    open_database()
    from clerk.pipeline import batches
    from clerk.pipeline.ledger import BatchJobTracking

    found = BatchJobTracking.find(batch_id)
    if batches.kind_of(found) == Kind.UPLOAD:
        _retry_upload(found)
    else:
        _retry_documents(found)


def _retry_upload(found: BatchJobTracking) -> None:
    from clerk.annotations import api

    job = api.retry(found.parent_job_id, batch_id=found.id, who=operator())
    click.echo(f"Batch {found.id} is tried again as upload {job.id}.")
    hint(f"Follow it: clerk annotations watch {job.id}")


def _retry_documents(found: BatchJobTracking) -> None:
    from clerk.pipeline import failures

    names = {(each["sourcedb"], each["sourceid"]) for each in found.doc_identifiers}
    selected = [each for each in failures.find() if (each.subdomain, each.document) in names]
    if not selected:
        click.echo("None of its documents failed for good; the others were given out again.")
        return
    decided = failures.retry(selected, who=operator())
    click.echo(f"{decided.documents} documents of batch {found.id} are read again.")
