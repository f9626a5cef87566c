"""Where the lines of a page stand: libtesseract's layout analysis without its recognition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy
from numpy.typing import NDArray
from PIL import Image, ImageChops

from clerk.read.ocr import GreyImage, PixelBox
from clerk.read.tesseract import layout_engine

#: The kinds of blocks that hold text, as libtesseract numbers them; the others are pictures, rules.
_TEXT_BLOCKS = range(1, 9)
#: The direction of writing, as libtesseract numbers it, of lines turned clockwise.
_TOP_TO_BOTTOM = 2
#: A finer picture than this says no more about where lines are, but takes longer.
_LAYOUT_DPI = 200
#: White around all that is on the page, in pixels; the rest of its margins is not looked at.
_MARGIN = 16
#: Lines whose ascents differ by less than this share are taken to be of one size.
_LIKE = 0.3
#: Room below the baseline that a line has even if no letter of it goes there, in ascents.
_LEAST_DESCENT = 0.25


@dataclass(frozen=True)
class PlacedLine:
    """A line that has yet to be read.

    ``quarter_turns`` says how often the page must be turned counter-clockwise for the line to
    stand upright; the places are those on the turned page.  ``baseline`` is the height of its
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


def placed_lines(image: GreyImage, dpi: int) -> list[PlacedLine]:
    """Return the lines of a page in reading order."""
    shrunk, scale = _for_layout(image, dpi)
    picture = black_on_white(shrunk)
    inked = _inked_part(picture)
    api = layout_engine()
    api.SetImage(picture.crop(inked))
    api.SetSourceResolution(round(dpi / scale))
    found = list(_found_lines(api.AnalyseLayout(True), inked[:2], shrunk.width))
    api.Clear()
    blocks = groupby(found, key=lambda line: line.block)
    lines = [line for _, block in blocks for line in _of_like_height(list(block))]
    return [_enlarged(line, scale) for line in lines] if scale != 1 else lines


def _for_layout(image: GreyImage, dpi: int) -> tuple[Image.Image, float]:
    """Return the picture, made smaller if it is very fine, and how many times smaller it is."""
    scale = dpi / _LAYOUT_DPI
    whole = Image.fromarray(image.array())
    if scale < 1.25:
        return whole, 1.0
    size = (max(1, round(image.width / scale)), max(1, round(image.height / scale)))
    return whole.resize(size, Image.Resampling.BOX), scale


def black_on_white(picture: Image.Image) -> Image.Image:
    """Return what libtesseract would make of a grey picture before looking for lines, sooner.

    Otsu's threshold parts it in two; the greater part is the paper.
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


def _inked_part(picture: Image.Image) -> PixelBox:
    """Return the part of the page without its white margins, but for a little of them."""
    left, top, right, bottom = ImageChops.invert(picture).getbbox() or (0, 0, *picture.size)
    return (
        max(0, left - _MARGIN),
        max(0, top - _MARGIN),
        min(picture.width, right + _MARGIN),
        min(picture.height, bottom + _MARGIN),
    )


def _found_lines(iterator: Any, corner: tuple[int, int], page_width: int) -> Iterator[PlacedLine]:
    """Yield the lines; without recognition, what libtesseract calls a word is a line or a part.

    ``corner`` says where on the page the picture stands that was looked at.
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
            downwards = int(iterator.Orientation()[1]) == _TOP_TO_BOTTOM
            left, top, right, bottom = box
            box = (left + x, top + y, right + x, bottom + y)
            ends = [(at + x, height + y) for at, height in iterator.Baseline(RIL.WORD) or ()]
            geometry = _geometry(box, ends, page_width if downwards else 0)
            yield PlacedLine(*geometry, int(downwards), block, paragraph, line)
        more = iterator.Next(RIL.WORD)


def _geometry(
    box: PixelBox, ends: Sequence[tuple[int, int]], turned_width: int
) -> tuple[float, float, float, float, float]:
    """Return left, right, baseline, ascent and descent, on the turned page if it is turned.

    A line without a baseline stands on its box.
    """
    if turned_width:
        box = (box[1], turned_width - box[2], box[3], turned_width - box[0])
        ends = [(y, turned_width - x) for x, y in ends]
    left, top, right, bottom = box
    if not ends or not top - 9 <= ends[0][1] <= bottom + 40:
        return left, right, bottom, bottom - top, 0.0
    baseline = (ends[0][1] + ends[1][1]) / 2
    return left, right, baseline, max(baseline - top, 1.0), max(bottom - baseline, 0.0)


def _of_like_height(block: Sequence[PlacedLine]) -> Iterator[PlacedLine]:
    """Give the lines of a block the height of their type.

    The letters of a line may have no ascender or descender, but the network expects all text of
    one size at one scale; so a line borrows from the lines of like size around it.
    """
    measured = [line for line in block if line.descent]
    measured.sort(key=lambda line: line.ascent)
    ascents = numpy.array([line.ascent for line in measured])
    descents = numpy.array([line.descent for line in measured])
    for line in block:
        yield _like_others(line, ascents, descents)


def _like_others(
    line: PlacedLine, ascents: NDArray[numpy.float64], descents: NDArray[numpy.float64]
) -> PlacedLine:
    least = max(line.descent, _LEAST_DESCENT * line.ascent)
    tolerance = _LIKE * line.ascent
    first, end = numpy.searchsorted(ascents, [line.ascent - tolerance, line.ascent + tolerance])
    if first == end:
        return replace(line, descent=least)
    return replace(
        line,
        ascent=max(line.ascent, float(numpy.median(ascents[first:end]))),
        descent=max(least, float(numpy.median(descents[first:end]))),
    )


def _enlarged(line: PlacedLine, scale: float) -> PlacedLine:
    sides = ("left", "right", "baseline", "ascent", "descent")
    return replace(line, **{side: getattr(line, side) * scale for side in sides})
