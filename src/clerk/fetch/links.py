"""The links of a page, a feed or a calendar, each with the texts around it that may describe it.

Nothing here decides what is a document of a meeting: that is done by who lists the links.
"""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from urllib.parse import unquote, urlsplit

from selectolax.lexbor import LexborNode

from clerk.core.errors import SourceUnavailable
from clerk.core.storage import AGENDAS

from . import html, naming, shared_files
from .http.responses import WebPage

_MOST_COLUMNS = 20
_LONGEST_AROUND = 500
#: Words of a link to an agenda that do not say which one it is.
_SAY_NOTHING = frozenset(
    ("agenda", "agendas", "view", "open", "pdf", "amended", "revised", "updated", "final", "draft")
)
GATHERING = re.compile(
    r"\b(?:(?:meeting|session|hearing|workshop|retreat|agm|re-?organi[sz]ation|s[ée]ance|r[ée]union)s?|\w*sitzung(?:en)?|"
    r"\w*versammlung(?:en)?|\w*vergadering(?:en)?|sedut[ae]|sesi[óo]n(?:es)?|sess(?:ão|ões|i[óo]n?s?)|"
    r"reuni(?:[óo]n(?:es)?|ão|ões)|zasedání|posiedze\w+|møter?|möten?|kokous|sesj[aei])\b",
    re.IGNORECASE,
)
#: Headers of columns that say whose meeting it is.
_NAME_COLUMN = re.compile(
    r"(?:meeting|body|board|committee|commission|group|name|department|organization|gremium|organe|"
    r"[óo]rgano|instance|commissie|bestuursorgaan|utvalg|udvalg|nämnd|instans)s?"
    r"(?:\W+(?:body|board|committee|commission|group|name|meeting|type)s?)*",
    re.IGNORECASE,
)
#: Headers of the column that is made for the day of the meeting.
_DAY_COLUMN = re.compile(
    r"(?:(?:meeting|hearing|session|event) )?(?:date|day)(?: (?:of|and|&).*|s)?|when|datum|fecha|"
    r"data|séance|sitzung",
    re.IGNORECASE,
)
#: Headers of columns with a day on which something else was done: a file was put there, minutes
#: were approved, papers were due.
_OTHER_DAY_COLUMN = re.compile(
    r"\b(?:modified|posted|published|uploaded|updated|added|created|deadline|due|submi\w+)\b"
    r"|\b(?:post|publish|upload|update|modify|release) date\b|\blast update\b"
    r"|\bdate of (?:upload|publication|posting|release|issue|modification|revision)\b"
    r"|\b(?:approv|adopt)\w+ (?:date|on)\b|\bdate (?:\w+ )?(?:approv|adopt)\w+"
    r"|^\W*(?:approved|adopted|approval)\W*$",
    re.IGNORECASE,
)
#: Headers of the column that says what each document is.
_TYPE_COLUMN = re.compile(r"(?:document |file )?(?:type|kind|category)", re.IGNORECASE)
#: The end of a file's name.
FORMAT = re.compile(r"\.(?:pdf|docx?|html?)$", re.IGNORECASE)
_ROWS = frozenset(("tr", "li", "p", "dd"))
_AROUND = _ROWS | {"article", "section"}
_BLOCKS = frozenset(("div", "span", "section", "article", "li"))
_HEADINGS = "h1, h2, h3, h4, h5, h6"
#: Links to documents whose names do not end in .pdf.
DOCUMENT_LINK = re.compile(
    r"\.(?:pdf|docx?)(?:[?#]|$)|/DocumentCenter/(?:Home/)?View/|/resource-manager/view/|blobdload|"
    r"LinkClick\.aspx\?fileticket|DocumentView\.aspx?\?DID=|[?&]ADID=|showdocument|showpublisheddocument|"
    r"/ViewFile/|/[0-9]+-[^/?#]+/file(?:[?#]|$)|/download(?:\.(?:php|aspx|ashx))?(?:[/?]|$)|"
    r"[?&]download=[0-9]|DocView\.aspx|drive\.google\.com/file/d/|\.sharepoint\.com/:[bw]:/|"
    r"docs\.google\.com/document/d/",
    re.IGNORECASE,
)
#: Links that hand out a file, if their text says that it is an agenda or minutes.
_FILE_HANDLER = re.compile(
    r"(?:view|get|open|show|display|download)\w*(?:file|doc|attach)|\.ashx\?|/(?:documents?|files?|"
    r"attachments?|media|_docn?)/[^/]*[0-9](?![^?#]*/(?:[?#]|$))|[?&](?:file|doc|document|attachment)\w*=|"
    r"\.html?(?:[?#]|$)|drive\.google\.com/open|dropbox\.com/s|1drv\.ms",
    re.IGNORECASE,
)


#: Papers of a town that are of no meeting.
_OTHER_PAPERS = re.compile(
    r"\b(?:ordinances?|resolutions?|polic(?:y|ies)|financ\w+|budgets?|audits?|reports?|forms?|"
    r"applications?|requests?|permits?|newsletters?|bids?|rfps?|contracts?|by-?laws|codes?|plans?|maps?|"
    r"transparency|elections?|ballots?|taxes|fees|standing orders|constitution|accounts|payments?|"
    r"payroll|procedures?|registers?|vouchers?|ledgers?|balance sheets?|memos?|memorandums?|"
    r"letters?|correspondence|press releases?|"
    r"guidelines?|manuals?|brochures?|flyers?|surveys?|statements?|"
    r"annual returns?|agar|risk assessments?|expenses|precepts?|"
    r"disclosures?|charter|claims|invoices|expenditures|treasurer\S*|job|employment|legislation|"
    r"bulletins?|gazettes?|avis|enqu[êe]tes?|\w*mitteilungsblatt|arr[êe]t[ée]s?|r[èe]glements?|formulaires?|presupuestos?|ordenanzas?|bolet[ií]n(?:es)?|"
    r"jaarverslag(?:en)?|begroting(?:en)?|\w*verordening(?:en)?|\w*satzung(?:en)?|\w*haushalt\w*|"
    r"\w*formulare?|\w*amtsblatt|\w*verordnung(?:en)?|\w*gebühren\w*|\w*(?:bebauungs|flächennutzungs)pl[aä]n\w*|"
    r"uchwał\w*|zarządzeni\w*|usnesení|vyhlášk\w*|rozpoč\w*|deliber[ae]|deliberazion[ei]|determin[ae]|"
    r"decreti?|decretos?|regolament[oi]|reglamentos?|reglement(?:e[nr]?|et)?|contratos?)\b",
    re.IGNORECASE,
)
#: The sort of a meeting that is not called one: "Special (Budget)".
_SORT_ALONE = re.compile(r"\b(?:regular|special|emergency)\b(?!\s*\w)", re.IGNORECASE)
_WORDPRESS_FILE = re.compile(r"[?&]wpdmdl=[0-9]")


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
    def is_document(self) -> bool:
        """Whether it leads to a file; a date alone says what the title above it does."""
        said = f"{self.text} {self.column}"
        day = naming.find_date(self.text) or naming.date_below(["2000"], self.text)
        if day and not html.name_in(naming.without_days(self.text)):
            said += f" {next(filter(naming.without_years, self.titles), '')}"
        return leads_to_document(self.url, said)

    @property
    def file_name(self) -> str:
        """The last part of its path, readable."""
        return file_name_of(self.url)


def links_of(page: WebPage, *, day_first: bool, follow: str = "") -> list[Link]:
    """Return the links of a page, a feed or a calendar, each URL once.

    The texts of several links to one URL are joined, as of a picture and the words next to it.
    """
    start = page.content[:2000].lstrip()
    found: Iterator[Link]
    shared = shared_files.entries_of(page.text, page.url)
    if shared is not None:
        title = html.text_of(html.parsed(page.text).css_first("title"))
        found = (Link(url, name, "", (title,)) for url, name in shared)
    elif start.startswith(b"BEGIN:VCALENDAR"):
        found = _calendar_links(page)
    elif re.match(rb"<\?xml|<rss|<feed", start) and not re.search(rb"<html", start, re.IGNORECASE):
        found = _feed_links(page)
    else:
        found = _page_links(page, day_first=day_first, follow=follow)
    listed = list(found)
    # The WordPress Download Manager has a page for each file, and a button that hands it out.
    files = {
        link.url.partition("?")[0]: link.url for link in listed if _WORDPRESS_FILE.search(link.url)
    }
    merged: dict[str, Link] = {}
    for link in listed:
        link = replace(link, url=files.get(link.url, link.url))
        known = merged.get(link.url)
        if known:
            said = (known.text, link.text)
            # A button "Download" next to the name says nothing.
            telling = [each for each in said if each and not _says_only_download(each)] or [*said]
            text = " ".join(telling[:1] if telling[-1] in telling[0] else telling).strip()
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


def file_name_of(url: str) -> str:
    """Return the last part of a URL's path, readable and without what says its format."""
    name = unquote(urlsplit(url).path).rsplit("/", 1)[-1]
    return FORMAT.sub("", name)


def says_nothing_but_a_meeting(text: str) -> bool:
    rest = html.name_in(text)
    return not rest or bool(naming.BODY_WORD.search(rest) or GATHERING.search(rest))


def is_of_no_meeting(text: str) -> bool:
    """Whether a text names papers of another sort, and no meeting and nobody who meets."""
    return bool(_OTHER_PAPERS.search(text)) and not (
        naming.BODY_WORD.search(text) or GATHERING.search(text) or _SORT_ALONE.search(text)
    )


def _ends_with_other_papers(text: str) -> bool:
    """Whether a text names papers of another sort, and behind them no meeting or its documents."""
    *_, last = ["", *_OTHER_PAPERS.finditer(text)]
    if not last:
        return False
    behind = text[last.end() :]
    return not (
        naming.find_kind(behind) or GATHERING.search(behind) or naming.BODY_WORD.search(behind)
    )


def day_of_title(titles: Sequence[str], day_first: bool) -> date | None:
    """Return the day that the nearest title names, perhaps with the year of one above it."""
    if not titles:
        return None
    return naming.find_date(titles[0], day_first=day_first) or naming.date_below(
        titles, titles[0], day_first=day_first
    )


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

    written = {
        html.href_of(node, page.url) for node in dated.tree.css("a[href]") if html.text_of(node)
    }
    for node in dated.tree.css("iframe[src], embed[src], object[data]"):
        # What a page shows in a frame, as a document or a shared folder, is as if it were linked.
        framed = node.attributes.get("src") or node.attributes.get("data") or ""
        url = html.joined(page.url, framed)
        if shared_files.folder_address(url) or DOCUMENT_LINK.search(url):
            said = node.attributes.get("title") or ""
            names = (*above.get(node.mem_id, ()), *filter(None, headings))
            yield Link(url, said, "", names)
    # A menu whose entries are addresses of files is a list of links, and so are scripts of buttons.
    for node in dated.tree.css("a[href], option[value], button[onclick], input[onclick]"):
        url = html.href_of(node, page.url) if node.tag in ("a", "option") else ""
        if not url:
            scripted = html.targets(node, page.url) if node.tag != "option" else []
            url = next(filter(DOCUMENT_LINK.search, scripted), "")
        if not url or (node.tag == "option" and not DOCUMENT_LINK.search(url)):
            continue
        if node.tag == "a" and node.child is None and (url in written or _is_leftover(node)):
            continue
        picture = node.css_first("img[alt]")
        texts = (
            *(node.attributes.get(name) for name in ("title", "aria-label", "value")),
            picture.attributes["alt"] if picture is not None else None,
        )
        text = html.text_of(node) or next(filter(None, texts), "")
        if not naming.find_kind(text) and not naming.find_date(text):
            text = next((each for each in texts if each and naming.find_kind(each)), text)
        # "View" below "Agenda" is what the column says.
        said = text if html.name_in(text) else f"{text} {_column_header(node)}"
        if not leads_to_document(url, said):
            of_row = dated.dated_row(node) if follow and re.search(follow, url) else None
            names = (*above.get(node.mem_id, ()), *filter(None, headings))
            yield Link(url, text, "", names, day=of_row.day if of_row else None)
            continue
        titles = above.get(node.mem_id, ())
        of_page = () if html.is_in_margin(node) else tuple(filter(None, headings))
        yield _document_link(node, url, text, titles, of_page, dated)


def _document_link(
    node: LexborNode,
    url: str,
    text: str,
    titles: tuple[str, ...],
    of_page: tuple[str, ...],
    dated: html.DatedPage,
) -> Link:
    """Return a link to a document with what its row, its block and its neighbours say."""
    around = next(
        (each for each in html.ancestors(node) if each.tag in _AROUND and not _is_frame(each)),
        None,
    )
    around = node if node.tag == "option" else around
    said_around = dated.text(around) if around else ""
    if around is not None and around.tag not in _ROWS and len(around.css(_HEADINGS)) > 1:
        # It has sections, each with a title of its own.
        said_around = ""
    if around is not None and around.tag == "tr" and _is_of_several_bodies(node):
        # Its other cells are of meetings of others.
        cell = next(each for each in html.ancestors(node) if each.tag in ("td", "th"))
        said_around = dated.text(cell)
    row = dated.row_of(node)
    line = next((it for it in html.ancestors(row) if it.tag == "tr"), None) if row else None
    if row is not None and line is not None and not _is_frame(line):
        # A cell may say only the days of its other links: "Agenda, Minutes of January 9, 2024".
        outside = [_day_outside_links(each, node, dated) for each in (row, line)]
        row = line if outside[1] and not outside[0] else row
    row = row if row is not None and not _is_frame(row) else None
    day = _day_of(node, url, text, titles, row, around, dated)
    links = around.css("a[href]") if around is not None else []
    if around is None and row is not None and len(dated.dates(row)) == 1:
        links = row.css("a[href]")[:_MOST_COLUMNS]
        around = row
    siblings = around.parent if around is not None and around.tag == "li" else None
    if len(links) == 1 and siblings is not None and dated.is_undated(siblings):
        # Each document of one meeting may be an item of its own.
        links = siblings.css("a[href]")[:_MOST_COLUMNS]
    parent = node.parent if around is None else None
    beside = links
    if row is not None and row.tag == "tr" and len(dated.dates(row)) == 1:
        beside = row.css("a[href]")[:_MOST_COLUMNS]
    if parent is not None and len(dated.text(parent)) <= _LONGEST_AROUND:
        beside = parent.css("a[href]")
    # A title that leads to the meeting's page is no other document.
    others = (
        said
        for each in links
        if each.mem_id != node.mem_id
        and (said := html.text_of(each))
        and leads_to_document(html.href_of(each, dated.base), said)
    )
    column = _column_header(node)
    kind = of_column = naming.find_kind(column) or ""
    is_short = around is not None and len(html.text_of(around)) <= _LONGEST_AROUND
    if around is not None and is_short and not kind and len(links) < 2:
        kind = naming.find_kind(html.text_before(around, node)) or ""
    elif around is not None and is_short and not kind and not _name_of(text):
        kind = _kind_before(around, node)
    between = _said_between(around, node) if around is not None and is_short else ""
    is_other_paper = not (of_column or _name_of(text)) and _ends_with_other_papers(between)
    is_other_paper = is_other_paper or any(
        _TYPE_COLUMN.fullmatch(header) and is_of_no_meeting(html.text_of(cell))
        for header, cell in _columns(node)
    )
    kind = "" if is_other_paper else kind
    entry = next((each for each in html.ancestors(node) if each.tag == "article"), None)
    categories = entry.css("a[rel~=tag], a[href*=category]") if entry is not None else []
    return Link(
        url,
        text,
        # A longer text is a whole page and not about this link.
        said_around if len(said_around) <= _LONGEST_AROUND else "",
        tuple(dict.fromkeys((*titles, *map(html.text_of, categories), *of_page))),
        day,
        kind,
        any(map(naming.find_kind, others)) or is_other_paper,
        (around is None or around.tag not in ("article", "section"))
        and naming.is_packet(packet := _label(node, text))
        and any(_is_agenda_of(packet, _label(each, html.text_of(each))) for each in beside),
        _lead(node)
        or (_said_before(row, node, dated) if row is not None and day else "")
        or ("" if day else _lead_of_block(node)),
        _column_name(node),
        column,
    )


def _day_of(
    node: LexborNode,
    url: str,
    text: str,
    titles: tuple[str, ...],
    row: LexborNode | None,
    paragraph: LexborNode | None,
    dated: html.DatedPage,
) -> date | None:
    """Return the day that is said next to a link: in its row, its column, or the title above it.

    ``row`` is the smallest element with a date, ``paragraph`` the row, item or paragraph.
    """
    day = None
    if row is not None and (row.tag in _AROUND or len(dated.text(row)) <= _LONGEST_AROUND):
        found = dated.date_of(node, row)
        if not (naming.find_kind(text) and says_nothing_but_a_meeting(text)):
            # What says more than a kind, and no date, does not belong to the entry before it.
            found = None if _follows_an_entry(node, row, dated) else found
        day = found[0] if found else None
        # Where dates are in one column and links in another, the name of the file tells which.
        of_file = naming.find_date(file_name_of(url), day_first=dated.day_first)
        day = of_file if of_file in dict(dated.dates(row)) else day
        if row.tag == "tr" and len(dict(dated.dates(row))) > 1:
            day = _day_outside_links(row, node, dated) or day
        day = _day_by_columns(day, node, dated) if day else None
        if day and _says_only_download(text):
            day = _day_of_named_document(node, dated) or day
        day = _day_of_header(node, dated) or day
    by_title = day_of_title(titles, dated.day_first)
    if row is not None and row.tag == "article":
        day = by_title or day
    elif (
        paragraph is not None and paragraph.tag in _ROWS and not _says_date(paragraph, node, dated)
    ):
        # What the link and the title say is nearer than the dates of other entries, and those
        # in other links are no dates of this one.
        day = None if dated.dates(paragraph) else day
        day = naming.date_below(titles, text, day_first=dated.day_first) or by_title or day
    return day


def _said_before(block: LexborNode, node: LexborNode, dated: html.DatedPage) -> str:
    """Return what a block about one meeting says before a link."""
    one_day = len(dated.dates(block)) == 1 and block.tag in ("div", "article", "section")
    if not one_day or len(dated.text(block)) > _LONGEST_AROUND:
        return ""
    first = block.css_first("a[href]")
    return html.text_before(block, first if first is not None else node)[:200]


def _is_leftover(node: LexborNode) -> bool:
    """Whether an editor left a link without a text behind, next to those that a page shows.

    One that a style sheet makes a picture of has a class.
    """
    others = node.parent.css("a[href]") if node.parent is not None else []
    shown = node.attributes.get("class") or node.attributes.get("aria-label")
    return not shown and any(map(html.text_of, others))


def _name_of(text: str) -> str:
    """Return what a text calls a document; the name of a file like PC0116_0.pdf is none."""
    stem = FORMAT.sub("", text)
    return "" if stem != text and not re.search(r"[^\W\d_]{4}", stem) else html.name_in(text)


def _said_between(block: LexborNode, node: LexborNode) -> str:
    """Return what a block says between the link before one and that one."""
    said = ""
    in_links: set[int] = set()
    for each in block.traverse(include_text=True):
        if each.mem_id == node.mem_id:
            break
        if each.tag == "a" and each.attributes.get("href"):
            said = ""
            in_links |= {text.mem_id for text in each.traverse(include_text=True)}
        elif each.tag == "-text" and each.mem_id not in in_links:
            said += f" {each.text_content or ''}"
    return said


def _says_only_download(text: str) -> bool:
    """Whether a text says nothing about what a link leads to."""
    return not (html.name_in(text) or naming.find_kind(text) or naming.date_below(["2000"], text))


def _kind_before(block: LexborNode, node: LexborNode) -> str:
    """Return the kind that is said before a link that says nothing: "Agenda (HTML) (PDF)".

    What a link says is about that one alone.
    """
    kind, said = "", ""
    in_links: set[int] = set()
    for each in block.traverse(include_text=True):
        if each.tag == "-text" and each.mem_id not in in_links:
            said += f" {each.text_content or ''}"
        elif each.tag == "a" and each.attributes.get("href"):
            if kinds := naming.find_kinds(said):
                kind = kinds.pop() if len(kinds) == 1 else ""
            if each.mem_id == node.mem_id:
                return kind
            in_links |= {text.mem_id for text in each.traverse(include_text=True)}
            of_link, said = html.text_of(each), ""
            if naming.find_kind(of_link) or html.name_in(of_link):
                kind = ""
    return ""


def _is_frame(element: LexborNode) -> bool:
    """Whether a row of a table only arranges the parts of a page, with tables or headings in it."""
    return element.tag == "tr" and (
        element.css_first("table") is not None or len(element.css(_HEADINGS)) > 1
    )


def _day_outside_links(row: LexborNode, node: LexborNode, dated: html.DatedPage) -> date | None:
    """Return the one day that a row says outside of other links, such as those to videos."""
    in_links = {
        text.mem_id
        for link in row.css("a[href]")
        if link.mem_id != node.mem_id
        for text in link.traverse(include_text=True)
    }
    said = " | ".join(
        (each.text_content or "").strip()
        for each in row.traverse(include_text=True)
        if each.tag == "-text" and each.mem_id not in in_links
    )
    days = dict(naming.find_dates(said, day_first=dated.day_first))
    return next(iter(days)) if len(days) == 1 else None


def _day_by_columns(day: date, node: LexborNode, dated: html.DatedPage) -> date | None:
    """Return the day of a row: that in the column made for it, and none of "Last modified"."""
    columns = [(header, dict(dated.dates(cell))) for header, cell in _columns(node)]
    for header, days in columns:
        made_for_it = _DAY_COLUMN.fullmatch(header) and not _OTHER_DAY_COLUMN.search(header)
        if made_for_it and len(days) == 1:
            return next(iter(days))
    said_by = [header for header, days in columns if day in days]
    if not said_by or not all(map(_OTHER_DAY_COLUMN.search, said_by)):
        return day
    others = {
        each for header, days in columns if not _OTHER_DAY_COLUMN.search(header) for each in days
    }
    return others.pop() if len(others) == 1 else None


def _day_of_named_document(node: LexborNode, dated: html.DatedPage) -> date | None:
    """Return the one day of the cell that calls a document of its row "Minutes of January 2, 2024".

    A column with another day is of when it was put there.
    """
    for _, cell in _columns(node):
        days = dict(dated.dates(cell))
        says_kind = naming.find_kind(dated.text(cell)) and cell.css_first("a[href]") is None
        if len(days) == 1 and says_kind:
            return next(iter(days))
    return None


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
        if each.mem_id != node.mem_id and not says_nothing_but_a_meeting(dated.text(each))
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
        if _is_frame(element):
            break
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


def _lead_of_block(node: LexborNode) -> str:
    """Return what a block says before its first link, if that names one day without a year."""
    for block in html.ancestors(node):
        if block.tag not in _BLOCKS or len(html.text_of(block)) > _LONGEST_AROUND:
            return ""
        first = block.css_first("a[href]")
        lead = html.text_before(block, first if first is not None else node)
        if naming.only_date_below(["2000"], lead):
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


def leads_to_document(url: str, text: str) -> bool:
    """Whether a link leads to a file, by its address or by what it says next to a file handler.

    A page is one if its address has a kind and a date, and the link says the day.
    """
    if DOCUMENT_LINK.search(url):
        return True
    if not _FILE_HANDLER.search(url):
        return False
    path = unquote(urlsplit(url).path)
    says_day = naming.date_below(["2000"], text) and naming.find_date(file_name_of(url))
    return bool(naming.find_kind(text) or (says_day and naming.find_kind(path)))


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
        if _NAME_COLUMN.fullmatch(header) and not FORMAT.search(html.text_of(cell)):
            # Documents may be in the same cell.
            link = cell.css_first("a[href]")
            before = html.text_before(cell, link) if link is not None else ""
            return naming.body_of_meeting(html.name_in(before or html.text_of(cell)))
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
                if naming.find_date(" ".join(said)) or any(map(DOCUMENT_LINK.search, linked)):
                    continue
            return list(zip(said, [above, *cells] if above is not None else cells, strict=True))
    return []


def _is_of_several_bodies(node: LexborNode) -> bool:
    """Whether the row of a link has a column for each of several bodies."""
    headers = [header for header, _ in _columns(node)]
    bodies = [each for each in headers if naming.BODY_WORD.search(each)]
    return len(bodies) > 1 and not any(map(naming.find_kind, bodies))


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
