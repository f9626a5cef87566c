"""The tables, under the path that scripts know; see :mod:`clerk.core.models`."""

from clerk.core.models import (
    metadata,
    sites_table,
)

__all__ = [
    "metadata",
    "sites_table",
]
