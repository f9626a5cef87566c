"""``clerk versions``: the versions of a document, and how two of them differ."""

from __future__ import annotations

from dataclasses import asdict

import click

from .common import hint, json_option, moment, open_database, print_json, print_table


@click.command()
@click.argument("site")
@click.argument("document")
@click.option("--diff", "compared", is_flag=True, help="Show how the text of two differs.")
@click.option("--old", type=int, default=0, help="Number of the older one; the one before --new.")
@click.option("--new", type=int, default=0, help="Number of the newer one; the last one.")
@json_option
def versions(site: str, document: str, compared: bool, old: int, new: int, as_json: bool) -> None:
    """List and compare versions of a document.

    Every version is kept. DOCUMENT is its name, as in minutes/City Council/2024-01-16.

    \b
    Examples:
      clerk versions springfield 'minutes/City Council/2024-01-16'
      clerk versions springfield 'minutes/City Council/2024-01-16' --diff
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
