"""``clerk export``: take the pages and votes of a site elsewhere."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from clerk.core import config, storage
from clerk.core.errors import InvalidInput, NotFound

from .common import hint, open_database


@click.command()
@click.argument("site")
@click.option(
    "--format",
    "kind",
    type=click.Choice(["csv", "jsonl", "json", "txt", "zip"]),
    default="jsonl",
    show_default=True,
)
@click.option(
    "--table",
    type=click.Choice(["pages", "votes", "documents", "entities"]),
    default="pages",
    show_default=True,
    help="What to export; zip holds all of them.",
)
@click.option(
    "--output", "-o", type=click.Path(dir_okay=False, path_type=Path), help="A file, not stdout."
)
def export(site: str, kind: str, table: str, output: Path | None) -> None:
    """Export the pages, votes, documents or entities of a site.

    \b
    Examples:
      clerk export springfield > pages.jsonl
      clerk export springfield --table votes --format csv -o votes.csv
      clerk export springfield --format zip -o springfield.zip
    """
    from clerk.publish import export as exporting

    if kind == "zip" and output is None and sys.stdout.isatty():
        raise click.UsageError("A zip file is not for a terminal: name a file with -o.")
    if output and not output.absolute().parent.is_dir():
        raise InvalidInput(f"There is no folder {output.parent}.")
    settings = config.load()
    folder = storage.site_folder(settings.storage_dir, site)
    if not (folder / "meetings.db").exists():
        raise _not_compiled(site)
    if output is None:
        exporting.export(folder, settings, sys.stdout.buffer, kind, table)
        return
    with storage.written_whole(output) as part, part.open("wb") as file:
        rows = exporting.export(folder, settings, file, kind, table)
    hint(f"{rows:,} rows written to {output}.")


def _not_compiled(site: str) -> NotFound:
    """Tell a site that was never run from one that does not exist."""
    open_database()
    from clerk.core import db

    with db.reading_connection() as conn:
        db.require_site(conn, site)
    return NotFound(f"{site} has not been compiled yet.", hint=f"clerk run {site}")
