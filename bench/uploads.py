"""How fast an annotation collection is stored, beside bare decoding and bulk writing of its rows.

    python bench/uploads.py [--denotations 1000000] [--small 100000] [--only sqlite|postgresql]

The same generated collection (denotations, as many attributes, a relation for every fourth) goes
into the same tables twice, in fresh databases: once bare, by one process that decodes with msgspec
and writes with COPY (PostgreSQL) or executemany in one transaction (SQLite) and does nothing else;
once as an upload, with checks, ledger, heartbeat and counts.  Only the ratio is a claim.  The
memory is the largest working process of the small and of the large upload; the ledger's share is
the processor time of the process that claims, beats and counts, in that of all.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.annotations import collection
from bench.servers import postgres

#: What the ratio, the growth of memory and the ledger's share must not exceed.
RATIO, GROWTH, SHARE = 2.0, 1.2, 0.05


def in_another_process(what: str, file: Path, workers: int = 0) -> dict[str, Any]:
    """Run one measurement in a process of its own and return what it found."""
    command = [sys.executable, __file__, "--run", what, "--file", str(file)]
    done = subprocess.run(
        [*command, "--workers", str(workers)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(done.stderr)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


# ----------------------------------------------------------------- inside the other process


def bare(file: Path) -> dict[str, Any]:
    """Decode and write the same rows without anything else; return the seconds of both."""
    from clerk.annotations import attribute_rows, denotation_rows, relation_rows, store
    from clerk.annotations.model import CheckedObject
    from clerk.core import db

    decoder = msgspec.json.Decoder(CheckedObject)
    started = time.monotonic()
    with file.open("rb") as lines:
        found = [decoder.decode(line) for line in lines]
    decoding = time.monotonic() - started
    rows: dict[str, list[tuple[Any, ...]]] = {name: [] for name in store.ROW_TABLES}
    for number, each in enumerate(found, 1):
        for name, make in (
            ("denotations", denotation_rows),
            ("relations", relation_rows),
            ("attributes", attribute_rows),
        ):
            made: Any = make(getattr(each, name))
            rows[name] += [(number, place, *row) for place, row in enumerate(made)]
    texts = [
        (n, e.sourcedb, e.sourceid, store.digest_of(e.text), e.text) for n, e in enumerate(found, 1)
    ]
    sets = [(n, 1, n, True) for n in range(1, len(found) + 1)]
    with db.civic_db_connection() as conn:
        store.make_project(conn, "bare")
    started = time.monotonic()
    with db.civic_db_connection() as conn:
        write = store._WRITERS[conn.dialect.name]
        columns = ("id", "sourcedb", "sourceid", "digest", "text")
        write(conn, store.documents, columns, texts)
        columns = ("id", "project_id", "document_id", "is_current")
        write(conn, store.sets, columns, sets)
        for name, table in store.ROW_TABLES.items():
            write(conn, table, [column.name for column in table.columns], rows[name])
    return {"decoding": decoding, "writing": time.monotonic() - started}


def uploaded(file: Path, workers: int) -> dict[str, Any]:
    """Upload the file; return the seconds, the supervisor's share and the largest worker."""
    from clerk.annotations import api

    started = time.monotonic()
    job = api.upload([file], project="ours", create_docs=True)
    before = time.process_time()
    status = job.wait(workers=workers or None)
    seconds = time.monotonic() - started
    supervising = time.process_time() - before
    assert status.succeeded, status
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    working = children.ru_utime + children.ru_stime
    found = {"seconds": seconds, "share": supervising / (supervising + working)}
    return {**found, "largest_mb": children.ru_maxrss / 1024, **status.stored}


# ------------------------------------------------------------------------------- comparing


@contextlib.contextmanager
def fresh(kind: str) -> Iterator[Callable[[], None]]:
    """Run a server, and give a function that names an empty migrated database in the settings."""
    from clerk.core import db, schema

    with contextlib.ExitStack() as stack:
        url = stack.enter_context(postgres()) if kind == "postgresql" else ""
        root = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="clerk-bench-")))
        made = 0

        def make() -> None:
            nonlocal made
            made += 1
            folder = root / str(made)
            folder.mkdir()
            os.environ["STORAGE_DIR"] = str(folder)
            os.environ["DATABASE_URL"] = _new_database(url, f"bench_{made}") if url else ""
            schema.upgrade(db.get_civic_db())
            db.get_civic_db().dispose()

        yield make


def _new_database(url: str, name: str) -> str:
    import psycopg

    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute(f"CREATE DATABASE {name}")
    base, mark, query = url.partition("?")
    return f"{base.rpartition('/')[0]}/{name}{mark}{query}"


def compare(kind: str, large: Path, small: Path) -> bool:
    """Print the figures of one database and say whether they are within the bounds."""
    with fresh(kind) as make:
        make()
        plain = in_another_process("bare", large)
        make()
        ours = in_another_process("upload", large)
        make()
        single = in_another_process("upload", large, workers=1)
        make()
        little = in_another_process("upload", small)
    both = plain["decoding"] + plain["writing"]
    ratio = ours["seconds"] / both
    growth = ours["largest_mb"] / little["largest_mb"]
    share = ours["share"]
    rows = sum(ours[name] for name in ("denotations", "relations", "attributes"))
    print(f"{kind}: {rows:,} rows, {ours['documents']:,} documents")
    print(f"  bare decoding {plain['decoding']:.1f} s + writing {plain['writing']:.1f} s")
    print(f"  upload        {ours['seconds']:.1f} s   {ratio:.2f} x the time")
    print(f"  one worker    {single['seconds']:.1f} s   {single['seconds'] / both:.2f} x the time")
    print(
        f"  largest worker {little['largest_mb']:.0f} MB small, {ours['largest_mb']:.0f} MB large"
    )
    print(f"  share of the ledger {share:.1%}")
    return ratio <= RATIO and growth <= GROWTH and share <= SHARE


def main() -> int:
    """Compare on both databases."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--denotations", type=int, default=1_000_000)
    parser.add_argument("--small", type=int, default=100_000)
    parser.add_argument("--only", choices=["sqlite", "postgresql"])
    parser.add_argument("--run", choices=["bare", "upload"], help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--workers", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        runs = {
            "bare": lambda: bare(options.file),
            "upload": lambda: uploaded(options.file, options.workers),
        }
        print(json.dumps(runs[options.run]()))
        return 0
    kinds = [options.only] if options.only else ["sqlite", "postgresql"]
    with tempfile.TemporaryDirectory(prefix="clerk-bench-") as folder:
        large, small = Path(folder) / "large.jsonl", Path(folder) / "small.jsonl"
        for path, number in ((large, options.denotations), (small, options.small)):
            with path.open("wb") as file:
                file.writelines(collection(number))
        within = [compare(kind, large, small) for kind in kinds]
    return 0 if all(within) else 1


if __name__ == "__main__":
    sys.exit(main())
