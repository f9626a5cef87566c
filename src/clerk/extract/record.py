"""What in a text is the record of its meeting, and what only looks like a vote.

A vote is on record where the text shows that it is the record of a meeting: it was called to order,
its members were present, it adjourned.  Without any of this nothing is a fact, and what is told in
passing ("Last May Smith moved ...") is no vote at all.

Papers that go with a meeting tell of votes elsewhere: memoranda, letters, reports, agendas, news.
They say what they are at the top of a page, and nothing is read from there to where a meeting
begins.

Nor is anything read from forms, reasons, and votes that are only quoted.  Forms that nobody has
filled in::

    PASSED AND ADOPTED this ___ day of ________, 2024, by the following vote:
    AYES:
    NOES:
    ABSENT:
                              ______________________
                              Jane Smith, Mayor

The labels are empty, so the names below them are those of who signs.  The same labels are also
printed first where the columns of a table came apart; then lists, ``None`` or numbers follow, and
:mod:`.tables` reads them.

What follows ``WHEREAS`` up to what is resolved gives reasons, a passage in quotation marks after
"should read" corrects the minutes of another meeting, and a letter tells of votes elsewhere.

Lines to write on are looked for in the text as printed; in the normalised text they are spaces.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from clerk.core import lazy_re as re

from .attendance import MEMBER
from .cues import PAGE_WIDTH, DocumentText
from .names import read_names
from .text import Phrase, end_without, indent_start, is_inside, line_start, pattern

#: A line of text: where it begins and ends.
Line = tuple[int, int]


@dataclass(frozen=True)
class Record:
    """What in a document is the record of its meeting."""

    #: The text shows that there was a meeting.
    is_shown: bool
    #: The stretches of text, in order, that tell of no vote of this meeting.
    blank: list[Line]


def read_record(doc: DocumentText, is_minutes: bool = False) -> Record:
    """Find out whether a document is the record of a meeting, and what in it is not.

    What is known to be minutes and tells of a meeting may have any title.
    """
    attended = sum(who.group == MEMBER and who.stated for who in doc.roster.attendees) > 1
    acts = [act.start() for act in _ACT.find(doc.lower)]
    papers = list(_papers(doc, is_titled=is_minutes and (attended or bool(acts))))
    if sum(1 for _ in _PLACEHOLDER.find(doc.lower)) >= _FEWEST_PLACEHOLDERS:
        papers = [(0, len(doc.text))]
    shown = (
        attended
        or _MINUTES_HEADING.search(doc.text, 0, _HEADING) is not None
        or _MINUTES_OF_DAY.search(doc.text, 0, _HEADING) is not None
        or any(not is_inside(papers, act) for act in acts)
    )
    return Record(shown, blank_stretches(doc, papers))


#: What is still to be filled in: ``moved by [Name]``; as many make a template of the whole text.
_PLACEHOLDER = Phrase("name] date] time]", r"(?:name|date|time)\]")
_FEWEST_PLACEHOLDERS = 3

#: What is said of a meeting that was held, and of nothing else.
_ACT = Phrase(
    "call calling came convened opened adjourned meeting_ quorum pledge_of apolog roll_call"
    " present approv accept",
    r"(?:called|calling|came)\s+(?:[\w.,'-]+\s+){0,9}?to\s+order\b"
    r"|call\s+to\s+order\b[^\n]{0,60}\d[:.]\d\d"
    r"|(?:convened|opened)\s+(?:[\w.,'-]+\s+){0,6}?(?:at\b|meeting\b)|adjourned\b"
    r"|meeting\s+(?:was\s+|then\s+|duly\s+)?(?:opened|commenced|began|started|closed|ended)\b"
    r"|quorum\s+(?:was|being|is|present|established|declared)\b"
    r"|pledge\s+of\s+allegiance\s+(?:was|followed|by|led)\b"
    r"|apologies\s+(?:for\s+absence\s+)?(?:were|received|from)\b"
    r"|roll\s?call\s+(?:was\s+(?:taken|called)|showed|found|indicated|for\s+attendance)"
    r"|present\s+(?:at|on|for)\s+roll\s?call\b"
    r"|(?:approv|accept)(?:e|ed|al|ing)?\s+(?:of\s+)?(?:the\s+)?(?:[\w.,]+\s+){0,6}minutes\b",
)
_MINUTES_HEADING = re.compile(
    r"^(?!.*(?:[Aa]pprov|APPROV|[Mm]inutes? of .{0,30}[Mm]eeting.{0,3} (?:was|were)))"
    r"(?! *(?:Re|RE|Subject|SUBJECT) ?:)"
    r".{0,60}\b(?:MINUTES|Minutes|PROCEEDINGS|Proceedings)\b(?! ?:? *\d).{0,80}$",
    re.M,
)
#: Where the lines of a page were lost: ``Town of Elm MEETING MINUTES FOR MAY 4, 1989``.
_MINUTES_OF_DAY = re.compile(
    r"\bMINUTES\s(?:FOR\s|OF\s)?(?:JANUARY|FEBRUARY|MARCH|APRIL|MAY|JUNE|JULY|AUGUST|SEPTEMBER|OCTOBER"
    r"|NOVEMBER|DECEMBER)\s\d"
)
#: Where the record begins below the top of a paper.
_MEETING_BEGINS_SOURCE = (
    r"(?:(?:called|calling|came)\s+(?!(?:the\s+)?public\s+hearing\b)(?:[\w.,'-]+\s+){0,9}?to\s+order\b"
    r"|(?:convened|opened|commenced|adjourned)\s+(?:[\w.,'-]+\s+){0,8}?at\b)"
)
_MEETING_BEGINS = pattern(rf"\b{_MEETING_BEGINS_SOURCE}")
_BEGINS = Phrase("called calling came convened opened commenced adjourned", _MEETING_BEGINS_SOURCE)
_LINE = re.compile(r"^.*\S.*$", re.M)
#: The lines at the top of a page that say what it is, and how long they may be together.
_TOP_LINES, _TOP = 12, 1000
#: A paper says from whom it is, to whom, and when or about what; or to whose attention it is and
#: about what.  Money is moved "from" and "to" as well, and land from one zone to another.
_SENDER = pattern(r"^[ >]*from {0,8}:", re.M)
_RECEIVER = pattern(r"^[ >]*(?:to|re|subj(?:ect)?|sent) {0,8}:", re.M)
_SENT = pattern(
    r"^[ >]*(?:re|subj(?:ect)?|sent|dated?|cc|via|through) {0,8}:|^.{0,30}\bmemo(?:randum)?\b", re.M
)
_ATTENTION = pattern(
    r"^ *(?:attn|attention)\b[ .]?:?(?:[^\n]*\n){1,7} *(?:re|subj(?:ect)?) {0,3}:", re.M
)
_NAMES_ITSELF = pattern(
    r"\bfor\s+immediate\s+release\b"
    r"|\bi,[^.:;\n]{3,90},[^.:;\n]{0,60}\bcertify\s+that\s+at\b"
)
#: A line of its own that says what the paper is.
_TITLE_LINES = 5
_TITLE = pattern(
    r"^ *(?:"
    r"(?:[\w']+\s){0,5}(?:staff|agenda|annual|jury|status|progress|information|monthly|quarterly"
    r"|investigative|audit|council|board)\s(?:\w+\s)?(?:report|communication)\b.{0,60}"
    r"|(?:[\w-]+\s)?memo(?:randum)?\b.{0,20}|.{0,30}\b(?:press|news|media)\srelease\b[^.]{0,30}"
    r"|.{0,40}\b(?:newsletter|recap)\b.{0,30}"
    r"|(?:letters?\s)?to\sthe\seditor\b.{0,5}|how\sthey\svoted|remarks\s(?:of|by)\b.{0,50}"
    r"|by\s.{3,40},\s.{0,20}(?:writer|reporter|correspondent|editor)\b.{0,30}"
    r"|(?:an?\s)?(?:\w+\s)?history\sof\b.{0,60}|.{0,40}\b(?:chronology|timeline)\b.{0,40}"
    r"|.{0,30}\brules\sof\s(?:procedure|order|conduct)\b.{0,30}|(?:\w+\s)?(?:handbook|by-?laws)"
    r"|(?:\w+\s){0,3}(?:application|complaint|questionnaire|survey|affidavit|deposition)"
    r"(?:\sfor(?:m)?\b.{0,40})?"
    r"|(?:(?:legal|public)\snotice|notice\sof)\b.{0,60}|(?:[\w,]+\s){0,5}election\sresults\b.{0,20}"
    r"|.{0,30}\bcandidates?(?:'s?)?\b.{0,30}|opinion|file\s?(?:#|no\.?|number)\s?:.{0,80}"
    r"|(?!.*\b(?:the|consent|approv\w*|adopt\w*|of|motion)\s)(?:[\w,.'&-]+\s){0,8}agenda(?:\s[^.]{0,40})?"
    r") *$",
    re.M,
)
#: A court and a jury, and questions to a witness.
_HEARD = Phrase(
    "plaintiff defendant appellant appellee grand_jury",
    r"(?:plaintiff|defendant|appellant|appellee|grand\s+jury)s?\s+(?:appeal|alleg|argu|claim|exam"
    r"|contend|filed|finds|found|review|investigat|recommend)",
)
#: Who writes from a recording, and keeps no minutes.
_TRANSCRIBED = Phrase(
    "transcript",
    r"transcript\s+(?:recorded|records|shows|showed|indicates|includes?|identifie[sd]|does\s+not"
    r"|did\s+not|provides|contains)\b|transcript\)",
)
_ASKED = pattern(r"^ *q[.:] [^\n]+\n(?:[^\n]+\n){0,4} *a[.:] [a-z]", re.M)


def _papers(doc: DocumentText, is_titled: bool) -> Iterator[Line]:
    """Yield what is no record of a meeting, from the top of its page to where one begins.

    The first page says what the whole text is, unless that is known (``is_titled``).  Another page
    is a paper only if it says from whom it is: the heading of an item may be at its top, too.
    """
    labels = [who.label for who in doc.roster.attendees if who.group == MEMBER and who.stated]
    whole = False
    for page in range(1, len(doc.page_starts) + 1):
        begin, end = doc.page_bounds(page)
        lines = list(_LINE.finditer(doc.lower, begin, min(end, begin + _TOP)))
        top = begin, lines[:_TOP_LINES][-1].end() if lines else begin
        labelled = all(each.search(doc.lower, *top) for each in (_RECEIVER, _SENT))
        paper = _SENDER.search(doc.lower, *top) if labelled else None
        paper = paper or _ATTENTION.search(doc.lower, *top) or _NAMES_ITSELF.search(doc.lower, *top)
        if paper is None and not whole and (page > 1 or is_titled):
            continue
        minutes = _MINUTES_HEADING.search(doc.text, begin, min(end, begin + _TOP))
        if page == 1 and not is_titled:
            near = begin, lines[:_TITLE_LINES][-1].end() if lines else begin
            if minutes is None or minutes.start() > near[1]:
                # What is below the beginning of a meeting is part of it.
                opened = _MEETING_BEGINS.search(doc.lower, begin, end)
                began = min([label for label in labels if label < end], default=end)
                began = min(began, opened.start()) if opened else began
                heard = (each for each in _HEARD.find(doc.lower) if each.end() < began)
                paper = (
                    paper
                    or _TITLE.search(doc.lower, begin, min(near[1], began))
                    or next(heard, None)
                    or _ASKED.search(doc.lower, begin, began)
                )
                whole = paper is not None
                if (
                    paper is None
                    and (found := _TRANSCRIBED.find(doc.lower))
                    and found[0].end() < end
                ):
                    yield begin, end
                    continue
        start = begin if whole and page > 1 else paper.start() if paper else None
        if start is None:
            continue
        opened = _MEETING_BEGINS.search(doc.lower, begin, end)
        starts = [each.start() for each in (minutes, opened) if each and each.start() > start]
        starts += [label for label in labels if start < label < end]
        if starts:
            whole = False
        yield start, line_start(doc.text, min(starts)) if starts else end


_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
)
#: Who tells of a vote, and does not record it: a paragraph with "I" or "you" in it.
_TELLER = re.compile(
    r"(?<![\w.'])I\s(?!(?:\w+\s)?(?:move|second|make)\b)[a-z']{2,}|\b[Yy]ou\s(?:will|may|know|and)\b"
)
#: When it was, in the sentence that begins it: another day, another meeting, what had been done.
_ANOTHER_TIME = re.compile(
    r"\bhad\s(?:\w+ly\s|been\s)?(?:approved|moved|voted|adopted|passed|seconded|denied|agreed)\b"
    r"|\b(?:years|months|weeks|days)\sago\b|\b[Yy]esterday\b|\b\w{3,6}day\s(?:night|evening)\b"
    r"|\b[Ll]ast\s(?:week|month|year|night|\w+day)\b|\b[Aa]ccording\sto\s(?!law|the\smotion)"
    r"|\b(?:[Aa]t|[Dd]uring)\s(?:its|their|your|our|last|"
    rf"(?:the|a)\s(?:last|previous|{_MONTH}))\s(?:\w+,?\s){{0,3}}meeting\b"
)
#: A day that a sentence begins with, or the line of a list.
_DAY_FIRST = re.compile(
    rf"(?:^|[.;]\s+|\n\s*)(?:(?:On|In|Since)\s(?:\w+day,\s)?(?:the\s\d{{1,2}}(?:st|nd|rd|th)\sof\s)?"
    rf"(?:{_MONTH}|\d{{1,2}}/\d{{1,2}}/\d\d|(?:19|20)\d\d\b)|\d{{1,2}}/\d{{1,2}}/\d{{2,4}}\s)"
)
_PARAGRAPH = 1500


#: Right before who moved: ``recalled that in 2004 Mr. Sisk moved``, ``in which Smith moved``.
_RETOLD = pattern(
    r"\b(?:(?:recall|remind|remember|report|read|said|stat|not|mention|add|explain|inform|claim|testifi"
    r"|indicat|advis)(?:s|ed|es|ing)?\s(?:[\w.]+\s){0,3}that|in\s+which|at\s+which|where(?:upon)?(?=\sin\s))"
    r"\s+(?:(?:in|on|at)\s[\w\s,]{3,30}\s)?(?:(?:mr|mrs|ms|dr)\.\s)?$"
)


#: ``According to the county report, Commissioner Smith moved``
_ACCORDING_TO = pattern(
    r"according\s+to\s+(?!(?:the\s+)?(?:law|rules|agenda)\b)[^.;:]{3,80},\s+(?:(?:mr|mrs|ms|dr)\.\s)?$"
)
_DISCUSSED = pattern(r"\b(?:discussion|debate|deliberations?)\b[^.;]*$")


def is_retold(doc: DocumentText, start: int) -> bool:
    """Whether a motion that begins at ``start`` is told by somebody at the meeting."""
    begin = max(0, doc.sentence_start(start), start - 120)
    retold = _RETOLD.search(doc.lower, begin, start) or _ACCORDING_TO.match(doc.lower, begin, start)
    # ``A discussion followed, in which Smith moved``: at this meeting.
    return retold is not None and not _DISCUSSED.search(doc.lower, begin, retold.start())


#: What introduces a vote of somebody else, and how near.
_TOLD_BY = pattern(
    r"\b(?:letters?|e-?mails?|memo(?:randum)?s?|reports?|reported|said|says|stated|wrote|writes|read|told"
    r"|noted|explained|informed|advised|announced|recommend\w*|according|correspondence"
    r"|excerpt|extract|attachment|newspaper|gazette|certif\w+)\b"
)
#: Papers of others that are read out or attached.
_SENT_IN = pattern(
    r"\b(?:letters?|e-?mails?|memo(?:randum)?s?|correspondence|excerpt|extract|attachment|newspaper"
    r"|gazette|certified|reported\s+that|report\s+(?:of|from)\s+the|(?:council|board|committee"
    r"|commission|authority|district)\s+report)\b"
)
#: So does the heading of an item, unless it is known who was there.
_OF_MINUTES = pattern(r"\bminutes\s+of\b")
_TOLD_NEAR = 300
#: As many members who attend are the body.
_KNOWN_BODY = 3
#: At a meeting of all voters anybody moves and seconds; the attendance lists the officers.
_OF_VOTERS = pattern(
    r"\b(?:annual|special|adjourned|open|deliberative)\s+(?:town|district|village|parish|school)"
    r"\s+(?:district\s+)?(?:meeting|session)\b|^[^\n]{0,24}\btown\s+meeting\b[^\n]{0,30}$|\bmoderator\b"
    r"|\b(?:meeting|assembly)\s+of\s+(?:the\s+)?(?:\w+\s+)?(?:voters|electors|inhabitants)\b",
    re.M,
)


@dataclass(frozen=True)
class Taking:
    """Where a vote begins and ends, and who takes part in it, by their surnames."""

    start: int
    end: int
    #: Who moved, seconded or voted.
    people: set[str]
    #: Who is listed as absent or standing aside: they are of the body, too.
    away: set[str]
    #: As many are listed as a body has: who is not among them is not of the body.
    is_whole: bool


def strangers(doc: DocumentText, takings: Sequence[Taking]) -> list[bool]:
    """Return whether those who take part in each vote are people who are not at the meeting.

    Where the attendance is known, nobody in it, and nobody who acts together with them, takes part;
    and no other meeting begins between such a vote and the last one of the members.
    """
    votes = [(each.start, each.end, each.people) for each in takings]
    present = set(doc.roster.official)
    begins = [begin.start() for begin in _BEGINS.find(doc.lower)] if len(votes) > 1 else []

    def another_begins(start: int, end: int) -> bool:
        return bisect_left(begins, start) < bisect_left(begins, end)

    if len(present) < _KNOWN_BODY:
        found = _of_another_body(doc, takings, another_begins)
        return _unless_of_voters(doc, takings, found)
    present |= {word.lower() for who in doc.roster.attendees for word in who.name.text.split()}
    for _ in range(2):
        for _, _, people in votes:
            if not present.isdisjoint(people):
                present |= people
    found = []
    last = -1
    labels = {who.label for who in doc.roster.attendees if who.group == MEMBER and who.stated}
    listed = []
    for label in labels:
        following = min((start for start, _, _ in votes if start > label), default=label)
        opened = [begin for begin in begins if label <= begin < following]
        listed += [label, *(begin + 1 for begin in opened[:1])]
    for start, end, people in votes:
        last = max([last, *(label for label in listed if label < start)])
        if not present.isdisjoint(people):
            last = end
        strange = len(people) > 1 and present.isdisjoint(people)
        if strange and not _is_told_before(doc, start, _OF_MINUTES):
            strange = last >= 0 and not another_begins(last, start)
        found.append(strange)
    return _unless_of_voters(doc, takings, found)


def _unless_of_voters(
    doc: DocumentText, takings: Sequence[Taking], found: list[bool]
) -> list[bool]:
    """Return who are strangers, but at a meeting of all voters, where anybody moves, only bodies.

    The voters of a town are counted and not listed.
    """
    if not any(found) and not any(each.is_whole for each in takings):
        return found
    if not is_of_voters(doc):
        return found
    acting = {name for each in takings if not each.is_whole for name in each.people}
    return [each.is_whole and acting.isdisjoint(each.people) for each in takings]


def is_of_voters(doc: DocumentText) -> bool:
    """Whether the heading says that all voters meet: anybody moves, and the town votes."""
    return _OF_VOTERS.search(doc.lower, 0, _HEADING) is not None


def _of_another_body(
    doc: DocumentText, takings: Sequence[Taking], another_begins: Callable[[int, int], bool]
) -> list[bool]:
    """Return which votes of a meeting whose attendance is not known are those of another body.

    Two votes are of one body if anybody takes part in both.  Where a list names all of a body, and
    others act who never meet any of these, there are two: the one with fewer votes is another.  So
    are people of whom the words before tell.
    """
    found = [False] * len(takings)
    meetings: list[list[int]] = []
    for place, each in enumerate(takings):
        before = takings[place - 1].end if place else 0
        if not meetings or another_begins(before, each.start):
            meetings.append([])
        meetings[-1].append(place)
    for meeting in meetings:
        bodies: list[tuple[set[str], list[int]]] = []
        for place in meeting:
            of_it = takings[place].people | takings[place].away
            if not takings[place].people:
                continue
            joined = [body for body in bodies if not body[0].isdisjoint(of_it)]
            bodies = [body for body in bodies if body[0].isdisjoint(of_it)]
            bodies.append(
                (
                    of_it.union(*(people for people, _ in joined)),
                    sorted([place, *(each for _, places in joined for each in places)]),
                )
            )
        acting = sum(len(places) for _, places in bodies)
        whole = [any(takings[place].is_whole for place in places) for _, places in bodies]
        for (people, places), is_whole in zip(bodies, whole, strict=True):
            # A whole body that is not that of most votes; or a pair of names that are none of a
            # whole body's, which acts more often than they do.
            strange = is_whole and len(places) * 2 < acting
            strange = strange or any(
                other and those != people and len(places) < len(theirs)
                for other, (those, theirs) in zip(whole, bodies, strict=True)
            )
            if len(people) < 2:
                continue
            for place in places:
                start = takings[place].start
                floor = max(start - _TOLD_NEAR, takings[place - 1].end if place else 0)
                if len(bodies) == 1:
                    # Nobody else acts: only their own sentence may say where they did.
                    floor = max(floor, doc.sentence_start(start)) if len(places) == 1 else start
                sent = _SENT_IN.search(doc.lower, floor, start) is not None
                found[place] = strange or sent
    return found


def _is_told_before(doc: DocumentText, start: int, *others: re.Pattern[str]) -> bool:
    """Whether words right before a vote, in its paragraph, say that it is somebody else's."""
    mark = "\n" if doc.lines_are_paragraphs else "\n\n"
    begin = max(0, start - _TOLD_NEAR, doc.text.rfind(mark, max(0, start - _TOLD_NEAR), start))
    return any(told.search(doc.lower, begin, start) for told in (_TOLD_BY, *others))


def is_told(doc: DocumentText, start: int, end: int, by_others: bool = False) -> bool:
    """Whether words from ``start`` to ``end`` tell of a vote, and do not record it.

    Of a vote ``by_others`` somebody may have told in the words before it.
    """
    if by_others and _is_told_before(doc, start, _OF_MINUTES):
        return True
    mark = "\n" if doc.lines_are_paragraphs else "\n\n"
    begin = max(doc.text.rfind(mark, max(0, start - _PARAGRAPH), start), start - _PARAGRAPH, 0)
    over = doc.text.find(mark, end, end + _PARAGRAPH)
    over = over if over >= 0 else min(end + _PARAGRAPH, len(doc.text))
    sentence, stop = doc.sentence_start(start), doc.sentence_end(start + 1)
    own_line = indent_start(doc.text, start, 60) is not None
    return bool(
        _TELLER.search(doc.text, begin, over)
        or _ANOTHER_TIME.search(doc.text, sentence, stop)
        or _DAY_FIRST.search(doc.text, sentence if own_line else begin, stop)
    )


def blank_stretches(doc: DocumentText, papers: list[Line]) -> list[Line]:
    """Return the stretches of text, in order and apart, that tell of no vote of this meeting."""
    found = [*papers, *_forms(doc), *_reasons(doc), *_quoted(doc), *_history(doc)]
    apart: list[Line] = []
    for start, end in sorted(found):
        if apart and start < apart[-1][1]:
            apart[-1] = apart[-1][0], max(end, apart[-1][1])
        else:
            apart.append((start, end))
    return apart


_WHEREAS = Phrase("whereas", r"whereas\b[,:]?\s")
_RESOLVED = pattern(
    r"\b(?:now,?\s+therefore|therefore,?\s+be\s+it|be\s+it\s+(?:\w+\s+)?resolved)\b"
)
#: The reasons of a resolution are at most this long.
_REASONS = 4000


def _reasons(doc: DocumentText) -> Iterator[tuple[int, int]]:
    """Yield the clauses of a resolution before what is resolved."""
    done = 0
    for clause in _WHEREAS.find(doc.lower):
        if clause.start() < done:
            continue
        resolved = _RESOLVED.search(doc.lower, clause.end(), clause.end() + _REASONS)
        done = resolved.start() if resolved else doc.sentence_end(clause.end())
        yield clause.start(), done


_CORRECTIONS = Phrase("corrections", r"corrections\s?:\s")
_SHOULD_READ = Phrase(
    "read say state changed corrected",
    r"(?:(?:(?<=should )|(?<=should\n)|(?<=to )|(?<=to\n))(?:read|say|state)(?:\s+as\s+follows)?"
    r"|changed\s+to|corrected\s+to(?:\s+read)?)[\s:,]{1,6}\"",
)


#: A paragraph that shows how to write a motion.
_EXAMPLE = Phrase("Example Sample", r"(?:Example|Sample|Sample [Mm]otion|Sample [Mm]inutes) ?:\s")


_DEAR = Phrase("Dear", r"Dear (?=[A-Z])[^\n]{2,60}[,:] {0,4}(?=\n)")
_YOURS = pattern(
    r"\n {0,60}(?:yours|sincerely|respectfully|regards|very\s+truly|cordially"
    r"|(?:best|kind)\s+(?:wishes|regards))\b"
)
#: What a letter says is told in the sentence behind the colon.
_LETTER_SAYS = Phrase(
    "letter", r"letter\s+(?:received\s+)?from\s+(?:[\w'.]+\s+){1,4}(?:council|board|committee)\s?:"
)
#: What somebody wrote, in quotation marks behind a colon.
_QUOTED = Phrase(
    "letter e-mail email memo statement article minutes",
    r"(?:letters?|e-?mails?|memo(?:randum)?s?|statement|article|minutes)\b[^\".:]{0,120}:\s{0,60}\"",
)
#: A letter is at most this long.
_LETTER = 8000


def _quoted(doc: DocumentText) -> Iterator[tuple[int, int]]:
    """Yield what corrects other minutes, letters, and examples of how to write a motion."""
    for heading in _CORRECTIONS.find(doc.lower):
        end = doc.text.find("\n", heading.end())
        yield heading.start(), end if end >= 0 else len(doc.text)
    for correction in _SHOULD_READ.find(doc.lower):
        close = doc.text.find('"', correction.end(), correction.end() + 1200)
        if close >= 0:
            yield correction.start(), close + 1
    # From ``Dear Board Members,`` to ``Sincerely``.
    for dear in _DEAR.find(doc.text):
        if indent_start(doc.text, dear.start(), 60) is None:
            continue
        if yours := _YOURS.search(doc.lower, dear.end(), dear.end() + _LETTER):
            yield dear.start(), yours.end()
    for letter in _LETTER_SAYS.find(doc.lower):
        yield letter.start(), doc.sentence_end(letter.end(), 400)
    for quoted in _QUOTED.find(doc.lower):
        close = doc.text.find('"', quoted.end(), quoted.end() + _LETTER)
        if close >= 0:
            yield quoted.end(), close + 1
    # Nobody has moved this.
    for example in _EXAMPLE.find(doc.text):
        if indent_start(doc.text, example.start(), 60) is not None:
            blank = doc.text.find("\n\n", example.end())
            over = doc.text.find("\n", example.end())
            long = doc.lines_are_paragraphs or over - example.start() > PAGE_WIDTH
            end = over if long else blank
            yield example.start(), end if end >= 0 else len(doc.text)


_ON_A_DAY = Phrase(
    "On_ At_ Council_Action Board_Action Commission_Action Committee_Action",
    r"(?:On |At (?:its|the|their)(?: [a-z]+)? meeting (?:of|on|held on) |\w+ Action \()"
    rf"(?P<day>{_MONTH} \d{{1,2}}, \d{{4}})\b"
    r"(?! to\b| through\b)\)?:?",
)
_DECIDED = pattern(r"\b(?:moved|voted|approved|denied|adopted|recommended|passed|seconded)\b")
#: The heading of minutes, which says their own day, and the longest paragraph of a history.
_HEADING, _HISTORY = 1500, 1500


def _history(doc: DocumentText) -> Iterator[tuple[int, int]]:
    """Yield paragraphs that begin with what was decided on another day, which they name."""
    for told in _ON_A_DAY.find(doc.text):
        line = line_start(doc.text, told.start())
        own_line = not doc.text[line : told.start()].strip(" -*\u2022")
        if not own_line or told["day"].lower() in doc.lower[:_HEADING][: told.start()]:
            continue
        if not _DECIDED.search(doc.lower, told.end(), doc.sentence_end(told.end(), 300)):
            continue
        end = doc.text.find("\n", told.end(), told.end() + _HISTORY)
        if end - told.start() < PAGE_WIDTH:
            # The lines of a page; else a line is a paragraph, as web pages have it.
            end = doc.text.find("\n\n", told.end(), told.end() + _HISTORY)
        yield told.start(), end if end >= 0 else doc.sentence_end(told.end(), 300)


_FOR_IT = r"(?:ayes?|yeas?|yes|(?:voting\s{1,3})?in\s{1,3}favou?r|(?:votes\s{1,3})?for)"
_OTHER = (
    r"(?:noes|nays?|no|opposed|against|abstain(?:ed|ing)?|abstentions?|absen[ti]'?|excused|recused?"
    r"|not\s{1,3}voting|disqualified|conflict)"
)
#: What may be printed where something is to be written, lines aside.
_FILLING = " \n.\u2026-"
#: Labels of one form are at most this far apart, and at most this many.
_GAP, _MOST_LABELS = 240, 8
_LABEL_ENDS_LINE = re.compile(r":[ .\u2026-]{0,200}(?=\n|\Z)")
_LABEL_BEFORE = pattern(rf"(?<!\w)(?:(?P<for_it>{_FOR_IT})|{_OTHER})\s{{0,4}}$")
_LABEL_BEHIND = pattern(rf"[{_FILLING}]{{0,{_GAP}}}{_OTHER}\s{{0,4}}:")
#: The labels above are those of a table; its values come in the order of all of them.
_OF_TABLE = pattern(r"\b(?:result|mover|seconder)\s{0,4}:\s{0,20}$")
_LABEL = pattern(rf"(?<!\w)(?:{_FOR_IT}|{_OTHER})\s{{0,4}}:")
#: Labels without colons, with lines to write on behind them.
_RULED_LABELS = re.compile(
    rf"(?<!\w){_FOR_IT}\s?-?\s?_{{3,}}[\s,;.]{{0,60}}{_OTHER}\s?-?\s?_{{3,}}", re.IGNORECASE
)

_RULE = re.compile(r"_{3,}")
_SIGNATURE_LINE = re.compile(r"^[ \t]*_{5,}[ \t_]*$", re.M)
_SIGNED = pattern(
    r"\b(?:attest(?:ed)?|mayor|president|chair\w*|clerk|secretary|recorder|reeve|supervisor|signed?"
    r"|signature|seal|approved\s+as\s+to\s+form|dated?)\b|\bby\s{0,3}:"
)
_VALUE = pattern(r"(?:none|nil|n/?a|\d{1,2})\.?")
_WIDE_GAP = re.compile(r" {2,}")
#: Values and signatures are looked for in this many lines and characters below the labels.
_BELOW_LINES, _BELOW = 6, 800

_DAY_OF = pattern(r"day\s{1,3}of\b")
_BLANK_BEFORE = re.compile(r"(?:_{2,}|this {3,}) ?(?:st|nd|rd|th)?\s{0,3}$", re.IGNORECASE)
_BLANK_BEHIND = re.compile(r"\s{0,3}_{2,}")
_PASSED = r"(?:carried|carries|passed|passes|approved|adopted|granted)"
_FAILED = r"(?:failed|fails|defeated|denied|rejected|lost|tabled|(?:not|dis)\s?approved)"
#: What two results have between them when one is still to be crossed out or ticked.
_CHOICE = re.compile(r"[/_\[(](?:(?<=/)|(?<=_)_+|(?<=\[) ?\]|(?<=\() ?\))")
_ONE_RESULT = pattern(rf"\b(?:(?P<passed>{_PASSED})|{_FAILED})\s?$")
_OTHER_RESULT = pattern(rf"\s?(?:(?P<passed>{_PASSED})|{_FAILED})\b")


def list_limit(doc: DocumentText, position: int, reach: int) -> int:
    """Return how far the names behind a label may go: not to those who sign below it."""
    printed = doc.original
    limit = min(len(printed), position + reach)
    if printed.find("_____", position, limit) >= 0:
        signature = _SIGNATURE_LINE.search(printed, position, limit)
        limit = signature.start() if signature else limit
    line_end = printed.find("\n", position)
    if line_end < 0 or doc.text[position:line_end].strip(_FILLING):
        return limit
    below = list(_lines_below(doc, line_end + 1))
    if not below or not doc.blank_line_between(position, below[0][0]):
        return limit
    signed = _SIGNED.search(doc.lower, *_whole(below[:3]))
    return position if signed and not _LABEL.search(doc.lower, *_whole(below)) else limit


@dataclass(frozen=True)
class _Labels:
    """Labels in a row with nothing behind any of them."""

    starts: list[int]
    #: The first of them, if it is the label of those who are for it.
    for_it: str
    end: int


def _forms(doc: DocumentText) -> Iterator[tuple[int, int]]:
    """Yield what is still to be filled in, together with the sentence that leads to it.

    That are labels with nothing behind them, a day without a date, and results to choose from.
    An empty list of those for it makes the whole a form, if it is to be signed.  Empty lists of
    others follow one that is filled in: they say nothing, but what is below the last label belongs
    to it unless it is signatures.
    """
    printed, lower = doc.original, doc.lower
    for labels in _labels_in_a_row(doc):
        start = labels.starts[0]
        ruled = _RULE.search(printed, start, labels.end) is not None
        below = list(_lines_below(doc, labels.end))
        if len(labels.starts) == 1:
            to_sign = below and _SIGNATURE_LINE.fullmatch(printed, *below[0])
            if labels.for_it.startswith(("aye", "yea")) and (ruled or to_sign):
                yield _introduction(doc, start), labels.end
        elif not labels.for_it:
            signed = ruled or _is_signed(doc, below[:3])
            yield start, labels.end if signed else len(lower[: labels.starts[-1]].rstrip())
        elif ruled or not _are_values(doc, below[: len(labels.starts)]):
            signed = ruled or _is_signed(doc, below[:3])
            yield _introduction(doc, start) if signed else start, labels.end
    if "___" in printed:
        for ruled_labels in _RULED_LABELS.finditer(printed):
            yield _introduction(doc, ruled_labels.start()), ruled_labels.end()
    # ``Adopted this ___ day of May``: it has not been.
    for day in _DAY_OF.finditer(lower):
        before = _BLANK_BEFORE.search(printed, max(0, day.start() - 60), day.start())
        if before or _BLANK_BEHIND.match(printed, day.end()):
            yield doc.sentence_start(day.start()), doc.sentence_end(day.end())
    # ``Motion carried / failed``
    for mark in _CHOICE.finditer(printed):
        one = _ONE_RESULT.search(lower, max(0, mark.start() - 16), mark.start())
        other = _OTHER_RESULT.match(lower, mark.end()) if one else None
        if one and other and bool(one["passed"]) != bool(other["passed"]):
            yield doc.sentence_start(one.start()), doc.sentence_end(other.end())


def _labels_in_a_row(doc: DocumentText) -> Iterator[_Labels]:
    """Yield labels in a row of which the last one ends its line; few lines end with a colon."""
    lower = doc.lower
    for last in _LABEL_ENDS_LINE.finditer(lower):
        if _LABEL_BEHIND.match(lower, last.end()):
            continue
        starts: list[int] = []
        for_it, colon = "", last.start()
        while label := _LABEL_BEFORE.search(lower, max(0, colon - 24), colon):
            starts.insert(0, label.start())
            for_it = label["for_it"] or ""
            before = lower[max(0, label.start() - _GAP) : label.start()].rstrip(_FILLING)
            if for_it or len(starts) == _MOST_LABELS or not before.endswith(":"):
                break
            colon = max(0, label.start() - _GAP) + len(before) - 1
        if starts and not _OF_TABLE.search(lower, max(0, starts[0] - 40), starts[0]):
            yield _Labels(starts, for_it, last.end())


def _lines_below(doc: DocumentText, position: int) -> Iterator[Line]:
    """Yield the next lines that have something on them."""
    printed, found = doc.original, 0
    limit = min(len(printed), position + _BELOW)
    while position < limit and found < _BELOW_LINES:
        end = printed.find("\n", position)
        end = len(printed) if end < 0 else end
        if printed[position:end].strip():
            found += 1
            yield position, end
        position = end + 1


def _whole(lines: list[Line]) -> Line:
    return lines[0][0], lines[-1][1]


def _are_values(doc: DocumentText, lines: list[Line]) -> bool:
    """Whether the lines below labels, as many as labels, are what the labels ask for."""
    if any(_VALUE.fullmatch(doc.lower[start:end].strip()) for start, end in lines):
        return True
    if not lines or _RULE.search(doc.original, *_whole(lines)):
        return False
    #: For each line, of how many names each of its cells consists.
    names = []
    for line in lines:
        counts = []
        for cell in _WIDE_GAP.split(doc.text[slice(*line)].strip()):
            found = read_names(cell, 0, len(cell), doc.roster.known)
            counts.append(0 if cell[found.end :].strip(" .,;") else len(found.names))
        names.append(counts)
    if _SIGNED.search(doc.lower, *_whole(lines)):
        return max(names[0], default=0) > 1
    return sum(map(sum, names)) > 1


def _is_signed(doc: DocumentText, lines: list[Line]) -> bool:
    """Whether the lines below labels are where people sign, or there are none."""
    if not lines:
        return True
    where = _whole(lines)
    ruled = _RULE.search(doc.original, *where) is not None
    return ruled or _SIGNED.search(doc.lower, *where) is not None


_LEADS_TO_LIST = pattern(r"(?::|\bday\s+of\b[^.\n]{0,80}\.?)\s*$")


def _introduction(doc: DocumentText, labels: int) -> int:
    """Return where the sentence begins that leads to the labels, or the labels if none does."""
    edge = end_without(doc.text, labels, " \n")
    begin = doc.sentence_start(max(0, edge - 1))
    leads = _LEADS_TO_LIST.search(doc.lower, begin, edge)
    return begin if leads else line_start(doc.text, labels)
