"""Helping another process with a long document: one of its pages at a time."""

from __future__ import annotations

import contextlib
from pathlib import Path

import msgspec

from clerk.errors import ClerkError, OperatorError, TransientError
from clerk.work import ocr, pdf
from clerk.work.reading import OnPage, ReadingOptions, fingerprint, ocr_seconds, see
from clerk.work.sharing import Desk, Seen, Task, version_of


class CannotHelp(ClerkError):
    """This process would not read the document as its reader does."""


def assist(folder: Path, on_page: OnPage) -> bool:
    """Read a page of the document on a desk; False when none is waiting.

    A page that fails here is left to the document's reader.  Raises CannotHelp when the file or the
    engine is another than the reader's, and an OperatorError when there is no engine.
    """
    try:
        desk = Desk(folder)
    except FileNotFoundError:
        return False
    with contextlib.closing(desk):
        task = desk.task
        return task is not None and bool(desk.waiting()) and _read_a_page(desk, task, on_page)


def _read_a_page(desk: Desk, task: Task, on_page: OnPage) -> bool:
    path, options = Path(task.path), msgspec.convert(task.options, ReadingOptions)
    backend = ocr.check_engine(options.backend, options.languages)
    limits = {"max_megabytes": options.max_document_mb, "max_pages": options.max_document_pages}
    with pdf.opened(path, **limits) as document:
        # After opening: a file replaced before or meanwhile is not mistaken for the reader's.
        if version_of(path) != task.version or fingerprint(options) != task.fingerprint:
            raise CannotHelp(f"{path} or the OCR engine has changed since its reading began.")
        with desk.next_waiting() as number:
            if number is None:
                return False
            on_page(number, document.pages, ocr_seconds(document, number, options))
            seen = _seen_or_left(document, number, options, backend)
            if seen is not None:
                desk.keep(number, seen)
    return True


def _seen_or_left(
    document: pdf.Pdf, number: int, options: ReadingOptions, backend: ocr.OcrBackend
) -> Seen | None:
    try:
        return see(document, number, options, backend)
    except (OperatorError, TransientError):
        raise
    except Exception:  # noqa: BLE001 - whatever it is, the reader meets it and says so
        return None
