"""Setting the sample texts: a light markup in, pages of placed lines out.

::

    = Title                     centred, bold, large
    ~ Line                      centred
    # Heading                   bold
    > Line                      a line of its own, as in an address
    AYES: :: Ferrante, Kim      hanging label; indented by leading spaces
    Call to order ... 2         dot leader
    | cell | cell | cell        row of a table
    ---                         rule
    <table 0 50>                where the cells of the rows below begin, in percent of the width
    <columns>                   two columns from here on
    <new page>

Everything else is a paragraph; lines are joined until the next empty or special one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from tools.pdf_writer import LETTER, Rule, Text
from tools.rendering import text_width


@dataclass(frozen=True)
class Style:
    """How the pages of a document look.  The footer may use {page} and {pages}."""

    font: str = "Times-Roman"
    bold: str = "Times-Bold"
    size: float = 11.5
    leading: float = 1.28
    margin: float = 72.0
    header: str = ""
    footer: str = "Page {page} of {pages}"

    @property
    def line_height(self) -> float:
        """The distance between two baselines."""
        return self.size * self.leading


TYPEWRITER = Style(font="Courier", bold="Courier-Bold", size=10.5, leading=1.3, margin=76)
MODERN = Style(font="Helvetica", bold="Helvetica-Bold", size=10.5, leading=1.4)
BOOK = Style()


@dataclass
class Page:
    """The lines of a page in reading order, and its rules."""

    lines: list[list[Text]] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)

    @property
    def marks(self) -> list[Text | Rule]:
        """Everything there is to draw."""
        return [*self.rules, *(run for line in self.lines for run in line)]

    @property
    def text(self) -> str:
        """What a reader reads, line by line."""
        return "\n".join(" ".join(run.words for run in line) for line in self.lines)


class Block(NamedTuple):
    """A piece of the markup: what it is and its parts."""

    kind: str
    parts: tuple[str, ...] = ()
    depth: int = 0


_SPECIAL: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("title", re.compile(r"= (.+)")),
    ("centred", re.compile(r"~ (.+)")),
    ("heading", re.compile(r"# (.+)")),
    ("line", re.compile(r"> (.+)")),
    ("item", re.compile(r"(\S.*?) :: (.+)")),
    ("leader", re.compile(r"(.+?) \.\.\. (\S+)")),
    ("row", re.compile(r"\|(.+)")),
    ("rule", re.compile(r"---")),
    ("space", re.compile(r"()")),
    ("page", re.compile(r"<new page>")),
    ("columns", re.compile(r"<columns>")),
    ("table", re.compile(r"<table ([\d ]+)>")),
)


def parse(source: str) -> Iterator[Block]:
    """Yield the blocks of a text; an item goes on over indented lines."""
    open_block: Block | None = None
    for line in source.strip().splitlines():
        block = _special(line)
        if block:
            if open_block:
                yield open_block
            open_block = block
        elif open_block and open_block.kind in ("item", "paragraph"):
            *first, last = open_block.parts
            open_block = open_block._replace(parts=(*first, f"{last} {line.strip()}"))
        else:
            if open_block:
                yield open_block
            open_block = Block("paragraph", (line.strip(),))
    if open_block:
        yield open_block


def _special(line: str) -> Block | None:
    depth = len(line) - len(line.lstrip())
    for kind, pattern in _SPECIAL:
        found = pattern.fullmatch(line.strip())
        if found:
            return Block(kind, found.groups(), depth)
    return None


class Typesetter:
    """Fills pages from top to bottom, one column after the other."""

    def __init__(self, style: Style) -> None:
        self.style = style
        self.pages: list[Page] = []
        self._columns = 1
        self._stops = [0.0]
        self._start_page()

    def set(self, source: str) -> list[Page]:
        """Return the pages of a text, with their headers and footers."""
        put: dict[str, Callable[[Block], None]] = {
            "title": self._title,
            "centred": self._centred,
            "heading": self._heading,
            "line": self._paragraph,
            "item": self._item,
            "leader": self._leader,
            "row": self._row,
            "rule": self._rule,
            "space": self._space,
            "page": lambda _: self._start_page(),
            "columns": self._start_columns,
            "table": self._set_stops,
            "paragraph": self._paragraph,
        }
        for block in parse(source):
            put[block.kind](block)
        return [self._framed(page, number) for number, page in enumerate(self.pages, 1)]

    @property
    def _width(self) -> float:
        whole = LETTER[0] - 2 * self.style.margin
        return whole if self._columns == 1 else (whole - 24) / 2

    @property
    def _left(self) -> float:
        return self.style.margin + self._column * (self._width + 24)

    def _start_page(self) -> None:
        self.pages.append(Page())
        self._column = 0
        self._y = self._top = LETTER[1] - self.style.margin - self.style.size

    def _start_columns(self, _: Block) -> None:
        self._columns, self._column, self._top = 2, 0, self._y

    def _set_stops(self, block: Block) -> None:
        self._stops = [float(stop) / 100 for stop in block.parts[0].split()]

    def _need(self, lines: float) -> None:
        """Go to the next column or page if there is no room for so many lines."""
        if self._y - (lines - 1) * self.style.line_height >= self.style.margin:
            return
        if self._column + 1 < self._columns:
            self._column += 1
            self._y = self._top
        else:
            self._start_page()

    def _run(self, x: float, words: str, font: str = "", size: float = 0) -> Text:
        style = self.style
        return Text(self._left + x, self._y, font or style.font, size or style.size, words)

    def _line(self, *runs: tuple[float, str, str]) -> None:
        """Put runs of (x, words, font) on one baseline and go down a line."""
        self._need(1)
        self.pages[-1].lines.append([self._run(x, words, font) for x, words, font in runs])
        self._y -= self.style.line_height

    def _centre(self, words: str, font: str, size: float) -> None:
        x = (self._width - text_width(words, font, size)) / 2
        self.pages[-1].lines.append([self._run(x, words, font, size)])
        self._y -= size * self.style.leading

    def _title(self, block: Block) -> None:
        self._centre(block.parts[0], self.style.bold, self.style.size + 3)

    def _centred(self, block: Block) -> None:
        self._centre(block.parts[0], self.style.font, self.style.size)

    def _heading(self, block: Block) -> None:
        self._need(3)
        for line in self._wrap(block.parts[0], self._width, self.style.bold):
            self._line((0, line, self.style.bold))

    def _paragraph(self, block: Block) -> None:
        lines = self._wrap(block.parts[0], self._width)
        self._need(min(2, len(lines)))
        for line in lines:
            self._line((0, line, self.style.font))

    def _item(self, block: Block) -> None:
        label, words = block.parts
        indent = block.depth * 7.0
        hang = indent + max(26.0, text_width(label + "  ", self.style.font, self.style.size))
        first, *rest = self._wrap(words, self._width - hang)
        self._line((indent, label, self.style.font), (hang, first, self.style.font))
        for line in rest:
            self._line((hang, line, self.style.font))

    def _leader(self, block: Block) -> None:
        words, end = block.parts
        indent = block.depth * 7.0
        dots = ""
        while self._measure(f"{words} {dots}. {end}") < self._width - indent:
            dots += "."
        self._line((indent, f"{words} {dots} {end}", self.style.font))

    def _row(self, block: Block) -> None:
        cells = [cell.strip() for cell in block.parts[0].split("|")]
        font = self.style.bold if cells[0].startswith("!") else self.style.font
        placed = zip(self._stops, cells, strict=False)
        self._line(*((stop * self._width, cell.lstrip("!"), font) for stop, cell in placed if cell))

    def _rule(self, _: Block) -> None:
        self._need(1)
        lift = self.style.line_height * 0.6
        self.pages[-1].rules.append(Rule(self._left, self._y + lift, self._width))
        self._y -= self.style.line_height * 0.4

    def _space(self, _: Block) -> None:
        self._y -= self.style.line_height * 0.6

    def _measure(self, words: str) -> float:
        return text_width(words, self.style.font, self.style.size)

    def _wrap(self, words: str, width: float, font: str = "") -> list[str]:
        """Break words into lines that are not wider than this."""
        lines: list[str] = []
        for word in words.split():
            longer = f"{lines[-1]} {word}" if lines else word
            fits = text_width(longer, font or self.style.font, self.style.size) <= width
            if lines and fits:
                lines[-1] = longer
            else:
                lines.append(word)
        return lines

    def _framed(self, page: Page, number: int) -> Page:
        """Return the page with its header and footer."""
        words = {"page": number, "pages": len(self.pages)}
        header = self.style.header.format(**words) if number > 1 else ""
        footer = self.style.footer.format(**words)
        above = [self._margin_line(header, LETTER[1] - 44)] if header else []
        below = [self._margin_line(footer, 40)] if footer else []
        return replace(page, lines=[*above, *page.lines, *below])

    def _margin_line(self, words: str, y: float) -> list[Text]:
        size = self.style.size - 2
        x = (LETTER[0] - text_width(words, self.style.font, size)) / 2
        return [Text(x, y, self.style.font, size, words)]


def set_pages(source: str, style: Style) -> list[Page]:
    """Return the pages of a text in the markup above."""
    return Typesetter(style).set(source)
