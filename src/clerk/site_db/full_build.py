"""Building ``meetings.db`` from nothing, and the site's pages of the index over all sites with it.

::

    readers --> parts --rows, full text--> compile.part.db --> sync, one rename
                  |                                                   |
                  +--full text--> sites.db --> revealed <--- then ----+

The text is indexed once: the parts are copied into both databases as they come, at the same time
where there are processes for it.  A build that dies leaves both as they were to their readers; what
the index has of it then leads nowhere.
"""

from __future__ import annotations

import contextlib
import select
import sqlite3
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from clerk.core.storage import KINDS, Document
from clerk.executors import child_process

from . import fts, rows, schema
from .buffers import Buffers
from .content import disk_digest, write_content
from .differences import Disk, everything, written
from .parallel_read import Known, Read, Readers, Task, known
from .tables import Tables, copy, insert

if TYPE_CHECKING:
    from clerk.search import index


class Anew:
    """One build of a file that is not there, or not worth keeping."""

    def __init__(self, buffers: Buffers, disk: Disk, about: Mapping[str, str]) -> None:
        self._buffers = buffers
        self._disk = disk
        self._about = about
        self._documents = everything(disk)
        self._known: list[Known] = []
        self._too_long: list[int] = []
        self._left: list[Known] = []
        self._first_number = 1

    def run(self, *, into_index: bool) -> list[Document]:
        """Build the file, swap it in, and return the documents in it."""
        reserved = self._reserved() if into_index else None
        self._first_number = reserved.first if reserved else 1
        self._buffers.part.unlink(missing_ok=True)
        with (
            tempfile.TemporaryDirectory(
                prefix="compile.part.", dir=self._buffers.part.parent
            ) as scratch,
            Readers(self._task(Path(scratch))) as readers,
            Mover(self._disk.folder, self._about, reserved, aside=readers.are_processes) as mover,
        ):
            self._write(readers, mover)
            self._buffers.swap_in()
            mover.reveal([self._built(each) for each in self._known], self._digest())
        return [self._documents[each.position] for each in self._known + self._left]

    def _reserved(self) -> index.Reserved | None:
        from clerk.search import index

        folder = self._disk.folder
        return index.reserve(folder.parent, self._about["subdomain"], len(self._documents))

    def _task(self, scratch: Path) -> Task:
        subdomain, number = self._about["subdomain"], self._first_number
        return Task(self._disk, subdomain, self._documents, number, scratch)

    def _write(self, readers: Readers, mover: Mover) -> None:
        """Put the parts together as they come, then what is in none of them."""
        with contextlib.closing(schema.open_private(self._buffers.part)) as connection:
            schema.create(connection)
            for section in readers.read():
                mover.take(section.part)
                self._learn(section.read)
                _copy(connection, section.part)
                self._buffers.sync()
            connection.execute("BEGIN")
            self._write_too_long(connection)
            write_content(connection, self._about, self._disk)
            connection.execute("COMMIT")
            connection.executescript(schema.INDEXES)

    def _learn(self, read: Read) -> None:
        """Take over what a reader has found."""
        self._known += read.known
        self._too_long += read.too_long
        for each in read.known:
            document = self._documents[each.position]
            self._disk.learn(document, each.digest, each.extracted_digest)
        for position in read.vanished:
            self._disk.shelf.drop(self._documents[position])

    def _write_too_long(self, connection: sqlite3.Connection) -> None:
        """Write documents whose page numbers do not fit; theirs follow all others."""
        first = number = (self._first_number + len(self._documents)) << schema.PAGE_BITS
        for position in self._too_long:
            change = written(self._disk, self._documents[position], known=False)
            if change and change.content:
                tables, pages = Tables(self._about["subdomain"]), len(change.content.pages)
                tables.add(change, change.content, range(number, number + pages))
                insert(connection, tables.rows)
                self._left.append(known(position, change, change.content))
                number += pages
        for kind in KINDS:
            if fts.can_graft(connection, f"{kind}_fts"):
                fts.index_from(connection, kind, first)
            else:
                fts.index_all(connection, kind)

    def _digest(self) -> str:
        """Return what the index is to know the site by; without it, what is missing is added."""
        return "" if self._too_long else disk_digest(self._about, self._disk)

    def _built(self, each: Known) -> index.Built:
        from clerk.search import index

        document = self._documents[each.position]
        return index.Built(
            self._first_number + each.position,
            rows.document_id(self._about["subdomain"], document),
            *(document.name, document.kind, document.meeting, document.date),
            *(each.pages, each.text_sha256),
        )


def _copy(connection: sqlite3.Connection, part: Path) -> None:
    """Copy rows and full text of a part."""
    with fts.attached(connection, [part]) as (name,):
        connection.execute("BEGIN")
        copy(connection, name)
        for kind in KINDS:
            if fts.can_graft(connection, f"{kind}_fts"):
                fts.graft(connection, f"{kind}_fts", [f"{name}.{kind}_fts"], large=True)
        connection.execute("COMMIT")


class Mover:
    """Moves the parts into the index over all sites, in a process of its own where there are some.

    Should that fail, nothing of it will be seen: the index is compared with the site afterwards.
    """

    def __init__(
        self,
        folder: Path,
        about: Mapping[str, str],
        reserved: index.Reserved | None,
        *,
        aside: bool,
    ) -> None:
        self._arrival = (folder, about, reserved) if reserved else None
        self._failed = False
        self._orders = 0
        self._child = child_process.Child(self._perform) if aside and reserved else None

    def __enter__(self) -> Mover:
        return self

    def __exit__(self, *_: object) -> None:
        if self._child:
            self._child.dismiss()

    def take(self, part: Path) -> None:
        """Move a part in; nothing of it can be seen yet."""
        self._order(child_process.Order("take", options={"part": str(part)}))

    def reveal(self, documents: list[index.Built], digest: str) -> None:
        """Let all that was moved in be seen, and wait until it is."""
        self._order(
            child_process.Order("reveal", options={"documents": documents, "digest": digest})
        )
        while self._child and self._orders:
            select.select([self._child], [], [])
            messages = self._child.receive()
            if messages is None:
                return
            self._orders -= sum(isinstance(message, child_process.Idle) for message in messages)

    def _order(self, order: child_process.Order) -> None:
        if self._child:
            self._orders += 1
            self._child.send(order)
        else:
            with contextlib.suppress(sqlite3.DatabaseError):
                self._perform(order)

    def _perform(self, order: child_process.Order, *_: object) -> child_process.Performed:
        from clerk.search import index

        if self._arrival is None or self._failed:
            return child_process.Performed()
        self._failed = True
        arrival = index.Arrival(*self._arrival)
        if order.step == "take":
            arrival.take(Path(order.options["part"]))
        else:
            documents = [index.Built(*each) for each in order.options["documents"]]
            arrival.reveal(documents, order.options["digest"])
        self._failed = False
        return child_process.Performed()
