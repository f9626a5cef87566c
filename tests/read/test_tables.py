"""Tables and numbers on scans: unread ink, rows, and the second look at numbers."""

from __future__ import annotations

import numpy
import pytest
from PIL import Image, ImageDraw, ImageFont

from clerk.read import ink, recognition
from clerk.read.ocr import GreyImage, OcrPage, OcrWord, Segmentation
from clerk.read.rows import in_rows
from clerk.read.tesseract import Tesseract
from clerk.read.tesseract_onnx import TesseractOnnx
from clerk.read.tesseract_onnx.second_look import _elected, with_whole_numbers

DPI = 200


def page_with(*texts: tuple[int, int, str], size=(1700, 900), rules: tuple[int, ...] = ()):
    picture = Image.new("L", size, 255)
    draw, font = ImageDraw.Draw(picture), ImageFont.load_default(size=34)
    for x, y, text in texts:
        draw.text((x, y), text, 0, font)
    for x in rules:
        draw.line((x, 60, x, size[1] - 60), 0, 3)
    return GreyImage(*size, picture.tobytes())


def word(text: str, left: int, top: int, line: int = 0, confidence: float = 0.99) -> OcrWord:
    return OcrWord(text, (left, top, left + 18 * len(text), top + 26), confidence, line, line)


def lines_of(words) -> list[str]:
    return OcrPage.of(words).text.split("\n")


class OverlooksNumbers:
    """An engine that reads only what is right of the margin, as automatic segmentation does."""

    name = "overlooks-numbers"

    def __init__(self, libtesseract: Tesseract) -> None:
        self.libtesseract = libtesseract
        self.read_places = libtesseract.read_places
        self.asked: list[Segmentation] = []

    def version(self) -> str:
        return "1"

    def available_languages(self) -> list[str]:
        return ["eng"]

    def recognise(self, image, languages, dpi):
        page = self.libtesseract.recognise(image, languages, dpi)
        return OcrPage.of([each for each in page.words if each.box[0] > 200])

    def recognise_as(self, image, languages, dpi, segmentation):
        self.asked.append(segmentation)
        return self.libtesseract.recognise_as(image, languages, dpi, segmentation)


ITEMS = [
    (80 + 70 * n, f"{n + 1}.", text)
    for n, text in enumerate(
        ("Call to order", "Roll call of members", "Approval of minutes", "Public comment")
    )
]


def test_numbers_in_the_margin_that_the_engine_overlooks_are_read():
    image = page_with(
        *[(60, y, number) for y, number, _ in ITEMS], *[(260, y, t) for y, _, t in ITEMS]
    )
    engine = OverlooksNumbers(Tesseract())

    page = recognition.recognise(engine, image, ["eng"], DPI)

    for _, number, text in ITEMS:
        assert f"{number} {text}" in page.text.split("\n")
    assert engine.asked[0] is Segmentation.ONE_COLUMN


class OnlyRecognises:
    """An engine that can do nothing but read a page, and overlooks its lower half."""

    name, version = "only-recognises", lambda self: "1"

    def available_languages(self) -> list[str]:
        return ["eng"]

    def recognise(self, image, languages, dpi):
        return OcrPage.of([word("Call", 260, 85), word("to", 340, 85), word("order", 385, 85)])


def test_confidence_falls_where_ink_is_left_unread():
    whole = page_with((255, 80, "Call to order"))
    half = page_with((255, 80, "Call to order"), (255, 400, "Roll call"))

    all_read, left = (
        recognition.recognise(OnlyRecognises(), image, ["eng"], DPI) for image in (whole, half)
    )

    assert all_read.confidence > 0.95
    assert left.confidence < 0.75


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    folder = tmp_path_factory.mktemp("networks")
    return TesseractOnnx(Tesseract(), lambda: folder)


ROWS = [
    ("Town Fund Checking", "22,420.41", "0.03%"),
    ("Insurance Reserve", "9,001.85", "0.15%"),
    ("Road and Bridge", "770,654.89", "0.02%"),
    ("Cemetery", "1,250.00", "0.11%"),
]


@pytest.mark.parametrize("skew", [0.0, 0.8])
def test_a_row_of_a_table_stays_on_one_line(engine, skew):
    cells = [
        (x, 100 + 90 * n, cell)
        for n, row in enumerate(ROWS)
        for x, cell in zip((120, 900, 1400), row, strict=True)
    ]
    image = page_with(*cells, rules=(60, 860, 1360, 1640))
    turned = Image.fromarray(image.array()).rotate(skew, fillcolor=255, resample=Image.BICUBIC)
    image = GreyImage(image.width, image.height, turned.tobytes())

    lines = recognition.recognise(engine, image, ["eng"], DPI).text.split("\n")

    for row in ROWS:
        assert any(all(cell in line for cell in row) for line in lines), (row, lines)


def test_two_columns_of_prose_stay_columns():
    left, right = (
        "the council met in the town hall at seven",
        "members of the public were then heard",
    )
    words = []
    for column, (x, text) in enumerate(((60, left), (1300, right))):
        for number in range(4):
            at = x
            for part in text.split():
                words.append(word(part, at, 100 + 40 * number, line=10 * column + number))
                at += 18 * len(part) + 12

    assert in_rows(words) == words


def test_a_page_of_one_column_is_returned_as_it_was():
    words = [word("Call", 60, 100, 0), word("order", 160, 100, 0), word("Roll", 60, 140, 1)]

    assert in_rows(words) == words


def test_words_found_later_are_put_where_they_stand():
    text = [word("Motion", 300, 100 + 50 * n, n) for n in range(3)]
    found = [word("2.", 60, 150, 0), word("1.", 60, 100, 1)]

    assert lines_of(in_rows(text, found))[:2] == ["1. Motion", "2. Motion"]


def test_rules_frames_and_dust_are_no_unread_text():
    image = page_with((300, 300, "."), rules=(100, 500, 900))

    assert not ink.unread_ink(image, [], DPI).marks


def test_upright_rules_are_removed_and_letters_stay():
    with_rules = page_with((300, 300, "Illinois 11"), rules=(280, 620))
    without = page_with((300, 300, "Illinois 11"))

    cleaned = ink.without_upright_rules(with_rules, DPI).array()

    assert numpy.count_nonzero(cleaned != without.array()) < 200
    assert ink.without_upright_rules(without, DPI) is without


def test_a_number_in_doubt_is_what_most_readings_say_with_the_punctuation_of_the_line():
    readings = [[word("42/119,", 0, 0, confidence=0.9)]]
    readings += [
        [word(text, 0, 0, confidence=0.95)] for text in ("12/11/19", "12/11/19.", "12/1119")
    ]

    assert [each.text for each in _elected(readings)] == ["12/11/19,"]


def test_letters_do_not_outvote_digits():
    readings = [[word("5th", 0, 0, confidence=0.8)]]
    readings += [[word("Sth", 0, 0, confidence=0.9)] for _ in range(4)]

    assert [each.text for each in _elected(readings)] == ["5th"]


def test_an_amount_torn_apart_at_its_comma_is_put_together():
    parts = [word("857", 0, 0), word(",366", 58, 0), word("800,967", 400, 0)]

    assert [each.text for each in with_whole_numbers(parts)] == ["857,366", "800,967"]


def test_rapidocr_reads_what_the_network_overlooks_without_downloading(engine, monkeypatch):
    pytest.importorskip("rapidocr")
    from clerk.read.rapidocr_engine import RapidOcr

    def no_network(*_args: object, **_kwargs: object) -> None:
        raise AssertionError("a model would be downloaded")

    monkeypatch.setattr("socket.socket.connect", no_network)
    image = page_with((60, 80, "7."), (60, 160, "12."), (260, 80, "Public comment"))

    words = RapidOcr(engine).read_places(
        image, [(55, 75, 120, 125), (55, 155, 140, 205)], ["eng"], DPI
    )

    assert [(each.text, each.line) for each in words] == [("7.", 0), ("12.", 1)]
