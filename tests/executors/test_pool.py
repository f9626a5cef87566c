"""The supervisor: stopped once, stopped twice, killed; it always leaves a true state."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
from small_work import (
    SmallWork,
    Town,
    end,
    nothing_active,
    reap,
    spawn,
    wait_until,
    work_embedded,
    workers,
)
from sqlalchemy import text

from clerk.core import config, db
from clerk.core.child_process import Order, Performed, Report
from clerk.core.db import civic_db_connection, reading_connection
from clerk.core.errors import DatabaseUnavailable
from clerk.core.states import QUEUES
from clerk.executors import embedded, pool, rq
from clerk.executors.pool import Pace, Pool
from clerk.executors.worker_processes import WorkerPool


def scalar(statement: str) -> Any:
    with reading_connection() as conn:
        return conn.execute(text(statement)).scalar()


def busy(town: Town, readings: int = 1) -> bool:
    return sum(line.startswith("read") for line in town.diary) >= readings


def children_of(pid: int) -> list[int]:
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(each) for each in listed.split()]


def gone_process(pid: int) -> bool:
    status = Path(f"/proc/{pid}/status")
    try:
        return "\nState:\tZ" in status.read_text()
    except (FileNotFoundError, ProcessLookupError):
        return True


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_one_signal_finishes_the_running_work(town: Town, number: signal.Signals) -> None:
    town.pdfs(12, "slow 0.3")
    town.start()
    supervisor = spawn(work_embedded)
    wait_until(lambda: busy(town, 2))

    assert end(supervisor, number) == 130

    assert 0 < town.row.ocr_completed < 12
    assert town.row.ocr_completed == sum(line.startswith("read") for line in town.diary)
    _a_true_state_without_anybody(town)


def test_two_signals_stop_at_once_and_release_the_running_work(town: Town) -> None:
    town.pdfs(4, "slow 100")
    town.start()
    supervisor = spawn(_work_until_interrupted)
    wait_until(lambda: busy(town))
    children = children_of(supervisor)

    # Two of one kind that wait together are one: a late supervisor would see the first only.
    os.kill(supervisor, signal.SIGINT)
    os.kill(supervisor, signal.SIGTERM)

    assert reap(supervisor) == 131, "stopped at once, where one signal waits and ends with 130"
    wait_until(lambda: all(gone_process(child) for child in children))
    assert town.counts == (4, 0, 0)
    _a_true_state_without_anybody(town)


def _work_until_interrupted() -> None:
    try:
        work_embedded()
    except KeyboardInterrupt:
        os._exit(131)


def _a_true_state_without_anybody(town: Town) -> None:
    """Nobody is known, nothing is held, nothing was charged; the next start completes it."""
    assert scalar("SELECT count(*) FROM workers") == 0
    assert scalar("SELECT count(*) FROM items WHERE state = 'running'") == 0
    assert scalar("SELECT count(*) FROM batch_job_trackings WHERE status = 'running'") == 0
    assert scalar("SELECT sum(errors + crashes + lost) FROM items") == 0
    for pdf in (town.folder / "pdfs").rglob("*.pdf"):
        pdf.write_text("fine")
    work_embedded()
    assert (town.run.state, town.row.ocr_failed) == ("completed", 0)
    for page in town.folder.rglob("page-1.txt"):
        page.write_text("fine")


def test_a_killed_supervisor_takes_its_children_along_and_is_followed_at_once(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEASE_SECONDS", "120")
    town.pdf("slow", "slow 100")
    town.pdf("other")
    town.start()
    supervisor = spawn(work_embedded)
    wait_until(lambda: busy(town, 2))
    children = children_of(supervisor)
    assert children

    end(supervisor, signal.SIGKILL)

    wait_until(lambda: all(gone_process(child) for child in children), 60)
    town.pdf("slow", "fine")
    # It fails if nothing changes for a while: nobody waits for the lease to run out.
    work_embedded()
    assert (town.run.state, town.counts) == ("completed", (2, 2, 0))
    assert town.items()["slow"].lost <= 1


def test_a_killed_child_is_replaced_and_only_its_document_is_blamed(town: Town) -> None:
    town.pdf("victim", "slow 1")
    town.pdfs(3)
    town.start()
    supervisor = spawn(work_embedded)
    wait_until(lambda: "read minutes/Council/victim" in town.diary)

    for child in children_of(supervisor):
        os.kill(child, signal.SIGKILL)
    assert reap(supervisor) == 0

    assert (town.run.state, town.counts) == ("completed", (4, 4, 0))
    assert town.items()["victim"].crashes == 1
    assert sum(item.crashes for item in town.items().values()) <= 2


def test_an_rq_worker_that_is_killed_loses_nothing(town: Town, redis: str) -> None:
    town.pdfs(6, "slow 0.1")
    town.start()
    with workers(1) as (victim,):
        wait_until(lambda: busy(town))
        os.kill(victim, signal.SIGKILL)
        with workers(1):
            wait_until(nothing_active)

    assert (town.run.state, town.counts) == ("completed", (6, 6, 0))


def test_a_pool_replaces_a_worker_that_was_killed_and_ends_in_order(town: Town, redis: str) -> None:
    def be_pool() -> None:
        def start() -> None:
            rq.work(SmallWork(config.load()), QUEUES, config.load(), burst=False)

        os._exit(WorkerPool(start, 2, burst=False).run())

    pool = spawn(be_pool)
    wait_until(lambda: scalar("SELECT count(*) FROM workers") == 2)
    victim, _other = children_of(pool)
    os.kill(victim, signal.SIGKILL)
    wait_until(lambda: len([c for c in children_of(pool) if not gone_process(c)]) == 2)
    town.pdfs(2)
    town.start()
    wait_until(nothing_active)

    assert end(pool) == 0


def test_a_burst_of_a_pool_ends_with_0_when_nothing_is_left(town: Town, redis: str) -> None:
    town.pdfs(3)
    town.start()

    def be_pool() -> None:
        def start() -> None:
            rq.work(SmallWork(config.load()), QUEUES, config.load(), burst=True)

        os._exit(WorkerPool(start, 2, burst=True).run())

    while not nothing_active():
        assert reap(spawn(be_pool)) == 0

    assert town.run.state == "completed"


def test_a_job_an_operators_script_enqueued_by_name_is_run(town: Town, redis: str) -> None:
    from clerk.queue import get_high_queue

    get_high_queue().enqueue("clerk.migrations.count_pdf_files", town.subdomain, job_id="counted")

    with workers(1):
        wait_until(lambda: get_high_queue().fetch_job("counted").is_finished)

    assert get_high_queue().fetch_job("counted").return_value() == 0


def test_a_hint_delivered_many_times_or_for_nothing_is_harmless(town: Town, redis: str) -> None:
    from clerk.queue import get_ocr_queue

    for _ in range(20):
        get_ocr_queue().enqueue("clerk.workers.drain_job", "ocr")
    town.pdfs(2)
    town.start()

    with workers(2):
        wait_until(nothing_active)

    assert town.counts == (2, 2, 0)


def test_a_message_that_makes_no_sense_is_passed_over(town: Town, redis: str) -> None:
    from clerk.queue import get_ocr_queue

    junk = get_ocr_queue().enqueue("clerk.workers.drain_job", "ocr")
    rq.connect(redis).hset(junk.key, "data", b"not a job")
    gone = get_ocr_queue().enqueue("clerk.workers.drain_job", "ocr")
    rq.connect(redis).hdel(gone.key, "status")
    town.pdfs(1)

    with workers(1) as (pid,):
        wait_until(lambda: get_ocr_queue().count == 0)
        town.start()
        wait_until(nothing_active)
        assert not gone_process(pid)

    assert town.counts == (1, 1, 0)


def test_the_pace_gives_one_document_first_and_then_seconds_worth_of_them() -> None:
    pace = Pace()
    assert pace.limit("ocr") == 1

    pace.learn("ocr", 0.5)
    assert pace.limit("ocr") == 10
    for _ in range(50):
        pace.learn("ocr", 0.0001)
    assert pace.limit("ocr") == 500
    for _ in range(50):
        pace.learn("ocr", 60.0)
    assert pace.limit("ocr") == 1


class WatchedWork(SmallWork):
    """Notes which processes did the work."""

    def perform(self, order: Order, index: int, report: Report) -> Performed:
        with (config.load().storage_dir / "processes").open("a") as file:
            file.write(f"{os.getpid()}\n")
        return super().perform(order, index, report)


@pytest.mark.parametrize(
    ("documents", "words", "soon", "processes"), [(1, "fine", 60.0, 1), (6, "slow 1.5", 1.0, 2)]
)
def test_a_second_process_is_started_only_if_the_first_does_not_suffice(
    town: Town,
    monkeypatch: pytest.MonkeyPatch,
    documents: int,
    words: str,
    soon: float,
    processes: int,
) -> None:
    monkeypatch.setattr(pool, "FREE_SOON_SECONDS", soon)
    town.pdfs(documents, words)
    town.start()

    settings = replace(config.load(), workers=2)
    embedded.run(WatchedWork(settings), settings, done=nothing_active)

    assert town.run.state == "completed"
    assert len(set((settings.storage_dir / "processes").read_text().split())) == processes


def test_a_paused_queue_is_not_served(town: Town) -> None:
    town.pdfs(1)
    town.start()
    with civic_db_connection() as conn:
        conn.execute(
            text("INSERT INTO queues (name, paused_by, paused_at) VALUES ('ocr', 'me', :now)"),
            {"now": "2024-01-01 00:00:00.000000"},
        )

    with Pool(SmallWork(config.load()), QUEUES, config.load()) as crew:
        while crew.turn() or not crew.nothing_to_claim():
            pass
    assert town.counts == (1, 0, 0)

    with civic_db_connection() as conn:
        conn.execute(text("DELETE FROM queues"))
    work_embedded()
    assert town.counts == (1, 1, 0)


def test_a_lost_connection_is_waited_for(
    town: Town, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every connection is cut in the middle of the work, several times."""
    if database == "sqlite":
        pytest.skip("SQLite has no connection to lose")
    town.pdfs(10, "slow 0.1")
    town.start()
    supervisor = spawn(work_embedded)
    for readings in (1, 4, 7):
        wait_until(lambda readings=readings: busy(town, readings))
        _cut_all_connections()

    assert reap(supervisor) == 0
    assert (town.run.state, town.counts) == ("completed", (10, 10, 0))


def _cut_all_connections() -> None:
    url = db.get_civic_db().url.set(drivername="postgresql")
    with psycopg.connect(url.render_as_string(hide_password=False), autocommit=True) as conn:
        conn.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    db.get_civic_db().dispose()


def test_an_outage_of_the_database_is_an_error_once_when_it_lasts(
    database: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "LONGEST_PAUSE", 0.8)
    away = iter([True] * 4 + [False])

    def ask() -> str:
        if next(away):
            raise DatabaseUnavailable("The disk of the database is full.")
        return "answered"

    with Pool(SmallWork(config.load()), QUEUES, config.load()) as crew:
        assert crew.retry_while_database_is_down(ask) == "answered"

    said = [each.levelname for each in caplog.records if "Waiting for it" in each.message]
    assert said == ["WARNING", "ERROR", "WARNING", "WARNING"]
