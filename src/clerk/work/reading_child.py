"""Reading one document in a child process, for those who have no worker at hand."""

from __future__ import annotations

import select
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from clerk.errors import DocumentError
from clerk.work import isolate
from clerk.work.reading import ReadDocument, ReadingOptions, read_pdf


def read_in_child(
    path: Path,
    options: ReadingOptions,
    only: Sequence[int] | None = None,
    *,
    memory_mb: int = 0,
) -> ReadDocument:
    """Do what :func:`read_pdf` does, in a process of its own with limits on time and memory.

    A crash or an overrun is a DocumentError that names the file and the page in hand.
    """

    def perform(_order: isolate.Order, _index: int, report: isolate.Report) -> isolate.Performed:
        def on_page(page: int, pages: int, seconds_allowed: float) -> None:
            report(seconds_allowed, f"page {page} of {pages}")

        return isolate.Performed(msgspec.to_builtins(read_pdf(path, options, on_page, only)))

    child = isolate.Child(perform, memory_mb=memory_mb)
    try:
        child.send(isolate.Order(step="read"))
        return _follow(child, path)
    finally:
        child.dismiss()


def _follow(child: isolate.Child, path: Path) -> ReadDocument:
    in_hand = "opening it"
    while not child.overdue:
        select.select([child], [], [], _seconds_left(child))
        messages = child.receive()
        if messages is None:
            raise DocumentError(f"{path}: the reading process was {child.bury()} at {in_hand}.")
        for message in messages:
            if isinstance(message, isolate.Began):
                in_hand = message.note or in_hand
            if isinstance(message, isolate.Raised):
                raise isolate.revive(message)
            if isinstance(message, isolate.Ended):
                return msgspec.convert(message.performed.result, ReadDocument)
    raise DocumentError(f"{path}: {in_hand} took too long and was given up.")


def _seconds_left(child: isolate.Child) -> float:
    return max(0.0, (child.deadline or 0.0) - time.monotonic())
