"""What a worker survives: signals, odd messages, silent servers, sites that go, rows that clash."""

from __future__ import annotations

import gc
import os
import signal
import sqlite3
import sys
import threading
import time
from typing import Any

import psycopg
import pytest
from rq import Worker
from small_work import (
    SmallWork,
    Town,
    be_rq_worker,
    end,
    hurry,
    reap,
    spawn,
    turn_until,
    wait_until,
    work_embedded,
)
from sqlalchemy import event, select
from sqlalchemy.exc import OperationalError

from clerk import migrations
from clerk.batch_tracking import BatchJobTracking
from clerk.core import config, db
from clerk.core.config import Settings
from clerk.core.errors import DatabaseUnavailable
from clerk.core.models import db_now, items_table, runs_table, workers_table
from clerk.core.states import COMPILATION, FETCH, OCR, QUEUES, Item, Step
from clerk.executors import pool as crew_module
from clerk.executors import rq, worker_lock
from clerk.executors.pool import Pool
from clerk.executors.work import Claim, Outcome
from clerk.executors.worker_processes import WorkerPool
from clerk.pipeline import failures, ledger, queues, sites, transitions, workers
from clerk.pipeline.flow import sweep
from clerk.pipeline.scripted_stages import increment_failed, initialize_stage


@pytest.fixture
def town(make_site: Any) -> Town:
    return Town(make_site())


def found(number: int) -> transitions.Found:
    """What a fetch found: so many documents."""
    names = [f"minutes/Council/{n:04}" for n in range(number)]
    documents = tuple(transitions.FoundDocument(name, 1, name) for name in names)
    return transitions.Found(documents=documents, engine="e")


def open_reading(town: Town, number: int) -> None:
    """Take a site to the reading of so many documents."""
    town.start()
    with db.civic_db_connection() as conn:
        fetched = ledger.claim(conn, [FETCH], "fetcher", lambda _: 1)
        assert fetched is not None
        done = Outcome(fetched.items[0], Item.COMPLETED, result=found(number))
        transitions.finish(conn, fetched, [done], ended=True)


def claim(number: int, worker: str = "worker") -> Claim:
    """Claim documents to read."""
    with db.civic_db_connection() as conn:
        claimed = ledger.claim(conn, [OCR], worker, lambda _: number)
    assert claimed is not None
    return claimed


def be_pool() -> None:
    """Be two workers, in a process group of their own as on a terminal."""
    os.setpgrp()
    sys.exit(WorkerPool(be_rq_worker, 2, burst=False).run())


# --------------------------------------------------------------------------------- signals


def test_one_ctrl_c_at_a_terminal_finishes_the_running_work(town: Town, redis: str) -> None:
    hurry()
    town.pdf("2024-01-01", "slow 2")
    town.start()
    pool = spawn(be_pool)
    wait_until(lambda: any("read" in line for line in town.diary))

    os.killpg(pool, signal.SIGINT)
    reap(pool)

    assert town.counts == (1, 1, 0)


@pytest.mark.parametrize("delay", [0.0, 0.05, 0.2])
def test_workers_that_have_just_been_started_can_be_stopped(
    town: Town, redis: str, delay: float
) -> None:
    pool = spawn(be_pool)
    time.sleep(delay)

    os.kill(pool, signal.SIGTERM)
    wait_until(lambda: os.waitpid(pool, os.WNOHANG)[0] == pool, 60)


# --------------------------------------------------------------------------------- servers


def test_a_message_that_cannot_be_read_does_not_end_a_worker(town: Town, redis: str) -> None:
    hurry()
    connection = rq.connect(redis)
    connection.hset("rq:job:odd", mapping={"created_at": "yesterday", "data": b"x"})
    connection.rpush("rq:queue:ocr", "odd")
    town.pdf("2024-01-01")
    worker = spawn(be_rq_worker)
    try:
        wait_until(lambda: connection.llen("rq:queue:ocr") == 0)
        town.start()
        wait_until(lambda: town.run.state == "completed")
    finally:
        end(worker)


def test_a_redis_that_hangs_does_not_keep_a_worker_from_its_beat(
    town: Town, redis: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rq, "SILENCE_SECONDS", 2)
    monkeypatch.setenv("LEASE_SECONDS", "6")
    hurry()
    town.pdf("2024-01-01", "slow 1")
    town.start()
    server = int(rq.connect(redis).info("server")["process_id"])
    worker = spawn(be_rq_worker)
    wait_until(lambda: any("read" in line for line in town.diary))
    os.kill(server, signal.SIGSTOP)
    try:
        wait_until(lambda: town.run.state == "completed", 60)
        with db.reading_connection() as conn:
            alive = workers_table.c.lease_until > db_now()
            assert conn.execute(select(workers_table.c.id).where(alive)).first() is not None
    finally:
        os.kill(server, signal.SIGCONT)
        end(worker)


def test_no_lock_is_left_by_a_worker_that_could_not_start(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = config.load().storage_dir / "_clerk" / "workers"
    monkeypatch.setenv("DATABASE_URL", "postgresql://nobody@127.0.0.1:1/nothing")

    with pytest.raises(DatabaseUnavailable), Pool(SmallWork(config.load()), QUEUES, config.load()):
        pass

    assert list(folder.iterdir()) == []


def test_pools_that_have_ended_leave_nothing_in_memory(town: Town) -> None:
    for _ in range(3):
        with Pool(SmallWork(config.load()), QUEUES, config.load()):
            pass
    gc.collect()
    assert not [each for each in gc.get_objects() if isinstance(each, worker_lock.Lock)]


# ---------------------------------------------------------------------------- sites that go


def test_a_site_can_be_removed_while_its_work_is_finished(town: Town, database: str) -> None:
    if database == "sqlite":
        pytest.skip("SQLite has one writer at a time")
    open_reading(town, 2)
    claimed = claim(2)
    removal = threading.Thread(
        target=lambda: sites.remove(town.subdomain, config.load(), files=False)
    )
    with db.civic_db_connection() as conn:
        ledger.hold_run(conn, claimed.run_id, exclusive=False)
        removal.start()
        wait_until(_somebody_waits_for_a_lock)
        transitions.finish(conn, claimed, [Outcome(claimed.items[0], Item.COMPLETED)], ended=False)
    removal.join()

    with db.reading_connection() as conn:
        assert db.get_site_by_subdomain(conn, town.subdomain) is None


@pytest.mark.parametrize("state", [Item.COMPLETED, Item.FAILED])
def test_a_document_is_not_finished_while_its_run_is_being_ended(
    town: Town, database: str, state: str
) -> None:
    if database == "sqlite":
        pytest.skip("SQLite has one writer at a time")
    last = _last_document(town)
    ended = [Outcome(item, state, "bad" if state == Item.FAILED else "") for item in last.items]
    finishing = threading.Thread(
        target=lambda: SmallWork(config.load()).finish(last, ended, ended=True, going_on=QUEUES)
    )
    with db.civic_db_connection() as conn:
        ledger.hold_run(conn, last.run_id, exclusive=True)
        finishing.start()
        wait_until(_somebody_waits_for_a_lock)
        assert transitions.cancel_run(conn, town.subdomain, "a test")
    finishing.join()

    assert town.counts == (1, 0, 0)
    assert SmallWork(config.load()).claim(QUEUES, "other", lambda _queue: 1) is None


def test_cancelling_does_not_deadlock_with_a_beat(town: Town, database: str) -> None:
    """Both lock the batches of a worker, and do so in one order."""
    if database == "sqlite":
        pytest.skip("SQLite has one writer at a time")
    open_reading(town, 2)
    first, second = sorted((claim(1), claim(1)), key=lambda each: each.token)

    def cancel() -> None:
        with db.civic_db_connection() as conn:
            assert transitions.cancel_run(conn, town.subdomain, "a test")

    cancelling = threading.Thread(target=cancel)
    with db.civic_db_connection() as conn:
        ledger.beat(conn, "worker", 60.0, {first.token: "one"})
        cancelling.start()
        wait_until(_somebody_waits_for_a_lock)
        ledger.beat(conn, "worker", 60.0, {second.token: "two"})
    cancelling.join()

    assert BatchJobTracking.all().cancelled().count() == 2


@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
def test_cancelling_does_not_deadlock_with_a_beat_that_notes_a_page(town: Town) -> None:
    """Both lock the item before its batch."""
    open_reading(town, 1)
    claimed = claim(1)
    document = claimed.items[0].document

    def cancel() -> None:
        with db.civic_db_connection() as conn:
            assert transitions.cancel_run(conn, town.subdomain, "a test")

    with db.civic_db_connection() as conn:
        ledger.beat(conn, "worker", 60.0, {claimed.token: document})
    cancelling = threading.Thread(target=cancel)
    with db.civic_db_connection() as conn:
        ledger.beat(conn, "worker", 60.0, {claimed.token: document}, {claimed.token: 7})
        cancelling.start()
        wait_until(_somebody_waits_for_a_lock)
        ledger.beat(conn, "worker", 60.0, {claimed.token: "another"})
    cancelling.join()

    assert BatchJobTracking.all().cancelled().count() == 1


def _somebody_waits_for_a_lock() -> bool:
    with db.reading_connection() as conn:
        waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        return bool(conn.exec_driver_sql(waiting).scalar())


def test_a_pool_skips_work_of_a_site_that_was_just_removed(town: Town, make_site: Any) -> None:
    class Removed(SmallWork):
        """A flow in which somebody removes the site between the claim and the order."""

        def order(self, claimed: Claim) -> Any:
            if claimed.subdomain == town.subdomain:
                sites.remove(town.subdomain, config.load(), files=False)
            return super().order(claimed)

    other = Town(make_site("shelbyville"))
    town.start()
    other.start()
    with Pool(Removed(config.load()), QUEUES, config.load()) as crew:
        while crew.turn() or not crew.nothing_to_claim():
            pass

    assert other.run.state == "no_documents"


# -------------------------------------------------------------------------- rows that clash


def test_things_rejected_under_one_name_are_all_kept(town: Town) -> None:
    rejected = tuple(transitions.Rejected("minutes/a", "Bad", str(n)) for n in range(3))
    documents = (transitions.FoundDocument("minutes/a", 1, "0"),)
    town.start()
    with db.civic_db_connection() as conn:
        fetched = ledger.claim(conn, [FETCH], "fetcher", lambda _: 1)
        assert fetched is not None
        result = transitions.Found(documents=documents, rejected=rejected, engine="e")
        transitions.finish(
            conn, fetched, [Outcome(fetched.items[0], Item.COMPLETED, result=result)], ended=True
        )

    assert town.counts == (4, 0, 3)
    assert sorted(failure.document for failure in failures.find()) == [
        "minutes/a (2)",
        "minutes/a (3)",
        "minutes/a (4)",
    ]


def test_work_that_cannot_be_recorded_is_blamed_and_the_others_continue(
    town: Town, make_site: Any
) -> None:
    class Clashing(SmallWork):
        """A flow that cannot account for the fetch of one site, however often it is tried."""

        def finish(self, claimed: Claim, outcomes: list[Outcome], **how: Any) -> Claim | None:
            if claimed.subdomain == town.subdomain and claimed.stage == FETCH and outcomes:
                raise ValueError("two rows are one")
            return super().finish(claimed, outcomes, **how)

    other = Town(make_site("shelbyville"))
    town.start()
    other.start()
    with Pool(Clashing(config.load()), QUEUES, config.load()) as crew:
        while crew.turn() or not crew.nothing_to_claim():
            pass

    assert other.run.state == "no_documents"
    assert town.run.state == "failed"
    assert "two rows are one" in town.row.last_error_message


@pytest.mark.parametrize(
    "passing", [psycopg.errors.DeadlockDetected(), sqlite3.OperationalError("database is locked")]
)
def test_a_transaction_that_met_another_is_tried_again(town: Town, passing: Exception) -> None:
    class InTheWay(SmallWork):
        """A flow whose first accounting of a document loses against somebody else's."""

        met = 0

        def finish(self, claimed: Claim, outcomes: list[Outcome], **how: Any) -> Claim | None:
            self.met += claimed.step == Step.DOCUMENT
            if claimed.step == Step.DOCUMENT and self.met == 1:
                raise OperationalError("UPDATE jobs", {}, passing)
            return super().finish(claimed, outcomes, **how)

    town.pdf("2024-01-01")
    town.start()
    flow = InTheWay(config.load())
    with Pool(flow, QUEUES, config.load()) as crew:
        while crew.turn() or not crew.nothing_to_claim():
            pass

    assert flow.met == 2
    assert (town.run.state, town.counts) == ("completed", (1, 1, 0))
    assert all(item.crashes == 0 for item in town.items().values())


@pytest.mark.parametrize("unheard, slots", [("claim", 1), ("claim", 2), ("finish", 1)])
def test_a_claim_whose_answer_was_lost_is_released_while_the_worker_is_alive(
    town: Town, unheard: str, slots: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    class CutOff(SmallWork):
        """A flow whose connection breaks once, just after a commit."""

        cuts = 0

        def claim(self, *how: Any) -> Claim | None:
            return self._cut("claim", super().claim(*how))

        def finish(self, claimed: Claim, outcomes: list[Outcome], **how: Any) -> Claim | None:
            return self._cut("finish", super().finish(claimed, outcomes, **how))

        def _cut(self, method: str, given: Claim | None) -> Claim | None:
            if given is not None and method == unheard and self.cuts == 0:
                self.cuts += 1
                raise DatabaseUnavailable("The server closed the connection.")
            return given

    # On a slow machine the last document is counted before its batch ends, and nothing follows it.
    monkeypatch.setattr(crew_module, "FLUSH_SECONDS", 600.0)
    town.pdfs(2)
    town.pdf("long", "slow 1")
    town.start()
    flow = CutOff(config.load())
    with Pool(flow, QUEUES, config.load(), slots=slots) as crew:
        former = crew.id
        turn_until(lambda: town.run.state != "active", crew)

    assert flow.cuts == 1
    assert crew.id != former
    assert (town.run.state, town.counts) == ("completed", (3, 3, 0))


@pytest.mark.parametrize("method", ["claim", "finish"])
def test_a_claim_made_while_the_worker_stops_is_released(town: Town, method: str) -> None:
    class Struck(SmallWork):
        """A flow in which a second signal strikes just after a commit."""

        def claim(self, *how: Any) -> Claim | None:
            return self._struck("claim", super().claim(*how))

        def finish(self, claimed: Claim, outcomes: list[Outcome], **how: Any) -> Claim | None:
            return self._struck("finish", super().finish(claimed, outcomes, **how))

        def _struck(self, where: str, given: Claim | None) -> Claim | None:
            if given is not None and where == method:
                raise KeyboardInterrupt
            return given

    town.pdfs(1)
    town.start()
    with (
        pytest.raises(KeyboardInterrupt),
        Pool(Struck(config.load()), QUEUES, config.load()) as crew,
    ):
        while town.run.state == "active":
            crew.turn()

    with db.reading_connection() as conn:
        assert conn.execute(select(workers_table)).fetchall() == []
        running = items_table.c.state == Item.RUNNING
        assert conn.execute(select(items_table).where(running)).fetchall() == []
    work_embedded()
    assert (town.run.state, town.counts) == ("completed", (1, 1, 0))
    assert all(item.lost == item.crashes == 0 for item in town.items().values())


def test_a_worker_that_took_a_new_name_is_known_to_rq_by_it(
    town: Town, redis: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class CutOff(SmallWork):
        """A flow whose connection breaks once; it notes who asks, and whom RQ knows."""

        def __init__(self, settings: Settings) -> None:
            super().__init__(settings)
            self.asked: list[tuple[str, list[str]]] = []

        def claim(self, queues: Any, worker_id: str, limit: Any) -> Claim | None:
            known = Worker.all(connection=rq.connect(redis))
            self.asked.append((worker_id, [each.name for each in known]))
            if len(self.asked) == 1:
                raise DatabaseUnavailable("The server closed the connection.")
            return super().claim(queues, worker_id, limit)

    monkeypatch.setattr(rq, "RQ_BEAT_SECONDS", 0.0)
    town.pdfs(2)
    town.start()
    flow = CutOff(config.load())
    rq.work(flow, QUEUES, config.load(), burst=True)

    (former, first_known), (name, known) = flow.asked[0], flow.asked[-1]
    assert former != name
    assert (first_known, known) == ([former], [name])
    assert Worker.all(connection=rq.connect(redis)) == []


def test_the_worker_that_ends_a_reading_continues_with_its_coordinator(town: Town) -> None:
    flow, last = SmallWork(config.load()), _last_document(town)

    following = flow.finish(last, _done(last), ended=True, going_on=QUEUES)

    assert following is not None
    assert (following.step, following.worker_id) == (Step.COORDINATOR, last.worker_id)
    assert flow.claim(QUEUES, "other", lambda _queue: 1) is None, "nobody else can have it"


@pytest.mark.parametrize("served", [(OCR,), ()])
def test_a_worker_that_does_not_serve_coordinators_leaves_them_to_others(
    town: Town, served: tuple[str, ...]
) -> None:
    flow, last = SmallWork(config.load()), _last_document(town)

    assert flow.finish(last, _done(last), ended=True, going_on=served) is None

    claimed = flow.claim(QUEUES, "other", lambda _queue: 1)
    assert claimed is not None and claimed.step == Step.COORDINATOR


def test_a_paused_queue_keeps_the_coordinator_from_those_who_would_go_on(town: Town) -> None:
    flow, last = SmallWork(config.load()), _last_document(town)
    queues.pause(COMPILATION, who="a test")

    assert flow.finish(last, _done(last), ended=True, going_on=QUEUES) is None
    assert flow.claim(QUEUES, "other", lambda _queue: 1) is None


def _last_document(town: Town) -> Claim:
    """Hold the only document of a run."""
    open_reading(town, 1)
    return claim(1)


def _done(claimed: Claim) -> list[Outcome]:
    return [Outcome(item, Item.COMPLETED) for item in claimed.items]


def test_documents_that_reconciliation_has_named_cannot_be_counted_without_a_name(
    town: Town,
) -> None:
    initialize_stage(town.subdomain, OCR, total_jobs=2)
    town.pdfs(2)
    assert migrations.recover_stuck_site(town.subdomain)

    assert increment_failed(town.subdomain, OCR, "late", "Error") is False
    assert town.counts == (2, 0, 0)


def test_skipping_a_failure_while_a_document_is_counted_loses_no_count(
    town: Town, database: str
) -> None:
    if database == "sqlite":
        pytest.skip("SQLite has one writer at a time")
    open_reading(town, 3)
    claimed = claim(3)
    with db.civic_db_connection() as conn:
        transitions.finish(
            conn, claimed, [Outcome(claimed.items[0], Item.FAILED, "Bad: x")], ended=False
        )
    failed = failures.find()
    skipping = threading.Thread(
        target=lambda: failures.skip(config.load(), failed, who="me", why="no")
    )
    with db.civic_db_connection() as conn:
        transitions.finish(conn, claimed, [Outcome(claimed.items[1], Item.COMPLETED)], ended=False)
        skipping.start()
        wait_until(_somebody_waits_for_a_lock)
    skipping.join()
    with db.civic_db_connection() as conn:
        transitions.finish(conn, claimed, [Outcome(claimed.items[2], Item.COMPLETED)], ended=True)

    assert town.counts == (2, 2, 0)
    assert town.job(OCR).state == "closed"


# ------------------------------------------------------------------------- stray messages


def test_a_message_of_an_older_system_does_not_end_the_run_under_way(town: Town) -> None:
    open_reading(town, 3)
    for job in (workers.compile_db_job, workers.extract_entities_job, workers.deploy_job):
        job(town.subdomain, run_id="springfield_20250101")

    assert town.run.state == "active"
    assert (town.counts, town.row.current_stage) == ((3, 0, 0), OCR)


def test_compiling_again_manually_keeps_what_was_counted(town: Town) -> None:
    town.pdfs(2)
    town.start()
    work_embedded()
    workers.compile_db_job(town.subdomain)

    assert town.counts == (2, 2, 0)


# ------------------------------------------------------------------------------- many dead


def test_taking_work_back_from_the_dead_costs_the_same_for_each(town: Town) -> None:
    open_reading(town, 24)
    for each in range(12):
        claim(1, f"dead {each}")
    few = _statements_of(lambda: sweep(config.load(), most=4))
    many = _statements_of(lambda: sweep(config.load(), most=8))

    assert many < 2.5 * few
    with db.reading_connection() as conn:
        assert ledger.batches_of_the_dead(conn, config.load().crash_detection_timeout) == []


def _statements_of(action: Any) -> int:
    seen: list[str] = []

    def note(_c: Any, _cursor: Any, statement: str, *_: Any) -> None:
        seen.append(statement)

    event.listen(db.get_civic_db(), "before_cursor_execute", note)
    try:
        action()
    finally:
        event.remove(db.get_civic_db(), "before_cursor_execute", note)
    return len(seen)


def test_the_runs_of_a_site_survive_a_sweep_in_parts(town: Town) -> None:
    open_reading(town, 3)
    for each in range(3):
        claim(1, f"dead {each}")

    assert [sweep(config.load(), most=2), sweep(config.load(), most=2), sweep(config.load())] == [
        2,
        1,
        0,
    ]
    with db.reading_connection() as conn:
        assert conn.execute(select(runs_table.c.state)).scalars().all() == ["active"]
