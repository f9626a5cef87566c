"""Read votes set in columns: a row for each member with a mark, or a column of names for each vote.

::

    Member      Yes  No  Absent          AYES:      NOES:
    Anderson     X                       Stein      Thorpe
    Castillo          X                  Underhill
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .ballots import ballot_kind
from .context import FIRM, BallotCue, DocumentText
from .names import Name, read_name
from .text import Phrase, line_start, pattern

_WORD = (
    r"(?:ayes?|yeas?|yes|for|in\s?favou?r|nays?|noes|no|against|opposed|abstain(?:ed)?|absent|excused"
    r"|recused?|not\s?voting)"
)
#: A line that ends with two or more labels; what stands before them is the heading of the names.
_HEADER = pattern(
    rf"^[^\n]{{0,60}}?(?<![\w-])(?P<labels>{_WORD}[ ]{{0,3}}:?"
    rf"(?:[ ]{{1,30}}{_WORD}[ ]{{0,3}}:?){{1,5}})[ ]{{0,80}}$",
    re.M,
)
_LAST_LABEL = Phrase(
    "nay no against opposed abst absent excused recuse",
    rf"{_WORD}[ ]{{0,3}}:?[ ]{{0,80}}(?=\n|$)",
)
_LABEL = pattern(rf"(?<![\w-]){_WORD}(?![\w-])")
_MARK = re.compile(r"(?<!\S)(?:[xX\u2713\u2714\u2611\u2612\u221a]|\([xX]\)|\[[xX]\])(?!\S)")
_CELL = re.compile(r"\S(?: ?\S)*")
#: So many rows a grid may have, and so many blank lines inside.
_ROWS = 25


def grid_cues(doc: DocumentText) -> tuple[list[BallotCue], list[tuple[int, int]]]:
    """Return the ballots set in columns, and the stretches of text they use up."""
    cues: list[BallotCue] = []
    used: list[tuple[int, int]] = []
    for header in _headers(doc):
        columns = _columns(header)
        if len(set(columns.values())) < 2:
            continue
        cue = _marked(doc, header, columns) or _listed(doc, header, columns)
        if cue is not None:
            cues.append(cue)
            used.append((header.start("labels"), cue.end))
    return cues, used


def _headers(doc: DocumentText) -> Iterator[re.Match[str]]:
    """Yield the lines that are headers: few lines end with a label, and only those are tried."""
    for last in _LAST_LABEL.find(doc.lower):
        header = _HEADER.match(doc.lower, line_start(doc.lower, last.start()))
        if header is not None:
            yield header


def _columns(header: re.Match[str]) -> dict[int, str]:
    """Return the middle of each label in its line, and the vote it stands for."""
    middles = ((word.start() + word.end()) // 2 for word in _labels(header))
    return dict(zip((m - header.start() for m in middles), _kinds(header), strict=True))


def _labels(header: re.Match[str]) -> list[re.Match[str]]:
    return list(_LABEL.finditer(header.string, header.start("labels"), header.end("labels")))


def _kinds(header: re.Match[str]) -> list[str]:
    return [ballot_kind(word[0]) for word in _labels(header)]


def _lines(doc: DocumentText, position: int) -> Iterator[tuple[int, str]]:
    """Yield the lines below a header, up to the second blank one in a row."""
    blank = 0
    for _ in range(_ROWS):
        end = doc.text.find("\n", position)
        end = len(doc.text) if end < 0 else end
        line = doc.text[position:end]
        blank = 0 if line.strip() else blank + 1
        if blank > 1 or len(line) > 160:
            return
        if line.strip():
            yield position, line
        if end == len(doc.text):
            return
        position = end + 1


def _marked(doc: DocumentText, header: re.Match[str], columns: dict[int, str]) -> BallotCue | None:
    """Read rows of a name and one mark; the column whose label is nearest to the mark counts."""
    cue = BallotCue(header.start("labels"), header.end(), FIRM, vote_type="roll_call")
    rows, bars = 0, _barred(doc, header)
    for start, line in _lines(doc, header.end() + 1):
        row = doc.original[start : start + len(line)]
        marks = list(_MARK.finditer(row))
        if len(marks) != 1:
            break
        name = _whole_name(doc, line[: marks[0].start()].strip(" .,:-"))
        if not isinstance(name, Name):
            break
        _add(doc, cue, _nearest(bars or columns, _place(row, marks[0].start(), bars)), name)
        cue.end = start + len(line)
        rows += 1
    return cue if rows > 1 and len(columns) > 1 else None


def _barred(doc: DocumentText, header: re.Match[str]) -> dict[int, str]:
    """Return after how many bars each label stands, if the columns are drawn with bars."""
    line = doc.original[header.start() : header.end()]
    if "|" not in line:
        return {}
    places = (line.count("|", 0, word.start() - header.start()) for word in _labels(header))
    return dict(zip(places, _kinds(header), strict=True))


def _place(row: str, position: int, bars: dict[int, str]) -> int:
    return row.count("|", 0, position) if bars else position


def _nearest(columns: dict[int, str], position: int) -> str:
    return columns[min(columns, key=lambda middle: abs(middle - position))]


def _listed(doc: DocumentText, header: re.Match[str], columns: dict[int, str]) -> BallotCue | None:
    """Read columns of names below their labels, where every cell is a name and nothing else."""
    printed = doc.text[header.start() : header.end()].strip()
    alone = printed.isupper() and len(printed) == len(header["labels"].strip())
    if not alone and header["labels"].count(":") != len(columns):
        return None
    cue = BallotCue(header.start("labels"), header.end(), FIRM, vote_type="roll_call")
    starts = _label_starts(header)
    for start, line in _lines(doc, header.end() + 1):
        cells = [(cell.start(), cell[0]) for cell in _CELL.finditer(line)]
        names = [(place, _whole_name(doc, cell)) for place, cell in cells]
        if not all(name for _, name in names) or len(cells) > len(starts):
            break
        for place, name in names:
            kind = starts[min(starts, key=lambda begin: abs(begin - place))]
            if isinstance(name, Name):
                _add(doc, cue, kind, name)
            else:
                cue.ballots.setdefault(kind, [])
        cue.end = start + len(line)
    return cue if cue.ballots else None


def _label_starts(header: re.Match[str]) -> dict[int, str]:
    return {word.start() - header.start(): ballot_kind(word[0]) for word in _labels(header)}


def _whole_name(doc: DocumentText, cell: str) -> Name | bool:
    """Return the name a cell consists of, true for ``None``, false for anything else."""
    if cell.lower() in ("none", "0", "-", "n/a"):
        return True
    cell = cell.rstrip(":")
    name = read_name(cell, 0, doc.roster.known, listed=True)
    return name if name is not None and name.start == 0 and name.end == len(cell) else False


def _add(doc: DocumentText, cue: BallotCue, kind: str, name: Name) -> None:
    surnames, flags = doc.roster.surnames([name])
    cue.ballots.setdefault(kind, []).extend(surnames)
    cue.flags |= flags
