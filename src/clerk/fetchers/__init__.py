"""clerk's own fetchers, one file per platform, offered through the same hook as anybody's."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from clerk import hookimpl

if TYPE_CHECKING:
    from clerk.fetcher import FetcherSpec


@hookimpl
def register_fetchers() -> Iterable[FetcherSpec]:
    """Return the built-in fetchers; the first whose pattern fits a URL is the one detected."""
    from . import folder

    return [folder.SPEC]
