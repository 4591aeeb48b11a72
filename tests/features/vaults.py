"""Help for tests of vaults: folders opened, copied as git copies them, and read as text."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from omoide import Memory
from omoide.testing import FakeClock


def open_vault(root: Path, clock: FakeClock | None = None, **options: Any) -> Memory:
    """Open the vault in a folder with keyword search only, making the folder."""
    root.mkdir(exist_ok=True)
    return Memory(root, **{"clock": clock, "embedder": "none", **options})


def throw_index_away(root: Path) -> None:
    """Remove what can be thrown away."""
    shutil.rmtree(root / ".index")


def clone(root: Path, to: Path) -> Path:
    """Copy what git would carry: everything but what is ignored."""
    shutil.copytree(root, to, ignore=shutil.ignore_patterns(".index", "local"))
    return to


def pull(source: Path, target: Path) -> None:
    """Bring the files of one clone into another that has not changed the same ones, as a merge of git would."""
    for file in source.rglob("*"):
        place = target / file.relative_to(source)
        hidden = {".index", "local", ".git"} & set(file.relative_to(source).parts)
        if file.is_file() and not hidden and not (place.exists() and _holds(place.read_bytes(), file.read_bytes())):
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, place)


def _holds(there: bytes, coming: bytes) -> bool:
    """Say whether a file is the same, or a log that has gone on since."""
    return there == coming or (there.startswith(coming) and coming.startswith(b'{"omoide"'))


def notes(root: Path) -> list[Path]:
    """Return the notes of a vault, its list aside."""
    found = [file for file in root.rglob("*.md") if not {".omoide", ".index"} & set(file.parts)]
    return sorted(file for file in found if file.name != "MEMORY.md")


def note_of(root: Path, text: str) -> Path:
    """Return the one note that holds a text."""
    (found,) = [file for file in notes(root) if text in file.read_text(encoding="utf-8")]
    return found


def logs(root: Path) -> list[Path]:
    """Return the log files of a vault."""
    return sorted((root / ".omoide" / "log").glob("*/*.jsonl"))


def lines(root: Path) -> list[str]:
    """Return every line of every log."""
    return [line for file in logs(root) for line in file.read_text(encoding="utf-8").splitlines()]


def texts(mem: Memory) -> list[str]:
    """Return what is believed now."""
    return sorted(record.text for record in mem.list(limit=1000))
