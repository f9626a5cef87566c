"""How many marks keep their place when documents are read again in another way.

    python -m bench.rereading [--first 1] [--pages 12]

The documents of ``clerk demo`` and, if there are any, the PDFs of the shared data are read with
libtesseract and with Tesseract's network in onnxruntime, all pages by OCR, and by their text layer
where they have one. On every page words are marked, about 20 and about 200 characters long, in
steps over the whole text, and moved to the text of another reading, in both directions. A mark is
misplaced if it, or a piece of it, is in other words, or if the same words are elsewhere too and
nothing around them is alike. The bars are for the two engines; text layers are compared to see more
kinds of differences, and pages whose layer has another text (drawings, maps) are counted apart.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from bench import options
from clerk.annotations import align, fold
from clerk.annotations.align import Placement
from clerk.read.documents import read_pdf
from clerk.read.options import ReadingOptions
from clerk.samples import READ, write_samples

ENGINES = ("tesseract", "tesseract-onnx")
#: The share of marks of a length that may lose their place.
BARS = {20: 0.01, 200: 0.05}
MARKS_PER_PAGE = 25
WORD = re.compile(r"\w+")
CONTEXT = 60


def marks(text: str, length: int) -> Iterator[tuple[int, int]]:
    """Yield spans of whole words of about that length, in steps over the text."""
    words = list(re.finditer(r"\S+", text))
    for index in range(0, len(words), max(1, len(words) // MARKS_PER_PAGE)):
        begin = words[index].start()
        ends = (word.end() for word in words[index:])
        end = next((end for end in ends if end - begin >= length), 0)
        if end:
            yield begin, end


def is_misplaced(
    source: str, target: str, span: tuple[int, int], places: Sequence[Placement]
) -> bool:
    """Whether a mark is in other words, or nothing but its own words says that it is there."""
    quote, folded = fold(source[slice(*span)]), fold(target)
    found = [fold(target[place.begin : place.end]) for place in places]
    letters = ("".join(WORD.findall(each)) for each in (quote, "".join(found)))
    if Levenshtein.normalized_similarity(*letters) < 0.75:
        return True
    around = fold(source[max(0, span[0] - CONTEXT) : span[1] + CONTEXT])
    for words, place in zip(found, places, strict=True):
        sides = (
            fold(target[max(0, place.begin - CONTEXT) : place.begin]),
            fold(target[place.end : place.end + CONTEXT]),
        )
        # Noise may have been read between a mark and its neighbours: they may be a little farther
        # away.
        alike = max(fuzz.partial_ratio(each, around) for each in sides)
        if folded.count(words) > 1 and alike < 60:
            return True
    return False


def is_absent(quote: str, target: str) -> bool:
    """Whether some words of a quote are nowhere in a text: then nobody can place it."""
    there = set(WORD.findall(fold(target)))
    return not set(WORD.findall(fold(quote))) <= there


def count(source: str, target: str, length: int, found: Counter[str]) -> None:
    """Move the marks of a page, and count what becomes of them."""
    alignment = align(source, target)
    if not alignment.same_text:
        found["other text"] += sum(1 for _ in marks(source, length))
        return
    for span in marks(source, length):
        found["marks"] += 1
        places = alignment.place_all(*span)
        if not places:
            found["orphaned"] += 1
            found["absent"] += is_absent(source[slice(*span)], target)
            continue
        found["changed"] += any(place.changed for place in places)
        found["in pieces"] += len(places) > 1
        found["misplaced"] += is_misplaced(source, target, span, places)


def main() -> int:
    """Read, mark and move; print the shares."""
    parser = options.parser("rereading", __doc__)
    parser.add_argument("--pages", type=int, default=12, help="at most this many of a document")
    parser.add_argument("--first", type=int, default=1, help="the first page to read")
    asked = parser.parse_args()
    readings = {name: ReadingOptions(ocr="always", backend=name) for name in ENGINES}
    readings["text layer"] = ReadingOptions(ocr="never")
    with tempfile.TemporaryDirectory(prefix="clerk-bench-") as folder:
        samples = write_samples(Path(folder))
        paths = [each.path for each in samples if each.outcome == READ]
        shared = options.shared_data()
        paths += sorted((shared / "pdfs").rglob("*.pdf")) if shared else []
        if asked.tiny:
            paths, asked.pages = paths[:1], 1
        only = range(asked.first, asked.first + asked.pages)
        #: For each page, what each way of reading made of it.
        pages: dict[tuple[Path, int], dict[str, str]] = {}
        for path in paths:
            for name, how in readings.items():
                for page in read_pdf(path, how, only=only).pages:
                    if page.text.strip() and page.facts.page in only:
                        pages.setdefault((path, page.facts.page), {})[name] = page.text
    met = True
    print(f"{len(paths)} documents, {len(pages)} pages")
    for one, other in combinations(readings, 2):
        both = [
            (texts[one], texts[other]) for texts in pages.values() if {one, other} <= set(texts)
        ]
        print(f"{one} and {other}, {len(both)} pages")
        for length, bar in BARS.items():
            found: Counter[str] = Counter()
            for text, again in both:
                count(text, again, length, found)
                count(again, text, length, found)
            if {one, other} == set(ENGINES):
                # A page that another engine reads as another text counts as well.
                found["marks"] += found["other text"]
                found["orphaned"] += found["other text"]
                met = met and found["orphaned"] <= bar * found["marks"] and not found["misplaced"]
            marked = max(1, found["marks"])
            print(
                f"  {length:>3} characters: {found['marks']} marks,"
                f" {found['orphaned'] / marked:.2%} orphaned (bar {bar:.0%};"
                f" {(found['orphaned'] - found['absent']) / marked:.2%} although their words are"
                f" there), {found['changed'] / marked:.1%} with other words,"
                f" {found['in pieces']} in pieces, {found['misplaced']} misplaced;"
                f" {found['other text']} on pages with another text"
            )
    return options.exit_code(tiny=asked.tiny, bars_met=met)


if __name__ == "__main__":
    sys.exit(main())
