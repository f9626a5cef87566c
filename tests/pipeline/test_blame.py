"""Which pages took their process with them is remembered; each is forgiven once, up to a limit."""

from __future__ import annotations

from clerk.pipeline.blame import MOST_PAGES, both_causes, pages_blamed, tells_another_page

THIRD = "page 3 of 40: killed by SIGSEGV"
SEVENTH = "page 7 of 40: took too long; it was stopped"


def test_pages_and_their_causes_are_read_back() -> None:
    assert pages_blamed(both_causes(THIRD, SEVENTH)) == {
        3: "killed by SIGSEGV",
        7: "took too long; it was stopped",
    }


def test_only_the_last_cause_is_kept_where_no_page_is_told() -> None:
    assert both_causes("", THIRD) == THIRD
    assert both_causes(THIRD, "killed by SIGKILL") == "killed by SIGKILL"
    assert both_causes("ValueError: page 3 of 40: odd", THIRD) == THIRD
    assert pages_blamed("UnreadablePdf: page 3 of 40: odd") == {}


def is_forgiven(error: str, cause: str) -> bool:
    return tells_another_page(both_causes(error, cause), error)


def test_a_page_is_forgiven_once_and_a_document_some_pages() -> None:
    assert is_forgiven("", THIRD)
    assert is_forgiven(THIRD, SEVENTH)
    assert not is_forgiven(THIRD, THIRD)
    assert not is_forgiven("", "killed by SIGKILL")
    many = "; ".join(f"page {page} of 40: killed" for page in range(10, 10 + MOST_PAGES))
    assert not is_forgiven(many, THIRD)


def test_a_page_of_which_nothing_is_kept_is_not_forgiven() -> None:
    long = f"page 3 of 40: {'x' * 500}"

    assert not tells_another_page(both_causes(long, SEVENTH)[:500], long[:500])
