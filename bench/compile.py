"""How fast is compiling, compared with sqlite-utils and with the sqlite3 module?

    python -m bench.compile [--pages 100000] [--pages-per-document 10]

All read the same page files. sqlite-utils does ``insert_all`` and ``enable_fts``; the sqlite3
module does ``executemany`` and ``rebuild`` of the FTS5 index in one transaction. clerk also
hashes, joins hyphenated words and writes the table of documents; it is shown without and with the
index over all sites. What the manifest says of the documents is given to it, as in a run.

Then one changed document is compiled in a site with a tenth of the pages, and in two with all of
them: one with the same number of bodies, so that each has ten times the documents, and one with
ten times the bodies.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import shutil
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import fields
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from pathlib import Path

from bench import options
from clerk.core.config import Settings
from clerk.core.files import SiteFiles
from clerk.core.manifest import DocumentRow
from clerk.core.storage import search_folder
from clerk.search import index
from clerk.site_db import compile_site

WORDS_PER_PAGE = 400
BODIES = 20
SITE = {"subdomain": "bench", "name": "Bench"}
SEEN_AT = datetime(2026, 11, 17, tzinfo=UTC)


class Prose:
    """Text with a vocabulary like that of minutes: a few words everywhere, many rare ones."""

    def __init__(self, seed: int = 1) -> None:
        pick = random.Random(seed)
        letters = "etaoinshrdlucmfwygpb"
        vocabulary = ["".join(pick.choices(letters, k=pick.randint(2, 11))) for _ in range(30_000)]
        weights = [1 / (rank + 5) for rank in range(len(vocabulary))]
        self._words = pick.choices(vocabulary, weights, k=1_000_000)

    def page(self, number: int) -> str:
        """Return the text of a page; the same for the same number."""
        start = number * 379 % (len(self._words) - WORDS_PER_PAGE)
        words = self._words[start : start + WORDS_PER_PAGE]
        lines = (" ".join(words[at : at + 12]) for at in range(0, len(words), 12))
        return "\n".join(lines) + f"\nitem{number}\n"


def write_document(folder: Path, texts: list[str]) -> None:
    """Write a document's directory as reading leaves it: moved in whole."""
    part = folder.with_name(f".{folder.name}.part")
    part.mkdir(parents=True)
    for number, text in enumerate(texts, start=1):
        (part / f"page-{number}.txt").write_text(text)
    (part / "document.json").write_text(f'{{"pdf_sha256": "0", "page_count": {len(texts)}}}')
    shutil.rmtree(folder, ignore_errors=True)
    part.rename(folder)


def write_site(
    folder: Path, pages: int, pages_per_document: int, prose: Prose, bodies: int = BODIES
) -> dict[str, DocumentRow]:
    """Write the texts of a site, and return what the manifest says of them."""
    numbers = iter(range(pages))
    rows: dict[str, DocumentRow] = {}
    for document in itertools.count():
        texts = [prose.page(n) for n in itertools.islice(numbers, pages_per_document)]
        if not texts:
            return rows
        day = f"{1990 + document // bodies // 300}-{document // bodies % 300:03}"
        name = f"minutes/Body {document % bodies}/{day}"
        write_document(folder / "txt" / f"Body {document % bodies}" / day, texts)
        rows[name] = manifest_row(folder.name, name, f"first text of {name}")


def manifest_row(subdomain: str, name: str, version: str) -> DocumentRow:
    """Return what the manifest says of a document; ``version`` stands for its text."""
    known: dict[str, object] = dict.fromkeys(each.name for each in fields(DocumentRow))
    known |= {
        "id": 0,
        "subdomain": subdomain,
        "name": name,
        "kind": "minutes",
        "evidence": {},
        "bytes": 0,
        "text_sha256": sha256(version.encode()).hexdigest(),
        "failed_pages": 0,
        "sequence": 1,
        "parts": (),
        "first_seen_at": SEEN_AT,
        "last_seen_at": SEEN_AT,
    }
    return DocumentRow(**known)  # type: ignore[arg-type]


def compile_rows(
    folder: Path,
    rows: Mapping[str, DocumentRow],
    site: Mapping[str, str] = SITE,
    *,
    into_index: bool = True,
) -> None:
    """Compile a site, and bring the index over all sites to it."""
    files = SiteFiles(Settings(storage_dir=folder.parent), folder.name)
    report = compile_site(files, lambda _: rows.values(), site)
    if into_index:
        index_folder(folder, None if report.rebuilt else [*report.added, *report.updated])


def index_folder(folder: Path, names: Sequence[str] | None = None) -> None:
    """Index some documents of a compiled site, or all."""
    layout = index.read_layout(folder.parent)
    if layout is None:
        layout = index.Layout(index.VERSION, ["0-000001"])
        search_folder(folder.parent).mkdir(parents=True, exist_ok=True)
        index.write_layout(folder.parent, layout)
    place = search_folder(folder.parent) / layout.shards[0]
    compiled = index.open_compiled(folder)
    assert compiled is not None
    with closing(compiled), index.ShardWriter(place) as writer:
        if writer.bring(compiled, folder.name, names):
            writer.commit(writer.progress() or index.ShardProgress())


def page_rows(folder: Path) -> Iterator[dict[str, object]]:
    """Yield what the other tools are given: the pages of the same files."""
    for place, _, names in os.walk(folder / "txt"):
        for name in names:
            if name.endswith(".txt"):
                path = f"{place}/{name}"
                *_, meeting, date = place.split("/")
                with open(path, encoding="utf-8") as file:  # noqa: PTH123 - the quickest way
                    text = file.read()
                yield {
                    "id": path,
                    "meeting": meeting,
                    "date": date,
                    "page": int(name[5:-4]),
                    "text": text,
                    "page_image": "",
                    "entities_json": None,
                    "votes_json": None,
                }


def with_sqlite_utils(folder: Path) -> None:
    """Compile with sqlite-utils."""
    import sqlite_utils

    path = folder / "other.db"
    path.unlink(missing_ok=True)
    database = sqlite_utils.Database(path)
    database["minutes"].insert_all(page_rows(folder), pk="id")
    database["minutes"].enable_fts(["text"])
    database.close()
    path.unlink()


def with_sqlite3(folder: Path) -> None:
    """Compile with the sqlite3 module and an external-content FTS5 table."""
    path = folder / "other.db"
    path.unlink(missing_ok=True)
    database = sqlite3.connect(path)
    database.execute(
        "CREATE TABLE minutes (id TEXT PRIMARY KEY, meeting TEXT, date TEXT, page INTEGER,"
        " text TEXT, page_image TEXT, entities_json TEXT, votes_json TEXT)"
    )
    database.execute("CREATE VIRTUAL TABLE minutes_fts USING fts5(text, content=minutes)")
    with database:
        values = ":id, :meeting, :date, :page, :text, :page_image, :entities_json, :votes_json"
        database.executemany(f"INSERT INTO minutes VALUES ({values})", page_rows(folder))
        database.execute("INSERT INTO minutes_fts (minutes_fts) VALUES ('rebuild')")
    database.close()
    path.unlink()


def seconds(action: Callable[[], object]) -> float:
    """Return the processor time of an action, which other work on the machine does not change."""
    start = time.process_time()
    action()
    return time.process_time() - start


def forget(folder: Path) -> None:
    """Make the next build a full one."""
    for path in [folder / "meetings.db", *folder.glob("_clerk/compile.*")]:
        path.unlink(missing_ok=True)
    shutil.rmtree(search_folder(folder.parent), ignore_errors=True)


Site = tuple[Path, dict[str, DocumentRow]]


def incremental(
    sites: list[Site], pages_per_document: int, prose: Prose, rounds: int
) -> list[float]:
    """Return the median time of compiling one changed document in each site, taken in turns."""
    times: list[list[float]] = [[] for _ in sites]
    numbers = itertools.count(10**7)
    for turn in range(rounds + 3):
        for (folder, rows), taken in zip(sites, times, strict=True):
            documents = sorted((folder / "txt" / "Body 0").iterdir())
            changed = documents[turn % len(documents)]
            texts = [prose.page(next(numbers)) for _ in range(pages_per_document)]
            write_document(changed, texts)
            name = f"minutes/Body 0/{changed.name}"
            rows[name] = manifest_row(folder.name, name, f"text {next(numbers)}")
            taken.append(seconds(partial(compile_rows, folder, rows)))
    return [statistics.median(each[3:]) for each in times]


def main() -> int:
    """Print the ratios."""
    parser = options.parser("compile", __doc__)
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--pages-per-document", type=int, default=10)
    parser.add_argument("--folder", type=Path, help="where to work (default: a temporary folder)")
    asked = parser.parse_args()
    if asked.tiny:
        asked.pages, asked.pages_per_document = 400, 2
    prose = Prose()
    with tempfile.TemporaryDirectory(dir=asked.folder) as scratch:
        large, small, wide = (Path(scratch) / name / "bench" for name in ("large", "small", "wide"))
        per_document = asked.pages_per_document
        of_large = write_site(large, asked.pages, per_document, prose)
        print_full(large, of_large, asked)
        of_small = write_site(small, asked.pages // 10, per_document, prose)
        of_wide = write_site(wide, asked.pages, per_document, prose, bodies=10 * BODIES)
        print_incremental([(small, of_small), (wide, of_wide), (large, of_large)], asked, prose)
    return 0


def print_full(folder: Path, rows: Mapping[str, DocumentRow], asked: argparse.Namespace) -> None:
    """Print full builds side by side, the best of three each, and how clerk compares with each."""
    others = {"sqlite3, executemany and rebuild": with_sqlite3}
    if options.is_installed("sqlite_utils", "sqlite-utils"):
        others["sqlite-utils, insert_all and enable_fts"] = with_sqlite_utils
    clerk = {
        "clerk, meetings.db": lambda folder: compile_rows(folder, rows, into_index=False),
        "clerk, with the index over all sites": lambda folder: compile_rows(folder, rows),
    }
    best: dict[str, float] = {}
    for _ in range(1 if asked.tiny else 3):
        for name, way in (others | clerk).items():
            if name in clerk:
                forget(folder)
            taken = seconds(partial(way, folder))
            best[name] = min(taken, best.get(name, taken))
    print(f"full build of {asked.pages:,} pages")
    for name, taken in best.items():
        faster = (f"{best[other] / taken:5.2f} x {other.partition(',')[0]}" for other in others)
        print(f"  {name:40} {taken:7.2f} s  {'  '.join(faster) if name in clerk else ''}")


def print_incremental(sites: list[Site], asked: argparse.Namespace, prose: Prose) -> None:
    """Print what one changed document costs in a small and in large sites."""
    for folder, rows in sites:
        compile_rows(folder, rows)
    rounds = 1 if asked.tiny else 25
    small, *large = incremental(sites, asked.pages_per_document, prose, rounds)
    unchanged = seconds(lambda: compile_rows(*sites[-1]))
    print("one changed document")
    print(f"  in {asked.pages // 10:,} pages                 {small * 1000:10.1f} ms")
    for shape, each in zip(("more bodies", "long bodies"), large, strict=True):
        ratio = each / small
        print(f"  in {asked.pages:,} pages, {shape}   {each * 1000:10.1f} ms   ratio {ratio:.2f}")
    print(f"  nothing changed                 {unchanged * 1000:10.1f} ms")


if __name__ == "__main__":
    sys.exit(main())
