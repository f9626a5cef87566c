"""Read who moved and who seconded, in the many ways minutes put it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .context import FIRM, SOFT, Cue, DocumentText, MotionCue
from .movers import edge_of_subject, lead_cue, pair, slash_follows
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


def lead_cues(doc: DocumentText) -> Iterator[Cue]:
    """Yield a cue for every place where a motion is made, at this meeting and no other."""
    for cue in _all_leads(doc):
        before = doc.lower[doc.sentence_start(cue.start, 140) : cue.start]
        if "meeting" not in before or not _ANOTHER_DAY.search(before):
            yield cue


def _all_leads(doc: DocumentText) -> Iterator[Cue]:
    yield from _motion_cues(doc)
    yield from _moved_cues(doc)
    yield from _proposed_cues(doc)
    yield from _vote_taken_cues(doc)
    yield from shorthand_cues(doc)


def _motion_cues(doc: DocumentText) -> Iterator[MotionCue]:
    for motion in _MOTION.find(doc.lower):
        cue = _motion_cue(doc, motion)
        if cue is not None:
            yield cue


def _motion_cue(doc: DocumentText, motion: re.Match[str]) -> MotionCue | None:
    lower = doc.lower
    head = lower[max(0, motion.start() - 70) : motion.start()]
    if motion[0] == "motioned":
        return _by_subject(doc, motion.start(), motion.end())
    if seconding := _SECONDING.search(head):
        return _seconded_motion(doc, motion, motion.start() - len(seconding[0]))
    if _ASKED.search(head) or head.endswith("no "):
        return None
    if owner := _OWNER.search(head):
        return _motion_of_owner(doc, motion, motion.start() - len(owner[0]))
    if by := _MOTION_BY.match(lower, motion.end()):
        return _motion_by(doc, motion, by)
    if makes := _MAKES.search(head):
        verb = max(0, motion.start() - 70) + makes.start()
        return _by_subject(doc, verb, motion.end())
    if made := _MOTION_MADE.match(lower, motion.end()):
        mover = _in_brackets(doc, made.end())
        if mover is not None:
            return lead_cue(doc, _with_article(doc, motion.start()), mover.end, mover)
        return _anonymous(doc, motion.start(), made.end(), _mover_behind(doc, made.end()))
    return _motion_short(doc, motion, head)


_OWNER = pattern(r"'s\s+(?:original\s+|substitute\s+)?$")
_OWNER_MOVES = pattern(
    r"(?:\s+(?:to|that|for)\s[^.;,]{2,120}?)?\s+(?:was\s+|had\s+|has\s+)?"
    r"(?:failed|died|carried|passed|defeated|withdrawn|approved|lost)\b"
)


def _motion_of_owner(doc: DocumentText, motion: re.Match[str], position: int) -> MotionCue | None:
    """Read ``Commissioner Smith's motion to deny failed``: its own sentence tells the outcome."""
    mover = name_before(doc.text, position)
    if mover is None:
        return None
    cue = lead_cue(doc, mover.start, motion.end(), mover)
    begin = doc.sentence_start(mover.start, 40)
    cue.done = _ON.fullmatch(doc.lower, begin, mover.start) is not None
    return cue if cue.done or _OWNER_MOVES.match(doc.lower, motion.end()) else None


_ON = pattern(r"(?:up)?on\s+")


_SECONDING = pattern(r"\bseconded\s+(?:the|a|that)\s+$")
_MADE_BY = pattern(r"\s+(?:which\s+was\s+|that\s+was\s+)?(?:made|offered)\s+by\s+")


def _seconded_motion(doc: DocumentText, motion: re.Match[str], verb: int) -> MotionCue | None:
    """Read ``Mr. Jones seconded the motion made by Mr. Smith``."""
    by = _MADE_BY.match(doc.lower, motion.end())
    mover = doc.name_at(by.end()) if by else None
    seconder = name_before(doc.text, verb)
    if mover is None or seconder is None:
        return None
    return lead_cue(doc, seconder.start, mover.end, mover, seconder)


def _in_brackets(doc: DocumentText, position: int) -> Name | None:
    """Return the name of ``made (Smith)``."""
    if doc.text[position : position + 2].strip() != "(":
        return None
    name = doc.name_at(position + 2)
    return name if name is not None and doc.text[name.end : name.end + 1] == ")" else None


def _motion_by(doc: DocumentText, motion: re.Match[str], by: re.Match[str]) -> MotionCue | None:
    name = doc.name_at(by.end())
    if name is None or name.start - by.end() > 40:
        unnamed = by["by"] == "by" and re.match(
            r"\s*(?:the|a|an|acclamation|voice)\b", doc.lower[by.end() : by.end() + 20]
        )
        made = re.search(r"\b(?:made|moved|offered)\b", by[0])
        return _anonymous(doc, motion.start(), by.end()) if made and not unnamed else None
    seconder = pair(doc, name) if by["both"] or slash_follows(doc, name) else None
    start = _with_article(doc, motion.start())
    cue = lead_cue(doc, start, (seconder or name).end, name, seconder)
    cue.done = doc.lower.startswith(("on ", "upon "), start)
    return cue


def _with_article(doc: DocumentText, start: int) -> int:
    article = re.search(
        r"(?:\b(?:up)?on\s+(?:a\s+|the\s+)?|\b(?:a|the)\s+(?:substitute\s+|main\s+|second\s+"
        r"|first\s+)?)$",
        doc.lower[max(0, start - 24) : start],
    )
    return max(0, start - 24) + article.start() if article else start


def _by_subject(doc: DocumentText, verb: int, end: int) -> MotionCue | None:
    """Read ``Director Daly made the motion``: the mover stands before the verb."""
    lower = doc.lower
    edge = edge_of_subject(lower, verb)
    name = _subject(doc, edge)
    if name is not None and doc.text[name.start - 1 : name.start] == "/":
        first = name_before(doc.text, name.start - 1)
        return lead_cue(doc, first.start, end, first, name) if first else None
    if name is not None and (mover := _before_seconder(doc, name)):
        return lead_cue(doc, mover.start, end, mover, name)
    if name is not None:
        return lead_cue(doc, name.start, end, name)
    if offered := _OFFERED_AND.search(lower, max(0, edge - 200), edge):
        name = name_before(doc.text, offered.start())
        return lead_cue(doc, name.start, end, name) if name else None
    if apposition := _APPOSITION.search(doc.text[max(0, edge - 110) : edge]):
        name = name_before(doc.text, max(0, edge - 110) + apposition.start())
        return lead_cue(doc, name.start, end, name) if name else None
    pronoun = re.search(r"\b(?:he|she|they)\s*$", lower[max(0, edge - 8) : edge])
    if pronoun is None:
        return None
    speaker = _speaker(doc, edge)
    return lead_cue(doc, edge - len(pronoun[0]), end, speaker) if speaker else None


def _before_seconder(doc: DocumentText, name: Name) -> Name | None:
    """Return the mover of ``Smith, seconded by Jones, moved``."""
    floor = max(0, name.start - 40)
    by = _SECONDED_BY.search(doc.lower[floor : name.start])
    return name_before(doc.text, floor + by.start()) if by else None


_SECONDED_BY = pattern(r",?\s+(?:duly\s+)?second(?:ed)?\s+by\s+$")
_OFFERED_AND = pattern(
    r"\s+(?:then\s+)?(?:offered|introduced|presented|read|submitted|sponsored|proposed)\s[^.;]{0,140}"
    r"\band\s+$"
)
_APPOSITION = pattern(
    r",\s+(?:Chair|Vice|President|Mayor|Member|Secretary|Treasurer|Clerk"
    r"|Moderator)[^,.;]{0,70},\s*$"
)


def _subject(doc: DocumentText, edge: int) -> Name | None:
    """Return the name before a verb; the first of ``Directors Smith and Jones``."""
    name = name_before(doc.text, edge)
    if name is None or name.titled:
        return name
    several = names_before(doc.text, edge)
    first = several[0]
    title = doc.lower[first.start : first.end].split()[0]
    return first if first.titled and title.endswith("s") and len(title) > 4 else name


def _speaker(doc: DocumentText, position: int) -> Name | None:
    """Return who the pronoun stands for: the name that begins this sentence."""
    start = doc.sentence_start(position, 600)
    name = doc.name_at(start)
    return name if name is not None and name.start - start < 5 else None


def _anonymous(
    doc: DocumentText, start: int, end: int, mover: Name | None = None
) -> MotionCue | None:
    before = doc.lower[doc.sentence_start(start) : start]
    if re.search(
        r"\b(?:if|when|once|until|unless|whether|would|should|must|may|after)\b[^,]{0,40}$", before
    ):
        return None
    return lead_cue(doc, _with_article(doc, start), end, mover)


_MOTION_COLON = pattern(r"\s*(?P<both>/\s*second(?:ed)?(?:er)?)?\s*(?:by)?\s*[:\-]\s*")
_AFTER_MOVER = pattern(r"\s*(?:[,;/(.]|\n|$|second(?:ed\s+by)?\b|2nd|-)", re.I)


_SIDE = pattern(r"\b(?:for|against|favou?r\s+of|opposed\s+to|opposing|seconding)\s+(?:the\s+)?$")
_VOTE_FOLLOWS = pattern(
    r"[\s,:(\-\"]{1,8}(?:voted\s+)?\"?(?:yes|aye|yea|no|nay|abstain\w*|absent|recused)\b"
)


def _motion_short(doc: DocumentText, motion: re.Match[str], head: str) -> MotionCue | None:
    """Read ``Motion: Smith; Second: Jones``, ``Motion Smith, second Jones``, ``Motion to``."""
    lower = doc.lower
    if _SIDE.search(head):
        return None
    colon = _MOTION_COLON.match(lower, motion.end())
    position = colon.end() if colon else motion.end()
    name = doc.name_at(position) if lower[position : position + 2].strip() else None
    if name is not None and _VOTE_FOLLOWS.match(lower, name.end):
        return None
    if name is not None and _AFTER_MOVER.match(doc.text, name.end):
        slash = slash_follows(doc, name)
        seconder = pair(doc, name) if slash or (colon and colon["both"]) else None
        near = lower[name.end : name.end + 60]
        if colon or seconder is not None or re.search(r"second|2nd", near):
            cue = lead_cue(doc, motion.start(), (seconder or name).end, name, seconder)
            cue.needs = "second" if seconder is None and "second" not in near else ""
            return cue
    opening = re.match(r"\s+(?:to|for|that)\s+[a-z]", lower[motion.end() : motion.end() + 12])
    return _motion_to(doc, motion, head) if opening and _BEGINS.search(head) else None


_BEGINS = pattern(
    r"(?:^|[\n.:;)\-]|\b(?:a|the|on|upon)(?:\s+(?:original|main|amended|second|first|new))?)\s*$"
)
_OWN_SECOND = pattern(r"\bseconded\b|\bsecond\s+by\b|\b2nd\b")
_OWN_MOVER = pattern(r"[\s,]{1,4}(?:(?:was\s+)?(?:made|moved|offered)\s+)?by\s+(?=[^\W\d_])")


_NEXT_TO = pattern(r"[\s,;.]{0,6}(?:and\s+|with\s+a\s+|it\s+was\s+|was\s+)?")


def _next_to(doc: DocumentText, mover: Name, second: re.Match[str]) -> bool:
    """Whether the second follows the mover's name, if in a sentence of its own."""
    return _NEXT_TO.fullmatch(doc.lower, mover.end, max(mover.end, second.start())) is not None


def _mover_behind(doc: DocumentText, start: int) -> Name | None:
    """Return the mover of ``was made to pay the bills by Smith and seconded by``."""
    second = _OWN_SECOND.search(doc.lower, start, start + 200)
    limit = min(second.start(), doc.sentence_end(start, 200)) if second else start
    by = last_match(_OWN_MOVER, doc.lower, start, limit)
    mover = doc.name_at(by.end()) if by else None
    near = mover is not None and second is not None and _next_to(doc, mover, second)
    return mover if near else None


_WORDS_AND_COLON = pattern(r"[^.:;\n]{3,80}[:\-]\s{1,3}")


def _motion_of_two(doc: DocumentText, motion: re.Match[str]) -> MotionCue | None:
    """Read ``Motion to adjourn: Smith/Jones``."""
    words = _WORDS_AND_COLON.match(doc.lower, motion.end())
    mover = doc.name_at(words.end()) if words else None
    if mover is None or not slash_follows(doc, mover):
        return None
    return lead_cue(doc, motion.start(), motion.end(), mover, pair(doc, mover))


_TOLD = pattern(r"\b(?:carried|carries|passed|passes|failed|fails|defeated|lost|approved)\b")


def _motion_to(doc: DocumentText, motion: re.Match[str], head: str) -> MotionCue:
    """Read ``Motion to approve was made by Smith and seconded by Jones``, or only ``Motion to``."""
    limit = doc.sentence_end(motion.end(), 200)
    second = _OWN_SECOND.search(doc.lower, motion.end(), motion.end() + 240)
    mover, by = None, None
    if second is not None:
        by = last_match(_OWN_MOVER, doc.lower, motion.end(), min(second.start(), limit))
        mover = doc.name_at(by.end()) if by else None
        if second.start() > limit and (mover is None or not _next_to(doc, mover, second)):
            mover, by, second = None, None, None
    cue = _motion_of_two(doc, motion) or lead_cue(doc, motion.start(), motion.end(), mover)
    cue.words_end = by.start() if by and mover else 0
    cue.strength = FIRM if second else SOFT
    cue.reference = re.search(r"\b(?:the|on|upon)\s+$", head) is not None
    cue.has_outcome = second is None and _TOLD.search(doc.lower, motion.end(), limit) is not None
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


def _moved_cues(doc: DocumentText) -> Iterator[MotionCue]:
    for moved in _MOVED.find(doc.lower):
        cue = _moved_cue(doc, moved)
        if cue is not None:
            yield cue


def _moved_cue(doc: DocumentText, moved: re.Match[str]) -> MotionCue | None:
    lower = doc.lower
    head = lower[max(0, moved.start() - 30) : moved.start()]
    if moved[0] == "move":
        return None
    by = _MOVED_BY.match(lower, moved.end())
    if by and not (by["both"] and _has_subject(doc, moved)):
        cue = _moved_by(doc, moved, by)
        if cue is not None:
            return cue
    if re.search(r"\b(?:it\s+was|was|been)\s+(?:\w+ly\s+)?$", head) or (
        moved[0] == "moved"
        and _SECONDED_NEXT.match(lower, moved.end())
        and not name_before(doc.text, moved.start())
    ):
        seconded = _SECONDED_NEXT.match(lower, moved.end())
        if not seconded and not re.search(r"\bit\s+was\s+(?:\w+ly\s+)?$", head):
            return None
        start = _with_it_was(doc, moved.start())
        return lead_cue(doc, start, moved.end(), _mover_behind(doc, moved.end()))
    if _NOT_MOTION.match(lower, moved.end()):
        return None
    return _moved_by_subject(doc, moved)


def _moved_by(doc: DocumentText, moved: re.Match[str], by: re.Match[str]) -> MotionCue | None:
    """Read ``moved by Smith`` and ``moved and seconded by Smith and Jones``.

    One name behind both verbs is the seconder's; who moved is not told.
    """
    name = doc.name_at(by.end())
    if name is None or name.start - by.end() >= 40:
        return None
    seconder = pair(doc, name) if by["both"] or slash_follows(doc, name) else None
    start = _with_it_was(doc, moved.start())
    if by["both"] and seconder is None:
        return lead_cue(doc, start, moved.end(), None)
    return lead_cue(doc, start, (seconder or name).end, name, seconder)


def _has_subject(doc: DocumentText, moved: re.Match[str]) -> bool:
    """Whether a name stands before the verb, in its line or with the sentence going on."""
    edge = edge_of_subject(doc.lower, moved.start())
    name = name_before(doc.text, edge)
    if name is None:
        return False
    return doc.text[moved.start()].islower() or "\n" not in doc.text[name.end : edge + 1]


def _with_it_was(doc: DocumentText, start: int) -> int:
    head = re.search(
        r"(?:\bit\s+)?(?:\bwas\s+)(?:\w+ly\s+)?$", doc.lower[max(0, start - 24) : start]
    )
    return max(0, start - 24) + head.start() if head else start


def _moved_by_subject(doc: DocumentText, moved: re.Match[str]) -> MotionCue | None:
    what = _MOVED_WHAT.match(doc.lower, moved.end())
    printed = doc.text[moved.start()]
    if printed.isupper() and (cue := _moved_name(doc, moved)):
        return cue
    if what is None:
        return None
    if what["verb"] and doc.text[what.start("verb")].isupper() and printed.islower():
        return None
    cue = _by_subject(doc, moved.start(), moved.end())
    if cue is None and printed.isupper() and what["verb"]:
        cue = lead_cue(doc, moved.start(), moved.end(), None)
        cue.strength = SOFT
    return cue


def _moved_name(doc: DocumentText, moved: re.Match[str]) -> MotionCue | None:
    """Read ``Moved Smith, seconded Jones`` and ``Moved Cr Smith``."""
    name = doc.name_at(moved.end())
    if name is None or name.start - moved.end() > 4:
        return None
    near = doc.lower[name.end : name.end + 80]
    if not re.match(r"\s*[,;./\n\-(]?\s*(?:and\s+)?(?:second|2nd|that\b|/)", near):
        return None
    seconder = pair(doc, name) if near.lstrip().startswith("/") else None
    return lead_cue(doc, moved.start(), (seconder or name).end, name, seconder)


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


def _proposed_cues(doc: DocumentText) -> Iterator[MotionCue]:
    for proposed in _PROPOSED.find(doc.lower):
        if proposed["noun"] and not _ON_THE.search(
            doc.lower[max(0, proposed.start() - 8) : proposed.start()]
        ):
            continue
        if _COURTESY_VOTE.search(doc.lower[proposed.end() : proposed.end() + 40]):
            continue
        if proposed["subject"]:
            cue = _by_subject(doc, proposed.start(), proposed.end())
            bracket = doc.text[max(0, proposed.start() - 1) : proposed.start()] == "("
            if cue is None and (bracket or doc.text[proposed.start()].isupper()):
                cue = _moved_name(doc, proposed)
        else:
            name = doc.name_at(proposed.end())
            if name is None or name.start - proposed.end() > 40:
                continue
            seconder = pair(doc, name) if proposed["both"] else None
            cue = lead_cue(
                doc,
                _with_it_was(doc, proposed.start()),
                (seconder or name).end,
                name,
                seconder,
            )
        if cue is not None:
            cue.needs = "second" if cue.seconder is None and not proposed["act"] else ""
            cue.done = proposed["noun"] is not None
            yield cue


_VOTE_TAKEN = pattern(r"vote\s+(?:was|is)\s+(?:taken|held|called)\s+to\s+(?=[a-z])")
_HOW = pattern(r"\b(?:an?\s+)?(?P<how>voice|roll[\s-]call|hand)\s+$|\ba\s+$")


def _vote_taken_cues(doc: DocumentText) -> Iterator[MotionCue]:
    """Yield a cue for ``A voice vote was taken to adjourn``."""
    for taken in _VOTE_TAKEN.finditer(doc.lower):
        floor = max(0, taken.start() - 20)
        before = _HOW.search(doc.lower[floor : taken.start()])
        start = floor + before.start() if before else taken.start()
        cue = lead_cue(doc, start, taken.end(), None)
        cue.strength = FIRM
        how = before["how"] if before else None
        cue.vote_type = "voice" if how == "voice" else "roll_call" if how else ""
        cue.flags.add("no_mover")
        yield cue
