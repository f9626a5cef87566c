"""The OCR engine ``tesseract-onnx`` of the extra ``clerk[fast]``.

Its packages are imported when it first reads a page, so that it can be named without them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from clerk import hookimpl

if TYPE_CHECKING:
    from clerk.work.ocr import OcrBackend


@hookimpl
def register_ocr_backends() -> Iterable[OcrBackend]:
    """Offer Tesseract's network run by onnxruntime."""
    from .engine import TesseractOnnx

    return [TesseractOnnx()]
