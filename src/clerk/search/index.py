"""The index over the pages of all sites: where it lies, its fields, and the one who writes it.

::

    STORAGE_DIR/_clerk/search/
      index.json                which folder each shard has now; replaced whole
      0-000001/                 a tantivy index: the pages of the sites whose hash leads to shard 0
      0.lock                    held by the one process that writes shard 0
      0.damaged                 why a reader could not use shard 0; it is rebuilt
      0.rebuilding              how far the rebuild of shard 0 has come

A page of a document is an entry of the index.  Two other kinds of entries have no text and are
never found by a search: one for each place, and one that says up to which number of the outbox the
shard has come.  That one is written by the same commit as the pages, so that a process that is
killed neither loses a page nor has it twice.

The index holds no text: what is shown of a page comes from the site's ``meetings.db``.  Everything
in it can be made again from the sites' databases and the manifest.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import re
import shutil
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
import tantivy

from clerk.core.errors import Conflict, NotFound, StorageUnusable
from clerk.core.language import Message
from clerk.core.storage import (
    Document,
    compiled_database,
    remove_all,
    search_folder,
    written_whole,
)
from clerk.site_db import schema as site_schema
from clerk.site_db.rows import document_id

from .words import fold, folded_text, has_cjk, indexed, stemmer

#: Raised when a field or the words of pages change: an index of another version is rebuilt.
VERSION: Final = 2
#: What a writer keeps in memory before it writes a segment.
WRITER_BYTES: Final = 50_000_000
REBUILD_BYTES: Final = 150_000_000
_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
#: Bits of the order that keep documents of the same day apart.
_TIE_BITS = 24
_NO_DAY = 99_999_999
_STATE, _PLACE = "state", "place:"
#: The end of every file of tantivy: length of the footer, then this.
_MAGIC = 1337


class IndexBusy(Conflict):
    """Another process is writing the search index."""


#: What the engine says where a disk is full or must not be written to.
_NOT_WRITTEN: Final = re.compile(
    rf"IoError|No space|os error (?:{errno.EACCES}|{errno.EFBIG}|{errno.ENOSPC}|{errno.EROFS}"
    rf"|{errno.EDQUOT})\b"
)


class IndexDamaged(StorageUnusable):
    """A part of the search index cannot be read."""


def _built_schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    words: dict[str, Any] = {"tokenizer_name": "whitespace_words"}
    builder.add_text_field("text", index_option="position", **words)
    #: Stems, of the words that differ from their stem.
    builder.add_text_field("stem", index_option="freq", **words)
    for name in ("site", "state", "body", "kind", "person"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic", fast=True)
    for name in ("body_key", "person_key", "special"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    for name in ("body_words", "person_words"):
        builder.add_text_field(name, index_option="position", **words)
    # Signed: a delete by an unsigned number does nothing.
    builder.add_integer_field("document", indexed=True, fast=True)
    for name in ("year", "day"):
        builder.add_integer_field(name, indexed=True, fast=True)
    for name in ("first", "has_person"):
        builder.add_integer_field(name, indexed=True)
    for name in ("page", "pages", "newest", "oldest", "seen", "digest"):
        builder.add_integer_field(name, fast=True)
    builder.add_bytes_field("facts", stored=True, indexed=False)
    return builder.build()


SCHEMA: Final = _built_schema()

#: Values of entries that have none.  A column in which every entry has one value is counted in half
#: the time of one with gaps.
_NO_VALUES: Final[Mapping[str, Any]] = dict.fromkeys(("site", "state", "body", "kind"), "") | (
    dict.fromkeys(("document", "year", "day", "page", "newest", "oldest", "seen"), 0)
)


class Layout(msgspec.Struct):
    """Which folder each shard has."""

    version: int
    shards: list[str]


class ShardProgress(msgspec.Struct):
    """Up to where a shard has come.

    ``number`` is the last number of the outbox that was looked at.  ``waiting`` are the sites with
    changes that their database did not have yet, each with the first number that is still to be
    done; 0 if all of the site is to be compared.
    """

    number: int = 0
    waiting: dict[str, int] = {}


class StoredFacts(msgspec.Struct, array_like=True):
    """What is stored with a page, to be shown."""

    site: str
    name: str
    kind: str
    body: str
    date: str
    pages: int


class PlaceFacts(msgspec.Struct, array_like=True):
    """What is stored of a place."""

    subdomain: str
    name: str
    state: str
    language: str


@dataclass(frozen=True)
class PageText:
    """A page of a document, and the members who are named on it in a vote or as attending."""

    number: int
    text: str
    kind: str = ""
    body: str = ""
    date: str = ""
    #: Each name as it is printed -> the one name of the member.
    persons: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class IndexedDocument:
    """A document as it is put into the index."""

    id: str
    facts: StoredFacts
    state: str
    language: str
    first_seen_at: str
    digest: int
    pages: Sequence[PageText] = field(repr=False)


# --------------------------------------------------------------------------------- layout


def shard_of(subdomain: str, shards: int) -> int:
    """Return the shard of a site."""
    return zlib.crc32(subdomain.encode()) % shards


def read_layout(storage_dir: Path) -> Layout | None:
    """Return which folders the index has; None if there is no index of this version."""
    try:
        raw = (search_folder(storage_dir) / "index.json").read_bytes()
        layout = msgspec.json.decode(raw, type=Layout)
    except (OSError, msgspec.MsgspecError):
        return None
    return layout if layout.version == VERSION and layout.shards else None


def write_layout(storage_dir: Path, layout: Layout) -> None:
    """Make other folders those of the index, at once; for the one who holds the lock."""
    remove_all(search_folder(storage_dir).glob(".index.json.*.part"))
    with written_whole(search_folder(storage_dir) / "index.json") as part:
        part.write_bytes(msgspec.json.encode(layout))


@contextlib.contextmanager
def writer_lock(storage_dir: Path, shard: int | str, *, wait: bool = False) -> Iterator[None]:
    """Be the only one who writes a shard; refuse if another process is, or wait for its end."""
    path = search_folder(storage_dir) / f"{shard}.lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError as error:
            lock.seek(0)
            holder = lock.read().strip() or "?"
            raise IndexBusy(
                f"Process {holder} is writing the search index.", hint="Wait until it is done."
            ) from error
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield


def note_damage(storage_dir: Path, shard: int, reason: str) -> None:
    """Have a shard rebuilt by whoever updates the index next."""
    with contextlib.suppress(OSError):
        (search_folder(storage_dir) / f"{shard}.damaged").write_text(reason)


def damage_of(storage_dir: Path, shard: int) -> str | None:
    """Return why a shard is to be rebuilt, if it is."""
    try:
        return (search_folder(storage_dir) / f"{shard}.damaged").read_text() or "unknown"
    except OSError:
        return None


def forget_damage(storage_dir: Path, shard: int) -> None:
    """Note that a shard was rebuilt."""
    (search_folder(storage_dir) / f"{shard}.damaged").unlink(missing_ok=True)


def segment_files(folder: Path) -> list[Path]:
    """Return the files that a shard's last commit consists of."""
    try:
        segments = json.loads((folder / "meta.json").read_bytes())["segments"]
        names = {segment["segment_id"].replace("-", "") for segment in segments}
    except OSError as error:
        raise IndexDamaged(f"{folder / 'meta.json'} cannot be read: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise IndexDamaged(f"{folder / 'meta.json'} is damaged.") from error
    deletes = {
        f"{segment['segment_id'].replace('-', '')}.{segment['deletes']['opstamp']}.del"
        for segment in segments
        if segment.get("deletes")
    }
    return sorted(
        path
        for path in folder.iterdir()
        if path.name.partition(".")[0] in names
        and (not path.name.endswith(".del") or path.name in deletes)
    )


def check_file(path: Path, *, content: bool = False) -> None:
    """Raise IndexDamaged if a file of a segment is cut short, or not what was written.

    Its end is always checked, which is quick: a file cut short ends the process that maps it.
    """
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - 8))
            end = file.read(8)
            length, magic = (int.from_bytes(end[at : at + 4], "little") for at in (0, 4))
            if len(end) < 8 or magic != _MAGIC or length + 8 > size:
                raise IndexDamaged(f"{path} is incomplete.")
            if not content:
                return
            file.seek(size - 8 - length)
            crc = json.loads(file.read(length))["crc"]
            file.seek(0)
            found, left = 0, size - 8 - length
            while left > 0 and (block := file.read(min(left, 1 << 20))):
                found, left = zlib.crc32(block, found), left - len(block)
    except OSError as error:
        raise IndexDamaged(f"{path} cannot be read: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise IndexDamaged(f"{path} is damaged.") from error
    if found != crc:
        raise IndexDamaged(f"{path} has other content than was written.")


@contextlib.contextmanager
def engine_errors(folder: Path) -> Iterator[None]:
    """Turn what tantivy raises, its panics included, into errors of clerk's."""
    try:
        yield
    except (ValueError, OSError) as error:
        if isinstance(error, OSError) or _NOT_WRITTEN.search(str(error)):
            raise StorageUnusable(
                f"The search index in {folder} cannot be written: {error}",
                hint="Free space or correct the permissions; it continues where it was.",
            ) from error
        raise IndexDamaged(f"The search index in {folder} cannot be used: {error}") from error
    except BaseException as error:
        # A panic of the engine, which is no Exception.
        if type(error).__name__ != "PanicException":
            raise
        raise IndexDamaged(f"The search index in {folder} cannot be used: {error}") from error


# ------------------------------------------------------------------------- sites' databases


def open_compiled(folder: Path) -> sqlite3.Connection | None:
    """Open a site's database; None if there is none of this version that can be read."""
    path = compiled_database(folder)
    if not path.exists():
        return None
    db = site_schema.open_readonly(path)
    with contextlib.suppress(sqlite3.DatabaseError):
        if site_schema.is_current(db):
            return db
    db.close()
    return None


def place_in(db: sqlite3.Connection, subdomain: str) -> PlaceFacts:
    """Return what a site's database says of the place."""
    return place_of(dict(db.execute("SELECT key, value FROM about").fetchall()), subdomain)


def place_of(about: Mapping[str, str], subdomain: str) -> PlaceFacts:
    """Return what is indexed of the facts about a place."""
    return PlaceFacts(
        subdomain,
        about.get("name") or subdomain,
        about.get("state", ""),
        about.get("language", ""),
    )


class CompiledFacts(NamedTuple):
    """What a site's database says of a document, its pages apart."""

    id: str
    digest: str
    #: What changes with everything that is indexed of it.
    indexed_digest: int
    facts: StoredFacts
    first_seen_at: str


def compiled_documents(
    db: sqlite3.Connection, place: PlaceFacts, names: Sequence[str] | None
) -> dict[str, CompiledFacts]:
    """Return what a database says of its documents by name, of some names or of all."""
    query = "SELECT name, id, digest, kind, meeting, date, pages, first_seen_at FROM documents"
    if names is None:
        rows = db.execute(query).fetchall()
    else:
        query += " WHERE name IN (SELECT value FROM json_each(?))"
        rows = db.execute(query, (json.dumps(list(names)),)).fetchall()
    found = {}
    for name, key, digest, kind, body, date, pages, first_seen_at in rows:
        raw = repr((digest, place.state, place.language)).encode()
        number = int.from_bytes(blake2b(raw, digest_size=8).digest(), "big", signed=True)
        known = kind or site_schema.UNKNOWN
        facts = StoredFacts(place.subdomain, name, known, body or "", date or "", pages)
        found[name] = CompiledFacts(key, digest, number, facts, first_seen_at or "")
    return found


def read_document(
    db: sqlite3.Connection, place: PlaceFacts, compiled: CompiledFacts
) -> IndexedDocument:
    """Return a document with its pages.

    A page of a packet has the kind, body and date of its part.
    """
    name, kind = compiled.facts.name, compiled.facts.kind
    # A member is counted under one name, and found by each spelling.
    persons: dict[int, dict[str, str]] = {}
    named = """SELECT named.page, named.member, people.printed_name FROM (
                   SELECT votes.page, member FROM votes JOIN vote_members ON vote = votes.id
                   WHERE votes.document = :name AND votes.page IS NOT NULL
                   UNION SELECT page, printed_name FROM attendance
                   WHERE document = :name AND page IS NOT NULL AND is_member) AS named
               LEFT JOIN person_names ON person_names.meeting = :body
                   AND person_names.printed_name = named.member
               LEFT JOIN people ON people.person = person_names.person ORDER BY 1, 2"""
    for page, member, one_name in db.execute(named, {"name": name, "body": compiled.facts.body}):
        persons.setdefault(page, {})[member] = one_name or member
    texts = db.execute(
        f"""SELECT page, search_text, kind, meeting, date FROM {site_schema.page_table(kind)}
            WHERE document = ? ORDER BY page""",
        (name,),
    )
    return IndexedDocument(
        id=compiled.id,
        facts=compiled.facts,
        state=place.state,
        language=place.language,
        first_seen_at=compiled.first_seen_at,
        digest=compiled.indexed_digest,
        pages=[
            PageText(
                number=page,
                text=text,
                kind=of_page or site_schema.UNKNOWN,
                body=of_body or "",
                date=of_date or "",
                persons=persons.get(page, {}),
            )
            for page, text, of_page, of_body, of_date in texts
        ],
    )


# --------------------------------------------------------------------------------- writing


def document_number(document_id: str) -> int:
    """Return the number of a document in the index, from its permanent id."""
    return int.from_bytes(bytes.fromhex(document_id), "big", signed=True)


def document_id_of(number: int) -> str:
    """Return the permanent id of a document from its number in the index."""
    return number.to_bytes(8, "big", signed=True).hex()


def add_pages(writer: tantivy.IndexWriter, document: IndexedDocument) -> None:
    """Add the pages of a document to an index."""
    for values in _entries(document):
        writer.add_document(tantivy.Document.from_dict(values, SCHEMA))


def open_tantivy(folder: Path | None) -> tantivy.Index:
    """Return the index in a folder, or an empty one in memory, with clerk's fields and words."""
    index = tantivy.Index(SCHEMA, path=str(folder)) if folder else tantivy.Index(SCHEMA)
    words = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
    index.register_tokenizer("whitespace_words", words)
    index.config_reader("manual")
    return index


class ShardWriter:
    """Writes one shard; to be used under its lock.  Nothing is visible before a commit."""

    def __init__(self, folder: Path, *, writer_bytes: int = WRITER_BYTES) -> None:
        self.folder = folder
        self.documents = self.pages = 0
        with engine_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
            if (folder / "meta.json").exists():
                for path in segment_files(folder):
                    check_file(path)
            self._index = open_tantivy(folder)
            self._index.reload()
            self._searcher = self._index.searcher()
            self._places: dict[str, PlaceFacts] | None = None
            self._writer: tantivy.IndexWriter | None = None
            self._writer_bytes = writer_bytes

    def __enter__(self) -> ShardWriter:
        return self

    def __exit__(self, *_: object) -> None:
        """Drop what was not committed, and wait for merges: they must end under the lock."""
        if self._writer is not None:
            writer, self._writer = self._writer, None
            with engine_errors(self.folder):
                writer.wait_merging_threads()

    @property
    def writer(self) -> tantivy.IndexWriter:
        """tantivy's writer, made when it is first needed."""
        if self._writer is None:
            self._writer = self._index.writer(self._writer_bytes, 1)
        return self._writer

    def progress(self) -> ShardProgress | None:
        """Return up to where the last commit has come; None for a shard that was never written."""
        with engine_errors(self.folder):
            return _read_progress(self._searcher)

    def places(self) -> dict[str, PlaceFacts]:
        """Return the places of the last commit."""
        if self._places is None:
            self._places = read_places(self._searcher)
        return self._places

    def digest_of(self, document_id: str) -> int | None:
        """Return the digest of a document in the last commit; None if it has none."""
        number = document_number(document_id)
        query = _both(_number("document", number), _number("first", 1))
        found = [address for _, address in self._searcher.search(query, 1, count=False).hits]
        value = self._searcher.fast_field_values("digest", found)[0] if found else None
        return None if value is None else int(value)

    def digests_of_site(self, subdomain: str) -> dict[str, int]:
        """Return the digests of a site's documents in the last commit, by id."""
        query = _both(
            tantivy.Query.term_query(SCHEMA, "site", subdomain, "basic"), _number("first", 1)
        )
        total = count_pages(self._searcher, query)
        found = [
            address for _, address in self._searcher.search(query, max(1, total), count=False).hits
        ]
        numbers = self._searcher.fast_field_values("document", found)
        digests = self._searcher.fast_field_values("digest", found)
        return {
            document_id_of(int(number or 0)): int(digest or 0)
            for number, digest in zip(numbers, digests, strict=True)
        }

    def put(self, document: IndexedDocument) -> None:
        """Put a document in the place of what is there of it."""
        self.remove(document.id)
        with engine_errors(self.folder):
            add_pages(self.writer, document)
        self.documents += 1
        self.pages += len(document.pages)

    def remove(self, document_id: str) -> None:
        """Take out a document."""
        with engine_errors(self.folder):
            self.writer.delete_documents_by_term("document", document_number(document_id))

    def remove_site(self, subdomain: str) -> None:
        """Take out a site with all its documents."""
        with engine_errors(self.folder):
            self.writer.delete_documents_by_term("site", subdomain)
            self.writer.delete_documents_by_term("special", f"{_PLACE}{subdomain}")

    def put_place(self, place: PlaceFacts) -> None:
        """Put what is known of a place in the place of what was."""
        self._put_special(f"{_PLACE}{place.subdomain}", msgspec.json.encode(place))

    def _put_special(self, special: str, facts: bytes) -> None:
        with engine_errors(self.folder):
            self.writer.delete_documents_by_term("special", special)
            entry = {**_NO_VALUES, "special": special, "facts": facts}
            self.writer.add_document(tantivy.Document.from_dict(entry, SCHEMA))

    def commit(self, progress: ShardProgress) -> None:
        """Make everything visible, together with up to where the shard has come now."""
        self._put_special(_STATE, msgspec.json.encode(progress))
        with engine_errors(self.folder):
            self.writer.commit()
            self._index.reload()
            self._searcher = self._index.searcher()
            self._places = None

    def bring(
        self, db: sqlite3.Connection, subdomain: str, names: Iterable[str] | None = None
    ) -> int:
        """Bring a site to what its database shows, of some documents or of all.

        Returns how much was changed.
        """
        place = place_in(db, subdomain)
        is_new_place = self.places().get(subdomain) != place
        if is_new_place:
            self.put_place(place)
        wanted = compiled_documents(db, place, None if names is None else list(names))
        if names is None:
            known = self.digests_of_site(subdomain)
        else:
            ids = (document_id(subdomain, Document.from_name(name)) for name in set(names))
            digests = ((key, self.digest_of(key)) for key in ids)
            known = {key: digest for key, digest in digests if digest is not None}
        gone = known.keys() - {each.id for each in wanted.values()}
        for key in gone:
            self.remove(key)
        new = [
            each for _, each in sorted(wanted.items()) if known.get(each.id) != each.indexed_digest
        ]
        for each in new:
            self.put(read_document(db, place, each))
        return len(gone) + len(new) + is_new_place


def _read_progress(searcher: tantivy.Searcher) -> ShardProgress | None:
    query = tantivy.Query.term_query(SCHEMA, "special", _STATE, "basic")
    found = searcher.search(query, 1, count=False).hits
    if not found:
        return None
    facts = searcher.doc(found[0][1]).get_first("facts")
    return msgspec.json.decode(bytes(facts or b""), type=ShardProgress)


def describe(searcher: tantivy.Searcher) -> tuple[int, int, ShardProgress]:
    """Return how many documents and pages a shard has, and up to where it has come."""
    first, further = (count_pages(searcher, _number("first", value)) for value in (1, 0))
    return first, first + further, _read_progress(searcher) or ShardProgress()


def read_places(searcher: tantivy.Searcher) -> dict[str, PlaceFacts]:
    """Return the places of a shard."""
    query = tantivy.Query.regex_query(SCHEMA, "special", f"{_PLACE}.*")
    found = searcher.search(query, 1_000_000, count=False).hits
    facts = (searcher.doc(address).get_first("facts") for _, address in found)
    places = [msgspec.json.decode(bytes(each or b""), type=PlaceFacts) for each in facts]
    return {place.subdomain: place for place in places}


def count_pages(searcher: tantivy.Searcher, query: tantivy.Query) -> int:
    """Return how many pages of a shard match."""
    # The stub of the library does not declare it.
    return int(searcher.search(query, 1).count)  # type: ignore[attr-defined]


def _number(name: str, value: int) -> tantivy.Query:
    return tantivy.Query.term_query(SCHEMA, name, value, "basic")


def _both(one: tantivy.Query, other: tantivy.Query) -> tantivy.Query:
    must = tantivy.Occur.Must
    return tantivy.Query.boolean_query([(must, one), (must, other)])


def day_of(date: str) -> int:
    """Return a date as a number, 20240115; 0 if it is not known."""
    found = _DATE.match(date)
    return int("".join(found.groups())) if found else 0


def seen_at(seen: int) -> str:
    """Return when a document was first seen, from the field of its pages; empty if not known."""
    seconds = seen >> _TIE_BITS
    return datetime.fromtimestamp(seconds, UTC).isoformat() if seconds else ""


def _entries(document: IndexedDocument) -> Iterator[dict[str, Any]]:
    """Yield the values of the fields of each page."""
    facts, number = document.facts, document_number(document.id)
    tie = number & ((1 << _TIE_BITS) - 1)
    seen = 0
    with contextlib.suppress(ValueError):
        seen = int(datetime.fromisoformat(document.first_seen_at).timestamp())
    shared: dict[str, Any] = {
        "site": facts.site,
        "state": document.state,
        "document": number,
        "seen": (seen << _TIE_BITS) | tie,
        "facts": msgspec.json.encode(facts),
    }
    stems = stemmer(document.language)
    # A document without a page that could be read is listed, and not found.
    nothing = PageText(0, "", facts.kind, facts.body, facts.date)
    is_first = True
    for page in document.pages or (nothing,):
        text = folded_text(page.text)
        words = text.split()
        day = day_of(page.date)
        values = shared | {
            "page": page.number,
            "kind": page.kind,
            "body": page.body,
            "year": day // 10_000,
            "day": day,
            "newest": (day << _TIE_BITS) | tie,
            "oldest": ((day or _NO_DAY) << _TIE_BITS) | tie,
            "text": " ".join(indexed(words)) if has_cjk(text) else text,
            "stem": " ".join(stems.changed(words)),
            "first": int(is_first),
        }
        if page.body:
            key = " ".join(fold(page.body))
            values |= {"body_key": key, "body_words": key}
        if is_first:
            values |= {"pages": facts.pages, "digest": document.digest}
        if page.persons:
            members = sorted(set(page.persons.values()))
            spellings = sorted({*page.persons, *members})
            values |= {"has_person": 1, "person": members}
            values["person_key"] = [" ".join(fold(name)) for name in members]
            values["person_words"] = [" ".join(fold(name)) for name in spellings]
        yield values
        is_first = False


def remove_folders(storage_dir: Path, keep: Iterable[str]) -> None:
    """Remove the folders of shards that are not used any more."""
    kept = set(keep)
    for path in search_folder(storage_dir).glob("[0-9]*-[0-9]*"):
        if path.is_dir() and path.name not in kept:
            shutil.rmtree(path, ignore_errors=True)


def require_layout(storage_dir: Path) -> Layout:
    """Return which folders the index has; raise NotFound if there is none."""
    layout = read_layout(storage_dir)
    if layout is None:
        raise NotFound(
            Message("The search index has not been built yet."),
            hint="Run a site first: clerk run SITE",
        )
    return layout
