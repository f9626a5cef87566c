"""A second look at the lines of a page that the network is unsure of: libtesseract reads them too.

It has the same weights, but weighs words of its lists against letters in another way.  Only few
lines of a page are worth the time; a page with many is read by libtesseract as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from clerk.work.ocr import OcrWord

from .crops import LineCrop
from .layout import PlacedLine

#: A line with an unknown word below this confidence is looked at again.
_SURE_OF_WORD = 0.7
#: Lines of a page that are looked at again, the least sure ones.
_MOST_LINES = 4


@dataclass(frozen=True)
class FoundLine:
    """A line, what was cut out for it, and the words read there."""

    place: PlacedLine
    crop: LineCrop
    words: Sequence[OcrWord]


#: Says whether a text is in a dictionary.
Knows = Callable[[str], bool]


def look_again(
    lines: Sequence[FoundLine], knows: Knows, read: Callable[[FoundLine], Sequence[OcrWord]]
) -> list[FoundLine]:
    """Return the lines, those in doubt as ``read`` reads them if more of that is known words."""
    doubts = sorted((_surety(line, knows), number) for number, line in enumerate(lines))
    doubtful = [number for surety, number in doubts[:_MOST_LINES] if surety < _SURE_OF_WORD]
    found = list(lines)
    for number in doubtful:
        words = read(lines[number])
        if known_letters(words, knows) > known_letters(lines[number].words, knows):
            found[number] = replace(lines[number], words=words)
    return found


def _surety(line: FoundLine, knows: Knows) -> float:
    """Return the confidence of the least sure unknown word; dashes and bullets are no words."""
    unsure = (word for word in line.words if word.confidence < _SURE_OF_WORD)
    words = (word for word in unsure if any(map(str.isalnum, word.text)))
    return min((word.confidence for word in words if not knows(word.text)), default=1.0)


def known_letters(words: Iterable[OcrWord], knows: Knows) -> int:
    """Count the letters of words found in a dictionary: the same measure for both engines."""
    return sum(len(word.text) for word in words if knows(word.text))
