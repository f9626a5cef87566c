"""The words for where a site, a run, an item and a batch can be, and which moves are legal.

A site's run goes through the stages in order::

    fetch -> ocr -> compilation + extraction (side by side) -> deploy -> completed
"""

from __future__ import annotations

from typing import Final

from .errors import UnknownStage

FETCH: Final = "fetch"
OCR: Final = "ocr"
COMPILATION: Final = "compilation"
EXTRACTION: Final = "extraction"
DEPLOY: Final = "deploy"
COMPLETED: Final = "completed"

#: Every stage that has counters in ``sites``, in the order of the road.
STAGES: Final = (FETCH, OCR, COMPILATION, EXTRACTION, DEPLOY)

#: Where uploads of annotations wait.
ANNOTATIONS: Final = "annotations"

#: What a worker may be asked to do: one queue per stage, and one for uploads.
QUEUES: Final = (*STAGES, ANNOTATIONS)


class Run:
    """How a run stands.  Only an active run may change anything."""

    ACTIVE: Final = "active"
    COMPLETED: Final = "completed"
    PARTIAL: Final = "partial"
    NO_DOCUMENTS: Final = "no_documents"
    FAILED: Final = "failed"
    CANCELLED: Final = "cancelled"
    SUPERSEDED: Final = "superseded"

    ALL: Final = (ACTIVE, COMPLETED, PARTIAL, NO_DOCUMENTS, FAILED, CANCELLED, SUPERSEDED)


class Item:
    """How a piece of work stands.  The last four are final; a cancelled one is not counted."""

    PENDING: Final = "pending"
    RUNNING: Final = "running"
    COMPLETED: Final = "completed"
    FAILED: Final = "failed"
    QUARANTINED: Final = "quarantined"
    CANCELLED: Final = "cancelled"

    ALL: Final = (PENDING, RUNNING, COMPLETED, FAILED, QUARANTINED, CANCELLED)
    FINAL: Final = (COMPLETED, FAILED, QUARANTINED, CANCELLED)


class Batch:
    """How what a worker was given stands."""

    PENDING: Final = "pending"
    RUNNING: Final = "running"
    COMPLETED: Final = "completed"
    FAILED: Final = "failed"
    CRASHED: Final = "crashed"
    SPLIT: Final = "split"
    CANCELLED: Final = "cancelled"

    ALL: Final = (PENDING, RUNNING, COMPLETED, FAILED, CRASHED, SPLIT, CANCELLED)
    FINAL: Final = (COMPLETED, FAILED, CRASHED, SPLIT, CANCELLED)


class Kind:
    """What kind of parent a job is."""

    STAGE: Final = "stage"
    COORDINATOR: Final = "coordinator"
    UPLOAD: Final = "upload"


class Upload:
    """How an upload of annotations stands.  The last three are final."""

    OPEN: Final = "open"
    SUSPENDED: Final = "suspended"
    COMPLETED: Final = "completed"
    CANCELLED: Final = "cancelled"
    ROLLED_BACK: Final = "rolled_back"

    ALL: Final = (OPEN, SUSPENDED, COMPLETED, CANCELLED, ROLLED_BACK)


class Step:
    """What kind of work an item is.

    ``unnamed`` stands for documents that are expected and not known by name yet; ``carried`` for
    documents that were accounted for before, all of them in one row.
    """

    FETCH: Final = "fetch"
    DOCUMENT: Final = "document"
    UNNAMED: Final = "unnamed"
    CARRIED: Final = "carried"
    COORDINATOR: Final = "coordinator"
    COMPILE: Final = "compile"
    EXTRACT: Final = "extract"
    DEPLOY: Final = "deploy"

    ALL: Final = (FETCH, DOCUMENT, UNNAMED, CARRIED, COORDINATOR, COMPILE, EXTRACT, DEPLOY)


def check_stage(stage: str) -> str:
    """Return the stage, or refuse it by name."""
    if stage not in STAGES:
        raise UnknownStage(
            f"There is no stage {stage!r}.", hint=f"The stages are {', '.join(STAGES)}."
        )
    return stage
