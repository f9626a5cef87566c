"""What lies in the folder of a site is taken into the manifest, and compared with it on request."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from small_pdfs import printed
from sqlalchemy import Connection, select

from clerk.cli import common
from clerk.core import config, manifest, outbox
from clerk.core import storage as storage_module
from clerk.core.db import reading_connection
from clerk.core.manifest import DocumentRow, FetchedDocument
from clerk.core.models import document_changes_table
from clerk.core.storage import Document
from clerk.pipeline import reconcile, scan
from clerk.pipeline_state import initialize_stage

DAYS = [f"2024-01-{day:02}" for day in range(1, 6)]


def named(day: str) -> Document:
    return Document("minutes", "Council", day)


def write_document(folder: Path, day: str, words: str) -> None:
    """Write a document as an older installation left it."""
    document = named(day)
    pdf, page = document.pdf(folder), document.text(folder) / "page-1.txt"
    pdf.parent.mkdir(parents=True, exist_ok=True)
    page.parent.mkdir(parents=True, exist_ok=True)
    pdf.write_bytes(printed([words]))
    page.write_text(words)


@pytest.fixture
def town(make_site: Callable[..., str], storage: Path) -> str:
    """A site with five documents that the manifest does not know."""
    for day in DAYS:
        write_document(storage / "springfield", day, f"Minutes of {day}")
    return make_site()


def known(site: str) -> dict[str, DocumentRow]:
    with reading_connection() as conn:
        return {row.name: row for row in manifest.documents(conn, site)}


def announced(site: str) -> list[tuple[str, str]]:
    table = document_changes_table.c
    query = select(table.name, table.change).where(table.subdomain == site).order_by(table.number)
    with reading_connection() as conn:
        return [(name, change) for name, change in conn.execute(query)]


def test_an_upgrade_takes_in_the_files_of_an_older_installation_once(
    town: str, clerk: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scan, "_GROUP", 2)
    monkeypatch.setattr(common, "_SCANNED_BETWEEN", 2)

    said = clerk("db", "upgrade")

    assert said.code == 0 and f"{town}: 5 documents in its folder" in said.out
    assert f"{town}: 2 documents checked" in said.err
    assert f"{town}: 4 documents checked" in said.err
    rows = known(town)
    assert list(rows) == [named(day).name for day in DAYS]
    assert all(row.pdf_sha256 and row.text_sha256 and row.pages == 1 for row in rows.values())
    assert town not in clerk("db", "upgrade").out


def test_a_scan_that_is_interrupted_anywhere_is_repeated(
    town: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scan, "_GROUP", 1)
    record = manifest.record
    for interrupted_at in range(len(DAYS)):
        calls = 0

        def record_some(conn: Connection, site: str, fetched: list[FetchedDocument]) -> None:
            nonlocal calls
            record(conn, site, fetched)
            calls += 1
            if calls > interrupted_at:  # noqa: B023 - called in this turn
                raise KeyboardInterrupt

        with monkeypatch.context() as patched:
            patched.setattr(manifest, "record", record_some)
            with pytest.raises(KeyboardInterrupt):
                list(scan.scan_new_sites(config.load(), common.scan_progress))
        # What was in hand is not recorded, all before it is.
        assert list(known(town)) == [named(day).name for day in DAYS[:interrupted_at]]

    [(site, report)] = scan.scan_new_sites(config.load(), common.scan_progress)

    assert (site, report.documents, report.added) == (town, 5, [named(DAYS[-1]).name])
    assert announced(town) == [(named(day).name, outbox.TEXT) for day in DAYS]
    assert not list(scan.scan_new_sites(config.load(), common.scan_progress))


def test_what_people_changed_is_found_on_request(town: str, storage: Path, clerk: Any) -> None:
    assert clerk("db", "upgrade").code == 0
    before, folder = known(town), storage / town
    write_document(folder, "2024-02-01", "A new one")
    named(DAYS[0]).pdf(folder).unlink()
    page = named(DAYS[1]).text(folder) / "page-1.txt"
    page.unlink()
    page.parent.rmdir()
    named(DAYS[2]).pdf(folder).write_bytes(printed(["Other minutes"]))

    said = clerk("reconcile-pipeline", "--scan")

    assert f"{town}: 1 added, 1 changed, 1 PDF missing, 1 text missing" in said.err
    rows = known(town)
    assert rows[named("2024-02-01").name].text_sha256
    assert rows[named(DAYS[0]).name].pdf_sha256 is None
    assert rows[named(DAYS[1]).name].text_sha256 is None
    changed = named(DAYS[2]).name
    assert rows[changed].pdf_sha256 != before[changed].pdf_sha256
    assert rows[named(DAYS[3]).name] == before[named(DAYS[3]).name]

    again = clerk("reconcile-pipeline", "--scan")
    assert town not in again.err.replace("Needs a person", "")


@pytest.fixture
def elsewhere(
    database: str, storage: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """A machine with the same database, where the storage directory is not mounted."""
    folder = tmp_path / "not-mounted"
    folder.mkdir()
    if database == "sqlite":
        monkeypatch.setenv("DATABASE_URL", f"sqlite:///{storage / 'clerk.db'}")
    return folder


def test_a_directory_that_is_not_mounted_is_no_reason_to_forget_documents(
    town: str, elsewhere: Path, clerk: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert clerk("db", "upgrade").code == 0
    before = known(town)
    monkeypatch.setenv("STORAGE_DIR", str(elsewhere))

    said = clerk("reconcile-pipeline", "--scan")

    assert said.code == 3
    assert f"{elsewhere} does not hold the files of this installation" in said.err
    assert "Mount the storage directory" in said.err
    assert known(town) == before


@pytest.mark.parametrize("is_back", [False, True])
def test_a_directory_that_is_unmounted_during_a_scan_is_no_reason_to_forget_documents(
    town: str, storage: Path, clerk: Any, monkeypatch: pytest.MonkeyPatch, is_back: bool
) -> None:
    assert clerk("db", "upgrade").code == 0
    before = known(town)
    list_texts, away = storage_module.text_documents, storage.with_name("away")
    unmountings = iter([True])

    def move(source: Path, target: Path) -> None:
        target.mkdir(exist_ok=True)
        for name in (town, "_clerk"):
            source.joinpath(name).rename(target / name)

    def unmounted_once(folder: Path, *, incomplete: bool) -> Iterator[Document]:
        is_first = next(unmountings, False)
        if is_first:
            move(storage, away)
        yield from list_texts(folder, incomplete=incomplete)
        if is_first and is_back:
            move(away, storage)

    monkeypatch.setattr(storage_module, "text_documents", unmounted_once)

    said = clerk("reconcile-pipeline", "--scan")

    if not is_back:
        assert said.code == 3
        assert f"{storage} does not hold the files of this installation" in said.err
    assert known(town) == before


def test_a_stuck_site_is_not_given_up_where_its_files_are_not_mounted(
    town: str, elsewhere: Path, clerk: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert clerk("db", "upgrade").code == 0
    initialize_stage(town, "ocr", total_jobs=len(DAYS))
    monkeypatch.setenv("STORAGE_DIR", str(elsewhere))

    plan = reconcile.recover(config.load(), town)

    assert (plan.action, plan.needs_person) == (reconcile.Action.NONE, True)
    assert f"{elsewhere} does not hold the files of this installation" in plan.message


def test_a_folder_that_cannot_be_listed_is_not_taken_for_an_empty_one(
    town: str, storage: Path, clerk: Any
) -> None:
    assert clerk("db", "upgrade").code == 0
    before, pdfs = known(town), storage / town / "pdfs"
    pdfs.rename(storage / town / "elsewhere")
    pdfs.symlink_to(pdfs)

    said = clerk("reconcile-pipeline", "--scan")

    assert said.code == 3 and f"{pdfs} cannot be listed" in said.err
    assert known(town) == before


def test_an_upgrade_leaves_a_site_that_cannot_be_listed_to_its_next_run(
    town: str, make_site: Callable[..., str], storage: Path, clerk: Any
) -> None:
    other = make_site("shelbyville")
    write_document(storage / other, DAYS[0], "Minutes of another town")
    pdfs = storage / town / "pdfs"
    pdfs.rename(storage / "elsewhere")
    pdfs.symlink_to(pdfs)

    said = clerk("db", "upgrade")

    assert said.code == 0
    assert f"The files of {town} are not recorded yet: {pdfs} cannot be listed" in said.err
    assert "Correct its permissions or the disk" in said.err
    assert f"{other}: 1 document in its folder" in said.out
    assert not known(town)
    assert f"the files of 1 site are not recorded: {town}" in clerk("health").out
    assert f"the files of {town} are not recorded" in clerk("doctor").out

    pdfs.unlink()
    (storage / "elsewhere").rename(pdfs)

    assert f"{town}: 5 documents in its folder" in clerk("db", "upgrade").out
    assert "not recorded" not in clerk("health").out + clerk("doctor").out
