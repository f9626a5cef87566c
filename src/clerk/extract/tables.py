"""Read result tables whose columns came apart: first all the labels, then all the values.

::

    RESULT:
    MOVER:
    AYES:

    PASSED [14 TO 1]
    Ann Smith
    Jones, Smith, Brown
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .ballots import ballot_kind, tally_in
from .context import FIRM, STRONG, BallotCue, Cue, DocumentText, MotionCue, OutcomeCue, SecondCue
from .names import read_names
from .outcomes import result_of
from .text import Phrase, indent_start, pattern

_LABEL = r"(?:result|mover|seconder|ayes?|yeas?|nays?|noes|abstain(?:ed)?|absent|excused|recused)"
_LABELS = Phrase(
    "result mover seconder aye yea nay noes abst absent excused recused",
    rf"{_LABEL} {{0,4}}:? {{0,4}}\n(?:\s{{0,60}}{_LABEL} {{0,4}}: {{0,4}}\n){{1,8}}",
)
_VALUE = pattern(r"^ *(?:[A-Z][A-Z \-]{3,40})(?:\[[^\]\n]{1,40}\])? *$", re.M)
_WORD = pattern(r"[a-z]+")

#: The values stand at most so many characters behind the labels.
_REACH = 1200


def table_cues(doc: DocumentText) -> tuple[list[Cue], list[tuple[int, int]]]:
    """Return the cues of such tables, and the stretches of text they use up."""
    cues: list[Cue] = []
    used: list[tuple[int, int]] = []
    done = 0
    for labels in _LABELS.find(doc.lower):
        start = indent_start(doc.lower, labels.start(), 60)
        if start is None or start < done:
            continue
        done = labels.end()
        words = _WORD.findall(labels[0])
        rows = _values(doc, words[0], labels.end())
        if len(rows) < len(words):
            continue
        used += [(start, labels.end()), (rows[0][0], rows[len(words) - 1][1])]
        for word, row in zip(words, rows, strict=False):
            cues += _cue(doc, word, *row)
    return cues, sorted(used)


def _values(doc: DocumentText, first: str, position: int) -> list[tuple[int, int]]:
    """Return the stretches of the values: lines, put together where a line ends with a comma."""
    if first == "result":
        begin = _VALUE.search(doc.text, position, position + _REACH)
        if begin is None:
            return []
        position = begin.start()
    rows: list[tuple[int, int]] = []
    going_on = False
    for start, line in _lines(doc.text, position):
        if going_on:
            rows[-1] = (rows[-1][0], start + len(line))
        else:
            rows.append((start, start + len(line)))
        going_on = line.rstrip().endswith((",", "-", " and"))
    return rows


def _lines(text: str, position: int) -> Iterator[tuple[int, str]]:
    """Yield the lines of the paragraph that begins behind a position."""
    begun = False
    for line in text[position : position + _REACH].split("\n"):
        if line.strip():
            begun = True
            yield position, line
        elif begun:
            return
        position += len(line) + 1


def _cue(doc: DocumentText, word: str, start: int, end: int) -> list[Cue]:
    lower = doc.lower
    if word == "result":
        cue = OutcomeCue(start, end, STRONG, label=True, result=result_of(lower[start:end]))
        cue.result_text = " ".join(doc.original[start:end].split())
        cue.counts, cue.unanimous = tally_in(lower, start, end), "unanim" in lower[start:end]
        return [cue]
    names, _ = read_names(doc.text, start, end, doc.roster.known)
    settled, flags = doc.roster.surnames(names)
    if word in ("mover", "seconder"):
        if not settled:
            return []
        if word == "mover":
            return [MotionCue(start, end, label=True, flags=flags, mover=settled[0])]
        return [SecondCue(start, end, label=True, flags=flags, seconder=settled[0])]
    return [BallotCue(start, end, FIRM, ballots={ballot_kind(word): settled}, flags=flags)]
