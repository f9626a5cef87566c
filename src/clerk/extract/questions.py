"""Read which question a vote is announced on: the amendment, the main motion, an ordinance."""

from __future__ import annotations

from collections.abc import Iterator

from .context import DocumentText, QuestionCue
from .text import Phrase, pattern

AMENDMENT = "amendment"
MAIN = "main"
OTHER = "other"

_PUT = Phrase(
    "on upon",
    r"(?:up)?on\s+(?:(?:the|this|that|his|her)\s+)?(?:"
    r"(?P<main>(?:adoption\s+of\s+the\s+)?(?:main|original|primary|underlying)\s+(?:motion|question"
    r"|resolution|ordinance)(?:,?\s+as\s+amended)?|(?:[\w.\-]{1,20}\s+){1,4}as\s+amended)"
    r"|(?P<amendment>(?:proposed\s+|first\s+|second\s+)?(?:motion\s+to\s+amend|amendment))"
    r"|(?P<other>(?:adoption\s+of\s+|approval\s+of\s+)?(?:the\s+)?(?:ordinance|resolution|bill"
    r"|by-?law|item|motion|order|application|petition|question|matter)\b[^:.;\n]{0,60}:)"
    r")(?![\w])",
)
_ANNOUNCED = pattern(
    r"(?:^|\b(?:vote|votes|voted|voting|call|called|question|taken|held|roll|then)\b)"
    r"[\s,:\-]{0,4}(?:(?:was|is|being|then|next|again)\s+)?$"
)
_MAIN_TOLD = pattern(
    r"\b(?:main|original|underlying|primary)\s+(?:motion|question)\b|\bas\s+(?:thus\s+|so\s+)?amended\b"
)
_AMENDMENT_TOLD = pattern(r"\bamendments?\b|\bmotion\s+to\s+amend\b")


def question_cues(doc: DocumentText) -> Iterator[QuestionCue]:
    """Yield a cue for every ``On the amendment:`` and ``Roll call vote on Ordinance 6:``."""
    for put in _PUT.find(doc.lower):
        begin = doc.sentence_start(put.start(), 100)
        before = doc.lower[begin : put.start()]
        if not _ANNOUNCED.search(before):
            continue
        if put["other"] and not before.strip():
            continue
        about = MAIN if put["main"] else AMENDMENT if put["amendment"] else OTHER
        yield QuestionCue(begin, put.end(), about=about, at=put.start())


def question_told(before: str, after: str) -> str:
    """Return which question the words around an outcome name, if any."""
    if _MAIN_TOLD.search(before):
        return MAIN
    if _AMENDMENT_TOLD.search(before):
        return AMENDMENT
    return MAIN if _MAIN_TOLD.search(after[:40]) else ""
