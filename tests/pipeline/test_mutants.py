"""The list of mutants is true: each line is there, each test exists, each is in the docs.

Running them takes minutes: ``make chaos``.
"""

from __future__ import annotations

import pytest
from mutants import MUTANTS, PACKAGE, TESTS, Mutant

DOCS = TESTS.parent / "docs" / "mutants.md"


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_mutant_has_its_line_its_test_and_its_words(mutant: Mutant) -> None:
    file, _, test = mutant.test.partition("::")
    name = test.partition("[")[0]

    assert (PACKAGE / mutant.file).read_text().count(mutant.line) == 1
    assert f"def {name}(" in (TESTS / file).read_text()
    listed = [
        line for line in DOCS.read_text().splitlines() if line.startswith(f"| {mutant.name} |")
    ]
    assert [line.endswith(f"| `{file}` {name} |") for line in listed] == [True]


def test_every_guard_has_a_name_of_its_own() -> None:
    names = [mutant.name for mutant in MUTANTS]

    assert len(set(names)) == len(names)
