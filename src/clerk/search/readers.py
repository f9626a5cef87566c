"""The index as a reader has it open: one searcher for each shard, of one commit.

Who writes is another process: its commits are noticed by the time stamps of the files, so that
every search sees what was committed before it.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final, TypeVar

import tantivy

from clerk.core.errors import StorageUnusable
from clerk.core.storage import search_folder

from .index import (
    PlaceFacts,
    check_file,
    count_pages,
    engine_errors,
    note_damage,
    read_places,
    require_layout,
    segment_files,
    shard_of,
)

_log = logging.getLogger(__name__)
#: Indexes of this many storage directories are kept open; a process mostly serves one.
_KEPT: Final = 2
#: Counts of queries that are kept; those with facets take about 20 kB each.
_COUNTS_KEPT: Final = 500
_T = TypeVar("_T")


@dataclass(frozen=True)
class OpenShard:
    """One shard at one commit."""

    number: int
    folder: Path
    stamp: tuple[int, int]
    index: tantivy.Index = field(repr=False)
    searcher: tantivy.Searcher = field(repr=False)

    @cached_property
    def meta(self) -> Path:
        """The file that each commit replaces."""
        return self.folder / "meta.json"


@dataclass(frozen=True)
class OpenIndex:
    """All shards that can be used; ``missing`` are those that are damaged and being rebuilt."""

    storage_dir: Path
    stamp: tuple[int, int]
    shards: Sequence[OpenShard]
    missing: Sequence[int]
    #: The places, if they are not those in the shards.
    known_places: Mapping[str, PlaceFacts] | None = field(default=None, repr=False)
    #: What was counted for queries: it stays true as long as the index stays the same.
    counts: dict[tuple[Hashable, ...], Any] = field(default_factory=dict, repr=False)

    @cached_property
    def layout_file(self) -> Path:
        """The file that is replaced when shards are."""
        return search_folder(self.storage_dir) / "index.json"

    def counted(self, key: tuple[Hashable, ...], count: Callable[[], _T]) -> _T:
        """Return what was counted before, or count it."""
        known: _T | None = self.counts.get(key)
        if known is None:
            known = count()
            if len(self.counts) >= _COUNTS_KEPT:
                self.counts.clear()
            self.counts[key] = known
        return known

    def ask(self, question: Callable[[tantivy.Searcher], _T]) -> list[_T]:
        """Return the answer of each shard; one that cannot answer is left out and reported."""
        if len(self.shards) == 1:
            answers = [self._ask(self.shards[0], question)]
        else:
            with _lock:
                if not _executor:
                    _executor.append(ThreadPoolExecutor(thread_name_prefix="search"))
            threads = _executor[0]
            answers = list(threads.map(lambda shard: self._ask(shard, question), self.shards))
        return [answer[0] for answer in answers if answer is not None]

    def _ask(
        self, shard: OpenShard, question: Callable[[tantivy.Searcher], _T]
    ) -> tuple[_T] | None:
        try:
            with engine_errors(shard.folder):
                return (question(shard.searcher),)
        except StorageUnusable as error:
            _log.error("%s", error)
            note_damage(self.storage_dir, shard.number, str(error))
            return None

    def shard_number(self, subdomain: str) -> int:
        """Return the shard of a site, which may be one that is missing."""
        return shard_of(subdomain, len(self.shards) + len(self.missing))

    def count(self, query: tantivy.Query) -> int:
        """Return how many pages match."""
        return sum(self.ask(lambda searcher: count_pages(searcher, query)))

    @cached_property
    def places(self) -> dict[str, PlaceFacts]:
        """Every place by its subdomain."""
        if self.known_places is not None:
            return dict(self.known_places)
        return {key: place for found in self.ask(read_places) for key, place in found.items()}

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """The languages of the places."""
        return tuple(sorted({place.language for place in self.places.values()}))


_lock = threading.Lock()
_opened: dict[Path, OpenIndex] = {}
_executor: list[ThreadPoolExecutor] = []


def open_index(storage_dir: Path) -> OpenIndex:
    """Return the index as of its last commit.

    Raise NotFound if there is none, and StorageUnusable if no part of it can be read.
    """
    known = _opened.get(storage_dir)
    if (
        known is not None
        and not known.missing
        and known.stamp == _stamp(known.layout_file)
        and all(each.stamp == _stamp(each.meta) for each in known.shards)
    ):
        return known
    layout_stamp = _stamp(search_folder(storage_dir) / "index.json")
    folders = [search_folder(storage_dir) / name for name in require_layout(storage_dir).shards]
    stamps = [_stamp(folder / "meta.json") for folder in folders]
    with _lock:
        before = {each.folder: each for each in known.shards} if known else {}
        shards, missing, why = [], [], ""
        for number, (folder, stamp) in enumerate(zip(folders, stamps, strict=True)):
            try:
                shards.append(_open_shard(number, folder, stamp, before.get(folder)))
            except (StorageUnusable, OSError) as error:
                _log.error("Part %d of the search index cannot be read: %s", number, error)
                note_damage(storage_dir, number, str(error))
                missing.append(number)
                why = str(error)
        if missing and not shards:
            # No results would be an untrue answer.
            raise StorageUnusable(
                f"The search index cannot be read: {why}",
                hint=f"Check the permissions of {search_folder(storage_dir)}. A damaged index is"
                " rebuilt by the next run, or by: clerk search-index update",
            )
        opened = OpenIndex(storage_dir, layout_stamp, shards, missing)
        _opened.pop(storage_dir, None)
        _opened[storage_dir] = opened
        while len(_opened) > _KEPT:
            del _opened[next(iter(_opened))]
    return opened


def _stamp(path: Path) -> tuple[int, int]:
    """Return what changes when a file is replaced."""
    try:
        facts = path.stat()
    except OSError:
        return (0, 0)
    return (facts.st_ino, facts.st_mtime_ns)


def _open_shard(
    number: int, folder: Path, stamp: tuple[int, int], before: OpenShard | None
) -> OpenShard:
    if before is not None and before.stamp == stamp:
        return before
    for path in segment_files(folder):
        check_file(path)
    with engine_errors(folder):
        if before is not None:
            index = before.index
        else:
            index = tantivy.Index.open(str(folder))
            index.config_reader("manual")
        index.reload()
        return OpenShard(number, folder, stamp, index, index.searcher())
