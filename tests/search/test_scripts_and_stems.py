"""Words of every script are folded, paired and stemmed so that a page and a query agree."""

from __future__ import annotations

import unicodedata
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis_sizes import examples
from small_sites import SITE, compile_folder, write_text

from clerk.search import Query, search
from clerk.search.words import (
    STEMMERS,
    fold,
    folded,
    has_cjk,
    in_place,
    indexed,
    sought,
    spans,
    stemmer,
    storable,
)

CJK = st.text("会議録予算議員東京한국어회의カタカナひらがなー", min_size=1, max_size=8)
MIXED = st.lists(st.one_of(CJK, st.text("abcäé12", min_size=1, max_size=4)), max_size=5)


@settings(max_examples=examples(300))
@given(st.text(max_size=60))
def test_a_folded_word_is_folded_for_good(text: str) -> None:
    for word in fold(text):
        assert folded(word) == word
        assert not word.isspace()


@settings(max_examples=examples(300))
@given(st.text(max_size=60))
def test_folding_does_not_depend_on_how_letters_are_composed(text: str) -> None:
    assert fold(unicodedata.normalize("NFC", text)) == fold(unicodedata.normalize("NFD", text))


@settings(max_examples=examples(300))
@given(st.text("abcÄÖÜßéñ 'ﬁ.-\n12ÅΣσ", max_size=60))
def test_every_word_knows_its_place_in_the_text(text: str) -> None:
    plain = in_place(text)
    words = plain.split()

    found = spans(plain, words, range(len(words)))

    assert len(plain) == len(text)
    assert [plain[start:end] for start, end in found] == words
    assert all(one[1] < other[0] for one, other in pairwise(found))


@settings(max_examples=examples(300))
@given(st.lists(st.sampled_from(["a", "ab", "b", "aa", "ba"]), min_size=1, max_size=30), st.data())
def test_of_words_that_occur_often_those_asked_for_are_placed(
    words: list[str], data: st.DataObject
) -> None:
    """Words that are parts of others, and the same word several times."""
    asked = data.draw(st.sets(st.integers(0, len(words) - 1)))
    text = "  ".join(words)

    begins = [sum(len(word) + 2 for word in words[:number]) for number in range(len(words))]
    expected = [(begins[number], begins[number] + len(words[number])) for number in sorted(asked)]
    assert spans(text, words, asked) == expected


@settings(max_examples=examples(300))
@given(MIXED, st.data())
def test_letters_inside_a_word_of_cjk_are_sought_by_the_pairs_that_it_has(
    parts: list[str], data: st.DataObject
) -> None:
    word = "".join(parts)
    runs = [run for run in parts if has_cjk(run) and len(run) > 1]
    if not runs:
        return
    run = data.draw(st.sampled_from(runs))
    first = data.draw(st.integers(0, len(run) - 2))
    last = data.draw(st.integers(first + 2, len(run)))
    pages = indexed(fold(word))

    pairs, is_prefix = sought(fold(run[first:last]))

    assert not is_prefix
    assert {pair for _, pair in pairs} <= set(pages)
    assert [at for at, _ in pairs] == sorted(at for at, _ in pairs)


def test_a_single_letter_of_cjk_is_the_beginning_of_a_pair() -> None:
    assert sought(["議"]) == ([(0, "議")], True)
    assert sought(["budget", "議"])[1]
    assert not sought(["議", "budget"])[1]


@pytest.mark.parametrize("language", sorted(STEMMERS))
def test_a_stem_is_found_from_itself(language: str) -> None:
    """Else a word that is its own stem would be missed on pages that have it."""
    words = ["meeting", "minutes", "resolutions", "sitzungen", "réunions", "vergaderingen"]
    stems = stemmer(language)

    for word in (folded(each) for each in words):
        assert word in stems.words_with({stems.stem(word)}, [word])
        assert stems.changed([word]) in ([], [stems.stem(word)])


def test_a_language_without_a_stemmer_leaves_words_as_they_are() -> None:
    assert stemmer("zzz").stem("meetings") == "meetings"
    assert stemmer("zzz").changed(["meetings", "met"]) == []


@pytest.mark.parametrize("broken", ["\ud800", "a\udfffb", "nul\0 byte"])
def test_what_cannot_be_stored_is_replaced(broken: str) -> None:
    stored = storable(broken)

    assert stored.encode("utf-8")
    assert "\0" not in stored


@pytest.mark.parametrize(
    ("language", "printed", "typed"),
    [
        ("deu", "Die Sitzungen wurden vertagt.", "sitzung"),
        ("fra", "Les délibérations sont approuvées.", "deliberation"),
        ("spa", "Las reuniones fueron aplazadas.", "reunión"),
        ("nld", "De vergaderingen zijn openbaar.", "vergadering"),
        ("swe", "Mötena är offentliga.", "MÖTENA"),
        ("rus", "Решения приняты единогласно.", "решения"),
        ("jpn", "本日の会議録を承認する。", "会議録"),
        ("kor", "예산안을 의결하였다.", "예산"),
        ("ell", "Το δημοτικό συμβούλιο αποφάσισε.", "ΣΥΜΒΟΎΛΙΟ"),
    ],
)
def test_a_town_finds_its_words_in_its_own_language(
    tmp_path: Path, language: str, printed: str, typed: str
) -> None:
    write_text(tmp_path / "springfield", "minutes/Council/2024-01-15", [printed])
    compile_folder(tmp_path / "springfield", SITE | {"extra": f'{{"languages": ["{language}"]}}'})

    results = search(tmp_path, Query(typed))

    assert results.total == 1
    assert any(is_hit for _, is_hit in results.hits[0].snippet)
