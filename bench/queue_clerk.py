"""clerk with documents that cost nothing: what the pipeline itself costs."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from clerk.core import config, db, schema
from clerk.core.child_process import Order, Performed, Report
from clerk.core.states import QUEUES, Step
from clerk.pipeline import runs
from clerk.pipeline.flow import Pipeline


class NoOp(Pipeline):
    """A pipeline whose steps do nothing but note the time."""

    def perform(self, order: Order, index: int, report: Report) -> Performed:
        """Note when the last document and the coordinator were done."""
        if order.step == Step.FETCH:
            return Performed(_found(int(_documents_file().read_text())))
        if order.step == Step.DOCUMENT:
            _note("document")
        if order.step == Step.COORDINATOR:
            _note("coordinator")
            return Performed(1)
        return Performed()


def _documents_file() -> Path:
    """Return the file that tells the workers how many documents the site has."""
    return Path(os.environ["STORAGE_DIR"]) / "documents"


def _found(documents: int) -> dict[str, object]:
    listed = [
        {"name": f"minutes/Council/{n:06}", "bytes": 1, "sha256": f"{n:x}"}
        for n in range(documents)
    ]
    return {"documents": listed, "engine": "none"}


_files: dict[str, int] = {}


def _note(what: str) -> None:
    if what not in _files:
        path = Path(os.environ["STORAGE_DIR"]) / f"{what}-{os.getpid()}.time"
        _files[what] = os.open(path, os.O_CREAT | os.O_WRONLY)
    os.pwrite(_files[what], repr(time.time()).ljust(24).encode(), 0)


def _fan_in_seconds() -> float:
    """Return how long after the last document the coordinator ran."""
    storage = Path(os.environ["STORAGE_DIR"])

    def last(what: str) -> float:
        return max(float(path.read_text()) for path in storage.glob(f"{what}-*.time"))

    return last("coordinator") - last("document")


def prepare() -> None:
    """Make the database and a site."""
    schema.upgrade(db.get_civic_db())
    with db.civic_db_connection() as conn:
        db.upsert_site(conn, {"subdomain": "bench"})


def run_embedded(documents: int) -> tuple[float, float]:
    """Take the site through an embedded run; return the seconds in all and those of the fan-in."""
    from clerk.executors import embedded

    started = time.perf_counter()
    run_id = _start(documents)
    embedded.run(NoOp(config.load()), config.load(), done=lambda: not runs.Unfinished([run_id]))
    return time.perf_counter() - started, _fan_in_seconds()


def run_on_workers(documents: int) -> tuple[float, float]:
    """Have the workers that are up do it; return the seconds in all and those of the fan-in."""
    started = time.perf_counter()
    run_id = _start(documents)
    while runs.Unfinished([run_id]):
        time.sleep(0.01)
    return time.perf_counter() - started, _fan_in_seconds()


def _start(documents: int) -> str:
    _documents_file().write_text(str(documents))
    return runs.start(config.load(), "bench", goal="ocr")


def be_worker() -> None:
    """Be one RQ worker until stopped."""
    from clerk.executors import rq

    rq.work(NoOp(config.load()), QUEUES, config.load(), burst=False)


if __name__ == "__main__":
    sys.exit(be_worker())
