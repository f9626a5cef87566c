"""Reports of mail servers that a message was not delivered, as RFC 3464 describes them.

A mail server hands each message to the sender's address to ``clerk follow bounce``.  Anybody can
write to that address: a report counts only if it quotes the Message-ID of a message that was sent
to the follower, which nobody else knows.
"""

from __future__ import annotations

import re
from email import message_from_bytes, policy
from email.message import Message

from sqlalchemy import select

from clerk.core.db import civic_db_connection
from clerk.core.models import follow_deliveries_table

from .deliveries import refuse

_KEY = re.compile(r"<([0-9a-f]{32})@clerk>")
_LETTERS = 300


def record_bounce(raw: bytes) -> bool:
    """Count a report of permanent failure; False if it is none, or of a message we do not know."""
    reasons: list[str] = []
    #: The header of the message that was not delivered, as the report quotes it.
    quoted = ""
    for part in message_from_bytes(raw, policy=policy.default).walk():
        content = part.get_payload()
        match part.get_content_type(), content:
            case "message/delivery-status", list():
                for block in content:
                    if not isinstance(block, Message):
                        continue
                    action = str(block.get("Action", "")).strip().lower()
                    status = str(block.get("Status", "")).strip()
                    if action == "failed" and status.startswith("5"):
                        said = str(block.get("Diagnostic-Code", "")) or status
                        reasons.append(" ".join(said.split())[:_LETTERS])
            case "message/rfc822", [Message() as inner, *_]:
                quoted = quoted or str(inner.get("Message-ID", ""))
            case "text/rfc822-headers", _:
                quoted = quoted or str(content)
    keys = _KEY.findall(quoted)
    if not reasons or not keys:
        return False
    table = follow_deliveries_table.c
    with civic_db_connection() as conn:
        follower = conn.execute(select(table.follower_id).where(table.key == keys[0])).scalar()
        if follower is None:
            return False
        refuse(conn, follower, reasons[0])
    return True
