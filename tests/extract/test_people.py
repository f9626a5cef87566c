"""One person per body, however the name is written; who cannot be placed stays as printed."""

from __future__ import annotations

from datetime import date

from clerk.extract import extract_text
from clerk.extract.people import KnownPerson, MeetingRecord, People, name_form, resolve_people


def meeting(day: date, text: str, body: str = "Council") -> MeetingRecord:
    found = extract_text([text])
    return MeetingRecord(day.isoformat(), body, day, found.attendance, found.votes)


FIRST = meeting(
    date(2023, 1, 9),
    "PRESENT: Mayor Ann Hobbs, Jo Tandy, Pat Webb\nABSENT: Kim Royce\n\n"
    "Motion by Tandy, seconded by Webb, to pay the bills. Motion carried by the following vote:\n"
    "AYES: Hobbs, Tandy\nNAYS: Webb\n",
)
SECOND = meeting(
    date(2023, 2, 13),
    "PRESENT: A. Hobbs, J. Tandy, P. Webb, K. Royce (arrived at 7:10)\n\n"
    "Motion by Royce, seconded by Tandy, to adjourn. Motion carried by the following vote:\n"
    "AYES: Hobbs, Tandy, Royce, Webb\nNAYS: None\n",
)


def person(found: People, surname: str) -> KnownPerson:
    return next(each for each in found.people if name_form(each.name).surname == surname)


def test_spellings_are_one_person_with_attendance_and_votes() -> None:
    found = resolve_people([SECOND, FIRST])

    assert sorted(each.name for each in found.people) == [
        *("Ann Hobbs", "Jo Tandy", "Kim Royce", "Pat Webb"),
    ]
    webb, royce = person(found, "webb"), person(found, "royce")
    assert {"Pat Webb", "P. Webb", "Webb"} <= set(webb.spellings)
    assert (webb.meetings["present"], webb.votes["ayes"], webb.votes["noes"]) == (2, 1, 1)
    assert webb.dissents == 1
    assert (royce.meetings["absent"], royce.meetings["present"], royce.meetings["late"]) == (
        1,
        1,
        1,
    )


def test_agreement_counts_the_questions_on_which_both_voted() -> None:
    found = resolve_people([FIRST, SECOND])

    pairs = {(each.one, each.other): (each.votes, each.alike) for each in found.agreements}
    assert pairs["Council/hobbs", "Council/tandy"] == (2, 2)
    assert pairs["Council/hobbs", "Council/webb"] == (2, 1)


def test_a_bare_surname_of_two_members_is_nobodys() -> None:
    record = meeting(
        date(2023, 3, 1),
        "PRESENT: John Smith, Lucy Smith, Pat Webb, Jo Tandy\n\n"
        "Motion by Webb, seconded by Tandy, to adjourn. Motion carried by the following vote:\n"
        "AYES: J. Smith, Webb, Tandy\nNAYS: Smith\n",
    )

    found = resolve_people([record])

    placed = {(each.where, each.printed): each.person for each in found.placed}
    assert placed["ayes", "J. Smith"] == "Council/smith-john"
    assert ("noes", "Smith") not in placed


def test_somebody_who_comes_back_after_years_has_two_terms() -> None:
    later = meeting(date(2027, 5, 1), "PRESENT: Ann Hobbs, Lee Nolan, Sam Moss\n")

    found = resolve_people([FIRST, later])

    assert [term.first.year for term in person(found, "hobbs").terms] == [2023, 2027]


def test_the_same_name_on_two_bodies_is_two_people() -> None:
    planning = meeting(date(2023, 1, 20), "PRESENT: Ann Hobbs, Lee Nolan\n", "Planning")

    found = resolve_people([FIRST, planning])

    assert [each.body for each in found.people if each.name == "Ann Hobbs"] == [
        *("Council", "Planning"),
    ]


def test_a_rare_misspelling_is_the_member_who_was_not_met_with_it() -> None:
    slip = meeting(date(2023, 4, 1), "PRESENT: Ann Hobbs, Jo Tandy, Kim Royse\n")
    usual = [
        meeting(date(2023, 4, day), "PRESENT: Ann Hobbs, Jo Tandy, Kim Royce\n")
        for day in range(2, 7)
    ]

    found = resolve_people([slip, *usual])

    assert person(found, "royce").meetings["present"] == 6
    assert "Kim Royse" in person(found, "royce").spellings
