"""A second look at the words of a page that the network is unsure of: libtesseract reads them too.

It has the same weights, but sees the word alone and at another scale, and weighs words of its lists
against letters in another way.  Only few words of a page are worth the time; a page that is
doubtful as a whole is read by libtesseract as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from msgspec.structs import replace as changed

from clerk.read.ocr import OcrWord

from .crops import LineCrop
from .layout import PlacedLine

#: An unknown word below this confidence is looked at again.
_SURE_OF_WORD = 0.8
#: Words of a page that are looked at again, the least sure ones.
_MOST_WORDS = 12


@dataclass(frozen=True)
class FoundLine:
    """A line, what was cut out for it, and the words read there."""

    place: PlacedLine
    crop: LineCrop
    words: Sequence[OcrWord]


#: Says whether a text is in a dictionary.
Knows = Callable[[str], bool]
#: Reads one word of a line again; None if it makes no single word of it.
ReadAgain = Callable[[FoundLine, OcrWord], OcrWord | None]


def look_again(lines: Sequence[FoundLine], knows: Knows, read: ReadAgain) -> list[FoundLine]:
    """Return the lines, their words in doubt as ``read`` reads them if those are known words.

    A word stays where it stands, and its neighbours stay as they are.
    """
    found = list(lines)
    for number, place in _in_doubt(lines, knows)[:_MOST_WORDS]:
        word = lines[number].words[place]
        again = read(lines[number], word)
        if again is not None and knows(again.text):
            better = changed(word, text=again.text, confidence=again.confidence)
            words = list(found[number].words)
            words[place] = better
            found[number] = replace(found[number], words=words)
    return found


def _in_doubt(lines: Sequence[FoundLine], knows: Knows) -> list[tuple[int, int]]:
    """Return line and place of each unknown word in doubt, the least sure first.

    Dashes and bullets are no words.
    """
    places = (
        (word.confidence, number, place)
        for number, line in enumerate(lines)
        for place, word in enumerate(line.words)
        if word.confidence < _SURE_OF_WORD and any(map(str.isalnum, word.text))
        if not knows(word.text)
    )
    return [(number, place) for _, number, place in sorted(places)]


def known_letters(words: Iterable[OcrWord], knows: Knows) -> int:
    """Count the letters of words found in a dictionary: the same measure for both engines."""
    return sum(len(word.text) for word in words if knows(word.text))
