"""A server of objects on this machine for S3, Azure and Google, which fails on demand.

Only what a store needs: PUT (also "only if it is not there"), GET, HEAD and DELETE by path, and
listing as S3 does it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from email.utils import formatdate
from hashlib import md5
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit


class Failure:
    """What the server answers instead; with status 0 it answers as usual, but late."""

    def __init__(self, status: int, code: str = "", *, seconds: float = 0.0) -> None:
        self.status, self.code, self.seconds = status, code, seconds

    @property
    def body(self) -> bytes:
        """The error as S3 and Azure word it."""
        return f"<Error><Code>{self.code}</Code><Message>no</Message></Error>".encode()


#: The connection ends without an answer.
HANG_UP = Failure(-1)

#: Told the method and the path; None lets the request pass.
Fault = Callable[[str, str], Failure | None]


class ObjectServer(ThreadingHTTPServer):
    """The objects by their paths, and the fault that requests meet now."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.objects: dict[str, bytes] = {}
        self.fault: Fault = lambda method, path: None
        #: Called when a request has had its effect, and before it is answered.
        self.after: Callable[[str, str], None] = lambda method, path: None
        self.asked: list[tuple[str, str]] = []
        self.lock = threading.Lock()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, *_: Any) -> None:
        """A client that has gone away is no error: some are killed on purpose."""

    def close(self) -> None:
        """Answer nobody any more."""
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: ObjectServer
    protocol_version = "HTTP/1.1"

    def _serve(self) -> None:
        content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = self.path.partition("?")[0].replace("%2F", "/").replace("%2E", ".")
        self.server.asked.append((self.command, path))
        failure = self.server.fault(self.command, path)
        if failure:
            time.sleep(failure.seconds)
            if failure.status == HANG_UP.status:
                self.close_connection = True
                return None
            if failure.status:
                return self._answer(failure.status, failure.body)
        answer = self._perform(path, content)
        self.server.after(self.command, path)
        return self._answer(*answer)

    def _perform(self, path: str, content: bytes) -> tuple[int, bytes, bytes]:
        """Return the status, the body, and what the tag is made of."""
        with self.server.lock:
            there = self.server.objects.get(path)
            if self.command == "PUT":
                only_new = (
                    self.headers.get("If-None-Match") == "*"
                    or self.headers.get("x-goog-if-generation-match") == "0"
                )
                if only_new and there is not None:
                    return 412, Failure(412, "PreconditionFailed").body, b""
                self.server.objects[path] = content
                return (201 if "x-ms-version" in self.headers else 200), b"", content
            if self.command == "DELETE":
                self.server.objects.pop(path, None)
                return (202 if "x-ms-version" in self.headers else 204), b"", b""
        query = parse_qs(urlsplit(self.path).query)
        if there is None and query.get("list-type") == ["2"]:
            return 200, self._listing(path, query.get("prefix", [""])[0]), b""
        if there is None:
            return 404, Failure(404, "NoSuchKey").body, b""
        return 200, there, there

    def _listing(self, bucket: str, prefix: str) -> bytes:
        """Return the objects of a bucket as S3 lists them."""
        found = (path.removeprefix(f"{bucket}/") for path in sorted(self.server.objects))
        listed = "".join(
            f"<Contents><Key>{key}</Key><Size>{len(self.server.objects[f'{bucket}/{key}'])}</Size>"
            "<LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>"
            for key in found
            if key.startswith(prefix)
        )
        return (
            f"<ListBucketResult><IsTruncated>false</IsTruncated>{listed}</ListBucketResult>"
        ).encode()

    do_GET = do_PUT = do_HEAD = do_DELETE = do_POST = _serve

    def _answer(self, status: int, body: bytes, content: bytes = b"") -> None:
        self.send_response(status)
        self.send_header("ETag", f'"{md5(content).hexdigest()}"')
        self.send_header("Last-Modified", formatdate(usegmt=True))
        self.send_header("x-goog-generation", "1")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""
