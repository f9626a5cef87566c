"""The steps from an image of a page to its words, in order."""

from __future__ import annotations

import hashlib
import logging
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Protocol

import numpy
from msgspec.structs import replace as changed
from numpy.typing import NDArray

from clerk.read.ink import without_upright_rules
from clerk.read.ocr import (
    GreyImage,
    OcrPage,
    OcrWord,
    PixelBox,
    Segmentation,
    SegmentingBackend,
    UnusableTraineddata,
    mean_confidence,
)

from .crops import cut_out, turned_back
from .graph import GRAPH_VERSION
from .layout import PlacedLine, placed_lines
from .lines import LineReader, certainty
from .networks import load_network
from .second_look import (
    SCALES,
    FoundLine,
    known_letters,
    look_again,
    vote_on_numbers,
    with_whole_numbers,
)
from .traineddata import read_dictionary

_log = logging.getLogger(__name__)

#: Raise when the same network would read the same page differently.
_READING_VERSION = 4
#: A page with fewer pixels that differ from the paper by this much shows nothing.
_LEAST_INK_PIXELS = 24
_INK_CONTRAST = 48
#: Below this mean confidence libtesseract reads the page as well.
_SURE_OF_PAGE = 0.93
#: A page read with less than this mean confidence may be upside down.
_RIGHT_WAY_UP = 0.8
#: A line below this is more likely a picture or a stain than text.
_SURE_OF_LINE = 0.35
_MOST_LINES = 3000
_PAGES_CACHED = 16


class Libtesseract(SegmentingBackend, Protocol):
    """What this engine needs libtesseract for."""

    def available_languages(self) -> list[str]:
        """Return the languages it has data for."""

    def data_folder(self, languages: Sequence[str]) -> Path:
        """Return the folder with the traineddata files of these languages."""

    def layout_engine(self) -> Any:
        """Return a tesserocr API that can analyse the layout of a page."""

    def read_word(self, image: GreyImage, languages: Sequence[str], dpi: int) -> OcrWord | None:
        """Read an image of a single word; None if it shows no word, or several."""


class TesseractOnnx:
    """Tesseract's network in onnxruntime, with libtesseract for the layout and in case of doubt."""

    name = "tesseract-onnx"

    def __init__(
        self, libtesseract: Libtesseract, networks_folder: Callable[[], Path | None]
    ) -> None:
        self._libtesseract = libtesseract
        self._networks_folder = networks_folder
        self._pages: OrderedDict[bytes, OcrPage] = OrderedDict()

    def version(self) -> str:
        """Return libtesseract's version, and those of the conversion and of the reading."""
        return f"{self._libtesseract.version()}+onnx{GRAPH_VERSION}.{_READING_VERSION}"

    def available_languages(self) -> list[str]:
        """Return the languages libtesseract has data for."""
        return self._libtesseract.available_languages()

    def recognise(self, image: GreyImage, languages: Sequence[str], dpi: int) -> OcrPage:
        """Read a page, or return the cached result of one that was just read."""
        return self.recognise_as(image, languages, dpi, Segmentation.AUTOMATIC)

    def recognise_as(
        self, image: GreyImage, languages: Sequence[str], dpi: int, segmentation: Segmentation
    ) -> OcrPage:
        """Read a page that is divided in this way."""
        if is_blank(image):
            return OcrPage.of([])
        digest = hashlib.sha256(image.pixels)
        about = f"{image.width} {image.height} {dpi} {'+'.join(languages)} {segmentation.value}"
        digest.update(about.encode())
        key = digest.digest()
        if key not in self._pages:
            self._pages[key] = self._read(image, tuple(languages), dpi, segmentation)
        self._pages.move_to_end(key)
        if len(self._pages) > _PAGES_CACHED:
            self._pages.popitem(last=False)
        return self._pages[key]

    def read_places(
        self, image: GreyImage, places: Sequence[PixelBox], languages: Sequence[str], dpi: int
    ) -> list[OcrWord]:
        """Let libtesseract read pieces of lines: alone they are no lines the network knows."""
        return self._libtesseract.read_places(image, places, languages, dpi)

    def _read(
        self, image: GreyImage, languages: tuple[str, ...], dpi: int, segmentation: Segmentation
    ) -> OcrPage:
        try:
            data, networks = self._libtesseract.data_folder(languages), self._networks_folder()
            readers = [_reader(data / f"{each}.traineddata", networks) for each in languages]
            if len({reader.network.scale for reader in readers}) > 1:
                raise UnusableTraineddata(f"The networks of {'+'.join(languages)} differ in scale.")
            page = _PageReader(image, languages, dpi, segmentation, readers, self._libtesseract)
            fast = page.read()
        except UnusableTraineddata as error:
            _warn_once(str(error))
            return self._libtesseract.recognise_as(image, languages, dpi, segmentation)
        if fast.sure:
            return OcrPage.of(fast.words)
        thorough = self._libtesseract.recognise_as(image, languages, dpi, segmentation)
        better = known_letters(fast.words, page.knows) > known_letters(thorough.words, page.knows)
        return OcrPage.of(fast.words) if better else thorough


@lru_cache(maxsize=32)
def _warn_once(reason: str) -> None:
    _log.warning("libtesseract reads instead of tesseract-onnx: %s", reason)


@lru_cache(maxsize=8)
def _reader(traineddata: Path, networks_folder: Path | None) -> LineReader:
    return LineReader(load_network(traineddata, networks_folder), read_dictionary(traineddata))


def is_blank(image: GreyImage) -> bool:
    """Say whether there is nothing on the page that could be a letter."""
    pixels = image.array()
    return _ink_pixels(pixels[::4, ::4]) < _LEAST_INK_PIXELS > _ink_pixels(pixels)


def _ink_pixels(pixels: NDArray[numpy.uint8]) -> int:
    """Count the pixels that clearly differ from the most common one."""
    counts = numpy.bincount(pixels.reshape(-1), minlength=256)
    paper = int(counts.argmax())
    darker, lighter = counts[: max(0, paper - _INK_CONTRAST)], counts[paper + _INK_CONTRAST :]
    return int(darker.sum() + lighter.sum())


@dataclass(frozen=True)
class _FastResult:
    words: list[OcrWord]
    #: Whether libtesseract would hardly read it better.
    sure: bool


@dataclass(frozen=True)
class _PageReader:
    """A page and what is needed to read it."""

    image: GreyImage
    languages: tuple[str, ...]
    dpi: int
    segmentation: Segmentation
    #: One for each language.
    readers: Sequence[LineReader]
    libtesseract: Libtesseract

    def read(self) -> _FastResult:
        """Read the page as it is, or upside down if only that makes sense."""
        upright = self._read_upright()
        if upright.sure or not 0 < mean_confidence(upright.words) < _RIGHT_WAY_UP:
            return upright
        size = (self.image.width, self.image.height)
        turned = replace(self, image=GreyImage(*size, self.image.pixels[::-1]))
        upside_down = turned._read_upright()
        if not upside_down.sure:
            return upright
        words = [changed(each, box=turned_back(each.box, 2, size)) for each in upside_down.words]
        return _FastResult(words, sure=True)

    def _read_upright(self) -> _FastResult:
        places = placed_lines(
            self.image, self.dpi, self.libtesseract.layout_engine(), self.segmentation
        )
        if len(places) > _MOST_LINES:
            return _FastResult([], sure=False)
        lines = list(self._lines(places))
        sure = not places or mean_confidence(_words(lines)) >= _SURE_OF_PAGE
        if sure:
            lines = look_again(
                lines,
                self.knows,
                lambda line, word: self.libtesseract.read_word(
                    line.crop.picture(self._page, word.box), self.languages, self.dpi
                ),
            )
            lines = vote_on_numbers(lines, self._read_at_scales)
        return _FastResult(_words(lines), sure)

    @cached_property
    def _page(self) -> NDArray[numpy.uint8]:
        return without_upright_rules(self.image, self.dpi).array()

    def _lines(self, places: Sequence[PlacedLine]) -> Iterator[FoundLine]:
        """Read lines, each in the language with the highest confidence."""
        network = self.readers[0].network
        cut = ((place, cut_out(self._page, place, network.height)) for place in places)
        readable = [(place, crop) for place, crop in cut if crop is not None]
        readings = [reader.read([crop for _, crop in readable]) for reader in self.readers]
        for (place, crop), *by_language in zip(readable, *readings, strict=True):
            best = max(by_language, key=certainty)
            if certainty(best) < _SURE_OF_LINE:
                continue
            width = network.pixels_per_column
            columns = (word.columns for word in best)
            boxes = crop.boxes((begin * width, end * width) for begin, end in columns)
            words = [
                OcrWord(word.text, box, word.confidence, place.number, place.paragraph)
                for word, box in zip(best, boxes, strict=True)
            ]
            yield FoundLine(place, crop, with_whole_numbers(words))

    def _read_at_scales(
        self, asked: Sequence[tuple[FoundLine, OcrWord]]
    ) -> list[list[list[OcrWord]]]:
        """Read words alone, with the type taken to be larger or smaller than the line's."""
        places = []
        for number, (line, word) in enumerate(asked):
            ends = word.box[1::2] if line.place.quarter_turns else word.box[::2]
            for scale in SCALES:
                places.append(
                    replace(
                        line.place,
                        left=ends[0] + 2,
                        right=ends[1] - 2,
                        ascent=line.place.ascent * scale,
                        descent=line.place.descent * scale,
                        block=number,
                    )
                )
        found: list[list[list[OcrWord]]] = [[] for _ in asked]
        for line in self._lines(places):
            number = line.place.block
            original = asked[number][1]
            found[number].append(
                [
                    changed(word, line=original.line, paragraph=original.paragraph)
                    for word in line.words
                ]
            )
        return found

    def knows(self, text: str) -> bool:
        """Say whether a text is in the dictionary of any of the languages."""
        return any(reader.knows(text) for reader in self.readers)


def _words(lines: Iterable[FoundLine]) -> list[OcrWord]:
    return [word for line in lines for word in line.words]
