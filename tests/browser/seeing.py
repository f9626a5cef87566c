"""Looking at a page as a reader with other senses, or a ruler, would."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

AXE = (files("axe_playwright_python") / "axe.min.js").read_text()


def violations(page: Any, rules: str = "", *, of_2_2: bool = False) -> list[str]:
    """Return what axe-core finds wrong with a page; it is run past the page's own policy.

    ``of_2_2``: also by the rules of WCAG 2.2, which axe leaves out by itself.
    """
    session = page.context.new_cdp_session(page)
    session.send("Runtime.evaluate", {"expression": AXE})
    newest = {"rules": {"target-size": {"enabled": True}}} if of_2_2 else {}
    only = json.dumps(({"runOnly": [rules]} if rules else {}) | newest)
    asked = f"axe.run({only}).then((found) => JSON.stringify(found.violations))"
    options = {"expression": asked, "awaitPromise": True, "returnByValue": True}
    found = json.loads(session.send("Runtime.evaluate", options)["result"]["value"])
    return [
        f"{page.url} {each['id']}: {node['target']} {node['failureSummary']}"
        for each in found
        for node in each["nodes"]
    ]


def measured(page: Any, expression: str) -> Any:
    """Return the value of an expression in the page."""
    session = page.context.new_cdp_session(page)
    options = {"expression": expression, "returnByValue": True}
    return session.send("Runtime.evaluate", options)["result"]["value"]
