"""PubAnnotation's JSON: the format everything else is turned into and made from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from clerk.annotations.objects import CheckedObject, Denotation, Span
from clerk.annotations.store import Annotated, Values


def to_value(found: CheckedObject) -> dict[str, Any]:
    """Return the object as plain values, in the order people know; empty lists are left out."""
    value: dict[str, Any] = {
        "sourcedb": found.sourcedb,
        "sourceid": found.sourceid,
        "text": found.text,
        "denotations": _denotations(found.denotations),
        "blocks": _denotations(found.blocks),
        "relations": [
            {"id": each.id, "pred": each.pred, "subj": each.subj, "obj": each.obj}
            for each in found.relations
        ],
        "attributes": [
            {"id": each.id, "subj": each.subj, "pred": each.pred, "obj": each.obj}
            for each in found.attributes
        ],
        "namespaces": found.namespaces,
        "tracks": found.tracks,
    }
    for key in ("blocks", "relations", "attributes"):
        if not value[key]:
            del value[key]
    for key in ("namespaces", "tracks"):
        if value[key] is None:
            del value[key]
    return value


def dump(found: CheckedObject) -> str:
    """Return the object as one line of JSON; what is read from it is the same object."""
    return msgspec.json.encode(to_value(found)).decode() + "\n"


def _denotations(found: list[Denotation]) -> list[dict[str, Any]]:
    return [
        {
            "id": each.id,
            "span": {"begin": span.begin, "end": span.end}
            if type(span := each.span) is Span
            else [_span(piece) for piece in each.spans],
            "obj": each.obj,
        }
        for each in found
    ]


def _span(span: Span) -> dict[str, int]:
    return {"begin": span.begin, "end": span.end}


class _WrittenSpan(msgspec.Struct, gc=False):
    begin: int
    end: int


class _WrittenDenotation(msgspec.Struct, gc=False):
    id: str
    span: _WrittenSpan | list[_WrittenSpan]
    obj: Any


class _WrittenRelation(msgspec.Struct, gc=False):
    id: str
    pred: str
    subj: str
    obj: str


class _WrittenAttribute(msgspec.Struct, gc=False):
    id: str
    subj: str
    pred: str
    obj: msgspec.Raw


class _WrittenObject(msgspec.Struct, gc=False, kw_only=True):
    sourcedb: str
    sourceid: str
    text: str
    denotations: list[_WrittenDenotation]
    blocks: list[_WrittenDenotation] | msgspec.UnsetType = msgspec.UNSET
    relations: list[_WrittenRelation] | msgspec.UnsetType = msgspec.UNSET
    attributes: list[_WrittenAttribute] | msgspec.UnsetType = msgspec.UNSET
    namespaces: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    tracks: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


_encode = msgspec.json.Encoder().encode


def dump_rows(found: Annotated) -> bytes:
    """Return a stored document as one line of JSON, as `dump` does, straight from its rows."""
    relations, attributes = found.rows["relations"], found.rows["attributes"]
    head = found.head
    written = _WrittenObject(
        sourcedb=found.key[0],
        sourceid=found.key[1],
        text=found.text,
        denotations=_written(found.rows["denotations"]),
        blocks=_written(found.rows["blocks"]) or msgspec.UNSET,
        relations=[_WrittenRelation(name, pred, subj, obj) for name, subj, pred, obj in relations]
        or msgspec.UNSET,
        attributes=[
            _WrittenAttribute(name, subj, pred, msgspec.Raw(value))
            for name, subj, pred, value in attributes
        ]
        or msgspec.UNSET,
        namespaces=msgspec.UNSET if head.namespaces is None else msgspec.Raw(head.namespaces),
        tracks=msgspec.UNSET if head.tracks is None else msgspec.Raw(head.tracks),
    )
    return _encode(written) + b"\n"


def _written(rows: Sequence[Values]) -> list[_WrittenDenotation]:
    return [
        _WrittenDenotation(
            name,
            _WrittenSpan(begin, end)
            if pieces is None
            else [_WrittenSpan(*piece) for piece in msgspec.json.decode(pieces)],
            obj if value is None else msgspec.Raw(value),
        )
        for name, begin, end, pieces, obj, value in rows
    ]
