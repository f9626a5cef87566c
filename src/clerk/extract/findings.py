"""What an extraction consists of: votes, entities, and the values they may have.

And how sure a reading is: doubts, counted per field, and what they are worth.

A doubt is a named reason why a field may be wrong: a mover who is not in the attendance, a list
that was not read to its end, a result that no word states.  How often a field with so many doubts
is right was measured on labelled minutes; ``calibration.json`` holds the answers, and
``tools/calibrate_votes.py`` makes it again.  Reading a vote therefore only counts doubts and looks
them up.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

import msgspec

if TYPE_CHECKING:
    from .text import NormalText

#: Changes whenever the same text would give another answer; then caches are made again.
VERSION = "33"

PASSED = "passed"
FAILED = "failed"
DIED = "died"
SUPERSEDED = "superseded"
WITHDRAWN = "withdrawn"
#: What a meeting does with a matter that it only names.
MENTIONED = "mentioned"
UNKNOWN = "unknown"

#: The results that a motion may have.
RESULTS = (PASSED, FAILED, DIED, SUPERSEDED, WITHDRAWN, UNKNOWN)

AYES = "ayes"
NOES = "noes"
ABSTAIN = "abstain"
ABSENT = "absent"
RECUSED = "recused"

#: The lists of names that a vote may have, in the order in which they are shown.
BALLOTS = (AYES, NOES, ABSTAIN, ABSENT, RECUSED)

#: The further numbers of a tally such as 4-0-1-2, until it is known what they count.
THIRD = "third"
FOURTH = "fourth"


class Vote(msgspec.Struct, kw_only=True):
    """One question put to a body, or a motion that was made and went no further.

    ``start`` and ``end`` are offsets into the pages joined by form feeds, ``page_start`` and
    ``page_end`` into the text of ``page`` (an event that runs over a page break ends, there, with
    its first page).  ``quote`` is the text between ``start`` and ``end``.  Names are printed in
    the document, never inferred; ``result`` comes from printed words, never from arithmetic.

    ``confidence`` is the share of such votes that were right in every field when it was measured,
    ``field_confidence`` that of each field which has a value (``names`` are all lists together).
    The fields in ``doubtful`` are not facts: show them as uncertain, with the quote.  ``doubts``
    are the reasons.  ``corrected_fields`` are those that a person set right, who and when.
    """

    start: int
    end: int
    page: int | None
    page_start: int
    page_end: int
    item: str | None
    item_title: str | None
    consent_items: list[str]
    consent_exceptions: list[str]
    motion: str | None
    mover: str | None
    seconder: str | None
    result: str
    result_text: str | None
    vote_type: str
    ayes: list[str]
    noes: list[str]
    abstain: list[str]
    absent: list[str]
    recused: list[str]
    tally: dict[str, int] | None
    unanimous: bool
    flags: list[str]
    quote: str
    confidence: float
    field_confidence: dict[str, float]
    doubtful: list[str]
    doubts: list[str]
    corrected_fields: list[str] = []
    corrected_by: str | None = None
    corrected_at: str | None = None


class Entity(msgspec.Struct, kw_only=True):
    """A person, body, amount, date, address or number, where it is printed.

    ``type`` is one of person, body, money, date, address, ordinance, resolution, bill; ``value``
    is the normalised form (an amount as a decimal, a date as ISO); ``role`` is what the text calls
    a person.
    """

    type: str
    text: str
    value: str
    role: str | None
    page: int | None
    start: int
    end: int
    page_start: int
    page_end: int


class Place(msgspec.Struct, kw_only=True):
    """Where something is printed, and its words.

    ``start`` and ``end`` are offsets into the pages joined by form feeds, ``page_start`` and
    ``page_end`` into the text of ``page``; ``quote`` is the text between ``start`` and ``end``.
    """

    page: int | None
    start: int
    end: int
    page_start: int
    page_end: int
    quote: str


class PlaceFields(TypedDict):
    """The fields of a :class:`Place`."""

    page: int | None
    start: int
    end: int
    page_start: int
    page_end: int
    quote: str


def place(doc: NormalText, start: int, end: int) -> PlaceFields:
    """Return the fields of a place for a stretch of a document, without the blanks around it."""
    end = doc.printed_end(start, end)
    inside = doc.original[start:end]
    start += len(inside) - len(inside.lstrip())
    end = max(start + 1, start + len(doc.original[start:end].rstrip()))
    page = doc.page_at(start)
    page_start, page_end = doc.page_bounds(page)
    return {
        "page": page,
        "start": start,
        "end": end,
        "page_start": start - page_start,
        "page_end": min(end, page_end) - page_start,
        "quote": doc.original[start:end],
    }


class AgendaItem(Place, kw_only=True):
    """An item of the agenda with its number and title as printed."""

    number: str
    title: str


class Presence(Place, kw_only=True):
    """Somebody the attendance of a meeting names.

    ``name`` is as printed, without titles; ``role`` is what the text calls the person.  ``group``
    is "member" for those who sit on the body and "other" for staff, officials and guests.
    ``status`` is present, absent or excused; a member who came late, left early or took part from
    elsewhere is present.
    """

    name: str
    role: str | None
    group: str
    status: str
    late: bool
    left_early: bool
    remote: bool


class Speaker(Place, kw_only=True):
    """Somebody from the public who spoke, and the side they took, if the text says so.

    ``side`` is for, against, neutral or None; ``item`` and ``item_title`` are those of the heading.
    """

    name: str
    side: str | None
    item: str | None
    item_title: str | None


class Declaration(Place, kw_only=True):
    """A member who stood aside ("recusal") or declared an interest ("interest").

    ``about`` is what it concerns, in the words of the text.
    """

    name: str
    kind: str
    about: str | None


class Appearance(Place, kw_only=True):
    """One matter on the agenda of one meeting, and what was done with it.

    ``kind`` is ordinance, resolution, bill, by-law, local law, case, file or topic; ``key`` is the
    number in one form for all ways of writing it, or the title of a topic.  ``action`` is
    introduced, continued, amended, referred, passed, failed or mentioned; ``continued_to`` is a
    date in ISO form.  ``votes`` are places in the list of votes of the document; ``amounts`` and
    ``addresses`` are those printed with the matter.  ``doubtful`` names the fields that are not
    facts: an action that only a vote with a doubtful result shows.
    """

    kind: str
    number: str | None
    key: str
    title: str | None
    action: str
    continued_to: str | None
    votes: list[int]
    amounts: list[str]
    addresses: list[str]
    doubtful: list[str] = []


class Extraction(msgspec.Struct, kw_only=True):
    """Everything found in one document, as it is kept on disk."""

    version: str
    text_sha256: str
    votes: list[Vote]
    entities: list[Entity]
    items: list[AgendaItem] = []
    attendance: list[Presence] = []
    speakers: list[Speaker] = []
    declarations: list[Declaration] = []
    matters: list[Appearance] = []


def text_hash(text: str) -> str:
    """Return the hash of a document's text, whatever characters are in it."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


#: The fields of a vote as the command line prints them, after the document's name.
VOTE_FIELDS = tuple(
    name for name in Vote.__struct_fields__ if name not in ("page_start", "page_end")
)


#: Changes whenever a field of what ``clerk extract --json`` prints changes its name or meaning.
SCHEMA = 3
#: The lists of an extraction, in the order in which they are printed.
LISTS = ("votes", "items", "attendance", "speakers", "declarations", "matters", "entities")


def vote_as_row(document: str, vote: Vote) -> dict[str, Any]:
    """Return the vote as one line of the published format."""
    return {"doc": document, **{field: getattr(vote, field) for field in VOTE_FIELDS}}


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
_NEVER_A_FACT = frozenset(
    (
        *("incomplete_list", "source_contradiction", "tally_mismatch", "stranger", "no_question"),
        # The text does not show that it is the record of a meeting.
        "no_meeting",
    )
)
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
        return _weight(self._reasons(field))

    def confidence(self, field: str) -> float:
        """Return how often such a field is right; a contradiction is never a fact."""
        right = calibration().right[field]
        reasons = self._reasons(field)
        share = right[min(_weight(reasons), len(right) - 1)]
        no_fact = reasons & _NEVER_A_FACT or (field == "result" and reasons & _NO_RESULT)
        return min(share, _NO_FACT) if no_fact else share

    def _reasons(self, field: str) -> set[str]:
        """Return the doubts of a field; what speaks against two speaks once against the event."""
        if field != EVENT:
            return set(self.of.get(field, ()))
        return {reason for each in _OF_EVENT for reason in self.of.get(each, ())}

    def fields(self) -> dict[str, float]:
        """Return the confidence of every field that has a value."""
        return {field: self.confidence(field) for field in FIELDS if field in self.of}


def _weight(reasons: set[str]) -> int:
    return sum(_WEIGHTS.get(reason, 1) for reason in reasons)


@cache
def calibration() -> Calibration:
    """Return the measured shares, from the file next to this module."""
    path = Path(__file__).with_name("calibration.json")
    return msgspec.json.decode(path.read_bytes(), type=Calibration)
