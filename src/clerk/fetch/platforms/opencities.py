"""OpenCities: lists of meetings whose documents a service hands out, ``OCServiceHandler.axd``.

The list is an accordion: a date, a type of meeting and the id under which the service knows it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, time
from urllib.parse import quote

from selectolax.lexbor import LexborNode

from clerk.fetch import html, naming
from clerk.fetch.base import Context, DocumentRef, FetcherSpec, MeetingRef, Window
from clerk.fetch.http.responses import ApiError, NotUnderstood
from clerk.fetch.links import file_name_of

from .common import Offer, PlatformFetcher, time_in
from .plain import is_day_first

_PAGES = re.compile(r"seamless-pagination-count-([0-9]+)")
_SIZE = re.compile(r"\s*\([^()]*\b[KMG]B\)", re.IGNORECASE)


class OpenCities(PlatformFetcher):
    """Lists the meetings of an accordion; the documents of each are asked for."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.day_first = is_day_first(self.host)

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield the meetings page by page, the latest first."""
        page, number, known = self.client.page(self.source), 1, set[str]()
        pages = max(map(int, _PAGES.findall(page.text)), default=1)
        while True:
            triggers = html.parsed(page.text).css("[data-cvid]")
            if not triggers and number == 1:
                raise NotUnderstood(page, "a list of meetings ([data-cvid])")
            meetings = [
                meeting
                for meeting in self.understood(triggers, self._meeting)
                if meeting.vendor_id not in known
            ]
            yield from (each for each in meetings if window.full or window.covers(each.day))
            known |= {each.vendor_id for each in meetings}
            oldest = min((each.day for each in meetings if each.day), default=None)
            past = not window.full and oldest is not None and oldest < window.start
            number += 1
            if not meetings or past or number > pages:
                return
            address = self.source.partition("?")[0]
            further = self.read(
                f"{address}?{quote('dlv_OC CL Public Meetings')}=(pageindex={number})"
            )
            if further is None:
                return
            page = further

    def _meeting(self, trigger: LexborNode) -> MeetingRef | None:
        said = html.text_of(trigger.css_first(".minutes-date")) or html.text_of(trigger)
        day = naming.find_date(said, day_first=self.day_first)
        title = html.text_of(trigger.css_first(".meeting-type"))
        title = title or naming.without_dates(html.text_of(trigger))
        return self.meeting(
            title,
            datetime.combine(day, time_in(said) or time()) if day else None,
            vendor_id=(trigger.attributes["data-cvid"] or "").strip(),
            source_url=self.source,
        )

    def list_documents(self, meeting: MeetingRef) -> Iterator[DocumentRef]:
        """Yield the documents that the service has for a meeting."""
        page = self.client.page(
            f"{self.root}/OCServiceHandler.axd",
            params={
                "url": "ocsvc/Public/meetings/documentrenderer",
                "keywords": "",
                "cvid": meeting.vendor_id,
            },
        )
        answer = page.json()
        markup = answer.get("html") if isinstance(answer, dict) else None
        if not isinstance(markup, str):
            raise ApiError(page, "a JSON object with 'html'")
        offers = []
        for node in html.parsed(markup).css("a[href]"):
            url, text = html.href_of(node, self.source), html.text_of(node)
            title = _SIZE.sub("", text)
            if url and ("ext-" in (node.attributes.get("class") or "") or "/files/" in url):
                named = title if naming.find_kind(title) else f"{title} {file_name_of(url)}"
                offers.append(Offer(named, url))
        yield from self.documents(offers, f"{meeting.title} {meeting.day or ''}")


SPEC = FetcherSpec(
    "opencities",
    OpenCities,
    missing="one request per meeting; calendars of events",
    help="OpenCities: the page of a town that lists its meetings",
    document_links=(r"/files\\?/assets\\?/public[^\s\"'<>]+?\.pdf",),
    page_marks=(r"<a\b(?=[^>]*\bminutes-trigger\b)[^>]*\bdata-cvid=",),
)
