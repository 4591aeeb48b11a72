"""The data files of multilingual-e5-small for omoide; ``path()`` is the folder that holds them."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

__all__ = ["DIMENSION", "FILES", "MODEL_NAME", "File", "check", "path"]

# Stored beside every vector: it changes whenever the vectors do.
MODEL_NAME: Final = "multilingual-e5-small-q4i8-v1"
DIMENSION: Final = 384


class File(NamedTuple):
    """What a data file has to be."""

    size: int
    sha256: str


FILES: Final = {
    "model.onnx": File(539621, "6cbe144d066e1571078c6451c390df0e13507e3aa5f0ab6081a0f51980e2d7ca"),
    "weights.bin": File(76873728, "8ddc37e67c71d51972cd2a1e73d5868f37245958dc2fb2599cfe3341cd82cea8"),
    "pieces.txt": File(2522088, "9cef44a3f5680cd8af141aae3ea404614a875bce7c9a02976a767af100875afd"),
    "scores.bin": File(1000008, "17cf9324b35c402f66c400541ba23c081e42b69ba2f4c20f16632ce61b93541d"),
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
