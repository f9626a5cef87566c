"""Start and cancel runs on behalf of a person, of one site or of many, with an audit entry.

For many sites :func:`plan` decides and changes nothing; what it returns is the list that
:func:`carry_out` works through.  A site whose run has changed meanwhile is left alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from clerk.core.config import Settings
from clerk.core.db import civic_db_connection, lock_site, reading_connection, require_site
from clerk.core.errors import InvalidInput
from clerk.core.states import QUEUES
from clerk.pipeline import ledger, queues, redo, schedule, transitions
from clerk.pipeline.schedule import ScheduleRule


def start(settings: Settings, subdomain: str, who: str) -> str:
    """Queue a run of a site, unless one is active; return the id of the active run."""
    with civic_db_connection() as conn:
        lock_site(conn, subdomain)
        require_site(conn, subdomain)
        active = transitions.active_run(conn, subdomain)
        run_id = active.run_id if active else transitions.start_run(conn, subdomain)
        if active is None:
            ledger.audit(conn, who, "run started", subdomain, run_id)
    queues.offer(settings, QUEUES)
    return str(run_id)


def cancel(subdomain: str, who: str, run_id: str = "") -> None:
    """Cancel the active run of a site, if there is one; of a run that is named, only that one."""
    with civic_db_connection() as conn:
        lock_site(conn, subdomain)
        require_site(conn, subdomain)
        active = transitions.active_run(conn, subdomain)
        if run_id and (active is None or active.run_id != run_id):
            return
        if transitions.cancel_run(conn, subdomain, f"Cancelled by {who}"):
            ledger.audit(conn, who, "run cancelled", subdomain)


def is_active(subdomain: str) -> bool:
    """Whether a run of the site is active."""
    with reading_connection() as conn:
        return transitions.active_run(conn, subdomain) is not None


# ----------------------------------------------------------------------------------- many sites

#: What can be done with many sites, in words.
ACTIONS = {
    "run": "Run now",
    "cancel": "Cancel the active run",
    "pause": "Pause the schedule",
    "resume": "Resume the schedule",
    "schedule": "Set the schedule",
    "redo": "Do a stage again",
}

#: Those that are about a site's run: one that began or ended meanwhile is another one.
_OF_RUNS = ("run", "cancel", "redo")


@dataclass(frozen=True)
class PlannedSite:
    """What would be done with a site."""

    subdomain: str
    #: Its active run when the list was made; empty if there was none.
    run_id: str = ""
    #: Why nothing would be done; empty if something would.
    left_out: str = ""
    #: How many documents would be read again.
    documents: int = 0


@dataclass
class Done:
    """What was done with many sites."""

    sites: list[str] = field(default_factory=list)
    #: Site -> why nothing was done.
    left_out: dict[str, str] = field(default_factory=dict)


def plan(
    settings: Settings, action: str, names: Iterable[str], *, stage: str = ""
) -> list[PlannedSite]:
    """Return what an action would do with each of some sites; changes nothing."""
    if action not in ACTIONS:
        raise InvalidInput(f"There is no action {action!r}: {', '.join(ACTIONS)}.")
    chosen = tuple(dict.fromkeys(names))
    with reading_connection() as conn:
        scheduled = {each.subdomain: each for each in schedule.list_schedules(conn, settings)}
        active = transitions.active_run_ids(conn)
    again: dict[str, redo.Repetition] = {}
    if action == "redo" and chosen:
        found = redo.plan(settings, redo.Selection(stage, chosen))
        again = {each.subdomain: each for each in found}
    planned = []
    for name in chosen:
        if name not in scheduled:
            planned.append(PlannedSite(name, left_out="there is no such site"))
            continue
        run_id, paused = active.get(name, ""), scheduled[name].paused_at is not None
        reason = {
            "run": "a run of it is under way" if run_id else "",
            "cancel": "" if run_id else "no run of it is under way",
            "pause": "it is paused already" if paused else "",
            "resume": "" if paused else "it is not paused",
            "redo": again[name].left_out if name in again else "it has nothing to repeat",
        }.get(action, "")
        documents = len(again[name].documents) if name in again else 0
        planned.append(PlannedSite(name, run_id, reason, documents))
    return planned


def carry_out(
    settings: Settings,
    action: str,
    listed: Sequence[PlannedSite],
    *,
    who: str,
    stage: str = "",
    rule: ScheduleRule | None = None,
) -> Done:
    """Do it with every site of a list that is as it was when the list was made."""
    done = Done()
    before = {each.subdomain: each for each in listed}
    for each in plan(settings, action, before, stage=stage):
        name = each.subdomain
        moved = action in _OF_RUNS and each.run_id != before[name].run_id
        if each.left_out or moved:
            done.left_out[name] = each.left_out or "it changed after the list was made"
            continue
        match action:
            case "run":
                start(settings, name, who)
            case "cancel":
                cancel(name, who, each.run_id)
            case "pause":
                schedule.pause(name, who=who)
            case "resume":
                schedule.resume(name, who=who)
            case "schedule":
                schedule.set_rule(settings, name, rule, who=who)
            case "redo":
                [again] = redo.plan(settings, redo.Selection(stage, (name,)))
                redo.carry_out(settings, stage, [again], who=who)
        done.sites.append(name)
    return done
