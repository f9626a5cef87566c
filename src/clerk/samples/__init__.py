"""Sample documents of an invented town, for ``clerk demo`` and the tests.

They are minutes and agendas of three bodies over two years: born digital, scanned, mixed, in two
columns, with tables, and one damaged on purpose.  ``python -m clerk.samples FOLDER`` copies them to
a folder; ``samples.json`` has the truth about each.  ``tools/make_samples.py`` makes them.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

TOWN: Final = "Millbrook Falls"

#: A phrase that occurs in one scan and nowhere else: only OCR can find it.
SCAN_ONLY_PHRASE: Final = "copper heron weathervane"
#: A phrase that occurs in one text layer and nowhere else.
TEXT_LAYER_ONLY_PHRASE: Final = "Tannery footbridge"

#: What is expected to happen to a sample.
READ: Final = "read"
FAILED: Final = "failed"


@dataclass(frozen=True)
class Sample:
    """A sample document that was written, and the truth about it."""

    path: Path
    kind: str
    meeting: str
    date: str
    #: How it was made, in words.
    made: str
    #: The true text of each page, also of a page that cannot be read any more.
    pages: tuple[str, ...]
    #: The pages that are images, counted from 1.
    scanned: tuple[int, ...]
    outcome: str


def write_samples(folder: Path) -> list[Sample]:
    """Copy the sample documents to a folder, which is created if needed."""
    here = Path(__file__).parent
    samples = []
    for truth in json.loads((here / "samples.json").read_text("utf-8")):
        path = folder / truth.pop("file")
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(here / path.relative_to(folder), path)
        pages, scanned = tuple(truth.pop("pages")), tuple(truth.pop("scanned"))
        samples.append(Sample(path=path, pages=pages, scanned=scanned, **truth))
    return samples
