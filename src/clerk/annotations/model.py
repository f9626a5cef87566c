"""What an annotation object is once it has been checked.

Annotations are decoded by msgspec straight into these structs.  Spans are Unicode code points,
begin inclusive, end exclusive.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Annotated, Any

from msgspec import Meta, Struct
from msgspec.structs import replace

Offset = Annotated[int, Meta(ge=0)]

#: The keys of an object under which its annotations are.
LISTS = ("denotations", "blocks", "relations", "attributes")


class Span(Struct, frozen=True, gc=False, order=True, forbid_unknown_fields=True):
    """A stretch of text."""

    begin: Offset
    end: Offset


class Denotation(Struct, gc=False, forbid_unknown_fields=True):
    """A label on one span, or on several (a discontinuous mention).  Blocks have the same shape."""

    span: Span | list[Span]
    obj: Any
    id: str | None = None

    @property
    def spans(self) -> tuple[Span, ...]:
        """The spans, whether one or several."""
        return (self.span,) if isinstance(self.span, Span) else tuple(self.span)


class Relation(Struct, gc=False, forbid_unknown_fields=True):
    """A predicate between two denotations or two blocks, named by their ids."""

    subj: str
    pred: str
    obj: str
    id: str | None = None


class Attribute(Struct, gc=False, forbid_unknown_fields=True):
    """A value said of a denotation, block or relation: any JSON value, ``true`` if none given."""

    subj: str
    pred: str
    obj: Any = None
    id: str | None = None


class CheckedObject(Struct, gc=False, kw_only=True):
    """One annotation object that keeps every rule: all ids given, all references resolved."""

    sourcedb: str
    sourceid: str
    text: str
    denotations: list[Denotation] = []
    blocks: list[Denotation] = []
    relations: list[Relation] = []
    attributes: list[Attribute] = []
    namespaces: Any = None
    tracks: Any = None
    #: Which of the four lists it has; an empty list says something, an absent one does not.
    given: frozenset[str] = frozenset(LISTS)
    #: Where it came from: set after decoding, whatever an upload says.
    file: str = ""
    line: int = 0

    @property
    def document(self) -> tuple[str, str]:
        """The key of the document it annotates."""
        return self.sourcedb, self.sourceid


class Issue(Struct, frozen=True, gc=False):
    """Why something of an upload was not stored; the upload goes on."""

    code: str
    message: str
    file: str = ""
    line: int = 0
    sourcedb: str = ""
    sourceid: str = ""
    detail: str = ""
    #: How many like it there were, when they are not listed one by one.
    times: int = 1

    def __str__(self) -> str:
        line = f":{self.line}" if self.line else ""
        place = f"{self.file}{line}: " if self.file else ""
        more = f" ({self.times:,} times)" if self.times > 1 else ""
        return f"{place}{self.message}{more}"


class Issues:
    """Issues as they are found: the first of each kind one by one, the others only counted.

    So a file of a hundred million empty lines costs neither memory nor disk.  Unless asked
    otherwise, whatever names a document is kept.
    """

    def __init__(self, kept: int = 200, *, always_named: bool = True) -> None:
        self._kept = kept
        self._always_named = always_named
        self._times: Counter[str] = Counter()
        self._listed: list[Issue] = []
        self._rest: dict[str, Issue] = {}

    def add(self, issue: Issue) -> None:
        """Take in one more."""
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
        """Take in some more."""
        for each in issues:
            self.add(each)

    def __iter__(self) -> Iterator[Issue]:
        yield from self._listed
        yield from self._rest.values()

    def __len__(self) -> int:
        """How many there were, listed or not."""
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
        """Give the four lists in the order in which references point back."""
        yield self.denotations
        yield self.blocks
        yield self.relations
        yield self.attributes
