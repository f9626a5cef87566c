"""``clerk worker``: work on one kind of job until stopped."""

from __future__ import annotations

import sys

import click

from clerk.core.states import QUEUES

from .common import open_database


@click.command()
@click.argument("type", type=click.Choice([*QUEUES, "all"]), metavar="TYPE")
@click.option(
    "-n",
    "--number",
    type=click.IntRange(1, 256),
    default=1,
    show_default=True,
    help="How many workers, each in a process of its own.",
)
@click.option("--burst", is_flag=True, help="End when nothing is left to do.")
def worker(type: str, number: int, burst: bool) -> None:
    """Work on jobs of TYPE: fetch, ocr, compilation, extraction, deploy,
    annotations or all.

    Needs REDIS_URL.  One signal finishes what is in hand, two stop at once.

    \b
    Examples:
      clerk worker ocr -n 4
      clerk worker all --burst
    """
    settings = open_database()
    from clerk.core import db, log
    from clerk.pipeline import queue

    log.set_up(settings.log_format, sentry_dsn=settings.sentry_dsn, loki_url=settings.loki_url)
    queue.check()
    db.get_civic_db().dispose()
    from clerk.executors import rq

    queues = QUEUES if type == "all" else (type,)

    def start() -> None:
        _be_one(queues, burst=burst)

    if number == 1:
        start()
    sys.exit(rq.WorkerPool(start, number, burst=burst).run())


def _be_one(queues: tuple[str, ...], *, burst: bool) -> None:
    """Be one worker, and end the process."""
    from clerk.core import config
    from clerk.core.errors import ClerkError
    from clerk.executors import rq
    from clerk.pipeline.workers import Pipeline

    from . import show_error

    try:
        rq.work(Pipeline(), queues, config.load(), burst=burst)
    except KeyboardInterrupt:
        sys.exit(130)
    except ClerkError as error:
        show_error(error)
        sys.exit(error.exit_code)
    sys.exit(0)
