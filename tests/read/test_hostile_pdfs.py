"""The makers of hostile PDFs make what they say."""

from __future__ import annotations

import zlib

import hostile_pdfs as hostile
import pypdfium2
import pytest
from hostile_pdfs import EITHER, FAILED, MAKERS, PASSWORD, PHRASE, READ

from tools.rendering import render_page

MEGABYTE = 1_000_000


def text_of(pdf: bytes, password: str | None = None) -> str:
    """The text layer of the first page."""
    with pypdfium2.PdfDocument(pdf, password=password) as document:
        return document[0].get_textpage().get_text_range()


def page_count(pdf: bytes) -> int:
    with pypdfium2.PdfDocument(pdf) as document:
        return len(document)


def test_every_file_is_written_under_its_own_name_and_the_same_each_time(tmp_path, capsys):
    once = hostile.make_all(tmp_path / "once")
    assert hostile.main([str(tmp_path / "again")]) == 0

    assert len(capsys.readouterr().out.splitlines()) == len({path for path, _ in once}) > 60
    for path, _ in once:
        assert path.read_bytes() == (tmp_path / "again" / path.name).read_bytes()
    assert sum(path.stat().st_size for path, _ in once) < 20 * MEGABYTE


def test_by_hand_one_folder_is_wanted(capsys):
    assert hostile.main([]) == 2
    assert "FOLDER" in capsys.readouterr().err


def test_every_maker_says_what_it_makes_and_what_to_expect():
    assert all(maker.make.__doc__ for maker in MAKERS)
    assert {maker.expectation.outcome for maker in MAKERS} == {READ, FAILED, EITHER}
    assert all(m.expectation.outcome == FAILED for m in MAKERS if m.expectation.error)


@pytest.mark.parametrize(
    "maker",
    [
        hostile.ordinary,
        hostile.junk_before_the_first_line,
        hostile.junk_after_the_last_line,
        hostile.encrypted_without_a_password,
        hostile.two_hundred_inch_page,
        hostile.text_without_spaces,
        hostile.javascript_and_attachment,
        hostile.blank_page_among_others,
    ],
)
def test_files_to_be_read_carry_the_phrase(maker):
    assert PHRASE in " ".join(text_of(maker()).split())


@pytest.mark.parametrize(
    "maker",
    [
        hostile.header_over_a_scan,
        hostile.garbage_under_a_scan,
        hostile.text_in_private_letters,
        hostile.text_in_shifted_letters,
        hostile.scan_turned_on_its_side,
    ],
)
def test_text_layers_that_lie_do_not_carry_the_phrase(maker):
    assert "bandstand" not in text_of(maker())


def test_private_letters_are_private():
    letters = "".join(text_of(hostile.text_in_private_letters()).split())

    assert all("\ue000" <= letter <= "\uf8ff" for letter in letters)


def test_the_encrypted_file_opens_with_its_password_only():
    locked = hostile.encrypted_with_a_password()

    assert PHRASE in text_of(locked, PASSWORD.decode())
    with pytest.raises(pypdfium2.PdfiumError, match="password"):
        pypdfium2.PdfDocument(locked)


def test_there_are_a_hundred_thousand_pages():
    assert page_count(hostile.a_hundred_thousand_pages()) == 100_000
    assert page_count(hostile.one_page_listed_a_hundred_thousand_times()) == 100_000


@pytest.mark.parametrize("maker", [hostile.two_hundred_inch_page, hostile.two_hundred_inch_scan])
def test_the_page_is_two_hundred_inches_wide(maker):
    with pypdfium2.PdfDocument(maker()) as document:
        assert document[0].get_size() == (200 * 72, 200 * 72)


@pytest.mark.parametrize(
    "maker",
    [
        maker
        for maker in MAKERS
        if maker.name.startswith("truncated_at_") or maker.name in ("zero_pages", "zero_bytes")
    ],
    ids=lambda maker: maker.name,
)
def test_what_cannot_be_opened_is_not_opened(maker):
    with pytest.raises(pypdfium2.PdfiumError):
        pypdfium2.PdfDocument(maker.make())


def test_some_pages_are_promised_and_missing():
    for pdf in (
        hostile.truncated_after_the_first_page(),
        hostile.more_pages_promised_than_there_are(),
    ):
        assert PHRASE in text_of(pdf)
        with pypdfium2.PdfDocument(pdf) as document, pytest.raises(pypdfium2.PdfiumError):
            document[len(document) - 1]


@pytest.mark.parametrize("maker", [hostile.damaged_contents, hostile.damaged_image])
def test_a_damaged_page_looks_blank(maker):
    assert text_of(maker()) == ""
    assert render_page(maker(), 0, dpi=30).getextrema() == (255, 255)


def test_a_repeated_stream_unpacks_to_its_unit_many_times():
    assert zlib.decompress(hostile.repeated(b"bandstand", 1000)) == b"bandstand" * 1000


def test_a_bomb_is_small_and_unpacks_to_a_gigabyte():
    pdf = hostile.bomb_of_nothing()
    _, _, rest = pdf.partition(b"/FlateDecode /FlateDecode]")
    packed = zlib.decompressobj().decompress(rest.partition(b"stream\n")[2])

    assert len(pdf) < 10_000
    assert unpacked_bytes(packed) == 1 << 30


def unpacked_bytes(packed: bytes) -> int:
    """Count what a Flate stream unpacks to, a piece at a time."""
    unpacker, total, rest = zlib.decompressobj(), 0, packed
    while not unpacker.eof:
        piece = unpacker.decompress(rest, 1 << 22)
        total, rest = total + len(piece), unpacker.unconsumed_tail
    return total
