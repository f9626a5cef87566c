"""The stages of a run, one value each: what their items are, and what follows.

::

    fetch -> ocr: an item per document -> coordinator
          -> compilation + extraction, side by side -> deploy -> end of the run

A new stage is a word in :mod:`clerk.core.states`, a value here, and a step in
:mod:`clerk.pipeline.steps`.
"""

from __future__ import annotations

from dataclasses import dataclass

from clerk.core.states import COMPILATION, DEPLOY, EXTRACTION, FETCH, OCR, Step


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
    ),
    Stage(EXTRACTION, Step.EXTRACT, EXTRACTION, then=(DEPLOY,)),
    Stage(
        DEPLOY,
        Step.DEPLOY,
        DEPLOY,
        failure="The site could not be published",
        is_retried=True,
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
