"""The search does what docs/search.md says of it, example by example."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from small_sites import SITE, compile_folder, presence, vote, write_found, write_text

from clerk.core.errors import InvalidInput, NotFound
from clerk.search import Query, QueryError, find_document, parse, search
from clerk.search.answers import FACETS
from clerk.search.results import SORTS

GUIDE = Path(__file__).parents[2] / "docs" / "search.md"
OTHER = {"subdomain": "shelbyville", "name": "Shelbyville", "state": "OH"}

#: What is on each page: a letter -> site, document, text.
PAGES = {
    "a": ("springfield", "minutes/City Council/2024-01-15", "The zoning variance was granted."),
    "b": ("springfield", "minutes/City Council/2024-02-19", "Zone the lot; variances denied."),
    "c": ("springfield", "minutes/City Council/2023-06-05", "A variance was denied: bad fence."),
    "d": ("springfield", "agendas/Planning/2024-03-04", "1. Zoning. 2. A variance"),
    "e": ("springfield", "minutes/Planning/2022-11-07", "A zonal map, and a fence, was denied."),
    "f": ("shelbyville", "minutes/Board/2024-01-09", "Nothing; the hall was closed. Überplan"),
    "g": ("shelbyville", "minutes/Board/notes", "The zoning of the fence. No date is known."),
}
#: What is typed -> the pages that have it, for every example in the table of the guide.
LANGUAGE = {
    "zoning variance": "abd",
    '"zoning variance"': "a",
    '"variance"': "acd",
    '"zoning variance"~5': "ad",
    "-denied": "adfg",
    '-"was denied"': "abdfg",
    "-(a OR b)": "abfg",
    "zoning OR variance": "abcdg",
    "(zoning OR variance) fence": "cg",
    "zon*": "abdeg",
    "varience~": "abcd",
    "varience~1": "acd",
    "site:springfield": "abcde",
    "state:IL": "abcde",
    "kind:minutes": "abcefg",
    "body:council": "abc",
    'person:"jane doe"': "c",
    "date:2024": "abdf",
    "date:2024-01..2024-03": "abdf",
    "date:..2023": "ce",
}


@pytest.fixture(scope="module")
def towns(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two towns with a page in each document."""
    storage = tmp_path_factory.mktemp("sites")
    for site, name, text in PAGES.values():
        document = write_text(storage / site, name, [text])
        if "2023-06-05" in name:
            people = [presence("Jane Doe"), presence("Bo Wu")]
            cast = vote(1, ayes=["Jane Doe"], noes=["Bo Wu"])
            write_found(storage / site, document, [text], [cast], attendance=people)
    moments = {
        name: {"first_seen_at": datetime(2024, 5, ord(letter) - ord("a") + 1, tzinfo=UTC)}
        for letter, (_, name, _) in PAGES.items()
    }
    compile_folder(storage / "springfield", SITE, facts=moments)
    compile_folder(storage / "shelbyville", OTHER, facts=moments)
    return storage


LETTERS = {(site, name): letter for letter, (site, name, _) in PAGES.items()}


def found(towns: Path, text: str, **narrowed: object) -> str:
    """The letters of the pages that a query finds, in the order of the answer."""
    hits = search(towns, Query(text, limit=50, **narrowed)).hits  # type: ignore[arg-type]
    return "".join(LETTERS[hit.site, hit.document] for hit in hits)


#: Finds every page: what is excluded needs something that it is excluded from.
ANYTHING = "date:..2024 OR site:shelbyville"


def table(heading: str) -> str:
    """The text of a section of the guide."""
    return GUIDE.read_text().split(f"## {heading}\n")[1].split("\n## ")[0]


def test_every_example_of_the_guide_is_tried() -> None:
    typed = re.findall(r"^\| (`.+?) \|", table("The query language"), re.MULTILINE)
    examples = {each for cell in typed for each in re.findall(r"`([^`]+)`", cell)}
    assert examples <= set(LANGUAGE)
    assert len(examples) >= 18


@pytest.mark.parametrize("typed", LANGUAGE)
def test_a_query_finds_the_pages_that_the_guide_says(towns: Path, typed: str) -> None:
    asked = f"({ANYTHING}) {typed}" if typed.startswith("-") else typed

    assert "".join(sorted(found(towns, asked))) == LANGUAGE[typed]


@pytest.mark.parametrize(
    ("typed", "same"),
    [
        ("ZONING Variance", "zoning variance"),
        ("variance zoning", "zoning variance"),
        ("uberplan", "Überplan"),
        ("zoning AND variance", "zoning variance"),
        ("((zoning)) variance", "zoning variance"),
        ("variance OR zoning", "zoning OR variance"),
        ("zoning -denied -denied", "zoning -denied"),
        ("zoning, variance!", "zoning variance"),
    ],
)
def test_these_are_the_same_query(towns: Path, typed: str, same: str) -> None:
    assert sorted(found(towns, typed)) == sorted(found(towns, same)) != []


@pytest.mark.parametrize(
    ("narrowed", "pages"),
    [
        ({"site": "shelbyville"}, "fg"),
        ({"state": "OH"}, "fg"),
        ({"kind": "agenda"}, "d"),
        ({"body": "City Council"}, "abc"),
        ({"year": "2024"}, "abdf"),
        ({"since": "2024-02"}, "bd"),
        ({"until": "2023-06-05"}, "ce"),
        ({"since": "2023", "until": "2023"}, "c"),
        ({"person": "Jane Doe"}, "c"),
        ({"site": "springfield", "kind": "minutes", "year": "2024"}, "ab"),
    ],
)
def test_what_a_page_offers_to_choose_narrows_the_pages(
    towns: Path, narrowed: dict[str, str], pages: str
) -> None:
    assert "".join(sorted(found(towns, ANYTHING, **narrowed))) == pages


def test_a_query_without_words_lists_all_that_passes_its_filters(towns: Path) -> None:
    assert "".join(sorted(found(towns, "site:springfield date:2024"))) == "abd"
    assert "".join(sorted(found(towns, ANYTHING))) == "".join(PAGES)


@pytest.mark.parametrize(
    ("sort", "order"), [("newest", "dbafceg"), ("oldest", "ecfabdg"), ("first-seen", "gfedcba")]
)
def test_documents_without_a_date_are_last(towns: Path, sort: str, order: str) -> None:
    everything = "the OR a OR zone"

    listed = found(towns, everything, sort=sort)

    assert listed == order


def test_every_order_lists_the_same_documents(towns: Path) -> None:
    listed = {"".join(sorted(found(towns, "zoning OR variance", sort=sort))) for sort in SORTS}

    assert listed == {"abcdg"}


def test_facets_count_the_pages_and_each_narrows_to_its_count(towns: Path) -> None:
    results = search(towns, Query("zoning OR variance"))

    assert set(results.facets) == set(FACETS)
    for name in ("site", "state", "body", "kind", "year"):
        for value, _, pages in results.facets[name]:
            narrowed = search(towns, Query("zoning OR variance", **{name: value}))
            assert narrowed.total == pages, (name, value)
    assert sum(pages for _, _, pages in results.facets["site"]) == results.total == 5


def test_a_chosen_facet_keeps_its_other_values(towns: Path) -> None:
    all_kinds = {value: pages for value, _, pages in search(towns, Query(ANYTHING)).facets["kind"]}

    chosen = search(towns, Query(ANYTHING, kind="agenda"))

    assert chosen.total == all_kinds["agenda"] == 1
    assert ("agenda", 1) in {(value, pages) for value, _, pages in chosen.facets["kind"]}


@pytest.mark.parametrize("sort", SORTS)
def test_the_cursor_leads_to_every_document_once(towns: Path, sort: str) -> None:
    seen: list[str] = []
    cursor = None
    while True:
        results = search(towns, Query("zoning OR fence", sort=sort, limit=2, after=cursor))
        seen += [LETTERS[hit.site, hit.document] for hit in results.hits]
        cursor = results.cursor
        if cursor is None:
            break

    assert sorted(seen) == list("abcdeg")


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ('"zoning', "quotation mark"),
        ("(zoning", "without a [)]"),
        ("zoning)", "without a [(]"),
        ("-denied", "only excludes"),
        ("sites:springfield", "field"),
        ("body: council", "body:"),
        ("date:2024-02-30", "2024-02-30"),
        ("date:..", "date: needs a day, month or year"),
        ("date:2024..2023", "2024..2023"),
        ("*zon", "[*]"),
        ("z*", "z"),
        ("!!!", "letters"),
        ("zo\0ning", "NUL"),
        ("a " * 501, "1,?000"),
        ("word " * 51, "50"),
        ('"zoning variance"~500', "~500"),
        ("kind:minute", "minute"),
    ],
)
def test_a_mistake_is_answered_by_a_sentence(towns: Path, typed: str, said: str) -> None:
    with pytest.raises((QueryError, InvalidInput), match=said) as refused:
        search(towns, Query(typed))

    assert str(refused.value)[-1] in ".?)"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("zonning", "zoning"),
        ("zoning varianse", "zoning variance"),
        ("(zonning OR varianse) fence", "(zoning OR variance) fence"),
        ('"zonning map"', '"zoning map"'),
        ("zonning site:springfield", "zoning site:springfield"),
    ],
)
def test_if_nothing_is_found_similar_words_are_suggested(
    towns: Path, typed: str, meant: str
) -> None:
    results = search(towns, Query(typed))

    if search(towns, Query(meant)).total:
        assert results.did_you_mean is not None
        assert parse(results.did_you_mean) == parse(meant)
    else:
        assert results.did_you_mean is None
    assert results.total == 0


@pytest.mark.parametrize("typed", ["zonn*", "xyzzyplugh", "zoning"])
def test_nothing_is_suggested_for_what_is_found_or_resembles_nothing(
    towns: Path, typed: str
) -> None:
    assert search(towns, Query(typed)).did_you_mean is None


def test_a_document_is_found_by_its_id_and_no_other_is_invented(towns: Path) -> None:
    for hit in search(towns, Query("zoning OR fence OR hall", limit=50)).hits:
        site, document = find_document(towns, hit.document_id)
        assert (site, document.name) == (hit.site, hit.document)

    other = "f" * len(hit.document_id)
    for wrong in (other, "", "../etc/passwd", hit.document_id + "0"):
        with pytest.raises(NotFound, match="There is no document"):
            find_document(towns, wrong)
