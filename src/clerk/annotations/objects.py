"""Annotation objects, sets of annotations, and issues.

Annotations are decoded by msgspec straight into these structs.  Spans are Unicode code points,
begin inclusive, end exclusive.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Set
from itertools import count
from typing import Annotated, Any

from msgspec import Meta, Struct
from msgspec.structs import replace

Offset = Annotated[int, Meta(ge=0)]

#: The keys of an object that contain its annotations.
LISTS = ("denotations", "blocks", "relations", "attributes")


class Span(Struct, frozen=True, gc=False, order=True, forbid_unknown_fields=True):
    """A span of text, in code points; the end is exclusive."""

    begin: Offset
    end: Offset


class Denotation(Struct, gc=False, forbid_unknown_fields=True):
    """A label on one span, or on several (a discontinuous mention).  Blocks have the same shape."""

    span: Span | list[Span]
    obj: Any
    id: str | None = None

    @property
    def spans(self) -> tuple[Span, ...]:
        """Return the spans, whether one or several."""
        return (self.span,) if isinstance(self.span, Span) else tuple(self.span)


class Relation(Struct, gc=False, forbid_unknown_fields=True):
    """A predicate between two denotations or two blocks, named by their ids."""

    subj: str
    pred: str
    obj: str
    id: str | None = None


class Attribute(Struct, gc=False, forbid_unknown_fields=True):
    """A property of a denotation, block or relation: any JSON value, ``true`` if there is none."""

    subj: str
    pred: str
    obj: Any = None
    id: str | None = None


class CheckedObject(Struct, gc=False, kw_only=True):
    """A valid annotation object: all ids set, all references resolved."""

    sourcedb: str
    sourceid: str
    text: str
    denotations: list[Denotation] = []
    blocks: list[Denotation] = []
    relations: list[Relation] = []
    attributes: list[Attribute] = []
    namespaces: Any = None
    tracks: Any = None
    #: Which of the four lists it has; an empty list is not the same as no list.
    given: frozenset[str] = frozenset(LISTS)
    #: Where it came from: set after decoding, never taken from the upload.
    file: str = ""
    line: int = 0

    @property
    def document(self) -> tuple[str, str]:
        """Return the key of the document it annotates."""
        return self.sourcedb, self.sourceid


#: Issues that only report what was done: nothing was refused or lost.
NOTES = frozenset(("cleared", "changed_quote", "restored"))


class Issue(Struct, frozen=True, gc=False):
    """Why a part of an upload was not stored, or a note; the rest of the upload is stored."""

    code: str
    message: str
    file: str = ""
    line: int = 0
    sourcedb: str = ""
    sourceid: str = ""
    detail: str = ""
    #: How many issues like this there were, when they are not listed one by one.
    times: int = 1

    @property
    def is_note(self) -> bool:
        """Whether it only reports what was done."""
        return self.code in NOTES

    def __str__(self) -> str:
        line = f":{self.line}" if self.line else ""
        place = f"{self.file}{line}: " if self.file else ""
        more = f" ({self.times:,} times)" if self.times > 1 else ""
        return f"{place}{self.message}{more}"


class Issues:
    """Issues as they are found: the first of each kind are listed, the others only counted.

    So a file of a hundred million empty lines needs neither memory nor disk.  With
    ``always_named`` every issue that names a document is listed.
    """

    def __init__(self, kept: int = 200, *, always_named: bool = True) -> None:
        self._kept = kept
        self._always_named = always_named
        self._times: Counter[str] = Counter()
        self._listed: list[Issue] = []
        self._rest: dict[str, Issue] = {}

    def add(self, issue: Issue) -> None:
        """Add an issue."""
        if self._always_named and issue.sourceid:
            self._listed.append(issue)
            return
        self._times[issue.code] += issue.times
        if self._times[issue.code] <= self._kept:
            self._listed.append(issue)
        else:
            first = self._rest.setdefault(issue.code, replace(issue, times=0))
            self._rest[issue.code] = replace(first, times=first.times + issue.times)

    def add_all(self, issues: Iterable[Issue]) -> None:
        """Add several issues."""
        for each in issues:
            self.add(each)

    def __iter__(self) -> Iterator[Issue]:
        yield from self._listed
        yield from self._rest.values()

    def __len__(self) -> int:
        """Return how many there were, listed or not."""
        return sum(each.times for each in self)

    def by_code(self) -> dict[str, int]:
        """Return how many there were of each kind."""
        found: Counter[str] = Counter()
        for each in self:
            found[each.code] += each.times
        return dict(found)


class AnnotationSet(Struct, gc=False, kw_only=True):
    """The annotations of one project on one document."""

    denotations: list[Denotation] = []
    blocks: list[Denotation] = []
    relations: list[Relation] = []
    attributes: list[Attribute] = []

    def __len__(self) -> int:
        return sum(map(len, self.kinds()))

    def kinds(self) -> Iterator[list[Any]]:
        """Yield the four lists in such an order that references point backwards."""
        yield self.denotations
        yield self.blocks
        yield self.relations
        yield self.attributes


class Orphans(Struct, frozen=True):
    """Annotations of a set that have no place in the document's text, and the text they had it in.

    They are kept with their set, and come back when a later text has their quotes.
    """

    text_id: int
    annotations: AnnotationSet
    #: The words that each denotation and block marked, by id.
    quotes: dict[str, str]


def free_ids(letter: str, taken: Set[str]) -> Iterator[str]:
    """Yield the ids with that letter that are not taken, numbered from 1."""
    return (name for number in count(1) if (name := f"{letter}{number}") not in taken)
