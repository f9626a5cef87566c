"""Read who seconded a motion."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .context import SOFT, STRONG, DocumentText, SecondCue
from .movers import edge_of_subject, second_cue, speaks
from .names import name_before
from .text import Phrase, pattern

_SECOND = Phrase(
    "second 2nd support appuy",
    r"(?:second(?:ed|er|s|ing)?|2nd(?:ed)?|support(?:ed)?|(?:appuy|second)[\u00e9e]e?(?=\s+par\b))\b",
)
_SECOND_BY = pattern(
    r"\s*(?:the\s+motion\s+|was\s+(?:made|given|provided|offered)\s+|made\s+"
    r"|motion\s+)?(?:(?:by|from|par)\b\s*:?(?:\s*l[ae](?=\s+(?:conseill|mair)))?|:|-|\()\s*"
)


def second_cues(doc: DocumentText) -> Iterator[SecondCue]:
    """Yield a cue for every place where a motion is seconded."""
    for second in _SECOND.find(doc.lower):
        cue = _second_cue(doc, second)
        if cue is not None:
            yield cue


def _second_cue(doc: DocumentText, second: re.Match[str]) -> SecondCue | None:
    lower = doc.lower
    word = second[0]
    if lower.endswith("motion/", 0, second.start()):
        return None
    by = _SECOND_BY.match(lower, second.end())
    if by and not (word.startswith("support") and " by" not in lower[second.end() : by.end()]):
        name = doc.name_at(by.end())
        if name is not None and name.start - by.end() < 40 and not speaks(doc, name):
            cue = second_cue(doc, second.start(), name.end, name)
            cue.strength = SOFT if word.startswith("support") else STRONG
            cue.label = ":" in by[0]
            return cue
    if word in ("seconded", "seconds", "seconding", "2nded"):
        return _second_by_subject(doc, second)
    if word in ("second", "2nd"):
        return _second_short(doc, second) or _second_of(doc, second) or _second_last(doc, second)
    return None


def _second_of(doc: DocumentText, second: re.Match[str]) -> SecondCue | None:
    """Read ``second of Commissioner Jones``."""
    of = _OF.match(doc.lower, second.end())
    name = doc.name_at(of.end()) if of else None
    if of is None or name is None or not name.titled or name.start != of.end():
        return None
    if doc.text[name.end : name.end + 2] == "'s":
        return None
    return second_cue(doc, second.start(), name.end, name)


def _second_last(doc: DocumentText, second: re.Match[str]) -> SecondCue | None:
    """Read ``Mr. Jones 2nd.`` and ``Smith moved, Jones second.``"""
    if not _THAT_IS_ALL.match(doc.lower, second.end()):
        return None
    name = name_before(doc.text, second.start())
    if name is None or "," in doc.text[name.end : second.start()]:
        return None
    before = doc.text[max(0, name.start - 3) : name.start].rstrip(" ")
    if before and before[-1] not in ",.;\n":
        return None
    return second_cue(doc, name.start, second.end(), name)


_OF = pattern(r"\s+of\s+")
_THAT_IS_ALL = pattern(r"\s*(?:[.,;)\n]|$|the\s+motion\b)")


def _second_by_subject(doc: DocumentText, second: re.Match[str]) -> SecondCue | None:
    edge = edge_of_subject(doc.lower, second.start())
    name = name_before(doc.text, edge)
    if name is None or re.search(r",\s*$", doc.text[name.end : edge + 1]):
        return _second_short(doc, second)
    if _MOVERS_NAME.search(doc.lower[max(0, name.start - 14) : name.start]):
        other = _second_short(doc, second)
        if other is not None or not _THE_MOTION.match(doc.lower, second.end()):
            return other
    return second_cue(doc, name.start, second.end(), name)


_THE_MOTION = pattern(r"\s+(?:the|that|this)\s+motion\b|\s*\.")
_MOVERS_NAME = pattern(r"\b(?:moved|mover|motion|proposed|proposer)(?:\s+by)?\s*:?\s*$")


def _second_short(doc: DocumentText, second: re.Match[str]) -> SecondCue | None:
    """Read ``seconded Jones``, ``second Jones`` and ``Jones offered a second``."""
    head = doc.lower[max(0, second.start() - 24) : second.start()]
    gave = re.search(r"\b(?:offered|gave|made|provided)\s+(?:a|the)\s+$", head)
    if gave:
        name = name_before(doc.text, max(0, second.start() - 24) + gave.start())
        return second_cue(doc, name.start, second.end(), name) if name else None
    name = doc.name_at(second.end())
    if name is None or name.start - second.end() > 2:
        return None
    if doc.lower.startswith("vice", name.start):
        return None
    if not re.match(r"\s*(?:[,.;)\n]|$|to\b|and\b|that\b|-)", doc.lower[name.end : name.end + 12]):
        return None
    if second[0] in ("second", "2nd") and not re.search(r"[,;.)\n]\s*(?:and\s+)?$", head):
        return None
    return second_cue(doc, second.start(), name.end, name)
