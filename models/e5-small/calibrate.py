"""Writes ``builder/smoothing.txt``: python models/e5-small/calibrate.py CARRIER_WHEEL.

Runs the float32 reference over ``calibration.txt`` (one text a line, ours) and keeps the largest absolute
input of every channel of every matrix. Needs omoide, for its tokens; takes about a minute.
"""

from __future__ import annotations

import os
import sys
from array import array
from pathlib import Path

import numpy as np
from builder import fetch, smoothing
from builder.carrier import Carrier
from builder.reference import Reference
from builder.vocabulary import WORD_START

from omoide.embed.unigram import Unigram

TEXTS = Path(__file__).with_name("calibration.txt")
JOINED = {"qkv": ("q", "k", "v")}


def main(wheel: str) -> None:
    """Measure and write."""
    os.environ[fetch.E5.variable] = wheel
    carrier = Carrier(fetch.content(fetch.E5)[fetch.E5.members[0]])
    reference = Reference(carrier)
    pieces = [piece.replace(WORD_START, " ") for piece in carrier.pieces]
    tokens = Unigram(pieces, array("f", carrier.scores.tobytes()))
    for line in TEXTS.read_text(encoding="utf-8").splitlines():
        for prefix in ("passage: ", "query: "):
            reference.embed(tokens.ids(prefix + line, 512))
    smoothing.save({name: _exponents(reference, name) for name in reference.largest})


def _exponents(reference: Reference, name: str) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    layer, part = name.split(".")
    matrices = [reference.weights[f"{layer}.{each}"] for each in JOINED.get(part, (part,))]
    return smoothing.exponents(reference.largest[name], np.abs(np.concatenate(matrices)).max(axis=0))


if __name__ == "__main__":
    main(sys.argv[1])
