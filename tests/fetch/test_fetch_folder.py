"""The fetcher ``folder``: whatever lies there comes in whole, under stable and safe names."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest

from clerk.core import storage
from clerk.core.config import Settings
from clerk.core.errors import BadSetting, SourceUnavailable, StorageUnusable, UnknownPlugin
from clerk.fetch.sources import Sources, gone_documents, path_of_file_url, stored_documents
from clerk.fetch.store import fetch_site, only_fetch_of

not_as_root = pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")


def pdf(text: str = "x") -> bytes:
    return b"%PDF-1.4\n" + text.encode() + b"\n%%EOF\n"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    folder.mkdir()
    return folder


class Town:
    """A site that follows a folder."""

    def __init__(self, source: Path, storage_dir: Path, **extra: object) -> None:
        self.folder = storage_dir / "town"
        self.settings = Settings(storage_dir=storage_dir, max_document_mb=1)
        extra = {"source": str(source), **extra}
        self.site = {"subdomain": "town", "scraper": "folder", "extra": json.dumps(extra)}

    def fetch(self):
        return fetch_site(self.site, self.folder, self.settings)

    def names(self) -> list[str]:
        return sorted(document.name for document in storage.pdf_documents(self.folder))

    def bytes_of(self, name: str) -> bytes:
        return storage.Document.from_name(name).pdf(self.folder).read_bytes()


@pytest.fixture
def town(source, tmp_path) -> Town:
    return Town(source, tmp_path / "sites")


def put(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(pdf(name))


def test_accents_that_are_characters_of_their_own_are_read(source, town):
    put(source, unicodedata.normalize("NFD", "Präsidium/Protokoll 12. März 2024.pdf"))

    town.fetch()

    assert town.names() == ["minutes/Präsidium/2024-03-12"]


def test_documents_come_in_under_their_kind_meeting_and_date(source, town):
    put(source, "City Council/Minutes/2024/01-15.pdf", "City Council/Agendas/Jan 15 2024.PDF")

    report = town.fetch()

    assert town.names() == ["agendas/City Council/2024-01-15", "minutes/City Council/2024-01-15"]
    assert sorted(report.new) == town.names()
    assert town.bytes_of("minutes/City Council/2024-01-15") == pdf(
        "City Council/Minutes/2024/01-15.pdf"
    )


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


@pytest.mark.parametrize("scheme", ["file://", "file://localhost", "file:", "FILE://"])
def test_file_urls_of_any_make_lead_to_the_file(scheme):
    assert path_of_file_url(f"{scheme}/srv/A%20%23%C3%A9.pdf") == Path("/srv/A #é.pdf")


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
    with Sources(town.folder) as sources:
        (identity,) = sources.documents()
        assert len(sources.versions(identity)) == 3
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
    with Sources(town.folder) as sources:
        assert not any(known.gone_at for known in sources.documents().values())


def test_a_file_that_was_only_moved_stays_the_same_document(source, town):
    put(source, "Council/2024-01-15.pdf", "Council/other 2024-05-05.pdf")
    town.fetch()
    (source / "2024").mkdir()
    (source / "Council").rename(source / "2024" / "Council")

    report = town.fetch()

    assert (report.new, report.changed, report.gone, len(report.unchanged)) == ([], [], [], 2)


def test_a_renamed_file_is_moved_with_its_text_and_not_kept_twice(source, town):
    put(source, "Council/2024-01-15.pdf", "Council/2024-02-15.pdf")
    town.fetch()
    former = storage.Document.from_name("minutes/Council/2024-01-15")
    former.text(town.folder).mkdir(parents=True)
    (former.text(town.folder) / "page-1.txt").write_text("The council met.")
    (source / "Council/2024-01-15.pdf").rename(source / "Council/2024-01-16.pdf")

    report = town.fetch()

    assert report.moved == ["minutes/Council/2024-01-16"]
    assert (report.new, report.changed, report.gone) == ([], [], [])
    assert town.names() == ["minutes/Council/2024-01-16", "minutes/Council/2024-02-15"]
    renamed = storage.Document.from_name("minutes/Council/2024-01-16").text(town.folder)
    assert (renamed / "page-1.txt").read_text() == "The council met."
    assert not former.text(town.folder).exists()
    assert len(town.fetch().unchanged) == 2


def test_a_copy_that_stays_does_not_make_a_vanished_file_a_move(source, town):
    put(source, "Council/2024-01-15.pdf", "Council/2024-02-15.pdf")
    (source / "Council/2024-02-15.pdf").write_bytes(pdf("Council/2024-01-15.pdf"))
    town.fetch()
    (source / "Council/2024-01-15.pdf").unlink()

    report = town.fetch()

    assert report.gone == ["minutes/Council/2024-01-15"]
    assert gone_documents(town.folder) == ["minutes/Council/2024-01-15"]


def test_an_emptied_folder_is_a_failure_and_not_a_success(source, town):
    put(source, "Council/2024-01-15.pdf")
    town.fetch()
    (source / "Council/2024-01-15.pdf").unlink()

    with pytest.raises(SourceUnavailable, match="lists no documents any more; it had 1"):
        town.fetch()


def test_a_folder_that_never_had_anything_reports_no_documents(town):
    report = town.fetch()

    assert report.documents == 0 and not report.errors


def test_a_missing_folder_is_unavailable(source, town):
    source.rmdir()

    with pytest.raises(SourceUnavailable, match="does not exist"):
        town.fetch()


def test_bad_files_are_reported_by_name_and_do_not_stop_the_rest(source, town):
    put(source, "2024-01-15.pdf")
    (source / "empty.pdf").touch()
    (source / "page.pdf").write_text("<html>Sign in</html>")
    (source / "large.pdf").write_bytes(pdf("x" * 1_100_000))
    (source / "letter.docx").write_bytes(b"PK\x03\x04")
    (source / "dangling.pdf").symlink_to(source / "nowhere.pdf")
    os.mkfifo(source / "pipe.pdf")

    report = town.fetch()

    errors = {problem.what: problem.error for problem in report.errors}
    assert errors == {
        "empty.pdf": "EmptyDocument",
        "page.pdf": "UnreadablePdf",
        "large.pdf": "DocumentTooLarge",
        "dangling.pdf": "UnreadableFile",
    }
    assert {problem.what for problem in report.skipped} == {"letter.docx", "pipe.pdf"}
    assert town.names() == ["minutes/Meetings/2024-01-15"]


@not_as_root
def test_unreadable_files_and_folders_are_reported_by_name(source, town):
    put(source, "2024-01-15.pdf", "2024-02-15.pdf", "closed/2024-03-15.pdf")
    (source / "2024-02-15.pdf").chmod(0)
    (source / "closed").chmod(0)

    report = town.fetch()
    (source / "closed").chmod(0o755)

    assert {problem.what for problem in report.errors} == {"2024-02-15.pdf", "closed"}
    assert report.documents == 1


def test_a_document_that_turns_bad_keeps_what_we_have(source, town):
    put(source, "2024-01-15.pdf")
    town.fetch()
    (source / "2024-01-15.pdf").write_bytes(b"")

    report = town.fetch()

    assert [problem.error for problem in report.errors] == ["EmptyDocument"]
    assert town.bytes_of("minutes/Meetings/2024-01-15") == pdf("2024-01-15.pdf")


def test_a_pdf_is_known_by_its_bytes_and_not_by_its_name(source, town):
    (source / "2024-01-15 minutes").write_bytes(pdf())
    (source / "2024-02-15.pdf").write_bytes(b"\xef\xbb\xbf\n" + pdf())

    assert town.fetch().documents == 2


def test_names_in_any_script_with_spaces_and_quotes(source, town):
    put(source, "Rada města/Zápis \"2024-01-15\" 'návrh'.pdf", "市議会/議事録 2024-01-15.pdf")

    town.fetch()

    assert town.names() == ["minutes/Rada města/2024-01-15", "minutes/市議会/2024-01-15"]


def test_names_that_are_no_text_at_all(source, town):
    name = os.fsencode(source) + b"/Council \xff 2024-01-15.pdf"
    Path(os.fsdecode(name)).write_bytes(pdf())

    report = town.fetch()

    assert report.documents == 1
    assert not town.fetch().new


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


def test_a_symlink_loop_is_walked_once(source, town):
    put(source, "Council/2024-01-15.pdf")
    (source / "Council" / "again").symlink_to(source)
    (source / "A link before it").symlink_to(source / "Council")

    report = town.fetch()

    assert report.new == ["minutes/Council/2024-01-15"]


def test_a_linked_folder_outside_is_followed(source, town, tmp_path):
    put(tmp_path / "elsewhere", "2024-01-15.pdf")
    (source / "Council").symlink_to(tmp_path / "elsewhere")

    assert town.fetch().new == ["minutes/Council/2024-01-15"]


def test_the_source_is_never_touched(source, town):
    put(source, "Council/2024-01-15.pdf")
    before = [(path, path.lstat()) for path in source.rglob("*")]

    town.fetch()
    town.fetch()

    after = [(path, path.lstat()) for path in source.rglob("*")]
    assert [(path, facts.st_mtime_ns, facts.st_size) for path, facts in after] == [
        (path, facts.st_mtime_ns, facts.st_size) for path, facts in before
    ]


def test_hard_links_are_made_on_request(source, tmp_path):
    put(source, "Council/2024-01-15.pdf")
    town = Town(source, tmp_path / "sites", link=True)

    town.fetch()

    assert (town.folder / "pdfs/Council/2024-01-15.pdf").samefile(source / "Council/2024-01-15.pdf")


@pytest.mark.parametrize(
    "pattern",
    [
        "{kind}/{date}/{meeting}_*.pdf",
        r"(?P<kind>\w+)/(?P<date>[\d.]+)/(?P<meeting>[a-z]+).*",
        "**/{date}/{meeting}_?.pdf",
    ],
)
def test_a_pattern_says_what_is_what(source, tmp_path, pattern):
    put(source, "agendas/2024.01.15/zoning_1.pdf")
    town = Town(source, tmp_path / "sites", pattern=pattern)

    town.fetch()

    assert town.names() == ["agendas/zoning/2024-01-15"]


def test_a_field_before_a_star_takes_all_there_is(source, tmp_path):
    put(source, "zoning_board/2024_01_15.pdf", "zoning_board_2024_02_15 draft.pdf")
    town = Town(source, tmp_path / "sites", pattern="{meeting}_{date}*.pdf")

    town.fetch()

    assert town.names() == ["minutes/zoning/2024-02-15", "minutes/zoning_board/2024-01-15"]


def test_a_file_beside_the_pattern_is_not_lost(source, tmp_path):
    put(source, "minutes/council/2024-01-15.pdf", "odd 2024-02-15.pdf")
    town = Town(source, tmp_path / "sites", pattern="{kind}/{meeting}/{date}.pdf")

    town.fetch()

    assert town.names() == ["minutes/council/2024-01-15", "minutes/odd/2024-02-15"]


@pytest.mark.parametrize("pattern", ["(?P<meeting>", "{town}/{date}.pdf"])
def test_a_pattern_that_cannot_be_understood_is_refused(source, tmp_path, pattern):
    with pytest.raises(BadSetting):
        Town(source, tmp_path / "sites", pattern=pattern).fetch()


def test_a_mapping_file_has_the_last_word(source, tmp_path):
    put(source, "scan0001.pdf", "scan0002.pdf")
    mapping = source / "mapping.csv"
    mapping.write_text(
        "path,meeting,date,kind\n"
        "scan0001.pdf,Select Board,15 Jan 2024,agenda\n"
        "scan0002.pdf,Select Board,some day,\n"
        "scan0003.pdf,Select Board,2024-01-17,\n"
    )
    town = Town(source, tmp_path / "sites", mapping=str(mapping))

    report = town.fetch()

    assert town.names() == ["agendas/Select Board/2024-01-15", "minutes/Select Board/scan0002"]
    assert [problem.what for problem in report.skipped] == ["scan0003.pdf"]
    assert [problem.what for problem in report.errors] == ["scan0002.pdf in the mapping file"]


def test_a_wrong_setting_is_refused_by_name(source, tmp_path):
    with pytest.raises(BadSetting, match="pattern"):
        Town(source, tmp_path / "sites", pattern=5).fetch()


def test_an_unknown_fetcher_is_refused_by_name(town):
    with pytest.raises(UnknownPlugin, match="'gopher'"):
        fetch_site({"subdomain": "town", "scraper": "gopher"}, town.folder, town.settings)


def test_a_storage_that_cannot_be_written_to_stops_the_fetch(source, town):
    put(source, "2024-01-15.pdf")
    town.folder.parent.mkdir(parents=True)
    town.folder.touch()

    with pytest.raises(StorageUnusable):
        town.fetch()


def test_two_fetches_of_one_site_do_not_mix(town):
    with only_fetch_of(town.folder), pytest.raises(SourceUnavailable, match="another process"):
        town.fetch()


def test_stored_documents_are_all_that_lie_there(source, town):
    put(source, "Council/2024-01-15.pdf")
    town.fetch()
    put(town.folder, "_agendas/pdfs/Board/by-hand.pdf")

    held = {each.name: each for each in stored_documents(town.folder)}

    assert set(held) == {"minutes/Council/2024-01-15", "agendas/Board/by-hand"}
    fetched = held["minutes/Council/2024-01-15"]
    assert fetched.source_url.startswith("file://") and fetched.fetched_at
    by_hand = town.folder / "_agendas/pdfs/Board/by-hand.pdf"
    assert held["agendas/Board/by-hand"].sha256 == storage.sha256_of(by_hand)


def test_stored_documents_notice_a_change_on_disk(town):
    put(town.folder, "pdfs/Board/by-hand.pdf")
    (before,) = stored_documents(town.folder)
    (town.folder / "pdfs/Board/by-hand.pdf").write_bytes(pdf("something else"))

    (after,) = stored_documents(town.folder)

    assert after.sha256 != before.sha256


def test_a_document_that_vanished_from_disk_is_brought_again(source, town):
    put(source, "Council/2024-01-15.pdf")
    town.fetch()
    (town.folder / "pdfs/Council/2024-01-15.pdf").unlink()

    town.fetch()

    assert town.names() == ["minutes/Council/2024-01-15"]


@pytest.mark.parametrize("loss", ["deleted", "damaged"])
def test_the_memory_of_sources_can_be_lost(source, town, loss):
    put(source, "Council/2024-01-15.pdf")
    town.fetch()
    memory = town.folder / "_clerk/sources.db"
    memory.unlink() if loss == "deleted" else memory.write_bytes(b"not a database " * 100)

    town.fetch()

    assert town.names() == ["minutes/Council/2024-01-15"]
    assert len(town.fetch().unchanged) == 1


FULL_DISK = """
import resource, sys
from pathlib import Path
from clerk.core.config import Settings
from clerk.core.errors import StorageUnusable
from clerk.fetch.store import fetch_site

site = {"subdomain": "town", "scraper": "folder", "extra": sys.argv[2]}
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
try:
    fetch_site(site, Path(sys.argv[1]) / "town", Settings(storage_dir=Path(sys.argv[1])))
except StorageUnusable as error:
    sys.exit(str(error))
"""


def test_a_full_disk_stops_the_fetch_and_leaves_nothing_half_done(source, town):
    (source / "2024-01-15.pdf").write_bytes(pdf("x" * 500_000))
    arguments = [str(town.settings.storage_dir), str(town.site["extra"])]

    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, *arguments], capture_output=True, text=True, timeout=60
    )

    assert done.returncode == 1 and "cannot be written to" in done.stderr
    assert town.names() == []
    town.fetch()
    assert town.bytes_of("minutes/Meetings/2024-01-15") == pdf("x" * 500_000)


KILLED_AT = """
import os, signal, sys
from clerk.core.config import Settings
from clerk.fetch.store import fetch_site
from pathlib import Path

calls = 0
def die(event, arguments):
    global calls
    if event in ("os.rename", "os.remove", "os.mkdir", "sqlite3.connect", "open", "os.link"):
        calls += 1
        if calls == int(sys.argv[3]):
            os.kill(os.getpid(), signal.SIGKILL)

site = {"subdomain": "town", "scraper": "folder", "extra": sys.argv[2]}
sys.stdin.read(0)
import clerk.fetch.platforms.folder, clerk.fetch.store
from clerk.core import plugins
plugins.manager()
sys.addaudithook(die)
fetch_site(site, Path(sys.argv[1]) / "town", Settings(storage_dir=Path(sys.argv[1])))
"""


def test_a_fetch_killed_anywhere_is_completed_by_the_next(source, tmp_path):
    put(source, "Council/2024-01-15.pdf", "Council/2024-02-15.pdf", "Board/2024-01-15.pdf")
    town = Town(source, tmp_path / "sites")
    town.fetch()
    (source / "Council/2024-01-15.pdf").write_bytes(pdf("approved"))
    put(source, "Council/2024-03-15.pdf")
    undisturbed = Town(source, tmp_path / "undisturbed")
    shutil.copytree(town.folder, undisturbed.folder)
    undisturbed.fetch()

    killed = 0
    for step in range(1, 200, 5):
        disturbed = Town(source, tmp_path / f"sites{step}")
        shutil.copytree(town.folder, disturbed.folder)
        status = killed_at(step, disturbed)
        disturbed.fetch()
        assert files_of(disturbed.folder) == files_of(undisturbed.folder), step
        assert rows_of(disturbed.folder) == rows_of(undisturbed.folder), step
        if status == 0:
            break
        killed += 1
    assert killed >= 5


def killed_at(step: int, town: Town) -> int:
    arguments = [str(town.settings.storage_dir), str(town.site["extra"]), str(step)]
    done = subprocess.run([sys.executable, "-c", KILLED_AT, *arguments], timeout=60)
    assert done.returncode in (0, -signal.SIGKILL)
    return done.returncode


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != "sources.db"
    }


def rows_of(folder: Path) -> list[tuple[str, ...]]:
    with Sources(folder) as sources:
        return sorted(
            (each.identity, each.document.name, each.sha256, *sources.versions(each.identity))
            for each in sources.documents().values()
        )
