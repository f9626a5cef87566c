"""What an upload does to a document and its annotations: decisions, nothing is written here.

========  =========================================================================================
replace   each list that the objects in the upload have becomes the union of theirs; a list that
          none of them has is kept, as far as what it refers to is still there
add       keep and add; an id that is taken gets the next free number, and references follow
merge     as add, but equal annotations (kind, spans, label) become one; so do relations, attributes
skip      leave a document that has annotations
========  =========================================================================================

`look_up` reads what is known of the documents, `decide` decides about one of them, `apply_mode`
combines two sets of annotations.  Denotations, blocks and relations share one space of ids, because
attributes may be said of any of them; attributes have their own, because nothing refers to them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace
from sqlalchemy import Connection

from clerk.core import storage
from clerk.core.errors import ClerkError, TransientError

from . import store
from .anchor import Anchored, Anchoring, anchor
from .objects import (
    LISTS,
    AnnotationSet,
    Attribute,
    CheckedObject,
    Denotation,
    Issue,
    Orphans,
    Relation,
    free_ids,
)
from .split import BatchLimits
from .store import Key, NewDocument, NewSet, SetHead, StoredDocument

#: Adding to a document needs all its annotations in memory: the limits for one document, and for
#: all documents of one batch.
ANNOTATIONS_PER_DOCUMENT = 1_000_000
ANNOTATIONS_AT_ONCE = 1_000_000


class TooMuchAtOnce(TransientError):
    """The documents of a batch have too many annotations to be added to in one go."""


class Mode(StrEnum):
    """How to combine an upload with existing annotations."""

    REPLACE = "replace"
    ADD = "add"
    MERGE = "merge"
    SKIP = "skip"


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """The options of an upload."""

    mode: Mode = Mode.REPLACE
    create_docs: bool = False
    align: Anchoring = Anchoring.AUTO
    on_lost: str = "drop"
    batch_items: int = BatchLimits().items
    batch_bytes: int = BatchLimits().bytes

    @property
    def adds(self) -> bool:
        """Whether existing annotations are kept."""
        return self.mode in (Mode.ADD, Mode.MERGE)

    @property
    def limits(self) -> BatchLimits:
        """When a batch is full."""
        return BatchLimits(items=self.batch_items, bytes=self.batch_bytes)


@dataclass(frozen=True)
class Target:
    """What is known of the document that objects are about."""

    key: Key
    #: The stored document; None if it is to be created with the text, or does not exist.
    stored: StoredDocument | None
    text: str | None
    former: SetHead | None = None
    annotations: AnnotationSet = field(default_factory=AnnotationSet)
    #: Annotations of the former set that have no place in the text.
    orphans: Sequence[Orphans] = ()


@dataclass
class Decision:
    """What to store for a document, if anything, and the issues found."""

    new_document: NewDocument | None = None
    new_set: NewSet | None = None
    issues: list[Issue] = field(default_factory=list)
    #: Whether the objects could not be used.
    refused: bool = False


# -------------------------------------------------------------------- what is known of documents


def look_up(
    conn: Connection,
    storage_dir: Path,
    project_id: int,
    options: Options,
    objects: Mapping[Key, Sequence[CheckedObject]],
) -> dict[Key, Target]:
    """Find the documents that objects are about, and what the project has on them.

    Raises :class:`TooMuchAtOnce` when that is more than fits into memory, but not for one document.
    """
    known = store.find_documents(conn, objects.keys())
    formers = store.current_sets(conn, project_id, [each.id for each in known.values()])
    # A text is read only where an object brings another one.
    texts = store.texts_of(
        conn,
        [
            found.id
            for key, found in known.items()
            if any(store.digest_of(each.text) != found.digest for each in objects[key])
        ],
    )
    extended = list(formers.values())
    if not options.adds:
        keys = {found.id: key for key, found in known.items()}
        extended = [
            each for each in extended if _lists_kept(options, each, objects[keys[each.document_id]])
        ]
    if len(extended) > 1 and sum(each.size for each in extended) > ANNOTATIONS_AT_ONCE:
        raise TooMuchAtOnce()
    rows = store.rows_of(conn, [e for e in extended if e.size <= ANNOTATIONS_PER_DOCUMENT])

    targets: dict[Key, Target] = {}
    folders: dict[str, Path | None] = {}
    for key, some in objects.items():
        sourcedb, sourceid = key
        if found := known.get(key):
            former = formers.get(found.id)
            kept = rows.get(former.id) if former else None
            annotations = store.annotations_from(kept) if kept else AnnotationSet()
            orphans = store.orphans_of(former) if former else []
            targets[key] = Target(key, found, texts.get(found.id), former, annotations, orphans)
            continue
        if sourcedb not in folders:
            folders[sourcedb] = None
            with contextlib.suppress(ClerkError):
                folder = storage.site_folder(storage_dir, sourcedb)
                folders[sourcedb] = folder if folder.is_dir() else None
        site = folders[sourcedb]
        text = page_text(site, sourceid) if site else None
        if text is None and options.create_docs:
            text = some[0].text
        targets[key] = Target(key, None, text)
    return targets


def page_text(folder: Path, sourceid: str) -> str | None:
    """Return the text of a page in a site's folder, by the name annotations use, or None."""
    name, _, page = sourceid.rpartition("/")
    if not (page.isascii() and page.isdecimal()) or not all(name.split("/")):
        return None
    try:
        document = storage.Document.from_name(name).text(folder)
        return storable((document / f"page-{int(page)}.txt").read_bytes())
    except (ClerkError, OSError, ValueError):
        return None


def storable(page: bytes) -> str:
    """Return the text of a page without characters that databases reject."""
    return page.decode("utf-8", "replace").replace("\0", "\ufffd")


# ------------------------------------------------------------------------------- the decision


@dataclass
class _Placed:
    """The annotations of a document's objects on the text that is stored."""

    anchored: list[Anchored] = field(default_factory=list)
    issues: list[Issue] = field(default_factory=list)
    #: Whether an object has lost all of its annotations.
    emptied: bool = False

    @classmethod
    def of(cls, options: Options, target: Target, objects: Sequence[CheckedObject]) -> _Placed:
        """Place the annotations; of a document that is new they are where they are."""
        placed = cls()
        for each in objects:
            annotations = annotations_of(each)
            found = (
                Anchored(annotations, [])
                if target.text is None
                else anchor(annotations, each.text, target.text, options.align)
            )
            placed.anchored.append(found)
            placed.issues += [
                replace(
                    issue,
                    file=each.file,
                    line=each.line,
                    sourcedb=each.sourcedb,
                    sourceid=each.sourceid,
                )
                for issue in found.issues
            ]
            placed.emptied |= bool(len(annotations) and not len(found.annotations))
        return placed


def decide(options: Options, target: Target, objects: Sequence[CheckedObject]) -> Decision:
    """Decide what to store for a document whose objects in the upload are these.

    If one of them is rejected, the document stays as it is: never half of an upload.
    """
    first = objects[0]
    if target.stored is None and target.text is None:
        return Decision(
            refused=True,
            issues=[
                _about(
                    each,
                    "unknown_document",
                    f"there is no document {each.sourcedb}:{each.sourceid}.",
                )
                for each in objects
            ],
        )
    placed = _Placed.of(options, target, objects)
    anchored, issues = placed.anchored, placed.issues
    decision = Decision(issues=issues, refused=True)
    former = target.former
    if any(not found.same_text for found in anchored):
        return decision
    lost = [issue for issue in issues if not issue.is_note]
    if lost and (options.on_lost == "reject" or placed.emptied):
        message = "the document was left as it is, because spans were lost."
        issues.append(_about(first, "rejected", message))
        return decision
    if options.mode is Mode.SKIP and former and not former.is_empty:
        return Decision(issues=issues)
    added = sum(len(found.annotations) for found in anchored)
    keeps = options.adds or _lists_kept(options, former, objects)
    if keeps and former and former.size and former.size + added > ANNOTATIONS_PER_DOCUMENT:
        message = (
            "the document was left as it is: with these it would have more than "
            f"{ANNOTATIONS_PER_DOCUMENT:,} annotations."
        )
        issues.append(_about(first, "too_large", message))
        return decision

    decision.refused = False
    given = frozenset[str]().union(*(each.given for each in objects))
    # Marking a document again replaces what had no place, too.
    orphans = [] if options.mode is Mode.REPLACE and "denotations" in given else target.orphans
    change = apply_mode(
        options.mode,
        target.annotations,
        [each.annotations for each in anchored],
        given,
        frozenset(
            each.id for group in orphans for kind in group.annotations.kinds() for each in kind
        ),
    )
    if len(change.insert):
        issues += [_about(first, "lost_reference", f"{names}.") for names in change.lost]
    replaces = options.mode is Mode.REPLACE
    stored_texts = (former.namespaces, former.tracks) if former else (None, None)
    namespaces, tracks = (
        _joined(uploaded, stored, replaces)
        for uploaded, stored in zip(
            ([each.namespaces for each in objects], [each.tracks for each in objects]),
            stored_texts,
            strict=True,
        )
    )
    unchanged = not change.clear and not len(change.insert)
    if former and unchanged and (namespaces, tracks) == stored_texts:
        return decision
    if target.stored is None:
        text = target.text or ""
        decision.new_document = NewDocument(target.key, text, store.digest_of(text))
    decision.new_set = NewSet(
        target.stored.id if target.stored else target.key,
        store.rows_from(change.result(target.annotations)),
        former,
        namespaces,
        tracks,
        keeps_former=not change.clear,
        orphans=orphans,
    )
    if fewer := store.fewer_than_before(decision.new_set):
        counted = ", ".join(
            f"{number:,} {name[:-1] if number == 1 else name}" for name, number in fewer.items()
        )
        issues.append(_about(first, "cleared", f"cleared {counted}."))
    if former and former.orphaned and not orphans:
        orphaned = "1 orphan" if former.orphaned == 1 else f"{former.orphaned:,} orphans"
        issues.append(_about(first, "cleared", f"cleared {orphaned}."))
    return decision


def incomplete(found: CheckedObject) -> Issue:
    """Return the issue of a document that is not replaced, because an object of it is invalid."""
    message = "the document was left as it is, because one of its objects cannot be used."
    return _about(found, "rejected", message)


def _about(found: CheckedObject, code: str, message: str) -> Issue:
    return Issue(code, message, found.file, found.line, found.sourcedb, found.sourceid)


def _lists_kept(
    options: Options, former: SetHead | None, objects: Sequence[CheckedObject]
) -> list[str]:
    """Return the lists that replacing keeps, because no object of the document has them."""
    if former is None or options.mode is not Mode.REPLACE:
        return []
    given = frozenset[str]().union(*(each.given for each in objects))
    return [name for name, number in former.counts.items() if number and name not in given]


def _joined(uploaded: Sequence[Any], stored: str | None, replaces: bool) -> str | None:
    """Return namespaces or tracks as JSON: those that are kept, and the new ones."""
    values = [each for each in uploaded if each is not None]
    if stored is not None and not (replaces and values):
        values.insert(0, msgspec.json.decode(stored))
    if not values:
        return None
    joined = values[0]
    for more in values[1:]:
        if isinstance(joined, list) and isinstance(more, list):
            joined = joined + [each for each in more if each not in joined]
    return msgspec.json.encode(joined).decode()


# -------------------------------------------------------------------------------------- modes


class SetChange(msgspec.Struct, frozen=True):
    """How the annotations of one document change: cleared or not, then these inserted.

    Inserting never collides: every id is free, and every reference is to something that is stored
    or inserted.
    """

    clear: bool
    insert: AnnotationSet
    #: What was not kept of a list that the upload has not, because what it was about is gone.
    lost: list[str] = []

    def result(self, stored: AnnotationSet) -> AnnotationSet:
        """Return the annotations of the document after the change."""
        if self.clear:
            return self.insert
        pairs = zip(stored.kinds(), self.insert.kinds(), strict=True)
        denotations, blocks, relations, attributes = (some + more for some, more in pairs)
        return AnnotationSet(
            denotations=denotations, blocks=blocks, relations=relations, attributes=attributes
        )


def apply_mode(
    mode: Mode,
    stored: AnnotationSet,
    uploaded: Iterable[AnnotationSet | CheckedObject],
    given: Set[str] = frozenset(LISTS),
    reserved: Set[str] = frozenset(),
) -> SetChange:
    """Decide how a document's annotations change by its objects in the upload.

    Objects are used in the order of the upload; ``given`` are the lists that they have, and
    ``reserved`` ids are not used.  The arguments are not changed.
    """
    objects = [annotations_of(each) for each in uploaded]
    match mode:
        case Mode.REPLACE if len(stored) and not given >= set(LISTS):
            return _replaced(stored, objects, given, reserved)
        case Mode.REPLACE:
            return SetChange(True, _combined(AnnotationSet(), objects, _identity, reserved))
        case Mode.SKIP if len(stored):
            return SetChange(False, AnnotationSet())
        case Mode.SKIP:
            return SetChange(False, _combined(stored, objects, _identity, reserved))
        case Mode.ADD:
            return SetChange(False, _combined(stored, objects, None, reserved))
        case Mode.MERGE:
            return SetChange(False, _combined(stored, objects, _meaning, reserved))


def _replaced(
    stored: AnnotationSet,
    objects: list[AnnotationSet],
    given: Set[str],
    reserved: Set[str],
) -> SetChange:
    """Replace the lists that are given, and keep of the others what still has its ends."""
    if not given:
        return SetChange(False, AnnotationSet())
    kept = AnnotationSet(
        denotations=[] if "denotations" in given else stored.denotations,
        blocks=[] if "blocks" in given else stored.blocks,
    )
    whole = SetChange(False, _combined(kept, objects, _identity, reserved)).result(kept)
    there = {_identity(each) for each in (*whole.denotations, *whole.blocks)}
    before = {each.id: _identity(each) for each in (*stored.denotations, *stored.blocks)}
    present = {name for name, meaning in before.items() if meaning in there}
    lost: list[str] = []
    relations: list[Relation] = []
    for relation in stored.relations if "relations" not in given else ():
        missing = [end for end in (relation.subj, relation.obj) if end not in present]
        if missing:
            lost.append(f"{relation.id} is lost with {missing[0]}")
        else:
            relations.append(relation)
    shared = _IdSpace(_identity)
    shared.know(T=whole.denotations, B=whole.blocks, R=whole.relations)
    shared.reserve(relations)
    whole.relations = whole.relations + shared.add("R", relations)
    present.update(each.id for each in relations if each.id)
    if "relations" in given:
        there = {_identity(each) for each in whole.relations}
        present.update(each.id for each in stored.relations if _identity(each) in there and each.id)
    if "attributes" not in given:
        attributes = [each for each in stored.attributes if each.subj in present]
        lost += [
            f"{each.id} is lost with {each.subj}"
            for each in stored.attributes
            if each.subj not in present
        ]
        moved = [replace(each, subj=shared.now(each.subj)) for each in attributes]
        own = _IdSpace(_identity)
        own.know(A=whole.attributes)
        own.reserve(moved)
        whole.attributes = whole.attributes + own.add("A", moved)
    return SetChange(True, whole, lost)


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


#: Returns equal values for two annotations that are the same one.
Equality = Callable[[Any], Any]


def _meaning(annotation: Denotation | Relation | Attribute) -> Any:
    """What an annotation says, whatever its id."""
    obj = annotation.obj
    hashable = obj if isinstance(obj, str) else msgspec.json.encode(obj, order="sorted")
    if isinstance(annotation, Denotation):
        return tuple(sorted(annotation.spans)), hashable
    return annotation.subj, annotation.pred, hashable


def _identity(annotation: Denotation | Relation | Attribute) -> Any:
    return annotation.id, _meaning(annotation)


def _combined(
    stored: AnnotationSet,
    objects: list[AnnotationSet],
    same: Equality | None,
    reserved: Set[str],
) -> AnnotationSet:
    """Return what all objects add to the stored annotations, one after the other."""
    if len(objects) == 1 and not len(stored) and same is not _meaning and not reserved:
        return objects[0]
    added = AnnotationSet()
    shared, of_attributes = _IdSpace(same, reserved), _IdSpace(same, reserved)
    shared.know(T=stored.denotations, B=stored.blocks, R=stored.relations)
    of_attributes.know(A=stored.attributes)
    for each in objects:
        shared.reserve(each.denotations, each.blocks, each.relations)
        of_attributes.reserve(each.attributes)
        added.denotations += shared.add("T", each.denotations)
        added.blocks += shared.add("B", each.blocks)
        added.relations += shared.add(
            "R",
            [
                replace(relation, subj=shared.now(relation.subj), obj=shared.now(relation.obj))
                for relation in each.relations
            ],
        )
        added.attributes += of_attributes.add(
            "A", [replace(some, subj=shared.now(some.subj)) for some in each.attributes]
        )
    return added


class _IdSpace:
    """Ids that must differ from each other, and the new ids of the object being added."""

    def __init__(self, same: Equality | None, reserved: Set[str] = frozenset()) -> None:
        self._same = same
        self._known: dict[tuple[str, Any], str] = {}
        self._taken: set[str] = set(reserved)
        self._reserved: set[str] = set(reserved)
        self._now: dict[str, str] = {}
        self._free: dict[str, Iterator[str]] = {}

    def know(self, **stored: list[Any]) -> None:
        """Add stored annotations by their letter; of equal ones the first is referred to."""
        for letter, kind in stored.items():
            for each in kind:
                self._taken.add(each.id)
                if self._same:
                    self._known.setdefault((letter, self._same(each)), each.id)
        self._reserved |= self._taken

    def reserve(self, *uploaded: list[Any]) -> None:
        """Start an object: do not use its ids for anything else."""
        self._now = {}
        self._reserved.update(each.id for kind in uploaded for each in kind)

    def now(self, name: str) -> str:
        """Return the id under which an annotation of the object is stored."""
        return self._now.get(name, name)

    def add(self, letter: str, uploaded: list[Any]) -> list[Any]:
        """Return what is new among the uploaded, each under a free id."""
        new = []
        for each in uploaded:
            meaning = (letter, self._same(each)) if self._same else None
            if meaning and (twin := self._known.get(meaning)) is not None:
                self._now[each.id] = twin
                continue
            kept = each
            if each.id in self._taken:
                free = self._free.setdefault(letter, free_ids(letter, self._reserved))
                kept = replace(each, id=next(free))
                self._now[each.id] = kept.id
            self._taken.add(kept.id)
            if meaning:
                self._known[meaning] = kept.id
            new.append(kept)
        return new
