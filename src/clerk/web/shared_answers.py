"""One answer for requests that ask for the same page while it is being made.

When a page of search results is linked somewhere, many readers ask for it at once.  It is made once
for all who wait; nothing is kept for those who come later, so that nobody gets an old answer.
"""

from __future__ import annotations

import copy
import threading
from concurrent.futures import Future
from functools import wraps

from starlette.requests import Request
from starlette.responses import Response

from .middleware import Handler
from .rendering import language_of


class RunningAnswers:
    """The answers being made by one application."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: dict[tuple[str, str, str], Future[Response]] = {}

    def respond(self, request: Request, handler: Handler) -> Response:
        """Return the answer that is being made for the same address and language, or make it."""
        key = (request.method, str(request.url), language_of(request))
        with self._lock:
            running = self._running.get(key)
            mine: Future[Response] = Future()
            if running is None:
                self._running[key] = mine
        if running is None:
            try:
                mine.set_result(handler(request))
            except BaseException as error:
                # Whoever waits gets the same error.
                mine.set_exception(error)
                raise
            finally:
                with self._lock:
                    del self._running[key]
        # Each has headers of its own, because the middleware changes them.
        response = copy.copy((running or mine).result())
        response.raw_headers = list(response.raw_headers)
        return response


def shared(handler: Handler) -> Handler:
    """Make an answer once for all who ask for it at the same time.

    Only for pages that show everybody the same.
    """

    @wraps(handler)
    def respond(request: Request) -> Response:
        answers: RunningAnswers = request.app.state.running_answers
        return answers.respond(request, handler)

    return respond
