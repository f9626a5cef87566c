"""The votes in the excerpts of ``examples/`` are found as a reader would write them down.

There is a file for each module of the rules, and files with tables whose cells came apart
(``cells.txt``), turns of phrase (``turns.txt``), minutes of many places (``places.txt``), ways of
writing (``styles.txt``), text that is no vote (``talk.txt``) and papers that are no minutes
(``papers.txt``).  All people are invented.  An excerpt may have a title, is followed by a line for
each vote in it, and by a rule::

    == title
    The excerpt.
    => Mover/Seconder result yes-no | ayes Names | noes Names | abstain Names | unanimous
    ---
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from clerk.extract import BALLOTS, Vote, extract_text

FOLDER = Path(__file__).parent / "examples"


@dataclass(frozen=True)
class Example:
    """An excerpt of minutes, and the votes a reader finds in it."""

    name: str
    excerpt: str
    votes: list[str]


def read_examples(file: str) -> list[Example]:
    found = []
    for number, block in enumerate((FOLDER / file).read_text("utf-8").split("---\n"), 1):
        lines = block.strip("\n").split("\n")
        title = lines.pop(0)[3:] if lines[0].startswith("== ") else str(number)
        text = "\n".join(line for line in lines if not line.startswith("=>"))
        votes = [line[3:] for line in lines if line.startswith("=>")]
        found.append(Example(f"{file.removesuffix('.txt')}: {title}", text, votes))
    return found


def votes_in(text: str, *, is_minutes: bool = True) -> list[str]:
    return [written(vote) for vote in extract_text([text], is_minutes=is_minutes).votes]


def written(vote: Vote) -> str:
    """Return a vote as the examples write it."""
    head = f"{vote.mover or '-'}/{vote.seconder or '-'} {vote.result}"
    if vote.tally:
        head += f" {vote.tally.get('yes', '?')}-{vote.tally.get('no', '?')}"
    lists = [f"{kind} {', '.join(getattr(vote, kind))}" for kind in BALLOTS if getattr(vote, kind)]
    return " | ".join([head, *lists, *(["unanimous"] if vote.unanimous else [])])


EXAMPLES = [each for file in sorted(FOLDER.iterdir()) for each in read_examples(file.name)]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_a_reader_would_write_down_the_same_votes(example: Example) -> None:
    is_minutes = not example.name.startswith("papers")

    assert votes_in(example.excerpt, is_minutes=is_minutes) == example.votes


MOVED = [
    each
    for each in read_examples("places.txt")
    if each.votes and not any("-/" in vote for vote in each.votes)
]


@pytest.mark.parametrize("place", range(0, len(MOVED) - 1, 2))
def test_a_vote_takes_nothing_from_the_one_before_it(place: int) -> None:
    first, second = MOVED[place : place + 2]

    opened = "The meeting was called to order at 7 p.m."

    assert votes_in(f"{first.excerpt}\n\n{opened}\n\n{second.excerpt}") == [
        *first.votes,
        *second.votes,
    ]


@pytest.mark.parametrize("talk", read_examples("talk.txt"), ids=lambda talk: talk.name)
def test_talk_is_no_vote_and_adds_nothing_to_the_vote_before_it(talk: Example) -> None:
    vote = "Motion by Kerr, second by Lund to pay the bills. Motion carried 5-0."

    assert talk.votes == []
    assert votes_in(f"{vote}\n\n{talk.excerpt}") == ["Kerr/Lund passed 5-0"]
