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
from .upload_files import Upload

_BUFFER = 1024 * 1024
#: Nothing shorter names a document; asking the decoder about an empty line is dear.
_SHORTEST = len(b'{"sourcedb":"a","sourceid":1}')


class BatchLimits(Struct, frozen=True):
    """When a batch is full; a document alone may be more."""

    items: int = 20_000
    bytes: int = 4 * 1024 * 1024
    documents: int = 2_000
    object_bytes: int = MAX_OBJECT_BYTES
    #: All objects of a document together; a document with more is refused whole.
    document_bytes: int = MAX_OBJECT_BYTES
    document_objects: int = 100_000


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
            before = next(numbers)
            number = before
            kind = upload.members[each.member].kind
            for found in objects_in(
                file, kind, each.begin, each.end, each.line, max_object_bytes=limits.object_bytes
            ):
                document = None if found.problem else _document(found.data)
                number = next(numbers)
                yield _Piece(each.member, found, document, _mark(document), number)
            if number == before:
                nothing = Found(each.begin, each.end, each.line, problem="empty")
                yield _Piece(each.member, nothing, None, 0, next(numbers))


def _document(data: bytes) -> tuple[str, str] | None:
    if len(data) < _SHORTEST:
        return None
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


class _Group:
    """The objects of one document, or one object that names none.

    Of a document that has become too large only the size is kept.
    """

    def __init__(self, first: _Piece, limits: BatchLimits) -> None:
        self._limits = limits
        self.first = first
        self.pieces: list[_Piece] = []
        self.items = 0
        self.bytes = 0
        self.add(first)

    @property
    def is_too_large(self) -> bool:
        limits = self._limits
        return self.items > limits.document_objects or (
            self.items > 1 and self.bytes > limits.document_bytes
        )

    def add(self, piece: _Piece) -> None:
        """Take in an object, without its content."""
        found = piece.found
        piece.found = Found(found.begin, found.end, found.line, b"", found.problem)
        self.items += 1
        self.bytes += found.end - found.begin
        self.pieces.append(piece)
        if self.is_too_large:
            self.pieces.clear()


def _groups(upload: Upload, ranges: tuple[Range, ...], limits: BatchLimits) -> Iterator[_Group]:
    """Give the objects grouped so that a document is in one group, complete."""
    returning = _returning(_pieces(upload, ranges, limits))
    waiting: dict[int, _Group] = {}
    last: _Group | None = None
    for piece in _pieces(upload, ranges, limits):
        if last is not None and piece.mark and piece.mark == last.first.mark:
            last.add(piece)
            continue
        if last is not None:
            yield from _complete(last, returning, waiting)
        last = waiting.get(piece.mark) if piece.mark else None
        if last is not None:
            last.add(piece)
        else:
            last = _Group(piece, limits)
    if last is not None:
        yield from _complete(last, returning, waiting)


def _complete(
    group: _Group, returning: dict[int, int], waiting: dict[int, _Group]
) -> Iterator[_Group]:
    """Give the group unless more of its document is still to come."""
    mark = group.first.mark
    if mark in returning:
        returning[mark] -= 1
        if returning[mark]:
            waiting[mark] = group
            return
        waiting.pop(mark, None)
    yield group


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

    def pack(self, groups: Iterable[_Group]) -> Iterator[Batch]:
        """Give a batch whenever the next group would be too much for it."""
        for group in groups:
            if self._items and not self._has_room(group):
                yield self._batch()
                self._empty()
            self._add(group)
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

    def _has_room(self, group: _Group) -> bool:
        return (
            self._items + group.items <= self._limits.items
            and self._bytes + group.bytes <= self._limits.bytes
            and self._groups < self._limits.documents
        )

    def _add(self, group: _Group) -> None:
        self._items += group.items
        self._bytes += group.bytes
        self._groups += 1
        if group.first.document:
            self._documents.append(":".join(group.first.document))
        if group.is_too_large:
            self._issues.add(self._refusal(group))
        for piece in group.pieces:
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

    def _refusal(self, group: _Group) -> Issue:
        sourcedb, sourceid = group.first.document or ("", "")
        limits, first = self._limits, group.first
        message = (
            f"the document is too large: {group.items:,} objects, {group.bytes:,} bytes; it may "
            f"have {limits.document_objects:,} objects and {limits.document_bytes:,} bytes."
        )
        name = self._upload.members[first.member].name
        line = first.found.line
        return Issue("too_large", message, name, line, sourcedb, sourceid, times=group.items)

    def _batch(self) -> Batch:
        return Batch(
            tuple(self._ranges),
            self._items,
            self._bytes,
            tuple(self._documents),
            tuple(self._issues),
        )
