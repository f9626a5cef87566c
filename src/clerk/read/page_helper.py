"""Helping another process with a long document: one of its pages at a time.

The document stays open from one page to the next: finding one's way in it may cost as much as
reading some pages.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import msgspec

from clerk.core.errors import ClerkError, OperatorError, TransientError

from . import ocr, pdf
from .documents import OnPage, ReadingOptions, fingerprint, ocr_seconds, see
from .shared_pages import Desk, Seen, Task, version_of


class CannotHelp(ClerkError):
    """This process would not read the document as its reader does."""


def assist(folder: Path, on_page: OnPage) -> bool:
    """Read a page of the document on a desk; False when none is waiting.

    A page that fails here is left to the document's reader.  Raises CannotHelp when the file or the
    engine is another than the reader's, and an OperatorError when there is no engine.
    """
    if not (_seats and _seats[-1].is_at(folder)):
        leave()
        assistant = _sit_down(folder)
        if assistant is None:
            return False
        _seats.append(assistant)
    if _seats[-1].read_a_page(on_page):
        return True
    leave()
    return False


#: Where this process sits, if it helps: nowhere or at one desk.
_seats: list[_Assistant] = []


def leave() -> None:
    """Close what was open for helping."""
    while _seats:
        _seats.pop().close()


def _sit_down(folder: Path) -> _Assistant | None:
    """Open a desk and its document; None when the desk is gone or nothing waits there."""
    with contextlib.ExitStack() as stack:
        try:
            desk = stack.enter_context(contextlib.closing(Desk(folder)))
        except FileNotFoundError:
            return None
        task = desk.task
        if task is None or not desk.waiting():
            return None
        options = msgspec.convert(task.options, ReadingOptions)
        backend = ocr.check_engine(options.backend, options.languages)
        document = stack.enter_context(_opened(task, options))
        return _Assistant(desk, document, options, backend, stack.pop_all())


@contextlib.contextmanager
def _opened(task: Task, options: ReadingOptions) -> Iterator[pdf.Pdf]:
    path = Path(task.path)
    limits = {"max_megabytes": options.max_document_mb, "max_pages": options.max_document_pages}
    with pdf.opened(path, **limits) as document:
        # After opening: a file replaced before or meanwhile is not mistaken for the reader's.
        if version_of(path) != task.version or fingerprint(options) != task.fingerprint:
            raise CannotHelp(f"{path} or the OCR engine has changed since its reading began.")
        yield document


class _Assistant:
    """A process at a desk, with the document open."""

    def __init__(
        self,
        desk: Desk,
        document: pdf.Pdf,
        options: ReadingOptions,
        backend: ocr.OcrBackend,
        opened: contextlib.ExitStack,
    ) -> None:
        self._desk = desk
        self._document = document
        self._options = options
        self._backend = backend
        self.close = opened.close

    def is_at(self, folder: Path) -> bool:
        """Whether this is the desk, and it was not cleared away since."""
        return self._desk.folder == folder and self._desk.stands

    def read_a_page(self, on_page: OnPage) -> bool:
        """Take a page and leave what is seen there; whether there was one."""
        with self._desk.next_waiting() as number:
            if number is None:
                return False
            seconds = ocr_seconds(self._document, number, self._options)
            on_page(number, self._document.pages, seconds)
            seen = self._seen_or_left(number)
            if seen is not None:
                self._desk.keep(number, seen)
            return True

    def _seen_or_left(self, number: int) -> Seen | None:
        try:
            return see(self._document, number, self._options, self._backend)
        except (OperatorError, TransientError):
            raise
        except Exception:  # noqa: BLE001 - whatever it is, the reader meets it and says so
            return None
