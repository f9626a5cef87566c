"""Aligning two versions of a text, so that spans of one can be found in the other.

Both texts are folded (`text_fold`).  A common beginning and end are set aside; short stretches that
occur once in either text are anchors; anchors on one diagonal are joined into runs; the heaviest
chain of runs that keeps the order is the skeleton; what lies between is aligned letter by letter by
rapidfuzz.  `map_span` returns a span only when the text under it, folded, is its quote.  `place`
also returns one whose words changed a little, if both of its ends are known, and finds a quote that
was moved by the words around it.  `place_all` returns a quote in pieces if its words are apart in
the target.  All may lose a span, but they never move one to other words.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from .text_fold import Folded, fold

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from .text_fold import Codes, Positions

    Targets = npt.NDArray[np.int32]
else:
    from clerk.core import lazy_numpy as np

#: Below this share of the source's words found in the target, the texts are not the same.
ENOUGH_COVERAGE = 0.5

#: A quote that is at least this much alike is the same one, read differently.
ALIKE = 0.9

#: In a short quote one misread word is more than that: with the same words close before and after
#: it, a quote of at least 12 letters may differ in a fifth of them, but in no more than four.
_SHORT_LETTERS, _SHORT_ALIKE, _SHORT_DIFFERENCES = 12, 0.8, 4

#: Between the same neighbours, OCR may have read words between those of a quote (a stamp, a logo),
#: or not have read some of them.  The shorter one has at least this share of the other's letters.
_WORDS_ALIKE = 0.75
_WORD, _SHOWN_WORD = re.compile(r"\w+"), re.compile(r"\S+")

#: A letter this close to a span is its neighbour.
_NEAR = 16

#: How many letters around a quote are compared when it is searched for in the whole text, how much
#: they must be alike on one side, and by how much more than anywhere else.
_CONTEXT, _CONTEXT_ALIKE, _CONTEXT_LEAD = 40, 0.8, 0.15

#: How much the letters around an aligned quote must be alike if the same words are elsewhere, too.
_NEXT_ALIKE = 0.7

#: At most this many places of a quote are compared.
_PLACES = 200

#: Quotes of at least this many letters, in texts of at most this many, are also searched for with
#: differences.
_FUZZY_LETTERS, _FUZZY_TEXT = 16, 100_000

#: Lengths of an anchor: first in the whole texts, then in what is left between the anchors found;
#: longer ones for texts that repeat themselves, then shorter ones for texts that differ much.
_ANCHOR_LENGTHS = (16, 64, 8)

#: Shorter texts use every anchor, longer ones an eighth, chosen by content.
_SAMPLE_FROM = 8192

#: Two anchors of one diagonal belong together when no more than this lies between them.
_JOIN_WITHIN = 64

#: A gap of at most this many pairs of letters is aligned directly (64 pairs cost one machine
#: operation).
_DIRECT_PAIRS = 250_000

#: A gap that stays larger is aligned only for this many letters from either end.
_EDGE = 1000

#: In a gap that is mostly different, shorter agreements are chance.
_CHANCE_LENGTH = 4

#: A quote this long is not found by chance in a stretch that has no counterpart.
_TELLING_LENGTH = 12


class Placement(NamedTuple):
    """Where a span is in the target, and whether its words are not quite those of its quote."""

    begin: int
    end: int
    changed: bool = False


class Block(NamedTuple):
    """Letters on one diagonal: source and target start, and how many."""

    source: int
    target: int
    length: int


class TextGap(NamedTuple):
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
        #: The share of the source's words that were found in the target.
        self.coverage = 1.0
        if not self._identical:
            source, target = Folded(source_text), Folded(target_text)
            self._source, self._target = source, target
            everything = TextGap(0, len(source), 0, len(target))
            blocks = list(_Matcher(source, target).match(everything, 0))
            #: For each counting character of the source its place in the target, or -1.
            self._targets = targets = _spread(blocks, source.codes, target.codes)
            self.coverage = _words_found(source, targets)
            #: For each position the last target position aligned before it (-1: none), and the
            #: first one aligned at or after it (the target's length: none).
            self._last_before = np.maximum.accumulate(np.insert(targets, 0, -1))
            #: How many letters of the target before each position are aligned with the source.
            taken = np.zeros(len(target) + 1, np.int32)
            taken[targets[targets >= 0] + 1] = 1
            self._taken = np.cumsum(taken)
            length = np.int32(len(target))
            ahead = np.append(np.where(targets < 0, length, targets), length)
            self._first_after = np.minimum.accumulate(ahead[::-1])[::-1]

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

    def place(self, begin: int, end: int) -> Placement | None:
        """Return where a span is, with the same words or nearly the same ones, or None.

        A span whose words differ is `changed`: they are at least 90 % alike.  A span of whole words
        stays one.  Texts that are not versions of each other may still have a quote in common, with
        the same words around it.
        """
        exact = self._exactly(begin, end)
        if exact is not None and self._identical:
            return exact
        first, last = self._source.before(begin), self._source.before(end)
        if exact is not None:
            quote, at = self._source.text[first:last], self._target.before(exact.begin)
            # The words are once in either text, or the letters next to them are alike.
            if (
                self._source.text.count(quote) == self._target.text.count(quote) == 1
                or self._context(first, last, at, len(quote)) >= _NEXT_ALIKE
            ):
                return exact
        if first == last:
            return None
        if self.same_text and exact is None:
            before, after = first - 1, last
            room = int(self._first_after[last]) - int(self._last_before[first])
            ends_are_known = (
                (before < 0 or self._targets[before] >= 0)
                and (after >= len(self._targets) or self._targets[after] >= 0)
                and room <= 2 * (last - first)
            )
            found = self._between_its_ends(begin, end, first, last)
            if found is not None and last - first < _SHORT_LETTERS:
                # A name alone is easily aligned with the same name in another sentence.
                at, after_it = map(self._target.before, (found.begin, found.end))
                if self._context(first, last, at, after_it - at) < _NEXT_ALIKE:
                    found = None
            # Where both neighbours are found, other words are there now.
            if found is not None or ends_are_known:
                return found
        return self._elsewhere(begin, end, first, last)

    def place_all(self, begin: int, end: int) -> list[Placement]:
        """Return where a span is: in one place, in pieces, or nowhere.

        Another reading may have the words of a quote apart from each other (columns, cells of a
        table), or noise instead of some of them.  Then the words that are there are its pieces, in
        the order of the quote, if they have three quarters of its letters.
        """
        whole = self.place(begin, end)
        if whole is not None:
            return [whole]
        found: list[Placement] = []
        wanted = there = 0
        for piece in self._runs_of_words(begin, end):
            first, last = self._source.before(piece[0]), self._source.before(piece[1])
            letters = len(self._source.words_between(first, last))
            wanted += letters
            place = None
            if letters >= _CHANCE_LENGTH and piece != (begin, end):
                place = self._piece(*piece, first, last)
            if place is not None:
                found.append(place)
                there += letters
        apart = all(here.end <= other.begin for here, other in pairwise(sorted(found)))
        return found if apart and there >= _WORDS_ALIKE * wanted else []

    def _piece(self, begin: int, end: int, first: int, last: int) -> Placement | None:
        """Return where words are, if one of them is once in either text.

        Words that are repeated may be one after the other elsewhere by chance.
        """
        source, target = self._source.text, self._target.text
        quote = source[first:last]
        words = map(fold, _SHOWN_WORD.findall(self.source_text[begin:end]))
        telling = target.count(quote) == 1 and any(
            len(word) >= _CHANCE_LENGTH and source.count(word) == target.count(word) == 1
            for word in words
        )
        at = target.find(quote)
        if not telling or not self._is_free(first, last, at, len(quote)):
            return None
        there = self._widen(begin, end, first, last, at)
        cut = any(_is_within_a_word(self.target_text, edge) for edge in there)
        return None if cut else Placement(*there, changed=True)

    def _runs_of_words(self, begin: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield stretches of the span: words that are together in the target, or that are not."""
        words = [each.span() for each in _SHOWN_WORD.finditer(self.source_text, begin, end)]
        places = [self._exactly(*each) for each in words]
        start = 0
        for index in range(1, len(words) + 1):
            if index < len(words):
                here, there = places[index - 1], places[index]
                if here is None and there is None:
                    continue
                if here and there and self._exactly(words[start][0], words[index][1]):
                    continue
            yield words[start][0], words[index - 1][1]
            start = index

    def quote_around(self, quote: str, places: Sequence[Placement]) -> Placement | None:
        """Return where the words of a quote are again in the target, around its pieces."""
        letters, text, positions = fold(quote), self._target.text, self._target.positions
        at = text.find(letters) if letters else -1
        while at >= 0:
            begin, end = int(positions[at]), int(positions[at + len(letters) - 1]) + 1
            if all(begin <= each.begin and each.end <= end for each in places):
                return Placement(begin, end)
            at = text.find(letters, at + 1)
        return None

    def _exactly(self, begin: int, end: int) -> Placement | None:
        """Return the span with the same words; one of whole words stays one."""
        exact = self.map_span(begin, end)
        if exact is None or any(
            _is_within_a_word(self.target_text, there)
            and not _is_within_a_word(self.source_text, here)
            for here, there in zip((begin, end), exact, strict=True)
        ):
            return None
        return Placement(*exact)

    def _between_its_ends(self, begin: int, end: int, first: int, last: int) -> Placement | None:
        """Return what is between the ends of a span, if that is nearly its quote."""
        inside = self._targets[first:last]
        aligned = np.flatnonzero(inside >= 0)
        if not len(aligned):
            return None
        head, tail = int(aligned[0]), int(aligned[-1])
        left, right = int(self._last_before[first]) + 1, int(self._first_after[last])
        starts = {left, max(left, int(inside[head]) - head)}
        stops = {right, min(right, int(inside[tail]) + last - first - tail)}
        near = [(start, stop) for start in starts for stop in stops]
        letters = int(np.count_nonzero(self._source.in_words[first:last]))
        # Whether letters close before and after the span are aligned, and close to each other.
        before, after = self._targets[max(0, first - _NEAR) : first], self._targets[last:]
        is_enclosed = (
            (first == 0 or bool((before >= 0).any()))
            and (not len(after) or bool((after[:_NEAR] >= 0).any()))
            and right - left + 1 <= 2 * (last - first)
        )
        if letters >= _SHORT_LETTERS and is_enclosed:
            enough = min(ALIKE, max(_SHORT_ALIKE, 1 - _SHORT_DIFFERENCES / letters))
            words = _WORD.findall(self.source_text[begin:end].casefold())
            return self._nearly(begin, end, first, last, near, enough, words)
        return self._nearly(begin, end, first, last, near)

    def _nearly(
        self,
        begin: int,
        end: int,
        first: int,
        last: int,
        near: Iterable[tuple[int, int]],
        enough: float = ALIKE,
        words: Sequence[str] = (),
    ) -> Placement | None:
        """Return the words near these letters of the target that are most like the quote.

        Only letters and digits are compared.  With the ``words`` of the quote, some of them may
        also be missing, or there may be others between them.
        """
        target = self._target
        quote, best = self._source.words_between(first, last), enough
        longest = 2 * (last - first) + _CHANCE_LENGTH
        found: Placement | None = None
        for start, stop in near:
            if not 0 <= start < stop <= min(len(target), start + longest):
                continue
            edges = int(target.positions[start]), int(target.positions[stop - 1]) + 1
            for place in self._whole_words((begin, end), edges):
                span = target.before(place[0]), target.before(place[1])
                there = target.words_between(*span)
                alike = Levenshtein.normalized_similarity(quote, there, score_cutoff=best)
                if there and alike >= best and (found is None or alike > best):
                    same = self._source.text[first:last] == target.text[slice(*span)]
                    found, best = Placement(*place, changed=not same), alike
                elif words and found is None and len(there) >= _WORDS_ALIKE * len(quote):
                    others = _WORD.findall(self.target_text[slice(*place)].casefold())
                    fewer, more = sorted((others, words), key=len)
                    rest = iter(more)
                    # The span does not grow by words at its ends.
                    same_ends = more is words or (fewer[0], fewer[-1]) == (more[0], more[-1])
                    shares = len(quote) >= _WORDS_ALIKE * len(there)
                    if fewer and same_ends and shares and all(word in rest for word in fewer):
                        found = Placement(*place, changed=True)
        return found

    def _whole_words(
        self, source: tuple[int, int], target: tuple[int, int]
    ) -> Iterator[tuple[int, int]]:
        """Yield spans near one that do not cut words, unless the source's span does."""
        edges: list[tuple[int, ...]] = []
        for here, there in zip(source, target, strict=True):
            cuts = _is_within_a_word(self.target_text, there)
            if not cuts or _is_within_a_word(self.source_text, here):
                edges.append((there,))
                continue
            left = right = there
            while _is_within_a_word(self.target_text, left):
                left -= 1
            while _is_within_a_word(self.target_text, right):
                right += 1
            edges.append((left, right))
        for left in edges[0]:
            for right in edges[1]:
                if left < right:
                    yield left, right

    def _elsewhere(self, begin: int, end: int, first: int, last: int) -> Placement | None:
        """Return where in the whole target the quote is, if the words around it say so."""
        quote, text = self._source.text[first:last], self._target.text
        places: list[int] = []
        at = text.find(quote)
        while at >= 0 and len(places) <= _PLACES:
            places.append(at)
            at = text.find(quote, at + 1)
        if len(places) > _PLACES:
            return None
        length = len(quote)
        single = len(places) == 1 and self._source.text.count(quote) == 1
        if not places and length >= _FUZZY_LETTERS and len(text) <= _FUZZY_TEXT:
            near = fuzz.partial_ratio_alignment(quote, text, score_cutoff=100 * ALIKE)
            if near is None or near.src_end - near.src_start < length:
                return None
            # Sentences of minutes often differ by a number alone.
            there = text[near.dest_start : near.dest_end]
            if re.findall(r"\d", quote) != re.findall(r"\d", there):
                return None
            places, length = [near.dest_start], len(there)
        free = [at for at in places if self._is_free(first, last, at, length)]
        ranked = sorted(((self._context(first, last, at, length), at) for at in free), reverse=True)
        if not ranked:
            return None
        alike, at = ranked[0]
        telling = single and len(quote) >= _TELLING_LENGTH
        lead = alike - ranked[1][0] if len(ranked) > 1 else 1.0
        if not telling and (alike < _CONTEXT_ALIKE or lead < _CONTEXT_LEAD):
            return None
        return self._nearly(begin, end, first, last, [(at, at + length)])

    def _is_free(self, first: int, last: int, at: int, length: int) -> bool:
        """Whether most of a stretch of the target is not aligned with other words of the source."""
        own = self._targets[first:last]
        mine = int(np.count_nonzero((own >= at) & (own < at + length)))
        return 2 * (int(self._taken[at + length] - self._taken[at]) - mine) <= length

    def _context(self, first: int, last: int, at: int, length: int) -> float:
        """Return how much the letters before or after a quote are alike in both texts."""
        source, target = self._source.text, self._target.text
        before = Levenshtein.normalized_similarity(
            source[max(0, first - _CONTEXT) : first], target[max(0, at - _CONTEXT) : at]
        )
        after = Levenshtein.normalized_similarity(
            source[last : last + _CONTEXT], target[at + length : at + length + _CONTEXT]
        )
        less, more = sorted((before, after))
        return more + less / 4

    def suggest(self, begin: int, end: int) -> tuple[int, int] | None:
        """Return what is in the place of a lost span, between the same neighbours, or None.

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
        # The other end must be aligned to the same place, so that nothing lies between.
        other_end_agrees = int(self._targets[last - 1]) == at + last - first - 1
        if at >= 0 and self._target.text.startswith(quote, at) and other_end_agrees:
            return at
        # Search between the neighbours; the quote must occur there exactly once.
        left, right = int(self._last_before[first]) + 1, int(self._first_after[last])
        at = self._target.text.find(quote, left, right)
        if at < 0 or self._target.text.find(quote, at + 1, right) >= 0:
            return None
        roomy = right - left > 3 * (last - first) + _JOIN_WITHIN
        return None if roomy and len(quote) < _TELLING_LENGTH else at

    def _widen(self, begin: int, end: int, first: int, last: int, at: int) -> tuple[int, int]:
        """Include what does not count at the edges, where both texts have the same there."""
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


def _words_found(source: Folded, targets: Targets) -> float:
    """Return the share of the source's words that are in the target, next to a neighbour of theirs.

    A word is found if most of its letters are aligned one after the other; by itself it may be
    there by chance.  Only if there is no word of two letters all characters are counted.
    """
    counts = source.in_words
    aligned = targets >= 0
    if not len(counts):
        return 0.0
    apart = np.concatenate(([True], np.diff(source.positions) > 1)) | ~counts
    words = np.cumsum(apart) - 1
    follows = np.concatenate(([False], (np.diff(targets) == 1) & aligned[1:] & aligned[:-1]))
    follows &= ~apart
    sizes = np.bincount(words, weights=counts) - 1
    held = np.bincount(words, weights=follows)
    real = sizes > 0
    if not real.any():
        return float(np.count_nonzero(aligned) / len(aligned))
    there = 3 * held[real] >= 2 * sizes[real]
    first = np.flatnonzero(apart)[real]
    last = np.append(np.flatnonzero(apart)[1:], len(words))[real] - 1
    gap = targets[first][1:] - targets[last][:-1]
    close = there[1:] & there[:-1] & (gap > 0) & (gap <= _JOIN_WITHIN)
    joined = np.concatenate(([False], close)) | np.concatenate((close, [False]))
    return float(np.count_nonzero(there & joined if len(there) > 1 else there) / len(there))


def _is_within_a_word(text: str, position: int) -> bool:
    return 0 < position < len(text) and text[position - 1].isalnum() and text[position].isalnum()


def align(source_text: str, target_text: str) -> Alignment:
    """Align two versions of a text; the time grows with their length."""
    return Alignment(source_text, target_text)


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

    def match(self, gap: TextGap, level: int) -> Iterator[Block]:
        """Yield the blocks of a gap in order: anchored ones, and what lies between them."""
        runs = _skeleton(
            self._source.codes[gap.source : gap.source_stop],
            self._target.codes[gap.target : gap.target_stop],
            _ANCHOR_LENGTHS[level],
        )
        blocks = [Block(gap.source + i, gap.target + j, length) for i, j, length in runs]
        gaps = []
        i, j = gap.source, gap.target
        for block in blocks:
            gaps.append(TextGap(i, block.source, j, block.target))
            i, j = block.source + block.length, block.target + block.length
        gaps.append(TextGap(i, gap.source_stop, j, gap.target_stop))
        if level == 0 and blocks:
            # A source that is a part of the target begins near the first block and ends near the
            # last one: search only there.
            first, last = gaps[0], gaps[-1]
            reach = 2 * first.letters + _JOIN_WITHIN
            gaps[0] = first._replace(target=max(first.target, first.target_stop - reach))
            reach = 2 * last.letters + _JOIN_WITHIN
            gaps[-1] = last._replace(target_stop=min(last.target_stop, last.target + reach))
        for block, before in zip(blocks, gaps, strict=False):
            yield from self._fill(before, level + 1)
            yield block
        yield from self._fill(gaps[-1], level + 1)

    def _fill(self, gap: TextGap, level: int) -> Iterable[Block]:
        """Align a gap: directly when it is small, else by other anchors."""
        if not gap.pairs:
            return ()
        if gap.pairs <= _DIRECT_PAIRS:
            return self._letter_by_letter(gap)
        if level < len(_ANCHOR_LENGTHS):
            return self.match(gap, level)
        return self._edges(gap)

    def _edges(self, gap: TextGap) -> Iterator[Block]:
        """Align only the beginning and the end of a gap in which nothing is sure."""
        i = min(gap.source + _EDGE, (gap.source + gap.source_stop) // 2)
        j = min(gap.target + _EDGE, (gap.target + gap.target_stop) // 2)
        yield from self._letter_by_letter(TextGap(gap.source, i, gap.target, j))
        i, j = max(i, gap.source_stop - _EDGE), max(j, gap.target_stop - _EDGE)
        yield from self._letter_by_letter(TextGap(i, gap.source_stop, j, gap.target_stop))

    def _letter_by_letter(self, gap: TextGap) -> list[Block]:
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
    """Return runs of anchors, in the same order in both texts."""
    if min(len(source), len(target)) < length:
        return []
    every = max(len(source), len(target)) < _SAMPLE_FROM
    here, mine = _single_anchors(_hashes(source, length), every)
    there, theirs = _single_anchors(_hashes(target, length), every)
    slots = np.searchsorted(theirs, mine)
    slots[slots == len(theirs)] = 0
    shared = theirs[slots] == mine if len(theirs) else np.zeros(len(mine), bool)
    i, j = here[shared], there[slots[shared]] if len(theirs) else here[:0]
    if not len(i):
        return []
    order = np.argsort(i)
    i, j = i[order], j[order]

    # Join anchors that follow each other on one diagonal.
    broken = (np.diff(j - i) != 0) | (np.diff(i) > length + _JOIN_WITHIN)
    first = np.flatnonzero(np.concatenate(([True], broken)))
    last = np.append(first[1:] - 1, len(i) - 1)
    sizes = i[last] - i[first] + length
    runs = [Block(*run) for run in np.column_stack((i[first], j[first], sizes)).tolist()]

    # Cut the beginning of each run that reaches into the one before.
    kept: list[Block] = []
    source_end = target_end = 0
    for run in _heaviest_chain(runs):
        over = max(source_end - run.source, target_end - run.target, 0)
        if over < run.length:
            kept.append(Block(run.source + over, run.target + over, run.length - over))
            source_end, target_end = run.source + run.length, run.target + run.length
    return kept


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
    chain = []
    index = chosen[-1]
    while index >= 0:
        chain.append(runs[index])
        index = before[index]
    return chain[::-1]
