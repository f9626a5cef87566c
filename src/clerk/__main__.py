"""``python -m clerk``."""

from clerk.cli import main

main()
