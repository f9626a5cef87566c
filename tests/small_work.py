"""Small real work on files, for proving the flow: what a document says is what happens to it.

A "PDF" here is a file whose first words are an order: ``fine``, ``raise``, ``bad``,
``transient 2``, ``crash SIGSEGV``, ``crash-once``, ``hang``, ``memory``, ``full``, ``slow 0.5``,
``nul``.  A file ``on-compile`` (fetch, coordinator, extract, deploy) in the site's folder orders
the same for a step of the site.  Reading copies a document into its text directory, as the real
reader does: by one rename.
"""

from __future__ import annotations

import contextlib
import faulthandler
import functools
import os
import shutil
import signal
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from clerk.core import config, db, storage
from clerk.core.child_process import Order, Performed, Report
from clerk.core.errors import SourceUnavailable, UnreadablePdf
from clerk.core.models import (
    items_table,
    jobs_table,
    runs_table,
    sites_table,
    stage_events_table,
)
from clerk.core.states import QUEUES, Run, Step
from clerk.executors import embedded, pool, postgresql, rq
from clerk.pipeline import steps, transitions
from clerk.pipeline.flow import Pipeline
from clerk.pipeline.ledger import settling

ENGINE = "copying 1"

#: What a hanging document is allowed before it is given up.
HANG_SECONDS = 0.3


class SmallWork(Pipeline):
    """The pipeline with hands that only copy files."""

    def perform(self, order: Order, index: int, report: Report) -> Performed:
        """Do one item as its order says."""
        folder = storage.site_folder(config.load().storage_dir, order.site["subdomain"])
        if order.step == Step.DOCUMENT:
            return _read(folder, order.items[index].name, report)
        instruction = folder / f"on-{order.step}"
        if instruction.is_file():
            obey(instruction.read_text(), instruction, report)
        return _STEPS[order.step](folder)


def turn_until(condition: Callable[[], bool], worker: pool.Pool, turns: int = 300) -> None:
    """Let a worker take turns until something holds; fail instead of waiting for ever."""
    for _ in range(turns):
        if condition():
            return
        worker.turn()
    raise AssertionError(f"the worker did not get there in {turns} turns")


def obey(words: str, source: Path, report: Report) -> None:
    """Raise, crash, hang ... as the words say; come back if they say nothing of the kind."""
    order, *more = words.split() or [""]
    match order:
        case "raise":
            raise ValueError("this document raises")
        case "nul":
            raise ValueError("a zero \0 in a message, and half a \udc80 character")
        case "bad":
            raise UnreadablePdf("not a PDF")
        case "transient":
            if _tries(source) <= int(more[0]):
                raise SourceUnavailable("come back later")
        case "crash":
            faulthandler.disable()
            os.kill(os.getpid(), signal.Signals[more[0]])
        case "crash-once":
            if _tries(source) == 1:
                os.kill(os.getpid(), signal.SIGKILL)
        case "hang":
            report(HANG_SECONDS)
            time.sleep(600)
        case "memory":
            _ = bytearray(1 << 40)
        case "full":
            _write_to_a_full_device(source)
        case "slow":
            time.sleep(float(more[0]))


def _write_to_a_full_device(source: Path) -> None:
    try:
        Path("/dev/full").write_text("no room for this")
    except OSError as error:
        raise steps.storage_trouble(error, source.parent) or error from error


def _tries(source: Path) -> int:
    """Count, on disk, how often a file was worked on."""
    diary = source.with_name(f".{source.name}.tries")
    with diary.open("a") as file:
        file.write("x")
    return diary.stat().st_size


def _read(folder: Path, name: str, report: Report) -> Performed:
    document = storage.Document.from_name(name)
    pdf = document.pdf(folder)
    words = pdf.read_text()
    _note(folder, f"read {name}")
    with storage.directory_written_whole(document.text(folder)) as part:
        (part / "page-1.txt").write_text(words)
        obey(words, pdf, report)
        (part / "sha256").write_text(storage.sha256_of(pdf))
    return Performed(pages=1)


def _fetch(folder: Path) -> Performed:
    documents, carried = [], 0
    for document in storage.pdf_documents(folder):
        pdf = document.pdf(folder)
        sha256 = storage.sha256_of(pdf)
        mark = document.text(folder) / "sha256"
        if mark.is_file() and mark.read_text() == sha256:
            carried += 1
        else:
            size = pdf.stat().st_size
            documents.append({"name": document.name, "bytes": size, "sha256": sha256})
    return Performed({"documents": documents, "carried": carried, "engine": ENGINE})


def _coordinate(folder: Path) -> Performed:
    return Performed(sum(1 for _ in storage.text_documents(folder)))


def _compile(folder: Path) -> Performed:
    _note(folder, "compile")
    texts = sorted(document.name for document in storage.text_documents(folder))
    with storage.written_whole(folder / "meetings.db") as part:
        part.write_text("\n".join(texts))
    return Performed()


def _extract(folder: Path) -> Performed:
    _note(folder, "extract")
    return Performed()


def _deploy(folder: Path) -> Performed:
    _note(folder, "deploy")
    published = config.load().published / folder.name
    with storage.written_whole(published / "meetings.db") as part:
        shutil.copy(folder / "meetings.db", part)
    return Performed()


def _note(folder: Path, words: str) -> None:
    with (folder / "diary").open("a") as diary:
        diary.write(words + "\n")


_STEPS: dict[str, Callable[[Path], Performed]] = {
    Step.FETCH: _fetch,
    Step.COORDINATOR: _coordinate,
    Step.COMPILE: _compile,
    Step.EXTRACT: _extract,
    Step.DEPLOY: _deploy,
}


# --------------------------------------------------------------------------------- a town


class Town:
    """A site with its folder, as a test sees it."""

    def __init__(self, subdomain: str) -> None:
        self.subdomain = subdomain
        self.folder = config.load().storage_dir / subdomain
        self.folder.mkdir(parents=True, exist_ok=True)

    def pdf(self, name: str, words: str = "fine", kind: str = storage.MINUTES) -> Path:
        """Write a document; its words are its order."""
        path = storage.Document(kind, "Council", name).pdf(self.folder)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(words)
        return path

    def pdfs(self, number: int, words: str = "fine") -> None:
        """Write some documents alike."""
        for each in range(number):
            self.pdf(f"2024-01-{each + 1:02}", words)

    def text(self, name: str, kind: str = storage.MINUTES) -> Path:
        """Write the text of a document as if it had been read."""
        page = storage.Document(kind, "Council", name).text(self.folder) / "page-1.txt"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text("fine")
        return page

    def on(self, step: str, words: str) -> None:
        """Order what happens to a step of the site."""
        (self.folder / f"on-{step}").write_text(words)

    def start(self, **how: Any) -> str:
        """Open a run."""
        with db.civic_db_connection() as conn:
            return transitions.start_run(conn, self.subdomain, **how)

    @property
    def row(self) -> Any:
        """The site's row."""
        with db.reading_connection() as conn:
            chosen = select(sites_table).where(sites_table.c.subdomain == self.subdomain)
            return conn.execute(chosen).one()

    @property
    def counts(self) -> tuple[int, int, int]:
        """Total, completed and failed documents of the reading."""
        row = self.row
        return row.ocr_total, row.ocr_completed, row.ocr_failed

    @property
    def run(self) -> Any:
        """The last run."""
        with db.reading_connection() as conn:
            runs = select(runs_table).where(runs_table.c.subdomain == self.subdomain)
            return conn.execute(runs.order_by(runs_table.c.epoch.desc()).limit(1)).first()

    def items(self, step: str = Step.DOCUMENT) -> dict[str, Any]:
        """The rows of the last run, by document."""
        run = self.run
        with db.reading_connection() as conn:
            rows = conn.execute(
                select(items_table)
                .where(items_table.c.run_id == run.run_id, items_table.c.step == step)
                .order_by(items_table.c.id)
            )
            return {(row.document or row.step).rpartition("/")[2]: row for row in rows}

    def job(self, stage: str) -> Any:
        """The parent of a stage in the last run."""
        with db.reading_connection() as conn:
            return conn.execute(
                select(jobs_table).filter_by(run_id=self.run.run_id, stage=stage, kind="stage")
            ).first()

    @property
    def diary(self) -> list[str]:
        """What was done, as the hands noted it."""
        diary = self.folder / "diary"
        return diary.read_text().splitlines() if diary.is_file() else []

    @property
    def published(self) -> list[str]:
        """The documents that were published."""
        path = config.load().published / self.subdomain / "meetings.db"
        return path.read_text().splitlines() if path.is_file() else []


# ------------------------------------------------------------------------------ executors


def hurry(monkeypatch: pytest.MonkeyPatch | None = None) -> None:
    """Shorten the waiting between tries; the number of tries stays."""
    change = monkeypatch.setattr if monkeypatch else setattr
    change(settling, "RETRY_DELAYS", (0.05, 0.05, 0.05))
    change(pool, "OPERATOR_SECONDS", 0.2)
    change(pool, "SWEEP_SECONDS", 0.2)
    change(pool, "CANCEL_CHECK_SECONDS", 0.2)
    change(pool, "LEAVE_SECONDS", 0.5)
    change(rq, "IDLE_SECONDS", 0.1)
    change(postgresql, "POLL_SECONDS", 0.1)
    change(postgresql, "WAIT_SECONDS", 0.1)


def active_runs() -> int:
    """Return how many runs are under way."""
    with db.reading_connection() as conn:
        chosen = select(func.count()).select_from(runs_table)
        return conn.execute(chosen.where(runs_table.c.state == Run.ACTIVE)).scalar_one()


def nothing_active() -> bool:
    """Whether every run has ended."""
    return active_runs() == 0


def work_embedded(done: Callable[[], bool] = nothing_active) -> None:
    """Work in this process until all runs have ended; fail when the ledger stops changing."""
    embedded.run(SmallWork(config.load()), config.load(), done=_done_or_stuck(done))


def _done_or_stuck(done: Callable[[], bool], seconds: float = 25.0) -> Callable[[], bool]:
    """Return a condition that fails if nothing is claimed or recorded for this long."""
    seen: object = None
    look_at = time.monotonic() + seconds

    def ask() -> bool:
        nonlocal seen, look_at
        if done():
            return True
        if time.monotonic() >= look_at:
            claims = select(func.count(), func.sum(items_table.c.attempt))
            events = select(func.max(stage_events_table.c.id))
            with db.reading_connection() as conn:
                now = conn.execute(claims).one(), conn.execute(events).scalar()
            assert now != seen, f"the ledger has not changed for {seconds} s"
            seen, look_at = now, time.monotonic() + seconds
        return False

    return ask


def be_rq_worker() -> None:
    """Work as one RQ worker until a signal comes."""
    rq.work(SmallWork(config.load()), QUEUES, config.load(), burst=False)


def work_on_rq(done: Callable[[], bool] = nothing_active, number: int = 2) -> None:
    """Work with RQ workers in processes of their own until all runs have ended."""
    with workers(number):
        wait_until(done)


def be_notified_worker() -> None:
    """Work as one worker that PostgreSQL notifies, until a signal comes."""
    postgresql.work(SmallWork(config.load()), QUEUES, config.load(), burst=False)


def work_notified(done: Callable[[], bool] = nothing_active, number: int = 2) -> None:
    """Work with PostgreSQL alone in processes of their own until all runs have ended."""
    with workers(number, be_notified_worker):
        wait_until(done)


@contextlib.contextmanager
def workers(number: int, be: Callable[[], None] = be_rq_worker) -> Iterator[list[int]]:
    """Run workers in processes of their own; at the end tell them to stop, and wait."""
    pids = [spawn(be) for _ in range(number)]
    try:
        yield pids
    finally:
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
        for pid in pids:
            reap(pid)


def spawn(function: Callable[[], None]) -> int:
    """Run a function in a forked process; it ends with status 0 if the function returns."""
    stops = (signal.SIGINT, signal.SIGTERM)
    # A signal that meets the child before it has its own handlers would be thrown away.
    signal.pthread_sigmask(signal.SIG_BLOCK, stops)
    pid = os.fork()
    if pid:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, stops)
        return pid
    status = 1
    try:
        for number in stops:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, stops)
        function()
        status = 0
    except embedded.Interrupted:
        status = 130
    except BaseException:  # noqa: BLE001 - the edge of a process: say it and end
        traceback.print_exc()
    finally:
        os._exit(status)


def end(pid: int, number: int = signal.SIGTERM) -> int:
    """Send a signal to a process that :func:`spawn` started, and wait for its end."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)
    return reap(pid)


def reap(pid: int) -> int:
    """Wait for a process and return its exit code, negative for a signal."""
    try:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    except ChildProcessError:
        return 0


def in_own_process(test: Callable[..., None]) -> Callable[..., None]:
    """Run a test in a child: who has used a store must not fork others that do."""

    @functools.wraps(test)
    def run(*args: object, **kwargs: object) -> None:
        assert reap(spawn(lambda: test(*args, **kwargs))) == 0

    return run


def wait_until(true: Callable[[], bool], seconds: float = 60.0) -> None:
    """Wait for something to become true."""
    give_up = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < give_up, f"waited {seconds} s in vain"
        time.sleep(0.02)
