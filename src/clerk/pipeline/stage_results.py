"""What the single steps of a run say they did: stored with their job, shown when the run ends.

A reading says nothing of its own: its documents are counted in the ledger.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

import msgspec


class StageResult(msgspec.Struct, frozen=True):
    """What a step over a whole site did."""

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
