"""Which meetings a site holds, and which documents are about each, looked up once per build."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from operator import itemgetter

from clerk.site_db.queries import SiteDatabase

#: A body, None if it is not known, and a date.
Meeting = tuple[str | None, str]


@dataclass
class HeldMeetings:
    """The meetings of a site: those of documents, and of minutes in the packet of a later one."""

    #: Names of the documents of a meeting.
    documents: dict[Meeting, list[str]] = field(default_factory=dict)
    #: Names and first pages of minutes that are parts of other documents.
    parts: dict[Meeting, list[tuple[str, tuple[int, int]]]] = field(default_factory=dict)
    #: Names of all documents with a page about a meeting.
    telling: dict[Meeting, list[str]] = field(default_factory=dict)
    #: All bodies of which anything is held.
    bodies: list[str | None] = field(default_factory=list)

    @classmethod
    def of(cls, db: SiteDatabase) -> HeldMeetings:
        """Look up the meetings of a site."""
        held, bodies, placed = cls(), set[str | None](), dict[str, Meeting]()
        for name, body, date in db.rows(
            "SELECT name, meeting, date FROM documents ORDER BY kind, name"
        ):
            bodies.add(body)
            if date:
                placed[name] = (body, date)
                held.documents.setdefault((body, date), []).append(name)
                held.telling.setdefault((body, date), []).append(name)
        for name, page, character, body, date, is_held in db.rows(
            """SELECT document, first_page, first_character, meeting, date,
                      kind = 'minutes' AND NOT of_other_place
               FROM parts ORDER BY document, first_page, first_character"""
        ):
            if is_held:
                bodies.add(body)
            if not date or placed.get(name) == (body, date):
                continue
            telling = held.telling.setdefault((body, date), [])
            if name not in telling[-1:]:
                telling.append(name)
            if is_held:
                held.parts.setdefault((body, date), []).append((name, (page, character)))
        held.bodies = sorted(bodies, key=lambda body: (body is None, body or ""))
        return held

    @cached_property
    def meetings(self) -> set[Meeting]:
        """All meetings of which anything is held."""
        return self.documents.keys() | self.parts.keys()

    @cached_property
    def dates(self) -> dict[str | None, list[str]]:
        """The dates of each body's meetings, in order."""
        found: dict[str | None, list[str]] = {}
        for body, date in self.meetings:
            found.setdefault(body, []).append(date)
        return {body: sorted(dates) for body, dates in found.items()}

    def years(self, body: str | None) -> list[str]:
        """Return the years of a body's meetings, the latest first."""
        return sorted({date[:4] for date in self.dates.get(body, ())}, reverse=True)

    def all_years(self) -> list[str]:
        """Return the years of all meetings, the latest first."""
        return sorted({date[:4] for _, date in self.meetings}, reverse=True)

    def neighbours(self, body: str | None, date: str) -> tuple[str | None, str | None]:
        """Return the dates of the meetings before and after."""
        dates = self.dates.get(body, [])
        at = bisect_left(dates, date)
        rest = dates[at + 1 :] if dates[at : at + 1] == [date] else dates[at:]
        return (dates[at - 1] if at else None), (rest[0] if rest else None)

    def latest(self, limit: int, body: str | None = "") -> list[Meeting]:
        """Return the latest meetings, of all bodies or of one."""
        if body != "":
            return [(body, date) for date in self.dates.get(body, [])[: -limit - 1 : -1]]
        return self._by_date[:limit]

    @cached_property
    def _by_date(self) -> list[Meeting]:
        """All meetings, the latest first."""
        by_body = sorted(self.meetings, key=lambda each: (each[0] is None, each[0] or ""))
        return sorted(by_body, key=itemgetter(1), reverse=True)

    def moved(self, before: HeldMeetings, bodies: Iterable[str | None]) -> set[Meeting]:
        """Return the meetings whose neighbours were others before, of some bodies."""
        found: set[Meeting] = set()
        for body in bodies:
            now = self.dates.get(body, [])
            # Only next to a meeting that came or went.
            for date in {*now}.symmetric_difference(before.dates.get(body, [])):
                beside = (*self.neighbours(body, date), *before.neighbours(body, date))
                found.update((body, each) for each in (date, *beside) if each)
        return found & self.meetings
