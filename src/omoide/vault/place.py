"""Where the parts of a vault lie, and how a folder becomes one."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Final

from omoide.errors import StoreError
from omoide.vault.files import HIDDEN, INDEX, INDEX_NOTE

DATABASE: Final = "omoide.db"
LOCAL: Final = "local"
_NOTHING: Final = "# Made by omoide, can be thrown away: nothing of it belongs into version control.\n*\n"
_MERGING: Final = "# Written by omoide. Lines of both sides are kept when git merges.\n*.jsonl -text merge=union\n"
_LISTING: Final = f"# Written by omoide. The list is made anew with the next write.\n{INDEX_NOTE} merge=union\n"


class Place:
    """The folders of one vault."""

    def __init__(self, root: str | os.PathLike[str], *, index: Path | None = None) -> None:
        self.root = Path(root)
        self.index = self.root / INDEX if index is None else index
        self.database = self.index / DATABASE
        self.hidden = self.root / HIDDEN
        self.lock = self.hidden / LOCAL / "lock"
        self.arriving = self.hidden / LOCAL / "arriving"
        """A file that is there while a database that came from elsewhere has neither notes nor a log."""

    def ensure(self) -> None:
        """Make the folders that are not there, and keep git out of what can be thrown away.

        Raises:
            StoreError: they cannot be made.
        """
        fresh = not self.hidden.exists()
        try:
            for folder in (self.index, self.lock.parent):
                folder.mkdir(parents=True, exist_ok=True)
                _write_once(folder / ".gitignore", _NOTHING)
            _write_once(self.hidden / ".gitattributes", _MERGING)
            if fresh:  # a folder that is a vault already is left as its people have it
                _write_once(self.root / ".gitattributes", _LISTING)
        except OSError as error:
            message = f"the folders of the vault {self.root} cannot be made: {error}"
            raise StoreError(message, value=str(self.root)) from error

    def inode(self) -> int | None:
        """Return the identity of the database file, None when there is none."""
        try:
            return self.database.stat().st_ino
        except FileNotFoundError:
            return None

    def throw_away(self) -> None:
        """Remove the database."""
        for suffix in ("", "-wal", "-shm", "-journal"):
            self.database.with_name(DATABASE + suffix).unlink(missing_ok=True)

    def remove_index(self) -> None:
        """Remove the folder of the database with all that is in it."""
        shutil.rmtree(self.index, ignore_errors=True)

    @property
    def writable(self) -> bool:
        """Whether files can be made in the vault."""
        root = next(folder for folder in (self.root, *self.root.absolute().parents) if folder.exists())
        return os.access(root, os.W_OK)


def notes_below(root: Path) -> list[Path]:
    """Return every file below a folder, those in hidden folders left out."""
    found: list[Path] = []
    for folder, inner, names in os.walk(root):
        inner[:] = [name for name in inner if not name.startswith(".")]
        found += [Path(folder, name) for name in names]
    return found


def _write_once(file: Path, text: str) -> None:
    if not file.exists():
        file.write_text(text, encoding="utf-8", newline="\n")
