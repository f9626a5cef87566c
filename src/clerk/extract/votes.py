"""Find the votes of a document: collect the cues, assemble them, and say what each vote is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from . import outcomes
from .assemble import Motion, assemble
from .ballots import ballot_cues
from .confidence import EVENT, FACT, Doubts
from .context import FIRM, SOFT, Cue, DocumentText, MotionCue, OutcomeCue, SecondCue, find_cues
from .findings import (
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
from .forms import blank_stretches
from .items import Heading, Items
from .motions import motion_cues
from .names import BALLOT_WORDS
from .roll_calls import roll_call_cues
from .tables import table_cues
from .text import is_inside
from .wording import Wording, motion_wording

#: A proposal is a motion only if it is seconded within this many characters.
_SECOND_WITHIN = 400
#: Motion and outcome further apart than this are flagged.
_LONG_GAP = 2000


def find_votes(doc: DocumentText, items: Items | None = None) -> list[Vote]:
    """Return the votes of a document in the order of the text."""
    return [reading.vote for reading in read_votes(doc, items)]


@dataclass(frozen=True)
class RuleReading:
    """What one rule read at one place of the text."""

    rule: str
    start: int
    quote: str


@dataclass(frozen=True)
class Reading:
    """A vote, what speaks against it, and which rule read what."""

    vote: Vote
    doubts: Doubts
    doc: DocumentText
    motion: Motion
    wording: Wording | None
    item: Heading | None

    def steps(self) -> list[RuleReading]:
        """Return what each rule read, in the order in which it was put together."""
        doc = self.doc
        steps = [
            RuleReading(cue.rule, cue.start, doc.printed(cue.start, cue.end))
            for cue in self.motion.cues
        ]
        if self.wording is not None:
            start, end = self.wording.start, self.wording.end
            rule = f"motion_wording: {self.wording.place}"
            steps.append(RuleReading(rule, start, doc.printed(start, end)))
        if self.item is not None:
            title = " ".join(part for part in (self.item.number, self.item.title) if part)
            steps.append(RuleReading("item_heading", self.item.start, title))
        return steps


def read_votes(doc: DocumentText, items: Items | None = None) -> list[Reading]:
    """Read the votes of a document, with the reasons to doubt them."""
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
    items = items or Items(doc)
    printed = _PrintedNames(doc.text)
    readings = []
    floor = 0
    for motion, following in zip_longest(motions, motions[1:]):
        limit = following.start if following else len(doc.text)
        readings.append(_read(doc, motion, items, printed, floor, limit))
        floor = max(floor, motion.end)
    return readings


def _is_seconded(motion: MotionCue, cues: Sequence[Cue], place: int) -> bool:
    """Whether a second or an outcome follows before the next motion."""
    while place < len(cues) and cues[place].start <= motion.end + _SECOND_WITHIN:
        cue = cues[place]
        if isinstance(cue, SecondCue) or (isinstance(cue, OutcomeCue) and cue.strength > SOFT):
            return True
        if isinstance(cue, MotionCue) and cue.strength > SOFT and (cue.mover or not cue.reference):
            return False
        place += 1
    return False


#: A vote that lost the space before it: ``Smithabsent``.
_GLUED = re.compile(r"[a-z](?:absent|abstain(?:ed|ing|s)?|excused|recused)$", re.IGNORECASE)


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
        if _GLUED.search(name):
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


def _read(
    doc: DocumentText,
    motion: Motion,
    items: Items,
    printed: _PrintedNames,
    floor: int,
    limit: int,
) -> Reading:
    """Return what is published of a motion between the ``floor`` of one and the ``limit``."""
    end = motion.end
    if motion.made is not None and not motion.voted:
        end = max(end, doc.sentence_end(motion.made.end))
    start, end = motion.start, max(motion.start + 1, min(end, len(doc.original)))
    inside = doc.original[start:end]
    blank = len(inside) - len(inside.lstrip())
    start, end = start + blank, start + max(blank + 1, len(inside.rstrip()))
    page = doc.page_at(start)
    page_start, page_end = doc.page_bounds(page)

    motion.mover, motion.seconder = printed.only(motion.mover), printed.only(motion.seconder)
    names = {
        kind: [name for name in motion.ballots.get(kind, []) if printed.only(name)]
        for kind in BALLOTS
    }
    motion.incomplete |= {
        kind for kind in BALLOTS if len(names[kind]) < len(motion.ballots.get(kind, []))
    }
    counts = _counts(motion)
    if _is_reversed(motion, counts):
        # ``Failed 4-3`` with three names for it and four against: the lists say which is which.
        counts[AYES], counts[NOES] = counts[NOES], counts[AYES]
        motion.flags.add("tally_reversed")
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
    if motion.ballots.get(AYES) and motion.incomplete.isdisjoint((AYES, NOES)):
        # The lengths of lists that were read to their end are a tally too.
        counts = {NOES: 0} | {kind: len(each) for kind, each in motion.ballots.items()} | counts
    if AYES in counts and names[NOES] and NOES not in motion.incomplete:
        counts.setdefault(NOES, len(names[NOES]))
    item = items.at(motion.start)
    wording = motion_wording(doc, motion, item.title if item else None, floor)
    words = wording.words if wording else None
    consent = items.consent(motion.start, item, words)
    if consent and consent.heading:
        # Not the last item of its list, which is next above the vote.
        item = consent.heading
    tally = {_TALLY_NAMES[kind]: counts[kind] for kind in BALLOTS if kind in counts}
    if AYES not in counts and NOES not in counts:
        tally = {}
    doubts = _doubts(doc, motion, names, tally, wording, item, flags)
    if _has_unread_votes(doc, motion, limit):
        doubts.of[EVENT] += ("unread_vote_words",)
    fields = doubts.fields()
    vote = Vote(
        start=start,
        end=end,
        page=page,
        page_start=start - page_start,
        page_end=min(end, page_end) - page_start,
        item=item.number if item else None,
        item_title=item.title if item else None,
        consent_items=consent.items if consent else [],
        consent_exceptions=consent.exceptions if consent else [],
        motion=words,
        mover=motion.mover,
        seconder=motion.seconder,
        result=motion.result,
        result_text=motion.outcome.result_text if motion.outcome else None,
        vote_type=vote_type,
        tally=tally or None,
        unanimous=unanimous,
        flags=sorted(flags),
        quote=doc.original[start:end],
        confidence=doubts.confidence(EVENT),
        field_confidence=fields,
        doubtful=[field for field, sure in fields.items() if sure < FACT],
        doubts=sorted({reason for reasons in doubts.of.values() for reason in reasons}),
        ayes=names[AYES],
        noes=names[NOES],
        abstain=names[ABSTAIN],
        absent=names[ABSENT],
        recused=names[RECUSED],
    )
    return Reading(vote, doubts, doc, motion, wording, item)


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


def _is_reversed(motion: Motion, counts: dict[str, int]) -> bool:
    """Whether a tally names those against first: both lists, read to their ends, say so."""
    if motion.incomplete or AYES not in counts or NOES not in counts:
        return False
    listed = (len(motion.ballots.get(AYES, ())), len(motion.ballots.get(NOES, ())))
    return 0 not in listed and listed[0] != listed[1] and listed == (counts[NOES], counts[AYES])


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
    if motion.incomplete:
        flags.add("incomplete_list")
    for kind in {AYES, NOES, ABSTAIN} - motion.incomplete:
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


#: Signs that a stretch was misread: letters and digits or capitals mixed inside a word.
_NOISE = re.compile(r"[0-9](?<=[a-z].)(?=[a-z])|[~^\u00b0\ufffd\\]|[A-Z](?<=[a-z].)(?=[A-Z])")
#: More than this many of them are too many.
_MUCH_NOISE = 3
_FAR = 600


def _doubts(
    doc: DocumentText,
    motion: Motion,
    names: dict[str, list[str]],
    tally: dict[str, int],
    wording: Wording | None,
    item: Heading | None,
    flags: set[str],
) -> Doubts:
    """Return what speaks against each field that has a value, and against the vote."""
    of: dict[str, tuple[str, ...]] = {EVENT: tuple(_event_doubts(doc, motion, flags))}
    if wording is None:
        of[EVENT] += ("no_words",)
    for field, person in (("mover", motion.mover), ("seconder", motion.seconder)):
        if person:
            of[field] = tuple(_person_doubts(doc, person, flags))
    outcome = motion.outcome
    if motion.result != UNKNOWN:
        doubts: list[str] = [flag for flag in _RESULT_FLAGS if flag in flags]
        if outcome is None:
            doubts.append("no_outcome")
        else:
            doubts += ["hinted_outcome"] if outcome.strength == SOFT else []
            doubts += ["outcome_alone"] if outcome.strength == FIRM and not motion.made else []
        doubts += ["long_gap"] if "long_gap" in flags else []
        of["result"] = tuple(doubts)
    voters = [name for kind in BALLOTS for name in names[kind]]
    if voters:
        doubts = [flag for flag in _LIST_FLAGS if flag in flags]
        if not all(doc.roster.is_known(name) for name in voters):
            doubts.append("only_in_the_list")
        elif doc.roster.official and not all(doc.roster.is_attending(name) for name in voters):
            doubts.append("not_attending")
        strangers = [
            name
            for name in (*names[AYES], *names[NOES])
            if doc.roster.is_stranger(name) and not doc.roster.is_known(name)
        ]
        if 0 < len(strangers) * 2 < len(voters):
            # Most are members of whom the document tells more, and one is printed nowhere else.
            doubts.append("stranger")
        if motion.from_prose:
            doubts.append("names_in_prose")
        if any(len(names[kind]) != motion.counts.get(kind) for kind in (AYES, NOES) if names[kind]):
            doubts.append("not_counted")
        of["names"] = tuple(doubts)
    if tally:
        doubts = [flag for flag in _TALLY_FLAGS if flag in flags]
        doubts += ["incomplete_list"] if motion.incomplete else []
        doubts += ["counted_from_lists"] if AYES not in motion.counts else []
        doubts += ["half_a_tally"] if len(set(tally) & {"yes", "no"}) == 1 else []
        of["tally"] = tuple(doubts)
    if wording is not None:
        doubts = [f"from_{wording.place}"] if wording.place not in ("mover", "seconder") else []
        doubts += ["long_words"] if len(wording.words) > 300 else []
        doubts += ["only_a_person"] if wording.only_a_person else []
        few = len(wording.words.split()) < _FEWEST_WORDS and not _ENOUGH.match(wording.words)
        doubts += ["few_words"] if few else []
        doubts += ["cut_words"] if _GOES_ON.match(doc.text, wording.end) else []
        of["motion"] = tuple(doubts)
    if item is not None:
        doubts = ["no_number"] if item.number is None else []
        doubts += ["no_title"] if item.title is None else []
        doubts += ["far_heading"] if motion.start - item.start > 4 * _FAR else []
        doubts += ["inline_heading"] if item.style == "inline" else []
        of["item"] = tuple(doubts)
    return Doubts(of)


#: Motions that one word says; others have at least this many.
_ENOUGH = re.compile(r"adjourn|recess|reconvene", re.IGNORECASE)
_FEWEST_WORDS = 3
#: What follows goes on: the full stop was that of an abbreviation.
_GOES_ON = re.compile(r"(?<=\.) {1,2}(?:\d|[a-z]{2})|\. {1,2}(?:\d|[a-z]{2})")
_VOTE_WORD = re.compile(
    r"\b(?:ayes?|nays?|noes|yeas?|abstain(?:ed|ing)?|abstentions?|absent|in favou?r|against|opposed"
    r"|dissent(?:ed|ing)|voting record|vot(?:ed|ing)|(?:yes|no) votes?)\b"
)
#: This much text behind a vote may still belong to it.
_BEHIND = 120


def _has_unread_votes(doc: DocumentText, motion: Motion, limit: int) -> bool:
    """Whether words that tell how somebody voted are in or behind a vote, and no rule read them."""
    end = max(motion.end, min(motion.end + _BEHIND, limit))
    if (stop := _BLANK_LINES.search(doc.lower, motion.end, end)) is not None:
        end = stop.start()
    return any(
        not any(cue.start <= word.start() < cue.end + 1 for cue in motion.cues)
        for word in _VOTE_WORD.finditer(doc.lower, motion.start, end)
    )


_BLANK_LINES = re.compile(r"\n *\n *\n")
_BLANK_LINE = re.compile(r"\n *\n")
_RESULT_FLAGS = ("result_implied", "source_contradiction")
_PERSON_FLAGS = ("mover_equals_seconder", "name_typo")
_TALLY_FLAGS = ("tally_mismatch", "tally_reversed")
_LIST_FLAGS = (
    *("incomplete_list", "tally_mismatch", "source_contradiction", "missing_comma", "name_typo"),
    *("label_typo", "off_roster_name"),
)


def _person_doubts(doc: DocumentText, person: str, flags: set[str]) -> list[str]:
    """Return what speaks against a mover or seconder."""
    doubts: list[str] = [flag for flag in _PERSON_FLAGS if flag in flags]
    if not doc.roster.is_known(person):
        doubts.append("not_established")
    elif len(doc.roster.official) > 2 and not doc.roster.is_attending(person):
        doubts.append("not_attending")
    return doubts


_CAPITAL_WORD = re.compile(r"[A-Z][\w'-]+")


def _names_somebody_else(doc: DocumentText, motion: Motion) -> bool:
    """Whether the sentence of the outcome names a member of whom nothing was read."""
    if motion.outcome is None or not doc.roster.attendees:
        return False
    end = motion.outcome.end
    if doc.text[end - 1 : end] != ".":
        # ``Carried 3-0; Smith and Jones left the room.``
        end = max(end, doc.sentence_end(end + 1, 120))
    if (line := _BLANK_LINE.search(doc.text, motion.outcome.at, end)) is not None:
        end = line.start()
    said = {name.split()[-1].lower() for names in motion.ballots.values() for name in names}
    said |= {name.split()[-1].lower() for name in (motion.mover, motion.seconder) if name}
    said |= {
        word.lower() for word in _CAPITAL_WORD.findall(doc.text, motion.start, motion.outcome.at)
    }
    return any(
        word.lower() not in said and doc.roster.is_attending(word)
        for word in _CAPITAL_WORD.findall(doc.text, motion.outcome.at, end)
    )


def _event_doubts(doc: DocumentText, motion: Motion, flags: set[str]) -> list[str]:
    """Return what speaks against a vote and against none of its fields: what it does not say."""
    doubts = []
    if not motion.mover:
        doubts.append("no_mover_named")
    elif not motion.seconder and motion.result not in (DIED, WITHDRAWN):
        doubts.append("no_seconder_named")
    if motion.result == UNKNOWN:
        doubts.append("no_result")
    if motion.vote_type == "roll_call" and not motion.ballots.get(AYES):
        doubts.append("roll_call_without_names")
    elif motion.decided and not (motion.unanimous or motion.ballots or motion.counts):
        # ``Carried.``: who and how many voted may be told in words that no rule reads.
        doubts.append("votes_not_told")
    if motion.unanimous and (motion.ballots.get(NOES) or motion.counts.get(NOES)):
        doubts.append("source_contradiction")
    if motion.counts.get(NOES) and not motion.ballots.get(NOES):
        # ``Passed 4-1``: who was against may be told in words that no rule reads.
        doubts.append("dissent_not_named")
    if _names_somebody_else(doc, motion):
        doubts.append("unread_name")
    if sum(isinstance(cue, MotionCue) and cue.mover is not None for cue in motion.cues) > 1:
        # Two places say who moved: it is the same motion, or another one was missed.
        doubts.append("moved_twice")
    if motion.end - motion.start > 2 * _FAR:
        doubts.append("long_event")
    quote = doc.original[motion.start : motion.end]
    if len(_NOISE.findall(quote)) > _MUCH_NOISE:
        doubts.append("noise")
    if flags & {"amendment", "substitute", "consensus"}:
        doubts.append("not_a_plain_motion")
    return doubts
