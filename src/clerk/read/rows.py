"""The text of a page row by row: the cells of a table on one line, columns of prose apart.

Engines read a table column by column, or tear amounts from their labels, because they take its
columns for columns of prose.  Here the words are laid out again by their boxes: pieces of lines at
the same height are one row if they are cells.  They are cells if one of them belongs to a column
of numbers, or if there are three or more of them; two columns of prose stay columns.

A page without such pieces is returned as it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from statistics import median

import numpy
from msgspec.structs import replace

from .ocr import OcrWord

#: Pieces at the same height have this share of the lower one's height in common.
_SAME_HEIGHT = 0.5
#: Pieces of a column have this share of the narrower one's width in common.
_SAME_COLUMN = 0.3
#: How far up and down a column is followed, in heights of a line.
_REACH = 7.0
#: A line of prose has at least this many letters, and cells fewer than this many words.
_PROSE_LETTERS = 24
_FEW_WORDS = 3
#: A gap above a row of more than this many heights begins a paragraph.
_PARAGRAPH_GAP = 1.4
#: Words a line must have for its slope to be measured, and the steepest slope of a scan.
_WORDS_FOR_SLOPE = 4
_STEEPEST = 0.06
_MOST_PIECES = 1500

_NUMBER = re.compile(r"[(\[$€£#]*[\d.,:/%()*–-]*\d[\d.,:/%()\]*–-]*[A-Za-z]{0,2}\.?")
_LEADER = re.compile(r"(?:\.\s?){4,}|…{2,}|_{4,}")


@dataclass
class _Piece:
    """Words of one line of the engine: a line, or a cell of a row."""

    words: list[OcrWord]
    order: int
    left: float
    right: float
    top: float
    bottom: float
    numeric: bool = False
    prose: bool = False
    #: Whether its column is one of numbers, or of prose.
    in_numbers: bool = False
    in_prose: bool = False

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def middle(self) -> float:
        return (self.top + self.bottom) / 2


@dataclass
class _Row:
    pieces: list[_Piece]
    top: float = field(init=False)
    bottom: float = field(init=False)
    left: float = field(init=False)
    right: float = field(init=False)
    order: int = field(init=False)

    def __post_init__(self) -> None:
        self.pieces.sort(key=lambda piece: piece.left)
        self.top = min(piece.top for piece in self.pieces)
        self.bottom = max(piece.bottom for piece in self.pieces)
        self.left, self.right = self.pieces[0].left, max(piece.right for piece in self.pieces)
        # Where the text of a row is read, not its number or its amount.
        self.order = max(self.pieces, key=lambda piece: piece.right - piece.left).order

    @property
    def middle(self) -> float:
        return median(piece.middle for piece in self.pieces)


def in_rows(words: Sequence[OcrWord], added: Sequence[OcrWord] = ()) -> list[OcrWord]:
    """Return the words in reading order, the cells of a table row by row.

    ``added`` are words that belong to no line yet: found later, in no order.
    """
    slope = _slope(words)
    pieces = list(_pieces(words, slope, 0))
    pieces += _pieces(added, slope, len(pieces))
    if len(pieces) < 2 or len(pieces) > _MOST_PIECES:
        return [*words, *added]
    joined = _joins(pieces)
    if not joined and not added:
        return list(words)
    first_added = len(pieces) - len({word.line for word in added})
    rows = _rows(pieces, joined)
    return _numbered(_in_order(rows, first_added), words)


def _slope(words: Sequence[OcrWord]) -> float:
    """Return by how much lines rise or fall: the median over the longer ones."""
    slopes = []
    for _, line in groupby(words, key=lambda word: word.line):
        boxes = [word.box for word in line]
        if len(boxes) >= _WORDS_FOR_SLOPE:
            # Tops and bottoms differ by the letters; a fit over many words does not.
            x = numpy.array([(box[0] + box[2]) / 2 for box in boxes])
            y = numpy.array([(box[1] + box[3]) / 2 for box in boxes])
            if numpy.ptp(x) > 0:
                slopes.append(float(numpy.polyfit(x, y, 1)[0]))
    slope = median(slopes) if len(slopes) > 2 else 0.0
    return slope if abs(slope) <= _STEEPEST else 0.0


def _pieces(words: Sequence[OcrWord], slope: float, first: int) -> Iterator[_Piece]:
    for order, (_, line) in enumerate(groupby(words, key=lambda word: word.line), first):
        own = list(line)
        # Turned back by the slope of the page, so that a row is level.
        tops = [word.box[1] - slope * (word.box[0] + word.box[2]) / 2 for word in own]
        bottoms = [word.box[3] - slope * (word.box[0] + word.box[2]) / 2 for word in own]
        text = " ".join(word.text for word in own)
        letters = sum(map(str.isalpha, text))
        numbers = sum(_NUMBER.fullmatch(word.text) is not None for word in own)
        yield _Piece(
            own,
            order,
            min(word.box[0] for word in own),
            max(word.box[2] for word in own),
            median(tops),
            median(bottoms),
            numeric=2 * numbers >= len(own) or (len(own) == 1 and len(text) <= 2),
            prose=letters >= _PROSE_LETTERS and len(own) > _FEW_WORDS and 4 * numbers < len(own),
        )


def _joins(pieces: Sequence[_Piece]) -> list[tuple[int, int]]:
    """Return which pieces are neighbours in a row."""
    left = numpy.array([piece.left for piece in pieces], float)
    right = numpy.array([piece.right for piece in pieces], float)
    top = numpy.array([piece.top for piece in pieces], float)
    bottom = numpy.array([piece.bottom for piece in pieces], float)
    height = numpy.maximum(bottom - top, 1)
    line = float(numpy.median(height))
    common = numpy.minimum(bottom[:, None], bottom) - numpy.maximum(top[:, None], top)
    level = common >= _SAME_HEIGHT * numpy.minimum(height[:, None], height)
    # [a, b]: b is to the right of a at the same height.
    follows = level & (left[None, :] >= right[:, None] - 0.25 * line)
    numpy.fill_diagonal(follows, val=False)
    if not follows.any():
        return []
    width = numpy.maximum(right - left, 1)
    across = numpy.minimum(right[:, None], right) - numpy.maximum(left[:, None], left)
    stacked = across >= _SAME_COLUMN * numpy.minimum(width[:, None], width)
    middle = (top + bottom) / 2
    stacked &= numpy.abs(middle[:, None] - middle) <= _REACH * line
    numeric = numpy.array([piece.numeric for piece in pieces])
    prose = numpy.array([piece.prose for piece in pieces])
    for index, piece in enumerate(pieces):
        column = stacked[index]
        # Headings above a column are neither.
        piece.in_numbers = 2 * int(numeric[column].sum()) >= int(column.sum())
        piece.in_prose = 2 * int(prose[column].sum()) >= int(column.sum())
    nearest: list[tuple[int, int]] = []
    for index in range(len(pieces)):
        (candidates,) = follows[index].nonzero()
        if len(candidates):
            next_one = int(candidates[left[candidates].argmin()])
            nearest.append((index, next_one))
    # One piece may be the nearest of several; the one that ends last is its neighbour.
    before: dict[int, int] = {}
    for a, b in nearest:
        if b not in before or right[a] > right[before[b]]:
            before[b] = a
    chains = _chain_lengths(before, len(pieces))
    joined = []
    for b, a in before.items():
        one, other = pieces[a], pieces[b]
        if one.in_prose and other.in_prose:
            continue
        # A whole entry of a list, with a leader, and another one begins after it.
        has_leader = _LEADER.search(" ".join(word.text for word in one.words)) is not None
        if has_leader and not other.numeric:
            continue
        in_table = one.in_numbers or other.in_numbers or one.numeric or other.numeric
        if in_table or chains[a] >= 3:
            joined.append((a, b))
    return joined


def _chain_lengths(before: dict[int, int], pieces: int) -> list[int]:
    """Return for each piece how many there are in its row."""
    root = list(range(pieces))

    def find(index: int) -> int:
        while root[index] != index:
            index = root[index]
        return index

    for b, a in before.items():
        root[find(b)] = find(a)
    sizes = [0] * pieces
    for index in range(pieces):
        sizes[find(index)] += 1
    return [sizes[find(index)] for index in range(pieces)]


def _rows(pieces: Sequence[_Piece], joined: Sequence[tuple[int, int]]) -> list[_Row]:
    root = list(range(len(pieces)))

    def find(index: int) -> int:
        while root[index] != index:
            index = root[index]
        return index

    for a, b in joined:
        root[find(b)] = find(a)
    together: dict[int, list[_Piece]] = {}
    for index, piece in enumerate(pieces):
        together.setdefault(find(index), []).append(piece)
    return sorted((_Row(each) for each in together.values()), key=lambda row: row.order)


def _in_order(rows: list[_Row], first_added: int) -> list[_Row]:
    """Return the rows in reading order: those of a table from top to bottom."""
    line = median(row.bottom - row.top for row in rows)
    tables: list[list[_Row]] = []
    for row in sorted((row for row in rows if len(row.pieces) > 1), key=lambda row: row.middle):
        for table in tables:
            last = table[-1]
            near = row.top - last.bottom <= 3 * line
            if near and min(row.right, last.right) > max(row.left, last.left):
                table.append(row)
                break
        else:
            tables.append([row])
    table_of: dict[int, int] = {}
    for number, table in enumerate(tables):
        top, bottom = table[0].top, table[-1].bottom
        left, right = min(row.left for row in table), max(row.right for row in table)
        for row in rows:
            inside = top <= row.middle <= bottom and row.left < right and row.right > left
            if inside and (row in table or len(row.pieces) == 1):
                table_of.setdefault(id(row), number)
    placed: list[_Row] = []
    done: set[int] = set()
    for row in rows:
        if id(row) in done:
            continue
        number = table_of.get(id(row), -1)
        own = [each for each in rows if table_of.get(id(each)) == number] if number >= 0 else [row]
        own.sort(key=lambda each: each.middle)
        done.update(map(id, own))
        if number < 0 and row.order >= first_added:
            # A word that was found later belongs before the next row below, of its own column.
            below = [at for at, each in enumerate(placed) if each.middle > row.middle]
            same_column = [
                at for at in below if placed[at].left < row.right and placed[at].right > row.left
            ]
            at = (same_column or below or [len(placed)])[0]
            placed[at:at] = own
        else:
            placed += own
    return placed


def _numbered(rows: Sequence[_Row], words: Sequence[OcrWord]) -> list[OcrWord]:
    """Return the words with the numbers of their new lines and paragraphs."""
    found: list[OcrWord] = []
    paragraph = -1
    before: _Row | None = None
    of_engine = {id(word) for word in words}
    for line, row in enumerate(rows):
        own = row.pieces[0].words[0]
        if before is None:
            paragraph += 1
        else:
            last = before.pieces[0].words[0]
            gap = row.top - before.bottom
            tabular = len(row.pieces) > 1 or len(before.pieces) > 1
            # A row that was put together has no paragraph of the engine.
            if tabular or id(own) not in of_engine or id(last) not in of_engine:
                height = min(row.bottom - row.top, before.bottom - before.top)
                paragraph += gap > _PARAGRAPH_GAP * height or gap < -2 * height
            else:
                paragraph += own.paragraph != last.paragraph
        in_line = (word for piece in row.pieces for word in piece.words)
        found += [replace(word, line=line, paragraph=paragraph) for word in in_line]
        before = row
    return found
