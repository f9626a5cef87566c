"""Dates and numbers as the published pages write them: public by their nature."""

from __future__ import annotations

from calendar import month_name
from datetime import datetime
from functools import lru_cache

from clerk.core.public_text import PublicText

_THIN_SPACE = "\u202f"


@lru_cache(maxsize=10_000)
def day(date: str | None) -> str:
    """Return a date in words."""
    if not date:
        return PublicText("no date known")
    try:
        known = datetime.fromisoformat(date)
    except ValueError:
        return date
    return PublicText(f"{known.day} {month_name[known.month]} {known.year}")


def month(date: str) -> str:
    """Return the month of a date in words."""
    number = int(date[5:7]) if date[5:7].isdecimal() else 0
    return f"{month_name[number]} {date[:4]}" if 1 <= number <= 12 else date


def moment(at: str | None) -> str:
    """Return a time in words, in UTC."""
    return datetime.fromisoformat(at).strftime("%Y-%m-%d %H:%M UTC") if at else "not recorded"


def thousands(number: int | None) -> str:
    """Return a number with its thousands separated."""
    return PublicText(f"{number or 0:,}".replace(",", _THIN_SPACE))


def counted(number: int | None, thing: str) -> str:
    """Return a number of things: 1 page, 2 pages."""
    return PublicText(f"{thousands(number)} {thing}{'' if number == 1 else 's'}")


def percent(share: float | None) -> str:
    """Return a share of one as a percentage."""
    return PublicText("unknown" if share is None else f"{100 * share:.0f}{_THIN_SPACE}%")
