"""From the picture of a page to its words: the care taken around any OCR engine.

Engines are plugins, so what they answer is checked; an empty page is not shown to them; and a page
they make little of is shown again upside down (Tesseract finds out by itself about pages that lie
on their side, but not which way up the lines are).
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy

from .ocr import GreyImage, OcrBackend, OcrPage, OcrWord, PixelBox

#: Below this the page may be upside down.
_UNSURE_BELOW = 0.5
#: No sheet of text is longer: larger pages are pictures placed a pixel to the point.
_LONGEST_SHEET_INCHES = 14

#: A pixel darker than the paper by this much is ink.
_INK_CONTRAST = 40
#: Squares of so many pixels are looked at; a speck of dust is in fewer than the squares allowed.
_SQUARE = 8
_SPECKS = 3


class BadAnswer(ValueError):
    """An OCR engine answered with something that is not a page."""


def recognise(backend: OcrBackend, image: GreyImage, languages: Sequence[str], dpi: int) -> OcrPage:
    """Read a picture whichever way up it is, and check what the engine answers."""
    assumed_dpi = max(dpi, max(image.width, image.height) // _LONGEST_SHEET_INCHES)
    page = _checked(backend.recognise(image, languages, assumed_dpi))
    if not page.words or page.confidence >= _UNSURE_BELOW:
        return page
    turned = _checked(backend.recognise(_upside_down(image), languages, assumed_dpi))
    return page if turned.confidence <= page.confidence else _turned_back(turned, image)


def _checked(page: object) -> OcrPage:
    """Return the answer if it is a page with text that can be written down."""
    if not isinstance(page, OcrPage):
        raise BadAnswer(f"the engine answered with {type(page).__name__}, not with an OcrPage")
    try:
        msgspec.convert(msgspec.to_builtins(page), OcrPage)
        page.text.encode()
        "".join(word.text for word in page.words).encode()
    except (msgspec.ValidationError, TypeError, UnicodeError, AttributeError) as error:
        raise BadAnswer(f"the engine's answer cannot be used: {error}") from error
    return page


def _upside_down(image: GreyImage) -> GreyImage:
    return GreyImage(image.width, image.height, image.pixels[::-1])


def _turned_back(page: OcrPage, image: GreyImage) -> OcrPage:
    def turn(box: PixelBox) -> PixelBox:
        left, top, right, bottom = box
        return (image.width - right, image.height - bottom, image.width - left, image.height - top)

    words: list[OcrWord] = [
        msgspec.structs.replace(word, box=turn(word.box)) for word in page.words
    ]
    return OcrPage(page.text, words, page.confidence)


def is_blank(image: GreyImage) -> bool:
    """Whether the picture shows nothing but paper and dust; in doubt it does not."""
    rough = image.array()[::4, ::4]
    paper = int(numpy.median(rough))
    if numpy.count_nonzero(rough < paper - _INK_CONTRAST) > rough.size // 1000:
        return False
    return _squares_with_ink(image, paper) <= _SPECKS


def _squares_with_ink(image: GreyImage, paper: int) -> int:
    height, width = (side - side % _SQUARE for side in (image.height, image.width))
    ink = image.array()[:height, :width] < paper - _INK_CONTRAST
    squares = ink.reshape(height // _SQUARE, _SQUARE, width // _SQUARE, _SQUARE).any(axis=(1, 3))
    return int(numpy.count_nonzero(squares))
