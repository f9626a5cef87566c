"""How fast an annotation collection is stored, compared with bare decoding and bulk writing.

    python -m bench.uploads [--denotations 1000000] [--small 100000] [--only sqlite|postgresql]

The same generated collection (denotations, as many attributes, a relation for every fourth) is
stored in the same tables twice, in new databases: once by one process that only decodes with
msgspec and writes with COPY (PostgreSQL) or executemany in one transaction (SQLite); once as an
upload, with checks, ledger, heartbeat and counts.  Only the ratio means anything.  The memory is
that of the largest working process of the small and of the large upload; the ledger's share is
the processor time of the process that claims, sends heartbeats and counts, divided by that of
all processes.  The export of what was stored is compared with the processor time of its upload.
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
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from bench import options
from bench.annotations import collection
from bench.servers import create_database, postgres

#: What the ratio, the growth of memory, the ledger's share, and the processor time of the export
#: divided by that of the upload must not exceed.
RATIO, GROWTH, SHARE, EXPORT = 2.0, 1.2, 0.05, 0.5


def in_another_process(what: str, file: Path, workers: int = 0) -> dict[str, Any]:
    """Run one measurement in a process of its own and return what it found."""
    command = [sys.executable, "-m", "bench.uploads", "--run", what, "--file", str(file)]
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
    from clerk.annotations import annotations_of, store
    from clerk.annotations.objects import CheckedObject
    from clerk.core import db

    decoder = msgspec.json.Decoder(CheckedObject)
    started = time.monotonic()
    with file.open("rb") as lines:
        found = [decoder.decode(line) for line in lines]
    decoding = time.monotonic() - started
    rows: dict[str, list[tuple[Any, ...]]] = {name: [] for name in store.ROW_TABLES}
    for number, each in enumerate(found, 1):
        for name, made in store.rows_from(annotations_of(each)).items():
            rows[name] += [(number, place, *row) for place, row in enumerate(made)]
    texts = [
        (n, e.sourcedb, e.sourceid, store.digest_of(e.text), e.text) for n, e in enumerate(found, 1)
    ]
    sets = [(n, 1, n, True) for n in range(1, len(found) + 1)]
    with db.civic_db_connection() as conn:
        store.make_project(conn, "bare")
    started = time.monotonic()
    with db.civic_db_connection() as conn:
        columns = ("id", "sourcedb", "sourceid", "digest", "text")
        store.write_rows(conn, store.documents, columns, texts)
        columns = ("id", "project_id", "document_id", "is_current")
        store.write_rows(conn, store.sets, columns, sets)
        for name, table in store.ROW_TABLES.items():
            store.write_rows(conn, table, [column.name for column in table.columns], rows[name])
    return {"decoding": decoding, "writing": time.monotonic() - started}


def uploaded(file: Path, workers: int) -> dict[str, Any]:
    """Upload the file; return the seconds, the supervisor's share and the largest worker."""
    from clerk.core import config
    from clerk.pipeline import uploads as api

    started = time.monotonic()
    job = api.upload(config.load(), [file], project="ours", create_docs=True)
    before = time.process_time()
    status = job.wait(config.load(workers=workers or None))
    seconds = time.monotonic() - started
    supervising = time.process_time() - before
    assert status.succeeded, status
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    working = children.ru_utime + children.ru_stime
    found = {"seconds": seconds, "share": supervising / (supervising + working)}
    found["cpu_seconds"] = supervising + working
    return {**found, "largest_mb": children.ru_maxrss / 1024, **status.stored}


def exported() -> dict[str, Any]:
    """Export what was uploaded; return the processor time and the bytes."""
    from clerk.annotations import api

    started = time.process_time()
    size = sum(map(len, api.export("ours")))
    return {"cpu_seconds": time.process_time() - started, "bytes": size}


# ------------------------------------------------------------------------------- comparing


@contextlib.contextmanager
def fresh(kind: str) -> Iterator[Callable[[], None]]:
    """Run a server, and give a function that names an empty migrated database in the settings."""
    from clerk.core import db, schema

    with contextlib.ExitStack() as stack:
        url = stack.enter_context(postgres()) if kind == "postgresql" else ""
        root = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="clerk-bench-")))
        prefix, made = f"bench_{uuid.uuid4().hex[:8]}", 0

        def make() -> None:
            nonlocal made
            made += 1
            folder = root / str(made)
            folder.mkdir()
            os.environ["STORAGE_DIR"] = str(folder)
            os.environ["DATABASE_URL"] = create_database(url, f"{prefix}_{made}") if url else ""
            schema.upgrade(db.get_civic_db())
            db.get_civic_db().dispose()

        yield make


def compare(kind: str, large: Path, small: Path) -> bool:
    """Print the figures of one database and say whether they are within the bounds."""
    with fresh(kind) as make:
        make()
        plain = in_another_process("bare", large)
        make()
        ours = in_another_process("upload", large)
        out = in_another_process("export", large)
        make()
        single = in_another_process("upload", large, workers=1)
        make()
        little = in_another_process("upload", small)
    both = plain["decoding"] + plain["writing"]
    ratio = ours["seconds"] / both
    growth = ours["largest_mb"] / little["largest_mb"]
    share, export = ours["share"], out["cpu_seconds"] / ours["cpu_seconds"]
    rows = sum(ours[name] for name in ("denotations", "relations", "attributes"))
    print(f"{kind}: {rows:,} rows, {ours['documents']:,} documents")
    print(f"  bare decoding {plain['decoding']:.1f} s + writing {plain['writing']:.1f} s")
    print(f"  upload        {ours['seconds']:.1f} s   {ratio:.2f} x the time")
    print(f"  one worker    {single['seconds']:.1f} s   {single['seconds'] / both:.2f} x the time")
    print(
        f"  largest worker {little['largest_mb']:.0f} MB small, {ours['largest_mb']:.0f} MB large"
    )
    print(f"  share of the ledger {share:.1%}")
    print(
        f"  export {out['bytes'] / 1e6:.0f} MB in {out['cpu_seconds']:.1f} s of processor time,"
        f" {export:.2f} x that of the upload ({ours['cpu_seconds']:.1f} s)"
    )
    return ratio <= RATIO and growth <= GROWTH and share <= SHARE and export <= EXPORT


def main() -> int:
    """Compare on both databases."""
    parser = options.parser("uploads", __doc__)
    parser.add_argument("--denotations", type=int, default=1_000_000)
    parser.add_argument("--small", type=int, default=100_000)
    parser.add_argument("--only", choices=["sqlite", "postgresql"])
    parser.add_argument("--run", choices=["bare", "upload", "export"], help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--workers", type=int, default=0, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.run:
        runs = {
            "bare": lambda: bare(asked.file),
            "upload": lambda: uploaded(asked.file, asked.workers),
            "export": exported,
        }
        print(json.dumps(runs[asked.run]()))
        return 0
    if asked.tiny:
        asked.denotations, asked.small, asked.only = 500, 100, asked.only or "postgresql"
    kinds = [asked.only] if asked.only else ["sqlite", "postgresql"]
    with tempfile.TemporaryDirectory(prefix="clerk-bench-") as folder:
        large, small = Path(folder) / "large.jsonl", Path(folder) / "small.jsonl"
        for path, number in ((large, asked.denotations), (small, asked.small)):
            with path.open("wb") as file:
                file.writelines(collection(number))
        within = [compare(kind, large, small) for kind in kinds]
    return options.exit_code(tiny=asked.tiny, bars_met=all(within))


if __name__ == "__main__":
    sys.exit(main())
