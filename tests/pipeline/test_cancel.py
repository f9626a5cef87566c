"""Cancelling stops the work: within the page, without blame, and whoever cancels it.

Real scans and a real reader; only the OCR engine is a fake, one that takes as long as it is told.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from invariants import forbid_going_back
from small_pdfs import picture_of, printed
from small_uploads import Troubled, exported, line, write
from small_uploads import check as check_uploads
from small_work import (
    SmallWork,
    Town,
    end,
    hurry,
    nothing_active,
    reap,
    spawn,
    turn_until,
    wait_until,
    workers,
)
from sqlalchemy import text

from clerk.core import config
from clerk.core.db import civic_db_connection, reading_connection
from clerk.core.states import QUEUES
from clerk.executors import embedded, rq
from clerk.executors.pool import Pool
from clerk.pipeline import runs, transitions
from clerk.pipeline import uploads as api
from clerk.pipeline.flow import Pipeline, sweep
from clerk.pipeline.uploads import UploadJob
from tools.pdf_writer import LETTER, PdfWriter, encode_jpeg

#: A quarter of a minute for two readers; longer than a page may take to be left, by far.
PAGES = 100
PAGE_SECONDS = "0.3"
FOR_EVER = "600"

#: Takes as long for a page as a file says, and notes which process reads.
ENGINE = """
import os, pathlib, time
import clerk
from clerk.read.ocr import OcrPage, OcrWord

class Slow:
    name = "slow"
    def version(self): return "1"
    def available_languages(self): return ["eng"]
    def recognise(self, image, languages, dpi):
        with open({diary!r}, "a") as file: print(os.getpid(), file=file, flush=True)
        until = time.monotonic() + float(pathlib.Path({pace!r}).read_text())
        while time.monotonic() < until: time.sleep(0.02)
        return OcrPage.of([OcrWord("words", (1, 1, 20, 20), 0.9, 0)])

@clerk.hookimpl
def register_ocr_backends(): return [Slow()]
"""


class Readers:
    """The slow engine as a test sees it."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._diary, self._pace = folder / "diary", folder / "pace"
        plugins = folder / "plugins"
        plugins.mkdir()
        said = ENGINE.format(diary=str(self._diary), pace=str(self._pace))
        (plugins / "slow.py").write_text(said)
        monkeypatch.setenv("CLERK_PLUGINS_DIR", str(plugins))

    def take(self, seconds: str) -> None:
        """Have every page take this long from now on."""
        self._pace.write_text(seconds)

    @property
    def pages(self) -> list[int]:
        """The process that read, for each page that was begun."""
        return [int(line) for line in self._diary.read_text().split()]

    @property
    def processes(self) -> set[int]:
        """The processes that have read pages."""
        return set(self.pages) if self._diary.is_file() else set()


@pytest.fixture
def readers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Readers:
    monkeypatch.setenv("CLERK_WORKERS", "2")
    hurry(monkeypatch)
    return Readers(tmp_path, monkeypatch)


@pytest.fixture
def town(readers: Readers, clerk: Any, database: str, tmp_path: Path) -> Town:
    """A site with one long scan, whose pages two processes read, and three short documents."""
    folder = tmp_path / "documents" / "Council"
    folder.mkdir(parents=True)
    long = PdfWriter()
    picture = encode_jpeg(picture_of(["A page"], 72), 60)
    for number in range(PAGES):
        # The large pages are the ones that tests meet: they have the longest deadline.
        long.add_page(image=picture, size=LETTER if number < 4 else (200.0, 200.0))
    (folder / "2024-05-15 minutes.pdf").write_bytes(long.getvalue())
    for month in (1, 2, 3):
        words = f"Minutes of month {month}: the motion to adopt the budget carried."
        (folder / f"2024-0{month}-15 minutes.pdf").write_bytes(printed([words]))
    clerk("site", "add", "springfield", "--from", str(folder.parent), "--ocr-backend", "slow")
    with civic_db_connection() as conn:
        forbid_going_back(conn)
    return Town("springfield")


@pytest.fixture
def elsewhere(town: Town, clerk: Any, tmp_path: Path) -> Town:
    """Another site, with one document that needs no OCR."""
    folder = tmp_path / "elsewhere" / "Council"
    folder.mkdir(parents=True)
    (folder / "2024-01-15 minutes.pdf").write_bytes(printed(["The council met at seven."]))
    clerk("site", "add", "shelbyville", "--from", str(folder.parent))
    return Town("shelbyville")


Working = Callable[..., contextlib.AbstractContextManager[Any]]


#: An executor with the database that it is deployed with; the others are for `make chaos`.
by_every_executor = pytest.mark.parametrize(
    ("working", "database"),
    [
        ("embedded", "sqlite"),
        ("rq", "postgresql"),
        pytest.param("embedded", "postgresql", marks=pytest.mark.chaos),
        pytest.param("rq", "sqlite", marks=pytest.mark.chaos),
    ],
    indirect=True,
)


@pytest.fixture
def working(request: pytest.FixtureRequest, readers: Readers) -> Working:
    """Read so many documents at once in other processes while the block lasts."""

    @contextlib.contextmanager
    def in_one_process(number: int = 2) -> Iterator[None]:
        settings = replace(config.load(), workers=number)
        pid = spawn(lambda: embedded.run(Pipeline(config.load()), settings, done=lambda: False))
        try:
            yield
        finally:
            assert end(pid) == 130

    if request.param == "embedded":
        return in_one_process
    request.getfixturevalue("redis")

    def be_worker() -> None:
        rq.work(Pipeline(config.load()), QUEUES, config.load(), burst=False)

    return lambda number=2: workers(number, be_worker)


def cancel(town: Town) -> None:
    with civic_db_connection() as conn:
        assert transitions.cancel_run(conn, town.subdomain, "Cancelled by me")


def rows(statement: str) -> list[tuple[Any, ...]]:
    with reading_connection() as conn:
        return [tuple(row) for row in conn.execute(text(statement))]


def is_gone(pid: int) -> bool:
    try:
        return "\nState:\tZ" in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return True


def nobody_is_blamed() -> None:
    """No error, no crash, no failure anywhere, and nothing that a later run would spare."""
    assert rows("SELECT id FROM items WHERE errors + crashes + lost > 0") == []
    assert rows("SELECT document FROM items WHERE state IN ('failed', 'quarantined')") == []
    assert rows("SELECT id FROM batch_job_trackings WHERE status IN ('failed', 'crashed')") == []
    assert rows("SELECT id FROM stage_events WHERE event = 'crashed' OR failed > 0") == []
    assert rows("SELECT document FROM quarantine") == []


# ----------------------------------------------------------------------------------- runs


@by_every_executor
def test_a_cancelled_run_stops_at_the_end_of_the_page(
    working: Working, town: Town, elsewhere: Town, readers: Readers
) -> None:
    readers.take(PAGE_SECONDS)
    runs.start(config.load(), "springfield")
    with working():
        wait_until(lambda: len(readers.processes) == 2)
        cancel(town)
        runs.start(config.load(), "shelbyville")
        wait_until(lambda: elsewhere.run.state == "completed")

    assert len(readers.pages) < PAGES
    assert town.items()["2024-05-15"].state == "cancelled"
    assert not (town.folder / "txt" / "Council" / "2024-05-15").exists()
    nobody_is_blamed()


@by_every_executor
def test_a_page_that_takes_for_ever_is_not_waited_for(
    working: Working, town: Town, readers: Readers
) -> None:
    """Neither by the process that reads the document nor by the one that helps it."""
    readers.take(FOR_EVER)
    runs.start(config.load(), "springfield")
    with working():
        wait_until(lambda: len(readers.processes) == 2)
        cancel(town)
        # A page has a deadline of its own, of 57 seconds: that is not what ends them.
        wait_until(lambda: all(map(is_gone, readers.processes)), 40)

    assert town.items()["2024-05-15"].state == "cancelled"
    nobody_is_blamed()


@by_every_executor
def test_what_was_cancelled_is_shown_as_cancelled_and_read_by_the_next_run(
    working: Working, town: Town, readers: Readers, clerk: Any
) -> None:
    readers.take(FOR_EVER)
    runs.start(config.load(), "springfield")
    with working():
        wait_until(lambda: len(readers.processes) == 2)
        wait_until(lambda: town.row.ocr_completed == 3)
        cancel(town)

        shown = json.loads(clerk("site", "show", "springfield", "--json").out)
        reading = next(each for each in shown["stages"] if each["stage"] == "ocr")
        listed = json.loads(clerk("site", "list", "--json").out)[0]
        batch = json.loads(clerk("batch", "list", "--status", "cancelled", "--json").out)
        assert shown["outcome"] == "cancelled"
        assert (reading["total"], reading["completed"]) == (4, 3)
        assert (reading["failed"], reading["cancelled"], listed["cancelled"]) == (0, 1, 1)
        assert [each["error_message"] for each in batch] == ["Cancelled by me"]
        assert "\nCancelled: 1\n" in clerk("batch", "health").out
        assert clerk("failures", "list").err == "Nothing failed.\n"
        summary = runs.summarise(town.run.run_id)
        assert (summary.state, summary.failed, summary.cancelled) == ("cancelled", 0, 1)

        readers.take("0")
        runs.start(config.load(), "springfield")
        wait_until(lambda: town.run.state == "completed", seconds=150)
    assert town.counts == (4, 4, 0)
    nobody_is_blamed()


@by_every_executor
def test_a_superseded_run_stops_and_the_new_one_continues(
    working: Working, town: Town, readers: Readers
) -> None:
    readers.take(FOR_EVER)
    first = runs.start(config.load(), "springfield")
    with working(1):
        wait_until(lambda: len(readers.processes) == 1)
        stopped = readers.processes
        readers.take("0")
        second = runs.start(config.load(), "springfield", restart=True)
        wait_until(lambda: all(map(is_gone, stopped)), 40)
        wait_until(lambda: town.run.state == "completed", seconds=150)

    assert town.run.run_id == second != first
    assert rows("SELECT DISTINCT error_message FROM batch_job_trackings WHERE status = 'cancelled'")
    nobody_is_blamed()


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_the_command_that_runs_a_site_says_that_it_was_cancelled(
    town: Town, readers: Readers, clerk: Any
) -> None:
    readers.take(FOR_EVER)

    def cancel_it() -> None:
        wait_until(lambda: len(readers.processes) == 2)
        wait_until(lambda: town.row.ocr_completed == 3)
        cancel(town)

    canceller = spawn(cancel_it)
    said = clerk("run", "springfield")

    assert reap(canceller) == 0
    assert said.out.startswith("springfield: cancelled: Cancelled by me\n")
    assert "\n  read       3 of 4 documents (3 pages)\n  cancelled  1 document\n" in said.out
    assert said.code == 4


@pytest.mark.parametrize(
    "step",
    [
        "fetch",
        "compile",
        *(pytest.param(each, marks=pytest.mark.chaos) for each in ("extract", "deploy")),
    ],
)
def test_a_step_without_pages_is_stopped_too(
    make_site: Any, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    hurry(monkeypatch)
    monkeypatch.setenv("CLERK_WORKERS", "1")
    town, other = Town(make_site()), Town(make_site("shelbyville"))
    town.pdfs(2)
    other.pdfs(1)
    town.on(step, "slow 600")
    town.start()
    with Pool(SmallWork(config.load()), QUEUES, config.load()) as one:
        turn_until(lambda: step in one.running.values(), one)
        cancel(town)
        other.start()
        turn_until(nothing_active, one)

    assert (town.run.state, other.run.state) == ("cancelled", "completed")
    nobody_is_blamed()


def test_a_worker_that_was_given_up_leaves_the_work_to_others(
    make_site: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    hurry(monkeypatch)
    town = Town(make_site())
    town.pdf("2024-01-01", "slow 600")
    town.start()
    worker = spawn(lambda: _work_in_one_lane())
    wait_until(lambda: "read minutes/Council/2024-01-01" in town.diary)

    town.pdf("2024-01-01", "fine")
    with civic_db_connection() as conn:
        conn.execute(text("DELETE FROM workers"))
    assert sweep(config.load()) == 1

    assert reap(worker) == 0
    assert (town.run.state, town.counts) == ("completed", (1, 1, 0))
    # Before it has a row again, the worker may lose the document once more.
    assert town.items()["2024-01-01"].lost in (1, 2)


def _work_in_one_lane() -> None:
    with Pool(SmallWork(config.load()), QUEUES, config.load()) as one:
        turn_until(nothing_active, one)


# -------------------------------------------------------------------------------- uploads


@pytest.fixture
def uploading(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)
    monkeypatch.setenv("CLERK_WORKERS", "1")
    monkeypatch.setattr(UploadJob, "flow", Troubled)


def test_a_cancelled_upload_stops_and_counts_nothing_as_failed(
    uploading: None, tmp_path: Path, clerk: Any
) -> None:
    lines = [line(n, "SLOW 600" if n >= 2 else "Words of a page.") for n in range(6)]
    path = write(tmp_path / "a.jsonl", [{**each, "denotations": []} | _bare for each in lines])
    job = api.upload(config.load(), [path], project="p", create_docs=True, batch_items=1)
    worker = spawn(lambda: _wait_for(job.id))
    wait_until(lambda: job.status().items_done == 2 and job.status().batches == 6)
    wait_until(lambda: bool(rows("SELECT 1 FROM batch_job_trackings WHERE status = 'running'")))

    assert api.cancel(job.id, who="me")

    assert reap(worker) == 0
    status = job.status()
    assert (status.state, status.items, status.items_done) == ("cancelled", 6, 2)
    assert (status.items_failed, status.items_cancelled, status.issues) == (0, 4, {})
    assert (
        "  items    2 of 6, 0 failed, 4 cancelled\n"
        in clerk("annotations", "status", str(job.id)).out
    )
    assert len(exported()) == 2
    nobody_is_blamed()
    check_uploads()


def test_what_was_cancelled_of_an_upload_can_be_stored_after_all(
    uploading: None, tmp_path: Path
) -> None:
    path = write(tmp_path / "a.jsonl", [line(n) for n in range(6)])
    job = api.upload(config.load(), [path], project="p", create_docs=True, batch_items=2)
    api.suspend(job.id)
    api.resume(config.load(), job.id)
    with Pool(Troubled(config.load()), ("annotations",), config.load()) as one:
        turn_until(lambda: job.status().is_split, one)
    api.cancel(job.id)
    stored = job.status().items_done

    again = api.retry(config.load(), job.id).wait(config.load())

    assert (again.state, again.items) == ("completed", 6 - stored)
    assert len(exported()) == 6
    check_uploads()


def _wait_for(job_id: int) -> None:
    assert UploadJob(job_id).wait(config.load()).state == "cancelled"


_bare: dict[str, Any] = {"relations": [], "attributes": []}
