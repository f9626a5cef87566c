"""A motion while it is being read, and what a cue adds to it."""

from __future__ import annotations

from dataclasses import dataclass, field

from .context import FIRM, SOFT, STRONG, BallotCue, DissentCue, MotionCue, OutcomeCue, SecondCue
from .model import AYES, DIED, FAILED, NOES, PASSED, SUPERSEDED, UNKNOWN


@dataclass
class Draft:
    """A motion while it is being read."""

    start: int
    end: int
    lead: MotionCue | None = None
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
    from_prose: set[str] = field(default_factory=set)
    counts: dict[str, int] = field(default_factory=dict)
    unanimous: bool = False
    vote_type: str = ""
    flags: set[str] = field(default_factory=set)
    tabled: bool = False

    @property
    def decided(self) -> bool:
        """Whether the outcome is printed."""
        return self.outcome is not None

    @property
    def voted(self) -> bool:
        """Whether an outcome, names or a tally are printed."""
        return self.decided or AYES in self.ballots or NOES in self.ballots or AYES in self.counts

    @property
    def told_counts(self) -> dict[str, int]:
        """How many are told to be for and against, by numbers or by names."""
        listed = {kind: len(names) for kind, names in self.ballots.items() if names}
        told = listed | self.counts
        return {kind: told[kind] for kind in (AYES, NOES) if kind in told}

    @property
    def result(self) -> str:
        """What became of it, from printed words."""
        if self.outcome is not None and self.outcome.result:
            return self.outcome.result
        if self.superseded:
            return SUPERSEDED
        done = self.lead is not None and self.lead.done and not self.ballots.get(NOES)
        return PASSED if done or self.nobody_against else UNKNOWN

    @property
    def nobody_against(self) -> bool:
        """Whether votes for it are printed, and that there are none against."""
        for_it = bool(self.ballots.get(AYES)) or bool(self.counts.get(AYES)) or self.unanimous
        against = bool(self.ballots.get(NOES)) or bool(self.counts.get(NOES))
        told = NOES in self.ballots or NOES in self.counts or self.vote_type == "roll_call"
        return for_it and not against and (told or self.unanimous or AYES in self.counts)


def tells_the_vote(top: Draft, cue: DissentCue) -> bool:
    """Whether "Smith voted aye" goes on with a roll call, or tells the whole vote."""
    whole = top.seconder is not None and len(cue.ballots[AYES]) > 1
    return top.vote_type == "roll_call" or whole


def speaks_of(top: Draft, cue: MotionCue) -> bool:
    """Whether a lead only speaks of the motion just voted on: ``Motion to table passed 2-1``."""
    if cue.start - top.end >= 400:
        return False
    return cue.reference or (cue.has_outcome and not top.decided and cue.about in ("", top.about))


def is_next_vote(top: Draft, cue: BallotCue) -> bool:
    """Whether a list comes after an outcome that had its own list before it."""
    if top.outcome is None or not top.ballots_start or cue.start < top.end:
        return False
    told = top.ballots_start < top.outcome.at < cue.start
    return told and any(kind in top.ballots for kind in (AYES, NOES) if kind in cue.ballots)


def of_others(top: Draft, cue: OutcomeCue) -> bool:
    """Whether a table of results names two people, and neither moved or seconded this motion."""
    ours = {last_word(name) for name in (top.mover, top.seconder) if name}
    theirs = {last_word(name) for name in cue.people if name}
    return bool(ours) and len(theirs) == 2 and ours.isdisjoint(theirs)


def resolves(cue: OutcomeCue) -> bool:
    """Whether an outcome is a resolution with words of its own."""
    return (cue.result_text or "").lower().startswith(("resolved", "voted:"))


def told_before(top: Draft, cue: MotionCue) -> bool:
    """Whether the sentence told the outcome first: ``approved on the proposal of Smith``."""
    if top.lead is not None or top.outcome is None or set(top.ballots) - top.from_prose:
        return False
    if cue.bracket and top.second is None and 0 <= cue.start - top.end < 60:
        return True
    if cue.only_names and 0 <= cue.start - top.end < 2:
        return True
    return top.outcome.at < cue.start < top.end


def begins_anew(top: Draft, cue: MotionCue) -> bool:
    """Whether "motion to" opens a motion of its own while another has no outcome."""
    if cue.about == "amendment":
        return top.about != "amendment"
    complete = top.mover is not None and top.seconder is not None
    return top.strength == SOFT and complete and not cue.reference


def last_word(name: str) -> str:
    """Return the word of a name by which people are told apart."""
    return name.split()[-1].lower()


def join_lead(top: Draft, cue: MotionCue) -> None:
    """Add what a lead tells of a motion already open."""
    top.end = max(top.end, cue.end)
    top.flags |= cue.flags
    if top.mover is None and cue.mover is not None:
        top.mover, top.lead = cue.mover, cue
    top.seconder = top.seconder or cue.seconder
    for kind, count in cue.counts.items():
        top.counts.setdefault(kind, count)
    top.strength = max(top.strength, cue.strength)
    top.tabled = top.tabled or cue.label
    top.vote_type = top.vote_type or cue.vote_type


def decide(draft: Draft, cue: OutcomeCue) -> None:
    """Set the outcome of a motion; a motion that died for want of a second stays dead."""
    if draft.result == DIED and cue.result == FAILED:
        draft.end = max(draft.end, cue.end)
        return
    draft.outcome = cue
    draft.end = max(draft.end, cue.end)
    draft.unanimous = draft.unanimous or cue.unanimous
    draft.vote_type = cue.vote_type or draft.vote_type
    draft.tabled = draft.tabled or cue.label
    for kind, count in cue.counts.items():
        draft.counts.setdefault(kind, count)
    draft.flags |= cue.flags - {"declared"}
    if draft.lead is None:
        draft.strength = max(draft.strength, cue.strength)


def join_outcome(top: Draft, cue: OutcomeCue, same: bool) -> None:
    """Add what an outcome tells that is printed again."""
    top.end = max(top.end, cue.end)
    if same and top.outcome is not None and cue.strength > top.outcome.strength:
        top.outcome = cue
        top.strength = max(top.strength, cue.strength)
    top.unanimous = top.unanimous or cue.unanimous
    top.vote_type = top.vote_type or cue.vote_type
    top.tabled = top.tabled or cue.label
    for kind, count in cue.counts.items():
        if top.counts.setdefault(kind, count) != count:
            top.flags.add("source_contradiction")
    if not same:
        top.flags.add("source_contradiction")


def add_ballots(draft: Draft, cue: BallotCue) -> None:
    """Add names and counts to a motion."""
    draft.ballots_start = draft.ballots_start or cue.start
    for kind, names in cue.ballots.items():
        held = draft.ballots.setdefault(kind, [])
        held += [name for name in names if name not in held]
    for kind, count in cue.counts.items():
        draft.counts.setdefault(kind, count)
    draft.vote_type = cue.vote_type or draft.vote_type
    draft.unanimous = draft.unanimous or cue.unanimous
    draft.flags |= cue.flags
    draft.end = max(draft.end, cue.end)
    draft.ballots_end = draft.end


def is_event(draft: Draft) -> bool:
    """Whether what was read is a vote or a motion, and not a mention of one."""
    if draft.superseded:
        return True
    if draft.lead is None and draft.second is None:
        return draft.strength > SOFT or (draft.decided and AYES in draft.ballots)
    if draft.voted:
        return True
    if draft.lead is not None and draft.lead.bracket:
        return False
    if draft.mover and draft.seconder:
        return True
    if draft.strength == SOFT or draft.lead is None:
        return False
    return draft.mover is not None or draft.strength == FIRM or draft.seconder is not None
