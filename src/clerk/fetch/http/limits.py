"""Limits: which addresses clerk connects to, and how much it reads from them.

Only http and https on their usual ports, only addresses of the public internet.
"""

from __future__ import annotations

import contextlib
import ipaddress
import re
import socket
from collections.abc import Callable, Iterable, Iterator

import httpx

from .hosts import Clock
from .responses import AddressRefused

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
#: Looks up a host and port and returns addresses as text.
Resolver = Callable[[str, int], Iterable[str]]

MEGABYTE = 1024 * 1024
#: How many times its size a response may unpack to, once it is larger than a megabyte.
MAX_RATIO = 100
PORTS = (80, 443)

#: Public by number, but served by the cloud the machine runs in.
_METADATA = frozenset({ipaddress.ip_address("168.63.129.16")})
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_HOST_NAME = re.compile(rb"[a-z0-9_.-]+", re.IGNORECASE)
#: Names that are reserved for this machine and for private networks.
_PRIVATE_NAMES = frozenset({"localhost", "local", "internal"})
_HINT = "To allow it, set FETCH_ALLOW_PRIVATE=yes."


class TooLarge(Exception):
    """A response exceeds a limit; the message says which, as in ``has more than 10 MB``."""


def check_url(url: httpx.URL, *, allow_private: bool = False) -> None:
    """Refuse a URL that is wrong whatever address its host has."""
    literal = _parsed(url.host)
    named = literal or _HOST_NAME.fullmatch(url.raw_host)
    if url.scheme not in ("http", "https") or not named:
        raise AddressRefused(f"{url} is not an http or https address.")
    if url.userinfo:
        raise AddressRefused(f"The address of {url.host} contains a user name.")
    if allow_private:
        return
    if (url.port or PORTS[0]) not in PORTS:
        raise AddressRefused(f"{url} uses port {url.port}, not 80 or 443.", hint=_HINT)
    # The system also takes 0x7f000001, 2130706433 and 127.1 for addresses.
    host = url.host.removesuffix(".")
    with contextlib.suppress(OSError):
        literal = literal or ipaddress.IPv4Address(socket.inet_aton(host))
    is_named_private = host.rpartition(".")[2] in _PRIVATE_NAMES
    if is_named_private or (literal and not is_public(literal)):
        raise AddressRefused(f"{url.host} is not a public address.", hint=_HINT)


def allowed_addresses(
    host: str, port: int, resolve: Resolver, *, allow_private: bool = False
) -> list[str]:
    """Return the addresses of a host that may be connected to, or refuse the host."""
    try:
        found = dict.fromkeys(resolve(host, port))
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or error
        raise httpx.ConnectError(f"the name {host} cannot be resolved ({why})") from error
    allowed = [
        text
        for text in found
        if allow_private or ((address := _parsed(text)) and is_public(address))
    ]
    if not allowed:
        raise AddressRefused(f"{host} has no public address.", hint=_HINT)
    return allowed


def system_resolver(host: str, port: int) -> Iterator[str]:
    """Ask the system for the addresses of a host."""
    for *_, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        yield str(address[0])


def is_public(address: Address) -> bool:
    """Whether an address, and the one that may be embedded in it, is of the public internet."""
    if isinstance(address, ipaddress.IPv6Address):
        teredo = address.teredo
        embedded = address.ipv4_mapped or address.sixtofour or (teredo[1] if teredo else None)
        if address in _NAT64:
            embedded = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if embedded:
            return is_public(embedded)
    if address in _METADATA or address.is_multicast or address.is_reserved:
        return False
    return address.is_global


def limited_chunks(
    response: httpx.Response, max_bytes: int, clock: Clock, deadline: float
) -> Iterator[bytes]:
    """Yield the unpacked bytes of a response within the limits of size, ratio and time."""
    announced = response.headers.get("content-length", "")
    if announced.isdigit() and int(announced[:15]) > max_bytes:
        raise TooLarge(f"has {int(announced[:15]) / MEGABYTE:.0f} MB")
    packed = bool(response.headers.get("content-encoding"))
    total = 0
    for chunk in response.iter_bytes():
        total += len(chunk)
        if total > max_bytes:
            raise TooLarge(f"has more than {max_bytes / MEGABYTE:.0f} MB")
        unpacked_from = max(response.num_bytes_downloaded, 1)
        if packed and total > MEGABYTE and total > MAX_RATIO * unpacked_from:
            raise TooLarge(f"unpacks to more than {MAX_RATIO} times its size")
        if clock.monotonic() > deadline:
            raise httpx.ReadTimeout("too slow")
        yield chunk


def first_bytes(response: httpx.Response, max_bytes: int) -> bytes:
    """Return the beginning of a response, unpacked."""
    head = b""
    for chunk in response.iter_bytes():
        head += chunk
        if len(head) >= max_bytes:
            break
    return head[:max_bytes]


def _parsed(host: str) -> Address | None:
    try:
        return ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None
