"""The stages of a run, one value each: their items, what follows them, and what they did.

::

    fetch -> ocr: an item per document -> coordinator
          -> compilation + extraction, side by side -> deploy -> end of the run

A new stage is a word in :mod:`clerk.core.states`, a value here, and a step in
:mod:`clerk.pipeline.steps`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import msgspec

from clerk.core.states import COMPILATION, DEPLOY, EXTRACTION, FETCH, OCR, Step


class StageResult(msgspec.Struct, frozen=True):
    """What a step over a whole site did, as it is stored with its job and shown after the run.

    A reading says nothing of its own: its documents are counted in the ledger.
    """

    @classmethod
    def stored(cls, detail: Mapping[str, object] | None) -> Self | None:
        """Return what a job stores; None if the step said nothing, or nothing that can be read."""
        if not detail:
            return None
        try:
            return msgspec.convert(detail, cls)
        except msgspec.ValidationError:
            return None


class FetchResult(StageResult, frozen=True):
    """How many documents a fetch found, and what it left or skipped."""

    fetcher: str = ""
    meetings: int = 0
    new: int = 0
    changed: int = 0
    moved: int = 0
    unchanged: int = 0
    gone: int = 0
    gaps: int = 0
    #: Documents for the next run, because time was up.
    left: int = 0
    skipped: int = 0
    #: The first of what was skipped, with the reasons.
    skipped_names: list[str] = []


class CompileResult(StageResult, frozen=True):
    """What the compiled database has."""

    documents: int = 0
    pages: int = 0


class FollowedAnnotations(msgspec.Struct, frozen=True):
    """What became of annotations on pages that were read again."""

    changed_pages: int = 0
    moved: int = 0
    changed: int = 0
    orphaned: int = 0
    restored: int = 0


class ExtractResult(StageResult, frozen=True):
    """What was found in documents; ``failed`` has the reasons by the names of documents."""

    votes: int = 0
    entities: int = 0
    failed: dict[str, str] = {}
    annotations: FollowedAnnotations | msgspec.UnsetType = msgspec.UNSET


class DeployResult(StageResult, frozen=True):
    """Where the site was published, and whether anything of it is new there."""

    path: str = ""
    changed: bool = False


@dataclass(frozen=True)
class Stage:
    """A stage of a run."""

    name: str
    #: The step that its items are: documents, or the one step that is all of it.
    step: str
    #: Where its work waits.
    queue: str
    #: The stages that open together once this one, and those parallel to it, have ended.
    then: tuple[str, ...] = ()
    #: Why the run fails when its step does; empty: the run goes on without it.
    failure: str = ""
    #: After a failure the site stays in the stage, for reconciliation to retry.
    is_retried: bool = False
    #: What its step returns, if that is all there is to say of it.
    result: type[StageResult] | None = None


STAGES = (
    Stage(
        FETCH,
        Step.FETCH,
        FETCH,
        then=(OCR,),
        failure="The documents could not be fetched",
    ),
    Stage(OCR, Step.DOCUMENT, OCR, then=(COMPILATION, EXTRACTION)),
    Stage(
        COMPILATION,
        Step.COMPILE,
        COMPILATION,
        then=(DEPLOY,),
        failure="The database could not be compiled",
        is_retried=True,
        result=CompileResult,
    ),
    Stage(EXTRACTION, Step.EXTRACT, EXTRACTION, then=(DEPLOY,), result=ExtractResult),
    Stage(
        DEPLOY,
        Step.DEPLOY,
        DEPLOY,
        failure="The site could not be published",
        is_retried=True,
        result=DeployResult,
    ),
)
_BY_NAME = {stage.name: stage for stage in STAGES}


def stage_named(name: str) -> Stage:
    """Return a stage."""
    return _BY_NAME[name]


def opened_with(name: str) -> tuple[Stage, ...]:
    """Return a stage and those that run side by side with it."""
    groups = [stage.then for stage in STAGES if name in stage.then]
    return tuple(_BY_NAME[each] for each in (groups[0] if groups else (name,)))
