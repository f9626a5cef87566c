"""A pool: one parent process that claims, beats and accounts, and children that do the work.

The parent holds every promise: it owns the lease, writes to the database, sees a child die at once
and knows which document it was running.  It does no work itself, so it is never late with a beat.
"""

from __future__ import annotations

import logging
import os
import select
import signal
import socket
import time
import uuid
from collections.abc import Callable, Collection
from functools import partial
from typing import Protocol, TypeVar

from clerk.core import db
from clerk.core.child_process import (
    OUT_OF_TIME,
    Began,
    Child,
    Ended,
    Idle,
    Message,
    Order,
    Raised,
    revive,
)
from clerk.core.config import Settings
from clerk.core.errors import ClerkError, DatabaseUnavailable, OperatorError, UnknownSite
from clerk.core.states import Item, Step
from clerk.core.storage import worker_lock

from .work import Claim, ClaimItem, Crash, Flow, Outcome, WorkerInfo
from .worker_lock import Lock

log = logging.getLogger(__name__)
T = TypeVar("T")


class Retry(Protocol):
    """Run an action on the database, and retry while the server does not answer."""

    def __call__(self, action: Callable[[], T], /, *, gives: bool = False) -> T:
        """Return what the action returns."""


#: Finished documents are written at least this often.
FLUSH_SECONDS = 1.0
#: Aimed duration of a batch.
BATCH_SECONDS = 5.0
BATCH_DOCUMENTS = 500
#: A batch that takes longer is cut short: the rest goes to whoever is free.
BATCH_SECONDS_AT_MOST = 15.0
#: Helping with another's document is cut so soon: work of one's own goes first.
HELP_SECONDS = 2.0
#: A child is replaced after this many documents, so that leaks do not add up.
CHILD_DOCUMENTS = 2_000
#: How long an idle pool waits before it looks for work again: from, to.
IDLE_SECONDS = (0.02, 0.5)
SWEEP_SECONDS = 1.0
#: For its first claims, a pool waits this long for a busy process before it starts another.
CLAIMS_OF_LITTLE_WORK = 10
FREE_SOON_SECONDS = 1.0
#: How often it is checked whether running work was cancelled.
CANCEL_CHECK_SECONDS = 1.0
#: A child that is to leave cancelled work is killed if it has not done so in this time.
LEAVE_SECONDS = 2.0
#: Retry delay after an OperatorError, and how long a worker pauses the stage in which it met one.
OPERATOR_SECONDS = 10.0
#: Then the document waits longer than the stage is paused: others are tried before it.
OPERATOR_FACTOR = 3.0
#: A pool beats this many times within a lease.
BEATS_PER_LEASE = 5
#: Most seconds between two attempts to reach a database that is away.
LONGEST_PAUSE = 5.0


class Pace:
    """How many documents make a batch, from how long the last ones took."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}

    def limit(self, queue: str) -> int:
        """Return how many documents to claim."""
        if queue not in self._seconds:
            return 1
        most = BATCH_SECONDS / max(self._seconds[queue], BATCH_SECONDS / BATCH_DOCUMENTS)
        return max(1, int(most))

    def learn(self, queue: str, seconds: float) -> None:
        """Take a document's time into account; the recent ones weigh most."""
        former = self._seconds.get(queue, seconds)
        self._seconds[queue] = 0.8 * former + 0.2 * seconds


class Troubles:
    """Problems that only a person can fix, as met by the slots of a pool.

    A pool that ``pauses`` leaves the stage to other workers for a while: one whose machine lacks
    the files would take document after document from those who have them.  Any other pool keeps
    the problem, for its caller to raise.
    """

    def __init__(self, *, pauses: bool) -> None:
        self.pauses = pauses
        self._met: dict[int, OperatorError] = {}
        self._paused_until: dict[str, float] = {}

    @property
    def first(self) -> OperatorError | None:
        """The first problem whose item is not done yet."""
        return next(iter(self._met.values()), None)

    def met(self, queue: str, item: ClaimItem, error: OperatorError) -> float:
        """Record the problem of an item, and return its retry delay in seconds."""
        if not self.pauses:
            self._met[item.id] = error
            return OPERATOR_SECONDS
        if not self.is_paused(queue):
            log.error("Pausing %s on this worker for %g s: %s", queue, OPERATOR_SECONDS, error)
        self._paused_until[queue] = time.monotonic() + OPERATOR_SECONDS
        return OPERATOR_SECONDS * OPERATOR_FACTOR

    def over(self, item: ClaimItem) -> None:
        """Forget the problem of an item that is done."""
        self._met.pop(item.id, None)

    def is_paused(self, queue: str) -> bool:
        """Whether a queue is left to other workers."""
        return time.monotonic() < self._paused_until.get(queue, 0.0)


class Slot:
    """One child and what it was given."""

    def __init__(
        self,
        flow: Flow,
        queues: Callable[[], Collection[str]],
        settings: Settings,
        pace: Pace,
        troubles: Troubles,
        retry_while_database_is_down: Retry,
    ) -> None:
        self._flow = flow
        self._queues = queues
        self._troubles = troubles
        self._retry = retry_while_database_is_down
        self._memory_mb = settings.worker_memory_mb
        self._pace = pace
        self._child: Child | None = None
        self._served = 0
        self._outcomes: list[Outcome] = []
        self._given_at = self._flushed_at = 0.0
        self._told_to_stop = False
        self._running_item: ClaimItem | None = None
        #: What the child reported of it last, as in "page 3 of 40", and the same as a number.
        self._note, self._position = "", 0
        self._help_again_at = 0.0
        #: When a child that has not left cancelled work is killed; None while it has none to leave.
        self._leave_by: float | None = None
        self.claim: Claim | None = None
        #: The order by which the child helps with what another has claimed.
        self.helping: Order | None = None

    @property
    def busy(self) -> bool:
        """Whether the child has something to do, or to leave."""
        leaving = self._leave_by is not None
        return self.claim is not None or self.helping is not None or leaving

    @property
    def is_started(self) -> bool:
        """Whether its process has been started."""
        return self._child is not None

    def was_given_within(self, seconds: float) -> bool:
        """Whether the child has been busy for less than that."""
        return self.busy and self._child is not None and self._child.was_given_within(seconds)

    @property
    def may_help(self) -> bool:
        """Whether the child may help: not shortly after an attempt that failed."""
        return time.monotonic() >= self._help_again_at

    @property
    def child(self) -> Child:
        """The working process, started when it is first needed."""
        if self._child is None:
            self._child = Child(self._flow.perform, memory_mb=self._memory_mb)
            self._served = 0
        return self._child

    @property
    def running_document(self) -> str:
        """The name of what the child is working on."""
        item = self._running_item or (self.claim.items[0] if self.claim else None)
        return (item.document or item.step) if item else ""

    @property
    def page(self) -> int:
        """The page that the running document is at; 0 if it has reported none."""
        is_document = self._running_item is not None and self._running_item.step == Step.DOCUMENT
        return self._position if is_document else 0

    def assign(self, claim: Claim) -> None:
        """Have the child do what was claimed."""
        self.claim, self._running_item, self._told_to_stop = claim, None, False
        self._given_at = self._flushed_at = time.monotonic()
        try:
            self.child.send(self._retry(lambda: self._flow.order(claim)))
        except UnknownSite as error:
            log.warning("%s It was removed while its work was assigned.", error)
            self._flush(ended=True)

    def help(self, order: Order) -> None:
        """Have the child do a part of what another has claimed; there is nothing to account for."""
        self.helping, self._told_to_stop = order, False
        self._given_at = time.monotonic()
        self.child.send(order)

    def leave(self) -> None:
        """Have the child stop work that was cancelled or given to others; no result is recorded.

        Killing it loses nothing: text is stored whole or not at all, and the ledger would refuse
        what is reported for a claim that holds nothing any more.
        """
        self.claim, self.helping, self._running_item, self._outcomes = None, None, None, []
        if self._child is not None:
            self._leave_by = time.monotonic() + LEAVE_SECONDS
            self._child.stop_at_next_report()

    def handle_messages(self) -> None:
        """Handle the messages of the child, its death, or a missed deadline."""
        if self._child is None or not self.busy:
            return
        messages = self._child.receive()
        if self._leave_by is not None:
            # It was told to leave its work: one that does not is replaced.
            if messages is None or time.monotonic() >= self._leave_by:
                self._child.dismiss()
                self._child = self._leave_by = None
            elif any(isinstance(each, Idle) for each in messages):
                self._leave_by = None
            return
        for message in messages or ():
            self._handle_message(message)
        if not self.busy:
            return
        if messages is None:
            self._handle_child_death(f"The working process was {self._child.wait_for_end()}")
        elif self._child.overdue:
            self._child.kill()
            self._child.wait_for_end()
            self._handle_child_death(OUT_OF_TIME)
        else:
            now = time.monotonic()
            if self._outcomes and now - self._flushed_at >= FLUSH_SECONDS:
                self._flush(ended=False)
            most = HELP_SECONDS if self.helping else BATCH_SECONDS_AT_MOST
            if now - self._given_at >= most and not self._told_to_stop:
                self.stop()

    def _handle_message(self, message: Message) -> None:
        if self.claim is None:
            match message:
                case Ended():
                    self._served += 1
                case Raised(_, _, error_class, reason):
                    log.warning("Could not help with a document: %s: %s", error_class, reason)
                    self._help_again_at = time.monotonic() + OPERATOR_SECONDS
                case Idle():
                    self.helping = None
                    self._retire_old_child()
            return
        match message:
            case Began(index, _, note, position):
                self._running_item = self.claim.items[index]
                self._note, self._position = note, position
            case Ended(index, seconds, performed):
                item = self.claim.items[index]
                self._pace.learn(self.claim.queue, seconds)
                self._add(
                    Outcome(
                        item,
                        Item.COMPLETED,
                        pages=performed.pages,
                        seconds=seconds,
                        result=performed.result,
                    )
                )
            case Raised(index):
                self._add(self._judge(self.claim.items[index], message))
            case Idle():
                going_on = () if self._told_to_stop else self._queues()
                following = self._flush(ended=True, going_on=going_on)
                self._retire_old_child()
                if following is not None:
                    self.assign(following)

    def _add(self, outcome: Outcome) -> None:
        self._outcomes.append(outcome)
        if outcome.state != Item.PENDING:
            self._troubles.over(outcome.item)
        self._running_item = None
        self._served += 1

    def _judge(self, item: ClaimItem, raised: Raised) -> Outcome:
        """Decide what follows from an error: failure, a retry, or a problem for a person."""
        error, kind = f"{raised.error_class}: {raised.message}", raised.error_class
        failed = partial(Outcome, item, Item.FAILED, error, kind, seconds=raised.seconds)
        again = partial(Outcome, item, Item.PENDING, error, kind, seconds=raised.seconds)
        match raised.family:
            case "document":
                return failed(lasting=True)
            case "site" | "gone" | "slow":
                return failed()
            case "conflict":
                return again(delay=0.0)
            case "operator":
                assert self.claim is not None
                known = revive(raised)
                if not isinstance(known, OperatorError):
                    known = OperatorError(raised.message)
                delay = self._troubles.met(self.claim.queue, item, known)
                if self._troubles.pauses:
                    self.stop()
                return again(delay=delay)
        return again(charged=True)

    def _flush(self, *, ended: bool, going_on: Collection[str] = ()) -> Claim | None:
        """Record what was done; return the follow-up claim, if any."""
        assert self.claim is not None
        claim, outcomes, following = self.claim, self._outcomes, None
        try:
            following = self._retry(
                lambda: self._flow.finish(claim, outcomes, ended=ended, going_on=going_on),
                gives=bool(going_on),
            )
        except ClerkError:
            raise
        except Exception as error:
            log.exception("Could not record the result of %s", self.running_document)
            # The item is blamed as if it had killed its process.
            if self._child is not None:
                self._child.dismiss()
                self._child = None
            blamed = outcomes[0].item if outcomes else None
            crash = Crash(blamed, f"Its result could not be recorded: {error}")
            self._retry(lambda: self._flow.crash(claim, crash))
            self.claim, self._running_item = None, None
        # Only now: an interruption before this is found as running work, and released.
        self._outcomes, self._flushed_at = [], time.monotonic()
        if ended:
            self.claim, self._running_item = following, None
        return following

    def _handle_child_death(self, cause: str) -> None:
        """Record what was done, then blame the item that was running."""
        if self.claim is None:
            log.info("%s while it helped with a document", cause)
            self._child, self.helping = None, None
            return
        claim = self.claim
        crash = Crash(self._running_item, cause, self._note, self._position)
        self._child = None
        if self._outcomes:
            self._flush(ended=False)
        self._retry(lambda: self._flow.crash(claim, crash))
        self.claim, self._running_item = None, None

    def _retire_old_child(self) -> None:
        if self._served >= CHILD_DOCUMENTS and self._child is not None:
            self._child.dismiss()
            self._child = None

    def stop(self) -> None:
        """Let the child finish the running item and no more."""
        if self.busy and self._child is not None:
            self._told_to_stop = True
            self._child.stop_after_this_item()

    def abandon(self) -> None:
        """End the child now and release what it had not finished."""
        if self._child is not None:
            self._child.dismiss()
            self._child = None
        self.helping = self._leave_by = None
        if self.claim is not None:
            self._flush(ended=True)


class Pool:
    """A worker: slots that share its name, its beat and its place in the ledger.

    Use it as a context manager: the worker is registered at the start and unregistered at the end.
    """

    def __init__(
        self,
        flow: Flow,
        queues: Collection[str],
        settings: Settings,
        slots: int = 1,
        *,
        pauses: bool = True,
        poll_seconds: float | None = None,
    ) -> None:
        """Make a pool; ``poll_seconds`` is for one that is notified of work by :meth:`look_now`."""
        self._flow = flow
        self._queues = tuple(queues)
        self._settings = settings
        self._pace = Pace()
        self._troubles = Troubles(pauses=pauses)
        self._slots = [
            Slot(
                flow,
                self._served,
                settings,
                self._pace,
                self._troubles,
                self.retry_while_database_is_down,
            )
            for _ in range(slots)
        ]
        self._idle_range = (poll_seconds, poll_seconds) if poll_seconds else IDLE_SECONDS
        self._idle_seconds = self._idle_range[0]
        self._look_again_at = self._beat_at = self._sweep_at = self._check_at = 0.0
        self._lock: Lock | None = None
        #: Whether a claim may have been committed without this worker receiving it.
        self._in_doubt = False
        #: How often work was claimed.
        self._claimed = 0
        self.id = _new_name()
        self.stopping = False
        #: Set by a second signal, in case what it raised was swallowed where it struck.
        self.aborting = False

    def __enter__(self) -> Pool:
        self._lock = Lock(worker_lock(self._settings.storage_dir, self.id))
        db.trust_connections()
        try:
            self._flow.register(self._info)
        except BaseException:
            self._lock.release()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for slot in self._slots:
            slot.abandon()
        self.retry_while_database_is_down(self._flow.hint)
        self.retry_while_database_is_down(lambda: self._flow.unregister(self.id))
        if self._lock:
            self._lock.release()

    @property
    def _info(self) -> WorkerInfo:
        path = str(self._lock.path) if self._lock else ""
        return WorkerInfo(self.id, self._queues, path, self._settings.lease_seconds)

    @property
    def busy(self) -> bool:
        """Whether anything is running."""
        return any(slot.busy for slot in self._slots)

    @property
    def running(self) -> dict[str, str]:
        """The running document, by claim."""
        return {slot.claim.token: slot.running_document for slot in self._slots if slot.claim}

    @property
    def pages(self) -> dict[str, int]:
        """The page that the running document is at, by claim, if it has reported one."""
        slots = (slot for slot in self._slots if slot.claim and slot.page)
        return {slot.claim.token: slot.page for slot in slots if slot.claim}

    @property
    def trouble(self) -> OperatorError | None:
        """The problem that only a person can fix, if there was one and the pool does not pause."""
        return self._troubles.first

    def _served(self) -> tuple[str, ...]:
        """Return the queues from which work is taken now."""
        return tuple(name for name in self._queues if not self._troubles.is_paused(name))

    def look_now(self) -> None:
        """Look for work at the next turn, even if the last look was a moment ago."""
        self._look_again_at = 0.0

    @property
    def should_look(self) -> bool:
        """Whether something has ended since the last look for work."""
        return not self.stopping and self._look_again_at == 0.0

    def nothing_to_claim(self) -> bool:
        """Look for work at once; True when there is none."""
        self.look_now()
        self._assign_work()
        return not self.busy

    def turn(self, timeout: float = 0.2) -> bool:
        """Assign work, wait for children, record results; say whether anything is running."""
        if self.aborting:
            raise KeyboardInterrupt
        now = time.monotonic()
        if now >= self._beat_at:
            self._beat_at = now + self._settings.lease_seconds / BEATS_PER_LEASE
            self.retry_while_database_is_down(self._beat)
        if now >= self._sweep_at:
            self._sweep_at = now + SWEEP_SECONDS
            self.retry_while_database_is_down(self._flow.sweep)
        if now >= self._check_at:
            self._check_at = now + CANCEL_CHECK_SECONDS
            self._leave_cancelled_work()
        if not self.stopping:
            self._assign_work()
        if not self._wait(0.0):
            self.retry_while_database_is_down(self._flow.hint)
            self._wait(timeout)
        for slot in self._slots:
            if slot.busy:
                slot.handle_messages()
                self._look_again_at = self._look_again_at if slot.busy else 0.0
        return self.busy

    def _wait(self, timeout: float) -> bool:
        """Wait until a child has sent a message, or it is time to look for work."""
        children = [slot.child for slot in self._slots if slot.busy]
        until_look = self._look_again_at - time.monotonic()
        if len(children) < len(self._slots) and not self.stopping:
            timeout = min(timeout, max(0.0, until_look))
        return bool(select.select(children, [], [], timeout)[0])

    def _assign_work(self) -> None:
        if time.monotonic() < self._look_again_at:
            return
        for slot in self._slots:
            if self.stopping:
                return
            if slot.busy:
                continue
            # Starting a process and importing everything takes longer than most steps of a small
            # site: one that runs may be free sooner.  On a busy machine it would only add to that.
            if (
                not slot.is_started
                and self._claimed < CLAIMS_OF_LITTLE_WORK
                and any(each.was_given_within(FREE_SOON_SECONDS) for each in self._slots)
            ):
                self._look_again_at = time.monotonic() + FREE_SOON_SECONDS
                continue
            # A claim that may be held under this name must end before the next one.
            if not self._in_doubt or self._is_renamed():
                queues, limit = self._served(), self._pace.limit
                claim = self.retry_while_database_is_down(
                    partial(self._flow.claim, queues, self.id, limit), gives=True
                )
                if claim is not None:
                    self._idle_seconds = self._idle_range[0]
                    self._claimed += 1
                    slot.assign(claim)
                    if self.stopping:
                        # The signal came in between, and the child threw away what it did not
                        # expect.
                        slot.stop()
                    continue
            # A slot for which there is no work may help with what another does.
            order = self._flow.invitation(self._served()) if slot.may_help else None
            if order is not None:
                slot.help(order)
            else:
                low, high = self._idle_range
                self._idle_seconds = min(high, max(low, self._idle_seconds * 2))
                self._look_again_at = time.monotonic() + self._idle_seconds
                return

    def _is_renamed(self) -> bool:
        """Take a new name once nothing is running; False while something is.

        A claim may have been committed though the connection broke before this worker received it.
        It would be held as long as a worker of the old name lives; now it is released like the
        claims of a dead worker.
        """
        if self.busy:
            return False
        self.retry_while_database_is_down(lambda: self._flow.unregister(self.id))
        self.id = _new_name()
        self._in_doubt = False
        self.retry_while_database_is_down(self._beat)
        return True

    def _leave_cancelled_work(self) -> None:
        claims = self.running
        held = (
            self.retry_while_database_is_down(lambda: self._flow.still_held(claims))
            if claims
            else set()
        )
        for slot in self._slots:
            if slot.claim is not None and slot.claim.token not in held:
                log.info("%s was cancelled or given to another worker", slot.running_document)
                slot.leave()
            elif slot.helping is not None and not self._flow.still_wanted(slot.helping):
                slot.leave()

    def _beat(self) -> None:
        if not self._flow.beat(self._info, self.running, self.pages):
            self._flow.register(self._info)

    def retry_while_database_is_down(self, action: Callable[[], T], *, gives: bool = False) -> T:
        """Run an action on the database, and retry while the server does not answer.

        Retrying is harmless: every transition is guarded, so one that was committed before the
        connection broke changes nothing the second time.  Only a claim (``gives``) may be lost
        that way: see :meth:`_is_renamed`.  No worker could send a heartbeat during the outage, so
        no lease is treated as expired right after it.
        """
        pause = 0.2
        while True:
            try:
                return action()
            except Exception as error:
                if self.stopping or not db.is_temporary(error):
                    raise
                # An outage is an error once, when it has lasted for some seconds.
                lasts = pause < LONGEST_PAUSE <= 2 * pause
                log.log(logging.ERROR if lasts else logging.WARNING, "%s Waiting for it.", error)
                self._in_doubt |= gives and isinstance(error, DatabaseUnavailable)
                time.sleep(pause)
                pause = min(LONGEST_PAUSE, pause * 2)
                self._sweep_at = time.monotonic() + self._settings.lease_seconds

    def stop(self) -> None:
        """Finish what is running and claim nothing more."""
        self.stopping = True
        for slot in self._slots:
            slot.stop()


def _new_name() -> str:
    return f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:8]}"


class Signals:
    """Ctrl-C and SIGTERM: once finishes what is running, twice stops now.

    ``on_first`` is called in the signal handler, so that a person is answered at once.
    """

    def __init__(self, pool: Pool, on_first: Callable[[], None] = lambda: None) -> None:
        self.pool = pool
        self._on_first = on_first
        self._former: dict[int, object] = {}
        self.received = 0

    def __enter__(self) -> Signals:
        for number in (signal.SIGINT, signal.SIGTERM):
            self._former[number] = signal.signal(number, self._on_signal)
        return self

    def __exit__(self, *_: object) -> None:
        for number, former in self._former.items():
            signal.signal(number, former)  # type: ignore[arg-type]

    def _on_signal(self, _number: int, _frame: object) -> None:
        self.received += 1
        if self.received == 1:
            self.pool.stop()
            self._on_first()
        else:
            self.pool.aborting = True
            raise KeyboardInterrupt
