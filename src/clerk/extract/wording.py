"""Find the words of a motion and the item it stands under."""

from __future__ import annotations

import re
from bisect import bisect_right

from .context import DocumentText
from .drafts import Draft
from .text import pattern

#: Begins with the end of the line before, and that alone is used up: so it is found at once.
_HEADING = pattern(
    r"\n(?= {0,60}(?P<item>\d{1,2}(?:\.\d{1,2}){0,3}\.?|[A-Z]\.|[IVX]{1,5}\."
    r"|\(?[a-z0-9]{1,2}\))\s{1,40}(?P<words>[^\W_]))"
)
_OPENING = pattern(
    r"[\s,;:.\-)]*(?:(?:the\s+motion|and|be\s+it\s+resolved)\s+)?(?:(?:to|that|for)\s+)?", re.I
)
_CLOSING = pattern(
    r"[\s,;:(\-]+(?:and|which|was|motion|the|a|it|on|with"
    r"|roll\s+call(?:\s+vote)?:?|were|did\s+not)?\s*$",
    re.I,
)
_TELLING = pattern(r"[a-z)]+\s*[:,]?\s+(?:that|to)\s+|resolved\s*:\s*")
_DONE = pattern(r"[a-z]+,\s+(?=the\s+(?:meeting|board|council|commission|committee)\b)")
_NO_WORDS = pattern(
    r"(?:and\s+|which\s+|the\s+|this\s+|was\s+|were\s+|with\s+|a\s+|it\s+|all\s+|in\s+|so\s+|its\s+|on\s+)*"
    r"(?:(?:motion|proposition|seconde?d?|duly|unanimously|failed|passed|carried|approved|adopted|granted|denied|deferred"
    r"|adoption|vote|voted|voting|favou?r|discussion|approval|roll|call|question|recorded|aye"
    r"|unanimous|amendment|main|as|amended|by|put|lost|declared|board"
    r"|council|moved|made|ordered|with|was|is|the|and|being|called|for)[\s,.:;]*)+"
    r"(?:[\d\s\-/(),]|to|with|of){0,16}|\(.{0,12}\)?|[^a-z]{0,12}",
    re.I,
)
#: Words of the vote itself; what contains them is not what was moved.
_VOTE_WORDS = pattern(
    r"\b(?:ayes?|nays?|noes|yeas?|abstain\w*|abstentions?|absent|present|mover|seconder|voting"
    r"|in\s+favou?r|opposed)\b\s{0,3}(?:[:\-=]|\d)|^.{0,40}\bvot(?:ed|ing)\s+(?:aye|yes|no|nay|yea)\b"
    r"|[\s,\-:\"](?:aye|nay|yea)\b|\byes\s+no\b|\b[yn]-[a-z]+, [yn]-"
)
_BLANK = pattern(r"[\s.:\-\"]{0,200}")
_MOTION_LENGTH = 400


def item_finder(doc: DocumentText) -> tuple[list[int], list[str]]:
    """Return the offsets of numbered headings and their numbers."""
    offsets, items, done = [], [], 0
    for heading in _HEADING.finditer(f"\n{doc.text}"):
        if heading.start() >= done:
            offsets.append(heading.start())
            items.append(heading["item"].strip("().") or heading["item"])
            done = heading.start("words") - 1
    return offsets, items


def item_at(headings: tuple[list[int], list[str]], offset: int) -> str | None:
    """Return the number of the last heading before an offset."""
    place = bisect_right(headings[0], offset)
    return headings[1][place - 1] if place else None


def motion_text(doc: DocumentText, draft: Draft) -> str | None:
    """Return what was moved, in the document's own words."""
    for start, end in _candidates(doc, draft):
        words = _tidy(doc.original[start:end])
        if _is_motion(words):
            return words
    return _heading_before(doc, draft.start)


def _is_motion(words: str) -> bool:
    """Whether words say what was moved, and not that or how it was voted on."""
    if len(words) < 4 or _VOTE_WORDS.search(words.lower()):
        return False
    return _NO_WORDS.fullmatch(words) is None and _OUTCOME_ONLY.match(words) is None


_OUTCOME_ONLY = pattern(
    r"(?:(?:the|this)\s+)?(?:motion|vote|question|amendment|mayor\s+declared|cllr|there\s+being)\b"
    r"(?!\s+to\b|\s+that\b)|second\s+of\b|(?:was|were)\s+(?:put|approved|adopted|carried)\b",
    re.I,
)


def _candidates(doc: DocumentText, draft: Draft) -> list[tuple[int, int]]:
    """Return the stretches where the motion may stand, the likeliest first."""
    stops = [draft.outcome.at if draft.outcome else draft.end]
    if draft.ballots_start:
        stops[0] = min(stops[0], draft.ballots_start)
    found: list[tuple[int, int]] = []
    if draft.lead is not None and draft.outcome and draft.outcome.at < draft.lead.start:
        return [(draft.start, draft.outcome.at)]
    if draft.lead is not None:
        second = draft.second.start if draft.second else draft.end
        ends = (draft.lead.words_end, second, *stops)
        edges = [edge for edge in ends if edge > draft.lead.end]
        far = draft.lead.end + _MOTION_LENGTH
        found.append((draft.lead.end, _stop(doc, draft.lead.end, min(edges, default=far))))
    if draft.second is not None:
        far = draft.second.end + _MOTION_LENGTH
        edge = stops[0] if stops[0] > draft.second.end else far
        found.append((draft.second.end, _stop(doc, draft.second.end, edge)))
    if draft.outcome is not None:
        at, end = draft.outcome.at, draft.outcome.end
        told = _TELLING.search(doc.lower, at, end) or _DONE.search(doc.lower, at, end)
        if told is not None:
            found.append((told.end(), _stop(doc, told.end(), told.end() + _MOTION_LENGTH)))
    if draft.lead is None and draft.outcome is not None and draft.outcome.at > draft.start:
        found.append((draft.start, min(draft.outcome.end, draft.start + _MOTION_LENGTH)))
    return found


def _stop(doc: DocumentText, start: int, edge: int) -> int:
    """Return where the words of a motion end that begin, maybe after a gap, at ``start``."""
    gap = _BLANK.match(doc.text, start)
    start = gap.end() if gap else start
    return max(start, min(edge, doc.sentence_end(start, _MOTION_LENGTH)))


def _tidy(text: str) -> str:
    words = " ".join(text.split())
    opening = _OPENING.match(words)
    words = _CLOSING.sub("", words[opening.end() if opening else 0 :]).strip(" .,;:")
    return words if len(words) <= 300 else words[:297].rstrip() + "..."


def _heading_before(doc: DocumentText, start: int) -> str | None:
    before = doc.original[max(0, start - 400) : start].rstrip()
    words = _tidy(before.rpartition("\n")[2] or before)
    return words if _is_motion(words) and words[0] not in "=-" else None
