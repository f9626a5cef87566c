"""Cutting an upload into batches, and reading a batch.

A batch is byte ranges, never content.  It is full at 20,000 objects, 4 MB or 2,000 documents; all
objects of a document are in the same batch, however far apart they are in the file.  A first look
at the file finds the documents that come back later (8 bytes an object); the second gives the
batches.  The same file always gives the same batches, so an interrupted split is resumed by asking
for those after the last one kept.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct

from .careful import document_of
from .checking import decode
from .model import CheckedObject, Issue, Issues
from .scanning import MAX_OBJECT_BYTES, PROBLEMS, Found, objects_in
from .uploads import Upload

_BUFFER = 1024 * 1024


class BatchLimits(Struct, frozen=True):
    """When a batch is full; a document alone may be more."""

    items: int = 20_000
    bytes: int = 4 * 1024 * 1024
    documents: int = 2_000
    object_bytes: int = MAX_OBJECT_BYTES


class Range(Struct, frozen=True, array_like=True):
    """Objects that follow each other in a member of the upload, and the line they begin on."""

    member: int
    begin: int
    end: int
    line: int


class Batch(Struct, frozen=True):
    """A piece of an upload that one worker takes: what to read, and how much it is."""

    ranges: tuple[Range, ...]
    items: int
    bytes: int
    #: The documents by name, those that were named.
    documents: tuple[str, ...]
    #: What was already seen to be no object; counted among the items.
    issues: tuple[Issue, ...] = ()


class _Piece(Struct):
    """An object as it was found, with the document it is about."""

    member: int
    found: Found
    document: tuple[str, str] | None
    mark: int
    #: Numbers without a gap mean that nothing but separators lies between.
    number: int


class _Key(Struct):
    sourcedb: Any = None
    sourceid: Any = None


_key_decoder = msgspec.json.Decoder(_Key)


def split(
    upload: Upload,
    limits: BatchLimits | None = None,
    *,
    ranges: Iterable[Range] | None = None,
    skip: int = 0,
) -> Iterator[Batch]:
    """Give the batches of an upload, or of some ranges of it, in order, after the first few.

    To resume, skip as many as were kept.  To cut a batch smaller, split its ranges again with
    other limits: one document a batch isolates the document in hand.
    """
    limits = limits or BatchLimits()
    whole = tuple(ranges) if ranges is not None else ranges_of(upload)
    packer = _Packer(upload, limits)
    batches = packer.pack(_groups(upload, whole, limits))
    for number, batch in enumerate(batches):
        if number >= skip:
            yield batch


def ranges_of(upload: Upload) -> tuple[Range, ...]:
    """Return ranges that are the whole upload."""
    return tuple(
        Range(number, member.begin, member.end, 1) for number, member in enumerate(upload.members)
    )


def decode_batch(upload: Upload, batch: Batch) -> Iterator[CheckedObject | Issue]:
    """Give each object of the batch, checked, or the issue in its place.

    First come the issues that splitting found, then the objects in the order of the ranges.
    """
    yield from batch.issues
    with Path(upload.path).open("rb", _BUFFER) as file:
        for each in batch.ranges:
            member = upload.members[each.member]
            # Nothing of a range is too large, and between its objects are only separators.
            for found in objects_in(
                file, member.kind, each.begin, each.end, each.line, max_object_bytes=each.end
            ):
                if not found.problem:
                    yield decode(found.data, file=member.name, line=found.line)


def read_documents(
    upload: Upload, batch: Batch
) -> tuple[dict[tuple[str, str], list[CheckedObject]], list[Issue]]:
    """Return the objects of the batch by document, each in the file's order, and the issues."""
    documents: dict[tuple[str, str], list[CheckedObject]] = {}
    issues = Issues()
    for found in decode_batch(upload, batch):
        if isinstance(found, Issue):
            issues.add(found)
        else:
            documents.setdefault(found.document, []).append(found)
    return documents, list(issues)


def _pieces(upload: Upload, ranges: Iterable[Range], limits: BatchLimits) -> Iterator[_Piece]:
    numbers = count()
    with Path(upload.path).open("rb", _BUFFER) as file:
        for each in ranges:
            next(numbers)
            kind = upload.members[each.member].kind
            for found in objects_in(
                file, kind, each.begin, each.end, each.line, max_object_bytes=limits.object_bytes
            ):
                document = None if found.problem else _document(found.data)
                yield _Piece(each.member, found, document, _mark(document), next(numbers))


def _document(data: bytes) -> tuple[str, str] | None:
    try:
        key = _key_decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return document_of({"sourcedb": key.sourcedb, "sourceid": key.sourceid})


def _mark(document: tuple[str, str] | None) -> int:
    """Return a number for the document, 0 for none; two of the same only share a batch."""
    if document is None:
        return 0
    name = "\0".join(document).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(name, digest_size=8).digest()) or 1


def _groups(
    upload: Upload, ranges: tuple[Range, ...], limits: BatchLimits
) -> Iterator[list[_Piece]]:
    """Give the objects grouped so that a document is in one group, complete."""
    returning = _returning(_pieces(upload, ranges, limits))
    waiting: dict[int, list[_Piece]] = {}
    for run in _runs(_pieces(upload, ranges, limits)):
        mark = run[0].mark
        if mark not in returning:
            yield run
            continue
        waiting.setdefault(mark, []).extend(run)
        returning[mark] -= 1
        if not returning[mark]:
            yield waiting.pop(mark)


def _runs(pieces: Iterator[_Piece]) -> Iterator[list[_Piece]]:
    """Join objects of one document that follow each other; their content is let go."""
    run: list[_Piece] = []
    for piece in pieces:
        piece.found = Found(
            piece.found.begin, piece.found.end, piece.found.line, b"", piece.found.problem
        )
        if run and (piece.mark != run[0].mark or not piece.mark):
            yield run
            run = []
        run.append(piece)
    if run:
        yield run


def _returning(pieces: Iterator[_Piece]) -> dict[int, int]:
    """Return the documents that come in more than one place, and in how many."""
    marks = array("Q")
    previous = 0
    for piece in pieces:
        if piece.mark and piece.mark != previous:
            marks.append(piece.mark)
        previous = piece.mark
    ordered = np.frombuffer(marks, np.uint64) if len(marks) else np.zeros(0, np.uint64)
    found, places = np.unique(ordered, return_counts=True)
    several = places > 1
    return dict(zip(found[several].tolist(), places[several].tolist(), strict=True))


class _Packer:
    """Fills batches with groups."""

    def __init__(self, upload: Upload, limits: BatchLimits) -> None:
        self._upload = upload
        self._limits = limits
        self._empty()

    def pack(self, groups: Iterable[list[_Piece]]) -> Iterator[Batch]:
        """Give a batch whenever the next group would be too much for it."""
        for group in groups:
            size = sum(piece.found.end - piece.found.begin for piece in group)
            if self._items and not self._has_room(len(group), size):
                yield self._batch()
                self._empty()
            self._add(group, size)
        if self._items:
            yield self._batch()

    def _empty(self) -> None:
        self._ranges: list[Range] = []
        self._documents: list[str] = []
        self._issues = Issues()
        self._items = 0
        self._bytes = 0
        self._groups = 0
        self._last_number = 0

    def _has_room(self, items: int, size: int) -> bool:
        return (
            self._items + items <= self._limits.items
            and self._bytes + size <= self._limits.bytes
            and self._groups < self._limits.documents
        )

    def _add(self, group: list[_Piece], size: int) -> None:
        self._items += len(group)
        self._bytes += size
        self._groups += 1
        if group[0].document:
            self._documents.append(":".join(group[0].document))
        for piece in group:
            if piece.found.problem:
                self._issues.add(self._issue(piece))
            else:
                self._include(piece)

    def _include(self, piece: _Piece) -> None:
        """Lengthen the last range when the object is the next one, else begin a range."""
        found = piece.found
        if self._ranges and piece.number == self._last_number + 1:
            last = self._ranges[-1]
            self._ranges[-1] = Range(last.member, last.begin, found.end, last.line)
        else:
            self._ranges.append(Range(piece.member, found.begin, found.end, found.line))
        self._last_number = piece.number

    def _issue(self, piece: _Piece) -> Issue:
        problem = piece.found.problem
        message = PROBLEMS[problem].format(limit=self._limits.object_bytes)
        return Issue(problem, message, self._upload.members[piece.member].name, piece.found.line)

    def _batch(self) -> Batch:
        return Batch(
            tuple(self._ranges),
            self._items,
            self._bytes,
            tuple(self._documents),
            tuple(self._issues),
        )
