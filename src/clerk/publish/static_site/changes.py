"""Which pages of a static site differ between two compiled databases of it.

A document that differs takes along its meeting, body and years, the people and matters it names,
and whatever shows or links to one of them.  Too many pages are harmless, one too few is not: a test
compares every page with that of a full build.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from clerk.site_db.queries import SiteDatabase

from .held import HeldMeetings
from .pages import ALWAYS, PERSON_YEARS, Key

#: Where a document prints names: votes, attendance, interests, and any other place.
_PEOPLE_OF_DOCUMENT = """
    SELECT person FROM person_names JOIN (
        SELECT meeting, printed_name FROM document_names WHERE document = ?1
        UNION SELECT meeting, printed_name FROM attendance WHERE document = ?1
        UNION SELECT meeting, printed_name FROM interests WHERE document = ?1
        UNION SELECT votes.meeting, member FROM votes JOIN vote_members ON vote = votes.id
              WHERE document = ?1
    ) USING (meeting, printed_name)
"""


_VOTES = "SELECT * FROM votes WHERE document = ? ORDER BY id"
_BALLOTS = """
    SELECT id, meeting, date, result, doubtful, repeats, member, ballot FROM votes
    LEFT JOIN vote_members ON vote = votes.id WHERE document = ? ORDER BY id, ballot, member
"""
#: What some kinds of pages show of a document: with the same rows they are the same.
_SHOWN_OF_DOCUMENT = {
    "votes_of_year": (_VOTES,),
    "votes_of_person": (_VOTES, _BALLOTS),
    "person": (
        _BALLOTS,
        *(
            f"SELECT * FROM {table} WHERE document = ? ORDER BY 1, 2, 3, 4"
            for table in ("attendance", "interests", "document_names")
        ),
    ),
}


@dataclass(frozen=True)
class Side:
    """One of the two databases, with its meetings."""

    db: SiteDatabase
    held: HeldMeetings


def changed_pages(old: Side, new: Side) -> set[Key] | None:
    """Return the pages that may differ; None if all of them may."""
    if old.db.about != new.db.about:
        return None
    digests = "SELECT name, digest FROM documents"
    before, after = dict(old.db.rows(digests)), dict(new.db.rows(digests))
    documents = {
        name for name in before.keys() | after.keys() if before.get(name) != after.get(name)
    }
    # What a document repeats, or no longer does, depends on others.
    repeated = "SELECT document, id, repeats FROM votes WHERE repeats IS NOT NULL"
    documents.update(document for document, *_ in _different_rows(old, new, repeated))
    if 2 * len(documents) > len(after):
        return None
    keys: set[Key] = {*ALWAYS, ("atom_of_all",), ("ics_of_all",)}
    for name in documents:
        skipped = {
            kind
            for kind, queries in _SHOWN_OF_DOCUMENT.items()
            if all(old.db.rows(query, name) == new.db.rows(query, name) for query in queries)
        }
        for side in (old, new):
            keys.update(key for key in _pages_of_document(side.db, name) if key[0] not in skipped)
    keys.update(_pages_of_people(old, new))
    for matter, *_, last_date, _ in _different_rows(old, new, "SELECT * FROM matters"):
        keys |= {("matter", matter), ("matters_of_year", last_date and last_date[:4])}
    # And the meetings that name a matter that is another than before.
    moved = _different_rows(old, new, "SELECT meeting, date, id, matter FROM matter_appearances")
    keys.update(("meeting", body, date) for body, date, *_ in moved if date)
    for meeting in old.held.meetings ^ new.held.meetings:
        # What was done with a matter links to the meeting if that has a page.
        named = "SELECT DISTINCT matter FROM matter_appearances WHERE meeting IS ? AND date = ?"
        keys.update(("matter", matter) for (matter,) in new.db.rows(named, *meeting))
    # Whatever lists the meetings or years next to its own.
    bodies = {key[1] for key in keys if key[0] == "body"}
    keys.update(("meeting", *meeting) for meeting in new.held.moved(old.held, bodies))
    for body in bodies:
        if old.held.years(body) != new.held.years(body):
            keys.update(("year", body, year) for year in new.held.years(body))
    if old.held.all_years() != new.held.all_years():
        keys.update(("calendar_year", year) for year in new.held.all_years())
    return keys


def _pages_of_document(db: SiteDatabase, name: str) -> Iterator[Key]:
    """Yield the pages that show something of a document."""
    rows = db.rows("SELECT id, meeting, date FROM documents WHERE name = ?", name)
    for document_id, body, date in rows:
        yield "document", name, document_id
        yield from _pages_of_meeting(body, date)
    for body, date in db.rows("SELECT meeting, date FROM parts WHERE document = ?", name):
        yield from _pages_of_meeting(body, date)
    years: set[str | None] = set()
    for body, date in db.rows("SELECT DISTINCT meeting, date FROM votes WHERE document = ?", name):
        years.add(date and date[:4])
        yield "votes_of_year", body, date and date[:4]
        yield from _pages_of_meeting(body, date)
    for (person,) in set(db.rows(_PEOPLE_OF_DOCUMENT, name)):
        yield "person", person
        yield from (("votes_of_person", person, year) for year in years)
    for (matter,) in db.rows(
        "SELECT DISTINCT matter FROM matter_appearances WHERE document = ?", name
    ):
        yield "matter", matter


def _pages_of_meeting(body: str | None, date: str | None) -> Iterator[Key]:
    """Yield the pages that list a meeting; without a date, the body's."""
    yield from (("body", body), ("atom", body), ("ics", body))
    if date:
        yield "meeting", body, date
        yield "year", body, date[:4]
        yield "calendar_year", date[:4]


def _different_rows(old: Side, new: Side, query: str) -> set[tuple[str, ...]]:
    """Return the rows that only one of the sides has."""
    return set(map(tuple, old.db.rows(query))) ^ set(map(tuple, new.db.rows(query)))


def _pages_of_people(old: Side, new: Side) -> Iterator[Key]:
    """Yield the pages of people who are others than before, and those that name them."""
    for person, body, *_ in _different_rows(old, new, "SELECT * FROM people"):
        yield from (("person", person), ("body", body))
    for person, *_ in _different_rows(old, new, "SELECT * FROM person_terms"):
        yield "person", person
    for body, *_ in _different_rows(old, new, "SELECT meeting, person, printed_name FROM people"):
        # Somebody came, left or is called otherwise: all of the body may show it.
        for side in (old, new):
            of_body = "SELECT person FROM people WHERE meeting = ?"
            for (person,) in side.db.rows(of_body, body):
                yield "person", person
            query = f"SELECT * FROM ({PERSON_YEARS}) WHERE person IN ({of_body})"
            for person, year in side.db.rows(query, body):
                yield "votes_of_person", person, year
    names = _different_rows(
        old, new, "SELECT person, meeting, printed_name, times FROM person_names"
    )
    for person, *_ in names:
        yield "person", person
    linked = _different_rows(old, new, "SELECT meeting, printed_name, person FROM person_names")
    for body, name, _ in linked:
        for side in (old, new):
            yield from _pages_naming(side.db, body, name)


def _pages_naming(db: SiteDatabase, body: str, name: str) -> Iterator[Key]:
    """Yield the pages on which a name links to a person."""
    for table in ("attendance", "interests"):
        query = f"SELECT DISTINCT date FROM {table} WHERE meeting = ? AND printed_name = ?"
        for (date,) in db.rows(query, body, name):
            if date:
                yield "meeting", body, date
    votes = db.rows(
        """SELECT id, date FROM vote_members JOIN votes ON votes.id = vote
           WHERE member = ? AND meeting = ?""",
        *(name, body),
    )
    for vote, date in votes:
        year = date and date[:4]
        yield "votes_of_year", body, year
        if date:
            yield "meeting", body, date
        others = """SELECT person FROM vote_members JOIN person_names ON printed_name = member
                    WHERE vote = ? AND meeting = ?"""
        for (person,) in db.rows(others, vote, body):
            yield "votes_of_person", person, year
        matters = """SELECT matter FROM matter_votes JOIN matter_appearances
                     ON matter_appearances.id = appearance WHERE vote = ?"""
        for (matter,) in db.rows(matters, vote):
            yield "matter", matter
