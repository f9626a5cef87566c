"""Copies of the database that can be restored."""

from __future__ import annotations

import sqlite3
import subprocess
from pathlib import Path

import guide
import pytest
from guide import clerk

from clerk.core import db
from clerk.ops import backups


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


def test_without_pg_dump_the_mend_is_named(
    postgres: str, storage: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", postgres)
    monkeypatch.setenv("PATH", str(tmp_path))

    ran = clerk("db", "backup", "dump.sql")

    assert (ran.exit_code, ran.output) == (3, "pg_dump is not installed.")


def test_the_password_is_never_an_argument() -> None:
    from sqlalchemy import make_url

    url = make_url("postgresql+psycopg://ann:se:c\\ret@host/db")
    with backups._without_password(url) as plain:
        assert "se" not in plain.split("passfile")[0]
        passfile = Path(plain.split("passfile=")[1].replace("%2F", "/"))
        assert passfile.read_text() == "*:*:*:*:se\\:c\\\\ret\n"
        assert passfile.stat().st_mode & 0o077 == 0
