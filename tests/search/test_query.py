"""What is typed into the search box: always a search, never an error."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clerk.search.query import Parsed, Term, fold, hits, parse, places
from clerk.search.results import snippet
from clerk.site_db.schema import TOKENIZER


@pytest.fixture(scope="module")
def index():  # type: ignore[no-untyped-def]
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(
            f'CREATE VIRTUAL TABLE pages USING fts5(search_text, tokenize="{TOKENIZER}")'
        )
        connection.execute("INSERT INTO pages VALUES ('a page about zoning, and more')")
        yield connection


#: Pieces of FTS5's language and of ours, in any disorder.
SIGNS = "\"()*^+:-{} '%;é😀\x00\ud800"
WORDS = ("AND", "OR", "NOT", "NEAR(a b)", "search_text:", "zoning", "--", "DROP TABLE pages")
PIECES = st.sampled_from([*SIGNS, *WORDS])
QUERIES = st.one_of(st.text(), st.lists(PIECES, max_size=30).map("".join))


@settings(max_examples=400, deadline=None)
@given(QUERIES)
def test_whatever_is_typed_can_be_searched(index: sqlite3.Connection, text: str) -> None:
    query = parse(text).fts
    if query:
        index.execute("SELECT rowid FROM pages WHERE pages MATCH ?", (query,)).fetchall()


@settings(max_examples=300, deadline=None)
@given(QUERIES)
def test_reading_what_was_typed_gives_the_same_query_again(text: str) -> None:
    parsed = parse(text)

    assert parse(parsed.typed) == parsed or not parsed.alternatives


@settings(max_examples=200, deadline=None)
@given(st.text(), QUERIES)
def test_a_snippet_of_a_short_text_is_that_text(text: str, query: str) -> None:
    parts = snippet(text, parse(query).terms, letters=10_000)

    assert "".join(part for part, _ in parts).split() == text.split()


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(["zoning", "Café", "o'neil", "2024-15", "plan"]), min_size=1))
def test_hits_agree_with_the_index(words: list[str]) -> None:
    text = " / ".join(words)
    for query in ("zoning plan", '"zoning cafe"', "pla*", "neil", '"2024 15"', "plan OR cafe"):
        parsed = parse(query)
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.execute(f'CREATE VIRTUAL TABLE p USING fts5(t, tokenize="{TOKENIZER}")')
            connection.execute("INSERT INTO p VALUES (?)", (text,))
            found = connection.execute("SELECT 1 FROM p WHERE p MATCH ?", (parsed.fts,)).fetchone()
        if found:
            assert hits(fold(text), parsed.terms)
            assert places(text, parsed.terms)


@pytest.mark.parametrize(
    ("typed", "parsed"),
    [
        ("zoning", Parsed(((Term(("zoning",)),),))),
        ("Zoning Café", Parsed(((Term(("zoning",)), Term(("cafe",))),))),
        ('"zoning  map"', Parsed(((Term(("zoning", "map")),),))),
        ('"zoning map', Parsed(((Term(("zoning", "map")),),))),
        ("zon*", Parsed(((Term(("zon",), prefix=True),),))),
        ("z*", Parsed(((Term(("z",)),),))),
        ("2024-15", Parsed(((Term(("2024", "15")),),))),
        ("a OR b c", Parsed(((Term(("a",)),), (Term(("b",)), Term(("c",)))))),
        ("OR", Parsed(((Term(("or",)),),))),
        ("a -b", Parsed(((Term(("a",)),),), (Term(("b",), excluded=True),))),
        ("-b", Parsed(())),
    ],
)
def test_terms(typed: str, parsed: Parsed) -> None:
    assert parse(typed) == parsed


def test_an_endless_query_is_cut() -> None:
    assert len(parse("word " * 100_000).terms) <= 32


@pytest.mark.parametrize(
    ("typed", "means"),
    [
        ("zoning OR", "zoning"),
        ("\u201cshort term\u201d", '"short term"'),
        ("\u00abshort term\u00bb", '"short term"'),
        ("O\u2019Brien", "O'Brien"),
    ],
)
def test_what_phones_and_hasty_people_write_is_understood(typed: str, means: str) -> None:
    assert parse(typed) == parse(means)


def test_a_star_behind_an_apostrophe_is_kept() -> None:
    assert parse("don't*").terms == [Term(("don", "t"), prefix=True)]
