"""Reading a document: per page the text layer when it is good, OCR when it is not.

::

    open -> load every page's text layer -> which lines are repeated? -> judge each page
                                                                     |           |
                                                              good: its text   else: render
                                                                               -> OCR

When many pages need OCR they are shared (:mod:`clerk.read.shared_pages`) with processes that have
nothing else to do; the result is the same.

A page that cannot be read is a failed page, and the others are read all the same.  libpdfium and
the OCR engines may crash or hang: the caller runs this in a child process with limits, and learns
from ``on_page`` which page is being read and how long it may take.  :func:`read_in_child` does so
for callers that are not workers.
"""

from __future__ import annotations

import contextlib
import os
import select
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import ParamSpec, TypeVar

import msgspec

from clerk.core import child_process
from clerk.core.errors import (
    DocumentError,
    EmptyDocument,
    InvalidInput,
    OperatorError,
    PagesFailed,
    PagesOutOfTime,
    TransientError,
)
from clerk.core.formats import Format, format_of
from clerk.core.states import MOST_PAGES

from . import layer_check, ocr, pdf, text_layer
from .files import (
    BLANK,
    FAILED,
    MIX,
    OCR,
    TEXT,
    UNIT,
    DocumentFacts,
    PageBookmark,
    PageFacts,
    PageWords,
    ReadDocument,
    ReadPage,
    is_current,
    store,
)
from .layer_check import AGREES_FROM
from .ocr import GreyImage, OcrPage
from .options import ReadingOptions, engine_name, fingerprint
from .page_helper import help_with_page
from .pdf_text import TextLayer
from .recognition import OnPage, ocr_seconds, recognise_page, words_beside
from .rows import in_rows
from .shared_pages import (
    OcrResult,
    SharedDocument,
    SharedPages,
    file_version,
    find_waiting_document,
)
from .text_layer import JUNK_BELOW, Verdict

__all__ = [
    "ReadingOptions",
    "fingerprint",
    "is_current",
    "page_image",
    "raise_for_failed_pages",
    "read_and_store",
    "read_document",
    "read_in_child",
    "read_pdf",
]

#: Time limit of a page for its text layer.
_LAYER_SECONDS = 30.0

#: Documents with at least this many pages that need OCR are shared.
SHARED_FROM_PAGES = 8
#: A helper gets this much longer than its page may take.
_GRACE_SECONDS = 5.0
#: By the clock, a page that somebody else reads is waited for this many times as long.
_PATIENCE = 5

#: OCR that finds this share of the letters of a doubtful layer is preferred to it.
_ENOUGH_OF_A_DOUBTFUL_LAYER = 0.5

#: A layer that was only checked, not compared with its page, is not beyond doubt.
_SURE_OF_LAYER = 0.99
#: OCR that finds fewer letters than this next to the layer adds nothing to it.
_FEW_LETTERS_ADDED = 12

#: No pages have crashed a reader before.
NO_PAGES: Mapping[int, str] = MappingProxyType({})

_NEED_OCR = frozenset(Verdict) - {Verdict.GOOD, Verdict.EMPTY}

_IMAGE_KINDS = ("png", "jpeg", "webp")
_IMAGE_MEGAPIXELS = 20
_NO_LIMIT = 1_000_000_000

#: How often helpers are checked, and given pages.
_POLL_SECONDS = 0.1
_PAGES_PER_ORDER = 20

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")


def _ignore(page: int, pages: int, seconds_allowed: float) -> None:
    """Report nothing."""


def read_and_store(
    path: Path,
    target_dir: Path,
    options: ReadingOptions,
    pdf_sha256: str,
    on_page: OnPage = _ignore,
    given_up: Mapping[int, str] = NO_PAGES,
    share_in: Path | None = None,
    reader: str = "",
) -> DocumentFacts:
    """Read a PDF into its directory and return how it was read.

    ``reader`` is the :func:`fingerprint` of the options, if it is known.

    If some pages cannot be read, the good ones are stored all the same, marked by
    ``failed-pages.json``, and PagesFailed is raised.  Nothing is stored when the PDF as a whole
    cannot be read.  A long document is shared in the folder ``share_in``, if one is given; the
    results of its pages outlive this process until the document is stored.
    """
    with Sharing(share_in, path, options) as sharing:
        document = read_document(path, options, on_page, given_up=given_up, sharing=sharing)
        reader = reader or fingerprint(options)
        facts = store(document, target_dir, pdf_sha256=pdf_sha256, fingerprint=reader)
        if sharing.pages:
            sharing.pages.remove()
    raise_for_failed_pages(path, document)
    return facts


class Sharing(contextlib.AbstractContextManager["Sharing"]):
    """The shared pages of one document, created once it is known that there are enough of them."""

    def __init__(self, folder: Path | None, path: Path, options: ReadingOptions) -> None:
        self._folder = folder
        self._path = path
        self._options = options
        # Before the file is opened: one that is replaced meanwhile has another version.
        self._version = file_version(path) if folder and path.exists() else None
        self.pages: SharedPages | None = None

    def start(self, numbers: Sequence[int]) -> SharedPages | None:
        """Share the pages if there are many and no other process reads the document."""
        if self._folder and self._version and len(numbers) >= SHARED_FROM_PAGES:
            path, reader = str(self._path.absolute()), fingerprint(self._options)
            document = SharedDocument(path, self._version, reader, self._options)
            self.pages = SharedPages.create(self._folder, document, numbers)
        return self.pages

    def __exit__(self, *_: object) -> None:
        if self.pages:
            self.pages.close()


def raise_for_failed_pages(path: Path, document: ReadDocument) -> None:
    """Raise PagesFailed, naming the pages and the first reason, if there are any.

    If a page was given up because it used up its time, the error says so by its class.
    """
    failed = document.failed_pages
    if failed:
        shown = ", ".join(map(str, list(failed)[:20])) + (", ..." if len(failed) > 20 else "")
        out_of_time = child_process.OUT_OF_TIME in failed.values()
        raise (PagesOutOfTime if out_of_time else PagesFailed)(
            f"{path}: {len(failed)} of {document.page_count} pages could not be read"
            f" ({shown}): {next(iter(failed.values()))}"
        )


def read_document(
    path: Path,
    options: ReadingOptions,
    on_page: OnPage = _ignore,
    only: Sequence[int] | None = None,
    given_up: Mapping[int, str] = NO_PAGES,
    sharing: Sharing | None = None,
) -> ReadDocument:
    """Read a document of any format that clerk reads: PDF, HTML or DOCX.

    The content decides, but a file named .pdf must be one: portals answer with web pages that say
    what went wrong.
    """
    if path.suffix.lower() == ".pdf" or (found := format_of(path)) is Format.PDF:
        return read_pdf(path, options, on_page, only, given_up, sharing)
    # Loaded where it is needed: most documents are PDFs.
    from .other_formats import read_other

    on_page(0, 1, options.page_seconds)
    document = read_other(path, found, options.max_document_mb)
    if only is None:
        return document
    pages = [page for page in document.pages if page.facts.page in only]
    return ReadDocument(document.page_count, pages)


def read_pdf(
    path: Path,
    options: ReadingOptions,
    on_page: OnPage = _ignore,
    only: Sequence[int] | None = None,
    given_up: Mapping[int, str] = NO_PAGES,
    sharing: Sharing | None = None,
) -> ReadDocument:
    """Read a PDF, or only some of its pages (numbers from 1; those beyond the end are ignored).

    Pages that are given up, because they have crashed a reader before, are failed pages for the
    reason given and are not read again.  Raises a DocumentError when the PDF cannot be opened; a
    page that fails is in ``failed_pages``.
    """
    limits = {"max_megabytes": options.max_document_mb, "max_pages": options.max_document_pages}
    with pdf.opened(path, **limits) as document:
        numbers = range(1, document.pages + 1)
        wanted = numbers if only is None else [number for number in numbers if number in only]
        pages = _DocumentReader(document, options, on_page, given_up, sharing).read(wanted)
        # An outline that cannot be read says nothing.
        marks: dict[int, list[PageBookmark]] = {}
        with contextlib.suppress(RuntimeError, UnicodeError, ValueError):
            for number, title, level in document.bookmarks():
                marks.setdefault(number, []).append(PageBookmark(title, level))
    replace = msgspec.structs.replace
    pages = [
        replace(page, facts=replace(page.facts, bookmarks=tuple(marks[page.facts.page])))
        if page.facts.page in marks
        else page
        for page in pages
    ]
    if only is None and all(page.facts.why == Verdict.EMPTY.value for page in pages):
        raise EmptyDocument(f"{path} has nothing on any of its pages; it may be damaged.")
    return ReadDocument(document.pages, pages)


class _DocumentReader:
    """Reads the pages of one document; loads the OCR engine when a page first needs it."""

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
        self.shared: SharedPages | None = None
        self.layers: dict[int, TextLayer] = {}
        self.plausible: dict[int, float] = {}
        self.failed: dict[int, str] = dict(given_up)

    @cached_property
    def backend(self) -> ocr.OcrBackend:
        """The engine, checked to have the languages; to be loaded outside of :meth:`_attempt`.

        A missing engine is not the fault of a page.
        """
        return ocr.check_engine(self.options.backend, self.options.languages)

    @cached_property
    def engine_name(self) -> str:
        """The engine with its version."""
        return engine_name(self.backend)

    def read(self, numbers: Sequence[int]) -> list[ReadPage]:
        """Read the pages: first every text layer, then OCR where it is needed."""
        if self.options.ocr != "always":
            for number in numbers:
                if number not in self.failed:
                    self._announce(number, _LAYER_SECONDS)
                    layer = self._attempt(number, self.document.text_layer, number)
                    if layer is not None:
                        self.layers[number] = layer
                        self.plausible[number] = text_layer.plausibility(layer.text)
        repeated = text_layer.repeated_lines([each.text for each in self.layers.values()])
        verdicts = {number: self._verdict(number, repeated) for number in numbers}
        if self.options.ocr == "auto":
            for number in numbers:
                if verdicts[number] is Verdict.GOOD:
                    verdicts[number] = self._check_on_image(number, repeated)
        self._share([number for number in numbers if verdicts[number] in _NEED_OCR])
        return [self._read_page(number, verdicts[number]) for number in numbers]

    def _announce(self, number: int, seconds: float) -> None:
        # Outside of _attempt: when nobody listens any more, the document stops, not the page.
        self.on_page(number, self.document.pages, min(seconds, self.options.page_seconds))

    def _attempt(
        self,
        number: int,
        step: Callable[_Parameters, _Result],
        *args: _Parameters.args,
        **kwargs: _Parameters.kwargs,
    ) -> _Result | None:
        """Take a step of one page; whatever goes wrong fails this page only."""
        if number in self.failed:
            return None
        try:
            return step(*args, **kwargs)
        except (OperatorError, TransientError):
            raise
        except Exception as error:  # noqa: BLE001 - an engine is a plugin and may raise anything
            self.failed[number] = f"{type(error).__name__}: {error}"
            return None

    def _verdict(self, number: int, repeated: frozenset[str]) -> Verdict | None:
        """Judge the text layer of a page; None for a page that fails."""
        if number in self.failed:
            return None
        if self.options.ocr != "auto":
            return Verdict.ASKED_FOR if self.options.ocr == "always" else Verdict.GOOD
        text, plausible = self.layers[number].text, self.plausible[number]
        if text_layer.is_good_beyond_doubt(text, plausible, repeated):
            return Verdict.GOOD

        def ask(question: Callable[[pdf.PdfPage], bool]) -> bool:
            with self.document.page(number) as page:
                return question(page)

        self._announce(number, _LAYER_SECONDS)
        return self._attempt(
            number,
            text_layer.judge,
            text,
            plausible,
            repeated,
            shows_nothing=lambda: ask(pdf.PdfPage.is_empty),
            shows_more=lambda: ask(pdf.PdfPage.shows_more),
            is_scan=lambda: ask(pdf.PdfPage.is_scan),
        )

    def _check_on_image(self, number: int, repeated: frozenset[str]) -> Verdict | None:
        """Check a layer that looks good against what the page shows, if that may be more."""
        layer = self.layers[number]
        few = not text_layer.has_enough_letters(layer.text, repeated, text_layer.FEW_LETTERS)
        if not layer.near_picture and not few:
            return Verdict.GOOD
        self._announce(number, _LAYER_SECONDS)
        hidden = self._attempt(number, self._hides_text, number)
        if hidden is None:
            return Verdict.GOOD if number not in self.failed else None
        seconds = self._attempt(number, ocr_seconds, self.document, number, self.options)
        if seconds is not None:
            self._announce(number, seconds)
        _ = self.backend
        return self._attempt(number, self._measured_verdict, number, hidden)

    def _hides_text(self, number: int) -> bool | None:
        """Whether the text of a page is hidden; None if the page shows nothing but its text."""
        with self.document.page(number) as page:
            return page.hides_text() if page.shows_more() else None

    def _measured_verdict(self, number: int, hidden: bool) -> Verdict:
        layer = self.layers[number]
        with self.document.page(number, with_forms=True) as page:
            image, dpi = page.render(self.options.dpi, self.options.page_megapixels)
        partial = layer_check.is_partial(layer, image, dpi)
        if hidden:
            languages = self.options.languages
            same = layer_check.agreement(layer, image, dpi, self.backend, languages)
            if same is not None and same < AGREES_FROM:
                return Verdict.WRONG
            if same is not None:
                self.plausible[number] = min(self.plausible[number], same)
        # Text that can be seen is what is written.
        return Verdict.PARTIAL if partial else Verdict.GOOD

    def _share(self, numbers: Sequence[int]) -> None:
        """Run OCR on pages together with helpers; in the end no helper has a page."""
        if self.sharing is None or not numbers:
            return
        _ = self.backend
        self.shared = self.sharing.start(numbers)
        if self.shared is None:
            return
        for wait in (False, True):
            for number in numbers:
                if not (number in self.failed or self.shared.has_result(number)):
                    self._recognise_shared(self.shared, number, wait=wait)

    def _recognise_shared(self, shared: SharedPages, number: int, *, wait: bool) -> None:
        """Run OCR on a page unless a helper does; or wait for the helper, then do it if needed."""
        seconds = self._attempt(number, ocr_seconds, self.document, number, self.options)
        if seconds is None:
            return
        # A helper has no more time than this process, but may have to wait for a processor.
        patience = _PATIENCE * seconds if wait else 0.0
        if wait:
            self.on_page(0, self.document.pages, patience + _GRACE_SECONDS)
        with shared.locked(number, patience) as held:
            if (held or wait) and not shared.has_result(number):
                self._announce(number, seconds)
                result = self._attempt(number, self._recognise, number)
                if result is not None:
                    shared.store(number, result)

    def _recognise(self, number: int) -> OcrResult:
        return recognise_page(self.document, number, self.options, self.backend)

    def _read_page(self, number: int, verdict: Verdict | None) -> ReadPage:
        if verdict is Verdict.GOOD:
            return self._by_layer(number)
        if verdict is Verdict.EMPTY:
            return self._page(PageFacts(number, BLANK, why=verdict.value))
        if verdict is not None:
            seconds = self._attempt(number, ocr_seconds, self.document, number, self.options)
            if seconds is not None:
                self._announce(number, seconds)
            _ = self.backend
            page = self._attempt(number, self._by_ocr, number, verdict)
            if page is not None:
                return page
        facts = PageFacts(number, FAILED, error=self.failed[number])
        return ReadPage("", facts, PageWords(number))

    def _by_layer(self, number: int) -> ReadPage:
        text, boxes, _ = self.layers[number]
        words = text.split()
        if not words:
            return self._page(PageFacts(number, BLANK))
        confidence = min(round(self.plausible[number], 3), _SURE_OF_LAYER)
        return self._page(PageFacts(number, TEXT, confidence), text, words, boxes)

    def _by_ocr(self, number: int, why: Verdict) -> ReadPage:
        result = (self.shared and self.shared.result(number)) or self._recognise(number)
        page = result.page
        method = OCR if page.words else BLANK
        if self.plausible.get(number, 0) >= JUNK_BELOW:
            if why in (Verdict.SPARSE, Verdict.PARTIAL):
                # What is printed stays; what the picture shows besides is added.
                mixed = self._mixed(number, result)
                if mixed is None:
                    return self._by_layer(number)
                page, method = mixed, MIX
            else:
                # A layer that makes sense is used after all if OCR found too few letters.
                enough = _ENOUGH_OF_A_DOUBTFUL_LAYER
                in_layer = text_layer.letters(self.layers[number].text)
                if text_layer.letters(page.text) < enough * in_layer:
                    return self._by_layer(number)
        if result.white:
            return self._page(PageFacts(number, BLANK))
        facts = PageFacts(
            number,
            method,
            confidence=round(float(page.confidence), 3),
            why=why.value,
            engine=self.engine_name,
            dpi=result.dpi,
        )
        scales = (UNIT / result.width, UNIT / result.height) * 2
        boxes = [
            int(edge * scale)
            for word in page.words
            for edge, scale in zip(word.box, scales, strict=True)
        ]
        confidences = [round(100 * word.confidence) for word in page.words]
        return self._page(facts, page.text, [word.text for word in page.words], boxes, confidences)

    def _mixed(self, number: int, result: OcrResult) -> OcrPage | None:
        """Return the words of the layer and those that OCR found next to them, or None."""
        layer = self.layers[number]
        sure = min(self.plausible[number], _SURE_OF_LAYER)
        size = GreyImage(result.width, result.height, b"")
        printed = layer_check.words_of_layer(layer, size, sure)
        added = words_beside(result.page.words, printed)
        # A layer may be shifted a little against the picture.
        news = Counter(word.text for word in added) - Counter(layer.text.split())
        if text_layer.letters("".join(news.elements())) < _FEW_LETTERS_ADDED:
            return None
        longer, shorter = (added, printed) if len(added) > len(printed) else (printed, added)
        return OcrPage.of(in_rows(longer, shorter))

    def _page(
        self,
        facts: PageFacts,
        text: str = "",
        words: Sequence[str] = (),
        boxes: Sequence[int] = (),
        confidences: Sequence[int] = (),
    ) -> ReadPage:
        width, height = self.document.size(facts.page)
        facts = msgspec.structs.replace(facts, width=width, height=height)
        placed = PageWords(facts.page, width, height, words, boxes, confidences)
        return ReadPage(text, facts, placed)


class _ChildLost(DocumentError):
    """The child died or was too slow."""

    def __init__(self, path: Path, page: int, reason: str) -> None:
        at = f"page {page}" if page else "opening it"
        super().__init__(f"{path}: {at}: {reason}.")
        self.page = page
        self.reason = reason


def read_in_child(
    path: Path,
    options: ReadingOptions,
    only: Sequence[int] | None = None,
    *,
    memory_mb: int = 0,
    processes: int = 1,
) -> ReadDocument:
    """Do what :func:`read_pdf` does, in processes with limits on time and memory (0: one per core).

    A page that crashes its process or takes too long is a failed page, and another process reads
    the others.  A document that does so again and again is a DocumentError.
    """
    given_up: dict[int, str] = {}
    with (
        tempfile.TemporaryDirectory(prefix="clerk-reading-") as folder,
        _Helpers(Path(folder), (processes or os.cpu_count() or 1) - 1, memory_mb) as helpers,
    ):

        def perform(
            _order: child_process.Order, _index: int, report: child_process.Report
        ) -> child_process.Performed:
            def on_page(page: int, _pages: int, seconds_allowed: float) -> None:
                report(seconds_allowed, position=page)

            with Sharing(Path(folder), path, options) as sharing:
                document = read_document(path, options, on_page, only, given_up, sharing)
            return child_process.Performed(msgspec.to_builtins(document))

        while True:
            child = child_process.Child(perform, memory_mb=memory_mb)
            try:
                child.send(child_process.Order(step="read"))
                return _result_of(child, path, helpers)
            except _ChildLost as lost:
                if not lost.page or lost.page in given_up or len(given_up) == MOST_PAGES:
                    raise
                given_up[lost.page] = lost.reason
            finally:
                child.dismiss()


def _result_of(child: child_process.Child, path: Path, helpers: _Helpers) -> ReadDocument:
    """Wait for the child that reads a document, and keep the helpers busy meanwhile."""
    page = 0
    while not child.overdue:
        select.select([child, *helpers.children], [], [], _POLL_SECONDS)
        helpers.attend()
        messages = child.receive()
        if messages is None:
            raise _ChildLost(path, page, f"the reading process was {child.wait_for_end()}")
        for message in messages:
            if isinstance(message, child_process.Began):
                page = message.position or page
            if isinstance(message, child_process.Raised):
                raise child_process.revive(message)
            if isinstance(message, child_process.Ended):
                return msgspec.convert(message.performed.result, ReadDocument)
    raise _ChildLost(path, page, child_process.OUT_OF_TIME)


class _Helpers(contextlib.AbstractContextManager["_Helpers"]):
    """Children that help with the document; one that dies is not replaced."""

    def __init__(self, folder: Path, number: int, memory_mb: int) -> None:
        self._folder = folder
        self.children = [
            child_process.Child(self._perform, memory_mb=memory_mb) for _ in range(number)
        ]

    def _perform(
        self, order: child_process.Order, index: int, report: child_process.Report
    ) -> child_process.Performed:
        def on_page(_page: int, _pages: int, seconds_allowed: float) -> None:
            report(seconds_allowed)

        folder = self._folder / order.items[index].name
        return child_process.Performed(help_with_page(folder, on_page))

    def attend(self) -> None:
        """End those that died or take too long; give pages to those that are idle."""
        for child in list(self.children):
            if child.receive() is None or child.overdue:
                child.dismiss()
                self.children.remove(child)
            elif child.deadline is None and (key := find_waiting_document(self._folder)):
                pages = [child_process.OrderItem(key)] * _PAGES_PER_ORDER
                child.send(child_process.Order(step="assist", items=pages))

    def __exit__(self, *_: object) -> None:
        for child in self.children:
            child.dismiss()


def pages_as_pdf(path: Path, first: int, last: int) -> bytes:
    """Return some pages of a PDF as a PDF of their own."""
    with pdf.opened(path, max_megabytes=_NO_LIMIT, max_pages=_NO_LIMIT) as document:
        if not 1 <= first <= last <= document.pages:
            raise InvalidInput(f"{path} has pages 1 to {document.pages}, not {first} to {last}.")
        return document.part(first, last)


def page_image(path: Path, page: int, width: int, kind: str = "webp") -> bytes:
    """Return an image of a page in colour, this many pixels wide: a PNG, JPEG or WebP file."""
    if kind not in _IMAGE_KINDS:
        raise InvalidInput(f"Image formats are {', '.join(_IMAGE_KINDS)}, not {kind!r}.")
    with pdf.opened(path, max_megabytes=_NO_LIMIT, max_pages=_NO_LIMIT) as document:
        if not 1 <= page <= document.pages:
            raise InvalidInput(f"{path} has pages 1 to {document.pages}, not {page}.")
        with document.page(page, with_forms=True) as each:
            return each.picture(width, kind, _IMAGE_MEGAPIXELS)
