"""Files of this machine as documents: whether they changed, whether they are documents, copies."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

from clerk.core import storage
from clerk.core.errors import DocumentTooLarge, EmptyDocument, UnreadablePdf
from clerk.core.formats import SUFFIXES, Format, format_of, refusal

MEGABYTE = 1024 * 1024

#: What files are called that are documents, or that are refused with a remedy.
FILE_SUFFIXES = (".pdf", ".html", ".htm", ".docx", ".docm", ".doc", ".rtf")

_PDF_MAGIC = b"%PDF-"
#: A PDF may begin with this many other bytes.
_MAGIC_WITHIN_BYTES = 1024

#: One for all copies: allocating it costs as much as copying a small file.
_COPY_BUFFER = memoryview(bytearray(MEGABYTE))


class NotWanted(Exception):
    """The document is of another type than clerk reads; it is skipped by name."""


def looks_of_file(facts: os.stat_result, *, may_link: bool = False) -> tuple[int, int, str]:
    """Return what changes when a file does: its size, its time of change, and its inode.

    The inode's own time is left out where a hard link of ours would change it.
    """
    own_time = "" if may_link else f" {facts.st_ctime_ns}"
    return facts.st_size, facts.st_mtime_ns, f"inode {facts.st_ino}{own_time}"


def known_look(looks: tuple[int, int, str]) -> str:
    """Return what a file looks like as the manifest tells it to one who compares many."""
    size, changed_at, inode = looks
    return f"{size} {changed_at} {inode}"


def begins_as_pdf(path: Path) -> bool:
    """Whether the first bytes are a PDF's."""
    with path.open("rb", buffering=0) as file:
        return _PDF_MAGIC in file.read(_MAGIC_WITHIN_BYTES)


def check_file(path: Path, facts: os.stat_result, max_bytes: int) -> None:
    """Refuse a file that is not a document, by the narrowest reason."""
    if not stat.S_ISREG(facts.st_mode):
        raise NotWanted("not a regular file")
    named_pdf = path.suffix.lower() == ".pdf"
    if facts.st_size == 0:
        named = path.suffix.lower() in FILE_SUFFIXES
        raise EmptyDocument("is empty (0 bytes)") if named else NotWanted("empty, not a PDF")
    found = format_of(path)
    if found is not Format.PDF and named_pdf:
        raise UnreadablePdf("is not a PDF, although its name ends in .pdf")
    if found not in SUFFIXES:
        raise refusal(found)
    if facts.st_size > max_bytes:
        size = f"{facts.st_size / MEGABYTE:.1f} MB"
        raise DocumentTooLarge(f"has {size}, more than MAX_DOCUMENT_MB allows")


def copy_file(source: Path, part: Path, *, may_link: bool) -> str:
    """Make a hard link if allowed and possible, else a copy; return the hash.

    Errors of writing are the storage's, not the source's.
    """
    if may_link:
        try:
            os.link(os.path.realpath(source), part)
        except OSError:
            pass
        else:
            return storage.sha256_of(part)
    digest = hashlib.sha256()
    with source.open("rb", buffering=0) as reader, storage.writing(part) as write:
        while size := reader.readinto(_COPY_BUFFER):
            digest.update(_COPY_BUFFER[:size])
            write(_COPY_BUFFER[:size])
    return digest.hexdigest()
