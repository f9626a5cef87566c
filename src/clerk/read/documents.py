"""Reading a document: per page the text layer when it is good, OCR when it is not.

::

    open -> look at every page's text layer -> which lines are repeated? -> judge each page
                                                                     |           |
                                                              good: its text   else: a grey
                                                                               picture -> OCR

When many pages need OCR they are laid out on a desk (:mod:`clerk.read.shared_pages`), where other
processes may take some; what comes out is the same.

A page that cannot be read is a failed page and the others are read all the same.  libpdfium and the
OCR engines may crash or hang: the caller runs this in a child process with limits, and learns by
``on_page`` which page is in hand and how long it may take.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import msgspec

from clerk.core.config import Settings
from clerk.core.errors import (
    BadSetting,
    EmptyDocument,
    InvalidInput,
    OperatorError,
    PagesFailed,
    TransientError,
    UnreadablePdf,
)

from . import ocr, pdf, text_layer
from .files import (
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
from .pdf_text import UNIT, TextLayer
from .recognition import is_blank, recognise
from .shared_pages import Desk, Seen, Task, version_of
from .text_layer import JUNK_BELOW, Verdict

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
    "ocr_seconds",
    "page_image",
    "raise_for_failed_pages",
    "read_and_store",
    "read_pdf",
    "see",
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

#: From so many pages that need OCR they are shared.
SHARED_FROM_PAGES = 8
#: One who has a page in hand is given so much longer than the page may take.
_GRACE_SECONDS = 5.0

#: OCR that sees this share of the letters of a doubtful layer is preferred to it.
_ENOUGH_OF_A_DOUBTFUL_LAYER = 0.5

#: Called before each step with page, pages of the document, seconds this step may take.  First come
#: all pages for their text layer, then those in doubt about it, then those for OCR.
#: Page 0: it waits for pages that others have in hand.
OnPage = Callable[[int, int, float], None]

#: No pages are given up.
NOTHING: Mapping[int, str] = MappingProxyType({})

#: What a page is shown to the engine for.
_NEED_OCR = frozenset(Verdict) - {Verdict.GOOD, Verdict.EMPTY}

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
    share_in: Path | None = None,
    reader: str = "",
) -> DocumentFacts:
    """Read a PDF into its directory and return how it was read.

    ``reader`` is the :func:`fingerprint` of the options, if it is known.

    With pages that could not be read the good ones are stored all the same, marked by
    ``failed-pages.json``, and PagesFailed is raised.  Nothing is stored when the PDF as a whole
    cannot be read.  A long document is shared in that folder, if one is given, and what is read of
    it outlives this process until it is stored.
    """
    with Sharing(share_in, path, options) as sharing:
        document = read_pdf(path, options, on_page, given_up=given_up, sharing=sharing)
        reader = reader or fingerprint(options)
        facts = store(document, target_dir, pdf_sha256=pdf_sha256, fingerprint=reader)
        sharing.clear()
    raise_for_failed_pages(path, document)
    return facts


class Sharing(contextlib.AbstractContextManager["Sharing"]):
    """The desk of one document, laid out once it is known that there is enough to share."""

    def __init__(self, folder: Path | None, path: Path, options: ReadingOptions) -> None:
        self._folder = folder
        self._path = path
        self._options = options
        # Before the file is opened: one that is replaced meanwhile is found to be another.
        self._version = version_of(path) if folder and path.exists() else None
        self.desk: Desk | None = None

    def lay_out(self, pages: Sequence[int]) -> Desk | None:
        """Lay the pages out if they are many and nobody else reads the document."""
        if self._folder and self._version and len(pages) >= SHARED_FROM_PAGES:
            options = msgspec.to_builtins(self._options)
            path, mark = str(self._path.absolute()), fingerprint(self._options)
            self.desk = Desk.lay_out(self._folder, Task(path, self._version, mark, options), pages)
        return self.desk

    def clear(self) -> None:
        """Remove the desk: the document is stored."""
        if self.desk:
            self.desk.clear()

    def __exit__(self, *_: object) -> None:
        if self.desk:
            self.desk.close()


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
    sharing: Sharing | None = None,
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
        pages = _Reader(document, options, on_page, given_up, sharing).read(wanted)
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
        sharing: Sharing | None,
    ) -> None:
        self.document = document
        self.options = options
        self.on_page = on_page
        self.sharing = sharing
        self.desk: Desk | None = None
        self.layers: dict[int, TextLayer] = {}
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

    def _require_engine(self) -> None:
        # Outside of any guard: an engine that is not there is not the page's fault.
        _ = self.backend

    def read(self, numbers: Sequence[int]) -> list[ReadPage]:
        """Read the pages: first every text layer, then OCR where it is needed."""
        if self.options.ocr != "always":
            for number in numbers:
                if number not in self.failed:
                    self._announce(number, _LAYER_SECONDS)
                    self._guarded(number, self._look)
        repeated = text_layer.repeated_lines([each.text for each in self.layers.values()])
        verdicts = {number: self._verdict(number, repeated) for number in numbers}
        self._share([number for number in numbers if verdicts[number] in _NEED_OCR])
        return [self._page_or_failure(number, verdicts[number]) for number in numbers]

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
        self.layers[number] = self.document.text_layer(number)
        self.plausible[number] = text_layer.plausibility(self.layers[number].text)

    def _verdict(self, number: int, repeated: frozenset[str]) -> Verdict | None:
        """Judge a page; None for one that fails at it."""
        if self.options.ocr == "auto" and number not in self.failed:
            if text_layer.is_good_beyond_doubt(
                self.layers[number].text, self.plausible[number], repeated
            ):
                return Verdict.GOOD
            self._announce(number, _LAYER_SECONDS)
        return self._guarded(number, partial(self._judge, repeated=repeated))

    def _share(self, numbers: Sequence[int]) -> None:
        """Have pages seen by whoever takes them; in the end none is in another's hand."""
        if self.sharing is None or not numbers:
            return
        self._require_engine()
        self.desk = self.sharing.lay_out(numbers)
        if self.desk is None:
            return
        for patient in (False, True):
            for number in numbers:
                if not (number in self.failed or self.desk.has(number)):
                    self._see_on(self.desk, number, patient)

    def _see_on(self, desk: Desk, number: int, patient: bool) -> None:
        """Look at a page unless another does; with patience, wait for that and then do it."""
        seconds = self._guarded(number, self._ocr_seconds)
        if seconds is None:
            return
        patience = seconds if patient else 0.0
        if patient:
            self.on_page(0, self.document.pages, patience + _GRACE_SECONDS)
        with desk.in_hand(number, patience) as held:
            if (held or patient) and not desk.has(number):
                self._announce(number, seconds)
                seen = self._guarded(number, self._see)
                if seen is not None:
                    desk.keep(number, seen)

    def _page_or_failure(self, number: int, verdict: Verdict | None) -> ReadPage:
        if verdict is None:
            return self._failed(number)
        if verdict is Verdict.GOOD:
            return self._by_layer(number)
        if verdict is Verdict.EMPTY:
            return self._page(number, BLANK, why=verdict.value)
        seconds = self._guarded(number, self._ocr_seconds)
        if seconds is not None:
            self._announce(number, seconds)
        self._require_engine()
        return self._guarded(number, partial(self._by_ocr, why=verdict)) or self._failed(number)

    def _judge(self, number: int, repeated: frozenset[str]) -> Verdict:
        if self.options.ocr == "always":
            return Verdict.ASKED_FOR
        if self.options.ocr == "never":
            return Verdict.GOOD
        return text_layer.judge(
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
        return ocr_seconds(self.document, number, self.options)

    def _see(self, number: int) -> Seen:
        return see(self.document, number, self.options, self.backend)

    def _by_layer(self, number: int) -> ReadPage:
        text, boxes = self.layers[number]
        words = text.split()
        if not words:
            return self._page(number, BLANK)
        confidence = round(self.plausible[number], 3)
        return self._page(number, TEXT, text, words, boxes, confidence=confidence)

    def _by_ocr(self, number: int, why: Verdict) -> ReadPage:
        seen = (self.desk and self.desk.kept(number)) or self._see(number)
        page = seen.page
        if self._layer_has_more(number, page, why):
            return self._by_layer(number)
        if seen.white:
            return self._page(number, BLANK)
        return self._page(
            number,
            OCR if page.words else BLANK,
            page.text,
            [word.text for word in page.words],
            [edge for word in page.words for edge in _shares(word.box, seen)],
            [round(100 * word.confidence) for word in page.words],
            confidence=round(float(page.confidence), 3),
            why=why.value,
            engine=self.engine_name,
            dpi=seen.dpi,
        )

    def _layer_has_more(self, number: int, seen: ocr.OcrPage, why: Verdict) -> bool:
        """Whether OCR saw fewer letters than a layer that makes sense has."""
        if self.plausible.get(number, 0) < JUNK_BELOW:
            return False
        enough = _ENOUGH_OF_A_DOUBTFUL_LAYER if why is Verdict.DOUBTFUL else 1.0
        return text_layer.letters(seen.text) < enough * text_layer.letters(self.layers[number].text)

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


def ocr_seconds(document: pdf.Pdf, number: int, options: ReadingOptions) -> float:
    """Return how long OCR of a page may take, by its size and no longer than the options say."""
    size = document.size(number)
    pixels = pdf.pixels(*size, options.dpi, options.page_megapixels)
    seconds = _OCR_SECONDS + _OCR_SECONDS_PER_MEGAPIXEL * pixels / 1e6
    return min(seconds, options.page_seconds)


def see(document: pdf.Pdf, number: int, options: ReadingOptions, backend: ocr.OcrBackend) -> Seen:
    """Look at a picture of a page; raises whatever the page or the engine is at fault with."""
    with document.page(number, with_forms=True) as page:
        image, dpi = page.render(options.dpi, options.page_megapixels)
        white = is_blank(image)
        if white and page.has_broken_picture():
            raise UnreadablePdf(f"page {number} has a picture that cannot be decoded.")
    nothing = ocr.OcrPage.of(())
    seen = nothing if white else recognise(backend, image, options.languages, dpi)
    return Seen(dpi, image.width, image.height, white, seen)


def _shares(box: ocr.PixelBox, picture: Seen) -> tuple[int, int, int, int]:
    left, top, right, bottom = box
    across, down = UNIT / picture.width, UNIT / picture.height
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
