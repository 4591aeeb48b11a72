"""How many notes look edited since the last look, found in a moment: no note is parsed, nothing is written.

It may take a note for edited that is not, and never the other way round.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from omoide.store.sqlite.noted import noted
from omoide.vault import logs
from omoide.vault.files import INDEX_NOTE, MARKDOWN, NOT_NOTES, hash_of, stat_of

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
    there = dict(_notes(root, ""))
    gone = sum(path not in there and path != INDEX_NOTE for path in known.seen)
    return gone + sum(_differs(root, path, state, known) for path, state in there.items())


def _logs_are_known(root: str, known: str) -> bool:
    return logs.same(logs.signature(Path(root)), json.loads(known))


def _notes(root: str, prefix: str) -> Iterator[tuple[str, str]]:
    """Yield path and state of every file that may be a note; what links lead to is left out."""
    try:
        with os.scandir(Path(root, prefix)) as entries:
            for entry in entries:
                name, path = entry.name, prefix + entry.name
                if name.startswith(".") or path == INDEX_NOTE:
                    continue
                if entry.is_dir(follow_symlinks=False):
                    if name not in NOT_NOTES:
                        yield from _notes(root, f"{path}/")
                elif name.lower().endswith(MARKDOWN) and not entry.is_symlink():
                    yield path, stat_of(entry.stat(follow_symlinks=False))
    except OSError:  # what cannot be looked into counts as it was
        return


def _differs(root: str, path: str, state: str, known: Noted) -> bool:
    if path in known.held and known.held[path] == state:
        return False
    was, digest = known.seen.get(path, (None, None))
    if digest is None or was == state:
        return digest is None
    try:
        return hash_of(Path(root, path).read_bytes()) != digest
    except OSError:
        return True
