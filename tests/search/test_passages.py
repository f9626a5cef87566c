"""A passage is found by its words, however its lines are broken."""

from __future__ import annotations

import pytest

from clerk.read.files import PageWords
from clerk.search.passages import lines_of, passage_boxes, passage_in_text

TEXT = "The motion failed.\nOn a motion by Ms. Lindqvist the zoning vari-\nance was granted, 4-1."


def test_a_passage_is_found_over_the_end_of_a_line_and_a_divided_word() -> None:
    found = passage_in_text(TEXT, "the ZONING variance was")
    assert found is not None and TEXT[slice(*found)] == "the zoning vari-\nance was"


def test_a_long_passage_is_named_by_its_beginning_and_end() -> None:
    found = passage_in_text(TEXT, "On a motion \u2026 granted, 4-1")
    assert found is not None and TEXT[slice(*found)] == TEXT[TEXT.index("On a") : -1]


@pytest.mark.parametrize(
    "passage",
    ["", "\u2026", "... !", "otion", "motion by Mr.", "On a motion \u2026 denied"],
)
def test_what_is_not_on_the_page_is_not_found(passage: str) -> None:
    assert passage_in_text(TEXT, passage) is None


def test_a_passage_has_a_box_on_each_line_of_the_scan() -> None:
    boxes = [(0, 0), (100, 0), (0, 50), (100, 50), (200, 50)]
    edges = [edge for left, top in boxes for edge in (left, top, left + 90, top + 20)]
    page = PageWords(1, 612, 792, ["one", "two", "three", "four", "five"], edges)

    assert [[word for word, _ in line] for line in lines_of(page)] == [
        ["one", "two"],
        ["three", "four", "five"],
    ]
    assert passage_boxes(page, "two three four") == [(100, 0, 190, 20), (0, 50, 190, 70)]
    assert passage_boxes(page, "six") == []
