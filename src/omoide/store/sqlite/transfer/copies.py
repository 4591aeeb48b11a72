"""Where the store was copied to: exports and backups that a purge cannot reach and has to name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from omoide.model.records import Voice
from omoide.model.time import Micros
from omoide.store.sqlite.store import SqliteStore
from omoide.store.sqlite.transaction import Read

COPIES: Final = "copies"
"""The setting that lists the copies: {path: [kind, known time]}."""
_MOST: Final = 1000


def note_copy(store: SqliteStore, voice: Voice, path: Path, kind: str) -> None:
    """Remember that a file holds what the store held; a store that cannot be written cannot remember."""
    if store.read_only:
        return
    with store.write(voice) as tx:
        known = copies(tx)
        known[str(path.resolve())] = (kind, tx.now)
        listed = {name: list(known[name]) for name in list(known)[-_MOST:]}
        tx.settings.set(COPIES, json.dumps(listed, ensure_ascii=False))


def copies(tx: Read) -> dict[str, tuple[str, Micros]]:
    """Return the kind and the time of every copy that was made, by path."""
    found = json.loads(tx.settings.get(COPIES) or "{}")
    return {str(path): (str(kind), int(at)) for path, (kind, at) in found.items()}
