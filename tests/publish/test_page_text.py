"""What pages, feeds and mails call a document."""

from __future__ import annotations

import pytest

from clerk.publish.page_text import body_and_kind


@pytest.mark.parametrize(
    ("body", "kind", "name"),
    [
        ("Town Council", "minutes", "Town Council minutes"),
        ("Town Council", "other", "Town Council document"),
        ("", "other", "document"),
    ],
)
def test_a_document_of_another_kind_is_called_a_document(body: str, kind: str, name: str) -> None:
    assert body_and_kind(body, kind) == name
