"""Every block of code in the documentation runs as a reader would run it, or says why not.

``console`` blocks are commands, each with the exit code it announces; the ``python`` blocks of a
page are one program, and ``sql`` of docs/meetings-db.md is asked of the town's database.  They
run in a folder where the tutorial has been followed.  Other blocks are
run by the tests named in RUN_ELSEWHERE, or are no code, or have ``<!-- not run: why -->`` above.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest

#: The first test of a fixture runs dozens of commands one after the other; one process does it.
pytestmark = pytest.mark.timeout(900)

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(
    path for path in (*DOCS.rglob("*.md"), *ROOT.glob("*.md")) if path.parent.name != "reference"
)
#: Pages whose blocks in these languages are run by another test.
RUN_ELSEWHERE = {
    ("docs/migrating.md", "bash"): "tests/ops/test_takeover_walk.py",
    ("docs/migrating.md", "sql"): "tests/ops/test_takeover_walk.py",
    ("docs/operating.md", "bash"): "tests/ops/test_health.py",
    ("docs/operating.md", "sql"): "tests/ops/test_health.py",
    ("docs/plugins.md", "python"): "tests/fetch/test_plugin_guide.py",
}
MEETINGS_DB = "docs/meetings-db.md"
#: What is shown and not run: output, data, settings of other programs.
NO_CODE = {"text", "json", "nginx", "yaml", "ini", "toml", "html", "css"}


class Block(NamedTuple):
    """A block of code of a page."""

    language: str
    code: str
    reason_not_to_run: str


def blocks(page: Path) -> Iterator[Block]:
    """Yield the blocks of a page."""
    pattern = r"(?:^<!-- not run: (.+?) -->\n+)?^```(\w*)\n(.*?)^```$"
    for reason, language, code in re.findall(pattern, page.read_text(), re.M | re.S):
        yield Block(language, code, reason)


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    environment |= {"HOME": str(folder), "COLUMNS": "100"}
    return subprocess.run(
        command, shell=True, cwd=folder, env=environment, capture_output=True, text=True
    )


def commands(page: Path) -> list[str]:
    """The commands of a page's ``console`` blocks."""
    shown = (block.code for block in blocks(page) if block.language == "console")
    return [line for code in shown for line in re.findall(r"^\$ (.+)$", code, re.M)]


def failed_commands(page: Path, folder: Path) -> dict[str, tuple[int, str]]:
    """Run the commands of a page in order; return those that ended otherwise than announced."""
    failed = {}
    for command in commands(page):
        ran = run(command, folder)
        announced = re.search(r"# exits with (\d+)", command)
        if ran.returncode != (int(announced[1]) if announced else 0):
            failed[command] = (ran.returncode, ran.stderr)
    return failed


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder where the tutorial has been followed."""
    folder = tmp_path_factory.mktemp("tutorial")
    assert failed_commands(DOCS / "tutorial.md", folder) == {}
    return folder


def test_the_tutorial_leaves_what_it_promises(followed: Path) -> None:
    assert len(commands(DOCS / "tutorial.md")) >= 8
    assert (followed / "votes.csv").read_text().count("\n") > 10
    assert (followed / "sites" / "_published" / "millbrook-falls" / "meetings.db").exists()


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_the_code_of_a_page_runs(page: Path, request: pytest.FixtureRequest) -> None:
    program = "\n".join(
        block.code
        for block in blocks(page)
        if block.language == "python"
        and not block.reason_not_to_run
        and (named(page), "python") not in RUN_ELSEWHERE
    )
    if page.name == "tutorial.md" or not (program or commands(page)):
        return
    folder = request.getfixturevalue("followed")

    assert failed_commands(page, folder) == {}
    if program:
        (folder / f"{page.stem}.py").write_text(program)
        ran = run(f"python {page.stem}.py", folder)
        assert ran.returncode == 0, ran.stderr


def test_the_queries_on_meetings_db_can_be_asked(followed: Path) -> None:
    database = followed / "sites" / "millbrook-falls" / "meetings.db"
    queries = [block.code for block in blocks(ROOT / MEETINGS_DB) if block.language == "sql"]

    assert queries
    with closing(sqlite3.connect(database)) as connection:
        for query in queries:
            connection.execute(query).fetchall()


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_block_is_run_or_says_why_not(page: Path) -> None:
    unexplained = [
        block.code.splitlines()[0]
        for block in blocks(page)
        if not block.reason_not_to_run
        and block.language not in {"console", "python", *NO_CODE}
        and (named(page), block.language) not in {*RUN_ELSEWHERE, (MEETINGS_DB, "sql")}
    ]

    assert unexplained == []


def test_what_is_run_elsewhere_is_run_there() -> None:
    for (page, _), test in RUN_ELSEWHERE.items():
        source = (ROOT / test).read_text()
        assert Path(page).name in source or "GUIDE" in source, (page, test)


@pytest.fixture(scope="module")
def answers(followed: Path) -> dict[str, object]:
    """What the commands print as JSON in the tutorial's folder."""
    shapes = pytest.importorskip("tools.json_shapes", reason="the repository is not here")
    return shapes.answers(followed)


def test_json_outputs_are_as_their_schemas_say(answers: dict[str, object]) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schemas = {
        path.stem: json.loads(path.read_text()) for path in (DOCS / "reference/json").glob("*.json")
    }

    assert schemas.keys() == answers.keys()
    wrong = {
        name: str(error.message)[:200]
        for name, schema in schemas.items()
        for error in jsonschema.Draft202012Validator(schema).iter_errors(answers[name])
    }
    assert wrong == {}


def test_every_command_that_prints_json_has_a_schema() -> None:
    shapes = pytest.importorskip("tools.json_shapes", reason="the repository is not here")
    commands = (DOCS / "reference/commands.md").read_text()
    printing = {
        name
        for name, shown in re.findall(
            r"^### `clerk (.+?)`\n+```text\n(.*?)^```", commands, re.M | re.S
        )
        if re.search(r"^  --json ", shown, re.M)
    }
    described = {" ".join(words) for words in shapes.COMMANDS.values()}

    missing = {
        name
        for name in printing
        if not any(f"{each} ".startswith(f"{name} ") for each in described)
    }
    assert missing == set(shapes.WITHOUT_SCHEMA)


def test_a_field_that_is_gone_is_noticed() -> None:
    shapes = pytest.importorskip("tools.json_shapes", reason="the repository is not here")
    before, now = shapes.shape([{"a": 1, "b": {"c": "x"}}]), shapes.shape([{"b": {"d": None}}])

    assert shapes.gone(before, now) == ["[].a", "[].b.c"]
    assert shapes.gone(before, shapes.joined(before, now)) == []
