"""How documents are to be read, and the fingerprint that identifies the reader."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from clerk.core.config import Settings
from clerk.core.errors import BadSetting

from . import ocr
from .files import ENGINE_MARK

#: Raise when the rules change so much that documents should be read again.
READER_VERSION: Final = 2

#: Less loses small type, more costs time and gains nothing measurable.
OCR_DPI: Final = 200

_OCR_MODES = ("auto", "always", "never")


@dataclass(frozen=True)
class ReadingOptions:
    """How documents are to be read, as one value that can be passed to another process."""

    ocr: str = "auto"
    backend: str = "tesseract"
    languages: tuple[str, ...] = ("eng",)
    dpi: int = OCR_DPI
    page_seconds: float = 120.0
    page_megapixels: int = 40
    max_document_mb: int = 150
    max_document_pages: int = 5000

    def __post_init__(self) -> None:
        """Refuse an unknown mode."""
        if self.ocr not in _OCR_MODES:
            raise BadSetting(f"OCR must be one of {', '.join(_OCR_MODES)}, not {self.ocr!r}.")

    @classmethod
    def from_settings(
        cls,
        settings: Settings,
        *,
        ocr: str | None = None,
        backend: str | None = None,
        languages: Sequence[str] = (),
    ) -> ReadingOptions:
        """Return the settings, with what a site or a flag chooses instead of them."""
        return cls(
            ocr=ocr or cls.ocr,
            backend=backend or settings.default_ocr_backend,
            languages=tuple(languages) or settings.ocr_languages,
            page_seconds=settings.page_seconds,
            page_megapixels=settings.page_megapixels,
            max_document_mb=settings.max_document_mb,
            max_document_pages=settings.max_document_pages,
        )


def fingerprint(options: ReadingOptions) -> str:
    """Return what identifies the reader and its engine, as in ``reader 2 auto | tesseract ...``."""
    reader = f"reader {READER_VERSION} {options.ocr}"
    if options.ocr == "never":
        return reader
    engine = engine_name(ocr.find_backend(options.backend))
    return f"{reader}{ENGINE_MARK}{engine} {'+'.join(options.languages)} {options.dpi} dpi"


def engine_name(backend: ocr.OcrBackend) -> str:
    """Return the name of an engine with its version."""
    return f"{backend.name} {backend.version()}"
