"""Tell who is who over the meetings of a body: one person, however the name is written.

``Smith``, ``J. Smith``, ``Mayor Smith`` and ``John Q. Smith`` are one person as long as the body
has one Smith whom all of them fit.  With two Smiths a bare surname is nobody's: a name that cannot
be placed stays as printed, and counts for nobody.

People belong to a body, and to terms: somebody who is not seen for two years and comes back has
two terms.  Attendance, votes, dissents and agreement are counted from what is certain; fields in
``doubtful`` are not.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import combinations

from rapidfuzz.distance import DamerauLevenshtein

from .attendance import ABSENT as WAS_ABSENT
from .attendance import EXCUSED, MEMBER, PRESENT
from .findings import ABSENT, ABSTAIN, AYES, BALLOTS, FAILED, NOES, PASSED, RECUSED, Presence, Vote
from .names import PARTICLES

#: Somebody who is not seen for this long begins a new term.
TERM_GAP = timedelta(days=730)
#: A misspelt surname is printed at most this often, the right one at least that often.
_RARE, _COMMON = 1, 4
_SUFFIXES = ("jr", "sr", "ii", "iii", "iv", "esq")


@dataclass(frozen=True)
class MeetingRecord:
    """What one document says about the members of a body at one meeting."""

    document: str
    body: str
    date: date
    attendance: Sequence[Presence]
    votes: Sequence[Vote]


@dataclass(frozen=True)
class TermOfOffice:
    """The first and the last meeting at which somebody was seen, without a long gap."""

    first: date
    last: date


@dataclass
class KnownPerson:
    """A member of a body, with what the meetings say about them."""

    key: str
    body: str
    name: str
    #: Every way in which the name is printed, the most frequent first.
    spellings: list[str]
    terms: list[TermOfOffice]
    #: Meetings by status: present, absent, excused, and of those present late, left early, remote.
    meetings: Counter[str] = field(default_factory=Counter)
    #: Votes by list: ayes, noes, abstain, absent, recused; and motions moved and seconded.
    votes: Counter[str] = field(default_factory=Counter)
    #: Votes on the losing side: no on what passed, aye on what failed.
    dissents: int = 0


@dataclass(frozen=True)
class VotingAgreement:
    """How often two people voted, both aye or no, on one question, and how often alike."""

    one: str
    other: str
    votes: int
    alike: int


@dataclass(frozen=True)
class Placed:
    """A printed name of a document that is a person's.

    ``where`` is "attendance" or the list of a vote, ``number`` the place in the list of attendance
    or of votes.
    """

    document: str
    where: str
    number: int
    printed: str
    person: str


@dataclass(frozen=True)
class People:
    """The people of a site, who agrees with whom, and whose each printed name is."""

    people: list[KnownPerson]
    agreements: list[VotingAgreement]
    placed: list[Placed]


@dataclass(frozen=True)
class _Form:
    """A name taken apart: first names in lower case, and the surname."""

    first: tuple[str, ...]
    surname: str

    @property
    def initial(self) -> str:
        return self.first[0][0] if self.first else ""

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


def resolve_people(meetings: Iterable[MeetingRecord]) -> People:
    """Find out who is who at the meetings of a site, body by body."""
    by_body: dict[str, list[MeetingRecord]] = defaultdict(list)
    for meeting in meetings:
        by_body[meeting.body].append(meeting)
    whole = People([], [], [])
    for body, records in sorted(by_body.items()):
        found = _Body(body, sorted(records, key=lambda each: (each.date, each.document))).read()
        whole.people.extend(found.people)
        whole.agreements.extend(found.agreements)
        whole.placed.extend(found.placed)
    return whole


class _Body:
    """Collects what is printed about the members of one body."""

    def __init__(self, body: str, records: list[MeetingRecord]) -> None:
        self.body = body
        self.records = records
        self.spelled: Counter[str] = Counter()
        #: The printed forms of each surname, and how often each is printed.
        self.forms: dict[str, Counter[_Form]] = defaultdict(Counter)
        #: The surnames that are printed at one meeting are those of different people.
        self.together: set[frozenset[str]] = set()

    def read(self) -> People:
        for record in self.records:
            surnames = set()
            for printed in _names_of(record):
                form = name_form(printed)
                self.spelled[printed] += 1
                self.forms[form.surname][form] += 1
                surnames.add(form.surname)
            self.together |= {frozenset(pair) for pair in combinations(sorted(surnames), 2)}
        slips = self._slips()
        people = self._people(slips)
        placed: list[Placed] = []
        seen: dict[str, set[date]] = defaultdict(set)
        alike: Counter[tuple[str, str]] = Counter()
        voted: Counter[tuple[str, str]] = Counter()
        for record in self.records:
            met: dict[str, str] = {}
            for number, presence in enumerate(record.attendance):
                if presence.group != MEMBER:
                    continue
                person = self._place(people, slips, presence.name)
                if person is None:
                    continue
                placed.append(
                    Placed(record.document, "attendance", number, presence.name, person.key)
                )
                if presence.status == PRESENT or person.key not in met:
                    met[person.key] = presence.status
                seen[person.key].add(record.date)
                for said in ("late", "left_early", "remote"):
                    person.meetings[said] += getattr(presence, said)
            for key, status in met.items():
                by_key = next(each for each in people if each.key == key)
                by_key.meetings[status] += 1
            for number, vote in enumerate(record.votes):
                sides: dict[str, str] = {}
                for where, printed in _voters_of(vote):
                    person = self._place(people, slips, printed)
                    if person is None:
                        continue
                    placed.append(Placed(record.document, where, number, printed, person.key))
                    seen[person.key].add(record.date)
                    person.votes[where] += 1
                    if where in (AYES, NOES):
                        sides[person.key] = where
                        losing = NOES if vote.result == PASSED else AYES
                        certain = "result" not in vote.doubtful
                        if vote.result in (PASSED, FAILED) and certain:
                            person.dissents += where == losing
                for one, other in combinations(sorted(sides), 2):
                    voted[one, other] += 1
                    alike[one, other] += sides[one] == sides[other]
        for person in people:
            person.terms = _terms(seen[person.key])
        kept = [person for person in people if person.terms]
        agreements = [
            VotingAgreement(one, other, times, alike[one, other])
            for (one, other), times in sorted(voted.items())
        ]
        return People(kept, agreements, placed)

    def _slips(self) -> dict[str, str]:
        """Return misspelt surnames with the right ones: rare, alike, and never met together."""
        times = {surname: sum(forms.values()) for surname, forms in self.forms.items()}
        slips = {}
        for surname, often in times.items():
            if often > _RARE or len(surname) < 5:
                continue
            near = [
                other
                for other, more in times.items()
                if more >= _COMMON
                and other[0] == surname[0]
                and DamerauLevenshtein.distance(surname, other, score_cutoff=1) <= 1
                and frozenset((surname, other)) not in self.together
            ]
            if len(near) == 1:
                slips[surname] = near[0]
        return slips

    def _people(self, slips: dict[str, str]) -> list[KnownPerson]:
        """Return one person for each group of forms of a surname that fit each other."""
        people = []
        for surname, forms in sorted(self.forms.items()):
            if surname in slips:
                continue
            groups: list[list[_Form]] = []
            for form in sorted(forms, key=lambda form: (-len("".join(form.first)), form.first)):
                if not form.first:
                    continue
                fitting = [group for group in groups if all(form.fits(each) for each in group)]
                if len(fitting) == 1:
                    fitting[0].append(form)
                elif not fitting:
                    groups.append([form])
            for group in groups or [[_Form((), surname)]]:
                spellings = Counter(
                    {
                        printed: times
                        for printed, times in self.spelled.items()
                        if (form := name_form(printed)).surname == surname
                        and (form in group or (not form.first and len(groups) < 2))
                    }
                )
                longest = max(spellings, key=lambda name: (len(name), name), default=surname)
                key = f"{self.body}/{surname}"
                if len(groups) > 1:
                    key += f"-{group[0].first[0]}"
                ordered = [printed for printed, _ in spellings.most_common()]
                people.append(KnownPerson(key.replace(" ", "-"), self.body, longest, ordered, []))
        return people

    def _place(
        self, people: list[KnownPerson], slips: dict[str, str], printed: str
    ) -> KnownPerson | None:
        """Return whose name it is, or None if it may be nobody's or that of two people."""
        form = name_form(printed)
        form = _Form(form.first, slips.get(form.surname, form.surname))
        fitting = [
            person
            for person in people
            if any(form.fits(name_form(spelling)) for spelling in person.spellings[:20])
        ]
        if len(fitting) == 1:
            if printed not in fitting[0].spellings:
                fitting[0].spellings.append(printed)
            return fitting[0]
        return None


def _names_of(record: MeetingRecord) -> Iterable[str]:
    """Yield the printed names of members at a meeting."""
    for presence in record.attendance:
        if presence.group == MEMBER:
            yield presence.name
    for vote in record.votes:
        for _, printed in _voters_of(vote):
            yield printed


def _voters_of(vote: Vote) -> Iterable[tuple[str, str]]:
    """Yield the lists and names of a vote that are facts, movers and seconders included."""
    if "names" not in vote.doubtful:
        for kind in BALLOTS:
            for printed in getattr(vote, kind):
                yield kind, printed
    if vote.mover and "mover" not in vote.doubtful:
        yield "mover", vote.mover
    if vote.seconder and "seconder" not in vote.doubtful:
        yield "seconder", vote.seconder


def _terms(dates: set[date]) -> list[TermOfOffice]:
    """Return the terms of somebody who was seen on these dates."""
    terms: list[TermOfOffice] = []
    for day in sorted(dates):
        if terms and day - terms[-1].last <= TERM_GAP:
            terms[-1] = TermOfOffice(terms[-1].first, day)
        else:
            terms.append(TermOfOffice(day, day))
    return terms


#: What may be counted of a person: by attendance, and by lists of votes.
MEETING_COUNTS = (PRESENT, WAS_ABSENT, EXCUSED, "late", "left_early", "remote")
VOTE_COUNTS = (AYES, NOES, ABSTAIN, ABSENT, RECUSED, "mover", "seconder")
