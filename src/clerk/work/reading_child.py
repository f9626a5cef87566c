"""Reading one document in a child process, for those who have no worker at hand."""

from __future__ import annotations

import select
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from clerk.errors import DocumentError
from clerk.work import isolate
from clerk.work.reading import ReadDocument, ReadingOptions, read_pdf

#: A document that costs more children than this is given up as a whole.
_MOST_PAGES_GIVEN_UP = 3


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
) -> ReadDocument:
    """Do what :func:`read_pdf` does, in a process of its own with limits on time and memory.

    A page that crashes the process or takes too long is a failed page, and the others are read by
    another process.  A document that does so again and again is a DocumentError.
    """
    given_up: dict[int, str] = {}
    while True:
        try:
            return _read_once(path, options, only, given_up, memory_mb)
        except _ChildLost as lost:
            if lost.page == 0 or lost.page in given_up or len(given_up) == _MOST_PAGES_GIVEN_UP:
                raise
            given_up[lost.page] = lost.reason


def _read_once(
    path: Path,
    options: ReadingOptions,
    only: Sequence[int] | None,
    given_up: Mapping[int, str],
    memory_mb: int,
) -> ReadDocument:
    def perform(_order: isolate.Order, _index: int, report: isolate.Report) -> isolate.Performed:
        def on_page(page: int, _pages: int, seconds_allowed: float) -> None:
            report(seconds_allowed, str(page))

        document = read_pdf(path, options, on_page, only, given_up)
        return isolate.Performed(msgspec.to_builtins(document))

    child = isolate.Child(perform, memory_mb=memory_mb)
    try:
        child.send(isolate.Order(step="read"))
        return _follow(child, path)
    finally:
        child.dismiss()


def _follow(child: isolate.Child, path: Path) -> ReadDocument:
    page = 0
    while not child.overdue:
        select.select([child], [], [], _seconds_left(child))
        messages = child.receive()
        if messages is None:
            raise _ChildLost(path, page, f"the reading process was {child.bury()}")
        for message in messages:
            if isinstance(message, isolate.Began):
                page = int(message.note or page)
            if isinstance(message, isolate.Raised):
                raise isolate.revive(message)
            if isinstance(message, isolate.Ended):
                return msgspec.convert(message.performed.result, ReadDocument)
    raise _ChildLost(path, page, "it took too long and was given up")


def _seconds_left(child: isolate.Child) -> float:
    return max(0.0, (child.deadline or 0.0) - time.monotonic())
