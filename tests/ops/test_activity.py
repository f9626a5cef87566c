"""The lists of the operators' pages, and runs that a person starts or cancels."""

from __future__ import annotations

import json

import pytest

from clerk.core import config, db
from clerk.core.errors import NotFound, UnknownSite
from clerk.core.states import FETCH, OCR
from clerk.ops import activity, run_control
from clerk.pipeline import ledger


def test_a_run_is_started_once_and_audited(site: str) -> None:
    first = run_control.start(config.load(), site, "ann")
    again = run_control.start(config.load(), site, "ben")

    assert first == again and run_control.is_active(site)
    [job] = activity.stage_jobs(limit=5)
    assert (job.subdomain, job.stage, job.state, job.total) == (site, FETCH, "open", 1)
    [entry] = activity.audit_entries()
    assert (entry.who, entry.action) == ("ann", "run started")
    assert (entry.subject, entry.detail) == (site, first)


def test_a_run_is_cancelled_once_and_audited(site: str) -> None:
    run_control.start(config.load(), site, "ann")

    run_control.cancel(site, "ben")
    run_control.cancel(site, "cleo")

    assert not run_control.is_active(site)
    assert [each.who for each in activity.audit_entries(like="cancelled")] == ["ben"]


@pytest.mark.parametrize("change", ["start", "cancel"])
def test_only_known_sites_are_run(database: str, change: str) -> None:
    with pytest.raises(UnknownSite):
        if change == "start":
            run_control.start(config.load(), "nowhere", "ann")
        else:
            run_control.cancel("nowhere", "ann")


def test_audit_entries_are_searched_as_plain_text(database: str) -> None:
    activity.record_audit("ann", "annotations exported", "100%_sure", "tsv")
    activity.record_audit("ben", "annotations exported", "other", "tsv")

    assert [each.who for each in activity.audit_entries(like="%_")] == ["ann"]
    assert [each.who for each in activity.audit_entries(limit=1)] == ["ben"]


def test_events_are_newest_first_and_of_one_site(site: str) -> None:
    with db.civic_db_connection() as conn:
        ledger.record(conn, "finished", subdomain=site, stage=OCR, completed=3, seconds=6.0)
        ledger.record(conn, "finished", subdomain="other", stage=OCR, failed=1, seconds=2.0)
        ledger.record(conn, "finished", subdomain=site, stage=OCR)
        detail = json.dumps({"found": 3, "crashed_batches": 4})
        ledger.record(conn, "reconciled", completed=2, failed=1, detail=detail)

    assert [each.event for each in activity.recent_events(2)] == ["reconciled", "finished"]
    assert [each.completed for each in activity.recent_events(9, site)] == [0, 3]
    [past] = activity.past_reconciliations()
    assert (past.found, past.crashed_batches) == (3, 4)
    assert (past.recovered, past.need_a_person) == (2, 1)
    first, second = activity.finished_work(0)
    assert (first.stage, first.seconds, first.pieces, second.pieces) == (OCR, 6.0, 3, 1)
    assert activity.finished_work(first.event_id) == [second]


def test_what_is_not_there_is_not_found(database: str) -> None:
    assert activity.find_site("nowhere") is None and activity.list_batches(subdomain="x") == []
    assert activity.list_workers() == [] and activity.list_documents("nowhere") == []
    with pytest.raises(NotFound, match="no batch 7"):
        activity.find_batch(7)
