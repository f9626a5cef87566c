"""What an extraction consists of: votes, entities, and the values they may have."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, TypedDict

import msgspec

if TYPE_CHECKING:
    from .text import NormalText

#: Changes whenever the same text would give another answer; then caches are made again.
VERSION = "19"

PASSED = "passed"
FAILED = "failed"
DIED = "died"
SUPERSEDED = "superseded"
WITHDRAWN = "withdrawn"
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


#: Changes whenever a field of what ``clerk extract --all`` prints changes its name or meaning.
SCHEMA = 2
#: The lists of an extraction, in the order in which they are printed.
LISTS = ("votes", "items", "attendance", "speakers", "declarations", "matters", "entities")


def extraction_as_row(document: str, found: Extraction) -> dict[str, Any]:
    """Return everything found in a document as one object of the published format."""
    row: dict[str, Any] = {"schema": SCHEMA, "extractor": found.version, "doc": document}
    for name in LISTS:
        row[name] = [
            {
                field: value
                for field, value in msgspec.structs.asdict(each).items()
                if field not in ("page_start", "page_end")
            }
            for each in getattr(found, name)
        ]
    return row


def vote_as_row(document: str, vote: Vote) -> dict[str, Any]:
    """Return the vote as one line of the published format."""
    return {"doc": document, **{field: getattr(vote, field) for field in VOTE_FIELDS}}
