"""What a vote promises, whatever the text: offsets, names, flags, the same answer, bounded time."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis_sizes import examples

from clerk.extract import BALLOTS, RESULTS, Vote, extract_text
from clerk.extract.entities import TYPES
from clerk.extract.text import normalise

#: Words that minutes are made of, so that random text comes near to sense.
VOCABULARY = """
    motion moved seconded by carried failed AYES: NOES: None Smith, Jones Mr. Mrs. and to approve
    the minutes vote 5-0 unanimously ROLL CALL: yes no, abstain withdrew second RESULT: PASSED
    MOVER: SECONDER: (Y-4) M/S Grant/Hurst MSC . ; : amendment Councilmember van Resolution 2031-04
    was $1,200 All in favor lack of a
"""
WORDS = st.sampled_from([*VOCABULARY.split(), "\n", "\n\n", "\f", "   "])
SENSE = st.lists(WORDS, max_size=60).map(" ".join)
ANY_TEXT = st.one_of(st.text(max_size=300), SENSE)


def all_names(vote: Vote) -> list[str]:
    people = [vote.mover, vote.seconder]
    people += [name for kind in BALLOTS for name in getattr(vote, kind)]
    return [name for name in people if name]


@given(st.lists(ANY_TEXT, min_size=1, max_size=4))
@settings(max_examples=examples(300), deadline=None)
def test_every_offset_slices_to_its_quote(pages: list[str]) -> None:
    text = "\f".join(pages)

    found = extract_text(pages, is_minutes=True)

    for vote in found.votes:
        assert text[vote.start : vote.end] == vote.quote != ""
        assert vote.page is not None
        assert pages[vote.page - 1][vote.page_start : vote.page_end] in vote.quote
    for entity in found.entities:
        assert text[entity.start : entity.end] == entity.text != ""


@given(st.lists(ANY_TEXT, min_size=1, max_size=3))
@settings(max_examples=examples(300), deadline=None)
def test_every_name_is_printed_in_the_document(pages: list[str]) -> None:
    printed = normalise(pages).text.split()

    for vote in extract_text(pages, is_minutes=True).votes:
        for name in all_names(vote):
            assert all(any(word in each for each in printed) for word in name.split())


@given(st.lists(ANY_TEXT, min_size=1, max_size=3))
@settings(max_examples=examples(200), deadline=None)
def test_the_same_pages_give_the_same_answer_in_known_words(pages: list[str]) -> None:
    found = extract_text(pages, is_minutes=True)

    assert extract_text(pages, is_minutes=True) == found
    assert {vote.result for vote in found.votes} <= set(RESULTS)
    assert {entity.type for entity in found.entities} <= set(TYPES)
    assert all(0 < vote.confidence < 1 for vote in found.votes)


@pytest.mark.parametrize(
    "piece",
    [
        " ",
        "\n",
        "a",
        "A ",
        "Smith, ",
        "motion ",
        "moved by ",
        "AYES: ",
        "AYES:\n",
        "no, ",
        "Smith, yes; ",
        "(",
        "5-",
        "12/",
        "motion \n ",
        "seconded by          ",
        "Mr. ",
        "van ",
        "vote ",
        "RESULT:\n",
        "the motion to amend ",
        "\u0130",
        "$1,",
        "May 4, ",
        "1 North ",
        "Board of ",
        "5 no ",
        "Yes No\n",
        "(Smith/Jones) ",
        "Smith voted aye, ",
        "Y-Smith, ",
        "on the main motion ",
        "Motion by Smith. ",
        "Yes  No\nSmith X\n",
    ],
)
def test_time_grows_with_the_text_and_not_faster(piece: str) -> None:
    def seconds(size: int) -> float:
        text = piece * (size // len(piece))
        began = time.process_time()
        extract_text([text])
        return time.process_time() - began

    small = max(seconds(5_000), 0.01)

    assert any(seconds(40_000) < 40 * small for _ in range(3))


def test_a_page_footer_inside_the_block_is_passed_over() -> None:
    pages = [
        "Minutes of the Town Council  Page 1 of 2\nMotion by Moss, second by Nye to pay the bills."
        "\nThe motion carried by the following vote:\nAYES: Moss, Nye,\n",
        "Minutes of the Town Council  Page 2 of 2\nOrtiz\nNOES: Penn\n",
    ]

    (vote,) = extract_text(pages, is_minutes=True).votes

    assert (vote.ayes, vote.noes) == (["Moss", "Nye", "Ortiz"], ["Penn"])


def test_a_lost_comma_and_a_misspelt_name_are_mended_from_the_attendance_and_flagged() -> None:
    text = """Present: Anderson, Bouvier, Castellano
Motion by Andersen, seconded by Bouvier to adjourn. The motion carried:
AYES: Anderson, Bouvier Castellano
NOES: None
"""

    (vote,) = extract_text([text], is_minutes=True).votes

    assert vote.mover == "Anderson"
    assert vote.ayes == ["Anderson", "Bouvier", "Castellano"]
    assert {"missing_comma", "name_typo"} <= set(vote.flags)


def test_contradictions_are_kept_and_flagged() -> None:
    text = """Motion by Alvarez, seconded by Alvarez, to adjourn. The motion carried 4-0.
AYES: Alvarez, Brandt, Chan
NOES: Chan
"""

    (vote,) = extract_text([text], is_minutes=True).votes

    assert vote.ayes == ["Alvarez", "Brandt", "Chan"]
    assert vote.noes == ["Chan"]
    assert {"mover_equals_seconder", "source_contradiction", "tally_mismatch"} <= set(vote.flags)


def test_unanimously_names_nobody() -> None:
    text = "Present: Alvarez, Brandt, Chan\nMotion by Brandt, second by Chan. Carried unanimously."

    (vote,) = extract_text([text], is_minutes=True).votes

    assert vote.unanimous
    assert vote.ayes == []


def test_the_vote_decides_nothing_that_is_not_printed() -> None:
    text = "Motion by Brandt, second by Chan to levy a tax.\nAYES: Brandt, Chan\nNOES: Dole\n"

    (vote,) = extract_text([text], is_minutes=True).votes

    assert vote.result == "unknown"
    assert vote.tally == {"yes": 2, "no": 1}


def test_a_vote_begins_with_the_words_that_make_the_motion() -> None:
    text = """Budget
Il est propos\u00e9 par le conseiller Roy, appuy\u00e9 par Mme Cyr, que la taxe soit adopt\u00e9e.
Rejet\u00e9e.
"""

    (vote,) = extract_text([text], is_minutes=True).votes

    assert vote.quote.startswith("Il est propos\u00e9 par le conseiller Roy")
    assert vote.motion == "que la taxe soit adopt\u00e9e"


@pytest.mark.parametrize(
    ("excerpt", "motion"),
    [
        ("Motion by Ito, supported by Jett, CARRIED, to receive the report.", "receive the report"),
        ("Absent: None\n\nIt was moved (Ito), seconded (Jett), and passed (4-0).", None),
        ("AYES: Ito, Jett\nNOES: None\nMotion carried.", None),
        ("On motion of Ito, seconded by Jett, and carried, the meeting closed.", "meeting closed"),
        ("Ito so moved. Jett seconded. All in favor. Motion carried.", None),
    ],
)
def test_the_words_of_a_motion_are_not_those_of_the_vote(excerpt: str, motion: str | None) -> None:
    (vote,) = extract_text([excerpt], is_minutes=True).votes

    assert (vote.motion or "").removeprefix("the ") == (motion or "")
