"""Paragraphs are the author's, not the paper's; offsets stay those of the text as it was read."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from clerk.read.files import PageWords
from clerk.read.paragraphs import flowing, paragraphs, starts_after_space

MINUTES = """\
TOWN OF SPRINGFIELD
MINUTES OF THE COUNCIL

The council discussed the application for a zoning vari-
ance at 14 Harbor Street at length. Ms. Lindqvist asked
whether the neighbours had been told, and they had.
The hearing was closed.
1. Adoption of the agenda
AYES: Lindqvist, Abara, Moreau
NOES: None
The chair thanked everybody for coming to this meeting
and adjourned it.
"""


def told(text: str, words: PageWords | None = None) -> list[str]:
    """Return the paragraphs as a reader sees them."""
    return ["".join(piece for piece, _ in pieces) for pieces in flowing(text, [], words)]


def test_lines_that_ran_on_are_joined_and_others_are_kept() -> None:
    assert told(MINUTES) == [
        "TOWN OF SPRINGFIELD\nMINUTES OF THE COUNCIL",
        "The council discussed the application for a zoning variance at 14 Harbor Street at length."
        " Ms. Lindqvist asked whether the neighbours had been told, and they had."
        " The hearing was closed.",
        "1. Adoption of the agenda\nAYES: Lindqvist, Abara, Moreau\nNOES: None\n"
        "The chair thanked everybody for coming to this meeting and adjourned it.",
    ]


def test_a_sentence_goes_on_whatever_room_its_line_left() -> None:
    quoted = """\
Motion by Mr.
Brandvold, seconded by
Ms. Ferrante,
to adopt the budget as presented by Resolution 2023-16. Motion passed
unanimously.
AYES: Brandvold, Ferrante,
NOES: None"""

    assert told(quoted) == [
        "Motion by Mr. Brandvold, seconded by Ms. Ferrante, to adopt the budget as presented by"
        " Resolution 2023-16. Motion passed unanimously.",
        "AYES: Brandvold, Ferrante,\nNOES: None",
    ]


def test_a_word_that_has_further_hyphens_keeps_the_one_at_the_end_of_a_line() -> None:
    text = """\
The council asks the province to pay for the end-
of-life management of products and for the inter-
national transport of what remains."""

    assert told(text) == [
        "The council asks the province to pay for the end-of-life management of products and for"
        " the international transport of what remains."
    ]


def test_columns_and_lists_keep_their_lines() -> None:
    table = "\n".join(f"Director {name}   Present   7:3{at} PM" for at, name in enumerate("ABCD"))
    names = "Lorraine Anderson\nKent Bagley\nBruce Daly\nBarbara Deadwyler"

    assert told(table) == [table]
    assert told(names) == [names]


def test_space_between_lines_begins_a_paragraph() -> None:
    lines = [f"These are the words of line {number} of a page with text," for number in range(4)]
    text = "\n".join(lines)
    tops = (1000, 1150, 1500, 1650)
    boxes = [
        edge
        for line, top in zip(lines, tops, strict=True)
        for at, _ in enumerate(line.split())
        for edge in (at * 500, top, at * 500 + 400, top + 100)
    ]
    words = PageWords(1, 612, 792, text.split(), boxes)

    assert told(text) == [" ".join(lines)]
    assert starts_after_space(text, words) == {text.index(lines[2])}
    assert told(text, words) == [" ".join(lines[:2]), " ".join(lines[2:])]
    assert starts_after_space("Other words", words) == set()


def test_a_mark_goes_on_over_the_end_of_a_line() -> None:
    start = MINUTES.index("zoning")
    end = MINUTES.index(" at 14")

    pieces = [each for part in flowing(MINUTES, [(start, end, "passage")]) for each in part]

    marked = [piece for piece, name in pieces if name == "passage"]
    assert "".join(marked) == "zoning variance"


@given(st.text(alphabet="ab -.\n:A1", max_size=300))
def test_no_word_is_lost_and_offsets_are_right(text: str) -> None:
    runs = [run for each in paragraphs(text) for run in each]
    kept = "".join(text[run.start : run.end] for run in runs)
    dropped = sum(run.before == "" for each in paragraphs(text) for run in each[1:])

    letters = [each for each in text if not each.isspace()]
    assert len([each for each in kept if not each.isspace()]) == len(letters) - dropped
    assert [run.start for run in runs] == sorted(run.start for run in runs)
