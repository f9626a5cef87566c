"""One person per body, however the name is written; who cannot be placed stays as printed."""

from __future__ import annotations

from collections.abc import Sequence

from clerk.extract.roster import KnownPerson, resolve_people


def people_of(*meetings: Sequence[str]) -> dict[str, KnownPerson]:
    """The people of a body by key, from the names that each meeting prints."""
    names = [name for printed in meetings for name in printed]
    found = resolve_people(
        "Council",
        {name: names.count(name) for name in names},
        lambda name: [each for printed in meetings if name in printed for each in printed],
    )
    return {each.key: each for each in found}


def test_spellings_are_one_person() -> None:
    found = people_of(
        ["Ann Hobbs", "Jo Tandy", "Pat Webb", "Hobbs", "Webb"], ["A. Hobbs", "P. Webb", "J. Tandy"]
    )

    assert {each.name: set(each.spellings) for each in found.values()} == {
        "Ann Hobbs": {"Ann Hobbs", "A. Hobbs", "Hobbs"},
        "Jo Tandy": {"Jo Tandy", "J. Tandy"},
        "Pat Webb": {"Pat Webb", "P. Webb", "Webb"},
    }


def test_a_bare_surname_of_two_members_is_nobodys() -> None:
    found = people_of(["John Smith", "Lucy Smith", "J. Smith", "Smith"])

    assert set(found["Council/smith-john"].spellings) == {"John Smith", "J. Smith"}
    assert not any("Smith" in each.spellings for each in found.values())


def test_two_members_with_the_same_first_name_have_two_keys() -> None:
    found = people_of(["John Adam Smith", "John Brown Smith"])

    assert len(found) == 2


def test_a_rare_misspelling_is_the_member_who_was_not_met_with_it() -> None:
    usual = [["Ann Hobbs", "Kim Royce"]] * 5

    found = people_of(["Ann Hobbs", "Kim Royse"], *usual)
    both = people_of(["Kim Royce", "Kim Royse"], *usual)

    assert set(found["Council/royce"].spellings) == {"Kim Royce", "Kim Royse"}
    assert set(both) == {"Council/hobbs", "Council/royce", "Council/royse"}


def test_the_order_of_names_changes_nothing() -> None:
    names = ["John Smith", "Lucy Smith", "J. Smith", "Smith", "Ann Hobbs", "Hobbs"]

    assert people_of(names) == people_of(names[::-1])
