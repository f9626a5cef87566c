"""``clerk versions`` and the page of a document: every version is kept and can be compared."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from small_pdfs import picture_of, printed, scanned

from clerk.core.files import pack_text

DOCUMENT = "minutes/Council/2024-01-15"


APPROVED = printed(["Minutes of the Council", "APPROVED", "Adjourned"])


@pytest.fixture(scope="module")
def replaced(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A site whose draft minutes were replaced: its storage, and the file of its only document."""
    folder = tmp_path_factory.mktemp("replaced")
    file = folder / "source" / "Council" / "minutes 2024-01-15.pdf"
    file.parent.mkdir(parents=True)
    (folder / "sites").mkdir()

    def clerk(*command: str) -> None:
        variables = os.environ | {"STORAGE_DIR": str(folder / "sites")}
        subprocess.run([sys.executable, "-m", "clerk", *command], env=variables, check=True)

    file.write_bytes(printed(["Minutes of the Council", "DRAFT", "Adjourned"]))
    clerk("site", "add", "springfield", "--from", str(folder / "source"))
    clerk("run", "--quiet", "springfield")
    file.write_bytes(APPROVED)
    clerk("run", "--quiet", "springfield")
    return folder / "sites", file


@pytest.fixture
def town(storage: Path, replaced: tuple[Path, Path]) -> Path:
    """A site whose draft minutes were replaced; returns the file of its only document."""
    made, file = replaced
    shutil.copytree(made, storage, dirs_exist_ok=True, symlinks=True)
    file.write_bytes(APPROVED)
    return file


def test_the_versions_of_a_document_are_listed_and_compared(town, clerk):
    listed = json.loads(clerk("versions", "springfield", DOCUMENT, "--json").out)
    said = clerk("versions", "springfield", DOCUMENT, "--diff")

    assert [(each["number"], each["is_current"]) for each in listed] == [(1, False), (2, True)]
    assert "-DRAFT" in said.out.splitlines() and "+APPROVED" in said.out.splitlines()
    assert "Minutes of the Council" in said.out and said.code == 0
    assert "no version 7" in clerk("versions", "springfield", DOCUMENT, "--diff", "--new", "7").err
    assert clerk("versions", "springfield", "minutes/Council/1999-01-01").code == 1


def test_the_page_of_a_document_shows_its_versions_and_what_changed(town):
    from web_town import Browser

    from clerk.ops.web_sessions import VIEWER

    address = f"/ops/sites/springfield/documents/{DOCUMENT}"
    page = Browser(VIEWER).get(address).text
    compared = Browser(VIEWER).get(f"{address}?new=2").text

    assert "Compare with the one before" in page and "+APPROVED" not in page
    assert "-DRAFT" in compared and "+APPROVED" in compared
    assert Browser(VIEWER).get(f"{address}?new=9").status_code == 400


def test_earlier_versions_are_searched_with_the_whole_query_language(town, clerk):
    def found(query: str) -> list[tuple[int, bool, int]]:
        said = clerk("versions", "springfield", DOCUMENT, "--search", query, "--json")
        return [
            (each["version"]["number"], each["version"]["is_current"], each["page"])
            for each in json.loads(said.out)
        ]

    assert found("draft") == [(1, False, 1)]
    assert found("approved") == [(2, True, 1)]
    assert found("council") == found("minutes OR nothing") == [(1, False, 1), (2, True, 1)]
    assert found('"draft adjourned"') == found("adjourn -approved") == [(1, False, 1)]
    assert found("body:council draft*") == [(1, False, 1)]
    assert found("elephant") == found("kind:agenda draft") == []
    said = clerk("versions", "springfield", DOCUMENT, "--search", "draft")
    assert "former version), page 1" in said.out and "DRAFT" in said.out
    mistake = clerk("versions", "springfield", DOCUMENT, "--search", '"draft')
    assert (mistake.code, "quotation mark" in mistake.err) == (2, True)


def test_the_text_of_a_former_version_is_kept_and_its_own(town, clerk, storage):
    versions = storage / "springfield" / "_clerk" / "versions"
    (kept,) = versions.glob("*.text")
    assert kept.with_suffix(".pdf").is_file()

    # Without the file, or with a damaged one or that of other bytes, the PDF is read again.
    for spoil in (kept.unlink, lambda: kept.write_bytes(b"?"), lambda: _other_text(town, kept)):
        spoil()
        said = clerk("versions", "springfield", DOCUMENT, "--search", "draft OR approved", "--json")
        found = [(each["version"]["number"], each["page"]) for each in json.loads(said.out)]
        assert found == [(1, 1), (2, 1)]


def _other_text(town: Path, kept: Path) -> None:
    """Put the text of the present bytes in the place of the former one."""
    text = next(kept.parents[2].glob("txt/*/*"))
    kept.write_bytes(zlib.compress(pack_text(text)))


def test_readers_search_earlier_versions_of_a_document(town):
    from web_town import Browser, identity

    reader, address = Browser(), f"/d/{identity(DOCUMENT)}"
    now = reader.get(f"{address}?q=draft").text
    all_versions = reader.get(f"{address}?q=draft&versions=1").text
    nowhere = reader.get(f"{address}?q=elephant&versions=1").text

    assert "also in earlier versions" in now and "<mark>DRAFT</mark>" not in now
    assert "Found on 0 pages." in all_versions
    assert f'{address}/changes?version=2">Former version of' in all_versions
    assert "<mark>DRAFT</mark>" in all_versions
    assert "No earlier version contains it." in nowhere
    assert "quotation mark" in reader.get(f"{address}?q=%22draft&versions=1").text
    assert reader.get(f"{address}?q=draft&versions=2").status_code == 400


def test_readers_see_what_changed_on_the_meeting_and_its_document(town):
    from web_town import Browser, identity

    reader, document = Browser(), identity(DOCUMENT)
    meeting = reader.get(f"/d/{document}/meeting", follow_redirects=True).text
    changes = reader.get(f"/d/{document}/changes").text

    for page in (meeting, reader.get(f"/d/{document}").text):
        assert f'href="/d/{document}/changes">2 versions: what changed' in page
    assert "removed: </span>DRAFT</del>" in changes and "added: </span>APPROVED</ins>" in changes
    assert "<li>Adjourned</li>" in changes and "gap" not in changes, "nothing is left out"
    assert reader.get(f"/d/{document}/changes?version=3").status_code == 400


def test_a_scan_is_not_shown_as_if_all_its_text_had_been_removed(town, clerk):
    from web_town import Browser, identity

    lines = ["Minutes of the Council", "APPROVED AND SIGNED", "Adjourned"]
    town.write_bytes(scanned(picture_of(lines)))
    clerk("run", "springfield")
    changes = Browser().get(f"/d/{identity(DOCUMENT)}/changes").text

    assert "is a scan, whose text is not compared here" in changes
    assert "<del>" not in changes and "<ins>" not in changes
