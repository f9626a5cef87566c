"""The command line: parse, call one function below, print.

Commands are imported when they are called, so that ``clerk --help`` stays quick: this table names
where each one lives and carries its one-line help.
"""

from __future__ import annotations

import gc
import importlib
import os
import sys

import click

from clerk import __version__, config
from clerk.errors import ClerkError

#: name -> (module below clerk.cli, attribute, one line of help)
COMMANDS: dict[str, tuple[str, str, str]] = {
    "annotations": ("annotating", "commands", "Upload and export annotation collections."),
    "batch": ("batching", "batch", "Look at batches, and clean up after them."),
    "demo": ("demoing", "demo", "Run the whole pipeline on sample documents."),
    "db": ("database", "db", "Create, upgrade and check the database."),
    "export": ("exporting", "export", "Take the pages and votes of a site elsewhere."),
    "extract": ("extraction", "extract", "Print the votes and names found in files."),
    "migrate-stuck-sites": ("migrating", "migrate_stuck_sites", "Take over an old installation."),
    "failures": ("failing", "failures", "List failed documents; retry or skip them."),
    "config": ("configuring", "config", "Show the settings."),
    "doctor": ("doctoring", "doctor", "Check this machine and say how to mend it."),
    "install-units": ("units", "install_units", "Write systemd or launchd timers."),
    "queue": ("queueing", "queue", "Look at the queues, pause and purge them."),
    "health": ("status", "health", "Check everything, for monitoring."),
    "pipeline-status": ("status", "pipeline_status", "Show where all sites stand."),
    "read": ("reading", "read", "Print the text of one PDF."),
    "reconcile-pipeline": ("reconciling", "reconcile_pipeline", "Repair whatever stopped."),
    "run": ("running", "run", "Take sites through every stage in this process."),
    "search": ("searching", "search", "Search the compiled sites."),
    "serve": ("serving", "serve", "Serve the search site and the operators' pages."),
    "session": ("session", "session", "List and revoke logins to the web pages."),
    "site": ("sites", "site", "Add, list and change the places that are followed."),
    "token": ("token", "token", "List and revoke tokens of programs."),
    "update": ("running", "update", "Queue a site for the workers."),
    "worker": ("working", "worker", "Work on one kind of job until stopped."),
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

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; that the reader of its output has seen enough is no error."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise click.exceptions.Exit(0) from None

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
    ctx.color = config.color_wanted()


#: Garbage is looked for after so many new objects; most of a command's are modules, and stay.
_OBJECTS_BETWEEN_COLLECTIONS = 20_000


def main() -> None:
    """Run the command line and end with its exit code."""
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    try:
        _run()
    finally:
        # Nothing that is left needs collecting: it goes with the process.
        gc.freeze()


def _run() -> None:
    """Run the command line and turn clerk's errors into one line and an exit code."""
    try:
        status = cli.main(standalone_mode=False, prog_name="clerk")
    except click.exceptions.Abort:
        click.echo("Interrupted.", err=True)
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        sys.exit(130)
    except ClerkError as error:
        show_error(error)
        sys.exit(error.exit_code)
    except OSError as error:
        named = f": {error.filename}" if error.filename else ""
        show_error(ClerkError(f"{error.strerror or error}{named}."))
        sys.exit(ClerkError.exit_code)
    sys.exit(status if isinstance(status, int) else 0)


def show_error(error: ClerkError) -> None:
    """Print what went wrong and what to do next."""
    click.secho(f"Error: {error}", fg="red", err=True)
    if error.hint:
        click.echo(error.hint, err=True)
