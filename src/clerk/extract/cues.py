"""What a cue is: a spot in the text that says something about a motion.

The readers of motions, outcomes and ballots turn the text into cues; the chamber reads the cues in
order and makes events of them.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from functools import cached_property

from .names import Name, read_name
from .roster import Roster
from .text import NormalText, pattern

LEAD = "lead"
SECOND = "second"
OUTCOME = "outcome"
BALLOT = "ballot"
FOCUS = "focus"

#: How sure a cue is that it stands alone: a reference, a hint, a statement, the thing itself.
REFERENCE, SOFT, FIRM, STRONG = 0, 1, 2, 3


@dataclass
class Cue:
    """One spot.  Fields that do not belong to its kind are left empty."""

    kind: str
    start: int
    end: int
    strength: int = STRONG
    #: Where the telling word stands, by which cues are put in order; the start unless given.
    at: int = -1
    mover: str | None = None
    seconder: str | None = None
    #: Where the words of the motion end, if the lead tells.
    words_end: int = 0
    #: A motion about another motion: "amendment" or "substitute"; the question that is put.
    about: str = ""
    #: The cue comes from a label (``MOVER:``, ``RESULT:``) and not from prose.
    label: bool = False
    #: A lead that may only speak of a motion already made: "the motion to amend".
    reference: bool = False
    #: A lead in brackets, behind the outcome it belongs to: ``Carried. (Smith/Jones)``.
    bracket: bool = False
    #: A lead without words: ``Moved by Smith, seconded by Jones.``
    trailing: bool = False
    #: A lead that is one only behind an outcome: two names in brackets.
    needs_outcome: bool = False
    #: A lead whose own sentence tells the outcome: "Motion to table passed 2-1".
    told: bool = False
    #: A lead that reports a deed, "On motion of Smith the meeting adjourned".
    done: bool = False
    #: A lead that counts only if a second follows.
    needs_second: bool = False
    result: str = ""
    result_text: str | None = None
    vote_type: str = ""
    unanimous: bool = False
    ballots: dict[str, list[str]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    flags: set[str] = field(default_factory=set)
    #: Names come from prose such as "with Smith dissenting".
    prose: bool = False
    #: Such prose that counts only in the sentence of the outcome: ``passed, Smith nay``.
    inside: bool = False
    #: An outcome with its own question ("The Board voted to close the road"), a whole tally.
    fresh: bool = False
    #: An outcome whose mover is still to be named: "were adopted on the proposal of".
    moved: bool = False

    def __post_init__(self) -> None:
        if self.at < 0:
            self.at = self.start


@dataclass(frozen=True)
class Reading:
    """A document while it is being read: its text and who is known in it."""

    document: NormalText
    roster: Roster

    @cached_property
    def text(self) -> str:
        """The normalised text."""
        return self.document.text

    @cached_property
    def lower(self) -> str:
        """The normalised text in lower case."""
        return self.document.lower

    @cached_property
    def ends(self) -> tuple[list[int], list[int]]:
        """Where the sentences of the document end, before and behind their full stop."""
        return _ends(self.lower)

    @cached_property
    def names(self) -> dict[int, Name | None]:
        """The names already read, by where they were looked for."""
        return {}

    def name_at(self, position: int) -> Name | None:
        """Return the name that begins at a position; each place is read once."""
        if position not in self.names:
            self.names[position] = read_name(self.text, position, self.roster.known)
        return self.names[position]

    def clause_start(self, position: int, reach: int = 240) -> int:
        """Return where the sentence around a position begins, looking back at most so far."""
        afters = self.ends[1]
        place = bisect_right(afters, position)
        start = max(0, position - reach, afters[place - 1] if place else 0)
        before = self.lower[start:position]
        return start + len(before) - len(before.lstrip())

    def clause_end(self, position: int, reach: int = 400) -> int:
        """Return where the sentence around a position ends, its full stop included."""
        befores, afters = self.ends
        ceiling = min(len(self.lower), position + reach)
        place = bisect_left(befores, position)
        if place == len(befores) or befores[place] >= ceiling:
            return ceiling
        blank = self.lower[befores[place]] == "\n"
        return befores[place] if blank else min(ceiling, afters[place])

    def apart(self, end: int, start: int) -> bool:
        """Whether a blank line stands between two places."""
        return _BLANK_LINE.search(self.lower, end, max(end, start)) is not None


_BLANK_LINE = pattern(r"\n[ ]{0,80}\n")
#: A full stop that ends no abbreviation, or a blank line.  What it may begin with comes first: so
#: all other characters are passed over at once.
_END = pattern(
    r"[.;!?\n](?:(?<=\n)[ ]{0,80}\n|(?<!\n)(?<!\b[a-z]\.)(?<!\b(?:mr|ms|dr|no|st|jr|sr|cr)\.)"
    r"(?<!\b(?:mrs|hon|ald|com|nem)\.)(?<!\b(?:cllr|comm)\.)[\"')]{0,2}(?=\s|$))"
)


def _ends(lower: str) -> tuple[list[int], list[int]]:
    """Return where sentences end: before and behind their full stop or blank line."""
    befores, afters = [], []
    for end in _END.finditer(lower):
        befores.append(end.start())
        afters.append(end.end())
    return befores, afters
