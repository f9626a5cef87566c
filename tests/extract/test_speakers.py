"""Who spoke from the public and for which side, and who stood aside."""

from __future__ import annotations

import pytest

from clerk.extract import extract_text

TOP = "Present: Mayor Ann Hobbs, Trustees Tandy, Webb and Royce\n\n"

SPEAKERS = {
    "PUBLIC HEARING\nJane Doe, 12 Elm Street, spoke in opposition to the rezoning.\n": [
        ("Jane Doe", "against")
    ],
    "PUBLIC COMMENT\nMike Brandt, 67 Larkspur Road\nOpposed to the money spent on the lake.\n": [
        ("Mike Brandt", "against")
    ],
    "PUBLIC COMMENT\nJane Doe, 7 Depot Square, spoke for the weathervane.\n": [("Jane Doe", None)],
    "PUBLIC COMMENT\nJane Doe, Elm Valley Church, spoke in support of the shelter.\n": [
        ("Jane Doe", "for")
    ],
    "PUBLIC COMMENT\nJane Doe, 5 Depot Hill Way, and Upstate Now, spoke in support of it.\n": [
        ("Jane Doe", "for")
    ],
    "PUBLIC HEARING\nMr. Roe of Oak Lane said he supported it.\n": [("Roe", "for")],
    "OTHER BUSINESS\nJane Doe and John Roe addressed the Council on this item.\n": [
        ("Jane Doe", None),
        ("John Roe", None),
    ],
    "PUBLIC HEARING\nSpeaking in favor: Jane Doe, John Roe\n": [
        ("Jane Doe", "for"),
        ("John Roe", "for"),
    ],
    "PUBLIC HEARING\nTrustee Tandy asked about traffic. Mayor Hobbs spoke in favor of it.\n": [],
    "OTHER BUSINESS\nJane Doe stated that the work is done.\n": [],
}


@pytest.mark.parametrize(("text", "expected"), SPEAKERS.items(), ids=range(len(SPEAKERS)))
def test_speakers_from_the_public_have_the_side_they_took(
    text: str, expected: list[tuple[str, str | None]]
) -> None:
    found = extract_text([TOP + text]).speakers

    assert [(speaker.name, speaker.side) for speaker in found] == expected
    assert all(speaker.name.split()[-1] in speaker.quote for speaker in found)


def test_a_side_is_taken_on_the_item_that_is_named() -> None:
    found = extract_text(
        [
            f"{TOP}7. PUBLIC COMMENT\n"
            "Jane Doe, 12 Elm Street, spoke in support of Item 15d and of trees.\n"
            "John Roe, 14 Elm Street, spoke against the noise.\n"
        ]
    ).speakers

    assert [(each.name, each.side, each.item, each.item_title) for each in found] == [
        ("Jane Doe", "for", "15d", None),
        ("John Roe", "against", "7", "PUBLIC COMMENT"),
    ]


DECLARATIONS = {
    "Trustee Webb recused himself from this item because he owns the land.\n": [
        ("Webb", "recusal", "this item because he owns the land")
    ],
    "Trustee Tandy and Mayor Hobbs recused themselves.\n": [
        ("Tandy", "recusal", None),
        ("Hobbs", "recusal", None),
    ],
    "Trustee Royce declared a pecuniary interest in item 9, the grant.\n": [
        ("Royce", "interest", "item 9, the grant")
    ],
    "Trustee Webb abstained due to a conflict of interest.\n": [("Webb", "recusal", None)],
    "No member declared an interest.\n": [],
    "Members must recuse themselves if they own land.\n": [],
}


@pytest.mark.parametrize(("text", "expected"), DECLARATIONS.items(), ids=range(len(DECLARATIONS)))
def test_who_stood_aside_or_declared_an_interest(
    text: str, expected: list[tuple[str, str, str | None]]
) -> None:
    found = extract_text([TOP + text]).declarations

    assert [(each.name, each.kind, each.about) for each in found] == expected


def test_the_title_of_the_minutes_is_no_item() -> None:
    text = "TOWN COUNCIL MINUTES\nJune 12, 2023\n\nJane Doe, 12 Elm Street, spoke for the bridge.\n"

    (found,) = extract_text([text]).speakers

    assert (found.name, found.item_title) == ("Jane Doe", None)
