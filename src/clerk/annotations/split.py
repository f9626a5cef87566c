"""Finding the objects of an upload, cutting them into batches, and reading a batch.

Objects are found without parsing, in one pass and bounded memory: ``.jsonl`` is cut at line ends;
``.json`` may hold one object, an array of objects, or objects one after the other, and brackets
outside of strings are counted, block by block, with numpy.

A batch is byte ranges, never content.  It is full at 20,000 objects, 4 MB or 2,000 documents; all
objects of a document are in the same batch, however far apart they are in the file.  A first pass
over the file finds the documents that occur in several places (8 bytes an object); the second
yields the batches.  The same file always gives the same batches, so an interrupted split is resumed
by skipping as many as were stored.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from .objects import CheckedObject, Issue, Issues
from .rules import decode, document_of
from .spool import UploadedFiles

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
else:
    from clerk.core import lazy_numpy as np

#: A larger object is an issue, and is never held in memory.
MAX_OBJECT_BYTES = 32 * 1024 * 1024

_BLOCK = 1024 * 1024
_SEPARATORS = b" \t\r\n,"
_CLOSING = b"]}"

#: An object that never ends is given up, and scanning continues at the next line that begins with
#: a brace; after this many the rest of the file is given up too.
_MAX_RECOVERIES = 20

#: Nothing shorter names a document; asking the decoder about an empty line is expensive.
_SHORTEST = len(b'{"sourcedb":"a","sourceid":1}')

#: The messages for what is found in the place of an object.
PROBLEMS = {
    "too_large": "the object is larger than {limit} bytes.",
    "truncated": "the object does not end: the file is cut off or a bracket is missing.",
    "empty": "there is no object in the file.",
    "stray_text": "text between the objects is not JSON of an object.",
}


class BatchLimits(Struct, frozen=True):
    """When a batch is full; a single document may be larger."""

    items: int = 20_000
    bytes: int = 4 * 1024 * 1024
    documents: int = 2_000
    object_bytes: int = MAX_OBJECT_BYTES
    #: All objects of a document together; a document with more is rejected.
    document_bytes: int = MAX_OBJECT_BYTES
    document_objects: int = 100_000


class Range(Struct, frozen=True, array_like=True):
    """Consecutive objects in a member of the upload, and the line they begin on."""

    member: int
    begin: int
    end: int
    line: int


class UploadBatch(Struct, frozen=True):
    """A piece of an upload for one worker: what to read, and how much it is."""

    ranges: tuple[Range, ...]
    items: int
    bytes: int
    #: (sourcedb, sourceid) of the documents, as far as the objects name them.
    documents: tuple[tuple[str, str], ...]
    #: Found while splitting; counted among the items.
    issues: tuple[Issue, ...] = ()


# ------------------------------------------------------------------------------------ batches


def split(
    upload: UploadedFiles,
    limits: BatchLimits | None = None,
    *,
    ranges: Iterable[Range] | None = None,
    skip: int = 0,
) -> Iterator[UploadBatch]:
    """Yield the batches of an upload, or of some ranges of it, in order, after the first ``skip``.

    To resume, skip as many as were stored.  To cut a batch smaller, split its ranges again with
    other limits: one document a batch isolates each document.
    """
    limits = limits or BatchLimits()
    if ranges is None:
        members = enumerate(upload.members)
        ranges = (Range(number, member.begin, member.end, 1) for number, member in members)
    filling = _Filling(upload, limits)
    number = 0
    for group in _groups(upload, tuple(ranges), limits):
        if filling.items and not filling.has_room(group):
            if number >= skip:
                yield filling.batch()
            number += 1
            filling = _Filling(upload, limits)
        filling.add(group)
    if filling.items and number >= skip:
        yield filling.batch()


def decode_batch(upload: UploadedFiles, batch: UploadBatch) -> Iterator[CheckedObject | Issue]:
    """Yield each object of the batch, checked, or the issue in its place.

    First come the issues that splitting found, then the objects in the order of the ranges.
    """
    yield from batch.issues
    with Path(upload.path).open("rb", _BLOCK) as file:
        for each in batch.ranges:
            member = upload.members[each.member]
            # Nothing of a range is too large, and between its objects are only separators.
            for found in objects_in(
                file, member.kind, each.begin, each.end, each.line, max_object_bytes=each.end
            ):
                if not found.problem:
                    yield decode(found.data, file=member.name, line=found.line)


def read_documents(
    upload: UploadedFiles, batch: UploadBatch
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


class _Piece(Struct):
    """An object as it was found, with the document it is about."""

    member: int
    found: FoundObject
    document: tuple[str, str] | None
    #: A hash of the document, 0 for none; two documents with the same one only share a batch.
    mark: int
    #: Consecutive numbers mean that nothing but separators lies between.
    number: int


class _Key(Struct):
    sourcedb: Any = None
    sourceid: Any = None


_key_decoder = msgspec.json.Decoder(_Key)


def _pieces(
    upload: UploadedFiles, ranges: Iterable[Range], limits: BatchLimits
) -> Iterator[_Piece]:
    numbers = count()
    with Path(upload.path).open("rb", _BLOCK) as file:
        for each in ranges:
            before = number = next(numbers)
            kind = upload.members[each.member].kind
            for found in objects_in(
                file, kind, each.begin, each.end, each.line, max_object_bytes=limits.object_bytes
            ):
                document, mark = None, 0
                if len(found.data) >= _SHORTEST and not found.problem:
                    try:
                        key = _key_decoder.decode(found.data)
                        document = document_of({"sourcedb": key.sourcedb, "sourceid": key.sourceid})
                    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                        document = None
                if document:
                    name = "\0".join(document).encode("utf-8", "surrogatepass")
                    digest = hashlib.blake2b(name, digest_size=8).digest()
                    mark = int.from_bytes(digest) or 1
                number = next(numbers)
                yield _Piece(each.member, found, document, mark, number)
            if number == before:
                nothing = FoundObject(each.begin, each.end, each.line, problem="empty")
                yield _Piece(each.member, nothing, None, 0, next(numbers))


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
        """Add an object, without its content."""
        found = piece.found
        piece.found = FoundObject(found.begin, found.end, found.line, b"", found.problem)
        self.items += 1
        self.bytes += found.end - found.begin
        self.pieces.append(piece)
        if self.is_too_large:
            self.pieces.clear()


def _groups(
    upload: UploadedFiles, ranges: tuple[Range, ...], limits: BatchLimits
) -> Iterator[_Group]:
    """Yield the objects grouped so that a document is in one group, complete."""
    places = _places_of_scattered_documents(_pieces(upload, ranges, limits))
    waiting: dict[int, _Group] = {}
    group: _Group | None = None
    for piece in _pieces(upload, ranges, limits):
        mark = piece.mark
        if group is None or not mark or mark != group.first.mark:
            if group is not None and _is_complete(group, places, waiting):
                yield group
            group = waiting.get(mark) if mark else None
        if group is None:
            group = _Group(piece, limits)
        else:
            group.add(piece)
    if group is not None and _is_complete(group, places, waiting):
        yield group


def _is_complete(group: _Group, places: dict[int, int], waiting: dict[int, _Group]) -> bool:
    """Whether no more of the document is to come; if there is more, keep the group waiting."""
    mark = group.first.mark
    if mark in places:
        places[mark] -= 1
        if places[mark]:
            waiting[mark] = group
            return False
        waiting.pop(mark, None)
    return True


def _places_of_scattered_documents(pieces: Iterator[_Piece]) -> dict[int, int]:
    """Return the documents that occur in more than one place, and in how many."""
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


class _Filling:
    """A batch that is being filled with groups."""

    def __init__(self, upload: UploadedFiles, limits: BatchLimits) -> None:
        self._upload = upload
        self._limits = limits
        self._ranges: list[Range] = []
        self._documents: list[tuple[str, str]] = []
        self._issues = Issues()
        self.items = 0
        self._bytes = 0
        self._groups = 0
        self._last_number = 0

    def has_room(self, group: _Group) -> bool:
        """Whether the group fits in as well."""
        return (
            self.items + group.items <= self._limits.items
            and self._bytes + group.bytes <= self._limits.bytes
            and self._groups < self._limits.documents
        )

    def add(self, group: _Group) -> None:
        """Add a group: its ranges, or the issues in their place."""
        limits, first = self._limits, group.first
        self.items += group.items
        self._bytes += group.bytes
        self._groups += 1
        if first.document:
            self._documents.append(first.document)
        if group.is_too_large:
            message = (
                f"the document is too large: {group.items:,} objects, {group.bytes:,} bytes; "
                f"it may have {limits.document_objects:,} objects and "
                f"{limits.document_bytes:,} bytes."
            )
            place = (self._upload.members[first.member].name, first.found.line)
            key = first.document or ("", "")
            self._issues.add(Issue("too_large", message, *place, *key, times=group.items))
        for piece in group.pieces:
            found = piece.found
            if found.problem:
                message = PROBLEMS[found.problem].format(limit=limits.object_bytes)
                file = self._upload.members[piece.member].name
                self._issues.add(Issue(found.problem, message, file, found.line))
                continue
            # Extend the last range when the object is the next one, else begin a range.
            if self._ranges and piece.number == self._last_number + 1:
                last = self._ranges[-1]
                self._ranges[-1] = Range(last.member, last.begin, found.end, last.line)
            else:
                self._ranges.append(Range(piece.member, found.begin, found.end, found.line))
            self._last_number = piece.number

    def batch(self) -> UploadBatch:
        """Return what was added."""
        return UploadBatch(
            tuple(self._ranges),
            self.items,
            self._bytes,
            tuple(self._documents),
            tuple(self._issues),
        )


# ------------------------------------------------------------------------------------ objects


class FoundObject(Struct, frozen=True):
    """An object of a file, or something in its place: then ``problem`` says what."""

    begin: int
    end: int
    line: int
    data: bytes = b""
    problem: str = ""


def objects_in(
    file: IO[bytes],
    kind: str,
    begin: int,
    end: int,
    line: int = 1,
    *,
    max_object_bytes: int = MAX_OBJECT_BYTES,
) -> Iterator[FoundObject]:
    """Yield the objects between two offsets of a file in order, with the lines they begin on."""
    if kind == "jsonl":
        yield from _lines(file, begin, end, line, max_object_bytes)
        return
    for _ in range(_MAX_RECOVERIES):
        scanner = _Scanner(begin, line, max_object_bytes)
        for block in _blocks(file, begin, end):
            yield from scanner.scan(block)
        if scanner.open_since is None:
            return
        lost = scanner.open_since
        begin, line = _next_line_with_brace(file, lost, end, scanner.open_line)
        yield FoundObject(lost, begin, scanner.open_line, problem="truncated")
        if begin == end:
            return


def _lines(file: IO[bytes], begin: int, end: int, line: int, limit: int) -> Iterator[FoundObject]:
    file.seek(begin)
    while begin < end:
        data = file.readline(min(limit + 1, end - begin))
        size = len(data)
        if not size:
            return
        problem = ""
        if size > limit and not data.endswith(b"\n"):
            # Skip the rest of the line.
            while begin + size < end and data and not data.endswith(b"\n"):
                data = file.readline(min(_BLOCK, end - begin - size))
                size += len(data)
            data, problem = b"", "too_large"
        yield FoundObject(begin, begin + size, line, data, problem)
        begin, line = begin + size, line + 1


def _blocks(file: IO[bytes], begin: int, end: int) -> Iterator[bytes]:
    file.seek(begin)
    while begin < end and (data := file.read(min(_BLOCK, end - begin))):
        begin += len(data)
        yield data


def _next_line_with_brace(file: IO[bytes], begin: int, end: int, line: int) -> tuple[int, int]:
    """Return where the next line begins that starts with a brace, and its number."""
    after_newline = False
    for data in _blocks(file, begin, end):
        if after_newline and data.startswith(b"{"):
            return begin, line
        at = data.find(b"\n{")
        if at >= 0:
            return begin + at + 1, line + data.count(b"\n", 0, at + 1)
        begin, line = begin + len(data), line + data.count(b"\n")
        after_newline = data.endswith(b"\n")
    return end, line


class _Scanner:
    """Counts brackets over blocks of bytes and remembers what a block left open."""

    def __init__(self, offset: int, line: int, limit: int) -> None:
        #: Where the object began that is open at the end of the last block.
        self.open_since: int | None = None
        self.open_line = line
        self._offset = offset
        self._line = line
        self._limit = limit
        self._depth = 0
        self._in_string = 0
        self._escaping = 0
        #: The depth around objects: 1 inside of an array.
        self._base = 0
        self._pieces: list[bytes] = []
        self._held = 0
        self._stray_reported = False

    def scan(self, block: bytes) -> Iterator[FoundObject]:
        """Yield the objects that end in the next block."""
        done = counted = 0
        for at, bracket, depth in self._brackets(block):
            self._line += block.count(b"\n", counted, at)
            counted = at
            if self.open_since is not None:
                if bracket in _CLOSING and depth == self._base:
                    begin = self.open_since
                    self._hold(block[max(0, begin - self._offset) : at + 1])
                    too_large = self._held > self._limit
                    data = b"" if too_large else b"".join(self._pieces)
                    self.open_since, self._pieces, self._stray_reported = None, [], False
                    problem = "too_large" if too_large else ""
                    end = self._offset + at + 1
                    yield FoundObject(begin, end, self.open_line, data, problem)
            else:
                yield from self._check_gap(block[done:at], at)
                if bracket == ord("[") and depth == 1:
                    self._base = 1
                elif bracket == ord("]") and self._base == 1:
                    self._base = 0
                elif bracket in _CLOSING:
                    yield from self._check_gap(bytes([bracket]), at + 1)
                else:
                    self.open_since, self.open_line = self._offset + at, self._line
                    self._pieces, self._held = [], 0
            done = at + 1
        self._line += block.count(b"\n", counted)
        if self.open_since is None:
            yield from self._check_gap(block[done:], len(block))
        else:
            self._hold(block[max(0, self.open_since - self._offset) :])
        self._offset += len(block)

    def _hold(self, piece: bytes) -> None:
        self._held += len(piece)
        if self._held <= self._limit:
            self._pieces.append(piece)
        else:
            self._pieces = []

    def _check_gap(self, gap: bytes, stop: int) -> Iterator[FoundObject]:
        """Report text between objects, once."""
        stray = gap.lstrip(_SEPARATORS)
        if stray and not self._stray_reported:
            self._stray_reported = True
            end = self._offset + stop
            line = self._line - stray.count(b"\n")
            yield FoundObject(end - len(stray), end, line, problem="stray_text")

    def _brackets(self, block: bytes) -> Iterator[Any]:
        """Return (position, bracket, depth after it) of the brackets near the top level."""
        codes = np.frombuffer(block, np.uint8)
        folded = codes | 0x20
        brackets = np.flatnonzero((folded == 0x7B) | (folded == 0x7D))
        quotes = self._unescaped_quotes(codes)
        outside = ((np.searchsorted(quotes, brackets) + self._in_string) & 1) == 0
        brackets = brackets[outside]
        self._in_string = (self._in_string + len(quotes)) & 1
        steps = np.where(folded[brackets] == 0x7B, 1, -1)
        depth = self._depth + np.cumsum(steps)
        # A closing bracket too many leaves the depth at zero.
        depth -= np.minimum.accumulate(np.minimum(depth, 0))
        self._depth = int(depth[-1]) if len(depth) else self._depth
        near = (depth <= 1) | ((depth == 2) & (steps == 1))
        chosen = brackets[near]
        return zip(chosen.tolist(), codes[chosen].tolist(), depth[near].tolist(), strict=True)

    def _unescaped_quotes(self, codes: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64]:
        """Return where the quotation marks are that begin or end a string."""
        quotes: npt.NDArray[np.int64] = np.flatnonzero(codes == 0x22)
        slashes = np.flatnonzero(codes == 0x5C)
        if not len(slashes) and not self._escaping:
            return quotes
        escaped = np.zeros(len(codes) + 1, bool)
        if len(slashes):
            # Every other backslash of a run escapes what follows it.
            starts = np.concatenate(([True], np.diff(slashes) != 1))
            run_start = np.maximum.accumulate(np.where(starts, np.arange(len(slashes)), 0))
            number_in_run = np.arange(len(slashes)) - run_start
            if self._escaping and slashes[0] == 0:
                number_in_run[run_start == 0] += 1
            escaped[slashes[number_in_run % 2 == 0] + 1] = True
        escaped[0] = self._escaping
        self._escaping = int(escaped[-1])
        return quotes[~escaped[quotes]]
