"""The OCR engines that come with clerk, offered by the same hook as everybody else's.

The modules of the engines are imported when the engines are first asked for: what they need is
large, and few commands read documents.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from clerk.core import config, storage

if TYPE_CHECKING:
    from .ocr import OcrBackend


def register_ocr_backends() -> Iterable[OcrBackend]:
    """Offer libtesseract, the ``tesseract`` program, Tesseract's network, and PP-OCR besides it.

    PP-OCR is offered only where its package is installed.
    """
    from .tesseract import Tesseract, TesseractProgram
    from .tesseract_onnx import TesseractOnnx

    libtesseract = Tesseract()
    network = TesseractOnnx(libtesseract, networks_folder)
    own: list[OcrBackend] = [libtesseract, TesseractProgram(), network]
    if find_spec("rapidocr"):
        from .rapidocr_engine import RapidOcr

        own.append(RapidOcr(network))
    return own


def networks_folder() -> Path | None:
    """Return where converted networks are kept: in the storage directory, if it exists.

    A hook is given no settings, so they are loaded when an engine needs them.
    """
    storage_dir = config.load().storage_dir
    return storage.ocr_networks_folder(storage_dir) if storage_dir.is_dir() else None
