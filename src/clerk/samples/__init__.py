"""Sample documents of an invented town, to try clerk on: ``clerk demo`` and the tests use them.

``python -m clerk.samples FOLDER`` writes them.  They are minutes and agendas of three bodies over
two years: born digital, scanned, mixed, in two columns, with tables, and one damaged on purpose.
The same version of clerk and its libraries writes the same bytes each time.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from .pdf_writer import PdfWriter
from .town import PLANS, SCAN_ONLY_PHRASE, TEXT_LAYER_ONLY_PHRASE, TOWN, Plan
from .typesetting import Page, set_pages

__all__ = [
    "FAILED",
    "READ",
    "SCAN_ONLY_PHRASE",
    "TEXT_LAYER_ONLY_PHRASE",
    "TOWN",
    "Sample",
    "write_samples",
]

#: What is planned to become of a sample.
READ: Final = "read"
FAILED: Final = "failed"


@dataclass(frozen=True)
class Sample:
    """A document that was written, and the truth about it."""

    path: Path
    kind: str
    meeting: str
    date: str
    #: How it was made, in words.
    made: str
    #: The true text of each page, also of one that cannot be read any more.
    pages: tuple[str, ...]
    #: The pages that are images, counted from 1.
    scanned: tuple[int, ...]
    outcome: str


def write_samples(folder: Path) -> list[Sample]:
    """Write the sample documents below a folder, which is made if need be."""
    return [_write(plan, folder, seed) for seed, plan in enumerate(PLANS)]


def _write(plan: Plan, folder: Path, seed: int) -> Sample:
    pages = set_pages(plan.source, plan.style)
    pdf = _make(plan, pages, seed)
    path = folder / plan.path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(pdf[: int(len(pdf) * plan.kept)])
    numbers = range(1, len(pages) + 1)
    return Sample(
        path=path,
        kind=plan.kind,
        meeting=plan.meeting,
        date=plan.date,
        made=plan.made,
        pages=tuple(page.text for page in pages),
        scanned=tuple(number for number in numbers if plan.is_scanned(number)),
        outcome=FAILED if plan.kept < 1 else READ,
    )


def _make(plan: Plan, pages: list[Page], seed: int) -> bytes:
    """Print the pages, and put those on the scanner that are to be scans."""
    title = f"{plan.meeting} {plan.kind} {plan.date}"
    printed = _print(title, pages)
    if plan.scanner is None:
        return printed
    writer = PdfWriter(title)
    for number, page in enumerate(pages, 1):
        if plan.is_scanned(number):
            image = plan.scanner.scan(printed, number - 1, seed)
            writer.add_page(page.marks if plan.text_layer else (), image, invisible=True)
        else:
            writer.add_page(page.marks)
    return writer.getvalue()


def _print(title: str, pages: list[Page]) -> bytes:
    writer = PdfWriter(title)
    for page in pages:
        writer.add_page(page.marks)
    return writer.getvalue()
