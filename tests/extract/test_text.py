"""Phrases are found where a plain search would find them; normalising moves no character."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis_sizes import examples

from clerk.extract.text import Phrase, indent_start, normalise

_VOTES = Phrase("no none so_ordered \u00e9tait", r"no\b|none\b|so\s+ordered|\u00e9tait")
_PLAIN = re.compile(r"\b(?:no\b|none\b|so\s+ordered|\u00e9tait)")
_words = st.sampled_from(
    ["no", "none", "nones", "so", "ordered", "\u00e9tait", "N", "\u00e9no", "5no"]
)
_gaps = st.sampled_from([" ", "\n", ", ", "-", "/", "  "])


@given(st.lists(st.tuples(_words, _gaps)))
def test_a_phrase_is_found_wherever_its_pattern_begins_a_word(parts: list[tuple[str, str]]) -> None:
    text = "".join(word + gap for word, gap in parts)

    found = [match.span() for match in _VOTES.find(text)]

    assert found == [match.span() for match in _PLAIN.finditer(text)]


def test_a_phrase_may_be_the_whole_text() -> None:
    assert [match.span() for match in _VOTES.find("none")] == [(0, 4)]


def test_a_phrase_made_later_is_found_in_a_text_already_read() -> None:
    text = "so ordered, unheard of"
    assert len(list(_VOTES.find(text))) == 1

    assert [match.start() for match in Phrase("unheard", "unheard").find(text)] == [12]


def test_phrases_in_capitals_and_in_small_letters_are_kept_apart() -> None:
    assert not list(Phrase("No", "No").find("no"))
    assert [match.start() for match in Phrase("No", "No").find("no No")] == [3]


def test_a_line_is_indented_by_spaces_alone() -> None:
    assert indent_start("Present\n   AYES", 11, 60) == 8
    assert indent_start("Present\n - AYES", 11, 60) is None
    assert indent_start("AYES", 0, 60) == 0
    assert indent_start("    AYES", 4, 3) is None


ANY_TEXT = st.text(st.sampled_from(" \n\fa-bP1.\u2019\u0130") | st.characters(), max_size=300)


@given(st.lists(ANY_TEXT, min_size=1, max_size=4))
@settings(max_examples=examples(300), deadline=None)
def test_normalising_moves_no_character(pages: list[str]) -> None:
    document = normalise(pages)

    assert len(document.text) == len(document.lower) == len(document.original)
    assert document.original == "\f".join(pages)


@pytest.mark.parametrize(
    ("printed", "normal"),
    [
        ("\u201cAye\u201d \u2013 O\u2019Hara", '"Aye" - O\'Hara'),
        ("the council-\nmember said", "the councilmember\n said"),
        ("Smith-\nJones", "Smith-Jones\n"),
        ("moved to\n\napprove", "moved to \napprove"),
        ("--- PAGE 3 ---\nAyes", "              \nAyes"),
        ("Page 3 of 9\nAyes", "           \nAyes"),
        ("Town Minutes\nA\fTown Minutes\nB\fTown Minutes\nC", "\nA\n\nB\n\nC"),
    ],
)
def test_a_text_is_normalised_line_by_line(printed: str, normal: str) -> None:
    text = normalise(printed.split("\f")).text

    assert [line.rstrip() for line in text.split("\n")] == [
        line.rstrip() for line in normal.split("\n")
    ]
