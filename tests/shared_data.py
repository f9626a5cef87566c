"""Real material for tests, if it is there: ``../shared/data``, or what CLERK_SHARED_DATA names."""

from __future__ import annotations

import os
from pathlib import Path

SHARED_DATA = Path(
    os.environ.get("CLERK_SHARED_DATA") or Path(__file__).parents[2] / "shared" / "data"
)
