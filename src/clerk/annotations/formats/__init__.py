"""Writing checked objects in other formats, and reading those back.

``dump`` of a module returns the text for one document (brat: two files); ``load`` yields objects in
PubAnnotation's form, which are then checked like any upload.

============  =========  ==================================================  =============
format        read back  what is lost                                        a file holds
============  =========  ==================================================  =============
pubannotation exactly    nothing                                             lines
w3c           exactly    tracks                                              lines
tsv           exactly    tracks                                              a header, rows
spacy         exactly    tracks                                              lines
brat          exactly    tracks                                              two per document
conll         spans      overlaps, pieces, blocks, relations, attributes     documents
============  =========  ==================================================  =============
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from clerk.annotations.objects import CheckedObject
from clerk.core.errors import UnusableUpload

from . import brat, conll, pubannotation, spacy, tsv, w3c

#: Formats of which one file holds many documents: how to write one, and the extension.
WRITERS: dict[str, tuple[Callable[[CheckedObject], str], str]] = {
    "pubannotation": (pubannotation.dump, ".jsonl"),
    "w3c": (w3c.dump, ".jsonld"),
    "conll": (conll.dump, ".conll"),
    "tsv": (tsv.dump, ".tsv"),
    "spacy": (spacy.dump, ".spacy.jsonl"),
}

READERS: dict[str, Callable[[bytes], Iterator[dict[str, Any]]]] = {
    "w3c": w3c.load,
    "conll": conll.load,
    "tsv": tsv.load,
    "spacy": spacy.load,
}

__all__ = ["READERS", "WRITERS", "brat", "export", "export_array", "translate"]


def export(documents: Iterable[CheckedObject], format: str) -> Iterator[bytes]:
    """Yield the content of a file with these documents, piece by piece."""
    write, _ = WRITERS[format]
    if format == "tsv":
        yield tsv.HEADER.encode()
    for each in documents:
        yield write(each).encode()


def export_array(documents: Iterable[CheckedObject]) -> Iterator[bytes]:
    """Yield one JSON array of the documents in PubAnnotation's form, piece by piece."""
    before = b"["
    for each in documents:
        yield before + pubannotation.dump(each).encode()
        before = b","
    yield b"]\n" if before == b"," else b"[]\n"


def translate(content: bytes, format: str) -> Iterator[bytes]:
    """Yield the documents of a file in another format as lines that can be uploaded.

    Raises `UnusableUpload` at the first place that is not of that format.
    """
    try:
        for value in READERS[format](content):
            yield msgspec.json.encode(value) + b"\n"
    except (ValueError, TypeError, LookupError, AttributeError, msgspec.MsgspecError) as error:
        raise UnusableUpload(f"The file cannot be read as {format}: {error!r}.") from error
