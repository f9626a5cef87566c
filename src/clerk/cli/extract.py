"""``clerk extract``: the votes and entities in files."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec.structs import asdict

from clerk.core.errors import DocumentError

from .common import EXIT_DOCUMENTS_FAILED, hint

if TYPE_CHECKING:
    from clerk.extract import Vote
    from clerk.library import Library

#: Flags that only say how a motion is written: for programs, which have the quote to compare.
FORMS = frozenset({"mover_seconder_colon"})


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False))
@click.option(
    "--json", "as_json", is_flag=True, help="Print all findings: one JSON object per file."
)
@click.option("--votes", is_flag=True, help="With --json: only votes, one JSON object per line.")
@click.option("--entities", is_flag=True, help="Only names, dates and amounts, one per line.")
@click.option("--all", "everything", is_flag=True, hidden=True, help="The same as --json.")
@click.option("--explain", is_flag=True, help="Show which rules matched, with their quotes.")
def extract(
    files: tuple[str, ...],
    as_json: bool,
    votes: bool,
    entities: bool,
    everything: bool,
    explain: bool,
) -> None:
    """Print the votes and names found in files.

    With --json, all findings: also items, attendance, speakers, matters and people.
    Reads PDF, HTML, DOCX and text files. Offsets count characters of the file's
    text; the pages of a document are joined by form feeds. Every name occurs in the document;
    a result is what the document says, never computed from the numbers. Fields
    in "doubtful" are not facts: check the quote.

    \b
    Examples:
      clerk extract minutes.pdf
      clerk extract --json minutes.txt | jq '.attendance, .votes'
      clerk extract --votes --json minutes/*.txt > votes.jsonl
      clerk extract --entities --json minutes.txt | jq 'select(.type == "money")'
      clerk extract --explain minutes.txt
    """
    from clerk.extract import extraction_as_row, vote_as_row
    from clerk.library import Library

    if explain and (as_json or entities or everything):
        raise click.UsageError("--explain cannot be combined with --json or --entities.")
    if (votes or everything) and entities:
        raise click.UsageError("--entities cannot be combined with --votes or --all.")
    library = Library()
    failed = 0
    for file in files:
        path = Path(file)
        try:
            if explain:
                for line in _explanation_lines(path, library):
                    click.echo(line)
                continue
            found = library.extract(_text_of(path, library))
        except (DocumentError, OSError) as error:
            hint(str(error) if str(error).startswith(file) else f"{file}: {error}")
            failed += 1
            continue
        if everything or (as_json and not votes and not entities):
            click.echo(_json(extraction_as_row(file, found)))
            continue
        if entities:
            for entity in found.entities:
                if as_json:
                    click.echo(_json({"doc": file, **asdict(entity)}))
                    continue
                place = file if entity.page is None else f"{file}, page {entity.page}"
                role = f" ({entity.role})" if entity.role else ""
                click.echo(f"{place}: {entity.type}: {entity.value}{role}")
            continue
        for vote in found.votes:
            click.echo(_json(vote_as_row(file, vote)) if as_json else _vote_as_text(file, vote))
        if not found.votes:
            hint(f"{file}: no votes found.")
    if failed:
        hint(f"{failed} of {len(files)} files could not be read.")
        sys.exit(EXIT_DOCUMENTS_FAILED)


def _explanation_lines(path: Path, library: Library) -> Iterator[str]:
    """Yield, for each vote, what is published, which rule read it where, and what is in doubt."""
    from clerk.extract import explain_text

    text = _text_of(path, library)
    readings = explain_text(text if isinstance(text, str) else "\f".join(text))
    for reading in readings:
        vote = reading.vote
        yield _vote_as_text(str(path), vote)
        for step in reading.steps():
            yield f"  {step.start:>7}  {step.rule}: {step.quote}"
        sure = ", ".join(f"{field} {share:.2f}" for field, share in vote.field_confidence.items())
        yield f"  confidence {vote.confidence:.2f} ({sure})"
        for field, reasons in reading.doubts.of.items():
            if reasons:
                yield f"  doubts about {field}: {', '.join(reasons)}"
        yield ""
    if not readings:
        hint(f"{path}: no votes found.")


def _text_of(path: Path, library: Library) -> str | list[str]:
    """Return the pages of a document, or the text of a file of text."""
    from clerk.fetch.local_files import FILE_SUFFIXES
    from clerk.read.documents import raise_for_failed_pages

    if path.suffix.lower() not in FILE_SUFFIXES:
        return path.read_bytes().decode("utf-8", "replace")
    document = library.read(path, processes=1)
    raise_for_failed_pages(path, document)
    return [page.text for page in document.pages]


def _json(row: dict[str, object]) -> str:
    return json.dumps(row, ensure_ascii=False)


def _vote_as_text(file: str, vote: Vote) -> str:
    place = file if vote.page is None else f"{file}, page {vote.page}"
    tally = " unanimously" if vote.unanimous else ""
    if vote.tally is not None and "yes" in vote.tally:
        tally = f" {vote.tally['yes']}-{vote.tally.get('no', 0)}"
    lines = [f"{place}: {vote.result.upper()}{tally} - {vote.motion or '(no words)'}"]
    if vote.mover or vote.seconder:
        lines.append(f"  moved by {vote.mover or '?'}, seconded by {vote.seconder or '?'}")
    for title in ("ayes", "noes", "abstain", "absent", "recused"):
        names = getattr(vote, title)
        if names:
            lines.append(f"  {title}: {', '.join(names)}")
    if vote.doubtful:
        lines.append(f"  not certain: {', '.join(vote.doubtful)}")
    notes = [flag.replace("_", " ") for flag in vote.flags if flag not in FORMS]
    if notes:
        lines.append(f"  note: {', '.join(notes)}")
    return "\n".join(lines)
