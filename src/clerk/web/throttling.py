"""Checks that come before a handler, and how often one client may ask.

A check returns the answer to somebody it refuses.  Decorators such as :func:`limited` run theirs
before the handler; :func:`clerk.web.forms.with_form` runs those of a handler before it reads the
form.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from starlette.requests import Request
from starlette.responses import Response

from .safety import CHANGE, RateLimit, too_often

Handler = Callable[[Request], Response]
Check = Callable[[Request], Response | None]


def default_limits() -> dict[str, RateLimit]:
    """Return the limits of an application of its own."""
    return {
        "search": RateLimit(60, 10),
        "login": RateLimit(10, 0.1),
        "image": RateLimit(200, 20),
        "data": RateLimit(60, 5),
        CHANGE: RateLimit(100, 10),
    }


def limited(name: str) -> Callable[[Handler], Handler]:
    """Refuse a client that calls a handler too often, politely."""

    def check(request: Request) -> Response | None:
        return too_often(request, name)

    def decorate(handler: Handler) -> Handler:
        @wraps(handler)
        def guarded(request: Request) -> Response:
            return check(request) or handler(request)

        return with_check(guarded, check)

    return decorate


def with_check(guarded: Handler, check: Check) -> Handler:
    """Note which check a decorated handler begins with; :func:`taken_apart` finds it."""
    guarded.check = check  # type: ignore[attr-defined]
    return guarded


def taken_apart(handler: Handler) -> tuple[list[Check], Handler]:
    """Return the checks of a decorated handler, outermost first, and the handler without them."""
    checks: list[Check] = []
    while (check := getattr(handler, "check", None)) is not None:
        checks.append(check)
        handler = handler.__wrapped__  # type: ignore[attr-defined]
    return checks, handler
