"""Collect who sits on the body: names of the attendance, and names that minutes give titles to.

The roster never adds a name to a vote.  It decides where one name ends and the next begins, gives a
misspelt name its usual spelling, and shows which names are not in the attendance.

Over many meetings a person of a body is one, however the name is written: ``Smith``, ``J. Smith``,
``Mayor Smith`` and ``John Q. Smith`` are one person as long as the body has one Smith whom all of
them fit.  With two Smiths a bare surname is nobody's: a name that cannot be placed stays as
printed, and counts for nobody.  Only the names decide, and how often each is printed: what is known
of a person is counted where the names are (``site_db.joined``).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from rapidfuzz.distance import DamerauLevenshtein

from .attendance import MEMBER, OTHER_ROLE, Attendee, read_attendees
from .names import (
    ALSO_SURNAMES,
    BALLOT_WORDS,
    PARTICLES,
    ROMAN,
    STOPS,
    TITLES,
    Name,
    has_last_names_first,
    read_name,
    read_names,
)
from .text import NormalText, Phrase, line_start, pattern

_ATTENDANCE = Phrase(
    "present attendance absent excused attending members attendees roll_call council board "
    "commissioners trustees directors supervisors",
    r"(?:present|attendance|absent|excused|attending|members|attendees|roll call|council|board"
    r"|commissioners|trustees|directors|supervisors)"
    r"(?:\s{1,3}(?:were|was|in person|remotely|is|are|and voting))?\s{0,3}[:\-]",
)
_OF_OTHERS = pattern(r"\s*(?:staff|others?|guests?|public|also|visitors?)")
_TITLED = Phrase(
    "Council Commissioner Director Trustee Supervisor Select Alder Mayor Member Chair Cllr Mr Ms"
    " Dr",
    r"(?:Council(?:member|man|woman|person|or|lor)|Council [Mm]ember|Commissioner|Director|Trustee"
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
#: As many members in the attendance are the body: whoever else moves or votes is one of them.
_KNOWN_BODY = 3


def as_scanned(name: str) -> str:
    """Return a name without what scans mix up: ``Brovvn`` is Brown, ``Arnold`` is Amold."""
    return name.replace("vv", "w").replace("rn", "m").replace("0", "o").replace("1", "l")


@dataclass(frozen=True)
class Roster:
    """The surnames of the members, in lower case, and how they are written."""

    official: dict[str, str]
    #: The surnames that the document establishes: attendance, titles, movers and seconders.
    known: frozenset[str]
    #: Those of them that are spelled as they should be; a mover's may be misspelt.
    spelled: frozenset[str]
    #: Surnames that two members have.
    shared: frozenset[str]
    #: Surnames as they are printed with small letters, for those set in capitals.
    written: dict[str, str]
    text: str
    #: Everybody the attendance names, members and others.
    attendees: tuple[Attendee, ...] = ()
    #: Surnames of those who are there for another reason, and of nobody who sits on the body.
    others: frozenset[str] = frozenset()
    #: Surnames of those who act as members: they attend as such, move, second or have the title.
    members: frozenset[str] = frozenset()
    #: Lists are written ``Smith, John; Jones, Mary``.
    last_first: bool = False
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

    def is_attending(self, surname: str) -> bool:
        """Whether a surname is in the attendance, whatever initials precede it."""
        words = surname.lower().split()
        return any(" ".join(words[start:]) in self.official for start in range(len(words)))

    def surnames(self, names: Iterable[Name]) -> tuple[list[str], set[str]]:
        """Return the surnames, each once, and the flags of what had to be corrected.

        Names that lost their comma are split: known surnames, too many words, or two particles.
        """
        found: list[str] = []
        flags: set[str] = set()
        names = list(names)
        printed = {name.surname.lower() for name in names}
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
                if typo and surname is not None and surname.split()[-1].lower() in printed:
                    # The other one is on the same list.
                    surname, typo = name.surname, set()
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
        if low.endswith("to") and low not in self.spelled and low[:-2] in self.spelled:
            # ``seconded by Smithto approve``
            return self._written(surname[:-2], low[:-2]), True
        if low in self.spelled or len(low) < 5:
            return self._written(surname, low), False
        if surname not in self.frequent:
            self.frequent[surname] = self.text.count(surname) > _MAX_TYPOS
        if self.frequent[surname]:
            return surname, False
        # Where an attendance is printed it has the right spelling; a mover's may be misread.
        near = {
            self.written.get(key, self.official.get(key, key))
            for key in (self.spelled if len(self.official) > _MAX_TYPOS else self.known)
            if (key[0] == low[0] or (key[0] == "i" and surname[0] == "l"))
            and abs(len(key) - len(low)) <= 2
            and key != low
            and (
                key.replace("-", "") == low.replace("-", "")
                or as_scanned(key) == as_scanned(low)
                or DamerauLevenshtein.distance(key, low, score_cutoff=1) <= 1
            )
        }
        # Names that are alike are those of two people if both are established.
        both = low in self.known and not near & set(self.official.values())
        if len(near) == 1 and not both:
            return near.pop(), True
        return surname, False

    def _written(self, surname: str, low: str) -> str:
        """Return a surname as it is usually written if its capitals are misread: ``HOlden``."""
        odd = any(letter.isupper() for letter in surname[1:]) and low in self.written
        usual = self.written[low] if odd else surname
        return usual if usual[1:].islower() else surname

    def is_known(self, surname: str) -> bool:
        """Whether the document establishes a surname, whatever initials precede it."""
        return _ends_with_one_of(surname, self.known)

    def are_strangers(self, surnames: Iterable[str]) -> bool:
        """Whether the attendance is known and nobody of these is in it."""
        if len(self.official) < _KNOWN_BODY:
            return False
        first_names = {who.name.text.split()[0] for who in self.attendees}
        return not any(self.is_attending(name) or name in first_names for name in surnames)

    def is_member(self, surname: str) -> bool:
        """Whether somebody of this surname may sit on the body: all may if it is not known."""
        return len(self.official) < _KNOWN_BODY or _ends_with_one_of(surname, self.members)

    def is_other(self, surname: str) -> bool:
        """Whether the attendance names somebody of this surname among staff or public only."""
        return _ends_with_one_of(surname, self.others)

    def is_stranger(self, surname: str) -> bool:
        """Whether an attendance is printed and this surname is not in it."""
        low = surname.lower()
        plain = low.rpartition(" ")[0] if low.rstrip(".").endswith(_SUFFIXES) else low
        return len(self.official) >= 3 and low not in self.official and plain not in self.official


def _ends_with_one_of(surname: str, surnames: frozenset[str]) -> bool:
    """Whether a name is one of these surnames, whatever initials precede it."""
    words = surname.lower().split()
    return any(" ".join(words[start:]) in surnames for start in range(len(words)))


def read_roster(document: NormalText) -> Roster:
    """Collect the members a document names."""
    titled, offices = count_titled(document)
    movers = read_movers(document)
    often = {name.lower() for name, times in titled.items() if times >= _OFTEN}
    known_so_far = frozenset(often | movers.keys())
    attendees = read_attendees(document, known_so_far)
    attending = read_attendance(document, known_so_far, attendees)
    official: dict[str, str] = {}
    forms: dict[str, set[str]] = {}
    for name in attending:
        key = name.surname.lower()
        official.setdefault(key, name.surname)
        forms.setdefault(key, set()).add(name.text.lower())
    spelled_officially = _of_both(official)
    spelled = spelled_officially | _of_both(often)
    known = spelled | movers.keys()
    shared = frozenset(
        key for key, texts in forms.items() if len({text[0] for text in texts if text != key}) > 1
    )
    written = {
        surname.lower(): surname
        for surname in (*movers.values(), *titled, *(name.surname for name in attending))
        if not surname.isupper() and not surname.islower()
    }
    # A label or an office says that they attend and do not sit on the body.
    others = _of_both(
        who.name.surname
        for who in attendees
        if who.group != MEMBER
        and (
            (who.role is not None and OTHER_ROLE.search(who.role))
            or _OF_OTHERS.match(document.lower, who.label)
        )
    )
    return Roster(
        official,
        frozenset(known) - PARTICLES,
        spelled,
        shared,
        written,
        document.text,
        tuple(attendees),
        others - spelled_officially - movers.keys(),
        spelled_officially | _of_both(offices) | movers.keys(),
        any(
            has_last_names_first(document.text, mark.end(), mark.end() + 200)
            for mark in _ATTENDANCE.find(document.lower)
        ),
    )


def _of_both(surnames: Iterable[str]) -> frozenset[str]:
    """Return surnames in lower case, each also without its particles."""
    return frozenset(word for name in surnames for word in (name.lower(), name.lower().split()[-1]))


def read_attendance(
    document: NormalText, known: frozenset[str], attendees: Iterable[Attendee]
) -> list[Name]:
    """Return the names of the members, in the attendance or in a table."""
    found = [who.name for who in attendees if who.group == MEMBER]
    listed = len(found) > 1
    for mark in _ATTENDANCE.find(document.lower) if not listed else ():
        line = line_start(document.text, mark.start())
        if _OF_OTHERS.match(document.lower, line, mark.start()):
            continue
        read = read_names(document.text, mark.end(), mark.end() + 1500, known)
        if read.names and _VOTE.match(document.lower, read.names[0].end):
            continue
        if len(read.names) < 2 and not read.complete:
            # A sentence below an empty label: ``ABSENT:`` and ``Jane Doe, 12 Elm Street, spoke``.
            continue
        found += read.names
        if len(found) > 400:
            break
    if "attendee name" in document.lower and (table := _TABLE.search(document.lower)):
        for row in _TABLE_NAME.finditer(document.text, table.start(), table.end()):
            name = read_name(document.text, row.start(1))
            if name is not None and " " in name.text:
                found.append(name)
    return found


_MOVED_BY = Phrase(
    "moved seconded second sec. 2nd motion proposed made",
    r"(?:moved|seconded|second|sec\.|2nd|motion|proposed|made)(?:\s+was)?(?:\s+made)?\s+by\s*:?\s+",
)
_PLAIN_NAME = re.compile(
    r"(?:[A-Z][a-z]{1,14}\.? ){0,2}([A-Z][a-z]{2,20})"
    r"(?=[,.;/)]|$| (?:to|that|and|second|seconded) )"
)
_SUBJECT_VERB = Phrase(
    "motioned seconded", r"motioned\s+to\b|seconded(?:\s+the\s+motion)?(?=\s{0,3}(?:[.,;\n]|$))"
)
#: Who seconds in a sentence that begins with the name: ``Smith seconded.``
_SUBJECT = re.compile(r"(?:^|[.;,\n]) {0,3}(?:[A-Z][a-z]{1,14} )?([A-Z][a-z]{2,20}) $")
_NAME_OVER = pattern(r"\s{0,3}(?:[,.;/)\n]|$|to\b|that\b|and\b|second)", re.I)


def read_movers(document: NormalText) -> dict[str, str]:
    """Return the surnames of those who are said to have moved or seconded, by lower case."""
    found: dict[str, str] = {}
    for by in _MOVED_BY.find(document.lower):
        # Most are a title and a name; the rest is read word by word.
        plain = _PLAIN_NAME.match(document.text, by.end())
        if plain and plain[1].lower() not in STOPS and plain[1].lower() not in TITLES:
            found.setdefault(plain[1].lower(), plain[1])
            continue
        name = read_name(document.text, by.end(), listed=True)
        if name is None or name.start - by.end() > 2:
            continue
        if len(name.text.split()) > 4 or not _NAME_OVER.match(document.text, name.end):
            continue
        found.setdefault(name.surname.lower(), name.surname)
    for verb in _SUBJECT_VERB.find(document.lower):
        subject = _SUBJECT.search(document.text, max(0, verb.start() - 24), verb.start())
        if subject and subject[1].lower() not in STOPS and subject[1].lower() not in TITLES:
            found.setdefault(subject[1].lower(), subject[1])
    return found


_ACTS = pattern(
    r"\s+(?:moved|seconded|made|motioned|asked|stated|said|voted|noted|explained|questioned"
    r"|abstained|opposed|commented|inquired|thanked|reported|agreed|called|second)\b"
)


def count_titled(document: NormalText) -> tuple[Counter[str], set[str]]:
    """Count the surnames that follow a title; those with an office are returned apart, too."""
    counted: Counter[str] = Counter()
    offices: set[str] = set()
    for titled in _TITLED.find(document.text):
        first, last = titled[1], titled[2]
        surname = None
        if first.lower() in PARTICLES or (last or "").lower() in PARTICLES:
            name = read_name(document.text, titled.start(1))
            surname = name.surname if name else None
        else:
            for word, end in ((first, titled.end(1)), (last, titled.end(2))):
                if not word:
                    continue
                low = word.lower()
                if word.isupper() and ROMAN.fullmatch(word):
                    continue
                if low not in STOPS and low not in TITLES:
                    surname = word
                elif low in BALLOT_WORDS or (low in TITLES and low not in ALSO_SURNAMES):
                    continue
                elif _ACTS.match(document.lower, end):
                    # A word of agendas that moves or votes is a person: ``Trustee Friday moved``.
                    surname = word
        if surname is not None:
            courtesy = titled[0][:2] in ("Mr", "Ms", "Dr")
            surname = surname.removesuffix("'s")
            counted[surname] += 1 if courtesy else _OFTEN
            if not courtesy:
                offices.add(surname)
    return counted, offices


#: Somebody who is not seen for this many days begins a new term.
TERM_GAP_DAYS = 730
#: A misspelt surname is printed at most this often, the right one at least that often.
_RARE, _COMMON = 1, 4
_SUFFIXES = ("jr", "sr", "ii", "iii", "iv", "esq")


@dataclass(frozen=True)
class KnownPerson:
    """A member of a body."""

    key: str
    body: str
    #: The longest spelling.
    name: str
    #: Every way in which the name is printed, the most frequent first.
    spellings: tuple[str, ...]


@dataclass(frozen=True)
class _Form:
    """A name taken apart: first names in lower case, and the surname."""

    first: tuple[str, ...]
    surname: str

    def fits(self, other: _Form) -> bool:
        """Whether two forms may be of one person: same surname, first names that do not differ."""
        if self.surname != other.surname:
            return False
        for mine, theirs in zip(self.first, other.first, strict=False):
            short = min(len(mine), len(theirs))
            if mine[:short] != theirs[:short]:
                return False
            if short > 1 and mine != theirs:
                # ``Rob`` and ``Robert`` are one, ``John`` and ``Joan`` are two.
                return mine.startswith(theirs) or theirs.startswith(mine)
        return True


def name_form(printed: str) -> _Form:
    """Take a printed name apart: ``John Q. van der Berg Jr.`` is john, q and "van der berg"."""
    words = [word.strip(".,").lower() for word in printed.replace(",", " ").split()]
    words = [word for word in words if word]
    while len(words) > 1 and words[-1] in _SUFFIXES:
        words.pop()
    cut = len(words) - 1
    while cut > 0 and words[cut - 1] in PARTICLES and len(words[cut - 1]) > 1:
        cut -= 1
    return _Form(tuple(words[: max(0, cut)]), " ".join(words[max(0, cut) :]))


def resolve_people(
    body: str, names: Mapping[str, int], printed_with: Callable[[str], Iterable[str]]
) -> list[KnownPerson]:
    """Find out who is who among the names that the documents of a body print, and how often.

    ``printed_with`` returns the names in the documents that print a name: two surnames at one
    meeting are those of two people.  Names that are nobody's are left out.
    """
    ordered = sorted(names, key=lambda name: (-names[name], name))
    form_of = {name: name_form(name) for name in ordered}
    forms: dict[str, Counter[_Form]] = defaultdict(Counter)
    for name in ordered:
        forms[form_of[name].surname][form_of[name]] += names[name]
    slips = _slips(forms, form_of, printed_with)
    # One group for each set of forms of a surname that fit each other.
    groups: dict[str, list[list[_Form]]] = {}
    for surname, some in forms.items():
        if surname not in slips:
            of_surname: list[list[_Form]] = []
            for form in sorted(some, key=lambda form: (-len("".join(form.first)), form.first)):
                fitting = [group for group in of_surname if all(map(form.fits, group))]
                if form.first and len(fitting) == 1:
                    fitting[0].append(form)
                elif form.first and not fitting:
                    of_surname.append([form])
            groups[surname] = of_surname or [[_Form((), surname)]]
    spellings: dict[tuple[str, int], list[str]] = defaultdict(list)
    for name in ordered:
        form = form_of[name]
        right = slips.get(form.surname, form.surname)
        fitting_groups = [
            number
            for number, group in enumerate(groups[right])
            if any(_Form(form.first, right).fits(each) for each in group)
        ]
        if len(fitting_groups) == 1:
            spellings[right, fitting_groups[0]].append(name)
    people = []
    for (surname, number), printed in sorted(spellings.items()):
        own = [name for name in printed if form_of[name].surname == surname] or printed
        longest = max(own, key=lambda name: (len(name), name))
        key = f"{body}/{surname}"
        if len(groups[surname]) > 1:
            first = groups[surname][number][0].first
            is_only = sum(group[0].first[0] == first[0] for group in groups[surname]) == 1
            key += f"-{first[0]}" if is_only else f"-{'-'.join(first)}"
        people.append(KnownPerson(key.replace(" ", "-"), body, longest, tuple(printed)))
    return people


def _slips(
    forms: Mapping[str, Counter[_Form]],
    form_of: Mapping[str, _Form],
    printed_with: Callable[[str], Iterable[str]],
) -> dict[str, str]:
    """Return misspelt surnames with the right ones: rare, alike, and never met together."""
    times = {surname: sum(some.values()) for surname, some in forms.items()}
    common = [surname for surname, often in times.items() if often >= _COMMON]
    slips = {}
    for name, form in form_of.items():
        surname = form.surname
        if times[surname] > _RARE or len(surname) < 5:
            continue
        near = [
            other
            for other in common
            if other[0] == surname[0]
            and DamerauLevenshtein.distance(surname, other, score_cutoff=1) <= 1
        ]
        if len(near) == 1:
            others = {name_form(each).surname for each in printed_with(name)}
            if near[0] not in others:
                slips[surname] = near[0]
    return slips
