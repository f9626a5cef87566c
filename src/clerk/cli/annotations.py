"""``clerk annotations``: upload, follow, take back and export annotation collections."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .common import (
    EXIT_DOCUMENTS_FAILED,
    hint,
    on_a_terminal,
    open_database,
    operator,
    print_json,
    print_table,
)

if TYPE_CHECKING:
    from clerk.annotations import Issue
    from clerk.annotations.api import Job, Status

#: Without a terminal a line is printed this often.
LINE_SECONDS = 10.0
#: So many issues are listed after an upload.
ISSUES_SHOWN = 20

_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_FILES = click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
_ID = click.argument("job_id", type=int, metavar="ID")
_WORKERS = click.option("--workers", type=click.IntRange(1, 64), help="Processes; one per core.")


@click.group("annotations")
def commands() -> None:
    """Upload, follow and export annotation collections.

    \b
    Examples:
      clerk annotations upload collection.jsonl --project genes --create-docs
      clerk annotations status 12
      clerk annotations export --project genes > genes.jsonl
    """


@commands.command()
@_FILES
@click.option("--project", "-p", required=True, help="The project they belong to.")
@click.option(
    "--mode",
    type=click.Choice(["replace", "add", "merge", "skip"]),
    default="replace",
    show_default=True,
    help="How they meet what is stored.",
)
@click.option("--create-docs", is_flag=True, help="Make documents that are not there.")
@click.option(
    "--align",
    type=click.Choice(["auto", "strict", "off"]),
    default="auto",
    show_default=True,
    help="What to do when the text differs.",
)
@click.option(
    "--on-lost",
    type=click.Choice(["drop", "reject"]),
    default="drop",
    show_default=True,
    help="What to do with a document of which spans are lost.",
)
@click.option("--batch-items", type=click.IntRange(1), help="Objects in a batch.")
@click.option("--batch-bytes", type=click.IntRange(1), help="Bytes of a batch.")
@_WORKERS
@click.option("--dry-run", is_flag=True, help="Do everything but the commit.")
@click.option("--detach", is_flag=True, help="Do not wait for the end.")
@_JSON
@click.pass_context
def upload(
    ctx: click.Context,
    /,
    files: tuple[Path, ...],
    workers: int | None,
    detach: bool,
    as_json: bool,
    **choices: Any,
) -> None:
    """Store the annotations in FILES: .json, .jsonl, .tgz or .tar.gz.

    A bad line is an issue, and the others are stored.  Exits 4 when there
    were issues.

    \b
    Examples:
      clerk annotations upload a.jsonl b.tgz --project votes
      clerk annotations upload a.jsonl --project votes --mode merge --dry-run
    """
    settings = open_database()
    from clerk.annotations import api as flow

    job = flow.upload(files, created_by=operator(), **choices)
    if detach and job.id:
        _show_detached(job, embedded=settings.embedded, as_json=as_json)
        return
    status = _follow(job, settings, workers)
    _show_end(job, status, as_json=as_json)
    ctx.exit(0 if status.succeeded else EXIT_DOCUMENTS_FAILED)


def _show_detached(job: Job, *, embedded: bool, as_json: bool) -> None:
    if as_json:
        print_json(job.status().as_dict())
    else:
        click.echo(f"Upload {job.id} is waiting for the workers.")
    if embedded:
        hint(f"REDIS_URL is not set, so no worker sees it: clerk annotations watch {job.id}")


@commands.command()
@_FILES
@_JSON
@click.pass_context
def validate(ctx: click.Context, files: tuple[Path, ...], as_json: bool) -> None:
    """Check FILES without storing anything.

    \b
    Example:
      clerk annotations validate collection.jsonl
    """
    from clerk.annotations import api as flow

    found = flow.validate(files)
    if as_json:
        issues = [_issue_as_dict(each) for each in found.issues]
        counts = {"items": found.items, "documents": found.documents, **found.counts}
        print_json({**counts, "issue_counts": found.issues.by_code(), "issues": issues})
    else:
        for each in found.issues:
            click.echo(_named(each))
        kinds = ", ".join(f"{number:,} {name}" for name, number in found.counts.items())
        click.echo(f"{found.items:,} objects, {found.documents:,} documents, {kinds}")
        click.echo(f"{len(found.issues):,} issues")
    ctx.exit(EXIT_DOCUMENTS_FAILED if found.issues else 0)


# --------------------------------------------------------------------------------- following


@commands.command()
@_ID
@_JSON
def status(job_id: int, as_json: bool) -> None:
    """Show how far an upload is.

    \b
    Example:
      clerk annotations status 12 --json
    """
    open_database()
    from clerk.annotations import api as flow

    _show(flow.find(job_id).status(), as_json=as_json)


@commands.command()
@_ID
@_WORKERS
@_JSON
@click.pass_context
def watch(ctx: click.Context, job_id: int, workers: int | None, as_json: bool) -> None:
    """Follow an upload until it ends.

    Without REDIS_URL the work is done here.

    \b
    Example:
      clerk annotations watch 12
    """
    settings = open_database()
    from clerk.annotations import api as flow

    job = flow.find(job_id)
    end = _follow(job, settings, workers)
    _show_end(job, end, as_json=as_json)
    ctx.exit(0 if end.succeeded else EXIT_DOCUMENTS_FAILED)


def _follow(job: Job, settings: Any, workers: int | None) -> Status:
    """Work on or wait for an upload, showing how far it is."""
    from clerk.core import log
    from clerk.executors.embedded import Interrupted

    log.set_up(
        settings.log_format,
        level="ERROR",
        sentry_dsn=settings.sentry_dsn,
        loki_url=settings.loki_url,
    )
    if job.id:
        _warn_if_paused()
    draw = _bar() if on_a_terminal() else _lines()
    try:
        for each in job.events(workers=workers):
            draw(each)
    except (Interrupted, KeyboardInterrupt):
        hint(f"Stopped. Go on with: clerk annotations watch {job.id}")
        raise click.exceptions.Exit(130) from None
    finally:
        draw(None)
    return job.status()


def _warn_if_paused() -> None:
    from clerk.core.states import ANNOTATIONS
    from clerk.ops import queues

    paused_by = queues.paused_by(ANNOTATIONS)
    if paused_by is not None:
        hint(f"{ANNOTATIONS} is paused by {paused_by}. Go on: clerk queue resume {ANNOTATIONS}")


Draw = Callable[["Status | None"], None]


def _bar() -> Draw:
    """Return a function that draws a bar with items, bytes, rate, time left and issues."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as TimeLeft
    from rich.progress import TransferSpeedColumn as Speed

    items = TextColumn("{task.fields[items]:,} items")
    wrong = TextColumn("{task.fields[wrong]}", style="red")
    columns = (BarColumn(), DownloadColumn(), Speed(), items, TimeLeft(), wrong)
    bars = Progress(*columns, console=Console(stderr=True))
    task = bars.add_task("upload", total=None, items=0, wrong="")
    bars.start()

    def draw(found: Status | None) -> None:
        if found is None:
            bars.stop()
            return
        issues = sum(found.issues.values())
        wrong = f"{issues:,} issues" if issues else ""
        bars.update(
            task,
            total=found.bytes,
            completed=found.bytes_done,
            items=found.items_done,
            wrong=wrong,
        )

    return draw


def _lines() -> Draw:
    """Return a function that prints a plain line every ten seconds."""
    printed_at = time.monotonic()

    def draw(found: Status | None) -> None:
        nonlocal printed_at
        if found is None or time.monotonic() - printed_at < LINE_SECONDS:
            return
        printed_at = time.monotonic()
        hint(_progress(found))

    return draw


def _progress(found: Status) -> str:
    percent = 100.0 * found.bytes_done / found.bytes if found.bytes else 100.0
    left = "" if found.seconds_left is None else f", {found.seconds_left:.0f} s left"
    issues = sum(found.issues.values())
    return (
        f"upload {found.id}: {percent:.0f} %, {found.items_done:,} items, "
        f"{found.bytes_per_second / 1e6:.1f} MB/s{left}, {issues:,} issues"
    )


def _show(found: Status, *, as_json: bool) -> None:
    if as_json:
        print_json(found.as_dict())
        return
    name = f"Upload {found.id}" if found.id else "Dry run"
    click.echo(f"{name} to {found.project} ({found.mode}): {found.state}")
    ended = f"{found.items_failed:,} failed"
    if found.items_cancelled:
        ended += f", {found.items_cancelled:,} cancelled"
    click.echo(f"  items    {found.items_done:,} of {found.items:,}, {ended}")
    if found.stored:
        kinds = ", ".join(f"{number:,} {what}" for what, number in found.stored.items() if number)
        click.echo(f"  stored   {kinds or 'nothing'}")
    for code, number in sorted(found.issues.items()):
        click.echo(f"  issues   {number:,} {code}")
    if not found.is_over:
        click.echo(f"  progress {_progress(found)}")


def _show_end(job: Job, found: Status, *, as_json: bool) -> None:
    if as_json:
        print_json({**found.as_dict(), "dry_run": not found.id})
        return
    _show(found, as_json=False)
    left = sum(found.issues.values())
    for issue in islice(job.issues(), ISSUES_SHOWN):
        click.echo(f"  {_named(issue)}")
        left -= issue.times
    if left > 0:
        where = f": clerk annotations issues {found.id}" if found.id else ""
        click.echo(f"  ... and {left:,} more{where}")


def _named(issue: Issue) -> str:
    name = f" [{issue.sourcedb}:{issue.sourceid}]" if issue.sourceid and not issue.line else ""
    why = f": {issue.detail}" if issue.message == "Invalid JSON format" else ""
    return f"{issue}{why}{name}"


@commands.command("list")
@click.option("--project", "-p", help="Only uploads to this project.")
@click.option("-n", "--limit", type=click.IntRange(1), default=20, show_default=True)
@click.option("--projects", "of_projects", is_flag=True, help="List projects, not uploads.")
@_JSON
def list_uploads(project: str | None, limit: int, of_projects: bool, as_json: bool) -> None:
    """List uploads, the newest first, or the projects.

    \b
    Examples:
      clerk annotations list
      clerk annotations list --projects
    """
    open_database()
    from clerk.annotations import api as flow

    if of_projects:
        _list_projects(flow.list_projects(), as_json=as_json)
        return
    found = flow.list_uploads(project, limit)
    if as_json:
        print_json([each.as_dict() for each in found])
        return
    print_table(
        ("ID", "PROJECT", "MODE", "STATE", "ITEMS", "FAILED", "CANCELLED", "ISSUES", "FILES"),
        [
            (
                each.id,
                each.project,
                each.mode,
                each.state,
                f"{each.items_done}/{each.items}",
                each.items_failed,
                each.items_cancelled,
                sum(each.issues.values()),
                ", ".join(each.files[:2]) + (" ..." if len(each.files) > 2 else ""),
            )
            for each in found
        ],
    )


def _list_projects(found: list[dict[str, Any]], *, as_json: bool) -> None:
    if as_json:
        print_json(found)
        return
    names = ("name", "documents", "denotations", "blocks", "relations", "attributes")
    rows = [[each[name] for name in names] for each in found]
    print_table([name.upper() for name in names], rows)


@commands.command()
@_ID
@click.option("--code", help="Only issues of this kind.")
@_JSON
def issues(job_id: int, code: str | None, as_json: bool) -> None:
    """List what was wrong with an upload; with --json one object a line.

    \b
    Examples:
      clerk annotations issues 12
      clerk annotations issues 12 --code lost_span --json
    """
    open_database()
    import msgspec

    from clerk.annotations import api as flow

    for each in flow.find(job_id).issues(code):
        if as_json:
            click.echo(msgspec.json.encode(each).decode())
        else:
            click.echo(f"{each.code}: {_named(each)}")


def _issue_as_dict(issue: Issue) -> dict[str, Any]:
    import msgspec

    found: dict[str, Any] = msgspec.to_builtins(issue)
    return found


# ---------------------------------------------------------------------------------- deciding


@commands.command()
@_ID
def suspend(job_id: int) -> None:
    """Start no more batches of an upload.

    Running batches finish.

    \b
    Example:
      clerk annotations suspend 12
    """
    open_database()
    from clerk.annotations import api as flow

    done = flow.suspend(job_id, who=operator())
    click.echo(f"Upload {job_id} is {'suspended' if done else 'not open: nothing changed'}.")


@commands.command()
@_ID
def resume(job_id: int) -> None:
    """Give out the batches of a suspended upload again.

    \b
    Example:
      clerk annotations resume 12
    """
    settings = open_database()
    from clerk.annotations import api as flow

    done = flow.resume(job_id, who=operator())
    click.echo(f"Upload {job_id} is {'resumed' if done else 'not suspended: nothing changed'}.")
    if settings.embedded:
        hint(f"REDIS_URL is not set, so do the work here: clerk annotations watch {job_id}")


@commands.command()
@_ID
def cancel(job_id: int) -> None:
    """End an upload; what it has stored stays.

    \b
    Example:
      clerk annotations cancel 12
    """
    open_database()
    from clerk.annotations import api as flow

    done = flow.cancel(job_id, who=operator())
    click.echo(f"Upload {job_id} is {'cancelled' if done else 'over already'}.")
    if done:
        hint(f"Take back what it has stored: clerk annotations rollback {job_id}")


@commands.command()
@_ID
@click.option("--detach", is_flag=True, help="Do not wait for the end.")
@_WORKERS
@_JSON
@click.pass_context
def retry(
    ctx: click.Context, job_id: int, detach: bool, workers: int | None, as_json: bool
) -> None:
    """Try again what failed or was cancelled in an upload.

    \b
    Example:
      clerk annotations retry 12
    """
    settings = open_database()
    from clerk.annotations import api as flow

    job = flow.retry(job_id, who=operator())
    if detach:
        _show_detached(job, embedded=settings.embedded, as_json=as_json)
        return
    end = _follow(job, settings, workers)
    _show_end(job, end, as_json=as_json)
    ctx.exit(0 if end.succeeded else EXIT_DOCUMENTS_FAILED)


@commands.command()
@_ID
@_JSON
def rollback(job_id: int, as_json: bool) -> None:
    """Take back what an upload stored.

    Every document has the annotations it had before.  Documents that were
    changed again since are left alone.

    \b
    Example:
      clerk annotations rollback 12
    """
    open_database()
    from clerk.annotations import api as flow

    done = flow.rollback(job_id, who=operator())
    if as_json:
        print_json(done.__dict__)
        return
    click.echo(f"Upload {job_id}: {done.restored} documents as before, {done.removed} cleared.")
    if done.left:
        click.echo(f"{done.left} documents were changed again since, and are left alone.")


@commands.command()
@click.option("--project", "-p", required=True, help="The project to export.")
@click.option(
    "--format",
    "kind",
    type=click.Choice(["pubannotation", "w3c", "brat", "conll", "tsv", "spacy"]),
    default="pubannotation",
    show_default=True,
)
@click.option("--sourcedb", help="Only documents of this source, such as a site.")
@click.option("--output", "-o", type=click.Path(path_type=Path), help="A file; brat: a folder.")
def export(project: str, kind: str, sourcedb: str | None, output: Path | None) -> None:
    """Export a project's documents with their annotations.

    \b
    Examples:
      clerk annotations export -p genes > genes.jsonl
      clerk annotations export -p genes --format brat -o genes-brat
      clerk annotations export -p springfield/extraction --format w3c
    """
    open_database()
    from clerk.annotations import api as flow
    from clerk.core import storage

    if kind == "brat":
        if output is None:
            raise click.UsageError("brat is two files a document: give --output FOLDER.")
        documents = flow.export_brat(project, output, sourcedb=sourcedb)
        hint(f"{documents:,} documents written to {output}.")
        return
    pieces = flow.export(project, kind, sourcedb=sourcedb)
    if output is None:
        _write(pieces, sys.stdout.buffer)
        return
    with storage.written_whole(output) as part, part.open("wb") as file:
        _write(pieces, file)
    hint(f"{project} is written to {output}.")


def _write(pieces: Iterator[bytes], file: Any) -> None:
    for piece in pieces:
        file.write(piece)


@commands.command()
@click.option("--project", "-p", required=True)
@_JSON
def recount(project: str, as_json: bool) -> None:
    """Set a project's counts from what is stored.

    \b
    Example:
      clerk annotations recount --project genes
    """
    open_database()
    from clerk.annotations import api as flow

    before, after = flow.recount(project)
    if as_json:
        print_json({"before": before, "after": after})
        return
    for name, number in after.items():
        was = "" if before[name] == number else f" (was {before[name]:,})"
        click.echo(f"{name}: {number:,}{was}")


@commands.command()
@click.argument("site")
@_JSON
def follow(site: str, as_json: bool) -> None:
    """Bring the annotations of a SITE's pages to its text as it is now.

    Annotations of pages that were read again are moved to the new text, and
    what extraction found becomes the project SITE/extraction.  Every run does
    this; lost annotations are issues of the uploads it lists.

    \b
    Example:
      clerk annotations follow springfield
    """
    open_database()
    from clerk.annotations import api as flow

    done = flow.follow(site)
    if as_json:
        print_json(done.__dict__)
        return
    click.echo(
        f"{done.changed_pages} pages changed: {done.moved} annotations moved, {done.lost} lost; "
        f"{done.extracted_pages} pages with new extraction."
    )
    for job_id in done.jobs:
        hint(f"See: clerk annotations issues {job_id}")
