"""Publishing by rsync: ``rsync://user@host/srv/www`` goes over ssh to that folder.

The files of a site appear below ``{folder}/{site}/``: they are uploaded under temporary names and
renamed together at the end, so that readers see a mixture only for the moment of the renames.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from urllib.parse import unquote, urlsplit

from clerk.core.errors import MissingTool, SourceUnavailable

_TIMEOUT_SECONDS = 3600


class Rsync:
    """The ``rsync`` program found on the PATH, or another with the same options."""

    name = "rsync"

    def __init__(self, program: str = "rsync") -> None:
        self._program = program

    def deploy(self, version: Path, subdomain: str, target: str) -> None:
        """Make the target's folder equal to the version."""
        program = shutil.which(self._program)
        if program is None:
            raise MissingTool(
                f"Publishing to {target} needs the program rsync.",
                hint="Install rsync, here and on the other machine.",
            )
        options = ["-rlt", "--mkpath", "--delay-updates", "--delete-delay", "--chmod=D755,F644"]
        command = [program, *options, "--", f"{version}/", destination(target, subdomain)]
        done = subprocess.run(command, capture_output=True, timeout=_TIMEOUT_SECONDS, check=False)
        if done.returncode:
            reason = done.stderr.decode("utf-8", "replace").strip().splitlines()
            raise SourceUnavailable(
                f"rsync to {target} failed: {reason[-1] if reason else done.returncode}."
            )


def destination(target: str, subdomain: str) -> str:
    """Return the address in rsync's syntax: ``user@host:/folder/site/``, or a local folder."""
    parts = urlsplit(target)
    folder = f"{unquote(parts.path).rstrip('/')}/{subdomain}/"
    return f"{parts.netloc}:{folder}" if parts.netloc else folder
