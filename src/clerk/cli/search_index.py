"""``clerk search-index``: status, update and rebuild of this machine's search index."""

from __future__ import annotations

from dataclasses import asdict

import click
import msgspec

from .common import hint, json_option, numbered, open_database, print_json, print_table


@click.group("search-index")
def search_index() -> None:
    """Show, update or rebuild the search index.

    clerk run and clerk serve keep it up to date; it can be rebuilt at any
    time while it is searched.

    \b
    Examples:
      clerk search-index status
      clerk search-index rebuild
    """


@search_index.command()
@click.option("--check", is_flag=True, help="Read and verify every file.")
@json_option
def status(check: bool, as_json: bool) -> None:
    """Show the parts of the index; exit 1 if damaged.

    \b
    Example:
      clerk search-index status --check
    """
    settings = open_database()
    from clerk.pipeline import search_index as keeping

    found = keeping.status(settings, content=check)
    if as_json:
        shards = [
            asdict(each) | {"rebuilding": msgspec.to_builtins(each.rebuilding)}
            for each in found.shards
        ]
        print_json({"path": str(found.path), "is_ok": found.is_ok, "shards": shards})
    elif not found.shards:
        click.echo("The search index has not been built yet.")
        hint("Build it: clerk search-index update")
    else:
        rows = []
        for each in found.shards:
            state = "damaged" if each.damage else "ok"
            if each.rebuilding:
                state = f"rebuilding, {each.rebuilding.sites} of {each.rebuilding.of_sites} sites"
            size = f"{each.bytes / 1e6:,.1f} MB"
            counts = (f"{each.documents:,}", f"{each.pages:,}", size, each.behind)
            rows.append((each.shard, state, *counts, len(each.waiting)))
        columns = ("PART", "STATE", "DOCUMENTS", "PAGES", "SIZE", "BEHIND", "WAITING SITES")
        print_table(columns, rows)
        for each in found.shards:
            if each.damage:
                hint(f"Part {each.shard}: {each.damage}")
    if not found.is_ok:
        raise SystemExit(1)


@search_index.command()
def update() -> None:
    """Index what has changed since the last update.

    \b
    Example:
      clerk search-index update
    """
    settings = open_database()
    from clerk.pipeline import mirror
    from clerk.pipeline import search_index as keeping

    if settings.storage_url:
        mirror.bring_databases(settings)
    documents = keeping.update(settings)
    click.echo(f"Indexed {numbered(documents, 'document')}.")


@search_index.command()
def rebuild() -> None:
    """Rebuild the index next to the one in use.

    The current index is searched and updated until the new one is complete and
    replaces it.

    \b
    Example:
      clerk search-index rebuild
    """
    settings = open_database()
    from clerk.pipeline import mirror
    from clerk.pipeline import search_index as keeping

    if settings.storage_url:
        mirror.bring_databases(settings)

    def report(state: keeping.RebuildState) -> None:
        hint(f"{state.sites} of {state.of_sites} sites, {state.pages:,} pages")

    done = keeping.rebuild(settings, report=report)
    click.echo(f"Rebuilt: {numbered(done.sites, 'site')}, {done.pages:,} pages.")
