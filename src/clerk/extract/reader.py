"""Read one document: the whole way from pages to an extraction."""

from __future__ import annotations

from collections.abc import Sequence

from .context import DocumentText
from .entities import find_entities
from .model import VERSION, Extraction, text_hash
from .roster import read_roster
from .text import normalise
from .votes import find_votes


def read_text(pages: Sequence[str]) -> Extraction:
    """Find the votes and entities in the pages of one document.

    Any text is accepted, and the same pages always give the same answer.
    """
    document = normalise(pages)
    doc = DocumentText(document, read_roster(document))
    return Extraction(
        version=VERSION,
        text_sha256=text_hash(document.original),
        votes=find_votes(doc),
        entities=find_entities(doc),
    )
