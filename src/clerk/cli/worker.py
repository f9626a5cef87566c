"""``clerk worker``: process jobs of one type until stopped."""

from __future__ import annotations

import sys

import click

from clerk.core.states import QUEUES

from .common import hint, numbered, on_a_terminal, open_database, set_up_log
from .verbosity import verbosity_options


@click.command()
@click.argument("type", type=click.Choice([*QUEUES, "all"]), metavar="TYPE")
@click.option(
    "-n",
    "--number",
    type=click.IntRange(1, 256),
    default=1,
    show_default=True,
    help="Number of worker processes.",
)
@click.option("--burst", is_flag=True, help="Exit when no work is left.")
@verbosity_options
def worker(type: str, number: int, burst: bool) -> None:
    """Process jobs until stopped.

    TYPE is fetch, ocr, compilation, extraction, deploy, annotations or all.
    Needs REDIS_URL, or a PostgreSQL database.  The first signal lets the
    current work finish, the second stops immediately.

    A worker refuses to start with the files of another installation.  It waits
    while the bucket does not answer.

    \b
    Examples:
      clerk worker ocr -n 4
      clerk worker all --burst
    """
    settings = open_database()
    from clerk.core import db
    from clerk.core.errors import ClerkError, StoreUnavailable
    from clerk.executors.worker_processes import WorkerPool
    from clerk.ops import store_check
    from clerk.pipeline import queues
    from clerk.pipeline.flow import Pipeline

    from . import show_error

    set_up_log(settings)
    queues.require_workers(settings)
    if settings.storage_url:
        try:
            store_check.check_store(settings)
        except StoreUnavailable as error:
            hint(f"{error} {error.hint}".strip())
    db.get_civic_db().dispose()
    served = QUEUES if type == "all" else (type,)
    if on_a_terminal():
        hint(f"{numbered(number, 'worker')} for {', '.join(served)}. Stop with Ctrl-C.")

    def work() -> None:
        """Work until stopped, and end the process."""
        try:
            if settings.redis_url:
                from clerk.executors import rq

                rq.work(Pipeline(settings), served, settings, burst=burst)
            else:
                from clerk.executors import postgresql

                postgresql.work(Pipeline(settings), served, settings, burst=burst)
        except KeyboardInterrupt:
            sys.exit(130)
        except ClerkError as error:
            show_error(error)
            sys.exit(error.exit_code)
        sys.exit(0)

    if number == 1:
        work()
    sys.exit(WorkerPool(work, number, burst=burst).run())
