"""Keeps the finished data files between builds, one folder per content, shared by all checkouts."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path

Files = Mapping[str, tuple[int, str]]  # name -> size and sha256


class ContentError(RuntimeError):
    """A build made other bytes than the pinned ones."""


def cache_folder() -> Path:
    """Return ``OMOIDE_CACHE``, else omoide's folder in the user's cache folder of this platform."""
    chosen = os.environ.get("OMOIDE_CACHE")
    if chosen:
        return Path(chosen).expanduser()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "omoide" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "omoide"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "omoide"


def ensure(files: Files, make: Callable[[], Mapping[str, bytes]]) -> Path:
    """Return a folder with the files, all verified; makes them when the cache has none that are right.

    Where the cache cannot be written, a temporary folder is returned, left to the system to clear.
    """
    key = sha256("".join(sorted(digest for _, digest in files.values())).encode()).hexdigest()
    folder = cache_folder() / "models" / key
    if right(folder, files):
        return folder
    made = make()
    _compare(files, made)
    folder = _writable(folder)
    for name, content in made.items():
        write(folder / name, content)
    return folder


def _writable(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        return Path(tempfile.mkdtemp(prefix="omoide-model-"))


def right(folder: Path, files: Files) -> bool:
    """Tell whether the folder holds exactly these contents."""
    return all(_is(folder / name, size, digest) for name, (size, digest) in files.items())


def copy(source: Path, target: Path, files: Files) -> None:
    """Bring the files into another folder, one atomic replacement each."""
    target.mkdir(parents=True, exist_ok=True)
    for name, (size, digest) in files.items():
        if not _is(target / name, size, digest):
            write(target / name, (source / name).read_bytes())


def write(place: Path, content: bytes) -> None:
    """Write a file so that another build sees all of it or none, and two builds may overlap."""
    handle, name = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(name).chmod(0o644)
        _replace(Path(name), place)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _replace(temporary: Path, place: Path) -> None:
    try:
        temporary.replace(place)
    except PermissionError:
        # Windows refuses while someone has the target open; a right copy made by them will do.
        if not place.is_file() or place.stat().st_size != temporary.stat().st_size:
            raise
        temporary.unlink()


def _is(place: Path, size: int, digest: str) -> bool:
    if not place.is_file() or place.stat().st_size != size:
        return False
    with place.open("rb") as file:
        return sha256(file.read()).hexdigest() == digest


def _compare(files: Files, made: Mapping[str, bytes]) -> None:
    digests = {name: sha256(content).hexdigest() for name, content in made.items()}
    wrong = sorted(name for name, (_, digest) in files.items() if digests.get(name) != digest)
    if wrong:
        found = ", ".join(f"{name} {len(made.get(name, b''))} {digests.get(name)}" for name in wrong)
        raise ContentError(f"the build did not give the pinned bytes of {', '.join(wrong)}: {found}")
