"""``python -m bench [--tiny] [NAME...]``: run all benchmarks, or those named.

Each compares clerk with other tools in the same run on the same machine; only the ratios mean
anything.  CLERK_SHARED_DATA=FOLDER measures on real material as well.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

#: Modules that are not benchmarks by themselves.
HELPERS = ("options", "queue_celery", "queue_clerk", "queue_dramatiq", "queue_rq", "servers")


def names() -> list[str]:
    """Return the names of all benchmarks."""
    modules = sorted(path.stem for path in Path(__file__).parent.glob("[a-z]*.py"))
    return [name for name in modules if name not in HELPERS]


def main() -> int:
    """Run the benchmarks, each in a process of its own; return the worst exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m bench",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(names())}")
    parser.add_argument("--tiny", action="store_true", help="run with tiny sizes; apply no bars")
    asked = parser.parse_args()
    if unknown := sorted(set(asked.names) - set(names())):
        parser.error(f"no benchmark is named {', '.join(unknown)}")
    codes: dict[str, int] = {}
    for name in asked.names or names():
        print(f"\n=== {name} " + "=" * (72 - len(name)), flush=True)
        command = [sys.executable, "-m", f"bench.{name}", *(["--tiny"] if asked.tiny else [])]
        codes[name] = subprocess.call(command)
    if missed := [name for name, code in codes.items() if code]:
        print(f"\nNot all bars were met, or failed: {', '.join(missed)}")
    return max(codes.values(), key=abs)


if __name__ == "__main__":
    sys.exit(main())
