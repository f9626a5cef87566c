"""Where on the page the hits are: boxes of words, to be drawn over the scan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from clerk.core.storage import Document
from clerk.read.files import load_words_of

from .query import DEFAULT_LANGUAGES, hits, parse
from .words import fold

#: Left, top, right, bottom in ten-thousandths of the page's width and height.
Box = tuple[int, int, int, int]

_HYPHENS = ("-", "\u2010", "\u00ac", "\u00ad", "\ufffe", "\x02")


def hit_boxes(
    folder: Path,
    document: Document | str,
    page: int,
    query: str,
    languages: Sequence[str] = DEFAULT_LANGUAGES,
) -> list[Box]:
    """Return the boxes of the words of a page that a query hits, in reading order.

    A word broken at the end of a line is hit in both its parts.  Text without word boxes, of an
    older installation, gives none.
    """
    document = Document.from_name(document) if isinstance(document, str) else document
    words = load_words_of(document.text(folder), [page]).get(page)
    if words is None:
        return []
    pieces = list(_pieces(words.words))
    found = hits([word for word, _ in pieces], parse(query).terms, languages)
    wanted = sorted({number for at in found for number in pieces[at][1]})
    edges = words.boxes
    return [
        (edges[at], edges[at + 1], edges[at + 2], edges[at + 3])
        for at in (4 * number for number in wanted)
    ]


def _pieces(words: Sequence[str]) -> Iterator[tuple[str, list[int]]]:
    """Yield each searchable word with the numbers of the printed words it is made of."""
    number = 0
    while number < len(words):
        printed, used = words[number], [number]
        while printed.endswith(_HYPHENS) and used[-1] + 1 < len(words):
            following = words[used[-1] + 1]
            if not (printed[:-1] and following[:1].islower()):
                break
            printed, used = printed[:-1] + following, [*used, used[-1] + 1]
        yield from ((word, used) for word in fold(printed))
        number = used[-1] + 1
