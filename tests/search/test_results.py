"""Searching across sites: what is found, how it is shown, and what keeps the index true."""

from __future__ import annotations

import json
import re
import sqlite3
import threading
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from small_sites import SITE, compile_folder, index_folder, remove_text, write_found, write_text
from small_sites import vote as a_vote

from clerk.core.errors import InvalidInput, NotFound
from clerk.core.storage import Document
from clerk.search import (
    Facet,
    Query,
    QueryError,
    Results,
    check_place,
    find_document,
    find_page,
    hit_boxes,
    listing,
    pages_with_hits,
    search,
)
from clerk.search.readers import open_index
from clerk.search.words import stemmer

OTHER = {"subdomain": "shelbyville", "name": "Shelbyville"}
COUNCIL = "minutes/CityCouncil/2024-01-15"
SAMPLE_TEXTS = Path(__file__).parents[2] / "tools" / "sample_texts"


@pytest.fixture
def sites(tmp_path: Path) -> Path:
    """Two compiled sites."""
    here, there = tmp_path / "sites" / "springfield", tmp_path / "sites" / "shelbyville"
    write_text(here, COUNCIL, ["The council met.", "A zoning variance was granted to Mr. Núñez."])
    write_text(here, "minutes/Planning/2023-05-01", ["Zoning map; the variance was denied."])
    write_text(here, "agendas/CityCouncil/2024-01-15", ["1. Zoning"])
    write_text(there, "minutes/CityCouncil/2022-03-03", ["No zoning at all. Café licences."])
    compile_folder(here, SITE)
    compile_folder(there, OTHER)
    return tmp_path / "sites"


def words_of_fts5(storage: Path, *sites: str) -> dict[str, int]:
    """Return every word of the FTS5 tables of some sites with the number of its pages."""
    found: dict[str, int] = {}
    for site in sites:
        with closing(sqlite3.connect(storage / site / "meetings.db")) as connection:
            for table in ("minutes", "agendas", "others"):
                connection.execute(
                    f"CREATE VIRTUAL TABLE temp.v{table} USING fts5vocab(main, {table}_fts, row)"
                )
                for term, pages in connection.execute(f"SELECT term, doc FROM temp.v{table}"):
                    found[term] = found.get(term, 0) + pages
    return found


def pages_of_fts5(storage: Path, words: Sequence[str]) -> int:
    """Return how many pages of springfield have any of some words, by its FTS5 tables."""
    asked = " OR ".join(f'"{word}"' for word in words)
    with closing(sqlite3.connect(storage / "springfield" / "meetings.db")) as connection:
        return sum(
            connection.execute(
                f"SELECT count(*) FROM {table}_fts WHERE {table}_fts MATCH ?", (asked,)
            ).fetchone()[0]
            for table in ("minutes", "agendas", "others")
        )


def documents(results: Results) -> list[tuple[str, str, int]]:
    return sorted((hit.site, hit.document, hit.page) for hit in results.hits)


@pytest.mark.parametrize(
    ("text", "pages"),
    [
        ("zoning", 4),
        ("ZONING", 4),
        ("zoning variance", 2),
        ('"zoning variance"', 1),
        ("variance zoning", 2),
        ("zoning -variance", 2),
        ('zoning -"variance was denied"', 3),
        ("vari*", 2),
        ("licences OR denied", 2),
        ("zoning AND denied", 1),
        ("nunez", 1),
        ("Núñez", 1),
        ("cafe", 1),
        ("licence", 1),
        ("grants", 1),
        ('"grants"', 0),
        ("zonning~", 4),
        ("(licences OR denied) zoning", 2),
        ("zoning -(denied OR granted)", 2),
        ('"variance granted"~1', 1),
        ('"zoning vari"*', 1),
        ("zoning site:springfield", 3),
        ("zoning state:il", 3),
        ("zoning body:council", 0),
        ("zoning body:citycouncil", 3),
        ("zoning kind:agenda", 1),
        ("zoning date:2023-05..2024", 3),
        ("zoning date:..2022", 1),
        ("zoning OR date:2022", 4),
        ("date:2024", 3),
        ("zoning -date:2024", 2),
        ("nowhere", 0),
        ("", 0),
    ],
)
def test_words_phrases_minus_prefix_and_or(sites: Path, text: str, pages: int) -> None:
    assert search(sites, Query(text)).total == pages


def test_filters_narrow_the_pages(sites: Path) -> None:
    def found(**filters: str) -> int:
        return search(sites, Query("zoning", **filters)).total  # type: ignore[arg-type]

    assert found(site="springfield") == 3
    assert found(body="CityCouncil") == 3
    assert found(kind="agenda") == 1
    assert found(since="2023") == 3
    assert found(until="2023") == 2
    assert found(since="2023-05", until="2023-05-01") == 1
    assert found(site="springfield", kind="minutes", since="2024") == 1
    assert found(site="nowhere") == 0


def test_facets_count_all_found_pages_not_only_the_shown(sites: Path) -> None:
    results = search(sites, Query("zoning", limit=1))

    assert (len(results.hits), results.total) == (1, 4)
    assert results.facets["site"] == [
        Facet("springfield", "Springfield", 3),
        Facet("shelbyville", "Shelbyville", 1),
    ]
    assert results.facets["kind"] == [
        Facet("minutes", "minutes", 3),
        Facet("agenda", "agenda", 1),
    ]
    assert [facet.value for facet in results.facets["year"]] == ["2024", "2022", "2023"]
    assert results.facets["body"][0] == Facet("CityCouncil", "CityCouncil", 3)


def test_results_are_sorted_and_paged(sites: Path) -> None:
    newest = search(sites, Query("zoning", sort="newest"))
    oldest = search(sites, Query("zoning", sort="oldest"))

    assert [hit.date for hit in newest.hits] == sorted(
        (hit.date for hit in oldest.hits), reverse=True
    )
    unknown = search(sites, Query("zoning", sort="first-seen"))
    assert {hit.date for hit in unknown.hits} == {hit.date for hit in newest.hits}
    pages = [search(sites, Query("zoning", limit=1, offset=at)).hits[0] for at in range(4)]
    assert pages == search(sites, Query("zoning")).hits
    assert search(sites, Query("zoning", offset=4)).hits == []


def test_pages_are_grouped_by_document_with_the_best_first(sites: Path) -> None:
    packet = ["The council met."] + ["zoning"] + ["zoning " * 40 + "and more"] * 5
    write_text(sites / "springfield", "minutes/CityCouncil/2021-02-02", packet)
    compile_folder(sites / "springfield", SITE)

    grouped = search(sites, Query("zoning"))
    single = search(sites, Query("zoning", single_pages=True))

    assert (grouped.total, grouped.documents) == (single.total, single.documents) == (10, 5)
    found = {each.facts.document: each for each in grouped.found}
    long = found["minutes/CityCouncil/2021-02-02"]
    assert (len(found), long.pages_found, long.pages, len(long.best)) == (5, 6, 7, 3)
    assert len(single.found) == 10
    document_id = long.facts.document_id
    assert pages_with_hits(sites, document_id, "zoning") == [2, 3, 4, 5, 6, 7]
    assert pages_with_hits(sites, document_id, "zoning -more") == [2]


@pytest.mark.parametrize("sort", ["relevance", "newest", "oldest", "first-seen"])
@pytest.mark.parametrize("single_pages", [True, False])
def test_a_cursor_leads_through_everything_once_whatever_is_added(
    sites: Path, sort: str, single_pages: bool
) -> None:
    for number in range(1, 8):
        write_text(sites / "springfield", f"minutes/Board/2020-01-0{number}", ["zoning a", "b"])
    compile_folder(sites / "springfield", SITE)
    seen: list[str] = []
    query = Query("zoning", sort=sort, limit=3, single_pages=single_pages)
    while True:
        results = search(sites, query)
        seen += [found.facts.page_id for found in results.found]
        if results.cursor is None:
            break
        query = replace(query, after=results.cursor)
        write_text(sites / "shelbyville", f"agendas/New/1999-01-{len(seen):02}", ["no match"])
        compile_folder(sites / "shelbyville", OTHER)

    assert len(seen) == len(set(seen)) == 11


def test_a_cursor_of_another_search_is_refused(sites: Path) -> None:
    cursor = search(sites, Query("zoning", limit=1)).cursor

    for wrong in ({"after": "x"}, {"sort": "newest", "after": cursor}):
        with pytest.raises(InvalidInput, match="start from the beginning"):
            Query("zoning", **wrong)


def test_facets_stay_when_chosen_and_can_be_switched(sites: Path) -> None:
    document = write_text(sites / "springfield", COUNCIL, ["zoning"])
    write_found(sites / "springfield", document, ["zoning"], [a_vote(1)])
    compile_folder(sites / "springfield", SITE)

    chosen = search(sites, Query("zoning", site="springfield", year="2024", kind="minutes"))
    switchable = search(sites, Query("zoning", site="shelbyville"), switchable=True)

    assert chosen.facets["site"] == [Facet("springfield", "Springfield", 1)]
    assert [each.value for each in switchable.facets["site"]] == ["springfield", "shelbyville"]
    assert [each.value for each in chosen.facets["person"]] == ["Diaz", "Lee", "Wu"]
    assert chosen.facets["state"] == [Facet("IL", "IL", 1)]
    assert search(sites, Query("zoning", person="lee", state="IL")).total == 1
    assert search(sites, Query("zoning person:diaz")).total == 1
    assert search(sites, Query("zoning person:nobody")).total == 0


def test_words_are_found_in_any_form_by_the_language_of_the_site(tmp_path: Path) -> None:
    german, french = tmp_path / "sites" / "berg", tmp_path / "sites" / "mont"
    write_text(german, COUNCIL, ["Die Sitzungen waren öffentlich. 第2回市議会会議録。"])
    write_text(french, COUNCIL, ["Les élections municipales"])
    compile_folder(german, {"subdomain": "berg", "extra": '{"languages": ["deu"]}'})
    compile_folder(french, {"subdomain": "mont", "extra": '{"languages": ["fra"]}'})

    def found(text: str) -> int:
        return search(tmp_path / "sites", Query(text)).total

    assert [found(text) for text in ("Sitzung", "sitzungen", '"sitzung"')] == [1, 1, 0]
    assert [found(text) for text in ("election", "élection", "ELECTIONS")] == [1, 1, 1]
    cjk = ("市議会", "会議", "会議録", "第2回", "録", "議市", "会会議録")
    assert [found(text) for text in cjk] == [1, 1, 1, 1, 1, 0, 1]
    (hit,) = search(tmp_path / "sites", Query("会議録")).hits
    assert ("会議録", True) in hit.snippet


def test_a_document_without_a_date_is_last_in_both_orders(sites: Path) -> None:
    write_text(sites / "springfield", "minutes/Board/undated", ["zoning"])
    compile_folder(sites / "springfield", SITE)

    for sort in ("newest", "oldest"):
        assert search(sites, Query("zoning", sort=sort)).hits[-1].date == ""
    assert search(sites, Query("zoning date:1000..9999")).total == 4


def test_several_shards_answer_as_one(tmp_path: Path) -> None:
    for shards in (1, 3):
        storage = tmp_path / str(shards)
        for number in range(6):
            folder = storage / f"town{number}"
            write_text(folder, f"minutes/Board/2020-01-0{number + 1}", ["zoning", f"only {number}"])
            compile_folder(folder, {"subdomain": folder.name, "state": "IL"}, into_index=False)
            index_folder(folder, shards)
    one, three = tmp_path / "1", tmp_path / "3"

    for query in (Query("zoning"), Query("only", sort="newest"), Query("zoning", limit=2)):
        a, b = search(one, query), search(three, query)
        assert (a.total, a.documents, a.facets) == (b.total, b.documents, b.facets)
    newest = [search(each, Query("zoning", sort="newest")).hits for each in (one, three)]
    assert [hit.page_id for hit in newest[0]] == [hit.page_id for hit in newest[1]]
    assert listing.places(one) == listing.places(three)
    assert sorted(listing.document_ids(one, 4, 2)) == sorted(listing.document_ids(three, 4, 2))


def test_an_unknown_order_is_refused() -> None:
    with pytest.raises(InvalidInput, match="newest"):
        Query("zoning", sort="best")


def test_a_snippet_marks_the_hits_and_escapes_nothing(sites: Path) -> None:
    write_text(sites / "springfield", COUNCIL, ["<script>alert(1)</script> fire & police"])
    compile_folder(sites / "springfield", SITE)

    (hit,) = search(sites, Query('"fire police"')).hits

    assert hit.snippet == [
        ("<script>alert(1)</script> ", False),
        ("fire", True),
        (" & ", False),
        ("police", True),
    ]


def test_a_snippet_is_the_best_piece_of_a_long_page(sites: Path) -> None:
    filler = " ".join(["padding"] * 300)
    text = f"budget {filler} the budget hearing was opened {filler}"
    write_text(sites / "springfield", COUNCIL, [text])
    compile_folder(sites / "springfield", SITE)

    (hit,) = search(sites, Query("budget hearing")).hits

    shown = "".join(part for part, _ in hit.snippet)
    assert "the budget hearing was opened" in shown
    assert shown.startswith("… ") and shown.endswith(" …")
    assert len(shown.split()) < 40


def test_exact_words_are_on_the_pages_that_fts5_finds(sites: Path) -> None:
    found = words_of_fts5(sites, "springfield", "shelbyville")

    assert len(found) > 15
    assert {word: search(sites, Query(f'"{word}"')).total for word in found} == found


def test_words_of_the_samples_are_found_as_by_fts5_and_their_other_forms_too(
    tmp_path: Path,
) -> None:
    for path in sorted(SAMPLE_TEXTS.glob("*.txt")):
        body, *date, kind = path.stem.split("-")
        lines = path.read_text().splitlines()
        pages = ["\n".join(lines[at : at + 40]) for at in range(0, len(lines), 40)]
        folder = "agendas" if kind == "agenda" else "minutes"
        write_text(tmp_path / "springfield", f"{folder}/{body}/{'-'.join(date)}", pages)
    compile_folder(tmp_path / "springfield", SITE)
    by_fts5 = words_of_fts5(tmp_path, "springfield")

    exact = {word: search(tmp_path, Query(f'"{word}"')).total for word in by_fts5}
    in_any_form = {word: search(tmp_path, Query(word)).total for word in by_fts5}

    forms: dict[str, list[str]] = {}
    for word in by_fts5:
        forms.setdefault(stemmer("eng").stem(word), []).append(word)
    by_stem = {word: pages_of_fts5(tmp_path, some) for some in forms.values() for word in some}
    assert len(by_fts5) > 1000 and exact == by_fts5
    assert in_any_form == by_stem
    assert by_fts5["adopted"] < in_any_form["adopted"] == in_any_form["adopt"]


def test_a_database_of_an_older_version_gives_snippets_until_it_is_built_again(
    sites: Path,
) -> None:
    with closing(sqlite3.connect(sites / "springfield" / "meetings.db")) as connection:
        connection.execute("ALTER TABLE documents DROP COLUMN gone_at")
        connection.execute("PRAGMA user_version = 1")

    (hit,) = search(sites, Query("granted")).hits

    assert ("granted", True) in hit.snippet


def test_a_page_can_be_found_by_its_permanent_id(sites: Path) -> None:
    (hit,) = search(sites, Query("granted")).hits

    assert find_page(sites, hit.page_id) == ("springfield", Document.from_name(COUNCIL), 2)
    assert find_document(sites, hit.document_id)[0] == "springfield"
    for unknown in ("", "x", "0000-1", f"{hit.document_id}-²", f"{hit.document_id}-" + "9" * 5000):
        with pytest.raises(NotFound):
            find_page(sites, unknown)


def test_a_misspelt_word_is_mended(sites: Path) -> None:
    results = search(sites, Query("zonning varience -denied"))

    assert results.total == 0
    assert results.did_you_mean == "zoning variance -denied"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("gramted", "granted"), ("garnted", "granted"), ("tranted", "granted"), ("xoning", "zoning")],
)
def test_a_word_is_mended_wherever_the_mistake_is(sites: Path, typed: str, meant: str) -> None:
    assert search(sites, Query(typed)).did_you_mean == meant


def test_fewer_differences_count_more_than_the_same_beginning(sites: Path) -> None:
    write_text(sites / "springfield", COUNCIL, ["Granting a plea.", "A pleat. A place. A plaque."])
    compile_folder(sites / "springfield", SITE)

    assert search(sites, Query("pleatz")).did_you_mean == "pleat"
    assert search(sites, Query("plafuez")).did_you_mean == "plaque"
    assert search(sites, Query("gleats")).did_you_mean == "pleat"


def test_no_suggestion_that_finds_nothing(sites: Path) -> None:
    assert search(sites, Query("zonning", site="nowhere")).did_you_mean is None
    assert search(sites, Query("qqqqqqqqq")).did_you_mean is None


def test_a_changed_page_is_found_by_its_new_words_only(sites: Path) -> None:
    write_text(sites / "springfield", COUNCIL, ["The council met.", "A bridge was closed."])
    compile_folder(sites / "springfield", SITE)

    assert search(sites, Query("granted")).total == 0
    assert documents(search(sites, Query("bridge"))) == [("springfield", COUNCIL, 2)]
    assert search(sites, Query("council")).total == 1


def test_a_removed_document_is_not_found(sites: Path) -> None:
    remove_text(sites / "springfield", COUNCIL)
    compile_folder(sites / "springfield", SITE)

    assert search(sites, Query("granted")).total == 0


def test_a_removed_site_disappears(sites: Path) -> None:
    (sites / "shelbyville" / "meetings.db").unlink()
    index_folder(sites / "shelbyville")

    assert search(sites, Query("zoning")).total == 3


def test_a_renamed_site_is_shown_by_its_new_name(sites: Path) -> None:
    compile_folder(sites / "springfield", SITE | {"name": "New Springfield"})

    (hit,) = search(sites, Query("granted")).hits
    assert hit.site_name == "New Springfield"


def test_sites_compiled_at_the_same_time_are_all_found(tmp_path: Path) -> None:
    storage = tmp_path / "sites"

    def build(number: int) -> None:
        folder = storage / f"town{number}"
        for turn in range(3):
            write_text(folder, COUNCIL, [f"common town{number} turn{turn}"])
            compile_folder(folder, {"subdomain": f"town{number}"})

    threads = [threading.Thread(target=build, args=(number,)) for number in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert search(storage, Query("common turn2")).total == 5


def test_many_small_builds_do_not_pile_up_segments(tmp_path: Path) -> None:
    folder = tmp_path / "sites" / "springfield"
    for turn in range(30):
        write_text(folder, f"minutes/Council/{1900 + turn}", [f"word{turn} common"])
        compile_folder(folder, SITE)

    assert open_index(tmp_path / "sites").shards[0].searcher.num_segments < 12
    assert search(tmp_path / "sites", Query("common")).total == 30


def test_searching_before_anything_is_compiled_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(NotFound) as caught:
        search(tmp_path, Query("zoning"))
    assert "clerk run" in caught.value.hint


def test_boxes_of_hits_are_those_of_the_words(tmp_path: Path) -> None:
    folder = tmp_path / "springfield"
    words = ["The", "develop-", "ment", "plan,", "“Plan”", "B", "O'Brien", "planned"]
    document = write_text(folder, COUNCIL, [" ".join(words)], words={1: words})

    def hit(query: str) -> list[str]:
        return [words[box[0]] for box in hit_boxes(folder, document, 1, query)]

    assert hit('"plan"') == ["plan,", "“Plan”"]
    assert hit("plan") == ["plan,", "“Plan”", "planned"]
    assert hit("plan*") == ["plan,", "“Plan”", "planned"]
    assert hit("development") == ["develop-", "ment"]
    assert hit('"development plan"') == ["develop-", "ment", "plan,"]
    assert hit("developmnt~") == ["develop-", "ment"]
    assert hit("o'brien") == ["O'Brien"]
    assert hit("the -plan") == ["The"]
    assert hit_boxes(folder, COUNCIL, 2, "plan") == []
    assert hit_boxes(folder, "minutes/No/1999", 1, "plan") == []


def test_the_command_shows_where_and_what(sites: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = invoke(monkeypatch, sites, "search", "zoning", "variance", "--site", "springfield")

    assert result.exit_code == 0
    assert f"springfield  {COUNCIL}  page 2" in result.stdout
    assert "A zoning variance was granted" in result.stdout
    assert "2 pages found" in result.stderr


@pytest.mark.parametrize(("pages", "said"), [(4, "1 more page of"), (5, "2 more pages of")])
def test_the_command_counts_the_pages_it_does_not_show(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pages: int, said: str
) -> None:
    write_text(tmp_path / "springfield", COUNCIL, ["A zoning map."] * pages)
    compile_folder(tmp_path / "springfield", SITE)

    result = invoke(monkeypatch, tmp_path, "search", "zoning")

    assert f"  {said} this document\n" in result.stdout
    assert f"{pages} pages found in 1 document; 1 shown." in result.stderr


def test_the_command_colours_hits_where_colours_are_wanted(
    sites: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = invoke(monkeypatch, sites, "search", "granted", color=True)

    assert "\x1b[33m\x1b[1mgranted\x1b[0m" in result.stdout


def test_the_command_never_passes_on_what_moves_a_terminal(
    sites: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_text(sites / "springfield", COUNCIL, ["harmless \x1b[2J\x07 page"])
    compile_folder(sites / "springfield", SITE)

    assert "\x1b" not in invoke(monkeypatch, sites, "search", "harmless").stdout


def test_the_command_prints_json(sites: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = invoke(monkeypatch, sites, "search", "granted", "--json")

    answer = json.loads(result.stdout)
    assert answer["total"] == 1
    assert answer["hits"][0]["document"] == COUNCIL
    assert {"text": "granted", "hit": True} in answer["hits"][0]["parts"]


def test_no_hits_is_no_error_and_suggests(sites: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = invoke(monkeypatch, sites, "search", "zonning")

    assert result.exit_code == 0
    assert result.stdout == "No page matches.\n"
    assert "Did you mean: zoning" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("zoning", "--site", "nope"), "The site 'nope' has not been compiled."),
        (("zoning", "--body", "nope"), "There is no body 'nope'."),
    ],
)
def test_a_place_that_is_not_there_is_named(
    sites: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], said: str
) -> None:
    assert said in str(invoke(monkeypatch, sites, "search", *arguments).exception)


def test_a_body_with_few_pages_is_known_among_many_bodies(tmp_path: Path) -> None:
    folder = tmp_path / "sites" / "springfield"
    for number in range(40):
        pages = ["Bridges."] * (1 if number == 39 else 2)
        write_text(folder, f"minutes/Board{number}/2024-01-15", pages)
    compile_folder(folder, SITE)

    for site in ("", "springfield"):
        check_place(tmp_path / "sites", Query("zoning", site=site, body="Board39"))
        with pytest.raises(NotFound, match="There is no body 'Board40'"):
            check_place(tmp_path / "sites", Query("zoning", site=site, body="Board40"))


@pytest.mark.parametrize(
    "arguments", [("",), ('"',), ("*",), ("--", "-zoning"), ("x", "--from", "2024", "--to", "2023")]
)
def test_a_question_that_cannot_be_answered_is_a_usage_error(
    sites: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    ended = invoke(monkeypatch, sites, "search", *arguments)

    assert (ended.exit_code, type(ended.exception)) == (2, SystemExit) or isinstance(
        ended.exception, QueryError
    )


def test_a_beginning_that_is_too_short_is_said_to_be(sites: Path) -> None:
    with pytest.raises(QueryError, match=r"z\* is too short"):
        search(sites, Query("z*"))


def test_a_body_is_found_however_it_is_capitalised(sites: Path) -> None:
    body = search(sites, Query("council")).hits[0].body

    assert search(sites, Query("council", body=body.upper())).total > 0


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("--from", "soon"), "'soon' is not a date"),
        (("--to", "2024-13"), "There is no date 2024-13."),
        (("--from", "2024", "--to", "2023"), "the first date is after the last"),
        (("--limit", "-1"), "-1 is not in the range 1<=x<=1000"),
        (("--limit", "0"), "0 is not in the range 1<=x<=1000"),
        (("--limit", "9" * 40), "is not in the range 1<=x<=1000"),
        (("--limit", "ten"), "'ten' is not a valid integer"),
        (("--after", "x"), "The cursor does not belong to this search"),
        (("--sort", "random"), "'random' is not one of"),
        (("--kind", "gossip"), "'gossip' is not one of"),
        (("--stie", "springfield"), "No such option"),
    ],
)
def test_a_wrong_option_is_a_usage_error(
    sites: Path, monkeypatch: pytest.MonkeyPatch, asked: tuple[str, ...], said: str
) -> None:
    result = invoke(monkeypatch, sites, "search", "zoning", *asked)

    # clerk's own errors are printed by the program that calls the command.
    error = result.exception if isinstance(result.exception, InvalidInput) else None
    assert (error.exit_code if error else result.exit_code) == 2
    assert said in (str(error) if error else result.stderr)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"limit": -1}, "limit must be a number from 1 to 1,000, not -1."),
        ({"limit": 0}, "limit must be a number from 1 to 1,000, not 0."),
        ({"limit": 1001}, "limit must be a number from 1 to 1,000, not 1001."),
        ({"offset": -1}, "offset must be a number from 0 to 10,000, not -1."),
        ({"offset": 10_001}, "offset must be a number from 0 to 10,000, not 10001."),
        ({"year": "..2024"}, "'..2024' is not a date"),
        ({"kind": "gossip"}, "kind must be one of minutes, agenda"),
        ({"sort": "random"}, "sort must be one of relevance, newest, oldest, first-seen"),
        ({"after": "x"}, "The cursor does not belong to this search"),
    ],
)
def test_a_query_that_cannot_be_right_is_refused(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInput, match=re.escape(said)):
        Query("zoning", **wrong)


def invoke(monkeypatch: pytest.MonkeyPatch, sites: Path, *arguments: str, color: bool = False):  # type: ignore[no-untyped-def]
    from click.testing import CliRunner

    from clerk.cli import cli

    monkeypatch.setenv("STORAGE_DIR", str(sites))
    return CliRunner().invoke(cli, arguments, color=color)
