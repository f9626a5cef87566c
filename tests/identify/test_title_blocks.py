"""Invented first pages in many styles: each says what it is, or that the page does not say it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from clerk.identify import Hints, Identity, PageView, identify

EXAMPLES = Path(__file__).parent / "examples" / "title_blocks.txt"


class Example(NamedTuple):
    kind: str
    date: str | None
    bodies: list[str]
    place: str
    page: str


def examples() -> list[Example]:
    found = []
    for block in EXAMPLES.read_text(encoding="utf-8").split("\n=== ")[1:]:
        head, _, page = block.partition("\n")
        kind, day, bodies, place = (each.strip() for each in head.split("|"))
        named = [] if bodies == "-" else bodies.split("/")
        found.append(Example(kind, None if day == "-" else day, named, place, page))
    return found


def plain(name: str | None) -> str:
    return " ".join(
        re.sub(r"\b(?:of|the|and|town|city|county)\b|[\W_]", " ", (name or "").lower()).split()
    )


def read(example: Example) -> Identity:
    return identify([PageView(1, example.page)], Hints(place=example.place))


@pytest.mark.parametrize("example", examples(), ids=lambda each: each.page.split("\n")[0][:40])
def test_a_first_page_says_what_it_is(example: Example):
    found = read(example)

    assert (found.kind.value, found.date.value) == (example.kind, example.date)
    places = ["", example.place.split(",")[0]]
    right = {plain(f"{place} {body}") for body in example.bodies for place in places} or {""}
    assert plain(found.body.value) in right


@pytest.mark.parametrize("example", examples(), ids=lambda each: each.page.split("\n")[0][:40])
def test_every_value_has_a_quote_that_is_printed(example: Example):
    found = read(example)

    # "A G E N D A" is quoted as a word.
    letters = plain(example.page).replace(" ", "")
    for fact in (found.date, found.kind, found.body, found.title):
        assert fact.value is None or plain(fact.quote).replace(" ", "") in letters


LATER_PAGE = """Minutes of the Town Board
Regular Meeting
October 10, 2018

The meeting was called to order at 7:00 p.m.
"""


def test_no_later_page_dates_a_document_whose_first_page_could_not_be_read():
    hints = Hints(place="Springfield, IL", path="Minutes 9-24-18.pdf")

    read, unread = (identify([PageView(number, LATER_PAGE)], hints) for number in (1, 2))

    assert read.date.value == "2018-10-10"
    assert (unread.date.value, unread.date.source) == ("2018-09-24", "file_name")
    assert ("date", "2018-10-10") in [(each.field, each.fact.value) for each in unread.others]
    assert unread.body.value == read.body.value
    assert unread.body.confidence < 0.5 < read.body.confidence
    assert not unread.title.value or unread.title.source != "page"
