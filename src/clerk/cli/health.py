"""``clerk health``: check everything, for monitoring."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from clerk.core import config

from .common import hint, json_option, print_json

if TYPE_CHECKING:
    from clerk.ops.health import Check, Finding

COLOURS = {"OK": "green", "WARNING": "yellow", "CRITICAL": "red", "UNKNOWN": "magenta"}


@click.command()
@json_option
@click.pass_context
def health(ctx: click.Context, as_json: bool) -> None:
    """Check everything, for monitoring.

    Exits 0 when OK, 1 on a warning, 2 when critical, 3 when unknown.

    \b
    Examples:
      clerk health
      clerk health --json | jq '.checks[] | select(.level != "OK")'
    """
    from clerk.ops.health import check_all

    found = check_all(config.load())
    seen = found.figures
    if as_json:
        print_json(
            {
                "level": found.word,
                "exit_code": found.level,
                "checks": [check_as_dict(check) for check in found.checks],
                "findings": [finding_as_dict(each) for each in found.findings],
                "pipeline": seen.as_dict() if seen else None,
            }
        )
        ctx.exit(found.level)

    # As monitoring reads it: state, words, figures after the bar.
    words = "; ".join(f"{check.name}: {check.message}" for check in found.problems) or "all is well"
    summary = f"CLERK {found.word} - {words}"
    if seen is not None:
        score = "U" if seen.health_score is None else f"{seen.health_score}%"
        summary += (
            f" | score={score} stuck={len(seen.stuck)};0 sites={seen.sites}"
            f" attention={len(seen.attention)};0 failed={seen.failed.documents}"
            f" failed_24h={seen.last_day.documents_failed}"
            f" runs_failed_24h={seen.last_day.runs_failed}"
        )
    click.secho(summary, fg=COLOURS[found.word])
    show_checks(found.checks)
    ctx.exit(found.level)


def check_as_dict(check: Check) -> dict[str, object]:
    """Return a check as JSON shows it."""
    return {"name": check.name, "level": check.word, "said": check.message, "mend": check.fix}


def finding_as_dict(finding: Finding) -> dict[str, object]:
    """Return a finding as JSON shows it."""
    return asdict(finding) | {"severity": finding.severity.name}


def show_checks(checks: list[Check]) -> None:
    """Print the checks, a line each, and the suggested fixes on stderr."""
    width = max(len(check.name) for check in checks)
    for check in checks:
        word = click.style(f"{check.word:8}", fg=COLOURS[check.word])
        click.echo(f"{word}  {check.name:{width}}  {check.message}")
    for check in checks:
        if check.level and check.fix:
            hint(f"{check.name}: {check.fix}")
