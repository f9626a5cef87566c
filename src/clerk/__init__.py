"""clerk turns the minutes and agendas of towns into searchable sites."""

from pluggy import HookimplMarker

__version__ = "0.1.0"

#: Marks a function as the implementation of one of the hooks in :mod:`clerk.core.hookspecs`.
hookimpl = HookimplMarker("clerk")
