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
from typing import Any

from clerk.core.errors import NotFound
from clerk.core.public_text import Gate, document_text
from clerk.core.storage import KINDS, Document, check_subdomain, compiled_database

from .schema import open_readonly

#: Knows no installation: the page that shows a source does.
_gate = Gate()
#: The columns of a vote that quote the document.
_QUOTED = ("item", "item_title", "motion", "mover", "seconder", "result_text", "quote")


@dataclass(frozen=True)
class BodySummary:
    """A body (council, board, committee) and how much is held of it."""

    body: str
    documents: int
    pages: int
    meetings: int
    first: str
    last: str


@dataclass(frozen=True)
class YearCoverage:
    """How many minutes and agendas of a body are held of one year."""

    body: str
    year: str
    minutes: int
    agendas: int


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


@dataclass(frozen=True)
class CompiledDocument:
    """A document as it was compiled."""

    name: str
    id: str
    kind: str
    meeting: str
    date: str
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
    source: SourceLink

    @property
    def label(self) -> str:
        """The body and the kind."""
        return f"{self.meeting} {self.kind}".strip()

    @classmethod
    def of(cls, row: sqlite3.Row) -> CompiledDocument:
        """Make one of a row of ``documents``."""
        parsed = {
            "failed_pages": json.loads(row["failed_pages"] or "{}"),
            "source": public_source(row["source_url"]),
        }
        return cls(
            **{each.name: row[each.name] for each in fields(cls) if each.name not in parsed},
            **parsed,
        )


@dataclass(frozen=True)
class CompiledPage:
    """A page of a document with its text and how it was read."""

    id: str
    page: int
    text: str
    method: str | None
    confidence: float | None


@dataclass
class HeldMeeting:
    """What is held of one meeting."""

    body: str
    date: str
    documents: list[CompiledDocument] = field(default_factory=list)
    votes: int = 0

    @property
    def kinds(self) -> dict[str, CompiledDocument]:
        """Its documents by kind."""
        return {each.kind: each for each in self.documents}


@dataclass(frozen=True)
class CompiledVote:
    """A vote with its evidence, and who voted how if the minutes say so."""

    id: str
    document: str
    meeting: str
    date: str
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
    #: Ballot, as in aye -> names.
    ballots: Mapping[str, list[str]]


@dataclass(frozen=True)
class MemberRecord:
    """How a person voted in all."""

    member: str
    votes: int
    aye: int
    no: int
    abstain: int
    other: int
    first: str
    last: str
    bodies: list[str]


@contextlib.contextmanager
def open_site(storage_dir: Path, subdomain: str) -> Iterator[SiteDatabase]:
    """Give the database of a site; raise NotFound if none has been compiled."""
    path = compiled_database(storage_dir / check_subdomain(subdomain))
    if not path.exists():
        raise NotFound(f"There is no site {subdomain!r} to read.")
    with contextlib.closing(open_readonly(path)) as connection:
        connection.row_factory = sqlite3.Row
        yield SiteDatabase(connection, subdomain)


class SiteDatabase:
    """One site's ``meetings.db``."""

    def __init__(self, connection: sqlite3.Connection, subdomain: str) -> None:
        self._db = connection
        self.subdomain = subdomain
        self.about: dict[str, str] = dict(self._all("SELECT key, value FROM about"))

    @property
    def name(self) -> str:
        """The name of the place."""
        return str(self.about.get("name") or self.subdomain)

    def _all(self, query: str, *values: Any) -> list[Any]:
        return self._db.execute(query, values).fetchall()

    def _number(self, query: str, *values: Any) -> int:
        return int(self._db.execute(query, values).fetchone()[0])

    # ------------------------------------------------------------------ bodies and meetings

    def bodies(self) -> list[BodySummary]:
        """Return each body with its years and counts."""
        rows = self._all(
            """SELECT meeting, count(*), sum(pages), count(DISTINCT date), min(date), max(date)
               FROM documents GROUP BY meeting ORDER BY meeting"""
        )
        return [BodySummary(*row) for row in rows]

    def coverage(self) -> list[YearCoverage]:
        """Return for each body and year how many minutes and agendas are held."""
        rows = self._all(
            """SELECT meeting, substr(date, 1, 4), sum(kind = 'minutes'), sum(kind = 'agendas')
               FROM documents GROUP BY 1, 2 ORDER BY 1, 2"""
        )
        return [YearCoverage(*row) for row in rows]

    def without_minutes(self) -> list[LoneAgenda]:
        """Return the meetings of which an agenda is held and no minutes."""
        rows = self._all(
            """SELECT meeting, date, id FROM documents AS agenda WHERE kind = 'agendas'
               AND NOT EXISTS (SELECT 1 FROM documents AS other WHERE other.kind = 'minutes'
                               AND other.meeting = agenda.meeting AND other.date = agenda.date)
               ORDER BY date DESC, meeting"""
        )
        return [LoneAgenda(*row) for row in rows]

    def with_unread_pages(self) -> list[CompiledDocument]:
        """Return the documents of which some pages could not be read."""
        rows = self._all(
            """SELECT * FROM documents WHERE failed_pages IS NOT NULL AND failed_pages <> '{}'
               ORDER BY name"""
        )
        return [CompiledDocument.of(row) for row in rows]

    def meetings(self, body: str, year: str = "") -> list[HeldMeeting]:
        """Return the meetings of a body with their documents, newest first."""
        rows = self._all(
            """SELECT documents.*,
                      (SELECT count(*) FROM votes WHERE votes.document = documents.name) AS votes
               FROM documents WHERE meeting = ? AND substr(date, 1, ?) = ?
               ORDER BY date DESC, kind""",
            *(body, len(year), year),
        )
        found: dict[str, HeldMeeting] = {}
        for row in rows:
            meeting = found.setdefault(row["date"], HeldMeeting(body, row["date"]))
            meeting.documents.append(CompiledDocument.of(row))
            meeting.votes += row["votes"]
        return list(found.values())

    def neighbours(self, body: str, date: str) -> tuple[str | None, str | None]:
        """Return the dates of the meetings before and after."""
        query = "SELECT {}(date) FROM documents WHERE meeting = ? AND date {} ?"
        [(before,)] = self._all(query.format("max", "<"), body, date)
        [(after,)] = self._all(query.format("min", ">"), body, date)
        return before, after

    # ------------------------------------------------------------------ documents and pages

    def document(self, document: Document) -> CompiledDocument:
        """Return one document; raise NotFound if there is none of this name."""
        rows = self._all("SELECT * FROM documents WHERE name = ?", document.name)
        if not rows:
            raise NotFound(f"There is no document {document.name!r} in {self.subdomain}.")
        return CompiledDocument.of(rows[0])

    def documents(
        self, *, limit: int = 50, offset: int = 0, body: str = "", kind: str = "", year: str = ""
    ) -> list[CompiledDocument]:
        """Return documents, newest first."""
        rows = self._all(
            """SELECT * FROM documents WHERE (? = '' OR meeting = ?) AND (? = '' OR kind = ?)
               AND substr(date, 1, ?) = ? ORDER BY date DESC, name LIMIT ? OFFSET ?""",
            *(body, body, kind, kind, len(year), year, limit, offset),
        )
        return [CompiledDocument.of(row) for row in rows]

    def pages(self, document: Document, first: int = 1, limit: int = 50) -> list[CompiledPage]:
        """Return pages of a document with their text, from a page on."""
        query = f"""SELECT id, page, text, method, confidence FROM {document.kind}
                    WHERE document = ? AND page >= ? ORDER BY page LIMIT ?"""
        return [
            CompiledPage(row["id"], row["page"], document_text(row["text"]), *row[3:])
            for row in self._all(query, document.name, first, limit)
        ]

    def page_ids(self, document: Document) -> dict[int, str]:
        """Return the id of each page that could be read, by its number."""
        query = f"SELECT page, id FROM {document.kind} WHERE document = ? ORDER BY page"
        return dict(self._all(query, document.name))

    def page(self, document: Document, number: int) -> CompiledPage:
        """Return one page; raise NotFound if it could not be read."""
        found = self.pages(document, number, 1)
        if not found or found[0].page != number:
            raise NotFound(f"{document.name} has no page {number} that could be read.")
        return found[0]

    def totals(self) -> dict[str, int]:
        """Return how much the site holds."""
        tables = (*KINDS, "documents", "votes")
        counts = {table: self._number(f"SELECT count(*) FROM {table}") for table in tables}
        return counts | {"pages": counts["minutes"] + counts["agendas"]}

    # --------------------------------------------------------------------- votes and people

    def votes(self, *, limit: int = 50, offset: int = 0, **filters: str) -> list[CompiledVote]:
        """Return votes, newest first; filters: body, date, member, result, year, document."""
        conditions, values = _vote_filters(filters)
        rows = self._all(
            f"""SELECT votes.*, documents.id AS document_id FROM votes
                JOIN documents ON documents.name = votes.document WHERE {conditions}
                ORDER BY votes.date DESC, votes.document, votes.start LIMIT ? OFFSET ?""",
            *(*values, limit, offset),
        )
        return [self._vote(row) for row in rows]

    def _vote(self, row: sqlite3.Row) -> CompiledVote:
        """Add who voted how, and parse the columns with JSON."""
        ballots: dict[str, list[str]] = {}
        query = "SELECT ballot, member FROM vote_members WHERE vote = ? ORDER BY ballot, member"
        for ballot, member in self._all(query, row["id"]):
            ballots.setdefault(ballot, []).append(document_text(member))
        values: dict[str, Any] = {
            **dict(row),
            **{name: document_text(row[name]) for name in _QUOTED if row[name]},
            "tally": json.loads(row["tally"] or "null"),
            "unanimous": bool(row["unanimous"]),
            "flags": json.loads(row["flags"] or "[]"),
            "consent_items": list(map(document_text, json.loads(row["consent_items"] or "[]"))),
            "consent_exceptions": list(
                map(document_text, json.loads(row["consent_exceptions"] or "[]"))
            ),
            "field_confidence": json.loads(row["field_confidence"] or "{}"),
            "doubtful": json.loads(row["doubtful"] or "[]"),
            "doubts": json.loads(row["doubts"] or "[]"),
            "ballots": ballots,
        }
        return CompiledVote(**{each.name: values[each.name] for each in fields(CompiledVote)})

    def count_votes(self, **filters: str) -> int:
        """Return how many votes pass the filters."""
        conditions, values = _vote_filters(filters)
        return self._number(f"SELECT count(*) FROM votes WHERE {conditions}", *values)

    def vote_choices(self) -> dict[str, list[str]]:
        """Return the values that votes can be filtered by."""
        columns = {"body": "meeting", "year": "substr(date, 1, 4)", "result": "result"}
        query = "SELECT DISTINCT {0} FROM votes WHERE {0} IS NOT NULL ORDER BY 1"
        return {
            name: [str(value) for (value,) in self._all(query.format(column))]
            for name, column in columns.items()
        }

    def people(self) -> list[MemberRecord]:
        """Return who voted, how often and in which bodies."""
        rows = self._all(
            """SELECT member, count(*), sum(ballot = 'aye'), sum(ballot = 'no'),
                      sum(ballot = 'abstain'), sum(ballot NOT IN ('aye', 'no', 'abstain')),
                      min(votes.date), max(votes.date), json_group_array(DISTINCT votes.meeting)
               FROM vote_members JOIN votes ON votes.id = vote_members.vote
               GROUP BY member ORDER BY member"""
        )
        return [
            MemberRecord(*(document_text(row[0]), *row[1:8], sorted(json.loads(row[8]))))
            for row in rows
        ]

    def count_people(self) -> int:
        """Return how many names are known to have voted."""
        return self._number("SELECT count(DISTINCT member) FROM vote_members")

    def person(self, member: str) -> MemberRecord:
        """Return how a person voted in all; raise NotFound for a name without votes."""
        found = [each for each in self.people() if each.member == member]
        if not found:
            raise NotFound(f"Nobody named {member!r} is known to have voted in {self.name}.")
        return found[0]


def _vote_filters(filters: Mapping[str, str]) -> tuple[str, list[str]]:
    known = {
        "body": "votes.meeting = ?",
        "date": "votes.date = ?",
        "document": "votes.document = ?",
        "result": "votes.result = ?",
        "year": "substr(votes.date, 1, 4) = ?",
        "member": """EXISTS (SELECT 1 FROM vote_members WHERE vote_members.vote = votes.id
                             AND member = ?)""",
    }
    given = {name: value for name, value in filters.items() if value}
    conditions = " AND ".join(known[name] for name in given) or "true"
    return conditions, list(given.values())


def public_source(url: str | None) -> SourceLink:
    """Return what is shown of where a document came from."""
    public = _gate.source(url) or ""
    if public.startswith(("http://", "https://")):
        return SourceLink(public, public.split("/")[2])
    return SourceLink(None, public)
