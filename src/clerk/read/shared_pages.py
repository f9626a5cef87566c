"""Pages of one long document on a desk, where several processes may read them.

The process that reads the document, its reader, lays the pages out; others that have nothing to do
take one at a time and leave what they saw::

    STORAGE_DIR/_clerk/reading/{key}/
      task.json      the document and how it is to be read
      pages          a letter for each page: "?" nobody has taken it, "x" somebody has
      page-7.seen    what OCR saw there; it appears by one rename

In ``pages`` the byte of a page is locked while a process has it in hand, and the first byte as long
as the reader lives.  The system frees the locks of a process that dies, however it dies: it costs
the page in hand and no other.  A page is taken by one assistant at most; what that one leaves, for
whatever reason, the reader reads itself and answers for.  What was seen outlives the reader, and
the next attempt goes on from there.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import time
import uuid
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import msgspec

from .ocr import OcrPage

#: A desk whose reader has been dead for so long is cleared away: nobody goes on from there.
ABANDONED_SECONDS = 24 * 3600.0

_TASK, _PAGES = "task.json", "pages"
_WAITING, _TAKEN, _NOT_WANTED = b"?", b"x", b"."
#: The byte that the reader holds; pages count from 1.
_READER = 0
#: A former reader that is just dying, or somebody looking whether it lives, is waited for.
_READER_PATIENCE_SECONDS = 1.0
_LOOK_SECONDS = 0.01


class Task(msgspec.Struct, frozen=True):
    """A document to read, by path and exact version, and everything that decides what is seen."""

    path: str
    version: tuple[int, int, int]
    fingerprint: str
    options: dict[str, Any]

    @property
    def key(self) -> str:
        """A name that only the same task has."""
        return hashlib.sha256(msgspec.json.encode(self)).hexdigest()[:32]


class Seen(msgspec.Struct, frozen=True):
    """What OCR saw on a picture of a page, and the picture's resolution and size in pixels."""

    dpi: int
    width: int
    height: int
    white: bool
    page: OcrPage


def version_of(path: Path) -> tuple[int, int, int]:
    """Return what changes when a file is replaced or written to."""
    facts = path.stat()
    return (facts.st_ino, facts.st_size, facts.st_mtime_ns)


def folder_of_desks(storage_dir: Path) -> Path:
    """Return where the desks of a storage directory stand."""
    return storage_dir / "_clerk" / "reading"


class Desk:
    """A document's pages, as its reader or an assistant sees them; to be closed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # Locks are the process's own: closing any other descriptor of the file would free them.
        self._descriptor = os.open(folder / _PAGES, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)

    @classmethod
    def lay_out(cls, parent: Path, task: Task, pages: Collection[int]) -> Desk | None:
        """Put pages on the desk of a task, with what was seen before; None if it has a reader."""
        folder = parent / task.key
        folder.mkdir(parents=True, exist_ok=True)
        try:
            desk = cls(folder)
        except FileNotFoundError:  # cleared away this moment
            return None
        if desk.adopt(_READER_PATIENCE_SECONDS):
            desk._write(task, pages)
            return desk
        desk.close()
        return None

    def adopt(self, patience_seconds: float = 0.0) -> bool:
        """Become the reader, unless there is a living one; whether that was done."""
        return self._lock(_READER, patience_seconds) and self.stands

    @property
    def stands(self) -> bool:
        """Whether the desk was not cleared away; another may have been laid out in its place."""
        return os.fstat(self._descriptor).st_nlink > 0

    def _write(self, task: Task, pages: Collection[int]) -> None:
        before = self._letters()
        letters = bytearray(_NOT_WANTED * (max(pages, default=0) + 1))
        for number in pages:
            taken = before[number : number + 1] == _TAKEN
            letters[number : number + 1] = _TAKEN if taken else _WAITING
        self._write_whole(_TASK, msgspec.json.encode(task))
        os.pwrite(self._descriptor, letters, 0)

    @property
    def task(self) -> Task | None:
        """What is to be read; None when the desk is not laid out, or not any more."""
        try:
            return msgspec.json.decode((self.folder / _TASK).read_bytes(), type=Task)
        except FileNotFoundError:
            return None

    def waiting(self) -> list[int]:
        """Return the pages nobody has taken yet."""
        return [number for number, letter in enumerate(self._letters()) if letter == _WAITING[0]]

    @contextlib.contextmanager
    def next_waiting(self) -> Iterator[int | None]:
        """Take a page that nobody has taken yet, if there is one."""
        number = next((each for each in self.waiting() if self._take_first(each)), None)
        try:
            yield number
        finally:
            if number is not None:
                self._unlock(number)

    def _take_first(self, number: int) -> bool:
        if not self._lock(number):
            return False
        first = os.pread(self._descriptor, 1, number) == _WAITING
        if first:
            self._mark_taken(number)
        else:
            self._unlock(number)
        return first

    @contextlib.contextmanager
    def in_hand(self, number: int, patience_seconds: float = 0.0) -> Iterator[bool]:
        """Take a page unless another has it in hand, or wait so long; say whether it is held."""
        held = self._lock(number, patience_seconds)
        try:
            if held:
                self._mark_taken(number)
            yield held
        finally:
            if held:
                self._unlock(number)

    def _mark_taken(self, number: int) -> None:
        os.pwrite(self._descriptor, _TAKEN, number)

    def keep(self, number: int, seen: Seen) -> None:
        """Leave what was seen on a page; on a desk that was cleared away nobody waits for it."""
        with contextlib.suppress(FileNotFoundError):
            self._write_whole(_name(number), msgspec.msgpack.encode(seen))

    def has(self, number: int) -> bool:
        """Whether somebody has seen the page."""
        return (self.folder / _name(number)).exists()

    def kept(self, number: int) -> Seen | None:
        """Return what was seen on a page; None if nobody has, or it cannot be understood."""
        try:
            return msgspec.msgpack.decode((self.folder / _name(number)).read_bytes(), type=Seen)
        except (FileNotFoundError, msgspec.DecodeError):
            return None

    def clear(self) -> None:
        """Remove the desk; only for its reader."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def close(self) -> None:
        """Let go of everything."""
        os.close(self._descriptor)

    def _letters(self) -> bytes:
        return os.pread(self._descriptor, os.fstat(self._descriptor).st_size, 0)

    def _lock(self, byte: int, patience_seconds: float = 0.0) -> bool:
        give_up_at = time.monotonic() + patience_seconds
        while True:
            try:
                fcntl.lockf(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, byte)
                return True
            except (BlockingIOError, PermissionError):
                if time.monotonic() >= give_up_at:
                    return False
            time.sleep(_LOOK_SECONDS)

    def _unlock(self, byte: int) -> None:
        fcntl.lockf(self._descriptor, fcntl.LOCK_UN, 1, byte)

    def _write_whole(self, name: str, content: bytes) -> None:
        # Not storage.written_whole: a desk that was cleared away must not come back.
        part = self.folder / f".{name}.{uuid.uuid4().hex[:12]}"
        part.write_bytes(content)
        part.replace(self.folder / name)


def _name(number: int) -> str:
    return f"page-{number}.seen"


def offered(parent: Path) -> str | None:
    """Return the name of a desk where a living reader has pages waiting.

    Desks that were abandoned long ago are cleared away.
    """
    try:
        folders = sorted(parent.iterdir())
    except FileNotFoundError:
        return None
    return next((folder.name for folder in folders if _has_work(folder)), None)


def has_reader(folder: Path) -> bool:
    """Whether the document on a desk is still being read."""
    try:
        with contextlib.closing(Desk(folder)) as desk:
            return not desk.adopt()
    except (FileNotFoundError, NotADirectoryError):
        return False


def _has_work(folder: Path) -> bool:
    try:
        with contextlib.closing(Desk(folder)) as desk:
            if not desk.adopt():
                return bool(desk.waiting())
            if time.time() - (folder / _PAGES).stat().st_mtime > ABANDONED_SECONDS:
                desk.clear()
    except (FileNotFoundError, NotADirectoryError):
        pass
    return False
