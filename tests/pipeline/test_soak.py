"""Machines that share PostgreSQL, Redis and a bucket, disturbed for some minutes.

Workers are killed and stopped, Redis is emptied, PostgreSQL and the bucket are restarted, while
documents keep coming.  ``SOAK_MINUTES`` says for how long (5 by default); figures are printed.
"""

from __future__ import annotations

import contextlib
import os
import random
import re
import shutil
import signal
import statistics
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
from small_sites import ask
from small_work import Town, hurry, wait_until
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from test_chaos_servers import PostgresServer

from clerk.core import config, db, manifest, schema, site_files
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

    name = "soak"

    def __init__(self) -> None:
        self._server = self._start(0)
        self.host, self.port = self._server.get_host_and_port()
        self.url = f"http://{self.host}:{self.port}"
        boto3 = pytest.importorskip("boto3", reason="boto3 is not installed")
        self._client = boto3.client("s3", endpoint_url=self.url, region_name="us-east-1")
        self._client.create_bucket(Bucket=self.name)

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

    def read(self, key: str) -> bytes:
        """Return an object."""
        return bytes(self._client.get_object(Bucket=self.name, Key=key)["Body"].read())

    def stop(self) -> None:
        """Stop it for good."""
        self._server.stop()


class Fleet:
    """Workers on machines of their own; one that died is started again.

    The first is stopped now and then and never killed, so that what it holds can be seen to stay
    the same however long it works.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._workers: dict[int, subprocess.Popen[bytes]] = {}
        #: How those ended whom nobody killed, and what they said.
        self.gave_up: list[str] = []
        #: MB of memory and the open files of the first worker without its children, and the
        #: connections of all workers to PostgreSQL, each time somebody looked.
        self.memory: list[int] = []
        self.files: list[int] = []
        self.connections: list[int] = []

    def keep_up(self) -> None:
        """Start the workers that are not there."""
        for number in range(WORKERS):
            worker = self._workers.get(number)
            code = worker and worker.poll()
            if worker is not None and code is None:
                continue
            folder = self._root / f"machine-{number}"
            folder.mkdir(exist_ok=True)
            said = folder / "said"
            if code not in (None, -signal.SIGKILL):
                self.gave_up.append(f"{code}: {said.read_text()[-2000:]}")
            with said.open("w") as stderr:
                self._workers[number] = subprocess.Popen(
                    [sys.executable, "-m", "clerk", "worker", "all"],
                    env=os.environ | {"STORAGE_DIR": str(folder)},
                    stdout=subprocess.DEVNULL,
                    stderr=stderr,
                )

    def any(self, pick: random.Random, *, to_kill: bool = False) -> int:
        """Return the process id of a worker."""
        return self._workers[pick.randrange(int(to_kill), WORKERS)].pid

    def look(self) -> None:
        """Note what the first worker holds."""
        process = Path("/proc", str(self._workers[0].pid))
        with contextlib.suppress(SQLAlchemyError), reading_connection() as conn:
            count = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            self.connections.append(int(conn.execute(text(count)).scalar_one()))
        if self._workers[0].poll() is not None:
            return
        (resident,) = re.findall(r"VmRSS:\s+(\d+) kB", (process / "status").read_text())
        self.memory.append(int(resident) // 1024)
        self.files.append(len(list((process / "fd").iterdir())))

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


@pytest.fixture
def servers(
    storage: Path, redis: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[PostgresServer, Bucket]]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "somebody")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "very-secret-key")
    folder = Path(tempfile.mkdtemp(prefix="clerk-pg-"))
    server, bucket = PostgresServer(folder), Bucket()
    for name, value in {
        "DATABASE_URL": server.url,
        "STORAGE_URL": f"s3://{bucket.name}/towns",
        "AWS_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": bucket.url,
        "AWS_ALLOW_HTTP": "true",
        "LEASE_SECONDS": "5",
    }.items():
        monkeypatch.setenv(name, value)
    hurry(monkeypatch)
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
                os.kill(fleet.any(pick, to_kill=True), signal.SIGKILL)
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
        ended = conn.execute(text("SELECT count(*) FROM runs")).scalar_one()
        current = {site: site_files.current_database(conn, site) for site in SITES}
    for site, sha256 in current.items():
        built = tmp_path / f"{site}.db"
        built.write_bytes(bucket.read(f"towns/database/{sha256}"))
        number = len(expected[site])
        assert ask(built, "SELECT count(*), count(DISTINCT date) FROM minutes") == [(number,) * 2]
        assert ask(built, "SELECT count(*), count(DISTINCT document) FROM votes") == [(number,) * 2]

    print(f"\n{MINUTES:g} min: {done}, {ended} runs, documents {disturbed}")
    # A worker needs PostgreSQL to start; once it works, it waits for it.
    assert [said for said in fleet.gave_up if "does not answer" not in said] == []
    held = {"MB": fleet.memory, "open files": fleet.files, "connections": fleet.connections}
    for what, seen in held.items():
        third = max(len(seen) // 3, 1)
        early, late = statistics.median(seen[third : 2 * third]), statistics.median(seen[-third:])
        print(f"{what}: {early:g} in the second third, {late:g} in the last, at most {max(seen)}")
        assert late <= 1.15 * early + 3, what
    assert max(fleet.connections) <= 12 * WORKERS + 10
