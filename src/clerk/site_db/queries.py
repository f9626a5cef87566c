"""Read a site's ``meetings.db``: bodies, meetings, documents, pages, votes.

Nothing here writes.  The words of documents are marked as :func:`document_text`; everything else
passes the gate when it is shown.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

from clerk.core.errors import NotFound, SiteOutdated
from clerk.core.language import Message, tag_of
from clerk.core.public_text import Gate, document_text
from clerk.core.storage import KINDS, Document, check_subdomain, compiled_database

from .schema import AS_READ, PAGE_TABLES, is_current, open_readonly, table_of_document

#: Knows no installation: the page that shows a source does.
_gate = Gate()
MINUTES = "minutes"
#: What stands for an agenda.
AGENDA_KINDS = ("agenda", "packet")

#: What is held of meetings: documents, and minutes that are in the packet of a later one.  Those of
#: another body add their pages to it: they are not among the pages of its documents.
_HELD = """
    SELECT meeting, date, 1 AS documents, pages FROM documents
    UNION ALL
    SELECT parts.meeting, parts.date, 0,
           iif(parts.meeting IS documents.meeting, 0, last_page - first_page + 1)
    FROM parts JOIN documents ON documents.name = parts.document
    WHERE parts.kind = 'minutes' AND NOT of_other_place
"""

#: Columns that hold JSON, and what stands there for NULL.
_JSON = {
    **dict.fromkeys(("flags", "consent_items", "consent_exceptions", "doubtful", "doubts"), "[]"),
    **dict.fromkeys(("corrected_fields", "amounts", "addresses"), "[]"),
    **dict.fromkeys(("field_confidence", "failed_pages", "evidence"), "{}"),
    "tally": "null",
}
_TRUTH = ("of_other_place", "is_member", "late", "left_early", "remote")

_Record = TypeVar("_Record")


def record_of(kind: type[_Record], row: sqlite3.Row, **more: Any) -> _Record:
    """Make a record of a row: JSON is parsed, and the words of documents are marked as such.

    ``more`` has the fields that are not columns of the row, or not as they are.
    """
    values = dict(more)
    for name in (each.name for each in fields(kind) if each.name not in more):  # type: ignore[arg-type]
        value = row[name]
        if name in _JSON:
            value = json.loads(value or _JSON[name])
            if name in AS_READ and isinstance(value, list):
                value = [document_text(each) for each in value]
        elif value is not None and name in _TRUTH:
            value = bool(value)
        elif value is not None and name in AS_READ:
            value = document_text(str(value))
        values[name] = value
    return kind(**values)


@dataclass(frozen=True)
class BodySummary:
    """A body (council, board, committee) and how much is held of it; None is not known."""

    body: str | None
    documents: int
    pages: int
    meetings: int
    first: str | None
    last: str | None


@dataclass(frozen=True)
class YearCoverage:
    """How many minutes, agendas and others of a body are held of one year; None is not known."""

    body: str | None
    year: str | None
    minutes: int
    agendas: int
    others: int


@dataclass(frozen=True)
class DatedMeeting:
    """A meeting in a calendar, and what is held of it."""

    date: str
    body: str | None
    has_agenda: bool
    has_minutes: bool
    has_votes: bool


@dataclass(frozen=True)
class LoneAgenda:
    """A meeting of which an agenda is held and no minutes."""

    body: str
    date: str
    id: str


@dataclass(frozen=True)
class SourceLink:
    """Where a document came from, as anybody may see it: a link, or the name of a file."""

    url: str | None
    label: str


class _Labelled:
    """A document, or a part of one, that may be called by its kind or its own name."""

    kind: str | None
    meeting: str | None
    title: str | None

    @property
    def own_name(self) -> str | None:
        """What it calls itself."""
        return self.title

    @property
    def label(self) -> str:
        """The body and the kind; what it calls itself if the kind says nothing."""
        if self.kind in (None, "other") and self.own_name:
            return self.own_name
        return f"{self.meeting or ''} {self.kind or 'document'}".strip()


@dataclass(frozen=True)
class CompiledDocument(_Labelled):
    """A document as it was compiled; its kind, body (``meeting``), date or title may be unknown.

    ``evidence`` says of each where it comes from.
    """

    name: str
    id: str
    kind: str | None
    meeting: str | None
    date: str | None
    title: str | None
    file_name: str | None
    sequence: int
    evidence: Mapping[str, object]
    pages: int
    method: str | None
    confidence: float | None
    #: Page number -> why it could not be read.
    failed_pages: Mapping[str, str]
    sha256: str | None
    bytes: int | None
    fetched_at: str | None
    gone_at: str | None
    text_sha256: str
    first_seen_at: str | None
    source: SourceLink

    @property
    def own_name(self) -> str | None:
        """What the document calls itself, or its file."""
        return self.title or self.file_name

    @property
    def is_pdf(self) -> bool:
        """Whether its pages can be shown as images."""
        return Document.from_name(self.name).is_pdf

    @classmethod
    def of(cls, row: sqlite3.Row) -> CompiledDocument:
        """Make one of a row of ``documents``."""
        return record_of(cls, row, source=public_source(row["source_url"]))


@dataclass(frozen=True)
class CompiledPart(_Labelled):
    """Some pages of a packet, and what they are."""

    first_page: int
    first_character: int
    last_page: int
    kind: str | None
    meeting: str | None
    date: str | None
    title: str | None
    of_other_place: bool | None


@dataclass(frozen=True)
class CompiledPage:
    """A page of a document with its text and how it was read.

    ``kind``, ``meeting`` and ``date`` are those of its part; ``part`` is the part's first page.
    """

    id: str
    page: int
    text: str
    method: str | None
    confidence: float | None
    kind: str | None
    meeting: str | None
    date: str | None
    part: int | None


@dataclass(frozen=True)
class PartOfPacket:
    """A part that is about another meeting than the packet it is in."""

    document: CompiledDocument
    part: CompiledPart


@dataclass
class HeldMeeting:
    """What is held of one meeting; without a date, all of the body that has none."""

    body: str | None
    date: str | None
    documents: list[CompiledDocument] = field(default_factory=list)
    parts: list[PartOfPacket] = field(default_factory=list)
    votes: int = 0

    def of_kinds(self, *kinds: str) -> list[CompiledDocument]:
        """Return its documents of some kinds."""
        return [each for each in self.documents if each.kind in kinds]

    @property
    def others(self) -> list[CompiledDocument]:
        """Its documents that are neither minutes nor agendas, or not known."""
        return [each for each in self.documents if each.kind not in (MINUTES, *AGENDA_KINDS)]


@dataclass(frozen=True)
class CompiledVote:
    """A vote with its evidence, and who voted how if the minutes say so."""

    id: str
    document: str
    meeting: str | None
    date: str | None
    page: int | None
    page_id: str | None
    start: int | None
    end: int | None
    item: str | None
    motion: str | None
    mover: str | None
    seconder: str | None
    result: str | None
    result_text: str | None
    vote_type: str | None
    tally: Mapping[str, int] | None
    unanimous: bool
    flags: list[str]
    quote: str | None
    confidence: float | None
    item_title: str | None
    consent_items: list[str]
    consent_exceptions: list[str]
    field_confidence: Mapping[str, float]
    #: The fields that are not certain: the quote is shown instead.
    doubtful: list[str]
    doubts: list[str]
    document_id: str
    #: What people corrected: the fields, who and when.
    corrected_fields: list[str]
    corrected_by: str | None
    corrected_at: str | None
    #: The vote that this one repeats, if another document prints it again.
    repeats: str | None
    #: Ballot, as in aye -> names.
    ballots: Mapping[str, list[str]]
    #: Name as printed -> the person it is known to be.
    people: Mapping[str, str]


@dataclass(frozen=True)
class MemberRecord:
    """How a person voted in all."""

    member: str
    votes: int
    aye: int
    no: int
    abstain: int
    other: int
    first: str | None
    last: str | None
    bodies: list[str]


@contextlib.contextmanager
def open_site(storage_dir: Path, subdomain: str) -> Iterator[SiteDatabase]:
    """Give the database of a site; raise NotFound if none has been compiled.

    Raise SiteOutdated if another version of clerk has compiled it.
    """
    path = compiled_database(storage_dir / check_subdomain(subdomain))
    if not path.exists():
        raise NotFound(Message("There is no site %(name)s with documents.", name=repr(subdomain)))
    with contextlib.closing(open_readonly(path)) as connection:
        if not is_current(connection):
            raise SiteOutdated(
                Message(
                    "The pages of %(name)s are not available until its next run: another version"
                    " of clerk made its database.",
                    name=subdomain,
                ),
                hint=f"Run: clerk run {subdomain}",
            )
        connection.row_factory = sqlite3.Row
        yield SiteDatabase(connection, subdomain)


class SiteDatabase:
    """One site's ``meetings.db``."""

    def __init__(self, connection: sqlite3.Connection, subdomain: str) -> None:
        self._db = connection
        self.subdomain = subdomain
        self.about: dict[str, str] = dict(self.rows("SELECT key, value FROM about"))

    @property
    def name(self) -> str:
        """The name of the place."""
        return str(self.about.get("name") or self.subdomain)

    @property
    def language(self) -> str:
        """The language of its documents, as in en; empty if it is not known."""
        return tag_of(self.about.get("language", ""))

    def rows(self, query: str, *values: Any) -> list[Any]:
        """Return the rows that a query finds."""
        return self._db.execute(query, values).fetchall()

    def _number(self, query: str, *values: Any) -> int:
        return int(self._db.execute(query, values).fetchone()[0])

    # ------------------------------------------------------------------ bodies and meetings

    def bodies(self) -> list[BodySummary]:
        """Return each body with its years and counts."""
        rows = self.rows(
            f"""SELECT meeting, sum(documents), sum(pages), count(DISTINCT date), min(date),
                       max(date)
                FROM ({_HELD}) GROUP BY meeting ORDER BY meeting IS NULL, meeting"""
        )
        return [BodySummary(*row) for row in rows]

    def coverage(self) -> list[YearCoverage]:
        """Return for each body and year how many minutes, agendas and others are held."""
        rows = self.rows(
            """SELECT meeting, substr(date, 1, 4), count(*) FILTER (WHERE kind = 'minutes'),
                      count(*) FILTER (WHERE kind IN ('agenda', 'packet')),
                      count(*) FILTER (WHERE kind IS NULL
                                       OR kind NOT IN ('minutes', 'agenda', 'packet'))
               FROM documents GROUP BY 1, 2 ORDER BY meeting IS NULL, 1, 2"""
        )
        return [YearCoverage(*row) for row in rows]

    def without_minutes(self, before: str) -> list[LoneAgenda]:
        """Return the meetings before a day of which an agenda is held and no minutes."""
        rows = self.rows(
            """SELECT DISTINCT meeting, date, id FROM documents AS agenda
               WHERE kind IN ('agenda', 'packet') AND meeting IS NOT NULL AND date < ?
               AND NOT EXISTS (SELECT 1 FROM pages WHERE pages.kind = 'minutes'
                               AND pages.meeting = agenda.meeting AND pages.date = agenda.date)
               ORDER BY date DESC, meeting""",
            before,
        )
        return [LoneAgenda(*row) for row in rows]

    def with_unread_pages(self) -> list[CompiledDocument]:
        """Return the documents of which some pages could not be read."""
        rows = self.rows(
            """SELECT * FROM documents WHERE failed_pages IS NOT NULL AND failed_pages <> '{}'
               ORDER BY name"""
        )
        return [CompiledDocument.of(row) for row in rows]

    def meetings(self, body: str | None, year: str = "") -> list[HeldMeeting]:
        """Return the meetings of a body with their documents, newest first, undated ones last.

        A meeting is held, too, if its minutes are in the packet of a later one.
        """
        of_year = "meeting IS ? AND coalesce(substr(date, 1, ?), '') = ?"
        given = (body, len(year), year)
        found: dict[str | None, HeldMeeting] = {}
        for row in self.rows(
            f"SELECT * FROM documents WHERE {of_year} ORDER BY date DESC NULLS LAST, kind, name",
            *given,
        ):
            document = CompiledDocument.of(row)
            meeting = found.setdefault(document.date, HeldMeeting(body, document.date))
            meeting.documents.append(document)
        for row in self.rows(
            f"""SELECT * FROM parts WHERE {of_year} AND date IS NOT NULL AND kind = 'minutes'
                AND NOT of_other_place ORDER BY date DESC, document, first_page, first_character""",
            *given,
        ):
            document = self._document(row["document"])
            if (document.meeting, document.date) != (body, row["date"]):
                meeting = found.setdefault(row["date"], HeldMeeting(body, row["date"]))
                meeting.parts.append(PartOfPacket(document, record_of(CompiledPart, row)))
        votes = self.rows(
            f"""SELECT date, count(*) FROM votes WHERE {of_year} AND repeats IS NULL
                GROUP BY date""",
            *given,
        )
        for date, number in votes:
            if date in found:
                found[date].votes = number
        undated = found.pop(None, None)
        dated = sorted(found.values(), key=lambda each: each.date or "", reverse=True)
        return [*dated, *([undated] if undated else [])]

    def month(self, month: str) -> list[DatedMeeting]:
        """Return the meetings of a month, as in 2024-05, by day and body."""
        rows = self.rows(
            """SELECT held.date, held.meeting, max(held.kind IN ('agenda', 'packet')),
                      max(held.kind = 'minutes'),
                      EXISTS (SELECT 1 FROM votes WHERE votes.date = held.date
                              AND votes.meeting IS held.meeting)
               FROM (SELECT date, meeting, kind FROM documents
                     UNION ALL SELECT date, meeting, kind FROM parts
                     WHERE kind = 'minutes' AND NOT of_other_place) AS held
               WHERE held.date >= ? AND held.date < ? GROUP BY 1, 2 ORDER BY 1, 2 IS NULL, 2""",
            *(f"{month}-01", f"{month}-99"),
        )
        return [
            DatedMeeting(date, body, bool(agenda), bool(minutes), bool(votes))
            for date, body, agenda, minutes, votes in rows
        ]

    def months_around(self, month: str) -> tuple[str | None, str | None]:
        """Return the months with meetings before and after a month."""
        query = f"""SELECT max(date) FILTER (WHERE date < :month || '-00'),
                           min(date) FILTER (WHERE date > :month || '-99') FROM ({_HELD})"""
        before, after = self._db.execute(query, {"month": month}).fetchone()
        return before and before[:7], after and after[:7]

    def years(self, body: str | None) -> list[str]:
        """Return the years of which something of a body is held, the latest first."""
        query = f"""SELECT DISTINCT substr(date, 1, 4) FROM ({_HELD})
                    WHERE meeting IS ? AND date IS NOT NULL ORDER BY 1 DESC"""
        return [str(year) for (year,) in self.rows(query, body)]

    def neighbours(self, body: str | None, date: str) -> tuple[str | None, str | None]:
        """Return the dates of the meetings before and after."""
        query = f"""SELECT max(date) FILTER (WHERE date < :date),
                           min(date) FILTER (WHERE date > :date)
                    FROM ({_HELD}) WHERE meeting IS :body"""
        before, after = self._db.execute(query, {"date": date, "body": body}).fetchone()
        return before, after

    # ------------------------------------------------------------------ documents and pages

    def document(self, document: Document) -> CompiledDocument:
        """Return one document; raise NotFound if there is none of this name."""
        return self._document(document.name)

    def _document(self, name: str) -> CompiledDocument:
        rows = self.rows("SELECT * FROM documents WHERE name = ?", name)
        if not rows:
            raise NotFound(
                Message(
                    "There is no document %(name)s in %(place)s.",
                    name=repr(name),
                    place=self.subdomain,
                )
            )
        return CompiledDocument.of(rows[0])

    def parts(self, document: Document) -> list[CompiledPart]:
        """Return the parts of a packet, in order; none of a document that is one thing."""
        query = "SELECT * FROM parts WHERE document = ? ORDER BY first_page, first_character"
        return [record_of(CompiledPart, row) for row in self.rows(query, document.name)]

    def documents(
        self, *, limit: int = 50, offset: int = 0, body: str = "", kind: str = "", year: str = ""
    ) -> list[CompiledDocument]:
        """Return documents, newest first, undated ones last; the kind may be ``unknown``."""
        rows = self.rows(
            """SELECT * FROM documents WHERE (? = '' OR meeting = ?)
               AND (? = '' OR coalesce(kind, 'unknown') = ?)
               AND coalesce(substr(date, 1, ?), '') = ?
               ORDER BY date DESC NULLS LAST, name LIMIT ? OFFSET ?""",
            *(body, body, kind, kind, len(year), year, limit, offset),
        )
        return [CompiledDocument.of(row) for row in rows]

    def newest(self, *, limit: int = 50, body: str | None = None) -> list[CompiledDocument]:
        """Return the documents that were first seen last, of all bodies or of one."""
        rows = self.rows(
            """SELECT * FROM documents WHERE ? IS NULL OR meeting = ?
               ORDER BY first_seen_at DESC, name LIMIT ?""",
            *(body, body, limit),
        )
        return [CompiledDocument.of(row) for row in rows]

    def first_seen(self) -> dict[str, str]:
        """Return when each document was first seen, by name."""
        rows = self.rows("SELECT name, first_seen_at FROM documents WHERE first_seen_at > ''")
        return dict(map(tuple, rows))

    def documents_filed_under(self, meeting: str, date: str) -> list[CompiledDocument]:
        """Return the documents whose files lie in a meeting's folder under a date or title."""
        names = [Document(kind, meeting, date).name for kind in KINDS]
        rows = self.rows("SELECT * FROM documents WHERE name IN (?, ?) ORDER BY name DESC", *names)
        return [CompiledDocument.of(row) for row in rows]

    def pages(self, document: Document, first: int = 1, limit: int = 50) -> list[CompiledPage]:
        """Return pages of a document with their text, from a page on."""
        query = f"""SELECT id, page, text, method, confidence, kind, meeting, date, part
                    FROM {table_of_document(self._db, document.name)}
                    WHERE document = ? AND page >= ? ORDER BY page LIMIT ?"""
        return [
            CompiledPage(row["id"], row["page"], document_text(row["text"]), *row[3:])
            for row in self.rows(query, document.name, first, limit)
        ]

    def page_ids(self, document: Document) -> dict[int, str]:
        """Return the id of each page that could be read, by its number."""
        table = table_of_document(self._db, document.name)
        query = f"SELECT page, id FROM {table} WHERE document = ? ORDER BY page"
        return dict(self.rows(query, document.name))

    def page(self, document: Document, number: int) -> CompiledPage:
        """Return one page; raise NotFound if it could not be read."""
        found = self.pages(document, number, 1)
        if not found or found[0].page != number:
            raise NotFound(
                Message(
                    "%(document)s has no page %(number)s that could be read.",
                    document=document.name,
                    number=number,
                )
            )
        return found[0]

    def totals(self) -> dict[str, int]:
        """Return how much the site holds."""
        tables = (*PAGE_TABLES, "pages", "documents")
        found = {table: self._number(f"SELECT count(*) FROM {table}") for table in tables}
        return found | {"votes": self.count_votes()}

    # --------------------------------------------------------------------- votes and people

    def votes(self, *, limit: int = 50, offset: int = 0, **filters: str) -> list[CompiledVote]:
        """Return votes, newest first; filters: see `_vote_filters`.

        Votes that another document repeats are left out, unless one document or vote is asked for.
        """
        conditions, values = _vote_filters(filters)
        rows = self.rows(
            f"""SELECT votes.*, documents.id AS document_id FROM votes
                JOIN documents ON documents.name = votes.document WHERE {conditions}
                ORDER BY votes.date DESC NULLS LAST, votes.document, votes.start
                LIMIT ? OFFSET ?""",
            *(*values, limit, offset),
        )
        return [self._vote(row) for row in rows]

    def _vote(self, row: sqlite3.Row) -> CompiledVote:
        """Return a vote with who voted how."""
        ballots: dict[str, list[str]] = {}
        people: dict[str, str] = {}
        query = """SELECT ballot, member, person FROM vote_members
                   LEFT JOIN person_names ON meeting = ? AND printed_name = member
                   WHERE vote = ?
                   ORDER BY instr('aye no abstain recused absent', ballot), ballot, member"""
        for ballot, member, person in self.rows(query, row["meeting"], row["id"]):
            ballots.setdefault(ballot, []).append(document_text(member))
            if person:
                people[document_text(member)] = document_text(person)
        unanimous = bool(row["unanimous"])
        return record_of(CompiledVote, row, unanimous=unanimous, ballots=ballots, people=people)

    def count_votes(self, **filters: str) -> int:
        """Return how many votes `votes` has."""
        conditions, values = _vote_filters(filters)
        return self._number(f"SELECT count(*) FROM votes WHERE {conditions}", *values)

    def vote_choices(self) -> dict[str, list[str]]:
        """Return the values that votes can be filtered by."""
        columns = {"body": "meeting", "year": "substr(date, 1, 4)", "result": "result"}
        query = "SELECT DISTINCT {0} FROM votes WHERE {0} IS NOT NULL ORDER BY 1"
        return {
            name: [str(value) for (value,) in self.rows(query.format(column))]
            for name, column in columns.items()
        }

    def people(self) -> list[MemberRecord]:
        """Return who voted, how often and in which bodies."""
        rows = self.rows(
            """SELECT member, count(*), sum(ballot = 'aye'), sum(ballot = 'no'),
                      sum(ballot = 'abstain'), sum(ballot NOT IN ('aye', 'no', 'abstain')),
                      min(votes.date), max(votes.date), json_group_array(DISTINCT votes.meeting)
               FROM vote_members JOIN votes ON votes.id = vote_members.vote
               WHERE repeats IS NULL GROUP BY member ORDER BY member"""
        )
        return [
            MemberRecord(
                *(document_text(row[0]), *row[1:8], sorted(filter(None, json.loads(row[8]))))
            )
            for row in rows
        ]

    def person(self, member: str) -> MemberRecord:
        """Return how a person voted in all; raise NotFound for a name without votes."""
        found = [each for each in self.people() if each.member == member]
        if not found:
            raise NotFound(
                Message(
                    "Nobody named %(name)s is known to have voted in %(place)s.",
                    name=repr(member),
                    place=self.name,
                )
            )
        return found[0]


def _vote_filters(filters: Mapping[str, str]) -> tuple[str, list[str]]:
    known = {
        "body": "votes.meeting = ?",
        "date": "votes.date = ?",
        "document": "votes.document = ?",
        "result": "votes.result = ?",
        "year": "substr(votes.date, 1, 4) = ?",
        "id": "votes.id = ?",
        "person": """(votes.meeting, votes.id) IN (SELECT meeting, vote FROM person_names
                     JOIN vote_members ON member = printed_name WHERE person = ?)""",
        "matter": """votes.id IN (SELECT vote FROM matter_votes JOIN matter_appearances
                     ON matter_appearances.id = appearance WHERE matter = ?)""",
        "dissent_of": """votes.id IN (SELECT vote_members.vote FROM person_names
                     JOIN vote_members ON member = printed_name JOIN votes AS decided
                     ON decided.id = vote_members.vote AND decided.meeting = person_names.meeting
                     WHERE person = ? AND decided.result
                         = CASE ballot WHEN 'no' THEN 'passed' WHEN 'aye' THEN 'failed' END
                     AND coalesce(decided.doubtful, '') NOT LIKE '%"result"%')""",
        "member": """EXISTS (SELECT 1 FROM vote_members WHERE vote_members.vote = votes.id
                             AND member = ?)""",
    }
    given = {name: value for name, value in filters.items() if value}
    wanted = [known[name] for name in given]
    if not given.keys() & {"document", "id"}:
        wanted.append("votes.repeats IS NULL")
    conditions = " AND ".join(wanted) or "true"
    return conditions, list(given.values())


def public_source(url: str | None) -> SourceLink:
    """Return what is shown of where a document came from."""
    public = _gate.source(url) or ""
    if public.startswith(("http://", "https://")):
        return SourceLink(public, public.split("/")[2])
    return SourceLink(None, public)
