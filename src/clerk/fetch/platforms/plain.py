"""The fetcher ``plain``: a page that links to documents, an RSS or Atom feed, an iCal calendar.

A document's date is looked for in the link's text, in the file's name, and in the row or paragraph
around it; its kind there and in the heading of the page.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator
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
_DAY_FIRST = frozenset(
    ("au", "nz", "uk", "ie", "za", "in", "de", "at", "ch", "nl", "be", "fr", "es", "it", "pt", "br")
)
_MOST_PAGES = 50
_MOST_EVENTS = 1000
_MOST_COLUMNS = 20
_LONGEST_AROUND = 500
_LONGEST_BODY = 80
#: A notice instead of a document.
_NO_MEETING = re.compile(
    r"cancel|notice[- ]of[- ]adjourn|\bno\b.{0,60}\b(?:meetings?|for the month)\b|postponed",
    re.IGNORECASE,
)
_ATTACHMENT = re.compile(
    r"public comment|presentation|staff report|attachment|exhibit|supplement|handout|\bvideo\b|"
    r"\baudio\b|\bmap\b|\bordinance\b|\bresolution\b|\bzoom\b|" + ITEM_OF_AGENDA.pattern,
    re.IGNORECASE,
)
_NOTICE = re.compile(r"\bnotices?\b", re.IGNORECASE)
#: Bodies that govern a place.
_GOVERNING = re.compile(
    r"\b(?:(?:city|town|village|borough|county|township|parish) (?:council|commission|board)"
    r"|board of (?:supervisors|commissioners|trustees|selectmen|education|aldermen)"
    r"|select\s?board|school board|common council)\b",
    re.IGNORECASE,
)
#: The number of a further page of a list.
_PAGE_NUMBER = re.compile(r"[?&](?:page|paged|pg)=[0-9]+$|page/[0-9]+/?$", re.IGNORECASE)
#: Headers of columns that say whose meeting it is.
_NAME_COLUMN = re.compile(
    r"(?:meeting|body|board|committee|commission|group|name|department|organization)s?"
    r"(?:\W+(?:body|board|committee|commission|group|name)s?)*",
    re.IGNORECASE,
)
#: A folder of a year, which is not one of uploads by month.
_YEAR_FOLDER = re.compile(r"/((?:19|20)[0-9]{2})/(?![0-9]{2}/)")
_ROWS = frozenset(("tr", "li", "p", "dd"))
_AROUND = _ROWS | {"article", "section"}
#: Links to documents whose names do not end in .pdf.
_DOCUMENT_LINK = re.compile(
    r"\.(?:pdf|docx?)(?:[?#]|$)|/DocumentCenter/View/|[?&]ADID=|showdocument|showpublisheddocument|"
    r"/ViewFile/|/download(?:[/?]|$)|DocView\.aspx",
    re.IGNORECASE,
)
#: Links that hand out a file, if their text says that it is an agenda or minutes.
_FILE_HANDLER = re.compile(
    r"(?:view|get|open|show|display|download)\w*(?:file|doc|attach)|\.ashx\?|/(?:documents?|files?|"
    r"attachments?|media)/[^/]*[0-9](?![^?#]*/(?:[?#]|$))|[?&](?:file|doc|document|attachment)\w*=|"
    r"\.html?(?:[?#]|$)|drive\.google\.com/(?:file|open)|docs\.google\.com/document|dropbox\.com/s|1drv\.ms",
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

    @property
    def own_texts(self) -> tuple[str, str]:
        """The texts that are about this link or its row alone."""
        return self.text, self.lead

    @property
    def file_name(self) -> str:
        """The last part of its path, readable."""
        return file_name_of(self.url)


def file_name_of(url: str) -> str:
    """Return the last part of a URL's path, readable and without what says its format."""
    name = unquote(urlsplit(url).path).rsplit("/", 1)[-1]
    return re.sub(r"\.(?:pdf|docx?|html?)$", "", name, flags=re.IGNORECASE)


class PlainFetcher(PlatformFetcher):
    """Lists the documents that pages, feeds or calendars link to."""

    settings: PlainSettings
    #: Addresses of pages about one meeting, and of further pages of a list.
    event_pages = ""
    further_pages = ""
    _governing_body = ""
    _day_of_page: date | None = None

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        #: Whether 1.2.2024 is the first of February.
        self.day_first = self.settings.day_first or False
        if self.settings.day_first is None:
            self.day_first = self.host.rpartition(".")[2].lower() in _DAY_FIRST

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield one meeting per link to a document.

        Pages of single meetings are read for the window only, if the list says when they are.
        """
        patterns = (self.settings.follow, self.event_pages, self.further_pages)
        follow = "|".join(f"(?:{each})" for each in patterns if each)
        waiting, read = [self.source], set[str]()
        while waiting and len(read) < (_MOST_EVENTS if self.event_pages else _MOST_PAGES):
            url = waiting.pop(0)
            page = self.read(url) if read else self.client.page(url)
            if page is None:
                continue
            read |= {url, page.url}
            self._governing_body = _governing_body(page)
            is_event = bool(self.event_pages and re.search(self.event_pages, url))
            self._day_of_page = _day_of(page, self.day_first) if is_event else None
            for link in _links(page, day_first=self.day_first, follow=follow):
                same_host = (urlsplit(link.url).hostname or "") == self.host
                further = _PAGE_NUMBER.sub("", link.url) == _PAGE_NUMBER.sub("", self.source)
                if (follow and same_host and re.search(follow, link.url)) or (
                    further and _PAGE_NUMBER.search(link.url)
                ):
                    known = link.url in read or link.url in waiting
                    if not known and not is_event and (window.full or window.covers(link.day)):
                        waiting.append(link.url)
                elif _leads_to_document(link.url, link.text) and (meeting := self._meeting(link)):
                    yield meeting

    def _meeting(self, link: Link) -> MeetingRef | None:
        """Return a meeting with one document, or None for what is neither minutes nor agenda."""
        day_first = self.day_first
        own = naming.find_date(link.text, day_first=day_first)
        of_file = naming.find_date(link.file_name, day_first=day_first)
        near = naming.find_date(link.around, day_first=day_first)
        title = link.titles[0] if link.titles else ""
        of_title = naming.find_date(title, day_first=day_first)
        if of_file and not naming.YEAR.search(link.text):
            # A text that was cut off, like "May 20, 201", is completed by the file's name.
            same_year = naming.date_below([str(of_file.year)], link.text, day_first=day_first)
            own = of_file if same_year == of_file else own
        titles = (*link.titles, *_YEAR_FOLDER.findall(link.url))
        below = next(
            (
                found
                for text in (link.text, link.lead, link.file_name)
                if (found := naming.date_below(titles, text, day_first=day_first))
            ),
            None,
        )
        day = own or link.day or of_title or of_file or near or below or self._day_of_page
        shown = f"{link.text} ({link.url})"
        said = kind_of_title(link.text) or link.kind
        if not said and _NOTICE.search(link.text):
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
        attached = attached or (not kind and link.attachment)
        if attached and not (day and self.settings.attachments):
            self.skip(shown, "an attachment", link.url)
            return None
        if link.packet_beside_agenda and not self.settings.packets:
            self.skip(shown, "a packet in addition to the agenda", link.url)
            return None
        months = (link.text, link.file_name, link.around)
        month = next((m for text in months if (m := naming.find_month(text))), "")
        texts = (link.around, *(link.titles if day or month else ()))
        kind = kind or next((k for text in texts if (k := kind_of_title(text))), "")
        if not day and not _DOCUMENT_LINK.search(link.url):
            self.skip(shown, "no date next to the link", link.url)
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


def _body(link: Link) -> str:
    """Return the first thing said about a link that sounds like a body of people."""
    for part in re.split(
        r"[|–—•;\n]|:(?![0-9])|\s-\s", "\n".join((*link.own_texts, *link.titles, link.around))
    ):
        body = naming.YEAR.sub(" ", naming.body_of_meeting(part)).strip()
        if len(body) < _LONGEST_BODY and naming.BODY_WORD.search(body):
            return body
    return ""


def _governing_body(page: WebPage) -> str:
    """Return the council or board that a page without any other name is most likely about.

    That is the one it mentions most; the page of a city that mentions none is its council's.
    """
    text = html.text_of(html.parsed(page.text).body)
    named = Counter(" ".join(each.split()).title() for each in _GOVERNING.findall(text))
    if named:
        return named.most_common(1)[0][0]
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
    return list(merged.values())


def _page_links(page: WebPage, *, day_first: bool, follow: str) -> Iterator[Link]:
    dated = html.DatedPage(page.text, page.url, day_first=day_first)
    # Where each entry has a heading of the first rank, none of them is the page's.
    firsts = dated.tree.css("h1")
    headings = [html.text_of(node) for node in [*firsts[:1], *dated.tree.css("title")]]
    above = html.titles_above(dated.tree)
    # A menu whose entries are addresses of files is a list of links.
    for node in dated.tree.css("a[href], option[value]"):
        url = html.href_of(node, page.url)
        if not url or (node.tag == "option" and not _DOCUMENT_LINK.search(url)):
            continue
        texts = (node.attributes.get("title"), node.attributes.get("aria-label"))
        text = html.text_of(node) or next(filter(None, texts), "")
        if not _leads_to_document(url, text):
            row = dated.row_of(node) if follow and re.search(follow, url) else None
            found = dated.date_of(node, row) if row else None
            yield Link(url, text, "", day=found[0] if found else None)
            continue
        around = next((each for each in html.ancestors(node) if each.tag in _AROUND), None)
        around = node if node.tag == "option" else around
        said_around = dated.text(around) if around else ""
        row = dated.row_of(node)
        day = None
        if row is not None and (row.tag in _AROUND or len(dated.text(row)) <= _LONGEST_AROUND):
            found = dated.date_of(node, row)
            day = found[0] if found else None
            # Where dates are in one column and links in another, the name of the file tells which.
            of_file = naming.find_date(file_name_of(url), day_first=day_first)
            day = of_file if of_file in dict(dated.dates(row)) else day
        links = around.css("a[href]") if around is not None else []
        others = (html.text_of(each) for each in links if each.mem_id != node.mem_id)
        kind = _column_kind(node)
        is_short = around is not None and len(html.text_of(around)) <= _LONGEST_AROUND
        if around is not None and is_short and not kind and len(links) < 2:
            kind = naming.find_kind(html.text_before(around, node)) or ""
        yield Link(
            url,
            text,
            # A longer text is a whole page and not about this link.
            said_around if len(said_around) <= _LONGEST_AROUND else "",
            tuple(
                dict.fromkeys(
                    (*above.get(node.mem_id, ()), *_filed_under(node), *filter(None, headings))
                )
            ),
            day,
            kind,
            any(map(naming.find_kind, others)),
            around is not None
            and around.tag in _ROWS
            and naming.is_packet(packet := _label(node, text))
            and any(_is_agenda_of(packet, _label(each, html.text_of(each))) for each in links),
            html.text_before(around, links[0])[:200] if around and links else "",
            _column_name(node),
        )


def _label(node: LexborNode, text: str) -> str:
    """Return what a link or else its column says that it is."""
    return text if naming.find_kind(text) else f"{text} {_column_header(node)}"


def _is_agenda_of(packet: str, label: str) -> bool:
    """Whether a label is of the agenda in a packet: that of a special meeting is of another one."""
    if naming.find_kind(label) != AGENDAS or naming.is_packet(label):
        return False
    words = [set(re.findall(r"[^\W\d_]{3,}", each.lower())) for each in (label, packet)]
    return words[0] - {"agenda", "agendas", "view", "pdf"} <= words[1]


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


def _leads_to_document(url: str, text: str) -> bool:
    """Whether a link leads to a file, by its address or by what it says next to a file handler."""
    if _DOCUMENT_LINK.search(url):
        return True
    return bool(_FILE_HANDLER.search(url) and naming.find_kind(text))


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
        if _NAME_COLUMN.fullmatch(header):
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
        rows = [(each, [first] if first else []) for each in around if each.tag == "tr"][:1]
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
            if len(names) == len(cells) and not header.css_first("a[href]"):
                return list(zip(map(html.text_of, names), cells, strict=True))
    return []


def _feed_links(page: WebPage) -> Iterator[Link]:
    import feedparser  # type: ignore[import-untyped]

    feed = feedparser.parse(page.content)
    heading = feed.feed.get("title", "")
    for entry in feed.entries:
        title, published = entry.get("title", ""), entry.get("published", "")
        urls = [
            each.get("href", "") for each in (*entry.get("links", ()), *entry.get("enclosures", ()))
        ]
        for url in filter(None, (html.joined(page.url, each) for each in urls)):
            yield Link(url, title, f"{title} {published}", (heading,))


def _calendar_links(page: WebPage) -> Iterator[Link]:
    from icalendar import Calendar

    try:
        calendar = Calendar.from_ical(page.text)
    except ValueError as error:
        raise SourceUnavailable(f"{page.url} is not a calendar: {error}.") from error
    for event in calendar.walk("VEVENT"):
        title = str(event.get("SUMMARY", ""))
        start = event.get("DTSTART")
        around = f"{start.dt:%Y-%m-%d} {title}" if start else title
        values: list[object] = []
        for name in ("URL", "DESCRIPTION", "ATTACH"):
            value = event.get(name, "")
            values += value if isinstance(value, list) else [value]
        for url in re.findall(r"https?://[^\s<>\"']+", " ".join(map(str, values))):
            yield Link(url, title, around, (str(calendar.get("X-WR-CALNAME", "")),))


SPEC = FetcherSpec(
    "plain",
    PlainFetcher,
    settings=PlainSettings,
    lists_all=True,
    finds_gaps=False,
    missing="Revize, WordPress and other sites are read as plain pages; pages of single events "
    "are followed only with --set follow=PATTERN",
    help="A page that links to PDFs, an RSS or Atom feed, or an iCal calendar.",
)
