"""Lists over all sites: places, new and upcoming documents, ids for a site map."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from small_sites import SITE, compile_folder, index_folder, write_text

from clerk.search import listing
from clerk.search.listing import SearchablePlace

OTHER = {"subdomain": "shelbyville", "name": "Shelbyville"}
JANUARY, JUNE = "minutes/Council/2024-01-15", "agendas/Council/2024-06-03"
MAY = "minutes/Board/2023-05-01"


@pytest.fixture(params=[1, 3], ids=["one shard", "three shards"])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Two towns in an index of one or of several parts."""
    here, there = tmp_path / "springfield", tmp_path / "shelbyville"
    write_text(here, JANUARY, ["One.", "Two."])
    write_text(here, JUNE, ["1. Roads"])
    write_text(here, "agendas/Council/notice", ["The hall is closed."])
    write_text(there, MAY, ["Three.", "Four.", "Five."])
    seen = {JANUARY: {"first_seen_at": datetime(2024, 1, 20, tzinfo=UTC)}}
    seen[JUNE] = {"first_seen_at": datetime(2024, 5, 30, tzinfo=UTC)}
    seen["agendas/Council/notice"] = {"first_seen_at": datetime(2024, 5, 1, tzinfo=UTC)}
    compile_folder(here, SITE, into_index=False, facts=seen)
    dated = {MAY: {"first_seen_at": datetime(2024, 2, 2, tzinfo=UTC)}}
    compile_folder(there, OTHER, into_index=False, facts=dated)
    for folder in (here, there):
        index_folder(folder, shards=request.param)
    return tmp_path


def test_places_are_listed_by_name_with_what_the_index_has(storage: Path) -> None:
    assert listing.places(storage) == [
        SearchablePlace("shelbyville", "Shelbyville", "", 1, 3, "2023-05-01", "2023-05-01"),
        SearchablePlace("springfield", "Springfield", "IL", 3, 4, "2024-01-15", "2024-06-03"),
    ]
    assert listing.count_documents(storage) == 4


def test_places_are_counted_again_when_the_index_changes(storage: Path) -> None:
    assert [each.documents for each in listing.places(storage)] == [1, 3]

    write_text(storage / "shelbyville", "minutes/Board/2025-01-01", ["Six."])
    compile_folder(storage / "shelbyville", OTHER)

    assert [each.documents for each in listing.places(storage)] == [2, 3]
    assert listing.places(storage)[0].last == "2025-01-01"


def test_new_documents_are_listed_by_when_they_were_seen(storage: Path) -> None:
    listed = listing.newly_added(storage)

    assert [(each.site, each.date, each.pages) for each in listed] == [
        ("springfield", "2024-06-03", 1),
        ("springfield", "", 1),
        ("shelbyville", "2023-05-01", 3),
        ("springfield", "2024-01-15", 2),
    ]
    assert (listed[0].site_name, listed[0].kind, listed[0].body) == (
        "Springfield",
        "agenda",
        "Council",
    )
    assert listed[0].first_seen_at.startswith("2024-05-30")


def test_new_documents_of_one_site_and_only_so_many(storage: Path) -> None:
    assert [each.date for each in listing.newly_added(storage, site="shelbyville")] == [
        "2023-05-01"
    ]
    assert [each.date for each in listing.newly_added(storage, 1)] == ["2024-06-03"]
    assert listing.newly_added(storage, site="nowhere") == []


@pytest.mark.parametrize(
    ("today", "dates"),
    [
        ("2023-01-01", ["2023-05-01", "2024-01-15", "2024-06-03"]),
        ("2024-06-03", ["2024-06-03"]),
        ("2024-06-04", []),
    ],
)
def test_upcoming_meetings_are_those_of_today_and_later(
    storage: Path, today: str, dates: list[str]
) -> None:
    assert [each.date for each in listing.upcoming(storage, today)] == dates


def test_the_ids_of_all_documents_can_be_read_in_slices(storage: Path) -> None:
    everything = listing.document_ids(storage, 100, 0)

    assert len(set(everything)) == 4
    assert listing.document_ids(storage, 2, 0) + listing.document_ids(storage, 2, 2) == everything
    assert listing.document_ids(storage, 2, 4) == []
    assert set(everything) == {each.id for each in listing.newly_added(storage)}


def test_without_an_index_there_is_nothing_to_list(tmp_path: Path) -> None:
    assert listing.places(tmp_path) == []
    assert listing.newly_added(tmp_path) == []
    assert listing.upcoming(tmp_path, "2024-01-01") == []
    assert listing.document_ids(tmp_path, 10, 0) == []
    assert listing.count_documents(tmp_path) == 0
