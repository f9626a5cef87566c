"""What one meeting did, put together from its documents: items with what belongs to them.

An item that the agenda and the minutes list, or an agenda that is printed twice, is one item with
several sources.  Minutes are often printed again in the packet of the next meeting: their votes are
shown once.  Votes, speakers and matters are put under the item they name, if it is certain.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field

from rapidfuzz.fuzz import token_set_ratio

from clerk.core.public_text import document_text
from clerk.extract.findings import MENTIONED

from .queries import CompiledVote, SiteDatabase
from .record import (
    DeclaredInterest,
    Found,
    MatterStep,
    PublicSpeaker,
    RecordedItem,
    RecordedPresence,
    SiteRecord,
)

#: At most this many findings of a kind are read of one meeting.
_AT_MOST = 20_000
#: At most this many votes and entities of a meeting are read.
VOTES_AT_MOST, _ENTITIES_AT_MOST = 500, 2_000
#: How similar titles of items, or quotes of votes, are at least that mean the same; of 100.
ALIKE = 85


@dataclass
class MeetingItem:
    """An item of a meeting, with the places that list it and what was done about it."""

    number: str
    title: str
    sources: list[RecordedItem]
    votes: list[CompiledVote] = field(default_factory=list)
    speakers: list[PublicSpeaker] = field(default_factory=list)

    @property
    def places(self) -> list[RecordedItem]:
        """The first source in each document."""
        return list({each.document: each for each in reversed(self.sources)}.values())[::-1]


@dataclass(frozen=True)
class NamedThing:
    """An amount of money, an ordinance or a resolution that a meeting's documents name."""

    kind: str
    text: str
    value: str | None
    times: int
    page: int
    page_id: str
    #: The words that name it, so that it can be linked to.
    quote: str


@dataclass(frozen=True)
class MeetingRecord:
    """What is known of a meeting."""

    items: Sequence[MeetingItem]
    #: What cannot be put under an item.
    votes: Sequence[CompiledVote]
    speakers: Sequence[PublicSpeaker]
    #: How many votes there are, with those under items.
    vote_count: int
    attendance: Sequence[RecordedPresence]
    interests: Sequence[DeclaredInterest]
    matters: Sequence[MatterStep]
    amounts: Sequence[NamedThing]
    laws: Sequence[NamedThing]

    @property
    def outcomes(self) -> dict[str, int]:
        """How many votes had each result, the most frequent first, and last: not certain."""
        votes = [*self.votes, *(vote for item in self.items for vote in item.votes)]
        results = Counter(
            "unknown" if "result" in vote.doubtful else vote.result or "unknown" for vote in votes
        )
        return dict(sorted(results.most_common(), key=lambda each: each[0] == "unknown"))


def meeting_record(
    site: SiteDatabase, body: str, date: str, documents: Collection[str]
) -> MeetingRecord:
    """Return what is recorded of a meeting; ``documents`` are the names of its own."""
    record = SiteRecord(site)

    def find(kind: type[Found]) -> list[Found]:
        found = record.find(kind, limit=_AT_MOST, body=body, date=date)
        return sorted(found, key=lambda each: each.document not in documents)

    items = merge_items(find(RecordedItem))
    by_number: dict[str, list[MeetingItem]] = {}
    for item in items:
        by_number.setdefault(plain_words(item.number), []).append(item)
    other_votes: list[CompiledVote] = []
    other_speakers: list[PublicSpeaker] = []
    votes = site.votes(limit=VOTES_AT_MOST, body=body, date=date)
    for vote in votes:
        named = None if "item" in vote.doubtful else _named(by_number, vote.item, vote.item_title)
        (named.votes if named else other_votes).append(vote)
    speakers = _once(
        find(PublicSpeaker),
        lambda each: (plain_words(each.printed_name), each.side, each.item, each.item_title),
    )
    for speaker in speakers:
        named = _named(by_number, speaker.item, speaker.item_title)
        (named.speakers if named else other_speakers).append(speaker)
    named_rows = site.rows(
        """SELECT entities.type, entities.text, entities.value, count(*), min(entities.page),
                  entities.page_id
           FROM entities JOIN pages ON pages.id = entities.page_id
           WHERE pages.meeting = ? AND pages.date = ?
           AND entities.type IN ('money', 'ordinance', 'resolution')
           GROUP BY entities.type, coalesce(entities.value, entities.text)
           ORDER BY min(entities.page), entities.start LIMIT ?""",
        *(body, date, _ENTITIES_AT_MOST),
    )
    named_things = [
        NamedThing(kind, document_text(text), value, times, page, page_id, document_text(text))
        for kind, text, value, times, page, page_id in named_rows
    ]
    return MeetingRecord(
        items=items,
        votes=other_votes,
        speakers=other_speakers,
        vote_count=len(votes),
        attendance=_once(
            find(RecordedPresence),
            lambda each: each.person or plain_words(each.printed_name),
        ),
        interests=_once(
            find(DeclaredInterest),
            lambda each: (each.person or each.printed_name, each.kind, each.concerning),
        ),
        matters=decided_matters(_once(find(MatterStep), lambda each: (each.matter, each.action))),
        amounts=[each for each in named_things if each.kind == "money"],
        laws=[each for each in named_things if each.kind != "money"],
    )


def votes_of_documents(site: SiteDatabase, names: Iterable[str]) -> MeetingRecord:
    """Return the votes of documents of which no body is known, and nothing else."""
    votes = [vote for name in names for vote in site.votes(document=name, limit=VOTES_AT_MOST)]
    return MeetingRecord((), votes[:VOTES_AT_MOST], (), len(votes), (), (), (), (), ())


def merge_items(found: Iterable[RecordedItem]) -> list[MeetingItem]:
    """Return each item once, in the order in which the first document lists them.

    Items are the same if their titles are, or if they have the same number and similar titles and
    are of different documents.
    """
    merged: list[MeetingItem] = []
    by_title: dict[tuple[str, str], MeetingItem] = {}
    by_number: dict[str, list[MeetingItem]] = {}
    for each in found:
        number, title = plain_words(each.item), plain_words(each.item_title)
        known = by_title.get((number, title))
        if known is None and number:
            known = next(
                (
                    item
                    for item in by_number.get(number, ())
                    if all(source.document != each.document for source in item.sources)
                    and token_set_ratio(plain_words(item.title), title) >= ALIKE
                ),
                None,
            )
        if known is None:
            known = MeetingItem(each.item, each.item_title, [])
            merged.append(known)
            by_number.setdefault(number, []).append(known)
        known.sources.append(each)
        by_title.setdefault((number, title), known)
    return merged


def _named(
    by_number: dict[str, list[MeetingItem]], number: str | None, title: str | None
) -> MeetingItem | None:
    """Return the item that something belongs to; of several with the number, that of the title."""
    found = by_number.get(plain_words(number or ""), []) if number else []
    if len(found) > 1 and title:
        found = [each for each in found if plain_words(each.title) == plain_words(title)]
    return found[0] if len(found) == 1 else None


def plain_words(text: str) -> str:
    """Return the letters and digits of a text in lower case, with single spaces."""
    kept = "".join(each if each.isalnum() else " " for each in text.casefold())
    return " ".join(kept.split())


def _once(found: Iterable[Found], key_of: Callable[[Found], object]) -> list[Found]:
    """Return the first finding of each key."""
    first: dict[object, Found] = {}
    for each in found:
        first.setdefault(key_of(each), each)
    return list(first.values())


def decided_matters(found: Sequence[MatterStep]) -> list[MatterStep]:
    """Return what was done with each matter; that an agenda only names it is left out then."""
    decided = {each.matter for each in found if each.action != MENTIONED}
    return [each for each in found if each.action != MENTIONED or each.matter not in decided]
