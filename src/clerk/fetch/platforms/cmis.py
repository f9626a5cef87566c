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
#: How far from today the year of a day is looked for.
_YEARS_AROUND = 4


class Cmis(PlatformFetcher):
    """Lists the meetings of the calendar, and reads the page of each."""

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield the meetings of the month shown, and those that their documents are about."""
        page = self.client.page(self.source)
        tree = html.parsed(page.text)
        rows = tree.css("tr.rgRow, tr.rgAltRow")
        if not tree.css_first("td.SimpleCalendarDate, p.Meeting"):
            raise NotUnderstood(page, "a calendar of days (td.SimpleCalendarDate)")
        for row in rows:
            day = self._day(html.text_of(row.css_first("td.SimpleCalendarDate")))
            for node in row.css("p.Meeting a[href]"):
                url, said = html.href_of(node, page.url), html.text_of(node)
                number = _MEETING.search(url)
                clock = time_in(said)
                name = re.sub(r"^[0-9]{1,2}[:.][0-9]{2}\s*", "", said)
                if not day or not number:
                    self.skip(f"{said} ({url})", "no date or number", url)
                    continue
                start = datetime.combine(day, clock or time())
                yield from self._meetings(name, start, number[1], url)

    def _day(self, text: str) -> date | None:
        """Return "Monday, 8 June" as the nearest such day: the weekday tells the year."""
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
        for node in html.parsed(page.text).css("ol.DocumentList a[href]") if page else []:
            title, link = html.text_of(node), html.href_of(node, page.url if page else url)
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
    help="CMIS: https://COUNCIL.cmis.uk.com/COUNCIL/Meetings.aspx",
    page_marks=(r"SimpleCalendarDate", r"ModCMISMeetings"),
)
