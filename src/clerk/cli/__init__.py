"""The command line: parse, call one function below, print.

Each command is in the module of its name, which is imported when the command is called, so that
``clerk --help`` stays fast.
"""

from __future__ import annotations

import contextlib
import errno
import gc
import importlib
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import click

from clerk import __version__
from clerk.core.config import color_wanted, use_plugins_of
from clerk.core.errors import ClerkError, UnsupportedPlatform

from .verbosity import verbosity_options

#: One line of help for each command; the command ``a-b`` is in the module ``a_b``.
COMMANDS = {
    "annotations": "Upload and export annotation collections.",
    "batch": "List, report, retry and clean up batches.",
    "completion": "Install shell completion and manual pages.",
    "config": "Show the settings.",
    "db": "Create, upgrade and check the database.",
    "demo": "Run the whole pipeline on sample documents.",
    "doctor": "Check this machine and suggest fixes.",
    "documents": "Show and correct what documents are.",
    "export": "Export the pages and votes of a site.",
    "extract": "Print the votes and names found in files.",
    "failures": "List failed documents; retry or skip them.",
    "fetch-test": "Print the documents that a fetcher lists.",
    "follow": "Notify followers of new documents.",
    "health": "Check everything, for monitoring.",
    "install-units": "Write systemd or launchd units and timers.",
    "languages": "List and install languages for OCR.",
    "migrate-stuck-sites": "Take over an old installation.",
    "notify": "Report problems by mail or chat.",
    "pipeline-status": "Show the state of all sites.",
    "queue": "List, pause, resume and purge the queues.",
    "read": "Print the text of a PDF, HTML or DOCX file.",
    "reconcile-pipeline": "Find and recover stuck sites.",
    "redo": "Repeat a stage for the sites that match.",
    "run": "Fetch, read, compile and publish sites.",
    "schedule": "Show and change when sites are queued.",
    "search": "Search the compiled sites.",
    "search-index": "Show, update or rebuild the search index.",
    "serve": "Serve the search site and operators' pages.",
    "session": "List and revoke logins to the web pages.",
    "site": "Add, list, change and remove sites.",
    "token": "List and revoke API tokens.",
    "update": "Queue sites for the workers.",
    "versions": "List, search and compare versions.",
    "worker": "Process jobs until stopped.",
}


#: Commands of the old system that clerk does not have, and what to use instead.
GONE = {
    "build-db-from-text": "clerk redo --stage compilation --site SITE",
    "check-failed": "clerk failures list",
    "cleanup-orphaned": "clerk reconcile-pipeline",
    "diagnose-workers": "clerk health, and on each machine clerk doctor",
    "install-workers": "clerk install-units",
    "new": "clerk site add SITE --from URL",
    "purge": "clerk site remove SITE",
    "purge-queue": "clerk queue purge NAME",
    "reload-workers": "systemctl restart 'clerk-worker@*' (workers finish what they are doing)",
    "remove-all-image-dirs": "nothing: clerk keeps no folders of page images",
    "uninstall-workers": "systemctl disable --now 'clerk-worker@*'",
}


class LazyGroup(click.Group):
    """A group whose commands are imported only when they are needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, sorted."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return one command, or None."""
        if cmd_name in COMMANDS:
            module = importlib.import_module(f"clerk.cli.{cmd_name.replace('-', '_')}")
            for each in vars(module).values():
                if isinstance(each, click.Command) and each.name == cmd_name:
                    return each
            return None
        from clerk.core import plugins

        for offered in plugins.manager().hook.register_cli_commands():
            if isinstance(offered, click.Command):
                offered = [offered]
            named = offered if isinstance(offered, dict) else {each.name: each for each in offered}
            if isinstance(named.get(cmd_name), click.Command):
                return cast(click.Command, named[cmd_name])
        return _gone_command(cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; suggest similar names if there is none."""
        try:
            return super().resolve_command(ctx, args)
        except click.exceptions.NoSuchCommand as error:
            raise click.exceptions.NoSuchCommand(
                error.command_name, possibilities=COMMANDS, ctx=ctx
            ) from None

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
            formatter.write_dl(sorted(COMMANDS.items()))


def _gone_command(name: str) -> click.Command | None:
    """Return a command that says what to use instead of one of the old system."""
    if name not in GONE:
        return None

    def answer(arguments: tuple[str, ...]) -> None:
        raise click.UsageError(f"There is no command '{name}' any more. Use: {GONE[name]}")

    anything = click.Argument(["arguments"], nargs=-1, type=click.UNPROCESSED)
    settings = {"ignore_unknown_options": True, "help_option_names": []}
    help = f"Removed; use {GONE[name]}."
    return click.Command(
        name, callback=answer, params=[anything], context_settings=settings, hidden=True, help=help
    )


def _use_plugins(_ctx: click.Context, _option: click.Parameter, folder: Path | None) -> None:
    """Use the plugins of a folder from now on: the command may be one of theirs."""
    if folder is not None:
        use_plugins_of(folder)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="clerk", message="%(prog)s %(version)s")
@click.option(
    "--plugins-dir",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    callback=_use_plugins,
    expose_value=False,
    help="Folder of *.py files with plugins.",
)
@verbosity_options
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Turn the minutes and agendas of towns into searchable sites.

    \b
    Start here:
      clerk demo                                  the pipeline on sample documents
      clerk site add springfield --from ./pdfs    add a folder, list or portal
      clerk run springfield                       fetch, read, compile, publish
      clerk search "zoning variance"
    """
    ctx.color = color_wanted()


#: Collect garbage after this many new objects; most objects of a command are modules, and stay.
_OBJECTS_BETWEEN_COLLECTIONS = 150_000


def main() -> None:
    """Run the command line and end with its exit code."""
    if sys.platform == "win32":
        # What follows needs fcntl, resource and signals, which Windows does not have.
        show_error(UnsupportedPlatform())
        sys.exit(UnsupportedPlatform.exit_code)
    # While the program was loading, Ctrl-C ended it without a word: see `clerk`.
    own_program = signal.getsignal(signal.SIGINT) is signal.SIG_DFL
    status = 130
    try:
        if own_program:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
        _occupy_closed_streams()
        status = _flush(_run())
    except KeyboardInterrupt:
        pass
    finally:
        if own_program:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
        # What is left is freed with the process.
        gc.freeze()
    sys.exit(status)


def _run() -> int:
    """Run the command line; print clerk's errors as one line and return the exit code."""
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
        with contextlib.suppress(OSError):
            click.echo("Interrupted. Run the same command to continue.", err=True)
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
    and whatever a library prints is written into it.  The device is opened for the opposite
    direction, so that writing to a closed stdout fails, as it should.
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
    """Exit with 0 when the reader of the output has closed the pipe."""
    try:
        yield
    except BrokenPipeError:
        _discard(sys.stdout.fileno())
        raise click.exceptions.Exit(0) from None


def _discard(descriptor: int) -> None:
    """Redirect a stream to the null device."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, descriptor)
    os.close(null)


def _as_clerk_error(error: OSError) -> ClerkError:
    if error.errno == errno.EBADF and not error.filename:
        return ClerkError("Standard output is closed.")
    named = f": {error.filename}" if error.filename else ""
    return ClerkError(f"{error.strerror or error}{named}.")


def show_error(error: ClerkError) -> None:
    """Print an error and its hint, if stderr can be written to."""
    with contextlib.suppress(OSError):
        click.secho(f"Error: {error}", fg="red", err=True)
        if error.hint:
            click.echo(error.hint, err=True)
