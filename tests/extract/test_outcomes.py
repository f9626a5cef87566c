"""Outcomes are what the printed words say, and verbs of talk are no outcomes."""

from __future__ import annotations

import pytest

from clerk.extract.cues import FIRM, MENTION, SOFT, STRONG, document_text, find_cues
from clerk.extract.model import DIED, FAILED, PASSED, UNKNOWN, WITHDRAWN
from clerk.extract.outcomes import RULES, outcome_verb, result_of


@pytest.mark.parametrize(
    ("phrase", "result"),
    [
        ("carried", PASSED),
        ("approved as amended", PASSED),
        ("did not carry", FAILED),
        ("failed to pass", FAILED),
        ("defeated [6 to 9]", FAILED),
        ("lost", FAILED),
        ("rejet\u00e9e", FAILED),
        ("withdrawn", WITHDRAWN),
        ("died", DIED),
        ("no action taken", UNKNOWN),
    ],
)
def test_a_phrase_states_a_result(phrase: str, result: str) -> None:
    assert result_of(phrase) == result


@pytest.mark.parametrize(
    ("sentence", "strength"),
    [
        ("The motion to approve carried.", STRONG),
        ("The motion to amend failed 2-3.", STRONG),
        ("The Mayor declared the ordinance adopted.", STRONG),
        ("The motion carried.", FIRM),
        ("Carried.", FIRM),
        ("5-0 approved.", FIRM),
        ("Ordinance 12 passed.", FIRM),
        ("The slate of officers passed unanimously.", FIRM),
        ("The Board unanimously approved the plan.", FIRM),
        ("Mr. Smith withdrew his motion.", FIRM),
        ("It was agreed that the fee be set.", SOFT),
        ("The minutes were approved.", SOFT),
        ("The budget passed.", SOFT),
        ("If the motion carries, the fee is refunded.", MENTION),
        ("The plan should be adopted.", MENTION),
        ("The plan may be adopted.", MENTION),
        ("The House passed the bill.", MENTION),
        ("The ordinance was adopted in 2019.", MENTION),
        ("Be it resolved by the Council", MENTION),
        ("He carried out the repairs.", MENTION),
        ("The library lost its roof.", MENTION),
        ("Any motion passed by the Board shall be final.", MENTION),
    ],
)
def test_a_verb_states_an_outcome_more_or_less_surely(sentence: str, strength: int) -> None:
    verbs = [rule for rule in RULES if rule.read is outcome_verb]

    found = [cue.strength for cue in find_cues(verbs, document_text([sentence]))]

    assert max(found, default=MENTION) == strength
