"""SessionNet (Germany, Somacos): ``si0040.php?__cjahr=2026&__cmonat=3``, a month a page.

A meeting's own page (``si0057``, formerly ``to0040``) links its documents; dates are day first.
``si0041`` lists the meetings of one committee.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime, time

from selectolax.lexbor import LexborNode

from clerk.core.storage import AGENDAS, MINUTES
from clerk.fetch import html, naming
from clerk.fetch.base import DocumentRef, FetcherSpec, MeetingRef, Window
from clerk.fetch.http.responses import NotUnderstood, WebPage

from .common import Offer, PlatformFetcher, days_of_calendar, months_of, parameter, time_in

#: The page of a meeting, or its overview.
_MEETING = re.compile(r"(?:si005[67]|to0040)\.(?:php|asp)\?.*__ksinr=[0-9]+", re.IGNORECASE)
_FILE = re.compile(r"getfile\.(?:php|asp)\?.*id=[0-9]+", re.IGNORECASE)
_AGENDA = re.compile(r"bekanntmachung|einladung|tagesordnung", re.IGNORECASE)
_MINUTES = re.compile(r"niederschrift|protokoll", re.IGNORECASE)
_EMPTY_MONTHS = 12


class SessionNet(PlatformFetcher):
    """Lists the calendar month by month."""

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield the meetings of each month, the latest first, until a year of them is empty."""
        if re.search(r"/si0041\.", self.source, re.IGNORECASE):
            listing = self.client.page(self.source)
            listed = list(self._meetings(listing, self.today))
            if not listed:
                raise NotUnderstood(listing, "meetings of a committee, each with a link and a day")
            yield from listed
            return
        address = re.sub(r"/[^/]*(?:\?.*)?$", "", self.source)
        suffix = "asp" if ".asp" in self.source.lower() else "php"
        empty, understood, found = 0, False, False
        last: WebPage | None = None
        for month in months_of(window):
            url = f"{address}/si0040.{suffix}?__cjahr={month.year}&__cmonat={month.month}"
            page = self.client.page(url) if last is None else self.read(url)
            if page is None:
                return
            last = page
            understood = understood or bool(re.search(r"si0040|silink|smc", page.text))
            meetings = list(self._meetings(page, month))
            yield from meetings
            found = found or bool(meetings)
            if found and month < self.today.replace(day=1):
                empty = 0 if meetings else empty + 1
            if empty == _EMPTY_MONTHS:
                break
        if not understood:
            raise NotUnderstood(last, "the calendar of SessionNet (td.silink)")

    def _meetings(self, page: WebPage, month: date) -> Iterator[MeetingRef]:
        dated = html.DatedPage(page.text, page.url, day_first=True)
        days = days_of_calendar(dated.tree, month)
        for node, url in dated.links(_MEETING):
            row = next((each for each in html.ancestors(node) if each.tag in ("tr", "li")), None)
            text = dated.text(row) if row else html.text_of(node)
            said = f"{node.attributes.get('title') or ''} {text}"
            day = naming.find_date(said, day_first=True)
            day = day or (days.get(row.mem_id) if row else None)
            title = html.text_of(node)
            if not naming.without_dates(title):
                # The link is the day, and its title says: "Details anzeigen: Kreistag 10.09.2026"
                named = (node.attributes.get("title") or "").partition(":")[2]
                title = naming.without_dates(named).strip()
            if day and title:
                yield self.meeting(
                    title,
                    datetime.combine(day, time_in(text) or time()),
                    vendor_id=parameter(url, "__ksinr"),
                    body=title,
                    notice="cancelled" if naming.is_cancelled(text) else title,
                    offers=_offers(row.css("a[href]") if row else [], page.url),
                    source_url=url.replace("si0056", "si0057"),
                )

    def list_documents(self, meeting: MeetingRef) -> Iterator[DocumentRef]:
        """Yield the invitation and the minutes of the calendar's row and of the meeting's page."""
        yield from meeting.documents
        known = {document.vendor_id for document in meeting.documents}
        page = self.read(meeting.source_url)
        nodes = html.parsed(page.text).css("a[href]") if page else []
        further = [
            each for each in _offers(nodes, meeting.source_url) if each.vendor_id not in known
        ]
        yield from self.documents(further, f"{meeting.body} {meeting.day or ''}")


def _offers(nodes: list[LexborNode], base: str) -> list[Offer]:
    """Return the invitation, the minutes and the attachments among links to files."""
    offers = []
    for node in nodes:
        url = html.href_of(node, base)
        said = f"{html.text_of(node)} {node.attributes.get('title') or ''}".strip()
        kind = MINUTES if _MINUTES.search(said) else AGENDAS if _AGENDA.search(said) else ""
        if _FILE.search(url):
            offers.append(Offer(said, url, kind, parameter(url, "id"), attachment=not kind))
    return offers


SPEC = FetcherSpec(
    "sessionnet",
    SessionNet,
    url_patterns=(r"/si00(?:40|41|46|56|57)\.(?:php|asp)",),
    missing="other periods than the one shown, of the list of one committee",
    help="SessionNet: https://HOST/bi/si0040.php",
    document_links=(r"getfile\.(?:php|asp)\?[^\"'\s<>]*id=[0-9]+",),
    page_marks=(r"si0040\.(?:php|asp)|smc_datatype_si",),
)
