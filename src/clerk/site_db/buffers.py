"""Two files that take turns, so that a build neither copies everything nor is seen half done.

::

    meetings.db                  what readers open; replaced by one rename, never written to
    _clerk/compile.spare.db      the one before, brought up to date and swapped in by the next build
    _clerk/compile.part.db       the one in work: rubbish if a build dies
    _clerk/compile.lock          held by the build

Copying a database of 100,000 pages and syncing it costs seconds; bringing the spare up to date
costs only what changed in the last two builds.  The spare was once what readers opened, so it may
be written to only if nobody has it open any more: a write lease on it is granted exactly then.
Where leases do not exist (other systems, network file systems), or a reader stays, the file is
copied.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from clerk.core.storage import written_whole

from . import schema

DATABASE = "meetings.db"


class _Built(msgspec.Struct):
    """How the files looked when the last build left them."""

    database: tuple[int, int, int]
    spare: tuple[int, int, int] | None


@contextlib.contextmanager
def build_lock(folder: Path) -> Iterator[None]:
    """Hold the site's build lock; waits for another build to end."""
    (folder / "_clerk").mkdir(parents=True, exist_ok=True)
    with (folder / "_clerk" / "compile.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


class Buffers:
    """The files of one site's build; used by the one who holds the build lock."""

    def __init__(self, folder: Path) -> None:
        self.database = folder / DATABASE
        self.part = folder / "_clerk" / "compile.part.db"
        self._spare = folder / "_clerk" / "compile.spare.db"
        self._record = folder / "_clerk" / "compile.built"
        self._clear()

    def current(self) -> sqlite3.Connection | None:
        """Open what readers see; None if it is missing, damaged, or of another version."""
        try:
            connection = schema.open_readonly(self.database)
            with contextlib.suppress(sqlite3.DatabaseError):
                if schema.is_current(connection) and self._sound(connection):
                    return connection
            connection.close()
        except sqlite3.Error:
            pass
        return None

    def _sound(self, connection: sqlite3.Connection) -> bool:
        """Whether the file is as the last build left it, or proves to be in order."""
        built = self._built()
        if built and built.database == _look(self.database):
            return True
        checked = connection.execute("PRAGMA quick_check").fetchone()
        return bool(checked == ("ok",))

    def private_copy(self) -> Path:
        """Return a file like the current one, perhaps some builds older, that nobody else has."""
        built = self._built()
        as_left = built and built.spare and built.spare == _look(self._spare)
        if as_left and _is_current(self._spare) and _unshared(self._spare):
            self._spare.replace(self.part)
        else:
            self._spare.unlink(missing_ok=True)
            shutil.copyfile(self.database, self.part)
        return self.part

    def swap_in(self) -> None:
        """Put the finished part in the place of the database and keep that one as the spare."""
        self.sync()
        self._spare.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            os.link(self.database, self._spare)
        self.part.chmod(0o644)
        self.part.replace(self.database)
        self._remember()

    def sync(self) -> None:
        """Let the disk have what is written of the part, so that little is left for the end."""
        with self.part.open("rb") as file:
            os.fsync(file)

    def _remember(self) -> None:
        looks = _look(self.database)
        if looks is None:
            raise FileNotFoundError(self.database)
        with written_whole(self._record) as part:
            part.write_bytes(msgspec.json.encode(_Built(looks, _look(self._spare))))

    def _built(self) -> _Built | None:
        with contextlib.suppress(OSError, msgspec.MsgspecError):
            return msgspec.json.decode(self._record.read_bytes(), type=_Built)
        return None

    def _clear(self) -> None:
        """Remove what a build that died has left."""
        for pattern in ("compile.part.*", ".compile.*.part"):
            remove_all(self.part.parent.glob(pattern))


def remove_all(paths: Iterable[Path]) -> None:
    """Remove files and directories that are in nobody's use."""
    for path in paths:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _is_current(path: Path) -> bool:
    """Whether a file is of this version; the one before a new version is not to be used again."""
    with (
        contextlib.suppress(sqlite3.Error),
        contextlib.closing(schema.open_readonly(path)) as connection,
    ):
        return schema.is_current(connection)
    return False


def _look(path: Path) -> tuple[int, int, int] | None:
    try:
        facts = path.stat()
    except OSError:
        return None
    return facts.st_ino, facts.st_size, facts.st_mtime_ns


def _unshared(path: Path) -> bool:
    """Whether no process has the file open and no other name leads to it."""
    if not hasattr(fcntl, "F_SETLEASE"):
        return False
    with contextlib.suppress(OSError), path.open("r+b") as file:
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_UNLCK)
        return os.fstat(file.fileno()).st_nlink == 1
    return False
