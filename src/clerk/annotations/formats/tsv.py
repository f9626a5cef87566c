"""Tab-separated rows, one for the text of a document and one for each annotation.

Tabs, line ends and backslashes in a cell are written with a backslash before t, n, r or another
backslash.  Values that are not strings are written as JSON after an equals sign; a string that
begins with one is too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from clerk.annotations.model import CheckedObject, Denotation

HEADER = "sourcedb\tsourceid\tkind\tid\tsubject\tpredicate\tobject\tquote\n"

_ESCAPES = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
_ESCAPED = re.compile(r"[\\\t\n\r]")
_UNESCAPED = re.compile(r"\\(.)")
_MEANINGS = {"t": "\t", "n": "\n", "r": "\r"}


def dump(found: CheckedObject) -> str:
    """Return the rows of a document; the header is `HEADER`."""
    return "".join(_row(found.sourcedb, found.sourceid, *cells) for cells in _cells(found))


def _cells(found: CheckedObject) -> Iterator[tuple[str, ...]]:
    yield "text", "", "", "", "", found.text
    if found.namespaces is not None:
        yield "namespaces", "", "", "", _written(found.namespaces), ""
    for kind, denotations in (("denotation", found.denotations), ("block", found.blocks)):
        for each in denotations:
            quote = " ".join(found.text[span.begin : span.end] for span in each.spans)
            yield kind, each.id or "", _spans(each), "denotes", _written(each.obj), quote
    for relation in found.relations:
        yield "relation", relation.id or "", relation.subj, relation.pred, relation.obj, ""
    for attribute in found.attributes:
        value = _written(attribute.obj)
        yield "attribute", attribute.id or "", attribute.subj, attribute.pred, value, ""


def _spans(found: Denotation) -> str:
    return ",".join(f"{span.begin}-{span.end}" for span in found.spans)


def _row(*cells: str) -> str:
    return "\t".join(_ESCAPED.sub(lambda m: _ESCAPES[m[0]], cell) for cell in cells) + "\n"


def _written(value: Any) -> str:
    if isinstance(value, str) and not value.startswith("="):
        return value
    return "=" + msgspec.json.encode(value).decode()


def _read(cell: str) -> Any:
    return msgspec.json.decode(cell[1:]) if cell.startswith("=") else cell


def load(content: bytes) -> Iterator[dict[str, Any]]:
    """Give the objects of rows; a document's rows follow each other."""
    found: dict[str, Any] = {}
    for line in content.decode().replace("\r\n", "\n").split("\n"):
        if not line or f"{line}\n" == HEADER:
            continue
        cells = [_UNESCAPED.sub(lambda m: _MEANINGS.get(m[1], m[1]), c) for c in line.split("\t")]
        sourcedb, sourceid = cells[:2]
        if (sourcedb, sourceid) != (found.get("sourcedb"), found.get("sourceid")):
            if found:
                yield found
            found = {"sourcedb": sourcedb, "sourceid": sourceid, "denotations": []}
        _take(found, *(cells[2:] + [""] * 6)[:6])
    if found:
        yield found


def _take(
    found: dict[str, Any], kind: str, name: str, subject: str, pred: str, obj: str, quote: str
) -> None:
    match kind:
        case "text":
            found["text"] = quote
        case "namespaces":
            found["namespaces"] = _read(obj)
        case "relation":
            row = {"id": name, "subj": subject, "pred": pred, "obj": obj}
            found.setdefault("relations", []).append(row)
        case "attribute":
            row = {"id": name, "subj": subject, "pred": pred, "obj": _read(obj)}
            found.setdefault("attributes", []).append(row)
        case _:
            spans = [_read_span(span) for span in subject.split(",")]
            placed = {"id": name, "span": spans, "obj": _read(obj)}
            found.setdefault(f"{kind}s", []).append(placed)


def _read_span(written: str) -> dict[str, Any]:
    begin, _, end = written.partition("-")
    return {"begin": _number(begin), "end": _number(end)}


def _number(written: str) -> int | str:
    return int(written) if written.isascii() and written.isdigit() else written
