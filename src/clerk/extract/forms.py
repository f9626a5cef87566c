"""Find what looks like a vote and is none: forms, reasons, and votes that are only quoted.

Forms that nobody has filled in::

    PASSED AND ADOPTED this ___ day of ________, 2024, by the following vote:
    AYES:
    NOES:
    ABSENT:
                              ______________________
                              Jane Smith, Mayor

The labels are empty, so the names below them are those of who signs.  The same labels are also
printed first where the columns of a table came apart; then lists, ``None`` or numbers follow, and
:mod:`.tables` reads them.

What follows ``WHEREAS`` up to what is resolved gives reasons, and a passage in quotation marks
after "should read" corrects the minutes of another meeting.

Lines to write on are looked for in the text as printed; in the normalised text they are spaces.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .context import DocumentText
from .names import read_names
from .text import Phrase, end_without, line_start, pattern

_FOR_IT = r"(?:ayes?|yeas?|yes|(?:voting\s{1,3})?in\s{1,3}favou?r|(?:votes\s{1,3})?for)"
_OTHER = (
    r"(?:noes|nays?|no|opposed|against|abstain(?:ed|ing)?|abstentions?|absent|excused|recused?"
    r"|not\s{1,3}voting|disqualified|conflict)"
)
#: What may be printed where something is to be written, lines aside.
_FILLING = " \n.\u2026-"
#: Labels of one form are at most this far apart, and at most this many.
_GAP, _MOST_LABELS = 240, 8
_LABEL_ENDS_LINE = re.compile(r":[ .\u2026-]{0,200}(?=\n|\Z)")
_LABEL_BEFORE = pattern(rf"(?<!\w)(?:(?P<for_it>{_FOR_IT})|{_OTHER})\s{{0,4}}$")
_LABEL_BEHIND = pattern(rf"[{_FILLING}]{{0,{_GAP}}}{_OTHER}\s{{0,4}}:")
#: The labels above are those of a table; its values come in the order of all of them.
_OF_TABLE = pattern(r"\b(?:result|mover|seconder)\s{0,4}:\s{0,20}$")
_LABEL = pattern(rf"(?<!\w)(?:{_FOR_IT}|{_OTHER})\s{{0,4}}:")
#: Labels without colons, with lines to write on behind them.
_RULED_LABELS = re.compile(
    rf"(?<!\w){_FOR_IT}\s?-?\s?_{{3,}}[\s,;.]{{0,60}}{_OTHER}\s?-?\s?_{{3,}}", re.IGNORECASE
)

_RULE = re.compile(r"_{3,}")
_SIGNATURE_LINE = re.compile(r"^[ \t]*_{5,}[ \t_]*$", re.M)
_SIGNED = pattern(
    r"\b(?:attest(?:ed)?|mayor|president|chair\w*|clerk|secretary|recorder|reeve|supervisor|signed?"
    r"|signature|seal|approved\s+as\s+to\s+form|dated?)\b|\bby\s{0,3}:"
)
_VALUE = pattern(r"(?:none|nil|n/?a|\d{1,2})\.?")
_WIDE_GAP = re.compile(r" {2,}")
#: Values and signatures are looked for in this many lines and characters below the labels.
_BELOW_LINES, _BELOW = 6, 800

_DAY_OF = pattern(r"day\s{1,3}of\b")
_BLANK_BEFORE = re.compile(r"(?:_{2,}|this {3,}) ?(?:st|nd|rd|th)?\s{0,3}$", re.IGNORECASE)
_BLANK_BEHIND = re.compile(r"\s{0,3}_{2,}")
_PASSED = r"(?:carried|carries|passed|passes|approved|adopted|granted)"
_FAILED = r"(?:failed|fails|defeated|denied|rejected|lost|tabled|(?:not|dis)\s?approved)"
#: What two results have between them when one is still to be crossed out or ticked.
_CHOICE = re.compile(r"[/_\[(](?:(?<=/)|(?<=_)_+|(?<=\[) ?\]|(?<=\() ?\))")
_ONE_RESULT = pattern(rf"\b(?:(?P<passed>{_PASSED})|{_FAILED})\s?$")
_OTHER_RESULT = pattern(rf"\s?(?:(?P<passed>{_PASSED})|{_FAILED})\b")

#: A line of text: where it begins and ends.
Line = tuple[int, int]


def blank_stretches(doc: DocumentText) -> list[tuple[int, int]]:
    """Return the stretches of text, in order, that tell of no vote of this meeting."""
    found = [*_empty_labels(doc), *_without_date(doc), *_with_choice(doc)]
    return sorted([*found, *_reasons(doc), *_corrections(doc)])


_WHEREAS = Phrase("whereas", r"whereas\b[,:]?\s")
_RESOLVED = pattern(
    r"\b(?:now,?\s+therefore|therefore,?\s+be\s+it|be\s+it\s+(?:\w+\s+)?resolved)\b"
)
#: The reasons of a resolution are at most this long.
_REASONS = 4000


def _reasons(doc: DocumentText) -> Iterator[tuple[int, int]]:
    """Yield the clauses of a resolution before what is resolved."""
    done = 0
    for clause in _WHEREAS.find(doc.lower):
        if clause.start() < done:
            continue
        resolved = _RESOLVED.search(doc.lower, clause.end(), clause.end() + _REASONS)
        done = resolved.start() if resolved else doc.sentence_end(clause.end())
        yield clause.start(), done


_CORRECTIONS = Phrase("corrections", r"corrections\s?:\s")
_SHOULD_READ = Phrase(
    "read say state changed corrected",
    r"(?:(?:(?<=should )|(?<=should\n)|(?<=to )|(?<=to\n))(?:read|say|state)(?:\s+as\s+follows)?"
    r"|changed\s+to|corrected\s+to(?:\s+read)?)[\s:,]{1,6}\"",
)


def _corrections(doc: DocumentText) -> Iterator[tuple[int, int]]:
    """Yield passages in quotation marks that correct the minutes of another meeting."""
    for heading in _CORRECTIONS.find(doc.lower):
        end = doc.text.find("\n", heading.end())
        yield heading.start(), end if end >= 0 else len(doc.text)
    for correction in _SHOULD_READ.find(doc.lower):
        close = doc.text.find('"', correction.end(), correction.end() + 1200)
        if close >= 0:
            yield correction.start(), close + 1


def list_limit(doc: DocumentText, position: int, reach: int) -> int:
    """Return how far the names behind a label may go: not to those who sign below it."""
    printed = doc.original
    limit = min(len(printed), position + reach)
    if printed.find("_____", position, limit) >= 0:
        signature = _SIGNATURE_LINE.search(printed, position, limit)
        limit = signature.start() if signature else limit
    line_end = printed.find("\n", position)
    if line_end < 0 or doc.text[position:line_end].strip(_FILLING):
        return limit
    below = list(_lines_below(doc, line_end + 1))
    if not below or not doc.blank_line_between(position, below[0][0]):
        return limit
    signed = _SIGNED.search(doc.lower, *_whole(below[:3]))
    return position if signed and not _LABEL.search(doc.lower, *_whole(below)) else limit


@dataclass(frozen=True)
class _Labels:
    """Labels in a row with nothing behind any of them."""

    starts: list[int]
    #: The first of them, if it is the label of those who are for it.
    for_it: str
    end: int


def _empty_labels(doc: DocumentText) -> Iterator[tuple[int, int]]:
    """Yield labels with nothing behind them, together with the sentence that leads to them.

    An empty list of those for it makes the whole a form, if it is to be signed.  Empty lists of
    others follow one that is filled in: they say nothing, but what is below the last label belongs
    to it unless it is signatures.
    """
    printed, lower = doc.original, doc.lower
    for labels in _labels_in_a_row(doc):
        start = labels.starts[0]
        ruled = _RULE.search(printed, start, labels.end) is not None
        below = list(_lines_below(doc, labels.end))
        if len(labels.starts) == 1:
            to_sign = below and _SIGNATURE_LINE.fullmatch(printed, *below[0])
            if labels.for_it.startswith(("aye", "yea")) and (ruled or to_sign):
                yield _introduction(doc, start), labels.end
        elif not labels.for_it:
            signed = ruled or _is_signed(doc, below[:3])
            yield start, labels.end if signed else len(lower[: labels.starts[-1]].rstrip())
        elif ruled or not _are_values(doc, below[: len(labels.starts)]):
            signed = ruled or _is_signed(doc, below[:3])
            yield _introduction(doc, start) if signed else start, labels.end
    if "___" in printed:
        for ruled_labels in _RULED_LABELS.finditer(printed):
            yield _introduction(doc, ruled_labels.start()), ruled_labels.end()


def _labels_in_a_row(doc: DocumentText) -> Iterator[_Labels]:
    """Yield labels in a row of which the last one ends its line; few lines end with a colon."""
    lower = doc.lower
    for last in _LABEL_ENDS_LINE.finditer(lower):
        if _LABEL_BEHIND.match(lower, last.end()):
            continue
        starts: list[int] = []
        for_it, colon = "", last.start()
        while label := _LABEL_BEFORE.search(lower, max(0, colon - 24), colon):
            starts.insert(0, label.start())
            for_it = label["for_it"] or ""
            before = lower[max(0, label.start() - _GAP) : label.start()].rstrip(_FILLING)
            if for_it or len(starts) == _MOST_LABELS or not before.endswith(":"):
                break
            colon = max(0, label.start() - _GAP) + len(before) - 1
        if starts and not _OF_TABLE.search(lower, max(0, starts[0] - 40), starts[0]):
            yield _Labels(starts, for_it, last.end())


def _lines_below(doc: DocumentText, position: int) -> Iterator[Line]:
    """Yield the next lines that have something on them."""
    printed, found = doc.original, 0
    limit = min(len(printed), position + _BELOW)
    while position < limit and found < _BELOW_LINES:
        end = printed.find("\n", position)
        end = len(printed) if end < 0 else end
        if printed[position:end].strip():
            found += 1
            yield position, end
        position = end + 1


def _whole(lines: list[Line]) -> Line:
    return lines[0][0], lines[-1][1]


def _are_values(doc: DocumentText, lines: list[Line]) -> bool:
    """Whether the lines below labels, as many as labels, are what the labels ask for."""
    if any(_VALUE.fullmatch(doc.lower[start:end].strip()) for start, end in lines):
        return True
    if not lines or _RULE.search(doc.original, *_whole(lines)):
        return False
    names = [_names_on(doc, line) for line in lines]
    if _SIGNED.search(doc.lower, *_whole(lines)):
        return max(names[0], default=0) > 1
    return sum(map(sum, names)) > 1


def _names_on(doc: DocumentText, line: Line) -> list[int]:
    """Return how many names each cell of a line consists of; 0 for one that is something else."""
    counts = []
    for cell in _WIDE_GAP.split(doc.text[slice(*line)].strip()):
        found = read_names(cell, 0, len(cell), doc.roster.known)
        over = cell[found.end :].strip(" .,;")
        counts.append(len(found.names) if not over else 0)
    return counts


def _is_signed(doc: DocumentText, lines: list[Line]) -> bool:
    """Whether the lines below labels are where people sign, or there are none."""
    if not lines:
        return True
    where = _whole(lines)
    ruled = _RULE.search(doc.original, *where) is not None
    return ruled or _SIGNED.search(doc.lower, *where) is not None


_LEADS_TO_LIST = pattern(r"(?::|\bday\s+of\b[^.\n]{0,80}\.?)\s*$")


def _introduction(doc: DocumentText, labels: int) -> int:
    """Return where the sentence begins that leads to the labels, or the labels if none does."""
    edge = end_without(doc.text, labels, " \n")
    begin = doc.sentence_start(max(0, edge - 1))
    leads = _LEADS_TO_LIST.search(doc.lower, begin, edge)
    return begin if leads else line_start(doc.text, labels)


def _without_date(doc: DocumentText) -> Iterator[tuple[int, int]]:
    """Yield sentences such as ``Adopted this ___ day of May``: it has not been."""
    printed = doc.original
    for day in _DAY_OF.finditer(doc.lower):
        before = _BLANK_BEFORE.search(printed, max(0, day.start() - 60), day.start())
        if before or _BLANK_BEHIND.match(printed, day.end()):
            yield doc.sentence_start(day.start()), doc.sentence_end(day.end())


def _with_choice(doc: DocumentText) -> Iterator[tuple[int, int]]:
    """Yield sentences such as ``Motion carried / failed``."""
    lower = doc.lower
    for mark in _CHOICE.finditer(doc.original):
        one = _ONE_RESULT.search(lower, max(0, mark.start() - 16), mark.start())
        other = _OTHER_RESULT.match(lower, mark.end()) if one else None
        if one and other and bool(one["passed"]) != bool(other["passed"]):
            yield doc.sentence_start(one.start()), doc.sentence_end(other.end())
