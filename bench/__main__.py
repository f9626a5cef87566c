"""``python -m bench [NAME...]``: run all benchmarks, or those named.

Each compares clerk with something else in the same run on the same machine; only the ratios mean
anything.  Give CLERK_SHARED_DATA=FOLDER to measure on real material as well.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path


def main() -> int:
    """Run the benchmarks, each in a process of its own."""
    names = sorted(path.stem for path in Path(__file__).parent.glob("[a-z]*.py"))
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(names)}")
    chosen = parser.parse_args().names or [name for name in names if name not in HELPERS]
    worst = 0
    for name in chosen:
        print(f"\n=== {name} " + "=" * (72 - len(name)), flush=True)
        worst = max(worst, subprocess.call([sys.executable, "-m", f"bench.{name}"]))
    return worst


#: Modules that are not benchmarks by themselves.
HELPERS = ("queue_celery", "queue_clerk", "queue_dramatiq", "queue_rq", "servers")


if __name__ == "__main__":
    sys.exit(main())
