"""Read who voted how where voices tell it: roll calls, and prose such as "with Smith opposed"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from .ballots import SPEAKERS, category
from .context import FIRM, SOFT, BallotCue, DissentCue, DocumentText
from .model import ABSENT, ABSTAIN, AYES, NOES, RECUSED
from .names import Name, name_before, names_before, read_name, read_names
from .text import Phrase, pattern

_SPOKEN = Phrase(
    "aye yea yes nay no abstain absent recuse excused present in_favo for, for; for. against "
    "opposed y_ y; y, y. y) n_ n; n, n. n)",
    r"(?:aye|yea|yes|nay|no|abstain(?:ed|s)?|absent|recused?|excused|not\s+voting|present"
    r"|in\s+favou?r|for(?=\s*[;,.\n])|against(?=\s*[;,.\n])|opposed)\b"
    r"(?!\s{0,3}[:\-=/]\s*[a-z])|[yn](?<=[\s:\-=,(].)(?=[\s;,.)]|$)",
)
_BETWEEN = pattern(r"[\s,;.)|\-\"]{0,120}(?:and\s+)?")
_ROLE_AFTER_NAME = pattern(
    r", (?:Vice[- ]?)?(?:Chair\w*|Mayor|President|Secretary|Treasurer|Clerk)$"
)
_TO_VOTE = pattern(
    r"(?:,\s+(?:vice[- ]?)?(?:chair\w*|mayor|president|secretary|treasurer|clerk))?"
    r"[\s,:\-(=.\"_\u2026\u00b7]{1,80}(?:voted\s+|votes\s+|voting\s+)?[\"(]?$"
)


def roll_call_cues(doc: DocumentText) -> Iterator[BallotCue]:
    """Yield a cue for every run of ``Mr. Smith, yes; Mrs. Jones, no`` in one line or many."""
    run: list[tuple[Name, str, int]] = []
    last_end = 0
    for spoken in _SPOKEN.find(doc.lower):
        name = _voter(doc, last_end if run else None, spoken.start())
        if name is None and run:
            yield from _roll_call(doc, run)
            run = []
            name = _voter(doc, None, spoken.start())
        if name is not None:
            run.append((name, spoken[0], spoken.end()))
            last_end = spoken.end()
    yield from _roll_call(doc, run)


_LETTER_FIRST = Phrase("Y- N- Y: N:", r"[YN][-:] ?(?=[A-Z])")
_LETTERED = pattern(r"[\s,;]{1,4}(?:and\s+)?")


def lettered_cues(doc: DocumentText) -> Iterator[BallotCue]:
    """Yield a cue for every run of ``Y-Smith, Y-Jones, N-Brown``."""
    run: list[tuple[Name, str, int]] = []
    for letter in _LETTER_FIRST.find(doc.text):
        name = read_name(doc.text, letter.end(), doc.roster.known, listed=True)
        if name is None or name.start != letter.end():
            continue
        if run and not _LETTERED.fullmatch(doc.lower, run[-1][2], letter.start()):
            yield from _roll_call(doc, run)
            run = []
        run.append((replace(name, start=letter.start()), letter[0][0].lower(), name.end))
    yield from _roll_call(doc, run)


def _voter(doc: DocumentText, previous_end: int | None, start: int) -> Name | None:
    """Return who speaks the vote at ``start``; with a run open, directly behind the last vote."""
    text = doc.text
    if previous_end is None:
        edge = _edge_of_name(text, start)
        return name_before(text, edge) if edge else None
    if start - previous_end > 160:
        return None
    between = _BETWEEN.match(text, previous_end)
    begin = between.end() if between else previous_end
    name = read_name(text[begin:start], 0, doc.roster.known)
    if name is None or ":" in text[previous_end : begin + name.start]:
        return None
    name = replace(name, start=begin + name.start, end=begin + name.end)
    return name if _TO_VOTE.fullmatch(doc.lower, name.end, start) else None


#: A row of dots or a long line between a name and its vote.
_LEADER = pattern(r" {0,4}(?:\. ?|[_\u2026\u00b7] ?|-(?=-)-){2,40} {0,8}$")


def _edge_of_name(text: str, start: int) -> int:
    """Return where a capitalised word ends right before a spoken vote, or 0."""
    leader = _LEADER.search(text, max(0, start - 90), start)
    edge = leader.start() if leader else start
    while edge > max(0, start - 12) and text[edge - 1] in ' \n,:-(="':
        edge -= 1
    role = _ROLE_AFTER_NAME.search(text[max(0, edge - 30) : edge])
    edge -= len(role[0]) if role and edge < start else 0
    first = edge
    while first > max(0, edge - 40) and (text[first - 1].isalpha() or text[first - 1] in "'-."):
        first -= 1
    return edge if first < edge < start and text[first].isupper() else 0


def _roll_call(doc: DocumentText, run: list[tuple[Name, str, int]]) -> Iterator[BallotCue]:
    """Make a cue of a run that is long enough, or announced, to be a roll call."""
    if len(run) < 2:
        return
    start = run[0][0].start
    lead = doc.lower[max(0, start - 160) : start]
    if _ATTENDANCE.search(doc.lower, _announcement(doc, start), start):
        return
    announced = re.search(r"roll[\s-]?call|vote|called|polled", lead) is not None
    if len(run) < 3 and not announced:
        return
    cue = BallotCue(start, run[-1][2], FIRM, vote_type="roll_call")
    for name, spoken, _ in run:
        kind = AYES if spoken == "y" else NOES if spoken == "n" else category(spoken)
        if spoken == "present":
            continue
        surname, flags = doc.roster.surname(name)
        cue.flags |= flags
        if surname:
            cue.ballots.setdefault(kind, []).append(surname)
    if set(cue.ballots) - {ABSENT, RECUSED}:
        yield cue


_ATTENDANCE = pattern(r"quorum|attendance|\bpresent\b")


def _announcement(doc: DocumentText, start: int) -> int:
    """Return where the sentence or heading begins that announces a roll call."""
    begin = doc.sentence_start(start, 160)
    return begin if doc.lower[begin:start].strip() else doc.sentence_start(begin - 1, 60)


_DISSENT = Phrase(
    "dissent oppos abstain recus vot cast absent not_present was_absent were_absent "
    "nay no. no, no; no) no_vote negative in_favo",
    r"(?:dissent(?:ing|ed|s)?|oppos(?:ed|ing)(?!\s+(?:the|a|an|this|any|his|her)\s+(?!motion|measure"
    r"|question|vote|item|resolution|ordinance))|abstain(?:ed|ing|s)|recus(?:ed|ing)|(?:was"
    r"|were)\s+absent\b|absent\s+(?:from|for)\b|not\s+present\s+for\b"
    r"|(?P<bare>(?:nay|no|absent|excused|in\s+favou?r)(?=\s{0,3}(?:[.,;)\n]|$|and\b)))"
    r"|(?:dissenting|opposing|no|nay|negative)\s+votes?(?:\s+(?:being|was|were))?(?:\s+cast)?"
    r"(?=\s+(?:by|from)\b)"
    r"|vot(?:ed|ing|es)\s+(?:(?:against|[\"']?nay[\"']?|[\"']?no[\"']?|in\s+opposition"
    r"|in\s+the\s+negative)|(?:[\"']?aye[\"']?|[\"']?yes[\"']?|[\"']?yea[\"']?|in\s+favou?r"
    r"|in\s+the\s+affirmative))"
    r"|cast(?:ing)?\s+(?:the\s+|a\s+)?(?:only\s+|sole\s+|lone\s+)?(?:dissenting|no|nay|negative"
    r"|opposing)\s+votes?)(?!\w)",
)
_BY = pattern(r"\s*(?:votes?\s+)?(?:by|from|:|-|was|were|cast\s+by)\s*")
_LINK = pattern(r"(?:,?\s{0,3}\b(?:who|having|has|was|were|is|are|both|each|also)\b\s{0,3}){0,3}$")


def dissent_cues(doc: DocumentText) -> Iterator[BallotCue]:
    """Yield cues for names that prose puts beside the outcome: ``with Smith abstaining``.

    Sentences in a row that say who voted for and who against are a roll call of their own.
    """
    row: list[DissentCue] = []
    for cue in _dissents(doc):
        if row and not _goes_on(doc, row[-1], cue):
            yield from _in_a_row(row)
            row = []
        row.append(cue)
    yield from _in_a_row(row)


def _dissents(doc: DocumentText) -> Iterator[DissentCue]:
    for match in _DISSENT.find(doc.lower):
        if doc.lower[match.end() : match.end() + 2].lstrip().startswith(":"):
            continue
        names = _people_around(doc, match)
        if names and not (match[0].startswith("in") and _speaks(doc, match, names)):
            yield _dissent(doc, match, names)


def _speaks(doc: DocumentText, match: re.Match[str], names: list[Name]) -> bool:
    """Whether "in favor" tells who spoke: one name, and no bracket behind an outcome."""
    begin = doc.sentence_start(match.start())
    before = doc.lower[max(0, begin - 120) : match.start()]
    alone = len(names) < 2 and "(" not in doc.lower[begin : match.start()]
    return alone or SPEAKERS.search(before) is not None


def _dissent(doc: DocumentText, match: re.Match[str], names: list[Name]) -> DissentCue:
    ballots, flags = doc.roster.surnames(names)
    start = min(match.start(), names[0].start)
    end = max(match.end(), names[-1].end)
    kind = _spoken_kind(match[0])
    cue = DissentCue(start, end, SOFT, ballots={kind: ballots}, flags=flags)
    cue.same_sentence = match["bare"] is not None
    tail = doc.lower[match.end() : doc.sentence_end(match.end(), 60)]
    if re.match(r"\s*(?:on|for|to)\s+(?:consent\s+)?(?:agenda\s+)?items?\b", tail):
        cue.ballots, cue.flags = {}, {"per_item_dissent"}
    return cue


_IN_A_ROW = pattern(
    r"(?:\s+(?:of\s+)?(?:the\s+)?(?:motion|same|measure|resolution|ordinance))?[\s,;.]{0,12}(?:(?:and|while|with|but)\s+)?(?:that\s+)?"
)


def _goes_on(doc: DocumentText, last: BallotCue, cue: BallotCue) -> bool:
    """Whether nothing stands between two such phrases."""
    return _IN_A_ROW.fullmatch(doc.lower, last.end, max(last.end, cue.start)) is not None


def _in_a_row(row: list[DissentCue]) -> Iterator[BallotCue]:
    """Make one ballot of phrases in a row, if it is told who voted for."""
    if len(row) < 2 or not all(cue.ballots for cue in row) or AYES not in _kinds(row):
        yield from row
        return
    whole = BallotCue(row[0].start, row[-1].end, FIRM, vote_type="roll_call")
    for cue in row:
        whole.flags |= cue.flags
        for kind, names in cue.ballots.items():
            held = whole.ballots.setdefault(kind, [])
            held += [name for name in names if name not in held]
    yield whole


def _kinds(row: list[DissentCue]) -> set[str]:
    return {kind for cue in row for kind in cue.ballots}


def _spoken_kind(phrase: str) -> str:
    if phrase.startswith("abst"):
        return ABSTAIN
    if phrase.startswith("recus"):
        return RECUSED
    if phrase.startswith(("absent", "excused", "not", "was", "were")):
        return ABSENT
    return AYES if re.search(r"aye|yes|yea|fav|affirm", phrase) else NOES


def _dash_before(doc: DocumentText, match: re.Match[str]) -> bool:
    return doc.lower.endswith(" - ", 0, match.start())


def _people_around(doc: DocumentText, match: re.Match[str]) -> list[Name]:
    known = doc.roster.known
    if match["bare"] and doc.lower[match.start() - 1 : match.start()] not in (" ", "\n"):
        return []
    edge = match.start() - 3 * (match["bare"] is not None and _dash_before(doc, match))
    link = _LINK.search(doc.lower, max(0, edge - 24), edge)
    names = names_before(doc.text, link.start() if link else edge)
    if names:
        return names
    by = _BY.match(doc.lower, match.end())
    if by is None or match["bare"]:
        return []
    found, _ = read_names(doc.text, by.end(), by.end() + 200, known)
    return found
