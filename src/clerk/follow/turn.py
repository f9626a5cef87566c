"""Match, collect and deliver: one turn, and the process of ``clerk serve`` that takes them.

::

    python -m clerk.follow.turn PARENT
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import time
from dataclasses import dataclass

from clerk.core import config
from clerk.core.config import Settings
from clerk.core.errors import ClerkError

from . import deliveries, matching
from .deliveries import Delivered
from .matching import Matched

_log = logging.getLogger(__name__)

#: How often changes are looked for, and waiting messages are tried again.
EVERY_SECONDS = 1.0
AGAIN_SECONDS = 5.0
#: How long a mail server that cannot be used is left alone.
MAIL_PAUSE_SECONDS = 60.0
#: How often old messages are deleted.
CLEAN_UP_SECONDS = 3600.0


@dataclass(frozen=True)
class Turn:
    """What a turn did."""

    matched: Matched
    collected: int
    delivered: Delivered


def take_turn(settings: Settings, *, mail: bool = True) -> Turn:
    """Match what is new, put what is due into messages, and send them."""
    matching.take_in()
    matched = matching.match(settings)
    collected = deliveries.collect(settings)
    return Turn(matched, collected, deliveries.deliver(settings, mail=mail))


def keep_followers_told(settings: Settings, parent: int) -> None:
    """Take turns as long as the server lives; try again after errors."""
    complaint, mail_at, match_at, clean_at = "", 0.0, 0.0, 0.0
    while os.getppid() == parent:
        now = time.monotonic()
        try:
            if matching.take_in() or now >= match_at:
                match_at = now + AGAIN_SECONDS
                matching.match(settings)
                deliveries.collect(settings)
            delivered = deliveries.deliver(settings, mail=now >= mail_at)
            if delivered.mail_trouble:
                mail_at = now + MAIL_PAUSE_SECONDS
                if delivered.mail_trouble != complaint:
                    _log.error("Mail cannot be sent: %s", delivered.mail_trouble)
                complaint = delivered.mail_trouble
            if now >= clean_at:
                clean_at = now + CLEAN_UP_SECONDS
                deliveries.clean_up()
        except (ClerkError, OSError) as error:
            if str(error) != complaint:
                _log.error("Could not notify the followers: %s", error)
            complaint = str(error)
        time.sleep(EVERY_SECONDS)


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        keep_followers_told(config.load(), int(sys.argv[1]))
