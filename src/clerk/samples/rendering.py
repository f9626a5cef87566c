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


class _Widths(dict[str, float]):
    """The widths of one font in thousandths of its size, measured when first asked for."""

    def __init__(self, font: str) -> None:
        self._document: Any = pypdfium2.PdfDocument.new()
        self._font = pdfium.FPDFText_LoadStandardFont(self._document.raw, font.encode())

    def __missing__(self, character: str) -> float:
        width = ctypes.c_float()
        pdfium.FPDFFont_GetGlyphWidth(self._font, ord(character), 1000.0, width)
        self[character] = width.value
        return width.value


@lru_cache(maxsize=16)
def _widths(font: str) -> _Widths:
    return _Widths(font)
