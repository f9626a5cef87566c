"""What an upload does to the annotations a document already has: a decision, not a deed.

========  =========================================================================================
replace   the document's annotations become the union of its objects in the upload
add       keep and add; an id that is taken gets the next free number, and references follow
merge     as add, but what is equal (kind, spans, label) becomes one; so do relations, attributes
skip      leave a document that has annotations
========  =========================================================================================

Denotations, blocks and relations share one space of ids, because attributes may be said of any of
them; attributes have their own, because nothing refers to them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace as changed

from .careful import free_ids
from .model import AnnotationSet, Attribute, CheckedObject, Denotation, Relation


class Mode(StrEnum):
    """How an upload meets what is stored."""

    REPLACE = "replace"
    ADD = "add"
    MERGE = "merge"
    SKIP = "skip"


class Plan(Struct, frozen=True):
    """What to do with one document: clear it or not, then insert.

    Inserting never collides: every id is free and every reference is to something that is stored
    or inserted.
    """

    clear: bool
    insert: AnnotationSet

    def result(self, stored: AnnotationSet) -> AnnotationSet:
        """Return what the document has when the plan is done."""
        return self.insert if self.clear else _joined(stored, self.insert)


def apply_mode(
    mode: Mode, stored: AnnotationSet, uploaded: Iterable[AnnotationSet | CheckedObject]
) -> Plan:
    """Decide what becomes of a document whose objects in the upload are these.

    Objects are taken in the order of the upload.  Nothing given is changed.
    """
    objects = [annotations_of(each) for each in uploaded]
    match mode:
        case Mode.REPLACE:
            return Plan(True, _gather(AnnotationSet(), objects, _identical))
        case Mode.SKIP if len(stored):
            return Plan(False, AnnotationSet())
        case Mode.SKIP:
            return Plan(False, _gather(stored, objects, _identical))
        case Mode.ADD:
            return Plan(False, _gather(stored, objects, None))
        case Mode.MERGE:
            return Plan(False, _gather(stored, objects, _meaning))


def annotations_of(found: AnnotationSet | CheckedObject) -> AnnotationSet:
    """Return the annotations of an uploaded object, without its text."""
    if isinstance(found, AnnotationSet):
        return found
    return AnnotationSet(
        denotations=found.denotations,
        blocks=found.blocks,
        relations=found.relations,
        attributes=found.attributes,
    )


#: Says when two annotations are the same one.
Key = Callable[[Any], Any]


def _meaning(annotation: Denotation | Relation | Attribute) -> Any:
    """What an annotation says, whatever its id."""
    if isinstance(annotation, Denotation):
        return tuple(sorted(annotation.spans)), _hashable(annotation.obj)
    return annotation.subj, annotation.pred, _hashable(annotation.obj)


def _identical(annotation: Denotation | Relation | Attribute) -> Any:
    return annotation.id, _meaning(annotation)


def _hashable(value: Any) -> Any:
    return value if isinstance(value, str) else msgspec.json.encode(value, order="sorted")


def _joined(first: AnnotationSet, second: AnnotationSet) -> AnnotationSet:
    pairs = zip(first.kinds(), second.kinds(), strict=True)
    denotations, blocks, relations, attributes = (some + more for some, more in pairs)
    return AnnotationSet(
        denotations=denotations, blocks=blocks, relations=relations, attributes=attributes
    )


def _gather(stored: AnnotationSet, objects: list[AnnotationSet], same: Key | None) -> AnnotationSet:
    """Return what all objects add to the stored annotations, one after the other."""
    if len(objects) == 1 and not len(stored) and same is not _meaning:
        return objects[0]
    gathered = AnnotationSet()
    shared, own = _Space(same), _Space(same)
    shared.know(T=stored.denotations, B=stored.blocks, R=stored.relations)
    own.know(A=stored.attributes)
    for each in objects:
        _add(gathered, each, shared, own)
    return gathered


def _add(gathered: AnnotationSet, more: AnnotationSet, shared: _Space, own: _Space) -> None:
    shared.reserve(more.denotations, more.blocks, more.relations)
    own.reserve(more.attributes)
    gathered.denotations += shared.settle("T", more.denotations)
    gathered.blocks += shared.settle("B", more.blocks)
    gathered.relations += shared.settle(
        "R",
        [
            changed(each, subj=shared.now(each.subj), obj=shared.now(each.obj))
            for each in more.relations
        ],
    )
    gathered.attributes += own.settle(
        "A", [changed(each, subj=shared.now(each.subj)) for each in more.attributes]
    )


class _Space:
    """Ids that must differ from each other, and what became of those of the object in hand."""

    def __init__(self, same: Key | None) -> None:
        self._same = same
        self._known: dict[tuple[str, Any], str] = {}
        self._taken: set[str] = set()
        self._reserved: set[str] = set()
        self._now: dict[str, str] = {}
        self._free: dict[str, Iterator[str]] = {}

    def know(self, **stored: list[Any]) -> None:
        """Take in stored annotations by their letter; the first of equal ones stands for all."""
        for letter, kind in stored.items():
            for each in kind:
                self._taken.add(each.id)
                if self._same:
                    self._known.setdefault((letter, self._same(each)), each.id)
        self._reserved |= self._taken

    def reserve(self, *uploaded: list[Any]) -> None:
        """Begin an object: keep its ids free for their owners."""
        self._now = {}
        self._reserved.update(each.id for kind in uploaded for each in kind)

    def now(self, name: str) -> str:
        """Return the id under which an annotation of the object is kept."""
        return self._now.get(name, name)

    def settle(self, letter: str, uploaded: list[Any]) -> list[Any]:
        """Return what is new among the uploaded, each under a free id."""
        new = []
        for each in uploaded:
            twin = self._known.get((letter, self._same(each))) if self._same else None
            if twin is None:
                new.append(self._kept(letter, each))
            else:
                self._now[each.id] = twin
        return new

    def _kept(self, letter: str, annotation: Any) -> Any:
        kept = annotation
        if annotation.id in self._taken:
            free = self._free.setdefault(letter, free_ids(letter, self._reserved))
            kept = changed(annotation, id=next(free))
            self._now[annotation.id] = kept.id
        self._taken.add(kept.id)
        if self._same:
            self._known[letter, self._same(annotation)] = kept.id
        return kept
