"""Moves the outliers of the activations into the weights before both are rounded to 8 bits.

One scale a tensor is set by its largest activation; a few channels are 20 times the rest. Dividing channel
j of the input by s_j and multiplying row j of the matrix by it changes nothing in exact arithmetic, with
s_j = max|X_j|^a / max|W_j|^(1-a) (SmoothQuant, https://arxiv.org/abs/2211.10438, equation 4). s_j is
rounded to a power of two, so that the product is exact on every machine.

``smoothing.txt`` holds the exponents: one line a matrix, its name and one letter an input channel, ``m``
for 0, ``n`` for 1, ``l`` for -1. It is written by ``calibrate.py``.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

ALPHA = 0.7  # measured: cosine to float32 .9987 / .9991 / .9991 at .65 / .70 / .75, .9969 without
ZERO = ord("m")
TABLE = Path(__file__).with_name("smoothing.txt")


def exponents(activations: Floats, weights: Floats) -> npt.NDArray[np.int64]:
    """Return log2 of s_j from the largest absolute input and weight of every channel."""
    scale = np.maximum(activations, 1e-3) ** ALPHA / np.maximum(weights, 1e-6) ** (1 - ALPHA)
    return np.rint(np.log2(scale)).astype(np.int64)


def save(table: dict[str, npt.NDArray[np.int64]], place: Path = TABLE) -> None:
    """Write the exponents of every matrix."""
    lines = (f"{name} {''.join(chr(ZERO + int(e)) for e in values)}\n" for name, values in table.items())
    place.write_text("".join(lines), encoding="ascii", newline="\n")


def load(place: Path = TABLE) -> dict[str, Floats]:
    """Return s_j of every matrix."""
    rows = (line.split() for line in place.read_text(encoding="ascii").splitlines())
    return {name: np.exp2(_codes(letters)).astype(np.float32) for name, letters in rows}


def _codes(letters: str) -> npt.NDArray[np.int64]:
    return np.frombuffer(letters.encode(), np.uint8).astype(np.int64) - ZERO
