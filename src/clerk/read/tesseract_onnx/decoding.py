"""From the network's output for each column to text.

For every column of a crop the network gives the share of each character, or of none (the *blank*);
the same character in adjacent columns is one character.  Usually the best of each column is the
text.  Where that is doubtful and not a known word, the likeliest known word is taken instead, rated
as Tesseract rates it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy
from numpy.typing import NDArray

from .dictionary import Dictionary

#: Share of each character in each column, [column, character].
Shares = NDArray[numpy.float32]

#: How many times worse an unknown word is rated, and what each column costs, as in Tesseract.
_UNKNOWN_FACTOR = 2.25
_COST_OF_COLUMN = 0.085
#: Texts followed at the same time, and the least share a character needs to be followed.
_FOLLOWED = 12
_LEAST_SHARE = 0.01
#: Longer than this it is no word but dots or dashes.
_LONGEST_WORD = 200
#: A line whose letters are on average less certain than this (a logarithm) holds no known words.
_GARBAGE = -0.7
_SPACE = " "
#: Likelihoods are made larger before they become too small to be told from nothing.
_SMALL, _NEARLY_NOTHING = 1e-100, 1e-300
_NEVER = (0.0, 0.0)
#: Texts as outputs of the network, each with two likelihoods.
_Followed = dict[tuple[int, ...], tuple[float, float]]


@dataclass(frozen=True)
class Alphabet:
    """What the outputs of a network mean."""

    characters: Sequence[str]
    blank: int

    @cached_property
    def space(self) -> int:
        """The output that means a space."""
        return self.characters.index(_SPACE)


@dataclass(frozen=True)
class ReadWord:
    """A word in a crop: its text, the confidence (0 to 1), and its first and last column."""

    text: str
    confidence: float
    columns: tuple[int, int]


def decode(shares: Shares, alphabet: Alphabet, dictionary: Dictionary | None) -> list[ReadWord]:
    """Return the words of a line."""
    letters = _best_letters(shares, alphabet)
    if sum(letter.certainty for letter in letters) < _GARBAGE * len(letters):
        dictionary = None
    words: list[ReadWord] = []
    inside: list[_Letter] = []
    begin = 0
    for letter in (*letters, _Letter(_SPACE, len(shares), 0.0)):
        if letter.text != _SPACE:
            inside.append(letter)
            continue
        end = letter.column
        if inside:
            text, certainty = _text(inside, shares[begin:end], begin, alphabet, dictionary)
            confidence = round(min(1.0, math.exp(certainty / len(text))), 4)
            borders = [begin, end]
            if _SPACE in text:
                # Two words after all.
                first = inside[0].column
                borders.insert(1, first + int(shares[first:end, alphabet.space].argmax()))
            parts = zip(text.split(_SPACE), pairwise(borders), strict=True)
            words += [ReadWord(part, confidence, between) for part, between in parts]
        begin, inside = end, []
    return words


def _text(
    letters: Sequence[_Letter],
    shares: Shares,
    begin: int,
    alphabet: Alphabet,
    dictionary: Dictionary | None,
) -> tuple[str, float]:
    """Return what a word says, with the logarithm of its likelihood."""
    text = "".join(letter.text for letter in letters)
    certainty = sum(letter.certainty for letter in letters)
    inside = shares[letters[0].column - begin : letters[-1].column - begin, alphabet.space]
    no_space = math.log(max(1e-9, 1 - float(inside.max(initial=0.0))))
    sure, columns = certainty + no_space, len(shares)
    if dictionary is None or sure >= 0 or columns > _LONGEST_WORD:
        return text, certainty
    # Could a known word be rated better than this text, if it is unknown?
    all_others = math.log(max(1 - math.exp(sure), 1e-9))
    if _rating(all_others, columns, known=True) <= _rating(sure, columns, known=False):
        return text, certainty
    if dictionary.knows(text):
        return text, certainty
    best: tuple[float, str, float] | None = None
    for codes, likelihood in _likeliest_texts(shares, alphabet.blank):
        other = "".join(alphabet.characters[code] for code in codes).strip()
        if not other or other.count(_SPACE) > 1:
            continue
        known = all(dictionary.knows(part) for part in other.split(_SPACE))
        rating = _rating(likelihood, columns, known=known)
        if best is None or rating > best[0]:
            best = (rating, other, likelihood)
    return best[1:] if best else (text, certainty)


class _Letter(NamedTuple):
    text: str
    column: int
    #: The logarithm of its share in the column where it is clearest.
    certainty: float


def _best_letters(shares: Shares, alphabet: Alphabet) -> list[_Letter]:
    """Return the best character of each column, repetitions and blanks left out."""
    best = shares.argmax(axis=1)
    begins = best != alphabet.blank
    clearness = numpy.where(begins, shares[numpy.arange(len(best)), best], 0)
    begins[1:] &= best[1:] != best[:-1]
    starts = numpy.flatnonzero(begins)
    if not starts.size:
        return []
    peaks = numpy.log(numpy.maximum.reduceat(clearness, starts))
    texts = (alphabet.characters[code] for code in best[starts].tolist())
    found = zip(texts, starts.tolist(), peaks.tolist(), strict=True)
    return [_Letter(*letter) for letter in found if letter[0]]


def _rating(certainty: float, columns: int, *, known: bool) -> float:
    rating = certainty - _COST_OF_COLUMN * columns
    return rating if known else rating * _UNKNOWN_FACTOR


def _likeliest_texts(shares: Shares, blank: int) -> list[tuple[tuple[int, ...], float]]:
    """Return the likeliest texts with the logarithm of their likelihood.

    Each text is followed from column to column with two likelihoods: that the column before was
    the blank, and that it was the last character; only after a blank may a character repeat.
    """
    candidates: list[list[tuple[int, float]]] = [[] for _ in shares]
    columns, codes = numpy.nonzero(shares > _LEAST_SHARE)
    likely = zip(columns.tolist(), codes.tolist(), shares[columns, codes].tolist(), strict=True)
    for column, code, share in likely:
        candidates[column].append((code, share))
    texts: _Followed = {(): (1.0, 0.0)}
    scale = 0.0
    for each in candidates:
        texts = _next_column(texts, each, blank)
        total = sum(map(sum, texts.values())) or _NEARLY_NOTHING
        if total < _SMALL:
            scale += math.log(total)
            texts = {text: (a / total, b / total) for text, (a, b) in texts.items()}
    return [(text, math.log(max(a + b, _NEARLY_NOTHING)) + scale) for text, (a, b) in texts.items()]


def _next_column(
    texts: _Followed, candidates: Sequence[tuple[int, float]], blank: int
) -> _Followed:
    if len(candidates) == 1 and candidates[0][0] == blank:
        share = candidates[0][1]
        return {text: (sum(before) * share, 0.0) for text, before in texts.items()}
    found: _Followed = {}
    for text, (blank_before, character_before) in texts.items():
        either = blank_before + character_before
        for code, share in candidates:
            if code == blank:
                a, b = found.get(text, _NEVER)
                found[text] = (a + either * share, b)
                continue
            gained = either
            if text and text[-1] == code:
                a, b = found.get(text, _NEVER)
                found[text] = (a, b + character_before * share)
                gained = blank_before
            longer = (*text, code)
            a, b = found.get(longer, _NEVER)
            found[longer] = (a, b + gained * share)
    if len(found) <= _FOLLOWED:
        return found
    likeliest = sorted(found, key=lambda text: -sum(found[text]))[:_FOLLOWED]
    return {text: found[text] for text in likeliest}
