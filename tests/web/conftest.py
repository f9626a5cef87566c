"""A served town for the tests of pages."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from web_town import SITE, Browser, write_town

from clerk.core import db


@pytest.fixture
def installation(storage: Path, sqlite_template: Path) -> Iterator[Path]:
    """A storage directory with an empty database."""
    shutil.copy(sqlite_template, storage / "clerk.db")
    yield storage
    for url in [url for url in db._engines if str(storage) in url]:
        db._engines.pop(url).dispose()


@pytest.fixture(scope="session")
def town_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The town, compiled once."""
    folder = tmp_path_factory.mktemp("town")
    write_town(folder)
    return folder


@pytest.fixture
def town(installation: Path, town_template: Path) -> Path:
    """An installation that serves the town."""
    shutil.copytree(town_template, installation, dirs_exist_ok=True)
    with db.civic_db_connection() as conn:
        db.upsert_site(conn, SITE)
    return installation


@pytest.fixture
def visitor(town: Path) -> Browser:
    """Somebody who is not logged in."""
    return Browser()
