"""What shows that a text is the record of a meeting, and what becomes of votes without it."""

from __future__ import annotations

import pytest

from clerk.extract import extract_text

OPENED = "TOWN COUNCIL MINUTES\nThe meeting was called to order at 7 p.m.\n\n"
VOTE = "Smith moved to buy the truck, seconded by Jones. Motion carried 5-0.\n"
MEMORANDUM = (
    "MEMORANDUM\nTO: The Council\nFROM: The Manager\nRE: Trucks\n\n"
    "Brown made a motion to reject all bids. Green seconded. Motion carried, White opposed.\n"
)


def movers(*pages: str) -> list[str | None]:
    return [vote.mover for vote in extract_text(pages).votes]


def test_without_a_sign_of_a_meeting_nothing_is_a_fact() -> None:
    (told,) = extract_text([VOTE]).votes
    (recorded,) = extract_text([OPENED + VOTE]).votes

    assert set(told.doubtful) == set(told.field_confidence)
    assert "no_meeting" in told.doubts
    assert recorded.doubtful == []


@pytest.mark.parametrize(
    "sign",
    [
        "The Mayor called the meeting to order.",
        "Present: Ann Smith, Bob Jones, Cal Lee.",
        "A quorum was present.",
        "The minutes of the last meeting were read. Jones moved to approve the minutes.",
        "The meeting adjourned at 8:15 p.m.",
        "Proceedings of the Board of Supervisors",
    ],
)
def test_one_sign_of_a_meeting_is_enough(sign: str) -> None:
    assert "no_meeting" not in extract_text([f"{sign}\n\n{VOTE}"]).votes[-1].doubts


@pytest.mark.parametrize(
    "sentence",
    [
        "I was there: ",
        "On May 3, 2011 the voters met. ",
        "At its June meeting ",
        "Two years ago ",
    ],
)
def test_without_a_meeting_what_is_told_in_passing_is_no_vote(sentence: str) -> None:
    assert movers(f"The truck is old. {sentence}{VOTE}") == []


def test_a_paper_between_the_minutes_adds_nothing() -> None:
    assert movers(OPENED + VOTE, MEMORANDUM, VOTE) == ["Smith", "Smith"]


def test_minutes_below_a_memorandum_are_read() -> None:
    assert movers(MEMORANDUM + "\n" + OPENED + VOTE) == ["Smith"]


def test_a_report_is_none_to_its_last_page() -> None:
    assert movers("STAFF REPORT\nTrucks\n", VOTE, VOTE) == []


def test_a_release_of_a_city_is_none() -> None:
    assert movers("CITY OF ASHBY NEWS RELEASE\nTrucks\n" + VOTE) == []


def test_an_item_at_the_top_of_a_page_is_no_report() -> None:
    assert movers(OPENED + VOTE, "5. STAFF REPORTS\n" + VOTE) == ["Smith", "Smith"]


def test_an_agenda_that_was_filled_in_is_read_from_the_call_to_order() -> None:
    agenda = "REGULAR MEETING AGENDA\n1. Roll call\n"

    assert movers(agenda + VOTE) == []
    assert movers(agenda + "Mayor Smith called the meeting to order at 7:00.\n" + VOTE) == ["Smith"]


@pytest.mark.parametrize(
    "told",
    [
        "It came up. Becker moved to deny. Ross seconded. Becker voted aye, Dunn nay. Carried.",
        "So it came up.  Moved by Becker, seconded by Ross. AYES: Becker, Ross. Carried.",
        "Motion by Becker, second Ross. Ayes: Becker, Ross. Nays: Dunn.",
    ],
)
def test_without_a_meeting_nobody_is_listed_unless_the_record_is_formal(told: str) -> None:
    (vote,) = extract_text([told]).votes

    assert (vote.ayes, vote.noes, vote.flags) == ([], [], ["names_withheld"])


def test_a_formal_record_without_a_meeting_lists_who_voted_and_is_in_doubt() -> None:
    formal = "Moved by Becker, seconded by Ross, to adjourn.\nAYES: Becker, Ross\nMotion carried.\n"
    (vote,) = extract_text([formal]).votes

    assert vote.ayes == ["Becker", "Ross"]
    assert "names" in vote.doubtful


def test_a_page_that_is_known_to_be_minutes_needs_no_sign() -> None:
    (vote,) = extract_text([VOTE], is_minutes=True).votes

    assert vote.doubtful == []


def test_what_somebody_recalls_at_a_meeting_is_no_vote_of_it() -> None:
    recalled = (
        "The attorney recalled that in 2004 Mr. Sisk moved to deny it and Mr. Moe seconded.\n\n"
    )

    assert movers(OPENED + recalled + VOTE) == ["Smith"]


@pytest.mark.parametrize(
    "said",
    [
        "Agenda",
        "Notice of the meeting was posted.",
        "The Manager said that the grand jury reviewed the jail.",
        "Q. How much is the fee?\nA. The fee is ten dollars.",
    ],
)
def test_below_the_beginning_of_a_meeting_nothing_is_a_title(said: str) -> None:
    council = "ASHBY TOWN COUNCIL\nSmith called the meeting to order at 7:00 p.m.\n"

    assert movers(f"{council}{said}\n\n{VOTE}", VOTE) == ["Smith", "Smith"]


@pytest.mark.parametrize(
    "said",
    [
        "The Clerk sends a press release about the water main.",
        "Petition to rezone 12 Mill Road\nFrom: R-1\nTo: B-2",
        "Budget transfer\nFrom: 01-410 Police  $5,000\nTo: 01-420 Fire  $5,000",
    ],
)
def test_a_page_of_minutes_may_begin_with_what_was_moved(said: str) -> None:
    assert movers(OPENED + VOTE, f"{said}\n\n{VOTE}") == ["Smith", "Smith"]


def test_at_a_meeting_of_all_voters_strangers_move() -> None:
    heading = "ANNUAL TOWN MEETING MINUTES\nSelectmen present: Ann Hale, Bob Brandt, Cal Orr.\n\n"
    articles = [
        "Article 2. Moved by Bob Brandt, seconded by Cal Orr, to raise $500. Passed.\n",
        "Article 3. Mrs. Lund explained it. Moved by Jim Fry, seconded by Ned Poe, to raise $9. "
        "Passed.\n",
    ]

    assert movers(heading + "\n".join(articles)) == ["Brandt", "Fry"]
