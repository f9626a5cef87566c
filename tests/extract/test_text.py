"""Phrases are found where a plain search would find them, however many are looked for at once."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from clerk.extract.text import Phrase, indent_start

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
