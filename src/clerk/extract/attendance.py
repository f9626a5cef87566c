"""Read who was at a meeting: present, absent or excused, late, gone early or on a screen.

::

    PRESENT: Mayor Ann Smith, Councilmembers Jones and Brown (arrived at 7:15 p.m.)
    ABSENT: Councilmember Lee (excused)
    STAFF: Pat Moss, Town Clerk

A section begins with its label.  From there names are read one after the other, with the role, the
note and the status behind each, in one line or in many, until something else comes: a list that
cannot be read to its end is read as far as it is a list.  ``ABSENT:`` below a motion belongs to a
vote, and not to the attendance.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import msgspec
from msgspec.structs import replace

from clerk.core import lazy_re as re

from .findings import Presence, place
from .names import (
    ALSO_SURNAMES,
    BALLOT_WORDS,
    CREDENTIALS,
    STOPS,
    Name,
    has_last_names_first,
    names_before,
    read_name,
    read_names,
)
from .text import NormalText, Phrase, end_without, line_start, lower, pattern, word_set

PRESENT = "present"
ABSENT = "absent"
EXCUSED = "excused"
STATUSES = (PRESENT, ABSENT, EXCUSED)

#: Who votes, and who is there for another reason: staff, officials, the public.
MEMBER = "member"
OTHER = "other"


class Attendee(msgspec.Struct, frozen=True):
    """Somebody the attendance names, and what it says about them."""

    name: Name
    #: What the text calls them: ``Mayor``, ``Town Clerk``.
    role: str | None
    #: "member" or "other".
    group: str
    status: str
    late: bool = False
    left_early: bool = False
    remote: bool = False
    #: Their own line says that they were there, or not.
    said: bool = False
    #: The text says whether they were there; a list of members in a letterhead does not.
    stated: bool = True
    #: Where the label of the list is, and where what is said about this person ends.
    label: int = 0
    end: int = 0

    @property
    def office(self) -> str | None:
        """The role without courtesies: ``Councillors Mrs`` are councillors, ``Mrs`` is none."""
        words = (self.role or "").split()
        while words and _COURTESY.fullmatch(words[-1].rstrip(".")):
            words.pop()
        return " ".join(words) or None


#: A word of a label, and what may come between it and the names.
_LABEL = Phrase(
    "present absent attend apolog excused regrets roll_call members absences leave_of staff"
    " officials officers guests visitors others remotely pr\u00e9sent",
    r"(?:present|absent|attendance|attending|attendees|attendee\s+name[^\n]{0,60}|apolog(?:y|ies)"
    r"|pr\u00e9sent(?:e?s)?|absente?s?|excused|regrets|roll call|members|absences"
    r"|leave of absence|staff|officials|officers|guests|visitors|others"
    r"|remotely)\b(?:[^\n:;.]{0,40}?)(?:\s?\(\d{1,2}\))?"
    r"\s{0,3}(?:[:;]|\s(?:were|was|included|are)\s?:|-(?=[\s-])|(?P<over>\n|\s(?:were|was|included|are)\b"
    r"(?!\s+(?:taken\s+|called\s+|held\s+)?as\s+follows)[:\s-]{0,4})"
    r"|,(?<=members present,)(?=\s))",
)
_NUMBERING = re.compile(r"\s{0,60}(?:[\dIVXA-Z]{1,4}[.)]?){0,3}\s{0,8}")
_LABEL_START = re.compile(r"(?:\A|[\n:;,.]|\d[.)])\s{0,40}([^\n:;,.]{0,48})\Z")
#: The words that may begin an attendance; the others only go on with it.
_BEGINS = pattern(
    r"\bpresent\b|\bpr\u00e9sent|\battend(?:ance|ing|ees?|ed)\b|\broll\s+call\b|\bmembers?\b|\bresponded\b"
    r"|\banswered\b",
    re.I,
)
_STATED = pattern(
    r"\bpresent\b|\bpr\u00e9sent|\battend|\broll\s+call\b|\bresponded\b|\banswered\b", re.I
)
_BODY_LABEL = pattern(
    r"\W{0,4}(?:city\s+|town\s+|village\s+|school\s+|county\s+)?(?:council(?:\s?members?|men)?"
    r"|board(?:\s+members?)?|commissioners|trustees|members)\W{0,4}",
    re.I,
)
_TITLE_LABEL = pattern(
    r"\s*(?:councill?ors?|commissioners?|trustees?|directors?|supervisors?|aldermen|members?"
    r"|cllrs?\.?|council\s?members?|(?:\w+[ ]){0,3}(?:committee|council|board|commission))"
    r"\s?:\s?-?\s*",
    re.I,
)
_TITLE_ALONE = pattern(
    r"\s*(?:councill?ors|commissioners|trustees|directors|supervisors|aldermen|members) *\n", re.I
)
_AWAY = pattern(
    r"\babsen|\bapolog|\bexcused|\bregrets|\bleave\s+of|\bnot\s+(?:present|attend)", re.I
)
_EXCUSED = pattern(r"\bexcused|\bapolog|\bregrets|\bleave\s+of|\bwith\s+notice", re.I)
_REMOTE = pattern(
    r"\b(?:via|by|through|on|over)\s+(?:(?:ms\s+|microsoft\s+)?teams|zoom|(?:tele)?phone"
    r"|telephone|video|webex|conference\s+call|electronic|audio)|\bremote|\bvirtual|\bzoom\b"
    r"|\btelephonic|\bcall(?:ed)?\s+in\b|\belectronic(?:ally)?\s+(?:attend|particip)",
    re.I,
)
_OTHERS = pattern(
    r"\b(?:staff|also|others?|guests?|public|visitors?|officials?|officers?|press|citizens|clerk"
    r"|manager|attorney|administration|audience|consultants?|residents)\b",
    re.I,
)
_OTHER_MEMBERS = pattern(
    r"\bother\s+(?:members|councill?ors|commissioners|trustees|directors)\b", re.I
)
_STAFF = pattern(r"\b(?:staff|administration)\b", re.I)
_MEMBER_ROLE = pattern(
    r"(?:deputy\s+|vice\s+)?(?:councill?ors?|council\s?(?:members?|m[ae]n|wom[ae]n)|trustees?"
    r"|commissioners?|supervisors?|select(?:m[ae]n|wom[ae]n)|alder(?:m[ae]n|wom[ae]n)|mayor|reeve)\b",
    re.I,
)
_IN_ATTENDANCE = pattern(r"\bin\s+attendance\b|\battending\b", re.I)
_LATE = pattern(
    r"\b(?:arriv\w+|late|join(?:ed|ing)|entered|from\s+(?:item|\d)|came\s+in)\b|@\s?\d", re.I
)
_LEFT = pattern(r"\b(?:left|depart\w+|leaving|until|to\s+item|excused\s+at)\b", re.I)
_HOUR_ONLY = re.compile(r"\(\s?(?:at\s+)?\d{1,2}[:.]\d\d\s?(?:[ap]\.?m\.?)?\s?\)", re.IGNORECASE)

#: What kind of members follow: ``Regular Members Ann Smith``.
_QUALIFIED = pattern(
    r"(?i:(?:(?:regular|voting|full|permanent|appointed|elected|alternate|associate|seated)\s+)"
    r"{1,2}(?:members?|commissioners?|directors?|trustees?)\s?:?\s+)(?=[A-Z])"
)
#: Separates two people, or a person from what is said about them.
_BETWEEN = re.compile(
    r"(?:[\s,;&/\u2022\u25cf\u25aa\u00b7\u2023*>]|-(?!\w)|\d{1,2}[.)](?=\s)|\band\b|\bet\b|\bthe\b|#\d?"
    r"|\bpresiding\b|\b(?:His|Her|Their) (?:Worship|Honou?r)\b,?(?: [Tt]he\b)?"
    r"|\b(?:Div|Division|Ward|District|Zone|Precinct|Area)\b\.? ?\d{1,2} ?[-:](?= ))*"
)
#: A first name that people use: ``Elizabeth (Betty) Warner``, ``Rick "Spider" Kramer``.
_NICKNAME = re.compile(r' [("][A-Z][a-z]+[)"] (?=[A-Z][\w\'-]+)')
_SEAT_BEHIND = re.compile(
    r"(?<=[a-z]) (?:District|Ward|Precinct|Division|Seat|Place) [A-Z\d]{1,3}$"
)
_SEAT = re.compile(
    r"(?: -)? (?:District|Ward|Precinct|Division|Seat|Place|Position) [A-Z\d]{1,3}\b"
    r"|, ?(?!(?:Commissioner|Constable|Director|Trustee|Supervisor|Councill?or|Member)\b)"
    r"(?:[A-Z][\w']+ ){1,2}(?:District|Ward|Precinct)(?=[ \n,;.]|$)"
    # ``Director A. Smith Electoral Area B``
    r"| Electoral\s+Area [A-Z]\b| (?:City|Town|District|Village) of(?: [A-Z]\w+){0,3}(?= *\n)"
)
#: Whom somebody is there for: ``Ann Smith - Water District``, ``Ann Smith, Elm County Assessor;``.
_AFFILIATION = re.compile(
    r" - [A-Z][^\n,;:.]{3,50}(?= *\n)"
    r"|, (?=[^,;:\n]{0,40}\b(?:County|District|Department|Authority|Association|Company|Agency"
    r"|Office|Management|News|Journal)\b)[A-Z][^,;:\n]{3,60}(?=;)"
)
_UNREAD = re.compile(r"(?=[^,]{0,8}[-~^])[^,;:.\n]{1,25},\s{1,3}(?=[A-Z])")
_NOTE = re.compile(r"\s{0,3}[(\[](?P<note>[^()\[\]\n]{1,90})[)\]]")
_SAID = (
    r"(?P<status>present|absent|excused|here|apolog(?:y|ies)"
    r"|arrived(?:\s+late)?(?:\s+at)?|late|left(?:\s+at)?|via\s+[\w/]+(?:\s+\w+)?|remote(?:ly)?"
    r"|in\s+the\s+chair"
    r"|until\s[^\n]{3,40}|from\s+item[^\n]{1,30}|by\s+(?:phone|telephone|zoom)|not\s+present)\b"
    r"(?:\s?(?:at\s)?\d{1,2}[:.]\d\d\s?(?:[ap]\.?m\.?)?)?"
)
_STATUS = re.compile(
    rf"[ ]{{0,60}}[-,;=(|.]{{0,4}}:?[ ]{{0,60}}{_SAID}"
    r"(?!\s{0,3}[:;]\s|\s{0,2}-\s|\s+(?:was|were)\b)\)?",
    re.IGNORECASE,
)
#: A status in the line below a name has that line for itself.
_STATUS_BELOW = re.compile(rf"[ ]{{0,60}}\n\s{{0,60}}{_SAID}(?=[ ]{{0,60}}(?:\n|$))", re.IGNORECASE)
_ROLE_WORD = (
    r"(?:(?:deputy|vice|assistant|acting|interim|first|second|student|alternate|town|city|village|county"
    r"|township|borough|parish|district|school|public|senior|chief|executive|general|board|council"
    r"|planning|zoning|finance|fire|police|recording|administrative|community|economic|human"
    r"|selectmen's|conservation|field|development|works|building|code|enforcement|library|parks?|recreation|legal|water|utility"
    r"|utilities|services?|pro|tem(?:pore)?|ex|officio|court|road"
    r"|highway|health|information|technology|corporate|ward|seat|place|position|precinct|division"
    r"|no\.?|\d{1,2})[ /-]{1,3}(?:(?:of|the|and|&|for)[ ]){0,2}){0,8}"
    r"(?:chief\s+of\s+(?:staff|police)|chair(?:man|woman|person)?|vice-?chair(?:man|woman|person)?|mayor(?:\s+pro\s+tem(?:pore)?)?"
    r"|president|vice-?president|secretary|treasurer|clerk(?:-treasurer)?|clerk/treasurer|moderator"
    r"|members?|commissioners?|trustees?|directors?|councill?ors?|council(?:m[ae]n|wom[ae]n|members?|person)"
    r"|alder(?:m[ae]n|woman|person)|supervisors?|select(?:m[ae]n|woman|person)|selectboard|reeve|judge"
    r"|manager|administrator|attorney|solicitor|counsel|engineer|planner|superintendent|recorder"
    r"|officer|chief|inspector|librarian|cao|cfo|ceo|esq\.?|principal|coordinator|liaison|intern"
    r"|agent|technician|assistant|foreman|consultant|auditor|assessor|representative|alternate|jp|qsm"
    r"|visitor|guest|resident"
    r"|oam|onzm|p\.?e\.?|sarpanch|cathaoirleach|(?:ward|district|seat|place|position|precinct|alt)"
    r"\s?\.?\s?(?:no\.?\s?|#\s?)?[\divx]{1,3})\b"
    r"(?:[ ](?:precinct|pct\.?|district|ward|seat|place|position|division)[ ]#?[\divx]{1,3}\b)?"
    r"(?:[ ]of[ ]the[ ]public\b|[ ]of[ ](?:the[ ])?[^\W\d_]+(?:[ ](?:and[ ]|&[ ])?[^\W\d_]+){0,2})?"
)
#: It is looked for in lower case, which is faster than to ignore case.
_ROLE = re.compile(
    rf"[ ]{{0,60}}[,\-/]?[ ]{{0,60}}(?!\d{{1,3}} members)(?P<role>{_ROLE_WORD})(?![\w'])"
)
_COURTESY = re.compile(r"(?:Mrs?|Ms|Miss|Dr)\b")
_TITLE_BEHIND = re.compile(rf", {_ROLE_WORD}(?![\w'])", re.IGNORECASE)
OTHER_ROLE = pattern(
    r"\b(?:clerk|manager|administrator|attorney|solicitor|counsel|engineer|planner|superintendent"
    r"|recorder|officer|chief|inspector|librarian|cao|cfo|ceo|esq|principal|coordinator|liaison|intern"
    r"|technician|foreman|consultant|auditor|assessor|assistant|staff|director\s+of|p\.?e|visitor|guest"
    r"|resident)\b"
    r"|\b(?:works|finance|services|development|planning|recreation|library)\s+director\b",
    re.I,
)
#: Two words of a name, and a wider gap behind them.
_NEXT_COLUMN = re.compile(r"\S+(?: \S+)+(?= {2,})")
#: Call is a surname too.
_CALL_TO_ORDER = pattern(r"(?:[\divxa-z]{1,4}[.)]\s{0,8})?call(?:ed)?\s+to\s+order\b")
#: ``Thomas Smith, AICP``
_LETTERS = re.compile(r"AICP|CPA|MMC|CMC|PE|AIA|ASLA|Esq|JD|PhD")
_REST_OF_NAME = re.compile(r" {0,2}\n {0,40}([A-Z][\w'-]{2,25})(?=[,;.(]| and\b)")
_WORD_FOLLOWS = re.compile(r" (?!and\b|present\b|absent\b|excused\b|arriv|left\b|via\b|by\b)[a-z]")
_DIRECTLY = re.compile(r" {1,3}(?=[A-Z])")
_COLON = re.compile(r":(?!\d)")
_COUNT = re.compile(r" {0,3}\d{1,2} ?- ?(?=[A-Z])")
_CELL_END = re.compile(r"[\n,;:(]|  |(?<=[a-z][a-z])\.(?=\s)")
_CALLED_THE_ROLL = re.compile(r"[\s,]{0,60}called\s+the\s+roll[^.\n:]{0,60}[.:]\s+")
#: No list goes on behind one of these.
_OVER = re.compile(
    r"[\s,]{0,60}(?:called|opened|presided|stated|led|gave|said|welcomed|is|has|delivered|moved|made)\b"
)
#: Words of headings and of the opening of a meeting, which no name has.
_HEADINGS = (
    word_set(
        """
    pledge allegiance anthem national invocation prayer moment silence reflection acknowledgement
    acknowledgment welcome flag salute declaration declarations interest interests apologies
    proclamation proclamations presentation presentations correspondence announcements
    introduction introductions citizens visitors guests officials press media call order roll
    opening minutes quorum adjournment resolution ordinance committee commission city town village
    county township borough district school university library room street avenue
    state department office absences attendance attendees name names title status item
    items others time date location disclosure conflict conflicts pecuniary reports report review
    designation signature election public participants vacant vacancy tbd zoning planning hearing
    adoption approval agenda consent statement notice compliance open communications delegations
    part record disclaimer page country traditional religious diversity audio recording
    fire company official reasons see recorder solicitor municipal
    services projects corporate environmental human administrative officer finance administration
    hearings inspection inspections licensed transactional violations recommended
    precinct counsel litigator collector development management engineering operations
    resources emergency information
    """
    )
    - ALSO_SURNAMES
)
#: The letters of a firm: ``KPMG``.
_NO_VOWEL = re.compile(r"[bcdfghjklmnpqrstvwxz]{3,8}")
#: Surnames that are places behind these words: ``Council Chambers``, ``Village Hall``.
_ALSO_PLACES = word_set("chambers hall land")
_BEFORE_PLACE = pattern(
    r"\b(?:council|city|town|village|county|township|board|school|parish|community|memorial|the)\s+$",
    re.I,
)
#: A section is at most this long, and the next label of an attendance this near to the last one.
_REACH, _NEAR = 2500, 900
#: What makes the words before a label those of a vote.
_OF_A_VOTE = pattern(
    r"\b(?:motion|moved|seconded|ayes?|nays?|noes|yeas?|vote[ds]?|carried)\b", re.I
)
_VOTED = pattern(
    r"[\s,:(\-\"]{1,12}(?:voted\s+|votes\s+)?\"?(?:yes|aye|yea|no|nay|y|n|abstain\w*|in favou?r)\b"
)
_WERE_AWAY = pattern(
    r"\s+(?:asked\s+to\s+be|was|were|had\s+been|is|are)\s+(?P<status>excused|absent)\b", re.I
)
_ALSO_THERE = pattern(r"\s+(?:was|were)\s+also\s+(?:present|there|in\s+attendance)\b", re.I)
#: Names before a verb: ``Chair Smith and Commissioners Jones and Brown answered the roll.``
_SAID_OF = Phrase(
    "answered present were_all were_also were_present were_in were_absent were_excused"
    " was_all was_also was_present was_in was_absent was_excused",
    r"(?:answered\s+(?:(?:to\s+)?(?:the\s+|their\s+)?roll|\W?present)"
    r"|(?P<bare>present(?=\s{0,3}\.))|(?:were|was)\s+(?:all\s+|also\s+)?"
    r"(?P<status>present|in\s+attendance|absent|excused))\b(?!\s+(?:for|from|when|during|at\s+the))",
)
_TO_ORDER = Phrase(
    "called calls to_order presid",
    r"(?P<verb>call(?:ed|s)\s+the\s+(?:[^\s.]+\s+){0,12}?to\s+order|presid(?:ing|ed)\b)"
    r"|to\s+order\b",
)
_ORDER_BY = pattern(r"[^.\n]{0,90}?\bby:?\s+")
_PRESIDING = pattern(
    r"(?:acting\s+|vice[\s-]|deputy\s+|board\s+|council\s+)*(?:chair\w*|president|mayor|supervisor"
    r"|commissioner|trustee|reeve|moderator|councill?or|cllr)\b",
    re.I,
)
#: Such sentences are looked for in this much of a document.
_OPENING = 4000
_APOLOGIES = Phrase(
    "apologies regrets",
    r"(?:apologies|regrets)(?:\s+for\s+absence)?\b[^.\n:]{0,40}?(?:\bfrom\b|\breceived\b|:|\n|-)"
    r"(?:\s+from\b)?\s*",
)
_PLAIN_PRESENT = Phrase(
    "members those also following councill trustees commissioners directors supervisors others"
    " present attending",
    r"(?:(?:members?|those|also|following|councill?ors|trustees|commissioners|directors"
    r"|supervisors|others?)\s+(?:who\s+were\s+)?)?(?:present|in\s+attendance|attending)\s+"
    r"(?:were|was|included|are)\s*:?\s*-?\s*"
    r"|following\s+(?:\w+\s+){0,4}(?:present|in\s+attendance|attend\w*|responded|answered)"
    r"(?:\s+the\s+(?:entire\s+|whole\s+)?meeting)?\s*:\s*-?\s*",
)


#: ``MEMBERS PRESENT      MEMBERS ABSENT``, with a column of names below each.
_TWO_LABELS = re.compile(
    r"^ *(?P<left>(?:[A-Z]+ )?PRESENT:?) {3,}(?P<right>(?:[A-Z]+ )?(?:ABSENT|EXCUSED):?) *$",
    re.M | re.I,
)
_BLANK_LINE = re.compile(r"\n *\n")
_GAP = re.compile(r" {2,}")
_BESIDE = 10


def presences(document: NormalText, attendees: Iterable[Attendee]) -> list[Presence]:
    """Return what is published of the attendance: each person once per status and group.

    The quote is what is printed about the person, from the title to the note behind the name.
    """
    found: dict[tuple[str, str, str], Presence] = {}
    for who in attendees:
        key = (who.name.text.lower(), who.group, who.status)
        if key in found or not who.stated:
            continue
        found[key] = Presence(
            **place(document, who.name.start, max(who.end, who.name.end)),
            name=who.name.text,
            role=who.office,
            group=who.group,
            status=who.status,
            late=who.late,
            left_early=who.left_early,
            remote=who.remote,
        )
    return list(found.values())


#: A label in capitals without a colon: ``PRESENT Ann Smith, Chair``.
_CAPITAL_LABEL = Phrase(
    "PRESENT ABSENT Present CITY TOWN VILLAGE COUNCIL",
    r"(?:CITY |TOWN |VILLAGE )?COUNCIL: {1,4}(?=Mayor [A-Z])"
    r"|(?:PRESENT|ABSENT)(?: MEMBERS)? {1,4}(?=[A-Z][a-z]|[A-Z]\.)"
    r"|Present (?=[A-Z][a-z]+(?:, [A-Z][a-z]+){2})",
)


def read_attendees(document: NormalText, known: frozenset[str]) -> list[Attendee]:
    """Return who the attendance of a document names, in printed order, each place once."""
    reader = _Reader(document, known)
    found: list[Attendee] = []
    taken = 0
    for columns in _TWO_LABELS.finditer(document.text, 0, _OPENING):
        sections = reader.columns(columns)
        if all(sections):
            found += [who for section in sections for who in section]
            taken = max(who.end for who in found)
    for start, end, label in _labels(document):
        if end <= taken:
            continue
        # ``Present: Ann Smith, Bob Jones Absent: Kim Lee``: the label begins behind the names.
        label = label[max(0, taken - start) :]
        section = reader.section(max(start, taken), end, label)
        if section:
            taken = max(section[-1].end, end)
            found += section
        if len(found) > 400:
            break
    found += reader.in_prose(found)
    found += reader.in_the_chair(found)
    return sorted(found, key=lambda who: who.name.start)


def _labels(document: NormalText) -> Iterator[tuple[int, int, str]]:
    """Yield the labels of lists: where they begin, where the names begin, and their words."""
    text, lower = document.text, document.lower
    last = -1
    marks: list[tuple[int, int, str]] = []
    for mark in _LABEL.find(lower):
        before = _LABEL_START.search(lower, max(0, mark.start() - 60), mark.start())
        if before is None and not text[mark.start()].isupper():
            continue
        start = before.start(1) if before else mark.start()
        line = line_start(text, start)
        if mark["over"] and not _NUMBERING.fullmatch(text, line, start):
            continue
        marks.append((start, mark.end(), text[start : mark.end()]))
    for phrase, printed in (
        (_PLAIN_PRESENT, lower),
        (_APOLOGIES, lower),
        (_CAPITAL_LABEL, text),
    ):
        marks += [(mark.start(), mark.end(), mark[0]) for mark in phrase.find(printed)]
    done = -1
    for start, end, label in sorted(marks, key=lambda mark: (mark[0], -mark[1])):
        if start < done:
            continue
        begins = _BEGINS.search(label) or label.isupper()
        begins = bool(begins) and not _AWAY.search(label)
        near = last >= 0 and start - last < _NEAR
        apology = _EXCUSED.search(label) and last >= 0 and start - last < 4 * _NEAR
        if not begins and not near and not apology:
            continue
        floor = max(0, start - 160, last)
        if _OF_A_VOTE.search(label) or (not begins and _OF_A_VOTE.search(lower, floor, start)):
            continue
        yield start, end, label
        done, last = end, end


#: An office, however it is called, and a whole name: ``Chief of Information Technology Ann Smith``.
_WORKER = re.compile(
    r"(?P<role>(?:Asst\. )?(?=[^,;:.]{0,70}\b(?:GM|Manager|Counsel|Chief|Director|Superintendent"
    r"|Secretary|Captain|Marshal|Treasurer|Attorney|Engineer|Clerk|Officer|Recorder)\b)"
    r"[A-Z][^,;:.]{2,70}?)\s(?P<name>[A-Z][a-z]+(?:\s[A-Z]\.)?\s[A-Z][\w'-]+)"
    r"(?=[,;.]|\s{1,3}and\s|\s{0,3}\n)"
)
#: ``All Council Members were present.``
_ALL_PRESENT = pattern(
    r"\ball\s+(?:of\s+the\s+)?(?:[a-z]+\s+){0,2}members\s+(?:were\s+|are\s+)?present\b"
)


@dataclass
class _Reader:
    """Reads the sections of one document."""

    document: NormalText
    known: frozenset[str]
    #: The surnames of the members who are present.
    members: set[str] = field(default_factory=set)
    #: The names of one word in the lists.
    surnames: set[str] = field(default_factory=set)
    #: Where the last list ends that says who was there.
    stated_until: int = -10_000

    def in_prose(self, found: list[Attendee]) -> Iterator[Attendee]:
        """Yield those of whom a sentence at the beginning says that they were there or not."""
        text, lower = self.document.text, self.document.lower
        seen = {who.name.start for who in found}
        for said in _SAID_OF.find(lower):
            if said.start() > _OPENING:
                break
            names = names_before(text, end_without(text, said.start(), " \n,"), self.known)
            if not names or _OF_A_VOTE.search(lower, max(0, names[0].start - 80), names[0].start):
                continue
            status = said["status"] or PRESENT
            status = PRESENT if status.startswith(("present", "in")) else status
            member = any(name.titled or name.surname.lower() in self.known for name in names)
            whole = said["bare"] is not None or all(" " in name.text for name in names)
            listed = len(names) > 2 and whole
            if not (member or listed):
                continue
            for name in names:
                role = self._title(name.start, name)
                group = OTHER if role and OTHER_ROLE.search(role) else MEMBER
                if name.start not in seen and self._is_person(name, name.start, False, []):
                    yield Attendee(name, role, group, status, label=said.start(), end=name.end)

    def in_the_chair(self, found: list[Attendee]) -> Iterator[Attendee]:
        """Yield who called the meeting to order, if no list names them."""
        text, lower = self.document.text, self.document.lower
        listed = {who.name.surname.lower() for who in found}
        for order in _TO_ORDER.find(lower):
            if order.start() > _OPENING:
                break
            name: Name | None = None
            if by := _ORDER_BY.match(lower, order.end()):
                name = read_name(text, by.end(), self.known)
            elif order["verb"]:
                before = names_before(text, end_without(text, order.start(), " \n"), self.known)
                name = before[-1] if before else None
            if name is None or not name.titled or name.surname.lower() in listed:
                continue
            role = self._title(name.start, name)
            if role and _PRESIDING.match(role):
                yield Attendee(name, role, MEMBER, PRESENT, label=order.start(), end=name.end)
                return

    def columns(self, labels: re.Match[str]) -> list[list[Attendee]]:
        """Return the people below each of two labels in a line: each column read by itself."""
        text, edge = self.document.text, labels.start("right") - labels.start()
        end = next((over.start() for over in _BLANK_LINE.finditer(text, labels.end())), len(text))
        rows = []
        for line in text[labels.end() + 1 : end].split("\n"):
            # The right column begins behind the gap that is nearest to its label.
            gaps = (gap.end() for gap in _GAP.finditer(line) if abs(gap.end() - edge) <= _BESIDE)
            cut = min(gaps, key=lambda place: abs(place - edge), default=edge)
            rows.append((line[:cut].ljust(len(line)), line[cut:].rjust(len(line))))
        found = []
        for side, cells in zip(("left", "right"), zip(*rows, strict=True), strict=True):
            below = "\n".join(cells)
            alone = dataclasses.replace(
                self.document, text=text[: labels.end() + 1] + below + text[end:]
            )
            reader = _Reader(alone, self.known, self.members, self.surnames, self.stated_until)
            section = reader.section(labels.start(side), labels.end(), labels[side])
            self.stated_until = reader.stated_until
            found.append([who for who in section if who.end <= end])
        return found

    def section(self, start: int, position: int, label: str) -> list[Attendee]:
        """Return the people below or behind one label."""
        away = _AWAY.search(label) is not None
        status = PRESENT if not away else EXCUSED if _EXCUSED.search(label) else ABSENT
        group = OTHER if _OTHERS.search(label) and not _OTHER_MEMBERS.search(label) else MEMBER
        remote = _REMOTE.search(label) is not None
        text = self.document.text
        limit = min(len(text), position + _REACH)
        found: list[Attendee] = []
        if (alone := _TITLE_ALONE.match(text, position, limit)) and has_last_names_first(
            text, alone.end(), limit
        ):
            position = alone.end()
        if has_last_names_first(text, position, limit):
            for each in read_names(text, position, limit, self.known).names:
                found.append(
                    Attendee(each, None, group, status, remote=remote, label=start, end=each.end)
                )
            self.members |= {who.name.surname.lower() for who in found if group == MEMBER}
            return found
        role: str | None = None
        #: Where those begin of whom the last sentence speaks.
        sentence = 0
        if count := _COUNT.match(text, position, limit):
            # ``Present: 11 - Ann Smith``
            position = count.end()
        if title := _TITLE_LABEL.match(text, position, limit):
            # ``Present: Councillors: A Smith``
            position = title.end()
        while position < limit:
            gap = _BETWEEN.match(text, position, limit)
            after = gap.end() if gap else position
            if found and (group_title := _TITLE_LABEL.match(text, after, limit)):
                # ``Mayor Smith; Trustees: Jones, Brown``
                after = group_title.end()
            if qualified := _QUALIFIED.match(text, after, limit):
                after = qualified.end()
            between = text[position:after]
            # A line break behind a comma breaks no list.
            broken = "\n" in between and not between.lstrip().startswith((",", ";", "&", "and"))
            if broken and found and not self._is_row(after, found[-1].name.text.isupper()):
                break
            heading = _ROLE.match(self.document.lower, after, limit)
            name: Name | None = None
            if heading is not None or not self._is_heading(after):
                name = read_name(text, after, self.known, listed=True)
            if name is not None and (called := _NICKNAME.match(text, name.end, limit)):
                family = read_name(text, called.end(), self.known, listed=True)
                if family is not None and family.start == called.end() and not family.titled:
                    name = replace(name, text=f"{name.text} {family.text}", end=family.end)
            if name is not None and (column := _NEXT_COLUMN.match(text, name.start, name.end)):
                # ``Ann Smith   General Manager``
                name = read_name(text[: column.end()], after, self.known, listed=True)
            if heading is not None and name is not None:
                first = name.end - len(text[name.start : name.end].split()[-1])
                if heading.end() > first:
                    # ``Chief Administrative Officer, S. Chambers``
                    name = None
            spoken_role: str | None = None
            if heading is not None and (held := _DIRECTLY.match(text, heading.end(), limit)):
                # ``Public Works Director Tony Smith``
                behind = read_name(text, held.end(), self.known, listed=True)
                if behind is not None and behind.start == held.end() and not behind.titled:
                    name = Name(behind.text, after, behind.end, True)
                    spoken_role = text[slice(*heading.span("role"))]
            if (
                name is not None
                and not broken
                and found
                and len(name.text.split()) == 1
                and (rest := _REST_OF_NAME.match(text, name.end, limit))
            ):
                # ``Edmund Budish, Robert`` and ``Burgermeister,`` in the next line.
                name = Name(f"{name.text} {rest[1]}", name.start, rest.end(1), name.titled)
            if name is not None and not self._is_person(name, after, broken, found):
                name = None
            cut = name is None or (name.titled and " " not in name.text)
            is_staff = cut and group == OTHER and found and not broken
            if is_staff and (worker := _WORKER.match(text, after, limit)):
                # ``Asst. Manager of Water Operations Ann Smith``
                name = Name(" ".join(worker["name"].split()), after, worker.end(), True)
                spoken_role = " ".join(worker["role"].split())
            if name is None or name.end > limit:
                unread = _UNREAD.match(text, after, limit) if len(found) > 1 else None
                behind_it = read_name(text, unread.end(), self.known) if unread else None
                if unread and not broken and behind_it is not None and behind_it.titled:
                    # ``Cr Anderson, Cr -Hogan, Cr Bennett``: one that is misprinted.
                    position = unread.end()
                    continue
                # ``Chairperson`` above the name, ``, Chair`` behind it.
                if heading is None or heading.end() <= after:
                    break
                if found and not broken and heading["role"] == "members":
                    break
                behind_role = text[heading.end() : heading.end() + 3]
                title_follows = behind_role[:1] in (",", ":") or behind_role.strip(" ")[:1] == "-"
                if found and not broken and not title_follows and ";" not in between:
                    printed = text[slice(*heading.span("role"))]
                    found[-1] = self._with_role(found[-1], printed, heading.end())
                else:
                    role = text[slice(*heading.span("role"))]
                position = heading.end() + text.startswith(":", heading.end())
                continue
            printed_role = spoken_role or self._title(after, name) or role
            words = name.text.split()
            if len(words) == 4 and all(
                len(word.strip(".")) > 2 and word[0].isupper() for word in words
            ):
                # Two names that lost their comma: ``Kim Newbury Susie Tjossem``.
                middle = text.find(words[2], name.start + len(words[0]))
                both = Name(" ".join(words[:2]), name.start, middle - 1, name.titled)
                found.append(Attendee(both, printed_role, group, status, label=start, end=both.end))
                name = Name(" ".join(words[2:]), middle, name.end, False)
            who = Attendee(
                name, printed_role, group, status, remote=remote, label=start, end=name.end
            )
            position = name.end
            who, position = self._said_behind(who, position, limit)
            if who.role and OTHER_ROLE.search(who.role):
                # The clerk of a township sits on its board.
                if not (who.role == "Clerk" and "member" in label.lower()):
                    who = replace(who, group=OTHER)
            elif group == OTHER and not self.members and not _STAFF.search(label):
                # ``Others present were Supervisors Smith and Jones``
                plural = found[-1] if found and not who.role else who
                if plural.role and _MEMBER_ROLE.match(plural.role):
                    who = replace(who, group=MEMBER, role=who.role or plural.role)
            if group == MEMBER and found and found[-1].group == OTHER and not who.role:
                # Members come first; who has no title behind the clerk is somebody else.
                who = replace(who, group=OTHER)
            if broken:
                sentence = len(found)
            found.append(who)
            if over := _OVER.match(text, position, limit):
                # ``Mayor Smith called the meeting to order``: a sentence, and no list.
                found.pop()
                roll = _CALLED_THE_ROLL.match(text, over.start(), limit)
                if roll is None:
                    break
                position = roll.end()
            if text[position : position + 1] == "." and not broken and role is None:
                following = _BETWEEN.match(text, position + 1, limit)
                if following is None or not self._is_row(following.end(), False):
                    break
                position += 1
                sentence = len(found)
            if role is not None and not role.lower().endswith(("s", "men")):
                role = None
        if found and (gone := _WERE_AWAY.match(text, found[-1].end)):
            # ``Mayor Smith and Councilmember Jones asked to be excused.``
            away_as = ABSENT if gone["status"].lower() == "absent" else EXCUSED
            found[sentence:] = [replace(who, status=away_as) for who in found[sentence:]]
        if found and group == MEMBER and _ALSO_THERE.match(self.document.lower, found[-1].end):
            # ``Members present were Lee and Hart. Clerk Moss was also present.``
            found[sentence:] = [
                who if who.role and _MEMBER_ROLE.match(who.role) else replace(who, group=OTHER)
                for who in found[sentence:]
            ]
        if found and _VOTED.match(self.document.lower, found[0].name.end):
            # ``ROLL CALL: Mr. Smith, yes``
            return []
        if (
            away
            or _STATED.search(label)
            or (label.isupper() and _ALL_PRESENT.search(self.document.lower, start, _OPENING))
        ):
            self.stated_until = found[-1].end if found else position
        elif start - self.stated_until > _NEAR and not any(who.said and who.late for who in found):
            found = [replace(who, stated=who.said) for who in found]
        members = {who.name.surname.lower() for who in found if who.group == MEMBER}
        self.surnames |= {who.name.text.lower() for who in found if " " not in who.name.text}
        several = len(self.members) > (0 if _IN_ATTENDANCE.search(label) else 2)
        again = status == PRESENT and several and not _OTHER_MEMBERS.search(label)
        if again and len(members & self.members) * 2 < len(members):
            # ``Present:`` again, with other people: they are staff.
            found = [replace(who, group=OTHER) for who in found]
        elif status == PRESENT:
            self.members |= members
        return found

    def _is_heading(self, position: int) -> bool:
        if _CALL_TO_ORDER.match(self.document.lower, position):
            return True
        line = _CELL_END.split(self.document.text[position : position + 120], 1)[0]
        # ``Ann Smith District A``
        line = _SEAT_BEHIND.split(line, 1)[0]
        return any(word.strip(".").lower() in _HEADINGS for word in line.split()[:3])

    def _is_row(self, position: int, capitals: bool) -> bool:
        """Whether the line at a position begins with a person, and is no heading or sentence."""
        line = self.document.text[position : position + 200].partition("\n")[0].strip()
        if not line or len(line) > 160:
            return False
        words = line.split()
        if line.isupper() and len(line) > 3 and not capitals:
            return False
        first = words[0].strip(".,:;()").lower()
        if first in ("the", "a", "an", "there", "it", "this", "in", "on", "at", "all", "to"):
            return False
        if _ROLE.match(line.lower()):
            return True
        if line[0].isdigit() or self._is_heading(position):
            return False
        return not _COLON.search(line.split("  ")[0][:60]) or _BODY_LABEL.match(line) is not None

    def _is_person(self, name: Name, after: int, broken: bool, found: list[Attendee]) -> bool:
        """Whether what was read is a name, and not a word that begins a sentence or a heading."""
        words = name.text.split()
        low = [word.strip(".").lower() for word in words]
        if any(word in _HEADINGS or word in BALLOT_WORDS for word in low) or low == ["asst"]:
            return False
        if name.start - after > 3:
            return False
        surname = name.surname.lower()
        if len(words) == 1 and found and name.text.isupper() and _NO_VOWEL.fullmatch(surname):
            # ``Ann Smith, KPMG``: whom she is there for.
            return False
        courtesy = _COURTESY.match(self.document.text, name.start)
        if len(words) == 1 and OTHER_ROLE.fullmatch(surname) and not courtesy:
            # ``Township Assessor``: an office, and nobody's name, except in ``Mr. Clerk``.
            return False
        letters = CREDENTIALS.fullmatch(name.text) or _LETTERS.fullmatch(name.text)
        if letters and found and not found[-1].name.text.isupper():
            return False
        if surname in _ALSO_PLACES:
            words_before = name.end - len(surname)
            if _BEFORE_PLACE.search(self.document.text, max(0, words_before - 14), words_before):
                return False
            return len(words) > 1 or name.titled or (bool(found) and not broken)
        if surname in self.known or name.titled:
            return True
        if len(words) == 1 and _WORD_FOLLOWS.match(self.document.text, name.end):
            # ``Reasons for absence were noted.``
            return False
        word = surname in STOPS and surname not in ALSO_SURNAMES
        if found and not broken and len(words) == len(found[-1].name.text.split()) == 1:
            # ``Smith, Jones, Brown``
            return not word
        if word and len(words) == 1:
            return False
        if len(words) > 1 or name.surname.count("-"):
            return True
        following = self.document.text[name.end : name.end + 2]
        # ``and the following was absent: Smith.``, behind a list of surnames
        listed = found or any(surname in self.surnames for surname in self.members)
        ends = following[:1] in (",", ";", "(") or (following[:1] in ("\n", ".", "") and listed)
        if following[:1] == "\n" and len(found) > 1:
            # Half a name, in a list of whole ones.
            ends = any(who.name.text == who.name.surname for who in found[-2:])
        return not broken and (bool(ends) or following == " a")

    def _title(self, after: int, name: Name) -> str | None:
        """Return the title printed before a name, as printed."""
        printed = self.document.text[name.start : name.end]
        first = printed.find(name.text.split()[0])
        title = " ".join(printed[: max(0, first)].split()).strip(" ,.:")
        return title or None

    def _with_role(self, who: Attendee, role: str, end: int) -> Attendee:
        group = OTHER if OTHER_ROLE.search(role) else who.group
        joined = f"{who.office}, {role}" if who.office else role
        return replace(who, role=" ".join(joined.split()), group=group, end=end)

    def _status_below(self, who: Attendee, position: int, limit: int) -> re.Match[str] | None:
        """Return the status in the line below a name; in capitals it is the next label."""
        status = _STATUS_BELOW.match(self.document.text, position, limit)
        if status and status["status"].isupper() and not who.name.text.isupper():
            return None
        gap = status[0][: status.start("status") - status.start()] if status else ""
        remote = status is not None and status["status"].lower().startswith(("via", "by", "remote"))
        if status and not remote and status["status"][0].isupper() and gap.count("\n") > 1:
            # A blank line above it: ``Absent`` is the heading of those who follow.
            return None
        return status

    def _said_behind(self, who: Attendee, position: int, limit: int) -> tuple[Attendee, int]:
        """Add the role, note and status behind a name."""
        text = self.document.text
        for _ in range(6):
            if seat := _SEAT.match(text, position, limit):
                position = seat.end()
                continue
            if note := _NOTE.match(text, position, limit):
                said, end = note["note"], note.end()
                if _HOUR_ONLY.fullmatch(note[0].strip()):
                    who = replace(who, late=True)
                elif role := _ROLE.fullmatch(lower(said)):
                    who = self._with_role(who, said[slice(*role.span("role"))], end)
            elif status := (
                _STATUS.match(text, position, limit) or self._status_below(who, position, limit)
            ):
                said, end = status["status"], status.end()
                word = said.lower()
                who = replace(who, said=True)
                if word in ("absent", "not present"):
                    who = replace(who, status=ABSENT)
                elif word.startswith(("excused", "apolog")):
                    who = replace(who, status=EXCUSED)
            elif role := _ROLE.match(self.document.lower, position, limit):
                # ``Smith, Councilmember Ann Jones``: the title of the next one.
                following = _DIRECTLY.match(text, role.end(), limit)
                after = read_name(text, following.end(), self.known) if following else None
                # In ``Ann Lang, Clerk Don Franson, Engineer`` it is that of the one before.
                own = who.office is None and " " in who.name.text and text[position] == ","
                courtesy = following and _COURTESY.match(text, following.end(), limit)
                if after is not None and not (
                    own and (courtesy or _TITLE_BEHIND.match(text, after.end, limit))
                ):
                    break
                if role["role"] == "members" and text[role.end() : role.end() + 1] == " ":
                    break
                if text.startswith(":", role.end()):
                    # The label of those who follow.
                    break
                who = self._with_role(who, text[slice(*role.span("role"))], role.end())
                position = role.end()
                continue
            elif affiliation := _AFFILIATION.match(text, position, limit):
                if affiliation[0].startswith(","):
                    who = replace(who, group=OTHER)
                position = affiliation.end()
                continue
            else:
                break
            if _LATE.search(said):
                who = replace(who, late=True)
            if _LEFT.search(said):
                who = replace(who, left_early=True)
            if _REMOTE.search(said):
                who = replace(who, remote=True)
            if _EXCUSED.search(said) and who.status == ABSENT:
                who = replace(who, status=EXCUSED)
            who, position = replace(who, end=end), end
        return who, position
