"""Read what a site's documents record besides votes: items, attendance, speakers, people, matters.

Names are as printed.  A name that is known to be a person's comes with that person; what is not
certain is marked as such and counts for nobody.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TypeVar

from clerk.core.errors import NotFound
from clerk.core.language import Message
from clerk.core.public_text import document_text

from .queries import CompiledVote, MemberRecord, SiteDatabase, record_of

_MATTERS = """SELECT matters.*, (
                  SELECT count(DISTINCT coalesce(meeting, '') || ' ' || coalesce(date, ''))
                  FROM matter_appearances WHERE matter_appearances.matter = matters.matter
              ) AS meetings FROM matters"""


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """Something that was found in a document, and the words it was read from."""

    id: str
    document: str
    document_id: str
    meeting: str | None
    date: str | None
    page: int | None
    page_id: str | None
    quote: str | None


@dataclass(frozen=True, kw_only=True)
class RecordedItem(Recorded):
    """An item of an agenda."""

    item: str
    item_title: str


@dataclass(frozen=True, kw_only=True)
class RecordedPresence(Recorded):
    """Somebody the attendance names."""

    printed_name: str
    role: str | None
    is_member: bool
    status: str
    late: bool
    left_early: bool
    remote: bool
    person: str | None


@dataclass(frozen=True, kw_only=True)
class PublicSpeaker(Recorded):
    """Somebody from the public who spoke."""

    printed_name: str
    side: str | None
    item: str | None
    item_title: str | None


@dataclass(frozen=True, kw_only=True)
class DeclaredInterest(Recorded):
    """A member who stood aside or declared an interest."""

    printed_name: str
    kind: str
    concerning: str | None
    person: str | None


@dataclass(frozen=True, kw_only=True)
class MatterStep(Recorded):
    """What one meeting did with a matter."""

    matter: str
    kind: str
    matter_number: str | None
    matter_title: str | None
    action: str
    continued_to: str | None
    amounts: list[str]
    addresses: list[str]
    #: ``action``, if only votes whose result is not certain show it.
    doubtful: list[str]


@dataclass(frozen=True)
class MatterSummary:
    """A matter over all meetings."""

    matter: str
    kind: str
    matter_number: str | None
    matter_title: str | None
    state: str
    first_date: str | None
    last_date: str | None
    appearances: int
    #: A meeting whose agenda and minutes name it has two appearances and counts once.
    meetings: int


@dataclass(frozen=True)
class PersonSummary:
    """A member of a body, and how they voted under all spellings of their name."""

    person: str
    body: str
    name: str
    first_date: str | None
    last_date: str | None
    aye: int
    no: int
    abstain: int
    other: int

    @property
    def votes(self) -> int:
        """How many ballots are recorded."""
        return self.aye + self.no + self.abstain + self.other


@dataclass(frozen=True)
class AgreementWith:
    """How often two people voted aye or no on the same question, and how often alike."""

    person: str
    name: str
    votes: int
    alike: int


@dataclass(frozen=True)
class PersonRecord:
    """Everything that is counted of a person."""

    summary: PersonSummary
    spellings: list[str]
    #: First and last day of each term.
    terms: list[tuple[str, str]]
    #: Meetings by status; late, left_early and remote are among those present.
    attendance: Mapping[str, int]
    #: Aye or no against what was decided.
    dissents: int
    #: Aye or no on questions of which the result is certain.
    decided: int
    agreements: list[AgreementWith]


Found = TypeVar("Found", bound=Recorded)

_TABLES: Mapping[type[Recorded], str] = {
    RecordedItem: "agenda_items",
    RecordedPresence: "attendance",
    PublicSpeaker: "speakers",
    DeclaredInterest: "interests",
    MatterStep: "matter_appearances",
}
_FILTERS = {
    "body": "found.meeting = ?",
    "date": "found.date = ?",
    "year": "substr(found.date, 1, 4) = ?",
    "document": "found.document = ?",
    "matter": "found.matter = ?",
    "name": "found.printed_name = ?",
    "person": "(found.meeting, found.printed_name) IN (SELECT meeting, printed_name"
    " FROM person_names WHERE person = ?)",
}
#: Ballots of people with what was decided; ``certain`` if the result is.
_BALLOTS = """
    SELECT names.person, members.vote, members.ballot, votes.result,
           coalesce(votes.doubtful, '') NOT LIKE '%"result"%' AS certain
    FROM person_names AS names JOIN vote_members AS members ON members.member = names.printed_name
    JOIN votes ON votes.id = members.vote AND votes.meeting = names.meeting
              AND votes.repeats IS NULL
"""


class SiteRecord:
    """What the documents of a site record."""

    def __init__(self, site: SiteDatabase) -> None:
        self._site = site

    def find(
        self, kind: type[Found], *, limit: int = 500, offset: int = 0, **filters: str
    ) -> list[Found]:
        """Return findings of a kind, newest first and in the order of the text.

        Filters: body, date, year, document; for names also name and person.
        """
        given = {name: value for name, value in filters.items() if value}
        conditions = " AND ".join(_FILTERS[name] for name in given) or "true"
        person = ""
        if "person" in {each.name for each in fields(kind)}:
            person = """, (SELECT person FROM person_names AS names WHERE names.meeting =
                       found.meeting AND names.printed_name = found.printed_name) AS person"""
        rows = self._site.rows(
            f"""SELECT found.*, documents.id AS document_id{person} FROM {_TABLES[kind]} AS found
                JOIN documents ON documents.name = found.document WHERE {conditions}
                ORDER BY found.date DESC, found.document, found.start, found.id LIMIT ? OFFSET ?""",
            *(*given.values(), limit, offset),
        )
        return [record_of(kind, row) for row in rows]

    # ---------------------------------------------------------------------------- matters

    def matters(
        self, *, limit: int = 50, offset: int = 0, words: str = "", kind: str = "", state: str = ""
    ) -> list[MatterSummary]:
        """Return matters, those that were last on an agenda first."""
        conditions, values = _matter_filters(words, kind, state)
        rows = self._site.rows(
            f"""{_MATTERS} WHERE {conditions}
                ORDER BY last_date DESC, matter LIMIT ? OFFSET ?""",
            *(*values, limit, offset),
        )
        return [record_of(MatterSummary, row) for row in rows]

    def matters_of_year(self, year: str | None) -> list[MatterSummary]:
        """Return the matters that were last on an agenda in a year; None is not known."""
        rows = self._site.rows(
            f"""{_MATTERS} WHERE substr(last_date, 1, 4) IS ?
               ORDER BY last_date DESC, matter""",
            year,
        )
        return [record_of(MatterSummary, row) for row in rows]

    def count_matters(self, words: str = "", kind: str = "", state: str = "") -> int:
        """Return how many matters pass the filters."""
        conditions, values = _matter_filters(words, kind, state)
        [(number,)] = self._site.rows(f"SELECT count(*) FROM matters WHERE {conditions}", *values)
        return int(number)

    def matter_choices(self) -> dict[str, list[str]]:
        """Return the values that matters can be filtered by."""
        query = "SELECT DISTINCT {0} FROM matters ORDER BY 1"
        return {
            name: [value for (value,) in self._site.rows(query.format(name))]
            for name in ("kind", "state")
        }

    def matter(self, matter: str) -> MatterSummary:
        """Return one matter; raise NotFound if there is none of this name."""
        rows = self._site.rows(f"{_MATTERS} WHERE matter = ?", matter)
        if not rows:
            raise NotFound(
                Message(
                    "There is no matter %(name)s in %(place)s.",
                    name=repr(matter),
                    place=self._site.name,
                )
            )
        return record_of(MatterSummary, rows[0])

    def steps(self, matter: str) -> list[tuple[MatterStep, list[CompiledVote]]]:
        """Return the appearances of a matter in the order of their dates, with the votes on it."""
        steps = sorted(
            self.find(MatterStep, matter=matter, limit=1000),
            key=lambda each: (each.date is None, each.date, each.document),
        )
        votes: dict[str, list[CompiledVote]] = {}
        for vote in self._site.votes(matter=matter, limit=1000):
            votes.setdefault(vote.document, []).append(vote)
        return [(step, votes.get(step.document, [])) for step in steps]

    # ----------------------------------------------------------------------------- people

    def people(self, person: str = "") -> list[PersonSummary]:
        """Return the members of each body, or one of them."""
        of_one = "WHERE names.person = ?" if person else ""
        rows = self._site.rows(
            f"""SELECT people.person, people.meeting, printed_name, first_date, last_date,
                       coalesce(sum(ballot = 'aye'), 0), coalesce(sum(ballot = 'no'), 0),
                       coalesce(sum(ballot = 'abstain'), 0),
                       coalesce(sum(ballot NOT IN ('aye', 'no', 'abstain')), 0)
                FROM people
                LEFT JOIN ({_BALLOTS} {of_one}) AS given ON given.person = people.person
                {"WHERE people.person = ?" if person else ""}
                GROUP BY people.person ORDER BY people.meeting, printed_name""",
            *((person, person) if person else ()),
        )
        return [
            PersonSummary(document_text(row[0]), row[1], document_text(row[2]), *row[3:])
            for row in rows
        ]

    def unplaced(self) -> list[MemberRecord]:
        """Return the names in votes that may be those of several people, or of nobody known."""
        placed = {
            name for (name,) in self._site.rows("SELECT DISTINCT printed_name FROM person_names")
        }
        return [each for each in self._site.people() if each.member not in placed]

    def person_named(self, name: str) -> str | None:
        """Return the only person whose name is printed like this, if there is just one."""
        rows = self._site.rows(
            "SELECT DISTINCT person FROM person_names WHERE printed_name = ? LIMIT 2", name
        )
        return document_text(rows[0][0]) if len(rows) == 1 else None

    def person(self, person: str) -> PersonRecord:
        """Return what is counted of a person; raise NotFound for one who is not known."""
        summaries = self.people(person)
        if not summaries:
            raise NotFound(
                Message(
                    "Nobody is known as %(name)s in %(place)s.",
                    name=repr(person),
                    place=self._site.name,
                )
            )
        rows = self._site.rows
        spellings = rows(
            "SELECT printed_name FROM person_names WHERE person = ? ORDER BY times DESC, 1", person
        )
        terms = rows(
            "SELECT first_date, last_date FROM person_terms WHERE person = ? ORDER BY 1", person
        )
        [(dissents, decided)] = rows(
            f"""SELECT sum(result = CASE ballot WHEN 'no' THEN 'passed' ELSE 'failed' END),
                       count(*)
                FROM ({_BALLOTS} WHERE names.person = ?) WHERE ballot IN ('aye', 'no')
                AND result IN ('passed', 'failed') AND certain""",
            person,
        )
        agreements = rows(
            f"""SELECT other.person, people.printed_name, count(*), sum(own.ballot = other.ballot)
                FROM ({_BALLOTS} WHERE names.person = ?) AS own
                JOIN ({_BALLOTS}) AS other ON other.vote = own.vote AND other.person <> own.person
                JOIN people ON people.person = other.person
                WHERE own.ballot IN ('aye', 'no') AND other.ballot IN ('aye', 'no')
                GROUP BY other.person ORDER BY 3 DESC, 1""",
            person,
        )
        return PersonRecord(
            summaries[0],
            [document_text(name) for (name,) in spellings],
            [(first, last) for first, last in terms],
            self._attendance(person),
            dissents or 0,
            decided,
            [
                AgreementWith(document_text(row[0]), document_text(row[1]), *row[2:])
                for row in agreements
            ],
        )

    def _attendance(self, person: str) -> Mapping[str, int]:
        """Return meetings by status; of two entries about one meeting, presence counts."""
        by_meeting: dict[str, list[RecordedPresence]] = {}
        for each in self.find(RecordedPresence, person=person, limit=1_000_000):
            if each.is_member:
                by_meeting.setdefault(each.date or each.document, []).append(each)
        counts = dict.fromkeys(("present", "absent", "excused", "late", "left_early", "remote"), 0)
        for entries in by_meeting.values():
            statuses = {each.status for each in entries}
            counts["present" if "present" in statuses else entries[0].status] += 1
            for said in ("late", "left_early", "remote"):
                counts[said] += any(getattr(each, said) for each in entries)
        return counts


def _matter_filters(words: str, kind: str, state: str) -> tuple[str, Sequence[str]]:
    like = "%" + words.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
    asked = {
        "(matter LIKE ? ESCAPE '\\' OR matter_title LIKE ? ESCAPE '\\')": [like, like]
        * bool(words),
        "kind = ?": [kind] * bool(kind),
        "state = ?": [state] * bool(state),
    }
    given = {condition: values for condition, values in asked.items() if values}
    conditions = " AND ".join(given) or "true"
    return conditions, [value for values in given.values() for value in values]
