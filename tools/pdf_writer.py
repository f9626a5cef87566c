"""Writing small PDFs: the only module of clerk that makes one.

A page is lines of text in the standard fonts, an image, or an image with lines on it (invisible
ones are what OCR programs leave behind).  The same pages give the same bytes, always.  The
objects that hold the file together come last, so that a file cut short cannot be repaired::

    %PDF-1.4   fonts   (contents, image, page) per page   page tree   catalog   info   xref
"""

from __future__ import annotations

import hashlib
import io
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from PIL import Image, TiffImagePlugin

#: Width and height of US letter paper in points.
LETTER: Final = (612.0, 792.0)

#: The fonts a line may use, in the order of their names F0, F1, ... in the file.
FONTS: Final = (
    "Helvetica",
    "Helvetica-Bold",
    "Times-Roman",
    "Times-Bold",
    "Times-Italic",
    "Courier",
    "Courier-Bold",
)

_TIFF_ROWS_PER_STRIP, _TIFF_STRIP_OFFSETS, _TIFF_STRIP_BYTES = 278, 273, 279


@dataclass(frozen=True)
class Text:
    """A run of text in one font, from a point on its baseline."""

    x: float
    y: float
    font: str
    size: float
    words: str


@dataclass(frozen=True)
class Rule:
    """A thin horizontal line."""

    x: float
    y: float
    width: float


@dataclass(frozen=True)
class EncodedImage:
    """An image as it stands in the file."""

    width: int
    height: int
    entries: bytes
    stream: bytes


def encode_jpeg(image: Image.Image, quality: int) -> EncodedImage:
    """Encode a grey image the way office scanners do."""
    out = io.BytesIO()
    image.convert("L").save(out, "JPEG", quality=quality, optimize=True)
    entries = b"/ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /DCTDecode"
    return EncodedImage(image.width, image.height, entries, out.getvalue())


def encode_fax(image: Image.Image) -> EncodedImage:
    """Encode a black and white image as fax group 4, the usual archive scan."""
    out = io.BytesIO()
    rows = {_TIFF_ROWS_PER_STRIP: image.height}
    image.convert("1").save(out, "TIFF", compression="group4", tiffinfo=rows)
    out.seek(0)
    tags = TiffImagePlugin.TiffImageFile(out).tag_v2
    start = tags[_TIFF_STRIP_OFFSETS][0]
    stream = out.getvalue()[start : start + tags[_TIFF_STRIP_BYTES][0]]
    parameters = f"/K -1 /BlackIs1 true /Columns {image.width} /Rows {image.height}".encode()
    entries = b"/ColorSpace /DeviceGray /BitsPerComponent 1 /Filter /CCITTFaxDecode"
    return EncodedImage(
        image.width, image.height, entries + b" /DecodeParms << " + parameters + b" >>", stream
    )


class PdfWriter:
    """Collects pages and gives the bytes of the file."""

    def __init__(self, title: str = "") -> None:
        self._title = title
        self._objects: list[bytes] = []
        self._pages: list[int] = []
        self._tree = self.reserve()
        self._resources = self._add_fonts()

    def reserve(self) -> int:
        """Return the number of an object that is filled later."""
        self._objects.append(b"null")
        return len(self._objects)

    def fill(self, number: int, body: bytes) -> None:
        """Give a reserved object its body."""
        self._objects[number - 1] = body

    def add(self, body: bytes) -> int:
        """Add an object and return its number."""
        number = self.reserve()
        self.fill(number, body)
        return number

    def add_stream(self, stream: bytes, entries: bytes = b"") -> int:
        """Add a stream as it is; the entries say how it is encoded."""
        head = b"<< /Length %d %s >>" % (len(stream), entries)
        return self.add(head + b"\nstream\n" + stream + b"\nendstream")

    def add_page(
        self,
        marks: Sequence[Text | Rule] = (),
        image: EncodedImage | None = None,
        *,
        invisible: bool = False,
        size: tuple[float, float] = LETTER,
    ) -> None:
        """Add a page: the image over all of it, then the marks, invisible if so wanted."""
        drawing = b"".join(_draw(mark) for mark in marks)
        mode = b"BT 3 Tr ET\n" if invisible else b""
        resources = self._resources
        if image:
            resources += b" /XObject << /Im %d 0 R >>" % self._add_image(image)
            drawing = b"q %.2f 0 0 %.2f 0 0 cm /Im Do Q\n" % size + mode + drawing
        contents = self.add_stream(zlib.compress(drawing, 9), b"/Filter /FlateDecode")
        page = b"<< /Type /Page /Parent %d 0 R /MediaBox [0 0 %.2f %.2f]" % (self._tree, *size)
        page += b" /Resources << %s >> /Contents %d 0 R >>" % (resources, contents)
        self._pages.append(self.add(page))

    def getvalue(self) -> bytes:
        """Return the whole file."""
        kids = b" ".join(b"%d 0 R" % page for page in self._pages)
        tree = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(self._pages), kids)
        order = [number for number in range(1, len(self._objects) + 1) if number != self._tree]
        self.fill(self._tree, tree)
        root = self.add(b"<< /Type /Catalog /Pages %d 0 R >>" % self._tree)
        info = self.add(b"<< /Title %s /Producer (clerk samples) >>" % _string(self._title))
        return serialise(self._objects, [*order, self._tree, root, info], root, info)

    def _add_fonts(self) -> bytes:
        fonts = [
            b"<< /Type /Font /Subtype /Type1 /BaseFont /%s /Encoding /WinAnsiEncoding >>"
            % name.encode()
            for name in FONTS
        ]
        names = b" ".join(b"/F%d %d 0 R" % (i, self.add(font)) for i, font in enumerate(fonts))
        return b"/Font << %s >>" % names

    def _add_image(self, image: EncodedImage) -> int:
        size = b"/Width %d /Height %d " % (image.width, image.height)
        entries = b"/Type /XObject /Subtype /Image " + size + image.entries
        return self.add_stream(image.stream, entries)


def serialise(objects: Sequence[bytes], order: Sequence[int], root: int, info: int) -> bytes:
    """Return the file of these objects (numbered from 1), written in the given order."""
    out = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    offsets = {}
    for number in order:
        offsets[number] = len(out)
        out += b"%d 0 obj\n%s\nendobj\n" % (number, objects[number - 1])
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for number in range(1, len(objects) + 1):
        out += b"%010d 00000 n \n" % offsets[number]
    identity = hashlib.md5(out, usedforsecurity=False).hexdigest().encode()
    out += b"trailer\n<< /Size %d /Root %d 0 R /Info %d 0 R" % (len(objects) + 1, root, info)
    out += b" /ID [<%s> <%s>] >>\nstartxref\n%d\n%%%%EOF\n" % (identity, identity, start)
    return bytes(out)


def _draw(mark: Text | Rule) -> bytes:
    if isinstance(mark, Rule):
        return b"0.6 w %.2f %.2f m %.2f %.2f l S\n" % (
            mark.x,
            mark.y,
            mark.x + mark.width,
            mark.y,
        )
    place = b"/F%d %.2f Tf 1 0 0 1 %.2f %.2f Tm" % (
        FONTS.index(mark.font),
        mark.size,
        mark.x,
        mark.y,
    )
    return b"BT %s %s Tj ET\n" % (place, _string(mark.words))


def _string(words: str) -> bytes:
    """Return a literal string in WinAnsi, its brackets and backslashes escaped."""
    raw = words.encode("cp1252")
    for special in (b"\\", b"(", b")"):
        raw = raw.replace(special, b"\\" + special)
    return b"(" + raw + b")"
