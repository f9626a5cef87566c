"""Filling FTS5 tables: page by page for changes, on all cores for everything.

Indexing is where a full build spends its time, and one FTS5 table is written by one thread.  But
an index is a set of segments, each complete in itself: every core fills private tables of its own
(a part), and the finished segments are copied below the real table, or below several.  What FTS5
keeps in its shadow tables, as far as it matters here:

- ``_data``: id 1 the totals (rows, tokens per column) and id 10 the list of segments, both as
  variable-length integers; a leaf page of segment *s* has an id from ``s << 37``;
- ``_idx``: where in a segment a term is, by segment number;
- ``_docsize``: the tokens of each row.

That layout is part of the file format (version 4) and so as stable as the files themselves; any
other version is filled by one thread.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from queue import Queue
from typing import NamedTuple
from uuid import uuid4

import msgspec

from clerk.site_db import schema

_TOTALS_ID, _STRUCTURE_ID, _SEGMENT_SHIFT = 1, 10, 37
_FORMAT = 4
#: Bytes of postings held in memory before they become a segment.  More would not fit into the
#: caches of a processor, which costs more than the larger number of segments does.
_HASH_BYTES, _LARGE_HASH_BYTES = 1 << 22, 1 << 25
#: A part is only ever added to.
_CACHE_KB = 4096
#: Pages handed to a thread together; each batch becomes a segment, and merging costs time.
_BATCH = 4000
#: Where grafted segments go: below the levels that each write looks at, and merges when crowded.
_DEEP = 4
#: Large segments go deeper, three to a level: where there are four, later writes would merge them.
_DEEPER, _DEEPEST = 8, 60
_SEGMENTS_IN_LEVEL = 3
#: SQLite attaches ten files at most.
PARTS_AT_MOST = 8
#: What the table of a part is called that has only one.
_TABLE = "pages_fts"
#: FTS5 has no more numbers for segments.
_LAST_SEGMENT = 2000
#: For each page of the index that is moved in, so many may be written to merge segments; but a
#: large arrival is left to be merged by later ones, unless segments have piled up.
_MERGE_FACTOR = 4
_MERGE_PAGES = 64
_MERGE_PAGES_AT_MOST = 500
_MANY_SEGMENTS = 400

Rows = list[tuple[int, str]]


_PART_SETTINGS = {"automerge": 0, "crisismerge": 1000}
_INDEX_BATCH = """
INSERT INTO {table}(rowid, search_text)
SELECT value ->> 0, CAST(substr(?1, value ->> 1, value ->> 2) AS TEXT) FROM json_each(?2)
"""


class _Batch(NamedTuple):
    """Texts one after the other, and (rowid, start, length) of each as JSON."""

    texts: bytes
    places: str


class _Segment(NamedTuple):
    number: int
    first_page: int
    last_page: int


class _Level(NamedTuple):
    """Segments; of ``merging`` ones, the first, FTS5 is making the last one of the next level."""

    merging: int
    segments: list[_Segment]


def add(connection: sqlite3.Connection, table: str, rows: Iterable[tuple[int, str]]) -> None:
    """Index some rows, given in ascending order."""
    connection.executemany(f"INSERT INTO {table}(rowid, search_text) VALUES (?, ?)", rows)


def remove(connection: sqlite3.Connection, table: str, rows: Iterable[tuple[int, str]]) -> None:
    """Take rows out of the index; the text must be what was indexed."""
    statement = f"INSERT INTO {table}({table}, rowid, search_text) VALUES ('delete', ?, ?)"
    connection.executemany(statement, rows)


class Filler:
    """Indexes rows on all cores while the caller goes on, into parts.

    Rows are given in ascending order.  A thread is started when there is a batch for it, so few
    rows cost one.
    """

    TABLE = _TABLE

    def __init__(self, scratch: Path) -> None:
        self._scratch = scratch
        self._threads = min(os.cpu_count() or 1, PARTS_AT_MOST)
        self._pool = ThreadPoolExecutor(self._threads)
        self._queue: Queue[_Batch | None] = Queue(maxsize=self._threads)
        self._waiting: Rows = []
        self._parts: dict[Path, Future[None]] = {}

    def add(self, rows: Rows) -> None:
        """Index these rows."""
        self._waiting += rows
        if len(self._waiting) >= _BATCH:
            self._hand_over()

    def finish(self) -> list[Path]:
        """Return the files with the indexed rows; a failure of any thread is raised here."""
        if self._waiting:
            self._hand_over()
        for _ in self._parts:
            self._queue.put(None)
        self._pool.shutdown()
        for part in self._parts.values():
            part.result()
        return list(self._parts)

    def _hand_over(self) -> None:
        if len(self._parts) < self._threads:
            path = self._scratch / f"{uuid4().hex}.db"
            self._parts[path] = self._pool.submit(_fill, path, self._queue)
        self._queue.put(_packed(self._waiting))
        self._waiting = []


def _packed(rows: Rows) -> _Batch:
    """Pack rows for one statement: row by row, the threads would fight for the interpreter."""
    texts = [text.encode() for _, text in rows]
    ends = list(itertools.accumulate(map(len, texts), initial=0))
    places = [
        (rowid, end - len(text) + 1, len(text))
        for (rowid, _), text, end in zip(rows, texts, ends[1:], strict=True)
    ]
    return _Batch(b"".join(texts), msgspec.json.encode(places).decode())


def _fill(path: Path, queue: Queue[_Batch | None]) -> None:
    """Take batches into one part until there are no more."""
    try:
        with contextlib.closing(Part(path, [_TABLE])) as part:
            part.connection.execute("BEGIN")
            while batch := queue.get():
                part.add_batch(_TABLE, batch)
            part.finish()
    except BaseException:
        while queue.get():
            pass
        raise


class Part:
    """Tables of the full text in a file of their own, filled by one process or thread.

    ``connection`` may be used to put other tables beside them.  Large segments are slower to fill.
    """

    def __init__(self, path: Path, tables: Sequence[str], *, large: bool = False) -> None:
        self._settings = _PART_SETTINGS | {"hashsize": _LARGE_HASH_BYTES if large else _HASH_BYTES}
        self.connection = schema.open_private(path)
        self.connection.execute(f"PRAGMA page_size = {schema.PAGE_SIZE}")
        self.connection.execute(f"PRAGMA cache_size = -{_CACHE_KB}")
        for table in tables:
            self._create(table)

    def _create(self, table: str) -> None:
        self.connection.execute(
            f"""CREATE VIRTUAL TABLE {table} USING fts5(
                search_text, content="", tokenize="{schema.TOKENIZER}")"""
        )
        for setting, value in self._settings.items():
            self.connection.execute(
                f"INSERT INTO {table}({table}, rank) VALUES ('{setting}', {value})"
            )

    def add(self, table: str, rows: Iterable[tuple[int, str]]) -> None:
        """Index some rows, given in ascending order."""
        add(self.connection, table, rows)

    def add_batch(self, table: str, batch: _Batch) -> None:
        """Index packed rows by one statement."""
        self.connection.execute(_INDEX_BATCH.format(table=table), batch)

    def finish(self) -> None:
        """Write what is in memory and close the file."""
        self.connection.execute("COMMIT")
        self.close()

    def close(self) -> None:
        """Close the file as it is."""
        self.connection.close()


@contextlib.contextmanager
def attached(connection: sqlite3.Connection, paths: Sequence[Path]) -> Iterator[list[str]]:
    """Attach the filled parts for the block, outside of any transaction."""
    names = [f"part{number}" for number in range(len(paths))]
    for name, path in zip(names, paths, strict=True):
        connection.execute(f"ATTACH ? AS {name}", (str(path),))
    try:
        yield names
    finally:
        for name in names:
            connection.execute(f"DETACH {name}")


def pages(connection: sqlite3.Connection, table: str) -> int:
    """Return how many pages are indexed, without counting them."""
    return _totals(connection, f"main.{table}")[0]


def index_all(connection: sqlite3.Connection, kind: str) -> None:
    """Fill the full text of a kind of pages again, from the table."""
    connection.execute(f"INSERT INTO {kind}_fts({kind}_fts) VALUES ('rebuild')")


def index_from(connection: sqlite3.Connection, kind: str, first: int) -> None:
    """Add the pages of a kind with numbers from this one to the full text."""
    connection.execute(
        f"""INSERT INTO {kind}_fts(rowid, search_text)
            SELECT rowid, search_text FROM {kind} WHERE rowid >= ?""",
        (first,),
    )


def graft(
    connection: sqlite3.Connection, table: str, sources: Sequence[str], *, large: bool = False
) -> int:
    """Copy the segments of attached tables below a table of the same columns and tokenizer.

    Returns how many pages of the index were copied.  FTS5 keeps the list of segments in memory once
    it has used a table: the connection must not have used it before.
    """
    moved_pages = 0
    levels = _structure(connection, f"main.{table}")
    used = {segment.number for level in levels for segment in level.segments}
    free = (number for number in range(1, _LAST_SEGMENT) if number not in used)
    totals = _totals(connection, f"main.{table}")
    levels += [_Level(0, []) for _ in range(_DEEPEST + 1 - len(levels))]
    for source in sources:
        for segment in _segments(connection, source):
            moved = segment._replace(number=next(free))
            _move_segment(connection, table, source, segment.number, moved.number)
            _place(levels, _room(levels) if large else _DEEP, moved)
            moved_pages += moved.last_page - moved.first_page + 1
        connection.execute(f"INSERT INTO main.{table}_docsize SELECT * FROM {source}_docsize")
        totals = [a + b for a, b in zip(totals, _totals(connection, source), strict=True)]
    _write(connection, table, levels, totals)
    return moved_pages


def _room(levels: list[_Level]) -> int:
    """Return the level a large segment goes to."""
    for number in range(_DEEPER, _DEEPEST):
        if len(levels[number].segments) < _SEGMENTS_IN_LEVEL:
            return number
    return _DEEPEST


def _place(levels: list[_Level], number: int, segment: _Segment) -> None:
    """Put a segment into a level; one that is being made there stays the last."""
    segments = levels[number].segments
    segments.insert(len(segments) - bool(levels[number - 1].merging), segment)


def can_graft(connection: sqlite3.Connection, table: str) -> bool:
    """Whether the table has the layout described above."""
    query = f"SELECT v FROM {table}_config WHERE k = 'version'"
    return bool(connection.execute(query).fetchone() == (_FORMAT,))


def _move_segment(
    connection: sqlite3.Connection, table: str, source: str, number: int, to: int
) -> None:
    connection.execute(
        f"""INSERT INTO main.{table}_data(id, block)
            SELECT id + ?, block FROM {source}_data WHERE id >= ? AND id < ?""",
        (
            (to - number) << _SEGMENT_SHIFT,
            number << _SEGMENT_SHIFT,
            (number + 1) << _SEGMENT_SHIFT,
        ),
    )
    connection.execute(
        f"""INSERT INTO main.{table}_idx(segid, term, pgno)
            SELECT ?, term, pgno FROM {source}_idx WHERE segid = ?""",
        (to, number),
    )


def _block(connection: sqlite3.Connection, table: str, number: int) -> bytes:
    row = connection.execute(f"SELECT block FROM {table}_data WHERE id = ?", (number,)).fetchone()
    return bytes(row[0]) if row else b""


def _segments(connection: sqlite3.Connection, table: str) -> list[_Segment]:
    levels = _structure(connection, table)
    return [segment for level in levels for segment in level.segments]


def _structure(connection: sqlite3.Connection, table: str) -> list[_Level]:
    """Return the segments by level: cookie, levels, segments, writes, then each level's."""
    numbers = _integers(_block(connection, table, _STRUCTURE_ID)[4:])
    levels, _, _ = next(numbers), next(numbers), next(numbers)
    return [_level(numbers) for _ in range(levels)]


def _level(numbers: Iterator[int]) -> _Level:
    merging, segments = next(numbers), next(numbers)
    found = [_Segment(next(numbers), next(numbers), next(numbers)) for _ in range(segments)]
    return _Level(merging, found)


def _totals(connection: sqlite3.Connection, table: str) -> list[int]:
    """Return rows and tokens; an empty table has none written down."""
    return list(_integers(_block(connection, table, _TOTALS_ID))) or [0, 0]


def _write(
    connection: sqlite3.Connection, table: str, levels: list[_Level], totals: list[int]
) -> None:
    cookie = _block(connection, f"main.{table}", _STRUCTURE_ID)[:4]
    while levels and not levels[-1].segments:
        levels.pop()
    segments = [segment for level in levels for segment in level.segments]
    numbers = [len(levels), len(segments), sum(segment.last_page for segment in segments)]
    for merging, found in levels:
        numbers += [merging, len(found), *(number for segment in found for number in segment)]
    statement = f"REPLACE INTO main.{table}_data(id, block) VALUES (?, ?)"
    connection.execute(statement, (_STRUCTURE_ID, cookie + b"".join(map(_varint, numbers))))
    connection.execute(statement, (_TOTALS_ID, b"".join(map(_varint, totals))))


def merge(connection: sqlite3.Connection, table: str, moved: int) -> None:
    """Merge as much as keeps grafted segments, of so many pages, from piling up."""
    pages = _MERGE_PAGES + _MERGE_FACTOR * moved
    if len(_segments(connection, f"main.{table}")) < _MANY_SEGMENTS:
        pages = min(pages, _MERGE_PAGES_AT_MOST)
    connection.execute(f"INSERT INTO {table}({table}, rank) VALUES ('merge', ?)", (pages,))


def _integers(block: bytes) -> Iterator[int]:
    """Yield SQLite's variable-length integers: seven bits a byte, the ninth byte whole."""
    value, length = 0, 0
    for byte in block:
        length += 1
        if length == 9:
            yield (value << 8) | byte
        elif byte & 0x80:
            value = (value << 7) | (byte & 0x7F)
            continue
        else:
            yield (value << 7) | byte
        value, length = 0, 0


def _varint(value: int) -> bytes:
    """Return one such integer; sizes and numbers here stay far below the nine-byte form."""
    encoded = [value & 0x7F]
    while value := value >> 7:
        encoded.append((value & 0x7F) | 0x80)
    return bytes(reversed(encoded))
