"""The documentation of votes names every field, flag and field of confidence."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import clerk.extract
from clerk.extract import (
    RESULTS,
    VOTE_FIELDS,
    Appearance,
    Declaration,
    Extraction,
    Presence,
    Speaker,
)
from clerk.extract.attendance import STATUSES
from clerk.extract.matters import ACTIONS
from clerk.extract.model import FIELDS, LISTS, Place

DOCS = (Path(__file__).parents[2] / "docs" / "votes.md").read_text("utf-8")
SOURCES = Path(clerk.extract.__file__).parent


@pytest.mark.parametrize("name", [*VOTE_FIELDS, *RESULTS, *FIELDS])
def test_a_field_is_documented(name: str) -> None:
    assert f"`{name}`" in DOCS


PUBLISHED = {
    field
    for kind in (Presence, Speaker, Declaration, Appearance)
    for field in set(kind.__struct_fields__) - {"page_start", "page_end"}
}


@pytest.mark.parametrize("name", [*sorted(PUBLISHED), *LISTS, *STATUSES, *ACTIONS])
def test_a_field_of_what_else_is_published_is_documented(name: str) -> None:
    assert f"`{name}`" in DOCS


def test_every_list_of_an_extraction_is_published() -> None:
    assert set(Extraction.__struct_fields__) == {"version", "text_sha256", *LISTS}
    assert issubclass(Appearance, Place)


def test_every_flag_is_documented() -> None:
    code = "\n".join(path.read_text("utf-8") for path in SOURCES.glob("*.py"))
    flags = set(re.findall(r"flags\.add\(\"(\w+)\"\)", code))

    assert {flag for flag in flags if f"`{flag}`" not in DOCS} == {"declared"}
