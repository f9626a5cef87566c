"""BoardDocs: ``go.boarddocs.com/{state}/{board}/Board.nsf``; school boards, mostly.

Agendas and minutes are pages there, made by a POST; files that are attached to a meeting are asked
for too, because minutes are often among them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlencode

from clerk.core.storage import AGENDAS, MINUTES
from clerk.fetch import html, naming
from clerk.fetch.base import DocumentRef, FetcherSpec, MeetingRef, SourceSettings, Window
from clerk.fetch.http.responses import NotUnderstood, PageMissing, WebPage

from .common import Offer, PlatformFetcher, moment, records_of

#: The body of meetings that are only called by their date.
_BOARD = "Board"
#: What a board delegates to others; the committee of the whole is the board.
_PART_OF_BOARD = re.compile(r"\bcommittee\b(?! of the whole)|\btask force\b", re.IGNORECASE)


class BoardDocsSettings(SourceSettings, kw_only=True):
    """Ids of the committees to fetch; if empty, all that the public page names."""

    committees: tuple[str, ...] = ()


class BoardDocs(PlatformFetcher):
    """Lists meetings by committee, and requests the files of each."""

    settings: BoardDocsSettings
    #: Requests per meeting that this board does not answer.
    _unanswered: frozenset[str] = frozenset()

    @property
    def _board(self) -> str:
        match = re.match(r"(.*?/Board\.nsf)", self.source, re.IGNORECASE)
        return match[1] if match else self.source.rstrip("/") + "/Board.nsf"

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield the meetings of the lists, else of the one for search engines, else of the feed."""
        for listing in (
            self._meetings_of_committees,
            self._meetings_for_search_engines,
            self._meetings_of_feed,
        ):
            found = False
            for meeting in listing():
                found = True
                if window.covers(meeting.day):
                    yield meeting
            if found:
                return

    def _meetings_for_search_engines(self) -> Iterator[MeetingRef]:
        try:
            page = self.client.page(f"{self._board}/BD-GetMeetingsListForSEO?open")
        except PageMissing:
            return
        yield from self._listed(page, "")

    def _meetings_of_committees(self) -> Iterator[MeetingRef]:
        names: dict[str, str] = dict.fromkeys(self.settings.committees, "")
        if not names:
            try:
                tree = html.parsed(self.client.page(f"{self._board}/Public").text)
            except PageMissing:
                tree = html.parsed("")
            for node in tree.css("[committeeid]"):
                if identity := node.attributes.get("committeeid"):
                    names.setdefault(identity, html.text_of(node))
        url = f"{self._board}/BD-GetMeetingsList?open"
        for committee, name in (names or {"": ""}).items():
            try:
                page = self.client.page(
                    url, method="POST", form={"current_committee_id": committee}
                )
            except PageMissing:
                continue
            body = name if naming.BODY_WORD.search(name) and " " in name else ""
            yield from self._listed(page, body)

    def _listed(self, page: WebPage, body: str) -> Iterator[MeetingRef]:
        # Keys are written Unique and Date in the list for search engines.
        records = [{key.lower(): each[key] for key in each} for each in records_of(page) if each]
        yield from self.understood(
            records,
            lambda each: self._meeting(
                each["unique"],
                each.get("name") or "",
                str(each.get("numberdate") or (each.get("date") or "")[:10]),
                body,
            ),
        )

    def _meetings_of_feed(self) -> Iterator[MeetingRef]:
        """Yield the meetings of the feed, which is not always well-formed XML."""
        page = self.client.page(f"{self._board}/XML-ActiveMeetings")
        meetings = html.parsed(page.text).css("meeting")
        if not meetings:
            raise NotUnderstood(page, "a list of meetings")
        yield from self.understood(
            meetings,
            lambda meeting: self._meeting(
                meeting.attributes["id"] or "",
                html.text_of(meeting.css_first("name")),
                html.text_of(meeting.css_first("start date")),
                meeting.attributes.get("bodyname") or "",
            ),
        )

    def _meeting(self, identity: str, title: str, day: str, body: str) -> MeetingRef:
        name = title.partition("@")[0].strip()
        found = naming.body_of_meeting(name) or _BOARD
        if _PART_OF_BOARD.search(found) and not _PART_OF_BOARD.search(body):
            # The board's list may have the meetings of its committees too.
            body = found
        return self.meeting(
            title,
            moment(day, title),
            vendor_id=identity,
            body=body or (found if naming.names_body(found) else ""),
            source_url=f"{self._board}/goto?open&id={identity}",
        )

    def list_documents(self, meeting: MeetingRef) -> Iterator[DocumentRef]:
        """Yield the agenda, the minutes if there are some, and both among the files."""
        offers = [self._page_offer(meeting, AGENDAS, "PRINT-AgendaDetailed")]
        page = self._asked("BD-GetMeeting", meeting)
        if page and re.search(r'id="[^"]*minutes', page.text, re.IGNORECASE):
            offers.append(self._page_offer(meeting, MINUTES, "BD-GetMinutes"))
        page = self._asked("BD-GetPublicFiles", meeting)
        for node in html.parsed(page.text).css("a[href]") if page else []:
            link = html.href_of(node, page.url if page else "")
            if "/files/" in link.lower():
                name = html.text_of(node) or link.rsplit("/", 1)[-1]
                kind = MINUTES if naming.find_kind(name) == MINUTES else ""
                offers.append(Offer(name, link, kind, link, attachment=not kind))
        yield from self.documents(offers, f"{meeting.body} {meeting.day or ''}")

    def _page_offer(self, meeting: MeetingRef, kind: str, command: str) -> Offer:
        form = urlencode({"id": meeting.vendor_id, "current_committee_id": ""})
        return Offer(
            kind.capitalize(),
            f"{self._board}/goto?open&id={meeting.vendor_id}",
            kind,
            kind,
            format="html",
            method="POST",
            body=form,
            request_url=f"{self._board}/{command}?open",
        )

    def _asked(self, command: str, meeting: MeetingRef) -> WebPage | None:
        """Return an answer about a meeting; a command that is unknown is not sent again."""
        if command in self._unanswered:
            return None
        try:
            return self.client.page(
                f"{self._board}/{command}?open",
                method="POST",
                form={"id": meeting.vendor_id, "current_committee_id": ""},
            )
        except PageMissing:
            self._unanswered |= {command}
            return None


SPEC = FetcherSpec(
    "boarddocs",
    BoardDocs,
    hosts=("boarddocs.com",),
    url_patterns=(r"/Board\.nsf\b",),
    settings=BoardDocsSettings,
    missing="robots.txt refuses: needs a recorded permission; files of single agenda items",
    help="BoardDocs: https://go.boarddocs.com/STATE/BOARD/Board.nsf/Public",
)
