"""``clerk demo``: the whole pipeline on sample documents."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import click

from clerk.core import config, storage
from clerk.core.states import Run

from .common import EXIT_DOCUMENTS_FAILED, hint, open_database, seen_from_here
from .verbosity import verbosity_options

SITE = "millbrook-falls"


@click.command()
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("demo"),
    show_default=True,
    help="Folder for the demo.",
)
@click.option("--fresh", is_flag=True, help="Remove the files of an earlier demo first.")
@verbosity_options
@click.pass_context
def demo(ctx: click.Context, folder: Path, fresh: bool) -> None:
    """Run the whole pipeline on sample documents.

    They come from an invented town.  No server is needed.  One of the documents
    is damaged on purpose, to show what a failure looks like.

    \b
    Example:
      clerk demo
    """
    sites, documents = folder / "sites", folder.absolute() / "documents"
    if fresh:
        others = [each.name for each in sites.glob("[!._]*/") if each.name != SITE]
        if others:
            named = ", ".join(sorted(others))
            hint(f"{sites} contains other sites ({named}), so nothing is removed.")
        elif (sites / "clerk.db").is_file():
            shutil.rmtree(sites)
            shutil.rmtree(documents, ignore_errors=True)
    storage_dir = storage.check_storage(sites.absolute(), create=True)
    config.work_embedded_in(storage_dir)
    settings = open_database()
    from clerk.core import db
    from clerk.pipeline import runs
    from clerk.samples import SCAN_ONLY_PHRASE, TOWN, write_samples

    from .run import show, work_here

    if not documents.is_dir():
        hint("Writing sample documents: minutes and agendas, digital and scanned ...")
        with storage.directory_written_whole(documents) as part:
            write_samples(part)
    with db.civic_db_connection() as conn:
        extra = json.dumps({"source": str(documents)})
        row = {"subdomain": SITE, "name": TOWN, "kind": "town", "scraper": "folder"}
        db.upsert_site(conn, row | {"extra": extra})
    run_id = runs.start(settings, SITE)
    work_here([run_id], settings)
    click.echo()
    summary = runs.summarise(run_id)
    show([summary])
    if summary.state not in (Run.COMPLETED, Run.PARTIAL):
        ctx.exit(EXIT_DOCUMENTS_FAILED)
    clerk = "clerk"
    if not shutil.which(clerk):
        clerk = min(os.path.relpath(sys.argv[0]), str(Path(sys.argv[0]).absolute()), key=len)
    click.echo(
        "The document that failed was damaged on purpose: this is what a failure looks like."
    )
    published = seen_from_here(settings.published / SITE)
    click.echo()
    click.echo("Open the published site in a browser:")
    click.echo(f"  {published}/index.html")
    click.echo("With a web server, it can be searched:")
    click.echo(f"  python3 -m http.server --bind 127.0.0.1 --directory {published}")
    click.echo()
    click.echo("Try next:")
    click.echo(f"  export STORAGE_DIR={seen_from_here(storage_dir)}")
    for command, why in (
        (f'search "{SCAN_ONLY_PHRASE}"', "a phrase that is only in a scan"),
        (f"site show {SITE}", ""),
        (f"run {SITE}", "again: nothing new, no work"),
        ("serve", "search page and operators' pages"),
        ("site add NAME --from FOLDER", "your own documents"),
    ):
        click.echo(f"  {clerk} {command:40} {why}".rstrip())
