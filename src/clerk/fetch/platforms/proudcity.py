"""ProudCity: a WordPress site with a page for each meeting, ``/meetings/NAME``.

Documents are in ProudCity's store, ``storage.googleapis.com/proudcity/TOWN``.
"""

from __future__ import annotations

from clerk.fetch.base import FetcherSpec

from .plain import PlainFetcher, PlainSettings


class ProudCity(PlainFetcher):
    """Lists the documents of the list of meetings and of each meeting's page."""

    event_pages = r"/meetings/(?!page/)[^/?#]+/?(?:[?#]|$)"
    further_pages = r"/meetings/page/[0-9]+"


SPEC = FetcherSpec(
    "proudcity",
    ProudCity,
    settings=PlainSettings,
    finds_gaps=False,
    marks_whole_site=True,
    missing="meetings that the list loads by scripts",
    help="ProudCity: https://TOWN/meetings",
    page_marks=(r"storage\.googleapis\.com/proudcity/|/plugins/wp-proud-",),
)
