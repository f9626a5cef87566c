"""The search index of a static site: made by pagefind, read by the browser, no server needed.

pagefind has no incremental mode, so it runs only when texts changed, and after the pages have been
published.  Each page of a document is found by itself; in sites with more pages than
STATIC_SITE_SEARCH_PAGES documents are found, with the pages that have the words, in fewer files.
"""

from __future__ import annotations

import html
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from itertools import groupby
from pathlib import Path
from typing import Any

from clerk.core.errors import SearchIndexFailed
from clerk.core.language import tag_of
from clerk.site_db.queries import CompiledDocument
from clerk.site_db.schema import open_readonly

from . import addresses, words

_TIMEOUT_SECONDS = 3600
#: Raised when records look different, so that all indexes are made again.
_FORMAT = 1


def engine_version() -> str:
    """Return the version of pagefind; empty if it is not installed."""
    try:
        return version("pagefind_bin")
    except PackageNotFoundError:
        return ""


def texts_of(database: Path, pages_at_most: int) -> str:
    """Return what names the content of the index of a compiled site; empty without any text."""
    with closing(open_readonly(database)) as db:
        documents = db.execute(
            """SELECT name, id, kind, meeting, date, title, file_name, text_sha256
               FROM documents ORDER BY name"""
        ).fetchall()
        about = dict(db.execute("SELECT key, value FROM about WHERE key IN ('name', 'language')"))
        by_page = _is_by_page(db, pages_at_most)
    told = (_FORMAT, engine_version(), by_page, sorted(about.items()), documents)
    return blake2b(repr(told).encode(), digest_size=16).hexdigest() if documents else ""


def _is_by_page(db: sqlite3.Connection, pages_at_most: int) -> bool:
    return bool(db.execute("SELECT count(*) <= ? FROM pages", (pages_at_most,)).fetchone()[0])


def build(database: Path, work: Path, pages_at_most: int) -> Path:
    """Make the index of a compiled site in an empty folder; return where it is."""
    from pagefind_bin import get_executable  # type: ignore[import-untyped,unused-ignore]

    records, index = work / "records", work / "index"
    records.mkdir(parents=True)
    with closing(open_readonly(database)) as db:
        db.row_factory = sqlite3.Row
        about = dict(db.execute("SELECT key, value FROM about").fetchall())
        place = about.get("name") or about.get("subdomain") or ""
        language = tag_of(about.get("language", "")) or "en"
        by_page = _is_by_page(db, pages_at_most)
        for number, record in enumerate(_records(db, place, language, by_page)):
            part = records / f"{number // 1000}"
            if number % 1000 == 0:
                part.mkdir()
            (part / f"{number}.html").write_bytes(record.encode("utf-8", "replace"))
    command = [
        *(str(get_executable()), "--site", str(records), "--output-path", str(index)),
        *("--force-language", language.partition("-")[0]),
    ]
    try:
        done = subprocess.run(
            command,
            cwd=work,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIMEOUT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SearchIndexFailed(f"pagefind could not index {place}: {error}.") from error
    if done.returncode or not (index / "pagefind.js").is_file():
        said = (done.stderr or done.stdout).decode("utf-8", "replace").strip().splitlines()
        raise SearchIndexFailed(
            f"pagefind could not index {place}: {said[-1] if said else done.returncode}."
        )
    # Its own user interface and highlighter are not used.
    for path in [*index.glob("pagefind-*ui*"), *index.glob("pagefind-highlight*")]:
        path.unlink()
    return index


def _records(db: sqlite3.Connection, place: str, language: str, by_page: bool) -> Iterator[str]:
    """Yield a page of HTML for everything that can be found."""
    documents = db.execute("SELECT * FROM documents ORDER BY name").fetchall()
    for row in documents:
        document = CompiledDocument.of(row)
        pages = db.execute(
            "SELECT page, text FROM pages WHERE document = ? AND text <> '' ORDER BY page",
            (document.name,),
        ).fetchall()
        if by_page:
            for page, text in pages:
                address = addresses.document_page(document.id, page)
                yield _record(document, address, place, language, _paragraphs(text), page)
            continue
        # As many as are shown in one file.
        for _, some in groupby(pages, lambda row: (row[0] - 1) // addresses.PAGES_PER_FILE):
            shown = list(some)
            address = addresses.document_page(document.id, shown[0][0]).partition("#")[0]
            body = "\n".join(
                f'<h2 id="page-{page}">Page {page}</h2>\n{_paragraphs(text)}'
                for page, text in shown
            )
            yield _record(document, address, place, language, body)


def _paragraphs(text: str) -> str:
    return f"<p>{html.escape(text)}</p>"


def _record(
    document: CompiledDocument,
    address: str,
    place: str,
    language: str,
    body: str,
    page: int | None = None,
) -> str:
    kept: dict[str, Any] = {
        "title": f"{document.label}, {words.day(document.date)}",
        "address": address,
        "about": place,
        "page": page,
    }
    filters = {
        "body": document.meeting or "not known",
        "kind": document.kind or "not known",
        "year": (document.date or "not known")[:4] if document.date else "not known",
    }
    lines = [
        *(_meta("meta", name, value) for name, value in kept.items() if value),
        *(_meta("filter", name, value) for name, value in filters.items()),
        _meta("sort", "date", document.date or "0000"),
    ]
    return (
        f'<!doctype html><html lang="{language}"><head><meta charset="utf-8">\n'
        + "\n".join(lines)
        + f"\n</head><body data-pagefind-body>\n{body}\n</body></html>\n"
    )


def _meta(kind: str, name: str, value: Any) -> str:
    content = html.escape(str(value), quote=True)
    return f'<meta data-pagefind-{kind}="{name}[content]" content="{content}">'
