"""A folder of published sites, each a link to one of its versions.

::

    ROOT/{site} -> .versions/{site}/000007-2-4be0c1...   what is served: number, format, content
    ROOT/.versions/{site}/000006-...                     former versions
                          part-...                       in work, rubbish if the publisher dies
                          taken-2.json                   which further place has which version
                          lock

A version is complete when it has its name, and is served when the link leads to it; both happen by
one rename.  A web server may serve all of ROOT, so nothing here tells where else a site is
published: further places are known by a hash.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from clerk.core.errors import StorageUnusable
from clerk.core.storage import check_subdomain, written_whole
from clerk.site_db.buffers import remove_all
from clerk.site_db.holdings import digest_of

#: Raised when the files of a version change, or when less of what is stored may be in them.
FORMAT = 2

_VERSIONS = ".versions"
#: What a plain directory becomes that was there before there were versions.
_OLDER = "older"


def version_name(digest: str) -> str:
    """Return the name of a version of this format from the hash of its content."""
    return f"{FORMAT}-{digest}"


def is_of_this_format(version: str) -> bool:
    """Whether a version may stay beside newer ones."""
    return version.startswith(version_name("")) or version == _OLDER


class VersionedFolder:
    """The versions of one site below a root."""

    def __init__(self, root: Path, subdomain: str) -> None:
        self.link = root / check_subdomain(subdomain)
        self._versions = root / _VERSIONS / subdomain
        self._taken = self._versions / f"taken-{FORMAT}.json"

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Wait for others who publish this site; what cannot be written to is said so."""
        try:
            self._versions.mkdir(parents=True, exist_ok=True)
            with (self._versions / "lock").open("a") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                yield
        except OSError as error:
            raise StorageUnusable(
                f"{self.link} cannot be published: {error}.",
                hint="Free space or mend the permissions, or set PUBLISH_DIR to another folder.",
            ) from error

    def show(self, version: str, write: Callable[[Path], None], *, keep: int) -> bool:
        """Serve that version, written if it is not there; False if it is served already."""
        self._clear()
        path = self._find(version) or self._write(version, write)
        changed = not self.link.is_symlink() or self.link.resolve() != path.resolve()
        if changed:
            self._switch(path)
        self._forget(keep)
        return changed

    def serves(self, version: str) -> bool:
        """Whether that version is the one that is served."""
        return any(
            path.name.partition("-")[2] == version and self._serves(path) for path in self._all()
        )

    def remove(self) -> bool:
        """Stop serving the site and delete its versions; whether there was anything."""
        if not (self._versions.exists() or os.path.lexists(self.link)):
            return False
        with self.locked():
            if self.link.is_symlink():
                self.link.unlink()
            else:
                shutil.rmtree(self.link, ignore_errors=True)
            shutil.rmtree(self._versions, ignore_errors=True)
        return True

    def taken(self, target: str) -> str:
        """Return the version a further place has; empty if it has none."""
        return self._all_taken().get(digest_of(target.encode()), "")

    def mark_taken(self, target: str, version: str) -> None:
        """Remember that a further place has a version."""
        taken = self._all_taken() | {digest_of(target.encode()): version}
        with written_whole(self._taken) as part:
            part.write_text(json.dumps(taken, indent=1))

    def _all_taken(self) -> dict[str, str]:
        with contextlib.suppress(OSError, ValueError):
            return dict(json.loads(self._taken.read_text()))
        return {}

    def _all(self) -> list[Path]:
        """Return the complete versions, the oldest first."""
        return sorted(path for path in self._versions.glob("[0-9]*-*") if path.is_dir())

    def _find(self, version: str) -> Path | None:
        """Return the version if it is there, and put it last, as if it had just been written."""
        for path in self._all():
            if path.name.partition("-")[2] == version:
                if path == self._all()[-1]:
                    return path
                return path.rename(self._next(version)) if not self._serves(path) else path
        return None

    def _serves(self, path: Path) -> bool:
        return self.link.is_symlink() and self.link.resolve() == path.resolve()

    def _next(self, version: str) -> Path:
        numbers = [int(path.name.partition("-")[0]) for path in self._all()]
        return self._versions / f"{max(numbers, default=0) + 1:06}-{version}"

    def _write(self, version: str, write: Callable[[Path], None]) -> Path:
        part = Path(tempfile.mkdtemp(prefix="part-", dir=self._versions))
        write(part)
        part.chmod(0o755)
        return part.rename(self._next(version))

    def _switch(self, path: Path) -> None:
        """Point the link to a version; a directory of an older kind becomes a version itself."""
        if self.link.is_dir() and not self.link.is_symlink():
            self.link.rename(self._versions / f"000000-{_OLDER}")
        fresh = self._versions / "part-link"
        fresh.unlink(missing_ok=True)
        fresh.symlink_to(os.path.relpath(path, self.link.parent))
        fresh.replace(self.link)

    def _forget(self, keep: int) -> None:
        """Remove all but the newest versions, and older formats; the one that is served stays."""
        newest = self._all()[-max(keep, 1) :]
        for path in self._all():
            kept = path in newest and is_of_this_format(path.name.partition("-")[2])
            if not kept and not self._serves(path):
                doomed = path.rename(path.with_name(f"part-{path.name}"))
                shutil.rmtree(doomed, ignore_errors=True)

    def _clear(self) -> None:
        """Remove what a publisher that died, or an older version of clerk, has left."""
        for pattern in ("part-*", ".*.part", "taken*.json"):
            remove_all(path for path in self._versions.glob(pattern) if path != self._taken)
