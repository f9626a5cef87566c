"""A folder of published sites, each a link to one of its versions.

::

    ROOT/{site} -> .versions/{site}/000007-2-4be0c1...   what is served: number, format, content
    ROOT/.versions/{site}/000006-...                     former versions
                          spare-2                        what the next version is made from
                          part-...                       left over if the publisher dies
                          taken-2.json                   which target has which version
                          differences-2.json             in which files versions differ
                          lock

A version is complete when it has its name, and is served when the link leads to it; both happen by
one rename.  A version that is not kept becomes the spare one: most of its files are also those of
the next version, and to link and to remove all of them costs more than all else.  Which of them are
not is on record from version to version, so that not even the names of all files are compared.

A web server may serve all of ROOT, so nothing here tells where else a site is published: further
targets are recorded by a hash.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Collection, Iterator
from hashlib import blake2b
from pathlib import Path

import msgspec

from clerk.core.errors import StorageUnusable
from clerk.core.storage import published_link, published_versions, written_whole

#: Raised when the files of a version change, or when less of what is stored may be in them.
FORMAT = 2

#: What a plain directory becomes that was there before there were versions.
_OLDER = "older"


#: If more files of a version are different, it is not remembered which.
_DIFFERENT_FILES = 5_000

#: Writes a version into a folder.  Told in which files the folder may differ from the version that
#: is served, returns those in which the new version does; None stands for all files.
Write = Callable[[Path, Collection[str] | None], Collection[str] | None]


class Differences(msgspec.Struct):
    """In which files versions differ from those that were served when they were written."""

    #: Which version the spare one was.
    spare: str = ""
    #: A version, the one that was served, and the files.
    versions: dict[str, tuple[str, list[str]]] = {}

    def forget_older(self, served: str, oldest: str) -> None:
        """Forget what does not lead from the oldest version that is there to the served one.

        The name of a page that was removed is not kept longer than the page.
        """
        needed: dict[str, tuple[str, list[str]]] = {}
        while served > oldest and served in self.versions:
            needed[served] = self.versions.pop(served)
            served = needed[served][0]
        self.versions = needed

    def since_spare(self, version: str) -> set[str] | None:
        """Return in which files a version may differ from the spare one; None for all."""
        files: set[str] = set()
        for _ in range(len(self.versions) + 1):
            if version == self.spare:
                return files
            if version not in self.versions:
                break
            version, some = self.versions[version]
            files.update(some)
        return None


def version_name(content: str) -> str:
    """Return the name of a version of this format: the same content, the same name."""
    return f"{FORMAT}-{_hash(content)}"


def is_of_this_format(version: str) -> bool:
    """Whether a version may stay beside newer ones."""
    return version.startswith(f"{FORMAT}-") or version == _OLDER


def _hash(text: str) -> str:
    return blake2b(text.encode(), digest_size=16).hexdigest()


class VersionedFolder:
    """The versions of one site below a root."""

    def __init__(self, root: Path, subdomain: str) -> None:
        self.link = published_link(root, subdomain)
        self._versions = published_versions(root, subdomain)
        self._taken = self._versions / f"taken-{FORMAT}.json"
        self._spare = self._versions / f"spare-{FORMAT}"
        self._differences = self._versions / f"differences-{FORMAT}.json"

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Wait for other publishers of this site; report what cannot be written to."""
        try:
            self._versions.mkdir(parents=True, exist_ok=True)
            with (self._versions / "lock").open("a") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                yield
        except OSError as error:
            raise StorageUnusable(
                f"{self.link} cannot be published: {error}.",
                hint="Free some space, fix the permissions, or set PUBLISH_DIR to another folder.",
            ) from error

    def serve(
        self,
        version: str,
        write: Write,
        *,
        keep: int,
        instead_of: Path | None = None,
        from_spare: bool = False,
    ) -> bool:
        """Serve that version, written if it is not there; return whether another was served.

        The newest ``keep`` versions of this format stay, and always the one that is served; not
        ``instead_of``, which only lacks something that this one has.  With ``from_spare`` what is
        written to may have files of a former version, which other versions may have, too; who
        keeps only one version keeps no spare one.
        """
        keeps_spare = from_spare and keep > 1
        for pattern in ("part-*", ".*.part", "taken*.json", "spare-*"):
            for leftover in self._versions.glob(pattern):
                if leftover == self._taken or (leftover == self._spare and keeps_spare):
                    continue
                if leftover.is_dir() and not leftover.is_symlink():
                    shutil.rmtree(leftover, ignore_errors=True)
                else:
                    leftover.unlink(missing_ok=True)
        path = self._find(version)
        if path is None:
            part = Path(tempfile.mkdtemp(prefix="part-", dir=self._versions))
            served, differences, stale = self.served(), self._read_differences(), None
            if keeps_spare and self._spare.is_dir():
                stale = differences.since_spare(served.name) if served else None
                self._spare.replace(part)
            files = write(part, stale)
            part.chmod(0o755)
            path = self._next(version)
            if keeps_spare and served and files is not None and len(files) <= _DIFFERENT_FILES:
                differences.versions[path.name] = (served.name, sorted(files))
                self._write_differences(differences)
            part.rename(path)
        changed = not self._is_served(path)
        if changed:
            if self.link.is_dir() and not self.link.is_symlink():
                # An older clerk left a directory: it becomes a version itself.
                self.link.rename(self._versions / f"000000-{_OLDER}")
            fresh = self._versions / "part-link"
            fresh.symlink_to(os.path.relpath(path, self.link.parent))
            fresh.replace(self.link)
        newest = [each for each in self._all() if each != instead_of][-max(keep, 1) :]
        for old in self._all():
            version = old.name.partition("-")[2]
            if (old in newest and is_of_this_format(version)) or self._is_served(old):
                continue
            is_spare = keeps_spare and version.startswith(f"{FORMAT}-") and not self._spare.exists()
            if is_spare:
                # Before it has that name: the record must be right whenever there is a spare one.
                differences = self._read_differences()
                differences.spare = old.name
                differences.forget_older(path.name, self._all()[0].name)
                self._write_differences(differences)
            doomed = old.rename(self._spare if is_spare else old.with_name(f"part-{old.name}"))
            if not is_spare:
                shutil.rmtree(doomed, ignore_errors=True)
        return changed

    def served(self) -> Path | None:
        """Return the folder of the version that is served, or None."""
        return self.link.resolve() if self.link.is_symlink() and self.link.exists() else None

    def serves(self, version: str) -> bool:
        """Whether that version is the one that is served."""
        return any(
            path.name.partition("-")[2] == version and self._is_served(path) for path in self._all()
        )

    def remove(self) -> bool:
        """Stop serving the site and delete its versions; return whether there was anything."""
        if not (self._versions.exists() or os.path.lexists(self.link)):
            return False
        with self.locked():
            if self.link.is_symlink():
                self.link.unlink()
            else:
                shutil.rmtree(self.link, ignore_errors=True)
            shutil.rmtree(self._versions, ignore_errors=True)
        return True

    def version_at(self, target: str) -> str:
        """Return the version a further target has; empty if it has none."""
        return self._versions_at_targets().get(_hash(target), "")

    def record_version_at(self, target: str, version: str) -> None:
        """Record that a further target has a version."""
        taken = self._versions_at_targets() | {_hash(target): version}
        with written_whole(self._taken) as part:
            part.write_text(json.dumps(taken, indent=1))

    def _versions_at_targets(self) -> dict[str, str]:
        with contextlib.suppress(OSError, ValueError):
            return dict(json.loads(self._taken.read_text()))
        return {}

    def _read_differences(self) -> Differences:
        with contextlib.suppress(OSError, msgspec.MsgspecError):
            return msgspec.json.decode(self._differences.read_bytes(), type=Differences)
        return Differences()

    def _write_differences(self, differences: Differences) -> None:
        with written_whole(self._differences) as part:
            part.write_bytes(msgspec.json.encode(differences))

    def _all(self) -> list[Path]:
        """Return the complete versions, the oldest first."""
        return sorted(path for path in self._versions.glob("[0-9]*-*") if path.is_dir())

    def _find(self, version: str) -> Path | None:
        """Return the version if it is there; it becomes the newest unless it is served."""
        versions = self._all()
        for path in versions:
            if path.name.partition("-")[2] == version:
                if path == versions[-1] or self._is_served(path):
                    return path
                return path.rename(self._next(version))
        return None

    def _is_served(self, path: Path) -> bool:
        return self.link.is_symlink() and self.link.resolve() == path.resolve()

    def _next(self, version: str) -> Path:
        numbers = [int(path.name.partition("-")[0]) for path in self._all()]
        return self._versions / f"{max(numbers, default=0) + 1:06}-{version}"
