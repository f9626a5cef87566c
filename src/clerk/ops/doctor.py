"""Check that this machine has everything clerk needs, and suggest fixes.

:mod:`clerk.ops.health` checks whether the pipeline works; this checks whether it could.
"""

from __future__ import annotations

import os
import platform
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path

from clerk import __version__
from clerk.core import config, installation, plugins, schema, storage
from clerk.core.config import Settings
from clerk.core.db import explained, get_civic_db, reading_connection
from clerk.core.distribution import install_command
from clerk.core.errors import ClerkError, StorageIncomplete
from clerk.pipeline import ledger, queues
from clerk.pipeline.scan import unrecorded_sites
from clerk.read.language_data import how_to_get_tesseract

from . import backups, store_check
from .counts import SITES_NAMED
from .health import Check, Level, check_disk

#: Libraries whose versions a bug report should name.
LIBRARIES = ("pypdfium2", "sqlalchemy", "alembic", "httpx", "pluggy")
#: The same, of those that not every machine has or needs.
OPTIONAL_LIBRARIES = ("tesserocr", "onnxruntime", "psycopg", "rq", "redis", "obstore")

#: How many of the documents to be read are looked for on disk.
FILES_CHECKED = 20

#: Programs that are not always needed -> what for, and how to get them.
PROGRAMS = {
    "pg_dump": ("clerk db backup on PostgreSQL", "Install PostgreSQL's client programs."),
    "psql": ("clerk db restore on PostgreSQL", "Install PostgreSQL's client programs."),
    "tesseract": ("the engine tesseract-cli", how_to_get_tesseract()),
    "systemctl": ("clerk install-units", "Use deployment/cron instead."),
}


def examine(settings: Settings) -> list[Check]:
    """Run every check of this machine; an error of clerk is a critical result."""
    found: list[Check] = []
    for name, check in CHECKS.items():
        try:
            found += check(settings)
        except ClerkError as error:
            found.append(Check(name, Level.CRITICAL, str(error), error.hint))
    return found


def check_versions(_settings: Settings) -> Iterator[Check]:
    """Name the versions of clerk, Python and the system."""
    versions = f"clerk {__version__}, Python {platform.python_version()}, {platform.system()}"
    yield Check("versions", Level.OK, versions)


def check_libraries(_settings: Settings) -> Iterator[Check]:
    """The libraries clerk depends on must be installed."""
    found, missing = [], []
    for name in (*LIBRARIES, *OPTIONAL_LIBRARIES):
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            missing += [name] if name in LIBRARIES else []
    yield Check("libraries", Level.OK, ", ".join(found))
    if missing:
        fix = f"Install clerk again: {install_command('--force-reinstall')}"
        yield Check("libraries", Level.CRITICAL, f"missing: {', '.join(missing)}", fix)


def check_ocr(settings: Settings) -> Iterator[Check]:
    """The OCR engine must run and know the languages."""
    from clerk.read.ocr import check_engine

    engine = check_engine(settings.default_ocr_backend, settings.ocr_languages)
    languages = ", ".join(sorted(engine.available_languages()))
    yield Check("ocr", Level.OK, f"{engine.name} {engine.version()} reads {languages}")


def check_storage(settings: Settings) -> Iterator[Check]:
    """The storage directory must be writable."""
    folder = storage.check_storage(settings.storage_dir)
    mode = folder.stat().st_mode & 0o777
    yield Check("storage", Level.OK, f"{folder.absolute()} can be written to (mode {mode:o})")


def check_free_space(settings: Settings) -> Iterator[Check]:
    """The storage directory must have free space."""
    yield check_disk(settings)


def check_published(settings: Settings) -> Iterator[Check]:
    """The directory of published sites must be writable, or one that it can be created in."""
    folder = settings.published
    nearest = next(each for each in (folder, *folder.absolute().parents) if each.exists())
    storage.check_storage(nearest)
    yield Check("published", Level.OK, f"{folder.absolute()} can be written to")


def check_database(_settings: Settings) -> Iterator[Check]:
    """The database must answer."""
    with reading_connection() as conn:
        version = ".".join(map(str, conn.dialect.server_version_info or ()))
        yield Check("database", Level.OK, f"{conn.dialect.name} {version}")


def check_schema(_settings: Settings) -> Iterator[Check]:
    """The schema should be usable; an old one is no fault of the machine."""
    try:
        with explained():
            schema.require_usable(get_civic_db())
            yield Check("schema", Level.OK, f"at {schema.current(get_civic_db())}")
    except ClerkError as error:
        yield Check("schema", Level.WARNING, str(error), error.hint)


def check_files(settings: Settings) -> Iterator[Check]:
    """The documents to be read must be on this machine, or in the bucket, which must answer."""
    if schema.current(get_civic_db()) != schema.head():
        yield Check("files", Level.OK, "not checked: the schema is not the newest")
        return
    with reading_connection() as conn:
        waiting = ledger.documents_to_read(conn, FILES_CHECKED)
    if settings.storage_url:
        missing = store_check.check_access(settings, waiting)
        if missing:
            raise StorageIncomplete(
                f"{len(missing)} of {len(waiting)} documents to be read are not in"
                f" {settings.storage_url}: {missing[0]}.",
                hint="They are fetched again by the next run of their site.",
            )
        has = (
            f"has the last {len(waiting)} documents to be read" if waiting else "can be written to"
        )
        yield Check("files", Level.OK, f"{settings.storage_url} answers and {has}")
        return
    with reading_connection() as conn:
        installation.require_marked_directory(conn, settings)
    if unrecorded := unrecorded_sites(settings):
        found = f"the files of {', '.join(unrecorded[:SITES_NAMED])} are not recorded"
        yield Check("files", Level.WARNING, found, "Run: clerk db upgrade", len(unrecorded))
    if not waiting:
        yield Check("files", Level.OK, "no documents are waiting to be read")
        return
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
    yield Check("files", Level.OK, f"the last {len(waiting)} documents to be read are here")


def check_queue(settings: Settings) -> Iterator[Check]:
    """Redis must answer if it is configured."""
    if settings.embedded:
        found = settings.queue_in_words
        if not settings.uses_postgresql:
            found += "; set DATABASE_URL or REDIS_URL to use several machines"
    else:
        queues.require_redis(settings)
        found = f"{config.redact(settings.redis_url)} answers"
    yield Check("queue", Level.OK, found)


def check_plugins(settings: Settings) -> Iterator[Check]:
    """Every plugin must load, have hooks, and use only those that clerk calls."""
    found = plugins.manager()
    own = len(found.get_plugins()) - len(plugins.BUILT_IN)
    if found.problems:
        told = "; ".join(f"{each.plugin}: {each.what}" for each in found.problems)
        yield Check("plugins", Level.WARNING, told, found.problems[0].fix, len(found.problems))
    else:
        yield Check("plugins", Level.OK, f"{own} besides clerk's own")
    folder = Path("plugins")
    if not found.problems and settings.plugins_dir is None and any(folder.glob("[!_]*.py")):
        fix = "To use them: CLERK_PLUGINS_DIR=plugins, or clerk --plugins-dir plugins"
        yield Check("plugins", Level.OK, f"the files in {folder.absolute()} are not used. {fix}")


def check_full_text(_settings: Settings) -> Iterator[Check]:
    """Python's SQLite must support full-text search."""
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
    yield Check("search", Level.OK, f"SQLite {sqlite3.sqlite_version} with FTS5")


def check_memory(settings: Settings) -> Iterator[Check]:
    """The memory should suffice for all workers at their limit."""
    cores = os.cpu_count() or 1
    workers = settings.workers or cores
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**20
    found = f"{cores} cores, {total:.0f} MB; {workers} workers of {settings.worker_memory_mb} MB"
    if workers * settings.worker_memory_mb <= total:
        yield Check("memory", Level.OK, found)
    else:
        fix = "Lower CLERK_WORKERS or WORKER_MEMORY_MB if the machine runs out of memory."
        yield Check("memory", Level.WARNING, found, fix)


def check_programs(settings: Settings) -> Iterator[Check]:
    """Name optional programs; a missing one is a warning only if this installation needs it."""
    needed = {"pg_dump"} if settings.database_url.startswith("postgresql") else set()
    for name, (purpose, fix) in PROGRAMS.items():
        path = shutil.which(name)
        if path and name in needed:
            # One that is older than the server refuses to work with it.
            with reading_connection() as conn:
                server = int((conn.dialect.server_version_info or (0,))[0])
            version = backups.program_version(name)
            if version is None or version >= server:
                found = f"{path}, version {version}; the server is {server}"
                yield Check(name, Level.OK, found)
            else:
                yield Check(
                    name,
                    Level.WARNING,
                    f"{path} is version {version}, older than the server ({server}): backups fail",
                    f"Install PostgreSQL's client programs {server} and put them first in PATH.",
                )
        elif path:
            yield Check(name, Level.OK, path)
        elif name in needed:
            yield Check(name, Level.WARNING, f"not installed: needed for {purpose}", fix)
        else:
            yield Check(name, Level.OK, f"not installed (for {purpose}). {fix}")


#: The checks by the name of their result, in the order they are shown.
CHECKS: dict[str, Callable[[Settings], Iterator[Check]]] = {
    "versions": check_versions,
    "libraries": check_libraries,
    "ocr": check_ocr,
    "storage": check_storage,
    "disk": check_free_space,
    "published": check_published,
    "database": check_database,
    "schema": check_schema,
    "files": check_files,
    "queue": check_queue,
    "plugins": check_plugins,
    "search": check_full_text,
    "memory": check_memory,
    "programs": check_programs,
}
