"""What ``sites`` shows of a run: the stage, its counters and the last error.

Only transitions call this, in the transaction that changes the ledger: the counters are a
projection of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import cache
from typing import Any, cast

from sqlalchemy import (
    ColumnElement,
    Connection,
    String,
    bindparam,
    case,
    exists,
    or_,
    true,
    update,
)

from clerk.core.db import unknown_site
from clerk.core.models import db_now, runs_table, sites_table
from clerk.core.site_extra import SiteRow
from clerk.core.states import COMPLETED, FETCH, OCR, STAGES

from . import ledger
from .ledger import Job

_NO_ERROR: dict[str, None] = {
    "last_error_stage": None,
    "last_error_message": None,
    "last_error_at": None,
}


def begin(conn: Connection, subdomain: str, stage: str) -> None:
    """Show a site at the start of a run: counters at zero, no error."""
    enter(conn, subdomain, stage, started_at=db_now(), **zero_counters(STAGES), **_NO_ERROR)


def begin_again(conn: Connection, subdomain: str, stage: str) -> None:
    """Show a site at the start of a run in a later stage: counters stay, no error."""
    enter(conn, subdomain, stage, started_at=db_now(), **_NO_ERROR)


def enter(conn: Connection, subdomain: str, stage: str, **values: Any) -> None:
    """Show the site in a stage, nobody having its coordinator yet."""
    set_columns(conn, subdomain, current_stage=stage, coordinator_enqueued=False, **values)


def note_error(conn: Connection, subdomain: str, stage: str, error: str) -> None:
    """Keep the last error of a site."""
    set_columns(conn, subdomain, **error_columns(stage, error))


def show_job(conn: Connection, job: Job, error: str = "") -> None:
    """Bring the site's counters of a stage in line with the job, in the job's transaction."""
    counters = counter_columns(job.stage, job.total, job.completed, job.failed)
    noted = error_columns(job.stage, error) if error else {}
    set_columns(conn, job.subdomain, **counters, **noted)


def correct(conn: Connection, job: Job) -> None:
    """Bring the site's counters in line with a job that a person corrected: not a movement."""
    conn.execute(
        update(sites_table)
        .where(sites_table.c.subdomain == job.subdomain)
        .values(**counter_columns(job.stage, job.total, job.completed, job.failed))
    )


@dataclass(frozen=True)
class AdoptedSite:
    """The stage and counters of a site of an older system, to be written into ``sites``."""

    subdomain: str
    stage: str
    total: int = 0
    completed: int = 0
    failed: int = 0
    error: str = ""
    started_at: datetime | None = None
    updated_at: datetime | None = None


def take_over(conn: Connection, sites: Sequence[AdoptedSite]) -> int:
    """Write the stage of sites of an older system and return how many were written.

    Only those are that no run has touched and that have not gone past reading; the moments of
    their last movement stay, so that reconciliation sees how long ago it was.
    """
    by_counted: dict[str, list[AdoptedSite]] = {}
    for site in sites:
        by_counted.setdefault(OCR if site.stage == COMPLETED else site.stage, []).append(site)
    table, written = sites_table, 0
    failed = bindparam("b_error", type_=String) != ""
    for counted, alike in by_counted.items():
        statement = (
            update(table)
            .where(table.c.subdomain == bindparam("b_subdomain"))
            .where(or_(table.c.current_stage.is_(None), table.c.current_stage == OCR))
            .where(~exists().where(runs_table.c.subdomain == table.c.subdomain))
            .values(
                {
                    "current_stage": bindparam("b_stage"),
                    "started_at": bindparam("b_started_at"),
                    "updated_at": bindparam("b_updated_at"),
                    f"{counted}_total": bindparam("b_total"),
                    f"{counted}_completed": bindparam("b_completed"),
                    f"{counted}_failed": bindparam("b_failed"),
                    "coordinator_enqueued": False,
                    "last_error_stage": case((failed, FETCH), else_=table.c.last_error_stage),
                    "last_error_message": case(
                        (failed, bindparam("b_error")), else_=table.c.last_error_message
                    ),
                    "last_error_at": case((failed, db_now()), else_=table.c.last_error_at),
                }
            )
        )
        rows = [{f"b_{name}": value for name, value in asdict(site).items()} for site in alike]
        written += conn.execute(statement, rows).rowcount
    return written


def counters_of(site: SiteRow, stage: str) -> tuple[int, int, int]:
    """Return the total of a stage, and how many documents were completed and failed."""
    counters = cast(Mapping[str, int], site)
    total, completed, failed = (f"{stage}_{name}" for name in ("total", "completed", "failed"))
    return counters[total], counters[completed], counters[failed]


def counter_columns(stage: str, total: int, completed: int, failed: int) -> dict[str, int]:
    """Return the values of the columns that count a stage."""
    return {
        f"{stage}_total": total,
        f"{stage}_completed": completed,
        f"{stage}_failed": failed,
    }


def zero_counters(stages: Iterable[str]) -> dict[str, int]:
    """Return zero for every column that counts one of these stages."""
    return {name: 0 for stage in stages for name in counter_columns(stage, 0, 0, 0)}


def error_columns(stage: str, error: str) -> dict[str, object]:
    """Return the values of the columns of the last error."""
    return {
        "last_error_stage": stage,
        "last_error_message": error[: ledger.ERROR_LENGTH],
        "last_error_at": db_now(),
    }


def set_columns(conn: Connection, subdomain: str, **values: Any) -> None:
    """Change a site, or refuse an unknown one by name."""
    if not set_columns_if(conn, subdomain, _ALWAYS, **values):
        raise unknown_site(subdomain)


_ALWAYS = true()


def set_columns_if(
    conn: Connection, subdomain: str, where: ColumnElement[bool], **values: Any
) -> bool:
    """Change a site for which something holds, and say whether it did."""
    moments = tuple(name for name, value in values.items() if isinstance(value, db_now))
    plain = {name: value for name, value in values.items() if name not in moments}
    return conn.execute(_changing(where, moments), plain | {"site": subdomain}).rowcount == 1


@cache
def _changing(where: ColumnElement[bool], moments: tuple[str, ...]) -> Any:
    """Return the statement that sets these columns to the database's clock, others as given."""
    return (
        update(sites_table)
        .where(sites_table.c.subdomain == bindparam("site"), where)
        .values(**dict.fromkeys((*moments, "updated_at"), db_now()))
    )
