"""OCR of one page: render it, run the engine on it, and check the result.

Engines are plugins, so their results are checked.  An empty page is not shown to the engine.  A
page read with little confidence is tried again upside down: Tesseract detects pages that lie on
their side, but not which way up the lines are.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import msgspec
import numpy

from clerk.core.errors import UnreadablePdf

from . import pdf
from .ink import pieces, unread_ink
from .ocr import (
    GreyImage,
    OcrBackend,
    OcrPage,
    OcrWord,
    PixelBox,
    Segmentation,
    SegmentingBackend,
    mean_confidence,
)
from .options import ReadingOptions
from .rows import in_rows
from .shared_pages import OcrResult
from .text_layer import plausibility

#: Called before each step with page, pages of the document, seconds this step may take.  First come
#: all pages for their text layer, then those with a doubtful one, then those for OCR.
#: Page 0: it waits for pages that other processes are reading.
OnPage = Callable[[int, int, float], None]

#: Time limit of OCR: at the start, and for each million pixels.
_OCR_SECONDS = 20.0
_OCR_SECONDS_PER_MEGAPIXEL = 10.0

#: Below this the page may be upside down.
_UNSURE_BELOW = 0.5
#: An overlooked number (or the letter of an item) counts from this confidence on, a word from that.
_SURE_OF_NUMBER, _SURE_OF_WORD = 0.5, 0.85
_MOST_PLACES = 150
#: The number of an item has at most this many characters.
_LONGEST_ITEM = 4
#: Of a word that was overlooked at most this share may be covered by another one.
_OVERLAP = 0.3
#: With more of the ink unread than this, other divisions of the page are tried.
_MUCH_UNREAD = 0.004
#: Pages read with less confidence are drawings or pictures: dividing them otherwise helps nothing.
_SURE_OF_PAGE = 0.8
#: By this much another reading of the page must be better to be taken as a whole.
_CLEARLY_BETTER = 0.02
#: Fewer words than this that were overlooked are no table.
_FEW_ADDED = 3
#: No sheet of text is longer: larger pages are pictures placed at one pixel per point.
_LONGEST_SHEET_INCHES = 14

#: A pixel darker than the paper by this much is ink.
_INK_CONTRAST = 40
#: The image is divided into squares of this many pixels; dust is in no more of them than allowed.
_SQUARE = 8
_SQUARES_WITH_DUST = 3


class BadAnswer(ValueError):
    """An OCR engine returned something that is not a page."""


def ocr_seconds(document: pdf.Pdf, number: int, options: ReadingOptions) -> float:
    """Return how long OCR of a page may take: by its size, within the limit of the options."""
    size = document.size(number)
    pixels = pdf.pixels(*size, options.dpi, options.page_megapixels)
    seconds = _OCR_SECONDS + _OCR_SECONDS_PER_MEGAPIXEL * pixels / 1e6
    return min(seconds, options.page_seconds)


def recognise_page(
    document: pdf.Pdf, number: int, options: ReadingOptions, backend: OcrBackend
) -> OcrResult:
    """Render a page and run OCR on it; raises whatever the page or the engine fails with."""
    with document.page(number, with_forms=True) as page:
        image, dpi = page.render(options.dpi, options.page_megapixels)
        white = is_blank(image)
        if white and page.has_broken_picture():
            raise UnreadablePdf(f"page {number} has an image that cannot be decoded.")
    words = OcrPage.of(()) if white else recognise(backend, image, options.languages, dpi)
    return OcrResult(dpi, image.width, image.height, white, words)


def recognise(backend: OcrBackend, image: GreyImage, languages: Sequence[str], dpi: int) -> OcrPage:
    """Read an image whichever way up it is, and check what the engine returns.

    Where it leaves ink unread, or the page is a table, see :func:`_completed`.
    """
    width, height = image.width, image.height
    assumed_dpi = max(dpi, max(width, height) // _LONGEST_SHEET_INCHES)
    page = _checked(backend.recognise(image, languages, assumed_dpi))
    if page.words and page.confidence < _UNSURE_BELOW:
        upside_down = GreyImage(width, height, image.pixels[::-1])
        turned = _checked(backend.recognise(upside_down, languages, assumed_dpi))
        if turned.confidence > page.confidence:
            words = []
            for word in turned.words:
                left, top, right, bottom = word.box
                box = (width - right, height - bottom, width - left, height - top)
                words.append(msgspec.structs.replace(word, box=box))
            page = OcrPage(turned.text, words, turned.confidence)
    return _completed(backend, page, image, languages, assumed_dpi)


def _completed(
    backend: OcrBackend, page: OcrPage, image: GreyImage, languages: Sequence[str], dpi: int
) -> OcrPage:
    """Return the page with what the engine has overlooked, row by row.

    Ink that no word covers is read piece by piece.  If that is text, the engine also divides the
    page otherwise: of each other reading the words are taken that were overlooked, or the whole
    reading, if it covers clearly more of the ink and looks as much like text.  Confidence falls by
    the share of the ink that nobody has read.
    """
    reading = _filled(backend, page, image, languages, dpi)
    if isinstance(backend, SegmentingBackend) and page.confidence >= _SURE_OF_PAGE:
        for segmentation in (Segmentation.ONE_COLUMN, Segmentation.ONE_BLOCK):
            if not reading.overlooked_text:
                break
            answer = _checked(backend.recognise_as(image, languages, dpi, segmentation))
            other = _filled(backend, answer, image, languages, dpi)
            if other.worth > reading.worth + _CLEARLY_BETTER:
                reading = other
            else:
                reading = _with_overlooked(reading, answer.words, image, dpi)
            if reading.unread <= _MUCH_UNREAD:
                break
    words = in_rows(reading.words, reading.added)
    if words == page.words and not reading.unread:
        return page
    whole = OcrPage.of(words)
    return msgspec.structs.replace(whole, confidence=whole.confidence * (1 - reading.unread))


@dataclass(frozen=True)
class _Reading:
    words: Sequence[OcrWord]
    #: Those found outside of the engine's own lines.
    added: Sequence[OcrWord]
    #: The share of the ink that no word of the engine covered, and that no word covers now.
    unread_at_first: float
    unread: float

    @property
    def overlooked_text(self) -> bool:
        """Whether the engine left out text rather than signatures, logos and stains."""
        return self.unread_at_first > _MUCH_UNREAD and len(self.added) >= _FEW_ADDED

    @property
    def worth(self) -> float:
        """How much of the ink is read, how much that looks like text, and how surely it is read.

        What had to be added counts half: the engine saw it without the rest of its line.
        """
        unread = (self.unread + self.unread_at_first) / 2
        words = [*self.words, *self.added]
        plausible = plausibility(" ".join(word.text for word in words))
        return (1 - unread) * (plausible + mean_confidence(words)) / 2


def _filled(
    backend: OcrBackend, page: OcrPage, image: GreyImage, languages: Sequence[str], dpi: int
) -> _Reading:
    """Read the ink that no word of the page covers."""
    boxes = [word.box for word in page.words]
    unread = unread_ink(image, boxes, dpi)
    if not unread.marks or not isinstance(backend, SegmentingBackend):
        return _Reading(page.words, (), unread.share, unread.share)
    places = pieces(unread.marks, boxes)
    found = backend.read_places(image, places[:_MOST_PLACES], languages, dpi)
    added = [
        _as_item_number(word)
        for word in found
        if _is_believable(word) and not any(map(partial(_overlap, word.box), boxes))
    ]
    left = unread.share
    if added:
        left = unread_ink(image, boxes + [word.box for word in added], dpi).share
    return _Reading(page.words, added, unread.share, left)


def _with_overlooked(
    reading: _Reading, others: Sequence[OcrWord], image: GreyImage, dpi: int
) -> _Reading:
    """Add the words of another reading of the page that this one has overlooked.

    They take the place of what was read there without the rest of the line.
    """
    boxes = [word.box for word in reading.words]
    better = [
        _as_item_number(word)
        for word in others
        if _is_believable(word) and not any(map(partial(_overlap, word.box), boxes))
    ]
    covered = [word.box for word in better]
    # Lines that have no number of the first reading yet.
    last = max((word.line for word in reading.added), default=0) + 1
    added = [
        word for word in reading.added if not any(map(partial(_overlap, word.box), covered))
    ] + [msgspec.structs.replace(word, line=last + word.line) for word in better]
    left = unread_ink(image, boxes + [word.box for word in added], dpi).share
    return dataclasses.replace(reading, added=added, unread=left)


def words_beside(words: Sequence[OcrWord], known: Sequence[OcrWord]) -> list[OcrWord]:
    """Return the words that are surely read and not a part of the known ones."""
    boxes = [word.box for word in known]
    return [
        word
        for word in words
        if _is_believable(word) and not any(map(partial(_overlap, word.box), boxes))
    ]


def _as_item_number(word: OcrWord) -> OcrWord:
    """Return a short number alone in a margin as it is printed: "4." rather than "4,"."""
    if word.text[-1] == "," and word.text[:-1].isdigit() and len(word.text) <= _LONGEST_ITEM:
        return msgspec.structs.replace(word, text=f"{word.text[:-1]}.")
    return word


def _is_believable(word: OcrWord) -> bool:
    """Whether an overlooked piece is text: logos and signatures are read as letters too."""
    letters = sum(map(str.isalnum, word.text))
    if any(map(str.isdigit, word.text)) or (letters == 1 and word.text[-1] in ".):"):
        return word.confidence >= _SURE_OF_NUMBER
    return letters > 0 and word.confidence >= _SURE_OF_WORD


def _overlap(added: PixelBox, word: PixelBox) -> bool:
    """Whether a good part of an added word is a part of a word that was read already."""
    across = min(added[2], word[2]) - max(added[0], word[0])
    down = min(added[3], word[3]) - max(added[1], word[1])
    area = (added[2] - added[0]) * (added[3] - added[1])
    return across > 0 and down > 0 and across * down > _OVERLAP * area


def _checked(page: object) -> OcrPage:
    """Return the engine's answer if it is a page whose text can be stored."""
    if not isinstance(page, OcrPage):
        raise BadAnswer(f"the engine answered with {type(page).__name__}, not with an OcrPage")
    try:
        msgspec.convert(msgspec.to_builtins(page), OcrPage)
        page.text.encode()
        "".join(word.text for word in page.words).encode()
    except (msgspec.ValidationError, TypeError, UnicodeError, AttributeError) as error:
        raise BadAnswer(f"the engine's answer cannot be used: {error}") from error
    return page


def is_blank(image: GreyImage) -> bool:
    """Whether the image shows nothing but paper and dust; if in doubt it does not."""
    rough = image.array()[::4, ::4]
    paper = int(numpy.median(rough))
    if numpy.count_nonzero(rough < paper - _INK_CONTRAST) > rough.size // 1000:
        return False
    height, width = (side - side % _SQUARE for side in (image.height, image.width))
    ink = image.array()[:height, :width] < paper - _INK_CONTRAST
    squares = ink.reshape(height // _SQUARE, _SQUARE, width // _SQUARE, _SQUARE).any(axis=(1, 3))
    return int(numpy.count_nonzero(squares)) <= _SQUARES_WITH_DUST
