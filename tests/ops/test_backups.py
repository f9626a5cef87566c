"""Copies of the database that can be restored."""

from __future__ import annotations

import contextlib
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

import guide
import pytest
from guide import clerk
from small_work import Town, hurry, work_embedded
from sqlalchemy import select

from clerk.core import config, db, schema
from clerk.core.models import metadata
from clerk.ops import backups, doctor


def test_a_backup_holds_everything(
    site: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    guide.use_the_servers_own_programs(monkeypatch)
    target = tmp_path / "backup"

    ran = clerk("db", "backup", str(target))

    assert ran.output == f"Wrote {target} ({target.stat().st_size} bytes).\n"
    if db.get_civic_db().dialect.name == "sqlite":
        connection = sqlite3.connect(target)
        assert connection.execute("SELECT subdomain FROM sites").fetchall() == [(site,)]
        connection.close()
    else:
        assert f"{site}\tSpringfield" in target.read_text()


def test_a_dump_can_be_restored(
    postgres: str,
    empty_postgres: str,
    storage: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    guide.use_the_servers_own_programs(monkeypatch)
    monkeypatch.setenv("DATABASE_URL", postgres)
    with db.civic_db_connection() as conn:
        db.upsert_site(conn, {"subdomain": "springfield"})
    backups.back_up(db.get_civic_db(), tmp_path / "dump.sql")

    restored = ["psql", "--quiet", "--set=ON_ERROR_STOP=1", "--file", str(tmp_path / "dump.sql")]
    subprocess.run([*restored, empty_postgres], check=True, capture_output=True)

    monkeypatch.setenv("DATABASE_URL", empty_postgres)
    assert clerk("db", "check").exit_code == 0
    with db.reading_connection() as conn:
        assert db.get_site_by_subdomain(conn, "springfield") is not None


def test_a_file_that_is_there_is_not_overwritten(site: str, tmp_path: Path) -> None:
    target = tmp_path / "backup"
    target.write_text("precious")

    assert clerk("db", "backup", str(target)).exit_code == 2
    assert target.read_text() == "precious"


def test_without_pg_dump_the_fix_is_named(
    postgres: str, storage: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", postgres)
    monkeypatch.setenv("PATH", str(tmp_path))

    ran = clerk("db", "backup", "dump.sql")

    assert (ran.exit_code, ran.output) == (3, "pg_dump is not installed.")


def test_why_pg_dump_failed_is_said_with_its_details(
    postgres: str, storage: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", postgres)
    old = tmp_path / "bin" / "pg_dump"
    old.parent.mkdir()
    old.write_text(
        "#!/bin/sh\necho 'pg_dump: error: aborting because of server version mismatch' >&2\n"
        "echo 'pg_dump: detail: server version: 18; pg_dump version: 15' >&2\nexit 1\n"
    )
    old.chmod(0o755)
    monkeypatch.setenv("PATH", str(old.parent), prepend=":")

    ran = clerk("db", "backup", str(tmp_path / "dump.sql"))

    assert ran.exit_code == 3
    assert "aborting because of server version mismatch" in ran.output
    assert "pg_dump version: 15" in ran.output
    assert not (tmp_path / "dump.sql").exists()


def test_the_password_is_never_an_argument() -> None:
    from sqlalchemy import make_url

    url = make_url("postgresql+psycopg://ann:se:c\\ret@host/db")
    with backups._without_password(url) as plain:
        assert "se" not in plain.split("passfile")[0]
        passfile = Path(plain.split("passfile=")[1].replace("%2F", "/"))
        assert passfile.read_text() == "*:*:*:*:se\\:c\\\\ret\n"
        assert passfile.stat().st_mode & 0o077 == 0


def test_the_drill_restores_database_and_store_and_work_continues(
    site: str, storage: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: Any
) -> None:
    guide.use_the_servers_own_programs(monkeypatch)
    hurry(monkeypatch)
    town = Town(site)
    town.pdfs(3)
    town.pdf("2024-02-01", "bad")
    town.start()
    work_embedded()
    shared = next(path for path in (storage / site).rglob("*") if path.is_file())
    (storage / "_published").mkdir(exist_ok=True)
    # Published versions share the files that did not change between them.
    (storage / "_published" / shared.name).hardlink_to(shared)
    archive, before = tmp_path / "all.tar", everything()
    assert clerk("db", "backup", "--with-store", str(archive)).exit_code == 0
    assert clerk("db", "restore", str(archive)).exit_code == 2, "here is something already"
    assert everything() == before
    files = {
        path.relative_to(storage): path.read_bytes()
        for path in storage.rglob("*")
        if path.is_file() and not path.name.startswith("clerk.db")
    }

    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    if db.get_civic_db().dialect.name == "postgresql":
        monkeypatch.setenv("DATABASE_URL", request.getfixturevalue("empty_postgres"))
    monkeypatch.setenv("STORAGE_DIR", str(elsewhere))
    ran = clerk("db", "restore", str(archive))

    assert ran.output.startswith("Restored 1 site, ")
    assert ran.output.endswith(f"; the database is at {schema.head()}.\n")
    assert everything() == before
    assert {name: (elsewhere / name).read_bytes() for name in files} == files
    assert clerk("pipeline-status").exit_code == 0
    Town(site).pdf("2024-03-01", "fine")
    Town(site).start()
    work_embedded()
    with db.reading_connection() as conn:
        row = db.require_site(conn, site)
    assert (row["ocr_total"], row["ocr_completed"], row["ocr_failed"]) == (5, 4, 1)
    db._engines.pop(db.config.load().sql_url).dispose()


def everything() -> dict[str, list[str]]:
    """Return all rows of all tables."""
    with db.reading_connection() as conn:
        return {
            table.name: sorted(map(repr, conn.execute(select(table))))
            for table in metadata.sorted_tables
        }


def test_a_backup_of_another_kind_is_refused_before_anything_is_written(
    storage: Path, empty_postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with contextlib.closing(sqlite3.connect(tmp_path / "old.db")) as made:
        made.execute("CREATE TABLE sites (subdomain TEXT)")
    monkeypatch.setenv("DATABASE_URL", empty_postgres)

    ran = clerk("db", "restore", str(tmp_path / "old.db"))

    assert ran.exit_code == 2 and "The backup is of SQLite" in ran.output
    assert clerk("db", "current").output == "none\n"
    db._engines.pop(db.config.load().sql_url).dispose()


def test_the_doctor_finds_a_pg_dump_that_is_older_than_the_server(
    postgres: str, storage: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", postgres)
    old = tmp_path / "bin" / "pg_dump"
    old.parent.mkdir()
    old.write_text("#!/bin/sh\necho 'pg_dump (PostgreSQL) 9.6.24'\n")
    old.chmod(0o755)
    monkeypatch.setenv("PATH", str(old.parent), prepend=":")

    checks = {check.name: check for check in doctor.check_programs(config.load())}

    assert checks["pg_dump"].word == "WARNING"
    assert "is version 9, older than the server" in checks["pg_dump"].message
    assert "client programs" in checks["pg_dump"].fix
    guide.use_the_servers_own_programs(monkeypatch)
    checks = {check.name: check for check in doctor.check_programs(config.load())}
    assert checks["pg_dump"].word == "OK"
