"""Who was there is read from prose, lines and columns, and from nothing else."""

from __future__ import annotations

import pytest

from clerk.extract import Presence, extract_text


def attendance(text: str) -> list[Presence]:
    return extract_text([text]).attendance


def short(who: Presence) -> str:
    """Return what a reader sees of a person: marks for late, left early and remote behind it."""
    marks = [mark for mark in ("late", "left_early", "remote") if getattr(who, mark)]
    return " ".join([who.group, who.status, who.name, *marks])


CASES = {
    "labels in one line, titles inside a list, and a name in quotation marks": (
        'Present: Mayor Ann Hobbs; Trustees: Jo Tandy, Rick "Spider" Webb Absent: Kim Royce\n\n'
        "1. Minutes\n",
        [
            *("member present Ann Hobbs", "member present Jo Tandy"),
            *("member present Rick Webb", "member absent Kim Royce"),
        ],
    ),
    "a number behind the label, and seats behind the names": (
        "Members Present (2)\nAnn Hobbs District A\nJo Tandy District B\nMembers Absent (0)\n",
        ["member present Ann Hobbs", "member present Jo Tandy"],
    ),
    "an office without its holder, and qualifications in capitals": (
        "Trustees present: Ann Hobbs, Jo Tandy\nOthers present: Township Assessor; Chief MLEO-CEMC "
        "Will Bates; Pat Webb, AICP-CUD\n",
        [
            *("member present Ann Hobbs", "member present Jo Tandy"),
            *("other present Will Bates", "other present Pat Webb"),
        ],
    ),
    "precincts behind the titles": (
        "Present:\nAnn Hobbs, County Judge\nJo Tandy, Commissioner Precinct 1\nPat Webb, "
        "Commissioner Precinct 2\n\n1. Minutes\n",
        ["member present Ann Hobbs", "member present Jo Tandy", "member present Pat Webb"],
    ),
    "surnames first, with initials, in lines": (
        "PRESENT\nCouncillors\nHOBBS, R S\nDU TOIT, A\nWEBB, J (Speaker)\n\n1. OPENING\n",
        ["member present R S HOBBS", "member present A DU TOIT", "member present J WEBB"],
    ),
    "a table with a line for each": (
        "Attendee Name      Title            Status    Arrived\nAnn Hobbs      Chairwoman       "
        "Present\nJo Tandy       Board Member     Late      7:14 PM\n\nII. SITE PLAN\n",
        ["member present Ann Hobbs", "member present Jo Tandy late"],
    ),
    "two columns side by side": (
        "MEMBERS PRESENT                  MEMBERS ABSENT\nMrs. Ann Hobbs, President       Mr. Pat "
        "Webb\nMr. Jo Tandy\n\n1. CALL TO ORDER\n",
        ["member present Ann Hobbs", "member absent Pat Webb", "member present Jo Tandy"],
    ),
    "French": (
        "Sont pr\u00e9sents : monsieur le maire Luc Hobb\u00e9, mesdames les conseill\u00e8res Ann "
        "Roy et Lise Arcand.\nEst absent : monsieur Marc Fontaine.\n\n1. OUVERTURE\n",
        [
            *("member present Luc Hobb\u00e9", "member present Ann Roy"),
            *("member present Lise Arcand", "member absent Marc Fontaine"),
        ],
    ),
    "who called the meeting to order": (
        "The meeting was called to order by President Ann Hobbs.  Also present were Trustees "
        "Jo Tandy and Pat Webb.\n\nMINUTES\n",
        [
            *("member present Ann Hobbs", "member present Jo Tandy", "member present Pat Webb"),
        ],
    ),
    "who answered the roll": (
        "On roll call, the following Council Members responded: Hobbs, Tandy and Webb. The Mayor "
        "declared a quorum.\n",
        ["member present Hobbs", "member present Tandy", "member present Webb"],
    ),
    "a worship, councillors in lines, and one on a screen": (
        "present\n\nMayor\n\nHis Worship The Mayor Ann Hobbs\n\nCouncillors\n\nJo Tandy\n\n"
        "Via audio/visual link\n\nPat Webb\n\n1        Apologies\n\nThere were none.\n",
        [
            *("member present Ann Hobbs", "member present Jo Tandy remote"),
            "member present Pat Webb",
        ],
    ),
    "a comma behind the label, and who presides": (
        "The council met, Mayor Ann Hobbs presiding. Roll call was taken with the following "
        "members present, Jo Tandy, Pat Webb and Kim Royce. Absent: Lee Nolan.\n",
        [
            *("member present Ann Hobbs", "member present Jo Tandy", "member present Pat Webb"),
            *("member present Kim Royce", "member absent Lee Nolan"),
        ],
    ),
    "those who are there as follows, with whom they are there for": (
        "Those present were as follows: Ann Hobbs, Member; Jo Tandy, Member; Pat Webb, Elm County "
        "Assessor; Kim Royce, County Clerk.\n",
        [
            *("member present Ann Hobbs", "member present Jo Tandy"),
            *("other present Pat Webb", "other present Kim Royce"),
        ],
    ),
    "a line for each, with the part they speak for": (
        "Directors present:\n\nAnn Hobbs, Chair \u2013 Division 1\n\nJo Tandy \u2013 Division 2\n\n"
        "Pat Webb \u2013 Mayoral Representative\n\nKim Royce \u2013 Elm County Board\n\n"
        "1. Minutes\n",
        [
            *("member present Ann Hobbs", "member present Jo Tandy"),
            *("member present Pat Webb", "member present Kim Royce"),
        ],
    ),
    "electoral areas behind the names": (
        "Present:\nDirector A. Hobbs Electoral Area A\nDirector J. Tandy Electoral\nArea B\n"
        "Director P. Webb City of Elm\n\nMINUTES\n",
        ["member present A. Hobbs", "member present J. Tandy", "member present P. Webb"],
    ),
    "a council in a letterhead of whom all were there": (
        "CITY COUNCIL: Mayor Ann Hobbs, Council Members Jo Tandy and Pat Webb\n\n"
        "I. ROLL CALL\nAll Council Members were present.\n",
        ["member present Ann Hobbs", "member present Jo Tandy", "member present Pat Webb"],
    ),
    "long names of offices": (
        "Directors Present: Hobbs, Tandy and Webb\nStaff Present: General Manager Kim Royce, "
        "Asst. GM Engineering and\nWater Operations Lee Nolan, Chief of Information "
        "Technology Max Ode\n\n1. Minutes\n",
        [
            *("member present Hobbs", "member present Tandy", "member present Webb"),
            *("other present Kim Royce", "other present Lee Nolan", "other present Max Ode"),
        ],
    ),
    "one name that is misprinted": (
        "Present: Cr Ann Hobbs, Cr Jo Tandy, Cr -Webb, Cr Kim Royce.\n",
        ["member present Ann Hobbs", "member present Jo Tandy", "member present Kim Royce"],
    ),
    "names and roles in columns, and a heading without a colon": (
        "District Attendees\nAnn Hobbs  Board Vice President\nJo Tandy  Board Member\n"
        "Tom R. Nolan  General Manager\n\nOther Attendees\nLee Webb  Visitor\n\n"
        "Absent\nKim Royce  Board President (Excused absence)\n\nI. Call to Order\n",
        [
            *("member present Ann Hobbs", "member present Jo Tandy", "other present Tom R. Nolan"),
            *("other present Lee Webb", "member excused Kim Royce"),
        ],
    ),
    "prose with roles": (
        "PRESENT: Mayor Ann Hobbs, Councilmembers Jo Tandy and Pat Webb (arrived at 7:15 p.m.)\n"
        "ABSENT: Councilmember Kim Royce (excused)\n"
        "STAFF: Lee Nolan, Town Clerk\n\nCALL TO ORDER\nMayor Hobbs called the meeting to order.",
        [
            *("member present Ann Hobbs", "member present Jo Tandy"),
            *("member present Pat Webb late", "member excused Kim Royce"),
            "other present Lee Nolan",
        ],
    ),
    "lines with roles above": (
        "present\n\nChairperson\n\nAnn Hobbs\n\nDeputy Chairperson\n\nJo Tandy, JP\n\nMembers\n\n"
        "Pat Webb (via MS Teams - left the meeting at 1.51pm)\n\nKim Royce\n\n"
        "1          Welcome\n\nThe chairperson opened the meeting.",
        [
            *("member present Ann Hobbs", "member present Jo Tandy"),
            *("member present Pat Webb left_early remote", "member present Kim Royce"),
        ],
    ),
    "a status behind each name, in columns": (
        "ROLL CALL:\n\nAnn Hobbs - Absent                  Jo Tandy - Present\n\n"
        "Pat Webb (Alt #1) - Absent          Kim Royce - Present\n\n"
        "Also Present:   Lee Nolan, Planner\n\nPLEDGE OF ALLEGIANCE",
        [
            *("member absent Ann Hobbs", "member present Jo Tandy"),
            *("member absent Pat Webb", "member present Kim Royce", "other present Lee Nolan"),
        ],
    ),
    "names alone": (
        "Members present: Hobbs, Tandy, Webb, and Royce. Members absent: None.\n"
        "Others present: Lee Nolan from the Fire Dept",
        [
            *("member present Hobbs", "member present Tandy", "member present Webb"),
            *("member present Royce", "other present Lee Nolan"),
        ],
    ),
    "apologies": (
        "Present: Cllr A Hobbs (Chair), Cllr Tandy, Cllr Webb\n\n"
        "Apologies for absence were received from Cllr Royce.",
        [
            *("member present A Hobbs", "member present Tandy", "member present Webb"),
            "member excused Royce",
        ],
    ),
    "the roll is called": (
        "Roll call: Lee Nolan, Town Clerk, called the roll.  Supervisor Ann Hobbs- present,"
        " Councilman Jo Tandy - present, and Councilwoman Pat Webb - absent.\n",
        [
            *("member present Ann Hobbs", "member present Jo Tandy", "member absent Pat Webb"),
        ],
    ),
    "a name broken by a line": (
        "PRESENT - Mayor Ann Hobbs, Aldermen Jo Tandy, Pat\nWebb, Kim Royce and Lee\nNolan.\n",
        [
            *("member present Ann Hobbs", "member present Jo Tandy", "member present Pat Webb"),
            *("member present Kim Royce", "member present Lee Nolan"),
        ],
    ),
    "a body's label below the first one": (
        "Present:\n\nSchool Committee:      A. Hobbs, J. St. Peter, P. Webb\n\n"
        "Absent:          K. Royce\n\nCALL TO ORDER\n",
        [
            *("member present A. Hobbs", "member present J. St. Peter", "member present P. Webb"),
            "member absent K. Royce",
        ],
    ),
    "surnames that are places": (
        "The following Commissioners were present: Goins, Hall, Key, Chambers\n\n"
        "Council Chambers\n",
        [
            *("member present Goins", "member present Hall", "member present Key"),
            "member present Chambers",
        ],
    ),
    "a label in capitals below a name": (
        "present\n\nChairperson\n\nPippa Hobbs\n\nMembers\n\nRob Tandy\n\nJo Webb\n\n"
        "ABSENT\n\nMember\n\nKim Royce, ONZM\n\n1   Welcome\n",
        [
            *("member present Pippa Hobbs", "member present Rob Tandy", "member present Jo Webb"),
            "member absent Kim Royce",
        ],
    ),
    "members among others": (
        "Others present were Supervisors Gary Hobbs and Steve Tandy, Treasurer Donna Webb and"
        " Clerk Kim Royce.\n",
        [
            *("member present Gary Hobbs", "member present Steve Tandy"),
            *("other present Donna Webb", "other present Kim Royce"),
        ],
    ),
    "divisions before names": (
        "PRESENT: Div. 5 - Bob Hobbs, Reeve; Div. 1 - Brian Tandy, Deputy Reeve;"
        " Div. 2 - Jo Webb.\n",
        [
            *("member present Bob Hobbs", "member present Brian Tandy", "member present Jo Webb"),
        ],
    ),
    "a number before the names": (
        "Present: 3 - ANN HOBBS, JO TANDY, PAT WEBB\nExcused: 1 - KIM ROYCE\n",
        [
            *("member present ANN HOBBS", "member present JO TANDY", "member present PAT WEBB"),
            "member excused KIM ROYCE",
        ],
    ),
    "present, and no colon": (
        "Regular meeting called to order at 7:30 P.M. Present Hobbs, Tandy, Webb and Royce.\n",
        [
            *("member present Hobbs", "member present Tandy", "member present Webb"),
            "member present Royce",
        ],
    ),
    "a sentence behind the last name": (
        "Present: Cllrs Lee and Nolan\nApologies received from Cllrs Hobbs, Tandy and Webb."
        " Reasons for absence were noted.\n",
        [
            *("member present Lee", "member present Nolan", "member excused Hobbs"),
            *("member excused Tandy", "member excused Webb"),
        ],
    ),
    "a roll call that was taken as follows": (
        "Roll call was taken as follows: Trustee Hobbs - present, Trustee Tandy- absent, Trustee"
        " Webb -\npresent.\n",
        ["member present Hobbs", "member absent Tandy", "member present Webb"],
    ),
    "who was also present": (
        "Board members present were Trustee Hobbs, Trustee Tandy and\nSupervisor Webb. Clerk Royce"
        " was also present.\n",
        [
            *("member present Hobbs", "member present Tandy", "member present Webb"),
            "other present Royce",
        ],
    ),
    "the firm of a guest": (
        "Present: Ann Hobbs, Jo Tandy\nOthers: Pat Webb, KPMG, Kim Royce\n",
        [
            *("member present Ann Hobbs", "member present Jo Tandy"),
            "other present Pat Webb",
        ],
    ),
    "who presides": (
        "Present were Mayor Ann Hobbs presiding, Deputy\nMayor Jo Tandy, Committeewoman Pat Webb"
        " and Township Clerk Kim Royce.\n",
        [
            *("member present Ann Hobbs", "member present Jo Tandy", "member present Pat Webb"),
            "other present Kim Royce",
        ],
    ),
}


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES)
def test_the_attendance_is_read_as_printed(text: str, expected: list[str]) -> None:
    assert [short(who) for who in attendance(text)] == expected


def test_every_person_has_a_quote_with_the_name() -> None:
    for text, _ in CASES.values():
        for who in attendance(text):
            assert who.quote == text[who.start : who.end]
            assert who.name.split()[-1] in who.quote


def test_the_absent_of_a_vote_are_not_the_attendance() -> None:
    text = (
        "PRESENT: Ann Hobbs, Jo Tandy, Pat Webb\n\n"
        "Motion by Hobbs, seconded by Tandy, to adjourn.\n"
        "AYES: Hobbs, Tandy\nNAYS: None\nABSENT: Webb\nMotion carried.\n"
    )

    assert [short(who) for who in attendance(text)] == [
        *("member present Ann Hobbs", "member present Jo Tandy", "member present Pat Webb"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "PRESENT:\n\nNATIONAL ANTHEM\n\nOPENING PRAYER\nPastor Smith led the prayer.",
        "Roll Call\nVol. 40, Page 431\nFebruary 7, 2005",
        "The following members voted YEA: Rice, Sand, Toll. NAY: Utley.",
        "Members are reminded that they must declare interests.",
    ],
)
def test_headings_and_sentences_are_nobody(text: str) -> None:
    assert attendance(text) == []


def test_a_sentence_behind_the_list_says_who_was_excused() -> None:
    text = (
        "Attending: Council Member Hobbs, Council Member Tandy and Council Member Webb.\n"
        "Mayor Royce and Council Member Nolan asked to be excused.\nThe Clerk read the agenda.\n"
    )

    assert [short(who) for who in attendance(text)] == [
        *("member present Hobbs", "member present Tandy", "member present Webb"),
        *("member excused Royce", "member excused Nolan"),
    ]


def test_names_before_a_verb_are_the_attendance_too() -> None:
    text = (
        "Chair Hobbs called the meeting to order. Chair Hobbs and Commissioners Tandy, Webb, and"
        " Royce, answered the roll. Commissioner Nolan was absent. A quorum was present.\n"
    )

    assert [short(who) for who in attendance(text)] == [
        *("member present Hobbs", "member present Tandy", "member present Webb"),
        *("member present Royce", "member absent Nolan"),
    ]


def test_a_letterhead_does_not_say_who_was_there() -> None:
    text = (
        "Alderbury Town Council\nCouncil Members: Ann Hobbs, Jo Tandy, Pat Webb\n\n"
        + "The meeting began late because of the storm that night. " * 20
        + "\n\nPresent: Ann Hobbs, Jo Tandy\n"
    )

    assert [short(who) for who in attendance(text)] == [
        *("member present Ann Hobbs", "member present Jo Tandy"),
    ]


def test_a_courtesy_is_no_role_and_begins_the_next_name() -> None:
    text = "OFFICERS PRESENT Mr Ned Gard, Chief Executive Officer Mr Dan Monk, Director of Works"

    found = extract_text([text]).attendance

    assert [(who.name, who.role) for who in found] == [
        ("Ned Gard", "Chief Executive Officer"),
        ("Dan Monk", "Director of Works"),
    ]


def test_members_with_a_courtesy_have_no_other_role() -> None:
    found = extract_text(["PRESENT: Mrs S A Abbot (Chairman), Mrs P Boon, H C Cord\n"]).attendance

    assert [(who.name, who.role) for who in found] == [
        ("S A Abbot", "Chairman"),
        ("P Boon", None),
        ("H C Cord", None),
    ]
