"""Layouts of the platforms that towns really have, on small pages of our own."""
# ruff: noqa: E501 - pages have long lines

from __future__ import annotations

import json
import re
from datetime import UTC, date, datetime
from typing import Any
from urllib.parse import parse_qs

import httpx
import pytest
from small_portal import NOW, Portal

from clerk.core.errors import SourceUnavailable
from clerk.fetch.base import Context, FetchReport, Window
from clerk.fetch.discover import registered, source_settings
from clerk.fetch.http.client import Client

Listed = tuple[str, str, str, str]
TODAY = NOW.date()


def listed(portal: Portal, *, since: int = 2023, today: date = TODAY) -> list[Listed]:
    """What a fetcher lists: kind, day, body and address of each document."""
    spec = registered()[portal.site["scraper"]]
    site = {**portal.site, "extra": portal.extra}
    with portal.client() as client:
        context = Context(
            site, source_settings(site, spec), lambda: client, FetchReport(spec.id), today
        )
        fetcher = spec.factory(context)
        window = Window(date(since, 1, 1), date(today.year + 1, 1, 1), full=True)
        found = []
        for meeting in fetcher.list_meetings(window):
            for ref in fetcher.list_documents(meeting):
                found.append((ref.kind, str(meeting.day), meeting.body, ref.url))
    return sorted(found)


GRANICUS = "https://town.granicus.com"


@pytest.mark.parametrize(
    "rows",
    [
        # The default template, with a number hidden before the date.
        """<table><tr class="listingRow"><td headers="Name">City Council Special Meeting</td>
        <td headers="Date"><span style="display:none">1705363200</span>Jan 16, 2024</td>
        <td><a href="//town.granicus.com/AgendaViewer.php?view_id=1&clip_id=7">Agenda</a></td>
        <td><a href="//town.granicus.com/MinutesViewer.php?view_id=1&clip_id=7&doc_id=x">M</a></td>
        </tr></table>""",
        # Other classes and no headers; links in scripts.
        """<table><tr class="odd"><td>City Council</td><td>January 16, 2024 - 6:00 PM</td><td>
        <a href="javascript:void(0)"
        onclick="window.open('//town.granicus.com/AgendaViewer.php?view_id=1&clip_id=7')">x</a>
        <input type="button" value="Minutes"
        onclick="window.open('//town.granicus.com/MinutesViewer.php?view_id=1&clip_id=7&doc_id=x')">
        </td></tr></table>""",
        # No table: nested blocks, icons instead of words, a remark in a comment.
        """<div class="row"><div><span class="committee">City Council</span><br>
        01/16/2024</div><div><!-- <td>02/20/2023</td> -->
        <a href="/AgendaViewer.php?view_id=1&clip_id=7"><img src="a.gif"></a>
        <a href="/MinutesViewer.php?view_id=1&clip_id=7&doc_id=x"><img src="m.gif"></a></div></div>
        <div class="row"><div><span class="committee">Parks Board</span><br>02/01/2024</div></div>""",
        # One flat list: the date before the link counts.
        """<p><b>City Council</b> December 5, 2023 - no documents</p>
        <p><b>City Council</b> January 16, 2024
        <a href="/AgendaViewer.php?view_id=1&clip_id=7">Agenda</a> -
        <a href="/MinutesViewer.php?view_id=1&clip_id=7&doc_id=x">Minutes</a></p>""",
    ],
)
def test_every_template_of_granicus_is_read_by_its_links(portal, rows):
    source = f"{GRANICUS}/ViewPublisher.php?view_id=1"
    town = portal("granicus", source, {"ViewPublisher.php": f"<html><body>{rows}</body></html>"})

    assert listed(town) == [
        (
            "agendas",
            "2024-01-16",
            "City Council",
            f"{GRANICUS}/AgendaViewer.php?view_id=1&clip_id=7",
        ),
        (
            "minutes",
            "2024-01-16",
            "City Council",
            f"{GRANICUS}/MinutesViewer.php?view_id=1&clip_id=7&doc_id=x",
        ),
    ]


def test_a_granicus_row_may_link_minutes_as_a_file_of_the_town(portal):
    row = """<ol><li><div>City Council</div><div>Jan 16, 2024</div>
      <a href="/AgendaViewer.php?view_id=1&clip_id=7">Agenda</a>
      <a href="/minutes/7.pdf">Approved Minutes</a> <a href="/report.pdf">Report</a></li></ol>"""
    town = portal("granicus", f"{GRANICUS}/ViewPublisher.php?view_id=1", {"ViewPublisher": row})

    assert [(kind, url) for kind, _, _, url in listed(town)] == [
        ("agendas", f"{GRANICUS}/AgendaViewer.php?view_id=1&clip_id=7"),
        ("minutes", f"{GRANICUS}/minutes/7.pdf"),
    ]


def test_a_granicus_row_may_have_its_minutes_in_a_menu(portal):
    row = """<table><tr><td>City Council</td><td>Jan 16, 2024</td>
      <td><a href="/AgendaViewer.php?view_id=1&clip_id=7">Agenda</a></td><td><select>
      <option>Documents...</option><option value="/MinutesViewer.php?view_id=1&clip_id=7&doc_id=a">
      Minutes</option><option value="/MinutesViewer.php?view_id=1&clip_id=7&doc_id=b">Transcript
      </option></select></td><td></td></tr></table>"""
    town = portal("granicus", f"{GRANICUS}/ViewPublisher.php?view_id=1", {"ViewPublisher": row})

    assert [(kind, url) for kind, _, _, url in listed(town)] == [
        ("agendas", f"{GRANICUS}/AgendaViewer.php?view_id=1&clip_id=7"),
        ("minutes", f"{GRANICUS}/MinutesViewer.php?view_id=1&clip_id=7&doc_id=a"),
    ]


def test_a_granicus_page_without_links_gives_way_to_its_feed(portal):
    feed = f"""<?xml version="1.0"?><rss version="2.0"><channel><item>
      <title>City Council - Jan 16, 2024</title>
      <link>{GRANICUS}/AgendaViewer.php?view_id=1&amp;clip_id=7</link></item></channel></rss>"""
    answers = {"mode=agendas": feed, "mode=minutes": httpx.Response(404), "ViewPub": "<p>Hello</p>"}
    town = portal("granicus", f"{GRANICUS}/ViewPublisher.php?view_id=1", answers)

    assert [(kind, day, body) for kind, day, body, _ in listed(town)] == [
        ("agendas", "2024-01-16", "City Council")
    ]


def legistar_row(number: int, day: str, *, detail: str = "", documents: str = "AM") -> str:
    """A row whose body's name leads to the body's page, the same in all rows."""
    links = "".join(
        f'<td><a href="View.ashx?M={kind}&ID={number}&GUID=G{number}">x</a></td>'
        for kind in documents
    )
    return f"""<tr class="rgRow"><td><a href="DepartmentDetail.aspx?ID=5&GUID=D">Council</a></td>
      <td>{day}</td><td><a href="View.ashx?M=IC&ID={number}&GUID=G{number}"></a></td>
      <td>{detail}</td>{links}</tr>"""


def calendar(*rows: str, years: bool = True) -> str:
    heads = "".join(f"<th>{name}</th>" for name in ("Name", "Meeting Date", "", "Details", "", ""))
    choice = '<input name="ctl00$ContentPlaceHolder1$lstYears" value="This Year">' if years else ""
    return f"""<form><input type="hidden" name="__VIEWSTATE" value="s">{choice}
      <table class="rgMasterTable"><tr>{heads}</tr>{"".join(rows)}</table></form>"""


def test_a_legistar_meeting_is_never_known_by_its_bodys_page(portal):
    page = calendar(
        legistar_row(1, "1/15/2024"),
        legistar_row(2, "1/15/2024"),
        legistar_row(3, "2/5/2024", documents="A"),
        years=False,
    )
    town = portal("legistar", "https://town.legistar.com/Calendar.aspx", {"Calendar.aspx": page})
    first = town.fetch()

    town.answers["Calendar.aspx"] = calendar(legistar_row(2, "1/15/2024"), years=False)
    second = town.fetch(datetime(2024, 3, 2, tzinfo=UTC))

    assert first.meetings == 3
    assert sorted(first.new) == [
        "agendas/Council/2024-01-15",
        "agendas/Council/2024-01-15-2",
        "agendas/Council/2024-02-05",
        "minutes/Council/2024-01-15",
        "minutes/Council/2024-01-15-2",
    ]
    assert second.changed == [] and len(second.unchanged) == 2


def test_an_empty_year_to_come_does_not_end_legistars_history(portal):
    def answer(request: httpx.Request) -> str:
        form = parse_qs(request.content.decode())
        year = form.get("ctl00$ContentPlaceHolder1$lstYears", [""])[0]
        days = {"2024": (4, "2/5/2024"), "2022": (3, "5/2/2022"), "2019": (2, "5/2/2019")}
        if not year:
            return calendar(legistar_row(9, "11/4/2024"))
        return calendar(*([legistar_row(*days[year])] if year in days else []))

    town = portal("legistar", "https://meetings.town.gov/Calendar.aspx", {"Calendar.aspx": answer})

    days = {day for _, day, _, _ in listed(town, since=2010, today=date(2024, 11, 20))}

    assert days == {"2024-11-04", "2024-02-05", "2022-05-02", "2019-05-02"}


def test_legistars_further_pages_come_by_posting_back(portal):
    def answer(request: httpx.Request) -> str:
        target = parse_qs(request.content.decode()).get("__EVENTTARGET", [""])[0]
        number = 2 if target == "page2" else 1
        pages = """<a class="rgCurrentPage">1</a>
          <a href="javascript:__doPostBack('page2','')">2</a>"""
        rows = legistar_row(number, f"1/{number}/2024", documents="A")
        return calendar(rows, years=False) + (pages if number == 1 else "")

    town = portal("legistar", "https://town.legistar.com/Calendar.aspx", {"Calendar.aspx": answer})

    assert [day for _, day, _, _ in listed(town)] == ["2024-01-01", "2024-01-02"]


def test_legistar_asks_for_all_bodies_where_the_form_shows_one(portal):
    def answer(request: httpx.Request) -> str:
        form = parse_qs(request.content.decode())
        everything = form.get("c$lstBodies") == ["All Departments"]
        rows = legistar_row(1, "1/1/2024", documents="A")
        rows += legistar_row(2, "1/2/2024", documents="A") if everything else ""
        return (
            calendar(rows, years=False)
            + """<input name="c$lstBodies" id="c_lstBodies_Input"
          value="City Council"><div id="c_lstBodies_DropDown"><ul><li>All Departments</li>
          <li>City Council</li></ul></div>"""
        )

    town = portal("legistar", "https://town.legistar.com/Calendar.aspx", {"Calendar.aspx": answer})

    assert [day for _, day, _, _ in listed(town)] == ["2024-01-01", "2024-01-02"]


#: Layouts that no fetcher was written for: the platform's links next to dates.
UNSEEN = {
    "iqm2": (
        "https://town.iqm2.com/Citizens/Calendar.aspx",
        """<table><tr><td>Jan 16, 2024 9:00 AM</td>
        <td><a href="Detail_Meeting.aspx?ID=7">Board of Commissioners</a></td>
        <td><a href="FileOpen.aspx?Type=14&ID=1">Agenda</a> <a href="FileOpen.aspx?Type=15&ID=2">
        Minutes</a> <a href="FileOpen.aspx?Type=12&ID=2">Minutes Packet</a></td></tr></table>""",
    ),
    "suiteone": (
        "https://town.suiteonemedia.com/",
        """<h2>Board of Commissioners</h2><div class="card"><p>Jan 16, 2024</p>
        <a href="/event/GetAgendaFile/A?aid=1">open</a>
        <a href="/event/GetMinutesFile/M?mid=2">open</a></div>""",
    ),
    "boardbook": (
        "https://meetings.boardbook.org/Public/Organization/7",
        """<ul><li><b>Board of Commissioners</b> January 16, 2024
        <a href="/Public/Agenda/7?meeting=1">Agenda</a>
        <a href="/Public/Minutes/7?meeting=1">Minutes</a></li></ul>""",
    ),
    "novusagenda": (
        "https://town.novusagenda.com/agendapublic",
        """<div><span>01/16/24</span> <b>Board of Commissioners</b>
        <a href="javascript:window.open('DisplayAgendaPDF.ashx?MeetingID=1')">A</a>
        <a href="javascript:window.open('DisplayAgendaPDF.ashx?MinutesMeetingID=1')">M</a></div>""",
    ),
    "infocouncil": (
        "https://town.infocouncil.biz/",
        """<div class="grid"><div>16/01/2024 <strong>Board of Commissioners</strong>
        <a href="RedirectToDoc.aspx?URL=Open/2024/01/BC_16012024_AGN_7_AT.PDF">PDF</a>
        <a href="RedirectToDoc.aspx?URL=Open/2024/01/BC_16012024_MIN_7.PDF">PDF</a></div></div>""",
    ),
    "infocouncil rows": (
        "https://town.infocouncil.biz/",
        """<table id="grdMenu"><tr><td class="bpsGridCommittee">Board of Commissioners<span>Hall
        </span></td><td class="bpsGridDate">16 Jan 2024 7:00 PM</td><td class="bpsGridAgenda">
        <a href="BC_A.PDF">PDF</a></td><td class="bpsGridMinutes"><a href="BC_M.PDF">PDF</a></td>
        </tr></table>""",
    ),
    "municode": (
        "https://town-wa.municodemeetings.com/",
        """<section><h3>Board of Commissioners</h3><p>January 16, 2024</p>
        <a href="https://x.blob.core.usgovcloudapi.net/MEET-Agenda-e5993d899da74002.pdf">A</a>
        <a href="https://x.blob.core.usgovcloudapi.net/MEET-Minutes-e5993d899da74002.pdf">M</a>
        </section>""",
    ),
    "civicplus": (
        "https://town.example/AgendaCenter/Board-3",
        """<h2>Board of Commissioners Agendas &amp; Minutes</h2><ul>
        <li><a href="/AgendaCenter/ViewFile/Agenda/_01162024-9">Agenda</a></li>
        <li><a href="/AgendaCenter/ViewFile/Minutes/_01162024-9">Minutes</a></li></ul>""",
    ),
    "legistar columns": (
        "https://meetings.town.example/Calendar.aspx",
        """<title>Town - Calendar</title><table class="rgMasterTable"><tr><th>Board/Committee</th>
        <th>Fecha</th><th>Agenda</th><th>Minutes</th></tr><tr class="rgRow"><td>
        <a href="DepartmentDetail.aspx?ID=7&GUID=G">Board of Commissioners</a></td>
        <td>Tue 1/16/2024</td><td><a href="https://town.legistar1.com/2024/1_A_Agenda.pdf">Agenda</a>
        </td><td><a href="View.ashx?ID=1&GUID=G&M=M">Minutes</a></td></tr></table>""",
    ),
    "agendaquick": (
        "https://public.destinyhosted.com/agenda_publish.cfm?id=7",
        """<div><b>01/16/2024</b> Board of Commissioners
        <a href="/agenda_publish.cfm?id=7&dsp=ag&seq=9">Agenda</a>
        <a href="/agenda_publish.cfm?id=7&dsp=min&seq=9">Minutes</a></div>""",
    ),
    "onbase": (
        "https://town.hylandcloud.com/231agendaonline/",
        """<table><tr><th>Name</th><th>Type</th><th>Date</th></tr><tr>
        <td>Board of Commissioners Formal</td><td>Formal</td><td>01/16/2024 09:30 AM</td><td>
        <a href="/231agendaonline/Documents/DownloadFile/A.pdf?documentType=1&meetingId=5">A</a>
        <a href="/231agendaonline/Documents/DownloadFile/M.pdf?documentType=2&meetingId=5">M</a></td>
        </tr></table>""",
    ),
    "legistar": (
        "https://town.legistar.com/Calendar.aspx",
        """<div class="meeting"><h4>Board of Commissioners</h4> 1/16/2024
        <a href="View.ashx?M=A&ID=1&GUID=G">Agenda</a>
        <a href="View.ashx?M=M&ID=1&GUID=G">Minutes</a></div>""",
    ),
}


@pytest.mark.parametrize("scraper", UNSEEN)
def test_a_layout_nobody_has_seen_is_read_by_its_links_and_the_dates_next_to_them(portal, scraper):
    source, page = UNSEEN[scraper]
    scraper = scraper.partition(" ")[0]
    where = source.partition("//")[2].partition("/")[0]

    found = {each[:3] for each in listed(portal(scraper, source, {where: page}))}

    assert found == {
        ("agendas", "2024-01-16", "Board of Commissioners"),
        ("minutes", "2024-01-16", "Board of Commissioners"),
    }


def test_a_list_of_cmis_has_whole_dates_and_no_minutes_of_another_meeting(portal):
    root = "https://town.cmis.uk.com/town/Meetings"
    page = f"""<div class="CMIS_ModuleWrapper"><table><tr class="rgRow"><td>
      <a href="{root}/ctl/ViewMeetingPublic/mid/3/Meeting/42/Committee/4/Default.aspx">
      9 Jan 2024 11:00 - Planning Committee</a></td><td>Room 3</td></tr></table></div>"""
    documents = """<ul class="DocumentList"><li><a href="/Document.ashx?id=a">Agenda Contents</a></li>
      <li><a href="/Document.ashx?x">Minutes of the previous meeting</a></li></ul>"""
    town = portal("cmis", f"{root}.aspx", {"ViewMeetingPublic": documents, "Meetings.aspx": page})

    found = listed(town)

    assert [(kind, day, body) for kind, day, body, _ in found] == [
        ("agendas", "2024-01-09", "Planning Committee")
    ]


def test_a_closed_service_of_civicweb_gives_way_to_its_pages(portal):
    page = """<h3>Board of Commissioners</h3><ol><li>
      <a class="list-link" href="/Portal/MeetingInformation.aspx?Id=4">Regular Meeting: January 16, 2024</a>
      </li></ol>"""
    meeting = """<a href="/document/51/?printPdf=true">Agenda</a>
      <a href="/document/52/?printPdf=true">Minutes</a> <a href="/document/53/">Map</a>"""
    missing = httpx.Response(404)
    town = portal(
        "civicweb",
        "https://town.civicweb.net/Portal/",
        {"Service": missing, "MeetingTypeList": page, "MeetingInformation": meeting},
    )

    assert [(kind, day, body) for kind, day, body, _ in listed(town)] == [
        ("agendas", "2024-01-16", "Board of Commissioners"),
        ("minutes", "2024-01-16", "Board of Commissioners"),
    ]


def test_onbase_is_read_by_the_titles_of_its_links(portal):
    root = "https://docs.town.example/AgendaOnline"
    home = """<ul><li><a id="lnkMeetingAgenda_8" href="/AgendaOnline/Meetings/ViewMeeting?id=8&doctype=1"
      title="View Agenda for Regular Session City Council on 1/16/2024 10:00:00 AM">Agenda</a>
      <a href="/AgendaOnline/Meetings/ViewMeeting?id=8&doctype=2"
      title="View Minutes for Regular Session City Council on 1/16/2024 10:00:00 AM">Actions</a>
      <!-- <a href="/AgendaOnline/Documents/DownloadFile/m.pdf?documentType=2&meetingId=8">PDF</a> -->
      </li></ul>"""
    town = portal("onbase", root, {"/Meetings/Search": "<p>none</p>", "/AgendaOnline/": home})

    assert [(kind, day, url.partition("/Documents/")[2]) for kind, day, _, url in listed(town)] == [
        ("agendas", "2024-01-16", "ViewAgenda?meetingId=8&type=agenda&doctype=1"),
        ("minutes", "2024-01-16", "DownloadFile/m.pdf?documentType=2&meetingId=8"),
    ]


def test_municode_stops_where_its_last_page_repeats(portal):
    row = """<tr><td class="meeting">City Council</td><td>1/16/2024</td><td>
      <a href="https://meetings.municode.com/d/f?u=https://x.blob.core.usgovcloudapi.net/MEET-Agenda-{id}.pdf&n=a">
      </a></td></tr>"""

    def answer(request: httpx.Request) -> str:
        number = min(int(request.url.params["p"]), 2)
        return f"<table>{row.replace('{id}', f'{number:016x}')}</table>"

    town = portal(
        "municode", "https://meetings.municode.com/PublishPage?cid=T", {"Publish": answer}
    )

    assert len(listed(town)) == 2
    assert len(town.asked) == 3


def test_the_drupal_pages_of_municode_name_their_cells(portal):
    page = """<table class="views-table"><tr>
      <td><span class="date-display-single" content="2024-01-16T19:00:00-07:00">01/16/2024</span></td>
      <td class="views-field views-field-title">Tree Board</td>
      <td class="views-field views-field-field-agendas">
      <a href="https://x.blob.core.usgovcloudapi.net/t/MEET-Agenda-e5993d899da74002.pdf"></a>
      <a href="https://meetings.municode.com/adaHtmlDocument/index?cc=T&me=e5993d899da74002"></a></td>
      <td class="views-field views-field-field-minutes">
      <a href="/sites/default/files/fileattachments/m.pdf">1-16</a></td></tr></table>
      <table class="calendar"><tr><td>16</td><td>January 2024</td></tr></table>"""
    town = portal(
        "municode", "https://town-wa.municodemeetings.com/", {"municodemeetings.com/": page}
    )

    assert [(kind, day, body) for kind, day, body, _ in listed(town)] == [
        ("agendas", "2024-01-16", "Tree Board"),
        ("minutes", "2024-01-16", "Tree Board"),
    ]


def test_the_home_page_of_municode_shows_the_first_rows_of_a_list_elsewhere(portal):
    def page(day: str, number: int, pager: str = "") -> str:
        return f"""<table class="views-table"><tr><td><time datetime="{day}T19:00:00">{day}</time></td>
        <td class="views-field views-field-title">Tree Board</td><td class="views-field views-field-field-agendas">
        <a href="https://x.blob.core.usgovcloudapi.net/t/MEET-Agenda-e5993d899da7400{number}.pdf">PDF</a></td>
        <td class="views-field views-field-view-node"><a href="/trees">Details</a></td></tr></table>{pager}"""

    town = portal(
        "municode",
        "https://town-wa.municodemeetings.com/",
        {
            "/meetings?page=1": page("2024-01-02", 2),
            "?page": httpx.Response(404),
            "com/": page("2024-01-16", 1, '<a href="/meetings?page=1">next</a>'),
        },
    )

    assert [day for _, day, _, _ in listed(town)] == ["2024-01-02", "2024-01-16"]


def test_a_body_s_page_in_several_rows_of_municode_is_no_meeting_s(portal):
    row = """<tr><td><time datetime="{0}T19:00:00">{0}</time></td><td class="views-field views-field-title">Tree Board</td>
    <td class="views-field views-field-field-minutes"><a href="/sites/{0}.pdf">PDF</a></td>
    <td class="views-field views-field-view-node"><a href="/trees">Details</a></td></tr>"""
    rows = "".join(row.format(day) for day in ("2024-01-02", "2024-01-16"))
    town = portal(
        "municode",
        "https://town-wa.municodemeetings.com/",
        {"municodemeetings.com/": f'<table class="views-table">{rows}</table>'},
    )

    assert [day for _, day, _, _ in listed(town)] == ["2024-01-02", "2024-01-16"]


def test_primegov_takes_the_pdf_or_else_the_page_and_no_notice(portal):
    def document(name: str, template: int, output: int) -> dict[str, Any]:
        return {"templateName": name, "templateId": template, "compileOutputType": output}

    meeting = {
        "id": 1,
        "title": "City Council",
        "date": "Jan 16, 2024",
        "time": "06:00 PM",
        "documentList": [
            document("Agenda", 1, 1),
            document("Agenda", 1, 3),
            document("HTML Minutes", 2, 3),
            document("Meeting Notice", 3, 1),
            document("Minutes of the Work Session", 4, 2),
            {"templateName": "Agenda"},
        ],
    }
    odd = {"title": "without an id"}
    answers = {"ListUpcoming": [], "year=2024": [odd, meeting], "ListArchived": []}
    town = portal("primegov", "https://town.primegov.com/public/portal", answers)

    assert [(kind, day, url.rpartition("?")[2]) for kind, day, _, url in listed(town)] == [
        ("agendas", "2024-01-16", "meetingTemplateId=1&compileOutputType=1"),
        ("minutes", "2024-01-16", "meetingTemplateId=2&compileOutputType=3"),
        ("minutes", "2024-01-16", "meetingTemplateId=4&compileOutputType=2"),
    ]


def test_the_history_of_a_town_that_left_its_platform_years_ago_is_found(portal):
    meeting = {"id": 1, "title": "Council", "dateTime": "2014-01-16T18:00:00"}
    meeting["documentList"] = [{"templateName": "Minutes", "templateId": 1, "compileOutputType": 1}]
    answers = {"year=2014": [meeting], "ListUpcoming": [], "ListArchived": httpx.Response(404)}
    town = portal("primegov", "https://town.primegov.com/public/portal", answers)

    assert [day for _, day, _, _ in listed(town, since=2000)] == ["2014-01-16"]
    years = [each.url.params["year"] for each in town.asked if "year" in each.url.params]
    assert years[-1] == "2011"


@pytest.mark.parametrize(
    "start", ["2024/01/16 18:30:00", "/Date(1705429800000)/", "2024-01-16T18:30:00"]
)
def test_escribe_writes_dates_in_three_ways(portal, start):
    link = {"Type": "PostMinutes", "Format": "HTML", "Url": "Meeting.aspx?Id=1&Agenda=PostMinutes"}
    meeting = {
        "ID": "1",
        "MeetingName": "Council",
        "StartDate": start,
        "MeetingDocumentLink": [link],
    }
    town = portal("escribe", "https://pub-town.escribemeetings.com", {"GetCal": {"d": [meeting]}})

    assert listed(town)[0][:3] == ("minutes", "2024-01-16", "Council")


SMALL_PAGES: dict[str, tuple[str, dict[str, Any], list[tuple[str, str, str]]]] = {
    "allris": (
        "https://stadt.example/allris/si010",
        {
            "/gr010": """<a href="./gr020?GRLFDNR=7">Rat der Stadt</a>""",
            "/si018": """<table><tr><td>16.01.2024</td><td>17:00</td><td><a id="si_8"
            href="./to010?SILFDNR=8">Sitzung des Rates der Stadt</a></td></tr>
            <tr><td>01.02.2024</td><td></td><td>Rat, noch ohne Tagesordnung</td></tr></table>""",
            "/to010": """<dt>Datum</dt><dd>16.01.2024</dd>
            <a href="./wicket/file?1" title="Niederschrift (öffentlich)">Protokoll</a>
            <a href="./wicket/file?2">Vorlage</a>""",
            "/si010": "<html><script>calendar()</script></html>",
        },
        [
            ("agendas", "2024-01-16", "Rat der Stadt"),
            ("minutes", "2024-01-16", "Rat der Stadt"),
        ],
    ),
    "vision": (
        "https://town.example/government/agendas",
        {
            "Event/31/7": """<h1>Planning Commission</h1><main><p>Tuesday, January 16, 2024</p>
            <ul><li><a href="/home/showpublisheddocument/5/638">Agenda</a></li>
            <li><a href="/home/showpublisheddocument/6/638">Minutes</a></li></ul></main>""",
            "Event/30/7": """<h1>City Council</h1><main><p>January 9, 2024 6:00 PM</p>
            <a href="/home/showpublisheddocument/4/638">Agenda Packet</a></main>""",
            "npage=2": '<p>January 9, 2024 <a href="/Home/Components/Calendar/Event/30/7">C</a></p>',
            "/government/agendas": """<p>January 16, 2024
            <a href="/Home/Components/Calendar/Event/31/7">Planning Commission</a></p>
            <a href="/government/agendas?npage=2">2</a>""",
        },
        [
            ("agendas", "2024-01-09", "City Council"),
            ("agendas", "2024-01-16", "Planning Commission"),
            ("minutes", "2024-01-16", "Planning Commission"),
        ],
    ),
    "proudcity": (
        "https://town.example/meetings/",
        {
            "/meetings/council-january-16": """<h1>City Council: January 16, 2024</h1><article>
            <a href="https://storage.googleapis.com/proudcity/town/2024/01/a.pdf">Agenda</a>
            <a href="https://storage.googleapis.com/proudcity/town/2024/01/m.pdf">Minutes</a>
            </article>""",
            "/meetings/": """<ul><li><a href="/meetings/council-january-16/">City Council</a>
            </li></ul>""",
        },
        [("agendas", "2024-01-16", "City Council"), ("minutes", "2024-01-16", "City Council")],
    ),
    "opencities": (
        "https://www.council.nsw.gov.au/Council/Meetings",
        {
            "cvid=a1": {
                "html": """<ul class="related-information-list"><li>
                <a class="document ext-pdf" href="/files/assets/public/v/1/x1.pdf">Agenda(PDF, 2MB)</a>
                <li><a href="/files/assets/public/v/1/x-minutes.pdf">Download</a></li>
                <li><a class="document ext-pdf" href="/files/x2.pdf">Attachments(PDF, 9MB)</a></li>"""
            },
            "cvid=b2": {"html": '<a class="document ext-pdf" href="/files/y.pdf">Minutes</a>'},
            "cvid=c3": {"html": "<p>No documents available</p>"},
            "(pageindex=2)": """<a class="minutes-trigger" data-cvid="b2"><span class="minutes-date">
            05/12/2023</span><span class="meeting-type">Local Planning Panel</span></a>
            <a class="minutes-trigger" data-cvid="c3"><span class="minutes-date">1 May 2023</span></a>""",
            "/Council/Meetings": """<a class="accordion-trigger minutes-trigger" data-cvid="a1">
            <span class="minutes-date">16 January 2024</span>
            <span class="meeting-type">Ordinary Council Meeting</span></a>
            <div class="seamless-pagination seamless-pagination-count-2"></div>""",
        },
        [
            ("agendas", "2024-01-16", "Council"),
            ("minutes", "2023-12-05", "Local Planning Panel"),
            ("minutes", "2024-01-16", "Council"),
        ],
    ),
    "meeting_pages": (
        "https://town.example/meetings/2024",
        {
            "/detail/2": """<h1>February Regular Town Board Meeting</h1>
            <ul><li><a href="/files/feb.pdf">Agenda</a></li></ul>""",
            "/detail/1": """<h1>Organizational Meeting</h1><p>Town Board</p>
            <ul><li><a href="/files/jan.pdf">Minutes</a></li></ul>""",
            "/detail/0": '<h1>Town Board</h1><a href="/files/dec.pdf">Minutes</a>',
            "/meetings/2023": '<p><a href="/detail/0">December 13, 2023: Meeting</a></p>',
            "/meetings/2024": """<nav><a href="/news/1">News</a> <a href="/budget/2023">2023</a></nav>
            <h2>Meetings</h2><ul><li><a href="/detail/2">February 14, 2024: Regular Meeting</a></li>
            <li><a href="/detail/1">January 10, 2024: Organizational Meeting</a></li></ul>
            <a href="/meetings/2023">2023</a>""",
        },
        [
            ("agendas", "2024-02-14", "Town Board"),
            ("minutes", "2023-12-13", "Town Board"),
            ("minutes", "2024-01-10", "Town Board"),
        ],
    ),
    "boardbook": (
        "https://meetings.boardbook.org/Public/Organization/9",
        {
            "/Public/Organization/9": """<select><option value="unit-4">Audit Committee</option>
            </select><table><tr class="row-for-board"><td><div>January 16, 2024 at 6:15 PM - Regular
            Meeting</div></td><td><a href="/Public/Agenda/9?meeting=1">Agenda</a>
            <a href="/Public/PublicNotice/9?meeting=1">Notice</a>
            <a href="/Public/Minutes/9?meeting=1">Minutes</a></td></tr>
            <tr class="row-for-unit-4"><td><div>January 16, 2024 at 8:00 AM - Audit</div></td>
            <td><a href="/Public/Agenda/9?meeting=2">Agenda</a></td></tr></table>"""
        },
        [
            ("agendas", "2024-01-16", "Audit Committee"),
            ("agendas", "2024-01-16", "Regular Meeting"),
            ("minutes", "2024-01-16", "Regular Meeting"),
        ],
    ),
    "infocouncil": (
        "https://council.example/meetings",
        {
            "year=2023": """<table><tr class="bpsGridMenuItem"><td class="bpsGridDate">05/12/2023
            </td><td class="bpsGridCommittee">Council Meeting<span>Town Hall</span></td>
            <td class="bpsGridAgenda"><a href="RedirectToDoc.aspx?URL=Open/A_AGN_WEB.htm">x</a>
            <a href="RedirectToDoc.aspx?URL=Open/A_AGN.PDF">x</a></td><td class="bpsGridMinutes">
            <a href="RedirectToDoc.aspx?URL=Open/A_MIN_WEB.htm">x</a></td></tr></table>""",
            "council.example": "<table class='bpsGridMenuItem'></table>",
        },
        [("agendas", "2023-12-05", "Council"), ("minutes", "2023-12-05", "Council")],
    ),
    "suiteone": (
        "https://town.suiteonemedia.com/",
        {
            "suiteonemedia.com/": """<table class="eventTable"><thead><tr><th>Meeting</th>
            <th>Date | Time</th><th>Agenda</th><th>Packet</th><th>Minutes</th></tr></thead><tbody>
            <tr><td><a href="/event/?id=1">Tree Committee <span>(opens in new window)</span></a></td>
            <td>Jan 16, 2024 | 09:00 AM</td>
            <td><a href="/event/GetAgendaFile/Agenda?aid=1">x</a></td>
            <td><a href="/event/GetAgendaPacketFile/Agenda?aid=1">x</a></td>
            <td aria-label="No data"></td></tr></tbody></table>"""
        },
        [("agendas", "2024-01-16", "Tree Committee")],
    ),
    "agendaquick": (
        "https://destinyhosted.com/agenda_publish.cfm?id=7",
        {
            "agenda_publish.cfm": """<table id="list"><tbody><tr><td>February 6, 2024*</td>
            <td>FINANCE COMMITTEE - CANCELED</td><td></td></tr>
            <tr><td><a href="agenda_publish.cfm?id=7&dsp=ag&seq=1">January 16, 2024</a></td>
            <td>CITY COUNCIL</td><td><a href="agenda_publish.cfm?id=7&dsp=min&seq=2">Minutes</a></td>
            </tr></tbody></table>"""
        },
        [("agendas", "2024-01-16", "CITY COUNCIL"), ("minutes", "2024-01-16", "CITY COUNCIL")],
    ),
    "swagit": (
        "https://town.new.swagit.com/views/1",
        {
            "/views/1": """<ul class="nav-tabs-swagit"><li class="active"><a href="/views/1/a">
            Council Archive</a></li></ul><table><tr><td><a href="/videos/5">City Council</a></td>
            <td>Jan 16, 2024</td><!-- <td><a href="/videos/5/agenda">Agenda</a></td> --></tr></table>"""
        },
        [("agendas", "2024-01-16", "City Council")],
    ),
    "moderngov": (
        "https://democracy.town.gov.uk/",
        {
            "GetCommittees": """<committees><committee><committeeid>4</committeeid>
            <committeetitle>Audit Committee</committeetitle></committee></committees>""",
            "GetMeetings": """<getmeetings><committee><committeeid>4</committeeid>
            <committeetitle>Audit Committee</committeetitle><committeemeetings>
            <meeting><meetingid>1</meetingid><meetingdate>05/02/2024</meetingdate>
            <meetingstatus>Confirmed</meetingstatus><meetingtime>10.00 am</meetingtime></meeting>
            <meeting><meetingid>2</meetingid><meetingdate>06/02/2024</meetingdate>
            <meetingstatus>Cancelled</meetingstatus></meeting></committeemeetings></committee>
            </getmeetings>""",
            "GetMeeting?": """<meeting><meetingid>1</meetingid><agendapublished>True
            </agendapublished><minutepublished>True</minutepublished></meeting>""",
            "ieListDocuments": """<a href="/documents/g1/Printed%20minutes%2005.pdf?T=1">Minutes</a>
            <a href="/documents/s9/Minutes%20of%20the%20last.pdf">Minutes of the last meeting</a>""",
        },
        [
            ("agendas", "2024-02-05", "Audit Committee"),
            ("minutes", "2024-02-05", "Audit Committee"),
        ],
    ),
    "cmis": (
        "https://town.cmis.uk.com/town/Meetings.aspx",
        {
            "ViewMeetingPublic": """<ol class="DocumentList"><li><a class="TitleLink"
            href="/Document.ashx?id=1">Planning Minutes 16012024</a></li><li><a class="TitleLink"
            href="/Document.ashx?id=2">Planning Agenda</a></li></ol>""",
            "Meetings.aspx": """<table class="rgMasterTable"><tr class="rgRow">
            <td class="SimpleCalendarDate">Tuesday, 6 February</td><td><p class="Meeting">
            <a href="/t/ctl/ViewMeetingPublic/mid/3/Meeting/15/Committee/4/Default.aspx">14:00
            Planning Committee</a></p></td></tr></table>""",
        },
        [
            ("agendas", "2024-02-06", "Planning Committee"),
            ("minutes", "2024-01-16", "Planning Committee"),
        ],
    ),
    "simbli": (
        "https://simbli.eboardsolutions.com/SB_Meetings/SB_MeetingListing.aspx?S=7",
        {
            "SB_MeetingListing": "<script>var constr = 'c'; var sToken = 't';</script>",
            "GetMeetingListing": [
                {
                    "Master_MeetingID": 3,
                    "MM_MeetingTitle": "Board Meeting",
                    "MM_DateTime": "2024-01-16T18:00:00",
                    "MinutesStatus": "PUBLISHED",
                }
            ],
        },
        [("agendas", "2024-01-16", "Board"), ("minutes", "2024-01-16", "Board")],
    ),
    "oparl": (
        "https://oparl.town.de/",
        {
            "oparl.town.de/bodies": {"data": [{"meeting": "https://oparl.town.de/meetings"}]},
            "oparl.town.de/meetings": {
                "data": [
                    {"id": "x", "name": "broken", "start": "200-10-03"},
                    {
                        "id": "https://oparl.town.de/meeting/1",
                        "name": "4. Sitzung",
                        "start": "2024-01-16T18:00:00+01:00",
                        "organization": [{"name": "Finanzausschuss"}],
                        "invitation": {"accessUrl": "https://oparl.town.de/files/1.pdf"},
                        "resultsProtocol": {"accessUrl": "https://oparl.town.de/files/2.pdf"},
                    },
                ],
                "links": {},
            },
            "oparl.town.de/": {"type": "System", "body": "https://oparl.town.de/bodies"},
        },
        [
            ("agendas", "2024-01-16", "Finanzausschuss"),
            ("minutes", "2024-01-16", "Finanzausschuss"),
        ],
    ),
    "notubiz": (
        "https://town.notubiz.nl/?organisation_id=12",
        {
            "/events/meetings/1": {
                "documents": [
                    {"id": 1, "title": "Verslag", "url": "https://api.notubiz.nl/document/1"},
                    {"id": 2, "title": "Bijlage", "url": "https://api.notubiz.nl/document/2"},
                ]
            },
            "/events": {
                "events": [
                    {
                        "id": 1,
                        "plannings": [{"start_date": "2024-01-16T19:30:00+01:00"}],
                        "attributes": [{"id": "title", "value": "Raadsvergadering"}],
                    }
                ]
            },
        },
        [("minutes", "2024-01-16", "Raadsvergadering")],
    ),
    "archivecenter": (
        "https://www.town.gov/Archive.aspx",
        {
            "AMID=31": """<h1>Archive Center</h1><h2>City Council Minutes</h2>
            <a href="Archive.aspx?ADID=5">January 16, 2024</a>
            <a href="Archive.aspx?ADID=6">Index</a>""",
            "Archive.aspx": """<a href="Archive.aspx?AMID=31">City Council Minutes</a>
            <a href="Archive.aspx?AMID=32">Newsletters</a>""",
        },
        [("minutes", "2024-01-16", "City Council")],
    ),
    "laserfiche": (
        "https://docs.town.gov/WebLink/Browse.aspx?id=1&dbid=0&repo=Town",
        {
            "Browse.aspx": "<html></html>",
            "GetFolderListing2": lambda request: {
                "data": {
                    "results": [{"entryId": 2, "name": "City Council Minutes", "type": 0}]
                    if b'"folderId":1,' in request.content.replace(b" ", b"")
                    else [{"entryId": 3, "name": "2024-01-16", "type": -2}]
                }
            },
        },
        [("minutes", "2024-01-16", "City Council")],
    ),
    "sessionnet": (
        "https://town.de/bi/si0040.php",
        {
            "si0057": """<a href="getfile.php?id=1&type=do">Niederschrift (öffentlich)</a>
            <a href="getfile.php?id=2&type=do">Vorlage</a>""",
            "si0040": lambda request: (
                """<table><tr><td>16</td><td class="silink">
                <a class="smc_datatype_si" href="si0057.php?__ksinr=4">Stadtrat</a></td>
                <td>18:00 Uhr <a href="getfile.php?id=1&type=do">Niederschrift</a>
                <a href="getfile.php?type=do&id=3">Einladung</a></td></tr><tr><td></td><td class="silink">
                <a href="si0056.php?__ksinr=5">Bauausschuss</a></td><td>20:00 Uhr</td></tr>
                <tr><td></td><td><a href="si0056.php?__ksinr=6"
                title="Details anzeigen: Kreistag 18.01.2024">Kreistag</a></td></tr></table>"""
                if str(request.url).endswith("__cjahr=2024&__cmonat=1")
                else "<p class='smc'></p>"
            ),
        },
        [
            ("agendas", "2024-01-16", "Stadtrat"),
            ("minutes", "2024-01-16", "Bauausschuss"),
            ("minutes", "2024-01-16", "Stadtrat"),
            ("minutes", "2024-01-18", "Kreistag"),
        ],
    ),
}


@pytest.mark.parametrize("scraper", SMALL_PAGES)
def test_a_small_page_in_the_platforms_shape(portal, scraper):
    source, answers, expected = SMALL_PAGES[scraper]

    found = listed(portal(scraper, source, answers))

    assert [(kind, day, body) for kind, day, body, _ in found] == expected


@pytest.mark.parametrize("cells", ["<td>Mi</td><td>&nbsp;3</td>", "<td>Mi<span>3</span></td>"])
def test_allris_3_numbers_its_days_and_gives_minutes_by_a_button(portal, cells):
    page = f"""<table><tr><td>Di</td><td>2</td><td></td></tr>
      <tr>{cells}<td>18:00</td><td><a href="to010_r.asp?SILFDNR=6">Sitzung des Ortsrates Tal</a></td>
      <td><form action="si016.asp?SELECT=1"><input type="hidden" name="SILFDNR" value="6">
      <input type="submit" value="NIE" title="Protokoll"></form></td></tr>
      <tr><td></td><td></td><td>20:00</td><td>
      <a href="to010_r.asp?SILFDNR=7">Sitzung des Bauausschusses</a></td></tr></table>"""
    agenda = '<p>Ö 2 <a href="to020.asp?TOLFDNR=9">Niederschrift der Sitzung vom 1.12.2023</a></p>'
    answers = {
        "to010": agenda,
        "si010_r.asp?MM=1&YY=2024": page,
        "si010_e.asp": "Zugriff verweigert (Programm si010_e.asp).",
        "si010_r.asp": "<table></table>",
        "si010": httpx.Response(404),
        "allris.net.asp": '<a href="si010_e.asp">Kalender</a>',
    }
    base = "https://stadt.example/bi"
    town = portal("allris", f"{base}/allris.net.asp", answers)

    assert listed(town) == [
        ("agendas", "2024-01-03", "Bauausschuss", f"{base}/to010_r.asp?SILFDNR=7"),
        ("agendas", "2024-01-03", "Ortsrat Tal", f"{base}/to010_r.asp?SILFDNR=6"),
        ("minutes", "2024-01-03", "Ortsrat Tal", f"{base}/si016.asp?SELECT=1&SILFDNR=6"),
    ]


def test_the_papers_in_a_laserfiche_packet_are_no_agendas(portal):
    folders = {
        1: [(2, "Agendas", 0), (3, "Council Packet", 0)],
        2: [(4, "City Council", 0)],
        4: [(5, "2024 0116 Tax Levy", 0)],
        5: [(50, "Agenda", -2)],
        3: [(6, "2024 0116", 0), (7, "2024 0123", 0)],
        6: [(60, "Master Agenda Packet", -2), (61, "A001 - Motion on the agenda", -2)],
        7: [(70, "Agenda Packet", -2), (71, "Claims", -2)],
    }

    def listing(request: httpx.Request) -> dict[str, Any]:
        rows = folders[json.loads(request.content)["folderId"]]
        keys = ("entryId", "name", "type")
        return {"data": {"results": [dict(zip(keys, row, strict=True)) for row in rows]}}

    source = "https://docs.town.gov/WebLink/Browse.aspx?id=1&dbid=0&repo=Town"
    town = portal("laserfiche", source, {"Browse": "<p></p>", "GetFolderListing2": listing})

    found = [(day, body, url.partition("docid=")[2][:2]) for _, day, body, url in listed(town)]
    assert found == [("2024-01-16", "City Council", "50"), ("2024-01-23", "Council", "70")]


def test_ibabs_needs_a_key_and_says_so(portal):
    town = portal("ibabs", "https://town.bestuurlijkeinformatie.nl", {})

    with pytest.raises(SourceUnavailable, match="needs the key"):
        listed(town)


IBABS = "https://town.bestuurlijkeinformatie.nl"


def test_ibabs_lists_by_its_pages_where_there_is_no_key(portal):
    council, parks = "a" * 36, "b" * 36

    def year(request: httpx.Request) -> str:
        if request.url.params["year"] != "2024":
            return "<p>Geen vergaderingen</p>"
        which = council if request.url.params["agendatypeId"] == "11" else parks
        return f"""<li class="agenda-link"><a href="/Agenda/Index/{which}">
        <div class="agenda-link-title">dinsdag 16 januari <span class="sr-only">2024</span></div>
        </a></li><li class="agenda-link"><strong>donderdag 23 mei</strong></li>"""

    town = portal(
        "ibabs",
        IBABS,
        {
            "/Calendar": """<a href="/Calendar/OpenCategory/11">Gemeenteraad</a>
            <a href="/Calendar/OpenCategory/12">Commissie Groen</a>""",
            "RetrieveAgendasForYear": year,
            # The minutes of an item are those of the meeting before.
            f"/Agenda/Index/{council}": f"""<ul><li>
            <a href="/Agenda/Document/{council}?documentId=d1">Besluitenlijst 16 januari</a></li></ul>
            <div class="agendapunten"><ul><li>Opening</li><li>Verslagen
            <a href="/Agenda/Document/{council}?documentId=d2&agendaItemId=i">Notulen 5 december</a>
            </li></ul></div>""",
            f"/Agenda/Index/{parks}": f"""<a href="/Agenda/Document/{parks}?documentId=d3">Agenda</a>
            <div class="agendapunten"><ul><li>Opening</li></ul></div>""",
        },
    )

    assert listed(town) == [
        (
            "agendas",
            "2024-01-16",
            "Commissie Groen",
            f"{IBABS}/Document/LoadAgendaDocument/d3?agendaId={parks}",
        ),
        ("agendas", "2024-01-16", "Gemeenteraad", f"{IBABS}/Agenda/Index/{council}"),
        (
            "minutes",
            "2024-01-16",
            "Gemeenteraad",
            f"{IBABS}/Document/LoadAgendaDocument/d1?agendaId={council}",
        ),
    ]


def test_an_address_of_one_ibabs_meeting_leads_to_the_others_of_its_kind(portal):
    meeting = "c" * 36
    town = portal(
        "ibabs",
        f"{IBABS}/Agenda/Details/Town/{meeting}",
        {
            "/Calendar": "<p></p>",
            "year=2024": f"""<li class="agenda-link"><a href="/Agenda/Details/Town/{meeting}">
            <span class="agenda-link-title">donderdag 11 januari</span></a></li>""",
            "year=": "<p></p>",
            meeting: """<h1>Raadscommissie - 11 januari 2024</h1><ul
            data-agenda-url="/Agenda/RetrieveAgendasForYear/Town?agendatypeId=5&amp;year=2024"></ul>
            <div class="agendapunten"><ul><li>Opening</li></ul></div>""",
        },
    )

    address = f"{IBABS}/Agenda/Details/Town/{meeting}"
    assert listed(town) == [("agendas", "2024-01-11", "Raadscommissie", address)]


def test_the_page_of_a_notubiz_meeting_is_its_agenda_if_there_is_no_other(portal):
    page = "https://town.raadsinformatie.nl/vergadering/7/Raad"
    events = {"events": [{"id": 7, "plannings": [{"start_date": "2024-01-16 19:30:00"}]}]}
    events["events"][0]["gremium"] = {"title": "Gemeenteraad"}
    meeting = {"url": page, "agenda_items": [{"id": 1}], "documents": []}
    town = portal(
        "notubiz",
        "https://api.notubiz.nl/events?organisation_id=3",
        {"/events/meetings/7": {"meeting": meeting}, "/events": events},
    )

    assert listed(town) == [("agendas", "2024-01-16", "Gemeenteraad", page)]
    meeting["agenda_items"] = []
    assert listed(town) == []


def test_ibabs_lists_by_its_service(portal):
    types = """<s:Envelope><GetMeetingtypesResponse><a:iBabsMeetingtype><a:Id>11</a:Id>
      <a:Description>Raad</a:Description></a:iBabsMeetingtype></GetMeetingtypesResponse>"""
    meetings = """<s:Envelope><GetMeetingsByDateRangeResponse><a:iBabsMeeting><a:Id>m1</a:Id>
      <a:MeetingtypeId>11</a:MeetingtypeId><a:MeetingDate>2024-01-16T19:30:00</a:MeetingDate>
      <a:Documents><a:iBabsDocument><a:Id>d</a:Id><a:DisplayName>Besluitenlijst</a:DisplayName>
      <a:PublicDownloadURL>https://files.example/d.pdf</a:PublicDownloadURL></a:iBabsDocument>
      </a:Documents></a:iBabsMeeting></GetMeetingsByDateRangeResponse></s:Envelope>"""

    def answer(request: httpx.Request) -> str:
        return types if b"GetMeetingtypes" in request.content else meetings

    town = portal("ibabs", "https://town.bestuurlijkeinformatie.nl", {"Public.svc": answer})
    town.extra["key"] = "town"

    assert set(listed(town)) == {("minutes", "2024-01-16", "Raad", "https://files.example/d.pdf")}


def test_a_plain_page_is_read_by_rows_tabs_and_columns(portal):
    page = """<html><title>Agendas | City of Town</title><h1>Meetings</h1>
      <div data-title="Planning Commission 2024"><p>January 16, 2024 Agenda —
      <a href="/up/2023/99/x.pdf">view agenda</a> — <a href="/up/y.pdf">view minutes</a> Materials
      <a href="/up/sales.pdf">Sales Tax</a></p>
      <p>February 6, 2024 meeting cancelled — <a href="/up/c.pdf">read more</a></p></div>
      <h2>City Council</h2><table><tr><th>Date</th><th>Agenda</th><th>Minutes</th></tr>
      <tr><td>1/23/24</td><td><a href="/up/1.pdf">PDF</a></td><td><a href="/up/2.pdf">PDF</a></td></tr>
      </table></html>"""
    town = portal("plain", "https://town.example/boards", {"/boards": page})

    assert listed(town) == [
        ("agendas", "2024-01-16", "Planning Commission", "https://town.example/up/2023/99/x.pdf"),
        ("agendas", "2024-01-23", "City Council", "https://town.example/up/1.pdf"),
        ("minutes", "2024-01-16", "Planning Commission", "https://town.example/up/y.pdf"),
        ("minutes", "2024-01-23", "City Council", "https://town.example/up/2.pdf"),
    ]


PLAIN_LAYOUTS = {
    "years as headings": """<h2>2024</h2><ul><li><a href="/a.pdf">January 16 Minutes</a></li></ul>
      <h2>2023</h2><ul><li><a href="/b.pdf">December 5 Minutes</a></li></ul>""",
    "years and months as headings": """<h2>2024</h2><h3>January</h3><p><a href="/a.pdf">16 -
      Regular Meeting Minutes</a></p><h2>2023</h2><h3>December</h3><p>
      <a href="/b.pdf">5th - Minutes</a></p>""",
    "a list of terms": """<dl><dt>January 16, 2024</dt><dd><a href="/a.pdf">Minutes</a></dd>
      <dt>December 5, 2023</dt><dd><a href="/b.pdf">Minutes</a></dd></dl>""",
    "columns that say what a link is": """<table><tr><th>Date</th><th>Minutes</th></tr>
      <tr><td>January 16-17, 2024</td><td><a href="/a.pdf">PDF</a></td></tr>
      <tr><td>12/5/23</td><td><a href="/b.pdf">View</a></td></tr></table>""",
    "pictures": """<a aria-label="Minutes for January 16, 2024" href="/a.pdf"><img></a>
      <a aria-label="Minutes for December 5, 2023" href="/b.pdf"><img></a>""",
    "names of files": """<a href="/2024-01-16%20Minutes.pdf">Download</a>
      <a href="/CC_Minutes_12052023.pdf">Download</a>""",
    "a section": """<h2>Minutes</h2><ul><li><a href="/a.pdf">January 16, 2024</a></li>
      <li><a href="/b.pdf">Dec. 5th, 2023</a></li></ul><h2>Forms</h2>
      <p><a href="/f.pdf">Complaint</a></p>""",
    "times for programs": """<div><time datetime="2024-01-16T18:00">Tue 16</time>
      <a href="/a.pdf">Minutes</a></div><div><time datetime="2023-12-05">Tue 5</time>
      <a href="/b.pdf">Minutes</a></div>""",
    "pages and Word files": """<ul><li>Jan 16, 2024 <a href="/m/1.docx">Minutes</a></li>
      <li><a href="/m/20231205.html">Minutes of December 5, 2023</a></li></ul>
      <a href="/minutes.html">All minutes</a>""",
    "a table that is none": """<div><div>Date</div><div>Minutes</div></div>
      <div><div>01/16/2024</div><div><a href="/a.pdf">View</a></div></div>
      <div><div>12/05/2023</div><div><a href="/b.pdf">View</a></div></div>""",
    "days without a year": """<h2>Minutes 2024</h2><ul><li><a href="/a.pdf">January 16</a></li>
      </ul><h2>Minutes 2023</h2><ul><li><a href="/b.pdf">Dec. 5 (draft)</a></li></ul>""",
    "dates in one column and links in another": """<div><p>January 16, 2024</p><p>December 5, 2023
      </p></div><div><p><a href="/1-16-24-Minutes.pdf">Minutes</a></p>
      <p><a href="/12-5-23-Minutes.pdf">Minutes</a></p></div>""",
    "entries with the day they were posted": """<article><h2><a href="/documents/minutes-january-16-2024/">
      Minutes January 16, 2024</a></h2><ul><li><a href="/u/Minutes-1-16-2024.pdf">Minutes-1-16-2024.pdf
      </a> 879 kB</li></ul><p>Posted February 8, 2024 in <a href="/category/cc">City Council</a></p>
      </article><article><h2>Minutes</h2><ul><li><a href="/u/Minutes-12-5-2023.pdf">December 5, 2023
      Minutes</a></li></ul><p>Posted January 9, 2024 in <a rel="tag" href="/cc">City Council</a></p>
      </article>""",
    "attachments beside the documents": """<p><a href="/a.pdf">1.16.24 Regular Minutes</a></p>
      <p><a href="/i.pdf">1.16.24 Agenda Items 5 and 6</a></p>
      <p><a href="/1.16.24-Agenda-Attachment.pdf">1.16.24 Agenda Attachment - Checks</a></p>
      <table><tr><th>Date</th><th>Handouts received after agenda posted</th><th>Minutes</th></tr>
      <tr><td>December 5, 2023</td><td><a href="/Handouts-agenda-12-05-23.pdf">Handouts</a></td>
      <td><a href="/b.pdf">Minutes</a></td></tr></table>""",
    "days in cells below bars of years": """<div class="divider"> 2024 MINUTES </div><table><tr>
      <td>January 16<br><a href="/1/index.htm">HTML</a> | <a href="/1/a.pdf">PDF</a></td><td>
      March</td></tr></table><div> 2023 MINUTES</div><table><tr><td></td><td>
      <a href="/minutes/12-05-23.htm">December 5</a></td></tr></table>""",
    "other papers after an entry": """<h2>Agendas</h2><p><a href="/a.pdf">January 16, 2024 Minutes</a>
      </p><p><a href="/w.pdf">Checks of the month</a></p><p><a href="/c.pdf">Draft Contract</a></p>
      <ul><li><p>12/5/2023<br><a href="/b.pdf">Minutes</a></p></li>
      <li><p>12/2023<br><a href="/r.pdf">Roads 23-24</a></p></li></ul>""",
    "names of files with another year": """<p><a href="/1.16.23-MINUTES.pdf">1.16.24 MINUTES</a></p>
      <p><a href="/12.5.23-minutes.pdf">12.5.23 Minutes</a></p>
      <p><a href="/c.pdf">12.5.23 REGULAR AGENDA agenda item 5</a></p>""",
    "texts that are cut off": """<h2>Minutes</h2><div><b>2020</b><br>
      <a href="/m_january_16_2024.pdf">January 16, 20</a><a href="/m_january_16_2024.pdf">2</a>4<br>
      <a href="/m_december_5_2023.pdf">December 5, 202</a>3</div>""",
    "days without a year in folders of years": """<table><tr><td>City Council</td><td>9:30 a.m.</td>
      <td>January 16</td><td><a href="/Board/2024/Jan.pdf">Minutes</a></td></tr><tr>
      <td>City Council</td><td>9:30 a.m.</td><td>December 5</td><td>
      <a href="/Board/2023/Dec.pdf">Minutes</a></td></tr></table>""",
    "menus": """<form><select><option value="2024">2024</option></select>
      <select><option value="">Minutes</option><option value="/Minutes01162024.pdf">January 16, 2024
      </option><option value="/Minutes12052023.pdf">December 5, 2023</option></select></form>""",
    "sections with other dates": """<h2>Members</h2><p>A. Miller, since March 3, 2022</p>
      <h2>2024 Minutes</h2><table><tr><td>January 16</td><td><a href="/a.pdf">View</a></td></tr></table>
      <h2>2023 Minutes</h2><ul><li><a href="/b.pdf">December 5</a></li></ul>
      <p><a href="/e.pdf">Comprehensive plan, adopted October 6, 2020</a></p>
      <h2>Ordinances</h2><ul><li><a href="/o.pdf">Noise (June 11, 2013)</a></li></ul>""",
    "months and days in cells": """<h2>Minutes</h2><table><tr><td colspan="3"><b>2024</b></td></tr>
      <tr><td>January</td><td>2</td><td><a href="/a.pdf">16</a></td></tr><tr><td colspan="3">
      <b>2023</b></td></tr><tr><td>December</td><td><a href="/b.pdf">5</a></td><td>19</td></tr>
      </table>""",
    "papers that are of no meeting": """<h2>Agendas and Minutes</h2><ul>
      <li><a href="/a.pdf">Minutes January 16, 2024 (approved February 6, 2024)</a></li>
      <li><a href="/p.pdf">Payments January 16, 2024</a></li>
      <li><a href="/x.pdf">XYZ 31 March 2023</a></li><li><a href="/b.pdf">Minutes 5 December 2023</a></li>
      <li><a href="/r.pdf">How to ask for copies of minutes</a></li>
      <li>Rules adopted <a href="/s.pdf">May 2, 2023</a></li></ul>
      <h2>Policies</h2><p><a href="/t.pdf">Telephones, May 12, 2023</a></p>
      <footer><a href="/f.pdf">Agenda request form</a></footer>""",
    "posts about meetings and other things": """<article><h2>Minutes of January 16, 2024</h2>
      <time datetime="2024-02-01">February 1, 2024</time><p><a href="/a.pdf">Download</a></p></article>
      <article><h2>Minutes, December 5, 2023</h2><p>Posted on January 9, 2024</p>
      <p>Here they are: <a href="/b.pdf">PDF</a></p></article><article><h2>Leaves, January 2,
      2024</h2><p>See the <a href="/l.pdf">schedule</a>.</p></article>""",
    "headings with a day below a month": """<h2>January 2024</h2><h3>Regular Meeting, January 16</h3>
      <ul><li><a href="/r.pdf">Enrollment January 2, 2024</a></li><li><a href="/a.pdf">Minutes</a></li>
      </ul><h2>December 2023</h2><h3>Regular Meeting, December 5</h3><ul><li><a href="/b.pdf">Minutes
      </a></li></ul>""",
    "items of an agenda": """<h4>Meeting of January 16, 2024</h4><p>
      <a href="/i1.pdf">1. Approval of minutes of January 2, 2024</a><br><a href="/i2.pdf">2. Road
      contract</a><br><a href="/a.pdf">Minutes</a></p><h4>Meeting of December 5, 2023</h4>
      <p><a href="/b.pdf">Approved minutes</a></p>""",
    "files that a program hands out": """<div><a href="/list?download=231:m-16">Minutes 1/16/2024</a>
      <div>Date added: 02-10-2024</div></div><div><a href="/list?download=222:m-5">Minutes 12/5/2023
      </a></div><div><a href="/list?download=9:x">Register</a><div>Date added: 1/2/2024</div></div>""",
    "files of a drive and labels for readers": """<h3>Minutes</h3><ul><li>
      <a href="https://drive.google.com/file/d/1a/view">January 16, 2024</a></li></ul><h3>Finances</h3>
      <ul><li><a href="https://drive.google.com/file/d/1b/view">January 31, 2024</a></li></ul>
      <div><a aria-label="View minutes 12/5/2023" href="/b.pdf">View</a></div>""",
    "months as links below an underlined kind": """<div><u>Minutes</u><br><br>
      <a href="/PDF/01-16-2024SP.pdf">January(Special)</a><br><a href="/PDF/12-05-2023.pdf">December</a>
      </div>""",
    "months in columns": """<h2>Minutes 2024</h2><table><tr><th>Body</th><th>January</th></tr><tr>
      <td>City Council</td><td><a href="/a.pdf">16</a></td></tr></table><h2>Minutes 2023</h2><table>
      <tr><th>Body</th><th>December</th></tr><tr><td>City Council</td><td><a href="/b.pdf">5</a></td>
      </tr></table>""",
    "file names below entries of another day": """<div><h2>Minutes</h2>
      <ul><li><a href="/x/Minutes-1-16-24.pdf">January 16, 2024</a></li></ul><p><b>Older</b></p>
      <ul><li><a href="/x/Minutes-2023-12-05.pdf">December</a></li></ul></div>""",
    "blocks with a file each, and one that nobody can date": """<h2>Minutes</h2>
      <div><div><a href="/Minutes-2024-01-16.pdf">Minutes-2024-01-16</a></div>
      <div><a href="/up/2024/02/Signed-Special.pdf">Signed draft, special</a></div>
      <div><a href="/CC-Minutes-120523.pdf">CC Minutes</a></div></div>""",
    "articles whose titles are links, and a footer": """<article><h2><a href="/node/1">Minutes for January
      16, 2024</a></h2><a href="/f/01.pdf">01.pdf</a></article><article><h2><a href="/node/2">Minutes
      for December 5, 2023</a></h2><a href="/f/12.pdf">12.pdf</a></article>
      <footer><a href="/docs/Title-VI-Plan.pdf">Title VI</a></footer>""",
    "lists in lists": """<h2>Minutes</h2><ul><li>City Council<ul><li>2024<ul><li><a href="/a.pdf">January
      16</a></li></ul></li><li>2023<ul><li><a href="/b.pdf">December 5</a></li></ul></li><li>Other<ul>
      <li><a href="/p.pdf">Prices as of July 1, 2023</a></li></ul></li></ul></li></ul>""",
    "years from summer to summer": """<h2>Minutes 2023-2024</h2><table><tr><td>January 16</td><td>
      <a href="/a.pdf">View</a></td></tr><tr><td>December 5</td><td><a href="/b.pdf">View</a></td></tr>
      </table>""",
    "titles that were copied from another row": """<table><tr><td><a href="/Report2023.pdf">Report</a></td>
      <td><table><tr><td>Date</td><td>Minutes</td></tr><tr><td>January 16, 2024</td><td>
      <a title="December 5, 2023 Meeting" href="/Minutes011624.pdf"><img></a></td></tr><tr><td>
      December 5, 2023</td><td><a title="December 5, 2023 Meeting" href="/Minutes120523.pdf"><img></a>
      </td></tr></table></td></tr></table>""",
    "days on which files were modified": """<table><tr><th><a href="?C=N">Name</a></th><th>
      <a href="?C=M">Last modified</a></th></tr>
      <tr><td><a href="/m/minutes_jan_16_2024.pdf">minutes_jan_16_2024.pdf</a></td><td>2024-02-20</td></tr>
      <tr><td><a href="/m/CityCouncil_Minutes_12052023.pdf">CityCouncil_Minutes_12052023.pdf</a></td>
      <td>2024-01-09</td></tr><tr><td><a href="/m/taxes.pdf">taxes.pdf</a></td><td>2024-01-03</td></tr>
      </table>""",
    "entries that say only the meeting": """<h2>Minutes</h2><p><a href="/a.pdf">Annual Town Meeting
      January 16, 2024</a><br><a href="/b.pdf">Minutes 12/5/23</a></p>""",
    "headers below a row across the table": """<table><tr><th colspan="2">2024</th></tr><tr><th>Meeting
      </th><th>Minutes</th></tr><tr><td>Jan. 16 (Organizational)</td><td><a href="/a.pdf">Approved</a>
      </td></tr><tr><th colspan="2">2023</th></tr><tr><td>Dec. 5</td><td><a href="/b.pdf">PDF</a></td>
      </tr></table>""",
    "headings in cells": """<table><tr><td><h2>Minutes</h2><div><a href="/a.pdf">1-16-24</a><br>
      <a href="/b.pdf">12-5-23</a></div></td><td><h2>Financials</h2><div><a href="/c.pdf">1-31-24</a>
      </div></td></tr></table>""",
    "entries that begin with a date": """<div><div><div><b>Jan</b> <b>16</b> <b>2024</b></div><div><h4>
      City Council</h4><ul><li><a href="/a.pdf">Minutes (amended 1/17/2024)</a></li></ul></div></div>
      <div><div><b>Dec</b> <b>5</b> <b>2023</b></div><div><h4>City Council</h4><ul><li>
      <a href="/b.pdf">Minutes</a></li></ul></div></div></div>""",
    "accordions": """<button class="accordion-button">City Council 2024</button><div>
      <a href="/a.pdf">Jan 16 - Minutes</a></div><button class="accordion-button">City Council 2023
      </button><div><a href="/b.pdf">Dec 5 - Minutes</a></div>""",
}


@pytest.mark.parametrize("layout", PLAIN_LAYOUTS)
def test_a_plain_page_in_another_layout(portal, layout):
    page = f"<h1>City Council Documents</h1>{PLAIN_LAYOUTS[layout]}"
    town = portal("plain", "https://town.example/records", {"/records": page})

    assert [each[:3] for each in listed(town)] == [
        ("minutes", "2023-12-05", "City Council"),
        ("minutes", "2024-01-16", "City Council"),
    ]


@pytest.mark.parametrize(
    "layout",
    [
        """<table><tr><td>Date</td><td>Board of Selectmen</td><td>Planning Board</td></tr>
        <tr><td>1/9/2024</td><td><a href="/a.pdf">Minutes</a></td><td></td></tr>
        <tr><td>1/16/2024</td><td></td><td><a href="/b.pdf">Minutes</a></td></tr></table>""",
        """<p><b>Board of Selectmen</b><br>1/9/2024 <a href="/g.pdf">Agenda</a>
        <a href="/a.pdf">Minutes</a><br><br><b>Planning Board</b><br>1/2/2024
        <a href="/h.pdf">Agenda</a><br>1/16/2024 <a href="/b.pdf">Minutes</a></p>
        <p><a href="/f.pdf">Form for taxes (revised 3/1/2023)</a></p>""",
    ],
)
def test_bodies_are_told_apart_by_columns_and_by_bold_lines(portal, layout):
    page = f"<table><tr><td><h1>Minutes</h1>{layout}</td></tr></table>"
    town = portal("plain", "https://town.example/records", {"/records": page})

    assert [each[1:] for each in listed(town) if each[0] == "minutes"] == [
        ("2024-01-09", "Board of Selectmen", "https://town.example/a.pdf"),
        ("2024-01-16", "Planning Board", "https://town.example/b.pdf"),
    ]


def test_the_name_of_a_body_is_above_titles_of_the_same_rank(portal):
    page = """<h2>Clay Township Board of Trustees</h2><h2>Agendas</h2><p><a href="/a.pdf">1-16-24</a></p>
      <h2>Minutes</h2><p><a href="/b.pdf">1-9-24</a></p><h2>Zoning Board</h2><h2>Minutes</h2>
      <p><a href="/c.pdf">1-10-24</a></p>"""
    town = portal("plain", "https://town.example/records", {"/records": page})

    assert [each[:3] for each in listed(town)] == [
        ("agendas", "2024-01-16", "Clay Township Board of Trustees"),
        ("minutes", "2024-01-09", "Clay Township Board of Trustees"),
        ("minutes", "2024-01-10", "Zoning Board"),
    ]


def test_a_packet_beside_the_agenda_in_its_row_is_wanted_only_on_request(portal):
    page = """<h1>City Council</h1><table><tr><th>Date</th><th>Agenda</th><th>Packet</th></tr>
      <tr><td>January 16, 2024</td><td><a href="/a.pdf">View</a></td>
      <td><a href="/p.pdf">View</a></td></tr>
      <tr><td>January 23, 2024</td><td></td><td><a href="/q.pdf">View</a></td></tr></table>
      <p>January 30, 2024 <a href="/b.pdf">Agenda</a> <a href="/r.pdf">Agenda Packet</a></p>
      <h3>February 6, 2024</h3><ul><li><a href="/c.pdf">Agenda</a></li>
      <li><a href="/s.pdf">Packet</a></li></ul>
      <h3>February 13, 2024</h3><div><a href="/d.pdf">Agenda</a> <a href="/t.pdf">Full Packet</a></div>"""
    town = portal("plain", "https://town.example/records", {"/records": page})
    agendas = [url.rpartition("/")[2] for *_, url in listed(town)]
    town.extra["packets"] = True

    assert agendas == ["a.pdf", "q.pdf", "b.pdf", "c.pdf", "d.pdf"]
    assert len(listed(town)) == 9


def test_links_are_relative_to_the_base_that_a_page_states(portal):
    page = """<html><head><base href="https://town.example/"></head><body><h1>City Council</h1>
      <table><tr><td>01/16/24 Regular Meeting</td><td><a href="Documents/a b.pdf">Agenda</a></td>
      </tr></table></body></html>"""
    town = portal("plain", "https://town.example/government/council.php", {"council.php": page})

    assert [each[3] for each in listed(town)] == ["https://town.example/Documents/a b.pdf"]


def test_a_column_for_names_says_whose_meeting_it_is(portal):
    page = """<p>The Village Board meets on Mondays.</p><table><tr><th>Meeting</th><th>Date</th>
      <th>Agenda</th></tr><tr><td>Planning &amp; Zoning</td><td>Jan 16, 2024</td>
      <td><a href="/DocumentCenter/View/10">View</a></td></tr></table>"""
    town = portal("plain", "https://town.example/records", {"/records": page})

    assert [each[:3] for each in listed(town)] == [("agendas", "2024-01-16", "Planning & Zoning")]


def test_a_name_reaches_over_rows_and_headers_may_be_links(portal):
    page = """<h1>School Board and Committees</h1><table><tr><td><a href="/help">Meeting type</a></td>
      <td>Date</td><td>Agenda</td></tr><tr><td rowspan="2">Budget Committee</td><td>1/16/24</td>
      <td><a href="/a.pdf">Agenda</a></td></tr><tr><td>1/9/24</td><td><a href="/b.pdf">Agenda</a></td>
      </tr><tr><td>Special Board Meeting</td><td>1/2/24</td><td><a href="/c.pdf">Agenda</a></td></tr>
      </table>"""
    town = portal("plain", "https://town.example/records", {"/records": page})

    assert [each[1:3] for each in listed(town)] == [
        ("2024-01-02", "School Board"),
        ("2024-01-09", "Budget Committee"),
        ("2024-01-16", "Budget Committee"),
    ]


def test_a_tab_for_many_bodies_is_none_of_them(portal):
    page = """<h1>Water District</h1><ul role="tablist"><li role="tab" id="t">Committees</li></ul>
      <div role="tabpanel" aria-labelledby="t"><p><strong>Finance Committee</strong></p>
      <ul><li>January 16, 2024 <a href="/a.pdf">agenda</a></li></ul></div>"""
    town = portal("plain", "https://town.example/records", {"/records": page})

    assert [each[1:3] for each in listed(town)] == [("2024-01-16", "Finance Committee")]


def test_moderngov_lists_the_committee_in_the_address_where_it_lists_no_committees(portal):
    answers = {
        "mgWebService": httpx.Response(404),
        "mgListCommittees": httpx.Response(404),
        "ieListDocuments.aspx?CId=12&MId=9": """<a href="documents/g9/Printed minutes.pdf?T=1">
          Printed minutes</a><a href="documents/s4/Minutes 2 January.pdf">Minutes 2 January</a>""",
        "ieListMeetings.aspx": """<h1>Browse meetings</h1><h2>Planning Committee</h2><ul><li>
          <a href="ieListDocuments.aspx?CId=12&MId=9&Ver=4">16 Jan 2024 7.00 pm</a></li></ul>""",
    }
    source = "https://democracy.town.gov.uk/ieListMeetings.aspx?CommitteeId=12"

    assert [each[:3] for each in listed(portal("moderngov", source, answers))] == [
        ("minutes", "2024-01-16", "Planning Committee")
    ]


def test_bodies_and_years_open_one_in_another(portal):
    page = """<h1>Agendas</h1><details><summary>Board of Elections</summary><h4>Past</h4><details>
      <summary>2024</summary><ul><li><a href="/a.pdf">1/9 Regular</a></li><li><a href="/b.pdf">1/16
      Work Session</a></li></ul></details></details>"""
    town = portal("plain", "https://town.example/records", {"/records": page})

    assert [each[1:3] for each in listed(town)] == [
        ("2024-01-09", "Board of Elections"),
        ("2024-01-16", "Board of Elections"),
    ]


def test_further_pages_of_a_list_are_read_and_no_other_pages(portal):
    def page(day: int, links: str) -> str:
        return f"""<h1>City Council Minutes</h1><ul><li><a href="/{day}.pdf">January {day}, 2024</a>
          </li></ul><nav>{links}</nav>"""

    pages = {
        "/records/page/2/": page(2, ""),
        "/records/": page(16, '<a href="/records/page/2/">2</a> <a href="/news/page/2/">News</a>'),
    }
    town = portal("plain", "https://town.example/records/", pages)

    assert [each[1] for each in listed(town)] == ["2024-01-02", "2024-01-16"]
    assert len(town.asked) == 2


def test_pages_of_years_may_be_called_otherwise_than_the_first(portal):
    def page(year: int) -> str:
        return f"""<h1>City Council</h1><p>January 16, {year} <a href="/{year}.pdf">Minutes</a></p>
          <p><a href="/meetings2023.html">2023 Council Meetings</a><br>
          <a href="/meetings2022.html">2022 Council Meetings</a></p>
          <a href="/budget2023.html">2023 Budget</a> <a href="/budget2022.html">2022 Budget</a>"""

    pages = {f"/meetings{year}.html": page(year) for year in (2023, 2022)}
    town = portal("plain", "https://town.example/council.html", {**pages, "council": page(2024)})

    assert [each[1][:4] for each in listed(town)] == ["2022", "2023", "2024"]
    assert len(town.asked) == 3


@pytest.mark.parametrize("address", ["/board.aspx?Year={}", "/board.aspx/{}", "/board.aspx-{}/"])
def test_the_same_list_of_other_years_is_read_and_no_other_page_of_a_year(portal, address):
    def page(year: int) -> str:
        return f"""<h1>City Council</h1><p>January 16, {year} <a href="/{year}.pdf">Minutes</a></p>
          <a href="/budget/2022">2022</a><a href="{address.format(2023)}">2023</a>
          <a href="{address.format(2022)}">Minutes 2022</a>"""

    pages = {address.format(2023): page(2023), address.format(2022): page(2022)}
    town = portal("plain", "https://town.example/board.aspx", {**pages, "board.aspx": page(2024)})

    assert [each[1][:4] for each in listed(town)] == ["2022", "2023", "2024"]
    assert len(town.asked) == 3


def test_a_page_is_called_what_a_menu_calls_it(portal):
    page = """<title>City Planning Commission</title><ul><li><a href="/zoning.html">Board of Zoning
      Appeals</a></li><li><a href="/standards.html">Board of Building Standards</a></li></ul>
      <p><a href="/a.pdf">Agenda January 16, 2024</a></p>"""
    town = portal("plain", "https://town.example/standards.html", {"/standards.html": page})

    assert [each[2] for each in listed(town)] == ["Board of Building Standards"]


FOREIGN_PAGES = {
    "https://www.commune.fr/pv": (
        """<h1>Comptes rendus du conseil municipal</h1><ul>
      <li><a href="/a.pdf">Compte rendu du 12 mars 2024</a></li>
      <li><a href="/b.pdf">Ordre du jour de la séance du 12 mars 2024</a></li>
      <li><a href="/d.pdf">Liste des délibérations du 12 mars 2024</a></li>
      <li><a href="/c.pdf">PV du conseil municipal du 1er décembre 2023</a></li></ul>""",
        [
            ("agendas", "2024-03-12", "conseil municipal"),
            ("minutes", "2023-12-01", "conseil municipal"),
            ("minutes", "2024-03-12", "conseil municipal"),
        ],
    ),
    "https://www.villa.es/plenos": (
        """<h1>Pleno</h1><table><tr><th>Fecha</th><th>Convocatoria</th><th>Acta</th></tr>
      <tr><td>05/02/2024</td><td><a href="/c.pdf">Descargar</a></td>
      <td><a href="/a.pdf">Descargar</a></td></tr></table>""",
        [("agendas", "2024-02-05", "Pleno"), ("minutes", "2024-02-05", "Pleno")],
    ),
    "https://www.kommun.se/moten": (
        """<h1>Kommunstyrelsen</h1><ul><li><a href="/k.pdf">Kallelse 2024-03-12</a></li>
      <li><a href="/p.pdf">Protokoll 6 maj 2024</a></li></ul>""",
        [
            ("agendas", "2024-03-12", "Kommunstyrelsen"),
            ("minutes", "2024-05-06", "Kommunstyrelsen"),
        ],
    ),
}


@pytest.mark.parametrize("source", FOREIGN_PAGES)
def test_a_plain_page_in_another_language(portal, source):
    page, expected = FOREIGN_PAGES[source]
    town = portal("plain", source, {source.rpartition("/")[2]: page})

    assert [each[:3] for each in listed(town)] == expected


def test_a_dutch_page_has_lists_of_decisions(portal):
    page = """<h1>Gemeenteraad</h1><ul><li>5 maart 2024 <a href="/a.pdf">Agenda</a>
      <a href="/b.pdf">Besluitenlijst</a></li></ul>"""
    town = portal("plain", "https://www.dorp.nl/raad", {"/raad": page})

    assert [each[:3] for each in listed(town)] == [
        ("agendas", "2024-03-05", "Gemeenteraad"),
        ("minutes", "2024-03-05", "Gemeenteraad"),
    ]


def test_another_page_of_legistar_leads_to_its_calendar(portal):
    answers = {
        "Legislation.aspx": "<title>Town - Legislation</title>",
        "Calendar.aspx": calendar(legistar_row(1, "1/16/2024", documents="A"), years=False),
    }
    town = portal("legistar", "https://town.legistar.com/Legislation.aspx", answers)

    assert [each[1] for each in listed(town)] == ["2024-01-16"]


def test_a_german_page_has_invitations_and_records(portal):
    page = """<h1>Gemeinderat</h1><ul><li>16. Januar 2024: <a href="/t.pdf">Tagesordnung</a>,
      <a href="/n.pdf">Sitzungsniederschrift</a></li>
      <li>05.02.2024 <a href="/e.pdf">Einladung</a></li></ul>"""
    town = portal("plain", "https://www.stadt.de/rat", {"/rat": page})

    assert [each[:3] for each in listed(town)] == [
        ("agendas", "2024-01-16", "Gemeinderat"),
        ("agendas", "2024-02-05", "Gemeinderat"),
        ("minutes", "2024-01-16", "Gemeinderat"),
    ]


def test_infocouncil_asks_for_the_years_of_the_committee_in_the_address(portal):
    row = """<table><tr><td class="bpsGridDate">16 Jan 2024</td><td class="bpsGridCommittee">
      <a href="#">Local Planning Panel</a><br><span>Chambers</span></td><td class="bpsGridAgenda">
      <a href="A.PDF">PDF</a></td></tr></table>"""
    town = portal("infocouncil", "https://web.town.nsw.gov.au/?committee=1", {"?committee=1": row})

    assert [each[:3] for each in listed(town)] == [
        ("agendas", "2024-01-16", "Local Planning Panel")
    ]
    assert all("committee=1" in str(each.url) for each in town.asked)


def test_the_further_pages_of_swagit_are_read_as_far_as_they_are_wanted(portal):
    def view(request: httpx.Request) -> str:
        number = int(request.url.params.get("page", "1"))
        return f"""<ul class="nav-tabs-swagit"><li class="active"><a href="/views/5">Council</a></li>
        </ul><table><tr><td><a href="/videos/{number}">City Council</a></td>
        <td>Jan {20 - number}, {2025 - number}</td>
        <td><a href="/videos/{number}/agenda">Agenda</a></td></tr></table>
        <div class="pagination"><a href="/views/5?page={min(number + 1, 3)}">Next</a></div>"""

    town = portal("swagit", "https://town.new.swagit.com/views/5", {"/views/5": view})

    days = [day for _, day, _, _ in listed(town)]
    assert days == ["2022-01-17", "2023-01-18", "2024-01-19"]
    town.fetch()
    town.fetch()
    pages = [str(request.url) for request in town.asked if "/views/" in str(request.url)]
    assert pages == [f"https://town.new.swagit.com/views/5{end}" for end in ("", "?page=2")]


def test_a_video_that_names_no_body_is_of_its_tab(portal):
    page = """<ul class="nav-tabs-swagit"><li class="active"><a href="/views/5">City Council</a></li>
      </ul><table><tr><td><a href="/videos/9">Jan 16, 2024 Regular Meeting</a></td>
      <td><a href="/videos/9/agenda">Agenda</a></td></tr></table>"""
    town = portal("swagit", "https://town.new.swagit.com/views/5", {"/views/5": page})

    assert [each[:3] for each in listed(town)] == [("agendas", "2024-01-16", "City Council")]


def test_a_page_of_australia_has_the_day_first_and_business_papers(portal):
    page = """<table><tr><td>05/12/2023</td><td>Ordinary Council</td>
      <td><a href="/a.pdf">Business Paper</a></td><td><a href="/m.pdf">Minutes</a></td></tr></table>"""
    town = portal("plain", "https://council.nsw.gov.au/papers", {"/papers": page})

    assert [each[:3] for each in listed(town)] == [
        ("agendas", "2023-12-05", "Council"),
        ("minutes", "2023-12-05", "Council"),
    ]


def test_a_granicus_row_without_a_body_is_of_the_title_above_it(portal):
    row = """<table><tr><td>Regular Meeting</td><td>January {day}, 2024</td><td>
      <a href="//town.granicus.com/AgendaViewer.php?view_id=1&clip_id={day}">A</a></td></tr></table>"""
    page = f"""<div class="CollapsiblePanelTab">City Council</div>{row.format(day=16)}
      <h3>Planning Commission</h3>{row.format(day=17)}"""
    town = portal("granicus", f"{GRANICUS}/ViewPublisher.php?view_id=1", {"ViewPublisher": page})

    assert [each[:3] for each in listed(town)] == [
        ("agendas", "2024-01-16", "City Council"),
        ("agendas", "2024-01-17", "Planning Commission"),
    ]


def test_a_plain_page_with_bold_titles_file_handlers_and_notices(portal):
    page = """<p><strong>January 16, 2024 - Audit Committee Meeting</strong></p>
      <ul><li><a href="/ViewFile.aspx?file=9RB%3d">Agenda</a></li>
      <li><a href="/uploads/Meeting-Minutes.pdf">Minutes</a></li>
      <li><a href="/uploads/notice-1-16-2024.pdf">Public Notice</a></li>
      <li><a href="/uploads/resolutions-2024-01-16.pdf">Board Resolutions</a></li></ul>
      <p><strong>January 9, 2024 - Board of Works</strong></p>
      <ul><li><a href="/uploads/a.pdf">Meeting Notice and Agenda</a></li></ul>
      <a href="/documents/agenda">Agendas</a>"""
    town = portal("plain", "https://town.example/records", {"/records": page})

    assert [(kind, day, body) for kind, day, body, _ in listed(town)] == [
        ("agendas", "2024-01-09", "Board of Works"),
        ("agendas", "2024-01-16", "Audit Committee"),
        ("minutes", "2024-01-16", "Audit Committee"),
    ]


def test_boarddocs_reads_the_list_for_search_engines(portal):
    meetings = [
        {"Name": "City Commission Workshop", "Unique": "D1", "Date": "2024-01-16T00:00:00Z"}
    ]
    answers = {"ForSEO": meetings, "Board.nsf": httpx.Response(404)}
    town = portal("boarddocs", "https://go.boarddocs.com/fla/town/Board.nsf/Public", answers)

    assert [(kind, day, body) for kind, day, body, _ in listed(town)] == [
        ("agendas", "2024-01-16", "City Commission")
    ]


def test_boarddocs_lists_pages_and_asks_each_meeting_for_its_minutes(portal):
    board = "https://go.boarddocs.com/st/town/Board.nsf"
    meetings = [{"unique": "AB1", "name": "Regular Meeting", "numberdate": "20240116"}, {}]
    answers = {
        "/Public": httpx.Response(404),
        "BD-GetMeetingsList": meetings,
        "BD-GetMeeting?": '<a id="btn-view-minutes">Minutes</a>',
        "BD-GetPublicFiles": httpx.Response(404),
        "PRINT-AgendaDetailed": "<html><p>Agenda</p></html>",
        "BD-GetMinutes": "<html><p>Minutes</p></html>",
    }
    town = portal("boarddocs", f"{board}/Public", answers)

    assert [(kind, url) for kind, _, _, url in listed(town)] == [
        ("agendas", f"{board}/goto?open&id=AB1"),
        ("minutes", f"{board}/goto?open&id=AB1"),
    ]

    new = town.fetch().new
    # Markup that differs each time is no news.
    answers["BD-GetMinutes"] = "<html><script>1</script><p>Minutes </p></html>"

    assert new == [
        "agendas/Regular Meeting/2024-01-16.html",
        "minutes/Regular Meeting/2024-01-16.html",
    ]
    assert sorted(town.fetch().unchanged) == new
    pages = sorted(town.folder.rglob("*.html"))
    assert [path.read_text() for path in pages] == [
        "<html><p>Agenda</p></html>",
        "<html><p>Minutes</p></html>",
    ]


def test_attachments_are_skipped_by_name_unless_they_are_wanted(portal):
    board = "https://go.boarddocs.com/st/town/Board.nsf"
    answers = {
        "/Public": httpx.Response(404),
        "BD-GetMeetingsList": [{"unique": "A", "name": "School Board", "numberdate": "20240116"}],
        "BD-GetMeeting?": "<p>School Board</p>",
        "BD-GetPublicFiles": f"""<a href="{board}/files/1/$file/Minutes.pdf">Minutes</a>
          <a href="{board}/files/2/$file/Budget.pdf">Budget report for the agenda</a>""",
        "PRINT-AgendaDetailed": "<html><p>Agenda</p></html>",
    }
    town = portal("boarddocs", f"{board}/Public", answers)
    first = town.fetch()

    town.extra["attachments"] = True
    second = town.fetch(datetime(2024, 3, 2, tzinfo=UTC))

    assert sorted(first.new) == [
        "agendas/School Board/2024-01-16.html",
        "minutes/School Board/2024-01-16",
    ]
    assert [each.url for each in first.skipped] == [f"{board}/files/2/$file/Budget.pdf"]
    assert second.new == ["agendas/School Board/2024-01-16"]
    kinds = {row.source_url.rpartition("/")[2]: row.kind for row in town.known()}
    assert kinds["Budget.pdf"] == "other"
    assert kinds["Minutes.pdf"] == "minutes"


ATTACHMENTS = {
    "primegov": (
        "https://town.primegov.com/public/portal",
        {
            "ListUpcoming": [],
            "year=2024": [
                {
                    "id": 1,
                    "title": "City Council",
                    "dateTime": "2024-01-16T18:00:00",
                    "documentList": [
                        {"templateName": "Agenda", "templateId": 7, "compileOutputType": 1},
                        {"templateName": "HTML Agenda", "templateId": 7, "compileOutputType": 3},
                    ],
                }
            ],
            "ListArchived": [],
            "/Portal/Meeting?meetingTemplateId=7": """<div class="meeting-item">
              <a href="/viewer/preview?id=0&type=8&uid=0f0f0f0f-0000-4000-8000-000000000001">Report</a>
              <a href="/api/compilemeetingattachmenthistory/historyattachment/?historyId=0f0f0f0f-0000-4000-8000-000000000001">
              <i></i></a></div>""",
        },
        "/historyattachment/?historyId=0f0f0f0f-0000-4000-8000-000000000001",
    ),
    "escribe": (
        "https://pub-town.escribemeetings.com",
        {
            "GetCalendar": {
                "d": [
                    {
                        "ID": "g1",
                        "MeetingName": "City Council",
                        "StartDate": "2024/01/16 18:00:00",
                        "MeetingDocumentLink": [
                            {
                                "Type": "Agenda",
                                "Format": ".pdf",
                                "Url": "/FileStream.ashx?DocumentId=1",
                            },
                            {
                                "Type": "Agenda",
                                "Format": "HTML",
                                "Url": "/Meeting.aspx?Id=g1&Agenda=Agenda&lang=English",
                            },
                        ],
                    }
                ]
            },
            "Meeting.aspx?Id=g1": """<div class="AgendaItemAttachment">
              <a href="filestream.ashx?DocumentId=2">Report</a></div>
              <a href="/FileStream.ashx?DocumentId=1">Agenda</a>""",
        },
        "filestream.ashx?DocumentId=2",
    ),
    "legistar": (
        "https://town.legistar.com/Calendar.aspx",
        {
            "Calendar.aspx": """<table class="rgMasterTable"><tr><th>Name</th><th>Meeting Date</th>
              <th>Agenda</th></tr><tr class="rgRow"><td>City Council</td><td>1/16/2024</td>
              <td><a href="MeetingDetail.aspx?ID=5&GUID=x">Details</a>
              <a href="View.ashx?M=A&ID=5&GUID=x">Agenda</a></td></tr></table>""",
            "MeetingDetail.aspx": """<a href="LegislationDetail.aspx?ID=8&GUID=y">24-001</a>
              <a href="LegislationDetail.aspx?ID=8&GUID=y">Budget</a>""",
            "LegislationDetail.aspx": """<a href="View.ashx?M=F&ID=9&GUID=z">Report</a>
              <a href="View.ashx?M=A&ID=5&GUID=x">Agenda</a>""",
        },
        "View.ashx?M=F&ID=9&GUID=z",
    ),
}


@pytest.mark.parametrize("scraper", ATTACHMENTS)
def test_the_pages_of_agendas_are_asked_for_attachments_only_if_they_are_wanted(portal, scraper):
    source, answers, attached = ATTACHMENTS[scraper]
    town = portal(scraper, source, answers)
    first = town.fetch()
    pages = [each for each in town.asked if re.search(r"Meeting\?|Detail|Meeting\.", str(each.url))]

    town.extra["attachments"] = True
    second = town.fetch(datetime(2024, 3, 2, tzinfo=UTC))

    assert first.new == ["agendas/City Council/2024-01-16"] and not pages
    assert len(second.new) == 1 and not second.errors
    assert [row.source_url.endswith(attached) for row in town.known() if row.kind == "other"] == [
        True
    ]


def test_legistars_api_asks_each_meeting_for_attachments_only_if_they_are_wanted(portal):
    api = "https://webapi.legistar.com/v1/town"
    event = {
        "EventId": 5,
        "EventBodyName": "Council",
        "EventDate": "2024-01-16T00:00:00",
        "EventAgendaFile": "https://files.example/agenda.pdf",
    }
    attached = {
        "MatterAttachmentId": 8,
        "MatterAttachmentName": "Minutes of the last meeting",
        "MatterAttachmentHyperlink": "https://files.example/8.pdf",
    }
    items = [{"EventItemMatterAttachments": [attached]}, {"EventItemMatterAttachments": None}]
    town = portal("legistar_api", api, {"/eventitems": items, "/events": [event]})

    assert [url for *_, url in listed(town)] == ["https://files.example/agenda.pdf"]
    assert not any("eventitems" in str(each.url) for each in town.asked)

    town.extra["attachments"] = True
    assert [(kind, url) for kind, *_, url in listed(town)] == [
        ("agendas", "https://files.example/8.pdf"),
        ("agendas", "https://files.example/agenda.pdf"),
    ]


def test_a_client_with_a_permission_still_keeps_the_delay_that_robots_txt_asks_for(tmp_path):
    waits: list[float] = []

    class Clock:
        now = 0.0

        def time(self) -> float:
            return self.now

        monotonic = time

        def sleep(self, seconds: float, /) -> None:
            waits.append(seconds)
            self.now += seconds

    def answer(request: httpx.Request) -> httpx.Response:
        robots = "User-agent: *\nDisallow: /\nCrawl-delay: 30"
        return httpx.Response(200, text=robots if request.url.path == "/robots.txt" else "x")

    client = Client(
        tmp_path, transport=httpx.MockTransport(answer), clock=Clock(), ignore_robots=True
    )
    client.page("https://town.example/a")
    client.page("https://town.example/b")

    assert waits[-1] >= 30
