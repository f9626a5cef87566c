"""What the fetchers of meeting platforms have in common."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, TypeVar
from urllib.parse import parse_qs, urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from clerk.core.errors import SourceBlocked, SourceUnavailable
from clerk.core.storage import AGENDAS
from clerk.fetch import html, naming
from clerk.fetch.base import (
    UNDATED,
    Context,
    DocumentRef,
    Fetcher,
    MeetingRef,
    Problem,
    Window,
)
from clerk.fetch.http.responses import ApiError, CircuitOpen, WebPage

Record = TypeVar("Record")

#: A full sweep backwards through the years ends after this many without meetings, once there were
#: some: a town may have left the platform years ago.
EMPTY_YEARS = 3
#: The day in a cell of a month's calendar: "3", "Mo 3", "Mi., 03.".
_DAY_CELL = re.compile(r"(?:[^\W\d_]{2,10}[.,]*\s*)?([0-3]?[0-9])\.?")
_TIME = re.compile(r"([0-9]{1,2}):([0-9]{2})(?::[0-9]{2})?\s*(?:([ap])\.?\s*m)?", re.IGNORECASE)


@dataclass(frozen=True)
class Offer:
    """A document as a platform's page names it; the kind is found in the title if not given."""

    title: str
    url: str
    kind: str = ""
    vendor_id: str = ""
    version_hint: str = ""
    #: Whether it is an agenda with all its attachments, where the title does not say it.
    packet: bool = False
    #: Whether it is neither minutes nor agenda, whatever its title says.
    attachment: bool = False
    #: ``html`` if the document is a page.
    format: str = ""
    method: str = "GET"
    body: str = ""
    request_url: str = ""


class PlatformFetcher(Fetcher):
    """A fetcher of a portal at one URL."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        source = self.settings.source.strip()
        self.source = source if re.match(r"https?://", source, re.I) else f"https://{source}"
        parts = urlsplit(self.source)
        self.host = parts.hostname or ""
        self.root = f"{parts.scheme}://{parts.netloc}"

    def meeting(
        self,
        title: str,
        start: datetime | None,
        offers: Iterable[Offer] = (),
        *,
        source_url: str,
        vendor_id: str = "",
        body: str = "",
        notice: str = "",
    ) -> MeetingRef:
        """Return a meeting with the minutes and agendas among the offers.

        The body is found in the title if not given.  ``notice`` is the text that may say that the
        meeting is cancelled; if not given, that is the title.
        """
        return MeetingRef(
            vendor_id=vendor_id,
            body=body or naming.body_of_meeting(title) or title,
            title=title,
            start_local=start,
            tz=self.settings.tz,
            status="cancelled" if naming.is_cancelled(notice or title) else "",
            source_url=source_url,
            # "Regular Meeting" says nothing about whose it is.
            guessed=frozenset() if body or naming.names_body(title) else frozenset(["body"]),
            documents=self.documents(offers, f"{title} {start.date() if start else ''}".strip()),
        )

    def documents(self, offers: Iterable[Offer], what: str) -> tuple[DocumentRef, ...]:
        """Return the minutes and agendas among the offers; the rest is skipped by name.

        A packet counts only if it is wanted or is the only one of its kind; what is neither minutes
        nor agenda is an attachment, if those are wanted.  A platform may give the same id to two
        documents: the second one gets a number.
        """
        sorted_out = [
            (
                offer,
                "" if offer.attachment else offer.kind or kind_of_title(offer.title),
                offer.packet or naming.is_packet(offer.title),
            )
            for offer in offers
        ]
        bare = {kind for _, kind, packet in sorted_out if not packet}
        times_seen: dict[tuple[str, str], int] = {}
        found = []
        for offer, kind, packet in sorted_out:
            if not kind and not self.settings.attachments:
                why = "an attachment" if offer.attachment else "neither minutes nor agenda"
                self.skip(f"{what}: {offer.title or offer.url}", why, offer.url)
            elif kind and packet and kind in bare and not self.settings.packets:
                bare_one = "agenda" if kind == AGENDAS else kind
                why = f"a packet in addition to the {bare_one}"
                self.skip(f"{what}: {offer.title}", why, offer.url)
            else:
                number = times_seen.get((kind, offer.vendor_id), 0) + 1
                times_seen[kind, offer.vendor_id] = number
                vendor_id = naming.numbered(offer.vendor_id, number) if offer.vendor_id else ""
                found.append(
                    DocumentRef(
                        kind or AGENDAS,
                        offer.url,
                        vendor_id if kind or not vendor_id else f"attached {vendor_id}",
                        title=offer.title,
                        version_hint=offer.version_hint,
                        format=offer.format,
                        method=offer.method,
                        body=offer.body,
                        request_url=offer.request_url,
                        attachment=not kind,
                    )
                )
        return tuple(found)

    def read(self, url: str, **options: Any) -> WebPage | None:
        """Return a page, or None if it is missing or the host fails; the report has the reason.

        For pages that are not the only ones: what the others list is worth having.
        """
        try:
            return self.client.page(url, **options)
        except (CircuitOpen, SourceBlocked):
            raise
        except SourceUnavailable as error:
            self.report.complete = False
            self.report.errors.append(Problem(url, str(error), type(error).__name__))
            return None

    def understood(
        self, records: Iterable[Record], meeting: Callable[[Record], MeetingRef | None]
    ) -> Iterator[MeetingRef]:
        """Yield the meetings that records describe; an odd record is reported and skipped."""
        for record in records:
            try:
                found = meeting(record)
            except (AttributeError, KeyError, IndexError, TypeError, ValueError) as error:
                shown = record if isinstance(record, dict) else str(record)
                what = f"one record of {self.source}: {str(shown)[:200]}"
                self.report.errors.append(Problem(what, repr(error), "OddRecord"))
            else:
                if found:
                    yield found

    def skip_undated(self, what: str, url: str) -> None:
        """Record a document without a date; it does not count as understood."""
        self.report.skipped.append(Problem(what, "no date next to the link", UNDATED, url))

    def beside_dates(
        self,
        page: WebPage,
        pattern: re.Pattern[str],
        offer_of: Callable[[str, str], Offer | None],
        listed: Iterable[MeetingRef] = (),
        *,
        day_first: bool = False,
    ) -> Iterator[MeetingRef]:
        """Yield the meetings of documents that a page links and that were not listed.

        For layouts that nobody has seen: the smallest element around a link that holds a date is
        the row of its meeting.  ``offer_of`` makes an offer of an address and the link's text.
        """
        known = {ref.url for meeting in listed for ref in meeting.documents}
        known |= {problem.url for problem in self.report.skipped}
        dated = html.DatedPage(page.text, page.url, day_first=day_first)
        rows: dict[tuple[int, date], tuple[LexborNode, datetime, dict[str, Offer]]] = {}
        undated: dict[str, str] = {}
        for node, url in dated.links(pattern):
            offer = offer_of(url, html.text_of(node))
            if offer is None or offer.url in known or url in known:
                continue
            found = dated.dated_row(node)
            if found is None:
                undated.setdefault(url, f"{offer.title} ({url})")
                continue
            # Its first row is its own; a table may repeat it, as for telephones.
            known.add(url)
            start = datetime.combine(found.day, time_in(found.rest[:60]) or time())
            key = found.row.mem_id, found.day
            rows.setdefault(key, (found.row, start, {}))[2].setdefault(url, offer)
        for url, what in undated.items():
            if url not in known:
                self.skip_undated(what, url)
        above = html.titles_above(dated.tree) if rows else {}
        for row, start, offers in rows.values():
            name = html.name_of_row(row, dated)
            links = [each for each in row.css("a") if each.mem_id in above]
            titles = above[links[0].mem_id] if links else ()
            if not naming.BODY_WORD.search(name):
                name = next(filter(naming.BODY_WORD.search, titles), "") or name
            yield self.meeting(
                name or naming.UNNAMED_BODY,
                start,
                offers.values(),
                notice=dated.text(row)[:300],
                source_url=page.url,
            )

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield the meetings of each year, the latest first, until the years are empty.

        Years before the first meeting that is found do not count: a calendar may not reach the
        years to come, and a town may have left the platform.
        """
        empty_years, found = 0, False
        for year in window.years:
            first, last = date(year, 1, 1), date(year, 12, 31)
            part = Window(max(window.start, first), min(window.end, last), window.full)
            meetings = list(self.meetings_of_year(part))
            yield from meetings
            found = found or bool(meetings)
            if found:
                empty_years = 0 if meetings else empty_years + 1
            if empty_years == EMPTY_YEARS:
                return

    def meetings_of_year(self, part: Window) -> Iterator[MeetingRef]:
        """Yield the meetings of the part of one year that the window covers."""
        raise NotImplementedError


class WithAttachments(PlatformFetcher):
    """A fetcher that asks each meeting for what is attached to its items, if that is wanted."""

    @property
    def asks_each_meeting(self) -> bool:
        """Whether attachments are wanted; agenda and minutes are in the list of meetings."""
        return self.settings.attachments

    def list_documents(self, meeting: MeetingRef) -> Iterator[DocumentRef]:
        """Yield the agenda and the minutes, and the attachments if those are wanted."""
        yield from meeting.documents
        if self.settings.attachments:
            offers = {offer.url: offer for offer in self.attachments_of(meeting)}
            known = {document.url for document in meeting.documents}
            attached = [
                replace(offer, attachment=True) for url, offer in offers.items() if url not in known
            ]
            yield from self.documents(attached, f"{meeting.body} {meeting.day or ''}")

    def attachments_of(self, meeting: MeetingRef) -> Iterator[Offer]:
        """Yield what is attached to the items of a meeting's agenda."""
        raise NotImplementedError

    def links_of(self, page: WebPage, pattern: re.Pattern[str]) -> dict[str, str]:
        """Return the addresses like this that a page links, each with what its links say."""
        found: dict[str, str] = {}
        for node in html.parsed(page.text).css("a[href]"):
            url = html.href_of(node, page.url)
            if pattern.search(url):
                found[url] = found.get(url) or html.text_of(node)
        return found


_NOTICE = re.compile(r"\bnotices?\b|\bcancell?ation\b", re.IGNORECASE)
_NAMED = re.compile(r"agenda|minutes|packet|journal|acta|orden del", re.IGNORECASE)
#: What is attached to an agenda: "Agenda Item 7", "Agenda Attachment", "2. Approval of minutes".
ITEM_OF_AGENDA = re.compile(
    r"\bagenda[ _-]+(?:item|attachment)s?(?![^\W\d_])|"
    r"\bapprov(?:e|al)(?: of)?(?: the)?(?: previous)? minutes\b",
    re.IGNORECASE,
)
_BEGINS_WITH_ITEM = re.compile(r"\W*item\W*#?[0-9]", re.IGNORECASE)
_INDEX = re.compile(r"\W*index (?:of|to)\b", re.IGNORECASE)
_SUMMARY = re.compile(r"\bsummar(?:y|ies)\b", re.IGNORECASE)
_OF_MEETING = re.compile(
    rf"{naming.BODY_WORD.pattern}|meeting|session|action|decision|vote|final|draft|approved|pdf",
    re.IGNORECASE,
)
_NUMBERED_ITEM = re.compile(r"\bagenda[ _-]+items?[ _-]*#?[0-9]", re.IGNORECASE)


def kind_of_title(title: str) -> str:
    """Return minutes or agendas; a notice that a meeting takes place, or does not, is neither.

    Nor is an item of an agenda, as in "Agenda 5.24 Agenda Item 2".
    """
    bare = ITEM_OF_AGENDA.sub(" ", title)
    if _BEGINS_WITH_ITEM.match(title) or _INDEX.match(title):
        return ""
    if _NOTICE.search(bare) and not _NAMED.search(bare):
        return ""
    kind = naming.find_kind(bare) or ""
    if match := _SUMMARY.search(bare):
        # One of a meeting, and not of a budget or a study.
        rest = naming.without_dates(f"{bare[: match.start()]} {bare[match.end() :]}")
        if len(re.findall(r"[^\W\d_]{3,}", rest)) and not _OF_MEETING.search(rest):
            kind = naming.find_kind(rest) or ""
    return "" if kind == AGENDAS and _NUMBERED_ITEM.search(title) else kind


def moment(*texts: str) -> datetime | None:
    """Return the date in the texts, with the time of day if there is one."""
    text = " ".join(texts)
    day = naming.find_date(text)
    if not day:
        return None
    return datetime.combine(day, time_in(text) or time())


def time_in(text: str) -> time | None:
    """Return the first time of day in a text."""
    for match in _TIME.finditer(text):
        hour, minute = int(match[1]), int(match[2])
        if match[3]:
            hour = hour % 12 + (12 if match[3].lower() == "p" else 0)
        if hour < 24 and minute < 60:
            return time(hour, minute)
    return None


def months_of(window: Window) -> Iterator[date]:
    """Yield the first day of each month that the window touches, the latest first."""
    month = window.end.replace(day=1)
    while month >= window.start.replace(day=1):
        yield month
        month = (month - timedelta(days=1)).replace(day=1)


def days_of_calendar(tree: LexborHTMLParser, month: date) -> dict[int, date]:
    """Return the day of each row in the calendar of a month, by the row's number in memory.

    The number of the day is in the first cells; a row without it is of the day of the row before.
    """
    days: dict[int, date] = {}
    day: date | None = None
    for row in tree.css("tr"):
        for cell in row.css("td, th")[:2]:
            if number := _DAY_CELL.fullmatch(html.text_of(cell)):
                with contextlib.suppress(ValueError):
                    day = month.replace(day=int(number[1]))
        if day:
            days[row.mem_id] = day
    return days


def records_of(page: WebPage, *keys: str) -> list[dict[str, Any]]:
    """Return the list of records in an answer of an API, below these keys.

    Anything else is an error of the API: an object with a message, a text, a page.
    """
    answer = page.json()
    for key in keys:
        if not isinstance(answer, dict) or key not in answer:
            raise ApiError(page, f"a JSON object with {key!r}")
        answer = answer[key]
    if not isinstance(answer, list):
        raise ApiError(page, "a list of records")
    return [each for each in answer if isinstance(each, dict)]


def iso_moment(text: str | None) -> datetime | None:
    """Return a time of an API as local time: a Z at the end cannot be trusted."""
    if match := re.fullmatch(r"/Date\((-?[0-9]+)(?:([+-][0-9]{2})([0-9]{2}))?\)/", text or ""):
        hours, minutes = int(match[2] or 0), int(match[3] or 0)
        offset = timedelta(hours=hours, minutes=minutes if hours >= 0 else -minutes)
        return (datetime.fromtimestamp(int(match[1]) / 1000, UTC) + offset).replace(tzinfo=None)
    try:
        return datetime.fromisoformat((text or "").replace("/", "-")).replace(tzinfo=None)
    except ValueError:
        return moment(text or "")


def parameter(url: str, name: str) -> str:
    """Return a parameter of a URL, without regard to the case of its name."""
    values = {key.lower(): value for key, value in parse_qs(urlsplit(url).query).items()}
    return values.get(name.lower(), [""])[0]
