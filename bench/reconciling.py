"""What reconciling costs when nothing is wrong: with a long history compared with a short one.

    python -m bench.reconciling [--sites 10000] [--documents 10 100]

All work is finished; only the number of rows in the ledger differs.  The bar is 1.5 times.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from sqlalchemy import text

from bench import options, servers

BAR = 1.5

_NUMBERS = (
    "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {})"
)
_FINISHED = {
    "sites(subdomain, current_stage)": "'site-' || n, 'completed' FROM numbers",
    "runs(run_id, subdomain, epoch, state)": (
        "'run-' || n, 'site-' || n, 1, 'completed' FROM numbers"
    ),
    "jobs(id, run_id, subdomain, kind, stage, queue, state, total, completed)": (
        "n, 'run-' || n, 'site-' || n, 'stage', 'ocr', 'ocr', 'closed', {documents}, {documents}"
        " FROM numbers"
    ),
    "items(job_id, run_id, step, document, state)": (
        "n, 'run-' || n, 'document', 'minutes/' || k, 'completed' FROM numbers,"
        " (SELECT n AS k FROM numbers WHERE n <= {documents}) documents"
    ),
}


def main() -> int:
    """Measure on SQLite and on PostgreSQL; return 1 when the bar is missed."""
    parser = options.parser("reconciling", __doc__)
    parser.add_argument("--sites", type=int, default=10_000)
    parser.add_argument("--documents", type=int, nargs=2, default=(10, 100), help="of each site")
    asked = parser.parse_args()
    sites, documents, rounds = asked.sites, tuple(asked.documents), 15
    if asked.tiny:
        sites, documents, rounds = 5, (1, 2), 1
    ratios = [on_sqlite(sites, documents, rounds), on_postgres(sites, documents, rounds)]
    print(f"bar: {BAR} times")
    return options.exit_code(tiny=asked.tiny, bars_met=max(ratios) <= BAR)


def on_sqlite(sites: int, documents: tuple[int, int], rounds: int) -> float:
    """Print and return the ratio on SQLite."""
    with tempfile.TemporaryDirectory(prefix="clerk-bench-") as folder:
        urls = [f"sqlite:///{folder}/{number}.db" for number in documents]
        return compare("SQLite", Path(folder), urls, sites, documents, rounds)


def on_postgres(sites: int, documents: tuple[int, int], rounds: int) -> float:
    """Print and return the ratio on two PostgreSQL databases."""
    with (
        tempfile.TemporaryDirectory(prefix="clerk-bench-") as folder,
        servers.postgres() as short,
        servers.postgres() as long,
    ):
        return compare("PostgreSQL", Path(folder), [short, long], sites, documents, rounds)


def compare(
    label: str,
    storage: Path,
    urls: list[str],
    sites: int,
    documents: tuple[int, int],
    rounds: int,
) -> float:
    """Reconcile over both histories in turn, and print how the medians compare."""
    os.environ["STORAGE_DIR"] = str(storage)
    for url, number in zip(urls, documents, strict=True):
        os.environ["DATABASE_URL"] = url
        install(sites, number)
    times: list[list[float]] = [[], []]
    for _ in range(rounds):
        for url, measured in zip(urls, times, strict=True):
            os.environ["DATABASE_URL"] = url
            measured.append(seconds_to_reconcile())
    short, long = map(statistics.median, times)
    rows = [f"{sites * number:,}" for number in documents]
    print(f"{label:11} {rows[1]} finished rows against {rows[0]}: {long / short:5.2f} times")
    return long / short


def install(sites: int, documents: int) -> None:
    """Make a database in which everything is finished."""
    from clerk.core import db, schema

    schema.upgrade(db.get_civic_db())
    with db.civic_db_connection() as conn:
        for into, selected in _FINISHED.items():
            numbers = _NUMBERS.format(max(sites, documents))
            chosen = selected.format(documents=documents)
            conn.execute(text(f"INSERT INTO {into} {numbers} SELECT {chosen}"))
    with db.get_civic_db().connect() as conn:
        conn.execution_options(isolation_level="AUTOCOMMIT").execute(text("ANALYZE"))


def seconds_to_reconcile() -> float:
    """Reconcile once, find nothing, and return how long that took."""
    from clerk.core import config
    from clerk.pipeline import reconcile

    started = time.perf_counter()
    *found, _ = reconcile.reconcile(config.load(), threshold_hours=2)
    assert not found, found
    return time.perf_counter() - started


if __name__ == "__main__":
    sys.exit(main())
