"""iBabs (Netherlands): the SOAP service of ``wcf.ibabs.eu``; it needs the town's key."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.sax.saxutils import escape

from selectolax.lexbor import LexborNode

from clerk.core.errors import SourceUnavailable
from clerk.core.storage import AGENDAS, MINUTES
from clerk.fetch import html
from clerk.fetch.base import FetcherSpec, MeetingRef, SourceSettings, Window
from clerk.fetch.http.responses import ApiError

from .common import Offer, PlatformFetcher, iso_moment
from .notubiz import AGENDA, MINUTES_OF_MEETING

_SERVICE = "https://wcf.ibabs.eu/api/Public.svc"


class IbabsSettings(SourceSettings, kw_only=True):
    """The town's name at the service, which serves as a key."""

    key: str = ""


class Ibabs(PlatformFetcher):
    """Lists the meetings of a range of days."""

    settings: IbabsSettings

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield the meetings of the window, a year at a time."""
        if not self.settings.key:
            raise SourceUnavailable(
                "iBabs needs the key of the town.",
                hint="Ask the town for its iBabs site name: --set key=NAME.",
            )
        types = {
            _said(node, "id"): _said(node, "description")
            for node in self._asked("GetMeetingtypes", "").css("a\\:ibabsmeetingtype")
        }
        for year in window.years:
            days = (
                f"<StartDate>{year}-01-01T00:00:00</StartDate>"
                f"<EndDate>{year}-12-31T23:59:59</EndDate><MetaDataOnly>false</MetaDataOnly>"
            )
            answer = self._asked("GetMeetingsByDateRange", days)
            rows = answer.css("a\\:ibabsmeeting")
            yield from self.understood(rows, lambda row: self._meeting(row, types))

    def _asked(self, operation: str, arguments: str) -> LexborNode:
        key = escape(self.settings.key)
        envelope = (
            '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>'
            f'<{operation} xmlns="http://tempuri.org/"><Sitename>{key}</Sitename>{arguments}'
            f"</{operation}></s:Body></s:Envelope>"
        )
        page = self.client.page(
            _SERVICE,
            method="POST",
            content=envelope,
            headers={
                "Content-Type": "text/xml; charset=utf-8",
                "SOAPAction": f'"http://tempuri.org/IPublic/{operation}"',
            },
        )
        # The parser of HTML takes a tag that closes itself for one that stays open.
        tree = html.parsed(re.sub(r"<([\w:]+)([^<>]*)/>", r"<\1\2></\1>", page.text)).root
        if tree is None or f"{operation}Response" not in page.text:
            raise ApiError(page, f"the result of {operation}")
        return tree

    def _meeting(self, row: LexborNode, types: dict[str, str]) -> MeetingRef:
        title = types.get(_said(row, "meetingtypeid"), "") or _said(row, "meetingtypeid")
        offers = []
        for node in row.css("a\\:ibabsdocument"):
            name = _said(node, "displayname") or _said(node, "filename")
            kind = MINUTES if MINUTES_OF_MEETING.search(name) else ""
            kind = kind or (AGENDAS if AGENDA.search(name) else "")
            offers.append(Offer(name, _said(node, "publicdownloadurl"), kind, _said(node, "id")))
        return self.meeting(
            title,
            iso_moment(_said(row, "meetingdate")),
            offers,
            vendor_id=_said(row, "id"),
            body=title,
            source_url=self.source,
        )


def _said(node: LexborNode, name: str) -> str:
    return html.text_of(node.css_first(f"a\\:{name}"))


SPEC = FetcherSpec(
    "ibabs",
    Ibabs,
    hosts=("bestuurlijkeinformatie.nl", "wcf.ibabs.eu", "ibabs.eu"),
    settings=IbabsSettings,
    missing="towns whose key is not known (the setting key)",
    help="iBabs: https://TOWN.bestuurlijkeinformatie.nl --set key=NAME",
)
