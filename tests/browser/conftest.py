"""A real browser before a real server: ``clerk serve`` with its worker, on documents of our own.

Needs Chromium on the PATH.  Where there is none the tests are skipped, and fail under CI=true.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from ports import free_port
from small_pdfs import printed

CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
#: Quiet, and possible as root.
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
HOSTILE = "<script>document.title='owned'</script>"
LINES = (
    "MINUTES OF THE TOWN COUNCIL",
    "On a motion by Ms. Lindqvist, seconded by Mr. Abara, the zoning variance",
    "at 14 Harbor Street was granted. The motion carried, 4-1.",
    f"A letter was read: {HOSTILE} and filed.",
)
ROLL_CALL = (
    "Present: Ms. Lindqvist, Mr. Abara, Ms. Moreau, Mr. Brandt, John Smith, Lucy Smith.",
    "Ms. Lindqvist moved, seconded by Mr. Abara, to adopt Ordinance No. 2024-5.",
    "Ayes: Lindqvist, Abara, Moreau, Smith. Noes: Brandt. Carried 4 to 1.",
)
DOCUMENTS = 24
#: How many seconds something may take that is over at once on a machine with nothing else to do.
PATIENCE = 100


def eventually(true: Callable[[], object]) -> None:
    """Wait for something that another process does."""
    give_up = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < give_up, f"waited {PATIENCE} s in vain"
        time.sleep(0.1)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # The items of all folders, thousands.
    for item in items:
        if item.nodeid.startswith("tests/browser/"):
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="package")
def chromium() -> Iterator[Any]:
    """A headless Chromium."""
    path = next(filter(None, map(shutil.which, CHROMIUM)), None)
    missing = "" if path else "no Chromium on the PATH: apt-get install chromium"
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing = "playwright is not installed: pip install playwright"
    if missing and os.environ.get("CI") == "true":
        pytest.fail(missing)
    if missing:
        pytest.skip(missing)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield browser
        browser.close()


@dataclass
class Served:
    """An installation with its server, which can be stopped and started again."""

    folder: Path
    port: int
    process: subprocess.Popen[str] | None = None
    link: str = ""
    upload: int = 0
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def address(self) -> str:
        """Where it is served."""
        return f"http://127.0.0.1:{self.port}"

    def clerk(self, *words: str) -> str:
        """Run a command on the installation."""
        command = [sys.executable, "-m", "clerk", *words]
        done = subprocess.run(
            command, env=self.environment, capture_output=True, text=True, timeout=170, check=False
        )
        return done.stdout

    def start(self) -> None:
        """Serve, and wait until it answers."""
        command = [sys.executable, "-u", "-m", "clerk", "serve", "--port", str(self.port)]
        self.process = subprocess.Popen(
            command, env=self.environment, stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        assert self.process.stdout
        said = ""
        while "link=" not in said:
            line = self.process.stdout.readline()
            assert line, said
            said += line
        self.link = re.findall(r"link=(\S+)", said)[0]
        eventually(self._answers)

    def _answers(self) -> bool:
        try:
            self.get("/healthz")
        except httpx.ConnectError:
            return False
        return True

    def get(self, path: str) -> httpx.Response:
        """Ask the server as a program."""
        return httpx.get(self.address + path, timeout=PATIENCE)

    def stop(self) -> None:
        """Stop as Ctrl-C does."""
        assert self.process
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGINT)
        self.process.communicate(timeout=PATIENCE)

    @property
    def person(self) -> str:
        """The address of somebody who voted."""
        html = self.get("/people/springfield").text
        return re.findall(r'href="(/people/springfield/[^"]+)"', html)[0]

    @property
    def vote(self) -> str:
        """The id of a vote with names."""
        return f"{self.votes()[0]['id']}"

    def votes(self) -> list[dict[str, Any]]:
        """The votes with names of a meeting, as published."""
        address = "/api/v1/sites/springfield/votes?matter=ordinance%202024-5"
        found: list[dict[str, Any]] = self.get(address).json()["items"]
        return found

    def login_link(self) -> str:
        """Return the address of a new link."""
        return self.clerk("serve", "--port", str(self.port), "--login").strip()


@pytest.fixture(scope="package")
def served(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A town that has been read, one document of it damaged, being served."""
    folder = tmp_path_factory.mktemp("served")
    (folder / "sites").mkdir()
    write_documents(folder / "documents")
    (folder / "documents" / "Town Council" / "2024-06-15.pdf").write_bytes(printed(LINES)[:400])
    installation = Served(folder, free_port())
    installation.environment = os.environ | {"STORAGE_DIR": str(folder / "sites")}
    installation.clerk("site", "add", "springfield", "--from", str(folder / "documents"))
    write_documents(folder / "others", 2)
    installation.clerk("site", "add", "shelbyville", "--from", str(folder / "others"))
    installation.clerk("run", "springfield", "shelbyville")
    installation.upload = upload_annotations(installation)
    installation.start()
    yield installation
    installation.stop()


def upload_annotations(installation: Served) -> int:
    """Upload a file with a good line and a bad one, and return the upload's number."""
    span = {"id": "T1", "span": {"begin": 4, "end": 10}, "obj": "Motion"}
    good = {"sourcedb": "notes", "sourceid": "1", "text": "The motion carried."}
    path = installation.folder / "notes.jsonl"
    path.write_text(json.dumps(good | {"denotations": [span]}) + '\n{"text": 5}\n')
    words = ("upload", str(path), "--project", "notes", "--create-docs", "--json")
    return int(json.loads(installation.clerk("annotations", *words))["id"])


def write_documents(folder: Path, documents: int = DOCUMENTS) -> None:
    """Write a folder of minutes."""
    for number in range(documents):
        pages = [LINES, ("Page two of the minutes.", "The motion to adjourn carried."), ROLL_CALL]
        path = folder / "Town Council" / f"2024-{number % 12 + 1:02}-{number // 12 + 1:02}.pdf"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(printed(*pages))


Visit = Callable[..., Any]


@pytest.fixture(scope="package")
def cookies(chromium: Any, served: Served) -> list[Any]:
    """The cookies of an operator who logged in with the printed link, as a person would."""
    context = chromium.new_context()
    context.set_default_timeout(PATIENCE * 1000)
    page = context.new_page()
    page.goto(f"{served.address}/ops/login?link={served.link}")
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("heading", name="Overview").wait_for()
    saved = list(context.cookies())
    context.close()
    return saved


@pytest.fixture
def visit(chromium: Any, served: Served, cookies: list[Any]) -> Iterator[Visit]:
    """Return a function that opens pages in a context of its own; complaints fail the test."""
    contexts: list[Any] = []
    complaints: list[str] = []

    def open_(path: str, *, operator: bool = False, quiet: bool = False, **options: Any) -> Any:
        context = chromium.new_context(**options)
        context.set_default_timeout(PATIENCE * 1000)
        contexts.append(context)
        if operator:
            context.add_cookies(cookies)
        page = context.new_page()
        if not quiet:
            page.on("console", lambda said: complaints.append(f"{path}: {said.text}"))
            page.on("pageerror", lambda error: complaints.append(f"{path}: {error}"))
        page.goto(served.address + path)
        return page

    yield open_
    for context in contexts:
        context.close()
    assert complaints == []
