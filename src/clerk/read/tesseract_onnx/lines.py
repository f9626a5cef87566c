"""Reading lines: in batches for the network, and equal images of a line only once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence

from .crops import Crop, LineCrop
from .decoding import ReadWord, decode
from .dictionary import Dictionary
from .networks import Network

#: Lines in one run of the network, and the width of all of them in pixels; more need more memory
#: and gain nothing.
LINES_IN_BATCH = 4
_WIDTH_OF_BATCH = 4000
#: A line joins a batch if it is at most this much longer than the shortest line in it.
_LONGER, _LONGER_PIXELS = 1.1, 12
#: Below this the line is tried again as white on black.
_DOUBTFUL = 0.8
#: Lines cached: running heads and the like are pixel for pixel the same in born-digital PDFs.
_LINES_CACHED = 2000


class LineReader:
    """Reads lines in one language; the result for a line never depends on other lines."""

    def __init__(
        self, network: Network, dictionary: Dictionary | None, batch: int = LINES_IN_BATCH
    ) -> None:
        self.network = network
        self._dictionary = dictionary
        self._batch = batch
        self._cache: OrderedDict[bytes, list[ReadWord]] = OrderedDict()

    def read(self, crops: Sequence[LineCrop]) -> list[list[ReadWord]]:
        """Return the words of each line."""
        upright = self._read([(crop.fingerprint, crop.pixels) for crop in crops])
        doubtful = [place for place, words in enumerate(upright) if certainty(words) < _DOUBTFUL]
        dark = [crops[place] for place in doubtful]
        inverted = self._read([(crop.fingerprint + b"inverted", -crop.pixels) for crop in dark])
        for place, words in zip(doubtful, inverted, strict=True):
            upright[place] = max(upright[place], words, key=certainty)
        return upright

    def knows(self, text: str) -> bool:
        """Say whether a text is in the dictionary."""
        return self._dictionary is not None and self._dictionary.knows(text)

    def _read(self, pictures: Sequence[tuple[bytes, Crop]]) -> list[list[ReadWord]]:
        found = {key: self._cache[key] for key, _ in pictures if key in self._cache}
        unseen = {key: picture for key, picture in pictures if key not in found}
        for batch in self._batches(unseen.items()):
            shares = self.network.shares([picture for _, picture in batch])
            for (key, _), each in zip(batch, shares, strict=True):
                found[key] = decode(each, self.network.alphabet, self._dictionary)
        for key, words in found.items():
            self._cache[key] = words
            self._cache.move_to_end(key)
        while len(self._cache) > _LINES_CACHED:
            self._cache.popitem(last=False)
        return [found[key] for key, _ in pictures]

    def _batches(
        self, pictures: Iterable[tuple[bytes, Crop]]
    ) -> Iterator[list[tuple[bytes, Crop]]]:
        """Group pictures of similar length, so that little is computed for the padding."""
        batch: list[tuple[bytes, Crop]] = []
        for key, picture in sorted(pictures, key=lambda item: item[1].shape[1]):
            if batch:
                shortest, longest = batch[0][1].shape[1], picture.shape[1]
                too_wide = (len(batch) + 1) * longest > _WIDTH_OF_BATCH
                much_longer = longest > shortest * _LONGER + _LONGER_PIXELS
                if len(batch) == self._batch or too_wide or much_longer:
                    yield batch
                    batch = []
            batch.append((key, picture))
        if batch:
            yield batch


def certainty(words: Sequence[ReadWord]) -> float:
    """Return the mean confidence of a line by letters; 0 for one without words."""
    letters = sum(len(word.text) for word in words)
    return sum(word.confidence * len(word.text) for word in words) / letters if letters else 0.0
