"""The database of the settings, which every connection asks for."""

from __future__ import annotations

from pathlib import Path

import pytest

from clerk.core import config


def test_the_database_follows_the_settings_wherever_they_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    monkeypatch.delenv("DATABASE_URL", raising=False)
    found = []

    monkeypatch.setenv("STORAGE_DIR", "sites")
    for folder in (here, there):
        monkeypatch.chdir(folder)
        found.append(config.current_sql_url())
    (there / ".env").write_text("DATABASE_URL=sqlite:////elsewhere/one.db\n")
    found.append(config.current_sql_url())
    monkeypatch.setenv("DATABASE_URL", "sqlite:////elsewhere/another.db")
    found.append(config.current_sql_url())
    assert config.current_sql_url() == config.load().sql_url

    assert found == [
        f"sqlite:///{here}/sites/clerk.db",
        f"sqlite:///{there}/sites/clerk.db",
        "sqlite:////elsewhere/one.db",
        "sqlite:////elsewhere/another.db",
    ]
