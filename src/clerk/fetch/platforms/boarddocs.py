"""BoardDocs: ``go.boarddocs.com/{state}/{board}/Board.nsf``; school boards, mostly.

Agendas are HTML there; minutes and agendas that are attached as files are fetched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from clerk.fetch import html, naming
from clerk.fetch.base import DocumentRef, FetcherSpec, MeetingRef, SourceSettings, Window

from .common import Offer, PlatformFetcher, moment


class BoardDocsSettings(SourceSettings, kw_only=True):
    """Ids of the committees to fetch; if empty, all that the public page names."""

    committees: tuple[str, ...] = ()


class BoardDocs(PlatformFetcher):
    """Lists meetings by committee, and requests the files of each."""

    settings: BoardDocsSettings

    @property
    def _board(self) -> str:
        match = re.match(r"(.*?/Board\.nsf)", self.source, re.IGNORECASE)
        return match[1] if match else self.source.rstrip("/") + "/Board.nsf"

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield the meetings of the window; where the list is empty, those of the feed."""
        found = False
        for meeting in self._meetings_of_committees():
            found = True
            if window.covers(meeting.day):
                yield meeting
        if not found:
            yield from (each for each in self._meetings_of_feed() if window.covers(each.day))

    def _meetings_of_committees(self) -> Iterator[MeetingRef]:
        committees = list(self.settings.committees)
        if not committees:
            tree = html.parsed(self.client.page(f"{self._board}/Public").text)
            found = [node.attributes.get("committeeid") or "" for node in tree.css("[committeeid]")]
            committees = list(dict.fromkeys(each for each in found if each)) or [""]
        url = f"{self._board}/BD-GetMeetingsList?open"
        for committee in committees:
            page = self.client.page(url, method="POST", form={"current_committee_id": committee})
            for each in page.json():
                if each.get("unique"):
                    day = each.get("numberdate") or ""
                    yield self._meeting(each["unique"], each.get("name") or "", day, "")

    def _meetings_of_feed(self) -> Iterator[MeetingRef]:
        """Yield the meetings of the feed, which is not always well-formed XML."""
        page = self.client.page(f"{self._board}/XML-ActiveMeetings")
        for meeting in html.parsed(page.text).css("meeting"):
            yield self._meeting(
                meeting.attributes.get("id") or "",
                html.text_of(meeting.css_first("name")),
                html.text_of(meeting.css_first("start date")),
                meeting.attributes.get("bodyname") or "",
            )

    def _meeting(self, identity: str, title: str, day: str, body: str) -> MeetingRef:
        name = title.partition("@")[0].strip()
        return self.meeting(
            title,
            moment(day, title),
            vendor_id=identity,
            body=body or naming.body_of_title(name) or name,
            source_url=f"{self._board}/goto?open&id={identity}",
        )

    def list_documents(self, meeting: MeetingRef) -> Iterator[DocumentRef]:
        """Yield the minutes and agendas among the public files of a meeting."""
        url = f"{self._board}/BD-GetPublicFiles?open"
        page = self.client.page(url, method="POST", form={"id": meeting.vendor_id})
        offers = []
        for node in html.parsed(page.text).css("a[href]"):
            link = html.href_of(node, page.url)
            if "/files/" in link.lower():
                offers.append(Offer(html.text_of(node) or link.rsplit("/", 1)[-1], link))
        yield from self.documents(offers, f"{meeting.body} {meeting.day or ''}")


SPEC = FetcherSpec(
    "boarddocs",
    BoardDocs,
    hosts=("boarddocs.com",),
    url_patterns=(r"/Board\.nsf\b",),
    settings=BoardDocsSettings,
    help="BoardDocs: https://go.boarddocs.com/STATE/BOARD/Board.nsf/Public",
)
