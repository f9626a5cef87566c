"""Checking a text layer against the image of its page.

Two things cannot be seen in the text itself: a hidden layer over a scan may be somebody's bad OCR,
and a page with a printed header may show pages of text in a picture.  Here they are measured:

- a band of the page with many words is read by OCR, and the words of the layer in it are compared;
- ink that no word of the layer covers is text that the layer does not have.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from .files import UNIT
from .ink import unread_ink
from .ocr import GreyImage, OcrBackend, OcrWord, PixelBox
from .pdf_text import TextLayer

#: The band that is read has this share of the height of the page.
_BAND = 0.25
#: With fewer words than this in the band, the agreement says nothing.
_FEW_WORDS = 8
#: A layer that has this share of the words of the picture is right.
AGREES_FROM = 0.85
#: If no word covers this share of the ink, in at least this many marks, the layer is incomplete.
_UNCOVERED, _MARKS = 0.25, 25

_LETTERS = re.compile(r"[^\W_]+")


def boxes_in_pixels(layer: TextLayer, image: GreyImage) -> list[PixelBox]:
    """Return the boxes of the layer's words on the image."""
    across, down = image.width / UNIT, image.height / UNIT
    edges = layer.boxes
    return [
        (
            int(edges[at] * across),
            int(edges[at + 1] * down),
            int(edges[at + 2] * across),
            int(edges[at + 3] * down),
        )
        for at in range(0, len(edges), 4)
    ]


def is_partial(layer: TextLayer, image: GreyImage, dpi: int) -> bool:
    """Whether the page shows much text that the layer does not have."""
    unread = unread_ink(image, boxes_in_pixels(layer, image), dpi)
    return unread.share >= _UNCOVERED and len(unread.marks) >= _MARKS


def agreement(
    layer: TextLayer, image: GreyImage, dpi: int, backend: OcrBackend, languages: Sequence[str]
) -> float | None:
    """Return what share of the words of a band of the page layer and OCR have in common.

    None if there are too few words to tell.
    """
    words = list(zip(layer.text.split(), boxes_in_pixels(layer, image), strict=True))
    height = max(1, round(_BAND * image.height))
    middles = [(box[1] + box[3]) // 2 for _, box in words]
    tops = range(0, max(1, image.height - height), max(1, height // 4))
    top = max(tops, key=lambda at: sum(at <= middle < at + height for middle in middles))
    rows = image.array()[top : top + height]
    band = GreyImage(image.width, len(rows), rows.tobytes())
    # Words at the edges of the band are cut.
    margin = height // 20
    inside = range(top + margin, top + height - margin)
    read = backend.recognise(band, languages, dpi).words
    found = [(word.text, (word.box[1] + word.box[3]) // 2 + top) for word in read]
    ours = _counted(text for text, middle in found if middle in inside)
    theirs = _counted(
        text for (text, _), middle in zip(words, middles, strict=True) if middle in inside
    )
    total = ours.total() + theirs.total()
    if min(ours.total(), theirs.total()) < _FEW_WORDS:
        return None
    return 2 * (ours & theirs).total() / total


def _counted(texts: Iterable[str]) -> Counter[str]:
    return Counter(part for text in texts for part in _LETTERS.findall(text.casefold()))


def words_of_layer(layer: TextLayer, image: GreyImage, confidence: float) -> list[OcrWord]:
    """Return the words of a layer as if OCR had read them, line by line."""
    boxes = iter(boxes_in_pixels(layer, image))
    return [
        OcrWord(word, next(boxes), confidence, line, 0)
        for line, text in enumerate(layer.text.split("\n"))
        for word in text.split()
    ]
