"""Back up the database, with the files of the sites if wanted, and restore both.

::

    backup.db or backup.sql     the database alone: SQLite's online copy, or a dump of PostgreSQL
    backup.tar                  manifest.json, the database, and store/ with the files of the sites

The database is copied before the files: files are added and replaced whole, so the copy of the
store has at least what the database names.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import shutil
import sqlite3
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from sqlalchemy import URL, Engine, inspect, text

from clerk import __version__
from clerk.core import schema
from clerk.core.clock import utc_now
from clerk.core.errors import DatabaseUnavailable, InvalidInput, MissingTool
from clerk.core.storage import own_files, written_whole

#: Names inside an archive.
MANIFEST, DATABASE, STORE = "manifest.json", "database", "store"

#: Files in the storage directory that are not part of a backup: the database has a copy of its own.
_NOT_STORED = re.compile(r"clerk\.db(-wal|-shm|-journal)?")


@dataclass(frozen=True)
class Manifest:
    """What an archive says about itself."""

    clerk: str
    dialect: str
    revision: str
    made_at: str
    sites: int


@dataclass(frozen=True)
class Restored:
    """What was restored."""

    sites: int
    revision: str
    files: int


def default_name(engine: Engine, *, with_store: bool = False) -> Path:
    """Return the file name of a backup made now, in the current directory."""
    suffix = "tar" if with_store else "db" if engine.dialect.name == "sqlite" else "sql"
    return Path(f"clerk_backup_{utc_now():%Y%m%d_%H%M%S}.{suffix}")


def back_up(engine: Engine, target: Path, store: Path | None = None) -> int:
    """Write a copy of the database that can be restored, and return its size in bytes.

    With ``store``, an archive of the database and that directory.  The file appears when it is
    complete; an existing one is not overwritten.
    """
    if target.exists():
        raise InvalidInput(f"{target} already exists.", hint="Choose another name.")
    with written_whole(target) as part:
        if store is None:
            _copy_database(engine, part)
            return part.stat().st_size
        manifest = Manifest(
            __version__,
            engine.dialect.name,
            schema.current(engine) or "",
            utc_now().isoformat(),
            _count_sites(engine),
        )
        with tempfile.TemporaryDirectory(dir=part.parent) as folder, tarfile.open(part, "w") as tar:
            about = json.dumps(asdict(manifest), indent=2).encode()
            entry = tarfile.TarInfo(MANIFEST)
            entry.size = len(about)
            tar.addfile(entry, io.BytesIO(about))
            copy = Path(folder) / DATABASE
            _copy_database(engine, copy)
            tar.add(copy, DATABASE)
            copy.unlink()
            for path in sorted(store.iterdir()):
                if not _NOT_STORED.fullmatch(path.name):
                    with contextlib.suppress(FileNotFoundError):  # replaced while it was copied
                        tar.add(path, f"{STORE}/{path.name}")
    return target.stat().st_size


def _copy_database(engine: Engine, part: Path) -> None:
    if engine.dialect.name == "sqlite":
        with (
            contextlib.closing(sqlite3.connect(engine.url.database or "")) as source,
            contextlib.closing(sqlite3.connect(part)) as copy,
        ):
            source.backup(copy)
    else:
        with _without_password(engine.url) as plain:
            _run("pg_dump", ["--no-owner", "--file", str(part), "--dbname", plain])


def _count_sites(engine: Engine) -> int:
    with engine.connect() as conn:
        conn = conn.execution_options(clerk_reads=True)
        if not inspect(conn).has_table("sites"):
            return 0
        return int(conn.execute(text("SELECT count(*) FROM sites")).scalar_one())


def _run(name: str, arguments: list[str]) -> None:
    program = shutil.which(name)
    if program is None:
        raise MissingTool(
            f"{name} is not installed.",
            hint=f"Install PostgreSQL's client programs, or run {name} where they are.",
        )
    ended = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    if ended.returncode:
        # The cause may be in the line before the last: "error: ...", then "detail: ...".
        said = " ".join(ended.stderr.strip().splitlines()[-2:]) or f"exit code {ended.returncode}"
        raise DatabaseUnavailable(f"{name} failed: {said}", hint="See: clerk doctor")


@contextlib.contextmanager
def _without_password(url: URL) -> Iterator[str]:
    """Yield the URL with the password in a private file: everybody can see arguments."""
    plain = URL.create(
        "postgresql", url.username, None, url.host, url.port, url.database, url.query
    )
    with tempfile.NamedTemporaryFile("w", prefix="clerk-pgpass-") as file:
        if url.password:
            escaped = str(url.password).replace("\\", "\\\\").replace(":", "\\:")
            file.write(f"*:*:*:*:{escaped}\n")
            file.flush()
            plain = plain.update_query_dict({"passfile": file.name})
        yield plain.render_as_string(hide_password=False)


# --------------------------------------------------------------------------------- restoring


def restore(engine: Engine, source: Path, store: Path) -> Restored:
    """Restore a backup into an empty database, and its files into an empty storage directory.

    Everything is checked before anything is written.
    """
    if not source.is_file():
        raise InvalidInput(f"There is no file {source}.")
    is_archive = tarfile.is_tarfile(source)
    _refuse_full_database(engine)
    with tempfile.TemporaryDirectory(prefix="clerk-restore-") as folder:
        database, files = source, 0
        if is_archive:
            there = store.iterdir() if store.is_dir() else ()
            if any(p != own_files(store) and not _NOT_STORED.fullmatch(p.name) for p in there):
                raise InvalidInput(
                    f"The storage directory {store} is not empty; nothing was restored.",
                    hint="Point STORAGE_DIR to a new, empty directory.",
                )
            database = Path(folder) / DATABASE
            with tarfile.open(source) as tar:
                try:
                    content = tar.extractfile(DATABASE)
                except KeyError:
                    content = None
                if content is None:
                    raise InvalidInput("The archive has no database: it is not a backup of clerk.")
                with content, database.open("wb") as file:
                    shutil.copyfileobj(content, file)
        with database.open("rb") as file:
            is_sqlite = file.read(16).startswith(b"SQLite format 3")
        if is_sqlite != (engine.dialect.name == "sqlite"):
            kind = "SQLite" if is_sqlite else "PostgreSQL"
            raise InvalidInput(
                f"The backup is of {kind}, and DATABASE_URL names another kind of database.",
                hint="Point DATABASE_URL to an empty database of the same kind.",
            )
        if is_archive:
            files = _extract_store(source, store)
        if engine.dialect.name == "sqlite":
            engine.dispose()
            target = Path(engine.url.database or "")
            for beside in (f"{target}-wal", f"{target}-shm"):
                Path(beside).unlink(missing_ok=True)
            with written_whole(target) as part:
                shutil.copyfile(database, part)
        else:
            with _without_password(engine.url) as plain:
                options = ["--quiet", "--no-psqlrc", "--single-transaction"]
                options += ["--set=ON_ERROR_STOP=1", "--output=/dev/null"]
                _run("psql", [*options, "--file", str(database), plain])
    return Restored(_count_sites(engine), schema.current(engine) or "", files)


def _refuse_full_database(engine: Engine) -> None:
    if schema.missing_file(engine):
        return
    with engine.connect() as conn:
        conn = conn.execution_options(clerk_reads=True)
        if not inspect(conn).get_table_names():
            return
        empty = inspect(conn).has_table("sites") and engine.dialect.name == "sqlite"
        if empty and not conn.execute(text("SELECT 1 FROM sites LIMIT 1")).first():
            return
    raise InvalidInput(
        "The database is not empty; nothing was restored.",
        hint="Point DATABASE_URL to a new, empty database.",
    )


def _extract_store(source: Path, store: Path) -> int:
    """Extract the files of the sites, and return how many there are.

    If one cannot be written, those that were written are removed: the storage directory was empty.
    """
    files, prefix = 0, f"{STORE}/"
    with contextlib.ExitStack() as undo, tarfile.open(source) as tar:
        undo.callback(_empty, store)
        for entry in tar:
            if entry.name.startswith(prefix):
                entry.name = entry.name.removeprefix(prefix)
                if entry.islnk():
                    # Published versions share the files that did not change between them.
                    entry.linkname = entry.linkname.removeprefix(prefix)
                tar.extract(entry, store, filter="data")
                files += entry.isfile() or entry.islnk()
        undo.pop_all()
    return files


def _empty(store: Path) -> None:
    """Remove what was extracted from a storage directory."""
    for path in store.iterdir() if store.is_dir() else ():
        if path == own_files(store) or _NOT_STORED.fullmatch(path.name):
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


# ------------------------------------------------------------------------- versions of tools


def program_version(name: str) -> int | None:
    """Return the major version of one of PostgreSQL's programs; None if there is none."""
    program = shutil.which(name)
    if program is None:
        return None
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    match = re.search(r"(\d+)(?:\.\d+)*", said.stdout)
    return int(match[1]) if match else None
