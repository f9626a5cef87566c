"""Queues as operators ask about them: list, pause, resume, purge."""

from __future__ import annotations

import json
from typing import Any

import legacy
from guide import clerk
from sqlalchemy import select

from clerk.core import config, db
from clerk.core.models import audit_table
from clerk.pipeline import ledger, queues, transitions


def claim(queue: str) -> Any:
    with db.civic_db_connection() as conn:
        return ledger.claim(conn, [queue], "w", lambda _: 10)


def waiting(site: str) -> None:
    with db.civic_db_connection() as conn:
        transitions.start_run(conn, site)


def test_what_waits_is_listed(site: str) -> None:
    waiting(site)

    listed = {row["name"]: row for row in json.loads(clerk("queue", "list", "--json").output)}

    assert (listed["fetch"]["waiting"], listed["fetch"]["sites"]) == (1, 1)
    assert listed["ocr"]["waiting"] == 0


def test_a_paused_queue_gives_out_nothing_until_it_is_resumed(site: str) -> None:
    waiting(site)

    clerk("queue", "pause", "fetch")
    assert claim("fetch") is None
    clerk("queue", "resume", "fetch")
    assert claim("fetch") is not None


def test_pausing_twice_keeps_who_did_it_first(database: str) -> None:
    assert queues.pause("ocr", who="ann")
    assert not queues.pause("ocr", who="ben")

    paused = {each.name: each.paused_by for each in queues.list_queues(config.load())}
    assert paused["ocr"] == "ann"
    assert queues.resume(config.load(), "ocr", who="ben")
    assert not queues.resume(config.load(), "ocr", who="ben")


def test_purging_redis_loses_no_work(site: str, redis: str) -> None:
    waiting(site)
    legacy.leave_rq_jobs(redis, deferred=0, failed=3)

    ran = clerk("queue", "purge", "fetch", "ocr", "--yes")

    assert "Purged ocr: 3 messages, 0 runs cancelled" in ran.output
    assert claim("fetch") is not None


def test_purging_runs_cancels_what_waits(site: str) -> None:
    waiting(site)

    clerk("queue", "purge", "fetch", "--runs", "--yes")

    assert claim("fetch") is None
    with db.reading_connection() as conn:
        assert db.require_site(conn, site)["current_stage"] == "completed"
        assert conn.execute(select(audit_table.c.action)).scalars().all() == ["queue purged"]


def test_a_dry_purge_purges_nothing(site: str) -> None:
    waiting(site)

    clerk("queue", "purge", "fetch", "--runs", "--dry-run")

    assert claim("fetch") is not None
