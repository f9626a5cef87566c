"""The OCR engine ``tesseract-onnx``: Tesseract's layout and weights, run by onnxruntime.

::

    page -> nothing on it, or seen before? -> done
         -> libtesseract's layout -> lines cut out -> network in batches -> words
         -> makes no sense? -> the same upside down
         -> unsure of a word? -> libtesseract reads the word too
         -> unsure of the page? -> libtesseract reads it too

Whatever the fast way cannot do, libtesseract does: data of another shape, a word or page that comes
out doubtful, a page that fails.  Only a missing package is an error.
"""

from __future__ import annotations

import hashlib
import logging
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path

import numpy
from msgspec.structs import replace as changed
from numpy.typing import NDArray

from clerk.core import config
from clerk.core.errors import UnusableTraineddata
from clerk.read.ocr import GreyImage, OcrPage, OcrWord, mean_confidence
from clerk.read.tesseract import Tesseract, folder_with

from .crops import LineCrop, cut_out, turned_back
from .decoding import ReadWord
from .graph import GRAPH_VERSION
from .layout import PlacedLine, placed_lines
from .lines import LineReader, certainty
from .networks import load_network
from .second_look import FoundLine, known_letters, look_again
from .traineddata import read_dictionary

_log = logging.getLogger(__name__)

#: Raise when the same network would read the same page differently.
_READING_VERSION = 3
#: Fewer pixels than this, clearly darker or lighter than the paper, show nothing.
_LEAST_INK_PIXELS = 24
_CLEARLY = 48
#: Below this mean confidence libtesseract reads the page as well.
_SURE_OF_PAGE = 0.93
#: A page read with less than this mean confidence may be upside down.
_RIGHT_WAY_UP = 0.8
#: A line below this is more likely a picture or a stain than text.
_SURE_OF_LINE = 0.35
_MOST_LINES = 3000
_PAGES_REMEMBERED = 16


class TesseractOnnx:
    """Tesseract's network in onnxruntime, with libtesseract for the layout and in case of doubt."""

    name = "tesseract-onnx"

    def __init__(self, kept_in: Path | None = None) -> None:
        self._kept_in = kept_in
        self._libtesseract = Tesseract()
        self._pages: OrderedDict[bytes, OcrPage] = OrderedDict()

    def version(self) -> str:
        """Return libtesseract's version, and those of the conversion and of the reading."""
        return f"{self._libtesseract.version()}+onnx{GRAPH_VERSION}.{_READING_VERSION}"

    def available_languages(self) -> list[str]:
        """Return the languages libtesseract has data for."""
        return self._libtesseract.available_languages()

    def recognise(self, image: GreyImage, languages: Sequence[str], dpi: int) -> OcrPage:
        """Read a page; one that was just read is not read again."""
        if is_blank(image):
            return OcrPage.of([])
        key = _fingerprint(image, languages, dpi)
        if key not in self._pages:
            self._pages[key] = self._read(image, tuple(languages), dpi)
        self._pages.move_to_end(key)
        if len(self._pages) > _PAGES_REMEMBERED:
            self._pages.popitem(last=False)
        return self._pages[key]

    def _read(self, image: GreyImage, languages: tuple[str, ...], dpi: int) -> OcrPage:
        try:
            readers = self._readers(languages)
            fast = _Picture(image, languages, dpi, readers, self._libtesseract).read()
        except UnusableTraineddata as error:
            _warn_once(str(error))
            return self._libtesseract.recognise(image, languages, dpi)
        if fast.sure:
            return OcrPage.of(fast.words)
        thorough = self._libtesseract.recognise(image, languages, dpi)
        knows = partial(_known, readers)
        better = known_letters(fast.words, knows) > known_letters(thorough.words, knows)
        return OcrPage.of(fast.words) if better else thorough

    def _readers(self, languages: tuple[str, ...]) -> tuple[LineReader, ...]:
        """Return one reader for each language."""
        folder = folder_with(languages)
        kept_in = self._kept_in or _folder_for_networks()
        readers = tuple(_reader(folder / f"{each}.traineddata", kept_in) for each in languages)
        if len({reader.network.scale for reader in readers}) > 1:
            raise UnusableTraineddata(f"The networks of {'+'.join(languages)} differ in scale.")
        return readers


def _folder_for_networks() -> Path | None:
    """Return where converted networks are kept: below the storage directory, if there is one."""
    storage_dir = config.load().storage_dir
    return storage_dir / "_clerk" / "ocr-networks" if storage_dir.is_dir() else None


@lru_cache(maxsize=32)
def _warn_once(reason: str) -> None:
    _log.warning("libtesseract reads instead of tesseract-onnx: %s", reason)


@lru_cache(maxsize=8)
def _reader(traineddata: Path, kept_in: Path | None) -> LineReader:
    return LineReader(load_network(traineddata, kept_in), read_dictionary(traineddata))


def is_blank(image: GreyImage) -> bool:
    """Say whether there is nothing on the page that could be a letter."""
    pixels = image.array()
    return _ink_pixels(pixels[::4, ::4]) < _LEAST_INK_PIXELS > _ink_pixels(pixels)


def _ink_pixels(pixels: NDArray[numpy.uint8]) -> int:
    """Count the pixels that clearly differ from the commonest one."""
    counts = numpy.bincount(pixels.reshape(-1), minlength=256)
    paper = int(counts.argmax())
    return int(counts[: max(0, paper - _CLEARLY)].sum() + counts[paper + _CLEARLY :].sum())


def _fingerprint(image: GreyImage, languages: Sequence[str], dpi: int) -> bytes:
    digest = hashlib.sha256(image.pixels)
    digest.update(f"{image.width} {image.height} {dpi} {'+'.join(languages)}".encode())
    return digest.digest()


def _known(readers: Sequence[LineReader], text: str) -> bool:
    return any(reader.knows(text) for reader in readers)


@dataclass(frozen=True)
class _FastReading:
    words: list[OcrWord]
    #: Whether libtesseract would hardly read it better.
    sure: bool


@dataclass(frozen=True)
class _Picture:
    """A page and those who read it."""

    image: GreyImage
    languages: tuple[str, ...]
    dpi: int
    #: One for each language.
    readers: Sequence[LineReader]
    libtesseract: Tesseract

    def read(self) -> _FastReading:
        """Read the page as it stands, or upside down if only that makes sense."""
        upright = self._read_upright()
        if upright.sure or not 0 < mean_confidence(upright.words) < _RIGHT_WAY_UP:
            return upright
        size = (self.image.width, self.image.height)
        turned = replace(self, image=GreyImage(*size, self.image.pixels[::-1]))
        upside_down = turned._read_upright()
        if not upside_down.sure:
            return upright
        boxes = (turned_back(word.box, 2, size) for word in upside_down.words)
        words = zip(upside_down.words, boxes, strict=True)
        return _FastReading([changed(word, box=box) for word, box in words], sure=True)

    def _read_upright(self) -> _FastReading:
        places = placed_lines(self.image, self.dpi)
        if len(places) > _MOST_LINES:
            return _FastReading([], sure=False)
        lines = list(self._lines(places))
        sure = not places or mean_confidence(_words(lines)) >= _SURE_OF_PAGE
        if sure:
            lines = look_again(lines, partial(_known, self.readers), self._read_by_libtesseract)
        return _FastReading(_words(lines), sure)

    def _lines(self, places: Sequence[PlacedLine]) -> Iterator[FoundLine]:
        """Read lines, each in the language that is surest of it."""
        page, network = self.image.array(), self.readers[0].network
        cut = ((place, cut_out(page, place, network.height)) for place in places)
        readable = [(place, crop) for place, crop in cut if crop is not None]
        readings = [reader.read([crop for _, crop in readable]) for reader in self.readers]
        for (place, crop), *by_language in zip(readable, *readings, strict=True):
            best = max(by_language, key=certainty)
            if certainty(best) >= _SURE_OF_LINE:
                yield FoundLine(place, crop, _on_page(best, place, crop, network.pixels_per_column))

    def _read_by_libtesseract(self, line: FoundLine, word: OcrWord) -> OcrWord | None:
        picture = line.crop.picture(self.image.array(), word.box)
        return self.libtesseract.read_word(picture, self.languages, self.dpi)


def _words(lines: Iterable[FoundLine]) -> list[OcrWord]:
    return [word for line in lines for word in line.words]


def _on_page(
    words: Sequence[ReadWord], line: PlacedLine, crop: LineCrop, pixels_per_column: int
) -> list[OcrWord]:
    columns = (word.columns for word in words)
    spans = ((begin * pixels_per_column, end * pixels_per_column) for begin, end in columns)
    return [
        OcrWord(word.text, box, word.confidence, line.number, line.paragraph)
        for word, box in zip(words, crop.boxes(spans), strict=True)
    ]
