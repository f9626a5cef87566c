"""Which workers are alive, and what they hold: locks, leases, claims of the dead.

On one host a worker's death is seen at once, because the lock it held is free; from afar it is seen
when its lease ends.  A worker that beats is never declared dead, however long its work takes.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from pathlib import Path

from sqlalchemy import Connection, Subquery, exists, func, insert, or_, select, union, update

from clerk import __version__
from clerk.core.models import batches_table, db_now, items_table, workers_table
from clerk.core.states import Batch, Item
from clerk.executors.work import Claim
from clerk.executors.worker_lock import is_free, this_host

from .claiming import load_claim
from .sql import sql_word


def register_worker(
    conn: Connection,
    worker_id: str,
    *,
    lease_seconds: float,
    queues: str,
    lock_path: str | None = None,
) -> None:
    """Make this process known as a worker before it claims anything.

    An unknown owner is a dead owner.
    """
    conn.execute(
        insert(workers_table).values(
            id=worker_id,
            lease_until=db_now(lease_seconds),
            queues=queues,
            lock_path=lock_path,
            host=this_host(),
            pid=os.getpid(),
            version=__version__,
        )
    )


def forget_worker(conn: Connection, worker_id: str, dead: Collection[str] = ()) -> None:
    """Remove a worker that ended normally.

    Nobody misses a worker that died before on the same queues: the last one of them did not die.
    ``dead``: workers that are known to be, though their leases have not ended.
    """
    workers = workers_table
    mine = workers.delete().where(workers.c.id == worker_id).returning(workers.c.queues)
    served = conn.execute(mine).scalar()
    is_dead = or_(workers.c.lease_until < db_now(), workers.c.id.in_(dead))
    conn.execute(update(workers).where(workers.c.queues == served, is_dead).values(queues=""))


def dead_on_this_host(conn: Connection) -> list[str]:
    """Return the workers of this host whose lock nobody holds any more."""
    workers = workers_table
    chosen = select(workers.c.id, workers.c.lock_path).where(workers.c.host == this_host())
    found = conn.execute(chosen)
    return [row.id for row in found if row.lock_path and is_free(Path(row.lock_path))]


def forget_dead_workers(conn: Connection) -> None:
    """Remove workers that sent no heartbeat for a day and hold nothing, and their locks here."""
    holds = or_(
        exists().where(
            batches_table.c.worker_id == workers_table.c.id,
            batches_table.c.status == sql_word(Batch.RUNNING),
        ),
        exists().where(
            items_table.c.worker_id == workers_table.c.id,
            items_table.c.state == sql_word(Item.RUNNING),
        ),
    )
    struck = conn.execute(
        workers_table.delete()
        .where(workers_table.c.lease_until < db_now(-86_400.0), ~holds)
        .returning(workers_table.c.host, workers_table.c.lock_path)
    )
    for row in struck:
        if row.lock_path and row.host == this_host():
            Path(row.lock_path).unlink(missing_ok=True)


def beat(
    conn: Connection,
    worker_id: str,
    lease_seconds: float,
    running: Mapping[str, str],
    pages: Mapping[str, int] | None = None,
) -> bool:
    """Renew a worker's lease and note the running document per claim; False: it was given up.

    Of a document that has reported its page, the page is noted, too.
    """
    for token, page in sorted((pages or {}).items()):
        conn.execute(
            update(items_table)
            .where(
                items_table.c.claim == token,
                items_table.c.state == sql_word(Item.RUNNING),
                items_table.c.document == running.get(token),
                func.coalesce(items_table.c.pages, 0) != page,
            )
            .values(pages=page)
        )
    for token, document in sorted(running.items()):
        conn.execute(
            update(batches_table)
            .where(
                batches_table.c.claim == token,
                batches_table.c.status == sql_word(Batch.RUNNING),
                batches_table.c.current_item != document,
            )
            .values(current_item=document, updated_at=db_now())
        )
    changed = conn.execute(
        update(workers_table)
        .where(workers_table.c.id == worker_id)
        .values(beat_at=db_now(), lease_until=db_now(lease_seconds))
    )
    return changed.rowcount == 1


def still_held(conn: Connection, tokens: Collection[str]) -> set[str]:
    """Return which of the claims still hold something: a batch or an item.

    The others were cancelled, or others hold their work: what is done for them is useless.
    """
    held = _held_tokens()
    return set(conn.execute(select(held.c.claim).where(held.c.claim.in_(list(tokens)))).scalars())


def _held_tokens() -> Subquery:
    """The claims that hold something, and their workers.

    A batch whose items are all settled is held until it ends; splitting a file has no batch.
    """
    batches, items = batches_table, items_table
    return union(
        select(batches.c.claim, batches.c.worker_id).where(
            batches.c.status == sql_word(Batch.RUNNING), batches.c.claim.is_not(None)
        ),
        select(items.c.claim, items.c.worker_id).where(items.c.state == sql_word(Item.RUNNING)),
    ).subquery("held")


def batches_of_the_dead(
    conn: Connection,
    silence_seconds: float,
    known_dead: Collection[str] = (),
    most: int | None = None,
) -> list[Claim]:
    """Return the claims of workers that are silent, unknown or known to be dead."""
    tokens = _tokens_of_the_dead(conn, silence_seconds, known_dead)[:most]
    claims = (load_claim(conn, token) for token in tokens)
    return [claim for claim in claims if claim]


def claims_of(conn: Connection, worker_id: str) -> list[Claim]:
    """Return what a worker holds."""
    held = _held_tokens()
    tokens = conn.execute(
        select(held.c.claim).where(held.c.worker_id == worker_id).distinct()
    ).scalars()
    claims = [load_claim(conn, token) for token in tokens.all()]
    return [claim for claim in claims if claim]


def is_of_the_dead(
    conn: Connection, claim: Claim, silence_seconds: float, known_dead: Collection[str] = ()
) -> bool:
    """Whether a claim is still held by a worker that is dead."""
    return bool(_tokens_of_the_dead(conn, silence_seconds, known_dead, claim.token))


def _tokens_of_the_dead(
    conn: Connection, silence_seconds: float, known_dead: Collection[str], only: str | None = None
) -> list[str]:
    held, workers = _held_tokens(), workers_table
    dead = or_(
        workers.c.id.is_(None),
        workers.c.lease_until < db_now(),
        workers.c.beat_at < db_now(-silence_seconds),
        held.c.worker_id.in_(list(known_dead)),
    )
    chosen = (
        select(held.c.claim)
        .join(workers, workers.c.id == held.c.worker_id, isouter=True)
        .where(dead)
        .distinct()
    )
    if only is not None:
        chosen = chosen.where(held.c.claim == only)
    return sorted(conn.execute(chosen).scalars())
