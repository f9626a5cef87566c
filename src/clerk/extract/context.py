"""A document while it is being read: its text, its sentences, its people, and what a cue is.

A cue is a place in the text that says something about a motion.  The modules that read motions,
outcomes and ballots turn the text into cues; :mod:`.assemble` puts the cues together.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from functools import cached_property

from .names import Name, read_name
from .roster import Roster
from .text import NormalText, pattern

#: How sure a cue is: a mere mention, a hint, a statement, the vote itself.
MENTION, SOFT, FIRM, STRONG = 0, 1, 2, 3


@dataclass
class Cue:
    """A place in the text that says something about a motion; each kind has a type of its own."""

    start: int
    end: int
    strength: int = STRONG
    #: Where the deciding word is; cues are read in this order.  The start unless given.
    at: int = -1
    flags: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        if self.at < 0:
            self.at = self.start


@dataclass
class MotionCue(Cue):
    """A place where a motion is made."""

    mover: str | None = None
    seconder: str | None = None
    #: Where the words of the motion end, if that is known.
    words_end: int = 0
    #: What it does with another motion: "amendment", "substitute" or nothing.
    about: str = ""
    #: What must follow or precede it to make it a motion: "second", "outcome" or nothing.
    needs: str = ""
    #: From a label such as ``MOVER:`` and not from prose.
    label: bool = False
    #: It may refer to a motion already made: "the motion to amend".
    reference: bool = False
    #: Its own sentence states the outcome: "Motion to table passed 2-1".
    has_outcome: bool = False
    #: It reports what was done: "On motion of Smith the meeting adjourned".
    done: bool = False
    #: In brackets, behind the outcome it belongs to: ``Carried. (Smith/Jones)``.
    bracket: bool = False
    #: It names people and says nothing else: ``Moved by Smith, seconded by Jones.``
    only_names: bool = False
    vote_type: str = ""
    counts: dict[str, int] = field(default_factory=dict)


@dataclass
class SecondCue(Cue):
    """A place where a motion is seconded."""

    seconder: str | None = None
    #: From a label such as ``SECONDER:`` and not from prose.
    label: bool = False


@dataclass
class OutcomeCue(Cue):
    """A place that says what became of a motion."""

    result: str = ""
    result_text: str | None = None
    vote_type: str = ""
    unanimous: bool = False
    counts: dict[str, int] = field(default_factory=dict)
    #: The question that was decided: AMENDMENT, MAIN or not said.
    about: str = ""
    #: From a label such as ``RESULT:`` and not from prose.
    label: bool = False
    #: It states its own question: "The Board voted to close the road".
    own_question: bool = False
    #: Who moved is still to be named: "were adopted on the proposal of".
    mover_follows: bool = False
    #: Mover and seconder that are named next to the result.
    people: tuple[str | None, str | None] = (None, None)


@dataclass
class QuestionCue(Cue):
    """A place that says which question is put to the vote: AMENDMENT, MAIN or OTHER."""

    about: str = ""


@dataclass
class BallotCue(Cue):
    """A place that says who or how many voted which way."""

    ballots: dict[str, list[str]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    unanimous: bool = False
    vote_type: str = ""
    #: It is a whole vote by itself: ``(Y-5)``.
    whole_vote: bool = False


@dataclass
class DissentCue(BallotCue):
    """Names in prose next to an outcome: "with Smith dissenting"."""

    #: It counts only in the sentence of the outcome: ``passed, Smith nay``.
    same_sentence: bool = False


_BLANK_LINE = pattern(r"\n[ ]{0,80}\n")
#: A full stop that ends no abbreviation, or a blank line.  The characters it may begin with come
#: first: the regex engine then skips all others fast.
_SENTENCE_END = pattern(
    r"[.;!?\n](?:(?<=\n)[ ]{0,80}\n|(?<!\n)(?<!\b[a-z]\.)(?<!\b(?:mr|ms|dr|no|st|jr|sr|cr)\.)"
    r"(?<!\b(?:mrs|hon|ald|com|nem)\.)(?<!\b(?:cllr|comm)\.)[\"')]{0,2}(?=\s|$))"
)


@dataclass(frozen=True)
class DocumentText:
    """The text of a document, its sentences and the people known in it."""

    normal: NormalText
    roster: Roster

    @cached_property
    def text(self) -> str:
        """The normalised text."""
        return self.normal.text

    @cached_property
    def lower(self) -> str:
        """The normalised text in lower case."""
        return self.normal.lower

    @cached_property
    def original(self) -> str:
        """The text as it was given."""
        return self.normal.original

    @cached_property
    def sentence_ends(self) -> tuple[list[int], list[int]]:
        """Where sentences end: before and behind their full stop or blank line."""
        spans = [end.span() for end in _SENTENCE_END.finditer(self.lower)]
        return [start for start, _ in spans], [end for _, end in spans]

    @cached_property
    def names(self) -> dict[int, Name | None]:
        """Cache: the names already read, by the position they were looked for at."""
        return {}

    def name_at(self, position: int) -> Name | None:
        """Return the name that begins at a position; each position is read once."""
        if position not in self.names:
            self.names[position] = read_name(self.text, position, self.roster.known)
        return self.names[position]

    def sentence_start(self, position: int, reach: int = 240) -> int:
        """Return where the sentence around a position begins, at most ``reach`` before it."""
        afters = self.sentence_ends[1]
        place = bisect_right(afters, position)
        start = max(0, position - reach, afters[place - 1] if place else 0)
        before = self.lower[start:position]
        return start + len(before) - len(before.lstrip())

    def sentence_end(self, position: int, reach: int = 400) -> int:
        """Return where the sentence around a position ends, its full stop included."""
        befores, afters = self.sentence_ends
        ceiling = min(len(self.lower), position + reach)
        place = bisect_left(befores, position)
        if place == len(befores) or befores[place] >= ceiling:
            return ceiling
        blank = self.lower[befores[place]] == "\n"
        return befores[place] if blank else min(ceiling, afters[place])

    def blank_line_between(self, end: int, start: int) -> bool:
        """Whether a blank line separates two places."""
        return _BLANK_LINE.search(self.lower, end, max(end, start)) is not None

    def printed(self, start: int, end: int) -> str:
        """Return a stretch of the document as it is printed, in one line."""
        text = " ".join(self.original[start:end].split())
        return text if len(text) <= 160 else text[:157] + "..."
