"""Names of files in many styles: what each says of a document whose pages say nothing."""

from __future__ import annotations

import pytest

from clerk.identify import Hints, identify

NAMES = [
    ("Agenda-Packet-2020-04-08-linked.pdf", "packet", "2020-04-08"),
    ("AGENDApacket_08-17-26_0144_2036.pdf", "packet", "2026-08-17"),
    ("Board Packet 1-9-24.pdf", "packet", "2024-01-09"),
    ("minutes02162021.pdf", "minutes", "2021-02-16"),
    ("spminutes05182021.pdf", "minutes", "2021-05-18"),
    ("CC-Min-01-27-2021.pdf", "minutes", "2021-01-27"),
    ("draft_min_8-18-22.pdf", "minutes", "2022-08-18"),
    ("2021.06.09 BOCC Minutes.pdf", "minutes", "2021-06-09"),
    ("Town-Council-Minutes-of-3rd-September-2019.pdf", "minutes", "2019-09-03"),
    ("AgendaforannualtownhallmeetingApril112023.pdf", "agenda", "2023-04-11"),
    ("FCC-Cancelled-04022024.pdf", "notice", "2024-04-02"),
    # Where names have these codes, the day comes first.
    ("CM_24082021_AGN_AT.PDF", "agenda", "2021-08-24"),
    ("CM_07092020_AGN_AT_EXTRA.PDF", "agenda", "2020-09-07"),
    ("LT_02112023_MIN.PDF", "minutes", "2023-11-02"),
    ("PD_20240206_AGN_762_AT.PDF", "agenda", "2024-02-06"),
    # No day: a month, a period, numbers, two ways to read it, none of the calendar.
    ("minutes-april-2025.pdf", "minutes", None),
    ("Response-Overview-Jan1-Nov6-2023.pdf", None, None),
    ("Ordinance 22-05-12.pdf", "resolution", None),
    ("Council.Packet.100620.cow.pdf", "packet", None),
    ("Council Meeting Minutes 31 Feb 2020.pdf", "minutes", None),
    ("Minutes_2023-13-45.pdf", "minutes", None),
]


@pytest.mark.parametrize(("name", "kind", "day"), NAMES)
def test_the_name_of_a_file_says_what_it_is(name: str, kind: str | None, day: str | None):
    found = identify([], Hints(path=name))

    assert (found.kind.value, found.date.value) == (kind, day)
    assert all(fact.source == "file_name" for fact in (found.kind, found.date) if fact.value)


@pytest.mark.parametrize(
    ("folder", "body"),
    [
        # Commas within a name.
        ("Joint Planning, Zoning, and Historic Preservation Committee", None),
        ("Joint Planning, Zoning, Building Committee", None),
        ("Parks, Recreation, Trees & Trails Commission", None),
        ("Audit, Finance and Administration Committee", None),
        # Commas between names, places and rooms.
        ("Ashby, Parks and Recreation Commission", "Parks and Recreation Commission"),
        ("Administration, Finance Committee", "Finance Committee"),
        ("Finance Committee, Room 4", "Finance Committee"),
        ("City Council, Planning Commission", "City Council"),
        # One body of another.
        ("Advisory Committee to The City Council", None),
        ("Regular Meeting of The City Council", "City Council"),
    ],
)
def test_a_folder_names_a_body_in_full(folder: str, body: str | None):
    found = identify([], Hints(path=f"{folder}/2024-03-04 Minutes.pdf"))

    assert found.body.value == (body or folder)
