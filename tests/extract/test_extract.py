"""What an extraction promises, whatever the text: offsets, names, pages, speed, the same answer."""

from __future__ import annotations

import time
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clerk.core.errors import EmptyDocument
from clerk.extract import (
    BALLOTS,
    RESULTS,
    VERSION,
    Vote,
    extract_document,
    extract_site,
    extract_text,
    extract_whole,
)
from clerk.extract.documents import cache_of
from clerk.extract.entities import TYPES
from clerk.extract.text import normalise

MINUTES = """TOWN OF ALDERBURY - Board of Trustees - May 4, 2031
Present: Moss, Nye, Ortiz, Penn
1. Minutes
Trustee Moss moved to approve the minutes of April 6, 2031. Trustee Nye seconded.
AYES: Moss, Nye, Ortiz, Penn
NOES: None
Motion carried.
"""

#: Words that minutes are made of, so that random text comes near to sense.
VOCABULARY = """
    motion moved seconded by carried failed AYES: NOES: None Smith, Jones Mr. Mrs. and to approve
    the minutes vote 5-0 unanimously ROLL CALL: yes no, abstain withdrew second RESULT: PASSED
    MOVER: SECONDER: (Y-4) M/S Grant/Hurst MSC . ; : amendment Councilmember van Resolution 2031-04
    was $1,200 All in favor lack of a
"""
WORDS = st.sampled_from([*VOCABULARY.split(), "\n", "\n\n", "\f", "   "])
SENSE = st.lists(WORDS, max_size=60).map(" ".join)
ANY_TEXT = st.one_of(st.text(max_size=300), SENSE)


def all_names(vote: Vote) -> list[str]:
    people = [vote.mover, vote.seconder]
    people += [name for kind in BALLOTS for name in getattr(vote, kind)]
    return [name for name in people if name]


@given(st.lists(ANY_TEXT, min_size=1, max_size=4))
@settings(max_examples=300, deadline=None)
def test_every_offset_slices_to_its_quote(pages: list[str]) -> None:
    text = "\f".join(pages)

    found = extract_text(pages)

    for vote in found.votes:
        assert text[vote.start : vote.end] == vote.quote != ""
        assert vote.page is not None
        assert pages[vote.page - 1][vote.page_start : vote.page_end] in vote.quote
    for entity in found.entities:
        assert text[entity.start : entity.end] == entity.text != ""


@given(st.lists(ANY_TEXT, min_size=1, max_size=3))
@settings(max_examples=300, deadline=None)
def test_every_name_is_printed_in_the_document(pages: list[str]) -> None:
    printed = normalise(pages).text.split()

    for vote in extract_text(pages).votes:
        for name in all_names(vote):
            assert all(any(word in each for each in printed) for word in name.split())


@given(st.lists(ANY_TEXT, min_size=1, max_size=3))
@settings(max_examples=200, deadline=None)
def test_the_same_pages_give_the_same_answer_in_known_words(pages: list[str]) -> None:
    found = extract_text(pages)

    assert extract_text(pages) == found
    assert {vote.result for vote in found.votes} <= set(RESULTS)
    assert {entity.type for entity in found.entities} <= set(TYPES)
    assert all(0 < vote.confidence < 1 for vote in found.votes)


@given(st.lists(ANY_TEXT, min_size=1, max_size=4))
@settings(max_examples=200, deadline=None)
def test_normalising_moves_no_character(pages: list[str]) -> None:
    document = normalise(pages)

    assert len(document.text) == len(document.lower) == len(document.original)
    assert document.original == "\f".join(pages)


@pytest.mark.parametrize(
    "piece",
    [
        " ",
        "\n",
        "a",
        "A ",
        "Smith, ",
        "motion ",
        "moved by ",
        "AYES: ",
        "AYES:\n",
        "no, ",
        "Smith, yes; ",
        "(",
        "5-",
        "12/",
        "motion \n ",
        "seconded by          ",
        "Mr. ",
        "van ",
        "vote ",
        "RESULT:\n",
        "the motion to amend ",
        "\u0130",
        "$1,",
        "May 4, ",
        "1 North ",
        "Board of ",
        "5 no ",
        "Yes No\n",
        "(Smith/Jones) ",
        "Smith voted aye, ",
        "Y-Smith, ",
        "on the main motion ",
        "Motion by Smith. ",
        "Yes  No\nSmith X\n",
    ],
)
def test_time_grows_with_the_text_and_not_faster(piece: str) -> None:
    def seconds(size: int) -> float:
        text = piece * (size // len(piece))
        began = time.process_time()
        extract_text([text])
        return time.process_time() - began

    small = max(seconds(10_000), 0.02)

    assert min(seconds(80_000) for _ in range(3)) < 40 * small


def test_pages_come_from_form_feeds_or_marks_or_are_unknown() -> None:
    marked = "--- PAGE 3 ---\nfoo\n--- PAGE 4 ---\n" + MINUTES

    assert extract_whole("first page\f" + MINUTES).votes[0].page == 2
    assert extract_whole(marked).votes[0].page == 4
    assert extract_whole(MINUTES).votes[0].page is None


def test_a_page_footer_inside_the_block_is_passed_over() -> None:
    pages = [
        "Minutes of the Town Council  Page 1 of 2\nMotion by Moss, second by Nye to pay the bills."
        "\nThe motion carried by the following vote:\nAYES: Moss, Nye,\n",
        "Minutes of the Town Council  Page 2 of 2\nOrtiz\nNOES: Penn\n",
    ]

    (vote,) = extract_text(pages).votes

    assert (vote.ayes, vote.noes) == (["Moss", "Nye", "Ortiz"], ["Penn"])


def test_a_lost_comma_and_a_misspelt_name_are_mended_from_the_attendance_and_flagged() -> None:
    text = """Present: Anderson, Bouvier, Castellano
Motion by Andersen, seconded by Bouvier to adjourn. The motion carried:
AYES: Anderson, Bouvier Castellano
NOES: None
"""

    (vote,) = extract_text([text]).votes

    assert vote.mover == "Anderson"
    assert vote.ayes == ["Anderson", "Bouvier", "Castellano"]
    assert {"missing_comma", "name_typo"} <= set(vote.flags)


def test_contradictions_are_kept_and_flagged() -> None:
    text = """Motion by Alvarez, seconded by Alvarez, to adjourn. The motion carried 4-0.
AYES: Alvarez, Brandt, Chan
NOES: Chan
"""

    (vote,) = extract_text([text]).votes

    assert vote.ayes == ["Alvarez", "Brandt", "Chan"]
    assert vote.noes == ["Chan"]
    assert {"mover_equals_seconder", "source_contradiction", "tally_mismatch"} <= set(vote.flags)


def test_unanimously_names_nobody() -> None:
    text = "Present: Alvarez, Brandt, Chan\nMotion by Brandt, second by Chan. Carried unanimously."

    (vote,) = extract_text([text]).votes

    assert vote.unanimous
    assert vote.ayes == []


def test_the_vote_decides_nothing_that_is_not_printed() -> None:
    text = "Motion by Brandt, second by Chan to levy a tax.\nAYES: Brandt, Chan\nNOES: Dole\n"

    (vote,) = extract_text([text]).votes

    assert vote.result == "unknown"
    assert vote.tally == {"yes": 2, "no": 1}


def test_entities_are_found_with_their_values() -> None:
    text = """On May 4, 2031 Mayor Ann Brandt signed Ordinance No. 31-07 and Resolution 2031-12.
The Planning Commission of Alderbury paid $1.2 million and $3,450.50 for 12 North Elm Street.
City Manager Chan spoke on HB 1234; Dora Dole, Finance Director, agreed on 6/1/2031."""

    found = {(each.type, each.value, each.role) for each in extract_text([text]).entities}

    assert {
        ("date", "2031-05-04", None),
        ("date", "2031-06-01", None),
        ("person", "Ann Brandt", "Mayor"),
        ("person", "Chan", "City Manager"),
        ("person", "Dora Dole", "Finance Director"),
        ("ordinance", "31-07", None),
        ("resolution", "2031-12", None),
        ("bill", "HB1234", None),
        ("body", "Planning Commission of Alderbury", None),
        ("money", "1200000.0 USD", None),
        ("money", "3450.50 USD", None),
        ("address", "12 North Elm Street", None),
    } <= found


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
    }
