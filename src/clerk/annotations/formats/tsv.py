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

from clerk.annotations.objects import CheckedObject

HEADER = "sourcedb\tsourceid\tkind\tid\tsubject\tpredicate\tobject\tquote\n"

_ESCAPES = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
_ESCAPED = re.compile(r"[\\\t\n\r]")
_UNESCAPED = re.compile(r"\\(.)")
_MEANINGS = {"t": "\t", "n": "\n", "r": "\r"}


def dump(found: CheckedObject) -> str:
    """Return the rows of a document; the header is `HEADER`."""
    rows = [("text", "", "", "", "", found.text)]
    if found.namespaces is not None:
        rows.append(("namespaces", "", "", "", _written(found.namespaces), ""))
    for kind, denotations in (("denotation", found.denotations), ("block", found.blocks)):
        for each in denotations:
            spans = ",".join(f"{span.begin}-{span.end}" for span in each.spans)
            quote = " ".join(found.text[span.begin : span.end] for span in each.spans)
            rows.append((kind, each.id or "", spans, "denotes", _written(each.obj), quote))
    for relation in found.relations:
        ends = (relation.subj, relation.pred, relation.obj)
        rows.append(("relation", relation.id or "", *ends, ""))
    for attribute in found.attributes:
        said = (attribute.subj, attribute.pred, _written(attribute.obj))
        rows.append(("attribute", attribute.id or "", *said, ""))
    return "".join(
        "\t".join(
            _ESCAPED.sub(lambda match: _ESCAPES[match[0]], cell)
            for cell in (found.sourcedb, found.sourceid, *cells)
        )
        + "\n"
        for cells in rows
    )


def _written(value: Any) -> str:
    if isinstance(value, str) and not value.startswith("="):
        return value
    return "=" + msgspec.json.encode(value).decode()


def _read(cell: str) -> Any:
    return msgspec.json.decode(cell[1:]) if cell.startswith("=") else cell


def load(content: bytes) -> Iterator[dict[str, Any]]:
    """Yield the objects of rows; the rows of a document are consecutive."""
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
        kind, name, subject, pred, obj, quote = (cells[2:] + [""] * 6)[:6]
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
                edges = (written.partition("-") for written in subject.split(","))
                spans = [{"begin": _number(begin), "end": _number(end)} for begin, _, end in edges]
                placed = {"id": name, "span": spans, "obj": _read(obj)}
                found.setdefault(f"{kind}s", []).append(placed)
    if found:
        yield found


def _number(written: str) -> int | str:
    return int(written) if written.isascii() and written.isdigit() else written
