"""The command line: parse, call one function below, print.

Commands are imported when they are called, so that ``clerk --help`` stays quick: this table names
where each one lives and carries its one-line help.
"""

from __future__ import annotations

import contextlib
import errno
import gc
import importlib
import os
import sys
from collections.abc import Iterator
from typing import Any

import click

from clerk import __version__
from clerk.core.config import color_wanted
from clerk.core.errors import ClerkError

#: name -> (module below clerk.cli, attribute, one line of help)
COMMANDS: dict[str, tuple[str, str, str]] = {
    "annotations": ("annotations", "commands", "Upload and export annotation collections."),
    "batch": ("batch", "batch", "Look at batches, and clean up after them."),
    "demo": ("demo", "demo", "Run the whole pipeline on sample documents."),
    "db": ("db", "db", "Create, upgrade and check the database."),
    "export": ("export", "export", "Take the pages and votes of a site elsewhere."),
    "extract": ("extract", "extract", "Print the votes and names found in files."),
    "migrate-stuck-sites": (
        "migrate_stuck_sites",
        "migrate_stuck_sites",
        "Take over an old installation.",
    ),
    "failures": ("failures", "failures", "List failed documents; retry or skip them."),
    "config": ("config", "config", "Show the settings."),
    "doctor": ("doctor", "doctor", "Check this machine and say how to mend it."),
    "install-units": ("install_units", "install_units", "Write systemd or launchd timers."),
    "queue": ("queue", "queue", "Look at the queues, pause and purge them."),
    "health": ("status", "health", "Check everything, for monitoring."),
    "pipeline-status": ("status", "pipeline_status", "Show where all sites stand."),
    "read": ("read", "read", "Print the text of one PDF."),
    "reconcile-pipeline": ("reconcile_pipeline", "reconcile_pipeline", "Repair whatever stopped."),
    "run": ("run", "run", "Take sites through every stage in this process."),
    "search": ("search", "search", "Search the compiled sites."),
    "serve": ("serve", "serve", "Serve the search site and the operators' pages."),
    "session": ("session", "session", "List and revoke logins to the web pages."),
    "site": ("site", "site", "Add, list and change the places that are followed."),
    "token": ("token", "token", "List and revoke tokens of programs."),
    "update": ("run", "update", "Queue a site for the workers."),
    "worker": ("worker", "worker", "Work on one kind of job until stopped."),
}


class LazyGroup(click.Group):
    """A group whose commands are imported only when they are needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, sorted."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return one command, or None."""
        if cmd_name not in COMMANDS:
            return None
        module, attribute, _ = COMMANDS[cmd_name]
        command: click.Command = getattr(importlib.import_module(f"clerk.cli.{module}"), attribute)
        return command

    def make_context(self, *args: Any, **options: Any) -> click.Context:
        """Parse the arguments; ``--help`` and ``--version`` print here."""
        with _ending_quietly_without_a_reader():
            return super().make_context(*args, **options)

    def invoke(self, ctx: click.Context) -> object:
        """Run the command."""
        with _ending_quietly_without_a_reader():
            return super().invoke(ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands from the table, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name][2]) for name in self.list_commands(ctx)])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="clerk", message="%(prog)s %(version)s")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Turn the minutes and agendas of towns into searchable sites.

    \b
    Start here:
      clerk demo                                  the pipeline on sample documents
      clerk site add springfield --from ./pdfs    follow a folder, list or portal
      clerk run springfield                       fetch, read, compile, publish
      clerk search "zoning variance"
    """
    ctx.color = color_wanted()


#: Garbage is looked for after so many new objects; most of a command's are modules, and stay.
_OBJECTS_BETWEEN_COLLECTIONS = 20_000


def main() -> None:
    """Run the command line and end with its exit code."""
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    _occupy_closed_streams()
    try:
        status = _run()
        status = _flush(status)
    finally:
        # Nothing that is left needs collecting: it goes with the process.
        gc.freeze()
    sys.exit(status)


def _run() -> int:
    """Run the command line; turn clerk's errors into one line and return the exit code."""
    try:
        status = cli.main(standalone_mode=False, prog_name="clerk")
    except click.exceptions.Abort:
        with contextlib.suppress(OSError):
            click.echo("Interrupted.", err=True)
        return 130
    except click.ClickException as error:
        with contextlib.suppress(OSError):
            error.show()
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    except ClerkError as error:
        show_error(error)
        return error.exit_code
    except OSError as error:
        show_error(_as_clerk_error(error))
        return ClerkError.exit_code
    except SystemExit as end:
        status = end.code
    return status if isinstance(status, int) else 0


def _occupy_closed_streams() -> None:
    """Open the null device in place of a standard stream that is closed.

    Otherwise the next file that is opened, perhaps the database, gets the number of the stream,
    and whatever a library prints goes into it.  The device is opened the wrong way round, so that
    writing to a closed stdout fails, as it should.
    """
    for number, mode in ((0, os.O_WRONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, mode)
            if number == 1:
                sys.stdout = open(number, "w", closefd=False)  # noqa: SIM115


def _flush(status: int) -> int:
    """Write what is still buffered; return the exit code, which is not 0 if that fails.

    The interpreter would flush, too, but would print "Exception ignored" and exit with 120.
    """
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _discard(sys.stdout.fileno())
    except OSError as error:
        _discard(sys.stdout.fileno())
        if status == 0:
            show_error(_as_clerk_error(error))
            status = ClerkError.exit_code
    try:
        if sys.stderr is not None:
            sys.stderr.flush()
    except OSError:
        _discard(sys.stderr.fileno())
    return status


@contextlib.contextmanager
def _ending_quietly_without_a_reader() -> Iterator[None]:
    """Exit with 0 when the reader of the output has closed the pipe: it has seen enough."""
    try:
        yield
    except BrokenPipeError:
        _discard(sys.stdout.fileno())
        raise click.exceptions.Exit(0) from None


def _discard(descriptor: int) -> None:
    """Send whatever is still written to a stream to the null device."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, descriptor)
    os.close(null)


def _as_clerk_error(error: OSError) -> ClerkError:
    if error.errno == errno.EBADF and not error.filename:
        return ClerkError("Standard output is closed.")
    named = f": {error.filename}" if error.filename else ""
    return ClerkError(f"{error.strerror or error}{named}.")


def show_error(error: ClerkError) -> None:
    """Print what went wrong and what to do next, if stderr can be written to."""
    with contextlib.suppress(OSError):
        click.secho(f"Error: {error}", fg="red", err=True)
        if error.hint:
            click.echo(error.hint, err=True)
