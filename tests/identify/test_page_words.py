"""Pages that typists numbered in words."""

from __future__ import annotations

from clerk.identify import Hints, PageView, identify, split


def test_page_two_of_the_minutes_is_no_new_part() -> None:
    pages = [
        PageView(1, "MINUTES OF THE TOWN COUNCIL\nMay 5, 1971\nThe meeting was called to order."),
        PageView(2, "Minutes of the Town Council, Page Two\nThe motion to adjourn carried."),
    ]
    hints = Hints(path="scan.pdf", place="Ashby")
    assert len(split(pages, identify(pages, hints), hints)) == 1
