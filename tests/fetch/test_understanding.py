"""What is not understood is a failure with a name, and what was returned is kept."""

from __future__ import annotations

import logging
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from small_portal import NOW, Portal

from clerk.core.errors import SourceUnavailable
from clerk.fetch import DocumentRef
from clerk.fetch.http.responses import (
    ApiError,
    ChallengePage,
    FewerDocuments,
    NeedsBrowser,
    NothingListed,
    NotUnderstood,
)

VIEW = "https://town.granicus.com/ViewPublisher.php?view_id=1"
API = "https://webapi.legistar.com/v1/town"


def events(*days: str) -> list[dict[str, Any]]:
    return [
        {
            "EventId": number,
            "EventBodyName": "Council",
            "EventDate": f"{day}T00:00:00",
            "EventMinutesFile": f"https://files.example/{day}",
        }
        for number, day in enumerate(days)
    ]


@pytest.mark.parametrize(
    ("scraper", "source", "answers", "kind", "said"),
    [
        (
            "iqm2",
            "https://town.iqm2.com/Citizens",
            {
                "Calendar.aspx": "<div class='MonthHeader'></div>"
                + "".join(f"<a href='FileOpen.aspx?Type=14&ID={n}'>x</a>" for n in range(226))
            },
            NothingListed,
            "the 226 documents that it links",
        ),
        ("granicus", VIEW, {"View": "<p>Welcome</p>"}, NotUnderstood, "AgendaViewer.php"),
        ("legistar_api", API, {"/events": {"error": "No such client"}}, ApiError, "No such client"),
        ("legistar_api", API, {"/events": b'"Token missing"'}, ApiError, "Token missing"),
        (
            "escribe",
            "https://pub-town.escribemeetings.com",
            {"GetCalendar": {"Message": "Authentication failed."}},
            ApiError,
            "Authentication failed.",
        ),
        (
            "plain",
            "https://town.example/minutes",
            {"/minutes": "<html><head><script src='app.js'></script></head><body><div/></body>"},
            NeedsBrowser,
            "needs JavaScript",
        ),
        (
            "plain",
            "https://town.example/minutes",
            {
                "/minutes": "<h1>Council Minutes</h1><a href='1.pdf'>How the regular one went</a>"
                "<a href='2.pdf'>How the special one went</a><a href='b.pdf'>Budget 2024</a>"
            },
            NothingListed,
            "a date next to the 2 documents that it links",
        ),
        (
            "plain",
            "https://town.example/minutes",
            {"/minutes": "<html><title>Just a moment...</title></html>"},
            ChallengePage,
            "challenge",
        ),
        (
            "iqm2",
            "https://town.iqm2.com/Citizens",
            {"Calendar.aspx": "<html><head><script src='app.js'></script></head><app-root/>"},
            NeedsBrowser,
            "MeetingRow.*needs JavaScript",
        ),
        (
            "civicclerk",
            "https://town.portal.civicclerk.com",
            {"/Events": "<html><title>Sign in</title></html>"},
            ApiError,
            'expected JSON, found an HTML page titled "Sign in"',
        ),
        (
            "suiteone",
            "https://town.suiteonemedia.com/",
            {"suiteone": "<html><title>New portal</title></html>"},
            NotUnderstood,
            'titled "New portal"',
        ),
    ],
)
def test_each_failure_has_its_own_kind_and_keeps_the_answer(
    portal, scraper, source, answers, kind, said
):
    town: Portal = portal(scraper, source, answers)

    with pytest.raises(kind, match=said) as failure:
        town.fetch()

    [(kept, _)] = town.kept_answers()
    assert type(failure.value) is kind
    assert kept.kind == kind.__name__ and kept.name in failure.value.hint


def test_a_kept_answer_is_bounded_and_has_no_secrets(portal):
    page = "<title>x</title><a href='?token=hunter2hunter2'>x</a>" + "y" * 1_000_000
    town = portal("suiteone", "https://town.suiteonemedia.com/", {"suiteone": page})

    for day in range(8):
        with pytest.raises(NotUnderstood):
            town.fetch(NOW + timedelta(days=day))

    kept = town.kept_answers()
    assert [answer.kept_at.day for answer, _ in kept] == [8, 7, 6, 5, 4]
    assert all(answer.bytes == len(text) <= 256 * 1024 for answer, text in kept)
    assert not any("hunter2hunter2" in text for _, text in kept)


def test_a_source_with_a_quarter_of_its_documents_fails_but_keeps_and_takes_what_is_there(portal):
    days = [f"2024-01-{day:02}" for day in range(1, 21)]
    town: Portal = portal("legistar_api", API, {"/events": events(*days)})
    town.fetch()
    town.answers["/events"] = events("2024-01-01", "2024-01-02", "2024-02-01")
    later = NOW + timedelta(days=8)

    with pytest.raises(FewerDocuments, match="lists 3 documents; it had 20"):
        town.fetch(later)

    assert [kept.kind for kept, _ in town.kept_answers()] == ["FewerDocuments"]
    assert len(town.known()) == 20
    assert not [row for row in town.known() if row.gone_at]

    town.extra["accept_fewer"] = True

    assert len(town.fetch(later).gone) == 17


def test_a_page_that_had_documents_and_has_none_says_so_with_what_it_is_now(portal):
    list_of = "<h1>City Council Minutes</h1><a href='/{}.pdf'>January 16, 2024</a>"
    town: Portal = portal("plain", "https://town.example/m", {"/m": list_of.format(1)})
    town.fetch()
    town.answers["/m"] = "<html><title>Page not found</title><a href='/'>Home</a></html>"

    with pytest.raises(NotUnderstood, match=r'it listed 1 before.*titled "Page not found"'):
        town.fetch(NOW + timedelta(days=8))

    assert [kept.kind for kept, _ in town.kept_answers()] == ["NotUnderstood"]


def test_dates_that_cannot_be_read_are_never_those_of_another_row(portal):
    row = "<tr class='rgRow'><td>City Council</td><td>{}</td><td><a href='View.ashx?M=A&ID={}'>"
    rows = "".join(row.format(f"2024년 1월 {n}일", n) + "Agenda</a></td></tr>" for n in range(1, 9))
    dated = row.format("1/16/2024", 20) + "Agenda</a></td></tr>"
    head = "<tr><th>Name</th><th>Meeting Date</th><th>Agenda</th></tr>"
    page = f"<table class='rgMasterTable'>{head}{rows}{dated}{rows.replace('ID=', 'ID=9')}</table>"
    town: Portal = portal(
        "legistar", "https://town.legistar.com/Calendar.aspx", {"Calendar.aspx": page}
    )
    report = town.fetch()

    assert [row.name for row in town.known()] == ["agendas/City Council/2024-01-16"]
    assert "PartlyUnderstood" in [problem.error for problem in report.errors]


def test_one_odd_record_is_reported_and_the_listing_goes_on(portal):
    records = [*events("2024-01-15"), {"EventBodyName": "without an id"}]
    town = portal("legistar_api", API, {"/events": records})

    report = town.fetch()

    assert report.new == ["minutes/Council/2024-01-15"]
    assert [problem.error for problem in report.errors] == ["OddRecord"]


def test_links_that_were_only_partly_understood_are_reported(portal):
    dated = "<tr><td>Council</td><td>Jan {d}, 2024</td><td><a href='{v}{d}'>x</a></td></tr>"
    viewer = "/AgendaViewer.php?view_id=1&clip_id="
    rows = "".join(dated.format(d=day, v=viewer) for day in range(1, 4))
    hidden = "".join(f"<script>open('{viewer}{number}')</script>" for number in range(100, 120))
    town = portal("granicus", VIEW, {"ViewPublisher": f"<table>{rows}</table>{hidden}"})

    report = town.fetch()

    assert len(report.new) == 3
    assert [problem.error for problem in report.errors] == ["PartlyUnderstood"]


def test_an_error_in_a_plugin_names_it_and_is_logged(tmp_path, portal, monkeypatch, caplog):
    (tmp_path / "gazette.py").write_text(
        "from clerk import hookimpl\n"
        "from clerk.fetch import Fetcher, FetcherSpec\n"
        "class Gazette(Fetcher):\n"
        "    def list_meetings(self, window):\n"
        "        yield {}['minutes']\n"
        "@hookimpl\n"
        "def register_fetchers():\n"
        "    return [FetcherSpec('gazette', Gazette)]\n"
    )
    monkeypatch.setenv("CLERK_PLUGINS_DIR", str(tmp_path))
    town = portal("gazette", "https://gazette.example", {})

    with (
        caplog.at_level(logging.ERROR),
        pytest.raises(SourceUnavailable, match=r"'gazette' of clerk_plugin_gazette.*KeyError"),
    ):
        town.fetch()

    assert "yield {}['minutes']" in caplog.text


def test_a_kind_may_be_called_agenda_and_a_wrong_one_is_named():
    assert DocumentRef("agenda", "https://x").kind == "agendas"
    with pytest.raises(ValueError, match="must be 'minutes' or 'agendas', not 'poems'"):
        DocumentRef("poems", "https://x")


def test_a_missing_page_of_several_does_not_lose_the_others(portal):
    def answer(request: httpx.Request) -> Any:
        return httpx.Response(500 if "p=2" in str(request.url) else 200, html=page)

    page = """<table><tr><td class="meeting">Council</td><td>1/16/2024</td><td><a
      href="https://x.blob.core.usgovcloudapi.net/MEET-Agenda-e5993d899da74002.pdf">x</a></td></tr>
      </table>"""
    town = portal("municode", "https://meetings.municode.com/PublishPage?cid=T", {"Pub": answer})

    report = town.fetch(datetime(2024, 3, 1, tzinfo=UTC))

    assert report.new == ["agendas/Council/2024-01-16"]
    assert not report.complete
    assert [problem.error for problem in report.errors] == ["TryAgain"]
