"""Simbli / eBoardSolutions (school boards): a service that scripts of the listing page ask.

Behind a protection that sometimes shows a challenge instead; then the site is blocked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from clerk.core.storage import AGENDAS, MINUTES
from clerk.fetch.base import FetcherSpec, MeetingRef, Window
from clerk.fetch.http.responses import PageMissing

from .common import Offer, PlatformFetcher, iso_moment, parameter, records_of

_PER_PAGE = 100
_MOST_PAGES = 200


class Simbli(PlatformFetcher):
    """Lists the meetings of one school."""

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield the meetings, the latest first, page by page."""
        school = parameter(self.source, "S")
        try:
            listing = f"{self.root}/SB_Meetings/SB_MeetingListing.aspx?S={school}"
            text = self.client.page(listing).text
        except PageMissing:
            text = ""
        seen: set[str] = set()
        for number in range(_MOST_PAGES):
            request = {
                "ListingType": "0",
                "TimeZone": "-60",
                "CustomSort": 0,
                "SortColName": "DateTime",
                "IsSortDesc": True,
                "RecordStart": number * _PER_PAGE,
                "RecordCount": _PER_PAGE,
                "FilterExp": "",
                "ParentGroup": None,
                "IsUserLoggedIn": False,
                "UserID": "",
                "UserRole": None,
                "EncUserId": None,
                "Id": 0,
                "SchoolID": school,
                "ConnectionString": _variable(text, "constr"),
                "SecurityToken": _variable(text, "sToken"),
                "CreatedOn": "0001-01-01T00:00:00",
                "CreatedBy": None,
                "ModifiedOn": "0001-01-01T00:00:00",
                "ModifiedBy": None,
                "DeletedBy": None,
                "DeletedOnUTC": None,
                "IsDeleted": False,
            }
            page = self.client.page(
                f"{self.root}/Services/api/GetMeetingListing", method="POST", json=request
            )
            records = records_of(page)
            meetings = list(self.understood(records, lambda each: self._meeting(each, school)))
            fresh = [each for each in meetings if each.vendor_id not in seen]
            seen.update(each.vendor_id for each in fresh)
            yield from fresh
            past = [each for each in fresh if each.day and each.day < window.start]
            if not fresh or past or len(records) < _PER_PAGE:
                return

    def _meeting(self, record: dict[str, Any], school: str) -> MeetingRef:
        number = str(record["Master_MeetingID"])
        url = f"{self.root}/SB_Meetings/ViewMeeting.aspx?S={school}&MID={number}"
        offers = [Offer("Agenda", url, AGENDAS, "agenda", format="html")]
        if str(record.get("MinutesStatus") or "").upper() == "PUBLISHED":
            minutes = f"{url}&Tab=Minutes"
            offers.append(Offer("Minutes", minutes, MINUTES, "minutes", format="html"))
        title = (record.get("MM_MeetingTitle") or record.get("ML_TypeTitle") or "").strip()
        return self.meeting(
            title, iso_moment(record.get("MM_DateTime")), offers, vendor_id=number, source_url=url
        )


def _variable(text: str, name: str) -> str:
    match = re.search(rf"\b{name}\s*=\s*['\"]([^'\"]*)['\"]", text)
    return match[1] if match else ""


SPEC = FetcherSpec(
    "simbli",
    Simbli,
    hosts=("simbli.eboardsolutions.com",),
    missing="often behind a challenge page: then 'blocked'. Pages are filled by scripts: they "
    "need a browser",
    help="Simbli: https://simbli.eboardsolutions.com/SB_Meetings/SB_MeetingListing.aspx?S=SCHOOL",
)
