"""``clerk doctor``: is everything there that clerk needs on this machine?"""

from __future__ import annotations

import click

from .common import print_json


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def doctor(ctx: click.Context, as_json: bool) -> None:
    """Look at this machine and say how to mend what is missing.

    Exits 1 when something clerk needs is not there.

    \b
    Example:
      clerk doctor
    """
    from clerk.ops import doctor as examination
    from clerk.ops.health import Level

    from .status import check_as_dict, show_checks

    checks = examination.examine()
    if as_json:
        print_json([check_as_dict(check) for check in checks])
    else:
        show_checks(checks)
    if any(check.level == Level.CRITICAL for check in checks):
        ctx.exit(1)
