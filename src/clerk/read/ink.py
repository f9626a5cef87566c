"""Ink that no word covers: what an OCR engine has left unread on a page.

An engine is sure of the words it reads and says nothing about those it does not find: whole columns
of amounts and the numbers in a margin vanish at a confidence of 0.99.  So the ink on the page is
compared with the boxes of the words.  All of this happens on a picture a quarter of the size, and
costs a few milliseconds a page.

Rules, frames, pictures, dust and the dark edges of a scan are ink too, but no text: only what is as
large as letters counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy
from numpy.typing import NDArray
from PIL import Image

from .ocr import GreyImage, PixelBox

#: The page is divided into squares of this many pixels.
SQUARE = 4
#: A square darker than the paper by this much has ink in it.
_CONTRAST = 36
#: Letters are this high, in inches: small print to a headline.  Lower marks are dashes and rules.
_LEAST_HEIGHT, _MOST_HEIGHT = 0.055, 0.35
#: A dark run that is longer than this, in inches, is a rule or a frame.
_RULE_INCHES = 0.6
#: In the picture itself a shorter one is enough, as lines are not quite upright.
_RULE_PIXELS_INCHES = 0.25
#: Lines are at most this many squares thick.
_THICKEST_RULE = 4
#: Marks this close to the edge, in inches, are shadows of the scanner.
_EDGE_INCHES = 0.08
#: A mark with less ink in its box is a frame or a scribble, one with more is a block of colour.
_LEAST_DENSITY, _MOST_DENSITY = 0.2, 0.97
#: Marks of one piece are at most this many heights apart, and it is this much wider.
_WORD_GAP = 1.2
_BESIDE = 0.5
#: More marks than this are the grain of a picture.
_MOST_MARKS = 4000

_Squares = NDArray[numpy.bool_]


@dataclass(frozen=True)
class UnreadInk:
    """Marks as large as letters that no word covers, and their share of the ink of all letters."""

    marks: Sequence[PixelBox]
    share: float


def ink_squares(image: GreyImage) -> _Squares:
    """Return which squares of the page have ink in them."""
    small = numpy.asarray(Image.fromarray(image.array()).reduce(SQUARE))
    paper = int(numpy.median(small[::2, ::2]))
    ink: _Squares = small < paper - _CONTRAST
    return ink


def unread_ink(image: GreyImage, words: Iterable[PixelBox], dpi: int) -> UnreadInk:
    """Find the marks that no word covers."""
    ink = ink_squares(image)
    every = int(numpy.count_nonzero(ink))
    covered = numpy.zeros_like(ink)
    for left, top, right, bottom in words:
        covered[
            max(0, top // SQUARE - 1) : bottom // SQUARE + 2,
            max(0, left // SQUARE - 1) : right // SQUARE + 2,
        ] = True
    rest = ink & ~covered
    read = every - int(numpy.count_nonzero(rest))
    edge = round(_EDGE_INCHES * dpi / SQUARE)
    inside = rest[edge:-edge, edge:-edge] if edge and min(rest.shape) > 4 * edge else rest
    if not inside.any():
        return UnreadInk((), 0.0)
    offset = edge if inside is not rest else 0
    inside &= ~(long_runs(inside, _rule_squares(dpi)) | long_runs(inside.T, _rule_squares(dpi)).T)
    found = [
        mark
        for mark in marks(inside)
        if _LEAST_HEIGHT * dpi <= mark.height * SQUARE <= _MOST_HEIGHT * dpi
        and mark.width <= 40 * mark.height
        and _LEAST_DENSITY <= mark.squares / (mark.width * mark.height) <= _MOST_DENSITY
    ]
    if len(found) > _MOST_MARKS:
        return UnreadInk((), 0.0)
    unread = sum(mark.squares for mark in found)
    boxes = [
        (
            (mark.left + offset) * SQUARE,
            (mark.top + offset) * SQUARE,
            (mark.left + mark.width + offset) * SQUARE,
            (mark.top + mark.height + offset) * SQUARE,
        )
        for mark in found
    ]
    return UnreadInk(boxes, unread / (unread + read) if unread else 0.0)


@dataclass(frozen=True)
class Mark:
    """Squares with ink that touch each other: their box and their number."""

    left: int
    top: int
    width: int
    height: int
    squares: int


def marks(ink: _Squares) -> list[Mark]:
    """Return the marks of a page: runs of squares that touch runs of the row above are one mark."""
    height, width = ink.shape
    padded = numpy.zeros((height, width + 2), numpy.int8)
    padded[:, 1:-1] = ink
    change = numpy.diff(padded, axis=1)
    rows, begins = numpy.nonzero(change == 1)
    ends = numpy.nonzero(change == -1)[1]
    parent = list(range(len(rows)))

    def root(run: int) -> int:
        while parent[run] != run:
            parent[run] = parent[parent[run]]
            run = parent[run]
        return run

    row_of, begin_of, end_of = rows.tolist(), begins.tolist(), ends.tolist()
    above = 0
    for run, row in enumerate(row_of):
        while row_of[above] < row - 1 or (
            row_of[above] == row - 1 and end_of[above] < begin_of[run]
        ):
            above += 1
        touching = above
        while row_of[touching] == row - 1 and begin_of[touching] <= end_of[run]:
            parent[root(touching)] = root(run)
            touching += 1
    found: dict[int, list[int]] = {}
    for run, row in enumerate(row_of):
        begin, end = begin_of[run], end_of[run]
        mark = found.get(root(run))
        if mark is None:
            found[root(run)] = [begin, row, end, row + 1, end - begin]
        else:
            mark[0], mark[2] = min(mark[0], begin), max(mark[2], end)
            mark[3] = row + 1
            mark[4] += end - begin
    return [Mark(a, b, c - a, d - b, squares) for a, b, c, d, squares in found.values()]


def _rule_squares(dpi: int) -> int:
    return max(8, round(_RULE_INCHES * dpi / SQUARE))


def long_runs(ink: _Squares, length: int) -> _Squares:
    """Return the squares that are part of at least this many in a row, from left to right."""
    lines, across = ink.shape
    found = numpy.zeros((lines, across + 1), numpy.int32)
    if across >= length:
        sums = numpy.zeros((lines, across + 1), numpy.int32)
        numpy.cumsum(ink, axis=1, out=sums[:, 1:])
        whole = sums[:, length:] - sums[:, :-length] == length
        found[:, : across - length + 1] += whole
        found[:, length:] -= whole
    in_run: _Squares = numpy.cumsum(found, axis=1)[:, :across] > 0
    return in_run


def without_upright_rules(image: GreyImage, dpi: int) -> GreyImage:
    """Return the image without the upright lines of tables, which are read as letters.

    An image without any is returned as it is.
    """
    ink = ink_squares(image).T
    upright = long_runs(ink, _rule_squares(dpi))
    if not upright.any():
        return image
    pixels = image.array().copy()
    paper = int(numpy.median(pixels[::8, ::8]))
    length = max(8, round(_RULE_PIXELS_INCHES * dpi))
    for rule in marks(upright):
        # On its side: what is wide here is high on the page.
        if rule.height > _THICKEST_RULE:
            continue
        top, bottom = rule.left * SQUARE, (rule.left + rule.width) * SQUARE
        left = max(0, (rule.top - 1) * SQUARE)
        right = (rule.top + rule.height + 1) * SQUARE
        part = pixels[top:bottom, left:right]
        dark = long_runs((part < paper - _CONTRAST).T, length).T
        # What is grey beside a line belongs to it.
        wider = dark.copy()
        wider[:, 1:] |= dark[:, :-1]
        wider[:, :-1] |= dark[:, 1:]
        # Cells may be grey.
        beside = numpy.percentile(part, 75, axis=1).astype(numpy.uint8)
        part[wider] = numpy.broadcast_to(beside[:, None], part.shape)[wider]
    return GreyImage(image.width, image.height, pixels.tobytes())


def pieces(found: Sequence[PixelBox], words: Sequence[PixelBox]) -> list[PixelBox]:
    """Return marks put together to pieces of lines: side by side, and no further apart than words.

    A piece is a little wider than its marks, as far as no word is there: a full stop after a number
    is too small to be a mark.
    """
    open_ones: list[list[int]] = []
    for left, top, right, bottom in sorted(found):
        height = bottom - top
        nearest: list[int] | None = None
        for piece in open_ones:
            common = min(bottom, piece[3]) - max(top, piece[1])
            lower = min(height, piece[3] - piece[1])
            near = left - piece[2] <= _WORD_GAP * max(height, piece[3] - piece[1])
            if common >= 0.5 * lower and near and (nearest is None or piece[2] > nearest[2]):
                nearest = piece
        if nearest is None:
            open_ones.append([left, top, right, bottom])
        else:
            nearest[1], nearest[3] = min(nearest[1], top), max(nearest[3], bottom)
            nearest[2] = max(nearest[2], right)
    widened: list[PixelBox] = []
    for left, top, right, bottom in open_ones:
        room = round(_BESIDE * (bottom - top))
        level = [word for word in words if word[1] < bottom and word[3] > top]
        before = max((word[2] for word in level if word[2] <= left + SQUARE), default=0)
        after = min((word[0] for word in level if word[0] >= right - SQUARE), default=right + room)
        begin, end = max(left - room, before), min(right + room, after)
        widened.append((min(left, begin), top, max(right, end), bottom))
    return widened
