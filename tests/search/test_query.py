"""What is typed into the search box: a search, or a sentence that says what is wrong."""

from __future__ import annotations

import contextlib
import re
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis_sizes import examples
from small_sites import SITE, compile_folder, write_text

from clerk.search import Query, search
from clerk.search.query import (
    DateRange,
    FieldFilter,
    Group,
    Node,
    Parsed,
    QueryError,
    Term,
    hits,
    parse,
    places,
)
from clerk.search.snippets import snippet
from clerk.search.words import fold

#: Pieces of the language, in any disorder.
SIGNS = "\"()*^+:-{} '%;~é😀\x00\ud800第会"
WORDS = ("AND", "OR", "NOT", "body:", "site:springfield", "zoning", "--", "date:2024..", "foo:x")
PIECES = st.sampled_from([*SIGNS, *WORDS])
QUERIES = st.one_of(st.text(), st.lists(PIECES, max_size=30).map("".join))


def understood(text: str) -> Parsed:
    try:
        return parse(text)
    except QueryError:
        return Parsed(None)


@pytest.fixture(scope="module")
def towns(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sites") / "springfield"
    write_text(folder, "minutes/Council/2024-01-15", ["a page about zoning, and more"])
    compile_folder(folder, SITE)
    return folder.parent


@settings(max_examples=examples(300), deadline=None)
@given(QUERIES)
def test_whatever_is_typed_is_searched_or_explained(towns: Path, text: str) -> None:
    try:
        search(towns, Query(text))
    except QueryError as error:
        assert len(str(error)) > 20


@settings(max_examples=examples(300), deadline=None)
@given(QUERIES)
def test_reading_what_was_typed_gives_the_same_query_again(text: str) -> None:
    parsed = understood(text)

    assert parse(parsed.typed) == parsed


@settings(max_examples=examples(200), deadline=None)
@given(st.text(), QUERIES)
def test_a_snippet_of_a_short_text_is_that_text(text: str, query: str) -> None:
    parts = snippet(text, understood(query).terms, letters=10_000)

    assert "".join(part for part, _ in parts).split() == text.split()


def test_hits_agree_with_the_index(tmp_path: Path) -> None:
    texts = ["Zoning / Café / o'neil", "2024-15, the plan", "planning a café", "zoning café plans"]
    write_text(tmp_path / "springfield", "minutes/Council/2024-01-15", texts)
    compile_folder(tmp_path / "springfield", SITE)
    queries = (
        *("zoning plan", '"zoning cafe"', "pla*", "neil", '"2024 15"', "plan OR cafe", "zonnig~"),
        *('"plan"', "planned", "(cafe OR neil) zoning", '"zoning neil"~2', "caf* -plans"),
    )
    for query in queries:
        parsed = parse(query)
        found = {hit.page for hit in search(tmp_path, Query(query, single_pages=True)).hits}
        assert found
        for page in found:
            assert hits(fold(texts[page - 1]), parsed.terms), (query, page)
            assert places(texts[page - 1], parsed.terms), (query, page)


def group(*parts: Node) -> Parsed:
    return Parsed(Group((parts,)))


@pytest.mark.parametrize(
    ("typed", "parsed"),
    [
        ("zoning", group(Term(("zoning",)))),
        ("Zoning Café", group(Term(("zoning",)), Term(("cafe",)))),
        ('"zoning  map"', group(Term(("zoning", "map"), exact=True))),
        ("“zoning map”", group(Term(("zoning", "map"), exact=True))),
        ('"zoning map"~5', group(Term(("zoning", "map"), exact=True, slop=5))),
        ("zon*", group(Term(("zon",), prefix=True))),
        ("zonig~", group(Term(("zonig",), fuzzy=1))),
        ("variences~", group(Term(("variences",), fuzzy=2))),
        ("zonig~2", group(Term(("zonig",), fuzzy=2))),
        ("2024-15", group(Term(("2024", "15"), exact=True))),
        ("O’Brien", group(Term(("o", "brien"), exact=True))),
        ("a -b", Parsed(Group(((Term(("a",)),),), (Term(("b",)),)))),
        ("a OR b c", Parsed(Group(((Term(("a",)),), (Term(("b",)), Term(("c",))))))),
        ("OR a OR", group(Term(("or",)), Term(("a",)), Term(("or",)))),
        ("Portland OR", group(Term(("portland",)), Term(("or",)))),
        ("(a AND) b", group(Group(((Term(("a",)), Term(("and",))),)), Term(("b",)))),
        ("a state:OR b", group(Term(("a",)), FieldFilter("state", "OR"), Term(("b",)))),
        ("a state:OR", group(Term(("a",)), FieldFilter("state", "OR"))),
        ("a AND b", group(Term(("a",)), Term(("b",)))),
        (
            "7:30 http://x.org",
            group(Term(("7", "30"), exact=True), Term(("http", "x", "org"), exact=True)),
        ),
        ("Re: zoning", group(Term(("re",)), Term(("zoning",)))),
        ("site:springfield", group(FieldFilter("site", "springfield"))),
        ('BODY:"City Council"', group(FieldFilter("body", "city council"))),
        ("date:2024-01..2024-03", group(DateRange(20240101, 20240331, "2024-01..2024-03"))),
        ("date:2024-02-29", group(DateRange(20240229, 20240229, "2024-02-29"))),
        ("date:..2023", group(DateRange(0, 20231231, "..2023"))),
        ("(a OR b)", group(Group(((Term(("a",)),), (Term(("b",)),))))),
        ("", Parsed(None)),
        (" \u3000 ", Parsed(None)),
        ("\u202eשלום", group(Term(("שלום",)))),
    ],
)
def test_a_query_is_read(typed: str, parsed: Parsed) -> None:
    assert parse(typed) == parsed


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("x" * 10_000, "10,000 characters"),
        (" ".join("a" for _ in range(499)), "at most 50"),
        (" ".join(f"w{number}" for number in range(1000)), "characters"),
        (" ".join("ab" for _ in range(60)), "more than 50 words"),
        ("*ing", "only allowed at the end"),
        ("zo*ng", "only allowed at the end"),
        ("(a+)+*x", "only allowed at the end"),
        ("*", "only allowed at the end"),
        ("z*", "too short"),
        ('"zoning map', "quotation mark is missing"),
        ("(a OR b", "without a )"),
        ("a)", "without a ("),
        ("(" * 20 + "a" + ")" * 20, "nested brackets"),
        ("colour:red", "no field 'colour'; there are site, state, body"),
        ("date:2024-13", "no date 2024-13"),
        ("date:2023-02-29", "no date 2023-02-29"),
        ("date:soon", "not a date"),
        ("date:2024..2023", "first date is after the last"),
        ("body:--", "needs a value"),
        ("body: council", "body: needs a value right after the colon, as in body:council"),
        ("zoning -Date:", 'put it in quotes: "date"'),
        ("-zoning", "only excludes words"),
        ("abc~7", "at most 2 letters"),
        ('"a b"~999', "At most 50 words"),
        ("zoning\0more", "a NUL character (U+0000)"),
        ("\0", "a NUL character (U+0000)"),
        ("& -- ...", "neither letters nor digits"),
        ("()", "neither letters nor digits"),
        ('"\U0001f600"', "neither letters nor digits"),
    ],
)
def test_a_mistake_is_explained(typed: str, said: str) -> None:
    with pytest.raises(QueryError, match=re.escape(said)):
        parse(typed)


@pytest.mark.parametrize("typed", ["\u202ezoning\u202c", "zoning\u200f", "zoning \ud800"])
def test_characters_that_are_not_seen_do_not_hide_a_page(towns: Path, typed: str) -> None:
    assert search(towns, Query(typed)).total == 1


def test_text_from_right_to_left_is_found(tmp_path: Path) -> None:
    write_text(tmp_path / "springfield", "minutes/Council/2024-01-15", ["אישור תקציב העירייה"])
    compile_folder(tmp_path / "springfield", SITE)

    assert [search(tmp_path, Query(each)).total for each in ("תקציב", '"אישור תקציב"')] == [1, 1]


def test_bad_input_costs_little_more_than_a_search(towns: Path) -> None:
    def processor_seconds(text: str) -> float:
        taken = []
        for _ in range(5):
            began = time.process_time()
            with contextlib.suppress(QueryError):
                search(towns, Query(text))
            taken.append(time.process_time() - began)
        return min(taken)

    bad = {
        "letters": "x" * 10_000,
        "terms": " ".join(f"w{number}" for number in range(1000)),
        "brackets": "(" * 5000,
        "quotes": '"a ' * 300,
        "wildcards": "*a " * 300,
        "pattern": "(a+)+*" * 100,
        "beginnings": " ".join(f"ab{number}*" for number in range(50)),
        "fuzzy": " ".join(f"zon{number}~2" for number in range(50)),
        "dates": "date:0000..9999 zoning",
        "alternatives": " OR ".join(f"(w{number} x{number})" for number in range(25)),
    }
    plain = processor_seconds("zoning more")
    costs = {name: processor_seconds(text) / plain for name, text in bad.items()}

    assert {name: ratio for name, ratio in costs.items() if ratio > 100} == {}


def test_a_value_that_nothing_has_is_explained(towns: Path) -> None:
    for typed, said in (
        ("zoning site:nowhere", "There is no site 'nowhere'"),
        ("zoning kind:maps", "the kinds are minutes"),
        ("zoning state:XX", "the states are IL"),
    ):
        with pytest.raises(QueryError, match=said):
            search(towns, Query(typed))


def test_where_no_place_has_a_state_that_is_said(tmp_path: Path) -> None:
    folder = tmp_path / "sites" / "springfield"
    write_text(folder, "minutes/CityCouncil/2024-01-15", ["zoning"])
    compile_folder(folder, {"subdomain": "springfield", "name": "Springfield"})

    with pytest.raises(QueryError, match="No place here has a state"):
        search(tmp_path / "sites", Query("zoning state:XX"))


def test_places_are_those_of_the_words_as_written() -> None:
    text = "The ZONING map; Zöning-plan, zoned. İstanbul zoning"

    spans = places(text, parse("zoning").terms)

    assert [text[start:end] for start, end in spans] == ["ZONING", "Zöning", "zoned", "zoning"]
