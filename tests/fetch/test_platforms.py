"""Each platform's fetcher on small pages in the platform's shape."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from clerk.core import site_files
from clerk.core.db import writing_to
from clerk.core.errors import SourceBlocked
from clerk.fetch.http.responses import NotUnderstood


def event(number: int, day: str, **files: str | None) -> dict[str, Any]:
    return {
        "EventId": number,
        "EventBodyName": "City Council",
        "EventDate": f"{day}T00:00:00",
        "EventTime": "7:00 PM",
        "EventAgendaFile": files.get("agenda"),
        "EventMinutesFile": files.get("minutes"),
        "EventInSiteURL": f"https://town.legistar.com/MeetingDetail.aspx?LEGID={number}",
    }


API = "https://webapi.legistar.com/v1/town"


def test_legistar_api(portal):
    events = [
        event(
            1, "2024-01-15", agenda="https://files.example/1a", minutes="https://files.example/1m"
        ),
        event(2, "2024-02-15", agenda="https://files.example/2a"),
        event(2, "2024-02-15", agenda="https://files.example/2a"),
        event(3, "2024-04-15"),
    ]
    town = portal("legistar_api", API, {"/events": events})

    report = town.fetch()

    assert sorted(report.new) == [
        "agendas/City Council/2024-01-15",
        "agendas/City Council/2024-02-15",
        "minutes/City Council/2024-01-15",
    ]
    assert [(gap.date, gap.reason) for gap in report.gaps] == [("2024-02-15", "no minutes")]
    assert "EventDate ge datetime'2023-01-01'" in town.asked[0].url.params["$filter"]
    assert report.meetings == 3


def test_legistar_calendar_reads_the_columns_by_their_names(portal):
    page = """<html><title>Town - Calendar</title><table class="rgMasterTable">
    <thead><tr><th>Name</th><th>Meeting Date</th><th></th><th>Meeting Time</th><th>Agenda</th>
    <th>Accessible Agenda</th><th>Minutes</th></tr></thead>
    <tr class="rgRow"><td>Zoning Board</td><td>1/15/2024</td>
      <td><a href="View.ashx?M=IC&amp;ID=7&amp;GUID=A">ics</a></td><td>6:30 PM</td>
      <td><a href="View.ashx?M=A&amp;ID=7&amp;GUID=A">Agenda</a></td>
      <td><a href="View.ashx?M=AADA&amp;ID=7&amp;GUID=A">Accessible Agenda</a></td>
      <td><a href="View.ashx?M=M&amp;ID=7&amp;GUID=A">Minutes</a></td></tr>
    <tr class="rgAltRow"><td>Zoning Board</td><td>2/15/2024</td><td></td><td>6:30 PM</td>
      <td><a>Not available</a></td><td></td><td><a>Not available</a></td></tr>
    </table></html>"""
    town = portal("legistar", "https://town.legistar.com/Calendar.aspx", {"Calendar.aspx": page})

    report = town.fetch()

    assert sorted(report.new) == [
        "agendas/Zoning Board/2024-01-15",
        "minutes/Zoning Board/2024-01-15",
    ]
    assert len(report.gaps) == 1


def test_legistar_calendar_turns_the_page_by_posting_it_back(portal):
    row = '<tr class="rgRow"><td>Board</td><td>{}</td></tr>'
    table = '<table class="rgMasterTable"><tr><th>Name</th><th>Date</th></tr>{}</table>'
    hidden = '<input type="hidden" name="__VIEWSTATE" value="state">'
    pager = """<a class="rgCurrentPage" href="#">1</a>
        <a href="javascript:__doPostBack('grid$page2','')">2</a>"""

    def calendar(request: httpx.Request) -> str:
        if request.method == "GET":
            return hidden + table.format(row.format("1/15/2024")) + pager
        assert b"grid%24page2" in request.content and b"__VIEWSTATE=state" in request.content
        return table.format(row.format("1/22/2024"))

    town = portal("legistar", "https://town.legistar.com", {"Calendar.aspx": calendar})

    assert town.fetch().meetings == 2


def agenda_row(number: str, minutes: bool = True) -> str:
    base = "/AgendaCenter/ViewFile"
    minutes_link = f'<a href="{base}/Minutes/{number}">Minutes</a>' if minutes else ""
    return f"""<tr class="catAgendaRow"><td>
      <h3><a href="{base}/Agenda/{number}?html=true">x</a></h3><p>Regular Meeting</p></td>
      <td class="minutes">{minutes_link}</td>
      <td><a href="{base}/Agenda/{number}">PDF</a>
      <a href="{base}/Agenda/{number}?packet=true">Packet</a></td></tr>"""


def agenda_center(*rows: str) -> str:
    return f"""<div class="listing"><h2>▼ City Council</h2><table>{"".join(rows)}</table></div>"""


def test_civicplus(portal):
    rows = agenda_center(agenda_row("_01152024-1"), agenda_row("_02152024-2", minutes=False))
    pages = {"startDate=01%2F01%2F2024": rows, "/Search/": "<html></html>"}
    town = portal("civicplus", "https://town.civicplus.com/AgendaCenter", pages)

    report = town.fetch()

    assert sorted(report.new) == [
        "agendas/City Council/2024-01-15",
        "agendas/City Council/2024-02-15",
        "minutes/City Council/2024-01-15",
    ]
    assert {problem.why for problem in report.skipped} == {"a packet in addition to the agenda"}


def test_civicplus_follows_to_the_towns_own_host(portal):
    def vendor(request: httpx.Request) -> httpx.Response:
        target = str(request.url).replace("town.civicplus.com", "www.town.example")
        return httpx.Response(302, headers={"Location": target})

    pages = {"//town.civicplus.com": vendor, "/Search/": agenda_center(agenda_row("_01152024-1"))}
    town = portal("civicplus", "http://town.civicplus.com/AgendaCenter", pages)

    assert len(town.fetch().new) == 2
    with_own_host = [str(request.url) for request in town.asked if "ViewFile" in str(request.url)]
    assert all(url.startswith("http://www.town.example/") for url in with_own_host)


def test_a_blank_etag_is_no_reason_to_believe_that_nothing_changed(portal):
    answers = iter([b"%PDF-1.4 draft", b"%PDF-1.4 draft", b"%PDF-1.4 approved"])

    def minutes(request: httpx.Request) -> httpx.Response:
        assert "if-none-match" not in request.headers
        return httpx.Response(200, content=next(answers), headers={"ETag": '" "'})

    pages = {"/Search/": agenda_center(agenda_row("_02152024-1")), "/Minutes/": minutes}
    town = portal("civicplus", "https://town.civicplus.com/AgendaCenter", pages)

    reports = [town.fetch() for _ in range(3)]

    assert len(reports[1].unchanged) == 2
    assert reports[2].changed == ["minutes/City Council/2024-02-15"]


def test_granicus(portal):
    page = """<table><tr class="listingRow"><td headers="Name">Board of Works Meeting</td>
      <td headers="Date x"><span style="display:none;">1705276800</span>Jan&nbsp;15,&nbsp;2024</td>
      <td><a href="//town.granicus.com/AgendaViewer.php?view_id=2&amp;clip_id=9">Agenda</a></td>
      <td><a href="//town.granicus.com/MinutesViewer.php?view_id=2&amp;clip_id=9&amp;doc_id=z">M</a>
      </td></tr></table>"""
    source = "https://town.granicus.com/ViewPublisher.php?view_id=2"
    pages = {"ViewPublisher": page, "MinutesViewer": "<html>Minutes as a page</html>"}
    town = portal("granicus", source, pages)

    report = town.fetch()

    assert report.new == ["agendas/Board of Works/2024-01-15"]
    assert [problem.why for problem in report.skipped] == ["not a PDF but an HTML page"]


def test_primegov(portal):
    def document(name: str, output: int) -> dict[str, Any]:
        facts = {"templateName": name, "compileOutputType": output, "templateId": len(name)}
        return {**facts, "publishDate": "2024-01-20T10:00:00"}

    meeting = {
        "id": 5,
        "title": "Town Council Regular Meeting",
        "dateTime": "2024-01-15T18:00:00",
        "documentList": [document("Agenda", 1), document("Minutes", 1), document("HTML Agenda", 3)],
    }
    pages = {"year=2024": [meeting], "ListArchived": [], "ListUpcoming": []}
    town = portal("primegov", "https://town.primegov.com/public/portal", pages)

    assert sorted(town.fetch().new) == [
        "agendas/Town Council/2024-01-15",
        "minutes/Town Council/2024-01-15",
    ]
    assert not any("CompiledDocument" in str(each.url) for each in town.asked_again())


def test_civicclerk_follows_the_api_from_page_to_page(portal):
    def one(number: int) -> dict[str, Any]:
        files = [{"fileId": number, "type": "Agenda", "name": "x", "publishOn": "2024"}]
        start = f"2024-01-{number:02}T19:00:00Z"
        facts = {"id": number, "eventName": "Meeting", "categoryName": "Council"}
        return {**facts, "startDateTime": start, "publishedFiles": files}

    following = "https://town.api.civicclerk.com/v1/Events?$skip=1"
    pages = {
        "skip=1": {"value": [one(9)]},
        "/v1/Events": {"value": [one(8)], "@odata.nextLink": following},
    }
    town = portal("civicclerk", "https://town.portal.civicclerk.com", pages)

    assert sorted(town.fetch().new) == ["agendas/Council/2024-01-08", "agendas/Council/2024-01-09"]


def test_boarddocs(portal):
    meetings = [
        {"unique": "AB1", "name": "School Board Meeting @ 6:30 p.m.", "numberdate": "20240115"},
        {},
    ]
    files = '<a href="/st/board/Board.nsf/files/X/$file/m.pdf">Minutes 1-15-24.pdf</a>'
    pages = {
        "/Public": '<a committeeid="C1">Board</a>',
        "BD-GetMeetingsList": meetings,
        "BD-GetPublicFiles": files + '<a href="/st/board/Board.nsf/files/Y/$file/b.pdf">Budget</a>',
    }
    town = portal("boarddocs", "https://go.boarddocs.com/st/board/Board.nsf/Public", pages)

    report = town.fetch()

    assert report.new == ["agendas/School Board/2024-01-15", "minutes/School Board/2024-01-15"]
    assert [problem.why for problem in report.skipped] == ["an attachment"]


def test_escribe_takes_one_language_and_does_not_trust_its_ids(portal):
    def meeting(identity: str, language: str) -> dict[str, Any]:
        def link(kind: str, number: int, form: str = ".pdf") -> dict[str, Any]:
            url = f"FileStream.ashx?DocumentId={number}"
            return {"Type": kind, "Title": kind, "Format": form, "Url": url}

        links = [link("Agenda", 1), link("Agenda", 2, "HTML"), link("AgendaCover", 3)]
        return {
            "ID": identity,
            "MeetingName": "Planning Committee",
            "StartDate": "2024/01/15 17:15:00",
            "LanguageName": language,
            "MeetingDocumentLink": [*links, link("PostMinutes", 4)],
        }

    both = {"d": [meeting("one", "French"), meeting("one", "English")]}
    town = portal("escribe", "https://pub-town.escribemeetings.com", {"GetCalendar": both})

    assert sorted(town.fetch().new) == [
        "agendas/Planning Committee/2024-01-15",
        "minutes/Planning Committee/2024-01-15",
    ]
    town.answers["GetCalendar"] = {"d": [meeting("another", "English")]}
    assert town.fetch().documents == 2 and not town.fetch().new


def test_novusagenda_finds_links_in_scripts_and_short_years(portal):
    page = """<table><tr class="rgRow"><td>01/15/24</td><td>Council Meeting</td><td>
      <a onclick="javascript:x=window.open('MeetingView.aspx?MeetingID=3','x')"></a></td>
      <td><a onclick="window.open('DisplayAgendaPDF.ashx?MeetingID=3')"></a></td>
      <td><a href="DisplayAgendaPDF.ashx?MinutesMeetingID=4"></a></td></tr></table>"""
    town = portal("novusagenda", "https://town.novusagenda.com/agendapublic", {"meetings": page})

    assert sorted(town.fetch().new) == ["agendas/Council/2024-01-15", "minutes/Council/2024-01-15"]


def test_municode_unwraps_links_only_to_its_own_store(portal):
    def wrapped(host: str, what: str) -> str:
        blob = f"https://{host}/town-pubu/MEET-{what}-0123456789abcdef0123.pdf"
        return f'<a href="https://meetings.municode.com/d/f?u={blob}&amp;n=x.pdf">x</a>'

    store = "store.blob.core.usgovcloudapi.net"
    page = f"""<table><tr><td>City Council Meeting</td><td>1/15/2024</td><td>6:00 PM</td>
      <td>{wrapped(store, "Agenda")}</td><td>{wrapped(store, "Packet")}</td>
      <td>{wrapped("evil.example", "Minutes")}</td></tr></table>"""
    source = "https://meetings.municode.com/PublishPage?cid=TOWN&ppid=1"
    town = portal("municode", source, {"PublishPage": page})

    report = town.fetch()

    assert report.new == ["agendas/City Council/2024-01-15"]
    assert "leads elsewhere" in report.skipped[0].why


def test_iqm2(portal):
    page = """<div class="Row MeetingRow"><div class="RowLink">
      <a href="/Citizens/Detail_Meeting.aspx?ID=77">Jan 15, 2024 5:30 PM</a></div>
      <a href="FileOpen.aspx?Type=14&amp;ID=1">Agenda</a>
      <a href="FileOpen.aspx?Type=1&amp;ID=1">Agenda Packet</a>
      <a href="FileOpen.aspx?Type=15&amp;ID=2">Minutes</a>
      <a href="FileOpen.aspx?Type=12&amp;ID=3">Backup</a>
      <a href="" class="HiddenDocumentLink">Summary</a>
      <div class="RowDetails">Parks Commission - Regular Meeting</div></div>
      <div class="Row MeetingRow"><div class="RowLink">
      <a href="/Citizens/Detail_Meeting.aspx?ID=78">Jan 16, 2024 5:30 PM</a></div>
      <span>Cancelled</span>
      <div class="RowDetails">Parks Commission - Regular Meeting</div></div>"""
    town = portal("iqm2", "https://town.iqm2.com/Citizens", {"Calendar.aspx": page})

    report = town.fetch()

    assert sorted(report.new) == [
        "agendas/Parks Commission/2024-01-15",
        "minutes/Parks Commission/2024-01-15",
    ]
    assert not report.gaps


def test_civicweb(portal):
    def meeting(number: int, published: bool) -> dict[str, Any]:
        facts = {"Id": number, "Name": "Council - Jan 15 2024", "Published": published}
        return {**facts, "MeetingDateTime": "2024-01-15 17:00"}

    documents = [
        {"Id": 11, "Type": 1, "IsPublic": True, "Name": "Council"},
        {"Id": 12, "Type": 2, "IsPublic": True, "Name": "Council"},
        {"Id": 13, "Type": 1, "IsPublic": False, "Name": "Council"},
    ]
    meetings = [meeting(1, True), meeting(2, False)]
    pages = {"meetingDocuments": documents, "MeetingsService.svc/meetings": meetings}
    town = portal("civicweb", "https://town.civicweb.net/Portal", pages)

    assert sorted(town.fetch().new) == ["agendas/Council/2024-01-15", "minutes/Council/2024-01-15"]


def test_onbase(portal):
    page = """<table><tr class="meeting-row" data-meeting-id="26">
      <td data-sortable-type="mtgName">January 15, 2024</td>
      <td data-sortable-type="mtgType">City Council Meeting</td>
      <td data-sortable-type="mtgTime">1/15/2024 7:00:00 PM</td>
      <td><a href="/OnBaseAgendaOnline/Meetings/ViewMeeting?id=26&amp;doctype=1">Agenda</a>
      <a href="/OnBaseAgendaOnline/Documents/Downloadfile/x.pdf?documentType=1&amp;meetingId=26">
      </a>
      <a href="/OnBaseAgendaOnline/Documents/Downloadfile/x.pdf?documentType=1&amp;meetingId=26">
      </a>
      </td></tr></table>"""
    town = portal("onbase", "https://docs.town.example/OnBaseAgendaOnline", {"/Meetings": page})

    assert town.fetch().new == ["agendas/City Council/2024-01-15"]


def test_a_plain_page_dates_its_links_by_what_stands_around_them(portal):
    page = """<html><title>Planning Board | Town</title>
      <p><a href="/files/pb-1-15-24.pdf">Minutes</a></p>
      <table><tr><td>February 15, 2024</td>
      <td><a href="/DocumentCenter/View/12">Agenda</a></td></tr></table>
      <p><a href="/files/map.pdf">Zoning map</a></p><a href="/contact">Contact</a></html>"""
    town = portal("plain", "https://town.example/boards", {"/boards": page})

    report = town.fetch()

    assert sorted(report.new) == [
        "agendas/Planning Board/2024-02-15",
        "minutes/Planning Board/2024-01-15",
    ]
    assert [problem.why for problem in report.skipped] == ["an attachment"]


def test_a_feed_is_read_like_a_page(portal):
    feed = b"""<?xml version="1.0"?><rss version="2.0"><channel><title>Town Council</title>
      <item><title>Agenda January 15, 2024</title><link>https://town.example/a.pdf</link></item>
      </channel></rss>"""
    town = portal("plain", "https://town.example/rss", {"/rss": feed})

    assert town.fetch().new == ["agendas/Town Council/2024-01-15"]


def test_a_calendar_is_read_like_a_page(portal):
    calendar = (
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//x//EN\r\nX-WR-CALNAME:Town Council\r\n"
        "BEGIN:VEVENT\r\nUID:1\r\nDTSTAMP:20240101T000000Z\r\nDTSTART:20240115T190000\r\n"
        "SUMMARY:Council meeting\r\nDESCRIPTION:Agenda: https://town.example/a.pdf\r\n"
        "END:VEVENT\r\nEND:VCALENDAR\r\n"
    )
    town = portal("plain", "https://town.example/ics", {"/ics": calendar.encode()})
    town.extra["kind"] = "agendas"

    assert town.fetch().new == ["agendas/Town Council/2024-01-15"]


# -- what holds for every platform


def listing(*days: str) -> list[dict[str, Any]]:
    return [event(n, day, minutes=f"https://files.example/{day}") for n, day in enumerate(days)]


def test_a_portal_that_lists_nothing_any_more_has_failed(portal):
    town = portal("legistar_api", API, {"/events": listing("2024-02-15")})
    town.fetch()
    town.answers["/events"] = []

    with pytest.raises(NotUnderstood, match=r"it listed 1 before.*found JSON: '\[\]'"):
        town.fetch()


def test_a_quiet_season_is_no_failure(portal):
    def events(request: httpx.Request) -> list[dict[str, Any]]:
        return listing("2023-02-15") if "2023-01-01" in str(request.url) else []

    town = portal("legistar_api", API, {"/events": events})
    town.fetch()

    report = town.fetch()

    assert report.unchanged == ["minutes/City Council/2023-02-15"]


def test_a_challenge_page_is_a_failure(portal):
    page = "<html><title>Just a moment...</title></html>"
    town = portal("granicus", "https://town.granicus.com/ViewPublisher.php", {"Publisher": page})

    with pytest.raises(SourceBlocked):
        town.fetch()


def test_only_the_sliding_window_is_listed_between_sweeps(portal):
    town = portal("legistar_api", API, {"/events": listing("2024-02-15")})
    town.fetch()

    town.fetch(datetime(2024, 3, 2, tzinfo=UTC))
    assert "2023-12-03" in str(town.asked[0].url)

    town.fetch(datetime(2024, 3, 9, tzinfo=UTC))
    assert "2023-01-01" in str(town.asked[0].url)


def test_all_years_are_listed_at_once_when_somebody_asks_for_it(portal):
    town = portal("legistar_api", API, {"/events": listing("2024-02-15")})
    town.fetch()
    with writing_to(town.settings.sql_url) as conn:
        site_files.forget_full_listings(conn, ["town"])

    town.fetch(datetime(2024, 3, 2, tzinfo=UTC))
    assert "2023-01-01" in str(town.asked[0].url)

    town.fetch(datetime(2024, 3, 3, tzinfo=UTC))
    assert "2023-12-04" in str(town.asked[0].url)


def test_old_documents_are_not_asked_for_again_and_recent_ones_are(portal):
    town = portal("legistar_api", API, {"/events": listing("2023-02-15", "2024-02-15")})
    town.fetch()

    town.fetch(datetime(2024, 3, 9, tzinfo=UTC))

    assert [request.url.path for request in town.asked[1:]] == ["/2024-02-15"]


def test_a_document_that_vanished_from_the_window_is_gone_and_older_ones_are_not(portal):
    town = portal(
        "legistar_api", API, {"/events": listing("2023-02-15", "2024-02-15", "2024-02-22")}
    )
    town.fetch()
    town.answers["/events"] = [event(2, "2024-02-22", minutes="https://files.example/2024-02-22")]

    report = town.fetch(datetime(2024, 3, 2, tzinfo=UTC))

    assert report.gone == ["minutes/City Council/2024-02-15"]


def test_two_meetings_of_one_body_on_one_day_do_not_collide(portal):
    town = portal("legistar_api", API, {"/events": listing("2024-02-15", "2024-02-15")})
    town.answers["/events"][1]["EventMinutesFile"] += "-special"

    assert sorted(town.fetch().new) == [
        "minutes/City Council/2024-02-15",
        "minutes/City Council/2024-02-15-2",
    ]


def test_one_document_that_fails_does_not_stop_the_others(portal):
    town = portal("legistar_api", API, {"/events": listing("2024-02-15", "2024-02-22")})
    town.answers["2024-02-22"] = httpx.Response(404)

    report = town.fetch()

    assert report.new == ["minutes/City Council/2024-02-15"]
    assert [problem.error for problem in report.errors] == ["PageMissing"]


def test_a_listing_that_breaks_off_keeps_what_it_found_and_calls_nothing_gone(portal):
    def page(request: httpx.Request) -> Any:
        if "skip=0" in str(request.url):
            return [event(1, "2024-02-15", minutes="https://files.example/m")] * 1000
        return httpx.Response(400)

    town = portal("legistar_api", API, {"/events": listing("2024-02-22")})
    town.fetch()
    town.answers["/events"] = page
    town.extra["bodies"] = ["council"]

    report = town.fetch()

    assert not report.complete and not report.gone
    assert report.errors[0].what.startswith("the listing of")


def test_only_the_bodies_that_are_followed(portal):
    town = portal("legistar_api", API, {"/events": listing("2024-02-15")})
    town.extra["bodies"] = ["library"]

    assert town.fetch().documents == 0
