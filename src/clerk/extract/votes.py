"""Find the votes of a document: collect the cues, assemble them, and say what each vote is."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from . import outcomes
from .assemble import Motion, assemble
from .ballots import ballot_cues
from .context import SOFT, Cue, DocumentText, MotionCue, OutcomeCue, SecondCue, find_cues
from .forms import blank_stretches
from .model import (
    ABSENT,
    ABSTAIN,
    AYES,
    BALLOTS,
    DIED,
    FOURTH,
    NOES,
    RECUSED,
    THIRD,
    UNKNOWN,
    WITHDRAWN,
    Vote,
)
from .motions import motion_cues
from .names import BALLOT_WORDS
from .roll_calls import roll_call_cues
from .tables import table_cues
from .text import is_inside, pattern, word_set

#: A proposal is a motion only if it is seconded within this many characters.
_SECOND_WITHIN = 400
#: Motion and outcome further apart than this are flagged.
_LONG_GAP = 2000

#: Begins with the end of the line before, and uses up nothing else: the regex engine finds it fast.
_HEADING = pattern(
    r"\n(?= {0,60}(?P<item>\d{1,2}(?:\.\d{1,2}){0,3}\.?|[A-Z]\.|[IVX]{1,5}\."
    r"|\(?[a-z0-9]{1,2}\))\s{1,40}(?P<words>[^\W_]))"
)


def find_votes(doc: DocumentText) -> list[Vote]:
    """Return the votes of a document in the order of the text."""
    blank = blank_stretches(doc)
    cues, tables = table_cues(doc, blank)
    for found in (
        motion_cues(doc),
        find_cues(outcomes.RULES, doc),
        ballot_cues(doc),
        roll_call_cues(doc),
    ):
        for cue in found:
            if not is_inside(tables, cue.start) and not is_inside(blank, cue.start, cue.at):
                cues.append(cue)
    cues.sort(key=lambda cue: (cue.at, not isinstance(cue, MotionCue), -cue.strength))
    motions = assemble(
        doc,
        [
            cue
            for place, cue in enumerate(cues)
            if not isinstance(cue, MotionCue)
            or cue.needs != "second"
            or _is_seconded(cue, cues, place + 1)
        ],
    )
    # The numbered headings and where they begin.
    offsets, items, done = [], [], 0
    for heading in _HEADING.finditer(f"\n{doc.text}"):
        if heading.start() >= done:
            offsets.append(heading.start())
            items.append(heading["item"].strip("().") or heading["item"])
            done = heading.start("words") - 1
    printed = _PrintedNames(doc.text)
    votes = []
    for motion in motions:
        place = bisect_right(offsets, motion.start)
        votes.append(_vote(doc, motion, items[place - 1] if place else None, printed))
    return votes


def _is_seconded(motion: MotionCue, cues: Sequence[Cue], place: int) -> bool:
    """Whether a second or an outcome follows before the next motion."""
    while place < len(cues) and cues[place].start <= motion.end + _SECOND_WITHIN:
        cue = cues[place]
        if isinstance(cue, SecondCue) or (isinstance(cue, OutcomeCue) and cue.strength > SOFT):
            return True
        if isinstance(cue, MotionCue) and cue.strength > SOFT:
            return False
        place += 1
    return False


class _PrintedNames:
    """Lets through only names that the document prints: the last check before publication."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.found: dict[str, bool] = {}

    def only(self, name: str | None) -> str | None:
        """Return the name if its words are printed, as words, next to each other."""
        if not name:
            return None
        if not BALLOT_WORDS.isdisjoint(name.lower().replace("-", " ").split()):
            return None
        if name not in self.found:
            # Fast in the usual case: the first place where the name is printed is a whole word.
            start = self.text.find(name)
            end = start + len(name)
            around = self.text[max(0, start - 1) : start] + self.text[end : end + 1]
            if start >= 0 and not any(letter.isalnum() or letter == "_" for letter in around):
                self.found[name] = True
            else:
                words = r",?\s{1,80}".join(re.escape(word) for word in name.split())
                self.found[name] = re.search(rf"\b{words}(?!\w)", self.text) is not None
        return name if self.found[name] else None


def _vote(doc: DocumentText, motion: Motion, item: str | None, printed: _PrintedNames) -> Vote:
    """Return what is published of a motion."""
    end = motion.end
    if motion.made is not None and not motion.voted:
        end = max(end, doc.sentence_end(motion.made.end))
    start, end = motion.start, max(motion.start + 1, min(end, len(doc.original)))
    inside = doc.original[start:end]
    blank = len(inside) - len(inside.lstrip())
    start, end = start + blank, start + max(blank + 1, len(inside.rstrip()))
    page = doc.page_at(start)
    page_start, page_end = doc.page_bounds(page)

    names = {
        kind: [name for name in motion.ballots.get(kind, []) if printed.only(name)]
        for kind in BALLOTS
    }
    counts = _counts(motion)
    flags = _flags(doc, motion, names, counts)
    unanimous = motion.unanimous and not motion.ballots.get(NOES) and not motion.counts.get(NOES)
    if motion.ballots.get(AYES) or motion.vote_type == "roll_call":
        vote_type = "roll_call"
    elif motion.vote_type:
        vote_type = motion.vote_type
    elif motion.result in (DIED, WITHDRAWN) or not motion.voted:
        vote_type = "none"
    elif AYES in motion.counts:
        vote_type = "tally"
    else:
        vote_type = "unanimous" if unanimous else "unspecified"
    if motion.ballots.get(AYES):
        # The lengths of the printed lists are a tally too.
        counts = {NOES: 0} | {kind: len(each) for kind, each in motion.ballots.items()} | counts
    tally = {_TALLY_NAMES[kind]: counts[kind] for kind in BALLOTS if kind in counts}
    return Vote(
        start=start,
        end=end,
        page=page,
        page_start=start - page_start,
        page_end=min(end, page_end) - page_start,
        item=item,
        motion=motion_text(doc, motion),
        mover=printed.only(motion.mover),
        seconder=printed.only(motion.seconder),
        result=motion.result,
        result_text=motion.outcome.result_text if motion.outcome else None,
        vote_type=vote_type,
        tally=tally if AYES in counts or NOES in counts else None,
        unanimous=unanimous,
        flags=sorted(flags),
        quote=doc.original[start:end],
        confidence=_confidence(motion, flags),
        **names,
    )


_TALLY_NAMES = {AYES: "yes", NOES: "no", ABSTAIN: "abstain", ABSENT: "absent", RECUSED: "recused"}


def _counts(motion: Motion) -> dict[str, int]:
    """Return the counts, those of ``4-0-1-2`` given to the lists they fit, or to the usual ones."""
    counts = dict(motion.counts)
    for place, usual in ((THIRD, ABSTAIN), (FOURTH, ABSENT)):
        number = counts.pop(place, None)
        if number is None:
            continue
        kind = usual
        if not motion.ballots.get(usual):
            for other in (ABSTAIN, RECUSED, ABSENT):
                if motion.ballots.get(other) and len(motion.ballots[other]) == number:
                    kind = other
                    break
        counts.setdefault(kind, number)
    return counts


def _flags(
    doc: DocumentText, motion: Motion, names: dict[str, list[str]], counts: dict[str, int]
) -> set[str]:
    """Return what a reader should know about a vote, and what speaks against it."""
    flags = set(motion.flags)
    if motion.about:
        flags.add(motion.about)
    if motion.mover and motion.mover == motion.seconder:
        flags.add("mover_equals_seconder")
    if set(names[AYES]) & set(names[NOES]):
        flags.add("source_contradiction")
    for kind in (AYES, NOES, ABSTAIN):
        if names[kind] and counts.get(kind, len(names[kind])) != len(names[kind]):
            flags.add("tally_mismatch")
    for name in (*names[AYES], *names[NOES]):
        without_initials = " ".join(word for word in name.split() if len(word.strip(".")) > 1)
        if doc.roster.is_stranger(without_initials or name):
            flags.add("off_roster_name")
    stated = motion.superseded or (motion.outcome is not None and motion.outcome.result)
    if motion.result != UNKNOWN and not stated:
        flags.add("result_implied")
    if motion.made and motion.outcome and motion.outcome.start - motion.made.end > _LONG_GAP:
        flags.add("long_gap")
    return flags


_DOUBTS = word_set(
    """
    source_contradiction tally_mismatch off_roster_name result_implied long_gap missing_comma
    name_typo
    """
)


def _confidence(motion: Motion, flags: set[str]) -> float:
    """Return how sure the reading is: more for what is printed, less for each doubt."""
    sure = 0.45 + 0.15 * (motion.mover is not None) + 0.1 * (motion.seconder is not None)
    sure += 0.08 * (motion.outcome.strength if motion.outcome else 0) + 0.06 * bool(motion.ballots)
    return round(max(0.05, min(0.99, sure - 0.1 * len(flags & _DOUBTS))), 2)


_OPENING = pattern(
    r"[\s,;:.\-)]*(?:(?:the\s+motion|and|be\s+it\s+resolved)\s+)?(?:(?:to|that|for)\s+)?", re.I
)
_CLOSING = pattern(
    r"[\s,;:(\-]+(?:and|which|was|motion|the|a|it|on|with"
    r"|roll\s+call(?:\s+vote)?:?|were|did\s+not)?\s*$",
    re.I,
)
_THAT = pattern(r"[a-z)]+\s*[:,]?\s+(?:that|to)\s+|resolved\s*:\s*")
_DONE = pattern(r"[a-z]+,\s+(?=the\s+(?:meeting|board|council|commission|committee)\b)")
_NO_WORDS = pattern(
    r"(?:(?:and|which|the|this|was|were|with|a|it|all|in|so|its|on)\s+)*"
    r"(?:(?:motion|proposition|seconde?d?|duly|unanimously|failed|passed|carried|approved|adopted"
    r"|granted|denied|deferred|adoption|vote|voted|voting|favou?r|discussion|approval|roll|call"
    r"|question|recorded|aye|unanimous|amendment|main|as|amended|by|put|lost|declared|board"
    r"|council|moved|made|ordered|with|was|is|the|and|being|called|for)[\s,.:;]*)+"
    r"(?:[\d\s\-/(),]|to|with|of){0,16}|\(.{0,12}\)?|[^a-z]{0,12}",
    re.I,
)
#: Words of the vote itself; what contains them is not what was moved.
_VOTE_WORDS = pattern(
    r"\b(?:ayes?|nays?|noes|yeas?|abstain\w*|abstentions?|absent|present|mover|seconder|voting"
    r"|in\s+favou?r|opposed)\b\s{0,3}(?:[:\-=]|\d)"
    r"|^.{0,40}\bvot(?:ed|ing)\s+(?:aye|yes|no|nay|yea)\b"
    r"|[\s,\-:\"](?:aye|nay|yea)\b|\byes\s+no\b|\b[yn]-[a-z]+, [yn]-"
)
_OUTCOME_ONLY = pattern(
    r"(?:(?:the|this)\s+)?(?:motion|vote|question|amendment|mayor\s+declared|cllr|there\s+being)\b"
    r"(?!\s+to\b|\s+that\b)|second\s+of\b|(?:was|were)\s+(?:put|approved|adopted|carried)\b",
    re.I,
)
_BLANK = pattern(r"[\s.:\-\"]{0,200}")
_MOTION_LENGTH = 400


def motion_text(doc: DocumentText, motion: Motion) -> str | None:
    """Return what was moved, in the document's own words: the likeliest place first."""
    made, second, outcome = motion.made, motion.second, motion.outcome
    voted_at = outcome.at if outcome else motion.end
    if motion.ballots_start:
        voted_at = min(voted_at, motion.ballots_start)
    places: list[tuple[int, int]] = []
    if made is not None and outcome is not None and outcome.at < made.start:
        places.append((motion.start, outcome.at))
    else:
        if made is not None:
            edges = (made.words_end, second.start if second else motion.end, voted_at)
            later = [edge for edge in edges if edge > made.end]
            places.append((made.end, _words_end(doc, made.end, min(later, default=None))))
        if second is not None:
            edge = voted_at if voted_at > second.end else None
            places.append((second.end, _words_end(doc, second.end, edge)))
        if outcome is not None:
            that = _THAT.search(doc.lower, outcome.at, outcome.end)
            that = that or _DONE.search(doc.lower, outcome.at, outcome.end)
            if that is not None:
                places.append((that.end(), _words_end(doc, that.end(), None)))
            if made is None and outcome.at > motion.start:
                end = min(outcome.end, motion.start + _MOTION_LENGTH)
                places.append((motion.start, end))
    for start, end in places:
        words = _tidy(doc.original[start:end])
        if _is_motion(words):
            return words
    # The heading above it.
    before = doc.original[max(0, motion.start - 400) : motion.start].rstrip()
    words = _tidy(before.rpartition("\n")[2] or before)
    return words if _is_motion(words) and words[0] not in "=-" else None


def _words_end(doc: DocumentText, start: int, edge: int | None) -> int:
    """Return where the words of a motion end that begin, maybe after a gap, at ``start``."""
    edge = start + _MOTION_LENGTH if edge is None else edge
    gap = _BLANK.match(doc.text, start)
    start = gap.end() if gap else start
    return max(start, min(edge, doc.sentence_end(start, _MOTION_LENGTH)))


def _tidy(text: str) -> str:
    """Return words in one line, without what opens and closes the sentence of a motion."""
    words = " ".join(text.split())
    opening = _OPENING.match(words)
    words = _CLOSING.sub("", words[opening.end() if opening else 0 :]).strip(" .,;:")
    return words if len(words) <= 300 else words[:297].rstrip() + "..."


def _is_motion(words: str) -> bool:
    """Whether words say what was moved, and not that or how it was voted on."""
    if len(words) < 4 or _VOTE_WORDS.search(words.lower()):
        return False
    return _NO_WORDS.fullmatch(words) is None and _OUTCOME_ONLY.match(words) is None
