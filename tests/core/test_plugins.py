"""Plugins as the old system's operators wrote them: classes, folders, entry points, gone hooks."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from guide import clerk
from small_pdfs import printed, written

from clerk.core import plugins, site_files
from clerk.core.clock import utc_now
from clerk.core.db import civic_db_connection
from clerk.ops import doctor

OLD_PLUGIN = '''
import click
import pluggy

from clerk import hookimpl
from plugins.shared import LABEL

old_marker = pluggy.HookimplMarker("civicband.clerk")


class TownPlugin:
    def __init__(self):
        self.seen = []

    @hookimpl
    def fetcher_class(self, label):
        return dict if label == LABEL else None

    @hookimpl
    def fetcher_extra(self, label):
        return {"key": 1} if label == LABEL else None

    @old_marker
    def post_create(self, subdomain):
        self.seen.append(subdomain)

    @hookimpl
    def register_cli_commands(self):
        return [hello]

    @hookimpl
    def pre_compilation(self, subdomain, run_id):
        self.note("before", subdomain, run_id)

    @hookimpl
    def post_compilation(self, subdomain, database_path, run_id):
        self.note("after", subdomain, database_path)

    def note(self, *words):
        with open("diary.txt", "a") as file:
            print(*words, file=file)

    @hookimpl
    def register_job_types(self):
        return {"finance": "x"}


class NoPlugin:
    pass


@click.command()
@click.argument("name")
def hello(name):
    """Greet a town."""
    click.echo(f"Hello {name}")
'''


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of plugins as an old installation has it."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    made = tmp_path / "plugins"
    made.mkdir()
    (made / "town.py").write_text(OLD_PLUGIN)
    (made / "shared.py").write_text("LABEL = 'town'\n")
    (made / "_draft.py").write_text("raise RuntimeError('not meant to be loaded')\n")
    monkeypatch.setenv("CLERK_PLUGINS_DIR", str(made))
    plugins._build.cache_clear()
    yield made
    plugins._build.cache_clear()
    for name in [name for name in sys.modules if name.partition(".")[0] == "plugins"]:
        del sys.modules[name]


def test_classes_with_marked_methods_are_plugins(folder: Path) -> None:
    manager = plugins.manager()

    assert manager.hook.fetcher_class(label="town") is dict
    assert manager.hook.fetcher_extra(label="town") == {"key": 1}
    manager.hook.post_create(subdomain="springfield")
    [town] = [each for each in manager.get_plugins() if type(each).__name__ == "TownPlugin"]
    assert town.seen == ["springfield"], "marked for the old project"


def test_a_file_that_registers_nothing_and_a_gone_hook_are_named(folder: Path) -> None:
    problems = {
        (Path(each.plugin).name, each.what): each.fix for each in plugins.manager().problems
    }

    assert set(problems) == {
        ("shared.py", "it has no hooks"),
        ("town.py:TownPlugin", "its hook register_job_types is not called"),
    }
    assert (
        "get_high_queue().enqueue(function)"
        in problems["town.py:TownPlugin", "its hook register_job_types is not called"]
    )
    checks = list(doctor.check_plugins(doctor.config.load()))
    assert [check.word for check in checks] == ["WARNING"]
    assert "shared.py: it has no hooks" in checks[0].message


def test_a_command_of_a_plugin_is_a_command_of_clerk(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert clerk("hello", "Springfield").output == "Hello Springfield\n"

    monkeypatch.delenv("CLERK_PLUGINS_DIR")
    assert clerk("hello", "Springfield").exit_code == 2
    ran = clerk("--plugins-dir", str(folder), "hello", "Shelbyville")
    assert ran.output == "Hello Shelbyville\n"


def test_the_hooks_around_the_compilation_are_called_with_the_run(
    folder: Path, storage: Path, tmp_path: Path
) -> None:
    (tmp_path / "pdfs").mkdir()
    written(tmp_path / "pdfs" / "2024-01-02 Council.pdf", printed(["MINUTES", "The council met."]))
    assert clerk("site", "add", "springfield", "--from", str(tmp_path / "pdfs")).exit_code == 0

    ran = clerk("run", "springfield", "--workers", "1")

    assert ran.exit_code == 0
    before, after = (tmp_path / "diary.txt").read_text().splitlines()[:2]
    assert before.startswith("before springfield springfield-")
    assert after == f"after springfield {storage}/springfield/meetings.db"


def test_entry_points_of_the_old_group_may_be_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    from clerk import hookimpl

    class Installed:
        @hookimpl
        def fetcher_class(self, label: str) -> Any:
            return list if label == "installed" else None

    class Point:
        name = "installed-plugin"

        def load(self) -> type:
            return Installed

    offered = {"clerk.plugins": [Point()]}
    monkeypatch.setattr(plugins, "entry_points", lambda group: offered.get(group, []))
    plugins._build.cache_clear()
    try:
        assert plugins.manager().hook.fetcher_class(label="installed") is list
    finally:
        plugins._build.cache_clear()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (["new"], "clerk site add"),
        (["purge", "springfield", "--force"], "clerk site remove"),
        (["check-failed"], "clerk failures list"),
        (["cleanup-orphaned", "--dry-run"], "clerk reconcile-pipeline"),
        (["diagnose-workers"], "clerk doctor"),
        (["build-db-from-text", "-s", "x"], "clerk redo --stage compilation"),
    ],
)
def test_a_command_of_the_old_system_that_is_gone_names_the_one_to_use(
    old: list[str], new: str, capfd: pytest.CaptureFixture[str]
) -> None:
    from click.testing import CliRunner

    from clerk.cli import cli

    ran = CliRunner().invoke(cli, old)

    assert ran.exit_code == 2
    assert f"There is no command '{old[0]}' any more. Use: " in ran.stderr
    assert new in ran.stderr


def test_old_command_lines_run_or_name_what_to_use(make_site: Any) -> None:
    from click.testing import CliRunner

    from clerk.cli import cli

    site = make_site("springfield")

    for old in ("--all-years", "--all-agendas"):
        with civic_db_connection() as conn:
            site_files.record_full_listing(conn, site, utc_now())
        ran = CliRunner().invoke(cli, ["--quiet", "update", "-s", site, old])
        assert ran.exit_code == 0 and ran.stderr == ""
        assert ran.stdout.startswith("Queued springfield")
        with civic_db_connection() as conn:
            assert site_files.last_full_listing(conn, site) is None, "all years are listed next"
    gone = CliRunner().invoke(cli, ["update", "-s", site, "--skip-fetch"])
    assert gone.exit_code == 2 and "Use: clerk redo --stage ocr" in gone.stderr
