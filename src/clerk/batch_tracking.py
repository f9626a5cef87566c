"""Batch tracking, under the path that scripts know."""

from clerk.pipeline.batch_tracking import (
    BatchJobTracking,
)

__all__ = [
    "BatchJobTracking",
]
