"""Receiving files of annotations: which files are read, and how they are stored.

`gather` copies several files into one, stored once, whose byte ranges the batches refer to.  The
members of an archive are copied one after the other: their names are never used as paths.  What
cannot be read is rejected by name: a whole file with `UnusableUpload`, a member with an issue.
"""

from __future__ import annotations

import gzip
import shutil
import tarfile
import zlib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import IO

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from clerk.core.errors import UnusableUpload

from .objects import Issue, Issues

ARCHIVES = (".tgz", ".tar.gz")
KINDS = {".json": "json", ".jsonl": "jsonl"}

#: In the folder of an upload: the bytes, and which of them are which file.
STORED = "stored"
MEMBERS = "members"

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

#: What gzip and tarfile raise for a damaged or hostile archive.
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
    """How much an archive may hold; a larger one is rejected before it fills the disk."""

    members: int = 1_000_000
    expanded_bytes: int = 20 * 1024**3
    #: Expanded size over compressed size; annotations rarely pass 30.
    ratio: int = 100
    #: This much may be expanded whatever the ratio.
    ratio_from_bytes: int = 64 * 1024**2
    #: A header of a member (long names and the like).
    header_bytes: int = 1024 * 1024


class Member(Struct, frozen=True):
    """A file of annotations inside the data of an upload."""

    name: str
    kind: str
    begin: int
    end: int


class UploadedFiles(Struct, frozen=True):
    """Files that can be split and decoded: one file on disk, and which bytes are which file."""

    path: str
    members: tuple[Member, ...]
    issues: tuple[Issue, ...] = ()


def gather(paths: Sequence[Path], folder: Path) -> UploadedFiles:
    """Copy files and archives into one file of the folder.

    The originals may be changed or removed afterwards.  Raises `UnusableUpload` if one of them
    cannot be used at all; nothing of the others is used then.
    """
    if not paths:
        raise UnusableUpload("There is no file to upload.")
    stored, expanded = folder / STORED, folder / "archive"
    members: list[Member] = []
    issues: list[Issue] = []
    shift = 0
    stored.unlink(missing_ok=True)
    for path in paths:
        received = receive(path, expanded)
        if stored.exists():
            shift = stored.stat().st_size
            with Path(received.path).open("rb") as file, stored.open("ab") as out:
                shutil.copyfileobj(file, out, _COPY_BYTES)
        else:
            shutil.copyfile(received.path, stored)
        members += [
            replace(each, begin=each.begin + shift, end=each.end + shift)
            for each in received.members
        ]
        issues += received.issues
        expanded.unlink(missing_ok=True)
    upload = UploadedFiles(str(stored), tuple(members), tuple(issues))
    (folder / MEMBERS).write_bytes(msgspec.msgpack.encode(upload))
    return upload


@lru_cache(maxsize=2)
def stored_upload(path: str) -> UploadedFiles:
    """Return what was gathered, by the path of its bytes."""
    content = (Path(path).parent / MEMBERS).read_bytes()
    return replace(msgspec.msgpack.decode(content, type=UploadedFiles), path=path)


def receive(path: Path, spool: Path, limits: ArchiveLimits | None = None) -> UploadedFiles:
    """Return the upload in a file; a plain file stays where it is, an archive is expanded.

    The members of an archive are written one after the other to the path of the spool, which is
    complete when this returns, and gone when it raises.  Raises `UnusableUpload` when nothing of
    the file may be used.
    """
    if not path.is_file():
        raise UnusableUpload(f"{path} is not a file.")
    if path.name.lower().endswith(ARCHIVES):
        try:
            with spool.open("wb") as out:
                members, issues = _expand(path, out, limits or ArchiveLimits())
        except UnusableUpload:
            spool.unlink(missing_ok=True)
            raise
        except _DAMAGE as error:
            spool.unlink(missing_ok=True)
            raise UnusableUpload(f"{path.name} is damaged or not an archive: {error}.") from error
        return UploadedFiles(str(spool), tuple(members), tuple(issues))
    kind = KINDS.get(path.suffix.lower())
    if kind is None:
        raise UnusableUpload(
            f"{path.name} is not a file of annotations.",
            hint=f"Supported extensions: {', '.join((*KINDS, *ARCHIVES))}.",
        )
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    reason = _reason_against(kind, head)
    if reason:
        raise UnusableUpload(f"{path.name} cannot be read: {reason}.")
    begin = len(_BYTE_ORDER_MARK) if head.startswith(_BYTE_ORDER_MARK) else 0
    return UploadedFiles(str(path), (Member(path.name, kind, begin, path.stat().st_size),))


def _reason_against(kind: str, head: bytes) -> str:
    """Return why a file with this beginning is not what its name says, or nothing."""
    for magic, reason in _OTHER_FORMATS.items():
        if head.startswith(magic):
            return reason
    text = head.removeprefix(_BYTE_ORDER_MARK).strip()
    if not text:
        return "" if len(head) == _HEAD_BYTES else "it is empty"
    first_line = text.split(b"\n", 1)[0].strip()
    if kind == "jsonl" and first_line in (b"{", b"["):
        return "an object spans several lines; name it .json"
    return ""


def _expand(path: Path, out: IO[bytes], limits: ArchiveLimits) -> tuple[list[Member], list[Issue]]:
    """Write the members of an archive to a file, one after the other."""

    class ShortHeaders(tarfile.TarInfo):
        """A header that is not read into memory when it claims to be huge."""

        def _proc_member(self, archive: tarfile.TarFile) -> tarfile.TarInfo:
            if self.type not in tarfile.REGULAR_TYPES and self.size > limits.header_bytes:
                raise tarfile.ReadError("a header is too large")
            found: tarfile.TarInfo = super()._proc_member(archive)  # type: ignore[misc]
            return found

    members: list[Member] = []
    issues = Issues(kept=1_000)
    with gzip.open(path) as compressed:
        stream = _LimitedStream(compressed, path, limits)
        # Streaming, so that nothing is read twice and no list of members is kept.
        with tarfile.open(fileobj=stream, mode="r|", tarinfo=ShortHeaders) as archive:  # type: ignore[call-overload]
            for number, info in enumerate(iter(archive.next, None)):
                if number >= limits.members:
                    raise UnusableUpload(f"{path.name} has more than {limits.members} members.")
                if not info.isdir():
                    reason = _append_member(archive, info, path, out, members)
                    if reason:
                        message = f"{_printable(info.name)} was not read: {reason}."
                        issues.add(Issue("refused_member", message, path.name))
                # tarfile remembers every member it has seen.
                archive.members.clear()
        # The checksum is at the end of the stream.
        while stream.read(_COPY_BYTES):
            pass
    return members, list(issues)


def _append_member(
    archive: tarfile.TarFile,
    info: tarfile.TarInfo,
    path: Path,
    out: IO[bytes],
    members: list[Member],
) -> str:
    """Copy a member of an archive, or return the reason why not."""
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
    content = archive.extractfile(info)
    if content is None:
        return ""
    kind = KINDS[name.suffix.lower()]
    head = content.read(_HEAD_BYTES)
    reason = _reason_against(kind, head)
    if reason:
        return reason
    begin = out.tell()
    out.write(head.removeprefix(_BYTE_ORDER_MARK))
    while data := content.read(_COPY_BYTES):
        out.write(data)
    members.append(Member(f"{path.name}:{_printable(info.name)}", kind, begin, out.tell()))
    return ""


def _printable(name: str) -> str:
    """Return a member's name so that it can be stored and printed."""
    safe = name.encode("utf-8", "backslashreplace").decode()
    return "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in safe)[:255]


class _LimitedStream:
    """Reads an expanding stream until it has become suspiciously large."""

    def __init__(self, stream: gzip.GzipFile, path: Path, limits: ArchiveLimits) -> None:
        self._stream = stream
        self._name = path.name
        by_ratio = max(limits.ratio * path.stat().st_size, limits.ratio_from_bytes)
        self._left = min(limits.expanded_bytes, by_ratio)

    def read(self, size: int) -> bytes:
        data = self._stream.read(size)
        self._left -= len(data)
        if self._left < 0:
            raise UnusableUpload(
                f"{self._name} expands to more than the limit.",
                hint="Split it, or upload the files it holds.",
            )
        return data
