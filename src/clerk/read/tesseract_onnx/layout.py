"""Where the lines of a page are: libtesseract's layout analysis without its recognition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy
from PIL import Image, ImageChops

from clerk.read.ocr import GreyImage, Segmentation

#: The kinds of blocks that hold text, as libtesseract numbers them; the others are pictures, rules.
_TEXT_BLOCKS = range(1, 9)
#: The direction of writing, as libtesseract numbers it, of lines turned clockwise.
_TOP_TO_BOTTOM = 2
#: A finer picture than this says no more about where lines are, but takes longer.
_LAYOUT_DPI = 200
#: White pixels kept around everything on the page; the rest of the margins is cut off.
_MARGIN = 16
#: Lines whose ascents differ by less than this share are taken to be of one size.
_LIKE = 0.3
#: Room below the baseline that a line has even if no letter of it goes there, in ascents.
_LEAST_DESCENT = 0.25


@dataclass(frozen=True)
class PlacedLine:
    """A line that has yet to be read.

    ``quarter_turns`` says how often the page must be turned counter-clockwise for the line to
    be upright; the coordinates are those on the turned page.  ``baseline`` is the height of its
    baseline in the middle; ``ascent`` and ``descent`` are the room its type takes.
    """

    left: float
    right: float
    baseline: float
    ascent: float
    descent: float
    quarter_turns: int
    block: int
    paragraph: int
    number: int


def placed_lines(
    image: GreyImage, dpi: int, api: Any, segmentation: Segmentation = Segmentation.AUTOMATIC
) -> list[PlacedLine]:
    """Return the lines of a page in reading order; ``api`` is libtesseract's layout analysis."""
    picture, scale = Image.fromarray(image.array()), dpi / _LAYOUT_DPI
    if scale < 1.25:
        scale = 1.0
    else:
        size = (max(1, round(image.width / scale)), max(1, round(image.height / scale)))
        picture = picture.resize(size, Image.Resampling.BOX)
    picture = black_on_white(picture)
    left, top, right, bottom = ImageChops.invert(picture).getbbox() or (0, 0, *picture.size)
    left, top = max(0, left - _MARGIN), max(0, top - _MARGIN)
    right, bottom = min(picture.width, right + _MARGIN), min(picture.height, bottom + _MARGIN)
    api.SetImage(picture.crop((left, top, right, bottom)))
    api.SetSourceResolution(round(dpi / scale))
    api.SetPageSegMode(segmentation.value)
    found = list(_found_lines(api.AnalyseLayout(True), (left, top), picture.width))
    api.Clear()
    blocks = groupby(found, key=lambda line: line.block)
    lines = [line for _, block in blocks for line in _of_like_height(list(block))]
    if scale == 1:
        return lines
    scaled = ("left", "right", "baseline", "ascent", "descent")
    return [replace(line, **{it: getattr(line, it) * scale for it in scaled}) for line in lines]


def black_on_white(picture: Image.Image) -> Image.Image:
    """Return the picture in black and white, faster than libtesseract would make it.

    Otsu's threshold divides the pixels in two groups; the larger one is the paper.
    """
    counts = numpy.array(picture.histogram(), numpy.float64)
    up_to, shades = counts.cumsum(), numpy.arange(256)
    dark, light = up_to[:-1], up_to[-1] - up_to[:-1]
    darkness = (counts * shades).cumsum()
    apart = numpy.maximum(dark, 1), numpy.maximum(light, 1)
    distance = (darkness[-1] - darkness[:-1]) / apart[1] - darkness[:-1] / apart[0]
    threshold = int((distance**2 * dark * light).argmax())
    is_paper = (shades > threshold) == (dark[threshold] < picture.width * picture.height / 2)
    return picture.point((is_paper * 255).tolist(), "1")


def _found_lines(iterator: Any, corner: tuple[int, int], page_width: int) -> Iterator[PlacedLine]:
    """Yield the lines; without recognition, what libtesseract calls a word is a line or a part.

    ``corner`` is the top left corner, on the page, of the part that was analysed.
    """
    from tesserocr import RIL  # type: ignore[import-untyped]

    x, y = corner
    block = paragraph = line = -1
    more = iterator is not None
    while more:
        block += iterator.IsAtBeginningOf(RIL.BLOCK)
        paragraph += iterator.IsAtBeginningOf(RIL.PARA)
        line += iterator.IsAtBeginningOf(RIL.TEXTLINE)
        box = iterator.BoundingBox(RIL.WORD)
        if box and int(iterator.BlockType()) in _TEXT_BLOCKS:
            left, top, right, bottom = box
            left, top, right, bottom = left + x, top + y, right + x, bottom + y
            ends = [(at + x, height + y) for at, height in iterator.Baseline(RIL.WORD) or ()]
            downwards = int(iterator.Orientation()[1]) == _TOP_TO_BOTTOM
            if downwards:
                left, top, right, bottom = top, page_width - right, bottom, page_width - left
                ends = [(height, page_width - at) for at, height in ends]
            # A line without a usable baseline stands on its box.
            baseline, ascent, descent = float(bottom), float(bottom - top), 0.0
            if ends and top - 9 <= ends[0][1] <= bottom + 40:
                baseline = (ends[0][1] + ends[1][1]) / 2
                ascent, descent = max(baseline - top, 1.0), max(bottom - baseline, 0.0)
            sizes = (left, right, baseline, ascent, descent)
            yield PlacedLine(*sizes, int(downwards), block, paragraph, line)
        more = iterator.Next(RIL.WORD)


def _of_like_height(block: Sequence[PlacedLine]) -> Iterator[PlacedLine]:
    """Give the lines of a block the height of their type.

    The letters of a line may have no ascender or descender, but the network expects all text of
    one size at one scale; so a line borrows from the lines of like size around it.
    """
    measured = sorted((line for line in block if line.descent), key=lambda line: line.ascent)
    ascents = numpy.array([line.ascent for line in measured])
    descents = numpy.array([line.descent for line in measured])
    for line in block:
        ascent, descent = line.ascent, max(line.descent, _LEAST_DESCENT * line.ascent)
        reach = (ascent - _LIKE * ascent, ascent + _LIKE * ascent)
        first, end = numpy.searchsorted(ascents, reach)
        if first != end:
            ascent = max(ascent, float(numpy.median(ascents[first:end])))
            descent = max(descent, float(numpy.median(descents[first:end])))
        yield replace(line, ascent=ascent, descent=descent)
