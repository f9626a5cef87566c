"""Words as the index knows them."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clerk.search.words import _WORD, fold, folded

#: Letters and signs that pages in several languages have, and those whose form depends on others.
SIGNS = (
    "\u2018\u2019\u201c\u201d\u2013\u2014\u2022\u2026\u00a0\u00ad"
    "\u00a7\u2122\u00bd\ufb01\u00b2\u00aa_-'. \n"
)
LETTERS = (
    "aZ9\u00e9\u00d1\u00fc\u00df\u00f8\u0130\u212a\u03a3"
    "\u0301\u0302\u304b\u3099\uff76\uff9e\u1100\u1161\u4f1a"
)


@given(st.text(st.one_of(st.sampled_from(SIGNS + LETTERS), st.characters())))
def test_a_page_of_any_letters_has_the_words_of_its_normal_form(text: str) -> None:
    words = _WORD.findall(unicodedata.normalize("NFKC", text))

    assert fold(text) == [folded(word) for word in words]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The town\u2019s \u201cNo\u2013Build\u201d list", "the town s no build list"),
        ("Se\u00f1or N\u00fan\u0303ez, 5\u00bd m\u00b2", "senor nunez 51 2 m2"),
        ("o\ufb03ce\u00a0of the Stra\u00dfe", "office of the stra\u00dfe"),
    ],
)
def test_signs_separate_words_and_accents_are_dropped(text: str, words: str) -> None:
    assert fold(text) == words.split()
