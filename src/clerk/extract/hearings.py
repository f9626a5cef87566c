"""Read who spoke from the public and for which side, and who declared an interest or stood aside.

::

    Jane Doe, 12 Elm Street, spoke in opposition to the rezoning.       a speaker against
    Speaking in favor: John Roe, Ann Poe                                two speakers for
    Commissioner Smith recused himself from Case 12.                    a recusal
    Cllr Jones declared an interest in item 7.                          an interest

Members and staff speak all the time: only who is neither, and is said to have spoken at a hearing
or in the time for the public, is a speaker.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .context import DocumentText
from .findings import Declaration, Speaker, place
from .items import Items
from .names import STOPS, Name
from .text import Phrase, line_start, pattern, word_set

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
    "speaking speakers spoke testifying those appearing proponents opponents registered in_favor",
    r"(?:(?:those\s+)?(?:speaking|spoke|speakers|testifying|appearing|registered)\s+(?:\w+\s+){0,3}?"
    r"(?:in\s+)?(?P<side>favou?r|support|opposition|against|neutral)(?:\s+(?:of|to)\s[^:\n]{1,80})?"
    r"|(?P<noun>proponents|opponents))\s{0,3}(?:were|was|included)?\s{0,3}:\s*",
)
_NOT_A_SPEAKER = re.compile(
    r"\b(?:motion|council|board|commission|committee|mayor|chair|clerk|attorney|staff|engineer"
    r"|department|director|manager|planner|chief|superintendent|administrator)\b",
    re.IGNORECASE,
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
        found[key] = Speaker(
            **place(doc, said_from, said_to),
            name=name.text,
            side=side,
            item=item.number if item else None,
            item_title=item.title if item else None,
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
        if begin < line or (names and _is_address(text, names[-1])):
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
        if not sure and not _is_public(items, name.start):
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


def _is_address(text: str, name: Name) -> bool:
    """Whether what looks like a name is a street: ``7 Depot Square``, ``Tannery Street``."""
    return (
        name.surname.lower() in _STREETS
        or _HOUSE.search(text, max(0, name.start - 8), name.start) is not None
    )


def _is_public(items: Items, position: int) -> bool:
    """Whether a place is in the time for the public, or in a hearing."""
    item = items.at(position)
    return item is not None and item.title is not None and _PUBLIC.search(item.title) is not None


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
