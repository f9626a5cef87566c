"""SIGKILL before and after every statement, commit, enqueue and rename; then start again.

The site completes, no document is lost or counted twice, and every promise of the ledger holds.
A sample of the steps is in the ordinary suite; all of them are under the marker ``chaos``.
"""

from __future__ import annotations

import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from faults import CHILD, SUPERVISOR, Steps, count_steps
from invariants import check, forbid_going_back
from small_work import (
    SmallWork,
    Town,
    hurry,
    nothing_active,
    reap,
    spawn,
    work_embedded,
)
from sqlalchemy import text

from clerk.core import config
from clerk.core.db import civic_db_connection, reading_connection
from clerk.core.states import QUEUES
from clerk.executors import rq
from clerk.pipeline import queues

DOCUMENTS = 3


@pytest.fixture(autouse=True)
def short_waits(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)
    monkeypatch.setenv("CLERK_WORKERS", "2")
    with civic_db_connection() as conn:
        forbid_going_back(conn)


def start_and_work(town: Town) -> None:
    if town.run is None:
        town.start()
    work_embedded()


def start_and_work_on_rq(town: Town) -> None:
    if town.run is None:
        town.start()
    queues.offer(config.load(), QUEUES)
    while not nothing_active():
        rq.work(SmallWork(config.load()), QUEUES, config.load(), burst=True)


def survives(make_site: Any, storage: Path, work: Callable[[Town], None], steps: Steps) -> bool:
    """Kill at a step, start again, and look; False when the work has not so many steps."""
    town = Town(make_site())
    town.pdfs(DOCUMENTS)

    def work_and_die() -> None:
        count_steps(steps)
        work(town)

    status = reap(spawn(work_and_die))
    assert status in (0, -signal.SIGKILL)
    work(town)

    assert (town.run.state, town.counts) == ("completed", (DOCUMENTS, DOCUMENTS, 0)), steps
    assert len(town.published) == DOCUMENTS
    with reading_connection() as conn:
        check(conn, storage)
    _forget(town)
    return steps.died


def _forget(town: Town) -> None:
    """Leave nothing to the next kill, so that it costs no more than the first."""
    with civic_db_connection() as conn:
        for table in ("sites", "workers", "stage_events"):
            conn.execute(text(f"DELETE FROM {table}"))
    for folder in (town.folder, config.load().published, town.folder.parent / "_clerk"):
        shutil.rmtree(folder, ignore_errors=True)


def kill_at(numbers: Any, who: str, make_site: Any, storage: Path, work: Any) -> int:
    """Kill at each of these steps until there are no more, and return how many there were."""
    deaths = 0
    for number in numbers:
        if not survives(make_site, storage, work, Steps(number, who)):
            break
        deaths += 1
    return deaths


def test_a_supervisor_killed_at_a_sample_of_its_steps(make_site: Any, storage: Path) -> None:
    assert kill_at(range(5, 400, 97), SUPERVISOR, make_site, storage, start_and_work) >= 2


def test_a_child_killed_at_a_sample_of_its_steps(make_site: Any, storage: Path) -> None:
    assert kill_at((1, 3), CHILD, make_site, storage, start_and_work) == 2


def test_an_rq_worker_killed_at_a_sample_of_its_steps(
    make_site: Any, storage: Path, redis: str
) -> None:
    assert kill_at(range(11, 500, 150), SUPERVISOR, make_site, storage, start_and_work_on_rq) >= 2


@pytest.mark.chaos
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("who", [SUPERVISOR, CHILD])
def test_killed_at_every_step(make_site: Any, storage: Path, who: str) -> None:
    deaths = kill_at(range(1, 2000), who, make_site, storage, start_and_work)

    assert deaths >= (100 if who == SUPERVISOR else 4)
    print(f"{deaths} kills of a {who}")


@pytest.mark.chaos
@pytest.mark.timeout(3600)
def test_an_rq_worker_killed_at_every_step(make_site: Any, storage: Path, redis: str) -> None:
    deaths = kill_at(range(1, 3000, 2), SUPERVISOR, make_site, storage, start_and_work_on_rq)

    assert deaths >= 100
    print(f"{deaths} kills of a worker")
