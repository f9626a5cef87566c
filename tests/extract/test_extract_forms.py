"""Forms that are not filled in, agendas and numbers of documents are no votes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from small_pdfs import printed
from small_sites import ask
from small_work import Town, hurry

from clerk.core.db import civic_db_connection
from clerk.core.models import documents_table
from clerk.core.storage import Document
from clerk.extract import VERSION, Vote, extract_site, extract_text
from clerk.extract.documents import cache_of

MINUTES = """Motion by Mr. Smith, seconded by Mrs. Jones, to adopt the budget.
AYES: Smith, Jones, Brown
NOES: None
Motion carried.
"""

BLANK = {
    "signature with a title before the name": """
PASSED AND ADOPTED this ___ day of __________, 2024, by the following vote:

AYES:
NOES:
ABSENT:

                         ______________________
                         Mayor Jane Smith

ATTEST:

_____________________
City Clerk
""",
    "signature with a title behind the name": """
PASSED, APPROVED AND ADOPTED this _____ day of ______, 2024.

AYES:

NOES:

ABSENT:

ABSTAIN:

_________________________
John Brown, Mayor
ATTEST:
_________________________
Mary Jones, City Clerk
""",
    "no line to sign on": """
ADOPTED this 5th day of March, 2024, by the following vote:
AYES:
NOES:

Jane Smith, Mayor
""",
    "a name and a title on two lines": """
The ordinance was adopted by the following vote:
AYES:
NOES:

Jane Smith
Mayor
""",
    "lines to write on": """
The foregoing resolution was duly adopted by the following vote:
AYES: ____________________
NAYS: ____________________
ABSENT: __________________

Mayor John Brown
""",
    "lines without colons": """
Motion by ______ seconded by ______ AYES ____ NAYS ____ ABSENT ____
Mayor Smith
""",
    "one line": """
Motion by ________, seconded by ________, to adopt Ordinance 24-5.
AYES:        NOES:        ABSENT:
Mayor Smith
""",
    "one label": """
ADOPTED by the following vote:
AYES:

_______________
Mayor Smith
""",
    "nothing below": """
PASSED AND ADOPTED by the City Council by the following vote:
AYES:
NOES:
""",
    "both results": """
MOTION BY: ______  SECONDED BY: ______
Motion carried / failed
""",
    "boxes to tick": "The motion passed [ ] failed [ ]\n",
    "a day to be written": "PASSED AND ADOPTED this      day of May, 2024.\n",
    "a month to be written": "APPROVED AND ADOPTED this 5th day of ________, 2024.\n",
}


@pytest.mark.parametrize("form", BLANK.values(), ids=BLANK)
def test_a_form_that_is_not_filled_in_is_no_vote(form: str) -> None:
    assert extract_text([form]).votes == []


@pytest.mark.parametrize("form", BLANK.values(), ids=BLANK)
def test_a_form_takes_nothing_from_the_vote_before_it_and_adds_nothing(form: str) -> None:
    (vote,) = extract_text([MINUTES + form]).votes

    assert (vote.mover, vote.result) == ("Smith", "passed")
    assert _names(vote) == (["Smith", "Jones", "Brown"], [], [], [])


def _names(vote: Vote) -> tuple[list[str], list[str], list[str], list[str]]:
    return vote.ayes, vote.noes, vote.abstain, vote.absent


FILLED = {
    "signature below": (
        """PASSED AND ADOPTED this 5th day of March, 2024, by the following vote:
AYES: Smith, Jones.
NOES: Green.

______________________
Mayor Jane Brown
""",
        (["Smith", "Jones"], ["Green"], [], []),
    ),
    "empty lists above a signature": (
        """The motion carried by the following vote:
AYES: Smith, Jones
NOES:
ABSENT:

Jane Brown, Mayor
ATTEST:
Mary White, City Clerk
""",
        (["Smith", "Jones"], [], [], []),
    ),
    "an empty list above the last one": (
        """The motion carried by the following vote:
AYES: Smith, Jones
NOES:
ABSENT:
Brown

The meeting went on.
""",
        (["Smith", "Jones"], [], [], ["Brown"]),
    ),
    "a blank line below each label": (
        """The motion carried by the following vote:
AYES:

Smith, Jones

NOES:

Mayor Brown

ABSENT:

None
""",
        (["Smith", "Jones"], ["Brown"], [], []),
    ),
    "labels first, then the lists": (
        """AYES:
NOES:
ABSENT:

Mayor Smith, Jones, Brown
None
Green
Motion carried.
""",
        (["Smith", "Jones", "Brown"], [], [], ["Green"]),
    ),
    "lists that were lost": (
        """Motion by Smith, seconded by Jones, to adopt Resolution 5. Motion carried 5-0.

AYES:
NOES:
ABSENT:

Mr. Brown asked about the road.
Mr. Green answered him.
Mr. White thanked both.
""",
        ([], [], [], []),
    ),
}


@pytest.mark.parametrize(("text", "names"), FILLED.values(), ids=FILLED)
def test_a_form_that_is_filled_in_is_read(text: str, names: tuple[list[str], ...]) -> None:
    (vote,) = extract_text([text], is_minutes=True).votes

    assert vote.result == "passed"
    assert _names(vote) == names


@pytest.mark.parametrize(
    "reference",
    [
        "Resolution No: RC-2024-23",
        "Case No. 34-2021",
        "File No. 12",
        "Ordinance No 12",
        "Docket No.\nZ-5",
        "Permit NO. #7",
        "Petition No: 2024-3",
        "Item No. 5",
    ],
)
@pytest.mark.parametrize(
    "sentence",
    [
        "Motion by Smith, seconded by Jones, to approve {}. Motion carried.",
        "Motion by Smith, seconded by Jones. Motion passed, {}.",
        "Moved by Smith, seconded by Jones. Roll call: Smith, yes; Jones, yes; {} carried.",
        "Motion by Smith, seconded by Jones. Motion carried.\n{}",
    ],
)
def test_the_number_of_something_is_no_ballot(sentence: str, reference: str) -> None:
    (vote,) = extract_text([sentence.format(reference)], is_minutes=True).votes

    assert (vote.mover, vote.seconder, vote.noes) == ("Smith", "Jones", [])
    assert not vote.tally or not vote.tally["no"]


@pytest.mark.parametrize(
    ("text", "noes", "against"),
    [
        ("Roll call vote: Mr. Smith, yes; Mr. Jones, no.\n5. ADJOURNMENT\n", ["Jones"], 1),
        ("Motion by Smith, seconded by Jones. Yes: 5 No: 2 Motion carried.", [], 2),
        ("Motion by Smith, seconded by Jones. Yes 5 No 2. Motion carried.", [], 2),
        ("Motion to adopt Ordinance No. 5 by Smith. Motion carried, Brown no.", ["Brown"], None),
    ],
)
def test_a_no_that_is_a_ballot_is_still_one(
    text: str, noes: list[str], against: int | None
) -> None:
    (vote,) = extract_text([text], is_minutes=True).votes

    assert vote.noes == noes
    assert (vote.tally or {}).get("no") == against


def test_votes_are_not_looked_for_in_agendas(tmp_path: Path) -> None:
    for root in ("txt", "_agendas/txt"):
        folder = tmp_path / root / "Council" / "2031-05-04"
        folder.mkdir(parents=True)
        (folder / "page-1.txt").write_text(f"{MINUTES}The bridge costs $5,000.\n")
    found = {}

    report = extract_site(tmp_path, lambda document, each: found.update({document.kind: each}))

    assert report.votes == 1
    assert (len(found["minutes"].votes), found["agendas"].votes) == (1, [])
    assert found["agendas"].entities == found["minutes"].entities != []


@pytest.fixture
def town(
    make_site: Callable[..., str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    clerk: Callable[..., Any],
) -> Town:
    """A site with minutes and an agenda that was run."""
    hurry(monkeypatch)
    source = tmp_path / "source"
    agenda = ["Council", "AGENDA", "1. Call to Order", "2. Snow Removal", "3. Adjournment"]
    for name, lines in (("minutes", MINUTES.splitlines()), ("agendas", agenda)):
        path = source / name / "Council" / "2024-01-15.pdf"
        path.parent.mkdir(parents=True)
        path.write_bytes(printed(lines))
    site = make_site(scraper="folder", extra=json.dumps({"source": str(source)}))
    assert clerk("run", site).code == 0
    return Town(site)


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_site_of_an_older_version_is_extracted_again(
    town: Town, clerk: Callable[..., Any]
) -> None:
    agenda = cache_of(town.folder, Document.from_name("agendas/Council/2024-01-15"))
    minutes = cache_of(town.folder, Document.from_name("minutes/Council/2024-01-15"))
    older = msgspec.json.decode(minutes.read_bytes()) | {"version": "5"}
    agenda.write_bytes(msgspec.json.encode(older))
    with civic_db_connection() as conn:
        of_older = documents_table.c.text_sha256 + " 5"
        conn.execute(documents_table.update().values(findings_of=of_older))

    assert clerk("run", town.subdomain).code == 0

    assert msgspec.json.decode(agenda.read_bytes())["version"] == VERSION != "5"
    (compiled,) = ask(town.folder / "meetings.db", "SELECT document FROM votes")
    assert compiled == ("minutes/Council/2024-01-15",)
