"""Getting documents from where towns publish them.

::

    discover   which fetcher serves a site, a folder or a URL, with which settings
    base       what a fetcher is written with: the names below, for plugins too
    platforms  clerk's own fetchers, one file per portal
    store      ``fetch_site``: from what a fetcher lists to PDFs on disk
    sources    what is on disk, where it came from, and what is gone
    http       the polite client that all fetchers ask through

A fetcher only yields what a source has; everything else is done once, for all of them.  clerk's
own fetchers are offered through the same hook as anybody's.
"""

from __future__ import annotations

from collections.abc import Iterable

from clerk import hookimpl

from .base import (
    Context,
    DocumentRef,
    Fetcher,
    FetcherSpec,
    FetchReport,
    Gap,
    MeetingRef,
    Problem,
    SourceSettings,
    Window,
)

__all__ = [
    "Context",
    "DocumentRef",
    "FetchReport",
    "Fetcher",
    "FetcherSpec",
    "Gap",
    "MeetingRef",
    "Problem",
    "SourceSettings",
    "Window",
    "register_fetchers",
]


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
