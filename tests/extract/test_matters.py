"""Matters are followed by number, however it is written, and by title if it names one."""

from __future__ import annotations

import pytest

from clerk.extract import Appearance, extract_text
from clerk.extract.cues import document_text
from clerk.extract.items import Items
from clerk.extract.matters import (
    find_matters,
    key_with_century,
    key_without_century,
    matter_number,
    topic_key,
)
from clerk.extract.votes import find_votes


@pytest.mark.parametrize(
    ("printed", "year", "number"),
    [
        ("2024-005", None, "2024-5"),
        ("5", "2024", "2024-5"),
        ("5-2024", None, "2024-5"),
        ("102-2015", None, "2015-102"),
        ("R-2020-026", None, "R-2020-26"),
        ("pz 22-014", None, "PZ-22-14"),
        ("24-0123", None, "24-123"),
    ],
)
def test_a_number_has_one_form(printed: str, year: str | None, number: str) -> None:
    assert matter_number(printed, year) == number


@pytest.mark.parametrize(
    "title",
    [
        "Approval of Minutes",
        "Consent Agenda",
        "Treasurer's Report and Payment of Bills",
        "Old Business",
        "Approval of the minutes of the regular meeting of May 4, 2024",
        "Election of Chair and Vice Chair",
        "Approval of Warrant No. 23-02 in the amount of $418,306.72",
    ],
)
def test_what_every_meeting_has_is_no_matter(title: str) -> None:
    assert topic_key(title) is None


def test_a_topic_is_the_same_at_every_reading() -> None:
    first = topic_key("First Reading of an Oak Street Bridge Replacement Plan")

    assert first == topic_key("Public Hearing on the Oak Street Bridge Replacement Plan")
    assert first is not None


def matters(text: str) -> list[Appearance]:
    return extract_text([text]).matters


@pytest.mark.parametrize(
    "sentence",
    [
        "A neighbour handed over a petition with 147 signatures.",
        "The bylaw allows 750 square feet.",
        "The Council tabled the resolution until July 10, 2023.",
        "THE BOARD CONTINUED THE CASE TO JUNE 5.",
    ],
)
def test_words_before_a_number_are_not_part_of_it(sentence: str) -> None:
    assert matters(sentence) == []


@pytest.mark.parametrize(
    ("sentence", "key"),
    [
        ("The Board heard Case PZ 22-014.", "case PZ-22-14"),
        ("The Council discussed Resolution R-2020-026.", "resolution R-2020-26"),
        ("The Council discussed Ordinance No. O 24-5.", "ordinance O-24-5"),
    ],
)
def test_letters_of_a_number_are_part_of_it(sentence: str, key: str) -> None:
    assert [each.key for each in matters(sentence)] == [key]


def test_a_vote_says_what_became_of_an_ordinance() -> None:
    text = (
        "5. Ordinance No. 2024-05, An Ordinance amending the zoning map at 12 Elm Street.\n"
        "Motion by Smith, seconded by Jones, to adopt Ordinance 2024-05 at a cost of $1,200."
        " Motion carried 5-0.\n"
    )

    (matter,) = matters(text)

    assert (matter.kind, matter.key, matter.action) == ("ordinance", "ordinance 2024-5", "passed")
    assert matter.title == "An Ordinance amending the zoning map at 12 Elm Street"
    assert (matter.votes, matter.amounts, matter.addresses) == (
        [0],
        ["1200 USD"],
        ["12 Elm Street"],
    )


@pytest.mark.parametrize(
    ("sentence", "action"),
    [
        ("to continue Case No. PZ-22-014 to October 4, 2024. Motion carried.", "continued"),
        ("to approve Case No. PZ-22-014. Motion failed 2-3.", "failed"),
        ("to deny Case No. PZ-22-014. Motion carried.", "failed"),
        ("to introduce Ordinance No. 7 on first reading. Motion carried.", "introduced"),
        ("to refer Resolution No. 12 to the committee. Motion carried.", "referred"),
    ],
)
def test_what_was_done_comes_from_the_motion_and_its_result(sentence: str, action: str) -> None:
    (matter,) = matters(f"Motion by Smith, seconded by Jones, {sentence}\n")

    assert matter.action == action
    if action == "continued":
        assert matter.continued_to == "2024-10-04"


@pytest.mark.parametrize(
    "below",
    [
        "Lind moved to adjourn at 9 p.m. Okafor seconded. Carried 4-0.",
        "Lind moved to spend $900 on a sign. Okafor seconded. Carried 4-0.",
    ],
)
def test_a_later_vote_does_not_decide_what_died(below: str) -> None:
    text = (
        "7. SURPLUS VEHICLES\nLind moved to adopt Resolution 2023-18. There was no second and the"
        f" motion died.\n{below}\n"
    )

    (found,) = matters(text)

    assert (found.key, found.action) == ("resolution 2023-18", "mentioned")


def test_a_consent_agenda_decides_the_ordinances_on_it() -> None:
    text = (
        "2. CONSENT AGENDA\n2.1 ORDINANCE NO. 2605 - FINAL READING\n2.2 RESOLUTION NO. 77-24\n"
        "Motion by Smith, seconded by Jones, to approve the Consent Agenda. Motion carried 5-0.\n"
    )

    assert {each.key: (each.action, each.votes) for each in matters(text)} == {
        "ordinance 2605": ("passed", [0]),
        "resolution 77-24": ("passed", [0]),
    }


def test_a_doubtful_result_makes_the_action_doubtful() -> None:
    text = "Motion by Smith, seconded by Jones, to adopt Ordinance 2024-05. Motion carried 5-0.\n"
    doc = document_text(["The meeting was called to order at 7 p.m.\n\n" + text])
    votes = find_votes(doc, Items(doc))
    (certain,) = find_matters(doc, votes, [], Items(doc))
    votes[0].doubtful = ["result"]
    (doubted,) = find_matters(doc, votes, [], Items(doc))

    assert (certain.action, certain.doubtful) == ("passed", [])
    assert (doubted.action, doubted.doubtful) == ("passed", ["action"])


@pytest.mark.parametrize(
    ("key", "date", "whole"),
    [
        ("ordinance 24-5", "2024-05-13", "ordinance 2024-5"),
        ("ordinance 24-5", "2025-01-13", "ordinance 2024-5"),
        ("ordinance 24-5", "2031-01-13", "ordinance 24-5"),
        ("ordinance 24-5", None, "ordinance 24-5"),
        ("resolution R-5-12", "2005-05-13", "resolution R-2005-12"),
    ],
)
def test_a_year_of_two_digits_may_be_one_of_four(key: str, date: str | None, whole: str) -> None:
    assert key_with_century(key, date) == whole
    if whole != key:
        assert key_without_century(whole) == key
