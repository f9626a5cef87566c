"""Invented packets: where their parts begin, and what each part is."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from clerk.identify import Bookmark, Hints, Known, PageView, identify, split, with_papers

EXAMPLES = Path(__file__).parent / "examples" / "packets.txt"


class Expected(NamedTuple):
    first_page: int
    last_page: int
    kind: str
    date: str | None
    body: str | None
    of_other_place: bool | None


class Packet(NamedTuple):
    place: str
    pages: list[PageView]
    parts: list[Expected]


def packets() -> list[Packet]:
    found = []
    for block in EXAMPLES.read_text(encoding="utf-8").split("\n### ")[1:]:
        place, *written = block.split("\n=== ")
        pages: list[PageView] = []
        parts = []
        for part in written:
            begin, *texts = part.split("\n---\n")
            # What follows +++ is on the last page of the part before.
            head, _, below = begin.partition("\n+++\n")
            kind, day, body, whose = (each.strip() for each in head.split("|"))
            first = len(pages) + (0 if below else 1)
            if below:
                pages[-1] = PageView(first, f"{pages[-1].text}\n{below}")
            pages += [PageView(len(pages) + n, text) for n, text in enumerate(texts, 1)]
            said = (None if day == "-" else day, None if body == "-" else body)
            of_other_place = None if whose == "unknown" else whose == "other"
            parts.append(Expected(first, len(pages), kind, *said, of_other_place))
        found.append(Packet(place.strip(), pages, parts))
    return found


@pytest.mark.parametrize("packet", packets(), ids=lambda each: each.place)
def test_a_packet_is_split_into_what_it_holds(packet: Packet):
    hints = Hints(path="packet.pdf", place=packet.place)

    identity = identify(packet.pages, hints)
    parts = split(packet.pages, identity, hints)

    assert with_papers(identity, parts).kind.value in ("packet", "minutes")
    said = [
        Expected(
            part.first_page,
            part.last_page,
            part.kind.value or "",
            part.date.value,
            part.body.value,
            part.of_other_place,
        )
        for part in parts
    ]
    assert said == packet.parts


def test_parts_that_share_a_page_say_where_they_begin():
    packet = next(each for each in packets() if each.place == "Town of Pellow, VT")
    hints = Hints(place=packet.place)

    parts = split(packet.pages, identify(packet.pages, hints), hints)

    text = packet.pages[0].text
    begun = [text[part.first_character :].split("\n")[1] for part in parts]
    assert begun == ["SELECTBOARD MINUTES", "SPECIAL SELECTBOARD MINUTES", "SELECTBOARD MINUTES"]
    assert parts[0].first_character == 0 < parts[1].first_character < parts[2].first_character


def test_an_agenda_of_two_pages_is_no_packet():
    packet = packets()[0]
    pages = packet.pages[:2]
    identity = identify(pages, Hints(place=packet.place))

    whole = with_papers(identity, split(pages, identity, Hints(place=packet.place)))

    assert (whole.kind.value, whole.date.value) == ("agenda", "2025-02-11")


@pytest.mark.parametrize(("title", "kind"), [("Agenda Packet", "packet"), ("Agenda", "agenda")])
def test_an_agenda_that_the_portal_calls_a_packet_may_be_one(title, kind):
    packet = packets()[0]
    hints = Hints(place=packet.place, portal=Known(kind="agenda", title=title))
    identity = identify(packet.pages, hints)

    whole = with_papers(identity, split(packet.pages, identity, hints))

    assert whole.kind.value == kind


def test_bookmarks_of_slides_begin_no_parts():
    pages = [
        PageView(
            number, f"Results of {2020 + number}", bookmarks=[Bookmark(f"Slide {number}: Results")]
        )
        for number in range(1, 7)
    ]

    assert len(split(pages, identify(pages, Hints()), Hints())) == 1


def test_a_bookmark_that_names_a_document_begins_a_part():
    texts = ["AGENDA\nTown Board\nMay 4, 2021\n1. Call to order", "Table of rates", "Rates", "Sums"]
    marks = ["Agenda", "Rate study.pdf", "", ""]
    pages = [
        PageView(number, text, bookmarks=[Bookmark(mark)] if mark else [])
        for number, (text, mark) in enumerate(zip(texts, marks, strict=True), 1)
    ]

    parts = split(pages, identify(pages, Hints()), Hints())

    assert [(part.first_page, part.last_page) for part in parts] == [(1, 1), (2, 4)]
    assert parts[1].begins.value == "bookmark"
