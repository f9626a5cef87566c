"""What the samples ask of PDFium: how wide text is, and how a page looks."""

from __future__ import annotations

import ctypes
from functools import lru_cache
from typing import Any

import pypdfium2  # type: ignore[import-untyped]
import pypdfium2.raw as pdfium  # type: ignore[import-untyped]
from PIL import Image


def text_width(words: str, font: str, size: float) -> float:
    """Return the width of a run of text in points."""
    return sum(_widths(font)[character] for character in words) * size / 1000


def render_page(pdf: bytes, page: int, dpi: int) -> Image.Image:
    """Return a page of a PDF as a grey image."""
    with pypdfium2.PdfDocument(pdf) as document:
        bitmap = document[page].render(scale=dpi / 72, grayscale=True)
        image: Image.Image = bitmap.to_pil().convert("L").copy()
        return image


@lru_cache(maxsize=16)
def _widths(font: str) -> dict[str, float]:
    """Return the widths of a font's characters in thousandths of its size."""
    with pypdfium2.PdfDocument.new() as document:
        loaded = pdfium.FPDFText_LoadStandardFont(document.raw, font.encode())
        return {chr(code): _glyph_width(loaded, code) for code in _characters()}


def _glyph_width(font: Any, code: int) -> float:
    width = ctypes.c_float()
    pdfium.FPDFFont_GetGlyphWidth(font, code, 1000.0, width)
    return width.value


def _characters() -> list[int]:
    """The characters of the Windows encoding, which the samples are written in."""
    return [ord(c) for c in bytes(range(32, 256)).decode("cp1252", "ignore")]
