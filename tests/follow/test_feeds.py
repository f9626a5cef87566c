"""Feeds of everything that can be followed, dated by first seen; calendars of meetings."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from typing import Any
from xml.etree import ElementTree as Xml

import icalendar
import pytest
from follow_town import SITE, add_document, compile_town
from sqlalchemy import update
from test_follow_pages import Browser

from clerk.core import config, db, fetch_memory
from clerk.core.fetch_memory import ListedMeeting
from clerk.core.models import documents_table
from clerk.core.storage import compiled_database, search_folder

pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)
SEEN = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)


@pytest.fixture
def reader(followed_town: str) -> Any:
    """Somebody with a browser; the town's first document was seen at a known time."""
    with db.civic_db_connection() as conn:
        conn.execute(update(documents_table).values(first_seen_at=SEEN))
    storage_dir = config.load().storage_dir
    shutil.rmtree(search_folder(storage_dir))
    compiled_database(storage_dir / SITE).unlink()
    compile_town()
    return Browser()


def feeds_of(reader: Any) -> list[str]:
    person = reader.get(f"/people/{SITE}").text.split(f"/people/{SITE}/")[1].partition('"')[0]
    return [
        "/search.atom?q=zoning",
        "/new.atom",
        f"/new.atom?site={SITE}",
        f"/s/{SITE}/feed.atom",
        f"/s/{SITE}/City%20Council/feed.atom",
        f"/people/{SITE}/{person}/feed.atom",
        f"/matters/{SITE}/case%207/feed.atom",
    ]


def test_every_feed_is_dated_by_first_seen_has_stable_ids_and_validators(reader: Any) -> None:
    before = {}
    for path in feeds_of(reader):
        answer = reader.get(path)
        feed = Xml.fromstring(answer.text)
        entries = feed.findall("{*}entry")
        assert entries, path
        for tag in ("published", "updated"):
            assert entries[0].findtext(f"{{*}}{tag}") == "2026-03-04T05:06:07Z", path
        assert feed.findtext("{*}updated") == "2026-03-04T05:06:07Z"
        before[path] = [each.findtext("{*}id") for each in entries]
        etag = answer.headers["etag"]
        assert reader.get(path, headers={"If-None-Match": etag}).status_code == 304
        assert reader.get(path, headers={"If-None-Match": '"other"'}).status_code == 200
        since = answer.headers["last-modified"]
        assert since == "Wed, 04 Mar 2026 05:06:07 GMT"
        assert reader.get(path, headers={"If-Modified-Since": since}).status_code == 304
        earlier = {"If-Modified-Since": "Tue, 03 Mar 2026 05:06:07 GMT"}
        assert reader.get(path, headers=earlier).status_code == 200
        as_json = path.replace("search.atom", "search.feed.json").replace(".atom", ".json")
        told = reader.get(as_json)
        assert told.headers["content-type"] == "application/feed+json"
        assert [each["id"] for each in told.json()["items"]] == before[path]
        assert told.json()["items"][0]["date_published"] == "2026-03-04T05:06:07Z"

    add_document("minutes/City Council/2024-02-20", "zoning")

    for path in feeds_of(reader)[:5]:
        feed = Xml.fromstring(reader.get(path).text)
        now = [each.findtext("{*}id") for each in feed.findall("{*}entry")]
        assert now[1:] == before[path], path


def test_a_feed_is_in_the_language_of_its_address(reader: Any) -> None:
    paths = feeds_of(reader)
    for path in paths:
        spanish = f"{path}{'&' if '?' in path else '?'}lang=es"
        ids = []
        for asked in (path, spanish):
            # What the program prefers changes nothing: caches keep one answer for an address.
            answer = reader.get(asked, headers={"Accept-Language": "es"})
            titles = [
                each.text or ""
                for each in Xml.fromstring(answer.text).iter()
                if each.tag.endswith("title")
            ]
            told = " ".join(titles)
            ids.append(
                [each.text for each in Xml.fromstring(answer.text).findall("{*}entry/{*}id")]
            )
            english = any(word in told for word in ("minutes", "Voted", "Passed", "January"))
            assert english == (asked == path), (asked, told)
        assert ids[0] == ids[1], "the same entries"
    page = reader.get(f"/s/{SITE}/?lang=es").text
    assert f'href="/s/{SITE}/feed.atom?lang=es"' in page
    assert f'href="/s/{SITE}/meetings.ics?lang=es"' in page
    assert "Reuniones: " in reader.get(f"/s/{SITE}/meetings.ics?lang=es").text


def test_feeds_are_of_one_place_and_unknown_ones_are_not_found(make_site: Any, reader: Any) -> None:
    make_site("shelbyville")
    add_document("minutes/City Council/2024-01-15", "zoning", site="shelbyville")
    add_document("minutes/Library Board/2024-01-15", "books")

    def titles(path: str) -> list[str | None]:
        feed = Xml.fromstring(reader.get(path).text)
        return [each.findtext("{*}title") for each in feed.findall("{*}entry")]

    assert len(titles("/new.atom")) == 3
    assert len(titles("/new.atom?site=shelbyville")) == 1
    assert titles(f"/s/{SITE}/Library%20Board/feed.atom") == [
        "Library Board minutes, 15 January 2024"
    ]
    for path in (
        "/new.atom?site=nowhere",
        "/s/nowhere/feed.atom",
        f"/s/{SITE}/Senate/feed.atom",
        f"/people/{SITE}/nobody/feed.json",
        f"/matters/{SITE}/nothing/feed.atom",
        f"/s/{SITE}/Senate/meetings.ics",
    ):
        assert reader.get(path).status_code == 404, path


def meeting(identity: str, **changes: str) -> ListedMeeting:
    facts = {
        "body": "City Council",
        "title": "Regular meeting",
        "start_local": "2099-05-06T19:00:00",
        "timezone": "America/Chicago",
        "status": "",
        "source_url": "https://town.example.org/meeting?token=hush",
    }
    return ListedMeeting(identity, **(facts | changes))


def events(reader: Any, path: str) -> dict[str, Any]:
    answer = reader.get(path)
    assert answer.headers["content-type"] == "text/calendar; charset=utf-8"
    calendar = icalendar.Calendar.from_ical(answer.content)
    return {str(event["uid"]): event for event in calendar.walk("VEVENT")}


def test_calendars_keep_ids_through_moves_and_cancellations(reader: Any) -> None:
    def list_meetings(*meetings: ListedMeeting) -> None:
        with db.civic_db_connection() as conn:
            fetch_memory.record_meetings(conn, SITE, list(meetings))

    today = datetime.now(UTC).date().isoformat()
    add_document(f"agendas/City Council/{today}", "Agenda: zoning")
    list_meetings(meeting("x:1"), meeting("x:2", body="Library Board", start_local=""))
    path = f"/s/{SITE}/City%20Council/meetings.ics"
    first = events(reader, path)
    [uid] = [key for key, each in first.items() if each["summary"] == "Regular meeting"]
    [held] = [each for each in first.values() if each["summary"] == "City Council"]
    assert first[uid]["sequence"] == 0
    assert first[uid].decoded("dtstart") == datetime(2099, 5, 7, 0, 0, tzinfo=UTC)
    assert "hush" not in str(first[uid]["description"])
    assert held.decoded("dtstart").isoformat() == today, "the hour is not known"
    assert "Agenda: https://minutes.example.org/d/" in str(held["description"])
    assert str(held["url"]).endswith(f"/City%20Council/{today}/")

    list_meetings(meeting("x:1"))
    assert events(reader, path)[uid]["sequence"] == 0, "nothing has changed"
    list_meetings(meeting("x:1", start_local="2099-05-07T18:00:00"))
    moved = events(reader, path)
    assert moved.keys() == first.keys() and moved[uid]["sequence"] == 1
    list_meetings(meeting("x:1", start_local="2099-05-07T18:00:00", status="cancelled"))
    cancelled = events(reader, f"/s/{SITE}/meetings.ics")[uid]
    assert (cancelled["sequence"], cancelled["status"]) == (2, "CANCELLED")
    assert cancelled["summary"] == "Cancelled: Regular meeting"

    etag = reader.get(path).headers["etag"]
    assert reader.get(path, headers={"If-None-Match": etag}).status_code == 304
