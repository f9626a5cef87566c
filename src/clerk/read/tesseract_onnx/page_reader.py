"""Reading one page: its lines, the words of each, and what is looked at a second time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path

import numpy
from msgspec.structs import replace as changed
from numpy.typing import NDArray

from clerk.read.ink import without_upright_rules
from clerk.read.ocr import GreyImage, OcrWord, Segmentation, mean_confidence

from .crops import cut_out, turned_back
from .engine import Libtesseract
from .layout import PlacedLine, placed_lines
from .lines import LineReader, certainty
from .networks import load_network
from .second_look import SCALES, FoundLine, look_again, vote_on_numbers, with_whole_numbers
from .traineddata import read_dictionary

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


@lru_cache(maxsize=8)
def line_reader(traineddata: Path, networks_folder: Path | None) -> LineReader:
    """Return what reads lines with the network and the words of this file."""
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
class FastResult:
    """What the network reads on a page."""

    words: list[OcrWord]
    #: Whether libtesseract would hardly read it better.
    sure: bool


@dataclass(frozen=True)
class PageReader:
    """A page and what is needed to read it."""

    image: GreyImage
    languages: tuple[str, ...]
    dpi: int
    segmentation: Segmentation
    #: One for each language.
    readers: Sequence[LineReader]
    libtesseract: Libtesseract

    def read(self) -> FastResult:
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
        return FastResult(words, sure=True)

    def _read_upright(self) -> FastResult:
        places = placed_lines(
            self.image, self.dpi, self.libtesseract.layout_engine(), self.segmentation
        )
        if len(places) > _MOST_LINES:
            return FastResult([], sure=False)
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
        return FastResult(_words(lines), sure)

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
