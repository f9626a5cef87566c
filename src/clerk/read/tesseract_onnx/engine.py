"""The engine as clerk knows it.

What reads pages is loaded with the first page: every run asks for the version of the engine.
"""

from __future__ import annotations

import hashlib
import logging
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from clerk.read.ocr import (
    GreyImage,
    OcrPage,
    OcrWord,
    PixelBox,
    Segmentation,
    SegmentingBackend,
    UnusableTraineddata,
)

from .versions import GRAPH_VERSION, READING_VERSION

_log = logging.getLogger(__name__)

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
        return f"{self._libtesseract.version()}+onnx{GRAPH_VERSION}.{READING_VERSION}"

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
        from .page_reader import is_blank

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
        from .page_reader import PageReader, line_reader
        from .second_look import known_letters

        try:
            data, networks = self._libtesseract.data_folder(languages), self._networks_folder()
            readers = [line_reader(data / f"{each}.traineddata", networks) for each in languages]
            if len({reader.network.scale for reader in readers}) > 1:
                raise UnusableTraineddata(f"The networks of {'+'.join(languages)} differ in scale.")
            page = PageReader(image, languages, dpi, segmentation, readers, self._libtesseract)
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
