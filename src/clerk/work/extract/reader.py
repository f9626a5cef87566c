"""Read one document: the whole way from pages to an extraction."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from .cues import Reading
from .entities import find_entities
from .model import Extraction
from .normal import normalise
from .roster import read_roster
from .votes import find_votes

#: Changes whenever the same text would give another answer; cached answers of others are not used.
VERSION = "2"


def extract_text(pages: Sequence[str]) -> Extraction:
    """Find the votes and entities in the pages of one document.

    Any text is accepted, and the same pages always give the same answer.
    """
    document = normalise(pages)
    reading = Reading(document, read_roster(document))
    return Extraction(
        version=VERSION,
        text_sha256=text_hash(document.original),
        votes=find_votes(reading),
        entities=find_entities(reading),
    )


def text_hash(text: str) -> str:
    """Return the hash of a document's text, whatever characters are in it."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
