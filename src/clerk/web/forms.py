"""Reading forms, which is asynchronous, for handlers that are not."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import wraps

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from .bodies import BODY_BYTES, allow_body
from .throttling import Handler, taken_apart

#: A form has at most this many fields, of this many bytes each.
FIELDS, FIELD_BYTES = 100, 16 << 10
#: A frozen list of ten thousand failures takes less.
LONG_FORM_BYTES, LONG_FORM_FIELDS = 2_000_000, 20_000


def with_form(
    handler: Handler, *, size: int = BODY_BYTES, fields: int = FIELDS
) -> Callable[[Request], Awaitable[Response]]:
    """Give a handler its form as ``request.state.form``.

    The checks of the handler come first: of somebody who may not, no form is read.  Then the whole
    body is read, and only one that is not too large is parsed.
    """
    checks, bare = taken_apart(handler)

    @wraps(handler)
    async def reading(request: Request) -> Response:
        for check in checks:
            refusal = await run_in_threadpool(check, request)
            if refusal is not None:
                return refusal
        allow_body(request, size)
        await request.body()
        limits = {"max_files": 0, "max_fields": fields, "max_part_size": FIELD_BYTES}
        async with request.form(**limits) as form:
            request.state.form = form
            answer = await run_in_threadpool(bare, request)
        answer.headers.setdefault("Cache-Control", "no-store")
        return answer

    return reading
