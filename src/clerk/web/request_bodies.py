"""Request bodies: counted while they arrive, refused when they are too large or too slow.

Every request starts with a small limit.  A handler that expects more raises it with
:func:`allow_body`, after it has checked who asks::

    rate limit  -->  role  -->  allow_body  -->  the body is read

A body that nobody reads costs nothing: the server stops reading from the connection.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from functools import wraps

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from clerk.core import language

from .middleware import Check, Handler, split_checks

#: Enough for every form but a long list of failures.
BODY_BYTES = 64 << 10
#: A body may take this long, and one second more for each 500 bytes that have arrived.
BODY_SECONDS, BYTES_PER_SECOND = 10.0, 500
#: The rest of a refused body is read and dropped for this long.  Closing a connection with unread
#: data resets it, and the client might never see why it was refused.
DISCARD_SECONDS = 2.0
#: A form has at most this many fields, of this many bytes each.
FIELDS, FIELD_BYTES = 100, 16 << 10
#: Enough for a list of ten thousand failures.
LONG_FORM_BYTES, LONG_FORM_FIELDS = 2_000_000, 20_000

_KEY = "clerk.body"


def allow_body(request: Request, size: int) -> None:
    """Let this request have a body of at most this many bytes."""
    request.scope[_KEY].most = size


def with_form(
    handler: Handler, *, size: int = BODY_BYTES, fields: int = FIELDS
) -> Callable[[Request], Awaitable[Response]]:
    """Give a handler its form as ``request.state.form``.

    The checks of the handler come first: no form is read from somebody who is refused.  Then the
    whole body is read, and only one that is not too large is parsed.
    """
    checks, unchecked = split_checks(handler)

    @wraps(handler)
    async def reading(request: Request) -> Response:
        refusal = await _refusal(request, checks)
        if refusal is not None:
            return refusal
        allow_body(request, size)
        await request.body()
        limits = {"max_files": 0, "max_fields": fields, "max_part_size": FIELD_BYTES}
        async with request.form(**limits) as form:
            request.state.form = form
            response = await run_in_threadpool(unchecked, request)
        response.headers.setdefault("Cache-Control", "no-store")
        return response

    return reading


def with_body(handler: Handler, size: int) -> Callable[[Request], Awaitable[Response]]:
    """Give a handler the body of its request as ``request.state.body``, after its checks."""
    checks, unchecked = split_checks(handler)

    @wraps(handler)
    async def reading(request: Request) -> Response:
        refusal = await _refusal(request, checks)
        if refusal is not None:
            return refusal
        allow_body(request, size)
        request.state.body = await request.body()
        return await run_in_threadpool(unchecked, request)

    return reading


async def _refusal(request: Request, checks: Iterable[Check]) -> Response | None:
    for check in checks:
        refusal = await run_in_threadpool(check, request)
        if refusal is not None:
            return refusal
    return None


class BoundedBodies:
    """Bound the size and the time of every request body; the outermost middleware."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body = scope[_KEY] = _RequestBody(Headers(scope=scope), receive, send)
        await self._app(scope, body.receive, body.send)


class _RequestBody:
    """The body of one request, and the response that may come before its end."""

    def __init__(self, headers: Headers, receive: Receive, send: Send) -> None:
        length = headers.get("content-length", "")
        self._declared = int(length) if length.isdecimal() else 0
        self._announced = bool(self._declared) or "transfer-encoding" in headers
        self._receive, self._send = receive, send
        self._received, self._waited = 0, 0.0
        self._ended = self._responding = self._unread = self._too_slow = False
        self.most = BODY_BYTES

    async def receive(self) -> Message:
        """Return the next message; refuse a body that is too large or too slow."""
        if self._ended:
            return await self._receive()
        if self._declared > self.most:
            return self._refuse_too_large()
        began = time.monotonic()
        left = BODY_SECONDS + self._received / BYTES_PER_SECOND - self._waited
        try:
            async with asyncio.timeout(left):
                message = await self._receive()
        except TimeoutError:
            self._too_slow = True
            return self._refuse(408, language.Message("The request body arrived too slowly."))
        self._waited += time.monotonic() - began
        self._count(message)
        if self._received > self.most:
            return self._refuse_too_large()
        return message

    def _count(self, message: Message) -> None:
        self._received += len(message.get("body", b""))
        self._ended = message["type"] == "http.disconnect" or not message.get("more_body")

    def _refuse_too_large(self) -> Message:
        return self._refuse(
            413,
            language.Message("The request body is larger than %(most)s bytes.", most=self.most),
        )

    def _refuse(self, status: int, message: str) -> Message:
        """Refuse the request; once the response has begun, only disconnecting is possible."""
        if self._responding:
            return {"type": "http.disconnect"}
        raise HTTPException(status, message)

    async def send(self, message: Message) -> None:
        """Pass the response on; if it comes before the end of the body, close the connection."""
        if message["type"] == "http.response.start":
            self._responding = True
            self._unread = self._announced and not self._ended
            if self._unread:
                MutableHeaders(scope=message)["connection"] = "close"
        elif self._unread and not message.get("more_body"):
            await self._send({**message, "more_body": True})
            if not self._too_slow:
                try:
                    async with asyncio.timeout(DISCARD_SECONDS):
                        while not self._ended:
                            self._count(await self._receive())
                except TimeoutError:
                    pass
            message = {"type": "http.response.body", "body": b""}
        await self._send(message)
