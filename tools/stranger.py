"""Play a stranger who has nothing but the repository: ``make stranger``.

In a fresh clone and fresh virtual environments, never in the ones of the developer:

1. build the wheel and install it with the extra ``web``; it must be small enough
2. follow the tutorial and the other pages with code, with the installed wheel
3. install completion and manual pages, load the one and render the other
4. in the clone, as a contributor: ``make demo``, then the search that README.md suggests
5. ``make docs``, which builds the documentation without warnings; check every link of the site
6. lint the files of the containers

Only committed files are in the clone.  No step may take longer than STEP_SECONDS.  What is not run:
``make test``, images are not built or started, and the other platforms are only resolved
(``python -m tools.check_platforms``).
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).parents[1]
MOST_MEGABYTES = 300
#: The longest step, installing packages on a slow connection, takes a few minutes.
STEP_SECONDS = 1200
#: Come with every virtual environment.
NOT_OURS = ("pip", "setuptools", "pkg_resources", "_distutils_hack")


class Links(HTMLParser):
    """The links of a page, and the places in it that links may lead to."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Remember what a tag refers to and how it is called."""
        for name, value in attrs:
            if value and (name in ("id", "name")):
                self.anchors.add(value)
            elif value and name in ("href", "src"):
                self.links.append(value)


def run(step: str, *command: object, folder: Path, **variables: str) -> str:
    """Run a command in a clean environment; stop with its output if it fails or hangs."""
    print(f"{step} ...", flush=True)
    began = time.monotonic()
    kept = {name: os.environ[name] for name in ("HOME", "LANG") if name in os.environ}
    kept |= {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_"))}
    environment = {**kept, "PATH": os.environ["PATH"], **variables}
    with subprocess.Popen(
        [str(each) for each in command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as started:
        try:
            said, _ = started.communicate(timeout=STEP_SECONDS)
        except subprocess.TimeoutExpired:
            # Its children, too: they keep the pipe open.
            os.killpg(started.pid, signal.SIGKILL)
            sys.exit(f"{step} did not end within {STEP_SECONDS} seconds.")
    if started.returncode:
        sys.exit(f"{step} failed ({started.returncode}):\n{said[-4000:]}")
    print(f"  {time.monotonic() - began:.0f} s")
    return said


def megabytes(environment: Path) -> float:
    """Return what an environment takes on disk without compiled files and without pip."""
    (packages,) = environment.glob("lib/python*/site-packages")
    files = (path for path in packages.rglob("*") if path.is_file() and not path.is_symlink())
    return (
        sum(
            path.stat().st_blocks * 512
            for path in files
            if path.suffix != ".pyc"
            and path.relative_to(packages).parts[0].partition("-")[0] not in NOT_OURS
        )
        / 2**20
    )


def dead_links(site: Path) -> Iterator[str]:
    """Yield the links of a built site that lead nowhere on it; other hosts are not asked."""
    pages: dict[Path, Links] = {}
    for path in site.rglob("*.html"):
        pages[path] = Links()
        pages[path].feed(path.read_text(encoding="utf-8"))
    for path, page in pages.items():
        if path.name == "404.html":
            continue
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or link.startswith("data:"):
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            anchors = pages[target].anchors if target in pages else {parts.fragment}
            if not target.exists() or (parts.fragment and unquote(parts.fragment) not in anchors):
                yield f"{path.relative_to(site)}: {link}"


def main() -> None:
    """Play the stranger."""
    with tempfile.TemporaryDirectory(prefix="stranger-") as scratch:
        folder = Path(scratch)
        clone, installed, tests = folder / "clone", folder / "installed", folder / "tests"
        run("Cloning", "git", "clone", "-q", "--depth=1", f"file://{ROOT}", clone, folder=folder)

        run("Making an environment", sys.executable, "-m", "venv", installed, folder=folder)
        pip, pins = installed / "bin" / "pip", clone / "constraints.txt"
        quiet = ("-q", "--disable-pip-version-check")
        run(
            "Building the wheel", pip, "wheel", *quiet, "--no-deps", "-w", "dist", ".", folder=clone
        )
        (wheel,) = (clone / "dist").glob("*.whl")
        install = (pip, "install", *quiet, "--no-compile", "-c", pins, f"{wheel}[web]")
        run("Installing the wheel", *install, folder=folder)
        size = megabytes(installed)
        print(f"The installed wheel with the extra web takes {size:.0f} MB.")
        if size > MOST_MEGABYTES:
            sys.exit(f"That is more than {MOST_MEGABYTES} MB.")
        clerk = installed / "bin" / "clerk"
        print(run("Asking for the version", clerk, "--version", folder=folder).strip())

        # The examples use Datasette and pandas, as a reader would after installing them.
        extra = (pip, "install", *quiet, "-c", pins, "datasette", "pandas", "pytest", "pyyaml")
        run("Installing what the examples use", *extra, folder=folder)
        tests.mkdir()
        for page in ("docs", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"):
            source = clone / page
            copy = shutil.copytree if source.is_dir() else shutil.copy
            copy(source, tests / page)
        (tests / "tests" / "docs").mkdir(parents=True)
        name = "docs/test_pages_run.py"
        shutil.copy(clone / "tests" / name, tests / "tests" / name)
        pytest = (installed / "bin" / "python", "-m", "pytest", "-q", "-p", "no:cacheprovider")
        pages = (tests / "tests" / "docs" / "test_pages_run.py", "-k", "not elsewhere")
        answer = run("Following the documentation", *pytest, *pages, folder=tests)
        print(answer.strip().splitlines()[-1])

        home = folder / "home"
        home.mkdir()
        install = (clerk, "completion", "install", "--shell", "bash")
        run("Installing completion and manual pages", *install, folder=folder, HOME=str(home))
        script = home / ".local/share/bash-completion/completions/clerk"
        completes = f". {script}; COMP_WORDS=(clerk searc); COMP_CWORD=1; _clerk_completion clerk"
        loaded = run(
            "Completing a command",
            *("bash", "-c", f'{completes}; echo "${{COMPREPLY[@]}}"'),
            folder=folder,
            PATH=f"{clerk.parent}:{os.environ['PATH']}",
        )
        if loaded.split() != ["search", "search-index"]:
            sys.exit(f"The completion offers {loaded!r}.")
        manual = home / ".local/share/man/man1/clerk-run.1"
        if shutil.which("groff"):
            shown = run("Rendering a manual page", "groff", "-man", "-Tutf8", manual, folder=folder)
            if "ocr" not in shown:
                sys.exit("The manual page of clerk run does not show its options.")
        else:
            print("groff is not installed: manual pages were not rendered.")

        make = ("make", f"PYTHON={sys.executable}")
        run("Running make demo in the clone", *make, "demo", folder=clone)
        own = clone / ".venv" / "bin"
        search = (own / "clerk", "search", "copper heron weathervane")
        found = run("Searching the demo", *search, folder=clone, STORAGE_DIR="demo/sites")
        if "1 page found" not in found:
            sys.exit(f"The search of README.md answers {found!r}.")
        run("Building the documentation", *make, "docs", folder=clone)
        dead = list(dead_links(clone / "build" / "site"))
        if dead:
            sys.exit("Dead links:\n" + "\n".join(dead))
        print("Every link of the documentation leads somewhere.")
        run("Installing the tools for contributors", *make, ".venv/.tools", folder=clone)
        run("Linting the Dockerfile", own / "hadolint", "deployment/Dockerfile", folder=clone)
        check = (own / "check-jsonschema", "--builtin-schema", "vendor.compose-spec")
        run("Checking compose.yaml", *check, "deployment/compose.yaml", folder=clone)
    print("The stranger is content. Not run: make test; building and starting containers.")


if __name__ == "__main__":
    main()
