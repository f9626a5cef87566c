"""Follow matters: ordinances, resolutions, bills, cases and files by number, others by title.

::

    Ordinance No. 2024-05    Ord. 24-5    Ordinance 5, Series of 2024      ordinance 2024-5
    Resolution R-2020-026    Case No. PZ-22-014    File #: 24-0123         resolution R-2020-26 ...

An appearance says what one meeting did with a matter: it was introduced, continued to a date,
amended, referred, passed or failed, or only mentioned.  What was done comes from the votes on it,
and from words next to its number.  A matter without a number is known by the title of its item,
without the words that change from meeting to meeting; "Approval of minutes" is no matter.

``site_db.joined`` joins the appearances of all documents of a site.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from clerk.core import lazy_re as re

from .cues import DocumentText
from .findings import (
    DIED,
    FAILED,
    MENTIONED,
    PASSED,
    WITHDRAWN,
    Appearance,
    Entity,
    Vote,
    place,
)
from .items import Items
from .text import Phrase, pattern, word_set

INTRODUCED = "introduced"
CONTINUED = "continued"
AMENDED = "amended"
REFERRED = "referred"
#: What a meeting may do with a matter; the later one of two outweighs the earlier.
ACTIONS = (MENTIONED, INTRODUCED, REFERRED, CONTINUED, AMENDED, FAILED, PASSED)

#: The kind of a matter that has no number.
TOPIC = "topic"

_NUMBER = (
    r"(?P<number>(?:[a-z]{1,5}[-. ]?){0,2}\d[\w./-]{0,18}\w|\d)"
    r"(?P<series>(?:,?\s+(?:series\s+(?:of\s+)?|of\s+)|,\s+)(?P<year>(?:19|20)\d\d)\b)?"
)
_MATTER = Phrase(
    "ordinance ord resolution res by-law bylaw bill council_bill board_bill house_bill senate_bill"
    " local_law case file docket application petition permit legislation",
    r"(?P<kind>ordinances?|ord\.|resolutions?|res\.|by-?laws?|(?:council|board|house|senate|assembly)"
    r"\s+bill|bills?|local\s+laws?|(?:planning\s+|zoning\s+|legislative\s+)?case|file|docket"
    r"|application|petition|permit)"
    r"\s{1,3}(?P<sign>(?:no|nos|number|num|id)\b\.?\s?:?\s{0,3}#?|:\s{0,2}#?|#\s?:?\s?)?\s{0,3}"
    + _NUMBER,
)
_KINDS = {
    "ord": "ordinance",
    "res": "resolution",
    "by": "by-law",
    "loc": "local law",
    "bil": "bill",
    "cou": "bill",
    "boa": "bill",
    "hou": "bill",
    "sen": "bill",
    "ass": "bill",
    "fil": "file",
}
#: These need a sign before their number: "application 3" may be anything.
_NEEDS_SIGN = ("case", "file", "docket", "application", "petition", "permit", "bill")
#: A case that is known by its letters: ``CUP 08-2922``, ``PZ-22-014``.
_LETTERED_CASE = Phrase(
    "CUP PZ ZBA BZA ZA RZN SUP VAR DRB PUD PC CPA GPA SPR LUA ANX DA TTM TPM",
    r"(?<!-)(?P<number>(?:CUP|PZ|ZBA|BZA|ZA|RZN|SUP|VAR|DRB|PUD|PC|CPA|GPA|SPR|LUA|ANX|DA|TTM|TPM)"
    r"[ -]{0,2}\d{2,4}[-/.]\d{1,5})(?![\w-])",
)
_GROUP = re.compile(r"[A-Za-z]+|\d+")
#: Letters with a space behind them belong to a number if they look like it: ``PZ 22-14``, and
#: neither ``petition with 147 signatures`` nor ``the resolution until July 10``.
_APART = re.compile(r"([A-Za-z]+)[-.]?\s")
_NO_LETTERS = word_set(
    "with for of to on in at by no is was the and or from as jan feb mar apr may jun june july aug"
    " sep sept oct nov dec over only page item than till adds sets per its has had that this each"
)
_YEAR = re.compile(r"(?:19|20)\d\d")


def matter_kind(printed: str) -> str:
    """Return the kind of matter that a printed word means."""
    last = printed.lower().split()[-1]
    first = printed.lower().split()[0]
    for word in (first, last):
        for stem, kind in _KINDS.items():
            if word.startswith(stem):
                return kind
    return "case"


def matter_number(printed: str, year: str | None = None) -> str:
    """Return a number in one form: ``2024-005``, ``5, Series of 2024`` and ``5-2024`` are one.

    Letters are capitals, numbers lose their leading zeros, and a year comes first.
    """
    groups = [
        group.upper() if group.isalpha() else str(int(group)) for group in _GROUP.findall(printed)
    ]
    if year:
        groups = [year, *(group for group in groups if group != year)]
    numbers = [place for place, group in enumerate(groups) if group.isdigit()]
    years = [place for place in numbers if _YEAR.fullmatch(groups[place])]
    if len(years) == 1 and len(numbers) == 2 and years[0] == numbers[1]:
        first, last = numbers
        groups[first], groups[last] = groups[last], groups[first]
    return "-".join(groups)


_READING = pattern(
    r"\b(?:(?:the\s+)?(?:first|second|third|1st|2nd|3rd|final)\s+(?:and\s+final\s+)?readings?"
    r"(?:\s+of)?|public\s+hearings?(?:\s+(?:on|for|to\s+consider|regarding))?|introduction(?:\s+of)?"
    r"|adoption(?:\s+of)?|consideration(?:\s+of)?|consider|continued(?:\s+from\s+[\w ,]{3,30})?"
    r"|discussion(?:\s+(?:and|/|of|on|regarding)(?:\s+(?:possible\s+|/\s*)?action)?(?:\s+(?:on|regarding))?)?"
    r"|possible\s+action(?:\s+on)?|approval(?:\s+of)?|approve|request\s+(?:for|to)|update\s+on"
    r"|old\s+business|new\s+business|unfinished\s+business|motion\s+to|action\s+on|vote\s+on)\b"
)
_NOT_WORDS = re.compile(r"[^a-z0-9$ ]+")
_FILLING = word_set(
    "the a an of for to in on and or with by at from as re regarding concerning be is it its this"
)
#: Items that every meeting has.
_GENERIC = word_set(
    """
    minutes minute agenda adjournment adjourn consent calendar roll call order pledge allegiance
    invocation prayer public comment comments hearing hearings announcements announcement report
    reports committee committees business old new unfinished other bills claims vouchers warrants
    warrant payroll payment payments accounts payable treasurer treasurers financial statement
    statements finance executive session closed open correspondence communications communication
    meeting meetings previous last regular special attendance apologies absence apology declarations
    declaration interest interests chair chairman chairperson mayor president vice clerk manager
    election officers appointment appointments department departments monthly financials
    confirmation approval council board commission trustees members member staff police fire chief
    attorney engineer citizens items item miscellaneous welcome presentations presentation
    proclamations recess schedule next date time budget general expenses invoices disbursements
    january february march april may june july august september october november december
    resolution resolutions ordinance ordinances reading readings bid bids license licenses permit
    permits updates update discussion action question questions first second third leave
    councilmember councilmembers request requests pursuant no number amount
    """
)
#: A title with fewer words than this of its own, or more words than that, is no matter.
_OWN_WORDS, _TITLE_WORDS = 3, 20
_HOUR = re.compile(r"\d{1,2}:\d\d(?::\d\d)?(?:\s?[ap]\.?m\.?)?")


def topic_key(title: str) -> str | None:
    """Return the words of a title that name a matter, or None if every meeting has such an item."""
    words = _NOT_WORDS.sub(" ", _READING.sub(" ", _HOUR.sub(" ", title.lower()))).split()
    kept = [word for word in words if word not in _FILLING]
    own = [word for word in kept if word not in _GENERIC and word.isalpha()]
    return " ".join(kept) if len(own) >= _OWN_WORDS and len(kept) <= _TITLE_WORDS else None


_FIRST_READING = pattern(
    r"\b(?:first\s+reading|1st\s+reading|introduc(?:e|ed|es|tion|ing)|set\s+(?:a\s+|the\s+)?"
    r"(?:public\s+)?hearing)\b"
)
_CONTINUING = pattern(r"\b(?:continu|postpon|defer|tabl(?:e|ed|ing)\b|(?:hold|carry|lay)\s+over)")
_REFERRING = pattern(r"\b(?:refer(?:red|ring)?|remand(?:ed)?|send)\b")
_DENYING = pattern(r"\b(?:den(?:y|ied|ial)|reject(?:ed)?|disapprov\w+)\b")
_TO_DATE = pattern(r"\b(?:to|until|till)\s+(?:the\s+)?(?:\w+day,?\s+)?$")


def action_of(vote: Vote, about: str) -> str:
    """Return what a vote did with a matter that is called ``about``: ordinance, case, ..."""
    words = (vote.motion or "").lower()
    opening = " ".join(words.split()[:8])
    if vote.result not in (PASSED, FAILED):
        return MENTIONED
    if _CONTINUING.search(opening):
        return CONTINUED if vote.result == PASSED else MENTIONED
    if _REFERRING.search(opening):
        return REFERRED if vote.result == PASSED else MENTIONED
    if "amendment" in vote.flags or (opening.startswith("amend") and about not in ("case", TOPIC)):
        return AMENDED if vote.result == PASSED else MENTIONED
    if _FIRST_READING.search(words):
        return INTRODUCED if vote.result == PASSED else FAILED
    if _DENYING.search(opening):
        return FAILED if vote.result == PASSED else MENTIONED
    return PASSED if vote.result == PASSED else FAILED


#: A motion that names no number, but what has one above it.
_THE_SAME = pattern(
    r"\b(?:the|this|said)\s+(?:resolution|ordinance|bill|by-?law|local\s+law|application|request"
    r"|case|petition|same)\b|\bits\s+(?:adoption|passage|approval)\b",
    re.I,
)
_ABOVE = 600
#: Amounts and addresses of a topic are at most this far above the vote on it.
_ITEM_REACH = 1500


#: Motions that are about no matter, whatever the item above them is.
_PROCEDURAL = pattern(
    r"(?:to\s+)?(?:adjourn|recess|reconvene|(?:go|enter|move)\s+into|(?:open|close)\s+the\s+(?:public\s+)?"
    r"(?:hearing|comment|meeting)|(?:approve|accept|adopt)\s+the\s+(?:minutes|agenda))",
    re.I,
)


@dataclass
class _Sighting:
    """One matter in one document, while its mentions are collected."""

    kind: str
    number: str | None
    key: str
    start: int
    end: int
    title: str | None = None
    action: str = MENTIONED
    #: The weightiest action that is beyond doubt.
    certain: str = MENTIONED
    continued_to: str | None = None
    #: Whether a vote that names it has decided it.
    decided: bool = False
    votes: list[int] = field(default_factory=list)
    stretches: list[tuple[int, int]] = field(default_factory=list)

    def did(self, action: str, *, is_certain: bool = True) -> None:
        """Keep the weightier of two actions."""
        self.action = max(self.action, action, key=ACTIONS.index)
        if is_certain:
            self.certain = max(self.certain, action, key=ACTIONS.index)


_WAS_CONTINUED = re.compile(r"\b(?:was|were|is|been)\s+(?:continued|postponed|deferred|tabled)\b")
_WAS_INTRODUCED = re.compile(r"\b(?:was|were)\s+introduced\b|\bfirst reading\b")


def find_matters(
    doc: DocumentText, votes: Sequence[Vote], entities: Sequence[Entity], items: Items
) -> list[Appearance]:
    """Return the matters of a document, each once, with what the meeting did with it."""
    found: dict[str, _Sighting] = {}
    for kind, number, key, start, end in _numbered(doc):
        sighting = found.setdefault(key, _Sighting(kind, number, key, start, end))
        if not sighting.title and (title := _TITLE_BEHIND.match(doc.text, end, end + 420)):
            # ``Ordinance 5, An ordinance amending ...``
            begin = title.start("title")
            over = min(title.end("title"), doc.sentence_end(begin, 400))
            words = " ".join(doc.text[begin:over].split()).strip(' .;,"\u201d')
            sighting.title = words[:200].rstrip() if len(words) > 12 else None
        sighting.stretches.append((start, doc.sentence_end(end, 300)))
        # What words next to the number say was done, where no vote is printed.
        begin = doc.sentence_start(start, 160)
        over = doc.sentence_end(sighting.stretches[-1][0] + 1, 300)
        if _WAS_CONTINUED.search(doc.lower, begin, over):
            sighting.did(CONTINUED)
            until = sighting.continued_to or _date_after(doc, entities, begin, over)
            sighting.continued_to = until
        elif _WAS_INTRODUCED.search(doc.lower, begin, over):
            sighting.did(INTRODUCED)
    by_start = sorted(found.values(), key=lambda each: each.start)
    for place_, vote in enumerate(votes):
        item = items.at(vote.start)
        begin = item.start if item is not None else vote.start
        mentioned = [
            each
            for each in by_start
            if any(begin <= start < vote.end for start, _ in each.stretches)
        ]
        inside = [
            each
            for each in mentioned
            if any(vote.start <= start < vote.end for start, _ in each.stretches)
        ]
        # One matter in the item is what the vote is on; of several, those that the vote names.
        chosen = inside
        if not inside and len(mentioned) == 1 and not _PROCEDURAL.match(vote.motion or ""):
            again = "reconsider" in (vote.motion or "").lower()
            chosen = [each for each in mentioned if again or not each.decided]
        if not chosen and _THE_SAME.search(vote.motion or ""):
            # ``Resolution 103 - ... Smith made a motion to approve the resolution.``
            floor = max(votes[place_ - 1].end if place_ else 0, vote.start - _ABOVE)
            above = [
                each
                for each in by_start
                if any(floor <= start < vote.start for start, _ in each.stretches)
            ]
            chosen = above if len(above) == 1 else []
        # Not with ``find``: it would forget what it knows of the document.
        listed = {
            f"{matter_kind(named['kind'])} {matter_number(named['number'], named['year'])}"
            for words in vote.consent_items
            for named in _MATTER.pattern.finditer(words.lower())
        }
        chosen += [each for each in by_start if each.key in listed and each not in chosen]
        if not chosen and not mentioned and item and item.title and "item" not in vote.doubtful:
            # A matter without a number is the item of its vote, if the title names one.
            topic = topic_key(item.title)
            if topic is not None:
                key = f"{TOPIC} {topic}"
                if key not in found:
                    found[key] = _Sighting(TOPIC, None, key, vote.start, vote.end, item.title)
                    stretch = (max(item.start, vote.start - _ITEM_REACH), vote.end)
                    found[key].stretches.append(stretch)
                chosen = [found[key]]
        for each in chosen:
            each.votes.append(place_)
            each.stretches.append((vote.start, vote.end))
            action = action_of(vote, each.kind)
            each.did(action, is_certain="result" not in vote.doubtful)
            # What is voted on below in the same item, without naming it, is something else.
            each.decided |= each in inside and (
                action in (PASSED, FAILED) or vote.result in (DIED, WITHDRAWN)
            )
            if each.action == CONTINUED and each.continued_to is None:
                each.continued_to = _date_after(doc, entities, vote.start, vote.end)
    return [
        _appearance(doc, each, entities)
        for each in sorted(found.values(), key=lambda each: each.start)
    ]


def _numbered(doc: DocumentText) -> Iterator[tuple[str, str, str, int, int]]:
    """Yield the kind, printed number, key and place of every number of a matter."""
    for match in _MATTER.find(doc.lower):
        kind = matter_kind(match["kind"])
        printed = doc.text[match.start("number") : match.end("number")].rstrip("./-")
        word = match["kind"].split()[-1].rstrip("s.")
        if word in _NEEDS_SIGN and not match["sign"] and len(_GROUP.findall(printed)) < 2:
            continue
        if not any(letter.isdigit() for letter in printed) or len(_GROUP.findall(printed)) > 5:
            continue
        apart = _APART.findall(printed)
        if any(
            not each.isupper() or len(each) > 4 or each.lower() in _NO_LETTERS for each in apart
        ):
            continue
        if kind == "resolution" and not match["sign"] and printed.isdigit() and len(printed) > 4:
            continue
        key = f"{kind} {matter_number(printed, match['year'])}"
        yield kind, printed, key, match.start(), match.end()
    for match in _LETTERED_CASE.find(doc.text):
        printed = match["number"]
        yield "case", printed, f"case {matter_number(printed)}", match.start(), match.end()


_TITLE_BEHIND = re.compile(
    r"[\s,:;.\u2013\u2014-]{1,6}(?:entitled[\s,:]{1,3})?[\"\u201c]?"
    r"(?P<title>(?:An? |AN? |To |TO |Amending|AMENDING|Authorizing|AUTHORIZING|Approving|APPROVING"
    r"|Establishing|ESTABLISHING|Adopting|ADOPTING|Appointing|Accepting|ACCEPTING)[^\n]{8,400})"
)


def _date_after(doc: DocumentText, entities: Sequence[Entity], start: int, end: int) -> str | None:
    """Return the date that something in a stretch was continued to."""
    for entity in entities:
        if (
            entity.type == "date"
            and start <= entity.start < end
            and _TO_DATE.search(doc.lower, max(start, entity.start - 40), entity.start)
        ):
            return entity.value
    return None


def _appearance(doc: DocumentText, sighting: _Sighting, entities: Sequence[Entity]) -> Appearance:
    def values(kind: str) -> list[str]:
        return list(
            dict.fromkeys(
                entity.value
                for entity in entities
                if entity.type == kind
                and any(start <= entity.start < end for start, end in sighting.stretches)
            )
        )

    end = max(sighting.end, doc.sentence_end(sighting.end, 200))
    return Appearance(
        **place(doc, sighting.start, end),
        kind=sighting.kind,
        number=sighting.number,
        key=sighting.key,
        title=sighting.title,
        action=sighting.action,
        continued_to=sighting.continued_to,
        votes=sighting.votes,
        amounts=values("money"),
        addresses=values("address"),
        doubtful=[] if sighting.action == sighting.certain else ["action"],
    )


_SHORT_YEAR = re.compile(r"(?P<before>.* (?:[A-Z]+-)?)(?P<year>\d{1,2})(?P<after>-\d+)")
_WHOLE_YEAR = re.compile(r"(?P<before>.* (?:[A-Z]+-)?)(?:19|20)(?P<year>\d\d)(?P<after>-\d+)")


def key_with_century(key: str, date: str | None) -> str:
    """Return the key with four digits for the year that a key with two may mean.

    ``ordinance 24-5`` of a meeting in 2024 or 2025 may be ``ordinance 2024-5``; it is, if the site
    prints that, too.
    """
    short = _SHORT_YEAR.fullmatch(key)
    if short is None or not (date or "")[:4].isdigit():
        return key
    for year in (int(str(date)[:4]), int(str(date)[:4]) - 1):
        if year % 100 == int(short["year"]):
            return f"{short['before']}{year}{short['after']}"
    return key


def key_without_century(key: str) -> str:
    """Return the key with two digits for the year, as other documents may print it."""
    whole = _WHOLE_YEAR.fullmatch(key)
    return f"{whole['before']}{int(whole['year'])}{whole['after']}" if whole else key
