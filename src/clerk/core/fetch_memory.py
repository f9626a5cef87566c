"""What a fetch remembers: the meetings it was told of, what it asked for when, what it stored.

The only module that writes the tables ``source_meetings`` and ``document_requests``.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, Table, case, delete, or_, select

from . import manifest, site_files
from .answers import KeptAnswer, keep_answer
from .db import insert_into, reading_connection, writing_to
from .manifest import DocumentRow, FetchedDocument, KnownDocument
from .models import db_now, document_requests_table, source_meetings_table

#: Seconds between two commits of what a fetch has stored.
_COMMIT_SECONDS: Final = 0.5
#: What a calendar shows of a meeting.
_IN_CALENDARS: Final = ("body", "title", "start_local", "timezone", "status")


@dataclass(frozen=True)
class ListedMeeting:
    """A meeting as the source lists it; ``gap`` says what it lacks."""

    identity: str
    body: str
    title: str
    start_local: str
    timezone: str
    status: str
    source_url: str
    gap: str = ""


@dataclass(frozen=True)
class DocumentRequest:
    """When a document was last asked for, and how often that failed in a row.

    Before ``next_at`` it is not asked for again.  The empty identity is the fetch itself.
    """

    identity: str
    asked_at: datetime
    failures: int = 0
    next_at: datetime | None = None
    error: str = ""


def record_meetings(conn: Connection, subdomain: str, meetings: Sequence[ListedMeeting]) -> None:
    """Record meetings as they were listed last, and count changes that concern a calendar."""
    known = source_meetings_table.c

    def counted(new: Any) -> dict[str, object]:
        differs = or_(*(known[name] != new[name] for name in _IN_CALENDARS))
        return {
            "sequence": known.sequence + case((differs, 1), else_=0),
            "changed_at": case((differs, db_now()), else_=known.changed_at),
        }

    _replace(conn, source_meetings_table, subdomain, meetings, counted)


def listed_meetings(
    conn: Connection, subdomain: str, body: str | None = None
) -> list[tuple[ListedMeeting, int, datetime | None]]:
    """Return the meetings that a site's source lists, how often each changed, and when last."""
    table = source_meetings_table.c
    columns = [table[each.name] for each in fields(ListedMeeting)]
    query = select(*columns, table.sequence, table.changed_at).where(table.subdomain == subdomain)
    if body is not None:
        query = query.where(table.body == body)
    rows = conn.execute(query.order_by(table.start_local, table.identity))
    return [(ListedMeeting(*row[:-2]), row[-2], row[-1]) for row in rows]


def document_requests(conn: Connection, subdomain: str) -> dict[str, DocumentRequest]:
    """Return when the documents of a site were asked for, by their identity."""
    columns = [document_requests_table.c[each.name] for each in fields(DocumentRequest)]
    query = select(*columns).where(document_requests_table.c.subdomain == subdomain)
    return {row.identity: DocumentRequest(*row) for row in conn.execute(query)}


def record_requests(conn: Connection, subdomain: str, asked: Sequence[DocumentRequest]) -> None:
    """Record when documents were asked for."""
    _replace(conn, document_requests_table, subdomain, asked)


def forget_request(conn: Connection, subdomain: str, identity: str) -> None:
    """Forget when something was asked for."""
    table = document_requests_table.c
    conn.execute(
        delete(document_requests_table).where(
            table.subdomain == subdomain, table.identity == identity
        )
    )


def _replace(
    conn: Connection,
    table: Table,
    subdomain: str,
    records: Sequence[ListedMeeting] | Sequence[DocumentRequest],
    more: Callable[[Any], dict[str, object]] = lambda new: {},
) -> None:
    """Write records of a site in place of those with the same identity.

    ``more`` returns further columns of those that are there, given the new row.
    """
    if not records:
        return
    names = [each.name for each in fields(records[0])]
    statement = insert_into(conn, table)
    replaced = {name: statement.excluded[name] for name in names if name != "identity"}
    statement = statement.on_conflict_do_update(
        index_elements=["subdomain", "identity"], set_=replaced | more(statement.excluded)
    )
    rows = [
        {"subdomain": subdomain} | {name: getattr(each, name) for name in names} for each in records
    ]
    conn.execute(statement, rows)


class SiteManifest:
    """The manifest of one site, for the process that fetches it; writes are committed in groups.

    ``check`` is called in every transaction that writes, and raises if the run may write no more.
    ``on_stored`` is called in the transaction that records documents, with their names.
    """

    def __init__(
        self,
        sql_url: str,
        subdomain: str,
        check: Callable[[Connection], None] = lambda conn: None,
        on_stored: Callable[[Connection, Sequence[str]], None] = lambda conn, names: None,
    ) -> None:
        self._sql_url = sql_url
        self.subdomain = subdomain
        self._check = check
        self._on_stored = on_stored
        self._fetched: dict[str, FetchedDocument] = {}
        self._seen: list[str] = []
        self._meetings: dict[str, ListedMeeting] = {}
        self._asked: dict[str, DocumentRequest] = {}
        self._committed_at = time.monotonic()

    def __enter__(self) -> SiteManifest:
        return self

    def __exit__(self, *_: object) -> None:
        self.commit()

    def documents(self) -> list[DocumentRow]:
        """Return everything that is known of the site's documents."""
        with reading_connection(self._sql_url) as conn:
            return manifest.documents(conn, self.subdomain)

    def known_documents(self, identities: Sequence[str] | None = None) -> list[KnownDocument]:
        """Return what a fetch asks about the site's documents, or about some of them."""
        with reading_connection(self._sql_url) as conn:
            return manifest.known_documents(conn, self.subdomain, identities)

    def known_files(
        self, seen_before: datetime
    ) -> Sequence[tuple[str | None, str, str | None, bool]]:
        """Return the site's documents as they are compared with a folder."""
        with reading_connection(self._sql_url) as conn:
            return manifest.known_files(conn, self.subdomain, seen_before)

    def record(self, fetched: FetchedDocument) -> None:
        """Record a document whose bytes are stored."""
        self._fetched[fetched.name] = fetched
        self._commit_if_due()

    def record_unchanged(self, name: str) -> None:
        """Record that the source still offers a document as it is."""
        self._seen.append(name)

    def record_meeting(self, meeting: ListedMeeting) -> None:
        """Record a meeting as it was listed."""
        self._meetings[meeting.identity] = meeting
        self._commit_if_due()

    def requests(self) -> dict[str, DocumentRequest]:
        """Return when the site's documents were asked for, by their identity."""
        with reading_connection(self._sql_url) as conn:
            return document_requests(conn, self.subdomain)

    def record_request(self, asked: DocumentRequest) -> None:
        """Record that a document was asked for."""
        self._asked[asked.identity] = asked
        self._commit_if_due()

    def begin_fetch(self, at: datetime) -> datetime | None:
        """Record that a fetch begins; return when the one began that was not finished, if any."""
        begun = self.requests().get("")
        if begun is None:
            with self._writing() as conn:
                record_requests(conn, self.subdomain, [DocumentRequest("", at)])
        return begun.asked_at if begun else None

    def end_fetch(self) -> None:
        """Record that the fetch asked for everything that was due."""
        with self._writing() as conn:
            forget_request(conn, self.subdomain, "")

    def mark_gone(self, names: Sequence[str]) -> None:
        """Record that the source no longer offers documents."""
        with self._writing() as conn:
            manifest.mark_gone(conn, self.subdomain, names)

    def forget_bytes(self, name: str) -> None:
        """Record that the PDF of a document is about to be replaced."""
        with self._writing() as conn:
            manifest.forget_bytes(conn, self.subdomain, name)

    def keep_answer(self, kind: str, url: str, text: str, now: datetime) -> KeptAnswer:
        """Keep what a host returned and nobody understood."""
        with self._writing() as conn:
            return keep_answer(conn, self.subdomain, kind, url, text, now)

    def last_full_listing(self) -> datetime | None:
        """Return when the source was last listed from its beginning."""
        with reading_connection(self._sql_url) as conn:
            return site_files.last_full_listing(conn, self.subdomain)

    def record_full_listing(self, at: datetime) -> None:
        """Record that the source was listed from its beginning."""
        with self._writing() as conn:
            site_files.record_full_listing(conn, self.subdomain, at)

    def commit(self) -> None:
        """Write what was recorded since the last time."""
        if self._fetched or self._seen or self._meetings or self._asked:
            with self._writing() as conn:
                manifest.record(conn, self.subdomain, list(self._fetched.values()))
                manifest.mark_seen(conn, self.subdomain, self._seen)
                record_meetings(conn, self.subdomain, list(self._meetings.values()))
                record_requests(conn, self.subdomain, list(self._asked.values()))
                if self._fetched:
                    self._on_stored(conn, list(self._fetched))
        self._fetched, self._seen, self._meetings, self._asked = {}, [], {}, {}
        self._committed_at = time.monotonic()

    def commit_stored(self) -> None:
        """Write documents that are stored, before something that may take long."""
        if self._fetched:
            self.commit()

    def _commit_if_due(self) -> None:
        if time.monotonic() - self._committed_at > _COMMIT_SECONDS:
            self.commit()

    @contextlib.contextmanager
    def _writing(self) -> Iterator[Connection]:
        with writing_to(self._sql_url) as conn:
            self._check(conn)
            yield conn
