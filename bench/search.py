"""Search over all sites, compared with the engine alone and with FTS5, in one run.

    python -m bench.search [--pages 1000000] [--sites 1000] [--folder FOLDER] [--no-fts5]
                           [--words 300] [--shard-pages 1000000] [--minutes 60] [--only NAME]

Building takes about 0.3 ms of processor time a page, and 0.2 ms more for FTS5: one million pages
take 10 minutes, eight built shards of a million pages 40 more.  What was built in ``--folder`` is
used again by the next run.  With ``--minutes`` no measurement is begun after that time; those left
out are named.

Times are processor time, so that other work on the machine does not count; those of the pages under
load are wall time.  Every query is asked with several words, each time another one.

- ``search()`` compared with bare tantivy: the first 20 pages, the count and three facets
- a word on half of the pages, compared with FTS5's ``ORDER BY rank LIMIT 20``
- a query of one site in the whole index, compared with the same in a tenth of it
- 32 clients on ``/search``, compared with one
- size of the index, time of building, one changed document, memory of a serving process
- eight shards: the whole index linked eight times, or built of ``--shard-pages`` each.  Linked,
  each document is found eight times, so that more pages are fetched than of different documents
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import random
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import tantivy
from tantivy import Occur

from bench import options
from bench.compile import Prose, compile_rows, index_folder, write_site
from clerk.core import config, db, schema
from clerk.core.storage import compiled_database, search_folder
from clerk.search import Query, index, search
from clerk.search.index import SCHEMA, IndexedDocument, PageText, ShardWriter, StoredFacts
from clerk.search.readers import open_index
from clerk.site_db import schema as site_schema
from clerk.site_db.rows import page_id
from clerk.web.app import create_app
from clerk.web.middleware import RateLimit

PAGES_PER_DOCUMENT = 10
MEMBERS = 30
#: Different texts of pages; more pages than that have these again.
TEXTS = 20_000
BYTES_A_PAGE = 900
CLIENTS = 32
SHARD = "0-000001"
FACETS = {name: {"terms": {"field": name, "size": 50}} for name in ("site", "kind", "year")}


@dataclass(frozen=True)
class Sizes:
    """How much is measured."""

    pages: int = 1_000_000
    sites: int = 1000
    words_per_page: int = 300
    rounds: int = 15
    #: Pages of which the time of building is measured.
    built_pages: int = 20_000
    built_rounds: int = 3
    requests: int = 8
    #: Different words.
    vocabulary: int = 60_000


TINY = Sizes(
    pages=600, sites=6, rounds=2, built_pages=100, built_rounds=1, requests=1, vocabulary=3_000
)


class Town:
    """Generated minutes with as many different words as real ones.

    Of 300 words of real minutes 156 are different, and stemming changes 28 of 100; here as well.
    """

    def __init__(self, sizes: Sizes) -> None:
        pick = random.Random(1)
        self._sizes = sizes
        syllables = [a + b for a in "bcdfglmnprstv" for b in "aeiou"]
        endings = ("", "", "", "", "", "s", "ing")
        words: dict[str, None] = {}
        while len(words) < sizes.vocabulary:
            length = pick.randint(1, 4)
            words["".join(pick.choices(syllables, k=length)) + pick.choice(endings)] = None
        self.words = list(words)
        weights = [1 / (rank + 2) ** 1.2 for rank in range(sizes.vocabulary)]
        self._weights = list(itertools.accumulate(weights))
        self._pick = pick
        self._texts: list[str] = []

    def documents(self, pages: int) -> Iterator[IndexedDocument]:
        """Yield documents of about this many pages in all, spread over the sites."""
        for number in range(max(1, pages // PAGES_PER_DOCUMENT)):
            site = number % self._sizes.sites
            date = f"{2000 + number % 25}-{1 + number % 12:02}-{1 + number % 28:02}"
            body = f"Board {number % 9}"
            name = f"minutes/{body}/{date}-{number}"
            facts = StoredFacts(f"town-{site:05}", name, "minutes", body, date, PAGES_PER_DOCUMENT)
            # A place has its own members.
            members = [f"Member {number} of town {site}" for number in range(MEMBERS)]
            texts = []
            for page in range(1, PAGES_PER_DOCUMENT + 1):
                named = self._pick.sample(members, 5) if page == 3 else ()
                members_here = {name: name for name in named}
                texts.append(PageText(page, self.text(), "minutes", body, date, members_here))
            yield IndexedDocument(
                f"{number:08x}{number * 2654435761 % 2**32:08x}",
                facts,
                f"S{site % 50}",
                "eng",
                "2026-11-17T00:00:00+00:00",
                number,
                texts,
            )

    def text(self) -> str:
        """Return the text of one more page."""
        if len(self._texts) >= TEXTS:
            return self._pick.choice(self._texts)
        chosen = self._pick.choices(
            self.words, cum_weights=self._weights, k=self._sizes.words_per_page
        )
        self._texts.append(" ".join(chosen))
        return self._texts[-1]


def build(storage: Path, sizes: Sizes) -> float:
    """Build an index of so many pages unless it is there; return its processor seconds."""
    note = storage / "processor-seconds"
    if index.read_layout(storage) is not None:
        return float(note.read_text())
    shutil.rmtree(storage, ignore_errors=True)
    search_folder(storage).mkdir(parents=True)
    # The engine works in threads of its own, while the next document is generated as well.
    began, generating = time.process_time(), 0.0
    places = set()
    documents = Town(sizes).documents(sizes.pages)
    with ShardWriter(search_folder(storage) / SHARD, writer_bytes=index.REBUILD_BYTES) as writer:
        while True:
            asked = time.thread_time()
            document = next(documents, None)
            generating += time.thread_time() - asked
            if document is None:
                break
            site = document.facts.site
            if site not in places:
                places.add(site)
                writer.put_place(index.PlaceFacts(site, site.title(), document.state, "eng"))
            writer.put(document)
        writer.commit(index.ShardProgress())
    used = time.process_time() - began - generating
    note.write_text(str(used))
    index.write_layout(storage, index.Layout(index.VERSION, [SHARD]))
    return used


def write_databases(storage: Path, sizes: Sizes) -> None:
    """Write the sites' databases with the text of the same pages, where snippets are read.

    Without their full-text index: nothing that is measured here reads it.
    """
    by_site: dict[str, list[IndexedDocument]] = {}
    for document in Town(sizes).documents(sizes.pages):
        by_site.setdefault(document.facts.site, []).append(document)
    for site, documents in by_site.items():
        path = compiled_database(storage / site)
        if path.exists():
            continue
        path.parent.mkdir(exist_ok=True)
        part = path.with_suffix(".part")
        part.unlink(missing_ok=True)
        with contextlib.closing(site_schema.open_private(part)) as site_db:
            site_schema.create(site_db)
            site_db.execute("BEGIN")
            for each in documents:
                facts = each.facts
                site_db.execute(
                    """INSERT INTO documents (name, id, kind, meeting, date, pages, sequence,
                           evidence, text_sha256, digest)
                       VALUES (?, ?, ?, ?, ?, ?, 1, '{}', '', '')""",
                    (facts.name, each.id, facts.kind, facts.body, facts.date, facts.pages),
                )
                site_db.executemany(
                    """INSERT INTO minutes (id, meeting, date, page, text, page_image, document,
                           kind) VALUES (?, ?, ?, ?, ?, '', ?, ?)""",
                    (
                        (
                            page_id(each.id, page.number),
                            facts.body,
                            facts.date,
                            page.number,
                            page.text,
                            facts.name,
                            facts.kind,
                        )
                        for page in each.pages
                    ),
                )
            site_db.execute("COMMIT")
        part.rename(path)


def build_fts5(path: Path, sizes: Sizes) -> sqlite3.Connection:
    """Put the same pages into FTS5 unless they are there."""
    if path.exists():
        return sqlite3.connect(path)
    part = path.with_suffix(".part")
    part.unlink(missing_ok=True)
    with contextlib.closing(bare_fts5(part)) as fts:
        for document in Town(sizes).documents(sizes.pages):
            rows = [(page.text,) for page in document.pages]
            fts.executemany("INSERT INTO pages(search_text) VALUES (?)", rows)
        fts.commit()
    part.rename(path)
    return sqlite3.connect(path)


def milliseconds(action: Callable[[str], object], words: Sequence[str]) -> float:
    """Return the 95th percentile of the processor time of asking with each of some words."""
    taken = []
    for word in words:
        began = time.process_time()
        action(word)
        taken.append(1000 * (time.process_time() - began))
    return statistics.quantiles(taken, n=20)[-1] if len(taken) > 1 else taken[0]


def say(name: str, figure: str, bound: str = "", met: bool = True) -> bool:
    """Print one line of the report."""
    print(f"{name:46} {figure:52} {bound:16} {'' if not bound else 'ok' if met else 'MISSED'}")
    sys.stdout.flush()
    return met


# ---------------------------------------------------------------------------------- the bars


@dataclass(frozen=True)
class Asked:
    """A kind of query, by the word or words it is asked with."""

    name: str
    ours: Callable[[str], Query]
    bare: Callable[[str], tantivy.Query]
    newest: bool = False


def _word(word: str) -> tantivy.Query:
    return tantivy.Query.term_query(SCHEMA, "text", word, "freq")


def _all(*queries: tantivy.Query) -> tantivy.Query:
    return tantivy.Query.boolean_query([(Occur.Must, each) for each in queries])


def _with(name: str, value: Any) -> tantivy.Query:
    only = tantivy.Query.term_query(SCHEMA, name, value, "basic")
    return tantivy.Query.const_score_query(only, 0.0)


def kinds_of_queries(second: str) -> list[Asked]:
    """Return what is asked; ``second`` is the second word where there are two."""
    return [
        Asked("common word", lambda w: Query(f'"{w}"'), _word),
        Asked(
            "two words",
            lambda w: Query(f'"{w}" "{second}"'),
            lambda w: _all(_word(w), _word(second)),
        ),
        Asked(
            "phrase",
            lambda w: Query(f'"{w} {second}"'),
            lambda w: tantivy.Query.phrase_query(SCHEMA, "text", [w, second]),
        ),
        Asked(
            "one site",
            lambda w: Query(f'"{w}"', site="town-00005"),
            lambda w: _all(_word(w), _with("site", "town-00005")),
        ),
        Asked(
            "one year",
            lambda w: Query(f'"{w}"', year="2010"),
            lambda w: _all(_word(w), _with("year", 2010)),
        ),
        Asked("newest first", lambda w: Query(f'"{w}"', sort="newest"), _word, newest=True),
    ]


def against_tantivy(storage: Path, words: Sequence[str], second: str) -> bool:
    """Compare `search()` with the engine alone, and show what is read only when it is shown."""
    opened = open_index(storage)
    searcher = opened.shards[0].searcher
    names = tuple(FACETS)
    met = []
    for asked in kinds_of_queries(second):
        order = "newest" if asked.newest else None

        def bare(word: str, asked: Asked = asked, order: str | None = order) -> None:
            query = asked.bare(word)
            found = searcher.search(query, 20, order_by_field=order)
            searcher.aggregate(query, FACETS)
            for _, address in found.hits:
                searcher.doc(address)

        def ours(word: str, asked: Asked = asked) -> None:
            found = search(storage, asked.ours(word))
            found.count_by(*names)
            for each in found.found:
                _ = each.document

        def all_facets(word: str, asked: Asked = asked) -> None:
            _ = search(storage, asked.ours(word)).facets

        def everything(word: str, asked: Asked = asked) -> int:
            found = search(storage, asked.ours(word))
            return len(found.facets) + len(found.hits) + found.documents

        # By turns, so that what else the machine does concerns all.
        taken: dict[Callable[[str], object], list[float]] = {
            action: [] for action in (bare, ours, all_facets, everything)
        }
        for word in [*words] * 4:
            for action, times in taken.items():
                opened.counts.clear()
                began = time.process_time()
                action(word)
                times.append(1000 * (time.process_time() - began))
        alone, whole, six, shown = (statistics.quantiles(each, n=20)[-1] for each in taken.values())
        ratio = whole / alone
        figure = f"{whole:.1f} ms, bare {alone:.1f} ms: {ratio:.2f} x"
        met.append(say(asked.name, figure, "at most 3 x", ratio <= 3))
        figure = f"{six:.1f} ms: {six / alone:.2f} x; best pages and documents {shown:.1f} ms"
        say("    with six facets", figure)
    stemmed = milliseconds(lambda word: search(storage, Query(word)), words)
    say("common word in all its forms", f"{stemmed:.1f} ms")
    typo = milliseconds(lambda word: search(storage, Query(f"{word}qx")), words)
    say("a typo, with a suggestion", f"{typo:.1f} ms")
    return all(met)


def against_fts5(storage: Path, fts: sqlite3.Connection, word: str, rounds: int) -> bool:
    """Compare a word on half of the pages with FTS5's best 20."""
    best = "SELECT rowid FROM pages WHERE pages MATCH ? ORDER BY rank LIMIT 20"
    asked = f'"{word}"'
    # FTS5 counts neither the pages nor facets; ours has counted the pages.
    actions: dict[str, Callable[[], object]] = {
        "theirs": lambda: fts.execute(best, (asked,)).fetchall(),
        "ours": lambda: search(storage, Query(asked)),
        "faceted": lambda: search(storage, Query(asked)).facets,
    }
    # One after the other: a query of one leaves nothing of the other in the caches.
    taken: dict[str, list[float]] = {name: [] for name in actions}
    for name, action in actions.items():
        action()
        for _ in range(rounds):
            open_index(storage).counts.clear()
            began = time.process_time()
            action()
            taken[name].append(1000 * (time.process_time() - began))
    theirs, ours, faceted = (statistics.median(times) for times in taken.values())
    pages = search(storage, Query(asked)).total
    figure = f"{ours:.1f} ms, FTS5 {theirs:.1f} ms: {theirs / ours:.0f} x, {pages:,} pages"
    is_met = say("a word on half of the pages", figure, "at least 50 x", theirs / ours >= 50)
    say("    with six facets", f"{faceted:.1f} ms: {theirs / faceted:.0f} x")
    return is_met


def one_site(small: Path, large: Path, words: Sequence[str]) -> bool:
    """Compare a query of one site in a small and in a large index with as many pages of it."""
    query = {each: Query(f'"{each}"', site="town-00005") for each in words}
    few, many = (
        milliseconds(lambda word, at=at: search(at, query[word]), [*words, *words])  # type: ignore[misc]
        for at in (small, large)
    )
    figure = f"{many:.2f} ms, in a tenth of it {few:.2f} ms: {many / few:.2f} x"
    return say("one site in ten times as many sites", figure, "at most 2 x", many / few <= 2)


async def _ask_all(words: Sequence[str], clients: int, requests: int) -> tuple[list[float], int]:
    app = create_app(config.load())
    app.state.limits["search"] = RateLimit(1e9, 1e9)
    taken: list[float] = []
    errors = 0

    async def ask(number: int) -> None:
        nonlocal errors
        for turn in range(requests):
            began = time.perf_counter()
            word = words[(number + turn) % len(words)]
            answer = await client.get("/search", params={"q": word})
            taken.append(time.perf_counter() - began)
            errors += answer.status_code != 200

    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        await ask(0)
        taken.clear()
        await asyncio.gather(*(ask(number) for number in range(clients)))
    return taken, errors


def under_load(words: Sequence[str], requests: int) -> bool:
    """Compare 32 clients that all search at once with a single one."""
    alone, _ = asyncio.run(_ask_all(words, 1, 4 * requests))
    together, errors = asyncio.run(_ask_all(words, CLIENTS, requests))
    one = statistics.median(alone)
    all_at_once = statistics.quantiles(together, n=20)[-1]
    ratio = all_at_once / one
    figure = f"{errors} errors, p95 {1000 * all_at_once:.0f} ms, one client {1000 * one:.0f} ms: "
    is_met = ratio <= 20 and not errors
    return say(f"{CLIENTS} clients on /search", f"{figure}{ratio:.1f} x", "at most 20 x", is_met)


def building(pages: int, rounds: int) -> bool:
    """Compare building both databases with those of the version before, which had FTS5 twice.

    The median of some rounds, each in a process of its own: none profits from the one before.
    """
    measured = []
    for _ in range(rounds):
        command = [sys.executable, "-c", f"from bench.search import built; print(*built({pages}))"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        measured.append([float(each) for each in done.stdout.split()])
    after, before = (statistics.median(each) * 1000 / pages for each in zip(*measured, strict=True))
    figure = f"{after:.2f} ms a page, before {before:.2f}: {after / before:.2f} x"
    return say("building meetings.db and the index", figure, "at most 1.5 x", after <= 1.5 * before)


def built(pages: int) -> tuple[float, float]:
    """Return the processor time of both databases, and of those of the version before."""

    def used(action: Callable[[], object]) -> float:
        began = time.process_time()
        action()
        return time.process_time() - began

    with tempfile.TemporaryDirectory(prefix="clerk-bench-search-") as scratch:
        folder = Path(scratch) / "bench"
        rows = write_site(folder, pages, PAGES_PER_DOCUMENT, Prose())
        meetings = used(lambda: compile_rows(folder, rows, into_index=False))
        into_tantivy = used(lambda: index_folder(folder))

        def fts5() -> None:
            with (
                contextlib.closing(site_schema.open_readonly(folder / "meetings.db")) as source,
                contextlib.closing(bare_fts5(Path(scratch) / "sites.db")) as other,
            ):
                texts = source.execute("SELECT search_text FROM minutes").fetchall()
                other.executemany("INSERT INTO pages(search_text) VALUES (?)", texts)
                other.commit()

        return meetings + into_tantivy, meetings + used(fts5)


def one_change(small: Path, large: Path, town: Town, rounds: int) -> bool:
    """Compare the processor time of one changed document in indexes of two sizes."""
    (document,) = itertools.islice(town.documents(PAGES_PER_DOCUMENT), 1)
    taken: dict[Path, list[float]] = {small: [], large: []}
    visible = 0.0
    for turn in range(rounds):
        for storage, times in taken.items():
            text = f"turn{turn}x " + town.text()
            changed = [PageText(page.number, text, *_of(page)) for page in document.pages]
            began, at = time.process_time(), time.perf_counter()
            folder = search_folder(storage) / index.require_layout(storage).shards[0]
            with ShardWriter(folder) as writer:
                progress = writer.progress() or index.ShardProgress()
                writer.put(
                    IndexedDocument(document.id, document.facts, "S1", "eng", "", turn, changed)
                )
                writer.commit(progress)
            times.append(time.process_time() - began)
            assert search(storage, Query(f"turn{turn}x")).total == PAGES_PER_DOCUMENT
            visible = max(visible, time.perf_counter() - at)
    few, many = (1000 * statistics.median(times) for times in taken.values())
    figure = f"{many:.0f} ms, small index {few:.0f} ms: {many / few:.2f} x"
    return all(
        (
            say("one changed document", figure, "at most 2 x", many <= 2 * few),
            say("found again after", f"{visible:.2f} s at most", "at most 2 s", visible <= 2),
        )
    )


def _of(page: PageText) -> tuple[str, str, str]:
    return page.kind, page.body, page.date


#: Serves some searches in a process of its own, and prints what memory it has of its own.
MEMORY = """
import asyncio, sys
sys.path.insert(0, sys.argv[1])
from bench.search import _ask_all
asyncio.run(_ask_all(sys.argv[2].split(), 8, 2))
print([line for line in open("/proc/self/status") if line.startswith(("RssAnon", "VmRSS"))])
"""


def memory(words: Sequence[str]) -> bool:
    """Measure the memory of a serving process; the mapped files of the index are not its own."""
    root = str(Path(__file__).parents[1])
    command = [sys.executable, "-c", MEMORY, root, " ".join(words)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    kilobytes = [int(part) for part in said.split() if part.isdigit()]
    if len(kilobytes) < 2:
        return say("memory of a serving process", "not known on this system")
    resident, own = kilobytes[:2]
    figure = f"{own / 1000:.0f} MB, with the mapped index {resident / 1000:.0f} MB"
    return say("memory of a serving process", figure, "under 300 MB", own < 300_000)


def eight_shards(scratch: Path, storage: Path, pages: int | None, words: Sequence[str]) -> None:
    """Ask eight shards, and show what merging them costs compared with one."""
    many = scratch / f"shards-{pages or 'linked'}"
    names = [f"{shard}-000001" for shard in range(8)]
    if index.read_layout(many) is None:
        shutil.rmtree(many, ignore_errors=True)
        search_folder(many).mkdir(parents=True)
        if pages is None:
            of_one = search_folder(storage) / index.require_layout(storage).shards[0]
            for name in names:
                shutil.copytree(of_one, search_folder(many) / name, copy_function=os.link)
        else:
            build_shards(many, names, 8 * pages)
        index.write_layout(many, index.Layout(index.VERSION, names))
    taken: dict[Path, list[float]] = {storage: [], many: []}
    waited: dict[Path, list[float]] = {storage: [], many: []}
    for word in [words[0], *words, *words]:
        for at, times in taken.items():
            open_index(at).counts.clear()
            began, began_at = time.process_time(), time.perf_counter()
            found = search(at, Query(f'"{word}"'))
            assert found.count_by(*FACETS)
            times.append(1000 * (time.process_time() - began))
            waited[at].append(1000 * (time.perf_counter() - began_at))
    one, eight = (statistics.median(times) for times in taken.values())
    wall = statistics.median(waited[many])
    figure = f"{eight:.1f} ms ({wall:.1f} ms wall), one shard {one:.1f} ms: {eight / one:.1f} x"
    counts = [search(at, Query(f'"{words[0]}"')).total for at in (many, storage)]
    say(f"eight shards, {counts[0]:,} hits, and one, {counts[1]:,}", figure)


def build_shards(storage: Path, names: Sequence[str], pages: int) -> None:
    """Build an index of several shards, each site in its own one."""
    with contextlib.ExitStack() as stack:
        writers = [
            stack.enter_context(ShardWriter(search_folder(storage) / name, writer_bytes=30_000_000))
            for name in names
        ]
        places = set()
        for document in Town(Sizes(sites=max(8, pages // 1000))).documents(pages):
            site = document.facts.site
            writer = writers[index.shard_of(site, len(names))]
            if site not in places:
                places.add(site)
                writer.put_place(index.PlaceFacts(site, site.title(), document.state, "eng"))
            writer.put(document)
        for writer in writers:
            writer.commit(index.ShardProgress())


def bare_fts5(path: Path) -> sqlite3.Connection:
    """Open an empty contentless FTS5 table, as the version before had it."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute(
        "CREATE VIRTUAL TABLE IF NOT EXISTS pages USING fts5("
        f'search_text, content="", tokenize="{site_schema.TOKENIZER}")'
    )
    return connection


def main() -> int:
    """Measure and print; 1 if a bar is missed."""
    parser = options.parser("search", __doc__)
    parser.add_argument("--pages", type=int, default=Sizes.pages)
    parser.add_argument("--sites", type=int, default=Sizes.sites)
    parser.add_argument("--words", type=int, default=Sizes.words_per_page, help="words of a page")
    parser.add_argument("--folder", type=Path, help="keep what is built here for the next run")
    parser.add_argument("--no-fts5", action="store_true", help="do not compare with FTS5")
    parser.add_argument("--shard-pages", type=int, help="pages of each of the eight shards")
    parser.add_argument("--minutes", type=float, help="begin nothing more after so many minutes")
    parser.add_argument("--only", action="append", help="measure only this; may be repeated")
    asked = parser.parse_args()
    sizes = TINY if asked.tiny else Sizes(asked.pages, asked.sites, asked.words)
    met = []
    begun = time.monotonic()
    with contextlib.ExitStack() as stack:
        scratch = asked.folder or Path(
            stack.enter_context(tempfile.TemporaryDirectory(prefix="clerk-bench-search-"))
        )
        storage, small, tenth = (scratch / name for name in ("large", "small", "tenth"))
        used = build(storage, sizes)
        build(small, replace(sizes, pages=min(10_000, sizes.pages)))
        # As many pages of each site, of a tenth of the sites.
        build(tenth, replace(sizes, pages=sizes.pages // 10, sites=max(6, sizes.sites // 10)))
        write_databases(storage, sizes)
        config.work_embedded_in(storage)
        schema.upgrade(db.get_civic_db())
        held = sum(path.stat().st_size for path in search_folder(storage).rglob("*.*"))
        figure = f"{held / sizes.pages:.0f} bytes a page, {1000 * used / sizes.pages:.2f} ms of CPU"
        most = f"at most {BYTES_A_PAGE}"
        is_small = held / sizes.pages <= BYTES_A_PAGE
        met.append(say(f"index of {sizes.pages:,} pages", figure, most, is_small))
        town = Town(sizes)
        common = town.words[: sizes.rounds]

        def compare_with_fts5() -> bool:
            if asked.no_fts5:
                return True
            half = next(
                word
                for word in town.words
                if search(storage, Query(f'"{word}"')).total <= sizes.pages * 0.55
            )
            with contextlib.closing(build_fts5(scratch / "fts5.db", sizes)) as fts:
                return against_fts5(storage, fts, half, sizes.rounds)

        def ask_eight_shards() -> bool:
            eight_shards(scratch, storage, asked.shard_pages, common)
            return True

        measurements: dict[str, Callable[[], bool]] = {
            "bare tantivy": lambda: against_tantivy(storage, common, town.words[sizes.rounds + 1]),
            "FTS5": compare_with_fts5,
            "one site": lambda: one_site(tenth, storage, common),
            "clients": lambda: under_load(common, sizes.requests),
            "memory": lambda: memory(common),
            "eight shards": ask_eight_shards,
            "building": lambda: building(sizes.built_pages, sizes.built_rounds),
            "one change": lambda: one_change(small, storage, town, sizes.rounds),
        }
        if unknown := set(asked.only or ()) - measurements.keys():
            parser.error(f"unknown: {', '.join(unknown)}; known: {', '.join(measurements)}")
        for name in asked.only or measurements:
            if asked.minutes and time.monotonic() > begun + 60 * asked.minutes:
                met.append(say(name, "not measured: the time is over", "measured", False))
            else:
                met.append(measurements[name]())
    return options.exit_code(tiny=asked.tiny, bars_met=all(met))


if __name__ == "__main__":
    sys.exit(main())
