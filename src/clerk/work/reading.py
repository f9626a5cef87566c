"""Reading a document: per page the text layer when it is good, OCR when it is not.

::

    open -> look at every page's text layer -> which lines are repeated? -> judge each page
                                                                     |           |
                                                              good: its text   else: a grey
                                                                               picture -> OCR

A page that cannot be read is a failed page and the others are read all the same.  libpdfium and the
OCR engines may crash or hang: the caller runs this in a child process with limits, and learns by
``on_page`` which page is in hand and how long it may take.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from clerk.config import Settings
from clerk.errors import (
    BadSetting,
    EmptyDocument,
    InvalidInput,
    OperatorError,
    PagesFailed,
    TransientError,
    UnreadablePdf,
)
from clerk.work import layer, ocr, pdf
from clerk.work.layer import JUNK_BELOW, Verdict
from clerk.work.reading_files import (
    BLANK,
    ENGINE_MARK,
    FAILED,
    OCR,
    TEXT,
    DocumentFacts,
    PageFacts,
    PageWords,
    ReadDocument,
    ReadPage,
    is_current,
    load_facts,
    load_failed_pages,
    load_words,
    store,
)
from clerk.work.recognition import is_blank, recognise

__all__ = [
    "DocumentFacts",
    "OnPage",
    "PageFacts",
    "PageWords",
    "ReadDocument",
    "ReadPage",
    "ReadingOptions",
    "fingerprint",
    "is_current",
    "load_facts",
    "load_failed_pages",
    "load_words",
    "page_image",
    "raise_for_failed_pages",
    "read_and_store",
    "read_pdf",
    "store",
]

#: Raised when the rules change so much that documents should be read again.
READER = 1

#: Less loses small type, more costs time and gains nothing measurable.
OCR_DPI = 200

#: What a page may take for its text layer, and for OCR at the start and per million pixels.
_LAYER_SECONDS = 30.0
_OCR_SECONDS = 20.0
_OCR_SECONDS_PER_MEGAPIXEL = 10.0

#: OCR that sees this share of the letters of a doubtful layer is preferred to it.
_ENOUGH_OF_A_DOUBTFUL_LAYER = 0.5

#: Called before each step with page, pages of the document, seconds this step may take.  A page
#: that needs OCR comes twice: first all pages for their text layer, then those for OCR.
OnPage = Callable[[int, int, float], None]

#: No pages are given up.
NOTHING: Mapping[int, str] = MappingProxyType({})

_MODES = ("auto", "always", "never")

_PICTURE_KINDS = ("png", "jpeg", "webp")
_PICTURE_MEGAPIXELS = 20
_ANY = 1_000_000_000

_Result = TypeVar("_Result")


def _ignore(page: int, pages: int, seconds_allowed: float) -> None:
    """Take no notice."""


@dataclass(frozen=True)
class ReadingOptions:
    """How documents are to be read, as one value that can be handed to another process."""

    ocr: str = "auto"
    backend: str = "tesseract"
    languages: tuple[str, ...] = ("eng",)
    dpi: int = OCR_DPI
    page_seconds: float = 120.0
    page_megapixels: int = 40
    max_document_mb: int = 150
    max_document_pages: int = 5000

    def __post_init__(self) -> None:
        """Refuse a way of reading that does not exist."""
        if self.ocr not in _MODES:
            raise BadSetting(f"OCR must be one of {', '.join(_MODES)}, not {self.ocr!r}.")

    @classmethod
    def from_settings(cls, settings: Settings, **chosen: Any) -> ReadingOptions:
        """Take the settings, and over them what a site or a flag chooses (None: no choice)."""
        options = cls(
            backend=settings.default_ocr_backend,
            languages=settings.ocr_languages,
            page_seconds=settings.page_seconds,
            page_megapixels=settings.page_megapixels,
            max_document_mb=settings.max_document_mb,
            max_document_pages=settings.max_document_pages,
        )
        return replace(options, **{name: value for name, value in chosen.items() if value})


def fingerprint(options: ReadingOptions) -> str:
    """Return what identifies the reader and its engine, as in ``reader 1 auto | tesseract ...``."""
    reader = f"reader {READER} {options.ocr}"
    if options.ocr == "never":
        return reader
    engine = ocr.find_backend(options.backend)
    languages = "+".join(options.languages)
    return f"{reader}{ENGINE_MARK}{_engine_name(engine)} {languages} {options.dpi} dpi"


def _engine_name(backend: ocr.OcrBackend) -> str:
    return f"{backend.name} {backend.version()}"


def read_and_store(
    path: Path,
    target_dir: Path,
    options: ReadingOptions,
    pdf_sha256: str,
    on_page: OnPage = _ignore,
    given_up: Mapping[int, str] = NOTHING,
) -> DocumentFacts:
    """Read a PDF into its directory and return how it was read.

    With pages that could not be read the good ones are stored all the same, marked by
    ``failed-pages.json``, and PagesFailed is raised.  Nothing is stored when the PDF as a whole
    cannot be read.
    """
    document = read_pdf(path, options, on_page, given_up=given_up)
    facts = store(document, target_dir, pdf_sha256=pdf_sha256, fingerprint=fingerprint(options))
    raise_for_failed_pages(path, document)
    return facts


def raise_for_failed_pages(path: Path, document: ReadDocument) -> None:
    """Raise PagesFailed, naming the pages and the first reason, if there are any."""
    failed = document.failed_pages
    if failed:
        shown = ", ".join(map(str, list(failed)[:20])) + (", ..." if len(failed) > 20 else "")
        raise PagesFailed(
            f"{path}: {len(failed)} of {document.page_count} pages could not be read"
            f" ({shown}): {next(iter(failed.values()))}"
        )


def read_pdf(
    path: Path,
    options: ReadingOptions,
    on_page: OnPage = _ignore,
    only: Sequence[int] | None = None,
    given_up: Mapping[int, str] = NOTHING,
) -> ReadDocument:
    """Read a PDF, or only some of its pages (numbers from 1; those beyond the end are ignored).

    Pages that are given up, because they have crashed a reader before, are failed pages for the
    reason given and are not touched.  Raises a DocumentError when the PDF cannot be opened; a page
    that fails is in ``failed_pages``.
    """
    limits = {"max_megabytes": options.max_document_mb, "max_pages": options.max_document_pages}
    with pdf.opened(path, **limits) as document:
        numbers = range(1, document.pages + 1)
        wanted = numbers if only is None else [number for number in numbers if number in only]
        pages = _Reader(document, options, on_page, given_up).read(wanted)
    if only is None and all(page.facts.why == Verdict.EMPTY.value for page in pages):
        raise EmptyDocument(f"{path} has nothing on any of its pages; it may be damaged.")
    return ReadDocument(document.pages, pages)


class _Reader:
    """One document on its way: the layers seen so far, and the engine once it is needed."""

    def __init__(
        self,
        document: pdf.Pdf,
        options: ReadingOptions,
        on_page: OnPage,
        given_up: Mapping[int, str],
    ) -> None:
        self.document = document
        self.options = options
        self.on_page = on_page
        self.layers: dict[int, pdf.TextLayer] = {}
        self.plausible: dict[int, float] = {}
        self.failed: dict[int, str] = dict(given_up)

    @cached_property
    def backend(self) -> ocr.OcrBackend:
        """The engine; it and its languages are asked for by the first page that needs them."""
        return ocr.check_engine(self.options.backend, self.options.languages)

    @cached_property
    def engine_name(self) -> str:
        """The engine with its version."""
        return _engine_name(self.backend)

    def read(self, numbers: Sequence[int]) -> list[ReadPage]:
        """Read the pages: first every text layer, then OCR where it is needed."""
        if self.options.ocr != "always":
            for number in numbers:
                if number not in self.failed:
                    self._announce(number, _LAYER_SECONDS)
                    self._guarded(number, self._look)
        repeated = layer.repeated_lines([each.text for each in self.layers.values()])
        return [self._page_or_failure(number, repeated) for number in numbers]

    def _announce(self, number: int, seconds: float) -> None:
        # Outside of any guard: when nobody listens any more, the document stops, not the page.
        self.on_page(number, self.document.pages, min(seconds, self.options.page_seconds))

    def _guarded(self, number: int, step: Callable[[int], _Result]) -> _Result | None:
        """Take a step of one page; whatever goes wrong fails this page only."""
        if number in self.failed:
            return None
        try:
            return step(number)
        except (OperatorError, TransientError):
            raise
        except Exception as error:  # noqa: BLE001 - an engine is a plugin and may raise anything
            self.failed[number] = f"{type(error).__name__}: {error}"
            return None

    def _look(self, number: int) -> None:
        with self.document.page(number) as page:
            self.layers[number] = page.text_layer()
        self.plausible[number] = layer.plausibility(self.layers[number].text)

    def _page_or_failure(self, number: int, repeated: frozenset[str]) -> ReadPage:
        verdict = self._guarded(number, partial(self._judge, repeated=repeated))
        if verdict is None:
            return self._failed(number)
        if verdict is Verdict.GOOD:
            return self._by_layer(number)
        if verdict is Verdict.EMPTY:
            return self._page(number, BLANK, why=verdict.value)
        seconds = self._guarded(number, self._ocr_seconds)
        if seconds is not None:
            self._announce(number, seconds)
        # Outside of the guard: an engine that is not there is not the page's fault.
        step = partial(self._by_ocr, backend=self.backend, why=verdict)
        return self._guarded(number, step) or self._failed(number)

    def _judge(self, number: int, repeated: frozenset[str]) -> Verdict:
        if self.options.ocr == "always":
            return Verdict.ASKED_FOR
        if self.options.ocr == "never":
            return Verdict.GOOD
        return layer.judge(
            self.layers[number].text,
            self.plausible[number],
            repeated,
            shows_nothing=lambda: self._ask(number, pdf.Page.is_empty),
            shows_more=lambda: self._ask(number, pdf.Page.shows_more),
            is_scan=lambda: self._ask(number, pdf.Page.is_scan),
        )

    def _ask(self, number: int, question: Callable[[pdf.Page], bool]) -> bool:
        with self.document.page(number) as page:
            return question(page)

    def _ocr_seconds(self, number: int) -> float:
        size = self.document.size(number)
        pixels = pdf.pixels(*size, self.options.dpi, self.options.page_megapixels)
        return _OCR_SECONDS + _OCR_SECONDS_PER_MEGAPIXEL * pixels / 1e6

    def _by_layer(self, number: int) -> ReadPage:
        text, boxes = self.layers[number]
        words = text.split()
        if not words:
            return self._page(number, BLANK)
        confidence = round(self.plausible[number], 3)
        return self._page(number, TEXT, text, words, boxes, confidence=confidence)

    def _by_ocr(self, number: int, backend: ocr.OcrBackend, why: Verdict) -> ReadPage:
        with self.document.page(number, with_forms=True) as page:
            image, dpi = page.render(self.options.dpi, self.options.page_megapixels)
            white = is_blank(image)
            if white and page.has_broken_picture():
                raise UnreadablePdf(f"page {number} has a picture that cannot be decoded.")
        seen = ocr.OcrPage.of(())
        if not white:
            seen = recognise(backend, image, self.options.languages, dpi)
        if self._layer_has_more(number, seen, why):
            return self._by_layer(number)
        if white:
            return self._page(number, BLANK)
        return self._page(
            number,
            OCR if seen.words else BLANK,
            seen.text,
            [word.text for word in seen.words],
            [edge for word in seen.words for edge in _shares(word.box, image)],
            [round(100 * word.confidence) for word in seen.words],
            confidence=round(seen.confidence, 3),
            why=why.value,
            engine=self.engine_name,
            dpi=dpi,
        )

    def _layer_has_more(self, number: int, seen: ocr.OcrPage, why: Verdict) -> bool:
        """Whether OCR saw fewer letters than a layer that makes sense has."""
        if self.plausible.get(number, 0) < JUNK_BELOW:
            return False
        enough = _ENOUGH_OF_A_DOUBTFUL_LAYER if why is Verdict.DOUBTFUL else 1.0
        return layer.letters(seen.text) < enough * layer.letters(self.layers[number].text)

    def _page(
        self,
        number: int,
        method: str,
        text: str = "",
        words: Sequence[str] = (),
        boxes: Sequence[int] = (),
        confidences: Sequence[int] = (),
        **facts: Any,
    ) -> ReadPage:
        width, height = self.document.size(number)
        return ReadPage(
            text,
            PageFacts(number, method, width=width, height=height, **facts),
            PageWords(number, width, height, words, boxes, confidences),
        )

    def _failed(self, number: int) -> ReadPage:
        error = self.failed[number]
        return ReadPage("", PageFacts(number, FAILED, error=error), PageWords(number))


def _shares(box: ocr.PixelBox, image: ocr.GreyImage) -> tuple[int, int, int, int]:
    left, top, right, bottom = box
    across, down = pdf.UNIT / image.width, pdf.UNIT / image.height
    return (int(left * across), int(top * down), int(right * across), int(bottom * down))


def page_image(path: Path, page: int, width: int, kind: str = "webp") -> bytes:
    """Return a picture of a page in colour, so many pixels wide: a PNG, JPEG or WebP file."""
    if kind not in _PICTURE_KINDS:
        raise InvalidInput(f"Pictures are {', '.join(_PICTURE_KINDS)}, not {kind!r}.")
    with pdf.opened(path, max_megabytes=_ANY, max_pages=_ANY) as document:
        if not 1 <= page <= document.pages:
            raise InvalidInput(f"{path} has pages 1 to {document.pages}, not {page}.")
        with document.page(page, with_forms=True) as each:
            return each.picture(width, kind, _PICTURE_MEGAPIXELS)
