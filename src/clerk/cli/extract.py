"""``clerk extract``: the votes and entities in files."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from clerk.core import config
from clerk.core.errors import DocumentError

from .common import EXIT_DOCUMENTS_FAILED, hint

if TYPE_CHECKING:
    from clerk.extract import Entity, Extraction, Vote


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
@click.option("--entities", is_flag=True, help="Print names, dates, amounts ... instead of votes.")
def extract(files: tuple[str, ...], as_json: bool, entities: bool) -> None:
    """Print the votes found in minutes, or their entities.

    Reads PDF and text files. Offsets are characters of the file's text, for a PDF of its pages
    joined by form feeds. Every name is printed in the document, and a result is what the document
    says, never what the numbers say.

    \b
    Examples:
      clerk extract minutes.pdf
      clerk extract --json minutes/*.txt > votes.jsonl
      clerk extract --entities --json minutes.txt | jq 'select(.type == "money")'
    """
    failed = 0
    for file in files:
        try:
            found = _extraction(file)
        except (DocumentError, OSError) as error:
            hint(str(error) if str(error).startswith(str(file)) else f"{file}: {error}")
            failed += 1
            continue
        lines = _entity_lines if entities else _vote_lines
        for line in lines(file, found, as_json):
            click.echo(line)
    if failed:
        hint(f"{failed} of {len(files)} files could not be read.")
        sys.exit(EXIT_DOCUMENTS_FAILED)


def _extraction(file: str) -> Extraction:
    from clerk.extract import extract_text, extract_whole

    path = Path(file)
    if path.suffix.lower() == ".pdf":
        return extract_text(_pdf_pages(path))
    return extract_whole(path.read_bytes().decode("utf-8", "replace"))


def _pdf_pages(path: Path) -> list[str]:
    from clerk.read.child import read_in_child
    from clerk.read.documents import ReadingOptions, raise_for_failed_pages

    settings = config.load()
    options = ReadingOptions.from_settings(settings)
    document = read_in_child(path, options, None, memory_mb=settings.worker_memory_mb)
    raise_for_failed_pages(path, document)
    return [page.text for page in document.pages]


def _vote_lines(file: str, found: Extraction, as_json: bool) -> Iterator[str]:
    from clerk.extract import vote_as_row

    for vote in found.votes:
        yield _json(vote_as_row(file, vote)) if as_json else _vote_as_text(file, vote)
    if not found.votes:
        hint(f"{file}: no votes found.")


def _entity_lines(file: str, found: Extraction, as_json: bool) -> Iterator[str]:
    import msgspec

    for entity in found.entities:
        row = {"doc": file, **msgspec.structs.asdict(entity)}
        yield _json(row) if as_json else _entity_as_text(file, entity)


def _json(row: dict[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False)


def _vote_as_text(file: str, vote: Vote) -> str:
    place = file if vote.page is None else f"{file}, page {vote.page}"
    lines = [f"{place}: {vote.result.upper()}{_tally(vote)} - {vote.motion or '(no words)'}"]
    if vote.mover or vote.seconder:
        lines.append(f"  moved by {vote.mover or '?'}, seconded by {vote.seconder or '?'}")
    for title in ("ayes", "noes", "abstain", "absent", "recused"):
        names = getattr(vote, title)
        if names:
            lines.append(f"  {title}: {', '.join(names)}")
    if vote.flags:
        lines.append(f"  note: {', '.join(flag.replace('_', ' ') for flag in vote.flags)}")
    return "\n".join(lines)


def _tally(vote: Vote) -> str:
    if vote.tally is None or "yes" not in vote.tally:
        return " unanimously" if vote.unanimous else ""
    return f" {vote.tally['yes']}-{vote.tally.get('no', 0)}"


def _entity_as_text(file: str, entity: Entity) -> str:
    place = file if entity.page is None else f"{file}, page {entity.page}"
    role = f" ({entity.role})" if entity.role else ""
    return f"{place}: {entity.type}: {entity.value}{role}"
