"""The services and timers: in deployment/, and as clerk install-units writes them."""

from __future__ import annotations

import plistlib
import shutil
import subprocess
from pathlib import Path

import pytest
from guide import clerk

from clerk.ops import units

DEPLOYMENT = Path(__file__).parents[2] / "deployment"

needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="there is no systemd-analyze"
)


@pytest.mark.parametrize(
    ("folder", "files"),
    [
        ("systemd", units.systemd(units.EXAMPLE)),
        ("launchd", units.launchd(units.EXAMPLE)),
        ("cron", {"clerk": units.cron(units.EXAMPLE)}),
    ],
)
def test_the_files_in_deployment_are_what_clerk_writes(folder: str, files: dict[str, str]) -> None:
    for name, content in files.items():
        assert (DEPLOYMENT / folder / name).read_text() == content


def test_reconciliation_runs_every_15_minutes() -> None:
    written = units.systemd(units.EXAMPLE)

    assert "OnCalendar=*:0/15\n" in written["clerk-reconcile.timer"]
    assert (
        "ExecStart=/home/deploy/civic-band/.venv/bin/clerk reconcile-pipeline --threshold-hours 2\n"
        in written["clerk-reconcile.service"]
    )
    assert units.cron(units.EXAMPLE).splitlines()[1].startswith("*/15 * * * * cd ")


def test_workers_restart_and_finish_their_running_work() -> None:
    worker = units.systemd(units.EXAMPLE)["clerk-worker@.service"]

    assert {"Restart=on-failure", "KillMode=mixed", "TimeoutStopSec=10min"} <= {
        *worker.splitlines()
    }
    assert "clerk worker %i" in worker


@needs_systemd
@pytest.mark.parametrize("scope", ["system", "user"])
def test_systemd_accepts_what_is_written(scope: str, storage: Path, tmp_path: Path) -> None:
    folder = tmp_path / "units"

    ran = clerk("install-units", f"--{scope}", "--as", "root", "--directory", str(folder))

    assert ran.exit_code == 0
    worker = folder / "clerk-worker@.service"
    worker.rename(folder / "clerk-worker@ocr.service")
    names = sorted(str(path) for path in folder.iterdir())
    checked = subprocess.run(
        ["systemd-analyze", "verify", *names],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (checked.returncode, checked.stderr) == (0, "")


def test_a_dry_run_prints_and_writes_nothing(storage: Path, tmp_path: Path) -> None:
    folder = tmp_path / "units"

    ran = clerk("install-units", "--user", "--directory", str(folder), "--dry-run")

    assert f'Environment="STORAGE_DIR={storage}"' in ran.output
    assert not folder.exists()


def test_only_what_clerk_writes_to_is_writable(storage: Path, tmp_path: Path) -> None:
    paths = units.Paths(
        clerk=Path("/opt/my clerk/bin/clerk"),
        working_directory=tmp_path,
        storage_dir=storage,
        writable=(storage / "_published", Path("/srv/www")),
        user="deploy",
    )

    service = units.systemd(paths)["clerk-reconcile.service"]

    assert f"ReadWritePaths={storage} /srv/www\n" in service
    assert 'ExecStart="/opt/my clerk/bin/clerk" reconcile-pipeline' in service


def test_a_percent_sign_in_a_path_is_no_specifier(tmp_path: Path) -> None:
    folder = tmp_path / "100%i"
    paths = units.Paths(clerk=folder / "clerk", working_directory=folder, storage_dir=folder)

    for name in ("clerk-reconcile.service", "clerk-cleanup.service", "clerk-worker@.service"):
        lines = units.systemd(paths)[name].splitlines()
        escaped = f"{tmp_path}/100%%i"
        assert f"WorkingDirectory={escaped}" in lines
        assert f'Environment="STORAGE_DIR={escaped}"' in lines
        assert any(line.startswith(f"ExecStart={escaped}/clerk ") for line in lines)


def test_launchd_can_read_its_agent() -> None:
    written = units.launchd(units.EXAMPLE)["clerk.reconcile.plist"]

    agent = plistlib.loads(written.encode())

    assert agent["StartInterval"] == 900
    assert agent["ProgramArguments"][1:] == ["reconcile-pipeline", "--threshold-hours", "2"]
    told = plistlib.loads(units.launchd(units.EXAMPLE)["clerk.notify.plist"].encode())
    assert (told["StartInterval"], told["ProgramArguments"][1:]) == (300, ["notify", "run"])
    told = plistlib.loads(units.launchd(units.EXAMPLE)["clerk.follow.plist"].encode())
    assert (told["StartInterval"], told["ProgramArguments"][1:]) == (60, ["follow", "run"])
