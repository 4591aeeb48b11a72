"""The data files of all-MiniLM-L6-v2 for omoide; ``path()`` is the folder that holds them."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

__all__ = ["DIMENSION", "FILES", "MODEL_NAME", "File", "check", "path"]

# Stored beside every vector: it changes whenever the vectors do.
MODEL_NAME: Final = "all-MiniLM-L6-v2-i8-v1"
DIMENSION: Final = 384


class File(NamedTuple):
    """What a data file has to be."""

    size: int
    sha256: str


FILES: Final = {
    "model.onnx": File(271827, "f5967e3694e2b04ec0cf3737696e480e0a2297c9e2ae8ac0a86b2b4cceb74465"),
    "weights.bin": File(23658496, "fb2827342a19715c80de8b5867e0934361f7b2c6dc24b1422e766802c0607be2"),
    "vocab.txt": File(231508, "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"),
}


def path() -> Path:
    """Return the folder of the data files."""
    return Path(__file__).parent / "data"


def check(folder: Path | None = None, *, full: bool = False) -> list[str]:
    """Return what is wrong with the data files, nothing if all is well.

    Compares names and sizes; ``full`` also reads every byte and compares sha256.
    """
    folder = path() if folder is None else folder
    return [fault for name, file in FILES.items() if (fault := _fault(folder / name, file, full=full))]


def _fault(place: Path, file: File, *, full: bool) -> str | None:
    if not place.is_file():
        return f"{place.name} is missing"
    if place.stat().st_size != file.size:
        return f"{place.name} has {place.stat().st_size} bytes instead of {file.size}"
    if full and sha256(place.read_bytes()).hexdigest() != file.sha256:
        return f"{place.name} is damaged: its sha256 is not the expected one"
    return None
