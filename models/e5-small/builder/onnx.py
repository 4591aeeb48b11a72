"""An ONNX model as bytes: nodes, tensors inside the file or beside it, inputs and outputs.

Field numbers: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from builder.proto import chunk, integer, single, text

Attribute = int | float | str | list[int]
Shape = list[int | str]

CONTRIB = "com.microsoft"
IR_VERSION = 10
OPSETS = {"": 21, CONTRIB: 1}
TYPES = {"float32": 1, "uint8": 2, "int8": 3, "int64": 7, "float16": 10}
PAGE = 65536  # the mapping granularity of Windows, a multiple of every page size in use
EXTERNAL = 65536  # bytes; smaller tensors stay inside the model file


class Graph:
    """Collects nodes and tensors; large tensors go to a second file that is mapped, not read."""

    def __init__(self, weights_file: str) -> None:
        self.weights = bytearray()
        self._weights_file = weights_file
        self._nodes: list[bytes] = []
        self._tensors: list[bytes] = []
        self._values: list[bytes] = []

    def tensor(self, name: str, array: npt.NDArray[np.generic]) -> str:
        """Add a constant; return its name."""
        raw = np.ascontiguousarray(array).tobytes()
        body = b"".join(integer(1, size) for size in array.shape)
        body += integer(2, TYPES[array.dtype.name]) + text(8, name)
        body += chunk(9, raw) if len(raw) < EXTERNAL else self._outside(raw)
        self._tensors.append(chunk(5, body))
        return name

    def node(self, op: str, inputs: list[str], *outputs: str, domain: str = "", **attributes: Attribute) -> str:
        """Add an operation; return the name of its first output."""
        body = b"".join(text(1, name) for name in inputs) + b"".join(text(2, name) for name in outputs)
        body += text(3, outputs[0]) + text(4, op)
        body += b"".join(chunk(5, _attribute(name, value)) for name, value in attributes.items())
        self._nodes.append(chunk(1, body + text(7, domain) if domain else body))
        return outputs[0]

    def value_in(self, name: str, dtype: str, shape: Shape) -> str:
        """Declare an input; a size given as text is free."""
        self._values.append(chunk(11, _value(name, dtype, shape)))
        return name

    def value_out(self, name: str, dtype: str, shape: Shape) -> str:
        """Declare an output."""
        self._values.append(chunk(12, _value(name, dtype, shape)))
        return name

    def model(self, name: str) -> bytes:
        """Return the model file; ``weights`` is the file beside it."""
        graph = b"".join(self._nodes) + text(2, name) + b"".join(self._tensors) + b"".join(self._values)
        opsets = (chunk(8, text(1, domain) + integer(2, version)) for domain, version in OPSETS.items())
        return integer(1, IR_VERSION) + text(2, "omoide") + chunk(7, graph) + b"".join(opsets)

    def _outside(self, raw: bytes) -> bytes:
        self.weights.extend(bytes(-len(self.weights) % PAGE))
        place = {"location": self._weights_file, "offset": str(len(self.weights)), "length": str(len(raw))}
        self.weights.extend(raw)
        entries = b"".join(chunk(13, text(1, key) + text(2, value)) for key, value in place.items())
        return entries + integer(14, 1)


def _attribute(name: str, value: Attribute) -> bytes:
    match value:
        case int():
            body = integer(3, value) + integer(20, 2)
        case float():
            body = single(2, value) + integer(20, 1)
        case str():
            body = text(4, value) + integer(20, 3)
        case _:
            body = b"".join(integer(8, item) for item in value) + integer(20, 7)
    return text(1, name) + body


def _value(name: str, dtype: str, shape: Shape) -> bytes:
    sizes = (integer(1, size) if isinstance(size, int) else text(2, size) for size in shape)
    dims = chunk(2, b"".join(chunk(1, size) for size in sizes))
    return text(1, name) + chunk(2, chunk(1, integer(1, TYPES[dtype]) + dims))
