"""What the words around a vote tell: talk or deed, ours or another body's, and in which manner."""

from __future__ import annotations

import re

from .context import OutcomeCue
from .model import DIED, FAILED, PASSED, UNKNOWN, WITHDRAWN
from .text import pattern

_RESULT_OF = (
    (
        pattern(
            r"\b(?:not|n't|failed\s+to|fails\s+to)\s+(?:\w+\s+)?(?:carr|pass|approv|adopt"
            r"|receiv)\w*"
        ),
        FAILED,
    ),
    (
        pattern(r"fail|defeat|\blos|denied|reje[ct]|unsuccess|not\s+(?:carr|pass|approv|adopt)"),
        FAILED,
    ),
    (pattern(r"withdr"), WITHDRAWN),
    (pattern(r"\bdie"), DIED),
    (pattern(r"no\s+action|no\s+vote"), UNKNOWN),
)
TALK = pattern(
    r"\b(?:if|unless|until|would|should|could|might|must|can|cannot|whether|will|shall|once"
    r"|when|in\s+order|needs?\s+to|has\s+to|have\s+to|want\w*|asked|hopes?|hoped|require[sd]?"
    r"|was\s+previously|had\s+been)\b[^,]{0,70}$"
)
OTHER_BODY = pattern(
    r"\b(?:house|senate|legislature|congress|general\s+assembly|voters|electorate|union|state"
    r"|supreme\s+court|governor|parliament)\b"
)
LONG_AGO = pattern(
    r"\b(?:last\s+(?:night|week|month|year|meeting|spring|summer|fall|autumn|winter)|yesterday|previous(?:ly)?|in\s+(?:19"
    r"|20)\d\d|earlier\s+this\s+(?:year|month|week)"
    r"|(?:at|during|from)\s+(?:its|their|the|a)\s+(?:\w+\s+){0,2}(?:meeting\s+of|\d{1,2},?\s+(?:\d{4},?\s+)?meeting)"
    r"|at\s+(?:its|their)\s+(?:\w+\s+){0,3}meeting)\b"
)
_UNANIMOUS = pattern(r"\bunanim\w+|\bnem\.?\s?(?:con|dis)")
EXCEPT = pattern(
    r"\bexcept(?:ion|ing)?\b|\bother\s+than\b|\bbut\s+(?:for\s+)?(?:mr|ms|mrs)\b"
    r"|\bsave\s+for\b|\bnot\s+unanim|\bnon-unanim"
)
VOICE = pattern(r"\bvoice\s+vote|\bviva\s+voce|\bvocal\s+vote|\bsaid\s+[\"']?aye")
_ROLL = pattern(r"\broll[\s-]{0,2}call|\bpolled")
_HANDS = pattern(r"\bshow\s+of\s+hands")
BODY = pattern(
    r"\b(?:council|board|commission(?:ers)?|committee|members|trustees|directors|selectmen"
    r"|supervisors|aldermen|authority|selectboard|all|court|panel|they|we)\b"
)
_SAID = pattern(
    r"\b(?:stated|said|noted|reported|reminded|shared|explained|indicated|mentioned|advised"
    r"|informed|announced|updated|told|recalled)\b"
)
NO_SECOND = pattern(
    r"(?:\b(?:lack|want)\s+of\s+(?:a\s+|any\s+)?|\bno\s+|\bwithout\s+a\s+|\bnot\s+"
    r"|(?:n't|not|failed\s+to|fails\s+to)\s+(?:receiv\w*|get|got|have|heard?"
    r"|obtain\w*)\s+a\s+)second"
)


def verdict(phrase: str) -> str:
    """Return the result that a printed phrase in lower case states."""
    for words, result in _RESULT_OF:
        if words.search(phrase):
            return result
    return PASSED


def body_before(before: str) -> bool:
    """Whether the body itself is the subject: ``the Board unanimously``."""
    return re.search(BODY.pattern + r"\s+(?:\w+ly\s+|then\s+|also\s+)?$", before) is not None


def add_manner(cue: OutcomeCue, near: str, sentence: str) -> None:
    """Set how was voted, and whether the text says that nobody was against."""
    cue.unanimous = _UNANIMOUS.search(near) is not None and not EXCEPT.search(sentence)
    if _ROLL.search(sentence):
        cue.vote_type = "roll_call"
    elif VOICE.search(sentence):
        cue.vote_type = "voice"
    elif _HANDS.search(sentence):
        cue.vote_type = "show_of_hands"


def is_reported(before: str, after: str) -> bool:
    """Whether a sentence tells of another body or another day."""
    if LONG_AGO.search(before) or LONG_AGO.search(after) or OTHER_BODY.search(before):
        return True
    return _SAID.search(before) is not None
