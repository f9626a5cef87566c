"""Timers and services that keep clerk running: text for systemd, cron and launchd.

``deployment/`` shows them with example paths; ``clerk install-units`` writes them with the real
ones.  A worker is stopped by one SIGTERM and finishes the document in hand; whatever is killed is
taken up again from the ledger.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

#: How often reconciliation runs, and how long a site must be silent for it.
RECONCILE_MINUTES = 15
THRESHOLD_HOURS = 2

#: When batches that ended more than a week ago are removed.
CLEANUP_HOUR = 3

#: A worker may take so long to finish the document in hand.
STOP_MINUTES = 10

SYSTEM_FOLDER = Path("/etc/systemd/system")
USER_FOLDER = Path(".config/systemd/user")
AGENTS_FOLDER = Path("Library/LaunchAgents")

LABEL = "clerk.reconcile"


@dataclass(frozen=True)
class Paths:
    """Where this installation is; ``user`` is empty for units of a person's own systemd."""

    clerk: Path
    working_directory: Path
    storage_dir: Path
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
    return {
        "clerk-reconcile.service": _reconcile_service(paths),
        "clerk-reconcile.timer": _reconcile_timer(),
        "clerk-cleanup.service": _cleanup_service(paths),
        "clerk-cleanup.timer": _cleanup_timer(),
        "clerk-worker@.service": _worker_service(paths),
    }


def _reconcile_service(paths: Paths) -> str:
    return _unit(
        {
            "Unit": [
                "Description=Reconcile the clerk pipeline",
                *_after_network(paths),
            ],
            "Service": [
                "Type=oneshot",
                *_common(paths),
                f"ExecStart={_quoted(paths.clerk)} reconcile-pipeline"
                f" --threshold-hours {THRESHOLD_HOURS}",
                "# 4: sites remain that need a person, which is no fault of the service.",
                "SuccessExitStatus=4",
                "Restart=on-failure",
                "RestartSec=60s",
                f"TimeoutStartSec={RECONCILE_MINUTES - 1}min",
                "Nice=5",
                *_hardening(paths),
            ],
        }
    )


def _reconcile_timer() -> str:
    return _unit(
        {
            "Unit": ["Description=Reconcile the clerk pipeline every 15 minutes"],
            "Timer": [
                f"OnCalendar=*:0/{RECONCILE_MINUTES}",
                "RandomizedDelaySec=30s",
                "AccuracySec=1s",
                "Persistent=true",
            ],
            "Install": ["WantedBy=timers.target"],
        }
    )


def _cleanup_service(paths: Paths) -> str:
    return _unit(
        {
            "Unit": ["Description=Roll up and remove old clerk batches", *_after_network(paths)],
            "Service": [
                "Type=oneshot",
                *_common(paths),
                f"ExecStart={_quoted(paths.clerk)} batch cleanup",
                "Restart=on-failure",
                "RestartSec=10min",
                "TimeoutStartSec=1h",
                "Nice=5",
                *_hardening(paths),
            ],
        }
    )


def _cleanup_timer() -> str:
    return _unit(
        {
            "Unit": ["Description=Remove old clerk batches every night"],
            "Timer": [f"OnCalendar=*-*-* {CLEANUP_HOUR:02}:00:00", "Persistent=true"],
            "Install": ["WantedBy=timers.target"],
        }
    )


def _worker_service(paths: Paths) -> str:
    return _unit(
        {
            "Unit": [
                "Description=clerk worker: %i",
                *_after_network(paths),
                "# Servers may come up later than the worker: keep trying.",
                "StartLimitIntervalSec=0",
            ],
            "Service": [
                "Type=exec",
                *_common(paths),
                "# Change the number with: systemctl edit clerk-worker@ocr",
                'Environment="CLERK_WORKER_NUMBER=1"',
                f"ExecStart={_quoted(paths.clerk)} worker %i -n ${{CLERK_WORKER_NUMBER}}",
                "Restart=on-failure",
                "RestartSec=5s",
                "# One SIGTERM finishes what is in hand; the rest is killed after that.",
                "KillMode=mixed",
                f"TimeoutStopSec={STOP_MINUTES}min",
                "OOMPolicy=continue",
                "LimitNOFILE=8192",
                *_hardening(paths),
            ],
            "Install": [f"WantedBy={'multi-user' if paths.user else 'default'}.target"],
        }
    )


def _after_network(paths: Paths) -> list[str]:
    if not paths.user:
        return []
    return ["Wants=network-online.target", "After=network-online.target"]


def _common(paths: Paths) -> list[str]:
    lines = [f"User={paths.user}"] if paths.user else []
    return [
        *lines,
        "# Settings with passwords (DATABASE_URL, REDIS_URL) belong into .env in this directory.",
        f"WorkingDirectory={paths.working_directory}",
        f'Environment="STORAGE_DIR={paths.storage_dir}"',
    ]


def _hardening(paths: Paths) -> list[str]:
    """What a service of a whole system can be denied; a person's own systemd may deny less."""
    lines = ["NoNewPrivileges=yes", "LockPersonality=yes", "RestrictRealtime=yes"]
    if not paths.user:
        return lines
    outside = {each for each in paths.writable if not each.is_relative_to(paths.storage_dir)}
    writable = [paths.storage_dir, *sorted(outside)]
    return [
        *lines,
        "RestrictSUIDSGID=yes",
        "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6",
        "PrivateDevices=yes",
        "ProtectClock=yes",
        "ProtectControlGroups=yes",
        "ProtectHostname=yes",
        "ProtectKernelLogs=yes",
        "ProtectKernelModules=yes",
        "ProtectKernelTunables=yes",
        "ProtectSystem=strict",
        "ProtectHome=read-only",
        "PrivateTmp=yes",
        f"ReadWritePaths={' '.join(map(_quoted, writable))}",
        "UMask=0022",
    ]


def _unit(sections: Mapping[str, Sequence[str]]) -> str:
    return "\n\n".join("\n".join([f"[{name}]", *lines]) for name, lines in sections.items()) + "\n"


def _quoted(path: Path) -> str:
    """Return a path as systemd reads it; a percent sign would be a specifier."""
    plain = str(path).replace("%", "%%")
    return f'"{plain}"' if " " in plain else plain


def cron(paths: Paths, logs: Path = Path("/home/deploy/logs")) -> str:
    """Return the lines for a crontab."""
    start = f"cd {paths.working_directory} && STORAGE_DIR={paths.storage_dir} {paths.clerk}"
    return (
        "# Every 15 minutes; settings come from .env in the directory.\n"
        f"*/{RECONCILE_MINUTES} * * * * {start} reconcile-pipeline"
        f" --threshold-hours {THRESHOLD_HOURS} >> {logs}/reconcile.log 2>&1\n"
        "# Every night.\n"
        f"0 {CLEANUP_HOUR} * * * {start} batch cleanup >> {logs}/cleanup.log 2>&1\n"
    )


def launchd(paths: Paths) -> dict[str, str]:
    """Return the launchd agent by file name."""
    words = [str(paths.clerk), "reconcile-pipeline", "--threshold-hours", str(THRESHOLD_HOURS)]
    arguments = "\n".join(f"    <string>{escape(word)}</string>" for word in words)
    return {
        f"{LABEL}.plist": f"""<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>{LABEL}</string>
  <key>ProgramArguments</key>
  <array>
{arguments}
  </array>
  <key>WorkingDirectory</key>
  <string>{escape(str(paths.working_directory))}</string>
  <key>EnvironmentVariables</key>
  <dict>
    <key>STORAGE_DIR</key>
    <string>{escape(str(paths.storage_dir))}</string>
  </dict>
  <key>StartInterval</key>
  <integer>{RECONCILE_MINUTES * 60}</integer>
  <key>RunAtLoad</key>
  <true/>
  <key>StandardOutPath</key>
  <string>/tmp/{LABEL}.log</string>
  <key>StandardErrorPath</key>
  <string>/tmp/{LABEL}.log</string>
</dict>
</plist>
"""
    }
