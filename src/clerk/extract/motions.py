"""Read who moved and who seconded a motion, in the many ways minutes write it.

Each rule reads one way of writing; the tables at the end list them with examples.
"""

from __future__ import annotations

from collections.abc import Iterator

from rapidfuzz.distance import DamerauLevenshtein

from clerk.core import lazy_re as re

from .ballots import tally_in
from .cues import FIRM, SOFT, STRONG, Cue, DocumentText, MotionCue, Rule, SecondCue, find_cues
from .names import Name
from .text import Phrase, end_without, indent_start, last_match, line_start, pattern

_SUBSTITUTE = pattern(r"\bsubstitute\b|\balternate\s+motion|\bin\s+lieu\b|\bdifferent\s+motion")
_AMENDMENT = pattern(
    r"\b(?:motion|moved?)\s+to\s+amend\b|\bamend\s+the\s+motion"
    r"|\b(?:as|by\s+way\s+of)\s+an\s+amendment,|\bmotion\s+be\s+amended|\bmotion\s+for\s+(?:an\s+)?amendment|\b(?:moved|proposed|offered)\s+"
    r"(?:(?:as\s+)?an|the\s+following)\s+amendment|\bamendment\s+(?:was\s+)?(?:moved|proposed|made)"
)
_ONLY_SECONDED = pattern(r"[,;]?\s*(?:and\s+)?second(?:ed|er)?(?:\s+by)?\s*:?\s*[^,;:]{2,40}\.")


#: A line with mover and seconder, and below it nothing that they move.
_NAMES_LINE = pattern(
    r"(?:proposed|moved)(?: by)? ?: [^\n]{3,40}?\s+seconded(?: by)? ?: [^\n.]{3,40}\.?[ ]*(?:\n|$)"
    r"(?!\s*(?:\W?that\b|be\s+it|\W?resolved|\W?to\s|motion|it\s+was|whereas|carried|approved|\"))"
)


def _motion_cue(
    doc: DocumentText,
    start: int,
    mover: Name | None,
    seconder: Name | None = None,
    end: int | None = None,
) -> MotionCue:
    """Return the cue of a motion, the names as the roster spells them.

    It ends after the last name unless ``end`` is given.
    """
    named = seconder or mover
    if end is None:
        assert named is not None
        end = named.end
    cue = MotionCue(start, end)
    cue.bracket = doc.text[max(0, start - 1) : start] == "("
    cue.at_line_start = indent_start(doc.text, start, 60) is not None
    cue.names_below = cue.at_line_start and _NAMES_LINE.match(doc.lower, start) is not None
    cue.mover, flags = doc.roster.surname(mover)
    cue.seconder, more_flags = doc.roster.surname(seconder)
    cue.flags = flags | more_flags
    if mover is not None and "second" in doc.lower[end : end + 16]:
        after = end + doc.lower.startswith(";", end)
        rest = doc.lower[end : doc.sentence_end(after, 90)].rstrip(" )\n")
        cue.only_names = _ONLY_SECONDED.fullmatch(rest) is not None
    nearby = doc.lower[max(0, start - 30) : doc.sentence_end(end, 90)]
    if _SUBSTITUTE.search(nearby):
        cue.about = "substitute"
    elif "amend" in nearby and _AMENDMENT.search(nearby):
        cue.about = "amendment"
    return cue


def _second_cue(doc: DocumentText, start: int, end: int, name: Name) -> SecondCue:
    """Return the cue of a second, the name as the roster spells it."""
    cue = SecondCue(start, end)
    cue.seconder, cue.flags = doc.roster.surname(name)
    return cue


_AND_NAME = pattern(
    r"\s{0,6}(?:,?\s*(?:and\b|&)|[/,])\s{0,6}(?:seconded\s+by\s+|second\s+by\s+)?", re.I
)
_ADVERBS = pattern(
    r"(?:(?:\b(?:then|also|so|again|therefore|thereafter|thereupon|hereby|has|had|would"
    r"|would\s+then|formally|subsequently|now|further|first|next)\b|,)\s*)+$"
)
_NOTE = pattern(r"\s{0,3}\([^()\n]{1,30}\)\s{0,3}$")
_BRACKET = re.compile(r" {0,3}\((?=[A-Z][^()\n]{1,28}\))")
_SPEAKS = pattern(r"\s+(?:made|moved|moves|makes|motioned|asked|stated|said)\b")


def _pair(doc: DocumentText, name: Name) -> Name | None:
    """Return the second of ``Smith and Jones`` or ``Smith/Jones``, after the first."""
    link = _AND_NAME.match(doc.text, name.end)
    return doc.name_at(link.end()) if link else None


def _speaks(doc: DocumentText, name: Name) -> bool:
    """Whether a name after a label begins a sentence of its own."""
    return _SPEAKS.match(doc.lower[name.end : name.end + 16]) is not None


def _subject_end(lower: str, verb: int) -> int:
    """Return where the subject of a verb ends, adverbs and ``(Ward 2)`` skipped."""
    for skipped in (_ADVERBS, _NOTE):
        found = skipped.search(lower, max(0, verb - 40), verb)
        verb = found.start() if found else verb
    return verb


_SECONDED_BY = pattern(r",?\s+(?:duly\s+)?second(?:ed)?\s+by\s+$")
_OFFERED_AND = pattern(
    r"\s+(?:then\s+)?(?:offered|introduced|presented|read|submitted|sponsored"
    r"|proposed|reviewed|discussed|explained|summari[sz]ed)\s(?:[^.;]|\bno\.){0,140}\band\s+$"
)
_APPOSITION = pattern(
    r",\s+(?:(?:the|an?)\s+)?(?:(?:acting|deputy)\s+)?(?:chair|vice|president|mayor|member|secretary"
    r"|treasurer|clerk|moderator)[^,.;]{0,70},\s*(?:then\s+)?$",
    re.I,
)
_RESPECTIVELY = pattern(r",?\s+respectively,?\s*$")
_PRONOUN = pattern(r"\b(?:he|she|they)\s*$")


def _begins_line(text: str, name: Name, verb: int) -> bool:
    """Whether a verb begins a new line with a capital: a heading above it moves nothing."""
    return text[verb].isupper() and "\n" in text[name.end : verb]


def _moved_by_subject(doc: DocumentText, verb: int, end: int) -> MotionCue | None:
    """Read ``Director Daly made the motion``: the mover precedes the verb."""
    lower, text = doc.lower, doc.text
    edge = _subject_end(lower, verb)
    if respectively := _RESPECTIVELY.search(lower, max(0, edge - 20), edge):
        # ``Councilors Smith and Jones, respectively, moved and seconded``
        both = doc.names_before(respectively.start())
        if len(both) != 2:
            return None
        return _motion_cue(doc, both[0].start, both[0], both[1], end=end)
    name = doc.name_before(edge)
    if name is not None and _begins_line(text, name, verb):
        name = None
    if name is not None and (bracket := _BRACKET.match(text, name.end)):
        # ``Smith (Jones) moved``: a member in brackets is who seconded.
        second = doc.name_at(bracket.end())
        if second is not None and text.startswith(")", second.end) and _are_members(doc, second):
            return _motion_cue(doc, name.start, name, second, end=end)
    if name is not None and not name.titled:
        # ``Directors Smith and Jones moved``: the first moved, and nobody else is to second.
        both = doc.names_before(edge)
        first = both[0]
        title = lower[first.start : first.end].split()[0]
        plural = (title.endswith("s") and len(title) > 4) or title.endswith("men")
        if first.titled and plural:
            alone = "second" not in lower[end : end + 200]
            seconder = name if len(both) == 2 and alone else None
            return _motion_cue(doc, first.start, first, seconder, end=end)
    if name is not None:
        floor = max(0, name.start - 40)
        if text[name.start - 1 : name.start] == "/":
            mover = doc.name_before(name.start - 1)
            return _motion_cue(doc, mover.start, mover, name, end=end) if mover else None
        by = _SECONDED_BY.search(lower[floor : name.start])
        if by and (mover := doc.name_before(floor + by.start())):
            return _motion_cue(doc, mover.start, mover, name, end=end)
        return _motion_cue(doc, name.start, name, end=end)
    if offered := _OFFERED_AND.search(lower, max(0, edge - 200), edge):
        name = doc.name_before(offered.start())
        return _motion_cue(doc, name.start, name, end=end) if name else None
    if apposition := _APPOSITION.search(text[max(0, edge - 110) : verb]):
        name = doc.name_before(max(0, edge - 110) + apposition.start())
        if name is None or lower.endswith("of ", 0, name.start):
            return None
        return _motion_cue(doc, name.start, name, end=end)
    if pronoun := _PRONOUN.search(lower[max(0, edge - 8) : edge]):
        # The pronoun is the name that begins the sentence.
        start = doc.sentence_start(edge, 600)
        name = doc.name_at(start)
        if name is not None and name.start - start < 5:
            return _motion_cue(doc, edge - len(pronoun[0]), name, end=end)
    return None


_MANNER = (
    r"(?:duly\s+|then\s+|also\s+|properly\s+|regularly\s+|again\s+|further\s+|so\s+"
    r"|first\s+|thereafter\s+|thereupon\s+)"
)
_MADE = (
    r"(?:made|offered|introduced|presented|proposed|put\s+forward|put|moved|submitted"
    r"|entered|brought|initiated|given)"
)
_MOTION = Phrase("motion", r"motion(?:ed|s)?\b")
_SECONDING = pattern(r"\bseconded\s+(?:the|a|that)\s+$")
_MADE_BY = pattern(r"\s+(?:which\s+was\s+|that\s+was\s+)?(?:made|offered)\s+by\s+")
_ASKED = pattern(
    r"\b(?:request\w*|call\w*\s+for|ask\w*\s+for|entertain\w*|seek\w*|need\w*|look\w*\s+for"
    r"|want\w*|suggest\w*|recommend\w*|draft|sample|possible|proposed|notice\s+of|second\w*"
    r"|restat\w*|support\w*|withdr\w*|amend\w*|clarif\w*|repeat\w*|rescind\w*)\s+(?:a|the|an"
    r"|his|her|of|for|that|this|any|on|to|your)?\s*(?:[a-z]+\s+){0,1}$"
)
_MADE_SECONDED = pattern(
    r"\bmade,?\s+(?P<who>[^,.;\n]{2,30}?)\s+(?:2nd|second(?:ed)?),?\s+(?:the\s+|a\s+)?$"
)
#: ``called for a vote on the motion offered by Smith``: it has been made before.
_VOTE_ON = pattern(
    r"\b(?:(?:vote|question|roll)\s+(?:was\s+\w+\s+|be\s+\w+\s+)?"
    r"|voted\s+(?:yes|no|aye|nay|for|against)\b[^.;]{0,30})on\s+the\s+(?P<which>\w+\s+)?$"
)
_OWNER = pattern(r"'s\s+(?:original\s+|substitute\s+)?$")
_OWNER_MOVES = pattern(
    r"(?:\s+(?:to|that|for)\s[^.;,]{2,120}?)?,?\s+(?:was\s+|had\s+|has\s+)?"
    r"(?:failed|died|carried|passed|defeated|withdrawn|approved|lost|(?:duly\s+)?seconded)\b"
)
_ON = pattern(r"(?:up)?on\s+")
_MOTION_BY = pattern(
    rf"(?:\s+(?:no\.?\s*)?[a-z]{{0,3}}-?\d[\d\-./]{{0,10}})?\s*(?::\s+)?(?:was\s+|is\s+|were\s+|being\s+"
    rf"|having\s+been\s+)?{_MANNER}?(?:{_MADE}\s+)?(?:forward\s+)?"
    rf"(?:at\s+\d{{1,2}}[:.]\d\d\s*(?:[ap]\.?m\.?)?,?\s+)?(?P<both>(?:and|&"
    rf"|/)\s*{_MANNER}?second(?:ed)?\s+)?(?:was\s+)?(?:made\s+)?(?P<by>by|from|of)\b\s*:?"
)
_MAKES = pattern(
    r"\b(?:made|makes|make|offered|offers|introduced|presented|put\s+forward|put|entered"
    r"|proposed|brought|gave|moved|advanced)\s+(?:forward\s+)?(?:a|the|an|his|her|this|another"
    r"|that)?\s*(?:[a-z\-]+\s+){0,2}$"
)
_MOTION_MADE = pattern(
    rf"\s*(?:was\s+|is\s+|were\s+|having\s+been\s+|being\s+)?{_MANNER}?(?:made|offered|moved"
    rf"|put\s+forward|presented|proposed"
    rf"|introduced)\b(?P<second>\s*,?\s*(?:and\s+)?{_MANNER}?seconded)?"
)
#: ``Motion: To continue the hearing was made and seconded.``
_MADE_AND_SECONDED = pattern(
    r"(?P<colon>\s{0,3}:)\s{1,3}to\s(?:[^.:\n]|\n(?!\s*\n)){3,240}?\s(?P<made>(?:was|were)\s+(?:duly\s+)?(?:made|moved)"
    r"\s+and\s+(?:duly\s+)?seconded)\b"
)
_AND_SECONDED_BY = pattern(r",?\s+(?:and\s+)?(?:was\s+)?seconded\s+by\b")
#: ``Motion maue ny Councilmember Smith``: as many letters may be misread.
_MISREAD_MADE_BY = pattern(r"\s(?P<said>[a-z]{3,5}\s[a-z]{2})\s{1,2}(?=[a-z])")
_MISREAD = 2
_NOBODY = pattern(r"\s*(?:the|a|an|acclamation|voice)\b")
_MOTIONED_BY = pattern(r"(?:\s+for\s+(?:the\s+)?\w+)?\s+by\s+")
_WHETHER = pattern(r"\b(?:whether|if)\s+(?:a|the|his|her)\s+$")
_PLURAL_TITLE = pattern(
    r"(?:councill?ors|crs|cllrs|commissioners|trustees|directors|supervisors|council\s?members"
    r"|aldermen|selectmen|messrs)\b"
)
_WAS_MADE = pattern(r"\b(?:made|moved|offered)\b")


def motion_noun(doc: DocumentText, motion: re.Match[str]) -> MotionCue | None:
    """Read the noun with its verb: a motion is made by, of, or by the subject."""
    lower, start, end = doc.lower, motion.start(), motion.end()
    head = lower[max(0, start - 70) : start]
    if motion[0] == "motioned":
        if by := _MOTIONED_BY.match(lower, end):
            mover = doc.name_at(by.end())
            if mover is not None and mover.start - by.end() < 4:
                return _motion_cue(doc, doc.sentence_start(start, 120), mover)
        return _moved_by_subject(doc, start, end)
    if seconding := _SECONDING.search(head):
        by = _MADE_BY.match(lower, end)
        mover = doc.name_at(by.end()) if by else None
        seconder = doc.name_before(start - len(seconding[0]))
        if mover is None or seconder is None:
            return None
        return _motion_cue(doc, seconder.start, mover, seconder, end=mover.end)
    if made_seconded := _MADE_SECONDED.search(head):
        # ``Smith made, Jones 2nd motion to adjourn``
        mover = doc.name_before(start - len(head) + made_seconded.start())
        seconder = doc.name_at(start - len(head) + made_seconded.start("who"))
        if mover is not None and seconder is not None and _are_members(doc, mover, seconder):
            return _motion_cue(doc, mover.start, mover, seconder, end=end)
    # ``fails for lack of a second`` in the line above asks for nothing.
    own_line = doc.text[start].isupper() and head.rstrip(" ").endswith("\n")
    if not own_line and (_ASKED.search(head) or head.endswith("no ")):
        return None
    if (vote := _VOTE_ON.search(head)) and not (vote["which"] and not _MOTION_BY.match(lower, end)):
        return None
    if owner := _OWNER.search(head):
        mover = doc.name_before(start - len(owner[0]))
        if mover is None:
            return None
        cue = _motion_cue(doc, mover.start, mover, end=end)
        begin = doc.sentence_start(mover.start, 40)
        cue.done = _ON.fullmatch(lower, begin, mover.start) is not None
        return cue if cue.done or _OWNER_MOVES.match(lower, end) else None
    by = _MOTION_BY.match(lower, end)
    makes = _MAKES.search(head)
    if by and by["both"] and makes:
        # ``Smith made a motion and seconded by Jones``
        return _moved_by_subject(doc, start - len(head) + makes.start(), end)
    if by:
        if _WHETHER.search(head):
            return None
        mover = doc.name_at(by.end())
        if mover is None or mover.start - by.end() > 40:
            nobody = by["by"] == "by" and _NOBODY.match(lower[by.end() : by.end() + 20])
            made_by = _WAS_MADE.search(by[0])
            return _motion_of(doc, start, by.end(), None) if made_by and not nobody else None
        slash = doc.text.startswith("/", mover.end)
        # ``On the motion of Councillors Smith and Jones``
        both = by["both"] or slash or _PLURAL_TITLE.match(lower, mover.start)
        seconder = _pair(doc, mover)
        if seconder is not None and not both:
            # ``On motion of Mr. Smith and Mrs. Jones, the meeting adjourned``
            titled = by["by"] == "of" and mover.titled and seconder.titled
            seconder = seconder if titled and doc.text.startswith(",", seconder.end) else None
        cue = _motion_cue(doc, _article_start(lower, start), mover, seconder)
        cue.done = lower.startswith(("on ", "upon "), cue.start)
        cue.resolved = cue.done and lower.endswith("resolved ", 0, cue.start)
        return cue
    misread = _MISREAD_MADE_BY.match(lower, end)
    if misread and DamerauLevenshtein.distance(misread["said"], "made by") <= _MISREAD:
        mover = doc.name_at(misread.end())
        if mover is not None and mover.titled and mover.start == misread.end():
            return _motion_cue(doc, _article_start(lower, start), mover)
    if makes:
        return _moved_by_subject(doc, start - len(head) + makes.start(), end)
    if long := _MADE_AND_SECONDED.match(lower, end):
        cue = _motion_cue(doc, start, None, end=long.end("colon"))
        cue.words_end, cue.strength = long.start("made"), FIRM
        return cue
    if made := _MOTION_MADE.match(lower, end):
        if doc.text[made.end() : made.end() + 2].strip() == "(":
            mover = doc.name_at(made.end() + 2)
            if mover is not None and doc.text.startswith(")", mover.end):
                return _motion_cue(doc, _article_start(lower, start), mover)
        lost = doc.name_at(made.end())
        if lost and lost.start - made.end() < 3 and _AND_SECONDED_BY.match(lower, lost.end):
            # ``Motion was made Smith and seconded by Jones``
            return _motion_cue(doc, _article_start(lower, start), lost)
        return _motion_of(doc, start, made.end(), _mover_after(doc, made.end()))
    return _motion_without_verb(doc, motion, head)


_ARTICLE = pattern(
    r"(?:\b(?:up)?on\s+(?:a\s+|the\s+)?"
    r"|\b(?:a|the)\s+(?:substitute\s+|main\s+|second\s+|first\s+)?)$"
)
_CONDITION = pattern(
    r"\b(?:if|when|once|until|unless|whether|would|should|must|may|after)\b[^,]{0,40}$"
)


def _article_start(lower: str, start: int) -> int:
    """Return where ``on a``, ``the main`` and the like begin before a noun."""
    floor = max(0, start - 24)
    article = _ARTICLE.search(lower[floor:start])
    return floor + article.start() if article else start


def _motion_of(doc: DocumentText, start: int, end: int, mover: Name | None) -> MotionCue | None:
    """Return the cue of a motion that was made, unless it is only talked about."""
    if _CONDITION.search(doc.lower[doc.sentence_start(start) : start]):
        return None
    return _motion_cue(doc, _article_start(doc.lower, start), mover, end=end)


_OWN_SECOND = pattern(r"\bseconded\b|\bsecond\s+by\b|(?<=[;,] )second\b|\b2 ?nd\b")
_OWN_MOVER = pattern(r"[\s,]{1,4}(?:(?:was\s+)?(?:made|moved|offered)\s+)?by\s+(?=[^\W\d_])")
_LONG_MOTION = pattern(
    r"(?:(?!\bmotion|\bmove[ds]\b|\n\s*\n|\bsecond)[^.])*;(?:(?!\bmotion|\bmove[ds]\b|\n\s*\n|\bsecond)[^.]){1,300}?"
    r"\s(?P<by>by\s+)(?=[^\s.;]{2,20}(?:\s[^\s.;]{2,20}){0,2}\.\s+seconded\s+by\b)"
)
_SECONDED_THEN = re.compile(r"\.\s+seconded\s+by\b")
_NEXT_TO = pattern(r"[\s,;.]{0,6}(?:and\s+|with\s+a\s+|it\s+was\s+|was\s+)?")


def _next_to(doc: DocumentText, mover: Name, second: re.Match[str]) -> bool:
    """Whether the second follows the mover's name, maybe in a sentence of its own."""
    return _NEXT_TO.fullmatch(doc.lower, mover.end, max(mover.end, second.start())) is not None


def _mover_after(doc: DocumentText, start: int) -> Name | None:
    """Return the mover of ``was made to pay the bills by Smith and seconded by``."""
    second = _OWN_SECOND.search(doc.lower, start, start + 200)
    if second is None:
        return None
    limit = min(second.start(), doc.sentence_end(start, 200))
    by = last_match(_OWN_MOVER, doc.lower, start, limit)
    mover = doc.name_at(by.end()) if by else None
    return mover if mover is not None and _next_to(doc, mover, second) else None


_SIDE = pattern(r"\b(?:for|against|favou?r\s+of|opposed\s+to|opposing|seconding)\s+(?:the\s+)?$")
#: Nobody is named: ``Motion and a second to pay the bills.``
_AND_A_SECOND = pattern(r"(?:\s+and\s+(?:a\s+)?|/)second(?:ed)?(?=\s+(?:to|that|for)\s)")
_BY = pattern(r"\bby\s{1,3}(?=[^\W\d_])")
_MOTION_COLON = pattern(r"\s*(?P<both>/\s*second(?:ed)?(?:er)?)?\s*(?:by)?\s*[:\-]\s*")
_VOTE_FOLLOWS = pattern(
    r"[\s,:(\-\"]{1,8}(?:voted\s+)?\"?(?:yes|aye|yea|no|nay|abstain\w*|absent|recused)\b"
)
_AFTER_MOVER = pattern(r"\s*(?:[,;/(.)]|\n|$|second(?:ed\s+by)?\b|2nd|-)", re.I)
_SECOND_NEAR = re.compile(r"second|2nd|[;,] support\b")
_MOTION_TO = pattern(r"\s+(?:to|for|that)\s+[a-z]")
_BEGINS = pattern(
    r"(?:^|[\n.:;)\-\u2022\u00b7\u25aa\u25cf]|\b(?:a|the|on|upon)(?:\s+(?:original|main|amended|second|first|new))?)\s*$"
)
_CAPITALS_END = re.compile(r"[A-Z]{3,}[)\d]{0,3} +$")
_WORDS_AND_COLON = pattern(r"[^.:;\n]{3,80}[:\-]\s{1,3}")
_OUTCOME_VERB = pattern(
    r"\b(?:carried|carries|passed|passes|failed|fails|defeated|lost|approved)\b"
)
#: ``A motion to adjourn by Smith died for lack of a second.``
_WENT_NO_FURTHER = pattern(r"\s+(?:was\s+)?(?:died|dies|failed|withdrawn)\b")
_REFERENCE = re.compile(r"\b(?:the|on|upon)\s+$")


def _motion_without_verb(doc: DocumentText, motion: re.Match[str], head: str) -> MotionCue | None:
    """Read ``Motion: Smith; Second: Jones``, ``Motion Smith, second Jones`` and ``Motion to``."""
    lower, start, end = doc.lower, motion.start(), motion.end()
    if _SIDE.search(head):
        return None
    if anonymous := _AND_A_SECOND.match(lower, end):
        by = last_match(_BY, lower, anonymous.end(), doc.sentence_end(anonymous.end(), 300))
        mover = doc.name_at(by.end()) if by else None
        seconder = _pair(doc, mover) if mover and doc.text.startswith("/", mover.end) else None
        if by and mover and seconder and mover.start == by.end():
            # ``Motion/second to approve the agenda by Commissioners Smith/Jones``
            cue = _motion_cue(doc, start, mover, seconder, end=anonymous.end())
            cue.words_end = by.start()
            return cue
        cue = _motion_cue(doc, _article_start(lower, start), None, end=anonymous.end())
        cue.strength = FIRM
        return cue
    colon = _MOTION_COLON.match(lower, end)
    position = colon.end() if colon else end
    name = doc.name_at(position) if lower[position : position + 2].strip() else None
    if name is not None and _VOTE_FOLLOWS.match(lower, name.end):
        return None
    if name is not None and _MOTION_TO.match(lower, name.end) and _are_members(doc, name):
        # ``Motion Smith to adopt the agenda. Second Jones.``
        return _motion_cue(doc, start, name)
    if name is not None and _AFTER_MOVER.match(doc.text, name.end):
        slash = doc.text.startswith("/", name.end)
        seconder = _pair(doc, name) if slash or (colon and colon["both"]) else None
        near = lower[name.end : name.end + 60]
        if colon or seconder is not None or _SECOND_NEAR.search(near):
            cue = _motion_cue(doc, start, name, seconder)
            # ``Motion: (Smith)`` is a motion without a second.
            bracket = near.startswith(")") and _are_members(doc, name)
            cue.needs = "" if seconder or bracket or _SECOND_NEAR.search(near) else "second"
            return cue
    if not _MOTION_TO.match(lower[end : end + 12]):
        return None
    subject = doc.name_before(start) if doc.text[start].islower() else None
    if subject is not None and _are_members(doc, subject):
        # ``Smith motion to continue the hearing, Jones second.``
        return _motion_cue(doc, subject.start, subject, end=end)
    # ``CONSENT AGENDA Motion to approve``: what precedes it is a heading.
    heading = doc.text[start].isupper() and _CAPITALS_END.search(
        doc.text[max(0, start - 12) : start]
    )
    if not heading and not _BEGINS.search(head):
        return None

    limit = doc.sentence_end(end, 200)
    long = _LONG_MOTION.match(lower, end, end + 600)
    if long and (name := doc.name_at(long.end())) and _SECONDED_THEN.match(lower, name.end):
        # ``Motion that the lot be rezoned; and that it be sold; by Smith. Seconded by Jones.``
        cue = _motion_cue(doc, start, name, end=end)
        cue.words_end = long.start("by")
        return cue
    second = _OWN_SECOND.search(lower, end, end + 240)
    mover, by, behind = None, None, None
    if second is not None:
        by = last_match(_OWN_MOVER, lower, end, min(second.start(), limit))
        mover = doc.name_at(by.end()) if by else None
        if second.start() > limit and (mover is None or not _next_to(doc, mover, second)):
            mover, second = None, None
    if mover is None and second is None:
        # ``Motion to pay the bills by Smith.``
        by = last_match(_OWN_MOVER, lower, end, limit)
        mover = doc.name_at(by.end()) if by else None
        if (
            mover is not None
            and doc.text[mover.end : limit].strip(" .")
            and not _WENT_NO_FURTHER.match(lower, mover.end)
        ):
            # ``Motion to pay the bills by Smith, Jones.``
            both = _pair(doc, mover)
            if (
                both
                and not doc.text[both.end : limit].strip(" .")
                and _are_members(doc, mover, both)
            ):
                behind = both
            else:
                mover = None
    if mover is None and head.rstrip().endswith(":"):
        # ``Smith: Motion to recess, seconded by Jones.``
        name = doc.name_before(start - len(head) + len(head.rstrip()) - 1)
        if name is not None and _are_members(doc, name):
            mover, by, start = name, None, name.start
    cue = _motion_cue(doc, start, mover, behind, end=end)
    words = _WORDS_AND_COLON.match(lower, end)
    name = doc.name_at(words.end()) if words else None
    if name is not None and doc.text.startswith("/", name.end):
        # ``Motion to adjourn: Smith/Jones``
        cue = _motion_cue(doc, start, name, _pair(doc, name), end=end)
    cue.words_end = by.start() if by and mover else 0
    cue.strength = FIRM if second or mover else SOFT
    cue.reference = _REFERENCE.search(head) is not None
    cue.has_outcome = second is None and _OUTCOME_VERB.search(lower, end, limit) is not None
    return cue


#: A title that lost the space before it: ``MovedDirector Smith``.
_TITLE_NEXT = r"(?=director|counc|cllr|commissioner|trustee|mayor|deputy|reeve|alder|member)"
_MOVED = Phrase(
    "move motioned",
    rf"move(?:[ds]\b|d{_TITLE_NEXT})"
    r"|motioned(?=\s*,\s*(?:and\s+)?seconded\b|(?:\s+[^\s,.]+){1,3},(?:\s+[^\s,.]+){1,3}\s+(?:2nd|second))",
)
_MOVED_BY = pattern(
    rf"\s*(?P<both>(?:and|&|/|,)?\s*{_MANNER}?second(?:ed)?)?\s*(?::\s*(?=by\b))?(?:by(?:\b|(?!law|pass))\s*:?|:|-|\()\s*"
)
_SECONDED_NEXT = pattern(
    rf"\s*(?:,|and|/|&)?\s*(?:and\s+)?{_MANNER}?(?:seconded|supported)\b(?!\s+by)"
)
_MOVED_WHAT = pattern(
    r"\s*(?:to\s+(?P<verb>[a-z\-]+)"
    r"|(?!during\b)[a-z]{2,}ing\b|that\b|for\b|the\b|accept\b|approve\b|adopt\b|approval|adoption|acceptance|denial"
    r"|as\s+an\s+amendment\b|refusal|rejection|deletion|deferral|postponement|referral|ratification|appointment|and\b|,|;"
    r"|\.|we\b|they\b|it\s+be\b|all\b|its\b|this\b|an?\b|item|resolution|ordinance|to\b|authoriz|passage|second|\("
    r"|bill|adjourn|in\s+favor|by\s+|council|agenda|staff|/|with\s)"
)
_NOT_MOTION = pattern(
    r"\s+(?:into|from|forward|on\b|out|away|up\b|here|in\b|over|back|through|his|her|around"
    r"|along|ahead|closer|quickly|toward|to\s+(?:reports?|items?|page|section|another)\b)",
)
_SLASH_SECONDED = pattern(r"\s?/\s?second(?:ed)?\s{1,3}(?=[a-z])")
_WAS = pattern(r"\b(?:it\s+was|was|been)\s+(?:\w+ly\s+)?$")
_IT_WAS = pattern(r"\bit\s+was\s+(?:\w+ly\s+)?$")
_WITH_IT_WAS = pattern(r"(?:\bit\s+)?(?:\bwas\s+)(?:\w+ly\s+)?$|\bil\s+est\s+$")


def moved_verb(doc: DocumentText, moved: re.Match[str]) -> MotionCue | None:
    """Read the verb: moved by somebody, it was moved, or somebody moved."""
    lower, text, start, end = doc.lower, doc.text, moved.start(), moved.end()
    by = _MOVED_BY.match(lower, end)
    if by and by["both"]:
        # ``Smith moved and seconded by Jones``: the mover precedes the verb.
        edge = _subject_end(lower, start)
        subject = doc.name_before(edge)
        if subject and (text[start].islower() or "\n" not in text[subject.end : edge + 1]):
            by = None
    name = doc.name_at(by.end()) if by else None
    if by and name is not None and name.start - by.end() < 40:
        slash = text.startswith("/", name.end)
        both = by["both"] or slash or _PLURAL_TITLE.match(lower, name.start)
        seconder = _pair(doc, name) if both else None
        begin = _it_was_start(lower, start)
        if by["both"] and seconder is None:
            # One name after both verbs is the seconder's; who moved is not said.
            return _motion_cue(doc, begin, None, end=end)
        return _motion_cue(doc, begin, name, seconder)
    if pair := _SLASH_SECONDED.match(lower, end):
        # ``Moved/seconded Smith/Jones to adjourn``
        name = doc.name_at(pair.end())
        seconder = _pair(doc, name) if name and name.start == pair.end() else None
        if seconder is not None:
            return _motion_cue(doc, start, name, seconder)
    head = lower[max(0, start - 30) : start]
    seconded = _SECONDED_NEXT.match(lower, end)
    above = doc.name_before(start) if seconded else None
    nobody = above is None or _begins_line(text, above, start)
    if seconded and "respectively" in head:
        return _moved_by_subject(doc, start, seconded.end())
    if _WAS.search(head) or (moved[0] != "moves" and seconded and nobody):
        if not seconded and not _IT_WAS.search(head):
            return None
        if not seconded and (cue := _moved_name(doc, moved)):
            return cue
        begin, mover = _it_was_start(lower, start), _mover_after(doc, end)
        return _motion_cue(doc, begin, mover, end=seconded.end() if seconded else end)
    if _NOT_MOTION.match(lower, end):
        return None
    if moved[0] == "moves" and _CONDITION.search(lower, doc.sentence_start(start), start):
        # ``If Mr. Smith moves and Mr. Jones seconds``
        return None
    capital = text[start].isupper()
    before = doc.name_before(start) if capital else None
    # ``Mr. A MOVED, Mr. B SECONDED``
    follows = before is not None and before.titled and not text[before.end : start].strip(" ")
    if capital and not follows and (cue := _moved_name(doc, moved)):
        return cue
    what = _MOVED_WHAT.match(lower, end)
    if what is None:
        return None
    if what["verb"] and text[start].islower():
        # ``moved to Springfield``, not ``moved to APPROVE``
        place = text[slice(*what.span("verb"))]
        if place[0].isupper() and not place.isupper():
            return None
    cue = _moved_by_subject(doc, start, end)
    if cue is None and capital and what["verb"]:
        cue = _motion_cue(doc, start, None, end=end)
        cue.strength = SOFT
    return cue


def _it_was_start(lower: str, start: int) -> int:
    """Return where ``it was duly`` begins before a verb."""
    floor = max(0, start - 24)
    head = _WITH_IT_WAS.search(lower[floor:start])
    return floor + head.start() if head else start


_DASH = re.compile(r" - (?=[A-Z])")
_SECONDER_NEXT = re.compile(r"\s*[,;./\n\-(]?\s*(?:and\s+)?(?:second|2nd|that\b|/)")


def _moved_name(doc: DocumentText, moved: re.Match[str]) -> MotionCue | None:
    """Read ``Moved Smith, seconded Jones`` and ``Moved Cr Smith``."""
    name = doc.name_at(moved.end())
    if name is None or name.start - moved.end() > 4:
        return None
    if dash := _DASH.match(doc.text, name.end):
        # ``Moved A. Smith - B. Jones:``
        seconder = doc.name_at(dash.end())
        if seconder and seconder.start == dash.end() and doc.text.startswith(":", seconder.end):
            return _motion_cue(doc, moved.start(), name, seconder)
    near = doc.lower[name.end : name.end + 80]
    if not _SECONDER_NEXT.match(near):
        return None
    seconder = _pair(doc, name) if near.lstrip().startswith("/") else None
    return _motion_cue(doc, moved.start(), name, seconder)


_PROPOSED = Phrase(
    "prop offered introduced initiated recommendation nominated",
    r"(?P<short>prop\.)(?=\s+[^.;,\n]{3,30},?\s+sec(?:\.|onded)\s)"
    r"|(?P<how>proposed|offered|introduced|initiated)\s*(?P<both>(?:and|&)\s+seconded\s+)?"
    r"(?:by\b\s*:?|:)"
    r"|(?P<noun>proposal|proposition|recommendation)\s+of\b"
    r"|(?P<nobody>proposed)(?=\s+and\s+seconded\b(?!\s+by))"
    r"|(?P<subject>nominated)\b(?=\s+[a-z])(?!\s+(?:by|for|as)\b)"
    r"|(?:(?P<nominee>nominated)\s+by\b)"
    r"|(?P<proposes>propose[ds])\b(?=\s*[,;]?\s*(?:and\s+)?(?:[\w.'-]+\s+){0,3}second"
    r"|\s+(?:that|the|to|an?|and|cllr|councillor|acceptance|adoption)"
    r"|\s+[a-z][^.;]{3,140}(?:(?:,|\s+and)\s+[^.;,]{3,40}\bsecond(?:ed|s)\b|[;,]\s+seconded\b))"
    r"|(?P<offer>offered|introduced)(?=\s+(?:the\s+following|this|a|the)\s+(?:\w+\s+)?"
    r"(?:resolution|ordinance|local\s+law|by-?law|motion|agenda)\b)"
    r"|(?P<act>proposing\s+(?:the|his|her|this|their)\s+motion\b,?)"
    r"|propos[\u00e9e]e?\s+par\b\s*:?(?:\s*l[ae](?=\s+(?:conseill|mair)))?",
)
_VOTE_ON_MOTION = pattern(_VOTE_ON.pattern[:-1] + r"motion\s+$")
_COURTESY_VOTE = pattern(r"\bvotes?\s+of\s+(?:sympathy|thanks|condolence|congratulation)")
#: What the mover accepts is not voted on.
_FRIENDLY = pattern(r"\s+(?:a|an|the)\s+friendly\s+amendment\b")
_ON_THE = pattern(r"\bon\s+(?:the\s+)?$")
_THE = pattern(r"\s*the\s")
_THAT = re.compile(r",?\s+that\b")
_THIS = pattern(r"[.;]\s{1,3}(?P<this>this\s+(?:was|is)\s+)$")
_OVER = re.compile(r"\s{0,3}(?:[.;\n]|$)")
#: The name of an office in capital letters has at most as many.
_ACRONYM = 4


def proposed(doc: DocumentText, verb: re.Match[str]) -> MotionCue | None:
    """Read what was proposed, offered or introduced, or done on somebody's proposal."""
    lower, text, start, end = doc.lower, doc.text, verb.start(), verb.end()
    if verb["noun"] and not _ON_THE.search(lower[max(0, start - 8) : start]):
        return None
    if _COURTESY_VOTE.search(lower, end, doc.sentence_end(end, 120)):
        return None
    if _FRIENDLY.match(lower, end):
        return None
    if verb["how"] and _VOTE_ON_MOTION.search(lower[max(0, start - 50) : start]):
        return None
    if verb["nobody"]:
        if doc.sentence_start(start) < start - 8:
            return None
        return _motion_cue(doc, start, None, end=end + len(" and seconded"))
    if verb["subject"] or verb["proposes"] or verb["offer"]:
        cue = _moved_by_subject(doc, start, end)
        bracket = text[max(0, start - 1) : start] == "("
        if cue is None and (bracket or text[start].isupper()):
            cue = _moved_name(doc, verb)
    else:
        name = doc.name_at(end)
        if name is None or name.start - end > 40:
            return None
        if name.text.isupper() and len(name.text) <= _ACRONYM and doc.roster.is_stranger(name.text):
            # ``to accept the amendment proposed by DDA``
            return None
        if _THE.match(lower, end) and not name.titled and doc.roster.is_stranger(name.text):
            # ``to fund the lunch program offered by the East Ashby Community Support Services``
            return None
        seconder = _pair(doc, name)
        if not verb["both"] and not (
            # ``proposed by Cllr Smith & Cllr Jones that``
            seconder and name.titled and seconder.titled and _THAT.match(lower, seconder.end)
        ):
            seconder = None
        cue = _motion_cue(doc, _it_was_start(lower, start), name, seconder)
        this = _THIS.search(lower, max(0, start - 24), start)
        if this and _OVER.match(lower, cue.end):
            # ``Resolved: the fee is set. This was proposed by Cllr Smith.``
            cue.start, cue.needs, cue.only_names = this.start("this"), "outcome", True
            return cue
    if cue is not None:
        cue.needs = "second" if cue.seconder is None and not verb["act"] else ""
        cue.done = verb["noun"] is not None
    return cue


_WITH = Phrase(
    "proposing", r"proposing(?:\s+(?:the|this)\s+(?:motion|item|proposal|resolution))?\b"
)
_WITH_BEFORE = pattern(r"\bwith\s+$")


def with_proposer(doc: DocumentText, verb: re.Match[str]) -> MotionCue | None:
    """Read who proposed what is stated before: ``agreed, with Cllr Smith proposing``."""
    name = doc.name_before(end_without(doc.text, verb.start(), " \n"))
    if name is None or not _WITH_BEFORE.search(doc.lower, max(0, name.start - 8), name.start):
        return None
    cue = _motion_cue(doc, name.start, name, end=verb.end())
    cue.needs = "outcome"
    return cue


_SECOND_OR_SUPPORT = re.compile(r"\b(?:seconded|second|2nd|supported)\b")
_AMENDED = Phrase("amended", r"amended\s+(?:the|his|her)\s+motion\b(?=,?\s+(?:to|by|so|that)\s)")


def amended_motion(doc: DocumentText, verb: re.Match[str]) -> MotionCue | None:
    """Read an amendment, if it is seconded: without a second its mover only changed the motion."""
    end = doc.sentence_end(doc.sentence_end(verb.end()) + 1, 80)
    if not _SECOND_OR_SUPPORT.search(doc.lower, verb.end(), end):
        return None
    cue = _moved_by_subject(doc, verb.start(), verb.end())
    if cue is not None:
        cue.about = "amendment"
    return cue


_AMENDMENT_BY = Phrase(
    "amendment",
    r"amendment\s+(?:was\s+)?(?:(?:then\s+)?(?:offered|moved|proposed|made)\s+)?by\s+(?=[a-z])",
)


def amendment_by(doc: DocumentText, noun: re.Match[str]) -> MotionCue | None:
    """Read ``Amendment by Smith, seconded by Jones``, if it is seconded."""
    mover = doc.name_at(noun.end())
    if mover is None or mover.start != noun.end():
        return None
    if not _SECONDER_NEXT.match(doc.lower[mover.end : mover.end + 40]):
        return None
    cue = _motion_cue(doc, noun.start(), mover)
    cue.about, cue.needs = "amendment", "second"
    return cue


_VOTE_TAKEN = pattern(
    r"vote\s+(?:was|is)\s+(?:then\s+)?(?:taken|held|called|requested)\s+(?:to\s+(?=[a-z])"
    r"|(?P<on>on)\s+(?!(?:it|this|that|both|each|all|(?:the|his|her)\s+(?:\w+\s+)?(?:motion|question"
    r"|amendment|same|matter|proposal|proposition))\b)(?=[a-z]))"
)
_HOW = pattern(r"\b(?:an?\s+)?(?P<how>voice|roll[\s-]call|hand)\s+$|\ba\s+$")


def vote_taken(doc: DocumentText, taken: re.Match[str]) -> MotionCue:
    """Read the question of a vote for which nobody is said to have moved."""
    floor = max(0, taken.start() - 20)
    before = _HOW.search(doc.lower[floor : taken.start()])
    how = before["how"] if before else None
    start = floor + before.start() if before else taken.start()
    cue = _motion_cue(doc, start, None, end=taken.end())
    cue.strength = FIRM
    cue.needs = "question" if taken["on"] else ""
    cue.vote_type = "voice" if how == "voice" else "roll_call" if how else ""
    cue.flags.add("no_mover")
    return cue


_LABELS_FIRST = Phrase(
    "moved",
    r"moved(?:\s+by)?\s{0,3}:\s{0,20}(?:appuyée?s?\s+par\s{0,3}:?\s{0,3}/?\s{0,3})?"
    r"seconded(?:\s+by)?\s{0,3}:\s{1,40}",
)
_LINE_ENDS = re.compile(r" {0,8}(?:\n|$)")


def labels_first(doc: DocumentText, labels: re.Match[str]) -> MotionCue | None:
    """Read two names after two labels, in the order of columns."""
    mover = doc.name_at(labels.end())
    seconder = doc.name_at(mover.end) if mover and mover.start == labels.end() else None
    if mover is None or seconder is None or seconder.start - mover.end > 8:
        return None
    # Each has a title, or a line of its own.
    if not (mover.titled and seconder.titled) and not all(
        _LINE_ENDS.match(doc.text, name.end) for name in (mover, seconder)
    ):
        return None
    return _motion_cue(doc, labels.start(), mover, seconder)


_LABEL = Phrase(
    "mover proposer maker made first 1st motion",
    r"(?P<who>mover|proposer|maker|made\s+by|first|1st|motion\s+maker|motioned)\s{0,4}:\s*",
)


def mover_label(doc: DocumentText, label: re.Match[str]) -> MotionCue | None:
    """Read the mover of a result table."""
    name = doc.name_at(label.end())
    if name is None or name.start - label.end() >= 60 or _speaks(doc, name):
        return None
    cue = _motion_cue(doc, label.start(), name)
    cue.label = True
    cue.needs = "second" if label["who"] in ("first", "1st") else ""
    return cue


_SHORT_LABELS = Phrase(
    "1st m: m_-",
    r"(?:1st(?:\s+by)?|m:)\s{1,3}(?=[a-z][^,;:\n]{1,40}?[,;.]?\s{1,12}(?:2nd|s:)\s)"
    r"|m -\s{1,3}(?=[a-z][^,;:\n/]{1,40}/ ?s -\s)",
)


def short_labels(doc: DocumentText, label: re.Match[str]) -> MotionCue | None:
    """Read ``1st Smith, 2nd Jones`` and ``M: Smith  S: Jones``; what is moved may come first."""
    letters = _LETTER_SECOND.search(doc.text, label.end(), label.end() + _LONGEST_NAME)
    # The label is no initial: ``M: Smith S: Jones``.
    mover = doc.name_before(letters.start()) if letters else doc.name_at(label.end())
    if mover is None or mover.start != label.end() or doc.text[label.start()] not in "1M":
        return None
    seconder = doc.name_at(letters.end()) if letters else None
    cue = _motion_cue(doc, label.start(), mover, seconder)
    cue.needs = "" if seconder else "second"
    return cue


_LETTER_SECOND = re.compile(r"[,;.]?\s{1,12}S: {1,3}| ?/ ?S - {1,3}")
#: The name of a mover and the label behind it are at most this long.
_LONGEST_NAME = 60
SHORTHAND = Phrase(
    "m/ m. ms",
    r"(?P<sign>m/\s?s/(?=[a-z]{3,20}\s?/\s?[a-z]{3})|m/\s?s(?:\s?/\s?(?P<done>[cpuafd]{1,2}))?|m\.\s?s\.(?:\s?(?P<dotted>[cpu])\.)?"
    r"|ms(?P<joined>u?[cp]))(?:(?<=/)|(?![\w/]))(?:\s{1,3}by\b)?",
)


def shorthand_names(
    doc: DocumentText, short: re.Match[str]
) -> tuple[Name | None, Name | None, str] | None:
    """Return the mover, the seconder and the letters for the outcome of ``M/S/C Smith/Jones``."""
    printed = doc.text[short.start() : short.end("sign")]
    if not printed.isupper() and "/" not in printed:
        return None
    mover = doc.name_at(short.end())
    if mover is not None and mover.start - short.end() > 4:
        mover = None
    letters = short["done"] or short["dotted"] or short["joined"] or ""
    return mover, _pair(doc, mover) if mover else None, letters


def shorthand(doc: DocumentText, short: re.Match[str]) -> MotionCue | None:
    """Read ``M/S``, moved and seconded; with no name after it ``MSC`` is an outcome alone."""
    read = shorthand_names(doc, short)
    if read is None or (read[0] is None and read[2]):
        return None
    mover, seconder, _ = read
    return _motion_cue(doc, short.start(), mover, seconder, None if mover else short.end())


_NUMBERED = pattern(
    r"[0-9][\-/. ]\d{1,4}\s{0,3}[:.\-]?\s{1,40}(?=[^\W\d_])",
)
_NUMBER_START = pattern(
    r"^[ ]{0,60}(?:(?:resolution|motion|res\.?)\s{1,3}(?:no\.?|#|number)?\s{0,3})?"
    r"(?:[a-z]{1,3}[ \-]?)?\d{0,3}$"
)
_MOTION_FOLLOWS = pattern(r"\s{0,3}(?:[:;]|(?P<dash>-))|\s{1,40}that\b")


def numbered_motion(doc: DocumentText, numbered: re.Match[str]) -> MotionCue | None:
    """Read two names between the number of a motion and its words."""
    line = line_start(doc.text, numbered.start())
    if not _NUMBER_START.match(doc.lower[line : numbered.start()]):
        return None
    mover = doc.name_at(numbered.end())
    if mover is None or mover.start != numbered.end():
        return None
    seconder = _pair(doc, mover)
    follows = _MOTION_FOLLOWS.match(doc.lower, seconder.end) if seconder else None
    if seconder is None or follows is None:
        return None
    if follows["dash"] and not _are_members(doc, mover, seconder):
        # ``16-09 Smith, John - 36 Main Street``: who applies.
        return None
    cue = _motion_cue(doc, line, mover, seconder)
    cue.flags.add("mover_seconder_colon")
    return cue


_NUMBER_AND_PAIR = Phrase(
    "motion resolution", r"(?:motion|resolution)\s?-\s?\d{1,5}-\d{2,4}\s?-\s?(?=[a-z])"
)


def number_and_pair(doc: DocumentText, number: re.Match[str]) -> MotionCue | None:
    """Read who moved and seconded behind the number of a motion, both with their titles."""
    mover = doc.name_at(number.end())
    if mover is None or not mover.titled or not doc.text.startswith("/", mover.end):
        return None
    seconder = doc.name_at(mover.end + 1)
    if seconder is None or not seconder.titled:
        return None
    return _motion_cue(doc, number.start(), mover, seconder)


_NAME_THAT = Phrase("that", r"that\b(?=[\s,])")
_NAME_MARK = re.compile(r"[^\W\d_]\s?[:-]\s{0,3}$")
_NUMBER_BEFORE = pattern(r"\d[\w/.\-]{0,8}[ .):]{1,4}(?:[^\W\d_][\w.&/-]{0,14}\s{1,3}){0,3}$")


def name_that(doc: DocumentText, that: re.Match[str]) -> MotionCue | None:
    """Read one name between the number of a motion and its words: ``19/086 SMITH: That``."""
    text, start = doc.text, that.start()
    if not text[start].isupper() or not _NAME_MARK.search(text, max(0, start - 8), start):
        return None
    name = doc.name_before(end_without(text, start, " \n:-"))
    if name is None or _speaks(doc, name):
        return None
    capitals = text[name.start : name.end].isupper() and _NUMBER_BEFORE.search(
        text, max(0, name.start - 60), name.start
    )
    line = line_start(text, name.start)
    numbered = _NUMBER_START.match(doc.lower[line : name.start])
    if not capitals and not (doc.roster.is_known(name.surname) and numbered):
        return None
    if capitals and not doc.roster.is_known(name.surname):
        # A heading in capitals runs into the name: ``MONTHLY SMITH``.
        surname = name.text.split()[-1]
        name = Name(surname, name.end - len(surname), name.end, False)
    cue = _motion_cue(doc, name.start, name, end=start)
    cue.strength = FIRM
    return cue


_RESOLVED = Phrase("resolved", r"resolved\s*:?\s*(?:[\w./\-]{0,20}\d[\w./\-]{0,20}\s*)?\(")


def resolved(doc: DocumentText, verb: re.Match[str]) -> MotionCue | None:
    """Read the names in brackets after ``Resolved``, also with a number before them."""
    mover = doc.name_at(verb.end())
    if mover is None or not _are_members(doc, mover) or mover.start != verb.end():
        return None
    seconder = _pair(doc, mover)
    if not mover.titled and seconder is None:
        return None
    cue = _motion_cue(doc, verb.start(), mover, seconder)
    cue.done = True
    return cue


#: A slash between two words; the engine looks for the slash first.
SLASH = re.compile(r"/(?:(?<=[^\s\d]/)|(?<=[^\s\d] /))(?=\s?[^\W\d_])")
_PAIR_END = pattern(
    r"\s{0,3}(?:\)|,\s(?:unanimous(?:ly)?|carried|passed)\)|[,;:\-]?\s{0,3}\(?(?P<tally>\d{1,2}\s?-\s?\d{1,2}[^()\n]{0,40})\))"
)
_OUTCOME_NEXT = pattern(
    r"[ .,;:\-]{0,4}\n?[ ]{0,8}(?:(?:motion|vote)[ :]{1,3})?"
    r"(?:carried|carries|passed|passes|approved|adopted|failed|denied|defeated|unanimous"
    r"|all\s+in\s+favou?r|\d{1,2}\s?-\s?\d)"
)
_MOTION_BEFORE = pattern(r"\b(?:motion(?:/second)?|action|vote|moved)\s{0,3}:?\s{0,3}$")
_SHORT_BEFORE = pattern(
    r"(?:m/\s?s(?:\s?/\s?\w{1,2})?|\bmsu?[cp]|\bresolved(?:\s{1,3}[\w./\-]{0,20}\d)?)\s{0,3}$"
)


def pair_in_brackets(doc: DocumentText, slash_match: re.Match[str]) -> MotionCue | None:
    """Read two names in brackets, with a tally or without."""
    slash = slash_match.start()
    lower = doc.lower
    bracket = doc.text.rfind("(", max(0, slash - 50), slash)
    if bracket < 0 or _SHORT_BEFORE.search(lower[max(0, bracket - 10) : bracket]):
        return None
    mover = doc.name_at(bracket + 1)
    if mover is None or mover.start - bracket > 2 or mover.end not in (slash, slash - 1):
        return None
    seconder = doc.name_at(slash + 1)
    if seconder is None or seconder.start - slash > 2:
        return None
    end = _PAIR_END.match(lower, seconder.end)
    if end is None:
        return None
    motion = _MOTION_BEFORE.search(lower[max(0, bracket - 20) : bracket])
    start = bracket - len(motion[0]) if motion else bracket + 1
    cue = _motion_cue(doc, start, mover, seconder, end=end.end())
    if end["tally"]:
        cue.counts = tally_in(lower, *end.span("tally"))
    elif motion is None and not (
        _OUTCOME_NEXT.match(lower, end.end()) and _are_members(doc, mover, seconder)
    ):
        cue.needs = "outcome"
    return cue


def _are_members(doc: DocumentText, *names: Name) -> bool:
    """Whether the names are known from elsewhere: ``(Parks/Recreation)`` are nobody's."""
    return all(name.titled or name.surname.lower() in doc.roster.known for name in names)


_SLASH_TO = pattern(
    r"[^\W\d_]{2,30} ?/ ?[^\W\d_]{2,30}(?: {1,3}to (?=[a-z]{3})|[.\u2026]{2,8}\s{1,3}(?=[a-z]{3}))"
)


def pair_that_moves(doc: DocumentText, slash: re.Match[str]) -> MotionCue | None:
    """Read a line that begins with two members and an infinitive."""
    start = max(line_start(doc.text, slash.start(), 40), doc.sentence_start(slash.start(), 40))
    start += len(doc.text[start : slash.start()]) - len(doc.text[start : slash.start()].lstrip())
    if not _SLASH_TO.match(doc.text, start):
        return None
    mover, seconder = doc.name_at(start), doc.name_at(slash.end())
    if mover is None or seconder is None or mover.end > slash.start():
        return None
    dotted = doc.text.startswith("..", seconder.end)
    if not dotted and not _are_members(doc, mover, seconder):
        return None
    return _motion_cue(doc, start, mover, seconder)


_PAIRS_MOTION = re.compile(r" {1,3}motion\b| ?\n {0,8}motion\b")


def pairs_motion(doc: DocumentText, slash: re.Match[str]) -> MotionCue | None:
    """Read what was done on the motion of two members whose names precede the noun."""
    if "motion" not in doc.lower[slash.end() : slash.end() + 40]:
        return None
    seconder = doc.name_at(slash.end())
    motion = _PAIRS_MOTION.match(doc.lower, seconder.end) if seconder else None
    mover = doc.name_before(slash.start()) if motion else None
    if seconder is None or motion is None or mover is None or seconder.start > slash.end() + 1:
        return None
    if "\n" in motion[0] and not _are_members(doc, mover, seconder):
        # ``Updates/Requests`` is a heading, and a motion follows below it.
        return None
    cue = _motion_cue(doc, _article_start(doc.lower, mover.start), mover, seconder, motion.end())
    cue.done = doc.lower.startswith(("on ", "upon "), cue.start)
    return cue


_WORDS_ABOVE = pattern(
    r"(?:^|\n)[ ]{0,20}(?:[\d.]{1,8}[ ]{1,12}|\(?[a-z]\)[ ]{1,8})?(?=(?:That|THAT)\s)"
)
_PAIR_DECIDED = pattern(
    r"[ ]{1,60}(?:motion[ :]{1,3})?(?:carried|lost|defeated|passed)\b|[ ]{0,3}\n\s{0,60}carried\b"
)
#: The words of a motion begin at most this far above the names of those who move it.
_ABOVE_REACH = 3000


def pair_below_motion(doc: DocumentText, slash: re.Match[str]) -> MotionCue | None:
    """Read a line with two members and the outcome, below the words of the motion."""
    text = doc.text
    if not _OUTCOME_VERB.search(doc.lower, slash.end(), slash.end() + 100):
        return None
    mover, seconder = doc.name_before(slash.start()), doc.name_at(slash.end())
    if mover is None or seconder is None or seconder.start > slash.end() + 1:
        return None
    if not _PAIR_DECIDED.match(doc.lower, seconder.end) or not _are_members(doc, mover, seconder):
        return None
    line = indent_start(text, mover.start, 80)
    floor = max(0, mover.start - _ABOVE_REACH)
    above = last_match(_WORDS_ABOVE, text, floor, mover.start) if line is not None else None
    if above is None:
        return None
    cue = _motion_cue(doc, above.end(), mover, seconder)
    cue.at, cue.words_above = mover.start, True
    return cue


_NAMES_ABOVE = re.compile(
    r"\n {0,20}(?:\d{1,3}[.)] {1,4})?(?P<mover>[A-Z][\w'.-]+(?: [A-Z][\w'.-]+)?) ?[-/] ?"
    r"(?=[A-Z][^\n]{1,30}\n\s{0,60}"
    r"(?:Motion|MOTION|That|THAT|To|TO|Resolved|RESOLVED|BE IT|Be it|WHEREAS|Whereas)\s)"
)


def names_above_motion(doc: DocumentText, names: re.Match[str]) -> MotionCue | None:
    """Read a line of two members above what they move."""
    mover, seconder = doc.name_at(names.start("mover")), doc.name_at(names.end())
    if mover is None or seconder is None or not _are_members(doc, mover, seconder):
        return None
    if mover.end != names.end("mover") or not doc.text[seconder.end :].lstrip(" ").startswith("\n"):
        return None
    return _motion_cue(doc, mover.start, mover, seconder)


_TWO_NAMES = Phrase(
    "council cllr cr ald trustee mayor deputy reeve director commissioner",
    r"(?=(?:councillor|cllr|cr|councilman|councilmember|alderman|ald|trustee|mayor|deputy|reeve"
    r"|director|commissioner)\b)[^\n]{5,80}\n\s{0,40}(?:resolved|that|be\s+it|whereas)\b",
)
_LINK = pattern(r" {0,4}(?:-|/|,|and\b) {0,4}")


def two_names(doc: DocumentText, titled: re.Match[str]) -> MotionCue | None:
    """Read a line of two names with titles above what they move."""
    start = indent_start(doc.lower, titled.start(), 20)
    mover = doc.name_at(start) if start is not None else None
    link = _LINK.match(doc.text, mover.end) if mover and mover.titled else None
    seconder = doc.name_at(link.end()) if link else None
    if start is None or seconder is None or not seconder.titled:
        return None
    if doc.text[seconder.end : seconder.end + 20].partition("\n")[0].strip():
        return None
    return _motion_cue(doc, start, mover, seconder)


_SAID = Phrase(
    "move make second",
    r"(?:(?P<moves>move\b|moved\b|make\s+(?:a|the|that)\s+motion\b)|second\b)",
)
_SPEAKER = pattern(
    r"[ ]{0,20}[^:\n]{3,40}:\s{1,6}(?:(?:i|i'll|i'd|so|yes|well)[\s,]{1,3}){0,2}"
    r"(?:would\s+like\s+to\s+|will\s+|like\s+to\s+)?"
)


def speaker(doc: DocumentText, said: re.Match[str]) -> MotionCue | SecondCue | None:
    """Read what a speaker says in a transcript."""
    line = line_start(doc.lower, said.start(), 100)
    if not _SPEAKER.fullmatch(doc.lower, line, said.start()):
        return None
    name = doc.name_at(line)
    if name is None or doc.text[name.end : name.end + 1] != ":":
        return None
    if said["moves"]:
        mover = doc.name_at(said.end())
        if mover and mover.titled and not doc.text[said.end() : mover.start].strip(" "):
            # ``DECISION: Moved Cr Smith``: a heading.
            return None
        return _motion_cue(doc, name.start, name, end=said.end())
    return _second_cue(doc, name.start, said.end(), name)


_SECOND = Phrase(
    "second 2nd 2_ support appuy sec sup",
    r"(?:second(?:ed|er|s|ing)?|2nd(?:ed)?|2\snd(?=\s+by\b)|support(?:ed)?"
    r"|(?P<misspelt>(?!seconded|supported)(?:sec|sup)[a-z]{3,7}(?=\s+by\s))"
    rf"|(?:appuy|second)[\u00e9e]e?(?=\s+par\b))\b|seconded{_TITLE_NEXT}|sec\.(?=\s+(?:by|cllr|mr|mrs|ms)\b)",
)
_SECOND_BY = pattern(
    r"\s*(?:the\s+motion\s+|was\s+(?:made|given|provided|offered)\s+|made\s+"
    r"|motion\s+)?(?::\s*(?=by\b))?(?:(?:by(?:\b|(?!law|pass))|(?:from|par)\b)\s*:?(?:\s*l[ae](?=\s+(?:conseill|mair)))?|:|-|\()\s*"
)
_BY_OR_FROM = re.compile(r"\b(?:by|from)")
_OF = pattern(r"\s+of\s+")
_THAT_IS_ALL = pattern(r"\s*(?:[.,;)\n]|$|the\s+motion\b)")
_THE_MOTION = pattern(r"\s+(?:the|that|this)\s+motion\b|\s*\.")
_MOVED_LABEL = pattern(r"\bmoved\s{0,3}:\s{0,20}$")
#: ``Mayor Smith passed the gavel and seconded.``
_GAVEL = pattern(
    r"\s+(?:passed|handed|relinquished)\s+the\s+(?:gavel|chair)(?:\s+to\s+[^,.;]{3,40})?,?\s+and\s+$"
)
_MOVERS_NAME = pattern(r"\b(?:moved|mover|motion|proposed|proposer)(?:\s+by)?\s*:?\s*$")


_MOTION_AND_NAME = pattern(r"\bmotion\s+(?:by\s+)?[^\d;:.,\n]{2,30}[;,]\s$")
#: ``Mrs. Smith seconded his remarks``: nothing was moved.
_OF_REMARKS = pattern(
    r"\s+(?:his|her|their|these|those|that|the)\s+(?:remarks?|comments?|sentiments?|thoughts?|concerns?"
    r"|words|statements?)\b"
)


def second(doc: DocumentText, word: re.Match[str]) -> SecondCue | None:
    """Read who seconded: after ``seconded by``, before the verb, or next to the bare word."""
    lower, text, start, end = doc.lower, doc.text, word.start(), word.end()
    if lower.endswith("motion/", 0, start) or _MOVED_LABEL.search(lower, max(0, start - 20), start):
        return None
    if _OF_REMARKS.match(lower, end):
        return None
    support = word[0].startswith("support")
    if word["misspelt"] and not any(
        DamerauLevenshtein.distance(word["misspelt"], each) == 1
        for each in ("seconded", "supported")
    ):
        return None
    by = _SECOND_BY.match(lower, end)
    if by and "\n" in lower[end : by.start() + 3] and "motion" in by[0]:
        # ``fails for lack of a second`` and, in the next line, ``Motion by Smith``.
        return None
    if by and not (support and not _BY_OR_FROM.search(lower, end, by.end())):
        name = doc.name_at(by.end())
        if name is not None and name.start - by.end() < 40 and not _speaks(doc, name):
            if _COURTESY_VOTE.search(lower, name.end, doc.sentence_end(name.end, 80)):
                return None
            cue = _second_cue(doc, start, name.end, name)
            cue.strength = SOFT if support else STRONG
            cue.label = ":" in by[0]
            return cue
    if support and not (word[0] == "supported" and _THE_MOTION.match(lower, end)):
        # ``Motion Smith; support Jones to adjourn.``
        moved = word[0] == "support" and _MOTION_AND_NAME.search(lower, max(0, start - 60), start)
        return _second_short(doc, word) if moved else None
    if word[0] in ("seconded", "seconds", "seconding", "2nded", "supported"):
        joined = lower.endswith("and ", 0, start)
        gavel = _GAVEL.search(lower, max(0, start - 80), start) if joined else None
        edge = gavel.start() if gavel else _subject_end(lower, start)
        name = doc.name_before(edge)
        if (
            name is None
            or text[name.end : edge + 1].rstrip().endswith(",")
            or _begins_line(text, name, start)
        ):
            return _second_short(doc, word)
        if _MOVERS_NAME.search(lower[max(0, name.start - 14) : name.start]):
            other = _second_short(doc, word)
            if other is not None or not _THE_MOTION.match(lower, end):
                return other
        cue = _second_cue(doc, name.start, end, name)
        cue.strength = SOFT if support else STRONG
        return cue
    if word[0] not in ("second", "2nd"):
        return None
    if short := _second_short(doc, word):
        return short
    if of := _OF.match(lower, end):
        # ``second of Commissioner Jones``, not ``second of Mr. Jones's three points``
        name = doc.name_at(of.end())
        if (
            name
            and name.titled
            and name.start == of.end()
            and text[name.end : name.end + 2] != "'s"
        ):
            return _second_cue(doc, start, name.end, name)
    if _THAT_IS_ALL.match(lower, end):
        # ``Mr. Jones 2nd.`` and ``Smith moved, Jones (Ward 2) second.``
        name = doc.name_before(_subject_end(lower, start))
        if name is None or "," in text[name.end : start]:
            return None
        before = text[max(0, name.start - 3) : name.start].rstrip(" ")
        if not before or before[-1] in ",.;\n-":
            return _second_cue(doc, name.start, end, name)
    return None


_GAVE = pattern(r"\b(?:offered|gave|made|provided)\s+(?:a|the)\s+$")
_AFTER_SECONDER = pattern(r"\s*(?:[,.;:)\n]|$|to\b|for\b|and\b|that\b|motion\b|-)")
_AFTER_BREAK = pattern(r"[,;.)\n]\s*(?:and\s+)?$")
_BY_BEFORE = pattern(r"\bby\s$")


def _second_short(doc: DocumentText, word: re.Match[str]) -> SecondCue | None:
    """Read ``seconded Jones``, ``second Jones`` and ``Jones offered a second``."""
    floor = max(0, word.start() - 24)
    head = doc.lower[floor : word.start()]
    if gave := _GAVE.search(head):
        name = doc.name_before(floor + gave.start())
        return _second_cue(doc, name.start, word.end(), name) if name else None
    name = doc.name_at(word.end())
    if name is None or name.start - word.end() > 2:
        return None
    if doc.lower.startswith("vice", name.start):
        return None
    if not _AFTER_SECONDER.match(doc.lower[name.end : name.end + 12]):
        return None
    if word[0] in ("second", "2nd") and not _AFTER_BREAK.search(head):
        # ``Motion made by Smith second Jones``
        mover = doc.name_before(word.start())
        if mover is None or not _BY_BEFORE.search(doc.lower, max(0, mover.start - 4), mover.start):
            return None
    return _second_cue(doc, word.start(), name.end, name)


MOTION_RULES = (
    Rule(
        _MOTION,
        motion_noun,
        (
            "Motion by Smith to adjourn.",
            "Director Daly made the motion to adjourn.",
            "Mr. Smith motioned to adjourn.",
            "The minutes were motioned for approval by Smith.",
            "Motion maue ny Councilmember Smith to adjourn.",
            "Motion to pay the bills by Smith.",
            "A motion to adjourn by Smith died for lack of a second.",
            "Motion that the lot be sold; and the money spent by Smith. Seconded by Jones.",
            "Present: Smith, Jones, Brown\n\nMotion to pay the bills by Smith, Jones. M/C",
            "Mr. Jones seconded the motion made by Mr. Smith.",
            "Commissioner Smith's motion to deny failed.",
            "A motion was made to pay the bills by Smith and seconded by Jones.",
            "A motion was made (Smith) to adjourn.",
            "Motion was made Smith and seconded by Jones to adjourn.",
            "Present: Smith, Jones, Brown\n\nSmith made, Jones 2nd motion to adjourn.",
            "The motion fails for lack of a second\nMotion by Smith to adjourn.",
            "Motion: Smith; Second: Jones",
            "Motion Smith, second Jones.",
            "Present: Smith, Jones, Brown\n\nMotion Smith to adopt the agenda. Second Jones.",
            "Motion to approve the minutes.",
            "Motion to adjourn: Smith/Jones",
            "Motion and a second to pay the bills.",
            "MOTION: To pay the bills was made and seconded.",
            "Motion/second to pay the bills by Commissioners Smith/Jones carried.",
            "Mr. Smith: Motion to recess, seconded by Jones.",
        ),
    ),
    Rule(
        _MOVED,
        moved_verb,
        (
            "Smith moved to adjourn.",
            "Moved by Smith to adjourn.",
            "Moved/seconded Smith/Jones to adjourn.",
            "An amendment was moved by Councillors Smith and Jones that it be deferred.",
            "MOVED: by Smith; SECONDED: by Jones",
            "Moved and seconded by Smith and Jones to adjourn.",
            "It was moved and seconded to adjourn.",
            "It was moved, R. Smith and seconded to adjourn.",
            "Moved Smith, seconded Jones.",
            "MovedDirector Smith\nSecondedDirector Jones",
            "Moved A. Smith - B. Jones:\nThat the fee be set.",
            "Mr. Smith offered the ordinance and moved its adoption.",
        ),
    ),
    Rule(
        _PROPOSED,
        proposed,
        (
            "Proposed by Cllr Smith and seconded by Cllr Jones.",
            "Proposed by Cllr Smith & Cllr Jones that the fee be set.",
            "Resolved: the fee is set. This was proposed by Cllr Smith.",
            "On the proposal of Cllr Smith it was agreed.",
            "Cllr Smith proposed that the fee be set.",
            "Cllr Smith proposed seconded by Cllr Jones that the fee be set.",
            "Proposed and seconded; all in favour.",
            "Mr. Smith offered the following resolution, which was seconded by Mr. Jones:",
            "Propos\u00e9 par M. Roy",
            "Propos\u00e9 par le conseiller Roy",
        ),
    ),
    Rule(_WITH, with_proposer, ("The dates were agreed, with Cllr Smith proposing the item.",)),
    Rule(_AMENDED, amended_motion, ("Mr. Smith amended the motion to add a fee. Jones seconded.",)),
    Rule(_AMENDMENT_BY, amendment_by, ("Amendment by Smith, seconded by Jones, to add a fee.",)),
    Rule(
        _VOTE_TAKEN,
        vote_taken,
        ("A voice vote was taken to adjourn.", "A vote was taken on the plan, as follows:"),
    ),
    Rule(
        _LABELS_FIRST,
        labels_first,
        (
            "MOVED: SECONDED:\nAld Smith Ald Jones\nThat we adjourn.",
            "Moved by:\nSeconded by:\nMary Smith\nAnn Jones\nThat we adjourn.",
        ),
    ),
    Rule(_LABEL, mover_label, ("MOVER: Paul Solano", "First: Smith", "Motioned: Mr. Smith")),
    Rule(
        _SHORT_LABELS,
        short_labels,
        (
            "M: Smith  S: Jones  To adjourn.",
            "M - Smith/S - Jones moved to adjourn.",
            "1st Smith, 2nd Jones.",
        ),
    ),
    Rule(
        SHORTHAND,
        shorthand,
        (
            "M/S Smith/Jones to adjourn.",
            "M/S/Smith/Jones to adjourn.",
            "MSC Smith/Jones",
            "M.S. Smith",
        ),
    ),
    Rule(
        _NUMBERED,
        numbered_motion,
        ("R2018-077 L. Smith, L. Jones: That we approve the plan.",),
        as_printed=True,
    ),
    Rule(
        _NUMBER_AND_PAIR,
        number_and_pair,
        ("Motion-4143-17-Deputy Mayor Smith/Councillor A. Jones\nResolve that we adjourn.",),
    ),
    Rule(
        _NAME_THAT,
        name_that,
        ("19/086 SMITH: That the minutes be accepted.", "2. MINUTES SMITH - That we approve them."),
    ),
    Rule(_RESOLVED, resolved, ("Resolved (Cr Smith / Cr Jones)", "Resolved 12/24 (Cr Smith)")),
    Rule(
        SLASH,
        pair_in_brackets,
        ("(Smith/Jones)", "(Smith/Jones, 5-0)", "(Smith/Jones, unanimous)"),
        as_printed=True,
    ),
    Rule(
        SLASH,
        pair_that_moves,
        (
            "Present: Smith, Jones, Brown\n\nSmith/Jones to approve the minutes.",
            "SMITH/JONES.... approve the minutes.",
        ),
        as_printed=True,
    ),
    Rule(
        SLASH,
        pairs_motion,
        ("The bills were approved on a Smith/Jones motion.",),
        as_printed=True,
    ),
    Rule(
        SLASH,
        pair_below_motion,
        ("Present: Smith, Jones, Brown\n\nThat the fee be set.\n\nSmith/Jones   Carried",),
        as_printed=True,
    ),
    Rule(
        _NAMES_ABOVE,
        names_above_motion,
        ("Present: Smith, Jones, Brown\n\nSMITH - JONES\n\nMotion to approve the agenda.",),
        as_printed=True,
    ),
    Rule(_TWO_NAMES, two_names, ("Councillor Smith - Councillor Jones\nThat the fee be set.",)),
    Rule(_SAID, speaker, ("MR. SMITH: I move that we adjourn.", "MS. JONES: Second.")),
)
SECOND_RULES = (
    Rule(
        _SECOND,
        second,
        (
            "seconded by Jones",
            "Mrs. Jones seconded the motion.",
            "Moved Smith, seconded Jones.",
            "Jones offered a second.",
            "Mayor Jones passed the gavel and seconded.",
            "second of Commissioner Jones",
            "Smith moved, Jones second.",
            "Motion made by Smith second Jones to adjourn.",
            "Supported by Trustee Jones",
            "Mr. Jones supported.",
            "support from Trustee Jones",
            "secnded by Jones",
            "Moved by Smith, sec. by Jones to adjourn.",
            "Appuy\u00e9 par Roy",
        ),
    ),
)


def motion_cues(doc: DocumentText) -> Iterator[Cue]:
    """Yield the places where a motion is made or seconded, at this meeting and no other."""
    for cue in find_cues(MOTION_RULES, doc):
        if not doc.is_at_another_meeting(cue.start):
            yield cue
    yield from find_cues(SECOND_RULES, doc)
