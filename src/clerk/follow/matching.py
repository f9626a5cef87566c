"""Which new documents match which subscriptions: the second reader of the outbox.

::

    document_changes --take_in--> follow_waiting --match--> follow_hits
                                      |
                                      +-- until the site's meetings.db shows the document, with its
                                          votes if a run is still to find them

Only the changed pages are looked at, with the words and the parser of the search: a few saved
searches ask the search index for them; many run over an index in memory that has nothing else, and
so do those of documents that the search index of this machine lacks.  Nothing here holds up a run.

A document is news once, by its content: the transaction that writes its hits marks it
(``documents.followed_of``), so that neither a kill, nor a second matcher, nor reading it again with
another engine tells of it twice.  No news are documents that were first seen before somebody
followed, and those of a site's first run, which ends when a fetch has asked for everything.
"""

from __future__ import annotations

import contextlib
import logging
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Final

import msgspec
from sqlalchemy import Connection, and_, bindparam, delete, func, select, update

from clerk.core import manifest, outbox, site_files
from clerk.core.config import Settings
from clerk.core.db import (
    civic_db_connection,
    get_site_by_subdomain,
    insert_into,
    reading_connection,
)
from clerk.core.errors import ClerkError, NotFound, StorageUnusable
from clerk.core.files import SiteFiles
from clerk.core.manifest import DocumentRow
from clerk.core.models import (
    documents_table,
    follow_hits_table,
    follow_state_table,
    follow_waiting_table,
    followers_table,
    jobs_table,
    runs_table,
    subscriptions_table,
)
from clerk.core.public_text import Gate
from clerk.core.site_extra import SiteRow
from clerk.core.states import FETCH, Follower, Run, Subscription
from clerk.core.storage import site_folder
from clerk.pipeline.stages import FetchResult
from clerk.search import index
from clerk.search.index import IndexedDocument, PlaceFacts, StoredFacts
from clerk.search.pages_of_some import ChangedPages, IndexedPages, are_indexed
from clerk.search.query import Parsed, parse
from clerk.search.readers import OpenIndex, open_index
from clerk.search.words import fold
from clerk.site_db import digest_of
from clerk.site_db.rows import page_id
from clerk.site_db.stored import bring_database

from . import links
from .targets import FollowTarget

_log = logging.getLogger(__name__)

#: Changes taken in at once.
_CHANGES: Final = 5000
#: Documents matched at once.
_DOCUMENTS: Final = 1000
#: Up to this many searches ask the search index; for more, the pages are put into one in memory.
_SEARCHES_ASKED: Final = 500
#: Hits written at once.
_HITS_AT_ONCE: Final = 5000
#: At most this much of a document is reported.
_LINES: Final = 3
_TEXT_LETTERS: Final = 300

_w, _s = follow_waiting_table.c, subscriptions_table.c
# Made once: making a statement takes as long as running it.
_FORGET_WAITING: Final = delete(follow_waiting_table).where(
    _w.subdomain == bindparam("site"),
    _w.name == bindparam("document"),
    _w.number == bindparam("change"),
)
_ACTIVE: Final = (
    select(_s.id, _s.kind, _s.asked, _s.confirmed_at)
    .join(followers_table, followers_table.c.id == _s.follower_id)
    .where(_s.state == Subscription.ACTIVE, followers_table.c.state == Follower.ACTIVE)
    .order_by(_s.id)
)


class HitLine(msgspec.Struct, omit_defaults=True):
    """One thing in a document: its text in parts, each with whether it is a hit, and its page.

    A page that a search found has no parts until it is sent.
    """

    parts: list[tuple[str, bool]] = []
    page_id: str = ""
    page: int = 0
    #: How a person voted, and the result of the vote; empty if that is not certain.
    ballot: str = ""
    result: str = ""
    #: What was done with a matter; empty if it is only mentioned.
    action: str = ""
    about_matter: bool = False


class ShownHit(msgspec.Struct):
    """What a message says about a document."""

    site: str
    place: str
    body: str
    kind: str
    date: str
    document_id: str
    #: Words to mark on the page.
    query: str = ""
    pages: int = 0
    lines: list[HitLine] = []


@dataclass(frozen=True)
class ActiveSubscription:
    """A subscription that wants to be told."""

    id: int
    kind: str
    followed: FollowTarget
    since: datetime


@dataclass(frozen=True)
class DocumentNews:
    """A document whose news is to be told, with what was found in it."""

    row: DocumentRow
    number: int
    place: PlaceFacts
    id: str
    facts: StoredFacts
    #: Its pages, unless the search index is asked for them.
    text: IndexedDocument | None = None
    #: Person -> lines about votes; matter -> lines about what was done; the bodies of its pages.
    #: Empty if nobody follows any in the site.
    votes: dict[str, list[HitLine]] = field(default_factory=dict)
    matters: dict[str, list[HitLine]] = field(default_factory=dict)
    bodies: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Matched:
    """What a round of matching did."""

    documents: int = 0
    hits: int = 0
    #: Documents that are not compiled yet.
    waiting: int = 0


# -------------------------------------------------------------------------------- taking in


def take_in() -> int:
    """Read on in the outbox, and note the documents that may be news; return how many changes."""
    with reading_connection() as conn:
        number = conn.execute(select(follow_state_table.c.number)).scalar()
        if number is not None and outbox.last_change(conn) == number:
            return 0
    taken = 0
    while some := _take_in_some():
        taken += some
    return taken


def _take_in_some() -> int:
    with civic_db_connection() as conn:
        links.signing_key(conn)
        locked = select(follow_state_table.c.number).with_for_update()
        number: int = conn.execute(locked).scalar_one()
        last, oldest = outbox.last_change(conn), outbox.oldest_change(conn)
        active = _s.state == Subscription.ACTIVE
        since = conn.execute(select(func.min(_s.confirmed_at)).where(active)).scalar()
        if number > last or number < oldest - 1:
            _log.warning("Matching starts again from the manifest: the outbox begins later.")
            if since is not None:
                d = documents_table.c
                query = select(d.subdomain, d.name).where(
                    d.first_seen_at > since, d.text_sha256.is_not(None), d.followed_of.is_(None)
                )
                rows = conn.execute(query).all()
                _wait(
                    conn, [{"subdomain": site, "name": name, "number": last} for site, name in rows]
                )
            _reach(conn, last)
            return 1
        changes = outbox.changes_after(conn, number, limit=_CHANGES)
        if not changes:
            return 0
        if since is not None:
            changed = {(each.subdomain, each.name): each.number for each in changes if each.name}
            _wait(
                conn,
                [
                    {"subdomain": site, "name": name, "number": number}
                    for (site, name), number in changed.items()
                ],
            )
        _reach(conn, changes[-1].number)
        return len(changes)


def _wait(conn: Connection, rows: Sequence[dict[str, str | int]]) -> None:
    if not rows:
        return
    statement = insert_into(conn, follow_waiting_table)
    statement = statement.on_conflict_do_update(
        index_elements=["subdomain", "name"], set_={"number": statement.excluded.number}
    )
    conn.execute(statement, rows)


def _reach(conn: Connection, number: int) -> None:
    conn.execute(update(follow_state_table).values(number=number))


# --------------------------------------------------------------------------------- matching


def match(settings: Settings) -> Matched:
    """Match the documents that wait, as far as their sites' databases show them."""
    documents = hits = waiting = 0
    with reading_connection(settings.sql_url) as conn:
        sites = conn.execute(select(_w.subdomain).distinct().order_by(_w.subdomain)).scalars().all()
        if not sites:
            return Matched()
        subscriptions = _active(conn)
    # One commit of it for the whole round.
    whole: OpenIndex | None = None
    with contextlib.suppress(NotFound, StorageUnusable):
        whole = open_index(settings.storage_dir)
    pending: list[DocumentNews] = []
    for site in sites:
        for document in _news_of(settings, site, subscriptions, whole):
            if document is None:
                waiting += 1
                continue
            pending.append(document)
            if len(pending) >= _DOCUMENTS:
                documents += len(pending)
                hits += _match(pending, subscriptions, whole)
                pending = []
    if pending:
        documents += len(pending)
        hits += _match(pending, subscriptions, whole)
    return Matched(documents, hits, waiting)


def _active(conn: Connection) -> list[ActiveSubscription]:
    return [
        ActiveSubscription(number, kind, FollowTarget(**asked), since)
        for number, kind, asked, since in conn.execute(_ACTIVE)
    ]


def first_run_ended(conn: Connection, subdomain: str) -> datetime | None:
    """Return when a site had everything that its source offered at first; None if it has not yet.

    That is when the first run ended whose fetch left nothing for the next.  Of a site whose first
    run is not kept any more, it is when the oldest run began that is.
    """
    r, j = runs_table.c, jobs_table.c
    query = (
        select(r.epoch, r.state, r.created_at, r.finished_at, j.detail)
        .select_from(runs_table.outerjoin(jobs_table, and_(j.run_id == r.run_id, j.stage == FETCH)))
        .where(r.subdomain == subdomain)
        .order_by(r.epoch)
    )
    is_oldest = True
    for run in conn.execute(query):
        if is_oldest and run.epoch > 1:
            return run.created_at  # type: ignore[no-any-return]
        is_oldest = False
        fetched = FetchResult.stored(run.detail)
        if run.state in (Run.COMPLETED, Run.PARTIAL) and not (fetched and fetched.left):
            return run.finished_at  # type: ignore[no-any-return]
    return None


@dataclass(frozen=True)
class _WaitingDocuments:
    """The documents of a site that wait to be matched, and which of them are news."""

    site: SiteRow | None
    #: By name, the number of the change that each waits for.
    numbers: dict[str, int]
    news: dict[str, DocumentRow]
    #: Whether the site is in a run, which may find out more about them.
    is_running: bool

    @classmethod
    def of(cls, settings: Settings, subdomain: str, since: datetime | None) -> _WaitingDocuments:
        """Return what waits and is newer than the oldest subscription.

        What is no news, and never will be, is taken off the list.
        """
        with reading_connection(settings.sql_url) as conn:
            waiting: dict[str, int] = dict(
                conn.execute(select(_w.name, _w.number).where(_w.subdomain == subdomain)).all()
            )
            rows = {
                row.name: row
                for row in manifest.documents(conn, subdomain, list(waiting), with_parts=True)
            }
            site = get_site_by_subdomain(conn, subdomain)
            begun = first_run_ended(conn, subdomain)
            active = select(runs_table.c.run_id).where(
                runs_table.c.subdomain == subdomain, runs_table.c.state == Run.ACTIVE
            )
            is_running = conn.execute(active).first() is not None
        # During the first run nothing is news; whether that was it is known when it has ended.
        undecided = begun is None and is_running
        news: dict[str, DocumentRow] = {}
        done = []
        for name in waiting:
            row = rows.get(name)
            if (
                row is None
                or row.text_sha256 is None
                or row.followed_of == row.content
                or since is None
                or row.first_seen_at <= since
            ):
                done.append(name)
            elif begun is not None and row.first_seen_at > begun:
                news[name] = row
            elif not undecided:
                done.append(name)
        _take_off(subdomain, {name: waiting[name] for name in done})
        return cls(site, waiting, news, is_running)


def _news_of(
    settings: Settings,
    subdomain: str,
    subscriptions: Sequence[ActiveSubscription],
    whole: OpenIndex | None,
) -> Iterator[DocumentNews | None]:
    """Yield the documents of a site that are news and can be shown; None for each that waits."""
    since = min((each.since for each in subscriptions), default=None)
    listed = _WaitingDocuments.of(settings, subdomain, since)
    site, waiting, news = listed.site, listed.numbers, listed.news
    if not news or site is None:
        return
    with contextlib.ExitStack() as opened:
        db = _compiled(settings, subdomain)
        if db is None:
            yield from [None] * len(news)
            return
        opened.enter_context(contextlib.closing(db))
        gate, place = Gate.for_site(settings, site), index.place_in(db, subdomain)
        compiled = {
            name: each
            for name, each in index.compiled_documents(db, place, list(news)).items()
            if each.digest == digest_of(news[name], gate)
            and (news[name].findings_of is not None or not listed.is_running)
        }
        # What is compiled is public.
        missing = news.keys() - compiled.keys()
        hidden = {name: waiting[name] for name in missing if not gate.allows_name(name)}
        _take_off(subdomain, hidden)
        kinds = {each.kind for each in subscriptions if each.followed.site == subdomain}
        searches = sum(each.kind == Subscription.SEARCH for each in subscriptions)
        held: set[str] = set()
        if whole is not None and searches <= _SEARCHES_ASKED:
            held = are_indexed(
                whole, subdomain, {each.id: each.indexed_digest for each in compiled.values()}
            )
        for name, row in news.items():
            if name in hidden:
                continue
            if name not in compiled:
                yield None
                continue
            found = compiled[name]
            is_read = searches and found.id not in held
            # The bodies that the document, or a part of a packet, is of.
            bodies = db.execute(
                """SELECT meeting FROM documents WHERE name = ?
                   UNION SELECT meeting FROM pages WHERE document = ?""",
                (name, name),
            )
            yield DocumentNews(
                row,
                waiting[name],
                place,
                found.id,
                found.facts,
                text=index.read_document(db, place, found) if is_read else None,
                votes=_votes_in(db, name) if Subscription.PERSON in kinds else {},
                matters=_matters_in(db, name) if Subscription.MATTER in kinds else {},
                bodies=frozenset(
                    " ".join(fold(body))
                    for (body,) in (bodies if Subscription.BODY in kinds else ())
                    if body
                ),
            )


def _compiled(settings: Settings, subdomain: str) -> sqlite3.Connection | None:
    """Open a site's database; where the files are in a store, the current one."""
    if settings.storage_url:
        with reading_connection(settings.sql_url) as conn:
            current = site_files.current_database(conn, subdomain)
        try:
            bring_database(SiteFiles(settings, subdomain), current)
        except ClerkError as error:
            _log.warning("The database of %s is not available: %s", subdomain, error)
            return None
    return index.open_compiled(site_folder(settings.storage_dir, subdomain))


def _take_off(subdomain: str, numbers: dict[str, int]) -> None:
    """Take documents off the list, unless they have changed again."""
    if not numbers:
        return
    with civic_db_connection() as conn:
        _forget_waiting(conn, [(subdomain, name, number) for name, number in numbers.items()])


def _forget_waiting(conn: Connection, waited: Sequence[tuple[str, str, int]]) -> None:
    conn.execute(
        _FORGET_WAITING,
        [{"site": site, "document": name, "change": number} for site, name, number in waited],
    )


def _votes_in(db: sqlite3.Connection, name: str) -> dict[str, list[HitLine]]:
    """Return how people voted in a document, by person."""
    query = """SELECT person, ballot, motion, result, doubtful, quote, votes.page_id, votes.page
               FROM votes JOIN vote_members ON vote = votes.id
               JOIN person_names ON person_names.printed_name = member
                                AND person_names.meeting = votes.meeting
               WHERE document = ? AND repeats IS NULL ORDER BY votes.start, votes.id"""
    found: dict[str, list[HitLine]] = {}
    for person, ballot, motion, result, doubtful, quote, page, number in db.execute(query, (name,)):
        unsure = doubtful or ""
        what = quote if '"motion"' in unsure or not motion else motion
        certain = "" if '"result"' in unsure else result or ""
        line = HitLine([(_short(what), False)], page or "", number or 0, ballot, certain)
        found.setdefault(person, []).append(line)
    return found


def _matters_in(db: sqlite3.Connection, name: str) -> dict[str, list[HitLine]]:
    """Return what a document says of matters, by matter."""
    query = """SELECT matter, action, quote, doubtful, page_id, page FROM matter_appearances
               WHERE document = ? ORDER BY start, id"""
    found: dict[str, list[HitLine]] = {}
    for matter, action, quote, doubtful, page, number in db.execute(query, (name,)):
        line = HitLine([(_short(quote), False)], page or "", number or 0, about_matter=True)
        line.action = "" if '"action"' in (doubtful or "") else action
        found.setdefault(matter, []).append(line)
    return found


def _short(text: str | None) -> str:
    words = " ".join((text or "").split())
    return words if len(words) <= _TEXT_LETTERS else f"{words[:_TEXT_LETTERS].rstrip()} …"


@lru_cache(maxsize=50_000)
def _parsed(text: str) -> Parsed:
    return parse(text)


def _match(
    documents: Sequence[DocumentNews],
    subscriptions: Sequence[ActiveSubscription],
    whole: OpenIndex | None,
) -> int:
    """Find who wants to know of documents, and write it down; return the number of hits."""
    hits = list(_found(documents, subscriptions, whole))
    written = 0
    with civic_db_connection() as conn:
        told = manifest.claim_news(conn, {each.row.id: each.row.content for each in documents})
        rows = [
            {
                "subscription_id": subscription.id,
                "document": document.id,
                "text_sha256": document.row.text_sha256,
                "shown": msgspec.to_builtins(shown),
            }
            for subscription, document, shown in hits
            if document.row.id in told
        ]
        for start in range(0, len(rows), _HITS_AT_ONCE):
            some = rows[start : start + _HITS_AT_ONCE]
            # A subscription may have been deleted meanwhile.
            asked = select(_s.id).where(_s.id.in_({row["subscription_id"] for row in some}))
            asked = asked.with_for_update(read=True, key_share=True)
            known = set(conn.execute(asked).scalars())
            if some := [row for row in some if row["subscription_id"] in known]:
                conn.execute(insert_into(conn, follow_hits_table).on_conflict_do_nothing(), some)
                written += len(some)
        waited = [(each.row.subdomain, each.row.name, each.number) for each in documents]
        _forget_waiting(conn, waited)
    return written


def _found(
    documents: Sequence[DocumentNews],
    subscriptions: Sequence[ActiveSubscription],
    whole: OpenIndex | None,
) -> Iterator[tuple[ActiveSubscription, DocumentNews, ShownHit]]:
    """Yield who wants to know of what."""
    places = {each.place.subdomain: each.place for each in documents}
    by_id = {each.id: each for each in documents}
    by_site: dict[str, list[DocumentNews]] = {}
    for each in documents:
        by_site.setdefault(each.place.subdomain, []).append(each)
    searched: list[IndexedPages | ChangedPages] = []
    if texts := [each.text for each in documents if each.text is not None]:
        searched.append(ChangedPages(texts, places if whole is None else whole.places | places))
    if whole is not None and len(texts) < len(documents):
        pages = sum(each.facts.pages or 1 for each in documents)
        asked = {
            site: [each.id for each in some if each.text is None] for site, some in by_site.items()
        }
        searched.append(IndexedPages(whole, asked, pages))
    searches, queries = [], []
    for subscription in subscriptions:
        # A query of which the language has changed since is not asked.
        with contextlib.suppress(ClerkError):
            if subscription.kind == Subscription.SEARCH:
                followed = subscription.followed
                queries.append((followed.query, _parsed(followed.text)))
                searches.append(subscription)
    for pages_of_some in searched:
        for number, found in pages_of_some.find_each(queries):
            subscription = searches[number]
            for key, numbers in found.items():
                document = by_id[key]
                if document.row.first_seen_at > subscription.since:
                    # Snippets are made when they are sent: most of the time of matching.
                    best = [
                        HitLine(page_id=page_id(document.id, number), page=number)
                        for number in numbers[:_LINES]
                        if number
                    ]
                    shown = _shown(document, best, subscription.followed.text)
                    yield subscription, document, shown
    for subscription in subscriptions:
        followed = subscription.followed
        for document in by_site.get(followed.site, ()):
            if document.row.first_seen_at <= subscription.since:
                continue
            # A search within a site has been asked.
            if subscription.kind == Subscription.PLACE or (
                subscription.kind == Subscription.BODY
                and " ".join(fold(followed.body)) in document.bodies
            ):
                yield subscription, document, _shown(document)
            elif (
                subscription.kind == Subscription.PERSON
                and (lines := document.votes.get(followed.person))
            ) or (
                subscription.kind == Subscription.MATTER
                and (lines := document.matters.get(followed.matter))
            ):
                yield subscription, document, _shown(document, lines)


def _shown(document: DocumentNews, lines: Sequence[HitLine] = (), query: str = "") -> ShownHit:
    facts = document.facts
    return ShownHit(
        site=facts.site,
        place=document.place.name,
        body=facts.body,
        kind=facts.kind,
        date=facts.date,
        document_id=document.id,
        query=query,
        pages=facts.pages,
        lines=list(lines[:_LINES]),
    )
