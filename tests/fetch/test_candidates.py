"""Discovery: candidates of a page are tried, and what yields documents is taken."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

import httpx
import pytest
import stamina
from small_portal import StillClock

from clerk.core.errors import InvalidInput
from clerk.fetch.base import FetcherSpec
from clerk.fetch.candidates import FoundSources, find_source
from clerk.fetch.http.client import Client
from clerk.fetch.http.responses import NeedsLogin, PageMissing, RobotsRefused

TODAY = date(2024, 3, 1)
GRANICUS = """<table><tr><td>Council</td><td>Jan 16, 2024</td>
  <td><a href="/AgendaViewer.php?view_id=1&clip_id=7">Agenda</a></td></tr></table>"""


@pytest.fixture
def find(tmp_path):
    def look(
        source: str, answers: Mapping[str, Any], unreachable: str = "", **options: Any
    ) -> FoundSources:
        def answer(request: httpx.Request) -> httpx.Response:
            if unreachable and str(request.url).startswith(unreachable.rpartition("/")[0]):
                raise httpx.ConnectError("Connection refused")
            for piece, content in answers.items():
                if piece in str(request.url):
                    return content if isinstance(content, httpx.Response) else page(content)
            return httpx.Response(404)

        def opened(_spec: FetcherSpec | None) -> Client:
            return Client(tmp_path, transport=httpx.MockTransport(answer), clock=StillClock())

        with stamina.set_testing(True):
            return find_source(source, opened, today=TODAY, **options)

    return look


def page(content: Any) -> httpx.Response:
    if isinstance(content, str):
        return httpx.Response(200, html=content)
    return httpx.Response(200, json=content)


def documents(number: int) -> str:
    rows = "".join(
        f"<p>January {day}, 2024 <a href='/files/{day}.pdf'>Council Minutes</a></p>"
        for day in range(1, number + 1)
    )
    return f"<html><body>{rows}</body></html>"


def test_a_watch_live_link_decides_nothing(find):
    footer = '<footer><a href="https://town.granicus.com/player/camera/2">Watch live</a></footer>'
    found = find("https://town.gov/minutes", {"town.gov/minutes": documents(12) + footer})

    assert found.best[0].scraper == "plain"
    assert len(found.best[1].documents) == 12


def test_a_page_with_documents_of_its_own_wins_over_a_portal_that_has_more(find):
    link = '<a href="https://town.granicus.com/ViewPublisher.php?view_id=1">All boards</a>'
    answers = {"granicus.com/ViewPub": GRANICUS, "town.gov/minutes": documents(12) + link}
    found = find("https://town.gov/minutes", answers)

    assert [candidate.scraper for candidate, _ in found.tried] == ["plain", "granicus"]


def test_a_page_without_documents_leads_to_the_portal_it_links(find):
    link = """<a href="https://granicus.com">Designed by Granicus</a>
      <a href="https://town.granicus.com/ViewPublisher.php?view_id=1">Meetings</a>"""
    found = find("https://town.gov/", {"granicus.com/ViewPub": GRANICUS, "town.gov/": link})

    candidate, preview = found.best
    assert candidate.source == "https://town.granicus.com/ViewPublisher.php?view_id=1"
    assert candidate.found_in == "links"
    assert (preview.meetings, len(preview.documents)) == (1, 1)


@pytest.mark.parametrize(
    ("content", "scraper"),
    [
        (documents(2), "plain"),
        (
            """<table><tr><td class="bpsGridDate">16/01/2024</td>
            <td class="bpsGridCommittee">Council</td><td class="bpsGridAgenda">
            <a href="A.PDF">PDF</a></td></tr></table>""",
            "infocouncil",
        ),
    ],
)
def test_a_home_page_leads_to_the_page_about_meetings_that_it_links(find, content, scraper):
    home = """<a href="/parks">Parks</a>
      <a href="https://records.town.gov/">Agendas &amp; Minutes</a>"""
    found = find("https://www.town.gov/", {"records.town.gov": content, "www.town.gov/": home})

    assert found.best[0].scraper == scraper
    assert found.best[0].source == "https://records.town.gov/"


def test_a_list_of_pages_of_meetings_is_found_only_where_no_page_has_documents(find):
    home = """<p>March 3, 2024 <a href="/news/1">Council approves budget</a></p>
      <p>March 1, 2024 <a href="/news/2">Road closed</a></p><a href="/m/">Meetings</a>"""
    answers = {
        "/m/1": '<h1>City Council</h1><a href="/1.pdf">Agenda</a>',
        "/m/2": '<h1>City Council</h1><a href="/2.pdf">Minutes</a>',
        "/m/": """<h1>Meetings</h1><p><a href="/m/1">January 16, 2024</a></p>
          <p><a href="/m/2">January 2, 2024</a></p>""",
        "/news/": "<p>News</p>",
        "www.town.gov/": home,
    }
    found = find("https://www.town.gov/", answers)

    assert (found.best[0].scraper, found.best[0].source) == (
        "meeting_pages",
        "https://www.town.gov/m/",
    )
    assert [str(each.day) for each in found.best[1].documents] == ["2024-01-16", "2024-01-02"]


HOME = '<p>Welcome</p><a href="/parks">Parks</a><a href="/government">Government</a>'


@pytest.mark.parametrize(
    ("typed", "answers", "source"),
    [
        (
            "https://town.gov/",
            {
                "/council/minutes": documents(2),
                "/council": '<a href="/council/minutes">Minutes</a>',
                "/government": '<a href="/council">Town Council</a>',
                "town.gov/": HOME,
            },
            "https://town.gov/council/minutes",
        ),
        (
            "https://town.gov/",
            {
                "main.htm": '<a href="min.htm">Minutes</a>',
                "min.htm": documents(2),
                "town.gov/": '<frameset><frame src="menu.htm"><frame src="main.htm"></frameset>',
            },
            "https://town.gov/min.htm",
        ),
        ("https://town.gov/list", {"http://town.gov/list": documents(2)}, "http://town.gov/list"),
        (
            "https://town.gov/list",
            {"https://www.town.gov/list": documents(2)},
            "https://www.town.gov/list",
        ),
    ],
    ids=["three clicks away", "in a frame", "without https", "with www only"],
)
def test_the_list_is_found_from_where_a_person_starts(find, typed, answers, source):
    found = find(typed, answers, unreachable=typed if "list" in typed else "")

    assert (found.best[0].scraper, found.best[0].source) == ("plain", source)


def test_lists_that_one_page_links_can_be_read_together(find):
    answers = {
        "/agendas": documents(2).replace("Minutes", "Agenda").replace("/files/", "/a/"),
        "/old": documents(1).replace("2024", "2014").replace("/files/", "/old/"),
        "/minutes": documents(2),
        "town.gov/": '<a href="/old">Minutes to 2014</a><a href="/agendas">Agendas</a>'
        '<a href="/minutes">Minutes</a>',
    }
    found = find("https://town.gov/", answers)

    together, *each = [candidate for candidate, _ in found.tried]
    assert together.source == "https://town.gov/"
    assert together.where == "all 3 lists that it links"
    assert len(found.best[1].documents) == 5
    assert together.settings["follow"].count("town") == 3
    assert each[0].where == "linked from https://town.gov/"
    assert each[-1].source == "https://town.gov/old", "what nobody adds to is last"


def test_a_page_that_asks_for_a_password_is_named_so(find):
    form = '<h1>Sign in</h1><form><input name="user"><input type="password" name="word"></form>'
    found = find("https://town.gov/board", {"town.gov/board": form})

    assert isinstance(found.failed[0][1], NeedsLogin)


VIEW = "https://town.granicus.com/ViewPublisher.php?view_id=1"


@pytest.mark.parametrize(
    "start",
    [
        f'<iframe loading="lazy" data-src="{VIEW}"></iframe>',
        f'<object data="{VIEW}"></object>',
        f'<meta http-equiv="Refresh" content="0; URL=\'{VIEW}\'">',
        f"<button onclick=\"window.open('{VIEW}')\">Agendas</button>",
        f"<script>show({{base: '{VIEW}'}})</script>".replace("/", r"\/").replace(r"<\/", "</"),
        httpx.Response(302, headers={"location": VIEW}),
        '<a href="/parks">Parks</a><a href="/government">Government</a>',
    ],
)
def test_a_start_page_leads_to_the_portal_however_it_names_it(find, start):
    answers = {
        "granicus.com/ViewPub": GRANICUS,
        "town.gov/government": f'<a href="{VIEW}">Agendas</a>',
        "town.gov/": start,
    }
    found = find("https://town.gov/", answers)

    assert (found.best[0].scraper, found.best[0].source) == ("granicus", VIEW)


def test_a_link_to_videos_is_tried_last(find):
    home = """<a href="https://town.granicus.com/player/camera/2">Watch live</a>
      <a href="/minutes">Minutes</a>"""
    answers = {"town.gov/minutes": documents(2), "town.gov/": home, "view_id=1": GRANICUS}

    assert find("https://town.gov/", answers).best[0].scraper == "plain"
    del answers["town.gov/minutes"]
    assert find("https://town.gov/", answers).best[0].scraper == "granicus"


def test_a_page_that_frames_a_portal_leads_to_it(find):
    frame = '<iframe src="//town.primegov.com/public/portal"></iframe>'
    meeting = {"id": 1, "title": "Council", "dateTime": "2024-01-16T18:00:00"}
    meeting["documentList"] = [{"templateName": "Minutes", "templateId": 1, "compileOutputType": 1}]
    answers = {"year=2024": [meeting], "primegov.com": [], "town.gov/meetings": frame}
    found = find("https://town.gov/meetings", answers)

    assert found.best[0].scraper == "primegov"
    assert found.best[0].found_in == "a frame"


def test_legistar_on_a_towns_own_host_is_known_by_its_page(find):
    calendar = """<table class="rgMasterTable"><tr><th>Name</th><th>Meeting Date</th><th></th></tr>
      <tr class="rgRow"><td>Council</td><td>1/16/2024</td>
      <td><a href="View.ashx?M=A&ID=1&GUID=G">Agenda</a></td></tr></table>"""
    found = find("https://meetings.town.gov/", {"meetings.town.gov/": calendar})

    assert found.best[0].scraper == "legistar"


def test_a_calendar_of_days_in_the_same_table_is_not_legistars(find):
    days = """<table class="rgMasterTable"><tr class="rgRow"><td class="SimpleCalendarDate">Tuesday,
      16 January</td><td><p class="Meeting"><a href="/x/ViewMeetingPublic/mid/1/Meeting/5/D.aspx">
      10:00 Cabinet</a></p></td></tr></table>"""
    found = find("https://council.gov.uk/meetings", {"council.gov.uk/meetings": days})

    assert found.best[0].scraper == "cmis"


def test_a_single_document_of_a_vendor_is_no_portal(find):
    link = '<a href="https://town.legistar.com/SignIn.aspx">Sign in</a>'
    found = find("https://town.gov/", {"town.gov/": f"<p>Welcome</p>{link}"})

    assert found.best is None
    assert found.failed


def test_robots_txt_that_refuses_is_reported_as_that(find):
    refused = {"robots.txt": httpx.Response(200, text="User-agent: *\nDisallow: /")}
    found = find("https://town.granicus.com/ViewPublisher.php?view_id=1", refused)

    assert isinstance(found.failed[0][1], RobotsRefused)


def test_an_address_that_does_not_exist_says_so(find):
    found = find("https://town.gov/", {})

    assert isinstance(found.failed[0][1], PageMissing)
    with pytest.raises(InvalidInput):
        find("ftp://town.gov/", {})


def test_a_preview_reads_a_bounded_number_of_pages(find):
    meetings = [
        {
            "Id": number,
            "Name": f"Council - Jan {number % 28 + 1} 2024",
            "MeetingDateTime": f"2024-01-{number % 28 + 1:02} 17:00",
            "Published": True,
        }
        for number in range(200)
    ]
    files = [{"Id": 1, "Type": 1, "IsPublic": True}]
    found = find(
        "https://town.civicweb.net/",
        {"meetingDocuments": files, "MeetingsService.svc/meetings": meetings},
    )

    preview = found.best[1]
    assert preview.stopped_early and preview.pages == 40
    assert {(each.kind, each.day.year) for each in preview.documents} == {("agendas", 2024)}


def test_a_page_without_meetings_says_what_it_links_instead(find):
    links = "<a href='b.pdf'>Budget of 9 January 2024</a><a href='c.pdf'>Fees of 9 January 2024</a>"
    found = find("https://town.gov/papers", {"town.gov/papers": f"<h1>Papers</h1>{links}"})

    assert found.best is None
    said = [str(error) for candidate, error in found.failed if candidate.scraper == "plain"]
    assert len(said) == 1
    assert "expected minutes or agendas among the 2 documents that it links" in said[0]
    assert "Budget of 9 January 2024" in said[0]


def test_escribe_is_known_on_a_town_s_own_host(find):
    meeting = {
        "ID": "a",
        "MeetingName": "Council",
        "StartDate": "2024/01/16 18:30:00",
        "MeetingDocumentLink": [
            {"Type": "Agenda", "Format": ".pdf", "Url": "filestream.ashx?DocumentId=1"}
        ],
    }
    start = '<form action="./MeetingsCalendarView.aspx"></form><script src="/app.js"></script>'
    answers = {"GetCalendarMeetings": {"d": [meeting]}, "meetings.town.ca": start}

    found = find("https://meetings.town.ca/", answers)

    assert found.best is not None
    candidate, preview = found.best
    assert candidate.scraper == "escribe"
    assert [each.day for each in preview.documents] == [date(2024, 1, 16)]
