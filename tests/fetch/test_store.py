"""Storing: documents come in whole, under stable and safe names, whatever happens on the way."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from folder_town import Town, fetch_town, manifest_of, pdf, put
from small_work import reap, spawn

from clerk.core import storage
from clerk.core.db import reading_connection
from clerk.core.errors import SourceUnavailable, StorageUnusable, UnknownPlugin
from clerk.core.manifest import versions
from clerk.fetch.store import only_fetch_of


def test_a_second_fetch_finds_nothing_new(source, town):
    put(source, "Council/2024-01-15.pdf", "Council/undated.pdf")
    town.fetch()

    report = town.fetch()

    assert (report.new, report.changed, report.gone, len(report.unchanged)) == ([], [], [], 2)


def test_new_changed_and_removed_files_are_noticed(source, town):
    put(source, "Council/2024-01-15.pdf", "Council/2024-02-15.pdf")
    town.fetch()
    (source / "Council/2024-01-15.pdf").write_bytes(pdf("approved"))
    (source / "Council/2024-02-15.pdf").unlink()
    put(source, "Council/2024-03-15.pdf")

    report = town.fetch()

    assert report.changed == ["minutes/Council/2024-01-15"]
    assert report.gone == ["minutes/Council/2024-02-15"]
    assert report.new == ["minutes/Council/2024-03-15"]
    assert town.bytes_of("minutes/Council/2024-01-15") == pdf("approved")


def test_a_change_that_hides_behind_the_same_size_and_time_is_noticed(source, town):
    put(source, "Council/2024-01-15.pdf")
    town.fetch()
    path = source / "Council/2024-01-15.pdf"
    before = path.stat()
    path.write_bytes(pdf("Council/2024-01-16.pdf"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    assert town.fetch().changed == ["minutes/Council/2024-01-15"]
    assert town.fetch().unchanged == ["minutes/Council/2024-01-15"]


def test_a_link_whose_target_is_gone_says_so(source, town):
    put(source, "Council/2024-01-15.pdf")
    (source / "Council/2024-02-15.pdf").symlink_to("/nowhere/x.pdf")

    (problem,) = town.fetch().errors

    assert problem.error == "UnreadableFile"
    assert problem.why == "is a link to /nowhere/x.pdf, which does not exist"


KILLED = """
import os, pathlib, sys
from clerk.core.storage import directory_written_whole
with directory_written_whole(pathlib.Path(sys.argv[1])) as part:
    (part / "page-1.txt").write_text("half")
    os.kill(os.getpid(), 9)
"""


def test_what_a_killed_reader_left_is_swept_and_a_live_one_is_not_disturbed(source, town):
    put(source, "Council/2024-01-15.pdf")
    texts = town.folder / "txt" / "Council"
    subprocess.run([sys.executable, "-c", KILLED, texts / "2024-01-15"], check=False)
    left = list(texts.glob(".*.part"))

    with storage.directory_written_whole(texts / "2024-02-15") as in_work:
        town.fetch()
        still_there = list(texts.iterdir())

    assert len(left) == 1
    assert still_there == [in_work]


def test_a_name_that_a_dead_writer_has_left_is_not_taken(tmp_path):
    target = tmp_path / "2024-01-15"
    with storage.workplace(target) as first:
        name, _, number = first.name.removesuffix(".part").rpartition("-")
    left = first.with_name(f"{name}-{int(number) + 1}.part")
    left.mkdir()

    with storage.directory_written_whole(target) as part:
        (part / "page-1.txt").write_text("whole")

    assert not first.exists()
    assert list(left.iterdir()) == []
    assert [file.name for file in target.iterdir()] == ["page-1.txt"]


def test_every_version_is_kept(source, town):
    put(source, "Council/2024-01-15.pdf")
    town.fetch()
    for text in ("second", "third"):
        (source / "Council/2024-01-15.pdf").write_bytes(pdf(text))
        town.fetch()

    kept = {path.read_bytes() for path in (town.folder / "_clerk/versions").iterdir()}
    (document,) = town.known()
    with reading_connection(town.settings.sql_url) as conn:
        assert len(versions(conn, document.id)) == 3
    assert kept == {pdf("Council/2024-01-15.pdf"), pdf("second")}


def test_what_is_gone_stays_on_disk_and_may_come_back(source, town, tmp_path):
    put(source, "Council/2024-01-15.pdf", "Council/2024-02-15.pdf")
    town.fetch()
    (source / "Council/2024-02-15.pdf").rename(tmp_path / "away")
    town.fetch()
    assert "minutes/Council/2024-02-15" in town.names()
    (tmp_path / "away").rename(source / "Council/2024-02-15.pdf")

    report = town.fetch()

    assert len(report.unchanged) == 2
    assert not any(known.gone_at for known in town.known())


def test_a_file_that_was_only_moved_stays_the_same_document(source, town):
    put(source, "Council/2024-01-15.pdf", "Council/other 2024-05-05.pdf")
    town.fetch()
    (source / "2024").mkdir()
    (source / "Council").rename(source / "2024" / "Council")

    report = town.fetch()

    assert (report.new, report.changed, report.gone, len(report.unchanged)) == ([], [], [], 2)


def test_a_renamed_file_stays_filed_with_its_text_and_is_not_kept_twice(source, town):
    put(source, "Council/2024-01-15.pdf", "Council/2024-02-15.pdf")
    town.fetch()
    former = storage.Document.from_name("minutes/Council/2024-01-15")
    former.text(town.folder).mkdir(parents=True)
    (former.text(town.folder) / "page-1.txt").write_text("The council met.")
    (source / "Council/2024-01-15.pdf").rename(source / "Council/2024-01-16.pdf")

    report = town.fetch()

    assert report.moved == ["minutes/Council/2024-01-15"]
    assert (report.new, report.changed, report.gone) == ([], [], [])
    assert town.names() == ["minutes/Council/2024-01-15", "minutes/Council/2024-02-15"]
    assert (former.text(town.folder) / "page-1.txt").read_text() == "The council met."
    (renamed,) = [each for each in town.known() if each.name == former.name]
    assert renamed.source_url.endswith("2024-01-16.pdf") and renamed.identified_of is None
    assert len(town.fetch().unchanged) == 2


def test_a_copy_that_stays_does_not_make_a_vanished_file_a_move(source, town):
    put(source, "Council/2024-01-15.pdf", "Council/2024-02-15.pdf")
    (source / "Council/2024-02-15.pdf").write_bytes(pdf("Council/2024-01-15.pdf"))
    town.fetch()
    (source / "Council/2024-01-15.pdf").unlink()

    report = town.fetch()

    assert report.gone == ["minutes/Council/2024-01-15"]
    assert [known.name for known in town.known() if known.gone_at] == ["minutes/Council/2024-01-15"]


def test_an_emptied_folder_is_a_failure_and_not_a_success(source, town):
    put(source, "Council/2024-01-15.pdf")
    town.fetch()
    (source / "Council/2024-01-15.pdf").unlink()

    with pytest.raises(SourceUnavailable, match="no longer lists any documents; it had 1"):
        town.fetch()


def test_a_document_that_turns_bad_keeps_what_we_have(source, town):
    put(source, "2024-01-15.pdf")
    town.fetch()
    (source / "2024-01-15.pdf").write_bytes(b"")

    report = town.fetch()

    assert [problem.error for problem in report.errors] == ["EmptyDocument"]
    assert town.bytes_of("minutes/Meetings/2024-01-15") == pdf("2024-01-15.pdf")


def test_very_long_names_are_cut_and_stay_apart(source, town):
    bodies = ["b" * 240 + "1", "b" * 240 + "2"]
    put(source, *(f"{body}/{'t' * 240}.pdf" for body in bodies))

    town.fetch()

    assert len(town.names()) == 2
    assert all(len(part.encode()) <= 100 for name in town.names() for part in name.split("/"))


def test_two_documents_of_one_name_both_get_in(source, town):
    put(source, "a/minutes 2024-01-15.pdf", "a/minutes 2024-01-15 special.pdf")

    town.fetch()

    assert town.names() == ["minutes/a/2024-01-15", "minutes/a/2024-01-15-2"]


def test_bodies_that_differ_in_case_do_not_number_each_others_documents(source, town):
    put(source, "Council/2024-01-15.pdf", "COUNCIL/2024-01-15.pdf")

    assert town.fetch().new == ["minutes/COUNCIL/2024-01-15", "minutes/Council/2024-01-15"]


def test_a_copy_is_numbered_after_what_it_is_a_copy_of(source, town):
    put(source, "Council/2024-01-15.pdf", "Council/2024-01-15 (1).pdf")
    town.fetch()

    assert town.bytes_of("minutes/Council/2024-01-15") == pdf("Council/2024-01-15.pdf")
    assert town.bytes_of("minutes/Council/2024-01-15-2") == pdf("Council/2024-01-15 (1).pdf")


def test_names_do_not_depend_on_the_order_of_the_folder(source, tmp_path):
    names = [f"{where}/minutes {n % 3 + 1}-15-2024 {n}.pdf" for n in range(9) for where in "ab"]
    found = []
    for turn in range(3):
        random.Random(turn).shuffle(names)
        folder = tmp_path / f"source{turn}"
        put(folder, *names)
        town = Town(folder, tmp_path / f"sites{turn}")
        town.fetch()
        found.append({name: town.bytes_of(name) for name in town.names()})

    assert found[0] == found[1] == found[2]
    assert len(found[0]) == 18


def test_names_stay_when_others_come_and_go(source, town):
    put(source, "a/minutes 2024-01-15 b.pdf", "a/minutes 2024-01-15 c.pdf")
    town.fetch()
    before = {name: town.bytes_of(name) for name in town.names()}
    put(source, "a/minutes 2024-01-15 a.pdf")

    town.fetch()

    assert {name: town.bytes_of(name) for name in before} == before
    assert len(town.names()) == 3


def test_an_unknown_fetcher_is_refused_by_name(town):
    with pytest.raises(UnknownPlugin, match="'gopher'"):
        fetch_town({"subdomain": "town", "scraper": "gopher"}, town.settings)


def test_a_storage_that_cannot_be_written_to_stops_the_fetch(source, town):
    put(source, "2024-01-15.pdf")
    town.folder.parent.mkdir(parents=True)
    town.folder.touch()

    with pytest.raises(StorageUnusable):
        town.fetch()


WITHOUT_HTTP = """
import sys
from pathlib import Path
from clerk.core.config import Settings
from clerk.core.files import SiteFiles
from clerk.core.fetch_memory import SiteManifest
from clerk.fetch.store import fetch_site

site = {"subdomain": "town", "scraper": "folder", "extra": sys.argv[2]}
settings = Settings(storage_dir=Path(sys.argv[1]))
report = fetch_site(site, SiteFiles(settings, "town"), SiteManifest(settings.sql_url, "town"))
print(len(report.new), "httpx" in sys.modules)
"""


def test_a_folder_is_fetched_without_loading_the_http_client(source, town):
    put(source, "Council/2024-01-15.pdf")
    manifest_of(town.settings, town.site)
    arguments = [str(town.settings.storage_dir), str(town.site["extra"])]

    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_HTTP, *arguments], capture_output=True, text=True, check=True
    )

    assert done.stdout.split() == ["1", "False"]


def test_two_fetches_of_one_site_do_not_mix(town):
    with only_fetch_of(town.folder), pytest.raises(SourceUnavailable, match="another process"):
        town.fetch()


FULL_DISK = """
import resource, sys
from pathlib import Path
from clerk.core.config import Settings
from clerk.core.errors import StorageUnusable
from clerk.core.files import SiteFiles
from clerk.core.fetch_memory import SiteManifest
from clerk.fetch.store import fetch_site

settings = Settings(storage_dir=Path(sys.argv[1]))
site = {"subdomain": "town", "scraper": "folder", "extra": sys.argv[2]}
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
try:
    fetch_site(site, SiteFiles(settings, "town"), SiteManifest(settings.sql_url, "town"))
except StorageUnusable as error:
    sys.exit(str(error))
"""


def test_a_full_disk_stops_the_fetch_and_leaves_nothing_half_done(source, town):
    (source / "2024-01-15.pdf").write_bytes(pdf("x" * 500_000))
    manifest_of(town.settings, town.site)
    arguments = [str(town.settings.storage_dir), str(town.site["extra"])]

    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, *arguments], capture_output=True, text=True, timeout=60
    )

    assert done.returncode == 1 and "cannot be written to" in done.stderr
    assert town.names() == []
    town.fetch()
    assert town.bytes_of("minutes/Meetings/2024-01-15") == pdf("x" * 500_000)


def test_a_fetch_killed_anywhere_is_completed_by_the_next(source, tmp_path):
    put(source, "Council/2024-01-15.pdf", "Council/2024-02-15.pdf", "Board/2024-01-15.pdf")
    town = Town(source, tmp_path / "sites")
    town.fetch()
    (source / "Council/2024-01-15.pdf").write_bytes(pdf("approved"))
    put(source, "Council/2024-03-15.pdf")
    undisturbed = Town(source, tmp_path / "undisturbed")
    shutil.copytree(town.settings.storage_dir, undisturbed.settings.storage_dir)
    undisturbed.fetch()

    killed = 0
    for step in range(1, 200, 5):
        disturbed = Town(source, tmp_path / f"sites{step}")
        shutil.copytree(town.settings.storage_dir, disturbed.settings.storage_dir)
        status = killed_at(step, disturbed)
        disturbed.fetch()
        assert files_of(disturbed.folder) == files_of(undisturbed.folder), step
        assert rows_of(disturbed) == rows_of(undisturbed), step
        if status == 0:
            break
        killed += 1
    assert killed >= 5


def killed_at(step: int, town: Town) -> int:
    """Fetch in a forked process that dies at its nth step on files; return how it ended."""
    steps = ("os.rename", "os.remove", "os.mkdir", "sqlite3.connect", "open", "os.link")

    def fetch_and_die() -> None:
        calls = 0

        def die(event: str, _arguments: object) -> None:
            nonlocal calls
            if event in steps:
                calls += 1
                if calls == step:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(die)
        town.fetch()

    status = reap(spawn(fetch_and_die))
    assert status in (0, -signal.SIGKILL)
    return status


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        # The rules depend on where the folder is.
        if path.is_file() and path.name != "folder.rules"
    }


def rows_of(town: Town) -> list[tuple[str | None, ...]]:
    known = town.known()
    with reading_connection(town.settings.sql_url) as conn:
        return sorted(
            (
                each.identity,
                each.name,
                each.pdf_sha256,
                *(had.pdf_sha256 for had in versions(conn, each.id)),
            )
            for each in known
        )
