"""Uploads whose documents raise and kill, and whose workers die: nothing is lost or stored twice.

The storm over 1,200 documents is under the marker ``chaos``; a small one is in the ordinary suite.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import pytest
from databases import postgresql_daily
from faults import CHILD, SUPERVISOR, Steps, count_steps
from small_uploads import (
    WORDS,
    Troubled,
    check,
    claim_as,
    codes,
    exported,
    line,
    perform,
    upload,
    work_on_rq,
    write,
)
from small_work import end, hurry, reap, spawn, wait_until
from sqlalchemy import select

from clerk.annotations import BatchLimits, split, store
from clerk.batch_tracking import BatchJobTracking
from clerk.core import config
from clerk.core.db import civic_db_connection, reading_connection
from clerk.core.models import batches_table, items_table
from clerk.core.states import ANNOTATIONS, Batch, Item, Step
from clerk.executors.work import Crash
from clerk.pipeline import batches, ledger, transitions, upload_state, upload_steps
from clerk.pipeline import uploads as api
from clerk.pipeline.flow import Pipeline, sweep
from clerk.pipeline.ledger import register_worker
from clerk.pipeline.reconcile import detect_crashed_batches
from clerk.pipeline.uploads import UploadJob

LEASE_SECONDS = 2.0
CRASH_TIMEOUT = timedelta(minutes=10)


@pytest.fixture(autouse=True)
def short_waits(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)
    monkeypatch.setattr(api, "LOOK_SECONDS", 0.1)
    monkeypatch.setattr(UploadJob, "flow", Troubled)


def statuses(job_id: int) -> dict[str, int]:
    return BatchJobTracking.for_parent(job_id).counts_by_status()


def test_a_document_that_raises_costs_only_itself(tmp_path: Path) -> None:
    lines = [line(n, "RAISE now" if n == 7 else WORDS) for n in range(20)]

    status = upload(write(tmp_path / "a.jsonl", lines))

    assert (status.state, status.items_done, status.items_failed) == ("completed", 20, 1)
    assert codes(status.id) == {"failed": ["7"]}
    assert len(exported()) == 19
    failed = list(BatchJobTracking.for_parent(status.id).failed())
    assert [batch.doc_summary() for batch in failed] == ["Town:7"]
    assert failed[0].error_message.startswith("ValueError: this document raises\n")
    check()


def test_a_document_that_kills_its_worker_is_found_and_named(tmp_path: Path) -> None:
    lines = [line(n, f"KILL {WORDS}" if n in (3, 11) else WORDS) for n in range(20)]

    status = upload(write(tmp_path / "a.jsonl", lines))

    assert (status.state, status.items_failed) == ("completed", 2)
    assert codes(status.id) == {"crashed": ["11", "3"]}
    assert {each["sourceid"] for each in exported()} == {str(n) for n in range(20)} - {"3", "11"}
    crashed = list(BatchJobTracking.for_parent(status.id).crashed())
    alone = [batch.doc_summary() for batch in crashed if len(batch.doc_identifiers) == 1]
    assert sorted(alone) == ["Town:11", "Town:11", "Town:3", "Town:3"]
    check()


def test_a_child_killed_once_by_chance_costs_nothing(tmp_path: Path) -> None:
    lines = [line(n, "KILL-ONCE now" if n == 5 else WORDS) for n in range(10)]

    status = upload(write(tmp_path / "a.jsonl", lines))

    assert status.succeeded and len(exported()) == 10
    assert statuses(status.id) == {Batch.COMPLETED: 1, Batch.CRASHED: 1}


def test_replacing_with_a_batch_that_dies_destroys_nothing(tmp_path: Path) -> None:
    upload(write(tmp_path / "old.jsonl", [line(n) for n in range(5)]))
    before = exported()

    bad = [line(n, WORDS if n else "KILL now", denotations=[]) for n in range(1)]
    status = upload(
        write(
            tmp_path / "new.jsonl", [{**each, "relations": [], "attributes": []} for each in bad]
        ),
        align="off",
    )

    assert codes(status.id) == {"crashed": ["0"]}
    assert exported() == before
    check()


def test_what_failed_can_be_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [line(n, "RAISE now" if n == 2 else WORDS) for n in range(4)]
    status = upload(write(tmp_path / "a.jsonl", lines))
    (tmp_path / "a.jsonl").unlink()

    monkeypatch.setattr(UploadJob, "flow", Pipeline)
    again = api.retry(config.load(), status.id).wait(config.load())

    assert (again.items, again.items_failed, again.retry_of) == (1, 0, status.id)
    assert len(exported()) == 4
    check()


# ---------------------------------------------------------------------------- dead workers


def open_cut(path: Path) -> UploadJob:
    """Open an upload and split it into parts of two objects."""
    job = api.upload(config.load(), [path], project="p", create_docs=True, batch_items=2)
    perform(claim_as("splitter"))
    assert isinstance(job, UploadJob)
    return job


def test_a_batch_of_a_dead_worker_is_released_and_a_late_finish_is_refused(
    tmp_path: Path,
) -> None:
    job = open_cut(write(tmp_path / "a.jsonl", [line(n) for n in range(2)]))
    zombie = claim_as("a worker nobody knows")

    assert sweep(config.load()) == 1
    status = job.wait(config.load())
    with pytest.raises(upload_state.ClaimLost):
        perform(zombie)

    assert status.succeeded and len(exported()) == 2
    check()


def test_a_claim_a_worker_does_not_know_of_is_released_uncharged(tmp_path: Path) -> None:
    api.upload(
        config.load(), [write(tmp_path / "a.jsonl", [line(1)])], project="p", create_docs=True
    )
    for _ in range(2):
        assert claim_as("stopped").step == Step.SPLIT
        Pipeline(config.load()).release("another")
        assert claim_as("other") is None
        Pipeline(config.load()).release("stopped")
    perform(claim_as("splitter"))
    first = claim_as("stopped")

    Pipeline(config.load()).release("stopped")

    second = claim_as("other").items[0]
    assert (second.id, second.errors + second.crashes + second.lost) == (first.items[0].id, 0)


def test_a_batch_of_a_beating_worker_is_never_released(tmp_path: Path) -> None:
    open_cut(write(tmp_path / "a.jsonl", [line(1)]))
    with civic_db_connection() as conn:
        register_worker(conn, "slow", lease_seconds=60.0, queues=ANNOTATIONS)
    claim_as("slow")

    assert sweep(config.load()) == 0
    assert detect_crashed_batches(config.load(), CRASH_TIMEOUT) == 0


def test_a_worker_without_any_beat_is_dead_at_the_upper_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_cut(write(tmp_path / "a.jsonl", [line(1)]))
    with civic_db_connection() as conn:
        register_worker(conn, "mute", lease_seconds=3600.0, queues=ANNOTATIONS)
    claim_as("mute")

    monkeypatch.setenv("LEASE_SECONDS", "0.001")
    monkeypatch.setenv("CRASH_DETECTION_TIMEOUT", "0.001")
    time.sleep(0.01)

    assert detect_crashed_batches(config.load(), CRASH_TIMEOUT) == 1


def test_the_sweep_says_what_the_alert_looks_for(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    open_cut(write(tmp_path / "a.jsonl", [line(1)]))
    claim_as("gone")

    sweep(config.load())

    assert "Detected 1 potentially crashed jobs: Town:1" in caplog.text


def test_a_pending_batch_is_never_declared_lost(tmp_path: Path, storage: Path) -> None:
    job = open_cut(write(tmp_path / "a.jsonl", [line(n) for n in range(6)]))
    with civic_db_connection() as conn:
        long_ago = "2020-01-01 00:00:00.000000+00:00"
        conn.exec_driver_sql(f"UPDATE batch_job_trackings SET created_at = '{long_ago[:26]}'")

    assert detect_crashed_batches(config.load(), CRASH_TIMEOUT) == 0
    assert batches.cleanup(storage).batches == 0
    assert statuses(job.id) == {Batch.PENDING: 3}


def test_splitting_continues_where_its_worker_died(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [line(n) for n in range(10)])
    job = api.upload(config.load(), [path], project="p", create_docs=True, batch_items=2)
    first = claim_as("dies while splitting")
    split_half(first)

    sweep(config.load())

    with reading_connection() as conn:
        item = select(items_table.c.state).where(items_table.c.id == first.items[0].id)
        assert conn.execute(item).scalar_one() == Item.PENDING
    status = job.wait(config.load())
    assert status.succeeded
    assert (status.batches, status.items) == (5, 10)
    check()


def split_half(claim: Any) -> None:
    """Split off the first two parts, as a worker that dies then."""
    sent = msgspec.msgpack.decode(upload_steps.order(claim).upload)
    source = upload_steps.stored_upload(sent["path"])
    batches_of_two = islice(split(source, BatchLimits(items=2)), 2)
    parts = [upload_steps.new_part(batch) for batch in batches_of_two]
    with civic_db_connection() as conn:
        upload_state.extend_split(conn, claim, parts)


def test_an_upload_is_not_over_while_its_file_is_being_split(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [line(n) for n in range(10)])
    job = api.upload(config.load(), [path], project="p", create_docs=True, batch_items=2)
    split_half(claim_as("splitter"))

    perform(claim_as("storer"))
    perform(claim_as("storer"))

    status = job.status()
    assert (status.state, status.items_done, status.items) == ("open", 4, 4)
    check()


def test_a_part_claimed_by_another_worker_cannot_be_finished(tmp_path: Path) -> None:
    job = open_cut(write(tmp_path / "a.jsonl", [line(n) for n in range(2)]))
    late = claim_as("a worker nobody knows")
    sweep(config.load())
    assert job.wait(config.load()).succeeded

    with pytest.raises(upload_state.ClaimLost), civic_db_connection() as conn:
        transitions.finish_part(conn, late, store.Stored(), [])

    assert job.status().items_done == 2
    check()


def test_a_late_report_of_a_crash_changes_nothing(tmp_path: Path) -> None:
    job = open_cut(write(tmp_path / "a.jsonl", [line(n) for n in range(2)]))
    late = claim_as("a worker nobody knows")
    sweep(config.load())

    Pipeline(config.load()).crash(late, Crash(late.items[0], "killed by SIGKILL"))

    assert statuses(job.id) == {Batch.CRASHED: 1, Batch.PENDING: 1}
    check()
    assert job.wait(config.load()).succeeded


def test_a_file_that_cannot_be_split_ends_its_upload_after_three_tries(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [line(n) for n in range(6)])
    job = api.upload(config.load(), [path], project="p", create_docs=True, batch_items=2)
    for stored in (config.load().storage_dir / "_clerk" / "uploads").rglob("members"):
        stored.write_bytes(b"nothing of the kind")
    upload_steps.stored_upload.cache_clear()

    status = job.wait(config.load())

    assert (status.state, status.items) == ("cancelled", 0)
    assert list(status.issues) == ["unreadable"]
    with reading_connection() as conn:
        split = conn.execute(select(items_table).where(items_table.c.job_id == job.id)).one()
    assert (split.step, split.state, split.errors) == (Step.SPLIT, Item.FAILED, ledger.ERROR_BUDGET)
    check()


# --------------------------------------------------------------------- crashes are counted


@pytest.mark.parametrize("executor", ["embedded", "rq"])
def test_a_crash_that_costs_nothing_is_counted(
    tmp_path: Path, executor: str, request: pytest.FixtureRequest, clerk: Any
) -> None:
    lines = [line(n, f"KILL-WORKER-ONCE {WORDS}" if n == 1 else WORDS) for n in range(4)]
    path = write(tmp_path / "a.jsonl", lines)
    work = be_embedded
    if executor == "rq":
        request.getfixturevalue("redis")
        work = be_on_rq
    job = api.upload(config.load(), [path], project="p", create_docs=True, batch_items=2)

    assert reap(spawn(work(job.id))) == -signal.SIGKILL
    other = spawn(work(job.id))
    wait_until(lambda: job.status().is_over)
    end(other, signal.SIGTERM)

    assert job.status().succeeded and len(exported()) == 4
    assert batches.health().crashed == 1
    (today,) = batches.crash_rate()
    assert (today.crashed, today.total) == (1, 3)
    assert "Crashed: 1" in clerk("batch", "health").out
    check()


def test_a_source_whose_name_has_a_colon_is_shown_as_it_is(tmp_path: Path, clerk: Any) -> None:
    law = line("us/1") | {"sourcedb": "urn:lex"}
    status = upload(write(tmp_path / "a.jsonl", [law]))

    (batch,) = BatchJobTracking.for_parent(status.id)

    assert batch.doc_identifiers == [{"sourcedb": "urn:lex", "sourceid": "us/1"}]
    shown = json.loads(clerk("batch", "show", str(batch.id), "--json").out)
    assert shown["doc_identifiers"] == [{"sourcedb": "urn:lex", "sourceid": "us/1"}]


def test_a_killer_with_a_colon_in_its_source_is_found_and_named(tmp_path: Path) -> None:
    lines = [
        line(f"us:{n}", f"KILL {WORDS}" if n == 2 else WORDS) | {"sourcedb": "urn:lex"}
        for n in range(5)
    ]

    status = upload(write(tmp_path / "a.jsonl", lines))

    (issue,) = api.find(status.id).issues()
    assert (issue.code, issue.sourcedb, issue.sourceid) == ("crashed", "urn:lex", "us:2")
    check()


# ------------------------------------------------------------------ cancelled while split


def test_a_split_that_commits_while_its_upload_is_cancelled_leaves_nothing_pending(
    tmp_path: Path, database: str
) -> None:
    if database == "sqlite":
        pytest.skip("SQLite has one writer at a time")
    path = write(tmp_path / "a.jsonl", [line(n) for n in range(10)])
    job = api.upload(config.load(), [path], project="p", create_docs=True, batch_items=2)
    claim = claim_as("splitter")
    cancelled = threading.Thread(target=lambda: api.cancel(job.id))
    with civic_db_connection() as conn:
        sent = msgspec.msgpack.decode(upload_steps.order(claim).upload)
        source = upload_steps.stored_upload(sent["path"])
        first = next(split(source, BatchLimits(items=2)))
        upload_state.extend_split(conn, claim, [upload_steps.new_part(first)])
        cancelled.start()
        wait_until(somebody_waits_for_a_lock)
    cancelled.join()

    with reading_connection() as conn:
        states = conn.execute(select(items_table.c.state)).scalars().all()
        shown = conn.execute(select(batches_table.c.status)).scalars().all()
    assert states == [Item.CANCELLED, Item.CANCELLED]
    assert shown == [Batch.CANCELLED]
    with pytest.raises(upload_state.ClaimLost):
        split_half(claim)
    check()


def somebody_waits_for_a_lock() -> bool:
    with reading_connection() as conn:
        waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        return bool(conn.exec_driver_sql(waiting).scalar())


# ---------------------------------------------------------------------------------- storms


@contextlib.contextmanager
def embedded_workers(job_id: int, number: int) -> Iterator[list[int]]:
    """Some processes that work on an upload embedded."""
    pids = [spawn(be_embedded(job_id)) for _ in range(number)]
    try:
        yield pids
    finally:
        for pid in pids:
            end(pid, signal.SIGKILL)


@contextlib.contextmanager
def rq_workers(_job_id: int, number: int) -> Iterator[list[int]]:
    pids = [spawn(work_on_rq) for _ in range(number)]
    try:
        yield pids
    finally:
        for pid in pids:
            end(pid, signal.SIGKILL)


def storm(
    path: Path,
    lines: list[Any],
    workers: Callable[[int, int], Any],
    respawn: Callable[[int], Callable[[], None]],
    *,
    kills: int,
    stops: int,
) -> api.Status:
    """Upload while workers are killed, and stopped beyond their lease; return the end."""
    dice = random.Random(7)
    job = api.upload(
        config.load(), [write(path, lines)], project="p", create_docs=True, batch_items=40
    )
    sleeping: dict[int, float] = {}
    with workers(job.id, 3) as pids:
        for strike in dice.sample(["kill"] * kills + ["stop"] * stops, kills + stops):
            time.sleep(dice.uniform(0.05, 0.3))
            assert not job.status().is_over, "it must not end before the storm"
            _wake(sleeping)
            victim = dice.randrange(len(pids))
            if strike == "kill":
                end(pids[victim], signal.SIGKILL)
                pids[victim] = spawn(respawn(job.id))
            else:
                os.kill(pids[victim], signal.SIGSTOP)
                sleeping[pids[victim]] = time.monotonic() + dice.uniform(0.2, 2 * LEASE_SECONDS)
        while sleeping:
            _wake(sleeping)
            time.sleep(0.05)
        wait_until(lambda: job.status().is_over, seconds=120.0)
    return job.status()


def _wake(sleeping: dict[int, float]) -> None:
    """Let those go on whose time has come."""
    for pid, until in list(sleeping.items()):
        if time.monotonic() >= until:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
            del sleeping[pid]


def troubled_lines(
    number: int, invalid: int, seconds: float
) -> tuple[list[Any], dict[str, list[str]]]:
    """Return a collection with documents that kill and raise and bad lines, and what to expect."""
    dice = random.Random(3)
    killers, raisers = (dice.sample(range(k, number, 2), 3) for k in (0, 1))
    lines: list[Any] = [line(f"{n:05}") for n in range(number)]
    for each in lines[::10]:
        each["text"] = f"SLOW {seconds} {WORDS}"
    for n in killers:
        lines[n]["text"] = "KILL " + WORDS
    for n in raisers:
        lines[n]["text"] = "RAISE " + WORDS
    for n in sorted(dice.sample(range(number), invalid)):
        lines.insert(n, '{"sourcedb": "Town", "sourceid": "bad", "denotations": []}')
    expected = {
        "crashed": sorted(f"{n:05}" for n in killers),
        "failed": sorted(f"{n:05}" for n in raisers),
        "missing_text": ["bad"] * invalid,
    }
    return lines, expected


def assert_as_a_serial_load(status: api.Status, lines: list[Any], expected: Any) -> None:
    bad = {*expected["crashed"], *expected["failed"]}
    good = [each for each in lines if isinstance(each, dict) and each["sourceid"] not in bad]
    assert status.state == "completed"
    assert codes(status.id) == expected
    assert exported() == good
    assert (status.items_done, status.items_failed) == (len(lines), 6)
    assert status.bytes_done == status.bytes
    check()


def be_embedded(job_id: int) -> Callable[[], None]:
    def work() -> None:
        api.find(job_id).wait(config.load(workers=1))

    return work


def be_on_rq(_job_id: int) -> Callable[[], None]:
    return work_on_rq


@pytest.mark.chaos
def test_a_small_storm_embedded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEASE_SECONDS", str(LEASE_SECONDS))
    lines, expected = troubled_lines(120, 2, 0.3)

    status = storm(tmp_path / "a.jsonl", lines, embedded_workers, be_embedded, kills=3, stops=1)

    assert_as_a_serial_load(status, lines, expected)


@postgresql_daily
def test_a_small_storm_on_rq(tmp_path: Path, redis: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEASE_SECONDS", str(LEASE_SECONDS))
    lines, expected = troubled_lines(120, 2, 0.3)

    status = storm(tmp_path / "a.jsonl", lines, rq_workers, be_on_rq, kills=2, stops=1)

    assert_as_a_serial_load(status, lines, expected)


@pytest.mark.chaos
@pytest.mark.timeout(900)
@pytest.mark.parametrize("executor", ["embedded", "rq"])
def test_a_storm(
    tmp_path: Path,
    executor: str,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LEASE_SECONDS", str(LEASE_SECONDS))
    lines, expected = troubled_lines(1200, 4, 0.15)
    if executor == "rq":
        request.getfixturevalue("redis")
        workers, respawn = rq_workers, be_on_rq
    else:
        workers, respawn = embedded_workers, be_embedded

    status = storm(tmp_path / "a.jsonl", lines, workers, respawn, kills=12, stops=6)

    assert_as_a_serial_load(status, lines, expected)


def test_a_reader_sees_the_old_set_or_the_new_one(tmp_path: Path) -> None:
    old, new = ([{"span": {"begin": 0, "end": 3}, "obj": word}] * 40 for word in ("old", "new"))
    plain = {"relations": [], "attributes": []}
    first = write(tmp_path / "old.jsonl", [line(n, denotations=old, **plain) for n in range(30)])
    second = write(tmp_path / "new.jsonl", [line(n, denotations=new, **plain) for n in range(30)])
    upload(first)

    def replace_again_and_again() -> None:
        for path in (second, first, second):
            upload(path, batch_items=5)

    writer = spawn(replace_again_and_again)
    looks = 0
    while os.waitpid(writer, os.WNOHANG) == (0, 0):
        for each in exported():
            labels = {found["obj"] for found in each["denotations"]}
            assert len(each["denotations"]) == 40 and len(labels) == 1
        looks += 1
    assert looks > 1
    reap(writer)
    with reading_connection() as conn:
        ended = conn.execute(select(batches_table.c.status)).scalars().all()
    assert set(ended) == {Batch.COMPLETED}


# ------------------------------------------------------------------------ killed at a step


def survives(path: Path, steps: Steps, number: int) -> bool:
    """Kill at a step of an upload, go on, and look; False when it has not so many steps."""
    project = f"p{number}"
    job = api.upload(config.load(), [path], project=project, create_docs=True, batch_items=2)

    def work_and_die() -> None:
        count_steps(steps)
        job.wait(config.load(workers=1))

    assert reap(spawn(work_and_die)) in (0, -signal.SIGKILL)
    status = job.wait(config.load(workers=1))

    assert (status.state, status.items_done, status.items_failed) == ("completed", 4, 0), number
    assert [each["sourceid"] for each in exported(project)] == ["0", "1", "2", "3"]
    check()
    return steps.died


def kill_at(numbers: Iterable[int], who: str, path: Path) -> int:
    """Kill at each of these steps until there are no more, and return how many there were."""
    deaths = 0
    for number in numbers:
        if not survives(path, Steps(number, who), number):
            break
        deaths += 1
    return deaths


@pytest.mark.parametrize("who", [SUPERVISOR, CHILD])
def test_killed_at_a_sample_of_its_steps(tmp_path: Path, who: str) -> None:
    path = write(tmp_path / "a.jsonl", [line(n) for n in range(4)])

    assert kill_at(range(4, 400, 61), who, path) >= 1


@pytest.mark.chaos
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("who", [SUPERVISOR, CHILD])
def test_killed_at_every_step(tmp_path: Path, who: str) -> None:
    path = write(tmp_path / "a.jsonl", [line(n) for n in range(4)])

    deaths = kill_at(range(1, 2000), who, path)

    assert deaths >= 40
    print(f"{deaths} kills of a {who}")
