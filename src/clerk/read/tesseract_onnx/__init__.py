"""The OCR engine ``tesseract-onnx``: Tesseract's own network, run faster.

Its packages are imported when it first reads a page: they are large, and few commands read.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from clerk import hookimpl

if TYPE_CHECKING:
    from clerk.read.ocr import OcrBackend


@hookimpl
def register_ocr_backends() -> Iterable[OcrBackend]:
    """Offer Tesseract's network run by onnxruntime."""
    from .engine import TesseractOnnx

    return [TesseractOnnx()]
