"""How often one client may ask for what costs much."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from .safety import RateLimit

Handler = Callable[[Request], Response]


def default_limits() -> dict[str, RateLimit]:
    """Return the limits of an application of its own."""
    return {"search": RateLimit(60, 10), "login": RateLimit(10, 0.1), "image": RateLimit(200, 20)}


def limited(name: str) -> Callable[[Handler], Handler]:
    """Refuse a client that calls a handler too often, politely."""

    def decorate(handler: Handler) -> Handler:
        @wraps(handler)
        def guarded(request: Request) -> Response:
            if request.app.state.limits[name].allows(client_of(request)):
                return handler(request)
            refusal = "Too many requests. Please wait a moment.\n"
            return PlainTextResponse(refusal, 429, headers={"Retry-After": "5"})

        return guarded

    return decorate


def client_of(request: Request) -> str:
    """Return who asks, as far as the connection tells."""
    return request.client.host if request.client else "unknown"
