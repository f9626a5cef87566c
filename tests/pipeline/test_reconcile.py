"""Reconciliation: what stopped is found and set moving; what is well is left alone."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from invariants import check, forbid, forbid_going_back
from small_work import Town, hurry, work_embedded
from sqlalchemy import insert, select, text, update

from clerk.cli import cli
from clerk.core import config, db
from clerk.core.clock import utc_now
from clerk.core.db import civic_db_connection, reading_connection
from clerk.core.models import metadata, sites_table
from clerk.core.states import QUEUES, STAGES
from clerk.executors.work import Outcome
from clerk.migrations import find_stuck_sites, recover_stuck_site
from clerk.pipeline import ledger, reconcile, transitions
from clerk.pipeline.scripted_stages import increment_completed, increment_failed, initialize_stage


@pytest.fixture
def towns(make_site: Any, storage: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Return a function that makes a site; the promises are checked at the end."""
    hurry(monkeypatch)
    with civic_db_connection() as conn:
        forbid_going_back(conn)
    yield lambda name="stuck-site": Town(make_site(name))
    with reading_connection() as conn:
        check(conn, storage)


@pytest.fixture
def town(towns: Any) -> Town:
    return towns()


def let_hours_pass(town: Town, hours: float = 3) -> None:
    with civic_db_connection() as conn:
        conn.execute(
            update(sites_table)
            .where(sites_table.c.subdomain == town.subdomain)
            .values(updated_at=utc_now() - timedelta(hours=hours))
        )


def put(town: Town, stage: str, total: int = 1, completed: int = 0, failed: int = 0) -> None:
    """Leave the site as an older system did: in a stage, without a run."""
    counters = {
        f"{stage}_total": total,
        f"{stage}_completed": completed,
        f"{stage}_failed": failed,
    }
    with civic_db_connection() as conn:
        db.update_site(conn, town.subdomain, {"current_stage": stage} | counters)
    let_hours_pass(town)


def run(*, dry_run: bool = False) -> reconcile.Reconciliation:
    *_, whole = reconcile.reconcile(config.load(), dry_run=dry_run)
    assert isinstance(whole, reconcile.Reconciliation)
    return whole


def everything(storage: Path) -> tuple[list[Any], list[tuple[str, int, int]]]:
    """Every row of every table, and every file with its size and time."""
    with reading_connection() as conn:
        rows = [
            conn.execute(select(table).order_by(*table.primary_key)).fetchall()
            for table in metadata.sorted_tables
        ]
    files = [
        (str(path), path.stat().st_size, path.stat().st_mtime_ns)
        for path in sorted(storage.rglob("*"))
        if not path.name.startswith("clerk.db")
    ]
    return rows, files


# --------------------------------------------------------------------- as the seeds' tests have it


@pytest.fixture
def stuck(town: Town) -> Town:
    initialize_stage(town.subdomain, "ocr", total_jobs=2)
    let_hours_pass(town)
    txt = town.folder / "txt" / "Meeting"
    txt.mkdir(parents=True)
    (txt / "2024-01-01.txt").write_text("test content")
    (txt / "2024-01-02.txt").write_text("test content")
    return town


def test_a_site_without_movement_for_two_hours_is_stuck(stuck: Town) -> None:
    assert [row.subdomain for row in find_stuck_sites()] == [stuck.subdomain]


def test_a_stuck_site_with_text_gets_its_counters_and_its_coordinator(stuck: Town) -> None:
    assert recover_stuck_site(stuck.subdomain) is True

    assert stuck.row.ocr_completed == 2
    assert stuck.row.coordinator_enqueued is True
    assert [row.state for row in stuck.items("coordinator").values()] == ["pending"]


def test_a_site_that_moved_half_an_hour_ago_is_not_stuck(town: Town) -> None:
    initialize_stage(town.subdomain, "ocr", total_jobs=1)
    let_hours_pass(town, 0.5)

    assert find_stuck_sites() == []


# ------------------------------------------------------------------------------ every stage


@pytest.mark.parametrize("stage", STAGES)
def test_a_site_left_in_any_stage_is_taken_to_its_end(town: Town, stage: str) -> None:
    town.pdfs(3)
    read = {"fetch": 0, "ocr": 1}.get(stage, 3)
    for each in range(read):
        town.text(f"2024-01-0{each + 1}")
    if stage == "deploy":
        (town.folder / "meetings.db").write_text("minutes/Council/2024-01-01")
    put(town, stage, total=3 if stage == "ocr" else 1)

    whole = run()
    assert (whole.recovered, len(whole.found), whole.need_a_person) == (1, 1, [])
    work_embedded()

    assert (town.row.current_stage, town.run.state) == ("completed", "completed")
    assert town.published


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_a_script_opened_and_left_is_taken_to_its_end(town: Town, stage: str) -> None:
    town.pdfs(2)
    town.text("2024-01-01")
    if stage not in ("fetch", "ocr"):
        town.text("2024-01-02")
    initialize_stage(town.subdomain, stage, total_jobs=2 if stage == "ocr" else 1)
    let_hours_pass(town)

    assert run().recovered == 1
    work_embedded()

    assert (town.row.current_stage, town.run.state) == ("completed", "completed")


def test_only_what_is_missing_is_read_again(town: Town) -> None:
    town.pdfs(5)
    for each in (1, 2, 3):
        town.text(f"2024-01-0{each}")
    put(town, "ocr", total=5, completed=2)

    run()

    assert town.counts == (5, 3, 0)
    assert set(town.items()) == {"2024-01-04", "2024-01-05"}
    work_embedded()
    # Two children read side by side, so either document may come first.
    assert sorted(line for line in town.diary if "read" in line) == [
        "read minutes/Council/2024-01-04",
        "read minutes/Council/2024-01-05",
    ]


def test_real_failures_are_not_erased(town: Town) -> None:
    """95 read and 5 failed of 100 stays 95 and 5, though the PDFs are still there."""
    town.pdfs(20)
    for each in range(15):
        town.text(f"2024-01-{each + 1:02}")
    put(town, "ocr", total=20, completed=15, failed=5)

    run()

    assert town.counts == (20, 15, 5)
    assert town.row.coordinator_enqueued is True


def test_documents_that_are_gone_count_as_failed(town: Town) -> None:
    town.text("2024-01-01")
    put(town, "ocr", total=4, completed=1)

    run()

    assert town.counts == (4, 1, 3)


def test_a_site_whose_reading_failed_altogether_needs_a_person(town: Town) -> None:
    put(town, "ocr", total=3, failed=3)

    whole = run()

    assert whole.recovered == 0
    assert [plan.message for plan in whole.need_a_person] == [
        "No completed OCR documents found - ALL OCR failed"
    ]
    assert (town.row.current_stage, town.run.state) == ("completed", "failed")
    assert town.row.last_error_stage == "ocr"


def test_a_script_that_died_between_the_last_count_and_the_claim(town: Town) -> None:
    town.text("2024-01-01")
    initialize_stage(town.subdomain, "ocr", total_jobs=2)
    increment_completed(town.subdomain, "ocr")
    increment_failed(town.subdomain, "ocr", "broken", "Error")
    let_hours_pass(town)

    assert run().recovered == 1

    assert town.counts == (2, 1, 1)
    assert town.row.coordinator_enqueued is True
    work_embedded()
    assert town.run.state == "partial"


def test_a_site_with_an_unusable_name_does_not_keep_the_others_waiting(
    towns: Any, storage: Path
) -> None:
    good = towns()
    good.text("2024-01-01")
    put(good, "ocr")
    with civic_db_connection() as conn:
        conn.execute(insert(sites_table).values(subdomain="../Odd", current_stage="ocr"))

    whole = run()

    assert whole.recovered == 1
    assert [plan.subdomain for plan in whole.need_a_person] == ["../Odd"]


def test_a_file_name_that_is_not_text_is_reported_and_the_other_documents_are_read(
    towns: Any,
) -> None:
    odd, good = towns("a-odd"), towns("b-good")
    for each in (odd, good):
        each.pdfs(1)
        put(each, "ocr", total=2)
    Path(os.fsdecode(os.fsencode(odd.folder) + b"/pdfs/Council/caf\xe9.pdf")).write_text("fine")

    whole = run()

    assert whole.recovered == 2
    assert [plan.subdomain for plan in whole.need_a_person] == ["a-odd"]
    assert "pdfs/Council/caf\\xe9.pdf" in whole.need_a_person[0].message
    assert odd.counts == good.counts == (2, 0, 1)
    work_embedded()
    assert odd.row.ocr_completed == good.row.ocr_completed == 1


def test_a_site_that_cannot_be_recovered_does_not_keep_the_others_waiting(towns: Any) -> None:
    for name in ("a-odd", "b-good"):
        town = towns(name)
        town.text("2024-01-01")
        put(town, "ocr")
    with civic_db_connection() as conn:
        forbid(conn, "INSERT", "runs", "NEW.subdomain = 'a-odd'", "no run of this one")

    whole = run()

    assert whole.recovered == 1
    assert [plan.subdomain for plan in whole.need_a_person] == ["a-odd"]
    assert "no run of this one" in whole.need_a_person[0].message
    assert Town("b-good").row.coordinator_enqueued is True


# --------------------------------------------------------------------------- nothing too much


def a_bit_of_everything(towns: Any) -> None:
    for stage in STAGES:
        town = towns(f"in-{stage}")
        town.pdfs(2)
        town.text("2024-01-01")
        put(town, stage, total=2)
    towns("waiting").start()
    let_hours_pass(Town("waiting"))
    put(towns("unknown"), "ocr", total=2, failed=2)
    with civic_db_connection() as conn:
        db.update_site(conn, "unknown", {"current_stage": "parsing"})
    let_hours_pass(Town("unknown"))
    _work_of_a_dead_worker(towns("dead"))


def _work_of_a_dead_worker(town: Town) -> None:
    town.start()
    with civic_db_connection() as conn:
        ledger.register_worker(conn, "dead", lease_seconds=-60.0, queues="ocr")
        ledger.claim(conn, QUEUES, "dead", lambda _queue: 1)


def test_a_dry_run_changes_nothing_at_all(towns: Any, storage: Path, redis: str) -> None:
    a_bit_of_everything(towns)
    from clerk.executors import rq

    connection = rq.connect(redis)
    before, keys = everything(storage), sorted(connection.keys("*"))

    whole = run(dry_run=True)

    assert (whole.recovered, len(whole.found)) == (5, 7)
    assert whole.crashed_batches == 1
    assert everything(storage) == before
    assert sorted(connection.keys("*")) == keys


def test_a_dry_run_reports_what_the_real_one_does(towns: Any, storage: Path) -> None:
    a_bit_of_everything(towns)

    told, done = run(dry_run=True), run()

    assert told.found == done.found
    assert (told.recovered, told.crashed_batches) == (done.recovered, done.crashed_batches)


def _without_history(state: Any) -> Any:
    names = [table.name for table in metadata.sorted_tables]
    rows = dict(zip(names, state[0], strict=True))
    return {name: each for name, each in rows.items() if name != "stage_events"}


def test_reconciling_twice_changes_nothing_more(towns: Any, storage: Path) -> None:
    a_bit_of_everything(towns)
    run()
    before = everything(storage)

    assert run().recovered == 0

    assert _without_history(everything(storage)) == _without_history(before)


def test_reconciling_again_hours_later_without_a_worker_changes_nothing_more(
    towns: Any, storage: Path
) -> None:
    a_bit_of_everything(towns)
    run()
    for stage in STAGES:
        let_hours_pass(Town(f"in-{stage}"))
    before = everything(storage)

    whole = run()

    assert (whole.recovered, len(whole.need_a_person)) == (0, 7)
    assert _without_history(everything(storage)) == _without_history(before)


def test_reconciling_twice_at_once_does_it_once(towns: Any, storage: Path) -> None:
    a_bit_of_everything(towns)

    with ThreadPoolExecutor(4) as pool:
        wholes = list(pool.map(lambda _: run(), range(4)))

    assert sum(whole.recovered for whole in wholes) == 5
    for stage in STAGES:
        with reading_connection() as conn:
            runs = text("SELECT count(*) FROM runs WHERE subdomain = :name")
            assert conn.execute(runs, {"name": f"in-{stage}"}).scalar() == 1


def test_a_site_that_another_reconciliation_set_moving_needs_nobody(towns: Any) -> None:
    for name in ("a", "b"):
        town = towns(name)
        town.text("2024-01-01")
        put(town, "ocr")
    first = reconcile.reconcile(config.load())
    next(first)

    second = run()
    *_, whole = first

    assert isinstance(whole, reconcile.Reconciliation)
    assert (whole.recovered, second.recovered) == (1, 1)
    assert [*whole.need_a_person, *second.need_a_person] == []


def test_a_site_that_a_live_worker_will_get_to_needs_nobody(town: Town) -> None:
    town.start()
    with civic_db_connection() as conn:
        ledger.register_worker(conn, "alive", lease_seconds=600.0, queues="fetch")

    assert reconcile.recover(config.load(), town.subdomain).needs_person is False


def test_work_that_only_a_person_can_fix_is_reported_although_it_is_retried(
    town: Town,
) -> None:
    town.start()
    let_hours_pass(town)
    with civic_db_connection() as conn:
        ledger.register_worker(conn, "alive", lease_seconds=600.0, queues="fetch")
        claimed = ledger.claim(conn, QUEUES, "alive", lambda _queue: 1)
        assert claimed is not None
        error = "StorageUnusable: the disk is full"
        full = Outcome(claimed.items[0], "pending", error, "StorageUnusable")
        transitions.finish(conn, claimed, [full], ended=True)

    for whole in (run(dry_run=True), run()):
        assert [(plan.subdomain, plan.message) for plan in whole.need_a_person] == [
            ("stuck-site", "It waits for a person: StorageUnusable: the disk is full")
        ]


def test_what_a_live_worker_has_claimed_is_never_stuck(town: Town) -> None:
    town.start()
    with civic_db_connection() as conn:
        ledger.register_worker(conn, "alive", lease_seconds=600.0, queues="fetch")
        ledger.claim(conn, QUEUES, "alive", lambda _queue: 1)
    let_hours_pass(town, 48)

    assert find_stuck_sites() == []
    assert run().crashed_batches == 0


def test_workers_that_died_long_ago_are_forgotten_with_their_locks(
    town: Town, tmp_path: Path
) -> None:
    for name, age in (("long-dead", -90_000.0), ("lately-dead", -60.0)):
        lock = tmp_path / f"{name}.lock"
        lock.touch()
        with civic_db_connection() as conn:
            ledger.register_worker(conn, name, lease_seconds=age, queues="ocr", lock_path=str(lock))

    run()

    assert [path.name for path in tmp_path.glob("*.lock")] == ["lately-dead.lock"]
    with reading_connection() as conn:
        assert conn.execute(text("SELECT id FROM workers")).scalars().all() == ["lately-dead"]


def test_reconciliation_does_not_touch_when_a_site_moved(town: Town) -> None:
    town.start()
    let_hours_pass(town)
    before = town.row.updated_at

    run()

    assert town.row.updated_at == before


# ------------------------------------------------------------------------------ the command


def command(*arguments: str) -> Any:
    return CliRunner().invoke(cli, ["reconcile-pipeline", *arguments], catch_exceptions=False)


def test_the_command_prints_what_scripts_know(towns: Any) -> None:
    for number in (1, 2):
        town = towns(f"site{number}.ca.us")
        for each in range(number):
            town.text(f"2024-01-0{each + 1}")
        put(town, "ocr", total=number)
    put(towns("site3.ca.us"), "ocr", total=1, failed=1)

    result = command()

    lines = result.stdout.splitlines()
    assert lines[0] == lines[2] == "=" * 80
    assert lines[1].startswith("RECONCILIATION: 2")
    assert lines[3:] == [
        "",
        "Found 3 stuck sites:",
        "",
        "  site1.ca.us: Found 1 completed documents, enqueueing coordinator",
        "  site2.ca.us: Found 2 completed documents, enqueueing coordinator",
        "  site3.ca.us: No completed OCR documents found - ALL OCR failed",
        "",
        "Recovered 2 sites",
    ]
    assert result.exit_code == 4


def test_the_command_says_so_when_nothing_is_stuck(town: Town) -> None:
    result = command()

    assert result.stdout.splitlines()[3:] == ["", "No stuck sites found"]
    assert result.exit_code == 0


def test_a_dry_run_of_the_command_says_what_it_would_do(town: Town) -> None:
    town.text("2024-01-01")
    put(town, "ocr")

    result = command("--dry-run")

    assert "DRY RUN MODE - no changes will be made" in result.stdout
    assert "  stuck-site: Would recover (dry run)" in result.stdout
    assert result.stdout.rstrip().endswith("Would recover 1 sites")
    assert town.run is None
    told = json.loads(command("--dry-run", "--json").stdout)
    assert (told["found"], told["recovered"], told["dry_run"]) == (1, 1, True)


# ------------------------------------------------------------------------------ query plans

_MANY = {
    "sites": """INSERT INTO sites (subdomain, current_stage, updated_at)
        SELECT 'site-' || n, 'completed', {long_ago} FROM numbers""",
    "runs": """INSERT INTO runs (run_id, subdomain, epoch, state)
        SELECT 'run-' || n, 'site-' || n, 1, 'completed' FROM numbers""",
    "jobs": """INSERT INTO jobs (id, run_id, subdomain, kind, stage, queue, state, total, completed)
        SELECT 1000 + n, 'run-' || n, 'site-' || n, 'stage', 'ocr', 'ocr', 'closed', 10, 10
        FROM numbers""",
    "items": """INSERT INTO items (job_id, run_id, step, document, state)
        SELECT 1000 + n, 'run-' || n, 'document', 'minutes/' || k, 'completed'
        FROM numbers, (SELECT n AS k FROM numbers WHERE n <= 10) documents""",
    "batch_job_trackings": """INSERT INTO batch_job_trackings
        (parent_job_id, status, item_count, claim, worker_id)
        SELECT 1000 + n, 'completed', 10, 'claim-' || n || '-' || k, 'w' || n
        FROM numbers, (SELECT n AS k FROM numbers WHERE n <= 2) batches""",
}

_NUMBERS = (
    "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {})"
)


def fill(sites: int) -> None:
    """Write many sites with finished work, in a statement per table."""
    with civic_db_connection() as conn:
        postgresql = conn.dialect.name == "postgresql"
        long_ago = "now() - interval '9 days'" if postgresql else "'2020-01-01 00:00:00.000000'"
        for insertion in _MANY.values():
            into, _, selected = insertion.partition("SELECT")
            numbers = _NUMBERS.format(sites)
            conn.execute(text(f"{into} {numbers} SELECT {selected.format(long_ago=long_ago)}"))
    with db.get_civic_db().connect() as conn:
        conn.execution_options(isolation_level="AUTOCOMMIT").execute(text("ANALYZE"))


class Statements:
    """The statements an engine runs, with their parameters."""

    def __init__(self) -> None:
        from sqlalchemy import event

        self.seen: list[tuple[str, Any]] = []
        event.listen(db.get_civic_db(), "before_cursor_execute", self._on)

    def _on(self, _c: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        self.seen.append((statement, parameters))


def plan_of(statement: str, parameters: Any) -> str:
    with reading_connection() as conn:
        explain = "EXPLAIN " if conn.dialect.name == "postgresql" else "EXPLAIN QUERY PLAN "
        rows = conn.exec_driver_sql(explain + statement, parameters).fetchall()
        return "\n".join(str(row[-1]) for row in rows)


def scans(plan: str) -> list[str]:
    """The lines of a plan that read a whole large table."""
    large = ("items", "batch_job_trackings", "jobs")
    found = []
    for line in plan.splitlines():
        words = line.strip().removeprefix("->").strip()
        sqlite = words.startswith("SCAN ") and "USING" not in words
        if (sqlite or "Seq Scan" in words) and any(f" {name}" in f" {words}" for name in large):
            found.append(words)
    return found


def test_a_claim_planned_while_the_table_is_small_does_not_go_through_it_for_each_row(
    town: Town,
) -> None:
    """PostgreSQL keeps the plan while the table grows a hundredfold."""
    with civic_db_connection() as conn:
        transitions.start_run(conn, town.subdomain)
    statements = Statements()

    with civic_db_connection() as conn:
        assert ledger.claim(conn, QUEUES, "worker", lambda _queue: 20)

    taking = next(each for each in statements.seen if each[0].startswith("UPDATE items"))
    plan = plan_of(*taking)
    assert "Nested Loop" not in plan
    assert "Hash Join" in plan or "SEARCH items USING INTEGER PRIMARY KEY" in plan


def test_reconciling_many_sites_reads_no_large_table_whole(make_site: Any) -> None:
    """10,000 sites, 100,000 documents and 20,000 batches that are done cost nothing."""
    fill(10_000)
    town = Town(make_site())
    town.text("2024-01-01")
    town.pdf("2024-01-02")
    put(town, "ocr", total=2)
    _work_of_a_dead_worker(Town(make_site("dead")))
    statements = Statements()

    assert (run().recovered, run().recovered) == (1, 0)
    let_hours_pass(town)
    run()
    ledger_reads = [(s, p) for s, p in statements.seen if s.lstrip().startswith("SELECT")]

    assert len(ledger_reads) < 100
    assert [s for each in ledger_reads for s in scans(plan_of(*each))] == []


def test_sites_that_only_wait_cost_no_statement_each(towns: Any) -> None:
    for number in range(30):
        town = towns(f"waiting-{number:02}")
        town.start()
        let_hours_pass(town)
    statements = Statements()

    whole = run(dry_run=True)

    assert len(whole.need_a_person) == 30
    assert {plan.message for plan in whole.found} == {"1 wait for a worker and none is running"}
    assert len(statements.seen) < 15
