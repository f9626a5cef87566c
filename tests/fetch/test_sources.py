"""How documents are called where they came from."""

from __future__ import annotations

from pathlib import Path

import pytest

from clerk.fetch.sources import path_of_file_url


@pytest.mark.parametrize("scheme", ["file://", "file://localhost", "file:", "FILE://"])
def test_file_urls_of_any_make_lead_to_the_file(scheme):
    assert path_of_file_url(f"{scheme}/srv/A%20%23%C3%A9.pdf") == Path("/srv/A #é.pdf")
