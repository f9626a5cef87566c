"""Small PDFs for the tests of reading: printed, scanned, turned, encrypted, cut."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import pypdfium2
from PIL import Image

from tools.pdf_writer import LETTER, PdfWriter, Text, encode_jpeg

#: Thirty lines would be long to read; these few are what every test document says.
LINES = (
    "MINUTES OF THE HARBOR COMMISSION",
    "The meeting was called to order at 7:05 in the evening.",
    "On a motion by Ms. Lindqvist, seconded by Mr. Abara, it was voted",
    "to repair the north pier at a cost not to exceed $18,400.00.",
    "The motion carried unanimously. The next meeting is on 12 March.",
)
HEADER = "Filed 03/14/2024 Page 7 of 9 Harbor Commission"


def text_at(lines: Sequence[str], top: float = 700, size: float = 12) -> list[Text]:
    """Lines of type below each other."""
    return [
        Text(72, top - 2 * size * number, "Times-Roman", size, line)
        for number, line in enumerate(lines)
    ]


def printed(*pages: Sequence[str]) -> bytes:
    """A born-digital PDF."""
    writer = PdfWriter()
    for lines in pages:
        writer.add_page(text_at(lines))
    return writer.getvalue()


def picture_of(
    lines: Sequence[str], dpi: int = 200, size: tuple[float, float] = LETTER
) -> Image.Image:
    """A clean picture of a page with these lines."""
    writer = PdfWriter()
    writer.add_page(text_at(lines, top=size[1] - 92), size=size)
    with pypdfium2.PdfDocument(writer.getvalue()) as document:
        picture = document[0].render(scale=dpi / 72, grayscale=True).to_pil()
    return picture.convert("L")


def scanned(
    *pictures: Image.Image,
    layer: Sequence[str] = (),
    invisible: bool = False,
    size: tuple[float, float] = LETTER,
) -> bytes:
    """A PDF of pictures, each with the same lines of text over it."""
    writer = PdfWriter()
    for picture in pictures:
        image = encode_jpeg(picture, quality=80)
        writer.add_page(text_at(layer, top=770), image, invisible=invisible, size=size)
    return writer.getvalue()


def white(size: tuple[int, int] = (1700, 2200)) -> Image.Image:
    """An empty sheet."""
    return Image.new("L", size, 250)


def turned(pdf: bytes, degrees: int) -> bytes:
    """The PDF with its pages to be shown turned clockwise."""
    with pypdfium2.PdfDocument(pdf) as document:
        for page in document:
            page.set_rotation(degrees)
        return saved(document)


def stored_sideways(pdf: bytes) -> bytes:
    """The PDF with its content lying on its side and pages turned so that it is shown upright."""
    with pypdfium2.PdfDocument(pdf) as document:
        for page in document:
            width, height = page.get_size()
            for each in list(page.get_objects()):
                each.transform(pypdfium2.PdfMatrix(0, 1, -1, 0, height, 0))
            page.set_mediabox(0, 0, height, width)
            page.set_rotation(90)
            page.gen_content()
        return saved(document)


def saved(document: pypdfium2.PdfDocument) -> bytes:
    """The bytes of a changed document."""
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def written(path: Path, pdf: bytes) -> Path:
    """The path, with the PDF there."""
    path.write_bytes(pdf)
    return path
