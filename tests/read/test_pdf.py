"""Opening PDFs, their text layer with boxes, and pictures of pages."""

from __future__ import annotations

import os
import re
import zlib

import hostile_pdfs as hostile
import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_pdfs import (
    LINES,
    picture_of,
    printed,
    scanned,
    stored_sideways,
    text_at,
    turned,
    white,
    written,
)

from clerk.core.errors import DocumentTooLarge, EmptyDocument, EncryptedPdf, UnreadablePdf
from clerk.read import pdf, pdf_text
from clerk.read.files import UNIT
from tools.pdf_writer import PdfWriter


@pytest.fixture
def letter(tmp_path):
    return written(tmp_path / "letter.pdf", printed(LINES))


def first_layer(path):
    with pdf.opened(path) as document:
        return document.text_layer(1)


def first_picture(path, dpi=100, megapixels=40):
    with pdf.opened(path) as document, document.page(1) as page:
        return page.render(dpi, megapixels)


def boxes_of(layer):
    return [tuple(layer.boxes[at : at + 4]) for at in range(0, len(layer.boxes), 4)]


def ink_outside(image, boxes):
    """The share of the dark pixels of a picture that no box covers."""
    ink = image.array() < 100
    outside = ink.copy()
    for left, top, right, bottom in boxes:
        rows = slice(top * image.height // UNIT, bottom * image.height // UNIT + 2)
        columns = slice(left * image.width // UNIT, right * image.width // UNIT + 2)
        assert ink[rows, columns].any()
        outside[rows, columns] = False
    return outside.sum() / ink.sum()


def test_the_text_layer_is_the_text_with_a_box_for_each_word(letter):
    layer = first_layer(letter)

    assert layer.text.splitlines() == list(LINES)
    assert len(boxes_of(layer)) == len(layer.text.split())
    for left, top, right, bottom in boxes_of(layer):
        assert 0 <= left < right <= UNIT
        assert 0 <= top < bottom <= UNIT


@pytest.mark.parametrize("degrees", [0, 90, 180, 270])
def test_boxes_lie_on_the_words_however_the_page_is_turned(tmp_path, degrees):
    path = written(tmp_path / "turned.pdf", turned(printed(LINES), degrees))

    layer, (image, _) = first_layer(path), first_picture(path)

    assert sorted(layer.text.splitlines()) == sorted(LINES)
    assert (image.width > image.height) == (degrees in (90, 270))
    assert ink_outside(image, boxes_of(layer)) < 0.01


def test_a_page_stored_sideways_is_read_upright(tmp_path):
    path = written(tmp_path / "sideways.pdf", stored_sideways(printed(LINES)))

    layer, (image, _) = first_layer(path), first_picture(path)

    assert layer.text.splitlines() == list(LINES)
    assert (image.width, image.height) == (850, 1100)
    assert ink_outside(image, boxes_of(layer)) < 0.01


def test_a_hyphen_at_the_end_of_a_line_stays_and_both_halves_have_boxes(tmp_path):
    lines = ("The treasurer spoke about the muni-", "cipal budget of this year.")
    layer = first_layer(written(tmp_path / "hyphen.pdf", printed(lines)))

    assert "muni-\ncipal" in layer.text
    assert len(boxes_of(layer)) == len(layer.text.split()) == 11


def units(text):
    return numpy.frombuffer(text.encode("utf-16-le", "surrogatepass"), numpy.uint16)


def test_letters_outside_of_the_first_plane_keep_words_and_boxes_in_step():
    text, ends = pdf_text.text_and_word_ends(units("ab \U0001f600c d\ufffee"))

    assert ends == [0, 1, 3, 5, 7, 8, 9, 9]
    assert pdf_text.tidy(text).split() == ["ab", "\U0001f600c", "d-", "e"]


@given(
    st.text(
        st.characters(categories=None) | st.sampled_from("\ufffe \r\n\x85\x1c\u2028"), min_size=1
    )
)
def test_any_text_has_as_many_boxes_as_words(raw):
    text, ends = pdf_text.text_and_word_ends(units(raw))

    assert len(ends) == 2 * len(pdf_text.tidy(text).split())
    assert ends == sorted(ends)
    assert not re.search("[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff]", text)


@pytest.mark.parametrize(
    ("content", "error", "says"),
    [
        (b"", EmptyDocument, "0 bytes"),
        (b"<html>Not found</html>" * 80, UnreadablePdf, "not a PDF"),
        (b"%PDF-1.4\nnothing to see here", UnreadablePdf, "damaged"),
        (printed(LINES)[:-400], UnreadablePdf, "truncated"),
        (hostile.encrypted_with_a_password(), EncryptedPdf, "password"),
    ],
    ids=["zero bytes", "not a PDF", "damaged", "truncated", "encrypted"],
)
def test_a_bad_file_is_refused_by_name_and_reason(tmp_path, content, error, says):
    path = written(tmp_path / "Bad é.pdf", content)

    with pytest.raises(error, match=says) as caught, pdf.opened(path):
        pass
    assert str(path) in str(caught.value)


def test_a_missing_file_is_refused_by_name(tmp_path):
    with pytest.raises(UnreadablePdf, match=r"gone\.pdf"), pdf.opened(tmp_path / "gone.pdf"):
        pass


def test_documents_beyond_a_limit_are_refused_with_the_setting_to_raise(tmp_path):
    path = written(tmp_path / "three.pdf", printed(LINES, LINES, LINES))

    with pytest.raises(DocumentTooLarge, match="3 pages") as caught, pdf.opened(path, max_pages=2):
        pass
    assert "MAX_DOCUMENT_PAGES" in caught.value.hint
    with pytest.raises(DocumentTooLarge, match="MB"), pdf.opened(path, max_megabytes=0):
        pass


def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.pdf")

    with pytest.raises(EmptyDocument, match=r"pipe\.pdf"), pdf.opened(tmp_path / "pipe.pdf"):
        pass


def test_a_large_file_is_read_like_a_small_one(tmp_path, letter):
    large = written(tmp_path / "large.pdf", letter.read_bytes() + b"%" * 9_000_000)

    assert first_layer(large) == first_layer(letter)


def test_a_file_that_is_overwritten_while_it_is_open_is_read_as_it_was(letter):
    before = first_layer(letter)

    with pdf.opened(letter) as document:
        letter.write_bytes(b"%PDF-")
        assert document.text_layer(1) == before


def test_junk_after_the_end_does_no_harm(tmp_path):
    path = written(tmp_path / "junk.pdf", printed(LINES) + b"\n<!-- served by -->\n" * 200)

    assert LINES[0] in first_layer(path).text


def test_a_picture_has_the_resolution_asked_for(letter):
    image, dpi = first_picture(letter, dpi=100)

    assert (image.width, image.height, dpi) == (850, 1100, 100)
    assert len(image.pixels) == 850 * 1100


def test_a_huge_page_is_rendered_within_the_budget_of_pixels(tmp_path):
    writer = PdfWriter()
    writer.add_page(text_at(LINES, top=14_000, size=300), size=(14_400, 14_400))
    path = written(tmp_path / "huge.pdf", writer.getvalue())

    image, dpi = first_picture(path, dpi=200, megapixels=5)

    assert image.width * image.height <= 5_000_000
    assert 10 <= dpi < 20


def test_a_scan_placed_a_pixel_to_the_point_is_not_blown_up(tmp_path):
    size = (1700.0, 2200.0)
    path = written(tmp_path / "points.pdf", scanned(picture_of(LINES, 200), size=size))

    image, dpi = first_picture(path, dpi=200)

    assert (image.width, image.height, dpi) == (1700, 2200, 72)


def test_what_a_page_shows(tmp_path, letter):
    empty = PdfWriter()
    empty.add_page()
    shown = {
        "letter": letter,
        "scan": written(tmp_path / "scan.pdf", scanned(picture_of(LINES))),
        "nothing": written(tmp_path / "nothing.pdf", empty.getvalue()),
    }

    answers = {}
    for name, path in shown.items():
        with pdf.opened(path) as document, document.page(1) as page:
            answers[name] = (page.is_empty(), page.shows_more(), page.is_scan())

    assert answers == {
        "letter": (False, False, False),
        "scan": (False, True, True),
        "nothing": (True, False, False),
    }


def test_a_picture_that_cannot_be_decoded_is_known(tmp_path):
    whole = scanned(white((400, 500)))
    start = whole.index(b"\xff\xd8")
    broken = whole[:start] + b"\x00" * 200 + whole[start + 200 :]

    for content, expected in ((whole, False), (broken, True)):
        path = written(tmp_path / "picture.pdf", content)
        with pdf.opened(path) as document, document.page(1) as page:
            assert page.has_broken_picture() is expected


def page_with(packed: bytes, entries: bytes = b"/Filter /FlateDecode") -> bytes:
    return hostile.one_page(hostile.stream(packed, entries))


def shows_nothing(path):
    with pdf.opened(path) as document, document.page(1) as page:
        return page.is_empty()


SHOWN = b"".join(
    b"BT /F 12 Tf 72 %d Td (Line %d: %d dollars.) Tj ET\n" % (720 - 14 * line, line, 3**line)
    for line in range(40)
)
PACKED = zlib.compress(SHOWN, 9)


def with_one_bit_flipped(content: bytes, place: int) -> bytes:
    return content[:place] + bytes([content[place] ^ 16]) + content[place:][1:]


@pytest.mark.parametrize("place", range(2, len(PACKED), 11))
def test_text_with_a_flipped_bit_is_refused_instead_of_altered_or_cut_short(tmp_path, place):
    path = written(tmp_path / "damaged.pdf", page_with(with_one_bit_flipped(PACKED, place)))

    with pytest.raises(UnreadablePdf, match="the content of page 1 is damaged"):
        first_layer(path)
    with pytest.raises(UnreadablePdf, match="the content of page 1 is damaged"):
        first_picture(path)


def test_damage_is_blamed_on_its_page_alone(tmp_path):
    whole = printed(LINES, LINES, LINES)
    second = whole.index(b"\nstream\n", whole.index(b"endstream")) + 40
    path = written(tmp_path / "second.pdf", with_one_bit_flipped(whole, second))

    with pdf.opened(path) as document:
        for number in (1, 3):
            assert document.text_layer(number).text.split()
        with pytest.raises(UnreadablePdf, match="page 2 is damaged"):
            document.text_layer(2)


@pytest.mark.parametrize(
    "content",
    [
        page_with(zlib.compress(b"")),
        page_with(zlib.compress(b"q 1 0 0 1 0 0 cm 0 0 612 792 re W n Q\n")),
        page_with(b"q Q\n", b""),
        page_with(b"", b""),
        page_with(zlib.compress(zlib.compress(b"q Q\n")), b"/Filter [/FlateDecode /FlateDecode]"),
        hostile.build(
            [
                b"<< /Type /Catalog /Pages 2 0 R >>",
                b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
                b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] >>",
            ]
        ),
    ],
    ids=["nothing", "a clip", "not packed", "no bytes", "packed twice", "no content"],
)
def test_a_page_that_is_meant_to_be_blank_is_not_taken_for_damaged(tmp_path, content):
    assert shows_nothing(written(tmp_path / "blank.pdf", content))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (hostile.damaged_contents(), "invalid"),
        (page_with(zlib.compress(b"q /Scan Do Q\n")), "its content is missing"),
        (page_with(PACKED, b"/Fi1ter /FlateDecode"), "no instructions"),
        (page_with(PACKED, b"/Filter /FlateDgcode"), "no instructions"),
    ],
    ids=["noise", "no picture", "no filter", "no such filter"],
)
def test_a_page_that_lost_its_content_is_not_taken_for_blank(tmp_path, content, says):
    path = written(tmp_path / "lost.pdf", content)

    with pytest.raises(UnreadablePdf, match=says):
        shows_nothing(path)


def test_a_program_that_never_writes_a_right_checksum_is_forgiven(tmp_path):
    whole = printed(LINES, LINES)
    for packed in re.findall(rb"/FlateDecode >>\nstream\n(.*?)\nendstream", whole, re.DOTALL):
        whole = whole.replace(packed, with_one_bit_flipped(packed, -1))

    assert first_layer(written(tmp_path / "checksums.pdf", whole)).text.splitlines() == list(LINES)
