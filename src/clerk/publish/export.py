"""Export the contents of a compiled site in common formats.

Rows come out in a fixed order, one at a time, so that a large site needs little memory and the same
content gives the same bytes.  What is written is public, whoever compiled the site: every column
but the words of the documents passes the gate (:mod:`clerk.core.public_text`).
"""

from __future__ import annotations

import codecs
import contextlib
import csv
import json
import sqlite3
import zipfile
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import IO, Any

from clerk.core.config import Settings
from clerk.core.public_text import Gate
from clerk.core.storage import compiled_database
from clerk.site_db import schema

_BALLOTS = {
    "ayes": "aye",
    "noes": "no",
    "abstain": "abstain",
    "absent": "absent",
    "recused": "recused",
}
_MEMBERS = ", ".join(
    "(SELECT json_group_array(member) FROM vote_members"
    f" WHERE vote = votes.id AND ballot = '{ballot}') AS {name}"
    for name, ballot in _BALLOTS.items()
)
_PLACE = 'id, document AS doc, meeting, date, page, start, "end", quote'
#: Whose name it is, if that is known.
_PERSON = """(SELECT person FROM person_names WHERE person_names.meeting = {0}.meeting
                AND person_names.printed_name = {0}.printed_name) AS person"""
QUERIES = {
    "pages": """
        SELECT id, kind, document, meeting, date, page, text, method, confidence FROM pages
        ORDER BY document, page""",
    "documents": """
        SELECT coalesce(source_url, name) AS file, date, meeting AS body, kind, title, name, id,
               file_name, sequence, pages, method, confidence, failed_pages, sha256, bytes,
               source_url, fetched_at, gone_at, evidence
        FROM documents ORDER BY name""",
    "parts": """
        SELECT coalesce(source_url, name) AS file, first_page, last_page, parts.kind,
               parts.meeting AS body, parts.date, parts.title, of_other_place, document,
               first_character, parts.evidence
        FROM parts JOIN documents ON documents.name = parts.document
        ORDER BY document, first_page, first_character""",
    "votes": f"""
        SELECT votes.id, document AS doc, start, "end", page, meeting, date, item, motion, mover,
               seconder, result, result_text, vote_type,
               {_MEMBERS}, tally, unanimous, flags, quote, confidence, item_title, consent_items,
               consent_exceptions, field_confidence, doubtful, doubts, corrected_fields,
               corrected_by, corrected_at, repeats
        FROM votes ORDER BY document, start, votes.id""",
    "entities": """
        SELECT id, document AS doc, start, "end", page, type, text, value, role
        FROM entities ORDER BY document, start, id""",
    "items": f"""
        SELECT {_PLACE}, item, item_title FROM agenda_items ORDER BY document, start, id""",
    "attendance": f"""
        SELECT {_PLACE}, printed_name, role, is_member, status, late, left_early, remote,
               {_PERSON.format("attendance")} FROM attendance ORDER BY document, start, id""",
    "speakers": f"""
        SELECT {_PLACE}, printed_name, side, item, item_title
        FROM speakers ORDER BY document, start, id""",
    "interests": f"""
        SELECT {_PLACE}, printed_name, kind, concerning, {_PERSON.format("interests")}
        FROM interests ORDER BY document, start, id""",
    "matters": """
        SELECT matter, kind, matter_number, matter_title, state, first_date, last_date, appearances
        FROM matters ORDER BY matter""",
    "matter_appearances": f"""
        SELECT {_PLACE}, matter, kind, matter_number, matter_title, action, continued_to, amounts,
               addresses, doubtful, (SELECT json_group_array(vote) FROM matter_votes
                                     WHERE appearance = matter_appearances.id) AS votes
        FROM matter_appearances ORDER BY matter, date, document, start, id""",
    "people": """
        SELECT person, meeting, printed_name, first_date, last_date,
               (SELECT json_group_array(json_array(first_date, last_date)) FROM person_terms
                WHERE person = people.person) AS terms,
               (SELECT json_group_array(printed_name) FROM person_names
                WHERE person = people.person) AS spellings
        FROM people ORDER BY person""",
    "person_names": """
        SELECT meeting, printed_name, person, times FROM person_names
        ORDER BY meeting, printed_name""",
}
#: Columns with the words of documents.
_AS_READ = schema.AS_READ | _BALLOTS.keys() | {"spellings"}
#: Columns that hold JSON; they are nested in JSON and stay text in CSV.
_JSON_COLUMNS = frozenset(
    (
        *(*_BALLOTS, "tally", "flags", "failed_pages", "consent_items", "consent_exceptions"),
        *(
            "field_confidence",
            "doubtful",
            "doubts",
            "evidence",
            "corrected_fields",
            "amounts",
            "addresses",
        ),
        *("votes", "terms", "spellings"),
    )
)
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")

Row = dict[str, Any]


def export(
    folder: Path, settings: Settings, out: IO[bytes], kind: str = "jsonl", table: str = "pages"
) -> int:
    """Write a table of the compiled site as csv, jsonl, json, txt, or all of them as a zip."""
    gate = Gate(settings)
    with contextlib.closing(schema.open_readonly(compiled_database(folder))) as connection:
        if kind == "zip":
            return write_zip(connection, gate, out)
        return WRITERS[kind](ExportRows(connection, gate, table), out)


class ExportRows:
    """The rows of a table as anybody may read them, counted as they are taken.

    ``names`` selects documents.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        gate: Gate,
        table: str,
        *,
        names: Collection[str] | None = None,
    ) -> None:
        query, values = QUERIES[table], []
        if names is not None:
            query = f"SELECT * FROM ({query}) WHERE name IN (SELECT value FROM json_each(?))"
            values = [json.dumps(list(names))]
        self._cursor = connection.execute(query, values)
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
        if name in ("source_url", "file"):
            return self._gate.source(value)
        if name == "of_other_place":
            return None if value is None else bool(value)
        if name in _JSON_COLUMNS and value:
            public = self._gate.clean(json.loads(value))
            return json.dumps(public, ensure_ascii=False, separators=(",", ":"))
        return self._gate.clean(value)

    def nested(self) -> Iterator[Row]:
        """Yield the rows with the values of JSON columns instead of their text."""
        for row in self:
            for name in _JSON_COLUMNS.intersection(row):
                row[name] = json.loads(row[name]) if row[name] else row[name]
            yield row


def write_jsonl(rows: ExportRows, out: IO[bytes]) -> int:
    """Write a JSON object per line."""
    for row in rows.nested():
        out.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
    return rows.taken


def write_json(rows: ExportRows, out: IO[bytes]) -> int:
    """Write one JSON array."""
    for row in rows.nested():
        out.write(b"[\n" if rows.taken == 1 else b",\n")
        out.write(json.dumps(row, ensure_ascii=False).encode())
    out.write(b"\n]\n" if rows.taken else b"[]\n")
    return rows.taken


def write_csv(rows: ExportRows, out: IO[bytes]) -> int:
    """Write CSV with a header line."""
    # Unlike io.TextIOWrapper, this does not close the stream that was passed in.
    writer = csv.DictWriter(codecs.getwriter("utf-8")(out), rows.columns)
    writer.writeheader()
    for row in rows:
        for name, value in row.items():
            # A spreadsheet would take this for a formula.
            if isinstance(value, str) and value.startswith(_FORMULA_STARTS):
                row[name] = f"'{value}"
        writer.writerow(row)
    return rows.taken


def write_txt(rows: ExportRows, out: IO[bytes]) -> int:
    """Write the text of pages below their address, other rows as lines of tab-separated cells."""
    for row in rows:
        if "method" in row and "text" in row:
            head = f"=== {row['document']} page {row['page']} ===\n"
            out.write(f"{head}{row['text'].rstrip()}\n\n".encode())
        else:
            cells = ("" if value is None else str(value) for value in row.values())
            out.write("\t".join(" ".join(cell.split()) for cell in cells).encode() + b"\n")
    return rows.taken


def write_zip(connection: sqlite3.Connection, gate: Gate, out: IO[bytes]) -> int:
    """Write the text of every page as a file of its own, and all tables as CSV and JSON lines."""
    written = 0
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for row in ExportRows(connection, gate, "pages"):
            with archive.open(_entry(f"txt/{row['document']}/page-{row['page']}.txt"), "w") as file:
                file.write(row["text"].encode())
            written += 1
        for table in QUERIES:
            for kind in ("csv", "jsonl"):
                with archive.open(_entry(f"{table}.{kind}"), "w", force_zip64=True) as file:
                    WRITERS[kind](ExportRows(connection, gate, table), file)
    return written


def _entry(name: str) -> zipfile.ZipInfo:
    """Return an entry with a fixed time, so that the same content gives the same bytes."""
    entry = zipfile.ZipInfo(name)
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


WRITERS: dict[str, Callable[[ExportRows, IO[bytes]], int]] = {
    "csv": write_csv,
    "jsonl": write_jsonl,
    "json": write_json,
    "txt": write_txt,
}
