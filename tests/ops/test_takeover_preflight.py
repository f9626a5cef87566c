"""The conditions for dropping the tables of the old system."""

from __future__ import annotations

import json
from datetime import timedelta

import legacy
import pytest
from guide import clerk
from sqlalchemy import text, update

from clerk.core import config, db, schema
from clerk.core.clock import utc_now
from clerk.core.models import audit_table
from clerk.ops import takeover
from clerk.pipeline import ledger

RECENT_LEGACY = """
SELECT COUNT(*) FROM site_progress WHERE updated_at > NOW() - INTERVAL '24 hours';
"""


@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
def test_recent_writes_of_the_old_code_are_counted_as_by_sql(database: str) -> None:
    engine = db.get_civic_db()
    schema.downgrade(engine, "0003")
    for name, at in (("old", "2026-01-17 08:00:00"), ("now", None)):
        legacy.add_site(engine, name, progress=("ocr", 1, 0), progress_at=at)
    with db.civic_db_connection() as conn:
        conn.execute(text("UPDATE site_progress SET updated_at = NOW() WHERE subdomain = 'now'"))

    with db.reading_connection() as conn:
        by_sql = conn.execute(text(RECENT_LEGACY)).scalar_one()
        assert takeover.recent_legacy_writes(conn) == by_sql == 1


def test_the_preflight_wants_ten_calm_reconciliations(database: str) -> None:
    assert not _criterion("Reconciliation").passed
    with db.civic_db_connection() as conn:
        for number in range(10):
            ledger.record(conn, "reconciled", detail=json.dumps({"found": number % 5}))

    assert _criterion("Reconciliation").passed

    with db.civic_db_connection() as conn:
        ledger.record(conn, "reconciled", detail=json.dumps({"found": 5}))
    assert not _criterion("Reconciliation").passed


def test_the_preflight_wants_a_week_without_manual_recovery(database: str) -> None:
    assert _criterion("Manual recovery").passed
    with db.civic_db_connection() as conn:
        ledger.audit(conn, "ann", "failures retried")

    assert not _criterion("Manual recovery").passed

    with db.civic_db_connection() as conn:
        conn.execute(update(audit_table).values(at=utc_now() - timedelta(days=7, minutes=1)))
    assert _criterion("Manual recovery").passed


def _criterion(name: str) -> takeover.Criterion:
    return next(each for each in takeover.preflight(config.load()) if each.name == name)


def test_what_fails_is_not_dropped_unless_the_number_of_sites_is_typed(sites: None) -> None:
    engine = db.get_civic_db()
    schema.downgrade(engine, "0003")
    assert "columns status" in schema.upgrade(engine).left

    refused = clerk("db", "cleanup")
    mistyped = clerk("db", "cleanup", "--force", input="3\n")

    assert (refused.exit_code, mistyped.exit_code) == (1, 2)
    assert refused.output.count("PASS") + refused.output.count("FAIL") == 5
    assert schema.has_legacy(engine)
    assert clerk("db", "cleanup", "--force", input="15\n").exit_code == 0
    assert not schema.has_legacy(engine)
    assert clerk("db", "cleanup").output == "Nothing is left of the old system.\n"
