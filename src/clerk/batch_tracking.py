"""Batch tracking, under the import path of scripts; see :mod:`clerk.pipeline.batches`."""

from clerk.pipeline.batches import BatchJobTracking

__all__ = ["BatchJobTracking"]
