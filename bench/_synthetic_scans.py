"""Pages of invented minutes, scanned by nobody: text whose truth is known, in three kinds of scan.

The page is set in the fonts every PDF reader has, then made worse: turned a little, blurred,
sprinkled with noise, and squeezed by JPEG or cut to black and white.
"""

from __future__ import annotations

import io
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy
import pypdfium2
from PIL import Image, ImageFilter

_LINES = 50
_FONTS = ("Times-Roman", "Helvetica", "Courier", "Times-Bold")
_PEOPLE = "Abbott Brannigan Castellano Dubois Eriksen Fitzgerald Guzman Hollister Ivanov Jameson"
_VERBS = "moved seconded opposed tabled amended approved postponed withdrew reviewed questioned"
_THINGS = (
    "the zoning variance for 1412 Juniper Avenue;the library roof repair contract;"
    "a transfer of $48,250.00 from the general fund;Ordinance No. 2019-37 (second reading);"
    "the minutes of the special session;street lighting on Quarry Road between 5th and 9th;"
    "a joint application with Wexford County;the annual audit & budget calendar;"
    "permits for the farmers' market, subject to review;sewer rates effective July 1"
)
_ENDINGS = (
    "Carried unanimously.;Motion failed 3-4.;Ayes: 5, Nays: 2.;No objection was heard.;"
    "Staff will report back by October 12th."
)


@dataclass(frozen=True)
class Scan:
    """A picture of a page with its resolution, and the words that stand on it."""

    name: str
    pixels: numpy.ndarray
    dpi: int
    truth: str


def scans(pages_of_each_kind: int, seed: int = 7) -> Iterator[Scan]:
    """Yield the same scans for the same seed."""
    kinds: dict[str, tuple[int, Callable[[Image.Image, random.Random], Image.Image]]] = {
        "jpeg 150": (150, _as_jpeg),
        "jpeg 200": (200, _as_jpeg),
        "black and white 300": (300, _as_black_and_white),
    }
    for name, (dpi, worsen) in kinds.items():
        for number in range(pages_of_each_kind):
            chance = random.Random(f"{seed} {name} {number}")
            lines = list(islice(_lines(chance), _LINES))
            clean = _rendered(_pdf(lines, _FONTS[number % len(_FONTS)]), dpi)
            worse = numpy.asarray(worsen(_noisy(_skewed(clean, chance), chance), chance))
            yield Scan(name, worse, dpi, "\n".join(lines))


def _lines(chance: random.Random) -> Iterator[str]:
    day, year = chance.randint(1, 28), chance.randint(1950, 2024)
    yield f"Minutes of the Regular Meeting, {day} March {year}"
    yield ""
    for number in range(1, 12):
        yield f"{number}. {chance.choice(_PEOPLE.split())} called item {chance.randint(100, 999)}."
        yield from _wrapped(" ".join(_sentence(chance) for _ in range(chance.randint(1, 4))))
        yield ""


def _sentence(chance: random.Random) -> str:
    people, verbs = _PEOPLE.split(), _VERBS.split()
    return (
        f"Member {chance.choice(people)} {chance.choice(verbs)} {chance.choice(_THINGS.split(';'))}"
        f" and {chance.choice(people)} {chance.choice(verbs)} it."
        f" {chance.choice(_ENDINGS.split(';'))}"
    )


def _wrapped(text: str, width: int = 76) -> Iterator[str]:
    line = ""
    for word in text.split():
        if len(line) + len(word) >= width:
            yield line
            line = ""
        line = f"{line} {word}".strip()
    yield line


def _pdf(lines: list[str], font: str) -> bytes:
    """Return a PDF of one letter page with these lines in one of the standard fonts."""
    size = 10.5
    escaped = (line.translate({92: "\\\\", 40: "\\(", 41: "\\)"}) for line in lines)
    shown = "".join(f"({line}) Tj T*\n" for line in escaped)
    content = f"BT /F {size} Tf {size * 1.25} TL 60 730 Td\n{shown}ET".encode("latin-1")
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R"
        b"/Resources<</Font<</F 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(content), content),
        b"<</Type/Font/Subtype/Type1/BaseFont/%s>>" % font.encode(),
    ]
    body = b"".join(b"%d 0 obj%s endobj\n" % (n, each) for n, each in enumerate(objects, 1))
    return b"%PDF-1.4\n" + body + b"trailer<</Root 1 0 R/Size 6>>\n%%EOF"


def _rendered(pdf: bytes, dpi: int) -> Image.Image:
    document = pypdfium2.PdfDocument(pdf)
    picture: Image.Image = document[0].render(scale=dpi / 72, grayscale=True).to_pil()
    document.close()
    return picture.convert("L")


def _skewed(page: Image.Image, chance: random.Random) -> Image.Image:
    return page.rotate(chance.uniform(-0.7, 0.7), Image.Resampling.BICUBIC, fillcolor=255)


def _noisy(page: Image.Image, chance: random.Random) -> Image.Image:
    blurred = page.filter(ImageFilter.GaussianBlur(chance.uniform(0.7, 1.1) * page.width / 1700))
    faded = numpy.asarray(blurred, numpy.float32) * 0.7 + 50
    dice = numpy.random.default_rng(chance.randrange(2**32))
    grain = dice.normal(0, chance.uniform(14, 22), faded.shape)
    return Image.fromarray((faded + grain).clip(0, 255).astype(numpy.uint8))


def _as_jpeg(page: Image.Image, chance: random.Random) -> Image.Image:
    squeezed = io.BytesIO()
    page.save(squeezed, "JPEG", quality=chance.randint(35, 55))
    return Image.open(squeezed).convert("L")


def _as_black_and_white(page: Image.Image, chance: random.Random) -> Image.Image:
    threshold = chance.randint(140, 165)
    return page.point(lambda value: 255 if value > threshold else 0)
