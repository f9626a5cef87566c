"""spaCy's JSON lines: a text and its entities, one document a line.

``dump`` writes ``text``, ``ents`` (start, end, label, id; a discontinuous mention is several with
one id) and, in ``meta``, what spaCy has no place for.  ``load`` also reads ``spans`` as Prodigy
writes them and ``entities`` as triples.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from clerk.annotations.objects import CheckedObject

from .pubannotation import to_value

_line = msgspec.json.Decoder(dict[str, Any])
_ENTITIES = ("ents", "spans", "entities")
#: What spaCy and Prodigy write next to them, and names that begin with an underscore.
_KNOWN = frozenset(
    ("text", *_ENTITIES, "meta", "tokens", "sents", "cats", "answer", "label", "options", "accept")
)
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
    """Yield the objects of the lines; a line without a list of entities has no denotations.

    Raises ValueError for a key that is not known: annotations may be under it.
    """
    for line in _line.decode_lines(content):
        unknown = sorted(key for key in line.keys() - _KNOWN if not key.startswith("_"))
        if unknown:
            raise ValueError(f"unknown key {unknown[0]!r}")
        meta = line.get("meta") or {}
        by_id: dict[Any, dict[str, Any]] = {}
        given = [line[key] or [] for key in _ENTITIES if key in line]
        for number, each in enumerate(next(filter(None, given), [])):
            name = None
            if isinstance(each, dict):
                start, end, label = each.get("start"), each.get("end"), each.get("label")
                name = each.get("id") or None
            else:
                start, end, label = each[:3]
            span = {"begin": start, "end": end}
            key = name if name is not None else number
            if key in by_id:
                by_id[key]["span"].append(span)
            else:
                by_id[key] = {"id": name, "span": [span], "obj": label}
        found = {key: meta[key] for key in _IN_META if key in meta}
        if given:
            found["denotations"] = list(by_id.values())
        yield {**found, "text": line.get("text")}
