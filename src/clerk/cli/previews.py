"""Showing what a source offers before anything is stored; for ``site add`` and ``fetch-test``."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

import click

from .common import hint, numbered, plain

if TYPE_CHECKING:
    from clerk.fetch.preview import OfferedDocument, Preview
    from clerk.pipeline.first_look import FirstLook, Looked

#: How many documents are shown as examples, and how many problems by name.
EXAMPLES = 3
PROBLEMS = 5
#: How many files of a folder are shown as examples, and how many in doubt.
LOOKED_AT = 10
DOUBTFUL = 200


def show_preview(preview: Preview, where: str = "") -> None:
    """Print how many meetings and documents there are, of which years, and a few examples."""
    where = f" ({where})" if where else ""
    click.echo(plain(f"{preview.source}{where}, fetched by {preview.scraper!r}:"))
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
        hint(plain(f"  problem: {problem.what}: {problem.why}"))
    if preview.skipped:
        reasons = Counter(problem.why for problem in preview.skipped)
        listed = ", ".join(f"{why} ({number})" for why, number in reasons.most_common(PROBLEMS))
        click.echo(plain(f"  skipped {numbered(len(preview.skipped), 'link')}: {listed}"))


def _show_problems(lines: Sequence[str]) -> None:
    for line in lines[:DOUBTFUL]:
        hint(plain(f"  {line}"))
    if len(lines) > DOUBTFUL:
        hint(f"  ... and {len(lines) - DOUBTFUL} more")


def show_first_look(looked: Looked, subdomain: str) -> None:
    """Print what the files of a folder are taken for: counts, examples, everything in doubt."""
    from clerk.ops.document_facts import doubts_of

    files = looked.files
    if not files:
        _show_problems([f"not taken: {each}" for each in looked.refused])
        click.echo("There are no documents in this folder yet.")
        return
    click.echo(f"{numbered(len(files), 'document')}, identified as:")
    for kind, number in Counter(
        each.identity.kind.value or "unknown" for each in files
    ).most_common():
        click.echo(f"  {number:6}  {kind}")
    undated = sum(not each.identity.date.value for each in files)
    bodies = Counter(each.identity.body.value or "" for each in files)
    click.echo(f"  {len(files) - undated} with a date, {undated} without")
    named = sorted(bodies, key=lambda body: -bodies[body])
    listed = ", ".join(f"{body} ({bodies[body]})" for body in named[:LOOKED_AT] if body)
    unknown = f"; unknown for {bodies['']}" if bodies[""] else ""
    click.echo(plain(f"  bodies: {listed or 'none'}{unknown}"))
    if len(files) > LOOKED_AT:
        click.echo("Examples:")
    print_first_looks(files[:: max(1, len(files) // LOOKED_AT)][:LOOKED_AT])
    doubtful = [each for each in files if each.has_text and doubts_of(each.identity)]
    if doubtful:
        click.echo(f"In doubt: {len(doubtful)}")
        print_first_looks(doubtful[:DOUBTFUL])
        if len(doubtful) > DOUBTFUL:
            click.echo(f"  ... and {len(doubtful) - DOUBTFUL} more")
    scans = [each for each in files if not each.has_text and not each.trouble]
    if scans or looked.unread:
        click.echo(
            f"{numbered(len(scans), 'document')} without a text layer (scans, or not checked): "
            f"the first run reads and identifies them."
        )
    _show_problems([f"problem: {each.file}: {each.trouble}" for each in files if each.trouble])
    _show_problems([f"not taken: {each}" for each in looked.refused])
    hint(f"Correct it after the first run: clerk documents set {subdomain} PATTERN --date ...")


def print_first_looks(files: Iterable[FirstLook]) -> None:
    """Print what files are taken for."""
    from clerk.ops.document_facts import doubts_of

    print_identities(
        (
            *(each.identity.date.value, each.identity.kind.value, each.identity.body.value),
            each.file,
            doubts_of(each.identity)
            if each.has_text
            else ["cannot be read" if each.trouble else "not read yet"],
        )
        for each in files
    )


#: What the columns of the date, the kind and the body take, with the spaces after them.
_BODY_LETTERS: Final = 24
_BEFORE_FILE: Final = 10 + 2 + 10 + 2 + _BODY_LETTERS + 2
#: No wider, even on a wide terminal or in a file.
_WIDEST: Final = 120


def print_identities(
    rows: Iterable[tuple[object, str | None, str | None, str, Sequence[str]]],
) -> None:
    """Print date, kind, body and file of documents, cut to the terminal, with doubts below.

    The end of a path says more than its beginning.
    """
    letters = max(80, min(shutil.get_terminal_size((100, 0)).columns, _WIDEST)) - _BEFORE_FILE

    def line(day: object, kind: str, body: str, file: str) -> str:
        shown = body if len(body) <= _BODY_LETTERS else f"{body[: _BODY_LETTERS - 1]}…"
        file = plain(file)
        path = file if len(file) <= letters else f"…{file[1 - letters :]}"
        return f"{day!s:10}  {kind:10}  {shown:{_BODY_LETTERS}}  {path}"

    listed = list(rows)
    if listed:
        click.echo(line("DATE", "KIND", "BODY", "FILE"))
    for day, kind, body, file, doubts in listed:
        click.echo(line(day or "-", kind or "-", body or "-", file))
        if doubts:
            click.echo(f"            {'; '.join(doubts)}")


def described(document: OfferedDocument) -> str:
    """Return one document in a line."""
    day = str(document.day or "no date")
    form = f" ({document.format})" if document.format else ""
    return plain(f"{day}  {document.kind:8}{document.body or document.title}: {document.url}{form}")


def as_json(preview: Preview) -> dict[str, object]:
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
