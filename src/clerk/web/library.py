"""The compiled sites as pages read them: places, bodies, meetings, documents, pages, votes.

Reads the index over all sites for lists, and a site's ``meetings.db`` for everything else.  Nothing
here writes.  The words of documents are marked as such; all else passes the gate when it is shown.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clerk.core.errors import NotFound
from clerk.core.public_text import Gate, document_text
from clerk.core.storage import KINDS, Document, check_subdomain
from clerk.search.index import index_path
from clerk.search.query import parse
from clerk.site_db import database_path
from clerk.site_db.schema import open_readonly

Record = dict[str, Any]

#: Knows no installation: the page that shows a source does.
_gate = Gate()
#: The words of a document in a vote.
_WORDS_OF_A_VOTE = ("item", "motion", "mover", "seconder", "result_text", "quote")


@dataclass(frozen=True)
class Place:
    """A site as the index knows it."""

    subdomain: str
    name: str
    state: str
    documents: int
    pages: int
    first: str
    last: str


@dataclass(frozen=True)
class Listed:
    """A document in a list over several sites."""

    site: str
    site_name: str
    id: str
    kind: str
    body: str
    date: str
    pages: int


@dataclass
class Meeting:
    """What is held of one meeting."""

    body: str
    date: str
    documents: list[Record] = field(default_factory=list)
    votes: int = 0

    @property
    def kinds(self) -> dict[str, Record]:
        """Its documents by kind."""
        return {each["kind"]: each for each in self.documents}


@contextlib.contextmanager
def _index(storage_dir: Path) -> Iterator[sqlite3.Connection | None]:
    """Give the index over all sites, or None as long as nothing has been compiled."""
    path = index_path(storage_dir)
    if not path.exists():
        yield None
        return
    address = f"{path.absolute().as_uri()}?mode=ro"
    with contextlib.closing(sqlite3.connect(address, uri=True)) as connection:
        yield connection


def places(storage_dir: Path) -> list[Place]:
    """Return all places that can be searched, by name."""
    query = """
        SELECT sites.subdomain, sites.name, sites.state, count(documents.id),
               coalesce(sum(documents.pages), 0), coalesce(min(documents.date), ''),
               coalesce(max(documents.date), '')
        FROM sites LEFT JOIN documents ON documents.site = sites.id
        GROUP BY sites.id ORDER BY sites.name, sites.subdomain"""
    with _index(storage_dir) as index:
        return [Place(*row) for row in index.execute(query)] if index else []


def newly_added(storage_dir: Path, limit: int = 8) -> list[Listed]:
    """Return the documents that were added or changed last."""
    return _listed(storage_dir, "true ORDER BY documents.id DESC LIMIT ?", (limit,))


def upcoming(storage_dir: Path, today: str, limit: int = 8) -> list[Listed]:
    """Return documents about meetings of today and later, the next first."""
    condition = "documents.date >= ? ORDER BY documents.date, documents.id LIMIT ?"
    return _listed(storage_dir, condition, (today, limit))


def count_documents(storage_dir: Path) -> int:
    """Return how many documents can be searched."""
    with _index(storage_dir) as index:
        return index.execute("SELECT count(*) FROM documents").fetchone()[0] if index else 0


def document_ids(storage_dir: Path, limit: int, offset: int) -> list[str]:
    """Return the ids of some of all documents, in the order they came."""
    query = "SELECT public_id FROM documents ORDER BY id LIMIT ? OFFSET ?"
    with _index(storage_dir) as index:
        rows = index.execute(query, (limit, offset)).fetchall() if index else []
        return [str(row[0]) for row in rows]


def _listed(storage_dir: Path, condition: str, values: Sequence[Any]) -> list[Listed]:
    query = f"""
        SELECT sites.subdomain, sites.name, public_id, kind, body, date, documents.pages
        FROM documents JOIN sites ON sites.id = documents.site WHERE {condition}"""
    with _index(storage_dir) as index:
        return [Listed(*row) for row in index.execute(query, values)] if index else []


@contextlib.contextmanager
def opened(storage_dir: Path, subdomain: str) -> Iterator[Compiled]:
    """Give a site's compiled database, or refuse a site that has none by name."""
    path = database_path(storage_dir / check_subdomain(subdomain))
    if not path.exists():
        raise NotFound(f"There is no site {subdomain!r} to read.")
    with contextlib.closing(open_readonly(path)) as connection:
        connection.row_factory = sqlite3.Row
        yield Compiled(connection, subdomain)


class Compiled:
    """One site's ``meetings.db``."""

    def __init__(self, connection: sqlite3.Connection, subdomain: str) -> None:
        self._db = connection
        self.subdomain = subdomain
        about = self._all("SELECT key, value FROM about")
        self.about = {row["key"]: row["value"] for row in about}

    @property
    def name(self) -> str:
        """The name of the place."""
        return str(self.about.get("name") or self.subdomain)

    def _all(self, query: str, *values: Any) -> list[Record]:
        return [dict(row) for row in self._db.execute(query, values)]

    def _one(self, query: str, *values: Any) -> Record | None:
        row = self._db.execute(query, values).fetchone()
        return None if row is None else dict(row)

    # ------------------------------------------------------------------ bodies and meetings

    def bodies(self) -> list[Record]:
        """Return each body with its years and counts."""
        return self._all(
            """SELECT meeting AS body, count(*) AS documents, sum(pages) AS pages,
                      count(DISTINCT date) AS meetings, min(date) AS first, max(date) AS last
               FROM documents GROUP BY meeting ORDER BY meeting"""
        )

    def coverage(self) -> list[Record]:
        """Return for each body and year how many minutes and agendas are held."""
        return self._all(
            """SELECT meeting AS body, substr(date, 1, 4) AS year,
                      sum(kind = 'minutes') AS minutes, sum(kind = 'agendas') AS agendas
               FROM documents GROUP BY 1, 2 ORDER BY 1, 2"""
        )

    def without_minutes(self) -> list[Record]:
        """Return the meetings of which an agenda is held and no minutes."""
        return self._all(
            """SELECT meeting AS body, date, id FROM documents AS agenda WHERE kind = 'agendas'
               AND NOT EXISTS (SELECT 1 FROM documents AS other WHERE other.kind = 'minutes'
                               AND other.meeting = agenda.meeting AND other.date = agenda.date)
               ORDER BY date DESC, meeting"""
        )

    def with_holes(self) -> list[Record]:
        """Return the documents of which some pages could not be read."""
        rows = self._all(
            """SELECT * FROM documents WHERE failed_pages IS NOT NULL AND failed_pages <> '{}'
               ORDER BY name"""
        )
        return [_document(row) for row in rows]

    def meetings(self, body: str, year: str = "") -> list[Meeting]:
        """Return the meetings of a body, the newest first, with their documents."""
        rows = self._all(
            """SELECT documents.*,
                      (SELECT count(*) FROM votes WHERE votes.document = documents.name) AS votes
               FROM documents WHERE meeting = ? AND substr(date, 1, ?) = ?
               ORDER BY date DESC, kind""",
            body,
            len(year),
            year,
        )
        found: dict[str, Meeting] = {}
        for row in rows:
            meeting = found.setdefault(row["date"], Meeting(body, row["date"]))
            meeting.documents.append(_document(row))
            meeting.votes += row["votes"]
        return list(found.values())

    def neighbours(self, body: str, date: str) -> tuple[str | None, str | None]:
        """Return the dates of the meetings before and after."""
        query = "SELECT {}(date) AS date FROM documents WHERE meeting = ? AND date {} ?"
        before = self._one(query.format("max", "<"), body, date) or {}
        after = self._one(query.format("min", ">"), body, date) or {}
        return before.get("date"), after.get("date")

    # ------------------------------------------------------------------ documents and pages

    def document(self, document: Document) -> Record:
        """Return what is known of a document."""
        row = self._one("SELECT * FROM documents WHERE name = ?", document.name)
        if row is None:
            raise NotFound(f"There is no document {document.name!r} in {self.subdomain}.")
        return _document(row)

    def documents(
        self, *, limit: int = 50, offset: int = 0, body: str = "", kind: str = "", year: str = ""
    ) -> list[Record]:
        """Return documents, the newest first."""
        rows = self._all(
            """SELECT * FROM documents WHERE (? = '' OR meeting = ?) AND (? = '' OR kind = ?)
               AND substr(date, 1, ?) = ? ORDER BY date DESC, name LIMIT ? OFFSET ?""",
            *(body, body, kind, kind, len(year), year, limit, offset),
        )
        return [_document(row) for row in rows]

    def pages(self, document: Document, first: int = 1, limit: int = 50) -> list[Record]:
        """Return pages of a document with their text."""
        query = f"""SELECT id, page, text, method, confidence FROM {document.kind}
                    WHERE document = ? AND page >= ? ORDER BY page LIMIT ?"""
        return [_page(row) for row in self._all(query, document.name, first, limit)]

    def page_ids(self, document: Document) -> dict[int, str]:
        """Return the id of each page that could be read, by its number."""
        query = f"SELECT page, id FROM {document.kind} WHERE document = ? ORDER BY page"
        return {row["page"]: row["id"] for row in self._all(query, document.name)}

    def page(self, document: Document, number: int) -> Record:
        """Return one page with its text and how it was read."""
        query = f"""SELECT id, page, text, search_text, method, confidence FROM {document.kind}
                    WHERE document = ? AND page = ?"""
        row = self._one(query, document.name, number)
        if row is None:
            raise NotFound(f"{document.name} has no page {number} that could be read.")
        return _page(row)

    def pages_hit(self, document: Document, query: str) -> list[int]:
        """Return the pages of a document that a query finds, in order."""
        fts = parse(query).fts
        if not fts:
            return []
        table = document.kind
        rows = self._all(
            f"""SELECT {table}.page AS page FROM {table}_fts
                JOIN {table} ON {table}.rowid = {table}_fts.rowid
                WHERE {table}_fts MATCH ? AND {table}.document = ? ORDER BY page""",
            fts,
            document.name,
        )
        return [row["page"] for row in rows]

    def totals(self) -> Record:
        """Return how much the site holds."""
        counts = {table: self._count(table) for table in (*KINDS, "documents", "votes")}
        return counts | {"pages": counts["minutes"] + counts["agendas"]}

    def _count(self, table: str) -> int:
        return int(self._db.execute(f"SELECT count(*) FROM {table}").fetchone()[0])

    # --------------------------------------------------------------------- votes and people

    def votes(self, *, limit: int = 50, offset: int = 0, **filters: str) -> list[Record]:
        """Return votes, the newest first; filters: body, date, member, result, year, document."""
        conditions, values = _vote_filters(filters)
        rows = self._all(
            f"""SELECT votes.*, documents.id AS document_id FROM votes
                JOIN documents ON documents.name = votes.document WHERE {conditions}
                ORDER BY votes.date DESC, votes.document, votes.start LIMIT ? OFFSET ?""",
            *values,
            limit,
            offset,
        )
        return [self._vote(row) for row in rows]

    def count_votes(self, **filters: str) -> int:
        """Return how many votes pass the filters."""
        conditions, values = _vote_filters(filters)
        row = self._one(f"SELECT count(*) AS votes FROM votes WHERE {conditions}", *values)
        return int(row["votes"]) if row else 0

    def _vote(self, row: Record) -> Record:
        """Add the names, and read what is kept as JSON."""
        members = self._all(
            "SELECT member, ballot FROM vote_members WHERE vote = ? ORDER BY ballot, member",
            row["id"],
        )
        ballots: dict[str, list[str]] = {}
        for member in members:
            ballots.setdefault(member["ballot"], []).append(document_text(member["member"]))
        flags, tally = json.loads(row["flags"] or "[]"), json.loads(row["tally"] or "null")
        unanimous = bool(row["unanimous"])
        words = {name: document_text(row[name]) for name in _WORDS_OF_A_VOTE if row[name]}
        facts = {"ballots": ballots, "flags": flags, "tally": tally, "unanimous": unanimous}
        return row | words | facts

    def vote_choices(self) -> dict[str, list[str]]:
        """Return what votes can be narrowed by."""
        columns = {"body": "meeting", "year": "substr(date, 1, 4)", "result": "result"}
        return {
            name: [
                str(row["value"])
                for row in self._all(
                    f"""SELECT DISTINCT {column} AS value FROM votes
                        WHERE {column} IS NOT NULL ORDER BY 1"""
                )
            ]
            for name, column in columns.items()
        }

    def people(self) -> list[Record]:
        """Return who voted, how often and in which bodies."""
        rows = self._all(
            """SELECT member, count(*) AS votes, sum(ballot = 'aye') AS aye,
                      sum(ballot = 'no') AS no, sum(ballot = 'abstain') AS abstain,
                      sum(ballot NOT IN ('aye', 'no', 'abstain')) AS other,
                      min(votes.date) AS first, max(votes.date) AS last,
                      json_group_array(DISTINCT votes.meeting) AS bodies
               FROM vote_members JOIN votes ON votes.id = vote_members.vote
               GROUP BY member ORDER BY member"""
        )
        return [
            row
            | {"member": document_text(row["member"]), "bodies": sorted(json.loads(row["bodies"]))}
            for row in rows
        ]

    def count_people(self) -> int:
        """Return how many names are known to have voted."""
        query = "SELECT count(DISTINCT member) FROM vote_members"
        return int(self._db.execute(query).fetchone()[0])

    def person(self, member: str) -> Record:
        """Return how a person voted in all, or refuse a name that never did."""
        found = [row for row in self.people() if row["member"] == member]
        if not found:
            raise NotFound(f"Nobody named {member!r} is known to have voted in {self.name}.")
        return found[0]


def _vote_filters(filters: dict[str, str]) -> tuple[str, list[str]]:
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


def _page(row: Record) -> Record:
    return row | {"text": document_text(row["text"])}


def _document(row: Record) -> Record:
    failed = json.loads(row["failed_pages"] or "{}")
    source = public_source(row["source_url"])
    label = f"{row['meeting']} {row['kind']}".strip()
    return row | {"failed_pages": failed, "source": source, "label": label}


def public_source(url: str | None) -> Record:
    """Return what is shown of where a document came from: a link, or the name of a file."""
    public = _gate.source(url) or ""
    if public.startswith(("http://", "https://")):
        return {"url": public, "label": public.split("/")[2]}
    return {"url": None, "label": public}
