"""An installation of an earlier version is upgraded and goes on without losing anything."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from sqlalchemy import MetaData, Table, select

from clerk.core import config, db
from clerk.web.app import create_app

DATA = Path(__file__).parent / "data" / "revision_0005"
#: The folder in which the installation was made.  Binary files contain it, so that the folder it is
#: restored to must have a name of the same length.
MADE_IN = "/srv/" + ("installation-" + "of-an-earlier-version-" * 10)[:154] + "z"

Clerk = Callable[..., Any]


@pytest.fixture(params=["sqlite", "postgresql"])
def installation(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """The storage directory of an earlier version, whose database the settings name."""
    root = tmp_path / ("r" * (len(MADE_IN) - len(str(tmp_path)) - 1))
    assert len(str(root)) == len(MADE_IN), "the temporary folder has too long a name"
    with tarfile.open(DATA / f"{request.param}.tar.xz") as archive:
        archive.extractall(root, filter="data")
    for path in root.rglob("*"):
        if path.is_file() and not path.is_symlink():
            path.write_bytes(path.read_bytes().replace(MADE_IN.encode(), os.fsencode(root)))
    storage = root / "sites"
    dump = (DATA / f"{request.param}.sql").read_text().replace("{root}", str(root))
    if request.param == "postgresql":
        url = request.getfixturevalue("empty_postgres")
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(dump.encode())
        monkeypatch.setenv("DATABASE_URL", url)
    else:
        connection = sqlite3.connect(storage / "clerk.db")
        connection.executescript(dump)
        connection.close()
    monkeypatch.setenv("STORAGE_DIR", str(storage))
    yield storage
    for url in [url for url in db._engines if str(storage) in url]:
        db._engines.pop(url).dispose()


#: Tables to which an upgrade may add columns, and whose rows it must not change otherwise.  The
#: ledger, which an upgrade may rearrange, is compared by what the commands print.
KEPT = (
    "annotation_documents",
    "annotation_issues",
    "annotation_projects",
    "annotation_sets",
    "attributes",
    "audit",
    "denotations",
    "quarantine",
    "queues",
    "relations",
    "runs",
    "sites",
    "tokens",
)


def rows(table: Table, names: list[str]) -> list[tuple[Any, ...]]:
    """Return these columns of every row."""
    with db.get_civic_db().connect() as conn:
        query = select(*(table.c[name] for name in names))
        return sorted(map(tuple, conn.execute(query)), key=repr)


def test_an_upgrade_keeps_every_row(installation: Path, clerk: Clerk) -> None:
    before = MetaData()
    before.reflect(db.get_civic_db(), only=KEPT)
    names = {name: [each.name for each in before.tables[name].columns] for name in KEPT}
    stored = {name: rows(before.tables[name], names[name]) for name in KEPT}

    upgraded = clerk("db", "upgrade")

    assert (upgraded.code, upgraded.err) == (0, "")
    assert upgraded.out.startswith("Upgraded the database from 0005 to ")
    after = MetaData()
    after.reflect(db.get_civic_db(), only=KEPT)
    assert {name: rows(after.tables[name], names[name]) for name in KEPT} == stored
    assert all(stored.values())


def test_what_operators_see_is_the_same_after_an_upgrade(installation: Path, clerk: Clerk) -> None:
    assert clerk("db", "upgrade").code == 0

    sites = {each["subdomain"]: each for each in answer(clerk, "site", "list")}
    assert counted(sites["springfield"]) == ("partial", 4, 2, 2)
    assert counted(sites["shelbyville"]) == ("in ocr", 3, 1, 0)
    failures = answer(clerk, "failures", "list")
    assert [(each["stage"], each["documents"]) for each in failures] == [("ocr", 1), ("ocr", 1)]
    queues = {each["name"]: each for each in answer(clerk, "queue", "list")}
    assert [name for name, each in queues.items() if each["paused_by"]] == ["annotations"]
    assert queues["ocr"]["waiting"] + queues["ocr"]["running"] == 2
    uploads = {each["project"]: each for each in answer(clerk, "annotations", "list")}
    assert stored(uploads["half"]) == ("open", 8, 4, 4, 8)
    assert stored(uploads["reviewed"]) == ("completed", 3, 3, 2, 4)
    assert uploads["reviewed"]["issues"] == {"missing_source": 1}
    assert clerk("pipeline-status").code == 0
    assert asyncio.run(status_with_token("clerk_an-unknown-token")) == 401
    assert asyncio.run(status_with_token("clerk_a-token-of-an-earlier-version")) == 200


def test_sites_go_on_after_an_upgrade(installation: Path, clerk: Clerk) -> None:
    """What was left is read; the quarantined document is tried again, by a newer reader."""
    text = {path: path.read_bytes() for path in installation.glob("*/txt/*/*/page-*.txt")}
    assert clerk("db", "upgrade").code == 0

    interrupted = clerk("run", "shelbyville")
    finished = clerk("run", "springfield")

    assert (interrupted.code, finished.code) == (4, 4)
    sites = {each["subdomain"]: each for each in answer(clerk, "site", "list")}
    assert counted(sites["springfield"]) == ("partial", 4, 3, 1)
    assert counted(sites["shelbyville"]) == ("partial", 3, 2, 1)
    assert len(text) == 6
    assert {path: path.read_bytes() for path in text} == text
    hits = answer(clerk, "search", "budget")["hits"]
    assert {(each["site"], each["document"]) for each in hits} == {
        ("shelbyville", "minutes/Council/2023-09-20"),
        ("springfield", "minutes/Council/2023-01-23"),
        ("springfield", "minutes/Council/2024-06-10"),
        ("springfield", "minutes/School/2023-10-17"),
    }
    assert clerk("health").code == 1
    assert clerk("db", "check").code == 0


def test_an_upload_continues_after_an_upgrade(installation: Path, clerk: Clerk) -> None:
    assert clerk("db", "upgrade").code == 0
    upload = next(
        each for each in answer(clerk, "annotations", "list") if each["project"] == "half"
    )

    assert clerk("queue", "resume", "annotations").code == 0
    watched = clerk("annotations", "watch", str(upload["id"]))

    assert watched.code == 0, watched.err
    after = answer(clerk, "annotations", "status", str(upload["id"]))
    assert stored(after) == ("completed", 8, 8, 8, 16)
    exported = clerk("annotations", "export", "--project", "half").out.splitlines()
    objects = [json.loads(line) for line in exported]
    assert sorted(each["sourceid"] for each in objects) == [f"minutes/{n}" for n in range(1, 9)]
    assert all(len(each["denotations"]) == 2 for each in objects)


async def status_with_token(token: str) -> int:
    """Return the HTTP status that a program with this token gets."""
    transport = httpx.ASGITransport(create_app(config.load()))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        headers = {"Authorization": f"Bearer {token}"}
        return (await client.get("/api/v1/followed", headers=headers)).status_code


def answer(clerk: Clerk, *command: str) -> Any:
    """Return what a command prints as JSON."""
    said = clerk(*command, "--json")
    assert said.code == 0, said.err
    return json.loads(said.out)


def counted(site: dict[str, Any]) -> tuple[str, int, int, int]:
    """Return how a site is and its documents: all, read and failed."""
    return site["outcome"], site["documents"], site["read"], site["failed"]


def stored(upload: dict[str, Any]) -> tuple[str, int, int, int, int]:
    """Return the state of an upload, its items, those done, documents and denotations."""
    kept = upload["stored"]
    items = upload["items"], upload["items_done"]
    return upload["state"], *items, kept["documents"], kept["denotations"]
