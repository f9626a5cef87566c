"""Finding the objects in a file without parsing it: in one pass, in bounded memory.

``.jsonl`` is cut at line ends.  ``.json`` may hold one object, an array of objects, or objects one
after the other; brackets outside of strings are counted, block by block, with numpy.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

import numpy as np
import numpy.typing as npt
from msgspec import Struct

#: A larger object is an issue, and is never held in memory.
MAX_OBJECT_BYTES = 32 * 1024 * 1024

_BLOCK = 1024 * 1024
_SEPARATORS = b" \t\r\n,"
_CLOSING = b"]}"

#: An object that never ends is given up, and the file read on from the next line that begins with
#: a brace; so many times, then the rest is given up too.
_MAX_RECOVERIES = 20


class Found(Struct, frozen=True):
    """An object of a file, or something in its place: then ``problem`` says what."""

    begin: int
    end: int
    line: int
    data: bytes = b""
    problem: str = ""


#: What each problem is called and said.
PROBLEMS = {
    "too_large": "the object is larger than {limit} bytes.",
    "truncated": "the object does not end: the file is cut off or a bracket is missing.",
    "empty": "there is no object in the file.",
    "stray_text": "text between the objects is not JSON of an object.",
}


def objects_in(
    file: IO[bytes],
    kind: str,
    begin: int,
    end: int,
    line: int = 1,
    *,
    max_object_bytes: int = MAX_OBJECT_BYTES,
) -> Iterator[Found]:
    """Give the objects between two offsets of a file in order, with the lines they begin on."""
    if kind == "jsonl":
        yield from _lines(file, begin, end, line, max_object_bytes)
        return
    for _ in range(_MAX_RECOVERIES):
        scanner = _Scanner(begin, line, max_object_bytes)
        yield from scanner.scan(_blocks(file, begin, end))
        if scanner.open_since is None:
            return
        lost = scanner.open_since
        begin, line = _next_object(file, lost, end, scanner.open_line)
        yield Found(lost, begin, scanner.open_line, problem="truncated")
        if begin == end:
            return


def _lines(file: IO[bytes], begin: int, end: int, line: int, limit: int) -> Iterator[Found]:
    file.seek(begin)
    while begin < end:
        data = file.readline(min(limit + 1, end - begin))
        size = len(data)
        if not size:
            return
        problem = ""
        if size > limit and not data.endswith(b"\n"):
            size += _skip_line(file, end - begin - size)
            data, problem = b"", "too_large"
        yield Found(begin, begin + size, line, data, problem)
        begin, line = begin + size, line + 1


def _skip_line(file: IO[bytes], left: int) -> int:
    """Read on to the end of the line; return how many bytes that were."""
    skipped = 0
    while skipped < left:
        data = file.readline(min(_BLOCK, left - skipped))
        skipped += len(data)
        if not data or data.endswith(b"\n"):
            break
    return skipped


def _blocks(file: IO[bytes], begin: int, end: int) -> Iterator[bytes]:
    file.seek(begin)
    while begin < end and (data := file.read(min(_BLOCK, end - begin))):
        begin += len(data)
        yield data


def _next_object(file: IO[bytes], begin: int, end: int, line: int) -> tuple[int, int]:
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
        self.open_since: int | None = None
        self.open_line = line
        self._offset = offset
        self._line = line
        self._limit = limit
        self._depth = 0
        self._in_string = 0
        self._escaping = 0
        self._base = 0
        self._pieces: list[bytes] = []
        self._held = 0
        self._stray_reported = False

    def scan(self, blocks: Iterator[bytes]) -> Iterator[Found]:
        """Give the objects of the blocks; one that stays open is in ``open_since``."""
        for block in blocks:
            yield from self._scan_block(block)
            self._offset += len(block)

    def _scan_block(self, block: bytes) -> Iterator[Found]:
        done = counted = 0
        for at, bracket, depth in self._brackets(block):
            self._line += block.count(b"\n", counted, at)
            counted = at
            if self.open_since is not None:
                if bracket in _CLOSING and depth == self._base:
                    yield self._finish(block, at)
            else:
                yield from self._between(block[done:at], bracket, depth, at)
            done = at + 1
        self._line += block.count(b"\n", counted)
        if self.open_since is None:
            yield from self._check_gap(block[done:], len(block))
        else:
            self._hold(block[max(0, self.open_since - self._offset) :])

    def _between(self, gap: bytes, bracket: int, depth: int, at: int) -> Iterator[Found]:
        """Meet a bracket outside of objects: one begins, or the array around them does or ends."""
        yield from self._check_gap(gap, at)
        if bracket == ord("[") and depth == 1:
            self._base = 1
        elif bracket == ord("]") and self._base == 1:
            self._base = 0
        elif bracket in _CLOSING:
            yield from self._check_gap(bytes([bracket]), at + 1)
        else:
            self.open_since, self.open_line = self._offset + at, self._line
            self._pieces, self._held = [], 0

    def _finish(self, block: bytes, at: int) -> Found:
        begin = self.open_since or 0
        self._hold(block[max(0, begin - self._offset) : at + 1])
        too_large = self._held > self._limit
        data = b"" if too_large else b"".join(self._pieces)
        self.open_since, self._pieces, self._stray_reported = None, [], False
        problem = "too_large" if too_large else ""
        return Found(begin, self._offset + at + 1, self.open_line, data, problem)

    def _hold(self, piece: bytes) -> None:
        self._held += len(piece)
        if self._held <= self._limit:
            self._pieces.append(piece)
        else:
            self._pieces = []

    def _check_gap(self, gap: bytes, stop: int) -> Iterator[Found]:
        """Report text between objects, once."""
        stray = gap.lstrip(_SEPARATORS)
        if stray and not self._stray_reported:
            self._stray_reported = True
            end = self._offset + stop
            line = self._line - stray.count(b"\n")
            yield Found(end - len(stray), end, line, problem="stray_text")

    def _brackets(self, block: bytes) -> Iterator[Any]:
        """Give (position, bracket, depth after it) of the brackets near the top level."""
        codes = np.frombuffer(block, np.uint8)
        folded = codes | 0x20
        brackets = np.flatnonzero((folded == 0x7B) | (folded == 0x7D))
        quotes = self._quotes(codes)
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

    def _quotes(self, codes: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64]:
        """Return where the quotation marks are that begin or end a string."""
        quotes: npt.NDArray[np.int64] = np.flatnonzero(codes == 0x22)
        slashes = np.flatnonzero(codes == 0x5C)
        if not len(slashes) and not self._escaping:
            return quotes
        escaped = np.zeros(len(codes) + 1, bool)
        if len(slashes):
            escaped[_after_backslash(slashes, self._escaping)] = True
        escaped[0] = self._escaping
        self._escaping = int(escaped[-1])
        return quotes[~escaped[quotes]]


def _after_backslash(slashes: npt.NDArray[np.int64], carried: int) -> npt.NDArray[np.int64]:
    """Return the positions after a backslash that is not itself escaped."""
    starts = np.concatenate(([True], np.diff(slashes) != 1))
    run_start = np.maximum.accumulate(np.where(starts, np.arange(len(slashes)), 0))
    number_in_run = np.arange(len(slashes)) - run_start
    if carried and slashes[0] == 0:
        number_in_run[run_start == 0] += 1
    escaping: npt.NDArray[np.int64] = slashes[number_in_run % 2 == 0]
    return escaping + 1
