"""What the page of a meeting is told: votes, outcomes, people, matters and amounts, each once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from small_sites import SITE, appearance, compile_folder, presence, vote, write_found, write_text

from clerk.site_db.meeting import (
    MeetingRecord,
    decided_matters,
    meeting_record,
    merge_items,
    votes_of_documents,
)
from clerk.site_db.queries import open_site
from clerk.site_db.record import MatterStep, RecordedItem, SiteRecord

MINUTES, AGENDA = "minutes/Council/2024-01-15", "agendas/Council/2024-01-15"
LETTER = "minutes/2019/scan-7"


def said(**fields: Any) -> dict[str, Any]:
    """Something on the first page, as extraction describes it."""
    return {"page": 1, "start": 0, "end": 3, "quote": "as printed"} | fields


@pytest.fixture(scope="module")
def storage(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A meeting with an agenda and minutes, and a scan that says nothing of its body."""
    storage = tmp_path_factory.mktemp("sites")
    folder = storage / "springfield"
    pages = ["The council met, and voted on the plow for $5,000 twice."]
    found: dict[str, tuple[list[Any], dict[str, Any]]] = {
        MINUTES: (
            [
                vote(1, motion="buy the plow", quote="moved to buy the plow", item="2", start=1),
                vote(1, motion="sell it", quote="moved to sell the old one", item="2", start=2),
                vote(1, motion="repair it", quote="to repair it", result="failed", start=3),
                vote(1, motion="wait", quote="to wait a month", doubtful=["result"], start=4),
                vote(1, motion="rise", quote="to rise", item="9", doubtful=["item"], start=5),
                vote(1, motion="ask", quote="to ask the county", result=None, start=6),
            ],
            {
                "items": [
                    said(number="1", title="Minutes", start=10),
                    said(number="2", title="The plow", start=20),
                    said(number="3", title="Reports", start=30),
                    said(number="3", title="Reports of boards", start=40),
                ],
                "attendance": [
                    presence("Ann Lee"),
                    presence("Bo Wu", late=True),
                    presence("Cy Diaz", status="absent"),
                ],
                "speakers": [
                    said(name="Pat Poe", side="against", item="2"),
                    said(name="PAT POE", side="against", item="2", start=50),
                    said(name="Jo Day", side=None, item="3", item_title="Reports of boards"),
                    said(name="Flo Gray", side=None, item="77"),
                ],
                "declarations": [
                    said(name="Wu", kind="recusal", about="the plow"),
                    said(name="Wu", kind="recusal", about="the plow", start=60),
                ],
                "matters": [
                    appearance("ordinance 2024-5", action="introduced"),
                    appearance("case 7", action="mentioned", votes=[]),
                ],
            },
        ),
        AGENDA: (
            [],
            {
                "items": [
                    said(number="1.", title="MINUTES"),
                    said(number="2.", title="The Plow", start=5),
                    said(number="4.", title="Adjournment", start=9),
                ],
                "attendance": [presence("Ann Lee")],
                "matters": [
                    appearance("ordinance 2024-5", action="mentioned", votes=[]),
                    appearance("case 7", action="mentioned", votes=[]),
                ],
            },
        ),
        LETTER: ([vote(1, motion="pave the road", start=2), vote(1, motion="rise", start=8)], {}),
    }
    for name, (votes, lists) in found.items():
        write_found(folder, write_text(folder, name, pages), pages, votes, **lists)
    unknown = {"body": None, "date": None, "title": "Scan 7"}
    compile_folder(folder, SITE, facts={LETTER: unknown}, into_index=False)
    return storage


@pytest.fixture(scope="module")
def meeting(storage: Path) -> MeetingRecord:
    with open_site(storage, "springfield") as site:
        return meeting_record(site, "Council", "2024-01-15", [MINUTES])


def test_the_items_are_those_of_the_first_document_and_what_only_the_other_has(
    meeting: MeetingRecord,
) -> None:
    assert [(each.number, each.title, len(each.places)) for each in meeting.items] == [
        ("1", "Minutes", 2),
        ("2", "The plow", 2),
        ("3", "Reports", 1),
        ("3", "Reports of boards", 1),
        ("4.", "Adjournment", 1),
    ]


def test_votes_are_under_their_item_unless_that_is_not_certain(meeting: MeetingRecord) -> None:
    under = {each.title: [vote.motion for vote in each.votes] for each in meeting.items}

    assert under["The plow"] == ["buy the plow", "sell it"]
    assert [each for title, each in under.items() if title != "The plow"] == [[], [], [], []]
    assert [each.motion for each in meeting.votes] == ["repair it", "wait", "rise", "ask"]
    assert meeting.vote_count == 6


def test_outcomes_count_all_votes_and_what_is_not_certain_as_unknown(
    meeting: MeetingRecord,
) -> None:
    assert meeting.outcomes == {"passed": 3, "failed": 1, "unknown": 2}
    assert list(meeting.outcomes)[-1] == "unknown"


def test_of_several_items_with_a_number_the_title_decides(meeting: MeetingRecord) -> None:
    speakers = {each.title: [who.printed_name for who in each.speakers] for each in meeting.items}

    assert speakers["Reports"] == []
    assert speakers["Reports of boards"] == ["Jo Day"]
    assert speakers["The plow"] == ["Pat Poe"], "printed twice, in other letters"
    assert [each.printed_name for each in meeting.speakers] == ["Flo Gray"], "no such item"


def test_everybody_is_listed_once_as_the_minutes_say(meeting: MeetingRecord) -> None:
    there = {each.printed_name: each for each in meeting.attendance}

    assert set(there) == {"Ann Lee", "Bo Wu", "Cy Diaz"}
    assert there["Bo Wu"].late
    assert there["Cy Diaz"].status == "absent"
    assert [(each.kind, each.concerning) for each in meeting.interests] == [("recusal", "the plow")]


def test_a_matter_that_was_decided_is_not_listed_as_mentioned_too(meeting: MeetingRecord) -> None:
    listed = [(each.matter, each.action) for each in meeting.matters]

    assert sorted(action for _, action in listed) == ["introduced", "mentioned"]
    assert len({matter for matter, _ in listed}) == 2


def test_amounts_are_counted_over_the_documents_and_laws_kept_apart(
    meeting: MeetingRecord,
) -> None:
    assert [(each.text, each.times) for each in meeting.amounts] == [("$5", 2)]
    assert list(meeting.laws) == []


def test_another_day_has_nothing_of_this_one(storage: Path) -> None:
    with open_site(storage, "springfield") as site:
        empty = meeting_record(site, "Council", "2024-01-16", [])

    assert (empty.items, empty.vote_count, empty.outcomes) == ([], 0, {})
    assert (list(empty.attendance), list(empty.amounts)) == ([], [])


def test_of_documents_whose_body_is_unknown_only_the_votes_are_told(storage: Path) -> None:
    with open_site(storage, "springfield") as site:
        record = votes_of_documents(site, [LETTER, "minutes/nowhere"])

    assert [each.motion for each in record.votes] == ["pave the road", "rise"]
    assert record.vote_count == 2
    assert record.outcomes == {"passed": 2}
    assert (len(record.items), len(record.attendance), len(record.amounts)) == (0, 0, 0)


# ------------------------------------------------------------------------------- what is the same


def repeated(
    folder: Path, first: list[str], other: list[str], result: str = "passed"
) -> list[bool]:
    """Say which votes of another document, by their quotes, repeat one of the minutes."""
    again = f"{MINUTES}-2"
    pages = ["The council met, and voted."]
    for name, quotes, outcome in ((MINUTES, first, "passed"), (again, other, result)):
        votes = [vote(1, motion="it", quote=quote, result=outcome) for quote in quotes]
        write_found(folder, write_text(folder, name, pages), pages, votes)
    compile_folder(folder, SITE)
    with open_site(folder.parent, folder.name) as site:
        return [each.repeats is not None for each in site.votes(document=again)]


def test_a_vote_that_is_printed_elsewhere_with_small_changes_is_the_same(tmp_path: Path) -> None:
    first = ["moved to buy the plow", "moved to sell the old one"]
    other = ["MOVED TO SELL THE OLD ONE.", "MOVED TO BUY THE PLOW."]

    assert repeated(tmp_path / "springfield", first, other) == [True, True]


@pytest.mark.parametrize(
    ("quote", "result"),
    [("moved to hire two clerks for the summer", "passed"), ("moved to buy the plow", "failed")],
)
def test_a_vote_with_another_result_or_other_words_is_another(
    tmp_path: Path, quote: str, result: str
) -> None:
    plow = ["moved to buy the plow"]

    assert repeated(tmp_path / "springfield", plow, [quote], result) == [False]


def test_two_equal_votes_of_one_document_are_two(tmp_path: Path) -> None:
    once, twice = ["moved to adjourn"], ["moved to adjourn", "moved to adjourn"]

    assert repeated(tmp_path / "one", once, twice) == [True, False]
    assert repeated(tmp_path / "two", twice, twice) == [True, True], "each repeats one of them"


def item(number: str, title: str, document: str) -> RecordedItem:
    place = {"id": f"{document}-{number}-{title}", "document": document, "document_id": "d"}
    where = {"meeting": "Council", "date": "2024-01-15", "page": 1, "page_id": "d-1"}
    return RecordedItem(**place, **where, quote=title, item=number, item_title=title)


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        (("5", "Rezoning of Lot 7"), ("5.", "REZONING OF LOT 7"), True),
        (("5", "Rezoning of Lot 7"), ("5", "Rezoning of Lot 7 (continued)"), True),
        (("5", "Rezoning of Lot 7"), ("6", "Rezoning of Lot 7"), False),
        (("5", "Rezoning of Lot 7"), ("5", "Library hours"), False),
        (("", "Adjournment"), ("", "Adjournment"), True),
        (("", "Adjournment"), ("", "Adjournment of the hearing"), False),
    ],
)
def test_items_of_two_documents_are_the_same_by_number_and_title(
    one: tuple[str, str], other: tuple[str, str], is_same: bool
) -> None:
    merged = merge_items([item(*one, AGENDA), item(*other, MINUTES)])

    assert (len(merged) == 1) == is_same


def test_numbers_that_a_document_uses_twice_stay_two_items() -> None:
    listed = [item("1", "Roads", AGENDA), item("1", "Roads and bridges", AGENDA)]

    assert [each.title for each in merge_items(listed)] == ["Roads", "Roads and bridges"]


def test_a_matter_that_is_only_mentioned_stays(storage: Path) -> None:
    with open_site(storage, "springfield") as site:
        steps = SiteRecord(site).find(MatterStep)
    mentioned = [each for each in steps if each.action == "mentioned"]

    assert decided_matters(mentioned) == mentioned
    assert len(decided_matters(steps)) == len(steps) - 1
