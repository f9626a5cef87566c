"""This machine: is everything there that clerk needs, and the mend for what is not.

:mod:`clerk.ops.health` asks whether the pipeline is well; this asks whether it could be.
"""

from __future__ import annotations

import os
import platform
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from importlib import metadata

from clerk import __version__
from clerk.core import config, schema, storage
from clerk.core.config import Settings
from clerk.core.db import explained, get_civic_db, reading_connection
from clerk.core.distribution import install_command
from clerk.core.errors import ClerkError, StorageIncomplete
from clerk.pipeline import ledger, queue

from .health import Check, Level, check_disk

#: The versions a report should carry.
LIBRARIES = (
    "pypdfium2",
    "tesserocr",
    "sqlalchemy",
    "alembic",
    "psycopg",
    "rq",
    "redis",
    "httpx",
    "pluggy",
)

#: So many documents that are to be read are looked for on disk.
FILES_CHECKED = 20

#: Programs that are not always needed -> what for, and how to get them.
PROGRAMS = {
    "pg_dump": ("clerk db backup on PostgreSQL", "Install PostgreSQL's client programs."),
    "tesseract": ("the engine tesseract-cli", "Install the package tesseract-ocr."),
    "systemctl": ("clerk install-units", "Use deployment/cron instead."),
}


def examine() -> list[Check]:
    """Look at this machine and return what was found."""
    settings = config.load()
    return [
        _versions(),
        *_libraries(),
        _guarded("ocr", lambda: _ocr(settings)),
        _guarded("storage", lambda: _storage(settings)),
        check_disk(settings.storage_dir),
        _guarded("published", lambda: _published(settings)),
        _guarded("database", _database),
        _schema(),
        _guarded("files", lambda: _files(settings)),
        _guarded("queue", lambda: _queue(settings)),
        _guarded("search", _full_text),
        _memory(settings),
        *_programs(settings),
    ]


def _guarded(name: str, look: Callable[[], str]) -> Check:
    """Turn what clerk can explain into a finding with its mend."""
    try:
        return Check(name, Level.OK, look())
    except ClerkError as error:
        return Check(name, Level.CRITICAL, str(error), error.hint)


def _versions() -> Check:
    said = f"clerk {__version__}, Python {platform.python_version()}, {platform.system()}"
    return Check("versions", Level.OK, said)


def _libraries() -> Iterator[Check]:
    found, missing = [], []
    for name in LIBRARIES:
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            missing.append(name)
    yield Check("libraries", Level.OK, ", ".join(found))
    if missing:
        mend = f"Install clerk again: {install_command('--force-reinstall')}"
        yield Check("libraries", Level.CRITICAL, f"missing: {', '.join(missing)}", mend)


def _ocr(settings: Settings) -> str:
    from clerk.read.ocr import check_engine

    engine = check_engine(settings.default_ocr_backend, settings.ocr_languages)
    languages = ", ".join(sorted(engine.available_languages()))
    return f"{engine.name} {engine.version()} reads {languages}"


def _storage(settings: Settings) -> str:
    folder = storage.check_storage(settings.storage_dir)
    mode = folder.stat().st_mode & 0o777
    return f"{folder.absolute()} can be written to (mode {mode:o})"


def _published(settings: Settings) -> str:
    folder = settings.published
    nearest = next(each for each in (folder, *folder.absolute().parents) if each.exists())
    storage.check_storage(nearest)
    return f"{folder.absolute()} can be written to"


def _database() -> str:
    with reading_connection() as conn:
        version = ".".join(map(str, conn.dialect.server_version_info or ()))
        return f"{conn.dialect.name} {version}"


def _files(settings: Settings) -> str:
    """Check that the documents that are to be read are on this machine."""
    if schema.current(get_civic_db()) != schema.head():
        return "not checked: the schema is not the newest"
    with reading_connection() as conn:
        waiting = ledger.documents_to_read(conn, FILES_CHECKED)
    if not waiting:
        return "no document is to be read"
    missing = []
    for site, document in waiting:
        folder = storage.site_folder(settings.storage_dir, site)
        if not os.access(storage.Document.from_name(document).pdf(folder), os.R_OK):
            missing.append(f"{document} of {site}")
    if missing:
        raise StorageIncomplete(
            f"{len(missing)} of {len(waiting)} documents to be read are not in"
            f" {settings.storage_dir.absolute()}: {missing[0]}.",
            hint="Mount the storage directory here, or set STORAGE_DIR to the one in use.",
        )
    return f"the last {len(waiting)} documents to be read are here"


def _schema() -> Check:
    """An old schema is no fault of the machine."""
    try:
        with explained():
            schema.require_usable(get_civic_db())
            return Check("schema", Level.OK, f"at {schema.current(get_civic_db())}")
    except ClerkError as error:
        return Check("schema", Level.WARNING, str(error), error.hint)


def _queue(settings: Settings) -> str:
    if settings.embedded:
        return "embedded; set REDIS_URL to spread work over machines"
    queue.check()
    return f"{config.redact(settings.redis_url)} answers"


def _full_text() -> str:
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("CREATE VIRTUAL TABLE probe USING fts5(text)")
    except sqlite3.OperationalError as error:
        raise ClerkError(
            f"SQLite {sqlite3.sqlite_version} has no full-text search: {error}.",
            hint="Use a Python whose SQLite has FTS5, as those of python.org and Debian have.",
        ) from error
    finally:
        connection.close()
    return f"SQLite {sqlite3.sqlite_version} with FTS5"


def _memory(settings: Settings) -> Check:
    cores = os.cpu_count() or 1
    workers = settings.workers or cores
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**20
    said = f"{cores} cores, {total:.0f} MB; {workers} workers of {settings.worker_memory_mb} MB"
    if workers * settings.worker_memory_mb <= total:
        return Check("memory", Level.OK, said)
    mend = "Lower CLERK_WORKERS or WORKER_MEMORY_MB if the machine runs out of memory."
    return Check("memory", Level.WARNING, said, mend)


def _programs(settings: Settings) -> Iterator[Check]:
    """Programs that only some need: missing ones are named, and blamed only where they are used."""
    needed = {"pg_dump"} if settings.database_url.startswith("postgresql") else set()
    for name, (what_for, mend) in PROGRAMS.items():
        path = shutil.which(name)
        if path:
            yield Check(name, Level.OK, path)
        elif name in needed:
            yield Check(name, Level.WARNING, f"not installed: needed for {what_for}", mend)
        else:
            yield Check(name, Level.OK, f"not installed (for {what_for}). {mend}")
