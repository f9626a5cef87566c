"""Read tallies: ``5-0``, ``[14 TO 1]``, ``7 votes to 3``, ``three to one``."""

from __future__ import annotations

from .model import AYES, FOURTH, NOES, THIRD
from .text import pattern

_UP_TO_TWENTY = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen twenty
"""
NUMBER_WORDS = {word: number for number, word in enumerate(_UP_TO_TWENTY.split())}
NUMBER_WORDS["none"] = NUMBER_WORDS["no"] = 0

#: 5-0, 5 - 0 - 1, 5 to 0, [14 TO 1]; not a date, not a section number.
TALLY = pattern(
    r"(?P<yes>[0-9](?<![\d/.$\-].)\d{0,2})\s{0,2}(?:votes?\s)?(?:-|to|:"
    r"|/)\s{0,2}(?P<no>\d{1,2})(?:\s{0,2}-\s{0,2}(?P<abstain>\d{1,2}))?(?:\s{0,2}-\s{0,2}(?P<absent>\d{1,2}))?(?![\d/%]|\s?(?:p\.?m|a\.?m|%)|-\d|\.\d|:\d)"
)
_WORD_TALLY = pattern(
    r"\b(?P<yes>"
    + "|".join(NUMBER_WORDS)
    + r")\s+(?:\(\d+\)\s+)?to\s+(?P<no>"
    + "|".join(NUMBER_WORDS)
    + r")\b"
)
_NUMBERED = pattern(
    r"\b(?:no|nos|item|items|section|sec|resolution|ordinance|chapter|case|rule|number|bill"
    r"|article|lot|district|page|phase|code|motion|res|ord|by-?law|r|o|lots|pages|sections|exhibits?|parcels?)\b[.:#\s(]*$"
)


def number(word: str) -> int:
    """Return the number that digits or a word stand for."""
    return int(word) if word.isdigit() else NUMBER_WORDS[word]


def tally_in(lower: str, start: int, end: int) -> dict[str, int]:
    """Return the tally printed in a stretch of text: yes, no and what follows."""
    for match in TALLY.finditer(lower, start, end):
        if _NUMBERED.search(lower[max(0, match.start() - 16) : match.start()]):
            continue
        kinds = {
            AYES: match["yes"],
            NOES: match["no"],
            THIRD: match["abstain"],
            FOURTH: match["absent"],
        }
        return {kind: int(value) for kind, value in kinds.items() if value is not None}
    if words := _WORD_TALLY.search(lower, start, end):
        return {AYES: number(words["yes"]), NOES: number(words["no"])}
    return {}
