"""Annotations as rows of a table, and back: tuples ready for COPY and executemany.

=============  ==================================================================================
denotations    id, begin, end, pieces, obj, value
relations      id, subj, pred, obj
attributes     id, subj, pred, value
=============  ==================================================================================

Blocks have the rows of denotations.  ``begin`` and ``end`` are the outermost of a discontinuous
mention; ``pieces`` is then the JSON list of its spans, else None.  ``obj`` is the label; ``value``
is its JSON where the label is not a string, else None.  The value of an attribute is always JSON.
Whatever is given as key (document, project ...) comes first in every row.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from .model import AnnotationSet, Attribute, Denotation, Relation, Span

Row = tuple[Any, ...]

_encode = msgspec.json.Encoder().encode


def denotation_rows(denotations: list[Denotation], *key: Any) -> list[Row]:
    """Return a row for each denotation or block."""
    plain = {type(each.span) for each in denotations} <= {Span}
    if plain and {type(each.obj) for each in denotations} <= {str}:
        return [
            (*key, each.id, (span := each.span).begin, span.end, None, each.obj, None)  # type: ignore[union-attr]
            for each in denotations
        ]
    return [(*key, *_denotation_row(each)) for each in denotations]


def _denotation_row(found: Denotation) -> Row:
    spans = found.spans
    begin, end = min(span.begin for span in spans), max(span.end for span in spans)
    pieces = _json([(span.begin, span.end) for span in spans]) if len(spans) > 1 else None
    if isinstance(found.obj, str):
        return found.id, begin, end, pieces, found.obj, None
    value = _json(found.obj)
    return found.id, begin, end, pieces, value, value


def relation_rows(relations: list[Relation], *key: Any) -> list[Row]:
    """Return a row for each relation."""
    return [(*key, each.id, each.subj, each.pred, each.obj) for each in relations]


def attribute_rows(attributes: list[Attribute], *key: Any) -> list[Row]:
    """Return a row for each attribute."""
    return [(*key, each.id, each.subj, each.pred, _json(each.obj)) for each in attributes]


def from_rows(
    denotations: Iterable[Row],
    blocks: Iterable[Row] = (),
    relations: Iterable[Row] = (),
    attributes: Iterable[Row] = (),
) -> AnnotationSet:
    """Return the annotations that rows without their keys stand for."""
    return AnnotationSet(
        denotations=[_denotation(*row) for row in denotations],
        blocks=[_denotation(*row) for row in blocks],
        relations=[Relation(id=name, subj=s, pred=p, obj=o) for name, s, p, o in relations],
        attributes=[
            Attribute(id=name, subj=subj, pred=pred, obj=msgspec.json.decode(value))
            for name, subj, pred, value in attributes
        ],
    )


def _denotation(
    name: str, begin: int, end: int, pieces: str | None, obj: str, value: str | None
) -> Denotation:
    span: Any = Span(begin, end)
    if pieces is not None:
        span = [Span(*piece) for piece in msgspec.json.decode(pieces)]
    return Denotation(span, obj if value is None else msgspec.json.decode(value), name)


def _json(value: Any) -> str:
    return _encode(value).decode()
