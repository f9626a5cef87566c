"""Where clerk may go: http and https on their usual ports, to addresses of the public internet."""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Callable, Iterable, Iterator

import httpx

from .errors import AddressRefused

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
#: Looks up a host and port and returns addresses as text.
Resolver = Callable[[str, int], Iterable[str]]

PORTS = (80, 443)

#: Public by number, but answered by the cloud the machine runs in.
_METADATA = frozenset({ipaddress.ip_address("168.63.129.16")})
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_HOST_NAME = re.compile(rb"[a-z0-9_.-]+", re.IGNORECASE)
_HINT = "If this is meant, set FETCH_ALLOW_PRIVATE=yes."


def check_url(url: httpx.URL, *, allow_private: bool = False) -> None:
    """Refuse a URL that need not be looked up to see that it is wrong."""
    literal = _parsed(url.host)
    named = literal or _HOST_NAME.fullmatch(url.raw_host)
    if url.scheme not in ("http", "https") or not named:
        raise AddressRefused(f"{url} is not an http or https address.")
    if url.userinfo:
        raise AddressRefused(f"The address of {url.host} carries a user name.")
    if allow_private:
        return
    if (url.port or PORTS[0]) not in PORTS:
        raise AddressRefused(f"{url} uses port {url.port}, not 80 or 443.", hint=_HINT)
    if literal and not is_public(literal):
        raise AddressRefused(f"{url.host} is not a public address.", hint=_HINT)


def vetted(host: str, port: int, resolve: Resolver, *, allow_private: bool = False) -> list[str]:
    """Return the addresses of a host that may be connected to, or refuse the host."""
    try:
        found = list(dict.fromkeys(resolve(host, port)))
    except (OSError, UnicodeError) as error:
        raise httpx.ConnectError(f"{host} cannot be looked up: {error}") from error
    good = [each for each in found if allow_private or _is_public_text(each)]
    if not good:
        raise AddressRefused(f"{host} is not at a public address.", hint=_HINT)
    return good


def system_resolver(host: str, port: int) -> Iterator[str]:
    """Ask the system for the addresses of a host."""
    for *_, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        yield str(address[0])


def is_public(address: Address) -> bool:
    """Whether an address, and the one it may carry inside, is of the public internet."""
    inner = _embedded(address)
    if inner:
        return is_public(inner)
    if address in _METADATA or address.is_multicast or address.is_reserved:
        return False
    return address.is_global


def _embedded(address: Address) -> Address | None:
    if isinstance(address, ipaddress.IPv4Address):
        return None
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    teredo = address.teredo
    return address.ipv4_mapped or address.sixtofour or (teredo[1] if teredo else None)


def _parsed(host: str) -> Address | None:
    try:
        return ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None


def _is_public_text(text: str) -> bool:
    address = _parsed(text)
    return address is not None and is_public(address)
