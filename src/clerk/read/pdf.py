"""PDFs by libpdfium: opening, what a page shows, images of pages, damaged content.

With :mod:`clerk.read.pdf_text`, which reads text layers, the only module that uses pypdfium2.
libpdfium may crash, hang or use up the memory on a hostile file: callers run this in a child
process with limits.

libpdfium shows a page whose content is damaged as if the rest of it were blank, without an error.
The content of a page is a compressed stream, and a damaged one usually cannot be decompressed to
its end.  Finding the stream of a page is expensive, so it is done in two steps: the file is
searched for any damaged stream that may be content, which is quick; and only if there is one, or if
a page shows nothing, that page is checked (copied into a PDF of its own).
"""

from __future__ import annotations

import contextlib
import ctypes
import io
import itertools
import mmap
import os
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from pathlib import Path
from typing import Any, NamedTuple

import pypdfium2  # type: ignore[import-untyped]
import pypdfium2.raw as pdfium  # type: ignore[import-untyped]

from clerk.core.errors import DocumentTooLarge, EmptyDocument, EncryptedPdf, UnreadablePdf

from . import pdf_text
from .ocr import GreyImage

POINTS_PER_INCH = 72
_LETTER_INCHES = 11
#: Tesseract and other engines refuse longer sides.
_LONGEST_SIDE = 32_000
#: A picture over this share of the page makes it a scan.
_SCAN_FROM = 0.5
#: How text is written that is not to be seen.
_INVISIBLE = pdfium.FPDF_TEXTRENDERMODE_INVISIBLE
#: A smaller file is read into memory once; a larger one must not fill it.
_READ_AT_ONCE = 8_000_000
#: Where the header may be, and how objects begin.
_HEADER_WITHIN = 1024
_OBJECT = re.compile(rb"\d{1,10}\s{1,9}\d{1,5}\s{1,9}obj\b")
#: The dictionary before a stream begins within this many bytes; those of content are short.
_DICTIONARY_WITHIN = 300
#: Streams with such an entry are fonts, pictures, profiles, lists of objects; never content.
_OTHER_KINDS = re.compile(rb"/(?:Type|Subtype|Length1|FunctionType|ShadingType|PatternType|N)\b")
_PACKED = re.compile(rb"/Filter\s*(?:/FlateDecode\b|\[\s*/FlateDecode\s*\])")
#: Rarer filters, and several at once, are not checked.
_PACKED_OTHERWISE = re.compile(rb"/(?:Flate|LZW|RunLength|ASCII85|ASCIIHex)Decode\b|/Crypt\b")
_CONTENTS = re.compile(rb"/Contents\s*(?:\[([^\]]*)\]|(\d+\s+\d+\s+R))")
_REFERENCE = re.compile(rb"(\d+)\s+\d+\s+R")
_DRAWS_AN_OBJECT = re.compile(rb"/\S+\s+Do\b")
_NOT_PRINTED = bytes(set(range(256)) - set(b"\t\n\f\r") - set(range(32, 127)))
#: Instructions are plain text but for the strings in them.
_MOST_NOT_PRINTED = 0.3
#: At most this much of a stream is decompressed; the rest of a larger one is trusted.
_MOST_BYTES = 1 << 24
#: What is wrong with every stream of some programs, and harmless there.
_WRONG_CHECKSUM, _NO_END = _HABITS = ("its checksum is wrong", "its end is missing")


class Rendering(NamedTuple):
    """An image of a page and its resolution."""

    image: GreyImage
    dpi: int


class PdfPage:
    """One page of an open PDF; numbers start at 1."""

    def __init__(self, number: int, page: pypdfium2.PdfPage, streams: StreamCheck) -> None:
        self.number = number
        self.width: float = page.get_width()
        self.height: float = page.get_height()
        self._page = page
        self._streams = streams

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
        """Raise UnreadablePdf when a part of the page's content is damaged.

        A page that shows nothing is checked more closely: one that is meant to be blank has no
        content, or instructions that draw nothing.
        """
        if not self._streams.damage and not shows_nothing:
            return
        # A PDF of this page alone, its content compressed as it is.
        with contextlib.closing(pypdfium2.PdfDocument.new()) as alone, io.BytesIO() as file:
            alone.import_pages(self._page.pdf, [self.number - 1])
            alone.save(file)
            copy = file.getvalue()
        contents = _CONTENTS.search(copy)
        references = b" ".join(filter(None, contents.groups())) if contents else b""
        for number in _REFERENCE.findall(references):
            pattern = rb"\n%s 0 obj\s*(<<.*?>>)\s*stream(.*?)endstream" % number
            if not (found := re.search(pattern, copy, re.DOTALL)):
                continue
            dictionary, stream = found[1], _without_line_end(found[2])
            wrong = _stream_error(stream) if _PACKED.search(dictionary) else ""
            if not wrong or (wrong in _HABITS and not self._streams.strict):
                wrong = _why_nothing_is_drawn(dictionary, stream) if shows_nothing else ""
            if wrong:
                raise UnreadablePdf(f"the content of page {self.number} is damaged: {wrong}.")

    def is_scan(self) -> bool:
        """Whether pictures cover most of the page."""
        page = self.width * self.height
        return sum(min(each.area, page) for each in self._pictures()) >= _SCAN_FROM * page

    def hides_text(self) -> bool:
        """Whether the text cannot be seen: written as invisible, or covered by a picture."""
        invisible = texts = 0
        covered = False
        page = self.width * self.height
        left, bottom, right, top = (ctypes.c_float() for _ in range(4))
        for kind, each in _objects(self._page.raw):
            if kind == pdfium.FPDF_PAGEOBJ_TEXT:
                texts += 1
                invisible += _is_invisible(each)
                covered = False
            elif kind == pdfium.FPDF_PAGEOBJ_IMAGE:
                pdfium.FPDFPageObj_GetBounds(each, left, bottom, right, top)
                area = (right.value - left.value) * (top.value - bottom.value)
                covered = covered or (texts > 0 and area >= _SCAN_FROM * page)
            elif kind == pdfium.FPDF_PAGEOBJ_FORM and texts == 0:
                # Some programs put the invisible text into a form.
                inner = list(_text_within(each))
                texts += len(inner)
                invisible += sum(map(_is_invisible, inner))
        return texts > 0 and (covered or 2 * invisible >= texts)

    def has_broken_picture(self) -> bool:
        """Whether a picture cannot be decoded: libpdfium leaves it white without an error."""
        for image in map(_image_within, self._picture_objects()):
            if image is not None:
                bitmap = pdfium.FPDFImageObj_GetBitmap(image)
                if not bitmap:
                    return True
                pdfium.FPDFBitmap_Destroy(bitmap)
        return False

    def _pictures(self) -> list[_Picture]:
        found = []
        left, bottom, right, top = (ctypes.c_float() for _ in range(4))
        width, height = ctypes.c_uint(), ctypes.c_uint()
        for each in self._picture_objects():
            if not pdfium.FPDFPageObj_GetBounds(each, left, bottom, right, top):
                continue
            area = (right.value - left.value) * (top.value - bottom.value)
            image = _image_within(each)
            if image is not None and area > 0:
                pdfium.FPDFImageObj_GetImagePixelSize(image, width, height)
                dpi = POINTS_PER_INCH * sqrt(width.value * height.value / area)
                found.append(_Picture(area, dpi))
        return found

    def _picture_objects(self) -> Iterator[Any]:
        # Some programs wrap the scan into a form.
        pictures = (pdfium.FPDF_PAGEOBJ_IMAGE, pdfium.FPDF_PAGEOBJ_FORM)
        return (each for kind, each in _objects(self._page.raw) if kind in pictures)

    def render(self, dpi: int, megapixels: float) -> Rendering:
        """Return a grey image at that resolution, or at what the budget of pixels allows.

        A scan placed at one pixel per point on a huge page is not enlarged beyond its own pixels.
        Raises UnreadablePdf when a part of the page's content is damaged.
        """
        self.refuse_damage()
        useful_dpi: float = dpi
        longest_inches = max(self.width, self.height) / POINTS_PER_INCH
        as_a_letter = _LETTER_INCHES / longest_inches * dpi
        if as_a_letter < dpi and self.is_scan():
            largest = max(self._pictures(), key=lambda picture: picture.area)
            useful_dpi = min(dpi, max(as_a_letter, largest.dpi))
        scale = _scale(self.width, self.height, useful_dpi, megapixels)
        width, height = (max(1, int(side * scale)) for side in (self.width, self.height))
        picture = self._page.render(scale=scale, grayscale=True, fill_color=(255, 255, 255, 255))
        with contextlib.closing(picture):
            # The last row or column is partly outside of the page.
            pixels = picture.to_numpy()[:height, :width].tobytes()
        return Rendering(GreyImage(width, height, pixels), round(scale * POINTS_PER_INCH))

    def picture(self, width: int, kind: str, megapixels: float) -> bytes:
        """Return the page in colour as a PNG, JPEG or WebP file, this many pixels wide."""
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


#: At most this many entries of an outline are read, this deep, and this much of each title.
_OUTLINE, _OUTLINE_DEPTH, _OUTLINE_TITLE = 2000, 4, 200


class Pdf:
    """An open PDF."""

    def __init__(self, path: Path, content: bytes | None, document: pypdfium2.PdfDocument) -> None:
        self.path = path
        self.pages = len(document)
        self._content = content
        self._document = document

    @cached_property
    def _streams(self) -> StreamCheck:
        if self._content is not None:
            return _check_streams(self._content)
        with self.path.open("rb", buffering=0) as file, _mapped(file) as data:
            return _check_streams(data)

    def size(self, number: int) -> tuple[float, float]:
        """Return width and height of a page as shown, in points, without reading the page."""
        width, height = self._document.get_page_size(number - 1)
        return (round(width, 2), round(height, 2))

    def text_layer(self, number: int) -> pdf_text.TextLayer:
        """Return the text of a page as the PDF orders it, with the box of each word.

        Raises UnreadablePdf when the page or a part of its content is damaged.
        """
        if self._streams.damage:
            with self.page(number) as page:
                page.refuse_damage()
        layer = pdf_text.text_layer(self._document.raw, number - 1)
        if layer is None:
            raise self._damaged(number)
        return layer

    def part(self, first: int, last: int) -> bytes:
        """Return some pages as a PDF of their own."""
        with contextlib.closing(pypdfium2.PdfDocument.new()) as part:
            part.import_pages(self._document, list(range(first - 1, last)))
            written = io.BytesIO()
            part.save(written)
        return written.getvalue()

    def bookmarks(self) -> Iterator[tuple[int, str, int]]:
        """Yield the page, the title and the level of each entry of the outline, up to a limit."""
        for entry in itertools.islice(self._document.get_toc(max_depth=_OUTLINE_DEPTH), _OUTLINE):
            target = entry.get_dest()
            index = target.get_index() if target else None
            if index is not None and 0 <= index < self.pages:
                title = " ".join(entry.get_title().replace("\0", " ").split())
                yield index + 1, title[:_OUTLINE_TITLE], entry.level

    @contextlib.contextmanager
    def page(self, number: int, *, with_forms: bool = False) -> Iterator[PdfPage]:
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
            yield PdfPage(number, page, self._streams)

    def _damaged(self, number: int) -> UnreadablePdf:
        return UnreadablePdf(f"{self.path}: page {number} is damaged.")


@contextlib.contextmanager
def opened(path: Path, *, max_megabytes: int = 150, max_pages: int = 5000) -> Iterator[Pdf]:
    """Open a PDF, or raise the narrowest error that says why it cannot be read."""
    content = _checked(path, max_megabytes)
    try:
        loaded = pypdfium2.PdfDocument(path if content is None else content)
    except pypdfium2.PdfiumError as error:
        if error.err_code == pdfium.FPDF_ERR_PASSWORD:
            raise EncryptedPdf(f"{path} is encrypted and needs a password.") from error
        if error.err_code == pdfium.FPDF_ERR_SECURITY:
            raise EncryptedPdf(f"{path} is encrypted in a way that is not supported.") from error
        raise UnreadablePdf(f"{path} is damaged: no PDF reader can make sense of it.") from error
    with contextlib.closing(loaded) as document:
        pdf = Pdf(path, content, document)
        if pdf.pages == 0:
            raise EmptyDocument(f"{path} has no pages.")
        if pdf.pages > max_pages:
            raise DocumentTooLarge(
                f"{path} has {pdf.pages:,} pages, more than {max_pages:,}.",
                hint="To read it anyway, raise MAX_DOCUMENT_PAGES.",
            )
        yield pdf


def _checked(path: Path, max_megabytes: int) -> bytes | None:
    """Check size and ends of a file, and return its content unless it is large."""
    try:
        # Without O_NONBLOCK a pipe would block; with it, it is empty.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb", buffering=0) as file:
            size = os.fstat(descriptor).st_size
            if size == 0:
                raise EmptyDocument(f"{path} is empty: it has 0 bytes.")
            if size > max_megabytes * 1_000_000:
                raise DocumentTooLarge(
                    f"{path} has {size / 1e6:,.0f} MB, more than {max_megabytes}.",
                    hint="To read it anyway, raise MAX_DOCUMENT_MB.",
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
    # Junk after the end is common and harmless; objects after the last end mark mean a truncated
    # file, which libpdfium would repair by leaving pages blank.
    end = max(data.rfind(b"%%EOF"), data.rfind(b"startxref"), 0)
    if _OBJECT.search(data, end):
        raise UnreadablePdf(f"{path} is truncated: its end is missing.")


class _Picture(NamedTuple):
    area: float
    dpi: float


def _objects(page: Any) -> Iterator[tuple[int, Any]]:
    for index in range(pdfium.FPDFPage_CountObjects(page)):
        each = pdfium.FPDFPage_GetObject(page, index)
        yield pdfium.FPDFPageObj_GetType(each), each


def _text_within(each: Any, depth: int = 3) -> Iterator[Any]:
    for index in range(pdfium.FPDFFormObj_CountObjects(each)):
        inner = pdfium.FPDFFormObj_GetObject(each, index)
        kind = pdfium.FPDFPageObj_GetType(inner)
        if kind == pdfium.FPDF_PAGEOBJ_TEXT:
            yield inner
        elif kind == pdfium.FPDF_PAGEOBJ_FORM and depth:
            yield from _text_within(inner, depth - 1)


def _is_invisible(text: Any) -> bool:
    return bool(pdfium.FPDFTextObj_GetTextRenderMode(text) == _INVISIBLE)


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


# ------------------------------------------------------------------------ damaged content


@dataclass(frozen=True)
class StreamCheck:
    """The result of searching a file for damaged streams."""

    #: Whether the content of some page may be damaged.
    damage: bool = False
    #: Whether a wrong checksum or a missing end means damage: some programs always write so.
    strict: bool = False


def _check_streams(data: bytes | mmap.mmap) -> StreamCheck:
    """Search for streams that may be a page's content and cannot be decompressed completely."""
    wrong: list[str] = []
    end = 0
    while (at := data.find(b"stream", end)) >= 0:
        start, end = at + len(b"stream"), data.find(b"endstream", at)
        if end < 0:
            break
        dictionary = data[max(0, at - _DICTIONARY_WITHIN) : at].rpartition(b"obj")[2]
        if _PACKED.search(dictionary) and not _OTHER_KINDS.search(dictionary):
            wrong.append(_stream_error(_without_line_end(data[start:end])))
        end += len(b"endstream")
    if not any(wrong):
        return StreamCheck(strict=True)
    habitual = len(wrong) > 1 and all(each in _HABITS for each in wrong)
    if habitual or data.find(b"/Encrypt") >= 0:
        return StreamCheck()
    return StreamCheck(damage=True, strict=True)


def _without_line_end(stream: bytes) -> bytes:
    """Remove the line end after ``stream``; what follows the compressed data is ignored anyway."""
    return stream.removeprefix(b"\r").removeprefix(b"\n")


def _stream_error(packed: bytes) -> str:
    """Return what is wrong with a compressed stream, or nothing."""
    unpacker = zlib.decompressobj()
    try:
        unpacker.decompress(packed, _MOST_BYTES)
    except zlib.error as error:
        reason = str(error).rpartition(": ")[2]
        return _WRONG_CHECKSUM if reason == "incorrect data check" else reason
    return "" if unpacker.eof or unpacker.unconsumed_tail else _NO_END


def _why_nothing_is_drawn(dictionary: bytes, stream: bytes) -> str:
    """Return what is wrong with instructions that draw nothing, or nothing if they are meant to."""
    if _PACKED.search(dictionary):
        with contextlib.suppress(zlib.error):
            stream = zlib.decompressobj().decompress(stream, _MOST_BYTES)
    elif _PACKED_OTHERWISE.search(dictionary):
        return ""
    if _DRAWS_AN_OBJECT.search(stream):
        return "its content is missing"
    not_printed = len(stream) - len(stream.translate(None, _NOT_PRINTED))
    return "it holds no instructions" if not_printed > _MOST_NOT_PRINTED * len(stream) else ""
