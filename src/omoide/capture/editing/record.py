"""What omoide wrote into which file, kept in its own folder: enough to bring every byte back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from omoide.capture.editing import files
from omoide.capture.editing.edits import Edit, edit_of
from omoide.errors import ConfigurationError

VERSION: Final = 1


def state_folder() -> Path:
    """Return where records and copies of the files as they were are kept."""
    return Path.home() / ".omoide" / "setup"


@dataclass(frozen=True, slots=True)
class Record:
    """One file.

    ``base``: its content before any edit, None when there was no file. ``after``: the digest of what omoide wrote
    last. ``claims``: the edits by who wanted them (``host:scope``). ``folders``: those made for it.
    """

    path: Path
    syntax: str
    base: bytes | None
    after: str | None
    claims: dict[str, tuple[Edit, ...]] = field(default_factory=dict)
    folders: tuple[Path, ...] = ()

    @property
    def edits(self) -> list[Edit]:
        """All edits, each once, in the order in which they were wanted."""
        return unique(self.claims)


def unique(claims: dict[str, tuple[Edit, ...]]) -> list[Edit]:
    """Return the edits of all claims, each once."""
    found: dict[str, Edit] = {}
    for edits in claims.values():
        for edit in edits:
            found.setdefault(json.dumps(edit, sort_keys=True), edit)
    return list(found.values())


def _stem(path: Path) -> str:
    return hashlib.sha256(str(path).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def load(path: Path) -> Record | None:
    """Return the record of a file, None where omoide wrote nothing.

    Raises:
        ConfigurationError: the record cannot be read.
    """
    return _read(state_folder() / f"{_stem(path)}.json")


def _read(file: Path) -> Record | None:
    content = files.content_of(file)
    if content is None:
        return None
    try:
        kept = json.loads(content)
        base = files.content_of(file.with_suffix(".base")) if kept["base"] else None
        claims = {name: tuple(map(edit_of, edits)) for name, edits in kept["claims"].items()}
        folders = tuple(map(Path, kept["folders"]))
        return Record(Path(kept["path"]), kept["syntax"], base, kept["after"], claims, folders)
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(f"{file}: not a record that omoide keeps: {error}", value=str(file)) from error


def save(record: Record) -> None:
    """Keep a record, and the content of the file before it."""
    file = state_folder() / f"{_stem(record.path)}.json"
    if record.base is not None:
        files.replace(file.with_suffix(".base"), record.base)
    kept: dict[str, Any] = {
        "version": VERSION, "path": str(record.path), "syntax": record.syntax, "base": record.base is not None,
        "after": record.after, "claims": record.claims, "folders": [str(folder) for folder in record.folders],
    }  # fmt: skip
    files.replace(file, json.dumps(kept, indent=1).encode())
    if record.base is None:
        file.with_suffix(".base").unlink(missing_ok=True)


def drop(path: Path) -> None:
    """Forget a file; with the last one the folder of the records goes."""
    file = state_folder() / f"{_stem(path)}.json"
    file.with_suffix(".base").unlink(missing_ok=True)
    file.unlink(missing_ok=True)
    files.drop_folders([file.parent, file.parent.parent])


def all_records() -> Iterator[Record]:
    """Yield what is known of every file that omoide wrote into."""
    folder = state_folder()
    for file in sorted(folder.glob("*.json")) if folder.is_dir() else ():
        record = _read(file)
        if record is not None:
            yield record
