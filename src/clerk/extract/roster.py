"""Collect who sits on the body: names of the attendance, and names that minutes give titles to.

The roster never adds a name to a vote.  It decides where one name ends and the next begins, gives a
misspelt name its usual spelling, and shows which names are not in the attendance.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
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

#: A surname printed more often than this is spelled as it should be.
_MAX_TYPOS = 2
#: A titled surname is taken for a member's when it is printed this often.
_OFTEN = 2


@dataclass(frozen=True)
class Roster:
    """The surnames of the members, in lower case, and how they are written."""

    official: dict[str, str]
    known: frozenset[str]
    #: Surnames that two members have.
    shared: frozenset[str]
    #: Surnames as they are printed with small letters, for those set in capitals.
    written: dict[str, str]
    text: str
    #: Cache: which surnames are printed often.
    frequent: dict[str, bool] = field(default_factory=dict)

    def surname(self, name: Name | None) -> tuple[str | None, set[str]]:
        """Return how a person is called in a vote, and the flags of what had to be corrected.

        That is the surname in the roster's spelling, with initials alone before it if they are
        printed, or the whole name where two members share the surname.
        """
        if name is None:
            return None, set()
        spelling, typo = self.spelling(name.surname)
        flags = {"name_typo"} if typo else set()
        if name.surname.lower() in self.shared:
            return name.text, flags
        words = name.text.split()
        first_names = words[: len(words) - len(name.surname.split())]
        if first_names and all(len(word.strip(".")) == 1 for word in first_names):
            return " ".join([*first_names, spelling]), flags
        return spelling, flags

    def surnames(self, names: Iterable[Name]) -> tuple[list[str], set[str]]:
        """Return the surnames, each once, and the flags of what had to be corrected.

        Names that lost their comma are split: known surnames, too many words, or two particles.
        """
        found: list[str] = []
        flags: set[str] = set()
        for name in names:
            words: list[str] = []
            for word in name.text.split():
                if words and words[-1].split()[-1].lower().strip(".") in PARTICLES:
                    words[-1] = f"{words[-1]} {word}"
                else:
                    words.append(word)
            if (
                (len(words) > 1 and all(word.lower() in self.known for word in words))
                or sum(" " in word for word in words) > 1
                or (len(words) > 3 and all(len(word.strip(".")) > 1 for word in words))
            ):
                flags.add("missing_comma")
            else:
                surname, typo = self.surname(name)
                words = [surname] if surname is not None else []
                flags |= typo
            found += [word for word in dict.fromkeys(words) if word not in found]
        return found, flags

    def spelling(self, surname: str) -> tuple[str, bool]:
        """Return the roster's spelling of a surname, and whether the printed one is a typo.

        A spelling that comes back is somebody's name, however like another it is.
        """
        low = surname.lower()
        if surname.isupper() and low in self.written:
            return self.written[low], False
        if low in self.known or len(low) < 5:
            return surname, False
        if surname not in self.frequent:
            self.frequent[surname] = self.text.count(surname) > _MAX_TYPOS
        if self.frequent[surname]:
            return surname, False
        near = [
            written
            for key, written in self.official.items()
            if key[0] == low[0]
            and abs(len(key) - len(low)) <= 2
            and (
                key.replace("-", "") == low.replace("-", "")
                or DamerauLevenshtein.distance(key, low, score_cutoff=1) <= 1
            )
        ]
        return (near[0], True) if len(near) == 1 else (surname, False)

    def is_stranger(self, surname: str) -> bool:
        """Whether an attendance is printed and this surname is not in it."""
        return len(self.official) >= 3 and surname.lower() not in self.official


def read_roster(document: NormalText) -> Roster:
    """Collect the members a document names."""
    attending = read_attendance(document)
    titled = count_titled(document)
    official: dict[str, str] = {}
    forms: dict[str, set[str]] = {}
    for name in attending:
        key = name.surname.lower()
        official.setdefault(key, name.surname)
        forms.setdefault(key, set()).add(name.text.lower())
    often = {name.lower() for name, times in titled.items() if times >= _OFTEN}
    known = {word for key in official.keys() | often for word in (key, key.split()[-1])}
    shared = frozenset(
        key for key, texts in forms.items() if len({text[0] for text in texts if text != key}) > 1
    )
    written = {
        surname.lower(): surname
        for surname in (*(name.surname for name in attending), *titled)
        if not surname.isupper() and not surname.islower()
    }
    return Roster(official, frozenset(known) - PARTICLES, shared, written, document.text)


def read_attendance(document: NormalText) -> list[Name]:
    """Return the names of the attendance, in prose and in a table."""
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
    if table := _TABLE.search(document.lower):
        for row in _TABLE_NAME.finditer(document.text, table.start(), table.end()):
            name = read_name(document.text, row.start(1))
            if name is not None and " " in name.text:
                found.append(name)
    return found


def count_titled(document: NormalText) -> Counter[str]:
    """Count the surnames that follow a title."""
    counted: Counter[str] = Counter()
    for titled in _TITLED.find(document.text):
        first, last = titled[1], titled[2]
        surname = None
        if first.lower() in PARTICLES or (last or "").lower() in PARTICLES:
            name = read_name(document.text, titled.start(1))
            surname = name.surname if name else None
        else:
            for word in (first, last):
                if word and word.lower() not in STOPS and word.lower() not in TITLES:
                    surname = word
        if surname is not None:
            courtesy = titled[0][:2] in ("Mr", "Ms", "Dr")
            counted[surname.removesuffix("'s")] += 1 if courtesy else _OFTEN
    return counted
