"""Reports of mail servers that a message was not delivered, as RFC 3464 describes them.

A mail server hands each message to the sender's address to ``clerk follow bounce``.  Anybody can
write to that address: a report counts only if it quotes the Message-ID of a message that was sent
to the follower, which nobody else knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage, Message

from sqlalchemy import select

from clerk.core.db import civic_db_connection
from clerk.core.models import follow_deliveries_table

from .deliveries import refuse

_KEY = re.compile(r"<([0-9a-f]{32})@clerk>")
_LETTERS = 300


def record_bounce(raw: bytes) -> bool:
    """Count a report of permanent failure; False if it is none, or of a message we do not know."""
    report = message_from_bytes(raw, policy=policy.default)
    reasons = list(_permanent_failures(report))
    keys = _KEY.findall(_quoted_headers(report))
    if not reasons or not keys:
        return False
    table = follow_deliveries_table.c
    with civic_db_connection() as conn:
        follower = conn.execute(select(table.follower_id).where(table.key == keys[0])).scalar()
        if follower is None:
            return False
        refuse(conn, follower, reasons[0])
    return True


def _permanent_failures(report: EmailMessage) -> Iterator[str]:
    """Yield why each recipient was given up."""
    for part in report.walk():
        if part.get_content_type() != "message/delivery-status":
            continue
        for block in part.get_payload():
            if not isinstance(block, Message):
                continue
            action = str(block.get("Action", "")).strip().lower()
            status = str(block.get("Status", "")).strip()
            if action == "failed" and status.startswith("5"):
                said = str(block.get("Diagnostic-Code", "")) or status
                yield " ".join(said.split())[:_LETTERS]


def _quoted_headers(report: EmailMessage) -> str:
    """Return the header of the message that was not delivered, as the report quotes it."""
    for part in report.walk():
        if part.get_content_type() == "message/rfc822":
            inner = part.get_payload()
            if isinstance(inner, list) and inner and isinstance(inner[0], Message):
                return str(inner[0].get("Message-ID", ""))
        if part.get_content_type() == "text/rfc822-headers":
            return str(part.get_payload())
    return ""
