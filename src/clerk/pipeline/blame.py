"""What is kept of processes that died over a document: at which pages, and why.

::

    page 3 of 40: killed by signal 11; page 7 of 40: killed by signal 11

A page that took its process with it is not touched again.  So a document may cost as many processes
as it has such pages, up to :data:`MOST_PAGES`, and its other pages are read.
"""

from __future__ import annotations

import re

#: A document with more pages that kill their reader is given up.
MOST_PAGES = 5

_PAGE = re.compile(r"page (?P<page>\d+) of \d+: (?P<why>.*?)(?=; page \d+ of \d+: |$)", re.DOTALL)


def pages_blamed(error: str) -> dict[int, str]:
    """Return the pages that took a process with them, and why; nothing for any other error."""
    if not _PAGE.match(error):
        return {}
    return {int(found["page"]): found["why"] for found in _PAGE.finditer(error)}


def tells_another_page(told: str, error: str) -> bool:
    """Whether what is told now names a page that was not named before, while there are few.

    It is asked of what will be kept: a page whose name is cut off would be blamed for ever.
    """
    before = pages_blamed(error).keys()
    return bool(pages_blamed(told).keys() - before) and len(before) < MOST_PAGES


def both_causes(error: str, cause: str) -> str:
    """Return the causes of two deaths, if both tell their page; else the last one."""
    both = pages_blamed(error) and pages_blamed(cause)
    return f"{error}; {cause}" if both else cause
