"""Keeping what was uploaded: several files become one, stored once, that batches refer to."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import msgspec
from msgspec.structs import replace

from clerk.core.errors import UnusableUpload

from .model import Issue
from .upload_files import Member, Upload, receive

#: In the folder of an upload: the bytes, and which of them are which file.
STORED = "stored"
MEMBERS = "members"


def gather(paths: Sequence[Path], folder: Path) -> Upload:
    """Copy files and archives into one file of the folder and return it as one upload.

    What the caller does to the files afterwards is of no consequence.  Raises `UnusableUpload` if
    one of them cannot be used at all; nothing of the others is used then.
    """
    if not paths:
        raise UnusableUpload("There is no file to upload.")
    stored = folder / STORED
    members: list[Member] = []
    issues: list[Issue] = []
    stored.unlink(missing_ok=True)
    for path in paths:
        received = receive(path, folder / "archive")
        shift = _append(Path(received.path), stored)
        members += [
            replace(each, begin=each.begin + shift, end=each.end + shift)
            for each in received.members
        ]
        issues += received.issues
        (folder / "archive").unlink(missing_ok=True)
    upload = Upload(str(stored), tuple(members), tuple(issues))
    (folder / MEMBERS).write_bytes(msgspec.msgpack.encode(upload))
    return upload


@lru_cache(maxsize=2)
def stored_upload(path: str) -> Upload:
    """Return what was gathered, by the path of its bytes."""
    content = (Path(path).parent / MEMBERS).read_bytes()
    return replace(msgspec.msgpack.decode(content, type=Upload), path=path)


def _append(source: Path, target: Path) -> int:
    """Add a file to the end of another and return where it begins there."""
    if not target.exists():
        shutil.copyfile(source, target)
        return 0
    begin = target.stat().st_size
    with source.open("rb") as file, target.open("ab") as out:
        shutil.copyfileobj(file, out, 1 << 20)
    return begin
