"""What every answer must obey: headers, hosts, origins, and how often somebody may ask.

Written as plain ASGI, so that streams pass through untouched.
"""

from __future__ import annotations

import ipaddress
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: Own scripts and styles only, nothing inline, no frames.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
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

Surprised = Callable[[Request, Exception], Response]

UNKNOWN_HOST = (
    "This host is not served here. Set PUBLIC_URL, or name it: clerk serve --hostname NAME\n"
)
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
#: Hosts that always mean this machine.
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
#: The address and the headers of a request; browsers send a tenth of this.
TARGET_BYTES, HEADER_BYTES, HEADER_FIELDS = 8 << 10, 16 << 10, 100
#: The name of the rate limit for every request that is not safe.
CHANGE = "change"


class SafeAnswers:
    """Refuse what must not get further, and put the headers on every answer.

    Refused are unknown hosts, foreign origins, oversized headers, and clients that change things
    too often; all before anything is looked up and before the body is read.
    """

    def __init__(self, app: ASGIApp, hosts: Collection[str], on_surprise: Surprised) -> None:
        self._app = app
        self._hosts = frozenset(map(str.lower, hosts))
        self._on_surprise = on_surprise

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        started = False

        async def send_safely(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                _add_headers(MutableHeaders(scope=message))
            await send(message)

        try:
            await (self._refusal(scope) or self._app)(scope, receive, send_safely)
        except ClientDisconnect:
            return
        except Exception as error:  # noqa: BLE001 - the edge: nothing may reach the reader raw
            answer = self._on_surprise(Request(scope, receive), error)
            if not started:
                await answer(scope, receive, send_safely)

    def _refusal(self, scope: Scope) -> ASGIApp | None:
        headers = Headers(scope=scope)
        if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > TARGET_BYTES:
            return PlainTextResponse("The address is too long.\n", 414)
        size = sum(len(name) + len(value) for name, value in headers.raw)
        if size > HEADER_BYTES or len(headers.raw) > HEADER_FIELDS:
            return PlainTextResponse("The request headers are too large.\n", 431)
        host = host_name(headers.get("host", ""))
        if host not in self._hosts and not _is_own_address(host, scope):
            return PlainTextResponse(UNKNOWN_HOST, 421)
        if scope["method"] in SAFE_METHODS:
            return None
        if is_cross_site(headers):
            return PlainTextResponse("Refused: the request came from another site.\n", 403)
        return too_often(Request(scope), CHANGE)


def _is_own_address(host: str, scope: Scope) -> bool:
    """Whether a host is the IP address that the client has connected to.

    A page of another site can make its own name lead here, but not make a browser send a number.
    """
    try:
        number = ipaddress.ip_address(host.strip("[]"))
        server: tuple[str, int | None] | None = scope.get("server")
        return server is not None and number == ipaddress.ip_address(server[0])
    except ValueError:
        return False


def _add_headers(headers: MutableHeaders) -> None:
    for name, value in HEADERS.items():
        headers.setdefault(name, value)


def host_name(host: str) -> str:
    """Return a Host header without its port."""
    name, _, port = host.rpartition(":")
    return (name if name and port.isdigit() else host).lower()


def is_cross_site(headers: Mapping[str, str]) -> bool:
    """Whether a browser says that another site caused the request.

    Browsers send one of the two headers with everything that changes something.  A program that
    sends neither cannot be tricked into carrying a person's cookie.
    """
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site not in ("same-origin", "none")
    origin = headers.get("origin")
    return origin is not None and urlsplit(origin).netloc != headers.get("host", "")


@dataclass
class RateLimit:
    """So many at once, then so many a second, for each client."""

    burst: float
    per_second: float
    most_clients: int = 10_000
    _left: dict[str, tuple[float, float]] = field(default_factory=dict)

    def allows(self, client: str) -> bool:
        """Count one request; False when it is one too many."""
        now = time.monotonic()
        left, at = self._left.get(client, (self.burst, now))
        left = min(self.burst, left + (now - at) * self.per_second)
        if len(self._left) >= self.most_clients:
            self._left.clear()
        self._left[client] = (left - 1 if left >= 1 else left, now)
        return left >= 1


def too_often(request: Request, name: str) -> Response | None:
    """Count a request against a limit of the application; return a refusal if it is too many."""
    limits: Mapping[str, RateLimit] = request.app.state.limits
    if limits[name].allows(address_group(client_of(request))):
        return None
    refusal = "Too many requests. Please wait a moment.\n"
    return PlainTextResponse(refusal, 429, headers={"Retry-After": "5"})


def client_of(request: Request) -> str:
    """Return who asks, as far as the connection tells."""
    return request.client.host if request.client else "unknown"


def address_group(host: str) -> str:
    """Return what stands for one client: an IPv4 address, or the network of an IPv6 address.

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
