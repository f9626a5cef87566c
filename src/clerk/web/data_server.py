"""The process behind ``/data``: Datasette over what is published, and nothing else.

    python -m clerk.web.data_server PARENT SOCKET PUBLISHED SCHEME

It knows no settings and no secrets, and shows only what is published.  It has low priority and a
bound on memory; when the system runs out of memory it is killed first.  Once it serves, its output
is dropped: Datasette reports every error of every visitor there.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import os
import resource
import signal
import socket
import sqlite3
import sys
import time
from hashlib import sha256
from pathlib import Path
from typing import Any

import uvicorn
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from clerk.core.storage import compiled_database
from clerk.site_db.schema import open_readonly

from .supervised_process import end_with_parent

SQL_MILLISECONDS = 1000
ROWS = 1000
#: No text or blob of a query may be longer than this.
VALUE_BYTES = 10 << 20
MEMORY_BYTES = 2 << 30
PRIORITY = 10
#: What is published is looked up at most this often.
FOLLOW_SECONDS = 1.0
#: Queries of a version that was replaced have this long to end.
RETIRE_SECONDS = 30.0


class Published:
    """Datasette over what is published; made again when that changes."""

    def __init__(self, folder: Path, scheme: str) -> None:
        self._folder, self._scheme = folder, scheme
        self._looked_at = float("-inf")
        self._shown: tuple[tuple[str, Path], ...] = ()
        self._datasette: Any = None
        self._app: ASGIApp = PlainTextResponse("Nothing is published yet.\n", 404)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            self._follow()
            await self._app(scope, receive, send)

    def _follow(self) -> None:
        """Show what is published now."""
        if time.monotonic() < self._looked_at + FOLLOW_SECONDS:
            return
        self._looked_at = time.monotonic()
        found = tuple(
            (link.name, link.resolve())
            for link in sorted(self._folder.glob("[a-z0-9]*"))
            if compiled_database(link).is_file()
        )
        if found == self._shown or not found:
            return
        former, self._datasette = self._datasette, _datasette(found, self._scheme)
        self._app, self._shown = self._datasette.app(), found
        if former is not None:
            asyncio.get_running_loop().call_later(RETIRE_SECONDS, _retire, former)


def _datasette(databases: tuple[tuple[str, Path], ...], scheme: str) -> Any:
    make = importlib.import_module("datasette.app").Datasette
    database = importlib.import_module("datasette.database").Database

    class Restricted(database):  # type: ignore[misc, valid-type]
        def connect(self, write: bool = False) -> sqlite3.Connection:
            connection: sqlite3.Connection = super().connect(write)
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, VALUE_BYTES)
            connection.set_authorizer(hide_paths)
            return connection

    settings = {
        "base_url": "/data/",
        "sql_time_limit_ms": SQL_MILLISECONDS,
        "max_returned_rows": ROWS,
        "allow_csv_stream": False,
        "suggest_facets": False,
        "default_cache_ttl": 60,
        "force_https_urls": scheme == "https",
    }
    facts = {}
    for name, folder in databases:
        with contextlib.suppress(sqlite3.Error, OSError):
            facts[name] = _facts(compiled_database(folder))
    datasette = make(settings=settings, inspect_data=facts)
    for name, folder in databases:
        if name in facts:
            path = str(compiled_database(folder))
            datasette.add_database(Restricted(datasette, path=path, is_mutable=False), name=name)
    return datasette


def _facts(path: Path) -> dict[str, object]:
    """Return what Datasette would read the whole file for before its first answer."""
    with contextlib.closing(open_readonly(path)) as connection:
        rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        tables = {name: {"count": None} for (name,) in rows}
    seen = path.stat()
    version = sha256(f"{seen.st_ino} {seen.st_mtime_ns} {seen.st_size}".encode()).hexdigest()
    return {"hash": version, "size": seen.st_size, "tables": tables}


def _retire(datasette: Any) -> None:
    datasette.executor.shutdown(wait=False)
    for each in datasette.databases.values():
        each.close()


def hide_paths(action: int, table: str | None, *_where: str | None) -> int:
    """Deny ``SELECT file FROM pragma_database_list``, which tells where files are."""
    reads_paths = action == sqlite3.SQLITE_READ and table == "pragma_database_list"
    return sqlite3.SQLITE_DENY if reads_paths else sqlite3.SQLITE_OK


class _Server(uvicorn.Server):
    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)


def main(parent: int, listening: int, published: Path, scheme: str) -> None:
    """Serve until told to stop, or until the server is gone."""
    end_with_parent(parent, signal.SIGKILL)
    os.nice(PRIORITY)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")
    # With rich Datasette would draw a traceback with all variables for every missing page.
    sys.modules["rich"] = None  # type: ignore[assignment]
    config = uvicorn.Config(
        Published(published, scheme),
        lifespan="off",
        log_config=None,
        log_level="critical",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=1,
    )
    with contextlib.suppress(KeyboardInterrupt):
        _Server(config).run(sockets=[socket.socket(fileno=listening)])


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]), sys.argv[4])
