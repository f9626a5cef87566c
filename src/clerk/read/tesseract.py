"""Two OCR engines: libtesseract in this process, and the system's ``tesseract`` program.

Both ask for tab-separated values, because one call then gives every word with its box, confidence,
line and paragraph.  :mod:`clerk.read.language_data` knows where their language data is.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from clerk.core import config
from clerk.core.errors import MissingTool, UnusableTraineddata

from . import language_data
from .language_data import folder_with, run_tesseract
from .ocr import GreyImage, OcrPage, OcrWord, PixelBox, Segmentation

if TYPE_CHECKING:
    from tesserocr import PyTessBaseAPI  # type: ignore[import-untyped]

#: White around a piece of a line that is read alone, in pixels.
_AROUND_PLACE = 8


class Tesseract:
    """libtesseract in this process: no process per page, no file in between."""

    name = "tesseract"

    def version(self) -> str:
        """Return the version of libtesseract."""
        return str(_tesserocr().tesseract_version().split()[1])

    def available_languages(self) -> list[str]:
        """Return the languages with data in any of the folders."""
        return sorted(language_data.installed())

    def recognise(self, image: GreyImage, languages: Sequence[str], dpi: int) -> OcrPage:
        """Read a page with the libtesseract this process keeps for these languages."""
        return OcrPage.of(_recognised_words(image, tuple(languages), dpi))

    def recognise_as(
        self, image: GreyImage, languages: Sequence[str], dpi: int, segmentation: Segmentation
    ) -> OcrPage:
        """Read a page that is divided in this way."""
        with _mode(tuple(languages), segmentation.value):
            return self.recognise(image, languages, dpi)

    def read_places(
        self, image: GreyImage, places: Sequence[PixelBox], languages: Sequence[str], dpi: int
    ) -> list[OcrWord]:
        """Read pieces of lines, each as a line of its own with some white around it."""
        pixels, words = image.array(), list[OcrWord]()
        with _mode(tuple(languages), _tesserocr().PSM.SINGLE_LINE):
            for line, (left, top, right, bottom) in enumerate(places):
                x, y = max(0, left - _AROUND_PLACE), max(0, top - _AROUND_PLACE)
                cut = pixels[y : bottom + _AROUND_PLACE, x : right + _AROUND_PLACE]
                part = GreyImage(cut.shape[1], cut.shape[0], cut.tobytes())
                for word in _recognised_words(part, tuple(languages), dpi):
                    a, b, c, d = word.box
                    box = (a + x, b + y, c + x, d + y)
                    words.append(OcrWord(word.text, box, word.confidence, line, line))
        return words

    def read_word(self, image: GreyImage, languages: Sequence[str], dpi: int) -> OcrWord | None:
        """Read an image of a single word; None if it shows no word, or several."""
        if not image.pixels:
            return None
        with _mode(tuple(languages), _tesserocr().PSM.SINGLE_WORD):
            words = _recognised_words(image, tuple(languages), dpi)
        # It reads letters even in an empty image, but with no confidence.
        return words[0] if len(words) == 1 and words[0].confidence else None

    def data_folder(self, languages: Sequence[str]) -> Path:
        """Return the first folder that has the data of all these languages."""
        return folder_with(languages)

    @staticmethod
    @cache
    def layout_engine() -> PyTessBaseAPI:
        """Return a libtesseract that finds lines but cannot read: it needs no language data."""
        tesserocr = _tesserocr()
        api = tesserocr.PyTessBaseAPI(init=False)
        api.InitForAnalysePage()
        api.SetPageSegMode(tesserocr.PSM.AUTO)
        # Skip the fixed-pitch test: it matters only to reading, and takes an eighth of the time.
        api.SetVariable("textord_all_prop", "1")
        api.SetVariable("debug_file", "/dev/null")
        return api


class TesseractProgram:
    """The ``tesseract`` program found on the PATH, one process per page."""

    name = "tesseract-cli"

    def version(self) -> str:
        """Return the version that the program prints."""
        return run_tesseract(["--version"]).split()[1]

    def available_languages(self) -> list[str]:
        """Return the languages that the program lists."""
        return language_data.languages_of_program()

    def recognise(self, image: GreyImage, languages: Sequence[str], dpi: int) -> OcrPage:
        """Read a page; the image goes through a pipe."""
        header = b"P5 %d %d 255\n" % (image.width, image.height)
        options = ["-l", "+".join(languages), "--dpi", str(dpi), "--oem", "1", "tsv"]
        table = run_tesseract(["stdin", "stdout", *options], header + image.pixels)
        return OcrPage.of(list(words_of(table.partition("\n")[2])))


_one_at_a_time = Lock()


def _recognised_words(image: GreyImage, languages: tuple[str, ...], dpi: int) -> list[OcrWord]:
    api = engine(languages)
    with _one_at_a_time:
        api.SetImageBytes(image.pixels, image.width, image.height, 1, image.width)
        api.SetSourceResolution(dpi)
        api.Recognize()
        table = api.GetTSVText(0)
        api.Clear()
    return list(words_of(table))


@contextlib.contextmanager
def _mode(languages: tuple[str, ...], mode: int) -> Iterator[None]:
    """Let libtesseract divide pages in another way than its own."""
    api = engine(languages)
    api.SetPageSegMode(mode)
    try:
        yield
    finally:
        api.SetPageSegMode(_tesserocr().PSM.AUTO)


def engine(languages: tuple[str, ...]) -> PyTessBaseAPI:
    """Return this process's libtesseract for these languages, made once and kept.

    Only one thread may use it at a time.
    """
    return _engine_of_folder(folder_with(languages), "+".join(languages))


@cache
def _engine_of_folder(folder: Path, languages: str) -> PyTessBaseAPI:
    tesserocr = _tesserocr()
    try:
        api = tesserocr.PyTessBaseAPI(
            path=str(folder), lang=languages, psm=tesserocr.PSM.AUTO, oem=tesserocr.OEM.LSTM_ONLY
        )
    except RuntimeError as error:
        raise UnusableTraineddata(
            f"libtesseract cannot use the data for {languages} in {folder}: it may be damaged.",
            hint="Replace LANGUAGE.traineddata with an intact file, or unset TESSDATA_DIR.",
        ) from error
    api.SetVariable("debug_file", "/dev/null")
    return api


@cache
def _tesserocr():  # type: ignore[no-untyped-def]
    # The threads of several processes slow each other down, up to six times.
    config.limit_library_threads()
    try:
        import tesserocr
    except ImportError as error:
        raise MissingTool(
            "The OCR engine tesseract needs the package tesserocr, which is not installed.",
            hint="Use the program instead: --ocr-backend tesseract-cli, or DEFAULT_OCR_BACKEND.",
        ) from error
    return tesserocr


def words_of(table: str) -> Iterator[OcrWord]:
    """Yield the words of Tesseract's table (without its header) in reading order."""
    line = paragraph = -1
    line_before: list[str] = []
    for row in (record.split("\t") for record in table.split("\n")):
        if len(row) < 12 or row[0] != "5" or not row[11].strip():
            continue
        if row[1:5] != line_before:
            line += 1
            paragraph += row[1:4] != line_before[:3]
            line_before = row[1:5]
        left, top, width, height = (int(value) for value in row[6:10])
        box = (left, top, left + width, top + height)
        confidence = min(1.0, max(0.0, float(row[10]) / 100))
        yield OcrWord(row[11].strip(), box, confidence, line, paragraph)
