"""``clerk.open()``: what other programs may rely on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from small_sites import SITE, compile_folder, vote, write_found, write_text

import clerk
from clerk.core.errors import DocumentError, NotFound
from clerk.search import QueryError

JANUARY, MARCH = "minutes/CityCouncil/2024-01-15", "minutes/CityCouncil/2023-03-20"


@pytest.fixture
def towns(tmp_path: Path) -> clerk.Library:
    folder = tmp_path / "springfield"
    for name, voters in ((JANUARY, ["Lee", "Wu"]), (MARCH, ["Lee"])):
        pages = ["The budget was discussed.", "Lee moved to adopt the budget."]
        document = write_text(folder, name, pages)
        write_found(folder, document, pages, [vote(2, ayes=voters)])
    write_text(folder, "agendas/CityCouncil/2024-01-15", ["Call to order"])
    compile_folder(folder, SITE)
    (tmp_path / "_clerk").mkdir(exist_ok=True)
    (tmp_path / "not-compiled").mkdir()
    return clerk.open(tmp_path)


def test_only_compiled_sites_are_listed(towns: clerk.Library) -> None:
    assert towns.sites() == ["springfield"]


def test_without_an_argument_the_storage_directory_of_the_settings_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STORAGE_DIR", str(tmp_path))

    assert clerk.open().storage == tmp_path


def test_a_search_is_continued_by_its_cursor(towns: clerk.Library) -> None:
    first = towns.search("budget", limit=1, sort="newest")
    second = towns.search("budget", limit=1, sort="newest", after=first.cursor)

    assert (first.total, first.documents) == (4, 2)
    assert [hit.document for hit in (first.hits[0], second.hits[0])] == [JANUARY, MARCH]


def test_a_search_in_a_place_that_does_not_exist_is_not_an_empty_answer(
    towns: clerk.Library,
) -> None:
    assert towns.search("weathervane").total == 0
    with pytest.raises(NotFound, match="atlantis"):
        towns.search("budget", site="atlantis")
    with pytest.raises(NotFound, match="Zoning"):
        towns.search("budget", body="Zoning")
    with pytest.raises(QueryError, match="quotation mark is missing"):
        towns.search('"budget')


def test_documents_are_listed_newest_first_and_selected(towns: clerk.Library) -> None:
    minutes = towns.documents("springfield", kind="minutes")

    assert [each.name for each in minutes] == [JANUARY, MARCH]
    assert [each.name for each in towns.documents("springfield", year="2023")] == [MARCH]
    with pytest.raises(NotFound):
        towns.documents("atlantis")


def test_a_document_has_its_text_by_page(towns: clerk.Library) -> None:
    document = towns.document("springfield", JANUARY)

    assert document.text == "The budget was discussed.\fLee moved to adopt the budget."
    assert [page.text for page in document.pages] == document.text.split("\f")
    assert (document.facts.date, document.facts.kind) == ("2024-01-15", "minutes")
    with pytest.raises(NotFound):
        towns.document("springfield", "minutes/CityCouncil/1999-01-01")


def test_votes_are_selected_by_year_voter_and_result(towns: clerk.Library) -> None:
    assert [each.document for each in towns.votes("springfield")] == [JANUARY, MARCH]
    assert [each.document for each in towns.votes("springfield", year="2023")] == [MARCH]
    assert [each.document for each in towns.votes("springfield", member="Wu")] == [JANUARY]
    assert towns.votes("springfield", result="failed") == []


def test_pages_and_one_text_are_extracted_alike(towns: clerk.Library) -> None:
    pages = ["Present: Lee, Wu.", "Motion by Lee, seconded by Wu, to adopt. Carried 5-0."]

    from_pages, from_text = towns.extract(pages), towns.extract("\f".join(pages))

    assert from_pages.votes == from_text.votes
    assert [(each.mover, each.page) for each in from_pages.votes] == [("Lee", 2)]


def test_a_file_that_cannot_be_read_is_an_error_that_names_it(
    towns: clerk.Library, tmp_path: Path
) -> None:
    (tmp_path / "broken.pdf").write_bytes(b"not a PDF")

    with pytest.raises(DocumentError, match=r"broken\.pdf"):
        towns.read(tmp_path / "broken.pdf", ocr="never")


def test_importing_clerk_loads_nothing_until_it_is_used() -> None:
    code = "import sys, clerk; print('clerk.library' in sys.modules, 'click' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert ran.stdout.split() == ["False", "False"]
    with pytest.raises(AttributeError, match="no attribute 'close'"):
        clerk.close  # noqa: B018
