"""The details of a site."""

from __future__ import annotations

from pathlib import Path

import legacy

from clerk.core import config, db
from clerk.pipeline import sites
from clerk.pipeline.scripted_stages import initialize_stage


def test_counters_are_compared_with_the_disk(site: str, storage: Path) -> None:
    initialize_stage(site, "ocr", total_jobs=2)
    legacy.write_documents(storage / site, both=2, pdf=1)
    with db.reading_connection() as conn:
        row = db.require_site(conn, site)

    assert sites.disk_differences(row, storage / site) == [
        "documents read: 0 counted, 2 on disk",
        "documents in all: 2 counted, 3 on disk",
    ]


def test_a_site_is_shown_though_its_folder_cannot_be_listed(site: str, storage: Path) -> None:
    pdfs = storage / site / "pdfs"
    pdfs.parent.mkdir(exist_ok=True)
    pdfs.symlink_to(pdfs)

    described = sites.describe(config.load(), site)

    (difference,) = described.differences
    assert difference.startswith(f"{pdfs} cannot be listed: ")
