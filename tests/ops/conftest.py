"""Sites in every state, for the tests of figures and health."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import update

from clerk.core import db
from clerk.core.clock import utc_now
from clerk.core.models import sites_table
from clerk.pipeline.transitions import NO_DOCUMENTS

Make = Callable[..., str]


@pytest.fixture
def sites(make_site: Make) -> None:
    """Sites in every stage: moving, silent, failing, completed, new."""
    for number in range(7):
        _site(make_site, f"done{number}", "completed", hours=100)
    for number, (stage, hours) in enumerate([("ocr", 1), ("ocr", 3), ("deploy", 30), ("fetch", 0)]):
        _site(make_site, f"busy{number}", stage, hours=hours)
    _site(make_site, "failing", "completed", hours=5, ocr_total=8, ocr_completed=5, ocr_failed=3)
    _site(make_site, "stuck-site", "ocr", hours=9, ocr_total=7, ocr_completed=6, ocr_failed=1)
    _site(make_site, "nothing", "completed", hours=5, last_error_message=NO_DOCUMENTS)
    make_site("new")


def _site(make_site: Make, name: str, stage: str, hours: float, **columns: Any) -> None:
    make_site(name)
    moment = utc_now() - timedelta(hours=hours)
    values = {"current_stage": stage, "updated_at": moment, "compilation_total": 1, **columns}
    with db.civic_db_connection() as conn:
        conn.execute(update(sites_table).where(sites_table.c.subdomain == name).values(**values))
