"""Aligning two versions of a text, so that spans of one can be found in the other.

Both texts are folded (`folding`).  A common beginning and end are set aside; short stretches that
occur once in either text are anchors; anchors on one diagonal are joined into runs; the heaviest
chain of runs that keeps the order is the skeleton; what lies between is aligned letter by letter by
rapidfuzz.  A span is given back only when the text under it, folded, is its quote: an alignment may
lose a span, but it never moves one to other words.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import Levenshtein

from .text_fold import Codes, Folded, Positions

#: Below this share of the source's characters found in the target, the texts are not the same.
ENOUGH_COVERAGE = 0.5

#: Lengths of an anchor: first in the whole texts, then in what is left between the anchors found;
#: longer ones for texts that repeat themselves, then shorter ones for texts that differ much.
_ANCHOR_LENGTHS = (16, 64, 8)

#: Shorter texts use every anchor, longer ones an eighth, chosen by content.
_SAMPLE_FROM = 8192

#: Two anchors of one diagonal belong together when no more than this lies between them.
_JOIN_WITHIN = 64

#: A gap of so many pairs of letters is aligned directly (64 of them cost one machine operation).
_DIRECT_PAIRS = 250_000

#: A gap that stays larger is aligned for so many letters from either end.
_EDGE = 1000

#: In a gap that is mostly different, shorter agreements are chance.
_CHANCE_LENGTH = 4

#: A quote this long is not found by chance in a stretch that has no counterpart.
_TELLING_LENGTH = 12

Targets = npt.NDArray[np.int32]


class Block(NamedTuple):
    """Letters that stand on one diagonal: source and target start, and how many."""

    source: int
    target: int
    length: int


class Gap(NamedTuple):
    """A stretch of the source and the stretch of the target it may be found in."""

    source: int
    source_stop: int
    target: int
    target_stop: int

    @property
    def letters(self) -> int:
        return self.source_stop - self.source

    @property
    def pairs(self) -> int:
        return self.letters * (self.target_stop - self.target)


class Alignment:
    """Where the characters of a source text are in a target text."""

    def __init__(self, source_text: str, target_text: str) -> None:
        self.source_text = source_text
        self.target_text = target_text
        self._identical = source_text == target_text
        #: The share of the source's counting characters that were found in the target.
        self.coverage = 1.0
        if not self._identical:
            self._source, self._target = Folded(source_text), Folded(target_text)
            self._targets = _align(self._source, self._target)
            self.coverage = _share_found(self._targets)
            self._last_before = _running_maximum(self._targets)
            self._first_after = _running_minimum(self._targets, len(self._target))

    @property
    def same_text(self) -> bool:
        """Whether the two are versions of one text; if not, nothing should be mapped."""
        return self.coverage >= ENOUGH_COVERAGE

    def map_span(self, begin: int, end: int) -> tuple[int, int] | None:
        """Return the target's span with the same words, or None if they are not there.

        The fold of the text under the returned span equals the fold of the text under the given
        one.  Two texts that are not versions of each other map nothing.
        """
        if not 0 <= begin < end <= len(self.source_text):
            raise ValueError(f"no span of the source text: {begin}-{end}")
        if self._identical:
            return begin, end
        first, last = self._source.before(begin), self._source.before(end)
        if first == last or not self.same_text:
            return None
        at = self._find(first, last)
        return None if at is None else self._widen(begin, end, first, last, at)

    def suggest(self, begin: int, end: int) -> tuple[int, int] | None:
        """Return what stands in the place of a lost span, between the same neighbours, or None.

        The words are *not* the quote: this is for showing to a person, never for storing.
        """
        if self._identical:
            return begin, end
        first, last = self._source.before(begin), self._source.before(end)
        left, right = int(self._last_before[first]) + 1, int(self._first_after[last])
        too_long = right - left > 2 * (last - first) + _CHANCE_LENGTH
        if left >= right or too_long or not self.same_text:
            return None
        return int(self._target.positions[left]), int(self._target.positions[right - 1]) + 1

    def _find(self, first: int, last: int) -> int | None:
        """Return where the quote begins among the target's counting characters."""
        quote = self._source.text[first:last]
        at = int(self._targets[first])
        if at >= 0 and self._target.text.startswith(quote, at) and self._agrees(first, last, at):
            return at
        return self._search(first, last, quote)

    def _agrees(self, first: int, last: int, at: int) -> bool:
        """Whether the other end is aligned to the same place, so that nothing lies between."""
        return int(self._targets[last - 1]) == at + last - first - 1

    def _search(self, first: int, last: int, quote: str) -> int | None:
        """Look for the quote between the neighbours; only one occurrence is good enough."""
        left, right = int(self._last_before[first]) + 1, int(self._first_after[last])
        at = self._target.text.find(quote, left, right)
        if at < 0 or self._target.text.find(quote, at + 1, right) >= 0:
            return None
        roomy = right - left > 3 * (last - first) + _JOIN_WITHIN
        return None if roomy and len(quote) < _TELLING_LENGTH else at

    def _widen(self, begin: int, end: int, first: int, last: int, at: int) -> tuple[int, int]:
        """Take in what does not count at the edges, where both texts have the same there."""
        source, target = self.source_text, self.target_text
        mapped_begin = int(self._target.positions[at])
        mapped_end = int(self._target.positions[at + last - first - 1]) + 1
        head = source[begin : int(self._source.positions[first])]
        tail = source[int(self._source.positions[last - 1]) + 1 : end]
        if head and target.endswith(head, 0, mapped_begin):
            mapped_begin -= len(head)
        if tail and target.startswith(tail, mapped_end):
            mapped_end += len(tail)
        return mapped_begin, mapped_end


def align(source_text: str, target_text: str) -> Alignment:
    """Align two versions of a text; the time grows with their length."""
    return Alignment(source_text, target_text)


def _share_found(targets: Targets) -> float:
    return float(np.count_nonzero(targets >= 0)) / max(1, len(targets))


def _running_maximum(targets: Targets) -> Targets:
    """For each position, the last target position aligned before it (-1: none)."""
    return np.maximum.accumulate(np.insert(targets, 0, -1))


def _running_minimum(targets: Targets, length: int) -> Targets:
    """For each position, the first target position aligned at or after it (length: none)."""
    ahead = np.append(np.where(targets < 0, np.int32(length), targets), np.int32(length))
    return np.minimum.accumulate(ahead[::-1])[::-1]


def _align(source: Folded, target: Folded) -> Targets:
    """Return for each counting character of the source its place in the target, or -1."""
    blocks = _Matcher(source, target).match(Gap(0, len(source), 0, len(target)), 0)
    return _spread(list(blocks), source.codes, target.codes)


def _spread(blocks: list[Block], source: Codes, target: Codes) -> Targets:
    """Turn blocks into one target per source letter, where the two letters are the same."""
    targets = np.full(len(source), -1, np.int32)
    if not blocks:
        return targets
    starts, others, lengths = np.array(blocks, np.int32).T
    # One shift for all letters from a block to the next; those after its end are masked out.
    reach = np.diff(starts, append=len(source))
    shift = np.repeat(others - starts, reach)
    first = int(starts[0])
    here = np.arange(first, len(source), dtype=np.int32)
    inside = here < np.repeat(starts + lengths, reach)
    there = np.where(inside, here + shift, 0)
    equal = inside & (source[first:] == target[there])
    targets[first:][equal] = there[equal]
    return targets


class _Matcher:
    """Finds the blocks two folded texts share, from long certain ones to single letters."""

    def __init__(self, source: Folded, target: Folded) -> None:
        self._source = source
        self._target = target

    def match(self, gap: Gap, level: int) -> Iterator[Block]:
        """Give the blocks of a gap in order: anchored ones, and what lies between them."""
        runs = _skeleton(
            self._source.codes[gap.source : gap.source_stop],
            self._target.codes[gap.target : gap.target_stop],
            _ANCHOR_LENGTHS[level],
        )
        blocks = [Block(gap.source + i, gap.target + j, length) for i, j, length in runs]
        gaps = _around(gap, blocks)
        if level == 0 and blocks:
            gaps = [_end_of(gaps[0]), *gaps[1:-1], _beginning_of(gaps[-1])]
        for block, before in zip(blocks, gaps, strict=False):
            yield from self._fill(before, level + 1)
            yield block
        yield from self._fill(gaps[-1], level + 1)

    def _fill(self, gap: Gap, level: int) -> Iterable[Block]:
        """Align a gap: directly when it is small, else by other anchors."""
        if not gap.pairs:
            return ()
        if gap.pairs <= _DIRECT_PAIRS:
            return self._letter_by_letter(gap)
        if level < len(_ANCHOR_LENGTHS):
            return self.match(gap, level)
        return self._edges(gap)

    def _edges(self, gap: Gap) -> Iterator[Block]:
        """Align only the beginning and the end of a gap in which nothing is sure."""
        i = min(gap.source + _EDGE, (gap.source + gap.source_stop) // 2)
        j = min(gap.target + _EDGE, (gap.target + gap.target_stop) // 2)
        yield from self._letter_by_letter(Gap(gap.source, i, gap.target, j))
        i, j = max(i, gap.source_stop - _EDGE), max(j, gap.target_stop - _EDGE)
        yield from self._letter_by_letter(Gap(i, gap.source_stop, j, gap.target_stop))

    def _letter_by_letter(self, gap: Gap) -> list[Block]:
        letters = self._source.text[gap.source : gap.source_stop]
        others = self._target.text[gap.target : gap.target_stop]
        found = [
            Block(
                gap.source + step.src_start,
                gap.target + step.dest_start,
                step.src_end - step.src_start,
            )
            for step in Levenshtein.opcodes(letters, others)
            if step.tag == "equal"
        ]
        agreeing = sum(block.length for block in found)
        if 2 * agreeing >= min(len(letters), len(others)):
            return found
        return [block for block in found if block.length >= _CHANCE_LENGTH]


def _around(whole: Gap, blocks: list[Block]) -> list[Gap]:
    """Return the gaps before, between and after blocks."""
    gaps = []
    i, j = whole.source, whole.target
    for block in blocks:
        gaps.append(Gap(i, block.source, j, block.target))
        i, j = block.source + block.length, block.target + block.length
    return [*gaps, Gap(i, whole.source_stop, j, whole.target_stop)]


def _end_of(gap: Gap) -> Gap:
    """Look only near the first block: a source that is a part of the target begins there."""
    reach = 2 * gap.letters + _JOIN_WITHIN
    return gap._replace(target=max(gap.target, gap.target_stop - reach))


def _beginning_of(gap: Gap) -> Gap:
    """Look only near the last block: a source that is a part of the target ends there."""
    reach = 2 * gap.letters + _JOIN_WITHIN
    return gap._replace(target_stop=min(gap.target_stop, gap.target + reach))


def _skeleton(source: Codes, target: Codes, length: int) -> list[Block]:
    """Return the chain of runs that two texts surely share, by anchors of that length."""
    head = _common_prefix(source, target)
    if head == min(len(source), len(target)):
        return [Block(0, 0, head)] if head else []
    head = head if head >= 2 * length else 0
    tail = _common_prefix(source[head:][::-1], target[head:][::-1])
    tail = tail if tail >= 2 * length else 0
    middle = _anchored(source[head : len(source) - tail], target[head : len(target) - tail], length)
    runs = [Block(0, 0, head)] if head else []
    runs += [Block(head + i, head + j, size) for i, j, size in middle]
    return runs + ([Block(len(source) - tail, len(target) - tail, tail)] if tail else [])


def _common_prefix(source: Codes, target: Codes) -> int:
    size = min(len(source), len(target))
    differences = np.flatnonzero(source[:size] != target[:size])
    return int(differences[0]) if len(differences) else size


def _anchored(source: Codes, target: Codes, length: int) -> list[Block]:
    if min(len(source), len(target)) < length:
        return []
    every = max(len(source), len(target)) < _SAMPLE_FROM
    here, mine = _single_anchors(_hashes(source, length), every)
    there, theirs = _single_anchors(_hashes(target, length), every)
    slots = np.searchsorted(theirs, mine)
    slots[slots == len(theirs)] = 0
    shared = theirs[slots] == mine if len(theirs) else np.zeros(len(mine), bool)
    i, j = here[shared], there[slots[shared]] if len(theirs) else here[:0]
    order = np.argsort(i)
    return _without_overlap(_heaviest_chain(_runs(i[order], j[order], length)))


def _hashes(codes: Codes, length: int) -> npt.NDArray[np.uint64]:
    """Return a hash of each stretch of that length (a power of two), by doubling."""
    hashes = codes.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    width = 1
    while width < length:
        hashes = (hashes[:-width] * np.uint64(0xD6E8FEB86659FD93)) ^ (
            (hashes[width:] >> np.uint64(29)) + hashes[width:]
        )
        width *= 2
    return hashes


def _single_anchors(
    hashes: npt.NDArray[np.uint64], every: bool
) -> tuple[Positions, npt.NDArray[np.uint64]]:
    """Return position and hash of the stretches that occur once, ordered by hash."""
    positions = np.arange(len(hashes)) if every else np.flatnonzero(hashes >> np.uint64(61) == 0)
    chosen = hashes[positions]
    order = np.argsort(chosen)
    ordered = chosen[order]
    changes = np.concatenate(([True], ordered[1:] != ordered[:-1], [True]))
    single = changes[:-1] & changes[1:]
    return positions[order[single]], ordered[single]


def _runs(i: Positions, j: Positions, length: int) -> list[Block]:
    """Join anchors that follow each other on one diagonal."""
    if not len(i):
        return []
    broken = (np.diff(j - i) != 0) | (np.diff(i) > length + _JOIN_WITHIN)
    first = np.flatnonzero(np.concatenate(([True], broken)))
    last = np.append(first[1:] - 1, len(i) - 1)
    sizes = i[last] - i[first] + length
    return [Block(*run) for run in np.column_stack((i[first], j[first], sizes)).tolist()]


def _heaviest_chain(runs: list[Block]) -> list[Block]:
    """Return the heaviest choice of runs whose order is the same in both texts.

    The best weight for every target position is kept as a staircase that only rises, so each run
    is placed by one search.
    """
    if all(a.target < b.target for a, b in pairwise(runs)):
        return runs
    ends: list[int] = []
    weights: list[int] = []
    chosen: list[int] = []
    before: list[int] = []
    for index, run in enumerate(runs):
        slot = bisect_left(ends, run.target)
        weight = run.length + (weights[slot - 1] if slot else 0)
        before.append(chosen[slot - 1] if slot else -1)
        stop = slot
        while stop < len(ends) and weights[stop] <= weight:
            stop += 1
        if slot == len(ends) or ends[slot] > run.target or weights[slot] <= weight:
            ends[slot:stop], weights[slot:stop] = [run.target], [weight]
            chosen[slot:stop] = [index]
    return _trace(runs, before, chosen[-1])


def _trace(runs: list[Block], before: list[int], index: int) -> list[Block]:
    chain = []
    while index >= 0:
        chain.append(runs[index])
        index = before[index]
    return chain[::-1]


def _without_overlap(chain: list[Block]) -> list[Block]:
    """Cut the beginning of each run that reaches into the one before."""
    kept: list[Block] = []
    i = j = 0
    for run in chain:
        over = max(i - run.source, j - run.target, 0)
        if over < run.length:
            kept.append(Block(run.source + over, run.target + over, run.length - over))
            i, j = run.source + run.length, run.target + run.length
    return kept
