"""Alignment: spans follow their words into another version of the text, or are lost."""

from __future__ import annotations

import itertools
import json
import random
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis_sizes import examples
from rapidfuzz import fuzz
from shared_data import SHARED_DATA

from clerk.annotations.align import align
from clerk.annotations.text_fold import fold

CASES = SHARED_DATA / "annotations" / "alignment"

MINUTES = (
    "The meeting was called to order at 7:00 p.m. by Mayor Ana Ruiz. Councilmember O'Brien moved "
    "to approve the minutes of January 8. The motion was seconded by Councilmember Lee and "
    "carried 5-0. "
    "Resolution 2024-17, a resolution authorizing the purchase of a fire engine for $845,000, was "
    "read. Councilmember Diaz asked about the warranty. The motion to adopt carried 4-1, Diaz "
    "dissenting. There being no further business, the meeting was adjourned at 8:42 p.m."
)


def quote_at(text, words):
    begin = text.index(words)
    return begin, begin + len(words)


def mapped(source, target, words):
    span = align(source, target).map_span(*quote_at(source, words))
    return None if span is None else target[slice(*span)]


def test_equal_texts_keep_every_span():
    assert align(MINUTES, MINUTES).map_span(4, 5) == (4, 5)


def test_a_span_follows_an_insertion():
    target = MINUTES.replace("Councilmember Diaz asked", "Then Councilmember Diaz asked twice")
    assert align(MINUTES, target).map_span(*quote_at(MINUTES, "Diaz dissenting")) == quote_at(
        target, "Diaz dissenting"
    )


def test_reflowed_text_keeps_its_spans():
    target = "\n   ".join(MINUTES.split(" "))
    assert mapped(MINUTES, target, "fire engine") == "fire\n   engine"


def test_a_word_hyphenated_at_the_end_of_a_line_is_found():
    target = MINUTES.replace("authorizing", "author-\nizing")
    assert mapped(MINUTES, target, "resolution authorizing") == "resolution author-\nizing"


def test_case_accents_dashes_and_quotation_marks_do_not_count():
    target = MINUTES.upper().replace("O'BRIEN", "Ó’BRIEN").replace("5-0", "5–0")
    assert mapped(MINUTES, target, "O'Brien") == "Ó’BRIEN"
    assert mapped(MINUTES, target, "carried 5-0") == "CARRIED 5–0"


def test_a_changed_word_is_lost_and_its_replacement_suggested():
    target = MINUTES.replace("$845,000", "$854,000")
    alignment = align(MINUTES, target)
    span = quote_at(MINUTES, "845,000")
    assert alignment.map_span(*span) is None
    begin, end = alignment.suggest(*span)
    assert "5" in target[begin:end]


def test_a_minus_sign_counts():
    assert mapped("a change of -5 degrees", "a change of 5 degrees", "-5") is None


AGENDA = "\n".join(
    f"{number}. {title} {'.' * (80 - len(title))} {7 * number}"
    for number, title in enumerate(
        ("Call to order", "Approval of minutes", "Public comment", "Town Hall cupola", "Adjourn"), 1
    )
)


@pytest.mark.parametrize("leaders", [" ", " . . . . . . ", "\u2026\u2026", " ______ "])
def test_leaders_do_not_count(leaders):
    target = re.sub(r" \.{3,} ", leaders, AGENDA)
    alignment = align(AGENDA, target)
    assert alignment.coverage == 1.0
    for words in ("Approval of minutes", "Town Hall cupola", "Adjourn"):
        begin, end, changed = alignment.place(*quote_at(AGENDA, words))
        assert (target[begin:end], changed) == (words, False)


def test_leaders_that_ocr_read_as_letters_do_not_count():
    source = "1. Call to order and roll call ........ 2\n2. Pledge of Allegiance ........ 3\n"
    misread = "........:cecccescesceseceseeseesceeeeeeeeceeaeees"
    target = source.replace("........ 2", f"{misread} 2")

    assert fold(target) == fold(source)
    span = quote_at(source, "roll call ........ 2\n2. Pledge")
    place = align(source, target).place(*span)
    assert target[place.begin : place.end] == f"roll call {misread} 2\n2. Pledge"
    assert fold("....... senselessnesses") == "senselessnesses"


def test_words_that_were_read_between_those_of_a_span_do_not_lose_it():
    source = "The Board met. List of Special Transactions\nThe following were heard. Adjourned."
    target = source.replace("Transactions\n", "Transactions\nrecord\n")
    span = quote_at(source, "Special Transactions\nThe following")

    place = align(source, target).place(*span)

    words = target[place.begin : place.end]
    assert words == "Special Transactions\nrecord\nThe following" and place.changed
    many = source.replace("Transactions\n", "Transactions\nthat came in after the last day\n")
    assert align(source, many).place(*span) is None


def test_words_that_another_reading_has_apart_are_pieces_of_the_span():
    source = (
        "City of Boston Commissioners:\nMayor Michelle Wu Kathleen M. Joyce, Chairman\n"
        "The board met at noon and heard every applicant on the list of the day.\n"
    )
    target = (
        "City of Boston\nMayor Michelle Wu\n"
        "The board met at noon and heard every applicant on the list of the day.\n"
        "Commissioners:\nKathleen M. Joyce, Chairman\n"
    )

    places = align(source, target).place_all(*quote_at(source, "City of Boston Commissioners:"))

    assert [target[each.begin : each.end] for each in places] == [
        "City of Boston",
        "Commissioners:",
    ]
    assert all(each.changed for each in places)
    # A word that is there twice could be either.
    target += "Commissioners:\n"
    assert not align(source, target).place_all(*quote_at(source, "City of Boston Commissioners:"))


def test_the_place_of_other_words_is_not_taken():
    first = "Item 1. Paving of Elm Street. Motion by Ruiz, seconded by Lee. Motion carried.\n"
    second = "Item 2. Sale of the depot. Motion by Ruiz, seconded by Lee. Motion carried.\n"
    source = f"Called to order at noon.\n{first}{second}Adjourned at one."
    target = source.replace(first, "")

    begin, end = quote_at(first, "Motion by Ruiz, seconded by Lee. Motion carried.")
    at = source.index(first)
    assert align(source, target).place(at + begin, at + end) is None
    begin, end = quote_at(second, "Motion by Ruiz, seconded by Lee. Motion carried.")
    at = source.index(second)
    place = align(source, target).place(at + begin, at + end)
    assert place == (target.index(second) + begin, target.index(second) + end, False)


def test_coverage_counts_words_not_characters():
    target = re.sub(
        r"\.{3,}", "cecccecsseeeeseeeeecceceeeeeesseseeecceeeeeceeecceeeeseeeec", AGENDA
    )
    assert align(AGENDA, target).coverage > 0.9


def placed(source, target, words):
    found = align(source, target).place(*quote_at(source, words))
    return found and (target[found.begin : found.end], found.changed)


def test_a_long_span_with_few_differences_between_known_ends_is_kept():
    words = MINUTES[MINUTES.index("Resolution") : MINUTES.index("was read")].strip()
    target = MINUTES.replace("authorizing", "autborizing").replace("engine", "engme")
    read = words.replace("authorizing", "autborizing").replace("engine", "engme")
    assert placed(MINUTES, target, words) == (read, True)
    garbled = MINUTES.replace("a resolution authorizing the purchase", "xq zzz kkkk vvvvvv jj wwww")
    assert placed(MINUTES, garbled, words) is None


def test_no_span_of_words_ends_within_a_word():
    target = MINUTES.replace("purchase of a fire", "purchases of a fire")
    assert mapped(MINUTES, target, "authorizing the purchase") == "authorizing the purchase"
    assert placed(MINUTES, target, "authorizing the purchase") == (
        "authorizing the purchases",
        True,
    )
    assert placed(MINUTES, MINUTES.replace("Lee", "Leesburg"), "Lee") is None


def test_a_quote_that_was_moved_is_found_by_the_words_around_it():
    halves = MINUTES[: MINUTES.index("Resolution")], MINUTES[MINUTES.index("Resolution") :]
    other = "Lorem ipsum dolor sit amet, consectetur adipiscing elit sed do eiusmod. " * 12
    for target in (halves[1] + " " + halves[0], other + halves[0]):
        assert placed(MINUTES, target, "approve the minutes of January") == (
            "approve the minutes of January",
            False,
        )
    twice = other + "The motion was tabled. " + other + "The motion failed. "
    assert placed(MINUTES, twice, "The motion") is None


def test_the_second_of_two_equal_words_stays_the_second():
    source = "Lee moved. Lee seconded."
    target = "Motion: Lee moved. Then Lee seconded."
    begin = source.rindex("Lee")
    assert align(source, target).map_span(begin, begin + 3) == (24, 27)


def test_a_fragment_is_found_inside_the_whole_text():
    whole = " ".join(f"Item {n} was tabled until week {n * 7}." for n in range(400))
    fragment = whole[5000:5600]
    assert align(fragment, whole).map_span(10, 40) == (5010, 5040)


def test_other_texts_are_a_mismatch_and_map_nothing():
    alignment = align(MINUTES, "Lorem ipsum dolor sit amet, consectetur adipiscing elit. " * 6)
    assert not alignment.same_text
    assert alignment.map_span(*quote_at(MINUTES, "motion")) is None


def test_a_span_outside_the_text_is_refused():
    with pytest.raises(ValueError, match="no span"):
        align("abc", "abd").map_span(2, 9)


def test_white_space_at_the_edges_of_a_span_is_kept_where_it_is_the_same():
    target = "Agenda. " + MINUTES
    begin, end = quote_at(MINUTES, " was called ")
    assert align(MINUTES, target).map_span(begin, end) == (begin + 8, end + 8)


def noisy(text, rate, seed):
    """Return the text with that share of edits, and where each untouched character went."""
    dice = random.Random(seed)
    result: list[str] = []
    places: list[int | None] = []
    for char in text:
        fate = dice.random()
        if fate >= rate:
            places.append(len(result))
            result.append(char)
            continue
        places.append(None)
        if fate > rate / 3:
            result.extend(dice.choice("etaoin shrdlu") for _ in range(1 + (fate > rate / 1.5)))
    return "".join(result), places


def long_text(length, seed=1):
    dice = random.Random(seed)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(dice.choices(letters, k=dice.randint(2, 10))) for _ in range(2000)]
    return " ".join(dice.choices(words, k=length // 6))


@pytest.mark.parametrize("rate", [0.01, 0.05])
def test_untouched_spans_of_a_noisy_text_are_found_and_none_is_moved(rate):
    source = long_text(60_000)
    target, places = noisy(source, rate, seed=5)
    alignment = align(source, target)
    dice = random.Random(7)
    found = untouched = 0
    for _ in range(1000):
        begin = dice.randrange(len(source) - 20)
        truth = places[begin : begin + 12]
        if None in truth or truth[-1] - truth[0] != 11:
            continue
        untouched += 1
        span = alignment.map_span(begin, begin + 12)
        found += span is not None
        assert span is None or abs(span[0] - truth[0]) <= 2
    assert found >= 0.99 * untouched


@settings(max_examples=examples(300), deadline=None)
@given(st.data())
def test_a_mapped_span_always_has_the_words_of_its_quote(data):
    alphabet = st.sampled_from("ab A-\n\u00ad\u0301é5ß'’")
    source = data.draw(st.text(alphabet, min_size=1, max_size=60))
    target = data.draw(st.text(alphabet, max_size=60))
    begin = data.draw(st.integers(0, len(source) - 1))
    end = data.draw(st.integers(begin + 1, len(source)))

    span = align(source, target).map_span(begin, end)

    assert span is None or fold(target[slice(*span)]) == fold(source[begin:end])


@settings(max_examples=examples(100), deadline=None)
@given(st.integers(0, 10_000), st.floats(0, 0.4))
def test_a_mapped_span_of_an_edited_text_has_the_words_of_its_quote(seed, rate):
    source = long_text(1500, seed)
    target, _ = noisy(source, rate, seed)
    alignment = align(source, target)
    for begin in range(0, len(source) - 30, 17):
        span = alignment.map_span(begin, begin + 9)
        assert span is None or fold(target[slice(*span)]) == fold(source[begin : begin + 9])


SENTENCES = (
    "Motion by {0}, seconded by {1}, to approve the minutes of May {n}. Motion carried.",
    "Motion carried unanimously.",
    "Ayes: {0}, {1}, {2}. Noes: none.",
    "{0} moved to approve Resolution 2024-{n}. {1} seconded.",
    "Public comment: {0} spoke of the bridge on Route {n}.",
    "Item {n}. Award of a contract to {0} and {1} for ${n},400.",
    "No action was taken.",
    "Adjourned.",
)
NAMES = ("Ruiz", "Lee", "Berg", "Kiley", "Tao", "Estabrook", "Cardoza", "Novak")


def read_again(lines, dice):
    """Return a text as another reading has it, and which character of the lines each of it is.

    Lines are lost and moved, letters misread, lost and added, and stray words added.
    """
    lost, moved, slips, stray = (
        dice.choice(rates) for rates in ((0, 0.1, 0.4), (0, 0.1, 0.3), (0, 0.01, 0.04), (0, 0.1))
    )
    starts = itertools.accumulate(map(len, lines), initial=0)
    kept = [
        list(zip(line, itertools.count(at), strict=False))
        for line, at in zip(lines, starts, strict=False)
    ]
    kept = [line for line in kept if dice.random() >= lost]
    for _ in range(int(moved * len(kept))):
        line = kept.pop(dice.randrange(len(kept)))
        kept.insert(dice.randrange(len(kept) + 1), line)
    found = []
    for line in kept:
        if dice.random() < stray:
            found += [(char, None) for char in dice.choice(("Page 2\n", "record ", "wath Wkb\n"))]
        for char, origin in line:
            fate = dice.random()
            if fate < slips / 2 and char.isalnum():
                found.append((dice.choice("aeiclo10ns"), origin))
            elif fate >= slips * 3 / 4:
                found.append((char, origin))
                found += [(dice.choice("ilc.e"), None)] if fate < slips else []
    return "".join(char for char, _ in found), [origin for _, origin in found]


@settings(max_examples=examples(150), deadline=None)
@given(st.integers(0, 1_000_000))
# A name of a lost sentence, next to the same name in another one.
@example(5315)
@example(6795)
def test_a_wrong_place_is_never_chosen_over_none(seed):
    """Minutes repeat themselves.  A span is in its own letters, or the words next to it are there.

    Where one of two equal sentences is lost, nobody can know which one it was; a span may then be
    in the other one, if the same words are before or after it.
    """
    dice = random.Random(seed)
    lines = [
        dice.choice(SENTENCES).format(*dice.choices(NAMES, k=3), n=dice.randint(1, 30)) + "\n"
        for _ in range(dice.randint(3, 30))
    ]
    source = "".join(lines)
    target, origins = read_again(lines, dice)
    alignment = align(source, target)
    words = list(re.finditer(r"\S+", source))
    for first in dice.choices(range(len(words)), k=30):
        last = min(len(words) - 1, first + dice.choice((0, 1, 2, 4, 8, 20, 40)))
        begin, end = words[first].start(), words[last].end()
        places = alignment.place_all(begin, end)
        letters, own = [], []
        for place in places:
            here = [at for at in range(place.begin, place.end) if target[at].isalnum()]
            mine = [at for at in here if origins[at] is not None and begin <= origins[at] < end]
            # Every piece of a span has some of its own letters.
            assert mine or len(places) == 1, (begin, end, places)
            letters, own = letters + here, own + mine
        if 2 * len(own) >= len(letters):
            continue
        sides = (
            (fold(source[max(0, begin - 72) : begin]), fold(target[: places[0].begin][-72:]), -24),
            (fold(source[end : end + 72]), fold(target[places[-1].end :][:72]), 24),
        )
        # Directly next to it, or a line further on, where the line between is lost or moved.
        near = further = 0.0
        for here, there, size in sides:
            next_to_it = [each[size:] if size < 0 else each[:size] for each in (here, there)]
            near = max(near, fuzz.ratio(*next_to_it))
            others = ((next_to_it[0], there), (next_to_it[1], here))
            further = max(further, *(fuzz.partial_ratio(*each) for each in others))
        assert near >= 50 or further >= 80, (begin, end, places)


def test_a_hundred_thousand_repeated_lines_do_not_take_forever():
    source = "Motion carried. " * 8000
    target = "Motion carried. " * 4000 + "X" + "Motion carried. " * 4100
    assert align(source, target).coverage > 0


def spans_of(path):
    loaded = json.loads((CASES / path).read_text())
    return loaded["text"], {each["id"]: each["span"] for each in loaded["denotations"]}


@pytest.mark.skipif(not CASES.is_dir(), reason="there is no shared data")
@pytest.mark.parametrize("name", ["10022841", "10036778", "10050312"])
def test_the_shared_cases_come_out_as_expected(name):
    source, spans = spans_of(f"oryza-{name}.json")
    target, expected = spans_of(f"{name}-align.json")
    alignment = align(source, target)
    for key, span in spans.items():
        begin, end = span["begin"], span["end"]
        wanted = expected.get(key)
        wanted = wanted and (wanted["begin"], wanted["end"])
        span = alignment.map_span(begin, end)
        same_words = wanted and fold(target[slice(*wanted)]) == fold(source[begin:end])
        assert span == (wanted if same_words else None)
        assert same_words or alignment.suggest(begin, end) == wanted


@pytest.mark.skipif(not CASES.is_dir(), reason="there is no shared data")
def test_the_sections_of_a_shared_article_are_found_in_the_whole():
    target = (CASES / "PMC-1310901.txt").read_text()
    expected = json.loads((CASES / "PMC-1310901-align.json").read_text())["denotations"]
    found = []
    for section in json.loads((CASES / "PMC-1310901-GE.json").read_text()):
        alignment = align(section["text"], target)
        for each in section.get("denotations", []):
            span = alignment.map_span(each["span"]["begin"], each["span"]["end"])
            found.append((*span, each["obj"]))
    wanted = [(each["span"]["begin"], each["span"]["end"], each["obj"]) for each in expected]
    assert sorted(found) == sorted(wanted)
