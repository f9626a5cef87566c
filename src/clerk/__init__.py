"""clerk turns the minutes and agendas of towns into searchable sites.

``clerk.open(storage)`` gives what was compiled: see :mod:`clerk.library`.
"""

# The built-in module: `signal` loads `enum` first, and Ctrl-C in that time shows a traceback.
import _signal as signal  # type: ignore[import-not-found]
import sys

_program = next(iter(sys.argv), "")
_is_clerk = _program.endswith("/clerk") or (_program == "-m" and "clerk" in sys.orig_argv)
if _is_clerk and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    # This is the program, not a library: Ctrl-C while it loads ends it without a traceback.
    # ``clerk.cli.main`` answers from there on.
    signal.signal(signal.SIGINT, signal.SIG_DFL)

from typing import TYPE_CHECKING, Any  # noqa: E402

from pluggy import HookimplMarker  # noqa: E402

if TYPE_CHECKING:
    from .library import Library, LibraryDocument, open

__all__ = ["Library", "LibraryDocument", "__version__", "hookimpl", "open"]

__version__ = "0.2.0"

#: Marks a function as the implementation of one of the hooks in :mod:`clerk.core.hookspecs`.
hookimpl = HookimplMarker("clerk")


def __getattr__(name: str) -> Any:
    """Load the library when it is first asked for: every module of clerk imports this one."""
    from importlib import import_module

    if name not in ("Library", "LibraryDocument", "open"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("clerk.library"), name)
