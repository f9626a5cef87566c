"""W3C Web Annotation as JSON-LD: one AnnotationPage for a document.

Denotations are annotations with the motivation ``tagging``, blocks ``classifying``, relations
``linking``, attributes ``describing``.  Positions are code points, as the recommendation says; each
comes with its quote.  What the recommendation has no words for (the text, predicates) has names in
clerk's own vocabulary, so that a page can be read back whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from clerk.annotations.model import CheckedObject, Denotation, Span

_CONTEXT = ["http://www.w3.org/ns/anno.jsonld", {"@vocab": "urn:clerk:annotations:"}]
_page = msgspec.json.Decoder(dict[str, Any])
_LISTS = {
    "tagging": "denotations",
    "classifying": "blocks",
    "linking": "relations",
    "describing": "attributes",
}


def dump(found: CheckedObject) -> str:
    """Return the page as one line of JSON-LD."""
    page = {
        "@context": _CONTEXT,
        "type": "AnnotationPage",
        "id": f"urn:clerk:{found.sourcedb}:{found.sourceid}",
        "sourcedb": found.sourcedb,
        "sourceid": found.sourceid,
        "text": found.text,
        "items": list(_items(found)),
    }
    if found.namespaces is not None:
        page["namespaces"] = found.namespaces
    return msgspec.json.encode(page).decode() + "\n"


def _items(found: CheckedObject) -> Iterator[dict[str, Any]]:
    source = f"urn:clerk:{found.sourcedb}:{found.sourceid}"
    for motivation, denotations in (("tagging", found.denotations), ("classifying", found.blocks)):
        for each in denotations:
            target = _target(each, found.text, source)
            yield _item(each.id, motivation, _body(each.obj), target)
    for relation in found.relations:
        ends = [f"#{relation.subj}", f"#{relation.obj}"]
        yield _item(relation.id, "linking", _body(relation.pred), ends)
    for attribute in found.attributes:
        body = {**_body(attribute.obj), "predicate": attribute.pred}
        yield _item(attribute.id, "describing", body, f"#{attribute.subj}")


def _item(name: str | None, motivation: str, body: Any, target: Any) -> dict[str, Any]:
    return {
        "type": "Annotation",
        "id": f"#{name}",
        "motivation": motivation,
        "body": body,
        "target": target,
    }


def _body(value: Any) -> dict[str, Any]:
    if isinstance(value, str):
        return {"type": "TextualBody", "value": value, "format": "text/plain"}
    shown = msgspec.json.encode(value).decode()
    return {"type": "TextualBody", "value": shown, "format": "application/json"}


def _target(found: Denotation, text: str, source: str) -> dict[str, Any]:
    pieces = [_piece(span, text, source) for span in found.spans]
    return pieces[0] if len(pieces) == 1 else {"type": "Composite", "items": pieces}


def _piece(span: Span, text: str, source: str) -> dict[str, Any]:
    return {
        "source": source,
        "selector": [
            {"type": "TextPositionSelector", "start": span.begin, "end": span.end},
            {"type": "TextQuoteSelector", "exact": text[span.begin : span.end]},
        ],
    }


def load(content: bytes) -> Iterator[dict[str, Any]]:
    """Give the objects of pages, one page a line or one in all.

    A foreign page must carry ``text``, ``sourcedb`` and ``sourceid``; checking says so if not.
    """
    for page in _pages(content):
        found: dict[str, Any] = {
            key: page[key] for key in ("sourcedb", "sourceid", "text", "namespaces") if key in page
        }
        if "items" in page:
            found["denotations"] = []
        for item in page.get("items", []):
            kind = _LISTS.get(item.get("motivation", "tagging"), "denotations")
            found.setdefault(kind, []).append(_READERS[kind](item))
        yield found


def _pages(content: bytes) -> Iterator[dict[str, Any]]:
    try:
        yield _page.decode(content)
    except msgspec.DecodeError:
        yield from _page.decode_lines(content)


def _read_denotation(item: dict[str, Any]) -> dict[str, Any]:
    target = item["target"]
    pieces = target["items"] if target.get("type") == "Composite" else [target]
    spans = [_read_span(piece) for piece in pieces]
    found = {"span": spans if len(spans) > 1 else spans[0], "obj": _read_body(item["body"])}
    return _named(item, found)


def _read_span(piece: dict[str, Any]) -> dict[str, Any] | None:
    selectors = piece["selector"]
    for selector in selectors if isinstance(selectors, list) else [selectors]:
        if selector.get("type") == "TextPositionSelector":
            return {"begin": selector["start"], "end": selector["end"]}
    return None


def _read_relation(item: dict[str, Any]) -> dict[str, Any]:
    subj, obj = (end.removeprefix("#") for end in item["target"])
    return _named(item, {"subj": subj, "pred": _read_body(item["body"]), "obj": obj})


def _read_attribute(item: dict[str, Any]) -> dict[str, Any]:
    body = item["body"]
    subj = item["target"].removeprefix("#")
    return _named(item, {"subj": subj, "pred": body["predicate"], "obj": _read_body(body)})


def _named(item: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    return {"id": item["id"].removeprefix("#"), **found} if item.get("id") else found


def _read_body(body: Any) -> Any:
    if isinstance(body, list):
        return _read_body(body[0])
    if isinstance(body, str):
        return body
    if body.get("format") == "application/json":
        return msgspec.json.decode(body["value"])
    return body.get("value", body.get("source", body.get("id")))


_READERS = {
    "denotations": _read_denotation,
    "blocks": _read_denotation,
    "relations": _read_relation,
    "attributes": _read_attribute,
}
