"""What lies above a vault and is needed below."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from omoide.store.sqlite.indexing.rebuild import Prepare
from omoide.vault.line import Listing, Plan
from omoide.vault.scan import Changes


@dataclass(slots=True)
class Hooks:
    """How words, notes, the list of them, edits and other copies are dealt with."""

    prepare: Prepare
    plan: Plan | None = None
    listing: Listing | None = None
    take_edits: Callable[[Changes], None] | None = None
    merge: Callable[[Path], None] | None = None
