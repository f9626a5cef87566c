"""``clerk run``: process sites through every stage in this process."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from threading import Thread
from typing import TYPE_CHECKING, Any

import click

from clerk.core.config import Settings
from clerk.core.states import OCR, STAGES, Run

from .common import (
    EXIT_DOCUMENTS_FAILED,
    duration,
    hint,
    numbered,
    on_a_terminal,
    open_database,
    plain,
    print_json,
    seen_from_here,
)
from .verbosity import is_quiet, is_verbose, log_level, verbosity_options

if TYPE_CHECKING:
    from datetime import datetime

    from clerk.core.run_options import RunOptions
    from clerk.pipeline.runs import JobProgress, Summary

#: Without a terminal a line is printed this often.
LINE_SECONDS = 10.0
#: The pages that were read are counted this often.
PAGES_SECONDS = 5.0
STOPPING = (
    "Stopping after the documents that are being read; press Ctrl-C again to stop now."
    " Run the same command to continue."
)
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
@click.option("--ocr-backend", metavar="NAME", help="OCR engine for this run, such as tesseract.")
@click.option(
    "--ocr",
    type=click.Choice(["auto", "always", "never"]),
    help="When to use OCR instead of the text layer; default: as the site is set, else auto.",
)
@click.option(
    "--keep",
    type=click.IntRange(min=1),
    help="Number of published versions to keep; default PUBLISH_KEEP.",
)
@click.option("--restart", is_flag=True, help="Start again instead of resuming an interrupted run.")
@click.option(
    "--workers",
    type=click.IntRange(1, 256),
    help="Number of documents to read in parallel; default one per core.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
@verbosity_options
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
    """Fetch, read, compile and publish sites.

    The work is done by this command, without other workers.  An interrupted run
    is resumed where it stopped.  Exits 4 when documents failed or none were
    found.  Uploads of annotations are not processed: use clerk annotations
    watch, clerk serve or workers.

    \b
    Examples:
      clerk run springfield
      clerk run --all-due
      clerk run springfield --stage ocr --ocr-backend tesseract
    """
    if subdomains and all_due:
        raise click.UsageError("Give sites or --all-due, not both.")
    settings = open_database(workers=workers)
    from clerk.core import db
    from clerk.core.run_options import RunOptions
    from clerk.pipeline import runs, sites

    named = list(dict.fromkeys(subdomains))
    chosen = named or (runs.due_sites() if all_due else [])
    if all_due and not chosen:
        hint("No site is due.")
        return
    if not chosen:
        with db.reading_connection() as conn:
            chosen = sites.names(conn, limit=SITES_NAMED + 1)
        if not chosen:
            raise click.UsageError(
                "There are no sites yet. Add one: clerk site add NAME --from FOLDER"
            )
        if len(chosen) > 1:
            listed = ", ".join(chosen[:SITES_NAMED]) + (" ..." if chosen[SITES_NAMED:] else "")
            raise click.UsageError(f"Give a site, or use --all-due. There are: {listed}")
    options = RunOptions(ocr_backend=ocr_backend, ocr=ocr, keep=keep)
    runs.check_engine(chosen if ocr_backend else named, options, settings, reads_here=True)
    started = [
        runs.start(settings, name, options=options, goal=stage, restart=restart) for name in chosen
    ]
    warn_about_ignored_options(dict(zip(chosen, started, strict=True)), options, stage)
    work_here(started, settings)
    summaries = [runs.summarise(run_id) for run_id in started]
    show(summaries, as_json=as_json)
    succeeded = all(summary.succeeded for summary in summaries)
    ctx.exit(0 if succeeded else EXIT_DOCUMENTS_FAILED)


def warn_about_ignored_options(
    started: Mapping[str, str], options: RunOptions, stage: str | None = None
) -> None:
    """Name the options that resumed runs do not apply."""
    from clerk.pipeline import runs

    for name, run_id in started.items() if stage or options.as_stored() else ():
        wishes = runs.not_applied(run_id, options, stage)
        if wishes:
            flags = " and ".join("--" + wish.replace("_", "-") for wish in wishes)
            hint(f"{name}: the run continues as it was started, without {flags}; or use --restart.")


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
        level=log_level("ERROR"),
        sentry_dsn=settings.sentry_dsn,
        loki_url=settings.loki_url,
    )
    bars = on_a_terminal() and len(run_ids) <= BARS_SHOWN and not (is_quiet() or is_verbose())
    progress = _Bars(run_ids) if bars else _Lines(run_ids)
    unfinished, paused = runs.Unfinished(run_ids), _PausedQueues()

    def look() -> None:
        progress.draw()
        paused.warn()

    stopped = ""
    try:
        embedded.run(
            Pipeline(settings),
            settings,
            queues=STAGES,
            done=lambda: not unfinished,
            on_look=look,
            on_stop=lambda: progress.say(STOPPING),
        )
    except embedded.Interrupted:
        stopped = "Stopped after finishing the current documents."
    except KeyboardInterrupt:
        stopped = "Stopped immediately."
    finally:
        progress.end()
    if stopped:
        hint(f"{stopped} Run the same command to continue.")
        raise click.exceptions.Exit(130)


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


class _Pace:
    """How fast a stage goes: pages a second, and the time that is left at that pace."""

    def __init__(self) -> None:
        self._pages: dict[int, int] = {}
        self._since: dict[int, tuple[float, int, int]] = {}
        self._count_at = 0.0

    def count(self, jobs: Sequence[JobProgress]) -> None:
        """Count the pages that have been read, now and then."""
        from clerk.pipeline import runs

        if time.monotonic() >= self._count_at:
            self._count_at = time.monotonic() + PAGES_SECONDS
            self._pages |= runs.pages_read([job.id for job in jobs if job.stage == OCR])

    def words(self, job: JobProgress) -> tuple[str, str]:
        """Return ``230 pages, 3.1/s`` and ``about 2 min left``; empty while that is not known."""
        now, pages, done = time.monotonic(), self._pages.get(job.id, 0), job.completed + job.failed
        began, first_page, first_done = self._since.setdefault(job.id, (now, pages, done))
        seconds, left = now - began, job.total - done
        read = numbered(pages, "page") if pages else ""
        if pages > first_page and seconds >= 1:
            read += f", {(pages - first_page) / seconds:.1f}/s"
        if done == first_done or left <= 0 or seconds < 1:
            return read, ""
        return read, f"about {duration(left * seconds / (done - first_done))} left"


class _Bars:
    """A bar per site and stage on a terminal."""

    def __init__(self, run_ids: Sequence[str]) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
        from rich.table import Column

        self._run_ids = run_ids
        columns = (
            TextColumn("{task.fields[site]:.24}"),
            TextColumn("{task.description}"),
            BarColumn(bar_width=20),
            # In a narrow terminal the bar becomes shorter, not the figures.
            MofNCompleteColumn(table_column=Column(no_wrap=True)),
            TextColumn("{task.fields[pages]}"),
            TextColumn("{task.fields[left]}"),
            TextColumn("{task.fields[failed]}", style="red"),
        )
        self._bars = Progress(*columns, console=Console(stderr=True))
        self._tasks: dict[int, Any] = {}
        self._jobs: dict[int, JobProgress] = {}
        self._since: datetime | None = None
        self._pace = _Pace()
        self._bars.start()

    def draw(self) -> None:
        """Bring the bars up to date."""
        from clerk.pipeline import runs

        for job in runs.progress(self._run_ids, self._since):
            self._since = max(self._since or job.updated_at, job.updated_at)
            self._jobs[job.id] = job
        self._pace.count(list(self._jobs.values()))
        for job in self._jobs.values():
            pages, left = self._pace.words(job)
            failed = f"{job.failed} failed" if job.failed else ""
            if job.id not in self._tasks:
                self._tasks[job.id] = self._bars.add_task(
                    job.stage, site=job.subdomain, pages="", left="", failed=""
                )
            self._bars.update(
                self._tasks[job.id],
                total=job.total,
                completed=job.completed + job.failed,
                pages=pages,
                left=left,
                failed=failed,
            )

    def say(self, message: str) -> None:
        """Print a line above the bars; not from here, for the bars may just be being drawn."""
        Thread(target=self._bars.console.print, args=(message,), daemon=True).start()

    def end(self) -> None:
        """Draw the bars for the last time."""
        try:
            self.draw()
        finally:
            self._bars.stop()


class _Lines:
    """A plain line every ten seconds."""

    def __init__(self, run_ids: Sequence[str]) -> None:
        self._run_ids = run_ids
        self._print_at = time.monotonic() + LINE_SECONDS
        self._pace = _Pace()

    def draw(self) -> None:
        """Print how far the stages are, if it is time."""
        from clerk.pipeline import runs

        if time.monotonic() < self._print_at or is_quiet():
            return
        self._print_at = time.monotonic() + LINE_SECONDS
        under_way = [job for job in runs.progress(self._run_ids) if job.state == "open"]
        self._pace.count(under_way[:BARS_SHOWN])
        for job in under_way[:BARS_SHOWN]:
            # Only reading is counted in documents; the other stages are single steps.
            done = f"{job.completed + job.failed}/{job.total} documents" if job.stage == OCR else ""
            said = [done, *self._pace.words(job), f"{job.failed} failed" if job.failed else ""]
            hint(f"{job.subdomain}: {job.stage} {', '.join(filter(None, said))}".rstrip())
        if len(under_way) > BARS_SHOWN:
            hint(f"... and {len(under_way) - BARS_SHOWN} more")

    def say(self, message: str) -> None:
        """Print a line at once; this is called in a signal handler, where streams may be in use."""
        with contextlib.suppress(OSError):
            os.write(2, f"{message}\n".encode())

    def end(self) -> None:
        """Nothing is left to be drawn."""


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
            click.echo(plain(f"{summary.subdomain}: {state}{reason}"))
            _show_figures(summary)
        for failure in summary.failures[:FAILURES_SHOWN]:
            click.echo(plain(f"  failed     {failure.document}: {failure.error}"))
        if len(summary.failures) > FAILURES_SHOWN:
            click.echo(f"  ... and {len(summary.failures) - FAILURES_SHOWN} more")


def _show_figures(summary: Summary) -> None:
    """Print what each stage did."""
    if fetched := summary.fetched:
        keys = ("new", "changed", "moved", "unchanged", "gone")
        parts = [f"{number} {key}" for key in keys if (number := getattr(fetched, key))]
        click.echo(f"  fetched    {', '.join(parts) or 'nothing'}")
        for problem in fetched.skipped_names[:SKIPPED_SHOWN]:
            click.echo(plain(f"  skipped    {problem}"))
        if fetched.left:
            click.echo(f"  left       {fetched.left} for the next run, because time was up")
        if fetched.skipped > SKIPPED_SHOWN:
            click.echo(f"  ... and {fetched.skipped - SKIPPED_SHOWN} more")
    if summary.total:
        pages = f" ({numbered(summary.pages, 'page')})" if summary.pages else ""
        unchanged = f", {summary.unchanged} unchanged" if summary.unchanged else ""
        fresh = summary.completed - summary.unchanged
        click.echo(f"  read       {fresh} of {summary.total} documents{pages}{unchanged}")
    if summary.cancelled:
        click.echo(f"  cancelled  {numbered(summary.cancelled, 'document')}")
    if compiled := summary.compiled:
        documents = numbered(compiled.documents, "document")
        click.echo(f"  compiled   {documents}, {numbered(compiled.pages, 'page')}")
    if extracted := summary.extracted:
        entities = numbered(extracted.entities, "entity", "entities")
        click.echo(f"  extracted  {numbered(extracted.votes, 'vote')}, {entities}")
        if moved := extracted.annotations:
            click.echo(
                f"  annotations on {numbered(moved.changed_pages, 'changed page')}: "
                f"{moved.moved} moved, {moved.changed} with other words, "
                f"{moved.orphaned} orphaned, {moved.restored} restored"
            )
    if deployed := summary.deployed:
        click.echo(f"  published  {seen_from_here(deployed.path)}")
