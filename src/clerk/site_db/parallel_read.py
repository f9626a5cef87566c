"""Reading everything on all cores, for a file that is built anew.

::

    builder  -- section 3 -->   reader   reads the documents of the section,
             <-- done --                 writes rows and full text to a part of its own

A reader is a process: reading and making rows is Python's work, of which one process does one thing
at a time.  While the readers go on, the builder puts finished parts together.  Readers end with the
builder.  Where processes cannot be had, or do not pay, the builder reads by itself.

A page's row is numbered by its document and its number in it, so that it does not matter who reads
what; a document with a page that does not fit is left to the builder.
"""

from __future__ import annotations

import contextlib
import os
import select
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import msgspec

from clerk.core.storage import KINDS, Document
from clerk.executors import child_process

from . import schema
from .differences import Disk, written
from .fts import Part
from .rows import Content
from .tables import Change, Tables, insert

#: No section is smaller than this part of all, or than so many documents: each becomes a segment
#: of the index, or more.
_SMALLEST_PART = 50
_SMALLEST_SECTION = 100
#: How many sections a reader is given in advance, so that it does not wait for the builder.
_IN_ADVANCE = 2
#: Documents of which the rows are made before they are written.
_TOGETHER = 20
#: With fewer documents than this, starting processes costs more than it saves.
_FEW_DOCUMENTS = 100
#: With more documents than this, segments are made larger, because their number is limited.
_MANY_DOCUMENTS = 50_000
_READERS_AT_MOST = 8


@dataclass(frozen=True)
class Task:
    """What is to be read, and how it is numbered."""

    disk: Disk
    subdomain: str
    documents: list[Document]
    #: The number of the first document; the others follow.
    first_number: int
    scratch: Path


class Known(msgspec.Struct, array_like=True):
    """What is known of a document once it has been read."""

    position: int
    pages: int
    text_sha256: str
    digest: str
    extracted_digest: str


class Read(msgspec.Struct, array_like=True):
    """What a reader has found in a section, beside what it has put into the part."""

    known: list[Known] = []
    vanished: list[int] = []
    #: Documents with page numbers that do not fit.
    too_long: list[int] = []


class Section(NamedTuple):
    """Documents that are read into one part."""

    positions: range
    part: Path

    @property
    def read(self) -> Read:
        """What was found, once it has been read."""
        return msgspec.msgpack.decode(self._beside.read_bytes(), type=Read)

    def write(self, read: Read) -> None:
        """Keep what was found, for the builder."""
        self._beside.write_bytes(msgspec.msgpack.encode(read))

    @property
    def _beside(self) -> Path:
        return self.part.with_suffix(".read")


class Readers:
    """The readers of one build: a context, in which they live."""

    def __init__(self, task: Task) -> None:
        # Asked before there are processes: they are forked with the answer.
        _ = task.disk.facts
        self._processes = _processes(task)
        self._sections = _sections(task, self._processes)
        self._reader = _Reader(task, self._sections)
        self._orders = (child_process.Order(str(number)) for number in range(len(self._sections)))
        self._children: list[child_process.Child] = []

    def __enter__(self) -> Readers:
        if self.are_processes:
            self._children = [
                child_process.Child(self._reader.perform) for _ in range(self._processes)
            ]
        return self

    def __exit__(self, *_: object) -> None:
        for child in self._children:
            child.dismiss()

    @property
    def are_processes(self) -> bool:
        """Whether the readers are others than the builder."""
        return self._processes > 1

    def read(self) -> Iterator[Section]:
        """Read everything; yield the sections one after the other."""
        if not self._children:
            for order, section in zip(self._orders, self._sections, strict=True):
                self._reader.perform(order)
                yield section
            return
        for child in self._children * _IN_ADVANCE:
            self._give_order(child)
        finished: set[int] = set()
        for number, section in enumerate(self._sections):
            while number not in finished:
                finished |= self._heard()
            yield section

    def _give_order(self, child: child_process.Child) -> None:
        if order := next(self._orders, None):
            child.send(order)

    def _heard(self) -> set[int]:
        """Wait until a reader says something; return the sections that are finished."""
        finished = set()
        for child in select.select(self._children, [], [])[0]:
            for message in _said(child):
                if isinstance(message, child_process.Ended):
                    finished.add(message.performed.result)
                elif isinstance(message, child_process.Idle):
                    self._give_order(child)
        return finished


def _sections(task: Task, processes: int) -> list[Section]:
    """Divide the documents, in their order: large sections first, so that all end together."""
    documents = len(task.documents)
    sections: list[Section] = []
    start = 0
    while start < documents or not sections:
        share = (documents - start) // (2 * processes) if processes > 1 else documents
        stop = min(documents, start + max(share, documents // _SMALLEST_PART, _SMALLEST_SECTION))
        sections.append(Section(range(start, stop), task.scratch / f"part-{start}.db"))
        start = stop
    return sections


def _processes(task: Task) -> int:
    if len(task.documents) < _FEW_DOCUMENTS or not can_fork():
        return 1
    return min(os.cpu_count() or 1, _READERS_AT_MOST)


def can_fork() -> bool:
    """Whether a process may be forked: another thread's locks would stay locked in it for ever."""
    return threading.active_count() == 1


def _said(child: child_process.Child) -> list[child_process.Message]:
    """Return what a reader says; its failure is the builder's."""
    messages = child.receive()
    if messages is None:
        raise ChildProcessError(f"a reading process was {child.bury()}")
    for message in messages:
        if isinstance(message, child_process.Raised):
            kind = MemoryError if message.error_class == "MemoryError" else ChildProcessError
            raise kind(f"{message.error_class}: {message.message}")
    return messages


class _Reader:
    """Reads sections, in a process of its own or in the builder's."""

    def __init__(self, task: Task, sections: list[Section]) -> None:
        self._task = task
        self._sections = sections

    def perform(
        self,
        order: child_process.Order,
        _index: int = 0,
        _report: child_process.Report | None = None,
    ) -> child_process.Performed:
        """Read the section whose number is ordered."""
        number = int(order.step)
        section, read = self._sections[number], Read()
        large = len(self._task.documents) > _MANY_DOCUMENTS
        tables = [f"{kind}_fts" for kind in KINDS]
        with contextlib.closing(Part(section.part, tables, large=large)) as part:
            schema.create_part(part.connection)
            part.connection.execute("BEGIN")
            for start in section.positions[::_TOGETHER]:
                stop = min(start + _TOGETHER, section.positions.stop)
                self._read(range(start, stop), part, read)
            part.finish()
        section.write(read)
        return child_process.Performed(number)

    def _read(self, positions: range, part: Part, read: Read) -> None:
        """Read some documents into the part."""
        task, tables = self._task, Tables(self._task.subdomain)
        for position in positions:
            change = written(task.disk, task.documents[position], known=False)
            if change is None or change.content is None:
                read.vanished.append(position)
            elif any(page.number > schema.LAST_PAGE for page in change.content.pages):
                read.too_long.append(position)
            else:
                tables.add(change, change.content, self._rowids(position, change.content))
                read.known.append(known(position, change, change.content))
        insert(part.connection, tables.rows)
        for kind, searched in tables.searched.items():
            part.add(f"{kind}_fts", searched)

    def _rowids(self, position: int, content: Content) -> list[int]:
        first = (self._task.first_number + position) << schema.PAGE_BITS
        return [first | page.number for page in content.pages]


def known(position: int, change: Change, content: Content) -> Known:
    """Return what is known of a document that was read."""
    return Known(
        position,
        len(content.pages),
        content.text_sha256,
        content.digest,
        change.extracted_digest,
    )
