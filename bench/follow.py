"""What does it cost to find who wants to know of new documents?

    python -m bench.follow [--documents 100] [--pages 10] [--subscriptions 10000]

Documents arrive in a compiled site, and each saved search runs over their pages. Bare matching
puts the same pages into an index in memory, parses the same queries and runs them, with the same
engine and nothing else: no manifest, no site's database, no SQL, no hits written down. Bar: at most
twice its CPU time. Prepared matching has the queries parsed and built before. Then the same
documents against 100 searches, the median of some rounds. Bar: at most 5 % of compiling and
indexing them, the median of some sites; no run waits for that.
"""

from __future__ import annotations

import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from sqlalchemy import delete, update

from bench import options
from bench.compile import Prose
from clerk.core import config, db, manifest, schema
from clerk.core.files import SiteFiles
from clerk.core.models import (
    db_now,
    documents_table,
    follow_hits_table,
    follow_waiting_table,
    followers_table,
    runs_table,
    subscriptions_table,
)
from clerk.core.storage import Document, directory_written_whole, site_folder
from clerk.follow import matching
from clerk.pipeline import search_index
from clerk.pipeline.scan import scan_site
from clerk.search import Query, index, parse
from clerk.search.pages_of_some import ChangedPages
from clerk.search.readers import open_index
from clerk.site_db import compile_site

#: Documents of the first are matched; the others are compiled to have more than one measurement.
SITES = (SITE := "bench", "bench2", "bench3", "bench4", "bench5")
FEW = 100
MOST_TIMES, MOST_SHARE = 2.0, 0.05


def cpu_seconds(work: Callable[[], object]) -> float:
    """Return the CPU time of some work, its threads included."""
    before = time.process_time()
    work()
    return time.process_time() - before


def write_documents(subdomain: str, documents: int, pages: int) -> None:
    """Put the text of new documents on disk, as reading leaves it."""
    prose, folder = Prose(), site_folder(config.load().storage_dir, subdomain)
    for number in range(documents):
        name = f"minutes/Council/{2000 + number // 300}-{number % 12 + 1:02}-{number % 25 + 1:02}"
        document = Document.from_name(f"{name}-{number}")
        with directory_written_whole(document.text(folder)) as part:
            for page in range(1, pages + 1):
                text = prose.page(number * pages + page)
                (part / f"page-{page}.txt").write_text(text)


def compile_documents(subdomain: str) -> None:
    """Compile and index what the manifest has, as a run does."""
    settings = config.load()
    with db.reading_connection() as conn:
        site = db.require_site(conn, subdomain)

    def documents(names: Sequence[str] | None) -> list[manifest.DocumentRow]:
        with db.reading_connection() as conn:
            return manifest.documents(conn, subdomain, names)

    compile_site(SiteFiles(settings, subdomain), documents, site)
    search_index.index_site(settings, subdomain)


def follow(queries: Sequence[str]) -> None:
    """Have one follower of each query."""
    with db.civic_db_connection() as conn:
        conn.execute(delete(followers_table))
        values = {"kind": "mail", "address": "ann@example.org", "secret": "x"}
        follower = conn.execute(followers_table.insert().values(values)).inserted_primary_key
        assert follower is not None
        rows = [
            {
                "follower_id": follower[0],
                "kind": "search",
                "asked": {"text": query},
                "digest": f"{number}",
                "label": query,
                "cadence": "daily",
                "state": "active",
            }
            for number, query in enumerate(queries)
        ]
        conn.execute(subscriptions_table.insert(), rows)
        conn.execute(update(subscriptions_table).values(confirmed_at=db_now(-3600)))


def forget_news() -> None:
    """Have every document new once more."""
    with db.civic_db_connection() as conn:
        conn.execute(delete(follow_hits_table))
        conn.execute(delete(follow_waiting_table))
        conn.execute(update(documents_table).values(followed_of=None))
        names = [row.name for row in manifest.documents(conn, SITE)]
        matching._wait(conn, [{"subdomain": SITE, "name": name, "number": 1} for name in names])


def main() -> int:
    """Measure, print, and return 1 if a bar was missed."""
    parser = options.parser("follow", __doc__)
    parser.add_argument("--documents", type=int, default=100)
    parser.add_argument("--pages", type=int, default=10)
    parser.add_argument("--subscriptions", type=int, default=10_000)
    asked = parser.parse_args()
    if asked.tiny:
        asked.documents, asked.pages, asked.subscriptions = 3, 2, 20
    with tempfile.TemporaryDirectory() as folder:
        config.work_embedded_in(Path(folder))
        os.environ["CLERK_WORKERS"] = "1"
        return measure(asked.documents, asked.pages, asked.subscriptions, tiny=asked.tiny)


def measure(documents: int, pages: int, subscriptions: int, *, tiny: bool) -> int:
    """Measure with these sizes."""
    schema.upgrade(db.get_civic_db())
    settings = config.load()
    sites = SITES[:1] if tiny else SITES
    with db.civic_db_connection() as conn:
        for subdomain in sites:
            db.upsert_site(conn, {"subdomain": subdomain, "name": "Bench"})
        conn.execute(
            runs_table.insert().values(
                run_id="r", subdomain=SITE, epoch=1, state="completed", finished_at=db_now(-3600)
            )
        )
    # People follow names and rare words: any of the vocabulary, not those that fill the pages.
    pick, prose = random.Random(2), Prose()
    words = sorted({word for page in range(2000) for word in prose.page(page).split()})
    forms = ("{} {}", '"{} {}"', "{} {} {}", "{} {} -{}")
    queries = [pick.choice(forms).format(*pick.choices(words, k=3)) for _ in range(subscriptions)]
    compiled_in = []
    for subdomain in reversed(sites):
        write_documents(subdomain, documents, pages)
        scan_site(settings, subdomain)
        compiled_in.append(cpu_seconds(partial(compile_documents, subdomain)))
    compiling = statistics.median(compiled_in)

    follow(queries)
    matching.take_in()
    forget_news()
    matching._parsed.cache_clear()
    found = matching.Matched()

    def match() -> None:
        nonlocal found
        found = matching.match(settings)

    whole = cpu_seconds(match)
    opened = index.open_compiled(site_folder(settings.storage_dir, SITE))
    assert opened is not None and found.documents == documents
    place = index.place_in(opened, SITE)
    compiled = index.compiled_documents(opened, place, None).values()
    texts = [index.read_document(opened, place, each) for each in compiled]
    places = open_index(settings.storage_dir).places
    hits = 0

    def bare() -> None:
        nonlocal hits
        changed = ChangedPages(texts, places)
        hits = sum(len(changed.find(Query(query), parse(query))) for query in queries)

    alone = cpu_seconds(bare)
    assert hits == found.hits, (hits, found.hits)
    changed = ChangedPages(texts, places)
    built = [changed.prepared(Query(query), parse(query)) for query in queries]

    def run_prepared() -> None:
        again = ChangedPages(texts, places)
        for query in built:
            again.count(query)

    prepared = cpu_seconds(run_prepared)

    follow(queries[:FEW])
    rounds = []
    for _ in range(1 if tiny else 15):
        forget_news()
        rounds.append(cpu_seconds(match))
    few = statistics.median(rounds)
    print(f"{documents * pages:,} pages, {subscriptions:,} searches, {hits:,} hits; CPU seconds")
    print(f"  a round of matching            {whole:8.3f}   {whole / alone:5.2f} x bare")
    print(f"  bare matching                  {alone:8.3f}")
    print(f"  bare, queries prepared before  {prepared:8.3f}   {whole / prepared:5.2f} x")
    print(f"  compiling and indexing         {compiling:8.3f}")
    share = few / compiling
    print(f"  {FEW} searches                   {few:8.3f}   {share:6.1%} of compiling")
    bars_met = whole <= MOST_TIMES * alone and share <= MOST_SHARE
    return options.exit_code(tiny=tiny, bars_met=bars_met)


if __name__ == "__main__":
    sys.exit(main())
