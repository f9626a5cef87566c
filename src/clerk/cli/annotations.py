"""``clerk annotations``: upload, watch, roll back and export annotation collections."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from clerk.core.config import Settings
from clerk.core.errors import NotFound

from .common import (
    EXIT_DOCUMENTS_FAILED,
    hint,
    json_option,
    numbered,
    on_a_terminal,
    open_database,
    operator,
    print_json,
    print_table,
    set_up_log,
)

if TYPE_CHECKING:
    from clerk.annotations import Issue
    from clerk.pipeline.uploads import StartedUpload, Status

#: Without a terminal a line is printed this often.
LINE_SECONDS = 10.0
#: At most this many issues are listed after an upload.
ISSUES_SHOWN = 20

_FILES = click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
_FORMATS = click.Choice(["pubannotation", "w3c", "brat", "conll", "tsv", "spacy"])
_ID = click.argument("job_id", type=int, metavar="ID")
_WORKERS = click.option(
    "--workers", type=click.IntRange(1, 64), help="Number of processes; default one per core."
)


@click.group("annotations")
def commands() -> None:
    """Upload and export annotation collections.

    \b
    Examples:
      clerk annotations upload collection.jsonl --project genes --create-docs
      clerk annotations status 12
      clerk annotations export --project genes > genes.jsonl
    """


@commands.command()
@_FILES
@click.option("--project", "-p", required=True, help="Project to store them in.")
@click.option(
    "--mode",
    type=click.Choice(["replace", "add", "merge", "skip"]),
    default="replace",
    show_default=True,
    help="How to combine them with existing annotations.",
)
@click.option("--create-docs", is_flag=True, help="Create documents that do not exist.")
@click.option(
    "--align",
    type=click.Choice(["auto", "off"]),
    default="auto",
    show_default=True,
    help="If the text differs: align spans, or keep positions.",
)
@click.option(
    "--on-lost",
    type=click.Choice(["drop", "reject"]),
    default="drop",
    show_default=True,
    help="If some spans cannot be placed: drop them, or reject the document.",
)
@click.option(
    "--format",
    type=_FORMATS,
    help="Format of the files; also of those in folders and archives.",
)
@click.option(
    "--sourcedb", help="Source of documents that name none; default with --format: the project."
)
@click.option("--batch-items", type=click.IntRange(1), help="Maximum objects in a batch.")
@click.option("--batch-bytes", type=click.IntRange(1), help="Maximum bytes in a batch.")
@_WORKERS
@click.option("--dry-run", is_flag=True, help="Do everything except the commit.")
@click.option("--detach", is_flag=True, help="Do not wait until it has finished.")
@json_option
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
    """Store the annotations in FILES.

    Files are .json, .jsonl, .tgz or .tar.gz; with --format also folders, .zip,
    .tar and .gz.  An invalid line is reported as an issue; the others are
    stored.  Exits 4 if there were issues.

    \b
    Examples:
      clerk annotations upload a.jsonl b.tgz --project votes
      clerk annotations upload a.jsonl --project votes --mode merge --dry-run
      clerk annotations upload corpus/ --format brat --project genes --create-docs
    """
    settings = open_database(workers=workers)
    from clerk.pipeline import uploads

    job = uploads.upload(settings, files, created_by=operator(), **choices)
    if detach and job.id:
        _show_detached(job, settings, as_json=as_json)
        return
    _finish(ctx, job, settings, as_json=as_json)


def _show_detached(job: StartedUpload, settings: Settings, *, as_json: bool) -> None:
    if as_json:
        print_json(job.status().as_dict())
    else:
        click.echo(f"Upload {job.id} is waiting for the workers.")
    if settings.embedded and not settings.uses_postgresql:
        hint(f"REDIS_URL is not set, so no worker sees it: clerk annotations watch {job.id}")
    else:
        _warn_of_missing_workers(job.id)


def _warn_of_missing_workers(job_id: int) -> None:
    """Say at once that nobody will work on an upload: it would stay at 0 % without a word."""
    from clerk.core.states import ANNOTATIONS
    from clerk.pipeline import queues

    if not queues.is_served(ANNOTATIONS):
        hint(f"No worker serves the queue {ANNOTATIONS}; upload {job_id} waits until one does.")
        hint(f"Start one: clerk worker {ANNOTATIONS} -n 1")


@commands.command()
@_FILES
@json_option
@click.pass_context
def validate(ctx: click.Context, files: tuple[Path, ...], as_json: bool) -> None:
    """Check FILES without storing anything.

    \b
    Example:
      clerk annotations validate collection.jsonl
    """
    import msgspec

    from clerk.annotations import api

    found = api.validate(files)
    if as_json:
        issues = [msgspec.to_builtins(each) for each in found.issues]
        counts = {"items": found.items, "documents": found.documents, **found.counts}
        print_json({**counts, "issue_counts": found.issues.by_code(), "issues": issues})
    else:
        for each in found.issues:
            click.echo(_named(each))
        counts = {"objects": found.items, "documents": found.documents, **found.counts}
        click.echo(_counted(counts))
        click.echo(_counted({"issues": len(found.issues)}))
    ctx.exit(EXIT_DOCUMENTS_FAILED if found.issues else 0)


# --------------------------------------------------------------------------------- following


@commands.command()
@_ID
@json_option
def status(job_id: int, as_json: bool) -> None:
    """Show the progress of an upload.

    \b
    Example:
      clerk annotations status 12 --json
    """
    settings = open_database()
    from clerk.pipeline import uploads

    job = uploads.find(job_id)
    _show(job.status(), as_json=as_json)
    if settings.embedded and not job.is_worked_on():
        hint(f"No worker is processing upload {job_id}. Continue: clerk annotations watch {job_id}")


@commands.command()
@_ID
@_WORKERS
@json_option
@click.pass_context
def watch(ctx: click.Context, job_id: int, workers: int | None, as_json: bool) -> None:
    """Show the progress of an upload until it ends.

    Without REDIS_URL this command does the work.

    \b
    Example:
      clerk annotations watch 12
    """
    settings = open_database(workers=workers)
    from clerk.pipeline import uploads

    _finish(ctx, uploads.find(job_id), settings, as_json=as_json)


def _finish(ctx: click.Context, job: StartedUpload, settings: Settings, *, as_json: bool) -> None:
    """Work on or wait for an upload, showing its progress; then show its end and exit."""
    from clerk.core.states import ANNOTATIONS
    from clerk.executors.embedded import Interrupted
    from clerk.pipeline import queues

    set_up_log(settings, level="ERROR")
    paused_by = queues.paused_by(ANNOTATIONS) if job.id else None
    if paused_by is not None:
        hint(f"{ANNOTATIONS} is paused by {paused_by}. Resume: clerk queue resume {ANNOTATIONS}")
    if job.id and not settings.embedded:
        _warn_of_missing_workers(job.id)
    draw = _bar() if on_a_terminal() else _lines()
    try:
        for each in job.events(settings):
            draw(each)
    except (Interrupted, KeyboardInterrupt):
        hint(f"Stopped. Continue: clerk annotations watch {job.id}")
        raise click.exceptions.Exit(130) from None
    finally:
        draw(None)
    found = job.status()
    if as_json:
        print_json({**found.as_dict(), "dry_run": not found.id})
    else:
        _show(found, as_json=False)
        left = sum(found.issues.values())
        for issue in islice(job.issues(), ISSUES_SHOWN):
            click.echo(f"  {_named(issue)}")
            left -= issue.times
        if left > 0:
            where = f": clerk annotations issues {found.id}" if found.id else ""
            click.echo(f"  ... and {left:,} more{where}")
    ctx.exit(0 if found.succeeded else EXIT_DOCUMENTS_FAILED)


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
        issues = found.problems
        wrong = _counted({"issues": issues}) if issues else ""
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
    issues = found.problems
    return (
        f"upload {found.id}: {percent:.0f} %, {found.items_done:,} items, "
        f"{found.bytes_per_second / 1e6:.1f} MB/s{left}, {_counted({'issues': issues})}"
    )


def _show(found: Status, *, as_json: bool) -> None:
    from clerk.annotations.objects import NOTES

    if as_json:
        print_json(found.as_dict())
        return
    name = f"Upload {found.id}" if found.id else "Dry run"
    click.echo(f"{name} to {found.project} ({found.mode}): {found.state}")
    ended = f"{found.items_failed:,} failed"
    if found.items_refused:
        ended += f", {found.items_refused:,} refused"
    if found.items_cancelled:
        ended += f", {found.items_cancelled:,} cancelled"
    click.echo(f"  items    {found.items_done:,} of {found.items:,}, {ended}")
    if found.stored:
        stored = {name: number for name, number in found.stored.items() if number}
        click.echo(f"  stored   {_counted(stored) or 'nothing'}")
    if found.cleared:
        would = "would clear" if not found.id else "cleared"
        click.echo(f"  {would:<8} {_counted(found.cleared)}")
    for code, number in sorted(found.issues.items()):
        click.echo(f"  {'notes ' if code in NOTES else 'issues'}   {number:,} {code}")
    if not found.is_over:
        click.echo(f"  progress {_progress(found)}")


def _named(issue: Issue) -> str:
    name = f" [{issue.sourcedb}:{issue.sourceid}]" if issue.sourceid and not issue.line else ""
    why = f": {issue.detail}" if issue.code in ("invalid_json", "invalid_utf8", "too_deep") else ""
    return f"{issue}{why}{name}"


def _counted(numbers: Mapping[str, int]) -> str:
    """Return ``1 document, 2 denotations`` for numbers by their plural."""
    return ", ".join(
        f"{number:,} {name[:-1] if number == 1 else name}" for name, number in numbers.items()
    )


def _print_records(records: Sequence[object], names: Sequence[str]) -> None:
    """Print these attributes of records as a table."""
    rows = [[str(getattr(each, name)) for name in names] for each in records]
    print_table([name.upper() for name in names], rows)


@commands.command("list")
@click.option("--project", "-p", help="Only uploads to this project.")
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="Maximum number of uploads.",
)
@click.option("--projects", "of_projects", is_flag=True, help="List projects instead of uploads.")
@click.option("--all", "everything", is_flag=True, help="Include clerk's own jobs.")
@json_option
def list_uploads(
    project: str | None, limit: int, of_projects: bool, everything: bool, as_json: bool
) -> None:
    """List uploads, newest first, or projects.

    \b
    Examples:
      clerk annotations list
      clerk annotations list --projects
    """
    open_database()
    from clerk.pipeline import uploads

    if of_projects:
        from clerk.annotations import api

        projects = api.list_projects()
        if as_json:
            print_json([asdict(each) for each in projects])
            return
        names = ("name", "documents", "denotations", "blocks", "relations", "attributes")
        _print_records(projects, names)
        return
    found = uploads.list_uploads(project, limit, everything=everything)
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
                each.problems,
                ", ".join(each.files[:2]) + (" ..." if len(each.files) > 2 else ""),
            )
            for each in found
        ],
    )


@commands.command()
@_ID
@click.option("--code", help="Only issues with this code.")
@json_option
def issues(job_id: int, code: str | None, as_json: bool) -> None:
    """List the issues of an upload.

    With --json one object per line is printed.

    \b
    Examples:
      clerk annotations issues 12
      clerk annotations issues 12 --code lost_span --json
    """
    open_database()
    import msgspec

    from clerk.pipeline import uploads

    for each in uploads.find(job_id).issues(code):
        if as_json:
            click.echo(msgspec.json.encode(each).decode())
        else:
            click.echo(f"{each.code}: {_named(each)}")


@commands.command()
@click.option("--project", "-p", help="Only orphans of this project.")
@click.option("--site", help="Only pages of this site.")
@json_option
def orphans(project: str | None, site: str | None, as_json: bool) -> None:
    """List annotations without a place in the text.

    An annotation becomes an orphan if its words are not found when the page is
    read again.  It is restored when a later text contains them.

    \b
    Example:
      clerk annotations orphans --site springfield
    """
    open_database()
    from clerk.annotations import api

    found = api.list_orphans(project, site)
    if as_json:
        print_json([asdict(each) for each in found])
        return
    _print_records(found, ("project", "sourcedb", "sourceid", "kind", "id", "label", "quote"))


# ---------------------------------------------------------------------------------- deciding


@commands.command()
@_ID
def suspend(job_id: int) -> None:
    """Suspend an upload.

    Running batches finish; no more are started.

    \b
    Example:
      clerk annotations suspend 12
    """
    open_database()
    from clerk.pipeline import uploads

    done = uploads.suspend(job_id, who=operator())
    click.echo(f"Upload {job_id} is {'suspended' if done else 'not open: nothing changed'}.")


@commands.command()
@_ID
def resume(job_id: int) -> None:
    """Resume a suspended upload.

    \b
    Example:
      clerk annotations resume 12
    """
    settings = open_database()
    from clerk.pipeline import uploads

    done = uploads.resume(settings, job_id, who=operator())
    click.echo(f"Upload {job_id} is {'resumed' if done else 'not suspended: nothing changed'}.")
    if settings.embedded and not settings.uses_postgresql:
        hint(f"REDIS_URL is not set; to do the work here: clerk annotations watch {job_id}")


@commands.command()
@_ID
def cancel(job_id: int) -> None:
    """Cancel an upload; stored annotations stay.

    \b
    Example:
      clerk annotations cancel 12
    """
    open_database()
    from clerk.pipeline import uploads

    done = uploads.cancel(job_id, who=operator())
    click.echo(f"Upload {job_id} is {'cancelled' if done else 'finished already'}.")
    if done:
        hint(f"To undo what it has stored: clerk annotations rollback {job_id}")


@commands.command()
@_ID
@click.option("--detach", is_flag=True, help="Do not wait until it has finished.")
@_WORKERS
@json_option
@click.pass_context
def retry(
    ctx: click.Context, job_id: int, detach: bool, workers: int | None, as_json: bool
) -> None:
    """Retry failed or cancelled items of an upload.

    \b
    Example:
      clerk annotations retry 12
    """
    settings = open_database(workers=workers)
    from clerk.pipeline import uploads

    job = uploads.retry(settings, job_id, who=operator())
    if detach:
        _show_detached(job, settings, as_json=as_json)
        return
    _finish(ctx, job, settings, as_json=as_json)


@commands.command()
@_ID
@json_option
def rollback(job_id: int, as_json: bool) -> None:
    """Roll back an upload.

    Every document gets its previous annotations back.  Documents that have
    changed since then are not touched.

    \b
    Example:
      clerk annotations rollback 12
    """
    open_database()
    from clerk.pipeline import uploads

    done = uploads.rollback(job_id, who=operator())
    if as_json:
        print_json(asdict(done))
        return
    restored = numbered(done.restored, "document")
    click.echo(f"Upload {job_id}: {restored} restored, {done.removed} cleared.")
    if done.left:
        changed = numbered(done.left, "document")
        click.echo(f"{changed} not touched, because of changes since then.")
    if done.orphaned:
        orphans = numbered(done.orphaned, "annotation")
        click.echo(f"{orphans} without a place in the new text: clerk annotations orphans")


@commands.command()
@click.option("--project", "-p", required=True, help="The project to export.")
@click.option(
    "--format",
    "kind",
    type=_FORMATS,
    default="pubannotation",
    show_default=True,
    help="File format.",
)
@click.option("--sourcedb", help="Only documents of this source, such as a site.")
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path),
    help="Write to this file (brat: folder) instead of stdout.",
)
def export(project: str, kind: str, sourcedb: str | None, output: Path | None) -> None:
    """Export the annotated documents of a project.

    \b
    Examples:
      clerk annotations export -p genes > genes.jsonl
      clerk annotations export -p genes --format brat -o genes-brat
      clerk annotations export -p springfield/extraction --format w3c
    """
    open_database()
    from clerk.annotations import api
    from clerk.core import storage

    if kind == "brat":
        if output is None:
            raise click.UsageError("brat has two files per document: give --output FOLDER.")
        documents = api.export_brat(project, output, sourcedb=sourcedb)
        hint(f"{_counted({'documents': documents})} written to {output}.")
        return
    pieces = api.export(project, kind, sourcedb=sourcedb)
    if output is None:
        sys.stdout.buffer.writelines(pieces)
        return
    with storage.written_whole(output) as part, part.open("wb") as file:
        file.writelines(pieces)
    hint(f"Wrote {project} to {output}.")


@commands.command()
@click.argument("first")
@click.argument("second")
@click.option("--by", type=click.Choice(["label"]), help="Also print the figures of each label.")
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(0),
    default=20,
    show_default=True,
    help="Maximum number of differences to print.",
)
@json_option
def compare(first: str, second: str, by: str | None, limit: int, as_json: bool) -> None:
    """Compare two projects.

    FIRST is the reference, such as a project with gold annotations.  Only its
    documents are compared.

    \b
    Example:
      clerk annotations compare gold springfield/extraction --by label
    """
    open_database()
    from clerk.annotations import comparing

    found = comparing.compare(first, second)
    if as_json:
        print_json(comparing.as_values(found))
        return
    lines = [("all", found.total), *(sorted(found.by_label.items()) if by else ())]
    shares = [
        [label, each.both, each.only_first, each.only_second]
        + [f"{100 * share:.1f} %" for share in (each.precision, each.recall, each.agreement)]
        for label, each in lines
    ]
    heads = ("LABEL", "BOTH", "ONLY FIRST", "ONLY SECOND", "PRECISION", "RECALL", "AGREEMENT")
    print_table(heads, shares)
    if found.documents_only_second:
        left_out = numbered(found.documents_only_second, "document")
        click.echo(f"Not compared: {left_out} that {first} does not have.")
    for each in found.differences[:limit]:
        place = f"{each.sourcedb} {each.sourceid} {each.begin}-{each.end}"
        click.echo(f"{each.sign} {place} {each.label}: {each.quote!r}")
    left = len(found.differences) - limit
    if left > 0:
        click.echo(f"... and {left:,} more differences: --json")


@commands.command("members")
@click.argument("project")
@click.option("--add", "person", help="Give this person a role.")
@click.option(
    "--role",
    type=click.Choice(["reader", "editor", "owner"]),
    default="reader",
    show_default=True,
    help="The role to give.",
)
@click.option("--remove", help="Remove this person's role.")
def members(project: str, person: str | None, role: str, remove: str | None) -> None:
    """List or change the members of a project.

    A reader can see a private project, an editor can also change it, and an
    owner can also manage its members.  Names are login names; for a token,
    "token" and its name.

    \b
    Examples:
      clerk annotations members genes
      clerk annotations members genes --add ann --role editor
      clerk annotations members genes --add "token miner" --role reader
    """
    open_database()
    from clerk.annotations import api

    if person:
        api.set_role(project, person, role, who=operator())
    if remove:
        api.set_role(project, remove, None, who=operator())
    found = [each for each in api.list_projects() if each.name == project]
    if not found:
        raise NotFound(f"There is no project {project!r}.")
    owned = [[found[0].owner or "clerk", "created it"]]
    others = [list(each) for each in sorted(found[0].members.items())]
    print_table(["PERSON", "ROLE"], owned + others)


# ------------------------------------------------------------------------- reported errors


@commands.group("reports")
def reports() -> None:
    """Decide about errors that people reported.

    \b
    Examples:
      clerk annotations reports list
      clerk annotations reports accept 4
    """


@reports.command("list")
@click.option("--site", help="Only reports about this site.")
@click.option("--all", "everything", is_flag=True, help="Include reports that have been decided.")
@json_option
def list_reports(site: str | None, everything: bool, as_json: bool) -> None:
    """List reported errors.

    \b
    Example:
      clerk annotations reports list --site springfield
    """
    open_database()
    from clerk.annotations import corrections

    found = corrections.list_reports(None if everything else corrections.OPEN, site)
    if as_json:
        print_json([asdict(each) for each in found])
        return
    names = ("id", "site", "sourceid", "label", "fields", "quote", "comment", "state")
    _print_records(found, names)


@reports.command()
@click.argument("number", type=int)
def accept(number: int) -> None:
    """Accept a reported error as a correction.

    \b
    Example:
      clerk annotations reports accept 4
    """
    settings = open_database()
    from clerk.ops import vote_reports

    is_running = vote_reports.accept(settings, number, operator())
    then = "A run that publishes it is queued." if is_running else "The next run publishes it."
    click.echo(f"Report {number} is accepted. {then}")


@reports.command()
@click.argument("number", type=int)
def reject(number: int) -> None:
    """Reject a reported error.

    \b
    Example:
      clerk annotations reports reject 4
    """
    open_database()
    from clerk.annotations import corrections

    corrections.reject(number, who=operator())
    click.echo(f"Report {number} is rejected.")


# ------------------------------------------------------------------------- changes and undo

_DRY_RUN = click.option("--dry-run", is_flag=True, help="Only show what would change.")


def _show_effect(done: Any) -> None:
    what = _counted({"documents": done.documents, "annotations": done.annotations})
    if done.moved or done.orphaned:
        what += f", {done.moved} moved, {done.orphaned} orphaned"
    click.echo(f"{'Would be' if not done.change else 'Done'}: {done.kind}, {done.subject}: {what}.")
    if done.change:
        hint(f"Undo within 7 days: clerk annotations undo {done.change}")


@commands.command("rename")
@click.argument("project")
@click.argument("new_name")
@_DRY_RUN
def rename(project: str, new_name: str, dry_run: bool) -> None:
    """Rename a project.

    \b
    Example:
      clerk annotations rename genes old-genes
    """
    open_database()
    from clerk.annotations import changes

    _show_effect(changes.rename_project(project, new_name, who=operator(), dry_run=dry_run))


@commands.command("delete")
@click.option("--project", "-p", help="Project to delete.")
@click.option("--document", nargs=2, metavar="SOURCEDB SOURCEID", help="Document to delete.")
@_DRY_RUN
def delete(project: str | None, document: tuple[str, str] | None, dry_run: bool) -> None:
    """Delete a project or a document.

    \b
    Examples:
      clerk annotations delete --project genes --dry-run
      clerk annotations delete --document PubMed 123
    """
    open_database()
    from clerk.annotations import changes

    if (project is None) == (document is None):
        raise click.UsageError("Give --project or --document.")
    if project is not None:
        done = changes.delete_project(project, who=operator(), dry_run=dry_run)
    else:
        assert document is not None
        done = changes.delete_document(document, who=operator(), dry_run=dry_run)
    _show_effect(done)


@commands.command("replace-text")
@click.argument("sourcedb")
@click.argument("sourceid")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@_DRY_RUN
def replace_text(sourcedb: str, sourceid: str, file: Path, dry_run: bool) -> None:
    """Replace the text of a document.

    Annotations are moved to the new text; those without a place are kept as
    orphans.

    \b
    Example:
      clerk annotations replace-text PubMed 123 corrected.txt --dry-run
    """
    open_database()
    from clerk.annotations import changes

    text = changes.decoded(file.read_bytes())
    key = (sourcedb, sourceid)
    _show_effect(changes.replace_text(key, text, who=operator(), dry_run=dry_run))


@commands.command()
@click.argument("change", type=int)
def undo(change: int) -> None:
    """Undo a change to a project or document.

    \b
    Example:
      clerk annotations undo 3
    """
    open_database()
    from clerk.annotations import changes

    found = changes.undo(change, who=operator())
    click.echo(f"Undone: {found.kind}, {found.subject}.")


@commands.command("publish")
@click.argument("project")
@click.option("--private", is_flag=True, help="Show it only to people who are logged in.")
def publish(project: str, private: bool) -> None:
    """Make a project public.

    \b
    Examples:
      clerk annotations publish genes
      clerk annotations publish genes --private
    """
    open_database()
    from clerk.annotations import api

    api.set_public(project, not private, who=operator())
    click.echo(f"{project} is {'private' if private else 'public'}.")
