"""Whatever a document prints, dates are days of the calendar and parts cover its pages."""

from __future__ import annotations

from datetime import date

from hypothesis import example, given
from hypothesis import strategies as st

from clerk.identify import KINDS, Hints, Known, PageView, identify, split

#: Pieces that rules react to, in any order.
PIECES = (
    """
MINUTES|AGENDA|\\n|\\n\\n|of the|Town Council|Date:|February 31, 2024|March 4, 2025|4 March 2025|
0000-00-00|9999-12-31|02/30/2024|13/13/2013|Page 2 of 3|Tuesday|RESOLUTION|Dear Mayor|7:00 p.m.|
approved minutes of|31. Februar 2020|Page 1|Moved by|Adopted this 3rd day of May, 2021|BY-LAW NO. 4
""".replace("\n", "")
    .replace("\\n", "\n")
    .split("|")
)
WRITTEN = st.lists(st.sampled_from(PIECES), max_size=30).map(" ".join)
TEXTS = st.one_of(st.text(max_size=200), WRITTEN)


@given(st.lists(TEXTS, max_size=8), TEXTS, TEXTS)
@example([":", "RESOLUTION"], "", "")
def test_every_date_is_a_day_and_every_page_is_in_a_part(texts: list[str], path: str, said: str):
    pages = [PageView(number, text) for number, text in enumerate(texts, 1)]
    hints = Hints(path=path, place="Millbrook, ON", portal=Known(date=said, kind=said))

    identity = identify(pages, hints)
    parts = split(pages, identity, hints)

    for fact in [identity.date, *(part.date for part in parts)]:
        assert fact.value is None or 1800 <= date.fromisoformat(fact.value).year <= 2100
        assert (fact.value is None) == (fact.source == "")
    for fact in [identity.kind, *(part.kind for part in parts)]:
        assert fact.value is None or fact.value in KINDS
    assert [part.first_page for part in parts] == sorted({part.first_page for part in parts})
    covered = [page for part in parts for page in range(part.first_page, part.last_page + 1)]
    assert sorted(set(covered)) == list(range(1, len(texts) + 1))
