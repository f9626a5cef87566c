"""Judging a page's text layer: is it the text of the page, or does the page need OCR?

The only module that decides between text layer and OCR, from text alone and without opening a
PDF.  A layer is used when

- it has enough letters beyond the lines that are repeated from page to page (a page whose only text
  is a stamped header still needs OCR), or the page shows nothing but that text;
- its words look like words (:func:`plausibility`): not the junk of fonts without a character map,
  not one run without spaces, not letters in improbable proportions;
- and, where the page is mostly one picture (a scan with somebody else's OCR layer), the words look
  like words beyond doubt.

Such a layer may look like text and be wrong ("Tbe rneeting was ca11ed to onler"), and a page with
some text may show much more of it in a picture.  Both are measured on the image of the page, by
:mod:`clerk.read.layer_check`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from enum import Enum

from clerk.core import lazy_re as re

#: A page with fewer letters of its own is sparse: what else it shows may be text too.
ENOUGH_LETTERS = 100
#: A page with fewer may still show more text than it carries, in a picture.
FEW_LETTERS = 400
#: Below this share of plausible words a layer is junk, whatever the page shows.
JUNK_BELOW = 0.55
#: A layer over a scan must have this share of plausible words.
SURE_FROM = 0.9
#: A line on this share of the pages is a header, a footer or a stamp.
REPEATED_FROM = 0.6

_UNMAPPED = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\ue000-\uf8ff\ufff0-\uffff]")
_WORD = r"""
    [^\W\d_]{1,24}                              # a word ...
    (?:['’.&/@–—-]{1,2}[^\W_]{1,24})*           # ... or several: don't, p.m., and/or
"""
#: Thai, Lao, Burmese, Khmer, Chinese, Japanese, Korean: scripts that need no spaces.
_UNSPACED = "[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3000-\u9fff\uac00-\ud7ff\uff00-\uffef]+"
_NUMBER = r"""
    [$€£]?\d[\d.,:/–-]*[^\W\d_]{0,3}            # a number: 2,500.00 12/31 7:00pm 2nd
    (?:[/.–-][^\W_]{1,12})*
  | [^\W\d_]{1,6}-?\d[\d.,:/–-]*(?:[-/.]?[^\W_]{1,6}){0,2}    # a code: R2024-084, B-12
"""
_PLAUSIBLE = re.compile(
    rf"""
    (?<!\S) [("'“‘\[#*§•–-]{{0,3}}
             (?:{_WORD} | {_NUMBER} | {_UNSPACED})
             [)\]"'”’.,;:!?%*…–-]{{0,4}} (?!\S)
  | (?<!\S) (?:[-–—•·&|/*#§=]{{1,3}} | [._…-]{{2,}} | [$□☐☑✓]) (?!\S)
    """,
    re.VERBOSE,
)
#: Dots, dashes or lines that lead from an entry to its number.
_LEADER = re.compile(r"(?:[.…·_]\s?){4,}")
#: Single letters that are no words; more than this share of them is text torn apart ("P aym ents").
_LETTER_ALONE = re.compile(r"(?<!\S)[b-hj-zB-HJ-Z](?!\S)")
_LETTERS_ALONE = 0.12
_FEW_ALONE = 3
#: The pairs of letters that are frequent in the languages of Europe, by their first letter.
_FREQUENT_PAIRS = """
    a:cdilnrst b:e c:aehot d:ei e:acdelmnrst f:io g:e h:aeio i:acdelmnorstv l:aeiloy m:aeio
    n:acdegiost o:flmnrstuw p:aero r:aeiorst s:aehiostu t:aehiorst u:lnrst v:e w:aehi
"""
_DIGITS = re.compile(r"\d+")
_NO_ASCII_DIGITS = str.maketrans("", "", "0123456789")

#: Of the pairs of Latin letters in prose, at least this share is frequent; in a shifted alphabet
#: it is at most 0.31, in Polish, Finnish or Welsh about 0.45, in English 0.75.
_FEWEST_FREQUENT_PAIRS = 0.38
#: Proportions say nothing about fewer pairs than this.
_PAIRS_FOR_PROPORTIONS = 50
#: Words are longer than this on average only where the spaces are missing.
_LONGEST_MEAN_WORD = 20
#: About this many characters of a page, spread over its lines, are examined.
_SAMPLE_CHARACTERS = 700
#: A count of something on a page has at most this many bits.
_COUNT_BITS = 32
_ONE_COUNT = (1 << _COUNT_BITS) - 1
#: At most this many tokens are cached, and none that is longer.
_MOST_TALLIES = 30_000
_LONGEST_KEPT = 40


_FREQUENT = frozenset(
    first + second
    for first, _, seconds in (entry.partition(":") for entry in _FREQUENT_PAIRS.split())
    for second in seconds
)
#: Every letter that another one follows, with that one.
_PAIR = re.compile("(?=([a-z]{2}))")


class Verdict(Enum):
    """Why the layer is used, or why not."""

    GOOD = "good"
    EMPTY = "nothing on the page"
    ASKED_FOR = "asked for"
    NO_TEXT = "no text"
    SPARSE = "little text of its own"
    JUNK = "words do not look like words"
    DOUBTFUL = "doubtful layer over a scan"
    WRONG = "hidden layer differs from the picture"
    PARTIAL = "the layer is only a part of the text"


def is_good_beyond_doubt(text: str, plausible: float, repeated: frozenset[str]) -> bool:
    """Whether :func:`judge` says that a page is good without asking what it shows."""
    return plausible >= SURE_FROM and has_enough_letters(text, repeated)


def judge(
    text: str,
    plausible: float,
    repeated: frozenset[str],
    *,
    shows_nothing: Callable[[], bool],
    shows_more: Callable[[], bool],
    is_scan: Callable[[], bool],
) -> Verdict:
    """Decide about one page; the questions about what it shows are asked only when in doubt.

    ``plausible`` is the text's :func:`plausibility`.  The questions: is nothing at all drawn on the
    page, is anything but text drawn, is it mostly one picture?
    """
    if not text.strip():
        return Verdict.EMPTY if shows_nothing() else Verdict.NO_TEXT
    if plausible < JUNK_BELOW:
        return Verdict.JUNK
    if not has_enough_letters(text, repeated) and shows_more():
        return Verdict.SPARSE
    if plausible < SURE_FROM and is_scan():
        return Verdict.DOUBTFUL
    return Verdict.GOOD


def plausibility(text: str) -> float:
    """Return the share of the tokens that look like words or numbers: 0 for junk, about 1 for text.

    Text in improbable proportions (pairs of letters, no spaces) is 0.
    """
    every = len(text) // _SAMPLE_CHARACTERS
    # Every n-th line, so that a long page costs no more than a short one.
    sample = "\n".join(text.splitlines()[::every]) if every > 1 else text
    if _LEADER.search(sample):
        sample = _LEADER.sub(" ", sample)
    tokens = sample.split()
    plausible, pairs, frequent = tally(tokens)
    if not tokens:
        return 0.0
    if pairs >= _PAIRS_FOR_PROPORTIONS:
        improbable = frequent < _FEWEST_FREQUENT_PAIRS * pairs
        if improbable or pairs > _LONGEST_MEAN_WORD * len(tokens):
            return 0.0
    plausible -= len(_UNMAPPED.findall(sample))
    torn = len(_LETTER_ALONE.findall(sample))
    if torn > max(_FEW_ALONE, _LETTERS_ALONE * len(tokens)):
        # The words are torn apart: each letter has a neighbour that is no word either.
        plausible -= 2 * torn
    return max(0.0, plausible / len(tokens))


def tally(tokens: Sequence[str]) -> tuple[int, int, int]:
    """Count the plausible tokens, the pairs of Latin letters, and those that are frequent."""
    if len(_tallies) > _MOST_TALLIES:
        _tallies.clear()
    total = sum(map(_tallies.__getitem__, tokens))
    return total & _ONE_COUNT, total >> _COUNT_BITS & _ONE_COUNT, total >> 2 * _COUNT_BITS


class _Tallies(dict[str, int]):
    """The three counts of a token in one number, so that one sum adds them all up.

    A town's minutes use the same words over and over: each is examined once.
    """

    def __missing__(self, token: str) -> int:
        plausible = _PLAUSIBLE.fullmatch(token) is not None
        pairs = _PAIR.findall(token.lower())
        frequent = sum(map(_FREQUENT.__contains__, pairs))
        tally = plausible | len(pairs) << _COUNT_BITS | frequent << 2 * _COUNT_BITS
        if len(token) <= _LONGEST_KEPT and len(self) <= _MOST_TALLIES:
            self[token] = tally
        return tally


_tallies = _Tallies()


def letters(text: str) -> int:
    """Count the letters of any alphabet."""
    return sum(map(str.isalpha, text))


def has_enough_letters(text: str, repeated: frozenset[str], enough: int = ENOUGH_LETTERS) -> bool:
    """Whether there are enough letters outside of repeated lines."""
    missing = enough
    for line in text.split("\n"):
        if _pattern(line) not in repeated:
            missing -= letters(line)
            if missing <= 0:
                return True
    return False


def repeated_lines(pages: Sequence[str]) -> frozenset[str]:
    """Return the patterns of the lines that appear on most pages: headers, footers, stamps.

    Numbers may differ from page to page.  One page alone has no repeated lines.
    """
    written = [page for page in pages if page.strip()]
    if len(written) < 2:
        return frozenset()
    seen = Counter[str]()
    for page in written:
        seen.update(set(_pattern(page).split("\n")))
    least = max(2, REPEATED_FROM * len(written))
    return frozenset(line for line, times in seen.items() if times >= least)


def _pattern(lines: str) -> str:
    """Remove the numbers, so that page 3 looks like page 4."""
    folded = lines.casefold()
    # For ASCII, translate() does the same much faster.
    return folded.translate(_NO_ASCII_DIGITS) if folded.isascii() else _DIGITS.sub("", folded)
