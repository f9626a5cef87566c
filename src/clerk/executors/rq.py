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
import signal
import time
import uuid
from collections.abc import Callable, Collection, Iterator
from typing import Any

from redis import Redis
from redis.exceptions import RedisError
from rq import Queue, SimpleWorker, Worker
from rq.exceptions import DequeueTimeout
from rq.job import Job

from clerk.core import config, db
from clerk.core.config import Settings
from clerk.core.errors import QueueUnavailable
from clerk.pipeline import ledger

from . import Flow
from .pool import Crew, Signals

log = logging.getLogger(__name__)

HIGH = "high"
#: What a hint names; any RQ worker can run it.
ENTRY_POINT = "clerk.workers.drain_job"
#: At most so many hints wait in a queue.
WINDOW = 8
#: A hint that somebody took and did not live to forget is forgotten after so many seconds.
HINT_SECONDS = 3600
#: Seconds an idle worker waits for a hint before it looks into the ledger by itself.
IDLE_SECONDS = 1
#: So many jobs of an older system are deleted in one transaction.
CLEARED_AT_ONCE = 200
#: Seconds a busy worker waits for its child; an idle one waits for a hint, and not here.
BUSY_SECONDS = 0.2
#: RQ's own view of a worker is refreshed so often.
RQ_BEAT_SECONDS = 30.0
#: A Redis that is silent for so long is taken for gone; a worker must not miss its beat for it.
SILENCE_SECONDS = 5
#: A worker that worked for so long before its set-up failed is replaced: it may come back.
SETTLED_SECONDS = 10.0

_connections: dict[tuple[int, str], Redis] = {}


def connect(url: str) -> Redis:
    """Return this process's connection to Redis."""
    key = (os.getpid(), url)
    if key not in _connections:
        _connections[key] = _connected(url)
    return _connections[key]


def _connected(url: str) -> Redis:
    try:
        return Redis.from_url(
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


def queue(url: str, name: str) -> Queue:
    """Return a queue by name."""
    return Queue(name, connection=connect(url))


def check(url: str) -> None:
    """Refuse a Redis that does not answer, naming it without its password."""
    with _explained(url):
        connect(url).ping()


@contextlib.contextmanager
def _explained(url: str) -> Iterator[None]:
    """Say which Redis does not answer, where it was named, and what to do."""
    try:
        yield
    except RedisError as error:
        settings = config.load()
        raise QueueUnavailable(
            f"Redis at {config.redact(url)} does not answer: {str(error).rstrip('.')}.",
            hint=f"Start it, or correct REDIS_URL (set by {settings.origin('redis_url')}).",
        ) from error


def offer(url: str, queues: Collection[str]) -> None:
    """Hint to idle workers that there is work in those of the queues that have some."""
    with db.reading_connection() as conn:
        waiting = ledger.queues_with_work(conn, queues)
    if not waiting:
        return
    try:
        most = min(WINDOW, max(1, Worker.count(connection=connect(url))))
        for name in waiting:
            _top_up(queue(url, name), most)
    except RedisError as error:
        log.warning("Redis did not take a hint (%s); workers will look by themselves", error)


def _top_up(target: Queue, most: int) -> None:
    """Have so many hints wait: one for every worker that could heed it."""
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


# ------------------------------------------------------------------- what an older system left


def count_deferred(url: str, name: str) -> int:
    """Count the jobs of a queue that wait for other jobs; clerk itself makes none."""
    return messages(url, name)["deferred"]


def count_failed(url: str, name: str) -> int:
    """Count the failed jobs of a queue."""
    return messages(url, name)["failed"]


def clear_deferred(url: str, name: str) -> tuple[int, int]:
    """Cancel and delete the waiting jobs of a queue; return how many, and entries without a job."""
    target = queue(url, name)
    return _clear(target, target.deferred_job_registry)


def clear_failed(url: str, name: str) -> tuple[int, int]:
    """Delete the failed jobs of a queue; return how many, and entries without a job."""
    target = queue(url, name)
    return _clear(target, target.failed_job_registry)


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
                pipe.delete(*_keys_beside(Job(job_id, target.connection)))
            pipe.zrem(registry.key, *chunk)
            found = sum(pipe.execute()[: len(chunk)])
        deleted += found
        stale += len(chunk) - found
    return deleted, stale


def _keys_beside(job: Any) -> list[str]:
    """Name what RQ keeps about a job beside the job itself."""
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


def messages(url: str, name: str) -> dict[str, int]:
    """Count what Redis holds of a queue: waiting, started, deferred and failed messages."""
    target = queue(url, name)
    with _explained(url):
        return {
            "waiting": target.count,
            "started": target.started_job_registry.get_job_count(cleanup=False),
            "deferred": target.deferred_job_registry.get_job_count(cleanup=False),
            "failed": target.failed_job_registry.get_job_count(cleanup=False),
        }


# -------------------------------------------------------------------------------- working


class HintedWorker:
    """An RQ worker, known to RQ's own tools, that works from the ledger."""

    def __init__(self, crew: Crew, queues: Collection[str], url: str) -> None:
        self._crew = crew
        self._connection = connect(url)
        self._queues = [queue(url, name) for name in (HIGH, *queues)]
        self._worker = self._as_rq_knows_it()
        self._beat_at = 0.0

    def _as_rq_knows_it(self) -> Any:
        return SimpleWorker(self._queues, name=self._crew.id, connection=self._connection)

    def run(self, *, burst: bool) -> None:
        """Work until stopped, or with ``burst`` until nothing is left."""
        with self._known_to_rq():
            while True:
                self._work_while_there_is_any()
                if self._crew.stopping:
                    return
                heard = self._take_message(wait=not burst)
                if burst and not heard and self._crew.nothing_to_claim():
                    return

    def _work_while_there_is_any(self) -> None:
        """Go from batch to batch; Redis is asked only once the ledger has nothing more."""
        crew = self._crew
        while crew.turn(BUSY_SECONDS if crew.busy else 0.0) or crew.should_look:
            self._beat()

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
            log.warning("A message that cannot be read is passed over: %s", error)
            return True
        if taken is None:
            return False
        job, origin = taken
        self._heed(job, origin)
        self._crew.look_now()
        return True

    def _heed(self, job: Job, origin: Queue) -> None:
        """Forget a hint, now that it was heard; run anything else."""
        try:
            if job.func_name == ENTRY_POINT:
                job.delete(remove_from_queue=False)
            else:
                self._worker.execute_job(job, origin)
        except Exception as error:  # noqa: BLE001 - no message, however odd, may end a worker
            log.warning("The message %s is passed over: %s", job.id, error)

    def _beat(self) -> None:
        if time.monotonic() < self._beat_at:
            return
        self._beat_at = time.monotonic() + RQ_BEAT_SECONDS
        with contextlib.suppress(RedisError):
            if self._worker.name != self._crew.id:
                self._take_its_new_name()
            self._worker.heartbeat()

    def _take_its_new_name(self) -> None:
        self._worker.register_death()
        self._worker = self._as_rq_knows_it()
        self._worker.register_birth()

    @contextlib.contextmanager
    def _known_to_rq(self) -> Iterator[None]:
        self._worker.register_birth()
        try:
            yield
        finally:
            with contextlib.suppress(RedisError):
                self._worker.register_death()


def work(flow: Flow, queues: Collection[str], settings: Settings, *, burst: bool) -> None:
    """Be one worker until stopped; one signal finishes what is in hand, two stop now."""
    check(settings.redis_url)
    with Crew(flow, queues, settings) as crew, Signals(crew):
        HintedWorker(crew, queues, settings.redis_url).run(burst=burst)


_STOPS = (signal.SIGINT, signal.SIGTERM)


class WorkerPool:
    """Some workers of one kind, each in a process of its own; one that dies is replaced."""

    def __init__(self, start: Callable[[], None], number: int, *, burst: bool) -> None:
        self._start = start
        self._number = number
        self._burst = burst
        #: When each was started, by process id.
        self._started: dict[int, float] = {}
        self._stopping = False

    def run(self) -> int:
        """Run them until they end and return the worst exit status of a burst."""
        for number in _STOPS:
            signal.signal(number, self._pass_on)
        for _ in range(self._number):
            self._spawn()
        worst = 0
        while self._started:
            pid, status = os.wait()
            lived = time.monotonic() - self._started.pop(pid)
            code = os.waitstatus_to_exitcode(status)
            if self._is_to_be_replaced(code, lived):
                log.error("A worker ended with %s; starting another", code)
                time.sleep(1.0)
                if not self._stopping:
                    self._spawn()
            else:
                worst = max(worst, code if code >= 0 else 1)
        return worst

    def _is_to_be_replaced(self, code: int, lived: float) -> bool:
        """Whether a worker ended that should not have: 3 at the start is a set-up to be mended."""
        if self._burst or self._stopping:
            return False
        return code not in (0, 3) or (code == 3 and lived > SETTLED_SECONDS)

    def _spawn(self) -> None:
        """Start a worker out of reach of the terminal's signals: it hears of them from here, once.

        They are held back meanwhile, so that none meets a process that is neither pool nor worker.
        Nothing is started once one has come.
        """
        signal.pthread_sigmask(signal.SIG_BLOCK, _STOPS)
        pid = -1 if self._stopping else os.fork()
        if pid > 0:
            self._started[pid] = time.monotonic()
        if pid == 0:
            os.setpgid(0, 0)
            for number in _STOPS:
                signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOPS)
        if pid == 0:
            os._exit(_exit_code(self._start))

    def _pass_on(self, number: int, _frame: object) -> None:
        self._stopping = True
        for pid in self._started:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)


def _exit_code(start: Callable[[], None]) -> int:
    """Run a worker in its own process and return what it ends with."""
    try:
        start()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        log.exception("A worker ended unexpectedly")
        return 1
    return 0
