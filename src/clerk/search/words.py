"""Words as the index knows them: lower case, without accents; stems; pairs of CJK letters.

Pages, queries, snippets and boxes on the scan all go through here, so that what is found is also
what is marked.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence, Set
from functools import lru_cache

import tantivy

from clerk.core import lazy_re as re

_WORD = re.compile(r"[^\W_]+")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_LAST_SIGMA = re.compile(r"(?<=[^\W_])\N{GREEK SMALL LETTER SIGMA}(?![^\W_])")
#: Han, kana and Hangul, which are written without spaces or with endings that cling to the word.
_CJK = "\u3041-\u3096\u30a1-\u30fa\u30fc\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"
_CJK_LETTER = re.compile(f"[{_CJK}\U00020000-\U0002fa1f]")
_RUNS = re.compile(f"[{_CJK}\U00020000-\U0002fa1f]+|[^{_CJK}\U00020000-\U0002fa1f]+")
#: The marks of voiced kana: another sound, not an accent.
_VOICED = "\u3099\u309a"
#: Plain letters in lower case, and spaces for everything between words.
_ASCII_WORDS = {code: chr(code).lower() if chr(code).isalnum() else " " for code in range(128)}
#: Stems of this many words are remembered.
_REMEMBERED = 500_000

#: tesseract's name of a language -> the name of its stemmer.
STEMMERS = {
    "ara": "arabic",
    "dan": "danish",
    "deu": "german",
    "ell": "greek",
    "eng": "english",
    "fin": "finnish",
    "fra": "french",
    "hun": "hungarian",
    "ita": "italian",
    "nld": "dutch",
    "nor": "norwegian",
    "por": "portuguese",
    "ron": "romanian",
    "rus": "russian",
    "spa": "spanish",
    "swe": "swedish",
    "tam": "tamil",
    "tur": "turkish",
}


def storable(text: str) -> str:
    """Return text that can be stored as UTF-8: without lone surrogates and NULs."""
    return text.encode("utf-8", "replace").decode().replace("\0", " ")


def fold(text: str) -> list[str]:
    """Return the words of a text in lower case and without accents."""
    return folded_text(text).split()


def folded_text(text: str) -> str:
    """Return the words of a text in lower case and without accents, with spaces between them."""
    plain = text
    if not plain.isascii():
        # Most pages have a few quotation marks, dashes or accents, and are plain without them.
        for letter in set(_NOT_ASCII.findall(plain)):
            plain = plain.replace(letter, _plain_form(letter))
    if plain.isascii():
        return plain.translate(_ASCII_WORDS)
    return " ".join(map(folded, _WORD.findall(unicodedata.normalize("NFKC", text))))


@lru_cache(maxsize=5000)
def _plain_form(letter: str) -> str:
    """Return the ASCII that a letter or sign is folded to; itself if that depends on the next."""
    if unicodedata.combining(letter):
        return letter
    parts = unicodedata.normalize("NFKC", letter)
    bare = "".join(folded(part) if _WORD.match(part) else " " for part in parts)
    return bare if bare.isascii() else letter


@lru_cache(maxsize=50_000)
def folded(word: str) -> str:
    """Return one word in lower case and without accents."""
    if word.isascii():
        return word.lower()
    letters = unicodedata.normalize("NFD", word)
    bare = "".join(
        letter for letter in letters if letter in _VOICED or not unicodedata.combining(letter)
    )
    return unicodedata.normalize("NFC", bare.lower())


class _Letters(dict[int, int]):
    """Each letter's bare lower-case form, and a space for what is no letter; of the same length."""

    def __missing__(self, code: int) -> int:
        letter = chr(code)
        bare = folded(letter) if _WORD.match(letter) else " "
        self[code] = ord(bare) if len(bare) == 1 else code
        return self[code]


_LETTERS = _Letters()


def in_place(text: str) -> str:
    """Return the folded words of a text where they are in it, with spaces for all else."""
    if text.isascii():
        return text.translate(_ASCII_WORDS)
    # The last letter of a Greek word is written in another way, which a capital does not show.
    return _LAST_SIGMA.sub("\N{GREEK SMALL LETTER FINAL SIGMA}", text.translate(_LETTERS))


def spans(text: str, words: Sequence[str], numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Return where some of the words of a text made by `in_place` begin and end, in order."""
    spaced = f" {text} "
    found: list[tuple[int, int]] = []
    at = following = 0
    for number in sorted(numbers):
        word = words[number]
        # The same word may be there before, and not be asked for.
        for _ in range(words[following:number].count(word)):
            at = spaced.index(f" {word} ", at) + len(word) + 1
        start = spaced.index(f" {word} ", at)
        at, following = start + len(word) + 1, number + 1
        found.append((start, start + len(word)))
    return found


def has_cjk(word: str) -> bool:
    """Whether a word has letters that are indexed in pairs."""
    return not word.isascii() and _CJK_LETTER.search(word) is not None


def indexed(words: Iterable[str]) -> list[str]:
    """Return folded words as they are indexed: CJK letters each with the next one."""
    found: list[str] = []
    for word in words:
        if has_cjk(word):
            for run in _RUNS.findall(word):
                if has_cjk(run):
                    found += [run[at : at + 2] for at in range(len(run))]
                else:
                    found.append(run)
        else:
            found.append(word)
    return found


def sought(words: Sequence[str]) -> tuple[list[tuple[int, str]], bool]:
    """Return the indexed words to look for, with their positions, and whether the last is a prefix.

    The last letter of a run of CJK letters is part of the pair before it; a letter that stands
    alone at the end is the beginning of a pair.
    """
    found: list[tuple[int, str]] = []
    at, is_prefix = 0, False
    for word in words:
        for run in _RUNS.findall(word) if has_cjk(word) else (word,):
            is_prefix = False
            if not has_cjk(run):
                found.append((at, run))
                at += 1
                continue
            pairs = [run[place : place + 2] for place in range(max(1, len(run) - 1))]
            found += [(at + place, pair) for place, pair in enumerate(pairs)]
            is_prefix = len(run) == 1
            at += len(run)
    return found, is_prefix


class _ChangedStems(dict[str, str]):
    """Word -> its stem, or nothing if that is the word itself; looked up once for each word."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self._analyzer = None
        if language in STEMMERS:
            builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.raw())
            self._analyzer = builder.filter(tantivy.Filter.stemmer(STEMMERS[language])).build()

    def __missing__(self, word: str) -> str:
        stem = word
        if self._analyzer is not None and word.isalpha():
            # A stem may have an accent that the word has not.
            stem = folded(self._analyzer.analyze(word)[0])
        if len(self) > _REMEMBERED:
            self.clear()
        self[word] = "" if stem == word else stem
        return self[word]


class Stemmer:
    """The stems of words of one language; of a language without stemmer the words themselves."""

    def __init__(self, language: str) -> None:
        self._changed = _ChangedStems(language)

    def stem(self, word: str) -> str:
        """Return the stem of a folded word."""
        return self._changed[word] or word

    def words_with(self, stems: Set[str], words: Iterable[str]) -> list[str]:
        """Return the folded words that have one of some stems."""
        changed = self._changed
        return [word for word in words if (changed[word] or word) in stems]

    def changed(self, words: Iterable[str]) -> list[str]:
        """Return the stems of the words that differ from their stems."""
        return list(filter(None, map(self._changed.__getitem__, words)))


@lru_cache(maxsize=64)
def stemmer(language: str) -> Stemmer:
    """Return the stemmer of a language, by tesseract's name."""
    return Stemmer(language)
