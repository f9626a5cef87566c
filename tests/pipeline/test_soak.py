"""Machines that share PostgreSQL, Redis and a bucket, disturbed for some minutes.

Workers are killed and stopped, Redis is emptied, PostgreSQL and the bucket are restarted, while
documents keep coming.  ``SOAK_MINUTES`` says for how long (5 by default); figures are printed.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from invariants import check, forbid_going_back
from small_pdfs import printed
from small_work import Town, hurry, wait_until
from sqlalchemy import text
from test_chaos_servers import PostgresServer

from clerk.core import config, db, manifest, schema
from clerk.core.db import civic_db_connection, reading_connection
from clerk.core.states import QUEUES
from clerk.executors import rq
from clerk.pipeline import queues, runs

MINUTES = float(os.environ.get("SOAK_MINUTES", "5"))
SITES = ("springfield", "shelbyville", "ogdenville")
WORKERS = 3
SEED = 20261117

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(MINUTES * 60 + 900)]


class Bucket:
    """A server that speaks S3, to be stopped and started at will; its objects stay."""

    def __init__(self) -> None:
        self._server = self._start(0)
        self.host, self.port = self._server.get_host_and_port()
        self.url = f"http://{self.host}:{self.port}"

    def _start(self, port: int) -> Any:
        server = pytest.importorskip("moto.server", reason="moto[server] is not installed")
        served = server.ThreadedMotoServer(ip_address="127.0.0.1", port=port, verbose=False)
        served.start()
        return served

    def restart(self) -> None:
        """Be away for a moment."""
        self._server.stop()
        time.sleep(1.0)
        self._server = self._start(self.port)

    def stop(self) -> None:
        """Stop it for good."""
        self._server.stop()


class Fleet:
    """Workers on machines of their own; one that died is started again."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._workers: dict[int, subprocess.Popen[bytes]] = {}
        self.kills = 0
        #: Resident memory of each worker and its children in MB, by the time it was looked at.
        self.memory: list[list[int]] = []
        self.connections: list[int] = []

    def keep_up(self) -> None:
        """Start the workers that are not there."""
        for number in range(WORKERS):
            worker = self._workers.get(number)
            if worker is None or worker.poll() is not None:
                folder = self._root / f"machine-{number}"
                folder.mkdir(exist_ok=True)
                self._workers[number] = subprocess.Popen(
                    [sys.executable, "-m", "clerk", "worker", "all"],
                    env=os.environ | {"STORAGE_DIR": str(folder)},
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )

    def any(self, pick: random.Random) -> int:
        """Return the process id of a worker."""
        return self._workers[pick.randrange(WORKERS)].pid

    def look(self) -> None:
        """Note memory and connections."""
        with contextlib.suppress(Exception), reading_connection() as conn:
            count = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            self.connections.append(int(conn.execute(text(count)).scalar_one()))
            self.memory.append([_resident_mb(each.pid) for each in self._workers.values()])

    def end(self) -> None:
        """Stop all."""
        for worker in self._workers.values():
            worker.terminate()
        for worker in self._workers.values():
            try:
                worker.wait(60)
            except subprocess.TimeoutExpired:
                worker.kill()
                worker.wait()


def _resident_mb(pid: int) -> int:
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) // 1024
    return 0


@pytest.fixture
def servers(
    storage: Path, redis: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[PostgresServer, Bucket]]:
    boto3 = pytest.importorskip("boto3", reason="boto3 is not installed")
    folder = Path(tempfile.mkdtemp(prefix="clerk-pg-"))
    server, bucket = PostgresServer(folder), Bucket()
    for name, value in {
        "DATABASE_URL": server.url,
        "STORAGE_URL": "s3://soak/towns",
        "AWS_ACCESS_KEY_ID": "somebody",
        "AWS_SECRET_ACCESS_KEY": "very-secret-key",
        "AWS_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": bucket.url,
        "AWS_ALLOW_HTTP": "true",
        "LEASE_SECONDS": "5",
    }.items():
        monkeypatch.setenv(name, value)
    hurry(monkeypatch)
    boto3.client("s3", endpoint_url=bucket.url, region_name="us-east-1").create_bucket(
        Bucket="soak"
    )
    schema.upgrade(db.get_civic_db())
    with civic_db_connection() as conn:
        forbid_going_back(conn)
    yield server, bucket
    db.get_civic_db().dispose()
    bucket.stop()
    server.clean_up()
    shutil.rmtree(folder, ignore_errors=True)


def active() -> set[str]:
    with reading_connection() as conn:
        query = text("SELECT subdomain FROM runs WHERE state = 'active'")
        return set(conn.execute(query).scalars())


def patiently(act: Any) -> Any:
    """Do something with a database that may be restarting."""
    for _ in range(60):
        try:
            return act()
        except Exception:  # noqa: BLE001 - whatever a server that goes away causes
            time.sleep(0.5)
    return act()


def test_nothing_is_lost_or_doubled_while_everything_is_disturbed(
    servers: tuple[PostgresServer, Bucket], redis: str, clerk: Any, tmp_path: Path
) -> None:
    server, bucket = servers
    pick = random.Random(SEED)
    expected: dict[str, set[str]] = {site: set() for site in SITES}

    def add_documents(site: str, number: int) -> None:
        folder = tmp_path / "documents" / site / "Council"
        folder.mkdir(parents=True, exist_ok=True)
        for _ in range(number):
            at = len(expected[site])
            day = f"{2000 + at // 336}-{at // 28 % 12 + 1:02}-{at % 28 + 1:02}"
            words = f"Minutes {at}: the motion to adopt item{at} carried unanimously."
            (folder / f"{day} minutes.pdf").write_bytes(printed([words]))
            expected[site].add(f"minutes/Council/{day}")

    for site in SITES:
        add_documents(site, 10)
        source = str(tmp_path / "documents" / site)
        assert clerk("site", "add", site, "--from", source).code == 0
    fleet = Fleet(tmp_path)
    done: dict[str, int] = {}
    until = time.monotonic() + MINUTES * 60
    try:
        while time.monotonic() < until:
            fleet.keep_up()
            for site in set(SITES) - patiently(active):
                add_documents(site, 3)
                patiently(lambda site=site: runs.start(config.load(), site))
            fault = pick.choice(["kill", "kill", "stop", "flush", "postgres", "bucket", "nothing"])
            done[fault] = done.get(fault, 0) + 1
            if fault == "kill":
                os.kill(fleet.any(pick), signal.SIGKILL)
            elif fault == "stop":
                pid = fleet.any(pick)
                os.kill(pid, signal.SIGSTOP)
                time.sleep(pick.choice([1.0, 8.0]))
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)
            elif fault == "flush":
                rq.connect(redis).flushall()
            elif fault == "postgres":
                db.get_civic_db().dispose()
                server.stop(pick.choice(["fast", "immediate"]))
                server.start()
            elif fault == "bucket":
                bucket.restart()
            time.sleep(pick.uniform(1.0, 4.0))
            fleet.look()
        disturbed = {site: len(names) for site, names in expected.items()}

        # Quiet again: everything ends, and one more run finds nothing left to do.
        for _ in range(2):
            wait_until(lambda: fleet.keep_up() or not patiently(active), 300)
            for site in SITES:
                runs.start(config.load(), site)
            queues.offer(config.load(), QUEUES)
        wait_until(lambda: fleet.keep_up() or not patiently(active), 300)
    finally:
        fleet.end()

    for site in SITES:
        town = Town(site)
        assert (town.run.state, town.counts[2]) == ("completed", 0)
        with reading_connection() as conn:
            rows = manifest.documents(conn, site)
        assert {row.name for row in rows} == expected[site]
        assert all(row.text_sha256 and row.findings_sha256 for row in rows)
    with reading_connection() as conn:
        check(conn)
        query = "SELECT count(*) FROM runs"
        ended = conn.execute(text(query)).scalar_one()
    print(f"\n{MINUTES:g} min: {done}, {ended} runs, documents {disturbed}")
    print(f"memory of a worker: {fleet.memory[0]} -> {fleet.memory[-1]} MB")
    print(f"connections: {min(fleet.connections)} to {max(fleet.connections)}")
    assert max(fleet.connections) <= 12 * WORKERS + 10
    assert max(fleet.memory[-1]) < 2 * max(max(each) for each in fleet.memory[:5]) + 50
