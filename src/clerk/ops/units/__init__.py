"""Services and timers that keep clerk running: files for systemd, cron and launchd.

``templates/`` holds the files; ``clerk install-units`` writes them with the paths of this
installation, ``deployment/`` shows them with example paths.  A worker finishes the running document
after one SIGTERM; whatever is killed is resumed from the ledger.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import jinja2

#: How often reconciliation runs, and for how long a site must have made no progress.
RECONCILE_MINUTES = 15
THRESHOLD_HOURS = 2

#: How often sites that are due are queued, and new problems reported.
SCHEDULE_MINUTES = 5

#: How much of the processors a worker's service may use: 100 is one of them.
CPU_PERCENT = 400

#: The hour of the day at which old batches are removed.
CLEANUP_HOUR = 3

#: How long a worker may take to finish the running document when it is stopped.
STOP_MINUTES = 10

SYSTEM_FOLDER = Path("/etc/systemd/system")
USER_FOLDER = Path(".config/systemd/user")
AGENTS_FOLDER = Path("Library/LaunchAgents")

SYSTEMD_UNITS = (
    "clerk-reconcile.service",
    "clerk-reconcile.timer",
    "clerk-schedule.service",
    "clerk-schedule.timer",
    "clerk-notify.service",
    "clerk-notify.timer",
    "clerk-follow.service",
    "clerk-follow.timer",
    "clerk-cleanup.service",
    "clerk-cleanup.timer",
    "clerk-worker@.service",
)
LAUNCHD_AGENTS = (
    "clerk.reconcile.plist",
    "clerk.schedule.plist",
    "clerk.notify.plist",
    "clerk.follow.plist",
)


@dataclass(frozen=True)
class Paths:
    """Where this installation is; ``user`` is empty for units of a person's own systemd."""

    clerk: Path
    working_directory: Path
    storage_dir: Path
    #: Other directories that clerk writes to.
    writable: Sequence[Path] = ()
    user: str = ""


#: The paths in ``deployment/``.
EXAMPLE = Paths(
    clerk=Path("/home/deploy/civic-band/.venv/bin/clerk"),
    working_directory=Path("/home/deploy/civic-band"),
    storage_dir=Path("/srv/clerk/sites"),
    user="deploy",
)


def systemd(paths: Paths) -> dict[str, str]:
    """Return the systemd units by file name."""
    return {name: _rendered(name, paths) for name in SYSTEMD_UNITS}


def cron(paths: Paths, logs: Path = Path("/home/deploy/logs")) -> str:
    """Return the lines for a crontab."""
    return _rendered("crontab", paths, logs)


def launchd(paths: Paths) -> dict[str, str]:
    """Return the launchd agents by file name."""
    return {name: _rendered(name, paths) for name in LAUNCHD_AGENTS}


def _escaped(path: Path) -> str:
    """Return a path for systemd, which reads a percent sign as the start of a specifier."""
    return str(path).replace("%", "%%")


def _quoted(path: Path) -> str:
    """Return a path as one word of a systemd setting that takes several."""
    escaped = _escaped(path)
    return f'"{escaped}"' if " " in escaped else escaped


_TEMPLATES = jinja2.Environment(
    loader=jinja2.FileSystemLoader(Path(__file__).with_name("templates")),
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)
_TEMPLATES.filters |= {"escaped": _escaped, "quoted": _quoted}


def _rendered(name: str, paths: Paths, logs: Path | None = None) -> str:
    outside = {each for each in paths.writable if not each.is_relative_to(paths.storage_dir)}
    return _TEMPLATES.get_template(f"{name}.jinja").render(
        clerk=paths.clerk,
        working_directory=paths.working_directory,
        storage_dir=paths.storage_dir,
        writable=[paths.storage_dir, *sorted(outside)],
        user=paths.user,
        logs=logs,
        reconcile_minutes=RECONCILE_MINUTES,
        threshold_hours=THRESHOLD_HOURS,
        schedule_minutes=SCHEDULE_MINUTES,
        cpu_percent=CPU_PERCENT,
        cleanup_hour=CLEANUP_HOUR,
        stop_minutes=STOP_MINUTES,
    )
