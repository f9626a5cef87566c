"""ALLRIS (Germany, CC e-gov): version 4 without suffixes, version 3 with ``.asp``.

The agenda of a meeting is its page ``to010?SILFDNR=N``; minutes are linked there, or next to the
meeting in the calendar.  The calendar of version 4 is filled by scripts, so its committees are
asked one by one (``gr010``, ``si018``); that of version 3 is a page a month, with the number of the
day in a cell, and a town may publish any one of several (``si010_e.asp``, ``si010_r.asp`` ...).
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from datetime import date, datetime, time
from urllib.parse import urlencode

from selectolax.lexbor import LexborNode

from clerk.core.storage import AGENDAS, MINUTES
from clerk.fetch import html, naming
from clerk.fetch.base import DocumentRef, FetcherSpec, MeetingRef, Window
from clerk.fetch.http.responses import NotUnderstood, PageMissing, WebPage

from .common import Offer, PlatformFetcher, days_of_calendar, months_of, parameter, time_in

_MEETING = re.compile(r"/to010(?:_\w+)?(?:\.asp)?\?.*SILFDNR=[0-9]+", re.IGNORECASE)
_COMMITTEE = re.compile(r"/(?:gr020|si018)(?:\.asp)?\?.*GRLFDNR=[0-9]+", re.IGNORECASE)
_MINUTES = re.compile(r"niederschrift|protokoll", re.IGNORECASE)
#: Pages of items, papers and committees, which are called by the minutes that they are about.
_OTHER_PAGE = re.compile(
    r"/(?!do0|si016)[a-z]{2}0[0-9]{2}(?:_\w+)?(?:\.asp)?(?:\?|$)", re.IGNORECASE
)
_CALENDAR = re.compile(r"\bsi010(?:_[a-z])?\.asp", re.IGNORECASE)
_CALENDARS = ("si010_e.asp", "si010_j.asp", "si010.asp", "si010_r.asp")
_REFUSED = "Zugriff verweigert"
_EMPTY_MONTHS = 12
#: "Öffentliche Sitzung des Sportausschusses": a meeting of the Sportausschuss.
_SITTING = re.compile(r"^.*?\b(?:Sitzung|Versammlung) (?:des|der)\s+", re.IGNORECASE)
_GENITIVE = re.compile(r"^(\w*(?:ausschuss|rat|tag|verband|vorstand|senat))e?s\b", re.IGNORECASE)


class Allris(PlatformFetcher):
    """Lists meetings by committee or by month."""

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield the meetings of the window."""
        base = re.sub(r"/[a-z]{2}[0-9]{3}\w*(?:\.asp)?(?:\?.*)?$|/$", "", self.source, flags=re.I)
        first = self.client.page(self.source)
        #: Minutes that the calendar links, by the number of the meeting.
        self._minutes: dict[str, Offer] = {}
        seen: set[str] = set()

        def unseen(meetings: Iterator[MeetingRef]) -> Iterator[MeetingRef]:
            for meeting in meetings:
                if meeting.vendor_id not in seen and window.covers(meeting.day):
                    seen.add(meeting.vendor_id)
                    yield meeting

        if ".asp" in f"{self.source}{first.text}".lower():
            yield from unseen(self._meetings_of_months(base, first, window))
        else:
            yield from unseen(self._meetings(first, ""))
            yield from unseen(self._meetings_of_committees(base))
        if not seen:
            raise NotUnderstood(first, "links to meetings (to010?SILFDNR=)")

    def _meetings_of_months(
        self, base: str, first: WebPage, window: Window
    ) -> Iterator[MeetingRef]:
        base = re.sub(r"/[^/]*\.asp.*$", "", base)
        calendar = self._public_calendar(base, f"{self.source} {first.text}")
        empty = 0
        for month in months_of(window):
            page = self.read(f"{base}/{calendar}?MM={month.month}&YY={month.year}")
            if page is None:
                return
            meetings = list(self._meetings(page, "", month))
            yield from meetings
            if month < self.today.replace(day=1):
                empty = 0 if meetings else empty + 1
            if empty == _EMPTY_MONTHS:
                return

    def _public_calendar(self, base: str, menu: str) -> str:
        """Return the calendar that the town opens to everybody: the one in its menu, or another."""
        named: list[str] = _CALENDAR.findall(menu)
        *others, last = dict.fromkeys((*named, *_CALENDARS))
        for name in others:
            with contextlib.suppress(PageMissing):
                if _REFUSED not in self.client.page(f"{base}/{name}").text:
                    return name
        return last

    def _meetings_of_committees(self, base: str) -> Iterator[MeetingRef]:
        page = self.read(f"{base}/gr010")
        links = html.DatedPage(page.text, page.url).links(_COMMITTEE) if page else []
        names: dict[str, str] = {}
        for node, url in links:
            names.setdefault(parameter(url, "GRLFDNR"), html.text_of(node))
        for number, name in names.items():
            page = self.read(f"{base}/si018?GRLFDNR={number}")
            if page is not None:
                yield from self._meetings(page, name)

    def _meetings(
        self, page: WebPage, body: str, month: date | None = None
    ) -> Iterator[MeetingRef]:
        # Version 4 returns tables as text within XML.
        dated = html.DatedPage(
            re.sub(r"<!\[CDATA\[|\]\]>", "", page.text), page.url, day_first=True
        )
        days = days_of_calendar(dated.tree, month) if month else {}
        for node, url in dated.links(_MEETING):
            # "am Do., 01.10.2026 um 17:00 Uhr"
            names = ("data-simpletooltip-text", "title", "aria-label")
            said = " ".join(node.attributes.get(each) or "" for each in names)
            row = next((each for each in html.ancestors(node) if each.tag == "tr"), None)
            day = naming.find_date(said, day_first=True) or (days.get(row.mem_id) if row else None)
            if day is None and (found := dated.dated_row(node)):
                row, day, said = found.row, found.day, f"{said} {found.rest[:40]}"
            number = parameter(url, "SILFDNR")
            name = html.name_in(html.text_of(node))
            if not day or not name:
                self.skip_undated(f"{html.text_of(node)} ({url})", url)
                continue
            whole = dated.text(row) if row else ""
            for form in row.css("form[action]") if row else ():
                if minutes := _minutes_of_form(form, page.url):
                    self._minutes[number] = minutes
            yield self.meeting(
                name,
                datetime.combine(day, time_in(said) or time_in(whole) or time()),
                vendor_id=number,
                body=body or _body_of(name),
                notice="cancelled" if re.search(r"entfällt|abgesagt", whole, re.I) else name,
                source_url=re.sub(
                    r"\?.*", f"?SILFDNR={number}" + "&refresh=false" * (month is None), url
                ),
            )

    def list_documents(self, meeting: MeetingRef) -> Iterator[DocumentRef]:
        """Yield the agenda, which is the meeting's page, and the minutes that it links."""
        url = meeting.source_url
        offers = [Offer("Tagesordnung", url, AGENDAS, "agenda", format="html")]
        page = self.read(url)
        tree = html.parsed(page.text if page else "")
        for node in tree.css("a[href]"):
            said = f"{html.text_of(node)} {node.attributes.get('title') or ''}".strip()
            link = html.href_of(node, url)
            if link and _MINUTES.search(said) and not _OTHER_PAGE.search(link):
                # Addresses of files change with each answer.
                offers.append(Offer(said, link, MINUTES, f"minutes {html.text_of(node)}"))
        offers += filter(None, (_minutes_of_form(form, url) for form in tree.css("form[action]")))
        if len(offers) == 1 and meeting.vendor_id in self._minutes:
            offers.append(self._minutes[meeting.vendor_id])
        yield from self.documents(offers, f"{meeting.body} {meeting.day or ''}")


def _body_of(name: str) -> str:
    """Return the body of "Sitzung des Ortsrates Harber", as it calls itself."""
    return _GENITIVE.sub(r"\1", re.sub(r"\s*\(öffentlich\)$", "", _SITTING.sub("", name)))


def _minutes_of_form(form: LexborNode, base: str) -> Offer | None:
    """Return the minutes that a button leads to; its form names the document or the meeting."""
    said = " ".join(
        each.attributes.get(name) or ""
        for each in form.css("input[type=submit]")
        for name in ("title", "value")
    )
    fields = {
        each.attributes.get("name") or "": each.attributes.get("value") or ""
        for each in form.css("input[type=hidden]")
    }
    action = html.joined(base, form.attributes.get("action") or "")
    if not action or not fields or not _MINUTES.search(said) or _OTHER_PAGE.search(action):
        return None
    shown = f"{action}{'&' if '?' in action else '?'}{urlencode(fields)}"
    if "/do0" in action:
        return Offer(said.strip(), shown, MINUTES, fields.get("DOLFDNR", "minutes"))
    return Offer(
        said.strip(),
        shown,
        MINUTES,
        "minutes",
        method="POST",
        body=urlencode(fields),
        request_url=action,
    )


SPEC = FetcherSpec(
    "allris",
    Allris,
    url_patterns=(
        r"/allris(?:/|$)",
        r"/allris\.net\.asp",
        r"/(?:si010|si018|to010)(?:_\w+)?(?:\.asp)?(?:\?|$)",
    ),
    missing="one request per meeting; files of agenda items. Towns with an OParl service are "
    "better fetched by it",
    help="ALLRIS: https://HOST/allris/si010 or https://HOST/bi/si010_e.asp",
    document_links=(r"/to010(?:_\w+)?(?:\.asp)?\?[^\"'\s<>]*SILFDNR=[0-9]+",),
    page_marks=(r"(?:si010|si018|gr010|to010)(?:_\w+)?(?:\.asp)?\?[^\"']*(?:SILFDNR|GRLFDNR)=",),
)
