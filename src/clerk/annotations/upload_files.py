"""Taking in a file of annotations: which files are read, and what of an archive.

A plain file is read where it lies.  The members of an archive are copied one after the other into
one flat file, the spool: their names are never used as paths, and byte ranges of the spool are what
batches refer to.  What cannot be read is refused by name, a whole file with `UnusableUpload`, a
member with an issue.
"""

from __future__ import annotations

import gzip
import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from msgspec import Struct

from clerk.core.errors import UnusableUpload

from .model import Issue, Issues

ARCHIVES = (".tgz", ".tar.gz")
KINDS = {".json": "json", ".jsonl": "jsonl"}

_COPY_BYTES = 1024 * 1024
_HEAD_BYTES = 512
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"

#: The first bytes of files that are something else than their name says.
_OTHER_FORMATS = {
    b"\x1f\x8b": "it is compressed with gzip; name it .tgz if it is an archive",
    b"PK\x03\x04": "it is a zip archive",
    b"\xff\xfe": "it is UTF-16; save it as UTF-8",
    b"\xfe\xff": "it is UTF-16; save it as UTF-8",
}


#: What a damaged or hostile archive makes gzip and tarfile raise.
_DAMAGE = (
    EOFError,
    OSError,
    OverflowError,
    RecursionError,
    ValueError,
    zlib.error,
    tarfile.TarError,
)


class ArchiveLimits(Struct, frozen=True):
    """How much an archive may hold; beyond that it is refused before it fills the disk."""

    members: int = 1_000_000
    expanded_bytes: int = 20 * 1024**3
    #: Expanded size over compressed size; annotations rarely pass 30.
    ratio: int = 100
    #: So much may be expanded whatever the ratio.
    ratio_from_bytes: int = 64 * 1024**2
    #: A header of a member (long names and the like).
    header_bytes: int = 1024 * 1024


class Member(Struct, frozen=True):
    """A file of annotations inside the data of an upload."""

    name: str
    kind: str
    begin: int
    end: int


class Upload(Struct, frozen=True):
    """A file that can be split and decoded: bytes on disk, and which of them are which file."""

    path: str
    members: tuple[Member, ...]
    issues: tuple[Issue, ...] = ()


def receive(path: Path, spool: Path, limits: ArchiveLimits | None = None) -> Upload:
    """Return the upload in a file; an archive is copied flat to the path of the spool.

    Raises `UnusableUpload` when nothing of the file may be used.  The spool is complete when this
    returns, and gone when it raises.
    """
    if not path.is_file():
        raise UnusableUpload(f"{path} is not a file.")
    if path.name.lower().endswith(ARCHIVES):
        return _unpacked(path, spool, limits or ArchiveLimits())
    kind = KINDS.get(path.suffix.lower())
    if kind is None:
        raise UnusableUpload(
            f"{path.name} is no file of annotations.",
            hint=f"Readable are {', '.join((*KINDS, *ARCHIVES))}.",
        )
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    reason = _reason_against(kind, head)
    if reason:
        raise UnusableUpload(f"{path.name} cannot be read: {reason}.")
    begin = len(_BYTE_ORDER_MARK) if head.startswith(_BYTE_ORDER_MARK) else 0
    return Upload(str(path), (Member(path.name, kind, begin, path.stat().st_size),))


def _reason_against(kind: str, head: bytes) -> str:
    """Say why a file with this beginning is not what its name says, or nothing."""
    for magic, reason in _OTHER_FORMATS.items():
        if head.startswith(magic):
            return reason
    text = head.removeprefix(_BYTE_ORDER_MARK).strip()
    if not text:
        return "" if len(head) == _HEAD_BYTES else "it is empty"
    first_line = text.split(b"\n", 1)[0].strip()
    if kind == "jsonl" and first_line in (b"{", b"["):
        return "an object goes over several lines; name it .json"
    return ""


def _unpacked(path: Path, spool: Path, limits: ArchiveLimits) -> Upload:
    try:
        with spool.open("wb") as out:
            members, issues = _copy_members(path, out, limits)
    except UnusableUpload:
        spool.unlink(missing_ok=True)
        raise
    except _DAMAGE as error:
        spool.unlink(missing_ok=True)
        raise UnusableUpload(f"{path.name} is damaged or no archive: {error}.") from error
    return Upload(str(spool), tuple(members), tuple(issues))


def _copy_members(
    path: Path, out: IO[bytes], limits: ArchiveLimits
) -> tuple[list[Member], list[Issue]]:
    members: list[Member] = []
    issues = Issues(kept=1_000)
    with gzip.open(path) as expanded:
        stream = _Limited(expanded, path, limits)
        # Streaming, so that nothing is read twice and no list of members is kept.
        with _archive(stream, limits) as archive:
            for info in _each_member(archive, path, limits):
                reason = _reason_to_skip(info) if not info.isdir() else ""
                if reason:
                    issues.add(_refused(path, info.name, reason))
                elif not info.isdir():
                    _copy(archive, info, path, out, members, issues)
        # The checksum is at the end of the stream.
        while stream.read(_COPY_BYTES):
            pass
    return members, list(issues)


def _copy(
    archive: tarfile.TarFile,
    info: tarfile.TarInfo,
    path: Path,
    out: IO[bytes],
    members: list[Member],
    issues: Issues,
) -> None:
    content = archive.extractfile(info)
    if content is None:
        return
    kind = KINDS[PurePosixPath(info.name).suffix.lower()]
    head = content.read(_HEAD_BYTES)
    reason = _reason_against(kind, head)
    if reason:
        issues.add(_refused(path, info.name, reason))
        return
    begin = out.tell()
    out.write(head.removeprefix(_BYTE_ORDER_MARK))
    while data := content.read(_COPY_BYTES):
        out.write(data)
    members.append(Member(f"{path.name}:{_shown(info.name)}", kind, begin, out.tell()))


def _reason_to_skip(info: tarfile.TarInfo) -> str:
    name = PurePosixPath(info.name.replace("\\", "/"))
    if name.is_absolute() or name.drive or info.name[1:2] == ":":
        return "its path is absolute"
    if ".." in name.parts:
        return "its path leads out of the archive"
    if info.issym() or info.islnk():
        return "it is a link"
    if not info.isreg() or info.issparse():
        return "it is not a regular file"
    if name.suffix.lower() not in KINDS:
        return f"its name ends in none of {', '.join(KINDS)}"
    return ""


def _refused(path: Path, name: str, reason: str) -> Issue:
    return Issue("refused_member", f"{_shown(name)} was not read: {reason}.", path.name)


def _shown(name: str) -> str:
    """Return a member's name so that it can be stored and printed."""
    safe = name.encode("utf-8", "backslashreplace").decode()
    return "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in safe)[:255]


def _each_member(
    archive: tarfile.TarFile, path: Path, limits: ArchiveLimits
) -> Iterator[tarfile.TarInfo]:
    for number, info in enumerate(iter(archive.next, None)):
        if number >= limits.members:
            raise UnusableUpload(f"{path.name} has more than {limits.members} members.")
        yield info
        # tarfile remembers every member it has seen.
        archive.members.clear()  # type: ignore[attr-defined]


def _archive(stream: _Limited, limits: ArchiveLimits) -> tarfile.TarFile:
    class ShortHeaders(tarfile.TarInfo):
        """A header that is not read into memory when it claims to be huge."""

        def _proc_member(self, archive: tarfile.TarFile) -> tarfile.TarInfo:
            if self.type not in tarfile.REGULAR_TYPES and self.size > limits.header_bytes:
                raise tarfile.ReadError("a header is too large")
            found: tarfile.TarInfo = super()._proc_member(archive)  # type: ignore[misc]
            return found

    return tarfile.open(fileobj=stream, mode="r|", tarinfo=ShortHeaders)  # type: ignore[call-overload, no-any-return]


class _Limited:
    """Reads an expanding stream until it has become suspiciously large."""

    def __init__(self, stream: gzip.GzipFile, path: Path, limits: ArchiveLimits) -> None:
        self._stream = stream
        self._name = path.name
        self._limits = limits
        by_ratio = max(limits.ratio * path.stat().st_size, limits.ratio_from_bytes)
        self._left = min(limits.expanded_bytes, by_ratio)

    def read(self, size: int) -> bytes:
        data = self._stream.read(size)
        self._left -= len(data)
        if self._left < 0:
            raise UnusableUpload(
                f"{self._name} expands to more than it may.",
                hint="Split it, or upload the files it holds.",
            )
        return data
