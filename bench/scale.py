"""What more sites, more history and more documents cost: claims, commands and pages, runs.

    python -m bench.scale [--jobs 10000] [--sites 1000] [--documents 1000 8000] [--scans 24]
                          [--only claims|pages|runs|store] [--former SRC]

Claims with 10 open jobs against many, also if all but one have nothing to claim; commands and pages
over sites with one run each against ten; `clerk run` of a site without changes, and with one new
document, against the same in a site with more documents (processor time of all processes), with
and without the static site, and against an older version of clerk; and how fast scans are read
through a bucket on this machine, against a folder.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import text

from bench import options, servers
from bench._scans import parts, write_scans
from tools.pdf_writer import PdfWriter, Text

CLAIM_BAR = 2.0
STORE_BAR = 0.8
HISTORY_BAR = 1.3
ONE_DOCUMENT = "one document"
RUN_BARS = {"no changes": 1.3, ONE_DOCUMENT: 1.5}
FORMER_BAR = 5.0
RUNS = 10
#: How a site is published when its runs are measured: STATIC_SITE.
WITHOUT_PAGES = "no static site"
WAYS = {WITHOUT_PAGES: "false", "static site": "true"}

_NUMBERS = (
    "WITH RECURSIVE"
    " numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {sites}),"
    " rounds(r) AS (SELECT 1 UNION ALL SELECT r + 1 FROM rounds WHERE r < {runs})"
)
_OPEN = {
    "sites(subdomain)": "'site-' || n FROM numbers",
    "runs(run_id, subdomain, epoch)": "'run-' || n, 'site-' || n, 1 FROM numbers",
    "jobs(id, kind, run_id, subdomain, stage, queue, total)": (
        "n, 'stage', 'run-' || n, 'site-' || n, 'fetch', 'fetch', 1 FROM numbers"
    ),
    "items(job_id, run_id, step, available_at)": (
        "n, 'run-' || n, 'fetch', '2020-01-01 00:00:00.000000' FROM numbers"
    ),
}
_RUN = "'run-' || n || '-' || r"
_TIMES = "FROM numbers, rounds"
_STAGES = (
    "(SELECT 'fetch' AS stage, 1 AS s UNION ALL SELECT 'ocr', 2 UNION ALL SELECT 'compilation', 3"
    " UNION ALL SELECT 'extraction', 4 UNION ALL SELECT 'deploy', 5) stages"
)
_JOB = "((n * 100 + r) * 5 + s)"
_LONG_AGO = "'2026-01-01 00:00:00.000000'"
_HISTORY = {
    "sites(subdomain, current_stage, updated_at, ocr_total, ocr_completed, ocr_failed)": (
        f"'site-' || n, 'completed', {_LONG_AGO}, 10, 9, 1 FROM numbers"
    ),
    "runs(run_id, subdomain, epoch, state, created_at, finished_at)": (
        f"{_RUN}, 'site-' || n, r, 'partial', {_LONG_AGO}, {_LONG_AGO} {_TIMES}"
    ),
    "jobs(id, kind, run_id, subdomain, stage, queue, state, total, completed, failed)": (
        f"{_JOB}, 'stage', {_RUN}, 'site-' || n, stage, stage, 'closed', 10, 9, 1"
        f" {_TIMES}, {_STAGES}"
    ),
    "items(job_id, run_id, step, document, documents, state, error, finished_at)": (
        f"{_JOB}, {_RUN}, 'document', 'minutes/bad', 1, 'failed', 'ValueError: bad', {_LONG_AGO}"
        f" {_TIMES}, {_STAGES} WHERE stage = 'ocr'"
    ),
    "stage_events(at, event, subdomain, run_id, stage, completed, seconds)": (
        f"{_LONG_AGO}, 'finished', 'site-' || n, {_RUN}, stage, 10, 1.0 {_TIMES}, {_STAGES}"
    ),
}


def main() -> int:
    """Measure everything; return 1 when a bar is missed."""
    parser = options.parser("scale", __doc__)
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--sites", type=int, default=1_000)
    parser.add_argument("--documents", type=int, nargs=2, default=(1_000, 8_000))
    parser.add_argument("--scans", type=int, default=24, help="pages read through a bucket")
    parser.add_argument("--only", choices=["claims", "pages", "runs", "store"])
    parser.add_argument("--former", type=Path, help="folder src of a version to compare with")
    asked = parser.parse_args()
    jobs, sites, documents, rounds = asked.jobs, asked.sites, tuple(asked.documents), 15
    scans = asked.scans
    if asked.tiny:
        jobs, sites, documents, rounds, scans = 20, 5, (1, 1), 1, 1
    chosen = [asked.only] if asked.only else ["claims", "pages", "runs", "store"]
    met = []
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="clerk-bench-"))
        os.environ["STORAGE_DIR"] = folder
        databases = {
            "SQLite": [] if asked.tiny else [f"sqlite:///{folder}/{each}.db" for each in range(5)],
            "PostgreSQL": [stack.enter_context(servers.postgres()) for _ in range(5)]
            if {"claims", "pages"}.intersection(chosen)
            else [],
        }
        for label, urls in databases.items():
            if urls and "claims" in chosen:
                fill(urls[0], _OPEN, sites=10)
                fill(urls[1], _OPEN, sites=jobs)
                fill(urls[4], _OPEN, sites=jobs)
                delay_all_but_one()
                met += compare(label, urls[:2], CLAIMS, CLAIM_BAR, rounds)
                met += compare(label, [urls[0], urls[4]], DELAYED, CLAIM_BAR, rounds)
            if urls and "pages" in chosen:
                fill(urls[2], _HISTORY, sites=sites, runs=1)
                fill(urls[3], _HISTORY, sites=sites, runs=RUNS)
                met += compare(label, urls[2:4], PAGES, HISTORY_BAR, rounds)
        os.environ.pop("DATABASE_URL", None)
        if "runs" in chosen:
            ways = list(WAYS)[-1:] if asked.tiny else list(WAYS)
            met += compare_runs(Path(folder), documents, min(3, rounds), ways, asked.former)
        if "store" in chosen:
            met += compare_stores(Path(folder), scans, repeats=min(3, rounds))
    return options.exit_code(tiny=asked.tiny, bars_met=all(met))


# ------------------------------------------------------------------------------ the database


def claim() -> None:
    """Claim the next work, and leave it to others."""
    from clerk.core import db
    from clerk.core.states import QUEUES
    from clerk.pipeline import ledger

    with db.get_civic_db().connect() as conn:
        assert ledger.claim(conn, QUEUES, "bench", lambda _: 1)
        conn.rollback()


def list_failures() -> None:
    """Do what ``clerk failures list`` and its page do."""
    from clerk.pipeline import failures

    assert failures.find()


def show_site() -> None:
    """Do what ``clerk site show`` does."""
    from clerk.core import config
    from clerk.pipeline import sites

    assert sites.describe(config.load(), "site-1").runs


def show_overview() -> None:
    """Do what the overview page, ``clerk pipeline-status`` and ``/metrics`` do."""
    from clerk.core import config
    from clerk.ops import counts

    assert counts.figures(config.load()).failed.documents


def list_sites() -> None:
    """Do what the page of all sites does."""
    from clerk.ops import activity

    assert activity.list_sites()


def list_jobs() -> None:
    """Do what the page of batches does."""
    from clerk.ops import activity

    assert activity.stage_jobs(50)
    activity.list_batches(limit=50)
    activity.recent_events()


Actions = dict[str, Callable[[], None]]
CLAIMS: Actions = {"claim": claim}
DELAYED: Actions = {"claim, others delayed": claim}
PAGES: Actions = {
    "failures list": list_failures,
    "site show": show_site,
    "/ops": show_overview,
    "/ops/sites": list_sites,
    "/ops/batches": list_jobs,
}


def compare(label: str, urls: list[str], actions: Actions, bar: float, rounds: int) -> list[bool]:
    """Do each action on a small and a large database, and print how their best times compare."""
    met = []
    # A server's processor time is not this process's.
    clock = time.process_time if label == "SQLite" else time.perf_counter
    for name, action in actions.items():
        times: list[list[float]] = [[], []]
        for turn in range(rounds + 1):
            for url, measured in zip(urls, times, strict=True):
                os.environ["DATABASE_URL"] = url
                started = clock()
                for _ in range(5):
                    action()
                if turn:
                    measured.append(clock() - started)
        # Other programs only ever add to a time.
        small, large = map(min, times)
        print(f"{label:11} {name:21} {large / small:5.2f} times (bar {bar})", flush=True)
        met.append(large / small <= bar)
    return met


def delay_all_but_one() -> None:
    """Have all items of the current database tried again much later, but for the last."""
    from clerk.core import db

    with db.civic_db_connection() as conn:
        last = "(SELECT max(id) FROM items)"
        delayed = f"UPDATE items SET available_at = '2099-01-01 00:00:00.000000' WHERE id < {last}"
        conn.execute(text(delayed))


def fill(url: str, tables: dict[str, str], *, sites: int, runs: int = 1) -> None:
    """Make a database with these rows."""
    from clerk.core import db, schema

    os.environ["DATABASE_URL"] = url
    schema.upgrade(db.get_civic_db())
    with db.civic_db_connection() as conn:
        for into, selected in tables.items():
            numbers = _NUMBERS.format(sites=sites, runs=runs)
            conn.execute(text(f"INSERT INTO {into} {numbers} SELECT {selected}"))
    with db.get_civic_db().connect() as conn:
        conn.execution_options(isolation_level="AUTOCOMMIT").execute(text("ANALYZE"))


# -------------------------------------------------------------------------------------- runs


@dataclass
class Measured:
    """A site whose runs are measured, perhaps by another version of clerk."""

    folder: Path
    documents: int
    environment: dict[str, str]

    def __post_init__(self) -> None:
        self._source, storage = self.folder / "source", self.folder / "storage"
        self._source.mkdir(parents=True)
        storage.mkdir()
        # Sites of all sizes have as many documents in the last year, whose page is made again.
        self._written = itertools.count((_DAYS // 2 - self.documents) % _DAYS)
        for _ in range(self.documents):
            _write(self._source, next(self._written))
        self.environment["STORAGE_DIR"] = str(storage)
        _clerk("site", "add", "bench", "--from", str(self._source), **self.environment)

    def run(self, way: str, *, one_more: bool = False) -> float:
        """Run the site with or without a new document; return the processor seconds."""
        if one_more:
            _write(self._source, next(self._written))
        return _clerk("run", "bench", STATIC_SITE=WAYS[way], **self.environment)


def compare_runs(
    folder: Path,
    documents: tuple[int, ...],
    repeats: int,
    ways: Sequence[str],
    former: Path | None,
) -> list[bool]:
    """Run a small and a large site again, in turn, and print how their processor time compares."""
    os.environ.update(options.bytecode(folder / "bytecode"))
    sites = {
        name: Measured(folder / f"runs-{name}", number, {})
        for name, number in zip(("small", "large"), documents, strict=True)
    }
    if former:
        path = {"PYTHONPATH": str(former)}
        sites["former"] = Measured(folder / "runs-former", documents[1], path)
    met = []
    for way in ways:
        compared = [name for name in sites if name != "former" or way == WITHOUT_PAGES]
        # A site in use has former versions, too; where nothing is repeated, nothing is measured.
        for name, _ in itertools.product(compared, range(3 if repeats > 1 else 0)):
            sites[name].run(way, one_more=True)
        for change, bar in RUN_BARS.items():
            spent: dict[str, float] = {}
            for name in compared * repeats:
                seconds = sites[name].run(way, one_more=change == ONE_DOCUMENT)
                # Other programs only ever add to a time.
                spent[name] = min(seconds, spent.get(name, seconds))
            ratio = spent["large"] / spent["small"]
            figures = f"{spent['large']:.2f} s / {spent['small']:.2f} s = {ratio:.2f} times"
            size = f"{documents[1]} / {documents[0]} documents"
            print(f"run, {way}, {change}, {size}: {figures} (bar {bar})", flush=True)
            met.append(ratio <= bar)
            if "former" in spent and change == ONE_DOCUMENT:
                ratio = spent["former"] / spent["large"]
                figures = f"{spent['former']:.2f} s / {spent['large']:.2f} s = {ratio:.1f} times"
                print(f"run, {change}, before / now: {figures} (bar {FORMER_BAR})", flush=True)
                met.append(ratio >= FORMER_BAR)
    return met


def compare_stores(folder: Path, pages: int, repeats: int) -> list[bool]:
    """Read scans from a folder and through a bucket on this machine, in turn; print the ratio."""
    if not options.is_installed("moto", "reading through a bucket"):
        return []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import boto3
        from moto.server import ThreadedMotoServer

    source = folder / "scans"
    parts(write_scans(folder / "scans.pdf", None, [], max(pages // 2, 1), pages), source, 2)
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    keys = {
        "AWS_ACCESS_KEY_ID": "bench",
        "AWS_SECRET_ACCESS_KEY": "bench",
        "AWS_REGION": "us-east-1",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ALLOW_HTTP": "true",
        # Most documents do not stay on the machine between being fetched and being read.
        "STORAGE_CACHE_MB": "1",
    }
    os.environ.update(keys)
    boto3.client("s3").create_bucket(Bucket="bench")
    seconds: dict[str, list[float]] = {"folder": [], "bucket": []}
    for turn in range(repeats):
        for way, measured in seconds.items():
            storage = folder / f"store-{way}-{turn}"
            storage.mkdir()
            os.environ["STORAGE_DIR"] = str(storage)
            if way == "bucket":
                os.environ["STORAGE_URL"] = f"s3://bench/turn-{turn}"
            _clerk("site", "add", "bench", "--from", str(source))
            started = time.perf_counter()
            _clerk("run", "bench")
            measured.append(time.perf_counter() - started)
            os.environ.pop("STORAGE_URL", None)
    server.stop()
    ratio = min(seconds["folder"]) / min(seconds["bucket"])
    print(f"scans through a bucket, against a folder: {ratio:5.2f} times as fast (bar {STORE_BAR})")
    return [ratio >= STORE_BAR]


#: Documents of a year.
_DAYS = 12 * 28


def _write(folder: Path, number: int) -> None:
    """Write the minutes of a day."""
    day = f"{1990 + number // _DAYS}-{number // 28 % 12 + 1:02}-{number % 28 + 1:02}"
    lines = (
        f"Minutes of the Council, {day}",
        f"Moved by Ms. Abel, seconded by Mr. Ames, to approve item {number}.",
        "The motion carried 4 to 1.",
    )
    writer = PdfWriter()
    writer.add_page(
        [Text(72, 700 - 20 * at, "Times-Roman", 12, line) for at, line in enumerate(lines)]
    )
    (folder / f"Council {day} minutes.pdf").write_bytes(writer.getvalue())


def _clerk(*arguments: str, **environment: str) -> float:
    """Run a command to its end and return its processor seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "clerk", *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, env=os.environ | environment)
    if ended.returncode:
        ran = f"clerk {' '.join(arguments)} ended with {ended.returncode}"
        sys.exit(f"{ran}:\n{ended.stdout}{ended.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    sys.exit(main())
