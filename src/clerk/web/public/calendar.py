"""The meetings of a place, month by month."""

from __future__ import annotations

import calendar as calendars
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from starlette.requests import Request
from starlette.responses import Response

from clerk.core.clock import utc_now
from clerk.core.errors import InvalidInput
from clerk.core.language import Message
from clerk.search import listing
from clerk.site_db.queries import DatedMeeting, open_site
from clerk.web.parameters import optional_date
from clerk.web.rendering import page, settings_of

from .places import choose_place

YEARS = range(1600, 2200)


@dataclass(frozen=True)
class CalendarDay:
    """A day of the calendar; days of the months around it are not shown."""

    day: date
    is_of_month: bool
    is_today: bool
    meetings: Sequence[DatedMeeting]


def calendar_of_all(request: Request) -> Response:
    """Show the places to choose from, or redirect to the only one."""
    places = listing.places(settings_of(request).storage_dir)
    return choose_place(request, places, "calendar", "/calendar/")


def calendar(request: Request) -> Response:
    """Show a month of a place: this one if it has meetings, else the last that has."""
    subdomain = request.path_params["site"]
    asked = optional_date(request, "month")
    with open_site(settings_of(request).storage_dir, subdomain) as site:
        today = utc_now().date()
        month = asked or today.strftime("%Y-%m")
        if len(month) != 7 or not ("01" <= month[5:] <= "12" and int(month[:4]) in YEARS):
            raise InvalidInput(
                Message("month must be a month as in 2024-01, not %(value)s.", value=repr(month))
            )
        meetings = site.month(month)
        before, after = site.months_around(month)
        if not asked and not meetings and (before or after):
            month = before or after or month
            meetings = site.month(month)
            before, after = site.months_around(month)
    of_day: dict[str, list[DatedMeeting]] = {}
    for each in meetings:
        of_day.setdefault(each.date[:10], []).append(each)
    weeks = [
        [
            CalendarDay(
                day, day.month == int(month[5:]), day == today, of_day.get(day.isoformat(), [])
            )
            for day in week
        ]
        for week in calendars.Calendar().monthdatescalendar(int(month[:4]), int(month[5:]))
    ]
    return page(
        request,
        "public/calendar.html",
        site=subdomain,
        name=site.name,
        month=month,
        weeks=weeks,
        number=len(meetings),
        before=before,
        after=after,
    )
