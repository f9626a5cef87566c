"""One answer for requests that ask for the same page while it is being made.

When a page of search results is linked somewhere, many readers ask for it at once.  It is made once
for all who wait; nothing is kept for those who come later, so that nobody gets an old answer.  As
many answers are made at a time as there are processors, in the order they were asked for.
"""

from __future__ import annotations

import copy
import os
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import wraps

from starlette.requests import Request
from starlette.responses import Response

from .middleware import Handler
from .rendering import language_of


class RunningAnswers:
    """The answers being made by one application, and those that wait for their turn."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: dict[tuple[str, str, str], Future[Response]] = {}
        # More at a time would end no earlier, and each would wait for the others at every step.
        self._threads = ThreadPoolExecutor(max(2, os.cpu_count() or 1), "answers")

    def respond(self, request: Request, handler: Handler) -> Response:
        """Return the answer that is being made for the same address and language, or make it."""
        key = (request.method, str(request.url), language_of(request))
        with self._lock:
            answer = self._running.get(key)
            if answer is None:
                answer = self._threads.submit(copy_context().run, handler, request)
                self._running[key] = answer
                answer.add_done_callback(lambda _: self._running.pop(key, None))
        # Each has headers of its own, because the middleware changes them.
        response = copy.copy(answer.result())
        response.raw_headers = list(response.raw_headers)
        return response

    def close(self) -> None:
        """Make no further answers."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def shared(handler: Handler) -> Handler:
    """Make an answer once for all who ask for it at the same time.

    Only for pages that show everybody the same.
    """

    @wraps(handler)
    def respond(request: Request) -> Response:
        answers: RunningAnswers = request.app.state.running_answers
        return answers.respond(request, handler)

    return respond
