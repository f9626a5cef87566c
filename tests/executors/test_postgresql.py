"""Workers with PostgreSQL alone: woken by notifications, whatever happens to their connection.

They look for work by themselves only every ten minutes here, so what starts was notified of.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

import psycopg
import pytest
from guide import clerk
from small_work import SmallWork, Town, hurry, nothing_active, wait_until, workers

from clerk.core import config, db, notifications
from clerk.core.config import Settings
from clerk.core.notifications import Listener
from clerk.core.states import DEPLOY, FETCH, OCR, QUEUES, Step
from clerk.executors import postgresql
from clerk.executors.work import Claim, Limit
from clerk.pipeline import runs

IdleWorkers = Callable[[int], contextlib.AbstractContextManager[None]]

pytestmark = pytest.mark.parametrize("database", ["postgresql"], indirect=True)


class Looks(SmallWork):
    """Small work that notes on disk each time it looks for more."""

    def __init__(self, path: Path, settings: Settings) -> None:
        super().__init__(settings)
        self._path = path

    def claim(self, queues: Collection[str], worker_id: str, limit: Limit) -> Claim | None:
        """Look for work, and note it."""
        claimed = super().claim(queues, worker_id, limit)
        with self._path.open("a") as file:
            file.write("x")
        return claimed


@pytest.fixture
def idle_workers(
    town: Town, tmp_path: Path, postgres: str, monkeypatch: pytest.MonkeyPatch
) -> IdleWorkers:
    """Return a context in which some workers run, which are idle when it begins."""
    hurry(monkeypatch)
    monkeypatch.setattr(postgresql, "POLL_SECONDS", 600.0)
    monkeypatch.setenv("LEASE_SECONDS", "120")

    @contextlib.contextmanager
    def idle(number: int) -> Iterator[None]:
        looks = tmp_path / "looks"

        def be() -> None:
            settings = config.load()
            postgresql.work(Looks(looks, settings), QUEUES, settings, burst=False)

        with workers(number, be):
            # One look at the start, and one as soon as the worker listens.
            wait_until(lambda: looks.is_file() and looks.stat().st_size == 2 * number)
            yield

    return idle


def listeners(url: str) -> list[int]:
    """Return the server processes of connections that listen."""
    with psycopg.connect(url) as conn:
        found = conn.execute(
            "SELECT pid FROM pg_stat_activity"
            " WHERE query = 'LISTEN clerk_work' AND datname = current_database()"
        )
        return [row[0] for row in found]


def test_idle_workers_start_as_soon_as_a_site_is_queued(
    town: Town, idle_workers: IdleWorkers
) -> None:
    town.pdfs(4)
    with idle_workers(2):
        runs.start(config.load(), town.subdomain)
        wait_until(nothing_active)

    assert (town.run.state, town.counts) == ("completed", (4, 4, 0))


def test_notifications_of_other_queues_wake_nobody(town: Town) -> None:
    with Listener([OCR]) as listener:
        assert listener.wait(0), "what was sent before it listened is unknown"
        with db.reading_connection() as conn:
            notifications.notify(conn, [FETCH, DEPLOY])
            assert not listener.wait(60)
            notifications.notify(conn, [FETCH, OCR])
            assert listener.wait(60)
        assert not listener.wait(0)


def test_the_work_of_a_killed_worker_is_found_by_an_idle_one(
    town: Town, idle_workers: IdleWorkers
) -> None:
    town.pdf("slow", "slow 100")
    with idle_workers(2):
        runs.start(config.load(), town.subdomain)
        wait_until(lambda: "read minutes/Council/slow" in town.diary)
        town.pdf("slow", "fine")
        os.kill(holder_of_the_document(), signal.SIGKILL)
        wait_until(nothing_active)

    assert (town.run.state, town.counts) == ("completed", (1, 1, 0))
    assert town.items()["slow"].lost == 1


def holder_of_the_document() -> int:
    """Return the process id of the worker that is reading."""
    with psycopg.connect(os.environ["DATABASE_URL"]) as conn:
        row = conn.execute(
            "SELECT pid FROM workers JOIN items ON worker_id = workers.id WHERE step = 'document'"
        ).fetchone()
    assert row is not None
    return row[0]


def test_a_worker_whose_connection_broke_listens_again(
    town: Town, idle_workers: IdleWorkers, postgres: str
) -> None:
    town.pdfs(1)
    with idle_workers(1):
        (before,) = listeners(postgres)
        with psycopg.connect(postgres, autocommit=True) as conn:
            conn.execute("SELECT pg_terminate_backend(%s)", (before,))
        wait_until(lambda: listeners(postgres) not in ([], [before]))
        runs.start(config.load(), town.subdomain)
        wait_until(nothing_active)

    assert town.run.state == "completed"


def test_the_command_needs_no_redis(town: Town) -> None:
    runs.start(config.load(), town.subdomain)

    command = [sys.executable, "-m", "clerk", "worker", "fetch", "-n", "2", "--burst"]
    done = subprocess.run(command, timeout=120, capture_output=True, text=True)

    assert done.returncode == 0, done.stderr
    assert town.items(Step.FETCH)["fetch"].attempt == 1


def test_sites_are_queued_without_a_word_about_redis(town: Town) -> None:
    assert "REDIS_URL" not in clerk("update", "-s", town.subdomain).output
