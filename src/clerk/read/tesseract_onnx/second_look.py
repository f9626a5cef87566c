"""A second look at what the network is unsure of: at words by libtesseract, at numbers by a vote.

libtesseract has the same weights, but sees the word alone and at another scale, and weighs words of
its lists against letters in another way.  Only few words of a page are worth the time; a page that
is doubtful as a whole is read by libtesseract as a whole.

No list helps with numbers, dates and amounts, and one wrong digit is as bad as none right.  The
network reads such a word again at other scales, and each reading has as many votes as confidence.
"""

from __future__ import annotations

import re
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
#: Numbers and single characters below this confidence are voted on, the least sure ones first.
_SURE_OF_NUMBER = 0.985
_MOST_NUMBERS = 80
#: What follows the comma of an amount, and the widest gap before it, in heights.
_AFTER_COMMA = re.compile(r"[,.]\d{2,3}(?!\d)")
_NARROW_GAP = 0.5
#: What the vote for a reading with fewer digits is worth, and that of the line as a whole.
_FEWER_DIGITS = 0.2
_IN_LINE = 1.1
_PUNCTUATION = ".,;:"
#: The heights of the type at which a number is read again, as multiples of the line's.
SCALES = (1.0, 1.12, 0.9, 1.25)


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

#: Reads words of lines again at each of :data:`SCALES`; a word may turn out to be several.
ReadAtScales = Callable[
    [Sequence[tuple["FoundLine", OcrWord]]], Sequence[Sequence[Sequence[OcrWord]]]
]


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


def vote_on_numbers(lines: Sequence[FoundLine], read: ReadAtScales) -> list[FoundLine]:
    """Return the lines, their numbers in doubt as most readings of them have it.

    What was read as one word may be several: the network overlooks narrow spaces.
    """
    found = list(lines)
    doubtful = sorted(
        (word.confidence, number, place)
        for number, line in enumerate(lines)
        for place, word in enumerate(line.words)
        if word.confidence < _SURE_OF_NUMBER
        and (any(map(str.isdigit, word.text)) or (len(word.text) == 1 and word.text.isalnum()))
    )[:_MOST_NUMBERS]
    if not doubtful:
        return found
    asked = [(lines[number], lines[number].words[place]) for _, number, place in doubtful]
    decided: dict[tuple[int, int], list[OcrWord]] = {}
    for (_, number, place), again in zip(doubtful, read(asked), strict=True):
        others = (
            with_whole_numbers([word for word in words if any(map(str.isalnum, word.text))])
            for words in again
        )
        readings = [[lines[number].words[place]], *filter(None, others)]
        decided[number, place] = _elected(readings)
    for number in {number for number, _ in decided}:
        words = [
            better
            for place, word in enumerate(lines[number].words)
            for better in decided.get((number, place), [word])
        ]
        found[number] = replace(found[number], words=words)
    return found


def _elected(readings: Sequence[Sequence[OcrWord]]) -> list[OcrWord]:
    """Return the reading with the most votes, each worth its confidence; the first is the line's.

    A reading that makes letters of digits is worth less: a one alone looks like an l.  What follows
    a number is better seen in the line: alone, a full stop looks like a comma.
    """
    texts = [" ".join(word.text for word in words) for words in readings]
    digits = [sum(map(str.isdigit, text)) for text in texts]
    cores = [text.rstrip(_PUNCTUATION) for text in texts]
    votes: dict[str, float] = {}
    for core, count, words in zip(cores, digits, readings, strict=True):
        # Words that were one: "1of2", "1o0f2".
        apart = len(words) > len(readings[0])
        weight = 1.0 if apart or count >= digits[0] else _FEWER_DIGITS
        if words is readings[0]:
            weight = _IN_LINE
        votes[core] = votes.get(core, 0.0) + weight * min(word.confidence for word in words)
    winner = max(votes, key=lambda core: votes[core])
    sure = round(min(1.0, votes[winner] / len(readings)), 4)
    elected = [changed(word, confidence=sure) for word in readings[cores.index(winner)]]
    if cores[0] != winner:
        after = texts[0][len(cores[0]) :]
        last = elected[-1]
        elected[-1] = changed(last, text=last.text.rstrip(_PUNCTUATION) + after)
    return elected


def with_whole_numbers(words: Sequence[OcrWord]) -> list[OcrWord]:
    """Return the words of a line, amounts put together that were torn apart at their comma."""
    found: list[OcrWord] = []
    for word in words:
        if found and word.text[:1] in ",." and _AFTER_COMMA.match(word.text):
            before = found[-1]
            gap, height = word.box[0] - before.box[2], before.box[3] - before.box[1]
            if before.text[-1:].isdigit() and gap < _NARROW_GAP * height:
                left, top, _, bottom = before.box
                box = (left, min(top, word.box[1]), word.box[2], max(bottom, word.box[3]))
                sure = min(before.confidence, word.confidence)
                found[-1] = changed(before, text=before.text + word.text, box=box, confidence=sure)
                continue
        found.append(word)
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
