"""Tesseract's LSTM data: the only module that knows the format of ``*.traineddata``.

::

    *.traineddata        number of components, their offsets, the components
      lstm               layers with int8 or float weights, then the settings of the training
      lstm-unicharset    the characters, one a line
      lstm-recoder       which output of the network means which character

Only networks of the usual shape are accepted: convolution, max-pooling, an LSTM that sums up each
column, LSTMs along the line, softmax.  Everything else, and every damage, is refused by name.
"""

from __future__ import annotations

import struct
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy
from numpy.typing import NDArray

from clerk.read.ocr import UnusableTraineddata

from .dictionary import Dictionary, WordGraph

_LSTM, _UNICHARSET, _RECODER = 17, 21, 22
_PUNCTUATION, _WORDS, _NUMBERS = 18, 19, 20
_WORD_GRAPH = 42
_MOST_COMPONENTS = 64
_DEEPEST_NESTING = 8

_INT8, _DOUBLE = 1, 128
_COMPRESSED_CHARACTERS = 64
_LAYER_SPECIFIC_RATES = 64
_TRAINING = 1

#: The kinds by number, for files written before the kind was written as a word.
_KINDS = {
    **{1: "Input", 2: "Convolve", 3: "Maxpool", 9: "Series", 11: "RTLReversed"},
    **{13: "XYTranspose", 14: "LSTM", 15: "SummLSTM", 19: "Tanh", 22: "Softmax"},
}
_WRAPPERS = ("Series", "RTLReversed", "XYTranspose")
#: What a network must look like once its wrappers are taken off; LSTM may be there several times.
_USUAL = ("Input", "Convolve", "Tanh", "Maxpool", "SummLSTM", "LSTM", "Softmax")


@dataclass(frozen=True)
class Matrix:
    """Weights as int8, one scale and one bias for each output."""

    weights: NDArray[numpy.int8]
    scales: NDArray[numpy.float32]
    bias: NDArray[numpy.float32]


@dataclass(frozen=True)
class Layer:
    """One layer: its matrices (an LSTM has four: candidate, input, forget and output gate)."""

    kind: str
    inputs: int
    outputs: int
    matrices: Sequence[Matrix] = ()
    size: tuple[int, ...] = ()
    wrappers: tuple[str, ...] = ()

    @property
    def reversed(self) -> bool:
        """Whether it reads the line from its end."""
        return "RTLReversed" in self.wrappers


@dataclass(frozen=True)
class LstmData:
    """A network of the usual shape, and what its outputs mean."""

    height: int
    convolution: Layer
    pooling: Layer
    summary: Layer
    lstms: Sequence[Layer]
    softmax: Layer
    #: The output that means "nothing here".
    blank: int
    #: The character of each output; empty for the blank.
    characters: Sequence[str] = field(repr=False)


def read_traineddata(path: Path) -> LstmData:
    """Read the network of a file, or raise UnusableTraineddata."""
    try:
        components = _components(path.read_bytes())
        for index, name in ((_LSTM, "network"), (_UNICHARSET, "character set")):
            if index not in components:
                raise _Refused(f"it has no LSTM {name}")
        reader = _Reader(components[_LSTM])
        layers = _without_wrappers(_layer(reader))
        reader.text()
        training_flags, *_, blank = reader.values("4i")
        if not training_flags & _COMPRESSED_CHARACTERS or _RECODER not in components:
            raise _Refused("its characters have no codes")
        data = _usual_shape(layers, blank)
        return replace(data, characters=_characters(components, data.softmax.outputs, blank))
    except (_Refused, OSError, ValueError, struct.error, IndexError, OverflowError) as error:
        reason = str(error) if isinstance(error, _Refused | OSError) else f"it is damaged ({error})"
        raise UnusableTraineddata(
            f"The engine tesseract-onnx cannot use {path}: {reason}.",
            hint="Use the engine 'tesseract', or data of the tessdata_fast collection.",
        ) from error


def read_dictionary(path: Path) -> Dictionary | None:
    """Read the words, numbers and punctuation of a file; None when they are missing or damaged."""
    try:
        components = _components(path.read_bytes())
        names = _unicharset(components[_UNICHARSET])
        letters = {name: number for number, name in reversed(list(enumerate(names)))}
        graphs = []
        for index in (_WORDS, _NUMBERS, _PUNCTUATION):
            reader = _Reader(components[index])
            magic, letters_known, number_of_edges = reader.values("hii")
            if magic != _WORD_GRAPH or letters_known < 1:
                return None
            edges = reader.array("<u8", number_of_edges)
            graphs.append(WordGraph(edges, letters_known.bit_length(), letters))
        return Dictionary(*graphs)
    except (_Refused, OSError, ValueError, struct.error, KeyError):
        return None


class _Refused(Exception):
    """The file is whole, but not of the usual shape."""


class _Reader:
    """Little-endian values one after the other; beyond the end is an error, never a guess."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._at = 0

    def value(self, code: str) -> Any:
        (value,) = self.values(code)
        return value

    def values(self, codes: str) -> tuple[Any, ...]:
        values = struct.unpack_from("<" + codes, self._content, self._at)
        self._at += struct.calcsize("<" + codes)
        return values

    def text(self) -> str:
        return bytes(self.array("u1", self.value("I"))).decode()

    def array(self, dtype: str, length: int) -> NDArray[Any]:
        if length == 0:
            return numpy.empty(0, dtype)
        values = numpy.frombuffer(self._content, dtype, length, self._at)
        self._at += values.nbytes
        return values


def _components(content: bytes) -> dict[int, bytes]:
    reader = _Reader(content)
    number = reader.value("I")
    if not 0 < number <= _MOST_COMPONENTS:
        raise _Refused("it is not a traineddata file")
    offsets = reader.values(f"{number}q")
    present = [(offset, index) for index, offset in enumerate(offsets) if offset >= 0]
    ends = [offset for offset, _ in present[1:]] + [len(content)]
    return {index: content[start:end] for (start, index), end in zip(present, ends, strict=True)}


def _layer(reader: _Reader, depth: int = 0) -> tuple[Layer, list[Any]]:
    """Read a layer and, for a wrapper, the layers in it."""
    number = reader.value("b")
    kind = reader.text() if number == 0 else _KINDS.get(number, f"number {number}")
    if reader.value("b") == _TRAINING:
        raise _Refused("it is a training checkpoint")
    _, flags, inputs, outputs, _ = reader.values("biiii")
    reader.text()
    layer, inner = Layer(kind, inputs, outputs), []
    if kind in _WRAPPERS:
        if depth >= _DEEPEST_NESTING:
            raise _Refused("its layers are nested too deeply")
        inner = [_layer(reader, depth + 1) for _ in range(reader.value("I"))]
        if flags & _LAYER_SPECIFIC_RATES:
            reader.array("<f4", reader.value("I"))
    elif kind == "Input":
        layer = replace(layer, size=reader.values("5i"))
    elif kind in ("Convolve", "Maxpool"):
        layer = replace(layer, size=reader.values("2i"))
    elif kind in ("LSTM", "SummLSTM"):
        reader.value("i")
        layer = replace(layer, matrices=[_matrix(reader) for _ in range(4)])
    elif kind in ("Tanh", "Softmax"):
        layer = replace(layer, matrices=[_matrix(reader)])
    else:
        raise _Refused(f"its network has a layer of the kind {kind}")
    return layer, inner


def _matrix(reader: _Reader) -> Matrix:
    mode = reader.value("B")
    if not mode & _DOUBLE:
        raise _Refused("its weights are in the format of Tesseract 4 alpha")
    outputs, columns = reader.values("2I")
    if mode & _INT8:
        reader.value("b")
        stored = reader.array("i1", outputs * columns).reshape(outputs, columns)
        scales = reader.array("<f8", reader.value("I"))[:outputs]
        return _finite(stored[:, :-1], scales, stored[:, -1] * scales)
    reader.value("d")
    # Weights stored as floats are rounded to int8.
    stored = reader.array("<f8", outputs * columns).reshape(outputs, columns)
    weights, bias = stored[:, :-1], stored[:, -1]
    if not numpy.isfinite(weights).all():
        raise _Refused("it has weights that are not numbers")
    scales = numpy.maximum(numpy.abs(weights).max(axis=1, initial=0.0), 1e-9) / 127
    return _finite(numpy.rint(weights / scales[:, None]), scales, bias)


def _finite(weights: NDArray[Any], scales: NDArray[Any], bias: NDArray[Any]) -> Matrix:
    if not all((numpy.abs(values) < 1e6).all() for values in (scales, bias)):
        raise _Refused("it has weights that are not numbers")
    return Matrix(
        weights.astype(numpy.int8), scales.astype(numpy.float32), bias.astype(numpy.float32)
    )


def _without_wrappers(tree: tuple[Layer, list[Any]], around: tuple[str, ...] = ()) -> list[Layer]:
    layer, inner = tree
    if layer.kind not in _WRAPPERS:
        return [replace(layer, wrappers=around)]
    within = around if layer.kind == "Series" else (*around, layer.kind)
    return [plain for each in inner for plain in _without_wrappers(each, within)]


def _usual_shape(layers: list[Layer], blank: int) -> LstmData:
    """Name the layers by their place, or say in which way they are not as usual."""
    kinds = [layer.kind for layer in layers]
    if kinds[:5] + kinds[-1:] != [*_USUAL[:5], _USUAL[-1]] or set(kinds[5:-1]) != {"LSTM"}:
        raise _Refused(f"its network is {' '.join(kinds)} instead of {' '.join(_USUAL)}")
    entry, convolve, tanh, pooling, summary, *lstms, softmax = layers
    _, height, width, depth, _ = entry.size
    if depth != 1 or width != 0 or not 8 <= height <= 256:
        raise _Refused(f"its network takes pictures of the size {entry.size}")
    if not all(1 <= side <= 8 for side in pooling.size) or height % pooling.size[1]:
        raise _Refused(f"its network pools {pooling.size} pixels")
    convolution = replace(tanh, size=convolve.size)
    along_the_line = all(layer.wrappers in ((), ("RTLReversed",)) for layer in lstms)
    wrapped = any(layer.wrappers for layer in (convolution, pooling, softmax))
    if summary.wrappers != ("XYTranspose",) or not along_the_line or wrapped:
        raise _Refused("its layers run in unusual directions")
    window_width, window_height = (2 * half + 1 for half in convolution.size)
    sizes_fit = convolution.size == (1, 1) and _fits(convolution, window_width * window_height)
    outputs = convolution.outputs
    for layer in (summary, *lstms):
        sizes_fit &= layer.inputs == outputs and _fits(layer, outputs + layer.outputs)
        outputs = layer.outputs
    if not sizes_fit or not _fits(softmax, outputs):
        raise _Refused("the sizes of its layers do not fit together")
    if not 0 <= blank < softmax.outputs:
        raise _Refused("its blank is none of its outputs")
    return LstmData(height, convolution, pooling, summary, lstms, softmax, blank, ())


def _fits(layer: Layer, inputs: int) -> bool:
    wanted = (layer.outputs, inputs)
    return layer.outputs > 0 and all(
        matrix.weights.shape == wanted and matrix.scales.shape == wanted[:1]
        for matrix in layer.matrices
    )


def _characters(components: dict[int, bytes], outputs: int, blank: int) -> list[str]:
    characters = [""] * outputs
    names = _unicharset(components[_UNICHARSET])
    reader = _Reader(components[_RECODER])
    codes = []
    for _ in range(reader.value("I")):
        _, length = reader.values("bI")
        if length != 1:
            raise _Refused("its characters are written with several codes each")
        codes.append(reader.value("i"))
    for code, name in zip(codes, names, strict=True):
        if not 0 <= code < outputs:
            raise _Refused(f"it gives a character the code {code}")
        if code != blank and not characters[code]:
            characters[code] = name
    if " " not in characters:
        raise _Refused("it has no space among its characters")
    if any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in "".join(characters)):
        raise _Refused("its script runs from right to left")
    return characters


def _unicharset(component: bytes) -> list[str]:
    number, *lines = component.decode().split("\n")
    names = [line.split(" ")[0] for line in lines[: int(number)]]
    return [" " if name == "NULL" else name for name in names]
