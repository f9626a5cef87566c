"""The pages of one long document in a shared folder, where several processes may read them.

The process that reads the document, its reader, writes down which pages need OCR; processes that
have nothing else to do (helpers) take one page at a time and leave the result::

    STORAGE_DIR/_clerk/reading/{key}/
      task.json      the document and how it is to be read
      pages          one byte per page: "?" not taken yet, "x" taken
      page-7.seen    the result of OCR; it appears by one rename

In ``pages`` the byte of a page is locked while a process reads the page, and the first byte as long
as the reader lives.  The system releases the locks of a process that dies: it costs the page it was
reading and no other.  At most one helper takes a page; if it fails, the reader reads the page
itself and records the failure.  Results outlive the reader, and the next attempt uses them.
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

import msgspec

from .ocr import OcrPage
from .options import ReadingOptions

#: A shared folder whose reader has been dead for this long is removed: nobody resumes it.
ABANDONED_SECONDS = 24 * 3600.0

_TASK, _PAGES = "task.json", "pages"
_WAITING, _TAKEN, _NOT_WANTED = b"?", b"x", b"."
#: The byte that the reader locks; pages count from 1.
_READER = 0
#: How long to wait for a former reader that is just dying, or for a check whether it lives.
_READER_PATIENCE_SECONDS = 1.0
_POLL_SECONDS = 0.01


class SharedDocument(msgspec.Struct, frozen=True):
    """A document by path and exact version, and everything that decides what OCR returns."""

    path: str
    version: tuple[int, int, int]
    fingerprint: str
    options: ReadingOptions

    @property
    def key(self) -> str:
        """A name that only an equal value has."""
        return hashlib.sha256(msgspec.json.encode(self)).hexdigest()[:32]


class OcrResult(msgspec.Struct, frozen=True):
    """The result of OCR on an image of a page, with the image's resolution and size in pixels.

    ``white`` says that the image shows nothing.
    """

    dpi: int
    width: int
    height: int
    white: bool
    page: OcrPage


def file_version(path: Path) -> tuple[int, int, int]:
    """Return what changes when a file is replaced or written to."""
    facts = path.stat()
    return (facts.st_ino, facts.st_size, facts.st_mtime_ns)


class SharedPages:
    """The shared folder of a document, opened by its reader or a helper; to be closed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # Locks are the process's own: closing any other descriptor of the file would free them.
        self._descriptor = os.open(folder / _PAGES, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)

    @classmethod
    def create(
        cls, parent: Path, document: SharedDocument, pages: Collection[int]
    ) -> SharedPages | None:
        """Share the pages of a document, with the results of before; None if it has a reader."""
        folder = parent / document.key
        folder.mkdir(parents=True, exist_ok=True)
        try:
            shared = cls(folder)
        except FileNotFoundError:  # removed at this moment
            return None
        if not shared.become_reader(_READER_PATIENCE_SECONDS):
            shared.close()
            return None
        before = shared._states()
        states = bytearray(_NOT_WANTED * (max(pages, default=0) + 1))
        for number in pages:
            taken = before[number : number + 1] == _TAKEN
            states[number : number + 1] = _TAKEN if taken else _WAITING
        shared._write_whole(_TASK, msgspec.json.encode(document))
        os.pwrite(shared._descriptor, states, 0)
        return shared

    def become_reader(self, wait_seconds: float = 0.0) -> bool:
        """Become the reader, unless there is a living one; return whether that succeeded."""
        return self._lock(_READER, wait_seconds) and self.exists

    @property
    def exists(self) -> bool:
        """Whether the folder was not removed; another may have been created in its place."""
        return os.fstat(self._descriptor).st_nlink > 0

    @property
    def document(self) -> SharedDocument | None:
        """What is to be read; None when that is not written yet, or the folder was removed."""
        try:
            return msgspec.json.decode((self.folder / _TASK).read_bytes(), type=SharedDocument)
        except FileNotFoundError:
            return None

    def waiting(self) -> list[int]:
        """Return the pages nobody has taken yet."""
        return [number for number, state in enumerate(self._states()) if state == _WAITING[0]]

    @contextlib.contextmanager
    def next_waiting(self) -> Iterator[int | None]:
        """Take a page that nobody has taken yet, if there is one."""
        for number in self.waiting():
            if not self._lock(number):
                continue
            try:
                if os.pread(self._descriptor, 1, number) == _WAITING:
                    self._mark_taken(number)
                    yield number
                    return
            finally:
                self._unlock(number)
        yield None

    @contextlib.contextmanager
    def locked(self, number: int, wait_seconds: float = 0.0) -> Iterator[bool]:
        """Take a page unless another process is still reading it after this time.

        Gives whether the page was taken.
        """
        held = self._lock(number, wait_seconds)
        try:
            if held:
                self._mark_taken(number)
            yield held
        finally:
            if held:
                self._unlock(number)

    def _mark_taken(self, number: int) -> None:
        os.pwrite(self._descriptor, _TAKEN, number)

    def store(self, number: int, result: OcrResult) -> None:
        """Store the result of a page; in a folder that was removed nobody waits for it."""
        with contextlib.suppress(FileNotFoundError):
            self._write_whole(_result_name(number), msgspec.msgpack.encode(result))

    def has_result(self, number: int) -> bool:
        """Whether a page has a result."""
        return (self.folder / _result_name(number)).exists()

    def result(self, number: int) -> OcrResult | None:
        """Return the result of a page; None if there is none, or it cannot be decoded."""
        try:
            stored = (self.folder / _result_name(number)).read_bytes()
            return msgspec.msgpack.decode(stored, type=OcrResult)
        except (FileNotFoundError, msgspec.DecodeError):
            return None

    def remove(self) -> None:
        """Remove the folder; only for its reader."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def close(self) -> None:
        """Release all locks."""
        os.close(self._descriptor)

    def _states(self) -> bytes:
        return os.pread(self._descriptor, os.fstat(self._descriptor).st_size, 0)

    def _lock(self, byte: int, wait_seconds: float = 0.0) -> bool:
        give_up_at = time.monotonic() + wait_seconds
        while True:
            try:
                fcntl.lockf(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, byte)
                return True
            except (BlockingIOError, PermissionError):
                if time.monotonic() >= give_up_at:
                    return False
            time.sleep(_POLL_SECONDS)

    def _unlock(self, byte: int) -> None:
        fcntl.lockf(self._descriptor, fcntl.LOCK_UN, 1, byte)

    def _write_whole(self, name: str, content: bytes) -> None:
        # Not storage.written_whole: a folder that was removed must not be created again.
        part = self.folder / f".{name}.{uuid.uuid4().hex[:12]}"
        part.write_bytes(content)
        part.replace(self.folder / name)


def _result_name(number: int) -> str:
    return f"page-{number}.seen"


def find_waiting_document(parent: Path) -> str | None:
    """Return the key of a shared document that has a living reader and pages waiting.

    Folders that were abandoned long ago are removed.
    """
    try:
        folders = sorted(parent.iterdir())
    except FileNotFoundError:
        return None
    for folder in folders:
        with contextlib.suppress(FileNotFoundError, NotADirectoryError), _opened(folder) as shared:
            if not shared.become_reader():
                if shared.waiting():
                    return folder.name
            elif time.time() - (folder / _PAGES).stat().st_mtime > ABANDONED_SECONDS:
                shared.remove()
    return None


def has_reader(folder: Path) -> bool:
    """Whether a shared document is still being read."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError), _opened(folder) as shared:
        return not shared.become_reader()
    return False


def _opened(folder: Path) -> contextlib.closing[SharedPages]:
    return contextlib.closing(SharedPages(folder))
