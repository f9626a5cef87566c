"""Time as clerk speaks of it: aware, UTC."""

from __future__ import annotations

from datetime import UTC, datetime


def utc_now() -> datetime:
    """Return the current moment in UTC."""
    return datetime.now(UTC)
