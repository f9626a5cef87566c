"""Searching across sites: what is found, how it is shown, and what keeps the index true."""

from __future__ import annotations

import json
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest
from small_sites import SITE, compile_folder, remove_text, write_text

from clerk.core.errors import InvalidInput, NotFound, SearchTimeout
from clerk.core.storage import Document
from clerk.search import (
    Facet,
    Query,
    Results,
    find_document,
    find_page,
    forget_site,
    hit_boxes,
    index,
    search,
)

OTHER = {"subdomain": "shelbyville", "name": "Shelbyville"}
COUNCIL = "minutes/CityCouncil/2024-01-15"


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
        ("nowhere", 0),
        ("", 0),
        ("-zoning", 0),
        ("*", 0),
        ('"', 0),
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
    pages = [search(sites, Query("zoning", limit=1, offset=at)).hits[0] for at in range(4)]
    assert pages == search(sites, Query("zoning")).hits
    assert search(sites, Query("zoning", offset=4)).hits == []


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

    assert search(sites, Query("pleats")).did_you_mean == "pleat"
    assert search(sites, Query("plafues")).did_you_mean == "plaque"
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
    forget_site(sites, "shelbyville")

    assert search(sites, Query("zoning")).total == 3


def test_a_site_whose_folder_is_gone_disappears_with_the_next_build(sites: Path) -> None:
    (sites / "shelbyville" / "meetings.db").unlink()
    compile_folder(sites / "springfield", SITE)

    assert search(sites, Query("zoning")).total == 3


def test_a_renamed_site_is_shown_by_its_new_name(sites: Path) -> None:
    compile_folder(sites / "springfield", SITE | {"name": "New Springfield"})

    (hit,) = search(sites, Query("granted")).hits
    assert hit.site_name == "New Springfield"


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.unlink(),
        lambda path: path.write_bytes(b"rubbish" * 5000),
        lambda path: path.write_bytes(b""),
    ],
)
def test_a_lost_or_damaged_index_is_made_again_from_all_sites(sites: Path, damage) -> None:  # type: ignore[no-untyped-def]
    for name in ("sites.db-wal", "sites.db-shm"):
        (sites / name).unlink(missing_ok=True)
    damage(sites / "sites.db")

    compile_folder(sites / "springfield", SITE)
    compile_folder(sites / "shelbyville", OTHER)

    assert search(sites, Query("zoning")).total == 4


def test_an_index_full_of_old_pages_is_made_again(
    sites: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "_STALE_PAGES", 3)
    for turn in range(20):
        write_text(sites / "springfield", COUNCIL, [f"turn{turn}", "bridge"])
        compile_folder(sites / "springfield", SITE)

    with closing(sqlite3.connect(sites / "sites.db")) as connection:
        rows = connection.execute("SELECT count(*) FROM pages_fts_docsize").fetchone()[0]
    assert rows < 20
    assert search(sites, Query("bridge")).total == 1
    assert search(sites, Query("turn19")).total == 1
    assert search(sites, Query("turn1*")).total == 1


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
    for turn in range(40):
        write_text(folder, f"minutes/Council/{1900 + turn}", [f"word{turn} common"])
        compile_folder(folder, SITE)

    with closing(sqlite3.connect(tmp_path / "sites" / "sites.db")) as connection:
        query = "SELECT count(DISTINCT segid) FROM pages_fts_idx"
        assert connection.execute(query).fetchone()[0] < 12
    assert search(tmp_path / "sites", Query("common")).total == 40


def test_a_search_that_takes_too_long_is_stopped(tmp_path: Path) -> None:
    folder = tmp_path / "sites" / "springfield"
    write_text(folder, COUNCIL, ["a common page"] * 3000)
    compile_folder(folder, SITE)

    with pytest.raises(SearchTimeout, match="more than 0 seconds"):
        search(tmp_path / "sites", Query("common page"), timeout_seconds=0)


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

    assert hit("plan") == ["plan,", "“Plan”"]
    assert hit("plan*") == ["plan,", "“Plan”", "planned"]
    assert hit("development") == ["develop-", "ment"]
    assert hit('"development plan"') == ["develop-", "ment", "plan,"]
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
    assert result.stdout == "No page has all of that.\n"
    assert "Did you mean: zoning" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("zoning", "--site", "nope"), "Nothing has been compiled of a site 'nope'."),
        (("zoning", "--body", "nope"), "There is no body 'nope'."),
    ],
)
def test_a_place_that_is_not_there_is_named(
    sites: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], said: str
) -> None:
    assert said in str(invoke(monkeypatch, sites, "search", *arguments).exception)


@pytest.mark.parametrize(
    "arguments", [("",), ('"',), ("*",), ("--", "-zoning"), ("x", "--from", "2024", "--to", "2023")]
)
def test_a_question_that_cannot_be_answered_is_a_usage_error(
    sites: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    assert invoke(monkeypatch, sites, "search", *arguments).exit_code == 2


def test_a_beginning_that_is_too_short_is_said_to_be(
    sites: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "z* is too short" in invoke(monkeypatch, sites, "search", "z*").output


def test_a_body_is_found_however_it_is_capitalised(sites: Path) -> None:
    body = search(sites, Query("council")).hits[0].body

    assert search(sites, Query("council", body=body.upper())).total > 0


def test_a_date_that_is_none_is_a_usage_error(sites: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = invoke(monkeypatch, sites, "search", "zoning", "--from", "soon")

    assert result.exit_code == 2
    assert "'soon' is not a date" in result.stderr


def invoke(monkeypatch: pytest.MonkeyPatch, sites: Path, *arguments: str, color: bool = False):  # type: ignore[no-untyped-def]
    from click.testing import CliRunner

    from clerk.cli import cli

    monkeypatch.setenv("STORAGE_DIR", str(sites))
    return CliRunner().invoke(cli, arguments, color=color)
