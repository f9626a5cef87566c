"""``/data``: the published databases in Datasette, read-only, if it is installed.

Datasette writes scripts and styles into its pages, so they run in a sandbox: a page below ``/data``
has no origin, and so no cookie and no access to anything else here.
"""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from typing import Any

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from clerk.core.config import Settings
from clerk.site_db.buffers import DATABASE

PREFIX = "/data"
HEADERS = {
    b"content-security-policy": (
        b"sandbox allow-scripts allow-forms allow-popups; default-src 'self'; "
        b"script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
        b"img-src 'self' data:; frame-ancestors 'none'"
    ),
    b"cross-origin-resource-policy": b"cross-origin",
}
SQL_MILLISECONDS = 1000


def installed() -> bool:
    """Whether Datasette can be served."""
    return importlib.util.find_spec("datasette") is not None


class PublishedData:
    """Datasette over what is published now; made again when that has changed."""

    def __init__(self, settings: Settings) -> None:
        self._published = settings.published
        self._shown: tuple[tuple[str, Path], ...] | None = None
        self._app: ASGIApp = PlainTextResponse("Nothing is published yet.\n", 404)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
            await PlainTextResponse("Only reading is possible.\n", 405)(scope, receive, send)
            return
        self._follow()
        path = scope["path"].removeprefix(PREFIX) or "/"
        inner = {**scope, "path": path, "raw_path": path.encode(), "root_path": ""}

        async def send_sandboxed(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *HEADERS.items()]
            await send(message)

        await self._app(inner, receive, send_sandboxed)

    def _follow(self) -> None:
        """Show what is published now."""
        found = tuple(
            (link.name, link.resolve())
            for link in sorted(self._published.glob("[a-z0-9]*"))
            if (link / DATABASE).is_file()
        )
        if found and found != self._shown:
            self._app, self._shown = _datasette(found), found


def _datasette(databases: tuple[tuple[str, Path], ...]) -> Any:
    make = importlib.import_module("datasette.app").Datasette
    database = importlib.import_module("datasette.database").Database
    settings = {
        "base_url": f"{PREFIX}/",
        "sql_time_limit_ms": SQL_MILLISECONDS,
        "allow_download": True,
        "default_cache_ttl": 60,
    }
    datasette = make(settings=settings)
    for name, folder in databases:
        path = str(folder / DATABASE)
        datasette.add_database(database(datasette, path=path, is_mutable=False), name=name)
    return datasette.app()
