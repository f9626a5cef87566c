"""Which of the printed dates is the day of the meeting: rules for what stands around a date.

A document prints many dates: of minutes to be approved, of printing, of letters, ends of periods,
deadlines.  A rule says what the words before or after a date make of it.  The first that fits
decides; a date without such words counts only in the title block of a document of a meeting.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import accumulate
from typing import Final, NamedTuple

from clerk.core import lazy_re as re

from .dates import PrintedDate, begins_with_date, printed_dates, years_in
from .facts import (
    AGENDA,
    MINUTES,
    NOTICE,
    OTHER,
    PACKET,
    PAGE,
    REPORT,
    RESOLUTION,
    SCHEDULE_DAYS,
    UNKNOWN,
    Fact,
)
from .kinds import heading_rule
from .text import SUBJECT, Line, Words, is_sentence

#: Kinds of documents that have a day of their own.
OF_A_MEETING: Final = frozenset({MINUTES, AGENDA, PACKET, NOTICE, RESOLUTION})
#: How much of the text around a date is looked at.
_BEFORE, _AFTER = 160, 110


class DayRule(NamedTuple):
    """What words before a date make of it; ``weight`` 0 means that it is not the meeting's day.

    ``kinds`` are the kinds of documents for which it holds, all if empty.  Whatever it matches has
    one of the ``needs`` in lower case: they are looked for first.  The date of an example is at
    ``@``.
    """

    name: str
    weight: float
    before: Words
    examples: tuple[str, ...]
    needs: tuple[str, ...]
    kinds: frozenset[str] = frozenset()


def _rule(
    name: str, weight: float, before: str, *examples: str, needs: str, kinds: Sequence[str] = ()
) -> DayRule:
    return DayRule(name, weight, Words(before), examples, tuple(needs.split()), frozenset(kinds))


_LINK = (
    r"[\W_]*(?:(?:on|of|the|at|for|as|by|is|was|date|dated?|held|this|le|am|den|el) ?[\W_]*){0,4}$"
)

RULES: Final = (
    _rule(
        "introduction",
        0,
        r"\b(?:introduced|first reading|read (?:a |for the )?first)\b"
        r"(?:(?!passed|adopted|enacted|approved|third)[^.]){0,110}$",
        "INTRODUCED, READ AND ORDERED PUBLISHED by the Town Board on @",
        "First Reading: @",
        needs="introduced first",
        kinds=(RESOLUTION,),
    ),
    _rule(
        "earlier resolution",
        0,
        r"\b(?:by|to|under|its|amending|rescinding|repealing|superseding|revoking|replacing"
        r"|(?<!copy\s)of|said) (?:\S+ ){0,4}"
        r"(?:resolution|ordinance|by-?law)s?\b(?:(?! this\b)[^;]){0,120}"
        r"\b(?:passed|adopted|enacted|approved)\b[^;]{0,80}$",
        "AUTHORIZED BY RESOLUTION ADOPTED @",
        "amending its Resolution No. 78-31 adopted by the Board on @",
        needs="resolution ordinance law",
        kinds=(RESOLUTION,),
    ),
    _rule(
        "approval by the mayor",
        0,
        r"\bapproval date[\W_]*$|(?:^|[\n.;] ?)approved by (?:the )?(?:mayor|governor"
        r"|county executive)\b[^\n]{0,30}$",
        "Approval date: @",
        "Approved by the Mayor @",
        needs="approval approved",
        kinds=(RESOLUTION,),
    ),
    _rule(
        "adoption of something else",
        0,
        r"\b(?:the|an?|its|their|said|such|any|those) (?!this\b)(?:[\w'’-]+ ){0,3}"
        r"(?!(?:resolution|ordinance|law|order|motion|is|was|be|been|duly|hereby|finally|and|council"
        r"|board|commission|committee|trustees|supervisors|selectmen|commissioners|directors|court"
        r"|legislature|authority|members)\b|[0-9])"
        r"[\w'’-]+ (?:passed|adopted|enacted|approved) (?:by [^,;.]{0,40} )?(?:on|in) $",
        "The Council finds that the procedure adopted on @",
        "the plan approved by the Planning Board on @",
        needs="passed adopted enacted approved",
        kinds=(RESOLUTION,),
    ),
    _rule(
        "hearing before it",
        0,
        r"\bhearings?\b(?:(?!\b(?:meeting|passed|adopted|enacted|approved)\b)[^.;]){0,60}"
        r"\b(?:held|conducted)\b[^.;]{0,40}$",
        "after a public hearing having been held on @",
        needs="hearing",
        kinds=(RESOLUTION,),
    ),
    _rule(
        "signing of a by-law",
        0,
        r"(?:^|\n)vom[\W_]*$",
        "vom @",
        needs="vom",
        kinds=(RESOLUTION,),
    ),
    _rule(
        "hearing that is called",
        0,
        r"\b(?:setting|fixing|calling|scheduling|ordering|establishing)\b(?=[^.;]{0,130}"
        r"\b(?:hearings?|meetings?|sessions?|elections?|referendum|dates?|days?|times?|sale)\b)"
        r"(?:(?!\b(?:passed|adopted|enacted|approved)\b)[^.;]){0,130}$",
        "A RESOLUTION SETTING A PUBLIC HEARING ON @",
        needs="setting fixing calling scheduling ordering establishing",
        kinds=(RESOLUTION,),
    ),
    _rule(
        "adoption",
        9.5,
        r"\b(?:passed|adopted|enacted|finally passed|(?:resolved|ordained)\b(?![^.]*\bthat\b)"
        r"|carried|approved|read)\b[^.]{0,140}\b(?:this|the|on|day|dated?|held|(?:meeting"
        r"|session) of)\b[\W_]{0,4}$|\b(?:passed|adopted|enacted|approved)[\W_]{0,6}$|\bat (?:its"
        r"|their|the|a|an) (?:[\w'’]+ ){0,6}(?:meeting|session)\b[^.]{0,60}\b(?:on|of"
        r"|held)\b[\W_]{0,4}$|\bdate (?:adopted|passed|of (?:adoption|passage|meeting))[\W_]{0,4}$"
        r"|(?:^|\n)dated (?:at [^.\n]{0,40})?this (?:the )?$",
        "READ A FIRST, SECOND AND THIRD TIME AND PASSED THIS @",
        "ADOPTED this @",
        "PASSED AND ADOPTED at a regular meeting of the Board of Directors held @",
        "Please be advised that at its regular meeting of @",
        "DATED this @",
        needs="meeting session passed adopted enacted resolved ordained carried approved read date",
        kinds=(RESOLUTION,),
    ),
    _rule(
        "other minutes",
        0,
        # "Approved Minutes of ..." is what a document is called.
        r"\b(?!(?:approved|adopted|confirmed) (?:\w+ )?minutes\b)(?!(?<![^\n])(?:approved|adopted"
        r"|confirmed) (?:(?!the )\S+ ){1,8}minutes\b)(?:approv\w*|adopt\w*|confirm\w*|accept\w*"
        r"|ratif\w*|correct\w*|receiv\w*|review\w*|sign\w*|read\w*|consider\w*|circulat\w*"
        r"|previous|last|prior)\b[^\n]{0,90}\b(?:minutes|proceedings|meetings?"
        r"|session)\b[^\n]{0,70}$|\bminutes ?:[^\n]{0,60}$|\b(?:genehmigung|vaststelling|adoption"
        r"|aprobación)\b[^\n]{0,60}\b(?:niederschrift|protokolls?|notulen|besluitenlijst|verslag"
        r"|procès-verbal|acta)\b[^\n]{0,60}$",
        "Approval of the minutes of the meeting of @",
        "Resolution: Adopt the Minutes of the @",
        needs="approv adopt confirm accept ratif correct receiv review sign read consider circulat "
        "previous last prior minutes genehmigung vaststelling aprobación",
    ),
    _rule(
        "minutes on an agenda",
        0,
        r"(?<![/&])\bminutes\b[^\n]{0,60}$|\bminutes of (?:the )?[^\n]{0,60}"
        r"\b(?:meeting|session|held)\b[^\n]{0,40}$",
        "3 Minutes of the meeting held on @",
        "Minutes of @",
        needs="minutes",
        kinds=(AGENDA, PACKET, NOTICE),
    ),
    _rule(
        "approval",
        0,
        r"\b(?:approved|adopted|accepted|confirmed|passed|unapproved until"
        r"|approval(?: date)?)\b[\W_]*(?:(?:on|of|the|at|as|by|in|with|amended|corrected|written"
        r"|presented|submitted|board|council|commission|committee|meeting|regular) ?[\W_]*){0,5}$"
        r"|\b(?:first|1st|second|2nd|third|3rd|final) reading[^\n]{0,20}$",
        "Adopted @",
        "Approved as amended on @",
        "Approved by the Board: @",
        needs="approv adopt accept confirm passed reading",
        kinds=(MINUTES, AGENDA, PACKET, NOTICE, REPORT, OTHER),
    ),
    _rule(
        "meeting that a report is for",
        0,
        r"\b(?:annual town meeting|(?:budget|levy|tax) hearing)\b[^\n]{0,30}$",
        "To be voted at the Annual Town Meeting, @",
        "Budget hearing @",
        needs="annual hearing",
        kinds=(REPORT,),
    ),
    _rule(
        "other day",
        0,
        r"\b(?:amended|revised|revision|updated|posted|printed|published|created|prepared|issued"
        r"|mailed|modified|distributed|generated|effective|expir\w+|due|deadline|end(?:ing|ed|s)?"
        r"|as of|as at|through|thru|until|till|since|before|after|between|(?<!minutes\s)from|next"
        r"|previous|last"
        r"|prior|following|continued|received|filed|submitted|recorded|letter|born|inspection"
        r"|version|copyright|notarized|signed|sworn|commencing|beginning|starting|week of|tabled"
        r"|postponed|deferred|rescheduled|closing|opens?|ratified|enclosed|accounts?|statement"
        r"|invoice|permit|dated(?! ?: ?$)|stand vom|to)\b"
        r"[\W_]*(?:(?:on|of|the|this|at|for|as|by|date|meeting|regular|council|board|year|time|and)"
        r" ?[\W_]*){0,5}$|\bcontinuation of (?:the |a )?(?:\w+ ){0,3}$"
        r"|\b(?:normally|usually|originally) (?:\w+ ){0,4}$"
        r"|\bnext (?:\w+ ){0,2}(?:meeting|session) (?:is |will be |to be )(?:\w+ ){0,3}$",
        "AMENDED @",
        "Year ended @",
        "Printed on @",
        "Next meeting: @",
        "the meeting scheduled from @",
        needs="amend revis updat post print publish creat prepar issu mail modif distrib "
        "generat effectiv expir due deadline end as through thru until till since before "
        "after between from next previous last prior following continued received filed "
        "submitted recorded letter born inspection version copyright notarized signed "
        "sworn commencing beginning starting week tabled postponed deferred rescheduled "
        "closing open ratified enclosed account statement invoice permit dated stand to "
        "continuation normally usually originally",
    ),
    _rule(
        "named as the day",
        7.0,
        r"\b(?:meeting|hearing|agenda|council|session)s? date[\W_]*$"
        r"|(?:^|\n)(?:council|board|commission|committee) meeting ?[:–-] ?$|\b(?:council "
        r"|board )?agenda(?: item| of)?[\W_]{1,4}$|\bdate (?:and time )?of (?:the )?(?:\w+ "
        r")?meeting[\W_]*$|\bfor (?:the )?(?:\S+ ){0,4}meeting(?: of| on|:)?[\W_]*(?:on )?$"
        r"|\bdate (?:&|and|/) ?time[\W_]*$|\b(?:sitzung(?:stag)?|réunion|séance"
        r"|sesión)\b[^\n]{0,40}(?:vom|am|du|de|del)[\W_]*$|\b(?:sitzungs(?:tag|datum|termin)|(?:^"
        r"|\n)termin|vergaderdatum)[\W_]*$|\bagenda (?:for|of) (?:the )?(?:\S+ ){0,14}(?:on"
        r"|of)[\W_]*$",
        "MEETING DATE: @",
        "Subject: Agenda Item – @",
        "Please place this on the agenda for the meeting of the City Council on @",
        "COUNCIL AGENDA: @",
        "Council Meeting: @",
        "Balances for the meeting on @",
        needs="date agenda for meeting sitzung réunion séance sesión vergaderdatum termin",
    ),
    _rule(
        "meeting announced",
        8.5,
        r"\b(?:summoned to (?:attend|an?|the)\b|will be held|to be held|will take place|will meet"
        r"|will hold|will convene|scheduled for|(?:notified|warned) to (?:meet|assemble)|findet"
        r"|sera tenue?|se tiendra"
        r"|aura lieu)\b[^.]{0,110}?" + _LINK,
        "You are summoned to attend a meeting of the Council to be held in the hall on @",
        "The Annual Town Meeting will take place on @",
        "You are hereby notified to meet at the Town Hall in said Ashby on @",
        needs="summoned will be scheduled findet notified warned sera tiendra aura",
        kinds=(AGENDA, PACKET, NOTICE),
    ),
    _rule(
        "quorum elsewhere",
        8.5,
        r"\b(?:may be present|may attend)\b[^.]{0,110}?" + _LINK,
        "A quorum of the City Council may be present at the luncheon on @",
        needs="may",
        kinds=(NOTICE,),
    ),
    _rule(
        "meeting held",
        6.0,
        r"\bbe it remembered,?(?: that)?[\W_]+(?:on )?(?:this )?(?:the )?$|(?:^"
        r"|\n)on this,? (?:the )?$|\bsiendo las\b[^\n]{0,80}\bd[ií]a $|\b(?:held|met|meet|convened?"
        r"|assembled|take place"
        r"|called to order)\b[^.\n]{0,90}?" + _LINK,
        "A regular meeting of the Council was held on @",
        "BE IT REMEMBERED that on this the @",
        "ON THIS THE @",
        "En la ciudad, siendo las 10:00 horas del día @",
        needs="siendo remembered this held met meet convene assembled take called",
    ),
    _rule(
        "meeting of the day",
        6.0,
        r"\b(?:meetings?|sessions?|hearings?|workshop|regular council|special council|réunion"
        r"|séance|sesión|sitzung)\b"
        r"(?:[^.\n]|\.(?=\S)){0,80}" + _LINK,
        "REGULAR MEETING OF THE TOWN BOARD, @",
        "VOTING RESULTS OF THE TOWN MEETING @",
        needs="meeting session hearing workshop council réunion séance sesión sitzung",
    ),
    _rule(
        "minutes of the day",
        5.5,
        r"\b(?:minutes|proceedings|niederschrift|procès-verbal|acta)\b[^.\n]{0,80}" + _LINK,
        "Minutes of @",
        needs="minutes proceedings niederschrift verbal acta",
        kinds=(MINUTES,),
    ),
    _rule(
        "agenda of the day",
        5.5,
        r"\b(?:minutes|agenda|tagesordnung|ordre du jour)\b[^.\n]{0,80}" + _LINK,
        "AGENDA FOR @",
        needs="minutes agenda tagesordnung ordre",
        kinds=(MINUTES, AGENDA, PACKET, NOTICE),
    ),
    _rule(
        "date label",
        5.0,
        r"(?:^|\n)(?:\W*)(?:dated?|datum|fecha|when|wann|day)[\W_]*$",
        "DATE: @",
        needs="date datum fecha when wann day",
        kinds=(MINUTES, AGENDA, PACKET, NOTICE, RESOLUTION),
    ),
)
#: After a date: the date is of something else.
_AFTER_OTHER = Words(
    r"^[\W_]{0,3}(?:be |were |was |are |stand )?(?:approved|adopted|accepted|confirmed"
    r"|signed)\b(?! (?:the|this|an?)\b)"
    r"|^[^\w.]{0,3}(?:\w[^\s.]*[^\S\n]{1,3}){0,6}?(?:minutes\b|deadline\b)|^ ?(?:and"
    r"|to|through|[-–]) ?(?:\S+ ){0,2}[0-9]{1,2}\b.{0,24}\bminutes\b"
)
#: What may be on the line of a date that is a heading.
_BESIDE = Words(
    r"\b(?:mon|tues?|wednes|thurs?|fri|satur|sun)day\b|\b[0-9]{1,2}(?:[:.][0-9]{2})? ?(?:[ap]\.? "
    r"?m\b\.?|o'?clock|uhr|hrs?\b|h\b)|\b[0-9]{1,2}[:.][0-9]{2}\b|\b(?:at|from|to|on|date|time|noon"
    r"|midnight|and|the|immediately following)\b|[\W_]+"
)
_ITEM = re.compile(r"(?:[0-9]{1,2}|[A-Za-z]|[ivxIVX]{1,4})[.)]\s?(?!\d)")
#: A day with the time of printing, to the minute.
_PRINTED_AT = re.compile(r",?\s{0,3}(?:at\s)?[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?\s?[AaPp]\.?[Mm]")
_MEETING_AFTER = Words(
    r"^[\W_]*(?!(?:[\w'’-]+ ){0,4}(?:next|previous|last|at|from|after|before|prior|following|and"
    r"|to)\b)(?:[\w'’-]+ ){0,5}(?:meeting|session|hearing)\b(?! minutes)"
)
#: A report that is an item of an agenda; its date is the meeting's.
_AGENDA_ITEM = Words(
    r"^category ?:|^agenda (?:section|item|category) ?:|^(?:agenda )?item (?:no\b\.?|number|#)"
    r"|\bthis (?:study session|meeting|workshop|public hearing)\b"
)
#: "The September 5, 2024 Planning Commission meeting has been cancelled."
_CANCELLED_AFTER = Words(
    r"^[\W_]*(?:[\w'’-]+ ){0,6}(?:meeting|session|hearing|workshop)\b.*\bcancel+ed\b"
)
#: "The meeting of September 5, 2024 has been cancelled."
_CANCELLED_LATER = Words(r"^[^.]{0,70}\b(?:is|are|was|has been|have been)\b[^.]{0,20}\bcancel+ed\b")
_MOVED = r"(?:been (?:re-?scheduled|postponed|moved)|(?:been|was|is) (?:adjourned|continued))"
_MOVED_AFTER = Words(rf"^[^.]{{0,60}}\b{_MOVED}\b")
#: Also "continued to Monday, October 15".
_MOVED_TO = Words(rf"\b{_MOVED} (?:to|for|until) (?:the )?[\W_]*$")
_MEETING_BEFORE = Words(r"\b(?:meetings?|session|hearing|workshop)\b[^.;]{0,90}$")
#: "Notice is given that on May 4, 2021 the Board of Trustees will hold its regular meeting".
_WILL_MEET = Words(
    r"^[\W_]*(?:at [0-9:.]{1,5} ?[ap]\.?m\.?,? )?the (?:[\w'’-]+ ){1,8}(?:will|shall) "
    r"(?:hold|meet|convene)\b"
)
#: "The January 7, 2019 Board of Supervisors meeting was called to order".
_MEETING_CALLED = Words(
    r"^[\W_]*(?:[\w'’-]+ ){0,6}(?:meeting|session|hearing|workshop) (?:was|is|were) "
    r"(?:duly )?(?:called to order|convened|opened|held|commenced)\b"
)
#: More than any other rule: such days are the only ones that count.
_CANCELLED: Final = 20.0
#: "By-law 2009-33, passed May 5, 2009, is repealed."
_REPEALED = Words(
    r"^[\W_]{0,3}(?:as amended|(?:is|are|be|and|shall be)\b[^.;]{0,40}"
    r"\b(?:repealed|rescinded|amended|replaced|superseded)\b)"
)
_DATE_LABEL = Words(r"^date ?:")
#: Above the signatures of a resolution.
_DATED = Words(r"^dated ?: ?$")
#: "Introduced at a regular meeting held on May 4, 2021, and was adopted by the following vote".
_AND_ADOPTED = Words(
    r"^[\W_]{0,3}(?:and )?(?:was )?(?:\w+ ){0,3}(?:passed|adopted)\b"
    r"(?![^.;]{0,80}\b(?:on|held|this)\b)"
)
#: A label begins a statement of its own, whatever the line above says.
_MEETING_DATE = Words(r"^(?:(?:council|board) )?(?:meeting|agenda|hearing) date\b")
_OF_MINUTES = Words(r"\b(?:minutes|proceedings|niederschrift|procès-verbal|acta)\b")
#: "The following are the minutes of the Council meeting held on".
_THESE_MINUTES = Words(
    r"\b(?:following|these|this)\b[^.;]{0,30} (?:is|are)\b[^.;]{0,20}\bminutes of\b"
)
#: A full stop that ends no sentence: "Ashby, B.C.", "St. Mary's Ave."
_ABBREVIATED = re.compile(r"\b([A-Z]|St|Ste|Ave|Rd|Dr|Blvd|Hwy|Rm|No)\.")
_SENTENCE_END = re.compile(r"(?<=\w\w\w)[.;]\s")
#: Dates without words around them, in the title block.
_ALONE, _IN_HEADING = 4.5, 4.0
#: Another day contradicts if it has hardly less weight than the day of the meeting.
_RIVAL = 1.0
#: So does one that has a line of the title block to itself: more than the day in a header has.
_OWN_LINE = 6.2
#: A line longer than this goes on in the next.
_FULL_LINE = 55
#: A sentence that says when a meeting was or will be is within this many lines of the text.
_OPENING_LINES = 15


class DayReading(NamedTuple):
    """The day of the meeting, others that might have been it, and days of which nothing is said."""

    fact: Fact
    others: list[Fact]
    unclear: list[Fact]


class _Where(NamedTuple):
    """Where a date stands: its line, what is before and after it, the line above."""

    line: Line
    same_line: str
    before: str
    after: str
    rest_of_line: str
    above: str
    in_block: bool
    is_near: bool
    is_number: bool


class _Document(NamedTuple):
    kind: str | None
    is_letter: bool
    top: Sequence[Line]
    rules: Sequence[DayRule]


def day_lines(block: Sequence[Line], lines: Sequence[Line], kind: str | None) -> Sequence[Line]:
    """Return the lines on which the day of the meeting may be: of a resolution, on all."""
    return lines if kind == RESOLUTION else lines[: len(block) + 2 * _OPENING_LINES]


def meeting_day(
    block: Sequence[Line], lines: Sequence[Line], kind: str | None, is_letter: bool, day_first: bool
) -> DayReading:
    """Return the day of the meeting that a document is of or for."""
    lines = day_lines(block, lines, kind)
    text = "\n".join(line.text for line in lines)
    starts = [0, *accumulate(len(line.text) + 1 for line in lines)]
    rules = [rule for rule in RULES if not rule.kinds or kind in rule.kinds]
    document = _Document(kind, is_letter, lines[:16], rules)
    #: From where to where a resolution tells what went before it.
    recitals = (0, 0)
    if kind == RESOLUTION and (start := text.lower().find("whereas")) >= 0:
        resolved = _RESOLVED.search(text, start)
        recitals = (start, resolved.start() if resolved else len(text))
    candidates: list[tuple[float, PrintedDate, Line]] = []
    unclear: list[Fact] = []
    number = 0
    for found in printed_dates(text, day_first=day_first):
        while starts[number + 1] <= found.start:
            number += 1
        if (
            kind == MINUTES
            and number >= len(block)
            and len({each[1].day for each in candidates}) == 1
        ):
            # The title block of minutes names the day; the text names others.
            break
        if recitals[0] <= found.start < recitals[1]:
            continue
        line, start = lines[number], starts[number]
        # The headings are no part of the sentence that opens the text.
        told = starts[len(block)] if number >= len(block) else 0
        where = _Where(
            line,
            text[start : found.start],
            text[max(0, found.start - _BEFORE, told) : found.start],
            text[found.end : found.end + _AFTER],
            text[found.end : start + len(line.text)],
            lines[number - 1].text if number else "",
            number < len(block),
            number < len(block) + _OPENING_LINES,
            not any(map(str.isalpha, text[found.start : found.end])),
        )
        weight = _weight(where, document)
        if weight is None:
            unclear.append(_fact(text, found, line, 0.6))
        elif weight:
            # Of two days the first, and in the title block before the text.
            weight += (2.0 if where.in_block else 0) - 0.01 * min(number, 40)
            candidates.append((weight - 0.6 * found.wrong_weekday, found, line))
    if not candidates:
        return DayReading(UNKNOWN, [], unclear)
    if cancelled := [each for each in candidates if each[0] > _CANCELLED - 1]:
        candidates = cancelled
    votes = Counter(found.day for _, found, _ in candidates)
    # "Meetings will be held on January 5, and:", with a line for each of the other days.
    listed_below = {fact.value for fact in unclear if begins_with_date(fact.quote or "")}
    days = [line for line in lines if begins_with_date(line.text) and not years_in(line.text)]
    listed_days = max(len(votes), len(listed_below) + 1, len(days))
    if kind == NOTICE and listed_days >= SCHEDULE_DAYS:
        listed = [_fact(text, found, line, 0.3) for _, found, line in candidates[:5]]
        return DayReading(UNKNOWN, listed, unclear)
    weight, best, line = max(candidates, key=lambda each: each[0] + 0.2 * votes[each[1].day])
    rivals = [
        each
        for each in candidates
        if each[1].day != best.day and each[0] > min(weight - _RIVAL, _OWN_LINE)
    ]
    confidence = 0.95 if weight >= 6 else 0.85
    if rivals:
        confidence -= 0.25
    if best.ambiguous:
        confidence -= 0.25
    if best.wrong_weekday:
        confidence -= 0.15
    others = [_fact(text, each[1], each[2], 0.3) for each in rivals[:5]]
    return DayReading(_fact(text, best, line, confidence), others, unclear)


_RESOLVED = Words(
    r"\b(?:be it|now,? therefore|therefore,|hereby resolves|(?:ordains|enacts) as)\b|\bcarried\b"
    r"|\bread (?:a|for the) (?:first|second|third)\b"
    r"|\b(?:finally passed|(?:passed|adopted|dated) this)\b"
)


def _fact(text: str, found: PrintedDate, line: Line, confidence: float) -> Fact:
    quote = line.text if len(line.text) <= 120 else text[found.start : found.end]
    return Fact(found.day.isoformat(), PAGE, quote, line.page, round(confidence, 2))


#: "Read a third time this", but not "read a third time and passed this".
_READ = Words(
    r"\bread (?:a|for (?:the|a)) (?P<which>first|second|third)\b"
    r"(?!.*\b(?:passed|adopted|enacted)\b)"
)
_THIS_DAY = Words(r"\bthis (?:the )?$")
#: "Passed the 16th day of August, 2021, and approved this": by the mayor, later.
_ALSO_APPROVED = Words(r"[0-9],? (?:and )?approved (?:by the mayor )?this (?:the )?$")
#: "Am Montag, 04.04.2022, findet um 19 Uhr eine Sitzung des Gemeinderats statt."
_TAKES_PLACE = Words(r"^[\W_]{0,3}findet\b[^.]{0,90}\bsitzung\b")


def _is_subject(where: _Where) -> bool:
    """Whether a date is in the line that says what a paper is about, or on which it goes on."""
    goes_on = len(where.above) > _FULL_LINE and ":" not in where.line.text
    return bool(SUBJECT.match(where.line.text) or (goes_on and SUBJECT.match(where.above)))


def _weight(where: _Where, document: _Document) -> float | None:
    """Return how much speaks for a date; 0 if it is of something else, None if nothing is said."""
    in_block, kind = where.in_block, document.kind
    if document.is_letter and kind == OTHER:
        # It may be about a meeting.
        return 0.0
    has_time = where.is_number and _PRINTED_AT.match(where.after)
    if has_time and (not in_block or printed_dates(where.same_line)):
        return 0.0
    if not in_block and _AFTER_OTHER.search(where.after):
        # "Passed May 4, 2021", and on the next line "Approved by the Mayor".
        following = where.after.lstrip(" .,;")
        if kind != RESOLUTION or not (following[:1] == "\n" and following[1:2].isupper()):
            return 0.0
    if (
        _ITEM.match(where.line.text)
        and where.same_line
        and not in_block
        and kind in (AGENDA, PACKET)
    ):
        return 0.0
    of_meeting = kind in OF_A_MEETING
    if kind in (NOTICE, AGENDA, PACKET) and where.is_near and _WILL_MEET.match(where.after):
        return 8.5
    is_cancelled = "cancel" in where.after.lower() and (
        _CANCELLED_AFTER.match(where.after)
        or (_MEETING_BEFORE.search(where.before) and _CANCELLED_LATER.match(where.after))
    )
    if kind == NOTICE and where.is_near and is_cancelled:
        # The notice is of this meeting, not of the next one that it announces.
        return _CANCELLED
    if kind == NOTICE and _MOVED_AFTER.match(where.after):
        return 0.0
    if kind == NOTICE and _MOVED_TO.search(where.before):
        return 8.5
    if kind == RESOLUTION and _REPEALED.match(where.after):
        return 0.0
    if kind == RESOLUTION and "introduced" in where.before and _AND_ADOPTED.match(where.after):
        return 9.5
    if (
        kind == MINUTES
        and where.is_near
        and where.rest_of_line
        and _MEETING_CALLED.match(where.after)
    ):
        return 6.0
    if of_meeting and where.is_near and _TAKES_PLACE.match(where.after):
        return 8.5
    # Words on the same line come first; then the line above says something about a line of its
    # own, and in the text a sentence runs over the ends of lines.
    alone = in_block and len(_BESIDE.sub("", where.same_line + where.rest_of_line)) <= 3
    # "Date: May 4, 2021" below the name of who moves: a form for a motion.
    is_label = kind == RESOLUTION and bool(
        _DATED.match(where.same_line) or (where.is_near and _DATE_LABEL.match(where.same_line))
    )
    goes_on = not where.same_line and len(where.above) > _FULL_LINE
    if in_block:
        around = [where.same_line, where.before] if alone or goes_on else [where.same_line]
    elif is_label or _MEETING_DATE.match(where.same_line):
        around = [where.same_line]
    else:
        told = _ABBREVIATED.sub(r"\1", where.before.replace("\n", " "))
        around = _SENTENCE_END.split(told)[-1:]
        if _OF_MINUTES.search(around[0]):
            is_title = kind == MINUTES and where.is_near and _THESE_MINUTES.search(around[0])
            return 6.0 if is_title else 0.0
    for whole in around:
        small = whole[-_BEFORE:].lower()
        for rule in document.rules:
            if any(map(small.__contains__, rule.needs)) and rule.before.search(small):
                break
        else:
            continue
        if kind == REPORT and rule.name != "named as the day" and _is_subject(where):
            # The meeting that a report is about.
            return 0.0
        if rule.weight < 6 and document.is_letter and kind != RESOLUTION:
            return 0.0
        if in_block or is_label or rule.name in ("adoption", "named as the day"):
            # "PASSED AND APPROVED this 5th day of June": of itself, not of what it amends.
            is_this = rule.name == "adoption" and _THIS_DAY.search(small)
            readings = [found["which"] for found in _READ.finditer(small)]
            if rule.name == "adoption" and readings:
                # A by-law is adopted after its last reading.
                return rule.weight - (1.0 if readings[-1] == "third" else 2.0)
            return rule.weight + bool(is_this and not _ALSO_APPROVED.search(small))
        # In the text: only where minutes and notices begin, and never a report's.
        is_told = (
            of_meeting
            and where.is_near
            and rule.name not in ("minutes of the day", "agenda of the day")
        )
        return rule.weight if is_told else 0.0
    if kind == REPORT and _is_subject(where):
        return None
    if (in_block or not is_sentence(where.line.text)) and _MEETING_AFTER.match(where.rest_of_line):
        return 6.0
    if _DATE_LABEL.match(where.same_line) and any(
        _AGENDA_ITEM.search(line.text) for line in document.top
    ):
        return 4.0
    if not of_meeting or document.is_letter or not in_block:
        return None
    if alone and heading_rule(where.above):
        return 6.5
    return _ALONE if alone else _IN_HEADING
