"""How many notes look edited since the last look, found in a moment: no note is parsed, nothing is written.

It may take a note for edited that is not, and never the other way round.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from omoide.store.sqlite.noted import noted
from omoide.vault import logs
from omoide.vault.files import INDEX_NOTE, MARKDOWN, NOT_NOTES, hash_of, is_evicted, spelled_alike, stat_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from omoide.store.sqlite.noted import Noted


def edited(root: str) -> int | None:
    """Return how many notes look edited, new or gone; None where the index or the logs want more than a look.

    Raises:
        StoreError: the index cannot be read.
    """
    known = noted(root)
    if known is None or not _logs_are_known(root, known.logs):
        return None
    unseen: list[str] = []
    there = {_spelled(path, known): (path, state) for path, state in _notes(root, "", unseen)}
    missing = (path for path in known.seen if path not in there and path != INDEX_NOTE)
    gone = sum(not path.startswith(tuple(unseen)) and not is_evicted(root, path) for path in missing)
    return gone + sum(_differs(Path(root, file), path, state, known) for path, (file, state) in there.items())


def _spelled(path: str, known: Noted) -> str:
    """A file system may give back a name in another form of Unicode than the one it was made with."""
    return path if path in known.seen or path.isascii() else spelled_alike(path, known.seen)


def _logs_are_known(root: str, known: str) -> bool:
    return logs.same(logs.signature(Path(root)), json.loads(known))


def _notes(root: str, prefix: str, unseen: list[str]) -> Iterator[tuple[str, str]]:
    """Yield path and state of every file that may be a note; what links lead to is left out."""
    try:
        with os.scandir(Path(root, prefix)) as entries:
            for entry in entries:
                name, path = entry.name, prefix + entry.name
                if name.startswith(".") or path == INDEX_NOTE:
                    continue
                if entry.is_dir(follow_symlinks=False):
                    if name not in NOT_NOTES:
                        yield from _notes(root, f"{path}/", unseen)
                elif name.lower().endswith(MARKDOWN) and entry.is_file(follow_symlinks=False):
                    yield path, stat_of(entry.stat(follow_symlinks=False))
    except OSError:  # what cannot be looked into counts as it was
        unseen.append(prefix)


def _differs(file: Path, path: str, state: str, known: Noted) -> bool:
    if path in known.held and known.held[path] == state:
        return False
    was, digest = known.seen.get(path, (None, None))
    if digest is None or was == state:
        return digest is None
    try:
        return hash_of(file.read_bytes()) != digest
    except OSError:
        return True
