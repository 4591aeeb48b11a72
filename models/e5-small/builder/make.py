"""From the carrier's weights to the data files."""

from __future__ import annotations

from builder.carrier import Carrier
from builder.encoder import encoder
from builder.fetch import weights
from builder.vocabulary import vocabulary


def make() -> dict[str, bytes]:
    """Return the content of every data file; fetches the carrier, takes about a second without that."""
    carrier = Carrier(weights())
    model, matrices = encoder(carrier, "weights.bin")
    pieces, scores = vocabulary(carrier)
    return {"model.onnx": model, "weights.bin": matrices, "pieces.txt": pieces, "scores.bin": scores}
