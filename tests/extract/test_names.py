"""Names are read as printed: forwards, backwards and in lists."""

from __future__ import annotations

import pytest

from clerk.extract.names import name_before, names_before, read_name, read_names

KNOWN = frozenset({"smith", "jones", "park"})


@pytest.mark.parametrize(
    ("text", "name", "surname"),
    [
        ("Councilmember van Overbeek to approve", "van Overbeek", "van Overbeek"),
        (": Dr. Maria De La Cruz, second", "Maria De La Cruz", "De La Cruz"),
        ("Mr. J. P. Smith Jr. moved", "J. P. Smith Jr.", "Smith Jr."),
        ("Cnclmn. Ory moved", "Ory", "Ory"),
        ("the Mayor Pro Tem Smith's motion", "Smith", "Smith"),
        ("Recording Clerk Smith read", "Smith", "Smith"),
        ("Bill Stone moved", "Bill Stone", "Stone"),
        ("Grant Page, seconded", "Grant Page", "Page"),
        ("Commissioner Judge moved", "Judge", "Judge"),
        ("Smith-aye", "Smith", "Smith"),
        ("Ann\nSmith, Clerk", "Ann Smith", "Smith"),
        ("Smith\nMotion carried", "Smith", "Smith"),
        ("Motion carried", None, None),
        ("the meeting adjourned", None, None),
        ("A. to approve", None, None),
    ],
)
def test_a_name_is_read_forwards(text: str, name: str | None, surname: str | None) -> None:
    found = read_name(text, 0, KNOWN)

    assert (found.text if found else None) == name
    assert (found.surname if found else None) == surname


@pytest.mark.parametrize(
    ("text", "name", "titled"),
    [
        ("Mrs. Ory ", "Ory", True),
        ("and Council Member\nSmith, ", "Smith", True),
        ("by Maria van der Berg ", "Maria van der Berg", False),
        ("Trustee Page ", "Page", True),
        ("on Page ", None, False),
        ("the motion ", None, False),
        ("Smith's ", None, False),
    ],
)
def test_a_name_is_read_backwards(text: str, name: str | None, titled: bool) -> None:
    found = name_before(text, len(text))

    assert (found.text if found else None) == name
    assert found is None or found.titled is titled


def test_several_names_are_read_backwards_in_printed_order() -> None:
    text = "with Smith, Mrs. Jones and Brown "

    assert [name.text for name in names_before(text, len(text))] == ["Smith", "Jones", "Brown"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Smith, Jones and Dr. Brown. Motion", ["Smith", "Jones", "Brown"]),
        ("Smith, Chair; Jones (by phone), Brown", ["Smith", "Jones", "Brown"]),
        ("Mr. Smith Mrs. Jones", ["Smith", "Jones"]),
        ("Smith Jones", ["Smith Jones"]),
        ("Smith\nJones\nMotion carried", ["Smith", "Jones"]),
        ("Smith      Jones      Brown", ["Smith", "Jones", "Brown"]),
        ("Smith, Park, 2\n   Jones", ["Smith", "Park", "Jones"]),
        ("none", []),
    ],
)
def test_a_list_of_names_is_read_to_its_end(text: str, names: list[str]) -> None:
    assert [name.text for name in read_names(text, 0, len(text), KNOWN).names] == names
