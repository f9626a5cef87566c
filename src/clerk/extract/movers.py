"""Put a name and a place together: who moved, who seconded, and about what."""

from __future__ import annotations

import re

from .context import DocumentText, MotionCue, SecondCue
from .names import Name
from .text import pattern

_AND_NAME = pattern(
    r"\s{0,6}(?:,?\s*(?:and|&)\b|[/,])\s{0,6}(?:seconded\s+by\s+|second\s+by\s+)?", re.I
)
_SUBSTITUTE = pattern(r"\bsubstitute\b|\balternate\s+motion|\bin\s+lieu\b|\bdifferent\s+motion")
_AMENDMENT = pattern(
    r"\b(?:motion|moved?)\s+to\s+amend\b|\bamend\s+the\s+motion"
    r"|\bmotion\s+for\s+(?:an\s+)?amendment|\b(?:moved|proposed|offered)\s+(?:an"
    r"|the\s+following)\s+amendment|\bamendment\s+(?:was\s+)?(?:moved|proposed|made)"
)
_ADVERBS = pattern(
    r"(?:(?:\b(?:then|also|so|again|therefore|thereafter|thereupon|hereby|has|had|would"
    r"|would\s+then|formally|subsequently|now|further|first|next)\b|,)\s*)+$"
)


def lead_cue(
    doc: DocumentText, start: int, end: int, mover: Name | None, seconder: Name | None = None
) -> MotionCue:
    """Return the cue of a motion, the names as the roster spells them."""
    cue = MotionCue(start, end)
    cue.bracket = doc.text[max(0, start - 1) : start] == "("
    cue.mover, flags = doc.roster.surname(mover)
    cue.seconder, more = doc.roster.surname(seconder)
    cue.flags = flags | more
    cue.only_names = mover is not None and _nothing_moved(doc, end)
    cue.about = _about(doc.lower[max(0, start - 30) : doc.sentence_end(end, 90)])
    return cue


def _about(nearby: str) -> str:
    """Return what a motion does with another one, by the words around it."""
    if _SUBSTITUTE.search(nearby):
        return "substitute"
    return "amendment" if "amend" in nearby and _AMENDMENT.search(nearby) else ""


_NOTE = pattern(r"\s{0,3}\([^()\n]{1,30}\)\s{0,3}$")


_ONLY_SECONDED = pattern(r"[,;]?\s*(?:and\s+)?second(?:ed|er)?(?:\s+by)?\s*:?\s*[^,;:]{2,40}\.")


def _nothing_moved(doc: DocumentText, end: int) -> bool:
    """Whether the sentence of a mover names the seconder and says nothing else."""
    if "second" not in doc.lower[end : end + 16]:
        return False
    start = end + doc.lower.startswith(";", end)
    rest = doc.lower[end : doc.sentence_end(start, 90)].rstrip(" )\n")
    return _ONLY_SECONDED.fullmatch(rest) is not None


def edge_of_subject(lower: str, verb: int) -> int:
    """Return where the subject of a verb ends, adverbs and ``(Ward 2)`` passed over."""
    for skipped in (_ADVERBS, _NOTE):
        passed = skipped.search(lower, max(0, verb - 40), verb)
        verb = passed.start() if passed else verb
    return verb


def pair(doc: DocumentText, name: Name | None) -> Name | None:
    """Return the second of ``Smith and Jones`` or ``Smith/Jones`` behind a first name."""
    if name is None:
        return None
    link = _AND_NAME.match(doc.text, name.end)
    return doc.name_at(link.end()) if link else None


def slash_follows(doc: DocumentText, name: Name) -> bool:
    """Whether another name is tied to this one: ``Smith/Jones``."""
    return doc.text[name.end : name.end + 1] == "/"


def speaks(doc: DocumentText, name: Name) -> bool:
    """Whether a name behind a label begins a sentence of its own."""
    return (
        re.match(
            r"\s+(?:made|moved|moves|makes|motioned|asked|stated|said)\b",
            doc.lower[name.end : name.end + 16],
        )
        is not None
    )


def second_cue(doc: DocumentText, start: int, end: int, name: Name) -> SecondCue:
    """Return the cue of a second."""
    cue = SecondCue(start, end)
    cue.seconder, cue.flags = doc.roster.surname(name)
    return cue
