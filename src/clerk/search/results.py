"""Searching the index over all sites: the matching pages, facets, snippets.

:func:`search` never changes anything and never fails because of what was typed; it raises
:class:`~clerk.core.errors.SearchTimeout` when an answer would take too long and
:class:`~clerk.core.errors.NotFound` when nothing has been compiled yet.  Text in the results is as
it was read: hostile until the caller has escaped it.
"""

from __future__ import annotations

import contextlib
import re
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from heapq import nsmallest
from pathlib import Path
from typing import Any, NamedTuple

from clerk.core.errors import InvalidInput, NotFound, SearchTimeout
from clerk.core.storage import Document, compiled_database, search_index
from clerk.site_db.rows import page_id
from clerk.site_db.schema import DOCUMENT_KINDS, is_current, open_readonly, page_table

from . import suggest
from .facts import FactsCache, IndexFacts
from .index import PAGE_BITS
from .query import Parsed, Term, parse, places, storable

RELEVANCE, NEWEST, OLDEST = "relevance", "newest", "oldest"
SORTS = (RELEVANCE, NEWEST, OLDEST)
#: No answer carries more hits, or starts further down the list.
LIMIT_AT_MOST = 1000
OFFSET_AT_MOST = 10_000
_FACET_VALUES = 50
#: This many of the rows are sampled to find ranks that are too bad to be shown.
_SAMPLE = 2000
#: Time limit of the suggestion when nothing was found.
_SUGGESTION_SECONDS = 1.5
#: Steps of SQLite's virtual machine between checks of the time limit.
_STEPS = 20_000
#: Rank and number of a row.
_Row = tuple[float | None, int]
_facts_cache = FactsCache()
#: Parts of a text, each with whether it is a hit.
Snippet = Sequence[tuple[str, bool]]

_SNIPPET_LETTERS = 220
#: Letters of the snippet before its first hit.
_BEFORE = 50
#: How far the borders move to fall between words.
_WORD = 25
_SPACE = re.compile(r"\s+")
_PAGE_ID = re.compile(r"([0-9a-f]{16})-([1-9][0-9]{0,5})")


@dataclass(frozen=True)
class Query:
    """What is looked for, and where; dates may be years or months."""

    text: str
    site: str | None = None
    body: str | None = None
    kind: str | None = None
    since: str | None = None
    until: str | None = None
    sort: str = RELEVANCE
    limit: int = 20
    offset: int = 0

    def __post_init__(self) -> None:
        if self.sort not in SORTS:
            raise InvalidInput(f"Results are sorted by {', '.join(SORTS)}, not {self.sort!r}.")
        if self.kind is not None and self.kind not in DOCUMENT_KINDS:
            raise InvalidInput(f"The kinds are {', '.join(DOCUMENT_KINDS)}, not {self.kind!r}.")


@dataclass(frozen=True)
class Hit:
    """A page that was found; ``snippet`` is its text in parts, each with whether it is a hit."""

    site: str
    site_name: str
    document: str
    document_id: str
    kind: str
    body: str
    date: str
    page: int
    score: float | None
    snippet: Snippet = ()
    #: Since when the source does not offer the document any more; empty if it does.
    gone_at: str = ""

    @property
    def page_id(self) -> str:
        """The permanent id of the page."""
        return page_id(self.document_id, self.page)

    @property
    def title(self) -> str:
        """What the page is from: body, date and kind."""
        return " ".join(part for part in (self.body, self.date, self.kind) if part)


class Facet(NamedTuple):
    """A value some of the found pages have, and how many."""

    value: str
    label: str
    pages: int


@dataclass(frozen=True)
class Results:
    """An answer; ``total`` counts all found pages, ``facets`` are over all of them."""

    hits: list[Hit] = field(default_factory=list)
    total: int = 0
    facets: dict[str, list[Facet]] = field(default_factory=dict)
    did_you_mean: str | None = None


class PageAddress(NamedTuple):
    """Where a page is."""

    site: str
    document: Document
    page: int


def search(storage_dir: Path, query: Query, *, timeout_seconds: float = 5.0) -> Results:
    """Return the pages that match, the best or newest first."""
    parsed = parse(query.text)
    with (
        contextlib.closing(_open_index(storage_dir)) as connection,
        _time_limit(connection, timeout_seconds),
    ):
        if not parsed.fts:
            return Results()
        connection.execute("BEGIN")
        facts = _facts_cache.facts(search_index(storage_dir), connection)
        results = _Search(connection, facts, query, parsed).run()
        if results.total:
            return _with_snippets(storage_dir, results, parsed)
        seconds = min(timeout_seconds, _SUGGESTION_SECONDS)
        with contextlib.suppress(SearchTimeout), _time_limit(connection, seconds):
            corrected = suggest.correct(connection, parsed)
            if corrected:
                other = replace(query, text=corrected.typed)
                if _Search(connection, facts, other, corrected).run().total:
                    return Results(did_you_mean=corrected.typed)
        return Results()


def check_place(storage_dir: Path, query: Query) -> None:
    """Refuse a site or body that nothing was compiled of; to be asked when nothing was found."""
    with contextlib.closing(_open_index(storage_dir)) as connection:
        rows = connection.execute(
            """SELECT DISTINCT sites.subdomain, body FROM documents
               JOIN sites ON sites.id = documents.site"""
        ).fetchall()
    if query.site and query.site not in {site for site, _ in rows}:
        raise NotFound(
            f"Nothing has been compiled of a site {query.site!r}.",
            hint="List the sites: clerk site list",
        )
    bodies = sorted({body for site, body in rows if query.site in (None, "", site)})
    if query.body and query.body.casefold() not in {body.casefold() for body in bodies}:
        raise NotFound(
            f"There is no body {query.body!r}.", hint=f"There are: {', '.join(bodies[:20])}."
        )


def find_page(storage_dir: Path, identity: str) -> PageAddress:
    """Return where the page of an id is."""
    parts = _PAGE_ID.fullmatch(identity)
    if parts is None:
        raise NotFound(f"There is no page {identity[:80]!r}.")
    site, document = find_document(storage_dir, parts[1])
    return PageAddress(site, document, int(parts[2]))


def find_document(storage_dir: Path, identity: str) -> tuple[str, Document]:
    """Return the site and the document of an id."""
    with contextlib.closing(_open_index(storage_dir)) as connection:
        row = connection.execute(
            """SELECT sites.subdomain, documents.name FROM documents
               JOIN sites ON sites.id = documents.site WHERE public_id = ?""",
            (storable(identity),),
        ).fetchone()
    if row is None:
        raise NotFound(f"There is no document {identity[:80]!r}.")
    return str(row[0]), Document.from_name(row[1])


def _open_index(storage_dir: Path) -> sqlite3.Connection:
    path = search_index(storage_dir)
    if not path.exists():
        raise NotFound("Nothing has been compiled yet.", hint="Take a site through: clerk run SITE")
    address = path.absolute().as_uri()
    try:
        return _checked(sqlite3.connect(f"{address}?mode=ro", uri=True, check_same_thread=False))
    except sqlite3.OperationalError:
        # A read-only folder has no room for the files that go with a log.
        return _checked(sqlite3.connect(f"{address}?immutable=1", uri=True))


def _checked(connection: sqlite3.Connection) -> sqlite3.Connection:
    try:
        connection.execute("SELECT 1 FROM sites LIMIT 1")
    except BaseException:
        connection.close()
        raise
    return connection


@contextlib.contextmanager
def _time_limit(connection: sqlite3.Connection, seconds: float) -> Iterator[None]:
    """Stop a query that runs too long."""
    deadline = time.monotonic() + seconds
    connection.set_progress_handler(lambda: int(time.monotonic() > deadline), _STEPS)
    try:
        yield
    except sqlite3.OperationalError as error:
        if "interrupted" not in str(error):
            raise
        raise SearchTimeout(
            f"The search took more than {seconds:g} seconds.",
            hint="Add a word, or narrow it by site, body or date.",
        ) from error
    finally:
        connection.set_progress_handler(None, 0)


class _Search:
    """One query against the index, inside a transaction: all it sees is of one moment."""

    def __init__(
        self, connection: sqlite3.Connection, facts: IndexFacts, query: Query, parsed: Parsed
    ) -> None:
        self._db = connection
        self._facts = facts
        self._query = query
        self._parsed = parsed

    def run(self) -> Results:
        """Find all pages, count them by facet, and pick those to show."""
        facts = self._facts
        # No rank where it does not matter.
        rank = "rank" if self._query.sort == RELEVANCE else "NULL"
        statement = f"SELECT {rank}, rowid FROM pages_fts WHERE pages_fts MATCH ?"
        rows = self._db.execute(statement, (self._parsed.fts,)).fetchall()
        rows = _narrowed(rows, facts.class_of, self._has_class)
        if self._query.since or self._query.until:
            rows = _narrowed(rows, facts.date_of, self._has_date)
        if not rows:
            return Results()
        hits = [self._hit(*row) for row in self._shown(rows)]
        return Results(hits, len(rows), self._facets([row >> PAGE_BITS for _, row in rows]))

    def _has_class(self, number: int) -> bool:
        """Whether documents of a class are there and wanted."""
        found, query = self._facts.classes[number], self._query
        return (
            found.site in self._facts.sites
            and (not query.site or self._facts.sites[found.site].subdomain == query.site)
            and (not query.body or found.body.casefold() == query.body.casefold())
            and (not query.kind or found.kind == query.kind)
        )

    def _has_date(self, number: int) -> bool:
        date = self._facts.dates[number]
        since, until = self._query.since or "", self._query.until or date
        return date[: len(since)] >= since and date[: len(until)] <= until

    def _shown(self, rows: list[_Row]) -> list[_Row]:
        offset = min(max(self._query.offset, 0), OFFSET_AT_MOST)
        limit = min(max(self._query.limit, 0), LIMIT_AT_MOST)
        number = offset + limit
        if self._query.sort == RELEVANCE:
            if len(rows) > _SAMPLE > 2 * number:
                # Skip at the least cost what is worse than the best of a sample.
                worst = nsmallest(number, rows[:: len(rows) // _SAMPLE])[-1][0]
                rows = [row for row in rows if row[0] <= worst]  # type: ignore[operator]
            return nsmallest(number, rows)[offset:]
        dates, date_of = self._facts.dates, self._facts.date_of
        rows.sort(key=lambda row: row[1])
        newest_first = self._query.sort == NEWEST
        rows.sort(key=lambda row: dates[date_of[row[1] >> PAGE_BITS]], reverse=newest_first)
        return rows[offset:number]

    def _hit(self, rank: float | None, row: int) -> Hit:
        number, facts = row >> PAGE_BITS, self._facts
        found = facts.classes[facts.class_of[number]]
        site = facts.sites[found.site]
        query = "SELECT name, public_id FROM documents WHERE id = ?"
        name, public_id = self._db.execute(query, (number,)).fetchone()
        return Hit(
            site=site.subdomain,
            site_name=site.name,
            document=name,
            document_id=public_id,
            kind=found.kind,
            body=found.body,
            date=facts.dates[facts.date_of[number]],
            page=row & ((1 << PAGE_BITS) - 1),
            score=None if rank is None else -rank,
        )

    def _facets(self, documents: list[int]) -> dict[str, list[Facet]]:
        """Count the found pages by place, body, kind and year; given are their documents."""
        facts = self._facts
        sites, bodies, kinds, years = (Counter[Any]() for _ in range(4))
        for number, pages in Counter(map(facts.class_of.__getitem__, documents)).items():
            found = facts.classes[number]
            sites[facts.sites[found.site]] += pages
            bodies[found.body] += pages
            kinds[found.kind] += pages
        for number, pages in Counter(map(facts.date_of.__getitem__, documents)).items():
            years[facts.dates[number][:4]] += pages
        return {
            "site": _most(Facet(site.subdomain, site.name, here) for site, here in sites.items()),
            "body": _most(Facet(body, body, here) for body, here in bodies.items()),
            "kind": _most(Facet(kind, kind, here) for kind, here in kinds.items()),
            "year": _most(
                Facet(year, year, here) for year, here in years.items() if year.isdigit()
            ),
        }


def _narrowed(
    rows: list[_Row], group_of: Sequence[int], passes: Callable[[int], bool]
) -> list[_Row]:
    """Return the rows of documents whose group passes; each group is asked once."""
    groups = [group_of[row >> PAGE_BITS] for _, row in rows]
    found = set(groups)
    passing = set(filter(passes, found))
    if len(passing) == len(found):
        return rows
    return [row for row, group in zip(rows, groups, strict=True) if group in passing]


def _most(facets: Iterable[Facet]) -> list[Facet]:
    return nsmallest(_FACET_VALUES, facets, key=lambda facet: (-facet.pages, facet.value))


def _with_snippets(storage_dir: Path, results: Results, parsed: Parsed) -> Results:
    """Add the text around the hits, from each site's own database; none if it cannot be read."""
    texts: dict[tuple[str, str], tuple[str, str | None]] = {}
    for site in {hit.site for hit in results.hits}:
        with (
            contextlib.suppress(sqlite3.Error),
            contextlib.closing(open_readonly(compiled_database(storage_dir / site))) as connection,
        ):
            # A file of an older version, which the next build replaces, does not have the column.
            current = is_current(connection)
            column = "(SELECT gone_at FROM documents WHERE name = document)" if current else "NULL"
            for hit in results.hits:
                if hit.site == site:
                    query = (
                        f"SELECT id, search_text, {column} FROM {page_table(hit.kind)} WHERE id = ?"
                    )
                    for identity, text, at in connection.execute(query, (hit.page_id,)).fetchall():
                        texts[site, identity] = (text, at)
    hits = []
    for hit in results.hits:
        text, gone_at = texts.get((hit.site, hit.page_id), ("", None))
        hits.append(replace(hit, snippet=snippet(text, parsed.terms), gone_at=gone_at or ""))
    return Results(hits, results.total, results.facets)


def snippet(text: str, terms: Sequence[Term], letters: int = _SNIPPET_LETTERS) -> Snippet:
    """Return about this many letters of a text with as many hits as possible.

    In parts, so that marking the hits comes after escaping.
    """
    hits = places(text, terms)
    begin = _best_start(text, hits, letters)
    end = min(begin + letters, len(text))
    if begin:
        space = _SPACE.search(text, begin, min(begin + _WORD, end))
        begin = space.end() if space else begin
    if end < len(text):
        space_before = text.rfind(" ", max(begin, end - _WORD), end)
        end = space_before if space_before > begin else end
    parts: list[tuple[str, bool]] = []
    at = begin
    for start, stop in hits:
        if begin <= start and stop <= end:
            parts += [(_SPACE.sub(" ", text[at:start]), False), (text[start:stop], True)]
            at = stop
    parts.append((_SPACE.sub(" ", text[at:end]), False))
    shown = [part for part in parts if part[0]]
    return [("… ", False)] * (begin > 0) + shown + [(" …", False)] * (end < len(text))


def _best_start(text: str, hits: Sequence[tuple[int, int]], letters: int) -> int:
    """Return where the piece with the most different hits, then the most hits, starts."""
    best, best_start = (0, 0), 0
    for number, (start, _) in enumerate(hits):
        last = start + letters - _BEFORE
        words = [text[a:b].lower() for a, b in hits[number : number + _WORD] if b <= last]
        score = (len(set(words)), len(words))
        if score > best:
            best, best_start = score, start
    return max(0, min(best_start - _BEFORE, len(text) - letters))
