"""``STORAGE_DIR/sites.db``: one full-text index over the pages of all sites.

Why one index, and not the sites' own databases attached to each other: SQLite attaches ten files,
so a search would have to open every site in turn, and ranks of different databases cannot be
compared.

::

    sites 1 --- n documents 1 --- n rows of pages_fts, rowid = document << 16 | page

The index holds no text: a snippet is taken from the site's ``meetings.db``.  Without the text a row
cannot be taken out of it, so a changed document gets a new number and the rows of the old one lead
nowhere.  When more rows lead nowhere than somewhere, the index is made again from the sites'
databases; that is paid for by the pages added since.

Updates of several processes wait for each other; readers never wait: more than a few pages are
indexed aside, and the finished segments are moved in by one short transaction.
"""

from __future__ import annotations

import contextlib
import fcntl
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from clerk.core.storage import own_files, remove_all, search_lock
from clerk.site_db import DATABASE, CompileReport, content_digest, schema

from . import fts

VERSION = 2
INDEX = "sites.db"
#: Names of numbers drawn by lot, kept beside the counts: one is drawn when the index is made, the
#: other at every change.  Who has read something knows by them whether it is still so.
MADE, STAMP = "made", "stamp"
PAGE_BITS = schema.PAGE_BITS
#: So many rows may lead nowhere without anybody minding.
_STALE_PAGES = 10_000
_WAIT_SECONDS = 600.0
#: So many pages are indexed in place, which keeps the index in better order and costs less.
_FEW_PAGES = 500

_SCHEMA = f"""
CREATE TABLE sites (
    id INTEGER PRIMARY KEY AUTOINCREMENT, subdomain TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
    state TEXT NOT NULL, digest TEXT NOT NULL
);
CREATE TABLE documents (
    id INTEGER PRIMARY KEY AUTOINCREMENT, site INTEGER NOT NULL, public_id TEXT NOT NULL,
    name TEXT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL, date TEXT NOT NULL,
    pages INTEGER NOT NULL, digest TEXT NOT NULL, UNIQUE (site, name)
);
CREATE UNIQUE INDEX documents_public_id ON documents(public_id);
CREATE TABLE counts (name TEXT PRIMARY KEY, pages INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO counts VALUES ('stale', 0), ('live', 0), ('{MADE}', random());
CREATE VIRTUAL TABLE pages_fts USING fts5(
    search_text, content="", tokenize="{schema.TOKENIZER}"
);
PRAGMA application_id = {schema.APPLICATION_ID};
PRAGMA user_version = {VERSION};
"""


class Built(NamedTuple):
    """A document of a site: its columns here."""

    number: int
    public_id: str
    name: str
    kind: str
    body: str
    date: str
    pages: int
    digest: str


def index_path(storage_dir: Path) -> Path:
    """Return where the index is."""
    return storage_dir / INDEX


def update_site(folder: Path, built: CompileReport) -> None:
    """Bring the index to what the site's database shows; forget sites whose folder is gone.

    Costs what the build touched, if the index stood where the build began; else the documents are
    compared by hash.  An index that is missing or damaged is made again from all sites.
    """
    storage_dir = folder.parent
    with _updating(storage_dir):
        try:
            with contextlib.closing(_opened(storage_dir)) as connection:
                _forget_missing(connection, storage_dir)
                touched = [*built.added, *built.updated, *built.removed]
                _Update(connection, folder).run(built.digest_before, built.digest, touched)
                if _is_crowded(connection):
                    _make_again(storage_dir, connection)
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError) and "malformed" not in str(error):
                raise
            _make_again(storage_dir, None)


def _count(connection: sqlite3.Connection, name: str, pages: int) -> None:
    connection.execute("UPDATE counts SET pages = pages + ? WHERE name = ?", (pages, name))


def forget_site(storage_dir: Path, subdomain: str) -> None:
    """Take a site out of the index."""
    if index_path(storage_dir).exists():
        with _updating(storage_dir), contextlib.closing(_opened(storage_dir)) as connection:
            _forget(connection, [subdomain])


def remake(storage_dir: Path) -> None:
    """Make the index again from the databases of all sites."""
    with _updating(storage_dir):
        _make_again(storage_dir, None)


@contextlib.contextmanager
def _updating(storage_dir: Path) -> Iterator[None]:
    """Wait for other updates to end: the queue before SQLite's own lock, which is not fair."""
    own_files(storage_dir).mkdir(parents=True, exist_ok=True)
    with search_lock(storage_dir).open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        remove_all(own_files(storage_dir).glob("index.*"))
        yield


def _opened(storage_dir: Path) -> sqlite3.Connection:
    """Open the index for writing, and make it if it is not there."""
    connection = sqlite3.connect(
        index_path(storage_dir), isolation_level=None, timeout=_WAIT_SECONDS
    )
    try:
        connection.execute(f"PRAGMA page_size = {schema.PAGE_SIZE}")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA cache_size = -32768")
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version == 0:
            connection.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} COMMIT;")
        elif version != VERSION:
            raise sqlite3.DatabaseError(f"version {version} of the index")
    except BaseException:
        connection.close()
        raise
    return connection


def _forget_missing(connection: sqlite3.Connection, storage_dir: Path) -> None:
    known = [row[0] for row in connection.execute("SELECT subdomain FROM sites")]
    gone = [name for name in known if not (storage_dir / name / DATABASE).exists()]
    if gone:
        _forget(connection, gone)


def _forget(connection: sqlite3.Connection, subdomains: Iterable[str]) -> None:
    connection.execute("BEGIN IMMEDIATE")
    for subdomain in subdomains:
        _drop(connection, _documents_of(connection, subdomain))
        connection.execute("DELETE FROM sites WHERE subdomain = ?", (subdomain,))
    _stamp(connection)
    connection.execute("COMMIT")


def _documents_of(connection: sqlite3.Connection, subdomain: str) -> list[int]:
    query = "SELECT id FROM documents WHERE site = (SELECT id FROM sites WHERE subdomain = ?)"
    return [number for (number,) in connection.execute(query, (subdomain,)).fetchall()]


def _made(connection: sqlite3.Connection) -> int:
    query = "SELECT pages FROM counts WHERE name = ?"
    return int(connection.execute(query, (MADE,)).fetchone()[0])


def _next_number(connection: sqlite3.Connection) -> int:
    """Return a number no document ever had, nor any after it; only the lock's holder may ask."""
    query = "SELECT seq FROM sqlite_sequence WHERE name = 'documents'"
    row = connection.execute(query).fetchone()
    return (int(row[0]) if row else 0) + 1


def _set_last_number(connection: sqlite3.Connection, last: int) -> None:
    connection.execute("DELETE FROM sqlite_sequence WHERE name = 'documents'")
    connection.execute("INSERT INTO sqlite_sequence VALUES ('documents', ?)", (last,))


def _stamp(connection: sqlite3.Connection) -> None:
    """Mark the index as changed, in the transaction that changes it."""
    connection.execute("INSERT OR REPLACE INTO counts VALUES (?, random())", (STAMP,))


def _drop(connection: sqlite3.Connection, documents: list[int]) -> None:
    """Take out documents; the rows of their pages lead nowhere from now on."""
    for document in documents:
        connection.execute(
            """UPDATE counts SET pages = pages + iif(name = 'stale', 1, -1) *
               (SELECT pages FROM documents WHERE id = ?)
               WHERE name IN ('stale', 'live')""",
            (document,),
        )
        connection.execute("DELETE FROM documents WHERE id = ?", (document,))


def _is_crowded(connection: sqlite3.Connection) -> bool:
    counts = dict(connection.execute("SELECT name, pages FROM counts").fetchall())
    return bool(counts["stale"] > counts["live"] + _STALE_PAGES)


def _make_again(storage_dir: Path, live: sqlite3.Connection | None) -> None:
    """Index all sites aside and take the place of the index, in one transaction of a live one."""
    with tempfile.TemporaryDirectory(prefix="index.", dir=own_files(storage_dir)) as scratch:
        new = Path(scratch)
        for database in sorted(storage_dir.glob(f"*/{DATABASE}")):
            _index_whole(new, database.parent)
        with contextlib.closing(_opened(new)) as connection:
            if live:
                connection.backup(live)
                return
            connection.execute("PRAGMA journal_mode = DELETE")
        for suffix in ("-wal", "-shm"):
            Path(f"{index_path(storage_dir)}{suffix}").unlink(missing_ok=True)
        index_path(new).replace(index_path(storage_dir))


def _index_whole(new: Path, folder: Path) -> None:
    """Index one site from its database; one that cannot be read is left for its next build."""
    with (
        contextlib.suppress(sqlite3.DatabaseError),
        contextlib.closing(schema.open_readonly(folder / DATABASE)) as source,
        contextlib.closing(_opened(new)) as connection,
    ):
        _Update(connection, folder).run("", content_digest(source), [])


class _Update:
    """One site brought up to date."""

    def __init__(self, connection: sqlite3.Connection, folder: Path) -> None:
        self._db = connection
        self._folder = folder
        self._about: dict[str, str] = {"subdomain": folder.name}

    def run(self, before: str, after: str, touched: list[str]) -> None:
        """Compare, index what is new, and move it in."""
        if self._digest() == after:
            return
        with contextlib.closing(schema.open_readonly(self._folder / DATABASE)) as source:
            self._about |= dict(source.execute("SELECT key, value FROM about").fetchall())
            names = touched if before and self._digest() == before else None
            wanted = _documents(source, names)
            known = self._known(names)
            old = [number for name, (number, digest) in known.items() if wanted.get(name) != digest]
            new = [name for name, digest in wanted.items() if known.get(name, (0, ""))[1] != digest]
            self._write(source, old, sorted(new), after)

    def _digest(self) -> str:
        row = self._db.execute(
            "SELECT digest FROM sites WHERE subdomain = ?", (self._about["subdomain"],)
        ).fetchone()
        return str(row[0]) if row else ""

    def _known(self, names: list[str] | None) -> dict[str, tuple[int, str]]:
        query = """SELECT documents.name, documents.id, documents.digest FROM documents
                   JOIN sites ON sites.id = documents.site WHERE subdomain = ?"""
        rows = _some(self._db, query, "documents.name", names, (self._about["subdomain"],))
        return {name: (number, digest) for name, number, digest in rows}

    def _write(
        self, source: sqlite3.Connection, old: list[int], new: list[str], digest: str
    ) -> None:
        documents = [
            _built(source, number, name) for number, name in enumerate(new, _next_number(self._db))
        ]
        if sum(document.pages for document in documents) <= _FEW_PAGES:
            texts = [row for document in documents for row in _pages(source, document)]
            with self._replacing(old, documents, digest):
                fts.add(self._db, "pages_fts", texts)
            return
        with tempfile.TemporaryDirectory(
            prefix="index.", dir=own_files(self._folder.parent)
        ) as scratch:
            filler = fts.Filler(Path(scratch))
            for document in documents:
                filler.add(_pages(source, document))
            with (
                fts.attached(self._db, filler.finish()) as parts,
                self._replacing(old, documents, digest),
            ):
                moved = fts.graft(
                    self._db, "pages_fts", [f"{part}.{fts.Filler.TABLE}" for part in parts]
                )
                fts.merge(self._db, "pages_fts", moved)

    @contextlib.contextmanager
    def _replacing(self, old: list[int], new: list[Built], digest: str) -> Iterator[None]:
        """Put documents in the place of others; the block adds their pages."""
        self._db.execute("BEGIN IMMEDIATE")
        _drop(self._db, old)
        self.add(new, digest)
        yield
        _stamp(self._db)
        self._db.execute("COMMIT")

    def add(self, documents: list[Built], digest: str) -> None:
        """Add documents, in the caller's transaction."""
        site = self._site(digest)
        self._db.executemany(
            "INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [(number, site, *columns) for number, *columns in documents],
        )
        _count(self._db, "live", sum(document.pages for document in documents))

    def _site(self, digest: str) -> int:
        about, subdomain = self._about, self._about["subdomain"]
        row = self._db.execute(
            """INSERT INTO sites (subdomain, name, state, digest) VALUES (?, ?, ?, ?)
               ON CONFLICT (subdomain) DO UPDATE
               SET name = excluded.name, state = excluded.state, digest = excluded.digest
               RETURNING id""",
            (subdomain, about.get("name") or subdomain, about.get("state", ""), digest),
        ).fetchone()
        return int(row[0])


def _documents(source: sqlite3.Connection, names: list[str] | None) -> dict[str, str]:
    """Return the documents of a site's database, or those of some names, with their hashes."""
    query = "SELECT name, digest FROM documents WHERE true"
    return {row[0]: row[1] for row in _some(source, query, "name", names)}


def _built(source: sqlite3.Connection, number: int, name: str) -> Built:
    """Return a document of a site's database as it stands here."""
    table = schema.table_of_document(source, name)
    row = source.execute(
        f"""SELECT id, name, coalesce(kind, '{schema.UNKNOWN}'), coalesce(meeting, ''),
                   coalesce(date, ''),
                   (SELECT count(*) FROM {table} WHERE document = name), digest
            FROM documents WHERE name = ?""",
        (name,),
    ).fetchone()
    return Built(number, *row)


def _some(
    connection: sqlite3.Connection,
    query: str,
    column: str,
    names: list[str] | None,
    values: tuple[str, ...] = (),
) -> Iterator[tuple[Any, ...]]:
    """Run a query for all names, or for the given ones in turn."""
    if names is None:
        yield from connection.execute(query, values).fetchall()
        return
    for name in names:
        yield from connection.execute(f"{query} AND {column} = ?", (*values, name)).fetchall()


def _pages(source: sqlite3.Connection, document: Built) -> list[tuple[int, str]]:
    query = f"""SELECT page, search_text FROM {schema.page_table(document.kind)}
                WHERE document = ? AND page <= ? ORDER BY page"""
    rows = source.execute(query, (document.name, schema.LAST_PAGE)).fetchall()
    return [(document.number << PAGE_BITS | page, text) for page, text in rows]
