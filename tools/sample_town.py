"""The invented town of Millbrook Falls: which documents it has and how each came to be a PDF.

The texts are in ``sample_texts/``, in the markup of ``typesetting``.  The paths are named as real
towns name them: kind, body and date are part of folder or file names, written in several ways.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from tools.scanning import FAX_300, GREY_150, GREY_200, Scanner
from tools.typesetting import BOOK, MODERN, TYPEWRITER, Style

COUNCIL: Final = "Town Council"
PLANNING: Final = "Planning Board"
SCHOOL: Final = "School Committee"


@dataclass(frozen=True)
class Plan:
    """A document to be made.  Without a scanner it is born digital."""

    path: str
    text: str
    kind: str
    meeting: str
    date: str
    style: Style = BOOK
    scanner: Scanner | None = None
    #: The pages that are scanned, counted from 1; none named means all.
    scanned: tuple[int, ...] = ()
    #: Whether the scan carries an invisible text layer, as from an OCR program.
    text_layer: bool = False
    #: How much of the file is left, if it is damaged on purpose.
    kept: float = 1.0

    def is_scanned(self, page: int) -> bool:
        """Whether a page, counted from 1, is an image."""
        return self.scanner is not None and (not self.scanned or page in self.scanned)

    @property
    def made(self) -> str:
        """How it is made, in words."""
        if self.kept < 1:
            return "born digital, then cut short"
        if self.scanner is None:
            return "born digital"
        way = f"scanned, {self.scanner.name}"
        if self.scanned:
            return f"born digital; page {', '.join(map(str, self.scanned))} {way}"
        return f"{way}, with a text layer" if self.text_layer else way

    @property
    def source(self) -> str:
        """The text in the markup of ``typesetting``."""
        return (Path(__file__).parent / "sample_texts" / f"{self.text}.txt").read_text("utf-8")


PLANS: Final = (
    Plan(
        "Town Council/Minutes/2023-01-23.pdf",
        "council-2023-01-23-minutes",
        "minutes",
        COUNCIL,
        "2023-01-23",
    ),
    Plan(
        "Town Council/Agendas/2023-06-12.pdf",
        "council-2023-06-12-agenda",
        "agendas",
        COUNCIL,
        "2023-06-12",
        style=MODERN,
    ),
    Plan(
        "Town Council/Minutes/2023-06-12.pdf",
        "council-2023-06-12-minutes",
        "minutes",
        COUNCIL,
        "2023-06-12",
        scanner=GREY_150,
    ),
    Plan(
        "Town Council/Minutes/2023-11-13.pdf",
        "council-2023-11-13-minutes",
        "minutes",
        COUNCIL,
        "2023-11-13",
        style=MODERN,
        scanner=FAX_300,
    ),
    Plan(
        "Town Council Minutes January 15, 2024.pdf",
        "council-2024-01-15-minutes",
        "minutes",
        COUNCIL,
        "2024-01-15",
        scanner=GREY_150,
        scanned=(2,),
    ),
    Plan(
        "Town Council Agenda June 10, 2024.pdf",
        "council-2024-06-10-agenda",
        "agendas",
        COUNCIL,
        "2024-06-10",
        style=MODERN,
    ),
    Plan(
        "Town Council Minutes June 10, 2024.pdf",
        "council-2024-06-10-minutes",
        "minutes",
        COUNCIL,
        "2024-06-10",
        style=Style(size=10.5, margin=58, header="Town Council, June 10, 2024"),
    ),
    Plan(
        "minutes/Planning Board/2023-04-05.pdf",
        "planning-2023-04-05-minutes",
        "minutes",
        PLANNING,
        "2023-04-05",
        style=TYPEWRITER,
    ),
    Plan(
        "minutes/Planning Board/2023-09-20.pdf",
        "planning-2023-09-20-minutes",
        "minutes",
        PLANNING,
        "2023-09-20",
        style=replace(TYPEWRITER, leading=1.9),
        scanner=GREY_200,
    ),
    Plan(
        "agendas/Planning Board/03-06-2024.pdf",
        "planning-2024-03-06-agenda",
        "agendas",
        PLANNING,
        "2024-03-06",
    ),
    Plan(
        "minutes/Planning Board/03-06-2024.pdf",
        "planning-2024-03-06-minutes",
        "minutes",
        PLANNING,
        "2024-03-06",
        style=MODERN,
        scanner=FAX_300,
        text_layer=True,
    ),
    Plan(
        "School Committee/20231017_minutes.pdf",
        "school-2023-10-17-minutes",
        "minutes",
        SCHOOL,
        "2023-10-17",
        style=MODERN,
    ),
    Plan(
        "School Committee/2024.05.21 Agenda.pdf",
        "school-2024-05-21-agenda",
        "agendas",
        SCHOOL,
        "2024-05-21",
        scanner=FAX_300,
    ),
    Plan(
        "School Committee/2024.05.21 Minutes.pdf",
        "school-2024-05-21-minutes",
        "minutes",
        SCHOOL,
        "2024-05-21",
        kept=0.6,
    ),
    Plan(
        "School Committee/Minutes Oct 15 2024.pdf",
        "school-2024-10-15-minutes",
        "minutes",
        SCHOOL,
        "2024-10-15",
        style=MODERN,
    ),
)
