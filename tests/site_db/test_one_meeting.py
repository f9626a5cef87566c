"""What a meeting did, from all of its documents: nothing twice, and each under its item."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from small_sites import compile_folder, remove_text, vote, write_found, write_text

from clerk.site_db.meeting import MeetingItem, meeting_record, merge_items
from clerk.site_db.queries import open_site
from clerk.site_db.record import RecordedItem, SiteRecord

SITE = {"subdomain": "springfield", "name": "Springfield"}
AGENDA, MINUTES = "agendas/Council/2024-01-15", "minutes/Council/2024-01-15"


def item(number: str, title: str, document: str = AGENDA, page: int = 1) -> RecordedItem:
    """An item as it was found."""
    place = {"id": f"{document}-{page}-{number}", "document": document, "document_id": "d"}
    where = {"meeting": "Council", "date": "2024-01-15", "page": page, "page_id": "d-1"}
    return RecordedItem(**place, **where, quote=title, item=number, item_title=title)


def listed(items: list[MeetingItem]) -> list[tuple[str, int]]:
    """Return the titles, and how often each is listed."""
    return [(each.title, len(each.sources)) for each in items]


def test_an_agenda_that_is_printed_twice_lists_its_items_once() -> None:
    found = [item("1", "Call to order"), item("2", "Zoning"), item("3", "Resolution")]
    found += [item("4", "Resolution")]
    again = [replace(each, page=9, id=each.id + "x") for each in found]

    merged = merge_items(found + again)

    assert listed(merged) == [
        ("Call to order", 2),
        ("Zoning", 2),
        ("Resolution", 2),
        ("Resolution", 2),
    ]
    assert [each.page for each in merged[0].places] == [1], "once per document"


def test_agenda_and_minutes_are_one_list() -> None:
    found = [
        item("1", "Approval of the minutes of January 2"),
        item("2", "Budget"),
        item("1.", "APPROVAL OF THE MINUTES, January 2", MINUTES),
        item("2", "Public hearing on zoning", MINUTES),
    ]

    merged = merge_items(found)

    assert listed(merged) == [
        ("Approval of the minutes of January 2", 2),
        ("Budget", 1),
        ("Public hearing on zoning", 1),
    ]
    assert [each.document for each in merged[0].places] == [AGENDA, MINUTES]


def test_votes_are_under_their_items_and_minutes_printed_again_add_none(tmp_path: Path) -> None:
    folder = tmp_path / "springfield"
    pages = ["The council met and voted on many things."]
    said = {"page": 1, "start": 0, "end": 9}
    votes = [
        vote(1, motion="adopt it", quote="moved to adopt the budget", item="2"),
        vote(1, motion="adjourn", quote="moved to adjourn at nine", item=None),
        vote(1, motion="adjourn", quote="moved to adjourn at nine", item=None),
    ]
    items = [said | {"number": "2", "title": "Budget", "quote": "2. Budget"}]
    speakers = [said | {"name": "Jo Doe", "item": "2", "side": "for", "quote": "Jo Doe spoke"}]
    for name in (MINUTES, AGENDA):
        document = write_text(folder, name, pages)
        write_found(folder, document, pages, votes, items=items, speakers=speakers)
    compile_folder(folder, SITE)

    with open_site(tmp_path, "springfield") as site:
        record = meeting_record(site, "Council", "2024-01-15", [MINUTES])

    [budget] = record.items
    assert [each.motion for each in budget.votes] == ["adopt it"]
    assert [each.printed_name for each in budget.speakers] == ["Jo Doe"]
    assert budget.speakers[0].document == MINUTES, "as its own minutes say it"
    assert [each.motion for each in record.votes] == ["adjourn", "adjourn"]
    assert [each.text for each in record.amounts] == ["$5"]


def test_a_vote_that_is_printed_again_is_counted_once(tmp_path: Path) -> None:
    folder, again = tmp_path / "springfield", f"{MINUTES}-2"
    pages = ["The council met and voted on many things."]
    for name in (MINUTES, again):
        document = write_text(folder, name, pages)
        letters = {MINUTES: "adopt the budget", again: "adopt the budqet"}[name]
        votes = [
            vote(1, motion="adopt", quote=f"moved to {letters}", ayes=["A. Lee"], noes=[]),
            vote(1, motion="adjourn", quote="moved to adjourn", ayes=[], noes=[]),
        ]
        write_found(folder, document, pages, votes)
    compile_folder(folder, SITE)

    with open_site(tmp_path, "springfield") as site:
        [listed_once] = [each for each in site.votes(body="Council") if each.motion == "adopt"]
        of_again = site.votes(document=again)
        assert site.count_votes() == site.totals()["votes"] == len(site.votes()) == 2
        assert [each.aye for each in site.people()] == [1]
        assert sum(each.aye for each in SiteRecord(site).people()) == 1
        assert [each.votes for each in site.meetings("Council")] == [2]
        assert listed_once.document == MINUTES
        assert [each.repeats for each in of_again if each.motion == "adopt"] == [listed_once.id]

    remove_text(folder, MINUTES)
    compile_folder(folder, SITE)

    with open_site(tmp_path, "springfield") as site:
        assert [each.repeats for each in site.votes()] == [None, None]
