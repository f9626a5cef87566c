"""What a claim and a night's queueing cost when there are many sites.

Cost is counted, not timed: instructions of SQLite's virtual machine, and the rows that
PostgreSQL's plan really touches.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from guide import clerk
from sqlalchemy import Connection, event, func, select, text

from clerk.core import config, db
from clerk.core.models import jobs_table, runs_table
from clerk.core.states import OCR, QUEUES, STAGES
from clerk.ops import activity, counts
from clerk.pipeline import failures, ledger, runs, sites

_NUMBERS = (
    "WITH RECURSIVE numbers(n) AS (SELECT {} UNION ALL SELECT n + 1 FROM numbers WHERE n < {})"
)

_OPEN_JOBS = (
    "INSERT INTO sites (subdomain) {numbers} SELECT 'site-' || n FROM numbers",
    "INSERT INTO runs (run_id, subdomain, epoch) {numbers}"
    " SELECT 'run-' || n, 'site-' || n, 1 FROM numbers",
    "INSERT INTO jobs (id, kind, run_id, subdomain, stage, queue, total) {numbers}"
    " SELECT n, 'stage', 'run-' || n, 'site-' || n, 'fetch', 'fetch', 1 FROM numbers",
    "INSERT INTO items (job_id, run_id, step, available_at) {numbers}"
    " SELECT n, 'run-' || n, 'fetch', '2020-01-01 00:00:00.000000' FROM numbers",
)


def open_jobs(first: int, last: int) -> None:
    """Write sites whose fetch waits, in a statement per table."""
    with db.civic_db_connection() as conn:
        for statement in _OPEN_JOBS:
            conn.execute(text(statement.format(numbers=_NUMBERS.format(first, last))))


def cost(action: Callable[[Connection], Any]) -> int:
    """Return how much the database does for an action, which is undone."""
    engine = db.get_civic_db()
    if engine.dialect.name == "sqlite":
        return _instructions(action)
    seen: list[tuple[str, Any]] = []

    def note(_c: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        seen.append((statement, parameters))

    event.listen(engine, "before_cursor_execute", note)
    with engine.connect() as conn:
        action(conn)
        conn.rollback()
    event.remove(engine, "before_cursor_execute", note)
    touched = 0
    with engine.connect() as conn:
        for statement, parameters in seen:
            explain = "EXPLAIN (ANALYZE, FORMAT JSON) "
            plan = conn.exec_driver_sql(explain + statement, parameters).scalar_one()
            touched += _rows(plan[0]["Plan"])
        conn.rollback()
    return touched


def _instructions(action: Callable[[Connection], Any]) -> int:
    engine, steps = db.get_civic_db(), 0

    def count() -> int:
        nonlocal steps
        steps += 1
        return 0

    def begin(conn: Any, *_: Any) -> None:
        conn.connection.driver_connection.set_progress_handler(count, 1)

    with engine.connect() as conn:
        event.listen(engine, "before_cursor_execute", begin)
        action(conn)
        event.remove(engine, "before_cursor_execute", begin)
        conn.rollback()
    # The connections with the counter are not used again.
    engine.dispose()
    return steps


def _rows(node: dict[str, Any]) -> int:
    """Return how many rows a part of a plan returned or looked at in vain."""
    removed = sum(value for name, value in node.items() if name.startswith("Rows Removed"))
    mine = (node["Actual Rows"] + removed) * node["Actual Loops"]
    return int(mine) + sum(_rows(each) for each in node.get("Plans", ()))


ACTIONS: dict[str, Callable[[Connection], Any]] = {
    "claim": lambda conn: ledger.claim(conn, QUEUES, "worker", lambda _: 20),
    "look": lambda conn: ledger.claimable_jobs(conn, QUEUES),
    "notify": lambda conn: ledger.queues_with_work(conn, QUEUES),
}


@pytest.mark.parametrize("action", ACTIONS.values(), ids=ACTIONS)
def test_a_claim_costs_the_same_however_many_jobs_are_open(
    database: str, action: Callable[[Connection], Any]
) -> None:
    open_jobs(1, 10)
    few = cost(action)
    open_jobs(11, 10_000)
    many = cost(action)
    with db.civic_db_connection() as conn:
        conn.execute(text("ANALYZE"))
    analysed = cost(action)

    assert few > 0
    assert max(many, analysed) <= 2 * few


@pytest.mark.parametrize("action", ACTIONS.values(), ids=ACTIONS)
def test_a_claim_does_not_go_through_all_jobs_that_have_nothing_to_claim(
    database: str, action: Callable[[Connection], Any]
) -> None:
    open_jobs(1, ledger.JOBS_LOOKED_AT + 10)
    delay_all_but_the_last()
    few = cost(action)
    open_jobs(ledger.JOBS_LOOKED_AT + 11, 10_000)
    delay_all_but_the_last()
    with db.civic_db_connection() as conn:
        conn.execute(text("ANALYZE"))
    many = cost(action)

    assert few > 0
    assert many <= 2 * few
    with db.reading_connection() as conn:
        (found,) = ledger.claimable_jobs(conn, QUEUES)
        assert found.subdomain == "site-10000"
        assert ledger.queues_with_work(conn, QUEUES) == ["fetch"]


def delay_all_but_the_last() -> None:
    """Have everything tried again much later, except the item that was added last."""
    with db.civic_db_connection() as conn:
        conn.execute(
            text(
                "UPDATE items SET available_at = '2099-01-01 00:00:00.000000'"
                " WHERE id < (SELECT max(id) FROM items)"
            )
        )


# ------------------------------------------------------------------------------------- history


def finished_runs(first: int, last: int) -> None:
    """Write runs of every site, with these numbers, each with a document that failed."""
    with db.civic_db_connection() as conn:
        numbers = _NUMBERS.format(first, last)
        name = "subdomain || '-' || n"
        conn.execute(
            text(
                f"INSERT INTO runs (run_id, subdomain, epoch, state, finished_at) {numbers}"
                f" SELECT {name}, subdomain, n, 'partial', '2020-01-01 00:00:00.000000'"
                " FROM numbers, sites"
            )
        )
        for stage in STAGES:
            ended = "failed" if stage == OCR else "completed"
            conn.execute(
                text(
                    "INSERT INTO jobs"
                    f" (kind, run_id, subdomain, stage, queue, state, total, {ended})"
                    f" {numbers} SELECT 'stage', {name}, subdomain, '{stage}', '{stage}',"
                    " 'closed', 1, 1 FROM numbers, sites"
                )
            )
        conn.execute(
            text(
                "INSERT INTO items (job_id, run_id, step, document, state, error)"
                " SELECT id, run_id, 'document', 'minutes/bad', 'failed', 'bad' FROM jobs"
                " WHERE stage = 'ocr' AND id NOT IN (SELECT job_id FROM items)"
            )
        )
    with db.get_civic_db().connect() as conn:
        conn.execution_options(isolation_level="AUTOCOMMIT").execute(text("ANALYZE"))


LISTS: dict[str, Callable[[Connection], Any]] = {
    "failures": lambda _conn: failures.find(),
    "failures of a site": lambda _conn: failures.find(failures.Filter(site="due-1")),
    "sites": sites.overview,
    "site": lambda _conn: sites.describe(config.load(), "due-1"),
    "stages": lambda _conn: activity.stage_jobs(20),
    "overview": lambda _conn: counts.figures(config.load()),
}


def test_lists_cost_the_same_however_many_runs_there_were(many_sites: int) -> None:
    finished_runs(1, 1)
    few = {name: cost(action) for name, action in LISTS.items()}
    finished_runs(2, 10)
    many = {name: cost(action) for name, action in LISTS.items()}

    assert len(failures.find()) == many_sites
    assert {name: many[name] / few[name] for name in LISTS if many[name] > 1.3 * few[name]} == {}


# ------------------------------------------------------------------------------ queueing sites


@pytest.fixture
def many_sites(database: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """Twenty-five sites that are due, to be started ten at a time."""
    monkeypatch.setattr(runs, "STARTED_AT_ONCE", 10)
    with db.civic_db_connection() as conn:
        numbers = _NUMBERS.format(1, 25)
        conn.execute(
            text(f"INSERT INTO sites (subdomain) {numbers} SELECT 'due-' || n FROM numbers")
        )
    return 25


def fetches_per_site() -> list[int]:
    with db.reading_connection() as conn:
        fetches = select(func.count()).select_from(jobs_table).group_by(jobs_table.c.subdomain)
        return sorted(conn.execute(fetches).scalars())


def test_all_due_sites_are_queued_in_a_few_transactions(many_sites: int) -> None:
    commits = []
    event.listen(db.get_civic_db(), "commit", commits.append)

    assert "Queued 25 sites." in clerk("update", "--all-due").output

    assert fetches_per_site() == [1] * many_sites
    assert len(commits) <= 3 + 3, "one per group, and what opening the database takes"
    assert "No site is due." in clerk("update", "--all-due").output
    assert fetches_per_site() == [1] * many_sites


def test_sites_in_a_run_or_updated_today_are_not_queued(
    many_sites: int, make_site: Callable[..., str]
) -> None:
    under_way = runs.start(config.load(), "due-7")
    with db.civic_db_connection() as conn:
        conn.execute(
            text("UPDATE sites SET updated_at = :now WHERE subdomain = 'due-8'"),
            {"now": conn.execute(select(db.db_now())).scalar_one()},
        )

    *_, queued = runs.start_due(config.load())

    assert queued == 23
    with db.reading_connection() as conn:
        found = conn.execute(select(runs_table)).fetchall()
    assert {run.state for run in found} == {"active"}
    assert [run.run_id for run in found if run.subdomain == "due-7"] == [under_way]
    assert "due-8" not in {run.subdomain for run in found}


def test_queueing_that_was_interrupted_is_continued_by_repeating_it(many_sites: int) -> None:
    assert next(runs.start_due(config.load())) == 10

    assert list(runs.start_due(config.load())) == [10, 15]

    assert fetches_per_site() == [1] * many_sites


def test_two_who_queue_all_sites_at_once_start_each_once(many_sites: int) -> None:
    threads = [
        threading.Thread(target=lambda: list(runs.start_due(config.load()))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert fetches_per_site() == [1] * many_sites
    with db.reading_connection() as conn:
        assert set(conn.execute(select(runs_table.c.state)).scalars()) == {"active"}
