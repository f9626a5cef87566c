"""PDFs that no one should have to read: damaged, lying, endless or greedy.

``python tests/hostile_pdfs.py FOLDER`` writes them all.  Each maker below returns the bytes of one
file, named after it, and says what must come of it: text, a failure with its reason, or one of the
two.  What never may happen is a crash of the run, a hang, or memory without bound.
"""

from __future__ import annotations

import hashlib
import random
import sys
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from clerk.core.errors import (
    DocumentError,
    DocumentTooLarge,
    EmptyDocument,
    EncryptedPdf,
    UnreadablePdf,
)
from tools.pdf_writer import EncodedImage, PdfWriter, Text, encode_jpeg
from tools.rendering import render_page
from tools.scanning import FAX_300, GREY_150, Scanner
from tools.typesetting import Page, Style, set_pages

READ: Final = "read"
FAILED: Final = "failed"
EITHER: Final = "either"

#: Stands on every page that is expected to be read.
PHRASE: Final = "The motion to mend the bandstand carried unanimously."
#: The password of the encrypted file.
PASSWORD: Final = b"bandstand"

MANY_PAGES: Final = 100_000
MEGABYTE: Final = 1 << 20


@dataclass(frozen=True)
class Expectation:
    """What must come of a file: its outcome and, where only one is right, its error."""

    outcome: str
    error: type[DocumentError] | None = None


@dataclass(frozen=True)
class Maker:
    """One file to be made."""

    name: str
    expectation: Expectation
    make: Callable[[], bytes]


MAKERS: Final[list[Maker]] = []

Make = Callable[[], bytes]


def hostile(outcome: str, error: type[DocumentError] | None = None) -> Callable[[Make], Make]:
    """Enter a maker in the list, under the name of its function."""

    def enter(make: Make) -> Make:
        MAKERS.append(Maker(make.__name__, Expectation(outcome, error), make))
        return make

    return enter


def make_all(folder: Path) -> list[tuple[Path, Expectation]]:
    """Write every hostile PDF into a folder, and say what is expected of each."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for maker in MAKERS:
        path = folder / f"{maker.name}.pdf"
        path.write_bytes(maker.make())
        written.append((path, maker.expectation))
    return written


# The pieces files are made of


def ordinary(pages: int = 3) -> bytes:
    """An honest file: text on every page, the page tree at its end."""
    writer = PdfWriter("Minutes of the bandstand committee")
    for page in _pages(pages):
        writer.add_page(page.marks)
    return writer.getvalue()


def build(objects: Sequence[bytes], trailer: bytes = b"") -> bytes:
    """Return the file of these objects, numbered from 1; the first is the catalog."""
    out = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    out += b"trailer\n<< /Size %d /Root 1 0 R %s >>\n" % (size, trailer)
    return bytes(out) + b"startxref\n%d\n%%%%EOF\n" % start


def stream(data: bytes, entries: bytes = b"") -> bytes:
    """Return a stream object's body."""
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(data), entries, data)


def one_page(
    contents: bytes | None = None,
    *,
    media: bytes = b"/MediaBox [0 0 612 792]",
    resources: bytes = b"",
    catalog: bytes = b"",
    tree: bytes = b"/Kids [3 0 R] /Count 1",
    font: bytes = b"",
    more: Sequence[bytes] = (),
) -> bytes:
    """Return a file of one page; ``more`` are its objects from number 6 on."""
    shown = stream(_show(PHRASE)) if contents is None else contents
    page = b"<< /Type /Page /Parent 2 0 R %s /Contents 4 0 R" % media
    page += b" /Resources << /Font << /F 5 0 R >> %s >> >>" % resources
    return build(
        [
            b"<< /Type /Catalog /Pages 2 0 R %s >>" % catalog,
            b"<< /Type /Pages %s >>" % tree,
            page,
            shown,
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica %s >>" % font,
            *more,
        ]
    )


def repeated(unit: bytes, times: int) -> bytes:
    """Return the Flate stream of a unit repeated, without ever holding all of it."""
    packer = zlib.compressobj(9)
    head = packer.compress(b"") + packer.flush(zlib.Z_FULL_FLUSH)
    block = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = block.compress(unit) + block.flush(zlib.Z_FULL_FLUSH)
    checksum = 1
    for _ in range(times):
        checksum = zlib.adler32(unit, checksum)
    return head + body * times + b"\x03\x00" + checksum.to_bytes(4, "big")


def bomb(unit: bytes, times: int, entries: bytes = b"") -> bytes:
    """Return a stream packed twice, so that even its packed form is small."""
    packed = zlib.compress(repeated(unit, times), 9)
    return stream(packed, b"/Filter [/FlateDecode /FlateDecode] " + entries)


@lru_cache
def scan_of_minutes(scanner: Scanner = GREY_150) -> EncodedImage:
    """A scanned page full of text, the phrase among it."""
    return scanner.scan(ordinary(1), 0, seed=7)


def _scanned(scanner: Scanner) -> bytes:
    writer = PdfWriter()
    writer.add_page(image=scan_of_minutes(scanner))
    return writer.getvalue()


def _pages(count: int) -> list[Page]:
    page = f"= BANDSTAND COMMITTEE\n\n{PHRASE} " + "The chair thanked the band. " * 40
    return set_pages("\n<new page>\n".join([page] * count), Style())


def _show(words: str, size: int = 12) -> bytes:
    return b"BT /F %d Tf 72 700 Td (%s) Tj ET\n" % (size, words.encode("cp1252"))


# Not a document at all


@hostile(FAILED, EmptyDocument)
def zero_bytes() -> bytes:
    """A download that never began."""
    return b""


@hostile(FAILED, UnreadablePdf)
def html_saved_as_pdf() -> bytes:
    """The portal's error page under the name of a PDF."""
    return b"<!DOCTYPE html>\n<html><body><h1>404 Not found</h1></body></html>\n" * 20


@hostile(FAILED, UnreadablePdf)
def zip_saved_as_pdf() -> bytes:
    """A word processor's file under the name of a PDF."""
    return b"PK\x03\x04" + random.Random(1).randbytes(4000)


@hostile(FAILED, UnreadablePdf)
def only_the_first_line() -> bytes:
    """Nothing after the mark that it is a PDF."""
    return b"%PDF-1.4\n"


@hostile(FAILED, UnreadablePdf)
def only_zeros() -> bytes:
    """A file whose blocks were never written."""
    return bytes(200_000)


@hostile(FAILED)
def zero_pages() -> bytes:
    """A sound file without a page."""
    return build([b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [] /Count 0 >>"])


# Damaged


def _truncated(percent: int) -> Make:
    def make() -> bytes:
        whole = ordinary()
        return whole[: len(whole) * percent // 100]

    make.__name__ = f"truncated_at_{percent}_percent"
    make.__doc__ = f"A download that ended after {percent} % of the file."
    return make


for _percent in (3, 25, 50, 75, 90):
    hostile(FAILED, UnreadablePdf)(_truncated(_percent))


@hostile(EITHER)
def truncated_by_its_last_line() -> bytes:
    """Only the end mark is missing: every page is there."""
    return ordinary()[:-20]


@hostile(FAILED)
def truncated_after_the_first_page() -> bytes:
    """The page tree comes first and promises three pages, the file holds one."""
    text = stream(_show(PHRASE))
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R"
    page += b" /Resources << /Font << /F 3 0 R >> >> >>"
    whole = build(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [4 0 R 6 0 R 8 0 R] /Count 3 >>",
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            *(part for n in (5, 7, 9) for part in (page % n, text)),
        ]
    )
    trailer = b"trailer\n<< /Size 10 /Root 1 0 R >>\n"
    return whole[: whole.index(b"6 0 obj")] + trailer


def _flipped(name: str, whole: Make, seed: int) -> Make:
    def make() -> bytes:
        chance = random.Random(seed)
        damaged = bytearray(whole())
        for _ in range(1 + 3 * seed):
            damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
        return bytes(damaged)

    make.__name__ = f"{name}_with_flipped_bits_{seed}"
    make.__doc__ = "A file from a failing disk."
    return make


for _seed in range(10):
    hostile(EITHER)(_flipped("text", ordinary, _seed))
for _seed in range(3):
    hostile(EITHER)(_flipped("jpeg", lambda: _scanned(GREY_150), _seed))
    hostile(EITHER)(_flipped("fax", lambda: _scanned(FAX_300), _seed))


@hostile(FAILED)
def damaged_contents() -> bytes:
    """A sound page whose packed text is noise: it is shown blank, and is not."""
    noise = b"\x78\xda" + random.Random(5).randbytes(300)
    return one_page(stream(noise, b"/Filter /FlateDecode"))


@hostile(FAILED)
def damaged_image() -> bytes:
    """A scan whose JPEG is noise: it is shown blank, and is not."""
    jpeg = scan_of_minutes()
    noise = jpeg.stream[:2] + random.Random(6).randbytes(3000)
    writer = PdfWriter()
    writer.add_page(image=EncodedImage(jpeg.width, jpeg.height, jpeg.entries, noise))
    return writer.getvalue()


@hostile(EITHER)
def missing_xref() -> bytes:
    """The table of objects is gone, the trailer is there."""
    whole = ordinary()
    start, trailer = whole.rindex(b"\nxref\n"), whole.rindex(b"trailer")
    return whole[:start] + b"\n" + whole[trailer:]


@hostile(FAILED, UnreadablePdf)
def missing_xref_and_trailer() -> bytes:
    """Nothing says where the catalog is."""
    whole = ordinary()
    return whole[: whole.rindex(b"\nxref\n")]


@hostile(EITHER)
def wrong_offsets() -> bytes:
    """Every entry of the table points 7 bytes too far."""
    whole = ordinary()
    return whole[:9] + b"%shift\n" + whole[9:]


@hostile(EITHER)
def update_with_wrong_offsets() -> bytes:
    """An update was appended whose table points into the middle of other objects."""
    whole = ordinary()
    previous = int(whole.rpartition(b"startxref\n")[2].split()[0])
    start = len(whole)
    table = b"xref\n1 3\n" + b"0000000123 00000 n \n" * 3
    trailer = b"trailer\n<< /Size 40 /Root 3 0 R /Prev %d >>\n" % previous
    return whole + table + trailer + b"startxref\n%d\n%%%%EOF\n" % start


@hostile(EITHER)
def xref_loop() -> bytes:
    """The table of objects names itself as its former version."""
    whole = one_page()
    start = int(whole.rpartition(b"startxref\n")[2].split()[0])
    return whole.replace(b"/Root 1 0 R", b"/Root 1 0 R /Prev %d" % start)


@hostile(EITHER)
def xref_of_two_billion_objects() -> bytes:
    """The table claims more objects than the file has bytes."""
    whole = one_page()
    return whole.replace(b"xref\n0 6\n", b"xref\n0 2147483647\n").replace(
        b"/Size 6", b"/Size 2147483647"
    )


@hostile(READ)
def junk_before_the_first_line() -> bytes:
    """A server's warning was printed before the PDF."""
    return b"<b>Warning</b>: headers already sent\n" + ordinary()


@hostile(READ)
def junk_after_the_last_line() -> bytes:
    """Padding of a file system or a mailer follows."""
    return ordinary() + bytes(700)


# Locked


_PADDING: Final = bytes.fromhex("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a")


def rc4(key: bytes, data: bytes) -> bytes:
    """Encrypt or decrypt with RC4."""
    state = list(range(256))
    j = 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    out = bytearray()
    i = j = 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)


def encrypted(password: bytes) -> bytes:
    """Return a page encrypted with 40-bit RC4 (version 1, revision 2)."""
    identity, permissions = bytes(16), (-4).to_bytes(4, "little", signed=True)
    padded = (password + _PADDING)[:32]
    owner_key = _md5((b"owner" + _PADDING)[:32])[:5]
    owner = rc4(owner_key, padded)
    key = _md5(padded + owner + permissions + identity)[:5]
    entry = b"<< /Filter /Standard /V 1 /R 2 /P -4 /O <%s> /U <%s> >>" % (
        owner.hex().encode(),
        rc4(key, _PADDING).hex().encode(),
    )
    contents_key = _md5(key + (4).to_bytes(3, "little") + bytes(2))[:10]
    whole = one_page(stream(rc4(contents_key, _show(PHRASE))), more=[entry])
    name = identity.hex().encode()
    return whole.replace(
        b"/Root 1 0 R", b"/Root 1 0 R /Encrypt 6 0 R /ID [<%s> <%s>]" % (name, name)
    )


def _md5(data: bytes) -> bytes:
    return hashlib.md5(data, usedforsecurity=False).digest()


@hostile(FAILED, EncryptedPdf)
def encrypted_with_a_password() -> bytes:
    """Nobody can read it who does not know the password."""
    return encrypted(PASSWORD)


@hostile(READ)
def encrypted_without_a_password() -> bytes:
    """Encrypted, but the empty password opens it: printing is restricted, reading is not."""
    return encrypted(b"")


@hostile(FAILED)
def encrypted_by_an_unknown_method() -> bytes:
    """A rights management product's own security handler."""
    whole = one_page(more=[b"<< /Filter /AcmeRights /V 4 >>"])
    return whole.replace(b"/Root 1 0 R", b"/Root 1 0 R /Encrypt 6 0 R")


# Too many, too large


@hostile(FAILED, DocumentTooLarge)
def a_hundred_thousand_pages() -> bytes:
    """As many small pages, each its own object."""
    first = 5
    numbers = range(first, first + MANY_PAGES)
    kids = b" ".join(b"%d 0 R" % number for number in numbers)
    page = b"<< /Type /Page /Parent 2 0 R /Contents 3 0 R >>"
    tree = b"<< /Type /Pages /Count %d /Kids [%s] /MediaBox [0 0 612 792]" % (MANY_PAGES, kids)
    return build(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            tree + b" /Resources << /Font << /F 4 0 R >> >> >>",
            stream(_show(PHRASE)),
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            *[page] * MANY_PAGES,
        ]
    )


@hostile(FAILED)
def one_page_listed_a_hundred_thousand_times() -> bytes:
    """A small file, a long list."""
    kids = b" ".join([b"3 0 R"] * MANY_PAGES)
    return one_page(tree=b"/Kids [%s] /Count %d" % (kids, MANY_PAGES))


@hostile(EITHER)
def two_billion_pages_promised() -> bytes:
    """The page tree counts two billion pages and has one."""
    return one_page(tree=b"/Kids [3 0 R] /Count 2147483647")


@hostile(FAILED)
def more_pages_promised_than_there_are() -> bytes:
    """The page tree counts nine pages and has one: eight are missing."""
    return one_page(tree=b"/Kids [3 0 R] /Count 9")


@hostile(READ)
def two_hundred_inch_page() -> bytes:
    """The largest page the format allows, with ordinary text on it."""
    return one_page(media=b"/MediaBox [0 0 14400 14400]")


@hostile(EITHER)
def two_hundred_inch_scan() -> bytes:
    """The same as a scan: it must be rendered, but not at 300 dpi (3.6 gigapixels)."""
    writer = PdfWriter()
    writer.add_page(image=scan_of_minutes(), size=(14400, 14400))
    return writer.getvalue()


@hostile(EITHER)
def thread_shaped_page() -> bytes:
    """A point wide and 14,400 points long."""
    return one_page(media=b"/MediaBox [0 0 1 14400]")


@hostile(EITHER)
def huge_user_unit() -> bytes:
    """A letter page whose unit is said to be a thousand inches."""
    return one_page(media=b"/MediaBox [0 0 612 792] /UserUnit 72000")


@hostile(EITHER)
def a_million_words() -> bytes:
    """One page with five million letters, nearly all of them below its lower edge."""
    line = b"(%s) Tj 0 -7 Td\n" % (b"word " * 20)
    text = b"BT /F 6 Tf 10 780 Td\n" + line * 50_000 + b"ET"
    return one_page(stream(zlib.compress(text, 9), b"/Filter /FlateDecode"))


def _media_box(name: str, box: bytes, outcome: str) -> None:
    def make() -> bytes:
        return one_page(media=b"/MediaBox " + box if box else b"")

    make.__name__ = f"media_box_{name}"
    make.__doc__ = f"A page whose size is given as {box.decode() or 'nothing'}."
    hostile(outcome)(make)


_media_box("huge", b"[0 0 1e38 1e38]", EITHER)
_media_box("beyond_numbers", b"[0 0 99999999999999999999999 99999999999999999999999]", EITHER)
_media_box("not_a_number", b"[0 0 nan inf]", EITHER)
_media_box("negative", b"[0 0 -612 -792]", EITHER)
_media_box("upside_down", b"[612 792 0 0]", READ)
_media_box("empty", b"[0 0 0 0]", EITHER)
_media_box("of_strings", b"[(a) (b) /c null]", EITHER)
_media_box("missing", b"", READ)


# Without end


@hostile(EITHER)
def deep_page_tree() -> bytes:
    """The page lies under five thousand nodes."""
    depth = 5000
    node = b"<< /Type /Pages /Kids [%d 0 R] /Count 1 /Parent %d 0 R >>"
    nodes = [node % (number + 1, number - 1) for number in range(2, depth)]
    last = b"<< /Type /Page /Parent %d 0 R /MediaBox [0 0 612 792] >>" % (depth - 1)
    return build([b"<< /Type /Catalog /Pages 2 0 R >>", *nodes, last])


@hostile(FAILED)
def page_tree_loop() -> bytes:
    """The page tree is its own child."""
    return build(
        [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2 >>"]
    )


@hostile(EITHER)
def page_tree_parent_loop() -> bytes:
    """Two nodes are each other's parents, and the page's size is to be inherited."""
    return build(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 /Parent 3 0 R >>",
            b"<< /Type /Pages /Kids [4 0 R] /Count 1 /Parent 2 0 R >>",
            b"<< /Type /Page /Parent 3 0 R >>",
        ]
    )


@hostile(EITHER)
def nested_arrays() -> bytes:
    """An array in an array, and so on, half a million deep."""
    return one_page(more=[b"[" * 500_000 + b"]" * 500_000], catalog=b"/Odd 6 0 R")


@hostile(EITHER)
def nested_dictionaries() -> bytes:
    """The same with dictionaries, in the page itself."""
    deep = b"<</A " * 100_000 + b"0" + b">>" * 100_000
    return one_page(media=b"/MediaBox [0 0 612 792] /Odd " + deep)


@hostile(EITHER)
def nested_forms() -> bytes:
    """Each of two thousand forms draws the next."""
    forms = [_form(b"/X Do", number + 1) for number in range(6, 2006)]
    return one_page(
        stream(_show(PHRASE) + b"/X Do"), resources=b"/XObject << /X 6 0 R >>", more=forms
    )


@hostile(EITHER)
def form_that_draws_itself() -> bytes:
    """A form whose drawing begins with itself."""
    return one_page(
        stream(_show(PHRASE) + b"/X Do"),
        resources=b"/XObject << /X 6 0 R >>",
        more=[_form(b"/X Do", 6)],
    )


@hostile(EITHER)
def forms_that_multiply() -> bytes:
    """Ten forms, each drawing the next ten times: ten thousand million drawings."""
    forms = [_form(b"/X Do " * 10, number + 1) for number in range(6, 16)]
    last = stream(_show(PHRASE), b"/Type /XObject /Subtype /Form /BBox [0 0 612 792]")
    return one_page(
        stream(_show(PHRASE) + b"/X Do"), resources=b"/XObject << /X 6 0 R >>", more=[*forms, last]
    )


@hostile(EITHER)
def nested_graphics_states() -> bytes:
    """A page that saves its state a million times and never restores it."""
    return one_page(
        stream(zlib.compress(b"q " * 1_000_000 + _show(PHRASE)), b"/Filter /FlateDecode")
    )


@hostile(EITHER)
def length_of_itself() -> bytes:
    """A stream whose length is the stream."""
    text = _show(PHRASE)
    return one_page(b"<< /Length 4 0 R >>\nstream\n" + text + b"\nendstream")


@hostile(EITHER)
def dashes_without_end() -> bytes:
    """Lines across the page in dashes of a millionth of a point."""
    return one_page(stream(_show(PHRASE) + b"[0.000001] 0 d 1 w 0 0 m 612 792 l S\n" * 200))


@hostile(EITHER)
def tiles_without_end() -> bytes:
    """No text, and the page is filled with tiles a thousandth of a point apart."""
    entries = b"/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 1 1]"
    entries += b" /XStep 0.001 /YStep 0.001 /Resources << >>"
    tile = stream(b"0 0 1 1 re f", entries)
    fill = b"/Pattern cs /P scn 0 0 612 792 re f\n"
    return one_page(stream(fill), resources=b"/Pattern << /P 6 0 R >>", more=[tile])


def _form(drawing: bytes, following: int) -> bytes:
    entries = b"/Type /XObject /Subtype /Form /BBox [0 0 612 792]"
    return stream(drawing, entries + b" /Resources << /XObject << /X %d 0 R >> >>" % following)


# Bombs


@hostile(EITHER)
def bomb_of_nothing() -> bytes:
    """A content stream that unpacks to a gigabyte of zeros."""
    return one_page(bomb(bytes(MEGABYTE), 1024))


@hostile(EITHER)
def bomb_of_drawing() -> bytes:
    """A content stream that unpacks to 400 MB of lines to draw."""
    unit = b"0 0 m 9 9 l S\n" * (MEGABYTE // 14)
    return one_page(bomb(unit, 400))


@hostile(EITHER)
def bomb_of_a_black_and_white_image() -> bytes:
    """An image of 60,000 x 60,000 pixels, 450 MB when unpacked."""
    return _image_bomb(bytes(7500) * 100, 600, b"/BitsPerComponent 1 /ColorSpace /DeviceGray")


@hostile(FAILED)
def bomb_of_a_colour_image() -> bytes:
    """An image of 60,000 x 60,000 pixels, said to be in colour: 10.8 GB when unpacked."""
    return _image_bomb(bytes(MEGABYTE), 512, b"/BitsPerComponent 8 /ColorSpace /DeviceRGB")


@hostile(FAILED)
def bomb_of_a_jpeg() -> bytes:
    """A small JPEG whose head says 65,000 x 65,000 pixels."""
    jpeg = scan_of_minutes()
    at = jpeg.stream.index(b"\xff\xc0") + 5
    lie = (65_000).to_bytes(2, "big") * 2
    writer = PdfWriter()
    image = EncodedImage(
        65_000, 65_000, jpeg.entries, jpeg.stream[:at] + lie + jpeg.stream[at + 4 :]
    )
    writer.add_page(image=image)
    return writer.getvalue()


@hostile(EITHER)
def bomb_of_objects() -> bytes:
    """An object stream that unpacks to half a gigabyte of spaces."""
    packed = bomb(b" " * MEGABYTE, 512, b"/Type /ObjStm /N 1 /First 10")
    return one_page(more=[packed], catalog=b"/Odd 6 0 R")


def _image_bomb(unit: bytes, times: int, entries: bytes) -> bytes:
    size = b"/Type /XObject /Subtype /Image /Width 60000 /Height 60000 "
    return one_page(
        stream(b"q 612 0 0 792 0 0 cm /I Do Q"),
        resources=b"/XObject << /I 6 0 R >>",
        more=[bomb(unit, times, size + entries)],
    )


# Text layers that lie: the words are to be seen on the page, and OCR finds them


@hostile(READ)
def header_over_a_scan() -> bytes:
    """The text layer holds a stamped header and nothing of the scan below it."""
    header = [Text(180, 770, "Helvetica", 9, "FILED 2024-01-15  Document 12  Page 1 of 1")]
    writer = PdfWriter()
    writer.add_page(header, scan_of_minutes())
    return writer.getvalue()


@hostile(READ)
def garbage_under_a_scan() -> bytes:
    """The invisible layer of a bad OCR program: symbols, no words."""
    chance = random.Random(3)
    signs = "~|;:.,'^_-=+*<>{}[]l1Ii!/\\"
    lines = ["".join(chance.choices(signs + " ", k=70)) for _ in range(40)]
    marks = [Text(72, 720 - 15 * n, "Courier", 9, line) for n, line in enumerate(lines)]
    writer = PdfWriter()
    writer.add_page(marks, scan_of_minutes(), invisible=True)
    return writer.getvalue()


@hostile(READ)
def text_in_private_letters() -> bytes:
    """A font that maps every letter to Unicode's private area."""
    return _mapped(lambda code: 0xE000 + code)


@hostile(READ)
def text_in_shifted_letters() -> bytes:
    """A subset font whose map was lost: every letter is some other sign."""
    return _mapped(lambda code: code - 29 if code > 61 else code + 128)


@hostile(READ)
def text_without_spaces() -> bytes:
    """Words are set apart by moving the pen; the file holds no space."""
    moves = b" ".join(b"(%s) Tj 70 0 Td" % word.encode() for word in PHRASE.split())
    return one_page(stream(b"BT /F 11 Tf 30 600 Td %s ET\n" % moves))


def _mapped(to: Callable[[int], int]) -> bytes:
    """Return a page that looks right and whose letters map to others."""
    pairs = b"\n".join(b"<%02X> <%04X>" % (code, to(code)) for code in range(32, 127))
    cmap = b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n"
    cmap += b"/CMapName /Odd def /CMapType 2 def\n"
    cmap += b"1 begincodespacerange <00> <FF> endcodespacerange\n"
    cmap += b"95 beginbfchar\n%s\nendbfchar\nendcmap end end\n" % pairs
    lines = [PHRASE, *["The chair thanked the band and the meeting went on."] * 12]
    shown = b"".join(b"(%s) Tj 0 -18 Td\n" % line.encode() for line in lines)
    return one_page(
        stream(b"BT /F 12 Tf 72 700 Td\n" + shown + b"ET"),
        font=b"/ToUnicode 6 0 R",
        more=[stream(cmap)],
    )


# Harmless, though it looks otherwise


@hostile(READ)
def javascript_and_attachment() -> bytes:
    """A file that wants to run a script when opened and carries a program."""
    catalog = b"/OpenAction << /S /JavaScript /JS (while(true){app.alert\\(1\\)}) >>"
    catalog += b" /Names << /EmbeddedFiles << /Names [(a.exe) 6 0 R] >> >>"
    return one_page(
        catalog=catalog,
        more=[
            b"<< /Type /Filespec /F (a.exe) /EF << /F 7 0 R >> >>",
            stream(b"MZ" + bytes(100), b"/Type /EmbeddedFile"),
        ],
    )


@hostile(READ)
def blank_page_among_others() -> bytes:
    """The second of three pages is blank: nothing to read is not a failure."""
    writer = PdfWriter()
    first, last = _pages(2)
    for marks in (first.marks, [], last.marks):
        writer.add_page(marks)
    return writer.getvalue()


@hostile(READ)
def scan_turned_on_its_side() -> bytes:
    """A scan that is stored lying and shown upright by the page's rotation."""
    lying = encode_jpeg(render_page(ordinary(1), 0, 150).rotate(90, expand=True), 50)
    size = b"/Type /XObject /Subtype /Image /Width %d /Height %d " % (lying.width, lying.height)
    return one_page(
        stream(b"q 792 0 0 612 0 0 cm /I Do Q"),
        media=b"/MediaBox [0 0 792 612] /Rotate 90",
        resources=b"/XObject << /I 6 0 R >>",
        more=[stream(lying.stream, size + lying.entries)],
    )


def main(arguments: list[str]) -> int:
    """Write them all into the folder named."""
    if len(arguments) != 1:
        sys.stderr.write("Usage: python tests/hostile_pdfs.py FOLDER\n")
        return 2
    for path, expectation in make_all(Path(arguments[0])):
        error = expectation.error.__name__ if expectation.error else ""
        print(f"{path.stat().st_size:>9}  {expectation.outcome:<7} {error:<17} {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
