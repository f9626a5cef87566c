"""How sure a reading is: doubts, counted per field, and what they are worth.

A doubt is a named reason why a field may be wrong: a mover who is not in the attendance, a list
that was not read to its end, a result that no word states.  How often a field with so many doubts
is right was measured on labelled minutes; ``calibration.json`` holds the answers, and
``tools/calibrate_votes.py`` makes it again.  Reading a vote therefore only counts doubts and looks
them up.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import msgspec

#: A field below this is not a fact: it is published as doubtful, with the quote beside it.
FACT = 0.8

#: The fields that have a confidence of their own.
FIELDS = ("mover", "seconder", "result", "names", "tally", "motion", "item")
#: All of what a reader sees of a vote.
EVENT = "event"

#: What a doubt weighs.  One that is not listed weighs 1.
_WEIGHTS = {
    "incomplete_list": 5,
    "tally_mismatch": 3,
    "source_contradiction": 3,
    "no_mover_named": 2,
    "not_established": 2,
    "only_a_person": 3,
    "no_words": 3,
    "from_heading": 3,
    "result_implied": 2,
    "no_outcome": 2,
    "no_result": 3,
    "noise": 2,
    "unread_vote_words": 2,
}
#: With one of these a field is no fact, however often it was right.
_NEVER_A_FACT = frozenset(("incomplete_list", "source_contradiction", "tally_mismatch", "stranger"))
_NO_FACT = 0.5
#: No word states it: nobody voted against it, and that is all that is printed.
_NO_RESULT = frozenset(("no_outcome",))
#: Doubts of a field that weigh as much on the whole event; an item's do not.
_OF_EVENT = ("mover", "seconder", "result", "names", "tally", "motion", EVENT)


class Calibration(msgspec.Struct):
    """How often a field with so many doubts, from none on, was right in labelled minutes."""

    made: dict[str, str | int | float]
    right: dict[str, list[float]]


@dataclass(frozen=True)
class Doubts:
    """The named reasons to doubt a vote, per field; a field without a value is not listed."""

    of: dict[str, tuple[str, ...]]

    def level(self, field: str) -> int:
        """Return how much speaks against a field, or against the whole event."""
        return sum(_WEIGHTS.get(reason, 1) for reason in self._reasons(field))

    def confidence(self, field: str) -> float:
        """Return how often such a field is right; a contradiction is never a fact."""
        right = calibration().right[field]
        share = right[min(self.level(field), len(right) - 1)]
        reasons = self._reasons(field)
        no_fact = reasons & _NEVER_A_FACT or (field == "result" and reasons & _NO_RESULT)
        return min(share, _NO_FACT) if no_fact else share

    def _reasons(self, field: str) -> set[str]:
        """Return the doubts of a field; what speaks against two speaks once against the event."""
        fields = _OF_EVENT if field == EVENT else (field,)
        return {reason for each in fields for reason in self.of.get(each, ())}

    def fields(self) -> dict[str, float]:
        """Return the confidence of every field that has a value."""
        return {field: self.confidence(field) for field in FIELDS if field in self.of}


@cache
def calibration() -> Calibration:
    """Return the measured shares, from the file next to this module."""
    path = Path(__file__).with_name("calibration.json")
    return msgspec.json.decode(path.read_bytes(), type=Calibration)
