"""``clerk documents`` and the review of ``clerk site add``: what files are taken for."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from databases import sqlite_daily
from small_pdfs import printed
from sqlalchemy import select, update
from web_town import Browser

from clerk.core import db
from clerk.core.errors import InvalidInput
from clerk.core.models import audit_table, documents_table
from clerk.identify import Hints, Known, identify
from clerk.ops.document_facts import check_said, doubts_of, identity_from
from clerk.ops.web_sessions import OPERATOR, VIEWER

Clerk = Callable[..., Any]

MINUTES = ["City of Springfield", "City Council", "MINUTES", "Regular Meeting of March 5, 2024"]
AGENDA = ["City of Springfield", "City Council", "AGENDA", "April 2, 2024", "1. Call to order"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    source = tmp_path / "files"
    (source / "old").mkdir(parents=True)
    (source / "scan-2-2.pdf").write_bytes(printed(MINUTES))
    (source / "old" / "July 92, 251.pdf").write_bytes(printed(AGENDA))
    (source / "old" / "1998-vect.pdf").write_bytes(printed(["Vectors", "a map of drains"]))
    return source


@pytest.fixture
def springfield(clerk: Clerk, database: str, storage: Path, folder: Path) -> str:
    said = clerk("site", "add", "springfield", "--from", str(folder), "--name", "Springfield")
    assert said.code == 0, said.err
    assert clerk("run", "springfield").code == 0
    return "springfield"


def listed(clerk: Clerk, *options: str) -> dict[str, Any]:
    found = json.loads(clerk("documents", "list", "springfield", "--json", *options).out)
    return {each["file"]: each for each in found}


def test_the_name_of_a_file_moves_no_cursor_and_begins_no_line(
    clerk: Clerk, database: str, storage: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evil = "a\x1b[31m\x1b[2J\n9999-01-01  minutes \u202e.pdf"
    (folder / evil).write_bytes(printed(MINUTES))
    (folder / f"bad {evil}").write_bytes(b"%PDF-1.4 nothing")

    # Click itself removes colours where it does not write to a terminal.
    monkeypatch.setenv("FORCE_COLOR", "1")
    added = clerk("site", "add", "springfield", "--from", str(folder))
    ran = clerk("run", "springfield")
    said = [added, ran]
    said.append(clerk("documents", "list", "springfield"))
    said.append(clerk("documents", "show", "springfield", evil))
    said.append(clerk("failures", "show", "1"))
    shown = "".join(each.out + each.err for each in said)

    assert "9999-01-01  minutes" in shown
    assert not [line for line in shown.splitlines() if line.startswith("9999")]
    assert "\x1b[2J" not in shown and "\u202e" not in shown


def test_a_folder_is_reviewed_before_it_is_added(
    clerk: Clerk, database: str, storage: Path, folder: Path
) -> None:
    (folder / "letter.doc").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))

    said = clerk("site", "add", "springfield", "--from", str(folder), "--dry-run")

    assert "4 documents, identified as:" in said.out
    assert "2024-03-05  minutes     City Council              scan-2-2.pdf" in said.out
    assert "2024-04-02  agenda" in said.out
    doubts = said.out.partition("In doubt:")[2]
    assert "old/1998-vect.pdf" in doubts and "kind not certain" in doubts
    assert "scan-2-2.pdf" not in doubts
    assert "problem: letter.doc: is a DOC file, which clerk does not read." in said.err
    assert "Nothing was added." in said.err
    # Nobody is asked without a terminal.
    assert clerk("site", "add", "springfield", "--from", str(folder)).code == 0


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
@pytest.mark.parametrize("options", [(), ("--name", "Shelbyville")])
def test_a_folder_without_a_name_is_called_what_its_documents_print(
    clerk: Clerk, database: str, storage: Path, folder: Path, options: tuple[str, ...]
) -> None:
    for day in ("May 7", "June 4"):
        page = ["Springfield School Board", "MINUTES", f"Regular Meeting of {day}, 2024"]
        (folder / f"{day}.pdf").write_bytes(printed(page))
    (folder / "July 2.pdf").write_bytes(printed([MINUTES[0], *MINUTES[1:3], "July 2, 2024"]))
    (folder / "old" / "1998-vect.pdf").unlink()

    said = clerk("site", "add", "s1", "--from", str(folder), *options)

    shown = json.loads(clerk("site", "show", "s1", "--json").out)
    if options:
        assert "Name:" not in said.out and shown["name"] == "Shelbyville"
        assert "City Council (3), Springfield School Board (2)" in said.out
    else:
        assert "Name: City of Springfield, as most documents print" in said.out
        assert "City Council (3), School Board (2)" in said.out
        assert shown["name"] == "City of Springfield"


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("printed_line", "name"),
    [
        ("TOWNSHIP OF ASHBY COUNCIL MEETING MINUTES", "Township of Ashby"),
        ("City of Springfield City Council", "City of Springfield"),
        ("Town of Ashby Planning Board", "Town of Ashby"),
        ("Village of Oak Park Special Meeting", "Village of Oak Park"),
    ],
)
def test_a_body_in_the_line_of_a_place_is_not_part_of_its_name(
    clerk: Clerk, database: str, storage: Path, tmp_path: Path, printed_line: str, name: str
) -> None:
    source = tmp_path / "meetings"
    source.mkdir()
    for day in ("May 7", "June 4", "July 2"):
        page = [printed_line, f"Regular Meeting of {day}, 2024", "1. Call to order"]
        (source / f"{day}.pdf").write_bytes(printed(page))

    said = clerk("site", "add", "s1", "--from", str(source))

    assert f"Name: {name}, as most documents print" in said.out


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_every_file_that_cannot_be_read_is_named_before_the_first_run(
    clerk: Clerk, database: str, storage: Path, folder: Path
) -> None:
    for number in range(8):
        (folder / f"{number}.rtf").write_text("{\\rtf1 Minutes}")

    said = clerk("site", "add", "springfield", "--from", str(folder), "--dry-run")

    named = [line for line in said.err.splitlines() if "is an RTF file" in line]
    assert [line.split(":")[1].strip() for line in named] == [f"{n}.rtf" for n in range(8)]


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_review_says_what_cannot_be_read_at_all(
    clerk: Clerk, database: str, storage: Path, folder: Path
) -> None:
    (folder / "deep.html").write_text("<div>" * 20_000 + "Minutes of the council")

    said = clerk("site", "add", "springfield", "--from", str(folder), "--dry-run")

    listed_files = said.out.splitlines()
    below = listed_files[next(n for n, line in enumerate(listed_files) if "deep.html" in line) + 1]
    assert below.strip() == "cannot be read"
    assert "deep.html: is nested more than" in said.err


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_page_that_prints_the_day_that_somebody_chose_does_not_contradict_it(
    clerk: Clerk, database: str, storage: Path, folder: Path
) -> None:
    two_days = ["City Council", "MINUTES", "March 4, 2024", "March 11, 2024", "Present: Orr"]
    (folder / "two.pdf").write_bytes(printed(two_days))
    clerk("site", "add", "springfield", "--from", str(folder), "--yes")
    clerk("run", "springfield")
    assert "but 2024-03-11" in clerk("documents", "show", "springfield", "two.pdf").out

    clerk("documents", "set", "springfield", "two.pdf", "--date", "2024-03-11")

    shown = clerk("documents", "show", "springfield", "two.pdf").out
    assert "but 2024-03-04" in shown
    assert "also 2024-03-11" in shown


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_documents_say_what_they_are_and_where_that_comes_from(
    clerk: Clerk, springfield: str
) -> None:
    found = listed(clerk)

    minutes = found["scan-2-2.pdf"]
    facts = (minutes["date"], minutes["body"], minutes["kind"])
    assert facts == ("2024-03-05", "City Council", "minutes")
    assert minutes["evidence"]["date"]["source"] == "page"
    assert found["old/1998-vect.pdf"]["date"] is None
    assert list(listed(clerk, "--doubtful")) == ["old/1998-vect.pdf"]
    shown = clerk("documents", "show", "springfield", "scan-2-2.pdf").out
    assert "date   2024-03-05  [page 1: 'Regular Meeting of March 5, 2024', 95 %]" in shown

    exported = json.loads(
        clerk("export", "springfield", "--table", "documents", "--format", "json").out
    )
    assert {each["file"]: each["date"] for each in exported} == {
        "scan-2-2.pdf": "2024-03-05",
        "old/July 92, 251.pdf": "2024-04-02",
        "old/1998-vect.pdf": None,
    }


def test_a_board_with_a_short_name_is_called_as_in_the_other_documents(
    clerk: Clerk, database: str, storage: Path, tmp_path: Path
) -> None:
    source = tmp_path / "files"
    source.mkdir()
    opened = "Mrs. Orr called the meeting to order at 7:00 p.m."
    for day, body in (
        ("May 6", ""),
        ("June 3", "on vacancies of the School Board."),
        ("July 1", ""),
    ):
        lines = ["Minutes", f"Work Session Monday, {day}, 2024", opened, f"Policy {body}"]
        if day == "May 6":
            lines[0] = "BOARD OF EDUCATION MINUTES"
        (source / f"{day}.pdf").write_bytes(printed(lines))

    clerk("site", "add", "springfield", "--from", str(source), "--yes")
    assert clerk("run", "springfield").code == 0

    found = listed(clerk)
    assert {file: each["body"] for file, each in found.items()} == {
        "May 6.pdf": "Board of Education",
        "June 3.pdf": "Board of Education",
        "July 1.pdf": None,
    }
    evidence = found["June 3.pdf"]["evidence"]
    assert evidence["body"]["source"] == "site"
    assert evidence["others"][-1]["fact"]["value"] == "School Board"


@sqlite_daily
def test_documents_of_an_older_installation_are_identified_without_being_read(
    clerk: Clerk, springfield: str
) -> None:
    before = listed(clerk)
    with db.civic_db_connection() as conn:
        unknown = {"kind": "minutes", "date": None, "title": None, "evidence": {}}
        conn.execute(update(documents_table).values(identified_of=None, body=None, **unknown))
    assert listed(clerk) != before

    said = clerk("run", "springfield")

    assert "nothing new; 3 of 3 documents are read" in said.out
    assert listed(clerk) == before


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_document_that_cannot_be_read_is_known_by_its_path(
    clerk: Clerk, springfield: str, folder: Path
) -> None:
    (folder / "old" / "Council minutes 2023-05-01.pdf").write_bytes(b"%PDF-1.4 damaged")

    assert clerk("run", "springfield").code == 4

    found = listed(clerk)["old/Council minutes 2023-05-01.pdf"]
    assert (found["kind"], found["date"]) == ("minutes", "2023-05-01")
    assert found["evidence"]["date"]["source"] == "file_name"


@sqlite_daily
def test_a_correction_holds_and_is_in_the_audit_log(
    clerk: Clerk, springfield: str, folder: Path
) -> None:
    correct = ("documents", "set", "springfield", "old/*", "--kind", "report", "--date", "unknown")
    assert "2 documents would change" in clerk(*correct, "--dry-run").err
    assert listed(clerk)["old/July 92, 251.pdf"]["kind"] == "agenda"

    assert clerk(*correct).out.endswith("Changed 2 documents of springfield.\n")

    # The file changes and moves, and is read again: what a person said stays.
    (folder / "old" / "July 92, 251.pdf").write_bytes(printed([*AGENDA, "2. Roll call"]))
    assert clerk("run", "springfield").code == 0
    (folder / "old" / "July 92, 251.pdf").rename(folder / "old" / "July.pdf")
    assert clerk("run", "springfield").code == 0
    july = listed(clerk)["old/July.pdf"]
    assert (july["kind"], july["date"]) == ("report", None)
    assert july["evidence"]["kind"]["source"] == "person"
    exported = clerk("export", "springfield", "--table", "documents", "--format", "jsonl").out
    assert [
        (each["kind"], each["date"])
        for each in map(json.loads, exported.splitlines())
        if each["file"] == "old/July.pdf"
    ] == [("report", None)]
    with db.reading_connection() as conn:
        logged = [row.action for row in conn.execute(select(audit_table))]
    assert "documents corrected" in logged

    assert clerk("documents", "set", "springfield", "old/*", "--undo").code == 0
    assert clerk("run", "springfield").code == 0
    assert listed(clerk)["old/July.pdf"]["date"] == "2024-04-02"


@pytest.mark.parametrize(
    "said",
    [
        *({"date": day} for day in ("2024-02-31", "0000-01-01", "9999-01-01", "soon")),
        *({"kind": "minute"}, {"body": " "}, {}),
    ],
)
def test_nonsense_is_refused_by_name(said: dict[str, str]) -> None:
    with pytest.raises(InvalidInput):
        check_said(said)


@pytest.mark.parametrize("day", ["1799-12-31", "2101-01-01", "9999-12-31"])
def test_a_day_out_of_range_is_refused_with_the_range(day: str) -> None:
    with pytest.raises(InvalidInput, match="out of range") as refused:
        check_said({"date": day})

    assert "between 1800 and 2100" in (refused.value.hint or "")


@pytest.mark.parametrize("day", ["1800-01-01", "2100-12-31"])
def test_a_day_that_may_be_said_is_the_date_of_the_document(day: str) -> None:
    said = check_said({"date": day})

    assert identify((), Hints(person=Known(date=said["date"]))).date.value == day


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_operators_correct_documents_in_their_pages(clerk: Clerk, springfield: str) -> None:
    viewer, operator = Browser(VIEWER), Browser(OPERATOR)
    page = viewer.get("/ops/sites/springfield/identities?doubtful=1")
    assert "1998-vect.pdf" in page.text and "scan-2-2.pdf" not in page.text

    asked = "/ops/sites/springfield/identities/preview?match=old/*&kind=report"
    shown = operator.get(asked)
    assert "2 documents" in shown.text and "kind agenda" in shown.text
    assert listed(clerk)["old/July 92, 251.pdf"]["kind"] == "agenda"

    name = listed(clerk)["old/July 92, 251.pdf"]["name"]
    where = "/ops/sites/springfield/identities"
    assert viewer.post(where, data={"document": name, "kind": "report"}).status_code == 403
    assert operator.post(where, data={"document": name, "kind": "report"}).status_code == 303
    assert listed(clerk)["old/July 92, 251.pdf"]["kind"] == "report"
    assert "Forget the corrections" in operator.get(f"/ops/sites/springfield/documents/{name}").text
    assert operator.post(where, data={"document": name, "kind": "nonsense"}).status_code == 400


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_list_fits_a_terminal(clerk: Clerk, springfield: str, folder: Path, monkeypatch) -> None:
    long = folder / "old" / ("A very long name of a file that nobody would choose " * 3 + "end.pdf")
    long.write_bytes(
        printed([*AGENDA[:1], "Committee on the Maintenance of Long Roads", *AGENDA[2:]])
    )
    assert clerk("run", springfield).code == 0
    monkeypatch.setenv("COLUMNS", "80")

    lines = clerk("documents", "list", springfield).out.splitlines()

    assert max(map(len, lines)) <= 80
    (line,) = (each for each in lines if each.endswith("end.pdf"))
    assert "Committee on the Mainte…" in line
    assert "Committee on the Maintenance of Long Roads" in json.dumps(listed(clerk))


def fact(value: str | None, confidence: float = 0.9, source: str = "page") -> dict[str, Any]:
    return {"value": value, "confidence": confidence, "source": source} if value else {}


@pytest.mark.parametrize(
    ("evidence", "doubts"),
    [
        # Reports and letters need not be of a meeting.
        ({"kind": fact("report")}, []),
        ({"kind": fact("report"), "date": fact("2024-05-06")}, ["body not known"]),
        ({"kind": fact("minutes")}, ["date not known", "body not known"]),
        (
            {"kind": fact("minutes"), "date": fact("2024-05-06"), "body": fact("Board", 0.49)},
            ["body not certain"],
        ),
        ({"kind": fact("other", 0.3)}, ["kind not certain"]),
        # The name of a file is no doubt about a printed date; another printed day is one.
        (
            {
                "kind": fact("minutes"),
                "date": fact("2024-05-06", 0.95),
                "body": fact("Council"),
                "others": [{"field": "date", "fact": fact("2023-01-01", 0.5, "file_name")}],
            },
            [],
        ),
        (
            {
                "kind": fact("agenda"),
                "date": fact("2024-05-06", 0.7),
                "body": fact("Council"),
                "others": [{"field": "date", "fact": fact("2024-05-04", 0.3)}],
            },
            ["date contradicted: 2024-05-04"],
        ),
    ],
)
def test_a_doubt_is_what_a_person_should_check(evidence: dict[str, Any], doubts: list[str]) -> None:
    assert doubts_of(identity_from(evidence)) == doubts


def test_evidence_that_somebody_has_damaged_says_nothing() -> None:
    assert doubts_of(identity_from({"date": "2024"})) == doubts_of(identity_from({}))
