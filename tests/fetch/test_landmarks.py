"""Portals that have changed: they link 226 documents, and none is listed.  Each is a failure."""

from __future__ import annotations

import re
from typing import Any

import pytest

from clerk.fetch import discover
from clerk.fetch.http.responses import NotUnderstood

MANY = range(226)
GUID = "00000000-0000-0000-0000-000000000000"


def linked(address: str) -> str:
    """A page with 226 links like this, and no date next to any."""
    links = "".join(f'<li><a href="{address.replace("N", str(at))}">Open</a></li>' for at in MANY)
    return f"<html><title>Meetings</title><body><main><ul>{links}</ul></main></body></html>"


def renamed(at: int, **fields: Any) -> dict[str, Any]:
    """A record whose fields have other names than the platform's."""
    return {"NewId": at, **fields}


#: Of each platform: its address, and what it returns since it has changed.
CHANGED: dict[str, tuple[str, dict[str, Any]]] = {
    "agendaquick": (
        "https://destinyhosted.com/agenda_publish.cfm?id=7",
        {"destinyhosted": linked("agenda_publish.cfm?id=7&dsp=ag&seq=N")},
    ),
    "allris": (
        "https://stadt.example/allris/si010",
        {"stadt.example": linked("./to010?SILFDNR=N")},
    ),
    "archivecenter": (
        "https://town.example/Archive.aspx?AMID=31",
        {"town.example": linked("Archive.aspx?ADID=N")},
    ),
    "boardbook": (
        "https://meetings.boardbook.org/Public/Organization/9",
        {"boardbook": linked("/Public/Agenda/9?meeting=N")},
    ),
    "boarddocs": (
        "https://go.boarddocs.com/st/town/Board.nsf/Public",
        {
            "BD-": [renamed(at, name="Board", numberdate="20240116") for at in MANY],
            "boarddocs": "<html><body><div id='wrap-tabs'></div></body></html>",
        },
    ),
    "civicclerk": (
        "https://town.portal.civicclerk.com",
        {"/Events": {"value": [renamed(at, publishedFiles=[{"fileId": at}]) for at in MANY]}},
    ),
    "civicplus": (
        "https://town.example/AgendaCenter",
        {
            "town.example": "<html><title>Agenda Center</title><script>files = '"
            + " ".join(f"/AgendaCenter/ViewFile/Agenda/_01162024-{at}" for at in MANY)
            + "'</script><body><h1>AgendaCenter</h1><p>Loading</p></body></html>"
        },
    ),
    "civicweb": (
        "https://town.civicweb.net/Portal/",
        {
            "meetingDocuments": {"documents": [{"Id": at, "DocumentType": 1} for at in MANY]},
            "/meetings": [
                {"Id": 1, "Name": "City Council", "MeetingDateTime": "2024-01-16T19:00:00"}
            ],
        },
    ),
    "cmis": (
        "https://town.cmis.uk.com/town/Meetings.aspx",
        {
            "ViewMeetingPublic": linked("/town/Document.ashx?id=N"),
            "Meetings.aspx": """<table class="rgMasterTable"><tr class="rgRow">
            <td class="SimpleCalendarDate">Tuesday, 6 February</td><td>
            <a href="/t/ctl/ViewMeetingPublic/mid/3/Meeting/15/Committee/4/Default.aspx">14:00
            Planning Committee</a></td></tr></table>""",
        },
    ),
    "escribe": (
        "https://pub-town.escribemeetings.com",
        {"GetCal": {"d": [renamed(at, Files=[f"FileStream.ashx?DocumentId={at}"]) for at in MANY]}},
    ),
    "granicus": (
        "https://town.granicus.com/ViewPublisher.php?view_id=1",
        {"RSS": "<rss/>", "View": linked("AgendaViewer.php?view_id=1&clip_id=N")},
    ),
    "ibabs": (
        "https://town.bestuurlijkeinformatie.nl",
        {
            "RetrieveAgendas": linked(f"/Agenda/Index/{GUID}"),
            "Calendar": '<a href="/Calendar/OpenCategory/Raad/5">Raad</a>',
        },
    ),
    "infocouncil": (
        "https://town.infocouncil.biz/",
        {"infocouncil": linked("RedirectToDoc.aspx?URL=Open/CM_N_AGN_7_AT.PDF")},
    ),
    "iqm2": (
        "https://town.iqm2.com/Citizens",
        {"iqm2": linked("FileOpen.aspx?Type=14&ID=N")},
    ),
    "laserfiche": (
        "https://docs.town.example/WebLink/Browse.aspx?id=1&dbid=0&repo=Town",
        {
            "Browse": "<html></html>",
            "GetFolder": {
                "data": {"results": [{"entryId": at, "name": f"Scan {at}"} for at in MANY]}
            },
        },
    ),
    "legistar": (
        "https://town.legistar.com/Calendar.aspx",
        {"legistar": linked("View.ashx?M=A&ID=N&GUID=G")},
    ),
    "legistar_api": (
        "https://webapi.legistar.com/v1/town",
        {"/events": [renamed(at, EventAgendaFile=f"https://files.example/{at}") for at in MANY]},
    ),
    "meeting_pages": (
        "https://town.example/meetings",
        {
            "/detail/": linked("/files/N.pdf"),
            "/meetings": """<ul><li><a href="/detail/2">February 14, 2024: Meeting</a></li>
            <li><a href="/detail/1">January 10, 2024: Meeting</a></li></ul>""",
        },
    ),
    "moderngov": (
        "https://democracy.town.example/mgListCommittees.aspx",
        {
            "mgWebService": "<html><h1>Closed</h1></html>",
            "mgList": '<a href="mgCommitteeDetails.aspx?ID=4">Audit Committee</a>',
            "ieListMeetings": '<li><a href="ieListDocuments.aspx?CId=4&MId=1">16 Jan 2024</a></li>',
            "ieListDocuments": linked("documents/g1/Paper%20N.pdf?T=77"),
        },
    ),
    "municode": (
        "https://town-tx.municodemeetings.com/",
        {
            "municode": linked(
                "https://mccmeetings.blob.core.usgovcloudapi.net/t/MEET-Agenda-e5993d899da7400000N.pdf"
            )
        },
    ),
    "notubiz": (
        "https://town.notubiz.nl/?organisation_id=5",
        {
            "/events/meetings/": {"files": [{"id": 1, "title": "Agenda"}]},
            "/events": {
                "events": [
                    {"id": at, "plannings": [{"start_date": "2024-01-16T19:30:00+01:00"}]}
                    for at in MANY
                ]
            },
        },
    ),
    "novusagenda": (
        "https://town.novusagenda.com/agendapublic",
        {"novusagenda": linked("DisplayAgendaPDF.ashx?MeetingID=N")},
    ),
    "onbase": (
        "https://town.hylandcloud.com/231agendaonline/",
        {"hylandcloud": linked("/231agendaonline/Meetings/ViewMeeting?id=N&doctype=1")},
    ),
    "oparl": (
        "https://oparl.stadt.example/",
        {
            "/bodies": {"data": [{"meeting": "https://oparl.stadt.example/meetings"}]},
            "/meetings": {
                "data": [
                    {
                        "id": f"https://oparl.stadt.example/meeting/{at}",
                        "name": "Rat",
                        "start": "2024-01-16T18:00:00+01:00",
                        "files": [{"accessUrl": f"https://oparl.stadt.example/files/{at}.pdf"}],
                    }
                    for at in MANY
                ],
                "links": {},
            },
            "oparl.stadt": {"type": "System", "body": "https://oparl.stadt.example/bodies"},
        },
    ),
    "opencities": (
        "https://council.example/Meetings",
        {"council.example": linked("/files/assets/public/v/1/xN.pdf")},
    ),
    "plain": ("https://town.example/minutes", {"town.example": linked("/minutes/N.pdf")}),
    "primegov": (
        "https://town.primegov.com/public/portal",
        {"PublicPortal": [renamed(at, documentList=[{"templateId": at}]) for at in MANY]},
    ),
    "proudcity": (
        "https://town.example/meetings/",
        {"town.example": linked("https://storage.googleapis.com/proudcity/town/N.pdf")},
    ),
    "sessionnet": (
        "https://stadt.example/bi/si0040.php",
        {"stadt.example": "<p class='smc'>" + linked("getfile.php?id=N&type=do")},
    ),
    "simbli": (
        "https://simbli.eboardsolutions.com/SB_Meetings/SB_MeetingListing.aspx?S=7",
        {
            "SB_MeetingListing": "<script>var constr = 'c';</script>",
            "GetMeetingListing": [renamed(at, MM_MeetingTitle="Board") for at in MANY],
        },
    ),
    "suiteone": (
        "https://town.suiteonemedia.com/",
        {"suiteone": linked("/event/GetAgendaFile/Agenda?aid=N")},
    ),
    "swagit": (
        "https://town.new.swagit.com/views/1",
        {"swagit": linked("/videos/N/agenda")},
    ),
    "vision": (
        "https://town.example/agendas",
        {"town.example": linked("/home/showpublisheddocument/N/638")},
    ),
}


def test_every_platform_has_a_changed_portal():
    # A folder and a list of addresses are not pages of anybody else.
    assert CHANGED.keys() == discover.registered().keys() - {"folder", "urls"}


@pytest.mark.parametrize("scraper", sorted(CHANGED))
def test_documents_that_are_linked_and_not_listed_are_a_failure(portal, scraper):
    source, answers = CHANGED[scraper]
    town = portal(scraper, source, answers)
    where = re.escape(".".join(source.split("/")[2].split(".")[-2:]))

    with pytest.raises(NotUnderstood, match=where) as failure:
        town.fetch()

    assert failure.value.expected
    [(kept, _)] = town.kept_answers()
    assert kept.kind == type(failure.value).__name__
