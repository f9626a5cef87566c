"""clerk's own fetchers, one file per platform, offered through the same hook as anybody's."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from clerk import hookimpl

if TYPE_CHECKING:
    from .base import FetcherSpec


@hookimpl
def register_fetchers() -> Iterable[FetcherSpec]:
    """Return the built-in fetchers; the first whose pattern fits a URL is the one detected."""
    from .platforms import (
        boarddocs,
        civicclerk,
        civicplus,
        civicweb,
        escribe,
        folder,
        granicus,
        iqm2,
        legistar,
        legistar_api,
        municode,
        novusagenda,
        onbase,
        plain,
        primegov,
        urls,
    )

    return [
        legistar_api.SPEC,
        legistar.SPEC,
        civicplus.SPEC,
        granicus.SPEC,
        primegov.SPEC,
        civicclerk.SPEC,
        boarddocs.SPEC,
        escribe.SPEC,
        novusagenda.SPEC,
        municode.SPEC,
        iqm2.SPEC,
        civicweb.SPEC,
        onbase.SPEC,
        urls.SPEC,
        plain.SPEC,
        folder.SPEC,
    ]
