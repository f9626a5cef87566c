"""Put the cues together: the open motions are a stack, and each cue adds to one of them.

::

    motion      opens a motion; an amendment goes on top of the motion it amends
    second      belongs to the innermost open motion
    outcome     decides the innermost open motion; printed again, it is the same vote
    ballot      belongs to the innermost open motion
    question    says which of the open motions is voted on

A new motion closes what is open.  Where no outcome is printed the result stays "unknown"; nothing
is worked out from numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from .ballots import lone_tally, may_be_page_number
from .cues import (
    FIRM,
    SOFT,
    STRONG,
    BallotCue,
    Cue,
    DissentCue,
    DocumentText,
    MotionCue,
    OutcomeCue,
    QuestionCue,
    SecondCue,
)
from .findings import (
    ABSENT,
    ABSTAIN,
    AYES,
    DIED,
    FAILED,
    NOES,
    PASSED,
    RECUSED,
    SUPERSEDED,
    UNKNOWN,
    WITHDRAWN,
)
from .items import Items
from .outcomes import AMENDMENT, MAIN, SUBSTITUTE
from .text import end_without, indent_start, pattern

# Distances in characters.
#: From a motion to its outcome or ballot, by how sure that cue is.
_OUTCOME_REACH = {SOFT: 700, FIRM: 4500, STRONG: 9000}
_BALLOT_REACH = {SOFT: 500, FIRM: 9000, STRONG: 9000}
_AMENDMENT_REACH = 4000
_SECOND_REACH = 2500
#: A second by somebody else, further behind the first one than this, is that of another motion.
_NEXT_SECOND = 80
#: From an outcome to its ballots.
_BALLOT_AFTER_OUTCOME = 450
#: An outcome this near is the same outcome, repeated.
_REPEATED = 260
_REPEATED_IN_TABLE = 1200
#: A clear outcome this near overrules a hint.
_OVERRULED = 4000
#: Prose such as "Smith opposed" counts only this near to the outcome.
_DISSENT_NEAR = 260
#: A line that begins the next item: ``5. Planning``, ``2.4 Bills``, ``b) Roads``.
_NEXT_ITEM = pattern(
    r"\n[ ]{0,20}(?:(?:(?:(?:Article|ARTICLE|Item|ITEM)\s)?\d{1,3}(?:\.\d{1,2})?|[ivxIVX]{1,4}"
    r"|[A-Za-z])[.)]|\d{1,2}\.\d{1,2})\s+[A-Z]"
)
#: More members than any body has.
_MANY = 1000
#: What is said this near is said of the same vote.
_SAME_VOTE = 60
#: "Smith abstained." may be a paragraph of its own; a longer sentence is about something else.
_SHORT_REST = 24
#: A sentence that only hints at an outcome, and has more than this before its verb, has a subject.
_OWN_SUBJECT = 12
#: More words than this between a motion and such a sentence are about something else.
_WORDS_BETWEEN = 12
#: From counts to the outcome they belong to.
_COUNTS_NEAR = 80

#: From "approved a motion to" to the line that says whose motion it was.
_MOVER_FOLLOWS = 400
#: A sentence that begins within so many characters is the next one: two spaces may follow a stop.
_NEXT_SENTENCE = 4

#: More words than these before a result in a line of its own are the title of its matter.
_NUMBER_AND_WORD = 2

#: As many known surnames are members; one of them should be on a list that stands alone.
_KNOWN_BODY = 2

_VOTE_WORD = pattern(r"\b(?:motion|vote|ayes?|nays?|yeas?|noes|unanim\w+|chair|mayor|president)\b")
_NUMBERED_MATTER = pattern(
    r"\b(?:resolution|ordinance|by-?law|bill)\s+(?:no\.?\s{0,2}|#)?([\w.-]*\d[\w.-]*)"
)
#: What is moved, behind the names.
_MOVES_WHAT = pattern(
    r"(?:,?\s+(?:and\s+)?second(?:ed)?(?:\s+by)?\s+[^,;]{3,40}?,?)?\s+(?:to|that|for)\s+.{4,}",
    re.S,
)
#: A motion that no rule read, in a line of its own: what follows it is not of the one before.
_UNREAD_MOTION = pattern(
    r"\n[ ]{0,20}(?:[\w.)]{1,4}[ ]{1,3})?(?:(?:moved|m/s)\b"
    r"|motion\s(?!(?:\w+ly\s)?(?:carr|pass|fail|was|is|has|did|defeat|lost|appr|adopt|grant|den|unan"
    r"|died|to\s+\w+\s+(?:carr|pass|fail)|\d)))"
)
_FOR_AMENDMENT = pattern(r"[^:;.\n]{0,40}\b(?:for|against|of)\s+the\s+amendment\s{0,3}:")
_ON_A_MOTION = pattern(r"\s*(?:up)?on\s+(?:a\s+)?motion,?\s+(?:duly\s+\w+,?\s+)?it\s+was\b")
_WORD = re.compile(r"[a-z]{4,}")
#: Two motions share fewer than one word in so many.
_SHARED = 3
_DASH = re.compile(r" {1,2}-{1,2} ")
_ROLL_CALL = pattern(r"[\s.]{1,4}(?:a\s+|on\s+)?roll[\s-]?call\b")
_THE_FOLLOWING_VOTE = pattern(r"\bfollowing\s+(?:[a-z-]+\s+){0,2}vote\b")
#: Another motion is voted on: ``The motion of Smith was put to a vote, with this result:``
_PUT_TO_A_VOTE = pattern(r"\bput\s+to\s+(?:a\s+|the\s+)?vote\b")
#: Two motions at once: ``there voted for the motion 7 and for the amendment 4``
_MOTION_OR_AMENDMENT = pattern(
    r"\bfor\s+the\s+motion\b[^.]{0,60}\bfor\s+the\s+amendment\b"
    r"|\bfor\s+the\s+amendment\b[^.]{0,60}\bfor\s+the\s+motion\b"
)
_ANOTHER_MATTER = pattern(
    r"\d|\b(?:last|next|previous\w*|earlier|prior|other|another|future|following|later|ago|before|until"
    r"|yesterday|when)\b"
)
_TIE = pattern(
    r"\b(?:to\s+break|breaking|broke)\s+(?:(?:the|a)\s+)?tie\b|\btie-?breaking\b"
    r"|\b(?:vote|votes)\s+(?:being|was|were|is|having\s+been)\s+(?:a\s+)?tie[d]?\b|\bdue\s+to\s+(?:a|the)\s+tie\b"
)


def _same_person(one: str, other: str) -> bool:
    return one.split()[-1].lower() == other.split()[-1].lower()


@dataclass
class Motion:
    """A motion, and what has been read about it so far."""

    start: int
    end: int
    made: MotionCue | None = None
    second: SecondCue | None = None
    outcome: OutcomeCue | None = None
    strength: int = STRONG
    mover: str | None = None
    seconder: str | None = None
    about: str = ""
    superseded: bool = False
    ballots: dict[str, list[str]] = field(default_factory=dict)
    ballots_start: int = 0
    ballots_end: int = 0
    #: The lists that were not read to their end.
    incomplete: set[str] = field(default_factory=set)
    #: The lists that prose added to.
    from_prose: set[str] = field(default_factory=set)
    counts: dict[str, int] = field(default_factory=dict)
    unanimous: bool = False
    vote_type: str = ""
    flags: set[str] = field(default_factory=set)
    #: Labels such as ``MOVER:`` say something about it.
    labelled: bool = False
    #: The text shows that it is the record of a meeting.
    is_recorded: bool = True
    #: The places that say something about it, in the order in which they were read.
    cues: list[Cue] = field(default_factory=list)

    @property
    def decided(self) -> bool:
        """Whether the outcome is printed."""
        return self.outcome is not None

    @property
    def voted(self) -> bool:
        """Whether an outcome, names or a tally are printed."""
        return self.decided or AYES in self.ballots or NOES in self.ballots or AYES in self.counts

    @property
    def result(self) -> str:
        """What became of it, from printed words."""
        if self.outcome is not None and self.outcome.result:
            return self.outcome.result
        if self.superseded:
            return SUPERSEDED
        against = bool(self.ballots.get(NOES)) or bool(self.counts.get(NOES))
        if (
            self.made is not None
            and self.made.done
            and (self.made.resolved or not self.ballots.get(NOES))
        ):
            return PASSED
        in_favor = bool(self.ballots.get(AYES)) or bool(self.counts.get(AYES)) or self.unanimous
        all_listed = NOES in self.ballots or NOES in self.counts or self.vote_type == "roll_call"
        if len(self.ballots.get(AYES, ())) > 1 and not self.incomplete and self.seconder:
            # A motion, its second, and a list of ayes that ends with nobody against.
            all_listed = True
        if in_favor and not against and (all_listed or self.unanimous or AYES in self.counts):
            return PASSED
        return UNKNOWN

    @property
    def is_event(self) -> bool:
        """Whether what was read is a vote or a motion, and not a mention of one."""
        if self.superseded:
            return True
        if self.made is None and self.second is None:
            return self.strength > SOFT or (self.decided and AYES in self.ballots)
        if self.voted:
            return True
        if self.made is not None and self.made.bracket:
            return False
        if self.mover and self.seconder:
            return True
        if self.strength == SOFT or self.made is None:
            return False
        return self.mover is not None or self.strength == FIRM or self.seconder is not None

    def follows_outcome(self, cue: MotionCue) -> bool:
        """Whether a motion is made after its outcome: ``approved on the proposal of Smith``."""
        if self.made is not None or self.outcome is None or set(self.ballots) - self.from_prose:
            return False
        gap = cue.start - self.end
        if self.outcome.mover_follows and 0 <= gap < _MOVER_FOLLOWS and cue.at_line_start:
            return True
        if cue.bracket and self.second is None and 0 <= gap < 60:
            return True
        if cue.names_below and self.outcome.own_question and 0 <= gap < 60:
            return True
        if cue.only_names and 0 <= gap < _NEXT_SENTENCE:
            return True
        return self.outcome.at < cue.start < self.end

    def is_told_with_outcome(self, cue: MotionCue) -> bool:
        """Whether the outcome and the mover share a sentence: ``passed with a motion by Smith``."""
        if self.made is None or self.seconder is not None or self.outcome is None:
            return False
        inside = self.outcome.at < cue.start < self.outcome.end and not cue.at_line_start
        return inside and cue.mover is not None and self.mover in (None, cue.mover)

    def is_restated(self, cue: MotionCue) -> bool:
        """Whether a cue is about this motion, which is still open."""
        if cue.about and cue.about != self.about:
            return False
        if cue.start < self.end + 3:
            return True
        if self.strength == SOFT and cue.strength > SOFT:
            return False
        if cue.mover and not self.mover and self.seconder:
            return False
        if cue.done and self.made and self.made.done:
            # ``On motion of Smith`` twice reports two things that were done.
            return False
        same = cue.mover is None or self.mover is None or _same_person(cue.mover, self.mover)
        return same and self.seconder is None and cue.start - self.end < 500

    def add_motion(self, cue: MotionCue) -> None:
        """Add what is said again about how it was made."""
        self.cues.append(cue)
        self.end = max(self.end, cue.end)
        self.flags |= cue.flags
        if self.mover is None and cue.mover is not None:
            self.mover, self.made = cue.mover, cue
        self.seconder = self.seconder or cue.seconder
        self.add_counts(cue.counts)
        self.strength = max(self.strength, cue.strength)
        self.labelled = self.labelled or cue.label
        self.vote_type = self.vote_type or cue.vote_type

    def takes_label(self, cue: MotionCue, apart: bool) -> bool:
        """Whether ``MOVER:`` belongs to this result, maybe ``apart`` from it; if so, add it."""
        if cue.start - self.end > _REPEATED_IN_TABLE or (self.made and self.made.label):
            return False
        other = self.mover and cue.mover and not _same_person(cue.mover, self.mover)
        if other and apart:
            return False
        if self.mover is None:
            self.mover, self.made = cue.mover, cue
        elif other:
            self.flags.add("source_contradiction")
        self.start, self.end = min(self.start, cue.start), max(self.end, cue.end)
        self.labelled = True
        self.cues.append(cue)
        return True

    def decide(self, cue: OutcomeCue) -> None:
        """Set the outcome; a motion that died for lack of a second stays dead."""
        self.cues.append(cue)
        self.end = max(self.end, cue.end)
        if self.result == DIED and cue.result == FAILED:
            return
        self.outcome = cue
        self.unanimous = self.unanimous or cue.unanimous
        self.vote_type = cue.vote_type or self.vote_type
        self.labelled = self.labelled or cue.label
        if cue.result != DIED:
            # What died was not voted on: counts in the same lines are those of the next motion.
            if cue.counts and AYES in self.counts and self.counts[AYES] == self.counts.get(NOES):
                # The tie was broken: ``The vote was 2-2. ... Motion failed 2-3.``
                self.counts = {**self.counts, **cue.counts}
            self.add_counts(cue.counts)
        self.flags |= cue.flags - {"declared"}
        if self.made is None:
            self.strength = max(self.strength, cue.strength)

    def repeat_outcome(self, cue: OutcomeCue) -> None:
        """Add what an outcome says that is printed again; a different one is only flagged."""
        assert self.outcome is not None
        self.cues.append(cue)
        self.end = max(self.end, cue.end)
        if cue.result not in ("", self.outcome.result):
            self.flags.add("source_contradiction")
        elif cue.strength > self.outcome.strength:
            self.outcome = cue
            self.strength = max(self.strength, cue.strength)
        self.unanimous = self.unanimous or cue.unanimous
        self.vote_type = self.vote_type or cue.vote_type
        self.labelled = self.labelled or cue.label
        self.add_counts(cue.counts)
        if any(self.counts[kind] != count for kind, count in cue.counts.items()):
            self.flags.add("source_contradiction")

    def add_counts(self, counts: dict[str, int]) -> None:
        """Add counts that are not there yet."""
        self.counts = {**counts, **self.counts}

    def add_names(self, kind: str, names: list[str]) -> None:
        """Add names to a list, each once."""
        held = self.ballots.setdefault(kind, [])
        held += [name for name in names if name not in held]

    def add_ballots(self, cue: BallotCue) -> None:
        """Add names and counts."""
        self.cues.append(cue)
        self.ballots_start = self.ballots_start or cue.start
        for kind, names in cue.ballots.items():
            self.add_names(kind, names)
        self.incomplete |= cue.incomplete
        self.add_counts(cue.counts)
        self.vote_type = cue.vote_type or self.vote_type
        self.unanimous = self.unanimous or cue.unanimous
        self.flags |= cue.flags
        self.end = max(self.end, cue.end)
        self.ballots_end = self.end

    def withhold_names(self, doc: DocumentText, are_strangers: bool) -> None:
        """Take the lists away unless they are part of a formal record.

        The text does not show that this was voted on at its meeting: who voted is listed only if
        the motion begins a line, its mover, its second and its outcome are printed, and none of
        them are strangers.
        """
        self.is_recorded = False
        formal = self.mover and self.seconder and self.decided and not self.from_prose
        formal = formal and indent_start(doc.text, self.start, 60) is not None
        if self.ballots and (are_strangers or not formal):
            self.ballots, self.incomplete = {}, set()
            self.flags.add("names_withheld")

    def repeats_ballots(self, cue: BallotCue) -> bool:
        """Whether a cue repeats a list that is there; a different list is flagged, not merged."""
        if not cue.ballots and cue.counts:
            return all(kind in self.counts for kind in cue.counts)
        repeated = False
        for kind, names in cue.ballots.items():
            if kind not in self.ballots:
                continue
            repeated = True
            lone = len(names) == 1 and len(cue.ballots) == 1
            if lone and kind not in self.from_prose and cue.start - self.ballots_end < 30:
                return False
            if {name.split()[-1].lower() for name in self.ballots[kind]} != {
                name.split()[-1].lower() for name in names
            }:
                self.flags.add("source_contradiction")
        return repeated


def assemble(doc: DocumentText, items: Items, cues: Iterable[Cue]) -> list[Motion]:
    """Read cues in their order and return the motions and votes in the order of the text."""
    assembler = Assembler(doc, items)
    for cue in cues:
        match cue:
            case MotionCue():
                assembler.motion(cue)
            case SecondCue():
                assembler.second(cue)
            case OutcomeCue():
                assembler.outcome(cue)
            case BallotCue():
                assembler.ballot(cue)
            case QuestionCue():
                assembler.question(cue)
    assembler.close_all()
    return sorted(assembler.closed, key=lambda motion: (motion.start, motion.end))


class Assembler:
    """Holds the open motions while cues are read, and those that are closed."""

    def __init__(self, doc: DocumentText, items: Items) -> None:
        self.doc = doc
        self.items = items
        self.stack: list[Motion] = []
        self.closed: list[Motion] = []
        self.last_end = 0
        #: The last sentence that only hints at an outcome; who moved may follow it.
        self.hint: OutcomeCue | None = None
        #: The last names in prose; the outcome of their sentence may follow them.
        self.dissents: list[DissentCue] = []
        #: Counts and unread lists that no motion was open for; they may belong to the next outcome.
        self.loose_counts: list[BallotCue] = []

    @property
    def top(self) -> Motion | None:
        """The innermost open motion."""
        return self.stack[-1] if self.stack else None

    def close(self) -> None:
        """Close the innermost motion; drop it if it was only mentioned."""
        motion = self.stack.pop()
        self.last_end = max(self.last_end, motion.end)
        if motion.is_event:
            self.closed.append(motion)

    def close_all(self) -> None:
        """Close all open motions."""
        while self.stack:
            self.close()

    def motion(self, cue: MotionCue) -> None:
        """Open a motion, or add to the one that is open."""
        hint = self.hint if cue.only_names else None
        if hint is not None and 0 <= cue.start - hint.end < _NEXT_SENTENCE:
            self._open_with_outcome(hint)
        top = self.top
        if top is not None and cue.label and top.voted:
            apart = self.doc.blank_line_between(top.end, cue.start)
            if top.takes_label(cue, apart):
                return
        if top is not None and top.is_told_with_outcome(cue):
            top.add_motion(cue)
            return
        if top is not None and top.follows_outcome(cue):
            top.add_motion(cue)
            top.made = cue
            return
        if cue.needs == "outcome":
            return
        if cue.needs == "question" and top is not None and not top.voted:
            return
        if cue.bracket and cue.counts and top is not None and top.voted:
            self.close_all()
        if top is not None and not top.voted:
            if cue.strength == SOFT:
                # "Motion to" opens a motion of its own only if it amends, or if this one is whole.
                own = top.mover is not None and top.seconder is not None and not cue.reference
                own = own and top.strength == SOFT
                if cue.about == AMENDMENT:
                    own = top.about != AMENDMENT
                if not own:
                    return
            if top.is_restated(cue) and not self._has_other_words(top, cue):
                top.add_motion(cue)
                return
        if top is not None and top.voted and cue.start - top.end < 400:
            # It only mentions the motion just voted on: ``Motion to table passed 2-1``.
            same = not top.decided and cue.about in ("", top.about)
            if cue.reference or (cue.has_outcome and same):
                return
        if cue.about == SUBSTITUTE and self.top is not None and not self.top.voted:
            self.top.superseded = True
            self.top.flags.add(SUBSTITUTE)
        # An amendment goes on top of what it amends, a substitute on top of what it replaces;
        # any other motion closes what is open.
        while self.stack:
            last = self.stack[-1]
            near = cue.start - max(last.end, self.last_end) < _AMENDMENT_REACH
            on_top = cue.about in (AMENDMENT, SUBSTITUTE)
            if on_top and not last.voted and last.strength > SOFT and near:
                break
            self.close()
        motion = Motion(cue.start, cue.end, made=cue, strength=cue.strength, about=cue.about)
        motion.mover, motion.seconder = cue.mover, cue.seconder
        motion.vote_type, motion.flags = cue.vote_type, set(cue.flags)
        motion.counts, motion.labelled = dict(cue.counts), cue.label
        motion.cues.append(cue)
        self.stack.append(motion)
        for told in self.dissents:
            # ``Smith recused himself. Moved by Jones``
            if set(told.ballots) == {RECUSED} and self._precedes(told, motion):
                motion.add_names(RECUSED, told.ballots[RECUSED])
                motion.from_prose.add(RECUSED)
                motion.cues.insert(0, told)
                motion.start = min(motion.start, self.doc.sentence_start(told.start))

    def _precedes(self, told: DissentCue, motion: Motion) -> bool:
        """Whether the sentence right above a motion, and apart from the vote before it, tells it.

        A sentence with a number or with "last", "next" and the like may be about another matter.
        """
        doc = self.doc
        over = doc.sentence_end(told.end)
        members = all(doc.roster.is_member(name) for name in told.ballots[RECUSED])
        own = (
            self.last_end == 0
            or doc.blank_line_between(self.last_end, told.start)
            or self.items.between(self.last_end, told.start)
        )
        return (
            members
            and own
            and self.last_end <= told.start < motion.start
            and not doc.text[over : motion.start].strip()
            and not _ANOTHER_MATTER.search(doc.lower, told.end, over)
        )

    def _has_other_words(self, top: Motion, cue: MotionCue) -> bool:
        """Whether both say what is moved, in a sentence each, and share hardly a word."""
        if top.made is None or "." not in self.doc.text[top.end : cue.start]:
            return False
        said = []
        for end in (top.made.end, cue.end):
            words = _MOVES_WHAT.match(self.doc.lower, end, self.doc.sentence_end(end + 1))
            said.append(set(_WORD.findall(words[0])) if words else set())
        fewest = min(len(words) for words in said)
        return fewest > 1 and len(said[0] & said[1]) * _SHARED < fewest

    def second(self, cue: SecondCue) -> None:
        """Add who seconded; open a motion if none waits for a second."""
        top = self.top
        if top is not None and self._add_second(top, cue):
            top.end = max(top.end, cue.end)
            top.cues.append(cue)
        elif cue.strength > SOFT:
            # The mover precedes the second: ``(Smith, seconded by Jones)``.
            self.close_all()
            name = self.doc.name_before(cue.start)
            start = name.start if name else self.doc.sentence_start(cue.start)
            motion = Motion(start, cue.end, second=cue, strength=SOFT, seconder=cue.seconder)
            motion.mover, flags = self.doc.roster.surname(name)
            motion.flags = flags | cue.flags
            motion.cues.append(cue)
            self.stack.append(motion)

    def _add_second(self, top: Motion, cue: SecondCue) -> bool:
        """Whether a second belongs to the open motion; if so, add it."""
        gap = cue.start - top.end
        if cue.label and top.labelled and top.seconder is None:
            top.seconder, top.second = cue.seconder, top.second or cue
            return True
        if not top.voted:
            if gap >= _SECOND_REACH:
                return False
            if (
                top.seconder
                and cue.seconder
                and not _same_person(cue.seconder, top.seconder)
                and self.doc.blank_line_between(top.end, cue.start)
            ):
                # Another motion, in a paragraph of its own, was not read: its outcome is not ours.
                return False
            if gap > _NEXT_SECOND and top.mover and top.seconder and cue.seconder:
                # Another motion is seconded, and its mover is named next to the second.
                name = self.doc.name_before(end_without(self.doc.text, cue.start, " \n.,;"))
                other = name is not None and not _same_person(name.surname, top.mover)
                if (
                    name is not None
                    and name.start > top.end
                    and (other or not _same_person(cue.seconder, top.seconder))
                ):
                    return False
            if top.seconder is None:
                top.seconder, top.second = cue.seconder, cue
                top.flags |= cue.flags
            if top.mover is None:
                # The name right before the second: ``By: Smith Seconded by: Jones``.
                text = self.doc.text
                edge = end_without(text, cue.start, " \n.;") if gap < 200 else cue.start
                name = self.doc.name_before(edge)
                label = text[top.end : name.start].rstrip()[-1:] in (":", "-") if name else True
                if edge < cue.start and not label:
                    name = self.doc.name_before(cue.start)
                if name is not None and name.start >= top.end:
                    top.mover, flags = self.doc.roster.surname(name)
                    top.flags |= flags
                    if top.made is not None:
                        top.made.words_end = top.made.words_end or name.start
            return True
        if gap < 0 and top.seconder and cue.seconder and _same_person(cue.seconder, top.seconder):
            # It was read with the mover: ``Resolved on the proposition of A, seconded by B``.
            return True
        if not (cue.label and gap < 300):
            # After the outcome a second counts in a table, or in the sentence of the motion.
            if top.made is None or top.seconder is not None:
                return False
            if gap > 0 and not (gap < 40 and (top.made.bracket or top.made.only_names)):
                return False
        if top.seconder is None:
            top.seconder = cue.seconder
        elif cue.seconder and not _same_person(cue.seconder, top.seconder):
            top.flags.add("source_contradiction")
        return True

    def question(self, cue: QuestionCue) -> None:
        """Bring the motion to the top that a vote is announced on; open one if there is none."""
        top = self.top
        if top is None:
            return
        about = AMENDMENT if cue.about == AMENDMENT else ""
        if cue.about == MAIN:
            self._close_amendments()
            if self.top is not None and not self.top.voted:
                return
        elif cue.about != AMENDMENT:
            if top.voted:
                self.close_all()
            return
        elif top.about == AMENDMENT and not top.decided:
            return
        # Who moved is not said; a main motion below an amendment stays open.
        while self.stack and (self.stack[-1].voted or about != AMENDMENT):
            self.close()
        self.stack.append(Motion(cue.start, cue.end, strength=SOFT, about=about))

    def _replace(self, substitute: Motion) -> None:
        """Close the motion that a substitute replaces; it stays open if the substitute failed."""
        if substitute.result == PASSED:
            self.stack.pop()
            self.close()
            self.stack.append(substitute)
        elif substitute.result in (FAILED, DIED, WITHDRAWN):
            self.stack[-2].superseded = False

    def _close_amendments(self) -> None:
        while self.stack and self.stack[-1].about in (AMENDMENT, SUBSTITUTE):
            self.close()

    def outcome(self, cue: OutcomeCue) -> None:
        """Decide the innermost open motion; open one if the outcome is that of another."""
        self.hint = None
        top = self.top
        if cue.about == MAIN or (
            cue.about != AMENDMENT
            and top is not None
            and not top.decided
            and _MOTION_OR_AMENDMENT.search(self.doc.lower, top.end, max(top.end, cue.at))
        ):
            self._close_amendments()
        top = self.top
        if (
            top is not None
            and not top.decided
            and (cue.strength == SOFT or (cue.own_question and cue.at - cue.start > _OWN_SUBJECT))
            and self.items.between(top.end, cue.at)
        ):
            # A hint, or a sentence with a subject of its own, below another heading.
            self.close_all()
            top = None
        if (
            top is not None
            and not top.decided
            and top.end <= cue.start
            and _ON_A_MOTION.match(self.doc.lower, cue.start, cue.at)
        ):
            # ``On motion it was resolved``: who moved it is not said, and it is another motion.
            self.close_all()
            top = None
        resolved = (cue.result_text or "").lower().startswith("resolved")
        if resolved and top and top.made and top.outcome and top.result == cue.result == PASSED:
            # What was moved and carried may be printed again, below it, as what was resolved.
            said = set(_WORD.findall(self.doc.lower, cue.at, cue.end)) - {"resolved", "that"}
            if len(said) > 1 and said <= set(
                _WORD.findall(self.doc.lower, top.made.start, top.end)
            ):
                top.repeat_outcome(cue)
                return
        if cue.mover_follows or (top is not None and is_outcome_of_another(self.doc, top, cue)):
            self._open_with_outcome(cue)
            return
        if top is not None and top.decided and self._repeats_outcome(top, cue):
            return
        top = self.top
        if (
            top is not None
            and not top.decided
            and cue.strength == SOFT
            and self.doc.blank_line_between(top.end, cue.start)
            and (
                cue.at - cue.start > _OWN_SUBJECT
                or len(self.doc.lower[top.end : cue.start].split()) > _WORDS_BETWEEN
            )
        ):
            # ``The notes were agreed.`` in another paragraph is about the notes.
            return
        reach = _OUTCOME_REACH[cue.strength]
        if top is not None and not top.decided and cue.start - max(top.end, self.last_end) < reach:
            if cue.result != DIED or top.seconder is None or cue.strength == STRONG:
                top.decide(cue)
                if top.about == SUBSTITUTE and len(self.stack) > 1:
                    self._replace(top)
                # ``(Smith opposed), the motion to close the road failed.``
                begin = self.doc.sentence_start(cue.at, 400)
                for dissent in self.dissents:
                    between = self.doc.text[dissent.end : max(dissent.end, cue.start)]
                    # ``Jones abstained. Motion carried.``
                    if set(dissent.ballots) == {ABSTAIN}:
                        # ``Jones abstained due to a conflict. Motion carried.``
                        over = self.doc.sentence_end(dissent.end, 90)
                        between = self.doc.text[over : max(over, cue.start)]
                    next_to_it = cue.strength > SOFT and not between.strip(" .\n")
                    if top.start <= dissent.start < cue.at and (
                        begin <= dissent.start or next_to_it
                    ):
                        self._dissent(top, dissent)
        elif cue.result != DIED or cue.strength == STRONG:
            self._open_with_outcome(cue)

    def _repeats_outcome(self, top: Motion, cue: OutcomeCue) -> bool:
        """Whether an outcome is that of the decided motion, printed again; if so, add it."""
        assert top.outcome is not None
        gap = cue.start - top.end
        same = cue.result in ("", top.outcome.result)
        declared = "declared" in cue.flags
        if self.loose_counts and self.doc.blank_line_between(top.end, self.loose_counts[-1].start):
            return False
        if (
            cue.own_question
            and AYES in set(top.ballots) - top.from_prose
            and self.doc.blank_line_between(top.end, cue.start)
        ):
            # The vote was told with its list: a sentence with a question of its own is another.
            return False
        if (
            top.made is not None
            and top.outcome.at < top.made.start
            and not self.doc.text[top.outcome.end : top.made.start].strip()
            and indent_start(self.doc.text, cue.at, 20) is not None
            and indent_start(self.doc.text, top.outcome.at, 20) is not None
        ):
            # ``CARRIED 6-0`` above each motion.
            return False
        if cue.own_question and _NEXT_ITEM.search(self.doc.text, top.end, cue.at + 1):
            # ``The trustees voted to sell the van.`` below another number.
            return False
        if cue.own_question and cue.unanimous and top.counts.get(NOES):
            # Another question, that nobody was against.
            return False
        if not top.outcome.result and cue.result and gap < _OUTCOME_REACH[SOFT]:
            top.decide(cue)
            return True
        if cue.about == AMENDMENT == top.about and gap < _REPEATED_IN_TABLE:
            top.repeat_outcome(cue)
            return True
        said = next((each for each in top.cues if each.start <= cue.at < each.end), None)
        if isinstance(said, OutcomeCue) and said.label and said is not top.outcome:
            # The word of ``RESULT: FAILED``, which contradicts what was read before.
            return True
        if top.made is None and not set(top.ballots) - {ABSENT} and gap >= 0:
            # A lone ``Carried.`` may follow another matter in a line of its own.
            between = self.doc.text[top.end : cue.at]
            next_line = (
                "\n" in between
                and between.rstrip(" ")[-1:] in (".", ":", ";", "\n", "-")
                and self.doc.text[cue.at].isupper()
                and len(between.split()) > 1
                and not _VOTE_WORD.search(between.lower())
            )
            if cue.own_question or declared or next_line:
                return False
        if "consensus" in cue.flags and top.outcome.strength > SOFT and gap > 0:
            return False
        if cue.label and top.outcome.label and gap >= 0:
            return False
        reach = _OVERRULED if cue.strength == STRONG else _REPEATED
        if top.outcome.strength == SOFT and cue.strength > SOFT and gap < reach and top.made:
            top.decide(cue)
            return True
        if cue.strength == SOFT and gap < _REPEATED:
            top.unanimous = top.unanimous or (cue.unanimous and same and gap < _SAME_VOTE)
            self.hint = cue if gap > 0 else None
            return True
        waits_below = len(self.stack) > 1 and not self.stack[-2].voted
        in_table = cue.label and not top.labelled
        if ((in_table or declared) and gap < _REPEATED_IN_TABLE) or (
            gap < _REPEATED and same and (not waits_below or gap < 3)
        ):
            top.repeat_outcome(cue)
            return True
        if waits_below and cue.strength > SOFT:
            self.close()
        return False

    def _open_with_outcome(self, cue: OutcomeCue) -> None:
        """Open a motion of which only the outcome is printed."""
        if cue.strength == SOFT and self.stack and not self.stack[-1].voted:
            return
        self.close_all()
        motion = Motion(cue.start, cue.end, strength=cue.strength)
        self.stack.append(motion)
        # Counts right before it: ``Ayes: 5, Nays: 0. Carried.``
        before: list[BallotCue] = []
        edge = cue.at
        for counts in reversed(self.loose_counts):
            if not self.last_end <= counts.start < edge or edge - counts.end > _COUNTS_NEAR:
                break
            before.insert(0, counts)
            edge = counts.start
        self.loose_counts = []
        for counts in before:
            motion.add_ballots(counts)
            motion.start = min(motion.start, counts.start)
        motion.decide(cue)
        if cue.result == WITHDRAWN:
            motion.mover = cue.people[0]
        begin = self.doc.sentence_start(cue.at)
        for dissent in self.dissents:
            if begin <= dissent.start < cue.at:
                motion.start = min(motion.start, dissent.start)
                self._dissent(motion, dissent)

    def ballot(self, cue: BallotCue) -> None:
        """Add names and counts to the motion they belong to; open one if there is none."""
        top = self.top
        if cue.rule == lone_tally.__name__ and may_be_page_number(
            self.doc, cue.start, cue.end, cue.counts, top.result if top else ""
        ):
            return
        people = (top.mover, top.seconder) if top else ()
        listed = [name for kind in (AYES, NOES) for name in cue.ballots.get(kind, ())]
        if (
            len(listed) > 1
            and any(name and self.doc.roster.is_attending(name) for name in people)
            and self.doc.roster.are_strangers(listed)
        ):
            # A member moved, and nobody of those listed is one: the list is that of another body.
            return
        voters = (*listed, *cue.ballots.get(ABSTAIN, ()))
        if (
            top is not None
            and len(listed) > _KNOWN_BODY
            and all(people)
            and self.doc.blank_line_between(top.end, cue.start)
            and not any(self.doc.roster.is_known(name) for name in voters)
            and not any(_same_person(name, each) for name in voters for each in people if each)
        ):
            # A list in a paragraph of its own names neither who moved nor anybody known.
            return
        if isinstance(cue, DissentCue):
            self.dissents = [*self.dissents[-3:], cue]
            if top is not None:
                self._dissent(top, cue)
                return
        elif (
            top is not None
            and top.about == AMENDMENT
            and top.unanimous
            and not top.ballots
            and len(self.stack) > 1
            and not self.stack[-2].voted
            and _ROLL_CALL.match(self.doc.lower, top.end, max(top.end, cue.start))
        ):
            # ``Vote on the amendment: all ayes. Roll call vote: Ayes: Smith``
            self.close()
            self.stack[-1].add_ballots(cue)
            return
        elif top is not None and is_ballot_of(self.doc, top, cue):
            if top.repeats_ballots(cue):
                top.end = max(top.end, cue.end)
            else:
                top.add_ballots(cue)
            return
        elif top is not None and top.about == AMENDMENT and top.voted and len(self.stack) > 1:
            below = self.stack[-2]
            if not below.voted and is_ballot_of(self.doc, below, cue):
                self.close()
                below.add_ballots(cue)
                return
        named = cue.ballots.get(AYES) or cue.ballots.get(NOES)
        known = self.doc.roster.known
        if (
            named
            and len(known) >= _KNOWN_BODY
            and known.isdisjoint(
                name.split()[-1].lower() for names in cue.ballots.values() for name in names
            )
        ):
            # A list of strangers, and no motion: another body, in a letter that was read.
            return
        if cue.strength == SOFT or not (named or cue.whole_vote):
            if cue.counts or cue.incomplete:
                self.loose_counts = [*self.loose_counts[-3:], cue]
            return
        self.close_all()
        start = max(self.doc.sentence_start(cue.start, 160), min(self.last_end, cue.start))
        motion = Motion(start, cue.end, strength=FIRM)
        motion.add_ballots(cue)
        self.stack.append(motion)

    def _dissent(self, top: Motion, cue: DissentCue) -> None:
        """Add names in prose, if they are near enough to the outcome or in its sentence."""
        near = cue.start - max(top.end, top.ballots_end) < _DISSENT_NEAR
        if "per_item_dissent" in cue.flags and near:
            top.flags.add("per_item_dissent")
        inside = top.decided and cue.start < top.end
        if not inside and cue.same_sentence:
            return
        if not inside and _NEXT_ITEM.search(self.doc.text, top.end, max(top.end, cue.start)):
            # ``5. Planning: Cllr Smith abstained`` is about another item.
            return
        if not inside and self.doc.blank_line_between(top.end, cue.start):
            # A paragraph that begins with a longer sentence is about something else.
            longer = self.doc.sentence_end(cue.end) - cue.end > _SHORT_REST
            longer = longer and not _DASH.match(self.doc.text, cue.end)
            if longer or ABSENT in cue.ballots:
                return
            if self.doc.roster.are_strangers(
                name for each in cue.ballots.values() for name in each
            ):
                return
        if AYES in cue.ballots and near and not top.decided:
            # It goes on with a roll call, or says all of the vote.
            whole = top.seconder is not None and len(cue.ballots[AYES]) > 1
            inside = inside or top.vote_type == "roll_call" or whole
        done = top.voted or (top.made is not None and top.made.done)
        if not inside and (RECUSED in cue.ballots or not (near and done)):
            return
        if not inside and {name for names in cue.ballots.values() for name in names} & set(
            top.ballots.get(AYES, ())
        ):
            # Who voted for it did something else in another vote.
            return
        for kind, names in cue.ballots.items():
            if not inside:
                # Another sentence may tell of the applicant, or of another body, unless it is
                # next to the outcome and says nothing else: ``Carried. Smith absent.``
                next_to_it = not self.doc.text[top.end : cue.start].strip(" .\n") and (
                    self.doc.sentence_end(cue.end) - cue.end <= 1
                )
                if not next_to_it:
                    names = [name for name in names if self.doc.roster.is_member(name)]
                begin = self.doc.sentence_start(cue.start)
                tie = _TIE.search(self.doc.lower, begin, self.doc.sentence_end(cue.end, 60))
                enough = len(top.ballots.get(kind, ())) >= top.counts.get(kind, _MANY)
                if not names or (not tie and (enough or kind == AYES)):
                    continue
            if kind == NOES and set(names) & set(top.ballots.get(AYES, [])):
                top.flags.add("per_item_dissent")
                continue
            top.add_names(kind, names)
            top.from_prose.add(kind)
            top.incomplete |= cue.incomplete & {kind}
        top.end = max(top.end, cue.end)
        top.flags |= cue.flags
        top.cues.append(cue)
        # Who was against the amendment is not against the next question, too.
        self.dissents = [each for each in self.dissents if each is not cue]


def is_outcome_of_another(doc: DocumentText, top: Motion, cue: OutcomeCue) -> bool:
    """Whether an outcome is that of a motion not yet read: mostly one in its own paragraph."""
    if not top.voted:
        return False
    if top.outcome is not None and cue.at >= top.end and not cue.label:
        # Other movers, or counts that are not those of the lists read.
        named = {kind: len(top.ballots[kind]) for kind in (AYES, NOES) if top.ballots.get(kind)}
        counted = {kind: cue.counts[kind] for kind in named if kind in cue.counts}
        other_counts = bool(counted) and not top.incomplete and counted != named
        if cue.own_question and (other_counts or _are_others(top, cue)):
            return True
        # The lists of this one follow its outcome; another outcome begins with its own.
        listed = AYES in set(top.ballots) - top.from_prose and top.ballots_start > top.outcome.at
        other = {cue.result, top.outcome.result} == {PASSED, FAILED}
        if listed and (other or _THE_FOLLOWING_VOTE.search(doc.lower, cue.at, cue.end)):
            return True
    if not doc.blank_line_between(top.end, cue.start):
        return False
    if top.unanimous and cue.counts.get(NOES):
        return True
    numbered = _NUMBERED_MATTER.search(doc.lower, cue.start, cue.at)
    if numbered and numbered[1] not in doc.lower[top.start : top.end] and cue.own_question:
        # ``Resolution 2005-6 was passed``, below a motion that does not mention it.
        return True
    if (
        top.made is None
        and top.outcome is not None
        and top.ballots_start > top.outcome.at
        and cue.at == cue.start
        and len(doc.lower[top.end : cue.start].split()) > _NUMBER_AND_WORD
    ):
        # A record of results: the title of the next matter, and its result in a line of its own.
        return True
    counts = {kind: len(names) for kind, names in top.ballots.items() if names} | top.counts
    if not cue.label and any(
        kind in counts and cue.counts.get(kind, counts[kind]) != counts[kind]
        for kind in (AYES, NOES)
    ):
        return True
    resolved = (cue.result_text or "").lower().startswith(("resolved", "voted:"))
    if cue.own_question and (cue.label or resolved):
        return True
    return _are_others(top, cue)


def _are_others(top: Motion, cue: OutcomeCue) -> bool:
    """Whether two people are named, and neither moved or seconded this motion."""
    ours = [name for name in (top.mover, top.seconder) if name]
    theirs = [name for name in cue.people if name]
    return (
        bool(ours)
        and len({name.split()[-1].lower() for name in theirs}) == 2
        and not any(_same_person(one, other) for one in ours for other in theirs)
    )


def is_ballot_of(doc: DocumentText, top: Motion, cue: BallotCue) -> bool:
    """Whether a list or a count belongs to an open motion, and not to a vote not yet read."""
    if "consensus" in top.flags or top.result in (DIED, WITHDRAWN):
        return False
    if cue.whole_vote and AYES in top.counts:
        return False
    if top.about != AMENDMENT and _FOR_AMENDMENT.match(doc.lower, cue.start):
        # ``The following members voted for the amendment:``
        return False
    if top.decided and _PUT_TO_A_VOTE.search(doc.lower, top.end, max(top.end, cue.start)):
        return False
    if top.voted and _UNREAD_MOTION.search(doc.lower, top.end, max(top.end, cue.start)):
        return False
    if top.about == AMENDMENT and any(
        names
        and top.counts.get(kind) == len(top.ballots.get(kind, ()))
        and set(names) - set(top.ballots[kind])
        for kind, names in cue.ballots.items()
        if kind in (AYES, NOES) and top.ballots.get(kind)
    ):
        # As many are named as were counted: somebody else voted on another question.
        return False
    reach = _BALLOT_REACH[cue.strength]
    if top.voted:
        reach = 120 if cue.strength == SOFT else _BALLOT_AFTER_OUTCOME
    elif cue.ballots and set(cue.ballots) <= {ABSENT, RECUSED, ABSTAIN}:
        return False
    if cue.start - max(top.end, top.ballots_end) >= reach:
        return False
    # A list after an outcome that had its own list before it.
    if top.outcome and top.ballots_start and cue.start >= top.end:
        again = any(kind in top.ballots and kind in cue.ballots for kind in (AYES, NOES))
        if again and top.ballots_start < top.outcome.at < cue.start:
            return False
    if not doc.blank_line_between(top.end, cue.start):
        return True
    if top.decided and AYES in set(top.ballots) - top.from_prose:
        # The vote was told with its list: neither other numbers nor strangers are added below.
        named = [name for names in cue.ballots.values() for name in names]
        listed = {**cue.ballots, **top.ballots}
        if any(count != len(listed.get(kind, ())) for kind, count in cue.counts.items()):
            return False
        if named and doc.roster.are_strangers(named):
            return False
    # In a paragraph of its own: a list that cannot be that of the vote just read.
    if top.voted and not set(top.ballots) - top.from_prose:
        counts = {kind: len(names) for kind, names in cue.ballots.items()} | cue.counts
        if top.unanimous and counts.get(NOES):
            return False
        if any(top.counts.get(kind, counts[kind]) != counts[kind] for kind in counts):
            return False
    # A second list of ayes, below words of its own, is that of the next matter.
    if top.made is not None or top.second is not None or top.decided:
        return True
    if not (top.ballots.get(AYES) and cue.ballots.get(AYES)):
        return True
    return len(doc.lower[top.end : cue.start].split()) <= 2
