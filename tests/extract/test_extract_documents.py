"""Documents and sites are extracted once, and again when their text or the extractor changes."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from clerk.core.errors import EmptyDocument
from clerk.extract import VERSION, extract_document, extract_site, extract_whole
from clerk.extract.documents import cache_of

MINUTES = """TOWN OF ALDERBURY - Board of Trustees - May 4, 2031
Present: Moss, Nye, Ortiz, Penn
1. Minutes
Trustee Moss moved to approve the minutes of April 6, 2031. Trustee Nye seconded.
AYES: Moss, Nye, Ortiz, Penn
NOES: None
Motion carried.
"""


def test_pages_come_from_form_feeds_or_marks_or_are_unknown() -> None:
    marked = "--- PAGE 3 ---\nfoo\n--- PAGE 4 ---\n" + MINUTES

    assert extract_whole("first page\f" + MINUTES).votes[0].page == 2
    assert extract_whole(marked).votes[0].page == 4
    assert extract_whole(MINUTES).votes[0].page is None


def write_document(folder: Path, *pages: str) -> Path:
    folder.mkdir(parents=True)
    for number, page in enumerate(pages, 1):
        (folder / f"page-{number}.txt").write_text(page, "utf-8")
    return folder


def test_a_document_is_extracted_once_while_its_text_is_the_same(tmp_path: Path) -> None:
    text = write_document(tmp_path / "2031-05-04", "cover", MINUTES)
    cache = tmp_path / "cache.json"
    first = extract_document(text, cache)
    written = cache.stat().st_mtime_ns

    again = extract_document(text, cache)

    assert again == first
    assert again.votes[0].page == 2
    assert cache.stat().st_mtime_ns == written


@pytest.mark.parametrize("damage", [b"", b"{", b'{"version": "0"}', b"\xff\xfe"])
def test_a_damaged_cache_is_made_again(tmp_path: Path, damage: bytes) -> None:
    text = write_document(tmp_path / "2031-05-04", MINUTES)
    cache = tmp_path / "cache.json"
    cache.write_bytes(damage)

    found = extract_document(text, cache)

    assert msgspec.json.decode(cache.read_bytes())["version"] == VERSION
    assert len(found.votes) == 1


def test_changed_text_is_extracted_again(tmp_path: Path) -> None:
    text = write_document(tmp_path / "2031-05-04", "nothing yet")
    cache = tmp_path / "cache.json"
    assert extract_document(text, cache).votes == []

    (text / "page-1.txt").write_text(MINUTES, "utf-8")

    assert len(extract_document(text, cache).votes) == 1


def test_ten_pages_are_read_in_their_order(tmp_path: Path) -> None:
    pages = [f"page {number}" for number in range(1, 11)]
    text = write_document(tmp_path / "doc", *pages, MINUTES)

    assert extract_document(text, tmp_path / "cache.json").votes[0].page == 11


def test_a_folder_without_pages_is_an_empty_document(tmp_path: Path) -> None:
    (tmp_path / "doc").mkdir()

    with pytest.raises(EmptyDocument):
        extract_document(tmp_path / "doc", tmp_path / "cache.json")


def test_a_site_is_extracted_whole_and_then_left_alone(tmp_path: Path) -> None:
    write_document(tmp_path / "txt" / "Council" / "2031-05-04", MINUTES)
    write_document(tmp_path / "_agendas" / "txt" / "Council" / "2031-05-04", "Agenda. $5")
    (tmp_path / "txt" / "Board").mkdir()
    (tmp_path / "txt" / "Board" / "2031-06-01.txt").write_text(MINUTES, "utf-8")
    seen: list[str] = []

    first = extract_site(tmp_path, lambda document, found: seen.append(document.name))
    second = extract_site(tmp_path)

    assert len(seen) == 3
    assert (first.extracted, first.unchanged, first.votes, first.failed) == (3, 0, 2, {})
    assert (second.extracted, second.unchanged, second.votes) == (0, 3, 2)


def test_one_unreadable_document_does_not_stop_the_others(tmp_path: Path) -> None:
    write_document(tmp_path / "txt" / "Council" / "2031-05-04", MINUTES)
    broken = write_document(tmp_path / "txt" / "Council" / "2031-05-05")
    (broken / "page-1.txt").mkdir()
    (broken / "page-1.txt" / "page-1.txt").write_text("x", "utf-8")
    (broken / "page-2.txt").write_text("x", "utf-8")

    report = extract_site(tmp_path)

    assert "minutes/Council/2031-05-05" in report.failed
    assert report.votes == 1


def test_the_cache_lies_under_the_document_name(tmp_path: Path) -> None:
    write_document(tmp_path / "txt" / "Council" / "2031-05-04", MINUTES)
    seen = []

    extract_site(tmp_path, lambda document, found: seen.append(document))

    cache = tmp_path / "_clerk" / "extracted" / "minutes" / "Council" / "2031-05-04.json"
    assert cache_of(tmp_path, seen[0]) == cache
    assert set(msgspec.json.decode(cache.read_bytes())) == {
        "version",
        "text_sha256",
        "votes",
        "entities",
        "items",
        "attendance",
        "speakers",
        "declarations",
        "matters",
    }
