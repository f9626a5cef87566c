"""Annotation collections: reading, checking, splitting, aligning, combining, storing and writing.

::

    upload = gather(paths, folder)                  # UnusableUpload, or bytes on disk
    for batch in split(upload, skip=stored):        # byte ranges; a document is never divided
        objects, issues = read_documents(upload, batch)   # checked objects by (sourcedb, sourceid)
        targets = look_up(conn, ..., objects)       # documents and annotations that exist
        decision = decide(options, target, some)    # a value: what to store, which issues
    store.store(conn, project_id, job_id, new_documents, new_sets)    # one transaction
    formats.export(documents, "w3c")                # bytes of a file, piece by piece

==============  ===================================================================================
`api`           what commands and pages call
`spool`         which files are read, archives expanded: `gather`, `receive`, `UploadedFiles`
`split`         where objects begin and end, batches: `split`, `decode_batch`, `read_documents`
`rules`         one object: `decode` returns a `CheckedObject` or an `Issue`
`objects`       `CheckedObject`, `AnnotationSet`, `Denotation`, `Relation`, `Attribute`, `Issue`,
                and `Issues`, which counts what would be too many to list
`text_fold`     what counts as the same text
`align`         `align(source_text, target_text).map_span(begin, end)`
`anchor`        all annotations of a document moved to another version of its text
`decide`        modes and decisions: `apply_mode`, `look_up`, `decide`
`store`         the tables
`upload_parts`  a part of an upload: decided, stored, divided
`rereading`     sets moved to another text, orphans, rollback
`conversion`    files in other formats made into lines
`page_memory`   which documents of a site were compared with their annotations
`browsing`      what people may see: one page, lists, statistics
`changes`       projects and documents changed, and that undone
`comparing`     two projects compared
`corrections`   reported errors and what operators accepted
`formats`       other formats, read and written
==============  ===================================================================================

Everything wrong with an upload is an `Issue` with file, line, code and message; only a file of
which nothing can be used raises (`clerk.core.errors.UnusableUpload`).
"""

from __future__ import annotations

from .align import Alignment, align
from .anchor import Anchored, Anchoring, anchor
from .decide import Mode, SetChange, annotations_of, apply_mode
from .objects import (
    AnnotationSet,
    Attribute,
    CheckedObject,
    Denotation,
    Issue,
    Issues,
    Relation,
    Span,
)
from .rules import decode
from .split import BatchLimits, Range, UploadBatch, decode_batch, read_documents, split
from .spool import ArchiveLimits, UploadedFiles, gather, receive
from .text_fold import fold

__all__ = [
    "Alignment",
    "Anchored",
    "Anchoring",
    "AnnotationSet",
    "ArchiveLimits",
    "Attribute",
    "BatchLimits",
    "CheckedObject",
    "Denotation",
    "Issue",
    "Issues",
    "Mode",
    "Range",
    "Relation",
    "SetChange",
    "Span",
    "UploadBatch",
    "UploadedFiles",
    "align",
    "anchor",
    "annotations_of",
    "apply_mode",
    "decode",
    "decode_batch",
    "fold",
    "gather",
    "read_documents",
    "receive",
    "split",
]
