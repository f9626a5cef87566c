"""Ways a request can fail that callers tell apart.

SourceUnavailable
 +- AddressRefused    the URL leads to where clerk does not go
 +- CircuitOpen       the host is in trouble or asked for a pause: do not ask on
 +- PageMissing       404 or 410
 +- RobotsRefused     robots.txt asks not to fetch this page: a SourceBlocked of one page
 +- TryAgain          a timeout, 408, 429 or 5xx: never leaves the client unless retries are used up
"""

from __future__ import annotations

from clerk.core.errors import SourceBlocked, SourceUnavailable


class AddressRefused(SourceUnavailable):
    """The address is not one that clerk fetches from."""


class CircuitOpen(SourceUnavailable):
    """The host is left alone for a while."""


class PageMissing(SourceUnavailable):
    """There is nothing at this address."""


class RobotsRefused(SourceBlocked):
    """The host's robots.txt asks not to fetch this."""


class TryAgain(SourceUnavailable):
    """The host may answer a moment later."""

    def __init__(self, message: str, wait_seconds: float | None = None) -> None:
        super().__init__(message)
        self.wait_seconds = wait_seconds
