"""The traps of the system before clerk, each shown not to be one any more."""

from __future__ import annotations

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from small_work import (
    SmallWork,
    Town,
    end,
    nothing_active,
    spawn,
    wait_until,
    work_embedded,
    work_on_rq,
    workers,
)
from sqlalchemy import Connection, event, func, select, text, update

from clerk.core import config, db
from clerk.core.db import civic_db_connection, reading_connection
from clerk.core.models import batches_table, db_now, jobs_table, metadata, sites_table
from clerk.core.states import QUEUES, STAGES, Item, Step
from clerk.executors.work import Claim, Crash, Outcome
from clerk.migrations import count_pdf_files, count_txt_files, find_stuck_sites
from clerk.pipeline import ledger, queues, reconcile, transitions
from clerk.pipeline.ledger import settling
from clerk.pipeline.scripted_stages import (
    claim_coordinator_enqueue,
    increment_completed,
    initialize_stage,
)


def let_hours_pass(hours: float = 3) -> None:
    with civic_db_connection() as conn:
        conn.execute(update(sites_table).values(updated_at=db_now(-3600.0 * hours)))


def claim(worker: str = "worker", lease_seconds: float = 600.0, documents: int = 10) -> Claim:
    """Take work in the name of a worker that is alive for so long."""
    with civic_db_connection() as conn:
        if not ledger.beat(conn, worker, lease_seconds, {}):
            ledger.register_worker(
                conn, worker, lease_seconds=lease_seconds, queues=",".join(QUEUES)
            )
        claimed = ledger.claim(conn, QUEUES, worker, lambda _queue: documents)
    assert claimed is not None
    return claimed


def finish(claimed: Claim, state: str = Item.COMPLETED, result: Any = None) -> None:
    error = "" if state == Item.COMPLETED else "it failed"
    outcomes = [Outcome(item, state, error, result=result) for item in claimed.items]
    if claimed.step == Step.DOCUMENT and state == Item.COMPLETED:
        for item in claimed.items:
            Town(claimed.subdomain).text(item.document.rpartition("/")[2])
    flow = SmallWork(config.load())
    flow.finish(claimed, outcomes, ended=True)
    flow.hint()


def fetched(town: Town, documents: int) -> None:
    """Take the site to where its documents wait to be read."""
    town.pdfs(documents)
    town.start()
    found = [
        {"name": f"minutes/Council/2024-01-{n + 1:02}", "bytes": 4, "sha256": "x"}
        for n in range(documents)
    ]
    finish(claim(), result={"documents": found, "carried": 0, "engine": ""})
    assert town.counts == (documents, 0, 0)


def everything() -> list[Any]:
    with reading_connection() as conn:
        return [
            conn.execute(select(table).order_by(*table.primary_key)).fetchall()
            for table in metadata.sorted_tables
        ]


def batch_of(claimed: Claim) -> tuple[str, str]:
    """How a batch ended, and why."""
    with reading_connection() as conn:
        batch = conn.execute(select(batches_table).filter_by(claim=claimed.token)).one()
        return batch.status, batch.error_message


def coordinators(conn: Connection) -> int:
    chosen = select(func.count()).select_from(jobs_table)
    return conn.execute(chosen.where(jobs_table.c.kind == "coordinator")).scalar_one()


def test_trap_01_jobs_are_enqueued_after_their_state_is_committed(
    town: Town, redis: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At every hint the work it speaks of can be seen by others."""
    seen: list[tuple[int, int]] = []
    offer = queues.offer

    def looking(settings: Any, names: Any) -> None:
        with reading_connection() as conn:
            open_items = text("SELECT count(*) FROM items WHERE state <> 'completed'")
            seen.append((conn.execute(open_items).scalar_one(), town.row.ocr_total))
        offer(settings, names)

    monkeypatch.setattr(queues, "offer", looking)
    fetched(town, 3)
    reading = claim()
    finish(reading)

    assert seen == [(3, 3), (1, 3)]
    assert town.counts == (3, 3, 0)


def test_trap_02_a_slow_worker_of_the_stage_before_gets_no_second_coordinator(town: Town) -> None:
    initialize_stage(town.subdomain, "ocr", total_jobs=1)
    increment_completed(town.subdomain, "ocr")
    assert claim_coordinator_enqueue(town.subdomain) is True
    town.text("2024-01-01")
    finish(claim(), result=1)
    assert (town.row.current_stage, town.row.coordinator_enqueued) == ("extraction", False)

    assert claim_coordinator_enqueue(town.subdomain) is False

    with reading_connection() as conn:
        assert coordinators(conn) == 1


def test_trap_03_a_worker_that_dies_after_the_claim_loses_no_coordinator(town: Town) -> None:
    town.text("2024-01-01")
    initialize_stage(town.subdomain, "ocr", total_jobs=1)
    increment_completed(town.subdomain, "ocr")
    claim_coordinator_enqueue(town.subdomain)  # and here it died, having told nobody

    work_embedded()

    assert town.run.state == "completed"


def test_trap_03_a_dead_claim_of_an_older_system_is_recovered(town: Town) -> None:
    town.text("2024-01-01")
    left = {"current_stage": "ocr", "ocr_total": 1, "ocr_completed": 1}
    with civic_db_connection() as conn:
        db.update_site(conn, town.subdomain, left | {"coordinator_enqueued": True})
    let_hours_pass()

    list(reconcile.reconcile(config.load()))
    work_embedded()

    assert town.run.state == "completed"


def test_trap_04_a_job_delivered_twice_counts_once(town: Town) -> None:
    fetched(town, 4)
    half = claim(documents=2)
    finish(half)
    before = everything()

    finish(half)
    finish(half, Item.FAILED)
    SmallWork(config.load()).crash(half, Crash(half.items[0], "late news"))

    assert town.counts == (4, 2, 0)
    assert everything() == before


def test_a_claim_takes_no_more_than_it_asked_for(town: Town) -> None:
    fetched(town, 30)

    taken = [len(claim(f"worker-{number}", documents=7).items) for number in range(5)]

    assert taken == [7, 7, 7, 7, 2]


def test_trap_05_a_job_of_an_old_run_counts_nothing_into_the_new_one(town: Town) -> None:
    fetched(town, 2)
    old = claim("slow")
    fetched(town, 3)
    before = town.counts

    finish(old)

    assert town.counts == before == (3, 0, 0)
    assert town.row.current_stage == "ocr"
    assert batch_of(old) == ("cancelled", "A newer run was started")
    work_embedded()
    assert town.counts == (3, 3, 0)


def test_trap_06_a_dry_run_writes_nothing_and_only_the_recovered_count_as_recovered(
    town: Town, make_site: Any
) -> None:
    town.text("2024-01-01")
    for name, values in {
        town.subdomain: {"ocr_completed": 1},
        "all-failed": {"ocr_failed": 1},
    }.items():
        if name != town.subdomain:
            make_site(name)
        with civic_db_connection() as conn:
            db.update_site(conn, name, {"current_stage": "ocr", "ocr_total": 1} | values)
    let_hours_pass()
    before = everything()

    *_, told = reconcile.reconcile(config.load(), dry_run=True)
    assert everything() == before
    *_, done = reconcile.reconcile(config.load())

    assert (len(told.found), told.recovered) == (len(done.found), done.recovered) == (2, 1)


def test_trap_07_agendas_are_counted_as_minutes_are(town: Town) -> None:
    for kind in ("minutes", "agendas"):
        town.pdf("2024-01-01", kind=kind)
        page = town.text("2024-01-01", kind=kind)
        (page.parent / "page-2.txt").write_text("another page")

    assert count_pdf_files(town.subdomain) == count_txt_files(town.subdomain) == 2


@pytest.mark.parametrize("stage", STAGES)
def test_trap_09_a_site_that_stopped_in_any_stage_is_set_moving(town: Town, stage: str) -> None:
    town.text("2024-01-01")
    with civic_db_connection() as conn:
        db.update_site(conn, town.subdomain, {"current_stage": stage, f"{stage}_total": 1})
    let_hours_pass()

    *_, whole = reconcile.reconcile(config.load())

    assert whole.recovered == 1
    assert not nothing_active()


def test_trap_09_a_site_whose_documents_all_failed_does_not_stay_for_ever(town: Town) -> None:
    town.pdfs(2, "bad")
    town.start()

    work_embedded()

    assert (town.row.current_stage, town.run.state) == ("completed", "failed")
    let_hours_pass()
    assert find_stuck_sites() == []


def test_trap_10_a_long_document_is_neither_stuck_nor_crashed(town: Town) -> None:
    """It takes four times the lease; its worker beats."""
    os.environ["LEASE_SECONDS"] = "0.4"
    try:
        town.pdf("long", "slow 1.6")
        town.start()
        work_embedded()
    finally:
        del os.environ["LEASE_SECONDS"]

    long = town.items()["long"]
    assert (long.state, long.attempt, long.crashes, long.lost) == ("completed", 1, 0, 0)


def test_trap_10_hours_in_a_live_hand_are_not_stuck(town: Town) -> None:
    fetched(town, 1)
    claim("patient")
    let_hours_pass(30)

    assert find_stuck_sites() == []
    *_, whole = reconcile.reconcile(config.load())
    assert (whole.crashed_batches, whole.found) == (0, [])


def test_trap_12_reconciliation_does_not_hide_a_site_from_the_next_one(town: Town) -> None:
    town.start()
    let_hours_pass()
    before = town.row.updated_at

    for _ in range(2):
        *_, whole = reconcile.reconcile(config.load())
        assert [plan.subdomain for plan in whole.found] == [town.subdomain]

    assert town.row.updated_at == before


def test_trap_15_a_healthy_backlog_is_left_alone(town: Town) -> None:
    """Everything waits for hours while a live worker is busy elsewhere: no coordinator fires."""
    fetched(town, 5)
    town.text("2024-01-01")
    with civic_db_connection() as conn:
        ledger.register_worker(conn, "busy elsewhere", lease_seconds=600.0, queues="ocr")
    let_hours_pass(5)

    *_, whole = reconcile.reconcile(config.load())

    assert whole.found == []
    assert (town.row.current_stage, town.row.coordinator_enqueued) == ("ocr", False)


def test_trap_15_a_backlog_without_a_worker_is_reported_and_not_advanced(town: Town) -> None:
    fetched(town, 5)
    town.text("2024-01-01")
    let_hours_pass(5)
    with civic_db_connection() as conn:
        conn.execute(text("DELETE FROM workers"))

    *_, whole = reconcile.reconcile(config.load())

    assert [plan.message for plan in whole.need_a_person] == [
        "5 wait for a worker and none is running"
    ]
    assert (town.row.coordinator_enqueued, town.counts) == (False, (5, 0, 0))


def test_trap_16_a_lost_job_is_found_while_its_sibling_keeps_the_site_moving(town: Town) -> None:
    fetched(town, 2)
    claim("lost", lease_seconds=-1.0, documents=1)
    sibling = claim("alive", documents=1)
    assert town.row.updated_at is not None

    *_, whole = reconcile.reconcile(config.load())
    assert whole.crashed_batches == 1
    finish(sibling)
    work_embedded()

    assert town.counts == (2, 2, 0)


def test_trap_16_a_site_that_never_moved_is_stuck_too(town: Town) -> None:
    with civic_db_connection() as conn:
        conn.execute(update(sites_table).values(current_stage="fetch", updated_at=None))

    assert [row.subdomain for row in find_stuck_sites()] == [town.subdomain]


def test_trap_17_the_zone_of_the_session_changes_nothing(town: Town, database: str) -> None:
    if database == "postgresql":
        with db.get_civic_db().connect() as conn:
            name = conn.execute(text("SELECT current_database()")).scalar()
            conn.exec_driver_sql(f"ALTER DATABASE {name} SET timezone TO 'Pacific/Kiritimati'")
            conn.commit()
        db.get_civic_db().dispose()
    former = os.environ.get("TZ")
    os.environ["TZ"] = "America/Los_Angeles"
    time.tzset()
    try:
        initialize_stage(town.subdomain, "ocr", total_jobs=1)
        assert find_stuck_sites() == []
        let_hours_pass(1.9)
        assert find_stuck_sites() == []
        let_hours_pass(2.1)
        assert len(find_stuck_sites()) == 1
        assert town.row.updated_at.utcoffset() == timedelta(0)
    finally:
        os.environ.pop("TZ") if former is None else os.environ.update(TZ=former)
        time.tzset()


def test_trap_18_a_site_is_completed_only_when_all_of_the_deploy_has_returned(town: Town) -> None:
    town.pdfs(1)
    town.on("deploy", "raise")
    town.start()
    work_embedded()
    assert (town.row.current_stage, town.run.state) == ("deploy", "failed")

    (town.folder / "on-deploy").unlink()
    let_hours_pass()
    list(reconcile.reconcile(config.load()))
    work_embedded()

    assert (town.row.current_stage, town.run.state) == ("completed", "completed")


def test_trap_19_no_connection_is_opened_inside_a_transaction(town: Town) -> None:
    """On SQLite the inner one would wait for the outer one, for ever."""
    depth, deepest = 0, 0

    def begin(_conn: Any) -> None:
        nonlocal depth, deepest
        depth += 1
        deepest = max(deepest, depth)

    def over(_conn: Any) -> None:
        nonlocal depth
        depth -= 1

    engine = db.get_civic_db()
    for name, listener in (("begin", begin), ("commit", over), ("rollback", over)):
        event.listen(engine, name, listener)
    town.pdfs(2)
    town.start()
    initialize_stage(town.subdomain, "fetch", total_jobs=1)
    increment_completed(town.subdomain, "fetch")
    let_hours_pass()
    list(reconcile.reconcile(config.load()))
    work_embedded()

    assert deepest == 1
    assert town.run.state == "completed"


def test_trap_21_a_poison_document_kills_a_worker_twice_and_never_again(town: Town) -> None:
    town.pdf("good")
    town.pdf("poison", "crash SIGSEGV")
    for _day in range(3):
        town.start()
        work_embedded()

    assert town.diary.count("read minutes/Council/poison") == ledger.CRASH_BUDGET
    assert town.items()["poison"].state == "quarantined"
    assert "SIGSEGV" in town.items()["poison"].error


# ---------------------------------------------------------------- and the accidents around them


def test_a_worker_stopped_past_its_lease_and_resumed_changes_nothing(
    town: Town, redis: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEASE_SECONDS", "1.5")
    town.pdf("first", "slow 0.5")
    town.start()
    with workers(1) as (zombie,):
        wait_until(lambda: "read minutes/Council/first" in town.diary)
        os.kill(zombie, signal.SIGSTOP)
        try:
            work_on_rq(number=1)
            after = everything()
        finally:
            os.kill(zombie, signal.SIGCONT)
        wait_until(lambda: _beats(zombie), 60)
        time.sleep(0.3)

    assert town.counts == (1, 1, 0)
    for table, then, now in zip(metadata.sorted_tables, after, everything(), strict=True):
        if table.name not in ("workers", "stage_events"):
            assert then == now


def _beats(pid: int) -> bool:
    with reading_connection() as conn:
        alive = text("SELECT count(*) FROM workers WHERE pid = :pid AND lease_until > :now")
        now = conn.execute(select(db_now())).scalar_one()
        if conn.dialect.name == "sqlite":
            now = now.replace(tzinfo=None).isoformat(" ")
        return bool(conn.execute(alive, {"pid": pid, "now": now}).scalar())


def test_redis_flushed_in_the_middle_loses_nothing(town: Town, redis: str) -> None:
    from clerk.executors import rq

    town.pdfs(8, "slow 0.05")
    town.start()
    with workers(2):
        wait_until(lambda: town.row.ocr_completed > 0)
        rq.connect(redis).flushall()
        wait_until(nothing_active)

    assert (town.run.state, town.counts) == ("completed", (8, 8, 0))


def test_a_full_disk_is_nobodys_documents_fault(town: Town) -> None:
    from clerk.core.errors import OperatorError

    paper = town.pdf("2024-01-01", "full")
    town.pdf("2024-01-02")
    town.start()
    with pytest.raises(OperatorError, match="No space left"):
        work_embedded()
    assert town.items()["2024-01-01"].state == "pending"
    assert town.items()["2024-01-01"].errors == 0

    paper.write_text("fine")
    work_embedded()

    assert (town.run.state, town.counts) == ("completed", (2, 2, 0))


def test_work_of_a_worker_on_another_host_comes_back_when_its_lease_ends(town: Town) -> None:
    fetched(town, 2)
    claim("elsewhere", lease_seconds=0.5, documents=1)
    with civic_db_connection() as conn:
        conn.execute(text("UPDATE workers SET host = 'another'"))

    work_embedded()

    assert town.counts == (2, 2, 0)
    assert sorted(item.lost for item in town.items().values()) == [0, 1]


def test_a_batch_of_an_unknown_worker_is_released(town: Town) -> None:
    fetched(town, 1)
    claim("unknown")
    with civic_db_connection() as conn:
        conn.execute(text("DELETE FROM workers"))

    work_embedded()

    assert town.counts == (1, 1, 0)
    with reading_connection() as conn:
        crashed = select(func.count()).where(batches_table.c.status == "crashed")
        assert conn.execute(crashed).scalar() == 1


def test_a_late_worker_cannot_finish_what_another_has_claimed(town: Town) -> None:
    fetched(town, 1)
    late = claim("late", lease_seconds=-1.0)
    SmallWork(config.load()).sweep()
    current = claim("current")
    before = everything()

    finish(late)
    SmallWork(config.load()).crash(late, Crash(late.items[0], "late news"))

    assert everything() == before
    finish(current)
    assert town.counts == (1, 1, 0)


def test_a_suspect_is_given_out_alone_and_after_the_others(town: Town) -> None:
    fetched(town, 3)
    claim("dies", lease_seconds=-1.0)
    SmallWork(config.load()).sweep()

    innocent, suspect = claim(), claim()

    assert [item.document[-2:] for item in innocent.items] == ["02", "03"]
    assert [item.document[-2:] for item in suspect.items] == ["01"]


def test_a_document_that_raised_waits_before_it_is_tried_again(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settling, "RETRY_DELAYS", (60.0,))
    fetched(town, 1)
    held = claim()

    again = Outcome(held.items[0], Item.PENDING, "busy", charged=True)
    SmallWork(config.load()).finish(held, [again], ended=True)

    assert SmallWork(config.load()).claim(QUEUES, "worker", lambda _queue: 1) is None


def test_documents_without_a_name_are_given_to_nobody(town: Town) -> None:
    initialize_stage(town.subdomain, "ocr", total_jobs=3)

    assert SmallWork(config.load()).claim(QUEUES, "worker", lambda _queue: 1) is None


def test_compilation_and_extraction_that_end_at_once_open_one_deploy(
    town: Town, database: str
) -> None:
    if database == "sqlite":
        pytest.skip("SQLite has one writer at a time")
    town.text("2024-01-01")
    town.start(first="compilation")
    one, other = claim("one"), claim("other")

    with ThreadPoolExecutor(1) as pool:
        with civic_db_connection() as conn:
            transitions.finish(conn, one, [Outcome(one.items[0], Item.COMPLETED)], ended=True)
            ending = pool.submit(finish, other)
            time.sleep(0.3)
        ending.result()

    assert (town.row.current_stage, town.job("deploy").total) == ("deploy", 1)


def test_a_document_that_loses_its_worker_five_times_is_given_up(town: Town) -> None:
    fetched(town, 2)
    for number in range(ledger.LOST_BUDGET):
        held = claim(f"dies-{number}", lease_seconds=-1.0)
        if number:
            assert held.items[0].document.endswith("01"), "it runs alone, and last"
        assert len(held.items) == (2 if number == 0 else 1)
        _finish_innocents(held)
        SmallWork(config.load()).sweep()

    items = town.items()
    assert (items["2024-01-01"].state, items["2024-01-01"].lost) == ("quarantined", 5)
    assert items["2024-01-02"].state == "completed"


def _finish_innocents(held: Claim) -> None:
    done = [Outcome(item, Item.COMPLETED) for item in held.items[1:]]
    if done:
        Town(held.subdomain).text("2024-01-02")
        SmallWork(config.load()).finish(held, done, ended=False)


def test_a_spawned_worker_ends_when_told(town: Town, redis: str) -> None:
    from small_work import be_rq_worker

    pid = spawn(be_rq_worker)
    wait_until(lambda: _beats(pid))

    assert end(pid) == 0
    with reading_connection() as conn:
        assert conn.execute(text("SELECT count(*) FROM workers")).scalar() == 0
    assert not list((config.load().storage_dir / "_clerk" / "workers").iterdir())
