"""``clerk read``: the text of one document."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from clerk.core.errors import InvalidInput

if TYPE_CHECKING:
    from clerk.read.files import PageFacts, ReadDocument


def _page_numbers(
    _context: click.Context, _parameter: click.Parameter, value: str | None
) -> list[int] | None:
    """Parse ``1-3,7``."""
    if value is None:
        return None
    numbers: list[int] = []
    for part in value.split(","):
        first, _, last = part.partition("-")
        try:
            numbers.extend(range(int(first), int(last or first) + 1))
        except ValueError:
            raise click.BadParameter(f"{value!r} is not like 1-3 or 1,4,7") from None
    return numbers


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON object.")
@click.option(
    "--ocr",
    type=click.Choice(["auto", "always", "never"]),
    help="When to use OCR instead of the text layer.  [default: auto]",
)
@click.option("--ocr-backend", metavar="NAME", help="OCR engine, such as tesseract.")
@click.option(
    "--language", "languages", multiple=True, metavar="CODE", help="Language for OCR, such as spa."
)
@click.option(
    "--pages", callback=_page_numbers, metavar="RANGE", help="Only these pages, such as 1-3,7."
)
def read(
    file: Path,
    as_json: bool,
    ocr: str | None,
    ocr_backend: str | None,
    languages: tuple[str, ...],
    pages: list[int] | None,
) -> None:
    """Print the text of a PDF, HTML or DOCX file.

    Uses the text layer of each page of a PDF if it is good, OCR if it is not. The text goes to
    stdout with a form feed between pages; how each page was read goes to stderr.

    \b
    Examples:
      clerk read minutes.pdf
      clerk read --pages 1-3 --ocr always --language eng+spa minutes.pdf
      clerk read agenda.docx
      clerk read --json minutes.pdf | jq '.pages[].method'
    """
    from clerk.library import Library
    from clerk.read.documents import raise_for_failed_pages

    chosen = tuple(code for each in languages for code in each.split("+") if code)
    document = Library().read(file, pages=pages, ocr=ocr, engine=ocr_backend, languages=chosen)
    if not document.pages:
        raise InvalidInput(
            f"{file} has pages 1 to {document.page_count}; none of them was selected."
        )
    for page in document.pages:
        click.echo(_line(page.facts), err=True)
    if as_json:
        click.echo(_as_json(file, document))
    else:
        click.echo("\f".join(page.text for page in document.pages).removesuffix("\n"))
    raise_for_failed_pages(file, document)


def _line(facts: PageFacts) -> str:
    by_ocr = f"OCR by {facts.engine}, {facts.dpi} dpi"
    words = {"text": "text layer", "ocr": by_ocr, "mix": f"text layer and {by_ocr}"}
    said = [f"page {facts.page}: {words.get(facts.method, facts.method)}"]
    if facts.confidence:
        said.append(f"confidence {facts.confidence:.3f}")
    return ", ".join(said + [note for note in (facts.why, facts.error) if note])


def _as_json(file: Path, document: ReadDocument) -> str:
    from clerk.read.files import UNIT

    pages = [
        {
            **msgspec.structs.asdict(page.facts),
            "bookmarks": [msgspec.structs.asdict(mark) for mark in page.facts.bookmarks],
            "text": page.text,
            "words": page.words.words,
            "boxes": page.words.boxes,
            "word_confidence": page.words.confidence,
        }
        for page in document.pages
    ]
    whole = {"file": str(file), "page_count": document.page_count, "unit": UNIT, "pages": pages}
    return json.dumps(whole, ensure_ascii=False)
