"""The fetcher ``folder``: documents are found and understood in whatever layout they have."""

from __future__ import annotations

import errno
import os
import unicodedata
from pathlib import Path

import docx
import pytest
from folder_town import Town, pdf, put

from clerk.core import manifest
from clerk.core.db import writing_to
from clerk.core.errors import BadSetting, SourceUnavailable

not_as_root = pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")


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
        "letter.docx": "UnsupportedFormat",
    }
    assert {problem.what for problem in report.skipped} == {"pipe.pdf"}
    assert town.names() == ["minutes/Meetings/2024-01-15"]


def test_web_pages_and_word_documents_are_documents_and_old_word_is_refused(source, town):
    put(source, "2024-01-15.pdf")
    (source / "Council minutes 2024-01-15.htm").write_text("<html><p>Minutes</p></html>")
    docx.Document().save(str(source / "Council agenda 2024-01-15.docx"))
    (source / "old.doc").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"0" * 600)
    (source / "older.rtf").write_bytes(rb"{\rtf1 Minutes}")

    report = town.fetch()

    assert town.names() == [
        "agendas/Council/2024-01-15.docx",
        "minutes/Council/2024-01-15.html",
        "minutes/Meetings/2024-01-15",
    ]
    assert {problem.what: problem.error for problem in report.errors} == {
        "old.doc": "UnsupportedFormat",
        "older.rtf": "UnsupportedFormat",
    }
    assert all("Save it as PDF or DOCX" in problem.why for problem in report.errors)
    assert sorted(town.fetch().unchanged) == town.names()

    # A page that is exported as PDF one day gets another name, and stays the same document.
    (source / "Council minutes 2024-01-15.htm").unlink()
    put(source, "Council minutes 2024-01-15.htm")
    assert "minutes/Council/2024-01-15" in town.fetch().moved


def test_only_files_that_are_not_as_they_were_are_asked_about(source, town, monkeypatch):
    put(source, *(f"Council minutes 2024-01-{day:02}.pdf" for day in range(1, 21)))
    town.fetch()
    asked: list[int] = []
    ask = manifest.known_documents

    def noting(*values):
        rows = ask(*values)
        asked.append(len(rows))
        return rows

    monkeypatch.setattr(manifest, "known_documents", noting)
    assert len(town.fetch().unchanged) == 20
    assert asked == [0]

    put(source, "Council minutes 2024-02-01.pdf", "Council minutes of 2024-01-02.pdf")
    (source / "Council minutes 2024-01-01.pdf").write_bytes(pdf("other words"))
    (source / "Council minutes 2024-01-20.pdf").unlink()
    report = town.fetch()

    assert asked == [0, 2]
    # The name of a file that was passed over is taken all the same.
    assert report.new == ["minutes/Council/2024-02-01", "minutes/Council/2024-01-02-2"]
    assert report.changed == ["minutes/Council/2024-01-01"]
    assert report.gone == ["minutes/Council/2024-01-20"]
    assert len(report.unchanged) == 18

    put(source, "Council minutes 2024-01-20.pdf")
    report = town.fetch()
    assert (report.new, report.gone, len(report.unchanged)) == ([], [], 22)
    assert not any(row.gone_at for row in town.known())


def test_files_whose_bytes_were_lost_are_all_copied_again(source, town):
    put(source, "Council minutes 2024-01-15.pdf")
    town.fetch()
    with writing_to(town.settings.sql_url) as conn:
        manifest.forget_bytes(conn, "town", "minutes/Council/2024-01-15")

    (source / "Council minutes 2024-01-15.pdf").rename(source / "Council minutes 2024-01-16.pdf")
    town.fetch()

    assert [bool(row.pdf_sha256) for row in town.known() if not row.gone_at] == [True]


@not_as_root
def test_unreadable_files_and_folders_are_reported_by_name(source, town):
    put(source, "2024-01-15.pdf", "2024-02-15.pdf", "closed/2024-03-15.pdf")
    (source / "2024-02-15.pdf").chmod(0)
    (source / "closed").chmod(0)

    report = town.fetch()
    (source / "closed").chmod(0o755)

    assert {problem.what for problem in report.errors} == {"2024-02-15.pdf", "closed"}
    assert report.documents == 1


def test_what_is_in_a_folder_that_cannot_be_listed_is_not_taken_for_gone(source, town, monkeypatch):
    put(source, "2024-01-15.pdf", "archive/2024-02-15.pdf")
    town.fetch()
    scandir = os.scandir

    def unmounted(path):
        if path == source / "archive/":
            raise OSError(errno.ESTALE, "Stale file handle")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", unmounted)
    report = town.fetch()

    assert ([problem.what for problem in report.errors], report.gone) == (["archive"], [])
    assert not any(row.gone_at for row in town.known())


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
