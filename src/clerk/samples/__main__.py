"""Write the sample documents: ``python -m clerk.samples FOLDER``."""

from __future__ import annotations

import sys
from pathlib import Path

from . import write_samples


def main(arguments: list[str]) -> int:
    """Write the samples into the folder named and list them on stdout."""
    if len(arguments) != 1 or arguments[0].startswith("-"):
        sys.stderr.write("Usage: python -m clerk.samples FOLDER\n")
        return 2
    for sample in write_samples(Path(arguments[0])):
        sys.stdout.write(f"{sample.path}  (pages: {len(sample.pages)}; {sample.made})\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
