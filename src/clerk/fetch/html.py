"""Reading HTML: links, cells and texts, the way every platform's page needs them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from html import unescape
from typing import NamedTuple
from urllib.parse import parse_qs, urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from clerk.core import lazy_re as re

from . import naming


def parsed(html: str) -> LexborHTMLParser:
    """Return the tree of a page."""
    return LexborHTMLParser(html)


def text_of(node: LexborNode | None) -> str:
    """Return a node's text with single spaces."""
    return re.sub(r"\s+", " ", node.text(separator=" ")).strip() if node else ""


def href_of(node: LexborNode, base: str) -> str:
    """Return where a link or an entry of a menu leads, whole, or an empty text."""
    attributes = node.attributes
    return joined(_base_of(node, base), attributes.get("href") or attributes.get("value") or "")


def _base_of(node: LexborNode, page_url: str) -> str:
    """Return the address that the links of an element's page are relative to."""
    head = node.parser.head if node.parser else None
    stated = head.css_first("base[href]") if head is not None else None
    return joined(page_url, stated.attributes.get("href") or "") if stated else page_url


def joined(base: str, url: str) -> str:
    """Return a URL seen from its page; an empty text if it leads nowhere on the web."""
    url = url.strip()
    if not url or url.startswith("#"):
        return ""
    try:
        whole = urljoin(base, url)
        if _WRAPPER.match(whole):
            inner = parse_qs(urlsplit(whole).query)
            named = [inner[name][0] for name in ("url", "q", "src", "file") if name in inner]
            whole = urljoin(base, named[0]) if named else whole
    except ValueError:
        return ""
    return whole if re.match(r"https?://", whole, re.IGNORECASE) else ""


#: Addresses of counters of clicks and of viewers, with that of the document as a parameter.
_WRAPPER = re.compile(
    r"https?://(?:www\.google\.[a-z.]+/url\?|docs\.google\.com/(?:viewer|gview)\?"
    r"|view\.officeapps\.live\.com/op/|[\w.]+\.safelinks\.protection\.outlook\.com/|l\.facebook\.com/l\.php\?"
    r"|[^?#]*/(?:web/)?viewer\.html\?)",
    re.IGNORECASE,
)
#: Where a script of a link leads: window.open('...'), location.href = '...', openFile("...").
_SCRIPTED = re.compile(r"""['"]((?:https?:)?//[^'"]+|[^'"\s]*[/?.][^'"\s]*)['"]""")
#: A part of a date that may be an element of its own: Nov, 18, 2025.
_PART_OF_DATE = re.compile(r"[^\W\d_]{3,9}[.,]?|[0-3]?[0-9](?:st|nd|rd|th)?[.,]?|(?:19|20)[0-9]{2}")
_INLINE = frozenset(
    ("a", "abbr", "b", "em", "font", "i", "small", "span", "strong", "sup", "time", "u")
)
_EPOCH = re.compile(r"(?<![0-9])1[0-9]{9}(?![0-9])")


def _text_in_blocks(node: LexborNode) -> str:
    """Return a node's text as DatedPage does, with a bar between blocks instead of a space.

    The end of one entry and the title of the next are no date: "September 18", "2025 Minutes".
    """
    said, before, block, is_broken = "", "", 0, False
    for each in node.traverse(include_text=True):
        is_broken = is_broken or each.tag == "br"
        text = " ".join((each.text_content or "").split()) if each.tag == "-text" else ""
        if not text:
            continue
        around = next((it for it in ancestors(each) if it.tag not in _INLINE), node)
        # A line may end after "December 5,".
        goes_on = not is_broken or before.endswith(",")
        is_whole = (around.mem_id == block and goes_on) or (
            _PART_OF_DATE.fullmatch(before) and _PART_OF_DATE.fullmatch(text)
        )
        said += f"{' ' if is_whole else '|'}{text}" if said else text
        before, block, is_broken = text, around.mem_id, False
    return _EPOCH.sub(" ", said)


def targets(node: LexborNode, base: str) -> list[str]:
    """Return where an element leads: its link, and the addresses in its scripts."""
    href = (node.attributes.get("href") or "").strip()
    if node.tag == "option":
        href = node.attributes.get("value") or ""
    scripts = [node.attributes.get("onclick") or ""]
    if href.lower().startswith("javascript:"):
        scripts.append(unescape(href))
        href = ""
    found = [href, *(match for script in scripts for match in _SCRIPTED.findall(script))]
    base = _base_of(node, base)
    return [url for each in found if (url := joined(base, each))]


class DatedRow(NamedTuple):
    """The element around a link that holds its date, the day, and the text from that day on."""

    row: LexborNode
    day: date
    rest: str


class DatedPage:
    """A page whose links stand next to the dates they belong to, in whatever layout.

    The date of a link is that of the smallest element around it that holds one; where that element
    holds several, the last one before the link.
    """

    #: A longer text is not about one link.
    LONGEST = 20_000

    def __init__(self, markup: str, base: str, *, day_first: bool = False) -> None:
        self.tree = parsed(markup)
        self.base = base
        self.day_first = day_first
        self._texts: dict[int, str] = {}
        self._dates: dict[int, list[tuple[date, int]]] = {}
        self._titles: dict[int, list[tuple[int, int, int]]] = {}

    def links(self, pattern: re.Pattern[str]) -> list[tuple[LexborNode, str]]:
        """Return the elements that lead to an address like this, with the address."""
        return [
            (node, url)
            for node in self.tree.css("a, area[href], input[onclick], button[onclick], option")
            for url in targets(node, self.base)
            if pattern.search(url)
        ]

    def text(self, node: LexborNode) -> str:
        """Return a node's text, without seconds that are hidden in front of a date."""
        known = self._texts.get(node.mem_id)
        if known is None:
            known = self._texts[node.mem_id] = _EPOCH.sub(" ", text_of(node))
        return known

    def dates(self, node: LexborNode) -> list[tuple[date, int]]:
        """Return the dates in a node's text, each with where it ends."""
        found = self._dates.get(node.mem_id)
        if found is None:
            found = naming.find_dates(self.text(node), day_first=self.day_first)
            if found:
                found = naming.find_dates(_text_in_blocks(node), day_first=self.day_first)
            # "Mon 9" may be a whole date for programs.
            stamps = [] if found else node.css("time[datetime]")
            if len(stamps) == 1:
                end = len(f"{text_before(node, stamps[0])} {text_of(stamps[0])}".strip())
                days = naming.find_dates(stamps[0].attributes["datetime"] or "")
                found = [(day, end) for day, _ in days[:1]]
            self._dates[node.mem_id] = found
        return found

    def is_undated(self, node: LexborNode) -> bool:
        """Whether a node is short and says no date; what is long is about several meetings."""
        text = self.text(node)
        if len(text) > self.LONGEST or naming.find_date(text, day_first=self.day_first):
            return False
        return not self.dates(node)

    def row_of(self, node: LexborNode) -> LexborNode | None:
        """Return the smallest element around a link that holds a date."""
        row: LexborNode | None = node
        while row is not None and row.tag not in ("body", "html"):
            if len(self.text(row)) > self.LONGEST:
                return None
            if self.dates(row):
                return row
            row = row.parent
        return None

    def dated_row(self, node: LexborNode) -> DatedRow | None:
        """Return the smallest element around a link that holds a date, if that is the link's."""
        row = self.row_of(node)
        found = self.date_of(node, row) if row is not None else None
        return DatedRow(row, *found) if row is not None and found else None

    def date_of(self, node: LexborNode, row: LexborNode) -> tuple[date, str] | None:
        """Return the date of a link in its row, and the text from that date on.

        The row may be all of a table or list whose other entries have dates, or hold sections with
        titles of their own, and those dates are not this link's.
        """
        if self._is_of_another_entry(node, row):
            return None
        dates = self.dates(row)
        if node.mem_id != row.mem_id:
            at = self._length_before(row, node)
            lines = (each for each in ancestors(node) if each.tag in ("tr", "li", "p", "dd"))
            line = next(lines, None)
            ends = at if line is not None and not self.dates(line) else len(self.text(row))
            dates = [
                (day, end)
                for day, end in dates
                if end <= ends and not self._is_of_another_section(row, at, end)
            ]
            start, stop = self._line_around(row, node)
            on_line = [each for each in dates if start < each[1] <= stop]
            if len({day for day, _ in on_line}) == 1:
                # "Click here for January 6, 2024", each on a line of one paragraph
                dates = on_line
            earlier = [each for each in dates if each[1] <= at]
            if earlier and len({day for day, _ in dates}) > 1:
                dates = earlier[-1:]
        return (dates[0][0], self.text(row)[dates[0][1] :]) if dates else None

    def _line_around(self, row: LexborNode, node: LexborNode) -> tuple[int, int]:
        """Return where the line of a link, between two breaks, begins and ends in a row's text."""
        texts: list[str] = []
        begins, is_behind = 0, False
        for each in row.traverse(include_text=True):
            is_behind = is_behind or each.mem_id == node.mem_id
            if each.tag == "-text":
                texts.append(each.text_content or "")
            elif each.tag == "br" and is_behind:
                break
            elif each.tag == "br":
                begins = len(texts)
        start, stop = (" ".join(" ".join(part).split()) for part in (texts[:begins], texts))
        return len(_EPOCH.sub(" ", start)), len(_EPOCH.sub(" ", stop))

    def _length_before(self, row: LexborNode, node: LexborNode) -> int:
        return len(_EPOCH.sub(" ", text_before(row, node)))

    def _is_of_another_section(self, row: LexborNode, at: int, end: int) -> bool:
        """Whether a title stands between a date, which ends there, and a link.

        A title of lower rank belongs to the one that says the date.
        """
        titles = self._titles.get(row.mem_id)
        if titles is None:
            titles = self._titles[row.mem_id] = [
                (start, start + len(self.text(each)), _LEVELS[each.tag or ""])
                for each in row.css(", ".join(_LEVELS))
                for start in [self._length_before(row, each)]
            ]
        before = naming.without_dates(self.text(row)[:end])
        if len(titles) == 1 and (not before or naming.date_below(["2000"], before)):
            # An entry that begins with its date, perhaps without a year, and then says its title.
            return False
        of_date = next((rank for start, stop, rank in titles if start < end <= stop + 1), 9)
        if end <= at:
            return any(end <= start <= at and rank <= of_date for start, _, rank in titles)
        return len(titles) > 1 and any(at < start < end for start, _, _ in titles)

    def _is_of_another_entry(self, node: LexborNode, row: LexborNode) -> bool:
        """Whether the dates of a table are in rows that are entries of their own."""
        line = next((each for each in ancestors(node) if each.tag == "tr"), None)
        if line is None or row.tag not in ("table", "tbody") or self.dates(line):
            return False
        before = line.prev
        while before is not None and not (before.tag == "tr" and self.dates(before)):
            before = before.prev
        if before is None:
            return True
        return before.css_first("a[href]") is not None and len(before.css("td")) == len(
            line.css("td")
        )


#: Words of links and columns, and lengths of videos, which name no meeting.
_NOT_A_NAME = re.compile(
    r"(?:(?:view|download|open|read|see|watch|listen(?: to)?|get|the|html|pdf|live|revised|"
    r"draft|final|approved|meeting|board|council|agendas?|minutes?|packets?|video|audio|media|mp[34]|captions?|"
    r"summary|notice|event|stream|link|links|documents?|files?|not available|n/?a|in progress|"
    r"upcoming|click|here|this|date|name|duration|new!*|details?|share|ecomment|more|info|[0-9]+h|[0-9]+m|[0-9]+s)"
    r"[\s/,|&:-]*)+",
    re.IGNORECASE,
)


def name_in(text: str) -> str:
    """Return the text without dates and times if it can be a name, else an empty text."""
    if len(text) > 4 * naming.LONGEST_TITLE:
        return ""
    name = naming.without_dates(text)
    if _NOT_A_NAME.fullmatch(name) and not naming.BODY_WORD.search(name):
        return name if re.search(r"meeting$", name, re.IGNORECASE) and " " in name else ""
    return name if re.search(r"[^\W\d_]{3}", name) and len(name) < 300 else ""


def name_of_row(row: LexborNode, dated: DatedPage, name_cells: str = "") -> str:
    """Return what a row calls its meeting: a cell made for the name, else the first that may.

    A cell that names a body comes before one that does not, such as a place.
    """
    for cell in row.css(name_cells) if name_cells else ():
        if name := name_in(dated.text(cell)):
            return name
    names = []
    for cell in row.css("td, th, h1, h2, h3, h4, h5, h6, strong, b, a, span, p, div, li"):
        inner = [each for each in cell.css("td, div, p, a, table") if each.mem_id != cell.mem_id]
        if not inner and (name := name_in(dated.text(cell))):
            names.append(name)
    named = next(filter(naming.BODY_WORD.search, names), "")
    return named or next(iter(names), "") or name_in(dated.text(row)[:300])


def text_before(ancestor: LexborNode, node: LexborNode) -> str:
    """Return the text of an element up to one of the elements in it."""
    texts: list[str] = []
    for each in ancestor.traverse(include_text=True):
        if each.mem_id == node.mem_id:
            break
        if each.tag == "-text":
            texts.append(each.text_content or "")
    return re.sub(r"\s+", " ", " ".join(texts)).strip()


_TITLE_CLASS = re.compile(
    r"(?:accordion|toggle|tab|panel|collaps|card|faq)\w*[-_]+(?:title|head|header|heading|label|link|"
    r"button|toggle|trigger|question)|CollapsiblePanelTab"
    r"|(?:title|header|heading)[-_]+\w*(?:accordion|toggle|tab|panel)",
    re.IGNORECASE,
)


def titles_above(tree: LexborHTMLParser) -> dict[int, tuple[str, ...]]:
    """Return for each link the titles it stands below, the nearest first.

    Titles are headings, captions, headers of accordions, and names that panels and tabs carry.  A
    title in an article, a part that opens, or a margin ends with it; a margin has only its own.
    """
    above: dict[int, tuple[str, ...]] = {}
    levels: dict[tuple[int, float], tuple[str, list[LexborNode]]] = {}
    with_links: set[tuple[int, float]] = set()
    labels = {
        node.attributes.get("id") or "": node for node in tree.css("[id]") if node.attributes["id"]
    }
    panels: dict[int, str] = {}
    for node in tree.css("[data-title], [aria-labelledby], [role=tabpanel], [role=region]"):
        label = labels.get(node.attributes.get("aria-labelledby") or "")
        said = node.attributes.get("data-title") or node.attributes.get("aria-label") or ""
        if said or label is not None:
            panels[node.mem_id] = said or text_of(label)
    for node in tree.css('a[href^="#"]'):
        # A tab leads to its panel.
        panel, said = labels.get((node.attributes["href"] or "")[1:]), text_of(node)
        if panel is not None and any(
            map(
                bool,
                (naming.YEAR.search(said), naming.BODY_WORD.search(said), naming.find_kind(said)),
            )
        ):
            panels.setdefault(panel.mem_id, said)
    for node in tree.css("li"):
        # An entry of a list that has a list of its own is the title of that.
        inner = node.css_first("ul, ol")
        said = text_before(node, inner) if inner is not None else ""
        first = node.css_first("a")
        if said and (first is None or said == text_before(node, first)[: len(said)]):
            panels[node.mem_id] = said[:150]
    if tree.body is None:
        return above
    for node in tree.body.traverse():
        tag = node.tag
        if tag == "option" or node.attributes.get(_LEADS_ON.get(tag or "", "")):
            named = [panels[each.mem_id] for each in ancestors(node) if each.mem_id in panels]
            parts = _parts_around(node)
            with_links |= set(levels)
            known = (levels[level] for level in sorted(levels, reverse=True))
            nearest = [
                title
                for title, of_title in known
                if [each.mem_id for each in of_title]
                == [each.mem_id for each in parts[: len(of_title)]]
                and not any(map(_is_margin, parts[len(of_title) :]))
            ]
            above[node.mem_id] = (*named, *nearest)
        level = 0.0
        if tag in _LEVELS:
            # What a part that opens is called is above all headings in it.
            level = 0.5 if tag == "summary" else _LEVELS[tag]
        elif _is_title(node):
            level = 7
        elif _is_centred(node) and node.css_first("a, table, img") is None:
            level = 6.5
        elif tag == "p":
            # Bold as a whole, with no link in it: the title of what follows.
            bold = node.css_first("strong, b")
            is_bold = bold is not None and text_of(bold) == text_of(node)
            is_kind = _KIND_TITLE.fullmatch(text_of(node)) and not any(
                each.tag in ("td", "li") for each in ancestors(node)
            )
            if (is_bold or is_kind) and node.css_first("a") is None:
                level = 8
        elif tag == "tr" and _names_rows_below(node):
            level = 8
        elif tag in _BOLD and _is_alone_on_its_line(node):
            level = 9
        if level:
            text = text_of(node)
            if text and len(text) < 150:
                parts = _parts_around(node)
                rank = (len(parts), level)
                before = levels.get(rank)
                names_body = bool(naming.BODY_WORD.search(text))
                whole = (rank[0], level - 0.5)
                levels = {
                    each: title
                    for each, title in levels.items()
                    if each < rank and not (each == whole and names_body)
                }
                if (
                    before
                    and rank not in with_links
                    and not names_body
                    and naming.BODY_WORD.search(before[0])
                    and not naming.find_kind(before[0])
                ):
                    # A body's name without documents, above titles of the same rank, is theirs.
                    levels[whole] = before
                with_links.discard(rank)
                levels[rank] = text, parts
    return above


def is_in_margin(node: LexborNode) -> bool:
    """Whether an element is in the footer or the navigation of its page."""
    return any(map(_is_margin, ancestors(node)))


def _is_margin(node: LexborNode) -> bool:
    return node.tag in ("footer", "nav") or (
        node.tag == "div"
        and (node.attributes.get("role") == "contentinfo" or node.attributes.get("id") == "footer")
    )


def _parts_around(node: LexborNode) -> list[LexborNode]:
    """Return the articles, margins and parts that open around an element, the outermost first."""
    around = [
        each for each in ancestors(node) if each.tag in ("article", "details") or _is_margin(each)
    ]
    return around[::-1]


def _is_title(node: LexborNode) -> bool:
    """Whether an element is the header of an accordion, or a year above a list."""
    if node.tag in ("button", "a", "div", "span", "li") and _TITLE_CLASS.search(
        node.attributes.get("class") or ""
    ):
        return True
    own_text = " ".join(node.text(deep=False).split()) if node.tag in _YEAR_TITLES else ""
    says_whose = node.tag == "div" and len(own_text) < 80 and naming.YEAR.search(own_text)
    return bool(
        _YEAR_TITLE.fullmatch(own_text)
        or (
            # "2025 City Council Agendas", and no date
            says_whose
            and naming.find_kind(own_text)
            and naming.BODY_WORD.search(own_text)
            and not naming.date_below(["2000"], own_text)
        )
    ) and own_text == text_of(node)


def _is_centred(node: LexborNode) -> bool:
    """Whether an element is set in the middle of the page, as titles were before style sheets."""
    return node.tag == "center" or (
        node.tag in ("p", "div") and (node.attributes.get("align") or "").lower() == "center"
    )


def _names_rows_below(row: LexborNode) -> bool:
    """Whether one cell of a row says a body, and the others nothing."""
    if row.css_first("a, table") is not None:
        return False
    said = [text for cell in row.css("td, th") if (text := text_of(cell))]
    is_remark = len(said) == 1 and re.match(r"\W*no\b", said[0], re.IGNORECASE)
    return len(said) == 1 and bool(naming.BODY_WORD.search(said[0])) and not is_remark


def _is_alone_on_its_line(node: LexborNode) -> bool:
    """Whether a bold or underlined text without a link ends its line, and begins it."""
    said = text_of(node)
    while (around := node.parent) is not None and around.tag in _INLINE and text_of(around) == said:
        node = around
    before, after = node.prev, node.next
    while before is not None and before.tag == "-text" and not (before.text_content or "").strip():
        before = before.prev
    while after is not None and after.tag == "-text" and not (after.text_content or "").strip():
        after = after.next
    return (
        after is not None
        and after.tag == "br"
        and (before is None or before.tag == "br")
        and node.css_first("a") is None
    )


def ancestors(node: LexborNode) -> Iterator[LexborNode]:
    """Yield the elements around an element, the nearest first."""
    parent = node.parent
    while parent is not None:
        yield parent
        parent = parent.parent


#: A text that is only a year, perhaps with what the list below has: "2006 AGENDAS".
_YEAR_TITLES = frozenset(
    ("div", "p", "td", "th", "dt", "span", "strong", "b", "font", "center", "button")
)
_YEAR_TITLE = re.compile(
    r"(?:(?:agendas?|minutes|meetings?|archives?|and)\b|[\s&:/-])*(?:19|20)[0-9]{2}"
    r"(?:(?:agendas?|minutes|meetings?|archives?|and)\b|[\s&:/-])*",
    re.IGNORECASE,
)
#: A paragraph that is the title of a list: "Meeting Minutes:".
_KIND_TITLE = re.compile(
    r"(?:meeting )?(?:agendas?|minutes)(?: ?(?:&|and|/) ?(?:agendas?|minutes))? ?:?", re.IGNORECASE
)
#: The elements that lead somewhere, and by which attribute.
_LEADS_ON = {
    "a": "href",
    "button": "onclick",
    "input": "onclick",
    "iframe": "src",
    "embed": "src",
    "object": "data",
}
_BOLD = frozenset(("b", "strong", "u"))
_LEVELS = {f"h{level}": level for level in range(1, 7)} | {"summary": 7, "caption": 7, "legend": 7}
