"""Keeping this machine's search index at what the manifest says: the reader of the outbox.

::

    document_changes --number--> which sites changed --meetings.db--> the pages of these documents
                                                                 |
                                            one commit: pages, and the number that was reached

A changed document is indexed when its site's database has it: only then can the page be shown.
Until then the site is waiting, and the shard remembers from which number on.

Who compiles a site asks for it here and indexes it at once; if another process is writing, that one
does it.  ``clerk serve`` runs a :class:`Tail` next to the server.  A shard that is damaged, of
another version or behind the end of the outbox is rebuilt next to the one in use and swapped in.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, cast

import msgspec
from sqlalchemy import select

from clerk.core import manifest, outbox
from clerk.core.config import Settings
from clerk.core.db import reading_connection
from clerk.core.errors import StorageUnusable
from clerk.core.models import sites_table
from clerk.core.public_text import Gate
from clerk.core.site_extra import SiteRow
from clerk.core.storage import (
    compiled_database,
    old_search_index,
    remove_all,
    search_folder,
    site_folder,
    storage_errors,
    written_whole,
)
from clerk.search import index
from clerk.search.index import (
    IndexBusy,
    IndexDamaged,
    Layout,
    PlaceFacts,
    ShardProgress,
    ShardWriter,
    shard_of,
)
from clerk.search.readers import open_index
from clerk.site_db import about_site, digest_of
from clerk.site_db.schema import APPLICATION_ID, open_readonly

_log = logging.getLogger(__name__)

#: Changes read from the outbox at once.
_CHANGES: Final = 5000
#: The place in the outbox is written at least after this many changes, even if no page changed.
_NUMBERS: Final = 2000
#: Seconds between two notes of how far a rebuild has come.
_NOTE_SECONDS: Final = 0.5


class RebuildState(msgspec.Struct):
    """How far a rebuild has come."""

    sites: int = 0
    of_sites: int = 0
    pages: int = 0


@dataclass(frozen=True)
class ShardStatus:
    """One shard, for operators."""

    shard: int
    folder: str
    documents: int
    pages: int
    bytes: int
    number: int
    #: Changes in the outbox that were not read yet.
    behind: int
    #: Sites with changes that are not compiled yet.
    waiting: list[str]
    damage: str | None
    rebuilding: RebuildState | None


@dataclass(frozen=True)
class IndexStatus:
    """The search index of this machine; no shards if it has not been built."""

    path: Path
    shards: list[ShardStatus] = field(default_factory=list)

    @property
    def is_ok(self) -> bool:
        """Whether every shard can be read."""
        return bool(self.shards) and not any(each.damage for each in self.shards)


#: Called with how far a rebuild has come.
Report = Callable[[RebuildState], None]


def index_site(settings: Settings, subdomain: str) -> None:
    """Have a site that was compiled or removed in the index, by this process or by the one writing.

    A machine that has its files from a store and serves no pages has no index, and needs none.
    """
    is_wanted = not settings.storage_url or settings.embedded
    if not is_wanted and index.read_layout(settings.storage_dir) is None:
        return
    folder = _request_folder(settings)
    with storage_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{subdomain}~{os.getpid()}-{time.monotonic_ns()}").touch()
    # Looked for again after each turn: who finds the lock taken has left its request before.
    while _requests(settings):
        try:
            Tail(settings).run(requested_only=True)
        except IndexBusy:
            return


def _request_folder(settings: Settings) -> Path:
    return search_folder(settings.storage_dir) / "requests"


def _requests(settings: Settings, shard: int | None = None) -> dict[Path, str]:
    """Return the sites that processes want to have indexed, by the file of each request."""
    found: dict[Path, str] = {}
    with contextlib.suppress(OSError):
        for path in _request_folder(settings).iterdir():
            site = path.name.partition("~")[0]
            if shard is None or shard_of(site, settings.search_shards) == shard:
                found[path] = site
    return found


def update(settings: Settings) -> int:
    """Bring every shard up to the end of the outbox; return how many documents were indexed.

    Raises IndexBusy if another process is writing.
    """
    return Tail(settings).run()


@dataclass
class Tail:
    """One who reads the outbox again and again, and remembers what was in vain."""

    settings: Settings
    #: Waiting site -> the state of its database when it was last checked.
    _tried: dict[str, str] = field(default_factory=dict)
    #: Files of segments whose content was compared.
    _checked: set[tuple[str, int]] = field(default_factory=set)
    #: Shard -> folder and place in the outbox at the end of the last turn.
    _reached: dict[int, tuple[str, ShardProgress]] = field(default_factory=dict)

    def run(self, *, requested_only: bool = False) -> int:
        """Index what has changed, or only sites that were asked for; return how many documents.

        What cannot be continued is rebuilt.
        """
        settings, storage_dir = self.settings, self.settings.storage_dir
        layout = index.read_layout(storage_dir)
        if layout is None or len(layout.shards) != settings.search_shards:
            rebuild(settings)
            layout = index.require_layout(storage_dir)
        documents = 0
        for shard, name in enumerate(layout.shards):
            try:
                if reason := index.damage_of(storage_dir, shard):
                    raise IndexDamaged(reason)
                if not _requests(settings, shard) and (
                    requested_only or self._is_idle(shard, name)
                ):
                    continue
                with index.writer_lock(storage_dir, shard):
                    if index.require_layout(storage_dir).shards[shard] != name:
                        continue  # It was swapped meanwhile; the next turn sees the new one.
                    with ShardWriter(search_folder(storage_dir) / name) as writer:
                        self.catch_up(writer, shard, requested_only=requested_only)
                        documents += writer.documents
            except (IndexDamaged, _OutboxGap) as error:
                _log.warning("Rebuilding part %d of the search index: %s", shard, error)
                index.note_damage(storage_dir, shard, str(error))
                rebuild(settings, [shard])
        return documents

    def _is_idle(self, shard: int, name: str) -> bool:
        """Whether nothing has happened since the last turn; costs one question to the database."""
        folder, progress = self._reached.get(shard, ("", ShardProgress()))
        if folder != name:
            return False
        with reading_connection(self.settings.sql_url) as conn:
            if outbox.changes_after(conn, progress.number, limit=1):
                return False
        return all(self._was_tried(site) for site in progress.waiting)

    def _was_tried(self, site: str) -> bool:
        return self._tried.get(site) == _looks(self.settings, site)

    def catch_up(
        self, writer: ShardWriter, shard: int, *, requested_only: bool = False, force: bool = False
    ) -> None:
        """Read on in the outbox, and index what the sites' databases have of it.

        With ``force`` the place in the outbox is written even if no page changed.
        """
        settings = self.settings
        requests = _requests(settings, shard)
        progress = writer.progress()
        if progress is None:
            raise IndexDamaged(f"{writer.folder} does not record its position in the outbox.")
        begun = progress.number
        with reading_connection(settings.sql_url) as conn:
            last, oldest = outbox.last_change(conn), outbox.oldest_change(conn)
        if begun > last or begun < oldest - 1:
            raise _OutboxGap(f"it stopped at change {begun}, and there are {oldest} to {last}.")
        while True:
            with reading_connection(settings.sql_url) as conn:
                changes = outbox.changes_after(conn, progress.number, limit=_CHANGES)
            for change in changes:
                site = change.subdomain
                if shard_of(site, settings.search_shards) == shard:
                    self._tried.pop(site, None)
                    # A change of the site itself concerns all its documents.
                    since = change.number if change.name else 0
                    progress.waiting[site] = min(progress.waiting.get(site, since), since)
            if not changes:
                break
            progress.number = changes[-1].number
        changed = 0
        sites = set(requests.values()) & progress.waiting.keys()
        if not requested_only:
            sites |= {site for site in progress.waiting if not self._was_tried(site)}
        for site in sorted(sites):
            self._tried[site] = _looks(settings, site)
            changed += self._bring(writer, progress, site)
        if changed or force or progress.number >= begun + _NUMBERS:
            writer.commit(progress)
        for path in requests:
            path.unlink(missing_ok=True)
        self._reached[shard] = (writer.folder.name, progress)

    def _bring(self, writer: ShardWriter, progress: ShardProgress, site: str) -> int:
        """Bring one site to what its database has; it stops waiting when that is everything.

        Returns how much of the index changed.
        """
        settings, since = self.settings, progress.waiting[site]
        with reading_connection(settings.sql_url) as conn:
            names: Sequence[str] | None = None
            if since:
                names, _ = outbox.changed_names(conn, site, since - 1)
            query = select(sites_table).where(sites_table.c.subdomain == site)
            row = conn.execute(query).first()
            if row is None:
                del progress.waiting[site]
                writer.remove_site(site)
                return 1
            known = cast(SiteRow, dict(row._mapping))
            gate = Gate.for_site(settings, known)
            digests = {
                each.name: digest_of(each, gate)
                for each in manifest.documents(conn, site, names)
                if each.text_sha256 and gate.allows_name(each.name)
            }
        wanted = _Wanted(digests, index.place_of(about_site(settings, known, gate), site))
        db = index.open_compiled(site_folder(settings.storage_dir, site))
        if db is None:
            return 0
        try:
            with contextlib.closing(db):
                changed = writer.bring(db, site, names)
                if wanted.is_compiled(db, names):
                    del progress.waiting[site]
                return changed
        except sqlite3.DatabaseError as error:
            # The next build replaces it.
            _log.warning("The database of %s cannot be read: %s", site, error)
            return 0

    def check_some(self) -> None:
        """Compare the content of one more file with what was written; note damage."""
        storage_dir = self.settings.storage_dir
        layout = index.read_layout(storage_dir)
        for shard, name in enumerate(layout.shards if layout else ()):
            try:
                for path in index.segment_files(search_folder(storage_dir) / name):
                    with contextlib.suppress(FileNotFoundError):
                        key = (str(path), path.stat().st_mtime_ns)
                        if key not in self._checked:
                            index.check_file(path, content=True)
                            self._checked.add(key)
                            return
            except IndexDamaged as error:
                if (search_folder(storage_dir) / name / "meta.json").exists():
                    _log.error("%s", error)
                    index.note_damage(storage_dir, shard, str(error))


class _OutboxGap(Exception):
    """The outbox does not go back to where the index stopped."""


@dataclass(frozen=True)
class _Wanted:
    """What the manifest says of a site, or of some documents of it."""

    digests: Mapping[str, str]
    place: PlaceFacts

    def is_compiled(self, db: sqlite3.Connection, names: Sequence[str] | None) -> bool:
        """Whether a site's database has it."""
        query, values = "SELECT name, digest FROM documents", []
        if names is not None:
            query += " WHERE name IN (SELECT value FROM json_each(?))"
            values.append(json.dumps(list(names)))
        compiled = dict(db.execute(query, values).fetchall())
        is_same_place = names is not None or index.place_in(db, self.place.subdomain) == self.place
        return compiled == self.digests and is_same_place


def _looks(settings: Settings, site: str) -> str:
    """Return what changes when a site is compiled."""
    try:
        facts = compiled_database(site_folder(settings.storage_dir, site)).stat()
    except OSError:
        return ""
    return f"{facts.st_ino} {facts.st_mtime_ns}"


# --------------------------------------------------------------------------------- rebuilding


def rebuild(
    settings: Settings, shards: Iterable[int] | None = None, report: Report = lambda state: None
) -> RebuildState:
    """Build shards, or all of them, next to those in use and swap them in; the others go on.

    Raises IndexBusy if another process is rebuilding.
    """
    storage_dir, count = settings.storage_dir, settings.search_shards
    with storage_errors(search_folder(storage_dir)):
        search_folder(storage_dir).mkdir(parents=True, exist_ok=True)
    layout = index.read_layout(storage_dir)
    is_whole = layout is None or len(layout.shards) != count or shards is None
    wanted = list(range(count)) if is_whole else sorted(set(shards or ()))
    with index.writer_lock(storage_dir, "rebuild"):
        former = layout.shards if layout else []
        generation = 1 + max((int(name.partition("-")[2]) for name in former), default=0)
        index.remove_folders(storage_dir, former)
        state = RebuildState()
        new = dict(enumerate(former)) if not is_whole else {}
        for shard in wanted:
            name = f"{shard}-{generation:06d}"
            _build_shard(settings, shard, search_folder(storage_dir) / name, state, report)
            new[shard] = name
        with contextlib.ExitStack() as locks:
            for shard in wanted:
                locks.enter_context(index.writer_lock(storage_dir, shard, wait=True))
                with ShardWriter(search_folder(storage_dir) / new[shard]) as writer:
                    Tail(settings).catch_up(writer, shard, force=True)
            index.write_layout(
                storage_dir, Layout(index.VERSION, [new[shard] for shard in sorted(new)])
            )
            for shard in wanted:
                index.forget_damage(storage_dir, shard)
                _note(settings, shard, None)
        index.remove_folders(storage_dir, new.values())
    # The index of older versions was a database; an operator may have one of the same name.
    path = storage_dir / "sites.db"
    if path.exists():
        with (
            contextlib.suppress(sqlite3.DatabaseError),
            contextlib.closing(open_readonly(path)) as db,
        ):
            if db.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,):
                remove_all(old_search_index(storage_dir))
    return state


def _build_shard(
    settings: Settings, shard: int, folder: Path, state: RebuildState, report: Report
) -> None:
    """Index all sites of a shard into a new folder, from their databases."""
    with reading_connection(settings.sql_url) as conn:
        progress = ShardProgress(number=outbox.last_change(conn))
        sites = conn.execute(select(sites_table.c.subdomain).order_by(sites_table.c.subdomain))
        mine = [site for site in sites.scalars() if shard_of(site, settings.search_shards) == shard]
    state.of_sites += len(mine)
    noted = 0.0
    with ShardWriter(folder, writer_bytes=index.REBUILD_BYTES) as writer:
        for site in mine:
            before = writer.pages
            if db := index.open_compiled(site_folder(settings.storage_dir, site)):
                # One that cannot be read is left for its next build.
                with contextlib.suppress(sqlite3.DatabaseError), contextlib.closing(db):
                    writer.bring(db, site)
            # Compared once more when the rest is there.
            progress.waiting[site] = 0
            state.sites += 1
            state.pages += writer.pages - before
            if time.monotonic() > noted + _NOTE_SECONDS:
                noted = time.monotonic()
                _note(settings, shard, state)
                report(state)
        writer.commit(progress)
    report(state)


def _note(settings: Settings, shard: int, state: RebuildState | None) -> None:
    """Write down how far a rebuild has come, for other processes to show."""
    path = search_folder(settings.storage_dir) / f"{shard}.rebuilding"
    if state is None:
        path.unlink(missing_ok=True)
        return
    with written_whole(path) as part:
        part.write_bytes(msgspec.json.encode(state))


# ------------------------------------------------------------------------------------ status


def status(settings: Settings, *, content: bool = False) -> IndexStatus:
    """Return the state of this machine's index; with ``content`` every file is compared."""
    storage_dir = settings.storage_dir
    found = IndexStatus(search_folder(storage_dir))
    layout = index.read_layout(storage_dir)
    if layout is None:
        return found
    with reading_connection(settings.sql_url) as conn:
        last = outbox.last_change(conn)
    opened = {}
    # If no part can be read, each says so below.
    with contextlib.suppress(StorageUnusable):
        opened = {each.number: each for each in open_index(storage_dir).shards}
    for shard, name in enumerate(layout.shards):
        folder = search_folder(storage_dir) / name
        damage = index.damage_of(storage_dir, shard)
        progress, documents, pages = ShardProgress(), 0, 0
        try:
            for path in index.segment_files(folder):
                index.check_file(path, content=content)
            if shard in opened:
                with index.engine_errors(folder):
                    documents, pages, progress = index.describe(opened[shard].searcher)
        except StorageUnusable as error:
            damage = damage or str(error)
            index.note_damage(storage_dir, shard, damage)
        rebuilding = None
        with contextlib.suppress(OSError, msgspec.MsgspecError):
            raw = (search_folder(storage_dir) / f"{shard}.rebuilding").read_bytes()
            rebuilding = msgspec.json.decode(raw, type=RebuildState)
        found.shards.append(
            ShardStatus(
                shard=shard,
                folder=name,
                documents=documents,
                pages=pages,
                bytes=sum(path.stat().st_size for path in folder.glob("*") if path.is_file()),
                number=progress.number,
                behind=max(0, last - progress.number),
                waiting=sorted(progress.waiting),
                damage=damage,
                rebuilding=rebuilding,
            )
        )
    return found
