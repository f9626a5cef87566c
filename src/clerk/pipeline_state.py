"""Stages and counters, under the path that scripts know; see :mod:`clerk.pipeline`."""

from clerk.pipeline.scripted_stages import (
    claim_coordinator_enqueue,
    increment_completed,
    increment_failed,
    initialize_stage,
    should_trigger_coordinator,
)

__all__ = [
    "claim_coordinator_enqueue",
    "increment_completed",
    "increment_failed",
    "initialize_stage",
    "should_trigger_coordinator",
]
