"""``clerk doctor``: check that this machine has everything clerk needs."""

from __future__ import annotations

import click

from clerk.core import config

from .common import json_option, print_json


@click.command()
@click.option(
    "--adopt-storage",
    is_flag=True,
    help="Accept STORAGE_DIR as the storage of this installation after it was moved on purpose.",
)
@json_option
@click.pass_context
def doctor(ctx: click.Context, adopt_storage: bool, as_json: bool) -> None:
    """Check this machine and suggest fixes.

    Exits 1 when something clerk needs is missing.

    \b
    Examples:
      clerk doctor
      clerk doctor --adopt-storage
    """
    if adopt_storage:
        from clerk.core import installation

        installation.adopt(config.load())
    from clerk.ops import doctor as examination
    from clerk.ops.health import Level

    from .health import check_as_dict, show_checks

    checks = examination.examine(config.load())
    if as_json:
        print_json([check_as_dict(check) for check in checks])
    else:
        show_checks(checks)
    if any(check.level == Level.CRITICAL for check in checks):
        ctx.exit(1)
