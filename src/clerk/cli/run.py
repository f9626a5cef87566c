"""``clerk run`` and ``clerk update``: take sites through every stage, here or by the workers."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from clerk.core.states import COMPILATION, DEPLOY, EXTRACTION, FETCH, STAGES

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
#: So many failures are listed; the rest is counted.
FAILURES_SHOWN = 20
SKIPPED_SHOWN = 3
#: So many sites are shown one by one while they run.
BARS_SHOWN = 30
SITES_NAMED = 10


@click.command()
@click.argument("subdomains", nargs=-1, metavar="[SITE]...")
@click.option("--all-due", is_flag=True, help="Every site not updated for 23 hours.")
@click.option("--stage", type=click.Choice(STAGES), help="Stop after this stage.")
@click.option("--ocr-backend", help="The OCR engine for this run.")
@click.option("--ocr", type=click.Choice(["auto", "always", "never"]), help="When to use OCR.")
@click.option("--keep", type=click.IntRange(min=1), help="Published versions to keep.")
@click.option("--restart", is_flag=True, help="Do not take up a run that was interrupted.")
@click.option("--workers", type=click.IntRange(1, 256), help="Documents to read at once.")
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
    """Take sites through every stage in this process.

    A run that was interrupted is taken up where it stopped.  Exits 4 when
    documents failed or none were found.  Uploads of annotations are left to
    clerk annotations watch, clerk serve and the workers.

    \b
    Examples:
      clerk run springfield
      clerk run --all-due
      clerk run springfield --stage ocr --ocr-backend tesseract
    """
    if subdomains and all_due:
        raise click.UsageError("Name sites or give --all-due, not both.")
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
    _tell_what_is_not_applied(dict(zip(chosen, started, strict=True)), options, stage)
    work_here(started, settings)
    summaries = [runs.summarise(run_id) for run_id in started]
    show(summaries, as_json=as_json)
    ctx.exit(exit_code(summaries))


def _tell_what_is_not_applied(
    started: Mapping[str, str], options: Mapping[str, Any], stage: str | None = None
) -> None:
    """Say of runs that were taken up what they do otherwise than asked."""
    from clerk.pipeline import runs

    for name, run_id in started.items() if options or stage else ():
        wishes = runs.not_applied(run_id, options, stage)
        if wishes:
            flags = " and ".join("--" + wish.replace("_", "-") for wish in wishes)
            hint(f"{name}: its run goes on as it was started, without {flags}; or use --restart.")


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
    raise click.UsageError(f"Name a site, or use --all-due. There are: {listed}")


def work_here(run_ids: Sequence[str], settings: Any) -> None:
    """Work in this process until the runs are over, showing how far they are.

    Uploads of annotations are left to those who serve them: nobody who asked for a site waits for
    another's upload.
    """
    from clerk.core import log
    from clerk.executors import embedded
    from clerk.pipeline import runs
    from clerk.pipeline.workers import Pipeline

    log.set_up(
        "text" if settings.log_format == "auto" else settings.log_format,
        level="ERROR",
        sentry_dsn=settings.sentry_dsn,
        loki_url=settings.loki_url,
    )
    bars = on_a_terminal() and len(run_ids) <= BARS_SHOWN
    show_progress = _bars(run_ids) if bars else _lines(run_ids)
    unfinished, paused = runs.Unfinished(run_ids), _Paused()

    def look() -> None:
        show_progress()
        paused.tell()

    try:
        embedded.run(
            Pipeline(),
            settings,
            queues=STAGES,
            done=lambda: not unfinished,
            on_look=look,
        )
    except embedded.Interrupted:
        hint("Stopped. What was in hand is finished; the same command takes it up again.")
        raise click.exceptions.Exit(130) from None
    except KeyboardInterrupt:
        hint("Stopped at once. The same command takes it up again.")
        raise click.exceptions.Exit(130) from None
    finally:
        show_progress(True)


class _Paused:
    """Queues that are paused while somebody waits for them: each is told once."""

    def __init__(self) -> None:
        self._told: set[str] = set()
        self._look_at = 0.0

    def tell(self) -> None:
        """Look now and then, and say which queue has been paused."""
        if time.monotonic() < self._look_at:
            return
        self._look_at = time.monotonic() + LINE_SECONDS
        from clerk.ops import queues

        for name in STAGES:
            who = None if name in self._told else queues.paused_by(name)
            if who is not None:
                self._told.add(name)
                hint(f"{name} is paused by {who}. Go on: clerk queue resume {name}")


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
    from dataclasses import asdict

    if as_json:
        print_json([asdict(summary) for summary in summaries])
        return
    for summary in summaries:
        _show_one(summary)


def _show_one(summary: Summary) -> None:
    from clerk.core.states import Run

    name = summary.subdomain
    if summary.nothing_new:
        read = f"{summary.completed} of {summary.total} documents are read and published"
        click.echo(f"{name}: nothing new; {read}.")
        _show_failures(summary)
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
    reason = f": {summary.reason}" if summary.reason else ""
    click.echo(f"{name}: {words.get(summary.state, summary.state)}{reason}")
    _show_figures(summary)
    _show_failures(summary)


def _show_failures(summary: Summary) -> None:
    for failure in summary.failures[:FAILURES_SHOWN]:
        click.echo(f"  failed     {failure.document}: {failure.error}")
    if len(summary.failures) > FAILURES_SHOWN:
        click.echo(f"  ... and {len(summary.failures) - FAILURES_SHOWN} more")


def _show_figures(summary: Summary) -> None:
    """Print what each stage did."""
    _show_fetch(summary.details.get(FETCH, {}))
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
    if deployed:
        click.echo(f"  published  {seen_from_here(deployed['path'])}")


def _show_fetch(fetched: Mapping[str, Any]) -> None:
    if not fetched:
        return
    keys = ("new", "changed", "moved", "unchanged", "gone")
    parts = [f"{fetched[key]} {key}" for key in keys if fetched.get(key)]
    click.echo(f"  fetched    {', '.join(parts) or 'nothing'}")
    for problem in fetched.get("skipped_names", [])[:SKIPPED_SHOWN]:
        click.echo(f"  skipped    {problem}")
    if fetched.get("skipped", 0) > SKIPPED_SHOWN:
        click.echo(f"  ... and {fetched['skipped'] - SKIPPED_SHOWN} more")


def exit_code(summaries: Sequence[Summary]) -> int:
    """Return 0 when every run succeeded, else 4."""
    return 0 if all(summary.succeeded for summary in summaries) else EXIT_DOCUMENTS_FAILED


@click.command()
@click.option("-s", "--subdomain", "--site", "subdomain", help="The site to queue.")
@click.option("--next-site", is_flag=True, help="The site that was updated longest ago.")
@click.option("--ocr-backend", help="The OCR engine for this run.")
@click.option("--restart", is_flag=True, help="Give up a run that is under way.")
def update(subdomain: str | None, next_site: bool, ocr_backend: str | None, restart: bool) -> None:
    """Queue a site for the workers.

    \b
    Examples:
      clerk update -s springfield
      clerk update --next-site
    """
    settings = open_database()
    from clerk.core import db
    from clerk.pipeline import runs

    if bool(subdomain) == next_site:
        raise click.UsageError("Give either -s SITE or --next-site.")
    name = subdomain or db.get_oldest_site()
    if name is None:
        click.echo("No site is due.")
        return
    options = {"ocr_backend": ocr_backend} if ocr_backend else {}
    runs.check_engine([name], options, settings)
    run_id = runs.start(name, options=options, restart=restart)
    _tell_what_is_not_applied({name: run_id}, options)
    click.echo(f"Queued {name} as {run_id}.")
    if settings.embedded:
        hint(f"REDIS_URL is not set, so no worker will see it. Do it here: clerk run {name}")
