"""What becomes of a document when annotations of it are uploaded: a decision, not a deed."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace
from sqlalchemy import Connection

from clerk import annotations as hands
from clerk.core import config, storage
from clerk.core.errors import ClerkError, TransientError

from . import Anchoring, AnnotationSet, CheckedObject, Issue, Mode, store
from .store import Key, NewDocument, NewSet, SetHead, StoredDocument

#: Adding to a document needs all it has in memory: one may have so many annotations, and those of
#: one batch together.
ANNOTATIONS_PER_DOCUMENT = 1_000_000
ANNOTATIONS_AT_ONCE = 1_000_000


class TooMuchAtOnce(TransientError):
    """The documents of a batch have too many annotations to be added to in one go."""


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What was asked of an upload."""

    mode: Mode = Mode.REPLACE
    create_docs: bool = False
    align: Anchoring = Anchoring.AUTO
    on_lost: str = "drop"
    batch_items: int = hands.BatchLimits().items
    batch_bytes: int = hands.BatchLimits().bytes

    @property
    def adds(self) -> bool:
        """Whether what a document has is kept."""
        return self.mode in (Mode.ADD, Mode.MERGE)

    @property
    def limits(self) -> hands.BatchLimits:
        """When a batch is full."""
        return hands.BatchLimits(items=self.batch_items, bytes=self.batch_bytes)


@dataclass(frozen=True)
class Target:
    """What is known of the document that objects are about."""

    key: Key
    #: The document as stored, or None with the text it is to have, or None for no such document.
    stored: StoredDocument | None
    text: str | None
    former: SetHead | None = None
    annotations: AnnotationSet = field(default_factory=AnnotationSet)


@dataclass
class Decision:
    """What becomes of a document: a set to be stored or none, and what was wrong."""

    new_document: NewDocument | None = None
    new_set: NewSet | None = None
    issues: list[Issue] = field(default_factory=list)


def look_up(
    conn: Connection,
    project_id: int,
    options: Options,
    objects: Mapping[Key, Sequence[CheckedObject]],
) -> dict[Key, Target]:
    """Find the documents that objects are about, and what the project has on them.

    Raises :class:`TooMuchAtOnce` when that is more than fits into memory, but not for one document.
    """
    known = store.find_documents(conn, objects.keys())
    ids = [each.id for each in known.values()]
    formers = store.current_sets(conn, project_id, ids)
    texts = store.texts_of(conn, _with_other_text(known, objects))
    rows = store.rows_of(conn, _to_be_added_to(options, formers.values()))
    folders = _site_folders(objects.keys())
    targets = {
        key: _new_target(key, options, some[0], folders.get(key[0]))
        for key, some in objects.items()
        if key not in known
    }
    for key, found in known.items():
        former = formers.get(found.id)
        kept = rows.get(former.id) if former else None
        annotations = annotations_from(kept) if kept else AnnotationSet()
        targets[key] = Target(key, found, texts.get(found.id), former, annotations)
    return targets


def _to_be_added_to(options: Options, formers: Collection[SetHead]) -> list[SetHead]:
    if not options.adds:
        return []
    if len(formers) > 1 and sum(each.size for each in formers) > ANNOTATIONS_AT_ONCE:
        raise TooMuchAtOnce()
    return [each for each in formers if each.size <= ANNOTATIONS_PER_DOCUMENT]


def _site_folders(keys: Iterable[Key]) -> dict[str, Path]:
    """Return the folders of those sources that are sites."""
    storage_dir, folders = config.load().storage_dir, {}
    for sourcedb in {sourcedb for sourcedb, _ in keys}:
        with contextlib.suppress(ClerkError):
            folders[sourcedb] = storage.site_folder(storage_dir, sourcedb)
    return {name: folder for name, folder in folders.items() if folder.is_dir()}


def _new_target(key: Key, options: Options, found: CheckedObject, folder: Path | None) -> Target:
    text = page_text(folder, key[1]) if folder else None
    if text is None and options.create_docs:
        text = found.text
    return Target(key, None, text)


def _with_other_text(
    known: Mapping[Key, StoredDocument], objects: Mapping[Key, Sequence[CheckedObject]]
) -> list[int]:
    """Return the documents whose text has to be read, because an object brings another one."""
    return [
        found.id
        for key, found in known.items()
        if any(store.digest_of(each.text) != found.digest for each in objects[key])
    ]


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
    """Return the text of a page as databases take it."""
    return page.decode("utf-8", "replace").replace("\0", "\ufffd")


def decide(options: Options, target: Target, objects: Sequence[CheckedObject]) -> Decision:
    """Decide what becomes of a document whose objects in the upload are these.

    If one of them is refused the document stays as it is: half of what was meant is nothing.
    """
    if target.stored is None and target.text is None:
        return Decision(issues=[_unknown(each) for each in objects])
    anchored = [_anchored(options, target, each) for each in objects]
    issues = [
        issue
        for each, found in zip(objects, anchored, strict=True)
        for issue in _placed(found.issues, each)
    ]
    if any(not found.same_text for found in anchored):
        return Decision(issues=issues)
    if issues and (options.on_lost == "reject" or _nothing_found(objects, anchored)):
        return Decision(issues=[*issues, _rejected(objects[0])])
    if options.mode is Mode.REPLACE and (lists := _not_given(target.former, objects)):
        return Decision(issues=[*issues, _not_cleared(objects[0], lists)])
    if options.mode is Mode.SKIP and target.former and not target.former.is_empty:
        return Decision(issues=issues)
    if options.adds and _would_be_too_large(target, anchored):
        return Decision(issues=[*issues, _too_large(objects[0])])
    plan = hands.apply_mode(
        options.mode, target.annotations, [found.annotations for found in anchored]
    )
    return _written(target, objects, plan, issues)


def _not_given(former: SetHead | None, objects: Sequence[CheckedObject]) -> list[str]:
    """Return the lists that would be cleared although no object of the document gives them.

    An object that has denotations, be it an empty list, says all there is: its other lists are
    left out when they are empty.  Without denotations only the lists that it has are meant.
    """
    given = frozenset[str]().union(*(each.given for each in objects))
    if former is None or "denotations" in given:
        return []
    return [name for name, number in former.counts.items() if number and name not in given]


def _written(
    target: Target, objects: Sequence[CheckedObject], plan: hands.Plan, issues: list[Issue]
) -> Decision:
    former = target.former
    kept = former if former and not plan.clear else None
    namespaces = _joined([each.namespaces for each in objects], kept.namespaces if kept else None)
    tracks = _joined([each.tracks for each in objects], kept.tracks if kept else None)
    beside = (former.namespaces, former.tracks) if former else None
    if not plan.clear and not len(plan.insert) and (namespaces, tracks) == beside:
        return Decision(issues=issues)
    decision = Decision(issues=issues)
    if target.stored is None:
        text = target.text or ""
        decision.new_document = NewDocument(target.key, text, store.digest_of(text))
    decision.new_set = NewSet(
        target.stored.id if target.stored else target.key,
        rows_from(plan.result(target.annotations)),
        former,
        namespaces,
        tracks,
        keeps_former=not plan.clear,
    )
    return decision


def _anchored(options: Options, target: Target, found: CheckedObject) -> hands.Anchored:
    annotations = hands.annotations_of(found)
    if target.text is None:
        return hands.Anchored(annotations, [])
    return hands.anchor(annotations, found.text, target.text, options.align)


def _nothing_found(objects: Sequence[CheckedObject], anchored: Sequence[hands.Anchored]) -> bool:
    """Whether of an object with annotations none is left."""
    return any(
        len(hands.annotations_of(each)) and not len(found.annotations)
        for each, found in zip(objects, anchored, strict=True)
    )


def _would_be_too_large(target: Target, anchored: Sequence[hands.Anchored]) -> bool:
    stored = target.former.size if target.former else 0
    more = sum(len(found.annotations) for found in anchored)
    return bool(stored) and stored + more > ANNOTATIONS_PER_DOCUMENT


def _placed(issues: Iterable[Issue], found: CheckedObject) -> Iterator[Issue]:
    """Say where in the upload it was."""
    for issue in issues:
        yield replace(
            issue,
            file=found.file,
            line=found.line,
            sourcedb=found.sourcedb,
            sourceid=found.sourceid,
        )


def _about(found: CheckedObject, code: str, message: str) -> Issue:
    return Issue(code, message, found.file, found.line, found.sourcedb, found.sourceid)


def _unknown(found: CheckedObject) -> Issue:
    name = f"{found.sourcedb}:{found.sourceid}"
    return _about(found, "unknown_document", f"there is no document {name}.")


def _rejected(found: CheckedObject) -> Issue:
    return _about(found, "rejected", "the document was left as it is, because spans were lost.")


def _not_cleared(found: CheckedObject, lists: Sequence[str]) -> Issue:
    message = (
        "the document was left as it is: it has annotations, and the upload has no "
        f"{' and no '.join(lists)}; give an empty list to clear."
    )
    return _about(found, "not_cleared", message)


def incomplete(found: CheckedObject) -> Issue:
    """Return the issue of a document that is not replaced by the rest of what was meant."""
    message = "the document was left as it is, because one of its objects cannot be used."
    return _about(found, "rejected", message)


def _too_large(found: CheckedObject) -> Issue:
    message = (
        "the document was left as it is: with these it would have more than "
        f"{ANNOTATIONS_PER_DOCUMENT:,} annotations."
    )
    return _about(found, "too_large", message)


def _joined(uploaded: Sequence[Any], stored: str | None) -> str | None:
    """Return namespaces or tracks as JSON: those that are kept, and the new ones."""
    values = [each for each in uploaded if each is not None]
    if stored is not None:
        values.insert(0, msgspec.json.decode(stored))
    if not values:
        return None
    joined = values[0]
    for more in values[1:]:
        if isinstance(joined, list) and isinstance(more, list):
            joined = joined + [each for each in more if each not in joined]
    return msgspec.json.encode(joined).decode()


def rows_from(annotations: AnnotationSet) -> store.Rows:
    """Return annotations as rows."""
    return {
        "denotations": hands.denotation_rows(annotations.denotations),
        "blocks": hands.denotation_rows(annotations.blocks),
        "relations": hands.relation_rows(annotations.relations),
        "attributes": hands.attribute_rows(annotations.attributes),
    }


def annotations_from(rows: store.Rows) -> AnnotationSet:
    """Return rows as annotations."""
    return hands.from_rows(
        rows["denotations"], rows["blocks"], rows["relations"], rows["attributes"]
    )
