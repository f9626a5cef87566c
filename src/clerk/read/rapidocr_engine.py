"""The OCR engine ``rapidocr``: PP-OCR reads what Tesseract overlooks.

It needs the extra ``rapidocr``, whose wheel brings the models; nothing is downloaded.  PP-OCR reads
prose far worse than Tesseract's network, and takes ten times as long for a page, but it reads
single numbers and short cells better.  So pages are read by ``tesseract-onnx``, and the pieces of
lines that it leaves out by PP-OCR's recogniser.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy

from clerk.core import config
from clerk.core.distribution import install_command

from .ocr import (
    GreyImage,
    MissingTool,
    OcrPage,
    OcrWord,
    PixelBox,
    Segmentation,
    SegmentingBackend,
)

_MODELS = {"Det": "PP-OCRv6_det_small.onnx", "Rec": "PP-OCRv6_rec_small.onnx"}
#: White around a piece that is read alone, in pixels.
_AROUND = 6


class RapidOcr:
    """Tesseract for the page, PP-OCR for what it overlooks."""

    name = "rapidocr"

    def __init__(self, whole_pages: SegmentingBackend) -> None:
        self._whole_pages = whole_pages

    def version(self) -> str:
        """Return the versions of both; raises MissingTool without the extra."""
        try:
            own = metadata.version("rapidocr")
        except metadata.PackageNotFoundError as error:
            raise _missing() from error
        return f"{own}+{self._whole_pages.version()}"

    def available_languages(self) -> list[str]:
        """Return the languages that both can read: PP-OCR's small model reads Latin script."""
        return list(self._whole_pages.available_languages())

    def recognise(self, image: GreyImage, languages: Sequence[str], dpi: int) -> OcrPage:
        """Read a page by Tesseract's network."""
        return self._whole_pages.recognise(image, languages, dpi)

    def recognise_as(
        self, image: GreyImage, languages: Sequence[str], dpi: int, segmentation: Segmentation
    ) -> OcrPage:
        """Read a page that is divided in this way by Tesseract's network."""
        return self._whole_pages.recognise_as(image, languages, dpi, segmentation)

    def read_places(
        self, image: GreyImage, places: Sequence[PixelBox], languages: Sequence[str], dpi: int
    ) -> list[OcrWord]:
        """Read pieces of lines by PP-OCR, and by Tesseract those it is less sure of."""
        by_tesseract: dict[int, list[OcrWord]] = {}
        for word in self._whole_pages.read_places(image, places, languages, dpi):
            by_tesseract.setdefault(word.line, []).append(word)
        engine, pixels, words = _engine(), image.array(), list[OcrWord]()
        for line, (left, top, right, bottom) in enumerate(places):
            x, y = max(0, left - _AROUND), max(0, top - _AROUND)
            cut = pixels[y : bottom + _AROUND, x : right + _AROUND]
            # In colour, as the model was trained.
            found = engine(numpy.stack([cut] * 3, axis=-1), use_det=False, use_cls=False)
            theirs = by_tesseract.get(line, [])
            text, sure = (found.txts[0].strip(), float(found.scores[0])) if found.txts else ("", 0)
            if text and sure >= min((word.confidence for word in theirs), default=0.0):
                words += _spread(text, (left, top, right, bottom), sure, line)
            else:
                words += theirs
        return words


def _spread(text: str, box: PixelBox, sure: float, line: int) -> list[OcrWord]:
    """Return the words of a piece, its width divided among them by their letters."""
    left, top, right, bottom = box
    width = (right - left) / len(text)
    words, at = [], 0
    for part in text.split():
        at = text.index(part, at)
        edges = (round(left + at * width), top, round(left + (at + len(part)) * width), bottom)
        words.append(OcrWord(part, edges, min(1.0, sure), line, line))
        at += len(part)
    return words


@cache
def _engine() -> Any:
    """Return PP-OCR in this process, made once; the models must be in the package."""
    config.limit_library_threads()
    try:
        import rapidocr
    except ImportError as error:
        raise _missing() from error
    folder = Path(rapidocr.__file__).parent / "models"
    params: dict[str, object] = {
        "Global.log_level": "critical",
        "Global.use_cls": False,
        "EngineConfig.onnxruntime.intra_op_num_threads": 1,
        "EngineConfig.onnxruntime.inter_op_num_threads": 1,
    }
    for part, name in _MODELS.items():
        if not (folder / name).is_file():
            # It would be downloaded.
            raise _missing()
        params[f"{part}.model_path"] = str(folder / name)
    return rapidocr.RapidOCR(params=params)


def _missing() -> MissingTool:
    return MissingTool(
        "The OCR engine rapidocr is not installed, or without its models.",
        hint=f"Run: {install_command(extra='rapidocr')}",
    )
