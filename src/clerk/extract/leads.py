"""Read who moved and who seconded, in the many ways minutes put it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .cues import FIRM, SOFT, Cue, Reading
from .movers import edge_of_subject, lead_cue, name_at, pair, slash_follows
from .names import Name, name_before, names_before
from .shorthand import shorthand_cues
from .text import Phrase, last_match, pattern

_MANNER = (
    r"(?:duly\s+|then\s+|also\s+|properly\s+|regularly\s+|again\s+|further\s+|so\s+"
    r"|first\s+|thereafter\s+|thereupon\s+)"
)
_MADE = (
    r"(?:made|offered|introduced|presented|proposed|put\s+forward|put|moved|submitted"
    r"|entered|brought|initiated|given)"
)

_MOTION = Phrase("motion", r"motion(?:ed|s)?\b")
_MOTION_BY = pattern(
    rf"(?:\s+(?:no\.?\s*)?[a-z]{{0,3}}-?\d[\d\-./]{{0,10}})?\s*(?:was\s+|is\s+|were\s+|being\s+"
    rf"|having\s+been\s+)?{_MANNER}?(?:{_MADE}\s+)?(?:forward\s+)?(?P<both>(?:and|&"
    rf"|/)\s*{_MANNER}?second(?:ed)?\s+)?(?:was\s+)?(?:made\s+)?(?P<by>by|from|of)\b\s*:?"
)
_MOTION_MADE = pattern(
    rf"\s*(?:was\s+|is\s+|were\s+|having\s+been\s+|being\s+)?{_MANNER}?(?:made|offered|moved"
    rf"|put\s+forward|presented|proposed"
    rf"|introduced)\b(?P<second>\s*,?\s*(?:and\s+)?{_MANNER}?seconded)?"
)
_MAKES = pattern(
    r"\b(?:made|makes|make|offered|offers|introduced|presented|put\s+forward|put|entered"
    r"|proposed|brought|gave|moved|advanced)\s+(?:forward\s+)?(?:a|the|an|his|her|this|another"
    r"|that)?\s*(?:[a-z\-]+\s+){0,2}$"
)
_ASKED = pattern(
    r"\b(?:request\w*|call\w*\s+for|ask\w*\s+for|entertain\w*|seek\w*|need\w*|look\w*\s+for"
    r"|want\w*|suggest\w*|recommend\w*|draft|sample|possible|proposed|notice\s+of|second\w*"
    r"|restat\w*|support\w*|withdr\w*|amend\w*|clarif\w*|repeat\w*|rescind\w*)\s+(?:a|the|an"
    r"|his|her|of|for|that|this|any|on|to|your)?\s*(?:[a-z]+\s+){0,1}$"
)
_ANOTHER_DAY = pattern(
    r"\b(?:at|during)\s+(?:the|its|their|our|last)\s+(?:last\s+|previous\s+|prior\s+|[a-z]+"
    r"\s+\d{1,2}(?:st|nd|rd|th)?,?\s+(?:\d{4},?\s+)?)(?:\w+\s+)?meeting\b[^.]{0,80}$"
)


def lead_cues(reading: Reading) -> Iterator[Cue]:
    """Yield a cue for every place where a motion is made, at this meeting and no other."""
    for cue in _all_leads(reading):
        before = reading.lower[reading.clause_start(cue.start, 140) : cue.start]
        if "meeting" not in before or not _ANOTHER_DAY.search(before):
            yield cue


def _all_leads(reading: Reading) -> Iterator[Cue]:
    yield from _motion_cues(reading)
    yield from _moved_cues(reading)
    yield from _proposed_cues(reading)
    yield from _vote_taken_cues(reading)
    yield from shorthand_cues(reading)


def _motion_cues(reading: Reading) -> Iterator[Cue]:
    for motion in _MOTION.find(reading.lower):
        cue = _motion_cue(reading, motion)
        if cue is not None:
            yield cue


def _motion_cue(reading: Reading, motion: re.Match[str]) -> Cue | None:
    lower = reading.lower
    head = lower[max(0, motion.start() - 70) : motion.start()]
    if motion[0] == "motioned":
        return _by_subject(reading, motion.start(), motion.end())
    if seconding := _SECONDING.search(head):
        return _seconded_motion(reading, motion, motion.start() - len(seconding[0]))
    if _ASKED.search(head) or head.endswith("no "):
        return None
    if owner := _OWNER.search(head):
        return _motion_of_owner(reading, motion, motion.start() - len(owner[0]))
    if by := _MOTION_BY.match(lower, motion.end()):
        return _motion_by(reading, motion, by)
    if makes := _MAKES.search(head):
        verb = max(0, motion.start() - 70) + makes.start()
        return _by_subject(reading, verb, motion.end())
    if made := _MOTION_MADE.match(lower, motion.end()):
        mover = _in_brackets(reading, made.end())
        if mover is not None:
            return lead_cue(reading, _with_article(reading, motion.start()), mover.end, mover)
        return _anonymous(reading, motion.start(), made.end(), _mover_behind(reading, made.end()))
    return _motion_short(reading, motion, head)


_OWNER = pattern(r"'s\s+(?:original\s+|substitute\s+)?$")
_OWNER_MOVES = pattern(
    r"(?:\s+(?:to|that|for)\s[^.;,]{2,120}?)?\s+(?:was\s+|had\s+|has\s+)?"
    r"(?:failed|died|carried|passed|defeated|withdrawn|approved|lost)\b"
)


def _motion_of_owner(reading: Reading, motion: re.Match[str], position: int) -> Cue | None:
    """Read ``Commissioner Smith's motion to deny failed``: its own sentence tells the outcome."""
    mover = name_before(reading.text, position)
    if mover is None:
        return None
    cue = lead_cue(reading, mover.start, motion.end(), mover)
    begin = reading.clause_start(mover.start, 40)
    cue.done = _ON.fullmatch(reading.lower, begin, mover.start) is not None
    return cue if cue.done or _OWNER_MOVES.match(reading.lower, motion.end()) else None


_ON = pattern(r"(?:up)?on\s+")


_SECONDING = pattern(r"\bseconded\s+(?:the|a|that)\s+$")
_MADE_BY = pattern(r"\s+(?:which\s+was\s+|that\s+was\s+)?(?:made|offered)\s+by\s+")


def _seconded_motion(reading: Reading, motion: re.Match[str], verb: int) -> Cue | None:
    """Read ``Mr. Jones seconded the motion made by Mr. Smith``."""
    by = _MADE_BY.match(reading.lower, motion.end())
    mover = name_at(reading, by.end()) if by else None
    seconder = name_before(reading.text, verb)
    if mover is None or seconder is None:
        return None
    return lead_cue(reading, seconder.start, mover.end, mover, seconder)


def _in_brackets(reading: Reading, position: int) -> Name | None:
    """Return the name of ``made (Smith)``."""
    if reading.text[position : position + 2].strip() != "(":
        return None
    name = name_at(reading, position + 2)
    return name if name is not None and reading.text[name.end : name.end + 1] == ")" else None


def _motion_by(reading: Reading, motion: re.Match[str], by: re.Match[str]) -> Cue | None:
    name = name_at(reading, by.end())
    if name is None or name.start - by.end() > 40:
        unnamed = by["by"] == "by" and re.match(
            r"\s*(?:the|a|an|acclamation|voice)\b", reading.lower[by.end() : by.end() + 20]
        )
        made = re.search(r"\b(?:made|moved|offered)\b", by[0])
        return _anonymous(reading, motion.start(), by.end()) if made and not unnamed else None
    seconder = pair(reading, name) if by["both"] or slash_follows(reading, name) else None
    start = _with_article(reading, motion.start())
    cue = lead_cue(reading, start, (seconder or name).end, name, seconder)
    cue.done = reading.lower.startswith(("on ", "upon "), start)
    return cue


def _with_article(reading: Reading, start: int) -> int:
    article = re.search(
        r"(?:\b(?:up)?on\s+(?:a\s+|the\s+)?|\b(?:a|the)\s+(?:substitute\s+|main\s+|second\s+"
        r"|first\s+)?)$",
        reading.lower[max(0, start - 24) : start],
    )
    return max(0, start - 24) + article.start() if article else start


def _by_subject(reading: Reading, verb: int, end: int) -> Cue | None:
    """Read ``Director Daly made the motion``: the mover stands before the verb."""
    lower = reading.lower
    edge = edge_of_subject(lower, verb)
    name = _subject(reading, edge)
    if name is not None and reading.text[name.start - 1 : name.start] == "/":
        first = name_before(reading.text, name.start - 1)
        return lead_cue(reading, first.start, end, first, name) if first else None
    if name is not None and (mover := _before_seconder(reading, name)):
        return lead_cue(reading, mover.start, end, mover, name)
    if name is not None:
        return lead_cue(reading, name.start, end, name)
    if offered := _OFFERED_AND.search(lower, max(0, edge - 200), edge):
        name = name_before(reading.text, offered.start())
        return lead_cue(reading, name.start, end, name) if name else None
    if apposition := _APPOSITION.search(reading.text[max(0, edge - 110) : edge]):
        name = name_before(reading.text, max(0, edge - 110) + apposition.start())
        return lead_cue(reading, name.start, end, name) if name else None
    pronoun = re.search(r"\b(?:he|she|they)\s*$", lower[max(0, edge - 8) : edge])
    if pronoun is None:
        return None
    speaker = _speaker(reading, edge)
    return lead_cue(reading, edge - len(pronoun[0]), end, speaker) if speaker else None


def _before_seconder(reading: Reading, name: Name) -> Name | None:
    """Return the mover of ``Smith, seconded by Jones, moved``."""
    floor = max(0, name.start - 40)
    by = _SECONDED_BY.search(reading.lower[floor : name.start])
    return name_before(reading.text, floor + by.start()) if by else None


_SECONDED_BY = pattern(r",?\s+(?:duly\s+)?second(?:ed)?\s+by\s+$")
_OFFERED_AND = pattern(
    r"\s+(?:then\s+)?(?:offered|introduced|presented|read|submitted|sponsored|proposed)\s[^.;]{0,140}"
    r"\band\s+$"
)
_APPOSITION = pattern(
    r",\s+(?:Chair|Vice|President|Mayor|Member|Secretary|Treasurer|Clerk"
    r"|Moderator)[^,.;]{0,70},\s*$"
)


def _subject(reading: Reading, edge: int) -> Name | None:
    """Return the name before a verb; the first of ``Directors Smith and Jones``."""
    name = name_before(reading.text, edge)
    if name is None or name.titled:
        return name
    several = names_before(reading.text, edge)
    first = several[0]
    title = reading.lower[first.start : first.end].split()[0]
    return first if first.titled and title.endswith("s") and len(title) > 4 else name


def _speaker(reading: Reading, position: int) -> Name | None:
    """Return who the pronoun stands for: the name that begins this sentence."""
    start = reading.clause_start(position, 600)
    name = name_at(reading, start)
    return name if name is not None and name.start - start < 5 else None


def _anonymous(reading: Reading, start: int, end: int, mover: Name | None = None) -> Cue | None:
    before = reading.lower[reading.clause_start(start) : start]
    if re.search(
        r"\b(?:if|when|once|until|unless|whether|would|should|must|may|after)\b[^,]{0,40}$", before
    ):
        return None
    return lead_cue(reading, _with_article(reading, start), end, mover)


_MOTION_COLON = pattern(r"\s*(?P<both>/\s*second(?:ed)?(?:er)?)?\s*(?:by)?\s*[:\-]\s*")
_AFTER_MOVER = pattern(r"\s*(?:[,;/(.]|\n|$|second(?:ed\s+by)?\b|2nd|-)", re.I)


_SIDE = pattern(r"\b(?:for|against|favou?r\s+of|opposed\s+to|opposing|seconding)\s+(?:the\s+)?$")
_VOTE_FOLLOWS = pattern(
    r"[\s,:(\-\"]{1,8}(?:voted\s+)?\"?(?:yes|aye|yea|no|nay|abstain\w*|absent|recused)\b"
)


def _motion_short(reading: Reading, motion: re.Match[str], head: str) -> Cue | None:
    """Read ``Motion: Smith; Second: Jones``, ``Motion Smith, second Jones``, ``Motion to``."""
    lower = reading.lower
    if _SIDE.search(head):
        return None
    colon = _MOTION_COLON.match(lower, motion.end())
    position = colon.end() if colon else motion.end()
    name = name_at(reading, position) if lower[position : position + 2].strip() else None
    if name is not None and _VOTE_FOLLOWS.match(lower, name.end):
        return None
    if name is not None and _AFTER_MOVER.match(reading.text, name.end):
        slash = slash_follows(reading, name)
        seconder = pair(reading, name) if slash or (colon and colon["both"]) else None
        near = lower[name.end : name.end + 60]
        if colon or seconder is not None or re.search(r"second|2nd", near):
            cue = lead_cue(reading, motion.start(), (seconder or name).end, name, seconder)
            cue.needs_second = seconder is None and "second" not in near
            return cue
    opening = re.match(r"\s+(?:to|for|that)\s+[a-z]", lower[motion.end() : motion.end() + 12])
    return _motion_to(reading, motion, head) if opening and _BEGINS.search(head) else None


_BEGINS = pattern(
    r"(?:^|[\n.:;)\-]|\b(?:a|the|on|upon)(?:\s+(?:original|main|amended|second|first|new))?)\s*$"
)
_OWN_SECOND = pattern(r"\bseconded\b|\bsecond\s+by\b|\b2nd\b")
_OWN_MOVER = pattern(r"[\s,]{1,4}(?:(?:was\s+)?(?:made|moved|offered)\s+)?by\s+(?=[^\W\d_])")


_NEXT_TO = pattern(r"[\s,;.]{0,6}(?:and\s+|with\s+a\s+|it\s+was\s+|was\s+)?")


def _next_to(reading: Reading, mover: Name, second: re.Match[str]) -> bool:
    """Whether the second follows the mover's name, if in a sentence of its own."""
    return _NEXT_TO.fullmatch(reading.lower, mover.end, max(mover.end, second.start())) is not None


def _mover_behind(reading: Reading, start: int) -> Name | None:
    """Return the mover of ``was made to pay the bills by Smith and seconded by``."""
    second = _OWN_SECOND.search(reading.lower, start, start + 200)
    limit = min(second.start(), reading.clause_end(start, 200)) if second else start
    by = last_match(_OWN_MOVER, reading.lower, start, limit)
    mover = name_at(reading, by.end()) if by else None
    near = mover is not None and second is not None and _next_to(reading, mover, second)
    return mover if near else None


_WORDS_AND_COLON = pattern(r"[^.:;\n]{3,80}[:\-]\s{1,3}")


def _motion_of_two(reading: Reading, motion: re.Match[str]) -> Cue | None:
    """Read ``Motion to adjourn: Smith/Jones``."""
    words = _WORDS_AND_COLON.match(reading.lower, motion.end())
    mover = name_at(reading, words.end()) if words else None
    if mover is None or not slash_follows(reading, mover):
        return None
    return lead_cue(reading, motion.start(), motion.end(), mover, pair(reading, mover))


_TOLD = pattern(r"\b(?:carried|carries|passed|passes|failed|fails|defeated|lost|approved)\b")


def _motion_to(reading: Reading, motion: re.Match[str], head: str) -> Cue:
    """Read ``Motion to approve was made by Smith and seconded by Jones``, or only ``Motion to``."""
    limit = reading.clause_end(motion.end(), 200)
    second = _OWN_SECOND.search(reading.lower, motion.end(), motion.end() + 240)
    mover, by = None, None
    if second is not None:
        by = last_match(_OWN_MOVER, reading.lower, motion.end(), min(second.start(), limit))
        mover = name_at(reading, by.end()) if by else None
        if second.start() > limit and (mover is None or not _next_to(reading, mover, second)):
            mover, by, second = None, None, None
    cue = _motion_of_two(reading, motion) or lead_cue(reading, motion.start(), motion.end(), mover)
    cue.words_end = by.start() if by and mover else 0
    cue.strength = FIRM if second else SOFT
    cue.reference = re.search(r"\b(?:the|on|upon)\s+$", head) is not None
    cue.told = second is None and _TOLD.search(reading.lower, motion.end(), limit) is not None
    return cue


_MOVED = Phrase("move", r"(?:moved|moves|move)\b")
_MOVED_BY = pattern(
    rf"\s*(?P<both>(?:and|&|/|,)?\s*{_MANNER}?second(?:ed)?)?\s*(?:by\b\s*:?|:|-|\()\s*"
)
_SECONDED_NEXT = pattern(
    rf"\s*(?:,|and|/|&)?\s*(?:and\s+)?{_MANNER}?(?:seconded|supported)\b(?!\s+by)"
)
_MOVED_WHAT = pattern(
    r"\s*(?:to\s+(?P<verb>[a-z\-]+)|that\b|for\b|the\b|approval|adoption|acceptance|denial"
    r"|deferral|postponement|referral|ratification|appointment|and\b|,|;"
    r"|\.|we\b|its\b|this\b|an?\b|item|resolution|ordinance|to\b|authoriz|passage|second|\("
    r"|bill|adjourn|in\s+favor|by\s+|council|agenda|staff|/|with\s)"
)
_NOT_MOTION = pattern(
    r"\s+(?:into|from|forward|on\b|out|away|up\b|here|in\b|over|back|through|his|her|around"
    r"|along|ahead|closer|quickly|toward)",
)


def _moved_cues(reading: Reading) -> Iterator[Cue]:
    for moved in _MOVED.find(reading.lower):
        cue = _moved_cue(reading, moved)
        if cue is not None:
            yield cue


def _moved_cue(reading: Reading, moved: re.Match[str]) -> Cue | None:
    lower = reading.lower
    head = lower[max(0, moved.start() - 30) : moved.start()]
    if moved[0] == "move":
        return None
    by = _MOVED_BY.match(lower, moved.end())
    if by and not (by["both"] and _has_subject(reading, moved)):
        cue = _moved_by(reading, moved, by)
        if cue is not None:
            return cue
    if re.search(r"\b(?:it\s+was|was|been)\s+(?:\w+ly\s+)?$", head) or (
        moved[0] == "moved"
        and _SECONDED_NEXT.match(lower, moved.end())
        and not name_before(reading.text, moved.start())
    ):
        seconded = _SECONDED_NEXT.match(lower, moved.end())
        if not seconded and not re.search(r"\bit\s+was\s+(?:\w+ly\s+)?$", head):
            return None
        start = _with_it_was(reading, moved.start())
        return lead_cue(reading, start, moved.end(), _mover_behind(reading, moved.end()))
    if _NOT_MOTION.match(lower, moved.end()):
        return None
    return _moved_by_subject(reading, moved)


def _moved_by(reading: Reading, moved: re.Match[str], by: re.Match[str]) -> Cue | None:
    """Read ``moved by Smith`` and ``moved and seconded by Smith and Jones``.

    One name behind both verbs is the seconder's; who moved is not told.
    """
    name = name_at(reading, by.end())
    if name is None or name.start - by.end() >= 40:
        return None
    seconder = pair(reading, name) if by["both"] or slash_follows(reading, name) else None
    start = _with_it_was(reading, moved.start())
    if by["both"] and seconder is None:
        return lead_cue(reading, start, moved.end(), None)
    return lead_cue(reading, start, (seconder or name).end, name, seconder)


def _has_subject(reading: Reading, moved: re.Match[str]) -> bool:
    """Whether a name stands before the verb, in its line or with the sentence going on."""
    edge = edge_of_subject(reading.lower, moved.start())
    name = name_before(reading.text, edge)
    if name is None:
        return False
    return reading.text[moved.start()].islower() or "\n" not in reading.text[name.end : edge + 1]


def _with_it_was(reading: Reading, start: int) -> int:
    head = re.search(
        r"(?:\bit\s+)?(?:\bwas\s+)(?:\w+ly\s+)?$", reading.lower[max(0, start - 24) : start]
    )
    return max(0, start - 24) + head.start() if head else start


def _moved_by_subject(reading: Reading, moved: re.Match[str]) -> Cue | None:
    what = _MOVED_WHAT.match(reading.lower, moved.end())
    printed = reading.text[moved.start()]
    if printed.isupper() and (cue := _moved_name(reading, moved)):
        return cue
    if what is None:
        return None
    if what["verb"] and reading.text[what.start("verb")].isupper() and printed.islower():
        return None
    cue = _by_subject(reading, moved.start(), moved.end())
    if cue is None and printed.isupper() and what["verb"]:
        cue = lead_cue(reading, moved.start(), moved.end(), None)
        cue.strength = SOFT
    return cue


def _moved_name(reading: Reading, moved: re.Match[str]) -> Cue | None:
    """Read ``Moved Smith, seconded Jones`` and ``Moved Cr Smith``."""
    name = name_at(reading, moved.end())
    if name is None or name.start - moved.end() > 4:
        return None
    near = reading.lower[name.end : name.end + 80]
    if not re.match(r"\s*[,;./\n\-(]?\s*(?:and\s+)?(?:second|2nd|that\b|/)", near):
        return None
    seconder = pair(reading, name) if near.lstrip().startswith("/") else None
    return lead_cue(reading, moved.start(), (seconder or name).end, name, seconder)


_PROPOSED = Phrase(
    "propos offered introduced initiated recommendation",
    r"(?P<how>proposed|offered|introduced|initiated)\s*(?P<both>(?:and"
    r"|&)\s+seconded\s+)?(?:by\b\s*:?|:)|(?P<noun>proposal|proposition|recommendation)"
    r"\s+of\b|(?P<subject>proposed)\b(?=\s*,\s*(?:and\s+)?second|\s+(?:that|the|to"
    r"|an?|and|cllr|councillor|acceptance|adoption))|(?P<act>proposing\s+(?:the|his|her|this|their)\s+motion\b,?)"
    r"|propos[\u00e9e]e?\s+par\b\s*:?(?:\s+l[ae](?=\s+(?:conseill|mair)))?",
)


_COURTESY_VOTE = pattern(r"\bvotes?\s+of\s+(?:sympathy|thanks|condolence|congratulation)")
_ON_THE = pattern(r"\bon\s+(?:the\s+)?$")


def _proposed_cues(reading: Reading) -> Iterator[Cue]:
    for proposed in _PROPOSED.find(reading.lower):
        if proposed["noun"] and not _ON_THE.search(
            reading.lower[max(0, proposed.start() - 8) : proposed.start()]
        ):
            continue
        if _COURTESY_VOTE.search(reading.lower[proposed.end() : proposed.end() + 40]):
            continue
        if proposed["subject"]:
            cue = _by_subject(reading, proposed.start(), proposed.end())
            bracket = reading.text[max(0, proposed.start() - 1) : proposed.start()] == "("
            if cue is None and (bracket or reading.text[proposed.start()].isupper()):
                cue = _moved_name(reading, proposed)
        else:
            name = name_at(reading, proposed.end())
            if name is None or name.start - proposed.end() > 40:
                continue
            seconder = pair(reading, name) if proposed["both"] else None
            cue = lead_cue(
                reading,
                _with_it_was(reading, proposed.start()),
                (seconder or name).end,
                name,
                seconder,
            )
        if cue is not None:
            cue.needs_second = cue.seconder is None and not proposed["act"]
            cue.done = proposed["noun"] is not None
            yield cue


_VOTE_TAKEN = pattern(r"vote\s+(?:was|is)\s+(?:taken|held|called)\s+to\s+(?=[a-z])")
_HOW = pattern(r"\b(?:an?\s+)?(?P<how>voice|roll[\s-]call|hand)\s+$|\ba\s+$")


def _vote_taken_cues(reading: Reading) -> Iterator[Cue]:
    """Yield a cue for ``A voice vote was taken to adjourn``."""
    for taken in _VOTE_TAKEN.finditer(reading.lower):
        floor = max(0, taken.start() - 20)
        before = _HOW.search(reading.lower[floor : taken.start()])
        start = floor + before.start() if before else taken.start()
        cue = lead_cue(reading, start, taken.end(), None)
        cue.strength = FIRM
        how = before["how"] if before else None
        cue.vote_type = "voice" if how == "voice" else "roll_call" if how else ""
        cue.flags.add("no_mover")
        yield cue
