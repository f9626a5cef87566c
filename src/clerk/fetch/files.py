"""Files on the way in: checked, copied and hashed, moved into place by one rename."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import stat
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import quote_from_bytes, unquote_to_bytes, urlsplit

from clerk.core.errors import (
    DocumentTooLarge,
    EmptyDocument,
    SourceUnavailable,
    StorageUnusable,
    UnreadablePdf,
)

MEGABYTE = 1024 * 1024

_MAGIC = b"%PDF-"
#: A PDF may begin with so much else.
_MAGIC_WITHIN = 1024


class NotWanted(Exception):
    """The document is of another type than clerk reads; it is skipped by name."""


def url_of_path(path: Path) -> str:
    """Return a file URL, whatever bytes the path is made of."""
    return "file://" + quote_from_bytes(os.fsencode(path.absolute()))


def path_of_url(url: str) -> Path:
    """Return the path of a file URL."""
    quoted = url[len("file://") :] if url.startswith("file:///") else urlsplit(url).path
    return Path(os.fsdecode(unquote_to_bytes(quoted)))


def readable_name(path: Path) -> str:
    """Return the path as text that can be printed and stored, whatever bytes it is made of."""
    return os.fsencode(path).decode("utf-8", "replace")


def check_file(path: Path, facts: os.stat_result, max_bytes: int) -> None:
    """Refuse a file that is no document, by the narrowest reason."""
    if not stat.S_ISREG(facts.st_mode):
        raise NotWanted("not a regular file")
    named_pdf = path.suffix.lower() == ".pdf"
    if facts.st_size == 0:
        raise EmptyDocument("is empty (0 bytes)") if named_pdf else NotWanted("empty, not a PDF")
    if not begins_as_pdf(path):
        reason = "is not a PDF, although it is called one"
        raise UnreadablePdf(reason) if named_pdf else NotWanted("not a PDF")
    if facts.st_size > max_bytes:
        raise DocumentTooLarge(
            f"has {facts.st_size / MEGABYTE:.1f} MB, more than MAX_DOCUMENT_MB allows"
        )


def begins_as_pdf(path: Path) -> bool:
    """Whether the first bytes are a PDF's."""
    with path.open("rb", buffering=0) as file:
        return _MAGIC in file.read(_MAGIC_WITHIN)


def copied(source: Path, part: Path) -> str:
    """Copy a file and return its hash; errors of writing are the storage's, not the source's."""
    digest = hashlib.sha256()
    with source.open("rb", buffering=0) as reading, _writing(part) as write:
        buffer = _buffer()
        while size := reading.readinto(buffer):
            digest.update(buffer[:size])
            write(buffer[:size])
    return digest.hexdigest()


@cache
def _buffer() -> memoryview:
    """Return what all files are copied through: new memory costs as much as moving a small one."""
    return memoryview(bytearray(MEGABYTE))


def linked_or_copied(source: Path, part: Path) -> str:
    """Make a hard link where that is possible, else a copy; return the hash."""
    try:
        os.link(os.path.realpath(source), part)
    except OSError:
        return copied(source, part)
    with part.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def move_in(part: Path, target: Path) -> None:
    """Let a finished file appear under its name."""
    try:
        part.replace(target)
    except FileNotFoundError:
        target.parent.mkdir(parents=True, exist_ok=True)
        part.replace(target)


def move_or_remove(folder: Path, target: Path) -> None:
    """Move a folder to a target that is not there yet; remove it if there is one."""
    if target.exists():
        shutil.rmtree(folder, ignore_errors=True)
    elif folder.is_dir():
        target.parent.mkdir(parents=True, exist_ok=True)
        folder.rename(target)


def ignores_case(folder: Path) -> bool:
    """Whether the disk of a site takes names that differ only in case for the same."""
    return (folder / "_clerk").exists() and (folder / "_CLERK").exists()


def remove_if_empty(folder: Path) -> None:
    """Remove a folder that holds nothing."""
    with contextlib.suppress(OSError):
        folder.rmdir()


def keep_aside(pdf: Path, kept: Path, part: Path) -> None:
    """Keep the bytes of a file under another name, whole or not at all."""
    if kept.exists():
        return
    kept.parent.mkdir(parents=True, exist_ok=True)
    part.unlink(missing_ok=True)
    try:
        os.link(pdf, part)
    except OSError:
        shutil.copyfile(pdf, part)
    part.replace(kept)


@contextlib.contextmanager
def storage_errors(folder: Path) -> Iterator[None]:
    """Turn what the system says about our own files into a sentence for the operator."""
    try:
        yield
    except OSError as error:
        raise StorageUnusable(
            f"{folder} cannot be written to: {error.strerror or error}.",
            hint="Free space or mend its permissions, or set STORAGE_DIR to another folder.",
        ) from error


@contextlib.contextmanager
def only_fetch_of(folder: Path) -> Iterator[None]:
    """Hold the site's fetch lock; it is freed when the process dies."""
    with storage_errors(folder):
        (folder / "_clerk").mkdir(parents=True, exist_ok=True)
        lock = (folder / "_clerk" / "fetch.lock").open("w")
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise SourceUnavailable(
                f"{folder.name} is being fetched by another process.",
                hint="Wait until that one is done.",
            ) from error
        yield


class _Writer:
    def __init__(self, part: Path) -> None:
        self._folder = part.parent
        self._file = part.open("wb", buffering=0)

    def __call__(self, chunk: memoryview) -> None:
        with storage_errors(self._folder):
            while chunk:
                chunk = chunk[self._file.write(chunk) :]

    def close(self) -> None:
        with storage_errors(self._folder):
            self._file.close()


@contextlib.contextmanager
def _writing(part: Path) -> Iterator[_Writer]:
    with storage_errors(part.parent):
        writer = _Writer(part)
    with contextlib.closing(writer):
        yield writer
