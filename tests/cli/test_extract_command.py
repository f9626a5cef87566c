"""``clerk extract`` prints what is in a file."""

from __future__ import annotations

import json
from pathlib import Path

import docx
import pytest
from click.testing import CliRunner

from clerk.cli.extract import extract

MINUTES = """Motion by Moss, seconded by Nye, to buy a plow for $12,000.\r
AYES: Moss, Nye\r
NOES: Ortiz\r
Motion carried.\r
"""

FIELDS = (
    "doc start end page item item_title consent_items consent_exceptions motion mover seconder"
    " result result_text vote_type ayes noes abstain absent recused tally unanimous flags quote"
    " confidence field_confidence doubtful doubts corrected_fields corrected_by corrected_at"
)


@pytest.fixture
def minutes(tmp_path: Path) -> Path:
    path = tmp_path / "minutes of may.txt"
    path.write_bytes(MINUTES.encode())
    return path


def test_lines_of_votes_have_the_published_fields_and_offsets(minutes: Path) -> None:
    done = CliRunner().invoke(extract, ["--votes", "--json", str(minutes)])

    row = json.loads(done.stdout)
    assert done.exit_code == 0
    assert " ".join(row) == FIELDS
    assert row["doc"] == str(minutes)
    assert MINUTES[row["start"] : row["end"]] == row["quote"]
    assert (row["mover"], row["ayes"], row["noes"]) == ("Moss", ["Moss", "Nye"], ["Ortiz"])
    assert (row["page"], row["result"]) == (None, "passed")


def test_people_read_a_listing(minutes: Path) -> None:
    done = CliRunner().invoke(extract, [str(minutes)])

    assert "PASSED 2-1 - buy a plow for $12,000" in done.stdout
    assert "moved by Moss, seconded by Nye" in done.stdout
    assert "noes: Ortiz" in done.stdout


def test_how_a_motion_is_written_is_no_note_for_people(tmp_path: Path) -> None:
    path = tmp_path / "minutes.txt"
    path.write_text("R2024-1 S. Kirkey, T. Butler:\nThat we buy a plow. Carried.\n", "utf-8")

    listed = CliRunner().invoke(extract, [str(path)])
    row = json.loads(CliRunner().invoke(extract, ["--votes", "--json", str(path)]).stdout)

    assert row["flags"] == ["mover_seconder_colon"]
    assert "moved by S. Kirkey, seconded by T. Butler" in listed.stdout
    assert "note:" not in listed.stdout


def test_web_pages_and_word_files_are_read_as_documents(tmp_path: Path) -> None:
    page = tmp_path / "minutes.html"
    page.write_text("<html><body><p>Motion by Moss, seconded by Nye, to buy a plow. Carried 3-0.")
    word = tmp_path / "minutes.docx"
    document = docx.Document()
    document.add_paragraph("Motion by Moss, seconded by Nye, to buy a plow. Carried 3-0.")
    document.save(str(word))

    done = CliRunner().invoke(extract, ["--votes", "--json", str(page), str(word)])

    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [Path(row["doc"]).name for row in rows] == ["minutes.html", "minutes.docx"]
    assert {(row["mover"], row["motion"]) for row in rows} == {("Moss", "buy a plow")}


def test_an_old_word_file_is_refused_with_the_remedy(tmp_path: Path) -> None:
    old = tmp_path / "minutes.doc"
    old.write_bytes(bytes.fromhex("d0cf11e0a1b11ae1") + bytes(600))

    done = CliRunner().invoke(extract, [str(old)])

    assert done.exit_code == 4
    assert "DOC file, which clerk does not read" in done.stderr


def test_explain_shows_which_rule_read_what(minutes: Path) -> None:
    done = CliRunner().invoke(extract, ["--explain", str(minutes)])

    assert done.exit_code == 0
    assert "motion_noun: Motion by Moss" in done.stdout
    assert "labelled_list: NOES: Ortiz" in done.stdout
    assert "outcome_verb: " in done.stdout
    assert "doubts about names: only_in_the_list" in done.stdout


def test_explain_is_for_people(minutes: Path) -> None:
    done = CliRunner().invoke(extract, ["--explain", "--json", str(minutes)])

    assert done.exit_code == 2
    assert "--explain cannot be combined with --json" in done.stderr


def test_entities_are_printed_on_request(minutes: Path) -> None:
    done = CliRunner().invoke(extract, ["--entities", "--json", str(minutes)])

    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(row["type"], row["value"]) for row in rows] == [("money", "12000 USD")]


def test_a_file_that_cannot_be_read_is_named_and_the_rest_printed(
    minutes: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"not a PDF")

    done = CliRunner().invoke(extract, ["--json", str(broken), str(minutes)])

    assert done.exit_code == 4
    assert json.loads(done.stdout)["doc"] == str(minutes)
    assert "broken.pdf" in done.stderr


@pytest.mark.parametrize("option", ["--json", "--all"])
def test_json_has_everything_found_in_one_object_per_file(option: str, tmp_path: Path) -> None:
    path = tmp_path / "minutes.txt"
    path.write_text("PRESENT: Ann Moss, Jo Nye\nABSENT: Kim Ortiz\n\n" + MINUTES, "utf-8")

    done = CliRunner().invoke(extract, [option, str(path)])

    row = json.loads(done.stdout)
    assert done.exit_code == 0
    assert " ".join(row) == (
        "schema extractor doc votes items attendance speakers declarations matters entities people"
    )
    assert (row["schema"], row["doc"], len(row["votes"])) == (3, str(path), 1)
    assert [(who["name"], who["status"]) for who in row["attendance"]] == [
        ("Ann Moss", "present"),
        ("Jo Nye", "present"),
        ("Kim Ortiz", "absent"),
    ]
    assert [(who["name"], who["attendance"], who["votes"]) for who in row["people"]] == [
        ("Ann Moss", [0], [0]),
        ("Jo Nye", [1], [0]),
        ("Kim Ortiz", [2], [0]),
    ]


def test_entities_are_an_answer_of_their_own(minutes: Path) -> None:
    done = CliRunner().invoke(extract, ["--votes", "--entities", str(minutes)])

    assert done.exit_code == 2
    assert "--entities cannot be combined with --votes" in done.stderr
