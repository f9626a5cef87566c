"""A bucket that fails, machines that die or race: nothing is lost, no document is blamed."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from invariants import check
from object_server import HANG_UP, Failure, Fault, ObjectServer
from small_machines import Machines, add_documents
from small_sites import ask, content
from small_work import Town, hurry
from sqlalchemy import text

from clerk.core import config, manifest, site_files
from clerk.core.db import civic_db_connection, reading_connection
from clerk.core.run_options import RunOptions
from clerk.core.states import COMPILATION, DEPLOY, EXTRACTION, FETCH, OCR
from clerk.pipeline import runs, transitions

pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


@pytest.fixture
def bucket(database: str, storage: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ObjectServer]:
    """A bucket of our own that all machines use."""
    hurry(monkeypatch)
    server = ObjectServer()
    for name, value in {
        "DATABASE_URL": f"sqlite:///{storage / 'clerk.db'}",
        "STORAGE_URL": "s3://bucket/towns",
        "AWS_ACCESS_KEY_ID": "somebody",
        "AWS_SECRET_ACCESS_KEY": "very-secret-key",
        "AWS_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": server.url,
        "AWS_ALLOW_HTTP": "true",
        "CLERK_WORKERS": "1",
    }.items():
        monkeypatch.setenv(name, value)
    yield server
    server.close()


@pytest.fixture
def machines(bucket: ObjectServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machines:
    return Machines(tmp_path, monkeypatch)


@pytest.fixture
def town(machines: Machines, clerk: Any, tmp_path: Path) -> Town:
    add_documents(tmp_path / "documents" / "Council", 1, 2)
    machines.be("desk")
    assert clerk("site", "add", "springfield", "--from", str(tmp_path / "documents")).code == 0
    return Town("springfield")


def nobody_is_blamed(town: Town) -> None:
    with reading_connection() as conn:
        check(conn)
        query = "SELECT sum(errors), sum(crashes), sum(lost), count(*) FROM items"
        errors, crashes, lost, _ = conn.execute(text(query)).one()
        assert (errors, crashes, lost) == (0, 0, 0)
        assert conn.execute(text("SELECT count(*) FROM quarantine")).scalar_one() == 0


def said_of_the_store() -> list[str]:
    with reading_connection() as conn:
        query = "SELECT error FROM items WHERE state = 'pending' AND error IS NOT NULL"
        return list(conn.execute(text(query)).scalars())


def all_is_there(server: ObjectServer) -> None:
    """Whatever a row names is in the bucket, with that content."""
    with reading_connection() as conn:
        named = (
            set(manifest.named_objects(conn, "pdf")),
            set(manifest.named_objects(conn, "database")),
        )
    for kind, hashes in zip(("pdf", "database"), named, strict=True):
        for each in hashes:
            assert sha256(server.objects[f"/bucket/towns/{kind}/{each}"]).hexdigest() == each


def when(method: str, failure: Failure) -> Fault:
    return lambda asked, path: failure if asked == method else None


#: What goes wrong at each stage, and how it is said.
FAULTS: dict[str, tuple[Fault, str]] = {
    FETCH: (when("PUT", Failure(507, "XMinioStorageFull")), "it is full"),
    OCR: (lambda method, path: HANG_UP, "it does not answer"),
    COMPILATION: (lambda method, path: Failure(403, "InvalidAccessKeyId"), "access was refused"),
    EXTRACTION: (when("PUT", Failure(403, "AccessDenied")), "access was refused"),
    DEPLOY: (lambda method, path: Failure(500, "InternalError"), "it answered 500"),
}


@pytest.mark.chaos
@pytest.mark.timeout(900)
def test_a_bucket_that_is_full_down_or_refusing_costs_time_and_nothing_else(
    machines: Machines, town: Town, bucket: ObjectServer
) -> None:
    runs.start(config.load(), "springfield")
    for stage in (FETCH, OCR, COMPILATION, EXTRACTION, DEPLOY):
        bucket.fault, said = FAULTS[stage]
        machines.work(stage)
        assert town.run.state == "active"
        told = said_of_the_store()
        assert told, stage
        assert all(each.startswith("StoreUnavailable: The store s3://") for each in told), told
        assert all(said in each and "very-secret-key" not in each for each in told), (stage, told)
        nobody_is_blamed(town)
        # It is back, but slow.
        bucket.fault = lambda method, path: Failure(0, seconds=0.3)
        with civic_db_connection() as conn:
            conn.execute(text("UPDATE items SET available_at = created_at, error = NULL"))
        machines.work(stage)
        bucket.fault = lambda method, path: None
    assert (town.run.state, town.counts) == ("completed", (2, 2, 0))
    nobody_is_blamed(town)
    all_is_there(bucket)


def test_two_machines_that_compile_a_site_at_once_end_with_all_of_it(
    machines: Machines, town: Town, bucket: ObjectServer, tmp_path: Path
) -> None:
    runs.start(config.load(), "springfield")
    machines.work(FETCH, OCR)
    sending, go_on = threading.Event(), threading.Event()

    def hold_the_first(method: str, path: str) -> None:
        if method == "PUT" and "/database/" in path and not sending.is_set():
            sending.set()
            assert go_on.wait(60)

    # The machine that compiles the text is held up by the bucket, another one extracts.
    bucket.after = hold_the_first
    slow = threading.Thread(target=machines.work, args=(f"slow/{COMPILATION}",))
    slow.start()
    assert sending.wait(60)
    machines.work(f"quick/{EXTRACTION}")
    go_on.set()
    slow.join(60)
    machines.work(COMPILATION, DEPLOY)

    assert town.run.state == "completed"
    assert len(databases(bucket)) == 2, "both have built one"
    with reading_connection() as conn:
        current = site_files.current_database(conn, "springfield")
    built = tmp_path / "current.db"
    built.write_bytes(bucket.objects[f"/bucket/towns/database/{current}"])
    assert ask(built, "SELECT count(*), count(DISTINCT date) FROM minutes") == [(2, 2)]
    assert ask(built, "SELECT count(DISTINCT document) FROM votes") == [(2,)]
    nobody_is_blamed(town)


def databases(bucket: ObjectServer) -> set[str]:
    return {path for path in bucket.objects if "/database/" in path}


@pytest.mark.chaos
def test_a_cache_of_one_documents_size_suffices(
    machines: Machines,
    town: Town,
    bucket: ObjectServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("STORAGE_CACHE_MB", "1")
    monkeypatch.setenv("CLERK_WORKERS", "3")
    folder = tmp_path / "documents" / "Council"
    add_documents(folder, *range(1, 9))
    for pdf in folder.iterdir():
        # Readers pass over what is behind the end of the file.
        pdf.write_bytes(pdf.read_bytes() + b"\n%" + os.urandom(600_000).hex().encode())
    runs.start(config.load(), "springfield")
    machines.work(*(f"small/{stage}" for stage in (FETCH, OCR, COMPILATION, EXTRACTION)))
    machines.work(f"small/{COMPILATION}", f"small/{DEPLOY}")

    assert (town.run.state, town.counts) == ("completed", (8, 8, 0))
    nobody_is_blamed(town)
    kept = [each.stat().st_size for each in (tmp_path / "small").rglob("pdfs/**/*.pdf")]
    assert sum(kept) <= 2**20
    assert len([path for path in bucket.objects if "/pdf/" in path]) == 8


@pytest.mark.chaos
def test_a_compiled_database_that_is_lost_is_built_again(
    machines: Machines, town: Town, bucket: ObjectServer, tmp_path: Path
) -> None:
    runs.start(config.load(), "springfield")
    machines.work(FETCH, OCR, COMPILATION, EXTRACTION, COMPILATION)
    for path in databases(bucket):
        bucket.objects[path] = b"rubbish"

    machines.work(f"elsewhere/{DEPLOY}")

    assert town.run.state == "completed"
    published = tmp_path / "elsewhere" / "_published" / "springfield" / "meetings.db"
    assert ask(published, "SELECT count(*) FROM minutes") == [(2,)]
    all_is_there(bucket)


#: The request that lists objects, of one kind.
LISTED = ("GET", "/bucket")


def scanned() -> subprocess.CompletedProcess[str]:
    """Scan in another process: one that has used a store must not fork, and this one does."""
    command = [sys.executable, "-m", "clerk", "reconcile-pipeline", "--scan"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_scan_lists_the_bucket_once_and_looks_for_nothing_that_is_listed(
    machines: Machines, town: Town, bucket: ObjectServer, clerk: Any, tmp_path: Path
) -> None:
    for month, site in enumerate(("shelbyville", "capitalcity"), start=3):
        folder = tmp_path / site
        add_documents(folder / "Council", month)
        assert clerk("site", "add", site, "--from", str(folder)).code == 0
        runs.start(config.load(), site)
    bucket.asked.clear()
    machines.work(FETCH, OCR)
    assert LISTED not in bucket.asked, "for a new site"
    lost = next(path for path in bucket.objects if "/pdf/" in path)
    del bucket.objects[lost]
    bucket.asked.clear()

    machines.be("desk")
    said = scanned()

    assert said.stderr.count("1 PDF missing") == 1
    assert bucket.asked.count(LISTED) == 2
    assert [path for method, path in bucket.asked if method == "HEAD"] == [lost]


def test_what_is_missing_of_a_large_part_of_the_bucket_is_seen_in_its_list(
    machines: Machines, town: Town, bucket: ObjectServer
) -> None:
    runs.start(config.load(), "springfield")
    machines.work(FETCH, OCR, COMPILATION)
    with civic_db_connection() as conn:
        scheduled = RunOptions(opened_by="schedule")
        transitions.start_run(conn, "springfield", options=scheduled)
    machines.work(FETCH, OCR)
    bucket.asked.clear()

    machines.work(COMPILATION)

    assert bucket.asked.count(LISTED) == 2
    assert not [path for method, path in bucket.asked if method == "HEAD"]


def test_the_bucket_of_another_installation_is_no_reason_to_forget_documents(
    machines: Machines, town: Town, bucket: ObjectServer
) -> None:
    runs.start(config.load(), "springfield")
    machines.work(FETCH, OCR)
    bucket.objects.clear()
    bucket.objects["/bucket/towns/installation.json"] = b'{"id": "another"}'
    machines.be("desk")

    said = scanned()

    assert said.returncode == 3 and "belongs to the installation another" in said.stderr
    with reading_connection() as conn:
        rows = manifest.documents(conn, "springfield")
    assert len(rows) == 2 and all(row.pdf_sha256 and row.text_sha256 for row in rows)


# ------------------------------------------------------------------------------- killed at a step


class Run:
    """`clerk run` in a process group of its own, killed at one of its requests to the bucket."""

    def __init__(self, server: ObjectServer, number: int = 0, *, after: bool = False) -> None:
        self._server, self._left, self._lock = server, number, threading.Lock()
        self.died = False
        count: Callable[[str, str], Any] = self._count
        server.fault = (lambda method, path: None) if after else count
        server.after = count if after else (lambda method, path: None)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "clerk", "run", "springfield"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
            env=os.environ,
        )

    def _count(self, method: str, path: str) -> Failure | None:
        with self._lock:
            self._left -= 1
            if self._left == 0:
                self.died = True
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(self._process.pid, signal.SIGKILL)
                return HANG_UP
        return None

    def wait(self) -> tuple[int, str]:
        """Return the exit code and what was said."""
        _, said = self._process.communicate(timeout=120)
        return self._process.returncode, said.decode()


@pytest.mark.chaos
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_killed_at_every_request_to_the_bucket(
    machines: Machines, town: Town, bucket: ObjectServer, tmp_path: Path, after: bool, clerk: Any
) -> None:
    kills = 0
    for number in range(1, 200):
        site = f"machine-{number}"
        machines.be(site)
        with civic_db_connection() as conn:
            for table in ("sites", "workers", "installation", "document_changes"):
                conn.execute(text(f"DELETE FROM {table}"))
        bucket.objects.clear()
        source = str(tmp_path / "documents")
        assert clerk("site", "add", "springfield", "--from", source).code == 0
        killed = Run(bucket, number, after=after)
        killed.wait()
        again = Run(bucket).wait()

        assert again[0] == 0, again[1]
        assert (town.run.state, town.counts) == ("completed", (2, 2, 0)), number
        published = tmp_path / site / "_published" / "springfield" / "meetings.db"
        assert sorted(len(rows) for rows in content(published).values()) != []
        assert ask(published, "SELECT count(*) FROM minutes") == [(2,)]
        assert ask(published, "SELECT count(DISTINCT document) FROM votes") == [(2,)]
        all_is_there(bucket)
        with reading_connection() as conn:
            check(conn)
        if not killed.died:
            break
        kills += 1
    assert kills >= 10
    print(f"{kills} kills at requests to the bucket")
