"""What a pool is given to do, what it returns, and what it asks of whoever gives it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import msgspec

from clerk.core.child_process import Order, Performed, Report
from clerk.core.run_options import NO_OPTIONS, RunOptions

#: How many items of a queue to claim at once.
Limit = Callable[[str], int]


class ClaimItem(msgspec.Struct, frozen=True):
    """One piece of work of a claim: a document, a step, or a part of an upload."""

    id: int
    step: str
    document: str
    attempt: int
    bytes: int = 0
    sha256: str = ""
    #: Why the attempt before ended, if there was one.
    error: str = ""
    #: Pages at which earlier attempts lost their process, and how.
    blamed_pages: Mapping[int, str] = {}
    #: How often earlier attempts raised, lost their process, and lost their worker.
    errors: int = 0
    crashes: int = 0
    lost: int = 0
    #: How many documents it counts for; of an upload, how many objects.
    documents: int = 1
    #: Which bytes of an upload it is, and what was wrong with them.
    payload: Mapping[str, object] = {}


@dataclass(frozen=True)
class Claim:
    """Items of one job that a worker holds by a token, until it settles or releases them."""

    token: str
    job_id: int
    #: Empty for an upload.
    run_id: str
    kind: str
    stage: str
    queue: str
    #: Empty for an upload.
    subdomain: str
    items: tuple[ClaimItem, ...]
    worker_id: str = ""
    #: The options of the run.
    options: RunOptions = NO_OPTIONS
    #: What identifies the reader of its documents, if they are to be read.
    reader: str = ""

    @property
    def step(self) -> str:
        """The kind of work; all items of a claim are of one kind.

        A claim whose items are all settled has none.
        """
        return self.items[0].step if self.items else ""


class Outcome(msgspec.Struct, frozen=True):
    """How one item of a claim ended.

    ``state`` is completed or failed, or pending: to be tried again (``charged``) or released.
    """

    item: ClaimItem
    state: str
    error: str = ""
    #: The class of the error.
    error_kind: str = ""
    charged: bool = False
    #: Seconds to wait before it may be claimed again; None: by how often it was tried.
    delay: float | None = None
    #: The same bytes would fail again with the same reader.
    lasting: bool = False
    pages: int | None = None
    seconds: float = 0.0
    result: Any = None


@dataclass(frozen=True)
class Crash:
    """How a process died, and over which item of its claim, if that is known."""

    item: ClaimItem | None
    cause: str
    #: What the item last reported of itself: in words, and as a number (see ``Report``).
    note: str = ""
    position: int = 0
    #: The whole worker is gone, so that the item is only one of the suspects.
    worker_lost: bool = False

    @property
    def error(self) -> str:
        """The error that is recorded for the item."""
        return f"{self.note}: {self.cause}" if self.item and self.note else self.cause


@dataclass(frozen=True)
class WorkerInfo:
    """What others may know of a worker."""

    id: str
    queues: tuple[str, ...]
    #: A file that the worker holds a lock on while it lives.
    lock_path: str
    lease_seconds: float


class Flow(Protocol):
    """What a pool asks of the pipeline.

    Each method but ``perform``, ``invitation`` and ``still_wanted`` is one transaction.
    """

    def register(self, worker: WorkerInfo) -> None:
        """Make a worker known before it claims anything; an unknown worker is a dead one."""

    def beat(
        self, worker: WorkerInfo, running: Mapping[str, str], pages: Mapping[str, int]
    ) -> bool:
        """Renew a worker's lease and note what runs by claim; False when nobody knows it.

        ``pages``: the page that a running document is at.
        """

    def unregister(self, worker_id: str) -> None:
        """Release what a worker holds without knowing, and remove the worker."""

    def claim(self, queues: Collection[str], worker_id: str, limit: Limit) -> Claim | None:
        """Claim some work, or return None."""

    def order(self, claim: Claim) -> Order:
        """Return the order that tells a child what to do."""

    def invitation(self, queues: Collection[str]) -> Order | None:
        """Return a part of what another worker does, for one with nothing to do.

        It is in no ledger, and its result is nobody's to record.
        """

    def perform(self, order: Order, index: int, report: Report) -> Performed:
        """Do one item; runs in the child."""

    def finish(
        self,
        claim: Claim,
        outcomes: list[Outcome],
        *,
        ended: bool,
        going_on: Collection[str] = (),
    ) -> Claim | None:
        """Settle items and open what follows; return the follow-up claim, if any.

        A follow-up is claimed only if it is of a queue in ``going_on``: it saves the time until
        somebody looks for it.
        """

    def crash(self, claim: Claim, crash: Crash) -> None:
        """Record that a child died."""

    def still_held(self, tokens: Collection[str]) -> set[str]:
        """Return which of the claims still hold something; work for the others is useless."""

    def still_wanted(self, order: Order) -> bool:
        """Whether the work that an invitation was for is still going on."""

    def hint(self) -> None:
        """Tell idle workers elsewhere of work that was opened; called when ours is assigned."""

    def sweep(self) -> None:
        """Release the work of dead workers."""
