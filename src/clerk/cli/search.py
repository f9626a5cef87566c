"""``clerk search``: find pages in the compiled sites."""

from __future__ import annotations

import shutil
import textwrap
from typing import TYPE_CHECKING

import click

from clerk.site_db.schema import DOCUMENT_KINDS

from .common import hint, json_option, numbered, plain, print_json

if TYPE_CHECKING:
    from clerk.search import Hit, Results

_MARK = "\x01"
_UNMARK = "\x02"


@click.command()
@click.argument("query", nargs=-1, required=True)
@click.option("--site", "-s", help="Only this site.")
@click.option("--body", help="Only this body, such as 'City Council'.")
@click.option("--kind", type=click.Choice(DOCUMENT_KINDS), help="Only documents of this kind.")
@click.option("--state", help="Only places of this state.")
@click.option("--person", help="Only pages with a vote of this person.")
@click.option("--from", "since", help="Earliest day, month or year.")
@click.option("--to", "until", help="Latest day, month or year.")
@click.option(
    "--sort",
    type=click.Choice(["relevance", "newest", "oldest", "first-seen"]),
    default="relevance",
    show_default=True,
    help="Order of the results.",
)
@click.option(
    "--limit",
    "-n",
    type=click.IntRange(1, 1000),
    default=10,
    show_default=True,
    help="Maximum number of documents.",
)
@click.option("--pages", "single_pages", is_flag=True, help="List pages instead of documents.")
@click.option("--after", metavar="CURSOR", help="Continue after an earlier page of results.")
@json_option
def search(
    query: tuple[str, ...],
    site: str | None,
    body: str | None,
    kind: str | None,
    state: str | None,
    person: str | None,
    since: str | None,
    until: str | None,
    sort: str,
    limit: int,
    single_pages: bool,
    after: str | None,
    as_json: bool,
) -> None:
    """Search the compiled sites.

    All words must be on the page; "words in quotes" are an exact phrase;
    -word excludes a word; OR accepts either; zon* matches every word that
    begins with zon; varience~ matches similar words; body:council,
    site:NAME, kind:, state:, person: and date:2024-01..2024-03 filter.  Put
    -- before a query that starts with a minus.  docs/search.md describes the whole syntax.

    \b
    Examples:
      clerk search zoning variance --site springfield
      clerk search '"short-term rental" -hotel' --from 2023 --sort newest
      clerk search 'ordinan* OR resolution' --json
    """
    from clerk.library import Library
    from clerk.search import parse

    text = " ".join(query)
    if parse(text).group is None:
        raise click.UsageError("The query is empty: give a word to search for.")
    results = Library().search(
        text,
        site=site,
        body=body,
        kind=kind,
        state=state,
        person=person,
        since=since,
        until=until,
        sort=sort,
        limit=limit,
        single_pages=single_pages,
        after=after,
        all_facets=as_json,
    )
    if results.is_partial:
        hint("A part of the search index is being rebuilt; results may be missing.")
    if as_json:
        print_json(_as_json(text, results))
        return
    if not results.total:
        click.echo("No page matches.")
        if results.did_you_mean:
            hint(f"Did you mean: {results.did_you_mean}")
        else:
            hint("Try fewer words, a prefix such as zon*, or OR between words.")
        return
    width = min(shutil.get_terminal_size().columns, 100)
    start, _, end = click.style(_MARK, fg="yellow", bold=True).partition(_MARK)
    for found in results.found:
        facts = found.facts
        gone = f"  (gone from its source since {facts.gone_at[:10]})" if facts.gone_at else ""
        for hit in found.best:
            where = click.style(f"{hit.site}  {plain(hit.file)}  page {hit.page}", bold=True)
            click.echo(where + gone)
            click.echo(f"  {_described(hit)}")
            # Colours are added after wrapping, because they have no width.
            raw = "".join(
                f"{_MARK}{plain(text)}{_UNMARK}" if is_hit else plain(text)
                for text, is_hit in hit.snippet
            )
            wrapped = textwrap.fill(raw, width, initial_indent="  ", subsequent_indent="  ")
            click.echo(wrapped.replace(_MARK, start).replace(_UNMARK, end))
        if found.pages_found > len(found.best):
            others = found.pages_found - len(found.best)
            click.echo(f"  {numbered(others, 'more page', 'more pages')} of this document")
        click.echo()
    pages = "page" if results.total == 1 else "pages"
    documents = "document" if results.documents == 1 else "documents"
    about = "" if results.documents_are_exact else "about "
    hint(
        f"{results.total:,} {pages} found in {about}{results.documents:,} {documents};"
        f" {len(results.found)} shown."
    )
    if results.cursor:
        hint(f"For more: --after {results.cursor}")


def _described(hit: Hit) -> str:
    """Say what a page is of: minutes of 2026-01-20, in the packet of 2026-02-03."""
    of = hit.of
    kind = of.kind if of.kind not in ("", "unknown") else "document"
    words = plain(f"{of.body} {kind} of {of.date or 'an unknown date'}".strip())
    return f"{words}, in the {hit.kind} of {hit.date or 'an unknown date'}" if hit.part else words


def _as_json(text: str, results: Results) -> dict[str, object]:
    return {
        "query": text,
        "total": results.total,
        "documents": results.documents,
        "documents_are_exact": results.documents_are_exact,
        "is_partial": results.is_partial,
        "cursor": results.cursor,
        "did_you_mean": results.did_you_mean,
        "facets": {
            name: [facet._asdict() for facet in facets] for name, facets in results.facets.items()
        },
        "found": [
            {
                "site": found.facts.site,
                "document": found.facts.document,
                "file": found.facts.file,
                "document_id": found.facts.document_id,
                "pages": found.pages,
                "pages_found": found.pages_found,
                "best_pages": [hit.page_id for hit in found.best],
            }
            for found in results.found
        ],
        "hits": [
            {
                "site": hit.site,
                "document": hit.document,
                "file": hit.file,
                "kind": hit.of.kind,
                "body": hit.of.body,
                "date": hit.of.date or None,
                "in": {"kind": hit.kind, "body": hit.body, "date": hit.date or None}
                if hit.part
                else None,
                "page": hit.page,
                "page_id": hit.page_id,
                "score": hit.score,
                "gone_at": hit.gone_at or None,
                "snippet": "".join(text for text, _ in hit.snippet),
                "parts": [{"text": text, "hit": is_hit} for text, is_hit in hit.snippet],
            }
            for hit in results.hits
        ],
    }
