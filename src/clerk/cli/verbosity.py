"""``-q`` and ``-v``: how much clerk says besides its results."""

from __future__ import annotations

from typing import Any

import click


def _set_quiet(ctx: click.Context, _option: click.Parameter, value: bool) -> None:
    ctx.meta["clerk.quiet"] = value or ctx.meta.get("clerk.quiet", False)


def _set_verbose(ctx: click.Context, _option: click.Parameter, value: int) -> None:
    ctx.meta["clerk.verbose"] = max(value, ctx.meta.get("clerk.verbose", 0))


def verbosity_options(command: Any) -> Any:
    """Add ``-q`` and ``-v``, which may be before the command or after it."""
    for option in (
        click.option(
            *("--quiet", "-q"),
            is_flag=True,
            expose_value=False,
            callback=_set_quiet,
            help="Print no progress and no hints.",
        ),
        click.option(
            *("--verbose", "-v"),
            count=True,
            expose_value=False,
            callback=_set_verbose,
            help="Log what is done; -vv: everything.",
        ),
    ):
        command = option(command)
    return command


def is_quiet() -> bool:
    """Whether clerk was called with --quiet."""
    ctx = click.get_current_context(silent=True)
    return ctx is not None and bool(ctx.meta.get("clerk.quiet"))


def is_verbose() -> int:
    """How often clerk was called with --verbose."""
    ctx = click.get_current_context(silent=True)
    return int(ctx.meta.get("clerk.verbose", 0)) if ctx else 0


def log_level(usual: str) -> str:
    """Return the level to log at: the usual one of a command, or what -q and -v ask for."""
    if is_verbose():
        return "DEBUG" if is_verbose() > 1 or usual == "INFO" else "INFO"
    return "ERROR" if is_quiet() else usual
