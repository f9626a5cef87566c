"""A confidence is the measured share of such readings that were right; doubts lower it."""

from __future__ import annotations

import pytest

from clerk.extract import Vote, extract_text
from clerk.extract.findings import EVENT, FACT, FIELDS, Doubts, calibration

PLAIN = """PRESENT: Lund, Moss, Nye
Motion by Lund, seconded by Moss, to pay the bills. The motion carried 3-0.
"""


def only_vote(text: str) -> Vote:
    (vote,) = extract_text([text], is_minutes=True).votes
    return vote


@pytest.mark.parametrize("field", [*FIELDS, EVENT])
def test_more_doubts_never_raise_a_confidence(field: str) -> None:
    shares = calibration().right[field]

    assert shares == sorted(shares, reverse=True)
    assert 0 < shares[-1] <= shares[0] < 1


def test_the_table_says_how_it_was_made() -> None:
    made = calibration().made

    assert made["by"] == "tools/calibrate_votes.py"
    assert int(made["events"]) > 200 and int(made["places"]) > 50


def test_a_plain_vote_is_sure_and_has_a_confidence_for_every_field_with_a_value() -> None:
    vote = only_vote(PLAIN)

    assert vote.confidence >= 0.95
    assert vote.doubts == vote.doubtful == []
    assert set(vote.field_confidence) == {"mover", "seconder", "result", "tally", "motion"}


@pytest.mark.parametrize(
    ("text", "doubt"),
    [
        (PLAIN.replace("Motion by Lund", "Motion by Zabel"), "not_attending"),
        (
            PLAIN.replace("The motion carried 3-0.", "AYES: Lund, Moss\nNOES: None"),
            "result_implied",
        ),
        (
            PLAIN.replace("Motion by Lund, seconded by Moss, to pay", "A motion was made to pay"),
            "no_mover_named",
        ),
        (PLAIN.replace("3-0.", "3-0. Orr spoke. Those opposed were heard."), "unread_vote_words"),
        (PLAIN.replace("3-0.", "2-0; Nye left the room."), "unread_name"),
        (PLAIN.replace("pay the bills.", "pay the bills of Xyz corp. of Elm."), "cut_words"),
    ],
)
def test_a_reason_for_doubt_is_named_and_lowers_the_confidence(text: str, doubt: str) -> None:
    vote = only_vote(text)

    assert doubt in vote.doubts
    assert vote.confidence < only_vote(PLAIN).confidence


@pytest.mark.parametrize(
    ("votes", "field"),
    [
        ("AYES: Lund, Moss \u2022 Nye\nNOES: None", "names"),
        ("AYES: Lund, Moss, Nye\nNOES: None\nThe motion carried 2-0.", "tally"),
        ("The motion carried unanimously.\nAyes: 2 Nays: 1", "tally"),
        ("The motion carried unanimously. Ayes: Lund, Moss. Nays: Nye.", "names"),
        ("The motion carried 3-0.\nRESULT: FAILED", "result"),
        ("AYES: Lund, Moss, Nye\nNOES: None\nRECUSED: Nye\nThe motion carried 3-0.", "names"),
        ("The motion failed 1-2.\nRESULT: PASSED", "result"),
    ],
)
def test_what_is_incomplete_or_contradicted_is_no_fact(votes: str, field: str) -> None:
    vote = only_vote(PLAIN.replace("The motion carried 3-0.", votes))

    assert field in vote.doubtful
    assert vote.field_confidence[field] <= 0.5 >= vote.confidence


def test_the_same_reason_counts_once_for_the_event() -> None:
    doubts = Doubts({"mover": ("name_typo",), "seconder": ("name_typo",)})

    assert doubts.level(EVENT) == doubts.level("mover") == 1
    assert FACT < doubts.confidence("mover") < 1
