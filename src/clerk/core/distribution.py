"""The name under which clerk is installed: the only module that says what to give to pip.

The package and the command are called ``clerk``; on the package index that name belongs to an
unrelated project, so the distribution has another one.
"""

from __future__ import annotations

#: What the console script of our distribution calls; no other distribution has this one.
ENTRY_POINT = "clerk.cli:main"

#: On the package index this is somebody else's code.  Older installations of ours have it, too.
NOT_OURS = "clerk"


def install_command(*options: str, extra: str = "") -> str:
    """Return the pip command that installs clerk, perhaps with an extra.

    The name comes from the installed metadata.  A source tree that runs without having been
    installed has none; the command then installs the tree in the current folder.
    """
    # Reading metadata opens a file per installed distribution: only when a hint is shown.
    from importlib import metadata

    names = {
        script.dist.name
        for script in metadata.entry_points(group="console_scripts")
        if script.value == ENTRY_POINT and script.dist is not None
    }
    name = min(names - {NOT_OURS}, default=".")
    wanted = f"'{name}[{extra}]'" if extra else name
    return " ".join(("pip install", *options, wanted))
