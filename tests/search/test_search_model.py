"""Whatever is asked, the index finds the pages that a reader with all the time in the world would.

Random queries of the whole language are answered twice: by the index, and by going through every
word of every page.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis_sizes import examples
from small_sites import SITE, compile_folder, remove_text, write_text

from clerk.search import Query, search
from clerk.search.words import stemmer

#: Several forms of a word, words that begin alike, and words that differ in a letter.
WORDS = (
    *("zone", "zoned", "zoning", "zones", "zonal"),
    *("budget", "budgets", "budgeted"),
    *("approve", "approved", "approval"),
    *("council", "councils", "counsel"),
    *("water", "waste", "main", "street", "lake"),
)
OTHER = {"subdomain": "shelbyville", "name": "Shelbyville"}
KINDS = {"minutes": "minutes", "agendas": "agenda"}


@dataclass(frozen=True)
class Page:
    """A page with what can be asked of its document."""

    site: str
    kind: str
    day: str
    document: str
    number: int
    words: tuple[str, ...]


@dataclass(frozen=True)
class Asked:
    """A piece of a query: as it is typed, and whether a page has it."""

    typed: str
    is_on: Callable[[Page], bool]


def word(typed: str) -> Asked:
    stem = stemmer("eng").stem
    return Asked(typed, lambda page: stem(typed) in map(stem, page.words))


def exact(words: Sequence[str]) -> Asked:
    def is_on(page: Page) -> bool:
        starts = range(len(page.words) - len(words) + 1)
        return any(page.words[at : at + len(words)] == tuple(words) for at in starts)

    return Asked(f'"{" ".join(words)}"', is_on)


def beginning(letters: str) -> Asked:
    return Asked(f"{letters}*", lambda page: any(each.startswith(letters) for each in page.words))


def dated(since: int, years: int) -> Asked:
    until = since + years
    typed = f"date:{since}" if not years else f"date:{since}..{until}"
    return Asked(typed, lambda page: since <= int(page.day[:4]) <= until)


def level(alternatives: Sequence[Sequence[Asked]], excluded: Sequence[Asked]) -> Asked:
    either = " OR ".join(" ".join(part.typed for part in parts) for parts in alternatives)
    typed = " ".join([either, *(f"-{part.typed}" for part in excluded)])

    def is_on(page: Page) -> bool:
        found = any(all(part.is_on(page) for part in parts) for parts in alternatives)
        return found and not any(part.is_on(page) for part in excluded)

    return Asked(typed, is_on)


def bracketed(asked: Asked) -> Asked:
    return Asked(f"({asked.typed})", asked.is_on)


TERMS = st.one_of(
    st.sampled_from(WORDS).map(word),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(exact),
    st.tuples(st.sampled_from(WORDS), st.integers(2, 6)).map(
        lambda each: beginning(each[0][: each[1]])
    ),
)
FILTERS = st.one_of(
    st.sampled_from(["springfield", "shelbyville"]).map(
        lambda site: Asked(f"site:{site}", lambda page: page.site == site)
    ),
    st.sampled_from(sorted(KINDS.values())).map(
        lambda kind: Asked(f"kind:{kind}", lambda page: page.kind == kind)
    ),
    st.tuples(st.integers(2020, 2024), st.integers(0, 3)).map(lambda each: dated(*each)),
)


def levels(parts: st.SearchStrategy[Asked]) -> st.SearchStrategy[Asked]:
    some = st.lists(parts, min_size=1, max_size=3)
    return st.builds(level, st.lists(some, min_size=1, max_size=3), st.lists(parts, max_size=2))


PARTS = st.one_of(TERMS, FILTERS)
QUERIES = levels(st.one_of(PARTS, levels(PARTS).map(bracketed)))


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Page]]:
    """Two sites whose documents were added, replaced and removed in several rounds."""
    storage = tmp_path_factory.mktemp("searched") / "sites"
    chosen = random.Random(5)
    pages: dict[tuple[str, str], list[Page]] = {}
    for round_ in range(3):
        for site in (SITE, OTHER):
            folder = storage / site["subdomain"]
            for number in range(12):
                folder_of_kind = chosen.choice(sorted(KINDS))
                day = f"{chosen.randrange(2019, 2026)}-{number + 1:02}-{round_ + 1:02}"
                name = f"{folder_of_kind}/CityCouncil/{day}"
                texts = [
                    tuple(chosen.choices(WORDS, k=chosen.randrange(1, 9)))
                    for _ in range(chosen.randrange(1, 4))
                ]
                write_text(folder, name, [" ".join(text).capitalize() + "." for text in texts])
                pages[site["subdomain"], name] = [
                    Page(site["subdomain"], KINDS[folder_of_kind], day, name, at, text)
                    for at, text in enumerate(texts, 1)
                ]
            gone = chosen.choice([name for place, name in pages if place == site["subdomain"]])
            remove_text(folder, gone)
            del pages[site["subdomain"], gone]
            compile_folder(folder, site)
    return storage, [page for some in pages.values() for page in some]


@given(QUERIES)
@settings(max_examples=examples(800), deadline=None)
def test_the_index_finds_what_reading_every_page_finds(
    town: tuple[Path, list[Page]], asked: Asked
) -> None:
    storage, pages = town

    found = search(storage, Query(asked.typed, single_pages=True, limit=500))

    expected = {(page.site, page.document, page.number) for page in pages if asked.is_on(page)}
    assert {(hit.site, hit.document, hit.page) for hit in found.hits} == expected, asked.typed
    assert found.total == len(expected)
