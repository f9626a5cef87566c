"""The figures against the operators' own SQL."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from test_batches import VERBATIM

from clerk.core import config, db
from clerk.ops import counts

only_postgresql = pytest.mark.parametrize("database", ["postgresql"], indirect=True)

STUCK_COUNT = """
SELECT COUNT(*) as stuck_count
FROM sites
WHERE current_stage != 'completed'
  AND current_stage IS NOT NULL
  AND updated_at < NOW() - INTERVAL '2 hours';
"""

BY_STAGE = """
SELECT current_stage, COUNT(*) as count
FROM sites
WHERE current_stage IS NOT NULL
GROUP BY current_stage
ORDER BY count DESC;
"""

FAILURE_RATES = """
SELECT
  ROUND(100.0 * SUM(ocr_failed) / NULLIF(SUM(ocr_total), 0), 1) as ocr_failure_rate,
  ROUND(100.0 * SUM(compilation_failed) / NULLIF(SUM(compilation_total), 0), 1) as compilation_failure_rate
FROM sites WHERE ocr_total > 0;
"""  # noqa: E501


STUCK_SITES = """
SELECT subdomain, current_stage, updated_at,
       ocr_total, ocr_completed, ocr_failed,
       EXTRACT(EPOCH FROM (NOW() - updated_at))/3600 as hours_stuck
FROM sites
WHERE current_stage != 'completed'
  AND updated_at < NOW() - INTERVAL '2 hours'
ORDER BY hours_stuck DESC
LIMIT 10;
"""

HIGH_FAILURE_RATES = """
SELECT subdomain, current_stage,
       ocr_total, ocr_completed, ocr_failed,
       ROUND(100.0 * ocr_failed / NULLIF(ocr_total, 0), 1) as failure_rate
FROM sites
WHERE ocr_total > 0
  AND ocr_failed > 0
ORDER BY failure_rate DESC
LIMIT 10;
"""

STUCK_PERCENT = """
SELECT
    COUNT(*) FILTER (WHERE updated_at < NOW() - INTERVAL '2 hours') as stuck,
    COUNT(*) as total,
    ROUND(100.0 * COUNT(*) FILTER (WHERE updated_at < NOW() - INTERVAL '2 hours') / COUNT(*), 1) as stuck_pct
FROM sites
WHERE current_stage != 'completed' AND current_stage IS NOT NULL;
"""  # noqa: E501


HEALTH_SCORE = """
SELECT
    ROUND(100.0 *
        COUNT(*) FILTER (
            WHERE current_stage = 'completed'
               OR updated_at >= NOW() - INTERVAL '2 hours'
        ) / NULLIF(COUNT(*), 0),
    1) as health_score
FROM sites
WHERE current_stage IS NOT NULL;
"""

AVERAGE_HOURS = """
SELECT current_stage, COUNT(*), AVG(EXTRACT(EPOCH FROM (NOW() - updated_at))/3600) as avg_hours
FROM sites WHERE current_stage != 'completed' GROUP BY current_stage;
"""

#: Statements that list rows as they are; nothing is computed from them.
LISTS = {
    "in ocr": """
SELECT subdomain, current_stage, ocr_total, ocr_completed, ocr_failed, coordinator_enqueued
FROM sites
WHERE current_stage = 'ocr'
LIMIT 10;
""",
    "one site": """
SELECT subdomain, coordinator_enqueued, ocr_total, ocr_completed FROM sites WHERE subdomain = 'stuck-site';
""",  # noqa: E501
    "five in ocr": """
SELECT subdomain, current_stage, ocr_total, ocr_completed, ocr_failed FROM sites WHERE current_stage = 'ocr' LIMIT 5;
""",  # noqa: E501
    "stuck names": """
SELECT subdomain, current_stage, updated_at FROM sites WHERE current_stage != 'completed' AND updated_at < NOW() - INTERVAL '2 hours';
""",  # noqa: E501
    "failing": """
SELECT subdomain, ocr_total, ocr_completed, ocr_failed FROM sites WHERE ocr_failed > 0 ORDER BY ocr_failed DESC LIMIT 20;
""",  # noqa: E501
}


#: Every statement of the guides of the old system, the pipeline's and the uploads'.
OPERATORS_STATEMENTS = {
    "stuck": STUCK_COUNT,
    "by stage": BY_STAGE,
    "failure rates": FAILURE_RATES,
    "stuck sites": STUCK_SITES,
    "high failure rates": HIGH_FAILURE_RATES,
    "stuck in percent": STUCK_PERCENT,
    "health score": HEALTH_SCORE,
    "average hours": AVERAGE_HOURS,
    **LISTS,
    "all stages": "SELECT current_stage, COUNT(*) FROM sites GROUP BY current_stage;",
    "sites in a stage": "SELECT COUNT(*) FROM sites WHERE current_stage IS NOT NULL;",
    "writes of old code": (
        "SELECT COUNT(*) FROM site_progress WHERE updated_at > NOW() - INTERVAL '24 hours';"
    ),
    "stuck, short": (
        "SELECT COUNT(*) FROM sites WHERE current_stage != 'completed'"
        " AND updated_at < NOW() - INTERVAL '2 hours';"
    ),
    **{f"batches, {name}": statement for name, statement in VERBATIM.items()},
}


def query(statement: str) -> list[Any]:
    with db.reading_connection() as conn:
        return list(conn.execute(text(statement)))


@only_postgresql
def test_the_figures_are_those_of_the_operators_statements(sites: None) -> None:
    seen = counts.figures(config.load())

    assert query(STUCK_COUNT)[0].stuck_count == seen.silent == 3
    assert {row.current_stage: row.count for row in query(BY_STAGE)} == seen.stages
    assert (
        dict(
            query(
                "SELECT current_stage, COUNT(*) FROM sites WHERE current_stage IS NOT NULL"
                " GROUP BY current_stage;"
            )
        )
        == seen.stages
    )
    everything = dict(query("SELECT current_stage, COUNT(*) FROM sites GROUP BY current_stage;"))
    assert sum(everything.values()) == seen.sites
    taken = query("SELECT COUNT(*) FROM sites WHERE current_stage IS NOT NULL;")[0][0]
    assert taken == sum(seen.stages.values())
    rates = query(FAILURE_RATES)[0]
    assert float(rates.ocr_failure_rate) == seen.ocr.failure == 26.7
    assert float(rates.compilation_failure_rate) == seen.compilation.failure
    share = query(STUCK_PERCENT)[0]
    assert (share.stuck, float(share.stuck_pct)) == (seen.silent, seen.silent_percent)
    assert share.total == sum(seen.stages.values()) - seen.stages["completed"]
    assert float(query(HEALTH_SCORE)[0].health_score) == seen.health_score == 78.6
    hours = {row.current_stage: float(row.avg_hours) for row in query(AVERAGE_HOURS)}
    assert hours == pytest.approx(seen.hours_by_stage, abs=0.01)


@only_postgresql
def test_the_lists_are_those_of_the_operators_statements(sites: None) -> None:
    silent = sorted(
        counts.figures(config.load()).stuck, key=lambda site: (site.updated_at, site.subdomain)
    )
    with db.reading_connection() as conn:
        failing = counts.sites_with_failures(conn.execute(db.documents_of_sites()))

    rows = query(STUCK_SITES)
    assert [row.subdomain for row in rows] == [site.subdomain for site in silent]
    assert [float(row.hours_stuck) for row in rows] == pytest.approx(
        [site.hours for site in silent], abs=0.01
    )
    assert [row.subdomain for row in query(HIGH_FAILURE_RATES)] == [r.subdomain for r in failing]
    shown = {name: {row[0] for row in query(statement)} for name, statement in LISTS.items()}
    assert shown["in ocr"] == shown["five in ocr"] == {"busy0", "busy1", "stuck-site"}
    assert shown["one site"] == {"stuck-site"}
    assert shown["stuck names"] == {site.subdomain for site in silent}
    assert shown["failing"] == {"failing", "stuck-site"}


def test_the_figures_are_the_same_on_both_databases(sites: None) -> None:
    seen = counts.figures(config.load())

    assert (seen.silent, seen.health_score, seen.silent_percent) == (3, 78.6, 60.0)
    assert (seen.ocr.failure, seen.ocr.success) == (26.7, 73.3)
    assert [site.subdomain for site in seen.stuck] == ["busy1", "busy2", "stuck-site"]
    assert seen.without_documents == 1


def test_sites_that_need_attention_come_with_the_reason(sites: None) -> None:
    reasons = {each.subdomain: each.reason for each in counts.figures(config.load()).attention}

    assert reasons["failing"] == "3 of 8 documents failed (37.5 %)"
    assert reasons["nothing"] == "no documents found"
    assert reasons["stuck-site"].startswith("stuck in ocr, no progress for 9.0 h")


@pytest.mark.parametrize(
    ("part", "whole", "share"), [(1, 8, 12.5), (1, 16, 6.3), (0, 5, 0.0), (1, 0, None)]
)
def test_shares_are_rounded_as_sql_rounds_them(part: int, whole: int, share: float | None) -> None:
    assert counts.percent(part, whole) == share


def test_nothing_is_counted_in_the_cli_or_the_web_pages() -> None:
    """One module counts: commands, pages and the verdict have no sums of their own."""
    package = Path(counts.__file__).parents[1]
    doors = [*(package / "web").rglob("*.py"), *(package / "cli").rglob("*.py")]
    assert len(doors) > 30
    counting = re.compile(r"\bfunc\.(count|sum|avg|min)\b")

    assert [
        path.name
        for path in [*doors, package / "ops" / "health.py"]
        if counting.search(path.read_text())
    ] == []
