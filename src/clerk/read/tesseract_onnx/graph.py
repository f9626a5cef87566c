"""Writing Tesseract's network as an ONNX graph.

::

    picture [batch, 1, height, width] --+
                                        v
    convolution -> max-pooling -> tanh -> LSTM up each column -> LSTMs along the line -> softmax
                                                                  ^                      |
    columns [batch] ----------------------------------------------+                      v
                                                             shares [column, batch, character]

The weights stay the int8 values of the file, and activations are rounded to 8 bits on the way.
onnxruntime takes the range for that rounding from the values at hand, so a line would be read
differently in different company.  Therefore every LSTM along the line gets two more inputs and
cells, which always say 1 and -1: no value is beyond them, so the range is always the same, and so
is the reading.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy
from numpy.typing import NDArray

from . import model_file
from .traineddata import Layer, LstmData

#: The result of :func:`probe_model` when the processor multiplies bytes without overflow.
EXACT_PROBE = 64 * 255 * 127

_EXTENSIONS = "com.microsoft"
#: What the two further cells of each layer always say.
_BOUNDS = (1.0, -1.0)
#: Far enough to drive a gate fully open or shut, or a cell to the end of its range.
_SATURATED = 40.0
#: The order in which ONNX wants the gates, as places in the file's order.
_INPUT_OUTPUT_FORGET_CANDIDATE = (1, 3, 2, 0)


def onnx_model(data: LstmData, *, unsigned: bool = False) -> bytes:
    """Return the network as an ONNX file.

    ``unsigned`` stores the weights as uint8: slower, but exact on processors whose product of
    unsigned and signed bytes overflows: see :func:`probe_model`.
    """
    graph = _Graph(unsigned)
    matrix = data.convolution.matrices[0]
    # The file counts the window's pixels column by column.
    real_weights = matrix.weights * matrix.scales[:, None]
    window = real_weights.reshape(-1, 1, 3, 3).transpose(0, 1, 3, 2)
    inputs = ["picture", graph.constant(window), graph.constant(matrix.bias)]
    convolved = graph.add("Conv", inputs, pads=[1, 1, 1, 1])
    across, down = data.pooling.size
    pooled = graph.add("MaxPool", [convolved], kernel_shape=[down, across], strides=[down, across])
    # tanh comes after the pooling, where there are fewer values.
    columns, batch = _summarised(graph, data, graph.add("Tanh", [pooled]))

    for layer in data.lstms:
        every_step, _ = _add_lstm(graph, layer, columns, batch, "columns")
        columns = graph.add("Squeeze", [every_step, graph.integers(1)])

    matrix = data.softmax.matrices[0]
    characters, cells = matrix.weights.shape
    weights = numpy.zeros((cells + len(_BOUNDS), characters), numpy.int8)
    weights[:cells] = matrix.weights.T
    factors = [
        graph.weights(weights),
        graph.constant(matrix.scales),
        graph.zero_points(characters),
    ]
    product = graph.add("DynamicQuantizeMatMul", [columns, *factors], domain=_EXTENSIONS)
    biased = graph.add("Add", [product, graph.constant(matrix.bias)])
    graph.add("Softmax", [biased], output="shares", axis=-1)

    facts = {
        "height": data.height,
        "pixels_per_column": data.pooling.size[0],
        "blank": data.blank,
        "characters": list(data.characters),
    }
    return model_file.model(
        graph.nodes,
        graph.constants,
        inputs=[
            model_file.value_info("picture", numpy.float32, ["batch", 1, data.height, "width"]),
            model_file.value_info("columns", numpy.int32, ["batch"]),
        ],
        outputs=[
            model_file.value_info(
                "shares", numpy.float32, ["column", "batch", data.softmax.outputs]
            ),
        ],
        name="lstm",
        ir_version=8,
        opsets={"": 17, _EXTENSIONS: 1},
        properties={"clerk": json.dumps(facts)},
    )


def probe_model() -> bytes:
    """Return an ONNX file whose output ``probe`` is a product of unsigned and signed bytes."""
    graph = _Graph(unsigned=False)
    largest = graph.constant(numpy.full((1, 64), 255, numpy.uint8))
    most = graph.constant(numpy.full((64, 1), 127, numpy.int8))
    graph.add("MatMulInteger", [largest, most], output="probe")
    return model_file.model(
        graph.nodes,
        graph.constants,
        inputs=[],
        outputs=[model_file.value_info("probe", numpy.int32, [1, 1])],
        name="probe",
        ir_version=8,
        opsets={"": 17},
        properties={},
    )


class _Graph:
    """Nodes and constants while they are collected."""

    def __init__(self, unsigned: bool) -> None:
        self.unsigned = unsigned
        self.nodes: list[bytes] = []
        self.constants: list[bytes] = []
        #: The distance of two values when those between -1 and 1 become bytes, and their zero.
        self.rounding = (self.constant(numpy.float32(2 / 255)), self.constant(numpy.uint8(128)))

    def constant(self, values: NDArray[Any] | numpy.generic) -> str:
        name = f"constant{len(self.constants)}"
        self.constants.append(model_file.tensor(name, numpy.asarray(values)))
        return name

    def integers(self, *values: int) -> str:
        return self.constant(numpy.array(values, numpy.int64))

    def floats(self, *values: float) -> str:
        return self.constant(numpy.array(values, numpy.float32))

    def weights(self, values: NDArray[numpy.int8]) -> str:
        if not self.unsigned:
            return self.constant(values)
        return self.constant((values.astype(numpy.int16) + 128).astype(numpy.uint8))

    def zero_points(self, *shape: int) -> str:
        """Return what stands for zero in :meth:`weights`."""
        return self.weights(numpy.zeros(shape, numpy.int8))

    def add(
        self,
        kind: str,
        inputs: Sequence[str],
        output: str = "",
        domain: str = "",
        **attributes: int | str | Sequence[int],
    ) -> str:
        name = output or f"{kind}{len(self.nodes)}"
        self.nodes.append(model_file.node(kind, inputs, [name], attributes, domain))
        return name

    def add_lstm(self, inputs: Sequence[str], **attributes: int | str) -> tuple[str, str]:
        """Add an LSTM and return its output at every step, and at the last one."""
        every_step, last_step = (f"{name}{len(self.nodes)}" for name in ("every", "last"))
        outputs = [every_step, last_step]
        self.nodes.append(
            model_file.node("DynamicQuantizeLSTM", inputs, outputs, attributes, _EXTENSIONS)
        )
        return every_step, last_step

    def rounded(self, tensor: str) -> str:
        """Return values between -1 and 1 as bytes, rounded as onnxruntime does for that range."""
        return self.add("QuantizeLinear", [tensor, *self.rounding])

    def split(self, tensor: str, parts: int) -> list[str]:
        """Return equal parts of the last side."""
        names = [f"part{part} of {tensor}" for part in range(parts)]
        self.nodes.append(model_file.node("Split", [tensor], names, {"axis": -1}))
        return names

    def sides(self, tensor: str, start: int, end: int) -> str:
        """Return the lengths of some sides of a tensor."""
        return self.add("Shape", [tensor], start=start, end=end)

    def shape(self, *parts: str) -> str:
        return self.add("Concat", parts, axis=0)


def _summarised(graph: _Graph, data: LstmData, pooled: str) -> tuple[str, str]:
    """Run an LSTM down every column of every picture; return [column, batch, cells] and [batch].

    There are few rows and many columns, so the steps are written out one by one: that takes half
    the time of an LSTM that is one node.
    """
    layer, rows = data.summary, data.height // data.pooling.size[1]
    by_row = graph.add("Transpose", [pooled], perm=[2, 3, 0, 1])
    every_column = graph.add("Reshape", [by_row, graph.integers(0, -1, layer.inputs)])
    inputs = graph.rounded(every_column)
    output = state = ""
    at_first, later = (_factors(graph, layer, number) for number in (layer.inputs, None))
    for row in range(rows):
        here = graph.add("Gather", [inputs, graph.constant(numpy.int64(row))], axis=0)
        if output:
            here = graph.add("Concat", [here, graph.rounded(output)], axis=1)
        factors = later if output else at_first
        product = graph.add("MatMulIntegerToFloat", [here, *factors], domain=_EXTENSIONS)
        *gates, candidate = graph.split(product, len(_INPUT_OUTPUT_FORGET_CANDIDATE))
        take_in, let_out, keep = (graph.add("Sigmoid", [gate]) for gate in gates)
        now = graph.add("Mul", [take_in, graph.add("Tanh", [candidate])])
        if state:
            now = graph.add("Add", [graph.add("Mul", [keep, state]), now])
        output, state = graph.add("Mul", [let_out, graph.add("Tanh", [now])]), now
    shape = graph.shape(graph.sides(by_row, 1, 3), graph.integers(layer.outputs))
    columns = graph.add("Reshape", [output, shape])
    each = graph.shape(graph.sides(columns, 0, 2), graph.integers(1))
    bounds = graph.add("Expand", [graph.floats(*_BOUNDS), each])
    return graph.add("Concat", [columns, bounds], axis=2), graph.sides(by_row, 2, 3)


def _factors(graph: _Graph, layer: Layer, inputs: int | None) -> list[str]:
    """Return what rounded values are multiplied with for all gates at once; None: all inputs."""
    gates = [layer.matrices[place] for place in _INPUT_OUTPUT_FORGET_CANDIDATE]
    weights = numpy.hstack([gate.weights.T[:inputs] for gate in gates])
    scales, bias = (
        numpy.hstack([getattr(gate, of) for gate in gates]) for of in ("scales", "bias")
    )
    scale, zero = graph.rounding
    names = [graph.weights(weights), scale, graph.constant(scales), zero]
    return [*names, graph.zero_points(), graph.constant(bias)]


def _add_lstm(
    graph: _Graph, layer: Layer, sequence: str, batch: str, lengths: str
) -> tuple[str, str]:
    """Add an LSTM with two further cells that are 1 and -1 from before the first step.

    The two further inputs and cells have no weight; their gates keep what is in the cell.
    """
    inner, outer = layer.inputs, layer.outputs
    cells = outer + len(_BOUNDS)
    # Weights are [input, gate, cell].
    from_inputs = numpy.zeros((inner + len(_BOUNDS), 4, cells), numpy.int8)
    from_cells = numpy.zeros((cells, 4, cells), numpy.int8)
    scales = numpy.ones((4, cells), numpy.float32)
    bias = numpy.zeros((8, cells), numpy.float32)
    for gate, place in enumerate(_INPUT_OUTPUT_FORGET_CANDIDATE):
        matrix = layer.matrices[place]
        from_inputs[:inner, gate, :outer] = matrix.weights[:, :inner].T
        from_cells[:outer, gate, :outer] = matrix.weights[:, inner:].T
        scales[gate, :outer] = matrix.scales
        bias[gate, :outer] = matrix.bias
    bias[:3, outer:] = numpy.array([[-_SATURATED], [_SATURATED], [_SATURATED]])
    scales_name = graph.constant(scales.reshape(1, -1))
    zero_points = graph.zero_points(1, scales.size)
    start = graph.shape(graph.integers(1), batch, graph.integers(1))
    inputs = [
        sequence,
        graph.weights(from_inputs.reshape(1, -1, scales.size)),
        graph.weights(from_cells.reshape(1, -1, scales.size)),
        graph.constant(bias.reshape(1, -1)),
        lengths,
        graph.add("Expand", [graph.constant(_start(cells, 1.0)), start]),
        graph.add("Expand", [graph.constant(_start(cells, _SATURATED)), start]),
        "",
        *(scales_name, zero_points) * 2,
    ]
    direction = "reverse" if layer.reversed else "forward"
    return graph.add_lstm(inputs, hidden_size=cells, direction=direction)


def _start(cells: int, size: float) -> NDArray[numpy.float32]:
    """Return the state before the first step: nothing, but for the two bounds."""
    state = numpy.zeros((1, 1, cells), numpy.float32)
    state[..., -len(_BOUNDS) :] = numpy.multiply(_BOUNDS, size)
    return state
