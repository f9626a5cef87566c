"""Two projects compared: how much of one is in the other, by label, and what is different.

The first project is the reference: precision is the share of the second that is in the first,
recall the share of the first that is in the second, agreement their harmonic mean (F1).
Denotations are the same if they have the same document, spans and label.  Documents that the
reference does not have say nothing about the second project: they are counted, not compared.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import msgspec

from clerk.core.db import reading_connection

from . import store
from .store import Key

#: At most this many differences are kept.
DIFFERENCES = 10_000


@dataclass
class Agreement:
    """How many denotations are in both projects, and in one of them."""

    both: int = 0
    only_first: int = 0
    only_second: int = 0

    @property
    def precision(self) -> float:
        """The share of the second project that is in the first."""
        return self.both / max(1, self.both + self.only_second)

    @property
    def recall(self) -> float:
        """The share of the first project that is in the second."""
        return self.both / max(1, self.both + self.only_first)

    @property
    def agreement(self) -> float:
        """The harmonic mean of both."""
        return 2 * self.both / max(1, 2 * self.both + self.only_first + self.only_second)


@dataclass(frozen=True)
class Difference:
    """A denotation that only one project has: ``-`` the first, ``+`` the second."""

    sign: str
    sourcedb: str
    sourceid: str
    label: str
    begin: int
    end: int
    quote: str


@dataclass
class Comparison:
    """How far two projects agree."""

    total: Agreement = field(default_factory=Agreement)
    by_label: dict[str, Agreement] = field(default_factory=dict)
    differences: list[Difference] = field(default_factory=list)
    #: Documents that only one project has.
    documents_only_first: int = 0
    documents_only_second: int = 0


#: Spans as they are stored, and the label.
Mark = tuple[int, int, str | None, str]


def compare(first: str, second: str) -> Comparison:
    """Compare two projects; the first is the reference."""
    found = Comparison()
    with reading_connection() as conn:
        ids = [store.require_project(conn, name) for name in (first, second)]
        reference = {each.key: each for each in store.read_project(conn, ids[0])}
        seen: set[Key] = set()
        for other in store.read_project(conn, ids[1]):
            seen.add(other.key)
            mine = reference.get(other.key)
            if mine is None:
                found.documents_only_second += 1
            else:
                _count(found, other.key, other.text, _marks(mine.rows), _marks(other.rows))
        for key, document in reference.items():
            if key not in seen:
                found.documents_only_first += 1
                _count(found, key, document.text, _marks(document.rows), Counter())
    return found


def _marks(rows: store.Rows) -> Counter[Mark]:
    return Counter(
        (begin, end, pieces, obj) for _, begin, end, pieces, obj, _value in rows["denotations"]
    )


def _count(
    found: Comparison, key: Key, text: str, first: Counter[Mark], second: Counter[Mark]
) -> None:
    for some, name, sign in (
        (first & second, "both", ""),
        (first - second, "only_first", "-"),
        (second - first, "only_second", "+"),
    ):
        for (begin, end, _pieces, label), times in sorted(
            some.items(), key=lambda each: each[0][:2]
        ):
            of_label = found.by_label.setdefault(label, Agreement())
            for counted in (found.total, of_label):
                setattr(counted, name, getattr(counted, name) + times)
            if sign and len(found.differences) < DIFFERENCES:
                quote = text[begin:end][:200]
                found.differences.append(Difference(sign, *key, label, begin, end, quote))


def as_values(found: Comparison) -> dict[str, object]:
    """Return a comparison as plain values."""

    def shown(each: Agreement) -> dict[str, object]:
        shares = {name: getattr(each, name) for name in ("precision", "recall", "agreement")}
        return vars(each) | shares

    return {
        "total": shown(found.total),
        "by_label": {label: shown(each) for label, each in found.by_label.items()},
        "documents_only_first": found.documents_only_first,
        "documents_only_second": found.documents_only_second,
        "differences": msgspec.to_builtins(found.differences),
    }
