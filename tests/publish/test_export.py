"""``clerk export``: pages and votes in formats others read."""

from __future__ import annotations

import contextlib
import csv
import gc
import io
import json
import os
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from small_sites import SITE, compile_folder, vote, write_found, write_text

from clerk.cli import cli
from clerk.cli.export import TABLES
from clerk.core import config
from clerk.core.errors import InvalidInput, NotFound, UnknownSite
from clerk.publish import export as exporting
from clerk.publish.export import QUERIES, WRITERS

COUNCIL = "minutes/CityCouncil/2024-01-15"


@pytest.fixture
def sites(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("STORAGE_DIR", str(tmp_path / "sites"))
    folder = tmp_path / "sites" / "springfield"
    pages = ["The council met.", '=cmd|" /C calc"!A0 é']
    document = write_text(folder, COUNCIL, pages)
    write_found(folder, document, pages, [vote(1, flags=["name_typo"])])
    write_text(folder, "agendas/CityCouncil/2024-01-15", ["Call to order"])
    compile_folder(folder, SITE)
    return tmp_path / "sites"


def export(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["export", "springfield", *arguments], catch_exceptions=False)


def test_pages_as_json_lines(sites: Path) -> None:
    rows = [json.loads(line) for line in export().stdout.splitlines()]

    assert [(row["document"], row["page"]) for row in rows] == [
        ("agendas/CityCouncil/2024-01-15", 1),
        (COUNCIL, 1),
        (COUNCIL, 2),
    ]
    assert rows[1]["text"] == "The council met."


def test_votes_as_json_carry_their_names(sites: Path) -> None:
    (row,) = json.loads(export("--table", "votes", "--format", "json").stdout)

    assert (row["doc"], row["mover"], row["ayes"], row["noes"]) == (
        COUNCIL,
        "Lee",
        ["Lee", "Wu"],
        ["Diaz"],
    )
    assert row["tally"] == {"yes": 2, "no": 1}
    assert row["flags"] == ["name_typo"]


def test_csv_has_headings_and_no_formulas(sites: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(export("--format", "csv").stdout)))

    assert rows[2]["text"].startswith("'=cmd")
    assert rows[0]["kind"] == "agenda"


def test_csv_of_nothing_has_headings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STORAGE_DIR", str(tmp_path))
    (tmp_path / "springfield").mkdir()
    compile_folder(tmp_path / "springfield", SITE)

    assert export("--format", "csv", "--table", "votes").stdout.startswith("id,doc,start")
    assert json.loads(export("--format", "json").stdout) == []


@pytest.mark.parametrize("kind", sorted(WRITERS))
def test_the_output_stays_open_when_its_reader_goes(sites: Path, kind: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    out = io.BufferedWriter(io.FileIO(writer, "w"), buffer_size=16)

    with pytest.raises(BrokenPipeError):
        exporting.export(sites / "springfield", config.load(), out, kind)

    gc.collect()
    assert not out.closed
    with contextlib.suppress(BrokenPipeError):
        out.close()


def test_text_reads_like_the_documents(sites: Path) -> None:
    assert f"=== {COUNCIL} page 1 ===\nThe council met.\n" in export("--format", "txt").stdout


def test_a_zip_holds_everything_and_is_the_same_every_time(sites: Path, tmp_path: Path) -> None:
    for name in ("one.zip", "two.zip"):
        result = export("--format", "zip", "--output", str(tmp_path / name))
        assert "3 rows written" in result.stderr

    with zipfile.ZipFile(tmp_path / "one.zip") as archive:
        assert f"txt/{COUNCIL}/page-1.txt" in archive.namelist()
        assert {"pages.csv", "votes.jsonl", "entities.csv"} < set(archive.namelist())
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()


def test_an_export_is_public_whoever_compiled_the_site(sites: Path) -> None:
    reasons = json.dumps({"2": "OSError: '/home/bob/a.pdf'"})
    with closing(sqlite3.connect(sites / "springfield" / "meetings.db")) as connection:
        connection.execute(
            "UPDATE documents SET source_url = ?, failed_pages = ?",
            ("https://bob:pw@town.example/a.pdf?token=abc&id=5", reasons),
        )
        connection.commit()

    rows = json.loads(export("--table", "documents", "--format", "json").stdout)

    assert {row["source_url"] for row in rows} == {"https://town.example/a.pdf?id=5"}
    assert rows[0]["failed_pages"] == {"2": "OSError: 'a.pdf'"}
    for kind in ("csv", "jsonl", "txt"):
        said = export("--table", "documents", "--format", kind).stdout
        assert "bob" not in said and "abc" not in said


def test_a_file_in_a_folder_that_is_not_there_is_refused(sites: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="There is no folder"):
        export("-o", str(tmp_path / "absent" / "pages.jsonl"))

    assert not (tmp_path / "absent").exists()


def test_a_site_that_does_not_exist_is_named(sites: Path) -> None:
    with pytest.raises(UnknownSite, match="There is no site 'nope'"):
        CliRunner().invoke(cli, ["export", "nope"], catch_exceptions=False)


def test_a_site_that_is_not_compiled_says_what_to_do(site: str) -> None:
    with pytest.raises(NotFound, match="has not been compiled yet") as caught:
        export()
    assert caught.value.hint == "clerk run springfield"


def test_every_table_of_the_command_can_be_exported(sites: Path) -> None:
    assert set(TABLES) == set(QUERIES)
    for table in QUERIES:
        assert isinstance(json.loads(export("--table", table, "--format", "json").stdout), list)
