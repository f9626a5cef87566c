"""Who sits on the body: names from the attendance, and the names minutes keep giving titles to.

The roster never adds a name to a vote.  It tells where one name ends and the next begins, gives a
misspelt name its usual spelling, and shows which names are strangers.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from rapidfuzz.distance import DamerauLevenshtein

from .names import PARTICLES, STOPS, TITLES, Name, read_name, read_names
from .text import NormalText, Phrase, line_start, pattern

_ATTENDANCE = Phrase(
    "present attendance absent excused attending members attendees roll_call council board",
    r"(?:present|attendance|absent|excused|attending|members|attendees|roll call|council|board)"
    r"(?:\s{1,3}(?:were|was|in person|remotely|is|are|and voting))?\s{0,3}[:\-]",
)
_OF_OTHERS = pattern(r"\s*(?:staff|others?|guests?|public|also|visitors?)")
_TITLED = Phrase(
    "Council Commissioner Director Trustee Supervisor Select Alder Mayor Member Chair Cllr Mr Ms"
    " Dr",
    r"(?:Council(?:member|man|woman|person|or|lor)|Council Member|Commissioner|Director|Trustee"
    r"|Supervisor|Select(?:man|woman|person)|Alder(?:man|woman|person)"
    r"|Mayor(?: Pro[ -]Tem(?:pore)?)?|Member|Chair(?:man|woman|person)?|Cllr|Mr|Mrs|Ms|Dr)"
    r"\.?s?\s(?:[A-Z]\.?\s){0,2}([A-Z][\w'-]{1,30})(?:\s([A-Z][\w'-]{1,30}))?",
)
_VOTE = pattern(
    r"[\s,:(\-\"]{1,12}(?:voted\s+|votes\s+)?\"?(?:yes|aye|yea|no|nay|y|n|abstain\w*|in favor)\b"
)
_TABLE = pattern(r"attendee name[\s\S]{0,4000}?(?=staff present|others present|called roll|\Z)")
_TABLE_NAME = pattern(r"^ *((?:[^\W\d_][\w'.-]* ){1,3}[^\W\d_][\w'-]+) *$", re.M)

#: A name printed more often than this is not a slip of the pen.
_SLIPS = 2
#: A titled surname is taken for a member's when it is printed so often.
_OFTEN = 2


@dataclass(frozen=True)
class Roster:
    """The surnames of the members, in lower case, and how they are written."""

    official: dict[str, str]
    known: frozenset[str]
    shared: frozenset[str]
    #: Surnames as they are printed with small letters, for those set in capitals.
    written: dict[str, str]
    text: str
    #: Which surnames come back in the text, as far as it was asked.
    usual: dict[str, bool] = field(default_factory=dict)

    def spelled(self, surname: str) -> tuple[str, bool]:
        """Return the roster's spelling of a surname, and whether the printed one is a slip.

        A spelling that comes back is somebody's name, however like another it is.
        """
        low = surname.lower()
        if surname.isupper() and low in self.written:
            return self.written[low], False
        if low in self.known or len(low) < 5 or self._is_usual(surname):
            return surname, False
        near = [
            written
            for key, written in self.official.items()
            if key[0] == low[0] and abs(len(key) - len(low)) <= 2 and _alike(key, low)
        ]
        return (near[0], True) if len(near) == 1 else (surname, False)

    def _is_usual(self, surname: str) -> bool:
        if surname not in self.usual:
            self.usual[surname] = self.text.count(surname) > _SLIPS
        return self.usual[surname]

    def is_stranger(self, surname: str) -> bool:
        """Whether an attendance is printed and this surname is not in it."""
        return len(self.official) >= 3 and surname.lower() not in self.official


def _alike(key: str, low: str) -> bool:
    if key.replace("-", "") == low.replace("-", ""):
        return True
    return DamerauLevenshtein.distance(key, low, score_cutoff=1) <= 1


def read_roster(document: NormalText) -> Roster:
    """Collect the members a document names."""
    attending = _attending(document)
    titled = _titled(document)
    official: dict[str, str] = {}
    forms: dict[str, set[str]] = {}
    for name in attending:
        key = name.surname.lower()
        official.setdefault(key, name.surname)
        forms.setdefault(key, set()).add(name.text.lower())
    often = {name.lower() for name, times in titled.items() if times >= _OFTEN}
    surnames = official.keys() | often
    known = frozenset(word for key in surnames for word in (key, key.split()[-1])) - PARTICLES
    shared = frozenset(key for key, texts in forms.items() if _two_people(key, texts))
    written = {name.surname.lower(): name.surname for name in attending if _mixed(name.surname)}
    written |= {name.lower(): name for name in titled if _mixed(name)}
    return Roster(official, known, shared, written, document.text)


def _mixed(surname: str) -> bool:
    return not surname.isupper() and not surname.islower()


def _two_people(surname: str, texts: set[str]) -> bool:
    initials = {text[0] for text in texts if text != surname}
    return len(initials) > 1


def _attending(document: NormalText) -> list[Name]:
    found: list[Name] = []
    for mark in _ATTENDANCE.find(document.lower):
        line = line_start(document.text, mark.start())
        if _OF_OTHERS.match(document.lower, line, mark.start()):
            continue
        names, _ = read_names(document.text, mark.end(), mark.end() + 1500)
        if names and _VOTE.match(document.lower, names[0].end):
            continue
        found += names
        if len(found) > 400:
            break
    return found + _tabled(document)


def _tabled(document: NormalText) -> list[Name]:
    table = _TABLE.search(document.lower)
    if table is None:
        return []
    rows = _TABLE_NAME.finditer(document.text, table.start(), table.end())
    names = [read_name(document.text, row.start(1)) for row in rows]
    return [name for name in names if name is not None and len(name.text.split()) > 1]


def _titled(document: NormalText) -> Counter[str]:
    """Count the surnames that follow a title."""
    counted: Counter[str] = Counter()
    for titled in _TITLED.find(document.text):
        surname = _last_name(titled)
        if surname is not None:
            courtesy = titled[0][:2] in ("Mr", "Ms", "Dr")
            counted[surname.removesuffix("'s")] += 1 if courtesy else _OFTEN
    return counted


def _last_name(titled: re.Match[str]) -> str | None:
    first, last = titled[1], titled[2]
    if first.lower() in PARTICLES or (last or "").lower() in PARTICLES:
        name = read_name(titled.string, titled.start(1))
        return name.surname if name else None
    for word in (last, first):
        if word and word.lower() not in STOPS and word.lower() not in TITLES:
            return word
    return None
