"""Getting documents from where towns publish them.

::

    discover       which fetcher serves a site, a folder or a URL, with which settings
    candidates     what may be the source at an address: collected, and tried with one listing
    preview        what a source offers, listed and not stored
    base           what a fetcher is written with: the names below, for plugins too
    platforms      clerk's own fetchers, one file per portal
    understanding  whether a listing understood the pages it read
    store          ``fetch_site``: from what a fetcher lists to PDFs on disk
    sources        how a document is called where it came from
    recording      recorded answers of a portal, for testing a fetcher
    http           the polite client that all fetchers use

A fetcher only yields what a source has; everything else is done once, for all of them.  clerk's
own fetchers are offered through the same hook as anybody's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module

from .base import (
    Context,
    DocumentRef,
    Fetcher,
    FetcherSpec,
    Gap,
    MeetingRef,
    SourceSettings,
    Window,
)

__all__ = [
    "Context",
    "DocumentRef",
    "Fetcher",
    "FetcherSpec",
    "Gap",
    "MeetingRef",
    "SourceSettings",
    "Window",
    "register_fetchers",
]

#: Modules of ``platforms``; the first whose pattern fits a URL is the fetcher that is detected.
_BUILT_IN = [
    "legistar_api",
    "legistar",
    "civicplus",
    "granicus",
    "primegov",
    "civicclerk",
    "boarddocs",
    "escribe",
    "novusagenda",
    "municode",
    "iqm2",
    "civicweb",
    "onbase",
    "boardbook",
    "infocouncil",
    "suiteone",
    "moderngov",
    "cmis",
    "simbli",
    "agendaquick",
    "swagit",
    "oparl",
    "notubiz",
    "ibabs",
    "archivecenter",
    "laserfiche",
    "sessionnet",
    "allris",
    "vision",
    "proudcity",
    "opencities",
    "meeting_pages",
    "urls",
    "plain",
    "folder",
]


class OwnFetchers(Iterable[FetcherSpec]):
    """clerk's own fetchers, each loaded when it is asked for."""

    def __iter__(self) -> Iterator[FetcherSpec]:
        return map(_load, _BUILT_IN)

    def named(self, label: str) -> FetcherSpec | None:
        """Return the fetcher of that id, which is the name of its module."""
        return _load(label) if label in _BUILT_IN else None


def _load(module: str) -> FetcherSpec:
    spec: FetcherSpec = import_module(f"{__name__}.platforms.{module}").SPEC
    return spec


def register_fetchers() -> Iterable[FetcherSpec]:
    """Offer clerk's own fetchers."""
    return OwnFetchers()
