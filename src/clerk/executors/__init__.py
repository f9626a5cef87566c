"""How work gets done: one protocol, two executors.

``embedded``  a crew in this process, no server
``rq``        crews in RQ workers on many machines; the only module that knows RQ and Redis

Both take work from the ledger with a :class:`~clerk.executors.pool.Crew`; a queue's message is only
a hint that there is some.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from clerk.pipeline.ledger import Claimed, ClaimedItem, Limit, Outcome

from .child_process import Order, Performed, Report


class Flow(Protocol):
    """What a crew asks of the pipeline.

    Each method but ``perform``, ``invitation`` and ``still_wanted`` is one transaction.
    """

    def claim(self, queues: Collection[str], worker_id: str, limit: Limit) -> Claimed | None:
        """Take some work, or return None."""

    def order(self, claimed: Claimed) -> Order:
        """Return what a child needs to know to do it."""

    def invitation(self, queues: Collection[str]) -> Order | None:
        """Return a part of what another has in hand, for one with nothing to do.

        It is in no ledger, and whatever becomes of it is nobody's to account for.
        """

    def perform(self, order: Order, index: int, report: Report) -> Performed:
        """Do one item; runs in the child."""

    def finish(
        self,
        claimed: Claimed,
        outcomes: list[Outcome],
        *,
        ended: bool,
        going_on: Collection[str] = (),
    ) -> Claimed | None:
        """Account for items and open what follows.

        The worker may be given what must not wait, if it is of a queue in ``going_on``: saved is
        the time until somebody looks for it.
        """

    def crash(self, claimed: Claimed, blamed: ClaimedItem | None, cause: str) -> None:
        """Account for a child that died."""

    def still_held(self, claims: Collection[str]) -> set[str]:
        """Return which of the claims still hold something; work for the others is in vain."""

    def still_wanted(self, order: Order) -> bool:
        """Whether what another has in hand, and an invitation was for, is still in hand."""

    def hint(self) -> None:
        """Tell idle workers elsewhere of work that was opened; called when ours is given out."""

    def sweep(self) -> None:
        """Take work back from workers that are dead."""

    def release(self, worker_id: str) -> None:
        """Give back what a worker holds without knowing: it was stopped when it was given it."""


class Executor(Protocol):
    """How others are told that there is work."""

    def offer(self, queues: Collection[str]) -> None:
        """Hint that these queues have work; losing the hint is harmless."""
