"""Helping another process with a long document: one of its pages at a time.

The document stays open from one page to the next: opening a long one may take as long as reading
some of its pages.  Apart from :mod:`clerk.read.shared_pages` because it loads libpdfium, which only
the processes that help need.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path

from clerk.core.errors import ClerkError, OperatorError, TransientError

from . import ocr, pdf
from .options import ReadingOptions, fingerprint
from .recognition import OnPage, ocr_seconds, recognise_page
from .shared_pages import SharedPages, file_version


class CannotHelp(ClerkError):
    """This process would not read the document as its reader does."""


@dataclass(frozen=True)
class _OpenDocument:
    shared: SharedPages
    pdf: pdf.Pdf
    options: ReadingOptions
    backend: ocr.OcrBackend
    opened: contextlib.ExitStack


#: The document this process helps with: none or one.
_open: list[_OpenDocument] = []


def help_with_page(folder: Path, on_page: OnPage) -> bool:
    """Read a page of the document in a shared folder; False when none is waiting.

    A page that fails here is left to the document's reader.  Raises CannotHelp when the file or the
    engine is another than the reader's, and an OperatorError when there is no engine.
    """
    if not (_open and _open[0].shared.folder == folder and _open[0].shared.exists):
        stop_helping()
        document = _open_shared(folder)
        if document is None:
            return False
        _open.append(document)
    document = _open[0]
    with document.shared.next_waiting() as number:
        if number is not None:
            on_page(number, document.pdf.pages, ocr_seconds(document.pdf, number, document.options))
            try:
                result = recognise_page(document.pdf, number, document.options, document.backend)
            except (OperatorError, TransientError):
                raise
            except Exception:  # noqa: BLE001 - an engine may raise anything; the reader reports it
                return True
            document.shared.store(number, result)
            return True
    stop_helping()
    return False


def stop_helping() -> None:
    """Close the document this process helps with, if any."""
    while _open:
        _open.pop().opened.close()


def _open_shared(folder: Path) -> _OpenDocument | None:
    """Open a shared document; None when its folder is gone or no page is waiting there."""
    with contextlib.ExitStack() as stack:
        try:
            shared = stack.enter_context(contextlib.closing(SharedPages(folder)))
        except FileNotFoundError:
            return None
        document = shared.document
        if document is None or not shared.waiting():
            return None
        path, options = Path(document.path), document.options
        backend = ocr.check_engine(options.backend, options.languages)
        limits = {"max_megabytes": options.max_document_mb, "max_pages": options.max_document_pages}
        opened = stack.enter_context(pdf.opened(path, **limits))
        # After opening: a file replaced before or meanwhile is not mistaken for the reader's.
        if file_version(path) != document.version or fingerprint(options) != document.fingerprint:
            raise CannotHelp(f"{path} or the OCR engine has changed since its reading began.")
        return _OpenDocument(shared, opened, options, backend, stack.pop_all())
    return None
