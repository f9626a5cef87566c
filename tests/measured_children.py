"""A coverage plugin: what the pool's children run counts, although clerk ends them with SIGKILL.

A child saves what it has run whenever it has finished an order, before it says so.  What it runs of
an order during which it is killed is lost.
"""

from __future__ import annotations

import contextlib
import os
import sys
from typing import Any

from coverage import Coverage


def coverage_init(_registry: object, _options: object) -> None:
    """Watch for children in every process that is measured."""
    os.register_at_fork(after_in_child=_save_after_each_order)


def _save_after_each_order() -> None:
    module: Any = sys.modules.get("clerk.core.child_process")
    measured = Coverage.current()
    if module is None or measured is None:
        return
    send = module._send

    def save_and_send(connection: object, *messages: object) -> None:
        if any(isinstance(message, module.Idle) for message in messages):
            # The child may have no memory left.
            with contextlib.suppress(Exception):
                measured.save()
        send(connection, *messages)

    module._send = save_and_send
