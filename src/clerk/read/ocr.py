"""The interface of OCR engines, and finding the engine a site asks for.

An engine is a plugin.  It offers an object with the shape of :class:`OcrBackend` through the hook
``register_ocr_backends``; clerk's own engines (:mod:`clerk.read.own_engines`) use the same hook::

    @clerk.hookimpl
    def register_ocr_backends():
        return [MyEngine()]

The engine gets one grey image of one page at a time, upright as far as the PDF says, and returns an
:class:`OcrPage`.  It runs in a child process with limits on time and memory: an exception fails the
page, a crash fails the page or the document, and nothing else is lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import msgspec

from clerk.core import plugins
from clerk.core.config import AUTO
from clerk.core.errors import MissingTool, UnknownPlugin, UnusableTraineddata

from . import language_data

if TYPE_CHECKING:
    import numpy
    import pluggy

__all__ = [
    "GreyImage",
    "MissingTool",
    "OcrBackend",
    "OcrPage",
    "OcrWord",
    "PixelBox",
    "Segmentation",
    "SegmentingBackend",
    "UnusableTraineddata",
    "backends",
    "best_own_engine",
    "check_engine",
    "find_backend",
    "mean_confidence",
]

#: Left, top, right, bottom in pixels of the image; the origin is its top left corner.
PixelBox = tuple[int, int, int, int]


class GreyImage(msgspec.Struct, frozen=True):
    """An image of a page: 8 bits a pixel, 0 black, 255 white, rows from the top, no padding."""

    width: int
    height: int
    pixels: bytes

    def array(self) -> numpy.ndarray[Any, numpy.dtype[numpy.uint8]]:
        """Return the pixels as a read-only array of shape (height, width), without a copy."""
        import numpy

        return numpy.frombuffer(self.pixels, numpy.uint8).reshape(self.height, self.width)


class OcrWord(msgspec.Struct, frozen=True):
    """A word with its box and the engine's confidence (0 to 1).

    ``line`` and ``paragraph`` number the lines and paragraphs of the page from 0 in reading order,
    so that line breaks can be distinguished from spaces.
    """

    text: str
    box: PixelBox
    confidence: float
    line: int
    paragraph: int = 0


class OcrPage(msgspec.Struct, frozen=True):
    """The result of OCR on one page; the words are in reading order.

    ``text`` is the words with their breaks; ``confidence`` is between 0 and 1, and 0 for a page
    without words.
    """

    text: str
    words: Sequence[OcrWord]
    confidence: float

    @classmethod
    def of(cls, words: Sequence[OcrWord]) -> OcrPage:
        """Return the page with these words.

        Words are joined with spaces, lines with a line break and paragraphs with an empty line.
        """
        parts: list[str] = []
        before: OcrWord | None = None
        for word in words:
            if before is not None:
                same_line = " " if word.line == before.line else "\n"
                parts.append(same_line if word.paragraph == before.paragraph else "\n\n")
            parts.append(word.text)
            before = word
        text = "".join(parts) + ("\n" if parts else "")
        return cls(text, words, mean_confidence(words))


@runtime_checkable
class OcrBackend(Protocol):
    """An OCR engine.  One object serves a whole process; one thread at a time calls it."""

    @property
    def name(self) -> str:
        """The name in settings and flags, as in ``--ocr-backend NAME``."""

    def version(self) -> str:
        """Return the version of the engine; documents are read again when it changes."""

    def available_languages(self) -> Iterable[str]:
        """Return the languages it can read, by tesseract's names (``eng``, ``spa``)."""

    def recognise(self, image: GreyImage, languages: Sequence[str], dpi: int) -> OcrPage:
        """Read a page.  Any exception fails this page only; MissingTool stops the work."""


class Segmentation(Enum):
    """How an engine is to divide a page; the values are Tesseract's page segmentation modes."""

    AUTOMATIC = 3
    ONE_COLUMN = 4
    ONE_BLOCK = 6


@runtime_checkable
class SegmentingBackend(OcrBackend, Protocol):
    """An engine that can also divide a page otherwise, and read places it did not find itself.

    Engines that cannot do so are asked for the whole page once, as ``recognise`` reads it.
    """

    def recognise_as(
        self, image: GreyImage, languages: Sequence[str], dpi: int, segmentation: Segmentation
    ) -> OcrPage:
        """Read a page that is divided in this way."""

    def read_places(
        self, image: GreyImage, places: Sequence[PixelBox], languages: Sequence[str], dpi: int
    ) -> list[OcrWord]:
        """Read pieces of lines; ``line`` of a word is the index of its place."""


def mean_confidence(words: Sequence[OcrWord]) -> float:
    """Return the mean over the words, each weighted by its length; 0 when there are none."""
    letters = sum(len(word.text) for word in words)
    if not letters:
        return 0.0
    return sum(word.confidence * len(word.text) for word in words) / letters


def backends() -> Mapping[str, OcrBackend]:
    """Return the engines by name; a plugin loaded later replaces one of the same name."""
    return _offered_by(plugins.manager())


@lru_cache(maxsize=8)
def _offered_by(manager: pluggy.PluginManager) -> Mapping[str, OcrBackend]:
    found: dict[str, OcrBackend] = {}
    # pluggy calls the plugin registered last first.
    for offered in reversed(manager.hook.register_ocr_backends()):
        found.update((backend.name, backend) for backend in offered)
    return found


def best_own_engine() -> str:
    """Return the name of the best of clerk's own engines that this machine has the packages for.

    Where there are no wheels of libtesseract it is the ``tesseract`` program.
    """
    if not find_spec("tesserocr"):
        return "tesseract-cli"
    return "tesseract-onnx" if find_spec("onnxruntime") else "tesseract"


def find_backend(name: str) -> OcrBackend:
    """Return the engine of that name, or raise UnknownPlugin with the names of the others.

    ``auto`` is the best of clerk's own that can be used here.
    """
    known = backends()
    name = best_own_engine() if name == AUTO else name
    if name not in known:
        raise UnknownPlugin(
            f"There is no OCR engine {name!r}.",
            hint=f"Installed engines: {', '.join(sorted(known))}; plugins can add others.",
        )
    return known[name]


def check_engine(name: str, languages: Sequence[str]) -> OcrBackend:
    """Return the engine of that name, or raise an error if it or a language is missing."""
    backend = find_backend(name)
    have = backend.available_languages()
    language_data.require(languages, have, f"The OCR engine {backend.name}")
    return backend
