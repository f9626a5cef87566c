"""Read who moved and who seconded, in the many ways minutes put it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .ballots import settle_one
from .cues import FIRM, LEAD, OUTCOME, SECOND, SOFT, STRONG, Cue, Reading, last_match
from .model import PASSED
from .names import Name, name_before, names_before, read_name
from .patterns import Phrase, compiled, line_start

_MANNER = (
    r"(?:duly\s+|then\s+|also\s+|properly\s+|regularly\s+|again\s+|further\s+|so\s+"
    r"|first\s+|thereafter\s+|thereupon\s+)"
)
_MADE = (
    r"(?:made|offered|introduced|presented|proposed|put\s+forward|put|moved|submitted"
    r"|entered|brought|initiated|given)"
)

_MOTION = Phrase("motion", r"motion(?:ed|s)?\b")
_MOTION_BY = compiled(
    rf"\s*(?:was\s+|is\s+|were\s+|being\s+"
    rf"|having\s+been\s+)?{_MANNER}?(?:{_MADE}\s+)?(?:forward\s+)?(?P<both>(?:and|&"
    rf"|/)\s*{_MANNER}?second(?:ed)?\s+)?(?:was\s+)?(?:made\s+)?(?P<by>by|from|of)\b\s*:?"
)
_MOTION_MADE = compiled(
    rf"\s*(?:was\s+|is\s+|were\s+|having\s+been\s+|being\s+)?{_MANNER}?(?:made|offered|moved"
    rf"|put\s+forward|presented|proposed"
    rf"|introduced)\b(?P<second>\s*,?\s*(?:and\s+)?{_MANNER}?seconded)?"
)
_MAKES = compiled(
    r"\b(?:made|makes|make|offered|offers|introduced|presented|put\s+forward|put|entered"
    r"|proposed|brought|gave|moved|advanced)\s+(?:forward\s+)?(?:a|the|an|his|her|this|another"
    r"|that)?\s*(?:[a-z\-]+\s+){0,2}$"
)
_ASKED = compiled(
    r"\b(?:request\w*|call\w*\s+for|ask\w*\s+for|entertain\w*|seek\w*|need\w*|look\w*\s+for"
    r"|want\w*|suggest\w*|recommend\w*|draft|sample|possible|proposed|notice\s+of|second\w*"
    r"|restat\w*|support\w*|withdr\w*|amend\w*|clarif\w*|repeat\w*|rescind\w*)\s+(?:a|the|an"
    r"|his|her|of|for|that|this|any|on|to|your)?\s*(?:[a-z]+\s+){0,1}$"
)
_ADVERBS = compiled(
    r"(?:(?:\b(?:then|also|so|again|therefore|thereafter|thereupon|hereby|has|had|would"
    r"|would\s+then|formally|subsequently|now|further|first|next)\b|,)\s*)+$"
)
_AND_NAME = compiled(
    r"\s{0,6}(?:,?\s*(?:and|&)\b|[/,])\s{0,6}(?:seconded\s+by\s+|second\s+by\s+)?", re.I
)
_ABOUT = (
    (
        compiled(r"\bsubstitute\b|\balternate\s+motion|\bin\s+lieu\b|\bdifferent\s+motion"),
        "substitute",
    ),
    (
        compiled(
            r"\b(?:motion|moved?)\s+to\s+amend\b|\bamend\s+the\s+motion"
            r"|\bmotion\s+for\s+(?:an\s+)?amendment|\b(?:moved|proposed|offered)\s+(?:an"
            r"|the\s+following)\s+amendment|\bamendment\s+(?:was\s+)?(?:moved|proposed|made)"
        ),
        "amendment",
    ),
)


_ANOTHER_DAY = compiled(
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
    yield from _label_cues(reading)
    yield from _short_hand_cues(reading)
    yield from _numbered_cues(reading)
    yield from _vote_taken_cues(reading)
    yield from _resolved_cues(reading)


def _cue(
    reading: Reading, start: int, end: int, mover: Name | None, seconder: Name | None = None
) -> Cue:
    cue = Cue(LEAD, start, end)
    cue.mover, flags = settle_one(reading.roster, mover)
    cue.seconder, more = settle_one(reading.roster, seconder)
    cue.flags = flags | more
    nearby = reading.lower[max(0, start - 30) : reading.clause_end(end, 90)]
    for words, about in _ABOUT:
        if words.search(nearby):
            cue.about = about
            break
    return cue


def _name_at(reading: Reading, position: int) -> Name | None:
    return read_name(reading.text, position, reading.roster.known)


def _pair(reading: Reading, name: Name | None) -> Name | None:
    """Return the second of ``Smith and Jones`` or ``Smith/Jones`` behind a first name."""
    if name is None:
        return None
    link = _AND_NAME.match(reading.text, name.end)
    return _name_at(reading, link.end()) if link else None


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
    if _ASKED.search(head) or head.endswith("no "):
        return None
    if by := _MOTION_BY.match(lower, motion.end()):
        return _motion_by(reading, motion, by)
    if makes := _MAKES.search(head):
        verb = max(0, motion.start() - 70) + makes.start()
        return _by_subject(reading, verb, motion.end())
    if made := _MOTION_MADE.match(lower, motion.end()):
        return _anonymous(reading, motion.start(), made.end())
    return _motion_short(reading, motion, head)


def _motion_by(reading: Reading, motion: re.Match[str], by: re.Match[str]) -> Cue | None:
    name = _name_at(reading, by.end())
    if name is None or name.start - by.end() > 40:
        unnamed = by["by"] == "by" and re.match(
            r"\s*(?:the|a|an|acclamation|voice)\b", reading.lower[by.end() : by.end() + 20]
        )
        made = re.search(r"\b(?:made|moved|offered)\b", by[0])
        return _anonymous(reading, motion.start(), by.end()) if made and not unnamed else None
    seconder = _pair(reading, name) if by["both"] or _slash(reading, name) else None
    start = _with_article(reading, motion.start())
    cue = _cue(reading, start, (seconder or name).end, name, seconder)
    cue.done = reading.lower.startswith(("on ", "upon "), start)
    return cue


def _slash(reading: Reading, name: Name) -> bool:
    return reading.text[name.end : name.end + 1] == "/"


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
    adverb = _ADVERBS.search(lower, max(0, verb - 40), verb)
    edge = adverb.start() if adverb else verb
    name = _subject(reading, edge)
    if name is not None:
        return _cue(reading, name.start, end, name)
    if apposition := _APPOSITION.search(reading.text[max(0, edge - 110) : edge]):
        name = name_before(reading.text, max(0, edge - 110) + apposition.start())
        return _cue(reading, name.start, end, name) if name else None
    pronoun = re.search(r"\b(?:he|she|they)\s*$", lower[max(0, edge - 8) : edge])
    if pronoun is None:
        return None
    speaker = _speaker(reading, edge)
    return _cue(reading, edge - len(pronoun[0]), end, speaker) if speaker else None


_APPOSITION = compiled(
    r",\s+(?:Chair|Vice|President|Mayor|Member|Secretary|Treasurer|Clerk"
    r"|Moderator)[^,.;]{0,70},\s*$"
)


def _subject(reading: Reading, edge: int) -> Name | None:
    """Return the name before a verb; the first of ``Directors Smith and Jones``."""
    name = name_before(reading.text, edge, reading.roster.known)
    if name is None or name.titled:
        return name
    several = names_before(reading.text, edge, reading.roster.known)
    first = several[0]
    title = reading.lower[first.start : first.end].split()[0]
    return first if first.titled and title.endswith("s") and len(title) > 4 else name


def _speaker(reading: Reading, position: int) -> Name | None:
    """Return who the pronoun stands for: the name that begins this sentence."""
    start = reading.clause_start(position, 600)
    name = _name_at(reading, start)
    return name if name is not None and name.start - start < 5 else None


def _anonymous(reading: Reading, start: int, end: int) -> Cue | None:
    before = reading.lower[reading.clause_start(start) : start]
    if re.search(
        r"\b(?:if|when|once|until|unless|whether|would|should|must|may|after)\b[^,]{0,40}$", before
    ):
        return None
    return _cue(reading, _with_article(reading, start), end, None)


_MOTION_COLON = compiled(r"\s*(?P<both>/\s*second(?:ed)?(?:er)?)?\s*(?:by)?\s*[:\-]\s*")
_AFTER_MOVER = compiled(r"\s*(?:[,;/(.]|\n|$|second(?:ed\s+by)?\b|2nd|-)", re.I)


_VOTE_FOLLOWS = compiled(
    r"[\s,:(\-\"]{1,8}(?:voted\s+)?\"?(?:yes|aye|yea|no|nay|abstain\w*|absent|recused)\b"
)


def _motion_short(reading: Reading, motion: re.Match[str], head: str) -> Cue | None:
    """Read ``Motion: Smith; Second: Jones``, ``Motion Smith, second Jones``, ``Motion to``."""
    lower = reading.lower
    colon = _MOTION_COLON.match(lower, motion.end())
    position = colon.end() if colon else motion.end()
    name = _name_at(reading, position) if lower[position : position + 2].strip() else None
    if name is not None and _VOTE_FOLLOWS.match(lower, name.end):
        return None
    if name is not None and _AFTER_MOVER.match(reading.text, name.end):
        seconder = _pair(reading, name) if colon and colon["both"] else None
        near = lower[name.end : name.end + 60]
        if colon or re.search(r"second|2nd", near):
            cue = _cue(reading, motion.start(), (seconder or name).end, name, seconder)
            cue.needs_second = seconder is None and "second" not in near
            return cue
    opening = re.match(r"\s+(?:to|for|that)\s+[a-z]", lower[motion.end() : motion.end() + 12])
    return _motion_to(reading, motion, head) if opening and _BEGINS.search(head) else None


_BEGINS = compiled(r"(?:^|[\n.:;)\-]|\b(?:a|the|on|upon))\s*$")
_OWN_SECOND = compiled(r"\bseconded\b|\bsecond\s+by\b|\b2nd\b")
_OWN_MOVER = compiled(r"[\s,]{1,4}(?:(?:was\s+)?(?:made|moved|offered)\s+)?by\s+(?=[^\W\d_])")


_TOLD = compiled(r"\b(?:carried|carries|passed|passes|failed|fails|defeated|lost|approved)\b")


def _motion_to(reading: Reading, motion: re.Match[str], head: str) -> Cue:
    """Read ``Motion to approve was made by Smith and seconded by Jones``, or only ``Motion to``."""
    limit = reading.clause_end(motion.end(), 200)
    second = _OWN_SECOND.search(reading.lower, motion.end(), limit)
    mover, by = None, None
    if second is not None:
        by = last_match(_OWN_MOVER, reading.lower, motion.end(), second.start())
        mover = _name_at(reading, by.end()) if by else None
    cue = _cue(reading, motion.start(), motion.end(), mover)
    cue.words_end = by.start() if by and mover else 0
    cue.strength = FIRM if second else SOFT
    cue.reference = re.search(r"\b(?:the|on|upon)\s+$", head) is not None
    cue.told = second is None and _TOLD.search(reading.lower, motion.end(), limit) is not None
    return cue


_MOVED = Phrase("move", r"(?:moved|moves|move)\b")
_MOVED_BY = compiled(
    rf"\s*(?P<both>(?:and|&|/|,)?\s*{_MANNER}?second(?:ed)?)?\s*(?:by\b\s*:?|:|-|\()\s*"
)
_SECONDED_NEXT = compiled(
    rf"\s*(?:,|and|/|&)?\s*(?:and\s+)?{_MANNER}?(?:seconded|supported)\b(?!\s+by)"
)
_MOVED_WHAT = compiled(
    r"\s*(?:to\s+(?P<verb>[a-z\-]+)|that\b|for\b|the\b|approval|adoption|acceptance|denial"
    r"|deferral|postponement|referral|ratification|appointment|and\b|,|;"
    r"|\.|we\b|its\b|this\b|an?\b|item|resolution|ordinance|to\b|authoriz|passage|second|\("
    r"|bill|adjourn|in\s+favor|by\s+|council|agenda|staff)"
)
_NOT_MOTION = compiled(
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
        return _cue(reading, _with_it_was(reading, moved.start()), moved.end(), None)
    if _NOT_MOTION.match(lower, moved.end()):
        return None
    return _moved_by_subject(reading, moved)


def _moved_by(reading: Reading, moved: re.Match[str], by: re.Match[str]) -> Cue | None:
    """Read ``moved by Smith`` and ``moved and seconded by Smith and Jones``.

    One name behind both verbs is the seconder's; who moved is not told.
    """
    name = _name_at(reading, by.end())
    if name is None or name.start - by.end() >= 40:
        return None
    seconder = _pair(reading, name) if by["both"] or _slash(reading, name) else None
    start = _with_it_was(reading, moved.start())
    if by["both"] and seconder is None:
        return _cue(reading, start, moved.end(), None)
    return _cue(reading, start, (seconder or name).end, name, seconder)


def _has_subject(reading: Reading, moved: re.Match[str]) -> bool:
    """Whether a name stands before the verb, in its line or with the sentence going on."""
    adverb = _ADVERBS.search(reading.lower, max(0, moved.start() - 40), moved.start())
    edge = adverb.start() if adverb else moved.start()
    name = name_before(reading.text, edge, reading.roster.known)
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
        cue = _cue(reading, moved.start(), moved.end(), None)
        cue.strength = SOFT
    return cue


def _moved_name(reading: Reading, moved: re.Match[str]) -> Cue | None:
    """Read ``Moved Smith, seconded Jones`` and ``Moved Cr Smith``."""
    name = _name_at(reading, moved.end())
    if name is None or name.start - moved.end() > 4:
        return None
    near = reading.lower[name.end : name.end + 80]
    if not re.match(r"\s*[,;/\n\-(]?\s*(?:and\s+)?(?:second|2nd|that\b|/)", near):
        return None
    seconder = _pair(reading, name) if near.lstrip().startswith("/") else None
    return _cue(reading, moved.start(), (seconder or name).end, name, seconder)


_PROPOSED = Phrase(
    "propos offered introduced initiated recommendation",
    r"(?P<how>proposed|offered|introduced|initiated)\s*(?P<both>(?:and"
    r"|&)\s+seconded\s+)?(?:by\b\s*:?|:)|(?P<noun>proposal|proposition|recommendation)"
    r"\s+of\b|(?P<subject>proposed)\b(?=\s+(?:that|the|to|an?|and|cllr|councillor|,"
    r"|acceptance|adoption))|(?P<act>proposing\s+(?:the|his|her|this|their)\s+motion\b,?)",
)


_COURTESY_VOTE = compiled(r"\bvotes?\s+of\s+(?:sympathy|thanks|condolence|congratulation)")
_ON_THE = compiled(r"\bon\s+(?:the\s+)?$")


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
        else:
            name = _name_at(reading, proposed.end())
            if name is None or name.start - proposed.end() > 40:
                continue
            seconder = _pair(reading, name) if proposed["both"] else None
            cue = _cue(
                reading,
                _with_it_was(reading, proposed.start()),
                (seconder or name).end,
                name,
                seconder,
            )
        if cue is not None:
            cue.needs_second = cue.seconder is None and not proposed["act"]
            yield cue


_LABEL = Phrase(
    "mover proposer maker first 1st motion",
    r"(?P<who>mover|proposer|maker|first|1st|motion\s+maker|moved\s+by)\s{0,4}:\s*",
)


def _label_cues(reading: Reading) -> Iterator[Cue]:
    """Yield a cue for ``MOVER: Paul Solano`` of a result table."""
    for label in _LABEL.find(reading.lower):
        if label["who"].startswith("moved"):
            continue
        name = _name_at(reading, label.end())
        if name is not None and name.start - label.end() < 60 and not _speaks(reading, name):
            cue = _cue(reading, label.start(), name.end, name)
            cue.label = True
            cue.needs_second = label["who"] in ("first", "1st")
            yield cue


_SHORT = Phrase(
    "m/ m. ms",
    r"(?:m/\s?s(?:\s?/\s?(?P<done>[cpua]{1,2}))?|m\.\s?s\.(?:\s?(?P<dotted>[cpu])\.)?"
    r"|ms(?P<joined>u?[cp]))(?![\w/])",
)


def _short_hand_cues(reading: Reading) -> Iterator[Cue]:
    """Yield cues for ``M/S Smith/Jones`` and for the ``MSC`` that says it carried."""
    for short in _SHORT.find(reading.lower):
        printed = reading.text[short.start() : short.end()]
        if not printed.isupper() and "/" not in printed:
            continue
        name = _name_at(reading, short.end())
        if name is not None and name.start - short.end() > 4:
            name = None
        seconder = _pair(reading, name)
        end = (seconder or name).end if name else short.end()
        done = short["done"] or short["dotted"] or short["joined"]
        if name is not None or not done:
            yield _cue(reading, short.start(), end, name, seconder)
        if done:
            outcome = Cue(
                OUTCOME,
                short.start() + 1,
                max(end, short.end()),
                FIRM,
                result=PASSED,
                result_text=printed,
            )
            outcome.unanimous = "u" in done
            yield outcome


_NUMBERED = compiled(
    r"\d[\-/. ](?<=\d.)\d{1,4}\s{0,3}[:.\-]?\s{1,40}(?=[^\W\d_])",
)
_NUMBER_START = compiled(
    r"^[ ]{0,60}(?:(?:resolution|motion|res\.?)\s{1,3}(?:no\.?|#|number)?\s{0,3})?"
    r"(?:[a-z]{1,3}[ \-]?)?\d{0,3}$"
)


def _numbered_cues(reading: Reading) -> Iterator[Cue]:
    """Yield a cue for ``R2018-077 L. Smith, L. Jones: That we approve``."""
    for numbered in _NUMBERED.finditer(reading.text):
        line = line_start(reading.text, numbered.start())
        if not _NUMBER_START.match(reading.lower[line : numbered.start()]):
            continue
        mover = _name_at(reading, numbered.end())
        if mover is None or mover.start != numbered.end():
            continue
        seconder = _pair(reading, mover)
        if seconder is None or not re.match(
            r"\s{0,3}[:\-]|\s{1,40}that\b", reading.lower[seconder.end : seconder.end + 44]
        ):
            continue
        cue = _cue(reading, line, seconder.end, mover, seconder)
        cue.flags.add("mover_seconder_colon")
        yield cue


_RESOLVED = Phrase("resolved", r"resolved\s*\(")


def _resolved_cues(reading: Reading) -> Iterator[Cue]:
    """Yield a cue for ``Resolved (Cr Smith / Cr Jones)``."""
    for resolved in _RESOLVED.find(reading.lower):
        mover = _name_at(reading, resolved.end())
        if mover is not None and mover.titled and mover.start == resolved.end():
            seconder = _pair(reading, mover)
            cue = _cue(reading, resolved.start(), (seconder or mover).end, mover, seconder)
            cue.done = True
            yield cue


_VOTE_TAKEN = compiled(r"vote\s+(?:was|is)\s+(?:taken|held|called)\s+to\s+(?=[a-z])")
_HOW = compiled(r"\b(?:an?\s+)?(?P<how>voice|roll[\s-]call|hand)\s+$|\ba\s+$")


def _vote_taken_cues(reading: Reading) -> Iterator[Cue]:
    """Yield a cue for ``A voice vote was taken to adjourn``."""
    for taken in _VOTE_TAKEN.finditer(reading.lower):
        floor = max(0, taken.start() - 20)
        before = _HOW.search(reading.lower[floor : taken.start()])
        cue = _cue(reading, floor + before.start() if before else taken.start(), taken.end(), None)
        cue.strength = FIRM
        how = before["how"] if before else None
        cue.vote_type = "voice" if how == "voice" else "roll_call" if how else ""
        cue.flags.add("no_mover")
        yield cue


_SECOND = Phrase("second 2nd support", r"(?:second(?:ed|er|s)?|2nd(?:ed)?|support(?:ed)?)\b")
_SECOND_BY = compiled(
    r"\s*(?:the\s+motion\s+|was\s+(?:made|given|provided|offered)\s+|made\s+"
    r"|motion\s+)?(?:(?:by|from)\b\s*:?|:|-|\()\s*"
)


def second_cues(reading: Reading) -> Iterator[Cue]:
    """Yield a cue for every place where a motion is seconded."""
    for second in _SECOND.find(reading.lower):
        cue = _second_cue(reading, second)
        if cue is not None:
            yield cue


def _second_cue(reading: Reading, second: re.Match[str]) -> Cue | None:
    lower = reading.lower
    word = second[0]
    by = _SECOND_BY.match(lower, second.end())
    if by and not (word.startswith("support") and " by" not in lower[second.end() : by.end()]):
        name = _name_at(reading, by.end())
        if name is not None and name.start - by.end() < 40 and not _speaks(reading, name):
            cue = _second(reading, second.start(), name.end, name)
            cue.strength = SOFT if word.startswith("support") else STRONG
            cue.label = ":" in by[0]
            return cue
    if word in ("seconded", "seconds", "2nded"):
        return _second_by_subject(reading, second)
    if word in ("second", "2nd"):
        return _second_short(reading, second)
    return None


def _speaks(reading: Reading, name: Name) -> bool:
    """Whether a name behind a label begins a sentence of its own."""
    return (
        re.match(
            r"\s+(?:made|moved|moves|makes|motioned|asked|stated|said)\b",
            reading.lower[name.end : name.end + 16],
        )
        is not None
    )


def _second(reading: Reading, start: int, end: int, name: Name) -> Cue:
    cue = Cue(SECOND, start, end)
    cue.seconder, cue.flags = settle_one(reading.roster, name)
    return cue


def _second_by_subject(reading: Reading, second: re.Match[str]) -> Cue | None:
    adverb = _ADVERBS.search(reading.lower, max(0, second.start() - 40), second.start())
    edge = adverb.start() if adverb else second.start()
    name = name_before(reading.text, edge, reading.roster.known)
    if name is not None and not re.search(r",\s*$", reading.text[name.end : edge + 1]):
        return _second(reading, name.start, second.end(), name)
    return _second_short(reading, second)


def _second_short(reading: Reading, second: re.Match[str]) -> Cue | None:
    """Read ``seconded Jones``, ``second Jones`` and ``Jones offered a second``."""
    head = reading.lower[max(0, second.start() - 24) : second.start()]
    gave = re.search(r"\b(?:offered|gave|made|provided)\s+(?:a|the)\s+$", head)
    if gave:
        name = name_before(
            reading.text, max(0, second.start() - 24) + gave.start(), reading.roster.known
        )
        return _second(reading, name.start, second.end(), name) if name else None
    name = _name_at(reading, second.end())
    if name is None or name.start - second.end() > 2:
        return None
    if reading.lower.startswith("vice", name.start):
        return None
    if not re.match(
        r"\s*(?:[,.;)\n]|$|to\b|and\b|that\b|-)", reading.lower[name.end : name.end + 12]
    ):
        return None
    if second[0] in ("second", "2nd") and not re.search(r"[,;.)\n]\s*(?:and\s+)?$", head):
        return None
    return _second(reading, second.start(), name.end, name)
