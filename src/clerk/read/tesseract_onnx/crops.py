"""Cutting lines out of a page, scaled and stretched to what the network was trained on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from clerk.read.ocr import GreyImage, PixelBox

from .layout import PlacedLine

#: What the network sees of a line: rows of grey values between -1 (black) and 1 (white).
Crop = NDArray[numpy.float32]

#: White around a line, and beside a word, in pixels of the page.
_MARGIN = 4
_AROUND_WORD = 6
#: Pixels a line must have in each direction to show anything.
_LEAST_SIDE = 3
_LEAST_WIDTH = 9
#: Lines longer than this many times their height are rules or noise.
_LONGEST = 120
#: Letters of more pixels than this are pictures.
_TALLEST = 1200
#: How far from the network's space its gap is searched, in pixels of the crop.
_GAP_REACH = 14
_INK = b"\1"
#: What is left of the crop's width beyond its last whole column is less than this.
_LAST_COLUMN = 8


@dataclass(frozen=True)
class LineCrop:
    """A line at the network's height, and how to find its pixels on the page again."""

    pixels: Crop
    scale: float
    #: Equal for lines that look the same to the network.
    fingerprint: bytes
    #: What was cut out, on the turned page.
    area: PixelBox
    quarter_turns: int
    #: Width and height of the page as it was given.
    page_size: tuple[int, int]

    def picture(self, page: NDArray[numpy.uint8], word: PixelBox) -> GreyImage:
        """Return the image of a word of the line, upright; its box is on the page."""
        first, top, last, bottom = self.area
        left, right = word[1::2] if self.quarter_turns else word[::2]
        left, right = max(first, left - _AROUND_WORD), min(last, right + _AROUND_WORD)
        cut = numpy.rot90(page, self.quarter_turns)[top:bottom, left:right]
        return GreyImage(cut.shape[1], cut.shape[0], cut.tobytes())

    def boxes(self, spans: Iterable[tuple[int, int]]) -> Iterator[PixelBox]:
        """Yield the box on the page of the ink in each span of columns of the crop."""
        inked = self.pixels < 0
        profile = inked.any(axis=0).tobytes()
        for begin, end in spans:
            left = _gap_near(profile, begin)
            right = max(left + 1, _gap_near(profile, end))
            part = inked[:, left:right]
            rows, columns = part.any(axis=1).tobytes(), part.any(axis=0).tobytes()
            box = (left, 0, right, len(inked))
            if _INK in rows:
                first, last = left + columns.find(_INK), left + columns.rfind(_INK)
                box = (first, rows.find(_INK), last + 1, rows.rfind(_INK) + 1)
            yield self.on_page(*(side / self.scale for side in box))

    def on_page(self, left: float, top: float, right: float, bottom: float) -> PixelBox:
        """Return the box on the page of a box in what was cut out."""
        x, y = self.area[:2]
        sides = (round(x + left), round(y + top), round(x + right), round(y + bottom))
        return turned_back(sides, self.quarter_turns, self.page_size)


def turned_back(box: PixelBox, quarter_turns: int, page_size: tuple[int, int]) -> PixelBox:
    """Return the box on the page of a box on the page turned counter-clockwise."""
    left, top, right, bottom = box
    width, height = page_size
    return {
        0: box,
        1: (width - bottom, left, width - top, right),
        2: (width - right, height - bottom, width - left, height - top),
    }[quarter_turns]


def cut_out(page: NDArray[numpy.uint8], line: PlacedLine, height: int) -> LineCrop | None:
    """Return the line at the network's height, or None if it is too small or too long to read."""
    turned = numpy.rot90(page, line.quarter_turns)
    page_height, page_width = turned.shape
    ascender, descender = line.baseline - line.ascent, line.baseline + line.descent
    left = min(page_width, max(0, round(line.left) - _MARGIN))
    top = min(page_height, max(0, round(ascender) - _MARGIN))
    right = max(0, min(page_width, round(line.right) + _MARGIN))
    bottom = max(0, min(page_height, round(descender) + _MARGIN))
    cut = numpy.ascontiguousarray(turned[top:bottom, left:right])
    rows, columns = cut.shape
    if min(rows, columns) < _LEAST_SIDE or rows > _TALLEST or columns > _LONGEST * rows:
        return None
    scale = height / rows
    width = max(_LEAST_WIDTH, round(columns * scale))
    scaled = Image.fromarray(cut).resize((width, height), Image.Resampling.BILINEAR)
    fingerprint = hashlib.sha256(scaled.tobytes() + repr(scale).encode()).digest()
    if scale < 1.4:
        # Tesseract's own scaling sharpens as much, and the network was trained on its results.
        radius, share = (2, 0.4) if scale >= 0.7 else (1, 0.2)
        scaled = Image.blend(scaled.filter(ImageFilter.BoxBlur(radius)), scaled, 1 + share)
    area, size = (left, top, right, bottom), page.shape[::-1]
    # Map ink to -1 and paper to 1, estimated by the valleys and peaks of the middle row.
    pixels = numpy.asarray(scaled)
    middle = pixels[len(pixels) // 2].astype(numpy.int16)
    before, here, after = middle[:-2], middle[1:-1], middle[2:]
    valleys = here[((here < before) & (here <= after)) | ((here <= before) & (here < after))]
    peaks = here[((here > before) & (here >= after)) | ((here >= before) & (here > after))]
    ink = _quantile(valleys, 0.25) if valleys.size else 0.0
    paper = _quantile(peaks, 0.75) if peaks.size else 255.0
    contrast = max((paper - ink) / 2, 1.0)
    shades = numpy.clip((numpy.arange(256) - ink) / contrast - 1, -1, 1).astype(numpy.float32)
    crop = numpy.take(shades, pixels)
    return LineCrop(crop, scale, fingerprint, area, line.quarter_turns, size)


def _quantile(values: NDArray[numpy.int16], share: float) -> float:
    """Return what that share of the values is below; numpy's own way takes ten times as long."""
    ordered = numpy.sort(values)
    whole, rest = divmod(share * (len(ordered) - 1), 1)
    below, above = ordered[int(whole)], ordered[min(int(whole) + 1, len(ordered) - 1)]
    return float(below) + rest * float(above - below)


def _gap_near(profile: bytes, column: int) -> int:
    """Return the middle of the widest gap between letters near a column; the ends stay ends."""
    if column <= 0 or column >= len(profile) - _LAST_COLUMN:
        return 0 if column <= 0 else len(profile)
    first = max(0, column - _GAP_REACH)
    near = profile[first : column + _GAP_REACH]
    widest = max(near.split(_INK), key=len)
    return first + near.find(widest) + len(widest) // 2 if widest else column
