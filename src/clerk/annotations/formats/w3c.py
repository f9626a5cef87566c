"""W3C Web Annotation as JSON-LD: one AnnotationPage for a document.

Denotations are annotations with the motivation ``tagging``, blocks ``classifying``, relations
``linking``, attributes ``describing``.  Positions are code points, as the recommendation says; each
comes with its quote.  What the recommendation has no terms for (the text, predicates) has names in
clerk's own vocabulary, so that a page can be read back completely.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from clerk.annotations.objects import CheckedObject

_CONTEXT = ["http://www.w3.org/ns/anno.jsonld", {"@vocab": "urn:clerk:annotations:"}]
_page = msgspec.json.Decoder(dict[str, Any])
_LISTS = {
    "tagging": "denotations",
    "classifying": "blocks",
    "linking": "relations",
    "describing": "attributes",
}


#: So much text before and after a quote comes with it.
CONTEXT = 32


@dataclass(frozen=True)
class Origin:
    """The address of a document, and who made the annotations on it and when."""

    address: str
    creator: str | None = None
    created_at: datetime | None = None

    def facts(self) -> dict[str, Any]:
        """Return what is known of the origin of an annotation."""
        found: dict[str, Any] = {}
        if self.creator:
            found["creator"] = self.creator
        if self.created_at:
            found["created"] = self.created_at.isoformat()
        return found


def dump(found: CheckedObject) -> str:
    """Return the page as one line of JSON-LD."""
    origin = Origin(f"urn:clerk:{found.sourcedb}:{found.sourceid}")
    return msgspec.json.encode(to_page(found, origin)).decode() + "\n"


def to_page(found: CheckedObject, origin: Origin) -> dict[str, Any]:
    """Return the annotations of a document as a page of plain values."""
    source, facts = origin.address, origin.facts()
    # Ids are relative to the page where the document has no address.
    prefix = "" if source.startswith("urn:") else source
    items: list[dict[str, Any]] = []

    def add(name: str | None, motivation: str, body: Any, target: Any) -> None:
        items.append(
            {
                "type": "Annotation",
                "id": f"{prefix}#{name}",
                "motivation": motivation,
                **facts,
                "body": body,
                "target": target,
            }
        )

    for motivation, denotations in (("tagging", found.denotations), ("classifying", found.blocks)):
        for each in denotations:
            pieces: list[dict[str, Any]] = [
                {
                    "source": source,
                    "selector": [
                        {"type": "TextPositionSelector", "start": span.begin, "end": span.end},
                        {
                            "type": "TextQuoteSelector",
                            "exact": found.text[span.begin : span.end],
                            "prefix": found.text[max(0, span.begin - CONTEXT) : span.begin],
                            "suffix": found.text[span.end : span.end + CONTEXT],
                        },
                    ],
                }
                for span in each.spans
            ]
            target = pieces[0] if len(pieces) == 1 else {"type": "Composite", "items": pieces}
            add(each.id, motivation, _body(each.obj), target)
    for relation in found.relations:
        ends = [f"{prefix}#{relation.subj}", f"{prefix}#{relation.obj}"]
        add(relation.id, "linking", _body(relation.pred), ends)
    for attribute in found.attributes:
        body = {**_body(attribute.obj), "predicate": attribute.pred}
        add(attribute.id, "describing", body, f"{prefix}#{attribute.subj}")
    page: dict[str, Any] = {
        "@context": _CONTEXT,
        "type": "AnnotationPage",
        "id": source,
        "sourcedb": found.sourcedb,
        "sourceid": found.sourceid,
        "text": found.text,
        "items": items,
    }
    if found.namespaces is not None:
        page["namespaces"] = found.namespaces
    return page


def _body(value: Any) -> dict[str, Any]:
    if isinstance(value, str):
        return {"type": "TextualBody", "value": value, "format": "text/plain"}
    shown = msgspec.json.encode(value).decode()
    return {"type": "TextualBody", "value": shown, "format": "application/json"}


def load(content: bytes) -> Iterator[dict[str, Any]]:
    """Yield the objects of pages: one page on each line, or one page in all.

    A foreign page must have ``text``, ``sourcedb`` and ``sourceid``; checking reports it if not.
    Raises ValueError for an object that is not a page.
    """
    try:
        pages = [_page.decode(content)]
    except msgspec.DecodeError:
        pages = _page.decode_lines(content)
    for page in pages:
        found: dict[str, Any] = {
            key: page[key] for key in ("sourcedb", "sourceid", "text", "namespaces") if key in page
        }
        if not isinstance(page.get("items"), list):
            raise ValueError("an AnnotationPage has a list of 'items'")
        found["denotations"] = []
        for item in page["items"]:
            kind = _LISTS.get(item.get("motivation", "tagging"), "denotations")
            body, target = item["body"], item["target"]
            value: dict[str, Any] = {}
            if item.get("id"):
                value["id"] = _name(item["id"])
            if kind == "relations":
                subj, obj = map(_name, target)
                value |= {"subj": subj, "pred": _read_body(body), "obj": obj}
            elif kind == "attributes":
                value |= {"subj": _name(target), "pred": body["predicate"]}
                value["obj"] = _read_body(body)
            else:
                pieces = target["items"] if target.get("type") == "Composite" else [target]
                spans = []
                for piece in pieces:
                    selectors = piece["selector"]
                    listed = selectors if isinstance(selectors, list) else [selectors]
                    positions = (
                        {"begin": each["start"], "end": each["end"]}
                        for each in listed
                        if each.get("type") == "TextPositionSelector"
                    )
                    spans.append(next(positions, None))
                value["span"] = spans if len(spans) > 1 else spans[0]
                value["obj"] = _read_body(body)
            found.setdefault(kind, []).append(value)
        yield found


def _name(iri: str) -> str:
    return iri.rpartition("#")[2]


def _read_body(body: Any) -> Any:
    if isinstance(body, list):
        return _read_body(body[0])
    if isinstance(body, str):
        return body
    if body.get("format") == "application/json":
        return msgspec.json.decode(body["value"])
    return body.get("value", body.get("source", body.get("id")))
