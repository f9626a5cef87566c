"""No name is published that the text does not print, and reading costs what the text is long."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis_sizes import examples

from clerk.extract import BALLOTS, Extraction, extract_text
from clerk.extract.text import plain

#: Pieces of minutes that are put together at random, so that lists, labels and headings collide.
PIECES = [
    *("PRESENT: Ann Hobbs, Jo Tandy, Pat Webb\n", "ABSENT: Kim Royce (excused)\n"),
    *("Motion by Hobbs, seconded by Tandy, to adjourn. ", "Councilmember Webb moved to table. "),
    *("AYES: Hobbs, Tandy\n", "NAYS: Webb\n", "ABSTAIN:\n", "ABSENT:\n", "Ayes 3 Nays 1 "),
    *("NEW BUSINESS\n", "VII. PUBLIC HEARING ON OAK STREET\n", "Page 4 of 9\n", "\n\n", "\f"),
    *("Motion carried 3-1. ", "Carried. ", "Hobbs, yes; Tandy, no; Webb, aye. ", "May 4, 2024 "),
    *("Jane Doe, 12 Elm Street, spoke in opposition. ", "Mr. Royce recused himself. "),
    *("Ordinance No. 24-5, An Ordinance amending the map. ", "WHEREAS, the plan failed; and "),
    *("with Webb dissenting", "and ", ", ", "; ", "\u2612\u2610 Aye "),
]
MINUTES = st.lists(st.sampled_from(PIECES), min_size=2, max_size=14).map("".join)


def published_names(found: Extraction) -> set[str]:
    names = {
        name
        for vote in found.votes
        for name in (
            vote.mover,
            vote.seconder,
            *(each for k in BALLOTS for each in getattr(vote, k)),
        )
        if name
    }
    for lists in (found.attendance, found.speakers, found.declarations):
        names |= {each.name for each in lists}
    return names


@given(MINUTES)
@settings(max_examples=examples(300), deadline=None, derandomize=True)
def test_every_published_name_and_quote_is_printed(text: str) -> None:
    found = extract_text(text.split("\f"), is_minutes=True)

    words = plain(text).split()
    bare = {word.strip(".,;:()").lower() for word in words}
    for name in published_names(found):
        assert {word.strip(".,").lower() for word in name.split()} <= bare
    for each in (*found.attendance, *found.speakers, *found.declarations, *found.matters):
        assert each.quote == text[each.start : each.end]


@given(MINUTES)
@settings(max_examples=examples(200), deadline=None, derandomize=True)
def test_only_people_vote(text: str) -> None:
    people = {"hobbs", "tandy", "webb", "royce"}

    for vote in extract_text(text.split("\f"), is_minutes=True).votes:
        for kind in BALLOTS:
            assert {name.split()[-1].lower() for name in getattr(vote, kind)} <= people


def calls_of(work: Callable[[], object]) -> int:
    """Return how many functions, of Python and of C, a piece of work calls."""
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls


PARAGRAPHS = {
    "votes": "Motion by Hobbs, seconded by Tandy, to pay bill {n}. AYES: Hobbs, Tandy. NAYS: Webb."
    " Motion carried 2-1.\n\n",
    "attendance": "PRESENT: Ann Hobbs, Jo Tandy, Pat Webb\nABSENT: Kim Royce\nSTAFF: Lee Nolan\n\n",
    "matters": "{n}. Ordinance No. 2024-{n}, An Ordinance amending section {n}. Jane Doe spoke"
    " against it. Trustee Webb recused himself from item {n}.\n\n",
    "prose": "The Board discussed the road and the members asked about the cost of the work.\n\n",
}


@pytest.mark.parametrize("paragraph", PARAGRAPHS.values(), ids=PARAGRAPHS)
def test_four_times_the_text_costs_four_times_the_work(paragraph: str) -> None:
    def text(paragraphs: int) -> str:
        return "".join(paragraph.format(n=number) for number in range(paragraphs))

    extract_text([text(2)])
    small = calls_of(lambda: extract_text([text(40)]))
    large = calls_of(lambda: extract_text([text(160)]))

    assert large < 5 * small
