"""Compiling: the documents of a site become ``meetings.db``.

::

    manifest -> which documents differ from the file? -> a private copy -> write those documents
                                  |                                                |
                        none: say so                                    sync, one rename

The file is brought from whatever it was to what the manifest says, document by document.  A full
build and any sequence of incremental ones end with the same rows.  Nothing that readers can open is
written to; a build that dies leaves the old file.  Builds of one site wait for each other.

The file is published as it is, so everything in it is public: what comes from a source, an error or
an operator passes the gate (:mod:`clerk.core.public_text`) on its way in.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import msgspec

from clerk.core.config import Settings
from clerk.core.errors import BadSetting, StorageUnusable
from clerk.core.files import SiteFiles
from clerk.core.manifest import DocumentRow
from clerk.core.public_text import Gate
from clerk.core.site_extra import SiteRow, site_choices
from clerk.core.storage import (
    compile_lock,
    compile_part,
    compile_stamp,
    compiled_database,
    remove_all,
    written_whole,
)

from . import schema
from .rows import DocumentRows, rows_of

#: Facts about the site that are published with it.
_ABOUT = ("subdomain", "name", "state", "kind", "country", "lat", "lng", "start_year")


@dataclass(frozen=True)
class CompileReport:
    """What a build did; ``digest`` names the content, whoever built it."""

    path: Path
    documents: int
    pages: int
    added: Sequence[str]
    updated: Sequence[str]
    removed: Sequence[str]
    rebuilt: bool
    digest_before: str
    digest: str

    @property
    def changed(self) -> bool:
        """Whether the database is another one than before."""
        return self.digest != self.digest_before


class Content(msgspec.Struct, frozen=True):
    """What is in a compiled file: how much, and hashes that are the same whoever built it.

    ``sum`` is that of the hashes of the documents, in hexadecimal, so that a changed document
    costs no look at the others.
    """

    digest: str
    sum: str
    documents: int
    pages: int


class BuildStamp(msgspec.Struct, frozen=True):
    """How the last build left the file of a site.

    ``looks`` tells the file from any other.  ``number`` is where the outbox stood, and ``gate``
    which texts were public; these and the content are unknown of a file that was built elsewhere.
    """

    looks: str
    gate: str = ""
    number: int = 0
    content: Content | None = None


def read_stamp(folder: Path, file: Path | None = None) -> BuildStamp | None:
    """Return how the last build left the file, None if it is another file by now.

    ``file`` may be another link to it.
    """
    with contextlib.suppress(OSError, msgspec.MsgspecError):
        stamp = msgspec.json.decode(compile_stamp(folder).read_bytes(), type=BuildStamp)
        if stamp.looks == looks_of(file or compiled_database(folder)):
            return stamp
    return None


def write_stamp(folder: Path, stamp: BuildStamp) -> None:
    """Record how the file was left, unless that is on record."""
    if read_stamp(folder) != stamp:
        with written_whole(compile_stamp(folder)) as part:
            part.write_bytes(msgspec.json.encode(stamp))


@contextlib.contextmanager
def build_lock(folder: Path) -> Iterator[None]:
    """Hold the site's build lock; waits for another build to end."""
    path = compile_lock(folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@dataclass(frozen=True)
class Wanted:
    """What the manifest says of documents; of all, or of those that changed since the last build.

    ``number`` is where the outbox stood before it was asked.
    """

    documents: Mapping[str, tuple[DocumentRow, str]]
    changed: Sequence[str] | None
    number: int


#: Returns the documents of these names, or all.
Documents = Callable[[Sequence[str] | None], Iterable[DocumentRow]]
#: Returns the names of the documents that changed behind a number of the outbox, and the last
#: number; None if that cannot be told.
Changes = Callable[[int], tuple[Sequence[str] | None, int]]


def compile_site(
    files: SiteFiles, documents: Documents, site: SiteRow, changes: Changes | None = None
) -> CompileReport:
    """Bring ``meetings.db`` to what the manifest says; costs what changed since the last build.

    A file that is missing, damaged or of another version is rebuilt.  The manifest is asked when no
    other build is under way, so that an older answer never replaces a later one.  ``changes``
    says which documents changed; without it all are compared.
    """
    folder = files.folder
    gate = Gate.for_site(files.settings, site)
    about = about_site(files.settings, site, gate) | {"subdomain": files.subdomain}

    def ask(after: int | None) -> Wanted:
        changed, number = changes(-1 if after is None else after) if changes else (None, 0)
        if after is None:
            changed = None
        rows = [row for row in documents(changed) if row.text_sha256]
        all_public = gate.allows_name("\n".join(row.name for row in rows))
        public = (row for row in rows if all_public or gate.allows_name(row.name))
        return Wanted({row.name: (row, digest_of(row, gate)) for row in public}, changed, number)

    try:
        with build_lock(folder):
            try:
                # Where the outbox stood when the file was built: if that is known, if it was built
                # with this gate, and if it is still the file that was built.
                built_at, stamp = None, read_stamp(folder) if changes else None
                if stamp is not None and stamp.gate == gate.fingerprint():
                    path = compiled_database(folder)
                    with contextlib.closing(schema.open_readonly(path)) as db:
                        built_at = stamp.number if schema.is_current(db) else None
                return _build(files, ask(built_at), about, gate, compiled_database(folder))
            except sqlite3.DatabaseError:
                return _build(files, ask(None), about, gate, None)
    except (OSError, sqlite3.Error) as error:
        if isinstance(error, StorageUnusable):
            raise
        raise StorageUnusable(
            f"{compiled_database(folder)} cannot be built: {error}.",
            hint="Free space or correct the permissions of the folder, then run it again.",
        ) from error


def about_site(settings: Settings, site: SiteRow, gate: Gate) -> dict[str, str]:
    """Return the facts about a site that are published with it.

    The language is that of its documents, by tesseract's name: the first that it is read in.
    """
    about = {key: str(gate(str(value))) for key in _ABOUT if (value := site.get(key)) is not None}
    chosen: Sequence[str] = ()
    with contextlib.suppress(BadSetting):
        chosen = site_choices(site).languages
    return about | {"language": str((*chosen, *settings.ocr_languages)[0])}


def _build(
    files: SiteFiles, asked: Wanted, about: Mapping[str, str], gate: Gate, current: Path | None
) -> CompileReport:
    """Write what differs from the current file, or everything if there is none, and swap it in."""
    target, part = compiled_database(files.folder), compile_part(files.folder)
    wanted = asked.documents
    # What a build that was killed has left.
    remove_all([part, *part.parent.glob(f".{compile_stamp(files.folder).name}.*.part")])
    compiled: dict[str, str] = {}
    about_before: dict[str, str] = {}
    before = None
    if current is not None and current.exists():
        with contextlib.closing(schema.open_readonly(current, reads_all=True)) as db:
            # As the last build left it, or in order by proof.
            check = "PRAGMA quick_check"
            stamp = read_stamp(files.folder)
            if schema.is_current(db) and (stamp or db.execute(check).fetchone() == ("ok",)):
                query = "SELECT name, digest FROM documents"
                if asked.changed is not None:
                    query += " WHERE name IN (SELECT value FROM json_each(:names))"
                names = json.dumps(list(asked.changed or ()))
                compiled = dict(db.execute(query, {"names": names}).fetchall())
                about_before = dict(db.execute("SELECT key, value FROM about").fetchall())
                before = (stamp and stamp.content) or content_of(db)
    is_new = before is None
    removed = sorted(compiled.keys() - wanted.keys())
    added = sorted(wanted.keys() - compiled.keys())
    updated = sorted(
        name for name in wanted.keys() & compiled.keys() if compiled[name] != wanted[name][1]
    )
    changed = bool(is_new or removed or updated or added or about_before != about)
    if changed:
        part.parent.mkdir(parents=True, exist_ok=True)
        if not is_new:
            _copy(target, part)
        with contextlib.closing(schema.open_private(part)) as db:
            if is_new:
                schema.create(db)
            db.execute("BEGIN")
            # Loading the rules about names and matters takes as long as a build without changes.
            from .joined import Joins

            joins = Joins(db)
            if not is_new:
                joins.note([*removed, *updated])
            pages = before.pages if before else 0
            for name in (*removed, *updated):
                pages -= _remove(db, name)
            for name in (*updated, *added):
                row, digest = wanted[name]
                rows = _read(files, row, digest, gate)
                _add(db, rows, with_full_text=not is_new)
                pages += len(rows.pages)
            if not is_new:
                joins.note([*updated, *added])
                joins.join()
            db.execute("DELETE FROM about")
            schema.insert(db, "about", sorted(about.items()))
            if is_new:
                # In one go, which is quicker than page by page.
                for table in schema.PAGE_TABLES:
                    db.execute(f"INSERT INTO {table}_fts({table}_fts) VALUES ('rebuild')")
            db.execute("COMMIT")
            if is_new:
                db.executescript(schema.INDEXES)
                # Who and what is the same in all documents is looked up by index.
                db.execute("BEGIN")
                joins.note(None)
                joins.join()
                db.execute("COMMIT")
        with part.open("rb") as file:
            os.fsync(file)
        part.chmod(0o644)
        part.replace(target)
        documents = (before.documents if before else 0) + len(added) - len(removed)
        former = [(name, compiled[name]) for name in (*removed, *updated)]
        latter = [(name, wanted[name][1]) for name in (*updated, *added)]
        summed = int(before.sum, 16) if before else 0
        summed += _sum_of(latter) - _sum_of(former)
        now = _content(summed, documents, pages, about)
    else:
        assert before is not None
        now = before
    stamp = BuildStamp(looks_of(target), gate.fingerprint(), asked.number, now)
    write_stamp(files.folder, stamp)
    digest_before = before.digest if before else ""
    return CompileReport(
        target,
        now.documents,
        now.pages,
        added,
        updated,
        removed,
        is_new,
        digest_before,
        now.digest,
    )


#: Linux: let a file share the blocks of another until one of them is written to.
_FICLONE = 0x40049409


def _copy(source: Path, target: Path) -> None:
    """Copy a file, without copying its content where the file system can do that."""
    with source.open("rb") as original, target.open("wb") as copy:
        try:
            fcntl.ioctl(copy, _FICLONE, original.fileno())
        except OSError:
            # By the system itself where it can, which saves taking the bytes through this process.
            shutil.copyfile(source, target)


def looks_of(path: Path) -> str:
    """Return what tells a file from the one that replaces it."""
    facts = path.stat()
    return f"{facts.st_ino} {facts.st_size} {facts.st_mtime_ns}"


def digest_of(row: DocumentRow, gate: Gate) -> str:
    """Return the hash of what is published of a document: the same on every machine."""
    published = (
        *(row.text_sha256, row.findings_sha256, row.pdf_sha256, row.bytes),
        *(gate.source(row.source_url), row.fetched_at, row.gone_at),
        *(row.kind, row.body, row.date, row.title, row.file_name, row.sequence, row.parts),
        json.dumps(row.evidence, sort_keys=True),
    )
    return blake2b(repr(published).encode(), digest_size=16).hexdigest()


def content_of(db: sqlite3.Connection) -> Content:
    """Return what is in a compiled file, by looking at all of its documents."""
    documents = db.execute("SELECT name, digest FROM documents").fetchall()
    (pages,) = db.execute("SELECT count(*) FROM pages").fetchone()
    about = dict(db.execute("SELECT key, value FROM about").fetchall())
    return _content(_sum_of(documents), len(documents), pages, about)


def _content(summed: int, documents: int, pages: int, about: Mapping[str, str]) -> Content:
    in_hex = f"{summed % 2**128:032x}"
    described = repr((in_hex, documents, sorted(about.items())))
    digest = blake2b(described.encode(), digest_size=16).hexdigest()
    return Content(digest, in_hex, documents, pages)


def _sum_of(documents: Iterable[tuple[str, str]]) -> int:
    """Return the sum of the hashes of documents, each given by its name and digest."""
    hashes = (blake2b(repr(each).encode(), digest_size=16).digest() for each in documents)
    return sum(int.from_bytes(each) for each in hashes)


def digest_of_site(folder: Path, file: Path | None = None) -> str:
    """Return the hash of the content of a site's file, which was noted when it was built.

    ``file`` is another file of the site, which may be a link to it.
    """
    stamp = read_stamp(folder, file)
    if stamp and stamp.content:
        return stamp.content.digest
    path = file or compiled_database(folder)
    with contextlib.closing(schema.open_readonly(path, reads_all=True)) as db:
        return content_of(db).digest


def is_outdated(folder: Path) -> bool:
    """Whether a site was compiled, but not by this version: its file may not be all public."""
    path = compiled_database(folder)
    if not path.exists():
        return False
    try:
        with contextlib.closing(schema.open_readonly(path)) as db:
            return not schema.is_current(db)
    except sqlite3.Error:
        return True


def _read(files: SiteFiles, row: DocumentRow, digest: str, gate: Gate) -> DocumentRows:
    found = None
    if row.findings_sha256:
        found = files.findings(row.document, row.findings_sha256)
    with files.text(row.document, row.text_sha256 or "") as text:
        return rows_of(files.subdomain, row, text, found, digest, gate)


def _add(db: sqlite3.Connection, new: DocumentRows, *, with_full_text: bool) -> None:
    """Write a document that is not in the file."""
    table = new.page_table
    schema.insert(db, "documents", [new.document])
    schema.insert(db, f"{table} ({schema.PAGE_COLUMNS})", new.pages)
    if with_full_text:
        db.execute(
            f"""INSERT INTO {table}_fts(rowid, search_text)
                SELECT rowid, search_text FROM {table} WHERE document = ? ORDER BY rowid""",
            (new.document[0],),
        )
    for table, rows in new.found.items():
        schema.insert(db, table, rows)


def _remove(db: sqlite3.Connection, document: str) -> int:
    """Take a document out, with everything that belongs to it; return how many pages it had."""
    table, name = schema.table_of_document(db, document), (document,)
    db.execute(
        f"""INSERT INTO {table}_fts({table}_fts, rowid, search_text)
            SELECT 'delete', rowid, search_text FROM {table} WHERE document = ?""",
        name,
    )
    pages = db.execute(f"DELETE FROM {table} WHERE document = ?", name).rowcount
    db.execute(
        "DELETE FROM vote_members WHERE vote IN (SELECT id FROM votes WHERE document = ?)", name
    )
    db.execute(
        """DELETE FROM matter_votes
           WHERE appearance IN (SELECT id FROM matter_appearances WHERE document = ?)""",
        name,
    )
    for each in schema.OF_A_DOCUMENT:
        db.execute(f"DELETE FROM {each} WHERE document = ?", name)
    db.execute("DELETE FROM documents WHERE name = ?", name)
    return pages
