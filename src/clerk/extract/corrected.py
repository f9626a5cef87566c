"""What people corrected comes before what the rules find.

A correction is about a stretch of a page.  It changes the vote that is found there, says that
there is none, or makes one where the rules find nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from .findings import BALLOTS, UNKNOWN, Vote, place
from .text import NormalText

#: The fields of a vote that can be corrected, and the name of each in ``doubtful``.
CORRECTABLE: Mapping[str, str] = {
    **{name: name for name in ("motion", "mover", "seconder", "result", "tally", "item")},
    "item_title": "item",
    **dict.fromkeys(BALLOTS, "names"),
}
#: Flags that say something about a field.
_FLAGS = {
    "names": (
        *("incomplete_list", "tally_mismatch", "off_roster_name", "name_typo", "label_typo"),
        "missing_comma",
    ),
    "tally": ("tally_mismatch", "tally_reversed"),
    "result": ("result_implied", "source_contradiction"),
    "mover": ("mover_equals_seconder", "no_mover"),
    "seconder": ("mover_equals_seconder", "no_second"),
}


@dataclass(frozen=True)
class VoteCorrection:
    """What is right about a stretch of a text; no fields mean that there is no vote."""

    start: int
    end: int
    fields: Mapping[str, Any]
    who: str
    at: str


def corrected_votes(
    doc: NormalText, votes: Sequence[Vote], corrections: Sequence[VoteCorrection]
) -> list[Vote]:
    """Return the votes of a document as people corrected them."""
    found = list(votes)
    for each in corrections:
        begin, end = each.start, min(each.end, len(doc.original))
        shared = {
            index: min(vote.end, end) - max(vote.start, begin) for index, vote in enumerate(found)
        }
        nearest = max(shared, key=lambda index: shared[index], default=None)
        # Half of what was marked, or half of the vote: the words around it may be read otherwise.
        known = nearest is not None and 2 * shared[nearest] > min(
            end - begin, found[nearest].end - found[nearest].start
        )
        if known and nearest is not None and not each.fields:
            del found[nearest]
        elif known and nearest is not None:
            _correct(found[nearest], each)
        elif each.fields:
            found.append(_correct(_empty_vote(doc, begin, end), each))
    return sorted(found, key=lambda vote: vote.start)


def valid_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that can be corrected and have a value that fits."""
    kinds = {each.name: each.type for each in msgspec.structs.fields(Vote)}
    valid = {}
    for name in fields.keys() & CORRECTABLE.keys():
        try:
            valid[name] = msgspec.convert(fields[name], kinds[name])
        except msgspec.ValidationError:
            continue
    return valid


def _correct(vote: Vote, correction: VoteCorrection) -> Vote:
    fields = valid_fields(correction.fields)
    for name, value in fields.items():
        setattr(vote, name, value)
    groups = {CORRECTABLE[name] for name in fields}
    known = {CORRECTABLE[name]: 1.0 for name, value in fields.items() if value}
    vote.field_confidence = {
        name: share for name, share in vote.field_confidence.items() if name not in groups
    } | known
    vote.doubtful = [name for name in vote.doubtful if name not in groups]
    settled = {flag for name in groups for flag in _FLAGS.get(name, ())}
    vote.flags = [flag for flag in vote.flags if flag not in settled]
    if "names" in groups and "tally" not in groups:
        # The count was made from, or checked against, the former lists.
        vote.doubtful = [*vote.doubtful, "tally"] if vote.tally else vote.doubtful
    vote.corrected_fields = sorted({*vote.corrected_fields, *fields})
    vote.corrected_by, vote.corrected_at = correction.who, correction.at
    return vote


def _empty_vote(doc: NormalText, begin: int, end: int) -> Vote:
    """Return a vote of which nothing is known but its words."""
    return Vote(
        **place(doc, begin, end),
        item=None,
        item_title=None,
        consent_items=[],
        consent_exceptions=[],
        motion=None,
        mover=None,
        seconder=None,
        result=UNKNOWN,
        result_text=None,
        vote_type=UNKNOWN,
        ayes=[],
        noes=[],
        abstain=[],
        absent=[],
        recused=[],
        tally=None,
        unanimous=False,
        flags=[],
        confidence=1.0,
        field_confidence={},
        doubtful=[],
        doubts=[],
    )
