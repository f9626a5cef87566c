"""``/data``: the published databases in Datasette, read-only, if DATA_PAGES is set.

::

    browser <--> /data, here: rate limit, paths, time <--unix socket--> clerk.web.data_server

Anybody may send SQL to these pages, so Datasette runs in a process of its own, with low priority
and limits on time, rows and memory.  If it does not answer in time it is killed and restarted.
A query that freezes it freezes nothing else.

Datasette writes scripts and styles into its pages, so they run in a sandbox: a page below ``/data``
has no origin, and so no cookie and no access to anything else here.  No cookie and no token is
passed on to Datasette either.
"""

from __future__ import annotations

import asyncio
import importlib.util
import shutil
import socket
import tempfile
from pathlib import Path
from urllib.parse import quote, urlsplit

import httpcore
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from clerk.core import config
from clerk.core.config import Settings
from clerk.core.errors import MissingTool
from clerk.core.language import Message

from .middleware import refuse_over_limit
from .supervised_process import SupervisedProcess

PREFIX = "/data"
HEADERS = {
    "content-security-policy": (
        "sandbox allow-scripts allow-forms allow-popups; default-src 'self'; "
        "script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data:; frame-ancestors 'none'"
    ),
    "cross-origin-resource-policy": "cross-origin",
}
#: Datasette has this long to begin an answer, or to come up after a start.
ANSWER_SECONDS, START_SECONDS = 10.0, 60.0
#: And this long for each further piece of it.
PIECE_SECONDS = 30.0
#: At most this many requests wait for Datasette; it runs three queries at a time.
WAITING = 8
#: Headers of a request that are passed to Datasette, and of a response that are passed back.
REQUEST_HEADERS = ("accept", "if-none-match", "if-modified-since")
RESPONSE_HEADERS = (
    *("cache-control", "content-disposition", "content-length", "content-type", "etag"),
    *("last-modified", "link", "location"),
)
#: Everything else below ``-`` shows paths, settings, plugins and threads of the process.
_STATIC_PATHS = ("/-/static/", "/-/static-plugins/")
_FOLDER_PREFIX = "clerk-data-"
_SAFE_IN_A_PATH = "/~!$&'()*+,;=:@"


class PublishedData:
    """The pages below ``/data``."""

    def __init__(self, settings: Settings) -> None:
        if importlib.util.find_spec("datasette") is None:
            raise MissingTool(
                "DATA_PAGES needs Datasette, which is not installed.",
                hint="Install clerk with the extra 'datasette', or unset DATA_PAGES.",
            )
        self._settings = settings
        self._folder = Path()
        self._listening: socket.socket | None = None
        self._process: SupervisedProcess | None = None
        self._waiting = 0
        #: The process that has answered before; any other may still be starting.
        self._known_pid: int | None = None

    def start(self) -> SupervisedProcess:
        """Return the process of Datasette; start it if this is the first time."""
        if self._process is not None:
            return self._process
        remove_leftovers()
        self._folder = Path(tempfile.mkdtemp(prefix=_FOLDER_PREFIX))
        # The socket is made here and handed over: it outlives the process that answers.
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(str(self._folder / "socket"))
        self._listening.listen(64)
        published = str(self._settings.published.absolute())
        scheme = urlsplit(self._settings.public_url).scheme or "http"
        self._process = SupervisedProcess(
            "Datasette process",
            "clerk.web.data_server",
            [str(self._listening.fileno()), published, scheme],
            sockets=[self._listening.fileno()],
            environment=config.environment_without_secrets(),
        )
        self._process.start()
        return self._process

    def finish(self) -> None:
        """Tell Datasette to finish; it is not restarted."""
        if self._process is not None:
            self._process.finish()

    def close(self) -> None:
        """End Datasette and remove its socket."""
        if self._process is not None and self._listening is not None:
            self._process.end()
            self._listening.close()
            shutil.rmtree(self._folder, ignore_errors=True)
            self._process = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        if request.method not in ("GET", "HEAD"):
            raise HTTPException(
                405, Message("Only read access is possible."), {"Allow": "GET, HEAD"}
            )
        if (refusal := refuse_over_limit(request, "data")) is not None:
            await refusal(scope, receive, send)
            return
        path = _path_of(request)
        if "-" in path.split("/") and not path.startswith(_STATIC_PATHS):
            raise HTTPException(404)
        process = self.start()
        socket_path = str(self._folder / "socket")
        async with httpcore.AsyncConnectionPool(uds=socket_path, max_connections=1) as upstream:
            answer = await self._ask(process, upstream, self._order(request))
            if answer.status >= 500:
                raise HTTPException(500, Message("The query failed."))
            headers = {name.decode().lower(): value.decode() for name, value in answer.headers}
            kept = {name: value for name, value in headers.items() if name in RESPONSE_HEADERS}
            shown = StreamingResponse(answer.aiter_stream(), answer.status, kept | HEADERS)
            await shown(scope, receive, send)

    async def _ask(
        self,
        process: SupervisedProcess,
        upstream: httpcore.AsyncConnectionPool,
        order: httpcore.Request,
    ) -> httpcore.Response:
        """Return the beginning of Datasette's answer; kill it if there is none in time."""
        if self._waiting >= WAITING:
            raise _unavailable(Message("Too many queries are running."))
        if not process.state.alive:
            raise _unavailable(Message("The data pages are being restarted."))
        pid = process.pid
        self._waiting += 1
        try:
            async with asyncio.timeout(ANSWER_SECONDS if pid == self._known_pid else START_SECONDS):
                answer = await upstream.handle_async_request(order)
        except (TimeoutError, httpcore.TimeoutException):
            process.kill(pid)
            raise _unavailable(Message("The query took too long.")) from None
        except (httpcore.NetworkError, httpcore.ProtocolError):
            raise _unavailable(Message("The data pages are being restarted.")) from None
        finally:
            self._waiting -= 1
        self._known_pid = pid
        return answer

    def _order(self, request: Request) -> httpcore.Request:
        """Return the request for Datasette, with the path that was checked."""
        query: bytes = request.scope["query_string"]
        target = quote(_path_of(request), safe=_SAFE_IN_A_PATH).encode() + (query and b"?" + query)
        host = urlsplit(self._settings.public_url).netloc or request.headers["host"]
        headers: list[tuple[bytes | str, bytes | str]] = [("host", host)]
        headers += [
            (name, request.headers[name]) for name in REQUEST_HEADERS if name in request.headers
        ]
        return httpcore.Request(
            request.method,
            httpcore.URL(scheme=b"http", host=b"localhost", target=target),
            headers=headers,
            extensions={"timeout": {"read": PIECE_SECONDS, "write": PIECE_SECONDS}},
        )


def remove_leftovers() -> None:
    """Remove the sockets of servers that were killed: nobody listens on them any more."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_FOLDER_PREFIX}*"):
        with socket.socket(socket.AF_UNIX) as asking:
            try:
                asking.settimeout(1)
                asking.connect(str(folder / "socket"))
            except ConnectionRefusedError:
                shutil.rmtree(folder, ignore_errors=True)
            except OSError:
                continue


def _path_of(request: Request) -> str:
    path: str = request.scope["path"]
    return path.removeprefix(PREFIX) or "/"


def _unavailable(message: str) -> HTTPException:
    return HTTPException(503, message, {"Retry-After": "5"})
