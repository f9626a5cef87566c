"""Legistar's calendar page, on the vendor's host or a town's own, if the Web API is closed.

The header row names the columns; which there are differs from town to town.  Other years and
further pages come by posting the page's form back.  A meeting is known by its own links: the name
of the body often leads to the body's page, which is the same in all its rows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from selectolax.lexbor import LexborNode

from clerk.core.storage import AGENDAS, MINUTES
from clerk.fetch import html, naming
from clerk.fetch.base import FetcherSpec, MeetingRef, Window
from clerk.fetch.http.responses import NotUnderstood, WebPage

from .common import EMPTY_YEARS, Offer, WithAttachments, kind_of_title, moment, parameter

#: The M parameter of View.ashx.  AADA and MADA are accessible variants, PA the packet.
_KIND_OF_VIEW = {"A": AGENDAS, "M": MINUTES, "PA": AGENDAS}
_VARIANT_OF = {"AADA": AGENDAS, "MADA": MINUTES, "AMDA": MINUTES}
_VIEW = re.compile(r"/View\.ashx\?", re.IGNORECASE)
_FILE = re.compile(r"\.(?:pdf|docx?)(?:[?#]|$)", re.IGNORECASE)
#: An item of an agenda, and a file of it.
_ITEM = re.compile(r"/LegislationDetail\.aspx\?", re.IGNORECASE)
_ATTACHED = re.compile(r"/View\.ashx\?(?:.*&)?M=F(?:&|$)", re.IGNORECASE)
_MOST_PAGES = 100
_POST_BACK = re.compile(r"__doPostBack\('([^']+)'")
#: How columns with the date, the time and the body are called.
_DATES = ("meeting date", "date", "event date")
_TIMES = ("meeting time", "time", "event time")
_PLACE = re.compile(r"location|place|room|address|lieu", re.IGNORECASE)
_BODIES = ("name", "meeting body", "body", "meeting name", "committee", "department", "board")


class Legistar(WithAttachments):
    """Lists the rows of the calendar, or of one body's page."""

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield the meetings of the page, and of the years of the window if there is a choice.

        Years are asked for from the latest on until several in a row, none of them to come, have
        nothing new.
        """
        calendar = f"{self.root}/Calendar.aspx"
        first = self.client.page(self.source if ".aspx" in self.source.lower() else calendar)
        if not _is_calendar(first.text) and first.url.lower() != calendar.lower():
            # Another page of the town, such as its list of legislation.
            first = self.read(calendar) or first
        if "rgMasterTable" not in first.text and not _is_calendar(first.text):
            raise NotUnderstood(first, "a Legistar calendar (rgMasterTable, View.ashx)")
        first, bodies = self._of_all_bodies(first)
        seen: set[str] = set()
        for meeting in self._all_pages(first):
            seen.add(meeting.identity(""))
            yield meeting
        field = re.search(r'name="([^"]*\$lstYears)"', first.text)
        if not field:
            return
        empty_years = 0
        for year in window.years:
            chosen = _chosen(field[1], str(year), str(year)) | bodies
            page = self._posted(first, field[1], chosen)
            if page is None:
                return
            fresh = [each for each in self._all_pages(page) if each.identity("") not in seen]
            seen.update(each.identity("") for each in fresh)
            yield from fresh
            if seen and year < self.today.year:
                empty_years = 0 if fresh else empty_years + 1
            if empty_years == EMPTY_YEARS:
                return

    def _of_all_bodies(self, page: WebPage) -> tuple[WebPage, dict[str, str]]:
        """Return the page for all bodies, and the fields of the form that choose them.

        Some towns show only one unless another is chosen.
        """
        field = re.search(r'name="([^"]*\$lstBodies)"', page.text)
        tree = html.parsed(page.text)
        offered = [html.text_of(node) for node in tree.css('[id$="lstBodies_DropDown"] li')]
        if not field or not offered:
            return page, {}
        bodies = _chosen(field[1], "All", offered[0])
        shown = tree.css_first('[id$="lstBodies_Input"]')
        if shown is None or (shown.attributes.get("value") or offered[0]) == offered[0]:
            return page, bodies
        posted = self._posted(page, field[1], bodies)
        return (posted if posted and _is_calendar(posted.text) else page), bodies

    def _all_pages(self, page: WebPage | None) -> Iterator[MeetingRef]:
        for _ in range(_MOST_PAGES):
            if page is None:
                return
            tree = html.parsed(page.text)
            page_body = html.text_of(tree.css_first("title")).rpartition(" - ")[2]
            page_body = page_body if naming.BODY_WORD.search(page_body) else ""
            tables = tree.css("table.rgMasterTable")
            listed: list[MeetingRef] = []
            for table in tables or [each for each in tree.css("table") if _is_calendar(each.html)]:
                names = [html.text_of(node).lower() for node in table.css("th")]
                rows = table.css("tr.rgRow, tr.rgAltRow") or table.css("tr")
                listed += self.understood(
                    [(row, names, page.url, page_body) for row in rows],
                    lambda each: self._meeting(*each),
                )
            yield from listed
            yield from self.beside_dates(page, _VIEW, _offer, listed)
            # The link after the current page's posts back for the next one.
            current = tree.css_first("a.rgCurrentPage")
            node = current.next if current else None
            while node is not None and node.tag != "a":
                node = node.next
            target = _POST_BACK.search((node.attributes.get("href") or "") if node else "")
            if not target:
                return
            page = self._posted(page, target[1], {})

    def attachments_of(self, meeting: MeetingRef) -> Iterator[Offer]:
        """Yield the files of the items that a meeting's page links, one request for each item."""
        if "MeetingDetail" not in meeting.source_url:
            return
        items = self.links_of(self.client.page(meeting.source_url), _ITEM)
        for page in filter(None, map(self.read, items)):
            for url, text in self.links_of(page, _ATTACHED).items():
                yield Offer(text or "Attachment", url, vendor_id=parameter(url, "ID"))

    def _posted(self, page: WebPage, target: str, fields: dict[str, str]) -> WebPage | None:
        tree = html.parsed(page.text)
        hidden = {
            node.attributes["name"] or "": node.attributes.get("value") or ""
            for node in tree.css("input[type=hidden][name]")
        }
        form = {**hidden, **fields, "__EVENTTARGET": target, "__EVENTARGUMENT": ""}
        return self.read(page.url, method="POST", form=form)

    def _meeting(
        self, row: LexborNode, names: list[str], base: str, page_body: str
    ) -> MeetingRef | None:
        cells = [each for each in row.css("td") if each.parent and each.parent.mem_id == row.mem_id]
        texts = dict(zip(names, map(html.text_of, cells), strict=False))

        def column(known: tuple[str, ...]) -> str:
            return next((texts[name] for name in known if texts.get(name)), "")

        start = moment(column(_DATES), column(_TIMES)) or moment(html.text_of(row))
        if not start:
            return None
        body = column(_BODIES)
        if not body and not (page_body and set(names) & {*_DATES}):
            # No header that is known says which cell names the body.
            heads = [*names, *[""] * len(cells)]
            named = (
                html.name_in(html.text_of(cell))
                for head, cell in zip(heads, cells, strict=False)
                if not _PLACE.search(head)
            )
            body = next(filter(None, named), "")
        body = body or page_body
        links = [url for node in row.css("a") for url in html.targets(node, base)]
        return self.meeting(
            body,
            start,
            self._offers(row, cells, names, base),
            vendor_id=_meeting_id(links),
            body=naming.body_of_meeting(body),
            notice=html.text_of(row),
            source_url=next((link for link in links if "MeetingDetail" in link), base),
        )

    def _offers(
        self, row: LexborNode, cells: list[LexborNode], names: list[str], base: str
    ) -> list[Offer]:
        offers, variants = [], []
        for node in row.css("a"):
            for link in html.targets(node, base):
                view = parameter(link, "M").upper()
                if offer := _offer(link, ""):
                    offers.append(offer)
                elif "view.ashx" in link.lower() and view in _VARIANT_OF:
                    kind = _VARIANT_OF[view]
                    variants.append(Offer(kind.capitalize(), link, kind, view, format="html"))
        have = {offer.kind for offer in offers if not offer.packet}
        for name, cell in zip(names, cells, strict=False):
            # A town may keep them under a code of its own, or as files elsewhere.
            kind, packet = kind_of_title(name), naming.is_packet(name)
            for node in cell.css("a"):
                for link in html.targets(node, base):
                    code = parameter(link, "M").upper()
                    own = _VIEW.search(link) and code not in (*_KIND_OF_VIEW, *_VARIANT_OF)
                    if kind and kind not in have and (own or _FILE.search(link)):
                        title = html.text_of(node) or name
                        offers.append(Offer(title, link, kind, code or link, packet=packet))
        have = {offer.kind for offer in offers if not offer.packet}
        unique = {(each.kind, each.url): each for each in offers}
        return [*unique.values(), *(each for each in variants if each.kind not in have)]


def _chosen(field: str, value: str, text: str) -> dict[str, str]:
    """Return the fields of a form that choose an entry of a list."""
    state = json.dumps({"logEntries": [], "value": value, "text": text})
    return {f"{field.replace('$', '_')}_ClientState": state, field: text}


def _offer(url: str, _text: str) -> Offer | None:
    """Return what a link to View.ashx offers; variants and attachments are no offers."""
    view = parameter(url, "M").upper()
    kind = _KIND_OF_VIEW.get(view, "") if _VIEW.search(url) else ""
    title = "Agenda Packet" if view == "PA" else kind.capitalize()
    return Offer(title, url, kind, view, packet=view == "PA") if kind else None


def _is_calendar(markup: str | None) -> bool:
    return bool(re.search(r"View\.ashx\?M=|MeetingDetail\.aspx\?", markup or "", re.IGNORECASE))


def _meeting_id(links: list[str]) -> str:
    """Return the meeting's own id: of its page, else of its calendar entry, else of a document."""
    for wanted in (r"MeetingDetail\.aspx", r"View\.ashx\?.*M=IC", r"View\.ashx"):
        for link in links:
            if re.search(wanted, link, re.IGNORECASE):
                number = parameter(link, "ID") or parameter(link, "LEGID")
                if number:
                    return number
    return ""


class LegistarSpec(FetcherSpec):
    """Knows the calendar by its table and its links, and no page for signing in by its host."""

    def matches(self, url: str) -> bool:
        """Whether a URL looks like a calendar."""
        return super().matches(url) and "signin" not in urlsplit(url).path.lower()

    def recognises(self, markup: str) -> bool:
        """Whether a page links documents of meetings, or has the table and links their pages."""
        if re.search(r"View\.ashx\?M=(?:A|M|AADA|MADA|PA|IC)&", markup, re.IGNORECASE):
            return True
        return "rgMasterTable" in markup and _is_calendar(markup)


SPEC = LegistarSpec(
    "legistar",
    Legistar,
    hosts=("legistar.com",),
    url_patterns=(r"(?<!/Citizens)/(?:Calendar|DepartmentDetail|MeetingDetail)\.aspx",),
    missing="towns that hide the year list",
    help="Legistar's calendar: https://TOWN.legistar.com/Calendar.aspx",
    document_links=(r"View\.ashx\?M=[AM]&(?:amp;)?ID=[0-9]+",),
)
