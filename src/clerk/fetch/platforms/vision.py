"""Vision / govAccess: lists and pages of events, ``/Home/Components/Calendar/Event/N``.

Documents are ``/home/showpublisheddocument/N/STAMP``; they may be in folders, ``PAGE/-folder-N``.
"""

from __future__ import annotations

from clerk.fetch.base import FetcherSpec

from .plain import PlainFetcher, PlainSettings


class Vision(PlainFetcher):
    """Lists the documents of a page, of its further pages, folders, and the events it links."""

    event_pages = r"/Home/Components/Calendar/Event/[0-9]+"
    further_pages = r"[?&/-]npage[-=][0-9]+"
    folders = r"/-folder-[0-9]+"


SPEC = FetcherSpec(
    "vision",
    Vision,
    settings=PlainSettings,
    url_patterns=(r"/Home/Components/Calendar/",),
    finds_gaps=False,
    marks_whole_site=True,
    missing="months of a calendar that scripts load",
    help="Vision, govAccess: https://TOWN/agendas",
    document_links=(r"/showpublisheddocument/[0-9]+(?:/[0-9]+)?",),
    page_marks=(r"/Home/Components/Calendar/Event/[0-9]+", r"/home/showpublisheddocument/[0-9]+"),
)
