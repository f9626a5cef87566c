"""Split a packet into its parts by what its pages print."""

from __future__ import annotations

from collections.abc import Sequence

from .document import identify
from .model import Fact, Hints, Identity, PageView, Part


def split(pages: Sequence[PageView], identity: Identity, hints: Hints) -> list[Part]:
    """Return the parts of a document in order; together they have every page."""
    parts: list[Part] = []
    for page in pages:
        found = identify([page], Hints(place=hints.place))
        begins = found.kind.value and found.date.value
        if not parts or begins:
            of_first = identity if not parts else found
            parts.append(
                Part(
                    page.page,
                    page.page,
                    found.kind if found.kind.value else of_first.kind,
                    found.body if found.body.value else of_first.body,
                    found.date if found.date.value else of_first.date,
                    found.title,
                    begins=Fact("title block", "page", found.kind.quote, page.page, 0.5),
                )
            )
        else:
            last = parts[-1]
            parts[-1] = Part(
                last.first_page,
                page.page,
                last.kind,
                last.body,
                last.date,
                last.title,
                last.of_other_place,
                last.place,
                last.begins,
            )
    return parts
