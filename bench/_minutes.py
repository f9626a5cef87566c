"""Born-digital minutes of an invented town, as long as those of real ones.

The sample documents of ``clerk.samples`` have two pages on average, so as to be small.  Here their
texts are set one after the other, with as many pages to a document as minutes have that towns
publish: four on average, of two thousand characters each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path

from tools.pdf_writer import PdfWriter, Rule, Text
from tools.rendering import text_width
from tools.sample_town import PLANS
from tools.typesetting import BOOK, MODERN, TYPEWRITER, Page, set_pages

#: Of fifteen documents of eleven towns, in a mixed order.
_PAGES = (3, 1, 6, 2, 10, 4, 3, 1, 5, 6, 2, 8, 3, 4, 6)
_STYLES = (BOOK, MODERN, TYPEWRITER)


def write_minutes(folder: Path) -> list[Path]:
    """Write the documents below a folder, which is made if need be."""
    folder.mkdir(parents=True, exist_ok=True)
    return [_write(folder, number, pages) for number, pages in enumerate(_PAGES)]


def _write(folder: Path, number: int, pages: int) -> Path:
    writer = PdfWriter(f"Minutes {number}")
    for page in islice(_pages(number), pages):
        writer.add_page([part for mark in page.marks for part in _word_by_word(mark)])
    path = folder / f"minutes-{number}.pdf"
    path.write_bytes(writer.getvalue())
    return path


def _word_by_word(mark: Text | Rule) -> Iterator[Text | Rule]:
    """Place every word by itself, as word processors do."""
    if isinstance(mark, Rule):
        yield mark
        return
    for word in re.finditer(r"\S+ ?", mark.words):
        before = text_width(mark.words[: word.start()], mark.font, mark.size)
        yield replace(mark, x=mark.x + before, words=word[0])


def _pages(number: int) -> Iterator[Page]:
    """Return pages without end; each document begins with another text."""
    texts = [plan.source for plan in PLANS if plan.kind == "minutes"]
    begin = number % len(texts)
    style = _STYLES[number % len(_STYLES)]
    return cycle(set_pages("\n".join(texts[begin:] + texts[:begin]), style))
