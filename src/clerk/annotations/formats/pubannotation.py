"""PubAnnotation's JSON: the format everything else is turned into and made from."""

from __future__ import annotations

from typing import Any

import msgspec

from clerk.annotations.model import CheckedObject, Denotation, Span


def to_value(found: CheckedObject) -> dict[str, Any]:
    """Return the object as plain values, in the order people know; empty lists are left out."""
    value: dict[str, Any] = {
        "sourcedb": found.sourcedb,
        "sourceid": found.sourceid,
        "text": found.text,
        "denotations": [_denotation(each) for each in found.denotations],
        "blocks": [_denotation(each) for each in found.blocks],
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


def _denotation(found: Denotation) -> dict[str, Any]:
    span = found.span
    place = _span(span) if isinstance(span, Span) else [_span(each) for each in span]
    return {"id": found.id, "span": place, "obj": found.obj}


def _span(span: Span) -> dict[str, int]:
    return {"begin": span.begin, "end": span.end}
