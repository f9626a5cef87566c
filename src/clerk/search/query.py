"""The query language: what a person typed, as a tree of terms.

::

    zoning variance          both words on the page, in any form (zone, zoned)
    "zoning variance"        this phrase, exactly
    "zoning variance"~5      these words with at most five others between them
    -denied  -"was denied"   not on the page
    zoning OR variance       either
    (a OR b) c               brackets
    zon*                     words that begin so
    varience~                words spelt like this
    site:springfield  state:IL  body:council  kind:minutes  person:"jane doe"
    date:2024  date:2024-01..2024-03  date:..2023

A mistake is explained by :class:`QueryError`; nothing is guessed and nothing is left out.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

from rapidfuzz.distance import OSA

from clerk.core.errors import InvalidInput
from clerk.core.language import Message

from .words import Stemmer, fold, has_cjk, in_place, spans, stemmer, storable

LONGEST = 1000
TERMS_AT_MOST = 50
_DEPTH_AT_MOST = 10
_SHORTEST_PREFIX = 2
_FUZZY_AT_MOST = 2
_SLOP_AT_MOST = 50
#: Words up to this length may differ in one letter, longer ones in two.
_SHORT = 5
DEFAULT_LANGUAGES = ("eng",)

#: The fields that can be asked for; the value of the date is a day, month, year or a range of them.
FIELDS = ("site", "state", "body", "kind", "person", "date")

#: Quotation marks and apostrophes as programs and phones write them, made plain.
_STRAIGHT = dict.fromkeys(map(ord, "\u201c\u201d\u201e\u201f\u00ab\u00bb"), '"') | dict.fromkeys(
    map(ord, "\u2018\u2019\u201a\u201b"), "'"
)
_PIECE = re.compile(
    r"""\s*(?:
        (?P<open>-?\() | (?P<close>\))
      | (?P<minus>-?)
        (?:(?!https?:)(?P<field>[A-Za-z]+):(?=[^\s()]))?
        (?: "(?P<phrase>[^"]*)(?P<end>"?)(?P<after>[*~]\d*)? | (?P<word>[^\s"()]+) )
    )""",
    re.VERBOSE,
)
_DAY = re.compile(r"(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?")


class QueryError(InvalidInput):
    """What was typed cannot be searched; the message says why."""


@dataclass(frozen=True)
class Term:
    """Words that follow each other; of an exact one no other forms are found.

    With ``prefix`` the last is only the beginning of a word.  ``slop`` words may stand between
    them.  ``fuzzy`` letters may differ.
    """

    words: tuple[str, ...]
    prefix: bool = False
    exact: bool = False
    slop: int = 0
    fuzzy: int = 0

    @property
    def typed(self) -> str:
        """The term as a person would type it."""
        words = " ".join(self.words)
        quoted = f'"{words}"' if self.exact else words
        slop = f"~{self.slop}" if self.slop else ""
        fuzzy = f"~{self.fuzzy}" if self.fuzzy else ""
        return f"{quoted}{'*' if self.prefix else ''}{slop}{fuzzy}"


@dataclass(frozen=True)
class FieldFilter:
    """A field that must have a value."""

    field: str
    value: str

    @property
    def typed(self) -> str:
        """The filter as a person would type it."""
        return f'{self.field}:"{self.value}"'


@dataclass(frozen=True)
class DateRange:
    """Days, as in 20240115, between which a document must be dated."""

    since: int
    until: int
    text: str

    @property
    def typed(self) -> str:
        """The range as a person would type it."""
        return f"date:{self.text}"


@dataclass(frozen=True)
class Group:
    """Alternatives, of each of which all parts must match, and parts that must not."""

    alternatives: tuple[tuple[Node, ...], ...]
    excluded: tuple[Node, ...] = ()

    @property
    def typed(self) -> str:
        """The group as a person would type it, without brackets around it."""
        groups = (" ".join(_bracketed(part) for part in parts) for parts in self.alternatives)
        return " ".join([" OR ".join(groups), *(f"-{_bracketed(part)}" for part in self.excluded)])


Node = Term | FieldFilter | DateRange | Group


def _bracketed(node: Node) -> str:
    return f"({node.typed})" if isinstance(node, Group) else node.typed


@dataclass(frozen=True)
class Parsed:
    """A query; its group is None if nothing was typed."""

    group: Group | None

    @property
    def terms(self) -> list[Term]:
        """Every term that may be found."""
        return list(_terms(self.group)) if self.group else []

    @property
    def typed(self) -> str:
        """The query as a person would type it."""
        return self.group.typed if self.group else ""

    def corrected(self, words: dict[str, str]) -> Parsed:
        """Return the query with words replaced by others."""
        return Parsed(_corrected(self.group, words)) if self.group else self


def _terms(group: Group) -> Iterator[Term]:
    for parts in group.alternatives:
        for part in parts:
            if isinstance(part, Term):
                yield part
            elif isinstance(part, Group):
                yield from _terms(part)


def _corrected(group: Group, words: dict[str, str]) -> Group:
    def correct(node: Node) -> Node:
        if isinstance(node, Group):
            return _corrected(node, words)
        if isinstance(node, Term):
            return replace(node, words=tuple(words.get(word, word) for word in node.words))
        return node

    alternatives = tuple(tuple(map(correct, parts)) for parts in group.alternatives)
    return replace(group, alternatives=alternatives)


def parse(text: str) -> Parsed:
    """Read what was typed; raise QueryError with an explanation if it cannot be searched.

    A word with punctuation inside (2024-15, O'Brien) is a phrase of its parts.  OR and AND are
    words where nothing is on one side of them.  Nothing was typed if there are only spaces.
    """
    if len(text) > LONGEST:
        raise QueryError(
            Message(
                "The query has %(number)s characters; at most %(most)s are allowed.",
                number=len(text),
                most=LONGEST,
            )
        )
    if "\0" in text:
        raise QueryError(Message("The query has a NUL character (U+0000): remove it."))
    plain = unicodedata.normalize("NFKC", storable(text).translate(_STRAIGHT)).strip()
    group = _Parser(plain).parse()
    if plain and group is None:
        raise QueryError(
            Message("The query has neither letters nor digits: give a word to search for.")
        )
    return Parsed(group)


class _Parser:
    """One query, piece by piece."""

    def __init__(self, text: str) -> None:
        self._pieces = list(_PIECE.finditer(text))
        if len(self._pieces) > 2 * TERMS_AT_MOST:
            raise QueryError(
                Message(
                    "The query has %(number)s words; at most %(most)s are allowed.",
                    number=len(self._pieces),
                    most=TERMS_AT_MOST,
                )
            )
        self._at = 0
        self._found = 0

    def parse(self) -> Group | None:
        group = self._level(0)
        if self._at < len(self._pieces):
            raise QueryError(Message("There is a ) without a (: remove it or add (."))
        return group

    def _level(self, depth: int) -> Group | None:
        """Read up to the end or the closing bracket."""
        if depth > _DEPTH_AT_MOST:
            raise QueryError(
                Message("The query has more than %(most)s nested brackets.", most=_DEPTH_AT_MOST)
            )
        groups: list[list[Node]] = [[]]
        excluded: list[Node] = []
        while self._at < len(self._pieces) and not self._pieces[self._at]["close"]:
            piece = self._pieces[self._at]
            self._at += 1
            is_excluded = bool(piece["minus"]) or piece["open"] == "-("
            node: Node | None
            if piece["open"]:
                node = self._level(depth + 1)
                if self._at >= len(self._pieces):
                    raise QueryError(Message("There is a ( without a ): remove it or add )."))
                self._at += 1
            elif self._is_operator(piece) and groups[-1]:
                if piece["word"] == "OR":
                    groups.append([])
                continue
            else:
                node = self._part(piece)
            if node is not None:
                (excluded if is_excluded else groups[-1]).append(node)
        alternatives = tuple(tuple(group) for group in groups if group)
        if excluded and not alternatives:
            raise QueryError(Message("The query only excludes words: add a word to search for."))
        return Group(alternatives, tuple(excluded)) if alternatives else None

    def _is_operator(self, piece: re.Match[str]) -> bool:
        """Whether a piece is OR or AND with something behind it; "Portland OR" ends with a word."""
        is_named = not piece["minus"] and not piece["field"] and piece["word"] in ("OR", "AND")
        return is_named and self._at < len(self._pieces) and not self._pieces[self._at]["close"]

    def _part(self, piece: re.Match[str]) -> Node | None:
        if piece["phrase"] is not None and not piece["end"]:
            raise QueryError(
                Message('The closing quotation mark is missing: add " at the end of the phrase.')
            )
        field = (piece["field"] or "").lower()
        if field:
            return self._filter(field, piece)
        self._found += 1
        if self._found > TERMS_AT_MOST:
            raise QueryError(Message("The query has more than %(most)s words.", most=TERMS_AT_MOST))
        if piece["phrase"] is not None:
            return _phrase(piece["phrase"], piece["after"] or "")
        name = piece["word"].removesuffix(":").lower()
        if piece["word"].endswith(":") and name in FIELDS:
            raise QueryError(
                Message(
                    "%(field)s: needs a value right after the colon, as in %(field)s:%(example)s."
                    ' To search for the word, put it in quotes: "%(field)s".',
                    field=name,
                    example=_EXAMPLES[name],
                )
            )
        return _word(piece["word"])

    def _filter(self, field: str, piece: re.Match[str]) -> Node | None:
        value = piece["phrase"] if piece["phrase"] is not None else piece["word"]
        if field not in FIELDS:
            raise QueryError(
                Message(
                    "There is no field '%(field)s'; there are %(fields)s. To search for the words,"
                    ' put them in quotes: "%(field)s:%(value)s".',
                    field=field,
                    fields=", ".join(FIELDS),
                    value=value[:40],
                )
            )
        if field == "date":
            return date_range(value)
        words = value.strip() if field in ("site", "state", "kind") else " ".join(fold(value))
        if not words:
            raise QueryError(
                Message(
                    "%(field)s: needs a value, as in %(field)s:%(example)s.",
                    field=field,
                    example=_EXAMPLES[field],
                )
            )
        return FieldFilter(field, words)


_EXAMPLES = {
    "site": "springfield",
    "state": "IL",
    "body": "council",
    "kind": "minutes",
    "person": '"jane doe"',
    "date": "2024",
}


def _phrase(text: str, after: str) -> Term | None:
    words = tuple(fold(text))
    if not words:
        return None
    slop = int(after[1:] or 1) if after.startswith("~") else 0
    if slop > _SLOP_AT_MOST:
        raise QueryError(
            Message(
                "At most %(most)s words may be between those of a phrase, not ~%(number)s.",
                most=_SLOP_AT_MOST,
                number=slop,
            )
        )
    prefix = after.startswith("*")
    if prefix and len(words) == 1:
        _check_prefix(words[0])
    return Term(words, prefix=prefix, exact=True, slop=slop if len(words) > 1 else 0)


def _word(typed: str) -> Term | None:
    body, tilde, distance = typed.rpartition("~")
    if tilde and (distance.isdigit() or not distance) and fold(body):
        (*_, word) = words = fold(body)
        letters = int(distance) if distance else (1 if len(word) <= _SHORT else _FUZZY_AT_MOST)
        if letters > _FUZZY_AT_MOST:
            raise QueryError(
                Message(
                    "%(word)s: words may differ in at most %(most)s letters.",
                    word=f"{body}~{letters}",
                    most=_FUZZY_AT_MOST,
                )
            )
        return Term(tuple(words), exact=len(words) > 1, fuzzy=letters if len(words) == 1 else 0)
    words = fold(typed)
    star = typed.find("*")
    if star >= 0 and (typed.rstrip("*") != typed[:star] or not words):
        raise QueryError(
            Message(
                "%(word)s: * is only allowed at the end of a word, as in zon*, after its first "
                "letters.",
                word=typed[:40],
            )
        )
    if not words:
        return None
    if star >= 0 and len(words) == 1:
        _check_prefix(words[0])
    return Term(tuple(words), prefix=star >= 0, exact=len(words) > 1)


def _check_prefix(word: str) -> None:
    if len(word) < _SHORTEST_PREFIX and not has_cjk(word):
        raise QueryError(
            Message(
                "%(word)s* is too short for a wildcard: give at least %(least)s letters.",
                word=word,
                least=_SHORTEST_PREFIX,
            )
        )


def date_range(text: str) -> DateRange:
    """Read a day, month or year, or a range of them; raise QueryError for one that cannot be."""
    first, dots, last = text.partition("..")
    since = 0
    if first:
        year, month, day = check_date(first)
        since = year * 10_000 + (month or 1) * 100 + (day or 1)
    until = _last_day(last if dots else first) if (last or not dots) else 99991231
    if not (first or last):
        raise QueryError(
            Message("date: needs a day, month or year, as in date:2024 or date:2024-01..2024-03.")
        )
    if since > until:
        raise QueryError(Message("date:%(dates)s: the first date is after the last.", dates=text))
    return DateRange(since, until, text)


def _last_day(text: str) -> int:
    year, month, day = check_date(text)
    return year * 10_000 + (month or 12) * 100 + (day or 31)


def check_date(text: str) -> tuple[int, int, int]:
    """Return year, month and day, the latter 0 if not given; refuse what is no date."""
    found = _DAY.fullmatch(text.strip())
    if found is None:
        raise QueryError(
            Message(
                "%(value)s is not a date, as in 2024, 2024-01 or 2024-01-15.", value=repr(text[:40])
            )
        )
    year, month, day = (int(part or 0) for part in found.groups())
    try:
        date(year, 1 if found[2] is None else month, 1 if found[3] is None else day)
    except ValueError as error:
        raise QueryError(Message("There is no date %(value)s.", value=text[:40])) from error
    return year, month, day


# ------------------------------------------------------------------------ where the hits are


def hits(
    words: Sequence[str], terms: Iterable[Term], languages: Sequence[str] = DEFAULT_LANGUAGES
) -> set[int]:
    """Return which of the folded words of a text belong to a hit of one of the terms."""
    known = set(words)
    stemmers = [stemmer(language) for language in languages]
    found: set[int] = set()
    #: Words that are hits wherever they are.
    single: set[str] = set()
    for term in terms:
        if term.slop:
            single.update(term.words)
        elif any(map(has_cjk, term.words)):
            single.update(
                word for word in known if has_cjk(word) and any(part in word for part in term.words)
            )
        elif len(term.words) == 1:
            single.update(_forms(term, known, stemmers))
        elif known.issuperset(term.words[:-1]):
            first, last, length = term.words[0], term.words[-1], len(term.words)
            for start in (place for place, word in enumerate(words) if word == first):
                there = tuple(words[start : start + length])
                if len(there) < length or there[:-1] != term.words[:-1]:
                    continue
                if there[-1].startswith(last) if term.prefix else there[-1] == last:
                    found.update(range(start, start + length))
    if not single.isdisjoint(known):
        found.update(place for place, word in enumerate(words) if word in single)
    return found


def _forms(term: Term, words: Collection[str], stemmers: Iterable[Stemmer]) -> Collection[str]:
    """Return those of some words that a term of one word finds."""
    (sought,) = term.words
    if term.prefix:
        return [word for word in words if word.startswith(sought)]
    if term.fuzzy:
        return [word for word in words if OSA.distance(word, sought, score_cutoff=2) <= term.fuzzy]
    forms = {sought}.intersection(words)
    if not term.exact:
        stems = {each.stem(sought) for each in stemmers}
        forms.update(*(each.words_with(stems, words) for each in stemmers))
    return forms


def places(
    text: str, terms: Sequence[Term], languages: Sequence[str] = DEFAULT_LANGUAGES
) -> list[tuple[int, int]]:
    """Return where in a text the words of the terms stand, in order."""
    if not terms:
        return []
    folded = in_place(text)
    words = folded.split()
    cjk = [part for term in terms for part in term.words if has_cjk(part)]
    found: list[tuple[int, int]] = []
    for start, end in spans(folded, words, hits(words, terms, languages)):
        word = folded[start:end]
        parts = {
            (start + at.start(), start + at.end())
            for part in cjk
            if has_cjk(word)
            for at in re.finditer(re.escape(part), word)
        }
        found += sorted(parts) or [(start, end)]
    return [
        span for number, span in enumerate(found) if not number or span[0] >= found[number - 1][1]
    ]
