"""What hits are counted, filtered and sorted by, cached in memory for one state of the index.

A query may hit every page there is; looking up each document in the database would then take
longer than finding the pages.  So a dozen bytes of every document stay here::

    class_of    document number -> its class; 0 when there is no such document
    classes     class -> (site, kind, body), shared by all documents of which that is true
    date_of     document number -> its date
    dates       number of a date -> the date

The index has a stamp that changes with every update: facts are valid for the stamp they were read
with.  After an update only the sites it touched are read again.
"""

from __future__ import annotations

import sqlite3
import threading
from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from .index import MADE, STAMP

#: Facts of this many indexes are cached; a process mostly serves one.
_KEPT = 2
_DOCUMENTS = "SELECT id, site, kind, body, date FROM documents"

_Row = tuple[int, int, str, str, str]
Value = TypeVar("Value")


class DocumentClass(NamedTuple):
    """What many documents have in common."""

    site: int
    kind: str
    body: str


class IndexedSite(NamedTuple):
    """A site of the index; its digest changes with its documents."""

    subdomain: str
    name: str
    digest: str


class NumberedValues(Generic[Value]):
    """Values with numbers of their own; only ever added to, so that all states can share them."""

    def __init__(self, none: Value) -> None:
        self.values = [none]
        self._numbers = {none: 0}

    def number(self, value: Value) -> int:
        """Return the number of a value, a new one if it has none."""
        number = self._numbers.setdefault(value, len(self.values))
        if number == len(self.values):
            self.values.append(value)
        return number


@dataclass
class IndexFacts:
    """The facts at one state of the index; never changed once returned."""

    made: int | None = None
    stamp: int | None = None
    sites: dict[int, IndexedSite] = field(default_factory=dict)
    documents: dict[int, array[int]] = field(default_factory=dict)
    class_of: array[int] = field(default_factory=lambda: array("I"))
    date_of: array[int] = field(default_factory=lambda: array("I"))
    known_classes: NumberedValues[DocumentClass] = field(
        default_factory=lambda: NumberedValues(DocumentClass(0, "", ""))
    )
    known_dates: NumberedValues[str] = field(default_factory=lambda: NumberedValues(""))

    @property
    def classes(self) -> list[DocumentClass]:
        """The classes by their numbers."""
        return self.known_classes.values

    @property
    def dates(self) -> list[str]:
        """The dates by their numbers."""
        return self.known_dates.values


class FactsCache:
    """The facts of the indexes that are searched, read once for all threads."""

    def __init__(self) -> None:
        self._facts: dict[Path, IndexFacts] = {}
        self._lock = threading.Lock()

    def facts(self, path: Path, connection: sqlite3.Connection) -> IndexFacts:
        """Return the facts of the state that a connection sees inside its transaction."""
        marks = dict(connection.execute("SELECT name, pages FROM counts").fetchall())
        made, stamp = marks.get(MADE), marks.get(STAMP)
        facts = self._facts.get(path)
        if facts is None or (facts.made, facts.stamp) != (made, stamp):
            with self._lock:
                facts = self._read(path, connection, made, stamp)
        return facts

    def _read(
        self, path: Path, connection: sqlite3.Connection, made: int | None, stamp: int | None
    ) -> IndexFacts:
        known = self._facts.pop(path, None)
        if known is None or known.made != made:
            known = IndexFacts(made)
        if not known.sites or known.stamp != stamp:
            known = _updated(known, stamp, connection)
        self._facts[path] = known
        while len(self._facts) > _KEPT:
            del self._facts[next(iter(self._facts))]
        return known


def _updated(known: IndexFacts, stamp: int | None, connection: sqlite3.Connection) -> IndexFacts:
    """Return the facts of the state that a connection sees, from those of another state."""
    rows = connection.execute("SELECT id, subdomain, name, digest FROM sites").fetchall()
    facts = replace(
        known,
        stamp=stamp,
        sites={number: IndexedSite(*site) for number, *site in rows},
        documents=dict(known.documents),
        class_of=_with_room(known.class_of, connection),
        date_of=_with_room(known.date_of, connection),
    )
    changed = [
        number
        for number in known.sites.keys() | facts.sites.keys()
        if _digest(known, number) != _digest(facts, number)
    ]
    for number in changed:
        _forget(facts, number)
    if known.sites:
        for number in changed:
            _add(facts, connection.execute(f"{_DOCUMENTS} WHERE site = ?", (number,)))
    else:
        _add(facts, connection.execute(_DOCUMENTS))
    return facts


def _digest(facts: IndexFacts, number: int) -> str | None:
    return facts.sites[number].digest if number in facts.sites else None


def _with_room(numbers: array[int], connection: sqlite3.Connection) -> array[int]:
    """Return a copy with room for every document there has ever been."""
    query = "SELECT seq FROM sqlite_sequence WHERE name = 'documents'"
    (last,) = connection.execute(query).fetchone() or (0,)
    copy = array("I", numbers)
    copy.frombytes(bytes(copy.itemsize * max(0, last + 1 - len(copy))))
    return copy


def _forget(facts: IndexFacts, site: int) -> None:
    for document in facts.documents.pop(site, ()):
        facts.class_of[document] = 0


def _add(facts: IndexFacts, rows: Iterable[_Row]) -> None:
    for document, site, kind, body, date in rows:
        facts.class_of[document] = facts.known_classes.number(DocumentClass(site, kind, body))
        facts.date_of[document] = facts.known_dates.number(date)
        facts.documents.setdefault(site, array("I")).append(document)
