"""The fetcher ``plain``: a page that links to documents, an RSS or Atom feed, an iCal calendar.

A document's date is looked for in the link's text, in the file's name, and in the row or paragraph
around it; its kind there and in the heading of the page.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from urllib.parse import unquote, urlsplit

from selectolax.lexbor import LexborNode

from clerk.core.errors import SourceUnavailable
from clerk.core.storage import AGENDAS
from clerk.fetch import html, naming
from clerk.fetch.base import (
    Context,
    FetcherSpec,
    MeetingRef,
    SourceSettings,
    Window,
    canonical_url,
)
from clerk.fetch.http.responses import WebPage

from .common import ITEM_OF_AGENDA, Offer, PlatformFetcher, kind_of_title

#: Countries that write the day before the month, by the end of their host names.
_DAY_FIRST = re.compile(
    r"\.(?:au|nz|uk|ie|za|in|de|at|ch|li|lu|nl|be|fr|es|it|pt|br|mx|ar|cl|pe|se|no|dk|fi|is|pl|cz|"
    r"sk|si|hr|ro|gr|mt|wales|cymru|scot|london|cat|gal|eus|bzh|frl)$",
    re.IGNORECASE,
)
_MOST_PAGES = 50
_MOST_EVENTS = 1000
_MOST_COLUMNS = 20
_LONGEST_AROUND = 500
_LONGEST_BODY = 80
#: A notice instead of a document.
_BOTH = re.compile(r"agenda|minutes", re.IGNORECASE)
_NO_MEETING = re.compile(
    r"cancel|notice[- ]of[- ]adjourn|\bno\b.{0,60}\b(?:meetings?|for the month)\b|postponed",
    re.IGNORECASE,
)
_ATTACHMENT = re.compile(
    r"public comment|presentation|staff report|attachment|exhibit|supplement|handout|\bvideo\b|"
    r"\baudio\b|\bmap\b|\bwarrants?\b|\bcontract\b|\bagreement\b|\bordinance\b|\bresolution\b|d[ée]lib[ée]rations?\b|\bzoom\b|"
    + ITEM_OF_AGENDA.pattern,
    re.IGNORECASE,
)
_NOTICE = re.compile(r"\bnotices?\b", re.IGNORECASE)
#: A notice of anything in German, unless it says that there is a meeting.
_BEKANNTMACHUNG = re.compile(r"\bbekanntmachung(?:en)?\b", re.IGNORECASE)
_SITZUNG = re.compile(r"sitzung|tagesordnung|versammlung", re.IGNORECASE)
#: Words of a link to an agenda that do not say which one it is.
_SAY_NOTHING = frozenset(
    ("agenda", "agendas", "view", "open", "pdf", "amended", "revised", "updated", "final", "draft")
)
#: Papers of a town that are of no meeting.
_OTHER_PAPERS = re.compile(
    r"\b(?:ordinances?|resolutions?|polic(?:y|ies)|financ\w+|budgets?|audits?|reports?|forms?|"
    r"applications?|requests?|permits?|newsletters?|bids?|rfps?|contracts?|by-?laws|codes?|plans?|maps?|"
    r"transparency|elections?|ballots?|taxes|fees|standing orders|constitution|accounts|payments?|"
    r"payroll|procedures?|guidelines?|manuals?|brochures?|flyers?|surveys?|statements?|"
    r"disclosures?|charter|claims|invoices|expenditures|treasurer\S*|job|employment|legislation|"
    r"bulletins?|arr[êe]t[ée]s?|r[èe]glements?|formulaires?|presupuestos?|ordenanzas?|bolet[ií]n(?:es)?|"
    r"jaarverslag(?:en)?|begroting(?:en)?|\w*verordening(?:en)?|\w*satzung(?:en)?|\w*haushalt\w*|"
    r"\w*formulare?|\w*amtsblatt)\b",
    re.IGNORECASE,
)
_GATHERING = re.compile(r"\b(?:meeting|session|hearing|workshop|retreat)s?\b", re.IGNORECASE)
#: The sort of a meeting that is not called one: "Special (Budget)".
_SORT_ALONE = re.compile(r"\b(?:regular|special|emergency)\b(?!\s*\w)", re.IGNORECASE)
#: Bodies that govern a place.
_GOVERNING = re.compile(
    r"\b(?:(?:city|town|village|borough|county|township|parish) (?:council|commission|board(?! of))"
    r"|board of (?:supervisors|commissioners|trustees|selectmen|education|aldermen)"
    r"|select\s?board|school board|common council)\b",
    re.IGNORECASE,
)
#: What lists of meetings are called besides.
_TIMES_OF_LISTS = re.compile(
    r"\b(?:current|past|previous|prior|upcoming|recent|older?|latest|archived?|archives?|years?|regular|"
    r"special|emergency|annual|records|public|all|from|to|and|the|of|for)\b",
    re.IGNORECASE,
)
#: Those who are in a body: "Commissioner Meetings".
_MEMBERS = re.compile(r"(?:commissioner|council(?:lor|or|m[ae]n|member))s?", re.IGNORECASE)
#: The name of a body in capitals; no year, and no word that lists are called by.
_ACRONYM = re.compile(r"(?!PDF|FAQ|ADA|RFP|NEW|HOME)[A-Z]{2,5}")
#: The number of a further page of a list.
_PAGE_NUMBER = re.compile(r"[?&](?:page|paged|pg)=[0-9]+$|page/[0-9]+/?$", re.IGNORECASE)
#: Headers of columns that say whose meeting it is.
_NAME_COLUMN = re.compile(
    r"(?:meeting|body|board|committee|commission|group|name|department|organization)s?"
    r"(?:\W+(?:body|board|committee|commission|group|name|meeting|type)s?)*",
    re.IGNORECASE,
)
#: Headers of columns with a day on which something else was done: a file was put there, minutes
#: were approved, papers were due.
_OTHER_DAY_COLUMN = re.compile(
    r"\b(?:modified|posted|published|uploaded|updated|added|created|deadline|due|submi\w+)\b"
    r"|\b(?:approv|adopt)\w+ (?:date|on)\b|\bdate (?:\w+ )?(?:approv|adopt)\w+"
    r"|^\W*(?:approved|adopted|approval)\W*$",
    re.IGNORECASE,
)
#: What the link to the page of another year says, and the years in its address.
_YEAR_LINK = re.compile(
    r"(?:(?:view|see|archived?|archives?|past|previous|all|meetings?|agendas?|minutes|and|of|for|in)"
    r"\b|[\s&,:/-])*((?:19|20)[0-9]{2})"
    r"(?:(?:archived?|archives?|meetings?|agendas?|minutes|and)\b|[\s&,:/»>-])*",
    re.IGNORECASE,
)
_YEAR_IN_ADDRESS = re.compile(
    r"[?&]\w+=(?:19|20)[0-9]{2}(?![0-9])|[/_-]?(?<![0-9])(?:19|20)[0-9]{2}(?![0-9])[/_-]?"
)
_LISTS = re.compile(r"\b(?:agendas?|minutes|meetings)\b", re.IGNORECASE)
#: The beginning of a year at the end of a text.
_CUT_OFF = re.compile(r"(?<![0-9])(?:1|19|2|20|199|20[0-2])\W*$")
#: A folder of a year, which is not one of uploads by month.
_YEAR_FOLDER = re.compile(r"/((?:19|20)[0-9]{2})/(?![0-9]{2}/)")
#: A folder of one kind of documents.
_KIND_FOLDER = re.compile(
    r"(?:(?:approved|board|council|meeting|town|city|pdf)[ _-]*)*(?:agendas?|minutes)",
    re.IGNORECASE,
)
#: The end of a file's name.
_FORMAT = re.compile(r"\.(?:pdf|docx?|html?)$", re.IGNORECASE)
_ROWS = frozenset(("tr", "li", "p", "dd"))
_AROUND = _ROWS | {"article", "section"}
_HEADINGS = "h1, h2, h3, h4, h5, h6"
#: Links to documents whose names do not end in .pdf.
_DOCUMENT_LINK = re.compile(
    r"\.(?:pdf|docx?)(?:[?#]|$)|/DocumentCenter/View/|[?&]ADID=|showdocument|showpublisheddocument|"
    r"/ViewFile/|/[0-9]+-[^/?#]+/file(?:[?#]|$)|/download(?:\.(?:php|aspx|ashx))?(?:[/?]|$)|[?&]download=[0-9]|DocView\.aspx|drive\.google\.com/file/d/|"
    r"docs\.google\.com/document/d/",
    re.IGNORECASE,
)
#: Links that hand out a file, if their text says that it is an agenda or minutes.
_FILE_HANDLER = re.compile(
    r"(?:view|get|open|show|display|download)\w*(?:file|doc|attach)|\.ashx\?|/(?:documents?|files?|"
    r"attachments?|media)/[^/]*[0-9](?![^?#]*/(?:[?#]|$))|[?&](?:file|doc|document|attachment)\w*=|"
    r"\.html?(?:[?#]|$)|drive\.google\.com/open|dropbox\.com/s|1drv\.ms",
    re.IGNORECASE,
)


class PlainSettings(SourceSettings, kw_only=True):
    """What a page does not say itself, and which of its links are pages of the same kind."""

    meeting: str = ""
    kind: str = ""
    #: A regular expression: pages of the same host whose URL matches are read too.
    follow: str = ""
    #: Whether 1.2.2024 is the first of February; by the country of the host if not given.
    day_first: bool | None = None


@dataclass(frozen=True)
class Link:
    """A link with the texts around it that may describe it; ``titles`` the nearest first.

    ``day`` is that of the row or paragraph it is in, and ``kind`` what its column or its neighbours
    say; ``attachment`` means that others in its row are named and it is not.
    """

    url: str
    text: str
    around: str
    titles: tuple[str, ...] = ()
    day: date | None = None
    kind: str = ""
    attachment: bool = False
    #: Whether it is a packet, and the agenda itself is in its row.
    packet_beside_agenda: bool = False
    #: What its row says before the first link.
    lead: str = ""
    #: What the column for names says in its row.
    named: str = ""
    #: The header of its column.
    column: str = ""

    @property
    def own_texts(self) -> tuple[str, str]:
        """The texts that are about this link or its row alone."""
        return self.text, self.lead

    @property
    def file_name(self) -> str:
        """The last part of its path, readable."""
        return file_name_of(self.url)


def is_day_first(host: str) -> bool:
    """Whether 1.2.2024 is the first of February in the country of a host."""
    return bool(_DAY_FIRST.search(host))


def file_name_of(url: str) -> str:
    """Return the last part of a URL's path, readable and without what says its format."""
    name = unquote(urlsplit(url).path).rsplit("/", 1)[-1]
    return _FORMAT.sub("", name)


class PlainFetcher(PlatformFetcher):
    """Lists the documents that pages, feeds or calendars link to."""

    settings: PlainSettings
    #: Addresses of pages about one meeting, and of further pages of a list.
    event_pages = ""
    further_pages = ""
    _governing_body = ""
    #: Whose the list is that leads to the page, which may not say it again.
    _body_of_list = ""
    _day_of_page: date | None = None

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        stated = self.settings.day_first
        self.day_first = is_day_first(self.host) if stated is None else stated

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield one meeting per link to a document.

        Pages of single meetings are read for the window only, if the list says when they are.
        """
        patterns = (self.settings.follow, self.event_pages, self.further_pages)
        follow = "|".join(f"(?:{each})" for each in patterns if each)
        waiting, read = [self.source], set[str]()
        events: dict[str, date] = {}
        while waiting and len(read) < (_MOST_EVENTS if events or self.event_pages else _MOST_PAGES):
            url = waiting.pop(0)
            page = self.read(url) if read else self.client.page(url)
            if page is None:
                continue
            read |= {url, page.url}
            if self.settings.day_first is None:
                # A date like 23/1/2024 says more than the country of the host.
                said = naming.day_first_of_text(html.text_of(html.parsed(page.text).body))
                self.day_first = self.day_first if said is None else said
            self._governing_body = self._body_of_list or _governing_body(page)
            if url == self.source:
                tree = html.parsed(page.text)
                own_names = [*tree.css("h1")[:1], *tree.css("title")[:1]]
                named = tuple(html.text_of(each) for each in own_names)
                self._body_of_list = _body(Link("", "", "", named))
            is_event = url in events or bool(self.event_pages and re.search(self.event_pages, url))
            self._day_of_page = None
            if is_event:
                self._day_of_page = events.get(url) or _day_of(page, self.day_first)
            else:
                linked = self.linked_meetings(page)
                waiting += [
                    each
                    for each, day in linked.items()
                    if each not in events and (window.full or window.covers(day))
                ]
                events |= linked
            links = _links(page, day_first=self.day_first, follow=follow)
            archives = pages_of_years(links, self.host)
            for link in links:
                same_host = (urlsplit(link.url).hostname or "") == self.host
                further = _PAGE_NUMBER.sub("", link.url) == _PAGE_NUMBER.sub("", self.source)
                year = year_of_page(link.url, link.text, self.source) or archives.get(link.url, 0)
                if (
                    year
                    or (follow and same_host and re.search(follow, link.url))
                    or (further and _PAGE_NUMBER.search(link.url))
                ):
                    known = link.url in read or link.url in waiting
                    # Where meetings have pages of their own, only those of the window are read.
                    wanted = window.full or window.covers(link.day)
                    if year and events and not window.full:
                        wanted = year >= window.start.year
                    if not known and not is_event and wanted:
                        waiting.append(link.url)
                elif leads_to_document(link.url, link.text) and (meeting := self._meeting(link)):
                    yield meeting

    def linked_meetings(self, page: WebPage) -> dict[str, date]:
        """Return the addresses of pages about one meeting that a list links, with their days."""
        return {}

    def _meeting(self, link: Link) -> MeetingRef | None:
        """Return a meeting with one document, or None for what is neither minutes nor agenda."""
        day_first = self.day_first
        own = next(iter(dict(naming.find_dates(link.text, day_first=day_first))), None)
        of_file = naming.find_date(link.file_name, day_first=day_first)
        of_title = _day_of_title(link.titles, day_first)
        if of_file and _CUT_OFF.search(link.text):
            # A text that was cut off, like "May 20, 201", is completed by the file's name.
            same_year = naming.date_below([str(of_file.year)], link.text, day_first=day_first)
            own = of_file if same_year == of_file else own
        if of_file and of_file == link.day:
            # A text that was copied from another row may say the day of that one.
            own = of_file
        titles = (link.lead, link.column, *link.titles, *_YEAR_FOLDER.findall(link.url))
        below = next(
            (
                found
                for text in (link.text, link.lead, link.file_name)
                if (found := naming.date_below(titles, text, day_first=day_first))
            ),
            None,
        )
        if re.fullmatch(r"[0-9]{1,2}(?:st|nd|rd|th)?", link.text):
            # A link that says only the day is of the month and the year it stands below.
            own = own or below
        day = own or link.day or of_title or of_file or below or self._day_of_page
        shown = f"{link.text} ({link.url})"
        said = kind_of_title(link.text) or link.kind
        notice = _BEKANNTMACHUNG.sub(" ", link.text)
        is_other_notice = (
            notice != link.text and html.name_in(notice) and not _SITZUNG.search(notice)
        )
        if is_other_notice or (not said and _NOTICE.search(link.text)):
            self.skip(shown, "a notice", link.url)
            return None
        # Among links that say what they are, one that does not is known by a dated file name only.
        by_file = kind_of_title(link.file_name) if of_file or not link.attachment else ""
        kind = said or by_file
        named = re.search(r"agenda|minutes|packet", f"{link.text} {link.file_name}", re.IGNORECASE)
        if not named and _NO_MEETING.search(f"{link.text} {link.around} {link.file_name}"):
            self.skip(shown, "a notice that there is no meeting", link.url)
            return None
        attached = bool(_ATTACHMENT.search(link.text)) and not kind_of_title(link.text)
        # What says a day and only that there was a meeting is no part of the entry before it.
        is_entry = bool(own) and _says_nothing_but_a_meeting(link.text)
        attached = attached or (not kind and link.attachment and not is_entry)
        if attached and not (day and self.settings.attachments):
            self.skip(shown, "an attachment", link.url)
            return None
        if link.packet_beside_agenda and not self.settings.packets:
            self.skip(shown, "a packet in addition to the agenda", link.url)
            return None
        months = (link.text, link.file_name, link.around)
        month = next((m for text in months if (m := naming.find_month(text))), "")
        month = month or naming.month_below(link.titles, link.text)
        kind = kind or kind_of_title(link.around) or (_kind_by_titles(link) if day or month else "")
        if not kind and day and not _is_of_no_meeting(f"{link.lead} {link.text}"):
            kind = _kind_of_folder(link.url, self.source)
        # Without a date "Current Agenda" may be a document, and "How to read an agenda" is none.
        says_little = len(html.name_in(link.text).split()) < 3
        if not day and not (
            _DOCUMENT_LINK.search(link.url)
            and (month or says_little or _says_nothing_but_a_meeting(link.text))
            and not _is_of_no_meeting(link.text)
        ):
            if _is_of_no_meeting(link.text):
                self.skip(shown, "says neither minutes nor agenda", link.url)
            else:
                self.skip_undated(shown, link.url)
            return None
        if not (kind or attached or (day and self.settings.kind)):
            self.skip(shown, "says neither minutes nor agenda", link.url)
            return None
        offer = Offer(
            link.text or link.file_name,
            link.url,
            kind or self.settings.kind,
            "url",
            attachment=attached,
        )
        return MeetingRef(
            vendor_id=canonical_url(link.url),
            body=self.settings.meeting
            or (link.named if naming.BODY_WORD.search(link.named) else "")
            or _body(link)
            or link.named
            or self._governing_body
            or naming.UNNAMED_BODY,
            title=month if month and not day else link.text or link.file_name,
            start_local=datetime.combine(day, time()) if day else None,
            tz=self.settings.tz,
            source_url=self.source,
            documents=self.documents([offer], link.url),
        )


def year_of_page(url: str, text: str, source: str) -> int:
    """Return the year of a link to the same list in another year, else 0.

    Their addresses differ in the year only: Board.aspx?Year=2018, minutes/2018, minutes-2018.
    """
    said = _YEAR_LINK.fullmatch(text.strip())
    if not said or said[1] not in url:
        return 0

    def without_year(address: str) -> str:
        return _YEAR_IN_ADDRESS.sub("", unquote(address).rstrip("/")).lower()

    return int(said[1]) if without_year(url) == without_year(source) else 0


def pages_of_years(links: Sequence[Link], host: str) -> dict[str, int]:
    """Return the pages of a host that are lists of meetings of one year each, with the year.

    At least two links differ in the year only: "2018 Board Meetings", boardmeetings2018.html.
    """
    forms: dict[tuple[str, str], dict[str, int]] = defaultdict(dict)
    for link in links:
        years = set(naming.YEAR.findall(link.text))
        year = years.pop() if len(years) == 1 else ""
        if (
            year
            and year in link.url
            and urlsplit(link.url).hostname == host
            and _LISTS.search(link.text)
            and not _is_of_no_meeting(link.text)
            and not leads_to_document(link.url, "")
            and not naming.find_date(link.text)
        ):
            form = link.text.replace(year, "").lower(), link.url.replace(year, "")
            forms[form][link.url] = int(year)
    return {url: year for each in forms.values() if len(each) > 1 for url, year in each.items()}


def _kind_of_folder(url: str, source: str) -> str:
    """Return the kind that a folder of an address is called by, if it is not the page's own."""
    folders = unquote(urlsplit(url).path).split("/")[:-1]
    own = unquote(urlsplit(source).path).split("/")
    named = (each for each in reversed(folders) if each not in own)
    return next(
        (naming.find_kind(each) or "" for each in named if _KIND_FOLDER.fullmatch(each)), ""
    )


def _kind_by_titles(link: Link) -> str:
    """Return the kind that the nearest title names, for a link that names no other paper.

    Below a title for both kinds a link says nothing but the meeting, and below one for other papers
    there are none of a meeting.
    """
    for title in () if _is_of_no_meeting(f"{link.lead} {link.text}") else link.titles:
        if kind := kind_of_title(title):
            both = len({each.lower() for each in _BOTH.findall(title)}) > 1
            # A link that is only a date is about what stands before it.
            only_date = not html.name_in(link.text) and naming.find_date(link.text)
            about = link.lead if only_date else link.text
            return "" if both and not _says_nothing_but_a_meeting(about) else kind
        if _is_of_no_meeting(title):
            return ""
        if not (_is_about_meetings(title) or _is_about_meetings(link.text)):
            # Another section begins here, such as "Resources".
            return ""
    return ""


def _is_about_meetings(text: str) -> bool:
    """Whether a text says nothing but a meeting, a month or a year, or that they are past."""
    bare = naming.without_months(text)
    return _says_nothing_but_a_meeting(naming.YEAR.sub(" ", _TIMES_OF_LISTS.sub(" ", bare)))


def _says_nothing_but_a_meeting(text: str) -> bool:
    rest = html.name_in(text)
    return not rest or bool(naming.BODY_WORD.search(rest) or _GATHERING.search(rest))


def _is_of_no_meeting(text: str) -> bool:
    """Whether a text names papers of another sort, and no meeting and nobody who meets."""
    return bool(_OTHER_PAPERS.search(text)) and not (
        naming.BODY_WORD.search(text) or _GATHERING.search(text) or _SORT_ALONE.search(text)
    )


def _day_of_title(titles: Sequence[str], day_first: bool) -> date | None:
    """Return the day that the nearest title names, perhaps with the year of one above it."""
    if not titles:
        return None
    return naming.find_date(titles[0], day_first=day_first) or naming.date_below(
        titles, titles[0], day_first=day_first
    )


def _body(link: Link) -> str:
    """Return the first thing said about a link that sounds like a body of people."""
    # A column may be of one body; "Board Packet" is one for documents.
    of_column = "" if naming.find_kind(link.column) else link.column
    own_texts = (
        re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", _FORMAT.sub("", each))
        if _FORMAT.search(each)
        else each
        for each in link.own_texts
    )
    bodies: list[str] = []
    for part in re.split(
        r"[|–—•;\n]|:(?![0-9])|\s-\s",
        "\n".join((*own_texts, of_column, *link.titles, link.around)),
    ):
        body = naming.without_years(naming.body_of_meeting(part))
        if (
            len(body) < _LONGEST_BODY
            and naming.BODY_WORD.search(body)
            and not naming.SEVERAL_BODIES.fullmatch(body)
            and not _MEMBERS.fullmatch(body)
        ):
            bodies.append(body)
        elif part in (link.lead, *link.titles) and _ACRONYM.fullmatch(part.strip()):
            # "EDA" above its minutes
            bodies.append(part.strip())
    # "Regular Board Meeting" below "Town Board Minutes" is one of the Town Board.
    first = next(iter(bodies), "")
    whole = (each for each in bodies if each.lower().endswith(f" {first.lower()}"))
    return next(whole, first) if " " not in first else first


def _governing_body(page: WebPage) -> str:
    """Return the council or board that a page without any other name is most likely about.

    That is the one it mentions most; the page of a city that mentions none is its council's.
    """
    text = html.text_of(html.parsed(page.text).body)
    named = [" ".join(each.split()) for each in _GOVERNING.findall(text)]
    if named:
        most = Counter(each.lower() for each in named).most_common(1)[0][0]
        written = next(each for each in named if each.lower() == most)
        return written.title() if written in (most, most.upper()) else written
    place = re.search(r"\b(city|town|village) of [A-Z]", text, re.IGNORECASE)
    return f"{place[1].title()} Council" if place else ""


def _links(page: WebPage, *, day_first: bool, follow: str = "") -> list[Link]:
    """Return the links of a page, a feed or a calendar, each URL once.

    The texts of several links to one URL are joined, as of a picture and the words next to it.
    """
    start = page.content[:2000].lstrip()
    if start.startswith(b"BEGIN:VCALENDAR"):
        found = _calendar_links(page)
    elif re.match(rb"<\?xml|<rss|<feed", start) and not re.search(rb"<html", start, re.IGNORECASE):
        found = _feed_links(page)
    else:
        found = _page_links(page, day_first=day_first, follow=follow)
    merged: dict[str, Link] = {}
    for link in found:
        known = merged.get(link.url)
        if known:
            text = known.text
            if link.text not in known.text:
                text = f"{known.text} {link.text}".strip()
            link = replace(
                known, text=text, day=known.day or link.day, kind=known.kind or link.kind
            )
        merged[link.url] = link
    # The title may say the day, and each document be a paragraph of its own.
    below: dict[str, list[Link]] = defaultdict(list)
    for link in merged.values():
        if link.titles and naming.find_date(link.titles[0], day_first=day_first):
            below[link.titles[0]].append(link)
    for link in itertools.chain.from_iterable(below.values()):
        if naming.is_packet(link.text) and any(
            _is_agenda_of(link.text, each.text) for each in below[link.titles[0]]
        ):
            merged[link.url] = replace(link, packet_beside_agenda=True)
    return list(merged.values())


def _page_links(page: WebPage, *, day_first: bool, follow: str) -> Iterator[Link]:
    dated = html.DatedPage(page.text, page.url, day_first=day_first)
    # Where each entry has a heading of the first rank, none of them is the page's.
    firsts = dated.tree.css("h1")
    # What a menu calls the page is more about it than the title that all pages of a site have.
    in_menu = [
        node for node in dated.tree.css("a[href]") if html.href_of(node, page.url) == page.url
    ]
    own_names = [*firsts[:1], *in_menu, *dated.tree.css("title")]
    headings = [html.text_of(node) for node in own_names]
    above = html.titles_above(dated.tree)

    def said_before(block: LexborNode, node: LexborNode) -> str:
        """Return what a block about one meeting says before a link."""
        one_day = len(dated.dates(block)) == 1 and block.tag in ("div", "article", "section")
        if not one_day or len(dated.text(block)) > _LONGEST_AROUND:
            return ""
        first = block.css_first("a[href]")
        return html.text_before(block, first if first is not None else node)[:200]

    # A menu whose entries are addresses of files is a list of links, and so are scripts of buttons.
    for node in dated.tree.css("a[href], option[value], button[onclick], input[onclick]"):
        url = html.href_of(node, page.url) if node.tag in ("a", "option") else ""
        if not url:
            scripted = html.targets(node, page.url) if node.tag != "option" else []
            url = next(filter(_DOCUMENT_LINK.search, scripted), "")
        if not url or (node.tag == "option" and not _DOCUMENT_LINK.search(url)):
            continue
        picture = node.css_first("img[alt]")
        texts = (
            *(node.attributes.get(name) for name in ("title", "aria-label", "value")),
            picture.attributes["alt"] if picture is not None else None,
        )
        text = html.text_of(node) or next(filter(None, texts), "")
        if not naming.find_kind(text) and not naming.find_date(text):
            text = next((each for each in texts if each and naming.find_kind(each)), text)
        if not leads_to_document(url, text):
            row = dated.row_of(node) if follow and re.search(follow, url) else None
            found = dated.date_of(node, row) if row else None
            yield Link(url, text, "", day=found[0] if found else None)
            continue
        around = next(
            (each for each in html.ancestors(node) if each.tag in _AROUND and not _is_frame(each)),
            None,
        )
        around = node if node.tag == "option" else around
        said_around = dated.text(around) if around else ""
        if around is not None and around.tag not in _ROWS and len(around.css(_HEADINGS)) > 1:
            # It has sections, each with a title of its own.
            said_around = ""
        row = dated.row_of(node)
        day = None
        is_row = row is not None and not _is_frame(row)
        if (
            row is not None
            and is_row
            and (row.tag in _AROUND or len(dated.text(row)) <= _LONGEST_AROUND)
        ):
            found = dated.date_of(node, row)
            if not (naming.find_kind(text) and _says_nothing_but_a_meeting(text)):
                # What says more than a kind, and no date, does not belong to the entry before it.
                found = None if _follows_an_entry(node, row, dated) else found
            day = found[0] if found else None
            # Where dates are in one column and links in another, the name of the file tells which.
            of_file = naming.find_date(file_name_of(url), day_first=day_first)
            day = of_file if of_file in dict(dated.dates(row)) else day
            day = _day_by_columns(day, node, dated) if day else None
            day = _day_of_header(node, dated) or day
        titles = above.get(node.mem_id, ())
        of_page = () if html.is_in_margin(node) else filter(None, headings)
        by_title = _day_of_title(titles, day_first)
        if row is not None and row.tag == "article":
            day = by_title or day
        elif around is not None and around.tag in _ROWS and not _says_date(around, node, dated):
            # What the link and the title say is nearer than the dates of other entries.
            day = naming.date_below(titles, text, day_first=day_first) or by_title or day
        links = around.css("a[href]") if around is not None else []
        if around is None and row is not None and is_row and len(dated.dates(row)) == 1:
            links = row.css("a[href]")[:_MOST_COLUMNS]
            around = row
        siblings = around.parent if around is not None and around.tag == "li" else None
        if len(links) == 1 and siblings is not None and dated.is_undated(siblings):
            # Each document of one meeting may be an item of its own.
            links = siblings.css("a[href]")[:_MOST_COLUMNS]
        parent = node.parent if around is None else None
        beside = links
        if row is not None and is_row and row.tag == "tr" and len(dated.dates(row)) == 1:
            beside = row.css("a[href]")[:_MOST_COLUMNS]
        if parent is not None and len(dated.text(parent)) <= _LONGEST_AROUND:
            beside = parent.css("a[href]")
        # A title that leads to the meeting's page is no other document.
        others = (
            said
            for each in links
            if each.mem_id != node.mem_id
            and (said := html.text_of(each))
            and leads_to_document(html.href_of(each, page.url), said)
        )
        kind = _column_kind(node)
        is_short = around is not None and len(html.text_of(around)) <= _LONGEST_AROUND
        if around is not None and is_short and not kind and len(links) < 2:
            kind = naming.find_kind(html.text_before(around, node)) or ""
        yield Link(
            url,
            text,
            # A longer text is a whole page and not about this link.
            said_around if len(said_around) <= _LONGEST_AROUND else "",
            tuple(dict.fromkeys((*titles, *_filed_under(node), *of_page))),
            day,
            kind,
            any(map(naming.find_kind, others)),
            (around is None or around.tag not in ("article", "section"))
            and naming.is_packet(packet := _label(node, text))
            and any(_is_agenda_of(packet, _label(each, html.text_of(each))) for each in beside),
            _lead(node) or (said_before(row, node) if row is not None and is_row else ""),
            _column_name(node),
            _column_header(node),
        )


def _is_frame(element: LexborNode) -> bool:
    """Whether a row of a table only arranges the parts of a page, with tables or headings in it."""
    return element.tag == "tr" and (
        element.css_first("table") is not None or len(element.css(_HEADINGS)) > 1
    )


def _day_by_columns(day: date, node: LexborNode, dated: html.DatedPage) -> date | None:
    """Return the day of a row, which is not one in a column like "Last modified" or "Approved"."""
    columns = [(header, dict(dated.dates(cell))) for header, cell in _columns(node)]
    said_by = [header for header, days in columns if day in days]
    if not said_by or not all(map(_OTHER_DAY_COLUMN.search, said_by)):
        return day
    others = {
        each for header, days in columns if not _OTHER_DAY_COLUMN.search(header) for each in days
    }
    return others.pop() if len(others) == 1 else None


def _day_of_header(node: LexborNode, dated: html.DatedPage) -> date | None:
    """Return the day in the header of a link's column, where each column is a meeting."""
    path = [node, *html.ancestors(node)]
    row = next((each for each in path if each.tag == "tr"), None)
    table = next((each for each in path if each.tag == "table"), None)
    first = table.css_first("tr") if table is not None else None
    if row is None or first is None or row.mem_id == first.mem_id or dated.dates(row):
        return None
    headers, cells = list(first.iter()), list(row.iter())
    days = [dated.dates(each) for each in headers]
    if len(headers) != len(cells) or sum(1 for each in days if len(each) == 1) < 2:
        return None
    around = {each.mem_id for each in path}
    at = next(at for at, each in enumerate(cells) if each.mem_id in around)
    return days[at][0][0] if len(days[at]) == 1 else None


def _says_date(around: LexborNode, node: LexborNode, dated: html.DatedPage) -> bool:
    """Whether a row or paragraph has a date besides those in what other links are about."""
    about_others = sum(
        len(dated.dates(each))
        for each in around.css("a[href]")
        if each.mem_id != node.mem_id and not _says_nothing_but_a_meeting(dated.text(each))
    )
    return len(dated.dates(around)) > about_others


def _follows_an_entry(node: LexborNode, row: LexborNode, dated: html.DatedPage) -> bool:
    """Whether the date of a list or a block is in an entry before a link's own, with its document.

    In a row, a cell with a date may be followed by one with a link.
    """
    if row.tag in _ROWS or row.mem_id == node.mem_id:
        return False
    path = [node, *itertools.takewhile(lambda it: it.mem_id != row.mem_id, html.ancestors(node))]
    entry = path[-1]
    if entry.tag == "tr":
        # A cell may reach over several rows.
        return False
    before = entry.prev
    while before is not None and not dated.dates(before):
        before = before.prev
    return (
        before is not None
        and before.tag in (entry.tag, "ul", "ol", "table")
        and any(
            leads_to_document(html.href_of(each, dated.base), dated.text(each))
            for each in (before, *before.css("a[href]"))
            if each.tag == "a"
        )
    )


def _lead(node: LexborNode) -> str:
    """Return what is said before a link: in its cell if that says a day, else in its row.

    A paragraph may have several entries, each on a line of its own.
    """
    for element in html.ancestors(node):
        if element.tag not in _ROWS and element.tag != "td":
            continue
        lead, line, has_link = "", "", False
        other = {
            text.mem_id
            for header, cell in (_columns(node) if element.tag == "tr" else ())
            if _OTHER_DAY_COLUMN.search(header)
            for text in cell.traverse(include_text=True)
        }
        for each in element.traverse(include_text=True):
            if each.mem_id in other and each.tag == "-text":
                continue
            if each.tag == "br" and element.tag != "tr" and has_link:
                line, has_link = "", False
            elif each.tag == "a" and each.attributes.get("href"):
                lead, has_link = " ".join(line.split()) or lead, True
                if each.mem_id == node.mem_id:
                    break
            elif each.tag == "-text" and not has_link:
                line += f" {each.text_content or ''}"
        if element.tag in _ROWS or naming.date_below(["2000"], lead):
            return lead[:200]
    return ""


def _label(node: LexborNode, text: str) -> str:
    """Return what a link or else its column says that it is."""
    return text if naming.find_kind(text) else f"{text} {_column_header(node)}"


def _is_agenda_of(packet: str, label: str) -> bool:
    """Whether a label is of the agenda in a packet: that of a special meeting is of another one."""
    if naming.find_kind(label) != AGENDAS or naming.is_packet(label):
        return False
    words = [set(re.findall(r"[^\W\d_]{3,}", each.lower())) for each in (label, packet)]
    return words[0] - _SAY_NOTHING <= words[1]


def _filed_under(node: LexborNode) -> list[str]:
    """Return the categories of the entry that a link is in."""
    entry = next((each for each in html.ancestors(node) if each.tag == "article"), None)
    links = entry.css("a[rel~=tag], a[href*=category]") if entry is not None else []
    return [html.text_of(each) for each in links]


def _day_of(page: WebPage, day_first: bool) -> date | None:
    """Return the day that a page about one meeting names first, below its heading if it has one."""
    tree = html.parsed(page.text)
    heading, main = tree.css_first("h1"), tree.css_first("main, article, #content") or tree.body
    stamp = tree.css_first("main time[datetime], article time[datetime], time[datetime]")
    said = (stamp.attributes.get("datetime") or "") if stamp else ""
    for text in (html.text_of(heading), said, html.text_of(main)):
        if day := naming.find_date(text, day_first=day_first):
            return day
    return None


def leads_to_document(url: str, text: str) -> bool:
    """Whether a link leads to a file, by its address or by what it says next to a file handler.

    A page is one if its address has a kind and a date, and the link says the day.
    """
    if _DOCUMENT_LINK.search(url):
        return True
    if not _FILE_HANDLER.search(url):
        return False
    path = unquote(urlsplit(url).path)
    says_day = naming.date_below(["2000"], text) and naming.find_date(file_name_of(url))
    return bool(naming.find_kind(text) or (says_day and naming.find_kind(path)))


def _column_kind(node: LexborNode) -> str:
    """Return the kind that the header of a link's column names."""
    return naming.find_kind(_column_header(node)) or ""


def _column_header(node: LexborNode) -> str:
    """Return the header of a link's column; a row with a date is no row of headers."""
    cell = next((each for each in html.ancestors(node) if each.tag == "td"), None)
    label = cell and (cell.attributes.get("data-label") or cell.attributes.get("data-th"))
    if label:
        return label
    columns = _columns(node)
    if naming.find_date(" ".join(name for name, _ in columns)):
        return ""
    around = {node.mem_id, *(each.mem_id for each in html.ancestors(node))}
    return next((name for name, each in columns if each.mem_id in around), "")


def _column_name(node: LexborNode) -> str:
    """Return whose meeting it is by the column that is made for it, if there is one."""
    for header, cell in _columns(node):
        if _NAME_COLUMN.fullmatch(header) and not _FORMAT.search(html.text_of(cell)):
            return naming.body_of_meeting(html.name_in(html.text_of(cell)))
    return ""


def _columns(node: LexborNode) -> list[tuple[str, LexborNode]]:
    """Return the cells of a link's row, each with the header of its column.

    A table may also be made of other elements: one of the first has as many parts and no links.
    """
    around = list(html.ancestors(node))
    table = next((each for each in around if each.tag == "table"), None)
    if table is not None:
        first = table.css_first("tr")
        # A row across the table may be above the headers.
        below = first.next if first is not None else None
        while below is not None and below.tag != "tr":
            below = below.next
        headers = [first] if first is not None else []
        if below is not None and len(below.css("th")) > 1:
            headers.append(below)
        rows = [(each, headers) for each in around if each.tag == "tr"][:1]
    else:
        rows = [
            (each, list(itertools.islice(each.parent.iter(), _MOST_COLUMNS)))
            for each in around[:4]
            if each.parent
        ]
    for row, headers in rows:
        cells = list(itertools.islice(row.iter(), _MOST_COLUMNS))
        for header in headers if table is not None or len(cells) > 1 else ():
            names = list(itertools.islice(header.iter(), _MOST_COLUMNS))
            above = _cell_from_above(row) if len(names) == len(cells) + 1 else None
            # What is cheap is asked first: a header may be all of a long list.
            if above is None and len(names) != len(cells):
                continue
            has_links = header.css_first("a[href]") is not None
            if has_links and table is None:
                continue
            said = [html.text_of(each) for each in names]
            if has_links:
                linked = (each.attributes.get("href") or "" for each in header.css("a[href]"))
                if naming.find_date(" ".join(said)) or any(map(_DOCUMENT_LINK.search, linked)):
                    continue
            return list(zip(said, [above, *cells] if above is not None else cells, strict=True))
    return []


def _cell_from_above(row: LexborNode) -> LexborNode | None:
    """Return the first cell of an earlier row that reaches down into this one."""
    distance, before = 0, row.prev
    while before is not None and distance < _MOST_COLUMNS:
        if before.tag == "tr":
            distance += 1
            cell = before.css_first("td, th")
            span = (cell.attributes.get("rowspan") or "") if cell is not None else ""
            if span.isdecimal() and int(span) > 1:
                return cell if int(span) > distance else None
        before = before.prev
    return None


def _feed_links(page: WebPage) -> Iterator[Link]:
    import feedparser  # type: ignore[import-untyped]

    feed = feedparser.parse(page.content)
    heading = feed.feed.get("title", "")
    for entry in feed.entries:
        title = entry.get("title", "")
        urls = [
            each.get("href", "") for each in (*entry.get("links", ()), *entry.get("enclosures", ()))
        ]
        for url in filter(None, (html.joined(page.url, each) for each in urls)):
            yield Link(url, title, title, (heading,))


def _calendar_links(page: WebPage) -> Iterator[Link]:
    from icalendar import Calendar

    try:
        calendar = Calendar.from_ical(page.text)
    except ValueError as error:
        raise SourceUnavailable(f"{page.url} is not a calendar: {error}.") from error
    for event in calendar.walk("VEVENT"):
        title = str(event.get("SUMMARY", ""))
        start = event.get("DTSTART")
        day = date(start.dt.year, start.dt.month, start.dt.day) if start else None
        values: list[object] = []
        for name in ("URL", "DESCRIPTION", "ATTACH"):
            value = event.get(name, "")
            values += value if isinstance(value, list) else [value]
        above = (title, str(calendar.get("X-WR-CALNAME", "")))
        for line in "\n".join(map(str, values)).splitlines():
            # "Agenda: https://..."
            for said, url in re.findall(r"([^<>\"']*?)(https?://[^\s<>\"']+)", line):
                text = said.strip(" :-") if naming.find_kind(said) else title
                yield Link(url, text, title, above, day)


SPEC = FetcherSpec(
    "plain",
    PlainFetcher,
    settings=PlainSettings,
    lists_all=True,
    finds_gaps=False,
    missing="pages of single meetings (see meeting_pages), or only with --set follow=PATTERN",
    help="A page that links to PDFs, an RSS or Atom feed, or an iCal calendar.",
)
