"""``clerk export``: write the pages and votes of a site to a file."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from clerk.core import config, storage
from clerk.core.errors import InvalidInput, NotFound

from .common import check_database, hint

#: What can be exported: the queries of `clerk.publish.export`, which takes long to load.
TABLES = (
    *(
        "pages",
        "votes",
        "documents",
        "parts",
        "entities",
        "items",
        "attendance",
        "speakers",
        "interests",
    ),
    *("matters", "matter_appearances", "people", "person_names"),
)


@click.command()
@click.argument("site")
@click.option(
    "--format",
    "kind",
    type=click.Choice(["csv", "jsonl", "json", "txt", "zip"]),
    default="jsonl",
    show_default=True,
    help="File format.",
)
@click.option(
    "--table",
    type=click.Choice(TABLES),
    metavar="TABLE",
    default="pages",
    show_default=True,
    help="Table to export; zip contains all tables.",
)
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write to this file instead of stdout.",
)
def export(site: str, kind: str, table: str, output: Path | None) -> None:
    """Export the pages and votes of a site.

    Tables: pages, votes, documents, parts, entities, items, attendance,
    speakers, interests, matters, matter_appearances, people, person_names.

    docs/meetings-db.md describes the tables.

    \b
    Examples:
      clerk export springfield > pages.jsonl
      clerk export springfield --table votes --format csv -o votes.csv
      clerk export springfield --table attendance --format csv
      clerk export springfield --format zip -o springfield.zip
    """
    from clerk.core import db
    from clerk.publish import export as exporting

    if kind == "zip" and output is None and sys.stdout.isatty():
        raise click.UsageError("A zip file cannot be printed on a terminal: give a file with -o.")
    if output and not output.absolute().parent.is_dir():
        raise InvalidInput(f"There is no folder {output.parent}.")
    settings = config.load()
    folder = storage.site_folder(settings.storage_dir, site)
    if not (folder / "meetings.db").exists():
        # The site may not exist at all, which is another error.
        check_database(settings)
        with db.reading_connection() as conn:
            db.require_site(conn, site)
        raise NotFound(f"{site} has not been compiled yet.", hint=f"clerk run {site}")
    if output is None:
        exporting.export(folder, settings, sys.stdout.buffer, kind, table)
        return
    with storage.written_whole(output) as part, part.open("wb") as file:
        rows = exporting.export(folder, settings, file, kind, table)
    hint(f"{rows:,} rows written to {output}.")
