"""What one build leaves for the next, so that little has to be looked at again.

::

    _clerk/compile.state           the folders: how they looked, and the hash of what is in each
    _clerk/compile.state.<hash>    the card of a folder: what is in it, by name

Folders are few and documents are many: each build reads and writes the first, but the card of a
folder only when something in it changed.  Any of it may be lost or be older than the rest; that
costs time and nothing else, because a card is believed only with the hash its folder is known by,
and each thing on it only while it looks as it did.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from pathlib import Path

import msgspec

from clerk.core.storage import written_whole

#: Raised when it must not be believed any more, as when the gate lets less into the file.
_VERSION = 3

Stamp = tuple[int, ...]


class Holding(msgspec.Struct, array_like=True, gc=False):
    """A thing on disk, how it looked last time, and the hash it had then (empty: not known)."""

    stamp: Stamp
    digest: str = ""
    whole: bool = True


class Seal(msgspec.Struct, array_like=True):
    """A folder as a build has left it.

    ``stamp`` is empty when it does not vouch for what is in it: because it is too young, or because
    something in it may be edited in place.  ``digest`` is empty when that of one thing is unknown.
    """

    stamp: Stamp = ()
    digest: str = ""
    documents: int = 0
    folders: list[str] = []


class Card(msgspec.Struct, array_like=True):
    """What is in a folder of this hash."""

    digest: str
    holdings: dict[str, Holding]


class Step(msgspec.Struct, array_like=True):
    """The names that were touched when a folder came from one hash to another."""

    before: str
    after: str
    names: list[str]


class State(msgspec.Struct):
    """The folders of a site as a build has left them, by relative path."""

    texts: dict[str, Seal] = {}
    extracted: dict[str, Seal] = {}
    sources: Holding | None = None
    #: How each folder of texts, with its findings, has changed last.
    steps: dict[str, Step] = {}
    version: int = _VERSION


class Memory:
    """The files in which it is kept."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "_clerk" / "compile.state"

    def state(self) -> State:
        """Return what the last build has left; nothing if it is lost or of another version."""
        with contextlib.suppress(OSError, msgspec.MsgspecError, ValueError):
            state = msgspec.msgpack.decode(self._path.read_bytes(), type=State)
            if state.version == _VERSION:
                return state
        return State()

    def holdings(self, path: str, digest: str) -> dict[str, Holding] | None:
        """Return what was in a folder when it had this hash; None if that is lost."""
        with contextlib.suppress(OSError, msgspec.MsgspecError, ValueError):
            card = msgspec.msgpack.decode(self._card(path).read_bytes(), type=Card)
            if card.digest == digest:
                return card.holdings
        return None

    def keep(self, state: State) -> None:
        """Keep the folders; their cards have been kept before."""
        _write(self._path, state)

    def keep_card(self, path: str, digest: str, holdings: Mapping[str, Holding]) -> None:
        """Keep what is in a folder."""
        _write(self._card(path), Card(digest, dict(holdings)))

    def forget(self, paths: Iterable[str]) -> None:
        """Remove the cards of folders that are gone."""
        for path in paths:
            self._card(path).unlink(missing_ok=True)

    def _card(self, path: str) -> Path:
        name = blake2b(path.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
        return self._path.with_name(f"{self._path.name}.{name}")


def _write(path: Path, content: State | Card) -> None:
    with written_whole(path) as part:
        part.write_bytes(msgspec.msgpack.encode(content))
