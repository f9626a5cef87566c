"""The roster spells names as the attendance does, and splits names that lost their comma."""

from __future__ import annotations

import pytest

from clerk.extract.names import read_name, read_names
from clerk.extract.roster import Roster, read_roster
from clerk.extract.text import normalise


def roster(text: str) -> Roster:
    return read_roster(normalise([text]))


BOARD = roster("Present: Ann Anderson, Bo Anderson, Castellano, van der Berg, De La Cruz")


@pytest.mark.parametrize(
    ("printed", "called", "flags"),
    [
        ("Castellano", "Castellano", set()),
        ("Castelano", "Castellano", {"name_typo"}),
        ("CASTELLANO", "Castellano", set()),
        ("Ann Anderson", "Ann Anderson", set()),
        ("J. Castellano", "J. Castellano", set()),
        ("Jo Castellano", "Castellano", set()),
        ("Zimmer", "Zimmer", set()),
    ],
)
def test_a_person_is_called_by_the_surname(printed: str, called: str, flags: set[str]) -> None:
    assert BOARD.surname(read_name(printed, 0)) == (called, flags)


@pytest.mark.parametrize(
    ("printed", "called", "flags"),
    [
        ("Castellano van der Berg", ["Castellano", "van der Berg"], {"missing_comma"}),
        ("van der Berg De La Cruz", ["van der Berg", "De La Cruz"], {"missing_comma"}),
        ("Castellano, Zimmer, Castellano", ["Castellano", "Zimmer"], set()),
    ],
)
def test_names_that_lost_their_comma_are_split(
    printed: str, called: list[str], flags: set[str]
) -> None:
    names = read_names(printed, 0, len(printed)).names

    assert BOARD.surnames(names) == (called, flags)


def test_who_votes_is_known_from_the_attendance_or_from_titles() -> None:
    assert {"castellano", "berg"} <= BOARD.known
    assert "moss" in roster("Trustee Moss spoke.").known
    assert "moss" not in roster("Mr. Moss spoke.").known
    assert "moss" in roster("Mr. Moss spoke. Mr. Moss left.").known
    assert roster("Staff present: Moss, Nye, Orr").official == {}


def test_a_stranger_is_not_in_the_attendance() -> None:
    assert BOARD.is_stranger("Zimmer")
    assert not BOARD.is_stranger("Castellano")
    assert not roster("Present: Moss").is_stranger("Zimmer")
