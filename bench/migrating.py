"""How long migrating an old installation takes, compared with only reading its directories.

    python -m bench.migrating [--sites 10000] [--documents 3]

Every site is stuck in ocr.  Counting documents needs at least a look into the directories;
migrating also reads the old tables and writes the counters.  The bar is 3 times.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from bench import options, servers

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

BAR = 3.0


def main() -> int:
    """Measure on SQLite and on PostgreSQL; return 1 when the bar is missed."""
    parser = options.parser("migrating", __doc__)
    parser.add_argument("--sites", type=int, default=10_000)
    parser.add_argument("--documents", type=int, default=3)
    asked = parser.parse_args()
    sites = 5 if asked.tiny else asked.sites
    with tempfile.TemporaryDirectory(prefix="clerk-bench-") as name, servers.postgres() as url:
        storage = Path(name, "sites")
        subdomains = make_documents(storage, sites, asked.documents)
        os.environ["STORAGE_DIR"] = str(storage)
        worst = 0.0
        for label, database in (("SQLite", f"sqlite:///{name}/clerk.db"), ("PostgreSQL", url)):
            os.environ["DATABASE_URL"] = database
            worst = max(worst, measure(label, storage, subdomains))
    print(f"bar: {BAR} times")
    return options.exit_code(tiny=asked.tiny, bars_met=worst <= BAR)


def make_documents(storage: Path, sites: int, documents: int) -> list[str]:
    """Write sites where all documents but one have text."""
    import legacy

    subdomains = [f"site{number:05}.ca.us" for number in range(sites)]
    for subdomain in subdomains:
        legacy.write_documents(storage / subdomain, both=documents - 1, pdf=1)
    return subdomains


def measure(label: str, storage: Path, subdomains: list[str]) -> float:
    """Migrate the sites, reading the directories before and after, and return the ratio."""
    from clerk.core import db
    from clerk.ops import takeover

    install(subdomains)
    before = seconds(lambda: read_directories(storage, subdomains))
    taken = seconds(lambda: takeover.migrate_stuck_sites(storage))
    after = seconds(lambda: read_directories(storage, subdomains))
    db.get_civic_db().dispose()
    reading = (before + after) / 2
    ratio = taken / reading
    print(
        f"{label:11} {len(subdomains)} sites: reading {reading:.2f} s, migrating {taken:.2f} s,"
        f" {ratio:.2f} times"
    )
    return ratio


def install(subdomains: list[str]) -> None:
    """Create the old database of the sites and upgrade its schema."""
    import legacy

    from clerk.core import db, schema

    engine = db.get_civic_db()
    legacy.create_tables(engine, "plain")
    rows = [{"name": subdomain} for subdomain in subdomains]
    with engine.begin() as conn:
        for statement in (
            "INSERT INTO sites (subdomain, status) VALUES (:name, 'needs_ocr')",
            "INSERT INTO site_progress (subdomain, current_stage, stage_total, updated_at)"
            " VALUES (:name, 'ocr', 3, '2026-01-17 08:00:00')",
        ):
            conn.execute(legacy.text(statement), rows)
    schema.upgrade(engine)


def read_directories(storage: Path, subdomains: list[str]) -> int:
    """List every file below the directories that hold documents."""
    return sum(1 for subdomain in subdomains for _ in _files(storage / subdomain))


def _files(site: Path) -> Iterator[str]:
    for below in ("pdfs", "txt", "_agendas/pdfs", "_agendas/txt"):
        for _, _, names in os.walk(site / below):
            yield from names


def seconds(work: Callable[[], object]) -> float:
    """Return how long something took."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


if __name__ == "__main__":
    sys.exit(main())
