"""Terminal manners: progress, Ctrl-C, -v and -q."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from small_pdfs import printed, scanned, white, written

import clerk

CLERK = str(Path(sys.executable).with_name("clerk"))

#: An engine that takes its time, so that a person can interrupt it.
SLOW = """
import time
from clerk import hookimpl
from clerk.read.ocr import OcrPage, OcrWord

class Slow:
    name = "slow"
    def version(self): return "1"
    def available_languages(self): return ["eng"]
    def recognise(self, image, languages, dpi):
        time.sleep(0.3)
        return OcrPage.of([OcrWord("word", (1, 1, 9, 9), 0.9, 0)])

@hookimpl
def register_ocr_backends(): return [Slow()]
"""


@pytest.fixture(autouse=True)
def ctrl_c_is_not_ignored() -> Iterator[None]:
    """A shell that runs the tests in the background ignores it, and so do all its children."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def town(tmp_path: Path) -> Path:
    """A folder with a site of four documents whose pages take a while."""
    (tmp_path / "pdfs" / "Council").mkdir(parents=True)
    for day in range(1, 5):
        # A page without ink is not given to the engine.
        picture = white((300 + day, 400))
        picture.paste(0, (50, 50, 250, 70))
        pdf = scanned(picture, picture, picture)
        written(tmp_path / "pdfs" / "Council" / f"2024-01-0{day}.pdf", pdf)
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / "slow.py").write_text(SLOW)
    run(tmp_path, "site", "add", "springfield", "--from", "pdfs", "--yes")
    return tmp_path


def environment() -> dict[str, str]:
    return {
        **os.environ,
        "CLERK_PLUGINS_DIR": "plugins",
        "DEFAULT_OCR_BACKEND": "slow",
        "CLERK_WORKERS": "1",
        "COLUMNS": "160",
        "TERM": "xterm",
    }


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [CLERK, *arguments], cwd=folder, env=environment(), capture_output=True, text=True
    )


class Terminal:
    """clerk on a terminal of its own."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.shown = ""
        self.pid, self._screen = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execve(CLERK, [CLERK, *arguments], environment())

    def wait_for(self, pattern: str, seconds: float = 60) -> None:
        """Read the screen until something is shown."""
        until = time.monotonic() + seconds
        while not re.search(pattern, self.shown):
            assert time.monotonic() < until, self.shown
            if select.select([self._screen], [], [], 0.2)[0]:
                try:
                    self.shown += os.read(self._screen, 65536).decode(errors="replace")
                except OSError:
                    break
        assert re.search(pattern, self.shown), self.shown

    def press_ctrl_c(self) -> None:
        os.write(self._screen, b"\x03")

    def end(self) -> int:
        self.wait_for(r"\Z", 1)
        while True:
            try:
                self.shown += os.read(self._screen, 65536).decode(errors="replace")
            except OSError:
                break
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def test_ctrl_c_is_answered_at_once_and_the_run_can_be_continued(town: Path) -> None:
    terminal = Terminal(town, "run", "springfield")
    terminal.wait_for("ocr")

    terminal.press_ctrl_c()

    terminal.wait_for("press Ctrl-C again to stop now")
    terminal.wait_for("Run the same command to continue")
    assert terminal.end() == 130
    assert "Traceback" not in terminal.shown
    assert run(town, "run", "springfield").returncode == 0


def test_progress_shows_documents_pages_and_the_time_left(town: Path) -> None:
    terminal = Terminal(town, "run", "springfield")

    terminal.wait_for(r"about \d+ s left")

    assert terminal.end() == 0
    assert re.search(r"4/4", terminal.shown)
    assert re.search(r"\d+ pages, \d+\.\d/s|12 pages", terminal.shown)
    # Nothing is cut short in the 80 columns of a terminal that does not say how wide it is.
    assert "…" not in terminal.shown


@pytest.mark.parametrize("module", ["pluggy", "click", "clerk.core.config", "clerk.cli.run"])
@pytest.mark.parametrize("command", [[CLERK], [sys.executable, "-m", "clerk"]], ids=["clerk", "-m"])
def test_ctrl_c_while_clerk_is_loading_shows_no_traceback(
    tmp_path: Path, command: list[str], module: str
) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import os, signal, sys\n"
        "class PressCtrlC:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {module!r}: os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, PressCtrlC())\n"
    )

    said = subprocess.run(
        [*command, "run", "springfield"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )

    assert said.returncode in (-signal.SIGINT, 130), said.stderr
    assert "Traceback" not in said.stderr


def test_ctrl_c_is_prepared_for_before_any_other_module_is_loaded(tmp_path: Path) -> None:
    """The first that Python itself has not loaded yet would be ``enum``."""
    (tmp_path / "clerk").write_text(
        "import os, sys\n"
        "class PressCtrlC:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name != 'clerk': os.kill(os.getpid(), 2)\n"
        "sys.meta_path.insert(0, PressCtrlC())\n"
        f"sys.path.append({str(Path(clerk.__file__).parents[1])!r})\n"
        "import clerk\n"
    )

    said = subprocess.run(
        [sys.executable, "-S", tmp_path / "clerk"], capture_output=True, text=True
    )

    assert said.returncode == -signal.SIGINT, said.stderr
    assert said.stderr == ""


def test_a_worker_says_on_a_terminal_that_it_waits(
    postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", postgres)
    (tmp_path / "sites").mkdir()

    terminal = Terminal(tmp_path, "worker", "ocr")
    terminal.wait_for(r"1 worker for ocr\. Stop with Ctrl-C\.")
    terminal.press_ctrl_c()

    assert terminal.end() in (0, 130)
    assert "Traceback" not in terminal.shown


def test_quiet_prints_no_hints_and_verbose_logs(town: Path) -> None:
    quiet = run(town, "run", "-q", "springfield")
    verbose = run(town, "-v", "run", "springfield", "--restart")

    assert (quiet.returncode, quiet.stderr) == (0, "")
    assert "springfield: completed" in quiet.stdout
    assert len(verbose.stderr.splitlines()) >= 1


def test_an_error_is_shown_whole(
    tmp_path: Path, clerk: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name = "a-very-long-name-of-a-document-that-nobody-would-want-to-type-twice"
    (tmp_path / "pdfs").mkdir()
    written(tmp_path / "pdfs" / f"{name}.pdf", printed(["Call to order"])[:400])
    clerk("site", "add", "springfield", "--from", "pdfs", "--yes")
    clerk("run", "springfield")

    said = clerk("failures", "list", "--each")

    assert f"{name}.pdf is" in said.out
