"""``STORAGE_DIR/sites.db``: one full-text index over the pages of all sites.

Why one index, and not the sites' own databases attached to each other: SQLite attaches ten files,
so a search would have to open every site in turn, and ranks of different databases cannot be
compared.

::

    sites 1 --- n documents 1 --- n rows of pages_fts, rowid = document << 16 | page
    words       every word with the number of pages it is on, for "did you mean"

The index holds no text: a snippet is taken from the site's ``meetings.db``.  Without the text a row
cannot be taken out of it, so a changed document gets a new number and the rows of the old one lead
nowhere.  When more rows lead nowhere than somewhere, the index is made again from the sites'
databases; that is paid for by the pages added since.

Updates of several processes wait for each other; readers never wait: text is indexed aside, and the
finished segments are moved in by one short transaction.
"""

from __future__ import annotations

import contextlib
import fcntl
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clerk.work.compile import fulltext, schema
from clerk.work.compile.buffers import DATABASE, remove_all

VERSION = 1
INDEX = "sites.db"
#: Names of numbers drawn by lot, kept beside the counts: one is drawn when the index is made, the
#: other at every change.  Who has read something knows by them whether it is still so.
MADE, STAMP = "made", "stamp"
#: A page's number takes so many bits of a row's.
PAGE_BITS = 16
_LAST_PAGE = (1 << PAGE_BITS) - 1
#: So many rows may lead nowhere without anybody minding.
_STALE_PAGES = 10_000
_WAIT_SECONDS = 600.0

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
CREATE TABLE words (word TEXT PRIMARY KEY, pages INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE counts (name TEXT PRIMARY KEY, pages INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO counts VALUES ('stale', 0), ('live', 0), ('{MADE}', random());
CREATE VIRTUAL TABLE pages_fts USING fts5(
    search_text, content="", tokenize="{schema.TOKENIZER}"
);
PRAGMA application_id = {schema.APPLICATION_ID};
PRAGMA user_version = {VERSION};
"""


@dataclass(frozen=True)
class Step:
    """From which content to which a build has brought a site, and the documents it touched."""

    before: str
    after: str
    documents: list[str]


def index_path(storage_dir: Path) -> Path:
    """Return where the index is."""
    return storage_dir / INDEX


def update_site(folder: Path, about: Mapping[str, str], step: Step) -> None:
    """Bring the index to what the site's database shows; forget sites whose folder is gone.

    Costs what the step touched, if the index stood where the step began; else the documents are
    compared by hash.  An index that is missing or damaged is made again from all sites.
    """
    storage_dir = folder.parent
    with _updating(storage_dir):
        try:
            with contextlib.closing(_opened(storage_dir)) as connection:
                _forget_missing(connection, storage_dir)
                _Update(connection, folder, about).run(step)
                if _is_crowded(connection):
                    _make_again(storage_dir, connection)
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError) and "malformed" not in str(error):
                raise
            _make_again(storage_dir, None)


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
    (storage_dir / "_clerk").mkdir(parents=True, exist_ok=True)
    with (storage_dir / "_clerk" / "search.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        remove_all((storage_dir / "_clerk").glob("index.*"))
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
        row = connection.execute(
            "SELECT id FROM sites WHERE subdomain = ?", (subdomain,)
        ).fetchone()
        if row:
            query = "SELECT id FROM documents WHERE site = ?"
            _drop(connection, [number for (number,) in connection.execute(query, row)])
            connection.execute("DELETE FROM sites WHERE id = ?", row)
    _stamp(connection)
    connection.execute("COMMIT")


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
    with tempfile.TemporaryDirectory(prefix="index.", dir=storage_dir / "_clerk") as scratch:
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
        from clerk.work.compile import content_digest

        about = dict(source.execute("SELECT key, value FROM about").fetchall())
        _Update(connection, folder, about).run(Step("", content_digest(source), []))


class _Update:
    """One site brought up to date."""

    def __init__(
        self, connection: sqlite3.Connection, folder: Path, about: Mapping[str, str]
    ) -> None:
        self._db = connection
        self._folder = folder
        self._about = about

    def run(self, step: Step) -> None:
        """Compare, index what is new, and move it in."""
        if self._digest() == step.after:
            return
        with contextlib.closing(schema.open_readonly(self._folder / DATABASE)) as source:
            names = step.documents if step.before and self._digest() == step.before else None
            wanted = _documents(source, names)
            before = self._known(names)
            old = [
                number for name, (number, digest) in before.items() if wanted.get(name) != digest
            ]
            new = [
                name for name, digest in wanted.items() if before.get(name, (0, ""))[1] != digest
            ]
            self._write(source, old, sorted(new), step.after)

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
        numbers = self._reserved(len(new))
        documents = dict(zip(new, numbers, strict=True))
        with tempfile.TemporaryDirectory(
            prefix="index.", dir=self._folder.parent / "_clerk"
        ) as scratch:
            filler = fulltext.Filler(Path(scratch))
            for name, number in documents.items():
                filler.add(_pages(source, name, number))
            with fulltext.attached(self._db, filler.finish()) as parts:
                self._db.execute("BEGIN IMMEDIATE")
                _drop(self._db, old)
                self._add_documents(source, documents, digest)
                self._move_in(parts)
                _stamp(self._db)
                self._db.execute("COMMIT")

    def _reserved(self, count: int) -> range:
        """Return numbers never used before; only the holder of the lock gives them out."""
        row = self._db.execute(
            "SELECT seq FROM sqlite_sequence WHERE name = 'documents'"
        ).fetchone()
        first = (int(row[0]) if row else 0) + 1
        return range(first, first + count)

    def _add_documents(
        self, source: sqlite3.Connection, documents: Mapping[str, int], digest: str
    ) -> None:
        site = self._site(digest)
        query = "SELECT id, name, kind, meeting, date FROM documents WHERE name = ?"
        count = "SELECT count(*) FROM {} WHERE document = ?"
        for name, number in documents.items():
            row = source.execute(query, (name,)).fetchone()
            pages = source.execute(count.format(row[2]), (name,)).fetchone()[0]
            text_digest = _text_digest(source, name)
            self._db.execute(
                "INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (number, site, *row, pages, text_digest),
            )
            self._db.execute("UPDATE counts SET pages = pages + ? WHERE name = 'live'", (pages,))

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

    def _move_in(self, parts: list[str]) -> None:
        if not parts:
            return
        fulltext.merge(self._db, "pages_fts", fulltext.graft(self._db, "pages_fts", parts))
        for part in parts:
            self._db.execute(
                f"CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab({part}, part, row)"
            )
            self._db.execute(
                """INSERT INTO words SELECT term, doc FROM temp.vocabulary WHERE true
                   ON CONFLICT (word) DO UPDATE SET pages = pages + excluded.pages"""
            )
            self._db.execute("DROP TABLE temp.vocabulary")


def _documents(source: sqlite3.Connection, names: list[str] | None) -> dict[str, str]:
    """Return the documents of a site's database, or those of some names, with their hashes."""
    query = "SELECT name, text_sha256 FROM documents WHERE true"
    return {row[0]: row[1] for row in _some(source, query, "name", names)}


def _text_digest(source: sqlite3.Connection, name: str) -> str:
    query = "SELECT text_sha256 FROM documents WHERE name = ?"
    return str(source.execute(query, (name,)).fetchone()[0])


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


def _pages(source: sqlite3.Connection, name: str, number: int) -> list[tuple[int, str]]:
    kind = name.partition("/")[0]
    query = f"SELECT page, search_text FROM {kind} WHERE document = ? AND page <= ? ORDER BY page"
    rows = source.execute(query, (name, _LAST_PAGE)).fetchall()
    return [(number << PAGE_BITS | page, text) for page, text in rows]
