"""Read who voted how where names are called: roll calls, and prose such as "with Smith opposed".

A roll call is a run of names, so these are no rules of one phrase each as in the other modules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from .ballots import ballot_kind, is_number_sign
from .context import EARLIER, FIRM, SOFT, SPEAKERS, BallotCue, DissentCue, DocumentText
from .findings import ABSENT, ABSTAIN, AYES, NOES, RECUSED
from .names import ALSO_SURNAMES, Name, read_name
from .text import Phrase, is_inside, last_match, pattern

#: A name, the vote that is spoken, and where that ends.
_Spoken = tuple[Name, str, int]

_SPOKEN = Phrase(
    "aye yea yes nay no abstain absent recuse excused present in_favo for, for; for. against "
    "opposed y_ y; y, y. y) n_ n; n, n. n)",
    r"(?:aye|yea|yes|nay|no|abstain(?:ed|s)?|absent|recused?|excused|not\s+voting|not\s+present|present"
    r"|in\s+favou?r|for(?=\s*[;,.\n])|against(?=\s*[;,.\n])|opposed)\b"
    r"(?!\s{0,3}[:\-=/]\s*[a-z])|[yn](?<=[\s:\-=,(].)(?=[\s;,.)]|$)",
)


def roll_calls(doc: DocumentText) -> Iterator[BallotCue]:
    """Read runs of ``Mr. Smith, yes; Mrs. Jones, no`` in one line or many."""
    run: list[_Spoken] = []
    #: Where the last vote ends, also one whose name could not be read.
    last_end, unread = 0, False
    #: Where a vote ends whose name could not be read, and which may begin a run.
    orphan = -1
    for spoken in _SPOKEN.find(doc.lower):
        if is_number_sign(doc.lower, *spoken.span()):
            continue
        name = _voter(doc, last_end if run else None, spoken.start())
        if name is None and run:
            if _UNREAD_VOTER.fullmatch(doc.text, last_end, spoken.start()):
                unread, last_end = True, spoken.end()
                continue
            yield from _roll_call(doc, run, unread)
            run, unread = [], False
            name = _voter(doc, None, spoken.start())
        if name is not None:
            if not run and orphan >= 0 and _BETWEEN.fullmatch(doc.text, orphan, name.start):
                unread = True
            run.append((name, spoken[0], spoken.end()))
            last_end = spoken.end()
        elif _CAPITAL_BEFORE.search(doc.text, max(0, spoken.start() - 24), spoken.start()):
            orphan = spoken.end()
    yield from _roll_call(doc, run, unread)


#: Somebody with a title, whose name is not to be read, before a vote.
_UNREAD_VOTER = pattern(
    r"[\s,;.]{1,8}(?:and\s+)?(?:mr|mrs|ms|dr|council\w*|commissioner|trustee|select\w+|supervisor"
    r"|director|member|mayor|chair\w*|ald\w*|cllr)\b\.?,?\s{1,3}[^:;.\n]{2,30}[\s,:\-(]{1,4}"
    r"|[\s,;.]{1,8}(?:and\s+)?(?-i:[A-Z])[\w'.-]+(?: (?-i:[A-Z])[\w'.-]+){0,2}[\s,:\-(]{1,4}",
    re.I,
)
_CAPITAL_BEFORE = re.compile(r"\b[A-Z][\w'.-]+[ ,:(\n-]{1,4}$")
_BETWEEN = pattern(r"[\s,;.)|\-\"]{0,120}(?:and\s+)?")
_ROLE_AFTER_NAME = pattern(
    r", (?:Vice[- ]?)?(?:Chair\w*|Mayor|President|Secretary|Treasurer|Clerk)$"
)
_TO_VOTE = pattern(
    r"(?:,\s{0,3}(?:vice[- ]?)?(?:chair\w*|mayor|president|secretary|treasurer|clerk))?"
    r"(?:\s?\([^()\n]{1,25}\))?[\s,;:\-(=.\"_\u2026\u00b7]{1,80}(?:voted\s+|votes\s+|voting\s+)?[\"(]?$"
)
#: A row of dots or a long line between a name and its vote.
_DOTS = pattern(r" {0,4}(?:\. ?|[_\u2026\u00b7] ?|-(?=-)-){2,40} {0,8}$")


def _voter(doc: DocumentText, previous_end: int | None, start: int) -> Name | None:
    """Return who speaks the vote at ``start``; with a run open, directly after the last vote."""
    text = doc.text
    if previous_end is not None:
        if start - previous_end > 160:
            return None
        between = _BETWEEN.match(text, previous_end)
        begin = between.end() if between else previous_end
        if town := _TOWN.match(text, begin, start):
            # ``Acton, Pam Lee Yes``: the place that a member speaks for comes first.
            begin = town.end()
        name = read_name(text[begin:start], 0, doc.roster.known, listed=True)
        if name is None or ":" in text[previous_end : begin + name.start]:
            return None
        name = replace(name, start=begin + name.start, end=begin + name.end)
        return name if _TO_VOTE.fullmatch(doc.lower, name.end, start) else None
    # The name ends right before the vote; a capitalised word or a bracket must be there.
    back = start
    while back > max(0, start - 90) and text[back - 1] in _NO_LETTERS:
        back -= 1
    initial = back
    while initial > max(0, back - 40) and (
        text[initial - 1].isalpha() or text[initial - 1] in "'-"
    ):
        initial -= 1
    if not text[initial : initial + 1].isupper() and not text.startswith(")", back - 1):
        return None
    place = _PLACE_BEHIND.search(text, max(0, start - 40), start)
    dots = _DOTS.search(text, max(0, start - 90), start)
    edge = dots.start() if dots else start
    if place:
        # ``Pam Lee(Acton)(Yes)``
        edge = place.start() + 1
    while edge > max(0, start - 12) and text[edge - 1] in ' \n,;:-(="':
        edge -= 1
    role = _ROLE_AFTER_NAME.search(text[max(0, edge - 30) : edge])
    edge -= len(role[0]) if role and edge < start else 0
    first = edge
    while first > max(0, edge - 40) and (text[first - 1].isalpha() or text[first - 1] in "'-."):
        first -= 1
    if not (first < edge < start and text[first].isupper()):
        return None
    name = doc.name_before(edge)
    word = text[first:edge].lower()
    if name is None and word in ALSO_SURNAMES and text[edge:start].strip(" \n") in ("-", ",", ":"):
        # ``with the following votes: Page - aye``
        return Name(text[first:edge], first, edge, False)
    return name


_NO_LETTERS = ' \n,;:-(="._\u2026\u00b7'
_TOWN = pattern(r"[A-Z][a-z]{2,15}, {0,2}(?=[A-Z][a-z]+ [A-Z])")
_PLACE_BEHIND = re.compile(r"[^\W\d_.] ?\([A-Z][a-z]{2,20}\) ?\($")

_ATTENDANCE = pattern(r"quorum|attendance|\bpresent\b")
_QUORUM = pattern(r"\bquorum\b|\broll\s?call\s+(?:of\s+members|for\s+attendance|attendance)")
_MOTION = re.compile(r"\bmotion|\bmoved\b|\bvot")
_ANNOUNCED = re.compile(r"roll[\s-]?call|vote|called|polled")


def _roll_call(doc: DocumentText, run: list[_Spoken], unread: bool = False) -> Iterator[BallotCue]:
    """Yield a run that is long enough, or announced, to be a roll call.

    If a vote in it is ``unread``, none of its lists is complete.
    """
    if len(run) < 2:
        return
    start = run[0][0].start
    heading = doc.sentence_start(start, 160)
    if not doc.lower[heading:start].strip():
        heading = doc.sentence_start(heading - 1, 60)
    if _ATTENDANCE.search(doc.lower, heading, start):
        return
    quorum = last_match(_QUORUM, doc.lower, max(0, start - 200), start)
    if quorum and not _MOTION.search(doc.lower, quorum.end(), start):
        return
    if len(run) < 3 and not _ANNOUNCED.search(doc.lower[max(0, start - 160) : start]):
        return
    cue = BallotCue(start, run[-1][2], FIRM, vote_type="roll_call")
    for name, spoken, _ in run:
        if spoken == "present":
            continue
        surname, flags = doc.roster.surname(name)
        cue.flags |= flags
        if surname:
            cue.ballots.setdefault(ballot_kind(spoken), []).append(surname)
    if unread:
        cue.incomplete = {AYES, NOES}
    if set(cue.ballots) - {ABSENT, RECUSED}:
        yield cue


_LETTER_FIRST = Phrase("Y- N- Y: N:", r"[YN][-:] ?(?=[A-Z])")
_AFTER_LETTERED = pattern(r"[\s,;]{1,4}(?:and\s+)?")


def lettered_roll_calls(doc: DocumentText) -> Iterator[BallotCue]:
    """Read runs of ``Y-Smith, Y-Jones, N-Brown``."""
    run: list[_Spoken] = []
    for letter in _LETTER_FIRST.find(doc.text):
        name = read_name(doc.text, letter.end(), doc.roster.known, listed=True)
        if name is None or name.start != letter.end():
            continue
        if run and not _AFTER_LETTERED.fullmatch(doc.lower, run[-1][2], letter.start()):
            yield from _roll_call(doc, run)
            run = []
        run.append((replace(name, start=letter.start()), letter[0][0].lower(), name.end))
    yield from _roll_call(doc, run)


_DISSENT = Phrase(
    "dissent oppos abstain nayed recus vot cast absent not_present was_absent were_absent "
    "was_not were_not requested asked "
    "being_absent nay no. no, no; no) no_vote no_by negative against in_favo",
    r"(?:dissent(?:ing|ed|s)?|nayed|abstain(?:ed|ing|s)|recus(?:ed|ing)"
    r"|oppos(?:ed|ing)(?!\s+(?:the|a|an|this|any|his|her)\s+"
    r"(?!motion|measure|question|vote|item|resolution|ordinance))"
    r"|(?:was|were|being)\s+absent\b|absent\s+(?:from|for|at\s+(?:the\s+)?time)\b|not\s+present\s+for\b"
    r"|(?P<away>(?:was|were)\s+not\s+present(?=\s{0,3}(?:[.;)\n]|$)))"
    r"|(?:requested|asked)\s+(?:that\s+)?(?:his|her|their)\s+(?:dissent(?:ing\s+votes?)?|opposition"
    r"|votes?\s+against(?:\s+the\s+\w+)?)\s+(?:be|is|was)\s+(?:recorded|noted)"
    r"|(?P<bare>(?:nay|no|absent|excused|against|in\s+favou?r)(?=\s{0,3}(?:[.,;)\n]|$|and\b)))"
    r"|(?:dissenting|opposing|no|nay|negative)\s+votes?(?:\s+(?:being|was|were))?(?:\s+cast)?"
    r"(?=\s+(?:by|from)\b)"
    r"|(?:nay|no)(?=\s+by\s)"
    r"|vot(?:ed|ing|es)\s+(?:against|in\s+opposition|in\s+the\s+negative|in\s+favou?r"
    r"|in\s+the\s+affirmative|affirmatively|for(?=\s{0,3}[.;\n])|[\"']?(?:nay|no|aye|yes|yea)[\"']?)"
    r"|cast(?:ing)?\s+(?:the\s+|a\s+)?(?:only\s+|sole\s+|lone\s+)?"
    r"(?:dissenting|no|nay|negative|opposing)\s+votes?)(?!\w)",
)
_BETWEEN_DISSENTS = pattern(
    r"(?:\s+(?:of\s+)?(?:the\s+)?(?:motion|same|measure|resolution|ordinance))?"
    r"[\s,;.]{0,12}(?:(?:and|while|with|but)\s+)?(?:that\s+)?"
)


def dissents(doc: DocumentText) -> Iterator[BallotCue]:
    """Read names that prose puts next to the outcome: ``with Smith abstaining``.

    Sentences in a row that say who voted for and who against are a roll call of their own.
    """
    row: list[DissentCue] = []
    for cue in _each_dissent(doc):
        if row and not _BETWEEN_DISSENTS.fullmatch(
            doc.lower, row[-1].end, max(row[-1].end, cue.start)
        ):
            yield from _joined(row)
            row = []
        row.append(cue)
    yield from _joined(row)


def _joined(row: list[DissentCue]) -> Iterator[BallotCue]:
    """Yield one ballot for phrases in a row if it is said who voted for, else each of them."""
    in_favor = any(AYES in cue.ballots for cue in row)
    if len(row) < 2 or not in_favor or not all(cue.ballots for cue in row):
        yield from row
        return
    whole = BallotCue(row[0].start, row[-1].end, FIRM, vote_type="roll_call")
    for cue in row:
        whole.flags |= cue.flags
        for kind, names in cue.ballots.items():
            held = whole.ballots.setdefault(kind, [])
            held += [name for name in names if name not in held]
    yield whole


_BY = pattern(r"\s*(?:votes?\s+)?(?:by|from|:|-|was|were|cast\s+by)\s*")
_LINK = pattern(r"(?:,?\s{0,3}\b(?:who|having|has|was|were|is|are|both|each|also)\b\s{0,3}){0,3}$")
_SAID_THAT = pattern(
    r"\s+(?:stated|said|noted|explained|indicated)\s+(?:that\s+)?(?:he|she|they)\s+$"
)
_OF_ITEMS = re.compile(r"\s*(?:on|for|to)\s+(?:consent\s+)?(?:agenda\s+)?items?\b")
_IN_FAVOR = re.compile(r"aye|yes|yea|fav|affirm|for$")


def _each_dissent(doc: DocumentText) -> Iterator[DissentCue]:
    lower = doc.lower
    for match in _DISSENT.find(lower):
        if is_number_sign(lower, *match.span()):
            continue
        if lower[match.end() : match.end() + 2].lstrip().startswith(":"):
            continue
        bare = match["bare"] is not None
        if bare and lower[match.start() - 1 : match.start()] not in (" ", "\n"):
            continue
        edge = match.start() - 3 * (bare and lower.endswith(" - ", 0, match.start()))
        link = _LINK.search(lower, max(0, edge - 24), edge)
        names = doc.names_before(link.start() if link else edge)
        said = _SAID_THAT.search(lower, max(0, edge - 40), edge) if not names else None
        if said and match[0].endswith(("no", "nay")):
            # ``Mayor Smith stated that he voted no``, and not last year.
            rest = lower[match.end() : doc.sentence_end(match.end(), 80)]
            names = doc.names_before(said.start())[-1:] if not EARLIER.search(rest) else []
        by = _BY.match(lower, match.end()) if not names and not bare else None
        if by is not None:
            names = doc.names_at(by.end(), by.end() + 200).names
        if not names:
            continue
        if names[0].text.isupper() and not any(
            name.titled or doc.roster.is_known(name.surname) for name in names
        ):
            # ``TOWNS OPPOSING``: nobody the document knows.
            continue
        if match["away"] and not any(doc.roster.is_known(name.surname) for name in names):
            # ``The engineer was not present.``
            continue
        word = match[0]
        if word.startswith("in"):
            # One name "in favor", unless in brackets behind an outcome, is somebody who spoke.
            begin = doc.sentence_start(match.start())
            alone = len(names) < 2 and "(" not in lower[begin : match.start()]
            if alone or SPEAKERS.search(lower[max(0, begin - 120) : match.start()]):
                continue
        if word.startswith("abst"):
            kind = ABSTAIN
        elif word.startswith("recus"):
            kind = RECUSED
        elif word.startswith(("absent", "excused", "not", "was", "were", "being")):
            kind = ABSENT
        else:
            kind = AYES if _IN_FAVOR.search(word) else NOES
        start, end = min(match.start(), names[0].start), max(match.end(), names[-1].end)
        # ``Carried. Smith absent.`` says it in a sentence of its own.
        own = kind == ABSENT and doc.sentence_start(start) == start and lower[end : end + 1] == "."
        cue = DissentCue(start, end, SOFT, same_sentence=bare and not own)
        tail = lower[match.end() : doc.sentence_end(match.end(), 60)]
        if _OF_ITEMS.match(tail):
            cue.flags = {"per_item_dissent"}
        else:
            surnames, cue.flags = doc.roster.surnames(names)
            cue.ballots = {kind: surnames}
        yield cue


def roll_call_cues(doc: DocumentText) -> Iterator[BallotCue]:
    """Yield the places where names are called, or printed with their vote."""
    called: list[tuple[int, int]] = []
    for read in (roll_calls, lettered_roll_calls, dissents):
        for cue in read(doc):
            # A name that is called is not in prose as well.
            if isinstance(cue, DissentCue) and is_inside(called, cue.end - 1):
                continue
            cue.rule = read.__name__
            if read is not dissents:
                called.append((cue.start, cue.end))
            yield cue
        called.sort()
