"""NovusAgenda: ``{town}.novusagenda.com/agendapublic``; links hide in scripts, years are short."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import unescape

from clerk.core.storage import AGENDAS, MINUTES
from clerk.fetch import html, naming
from clerk.fetch.base import DocumentRef, FetcherSpec, MeetingRef, Window
from clerk.fetch.http.responses import PageMissing

from .common import Offer, PlatformFetcher, moment, parameter

_DOCUMENT = re.compile(r"(?:DisplayAgendaPDF\.ashx|MeetingView\.aspx)\?[^'\"\s]+", re.IGNORECASE)
_MEETING = re.compile(r"[?&]MeetingID=([0-9]+)", re.IGNORECASE)


class NovusAgenda(PlatformFetcher):
    """Lists the rows of the page of meetings."""

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield the meetings that the page shows."""
        general = f"{self.root}/agendapublic/meetingsgeneral.aspx"
        try:
            page = self.client.page(self.source if ".aspx" in self.source.lower() else general)
        except PageMissing:
            # Its links are relative to the folder.
            page = self.client.page(self.source.rstrip("/") + "/")
        listed = []
        for row in html.parsed(page.text).css("tr.rgRow, tr.rgAltRow"):
            cells = [html.text_of(cell) for cell in row.css("td")]
            start = next(filter(None, map(moment, cells)), None)
            if not start or "Items" in (row.attributes.get("id") or ""):
                continue
            markup = unescape(row.html or "")
            number = _MEETING.search(markup)
            found = dict.fromkeys(_DOCUMENT.findall(markup))
            meeting = self.meeting(
                next(filter(None, map(html.name_in, cells)), ""),
                start,
                [_offer(html.joined(page.url, each), "") for each in found],
                vendor_id=number[1] if number else "",
                notice=" ".join(cells),
                source_url=page.url,
            )
            listed.append(meeting)
        listed += self.beside_dates(page, _DOCUMENT, _offer, listed)
        yield from listed

    def documents(self, offers: Iterable[Offer], what: str) -> tuple[DocumentRef, ...]:
        """Return the documents of a meeting: a page only if there is no PDF of its kind."""
        offers = list(offers)
        files = {offer.kind for offer in offers if not offer.format}
        twins = [offer for offer in offers if offer.format and offer.kind in files]
        for offer in twins:
            self.skip(f"{offer.title} ({offer.url})", "another form of a PDF", offer.url)
        return super().documents([each for each in offers if each not in twins], what)


def _offer(url: str, _text: str) -> Offer:
    """Return what a link offers; MinutesMeetingID is -1 where there are no minutes."""
    has_minutes = parameter(url, "MinutesMeetingID") not in ("", "0", "-1")
    said = naming.find_kind(parameter(url, "doctype"))
    kind = said or (MINUTES if has_minutes else AGENDAS)
    is_page = "meetingview.aspx" in url.lower()
    return Offer(kind.capitalize(), url, kind, kind, format="html" if is_page else "")


SPEC = FetcherSpec(
    "novusagenda",
    NovusAgenda,
    hosts=("novusagenda.com",),
    pace=3.6,
    missing="meetings older than the page shows",
    help="NovusAgenda: https://TOWN.novusagenda.com/agendapublic",
    url_patterns=(r"/agendapublic/(?:meetingsgeneral|default)\.aspx",),
    page_marks=(r"DisplayAgendaPDF\.ashx\?",),
    document_links=(r"DisplayAgendaPDF\.ashx\?(?:Minutes)?MeetingID=[0-9]+",),
)
