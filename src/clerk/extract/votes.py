"""Find the votes of a document: read the cues, let the chamber sit, check what came out."""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Iterator

from . import outcomes
from .ballots import ballot_cues
from .chamber import Chamber
from .context import SOFT, Cue, DocumentText, MotionCue, OutcomeCue, SecondCue, find_cues
from .drafts import Draft
from .model import (
    ABSENT,
    ABSTAIN,
    AYES,
    BALLOTS,
    DIED,
    FOURTH,
    NOES,
    RECUSED,
    THIRD,
    UNKNOWN,
    WITHDRAWN,
    Vote,
)
from .motions import motion_cues
from .names import BALLOT_WORDS
from .roll_calls import roll_call_cues
from .tables import table_cues
from .text import word_set
from .wording import item_at, item_finder, motion_text

_TALLY_NAMES = {AYES: "yes", NOES: "no", ABSTAIN: "abstain", ABSENT: "absent", RECUSED: "recused"}
#: A proposal is a motion only if it is seconded within so many characters.
_SECOND_WITHIN = 400
#: Motion and outcome further apart than this are flagged.
_LONG_GAP = 2000


def find_votes(doc: DocumentText) -> list[Vote]:
    """Return the votes of a document in the order of the text."""
    drafts = Chamber(doc).sit(_cues(doc))
    headings = item_finder(doc)
    printed = _Printed(doc.text)
    return [_vote(doc, draft, item_at(headings, draft.start), printed) for draft in drafts]


def _cues(doc: DocumentText) -> list[Cue]:
    """Return all cues in the order of the text, those about nothing left out."""
    tabled, used = table_cues(doc)
    cues = [cue for cue in _all_cues(doc) if not _inside(used, cue.start)]
    ordered = sorted(
        [*cues, *tabled], key=lambda cue: (cue.at, not isinstance(cue, MotionCue), -cue.strength)
    )
    return [
        cue
        for place, cue in enumerate(ordered)
        if not (isinstance(cue, MotionCue) and cue.needs == "second") or _seconded(ordered, place)
    ]


def _inside(stretches: list[tuple[int, int]], position: int) -> bool:
    """Whether a position lies in one of the stretches, which are in order."""
    place = bisect_right(stretches, (position, sys.maxsize))
    return place > 0 and position < stretches[place - 1][1]


def _all_cues(doc: DocumentText) -> Iterator[Cue]:
    yield from motion_cues(doc)
    yield from find_cues(outcomes.RULES, doc)
    yield from ballot_cues(doc)
    yield from roll_call_cues(doc)


def _seconded(cues: list[Cue], place: int) -> bool:
    limit = cues[place].end + _SECOND_WITHIN
    while (place := place + 1) < len(cues) and cues[place].start <= limit:
        cue = cues[place]
        if isinstance(cue, SecondCue) or (isinstance(cue, OutcomeCue) and cue.strength > SOFT):
            return True
        if isinstance(cue, MotionCue) and cue.strength > SOFT:
            return False
    return False


def _vote(doc: DocumentText, draft: Draft, item: str | None, printed: _Printed) -> Vote:
    document = doc.normal
    end = draft.end
    if draft.lead is not None and not draft.voted:
        end = max(end, doc.sentence_end(draft.lead.end))
    start, end = _trimmed(document.original, draft.start, end)
    page = document.page_at(start)
    page_start, page_end = document.page_bounds(page)
    names = {kind: printed.among(draft.ballots.get(kind, [])) for kind in BALLOTS}
    flags = _flags(doc, draft, names)
    return Vote(
        start=start,
        end=end,
        page=page,
        page_start=start - page_start,
        page_end=min(end, page_end) - page_start,
        item=item,
        motion=motion_text(doc, draft),
        mover=printed.only(draft.mover),
        seconder=printed.only(draft.seconder),
        result=draft.result,
        result_text=draft.outcome.result_text if draft.outcome else None,
        vote_type=_vote_type(draft),
        tally=_tally(draft),
        unanimous=_unanimous(draft),
        flags=sorted(flags),
        quote=document.original[start:end],
        confidence=_confidence(draft, flags),
        **names,
    )


class _Printed:
    """Lets through only the names that the document prints: the last gate before a name is told."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.found: dict[str, bool] = {}

    def among(self, names: list[str]) -> list[str]:
        """Return those of the names that are printed."""
        return [name for name in names if self.only(name)]

    def only(self, name: str | None) -> str | None:
        """Return the name if its words are printed, as words, next to each other."""
        if not name:
            return None
        if not BALLOT_WORDS.isdisjoint(name.lower().replace("-", " ").split()):
            return None
        if name not in self.found and self._is_plain(name):
            self.found[name] = True
        if name not in self.found:
            words = r",?\s{1,80}".join(re.escape(word) for word in name.split())
            self.found[name] = re.search(rf"\b{words}(?!\w)", self.text) is not None
        return name if self.found[name] else None

    def _is_plain(self, name: str) -> bool:
        """Whether the first place where the name is printed is a whole word: the usual case."""
        place = self.text.find(name)
        end = place + len(name)
        around = self.text[max(0, place - 1) : place] + self.text[end : end + 1]
        return place >= 0 and not any(letter.isalnum() or letter == "_" for letter in around)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    end = max(start + 1, min(end, len(text)))
    inside = text[start:end]
    left = len(inside) - len(inside.lstrip())
    return start + left, start + max(left + 1, len(inside.rstrip()))


def _vote_type(draft: Draft) -> str:
    if draft.ballots.get(AYES) or draft.vote_type == "roll_call":
        return "roll_call"
    if draft.vote_type:
        return draft.vote_type
    if draft.result in (DIED, WITHDRAWN) or not draft.voted:
        return "none"
    if AYES in draft.counts:
        return "tally"
    return "unanimous" if _unanimous(draft) else "unspecified"


def _unanimous(draft: Draft) -> bool:
    """Whether the text says so and prints nobody against."""
    return draft.unanimous and not draft.ballots.get(NOES) and not draft.counts.get(NOES)


def _tally(draft: Draft) -> dict[str, int] | None:
    """Return the printed counts, or the lengths of the printed lists."""
    counts = _named_counts(draft)
    if draft.ballots.get(AYES):
        for kind, names in draft.ballots.items():
            counts.setdefault(kind, len(names))
        counts.setdefault(NOES, 0)
    if AYES not in counts and NOES not in counts:
        return None
    return {_TALLY_NAMES[kind]: counts[kind] for kind in BALLOTS if kind in counts}


def _named_counts(draft: Draft) -> dict[str, int]:
    """Return the counts, those of ``4-0-1-2`` given to the lists they fit, or to the usual ones."""
    counts = dict(draft.counts)
    for place, usual in ((THIRD, ABSTAIN), (FOURTH, ABSENT)):
        number = counts.pop(place, None)
        if number is None:
            continue
        lists = [kind for kind in (usual, *_OTHER_LISTS) if draft.ballots.get(kind)]
        fitting = [kind for kind in lists if len(draft.ballots[kind]) == number]
        kind = fitting[0] if fitting and usual not in lists else usual
        counts.setdefault(kind, number)
    return counts


_OTHER_LISTS = (ABSTAIN, RECUSED, ABSENT)


def _flags(doc: DocumentText, draft: Draft, names: dict[str, list[str]]) -> set[str]:
    flags = set(draft.flags)
    if draft.about:
        flags.add(draft.about)
    if draft.mover and draft.mover == draft.seconder:
        flags.add("mover_equals_seconder")
    if set(names[AYES]) & set(names[NOES]):
        flags.add("source_contradiction")
    counts = _named_counts(draft)
    for kind in (AYES, NOES, ABSTAIN):
        if names[kind] and counts.get(kind, len(names[kind])) != len(names[kind]):
            flags.add("tally_mismatch")
    if any(doc.roster.is_stranger(_key(name)) for kind in (AYES, NOES) for name in names[kind]):
        flags.add("off_roster_name")
    if (
        draft.result != UNKNOWN
        and not (draft.outcome and draft.outcome.result)
        and not draft.superseded
    ):
        flags.add("result_implied")
    if draft.lead and draft.outcome and draft.outcome.start - draft.lead.end > _LONG_GAP:
        flags.add("long_gap")
    return flags


def _key(name: str) -> str:
    words = name.split()
    return " ".join(word for word in words if len(word.strip(".")) > 1) or name


_DOUBTS = word_set(
    """
    source_contradiction tally_mismatch off_roster_name result_implied long_gap missing_comma
    name_typo
    """
)


def _confidence(draft: Draft, flags: set[str]) -> float:
    """Return how sure the reading is: what was printed speaks for it, doubts speak against it."""
    sure = 0.45 + 0.15 * (draft.mover is not None) + 0.1 * (draft.seconder is not None)
    sure += 0.08 * (draft.outcome.strength if draft.outcome else 0) + 0.06 * bool(draft.ballots)
    return round(max(0.05, min(0.99, sure - 0.1 * len(flags & _DOUBTS))), 2)
