"""Start the commands that people wait for, compared with starting Python alone.

    python -m bench.startup [--tiny]

Times are processor time (user and system), the best of several starts, with compiled modules.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from bench import options
from bench.compile import SITE, Prose, compile_rows, write_site

#: Seconds of processor time that a command may take.
BARS = {"clerk --help": 0.2, "clerk search": 0.4}


def seconds(command: list[str], folder: Path, starts: int) -> float:
    """Return the least processor time of several starts."""
    compiled = options.bytecode(folder / "compiled") | {"STORAGE_DIR": str(folder)}
    variables = {name: value for name, value in os.environ.items() if name[:4] != "PYTH"}
    best = float("inf")
    for _ in range(starts + 1):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            command, env=variables | compiled, cwd=folder, capture_output=True, check=True
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        best = min(best, used)
    return best


def main() -> int:
    """Print the times; return 1 if a command takes longer than it may."""
    asked = options.parser("startup", __doc__).parse_args()
    starts, pages = (1, 20) if asked.tiny else (10, 1000)
    clerk = str(Path(sys.executable).with_name("clerk"))
    met = True
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        site = folder / SITE["subdomain"]
        compile_rows(site, write_site(site, pages, 5, Prose()))
        bare = seconds([sys.executable, "-c", "pass"], folder, starts)
        print(f"{'python -c pass':16} {bare:.3f} s of processor time")
        words = {"clerk --help": ["--help"], "clerk search": ["search", "the"]}
        for name, arguments in words.items():
            taken = seconds([clerk, *arguments], folder, starts)
            met = met and taken < BARS[name]
            print(f"{name:16} {taken:.3f} s, {taken / bare:.0f} x; bar {BARS[name]} s")
    return options.exit_code(tiny=asked.tiny, bars_met=met)


if __name__ == "__main__":
    sys.exit(main())
