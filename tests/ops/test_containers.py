"""The files of containers and workflows are what their programs accept, and pinned."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
DOCKERFILE = ROOT / "deployment" / "Dockerfile"
COMPOSE = ROOT / "deployment" / "compose.yaml"
#: A version with all its parts, as in postgres:17.5-alpine; not latest, not 17.
PINNED = re.compile(r"[\w./-]+:\d+\.\d+(\.\d+)?(-[\w.]+)*")


def run(program: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    path = Path(sys.executable).with_name(program)
    return subprocess.run([path, *map(str, arguments)], capture_output=True, text=True)


def test_the_dockerfile_passes_hadolint() -> None:
    found = run("hadolint", DOCKERFILE)

    assert (found.returncode, found.stdout) == (0, "")


@pytest.mark.parametrize(
    ("schema", "file"),
    [
        ("vendor.compose-spec", COMPOSE),
        *(("vendor.github-workflows", each) for each in (ROOT / ".github/workflows").iterdir()),
    ],
    ids=lambda each: each.name if isinstance(each, Path) else "",
)
def test_a_file_has_the_shape_its_program_expects(schema: str, file: Path) -> None:
    found = run("check-jsonschema", "--builtin-schema", schema, file)

    assert found.returncode == 0, found.stdout


def test_images_are_pinned() -> None:
    named = re.findall(r"^FROM (\S+)", DOCKERFILE.read_text(), re.MULTILINE)
    services = yaml.safe_load(COMPOSE.read_text())["services"]
    named += [each["image"] for each in services.values() if each["image"] != "clerk"]

    assert len(named) >= 6
    assert [image for image in named if not PINNED.fullmatch(image)] == []


def test_the_image_runs_without_root_and_checks_itself() -> None:
    last_stage = DOCKERFILE.read_text().rpartition("\nFROM ")[2]

    assert re.search(r"^USER [1-9]\d*$", last_stage, re.MULTILINE)
    assert re.search(r"^HEALTHCHECK .*\n?.*healthz", last_stage, re.MULTILINE)
    assert "pip install" not in last_stage


def languages_step() -> str:
    """The step that installs languages, as the shell gets it."""
    (step,) = re.findall(
        r"^RUN (if \[ -n \"\$LANGUAGES.*?; \\\n    fi)$", DOCKERFILE.read_text(), re.M | re.S
    )
    return step.replace("\\\n", "")


@pytest.mark.parametrize(
    ("languages", "ran"),
    [("", []), ("spa fra", ["apt-get update", "clerk languages add --yes spa fra"])],
)
def test_the_image_gets_the_languages_that_are_asked_for(
    languages: str, ran: list[str], tmp_path: Path
) -> None:
    for name in ("apt-get", "clerk", "rm"):
        program = tmp_path / name
        program.write_text(f'#!/bin/sh\necho {name} "$@" >> "{tmp_path}/ran"\n')
        program.chmod(0o755)
    (tmp_path / "ran").touch()
    step = languages_step().replace("/opt/clerk/bin/", "")

    done = subprocess.run(
        ["/bin/sh", "-c", step], env={"PATH": str(tmp_path), "LANGUAGES": languages}
    )

    assert done.returncode == 0
    assert (tmp_path / "ran").read_text().splitlines()[:2] == ran


def test_everything_the_image_copies_reaches_the_build() -> None:
    allowed = re.findall(r"^!(\S+)$", (ROOT / ".dockerignore").read_text(), re.MULTILINE)
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE.read_text(), re.MULTILINE)

    assert {name for line in copied for name in line.split()} == set(allowed)
    assert [name for name in allowed if not (ROOT / name).exists()] == []
