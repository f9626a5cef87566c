"""People, bodies, amounts, dates, addresses and numbers of laws are found with their values."""

from __future__ import annotations

import pytest

from clerk.extract import extract_text


def entities_in(text: str) -> list[tuple[str, str, str | None]]:
    return [(each.type, each.value, each.role) for each in extract_text([text]).entities]


def test_entities_are_found_with_their_values() -> None:
    text = """On May 4, 2031 Mayor Ann Brandt signed Ordinance No. 31-07 and Resolution 2031-12.
The Planning Commission of Alderbury paid $1.2 million and $3,450.50 for 12 North Elm Street.
City Manager Chan spoke on HB 1234; Dora Dole, Finance Director, agreed on 6/1/2031."""

    found = {(each.type, each.value, each.role) for each in extract_text([text]).entities}

    assert {
        ("date", "2031-05-04", None),
        ("date", "2031-06-01", None),
        ("person", "Ann Brandt", "Mayor"),
        ("person", "Chan", "City Manager"),
        ("person", "Dora Dole", "Finance Director"),
        ("ordinance", "31-07", None),
        ("resolution", "2031-12", None),
        ("bill", "HB1234", None),
        ("body", "Planning Commission of Alderbury", None),
        ("money", "1200000.0 USD", None),
        ("money", "3450.50 USD", None),
        ("address", "12 North Elm Street", None),
    } <= found


@pytest.mark.parametrize(
    ("text", "type_", "value", "role"),
    [
        ("paid $3,450.50 for", "money", "3450.50 USD", None),
        ("costs \u20ac2 million in", "money", "2000000 EUR", None),
        ("the 4th day of May 2031", "date", "2031-05-04", None),
        ("due 2031-05-04.", "date", "2031-05-04", None),
        ("on 6/1/31 at", "date", "2031-06-01", None),
        ("at 12 North Elm Street.", "address", "12 North Elm Street", None),
        ("By-law No. 12-3 was read", "ordinance", "12-3", None),
        ("Resolution #2031-12 was read", "resolution", "2031-12", None),
        ("Senate Bill 44 was read", "bill", "44", None),
        ("spoke on HB 1234", "bill", "HB1234", None),
        ("the Board of Zoning Appeals met", "body", "Board of Zoning Appeals", None),
        ("The Water Department reported", "body", "Water Department", None),
        ("Vice Chair Ann Brandt spoke", "person", "Ann Brandt", "Vice Chair"),
        ("Mrs. Brandt spoke", "person", "Brandt", None),
        ("Dora Dole, Town Clerk, spoke", "person", "Dora Dole", "Town Clerk"),
        ("named as Chair. Commissioner Brandt", "person", "Brandt", "Commissioner"),
        ("BUDGET WRAP -UP The City Council met", "body", "City Council", None),
        ("the January County Council meeting", "body", "County Council", None),
        ("Thanked County Council for its time", "body", "County Council", None),
        ("the Board of Education Organizational Meeting", "body", "Board of Education", None),
        (
            "an employee of the Isle of\nWight School Board",
            "body",
            "Isle of Wight School Board",
            None,
        ),
        ("the Board of Education Special Meeting", "body", "Board of Education", None),
        ("HELD Council Vice-Chair Ann Brandt", "person", "Ann Brandt", "Council Vice-Chair"),
        (
            "The City Council of the City of Elm met",
            "body",
            "City Council of the City of Elm",
            None,
        ),
        ("named to Position III of the Budget Committee", "body", "Budget Committee", None),
    ],
)
def test_an_entity_is_found_with_its_value(
    text: str, type_: str, value: str, role: str | None
) -> None:
    assert entities_in(text) == [(type_, value, role)]


@pytest.mark.parametrize("text", ["on 13/45/2031", "February 30, 2031", "Director Public Works"])
def test_what_only_looks_like_an_entity_is_none(text: str) -> None:
    assert entities_in(text) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("the March Ordinary Meeting of the Oakdale County Council", ["Oakdale County Council"]),
        ("in Oakdale, Washington. Council members spoke", []),
        ("D. Board Self-Evaluation", []),
        ("7. Approval of Board Expense Report", []),
        ("the Rules of the Board of Trustees", ["Board of Trustees"]),
        ("the Water District Special Board Meeting", []),
        ("Home for the Aged Board of Management", ["Home for the Aged Board of Management"]),
    ],
)
def test_a_body_is_named_without_the_words_before_it(text: str, found: list[str]) -> None:
    entities = extract_text([text]).entities

    assert [entity.value for entity in entities if entity.type == "body"] == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Commissioner Precinct 4 Ann Moss spoke.", ["Ann Moss"]),
        ("Director Jack Moss\u2014lauded by all\u2014left.", ["Jack Moss"]),
        ("the position of Chief Strategy and Communications Officer", []),
        ("PRESENT: Ann Moss, Jo Nye\n", ["Ann Moss", "Jo Nye"]),
        ("Vice President Moss Director Nye seconded.", ["Nye"]),
        ("Commissioner Precinct 1\nAttendees:\nJo Nye, Clerk", ["Jo Nye"]),
        ("Nye, Building Inspector Orr, Village Clerk Poe", ["Poe"]),
    ],
)
def test_people_are_named_without_offices_and_found_in_the_attendance(
    text: str, found: list[str]
) -> None:
    entities = extract_text([text]).entities

    assert [entity.value for entity in entities if entity.type == "person"] == found


def test_a_title_before_the_next_name_is_not_that_of_the_last_one() -> None:
    found = entities_in(
        "Trustee Keith Peters, Fire Chief Eric Edge, and David Everly, Mayor's aide."
    )

    assert found == [("person", "Keith Peters", "Trustee"), ("person", "Eric Edge", "Fire Chief")]


@pytest.mark.parametrize(
    "text",
    [
        "AND THAT Council be given a minute",
        "MINUTES of Council",
        "Director Infrastructure",
        "ROLL CALL. Mayor Councilor Councilor Councilor Councilor Figley Bell",
    ],
)
def test_words_that_look_like_people_and_bodies_are_none(text: str) -> None:
    assert entities_in(text) == []


def test_a_name_that_a_line_break_cuts_is_quoted_whole() -> None:
    (who,) = extract_text(["Present: Kris Lawrence-\nAnderson"]).attendance

    assert (who.name, who.quote) == ("Kris Lawrence-Anderson", "Kris Lawrence-\nAnderson")


@pytest.mark.parametrize(
    ("text", "people"),
    [
        (
            "Members Present: Tom Vann, Chair; Barbara Free, Vice-Chair; Ann Kins, Alternates.",
            ["Tom Vann", "Barbara Free", "Ann Kins"],
        ),
        ("Cllr Beck Personal interest in item 7.", ["Beck"]),
        ("Others present: Field Inspector Scott White.", ["Scott White"]),
        ("Staff: Chief Boyce, Treasurer Silber, Fire Chief\nTamborel.", ["Boyce", "Silber"]),
    ],
)
def test_a_title_is_no_part_of_a_name(text: str, people: list[str]) -> None:
    found = [value for type_, value, _ in entities_in(text) if type_ == "person"]

    assert found[: len(people)] == people


def test_a_title_between_two_names_is_that_of_the_first_where_all_have_theirs_behind() -> None:
    text = "Present were Ann Lang, Town Clerk Don Franson, Town Engineer Bob Dole, Planner."

    assert ("person", "Don Franson", "Town Clerk") not in entities_in(text)


def test_a_heading_and_a_person_are_no_part_of_a_body() -> None:
    text = "Items Not on the Agenda\nBoard members spoke. Dean Johns of the Parks Department came."

    bodies = [value for type_, value, _ in entities_in(text) if type_ == "body"]
    assert bodies == ["Parks Department"]
