"""When documents are asked for again, and what a failing or cut-off fetch leaves to the next."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import Any

import httpx
import pytest
from folder_town import pdf
from small_portal import NOW, Portal

API = "https://webapi.legistar.com/v1/town"


def events(*days: str) -> list[dict[str, Any]]:
    return [
        {
            "EventId": number,
            "EventBodyName": "Council",
            "EventDate": f"{day}T00:00:00",
            "EventMinutesFile": f"https://files.example/{day}.pdf",
        }
        for number, day in enumerate(days)
    ]


def asked_documents(town: Portal) -> list[str]:
    """Days of the documents that were asked for, in order."""
    return [each.url.path[1:-4] for each in town.asked if each.url.host == "files.example"]


@pytest.fixture
def town(portal: Callable[..., Portal]) -> Portal:
    days = ("2024-02-20", "2023-06-01", "2021-12-01", "2018-01-01")
    town = portal("legistar_api", API, {"/events": events(*days)})
    town.site["start_year"] = 2010
    town.answers["files.example"] = lambda request: (
        httpx.Response(304)
        if request.headers.get("If-None-Match")
        else httpx.Response(200, content=pdf(str(request.url)), headers={"ETag": '"1"'})
    )
    return town


def test_the_older_a_document_the_less_often_it_is_asked_for(town):
    assert len(town.fetch().new) == 4

    asked = {}
    for days in (1, 25, 100, 300):
        town.fetch(NOW + timedelta(days=days))
        asked[days] = asked_documents(town)
        assert all(
            "If-None-Match" in each.headers for each in town.asked if each.url.host[0] == "f"
        )

    assert asked[1] == ["2024-02-20"]
    assert asked[25] == ["2024-02-20", "2023-06-01"]
    assert "2021-12-01" in asked[100] and "2018-01-01" not in asked[100]
    assert "2018-01-01" in asked[300]


def test_minutes_replaced_after_months_become_a_second_version(town):
    town.fetch()
    town.answers["files.example/2023-06-01"] = httpx.Response(200, content=pdf("approved"))
    town.answers = dict(reversed(town.answers.items()))

    report = town.fetch(NOW + timedelta(days=25))

    assert report.changed == ["minutes/Council/2023-06-01"]
    assert len(list((town.folder / "_clerk" / "versions").iterdir())) == 1


def test_failing_documents_back_off_one_by_one_and_starve_nobody(portal):
    days = [f"2024-02-{day:02}" for day in range(1, 11)]
    town: Portal = portal("legistar_api", API, {"/events": events(*days)})
    broken = {f"/2024-02-{day:02}.pdf" for day in range(5, 11)}
    town.answers["files.example"] = lambda request: httpx.Response(
        500 if request.url.path in broken else 200, content=pdf(str(request.url))
    )

    first = town.fetch()
    second = town.fetch(NOW + timedelta(hours=1))
    third = town.fetch(NOW + timedelta(hours=2))

    assert len(first.new) == 4 and len(first.errors) == len(second.errors) == 6
    assert third.errors == [] and len(third.postponed) == 6
    assert not {f"/{day}.pdf" for day in asked_documents(town)} & broken

    broken.clear()
    assert len(town.fetch(NOW + timedelta(hours=8)).new) == 6


def test_many_failures_in_a_row_end_a_run_and_the_next_goes_on(portal):
    days = [f"2024-01-{day:02}" for day in range(1, 31)]
    town: Portal = portal("legistar_api", API, {"/events": events(*days)})
    town.answers["files.example"] = httpx.Response(500)

    report = town.fetch()

    assert not report.complete
    assert report.errors[-1].error == "TooManyFailures"
    assert len(set(asked_documents(town))) == 25


def test_an_error_page_under_the_name_of_a_pdf_is_an_error_and_replaces_nothing(town):
    town.fetch()
    stored = {row.name: row.pdf_sha256 for row in town.known()}
    town.answers = {"files.example": "<html><h1>Error</h1></html>"} | {
        key: value for key, value in town.answers.items() if key != "files.example"
    }

    report = town.fetch(NOW + timedelta(days=1))

    assert [problem.error for problem in report.errors] == ["UnreadablePdf"]
    assert {row.name: row.pdf_sha256 for row in town.known()} == stored


class Killed(BaseException):
    """The process was killed."""


def test_a_fetch_goes_on_where_it_was_cut_off_the_newest_first(portal):
    listing = "\n".join(f"https://files.example/{number}.pdf" for number in range(10))
    town: Portal = portal("urls", "https://town.example/list.txt", {"list.txt": listing.encode()})
    town.fetch()
    kill_at = [4]

    def answer(request: httpx.Request) -> httpx.Response:
        kill_at[0] -= 1
        if kill_at[0] == 0:
            raise Killed
        return httpx.Response(200, content=pdf(str(request.url)))

    town.answers["files.example"] = answer
    later = NOW + timedelta(days=1)
    with pytest.raises(Killed):
        town.fetch(later)
    cut_off = asked_documents(town)

    town.fetch(later + timedelta(hours=1))
    went_on = asked_documents(town)
    town.fetch(later + timedelta(hours=2))

    assert len(cut_off) == 4
    assert len(went_on) == 7 and set(went_on).isdisjoint(cut_off[:3])
    assert len(asked_documents(town)) == 10


def listed_by(portal: Callable[..., Portal], scraper: str, days: Sequence[str]) -> Portal:
    """A town with minutes of these days: in an API, on a page, or in a list of addresses."""
    if scraper == "legistar_api":
        town: Portal = portal(scraper, API, {"/events": events(*days)})
    else:
        urls = [f"https://files.example/{day}.pdf" for day in days]
        form = '<p><a href="{}">Council minutes</a></p>' if scraper == "plain" else "{}\n"
        town = portal(
            scraper,
            "https://town.example/list",
            {"/list": "".join(map(form.format, urls)).encode()},
        )
        town.extra |= {"meeting": "Council", "kind": "minutes"}
    town.answers["files.example"] = lambda request: pdf(str(request.url))
    return town


@pytest.mark.parametrize("scraper", ["legistar_api", "plain", "urls"])
@pytest.mark.parametrize("kill_at", range(1, 8))
def test_a_fetch_killed_at_any_request_ends_in_the_same_state(portal, scraper, kill_at):
    days = ("2024-02-20", "2024-02-13", "2024-02-06", "2024-01-30")
    town = listed_by(portal, scraper, days)
    answer, left = town._answer, [kill_at]

    def answer_or_kill(request: httpx.Request) -> httpx.Response:
        left[0] -= 1
        if left[0] == 0:
            raise Killed
        return answer(request)

    town._answer = answer_or_kill  # type: ignore[method-assign]
    with pytest.raises(Killed):
        town.fetch()
    stored = asked_documents(town)
    town._answer = answer  # type: ignore[method-assign]
    report = town.fetch(NOW + timedelta(hours=1))

    assert report.complete and not report.errors
    assert not set(stored) & set(asked_documents(town))
    names = sorted(row.name for row in town.known())
    assert names == [f"minutes/Council/{day}" for day in sorted(days)]
    assert not list(town.folder.rglob("*.part"))


@pytest.mark.parametrize(
    "documents", [120, pytest.param(20_000, marks=[pytest.mark.chaos, pytest.mark.timeout(0)])]
)
def test_a_large_portal_is_fetched_over_several_runs_the_newest_first(portal, documents):
    # None of them is recent: those are asked for in every run.
    first = date(1930, 1, 1)
    days = [str(first + timedelta(days=number)) for number in range(documents)]
    listing = events(*days)

    def page(request: httpx.Request) -> list[dict[str, Any]]:
        skip = int(request.url.params["$skip"])
        return listing[skip : skip + 1000]

    town: Portal = portal("legistar_api", API, {"/events": page})
    town.site["start_year"] = 1930
    town.answers["files.example"] = lambda request: pdf(str(request.url))
    asked: list[str] = []
    reports = []
    while not reports or reports[-1].left:
        # Each request moves the clock by the pace.
        now = NOW + timedelta(hours=len(reports))
        reports.append(town.fetch(now, seconds=documents * 1.25))
        asked += asked_documents(town)

    assert len(reports) > 2
    assert asked == sorted(days, reverse=True)
    assert reports[0].left == documents - len(reports[0].new)
    assert all(not report.gone and not report.errors for report in reports)
    town.fetch(NOW + timedelta(hours=20), seconds=150)
    assert asked_documents(town) == []


def test_meetings_that_are_asked_one_by_one_go_on_in_the_next_run_and_thin_out(portal):
    meetings = [
        {"Id": number, "Name": "Board", "MeetingDateTime": f"{2000 + number}-01-01T10:00:00"}
        | {"MeetingTypeName": "Board", "Published": True}
        for number in range(2, 22)
    ]
    town: Portal = portal(
        "civicweb",
        "https://town.civicweb.net/Portal/",
        {
            "meetingDocuments": lambda request: [
                {"Id": int(request.url.path.split("/")[-2]), "Type": 2, "IsPublic": True}
            ],
            "MeetingsService.svc/meetings": meetings,
        },
    )
    town.site["start_year"] = 2000

    def meetings_asked() -> list[int]:
        paths = [request.url.path for request in town.asked]
        return [int(path.split("/")[-2]) for path in paths if path.endswith("meetingDocuments")]

    asked, reports = [], []
    while not reports or reports[-1].left:
        reports.append(town.fetch(NOW + timedelta(hours=len(reports)), seconds=60))
        asked += meetings_asked()

    assert len(reports) > 1
    first_asked = list(dict.fromkeys(asked))
    assert first_asked == sorted(range(2, 22), reverse=True)
    assert len(town.known()) == 20
    town.fetch(NOW + timedelta(days=8))
    assert meetings_asked() == []
    assert not [row for row in town.known() if row.gone_at]


def test_a_meeting_whose_documents_were_cut_off_is_asked_again(portal):
    """What was listed and not fetched in time is not forgotten."""

    def slow_file(request: httpx.Request) -> bytes:
        town.clock.sleep(20)
        return pdf(str(request.url))

    town: Portal = portal(
        "civicweb",
        "https://town.civicweb.net/Portal/",
        {
            "meetingDocuments": lambda request: [
                {"Id": int(request.url.path.split("/")[-2]), "Type": 2, "IsPublic": True}
            ],
            "MeetingsService.svc/meetings": [
                {"Id": number, "Name": "Board", "MeetingDateTime": f"{2000 + number}-01-01T10:00"}
                | {"MeetingTypeName": "Board", "Published": True}
                for number in range(2, 8)
            ],
            "/document/": slow_file,
        },
    )
    town.site["start_year"] = 2000

    for run in range(20):
        if not town.fetch(NOW + timedelta(hours=run), seconds=60).left:
            break

    assert len(town.known()) == 6


@pytest.mark.parametrize("answer", [503, 404])
@pytest.mark.parametrize("failures", [1, 2, 3])
def test_a_meeting_whose_document_failed_is_asked_again(portal, failures, answer):
    """In the next run, and when it failed again as late as the document itself."""
    meeting = {"Id": 2, "Name": "Board", "MeetingDateTime": "2002-01-01T10:00:00"}
    town: Portal = portal(
        "civicweb",
        "https://town.civicweb.net/Portal/",
        {
            "meetingDocuments": [{"Id": 7, "Type": 2, "IsPublic": True}],
            "MeetingsService.svc/meetings": [
                meeting | {"MeetingTypeName": "Board", "Published": True}
            ],
            "document/7": httpx.Response(answer),
        },
    )
    town.site["start_year"] = 2000
    for hour in range(failures):
        assert town.fetch(NOW + timedelta(hours=hour)).errors or hour > 1

    del town.answers["document/7"]
    town.fetch(NOW + timedelta(hours=failures))
    town.fetch(NOW + timedelta(days=8))

    assert len(town.known()) == 1


def test_a_second_run_makes_only_conditional_requests_for_documents(town):
    town.fetch()

    report = town.fetch(NOW + timedelta(days=400))

    documents = [each for each in town.asked if each.url.host.startswith("files")]
    assert len(documents) == 4 == len(report.unchanged)
    assert all("If-None-Match" in each.headers for each in documents)


def test_a_document_that_another_host_has_now_is_the_same_document(portal):
    town: Portal = portal("legistar_api", API, {"/events": events("2024-02-20")})
    town.answers["cdn.example"] = pdf("the same")
    town.answers["files.example"] = pdf("the same")
    town.fetch()
    moved = {"Location": "https://cdn.example/2024-02-20.pdf"}
    town.answers["files.example"] = httpx.Response(302, headers=moved)

    report = town.fetch(NOW + timedelta(days=1))

    assert [request.url.host for request in town.asked][-2:] == ["files.example", "cdn.example"]
    assert report.unchanged == ["minutes/Council/2024-02-20"] and not report.changed


@pytest.mark.chaos
@pytest.mark.timeout(0)
def test_five_thousand_documents_are_fetched_in_a_fraction_of_their_size(tmp_path):
    """Documents are streamed: what is kept in memory of each is a row, not its bytes."""
    number, size = 5000, 20_000
    listing = "".join(
        f'<li>{date(2010, 1, 1) + timedelta(days=at)} <a href="/{at}.pdf">Minutes</a></li>'
        for at in range(number)
    )
    town = Portal(tmp_path, "plain", "https://town.example/list", {"/list": listing})
    town.answers["town.example/"] = lambda request: pdf(str(request.url) + "x" * size)
    # What the portal itself remembers is not the fetch's.
    town._remember = lambda request: None  # type: ignore[method-assign]
    tracemalloc.start()
    try:
        assert len(town.fetch().new) == number
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert peak < 0.5 * number * size
