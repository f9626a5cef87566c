"""The facts that hits are counted by: always those of the index as it is."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from small_sites import compile_folder, remove_text, write_text

from clerk.core.storage import search_index
from clerk.search import Query, forget_site, index, search
from clerk.search.facts import FactsCache

TOWNS = ("ashford", "birchwood", "cedarville")


def write(storage: Path, town: str, date: str, text: str = "zoning") -> None:
    write_text(storage / town, f"minutes/Council/{date}", [text, f"{text} again"])


def compiled(storage: Path, town: str, name: str = "") -> None:
    compile_folder(storage / town, {"subdomain": town, "name": name or town.title()})


@pytest.fixture
def towns(tmp_path: Path) -> Path:
    """Three compiled towns with two documents each."""
    storage = tmp_path / "sites"
    for town in TOWNS:
        for date in ("2022-01-01", "2023-01-01"):
            write(storage, town, date)
        compiled(storage, town)
    return storage


def told(cache: FactsCache, storage: Path) -> dict[int, Any]:
    """Return what is remembered of each document, by names instead of numbers."""
    path = search_index(storage)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("BEGIN")
        facts = cache.facts(path, connection)
    return {
        document: (facts.sites[facts.classes[group].site], facts.classes[group], facts.dates[date])
        for document, (group, date) in enumerate(zip(facts.class_of, facts.date_of, strict=True))
        if group
    }


def add(storage: Path) -> None:
    write(storage, "ashford", "2024-05-05")
    compiled(storage, "ashford")


def change(storage: Path) -> None:
    write(storage, "birchwood", "2023-01-01", "parking")
    compiled(storage, "birchwood")


def remove(storage: Path) -> None:
    remove_text(storage / "cedarville", "minutes/Council/2022-01-01")
    compiled(storage, "cedarville")


def rename(storage: Path) -> None:
    compiled(storage, "ashford", "Ashford on the Hill")


def forget(storage: Path) -> None:
    forget_site(storage, "birchwood")


@pytest.mark.parametrize("deed", [add, change, remove, rename, forget, index.remake])
def test_facts_follow_every_change_of_the_index(towns: Path, deed: Callable[[Path], None]) -> None:
    cache = FactsCache()
    before = told(cache, towns)

    deed(towns)

    assert told(cache, towns) == told(FactsCache(), towns)
    assert told(cache, towns) != before or deed is index.remake


def test_facts_that_are_still_true_are_not_read_again(towns: Path) -> None:
    cache, path = FactsCache(), search_index(towns)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("BEGIN")

        assert cache.facts(path, connection) is cache.facts(path, connection)


def test_facts_given_out_are_not_changed_by_a_later_state(towns: Path) -> None:
    cache, path = FactsCache(), search_index(towns)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("BEGIN")
        facts = cache.facts(path, connection)
        before = (list(facts.class_of), list(facts.date_of), dict(facts.sites))

        for deed in (add, change, remove, forget):
            deed(towns)
            told(cache, towns)

        assert (list(facts.class_of), list(facts.date_of), dict(facts.sites)) == before
        assert cache.facts(path, connection).class_of[: len(before[0])].tolist() == before[0]


def test_only_a_few_indexes_are_remembered(towns: Path, tmp_path: Path) -> None:
    cache = FactsCache()
    for number in range(4):
        copy = tmp_path / f"copy-{number}"
        copy.mkdir()
        with closing(sqlite3.connect(search_index(towns))) as source:
            source.execute("VACUUM INTO ?", (str(search_index(copy)),))
        told(cache, copy)

    assert len(cache._facts) == 2


def test_searches_beside_updates_count_what_they_show(towns: Path) -> None:
    wrong: list[Any] = []
    done = threading.Event()

    def ask() -> None:
        while not done.is_set():
            found = search(towns, Query("zoning", sort="newest", limit=100))
            sums = {name: sum(each.pages for each in all_) for name, all_ in found.facets.items()}
            if set(sums.values()) != {found.total} or len(found.hits) != found.total:
                wrong.append((sums, found.total, len(found.hits)))

    asking = [threading.Thread(target=ask) for _ in range(4)]
    for thread in asking:
        thread.start()
    for day in range(1, 9):
        write(towns, TOWNS[day % 3], f"2021-03-{day:02}")
        compiled(towns, TOWNS[day % 3])
    done.set()
    for thread in asking:
        thread.join()

    assert wrong == []
    assert search(towns, Query("zoning", limit=100)).total == 2 * (6 + 8)
