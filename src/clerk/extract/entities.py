"""Find people, bodies, amounts, dates, addresses and numbers of laws, each where it is printed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date
from decimal import Decimal, InvalidOperation

from .context import DocumentText
from .model import Entity
from .names import STOPS
from .text import Phrase, line_start, word_set

PERSON = "person"
BODY = "body"
MONEY = "money"
DATE = "date"
ADDRESS = "address"
ORDINANCE = "ordinance"
RESOLUTION = "resolution"
BILL = "bill"

TYPES = (PERSON, BODY, MONEY, DATE, ADDRESS, ORDINANCE, RESOLUTION, BILL)

_Found = tuple[str, int, int, str, str | None]

_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9}
_MONEY = re.compile(
    r"(?P<sign>[$€£]) ?(?P<amount>\d{1,15}(?:,\d{3}){0,5}(?:\.\d{1,2})?)(?: (?P<scale>thousand"
    r"|million|billion)\b)?"
)
_CURRENCIES = {"$": "USD", "€": "EUR", "£": "GBP"}

_YEAR = """
    january february march april may june july august september october november december
"""
_MONTHS = _YEAR.split()
_MONTH_NAME = Phrase(_YEAR, "|".join(_MONTHS))
_DAY_AND_YEAR = re.compile(r" {1,2}(\d{1,2})(?:st|nd|rd|th)?,? {1,2}((?:19|20)\d\d)\b")
_YEAR_AFTER = re.compile(r",? {1,2}((?:19|20)\d\d)\b")
_DAY_BEFORE = re.compile(r"(?<!\d)(\d{1,2})(?:st|nd|rd|th)? {1,2}(?:day {1,2}of {1,2})?$")
_ISO_DATE = re.compile(r"-(?<=\d\d\d\d-)(\d\d)-(\d\d)(?![\d-])")
_NUMBER_DATE = re.compile(r"/(?<=\d/)(\d{1,2})/((?:19|20)\d\d|\d\d)(?![\d/])")
_NUMBER_BEFORE = re.compile(r"(?<![\d/-])\d{1,4}$")

_STREET = re.compile(
    r"(?P<number>[0-9](?<!\w\d)\d{0,5}[A-Z]?) (?:[NSEW]\.? |North |South |East "
    r"|West )?(?:[A-Z0-9][\w.'-]{0,24} ){1,4}"
    r"(?:Street|St|Avenue|Ave|Road|Rd|Drive|Dr|Lane|Ln|Boulevard|Blvd|Court|Ct|Place|Pl|Way"
    r"|Highway|Hwy|Parkway|Pkwy|Circle|Terrace|Square)\b\.?"
)

_LAW = Phrase(
    "ordinance resolution by-law bylaw bill house senate assembly",
    r"(?P<kind>ordinance|resolution|by-?law|bill|house bill|senate bill"
    r"|assembly bill)s?(?: (?:no|number|nos|num)\b\.?| #|:)?:? {1,2}"
    r"(?P<number>(?:[a-z]{1,4}[- ]?)?\d[\w./-]{0,18}\w|\d)",
)
_BILL = Phrase(
    "HB SB AB HR LB LD HF SF",
    r"(?P<kind>HB|SB|AB|HR|LB|LD|HF|SF)[- ]?(?P<number>\d{1,2}-\d{2,4}|\d{1,5})\b",
)

_BODY_NOUN = Phrase(
    (
        "Council Board Commi Authority Department Association Agency Bureau Foundation "
        "Corporation Company Inc LLC University College Society Trust Coalition Alliance Task "
        "Subcommittee School"
    ),
    r"(?:Council|Board|Commission|Committee|Authority|Department|Association|Agency|Bureau"
    r"|Foundation|Corporation"
    r"|Company|Inc|LLC|University|College|Society|Trust|Coalition|Alliance|Task Force"
    r"|Subcommittee|School District)\b",
)
_BODY_BEFORE = re.compile(r"(?:[A-Z][\w&'.-]{0,24}(?: (?:of|and|for|&))? ){1,5}$")
_BODY_AFTER = re.compile(
    r" of (?:the )?(?:[A-Z][\w&'-]{1,24})(?:(?: and| &)? [A-Z][\w&'-]{1,24}){0,3}"
)
_NOT_IN_BODY = re.compile(
    r"^(?:(?:The|This|That|A|An|In|On|At|By|To|Motion|Moved|Minutes|Mr|Mrs|Ms|Dr|Regular"
    r"|Special|Meeting|And|For|When|If)\.? )+"
)

_ROLE = Phrase(
    (
        "Council Commissioner Director Trustee Supervisor Select Alder Mayor Member Chair "
        "President Secretary Treasurer Manager Attorney Administrator Clerk Engineer Chief "
        "Superintendent Solicitor Planner Senator Representative Cllr Judge Mr Ms Miss Dr"
    ),
    r"(?:Council(?:member|man|woman|person|or|lor)|Commissioner|Director|Trustee|Supervisor"
    r"|Select(?:man|woman|person)|Alder(?:man|woman|person)|Mayor(?: Pro[ -]Tem(?:pore)?)?|Member"
    r"|Chair(?:man|woman|person)?|President|Secretary|Treasurer|Manager|Attorney|Administrator"
    r"|Clerk|Engineer|Chief|Superintendent|Solicitor|Planner|Senator|Representative|Cllr|Judge"
    r"|(?P<courtesy>Mr|Mrs|Ms|Dr|Miss))\.? (?=[A-Z])",
)
_ROLE_WORDS = (
    *("Vice ", "Deputy ", "Acting ", "Assistant ", "Interim ", "Mayor ", "Council ", "Board "),
    *("Committee ", "City ", "Town ", "County ", "Village ", "Police ", "Fire ", "Public Works "),
    *("Finance ", "School "),
)
_ROLE_BEFORE = re.compile(rf"\b(?:{'|'.join(_ROLE_WORDS)}){{1,2}}$")
_ROLE_BEHIND = re.compile(
    r", (?P<role>(?:[A-Z][\w&/-]{1,20} ){0,4}"
    r"(?:Director|Manager|Clerk|Attorney|Engineer|Chief|Superintendent|Treasurer|Secretary"
    r"|President|Chairman|Chair|Mayor|Planner|Administrator|Officer|Analyst)\b)"
)
_NAME_BEFORE = re.compile(r"\b[A-Z][\w'-]{1,20}(?: [A-Z]\.)?(?: [A-Z][\w'-]{1,20}){1,2}$")


def find_entities(doc: DocumentText) -> list[Entity]:
    """Return the entities in the order of the text; of two that overlap, the longer."""
    found = sorted(_all(doc), key=lambda each: (each[1], each[1] - each[2]))
    return [_entity(doc, each) for each in _apart(found)]


def _all(doc: DocumentText) -> Iterator[_Found]:
    yield from _money(doc)
    yield from _dates(doc)
    yield from _addresses(doc)
    yield from _laws(doc)
    yield from _bodies(doc)
    yield from _people(doc)


def _apart(found: Iterable[_Found]) -> Iterator[_Found]:
    done = -1
    for each in found:
        if each[1] >= done:
            yield each
            done = each[2]


def _entity(doc: DocumentText, found: _Found) -> Entity:
    kind, start, end, value, role = found
    page = doc.normal.page_at(start)
    page_start, page_end = doc.normal.page_bounds(page)
    return Entity(
        type=kind,
        text=doc.original[start:end],
        value=value,
        role=role,
        page=page,
        start=start,
        end=end,
        page_start=start - page_start,
        page_end=min(end, page_end) - page_start,
    )


def _money(doc: DocumentText) -> Iterator[_Found]:
    for match in _MONEY.finditer(doc.lower):
        try:
            amount = Decimal(match["amount"].replace(",", "")) * _SCALES.get(match["scale"], 1)
        except InvalidOperation:
            continue
        yield MONEY, match.start(), match.end(), f"{amount:f} {_CURRENCIES[match['sign']]}", None


def _dates(doc: DocumentText) -> Iterator[_Found]:
    for start, end, year, month, day in (*_written_dates(doc.lower), *_number_dates(doc)):
        try:
            value = date(year if year > 99 else 2000 + year, month, day).isoformat()
        except ValueError:
            continue
        yield DATE, start, end, value, None


def _written_dates(lower: str) -> Iterator[tuple[int, int, int, int, int]]:
    """Yield ``May 4, 2031`` and ``4th day of May 2031`` as (start, end, year, month, day)."""
    for name in _MONTH_NAME.find(lower):
        month = _MONTHS.index(name[0]) + 1
        if after := _DAY_AND_YEAR.match(lower, name.end()):
            yield name.start(), after.end(), int(after[2]), month, int(after[1])
            continue
        year = _YEAR_AFTER.match(lower, name.end())
        floor = max(0, name.start() - 16)
        before = _DAY_BEFORE.search(lower[floor : name.start()]) if year else None
        if year and before:
            yield floor + before.start(), year.end(), int(year[1]), month, int(before[1])


def _number_dates(doc: DocumentText) -> Iterator[tuple[int, int, int, int, int]]:
    """Yield ``2031-05-04`` and ``5/4/2031`` as (start, end, year, month, day)."""
    lower = doc.lower
    for iso in _ISO_DATE.finditer(lower):
        start = iso.start() - 4
        if _NUMBER_BEFORE.search(lower[max(0, start - 1) : iso.start()]):
            yield start, iso.end(), int(lower[start : iso.start()]), int(iso[1]), int(iso[2])
    for numbers in _NUMBER_DATE.finditer(lower):
        month = _NUMBER_BEFORE.search(lower[max(0, numbers.start() - 4) : numbers.start()])
        if month is not None and len(month[0]) <= 2:
            start = numbers.start() - len(month[0])
            yield start, numbers.end(), int(numbers[2]), int(month[0]), int(numbers[1])


def _addresses(doc: DocumentText) -> Iterator[_Found]:
    for match in _STREET.finditer(doc.text):
        yield ADDRESS, match.start(), match.end(), " ".join(match[0].split()).rstrip("."), None


def _laws(doc: DocumentText) -> Iterator[_Found]:
    for match in _LAW.find(doc.lower):
        kind = match["kind"].replace("-", "")
        type_ = BILL if kind.endswith("bill") else RESOLUTION if kind == "resolution" else ORDINANCE
        yield type_, match.start(), match.end(), match["number"].upper().replace(" ", ""), None
    for match in _BILL.find(doc.text):
        yield BILL, match.start(), match.end(), f"{match['kind']}{match['number']}", None


def _bodies(doc: DocumentText) -> Iterator[_Found]:
    text = doc.text
    for noun in _BODY_NOUN.find(text):
        floor = line_start(text, max(0, noun.start() - 1), 79)
        before = _BODY_BEFORE.search(text[floor : noun.start()])
        after = _BODY_AFTER.match(text, noun.end())
        if before is None and after is None:
            continue
        start = floor + before.start() if before else noun.start()
        cut = _NOT_IN_BODY.match(text[start : noun.start()])
        start += cut.end() if cut else 0
        end = after.end() if after else noun.end()
        if start < noun.start() or after is not None:
            yield BODY, start, end, " ".join(text[start:end].split()), None


def _people(doc: DocumentText) -> Iterator[_Found]:
    text, _known = doc.text, doc.roster.known
    for match in _ROLE.find(text):
        name = doc.name_at(match.end())
        if name is None or name.start != match.end() or _is_office(name.text):
            continue
        floor = max(0, match.start() - 40)
        words = text[floor : match.start()]
        told = words.removesuffix("\n").endswith(_ROLE_WORDS)
        before = _ROLE_BEFORE.search(words) if told else None
        start = floor + before.start() if before else match.start()
        role = None if match["courtesy"] else text[start : match.end()].strip(" .")
        yield PERSON, start, name.end, name.text, role
    for match in _ROLE_BEHIND.finditer(text):
        floor = max(0, match.start() - 70)
        before = _NAME_BEFORE.search(text[floor : match.start()])
        if before is not None and not _is_office(before[0]):
            yield PERSON, floor + before.start(), match.end(), before[0], match["role"]


#: Words of departments and headings that stand where a name might.
_OFFICE = word_set(
    """
    operations maintenance services service engineering works planning finance development resources
    human community economic recreation parks utilities transportation communications relations
    education safety affairs administration manager director officer verbal update introduction
    """
)


def _is_office(name: str) -> bool:
    return any(word.lower() in _OFFICE or word.lower() in STOPS for word in name.split())
