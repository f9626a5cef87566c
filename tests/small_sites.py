"""Small sites on disk: texts as reading leaves them, findings as extraction leaves them."""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import fields
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from clerk.core.config import Settings
from clerk.core.files import SiteFiles, pack_text
from clerk.core.manifest import DocumentRow
from clerk.core.storage import (
    Document,
    directory_written_whole,
    extracted_file,
    search_folder,
    text_documents,
    written_whole,
)
from clerk.search import index
from clerk.site_db import CompileReport, compile_site

SITE = {"subdomain": "springfield", "name": "Springfield", "state": "IL"}
#: Everything but the rowids and the full-text shadow tables.
TABLES = (
    *("about", "agendas", "documents", "entities", "minutes", "others", "parts", "vote_members"),
    "votes",
    *("agenda_items", "attendance", "document_names", "interests", "speakers"),
    *("matter_appearances", "matter_votes", "matters", "people", "person_names", "person_terms"),
)


def write_text(
    folder: Path,
    name: str,
    pages: Sequence[str],
    *,
    failed: Mapping[int, str] | None = None,
    words: Mapping[int, Sequence[str]] | None = None,
) -> Document:
    """Put the text of a document there by one rename."""
    document = Document.from_name(name)
    failed = failed or {}
    with directory_written_whole(document.text(folder)) as part:
        facts = []
        for number, text in enumerate(pages, start=1):
            if number in failed:
                facts.append({"page": number, "method": "failed", "error": failed[number]})
                continue
            (part / f"page-{number}.txt").write_text(text, encoding="utf-8")
            facts.append({"page": number, "method": "text", "confidence": 0.9})
        if failed:
            (part / "failed-pages.json").write_text(json.dumps({"pages": failed}))
        if words:
            (part / "words.json").write_text(json.dumps(_words(words)))
        described = {"pdf_sha256": "f00d", "fingerprint": "1", "page_count": len(pages)}
        (part / "document.json").write_text(json.dumps({**described, "pages": facts}))
    return document


def _words(words: Mapping[int, Sequence[str]]) -> dict[str, Any]:
    """Word boxes that tell the number of their word."""
    pages = [
        {
            "page": page,
            "words": list(some),
            "boxes": [side for at in range(len(some)) for side in (at, at, at + 1, at + 1)],
        }
        for page, some in words.items()
    ]
    return {"format": 1, "unit": 10000, "pages": pages}


def write_legacy_text(folder: Path, name: str, pages: Sequence[str]) -> Document:
    """Put pages there without saying how they were read, as older installations do."""
    document = Document.from_name(name)
    document.text(folder).mkdir(parents=True, exist_ok=True)
    for number, text in enumerate(pages, start=1):
        (document.text(folder) / f"page-{number}.txt").write_text(text, encoding="utf-8")
    return document


def write_found(
    folder: Path,
    document: Document,
    pages: Sequence[str],
    votes: Sequence[Mapping[str, Any]],
    **lists: Sequence[Mapping[str, Any]],
) -> None:
    """Put the votes found in a document there, and further lists of findings."""
    entities = [{"type": "money", "text": "$5", "value": "5", "page": 1, "start": 0, "end": 2}]
    found = {
        "version": "1",
        "text_sha256": hashlib.sha256("\f".join(pages).encode()).hexdigest(),
        "votes": votes,
        "entities": entities,
        **lists,
    }
    with written_whole(extracted_file(folder, document)) as part:
        part.write_text(json.dumps(found))


def vote(page: int, **fields: Any) -> dict[str, Any]:
    """A vote as extraction describes it."""
    defaults = {
        "start": 0,
        "end": 10,
        "page": page,
        "motion": "to adopt",
        "mover": "Lee",
        "seconder": "Wu",
        "result": "passed",
        "result_text": "carried",
        "vote_type": "roll_call",
        "ayes": ["Lee", "Wu"],
        "noes": ["Diaz"],
        "abstain": [],
        "absent": [],
        "recused": [],
        "tally": {"yes": 2, "no": 1},
        "unanimous": False,
        "flags": [],
        "quote": "moved",
        "confidence": 0.9,
    }
    return defaults | fields


def presence(name: str, **fields: Any) -> dict[str, Any]:
    """Somebody in the attendance, as extraction describes it."""
    place = {"page": 1, "start": 0, "end": 5, "quote": name}
    said = {"role": None, "group": "member", "status": "present"}
    return (
        place
        | said
        | {"late": False, "left_early": False, "remote": False}
        | {"name": name}
        | fields
    )


def appearance(key: str, **fields: Any) -> dict[str, Any]:
    """A matter in a document, as extraction describes it."""
    place = {"page": 1, "start": 0, "end": 5, "quote": key}
    said = {"kind": key.split()[0], "number": key.split()[-1], "title": None, "action": "passed"}
    return place | said | {"key": key, "votes": [0], "amounts": [], "addresses": []} | fields


def rows_of_folder(folder: Path, **facts: Any) -> list[DocumentRow]:
    """The documents in a folder as the manifest would know them."""
    now = datetime(2026, 11, 17, tzinfo=UTC)
    found = []
    for document in text_documents(folder, incomplete=True):
        text = document.text(folder)
        packed = pack_text(text) if text.is_dir() else document.flat_text(folder).read_bytes()
        findings, pdf = extracted_file(folder, document), document.pdf(folder)
        known: dict[str, Any] = dict.fromkeys(each.name for each in fields(DocumentRow))
        known |= {
            "id": 0,
            "subdomain": folder.name,
            "name": document.name,
            "kind": "agenda" if document.kind == "agendas" else document.kind,
            "body": document.meeting or None,
            "date": _day(document.date),
            "title": None if _day(document.date) else document.date,
            "sequence": 1,
            "evidence": {},
            "listed": {},
            "corrections": {},
            "parts": (),
            "bytes": pdf.stat().st_size if pdf.exists() else 0,
            "pdf_sha256": hashlib.sha256(pdf.read_bytes()).hexdigest() if pdf.exists() else None,
            "text_sha256": hashlib.sha256(packed).hexdigest(),
            "failed_pages": 0,
            "first_seen_at": now,
            "last_seen_at": now,
        }
        if findings.exists():
            known["findings_sha256"] = hashlib.sha256(findings.read_bytes()).hexdigest()
        found.append(DocumentRow(**known | facts.get(document.name, {})))
    return found


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


def compile_folder(
    folder: Path,
    site: Mapping[str, Any] = SITE,
    *,
    into_index: bool = True,
    facts: Mapping[str, Mapping[str, Any]] | None = None,
) -> CompileReport:
    """Compile what lies in a folder, and bring the index over all sites to it.

    ``facts`` are further columns of documents in the manifest, by name.
    """
    files = SiteFiles(Settings(storage_dir=folder.parent), folder.name)
    report = compile_site(files, lambda _: rows_of_folder(folder, **(facts or {})), site)
    if into_index:
        index_folder(folder)
    return report


def index_folder(folder: Path, shards: int = 1) -> None:
    """Bring the index over all sites to a compiled folder, or without one take the site out."""
    with index.writer_lock(folder.parent, "rebuild", wait=True):
        layout = index.read_layout(folder.parent)
        if layout is None:
            layout = index.Layout(index.VERSION, [f"{shard}-000001" for shard in range(shards)])
            index.write_layout(folder.parent, layout)
    shard = index.shard_of(folder.name, len(layout.shards))
    with (
        index.writer_lock(folder.parent, shard, wait=True),
        index.ShardWriter(search_folder(folder.parent) / layout.shards[shard]) as writer,
    ):
        compiled = index.open_compiled(folder)
        if compiled is None:
            writer.remove_site(folder.name)
        else:
            with closing(compiled):
                writer.bring(compiled, folder.name)
        writer.commit(writer.progress() or index.ShardProgress())


def remove_text(folder: Path, name: str) -> None:
    """Take the text of a document away."""
    shutil.rmtree(Document.from_name(name).text(folder))


def ask(path: Path, query: str, *values: object) -> list[tuple[Any, ...]]:
    """Ask a database, as any reader would."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        return connection.execute(query, values).fetchall()


def content(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Return every row of every table, in an order that does not depend on who wrote it."""
    return {table: sorted(ask(path, f"SELECT * FROM {table}"), key=repr) for table in TABLES} | {
        "found": _found_by_search(path)
    }


def _found_by_search(path: Path) -> list[tuple[Any, ...]]:
    """Return which words the full text finds on which pages."""
    rows = []
    with closing(sqlite3.connect(path)) as connection:
        for kind in ("minutes", "agendas"):
            connection.execute(
                f"CREATE VIRTUAL TABLE temp.v{kind} USING fts5vocab(main, {kind}_fts, instance)"
            )
            query = f"""SELECT id, term, "offset" FROM temp.v{kind} JOIN {kind}
                        ON {kind}.rowid = doc ORDER BY 1, 2, 3"""
            rows += connection.execute(query).fetchall()
            connection.execute(f"INSERT INTO {kind}_fts({kind}_fts) VALUES ('integrity-check')")
    return rows
