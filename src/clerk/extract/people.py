"""Tell who is who on a body: one person, however the name is written.

``Smith``, ``J. Smith``, ``Mayor Smith`` and ``John Q. Smith`` are one person as long as the body
has one Smith whom all of them fit.  With two Smiths a bare surname is nobody's: a name that cannot
be placed stays as printed, and counts for nobody.

Only the names decide, and how often each is printed: what is known of a person is counted where
the names are (``site_db.joined``).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from rapidfuzz.distance import DamerauLevenshtein

from .names import PARTICLES

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
