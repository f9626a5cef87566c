"""Annotation collections: reading, checking, splitting, aligning, combining and writing them.

Files in, values out; nothing here knows of a database or a queue.  An upload goes this way::

    upload = receive(path, spool)                  # refused by name, or bytes on disk
    for batch in split(upload, skip=kept):         # byte ranges; a document is never divided
        for found in decode_batch(upload, batch):  # CheckedObject | Issue, with file and line
            ...                                    # or by document: read_documents(upload, batch)
    anchored = anchor(annotations_of(found), found.text, document_text)   # spans follow the text
    plan = apply_mode(Mode.MERGE, stored, [anchored.annotations, ...])    # a decision, not a deed
    denotation_rows(plan.insert.denotations, document_id, project_id)     # tuples for COPY
    export(documents, "w3c")                       # bytes of a file, piece by piece

=============  ====================================================================================
`uploads`      which files are read, archives made flat: `receive`, `Upload`, `ArchiveLimits`
`scanning`     where the objects of a file begin and end: `objects_in`
`splitting`    `split`, `Batch`, `BatchLimits`, `decode_batch`, `read_documents`;
               `split(upload, limits, ranges=batch.ranges)` divides a batch, down to one document
`checking`     one object: `decode`; `careful` has the rules and the messages
`model`        `CheckedObject`, `AnnotationSet`, `Denotation`, `Relation`, `Attribute`, `Issue`,
               and `Issues`, which counts what would be too many to list
`alignment`    `align(source_text, target_text).map_span(begin, end)`; `folding.fold` says what is
               the same text
`anchoring`    `anchor`: all annotations of a document moved to another version of its text, or
               only those that need no moving (`Anchoring.STRICT`, `Anchoring.OFF`)
`modes`        `apply_mode` -> `Plan(clear, insert)`
`rows`         `denotation_rows`, `relation_rows`, `attribute_rows`, `from_rows`
`formats`      `export`, `translate`, `brat`
=============  ====================================================================================

Everything an upload can do wrong is an `Issue` with file, line, code and message; only a file of
which nothing can be used raises (`clerk.errors.UnusableUpload`).
"""

from __future__ import annotations

from .align import Alignment, align
from .anchor import Anchored, Anchoring, anchor
from .checking import decode
from .model import (
    AnnotationSet,
    Attribute,
    CheckedObject,
    Denotation,
    Issue,
    Issues,
    Relation,
    Span,
)
from .modes import Mode, Plan, annotations_of, apply_mode
from .rows import attribute_rows, denotation_rows, from_rows, relation_rows
from .split import Batch, BatchLimits, Range, decode_batch, read_documents, split
from .text_fold import fold
from .upload_files import ArchiveLimits, Upload, receive

__all__ = [
    "Alignment",
    "Anchored",
    "Anchoring",
    "AnnotationSet",
    "ArchiveLimits",
    "Attribute",
    "Batch",
    "BatchLimits",
    "CheckedObject",
    "Denotation",
    "Issue",
    "Issues",
    "Mode",
    "Plan",
    "Range",
    "Relation",
    "Span",
    "Upload",
    "align",
    "anchor",
    "annotations_of",
    "apply_mode",
    "attribute_rows",
    "decode",
    "decode_batch",
    "denotation_rows",
    "fold",
    "from_rows",
    "read_documents",
    "receive",
    "relation_rows",
    "split",
]
