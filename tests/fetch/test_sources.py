"""What is on disk, and where it came from."""

from __future__ import annotations

from pathlib import Path

import pytest
from folder_town import pdf, put

from clerk.core import storage
from clerk.fetch.sources import path_of_file_url, stored_pdfs


@pytest.mark.parametrize("scheme", ["file://", "file://localhost", "file:", "FILE://"])
def test_file_urls_of_any_make_lead_to_the_file(scheme):
    assert path_of_file_url(f"{scheme}/srv/A%20%23%C3%A9.pdf") == Path("/srv/A #é.pdf")


def test_stored_pdfs_are_all_that_are_on_disk(source, town):
    put(source, "Council/2024-01-15.pdf")
    town.fetch()
    put(town.folder, "_agendas/pdfs/Board/by-hand.pdf")

    held = {each.name: each for each in stored_pdfs(town.folder)}

    assert set(held) == {"minutes/Council/2024-01-15", "agendas/Board/by-hand"}
    fetched = held["minutes/Council/2024-01-15"]
    assert fetched.source_url.startswith("file://") and fetched.fetched_at
    by_hand = town.folder / "_agendas/pdfs/Board/by-hand.pdf"
    assert held["agendas/Board/by-hand"].sha256 == storage.sha256_of(by_hand)


def test_stored_pdfs_show_a_change_on_disk(town):
    put(town.folder, "pdfs/Board/by-hand.pdf")
    (before,) = stored_pdfs(town.folder)
    (town.folder / "pdfs/Board/by-hand.pdf").write_bytes(pdf("something else"))

    (after,) = stored_pdfs(town.folder)

    assert after.sha256 != before.sha256


@pytest.mark.parametrize("loss", ["deleted", "damaged"])
def test_the_memory_of_sources_can_be_lost(source, town, loss):
    put(source, "Council/2024-01-15.pdf")
    town.fetch()
    memory = town.folder / "_clerk/sources.db"
    memory.unlink() if loss == "deleted" else memory.write_bytes(b"not a database " * 100)

    town.fetch()

    assert town.names() == ["minutes/Council/2024-01-15"]
    assert len(town.fetch().unchanged) == 1
