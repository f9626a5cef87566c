"""How many examples hypothesis tries: a quarter in the daily tests, all of them in `make chaos`."""

from __future__ import annotations

import os


def examples(number: int) -> int:
    """Return the number of examples to try; CLERK_TEST_EXAMPLES=all is what `make chaos` sets."""
    return number if os.environ.get("CLERK_TEST_EXAMPLES") == "all" else max(25, number // 4)
