"""Find people, bodies, amounts, dates, addresses and numbers of laws, each where it is printed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date
from decimal import Decimal, InvalidOperation

from .cues import Reading
from .model import Entity
from .names import read_name

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
_MONTH = "|".join(_MONTHS)
_DATE = re.compile(
    rf"\b(?P<month>{_MONTH}) {{1,2}}(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,? {{1,2}}(?P<year>(?:19"
    rf"|20)\d\d)\b"
    rf"|\b(?P<day2>\d{{1,2}})(?:st|nd|rd"
    rf"|th)? {{1,2}}(?:day {{1,2}}of {{1,2}})?(?P<month2>{_MONTH}),? {{1,2}}(?P<year2>(?:19"
    rf"|20)\d\d)\b"
    r"|\b(?P<iso>(?:19|20)\d\d-\d\d-\d\d)\b"
    r"|(?<![\d/])(?P<number>\d{1,2}/\d{1,2}/(?:(?:19|20)\d\d|\d\d))(?![\d/])"
)

_STREET = re.compile(
    r"\b(?P<number>\d{1,6}[A-Z]?) (?:[NSEW]\.? |North |South |East "
    r"|West )?(?:[A-Z0-9][\w.'-]{0,24} ){1,4}"
    r"(?:Street|St|Avenue|Ave|Road|Rd|Drive|Dr|Lane|Ln|Boulevard|Blvd|Court|Ct|Place|Pl|Way"
    r"|Highway|Hwy|Parkway|Pkwy|Circle|Terrace|Square)\b\.?"
)

_LAW = re.compile(
    r"\b(?P<kind>ordinance|resolution|by-?law|bill|house bill|senate bill"
    r"|assembly bill)s?(?: (?:no|number|nos|num)\b\.?| #|:)?:? {1,2}"
    r"(?P<number>(?:[a-z]{1,4}[- ]?)?\d[\w./-]{0,18}\w|\d)"
)
_BILL = re.compile(r"\b(?P<kind>HB|SB|AB|HR|LB|LD|HF|SF)[- ]?(?P<number>\d{1,2}-\d{2,4}|\d{1,5})\b")

_BODY_NOUN = re.compile(
    r"\b(?:Council|Board|Commission|Committee|Authority|Department|Association|Agency|Bureau"
    r"|Foundation|Corporation"
    r"|Company|Inc|LLC|University|College|Society|Trust|Coalition|Alliance|Task Force"
    r"|Subcommittee|School District)\b"
)
_BODY_BEFORE = re.compile(r"(?:[A-Z][\w&'.-]{0,24}(?: (?:of|and|for|the|&))? ){1,5}$")
_BODY_AFTER = re.compile(
    r" of (?:the )?(?:[A-Z][\w&'-]{1,24})(?:(?: and| &)? [A-Z][\w&'-]{1,24}){0,3}"
)
_NOT_IN_BODY = re.compile(
    r"^(?:(?:The|This|That|A|An|In|On|At|By|To|Motion|Moved|Minutes|Mr|Mrs|Ms|Dr|Regular"
    r"|Special|Meeting|And|For|When|If)\.? )+"
)

_ROLE = re.compile(
    r"\b(?P<role>(?:Vice |Deputy |Acting |Assistant |Interim |Mayor |Council |Board |Committee "
    r"|City |Town |County |Village |Police |Fire |Public Works |Finance |School ){0,2}"
    r"(?:Council(?:member|man|woman|person|or|lor)|Commissioner|Director|Trustee|Supervisor"
    r"|Select(?:man|woman|person)|Alder(?:man|woman|person)|Mayor(?: Pro[ -]Tem(?:pore)?)?"
    r"|Member|Chair(?:man|woman|person)?|President|Secretary|Treasurer|Manager|Attorney"
    r"|Administrator|Clerk|Engineer|Chief|Superintendent|Solicitor|Planner|Senator|Representative"
    r"|Cllr|Judge))\.? (?=[A-Z])"
    r"|\b(?P<courtesy>Mr|Mrs|Ms|Dr|Miss)\.? (?=[A-Z])"
)
_NAMED_ROLE = re.compile(
    r"(?P<name>[A-Z][\w'-]{1,20}(?: [A-Z]\.)?(?: [A-Z][\w'-]{1,20}){1,2}), "
    r"(?P<role>(?:[A-Z][\w&/-]{1,20} ){0,4}"
    r"(?:Director|Manager|Clerk|Attorney|Engineer|Chief|Superintendent|Treasurer|Secretary"
    r"|President|Chairman|Chair|Mayor|Planner|Administrator|Officer|Analyst)\b)"
)


def find_entities(reading: Reading) -> list[Entity]:
    """Return the entities in the order of the text; of two that overlap, the longer."""
    found = sorted(_all(reading), key=lambda each: (each[1], each[1] - each[2]))
    return [_entity(reading, each) for each in _apart(found)]


def _all(reading: Reading) -> Iterator[_Found]:
    yield from _money(reading)
    yield from _dates(reading)
    yield from _addresses(reading)
    yield from _laws(reading)
    yield from _bodies(reading)
    yield from _people(reading)


def _apart(found: Iterable[_Found]) -> Iterator[_Found]:
    done = -1
    for each in found:
        if each[1] >= done:
            yield each
            done = each[2]


def _entity(reading: Reading, found: _Found) -> Entity:
    kind, start, end, value, role = found
    page = reading.document.page_at(start)
    page_start, page_end = reading.document.page_bounds(page)
    return Entity(
        type=kind,
        text=reading.document.original[start:end],
        value=value,
        role=role,
        page=page,
        start=start,
        end=end,
        page_start=start - page_start,
        page_end=min(end, page_end) - page_start,
    )


def _money(reading: Reading) -> Iterator[_Found]:
    for match in _MONEY.finditer(reading.lower):
        try:
            amount = Decimal(match["amount"].replace(",", "")) * _SCALES.get(match["scale"], 1)
        except InvalidOperation:
            continue
        yield MONEY, match.start(), match.end(), f"{amount:f} {_CURRENCIES[match['sign']]}", None


def _dates(reading: Reading) -> Iterator[_Found]:
    for match in _DATE.finditer(reading.lower):
        day = _day(match)
        if day is not None:
            yield DATE, match.start(), match.end(), day.isoformat(), None


def _day(match: re.Match[str]) -> date | None:
    try:
        if match["iso"]:
            return date.fromisoformat(match["iso"])
        if match["number"]:
            month, day, year = (int(part) for part in match["number"].split("/"))
            return date(year if year > 99 else 2000 + year, month, day)
        name = match["month"] or match["month2"]
        year, day = int(match["year"] or match["year2"]), int(match["day"] or match["day2"])
        return date(year, _MONTHS.index(name) + 1, day)
    except ValueError:
        return None


def _addresses(reading: Reading) -> Iterator[_Found]:
    for match in _STREET.finditer(reading.text):
        yield ADDRESS, match.start(), match.end(), " ".join(match[0].split()), None


def _laws(reading: Reading) -> Iterator[_Found]:
    for match in _LAW.finditer(reading.lower):
        kind = match["kind"].replace("-", "")
        type_ = BILL if kind.endswith("bill") else RESOLUTION if kind == "resolution" else ORDINANCE
        yield type_, match.start(), match.end(), match["number"].upper().replace(" ", ""), None
    for match in _BILL.finditer(reading.text):
        yield BILL, match.start(), match.end(), f"{match['kind']}{match['number']}", None


def _bodies(reading: Reading) -> Iterator[_Found]:
    text = reading.text
    for noun in _BODY_NOUN.finditer(text):
        floor = max(0, noun.start() - 80)
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


def _people(reading: Reading) -> Iterator[_Found]:
    text, known = reading.text, reading.roster.known
    for match in _ROLE.finditer(text):
        name = read_name(text, match.end(), known)
        if name is not None and name.start == match.end():
            yield PERSON, match.start(), name.end, name.text, match["role"]
    for match in _NAMED_ROLE.finditer(text):
        yield (
            PERSON,
            match.start(),
            match.end(),
            " ".join(match["name"].split()),
            match["role"].strip(),
        )
