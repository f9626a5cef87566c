"""``clerk versions``: the versions of a document, and how two of them differ."""

from __future__ import annotations

from dataclasses import asdict

import click

from .common import hint, json_option, moment, open_database, print_json, print_table


@click.command()
@click.argument("site")
@click.argument("document")
@click.option("--search", "query", metavar="QUERY", help="Search the pages of all versions.")
@click.option("--diff", "compared", is_flag=True, help="Compare the text of two versions.")
@click.option("--old", type=int, default=0, help="Older version; default: the one before --new.")
@click.option("--new", type=int, default=0, help="Newer version; default: the newest.")
@json_option
def versions(
    site: str,
    document: str,
    query: str | None,
    compared: bool,
    old: int,
    new: int,
    as_json: bool,
) -> None:
    """List, search and compare versions.

    Every version is kept. DOCUMENT is its name, as in minutes/City Council/2024-01-16.

    \b
    Examples:
      clerk versions springfield 'minutes/City Council/2024-01-16'
      clerk versions springfield 'minutes/City Council/2024-01-16' --diff
      clerk versions springfield 'minutes/Council/2024-01-16' --search fence
    """
    settings = open_database()
    from clerk.ops import document_versions

    if compared:
        found = document_versions.compare(settings, site, document, old, new)
        if as_json:
            print_json(asdict(found))
        elif found.lines:
            click.echo("\n".join(found.lines))
        else:
            hint("Their text is the same.")
        return
    kept = document_versions.list_versions(site, document)
    if query is not None:
        hits = document_versions.search_versions(settings, site, document, query, kept)
        if as_json:
            print_json([asdict(each) for each in hits])
            return
        for each in hits:
            which = "" if each.version.is_current else ", former version"
            when = moment(each.version.fetched_at)
            click.echo(f"version {each.version.number} ({when}{which}), page {each.page}")
            click.echo("  " + "".join(text for text, _ in each.snippet))
        if not hits:
            hint("No version matches.")
        return
    if as_json:
        print_json([asdict(each) for each in kept])
        return
    print_table(
        ["version", "fetched", "bytes", "sha256"],
        [
            [str(each.number), moment(each.fetched_at), str(each.bytes), each.sha256[:16]]
            for each in kept
        ],
    )
