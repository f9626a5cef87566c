"""The text layer of a page: its text, and a box for each of its words.

With :mod:`clerk.read.pdf` the only module that uses libpdfium.  Every page passes through here, and
most need nothing else.  So the library is called directly, because pypdfium2's objects take a
twentieth of the time of a page, and the call for each word is as cheap as possible.

Boxes are in ten-thousandths of the page's width and height as it is shown (rotation applied), from
the top left corner, so that they can be drawn on an image of any size.  They are one flat list,
four numbers a word: a list for each word of a page takes longer than finding the words.
"""

from __future__ import annotations

import ctypes
import re
from collections import deque
from functools import lru_cache
from itertools import repeat
from typing import Any, NamedTuple

import numpy
import pypdfium2.raw as pdfium  # type: ignore[import-untyped]

from .files import UNIT

#: libpdfium's mark for a hyphen at the end of a line, where it drops the line break.
_HYPHEN = "\ufffe"
#: What no text may hold; stored as the replacement character.
_UNPRINTABLE_UNITS = (
    ("\x00", "\x08"),
    ("\x0b", "\x0c"),
    ("\x0e", "\x1f"),
    ("\x7f", "\x9f"),
    ("\ud800", "\udfff"),
    ("\uffff", "\uffff"),
)
_UNPRINTABLE = re.compile("[" + "".join(f"{a}-{b}" for a, b in _UNPRINTABLE_UNITS) + "]")
_REPLACEMENT = "\ufffd"
#: No character from here on is a space to str.split().
_BEYOND_SPACES = 0x3001

#: This many objects at either end of what is drawn are searched for a large picture.
_ENDS = 3
_LARGE = 0.1
#: Scans are pictures; some programs wrap them into forms.
_PICTURES = (pdfium.FPDF_PAGEOBJ_IMAGE, pdfium.FPDF_PAGEOBJ_FORM)

#: Boxes of this many characters are fetched at a time.
_BOXES_AT_ONCE = 4096

_Array = numpy.ndarray[Any, Any]


class TextLayer(NamedTuple):
    """The text a page carries; ``boxes`` has four numbers for each of ``text.split()``.

    ``near_picture`` says that a large picture is drawn before or after the text.
    """

    text: str
    boxes: list[int]
    near_picture: bool = False


def text_layer(document: Any, index: int) -> TextLayer | None:
    """Return the text of a page (from 0) as the PDF orders it, with the box of each word.

    None when the page cannot be loaded.
    """
    page = pdfium.FPDF_LoadPage(document, index)
    if not page:
        return None
    try:
        text_page = pdfium.FPDFText_LoadPage(page)
        if not text_page:
            return None
        try:
            characters = pdfium.FPDFText_CountChars(text_page)
            units = _units(text_page, characters)
            if not len(units):
                return TextLayer("", [])
            text, ends = text_and_word_ends(units)
            if len(text) != characters:
                to_character = pdfium.FPDFText_GetCharIndexFromTextIndex
                ends = [int(to_character(text_page, end)) for end in ends]
            box = pdfium.FS_RECTF()
            pdfium.FPDF_GetPageBoundingBox(page, box)
            quarter_turns = pdfium.FPDFPage_GetRotation(page)
            frame = _frame(box.left, box.bottom, box.right, box.top, quarter_turns)
            boxes = frame.boxes(_rectangles(text_page, ends))
            return TextLayer(tidy(text), boxes, _has_picture_at_an_end(page, box))
        finally:
            pdfium.FPDFText_ClosePage(text_page)
    finally:
        pdfium.FPDF_ClosePage(page)


def _has_picture_at_an_end(page: Any, page_box: Any) -> bool:
    """Whether one of the first or last things drawn is a picture that covers much of the page.

    To look at all of them would take longer than reading the text; scans are drawn first or last.
    """
    count = pdfium.FPDFPage_CountObjects(page)
    area = (page_box.right - page_box.left) * (page_box.top - page_box.bottom)
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    ends = range(count) if count <= 2 * _ENDS else (*range(_ENDS), *range(count - _ENDS, count))
    for index in ends:
        each = pdfium.FPDFPage_GetObject(page, index)
        if pdfium.FPDFPageObj_GetType(each) in _PICTURES:
            pdfium.FPDFPageObj_GetBounds(each, left, bottom, right, top)
            if (right.value - left.value) * (top.value - bottom.value) >= _LARGE * area:
                return True
    return False


def _units(text_page: Any, characters: int) -> _Array:
    """Return the text in units of UTF-16.

    Characters at either end that are not part of the text are not requested: libpdfium would count
    others in their place.
    """
    to_text = pdfium.FPDFText_GetTextIndexFromCharIndex
    first, last = 0, characters - 1
    while first <= last and to_text(text_page, first) < 0:
        first += 1
    while first <= last and to_text(text_page, last) < 0:
        last -= 1
    if first > last:
        return numpy.empty(0, numpy.uint16)
    wanted = last + 1 - first
    units, room = _BUFFER if wanted < len(_BUFFER[0]) else _buffer(wanted + 1)
    return units[: pdfium.FPDFText_GetText(text_page, first, wanted, room) - 1]


def _buffer(units: int) -> tuple[_Array, Any]:
    """Return a buffer for this much text, and its address as libpdfium takes it."""
    room = numpy.empty(units, numpy.uint16)
    return room, room.ctypes.data_as(ctypes.POINTER(ctypes.c_ushort))


#: Enough for all but the longest pages; its content is valid until the next page.
_BUFFER = _buffer(1 << 16)


# ------------------------------------------------------------------------ text and words


#: What a unit of UTF-16 is to words; anything else is 0.
_IS_SPACE, _IS_HYPHEN, _IS_UNPRINTABLE = 1, 2, 3
_KINDS = numpy.zeros(0x10000, numpy.uint8)
_KINDS[[code for code in range(_BEYOND_SPACES) if chr(code).isspace()]] = _IS_SPACE
for _first, _last in _UNPRINTABLE_UNITS:
    _KINDS[ord(_first) : ord(_last) + 1] = _IS_UNPRINTABLE
_KINDS[ord(_HYPHEN)] = _IS_HYPHEN


def text_and_word_ends(units: _Array) -> tuple[str, list[int]]:
    """Return the text, and the units where each word of the tidy text begins and ends."""
    kinds = _KINDS[units]
    text = units.tobytes().decode("utf-16-le", "replace")
    if kinds.max() == _IS_UNPRINTABLE:
        text = _UNPRINTABLE.sub(_REPLACEMENT, text)
    space, hyphen = kinds == _IS_SPACE, kinds == _IS_HYPHEN
    begins = ~space
    ends = begins.copy()
    begins[1:] &= (space | hyphen)[:-1]
    ends[:-1] &= space[1:] | hyphen[:-1]
    (begin,), (end,) = begins.nonzero(), ends.nonzero()
    both = numpy.empty(2 * len(begin), begin.dtype)
    both[0::2], both[1::2] = begin, end
    positions: list[int] = both.tolist()
    return text, positions


def tidy(raw: str) -> str:
    """Return the text with plain line ends, also after a hyphen that stands for one."""
    text = raw.replace("\r\n", "\n").replace("\r", "\n").replace(_HYPHEN, "-\n")
    return text.replace(" \n", "\n")


# -------------------------------------------------------------------------------- boxes

#: FPDFText_GetLooseCharBox(text page, index, address of left, top, right, bottom), called without
#: releasing the interpreter lock and with arguments that need no conversion.  It is called for
#: every word, makes up most of the cost of word boxes, and takes less than half of the time so.
_char_box = ctypes.PYFUNCTYPE(None)(
    ctypes.cast(pdfium.FPDFText_GetLooseCharBox, ctypes.c_void_p).value or 0
)
_as_argument = ctypes.c_void_p.from_param

#: Where the boxes are written to, and the address of each row.
_FOUND = numpy.zeros((_BOXES_AT_ONCE, 4), numpy.float32)
_ROWS = [_as_argument(_FOUND.ctypes.data + row * _FOUND.strides[0]) for row in range(len(_FOUND))]


def _rectangles(text_page: Any, ends: list[int]) -> _Array:
    """Return the rectangles of the first and the last character of each word, side by side."""
    found = numpy.empty((len(ends), 4), numpy.float32)
    handle = repeat(_as_argument(ctypes.cast(text_page, ctypes.c_void_p).value))
    for start in range(0, len(ends), _BOXES_AT_ONCE):
        some = ends[start : start + _BOXES_AT_ONCE]
        _FOUND[: len(some)] = 0
        # A loop over them without a step of the interpreter for each.
        deque(map(_char_box, handle, some, _ROWS), maxlen=0)
        found[start : start + len(some)] = _FOUND[: len(some)]
    return found.reshape(-1, 8)


class _Frame:
    """Where the corners of the page lie, to turn libpdfium's coordinates into boxes."""

    def __init__(
        self, left: float, bottom: float, right: float, top: float, quarter_turns: int
    ) -> None:
        across, up = UNIT / ((right - left) or 1), UNIT / ((top - bottom) or 1)
        # Shown x and y, each as (unrotated axis, factor, offset).
        x, y = 0, 1
        axes = (
            ((x, across, -left * across), (y, -up, top * up)),
            ((y, up, -bottom * up), (x, across, -left * across)),
            ((x, -across, right * across), (y, up, -bottom * up)),
            ((y, -up, top * up), (x, -across, right * across)),
        )[quarter_turns]
        # Where in (least x, least y, most x, most y) each edge of a box is: what is least as shown
        # is largest on an axis that runs the other way.
        least = [axis + 2 * (factor < 0) for axis, factor, _ in axes]
        most = [axis + 2 * (factor > 0) for axis, factor, _ in axes]
        self._edges = least + most
        self._factors = _column([factor for _, factor, _ in axes] * 2)
        self._offsets = _column([offset for _, _, offset in axes] * 2)

    def boxes(self, rectangles: _Array) -> list[int]:
        """Return the box around each pair of rectangles (left, top, right, bottom), unrotated."""
        # A row for each coordinate: long rows are quicker than many short ones.
        corners = numpy.ascontiguousarray(rectangles.T).reshape(4, 2, -1)
        span = numpy.concatenate((corners.min(axis=0), corners.max(axis=0)))
        shown = span[self._edges]
        shown *= self._factors
        shown += self._offsets
        numpy.maximum(shown, 0, out=shown)
        numpy.minimum(shown, UNIT, out=shown)
        boxes: list[int] = shown.T.astype(numpy.int32, order="C").ravel().tolist()
        return boxes


def _column(numbers: list[float]) -> _Array:
    return numpy.array(numbers, numpy.float32)[:, None]


#: The pages of a document usually have one frame.
_frame = lru_cache(maxsize=64)(_Frame)
