"""``clerk run``: process sites through every stage in this process."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from clerk.core.config import Settings
from clerk.core.states import COMPILATION, DEPLOY, EXTRACTION, FETCH, STAGES, Run

from .common import (
    EXIT_DOCUMENTS_FAILED,
    hint,
    numbered,
    on_a_terminal,
    open_database,
    print_json,
    seen_from_here,
)

if TYPE_CHECKING:
    from datetime import datetime

    from clerk.pipeline.runs import Summary

#: Without a terminal a line is printed this often.
LINE_SECONDS = 10.0
#: At most this many failures and skipped files are listed; the rest is counted.
FAILURES_SHOWN = 20
SKIPPED_SHOWN = 3
#: At most this many sites are shown one by one while they run.
BARS_SHOWN = 30
SITES_NAMED = 10


@click.command()
@click.argument("subdomains", nargs=-1, metavar="[SITE]...")
@click.option("--all-due", is_flag=True, help="Run every site not updated for 23 hours.")
@click.option("--stage", type=click.Choice(STAGES), help="Stop after this stage.")
@click.option("--ocr-backend", help="OCR engine for this run.")
@click.option("--ocr", type=click.Choice(["auto", "always", "never"]), help="When to use OCR.")
@click.option("--keep", type=click.IntRange(min=1), help="Number of published versions to keep.")
@click.option("--restart", is_flag=True, help="Start again instead of resuming an interrupted run.")
@click.option(
    "--workers", type=click.IntRange(1, 256), help="Number of documents to read in parallel."
)
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
@click.pass_context
def run(
    ctx: click.Context,
    subdomains: tuple[str, ...],
    all_due: bool,
    stage: str | None,
    ocr_backend: str | None,
    ocr: str | None,
    keep: int | None,
    restart: bool,
    workers: int | None,
    as_json: bool,
) -> None:
    """Process sites through every stage in this process.

    An interrupted run is resumed where it stopped.  Exits 4 when documents
    failed or none were found.  Uploads of annotations are not processed: use
    clerk annotations watch, clerk serve or workers.

    \b
    Examples:
      clerk run springfield
      clerk run --all-due
      clerk run springfield --stage ocr --ocr-backend tesseract
    """
    if subdomains and all_due:
        raise click.UsageError("Give sites or --all-due, not both.")
    settings = open_database(workers=workers)
    from clerk.pipeline import runs

    named = list(dict.fromkeys(subdomains))
    chosen = named or (runs.due_sites() if all_due else _only_site())
    if not chosen:
        hint("No site is due.")
        return
    options = {"ocr_backend": ocr_backend, "ocr": ocr, "keep": keep}
    options = {name: value for name, value in options.items() if value}
    runs.check_engine(chosen if ocr_backend else named, options, settings)
    started = [runs.start(name, options=options, goal=stage, restart=restart) for name in chosen]
    warn_about_ignored_options(dict(zip(chosen, started, strict=True)), options, stage)
    work_here(started, settings)
    summaries = [runs.summarise(run_id) for run_id in started]
    show(summaries, as_json=as_json)
    succeeded = all(summary.succeeded for summary in summaries)
    ctx.exit(0 if succeeded else EXIT_DOCUMENTS_FAILED)


def warn_about_ignored_options(
    started: Mapping[str, str], options: Mapping[str, Any], stage: str | None = None
) -> None:
    """Name the options that resumed runs do not apply."""
    from clerk.pipeline import runs

    for name, run_id in started.items() if options or stage else ():
        wishes = runs.not_applied(run_id, options, stage)
        if wishes:
            flags = " and ".join("--" + wish.replace("_", "-") for wish in wishes)
            hint(f"{name}: the run continues as it was started, without {flags}; or use --restart.")


def _only_site() -> list[str]:
    from clerk.core import db
    from clerk.pipeline import sites

    with db.reading_connection() as conn:
        names = sites.names(conn, limit=SITES_NAMED + 1)
    if len(names) == 1:
        return names
    if not names:
        raise click.UsageError("There are no sites yet. Add one: clerk site add NAME --from FOLDER")
    listed = ", ".join(names[:SITES_NAMED]) + (" ..." if len(names) > SITES_NAMED else "")
    raise click.UsageError(f"Give a site, or use --all-due. There are: {listed}")


def work_here(run_ids: Sequence[str], settings: Settings) -> None:
    """Work in this process until the runs have ended, showing their progress.

    Uploads of annotations are not processed: a person who runs a site does not wait for them.
    """
    from clerk.core import log
    from clerk.executors import embedded
    from clerk.pipeline import runs
    from clerk.pipeline.flow import Pipeline

    log.set_up(
        "text" if settings.log_format == "auto" else settings.log_format,
        level="ERROR",
        sentry_dsn=settings.sentry_dsn,
        loki_url=settings.loki_url,
    )
    bars = on_a_terminal() and len(run_ids) <= BARS_SHOWN
    show_progress = _bars(run_ids) if bars else _lines(run_ids)
    unfinished, paused = runs.Unfinished(run_ids), _PausedQueues()

    def look() -> None:
        show_progress()
        paused.warn()

    try:
        embedded.run(
            Pipeline(),
            settings,
            queues=STAGES,
            done=lambda: not unfinished,
            on_look=look,
        )
    except embedded.Interrupted:
        hint("Stopped after finishing the current documents; the same command resumes the run.")
        raise click.exceptions.Exit(130) from None
    except KeyboardInterrupt:
        hint("Stopped immediately; the same command resumes the run.")
        raise click.exceptions.Exit(130) from None
    finally:
        show_progress(True)


class _PausedQueues:
    """Warns about paused queues, once for each."""

    def __init__(self) -> None:
        self._warned: set[str] = set()
        self._check_at = 0.0

    def warn(self) -> None:
        """Check now and then whether a queue is paused."""
        if time.monotonic() < self._check_at:
            return
        self._check_at = time.monotonic() + LINE_SECONDS
        from clerk.pipeline import queues

        for name in STAGES:
            who = None if name in self._warned else queues.paused_by(name)
            if who is not None:
                self._warned.add(name)
                hint(f"{name} is paused by {who}. Resume: clerk queue resume {name}")


def _bars(run_ids: Sequence[str]) -> Callable[..., None]:
    """Return a function that draws a bar per site and stage on a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from clerk.pipeline import runs

    columns = (
        TextColumn("{task.fields[site]:24.24}"),
        TextColumn("{task.description:12}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[failed]}", style="red"),
        TimeElapsedColumn(),
    )
    bars = Progress(*columns, console=Console(stderr=True))
    tasks: dict[int, Any] = {}
    since: datetime | None = None
    bars.start()

    def draw(last: bool = False) -> None:
        nonlocal since
        for job in runs.progress(run_ids, since):
            since = max(since or job.updated_at, job.updated_at)
            failed = f"{job.failed} failed" if job.failed else ""
            if job.id not in tasks:
                tasks[job.id] = bars.add_task(
                    job.stage, total=job.total, site=job.subdomain, failed=failed
                )
            done = job.completed + job.failed
            bars.update(tasks[job.id], total=job.total, completed=done, failed=failed)
        if last:
            bars.stop()

    return draw


def _lines(run_ids: Sequence[str]) -> Callable[..., None]:
    """Return a function that prints a plain line every ten seconds."""
    from clerk.pipeline import runs

    printed_at = time.monotonic()

    def draw(last: bool = False) -> None:
        nonlocal printed_at
        if last or time.monotonic() - printed_at < LINE_SECONDS:
            return
        printed_at = time.monotonic()
        under_way = [job for job in runs.progress(run_ids) if job.state == "open"]
        for job in under_way[:BARS_SHOWN]:
            done = job.completed + job.failed
            hint(f"{job.subdomain}: {job.stage} {done}/{job.total}, {job.failed} failed")
        if len(under_way) > BARS_SHOWN:
            hint(f"... and {len(under_way) - BARS_SHOWN} more")

    return draw


def show(summaries: Sequence[Summary], *, as_json: bool = False) -> None:
    """Print how the runs ended."""
    if as_json:
        print_json([asdict(summary) for summary in summaries])
        return
    words = {
        Run.COMPLETED: "completed",
        Run.PARTIAL: "completed, but some documents failed",
        Run.NO_DOCUMENTS: "no documents found",
        Run.FAILED: "failed",
        Run.CANCELLED: "cancelled",
        Run.SUPERSEDED: "superseded",
        Run.ACTIVE: "not finished",
    }
    for summary in summaries:
        if summary.nothing_new:
            read = f"{summary.completed} of {summary.total} documents are read and published"
            click.echo(f"{summary.subdomain}: nothing new; {read}.")
        else:
            reason = f": {summary.reason}" if summary.reason else ""
            state = words.get(summary.state, summary.state)
            click.echo(f"{summary.subdomain}: {state}{reason}")
            _show_figures(summary)
        for failure in summary.failures[:FAILURES_SHOWN]:
            click.echo(f"  failed     {failure.document}: {failure.error}")
        if len(summary.failures) > FAILURES_SHOWN:
            click.echo(f"  ... and {len(summary.failures) - FAILURES_SHOWN} more")


def _show_figures(summary: Summary) -> None:
    """Print what each stage did."""
    if fetched := summary.details.get(FETCH, {}):
        keys = ("new", "changed", "moved", "unchanged", "gone")
        parts = [f"{fetched[key]} {key}" for key in keys if fetched.get(key)]
        click.echo(f"  fetched    {', '.join(parts) or 'nothing'}")
        for problem in fetched.get("skipped_names", [])[:SKIPPED_SHOWN]:
            click.echo(f"  skipped    {problem}")
        if fetched.get("left"):
            click.echo(f"  left       {fetched['left']} for the next run, as time was up")
        if fetched.get("skipped", 0) > SKIPPED_SHOWN:
            click.echo(f"  ... and {fetched['skipped'] - SKIPPED_SHOWN} more")
    if summary.total:
        pages = f" ({numbered(summary.pages, 'page')})" if summary.pages else ""
        unchanged = f", {summary.unchanged} unchanged" if summary.unchanged else ""
        fresh = summary.completed - summary.unchanged
        click.echo(f"  read       {fresh} of {summary.total} documents{pages}{unchanged}")
    if summary.cancelled:
        click.echo(f"  cancelled  {numbered(summary.cancelled, 'document')}")
    compiled, extracted, deployed = (
        summary.details.get(stage, {}) for stage in (COMPILATION, EXTRACTION, DEPLOY)
    )
    if compiled:
        documents = numbered(compiled["documents"], "document")
        click.echo(f"  compiled   {documents}, {numbered(compiled['pages'], 'page')}")
    if extracted:
        entities = numbered(extracted["entities"], "entity", "entities")
        click.echo(f"  extracted  {numbered(extracted['votes'], 'vote')}, {entities}")
    if moved := extracted.get("annotations"):
        click.echo(
            f"  annotations on {numbered(moved['changed_pages'], 'changed page')}: "
            f"{moved['moved']} moved, {moved['changed']} with other words, "
            f"{moved['orphaned']} orphaned, {moved['restored']} restored"
        )
    if deployed:
        click.echo(f"  published  {seen_from_here(deployed['path'])}")
