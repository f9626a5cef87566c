"""Reading forms, which is asynchronous, for handlers that are not."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import wraps

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from .throttling import Handler

#: A frozen list of ten thousand failures takes less.
FORM_BYTES = 2_000_000
FIELDS = 20_000


def with_form(handler: Handler) -> Callable[[Request], Awaitable[Response]]:
    """Give a handler its form as ``request.state.form``; one that is too large is refused."""

    @wraps(handler)
    async def reading(request: Request) -> Response:
        if int(request.headers.get("content-length") or 0) > FORM_BYTES:
            raise HTTPException(413, "That is too much for a form.")
        async with request.form(max_files=0, max_fields=FIELDS) as form:
            request.state.form = form
            return await run_in_threadpool(handler, request)

    return reading
