"""Decoding and checking one annotation object, fast.

Two paths with one verdict.  This one decodes straight into the structs of `model` and asks a few
questions of whole lists at once; whatever it does not like goes to `careful`, which finds the exact
message, or accepts what is merely unusual.
"""

from __future__ import annotations

from collections.abc import Set
from types import NoneType
from typing import Any

import msgspec

from .careful import MAX_DEPTH, depth_of, examine, is_blank, number_missing, source_name
from .model import LISTS, Attribute, CheckedObject, Denotation, Issue, Relation

_SCALARS = frozenset((str, int, float, bool, NoneType))

#: Labels and predicates that were found good; they are looked up more often than anything else.
_known_labels: set[str] = set()
_MAX_KNOWN_LABELS = 10_000


class _Upload(msgspec.Struct, gc=False, kw_only=True, forbid_unknown_fields=True):
    """What is decoded: the fields of an object, and common ones that are not stored.

    Any other field is the careful path's business: it refuses it, or checks how deep it is.
    """

    sourcedb: str
    sourceid: str
    text: str
    denotations: list[Denotation] | None = None
    blocks: list[Denotation] | None = None
    relations: list[Relation] | None = None
    attributes: list[Attribute] | None = None
    namespaces: Any = None
    tracks: Any = None
    modifications: Any = None
    target: str | None = None
    project: str | None = None
    divid: str | int | None = None
    section: str | None = None
    source_url: str | None = None


_decoder = msgspec.json.Decoder(_Upload)


def decode(data: bytes, *, file: str = "", line: int = 0) -> CheckedObject | Issue:
    """Return the object in these bytes with every id given, or the issue that keeps it out."""
    try:
        written = _decoder.decode(data)
        found = CheckedObject(
            sourcedb=source_name(written.sourcedb),
            sourceid=written.sourceid,
            text=written.text,
            denotations=written.denotations or [],
            blocks=written.blocks or [],
            relations=written.relations or [],
            attributes=written.attributes or [],
            namespaces=written.namespaces,
            tracks=written.tracks,
            given=frozenset([key for key in LISTS if getattr(written, key) is not None]),
            file=file,
            line=line,
        )
        if written.modifications is None and b"\\u0000" not in data and _is_sound(found):
            return found
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, TypeError):
        pass
    return examine(data, file, line)


def _is_sound(found: CheckedObject) -> bool:
    """Whether nothing about the object is wrong or unusual; gives missing ids on the way."""
    return (
        _has_plain_head(found)
        and _has_plain_spans(found.denotations, len(found.text))
        and _has_plain_spans(found.blocks, len(found.text))
        and _has_resolved_references(found)
    )


def _has_plain_head(found: CheckedObject) -> bool:
    return (
        not is_blank(found.sourcedb)
        and not is_blank(found.sourceid)
        and not is_blank(found.text)
        and (found.tracks is None or depth_of(found.tracks) < MAX_DEPTH)
        and (found.namespaces is None or depth_of(found.namespaces) < MAX_DEPTH)
    )


def _has_plain_spans(denotations: list[Denotation], length: int) -> bool:
    if not denotations:
        return True
    spans: Any = [each.span for each in denotations]
    if list in set(map(type, spans)):
        if [] in spans:
            return False
        _unwrap_single(denotations)
        spans = [span for each in denotations for span in each.spans]
    return False not in [span.begin < span.end <= length for span in spans] and _are_plain_labels(
        {each.obj for each in denotations}
    )


def _unwrap_single(denotations: list[Denotation]) -> None:
    for each in denotations:
        if isinstance(each.span, list) and len(each.span) == 1:
            each.span = each.span[0]


def _are_plain_labels(labels: set[Any]) -> bool:
    """Whether all are strings that say something; remembers them, for collections have few."""
    if labels <= _known_labels:
        return True
    if any(type(label) is not str or is_blank(label) for label in labels):
        return False
    if len(_known_labels) < _MAX_KNOWN_LABELS:
        _known_labels.update(labels)
    return True


def _has_resolved_references(found: CheckedObject) -> bool:
    ids = _give_ids(found.denotations, "T", frozenset())
    if ids is None or not _are_plain_relations(found.relations, ids):
        return False
    for some, letter in ((found.blocks, "B"), (found.relations, "R")):
        if some and ids is not None:
            ids = _give_ids(some, letter, ids)
    return ids is not None and _are_plain_attributes(found.attributes, ids)


def _are_plain_relations(relations: list[Relation], ids: set[str]) -> bool:
    return not relations or (
        ids.issuperset([each.subj for each in relations])
        and ids.issuperset([each.obj for each in relations])
        and _are_plain_labels({each.pred for each in relations})
    )


def _are_plain_attributes(attributes: list[Attribute], ids: set[str]) -> bool:
    if not attributes:
        return True
    types = {type(each.obj) for each in attributes}
    if not types <= _SCALARS or not ids.issuperset([each.subj for each in attributes]):
        return False
    if NoneType in types:
        for each in attributes:
            each.obj = True if each.obj is None else each.obj
    return (
        _are_plain_labels({each.pred for each in attributes})
        and _give_ids(attributes, "A", frozenset()) is not None
    )


def _give_ids(annotations: list[Any], letter: str, taken: Set[str]) -> set[str] | None:
    """Number what has no id; return all ids with those taken, or None if one comes twice."""
    ids = {each.id for each in annotations}
    if None in ids or "" in ids:
        ids = set(number_missing(annotations, letter, taken))
    if len(ids) != len(annotations) or not ids.isdisjoint(taken):
        return None
    ids.update(taken)
    return ids
