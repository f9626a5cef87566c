"""Reading one document in child processes, for those who have no worker at hand."""

from __future__ import annotations

import os
import select
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from clerk.core.errors import DocumentError
from clerk.executors import child_process
from clerk.pipeline.blame import MOST_PAGES

from .documents import ReadDocument, ReadingOptions, Sharing, read_pdf
from .page_helper import assist
from .shared_pages import offered

#: How often it is looked whether there are pages to help with.
_LOOK_SECONDS = 0.1
#: So many pages are given to a helper at once.
_PAGES_AT_ONCE = 20


class _ChildLost(DocumentError):
    """The child died or was too slow."""

    def __init__(self, path: Path, page: int, reason: str) -> None:
        at = f"page {page}" if page else "opening it"
        super().__init__(f"{path}: {at}: {reason}.")
        self.page = page
        self.reason = reason


class _Helpers:
    """Children that help with the document on a desk; one that dies is not replaced."""

    def __init__(self, desks: Path, number: int, memory_mb: int) -> None:
        self._desks = desks
        self.children = [
            child_process.Child(self._help, memory_mb=memory_mb) for _ in range(number)
        ]

    def _help(
        self, order: child_process.Order, index: int, report: child_process.Report
    ) -> child_process.Performed:
        def on_page(_page: int, _pages: int, seconds_allowed: float) -> None:
            report(seconds_allowed)

        return child_process.Performed(assist(self._desks / order.items[index].name, on_page))

    def attend(self) -> None:
        """See to those that died or take too long; give pages to those that are idle."""
        for child in list(self.children):
            if child.receive() is None or child.overdue:
                child.dismiss()
                self.children.remove(child)
            elif child.deadline is None and (desk := offered(self._desks)):
                pages = [child_process.OrderItem(desk)] * _PAGES_AT_ONCE
                child.send(child_process.Order(step="assist", items=pages))

    def dismiss(self) -> None:
        """End them all."""
        for child in self.children:
            child.dismiss()


def read_in_child(
    path: Path,
    options: ReadingOptions,
    only: Sequence[int] | None = None,
    *,
    memory_mb: int = 0,
    processes: int = 1,
) -> ReadDocument:
    """Do what :func:`read_pdf` does, in processes with limits on time and memory (0: one per core).

    A page that crashes its process or takes too long is a failed page, and the others are read by
    another process.  A document that does so again and again is a DocumentError.
    """
    with tempfile.TemporaryDirectory(prefix="clerk-reading-") as folder:
        number = (processes or os.cpu_count() or 1) - 1
        helpers = _Helpers(Path(folder), number, memory_mb)
        try:
            return _Reading(path, options, only, memory_mb, Path(folder), helpers).read()
        finally:
            helpers.dismiss()


class _Reading:
    """The attempts to read one document."""

    def __init__(
        self,
        path: Path,
        options: ReadingOptions,
        only: Sequence[int] | None,
        memory_mb: int,
        desks: Path,
        helpers: _Helpers,
    ) -> None:
        self._path = path
        self._options = options
        self._only = only
        self._memory_mb = memory_mb
        self._desks = desks
        self._helpers = helpers
        self._given_up: dict[int, str] = {}

    def read(self) -> ReadDocument:
        """Try until only pages that crash or hang are left out."""
        while True:
            try:
                return self._read_once()
            except _ChildLost as lost:
                known, many = lost.page in self._given_up, len(self._given_up)
                if lost.page == 0 or known or many == MOST_PAGES:
                    raise
                self._given_up[lost.page] = lost.reason

    def _read_once(self) -> ReadDocument:
        child = child_process.Child(self._perform, memory_mb=self._memory_mb)
        try:
            child.send(child_process.Order(step="read"))
            return self._follow(child)
        finally:
            child.dismiss()

    def _perform(
        self, _order: child_process.Order, _index: int, report: child_process.Report
    ) -> child_process.Performed:
        def on_page(page: int, _pages: int, seconds_allowed: float) -> None:
            report(seconds_allowed, str(page))

        with Sharing(self._desks, self._path, self._options) as sharing:
            document = read_pdf(
                self._path, self._options, on_page, self._only, self._given_up, sharing
            )
        return child_process.Performed(msgspec.to_builtins(document))

    def _follow(self, child: child_process.Child) -> ReadDocument:
        page = 0
        while not child.overdue:
            busy = [child, *self._helpers.children]
            select.select(busy, [], [], min(_LOOK_SECONDS, _seconds_left(child)))
            self._helpers.attend()
            messages = child.receive()
            if messages is None:
                reason = f"the reading process was {child.bury()}"
                raise _ChildLost(self._path, page, reason)
            for message in messages:
                if isinstance(message, child_process.Began):
                    page = int(message.note or page)
                if isinstance(message, child_process.Raised):
                    raise child_process.revive(message)
                if isinstance(message, child_process.Ended):
                    return msgspec.convert(message.performed.result, ReadDocument)
        raise _ChildLost(self._path, page, "it took too long and was given up")


def _seconds_left(child: child_process.Child) -> float:
    return max(0.0, (child.deadline or 0.0) - time.monotonic())
