"""Copies of the database, taken while it is in use."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import URL, Engine

from clerk.core.clock import utc_now
from clerk.core.errors import DatabaseUnavailable, InvalidInput, MissingTool
from clerk.core.storage import written_whole


def default_name(engine: Engine) -> Path:
    """Return the name of a backup taken now, in the current directory."""
    suffix = "db" if engine.dialect.name == "sqlite" else "sql"
    return Path(f"clerk_backup_{utc_now():%Y%m%d_%H%M%S}.{suffix}")


def back_up(engine: Engine, target: Path) -> int:
    """Write a copy of the database that can be restored, and return its size in bytes.

    The file appears when it is whole; one that is there already is not overwritten.
    """
    if target.exists():
        raise InvalidInput(f"{target} is there already.", hint="Give another name.")
    with written_whole(target) as part:
        if engine.dialect.name == "sqlite":
            _copy_sqlite(Path(engine.url.database or ""), part)
        else:
            _dump_postgres(engine.url, part)
    return target.stat().st_size


def _copy_sqlite(source: Path, part: Path) -> None:
    origin, copy = sqlite3.connect(source), sqlite3.connect(part)
    try:
        origin.backup(copy)
    finally:
        origin.close()
        copy.close()


def _dump_postgres(url: URL, part: Path) -> None:
    program = shutil.which("pg_dump")
    if program is None:
        raise MissingTool(
            "pg_dump is not installed.",
            hint="Install PostgreSQL's client programs, or run pg_dump where they are.",
        )
    with _without_password(url) as plain:
        done = subprocess.run(
            [program, "--no-owner", "--file", str(part), "--dbname", plain],
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        said = done.stderr.strip().splitlines() or [f"it ended with {done.returncode}"]
        raise DatabaseUnavailable(f"pg_dump failed: {said[-1]}")


@contextlib.contextmanager
def _without_password(url: URL) -> Iterator[str]:
    """Give the URL with the password in a file of our own: everybody can see arguments."""
    plain = URL.create(
        "postgresql", url.username, None, url.host, url.port, url.database, url.query
    )
    with tempfile.NamedTemporaryFile("w", prefix="clerk-pgpass-") as file:
        if url.password:
            file.write(f"*:*:*:*:{_escaped(str(url.password))}\n")
            file.flush()
            plain = plain.update_query_dict({"passfile": file.name})
        yield plain.render_as_string(hide_password=False)


def _escaped(password: str) -> str:
    return password.replace("\\", "\\\\").replace(":", "\\:")
