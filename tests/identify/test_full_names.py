"""What a place calls the board that a document calls "Board" or "School Board"."""

from __future__ import annotations

import pytest

from clerk.identify.bodies import fuller_name


@pytest.mark.parametrize(
    ("short", "known", "full"),
    [
        ("School Board", {"School Board": 0.45, "Board of Education": 0.9}, "Board of Education"),
        # Neither has it in a heading: the formal name is meant.
        ("School Board", {"School Board": 0.45, "Board of Education": 0.4}, "Board of Education"),
        ("Board", {"Board": 0.49, "Board of Trustees": 0.9}, "Board of Trustees"),
        ("Supervisors", {"Board of Supervisors": 0.9, "City Council": 0.9}, "Board of Supervisors"),
        # It is printed in a heading.
        ("School Board", {"School Board": 0.9, "Board of Education": 0.9}, None),
        # Any of two boards, or one that does not govern.
        ("Board", {"Board of Trustees": 0.9, "Library Board": 0.9}, None),
        ("Board", {"Planning Board": 0.9}, None),
        ("School Board", {"Board of Education": 0.9, "Board of School Trustees": 0.9}, None),
        ("School Board", {"City Council": 0.9, "Board of Trustees": 0.9}, None),
    ],
)
def test_a_short_name_is_completed_where_one_full_name_fits(
    short: str, known: dict[str, float], full: str | None
):
    assert fuller_name(short, known) == full
