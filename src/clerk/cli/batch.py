"""``clerk batch``: list, report, retry and clean up batches."""

from __future__ import annotations

import csv
import sys
from collections.abc import Sequence
from dataclasses import asdict
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import click

from clerk.core.states import Batch, Kind

from .common import (
    hint,
    json_option,
    numbered,
    open_database,
    operator,
    print_json,
    print_table,
    set_up_log,
)

if TYPE_CHECKING:
    from clerk.pipeline.batches import BatchJobTracking

RULE = "=" * 60


_LIMIT = click.option(
    "-n",
    "--limit",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="Maximum number of rows.",
)


@click.group()
def batch() -> None:
    """List, report, retry and clean up batches.

    A batch is the work that a worker gets at once: documents to read, or a
    part of an upload of annotations.

    \b
    Examples:
      clerk batch health
      clerk batch report crash-rate
      clerk batch list --status crashed
    """


@batch.command("list")
@click.option("--status", type=click.Choice(Batch.ALL), help="Only batches with this status.")
@click.option("--job", type=int, help="Only batches of this job.")
@_LIMIT
@json_option
def list_batches(status: str | None, job: int | None, limit: int, as_json: bool) -> None:
    """List batches, newest first.

    \b
    Example:
      clerk batch list --status failed -n 50
    """
    open_database()
    from clerk.pipeline.batches import BatchJobTracking

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
@json_option
def show(batch_id: int, as_json: bool) -> None:
    """Show one batch.

    \b
    Example:
      clerk batch show 17
    """
    open_database()
    from clerk.pipeline.batches import BatchJobTracking

    found = BatchJobTracking.find(batch_id)
    if as_json:
        print_json(_as_dict(found))
        return
    click.echo(f"Batch {found.id} of job {found.parent_job_id}: {found.status_label}")
    for name, value in (
        ("documents", found.doc_summary(10)),
        ("items", found.item_count),
        ("attempt", found.attempt),
        ("worker", found.worker_id),
        ("current", found.current_item),
        ("created", found.created_at),
        ("started", found.started_at),
        ("ended", found.completed_at),
        ("seconds", _seconds(found)),
        ("part of", found.parent_batch_id),
        ("error", found.error_message),
    ):
        if value not in (None, ""):
            click.echo(f"  {name:10} {value}")


def _seconds(found: BatchJobTracking) -> str:
    return "" if found.duration is None else f"{found.duration.total_seconds():.2f}"


def _as_dict(found: BatchJobTracking) -> dict[str, object]:
    seconds = found.duration.total_seconds() if found.duration else None
    shown = {"status_label": found.status_label, "doc_summary": found.doc_summary()}
    return {**asdict(found), **shown, "seconds": seconds}


@batch.command()
@click.option(
    "--hours",
    type=click.FloatRange(0, min_open=True),
    default=24.0,
    show_default=True,
    help="Length of the period.",
)
@json_option
def health(hours: float, as_json: bool) -> None:
    """Show how recent batches ended.

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

REPORTS = ("crash-rate", "timing", "size", "slow", "failures")


def _report(name: str, days: int, limit: int) -> tuple[Sequence[str], list[Sequence[Any]]]:
    """Return the headings and rows of a report."""
    from clerk.pipeline import batches

    match name:
        case "crash-rate":
            return ("date", "crashed", "total", "crash_rate_pct"), [
                (day.date, day.crashed, day.total, day.crash_rate_pct)
                for day in batches.crash_rate(days)
            ]
        case "timing":
            timing = batches.timing(days)
            seconds = (timing.avg_seconds, timing.max_seconds, timing.p95_seconds)
            return ("avg_seconds", "max_seconds", "p95_seconds", "count"), [
                (*seconds, timing.count)
            ]
        case "size":
            size = batches.size()
            shown = "" if size.bytes is None else f"{size.bytes / 1024:,.0f} kB"
            return ("rows", "bytes", "size", "oldest_at", "rows_in_history"), [
                (size.rows, size.bytes, shown, size.oldest_at, size.rows_in_history)
            ]
        case "slow":
            return ("id", "job", "status", "seconds", "items", "documents"), [
                (b.id, b.parent_job_id, b.status, _seconds(b), b.item_count, b.doc_summary())
                for b in batches.slow(limit, days)
            ]
        case _:
            head = ("stage", "document", "alone", "failed", "crashed", "last_at", "error")
            return head, [
                (
                    each.stage,
                    f"{each.sourcedb}:{each.sourceid}",
                    each.alone,
                    each.failed,
                    each.crashed,
                    each.last_at,
                    each.error,
                )
                for each in batches.failures(limit)
            ]


@batch.command()
@click.argument("name", type=click.Choice(REPORTS), metavar="REPORT")
@click.option(
    "--days", type=click.IntRange(1), default=7, show_default=True, help="Length of the period."
)
@_LIMIT
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
@json_option
def report(name: str, days: int, limit: int, as_csv: bool, as_json: bool) -> None:
    """Print a report about batches.

    REPORT is crash-rate, timing, size, slow or failures.

    \b
    Examples:
      clerk batch report crash-rate --days 30
      clerk batch report timing --json
      clerk batch report failures --csv > failing.csv
    """
    open_database()
    head, rows = _report(name, days, limit)
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
    help="Age in days.",
)
@click.option("--dry-run", is_flag=True, help="Show what would be removed; change nothing.")
@json_option
def cleanup(days: float, dry_run: bool, as_json: bool) -> None:
    """Delete finished batches older than a week.

    They are added to the history first, so reports do not change.  Pending
    and running batches are never touched.  The files of uploads that ended
    before that time, and the annotations they replaced, are deleted as well:
    after that an upload cannot be rolled back.

    \b
    Examples:
      clerk batch cleanup --dry-run
      clerk batch cleanup --older-than 30
    """
    settings = open_database()
    from clerk.pipeline import batches

    done = batches.cleanup(settings.storage_dir, timedelta(days=days), dry_run=dry_run)
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
@click.option("--timeout", type=click.FloatRange(1), help="Seconds without a heartbeat.")
def detect_crashed(timeout: float | None) -> None:
    """Release the batches of dead workers.

    Workers do this continuously; the timeout (CRASH_DETECTION_TIMEOUT, 600
    seconds) applies to batches that no known worker holds.

    \b
    Example:
      clerk batch detect-crashed
    """
    settings = open_database()
    from clerk.pipeline.reconcile import detect_crashed_batches

    set_up_log(settings)
    silence = timedelta(seconds=timeout or settings.crash_detection_timeout)
    found = detect_crashed_batches(settings, silence)
    click.echo(f"Detected {found} potentially crashed jobs")


@batch.command()
@click.argument("batch_id", type=int, metavar="ID")
def retry(batch_id: int) -> None:
    """Retry a failed or crashed batch.

    \b
    Example:
      clerk batch retry 17
    """
    settings = open_database()
    from clerk.pipeline import batches
    from clerk.pipeline.batches import BatchJobTracking

    found = BatchJobTracking.find(batch_id)
    if batches.kind_of(found) == Kind.UPLOAD:
        from clerk.pipeline import uploads

        job = uploads.retry(settings, found.parent_job_id, batch_id=found.id, who=operator())
        click.echo(f"Batch {found.id} is retried as upload {job.id}.")
        hint(f"Watch it: clerk annotations watch {job.id}")
        return
    from clerk.pipeline import failures

    names = {(each["sourcedb"], each["sourceid"]) for each in found.doc_identifiers}
    selected = [each for each in failures.find() if (each.subdomain, each.document) in names]
    if not selected:
        click.echo("None of its documents has failed permanently; the others were assigned again.")
        return
    decided = failures.retry(settings, selected, who=operator())
    documents = numbered(decided.documents, "document")
    click.echo(f"Retrying {documents} of batch {found.id}.")
