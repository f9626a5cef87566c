"""Days that are written in words, as on formal headings and certificates."""

from __future__ import annotations

import pytest

from clerk.identify.dates import printed_dates


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("HELD THE FIRST DAY OF DECEMBER IN THE YEAR TWO THOUSAND AND FIVE", "2005-12-01"),
        ("this twenty-first day of June, two thousand twenty-four", "2024-06-21"),
        ("on the fourth day of March, nineteen hundred and ninety-nine", "1999-03-04"),
        ("PASSED this ninth day of May, 2011", "2011-05-09"),
        ("the thirty-first day of February, two thousand and one", None),
        ("the first day of the year two thousand", None),
    ],
)
def test_a_day_in_words_is_a_date(text: str, day: str | None):
    assert [each.day.isoformat() for each in printed_dates(text)] == ([day] if day else [])
