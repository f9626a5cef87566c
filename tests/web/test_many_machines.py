"""Each stage on a machine of its own, with a storage directory of its own and one store for all.

A machine is a process: one that has used a store must not fork.
"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import web_server
from small_machines import Machines, add_documents
from small_sites import ask, content
from small_work import Town, hurry, wait_until
from sqlalchemy import text
from web_town import Browser

from clerk.core import config, manifest
from clerk.core.db import reading_connection
from clerk.core.states import COMPILATION, DEPLOY, EXTRACTION, FETCH, OCR
from clerk.core.store import Store
from clerk.pipeline import runs

NAME = "minutes/Council/2024-01-15"


@pytest.fixture(params=["s3", pytest.param("file", marks=pytest.mark.chaos)])
def machines(
    request: pytest.FixtureRequest,
    database: str,
    storage: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Machines:
    hurry(monkeypatch)
    monkeypatch.setenv("CLERK_WORKERS", "1")
    if database == "sqlite":
        monkeypatch.setenv("DATABASE_URL", f"sqlite:///{storage / 'clerk.db'}")
    if request.param == "s3":
        url = request.getfixturevalue("s3")
    else:
        (tmp_path / "store").mkdir()
        url = f"file://{tmp_path}/store"
    monkeypatch.setenv("STORAGE_URL", url)
    return Machines(tmp_path, monkeypatch)


@pytest.fixture
def town(machines: Machines, clerk: Any, tmp_path: Path) -> Town:
    add_documents(tmp_path / "documents" / "Council", 1, 2)
    machines.be("desk")
    assert clerk("site", "add", "springfield", "--from", str(tmp_path / "documents")).code == 0
    return Town("springfield")


def annotated_pages() -> list[str]:
    """Return the dates of the pages that have current annotations."""
    query = text(
        "SELECT sourceid FROM annotation_documents d JOIN annotation_sets s ON s.document_id = d.id"
        " WHERE s.is_current AND EXISTS"
        " (SELECT 1 FROM denotations a WHERE a.set_id = s.id) ORDER BY sourceid"
    )
    with reading_connection() as conn:
        return [name.split("/")[-2] for name in conn.execute(query).scalars()]


STAGES = (FETCH, OCR, COMPILATION, EXTRACTION, DEPLOY)


@pytest.mark.parametrize(
    "database", ["sqlite", pytest.param("postgresql", marks=pytest.mark.chaos)], indirect=True
)
def test_machines_that_share_only_a_store_publish_what_one_machine_does(
    machines: Machines, town: Town, clerk: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs.start(config.load(), "springfield")
    machines.work(*STAGES, COMPILATION, DEPLOY)
    assert town.run.state == "completed"
    published = tmp_path / f"machine-{DEPLOY}" / "_published" / "springfield" / "meetings.db"

    # A third document comes: the site is compiled again where it never was.
    add_documents(tmp_path / "documents" / "Council", 3)
    runs.start(config.load(), "springfield")
    elsewhere = (f"another/{COMPILATION}", f"third/{EXTRACTION}")
    brought = machines.work(FETCH, OCR, *elsewhere, COMPILATION, DEPLOY, *["web/mirror"] * 2)
    assert town.run.state == "completed"
    assert brought == "springfield\n\n"
    # The machine that extracted last has read one document: what was found in others stays.
    assert annotated_pages() == ["2024-01-15", "2024-02-15", "2024-03-15"]

    machines.be("web")
    visitor = Browser()
    assert "adopt the" in visitor.get("/search?q=budget&site=springfield").text
    (page,) = ask(published, "SELECT id FROM minutes WHERE date = '2024-03-15'")
    assert visitor.get(f"/p/{page[0]}/image.webp").headers["content-type"] == "image/webp"
    assert visitor.get(f"/api/v1/pages/{page[0]}?q=budget").json()["boxes"]

    by_one = published_by_one_process(machines, clerk, tmp_path, monkeypatch)
    assert differences(published_files(published.parent), by_one) == []


@pytest.mark.parametrize(
    ("executor", "database"),
    [
        ("rq", "postgresql"),
        pytest.param("postgresql alone", "postgresql", marks=pytest.mark.chaos),
        pytest.param("rq", "sqlite", marks=pytest.mark.chaos),
    ],
    indirect=["database"],
)
def test_workers_that_share_only_a_store_publish_what_one_process_does(
    machines: Machines,
    town: Town,
    executor: str,
    request: pytest.FixtureRequest,
    clerk: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if executor == "rq":
        request.getfixturevalue("redis")
    add_documents(tmp_path / "documents" / "Council", 3)
    with contextlib.ExitStack() as running:
        for stage in STAGES:
            machines.be(f"machine-{stage}")
            running.enter_context(worker(stage))
        machines.be("web")
        pages = running.enter_context(web_server.running("--no-worker"))
        assert clerk("update", "--subdomain", "springfield").code == 0
        wait_until(lambda: town.run.state != "active", 120)
        assert (town.run.state, town.counts) == ("completed", (3, 3, 0))
        url = f"{pages.address}search?q=budget&site=springfield"
        wait_until(lambda: "adopt the" in httpx.get(url, timeout=60).text, 60)
    deployed = tmp_path / f"machine-{DEPLOY}" / "_published" / "springfield"

    monkeypatch.delenv("REDIS_URL", raising=False)
    by_one = published_by_one_process(machines, clerk, tmp_path, monkeypatch)
    assert differences(published_files(deployed), by_one) == []


@contextlib.contextmanager
def worker(stage: str) -> Iterator[None]:
    """Run a worker as people do."""
    command = [sys.executable, "-m", "clerk", "worker", stage]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        try:
            yield
        finally:
            process.terminate()


def published_by_one_process(
    machines: Machines, clerk: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> dict[str, Any]:
    """Publish the documents with ``clerk run``, without a store and servers; return the files."""
    monkeypatch.delenv("STORAGE_URL")
    alone = machines.be("alone")
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{alone / 'clerk.db'}")
    assert clerk("db", "upgrade").code == 0
    assert clerk("site", "add", "springfield", "--from", str(tmp_path / "documents")).code == 0
    assert clerk("run", "springfield").code == 0
    return published_files(alone / "_published" / "springfield")


#: When something was fetched and published, and what depends on it: versions and their digests.
#: The index of pagefind has a number that it draws.
TIMES = re.compile(
    rb"\d{4}-\d\d-\d\d[T ][\d:.]+(\+00:00|Z| UTC)|\d{8}T\d{6}Z|2-[0-9a-f]{32}"
    rb'|"made_by":"[0-9a-f]+"|"searched":"[0-9a-f]+ |en_[0-9a-f]{10}|<dt>Fetched</dt><dd>[^<]*'
)
#: Ordered by when documents were fetched.
BY_TIME = ("new.atom", "bodies/council.atom", "index.html")


def published_files(folder: Path) -> dict[str, Any]:
    """Return the bytes of what is published, but for the times, and the rows of the database."""
    files: dict[str, Any] = {}
    for path in folder.rglob("*"):
        if path.is_file() and path.name != "meetings.db" and path.suffix != ".pf_meta":
            name = str(path.relative_to(folder))
            files[name] = TIMES.sub(b"", path.read_bytes())
            if name in BY_TIME:
                files[name] = sorted(files[name].split(b"<"))
    return files | _rows(folder / "meetings.db", ("first_seen_at", "fetched_at", "digest"))


def differences(files: dict[str, Any], others: dict[str, Any]) -> list[str]:
    """Return the names of the files and tables that are not the same."""
    return sorted(
        name for name in files.keys() | others.keys() if files.get(name) != others.get(name)
    )


def _rows(database: Path, without: tuple[str, ...]) -> dict[str, Any]:
    found = content(database)
    columns = [row[1] for row in ask(database, "PRAGMA table_info(documents)")]
    dropped = {columns.index(name) for name in without}
    found["documents"] = [
        tuple(value for at, value in enumerate(row) if at not in dropped)
        for row in found["documents"]
    ]
    return found


def work_to_the_end(machines: Machines, town: Town) -> None:
    """Work until the run has ended; what failed is tried again after a moment."""
    for _ in range(6):
        machines.work(*STAGES, COMPILATION, DEPLOY)
        if town.run.state != "active":
            return


def lose(machines: Machines, kind: str, sha256: str, *, damaged: bool) -> None:
    """Have an object taken away, or changed behind our back."""
    script = (
        "import sys, obstore\n"
        "from clerk.core import config\n"
        "from clerk.core.store import Store, key_of\n"
        "settings = config.load()\n"
        "store = Store(settings.storage_url, allow_http=settings.storage_allow_http)\n"
        "key = key_of(sys.argv[1], sys.argv[2])\n"
        "obstore.put(store._objects, key, b'rubbish') if sys.argv[3] else store.delete([key])\n"
    )
    machines.run(script, kind, sha256, "damaged" if damaged else "")


@pytest.mark.parametrize("machines", ["s3"], indirect=True)
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
@pytest.mark.parametrize("damaged", [pytest.param(False, marks=pytest.mark.chaos), True])
def test_an_object_that_is_lost_is_made_again_by_the_next_run(
    machines: Machines, town: Town, damaged: bool
) -> None:
    runs.start(config.load(), "springfield")
    machines.work(FETCH)
    with reading_connection() as conn:
        row = manifest.document(conn, "springfield", NAME)
    assert row is not None and row.pdf_sha256
    lose(machines, "pdf", row.pdf_sha256, damaged=damaged)

    machines.work(OCR, COMPILATION, EXTRACTION, COMPILATION, DEPLOY)
    assert (town.run.state, town.counts) == ("partial", (2, 1, 1))
    assert town.items()["2024-01-15"].error.startswith(f"FileGone: {NAME}: ")

    runs.start(config.load(), "springfield")
    machines.work(FETCH, OCR)
    with reading_connection() as conn:
        row = manifest.document(conn, "springfield", NAME)
    assert row is not None and row.text_sha256
    lose(machines, "text", row.text_sha256, damaged=damaged)
    work_to_the_end(machines, town)

    runs.start(config.load(), "springfield")
    work_to_the_end(machines, town)
    assert (town.run.state, town.counts) == ("completed", (2, 2, 0))


@pytest.mark.parametrize("machines", ["s3"], indirect=True)
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_store_of_another_installation_is_refused_and_nobody_blamed(
    machines: Machines, town: Town, clerk: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs.start(config.load(), "springfield")
    machines.work(FETCH)
    mine = os.environ["DATABASE_URL"]
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path / 'other.db'}")
    machines.be("other")
    assert clerk("db", "upgrade").code == 0
    assert clerk("site", "add", "springfield", "--from", str(tmp_path / "documents")).code == 0
    said = subprocess.run(
        [sys.executable, "-m", "clerk", "run", "springfield"],
        capture_output=True,
        text=True,
        env=os.environ,
        check=False,
    )
    assert said.returncode == 3
    assert "belongs to the installation" in said.stderr
    assert "very-secret-key" not in said.stderr + said.stdout

    monkeypatch.setenv("DATABASE_URL", mine)
    machines.work(OCR, COMPILATION, EXTRACTION, COMPILATION, DEPLOY)
    assert town.run.state == "completed"


@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
def test_a_worker_does_not_start_with_the_bucket_of_another_installation(
    database: str, s3: str, storage: Path, clerk: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STORAGE_URL", s3)
    assert clerk("db", "upgrade").code == 0
    Store(s3, allow_http=True).claim_for("somebody-else")

    said = subprocess.run(
        [sys.executable, "-m", "clerk", "worker", "ocr"],
        capture_output=True,
        text=True,
        env=os.environ,
        check=False,
        timeout=120,
    )

    assert said.returncode == 3
    assert "belongs to the installation somebody-else" in said.stderr
    assert "they must belong to one installation" in said.stderr
    assert "very-secret-key" not in said.stderr + said.stdout
