"""Answers for everybody: JSON, CSV, XML and plain text in which every text has passed the gate.

Handlers of public addresses answer with these and with :func:`clerk.web.rendering.page`, never with
a response of their own making (a test sees to it).  The words of documents are marked as such by
:func:`clerk.core.public_text.document_text` and pass as they are.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from xml.etree import ElementTree as Xml

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from clerk.core.public_text import Gate


def gate_of(request: Request) -> Gate:
    """Return the gate of the application."""
    gate: Gate = request.app.state.gate
    return gate


def as_json(
    request: Request, value: Any, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Answer with plain values (dictionaries, lists, texts, numbers)."""
    return JSONResponse(gate_of(request).clean(value), status, headers=headers)


def as_csv(
    request: Request, columns: Sequence[str], rows: Iterable[Mapping[str, Any]], name: str
) -> Response:
    """Answer with a table to be saved; text that a spreadsheet would run is disarmed."""
    gate, out = gate_of(request), io.StringIO()
    writer = csv.writer(out)
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_disarmed(str(gate.clean(row[column]))) for column in columns])
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(out.getvalue(), media_type="text/csv; charset=utf-8", headers=headers)


def _disarmed(text: str) -> str:
    """Return text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def as_xml(request: Request, root: Xml.Element, media_type: str) -> Response:
    """Answer with a feed or another file for programs."""
    gate = gate_of(request)
    for element in root.iter():
        if element.text:
            element.text = _storable(gate(element.text))
        for name, value in element.attrib.items():
            element.set(name, gate(value))
    content = Xml.tostring(root, encoding="utf-8", xml_declaration=True)
    return Response(content, media_type=media_type)


def _storable(text: str) -> str:
    """Return the text without characters that XML cannot hold."""
    return "".join(letter if letter >= " " or letter in "\t\n\r" else " " for letter in text)


def as_text(request: Request, text: str) -> Response:
    """Answer with plain text, line by line."""
    return PlainTextResponse("\n".join(map(gate_of(request), text.split("\n"))))


def for_operators(
    value: Any, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Answer somebody who is logged in: with paths; secrets are removed as everywhere."""
    return JSONResponse(value, status, headers=headers)
