"""Rules for every request and response: hosts, origins, rate limits, headers, no secrets.

::

    request -> BoundedBodies -> SafeResponses -> gzip -> RedactedResponses -> checks -> handler

Plain ASGI, so that streams pass through untouched.  A check of a handler returns the response to
somebody it refuses.  Decorators such as :func:`limited` run theirs before the handler;
:func:`clerk.web.request_bodies.with_form` runs them before it reads the form.
"""

from __future__ import annotations

import ipaddress
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import wraps
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from clerk.core import language
from clerk.core.errors import without_passwords
from clerk.core.public_text import Redactor
from clerk.web.rendering import is_for_programs, language_of

#: Own scripts and styles only, nothing inline, no frames.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
#: For pages that other sites may show in a frame.
EMBEDDED_POLICY = POLICY.replace("frame-ancestors 'none'", "frame-ancestors *")
#: For files that others have made.
SANDBOX = "sandbox; default-src 'none'; frame-ancestors 'none'"

HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}

#: Headers that keep a page out of frames.
FRAME_HEADERS = ("X-Frame-Options", "Cross-Origin-Resource-Policy")

UNKNOWN_HOST = (
    "This host is not served here. Set PUBLIC_URL, or name it: clerk serve --hostname NAME\n"
)
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
#: Hosts that always mean this machine.
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
#: Upper bounds on the address and the headers of a request; browsers send a tenth of this.
TARGET_BYTES, HEADER_BYTES, HEADER_FIELDS = 8 << 10, 16 << 10, 100
#: The name of the rate limit for every request that is not safe.
CHANGE = "change"

Handler = Callable[[Request], Response]
Check = Callable[[Request], Response | None]
ErrorHandler = Callable[[Request, Exception], Response]


class SafeResponses:
    """Refuse bad requests early, and put the security headers on every response.

    Refused are unknown hosts, foreign origins, oversized headers, and clients that change things
    too often; all before anything is looked up and before the body is read.
    """

    def __init__(
        self, app: ASGIApp, hosts: Collection[str], on_unexpected_error: ErrorHandler
    ) -> None:
        self._app = app
        self._hosts = frozenset(map(str.lower, hosts))
        self._on_unexpected_error = on_unexpected_error

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        started = False

        async def send_with_headers(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                headers = MutableHeaders(scope=message)
                may_be_framed = headers.get("Content-Security-Policy") == EMBEDDED_POLICY
                for name, value in HEADERS.items():
                    if not (may_be_framed and name in FRAME_HEADERS):
                        headers.setdefault(name, value)
            await send(message)

        try:
            await (self._refusal(scope) or self._app)(scope, receive, send_with_headers)
        except ClientDisconnect:
            return
        except Exception as error:  # noqa: BLE001 - the edge: no reader sees a raw error
            response = self._on_unexpected_error(Request(scope, receive), error)
            if not started:
                await response(scope, receive, send_with_headers)

    def _refusal(self, scope: Scope) -> ASGIApp | None:
        headers, request = Headers(scope=scope), Request(scope)
        if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > TARGET_BYTES:
            return _refusal(request, 414, language.Message("The address is too long."))
        size = sum(len(name) + len(value) for name, value in headers.raw)
        if size > HEADER_BYTES or len(headers.raw) > HEADER_FIELDS:
            return _refusal(request, 431, language.Message("The request headers are too large."))
        host = host_name(headers.get("host", ""))
        if host not in self._hosts and not _is_connected_address(host, scope):
            return PlainTextResponse(UNKNOWN_HOST, 421)
        if scope["method"] in SAFE_METHODS:
            return None
        if is_cross_site(headers):
            refused = language.Message("Refused: the request came from another site.")
            return _refusal(request, 403, refused)
        return refuse_over_limit(request, CHANGE)


def _refusal(
    request: Request,
    status: int,
    message: language.Message,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Refuse in one sentence in the language of the reader, which costs less than a page."""
    spoken = language.ENGLISH if is_for_programs(request) else language_of(request)
    with language.speaking(spoken):
        return PlainTextResponse(f"{language.say(message)}\n", status, headers=headers)


def _is_connected_address(host: str, scope: Scope) -> bool:
    """Whether a host is the IP address that the client has connected to.

    A page of another site can make its own name resolve to this machine, but it cannot make a
    browser send an IP address as the host.
    """
    try:
        number = ipaddress.ip_address(host.strip("[]"))
        server: tuple[str, int | None] | None = scope.get("server")
        return server is not None and number == ipaddress.ip_address(server[0])
    except ValueError:
        return False


def host_name(host: str) -> str:
    """Return a Host header without its port."""
    name, _, port = host.rpartition(":")
    return (name if name and port.isdigit() else host).lower()


def is_cross_site(headers: Mapping[str, str]) -> bool:
    """Whether a browser says that another site caused the request.

    Browsers send one of the two headers with everything that changes something.  A program that
    sends neither cannot be tricked into sending a person's cookie.
    """
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site not in ("same-origin", "none")
    origin = headers.get("origin")
    return origin is not None and urlsplit(origin).netloc != headers.get("host", "")


# ------------------------------------------------------------------------------- rate limits


@dataclass
class RateLimit:
    """A burst of requests, then a number per second, for each client."""

    burst: float
    per_second: float
    most_clients: int = 10_000
    _left: dict[str, tuple[float, float]] = field(default_factory=dict)

    def allows(self, client: str) -> bool:
        """Count one request; False when it exceeds the limit."""
        now = time.monotonic()
        left, at = self._left.get(client, (self.burst, now))
        left = min(self.burst, left + (now - at) * self.per_second)
        if len(self._left) >= self.most_clients:
            self._left.clear()
        self._left[client] = (left - 1 if left >= 1 else left, now)
        return left >= 1


def default_limits() -> dict[str, RateLimit]:
    """Return new rate limits for one application."""
    return {
        "search": RateLimit(60, 10),
        "login": RateLimit(10, 0.1),
        "image": RateLimit(200, 20),
        "data": RateLimit(60, 5),
        "download": RateLimit(30, 0.5),
        "report": RateLimit(10, 1 / 60),
        "follow": RateLimit(10, 1 / 60),
        CHANGE: RateLimit(100, 10),
    }


def refuse_over_limit(request: Request, name: str) -> Response | None:
    """Count a request against a limit of the application; return a refusal if it is too many."""
    limits: Mapping[str, RateLimit] = request.app.state.limits
    if limits[name].allows(address_group(client_address(request))):
        return None
    refused = language.Message("Too many requests. Please wait a moment.")
    return _refusal(request, 429, refused, {"Retry-After": "5"})


def client_address(request: Request) -> str:
    """Return the address of the client, as far as the connection tells."""
    return request.client.host if request.client else "unknown"


def address_group(host: str) -> str:
    """Return what identifies one client: an IPv4 address, or the network of an IPv6 address.

    Whoever has one IPv6 address has 2**64 of them.
    """
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv4Address):
        return host
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((address, 64), strict=False))


# ------------------------------------------------------------------------- checks of handlers


def limited(name: str) -> Callable[[Handler], Handler]:
    """Refuse a client that calls a handler too often."""
    return checked(lambda request: refuse_over_limit(request, name))


def checked(check: Check) -> Callable[[Handler], Handler]:
    """Run a check before a handler; :func:`split_checks` finds it again."""

    def decorate(handler: Handler) -> Handler:
        @wraps(handler)
        def guarded(request: Request) -> Response:
            return check(request) or handler(request)

        guarded.check = check  # type: ignore[attr-defined]
        return guarded

    return decorate


def split_checks(handler: Handler) -> tuple[list[Check], Handler]:
    """Return the checks of a decorated handler, outermost first, and the handler without them."""
    checks: list[Check] = []
    while (check := getattr(handler, "check", None)) is not None:
        checks.append(check)
        handler = handler.__wrapped__  # type: ignore[attr-defined]
    return checks, handler


# --------------------------------------------------------------------------------- no secrets

_FOR_OPERATORS = (
    *("/ops", "/metrics", "/readyz", "/healthz"),
    *("/api/v1/health", "/api/v1/followed", "/api/v1/batches", "/api/v1/uploads"),
)
_TEXTS = ("text/", "application/json", "application/xml", "application/atom+xml")


class RedactedResponses:
    """Remove the secrets of this installation from every response that is text.

    This is the second line of defence behind the gate (:mod:`clerk.core.public_text`): an error may
    quote a URL with its password, be stored in the database, and reach a page weeks later.

    A password that is a word, as in ``clerk:clerk@``, is removed from URLs only: pages contain the
    word for other reasons.  And public pages show documents as they are: a URL with a password in
    somebody's minutes stays there; all other text on them has passed the gate.
    """

    def __init__(self, app: ASGIApp, redact: Redactor) -> None:
        self._app = app
        self._redact = redact

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        for_operators = scope["path"].startswith(_FOR_OPERATORS)
        held: list[Message] = []

        async def send_redacted(message: Message) -> None:
            if message["type"] == "http.response.start":
                kind = Headers(raw=message["headers"]).get("content-type", "")
                if kind.startswith(_TEXTS) and not kind.startswith("text/event-stream"):
                    held.append(message)
                    return
            if held:
                start = held.pop()
                if not message.get("more_body"):
                    body = message.get("body", b"")
                    text = self._redact.unmistakable(body.decode("utf-8", "surrogateescape"))
                    text = without_passwords(text) if for_operators else text
                    redacted = text.encode("utf-8", "surrogateescape")
                    if redacted != body:
                        message["body"] = redacted
                        headers = MutableHeaders(raw=start["headers"])
                        headers["content-length"] = str(len(redacted))
                await send(start)
            await send(message)

        await self._app(scope, receive, send_redacted)
