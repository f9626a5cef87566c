"""Pages, feeds and files for everybody."""

from __future__ import annotations

from starlette.routing import BaseRoute, Route

from clerk.web import annotation_pages
from clerk.web.request_bodies import with_form

from . import (
    calendar,
    coverage,
    documents,
    feeds,
    follow,
    place_map,
    places,
    reports,
    search,
    votes,
)

#: Projects and documents as PubAnnotation names them.
_PROJECT = "/projects/{project:path}"
_DOCUMENT = "/docs/sourcedb/{sourcedb}/sourceid/{sourceid:path}"


def routes() -> list[BaseRoute]:
    """Return the public addresses."""
    return [
        Route("/", search.home),
        Route("/search", search.search_page),
        Route("/search.json", feeds.search_json),
        Route("/search.csv", feeds.search_csv),
        *feeds.feed_routes(),
        Route("/s/{site}/", places.place),
        Route("/s/{site}/{rest:path}", places.body_or_meeting),
        Route("/d/{document}", documents.document),
        Route("/d/{document}/original.pdf", documents.original),
        Route("/d/{document}/original", documents.original),
        Route("/d/{document}/pages.pdf", documents.pages_pdf),
        Route("/d/{document}/page", documents.go_to_page),
        Route("/d/{document}/changes", documents.changes),
        Route("/d/{document}/meeting", documents.meeting_of_document),
        Route("/p/{page}", documents.page_view),
        Route("/p/{page}/image.webp", documents.page_image),
        Route("/p/{page}/page.pdf", documents.page_pdf),
        Route("/embed/{page}", documents.embed),
        Route("/oembed", documents.oembed),
        Route("/annotations", annotation_pages.list_page),
        Route("/votes", votes.votes),
        Route("/people", votes.people_of_all),
        Route("/people/{site}", votes.people),
        Route("/people/{site}/{member:path}", votes.person),
        Route("/report/{vote}", reports.form),
        Route("/report/{vote}", with_form(reports.send), methods=["POST"]),
        Route("/follow", with_form(follow.sign_up), methods=["POST"]),
        Route("/follow/sent", follow.sent),
        Route("/follow/confirm/{token}", follow.confirm_page),
        Route("/follow/confirm/{token}", with_form(follow.confirm), methods=["POST"]),
        Route("/follow/me/{token}", follow.personal),
        Route("/follow/me/{token}", with_form(follow.change), methods=["POST"]),
        Route("/follow/stop/{token}", follow.stop_page),
        Route("/follow/stop/{token}", with_form(follow.stop), methods=["POST"]),
        Route("/matters", votes.matters_of_all),
        Route("/matters/{site}", votes.matters),
        Route("/matters/{site}/{matter:path}", votes.matter),
        Route("/calendar", calendar.calendar_of_all),
        Route("/calendar/{site}", calendar.calendar),
        Route("/map", place_map.place_map),
        Route("/coverage", coverage.all_places),
        Route("/coverage/{site}", coverage.of_place),
        Route(f"{_DOCUMENT}/annotations.json", annotation_pages.of_document),
        Route(_DOCUMENT, annotation_pages.of_document),
        Route(
            "/projects/{project:path}" + f"{_DOCUMENT}/annotations.json",
            annotation_pages.of_document,
        ),
        Route(f"{_PROJECT}/annotations.jsonl", annotation_pages.as_lines),
        Route(f"{_PROJECT}/annotations.json", annotation_pages.as_array),
        Route(f"{_PROJECT}/annotations.tgz", annotation_pages.as_archive),
        Route("/sitemap.xml", feeds.sitemap),
        Route("/sitemap-{number:int}.xml", feeds.sitemap_part),
        Route("/opensearch.xml", feeds.opensearch),
        Route("/robots.txt", feeds.robots),
    ]
