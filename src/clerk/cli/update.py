"""``clerk update``: queue sites for the workers."""

from __future__ import annotations

import click

from .common import hint, numbered, on_a_terminal, open_database
from .run import warn_about_ignored_options


@click.command()
@click.option("-s", "--subdomain", "--site", "subdomain", help="Site to queue.")
@click.option("--next-site", is_flag=True, help="Queue the least recently updated site.")
@click.option("--all-due", is_flag=True, help="Queue every site not updated for 23 hours.")
@click.option("--ocr-backend", metavar="NAME", help="OCR engine for this run, such as tesseract.")
@click.option("--restart", is_flag=True, help="Replace a run that is not finished.")
@click.option("--urgent", is_flag=True, help="Put it at the front of the queue.")
@click.option(
    "--all-years",
    "--all-agendas",
    "all_years",
    is_flag=True,
    help="List all years of the source, not only recent meetings.",
)
@click.option("--skip-fetch", is_flag=True, hidden=True, help="Of the old system; see clerk redo.")
@click.option("--fetch-local", is_flag=True, hidden=True, help="Of the old system; see clerk run.")
def update(
    subdomain: str | None,
    next_site: bool,
    all_due: bool,
    ocr_backend: str | None,
    restart: bool,
    urgent: bool,
    all_years: bool,
    skip_fetch: bool,
    fetch_local: bool,
) -> None:
    """Queue sites for the workers.

    Every run lists the recent meetings of the source, and once a week all of
    them.  With --all-years the next run lists all of them, too.  (The old
    system's --all-agendas does the same.)

    \b
    Examples:
      clerk update -s springfield
      clerk update -s springfield --all-years
      clerk update --next-site
      clerk update --all-due
    """
    settings = open_database()
    from clerk.core import db
    from clerk.core.run_options import RunOptions
    from clerk.pipeline import runs

    if skip_fetch or fetch_local:
        option = "--skip-fetch" if skip_fetch else "--fetch-local"
        instead = "clerk redo --stage ocr --site SITE" if skip_fetch else "clerk run SITE"
        raise click.UsageError(f"There is no option {option} any more. Use: {instead}")
    if (subdomain is not None) + next_site + all_due != 1:
        raise click.UsageError("Give -s SITE, --next-site or --all-due.")
    if all_due and (restart or urgent):
        raise click.UsageError("--restart and --urgent are for one site.")
    options = RunOptions(ocr_backend=ocr_backend)
    if all_due:
        if ocr_backend:
            runs.check_engine(runs.due_sites(), options, settings)
        if all_years:
            runs.list_all_years(runs.due_sites())
        queued = 0
        for queued in runs.start_due(settings, options):
            if on_a_terminal():
                hint(f"{numbered(queued, 'site')} queued")
        click.echo(f"Queued {numbered(queued, 'site')}." if queued else "No site is due.")
        here = "clerk run --all-due"
    else:
        name = subdomain or db.get_oldest_site()
        if name is None:
            click.echo("No site is due.")
            return
        runs.check_engine([name], options, settings)
        if all_years:
            runs.list_all_years([name])
        run_id = runs.start(settings, name, options=options, restart=restart, urgent=urgent)
        warn_about_ignored_options({name: run_id}, options)
        click.echo(f"Queued {name} as {run_id}.")
        here, queued = f"clerk run {name}", 1
    if queued and settings.embedded and not settings.uses_postgresql:
        hint(f"REDIS_URL is not set, so no worker will see it. To do the work here: {here}")
