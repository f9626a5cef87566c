"""RQ on Redis: the only module that knows either.

A message is a hint that a queue has work, never the work itself.  A worker that is awake drains the
ledger without asking Redis, and one that is idle looks into the ledger every other second anyway;
so a lost, doubled or late message is harmless, and so is Redis flushed or gone for a while.
Jobs that an operator's script enqueued by name are run as RQ runs them.
"""

from __future__ import annotations

import contextlib
import logging
import os
import time
import uuid
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from clerk.core import config
from clerk.core.config import Settings
from clerk.core.errors import MissingTool, QueueUnavailable

from .pool import Pool, Signals
from .work import Flow

try:
    from redis import Redis
    from redis.exceptions import RedisError
    from rq import Queue, SimpleWorker, Worker
    from rq.exceptions import DequeueTimeout
    from rq.job import Job
except ModuleNotFoundError as error:
    raise MissingTool.packages_of("server", "Redis (REDIS_URL)") from error

log = logging.getLogger(__name__)

HIGH = "high"
#: What a hint names; any RQ worker can run it.
ENTRY_POINT = "clerk.workers.drain_job"
#: At most this many hints wait in a queue.
WINDOW = 8
#: Lifetime of a hint that was taken by a worker that died, in seconds.
HINT_SECONDS = 3600
#: Seconds an idle worker waits for a hint before it looks into the ledger by itself.
IDLE_SECONDS = 1
#: Jobs of an older system deleted in one transaction.
CLEARED_AT_ONCE = 200
#: Seconds a busy worker waits for its child; an idle one waits for a hint, and not here.
BUSY_SECONDS = 0.2
#: How often RQ's own view of a worker is refreshed.
RQ_BEAT_SECONDS = 30.0
#: Timeout of a call to Redis; a worker must not miss its beat for it.
SILENCE_SECONDS = 5

_connections: dict[tuple[int, str], Redis] = {}


def connect(url: str) -> Redis:
    """Return this process's connection to Redis."""
    key = (os.getpid(), url)
    if key not in _connections:
        try:
            _connections[key] = Redis.from_url(
                url,
                socket_connect_timeout=SILENCE_SECONDS,
                socket_timeout=SILENCE_SECONDS,
                health_check_interval=30,
            )
        except (ValueError, TypeError) as error:
            raise QueueUnavailable(
                f"REDIS_URL cannot be used: {config.redact(url)}.",
                hint="It looks like redis://user:password@host:6379/0.",
            ) from error
    return _connections[key]


def queue(url: str, name: str) -> Queue:
    """Return a queue by name."""
    return Queue(name, connection=connect(url))


def check(settings: Settings) -> None:
    """Refuse a Redis that does not answer, naming it without its password."""
    with _explained(settings):
        connect(settings.redis_url).ping()


@contextlib.contextmanager
def _explained(settings: Settings) -> Iterator[None]:
    """Return an error that names the Redis server, the setting, and what to do."""
    try:
        yield
    except RedisError as error:
        url = config.redact(settings.redis_url)
        raise QueueUnavailable(
            f"Redis at {url} does not answer: {str(error).rstrip('.')}.",
            hint=f"Start it, or correct REDIS_URL (from {settings.origin('redis_url')}).",
        ) from error


def offer(url: str, queues: Collection[str]) -> None:
    """Hint to idle workers that there is work in these queues."""
    if not queues:
        return
    try:
        most = min(WINDOW, max(1, Worker.count(connection=connect(url))))
        for name in queues:
            target = queue(url, name)
            for _ in range(target.count, most):
                target.enqueue_call(
                    ENTRY_POINT,
                    args=(target.name,),
                    job_id=f"{target.name}-hint-{uuid.uuid4().hex}",
                    timeout=-1,
                    ttl=HINT_SECONDS,
                    result_ttl=0,
                    failure_ttl=60,
                )
    except RedisError as error:
        log.warning("Could not notify Redis (%s); workers look for work by themselves", error)


# ------------------------------------------------------------------- what an older system left


def clear_deferred(url: str, name: str) -> tuple[int, int]:
    """Cancel and delete the waiting jobs of a queue; return how many, and entries without a job."""
    target = queue(url, name)
    return _clear(target, target.deferred_job_registry)


def clear_failed(url: str, name: str) -> tuple[int, int]:
    """Delete the failed jobs of a queue; return how many, and entries without a job."""
    target = queue(url, name)
    return _clear(target, target.failed_job_registry)


@dataclass(frozen=True)
class WaitingJob:
    """A job that an older system enqueued: its function, and what it is called with."""

    id: str
    queue: str
    function: str
    arguments: tuple[Any, ...] = ()
    named: Mapping[str, object] = field(default_factory=dict)


def waiting_jobs(settings: Settings, name: str) -> list[WaitingJob]:
    """Return the jobs that wait in a queue, for their turn, a time or another job; no hints."""
    target = queue(settings.redis_url, name)
    found = []
    with _explained(settings):
        ids = [
            *target.get_job_ids(),
            *target.deferred_job_registry.get_job_ids(cleanup=False),
            *target.scheduled_job_registry.get_job_ids(cleanup=False),
        ]
        for job in Job.fetch_many(ids, connection=target.connection):
            if job is None:
                continue
            try:
                if job.func_name != ENTRY_POINT:
                    arguments, named = tuple(job.args), dict(job.kwargs)
                    function = job.func_name or ""
                    found.append(WaitingJob(job.id, name, function, arguments, named))
            except Exception:  # noqa: BLE001 - what another program pickled may raise anything
                found.append(WaitingJob(job.id, name, "(unreadable)"))
    return found


def delete_jobs(settings: Settings, jobs: Iterable[WaitingJob]) -> int:
    """Delete jobs, wherever they wait, and return how many there were."""
    deleted = 0
    with _explained(settings):
        for each in jobs:
            target = queue(settings.redis_url, each.queue)
            job = Job(each.id, target.connection)
            with target.connection.pipeline() as pipe:
                pipe.delete(Job.key_for(each.id))
                pipe.delete(*_other_keys(job))
                pipe.lrem(target.key, 0, each.id)
                for registry in (target.deferred_job_registry, target.scheduled_job_registry):
                    pipe.zrem(registry.key, each.id)
                deleted += pipe.execute()[0]
    return deleted


def _clear(target: Queue, registry: Any) -> tuple[int, int]:
    """Delete every job a registry names, and the entries of those that are gone.

    A job and its entry go in one transaction: whoever is killed here leaves whole jobs to the next.
    """
    deleted = stale = 0
    ids = registry.get_job_ids(cleanup=False)
    for start in range(0, len(ids), CLEARED_AT_ONCE):
        chunk = ids[start : start + CLEARED_AT_ONCE]
        with target.connection.pipeline() as pipe:
            for job_id in chunk:
                pipe.delete(Job.key_for(job_id))
            for job_id in chunk:
                pipe.delete(*_other_keys(Job(job_id, target.connection)))
            pipe.zrem(registry.key, *chunk)
            found = sum(pipe.execute()[: len(chunk)])
        deleted += found
        stale += len(chunk) - found
    return deleted, stale


def _other_keys(job: Any) -> list[str]:
    """Return the keys that RQ keeps about a job besides the job itself."""
    return [
        job.dependents_key,
        job.dependencies_key,
        f"rq:results:{job.id}",
        job.execution_registry.key,
    ]


def empty(url: str, name: str) -> int:
    """Delete the messages that wait in a queue and return how many there were."""
    target: Any = queue(url, name)
    return int(target.empty())


def messages(settings: Settings, name: str) -> dict[str, int]:
    """Count what Redis holds of a queue: waiting, started, deferred and failed messages."""
    target = queue(settings.redis_url, name)
    with _explained(settings):
        return {
            "waiting": target.count,
            "started": target.started_job_registry.get_job_count(cleanup=False),
            "deferred": target.deferred_job_registry.get_job_count(cleanup=False),
            "failed": target.failed_job_registry.get_job_count(cleanup=False),
        }


# -------------------------------------------------------------------------------- working


class HintedWorker:
    """An RQ worker, known to RQ's own tools, that works from the ledger."""

    def __init__(self, pool: Pool, queues: Collection[str], url: str) -> None:
        self._pool = pool
        self._connection = connect(url)
        self._queues = [queue(url, name) for name in (HIGH, *queues)]
        self._worker = self._as_rq_knows_it()
        self._beat_at = 0.0

    def _as_rq_knows_it(self) -> Any:
        return SimpleWorker(self._queues, name=self._pool.id, connection=self._connection)

    def run(self, *, burst: bool) -> None:
        """Work until stopped, or with ``burst`` until nothing is left."""
        pool = self._pool
        self._worker.register_birth()
        try:
            while True:
                # From batch to batch; Redis is asked only once the ledger has nothing more.
                while pool.turn(BUSY_SECONDS if pool.busy else 0.0) or pool.should_look:
                    self._beat()
                if pool.stopping:
                    return
                heard = self._take_message(wait=not burst)
                if burst and not heard and pool.nothing_to_claim():
                    return
        finally:
            with contextlib.suppress(RedisError):
                self._worker.register_death()

    def _take_message(self, *, wait: bool) -> bool:
        """Take one message, waiting a little if asked; say whether there was one."""
        self._beat()
        try:
            taken = Queue.dequeue_any(
                self._queues, IDLE_SECONDS if wait else None, connection=self._connection
            )
        except DequeueTimeout:
            return False
        except RedisError as error:
            log.warning("Redis does not answer (%s); working from the ledger", error)
            time.sleep(IDLE_SECONDS)
            return False
        except Exception as error:  # noqa: BLE001 - no message, however odd, may end a worker
            log.warning("Skipping an unreadable message: %s", error)
            return True
        if taken is None:
            return False
        job, origin = taken
        try:
            if job.func_name == ENTRY_POINT:
                # A hint is forgotten once it was heard.
                job.delete(remove_from_queue=False)
            else:
                self._worker.execute_job(job, origin)
        except Exception as error:  # noqa: BLE001 - no message, however odd, may end a worker
            log.warning("Skipping the message %s: %s", job.id, error)
        self._pool.look_now()
        return True

    def _beat(self) -> None:
        if time.monotonic() < self._beat_at:
            return
        self._beat_at = time.monotonic() + RQ_BEAT_SECONDS
        with contextlib.suppress(RedisError):
            if self._worker.name != self._pool.id:
                self._worker.register_death()
                self._worker = self._as_rq_knows_it()
                self._worker.register_birth()
            self._worker.heartbeat()


def work(flow: Flow, queues: Collection[str], settings: Settings, *, burst: bool) -> None:
    """Be one worker until stopped; one signal finishes what is running, two stop now."""
    check(settings)
    # Signals first: one that comes while the worker registers must not leave it registered.
    with Signals(Pool(flow, queues, settings)) as signals, signals.pool as pool:
        HintedWorker(pool, queues, settings.redis_url).run(burst=burst)
