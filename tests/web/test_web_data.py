"""Datasette over what is published: read-only, sandboxed, up to date."""

from __future__ import annotations

from pathlib import Path

import pytest
from web_town import SITE, Browser, write_town

from clerk import config
from clerk.work.deploy import publish

pytest.importorskip("datasette", reason="Datasette is not installed")


def published(storage: Path) -> None:
    """Publish the town."""
    publish(SITE, storage / SITE["subdomain"], config.load(), complete=True)


def test_published_sites_can_be_read_in_a_sandbox(town: Path) -> None:
    published(town)
    answer = Browser().get("/data/springfield/documents.json?_shape=array")

    assert {row["meeting"] for row in answer.json()} == {"City Council", "Library Board"}
    assert answer.headers["content-security-policy"].startswith("sandbox")
    assert 'href="/data/springfield' in Browser().get("/data/").text


def test_what_is_published_later_is_shown_later(installation: Path) -> None:
    client = Browser()
    assert client.get("/data/").status_code == 404

    write_town(installation)
    published(installation)
    assert client.get("/data/springfield").status_code == 200


def test_nothing_can_be_written_through_it(town: Path) -> None:
    published(town)

    assert Browser().post("/data/springfield/-/query").status_code == 405
    refused = Browser().get("/data/springfield.json?sql=delete+from+documents")
    assert refused.status_code >= 400
