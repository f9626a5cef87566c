"""What portals returned and nobody understood: the last few answers of a site, for its operator.

They are in the database, so that the pages of every machine show them.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, delete, select

from .models import source_answers_table

#: How much of an answer is kept, and how many answers of a site.
KEPT_BYTES: Final = 256 * 1024
KEPT_ANSWERS: Final = 5


@dataclass(frozen=True)
class KeptAnswer:
    """What a host returned instead of what was expected; ``kind`` as in NotUnderstood."""

    name: str
    kept_at: datetime
    kind: str
    url: str
    bytes: int


def keep_answer(
    conn: Connection, subdomain: str, kind: str, url: str, text: str, now: datetime
) -> KeptAnswer:
    """Keep the beginning of an answer, and forget all but the last few of the site.

    The text must be clean of secrets.
    """
    content = text.encode("utf-8", "replace")[:KEPT_BYTES]
    answer = KeptAnswer(f"{now:%Y%m%dT%H%M%S}-{kind}", now, kind, url, len(content))
    table = source_answers_table.c
    of_site = table.subdomain == subdomain
    conn.execute(delete(source_answers_table).where(of_site, table.name == answer.name))
    conn.execute(
        source_answers_table.insert().values(
            subdomain=subdomain, content=zlib.compress(content), **vars(answer)
        )
    )
    last = select(table.name).where(of_site).order_by(table.name.desc()).limit(KEPT_ANSWERS)
    kept = list(conn.execute(last).scalars())
    conn.execute(delete(source_answers_table).where(of_site, table.name.not_in(kept)))
    return answer


def kept_answers(conn: Connection, subdomain: str) -> list[KeptAnswer]:
    """Return the answers that are kept of a site, the newest first."""
    table = source_answers_table.c
    query = (
        select(table.name, table.kept_at, table.kind, table.url, table.bytes)
        .where(table.subdomain == subdomain)
        .order_by(table.name.desc())
    )
    return [KeptAnswer(*row) for row in conn.execute(query)]


def text_of_answer(conn: Connection, subdomain: str, name: str) -> str | None:
    """Return what an answer says, None if it is not kept."""
    table = source_answers_table.c
    query = select(table.content).where(table.subdomain == subdomain, table.name == name)
    content = conn.execute(query).scalar()
    return None if content is None else zlib.decompress(content).decode("utf-8", "replace")
