"""On which database a test runs every day, and on which only in ``make chaos``.

State is always tested on both.  These are for tests of real runs, whose work on the state is
that of others: fetching, reading, compiling and publishing do not ask which database it is.
"""

from __future__ import annotations

import pytest


def _daily(database: str, other: str) -> pytest.MarkDecorator:
    both = [database, pytest.param(other, marks=pytest.mark.chaos)]
    return pytest.mark.parametrize("database", both, indirect=True)


sqlite_daily = _daily("sqlite", "postgresql")
postgresql_daily = _daily("postgresql", "sqlite")
