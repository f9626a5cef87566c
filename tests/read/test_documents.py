"""Reading documents page by page: text layer or OCR, and what is stored."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from small_pdfs import (
    HEADER,
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

from clerk.core import config, storage
from clerk.core.errors import (
    BadSetting,
    DocumentError,
    EmptyDocument,
    InvalidInput,
    MissingTool,
    PagesFailed,
    UnknownPlugin,
)
from clerk.core.states import MOST_PAGES
from clerk.read import documents
from clerk.read.documents import ReadingOptions, read_and_store, read_in_child, read_pdf
from clerk.read.files import load_facts, load_failed_pages, load_words, load_words_of
from tools.pdf_writer import PdfWriter, encode_jpeg

AUTO = ReadingOptions()
SAID = " ".join(LINES)
SHA = "0" * 64

#: An engine that does its worst on pages with one word too many, and knows the rest by heart.
BAD_ENGINE = """
import faulthandler, os, time
import clerk
from clerk.read.ocr import OcrPage, OcrWord

class Bad:
    name = "bad"
    def version(self): return "0.1"
    def available_languages(self): return ["eng"]
    def recognise(self, image, languages, dpi):
        if image.width > 1500: {deed}
        return OcrPage.of([OcrWord("fine", (0, 0, 10, 10), 0.9, 0)])

@clerk.hookimpl
def register_ocr_backends(): return [Bad()]
"""
#: The small page is read, the large one is what the engine stumbles over.
SMALL, LARGE = (300.0, 300.0), (612.0, 792.0)


@pytest.fixture
def bad_engine(tmp_path, monkeypatch):
    """Plug in an engine that does the deed on the second of three pages."""

    def plug(deed: str) -> tuple[Path, ReadingOptions]:
        folder = tmp_path / deed.encode().hex()[:40]
        folder.mkdir()
        (folder / "bad.py").write_text(BAD_ENGINE.format(deed=deed))
        monkeypatch.setenv("CLERK_PLUGINS_DIR", str(folder))
        writer = PdfWriter()
        for size in (SMALL, LARGE, SMALL):
            writer.add_page(image=encode_jpeg(picture_of(LINES, 100), 60), size=size)
        path = written(folder / "three.pdf", writer.getvalue())
        return path, ReadingOptions(backend="bad", page_seconds=2)

    return plug


def read(tmp_path, pdf: bytes, options: ReadingOptions = AUTO):
    return read_pdf(written(tmp_path / "it.pdf", pdf), options)


def methods(document) -> list[str]:
    return [page.facts.method for page in document.pages]


def plain(page) -> str:
    return " ".join(page.text.split())


def mixed() -> bytes:
    """A printed page, a scan, and an empty page."""
    writer = PdfWriter()
    writer.add_page(text_at(LINES))
    writer.add_page(image=encode_jpeg(picture_of(LINES), 80))
    writer.add_page()
    return writer.getvalue()


# ------------------------------------------------------------------------ which way is taken


def test_each_page_of_a_mixed_document_is_read_in_its_own_way(tmp_path):
    document = read(tmp_path, mixed())

    assert methods(document) == ["text", "ocr", "blank"]
    assert [plain(page) for page in document.pages] == [SAID, SAID, ""]
    assert document.pages[1].facts.engine.startswith("tesseract 5")
    assert document.pages[1].facts.dpi == 200
    assert document.pages[1].facts.why == "no text"
    assert document.pages[1].facts.confidence > 0.9


def test_a_scan_whose_only_text_is_a_header_is_read_by_ocr_besides(tmp_path):
    document = read(tmp_path, scanned(picture_of(LINES), layer=[HEADER]))

    assert methods(document) == ["mix"]
    assert SAID in plain(document.pages[0])
    assert HEADER.split()[-1] in plain(document.pages[0])


def test_a_long_header_on_every_page_does_not_hide_the_scans_below_it(tmp_path):
    stamp = ["Recorded in the office of the clerk of the harbor commission on the day named"] * 3
    pictures = [picture_of(LINES), picture_of(LINES[::-1])]

    document = read(tmp_path, scanned(*pictures, layer=stamp))

    assert methods(document) == ["mix", "mix"]
    assert all(page.facts.why == "little text of its own" for page in document.pages)


def test_a_garbled_layer_goes_to_ocr(tmp_path):
    shifted = ["".join(chr(ord(c) - 29) if c > "@" else c for c in line) for line in LINES]

    document = read(tmp_path, scanned(picture_of(LINES), layer=shifted, invisible=True))

    assert methods(document) == ["ocr"]
    assert plain(document.pages[0]) == SAID


def test_a_good_invisible_layer_is_used(tmp_path):
    document = read(tmp_path, scanned(picture_of(LINES), layer=LINES, invisible=True))

    assert methods(document) == ["text"]
    assert plain(document.pages[0]) == SAID


def test_a_plausible_invisible_layer_that_says_something_else_is_not_used(tmp_path):
    # Bad OCR makes words of words.
    wrong = {"o": "e", "i": "l", "n": "r", "a": "o"}
    poor = ["".join(wrong.get(letter, letter) for letter in line) for line in LINES * 3]

    document = read(tmp_path, scanned(picture_of(LINES * 3), layer=poor, invisible=True))

    assert methods(document) == ["ocr"]
    assert document.pages[0].facts.why == "hidden layer differs from the picture"
    assert plain(document.pages[0]) == " ".join([SAID] * 3)


def test_a_layer_torn_into_letters_is_not_believed(tmp_path):
    torn = [" ".join(line.replace(" ", "")) for line in LINES]

    document = read(tmp_path, scanned(picture_of(LINES), layer=torn, invisible=True))

    assert methods(document) == ["ocr"]


def test_a_printed_page_with_dot_leaders_is_read_from_its_layer(tmp_path):
    entries = [f"Section {n} of the code " + ". " * 20 + f"{n}1{n}" for n in range(2, 9)]

    document = read(tmp_path, printed(entries))

    assert methods(document) == ["text"]
    assert "Section 4 of the code" in document.pages[0].text


def test_no_layer_is_certain_because_it_looks_good(tmp_path):
    document = read(tmp_path, printed(LINES))

    assert 0.9 < document.pages[0].facts.confidence < 1


def test_a_poor_invisible_layer_is_not_used(tmp_path):
    poor = [line.replace("t", "~{").replace("o", "|^") for line in LINES]

    document = read(tmp_path, scanned(picture_of(LINES), layer=poor, invisible=True))

    assert methods(document) == ["ocr"]
    assert plain(document.pages[0]) == SAID


def test_a_layer_that_says_more_than_ocr_sees_is_kept(tmp_path):
    document = read(tmp_path, scanned(white(), layer=["Exhibit C"], invisible=True))

    assert methods(document) == ["text"]
    assert plain(document.pages[0]) == "Exhibit C"


def test_a_white_scan_is_a_blank_page_and_no_engine_is_asked(tmp_path, bad_engine):
    _, options = bad_engine("raise ValueError")

    document = read(tmp_path, scanned(white()), options)

    assert methods(document) == ["blank"]
    assert document.pages[0].text == ""


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_scans_are_read_however_the_page_is_turned(tmp_path, degrees):
    picture = picture_of(LINES).rotate(degrees, expand=True)
    size = (792.0, 612.0) if degrees != 180 else (612.0, 792.0)

    document = read(tmp_path, turned(scanned(picture, size=size), degrees))

    assert plain(document.pages[0]) == SAID
    assert (document.pages[0].facts.width, document.pages[0].facts.height) == (612.0, 792.0)


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_scans_fed_the_wrong_way_round_are_read(tmp_path, degrees):
    picture = picture_of(LINES).rotate(degrees, expand=True)

    assert plain(read(tmp_path, scanned(picture)).pages[0]) == SAID


def test_a_printed_page_stored_sideways_is_read_in_order(tmp_path):
    assert plain(read(tmp_path, stored_sideways(printed(LINES))).pages[0]) == SAID


def test_a_huge_page_is_read_within_the_budget_of_pixels(tmp_path):
    picture = picture_of(LINES, dpi=150)
    options = ReadingOptions(page_megapixels=4)

    page = read(tmp_path, scanned(picture, size=(12_000.0, 15_500.0)), options).pages[0]

    assert page.facts.dpi < 20
    assert plain(page) == SAID


def test_ocr_can_be_forced_and_forbidden(tmp_path):
    always = read(tmp_path, printed(LINES), ReadingOptions(ocr="always"))
    never = read(tmp_path, mixed(), ReadingOptions(ocr="never", backend="does-not-exist"))

    assert methods(always) == ["ocr"]
    assert plain(always.pages[0]) == SAID
    assert methods(never) == ["text", "blank", "blank"]


def test_only_the_wanted_pages_are_read(tmp_path):
    path = written(tmp_path / "three.pdf", printed(["One"], ["Two"], ["Three"]))

    document = read_pdf(path, AUTO, only=[2, 3, 9])

    assert document.page_count == 3
    assert [(page.facts.page, plain(page)) for page in document.pages] == [(2, "Two"), (3, "Three")]


def test_words_match_the_text_and_have_a_box_each_in_both_ways(tmp_path):
    for page in read(tmp_path, mixed()).pages[:2]:
        assert list(page.words.words) == page.text.split()
        assert len(page.words.boxes) == 4 * len(page.words.words)
    text, ocr = (dict(page.words.placed()) for page in read(tmp_path, mixed()).pages[:2])
    for word in ("MINUTES", "Lindqvist,", "$18,400.00."):
        assert all(abs(a - b) < 100 for a, b in zip(text[word], ocr[word], strict=True))


def test_before_each_step_the_page_and_its_time_are_reported(tmp_path):
    told = []
    path = written(tmp_path / "mixed.pdf", mixed())

    read_pdf(path, ReadingOptions(page_seconds=25), lambda *step: told.append(step))

    layers, in_doubt = [(1, 3), (2, 3), (3, 3)], [(2, 3), (3, 3)]
    few_letters = [(1, 3)]
    assert [step[:2] for step in told] == [*layers, *in_doubt, *few_letters, (2, 3)]
    assert all(0 < seconds <= 25 for _, _, seconds in told)


def test_when_nobody_listens_any_more_the_document_stops(tmp_path):
    def gone(page, pages, seconds):
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        read_pdf(written(tmp_path / "mixed.pdf", mixed()), AUTO, gone)


# ------------------------------------------------------------------------ what may go wrong


@pytest.mark.parametrize(
    "deed",
    [
        "raise ValueError('cannot see')",
        "return OcrPage('\\udcff', [], 0.9)",
        "return b'\\xff\\xfe'",
        "raise MemoryError",
    ],
    ids=["raises", "bad UTF-8", "no page", "no memory"],
)
def test_an_engine_that_fails_on_a_page_fails_only_that_page(tmp_path, bad_engine, deed):
    path, options = bad_engine(deed)

    with pytest.raises(PagesFailed, match=r"1 of 3 pages .*\(2\)"):
        read_and_store(path, tmp_path / "txt", options, SHA)

    assert sorted(file.name for file in (tmp_path / "txt").iterdir()) == [
        "document.json",
        "failed-pages.json",
        "page-1.txt",
        "page-3.txt",
        "words.json",
    ]
    assert list(load_failed_pages(tmp_path / "txt")) == [2]
    assert not documents.is_current(tmp_path / "txt", SHA, documents.fingerprint(options))


@pytest.mark.parametrize(
    ("deed", "says"),
    [
        ("faulthandler.disable(); os.kill(os.getpid(), 11)", "killed by SIGSEGV"),
        ("os._exit(7)", "exited with status 7"),
        ("time.sleep(60)", "time limit"),
    ],
    ids=["crashes", "exits", "hangs"],
)
def test_a_crash_or_hang_in_a_child_costs_one_page(bad_engine, deed, says):
    path, options = bad_engine(deed)

    document = read_in_child(path, options)

    assert methods(document) == ["ocr", "failed", "ocr"]
    assert says in document.failed_pages[2]


def test_a_long_document_is_read_by_several_children_and_comes_out_the_same(bad_engine, tmp_path):
    _, options = bad_engine("os._exit(7)")
    writer = PdfWriter()
    for size in [SMALL] * 6 + [LARGE] + [SMALL] * 5:
        writer.add_page(image=encode_jpeg(picture_of(LINES, 100), 60), size=size)
    path = written(tmp_path / "twelve.pdf", writer.getvalue())

    alone, together = (read_in_child(path, options, processes=each) for each in (1, 3))

    assert msgspec.to_builtins(together) == msgspec.to_builtins(alone)
    assert list(together.failed_pages) == [7]


def test_a_document_that_crashes_on_page_after_page_is_given_up(bad_engine, tmp_path):
    _, options = bad_engine("os._exit(7)")
    path = written(tmp_path / "many.pdf", scanned(*[picture_of(LINES, 100)] * (MOST_PAGES + 2)))

    given_up = rf"many\.pdf: page {MOST_PAGES + 1}: .* exited with status 7"
    with pytest.raises(DocumentError, match=given_up):
        read_in_child(path, options)


def test_a_child_reads_what_this_process_reads(tmp_path):
    path = written(tmp_path / "mixed.pdf", mixed())

    assert msgspec.to_builtins(read_in_child(path, AUTO, memory_mb=2048)) == msgspec.to_builtins(
        read_pdf(path, AUTO)
    )


def test_a_set_up_that_cannot_work_is_not_the_documents_fault(tmp_path):
    with pytest.raises(MissingTool):
        read(tmp_path, mixed(), ReadingOptions(languages=("tlh",)))
    with pytest.raises(UnknownPlugin):
        read(tmp_path, mixed(), ReadingOptions(backend="sharp-eyes"))
    with pytest.raises(BadSetting, match="sometimes"):
        ReadingOptions(ocr="sometimes")


def test_a_document_without_need_of_ocr_needs_no_engine(tmp_path):
    assert methods(read(tmp_path, printed(LINES), ReadingOptions(languages=("tlh",)))) == ["text"]


def test_a_document_with_nothing_on_it_is_refused(tmp_path):
    writer = PdfWriter()
    writer.add_page()
    writer.add_page()

    with pytest.raises(EmptyDocument, match="nothing on any"):
        read(tmp_path, writer.getvalue())


def test_a_scan_that_cannot_be_decoded_is_a_failed_page_not_a_blank_one(tmp_path):
    whole = scanned(picture_of(LINES, 100))
    start = whole.index(b"\xff\xd8")

    document = read(tmp_path, whole[:start] + b"\x00" * 300 + whole[start + 300 :])

    assert methods(document) == ["failed"]
    assert "cannot be decoded" in document.failed_pages[1]


def test_nothing_is_stored_of_a_file_that_cannot_be_opened(tmp_path):
    path = written(tmp_path / "bad.pdf", b"%PDF-1.4 not really")

    with pytest.raises(DocumentError):
        read_and_store(path, tmp_path / "txt", AUTO, SHA)
    assert [file.name for file in tmp_path.iterdir()] == ["bad.pdf"]


# ------------------------------------------------------------------------------ the directory


def test_a_stored_document_comes_back_as_it_was_read(tmp_path):
    path = written(tmp_path / "mixed.pdf", mixed())
    document = read_pdf(path, AUTO)

    facts = read_and_store(path, tmp_path / "txt", AUTO, SHA)

    assert load_facts(tmp_path / "txt") == facts
    assert [each.method for each in facts.pages] == ["text", "ocr", "blank"]
    words = load_words(tmp_path / "txt")
    for page in document.pages:
        number = page.facts.page
        assert (tmp_path / "txt" / f"page-{number}.txt").read_text() == page.text
        assert list(words[number].words) == page.text.split()
        assert list(words[number].boxes) == list(page.words.boxes)
    assert load_failed_pages(tmp_path / "txt") == {}


def test_the_same_document_gives_the_same_bytes_and_replaces_the_old_directory(tmp_path):
    path, target = written(tmp_path / "mixed.pdf", mixed()), tmp_path / "txt"
    read_and_store(path, target, AUTO, SHA)
    before = {file.name: file.read_bytes() for file in target.iterdir()}
    (target / "page-99.txt").write_text("of a longer version")

    read_and_store(path, target, AUTO, SHA)

    assert {file.name: file.read_bytes() for file in target.iterdir()} == before


def test_a_document_is_current_until_bytes_or_reader_change(tmp_path):
    target, mark = tmp_path / "txt", documents.fingerprint(AUTO)
    spanish = documents.fingerprint(ReadingOptions(languages=("eng", "spa")))
    read_and_store(written(tmp_path / "mixed.pdf", mixed()), target, AUTO, SHA)

    assert documents.is_current(target, SHA, mark)
    assert not documents.is_current(target, "1" * 64, mark)
    assert not documents.is_current(target, SHA, spanish)
    assert not documents.is_current(
        target, SHA, documents.fingerprint(ReadingOptions(ocr="always"))
    )
    assert not documents.is_current(tmp_path / "never-read", SHA, mark)


def test_another_engine_does_not_matter_where_no_ocr_was_used(tmp_path):
    read_and_store(written(tmp_path / "born.pdf", printed(LINES)), tmp_path / "txt", AUTO, SHA)
    spanish = documents.fingerprint(ReadingOptions(languages=("eng", "spa")))

    assert documents.is_current(tmp_path / "txt", SHA, spanish)


def test_what_an_older_installation_has_read_is_current(tmp_path):
    (tmp_path / "2019-05-06.txt").write_text("flat text")
    (tmp_path / "2019-06-03").mkdir()
    (tmp_path / "2019-06-03" / "page-1.txt").write_text("a page")

    assert documents.is_current(tmp_path / "2019-05-06", SHA, "any")
    assert documents.is_current(tmp_path / "2019-06-03", SHA, "any")
    assert load_facts(tmp_path / "2019-06-03") is None
    assert load_words(tmp_path / "2019-06-03") == {}


def test_a_directory_with_a_damaged_record_is_read_again(tmp_path):
    read_and_store(written(tmp_path / "born.pdf", printed(LINES)), tmp_path / "txt", AUTO, SHA)
    (tmp_path / "txt" / storage.DOCUMENT_FACTS).write_bytes(b'{"pdf_sha')

    assert not documents.is_current(tmp_path / "txt", SHA, documents.fingerprint(AUTO))


def test_options_come_from_the_settings_and_what_the_site_chooses(monkeypatch):
    monkeypatch.setenv("OCR_LANGUAGES", "eng,deu")
    monkeypatch.setenv("PAGE_SECONDS", "7")

    options = ReadingOptions.from_settings(config.load(), backend="tesseract-cli", ocr=None)

    assert options == ReadingOptions(
        backend="tesseract-cli", languages=("eng", "deu"), page_seconds=7.0
    )


@pytest.mark.parametrize(
    ("kind", "mark"), [("png", b"\x89PNG"), ("jpeg", b"\xff\xd8"), ("webp", b"RIFF")]
)
def test_a_page_can_be_had_as_a_picture(tmp_path, kind, mark):
    path = written(tmp_path / "born.pdf", printed(LINES))

    assert documents.page_image(path, 1, 400, kind).startswith(mark)


def test_pictures_of_pages_that_are_not_there_are_refused(tmp_path):
    path = written(tmp_path / "born.pdf", printed(LINES))

    with pytest.raises(InvalidInput, match="pages 1 to 1"):
        documents.page_image(path, 2, 400)
    with pytest.raises(InvalidInput, match="tiff"):
        documents.page_image(path, 1, 400, "tiff")


def test_the_words_of_some_pages_are_those_of_all(tmp_path):
    pages = [{"page": number, "words": [f"word{number}"], "boxes": []} for number in (1, 2, 4, 7)]
    (tmp_path / "words.json").write_text(json.dumps({"format": 1, "unit": 10000, "pages": pages}))
    every = load_words(tmp_path)

    for numbers in ([1], [2, 4], [7], [1, 2, 4, 7], []):
        assert load_words_of(tmp_path, numbers) == {number: every[number] for number in numbers}
    assert load_words_of(tmp_path, [3, 4, 99]) == {4: every[4]}
    assert load_words_of(tmp_path / "nowhere", [1]) == {}
