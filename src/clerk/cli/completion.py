"""``clerk completion``: complete commands in the shell, and the manual pages."""

from __future__ import annotations

from pathlib import Path

import click
from click.shell_completion import get_completion_class

from clerk.core.config import login_shell
from clerk.core.errors import InvalidInput, MissingTool
from clerk.core.storage import written_whole

from .common import hint, seen_from_here

_NAME = "clerk"
#: Where a shell looks for the completions of a command, below a prefix.
_FILES = {
    "bash": f"share/bash-completion/completions/{_NAME}",
    "zsh": f"share/zsh/site-functions/_{_NAME}",
    "fish": f"share/fish/vendor_completions.d/{_NAME}.fish",
}

shell_option = click.option(
    "--shell", type=click.Choice(sorted(_FILES)), help="Shell; default: the one in $SHELL."
)


@click.group()
def completion() -> None:
    """Install shell completion and manual pages.

    \b
    Examples:
      clerk completion install
      clerk completion show --shell zsh
    """


@completion.command()
@shell_option
def show(shell: str | None) -> None:
    """Print the completion script of a shell.

    \b
    Example:
      clerk completion show --shell bash > clerk.bash
    """
    click.echo(_script(shell or _shell_in_use()))


@completion.command()
@shell_option
@click.option(
    "--prefix",
    type=click.Path(file_okay=False, path_type=Path),
    help="Install below this folder, such as /usr/local.  [default: ~/.local]",
)
def install(shell: str | None, prefix: Path | None) -> None:
    """Install shell completion and manual pages.

    \b
    Examples:
      clerk completion install
      clerk completion install --shell zsh --prefix /usr/local
    """
    from . import cli
    from .manual import pages

    shell = shell or _shell_in_use()
    below = prefix or Path.home() / ".local"
    manuals = {below / "share/man/man1" / name: text for name, text in pages(cli).items()}
    for path, text in {below / _FILES[shell]: _script(shell), **manuals}.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        with written_whole(path) as part:
            part.write_text(text, encoding="utf-8")
    click.echo(f"Completion for {shell}: {seen_from_here(below / _FILES[shell])}")
    click.echo(f"{len(manuals)} manual pages: {seen_from_here(below / 'share/man/man1')}")
    if shell == "zsh" and prefix is None:
        hint("Put this into ~/.zshrc before compinit: fpath+=~/.local/share/zsh/site-functions")
    hint("Open a new shell. Then: clerk s<Tab>, and man clerk-run")


def _shell_in_use() -> str:
    name = login_shell()
    if name not in _FILES:
        raise InvalidInput(
            f"There is no completion for the shell {name or 'that is not named in SHELL'}.",
            hint=f"Name one with --shell: {', '.join(sorted(_FILES))}.",
        )
    return name


def _script(shell: str) -> str:
    from . import cli

    found = get_completion_class(shell)
    if found is None:
        raise MissingTool(f"This version of click has no completion for {shell}.")
    try:
        return found(cli, {}, _NAME, "_CLERK_COMPLETE").source()
    except RuntimeError as error:
        raise MissingTool(str(error)) from error
