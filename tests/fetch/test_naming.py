"""Dates, kinds, bodies and safe names, read off paths and titles."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clerk.fetch import naming

JANUARY_15 = date(2024, 1, 15)


@pytest.mark.parametrize(
    "text",
    [
        "2024-01-15",
        "2024_1_15",
        "2024.01.15 minutes",
        "20240115",
        "Council20240115",
        "202401151900",
        "01-15-24",
        "1/15/2024",
        "Minutes_01.15.2024",
        "_01152024-808",
        "011524",
        "240115",
        "24-01-15",
        "15.01.2024",
        "January 15, 2024",
        "JANUARY_15_2024",
        "Jan. 15th 2024",
        "Jan152024",
        "15 Jan 2024",
        "15th of January, 2024",
        "2024-Jan-15",
        "15 de enero de 2024",
        "Protokoll 15. Januar 2024",
        "Protokoll 15. Jänner 2024",
        "verbale 15 gennaio 2024",
        "ata de 15 de janeiro de 2024",
        "acta del 15 de gener de 2024",
        "protokół z dnia 15 stycznia 2024 r.",
        "zápis ze dne 15. ledna 2024",
        "15. tammikuuta 2024",
        "cofnodion 15 Ionawr 2024",
        "Monday, January 15, 2024 at 7:00 PM",
        "Minutes of January 15, 2024 approved February 1, 2024",
    ],
)
def test_a_date_is_found_however_it_is_written(text):
    assert naming.find_date(text) == JANUARY_15


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Minutes",
        "Resolution 12345678",
        "13-45-2024",
        "99999999",
        "2024",
        "Decision 5",
        "January 6 Jan. 20",
        "6 January, 20 January",
    ],
)
def test_what_is_no_date_is_not_taken_for_one(text):
    assert naming.find_date(text) is None


def test_the_day_comes_first_where_the_site_says_so():
    assert naming.find_date("02.01.2024", day_first=True) == date(2024, 1, 2)
    assert naming.find_date("02.01.2024") == date(2024, 2, 1)


@pytest.mark.parametrize(
    "path",
    [
        "Council/2024/01-15 Regular",
        "2024/January/15",
        "2024/01/15/minutes",
        "2024-01-15/minutes",
        "Council/2024/Jan 15",
        "Minutes/2024/01/City Council 15",
        "January 2024/Council 15th",
        "Board_of_Selectmen_Minutes_2024_0115",
    ],
)
def test_folders_help_to_find_the_date(path):
    assert naming.date_of_path(path.split("/")) == JANUARY_15


@pytest.mark.parametrize(
    "path", ["2024/01/District 15", "2024/02/Council 30", "Resolution 2024-0115", "Council 15"]
)
def test_a_number_is_not_taken_for_a_day_where_it_is_none(path):
    assert naming.date_of_path(path.split("/")) is None


def test_a_day_that_does_not_exist_leaves_no_month_either():
    assert naming.month_of_path(["Council", "2023-02-30"]) is None


def test_bytes_that_are_no_text_become_one_sign_each():
    assert naming.safe_component("caf\udce9\udcff") == "caf\ufffd\ufffd"


def test_a_month_is_better_than_no_date():
    assert naming.month_of_path(["Council Minutes March 2024"]) == "2024-03"
    assert naming.month_of_path(["2024", "March", "minutes"]) == "2024-03"


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("Minutes_01.15.2024", "minutes"),
        ("CityCouncilMinutes2024", "minutes"),
        ("Agendas/2024/15 Jan", "agendas"),
        ("minutes/Agenda 2024-01-15", "agendas"),
        ("_agendas/pdfs/Council/2024-01-15", "agendas"),
        ("Council/2024-01-15", None),
        ("Administration/report", None),
    ],
)
def test_the_kind_is_what_the_name_says_or_else_the_nearest_folder(path, kind):
    assert naming.kind_of_path(path.split("/")) == kind


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("City Council/Minutes/2024/01-15", "City Council"),
        ("pdfs/CityCouncil/2024-01-15", "CityCouncil"),
        ("Planning Board Minutes/2024/x", "Planning Board"),
        ("Board of Ethics Regular Meeting Agenda 2023-01-02", "Board of Ethics"),
        ("CityCouncilMinutes2024-01-15", "City Council"),
        ("2024/January/15", "Meetings"),
        ("2024-01-15 minutes (1)", "Meetings"),
        ("a scan without any date", "Meetings"),
        ("Minutes/2023/09/City Council 12", "City Council"),
        ("May 2023/Council 3", "Council"),
        ("20230105_1900_council", "council"),
        ("2023-01-05 at 7:00 PM Council", "Council"),
        ("2023-01-05 100 Year Committee", "100 Year Committee"),
        ("Minutes of the Town Council held 5th January 2023", "Town Council"),
        ("20230808CCmin", "CC"),
    ],
)
def test_the_body_is_the_nearest_telling_folder_or_what_is_left_of_the_name(path, body):
    assert naming.body_of_path(path.split("/")) == body


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("City Council Special Meeting", "City Council"),
        ("City Council Zoning Meeting", "City Council"),
        ("Urban County Council Work Session", "Urban County Council"),
        ("Board of Ethics Regular Meeting", "Board of Ethics"),
        ("Special Board Meeting/Work Session @ 5:30 p.m.", "Board"),
        ("Training Workshop/Special Board Meeting @ 2:00 p.m.", "Board"),
        ('Board Meeting (Virtual) - Click "View the Agenda"', "Board"),
        ("CANCELLED-Regular Board Meeting", "Board"),
        ("OHA Regular Meeting of the Board of Commissioners", "Board of Commissioners"),
        ("Board of Supervisors - Joint Meeting with the School Board", "Board of Supervisors"),
        ("Valley MPO - Technical Advisory Committee", "Valley MPO - Technical Advisory Committee"),
        ("Joint Property Tax Advisory Committee (JPTAC)", "Joint Property Tax Advisory Committee"),
        ("Planning Board/Zoning Board of Appeals", "Planning Board/Zoning Board of Appeals"),
        ("Audit Committee on 2018-06-21 - (following Finance Committee)", "Audit Committee"),
        ("Regular Business Meeting", "Regular Business Meeting"),
        ("Town Meeting", "Town Meeting"),
        ("Minutes from May 2002 through June 2002", "Minutes from May 2002 through June 2002"),
        ("06-10-2002", ""),
    ],
)
def test_a_title_tells_whose_meeting_it_was_or_is_kept_whole(title, body):
    assert naming.body_of_meeting(title) == body


@given(st.text())
def test_no_text_makes_the_parsers_raise(text):
    parts = text.split("/")
    naming.find_date(text)
    naming.find_date(text, day_first=True)
    naming.find_month(text)
    naming.find_kind(text)
    naming.date_of_path(parts)
    naming.month_of_path(parts)
    naming.body_of_path(parts)
    naming.body_of_meeting(text)
    naming.title_of_path(parts)


@given(st.from_regex(r"[0-9 ./_-]{4,14}|[A-Z][a-z]{2,8}[ .]?[0-9]{1,2},? ?[0-9]{2,4}"))
def test_no_heap_of_digits_makes_the_parsers_raise(text):
    naming.date_of_path(["2024", text])
    naming.find_month(text)


@given(st.text(st.characters(codec=None), max_size=400))
def test_every_text_becomes_a_safe_name(text):
    name = naming.safe_component(text)

    assert 0 < len(name.encode()) <= naming.LONGEST_NAME
    assert "/" not in name and "\0" not in name and "\\" not in name
    assert not name.startswith(".") and name.strip() == name
    assert naming.safe_component(name) == name


def test_long_names_that_differ_at_the_end_stay_different():
    one, other = (naming.safe_component("ß" * 300 + end) for end in "ab")

    assert one != other


@pytest.mark.parametrize(
    ("title", "says_whose"),
    [
        ("City Council", True),
        ("Hearing Officer Meeting", True),
        ("Regular Business Meeting", False),
        ("Budget Workshop", False),
        ("2024 Goal Setting Meeting", False),
        ("Strategic Planning Retreat", False),
    ],
)
def test_a_title_may_say_only_what_sort_of_meeting_it_is(title, says_whose):
    assert naming.names_body(title) is says_whose


@pytest.mark.parametrize(
    ("titles", "text", "day"),
    [
        (["2024", "Minutes"], "January 16", "2024-01-16"),
        (["Minutes 2023-24"], "November 7", "2023-11-07"),
        (["Minutes 2023-24"], "February 6", "2024-02-06"),
        (["Minutes 2023-24"], "June 4", "None"),
        (["2023-2024", "Board of Education"], "June 4", "2024-06-04"),
        (["2023-2024", "Board of Education"], "September 5", "2023-09-05"),
    ],
)
def test_a_day_takes_its_year_from_the_titles_above_it(titles, text, day):
    assert str(naming.date_below(titles, text)) == day


@pytest.mark.parametrize(
    ("text", "day_first"),
    [
        ("23/1/2024, 6/2/2024", True),
        ("1/23/2024, 6/2/2024", False),
        ("23.01.24 and 06.02.24", True),
        ("Tuesday 6/2/2024", True),
        ("Tue., 2/6/2024", False),
        # Both orders, or nothing that tells them apart.
        ("23/1/2024, 1/23/2024", None),
        ("6/2/2024", None),
        ("23-01-24", None),
        ("Monday 6/2/2024", None),
    ],
)
def test_the_dates_of_a_page_tell_whether_the_day_is_first(text, day_first):
    assert naming.day_first_of_text(text) is day_first


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("February 29 – March 1, 2024", date(2024, 2, 29)),
        ("December 31 and January 1, 2024", date(2023, 12, 31)),
        ("January 16-17, 2024", date(2024, 1, 16)),
        ("16–17 January 2024", date(2024, 1, 16)),
        ("16. und 17. Januar 2024", date(2024, 1, 16)),
        ("29 August and 3 September 2024", date(2024, 8, 29)),
        ("31 December to 1 January 2024", date(2023, 12, 31)),
        # The number of a document
        ("Minutes 3 - 12 March 2024", date(2024, 3, 12)),
        ("Minutes 12-3 March 2024", date(2024, 3, 3)),
    ],
)
def test_of_several_days_the_first_counts(text, day):
    assert naming.find_date(text) == day


@pytest.mark.parametrize(
    ("title", "body"),
    [("C.R.A. Regular Meeting", "C.R.A"), ("P&Z Regular Meeting", "P&Z"), ("P&Z", "P&Z")],
)
def test_a_body_may_be_called_by_its_letters(title, body):
    assert naming.body_of_meeting(title) == body


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("MEETING OF ZBA", "ZBA"),
        ("AGENDA FOR WORKSHOP", "AGENDA FOR WORKSHOP"),
    ],
)
def test_in_a_title_in_capitals_not_every_word_is_a_body(title, body):
    assert naming.body_of_meeting(title) == body


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Minutes Dec 12", date(2023, 12, 12)),
        ("Jan 23 (rescheduled from Jan 22)", date(2024, 1, 23)),
        ("Agenda (rescheduled from Jan 15)", None),
        ("Minutes - hearing continued to February 6", None),
        ("Minutes (corrected Feb 6)", None),
        ("Agenda - modified Jan 12", None),
        ("Agenda incl. minutes of Dec 5", None),
        ("Agenda with draft minutes from the December 5 meeting", None),
        ("Agenda and minutes of Jan 9", date(2024, 1, 9)),
    ],
)
def test_a_day_of_a_change_or_of_another_meeting_is_not_near(text, day):
    assert naming.day_near(text, date(2024, 1, 16)) == day


def test_the_day_of_minutes_inside_an_agenda_is_not_its_own():
    assert naming.find_dates("Agenda including minutes of December 5, 2023") == []
    assert [day for day, _ in naming.find_dates("Minutes of December 5, 2023")] == [
        date(2023, 12, 5)
    ]


@pytest.mark.parametrize(
    "title",
    [
        "Conseil municipal, mardi 5 mars 2024",
        "Bauausschuss, Dienstag, 5. März 2024",
        "Junta de Planificación, martes 5 de marzo de 2024",
    ],
)
def test_a_weekday_of_any_language_is_no_part_of_a_body(title):
    assert naming.body_of_meeting(title) == title.partition(",")[0]


def test_a_town_may_be_called_by_a_weekday():
    assert naming.body_of_meeting("Santo Domingo City Council") == "Santo Domingo City Council"


@pytest.mark.parametrize(
    "end", ["-" * 50_000 + " x", " " * 50_000 + "x", "regular " * 6_000, ", " * 20_000 + "x"]
)
def test_a_text_that_is_no_title_is_not_read_to_its_end(end):
    """Some patterns look at each place of a run again; one of these took minutes."""
    title = f"City Council {end}"

    assert naming.body_of_meeting(title) == "City Council"
    assert naming.names_body(title)
    assert naming.body_of_title(title).startswith("City Council")


@pytest.mark.parametrize("letter", ["a", "_", "1"])
def test_a_word_of_any_length_is_read_once(letter):
    """A pattern that may begin at any of its letters takes minutes for this one."""
    word = letter * 100_000

    assert naming.find_kind(word) is None
    assert naming.BODY_WORD.search(word) is None


@pytest.mark.parametrize("name", ["2024_Sitzungsniederschrift", "Ratsprotokoll 3", "2024protokoll"])
def test_a_word_for_minutes_may_end_a_longer_one(name):
    assert naming.find_kind(name) == "minutes"


def test_a_text_with_many_dates_looks_for_each_once(monkeypatch):
    looked: list[str] = []
    is_valid = naming._date_of

    def counted(match, *arguments, **named):
        looked.append(match[0])
        return is_valid(match, *arguments, **named)

    monkeypatch.setattr(naming, "_date_of", counted)
    days = [f"Council, {month} 3, 2024, " for month in ("January", "March", "May")] * 30

    found = naming.find_dates("".join(days))

    assert len(found) == 90
    assert len(looked) < 4 * 90
