"""Words and numbers of a vote are told apart from others."""

from __future__ import annotations

import pytest

from clerk.extract.ballots import ballot_kind, tally_in
from clerk.extract.model import ABSENT, ABSTAIN, AYES, FOURTH, NOES, RECUSED, THIRD


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        *((word, AYES) for word in ("aye", "ayes", "yeas", "yes", "favor", "for", "y", "in favor")),
        *((word, NOES) for word in ("nay", "noes", "no", "n", "against", "opposed", "none")),
        *((word, ABSTAIN) for word in ("abstain", "abstained", "abstentions", "not voting")),
        *((word, ABSENT) for word in ("absent", "excused", "not present")),
        *((word, RECUSED) for word in ("recused", "disq.", "conflict")),
    ],
)
def test_a_word_belongs_to_a_list(word: str, kind: str) -> None:
    assert ballot_kind(word) == kind


@pytest.mark.parametrize(
    ("text", "tally"),
    [
        ("carried 5-0", {AYES: 5, NOES: 0}),
        ("carried 5 - 0 - 1", {AYES: 5, NOES: 0, THIRD: 1}),
        ("carried, 5-0-0-2, by", {AYES: 5, NOES: 0, THIRD: 0, FOURTH: 2}),
        ("passed [14 to 1]", {AYES: 14, NOES: 1}),
        ("by 7 votes to 3", {AYES: 7, NOES: 3}),
        ("by three to one", {AYES: 3, NOES: 1}),
        ("by four (4) to none", {AYES: 4, NOES: 0}),
        ("resolution 20-14 passed", {}),
        ("items 3-4 passed", {}),
        ("at 5:30 p.m.", {}),
        ("on 5/4/2031", {}),
        ("a 5-10% raise", {}),
    ],
)
def test_a_tally_is_no_date_and_no_number_of_a_law(text: str, tally: dict[str, int]) -> None:
    assert tally_in(text, 0, len(text)) == tally
