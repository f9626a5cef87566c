"""The compiled database in a store: put there by the builder, brought to other machines."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_sites import SITE, ask, compile_folder, write_text

from clerk.core.config import Settings
from clerk.core.errors import ObjectDamaged
from clerk.core.files import SiteFiles
from clerk.core.storage import compiled_database, sha256_of
from clerk.core.store import DATABASE, key_of
from clerk.site_db.stored import bring_database, keep_database

COUNCIL = "minutes/Council/2024-01-15"


def machine(tmp_path: Path, name: str) -> SiteFiles:
    """The files of the site on a machine with a folder of its own."""
    (tmp_path / "store").mkdir(exist_ok=True)
    settings = Settings(storage_dir=tmp_path / name, storage_url=f"file://{tmp_path}/store")
    files = SiteFiles(settings, "springfield")
    files.folder.mkdir(parents=True)
    return files


@pytest.fixture
def builder(tmp_path: Path) -> SiteFiles:
    """A machine that has compiled a site."""
    files = machine(tmp_path, "builder")
    write_text(files.folder, COUNCIL, ["The council met."])
    compile_folder(files.folder, SITE, into_index=False)
    return files


def test_a_database_reaches_another_machine_as_it_was_built(
    builder: SiteFiles, tmp_path: Path
) -> None:
    other = machine(tmp_path, "other")

    sha256 = keep_database(builder)

    assert bring_database(other, sha256) is True
    brought = compiled_database(other.folder)
    assert sha256_of(brought) == sha256
    assert ask(brought, "SELECT name FROM documents") == [(COUNCIL,)]
    assert brought.stat().st_mode & 0o777 == 0o644, "the web server's user reads it"
    assert list(other.folder.rglob("*.part")) == []


def test_a_database_that_is_there_is_not_brought_again(builder: SiteFiles, tmp_path: Path) -> None:
    other = machine(tmp_path, "other")
    sha256 = keep_database(builder)
    bring_database(other, sha256)
    before = compiled_database(other.folder).stat().st_mtime_ns

    assert bring_database(other, sha256) is False
    assert bring_database(builder, sha256) is False, "it was built here"
    assert compiled_database(other.folder).stat().st_mtime_ns == before


def test_a_database_that_was_changed_manually_is_brought_again(
    builder: SiteFiles, tmp_path: Path
) -> None:
    other = machine(tmp_path, "other")
    sha256 = keep_database(builder)
    bring_database(other, sha256)
    compiled_database(other.folder).write_bytes(b"edited")

    assert bring_database(other, sha256) is True
    assert sha256_of(compiled_database(other.folder)) == sha256


def test_a_newer_build_replaces_the_one_that_was_brought(
    builder: SiteFiles, tmp_path: Path
) -> None:
    other = machine(tmp_path, "other")
    bring_database(other, keep_database(builder))
    write_text(builder.folder, "minutes/Council/2024-02-15", ["It met again."])
    compile_folder(builder.folder, SITE, into_index=False)

    assert bring_database(other, keep_database(builder)) is True
    assert ask(compiled_database(other.folder), "SELECT count(*) FROM documents") == [(2,)]


def test_a_damaged_object_is_removed_so_that_the_next_build_can_put_it(
    builder: SiteFiles, tmp_path: Path
) -> None:
    other = machine(tmp_path, "other")
    sha256 = keep_database(builder)
    stored = tmp_path / "store" / key_of(DATABASE, sha256)
    stored.write_bytes(stored.read_bytes()[:-7])

    with pytest.raises(ObjectDamaged):
        bring_database(other, sha256)

    assert not stored.exists()
    assert not compiled_database(other.folder).exists()
    assert keep_database(builder) == sha256
    assert bring_database(other, sha256) is True


def test_without_a_store_nothing_is_brought(tmp_path: Path) -> None:
    files = SiteFiles(Settings(storage_dir=tmp_path), "springfield")

    assert bring_database(files, "0" * 64) is False


def test_before_the_first_build_nothing_is_brought(tmp_path: Path) -> None:
    assert bring_database(machine(tmp_path, "other"), None) is False
