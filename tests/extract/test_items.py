"""A vote belongs to the agenda item above it, with its number and its title."""

from __future__ import annotations

import pytest

from clerk.extract import Vote, extract_text
from clerk.extract.cues import document_text
from clerk.extract.items import Items, agenda_items

MOTION = "Motion by Ito, second by Jett to approve it. Motion carried."


def vote_below(heading: str, motion: str = MOTION) -> Vote:
    return extract_text([f"{heading}\n{motion}\n"]).votes[-1]


@pytest.mark.parametrize(
    ("heading", "item", "title"),
    [
        ("4. APPROVAL OF MINUTES - May 4", "4", "APPROVAL OF MINUTES - May 4"),
        ("2.1 Wildwood Park\n\nStaff reported on the park.\n", "2.1", "Wildwood Park"),
        ("VIII.\n\nApproval of Bills\n", "VIII", "Approval of Bills"),
        ("1. Call to order\nA. Roll call\nB. Minutes of May 4", "B", "Minutes of May 4"),
        ("## 10. Project Management", "10", "Project Management"),
        ("NEW BUSINESS", None, "NEW BUSINESS"),
        ("Cemetery Regulations:\n\nThe Chairman read them out.\n", None, "Cemetery Regulations"),
        ("3. Review of Minutes: July 1 Meeting Minutes", "3", "Review of Minutes"),
        ("6. Resolution: Adopt the budget.", "6", "Resolution: Adopt the budget"),
        ("7. By-law: Set the fees. Staff spoke.", "7", "By-law: Set the fees"),
        ("3. Minutes: May 13, 2019", "3", "Minutes: May 13, 2019"),
        ("3. Review of Minutes             Official Action", "3", "Review of Minutes"),
        (
            "a. Ordinance to repeal Chapter 19, Land Management, of the Code of\nOrdinances of"
            " Elm\n",
            "a",
            "Ordinance to repeal Chapter 19, Land Management, of the Code of Ordinances of Elm",
        ),
        # What numbers nothing.
        ("MINUTES\nTOWN OF ELM\n\nThe board met.\n", None, None),
        ("TOWN BOARD MEETING\nMAY 9, 2031\n\nThe board met.\n", None, None),
        # Clauses of what is decided.
        (
            "6. Letters\nR2031-17 Ito, Jett:\nTHEREFORE we support the advice given by the Elm"
            " League:\n\n1. Keep local rules.\n\n2. Work with groups that would develop options."
            " Carried.\n",
            "6",
            "Letters",
        ),
        (
            "6. Letters\nA meeting may be closed if the following two conditions are met:\n"
            "1. It is held for training.\n2. Nobody deals with any matter.\n7. Roads\n",
            "7",
            "Roads",
        ),
        (
            "6. Letters\nThat we look into the expansion of the St. John Cemetery; including:\n"
            "1. A survey of the lots;\n2. A request to the Authority. Carried.\n",
            "6",
            "Letters",
        ),
        (
            "3. Plans\nThe manager would like to see them go on as follows:\n1. Survey the lots.\n"
            "2. Ask the state.\n3. Build.\n\n4. Old business\n",
            "4",
            "Old business",
        ),
        ("(2)\n\nPresent: Ito, Jett and Moss\n", None, None),
        ("The board discussed the following:\n1. Roads\n2. Bridges\n", "2", "Bridges"),
        # Those who stand for a seat are no items, whoever is the last of them.
        (
            "6. Vacancy\n\n1. Lisa Chale\n2. Kyle McTavish\n3. Mina Brown\n4. Rob van Saar\n\n",
            "6",
            "Vacancy",
        ),
        ("Present: Ito, Jett and\nR. A. Gardner\n", None, None),
        ("27 William Street\n", None, None),
        (
            "It was about Items 5.4, 5.5, and a long list of other things that were\n5.6."
            " He spoke.",
            None,
            None,
        ),
    ],
)
def test_the_heading_above_a_vote_is_its_item(
    heading: str, item: str | None, title: str | None
) -> None:
    vote = vote_below(heading)

    assert (vote.item, vote.item_title) == (item, title)


def test_a_heading_in_the_same_line_is_found_where_lines_are_lost() -> None:
    text = f"1. CALL TO ORDER: 2. PUBLIC FORUM: 3. APPROVAL OF MINUTES: {MOTION}"

    (vote,) = extract_text([text]).votes

    assert (vote.item, vote.item_title) == ("3", "APPROVAL OF MINUTES")


def test_a_consent_agenda_is_one_vote_over_its_items_with_the_exceptions() -> None:
    agenda = """5. Consent Agenda
   A. Minutes of May 4
   B. Tax rate resolution
   C. Bleachers
"""
    motion = (
        "Motion by Ito, second by Jett to approve the consent agenda except item B. Carried 5-0."
    )

    vote = vote_below(agenda, motion)

    assert vote.consent_items == ["A Minutes of May 4", "B Tax rate resolution", "C Bleachers"]
    assert vote.consent_exceptions == ["B"]


def test_other_votes_have_no_consent_items() -> None:
    assert vote_below("4. Bills").consent_items == []


def test_the_items_of_an_agenda_end_where_its_numbers_begin_again() -> None:
    roman = ("I", "II", "III", "IV", "V", "VI", "VII")
    agenda = "\n\n".join(f"{number}. Topic number {number}" for number in roman)
    report = "\n\n".join(f"{number}. Finding {number}" for number in ("I", "II", "III"))
    items = Items(document_text([f"{agenda}\n\n", f"{report}\n\n"]))

    found = agenda_items(items)

    assert [each.number for each in found] == list(roman)
    assert found[4].title == "Topic number V" and found[4].quote == "V. Topic number V"


def test_the_title_of_a_point_ends_before_the_next_point() -> None:
    text = """1. Minutes
2. Public hearings
a. Case 9, 14 Alder Square, special permit for a pottery kiln, the Guild
b. Case 10, 3 Orchard Lane, dwelling
c. Case 11, 90 Mill Street, solar panels on the roof of the fire station and
on the garage
3. Adjournment
"""
    titles = [each.title for each in agenda_items(Items(document_text([text])))]

    assert titles[2:5] == [
        "Case 9, 14 Alder Square, special permit for a pottery kiln, the Guild",
        "Case 10, 3 Orchard Lane, dwelling",
        "Case 11, 90 Mill Street, solar panels on the roof of the fire station and on the garage",
    ]


def test_the_rows_of_a_table_are_items_and_the_notes_below_it_are_not() -> None:
    agenda = """Town Council Agenda
14 Bridge Street, Council Chamber
Item Subject Sponsor
1 Roll call
2 Minutes of May 20, 2024
3 Ordinance No. 2024-07, tables of restaurants on the sidewalks of Bridge Street
and Mill Street
4 Budget of 2025, $20,187,400
5 Adjournment
Item 3: Tables would be allowed from April 15 to October 31.
Item 4: The hearing is closed.
Item 5: Good night.
"""

    found = agenda_items(Items(document_text([agenda])))

    assert [(each.number, each.title) for each in found] == [
        ("1", "Roll call"),
        ("2", "Minutes of May 20, 2024"),
        (
            "3",
            "Ordinance No. 2024-07, tables of restaurants on the sidewalks of Bridge Street"
            " and Mill Street",
        ),
        ("4", "Budget of 2025, $20,187,400"),
        ("5", "Adjournment"),
    ]
    assert found[3].quote == "4 Budget of 2025, $20,187,400"


@pytest.mark.parametrize(
    "text",
    [
        "14 Bridge Street\n1 Roll call\n2 Minutes\n3 Adjournment\n",
        "1 TOWN OF IPSWICH\n2 Minutes\n3 Present: Ito\n4 Absent: Jett\n5 Adjourned\n",
        "Minutes\n1 The Chair called the\n2 meeting to order\n3 At 7\n4 Ito spoke\n5 Jett too\n",
        "1 Main Street\n2 Main Street\n4 Main Street\n5 Main Street\n6 Main Street\n",
        "Minutes\n" + "A line of a report.\n" * 200 + "1 One\n2 Two\n3 Three\n4 Four\n",
    ],
)
def test_numbers_of_lines_and_short_late_or_broken_rows_are_no_items(text: str) -> None:
    assert agenda_items(Items(document_text([text]))) == []


def test_a_number_that_lost_its_dot_is_that_of_the_next_item() -> None:
    agenda = """MINUTES
7. Old Business
8. Hearings
9 Correspondence.
Letters were read about
27 William Street
10. Announcements
11 Public Comment
11 Elm Street
12 Adjournment.
"""
    above = "1. Call to Order\n2. Roll Call\n3. Minutes\n4. Bills\n5. Reports\n6. Library\n"
    found = agenda_items(Items(document_text([agenda.replace("7.", above + "7.", 1)])))

    assert [(each.number, each.title) for each in found][6:] == [
        ("7", "Old Business"),
        ("8", "Hearings"),
        ("9", "Correspondence"),
        ("10", "Announcements"),
        ("11", "Public Comment"),
        ("12", "Adjournment"),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "4 William Street",
        "5 Correspondence",
        "4 The letters were read",
        "4 Members were heard. They left.",
        "4 copies of the plan",
    ],
)
def test_other_lines_that_begin_with_a_number_are_no_items(line: str) -> None:
    found = agenda_items(
        Items(document_text([f"MINUTES\n1. Call to Order\n2. Minutes\n3. Bills\n{line}\n"]))
    )

    assert [each.number for each in found] == ["1", "2", "3"]


def test_a_vote_on_the_consent_agenda_belongs_to_it_and_not_to_its_last_item() -> None:
    agenda = """**III. Consent Calendar**
The following items were acted upon:

1. Approval of Minutes
2. Accept and File the Report of the Treasurer for the month of August
3. Accept and File the Report on Investments for the month of August
"""

    vote = vote_below(agenda, "Ito moved to approve the consent calendar. Jett seconded. Carried.")

    assert (vote.item, vote.item_title) == ("III", "Consent Calendar")
    assert vote.consent_items == [
        "1 Approval of Minutes",
        "2 Accept and File the Report of the Treasurer for the month of August",
        "3 Accept and File the Report on Investments for the month of August",
    ]
