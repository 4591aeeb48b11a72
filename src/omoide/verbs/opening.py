"""Opening a store by its path: a file, or a folder that is a vault."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from omoide.deferred import deferred
from omoide.model.paths import at_home
from omoide.model.records import Claim, digest
from omoide.ports import Clock
from omoide.search.prepared import Prepared
from omoide.store import open as files
from omoide.store.sqlite.connection import BUSY_TIMEOUT, MEMORY_PATH
from omoide.store.sqlite.store import SqliteStore
from omoide.text.signature import signature
from omoide.text.tokens import analyze
from omoide.verbs.drafts import embedded_text, searched_text

if TYPE_CHECKING:
    from omoide.verbs.notes import vaults
else:
    vaults = deferred("omoide.verbs.notes.vaults")

_FOLDER_ENDS: Final = tuple({"/", os.sep})


def open_store(
    path: str | os.PathLike[str], *, clock: Clock | None = None, busy_timeout: float = BUSY_TIMEOUT,
    read_only: bool | None = None, durability: str = "FULL",
) -> SqliteStore:  # fmt: skip
    """Open the store at ``path``, making it and its parent folders when they are not there.

    A path that ends with a slash, or at which there is a folder, is a vault of Markdown files.

    Raises:
        ConfigurationError: a kind of store that this version does not have.
        StoreError: the store cannot be opened; see its subclasses.
    """
    if isinstance(path, str | os.PathLike):
        path = at_home(path)
    if is_vault(path):
        files.check_durability(durability)
        return vaults.open_vault(path, words, clock=clock, busy_timeout=busy_timeout, read_only=read_only)
    return files.open_store(path, clock=clock, busy_timeout=busy_timeout, read_only=read_only, durability=durability)


def is_vault(path: object) -> bool:
    """Say whether a path names a folder: by its end, or because one is there."""
    if not isinstance(path, str | os.PathLike):
        return False
    name = at_home(path)
    if not name.strip() or "://" in name or name == MEMORY_PATH:
        return False
    return name.endswith(_FOLDER_ENDS) or os.path.isdir(name)  # noqa: PTH112  (a text need not be a legal path)


def words(claims: Sequence[Claim]) -> list[Prepared]:
    """Return what the index keeps of each claim beside its vector."""
    return [_words(claim) for claim in claims]


def _words(claim: Claim) -> Prepared:
    searched = searched_text(claim)
    terms = analyze(searched)
    gist = signature(claim.text, terms if searched == claim.text else None)
    return Prepared(terms=terms, key=digest("text", embedded_text(claim)), vectors=None, gist=gist)
