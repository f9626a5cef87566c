"""Saved searches over some documents: in the index, or in one in memory, with the same answers."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from small_sites import SITE, compile_folder, write_text

from clerk.core.storage import Document
from clerk.search import Query, QueryError, index, search
from clerk.search.index import IndexedDocument, PlaceFacts
from clerk.search.pages_of_some import ChangedPages, IndexedPages, are_indexed
from clerk.search.query import parse
from clerk.search.readers import open_index
from clerk.search.results import page_snippet
from clerk.site_db.queries import open_site

COUNCIL, PLANNING = "minutes/Council/2024-01-15", "minutes/Planning/2023-05-01"
OLD = "minutes/Council/1999-01-01"
PAGES = {
    COUNCIL: ["The council met.", "A zoning variance was granted to Mr. Núñez."],
    PLANNING: ["Zoning map; the variance was denied.", "道路 were closed."],
    OLD: ["Zoning as it was."],
}
QUERIES = (
    *("zoning", "zoning variance", '"zoning variance"', "variances", '"variances"', "vari*"),
    *("denied OR met", "zoning -denied", "zonning~", "nunez", "道路", "nowhere", "nowhere OR met"),
    *("zoning body:planning", "date:2024", "zoning date:..2023", "(granted OR denied) zoning"),
    *("zoning site:springfield", "zoning state:il", "zoning kind:minutes"),
)


@pytest.fixture(scope="module")
def storage(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A compiled site."""
    storage = tmp_path_factory.mktemp("sites")
    for name, pages in PAGES.items():
        write_text(storage / "springfield", name, pages)
    compile_folder(storage / "springfield", SITE)
    return storage


@pytest.fixture(scope="module")
def ids(storage: Path) -> dict[str, str]:
    """The ids of the documents by their names."""
    with open_site(storage, "springfield") as site:
        return {name: site.document(Document.from_name(name)).id for name in PAGES}


def compiled_documents(storage: Path, *names: str) -> tuple[PlaceFacts, list[IndexedDocument]]:
    """The place, and some of its documents as they are put into an index."""
    compiled = index.open_compiled(storage / "springfield")
    assert compiled is not None
    with closing(compiled):
        place = index.place_in(compiled, "springfield")
        facts = index.compiled_documents(compiled, place, names)
        return place, [index.read_document(compiled, place, facts[name]) for name in names]


def in_memory(storage: Path, *names: str) -> ChangedPages:
    """Some documents in an index of their own."""
    place, documents = compiled_documents(storage, *names)
    return ChangedPages(documents, {"springfield": place})


def by_searching(storage: Path, text: str, wanted: set[str]) -> dict[str, set[int]]:
    """What the search page finds of some documents."""
    found: dict[str, set[int]] = {}
    for hit in search(storage, Query(text, limit=100, single_pages=True)).hits:
        if hit.document in wanted:
            found.setdefault(hit.document, set()).add(hit.page)
    return found


@pytest.mark.parametrize("text", QUERIES)
@pytest.mark.parametrize("where", ["in the index", "in memory"])
def test_a_saved_search_finds_what_the_search_page_finds(
    storage: Path, ids: dict[str, str], text: str, where: str
) -> None:
    wanted = (COUNCIL, PLANNING)
    if where == "in memory":
        pages: IndexedPages | ChangedPages = in_memory(storage, *wanted)
    else:
        asked = {"springfield": [ids[name] for name in wanted]}
        pages = IndexedPages(open_index(storage), asked, 10)
    names = {identity: name for name, identity in ids.items()}

    found = pages.find(Query(text))

    expected = by_searching(storage, text, set(wanted))
    assert {names[each]: set(numbers) for each, numbers in found.items()} == expected


@pytest.mark.parametrize("where", ["in the index", "in memory"])
def test_many_searches_at_once_find_what_each_finds_alone(
    storage: Path, ids: dict[str, str], where: str
) -> None:
    if where == "in memory":
        pages: IndexedPages | ChangedPages = in_memory(storage, COUNCIL, PLANNING)
    else:
        asked = {"springfield": [ids[COUNCIL], ids[PLANNING]]}
        pages = IndexedPages(open_index(storage), asked, 10)
    # More than are asked as one, with some that cannot be asked at all.
    texts = [*QUERIES, "zoning site:nowhere", ""] * 3
    queries = [(Query(text), parse(text)) for text in texts]

    found = {number: some for number, some in pages.find_each(queries) if some}

    alone = {}
    for number, (query, parsed) in enumerate(queries):
        if "nowhere" in query.text and "site:" in query.text:
            continue
        if some := pages.find(query, parsed):
            alone[number] = some
    assert found == alone
    assert len(alone) > 30


def test_pages_come_in_the_order_of_the_search_page(storage: Path, ids: dict[str, str]) -> None:
    query = Query("council OR variance granted", limit=100, single_pages=True)
    asked = {"springfield": [ids[COUNCIL]]}

    found = IndexedPages(open_index(storage), asked, 10).find(query)

    hits = search(storage, query).hits
    assert found[ids[COUNCIL]] == [each.page for each in hits if each.document == COUNCIL]
    assert len(found[ids[COUNCIL]]) == 2


def test_a_mistake_in_a_saved_search_is_told(storage: Path) -> None:
    with pytest.raises(QueryError):
        in_memory(storage, COUNCIL).find(Query("zoning ("))


def test_the_index_knows_which_versions_of_documents_it_has(
    storage: Path, ids: dict[str, str]
) -> None:
    _, [council] = compiled_documents(storage, COUNCIL)
    opened = open_index(storage)

    held = are_indexed(opened, "springfield", {council.id: council.digest, ids[OLD]: 1})

    assert held == {council.id}, "of the other the index has another version"
    assert are_indexed(opened, "springfield", {}) == set()


def test_a_snippet_shows_why_a_page_was_found(storage: Path) -> None:
    with open_site(storage, "springfield") as site:
        page = site.page(Document.from_name(COUNCIL), 2)

    pieces = page_snippet(storage, "springfield", page.id, "variances")

    assert [text for text, is_hit in pieces if is_hit] == ["variance"]
    assert page_snippet(storage, "springfield", "no-such-page", "variance") == ()
    assert page_snippet(storage, "springfield", page.id, "zoning (") == ()
    assert page_snippet(storage, "nowhere", page.id, "variance") == ()
