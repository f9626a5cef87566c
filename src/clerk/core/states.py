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

#: Every stage that has counters in ``sites``, in the order of the pipeline.
STAGES: Final = (FETCH, OCR, COMPILATION, EXTRACTION, DEPLOY)

#: Where uploads of annotations wait.
ANNOTATIONS: Final = "annotations"

#: Where notices to people wait; ``clerk notify run`` delivers them.
NOTICES: Final = "notices"

#: What a worker may be asked to do: one queue per stage, and one for uploads.
QUEUES: Final = (*STAGES, ANNOTATIONS)


class Run:
    """The state of a run.  Only an active run may change anything."""

    ACTIVE: Final = "active"
    COMPLETED: Final = "completed"
    PARTIAL: Final = "partial"
    NO_DOCUMENTS: Final = "no_documents"
    FAILED: Final = "failed"
    CANCELLED: Final = "cancelled"
    SUPERSEDED: Final = "superseded"

    ENDED: Final = (COMPLETED, PARTIAL, NO_DOCUMENTS, FAILED, CANCELLED, SUPERSEDED)
    ALL: Final = (ACTIVE, *ENDED)


class Item:
    """The state of an item.  The last four are final; a cancelled one is not counted."""

    PENDING: Final = "pending"
    RUNNING: Final = "running"
    COMPLETED: Final = "completed"
    FAILED: Final = "failed"
    QUARANTINED: Final = "quarantined"
    CANCELLED: Final = "cancelled"

    ALL: Final = (PENDING, RUNNING, COMPLETED, FAILED, QUARANTINED, CANCELLED)
    FINAL: Final = (COMPLETED, FAILED, QUARANTINED, CANCELLED)


class Batch:
    """The status of a batch."""

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
    NOTICE: Final = "notice"


class Upload:
    """The state of an upload of annotations.  The last three are final."""

    OPEN: Final = "open"
    SUSPENDED: Final = "suspended"
    COMPLETED: Final = "completed"
    CANCELLED: Final = "cancelled"
    ROLLED_BACK: Final = "rolled_back"

    ALL: Final = (OPEN, SUSPENDED, COMPLETED, CANCELLED, ROLLED_BACK)


class Follower:
    """Who follows something, and whether anything is sent."""

    MAIL: Final = "mail"
    WEBHOOK: Final = "webhook"
    KINDS: Final = (MAIL, WEBHOOK)

    ACTIVE: Final = "active"
    DISABLED: Final = "disabled"
    STATES: Final = (ACTIVE, DISABLED)


class Subscription:
    """What can be followed, how often its follower is notified, and where a subscription can be."""

    SEARCH: Final = "search"
    PLACE: Final = "place"
    BODY: Final = "body"
    PERSON: Final = "person"
    MATTER: Final = "matter"
    KINDS: Final = (SEARCH, PLACE, BODY, PERSON, MATTER)

    IMMEDIATE: Final = "immediate"
    DAILY: Final = "daily"
    WEEKLY: Final = "weekly"
    CADENCES: Final = (IMMEDIATE, DAILY, WEEKLY)

    UNCONFIRMED: Final = "unconfirmed"
    ACTIVE: Final = "active"
    PAUSED: Final = "paused"
    STATES: Final = (UNCONFIRMED, ACTIVE, PAUSED)


class Step:
    """What kind of work an item is.

    ``unnamed`` stands for documents that are expected and not known by name yet; ``carried`` for
    documents that were accounted for before, all of them in one row.  ``split`` divides the file of
    an upload into parts, ``store`` stores one of them.  ``deliver`` sends a notice to one target.
    """

    FETCH: Final = "fetch"
    DOCUMENT: Final = "document"
    UNNAMED: Final = "unnamed"
    CARRIED: Final = "carried"
    COORDINATOR: Final = "coordinator"
    COMPILE: Final = "compile"
    EXTRACT: Final = "extract"
    DEPLOY: Final = "deploy"
    SPLIT: Final = "split"
    STORE: Final = "store"
    DELIVER: Final = "deliver"


def check_stage(stage: str) -> str:
    """Return the stage, or refuse it by name."""
    if stage not in STAGES:
        raise UnknownStage(
            f"There is no stage {stage!r}.", hint=f"The stages are {', '.join(STAGES)}."
        )
    return stage


#: A document with more pages that kill their reader is given up.
MOST_PAGES = 5
