"""Find people, bodies, amounts, dates, addresses and numbers of laws, each where it is printed.

And what people did besides voting: who spoke from the public and for which side, and who declared
an interest or stood aside.

::

    Jane Doe, 12 Elm Street, spoke in opposition to the rezoning.       a speaker against
    Speaking in favor: John Roe, Ann Poe                                two speakers for
    Commissioner Smith recused himself from Case 12.                    a recusal
    Cllr Jones declared an interest in item 7.                          an interest

Members and staff speak all the time: only who is neither, and is said to have spoken at a hearing
or in the time for the public, is a speaker.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from msgspec.structs import replace

from clerk.core import lazy_re as re

from .cues import DocumentText
from .findings import Declaration, Entity, Speaker, place
from .items import Items
from .names import ALSO_SURNAMES, STOPS, TITLES, Name
from .text import Phrase, line_start, pattern, word_set

TYPES = ("person", "body", "money", "date", "address", "ordinance", "resolution", "bill")


class _Found(NamedTuple):
    type: str
    start: int
    end: int
    value: str
    role: str | None = None


def find_entities(doc: DocumentText) -> list[Entity]:
    """Return the entities in the order of the text; of two that overlap, the longer."""
    finders = (money, dates, addresses, laws, bodies, people)
    found = [each for find in finders for each in find(doc)]
    entities: list[Entity] = []
    for each in sorted(found, key=lambda each: (each.start, each.start - each.end)):
        if entities and each.start < entities[-1].end:
            continue
        page = doc.page_at(each.start)
        page_start, page_end = doc.page_bounds(page)
        end = doc.printed_end(each.start, each.end)
        entities.append(
            Entity(
                type=each.type,
                text=doc.original[each.start : end],
                value=each.value,
                role=each.role,
                page=page,
                start=each.start,
                end=end,
                page_start=each.start - page_start,
                page_end=min(end, page_end) - page_start,
            )
        )
    return entities


_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9}
_CURRENCIES = {"$": "USD", "€": "EUR", "£": "GBP"}
_MONEY = re.compile(
    r"(?P<sign>[$€£]) ?(?P<amount>\d{1,15}(?:,\d{3}){0,5}(?:\.\d{1,2})?)(?: (?P<scale>thousand"
    r"|million|billion)\b)?"
)


def money(doc: DocumentText) -> Iterator[_Found]:
    """Yield ``$1.2 million`` as ``1200000.0 USD``."""
    for match in _MONEY.finditer(doc.lower):
        try:
            amount = Decimal(match["amount"].replace(",", "")) * _SCALES.get(match["scale"], 1)
        except InvalidOperation:
            continue
        currency = _CURRENCIES[match["sign"]]
        yield _Found("money", match.start(), match.end(), f"{amount:f} {currency}")


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


def dates(doc: DocumentText) -> Iterator[_Found]:
    """Yield ``May 4, 2031``, ``4th day of May 2031``, ``2031-05-04`` and ``5/4/2031`` as ISO."""
    lower = doc.lower
    found: list[tuple[int, int, str, int, str]] = []
    for name in _MONTH_NAME.find(lower):
        month = _MONTHS.index(name[0]) + 1
        if after := _DAY_AND_YEAR.match(lower, name.end()):
            found.append((name.start(), after.end(), after[2], month, after[1]))
        elif year := _YEAR_AFTER.match(lower, name.end()):
            floor = max(0, name.start() - 16)
            if day := _DAY_BEFORE.search(lower[floor : name.start()]):
                found.append((floor + day.start(), year.end(), year[1], month, day[1]))
    for iso in _ISO_DATE.finditer(lower):
        start = iso.start() - 4
        if _NUMBER_BEFORE.search(lower[max(0, start - 1) : iso.start()]):
            found.append((start, iso.end(), lower[start : iso.start()], int(iso[1]), iso[2]))
    for slashed in _NUMBER_DATE.finditer(lower):
        first = _NUMBER_BEFORE.search(lower[max(0, slashed.start() - 4) : slashed.start()])
        if first is not None and len(first[0]) <= 2:
            start = slashed.start() - len(first[0])
            found.append((start, slashed.end(), slashed[2], int(first[0]), slashed[1]))
    for start, end, printed_year, month, printed_day in found:
        number = int(printed_year)
        try:
            value = date(number if number > 99 else 2000 + number, month, int(printed_day))
        except ValueError:
            continue
        yield _Found("date", start, end, value.isoformat())


_STREET = re.compile(
    r"(?P<number>[0-9](?<!\w\d)\d{0,5}[A-Z]?) (?:[NSEW]\.? |North |South |East "
    r"|West )?(?:[A-Z0-9][\w.'-]{0,24} ){1,4}"
    r"(?:Street|St|Avenue|Ave|Road|Rd|Drive|Dr|Lane|Ln|Boulevard|Blvd|Court|Ct|Place|Pl|Way"
    r"|Highway|Hwy|Parkway|Pkwy|Circle|Terrace|Square)\b\.?"
)


def addresses(doc: DocumentText) -> Iterator[_Found]:
    """Yield ``12 North Elm Street``."""
    for match in _STREET.finditer(doc.text):
        value = " ".join(match[0].split()).rstrip(".")
        yield _Found("address", match.start(), match.end(), value)


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


def laws(doc: DocumentText) -> Iterator[_Found]:
    """Yield the numbers of ordinances, resolutions and bills."""
    for match in _LAW.find(doc.lower):
        kind = match["kind"].rpartition(" ")[2]
        type_ = kind if kind in ("bill", "resolution") else "ordinance"
        number = match["number"].upper().replace(" ", "")
        yield _Found(type_, match.start(), match.end(), number)
    for match in _BILL.find(doc.text):
        yield _Found("bill", match.start(), match.end(), f"{match['kind']}{match['number']}")


_BODY_NOUN = Phrase(
    "Council Board Commi Authority Department Association Agency Bureau Foundation "
    "Corporation Company Inc LLC University College Society Trust Coalition Alliance Task "
    "Subcommittee School",
    r"(?:Council|Board|Commission|Committee|Authority|Department|Association|Agency|Bureau"
    r"|Foundation|Corporation"
    r"|Company|Inc|LLC|University|College|Society|Trust|Coalition|Alliance|Task Force"
    r"|Subcommittee|School District)\b(?! (?:Members?|Vice)\b)",
)
_BODY_BEFORE = re.compile(r"(?:[A-Z][\w&'.-]{0,24}(?: (?:of|and|for|&)(?: the)?)? ){1,8}$")
#: A word in the name of a body, and not of what it does or when.
_BODY_WORD = (
    r"(?!(?:Special|Regular|Annual|(?:Re-?)?[Oo]rgani[sz]ational|Meeting|Minutes|Agenda|Chair\w*|Members?|President|January|February"
    r"|March|April|May|June|July|August|September|October|November|December)\b)[A-Z][\w&'-]{1,24}"
)
_BODY_AFTER = re.compile(
    r" of (?:[Tt]he )?(?:(?:City|Town|Village|County|Borough|Township|District) of (?:the )?)?"
    rf"{_BODY_WORD}(?:(?: and| &)? {_BODY_WORD}){{0,3}}"
)
_NOT_IN_BODY = re.compile(
    r"^(?:(?:Apologies|Chairman|Elect|Select|Appoint|The|This|That|A|An|In|On|At|By|To|Motion|Moved|Minutes|Mr|Mrs|Ms|Dr|Regular"
    r"|Special|Meeting|And|For|When|If|of|and|for|the|&|[A-Z]\.|[IVX]{1,5}\.|Open|Under|With|From|View|See"
    r"|During|After|Before|Joint|Draft|Adjourned|Cancelled|Thank(?:ed|s)?|Informed|Asked|Requested"
    r"|Advised|Directed|Updated|Reminded|Urged|January|February|March|April|May|June|July|August|September"
    r"|October|November|December)\.? )+",
    re.IGNORECASE,
)


_ISLE_OF = re.compile(r"\b[A-Z][a-z]+ of\n$")
_BEFORE_BODY = re.compile(
    r"(?:Meeting|Minute|Schedule|Session|Agenda|Report|Chair|Member|President|Secretary|Clerk"
    r"|Proceeding|Resolution|Ordinance|Review|Election|Update|Form|Letter)\w* (?:of|for|to) "
    r"(?:the )?|\w{3,}\. |(?:Position|Seat|Place) [\w-]{1,6} (?:of|on) (?:the )?"
)


_HEADING_ENDS = re.compile(r"\b(?:Agenda|Minutes|Reports?|Business|Comments?|Items?) {0,3}\n\s*$")


def bodies(doc: DocumentText) -> Iterator[_Found]:
    """Yield ``Planning Commission of Alderbury``."""
    text = doc.text
    for noun in _BODY_NOUN.find(text):
        floor = line_start(text, max(0, noun.start() - 1), 120)
        before = _BODY_BEFORE.search(text[floor : noun.start()])
        after = _BODY_AFTER.match(text, noun.end())
        start = floor + before.start() if before else noun.start()
        # A sentence or a document ends before the name of the body.
        for other in _BEFORE_BODY.finditer(text, start, noun.start()):
            start = other.end()
        for article in (" The ", " of the "):
            # ``Ann Smith of the City's Parks Department``
            if (place := text.rfind(article, start, noun.start())) >= 0:
                start = place + len(article)
        if opening := _NOT_IN_BODY.match(text[start : noun.start()]):
            start += opening.end()
        if start == floor and (cut := _ISLE_OF.search(text, max(0, floor - 24), floor)):
            # ``the Isle of`` ends the line above.
            start = cut.start()
        if _HEADING_ENDS.search(text, start, noun.start()):
            # ``Items not on the Agenda`` ends a line, and the next begins with ``Board``.
            start = noun.start()
        if text[start : noun.start()].endswith((" of ", " of the ")):
            # ``Rules of the Board``
            start = noun.start()
        end = after.end() if after else noun.end()
        kind = text[start : noun.start()].rstrip()
        if kind.endswith(("Regular", "Special", "Annual", "New")) or (
            kind == "General" and text.startswith(" Meeting", noun.end())
        ):
            # ``Water District Special Board Meeting``
            continue
        if start < noun.start() or after is not None:
            yield _Found("body", start, end, " ".join(text[start:end].split()))


_ROLE = Phrase(
    "Council Commissioner Director Trustee Supervisor Select Alder Mayor Member Chair "
    "President Secretary Treasurer Manager Attorney Administrator Clerk Engineer Chief "
    "Superintendent Solicitor Planner Senator Representative Cllr Judge Mr Ms Miss Dr",
    r"(?:Council(?:member|man|woman|person|or|lor)|Commissioner|Director|Trustee|Supervisor"
    r"|Select(?:man|woman|person)|Alder(?:man|woman|person)|Mayor(?: Pro[ -]Tem(?:pore)?)?|Member"
    r"|Chair(?:man|woman|person)?|President|Secretary|Treasurer|Manager|Attorney|Administrator"
    r"|Clerk|Engineer|Chief|Superintendent|Solicitor|Planner|Senator|Representative|Judge"
    r"|(?P<short>Cllr|(?P<courtesy>Mr|Mrs|Ms|Dr|Miss)))\.? (?=[A-Z])",
)
_TITLE_TWICE = re.compile(r"\b([A-Z][a-z]{3,20}) \1\b")
_PLACE_OF_SEAT = re.compile(r"(?:Precinct|Pct\.?|District|Ward|Seat|Place|Position)\s")
_DASH_IN_NAME = re.compile(r"-[a-z]+$")
_NAME_AND_TITLE = re.compile(rf"[A-Z][\w'-]+ (?:{_ROLE.pattern.pattern})")
_ROLE_WORDS = (
    *(
        "Vice ",
        "Vice-",
        "Deputy ",
        "Acting ",
        "Assistant ",
        "Interim ",
        "Mayor ",
        "Council ",
        "Board ",
    ),
    *("Committee ", "City ", "Town ", "County ", "Village ", "Police ", "Fire ", "Public Works "),
    *("Finance ", "School ", "Township ", "Borough ", "Administrative ", "Executive ", "Office "),
)
_ROLE_BEFORE = re.compile(rf"\b(?:{'|'.join(_ROLE_WORDS)}){{1,2}}$")
_ROLE_BEHIND = (
    r", (?P<role>(?:[A-Z][\w&/-]{1,20} ){0,4}"
    r"(?:Director|Manager|Clerk|Attorney|Engineer|Chief|Superintendent|Treasurer|Secretary"
    r"|President|Chairman|Chair|Mayor|Planner|Administrator|Officer|Analyst|Solicitor)\b)"
)
_ROLE_AFTER_EACH = re.compile(_ROLE_BEHIND)
#: In ``Trustee Smith, Fire Chief Jones`` the title is that of the next name.
_ROLE_AFTER = re.compile(rf"{_ROLE_BEHIND}(?! [A-Z][a-z]|'|/)")
_WHOLE_NAME = re.compile(r"(?:\b[A-Z]\.|\b[A-Z][\w'-]{1,20}) (?:[A-Z]\. )?[A-Z][\w'-]{1,20}$")
_NAME_BEFORE = re.compile(r"\b[A-Z][\w'-]{1,20}(?: [A-Z]\.)?(?: [A-Z][\w'-]{1,20}){1,2}$")
#: Words of departments and headings in places where a name may be.
_OFFICE = word_set(
    """
    operations maintenance services service engineering works planning finance development resources
    human community economic recreation parks utilities transportation communications relations
    education safety affairs administration manager director officer verbal update introduction
    orders precinct district ward strategy strategic executive financial operating administrative
    information technology legal counsel agent research marketing student instruction handbook
    inspector building foreman infrastructure governance corporate assets environment property
    libraries culture growth customer regulatory water sewer waste capital projects
    sustainability attendees programs federal harbor police
    """
)


_NO_PERSON = _OFFICE | STOPS


def people(doc: DocumentText) -> Iterator[_Found]:
    """Yield ``Mayor Ann Brandt`` and ``Dora Dole, Finance Director`` with their roles."""
    text = doc.text
    for match in _ROLE.find(text):
        name = doc.name_at(match.end())
        if name is not None and _PLACE_OF_SEAT.match(text, match.end()):
            # ``Commissioner Precinct 4 Ann Smith``
            whole = doc.name_at(match.start())
            name = replace(whole, start=match.end()) if whole is not None else None
        if name is None or name.start != match.end() or _is_office(name.text):
            continue
        if _is_heading(doc, name.text) and not match[0].isupper():
            continue
        twice = _TITLE_TWICE.search(text, max(0, match.start() - len(match[0])), name.end)
        if twice or (match[0].endswith(". ") and not match["short"]):
            # Columns that came apart, or the end of a sentence: ``as Chair. Commissioner Smith``.
            continue
        if _NAME_AND_TITLE.match(text, name.start, name.end) and not _ROLE.pattern.match(
            text, name.start
        ):
            # ``Vice President Smith Director Jones``: the title is not that of this name.
            continue
        if dash := _DASH_IN_NAME.search(name.text):
            # ``Director Jack Smith--known as``: a dash, and no double name.
            name = replace(name, text=name.text[: dash.start()], end=name.end - len(dash[0]))
        floor = max(0, match.start() - 40)
        words = text[floor : match.start()]
        longer = words.removesuffix("\n").endswith(_ROLE_WORDS)
        before = _ROLE_BEFORE.search(words) if longer else None
        start = floor + before.start() if before else match.start()
        role = None if match["courtesy"] else text[start : match.end()].strip(" .")
        if role is not None and _ROLE_AFTER_EACH.match(text, name.end):
            one = _WHOLE_NAME.search(text, max(0, start - 70), start - 2)
            if text[start - 2 : start] == ", " and one and not _has_title(one[0]):
                # ``Ann Lang, Clerk Don Franson, Engineer``: the title is that of the one before.
                start, role = name.start, None
        yield _Found("person", start, name.end, name.text, role)
    for match in _ROLE_AFTER.finditer(text):
        floor = max(0, match.start() - 70)
        before = _NAME_BEFORE.search(text[floor : match.start()])
        if before is not None and not _is_office(before[0]) and not _has_title(before[0]):
            start = floor + before.start()
            yield _Found("person", start, match.end(), before[0], match["role"])
    for who in doc.roster.attendees:
        if text.count("\n", who.name.start, who.name.end) > 1:
            # A column of titles and one of names.
            continue
        if who.name.text.split()[0].lower() in _OFFICE or _is_heading(doc, who.name.text):
            # ``Maintenance Lead``, ``COMMUNITY FORUM``: a post, or the heading that comes next.
            continue
        yield _Found("person", who.name.start, who.name.end, who.name.text, who.office)


def _has_title(name: str) -> bool:
    """Whether a title precedes or ends a name: ``City Attorney Smith, Town Clerk`` are two."""
    words = name.lower().split()
    last_is_title = words[-1] in TITLES and words[-1] not in ALSO_SURNAMES
    return words[0] in TITLES or last_is_title


def _is_heading(doc: DocumentText, name: str) -> bool:
    """Whether a name in capitals is a heading, in a document that prints names in small letters."""
    words = name.split()
    return (
        name.isupper()
        and all(len(word) > 3 for word in words)
        and len(doc.roster.written) > 2
        and words[-1].title() not in doc.text
    )


def _is_office(name: str) -> bool:
    return not _NO_PERSON.isdisjoint(name.lower().split())


FOR = "for"
AGAINST = "against"
NEUTRAL = "neutral"


_PUBLIC = pattern(
    r"\b(?:public\s+(?:comments?|hearings?|participation|input|forum|statements?|speak\w+"
    r"|questions?|session|testimony)|citizens?'?\b|audience|oral\s+communications?"
    r"|open\s+(?:forum|mike|microphone)|visitors?|hearing\s+of|community\s+(?:forum|comments?)"
    r"|comments?\s+from\s+the|deputations?|delegations?|appearances)",
    re.I,
)
_SPOKE = Phrase(
    "spoke speaks speaking testified commented addressed expressed voiced urged opposed supported"
    " asked stated said questioned requested thanked concerned objected appeared",
    r"(?P<sure>spoke|speaks|testified|addressed\s+the|expressed|voiced|appeared\s+before"
    r"|(?:is|was)\s+(?:opposed|concerned))\b"
    r"|(?P<public>commented|urged|opposed|supported|asked|stated|said|questioned|requested|thanked"
    r"|concerned|objected)\b",
)
#: What may be between the name of a speaker and the verb: an address, a place, whom they speak for.
_ADDRESS = pattern(
    r",?\s{1,4}(?:(?:of|from|representing|a\s+resident|resident|owner|residing\s+at)\b|\(|\d)"
    r"[^;:\n]{0,90}?[,):]?\s{0,3}$|,\s[^.;:\n]{2,80}[,:]?\s{0,3}$"
)
_COURTESY = re.compile(r"(?:Mr|Mrs|Ms|Miss|Dr)\b\.?")
_FOR_SIDE = pattern(
    r"\b(?:in\s+(?:favou?r|support)|supports?\b|supported|supportive|supporting|favou?rs\b|urged\s+"
    r"(?:\w+\s+){0,3}(?:approv|support|adopt|pass)\w*)"
)
_AGAINST_SIDE = pattern(
    r"\b(?:against|in\s+opposition|oppos\w+|objected|objections?|not\s+in\s+(?:favou?r|support)"
    r"|urged\s+(?:\w+\s+){0,3}(?:den|reject|not\s))"
)
_NEUTRAL_SIDE = pattern(r"\bneutral\b|\bneither\s+for\s+nor\s+against\b")
_LIST = Phrase(
    "speaking speakers spoke testifying those appearing proponents opponents registered",
    r"(?:(?:those\s+)?(?:speaking|spoke|speakers|testifying|appearing|registered)\s+(?:\w+\s+){0,3}?"
    r"(?:in\s+)?(?P<side>favou?r|support|opposition|against|neutral)(?:\s+(?:of|to)\s[^:\n]{1,80})?"
    r"|(?P<noun>proponents|opponents))\s{0,3}(?:were|was|included)?\s{0,3}:\s*",
)
_NOT_A_SPEAKER = re.compile(
    r"\b(?:motion|council|board|commission|committee|mayor|chair|clerk|attorney|staff|engineer"
    r"|department|director|manager|planner|chief|superintendent|administrator)\b",
    re.IGNORECASE,
)
#: ``spoke in support of Item 15d``
_SPOKE_ON = re.compile(
    r"\b(?i:(?:of|to|for|against|on|favor|favour|regarding)\s+(?:agenda\s+)?item\s+"
    r"(?:no\.?\s*|number\s+|#)?)(?P<item>\d{1,2}(?:\.\d{1,2}){0,2}\.?[A-Za-z]?|[A-Z](?:\.?\d{1,2})?)\b"
)
_STREETS = word_set(
    "drive lane court circle boulevard way place terrace trail parkway highway road street avenue"
)
_HOUSE = re.compile(r"\b\d{1,5}[a-zA-Z]?,? $")
#: A speaker's sentence is looked at this far for the side they took.
_SAID = 260


def side_of(words: str) -> str | None:
    """Return the side that words in lower case take, or None if they take none or both."""
    if _NEUTRAL_SIDE.search(words):
        return NEUTRAL
    against = _AGAINST_SIDE.search(words) is not None
    in_favor = _FOR_SIDE.search(words) is not None
    if against and in_favor:
        return AGAINST if "not in" in words else None
    return AGAINST if against else FOR if in_favor else None


def find_speakers(doc: DocumentText, items: Items) -> list[Speaker]:
    """Return who spoke from the public, once per item, in the order of the text."""
    staff = {who.name.surname.lower() for who in doc.roster.attendees if who.role}
    insiders = doc.roster.known | frozenset(doc.roster.official) | staff
    found: dict[tuple[str, int], Speaker] = {}
    for name, said_from, said_to, side in _spoken(doc, items):
        surname = name.surname.lower()
        if surname in insiders or surname in STOPS:
            continue
        if not name.titled and len(name.text.split()) < 2:
            continue
        item = items.at(name.start)
        key = (surname, item.start if item else -1)
        if key in found:
            if found[key].side is None:
                found[key].side = side
            continue
        spoke_on = _SPOKE_ON.search(doc.text, name.end, said_to) if side else None
        if spoke_on and (item is None or spoke_on["item"].lower() != (item.number or "").lower()):
            # In the time for the public: the side is that on the item they speak of.
            number, title = spoke_on["item"], None
        else:
            number, title = (item.number, item.title) if item else (None, None)
        found[key] = Speaker(
            **place(doc, said_from, said_to),
            name=name.text,
            side=side,
            item=number,
            item_title=title,
        )
    return sorted(found.values(), key=lambda speaker: speaker.start)


def _spoken(doc: DocumentText, items: Items) -> Iterator[tuple[Name, int, int, str | None]]:
    """Yield names, the sentence that says they spoke, and the side it says they took."""
    lower, text = doc.lower, doc.text
    for verb in _SPOKE.find(lower):
        line = line_start(text, verb.start())
        begin = max(doc.sentence_start(verb.start(), 160), line)
        if not text[line : verb.start()].strip() and line > 0:
            # ``Jane Doe, 12 Elm Street`` and, in the next line, ``Opposed to the rezoning.``
            begin = line_start(text, line - 1)
        names = doc.names_before(verb.start())
        if len(names) == 2 and text[names[0].end : names[1].start] == ", ":
            # ``Ann Smith, Elm Valley Church, spoke``: whom she speaks for.
            names = names[:1]
        # ``7 Depot Square`` and ``Tannery Street`` look like names.
        if begin < line or any(
            name.surname.lower() in _STREETS
            or _HOUSE.search(text, max(0, name.start - 8), name.start)
            for name in names
        ):
            first = doc.name_at(begin)
            comma = first is not None and text[first.end : first.end + 1] == ","
            names = [first] if first is not None and comma and first.start == begin else []
        if not names:
            between = _ADDRESS.search(text, begin, verb.start())
            names = doc.names_before(between.start()) if between else []
        if not names or names[0].start < begin - 2:
            continue
        name = names[-1]
        if any(each.titled and not _COURTESY.match(text, each.start) for each in names):
            continue
        if _NOT_A_SPEAKER.search(text, name.end, verb.start()):
            continue
        before = text[max(0, names[0].start - 4) : names[0].start].rstrip(" ")
        if before.endswith(("by", "of", ",")):
            continue
        end = doc.sentence_end(verb.end(), _SAID)
        side = side_of(lower[verb.start() : end])
        addressed = verb[0].startswith(("spoke", "address", "test"))
        sure = verb["sure"] is not None and (addressed or side is not None)
        item = None if sure else items.at(name.start)
        # Less sure words tell who spoke in the time for the public, or in a hearing.
        if not sure and not (item and item.title and _PUBLIC.search(item.title)):
            continue
        for each in names:
            yield each, begin, end, side
    for heading in _LIST.find(lower):
        listed = doc.names_at(heading.end(), heading.end() + 600)
        if heading["noun"]:
            side = FOR if heading["noun"] == "proponents" else AGAINST
        else:
            side = side_of(f"in {heading['side']}" if heading["side"] != "against" else "against")
            side = NEUTRAL if heading["side"] == "neutral" else side
        for name in listed.names:
            yield name, heading.start(), listed.end, side


_DECLARED = Phrase(
    "recus declared declares disclosed interest stepped conflict abstained disqualified excused",
    r"(?P<recused>recus(?:ed|es|ing)(?:\s+(?:him|her|them)sel(?:f|ves))?"
    r"|(?:declared|disclosed|noted|stated|cited|has|had)\s+(?:\w+\s+){0,4}?(?:and\s+)?recus\w+"
    r"|disqualified\s+(?:him|her|them)sel(?:f|ves)|excused\s+(?:him|her|them)sel(?:f|ves)\s+from"
    r"|stepped\s+(?:down|aside))\b"
    r"|(?P<interest>(?:declare[sd]|disclosed)\s+(?:\w+[\s'\"-]{1,3}){0,6}?"
    r"(?:interests?|conflicts?(?:\s+of\s+interest)?)\b)"
    r"|(?P<abstained>abstained\s+(?:\w+\s+){0,4}?(?:due\s+to|because\s+of|citing|owing\s+to)\s+"
    r"(?:an?\s+|his\s+|her\s+|their\s+)?(?:\w+\s+){0,2}(?:conflict|interest))",
)
_ABOUT = pattern(
    r"\b(?:in|on|for|with|from|regarding|pertaining\s+to|relating\s+to|concerning|as\s+to)\s+(?:the\s+)?"
    r"(?P<about>[^.;\n][^.;]{1,160})"
)
_NOBODY = pattern(r"\b(?:no|any|if|should|must|shall|may|members?\s+(?:are|were)\s+\w+\s+to)\b")
_CONJUNCTION = pattern(r"(?:,?\s*(?:and|then|also|has|had|having|therefore|who))?\s*$")


def find_declarations(doc: DocumentText) -> list[Declaration]:
    """Return who declared an interest or stood aside, in the order of the text."""
    lower, text = doc.lower, doc.text
    found: list[Declaration] = []
    for word in _DECLARED.find(lower):
        begin = doc.sentence_start(word.start(), 240)
        edge = word.start()
        if link := _CONJUNCTION.search(lower, max(begin, edge - 16), edge):
            edge = link.start()
        names = doc.names_before(edge)
        if not names or _NOBODY.search(lower, begin, names[0].start):
            continue
        known = [name for name in names if name.titled or doc.roster.is_known(name.surname)]
        if not known:
            continue
        kind = "interest" if word["interest"] else "recusal"
        end = doc.sentence_end(word.end(), 400)
        about = _ABOUT.search(text, word.end(), end)
        words = " ".join(about["about"].split()).strip(" ,:") if about else None
        for name in known:
            surname, _ = doc.roster.surname(name)
            if any(
                each.name == name.text and each.kind == kind and each.start >= begin
                for each in found[-6:]
            ):
                continue
            found.append(
                Declaration(
                    **place(doc, begin, end),
                    name=name.text if len(name.text.split()) > 1 else surname or name.text,
                    kind=kind,
                    about=words,
                )
            )
    return found
