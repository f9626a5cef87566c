"""Cutting lines out of a page, as large and as bright as the network was trained to see them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from clerk.work.ocr import PixelBox

from .layout import PlacedLine

#: What the network sees of a line: rows of grey values between -1 (black) and 1 (white).
Crop = NDArray[numpy.float32]

#: White around a line, in pixels of the page.
_MARGIN = 4
#: Pixels a line must have in each direction to show anything.
_LEAST_SIDE = 3
_LEAST_WIDTH = 9
#: Lines longer than this many times their height are rules or noise.
_LONGEST = 120
#: Letters of more pixels than this are pictures.
_TALLEST = 1200
#: How far from where the network saw a space its gap is looked for, in pixels of the crop.
_GAP_REACH = 14


@dataclass(frozen=True)
class LineCrop:
    """A line at the network's height, and how to find its pixels on the page again."""

    pixels: Crop
    scale: float
    #: Left, top, right and bottom on the page of what was cut out.
    area: PixelBox
    quarter_turns: int

    def inverted(self) -> Crop:
        """Return the line with ink and paper exchanged."""
        return -self.pixels

    def box(self, begin: int, end: int) -> PixelBox:
        """Return the box on the page of the ink between two columns of the crop."""
        inked = self.pixels < 0
        begin, end = _gap_near(inked, begin), _gap_near(inked, end)
        rows = numpy.flatnonzero(inked[:, begin:end].any(axis=1))
        columns = numpy.flatnonzero(inked[:, begin:end].any(axis=0)) + begin
        if not rows.size:
            rows, columns = numpy.arange(len(inked)), numpy.array([begin, max(begin, end - 1)])
        upright = (columns[0], rows[0], columns[-1] + 1, rows[-1] + 1)
        return self._on_page(*(float(side) / self.scale for side in upright))

    def _on_page(self, left: float, top: float, right: float, bottom: float) -> PixelBox:
        """Turn an upright box back to where it stands on the page."""
        x0, y0, x1, y1 = self.area
        corners = {
            0: (x0 + left, y0 + top, x0 + right, y0 + bottom),
            1: (x1 - bottom, y0 + left, x1 - top, y0 + right),
            2: (x1 - right, y1 - bottom, x1 - left, y1 - top),
            3: (x0 + top, y1 - right, x0 + bottom, y1 - left),
        }[self.quarter_turns]
        a, b, c, d = (max(0, round(side)) for side in corners)
        return a, b, max(a + 1, c), max(b + 1, d)


def cut_out(page: NDArray[numpy.uint8], line: PlacedLine, height: int) -> LineCrop | None:
    """Return the line at the network's height, or None if it is too small or too long to read."""
    area = _area(line, page.shape)
    left, top, right, bottom = area
    turned = numpy.rot90(page[top:bottom, left:right], line.quarter_turns)
    cut = numpy.ascontiguousarray(turned)
    rows, columns = cut.shape
    if min(rows, columns) < _LEAST_SIDE or rows > _TALLEST or columns > _LONGEST * rows:
        return None
    scale = height / rows
    width = max(_LEAST_WIDTH, round(columns * scale))
    scaled = Image.fromarray(cut).resize((width, height), Image.Resampling.BILINEAR)
    pixels = _stretched(_sharpened(scaled, scale))
    return LineCrop(pixels, scale, area, line.quarter_turns)


def _area(line: PlacedLine, shape: tuple[int, ...]) -> PixelBox:
    height, width = shape
    top, bottom = line.baseline - line.ascent, line.baseline + line.descent
    return (
        min(width, max(0, round(line.left) - _MARGIN)),
        min(height, max(0, round(top) - _MARGIN)),
        max(0, min(width, round(line.right) + _MARGIN)),
        max(0, min(height, round(bottom) + _MARGIN)),
    )


def _sharpened(picture: Image.Image, scale: float) -> NDArray[Any]:
    """Sharpen as much as Tesseract's own scaling does: the network was trained on its results."""
    pixels = numpy.asarray(picture, numpy.float32)
    if scale >= 1.4:
        return pixels
    radius, share = (2, 0.4) if scale >= 0.7 else (1, 0.2)
    blurred = numpy.asarray(picture.filter(ImageFilter.BoxBlur(radius)), numpy.float32)
    return numpy.clip(pixels + share * (pixels - blurred), 0, 255)


def _stretched(pixels: NDArray[Any]) -> Crop:
    """Map ink to -1 and paper to 1, judging both by the valleys and peaks of the middle row."""
    middle = pixels[len(pixels) // 2].astype(numpy.int16)
    before, here, after = middle[:-2], middle[1:-1], middle[2:]
    valleys = here[((here < before) & (here <= after)) | ((here <= before) & (here < after))]
    peaks = here[((here > before) & (here >= after)) | ((here >= before) & (here > after))]
    ink = float(numpy.percentile(valleys, 25)) if valleys.size else 0.0
    paper = float(numpy.percentile(peaks, 75)) if peaks.size else 255.0
    contrast = max((paper - ink) / 2, 1.0)
    return numpy.clip((pixels - ink) / contrast - 1, -1, 1).astype(numpy.float32)


def _gap_near(inked: NDArray[numpy.bool_], column: int) -> int:
    """Return the middle of the widest gap between letters near a column."""
    first = max(0, column - _GAP_REACH)
    empty = ~inked[:, first : column + _GAP_REACH].any(axis=0)
    edges = numpy.flatnonzero(numpy.diff(empty, prepend=False, append=False))
    if not edges.size:
        return column
    starts, ends = edges[::2], edges[1::2]
    widest = int((ends - starts).argmax())
    return first + int(starts[widest] + ends[widest]) // 2
