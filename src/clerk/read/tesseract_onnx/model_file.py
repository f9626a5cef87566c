"""Writing ONNX files: the part of the format that this engine needs, without the package onnx.

A file is one protocol-buffer message, ``ModelProto``.  The numbers below are those of its fields in
the format's definition (onnx.proto); they never change.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy
from numpy.typing import NDArray

_VARINT, _BYTES = 0, 2
#: The numbers of the element types.
_ELEMENT_TYPES = {"float32": 1, "uint8": 2, "int8": 3, "int32": 6, "int64": 7}
_INT, _STRING, _INTS = 2, 3, 7

#: A side's length, or its name where the length is known only when the network runs.
Side = int | str


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    written = bytearray()
    while value > 0x7F:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    written.append(value)
    return bytes(written)


def field(number: int, value: int | str | bytes) -> bytes:
    """Return one field of a message; a message inside another is its bytes."""
    if isinstance(value, int):
        return _varint(number << 3 | _VARINT) + _varint(value)
    content = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | _BYTES) + _varint(len(content)) + content


def fields(number: int, values: Iterable[int | str | bytes]) -> bytes:
    """Return a repeated field."""
    return b"".join(field(number, value) for value in values)


def tensor(name: str, values: NDArray[Any]) -> bytes:
    """Return a constant (``TensorProto``)."""
    little_endian = values.astype(values.dtype.newbyteorder("<"), order="C", copy=False)
    return (
        fields(1, values.shape)
        + field(2, _ELEMENT_TYPES[values.dtype.name])
        + field(8, name)
        + field(9, little_endian.tobytes())
    )


def node(
    kind: str,
    inputs: Sequence[str],
    outputs: Sequence[str],
    attributes: Mapping[str, int | str | Sequence[int]],
    domain: str = "",
) -> bytes:
    """Return one operation (``NodeProto``); an input without a name is left out."""
    written = b""
    for name, value in sorted(attributes.items()):
        if isinstance(value, int):
            of_type = field(3, value) + field(20, _INT)
        elif isinstance(value, str):
            of_type = field(4, value) + field(20, _STRING)
        else:
            of_type = fields(8, value) + field(20, _INTS)
        written += field(5, field(1, name) + of_type)
    operation = fields(1, inputs) + fields(2, outputs) + field(4, kind) + written
    return operation + field(7, domain) if domain else operation


def value_info(name: str, element: type[numpy.generic], sides: Sequence[Side]) -> bytes:
    """Return the name and shape of an input or output (``ValueInfoProto``)."""
    shape = fields(1, (field(1 if isinstance(side, int) else 2, side) for side in sides))
    tensor_type = field(1, _ELEMENT_TYPES[numpy.dtype(element).name]) + field(2, shape)
    return field(1, name) + field(2, field(1, tensor_type))


def model(
    nodes: Iterable[bytes],
    constants: Iterable[bytes],
    inputs: Iterable[bytes],
    outputs: Iterable[bytes],
    *,
    name: str,
    ir_version: int,
    opsets: Mapping[str, int],
    properties: Mapping[str, str],
) -> bytes:
    """Return a whole file (``ModelProto``)."""
    graph = (
        fields(1, nodes)
        + field(2, name)
        + fields(5, constants)
        + fields(11, inputs)
        + fields(12, outputs)
    )
    return (
        field(1, ir_version)
        + field(7, graph)
        + fields(8, (field(1, domain) + field(2, version) for domain, version in opsets.items()))
        + fields(14, (field(1, key) + field(2, value) for key, value in properties.items()))
    )
