"""OCR engines: what one must offer, and finding the one a site asks for.

An engine is a plugin.  It offers an object with the shape of :class:`OcrBackend` through the hook
``register_ocr_backends``; clerk's own engines come by the same hook::

    @clerk.hookimpl
    def register_ocr_backends():
        return [MyEngine()]

The engine gets one grey picture of one page at a time, upright as far as the PDF says, and answers
with an :class:`OcrPage`.  It runs in a working process with limits on time and memory: whatever it
raises, and even a crash, costs the page or document in hand and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import msgspec

from clerk import hookimpl
from clerk.core import plugins
from clerk.core.errors import MissingTool, UnknownPlugin

if TYPE_CHECKING:
    import numpy
    import pluggy

#: Left, top, right, bottom in pixels of the picture; the origin is its top left corner.
PixelBox = tuple[int, int, int, int]


class GreyImage(msgspec.Struct, frozen=True):
    """A picture of a page: 8 bits a pixel, 0 black, 255 white, rows from the top, no padding."""

    width: int
    height: int
    pixels: bytes

    def array(self) -> numpy.ndarray[Any, numpy.dtype[numpy.uint8]]:
        """Return the pixels as a read-only array of shape (height, width), without a copy."""
        import numpy

        return numpy.frombuffer(self.pixels, numpy.uint8).reshape(self.height, self.width)


class OcrWord(msgspec.Struct, frozen=True):
    """A word, where it stands, and how sure the engine is (0 to 1).

    ``line`` and ``paragraph`` number the lines and paragraphs of the page from 0 in reading order,
    so that line breaks can be told from spaces.
    """

    text: str
    box: PixelBox
    confidence: float
    line: int
    paragraph: int = 0


class OcrPage(msgspec.Struct, frozen=True):
    """What an engine read on one page; the words are in reading order.

    ``text`` is the words with their breaks, as :func:`text_of` gives it; ``confidence`` is between
    0 and 1, and 0 for a page without words.
    """

    text: str
    words: Sequence[OcrWord]
    confidence: float

    @classmethod
    def of(cls, words: Sequence[OcrWord]) -> OcrPage:
        """Return the page that has these words."""
        return cls(text_of(words), words, mean_confidence(words))


@runtime_checkable
class OcrBackend(Protocol):
    """An OCR engine.  One object serves a whole process; it is called by one thread at a time."""

    @property
    def name(self) -> str:
        """The name in settings and flags, as in ``--ocr-backend NAME``."""

    def version(self) -> str:
        """Return the version of the engine; documents are read again when it changes."""

    def available_languages(self) -> Iterable[str]:
        """Return the languages it can read, by tesseract's names (``eng``, ``spa``)."""

    def recognise(self, image: GreyImage, languages: Sequence[str], dpi: int) -> OcrPage:
        """Read a page.  Any exception fails this page only; MissingTool stops the work."""


def text_of(words: Iterable[OcrWord]) -> str:
    """Join words with spaces, lines with a line break and paragraphs with an empty line."""
    pieces: list[str] = []
    before: OcrWord | None = None
    for word in words:
        if before is not None:
            pieces.append(_gap(before, word))
        pieces.append(word.text)
        before = word
    return "".join(pieces) + ("\n" if pieces else "")


def _gap(before: OcrWord, word: OcrWord) -> str:
    if word.paragraph != before.paragraph:
        return "\n\n"
    return " " if word.line == before.line else "\n"


def mean_confidence(words: Sequence[OcrWord]) -> float:
    """Return the mean over the words, each weighted by its length; 0 when there are none."""
    letters = sum(len(word.text) for word in words)
    if not letters:
        return 0.0
    return sum(word.confidence * len(word.text) for word in words) / letters


def backends() -> Mapping[str, OcrBackend]:
    """Return the engines by name; a plugin that comes later replaces one of the same name."""
    return _backends(plugins.manager())


@lru_cache(maxsize=8)
def _backends(installed: pluggy.PluginManager) -> Mapping[str, OcrBackend]:
    found: dict[str, OcrBackend] = {}
    # pluggy calls the plugin registered last first.
    for offered in reversed(installed.hook.register_ocr_backends()):
        found.update((backend.name, backend) for backend in offered)
    return found


def find_backend(name: str) -> OcrBackend:
    """Return the engine of that name, or say which ones there are."""
    known = backends()
    if name not in known:
        raise UnknownPlugin(
            f"There is no OCR engine {name!r}.",
            hint=f"Installed are {', '.join(sorted(known))}; others come with plugins.",
        )
    return known[name]


def check_languages(backend: OcrBackend, languages: Sequence[str]) -> None:
    """Refuse languages the engine has no data for, by name."""
    available = set(backend.available_languages())
    missing = [language for language in languages if language not in available]
    if missing:
        raise MissingTool(
            f"The OCR engine {backend.name} has no data for the language {', '.join(missing)}.",
            hint=f"It has {', '.join(sorted(available)) or 'none'}. Put {missing[0]}.traineddata"
            " (from a tessdata_fast package of your system) into a folder and set TESSDATA_DIR"
            " to it.",
        )


def check_engine(name: str, languages: Sequence[str]) -> OcrBackend:
    """Return the engine of that name if it is there and can read these languages."""
    backend = find_backend(name)
    check_languages(backend, languages)
    return backend


@hookimpl
def register_ocr_backends() -> Iterable[OcrBackend]:
    """Offer libtesseract in this process, and the system's tesseract program."""
    from .tesseract import Tesseract, TesseractProgram

    return [Tesseract(), TesseractProgram()]
