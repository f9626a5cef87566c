"""Scanned pages whose text is known, in one PDF: real ones, synthetic ones, printed pages."""

from __future__ import annotations

import io
import random
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import pypdfium2
from PIL import Image, ImageDraw, ImageFont

from bench._minutes import write_minutes
from bench._synthetic_scans import scans

_PRINTED_DPI = 200
_JPEG_QUALITY = 60
_FUNDS = ("Town Fund", "Road and Bridge", "Cemetery", "Insurance Reserve", "Capital Projects")
_ACCOUNTS = ("Checking", "Money Market", "Petty Cash", "Certificates")
#: Hardly worse than the pictures as they are.
_FINE_QUALITY = 95


@dataclass(frozen=True)
class Scans:
    """A PDF of pictures, and for each page what kind it is and what it says."""

    path: Path
    kinds: Sequence[str]
    truth: Sequence[str]

    def pages_of(self, kind: str) -> list[int]:
        """Return the numbers of the pages of a kind, from 1."""
        return [number for number, each in enumerate(self.kinds, 1) if each == kind]


@dataclass(frozen=True)
class _Page:
    kind: str
    truth: str
    #: A PDF and the number of the page in it, from 0.
    pdf: Path | bytes
    index: int = 0


def write_scans(
    target: Path, data: Path | None, printed: Sequence[Path], pages: int, most: int | None = None
) -> Scans:
    """Write at most this many scanned pages of each kind, and ``most`` in all, into one PDF."""
    found = list(_real(data, pages)) if data else []
    # With fewer synthetic pages one wrong character more or less decides about a bar.
    few = min(pages, 12)
    found += [*_synthetic(few), *islice(_printed(printed), few), *_tables(-(-few // 2))]
    found = found[-most:] if most else found
    with closing(pypdfium2.PdfDocument.new()) as whole:
        for page in found:
            with closing(pypdfium2.PdfDocument(page.pdf)) as source:
                whole.import_pages(source, [page.index])
        whole.save(target)
    return Scans(target, [page.kind for page in found], [page.truth for page in found])


def parts(scans: Scans, folder: Path, pages: int) -> list[Path]:
    """Cut the PDF into documents of this many pages each."""
    folder.mkdir(parents=True)
    written = []
    with closing(pypdfium2.PdfDocument(scans.path)) as whole:
        for first in range(0, len(whole), pages):
            written.append(folder / f"2024-01-{len(written) + 1:02d}.pdf")
            with closing(pypdfium2.PdfDocument.new()) as part:
                part.import_pages(whole, list(range(first, min(first + pages, len(whole)))))
                part.save(written[-1])
    return written


def write_one_word(path: Path) -> None:
    """Write a PDF that is a picture with one word on it."""
    picture = Image.new("L", (1700, 2200), 255)
    ImageDraw.Draw(picture).text((200, 200), "Adjourned", 0, ImageFont.load_default(size=40))
    path.parent.mkdir(parents=True)
    path.write_bytes(_pdf_of(picture, _PRINTED_DPI, _JPEG_QUALITY))


def _real(data: Path, most: int) -> Iterator[_Page]:
    path = data / "ocr_truth" / "scans.pdf"
    if not path.is_file():
        return
    truth = sorted((path.parent / "truth").glob("*.txt"), key=lambda file: int(file.stem))
    for file in truth[:most]:
        yield _Page("real", file.read_text(), path, int(file.stem) - 1)


def _synthetic(pages_of_each_kind: int) -> Iterator[_Page]:
    for scan in scans(pages_of_each_kind):
        picture = Image.fromarray(scan.pixels)
        if scan.name.startswith("black"):
            picture = picture.convert("1")
        yield _Page(scan.name, scan.truth, _pdf_of(picture, scan.dpi, _FINE_QUALITY))


def _tables(pages: int) -> Iterator[_Page]:
    """Yield pictures of invented tables: labels, amounts, rates; some are ruled, all are skewed."""
    numbers = random.Random(7)
    font = ImageFont.load_default(size=32)
    for page in range(pages):
        picture = Image.new("L", (1700, 2200), 255)
        draw, rows = ImageDraw.Draw(picture), []
        for row in range(26):
            label = f"{numbers.choice(_FUNDS)} {numbers.choice(_ACCOUNTS)}"
            amounts = [f"{numbers.randrange(100, 10**8) / 100:,.2f}" for _ in range(2)]
            cells = [label, *amounts, f"{numbers.randrange(1000) / 100:.2f}%"]
            for x, cell in zip((120, 800, 1130, 1450), cells, strict=True):
                draw.text((x, 150 + 72 * row), cell, 0, font)
            rows.append(" ".join(cells))
        for x in (90, 770, 1100, 1420, 1620) if page % 2 else ():
            draw.line((x, 120, x, 2040), 0, 3)
        turned = picture.rotate(numbers.uniform(-0.8, 0.8), Image.Resampling.BICUBIC, fillcolor=255)
        yield _Page("tables", "\n".join(rows), _pdf_of(turned, _PRINTED_DPI, _JPEG_QUALITY))


def _printed(pdfs: Sequence[Path]) -> Iterator[_Page]:
    """Yield pictures of born-digital pages; their text layer is the truth."""
    for path in pdfs:
        with closing(pypdfium2.PdfDocument(path)) as document:
            for page in document:
                text = page.get_textpage().get_text_range()
                if text.strip():
                    picture = page.render(scale=_PRINTED_DPI / 72, grayscale=True).to_pil()
                    yield _Page("printed", text, _pdf_of(picture, _PRINTED_DPI, _JPEG_QUALITY))


def _pdf_of(picture: Image.Image, dpi: int, quality: int) -> bytes:
    written = io.BytesIO()
    options = {} if picture.mode == "1" else {"quality": quality}
    picture.save(written, "PDF", resolution=dpi, **options)
    return written.getvalue()


def born_digital(data: Path | None, folder: Path) -> list[Path]:
    """Return born-digital PDFs: those of the data folder, else minutes of an invented town."""
    pdfs = (
        sorted(data.glob("pdfs/born/*.pdf")) + sorted(data.glob("minutes/*/*.pdf")) if data else []
    )
    return pdfs or write_minutes(folder / "minutes")
