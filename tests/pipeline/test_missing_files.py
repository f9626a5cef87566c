"""A worker that does not find the files gives the work back; only a deleted file is a failure.

Real PDFs.  "Here" is the machine that fetched them, "there" one that should share its storage
directory and does not.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from databases import sqlite_daily
from faults import Steps, count_steps
from small_pdfs import printed
from small_work import Town, end, hurry, reap, spawn, turn_until, wait_until, workers
from sqlalchemy import text

from clerk.core import config, installation, manifest, storage
from clerk.core.db import civic_db_connection, reading_connection
from clerk.core.states import COMPILATION, EXTRACTION, FETCH, OCR, QUEUES
from clerk.executors import embedded, pool, rq
from clerk.executors.pool import Pool
from clerk.pipeline import runs
from clerk.pipeline.flow import Pipeline
from clerk.pipeline_state import (
    claim_coordinator_enqueue,
    increment_completed,
    initialize_stage,
)

DOCUMENTS = 5


def add_documents(folder: Path, *months: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for month in months:
        words = f"Minutes of month {month}: the motion to adopt the budget carried unanimously."
        (folder / f"2024-{month:02}-15 minutes.pdf").write_bytes(printed([words]))


def work(*queues: str) -> None:
    """Work in this process until these queues have nothing to claim."""
    with Pool(Pipeline(config.load()), queues, config.load()) as one:
        while one.turn() or not one.nothing_to_claim():
            pass


def work_until_the_run_ends(town: Town) -> None:
    """Work in this process on everything, waiting for what is delayed."""
    with Pool(Pipeline(config.load()), QUEUES, config.load()) as one:
        turn_until(lambda: town.run.state != "active", one)


class Machines:
    """Two machines on one database, each with its own storage directory."""

    def __init__(self, here: Path, there: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._here, self._there, self._monkeypatch = here, there, monkeypatch

    def be(self, where: str) -> Path:
        """Be that machine from now on, and return its storage directory."""
        folder = {"here": self._here, "there": self._there}[where]
        self._monkeypatch.setenv("STORAGE_DIR", str(folder))
        return folder

    def move_files(self) -> None:
        """Have the storage directory there, as if the mount were back."""
        shutil.rmtree(self._there)
        shutil.copytree(self._here, self._there, ignore=shutil.ignore_patterns("clerk.db*"))


@pytest.fixture
def machines(
    database: str, storage: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Machines:
    hurry(monkeypatch)
    monkeypatch.setenv("CLERK_WORKERS", "1")
    if database == "sqlite":
        monkeypatch.setenv("DATABASE_URL", f"sqlite:///{storage / 'clerk.db'}")
    (tmp_path / "there").mkdir()
    return Machines(storage, tmp_path / "there", monkeypatch)


@pytest.fixture
def town(machines: Machines, clerk: Any, tmp_path: Path) -> Town:
    """A site whose documents were fetched here, and wait to be read."""
    add_documents(tmp_path / "documents" / "Council", *range(1, DOCUMENTS + 1))
    clerk("site", "add", "springfield", "--from", str(tmp_path / "documents"))
    runs.start(config.load(), "springfield")
    work(FETCH)
    return Town("springfield")


def test_the_source_is_not_asked_while_a_folder_cannot_be_listed(
    town: Town, machines: Machines, tmp_path: Path
) -> None:
    work(OCR, COMPILATION, EXTRACTION)
    agendas = machines.be("here") / "springfield" / "_agendas" / "pdfs"
    agendas.parent.mkdir(exist_ok=True)
    agendas.symlink_to(agendas)
    add_documents(tmp_path / "documents" / "Council", DOCUMENTS + 1)
    runs.start(config.load(), "springfield", restart=True)

    work(FETCH)

    with reading_connection() as conn:
        assert len(manifest.documents(conn, "springfield")) == DOCUMENTS
        waiting = text("SELECT error FROM items WHERE state = 'pending' AND step = 'fetch'")
        assert f"{agendas} cannot be listed" in conn.execute(waiting).scalar_one()

    agendas.unlink()
    work_until_the_run_ends(town)

    with reading_connection() as conn:
        assert len(manifest.documents(conn, "springfield")) == DOCUMENTS + 1


Worker = Callable[[], contextlib.AbstractContextManager[Any]]


@pytest.fixture
def worker(request: pytest.FixtureRequest, machines: Machines) -> Worker:
    """Be one worker that stays, in another process, while the block lasts."""

    @contextlib.contextmanager
    def beside_the_pages() -> Iterator[None]:
        pid = spawn(
            lambda: embedded.run(
                Pipeline(config.load()), config.load(), done=lambda: False, stays=True
            )
        )
        try:
            yield
        finally:
            assert end(pid) == 130

    if request.param != "rq":
        return beside_the_pages
    request.getfixturevalue("redis")
    return lambda: workers(
        1, lambda: rq.work(Pipeline(config.load()), QUEUES, config.load(), burst=False)
    )


def rows(statement: str) -> list[tuple[Any, ...]]:
    with reading_connection() as conn:
        return [tuple(row) for row in conn.execute(text(statement))]


def no_document_is_blamed(town: Town) -> None:
    items = town.items().values()
    assert {item.state for item in items} <= {"pending", "running", "completed"}
    assert sum(item.errors + item.crashes + item.lost for item in items) == 0
    assert rows("SELECT document FROM quarantine") == []


def waiting_for_a_person(town: Town) -> int:
    errors = [item.error or "" for item in town.items().values()]
    return sum(error.startswith("StorageIncomplete: ") for error in errors)


def no_folder(there: Path, here: Path) -> None:
    pass


def an_empty_folder(there: Path, here: Path) -> None:
    (there / "springfield").mkdir()


def a_file_in_its_place(there: Path, here: Path) -> None:
    (there / "springfield").write_text("not a folder")


def an_older_copy(there: Path, here: Path) -> None:
    """A copy from before these documents were fetched, with documents of its own."""
    add_documents(there / "springfield" / "pdfs" / "Other", 1, 2)


def a_copy_without_documents(there: Path, here: Path) -> None:
    """Everything but the PDFs was copied: what was fetched is known there, and none of it is."""
    shutil.copytree(here / "springfield" / "_clerk", there / "springfield" / "_clerk")


@pytest.mark.parametrize(
    "lacks",
    [no_folder, an_empty_folder, a_file_in_its_place, an_older_copy, a_copy_without_documents],
)
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_machine_without_the_files_blames_no_document(
    machines: Machines, town: Town, clerk: Any, lacks: Callable[[Path, Path], None]
) -> None:
    here, there = machines.be("here"), machines.be("there")
    lacks(there, here)

    said = clerk("run", "springfield")

    assert said.code == 3
    assert f"{there} does not hold the files of this installation" in said.err
    assert "Mount the storage directory" in said.err
    assert "clerk doctor --adopt-storage" in said.err
    checked = clerk("doctor")
    assert checked.code != 0
    assert f"{there} does not hold the files of this installation" in checked.out
    no_document_is_blamed(town)

    machines.be("here")
    assert clerk("run", "springfield").code == 0
    assert town.counts == (DOCUMENTS, DOCUMENTS, 0)


@pytest.mark.parametrize(
    ("worker", "database"), [("beside the pages", "sqlite"), ("rq", "postgresql")], indirect=True
)
def test_a_worker_without_the_files_resumes_by_itself_when_they_are_back(
    worker: Worker, machines: Machines, town: Town, clerk: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = machines.be("there")
    # A busy machine takes long between two tries: the first document must not be due again then.
    monkeypatch.setattr(pool, "OPERATOR_FACTOR", 30.0)
    with worker():
        wait_until(lambda: waiting_for_a_person(town) > 1)
        no_document_is_blamed(town)
        health = json.loads(clerk("health", "--json").out)
        found = next(each for each in health["checks"] if each["name"] == "operator")
        assert found["level"] == "CRITICAL"
        assert f"{there} does not hold the files of this installation" in found["said"]
        examined = clerk("doctor")
        assert f"{there} does not hold the files of this installation" in examined.out

        machines.move_files()
        wait_until(lambda: town.run.state == "completed")

    assert town.counts == (DOCUMENTS, DOCUMENTS, 0)
    assert "no documents are waiting to be read" in clerk("doctor").out


@pytest.mark.parametrize(
    ("worker", "database"), [("beside the pages", "sqlite"), ("rq", "postgresql")], indirect=True
)
def test_a_worker_without_the_files_leaves_the_stage_to_others(
    worker: Worker, machines: Machines, town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    machines.be("there")
    monkeypatch.setattr(pool, "OPERATOR_SECONDS", 600.0)
    with worker():
        wait_until(lambda: waiting_for_a_person(town) == 1)
        machines.be("here")
        monkeypatch.setattr(pool, "OPERATOR_SECONDS", 0.2)
        work(OCR)
        assert sum(item.attempt for item in town.items().values()) == DOCUMENTS
        assert town.row.ocr_completed == DOCUMENTS - 1

    with civic_db_connection() as conn:
        conn.execute(text("UPDATE items SET available_at = created_at WHERE state = 'pending'"))
    work_until_the_run_ends(town)
    assert (town.run.state, town.counts) == ("completed", (DOCUMENTS, DOCUMENTS, 0))


@sqlite_daily
def test_a_document_that_was_deleted_fails_and_is_fetched_again_by_the_next_run(
    machines: Machines, town: Town, clerk: Any
) -> None:
    (town.folder / "pdfs" / "Council" / "2024-03-15.pdf").unlink()

    work_until_the_run_ends(town)

    assert (town.run.state, town.counts) == ("partial", (DOCUMENTS, DOCUMENTS - 1, 1))
    assert town.items()["2024-03-15"].error.startswith("FileGone: minutes/Council/2024-03-15: ")
    assert rows("SELECT document FROM quarantine") == []
    assert "fetch it again" in clerk("failures", "list").out

    assert clerk("run", "springfield").code == 0
    assert town.counts == (DOCUMENTS, DOCUMENTS, 0)


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_the_only_document_of_a_site_may_be_deleted_too(
    machines: Machines, clerk: Any, tmp_path: Path
) -> None:
    add_documents(tmp_path / "documents" / "Council", 1)
    clerk("site", "add", "springfield", "--from", str(tmp_path / "documents"))
    runs.start(config.load(), "springfield")
    work(FETCH)
    town = Town("springfield")
    (town.folder / "pdfs" / "Council" / "2024-01-15.pdf").unlink()

    work_until_the_run_ends(town)

    assert (town.run.state, town.counts) == ("failed", (1, 0, 1))
    assert clerk("run", "springfield").code == 0


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_one_site_without_its_files_does_not_keep_others_waiting(
    machines: Machines, town: Town, clerk: Any, tmp_path: Path
) -> None:
    machines.move_files()
    shutil.rmtree(machines.be("there") / "springfield")
    add_documents(tmp_path / "elsewhere" / "Council", 1, 2, 3)
    clerk("site", "add", "shelbyville", "--from", str(tmp_path / "elsewhere"))

    said = clerk("run", "springfield", "shelbyville")

    assert said.code == 3
    assert "springfield does not exist on this machine" in said.err
    assert Town("shelbyville").run.state == "completed"
    no_document_is_blamed(town)


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_text_that_was_read_elsewhere_is_not_taken_for_none(
    machines: Machines, town: Town, clerk: Any
) -> None:
    work(OCR)
    assert town.row.ocr_completed == DOCUMENTS

    there = machines.be("there")
    work(COMPILATION)
    assert town.run.state == "active"
    assert f"{there} does not hold the files" in town.items("compile")["compile"].error

    machines.be("here")
    work_until_the_run_ends(town)
    assert town.run.state == "completed"


@sqlite_daily
def test_text_that_a_script_left_elsewhere_is_not_taken_for_none(
    machines: Machines, town: Town, make_site: Callable[..., str]
) -> None:
    """The manifest does not know it yet: only the counters say that there is text."""
    town = Town(make_site("shelbyville"))
    town.text("2024-01-15")
    initialize_stage("shelbyville", OCR, total_jobs=1)
    increment_completed("shelbyville", OCR)
    assert claim_coordinator_enqueue("shelbyville")

    there = machines.be("there")
    work(COMPILATION)
    assert town.run.state == "active"
    error = town.items("coordinator")["coordinator"].error
    assert f"{there} does not hold the files of this installation" in error

    installation.adopt(config.load())
    with civic_db_connection() as conn:
        conn.execute(text("UPDATE items SET available_at = created_at WHERE state = 'pending'"))
    work(COMPILATION)
    assert town.run.state == "active"
    assert "1 documents were read, but" in town.items("coordinator")["coordinator"].error

    machines.be("here")
    work_until_the_run_ends(town)
    assert town.run.state == "completed"


@pytest.mark.parametrize(
    ("step", "queue", "database"),
    [("compile", COMPILATION, "sqlite"), ("extract", EXTRACTION, "postgresql")],
    indirect=["database"],
)
def test_no_empty_site_is_published_by_a_machine_without_the_text(
    machines: Machines, town: Town, step: str, queue: str
) -> None:
    work(OCR)
    with Pool(Pipeline(config.load()), (COMPILATION,), config.load()) as one:
        while not town.job(COMPILATION):
            one.turn()
            one.stopping = bool(town.job(COMPILATION))

    there = machines.be("there")
    work(queue)
    assert f"{there} does not hold the files" in town.items(step)[step].error
    assert not list(there.rglob("meetings.db"))

    machines.be("here")
    work_until_the_run_ends(town)
    assert town.run.state == "completed"


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_worker_killed_while_it_marks_the_directory_leaves_it_usable(database: str) -> None:
    settings, mark = config.load(), storage.installation_mark(config.load().storage_dir)
    for step in itertools.count(1):
        with civic_db_connection() as conn:
            conn.execute(text("DELETE FROM installation"))
        mark.unlink(missing_ok=True)
        steps = Steps(step)

        def check_and_die(steps: Steps = steps) -> None:
            count_steps(steps)
            installation.check(settings)

        reap(spawn(check_and_die))
        installation.check(settings)
        assert installation.is_marked(settings), f"killed at step {step}"
        if not steps.died:
            break
    assert step > 8
