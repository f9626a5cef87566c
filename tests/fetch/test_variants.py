"""Variants of the platforms' answers: other columns, languages, time zones, missing fields.

Each has the documents a person would expect: kind, day, body, and the end of the address.
"""
# ruff: noqa: E501 - pages have long lines

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import unquote

import httpx
import pytest
from small_portal import NOW
from test_layouts import listed

from clerk.fetch import naming

DAY = "2024-01-16"


@dataclass(frozen=True)
class Variant:
    """A portal that differs from the usual one, and what is there to find."""

    name: str
    scraper: str
    source: str
    answers: dict[str, Any]
    expected: list[tuple[str, str, str, str]]


def both(body: str, agenda: str, minutes: str) -> list[tuple[str, str, str, str]]:
    return [("agendas", DAY, body, agenda), ("minutes", DAY, body, minutes)]


def once(answer: Any, otherwise: Any) -> Any:
    """Answer with the first for one year only, that of the meetings."""

    def answered(request: httpx.Request) -> Any:
        said = str(request.url) + request.content.decode()
        return answer if "2024" in said else otherwise

    return answered


LEGISTAR = "https://town.legistar.com"
GRANICUS = "https://town.granicus.com"
BLOBS = "https://mccmeetings.blob.core.usgovcloudapi.net/town-pubu/MEET-"
GUID = "d2243ca0f8d94b87abea0fa29ffb1d1e"
IBABS_ID = "f46d8b14-f1a6-40dc-8622-91b548758893"
VARIANTS = [
    Variant(
        "legistar: minutes under a code of the town's own, in a column that names them",
        "legistar",
        f"{LEGISTAR}/Calendar.aspx",
        {
            "Calendar.aspx": """<table class="rgMasterTable"><tr><th>Name</th><th>Meeting Date</th><th>Agenda</th>
            <th>Approved Minutes</th><th>Presentations</th></tr><tr class="rgRow"><td>City Council</td><td>1/16/2024</td>
            <td><a href="View.ashx?M=A&ID=7&GUID=G">Agenda</a></td>
            <td><a href="View.ashx?M=E1&ID=7&GUID=G">Minutes</a></td>
            <td><a href="View.ashx?M=E2&ID=7&GUID=G">Slides</a></td></tr></table>"""
        },
        both("City Council", "M=A&ID=7&GUID=G", "M=E1&ID=7&GUID=G"),
    ),
    Variant(
        "legistar: minutes as a file on another host",
        "legistar",
        f"{LEGISTAR}/Calendar.aspx",
        {
            "Calendar.aspx": """<table class="rgMasterTable"><tr><th>Meeting Date</th><th>Meeting Body</th><th>Agenda</th>
            <th>Minutes</th></tr><tr class="rgAltRow"><td>1/16/2024</td><td>City Council</td>
            <td><a href="View.ashx?M=A&ID=7&GUID=G">Agenda</a></td>
            <td><a href="https://files.town.example/minutes/7.pdf">Minutes</a></td></tr></table>"""
        },
        both("City Council", "M=A&ID=7&GUID=G", "files.town.example/minutes/7.pdf"),
    ),
    Variant(
        "legistar: a town of Quebec, headers and dates in French",
        "legistar",
        f"{LEGISTAR}/Calendar.aspx",
        {
            "Calendar.aspx": """<table class="rgMasterTable"><tr><th>Nom</th><th>Date de la réunion</th><th>Heure</th>
            <th>Ordre du jour</th><th>Procès-verbal</th></tr><tr class="rgRow"><td>Conseil municipal</td><td>2024-01-16</td>
            <td>19:00</td><td><a href="View.ashx?M=A&ID=7&GUID=G">Ordre du jour</a></td>
            <td><a href="View.ashx?M=M&ID=7&GUID=G">Procès-verbal</a></td></tr></table>"""
        },
        both("Conseil municipal", "M=A&ID=7&GUID=G", "M=M&ID=7&GUID=G"),
    ),
    Variant(
        "legistar api: null fields and a record without a body",
        "legistar_api",
        "https://webapi.legistar.com/v1/town",
        {
            "/events": [
                {
                    "EventId": 7,
                    "EventBodyName": "City Council",
                    "EventDate": "2024-01-16T00:00:00",
                    "EventTime": None,
                    "EventAgendaFile": "https://x.legistar1.com/a.pdf",
                    "EventMinutesFile": "https://x.legistar1.com/m.pdf",
                    "EventComment": None,
                    "EventInSiteURL": None,
                },
                {"EventId": 8, "EventBodyName": None, "EventDate": None, "EventAgendaFile": None},
            ]
        },
        both("City Council", "/a.pdf", "/m.pdf"),
    ),
    *(
        Variant(
            f"moderngov: the service is closed by {status}, and the list of committees is elsewhere",
            "moderngov",
            source,
            {
                "mgWebService": httpx.Response(status),
                "mgListCommittees": "<title>Error</title><h1>Page not available</h1>",
                "ieDocHome": lists,
                "ieListMeetings": "<h1>Browse meetings</h1><h2>Licensing Committee</h2><ul><li>"
                '<a href="ieListDocuments.aspx?CId=115&MeetingId=38">16 Jan 2024 10.00 am</a></li></ul>',
                "ieListDocuments": '<a href="documents/g38/Agenda%20frontsheet.pdf?T=0">Agenda</a>'
                '<a href="documents/g38/Printed%20minutes.pdf?T=1">Minutes</a>',
            },
            both("Licensing Committee", "frontsheet.pdf?T=0", "minutes.pdf?T=1"),
        )
        for status, source, lists in (
            (
                404,
                "https://www.town.gov.uk/modernGov/ieDocHome.aspx",
                '<a href="ieListMeetings.aspx?CId=115">Licensing Committee</a>',
            ),
            (403, "https://committees.town.gov.uk/ieListMeetings.aspx?CommitteeId=115", "<p/>"),
        )
    ),
    Variant(
        "moderngov: meetings without a committee around them",
        "moderngov",
        "https://democracy.town.gov.uk/mgListCommittees.aspx",
        {
            "GetCommittees": b"<committees><committee><committeeid>1</committeeid><committeetitle>Cabinet"
            b"</committeetitle></committee></committees>",
            "GetMeetings": b"<meetings><meeting><meetingid>7</meetingid><meetingdate>16/01/2024"
            b"</meetingdate></meeting></meetings>",
            "GetMeeting?": b"<meeting><meetingid>7</meetingid><agendapublished>True</agendapublished>"
            b"</meeting>",
            "MId=7": '<a href="documents/g7/Agenda%20frontsheet.pdf?T=0">Agenda</a>',
        },
        [("agendas", DAY, "Cabinet", "frontsheet.pdf?T=0")],
    ),
    Variant(
        "primegov: a document that is elsewhere",
        "primegov",
        "https://town.primegov.com/public/portal",
        {
            "ListUpcoming": [],
            "ListArchived": once(
                [
                    {
                        "id": 4,
                        "title": "City Council",
                        "dateTime": f"{DAY}T14:00:00",
                        "documentList": [
                            {
                                "templateId": 7,
                                "templateName": "Minutes",
                                "compileOutputType": 1,
                                "link": "https://files.example/4.pdf",
                            }
                        ],
                    }
                ],
                [],
            ),
        },
        [("minutes", DAY, "City Council", "https://files.example/4.pdf")],
    ),
    Variant(
        "granicus: a tab of several bodies names none of them",
        "granicus",
        f"{GRANICUS}/ViewPublisher.php?view_id=1",
        {
            "ViewPublisher": """<div class="TabbedPanels"><ul class="TabbedPanelsTabGroup"><li class="TabbedPanelsTab">Other Boards</li></ul>
            <div class="TabbedPanelsContentGroup"><div class="TabbedPanelsContent"><table><tr><td>Airport Commission Special Meeting</td>
            <td>01/16/24</td><td><a href="AgendaViewer.php?view_id=1&clip_id=2">Agenda</a></td></tr></table></div></div></div>"""
        },
        [("agendas", DAY, "Airport Commission", "clip_id=2")],
    ),
    Variant(
        "plain: a calendar whose events say which address is which document",
        "plain",
        "https://town.example/meetings.ics",
        {
            "meetings.ics": b"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VEVENT\r\nUID:1\r\n"
            b"DTSTART:20240116T190000\r\nSUMMARY:Town Board Meeting\r\nDESCRIPTION:Agenda: "
            b"https://town.example/1.pdf\\nMinutes: https://town.example/2.pdf\r\nEND:VEVENT\r\n"
            b"END:VCALENDAR\r\n"
        },
        both("Town Board", "/1.pdf", "/2.pdf"),
    ),
    Variant(
        "granicus: rows whose documents are Legistar's, and one with files only",
        "granicus",
        f"{GRANICUS}/ViewPublisher.php?view_id=1",
        {
            "ViewPublisher": """<table><tr class="listingRow"><td headers="Name">City Council</td><td headers="Date">January 16, 2024</td>
            <td><a href="https://town.legistar.com/View.ashx?M=A&ID=7&GUID=G">Agenda</a></td>
            <td><a href="https://town.legistar.com/View.ashx?M=M&ID=7&GUID=G">Minutes</a></td></tr>
            <tr class="listingRow"><td headers="Name">Parks Board</td><td headers="Date">January 9, 2024</td>
            <td><a href="AgendaViewer.php?view_id=1&clip_id=6">Agenda</a></td><td></td></tr></table>"""
        },
        sorted(
            [
                *both("City Council", "M=A&ID=7&GUID=G", "M=M&ID=7&GUID=G"),
                ("agendas", "2024-01-09", "Parks Board", "clip_id=6"),
            ]
        ),
    ),
    Variant(
        "granicus: a document viewer instead of the viewers of agenda and minutes",
        "granicus",
        f"{GRANICUS}/ViewPublisher.php?view_id=1",
        {
            "ViewPublisher": """<table><tr><td>City Council</td><td>Jan 16, 2024</td>
            <td><a href="DocumentViewer.php?file=town_aa.pdf&view=1">Agenda</a></td>
            <td><a href="DocumentViewer.php?file=town_bb.pdf&view=1">Minutes</a></td>
            <td><a href="MediaPlayer.php?view_id=1&clip_id=7">Video</a></td></tr>
            <tr><td>Parks Board</td><td>Jan 9, 2024</td>
            <td><a href="AgendaViewer.php?view_id=1&clip_id=6">Agenda</a></td></tr></table>"""
        },
        sorted(
            [
                *both("City Council", "town_aa.pdf&view=1", "town_bb.pdf&view=1"),
                ("agendas", "2024-01-09", "Parks Board", "clip_id=6"),
            ]
        ),
    ),
    Variant(
        "onbase: a list of links with the date written by name, minutes renamed",
        "onbase",
        "https://town.hylandcloud.com/221agendaonline/",
        {
            "Search": "<p>Nothing</p>",
            "agendaonline/": """<div class="meeting"><h3>City Council</h3><span>Tuesday, January 16, 2024 6:00 PM</span>
            <a href="/221agendaonline/Meetings/ViewMeeting?id=7&doctype=1&site=x">Agenda</a>
            <a href="/221agendaonline/Meetings/ViewMeeting?id=7&doctype=2&site=x">Actions</a></div>""",
        },
        both("City Council", "type=agenda&doctype=1", "type=minutes&doctype=2"),
    ),
    Variant(
        "municode: stamps in universal time next to the local date",
        "municode",
        "https://town-tx.municodemeetings.com/",
        {
            "municodemeetings.com/": """<table class="views-table"><tr><th>Date</th><th>Meeting</th></tr><tr>
            <td><time datetime="2024-01-17T00:30:00Z">01/16/2024 - 6:30pm</time></td>
            <td class="views-field views-field-title">City Council</td>
            <td class="views-field views-field-field-agendas"><a href="https://mccmeetings.blob.core.usgovcloudapi.net/towntx-pubu/MEET-Agenda-0123456789abcdef0123456789abcdef.pdf">PDF</a></td>
            <td class="views-field views-field-field-minutes"><a href="https://mccmeetings.blob.core.usgovcloudapi.net/towntx-pubu/MEET-Minutes-0123456789abcdef0123456789abcdef.pdf">PDF</a></td></tr></table>"""
        },
        both(
            "City Council",
            "MEET-Agenda-0123456789abcdef0123456789abcdef.pdf",
            "MEET-Minutes-0123456789abcdef0123456789abcdef.pdf",
        ),
    ),
    Variant(
        "municode: an agenda that is only a page, minutes as PDF and page",
        "municode",
        "https://town-tx.municodemeetings.com/",
        {
            "municodemeetings.com/": """<table class="views-table"><tr>
            <td><span class="date-display-single" content="2024-01-16T18:30:00-06:00">01/16/2024</span></td>
            <td class="views-field views-field-title">City Council</td>
            <td class="views-field views-field-field-agendas"><a href="https://meetings.municode.com/adaHtmlDocument/index?cc=TOWNTX&me=aa&ip=true">HTML</a></td>
            <td class="views-field views-field-field-minutes"><a href="https://meetings.municode.com/adaHtmlDocument/index?cc=TOWNTX&me=bb&ip=true">HTML</a>
            <a href="https://mccmeetings.blob.core.usgovcloudapi.net/towntx-pubu/MEET-Minutes-0123456789abcdef0123456789abcdef.pdf">PDF</a></td></tr></table>"""
        },
        both("City Council", "me=aa&ip=true", "MEET-Minutes-0123456789abcdef0123456789abcdef.pdf"),
    ),
    Variant(
        "primegov: a date without zeros, null lists, amended agenda beside the agenda",
        "primegov",
        "https://town.primegov.com/public/portal",
        {
            "Upcoming": [],
            "Archived": once(
                [
                    {
                        "id": 7,
                        "title": "City Council",
                        "dateTime": None,
                        "date": "1/16/2024",
                        "time": "06:00 PM",
                        "documentList": [
                            {"templateId": 1, "templateName": "Agenda", "compileOutputType": 1},
                            {
                                "templateId": 2,
                                "templateName": "Amended Agenda",
                                "compileOutputType": 1,
                            },
                            {"templateId": 3, "templateName": "Minutes", "compileOutputType": 3},
                            {"templateId": None, "templateName": None, "compileOutputType": None},
                        ],
                    },
                    {
                        "id": 8,
                        "title": "Parks Board",
                        "dateTime": "2024-01-09T18:00:00",
                        "documentList": None,
                    },
                ],
                [],
            ),
        },
        [
            ("agendas", DAY, "City Council", "meetingTemplateId=1&compileOutputType=1"),
            ("agendas", DAY, "City Council", "meetingTemplateId=2&compileOutputType=1"),
            ("minutes", DAY, "City Council", "meetingTemplateId=3&compileOutputType=3"),
        ],
    ),
    Variant(
        "escribe: milliseconds of universal time, the local time in French, no format",
        "escribe",
        "https://pub-ville.escribemeetings.com",
        {
            "GetCalendarMeetings": once(
                {
                    "d": [
                        {
                            "ID": "g",
                            "MeetingName": "Conseil municipal",
                            "MeetingType": "Conseil municipal",
                            "StartDate": "/Date(1705452300000)/",
                            "FormattedStart": "mardi 16 janvier 2024 @ 19:45",
                            "LanguageName": "Français",
                            "MeetingDocumentLink": [
                                {
                                    "Type": "Agenda",
                                    "Title": "Ordre du jour",
                                    "Format": ".pdf",
                                    "Url": "filestream.ashx?DocumentId=1",
                                },
                                {
                                    "Type": "PostMinutes",
                                    "Title": "Procès-verbal",
                                    "Format": None,
                                    "Url": "filestream.ashx?DocumentId=2",
                                },
                                {
                                    "Type": "Video",
                                    "Title": "Vidéo",
                                    "Format": None,
                                    "Url": "Players/ISIStandAlonePlayer.aspx?Id=g",
                                },
                            ],
                        }
                    ]
                },
                {"d": []},
            )
        },
        both("Conseil municipal", "DocumentId=1", "DocumentId=2"),
    ),
    Variant(
        "escribe: only a cover of the agenda, minutes as Word file",
        "escribe",
        "https://pub-town.escribemeetings.com",
        {
            "GetCalendarMeetings": once(
                {
                    "d": [
                        {
                            "ID": "g",
                            "MeetingName": "City Council",
                            "StartDate": "2024/01/16 18:30:00",
                            "MeetingDocumentLink": [
                                {
                                    "Type": "AgendaCover",
                                    "Title": "Agenda (PDF)",
                                    "Format": ".pdf",
                                    "Url": "filestream.ashx?DocumentId=1",
                                },
                                {
                                    "Type": "Minutes",
                                    "Title": "Minutes",
                                    "Format": ".docx",
                                    "Url": "filestream.ashx?DocumentId=2",
                                },
                            ],
                        }
                    ]
                },
                {"d": []},
            )
        },
        both("City Council", "DocumentId=1", "DocumentId=2"),
    ),
    Variant(
        "iqm2: the viewer instead of the file",
        "iqm2",
        "https://town.iqm2.com/Citizens/Default.aspx",
        {
            "Calendar.aspx": """<div class="MeetingRow"><div class="RowTop"><div class="RowLink"><a href="/Citizens/Detail_Meeting.aspx?ID=7">Jan 16, 2024 6:00 PM</a></div></div>
            <div class="RowBottom"><div class="RowDetails">City Council - Regular Meeting</div>
            <a href="FileView.aspx?Type=14&ID=70">Agenda</a><a href="FileView.aspx?Type=12&ID=71">Minutes</a></div></div>"""
        },
        both("City Council", "Type=14&ID=70", "Type=12&ID=71"),
    ),
    Variant(
        "boarddocs: a date that is a number, a record without a name",
        "boarddocs",
        "https://go.boarddocs.com/st/town/Board.nsf/Public",
        {
            "GetMeetingsList": [
                {
                    "unique": "U7",
                    "name": "Board of Education Regular Meeting",
                    "numberdate": 20240116,
                },
                {},
            ],
            "BD-GetMeeting?": '<button id="btn-view-minutes">View Minutes</button>',
            "GetPublicFiles": "<p></p>",
            "/Public": '<a committeeid="C1">Meetings</a>',
        },
        both("Board of Education", "id=U7", "id=U7"),
    ),
    Variant(
        "civicclerk: the date in another field, minutes named in 'Other', null files",
        "civicclerk",
        "https://townst.portal.civicclerk.com",
        {
            "/Events": {
                "value": [
                    {
                        "id": 7,
                        "eventName": "City Council Meeting",
                        "startDateTime": None,
                        "eventDate": "2024-01-16T18:00:00Z",
                        "categoryName": None,
                        "publishedFiles": [
                            {"fileId": 1, "type": "Agenda", "name": "Agenda"},
                            {"fileId": 2, "type": "Other", "name": "Approved Minutes 1-16-24"},
                        ],
                    },
                    {
                        "id": 8,
                        "eventName": None,
                        "startDateTime": "2024-02-01T18:00:00Z",
                        "publishedFiles": None,
                    },
                ]
            }
        },
        both("City Council", "(fileId=1,plainText=false)", "(fileId=2,plainText=false)"),
    ),
    Variant(
        "civicweb: milliseconds with an offset, late in the evening",
        "civicweb",
        "https://town.civicweb.net/Portal/",
        {
            "meetingDocuments": [
                {"Id": 71, "Type": 1, "IsPublic": True, "Html": True},
                {"Id": 72, "Type": 2, "IsPublic": True, "Html": True},
            ],
            "/meetings": [
                {
                    "Id": 7,
                    "Name": "City Council",
                    "MeetingTypeName": "City Council",
                    "MeetingDateTime": "/Date(1705456800000-0600)/",
                    "Published": True,
                }
            ],
        },
        both("City Council", "document/71?printPdf=true", "document/72?printPdf=true"),
    ),
    Variant(
        "civicweb: a service that does not say whether a meeting is published",
        "civicweb",
        "https://town.diligent.community/Portal/",
        {
            "meetingDocuments": [{"Id": 71, "Type": 1, "IsPublic": True, "Html": True}],
            "/meetings": [
                {
                    "Id": 7,
                    "Name": "City Council - Jan 16 2024",
                    "MeetingTypeName": None,
                    "MeetingDateTime": None,
                }
            ],
        },
        [("agendas", DAY, "City Council", "document/71?printPdf=true")],
    ),
    Variant(
        "novusagenda: the name before the date, an agenda that is a page",
        "novusagenda",
        "https://town.novusagenda.com/agendapublic/meetingsresponsive.aspx",
        {
            "meetingsresponsive": """<table><tr><th>Meeting Type</th><th>Date</th><th>Location</th><th></th></tr>
            <tr class="rgRow"><td>City Council</td><td>01/16/24</td><td>City Hall</td>
            <td><a href="javascript:window.open('MeetingView.aspx?MeetingID=7&MinutesMeetingID=-1&doctype=Agenda','x')">Online Agenda</a>
            <a href="javascript:window.open('MeetingView.aspx?MeetingID=7&MinutesMeetingID=5&doctype=Minutes','x')">Online Minutes</a></td></tr></table>"""
        },
        both(
            "City Council",
            "MeetingID=7&MinutesMeetingID=-1&doctype=Agenda",
            "MinutesMeetingID=5&doctype=Minutes",
        ),
    ),
    Variant(
        "novusagenda: an agenda whose address says that there are no minutes",
        "novusagenda",
        "https://town.novusagenda.com/agendapublic/meetingsgeneral.aspx",
        {
            "meetingsgeneral": """<table><tr class="rgRow"><td>01/16/24</td><td>City Council</td><td>City Hall</td>
            <td><a href="DisplayAgendaPDF.ashx?MeetingID=7&MinutesMeetingID=-1">PDF</a></td></tr></table>"""
        },
        [("agendas", DAY, "City Council", "MeetingID=7&MinutesMeetingID=-1")],
    ),
    Variant(
        "civicplus: an agenda that is only a page",
        "civicplus",
        "https://town.civicplus.com/AgendaCenter",
        {
            "Search": once(
                """<div class="listing"><h2>City Council</h2><table><tr class="catAgendaRow"><td><h3>Jan 16, 2024</h3><p>City Council Meeting</p>
                <a href="/AgendaCenter/ViewFile/Agenda/_01162024-7?html=true">HTML</a></td>
                <td><a href="/AgendaCenter/ViewFile/Minutes/_01162024-7">Minutes</a></td></tr></table></div>""",
                "<p>AgendaCenter</p>",
            )
        },
        both("City Council", "Agenda/_01162024-7?html=true", "Minutes/_01162024-7"),
    ),
    Variant(
        "archivecenter: a series whose name is above a list of years",
        "archivecenter",
        "https://town.example/Archive.aspx?AMID=36",
        {
            "AMID=36": """<title>Archive Center • Town • CivicEngage</title><h1>Archive Center</h1><h2>Planning Commission Minutes</h2>
            <span class="archive"><a href="Archive.aspx?ADID=71">01-16-24</a></span><br>
            <span class="archive"><a href="/ArchiveCenter/ViewFile/Item/72">January 9, 2024 (Cancelled)</a></span>"""
        },
        [
            ("minutes", "2024-01-09", "Planning Commission", "/Item/72"),
            ("minutes", DAY, "Planning Commission", "ADID=71"),
        ],
    ),
    Variant(
        "boardbook: a weekday before the date and no time",
        "boardbook",
        "https://meeting.sparqdata.com/Public/Organization/town-schools",
        {
            "/Public/Organization": """<table id="PublicMeetingsTable"><tr class="row-for-board"><td><div>Tuesday, January 16, 2024 - Regular Meeting</div></td>
            <td><a href="/Public/Agenda/town-schools?meeting=7">Agenda</a><a href="/Public/Minutes/town-schools?meeting=7">Minutes</a></td></tr></table>"""
        },
        both(
            "Regular Meeting",
            "DownloadAgenda/town-schools?meeting=7",
            "DownloadMinutes/town-schools?meeting=7",
        ),
    ),
    Variant(
        "infocouncil: day before month, minutes only as a page",
        "infocouncil",
        "https://town.infocouncil.biz/",
        {
            "infocouncil.biz/": """<table><tr class="bpsGridMenuItem"><td class="bpsGridDate">05/02/2024 <span>6:30pm</span></td>
            <td class="bpsGridCommittee">Ordinary Council <span>Town Hall</span></td>
            <td class="bpsGridAgenda"><a href="RedirectToDoc.aspx?URL=Open/2024/02/OC_20240205_AGN_1_AT.PDF">PDF</a>
            <a href="RedirectToDoc.aspx?URL=Open/2024/02/OC_20240205_AGN_1_AT_WEB.htm">HTML</a></td>
            <td class="bpsGridMinutes"><a href="RedirectToDoc.aspx?URL=Open/2024/02/OC_20240205_MIN_1_WEB.htm">HTML</a></td></tr></table>"""
        },
        [
            ("agendas", "2024-02-05", "Council", "OC_20240205_AGN_1_AT.PDF"),
            ("minutes", "2024-02-05", "Council", "OC_20240205_MIN_1_WEB.htm"),
        ],
    ),
    Variant(
        "suiteone: other names of columns, date and time apart",
        "suiteone",
        "https://town.suiteonemedia.com/",
        {
            "/event/Get": b"%PDF-1.4 the document",
            "suiteonemedia.com/": """<table class="eventTable"><thead><tr><th>Date</th><th>Time</th><th>Event</th><th>Agenda</th><th>Minutes</th></tr></thead>
            <tbody><tr><td>01/16/2024</td><td>06:00 PM</td><td><a href="/event/?id=7">City Council</a></td>
            <td><a href="/event/GetAgendaFile/Agenda?aid=7">Agenda</a></td>
            <td><a href="/event/GetMinutesFile/Minutes?mid=7">Minutes</a></td></tr></tbody></table>""",
        },
        both("City Council", "GetAgendaFile/Agenda?aid=7", "GetMinutesFile/Minutes?mid=7"),
    ),
    Variant(
        "moderngov: a service that answers with a page, names of files in Welsh",
        "moderngov",
        "https://democracy.town.gov.uk/mgListCommittees.aspx?bcr=1",
        {
            "mgWebService": "<html><body>Not available</body></html>",
            "mgListCommittees": '<ul><li><a href="ieListMeetings.aspx?CommitteeId=5">Planning Committee</a></li></ul>',
            "ieListMeetings": '<ul><li><a href="ieListDocuments.aspx?CId=5&MId=7">16 Jan 2024 6.30 pm</a></li></ul>',
            "ieListDocuments": """<a href="documents/g7/Blaendaflen%20yr%20Agenda.pdf?T=0">Agenda</a>
            <a href="documents/g7/Cofnodion.pdf?T=1">Cofnodion</a>""",
        },
        both("Planning Committee", "Agenda.pdf?T=0", "Cofnodion.pdf?T=1"),
    ),
    Variant(
        "simbli: a date as Americans write it",
        "simbli",
        "https://simbli.eboardsolutions.com/SB_Meetings/SB_MeetingListing.aspx?S=7",
        {
            "GetMeetingListing": [
                {
                    "Master_MeetingID": 7,
                    "MM_MeetingTitle": "Board of Education",
                    "MM_DateTime": "1/16/2024 6:00:00 PM",
                    "MinutesStatus": "Published",
                }
            ],
            "SB_MeetingListing": "<script>var constr = 'c'; var sToken = 't';</script>",
        },
        both("Board of Education", "S=7&MID=7", "MID=7&Tab=Minutes"),
    ),
    Variant(
        "agendaquick: another order of columns, minutes as PDF",
        "agendaquick",
        "https://public.destinyhosted.com/agenda_publish.cfm?id=7",
        {
            "agenda_publish": """<table id="list"><thead><tr><th>Meeting</th><th>Date</th><th>Agenda</th><th>Minutes</th></tr></thead><tbody><tr>
            <td>City Council</td><td>01/16/2024</td><td><a href="agenda_publish.cfm?id=7&mt=ALL&dsp=ag&seq=7">Agenda</a></td>
            <td><a href="/7/minutes/7.pdf">Minutes</a></td></tr></tbody></table>"""
        },
        both("City Council", "dsp=ag&seq=7", "/7/minutes/7.pdf"),
    ),
    Variant(
        "oparl: the minutes among the other files, a meeting without a name",
        "oparl",
        "https://ris.stadt.example/oparl/v1.1/system",
        {
            "/system": {"body": "https://ris.stadt.example/oparl/v1.1/bodies"},
            "/bodies": {
                "data": [{"meeting": "https://ris.stadt.example/oparl/v1.1/meetings"}],
                "links": {},
            },
            "/meetings": {
                "data": [
                    {
                        "id": "https://ris.stadt.example/oparl/v1.1/meeting/7",
                        "name": None,
                        "start": "2024-01-16T18:00:00+01:00",
                        "organization": [{"name": "Stadtrat"}],
                        "invitation": {
                            "name": "Einladung",
                            "accessUrl": "https://ris.stadt.example/f/1",
                        },
                        "resultsProtocol": None,
                        "auxiliaryFile": [
                            {
                                "name": "Öffentliche Niederschrift",
                                "accessUrl": "https://ris.stadt.example/f/2",
                            },
                            {"name": "Lageplan", "accessUrl": "https://ris.stadt.example/f/3"},
                        ],
                    }
                ],
                "links": {},
            },
        },
        both("Stadtrat", "/f/1", "/f/2"),
    ),
    Variant(
        "notubiz: an annual report is not the report of a meeting",
        "notubiz",
        "https://stad.notubiz.nl/?organisation_id=5",
        {
            "/events/meetings/7": {
                "meeting": {
                    "documents": [
                        {
                            "id": 1,
                            "title": "Agenda gemeenteraad",
                            "url": "https://api.notubiz.nl/document/1",
                            "types": [],
                        },
                        {
                            "id": 2,
                            "title": "Conceptverslag 16 januari",
                            "url": "https://api.notubiz.nl/document/2",
                            "types": None,
                        },
                        {
                            "id": 3,
                            "title": "Jaarverslag 2023",
                            "url": "https://api.notubiz.nl/document/3",
                            "types": [{"value": "Bijlage"}],
                        },
                    ]
                }
            },
            "/events": {
                "events": [
                    {
                        "id": 7,
                        "attributes": [{"id": 1, "value": "Gemeenteraad"}],
                        "plannings": [{"start_date": "2024-01-16 19:30:00"}],
                        "gremium": None,
                    }
                ],
                "pagination": None,
            },
        },
        both("Gemeenteraad", "document/1", "document/2"),
    ),
    Variant(
        "swagit: agendas below the title of the video, dates by name",
        "swagit",
        "https://town.new.swagit.com/views/7",
        {
            "/views/7": """<ul class="nav-tabs-swagit"><li class="active"><a href="/views/7">City Council</a></li></ul>
            <table><tr><td><a href="/videos/70">Regular Meeting</a></td><td>Jan 16, 2024</td>
            <td><a href="https://town.new.swagit.com/videos/70/agenda">Agenda</a></td></tr></table>"""
        },
        [("agendas", DAY, "City Council", "/videos/70/agenda")],
    ),
    Variant(
        "legistar: the place before the body, headers that nobody has seen",
        "legistar",
        f"{LEGISTAR}/Calendar.aspx",
        {
            "Calendar.aspx": """<table class="rgMasterTable"><tr><th>Meeting Date/Time</th><th>Meeting Location</th><th>Public Body</th><th>Agenda</th>
            </tr><tr class="rgRow"><td>1/16/2024 6:00 PM</td><td>City Hall, Second Floor</td><td>Planning Commission</td>
            <td><a href="View.ashx?M=A&ID=7&GUID=G">Agenda</a></td></tr></table>"""
        },
        [("agendas", DAY, "Planning Commission", "M=A&ID=7&GUID=G")],
    ),
    Variant(
        "infocouncil: attachments in the cell of the agenda",
        "infocouncil",
        "https://town.infocouncil.biz/",
        {
            "infocouncil.biz/": """<table><tr class="bpsGridMenuItem"><td class="bpsGridDate">16 Jan 2024</td>
            <td class="bpsGridCommittee">Works Committee</td>
            <td class="bpsGridAgenda"><a href="RedirectToDoc.aspx?URL=Open/2024/01/WC_16012024_AGN_1_AT.PDF">Agenda</a>
            <a href="RedirectToDoc.aspx?URL=Open/2024/01/WC_16012024_ATT_1_EXCLUDED.PDF">Attachments</a></td>
            <td class="bpsGridMinutes"></td></tr></table>"""
        },
        [("agendas", DAY, "Works Committee", "WC_16012024_AGN_1_AT.PDF")],
    ),
    Variant(
        "moderngov: a closed service, and no minutes yet",
        "moderngov",
        "https://democracy.town.gov.uk/mgListCommittees.aspx?bcr=1",
        {
            "mgWebService": "<html><body>Not available</body></html>",
            "mgListCommittees": '<ul><li><a href="mgCommitteeDetails.aspx?ID=5">Planning Committee</a></li></ul>',
            "ieListMeetings": '<ul><li><a href="ieListDocuments.aspx?CId=5&MId=7">16 Jan 2024 6.30 pm</a></li></ul>',
            "ieListDocuments": '<a href="documents/g7/Agenda%20frontsheet%2016th-Jan-2024.pdf?T=0">Agenda</a>',
        },
        [("agendas", DAY, "Planning Committee", "16th-Jan-2024.pdf?T=0")],
    ),
    Variant(
        "moderngov: flags in small letters",
        "moderngov",
        "https://democracy.town.gov.uk/",
        {
            "GetCommittees": "<committees><committee><committeeid>5</committeeid><committeetitle>Cabinet</committeetitle><committeedeleted>false</committeedeleted></committee></committees>",
            "GetMeetings": "<x><committee><committeeid>5</committeeid><committeetitle>Cabinet</committeetitle><meetings><meeting><meetingid>7</meetingid><meetingdate>16/01/2024</meetingdate><meetingtime>6.30 pm</meetingtime><meetingstatus>Confirmed</meetingstatus></meeting></meetings></committee></x>",
            "GetMeeting?": "<meeting><meetingid>7</meetingid><agendapublished>true</agendapublished><minutepublished>false</minutepublished></meeting>",
            "ieListDocuments": '<a href="documents/g7/Agenda%20frontsheet.pdf?T=0">Agenda</a>',
        },
        [("agendas", DAY, "Cabinet", "Agenda%20frontsheet.pdf?T=0")],
    ),
    Variant(
        "oparl: midnight in Germany, in universal time",
        "oparl",
        "https://ris.stadt.example/oparl/v1.1/system",
        {
            "/system": {"meeting": "https://ris.stadt.example/oparl/v1.1/meetings"},
            "/meetings": {
                "data": [
                    {
                        "id": "https://ris.stadt.example/oparl/v1.1/meeting/7",
                        "name": "Stadtrat",
                        "start": "2024-01-15T23:00:00Z",
                        "invitation": {"accessUrl": "https://ris.stadt.example/f/1"},
                    }
                ],
            },
        },
        [("agendas", DAY, "Stadtrat", "/f/1")],
    ),
    Variant(
        "onbase: the day first in the title of a link",
        "onbase",
        "https://town.hylandcloud.com/221agendaonline/",
        {
            "Search": "<p>Nothing</p>",
            "agendaonline/": """<ul><li><a href="/221agendaonline/Meetings/ViewMeeting?id=7&doctype=1"
            title="View Agenda for City Council on 16/01/2024 6:00:00 PM">Agenda</a></li></ul>""",
        },
        [("agendas", DAY, "City Council", "type=agenda&doctype=1")],
    ),
    Variant(
        "archivecenter: a list of all series",
        "archivecenter",
        "https://town.example/Archive.aspx",
        {
            "AMID=36": '<h2>City Council Agendas</h2><a href="Archive.aspx?ADID=71">Agenda - 01/16/2024</a>',
            "AMID=37": '<h2>Newsletters</h2><a href="Archive.aspx?ADID=90">January 2024</a>',
            "/Archive.aspx": '<a href="Archive.aspx?AMID=36">City Council Agendas</a><a href="Archive.aspx?AMID=37">Newsletters</a>',
        },
        [("agendas", DAY, "City Council", "ADID=71")],
    ),
    Variant(
        "granicus: a packet and an agenda elsewhere, the row's date in French",
        "granicus",
        f"{GRANICUS}/ViewPublisher.php?view_id=1",
        {
            "ViewPublisher": """<table><tr><td>Conseil municipal</td><td>16 janvier 2024</td>
            <td><a href="https://d3n9y02raazwpg.cloudfront.net/town/aa.pdf">Agenda</a>
            <a href="https://d3n9y02raazwpg.cloudfront.net/town/bb.pdf">Agenda Packet</a></td></tr></table>"""
        },
        [("agendas", DAY, "Conseil municipal", "town/aa.pdf")],
    ),
    Variant(
        "escribe: a revised agenda whose type says nothing",
        "escribe",
        "https://pub-town.escribemeetings.com",
        {
            "GetCalendarMeetings": once(
                {
                    "d": [
                        {
                            "ID": "a",
                            "MeetingName": "Regional Council",
                            "StartDate": "2024/01/16 09:30:00",
                            "MeetingDocumentLink": [
                                {"Title": title, "Type": kind, "Format": form, "Url": url}
                                for title, kind, form, url in (
                                    (
                                        "Agenda (PDF)",
                                        "Agenda",
                                        ".pdf",
                                        "/FileStream.ashx?DocumentId=1",
                                    ),
                                    (
                                        "Revised Agenda (PDF)",
                                        "Merged",
                                        ".pdf",
                                        "/FileStream.ashx?DocumentId=2",
                                    ),
                                    (
                                        "Revised Agenda (HTML)",
                                        "Merged",
                                        "HTML",
                                        "/Meeting.aspx?Id=a&Agenda=Merged",
                                    ),
                                    ("Video", "Video", "Video", "./Players/Player.aspx?Id=a"),
                                )
                            ],
                        }
                    ]
                },
                {"d": []},
            )
        },
        [
            ("agendas", DAY, "Regional Council", "DocumentId=1"),
            ("agendas", DAY, "Regional Council", "DocumentId=2"),
        ],
    ),
    Variant(
        "swagit: a tab that is called after its meetings",
        "swagit",
        "https://town.new.swagit.com/views/7/board-meetings",
        {
            "/views/7": """<ul class="nav-tabs-swagit"><li class="active"><a href="/views/7/board-meetings">Board
            Meetings</a></li></ul><table><tr><td><a href="/videos/5">Board Meetings</a></td><td>Jan 16, 2024</td>
            <td><a href="/videos/5/agenda">Agenda</a></td></tr></table>"""
        },
        [("agendas", DAY, "Board", "/videos/5/agenda")],
    ),
    Variant(
        "iqm2: rows without a line for the board, which is in what the link says",
        "iqm2",
        "https://town.iqm2.com/Citizens/Default.aspx",
        {
            "Calendar.aspx": """<div class="RowTop"><div class="RowLink"><a href="/Citizens/Detail_Meeting.aspx?ID=7"
            title="TUESDAY, JANUARY 16, 2024  9:00 AM&#13;&#13;Board:&#09;Director's Hearing&#13;Type:&#09;Regular Meeting&#13;Status:&#09;Scheduled">
            Jan 16, 2024 9:00 AM</a></div><div><a href="FileOpen.aspx?Type=14&ID=3&Inline=True">Agenda</a>
            <a href="FileOpen.aspx?Type=1&ID=3&Inline=True">Agenda Packet</a></div>
            <div><a href="FileOpen.aspx?Type=15&ID=4&Inline=True">Minutes</a>
            <a href="FileOpen.aspx?Type=12&ID=4&Inline=True">Minutes Packet</a></div></div>"""
        },
        both("Director's Hearing", "Type=14&ID=3&Inline=True", "Type=15&ID=4&Inline=True"),
    ),
    Variant(
        "novusagenda: links that are relative to the folder in the address",
        "novusagenda",
        "https://town.novusagenda.com/agendapublic",
        {
            "meetingsgeneral": httpx.Response(404),
            "/agendapublic/": """<table><tr><td>01/16/24</td><td>Planning Board</td>
            <td><a href="DisplayAgendaPDF.ashx?MeetingID=7"><img src="pdf.gif"></a></td>
            <td><a href="DisplayAgendaPDF.ashx?MinutesMeetingID=9"><img src="pdf.gif"></a></td></tr></table>""",
        },
        both(
            "Planning Board",
            "/agendapublic/DisplayAgendaPDF.ashx?MeetingID=7",
            "/agendapublic/DisplayAgendaPDF.ashx?MinutesMeetingID=9",
        ),
    ),
    Variant(
        "municode: a calendar of a month, whose links lead to the meetings",
        "municode",
        "https://town.example/calendar",
        {
            "/calendar": """<a href="/meetings">Agendas &amp; Minutes</a><div class="calendar-calendar"><table class="full">
            <tr class="single-day"><td data-date="2024-01-16"><div class="item"><a href="/council/page/meeting-7"
            title="01/16/2024 - 6:00pm">City Council Meeting</a><span class="date-display-single"
            content="2024-01-16T18:00:00-08:00">6:00pm</span></div></td><td data-date="2024-01-17"></td></tr></table></div>""",
            "/council/page/meeting-7": f"""<h1>City Council Meeting</h1><span class="date-display-single"
            content="2024-01-16T18:00:00-08:00">January 16, 2024</span><div class="agendas"><a href="{BLOBS}Agenda-{GUID}.pdf">
            Agenda</a></div><div class="minutes"><a href="{BLOBS}Minutes-{GUID}.pdf">Minutes</a></div>""",
        },
        both("City Council", f"Agenda-{GUID}.pdf", f"Minutes-{GUID}.pdf"),
    ),
    Variant(
        "municode: a calendar of a month beside the list, which goes back further",
        "municode",
        "https://town.example/calendar",
        {
            "/calendar": """<a href="/meetings">Agendas &amp; Minutes</a><table class="calendar"><tr><td>16</td></tr></table>""",
            "/meetings": f"""<table class="views-table"><tr><td><span class="date-display-single"
            content="2024-01-16T18:00:00-08:00">01/16/2024</span></td><td class="views-field-title">Plan Commission</td>
            <td class="views-field-field-agendas"><a href="{BLOBS}Agenda-{GUID}.pdf">PDF</a></td>
            <td class="views-field-field-minutes"><a href="{BLOBS}Minutes-{GUID}.pdf">PDF</a></td></tr></table>""",
        },
        both("Plan Commission", f"Agenda-{GUID}.pdf", f"Minutes-{GUID}.pdf"),
    ),
    Variant(
        "onbase: a type of meeting that names nobody",
        "onbase",
        "https://agendas.county.example/OnBaseAgendaOnline",
        {
            "OnBaseAgendaOnline": """<table><tr class="meeting-row" data-meeting-id="7">
            <td data-sortable-type="mtgName">Commissioners Regular Meeting</td>
            <td data-sortable-type="mtgType">Regular Meeting</td><td data-sortable-type="mtgTime">1/16/2024 6:00:00 PM</td>
            <td><a href="/OnBaseAgendaOnline/Documents/DownloadFile/A.pdf?documentType=1&amp;meetingId=7">Agenda</a>
            <a href="/OnBaseAgendaOnline/Documents/DownloadFile/M.pdf?documentType=2&amp;meetingId=7">Minutes</a></td></tr></table>"""
        },
        both(
            "Commissioners",
            "/A.pdf?documentType=1&meetingId=7",
            "/M.pdf?documentType=2&meetingId=7",
        ),
    ),
    Variant(
        "oparl: other files as one object instead of a list, an empty address for downloads",
        "oparl",
        "https://oparl.stadt.example/system",
        {
            "/system": {
                "type": "https://schema.oparl.org/1.1/System",
                "body": "https://oparl.stadt.example/bodies",
            },
            "/bodies": {"data": [{"meeting": "https://oparl.stadt.example/meetings"}]},
            "/meetings": {
                "data": [
                    {
                        "id": "https://oparl.stadt.example/meetings?id=7",
                        "name": "Sitzung des Rates",
                        "start": "2024-01-16T17:00:00+01:00",
                        "organization": [{"name": "Rat"}],
                        "invitation": {
                            "name": "Tagesordnung",
                            "accessUrl": "https://stadt.example/doc?DOLFDNR=1",
                            "downloadUrl": "",
                        },
                        "auxiliaryFile": {
                            "name": "Niederschrift",
                            "accessUrl": "https://stadt.example/doc?DOLFDNR=2",
                        },
                    }
                ],
                "links": {},
            },
        },
        both("Rat", "DOLFDNR=1", "DOLFDNR=2"),
    ),
    Variant(
        "notubiz: minutes on the first item, those of the meeting before on the second",
        "notubiz",
        "https://town.notubiz.nl/?organisation_id=5",
        {
            "/events/meetings/7": {
                "meeting": {
                    "documents": [
                        {
                            "id": 1,
                            "title": "Agenda raad",
                            "url": "https://api.notubiz.nl/document/1/1",
                        }
                    ],
                    "agenda_items": [
                        {
                            "documents": [
                                {
                                    "id": 2,
                                    "title": "Besluitenlijst 16-01-2024",
                                    "url": "https://api.notubiz.nl/document/2/1",
                                }
                            ]
                        },
                        {
                            "documents": [
                                {
                                    "id": 3,
                                    "title": "Besluitenlijst 12-12-2023",
                                    "url": "https://api.notubiz.nl/document/3/1",
                                }
                            ]
                        },
                        {
                            "documents": [
                                {
                                    "id": 4,
                                    "title": "Brief 16-01-2024",
                                    "url": "https://api.notubiz.nl/document/4/1",
                                }
                            ]
                        },
                    ],
                }
            },
            "/events": {
                "events": [
                    {
                        "id": 7,
                        "plannings": [{"start_date": "2024-01-16 19:30:00"}],
                        "attributes": [{"id": 1, "value": "Gemeenteraad"}],
                    }
                ]
            },
        },
        both("Gemeenteraad", "/document/1/1", "/document/2/1"),
    ),
    Variant(
        "ibabs: a host of several towns, and minutes of the meeting's day on an item",
        "ibabs",
        f"https://ris2.ibabs.eu/Agenda/Details/Town/{IBABS_ID}",
        {
            "/Calendar/Index/Town": '<a href="/Calendar/OpenCategory/Town/5">Raadscommissie</a>',
            "/Calendar": httpx.Response(404),
            "RetrieveAgendasForYear/Town?agendatypeId=5&year=2024": f'<li><a href="/Agenda/Details/Town/{IBABS_ID}">16 januari</a></li>',
            "RetrieveAgendasForYear": "<p></p>",
            IBABS_ID: """<div class="agendapunten"><ul><li>Verslagen
            <a href="https://online.ibabs.eu/publicdownload.aspx?id=m" data-document-id="m">Verslag 16 januari 2024</a>
            <a href="https://online.ibabs.eu/publicdownload.aspx?id=n" data-document-id="n">Verslag 12 december 2023</a>
            </li></ul></div>""",
        },
        both("Raadscommissie", f"/Agenda/Details/Town/{IBABS_ID}", "publicdownload.aspx?id=m"),
    ),
    Variant(
        "agendaquick: the newer product, which shows a card for each meeting",
        "agendaquick",
        "https://public.destinyhosted.com/35247/agenda/",
        {
            "/35247/agenda/": """<div class="card"><h3>January 16, 2024: Planning &amp; Zoning Commission</h3>
            <a href="agenda.cfm?seq=48">Agenda</a><a href="minutes.cfm?meetingId=48">Minutes</a></div>"""
        },
        both(
            "Planning & Zoning Commission",
            "/35247/agenda/agenda.cfm?seq=48",
            "/35247/agenda/minutes.cfm?meetingId=48",
        ),
    ),
    Variant(
        "sessionnet: the list of one committee, in an older version",
        "sessionnet",
        "https://stadt.example/bi/si0041.asp?__ctopic=gr&__kgrnr=10",
        {
            "si0041": """<table><tr><td class="smc_field_silink"><a href="to0040.asp?__ksinr=11"
            title="Details anzeigen: Bezirksvertretung Mitte 16.01.2024 ">16.01.2024</a> 15:00-18:09</td><td>
            <a href="getfile.asp?id=42&type=do&" title="Einladung ">Einladung <span>266 KB</span></a>
            <a href="getfile.asp?id=43&type=do&" title="Niederschrift öffentlich ">Niederschrift öffentlich</a></td></tr></table>""",
            "to0040": "<p>Tagesordnung</p>",
        },
        both("Bezirksvertretung Mitte", "getfile.asp?id=42&type=do&", "getfile.asp?id=43&type=do&"),
    ),
    Variant(
        "vision: folders on the town's host, whose names say kind and year",
        "vision",
        "https://town.example/council/meetings",
        {
            "/-folder-1": '<h1>City Council</h1><a class="content_link" href="/council/meetings/-folder-3">2024</a>',
            "/-folder-2": '<h1>City Council</h1><a class="content_link" href="/council/meetings/-folder-4">2024</a>',
            "/-folder-3": '<h1>City Council</h1><a href="/home/showpublisheddocument/17">January 16</a>',
            "/-folder-4": '<h1>City Council</h1><a href="/home/showpublisheddocument/18">January 16</a>',
            "/council/meetings": """<h1>City Council</h1><p><a href="/home/showpublisheddocument/9">Comment Policy</a></p><ul>
            <li><a class="content_link" href="/council/meetings/-folder-1">Agendas</a></li>
            <li><a class="content_link" href="/council/meetings/-folder-2">Minutes</a></li></ul>""",
        },
        both("City Council", "showpublisheddocument/17", "showpublisheddocument/18"),
    ),
]


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.name)
def test_a_variant_is_read_like_the_usual_portal(portal, variant):
    town = portal(variant.scraper, variant.source, variant.answers)

    found = listed(town)

    ends = [
        (kind, day, body, end if url.endswith(end) else url)
        for (kind, day, body, url), (*_, end) in zip(found, variant.expected, strict=False)
    ] + found[len(variant.expected) :]
    assert ends == variant.expected


@pytest.mark.parametrize("scraper", sorted({variant.scraper for variant in VARIANTS}))
def test_a_second_run_makes_only_conditional_requests_on_every_platform(
    portal, monkeypatch, scraper
):
    variant = next(each for each in VARIANTS if each.scraper == scraper)
    town = portal(scraper, variant.source, variant.answers)
    answer = town._answer

    def with_etag(request: httpx.Request) -> httpx.Response:
        response = answer(request)
        if request.headers.get("If-None-Match") == '"v1"':
            return httpx.Response(304)
        response.headers["ETag"] = '"v1"'
        return response

    monkeypatch.setattr(town, "_answer", with_etag)
    assert town.fetch().new
    times = Counter(unquote(str(each.url)) for each in town.asked)
    # What was asked for twice is a page of the portal and a document as well.
    files = {unquote(row.source_url or "") for row in town.known()}
    files = {each for each in files if times[each] < 2}

    report = town.fetch(now=NOW + timedelta(days=30))

    assert not report.new and not report.gone
    asked = [each for each in town.asked if unquote(str(each.url)) in files]
    # BoardDocs makes its documents for a POST; CivicClerk says when a file was published.
    assert asked or scraper in ("boarddocs", "civicclerk")
    assert all("If-None-Match" in each.headers for each in asked)


@pytest.mark.parametrize(
    "name",
    [
        "Stadtrat - entfällt",
        "Sitzung des Hauptausschusses (abgesagt)",
        "Commissie Ruimte - geannuleerd",
        "Pleno ordinario - cancelado",
        "Conseil municipal (annulée)",
        "City Council - Cancellation",
    ],
)
def test_a_meeting_is_cancelled_in_every_language(name):
    assert naming.is_cancelled(name)


def test_a_legistar_event_may_be_cancelled_by_its_status(portal):
    event = {
        "EventId": 7,
        "EventBodyName": "City Council",
        "EventDate": "2024-01-16T00:00:00",
        "EventAgendaStatusName": "Cancelled",
    }
    town = portal("legistar_api", "https://webapi.legistar.com/v1/town", {"/events": [event]})

    assert not town.fetch().gaps


def test_a_row_of_novusagenda_that_is_repeated_for_telephones_is_one_meeting(portal):
    """The second row has no date of its own, and the same links."""
    links = """<a onClick="window.open('MeetingView.aspx?MeetingID=N&MinutesMeetingID=-1')">Online</a>
      <a href="DisplayAgendaPDF.ashx?MeetingID=N">Agenda PDF</a>"""
    rows = "".join(
        f"""<tr><td></td><td>{day}</td><td><div>Council Meeting</div></td><td>{place}</td><td>{here}</td></tr>
        <tr class="collapse"><td colspan="8"><label>Meeting Location</label><div>{place}</div>{here}</td></tr>"""
        for day, place, here in (
            ("01/16/24", "Budget Presentations", links.replace("=N", "=7")),
            ("01/09/24", "City Hall, Room 2", links.replace("=N", "=8")),
        )
    )
    town = portal(
        "novusagenda",
        "https://town.novusagenda.com/agendapublic/meetingsresponsive.aspx",
        {"meetingsresponsive": f"<table><tr><th>Meeting Date</th></tr>{rows}</table>"},
    )

    report = town.fetch()

    assert sorted(report.new) == ["agendas/Council/2024-01-09", "agendas/Council/2024-01-16"]
    assert report.meetings == 2


def test_a_type_of_meetings_in_civicweb_is_no_meeting(portal):
    page = """<h2><a href="/Portal/MeetingInformation.aspx?type=10">Academic Senate</a></h2><ol>
      <li><a href="/Portal/MeetingInformation.aspx?Id=4">Academic Senate Special Meeting - 16 Jan 2024</a></li></ol>
      <h2><a href="/Portal/MeetingInformation.aspx?type=11">Town Council</a></h2><ol>
      <li><a href="/Portal/MeetingInformation.aspx?Id=5">Regular Meeting - 9 Jan 2024 - CANCELLED</a></li></ol>"""
    town = portal(
        "civicweb",
        "https://town.civicweb.net/Portal/",
        {
            "Service": httpx.Response(404),
            "MeetingTypeList": page,
            "Id=4": '<a href="/document/51/">Agenda</a> <a href="/document/52/">Agenda Package</a>',
            "Id=5": "<p>Cancelled</p>",
        },
    )

    report = town.fetch()

    assert report.new == ["agendas/Academic Senate/2024-01-16"]
    assert report.meetings == 2
    assert [gap.meeting for gap in report.gaps] == ["Academic Senate"]


def test_moderngov_goes_on_with_earlier_and_later_meetings_in_one_direction_each(portal):
    def page(days: str, *further: str) -> str:
        links = "".join(
            f'<a href="ieListMeetings.aspx?Act={each.partition(" ")[0]}&CId=4&D={each[-1]}">{each}</a>'
            for each in further
        )
        rows = "".join(
            f'<li><a href="ieListDocuments.aspx?CId=4&MId={day.partition(" ")[0]}&Ver=4">{day} 2024 7:30 pm'
            f"</a> - {'CANCELLED' if day == '4 Jan' else 'Agenda'}</li>"
            for day in days.split(", ")
        )
        return f"<h1>Browse meetings</h1><h2>Audit Committee</h2>{links}<ul>{rows}</ul>"

    town = portal(
        "moderngov",
        "https://democracy.town.example/mgListCommittees.aspx",
        {
            "mgWebService": httpx.Response(404),
            "mgListCommittees": """<a href="mgCommitteeDetails.aspx?ID=4">Audit Committee</a>
            <a href="ieListMeetings.aspx?CId=9&info=1&MD=Constitution">Constitution</a>""",
            "Year=0": page("9 Jan, 8 Jan", "earlier 1", "later 2"),
            "D=1": page("4 Jan, 3 Jan", "later 3"),
            "D=2": page("11 Jan", "earlier 4"),
            "MId=": '<a href="documents/g7/Agenda%20frontsheet.pdf?T=0">Agenda</a>',
        },
    )

    report = town.fetch()

    days = ["03", "08", "09", "11"]
    assert sorted(report.new) == [f"agendas/Audit Committee/2024-01-{day}" for day in days]
    asked = [str(each.url) for each in town.asked if "ieListMeetings" in str(each.url)]
    assert len(asked) == len(set(asked)) == 3


def test_a_granicus_meeting_that_gets_another_id_stays_the_same_document(portal):
    """Before it takes place a meeting is an event, and afterwards a clip."""
    row = """<table><tr><td>City Council</td><td>January 16, 2024</td>
      <td><a href="AgendaViewer.php?view_id=1&ID">Agenda</a></td></tr></table>"""
    town = portal(
        "granicus",
        f"{GRANICUS}/ViewPublisher.php?view_id=1",
        {
            "ViewPublisher": row.replace("ID", "event_id=7"),
            "AgendaViewer": b"%PDF-1.4 the agenda",
        },
    )
    town.fetch()
    town.answers["ViewPublisher"] = row.replace("ID", "clip_id=2931")

    report = town.fetch()

    assert report.unchanged == ["agendas/City Council/2024-01-16"]
    assert not report.new and not report.gone
    assert [each.name for each in town.known()] == ["agendas/City Council/2024-01-16"]


def test_a_meeting_of_boardbook_that_names_nobody_leaves_the_body_to_its_document(portal):
    rows = "".join(
        f"""<tr class="row-for-board"><td><div>{said}</div></td>
        <td><a href="/Public/Agenda/9?meeting={number}">Agenda</a></td></tr>"""
        for number, said in (
            (1, "January 16, 2024 Will begin after the hearing - Regular Meeting"),
            (2, "January 16, 2024 at 6:00 PM - Public Hearing to Discuss the Budget"),
            (3, "January 9, 2024 at 6:00 PM - Policy Committee Meeting"),
        )
    )
    town = portal(
        "boardbook",
        "https://meetings.boardbook.org/Public/Organization/9",
        {"/Public/Organization/9": f"<table>{rows}</table>"},
    )

    town.fetch()

    said = [(row.listed["date"], row.listed.get("body")) for row in town.known()]
    assert sorted(said, key=str) == [
        ("2024-01-09", "Policy Committee"),
        ("2024-01-16", None),
        ("2024-01-16", None),
    ]


def test_the_list_of_a_board_in_boarddocs_may_have_meetings_of_its_committees(portal):
    names = (
        "Finance & Operations Committee Meeting -- 1:00pm -- Virtual",
        "Special Meeting -- 7:00pm",
        "Committee of the Whole",
    )
    town = portal(
        "boarddocs",
        "https://go.boarddocs.com/st/town/Board.nsf/Public",
        {
            "BD-GetMeetingsList": [
                {"unique": f"M{at}", "name": name, "numberdate": f"2024011{at}"}
                for at, name in enumerate(names, start=1)
            ],
            "BD-": httpx.Response(404),
            "/Public": '<a committeeid="C1">Board of Education</a>',
        },
    )

    assert [(day, body) for _, day, body, _ in listed(town)] == [
        ("2024-01-11", "Finance & Operations Committee"),
        ("2024-01-12", "Board of Education"),
        ("2024-01-13", "Board of Education"),
    ]
