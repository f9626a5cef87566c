"""``clerk versions`` and the page of a document: every version is kept and can be compared."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from small_pdfs import picture_of, printed, scanned

DOCUMENT = "minutes/Council/2024-01-15"


@pytest.fixture
def town(storage: Path, tmp_path: Path, clerk) -> Path:
    """A site whose draft minutes were replaced; returns the file of its only document."""
    file = tmp_path / "source" / "Council" / "minutes 2024-01-15.pdf"
    file.parent.mkdir(parents=True)
    file.write_bytes(printed(["Minutes of the Council", "DRAFT", "Adjourned"]))
    clerk("site", "add", "springfield", "--from", str(tmp_path / "source"))
    assert clerk("run", "springfield").code == 0
    file.write_bytes(printed(["Minutes of the Council", "APPROVED", "Adjourned"]))
    assert clerk("run", "springfield").code == 0
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


def test_readers_see_what_changed_on_the_meeting_and_its_document(town):
    from web_town import Browser, identity

    reader, document = Browser(), identity(DOCUMENT)
    meeting = reader.get(f"/d/{document}/meeting", follow_redirects=True).text
    changes = reader.get(f"/d/{document}/changes").text

    for page in (meeting, reader.get(f"/d/{document}").text):
        assert f'href="/d/{document}/changes">2 versions: what changed' in page
    assert "removed: </span>DRAFT</del>" in changes and "added: </span>APPROVED</ins>" in changes
    assert "<li>Adjourned</li>" in changes
    assert reader.get(f"/d/{document}/changes?version=3").status_code == 400


def test_a_scan_is_not_shown_as_if_all_its_text_had_been_removed(town, clerk):
    from web_town import Browser, identity

    lines = ["Minutes of the Council", "APPROVED AND SIGNED", "Adjourned"]
    town.write_bytes(scanned(picture_of(lines)))
    clerk("run", "springfield")
    changes = Browser().get(f"/d/{identity(DOCUMENT)}/changes").text

    assert "is a scan, whose text is not compared here" in changes
    assert "<del>" not in changes and "<ins>" not in changes
