"""CMIS (UK, about 30 councils): ``{council}.cmis.uk.com/{council}/Meetings.aspx``.

The calendar's rows are days without a year; the documents of a meeting are on its own page.  Their
titles tell kind and date: the minutes listed there are often those of the meeting before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime, time

from clerk.fetch import html, naming
from clerk.fetch.base import FetcherSpec, MeetingRef, Window
from clerk.fetch.http.responses import NotUnderstood

from .common import Offer, PlatformFetcher, time_in

_MEETING = re.compile(r"/ViewMeetingPublic/.*?/Meeting/([0-9]+)/", re.IGNORECASE)
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_OF_ANOTHER = re.compile(r"\b(?:previous|last|preceding) meeting", re.IGNORECASE)
#: How far from today the year of a day is looked for.
_YEARS_AROUND = 4


class Cmis(PlatformFetcher):
    """Lists the meetings of the calendar, and reads the page of each."""

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield the meetings of the month shown, and those that their documents are about."""
        page = self.client.page(self.source)
        dated = html.DatedPage(page.text, page.url, day_first=True)
        links = dated.links(_MEETING)
        if not links and not dated.tree.css_first("td.SimpleCalendarDate, [class*=CMIS]"):
            raise NotUnderstood(page, "a calendar of days, or links to meetings")
        for node, url in links:
            said, number = html.text_of(node), _MEETING.search(url)
            # A calendar has days without a year; a list has whole dates next to its links.
            in_row = next((each for each in html.ancestors(node) if each.tag == "tr"), None)
            written = html.text_of(in_row.css_first("td.SimpleCalendarDate")) if in_row else ""
            day = self._day(written)
            if day is None and (found := dated.dated_row(node)):
                day = found.day
            if not day or not number:
                self.skip(f"{said} ({url})", "no date or number", url)
                continue
            start = datetime.combine(day, time_in(said) or time())
            name = naming.without_dates(said) or said
            yield from self._meetings(name, start, number[1], url)

    def _day(self, text: str) -> date | None:
        """Return "Monday, 8 June" as the nearest such day: the weekday tells the year."""
        if not text:
            return None
        weekday = next((at for at, name in enumerate(_DAYS) if name in text.lower()), None)
        this = self.today.year
        years = sorted(range(this - _YEARS_AROUND, this + 2), key=lambda year: abs(year - this))
        for year in years:
            day = naming.find_date(f"{text} {year}", day_first=True)
            if day and weekday in (None, day.weekday()):
                return day
        return None

    def _meetings(self, name: str, start: datetime, number: str, url: str) -> Iterator[MeetingRef]:
        """Yield the meeting with its documents, and others whose documents are listed with it."""
        page = self.read(url)
        of_day: dict[date, list[Offer]] = {start.date(): []}
        for node in html.parsed(page.text).css(".DocumentList a[href]") if page else []:
            title, link = html.text_of(node), html.href_of(node, page.url if page else url)
            if _OF_ANOTHER.search(title) and not naming.find_date(title, day_first=True):
                self.skip(f"{name} {start.date()}: {title}", "of another meeting, undated", link)
                continue
            day = naming.find_date(title, day_first=True) or start.date()
            offers = of_day.setdefault(day, [])
            # "Agenda Reports" is the agenda with its reports, and mostly the only one.
            offers.append(Offer(title, link, vendor_id=link))
        for day, offers in of_day.items():
            own = day == start.date()
            yield self.meeting(
                name,
                start if own else datetime.combine(day, time()),
                offers,
                vendor_id=number if own else "",
                source_url=url,
            )


SPEC = FetcherSpec(
    "cmis",
    Cmis,
    hosts=("cmis.uk.com",),
    lists_all=True,
    missing="other months than the one shown",
    help="CMIS: https://COUNCIL.cmis.uk.com/COUNCIL/Meetings.aspx",
    document_links=(r"/Document\.ashx\?[^\"'\s<>]+",),
    page_marks=(r"SimpleCalendarDate", r"ModCMISMeetings"),
)
