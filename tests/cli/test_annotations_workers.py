"""An upload that nobody will work on says so at once."""

from __future__ import annotations

from pathlib import Path

import pytest
import small_uploads
from click.testing import CliRunner

from clerk.cli import cli
from clerk.core import db
from clerk.pipeline import ledger


@pytest.mark.parametrize("served", [False, True])
def test_with_redis_and_no_worker_the_upload_says_so(
    database: str, redis: str, tmp_path: Path, served: bool
) -> None:
    file = tmp_path / "collection.jsonl"
    small_uploads.write(file, map(small_uploads.line, range(2)))
    if served:
        with db.civic_db_connection() as conn:
            ledger.register_worker(conn, "one", lease_seconds=600.0, queues="annotations")

    ran = CliRunner().invoke(
        cli, ["annotations", "upload", str(file), "--project", "p", "--detach"]
    )

    assert ran.exit_code == 0, ran.stderr
    assert ("No worker serves the queue annotations; upload 1 waits" in ran.stderr) is not served
    assert ("Start one: clerk worker annotations -n 1" in ran.stderr) is not served
