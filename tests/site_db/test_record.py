"""What the documents of a site record besides votes: people, attendance, matters, speakers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from small_sites import SITE, appearance, compile_folder, presence, vote, write_found, write_text

from clerk.core.errors import NotFound
from clerk.site_db.queries import open_site
from clerk.site_db.record import (
    DeclaredInterest,
    PublicSpeaker,
    RecordedItem,
    RecordedPresence,
    SiteRecord,
)

FIRST, SECOND, THIRD = (f"minutes/Council/2024-0{month}-15" for month in (1, 2, 3))
PLANNING = "minutes/Planning/2023-05-01"


def said(**fields: Any) -> dict[str, Any]:
    """Something on the first page, as extraction describes it."""
    return {"page": 1, "start": 0, "end": 3, "quote": "as printed"} | fields


@pytest.fixture(scope="module")
def storage(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three meetings of a council and one of a commission, with everything that is found."""
    storage = tmp_path_factory.mktemp("sites")
    folder = storage / "springfield"
    pages = ["The council met."]
    members = [presence("Ann Lee"), presence("Bo Wu"), presence("Cy Diaz")]
    found: dict[str, tuple[list[Any], dict[str, Any]]] = {
        FIRST: (
            [vote(1, ayes=["Lee", "Wu"], noes=["Diaz"])],
            {
                "attendance": [*members, presence("Dee Clerk", group="other", role="Clerk")],
                "items": [said(number="1", title="Plow"), said(number="2", title="Roads")],
                "speakers": [said(name="Pat Poe", side="against", item="2")],
                "declarations": [said(name="Wu", kind="recusal", concerning="the plow")],
                "matters": [
                    appearance("ordinance 2024-5", action="introduced", title="Plowing 100%"),
                    appearance("case 7", action="heard", votes=[]),
                ],
            },
        ),
        SECOND: (
            [vote(1, ayes=["Lee", "Diaz"], noes=["Wu"], result="passed", doubtful=["result"])],
            {"attendance": [members[0], presence("Bo Wu", late=True), members[2]]},
        ),
        THIRD: (
            [vote(1, ayes=["Ann Lee"], noes=["Wu", "Diaz"], result="failed")],
            {
                "attendance": [members[0], presence("Bo Wu", status="absent"), members[2]],
                "matters": [appearance("ordinance 2024-5", action="failed")],
            },
        ),
        PLANNING: ([], {"attendance": [presence("Eve Fox")]}),
    }
    for name, (votes, lists) in found.items():
        write_found(folder, write_text(folder, name, pages), pages, votes, **lists)
    compile_folder(folder, SITE)
    return storage


@pytest.fixture
def record(storage: Path) -> Iterator[SiteRecord]:
    with open_site(storage, "springfield") as site:
        yield SiteRecord(site)


def test_findings_are_read_newest_first_and_in_the_order_of_the_text(record: SiteRecord) -> None:
    assert [(each.item, each.item_title) for each in record.find(RecordedItem)] == [
        ("1", "Plow"),
        ("2", "Roads"),
    ]
    dates = [each.date for each in record.find(RecordedPresence)]
    assert dates == sorted(dates, key=str, reverse=True)
    assert [each.item for each in record.find(RecordedItem, limit=1, offset=1)] == ["2"]


@pytest.mark.parametrize(
    ("filters", "names"),
    [
        ({"body": "Planning"}, ["Eve Fox"]),
        ({"year": "2023"}, ["Eve Fox"]),
        ({"document": PLANNING}, ["Eve Fox"]),
        ({"date": "2024-01-15", "name": "Dee Clerk"}, ["Dee Clerk"]),
        ({"name": "Nobody"}, []),
        ({"person": "Planning/fox"}, ["Eve Fox"]),
        ({"person": "Council/fox"}, []),
    ],
    ids=str,
)
def test_findings_are_filtered(
    record: SiteRecord, filters: dict[str, str], names: list[str]
) -> None:
    assert [each.printed_name for each in record.find(RecordedPresence, **filters)] == names


def test_truth_is_truth_and_staff_is_nobodys_member(record: SiteRecord) -> None:
    by_name = {each.printed_name: each for each in record.find(RecordedPresence, date="2024-01-15")}
    late = record.find(RecordedPresence, date="2024-02-15", name="Bo Wu")

    assert by_name["Ann Lee"].is_member is True
    assert by_name["Ann Lee"].person == "Council/lee"
    assert by_name["Dee Clerk"].is_member is False
    assert (by_name["Dee Clerk"].role, by_name["Dee Clerk"].person) == ("Clerk", None)
    assert [each.late for each in late] == [True]


def test_speakers_and_interests_keep_their_words(record: SiteRecord) -> None:
    [speaker] = record.find(PublicSpeaker)
    [interest] = record.find(DeclaredInterest)

    assert (speaker.printed_name, speaker.side, speaker.item) == ("Pat Poe", "against", "2")
    assert (interest.printed_name, interest.kind, interest.person) == (
        "Wu",
        "recusal",
        "Council/wu",
    )
    assert interest.quote == "as printed"


def test_a_matter_has_its_last_state_and_all_its_steps(record: SiteRecord) -> None:
    summary = record.matter("ordinance 2024-5")
    steps = record.steps("ordinance 2024-5")

    assert (summary.state, summary.first_date, summary.last_date) == (
        "failed",
        "2024-01-15",
        "2024-03-15",
    )
    assert (summary.appearances, summary.meetings) == (2, 2)
    assert [(step.date, step.action) for step, _ in steps] == [
        ("2024-01-15", "introduced"),
        ("2024-03-15", "failed"),
    ]
    assert [[each.result for each in votes] for _, votes in steps] == [["passed"], ["failed"]]


def test_a_matter_that_is_not_there_is_named(record: SiteRecord) -> None:
    with pytest.raises(NotFound, match="no matter 'case 99' in Springfield"):
        record.matter("case 99")
    assert record.steps("case 99") == []


@pytest.mark.parametrize(
    ("filters", "matters"),
    [
        ({}, ["ordinance 2024-5", "case 7"]),
        ({"words": "PLOWING"}, ["ordinance 2024-5"]),
        # The signs of LIKE are letters like others.
        ({"words": "100%"}, ["ordinance 2024-5"]),
        ({"words": "%"}, ["ordinance 2024-5"]),
        ({"words": "_ase"}, []),
        ({"words": "\\"}, []),
        ({"kind": "case"}, ["case 7"]),
        ({"state": "failed"}, ["ordinance 2024-5"]),
        ({"kind": "case", "state": "failed"}, []),
    ],
    ids=str,
)
def test_matters_are_filtered_and_counted_alike(
    record: SiteRecord, filters: dict[str, str], matters: list[str]
) -> None:
    assert [each.matter for each in record.matters(**filters)] == matters
    assert record.count_matters(**filters) == len(matters)


def test_matters_are_listed_by_the_year_they_were_last_on(record: SiteRecord) -> None:
    assert [each.matter for each in record.matters_of_year("2024")] == [
        "ordinance 2024-5",
        "case 7",
    ]
    assert record.matters_of_year("2023") == []
    assert record.matters_of_year(None) == []


def test_matters_can_be_filtered_by_what_they_have(record: SiteRecord) -> None:
    assert record.matter_choices()["kind"] == ["case", "ordinance"]
    assert "failed" in record.matter_choices()["state"]


def test_a_member_is_one_person_under_all_spellings(record: SiteRecord) -> None:
    by_person = {each.person: each for each in record.people()}

    lee = by_person["Council/lee"]
    assert (lee.name, lee.aye, lee.no, lee.votes) == ("Ann Lee", 3, 0, 3)
    assert (by_person["Council/wu"].aye, by_person["Council/wu"].no) == (1, 2)
    # Who never voted is a member all the same.
    assert by_person["Planning/fox"].votes == 0
    assert record.people("Council/lee") == [lee]


def test_the_record_of_a_person_counts_attendance_dissent_and_agreement(
    record: SiteRecord,
) -> None:
    wu = record.person("Council/wu")

    assert set(wu.spellings) == {"Wu", "Bo Wu"}
    assert (wu.attendance["present"], wu.attendance["absent"], wu.attendance["late"]) == (2, 1, 1)
    # The result of the second vote is not certain: it counts neither as decided nor as dissent.
    assert (wu.dissents, wu.decided) == (0, 2)
    assert {each.person: (each.votes, each.alike) for each in wu.agreements} == {
        "Council/diaz": (3, 1),
        "Council/lee": (3, 1),
    }
    lee = record.person("Council/lee")
    assert (lee.dissents, lee.decided) == (1, 2), "Lee was for what failed"
    assert lee.terms == [("2024-01-15", "2024-03-15")]


def test_nobody_is_known_by_a_name_that_is_not_there(record: SiteRecord) -> None:
    with pytest.raises(NotFound, match="Nobody is known as 'Council/zed' in Springfield"):
        record.person("Council/zed")
    assert record.person_named("Zed") is None
    assert record.person_named("Bo Wu") == "Council/wu"
    assert record.unplaced() == []
