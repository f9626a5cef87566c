"""How a page is set does not change how a vote is read: order, line breaks, hyphens, headers."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis_sizes import examples

from clerk.extract import BALLOTS, Vote, extract_text

#: Surnames that are words, have particles, hyphens or apostrophes.
MEMBERS = [
    *("Page", "Park", "Ward", "Grant", "Bill", "Street"),
    *("deVries", "d'Angelo", "van Dyke", "St. John", "O'Neil", "Smith-Jones", "Lund", "Moss"),
]
MOTION = (
    "to approve the purchase of a snowplow for the highway department at a price of $12,400 as"
    " recommended by the superintendent"
)
VOTERS = st.lists(st.sampled_from(MEMBERS), min_size=4, max_size=9, unique=True)


def minutes(members: list[str], ayes: list[str], noes: list[str]) -> str:
    return (
        f"PRESENT: {', '.join(members)}\n\n"
        f"Motion by {members[0]}, seconded by {members[1]}, {MOTION}.\n\n"
        "The motion carried by the following vote:\n\n"
        f"AYES: {', '.join(ayes)}\n"
        f"NAYS: {', '.join(noes) or 'None'}\n\n"
        "The meeting then turned to other business.\n"
    )


def reading(vote: Vote) -> tuple[object, ...]:
    """Return what a reader sees of a vote, the lists without their order."""
    lists = [sorted(getattr(vote, kind)) for kind in BALLOTS]
    return vote.mover, vote.seconder, vote.result, vote.tally, vote.motion, lists


def expected(members: list[str], ayes: list[str], noes: list[str]) -> tuple[object, ...]:
    tally = {"yes": len(ayes), "no": len(noes)}
    words = MOTION.removeprefix("to ")
    return members[0], members[1], "passed", tally, words, [sorted(ayes), sorted(noes), [], [], []]


@given(VOTERS, st.data())
@settings(max_examples=examples(150), deadline=None, derandomize=True)
def test_the_order_of_names_does_not_matter(members: list[str], data: st.DataObject) -> None:
    cut = data.draw(st.integers(1, len(members)))
    voters = data.draw(st.permutations(members))
    ayes, noes = voters[:cut], voters[cut:]

    (vote,) = extract_text([minutes(members, ayes, noes)], is_minutes=True).votes

    assert reading(vote) == expected(members, ayes, noes)
    assert "incomplete_list" not in vote.flags


@example(
    ["Page", "St. John", "Park", "Ward", "Smith-Jones", "Street", "d'Angelo", "van Dyke", "Grant"],
    40,
)
@given(VOTERS, st.integers(40, 90))
@settings(max_examples=examples(150), deadline=None, derandomize=True)
def test_line_breaks_do_not_matter(members: list[str], width: int) -> None:
    text = minutes(members, members[1:], members[:1])
    lines: list[str] = []
    for line in text.split("\n"):
        while len(line) > width and (at := line.rfind(" ", 0, width)) > 0:
            lines.append(line[:at])
            line = line[at + 1 :]
        lines.append(line)

    (vote,) = extract_text(["\n".join(lines)], is_minutes=True).votes

    assert reading(vote) == expected(members, members[1:], members[:1])


@given(VOTERS, st.sampled_from(["pur-\nchase", "snow-\nplow", "high-\nway", "superin-\ntendent"]))
@settings(max_examples=examples(60), deadline=None, derandomize=True)
def test_hyphens_at_line_ends_do_not_matter(members: list[str], broken: str) -> None:
    text = minutes(members, members, []).replace(broken.replace("-\n", ""), broken)

    (vote,) = extract_text([text], is_minutes=True).votes

    assert (vote.ayes, vote.tally) == (members, {"yes": len(members), "no": 0})
    assert "".join((vote.motion or "").split()) == "".join(MOTION.removeprefix("to ").split())


@given(VOTERS, st.integers(0, 5))
@settings(max_examples=examples(100), deadline=None, derandomize=True)
def test_page_headers_and_numbers_do_not_matter(members: list[str], place: int) -> None:
    lines = minutes(members, members[1:], members[:1]).split("\n")
    cut = (2, 3, 5, 6, 7, 8)[place]
    parts = ["\n".join(lines[:cut]), "\n".join(lines[cut:]), "Nothing else was discussed."]
    pages = [
        f"Town of Alderbury - Board Minutes\n{part}\nPage {number} of 3"
        for number, part in enumerate(parts, 1)
    ]

    (vote,) = extract_text(pages, is_minutes=True).votes

    assert reading(vote) == expected(members, members[1:], members[:1])


@given(VOTERS, st.sampled_from(["\u2022", "~", "%", "\u00a7"]))
@settings(max_examples=examples(60), deadline=None, derandomize=True)
def test_a_list_that_is_not_understood_has_no_tally(members: list[str], mark: str) -> None:
    text = minutes(members, members, []).replace(
        f"AYES: {members[0]}, ", f"AYES: {members[0]} {mark} "
    )

    (vote,) = extract_text([text], is_minutes=True).votes

    assert "incomplete_list" in vote.flags
    assert vote.tally is None or "yes" not in vote.tally
    assert "names" in vote.doubtful
    assert set(vote.ayes) <= set(members)


#: Surnames that begin like the words of results and votes, or are words of talk.
LIKE_WORDS = (
    *("Diehl", "Losik", "Failla", "Denney", "Passmore", "Carroll", "Withers", "Tabler", "Hope"),
    *("Will", "May", "Ayers", "Yeager", "Nayak", "Noel", "Forrest", "Abston", "Secondo", "Votaw"),
)
SENTENCES = (
    "{0} moved to pave Elm Road. The motion was seconded by {1} and carried unanimously.",
    "Motion by {0}, second by {1}, to pave Elm Road; passed 4-1 ({2} dissenting).",
    "{0}/{1} to pave Elm Road. Carried.",
    "Moved by {0}, seconded by {1}, to pave Elm Road. Ayes: {0}, {1}. Nays: {2}. Carried.",
)


@pytest.mark.parametrize("sentence", SENTENCES)
@pytest.mark.parametrize("name", LIKE_WORDS)
def test_what_a_member_is_called_does_not_matter(name: str, sentence: str) -> None:
    """Each of three members is renamed in turn; the result never follows from a name."""

    def read(members: list[str]) -> list[object]:
        text = f"Present: {', '.join(members)}\n\n{sentence.format(*members)}"
        (vote,) = extract_text([text], is_minutes=True).votes
        lists = [getattr(vote, kind) for kind in BALLOTS]
        return [vote.mover, vote.seconder, vote.result, vote.tally, vote.motion, lists]

    plain = ["Hobbs", "Tandy", "Webb"]
    for place, old in enumerate(plain):
        renamed = read([*plain[:place], name, *plain[place + 1 :]])
        assert str(renamed).replace(name, old) == str(read(plain))
