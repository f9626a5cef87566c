"""What a pool asks of the pipeline: claim, order, perform, finish, crash, sweep."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import Connection

from clerk.annotations import CheckedObject
from clerk.annotations.decide import Decision, Options, Target, TooMuchAtOnce, decide
from clerk.core import installation
from clerk.core.child_process import Order, OrderItem, Performed, Report
from clerk.core.config import Settings
from clerk.core.db import civic_db_connection, reading_connection, require_site
from clerk.core.manifest import TextRecord
from clerk.core.states import OCR, QUEUES, Item, Kind, Step
from clerk.executors.pool import Pool
from clerk.executors.work import Claim, Crash, Limit, Outcome, WorkerInfo

from . import (
    ledger,
    queues,
    steps,
    transitions,
    upload_state,
    upload_steps,
)
from .stages import STAGES, StageResult

log = logging.getLogger(__name__)

#: What the results of a child are, by the step.
_RESULTS: Mapping[str, type[transitions.Found | TextRecord | StageResult]] = {
    Step.FETCH: transitions.Found,
    Step.DOCUMENT: TextRecord,
    **{stage.step: stage.result for stage in STAGES if stage.result},
}

#: How many claims of dead workers a busy worker releases at a time.
SWEPT_AT_ONCE = 50


class Pipeline:
    """The flow of sites and uploads; see :class:`clerk.executors.work.Flow`."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        #: Whether something was opened that idle workers do not know of.
        self._opened = False

    def register(self, worker: WorkerInfo) -> None:
        """Make a worker known before it claims anything; refuse one with the wrong storage."""
        installation.check(self.settings)
        with civic_db_connection() as conn:
            ledger.register_worker(
                conn,
                worker.id,
                lease_seconds=worker.lease_seconds,
                queues=",".join(worker.queues),
                lock_path=worker.lock_path or None,
            )

    def beat(
        self, worker: WorkerInfo, running: Mapping[str, str], pages: Mapping[str, int]
    ) -> bool:
        """Renew a worker's lease; False when nobody knows it."""
        with civic_db_connection() as conn:
            return ledger.beat(conn, worker.id, worker.lease_seconds, running, pages)

    def unregister(self, worker_id: str) -> None:
        """Release what a worker holds without knowing, and forget the worker."""
        self.release(worker_id)
        with civic_db_connection() as conn:
            ledger.forget_worker(conn, worker_id, ledger.dead_on_this_host(conn))

    def release(self, worker_id: str) -> None:
        """Release what a worker holds without knowing: it was stopped when it was given it."""
        with reading_connection() as conn:
            held = ledger.claims_of(conn, worker_id)
        for claim in held:
            with civic_db_connection() as conn:
                transitions.finish(conn, claim, [], ended=True)

    def claim(self, queues: Collection[str], worker_id: str, limit: Limit) -> Claim | None:
        """Claim some work; looked for without a lock, which on SQLite keeps all others waiting."""
        with reading_connection() as conn:
            jobs = ledger.claimable_jobs(conn, queues)
        if not jobs:
            return None
        with civic_db_connection() as conn:
            return ledger.claim_one(conn, jobs, worker_id, limit)

    def order(self, claim: Claim) -> Order:
        """Return the site or the upload, and the items, in values that can be sent."""
        if claim.kind == Kind.UPLOAD:
            return upload_steps.order(claim)
        # A coordinator must not wait for more than its name.
        site: dict[str, Any] = {"subdomain": claim.subdomain}
        if claim.step != Step.COORDINATOR:
            with reading_connection() as conn:
                site = dict(require_site(conn, claim.subdomain))
            for name, value in site.items():
                site[name] = value.isoformat() if isinstance(value, datetime) else value
        items = [
            OrderItem(each.document, each.bytes, each.sha256, dict(each.blamed_pages))
            for each in claim.items
        ]
        return Order(
            claim.step,
            site,
            items,
            claim.options,
            claim=claim.token,
            run_id=claim.run_id,
        )

    def invitation(self, queues: Collection[str]) -> Order | None:
        """Return pages of a long document that somebody reads."""
        return steps.invitation(self.settings) if OCR in queues else None

    def perform(self, order: Order, index: int, report: Report) -> Performed:
        """Do one item; runs in the child."""
        match order.step:
            case steps.ASSIST:
                return steps.assist(order, index, report, self.settings)
            case Step.SPLIT:
                return upload_steps.split(order, report)
            case Step.STORE:
                return upload_steps.store(order, report, self.decide, self.settings)
        performed = steps.perform(order, index, report, self.settings)
        subdomain = order.site["subdomain"]
        if order.step == Step.COORDINATOR and not performed.result:
            # Tell a reading in which every document failed from a machine without the text.
            with reading_connection() as conn:
                reading = transitions.job_of_stage(conn, subdomain, OCR)
            if reading is not None and reading.completed:
                raise steps.no_text(subdomain, reading.completed, self.settings)
        return performed

    def decide(self, options: Options, target: Target, objects: list[CheckedObject]) -> Decision:
        """Decide what becomes of a document whose objects in an upload are these."""
        return decide(options, target, objects)

    def finish(
        self,
        claim: Claim,
        outcomes: list[Outcome],
        *,
        ended: bool,
        going_on: Collection[str] = (),
    ) -> Claim | None:
        """Settle items and open what follows; a coordinator need not wait to be found."""
        ready = outcomes
        if kind := _RESULTS.get(claim.step):
            ready = [
                msgspec.structs.replace(each, result=msgspec.convert(each.result, kind))
                if each.state == Item.COMPLETED and each.result is not None
                else each
                for each in outcomes
            ]
        too_much = [each for each in outcomes if each.error_kind == TooMuchAtOnce.__name__]
        parts = upload_steps.divided(claim) if too_much else []
        with civic_db_connection() as conn:
            if parts:
                upload_state.divide_part(conn, claim, parts, too_much[0].error)
            settled = transitions.finish(conn, claim, ready, ended=ended, going_on=going_on)
        for outcome in outcomes:
            if outcome.state == Item.COMPLETED and not log.isEnabledFor(logging.INFO):
                continue
            extra = _context(claim) | {
                "document": outcome.item.document or None,
                "duration": round(outcome.seconds, 3),
            }
            if outcome.state == Item.COMPLETED:
                log.info("%s completed", outcome.item.step, extra=extra)
            else:
                again = "will be tried again" if outcome.state == Item.PENDING else "failed"
                log.warning("%s %s: %s", outcome.item.step, again, outcome.error, extra=extra)
        # What was not done is released, and others may be idle.
        self._opened |= settled.closed or (ended and len(outcomes) < len(claim.items))
        return settled.following

    def crash(self, claim: Claim, crash: Crash) -> None:
        """Record that a child died."""
        if claim.kind == Kind.UPLOAD:
            crash = replace(crash, item=crash.item or claim.items[0])
        parts = upload_steps.divided_after(claim, crash)
        with civic_db_connection() as conn:
            transitions.crash(conn, claim, crash, parts)
        document = crash.item.document if crash.item else None
        log.error("%s", crash.error, extra=_context(claim) | {"document": document})
        self._opened = True

    def still_held(self, tokens: Collection[str]) -> set[str]:
        """Return which of the claims still hold something: their run or upload goes on."""
        with reading_connection() as conn:
            return ledger.still_held(conn, tokens)

    def still_wanted(self, order: Order) -> bool:
        """Whether the document whose pages were ordered still has its reader."""
        return steps.has_reader(order, self.settings)

    def hint(self) -> None:
        """Tell idle workers elsewhere of what was opened since the last hint."""
        if self._opened:
            queues.offer(self.settings, QUEUES)
            self._opened = False

    def sweep(self) -> None:
        """Take work back from workers that are dead, not so much at once that a beat is late."""
        self._opened |= sweep(self.settings, most=SWEPT_AT_ONCE) > 0


class _OneClaim(Pipeline):
    """A flow that assigns one claim and nothing after it."""

    def __init__(
        self, settings: Settings, claim: Callable[[Connection, str], Claim | None]
    ) -> None:
        super().__init__(settings)
        self._claim: Callable[[Connection, str], Claim | None] | None = claim

    def claim(self, queues: Collection[str], worker_id: str, limit: Limit) -> Claim | None:
        """Take the one claim, the first time."""
        if self._claim is None:
            return None
        with civic_db_connection() as conn:
            claim = self._claim(conn, worker_id)
        self._claim = None
        return claim

    def sweep(self) -> None:
        """Leave that to those who stay."""


def perform_now(settings: Settings, claim: Callable[[Connection, str], Claim | None]) -> None:
    """Do what a claim gives, in a child of this process, and settle it."""
    with Pool(_OneClaim(settings, claim), (), settings) as pool:
        while pool.turn():
            pass


def drain(settings: Settings, queue_name: str) -> None:
    """Work on a queue until nothing is left."""
    with Pool(Pipeline(settings), (queue_name,), settings) as pool:
        while pool.turn() or not pool.nothing_to_claim():
            pass


def sweep(settings: Settings, most: int | None = None) -> int:
    """Take work back from dead workers and return how many claims were found."""
    with reading_connection() as conn:
        dead, silence = ledger.dead_on_this_host(conn), settings.crash_detection_timeout
        found = ledger.batches_of_the_dead(conn, silence, dead, most)
    if found:
        names = [item.document or item.step for claim in found for item in claim.items]
        log.error("Detected %d potentially crashed jobs: %s", len(found), ", ".join(names[:10]))
    for claim in found:
        with reading_connection() as conn:
            item = ledger.running_item(conn, claim)
        crash = Crash(item, "The worker died", worker_lost=True)
        parts = upload_steps.divided_after(claim, crash)
        with civic_db_connection() as conn:
            if ledger.is_of_the_dead(conn, claim, silence, dead):
                transitions.crash(conn, claim, crash, parts)
    return len(found)


def _context(claim: Claim) -> dict[str, str | int | None]:
    return {
        "site": claim.subdomain or None,
        "run": claim.run_id or None,
        "stage": claim.stage,
        "batch": claim.token,
        "job": claim.job_id,
    }
