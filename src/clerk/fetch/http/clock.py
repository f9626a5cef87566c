"""The clock of the client, so that a test need not wait."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """Tells the time and lets it pass."""

    def time(self) -> float:
        """Seconds since 1970, the same for all processes."""

    def monotonic(self) -> float:
        """Seconds that only ever grow."""

    def sleep(self, seconds: float) -> None:
        """Return after so long."""


class SystemClock:
    """The machine's own clock."""

    def time(self) -> float:
        """Seconds since 1970."""
        return time.time()

    def monotonic(self) -> float:
        """Seconds that only ever grow."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)
