"""Who is who in the documents of a body, and when each of them was a member."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis_sizes import examples

from clerk.extract.roster import TERM_GAP_DAYS
from clerk.site_db import schema
from clerk.site_db.joined import Joins

#: The terms by looking at every day, which the build does not do.
BY_DAY = f"""
WITH seen AS (
    SELECT DISTINCT person, date AS day FROM document_names
    JOIN person_names USING (meeting, printed_name) WHERE date IS NOT NULL
), gaps AS (
    SELECT person, day,
           julianday(day) - julianday(lag(day) OVER (PARTITION BY person ORDER BY day)) AS days
    FROM seen
), numbered AS (
    SELECT person, day, sum(days IS NULL OR days > {TERM_GAP_DAYS})
           OVER (PARTITION BY person ORDER BY day) AS term FROM gaps
)
SELECT person, min(day), max(day) FROM numbered GROUP BY person, term ORDER BY 1, 2
"""

DAYS = st.one_of(
    st.none(),
    st.integers(0, 12 * TERM_GAP_DAYS),
    # Next to where one term ends and another begins.
    st.builds(
        lambda terms, more: terms * TERM_GAP_DAYS + more, st.integers(0, 9), st.integers(0, 2)
    ),
)
PRINTED = st.tuples(st.sampled_from(["Abel", "Ms. Abel", "Jane Abel", "Ames"]), DAYS)


@given(st.lists(PRINTED, min_size=1, max_size=40), st.sampled_from(["1990-01-01", "9975-06-30"]))
@settings(
    max_examples=examples(50),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_a_term_ends_where_a_long_gap_begins(
    tmp_path: Path, printed: list[tuple[str, int | None]], since: str
) -> None:
    path = tmp_path / "meetings.db"
    path.unlink(missing_ok=True)
    db = schema.open_private(path)
    schema.create(db)
    db.executescript(schema.INDEXES)
    first = date.fromisoformat(since)
    rows = [
        (str(number), "Council", None if day is None else str(first + timedelta(day)), name, 1)
        for number, (name, day) in enumerate(printed)
    ]
    db.executemany("INSERT INTO document_names VALUES (?, ?, ?, ?, ?)", rows)
    db.execute("BEGIN")
    joins = Joins(db)
    joins.note(None)
    joins.join()

    terms = db.execute("SELECT * FROM person_terms ORDER BY 1, 2").fetchall()

    assert terms == db.execute(BY_DAY).fetchall()
    db.close()
