"""One answer for requests that ask for the same page while it is being made.

When a page of search results is linked somewhere, many readers ask for it at once.  It is made once
for all who wait; nothing is kept for those who come later, so that nobody gets an old answer.  As
many searches run at a time as there are processors, in the order they were asked for.  Who waits
occupies no thread.
"""

from __future__ import annotations

import asyncio
import copy
import os
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import wraps

from starlette.requests import Request
from starlette.responses import Response

from .middleware import Handler, split_checks
from .rendering import language_of


class RunningAnswers:
    """The answers being made by one application, and those that wait for their turn."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: dict[tuple[str, str, str], Future[Response]] = {}
        # More at a time would end no earlier, and each would wait for the others at every step.
        self._threads = ThreadPoolExecutor(max(2, os.cpu_count() or 1), "answers")
        #: Held while a page is rendered.  Searches run side by side, but rendering holds Python's
        #: lock: several pages at a time would be finished later, and keep the event loop waiting.
        self.rendering = threading.Lock()

    async def respond(self, request: Request, handler: Handler) -> Response:
        """Return the answer that is being made for the same address and language, or make it."""
        key = (request.method, str(request.url), language_of(request))
        with self._lock:
            answer = self._running.get(key)
            if answer is None:
                answer = self._threads.submit(copy_context().run, handler, request)
                self._running[key] = answer
                answer.add_done_callback(lambda _: self._running.pop(key, None))
        # A reader who leaves must not take the answer away from the others.
        made = await asyncio.shield(asyncio.wrap_future(answer))
        # Each has headers of its own, because the middleware changes them.
        response = copy.copy(made)
        response.raw_headers = list(response.raw_headers)
        return response

    def close(self) -> None:
        """Make no further answers."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def shared(handler: Handler) -> Callable[[Request], Awaitable[Response]]:
    """Make an answer once for all who ask for it at the same time; each passes the checks first.

    Only for pages that show everybody the same, and for checks that wait for nothing.
    """
    checks, unchecked = split_checks(handler)

    @wraps(handler)
    async def respond(request: Request) -> Response:
        for check in checks:
            refusal = check(request)
            if refusal is not None:
                return refusal
        answers: RunningAnswers = request.app.state.running_answers
        return await answers.respond(request, unchecked)

    return respond
