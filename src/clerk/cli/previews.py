"""Showing what a source offers before anything is stored; for ``site add`` and ``fetch-test``."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from .common import hint, numbered

if TYPE_CHECKING:
    from clerk.fetch.preview import OfferedDocument, Preview

#: How many documents are shown as examples, and how many problems by name.
EXAMPLES = 3
PROBLEMS = 5


def show_preview(preview: Preview, found_in: str = "") -> None:
    """Print how many meetings and documents there are, of which years, and a few examples."""
    where = f" (found in {found_in})" if found_in else ""
    click.echo(f"{preview.source}{where}, fetched by {preview.scraper!r}:")
    more = " so far; there are more pages" if preview.stopped_early else ""
    documents = numbered(len(preview.documents), "document")
    click.echo(f"  {numbered(preview.meetings, 'meeting')}, {documents}{more}")
    for kind, number in sorted(Counter(each.kind for each in preview.documents).items()):
        years = Counter(
            str(each.day.year) if each.day else "no date"
            for each in preview.documents
            if each.kind == kind
        )
        listed = ", ".join(f"{year}: {years[year]}" for year in sorted(years, reverse=True)[:8])
        click.echo(f"  {kind}: {number} ({listed}{', ...' if len(years) > 8 else ''})")
    if preview.days:
        click.echo(f"  newest {preview.days[1]}, oldest {preview.days[0]}")
    for each in preview.documents[:EXAMPLES]:
        click.echo(f"  {described(each)}")
    for problem in preview.errors[:PROBLEMS]:
        hint(f"  problem: {problem.what}: {problem.why}")
    if preview.skipped:
        reasons = Counter(problem.why for problem in preview.skipped)
        listed = ", ".join(f"{number} {why}" for why, number in reasons.most_common(PROBLEMS))
        click.echo(f"  skipped: {listed}")


def described(document: OfferedDocument) -> str:
    """Return one document in a line."""
    day = str(document.day or "no date")
    form = f" ({document.format})" if document.format else ""
    return f"{day}  {document.kind:8}{document.body}: {document.url}{form}"


def as_json(preview: Preview) -> dict[str, Any]:
    """Return a preview for ``--json``."""
    return {
        "scraper": preview.scraper,
        "source": preview.source,
        "meetings": preview.meetings,
        "stopped_early": preview.stopped_early,
        "documents": [vars(each) for each in preview.documents],
        "skipped": [vars(each) for each in preview.skipped],
        "errors": [vars(each) for each in preview.errors],
    }
