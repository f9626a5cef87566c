"""Find the votes of a document: collect the cues, assemble them, and say what each vote is.

The words of a motion are as printed, from its verb to its end.  They may be in many places.  The
likeliest comes first::

    Motion: To pay the bills.  Moved by Smith, seconded by Jones.    a label above the names
    Smith moved to pay the bills, seconded by Jones.                 behind the mover
    Moved by Smith, seconded by Jones, to pay the bills.             behind the seconder
    On motion of Smith the Board voted to pay the bills.             behind the outcome
    The minutes were approved on the motion of Smith.                before the outcome

Where none of them has any, the heading above is what was voted on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from clerk.core import lazy_re as re

from . import outcomes
from .assemble import Motion, assemble
from .ballots import ballot_cues, roll_call_cues
from .cues import (
    FIRM,
    SOFT,
    Cue,
    DocumentText,
    MotionCue,
    OutcomeCue,
    SecondCue,
    body_is_subject,
    find_cues,
)
from .findings import (
    ABSENT,
    ABSTAIN,
    AYES,
    BALLOTS,
    DIED,
    EVENT,
    FACT,
    FAILED,
    FOURTH,
    NOES,
    RECUSED,
    THIRD,
    UNKNOWN,
    WITHDRAWN,
    Doubts,
    Vote,
)
from .items import Heading, Items
from .motions import motion_cues
from .names import BALLOT_WORDS
from .record import Taking, is_retold, is_told, read_record, strangers
from .tables import table_cues
from .text import end_without, indent_start, is_inside, last_match, line_start, pattern, plain

#: A proposal is a motion only if it is seconded within this many characters.
_SECOND_WITHIN = 400
#: Motion and outcome further apart than this are flagged.
_LONG_GAP = 2000


def find_votes(
    doc: DocumentText, items: Items | None = None, is_minutes: bool = False
) -> list[Vote]:
    """Return the votes of a document in the order of the text."""
    return [reading.vote for reading in read_votes(doc, items, is_minutes)]


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


def read_votes(
    doc: DocumentText, items: Items | None = None, is_minutes: bool = False
) -> list[Reading]:
    """Read the votes of a document, with the reasons to doubt them.

    What does not show that it is the record of a meeting must be known to be (``is_minutes``).
    """
    record = read_record(doc, is_minutes)
    is_recorded = is_minutes or record.is_shown
    blank = record.blank
    cues, tables = table_cues(doc, blank)
    for found in (
        motion_cues(doc),
        find_cues(outcomes.RULES, doc),
        ballot_cues(doc),
        roll_call_cues(doc),
    ):
        for cue in found:
            if not is_inside(tables, cue.at) and not is_inside(blank, cue.start, cue.at):
                cues.append(cue)
    cues.sort(key=lambda cue: (cue.at, not isinstance(cue, MotionCue), -cue.strength))
    items = items or Items(doc)
    motions = assemble(
        doc,
        items,
        [
            cue
            for place, cue in enumerate(cues)
            if not isinstance(cue, MotionCue)
            or cue.needs != "second"
            or _is_seconded(cue, cues, place + 1)
        ],
    )
    strange = strangers(doc, [_taking(motion) for motion in motions])
    printed = _PrintedNames(doc.text_with_digits)
    readings = []
    floor = 0
    for motion, following, is_strange in zip_longest(motions, motions[1:], strange):
        limit = following.start if following else len(doc.text)
        if is_recorded and not is_strange:
            kept = not is_retold(doc, motion.start)
        else:
            named = motion.mover is not None or motion.seconder is not None
            kept = named and not is_told(doc, motion.start, motion.end, is_strange)
            motion.withhold_names(doc, is_strange)
        if kept:
            readings.append(_read(doc, motion, items, printed, floor, limit))
        floor = max(floor, motion.end)
    return readings


#: As many voters on lists that were read to their end are a body.
_WHOLE_BODY = 3


def _taking(motion: Motion) -> Taking:
    """Return who takes part in a vote, by their surnames."""

    def surnames(*kinds: str) -> set[str]:
        return {name.split()[-1].lower() for kind in kinds for name in motion.ballots.get(kind, ())}

    voters = surnames(AYES, NOES)
    named = (name for name in (motion.mover, motion.seconder) if name)
    return Taking(
        motion.start,
        motion.end,
        voters | {name.split()[-1].lower() for name in named},
        surnames(ABSTAIN, ABSENT, RECUSED),
        is_whole=len(voters) >= _WHOLE_BODY
        and not motion.incomplete
        and {AYES, NOES} <= motion.ballots.keys(),
    )


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
        kind: [
            name
            for name in motion.ballots.get(kind, [])
            if printed.only(name) and not doc.roster.is_other(name)
        ]
        for kind in BALLOTS
    }
    motion.incomplete |= {
        kind for kind in BALLOTS if len(names[kind]) < len(motion.ballots.get(kind, []))
    }
    counts = _counts(motion)
    listed = (len(motion.ballots.get(AYES, ())), len(motion.ballots.get(NOES, ())))
    if (
        not motion.incomplete
        and 0 not in listed
        and listed[0] != listed[1]
        and listed == (counts.get(NOES), counts.get(AYES))
    ):
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
    # ``Carried unanimously with Judge Smith voting aye`` names one of many.
    one_of_many = motion.unanimous and motion.from_prose == {AYES} and len(names[AYES]) == 1
    if motion.ballots.get(AYES) and not one_of_many and motion.incomplete.isdisjoint((AYES, NOES)):
        # The lengths of lists that were read to their end are a tally too.
        counts = {NOES: 0} | {kind: len(each) for kind, each in motion.ballots.items()} | counts
    if AYES in counts and names[NOES] and NOES not in motion.incomplete:
        counts.setdefault(NOES, len(names[NOES]))
    item = items.at(motion.start)
    wording = motion_wording(doc, motion, item.title if item else None, floor)
    words = wording.words if wording else None
    if (
        motion.result == FAILED
        and motion.made
        and motion.outcome
        and motion.outcome.refused
        and (wording is None or wording.end > motion.outcome.start)
    ):
        # ``Moved by Smith, seconded by Jones. The request was denied.``: was that moved?
        motion.outcome.result = UNKNOWN
    consent = items.consent(motion.start, item, words)
    if consent and consent.heading:
        # Not the last item of its list, which is next above the vote.
        item = consent.heading
    tally = {_TALLY_NAMES[kind]: counts[kind] for kind in BALLOTS if kind in counts}
    if AYES not in counts and NOES not in counts:
        tally = {}
    doubts = _doubts(doc, motion, names, tally, wording, item, flags)
    behind = max(motion.end, min(motion.end + _BEHIND, limit))
    if (stop := _BLANK_LINES.search(doc.lower, motion.end, behind)) is not None:
        behind = stop.start()
    if not all(
        any(cue.start <= word.start() < cue.end + 1 for cue in motion.cues)
        for word in _VOTE_WORD.finditer(doc.lower, motion.start, behind)
    ):
        # Words that tell how somebody voted are in or behind it, and no rule read them.
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


#: Members have more than one vote each.
_WEIGHTED = pattern(r"\bweighted\s+(?:\w+\s+)?vot")


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
    if {*names[AYES], *names[NOES], motion.mover, motion.seconder} & set(names[RECUSED]):
        flags.add("source_contradiction")
    if motion.unanimous and (motion.ballots.get(NOES) or motion.counts.get(NOES)):
        # ``Carried unanimously. Ayes: 2, Nays: 1``
        flags.add("source_contradiction")
    if motion.incomplete:
        flags.add("incomplete_list")
    weighted = _WEIGHTED.search(doc.lower, max(0, motion.start - 40), motion.end) is not None
    for kind in set() if weighted else {AYES, NOES, ABSTAIN} - motion.incomplete:
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
            of[field] = tuple(flag for flag in _PERSON_FLAGS if flag in flags)
            if not doc.roster.is_known(person):
                of[field] += ("not_established",)
            elif len(doc.roster.official) > 2 and not doc.roster.is_attending(person):
                of[field] += ("not_attending",)
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
        if motion.made is None and motion.second is None and not motion.decided:
            # Names were called, and nobody says what for.
            doubts.append("no_question")
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
    if not motion.is_recorded:
        of = {field: (*reasons, "no_meeting") for field, reasons in of.items()}
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


_BLANK_LINES = re.compile(r"\n *\n *\n")
_BLANK_LINE = re.compile(r"\n *\n")
_RESULT_FLAGS = ("result_implied", "source_contradiction")
_PERSON_FLAGS = ("mover_equals_seconder", "name_typo")
_TALLY_FLAGS = ("source_contradiction", "tally_mismatch", "tally_reversed")
_LIST_FLAGS = (
    *("incomplete_list", "tally_mismatch", "source_contradiction", "missing_comma", "name_typo"),
    *("label_typo", "off_roster_name"),
)


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


#: Motions are published up to this length.
_LONGEST = 600
#: Words before a colon that are as few as this only say whose resolution it is: ``That Council:``
_FEW_WORDS, _SUBJECT_ONLY = 9, 90

#: Nothing, or the number of the first part: ``That Council: 1.``
_NUMBER_ONLY = pattern(r"[\s\-(]{0,80}(?:(?:\d{1,2}|[a-z]|[ivx]{2,4})[.)])?\s{0,40}")
_OPENING = pattern(
    r"[\s,;:.\-)\]\"]*(?:(?:(?:the|a)\s+motion|motion|and|i\s+move|be\s+it\s+(?:further\s+)?resolved(?:\s+by[^,:]{3,80})?"
    r"|it\s+was\s+resolved|resolved?)[\s,:]+)?(?:\(?(?:\d{1,2}|[a-z])[.)]\s+)?(?:(?:to|that|for)[\s:\-]+)?",
    re.I,
)
_CLOSING = pattern(
    r"[\s,;:(.&\-]+(?:unanimously|duly|and|which|was|motion|the|a|it|on|with|by"
    r"|roll\s+call(?:\s+vote)?:?|were|did\s+not)?\s*$",
    re.I,
)
#: How many voted for it, behind the words: ``file the report, 5-0.``
_TALLY_LAST = pattern(r"\s?[,;(]\s?\d{1,2}-\d{1,2}(?:-\d{1,2})?\)?\.?$")
#: The motion after its reasons.
_AFTER_WHEREAS = pattern(r"\b(?:now,?\s+)?therefore,?\s+|\bbe\s+it\s+(?:\w+\s+)?resolved\b", re.I)
_THAT = pattern(
    r"\b(?:resolved|agreed)\s+unanimously\s+(?=there\s|no\s|not\s)"
    r"|\br\u00e9solue?\s+(?:que\s+|de\s+|d')"
    r"|[a-z)\d]+\s*[:,\-]?\s+(?:that\s+(?=[a-z\d$])|to\s+(?=[a-z]))|resolved\s*:\s*|\bvoted\s*:\s*(?:to\s+)?"
)
_DONE = pattern(
    r"[a-z]+\)?,\s+"
    r"(?=the\s+(?:meeting|board|council|commission|committee)\b(?![^.;]{0,30}\bvoted\b))"
)
_NO_WORDS = pattern(
    r"(?:(?:and|which|the|this|they|was|were|with|a|it|all|in|so|its|on)\s+)*"
    r"(?:(?:motion|proposition|seconde?d?|duly|unanimously|failed|passed|carried|approved|adopted"
    r"|granted|denied|deferred|adoption|votes?|voted|voting|favou?r|discussion|approval|roll|call"
    r"|question|recorded|aye|unanimous|amendment|main|as|amended|by|put|lost|declared|board"
    r"|select|town|city|county|village|school|planning|selectboard"
    r"|council|court|commission|committee|authority|members|moved|made|ordered|with|was|is|the"
    r"|and|being|called|for|voice|action|action:|be\s+it|all|in|ayes?|nays?|noes|yeas?|opposed|none"
    r"|tabled|rejected|defeated|withdrawn"
    r"|resolved|following|taken|motioned|so|upon|on|that|to)[\s,.:;\[\]]*)+"
    r"(?:[\d\s\-/(),\[\]]|to|with|of){0,16}|\(.{0,12}\)?|[^a-z]{0,12}|which|this(?:\s+motion)?"
    r"|(?:the|a|this)\s+(?:following\s+)?(?:resolution|ordinance|local\s+law|by-?law)",
    re.I,
)
#: Words of the vote itself; what contains them is not what was moved.
_VOTE_WORDS = pattern(
    r"\b(?:ayes?|nays?|noes|yeas?|abstain\w*|abstentions?|absent|present|mover|seconder|voting"
    r"|in\s+favou?r|opposed)\b\s{0,3}(?:[:\-=]|\d)"
    r"|^.{0,40}\bvot(?:ed|ing)\s+(?:aye|yes|no|nay|yea)\b"
    r"|[\s,\-:\"](?:aye|nay|yea)\b|\byes\s+no\b|\b[yn]-[a-z]+, [yn]-"
    r"|\bseconded\s+by\s.{2,80}\bmotion\s+(?:carried|passed)\b|^(?:none|nil)$"
)
_OUTCOME_ONLY = pattern(
    r"(?:(?:the|this)\s+)?(?:motion|vote|question|amendment|results?|mayor\s+declared|there\s+being)\b"
    r"(?!\s+to\b|\s+that\b)|second\s+of\b|(?:was|were)\s+(?:put|approved|adopted|carried)\b"
    r"|(?:(?:up)?on\s+)?roll\s+call\b|(?:motion\s+)?seconded\b|voice\s+vote\b|by\s+a\s+vote\b"
    r"|upon\s+(?:a\s+)?vote\b|(?:the\s+)?(?:\w+\s+){0,2}(?:board|council|commission|committee),?\s+by\s+an?\s"
    r"|proposed\s+(?:as\s+[^.;]{3,40}\s+)?by\b|by\s+\S+(?:\s\S+)?$"
    r"|il\s+est(?:\s+\w+)?$|voted\s+(?:unanimously\s+)?(?:at\s+[\d:.]+\s?[ap]\.?m\.?,?\s+)?(?:on|by)\b(?!.*\sto\s)",
    re.I,
)
#: Says nothing of what: ``who moved its adoption``.
_ITS_ADOPTION = pattern(
    r"(?:who|and)\s+moved\s+(?:for\s+)?(?:its|the)\s+(?:adoption|passage|approval)", re.I
)
_BLANK = pattern(r"[\s.,:\-\")\]]{0,200}")
#: A semicolon or full stop inside a motion: more of it follows, and not what became of it.
_ENDS = pattern(
    r"[;.]\s{0,40}(?:and,?\s+)?(?:(?:the|this|said|which|his|her|upon|on|a|by|with|it)\s+){0,2}"
    r"(?:motions?|second\w*|roll|vot\w+|carried|passed|approved|unanim\w+|ayes?|yeas?|all\s+in"
    r"|discussion|council\w*|commissioner|trustee|mayor|chair\w*|member|mr|mrs|ms|dr|cllr|cr|director"
    r"|supervisor|select\w+|adopted|resolved|no\s+further)\b"
)
_SECONDED_WITHOUT_COMMA = pattern(
    r"[,;.]?(?<!\bbe)\s+(?:(?:and\s+)?(?:(?:it|the\s+motion|which|motion)\s+)?(?:was\s+)?(?:duly\s+)?"
    r"(?:seconded|supported)\b|second(?:ed)?\s+by\b|2\s?nd\s+by\b)"
)
#: ``Moved by Smith and seconded to adjourn``
_SECONDED_BY_NOBODY = pattern(r",?\s+(?:and\s+)?(?:duly\s+)?seconded,?\s+(?=(?:to|that)\s)")
_CARRIED_BEHIND = pattern(
    r"[,;.]?\s+(?:(?:and|which|the\s+motion|motion)\s+){0,2}(?:was\s+)?(?:unanimously\s+)?"
    r"(?:carried|passed|failed)\b(?:\s+unanimously\b|\s+\(?\d|\s*[.;]|$)"
)
_VOTED_BEHIND = pattern(r"[,;]?\s+and\s+(?:the\s+)?(?:\w+\s+){1,3}voted\b")
_LINE_WITH_TO = pattern(r"[)\s]{0,4}[A-Z][^\n.]{3,60}\n\s{0,10}(?=To\s+[a-z])")
#: The hour ends the sentence if the next word has a capital.
_AFTER_HOUR = pattern(r"[ap]\.m\.(?=\s{1,3}(?:On|Upon|The|All|Roll|Motion|A)\s)")
#: Where a line is a paragraph, the next one that begins with a capital is another.
_NEXT_PARAGRAPH = re.compile(r"\n(?<=[^\s:,;-]\n) {0,20}(?=[A-Z])")
#: A line that begins with the vote.
_VOTE_BELOW = pattern(r"\n[ ]{0,20}(?:VOTE|Vote|ROLL\s+CALL|Roll\s+Call|RESULT|Weighted)\b")
#: A label, in a line of its own or before the names, with the words of the motion behind it.
_LABEL_ABOVE = pattern(
    r"(?:^|\n)[ ]{0,40}(?:recommended\s)?(?:motion|recommendation|resolution|action|proposal)"
    r"\s{0,3}:\s{0,20}(?=[^\n:])",
    re.I,
)
#: The same in text that lost its lines: ``Minutes of May RESOLUTION: That they be confirmed.``
_LABEL_IN_LINE = pattern(
    r"\b(?:MOTION|RECOMMENDATION|RESOLUTION)\s{0,3}:\s{0,20}(?=T(?:hat|HAT)\b|I move\b)"
)
_LABELLED = 500
#: Behind a colon of their own such words are about another motion.
_NOT_MOVED = pattern(r"\b(?:moved|seconded|passed|carried|failed|in favou?r)\b", re.I)
_LABEL_BELOW = pattern(
    r"[\s.]{0,20}motion\s{0,3}:\s{0,20}(?=to\b|that\b|approv|accept|adopt)", re.I
)
#: Says nothing without what it is about: ``Smith proposed acceptance.``
_BARE_NOUN = pattern(
    r"(?:the\s+)?(?:acceptance|approval|adoption|so|it|this|as\s+(?:presented|submitted|amended)"
    r"|(?:approve|accept|adopt)(?:\s+(?:the\s+item|it|this))?)(?:\s+as\s+\w+)?",
    re.I,
)
#: What the agenda asks for, in the line above: ``(ii) To approve the accounts.``
_ASKED_ABOVE = pattern(
    r"(?:^|\n)[ ]{0,20}(?:\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)]\s{0,4})?(?P<words>(?:To"
    r"|That)\s[^\n]{8,200})"
    r"\n\s{0,20}$"
)
#: The same with the number of an article or a subject: ``Article 3. To see if the Town will``.
_LISTED_ABOVE = pattern(
    r"(?:^|\n) {0,40}(?:article|art\.|subject|item)\s(?:no\.?\s?)?#?\d{1,3}\s?[.:)-]{0,2}\s{1,8}"
    r"(?=to\s)(?:to\s+(?:see|determine)\s+(?:if|whether)\s+the\s+[\w\s]{3,40}?\s+will\s+(?:vote\s+to\s+)?)?"
    r"(?P<words>\S)",
    re.I,
)
#: ``(Town)`` behind a name.
_NOTE = pattern(r"\([^()]{1,30}\)[\s,;:]{0,4}(?=\S)")
#: The motion in the sentence above the names.
_MOTION_ABOVE = pattern(r"\bmotion\s+to\s+(?P<words>[^.]{8,400}\.|[^.\n]{5,200})\s{0,40}$", re.I)
#: Words that only announce what follows.
_ANNOUNCED = pattern(
    r"(?:that\s+)?(?:the\s+)?following\s+actions?\s+be\s+taken[^:]{0,40}:\s+(?=\S)", re.I
)
_FOLLOWS = pattern(r".{0,40}\bfollowing\b.{0,60}", re.I)
#: How it was voted, before what was voted on.
_VOTED_TO = pattern(
    r"(?:(?:and|it\s+was|was|then|unanimously)\s+)*(?:voted\s*:?\s+(?:unanimously\s+|\(?\d{1,2}\s?-\s?\d{1,2}\)?,?\s+)?"
    r"(?:with\s[^.;]{3,60},\s+)?to\s+"
    r"|(?:by|on|with)\s.{3,90}?\bthe\s+motion\s+to\s+)",
    re.I,
)


#: How it was voted, behind what was voted on.
_BY_THE_VOTE = pattern(
    r",?\s+(?:by|on|with|upon)\s+(?:the|a)\s+following\s+(?:unanimous\s+|roll[\s-]call\s+|voice\s+)?vote\b.{0,20}$",
    re.I,
)
#: What was voted on is longer than this.
_ITS_VOTE = 8


@dataclass(frozen=True)
class Wording:
    """The words of a motion, where they are, and what kind of place that is."""

    words: str
    start: int
    end: int
    #: "label", "mover", "seconder", "outcome", "statement", "below", "above" or "heading".
    place: str

    @property
    def only_a_person(self) -> bool:
        """Whether they name somebody and do not say what for: ``Cllr Tong proposed Cllr Smith``."""
        return _ONLY_A_PERSON.fullmatch(self.words) is not None


def motion_wording(
    doc: DocumentText, motion: Motion, item_title: str | None, floor: int = 0
) -> Wording | None:
    """Return what was moved, in the document's own words, or the title of its item.

    The vote before it ends at ``floor``.
    """
    person: Wording | None = None
    for place, start, end in _places(doc, motion, floor):
        words = _tidy(_as_printed(doc, start, end))
        # Initials say who, and the item what for: ``CC was proposed by DM``.
        initials = place == "above" and words.isupper() and bool(item_title)
        if _says_what(words) or (initials and _ONE_PERSON.fullmatch(words)):
            if _ONLY_A_PERSON.fullmatch(words):
                # What for may be said further on.
                person = person or Wording(words, start, end, place)
                continue
            if person is not None and place != "outcome":
                continue
            bare = _BARE_NOUN.fullmatch(words) or (
                place == "above" and _ONE_PERSON.fullmatch(words)
            )
            if bare and (about := _about(doc, motion, item_title)):
                words = f"{words} ({about})"
            if _ONLY_A_NUMBER.fullmatch(words) and (
                resolved := _RESOLVED_BELOW.match(doc.text, end)
            ):
                # ``who moved its adoption: RESOLUTION NO. 12`` above ``BE IT RESOLVED that``
                end = doc.sentence_end(resolved.end(), _LONGEST)
                words = f"{words}: {_tidy(_as_printed(doc, resolved.start(), end))}"
            return Wording(words, start, end, place)
    if person is not None:
        return person
    return Wording(item_title, motion.start, motion.start, "heading") if item_title else None


_ONLY_A_NUMBER = pattern(
    r"(?:resolution|ordinance|by-?law|local\s+law)\s+(?:no\.?\s{0,2}|#)?[\w./-]*\d[\w./-]*", re.I
)
_RESOLVED_BELOW = pattern(r"\s{1,80}be\s+it\s+(?:\w+\s+)?resolved\b", re.I)
_ONE_PERSON = re.compile(r"(?:[A-Z][\w.'-]* ){0,4}[A-Z][\w'-]+")
_ONLY_A_PERSON = pattern(r"(?:Cllr|Councill?or|Cr|Mr|Mrs|Ms|Miss|Dr)\.?(?: [A-Z][\w'.-]*){1,3}")
#: What precedes a motion in its line: ``Treasurer's report: Smith made a motion to accept``.
_LEADS_TO = re.compile(r"[ ]{0,8}(?P<about>[^\n:;.]{6,60})[:;] {1,3}$")


def _about(doc: DocumentText, motion: Motion, item_title: str | None) -> str | None:
    """Return what a motion without words is about: what leads to it in its line, or its item."""
    line = line_start(doc.text, motion.start)
    leads = _LEADS_TO.match(doc.text, line, motion.start)
    return leads["about"] if leads and _says_what(leads["about"]) else item_title


#: Marks of style that are no words.
_STYLE = dict.fromkeys(map(ord, "*_|`\\"), " ")


def _as_printed(doc: DocumentText, start: int, end: int) -> str:
    """Return a stretch as printed, without running headers, line numbers and marks of style."""
    original, text = doc.original[start:end], doc.text[start:end]
    if text in (original, plain(original)):
        return original.translate(_STYLE)
    letters = []
    for printed, normal in zip(original, text, strict=True):
        moved = printed.isspace() or (
            normal != printed and (normal.isalnum() or (normal == "-" and printed.isalnum()))
        )
        dropped = normal.isspace() and printed != "#"
        letters.append(normal if dropped or moved else printed)
    return "".join(letters)


#: What was resolved, above an outcome that is alone in its line: ``Be it resolved that``.
_RESOLVED_ABOVE = pattern(r"\b(?:be\s+it\s+(?:\w+\s+)?resolved|resolved),?\s+that:?\s+", re.I)
_CARRIED_THEN = pattern(
    r"(?:carried|passed|approved|adopted)(?:\s+\w+ly)?(?:\s+\d{1,2}\s?-\s?\d{1,2})?,\s+"
    r"(?=(?:the|all|an?|it|that|to|this|bills|minutes|permission)\s)"
)
_WAS = pattern(
    r"(?![\s,]{0,3}(?:it|the\s+following)\s)[^.;\n]{3,200}\s(?:was|were)\s+(?:\w+ly\s+)?"
)
#: ``Resolution #1001`` in a line of its own, and below it ``to adopt the agenda``.
_NUMBERED_ABOVE = pattern(
    r"(?:^|\n)[ \u2022*\-]{0,20}(?:Resolution|RESOLUTION|Motion|MOTION)\s(?:No\.?\s|NO\.?\s)?"
    r"[# ]{0,2}[\w./\-]*\d[\w./\-]*[ ]{0,8}\n\s{1,60}(?=(?:to|that|That|To)\s)"
)
_THAT_ABOVE = pattern(r"(?:^|\n)[ ]{0,20}(?=That\s|THAT\s)")
#: A pronoun for what the sentence before it says: ``This was introduced by Smith``.
_PRONOUN_ONLY = pattern(
    r"(?:this|it|the\s+(?:same|resolution|ordinance|motion))\s+(?:(?:was|is)\s*)?", re.I
)
#: Who was proposed or nominated: ``Mr. Smith was``.
_SOMEBODY_WAS = re.compile(r"(?P<who>(?:[A-Z][\w.'-]*\s){0,4}[A-Z][\w'-]+)\s+(?:was|is)\s+")
#: The mover of a motion that is a line of its own: ``By: Smith``.
_BY_LABEL = pattern(r"\n\s*(?:by|moved\s+by|mover|proposed\s+by)\s?:?\s*$", re.I)
#: ``Smith introduced Resolution No. 12 and moved its adoption``
_INTRODUCED = pattern(
    r"\b(?:introduced|offered|presented|submitted|sponsored)\s+(?P<words>[^;\n]{4,140}?)\s+and\s+moved"
)
#: ``The minutes were motioned for approval by Smith``
_MOTIONED = pattern(r"(?P<words>[A-Z][^.]{8,300}?\bmotioned\s+for\s+\w+)\s+by\b")
#: A title that begins the line of its motion is no longer than this.
_RUN_IN = 80
#: ``Adjournment``, and below it ``The meeting adjourned at 9 p.m. on motion of Smith``.
_TITLE_ABOVE = re.compile(r"[A-Z][^\n.;:,]{2,40}\n\s*(?=(?:The|There|An?|This|It)\s)")
#: What was resolved is at most this far above its outcome.
_RESOLVED_REACH = 1500


def _places(doc: DocumentText, motion: Motion, floor: int) -> Iterator[tuple[str, int, int]]:
    """Yield where the words of a motion may be, the likeliest place first."""
    made, second, outcome = motion.made, motion.second, motion.outcome
    voted_at = outcome.at if outcome else motion.end
    if motion.ballots_start:
        voted_at = min(voted_at, motion.ballots_start)
    outcome_first = made is not None and outcome is not None and outcome.at < made.start
    if made is not None and made.words_above:
        yield "above", made.start, _words_end(doc, made.start, made.at)
    if made is not None and made.bracket:
        # ``Approve the article (Smith/Jones 4-2)``
        bracket = made.start - 1
        yield "above", doc.sentence_start(made.start, 400), bracket
        if indent_start(doc.text, bracket, 60) is not None:
            # ``That the plan be adopted.`` above ``(Moved Cr Smith, seconded Cr Jones)``
            top = max(floor, bracket - _RESOLVED_REACH)
            if that := last_match(_THAT_ABOVE, doc.text, top, bracket):
                yield "above", that.end(), end_without(doc.text, bracket, " \n")
    if made is not None and not outcome_first:
        if above := _label_above(doc, made.start, floor):
            yield "label", *above
        edges = (made.words_end, second.start if second else motion.end, voted_at)
        nobody = _SECONDED_BY_NOBODY.match(doc.lower, made.end)
        start = nobody.end() if nobody else made.end
        if made.label and (role := _ROLE_BEHIND.match(doc.text, start)):
            start = role.end()
        for cue in motion.cues:
            if made.done and isinstance(cue, MotionCue) and 0 <= cue.start - made.end < 4:
                # ``On motion of Smith, it was moved that``
                start = cue.end
        later = [edge for edge in edges if edge > start]
        if made.done and outcome is not None:
            named = max(made.end, second.end if second and second.end <= outcome.at else 0)
            if _WAS.fullmatch(doc.lower, named, max(named, outcome.at)):
                # ``On motion of Smith, seconded by Jones, the bid was rejected``
                yield "mover", named, _whole_statement(doc, motion)
            elif then := _CARRIED_THEN.match(doc.lower, outcome.at):
                # ``On motion of Smith, seconded by Jones and carried, the bills were paid``
                yield "outcome", then.end(), _words_end(doc, then.end(), None)
        yield "mover", start, _words_end(doc, start, min(later, default=None))
        if outcome is not None:
            named = max(made.end, second.end if second and second.end <= outcome.at else 0)
            if named <= outcome.at and _BODY_DID.fullmatch(doc.lower, named, outcome.at):
                # ``On motion of Smith, the Board approved the contract by the following vote:``
                edge = motion.ballots_start if motion.ballots_start > outcome.at else None
                yield "outcome", outcome.at, _words_end(doc, outcome.at, edge)
    elif made is not None and (that := _THEN_THAT.match(doc.lower, made.end)):
        # ``Resolved on the proposition of Smith, seconded by Jones, that the fee be set.``
        yield "mover", that.end(), _words_end(doc, that.end(), None)
    if made is None and second is not None and not outcome_first:
        if label := _LABEL_MADE_BY.search(doc.text, max(floor, motion.start - 400), motion.start):
            yield "label", *label.span("words")
        by = _BY_LABEL.search(doc.text, max(0, motion.start - 24), motion.start)
        if by and line_start(doc.text, by.start()) >= floor:
            yield "above", line_start(doc.text, by.start()), by.start()
    if made is None and outcome is not None and second is None:
        if outcome.label and (above := _label_above(doc, outcome.start, floor)):
            # ``MOTION: That the fee be set.`` above ``RESULT: Carried``
            yield "label", *above
        bottom = max(floor, outcome.at - _RESOLVED_REACH)
        if numbered := last_match(_NUMBERED_ABOVE, doc.text, bottom, outcome.at):
            paragraph = doc.text.find("\n\n", numbered.end(), outcome.at)
            edge = paragraph if paragraph >= 0 else outcome.at
            yield "above", numbered.end(), _words_end(doc, numbered.end(), edge)
        resolved = last_match(_RESOLVED_ABOVE, doc.text, bottom, outcome.at)
        if resolved is not None:
            yield "above", resolved.end(), _words_end(doc, resolved.end(), outcome.at)
    if made is not None and (motioned := _MOTIONED.match(doc.text, made.start, made.end)):
        yield "statement", motioned.start("words"), motioned.end("words")
    if second is not None and not outcome_first:
        below = _LABEL_BELOW.match(doc.text, second.end)
        start = below.end() if below else second.end
        if second.label and (role := _ROLE_BEHIND.match(doc.text, start)):
            start = role.end()
        while not below and (link := _AND.match(doc.text, start)):
            # Others with a title seconded, too.
            name = doc.name_at(link.end())
            if not (name and name.titled and name.start == link.end()):
                break
            if not _MORE.match(doc.text, name.end):
                break
            start = name.end
        if not below and (
            opening := _BE_IT_RESOLVED.match(doc.text, start)
            or _FIRST_OF_LIST.match(doc.text, start)
        ):
            start = opening.end()
        edge = voted_at if voted_at > second.end else None
        if line := _LINE_WITH_TO.match(doc.text, start):
            # Something else fills the line of the names.
            yield "seconder", line.end(), _words_end(doc, line.end(), edge)
        yield "seconder", start, _words_end(doc, start, edge)
    if made is not None and indent_start(doc.text, made.start, 40) is not None:
        # What is resolved in the sentence that ends where the names begin, in a new line.
        bottom = max(floor, made.start - _RESOLVED_REACH)
        if resolved := last_match(_RESOLVED_ABOVE, doc.text, bottom, made.start):
            end = _words_end(doc, resolved.end(), made.start)
            if not doc.text[end : made.start].strip(" \n."):
                yield "above", resolved.end(), end
    if outcome is not None:
        said = [where.search(doc.lower, outcome.at, outcome.end) for where in (_DONE, _THAT)]
        that = min((each for each in said if each), key=lambda each: each.end(), default=None)
        if doc.lower.startswith(("elected", "appointed"), outcome.at):
            # Who, and not only what for: ``elected Ann Smith to be chair``.
            that = None
        names = motion.ballots_start if motion.ballots_start > outcome.at else None
        after = _whole_statement(doc, motion)
        if resolved := _BE_IT_RESOLVED.match(doc.text, after):
            # ``ADOPTED BE IT RESOLVED, the Board does hereby``
            yield "below", resolved.end(), _words_end(doc, resolved.end(), None)
        if _is_that(doc, after):
            yield "below", after, _words_end(doc, after, None)
        if made is None and second is None and outcome.at == outcome.start:
            begin = line_start(doc.text, outcome.at)
            if _RUN_IN_LINE.fullmatch(doc.text, begin, outcome.at):
                # ``Minutes of May 4 were reviewed. Approved unanimously.``
                yield "above", begin, outcome.at
            if _RESULT_ALONE.match(doc.text, begin):
                # The paragraph above a result that is alone in its line is the title of a matter.
                bottom = end_without(doc.text, begin, " \n")
                top = max(floor, doc.text.rfind("\n\n", 0, bottom) + 2)
                kind = _KIND.match(doc.text, top)
                top = kind.end() if kind else top
                if 0 < bottom - top <= _LONGEST:
                    yield "above", top, bottom
        if that is not None and not outcome_first:
            before = names if names and names > that.end() else None
            yield "outcome", that.end(), _words_end(doc, that.end(), before)
        if outcome_first or (made is None and outcome.at > motion.start):
            begin = doc.sentence_start(outcome.at, 400)
            top = line_start(doc.text, outcome.at, 400)
            if top > begin and doc.text[top : top + 1].isupper():
                # A line begins a sentence if it is below one that is much shorter.
                over = doc.text.find("\n", top)
                length = (len(doc.text) if over < 0 else over) - top
                shorter = (top - line_start(doc.text, max(0, top - 1))) * 2 < length
                begin = top if shorter else begin
            if outcome.label:
                # ``Buy two snow plows`` above ``RESULT: ADOPTED``: a request, or only a title.
                labels = (made, second, outcome)
                edge = min(cue.start for cue in labels if cue is not None)
                bottom = end_without(doc.text, edge, " \n")
                begin = max(floor, doc.sentence_start(max(0, bottom - 1), 400))
                if begin < bottom:
                    told = _SENTENCE_VERB.search(doc.lower, begin, bottom)
                    is_title = (
                        doc.text[bottom - 1] not in ".;:"
                        and "\n" not in doc.text[begin:bottom]
                        and "\n\n" not in doc.text[bottom:edge]
                    )
                    if not told and _ASKED.match(doc.text, begin, bottom):
                        yield "above", begin, bottom
                    elif not told and is_title:
                        yield "heading", begin, bottom
            else:
                if body_is_subject(doc.lower[begin : outcome.at]):
                    # ``The Board unanimously appointed Ann Smith.``
                    yield "outcome", outcome.at, _words_end(doc, outcome.at, names)
                yield "statement", begin, _whole_statement(doc, motion)
        if that is not None:
            yield "outcome", that.end(), _words_end(doc, that.end(), None)
        behind = doc.sentence_end(outcome.at)
        if _is_that(doc, behind):
            yield "below", behind, _words_end(doc, behind, None)
    if motion.ballots_end and (below := _BELOW_LISTS.match(doc.text, motion.end)):
        yield "below", below.end(), _words_end(doc, below.end(), None)
    if made is not None and (moved := _INTRODUCED.search(doc.text, made.start, made.end)):
        yield "statement", *moved.span("words")
    if made is not None and made.start > 0:
        if made.only_names and (
            listed := last_match(_LISTED_ABOVE, doc.text, max(floor, made.start - 1500), made.start)
        ):
            yield "above", listed.start("words"), doc.sentence_end(listed.start("words"))
        floor = max(0, made.start - 500)
        if moved := _MOTION_ABOVE.search(doc.text[floor : made.start]):
            yield "above", floor + moved.start("words"), floor + moved.end("words")
        if asked := _ASKED_ABOVE.search(doc.text[floor : made.start]):
            yield "above", floor + asked.start("words"), floor + asked.end("words")
        begin = doc.sentence_start(made.start, 400)
        if somebody := _SOMEBODY_WAS.fullmatch(doc.text, begin, made.start):
            yield "above", begin, somebody.end("who")
        if _PRONOUN_ONLY.fullmatch(doc.text, begin, made.start):
            yield "above", doc.sentence_start(max(0, begin - 3), 400), begin
        if title_above := _TITLE_ABOVE.match(doc.text, begin, made.start):
            begin = title_above.end()
        if begin < made.start:
            yield "above", begin, made.start
        # ``Consent agenda. Smith so moved.``
        title = line_start(doc.text, made.start)
        if title < begin and made.start - title <= _RUN_IN:
            yield "above", title, made.start


#: What a line above the labels of a vote asks for: ``Approve the plan``.
_ASKED = pattern(
    r"\s{0,40}(?:(?:to|that|motion\s+to)\s+\w|(?:accept|adjourn|adopt|allow|amend|appoint|approve|authori[sz]e"
    r"|award|buy|close|confirm|continue|declare|deny|designate|direct|enter\s+into|establish|execute|extend"
    r"|grant|hire|introduce|pay|postpone|purchase|ratify|reappoint|receive|refer|reject|renew|repeal"
    r"|rescind|sell|set|support|table|terminate|transfer|waive)\s+\w)",
    re.I,
)
_SENTENCE_VERB = pattern(r"\b(?:is|are|was|were|has|had)\b")
#: What somebody is, in the line of a label: ``MOVER: Ann Smith, Vice Chair``.
_ROLE_BEHIND = re.compile(r",[ ]{1,3}[A-Z][A-Za-z \-]{2,40}(?=\n|  |$)")
#: What the body did, below the lists: ``the Board awarded the contract.``
_BELOW_LISTS = re.compile(
    r"[\s.]{1,20}(?=(?:the (?:Board|Council|Commission|Committee|Court)|it was resolved) [a-z])"
)
_AND = re.compile(r",?\s+(?:and\s+)?")
#: ``Motion: To approve the budget. Made by Smith, seconded by Jones.``
_LABEL_MADE_BY = re.compile(
    r"\bM(?:otion|OTION) ?: {1,3}(?P<words>[^:]{4,300}?)[.;]\s+(?:Made|Moved)(?: by)?\s*$"
)
_THEN_THAT = pattern(r",\s+that\s+")
#: A motion in several parts, below the names: ``1. That the fee be set;``
_FIRST_OF_LIST = re.compile(r"[ .]{0,4}\n\s{0,40}\(?(?:1|[aAiI])[.)]\s{1,8}(?=T(?:hat|HAT|o|O)\b)")
_BE_IT_RESOLVED = pattern(
    r"[\s,;]{0,4}be\s+it[;:,]?\s+resolved[,:]?\s+(?:as\s+it\s+is\s+hereby\s+resolved,?\s+)?", re.I
)


#: Another seconder follows, or what was moved.
_MORE = re.compile(r",(?:\s+Jr\.,)?\s+(?:and\s+)?(?=[A-Z]|be it\b|to\b|that\b)|\s+and\s+(?=[A-Z])")
_BODY_DID = pattern(
    r"[\s,;]{1,4}(?:[a-z]+\s+){0,4}(?:board|council|commission(?:ers)?|committee|court|trustees|directors"
    r"|supervisors|selectmen|authority|jury|members|assembly)"
    r"(?:,?\s+by\s+an?\s+[\w -]{3,16}\s+vote(?:\s+\([^()]{3,60}\))?,?)?\s+(?:\w+ly\s+)?"
)
#: The kind of a matter, before its title: ``RESOLUTION - ``.
_KIND = pattern(r"(?:[\w./-]*\d[\w./-]*\s{1,40})?(?:[A-Z]{4,20} {0,3}[-:] {0,3})?")


_RUN_IN_LINE = re.compile(r" {0,12}(?:\d{1,2}[.)] {1,4})?[A-Z][^\n]{12,140}\. {1,3}")
_RESULT_ALONE = re.compile(r" {0,40}[A-Z][a-z]+(?: [A-Za-z]+){0,3} {0,8}\n")


def _whole_statement(doc: DocumentText, motion: Motion) -> int:
    """Return where a statement ends that is the motion itself: ``The minutes were approved``."""
    assert motion.outcome is not None
    verb = re.compile(r"[^\W\d_]+").match(doc.lower, motion.outcome.at)
    return verb.end() if verb else motion.outcome.at


def _is_that(doc: DocumentText, position: int) -> bool:
    """Whether a clause with "that" begins at a position, in a paragraph of its own."""
    gap = _BLANK.match(doc.text, position)
    after = gap.end() if gap else position
    between = doc.text[position:after]
    if '"' in between:
        return doc.lower.startswith(("that ", "to "), after)
    if doc.text.startswith("THAT ", after):
        return True
    return "\n" in between and doc.lower.startswith("that ", after)


def _label_above(doc: DocumentText, position: int, floor: int) -> tuple[int, int] | None:
    """Return the words behind ``Motion:`` that end where the names begin."""
    floor = max(floor, position - 500)
    in_line = doc.text[line_start(doc.text, position) : position].strip()
    label = last_match(_LABEL_IN_LINE if in_line else _LABEL_ABOVE, doc.text, floor, position)
    end = end_without(doc.text, position, " \n")
    if label is None or not 3 < end - label.end() <= _LABELLED:
        return None
    words = doc.text[label.end() : end]
    if ":" in words and ("\n\n" in words or _NOT_MOVED.search(words)):
        return None
    return label.end(), end


_FIRST_NUMBER = re.compile(r"(?:^|\n)\s{0,40}\(?1[.)]\s{1,8}$")
_LISTED = re.compile(r"\s{1,80}(?:(?<=\n)|(?<=\n )|(?<=  ))[A-Z0-9][^\n]{1,78}(?=\n)")
_LIST_BELOW = re.compile(r"\s{1,60}\(?[aA1i][.)]\s{1,8}[A-Z]")
#: A motion has fewer parts than this.
_MOST_PARTS = 12


def _words_end(doc: DocumentText, start: int, edge: int | None) -> int:
    """Return where the words of a motion end that begin, maybe after a gap, at ``start``.

    A semicolon does not end them unless what became of the motion follows; an amount does not.
    """
    edge = start + _LONGEST if edge is None else min(edge, start + _LONGEST)
    gap = _BLANK.match(doc.text, start)
    start = gap.end() if gap else start
    end = doc.sentence_end(start, _LONGEST)
    while end < edge and doc.text[end - 1 : end] == ";" and not _ENDS.match(doc.lower, end - 1):
        gap = _BLANK.match(doc.text, end)
        end = max(end + 1, doc.sentence_end(max(end + 1, gap.end() + 4 if gap else 0), _LONGEST))
    if doc.lower.startswith("whereas", start):
        therefore = _AFTER_WHEREAS.search(doc.text, start, start + 4000)
        if therefore and therefore.end() < edge + 4000:
            return doc.sentence_end(therefore.end(), _LONGEST)
    ends_open = doc.text[max(start, end - 8) : end].rstrip().endswith(":")
    announced = _tidy(doc.text[start:end]) if ends_open else ""
    colon = doc.text.find(":", start, min(end, start + _SUBJECT_ONLY))
    if not ends_open and colon > 0 and _NUMBER_ONLY.fullmatch(doc.lower, colon + 1, end):
        ends_open, announced = True, _tidy(doc.text[start:colon])
    if not ends_open and (_LIST_BELOW.match(doc.text, end)):
        # ``Moved (Smith/Jones): that the Board`` and, below it, ``a) Adopts the plan.``
        announced = doc.text[start:end].strip()
        ends_open = announced.startswith("that ") and len(announced.split()) <= _FEW_WORDS
    if ends_open and (
        not _says_what(announced)
        or _FOLLOWS.fullmatch(announced)
        or len(announced.split()) <= _FEW_WORDS
    ):
        # ``BE IT RESOLVED:`` and the motion in the next paragraph.
        gap = _BLANK.match(doc.text, end)
        end = doc.sentence_end(gap.end() + 4 if gap else end, _LONGEST)
        part = _LISTED.match(doc.text, end) if "following" in announced[-60:] else None
        if part is not None and part.end() < edge:
            # A list that ends where it was voted on, with a short line for each of its parts.
            while part is not None and part.end() < edge:
                end = part.end()
                part = _LISTED.match(doc.text, end)
            return end
    if _FIRST_NUMBER.search(doc.text, max(0, start - 50), start):
        # ``1. That the report be received. 2. That the land be sold.``
        for number in range(2, _MOST_PARTS):
            part = re.compile(rf"\s{{0,60}}\(?{number}[.)]\s{{1,8}}(?=[A-Z])").match(doc.text, end)
            if part is None or "\n" not in part[0]:
                break
            end = doc.sentence_end(part.end() + 4, _LONGEST)
    end = max(start, min(edge, end))
    for behind in (_SECONDED_WITHOUT_COMMA, _CARRIED_BEHIND, _VOTED_BEHIND):
        if found := behind.search(doc.lower, start, end):
            end = found.start()
    if vote := _VOTE_BELOW.search(doc.text, start, end):
        end = vote.start()
    if hour := _AFTER_HOUR.search(doc.text, start, end):
        end = hour.end()
    if doc.lines_are_paragraphs and (line := _NEXT_PARAGRAPH.search(doc.text, start, end)):
        end = line.start()
    return end


#: ``not before 6:00 a.m``: the stop at the end is that of the abbreviation.
_ABBREVIATED_LAST = re.compile(r"\b(?:[A-Za-z]\.){1,3}[A-Za-z]$")


def _tidy(text: str) -> str:
    """Return words in one line, without what opens and closes the sentence of a motion."""
    words = " ".join(text.split()).lstrip(" .,;:-)]")
    if words.lower().startswith("whereas") and (therefore := _AFTER_WHEREAS.search(words)):
        words = words[therefore.end() :]
    if announced := _ANNOUNCED.match(words):
        words = words[announced.end() :]
    if adoption := _ITS_ADOPTION.match(words):
        # ``introduced by Smith, who moved its adoption accepting the gift``
        words = words[adoption.end() :].lstrip(" ,.;:")
    if note := _NOTE.match(words):
        words = words[note.end() :]
    if voted := _VOTED_TO.match(words):
        words = words[voted.end() :]
    for _ in range(2):
        opening = _OPENING.match(words)
        words = words[opening.end() if opening else 0 :]
    if (vote := _BY_THE_VOTE.search(words)) and vote.start() > _ITS_VOTE:
        words = words[: vote.start()]
    if tally := _TALLY_LAST.search(words, max(0, len(words) - 14)):
        words = words[: tally.start()]
    tail = _CLOSING.sub("", _CLOSING.sub("", words[-60:]))
    words = (words[:-60] + tail).strip(' .,;:"\u201c\u201d')
    if _ABBREVIATED_LAST.search(words, max(0, len(words) - 8)):
        words += "."
    return words if len(words) <= _LONGEST else words[: _LONGEST - 3].rstrip() + "..."


def _says_what(words: str) -> bool:
    """Whether words say what was moved, and not that or how it was voted on."""
    if len(words) < 4 or _VOTE_WORDS.search(words.lower()):
        return False
    return _NO_WORDS.fullmatch(words) is None and _OUTCOME_ONLY.match(words) is None
