"""Pages that are made to be slow or to mislead cost little, and nothing is made up from them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from clerk.identify import Hints, Known, PageView, identify, split
from clerk.identify.kinds import heading_rule

#: What rules repeat, a million characters of it.
REPEATED = [
    "the board of ",
    "meeting of the ",
    "minutes of the ",
    "Town of ",
    "council of the corporation of ",
    "called ",
    "WHEREAS ",
    "January 5, 2020 ",
    "1/2/2020 ",
    "20",
    "(",
    "\n",
    "A\n",
    "\x00",
]


@pytest.mark.parametrize("piece", REPEATED)
def test_a_page_of_a_megabyte_is_cut(piece: str):
    page = piece * (1_000_000 // len(piece))
    pages = [PageView(1, page), PageView(2, page)]

    parts = split(pages, identify(pages, Hints(path=piece * 500)), Hints())

    assert [(part.first_page, part.last_page) for part in parts] in ([(1, 2)], [(1, 1), (2, 2)])


def calls_of(work: Callable[[], object]) -> int:
    """Count the calls that some work makes, of Python and of C."""
    calls = 0

    def count(_frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    heading_rule.cache_clear()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.parametrize(
    "page",
    [
        "MINUTES\nTown Board\nMay 4, 2021\nThe meeting was called to order.\nPresent: A, B",
        "Resolution 12\nMoved by A\nSeconded by B\nCarried\nMayor",
        "and so it goes on for the whole page\n" * 30,
        "Page 7 of 9\nBudget\n" + "Roads 1,200.00 3,400.00\n" * 40,
    ],
)
def test_the_work_grows_with_the_pages_and_no_faster(page: str):
    def work(count: int) -> Callable[[], object]:
        pages = [PageView(number, page) for number in range(1, count + 1)]
        return lambda: split(pages, identify(pages, Hints()), Hints())

    few, many = calls_of(work(50)), calls_of(work(200))

    assert many <= 4.2 * few


def test_a_packet_of_a_thousand_minutes_is_split():
    text = "MINUTES\nTown Board\nMay {}, 2021\nThe meeting was called to order.\nPresent: A, B"
    pages = [PageView(number, text.format(number % 28 + 1)) for number in range(1, 1001)]

    parts = split(pages, identify(pages, Hints()), Hints())

    assert len(parts) == 1000
    assert parts[27].date.value == "2021-05-01"


@pytest.mark.parametrize("day", ["0000-00-00", "9999-12-31", "2024-02-31", "soon", "2024-13-01"])
def test_a_portal_that_gives_no_day_is_not_believed(day: str):
    found = identify([PageView(1, "AGENDA\nTown Board")], Hints(portal=Known(date=day)))

    assert found.date.value is None


def test_what_a_person_said_stays_and_the_rest_is_kept_to_be_shown():
    page = PageView(1, "MINUTES\nTown Board\nMay 4, 2021\nThe meeting was called to order.")
    hints = Hints(
        path="minutes 2021-05-05.pdf",
        person=Known(date="2021-05-03", kind="agenda"),
        portal=Known(date="2021-05-06", body="Village Board"),
    )

    found = identify([page], hints)

    assert (found.date.value, found.date.source) == ("2021-05-03", "person")
    assert (found.kind.value, found.body.value) == ("agenda", "Village Board")
    others = {(other.field, other.fact.value, other.fact.source) for other in found.others}
    assert others >= {
        ("date", "2021-05-06", "portal"),
        ("date", "2021-05-04", "page"),
        ("date", "2021-05-05", "file_name"),
        ("kind", "minutes", "page"),
        ("body", "Town Board", "page"),
    }


@pytest.mark.parametrize(
    ("path", "day"),
    [
        ("Minutes 7-09-17.pdf", "2017-07-09"),
        ("2022/June-21-Amended-Agenda.pdf", "2022-06-21"),
        ("agendas/20240912_agenda.pdf", "2024-09-12"),
        ("Agenda 03142021.pdf", "2021-03-14"),
        ("October32025BoardAgenda.pdf", "2025-10-03"),
        ("https://town.example/files/minutes%20May%204%2C%202021.pdf?v=2", "2021-05-04"),
        ("October 82, 231 - Board Agenda.pdf", None),
        ("June 1, 1351 - Board Agenda.pdf", None),
        ("2021-2022 DRAFT #2  3-2020 agenda.pdf", None),
        ("21-22 Board Agenda.pdf", None),
        ("Ordinance 11-05-12.pdf", None),
        ("agenda 21-05-12.pdf", None),
        ("minutes 2024-02-31.pdf", None),
        ("05.13.24 WS minutes.pdf", "2024-05-13"),
        ("Item 4.2.10 drainage.pdf", None),
        ("RFP 2024-05-06-01.pdf", None),
        ("agenda-24.03.19.pdf", None),
        ("Draft Minutes 31 June 2023.pdf", None),
    ],
)
def test_a_day_in_the_path_is_the_paths(path: str, day: str | None):
    found = identify([PageView(1, "")], Hints(path=path))

    assert found.date.value == day
    assert found.date.source in ("", "file_name", "folder")


def test_the_day_of_a_file_that_is_no_meeting_is_not_its_date():
    page = PageView(
        1, "Financial Statements of\nTHE TOWN OF MILLBROOK\nYear ended December 31, 2025"
    )

    found = identify([page], Hints(path="2025-12-31-statements.pdf", place="Millbrook"))

    assert (found.kind.value, found.date.value) == ("report", None)
    assert ("date", "2025-12-31") in {(each.field, each.fact.value) for each in found.others}


@pytest.mark.parametrize(
    ("path", "day"),
    [
        ("2021/council/minutes-3.pdf", "2021-03-09"),
        ("council/Minutes 2021 no 3.pdf", "2021-03-09"),
        ("2020/council/minutes-3.pdf", None),
        ("council/minutes-3.pdf", None),
    ],
)
def test_a_weekday_and_the_year_of_the_path_make_a_day(path: str, day: str | None):
    """9 March was a Tuesday in 2021 and a Monday in 2020."""
    page = "TOWN OF ASHBY\nTOWN COUNCIL\nMINUTES\nTuesday, March 9\nPresent: Orr, Pike, Lund"

    found = identify([PageView(1, page)], Hints(path=path)).date

    assert found.value == day
    assert found.quote == ("Tuesday, March 9" if day else None)


def test_a_weekday_and_a_year_in_the_heading_make_a_day():
    page = "TOWN COUNCIL MINUTES 2021\nMeeting of Tuesday, 9th March\nPresent: Orr, Pike, Lund"

    assert identify([PageView(1, page)], Hints()).date.value == "2021-03-09"


def test_two_days_below_a_title_are_both_shown():
    page = "TOWN COUNCIL\nMINUTES OF THE MEETING\nMarch 4, 2024\nMarch 11, 2024\nPresent: Orr, Pike"

    found = identify([PageView(1, page)], Hints())

    assert found.date.value == "2024-03-04"
    assert found.date.confidence <= 0.7
    assert [(each.field, each.fact.value) for each in found.others] == [("date", "2024-03-11")]
