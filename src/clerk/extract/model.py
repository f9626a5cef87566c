"""What an extraction consists of: votes, entities, and the values they may have."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

#: Changes whenever the same text would give another answer; then caches are made again.
VERSION = "7"

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
    """

    start: int
    end: int
    page: int | None
    page_start: int
    page_end: int
    item: str | None
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


class Extraction(msgspec.Struct, kw_only=True):
    """Everything found in one document, as it is kept on disk."""

    version: str
    text_sha256: str
    votes: list[Vote]
    entities: list[Entity]


def text_hash(text: str) -> str:
    """Return the hash of a document's text, whatever characters are in it."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


#: The fields of a vote as the command line prints them, after the document's name.
VOTE_FIELDS = tuple(
    name for name in Vote.__struct_fields__ if name not in ("page_start", "page_end")
)


def vote_as_row(document: str, vote: Vote) -> dict[str, Any]:
    """Return the vote as one line of the published format."""
    return {"doc": document, **{field: getattr(vote, field) for field in VOTE_FIELDS}}
