"""What people correct about a vote stands, whatever the rules read."""

from __future__ import annotations

from typing import Any

import pytest

from clerk.extract import Vote, extract_text
from clerk.extract.documents import VoteCorrection, valid_fields

PLOW = (
    "Motion by Moss, seconded by Nye, to buy a plow.\n"
    "AYES: Moss, Nye\nNOES: Ortiz\nMotion carried 2-1.\n"
)
ROADS = "Motion by Nye, seconded by Ortiz, to close a road.\nMotion failed.\n"
TEXT = f"{PLOW}\nThe mayor thanked everybody for the long evening.\n\n{ROADS}"


def corrected(*corrections: VoteCorrection, text: str = TEXT) -> list[Vote]:
    """The votes of a text after corrections."""
    return extract_text([text], votes=True, corrections=list(corrections)).votes


def about(words: str, text: str = TEXT, **fields: Any) -> VoteCorrection:
    """What is right about some words of a text."""
    start = text.index(words)
    return VoteCorrection(start, start + len(words), fields, "ann", "2026-11-18T12:00:00Z")


def test_without_corrections_the_rules_stand() -> None:
    plow, roads = corrected()

    assert (plow.motion, plow.result, plow.ayes) == ("buy a plow", "passed", ["Moss", "Nye"])
    assert (roads.motion, roads.result) == ("close a road", "failed")
    assert plow.corrected_fields == [] and plow.corrected_by is None


def test_a_corrected_field_is_certain_and_says_who_said_so() -> None:
    plow, roads = corrected(about(PLOW, mover="Ann Moss"))

    assert (plow.mover, plow.seconder) == ("Ann Moss", "Nye")
    assert plow.corrected_fields == ["mover"]
    assert (plow.corrected_by, plow.corrected_at) == ("ann", "2026-11-18T12:00:00Z")
    assert roads.corrected_fields == [], "the other vote is as it was read"


def test_the_tally_is_doubtful_when_only_the_names_were_corrected() -> None:
    names, both = (
        corrected(about(PLOW, ayes=["Moss"], noes=["Nye", "Ortiz"], **further))[0]
        for further in ({}, {"tally": {"yes": 1, "no": 2}})
    )

    assert (names.ayes, names.noes) == (["Moss"], ["Nye", "Ortiz"])
    assert "tally" in names.doubtful
    assert "tally" not in both.doubtful
    assert both.tally == {"yes": 1, "no": 2}


def test_no_fields_mean_that_there_was_no_vote() -> None:
    [left] = corrected(about(ROADS))

    assert left.motion == "buy a plow"


def test_a_vote_that_was_not_found_is_added_in_its_place() -> None:
    words = "The mayor thanked everybody for the long evening."

    plow, added, roads = corrected(about(words, motion="thank everybody", result="passed"))

    assert (plow.motion, roads.motion) == ("buy a plow", "close a road")
    assert (added.motion, added.result, added.mover) == ("thank everybody", "passed", None)
    assert TEXT[added.start : added.end] == added.quote == words
    assert added.corrected_by == "ann"


def test_nothing_is_added_where_there_is_no_vote_and_none_was_meant() -> None:
    assert len(corrected(about("The mayor thanked everybody"))) == 2


@pytest.mark.parametrize(
    ("words", "changed"),
    [
        # Most of the vote was marked, or a piece that lies within it.
        (PLOW[:90], True),
        ("seconded by Nye, to buy", True),
        # Only its last words, with much around them.
        ("carried 2-1.\n\nThe mayor thanked everybody for the long evening.", False),
    ],
)
def test_a_correction_belongs_to_the_vote_it_covers(words: str, changed: bool) -> None:
    votes = corrected(about(words, motion="buy two plows"))

    assert (votes[0].motion == "buy two plows") is changed
    assert len(votes) == (2 if changed else 3)


def test_of_two_votes_the_one_with_more_of_the_words_is_meant() -> None:
    start = TEXT.index("carried 2-1")
    words = TEXT[start:]

    assert [each.mover for each in corrected(about(words, mover="Zed"))] == ["Moss", "Zed"]


def test_a_correction_beyond_the_end_of_a_shorter_text_does_no_harm() -> None:
    late = VoteCorrection(len(TEXT) + 10, len(TEXT) + 50, {}, "ann", "2026-11-18T12:00:00Z")

    assert len(corrected(late)) == 2


def test_the_later_correction_of_the_same_field_stands() -> None:
    plow, _ = corrected(about(PLOW, mover="First"), about(PLOW, mover="Second", result="failed"))

    assert (plow.mover, plow.result) == ("Second", "failed")
    assert plow.corrected_fields == ["mover", "result"]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"mover": "Moss"}, {"mover": "Moss"}),
        ({"mover": None}, {"mover": None}),
        ({"mover": 7}, {}),
        ({"ayes": ["A", "B"]}, {"ayes": ["A", "B"]}),
        ({"ayes": "A"}, {}),
        ({"quote": "x", "confidence": 1.0, "nonsense": 1}, {}),
        ({"mover": 7, "seconder": "Nye"}, {"seconder": "Nye"}),
    ],
    ids=str,
)
def test_only_fields_that_fit_are_taken(given: dict[str, Any], kept: dict[str, Any]) -> None:
    assert valid_fields(given) == kept
