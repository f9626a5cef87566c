"""Read motions noted in few signs: ``MOVER: Smith``, ``M/S Smith/Jones``, ``(Smith/Jones)``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .ballots import tally_in
from .context import FIRM, SOFT, Cue, DocumentText, MotionCue, OutcomeCue
from .model import PASSED
from .movers import lead_cue, pair, second_cue, speaks
from .names import Name
from .text import Phrase, indent_start, line_start, pattern

_LABEL = Phrase(
    "mover proposer maker made first 1st motion",
    r"(?P<who>mover|proposer|maker|made\s+by|first|1st|motion\s+maker|moved\s+by)\s{0,4}:\s*",
)


def _label_cues(doc: DocumentText) -> Iterator[MotionCue]:
    """Yield a cue for ``MOVER: Paul Solano`` of a result table."""
    for label in _LABEL.find(doc.lower):
        if label["who"].startswith("moved"):
            continue
        name = doc.name_at(label.end())
        if name is not None and name.start - label.end() < 60 and not speaks(doc, name):
            cue = lead_cue(doc, label.start(), name.end, name)
            cue.label = True
            cue.needs = "second" if label["who"] in ("first", "1st") else ""
            yield cue


_SHORT = Phrase(
    "m/ m. ms",
    r"(?P<sign>m/\s?s(?:\s?/\s?(?P<done>[cpua]{1,2}))?|m\.\s?s\.(?:\s?(?P<dotted>[cpu])\.)?"
    r"|ms(?P<joined>u?[cp]))(?![\w/])(?:\s{1,3}by\b)?",
)


def _short_hand_cues(doc: DocumentText) -> Iterator[Cue]:
    """Yield cues for ``M/S Smith/Jones`` and for the ``MSC`` that says it carried."""
    for short in _SHORT.find(doc.lower):
        printed = doc.text[short.start() : short.end("sign")]
        if not printed.isupper() and "/" not in printed:
            continue
        name = doc.name_at(short.end())
        if name is not None and name.start - short.end() > 4:
            name = None
        seconder = pair(doc, name)
        end = (seconder or name).end if name else short.end()
        done = short["done"] or short["dotted"] or short["joined"]
        if name is not None or not done:
            yield lead_cue(doc, short.start(), end, name, seconder)
        if done:
            outcome = OutcomeCue(
                short.start() + 1,
                max(end, short.end("sign")),
                FIRM,
                result=PASSED,
                result_text=printed,
            )
            outcome.unanimous = "u" in done
            yield outcome


_NUMBERED = pattern(
    r"[0-9][\-/. ]\d{1,4}\s{0,3}[:.\-]?\s{1,40}(?=[^\W\d_])",
)
_NUMBER_START = pattern(
    r"^[ ]{0,60}(?:(?:resolution|motion|res\.?)\s{1,3}(?:no\.?|#|number)?\s{0,3})?"
    r"(?:[a-z]{1,3}[ \-]?)?\d{0,3}$"
)


def _numbered_cues(doc: DocumentText) -> Iterator[MotionCue]:
    """Yield a cue for ``R2018-077 L. Smith, L. Jones: That we approve``."""
    for numbered in _NUMBERED.finditer(doc.text):
        line = line_start(doc.text, numbered.start())
        if not _NUMBER_START.match(doc.lower[line : numbered.start()]):
            continue
        mover = doc.name_at(numbered.end())
        if mover is None or mover.start != numbered.end():
            continue
        seconder = pair(doc, mover)
        if seconder is None or not re.match(
            r"\s{0,3}[:;\-]|\s{1,40}that\b", doc.lower[seconder.end : seconder.end + 44]
        ):
            continue
        cue = lead_cue(doc, line, seconder.end, mover, seconder)
        cue.flags.add("mover_seconder_colon")
        yield cue


_RESOLVED = Phrase("resolved", r"resolved\s*(?:[\w./\-]{0,20}\d[\w./\-]{0,20}\s*)?\(")


def _resolved_cues(doc: DocumentText) -> Iterator[MotionCue]:
    """Yield a cue for ``Resolved (Cr Smith / Cr Jones)``, also with a number before them."""
    for resolved in _RESOLVED.find(doc.lower):
        mover = doc.name_at(resolved.end())
        if mover is not None and mover.titled and mover.start == resolved.end():
            seconder = pair(doc, mover)
            cue = lead_cue(doc, resolved.start(), (seconder or mover).end, mover, seconder)
            cue.done = True
            yield cue


_PAIR_END = pattern(
    r"\s{0,3}(?:\)|[,;:\-]?\s{0,3}\(?(?P<tally>\d{1,2}\s?-\s?\d{1,2}[^()\n]{0,40})\))"
)


_OUTCOME_NEXT = pattern(
    r"[ .,;:\-]{0,4}\n?[ ]{0,8}(?:(?:motion|vote)[ :]{1,3})?"
    r"(?:carried|carries|passed|passes|approved|adopted|failed|denied|defeated|unanimous|all\s+in\s+favou?r|\d{1,2}\s?-\s?\d)"
)
_MOTION_BEFORE = pattern(r"\b(?:motion(?:/second)?|action|vote|moved)\s{0,3}:?\s{0,3}$")
_SHORT_BEFORE = pattern(
    r"(?:m/\s?s(?:\s?/\s?\w{1,2})?|\bmsu?[cp]|\bresolved(?:\s{1,3}[\w./\-]{0,20}\d)?)\s{0,3}$"
)


def _bracket_cues(doc: DocumentText) -> Iterator[MotionCue]:
    """Yield a cue for ``(Smith/Jones)`` and ``(Smith/Jones, 5-0)``."""
    slash = doc.text.find("/")
    while slash >= 0:
        cue = _bracketed_pair(doc, slash)
        if cue is not None:
            yield cue
        slash = doc.text.find("/", slash + 1)


def pair_in_brackets(doc: DocumentText, start: int, end: int) -> tuple[str | None, str | None]:
    """Return the mover and the seconder that a sentence names as ``(Smith/Jones)``."""
    slash = doc.text.find("/", start, end)
    cue = _bracketed_pair(doc, slash) if slash >= 0 else None
    return (cue.mover, cue.seconder) if cue else (None, None)


def _bracketed_pair(doc: DocumentText, slash: int) -> MotionCue | None:
    bracket = doc.text.rfind("(", max(0, slash - 50), slash)
    if bracket < 0 or _SHORT_BEFORE.search(doc.lower[max(0, bracket - 10) : bracket]):
        return None
    mover = doc.name_at(bracket + 1)
    if mover is None or mover.start - bracket > 2 or mover.end not in (slash, slash - 1):
        return None
    seconder = doc.name_at(slash + 1)
    if seconder is None or seconder.start - slash > 2:
        return None
    end = _PAIR_END.match(doc.lower, seconder.end)
    if end is None:
        return None
    motion = _MOTION_BEFORE.search(doc.lower[max(0, bracket - 20) : bracket])
    start = bracket - len(motion[0]) if motion else bracket + 1
    cue = lead_cue(doc, start, end.end(), mover, seconder)
    told = _OUTCOME_NEXT.match(doc.lower, end.end()) and _are_members(doc, mover, seconder)
    cue.needs = "outcome" if motion is None and not (end["tally"] or told) else ""
    if end["tally"]:
        cue.counts = tally_in(doc.lower, end.start("tally"), end.end("tally"))
    return cue


def _are_members(doc: DocumentText, *names: Name) -> bool:
    """Whether the names are known from elsewhere: ``(Parks/Recreation)`` are nobody's."""
    return all(name.titled or name.surname.lower() in doc.roster.known for name in names)


_SLASH_TO = pattern(r"[^\W\d_]{2,30} ?/ ?[^\W\d_]{2,30} {1,3}to (?=[a-z]{3})")


def _slashed_cues(doc: DocumentText) -> Iterator[MotionCue]:
    """Yield a cue for a line that begins ``Smith/Jones to approve``, if both are members."""
    slash = doc.text.find("/")
    while slash >= 0:
        start = line_start(doc.text, slash, 40)
        start += len(doc.text[start:slash]) - len(doc.text[start:slash].lstrip())
        if _SLASH_TO.match(doc.text, start):
            mover = doc.name_at(start)
            seconder = doc.name_at(slash + 1)
            if mover and seconder and mover.end <= slash and _are_members(doc, mover, seconder):
                yield lead_cue(doc, start, seconder.end, mover, seconder)
        slash = doc.text.find("/", slash + 1)


_TWO_NAMES = Phrase(
    "council cllr cr ald trustee mayor deputy reeve director commissioner",
    r"(?=(?:councillor|cllr|cr|councilman|councilmember|alderman|ald|trustee|mayor"
    r"|deputy|reeve|director|commissioner)\b)[^\n]{5,80}\n\s{0,40}(?:resolved|that|be\s+it|whereas)\b",
)


def _two_names_cues(doc: DocumentText) -> Iterator[MotionCue]:
    """Yield a cue for a line ``Councillor Smith - Councillor Jones`` over what they move."""
    for titled in _TWO_NAMES.find(doc.lower):
        start = indent_start(doc.lower, titled.start(), 20)
        mover = doc.name_at(start) if start is not None else None
        link = _LINK.match(doc.text, mover.end) if mover and mover.titled else None
        seconder = doc.name_at(link.end()) if link else None
        if start is None or seconder is None or not seconder.titled:
            continue
        if not doc.text[seconder.end : seconder.end + 20].partition("\n")[0].strip():
            yield lead_cue(doc, start, seconder.end, mover, seconder)


_LINK = pattern(r" {0,4}(?:-|/|,|and\b) {0,4}")


_SIGN = Phrase(
    "MC M.C.U. M/C MP AIF MSC MSP MUC",
    r"(?:MCU|M\.C\.U\.|MC|M/C|MPU|MP|AIF|MSCU|MSPU|MUC)(?=[ .,;\n)]|$)",
)
_BREAK_BEFORE = pattern(r"(?:^|[.,;:)\n])\s{0,3}$")


def _sign_cues(doc: DocumentText) -> Iterator[Cue]:
    """Yield a cue for ``MCU`` (motion carried unanimously), ``MC`` and ``AIF`` (all in favor)."""
    for sign in _SIGN.find(doc.text):
        if not _BREAK_BEFORE.search(doc.text[max(0, sign.start() - 4) : sign.start()]):
            continue
        cue = OutcomeCue(sign.start(), sign.end(), SOFT, result=PASSED, result_text=sign[0])
        cue.unanimous = "U" in sign[0] or sign[0] == "AIF"
        yield cue


_SAID = Phrase(
    "move make second",
    r"(?:(?P<moves>move\b|moved\b|make\s+(?:a|the|that)\s+motion\b)|second\b)",
)
_SPEAKER = pattern(
    r"[ ]{0,20}[^:\n]{3,40}:\s{1,6}(?:(?:i|i'll|i'd|so|yes|well)[\s,]{1,3}){0,2}"
    r"(?:would\s+like\s+to\s+|will\s+|like\s+to\s+)?"
)


def _speaker_cues(doc: DocumentText) -> Iterator[Cue]:
    """Yield a cue for ``MR. SMITH: I move that`` and ``MS. JONES: Second.``"""
    for said in _SAID.find(doc.lower):
        line = line_start(doc.lower, said.start(), 100)
        if not _SPEAKER.fullmatch(doc.lower, line, said.start()):
            continue
        name = doc.name_at(line)
        if name is None or doc.text[name.end : name.end + 1] != ":":
            continue
        if said["moves"]:
            yield lead_cue(doc, name.start, said.end(), name)
        else:
            yield second_cue(doc, name.start, said.end(), name)


def shorthand_cues(doc: DocumentText) -> Iterator[Cue]:
    """Yield a cue for every motion that is noted and not told."""
    yield from _label_cues(doc)
    yield from _short_hand_cues(doc)
    yield from _numbered_cues(doc)
    yield from _resolved_cues(doc)
    yield from _bracket_cues(doc)
    yield from _slashed_cues(doc)
    yield from _two_names_cues(doc)
    yield from _sign_cues(doc)
    yield from _speaker_cues(doc)
