"""spaCy's JSON lines: a text and its entities, one document a line.

Written are ``text``, ``ents`` (start, end, label, id; a discontinuous mention is several with one
id) and in ``meta`` what spaCy has no place for.  Read are also ``spans`` as Prodigy writes them and
``entities`` as triples.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from clerk.annotations.model import CheckedObject

from .pubannotation import to_value

_line = msgspec.json.Decoder(dict[str, Any])
_IN_META = ("sourcedb", "sourceid", "blocks", "relations", "attributes", "namespaces")


def dump(found: CheckedObject) -> str:
    """Return the document as one line of JSON."""
    value = to_value(found)
    entities = [
        {"start": span.begin, "end": span.end, "label": each.obj, "id": each.id}
        for each in found.denotations
        for span in each.spans
    ]
    meta = {key: value[key] for key in _IN_META if key in value}
    whole = {"text": found.text, "ents": entities, "meta": meta}
    return msgspec.json.encode(whole).decode() + "\n"


def load(content: bytes) -> Iterator[dict[str, Any]]:
    """Give the objects of the lines."""
    for line in _line.decode_lines(content):
        meta = line.get("meta") or {}
        found = {key: meta[key] for key in _IN_META if key in meta}
        yield {**found, "text": line.get("text"), "denotations": _denotations(line)}


def _denotations(line: dict[str, Any]) -> list[dict[str, Any]]:
    by_id: dict[Any, dict[str, Any]] = {}
    for number, (start, end, label, name) in enumerate(_entities(line)):
        span = {"begin": start, "end": end}
        key = name if name is not None else number
        if key in by_id:
            by_id[key]["span"].append(span)
        else:
            by_id[key] = {"id": name, "span": [span], "obj": label}
    return list(by_id.values())


def _entities(line: dict[str, Any]) -> Iterator[tuple[Any, Any, Any, Any]]:
    for each in line.get("ents") or line.get("spans") or line.get("entities") or []:
        if isinstance(each, dict):
            yield each.get("start"), each.get("end"), each.get("label"), each.get("id") or None
        else:
            start, end, label = each[:3]
            yield start, end, label, None
