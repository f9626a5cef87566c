"""The fetcher ``plain``: a page that links to documents, an RSS or Atom feed, an iCal calendar.

A document's date is looked for in the link's text, in the file's name, and in the row or paragraph
around it; its kind there and in the heading of the page.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime, time
from urllib.parse import unquote, urlsplit

from clerk.fetch import html, naming, shared_files
from clerk.fetch.base import (
    Context,
    FetcherSpec,
    MeetingRef,
    SourceSettings,
    Window,
    canonical_url,
)
from clerk.fetch.http.responses import NeedsBrowser, WebPage
from clerk.fetch.links import (
    DOCUMENT_LINK,
    FORMAT,
    GATHERING,
    Link,
    day_of_title,
    is_of_no_meeting,
    leads_to_document,
    links_of,
    says_nothing_but_a_meeting,
)

from .common import ITEM_OF_AGENDA, Offer, PlatformFetcher, kind_of_title

#: Countries that write the day before the month, by the end of their host names.
_DAY_FIRST = re.compile(
    r"\.(?:au|nz|uk|ie|za|in|de|at|ch|li|lu|nl|be|fr|es|it|pt|br|mx|ar|cl|pe|se|no|dk|fi|is|pl|cz|"
    r"sk|si|hr|ro|gr|mt|wales|cymru|scot|london|cat|gal|eus|bzh|frl)$",
    re.IGNORECASE,
)
_MOST_PAGES = 50
_MOST_EVENTS = 1000
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
#: Bodies that are called by papers: "Ordinance Review Committee", "Warrant Committee".
_BODY_OF_PAPERS = re.compile(
    r"\b(?:ordinance|resolution|contract|agreement|warrant|map)s?\s+"
    r"(?:(?:review|advisory|oversight|rules?|revision|drafting|policy|codes?|and|&)\s+){0,3}"
    r"(?:sub-?)?(?:committee|commission|board|task force|panel)\b",
    re.IGNORECASE,
)
_NOTICE = re.compile(r"\bnotices?\b", re.IGNORECASE)
#: A notice of anything in German, unless it says that there is a meeting.
_BEKANNTMACHUNG = re.compile(r"\bbekanntmachung(?:en)?\b", re.IGNORECASE)
_SITZUNG = re.compile(r"sitzung|tagesordnung|versammlung", re.IGNORECASE)
#: Bodies that govern a place.
_GOVERNING = re.compile(
    r"\b(?:(?:city|town|village|borough|county|township|parish|community|district) "
    r"(?:council|commission|board(?! of))"
    r"|board of (?:supervisors|commissioners|trustees|selectmen|education|aldermen|directors)"
    r"|select\s?board|school board|common council|conseil (?:municipal|communautaire)|pleno"
    r"|(?:gemeinde|stadt)rat|gemeenteraad|consiglio comunale|concejo municipal|c[âa]mara municipal"
    r"|kommunfullmäktige|kommunestyret?)\b",
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
#: The same behind what it is about: "Housing SPC".
_NAMED_ACRONYM = re.compile(
    r"(?:[A-Z][\w&’'-]+ ){1,3}(?!PDF|FAQ|ADA|RFP|NEW|HOME|USA|RSS)[A-Z]{3,5}"
)
#: Several bodies under one name: "Strategic Policy Committees".
_PLURAL = re.compile(r"\b(?:boards|(?:sub-?)?committees|commissions|panels)$", re.IGNORECASE)
#: The number of a further page of a list.
_PAGE_NUMBER = re.compile(r"[?&](?:page|paged|pg)=[0-9]+$|page/[0-9]+/?$", re.IGNORECASE)
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
#: What is said before the day on which a paper was adopted: "Policy, rev. January 17, 2024".
_ADOPTED = re.compile(
    r"\b(?:adopted|approved|revised|rev\.|effective|amended|antaget|vedtatt|approuvée?s?|adoptée?s?|"
    r"approvat[oa]|aprobad[oa]|genehmigt|beschlossen|gültig|in kraft|stand|vastgesteld|"
    r"en vigueur)\W"
    r"(?:\W*(?:on|le|il|el|am|vom|ab|seit|den|op)\b)?",
    re.IGNORECASE,
)
#: The title of a section that has no documents of meetings.
_OTHER_SECTION = re.compile(
    r"(?:(?:other|related|additional|supporting|useful|important|more|otros|autres|andere|altri)\s+)*"
    r"(?:documents?|resources|links|downloads|files|publications|information|documentos|dokumente|documenti|"
    r"documenten)",
    re.IGNORECASE,
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


class PlainSettings(SourceSettings, kw_only=True):
    """What a page does not say itself, and which of its links are pages of the same kind."""

    meeting: str = ""
    kind: str = ""
    #: A regular expression: pages of the same host whose URL matches are read too.
    follow: str = ""
    #: Whether 1.2.2024 is the first of February; by the country of the host if not given.
    day_first: bool | None = None


def is_day_first(host: str) -> bool:
    """Whether 1.2.2024 is the first of February in the country of a host."""
    return bool(_DAY_FIRST.search(host))


class PlainFetcher(PlatformFetcher):
    """Lists the documents that pages, feeds or calendars link to."""

    settings: PlainSettings
    #: Addresses of pages about one meeting, and of further pages of a list.
    event_pages = ""
    further_pages = ""
    #: Addresses of folders on the town's host: a link's text is the name of one.
    folders = ""
    _governing_body = ""
    _text_of_page = ""
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
        patterns = (self.settings.follow, self.event_pages, self.further_pages, self.folders)
        follow = "|".join(f"(?:{each})" for each in patterns if each)
        first = shared_files.folder_address(self.source) or self.source
        waiting, read = [first], set[str]()
        events: dict[str, date] = {}
        #: What stands above the link to a page of a year or a shared folder, by its address.
        above: dict[str, tuple[str, ...]] = {}
        closed_folders, found = 0, False
        while waiting and len(read) < (_MOST_EVENTS if events or self.event_pages else _MOST_PAGES):
            url = waiting.pop(0)
            page = self.read(url) if read else self.client.page(url)
            if page is None:
                continue
            read |= {url, page.url}
            self._text_of_page = html.text_of(html.parsed(page.text).body)
            if self.settings.day_first is None:
                # A date like 23/1/2024 says more than the country of the host.
                said = naming.day_first_of_text(self._text_of_page)
                self.day_first = self.day_first if said is None else said
            self._governing_body = self._body_of_list or _governing_body(self._text_of_page)
            if url == first:
                tree = html.parsed(page.text)
                own_names = [*tree.css("h1")[:1], *tree.css("title")[:1]]
                named = tuple(html.text_of(each) for each in own_names)
                self._body_of_list = next(iter(_bodies(Link("", "", "", named))), "")
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
            links = [
                replace(link, titles=(*link.titles, *above.get(url, ())))
                for link in links_of(page, day_first=self.day_first, follow=follow)
            ]
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
                        if year or (self.folders and re.search(self.folders, link.url)):
                            above[link.url] = (link.text, *link.titles)
                elif link.is_document:
                    if meeting := self._meeting(link):
                        found = True
                        yield meeting
                elif (folder := shared_files.folder_address(link.url)) and (
                    shared_files.folder_address(url) or _is_of_meetings(link)
                ):
                    if folder not in above and folder not in read:
                        above[folder] = (link.text, *link.titles)
                        waiting.append(folder)
                elif shared_files.is_closed_folder(link.url) and _is_of_meetings(link):
                    self.skip(
                        f"{link.text} ({link.url})", "a folder that needs a browser", link.url
                    )
                    closed_folders += 1
            if closed_folders and not found and not waiting:
                several = "s" * (closed_folders > 1)
                expected = f"minutes or agendas besides {closed_folders} shared folder{several}"
                raise NeedsBrowser(page, expected, "no other files; clerk cannot list the folders")

    def linked_meetings(self, page: WebPage) -> dict[str, date]:
        """Return the addresses of pages about one meeting that a list links, with their days."""
        return {}

    def _meeting(self, link: Link) -> MeetingRef | None:
        """Return a meeting with one document, or None for what is neither minutes nor agenda."""
        day_first = self.day_first
        own = next(iter(dict(naming.find_dates(link.text, day_first=day_first))), None)
        of_file = naming.find_date(link.file_name, day_first=day_first)
        of_title = day_of_title(link.titles, day_first)
        if of_file and _CUT_OFF.search(link.text):
            # A text that was cut off, like "May 20, 201", is completed by the file's name.
            same_year = naming.date_below([str(of_file.year)], link.text, day_first=day_first)
            own = of_file if same_year == of_file else own
        if of_file and of_file == link.day:
            # A text that was copied from another row may say the day of that one.
            own = of_file
        titles = (link.lead, link.column, *link.titles, *_YEAR_FOLDER.findall(link.url))
        below = (
            naming.date_below(titles, link.text, day_first=day_first)
            or naming.date_below(titles, link.lead, day_first=day_first)
            or naming.date_below(titles, link.file_name, day_first=day_first, of_file=True)
            or naming.only_date_below(titles, link.around, day_first=day_first)
        )
        if re.fullmatch(r"[0-9]{1,2}(?:st|nd|rd|th)?(?:\s*\([^()0-9]*\))?", link.text):
            # A link that says only the day, as "22 (special)", is of the month and the year it
            # stands below.
            own = own or below
        if link.day and not own:
            # What the link says is nearer than a day on which the file was put there.
            own = naming.day_near(link.text, link.day)
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
        paper, *adopted = _ADOPTED.split(link.text, maxsplit=1)
        is_adopted = adopted and naming.find_date(adopted[0], day_first=day_first)
        if is_adopted and html.name_in(paper) and not (said or _is_about_meetings(paper)):
            self.skip(shown, "a paper with the day of its adoption", link.url)
            return None
        # A column may be for other papers: "Resolutions", "Liste des délibérations".
        bare = _BODY_OF_PAPERS.sub(" ", link.text if link.kind else f"{link.text} {link.column}")
        attached = bool(_ATTACHMENT.search(bare)) and not kind_of_title(link.text)
        # What says a day and only that there was a meeting is no part of the entry before it.
        is_entry = bool(own) and says_nothing_but_a_meeting(link.text)
        attached = attached or (not kind and link.attachment and not is_entry)
        # "Late report" next to the agenda
        if kind and not kind_of_title(link.text):
            attached = attached or is_of_no_meeting(link.text)
        if attached and not (day and self.settings.attachments):
            self.skip(shown, "an attachment", link.url)
            return None
        if link.packet_beside_agenda and not self.settings.packets:
            self.skip(shown, "a packet in addition to the agenda", link.url)
            return None
        months = (link.text, link.file_name, link.around)
        month = next((m for text in months if (m := naming.find_month(text))), "")
        month = month or naming.month_below(link.titles, link.text)
        kind = kind or kind_of_title(link.around)
        is_of_year = naming.YEAR.search(link.text) and GATHERING.search(link.text)
        if not kind and (day or month or is_of_year or naming.date_below(["2000"], link.text)):
            kind = _kind_by_titles(link)
        if not kind and day and not is_of_no_meeting(f"{link.lead} {link.text}"):
            kind = _kind_of_folder(link.url, self.source)
        # Without a date "Current Agenda" may be a document, and "How to read an agenda" is none.
        says_little = len(html.name_in(link.text).split()) < 3
        if not day and not (
            DOCUMENT_LINK.search(link.url)
            and (month or says_little or says_nothing_but_a_meeting(link.text))
            and not is_of_no_meeting(link.text)
        ):
            if is_of_no_meeting(link.text):
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
            request_url=shared_files.file_address(link.url),
        )
        bodies = _bodies(link)
        if naming.BODY_WORD.search(link.named):
            bodies.insert(0, link.named)
        first = next(iter(bodies), link.named)
        if first and " " not in first:
            # "Regular Board Meeting" below "Town Board Minutes" is one of the Town Board.
            whole = re.compile(rf".+ {re.escape(first)}|{re.escape(first)} of .+", re.IGNORECASE)
            first = next(filter(whole.fullmatch, (*bodies, self._governing_body)), first)
        return MeetingRef(
            vendor_id=canonical_url(link.url),
            body=self.settings.meeting
            or first
            or (letters if (letters := self._other_body(link)) else self._governing_body)
            or naming.UNNAMED_BODY,
            title=month if month and not day else link.text or link.file_name,
            start_local=datetime.combine(day, time()) if day else None,
            tz=self.settings.tz,
            source_url=self.source,
            documents=self.documents([offer], link.url),
        )

    def _other_body(self, link: Link) -> str:
        """Return the body that a link calls by letters that are not the page's: "PC Minutes".

        That is what the page calls so elsewhere; two letters that it does not explain may be any.
        """
        letters = naming.body_of_title(FORMAT.sub("", link.text))
        kind = r"\W*(?:agenda|minutes|packet)"
        before_kind = re.search(re.escape(letters) + kind, link.text, re.IGNORECASE)
        if not (_ACRONYM.fullmatch(letters) and before_kind):
            return ""
        for initials in (letters, letters.removesuffix("M")):
            # Board of Supervisors: BS, BOS; Town Board meeting: TBM
            words = [rf"{each}[a-z][\w-]*" for each in initials]
            words = [f"(?:of|{word})" if word[0] == "O" else word for word in words]
            spelled = r"(?:\s+(?:of|the|and|for|&))*\s+".join(words)
            for found in re.finditer(rf"\b{spelled}\b", self._text_of_page):
                if naming.BODY_WORD.search(found[0]):
                    return " ".join(found[0].split())
        return letters if len(letters) > 2 else naming.UNNAMED_BODY


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

    The texts of at least two differ in the year only, and their addresses in numbers: "2018 Board
    Meetings", boardmeetings2018.html.
    """
    forms: dict[tuple[str, str], dict[str, int]] = defaultdict(dict)
    for link in links:
        years = set(naming.YEAR.findall(link.text))
        year = years.pop() if len(years) == 1 else ""
        # A link that says only the year is below what says that there are lists.
        said = link.text if link.text != year else " ".join(link.titles[:1])
        if (
            year
            and urlsplit(link.url).hostname == host
            and _LISTS.search(said)
            and not is_of_no_meeting(link.text)
            and not leads_to_document(link.url, "")
            and not naming.find_date(link.text)
        ):
            form = link.text.replace(year, "").lower(), re.sub(r"[0-9]+", "#", link.url)
            forms[form][link.url] = int(year)
    return {url: year for each in forms.values() if len(each) > 1 for url, year in each.items()}


def _is_of_meetings(link: Link) -> bool:
    """Whether a link to a folder, or what is above it, is about meetings or their documents."""
    said = (link.text, *link.titles)
    about = any(naming.find_kind(each) or GATHERING.search(each) for each in said)
    return about and not is_of_no_meeting(link.text)


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
    for title in () if is_of_no_meeting(f"{link.lead} {link.text}") else link.titles:
        if _OTHER_SECTION.fullmatch(title) and not says_nothing_but_a_meeting(link.text):
            return ""
        if kind := kind_of_title(title):
            both = len({each.lower() for each in _BOTH.findall(title)}) > 1
            # A link that is only a date is about what stands before it.
            only_date = not html.name_in(link.text) and naming.find_date(link.text)
            about = link.lead if only_date else link.text
            return "" if both and not says_nothing_but_a_meeting(about) else kind
        if is_of_no_meeting(title):
            return ""
        if not (_is_about_meetings(title) or _is_about_meetings(link.text)):
            # Another section begins here, such as "Resources".
            return ""
    return ""


def _is_about_meetings(text: str) -> bool:
    """Whether a text says nothing but a meeting, a month or a year, or that they are past."""
    bare = naming.without_months(text)
    return says_nothing_but_a_meeting(naming.YEAR.sub(" ", _TIMES_OF_LISTS.sub(" ", bare)))


def _bodies(link: Link) -> list[str]:
    """Return what is said about a link that sounds like a body of people, the nearest first."""
    # A column may be of one body; "Board Packet" is one for documents.
    of_column = "" if naming.find_kind(link.column) else link.column
    own_texts = (
        re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", FORMAT.sub("", each)) if FORMAT.search(each) else each
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
            and not _PLURAL.search(body)
        ):
            bodies.append(body)
        elif part in (link.lead, *link.titles) and (
            _ACRONYM.fullmatch(part.strip()) or _NAMED_ACRONYM.fullmatch(part.strip())
        ):
            # "EDA" above its minutes
            bodies.append(part.strip())
    several = (at for at, title in enumerate(link.titles) if _PLURAL.search(title))
    for title in link.titles[: next(several, 0)]:
        # "Finance & Personnel" below "Committees"
        name = html.name_in(naming.without_years(title))
        is_section = naming.find_kind(title) or _OTHER_SECTION.fullmatch(title)
        if name and not (is_section or _is_about_meetings(title)):
            bodies.append(name)
    return bodies


def _governing_body(text: str) -> str:
    """Return the council or board that a page without any other name is most likely about.

    That is the one it mentions most; the page of a city that mentions none is its council's.
    """
    named = [" ".join(each.split()) for each in _GOVERNING.findall(text)]
    if named:
        most = Counter(each.lower() for each in named).most_common(1)[0][0]
        written = next(each for each in named if each.lower() == most)
        return written.title() if written in (most, most.upper()) else written
    place = re.search(r"\b(city|town|village) of [A-Z]", text, re.IGNORECASE)
    return f"{place[1].title()} Council" if place else ""


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


SPEC = FetcherSpec(
    "plain",
    PlainFetcher,
    settings=PlainSettings,
    lists_all=True,
    finds_gaps=False,
    missing="folders of Dropbox, SharePoint and Box; pages of single meetings (see meeting_pages), "
    "or only with --set follow=PATTERN",
    help="A page that links to PDFs, an RSS or Atom feed, or an iCal calendar.",
)
