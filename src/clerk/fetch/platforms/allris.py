"""ALLRIS (Germany, CC e-gov): version 4 without suffixes, version 3 with ``.asp``.

The agenda of a meeting is its page ``to010?SILFDNR=N``; minutes are linked there.  The calendar of
version 4 is filled by scripts, so its committees are asked one by one (``gr010``, ``si018``); that
of version 3 is a page a month.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from datetime import datetime, time

from selectolax.lexbor import LexborNode

from clerk.core.storage import AGENDAS, MINUTES
from clerk.fetch import html, naming
from clerk.fetch.base import DocumentRef, FetcherSpec, MeetingRef, Window
from clerk.fetch.http.responses import NotUnderstood, WebPage

from .common import Offer, PlatformFetcher, parameter, time_in

_MEETING = re.compile(r"/to010(?:\.asp)?\?.*SILFDNR=[0-9]+", re.IGNORECASE)
_COMMITTEE = re.compile(r"/(?:gr020|si018)(?:\.asp)?\?.*GRLFDNR=[0-9]+", re.IGNORECASE)
_MINUTES = re.compile(r"niederschrift|protokoll", re.IGNORECASE)
_EMPTY_MONTHS = 12


class Allris(PlatformFetcher):
    """Lists meetings by committee or by month."""

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield the meetings of the window."""
        base = re.sub(r"/[a-z]{2}[0-9]{3}\w*(?:\.asp)?(?:\?.*)?$|/$", "", self.source, flags=re.I)
        first = self.client.page(self.source)
        seen: set[str] = set()
        for page, body in itertools.chain([(first, "")], self._pages(base, first, window)):
            for meeting in self._meetings(page, body):
                if meeting.vendor_id not in seen and window.covers(meeting.day):
                    seen.add(meeting.vendor_id)
                    yield meeting
        if not seen:
            raise NotUnderstood(first, "links to meetings (to010?SILFDNR=)")

    def _pages(self, base: str, first: WebPage, window: Window) -> Iterator[tuple[WebPage, str]]:
        """Yield the lists of meetings: a month each in version 3, a committee each in version 4.

        With a list the body that all its meetings are of, if there is one.
        """
        if ".asp" in f"{self.source}{first.text}".lower():
            month, year, empty = window.end.month, window.end.year, 0
            while (year, month) >= (window.start.year, window.start.month):
                page = self.read(f"{base}/si010_e.asp?MM={month}&YY={year}")
                if page is None:
                    return
                yield page, ""
                has_meetings = _MEETING.search(page.text) is not None
                if (year, month) < (self.today.year, self.today.month):
                    empty = 0 if has_meetings else empty + 1
                if empty == _EMPTY_MONTHS:
                    return
                year, month = (year, month - 1) if month > 1 else (year - 1, 12)
            return
        page = self.read(f"{base}/gr010")
        links = html.DatedPage(page.text, page.url).links(_COMMITTEE) if page else []
        names: dict[str, str] = {}
        for node, url in links:
            names.setdefault(parameter(url, "GRLFDNR"), html.text_of(node))
        for number, name in names.items():
            page = self.read(f"{base}/si018?GRLFDNR={number}")
            if page is not None:
                yield page, name

    def _meetings(self, page: WebPage, body: str) -> Iterator[MeetingRef]:
        # Version 4 returns tables as text within XML.
        dated = html.DatedPage(
            re.sub(r"<!\[CDATA\[|\]\]>", "", page.text), page.url, day_first=True
        )
        for node, url in dated.links(_MEETING):
            said = _said(node)
            row = dated.row_of(node)
            day = naming.find_date(said, day_first=True)
            if day is None and row is not None and (found := dated.date_of(node, row)):
                day, said = found[0], f"{said} {found[1][:40]}"
            number = parameter(url, "SILFDNR")
            name = html.name_in(html.text_of(node))
            if not day or not name:
                self.skip_undated(f"{html.text_of(node)} ({url})", url)
                continue
            whole = dated.text(row) if row else ""
            yield self.meeting(
                name,
                datetime.combine(day, time_in(said) or time()),
                vendor_id=number,
                body=body or re.sub(r"^Sitzung (?:des|der)\s+|\s*\(öffentlich\)$", "", name),
                notice="cancelled" if re.search(r"entfällt|abgesagt", whole, re.I) else name,
                source_url=re.sub(r"\?.*", f"?SILFDNR={number}&refresh=false", url),
            )

    def list_documents(self, meeting: MeetingRef) -> Iterator[DocumentRef]:
        """Yield the agenda, which is the meeting's page, and the minutes that it links."""
        url = meeting.source_url
        offers = [Offer("Tagesordnung", url, AGENDAS, "agenda", format="html")]
        page = self.read(url)
        for node in html.parsed(page.text).css("a[href]") if page else []:
            said = f"{html.text_of(node)} {node.attributes.get('title') or ''}".strip()
            link = html.href_of(node, url)
            if link and _MINUTES.search(said):
                # Addresses of files change with each answer.
                offers.append(Offer(said, link, MINUTES, f"minutes {html.text_of(node)}"))
        yield from self.documents(offers, f"{meeting.body} {meeting.day or ''}")


def _said(node: LexborNode) -> str:
    """Return what a link says about itself: "am Do., 01.10.2026 um 17:00 Uhr"."""
    names = ("data-simpletooltip-text", "title", "aria-label")
    return " ".join(node.attributes.get(name) or "" for name in names)


SPEC = FetcherSpec(
    "allris",
    Allris,
    url_patterns=(r"/allris(?:/|$)", r"/(?:si010|si018|to010)(?:_\w+)?(?:\.asp)?(?:\?|$)"),
    missing="one request per meeting; files of agenda items. Towns with an OParl service are "
    "better fetched by it",
    help="ALLRIS: https://HOST/allris/si010",
    document_links=(r"/to010(?:\.asp)?\?[^\"'\s<>]*SILFDNR=[0-9]+",),
    page_marks=(r"(?:si010|si018|gr010|to010)(?:_\w+)?(?:\.asp)?\?[^\"']*(?:SILFDNR|GRLFDNR)=",),
)
