"""What the query of a target says: ``local:///srv/www?keep=5``."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

from clerk.core import config
from clerk.core.errors import BadSetting


def option_of(target: str, name: str) -> str | None:
    """Return one option of a target, or None."""
    given = parse_qs(urlsplit(target).query).get(name)
    return given[-1] if given else None


def keep_of(target: str) -> int:
    """Return how many versions stay at a target: its own wish, else PUBLISH_KEEP."""
    wished = option_of(target, "keep")
    if wished is None:
        return config.load().publish_keep
    if not wished.isdecimal() or int(wished) < 1:
        raise BadSetting(f"{target}: keep must be a whole number of at least 1, not {wished!r}.")
    return int(wished)
