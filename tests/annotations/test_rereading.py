"""Annotations moved from text to text: whatever the texts are, none is lost, and all come back."""

from __future__ import annotations

import itertools
import re

from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis_sizes import examples
from rapidfuzz.distance import Levenshtein

from clerk.annotations.anchor import CHANGED_QUOTE
from clerk.annotations.objects import AnnotationSet, Attribute, Denotation, Orphans, Relation, Span
from clerk.annotations.rereading import move

FIRST = """City of Boston Commissioners:
Mayor Michelle Wu Kathleen Joyce, Chairman
Motion by Council Member Berg, seconded by Council Member Lee, to pay $1,250.00 to
the library. Ayes: Ruiz, Lee, Berg. Noes: none. Motion carried.
"""
COLUMNS = """City of Boston
Mayor Michelle Wu
Commissioners:
Kathleen Joyce, Chairman
""" + "".join(FIRST.splitlines(keepends=True)[2:])
AYES = FIRST.index("Ayes")
TEXTS = (
    FIRST,
    COLUMNS,
    "Page 2\n" + FIRST,
    FIRST.replace("Noes: none. ", ""),
    FIRST.replace("Ayes: Ruiz, Lee, Berg. ", ""),
    FIRST.replace("Ayes: Ruiz, Lee, Berg", "Ayes: Ruiz. Lee, Bcrg"),
    COLUMNS.replace("Council Member", "Councilmember"),
    FIRST.replace("seconded by Council Member Lee", "wath Wkb\nCouncil Member Lee seconded it"),
    FIRST[AYES:] + FIRST[:AYES],
    "0123456789 " * 30,
)
WORDS = (
    "City of Boston Commissioners:",
    "Mayor",
    "Michelle Wu Kathleen Joyce,",
    "Motion by",
    "seconded by Council Member Lee, to pay $1,250.00",
    "library",
    "Ayes: Ruiz, Lee, Berg. Noes: none.",
    "Noes",
    "Motion carried.",
)


def marked() -> AnnotationSet:
    """Return the words of the first text as denotations, with attributes and relations."""
    marks = []
    for number, words in enumerate(WORDS, 1):
        begin = FIRST.index(words)
        marks.append(Denotation(Span(begin, begin + len(words)), words, f"T{number}"))
    names = [each.id or "" for each in marks]
    return AnnotationSet(
        denotations=marks,
        relations=[
            Relation(here, "next", there, f"R{number}")
            for number, (here, there) in enumerate(itertools.pairwise(names), 1)
        ],
        attributes=[
            Attribute(name, "of", name, f"A{number}") for number, name in enumerate(names, 1)
        ],
    )


def named(annotations: AnnotationSet) -> list[str | None]:
    """Return the ids of annotations, without the marks of changed quotes."""
    attributes = [each for each in annotations.attributes if each.pred != CHANGED_QUOTE]
    spans = [each.id for each in (*annotations.denotations, *annotations.blocks)]
    return spans + [each.id for each in annotations.relations] + [each.id for each in attributes]


@settings(max_examples=examples(400), deadline=None)
@example([COLUMNS])
@example([TEXTS[3], TEXTS[4]])
@example([TEXTS[3], TEXTS[-1], TEXTS[5]])
@example([TEXTS[5], TEXTS[-1]])
@given(st.lists(st.sampled_from(TEXTS), max_size=6))
def test_no_text_loses_an_annotation_and_the_first_one_has_all_again(texts: list[str]) -> None:
    start = marked()
    annotations, orphans, former = start, list[Orphans](), FIRST
    ids = {text: number for number, text in enumerate(TEXTS, 1)}
    for text in [*texts, FIRST]:
        if text == former:
            continue
        kept = {number: each for each, number in ids.items()}
        found = move(annotations, orphans, former, ids[former], text, kept)
        parts = (found.annotations, *(each.annotations for each in found.orphans))

        assert sorted(name for each in parts for name in named(each)) == sorted(named(start))
        marks = [each.id for each in found.annotations.attributes]
        assert len(marks) == len({*marks})
        reported = {each.message.split()[0] for each in found.issues}
        before = {each.id for each in annotations.denotations}
        assert before ^ {each.id for each in found.annotations.denotations} <= reported
        for each in found.annotations.denotations:
            words = " ".join(text[span.begin : span.end] for span in each.spans)
            letters = (re.sub(r"\W", "", each) for each in (words, str(each.obj)))
            assert Levenshtein.normalized_similarity(*letters) >= 0.7, (each, words)
        annotations, orphans, former = found.annotations, found.orphans, text
    assert not orphans
    assert sorted(annotations.denotations, key=str) == sorted(start.denotations, key=str)
    assert sorted(annotations.attributes, key=str) == sorted(start.attributes, key=str)


def test_words_that_are_apart_are_marked_in_pieces_and_joined_again() -> None:
    found = move(marked(), [], FIRST, 1, COLUMNS, {})

    (mark,) = (each for each in found.annotations.denotations if each.id == "T1")
    assert [COLUMNS[span.begin : span.end] for span in mark.spans] == [
        "City of Boston",
        "Commissioners:",
    ]
    again = move(found.annotations, found.orphans, COLUMNS, 2, FIRST, {1: FIRST})
    assert again.annotations.denotations == marked().denotations
    assert not any(each.pred == CHANGED_QUOTE for each in again.annotations.attributes)
