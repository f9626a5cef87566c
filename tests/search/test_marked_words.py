"""What is marked is what was found: laws of snippets, passages and boxes, for any text."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis_sizes import examples
from small_sites import write_text

from clerk.read.files import PageWords
from clerk.search import hit_boxes, parse
from clerk.search.passages import lines_of, passage_boxes, passage_in_text
from clerk.search.query import places
from clerk.search.snippets import snippet
from clerk.search.words import fold, in_place, spans

COUNCIL = "minutes/Council/2024-01-15"
ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
#: Words of minutes in several scripts, numbers, and what stands between words.
WORDS = st.sampled_from(
    (
        *("the", "motion", "carried", "zoning", "Zoning", "zoned", "variance", "Núñez", "café"),
        *("2024-15", "4-1", "O'Brien", "Straße", "(budget)", "“plan”", "§", "--", "会議", "予算"),
        *("ΣΊΣΥΦΟΣ", "συμβούλιος", "проект", "I"),
    )
)
TEXTS = st.lists(WORDS, min_size=1, max_size=60).map(" ".join)
LINES = st.lists(TEXTS, min_size=1, max_size=4).map("\n".join)
ASKED = st.sampled_from(
    ["zoning", '"the motion"', "vari*", "nunez", "budgit~", "4-1", "zoning OR plan", "会議"]
)


def word_places(text: str) -> list[tuple[int, int]]:
    """Where all words of a text begin and end."""
    words = in_place(text).split()
    return spans(in_place(text), words, range(len(words)))


def squeezed(text: str) -> str:
    return " ".join(text.split())


# ---------------------------------------------------------------------------------- snippets


@settings(max_examples=examples(300))
@given(LINES, ASKED, st.integers(40, 300))
def test_a_snippet_is_a_piece_of_the_text_of_about_the_asked_length(
    text: str, query: str, letters: int
) -> None:
    parts = snippet(text, parse(query).terms, letters=letters)

    shown = "".join(part for part, _ in parts)
    piece = shown.removeprefix(f"{ELLIPSIS} ").removesuffix(f" {ELLIPSIS}")
    assert squeezed(piece) in squeezed(text)
    assert len(piece) <= letters
    assert shown.startswith(ELLIPSIS) or squeezed(text).startswith(squeezed(piece))
    assert shown.endswith(ELLIPSIS) or squeezed(text).endswith(squeezed(piece))


@settings(max_examples=examples(300))
@given(LINES, ASKED)
def test_what_a_snippet_marks_is_a_hit_and_all_hits_shown_are_marked(text: str, query: str) -> None:
    terms = parse(query).terms
    parts = snippet(text, terms, letters=10_000)

    marked = [part for part, is_hit in parts if is_hit]
    assert marked == [text[start:end] for start, end in places(text, terms)]


@settings(max_examples=examples(200))
@given(LINES)
def test_a_text_without_a_hit_is_shown_from_its_beginning(text: str) -> None:
    parts = snippet(text, parse("nowhere").terms, letters=80)

    assert not any(is_hit for _, is_hit in parts)
    assert squeezed(text).startswith(squeezed(parts[0][0]))


def test_a_snippet_prefers_different_words_to_the_same_one_again() -> None:
    text = f"{'zoning ' * 9}{'filler ' * 60}the zoning variance was granted {'filler ' * 60}"

    parts = snippet(text, parse("zoning variance granted").terms, letters=120)

    assert {part for part, is_hit in parts if is_hit} == {"zoning", "variance", "granted"}


# ---------------------------------------------------------------------------------- passages


@settings(max_examples=examples(300))
@given(LINES, st.data())
def test_any_words_of_a_text_are_found_as_a_passage_where_they_are(
    text: str, data: st.DataObject
) -> None:
    words = word_places(text)
    assume(words)
    first = data.draw(st.integers(0, len(words) - 1))
    last = data.draw(st.integers(first, min(first + 20, len(words) - 1)))
    passage = text[words[first][0] : words[last][1]]

    found = passage_in_text(text, passage)

    assert found is not None
    assert "".join(fold(text[slice(*found)])) == "".join(fold(passage))
    # The first place that has these words, which may be another one.
    assert found[0] <= words[first][0]


@settings(max_examples=examples(200))
@given(LINES, st.data())
def test_a_passage_is_named_by_its_beginning_and_its_end(text: str, data: st.DataObject) -> None:
    words = word_places(text)
    assume(len(words) >= 6)
    first = data.draw(st.integers(0, len(words) - 6))
    last = data.draw(st.integers(first + 4, len(words) - 1))
    beginning = text[words[first][0] : words[first + 1][1]]
    ending = text[words[last - 1][0] : words[last][1]]

    found = passage_in_text(text, f"{beginning} {ELLIPSIS} {ending}")

    assert found is not None
    shown = "".join(fold(text[slice(*found)]))
    assert shown.startswith("".join(fold(beginning)))
    assert shown.endswith("".join(fold(ending)))


def test_the_end_of_a_passage_is_not_found_inside_a_number() -> None:
    text = "the motion carried on 2024-15 2024-15 4-1"

    assert passage_in_text(text, f"the motion {ELLIPSIS} 15 4") == (0, len(text) - 2)


def test_the_end_of_a_passage_is_looked_for_near_its_beginning() -> None:
    far_away = "He moved to adopt it." + " filler" * 2_000 + " So ordered."

    assert passage_in_text(far_away, f"He moved {ELLIPSIS} So ordered") is None
    assert passage_in_text(far_away, f"filler {ELLIPSIS} So ordered") is not None


# ------------------------------------------------------------------------------------- boxes


def scan(words: list[str], per_line: int) -> PageWords:
    """A page of words of one size, so many on each line."""
    boxes = []
    for number in range(len(words)):
        line, column = divmod(number, per_line)
        boxes += [100 * column, 50 * line, 100 * column + 90, 50 * line + 30]
    return PageWords(1, 612, 792, words, boxes)


@settings(max_examples=examples(200))
@given(st.lists(WORDS, min_size=1, max_size=40), st.integers(1, 8))
def test_the_lines_of_a_scan_have_every_word_once_in_order(words: list[str], per_line: int) -> None:
    lines = lines_of(scan(words, per_line))

    assert [word for line in lines for word, _ in line] == words
    assert all(len(line) == per_line for line in lines[:-1])


@settings(max_examples=examples(200))
@given(st.lists(WORDS, min_size=2, max_size=40), st.integers(1, 8), st.data())
def test_a_passage_has_one_box_on_each_line_it_touches(
    words: list[str], per_line: int, data: st.DataObject
) -> None:
    first = data.draw(st.integers(0, len(words) - 1))
    last = data.draw(st.integers(first, len(words) - 1))
    assume("".join(fold(" ".join(words[first : last + 1]))))
    page = scan(words, per_line)

    boxes = passage_boxes(page, " ".join(words[first : last + 1]))

    assert boxes
    assert all(left < right and top < bottom for left, top, right, bottom in boxes)
    assert all(one[1] < other[1] for one, other in pairwise(boxes))


@pytest.mark.parametrize(
    ("words", "query", "hit"),
    [
        (["vari-", "ance"], "variance", ["vari-", "ance"]),
        (["vari\N{SOFT HYPHEN}", "ance"], "variance", ["vari\N{SOFT HYPHEN}", "ance"]),
        # Three lines of a narrow column.
        (["re-", "consid-", "eration"], "reconsideration", ["re-", "consid-", "eration"]),
        # A name with a hyphen is not one word with the name that follows.
        (["Smith-", "Jones"], "smithjones", []),
        (["Smith-", "Jones"], "jones", ["Jones"]),
        # A dash, and a hyphen at the end of the page.
        (["-", "ance"], "ance", ["ance"]),
        (["granted", "vari-"], "vari", ["vari-"]),
        # One printed word of two searchable ones is marked whole, and once.
        (["and/or"], "and or", ["and/or"]),
        (["№5"], "no5", ["№5"]),
        (["Straße"], "straße", ["Straße"]),
        (["会議録"], "議録", ["会議録"]),
    ],
)
def test_a_hit_is_marked_on_the_printed_words(
    tmp_path: Path, words: list[str], query: str, hit: list[str]
) -> None:
    folder = tmp_path / "springfield"
    write_text(folder, COUNCIL, [" ".join(words)], words={1: words})

    assert [words[box[0]] for box in hit_boxes(folder, COUNCIL, 1, query)] == hit


def test_hits_are_marked_by_the_languages_of_the_site(tmp_path: Path) -> None:
    folder, words = tmp_path / "springfield", ["Sitzungen", "meetings"]
    write_text(folder, COUNCIL, [" ".join(words)], words={1: words})

    def hit(query: str, *languages: str) -> list[str]:
        return [words[box[0]] for box in hit_boxes(folder, COUNCIL, 1, query, languages)]

    assert hit("meeting", "eng") == ["meetings"]
    assert hit("sitzung", "eng") == []
    assert hit("sitzung", "deu") == ["Sitzungen"]
    assert hit("sitzung", "eng", "deu") == ["Sitzungen"]
