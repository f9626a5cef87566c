"""The OCR engine ``tesseract-onnx``: Tesseract's layout and weights, run by onnxruntime.

::

    page -> nothing on it, or seen before? -> done
         -> libtesseract's layout -> lines cut out -> network in batches -> words
         -> unsure of the page? -> libtesseract reads it

Whatever the fast way cannot do, libtesseract does: data of another shape, a page that comes out
doubtful, a page that fails.  Only a missing package is an error.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import numpy

from clerk import config
from clerk.errors import UnusableTraineddata
from clerk.work.ocr import GreyImage, OcrPage, OcrWord
from clerk.work.tesseract import Tesseract, engine, folder_with

from .crops import LineCrop, cut_out
from .decoding import ReadWord
from .graph import GRAPH_VERSION
from .layout import PlacedLine, placed_lines
from .networks import load_network
from .reading import LineReader, certainty
from .traineddata import read_dictionary

#: Fewer pixels than this, clearly darker or lighter than the paper, show nothing.
_LEAST_INK_PIXELS = 24
_CLEARLY = 48
#: Below this mean confidence libtesseract reads the page as well.
_SURE_OF_PAGE = 0.9
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
        """Return libtesseract's version and that of the conversion."""
        return f"{self._libtesseract.version()}+onnx{GRAPH_VERSION}"

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
        readers = self._readers(languages)
        fast = _read_fast(readers, image, languages, dpi) if readers else None
        if fast is not None and fast.confidence >= _SURE_OF_PAGE:
            return fast
        thorough = self._libtesseract.recognise(image, languages, dpi)
        return thorough if fast is None or _says_more(thorough, fast) else fast

    def _readers(self, languages: tuple[str, ...]) -> tuple[LineReader, ...]:
        """Return one reader for each language; none if the data of one cannot be used."""
        folder = folder_with(languages)
        kept_in = self._kept_in or config.load().storage_dir / "_clerk" / "ocr-networks"
        try:
            return tuple(_reader(folder / f"{each}.traineddata", kept_in) for each in languages)
        except UnusableTraineddata:
            return ()


def is_blank(image: GreyImage) -> bool:
    """Say whether there is nothing on the page that could be a letter."""
    pixels = image.array()
    if not pixels.size:
        return True
    counts = numpy.bincount(pixels.reshape(-1), minlength=256)
    paper = int(counts.argmax())
    ink = counts[: max(0, paper - _CLEARLY)].sum() + counts[paper + _CLEARLY :].sum()
    return bool(ink < _LEAST_INK_PIXELS)


def _fingerprint(image: GreyImage, languages: Sequence[str], dpi: int) -> bytes:
    facts = f"{image.width} {image.height} {dpi} {'+'.join(languages)} ".encode()
    return hashlib.blake2b(facts + image.pixels, digest_size=16).digest()


@lru_cache(maxsize=8)
def _reader(traineddata: Path, kept_in: Path) -> LineReader:
    return LineReader(load_network(traineddata, kept_in), read_dictionary(traineddata))


def _says_more(one: OcrPage, other: OcrPage) -> bool:
    """Say whether a page has more text that is likely right."""
    return _expected_letters(one) >= _expected_letters(other)


def _expected_letters(page: OcrPage) -> float:
    return sum(word.confidence * len(word.text) for word in page.words)


def _read_fast(
    readers: Sequence[LineReader], image: GreyImage, languages: tuple[str, ...], dpi: int
) -> OcrPage | None:
    """Read a page by onnxruntime, or return None if there is too much or nothing on it."""
    lines = placed_lines(engine(languages), image, dpi)
    if not lines or len(lines) > _MOST_LINES:
        return None
    page = image.array()
    cut = [(line, cut_out(page, line, readers[0].network.height)) for line in lines]
    readable = [(line, crop) for line, crop in cut if crop is not None]
    crops = [crop for _, crop in readable]
    readings = [reader.read(crops) for reader in readers]
    words: list[OcrWord] = []
    for (line, crop), *by_language in zip(readable, *readings, strict=True):
        best = max(by_language, key=certainty)
        if certainty(best) >= _SURE_OF_LINE:
            words += _on_page(best, line, crop, readers[0].network.pixels_per_column)
    return OcrPage.of(words)


def _on_page(
    words: Sequence[ReadWord], line: PlacedLine, crop: LineCrop, pixels_per_column: int
) -> Iterator[OcrWord]:
    for word in words:
        begin, end = (column * pixels_per_column for column in word.columns)
        box = crop.box(begin, end)
        yield OcrWord(word.text, box, word.confidence, line.number, line.paragraph)
