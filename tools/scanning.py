"""Scanning on paper that never was: a rendered page becomes skewed, grey, noisy or faxed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from tools.pdf_writer import EncodedImage, encode_fax, encode_jpeg
from tools.rendering import render_page


@dataclass(frozen=True)
class Scanner:
    """A machine with its faults.  The skew is in degrees, alternating from page to page."""

    name: str
    dpi: int
    skew: float
    noise: float
    black_and_white: bool = False
    quality: int = 40

    def scan(self, pdf: bytes, page: int, seed: int) -> EncodedImage:
        """Return a page as this machine would have scanned it; the same each time."""
        chance = np.random.default_rng([seed, page])
        image = self._feed(render_page(pdf, page, self.dpi), page, chance)
        image = _shade(image, self.noise, chance)
        if self.black_and_white:
            return encode_fax(_speckle(image.point(lambda level: 255 * (level > 150)), chance))
        return encode_jpeg(image, self.quality)

    def _feed(self, image: Image.Image, page: int, chance: np.random.Generator) -> Image.Image:
        """Lay the sheet askew on the glass, its punched holes and all."""
        _punch(image, self.dpi)
        angle = self.skew * (1 if page % 2 else -1) * chance.uniform(0.8, 1.2)
        turned = image.rotate(angle, Image.Resampling.BILINEAR, fillcolor=235)
        return turned.filter(ImageFilter.BoxBlur(self.dpi / 500))


#: What the town hall owns.
GREY_150 = Scanner("grey, 150 dpi", dpi=150, skew=0.9, noise=6.0)
GREY_200 = Scanner("grey, 200 dpi", dpi=200, skew=0.6, noise=5.0, quality=35)
FAX_300 = Scanner("black and white, 300 dpi", dpi=300, skew=0.4, noise=9.0, black_and_white=True)


def _punch(image: Image.Image, dpi: int) -> None:
    """Put the two holes of a binder into the left margin."""
    radius = dpi * 0.11
    x = dpi * 0.38
    pen = ImageDraw.Draw(image)
    for y in (image.height / 2 - dpi * 1.4, image.height / 2 + dpi * 1.4):
        pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=70)


def _shade(image: Image.Image, noise: float, chance: np.random.Generator) -> Image.Image:
    """Add paper tone, a shadow towards the spine, and the noise of the sensor."""
    levels = np.asarray(image, dtype=np.float32)
    across = np.linspace(0, 1, levels.shape[1], dtype=np.float32)
    shadow = 22 * np.exp(-across * 14) + 6 * across
    grain = chance.standard_normal(levels.shape, dtype=np.float32) * noise
    return Image.fromarray((levels * 0.93 + 12 - shadow + grain).clip(0, 255).astype(np.uint8))


def _speckle(image: Image.Image, chance: np.random.Generator) -> Image.Image:
    """Scatter the dust of a fax: black specks of a pixel or three."""
    pen = ImageDraw.Draw(image)
    for _ in range(220):
        x, y = int(chance.integers(image.width)), int(chance.integers(image.height))
        reach = int(chance.integers(0, 2))
        pen.rectangle((x, y, x + reach, y + reach), fill=0)
    return image
