"""Put the cues in order and make events of them: the motions that are open lie on a stack.

::

    lead        opens a motion; an amendment lies on top of the motion it amends
    second      belongs to the innermost open motion
    outcome     decides the innermost open motion; printed again, it is the same vote
    ballot      belongs to the motion in hand
    focus       says which of the open motions is voted on

A new lead closes what is open.  What nobody decided stays "unknown"; nothing is worked out.
"""

from __future__ import annotations

from collections.abc import Iterable

from .context import (
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
from .drafts import (
    Draft,
    add_ballots,
    begins_anew,
    decide,
    is_event,
    is_next_vote,
    join_lead,
    join_outcome,
    last_word,
    of_others,
    resolves,
    speaks_of,
    tells_the_vote,
    told_before,
)
from .model import ABSENT, ABSTAIN, AYES, DIED, NOES, RECUSED, WITHDRAWN
from .names import name_before
from .outcomes import AMENDMENT, MAIN
from .text import pattern

#: How far behind a motion its outcome may stand, by how sure the outcome is.
_REACH_OF_OUTCOME = {SOFT: 700, FIRM: 4500, STRONG: 9000}
_REACH_OF_AMENDMENT = 4000
_REACH_OF_SECOND = 2500
_REACH_OF_BALLOT = {SOFT: 500, FIRM: 9000, STRONG: 9000}
#: A ballot that comes so late after the outcome belongs to something else.
_BALLOT_AFTER_OUTCOME = 450
#: An outcome repeated within so many characters is the same outcome.
_REPEATED = 260
_REPEATED_IN_TABLE = 1200
#: A clear outcome so near overrules one that was only hinted at.
_OVERRULED = 4000
#: Prose such as "Smith opposed" counts only this near to the outcome.
_DISSENT_NEAR = 260


#: What is told within so many characters is told of the same vote.
_SAME_BREATH = 60
#: "Smith abstained." may stand in a paragraph of its own; a longer sentence tells something else.
_SHORT_REST = 24
#: Counts stand at most this far before the outcome they belong to.
_COUNTS_NEAR = 80


_VOTE_TOLD = pattern(r"\b(?:motion|vote|ayes?|nays?|yeas?|noes|unanim\w+|chair|mayor|president)\b")
_TIE = pattern(r"\b(?:to\s+break|breaking|broke)\s+(?:the|a)\s+tie\b|\btie-?breaking\b")


class Chamber:
    """Reads cues one after the other and keeps what became of each motion."""

    def __init__(self, doc: DocumentText) -> None:
        self.doc = doc
        self.stack: list[Draft] = []
        self.done: list[Draft] = []
        self.last_end = 0
        #: The last sentence that only hints at an outcome; who moved may stand behind it.
        self.hint: OutcomeCue | None = None
        #: What prose told of voters last; the outcome of its sentence may stand behind it.
        self.told: list[DissentCue] = []
        #: Counts that no motion was open for; the next outcome may be theirs.
        self.waiting: list[BallotCue] = []

    def sit(self, cues: Iterable[Cue]) -> list[Draft]:
        """Read all cues and return the events in the order of the text."""
        for cue in cues:
            match cue:
                case MotionCue():
                    self._lead(cue)
                case SecondCue():
                    self._second(cue)
                case OutcomeCue():
                    self._outcome(cue)
                case BallotCue():
                    self._ballot(cue)
                case QuestionCue():
                    self._focus(cue)
        self._close_all()
        return sorted(self.done, key=lambda draft: (draft.start, draft.end))

    @property
    def _top(self) -> Draft | None:
        return self.stack[-1] if self.stack else None

    def _close(self) -> None:
        draft = self.stack.pop()
        self.last_end = max(self.last_end, draft.end)
        if is_event(draft):
            self.done.append(draft)

    def _open(self, draft: Draft) -> Draft:
        self.stack.append(draft)
        return draft

    def _lead(self, cue: MotionCue) -> None:
        if cue.only_names and self.hint is not None and 0 <= cue.start - self.hint.end < 2:
            self._outcome_without_lead(self.hint)
        top = self._top
        if top is not None and cue.label and top.voted and self._label_joins(top, cue):
            return
        if top is not None and told_before(top, cue):
            join_lead(top, cue)
            top.lead = cue
            return
        if cue.needs == "outcome":
            return
        if cue.bracket and cue.counts and top is not None and top.voted:
            self._close_all()
        if top is not None and not top.voted:
            if cue.strength == SOFT and not begins_anew(top, cue):
                return
            if self._restates(top, cue):
                join_lead(top, cue)
                return
        if top is not None and top.voted and speaks_of(top, cue):
            return
        self._make_room(cue)
        draft = Draft(cue.start, cue.end, lead=cue, strength=cue.strength, about=cue.about)
        draft.mover, draft.seconder = cue.mover, cue.seconder
        draft.vote_type, draft.flags = cue.vote_type, set(cue.flags)
        draft.counts = dict(cue.counts)
        draft.tabled = cue.label
        self._open(draft)

    def _label_joins(self, top: Draft, cue: MotionCue) -> bool:
        """Whether ``MOVER:`` belongs to the result just read; if so, put it there."""
        if cue.start - top.end > _REPEATED_IN_TABLE or (top.lead is not None and top.lead.label):
            return False
        other = top.mover is not None and cue.mover and last_word(cue.mover) != last_word(top.mover)
        if other and self.doc.blank_line_between(top.end, cue.start):
            return False
        if top.mover is None:
            top.mover, top.lead = cue.mover, cue
        elif cue.mover and last_word(cue.mover) != last_word(top.mover):
            top.flags.add("source_contradiction")
        top.end = max(top.end, cue.end)
        top.start = min(top.start, cue.start)
        top.tabled = True
        return True

    def _restates(self, top: Draft, cue: MotionCue) -> bool:
        """Whether a lead tells of the motion that is already open."""
        if cue.about and cue.about != top.about:
            return False
        same = (
            cue.mover is None or top.mover is None or last_word(cue.mover) == last_word(top.mover)
        )
        if cue.start < top.end + 3:
            return True
        if top.strength == SOFT and cue.strength > SOFT:
            return False
        if cue.mover and not top.mover and top.seconder:
            return False
        return same and top.seconder is None and cue.start - top.end < 500

    def _make_room(self, cue: MotionCue) -> None:
        """Close what a new motion ends: everything, or nothing when it amends what is open."""
        if cue.about == "substitute" and self._top is not None and not self._top.voted:
            self._top.superseded = True
            self._top.flags.add("substitute")
        while self.stack:
            open_one = self.stack[-1]
            near = cue.start - max(open_one.end, self.last_end) < _REACH_OF_AMENDMENT
            amendable = not open_one.voted and open_one.strength > SOFT and near
            if cue.about == "amendment" and amendable:
                return
            self._close()

    def _second(self, cue: SecondCue) -> None:
        top = self._top
        if top is not None and cue.label and top.tabled and top.seconder is None:
            top.seconder = cue.seconder
            top.end = max(top.end, cue.end)
        elif top is not None and not top.voted and cue.start - top.end < _REACH_OF_SECOND:
            if top.seconder is None:
                top.seconder, top.second = cue.seconder, cue
                top.flags |= cue.flags
            if top.mover is None:
                self._mover_before(top, cue)
            top.end = max(top.end, cue.end)
        elif top is not None and top.voted and self._is_late_second(top, cue):
            self._late_second(top, cue)
        elif cue.strength > SOFT:
            self._second_without_lead(cue)

    @staticmethod
    def _is_late_second(top: Draft, cue: SecondCue) -> bool:
        """Whether a second after the outcome belongs to it: in a table, or in its sentence."""
        if cue.label and cue.start - top.end < 300:
            return True
        if top.lead is None or top.seconder is not None:
            return False
        behind = top.lead.bracket or top.lead.only_names
        return cue.start <= top.end or (behind and cue.start - top.end < 40)

    def _mover_before(self, top: Draft, cue: SecondCue) -> None:
        """Take the name right before the second for the mover: ``By: Smith Seconded by: Jones``."""
        text = self.doc.text
        edge = len(text[: cue.start].rstrip(" \n.;")) if cue.start - top.end < 200 else cue.start
        name = name_before(text, edge)
        if edge < cue.start and name and text[top.end : name.start].rstrip()[-1:] not in (":", "-"):
            name = name_before(text, cue.start)
        if name is not None and name.start >= top.end:
            top.mover, flags = self.doc.roster.surname(name)
            top.flags |= flags

    def _late_second(self, top: Draft, cue: SecondCue) -> None:
        if top.seconder is None:
            top.seconder = cue.seconder
        elif cue.seconder and last_word(cue.seconder) != last_word(top.seconder):
            top.flags.add("source_contradiction")
        top.end = max(top.end, cue.end)

    def _second_without_lead(self, cue: SecondCue) -> None:
        """Open a motion whose mover stands right before: ``(Smith, seconded by Jones)``."""
        self._close_all()
        name = name_before(self.doc.text, cue.start)
        start = name.start if name else self.doc.sentence_start(cue.start)
        draft = Draft(start, cue.end, second=cue, strength=SOFT, seconder=cue.seconder)
        draft.mover, draft.flags = self.doc.roster.surname(name)
        draft.flags |= cue.flags
        self._open(draft)

    def _focus(self, cue: QuestionCue) -> None:
        """Bring the motion to the top that a vote is announced on; open one if none is there."""
        top = self._top
        if top is None:
            return
        if cue.about == MAIN:
            self._down_to_main()
            if self._top is None or self._top.voted:
                self._open_unmoved(cue, "")
        elif cue.about == AMENDMENT:
            if top.about != AMENDMENT or top.decided:
                self._open_unmoved(cue, AMENDMENT)
        elif top.voted:
            self._close_all()

    def _down_to_main(self) -> None:
        """Close the amendments that lie on the main motion."""
        while self._top is not None and self._top.about == AMENDMENT:
            self._close()

    def _open_unmoved(self, cue: QuestionCue, about: str) -> None:
        """Open a motion of which only the vote is told, over a main motion that still waits."""
        while self._top is not None and (self._top.voted or about != AMENDMENT):
            self._close()
        self._open(Draft(cue.start, cue.end, strength=SOFT, about=about))

    def _close_all(self) -> None:
        while self.stack:
            self._close()

    def _outcome(self, cue: OutcomeCue) -> None:
        self.hint = None
        if cue.about == MAIN:
            self._down_to_main()
        top = self._top
        if cue.mover_follows or (top is not None and self._is_of_another(top, cue)):
            self._outcome_without_lead(cue)
            return
        if top is not None and top.decided and self._outcome_again(top, cue):
            return
        top = self._top
        reach = _REACH_OF_OUTCOME[cue.strength]
        if top is not None and not top.decided and cue.start - max(top.end, self.last_end) < reach:
            if cue.result == DIED and top.seconder is not None and cue.strength < STRONG:
                return
            decide(top, cue)
        elif cue.result != DIED or cue.strength == STRONG:
            self._outcome_without_lead(cue)

    def _is_of_another(self, top: Draft, cue: OutcomeCue) -> bool:
        """Whether an outcome in a paragraph of its own is that of a motion not told before."""
        if not top.voted or not self.doc.blank_line_between(top.end, cue.start):
            return False
        if top.unanimous and cue.counts.get(NOES):
            return True
        told = top.told_counts
        if not cue.label and any(cue.counts.get(kind, told[kind]) != told[kind] for kind in told):
            return True
        return (cue.own_question and (cue.label or resolves(cue))) or of_others(top, cue)

    def _outcome_again(self, top: Draft, cue: OutcomeCue) -> bool:
        """Take a repeated outcome as the same; make way for that of the motion below."""
        assert top.outcome is not None
        gap = cue.start - top.end
        if self.waiting and self.doc.blank_line_between(top.end, self.waiting[-1].start):
            return False
        if not top.outcome.result and cue.result and gap < _REACH_OF_OUTCOME[SOFT]:
            decide(top, cue)
            return True
        if cue.about == AMENDMENT == top.about and gap < _REPEATED_IN_TABLE:
            join_outcome(top, cue, cue.result in ("", top.outcome.result))
            return True
        own = cue.own_question or "declared" in cue.flags or self._is_of_next_line(top, cue)
        if own and top.lead is None and not top.ballots and gap >= 0:
            return False
        if "consensus" in cue.flags and top.outcome.strength > SOFT and gap > 0:
            return False
        if cue.label and top.outcome.label and gap >= 0:
            return False
        reach = _OVERRULED if cue.strength == STRONG else _REPEATED
        if top.outcome.strength == SOFT and cue.strength > SOFT and gap < reach and top.lead:
            decide(top, cue)
            return True
        same = cue.result in ("", top.outcome.result)
        table = cue.label and not top.tabled and gap < _REPEATED_IN_TABLE
        declared = "declared" in cue.flags and gap < _REPEATED_IN_TABLE
        below = len(self.stack) > 1 and not self.stack[-2].voted
        if cue.strength == SOFT and gap < _REPEATED:
            top.unanimous = top.unanimous or (cue.unanimous and same and gap < _SAME_BREATH)
            self.hint = cue if gap > 0 else None
            return True
        if table or declared or (gap < _REPEATED and same and (not below or gap < 3)):
            join_outcome(top, cue, same)
            return True
        if below and cue.strength > SOFT:
            self._close()
            return False
        return False

    def _is_of_next_line(self, top: Draft, cue: OutcomeCue) -> bool:
        """Whether a lone ``Carried.`` stands behind a matter in a line of its own."""
        between = self.doc.text[top.end : cue.at]
        if "\n" not in between or between.rstrip(" ")[-1:] not in (".", ":", ";", "\n", "-"):
            return False
        told = _VOTE_TOLD.search(between.lower()) is not None
        return self.doc.text[cue.at].isupper() and len(between.split()) > 1 and not told

    def _outcome_without_lead(self, cue: OutcomeCue) -> None:
        if cue.strength == SOFT and self.stack and not self.stack[-1].voted:
            return
        self._close_all()
        draft = self._open(Draft(cue.start, cue.end, strength=cue.strength))
        for counts in self._counts_before(cue):
            add_ballots(draft, counts)
            draft.start = min(draft.start, counts.start)
        decide(draft, cue)
        begin = self.doc.sentence_start(cue.at)
        for told in self.told:
            if begin <= told.start < cue.at:
                draft.start = min(draft.start, told.start)
                self._dissent(draft, told)

    def _counts_before(self, cue: OutcomeCue) -> list[BallotCue]:
        """Return the counts that stand right before an outcome: ``Ayes: 5, Nays: 0. Carried.``"""
        found: list[BallotCue] = []
        edge = cue.at
        for counts in reversed(self.waiting):
            if not self.last_end <= counts.start < edge or edge - counts.end > _COUNTS_NEAR:
                break
            found.insert(0, counts)
            edge = counts.start
        self.waiting = []
        return found

    def _ballot(self, cue: BallotCue) -> None:
        top = self._top
        if isinstance(cue, DissentCue):
            self.told = [*self.told[-3:], cue]
        if top is None:
            self._ballot_without_lead(cue)
        elif isinstance(cue, DissentCue):
            self._dissent(top, cue)
        elif not self._belongs(top, cue) or self._is_of_next_vote(top, cue):
            self._ballot_without_lead(cue)
        elif self._ballot_again(top, cue):
            top.end = max(top.end, cue.end)
        else:
            add_ballots(top, cue)

    def _contradicts(self, top: Draft, cue: BallotCue) -> bool:
        """Whether a list in a paragraph of its own cannot be that of the vote just told."""
        listed = set(top.ballots) - top.from_prose
        if not top.voted or listed or not self.doc.blank_line_between(top.end, cue.start):
            return False
        counts = {kind: len(names) for kind, names in cue.ballots.items()} | cue.counts
        if top.unanimous and counts.get(NOES):
            return True
        return any(top.counts.get(kind, counts[kind]) != counts[kind] for kind in counts)

    def _is_of_next_vote(self, top: Draft, cue: BallotCue) -> bool:
        """Whether a list is that of a vote of which nothing was told before."""
        told = is_next_vote(top, cue) or self._contradicts(top, cue)
        return told or self._is_roll_of_another(top, cue)

    def _is_roll_of_another(self, top: Draft, cue: BallotCue) -> bool:
        """Whether a second list of ayes, under words of its own, is that of the next matter."""
        if top.lead is not None or top.second is not None or top.decided:
            return False
        if not (top.ballots.get(AYES) and cue.ballots.get(AYES)):
            return False
        between = self.doc.lower[top.end : cue.start]
        return self.doc.blank_line_between(top.end, cue.start) and len(between.split()) > 2

    def _belongs(self, top: Draft, cue: BallotCue) -> bool:
        last = max(top.end, top.ballots_end)
        if "consensus" in top.flags or top.result in (DIED, WITHDRAWN):
            return False
        if cue.whole_vote and AYES in top.counts:
            return False
        if top.voted:
            reach = 120 if cue.strength == SOFT else _BALLOT_AFTER_OUTCOME
            return cue.start - last < reach
        if set(cue.ballots) <= {ABSENT, RECUSED, ABSTAIN} and cue.ballots and not top.voted:
            return False
        return cue.start - last < _REACH_OF_BALLOT[cue.strength]

    def _ballot_again(self, top: Draft, cue: BallotCue) -> bool:
        """Whether a list repeats one that is there; a different one is noted, not merged."""
        again = False
        for kind, names in cue.ballots.items():
            if kind not in top.ballots:
                continue
            again = True
            old = {last_word(name) for name in top.ballots[kind]}
            new = {last_word(name) for name in names}
            lone = len(names) == 1 and len(cue.ballots) == 1
            if lone and kind not in top.from_prose and cue.start - top.ballots_end < 30:
                return False
            if old != new and (old or new):
                top.flags.add("source_contradiction")
        if not cue.ballots and cue.counts:
            again = all(kind in top.counts for kind in cue.counts)
        return again

    def _ballot_without_lead(self, cue: BallotCue) -> None:
        """Open a motion for a list of votes that has neither lead nor outcome before it."""
        named = any(cue.ballots.get(kind) for kind in (AYES, NOES))
        if cue.strength == SOFT or not (named or cue.whole_vote):
            self.waiting = [*self.waiting[-3:], cue] if cue.counts else self.waiting
            return
        self._close_all()
        start = max(self.doc.sentence_start(cue.start, 160), min(self.last_end, cue.start))
        draft = self._open(Draft(start, cue.end, strength=FIRM))
        add_ballots(draft, cue)

    def _is_other_news(self, top: Draft, cue: DissentCue) -> bool:
        """Whether a paragraph of its own begins with a longer sentence about somebody."""
        if not self.doc.blank_line_between(top.end, cue.start):
            return False
        longer = self.doc.sentence_end(cue.end) - cue.end > _SHORT_REST
        return longer or ABSENT in cue.ballots

    def _breaks_a_tie(self, cue: DissentCue) -> bool:
        """Whether somebody is told to have voted after all others: ``to break the tie``."""
        begin, end = self.doc.sentence_start(cue.start), self.doc.sentence_end(cue.end, 60)
        return _TIE.search(self.doc.lower, begin, end) is not None

    def _dissent(self, top: Draft, cue: DissentCue) -> None:
        near = cue.start - max(top.end, top.ballots_end) < _DISSENT_NEAR
        if "per_item_dissent" in cue.flags and near:
            top.flags.add("per_item_dissent")
        inside = top.decided and cue.start < top.end
        if not inside and (cue.same_sentence or self._is_other_news(top, cue)):
            return
        if AYES in cue.ballots and near and not top.decided and tells_the_vote(top, cue):
            inside = True
        if not inside and RECUSED in cue.ballots:
            return
        if not inside and not (near and top.voted):
            return
        for kind, names in cue.ballots.items():
            if kind == AYES and not inside and not self._breaks_a_tie(cue):
                continue
            if kind == NOES and set(names) & set(top.ballots.get(AYES, [])):
                top.flags.add("per_item_dissent")
                continue
            held = top.ballots.setdefault(kind, [])
            held += [name for name in names if name not in held]
            top.from_prose.add(kind)
        top.end = max(top.end, cue.end)
        top.flags |= cue.flags
