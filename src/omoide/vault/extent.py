"""What lies in the folder of a vault: which files, what is wrong with them, how far erasing reaches."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from omoide.vault import archive, logs
from omoide.vault.archive import Shelf
from omoide.vault.pen import writer_here
from omoide.vault.place import notes_below
from omoide.vault.replaying import best_head


def findings(root: Path) -> list[str]:
    """Return what is wrong with the logs, and with the records of sessions that they name, one line each."""
    journal = logs.read(root)
    head, shelf = best_head(journal, writer_here(root)), Shelf(root)
    for line in [] if head is None else journal.path_to(head.hash) or []:
        shelf.fill(line.rows)
    return [*journal.problems, *shelf.problems()]


def reach(root: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return where else a purge erases, and what it cannot reach."""
    versioned = any((folder / ".git").exists() for folder in (root, *root.absolute().parents))
    away = ("what git keeps of earlier states of the folder, here and in clones",) if versioned else ()
    other = "copies of the folder in other places, until they take in this one's log"
    return ("notes", "logs", "archive"), (*away, other)


def files(root: Path) -> Iterator[Path]:
    """Yield the files that say what the store knows."""
    yield from logs.files(root)
    yield from archive.files(root)
    yield from notes_below(root)
