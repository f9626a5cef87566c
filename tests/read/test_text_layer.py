"""Judging text layers: what is believed, and what is not."""

from __future__ import annotations

import string
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clerk.read import text_layer
from clerk.read.text_layer import Verdict

PROSE = """The Board of Selectmen met at seven o'clock in the evening at the town hall.
On a motion by Mrs. Whitcomb, seconded by Mr. Okafor, it was voted to approve the minutes
of the last meeting as written. The treasurer reported a balance of $12,480.15 in the road
account and asked that the culvert on Tannery Lane (item 4-B) be repaired before the frost.
"""
OTHER_LANGUAGES = {
    "Spanish": "El ayuntamiento aprobó por mayoría la propuesta de reparar el puente del molino "
    "y encargó a la secretaría que publique el acuerdo en el tablón de anuncios.",
    "German": "Der Gemeinderat beschließt einstimmig, die Brücke an der Mühle instand zu setzen, "
    "und bittet die Verwaltung, den Beschluss öffentlich bekannt zu machen.",
    "Polish": "Rada gminy przyjęła jednogłośnie uchwałę w sprawie naprawy mostu przy młynie "
    "oraz poleciła ogłosić ją na tablicy w urzędzie do końca miesiąca.",
    "Greek": "Το δημοτικό συμβούλιο αποφάσισε ομόφωνα την επισκευή της γέφυρας του μύλου.",
    "Japanese": "町議会は水車小屋の橋を修理することを全会一致で決定した。",
}


def no() -> bool:
    return False


def yes() -> bool:
    return True


def judged(text, repeated=frozenset(), *, nothing=no, more=no, scan=no) -> Verdict:
    plausible = text_layer.plausibility(text)
    return text_layer.judge(
        text, plausible, repeated, shows_nothing=nothing, shows_more=more, is_scan=scan
    )


def shifted(text: str, by: int) -> str:
    """The text as a font without a character map gives it: another letter for each letter."""
    moved = string.ascii_lowercase[by:] + string.ascii_lowercase[:by]
    table = str.maketrans(string.ascii_lowercase + string.ascii_uppercase, moved + moved.upper())
    return text.translate(table)


def test_prose_is_believed_whatever_the_page_shows():
    assert judged(PROSE, more=yes, scan=yes) is Verdict.GOOD


@pytest.mark.parametrize("text", OTHER_LANGUAGES.values(), ids=OTHER_LANGUAGES)
def test_prose_of_other_languages_is_believed(text):
    assert judged(text) is Verdict.GOOD


def test_a_page_without_text_needs_ocr_unless_nothing_is_drawn():
    assert judged(" \n", more=yes) is Verdict.NO_TEXT
    assert judged("", nothing=yes) is Verdict.EMPTY


def test_few_letters_are_enough_where_nothing_else_is_shown():
    assert judged("Appendix A\nMaps") is Verdict.GOOD
    assert judged("Appendix A\nMaps", more=yes) is Verdict.SPARSE


@pytest.mark.parametrize("by", range(1, 26))
def test_shifted_letters_are_junk(by):
    assert judged(shifted(PROSE, by)) is Verdict.JUNK


@pytest.mark.parametrize(
    "text",
    [
        "\ue012\ue045 \ue001\ue002\ue003 " * 30,
        "\ufffd\ufffd\ufffd \ufffd\ufffd " * 30,
        '"7+%- (&$ ^^# ~{| <>=+ ' * 10,
        "".join(PROSE.split()),
    ],
    ids=["private letters", "unmapped letters", "symbols", "no spaces"],
)
def test_junk_is_not_believed(text):
    assert judged(text) is Verdict.JUNK


def test_a_poor_layer_is_believed_only_where_the_page_is_no_scan():
    poor = PROSE.replace("the", "t|~e").replace("of", "0|f").replace("a ", "^a{ ")

    assert text_layer.JUNK_BELOW <= text_layer.plausibility(poor) < text_layer.SURE_FROM
    assert judged(poor) is Verdict.GOOD
    assert judged(poor, scan=yes) is Verdict.DOUBTFUL


def test_headers_and_stamps_are_repeated_though_their_numbers_differ():
    pages = [f"Filed 3/{n}/2024  Page {n} of 9\nOnly here: {'x' * n}" for n in range(1, 10)]

    assert text_layer.repeated_lines(pages) == {text_layer._pattern("Filed 3/1/2024  Page 1 of 9")}


def test_one_page_alone_has_no_repeated_lines():
    assert text_layer.repeated_lines([PROSE]) == frozenset()
    assert text_layer.repeated_lines([PROSE, "", " \n"]) == frozenset()


def test_letters_of_repeated_lines_do_not_count():
    header = "Town of Millbrook Falls, Office of the Town Clerk, received and recorded\n" * 2
    repeated = text_layer.repeated_lines([header] * 4)

    assert text_layer.has_enough_letters(header, frozenset())
    assert not text_layer.has_enough_letters(header, repeated)
    assert judged(header, repeated, more=yes) is Verdict.SPARSE


@given(st.text())
def test_plausibility_is_a_share_for_any_text(text):
    assert 0.0 <= text_layer.plausibility(text) <= 1.0


@given(st.lists(st.text(alphabet="aehtqxAÉß-1.,", min_size=1, max_size=12), max_size=30))
def test_words_seen_before_count_as_if_they_were_new(tokens):
    """What is remembered of words is what a look at each of them says."""
    pairs = [a + b for token in tokens for a, b in pairwise(token.lower())]
    letters = [pair for pair in pairs if pair.isascii() and pair.isalpha()]
    plausible = sum(1 for token in tokens if text_layer._PLAUSIBLE.fullmatch(token))
    frequent = sum(pair in text_layer._FREQUENT for pair in letters)

    for _ in range(2):
        assert text_layer.tally(tokens) == (plausible, len(letters), frequent)


@given(st.lists(st.text(alphabet="ab1\n ", max_size=40), max_size=8))
def test_repeated_lines_stand_on_most_of_the_written_pages(pages):
    written = [page for page in pages if page.strip()]

    for line in text_layer.repeated_lines(pages):
        holding = [page for page in written if line in text_layer._pattern(page).split("\n")]
        assert len(holding) >= max(2, text_layer.REPEATED_FROM * len(written))


@given(st.lists(st.sampled_from(PROSE.split()), min_size=30, max_size=200))
def test_words_in_any_order_and_line_length_are_believed_and_their_shift_is_not(words):
    text = "\n".join(" ".join(words[start : start + 9]) for start in range(0, len(words), 9))

    assert text_layer.plausibility(text) >= text_layer.JUNK_BELOW
    long_enough = sum(len(word) - 1 for word in words if word.isalpha()) > 120
    assert not long_enough or text_layer.plausibility(shifted(text, 3)) < text_layer.JUNK_BELOW
