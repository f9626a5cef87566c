"""Corrections: reported, accepted or rejected, and kept when a page is read again."""

from __future__ import annotations

import pytest
from small_uploads import check, exported
from test_annotation_pages import DOCUMENT, SECOND, read_again, town

from clerk.annotations import corrections
from clerk.annotations.corrections import corrections_of
from clerk.core.errors import InvalidInput, NotFound

__all__ = ["town"]

PAGE = f"{DOCUMENT.name}/2"
BEGIN, END = 0, SECOND.index("Ayes")


def reported(site: str, **fields: object) -> int:
    return corrections.report(
        site, PAGE, BEGIN, END, text=SECOND, fields=fields, reported_by="a reader"
    )


def test_an_accepted_report_is_a_correction_that_follows_its_page(town: str) -> None:
    assert corrections_of(town) == []
    number = reported(town, result="failed", ayes_count=2)
    (waiting,) = corrections.list_reports(site=town)
    assert (waiting.id, waiting.label, waiting.fields["result"]) == (number, "Vote", "failed")

    corrections.accept(number, text=SECOND, who="the clerk")

    (found,) = corrections_of(town)
    assert (found.document, found.page, found.quote) == (DOCUMENT.name, 2, SECOND[BEGIN:END])
    assert found.fields == {"result": "failed", "ayes_count": 2} and not found.is_none
    assert found.who == "the clerk" and found.at.startswith("20")
    assert corrections.list_reports() == []
    read_again(town, "Page 2\n" + SECOND)
    (moved,) = corrections_of(town)
    assert moved.begin == len("Page 2\n") and moved.fields == found.fields
    check()


def test_a_later_correction_replaces_the_fields_it_names(town: str) -> None:
    for fields in ({"result": "failed", "mover": "Lee"}, {"result": "tabled"}):
        corrections.accept(reported(town, **fields), text=SECOND, who="me")
    (found,) = corrections_of(town)
    assert found.fields == {"mover": "Lee", "result": "tabled"}

    corrections.accept(reported(town, is_none=True), text=SECOND, who="me")
    assert corrections_of(town)[0].is_none
    assert len(exported(f"{town}/corrections")[0]["denotations"]) == 1


def test_a_report_is_decided_once(town: str) -> None:
    number = reported(town, result="failed")
    with pytest.raises(InvalidInput, match="other words"):
        corrections.accept(number, text="x" * 500, who="me")
    corrections.reject(number, who="me")
    with pytest.raises(InvalidInput, match="was rejected by me"):
        corrections.accept(number, text=SECOND, who="you")
    with pytest.raises(NotFound):
        corrections.reject(99, who="me")
    with pytest.raises(InvalidInput, match="not a span"):
        corrections.report(town, PAGE, 5, 5, text=SECOND)
    assert corrections_of(town) == [] and corrections.list_reports() == []
    assert [each.state for each in corrections.list_reports(None)] == ["rejected"]
