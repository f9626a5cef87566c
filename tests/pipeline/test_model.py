"""Whatever happens in whatever order: a model of runs, claims, crashes and zombies.

hypothesis chooses what happens next; after each step every promise of the ledger is checked, a
late worker is shown to change nothing at all, and in the end every site can still be finished.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from hypothesis.stateful import run_state_machine_as_test as run_model
from invariants import check, forbid_going_back
from small_work import ENGINE, Town, active_runs
from sqlalchemy import select, text

from clerk.core import config, storage
from clerk.core.db import civic_db_connection, reading_connection, upsert_site
from clerk.core.errors import InvalidInput
from clerk.core.models import (
    db_now,
    installation_table,
    items_table,
    jobs_table,
    metadata,
    runs_table,
    sites_table,
)
from clerk.core.states import OCR, QUEUES, STAGES, Item, Step
from clerk.executors.work import Claim, Crash, Outcome
from clerk.pipeline import flow, ledger, reconcile, transitions
from clerk.pipeline.scripted_stages import (
    claim_coordinator_enqueue,
    increment_completed,
    increment_failed,
    initialize_stage,
)
from clerk.pipeline.transitions import job_of_stage, show_job

SITES = ("ash", "birch")
DOCUMENTS = 4
WORKERS = ("worker-1", "worker-2", "worker-3")
LEASE_SECONDS = 3600.0

which = st.integers(0, 10)


class PipelineModel(RuleBasedStateMachine):
    """Workers with good and bad luck on two sites."""

    def __init__(self, storage_dir: Path) -> None:
        super().__init__()
        self.storage_dir = storage_dir
        self.flow = flow.Pipeline(config.load())
        #: What workers hold, and what they held when they were given up.
        self.hands: list[Claim] = []
        self.stale: list[tuple[Claim, list[Outcome]]] = []
        self._clear()

    def _clear(self) -> None:
        with civic_db_connection() as conn:
            for table in reversed(metadata.sorted_tables):
                # The storage directory is marked as this installation's.
                if table is not installation_table:
                    conn.execute(table.delete())
        for name in SITES:
            shutil.rmtree(self.storage_dir / name, ignore_errors=True)
            with civic_db_connection() as conn:
                upsert_site(conn, {"subdomain": name, "name": name})
            Town(name).pdfs(DOCUMENTS)
        for name in WORKERS:
            self._register(name)

    def _register(self, worker: str) -> None:
        with civic_db_connection() as conn:
            if not ledger.beat(conn, worker, LEASE_SECONDS, {}):
                ledger.register_worker(conn, worker, lease_seconds=LEASE_SECONDS, queues="all")

    # ------------------------------------------------------------------ what may happen

    @rule(site=st.sampled_from(SITES))
    def start_or_supersede(self, site: str) -> None:
        with civic_db_connection() as conn:
            transitions.start_run(conn, site)

    @rule(site=st.sampled_from(SITES))
    def cancel(self, site: str) -> None:
        with civic_db_connection() as conn:
            transitions.cancel_run(conn, site, "as asked")

    @rule(worker=st.sampled_from(WORKERS), documents=st.integers(1, 3))
    def claim(self, worker: str, documents: int) -> None:
        self._register(worker)
        claimed = self.flow.claim(QUEUES, worker, lambda _queue: documents)
        if claimed:
            assert len(claimed.items) <= documents
            self.hands.append(claimed)

    @precondition(lambda self: self.hands)
    @rule(
        hand=which,
        luck=st.lists(st.sampled_from(["completed", "failed", "again", "untouched"]), min_size=3),
        ended=st.booleans(),
        goes_on=st.booleans(),
    )
    def finish(self, hand: int, luck: list[str], ended: bool, goes_on: bool) -> None:
        claimed = self._take(hand) if ended else self.hands[hand % len(self.hands)]
        pairs = zip(claimed.items, luck, strict=False)
        outcomes = [self._outcome(claimed, item, word) for item, word in pairs if word[0] != "u"]
        going_on = QUEUES if goes_on and ended else ()
        following = self.flow.finish(claimed, outcomes, ended=ended, going_on=going_on)
        self.hands += [following] if following else []
        self.stale.append((claimed, outcomes if ended else []))

    @rule(worker=st.sampled_from(WORKERS), claims=st.integers(1, 4))
    def work_goes_well(self, worker: str, claims: int) -> None:
        for _ in range(claims):
            self._work(worker)

    def _work(self, worker: str) -> bool:
        self._register(worker)
        claimed = self.flow.claim(QUEUES, worker, lambda _queue: 3)
        if claimed is None:
            return False
        done = [self._outcome(claimed, item, "completed") for item in claimed.items]
        self.flow.finish(claimed, done, ended=True)
        return True

    @precondition(lambda self: self.hands)
    @rule(hand=which, blamed=which)
    def child_dies(self, hand: int, blamed: int) -> None:
        claimed = self._take(hand)
        item = claimed.items[blamed % len(claimed.items)]
        self.flow.crash(claimed, Crash(item, "killed by SIGSEGV"))
        self.stale.append((claimed, []))

    @precondition(lambda self: self.hands)
    @rule(hand=which)
    def worker_is_lost(self, hand: int) -> None:
        """Its lease ends; it does not know, and holds on to all it had."""
        claimed = self.hands[hand % len(self.hands)]
        owner = self._owner(claimed)
        with civic_db_connection() as conn:
            conn.execute(text("DELETE FROM workers WHERE id = :id"), {"id": owner})
        gone = [each for each in self.hands if self._owner(each) == owner]
        flow.sweep(config.load())
        for each in gone:
            self.hands.remove(each)
            self.stale.append((each, []))

    @precondition(lambda self: self.stale)
    @rule(which=which, state=st.sampled_from([Item.COMPLETED, Item.FAILED]), ended=st.booleans())
    def zombie_finishes(self, which: int, state: str, ended: bool) -> None:
        """A worker that was given up, or a message delivered twice, changes nothing."""
        claimed, again = self.stale[which % len(self.stale)]
        if any(each.token == claimed.token for each in self.hands):
            return
        result = _result(claimed)
        outcomes = again or [
            Outcome(item, state, "late" if state == Item.FAILED else "", result=result)
            for item in claimed.items
        ]
        before = self._everything()
        self.flow.finish(claimed, outcomes, ended=ended)
        self.flow.crash(claimed, Crash(claimed.items[0], "late"))
        assert self._everything() == before

    @rule()
    def sweep_and_reconcile(self) -> None:
        """Nothing is wrong that they could mend, and twice is as good as once."""
        flow.sweep(config.load())
        for plan in reconcile.reconcile(config.load(), 0):
            del plan
        before = self._everything()
        flow.sweep(config.load())
        for plan in reconcile.reconcile(config.load(), 0):
            del plan
        assert self._everything() == before

    # --------------------------------------------------- what operators' scripts may do between

    @rule(site=st.sampled_from(SITES), stage=st.sampled_from(STAGES), total=st.integers(0, 5))
    def script_opens_a_stage(self, site: str, stage: str, total: int) -> None:
        initialize_stage(site, stage, total)

    @rule(site=st.sampled_from(SITES), stage=st.sampled_from(STAGES), well=st.booleans())
    def script_counts(self, site: str, stage: str, well: bool) -> None:
        with contextlib.suppress(InvalidInput):
            if well:
                increment_completed(site, stage)
            else:
                increment_failed(site, stage, "broken", "Error")

    @rule(site=st.sampled_from(SITES))
    def script_claims_the_coordinator(self, site: str) -> None:
        claim_coordinator_enqueue(site)

    @rule(site=st.sampled_from(SITES), day=st.integers(1, DOCUMENTS))
    def script_names_a_document(self, site: str, day: int) -> None:
        with civic_db_connection() as conn:
            job = job_of_stage(conn, site, OCR)
            if job is not None and job.state == "open":
                name = f"minutes/Council/2024-01-{day:02}"
                grown = ledger.name_item(conn, job, Step.DOCUMENT, name)
                if grown is not None:
                    show_job(conn, grown)

    @rule()
    def time_passes(self) -> None:
        self._make_available()

    # -------------------------------------------------------------------------- the promises

    @invariant()
    def promises_hold(self) -> None:
        with reading_connection() as conn:
            check(conn)

    def teardown(self) -> None:
        """Let everybody work in peace: every run ends, nothing is lost."""
        for claimed in self.hands:
            self.flow.finish(claimed, [], ended=True)
        for _ in range(200):
            if not active_runs():
                break
            self._make_available()
            if not self._work(WORKERS[0]):
                *_, whole = reconcile.reconcile(config.load(), 0)
                assert whole.found, "an active run without work that nobody misses"
        with reading_connection() as conn:
            check(conn, self.storage_dir)
        assert not active_runs()

    # ----------------------------------------------------------------------------- helpers

    def _take(self, hand: int) -> Claim:
        return self.hands.pop(hand % len(self.hands))

    def _outcome(self, claimed: Claim, item: Any, word: str) -> Outcome:
        if word == "failed":
            return Outcome(item, Item.FAILED, "cannot be read", lasting=True)
        if word == "again":
            return Outcome(item, Item.PENDING, "try again", charged=True, delay=3600.0)
        if claimed.step == Step.DOCUMENT:
            Town(claimed.subdomain).text(item.document.rpartition("/")[2])
        return Outcome(item, Item.COMPLETED, result=_result(claimed))

    def _owner(self, claimed: Claim) -> str | None:
        with reading_connection() as conn:
            chosen = text("SELECT worker_id FROM batch_job_trackings WHERE claim = :claim")
            return conn.execute(chosen, {"claim": claimed.token}).scalar()

    def _make_available(self) -> None:
        with civic_db_connection() as conn:
            now = db_now()
            pending = items_table.c.state == Item.PENDING
            later = items_table.c.available_at > now
            conn.execute(items_table.update().where(pending, later).values(available_at=now))

    def _everything(self) -> list[Any]:
        tables = (sites_table, runs_table, jobs_table, items_table)
        with reading_connection() as conn:
            return [
                conn.execute(select(each).order_by(*each.primary_key)).fetchall() for each in tables
            ]


def _result(claimed: Claim) -> Any:
    folder = Town(claimed.subdomain).folder
    if claimed.step == Step.FETCH:
        found = [
            {"name": each.name, "bytes": 4, "sha256": storage.sha256_of(each.pdf(folder))}
            for each in storage.pdf_documents(folder)
        ]
        return {"documents": found, "carried": 0, "engine": ENGINE}
    if claimed.step == Step.COORDINATOR:
        return sum(1 for _ in storage.text_documents(folder))
    return None


@contextlib.contextmanager
def model_of(storage_dir: Path) -> Iterator[Any]:
    with civic_db_connection() as conn:
        forbid_going_back(conn)
    yield lambda: PipelineModel(storage_dir)


def _settings(examples: int, steps: int) -> settings:
    return settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )


def test_whatever_happens_the_promises_hold(database: str, storage: Path) -> None:
    examples = 12 if database == "sqlite" else 5
    with model_of(storage) as model:
        run_model(model, settings=_settings(examples, 30))


@pytest.mark.chaos
@pytest.mark.timeout(3600)
def test_whatever_happens_for_long_the_promises_hold(database: str, storage: Path) -> None:
    examples = 400 if database == "sqlite" else 150
    with model_of(storage) as model:
        run_model(model, settings=_settings(examples, 60))
