"""``python -m bench [--tiny] [NAME...]``: run all benchmarks, or those named.

Each compares clerk with other tools in the same run on the same machine; only the ratios mean
anything.  CLERK_SHARED_DATA=FOLDER measures on real material as well.

``--former FOLDER`` runs the same benchmarks of another checkout of clerk in turn with these, each
with its own code, and prints the processor time of both.  Options after ``--`` go to each.
"""

from __future__ import annotations

import argparse
import os
import resource
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
    parser.add_argument("--former", type=Path, help="checkout of a version to compare with")
    parser.add_argument("--turns", type=int, default=1, help="how often both versions have a turn")
    at = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    asked, further = parser.parse_args(sys.argv[1:at]), sys.argv[at + 1 :]
    if unknown := sorted(set(asked.names) - set(names())):
        parser.error(f"no benchmark is named {', '.join(unknown)}")
    versions = [Path(__file__).resolve().parents[1]]
    versions += [asked.former.resolve()] if asked.former else []
    codes: dict[str, int] = {}
    for name in asked.names or names():
        for folder in versions * asked.turns:
            title = f"{name} of {folder}" if asked.former else name
            print(f"\n=== {title} " + "=" * (72 - len(title)), flush=True)
            command = [sys.executable, "-m", f"bench.{name}", *(["--tiny"] if asked.tiny else [])]
            path = {"PYTHONPATH": str(folder / "src")} if asked.former else {}
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            code = subprocess.call([*command, *further], cwd=folder, env=os.environ | path)
            spent = resource.getrusage(resource.RUSAGE_CHILDREN)
            if folder == versions[0]:
                codes[name] = code
            if asked.former:
                seconds = spent.ru_utime + spent.ru_stime - before.ru_utime - before.ru_stime
                print(f"processor time: {seconds:.1f} s, exit code {code}", flush=True)
    if missed := [name for name, code in codes.items() if code]:
        print(f"\nNot all bars were met, or failed: {', '.join(missed)}")
    return max(codes.values(), key=abs)


if __name__ == "__main__":
    sys.exit(main())
