"""PDFs by way of libpdfium: opening, what a page shows, pictures of pages.

With :mod:`clerk.read.pdf_text`, which reads text layers, the only module that knows pypdfium2.
libpdfium may crash, hang or eat memory on a hostile file: callers run this in a child process with
limits.
"""

from __future__ import annotations

import contextlib
import ctypes
import io
import mmap
import os
import re
from collections.abc import Iterator
from functools import cached_property
from math import sqrt
from pathlib import Path
from typing import Any, NamedTuple

import pypdfium2  # type: ignore[import-untyped]
import pypdfium2.raw as pdfium  # type: ignore[import-untyped]

from clerk.core.errors import DocumentTooLarge, EmptyDocument, EncryptedPdf, UnreadablePdf

from . import pdf_content, pdf_text
from .ocr import GreyImage

POINTS_PER_INCH = 72
_LETTER_INCHES = 11
#: Tesseract and other engines refuse longer sides.
_LONGEST_SIDE = 32_000
#: A picture over this share of the page makes it a scan.
_SCAN_FROM = 0.5
#: A smaller file is read once for all who look at it; a larger one must not fill the memory.
_READ_AT_ONCE = 8_000_000
#: Where the header may stand, and how objects begin.
_HEADER_WITHIN = 1024
_OBJECT = re.compile(rb"\d{1,10}\s{1,9}\d{1,5}\s{1,9}obj\b")


class Rendering(NamedTuple):
    """A picture of a page and the resolution it came out at."""

    image: GreyImage
    dpi: int


class Page:
    """One page of an open PDF; numbers start at 1."""

    def __init__(
        self, number: int, page: pypdfium2.PdfPage, suspicion: pdf_content.Suspicion
    ) -> None:
        self.number = number
        self.width: float = page.get_width()
        self.height: float = page.get_height()
        self._page = page
        self._suspicion = suspicion

    def shows_more(self) -> bool:
        """Whether anything but text is drawn: pictures, lines, forms."""
        return any(kind != pdfium.FPDF_PAGEOBJ_TEXT for kind, _ in _objects(self._page.raw))

    def is_empty(self) -> bool:
        """Whether nothing at all is drawn, nor written into a form or note.

        Raises UnreadablePdf when there should be something, but it is damaged.
        """
        drawn = pdfium.FPDFPage_CountObjects(self._page) + pdfium.FPDFPage_GetAnnotCount(self._page)
        if drawn == 0:
            self.refuse_damage(shows_nothing=True)
        return bool(drawn == 0)

    def refuse_damage(self, *, shows_nothing: bool = False) -> None:
        """Raise UnreadablePdf when a part of the page's content is damaged."""
        if not self._suspicion.damage and not shows_nothing:
            return
        wrong = pdf_content.damage(
            self._copied(), strict=self._suspicion.strict, shows_nothing=shows_nothing
        )
        if wrong:
            raise UnreadablePdf(f"the content of page {self.number} is damaged: {wrong}.")

    def _copied(self) -> bytes:
        """Return a PDF of this page alone, its content packed as it is."""
        with contextlib.closing(pypdfium2.PdfDocument.new()) as alone, io.BytesIO() as file:
            alone.import_pages(self._page.pdf, [self.number - 1])
            alone.save(file)
            return file.getvalue()

    def is_scan(self) -> bool:
        """Whether pictures cover most of the page."""
        return self._covered(self._pictures()) >= _SCAN_FROM * self.width * self.height

    def has_broken_picture(self) -> bool:
        """Whether a picture cannot be decoded: libpdfium leaves it white without a word."""
        images = (
            _image_within(each) for kind, each in _objects(self._page.raw) if _is_picture(kind)
        )
        return any(image is not None and not _decodes(image) for image in images)

    def _pictures(self) -> list[_Picture]:
        found = (_picture(each) for kind, each in _objects(self._page.raw) if _is_picture(kind))
        return [picture for picture in found if picture]

    def _covered(self, pictures: list[_Picture]) -> float:
        page = self.width * self.height
        return sum(min(picture.area, page) for picture in pictures)

    def render(self, dpi: int, megapixels: float) -> Rendering:
        """Return a grey picture at that resolution, or at what the budget of pixels allows.

        A scan placed a pixel to the point on a huge page is not blown up beyond its own pixels.
        Raises UnreadablePdf when a part of the page's content is damaged.
        """
        self.refuse_damage()
        scale = _scale(self.width, self.height, self._useful_dpi(dpi), megapixels)
        width, height = (max(1, int(side * scale)) for side in (self.width, self.height))
        picture = self._page.render(scale=scale, grayscale=True, fill_color=(255, 255, 255, 255))
        with contextlib.closing(picture):
            # The last row or column is partly outside of the page.
            pixels = picture.to_numpy()[:height, :width].tobytes()
        return Rendering(GreyImage(width, height, pixels), round(scale * POINTS_PER_INCH))

    def _useful_dpi(self, dpi: int) -> float:
        longest_inches = max(self.width, self.height) / POINTS_PER_INCH
        as_a_letter = _LETTER_INCHES / longest_inches * dpi
        if as_a_letter >= dpi or not self.is_scan():
            return dpi
        largest = max(self._pictures(), key=lambda picture: picture.area)
        return min(dpi, max(as_a_letter, largest.dpi))

    def picture(self, width: int, kind: str, megapixels: float) -> bytes:
        """Return the page in colour as a PNG, JPEG or WebP file, so many pixels wide."""
        dpi = width / self.width * POINTS_PER_INCH
        scale = _scale(self.width, self.height, dpi, megapixels)
        bitmap = self._page.render(scale=scale)
        with contextlib.closing(bitmap), io.BytesIO() as file:
            bitmap.to_pil().convert("RGB").save(file, kind.upper())
            return file.getvalue()


def _scale(width: float, height: float, dpi: float, megapixels: float) -> float:
    budget = sqrt(megapixels * 1e6 / (width * height))
    longest = _LONGEST_SIDE / max(width, height)
    return min(dpi / POINTS_PER_INCH, budget, longest)


def pixels(width: float, height: float, dpi: float, megapixels: float) -> int:
    """Return how many pixels a page of that size in points is rendered with at most."""
    return int(width * height * _scale(width, height, dpi, megapixels) ** 2)


class Pdf:
    """An open PDF."""

    def __init__(self, path: Path, content: bytes | None, document: pypdfium2.PdfDocument) -> None:
        self.path = path
        self.pages = len(document)
        self._content = content
        self._document = document

    @cached_property
    def _suspicion(self) -> pdf_content.Suspicion:
        if self._content is not None:
            return pdf_content.suspicion(self._content)
        with self.path.open("rb", buffering=0) as file, _mapped(file) as data:
            return pdf_content.suspicion(data)

    def size(self, number: int) -> tuple[float, float]:
        """Return width and height of a page as shown, in points, without reading the page."""
        width, height = self._document.get_page_size(number - 1)
        return (round(width, 2), round(height, 2))

    def text_layer(self, number: int) -> pdf_text.TextLayer:
        """Return the text of a page as the PDF orders it, with the box of each word.

        Raises UnreadablePdf when the page or a part of its content is damaged.
        """
        if self._suspicion.damage:
            with self.page(number) as page:
                page.refuse_damage()
        layer = pdf_text.text_layer(self._document.raw, number - 1)
        if layer is None:
            raise self._damaged(number)
        return layer

    @contextlib.contextmanager
    def page(self, number: int, *, with_forms: bool = False) -> Iterator[Page]:
        """Give a page; raises UnreadablePdf when this one page is damaged.

        With forms, what has been filled in is rendered too.
        """
        if with_forms:
            self._document.init_forms()
        try:
            page = self._document[number - 1]
        except pypdfium2.PdfiumError as error:
            raise self._damaged(number) from error
        with contextlib.closing(page):
            yield Page(number, page, self._suspicion)

    def _damaged(self, number: int) -> UnreadablePdf:
        return UnreadablePdf(f"{self.path}: page {number} is damaged.")


@contextlib.contextmanager
def opened(path: Path, *, max_megabytes: int = 150, max_pages: int = 5000) -> Iterator[Pdf]:
    """Open a PDF, or say in the narrowest way why it cannot be read."""
    content = _checked(path, max_megabytes)
    with contextlib.closing(_load(path, content)) as document:
        pdf = Pdf(path, content, document)
        if pdf.pages == 0:
            raise EmptyDocument(f"{path} has no pages.")
        if pdf.pages > max_pages:
            raise DocumentTooLarge(
                f"{path} has {pdf.pages:,} pages, more than {max_pages:,}.",
                hint="Raise MAX_DOCUMENT_PAGES if it is to be read.",
            )
        yield pdf


def _checked(path: Path, max_megabytes: int) -> bytes | None:
    """Look at the ends of a file, and return all of it unless it is large."""
    try:
        # A pipe would be waited for; this way it is empty.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb", buffering=0) as file:
            size = os.fstat(descriptor).st_size
            if size == 0:
                raise EmptyDocument(f"{path} is empty: it has 0 bytes.")
            if size > max_megabytes * 1_000_000:
                raise DocumentTooLarge(
                    f"{path} has {size / 1e6:,.0f} MB, more than {max_megabytes}.",
                    hint="Raise MAX_DOCUMENT_MB if it is to be read.",
                )
            if size > _READ_AT_ONCE:
                with _mapped(file) as data:
                    _check_ends(path, data)
                return None
            content: bytes = file.readall()
    except OSError as error:
        raise UnreadablePdf(f"{path} cannot be opened: {error.strerror}.") from error
    _check_ends(path, content)
    return content


def _mapped(file: io.FileIO) -> mmap.mmap:
    return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _check_ends(path: Path, data: bytes | mmap.mmap) -> None:
    if data.find(b"%PDF-", 0, _HEADER_WITHIN + 5) < 0:
        raise UnreadablePdf(f"{path} is not a PDF.")
    # Junk after the end is common and harmless; objects after the last end mark mean a cut file,
    # which libpdfium would mend by leaving pages blank.
    end = max(data.rfind(b"%%EOF"), data.rfind(b"startxref"), 0)
    if _OBJECT.search(data, end):
        raise UnreadablePdf(f"{path} is truncated: its end is missing.")


def _load(path: Path, content: bytes | None) -> pypdfium2.PdfDocument:
    try:
        return pypdfium2.PdfDocument(path if content is None else content)
    except pypdfium2.PdfiumError as error:
        if error.err_code == pdfium.FPDF_ERR_PASSWORD:
            raise EncryptedPdf(f"{path} is encrypted and needs a password.") from error
        if error.err_code == pdfium.FPDF_ERR_SECURITY:
            raise EncryptedPdf(f"{path} is encrypted in a way that is not supported.") from error
        raise UnreadablePdf(f"{path} is damaged: no PDF reader can make sense of it.") from error


class _Picture(NamedTuple):
    area: float
    dpi: float


def _objects(page: Any) -> Iterator[tuple[int, Any]]:
    for index in range(pdfium.FPDFPage_CountObjects(page)):
        each = pdfium.FPDFPage_GetObject(page, index)
        yield pdfium.FPDFPageObj_GetType(each), each


def _is_picture(kind: int) -> bool:
    # Some programs wrap the scan into a form.
    return kind in (pdfium.FPDF_PAGEOBJ_IMAGE, pdfium.FPDF_PAGEOBJ_FORM)


def _picture(each: Any) -> _Picture | None:
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    if not pdfium.FPDFPageObj_GetBounds(each, left, bottom, right, top):
        return None
    area = (right.value - left.value) * (top.value - bottom.value)
    image = _image_within(each)
    if image is None or area <= 0:
        return None
    width, height = ctypes.c_uint(), ctypes.c_uint()
    pdfium.FPDFImageObj_GetImagePixelSize(image, width, height)
    return _Picture(area, POINTS_PER_INCH * sqrt(width.value * height.value / area))


def _decodes(image: Any) -> bool:
    bitmap = pdfium.FPDFImageObj_GetBitmap(image)
    if not bitmap:
        return False
    pdfium.FPDFBitmap_Destroy(bitmap)
    return True


def _image_within(each: Any, depth: int = 3) -> Any:
    kind = pdfium.FPDFPageObj_GetType(each)
    if kind == pdfium.FPDF_PAGEOBJ_IMAGE:
        return each
    if kind != pdfium.FPDF_PAGEOBJ_FORM or depth == 0:
        return None
    inner = (
        pdfium.FPDFFormObj_GetObject(each, index)
        for index in range(pdfium.FPDFFormObj_CountObjects(each))
    )
    images = (_image_within(one, depth - 1) for one in inner)
    return next((image for image in images if image is not None), None)
