"""The search index of a static site: made by pagefind, read by the browser, no server needed.

::

    pagefind/bundles.json       the bundles, the oldest first
    pagefind/KEY/               an index of the documents of some months, with pagefind's files

pagefind has no incremental mode, so documents are indexed in bundles, and only those whose texts
changed are indexed again, after the pages have been published; the browser merges them.  Each page
of a document is found by itself; in sites with more pages than STATIC_SITE_SEARCH_PAGES documents
are found, with the pages that have the words, in fewer files.
"""

from __future__ import annotations

import html
import json
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache, lru_cache
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from clerk.core.errors import SearchIndexFailed
from clerk.core.language import say, speaking, spoken_in, tag_of, word
from clerk.publish import page_text
from clerk.publish.linked_files import mirror
from clerk.site_db.queries import CompiledDocument
from clerk.site_db.schema import open_readonly

from . import addresses

_TIMEOUT_SECONDS = 3600
#: Raised when records look different, so that all indexes are made again.
_FORMAT = 2
SEARCH_FOLDER, BUNDLES_FILE = "pagefind", "bundles.json"
#: Pages of a bundle, doubled while a site would have more bundles than this.
_BUNDLE_PAGES, _BUNDLES = 1000, 16
#: The newest documents are in up to this many smaller bundles, until they fill a whole one.
_SMALLER = 5


@cache
def engine_version() -> str:
    """Return the version of pagefind; empty if it is not installed."""
    try:
        return version("pagefind_bin")
    except PackageNotFoundError:
        return ""


class IndexBundle(NamedTuple):
    """Documents that are indexed together; ``key`` names their content."""

    key: str
    documents: Sequence[str]


@dataclass(frozen=True)
class IndexPlan:
    """How the documents of a site are divided, the oldest first, and what is found of them."""

    bundles: Sequence[IndexBundle]
    by_page: bool

    @property
    def keys(self) -> list[str]:
        """The names of the bundles."""
        return [each.key for each in self.bundles]

    @property
    def texts(self) -> str:
        """What names the content of the index; empty without any text."""
        return blake2b(repr(self.keys).encode(), digest_size=16).hexdigest() if self.bundles else ""


def rules(pages_at_most: int) -> str:
    """Return what the index depends on besides the content of the database."""
    sizes = f"{_BUNDLE_PAGES} {_BUNDLES} {_SMALLER}"
    return f"{_FORMAT} {engine_version()} {pages_at_most} {sizes}"


@dataclass(frozen=True)
class IndexedDatabase:
    """A compiled database; ``searched`` names its content, with the rules of indexing."""

    path: Path = field(compare=False)
    searched: str


@lru_cache(maxsize=1)
def plan(database: IndexedDatabase, pages_at_most: int) -> IndexPlan:
    """Divide the documents of a site; a month is never divided.

    Bundles are closed when they are large enough, so that a new document changes the last one, and
    that one is divided once more, so that little is indexed again.  Who publishes asks three times.
    """
    with closing(open_readonly(database.path, reads_all=True)) as db:
        rows = db.execute(
            """SELECT coalesce(substr(date, 1, 7), ''), name, id, kind, meeting, date, title,
                      file_name, text_sha256, pages
               FROM documents ORDER BY 1, name"""
        ).fetchall()
        about = dict(db.execute("SELECT key, value FROM about WHERE key IN ('name', 'language')"))
        shown = db.execute("SELECT count(*) <= ? FROM pages", (pages_at_most,)).fetchone()
    by_page = bool(shown[0])
    told = (_FORMAT, engine_version(), by_page, sorted(about.items()))
    enough, total = _BUNDLE_PAGES, sum(row[-1] for row in rows)
    while total > _BUNDLES * enough:
        enough *= 2
    groups = _groups(rows, enough)
    if groups and sum(row[-1] for row in groups[-1]) < enough:
        groups += _groups(groups.pop(), max(1, enough // _SMALLER))
    bundles = [
        IndexBundle(
            blake2b(repr((told, group)).encode(), digest_size=10).hexdigest(),
            [name for _, name, *_ in group],
        )
        for group in groups
    ]
    return IndexPlan(bundles, by_page)


def _groups(rows: Sequence[Any], enough: int) -> list[list[Any]]:
    """Divide documents, the oldest first, so that each group but the last has enough pages.

    Those without a date are by themselves: the groups follow each other in time.
    """
    groups: list[list[Any]] = []
    pages = enough
    for month, some in groupby(rows, lambda row: row[0]):
        if pages >= enough or (groups and not groups[-1][0][0] and month):
            groups.append([])
            pages = 0
        of_month = list(some)
        groups[-1] += of_month
        pages += sum(row[-1] for row in of_month)
    return groups


@dataclass(frozen=True)
class BuiltIndex:
    """An index that is ready to be published: ``folder`` has the bundles that were made for it."""

    plan: IndexPlan
    folder: Path

    def completes(self, version: Path | None) -> bool:
        """Whether a version has the bundles that were not made."""
        former = version / SEARCH_FOLDER if version else self.folder
        places = (self.folder, former)
        return all(any((place / key).is_dir() for place in places) for key in self.plan.keys)

    def move_to(self, version: Path, previous: Path | None) -> None:
        """Give the index to a version, with the bundles that the one before has of it."""
        target, keys = version / SEARCH_FOLDER, self.plan.keys
        mirror(None, target, keys)
        for key in keys:
            if (self.folder / key).is_dir():
                shutil.rmtree(target / key, ignore_errors=True)
                shutil.move(self.folder / key, target)
            elif previous:
                _link_bundle(previous / SEARCH_FOLDER / key, target / key)
        (target / BUNDLES_FILE).write_text(json.dumps(keys))


def take_over(previous: Path | None, version: Path) -> None:
    """Give a version the index that the one before has, if it has one."""
    target = version / SEARCH_FOLDER
    if previous is None or not (previous / SEARCH_FOLDER / BUNDLES_FILE).is_file():
        shutil.rmtree(target, ignore_errors=True)
        return
    keys = json.loads((previous / SEARCH_FOLDER / BUNDLES_FILE).read_text())
    mirror(None, target, keys)
    for key in keys:
        _link_bundle(previous / SEARCH_FOLDER / key, target / key)
    (target / BUNDLES_FILE).write_text(json.dumps(keys))


def _link_bundle(source: Path, target: Path) -> None:
    """Give a version a bundle, unless it has it: its key names its content."""
    if not target.is_dir():
        mirror(source, target)


def build(database: Path, planned: IndexPlan, work: Path, served: Path) -> BuiltIndex:
    """Make the index of a compiled site in an empty folder.

    Bundles that ``served``, the version that is served, has already are not made again.
    """
    index = work / "index"
    with closing(open_readonly(database)) as db:
        db.row_factory = sqlite3.Row
        about = dict(db.execute("SELECT key, value FROM about").fetchall())
        with speaking(spoken_in(about.get("language", ""))):
            for bundle in planned.bundles:
                if not (served / SEARCH_FOLDER / bundle.key).is_dir():
                    key = bundle.key
                    _build(db, bundle, about, work / key, index / key, planned.by_page)
    return BuiltIndex(planned, index)


def _build(
    db: sqlite3.Connection,
    bundle: IndexBundle,
    about: Mapping[str, str],
    records: Path,
    target: Path,
    by_page: bool,
) -> None:
    """Have pagefind index the documents of a bundle."""
    from pagefind_bin import get_executable  # type: ignore[import-untyped,unused-ignore]

    place = about.get("name") or about.get("subdomain") or ""
    language = tag_of(about.get("language", "")) or "en"
    records.mkdir(parents=True)
    found = _records(db, bundle.documents, place, language, by_page)
    for number, record in enumerate(found):
        (records / f"{number}.html").write_bytes(record.encode("utf-8", "replace"))
    command = [
        *(str(get_executable()), "--site", str(records), "--output-path", str(target)),
        *("--force-language", language.partition("-")[0]),
    ]
    try:
        done = subprocess.run(
            command,
            cwd=records.parent,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIMEOUT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SearchIndexFailed(f"pagefind could not index {place}: {error}.") from error
    if done.returncode or not (target / "pagefind.js").is_file():
        said = (done.stderr or done.stdout).decode("utf-8", "replace").strip().splitlines()
        raise SearchIndexFailed(
            f"pagefind could not index {place}: {said[-1] if said else done.returncode}."
        )
    # Its own user interface and highlighter are not used.
    for path in [*target.glob("pagefind-*ui*"), *target.glob("pagefind-highlight*")]:
        path.unlink()


def _records(
    db: sqlite3.Connection, names: Sequence[str], place: str, language: str, by_page: bool
) -> Iterator[str]:
    """Yield a page of HTML for everything that can be found."""
    for name in names:
        row = db.execute("SELECT * FROM documents WHERE name = ?", (name,)).fetchone()
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
                f'<h2 id="page-{page}">{say("Page %(page)s", page=page)}</h2>\n{_paragraphs(text)}'
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
    kept: dict[str, object] = {
        "title": f"{page_text.label(document)}, {page_text.day(document.date)}",
        "address": address,
        "about": place,
        "page": page,
    }
    filters = {
        "body": document.meeting or say("not known"),
        "kind": word(document.kind) if document.kind else say("not known"),
        "year": document.date[:4] if document.date else say("not known"),
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
