"""More pages are found than are fetched: what is shown, counted and continued stays exact."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from small_sites import compile_folder, index_folder, remove_text, write_text

from clerk.search import DocumentHits, Query, Results, pages_with_hits, search

#: One for each of three shards.
TOWNS = ("arden", "bruton", "dover")
PACKET = "agendas/Council/2024-06-04"
PACKET_PAGES = 620
#: A page of the packet that is about nothing else, and one that has both words.
BEST, BOTH = 417, 33
SHORT = 40


@pytest.fixture(scope="module", params=[1, 3], ids=["one shard", "three shards"])
def towns(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three towns with forty short documents each, and a long packet in one of them."""
    storage = tmp_path_factory.mktemp("sites")
    packet = [f"Page {page} of the packet mentions zoning once." for page in range(PACKET_PAGES)]
    packet[BEST - 1] = "Zoning, zoning, zoning."
    packet[BOTH - 1] = "The zoning of the wharf."
    for town in TOWNS:
        folder = storage / town
        if town == TOWNS[0]:
            write_text(folder, PACKET, packet)
        for number in range(SHORT):
            name = f"minutes/Board/{2020 + number % 4}-{number % 12 + 1:02}-{number % 28 + 1:02}"
            write_text(folder, name, [f"Item {number}. A hearing about zoning in {town}."])
        compile_folder(folder, {"subdomain": town, "name": town.title()}, into_index=False)
        index_folder(folder, request.param)
    return storage


DOCUMENTS = len(TOWNS) * SHORT + 1
PAGES = len(TOWNS) * SHORT + PACKET_PAGES


def followed(storage: Path, query: Query) -> Iterator[Results]:
    """Yield the results of a query, one cursor after the other."""
    while True:
        results = search(storage, query)
        yield results
        if results.cursor is None:
            return
        query = replace(query, after=results.cursor)


def packet_in(results: Results) -> DocumentHits:
    """Return what was found in the packet."""
    (packet,) = [each for each in results.found if each.facts.document == PACKET]
    return packet


@pytest.mark.parametrize("sort", ["relevance", "newest", "oldest", "first-seen"])
@pytest.mark.parametrize("single_pages", [False, True], ids=["documents", "pages"])
def test_totals_are_exact_however_few_are_shown(towns: Path, sort: str, single_pages: bool) -> None:
    results = search(towns, Query("zoning", sort=sort, limit=3, single_pages=single_pages))

    assert len(results.found) == 3
    assert (results.total, results.documents) == (PAGES, DOCUMENTS)
    assert results.documents_are_exact


def test_facets_count_the_pages_that_were_not_fetched(towns: Path) -> None:
    facets = search(towns, Query("zoning", limit=1)).facets

    counted = {name: {each.value: each.pages for each in some} for name, some in facets.items()}
    assert counted["site"] == {
        town: SHORT + (PACKET_PAGES if town == TOWNS[0] else 0) for town in TOWNS
    }
    assert counted["kind"] == {"agenda": PACKET_PAGES, "minutes": len(TOWNS) * SHORT}
    years = Counter(str(2020 + number % 4) for number in range(SHORT))
    assert counted["year"] == {
        **{year: times * len(TOWNS) for year, times in years.items() if year != "2024"},
        "2024": PACKET_PAGES,
    }


@pytest.mark.parametrize("sort", ["relevance", "newest", "oldest", "first-seen"])
def test_every_document_is_listed_once_by_following_the_cursors(towns: Path, sort: str) -> None:
    pages = list(followed(towns, Query("zoning", sort=sort, limit=25)))

    listed = [(each.facts.site, each.facts.document) for page in pages for each in page.found]
    assert len(listed) == len(set(listed)) == DOCUMENTS
    assert [len(page.found) for page in pages] == [25, 25, 25, 25, DOCUMENTS - 100]
    assert {page.total for page in pages} == {PAGES}


@pytest.mark.parametrize("sort", ["newest", "oldest"])
def test_the_order_holds_across_the_cursors(towns: Path, sort: str) -> None:
    pages = followed(towns, Query("zoning", sort=sort, limit=17))

    dates = [each.facts.date or "" for page in pages for each in page.found]
    assert all(a >= b if sort == "newest" else a <= b for a, b in pairwise(dates))
    assert len(dates) == DOCUMENTS


def test_every_page_is_listed_once_where_pages_are_asked_for(towns: Path) -> None:
    pages = followed(towns, Query("zoning", single_pages=True, limit=300))

    listed = [hit.page_id for page in pages for hit in page.hits]
    assert len(listed) == len(set(listed)) == PAGES


@pytest.mark.parametrize("sort", ["relevance", "newest"])
def test_of_a_long_document_the_best_pages_are_shown_and_all_are_counted(
    towns: Path, sort: str
) -> None:
    results = search(towns, Query("zoning", site=TOWNS[0], sort=sort, limit=50))

    packet = packet_in(results)
    assert (packet.pages, packet.pages_found) == (PACKET_PAGES, PACKET_PAGES)
    assert len(packet.best) == 3
    assert packet.best[0].page == BEST


@pytest.mark.parametrize("text", ["site:arden", "kind:agenda", "site:arden -hearing"])
def test_a_query_without_words_lists_everything_that_passes_once(towns: Path, text: str) -> None:
    pages = list(followed(towns, Query(text, limit=9)))

    listed = [found.facts.document_id for page in pages for found in page.found]
    assert len(listed) == len(set(listed)) == (SHORT + 1 if text == "site:arden" else 1)
    (packet,) = [each for page in pages for each in page.found if each.facts.document == PACKET]
    assert [hit.page for hit in packet.best] == [1, 2, 3]
    assert packet.pages_found == PACKET_PAGES
    assert {hit.score for page in pages for hit in page.hits} == {None}


def test_a_rarer_word_narrows_the_pages_of_a_long_document(towns: Path) -> None:
    results = search(towns, Query("zoning wharf"))

    assert (results.total, results.documents) == (1, 1)
    packet = packet_in(results)
    assert ([hit.page for hit in packet.best], packet.pages_found) == ([BOTH], 1)
    assert pages_with_hits(towns, packet.facts.document_id, "zoning wharf") == [BOTH]
    every = pages_with_hits(towns, packet.facts.document_id, "zoning")
    assert every == list(range(1, PACKET_PAGES + 1))
    assert pages_with_hits(towns, packet.facts.document_id, "") == []


def test_an_offset_shows_what_the_cursors_show(towns: Path) -> None:
    everything = [
        found.facts.document_id
        for results in followed(towns, Query("zoning", sort="newest", limit=40))
        for found in results.found
    ]

    for offset in random.Random(23).sample(range(DOCUMENTS), 5):
        some = search(towns, Query("zoning", sort="newest", limit=4, offset=offset)).found
        assert [each.facts.document_id for each in some] == everything[offset : offset + 4]
    assert search(towns, Query("zoning", offset=DOCUMENTS)).found == []


def test_a_cursor_whose_document_is_gone_continues_after_its_place(tmp_path: Path) -> None:
    site = {"subdomain": "elham", "name": "Elham"}
    folder = tmp_path / "elham"
    for day in range(1, 7):
        write_text(folder, f"minutes/Board/2024-03-0{day}", ["A hearing about zoning."])
    compile_folder(folder, site)
    query = Query("zoning", sort="oldest", limit=2)
    first = search(tmp_path, query)
    assert [hit.date for hit in first.hits] == ["2024-03-01", "2024-03-02"]

    remove_text(folder, "minutes/Board/2024-03-02")
    compile_folder(folder, site)

    second = search(tmp_path, replace(query, after=first.cursor))
    assert [hit.date for hit in second.hits] == ["2024-03-03", "2024-03-04"]


def test_a_list_goes_on_however_many_documents_are_added_before_its_cursor(tmp_path: Path) -> None:
    site = {"subdomain": "elham", "name": "Elham"}
    folder = tmp_path / "elham"
    days = [(date(2022, 1, 1) + timedelta(number)).isoformat() for number in range(260)]
    for day in days[:230]:
        write_text(folder, f"minutes/Board/{day}", ["A hearing about zoning."])
    compile_folder(folder, site)
    first = search(tmp_path, Query("zoning", sort="newest", limit=170))

    for day in days[230:]:
        write_text(folder, f"minutes/Board/{day}", ["A hearing about zoning."])
    compile_folder(folder, site)

    further = followed(tmp_path, Query("zoning", sort="newest", limit=20, after=first.cursor))
    assert [hit.date for results in further for hit in results.hits] == days[59::-1]
