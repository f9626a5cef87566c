"""Command-line options that the benchmarks share."""

from __future__ import annotations

import argparse
import importlib.util
import os
from pathlib import Path

#: Real material, if it is there: labelled minutes, scans with their text, PDFs of towns.
_SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def parser(name: str, description: str | None) -> argparse.ArgumentParser:
    """Return a parser with the option ``--tiny``."""
    made = argparse.ArgumentParser(
        prog=f"python -m bench.{name}",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--tiny", action="store_true", help="run with tiny sizes; apply no bars")
    return made


def shared_data() -> Path | None:
    """Return the folder with real material: CLERK_SHARED_DATA, or ``../shared/data``."""
    folder = Path(os.environ.get("CLERK_SHARED_DATA") or _SHARED_DATA)
    return folder if folder.is_dir() else None


def is_installed(module: str, compared: str) -> bool:
    """Whether a module is installed; if not, say what is left out of the comparison."""
    if importlib.util.find_spec(module) is not None:
        return True
    print(f"{module} is not installed: no comparison with {compared}.", flush=True)
    return False


def bytecode(folder: Path) -> dict[str, str]:
    """Return the variables with which Python keeps what it compiles, as where clerk is installed.

    In a folder of the benchmark, unless PYTHONPYCACHEPREFIX says where.
    """
    place = os.environ.get("PYTHONPYCACHEPREFIX", str(folder))
    return {"PYTHONPYCACHEPREFIX": place, "PYTHONDONTWRITEBYTECODE": ""}


def exit_code(*, tiny: bool, bars_met: bool) -> int:
    """Return 1 if a bar was missed, but 0 for a tiny run, whose figures mean nothing."""
    return 0 if tiny or bars_met else 1
