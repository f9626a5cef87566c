"""The document while it is read: what a cue is, what words around it say, and its sentences.

A cue is a place in the text that says something about a motion.  The modules that read motions,
outcomes and ballots turn the text into cues; :mod:`.assemble` puts the cues together.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from clerk.core import lazy_re as re

from .names import ALSO_SURNAMES, Name, NameList, name_before, names_before, read_name, read_names
from .roster import Roster, read_roster
from .text import (
    NormalText,
    Phrase,
    normalise,
    pattern,
)

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
    #: The name of the rule that read it.
    rule: str = ""

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
    #: The words of the motion precede the names of those who move it.
    words_above: bool = False
    #: What it does with another motion: "amendment", "substitute" or nothing.
    about: str = ""
    #: What must follow or precede it to make it a motion: "second", "outcome" or nothing.  A
    #: "question" is one only if no motion is open that it may be about.
    needs: str = ""
    #: From a label such as ``MOVER:`` and not from prose.
    label: bool = False
    #: It may refer to a motion already made: "the motion to amend".
    reference: bool = False
    #: Its own sentence states the outcome: "Motion to table passed 2-1".
    has_outcome: bool = False
    #: It reports what was done: "On motion of Smith the meeting adjourned".
    done: bool = False
    #: It says so, too: "Resolved on the motion of Smith".
    resolved: bool = False
    #: In brackets, after the outcome it belongs to: ``Carried. (Smith/Jones)``.
    bracket: bool = False
    #: It begins its line.
    at_line_start: bool = False
    #: It names mover and seconder in a line of its own, with nothing that is moved below it.
    names_below: bool = False
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
    #: A matter and not a motion was denied or rejected: that may be what was moved.
    refused: bool = False
    #: Mover and seconder that are named next to the result.
    people: tuple[str | None, str | None] = (None, None)


@dataclass
class QuestionCue(Cue):
    """A place that says which question is put to the vote: AMENDMENT, MAIN or OTHER."""

    about: str = ""


#: As many known surnames are a body; somebody on a list should be one of its members.
_KNOWN_BODY = 3


@dataclass
class BallotCue(Cue):
    """A place that says who or how many voted which way."""

    ballots: dict[str, list[str]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    unanimous: bool = False
    vote_type: str = ""
    #: It is a whole vote by itself: ``(Y-5)``.
    whole_vote: bool = False
    #: The lists that were not read to their end.
    incomplete: set[str] = field(default_factory=set)

    def add_list(self, doc: DocumentText, kind: str, names: NameList) -> None:
        """Add names as the roster spells them; an incomplete list keeps those it knows.

        A list of strangers is not complete either if it is below its label in a line with other
        words, or in capitals where the names of the document are not: headings below an empty
        label look like names.  Neither is one with half a name: a first name at the end of a line,
        in a list of whole names.
        """
        whole = sum(name.text != name.surname for name in names.names)
        halves = [
            name
            for name in names.names
            if whole
            and " " not in name.text
            and not doc.roster.is_known(name.surname)
            and doc.text[name.end : name.end + 8].lstrip(" ").startswith("\n")
        ]
        if halves:
            kept = [name for name in names.names if name not in halves]
            names = NameList(kept, names.end, complete=False)
        surnames, flags = doc.roster.surnames(names.names)
        strangers = (
            bool(doc.roster.known)
            and bool(names.names)
            and not any(name.titled or doc.roster.is_known(name.surname) for name in names.names)
        )
        if strangers:
            label = doc.text[self.start : names.names[0].start]
            rest = doc.text[names.end : names.end + 160].partition("\n")[0].strip(" .,;")
            below = bool(label.strip() and rest) and label.rstrip(" ").endswith("\n")
            capitals = len(doc.roster.written) >= _KNOWN_BODY and names.names[0].text.isupper()
            strangers = below or capitals
        if not names.complete or strangers:
            self.incomplete.add(kind)
            surnames = [name for name in surnames if doc.roster.is_known(name)]
        self.ballots[kind] = surnames
        self.flags |= flags


@dataclass
class DissentCue(BallotCue):
    """Names in prose next to an outcome: "with Smith dissenting"."""

    #: It counts only in the sentence of the outcome: ``passed, Smith nay``.
    same_sentence: bool = False


#: A wish, a condition or a rule before a verb: nothing was decided.
_TALK = pattern(
    r"\b(?:if|unless|until|would|should|could|might|must|can|cannot|whether|shall|once"
    r"|when|in\s+order|needs?\s+to|has\s+to|have\s+to|want\w*|asked|hoped|require[sd]?"
    r"|was\s+previously|had\s+been|ha(?:s|ve)\s+already)\b[^,]{0,70}$"
)
#: More of them, as printed: Will, Hope and May are names.
_TALK_IN_SMALL_LETTERS = pattern(r"\b(?:will|hopes?|may)\b[^,]{0,70}$")
OTHER_BODY = pattern(
    r"\b(?:house|senate|legislature|congress|general\s+assembly|voters|electorate|union|state"
    r"|supreme\s+court|governor|parliament)\b"
)
EARLIER = pattern(
    r"\b(?:last\s+(?:night|week|month|year|meeting|spring|summer|fall|autumn|winter|\w{3,6}day)"
    r"|yesterday"
    r"|previous(?:ly)?|in\s+(?:19|20)\d\d|earlier\s+this\s+(?:year|month|week)"
    r"|(?:at|during|from)\s+(?:its|their|the|a)\s+(?:\w+\s+){0,2}"
    r"(?:meeting\s+(?:of|held\s+on)|\d{1,2},?\s+(?:\d{4},?\s+)?meeting)"
    r"|at\s+(?:its|their)\s+(?:\w+\s+){0,3}meeting)\b"
)
_ANOTHER_MEETING = pattern(
    r"\b(?:at|during)\s+(?:the|its|their|our|last)\s+(?:last\s+|previous\s+|prior\s+|[a-z]+"
    r"\s+\d{1,2}(?:st|nd|rd|th)?,?\s+(?:\d{4},?\s+)?)(?:\w+\s+)?meeting\b[^.]{0,80}$"
)
REPORTED = pattern(
    r"\b(?:stated|said|noted|reported|reminded|shared|explained|indicated|mentioned|advised"
    r"|informed|announced|updated|told|recalled)\b"
)
#: Who spoke at a hearing, not who voted.
SPEAKERS = pattern(
    r"\b(?:speaking|spoke|speakers?|testif\w+|testimony|comments?|proponents|letters?)\b"
    r"(?:(?!\bmotion\b|\bmoved\b|\bvot)[^\n]){0,100}$"
)
BODY = pattern(
    r"\b(?:council|board|commission(?:ers)?|committee|members|trustees|directors|selectmen"
    r"|supervisors|aldermen|authority|selectboard|all|court|panel|they|we)\b"
)
_BODY_IS_SUBJECT = re.compile(BODY.pattern + r"\s+(?:\w+ly\s+|then\s+|also\s+)?$")


def body_is_subject(before: str) -> bool:
    """Whether the body itself is the subject of what follows: ``the Board unanimously``."""
    return _BODY_IS_SUBJECT.search(before) is not None


def is_elsewhere(before: str, after: str) -> bool:
    """Whether the words around a verb speak of another body or of another day."""
    return bool(EARLIER.search(before) or EARLIER.search(after) or OTHER_BODY.search(before))


_BLANK_LINE = pattern(r"\n[ ]{0,80}\n")
#: A full stop that ends no abbreviation, or a blank line.  The characters it may begin with come
#: first: the regex engine then skips all others fast.
_SENTENCE_END = pattern(
    r"[.;!?\n](?:(?<=[a-z]\.)(?=(?:carried|defeated|motion|moved|seconded|minutes)\b)"
    r"|(?<=\n)[ ]{0,80}\n"
    r"|(?<=\n)(?=[ ]{0,20}(?:(?:motion|action|vote|date|present|moved\s+by)\s{0,3}:"
    r"|(?:up)?on\s(?:a\s)?motion\s(?:of|by|made|duly)\b|a\smotion\swas\smade\b|it\swas\smoved\b))"
    r"|(?<=[ap]\.m\.)(?=[ ]{0,3}\n|\s{1,3}(?:the\s+motion|motion|upon\s+roll"
    r"|roll\s+call:|ayes|seconded|second\s|voice\s+vote|vote\b))"
    r"|(?<!\n)(?<!\b[a-z]\.)(?<!\b(?:mr|ms|dr|st|jr|sr|cr)\.)"
    # ``No. 5``, ``File No. PLN-12``, ``Item No. G,``, not ``Smith voted no.``
    r"(?!(?<=\bno\.)\s{0,3}(?!\d{1,2}\.\s)(?:[#a-z]{0,6}[-\d]|[a-z][,;)]))"
    r"(?<!\b(?:mrs|hon|ald|com|nem|rev)\.)(?<!\b(?:cllr|comm)\.)(?<!\bmessrs\.)"
    # ``Ch. 10``, ``Sept. 6``
    r"(?!(?:(?<=\bch\.)|(?<=\b(?:sec|art|ord|res|nos|div|jan|feb|mar|apr|aug|sep|oct|nov|dec)\.)"
    r"|(?<=\bsept\.))[ ]{1,2}\d)[\"')]{0,2}(?=\s|$))"
)


#: ``Wis. Stats. 19.85``, ``Main Ave. and Elm St.``, not ``Mr. Smith moved to adopt Res. 5.``
_ABBREVIATED = re.compile(r"(?<![\w-])[A-Z][a-z]{1,4}$")
_OF_LAWS = re.compile(r" (?:Stats?|Code|Rev|Admin|Comp|Ann|Const|Gen)\b")
_PLACE_BEHIND = re.compile(
    r" (?:Township|Town|City|County|Village|District|Borough|Parish|Committee|Commission|Board)\b"
)
_LAST_WORD = re.compile(r"(?:^|[\s,.;])([A-Z][a-z]+) {0,2}$")
#: Lines of a page have at most this many characters.
PAGE_WIDTH = 150


@dataclass(frozen=True)
class DocumentText(NormalText):
    """The text of a document, its sentences and the people known in it."""

    roster: Roster

    @cached_property
    def sentence_ends(self) -> tuple[list[int], list[int]]:
        """Where sentences end: before and after their full stop or blank line."""
        spans = [
            end.span()
            for end in _SENTENCE_END.finditer(self.lower)
            if self.lower[end.start()] != "." or not self._is_abbreviation(end.start())
        ]
        return [start for start, _ in spans], [end for _, end in spans]

    def _is_abbreviation(self, stop: int) -> bool:
        """Whether a full stop ends a short word with a capital, and the sentence goes on."""
        after = self.text[stop + 1 : stop + 3]
        if not after.startswith(" "):
            return False
        if after[1:].isdigit():
            return self.text.endswith((" Stat", " Stats"), 0, stop)
        if not after[1:].islower() and not _OF_LAWS.match(self.text, stop + 1):
            return False
        return _ABBREVIATED.search(self.text, max(0, stop - 7), stop) is not None

    @cached_property
    def lines_are_paragraphs(self) -> bool:
        """Whether most of the text is in lines longer than a page is wide: as web pages have it."""
        longest = sum(len(line) for line in self.text.split("\n") if len(line) > PAGE_WIDTH)
        return "\n" in self.text and longest * 2 > len(self.text)

    @cached_property
    def names(self) -> dict[int, Name | None]:
        """Cache: the names already read, by the position they were looked for at."""
        return {}

    def name_at(self, position: int) -> Name | None:
        """Return the name that begins at a position; each position is read once."""
        if position not in self.names:
            name = read_name(self.text, position, self.roster.known)
            if name is not None and not name.titled:
                # ``The Crete`` and ``Crete Township`` are no people.
                behind = _PLACE_BEHIND.match(self.text, name.end)
                if (
                    self.text.endswith("The ", 0, name.start)
                    or self.text.startswith("The ", name.start)
                    or (behind and not self.roster.is_known(name.surname))
                ):
                    name = None
            self.names[position] = name
        return self.names[position]

    @cached_property
    def first_names(self) -> frozenset[str]:
        """The first names of those who attend, where they are words too: Bill, Page, April."""
        attendees = (who.name.text.split()[0] for who in self.roster.attendees)
        return frozenset(first for first in attendees if first.lower() in ALSO_SURNAMES)

    def name_before(self, position: int) -> Name | None:
        """Return the name that ends right before a position; a first name that attends is one."""
        name = name_before(self.text, position, self.roster.known)
        if name is None and self.first_names:
            word = _LAST_WORD.search(self.text, max(0, position - 24), position)
            if word and word[1] in self.first_names:
                return Name(word[1], word.start(1), word.end(1), titled=False)
        return name

    def names_before(self, position: int) -> list[Name]:
        """Return the names of a list that ends right before a position."""
        names = names_before(self.text, position, self.roster.known)
        if not names and (name := self.name_before(position)) is not None:
            return [name]
        return names

    def names_at(self, position: int, limit: int) -> NameList:
        """Return the list of names that begins at a position and ends before a limit."""
        roster = self.roster
        return read_names(self.text, position, limit, roster.known, roster.last_first)

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

    def is_talk(self, begin: int, end: int) -> bool:
        """Whether a wish, a condition or a rule precedes a place in its sentence."""
        if _TALK.search(self.lower[begin:end]):
            return True
        return _TALK_IN_SMALL_LETTERS.search(self.text[begin:end]) is not None

    def blank_line_between(self, end: int, start: int) -> bool:
        """Whether a blank line separates two places."""
        return _BLANK_LINE.search(self.lower, end, max(end, start)) is not None

    def is_at_another_meeting(self, position: int) -> bool:
        """Whether a sentence that reaches a position speaks of another meeting."""
        before = self.lower[self.sentence_start(position, 140) : position]
        return "meeting" in before and _ANOTHER_MEETING.search(before) is not None

    def printed(self, start: int, end: int) -> str:
        """Return a stretch of the document as it is printed, in one line."""
        text = " ".join(self.original[start:end].split())
        return text if len(text) <= 160 else text[:157] + "..."


def document_text(pages: Sequence[str]) -> DocumentText:
    """Normalise the pages of a document and find out who is who in it."""
    normal = normalise(pages)
    return DocumentText(**vars(normal), roster=read_roster(normal))


@dataclass(frozen=True)
class Rule:
    """One way of writing: what it begins with, how it is read, and examples that tests check."""

    begins: Phrase | re.Pattern[str]
    read: Callable[[DocumentText, re.Match[str]], Cue | None]
    examples: tuple[str, ...]
    #: It is looked for in the text as printed, not in lower case.
    as_printed: bool = False


def find_cues(rules: Iterable[Rule], doc: DocumentText) -> Iterator[Cue]:
    """Yield what each rule reads, rule by rule, in the order of the text."""
    for rule in rules:
        find = rule.begins.find if isinstance(rule.begins, Phrase) else rule.begins.finditer
        for match in find(doc.text if rule.as_printed else doc.lower):
            cue = rule.read(doc, match)
            if cue is not None:
                cue.rule = rule.read.__name__
                yield cue
