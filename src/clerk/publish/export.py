"""Writing the contents of a compiled site in formats others read.

Rows come out in a fixed order, one at a time, so that a large site needs little memory and the same
content gives the same bytes.  What is written is public, whoever compiled the site: every column
but the words of the documents passes the gate (:mod:`clerk.core.public_text`).
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import sqlite3
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

from clerk.core import config
from clerk.core.public_text import Gate
from clerk.site_db import database_path, schema

_PAGES = """
SELECT id, '{kind}' AS kind, document, meeting, date, page, text, method, confidence FROM {kind}
"""
QUERIES = {
    "pages": " UNION ALL ".join(_PAGES.format(kind=kind) for kind in ("agendas", "minutes"))
    + " ORDER BY document, page",
    "documents": """
        SELECT name, id, kind, meeting, date, pages, method, confidence, failed_pages, sha256,
               bytes, source_url, fetched_at, gone_at
        FROM documents ORDER BY name""",
    "votes": """
        SELECT votes.id, document AS doc, start, "end", page, meeting, date, item, motion, mover,
               seconder, result, result_text, vote_type,
               {ballots}, tally, unanimous, flags, quote, confidence
        FROM votes ORDER BY document, start, votes.id""",
    "entities": """
        SELECT id, document AS doc, start, "end", page, type, text, value, role
        FROM entities ORDER BY document, start, id""",
}
_BALLOTS = {
    "ayes": "aye",
    "noes": "no",
    "abstain": "abstain",
    "absent": "absent",
    "recused": "recused",
}
_NAMES = """
(SELECT json_group_array(member) FROM vote_members WHERE vote = votes.id AND ballot = '{ballot}')
"""
QUERIES["votes"] = QUERIES["votes"].format(
    ballots=", ".join(
        f"{_NAMES.format(ballot=ballot)} AS {name}" for name, ballot in _BALLOTS.items()
    )
)
#: Columns with the words of documents.
_AS_READ = schema.AS_READ | _BALLOTS.keys()
#: Columns that hold JSON; they are nested in JSON and stay text in CSV.
_JSON_COLUMNS = frozenset((*_BALLOTS, "tally", "flags", "failed_pages"))
_ZIPPED = ("pages", "documents", "votes", "entities")

Row = dict[str, Any]


def export(folder: Path, out: IO[bytes], kind: str = "jsonl", table: str = "pages") -> int:
    """Write a table of the compiled site as csv, jsonl, json, txt, or all of them as a zip."""
    gate = Gate(config.load())
    with contextlib.closing(schema.open_readonly(database_path(folder))) as connection:
        if kind == "zip":
            return _write_zip(connection, gate, out)
        return _WRITERS[kind](_Rows(connection, gate, table), out)


class _Rows:
    """The rows of a table as anybody may read them, counted as they are taken."""

    def __init__(self, connection: sqlite3.Connection, gate: Gate, table: str) -> None:
        self._cursor = connection.execute(QUERIES[table])
        self._gate = gate
        self.columns = [column[0] for column in self._cursor.description]
        self.taken = 0

    def __iter__(self) -> Iterator[Row]:
        for row in self._cursor:
            self.taken += 1
            yield {
                name: value if name in _AS_READ else self._public(name, value)
                for name, value in zip(self.columns, row, strict=True)
            }

    def _public(self, name: str, value: Any) -> Any:
        if name == "source_url":
            return self._gate.source(value)
        if name in _JSON_COLUMNS and value:
            public = self._gate.clean(json.loads(value))
            return json.dumps(public, ensure_ascii=False, separators=(",", ":"))
        return self._gate.clean(value)


def _nested(row: Row) -> Row:
    return {
        name: json.loads(value) if name in _JSON_COLUMNS and value else value
        for name, value in row.items()
    }


def _write_jsonl(rows: _Rows, out: IO[bytes]) -> int:
    for row in rows:
        out.write(json.dumps(_nested(row), ensure_ascii=False).encode() + b"\n")
    return rows.taken


def _write_json(rows: _Rows, out: IO[bytes]) -> int:
    for row in rows:
        out.write(b"[\n" if rows.taken == 1 else b",\n")
        out.write(json.dumps(_nested(row), ensure_ascii=False).encode())
    out.write(b"\n]\n" if rows.taken else b"[]\n")
    return rows.taken


def _write_csv(rows: _Rows, out: IO[bytes]) -> int:
    text = io.TextIOWrapper(out, encoding="utf-8", newline="", write_through=True)
    writer = csv.DictWriter(text, rows.columns)
    writer.writeheader()
    for row in rows:
        writer.writerow({name: _harmless(value) for name, value in row.items()})
    text.detach()
    return rows.taken


def _harmless(value: Any) -> Any:
    """Return a cell that a spreadsheet does not take for a formula."""
    return f"'{value}" if isinstance(value, str) and value[:1] in "=+-@\t\r" and value else value


def _write_txt(rows: _Rows, out: IO[bytes]) -> int:
    """Write what reads best: the text of pages below their address, other rows as lines."""
    for row in rows:
        if "method" in row and "text" in row:
            head = f"=== {row['document']} page {row['page']} ===\n"
            out.write(f"{head}{row['text'].rstrip()}\n\n".encode())
        else:
            cells = ("" if value is None else str(value) for value in row.values())
            out.write("\t".join(" ".join(cell.split()) for cell in cells).encode() + b"\n")
    return rows.taken


def _write_zip(connection: sqlite3.Connection, gate: Gate, out: IO[bytes]) -> int:
    """Write the text of every page as a file of its own, and all tables as CSV and JSON lines."""
    written = 0
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for row in _Rows(connection, gate, "pages"):
            with archive.open(_entry(f"txt/{row['document']}/page-{row['page']}.txt"), "w") as file:
                file.write(row["text"].encode())
            written += 1
        for table in _ZIPPED:
            for kind in ("csv", "jsonl"):
                with archive.open(_entry(f"{table}.{kind}"), "w", force_zip64=True) as file:
                    _WRITERS[kind](_Rows(connection, gate, table), file)
    return written


def _entry(name: str) -> zipfile.ZipInfo:
    """Return an entry with a fixed time, so that the same content gives the same bytes."""
    entry = zipfile.ZipInfo(name)
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


_WRITERS: dict[str, Callable[[_Rows, IO[bytes]], int]] = {
    "csv": _write_csv,
    "jsonl": _write_jsonl,
    "json": _write_json,
    "txt": _write_txt,
}
