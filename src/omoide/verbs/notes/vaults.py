"""A vault with what it needs from above: notes rendered, edits taken in, copies joined."""

from __future__ import annotations

import os
from pathlib import Path

from omoide.embed.resolve import resolve
from omoide.errors import OmoideError, StoreError
from omoide.model.policy import Policy
from omoide.ports import Clock
from omoide.store.sqlite.indexing.rebuild import Prepare
from omoide.vault.files import HIDDEN
from omoide.vault.hooks import Hooks
from omoide.vault.projecting import Projector
from omoide.vault.settings import read_settings, write_settings
from omoide.vault.store import VaultStore
from omoide.vault.types import FOLDER, write_defaults
from omoide.verbs.context import Context
from omoide.verbs.embedding import NONE, Embedding
from omoide.verbs.filling import Filler
from omoide.verbs.notes.note_edits import take_edits


def open_vault(
    path: str | os.PathLike[str], prepare: Prepare, *, clock: Clock | None, busy_timeout: float, read_only: bool | None
) -> VaultStore:
    """Open the vault in a folder, making what it lacks.

    Raises:
        StoreError: it cannot be opened; see its subclasses.
    """
    hooks = Hooks(prepare)
    try:
        store = VaultStore(os.fspath(path), hooks, clock=clock, busy_timeout=busy_timeout, read_only=read_only)
    except OmoideError:
        raise
    except OSError as error:
        raise StoreError(f"the vault {path} cannot be opened: {error}", value=str(path)) from error
    ctx = _insider(store)
    projector = Projector(store.root)
    hooks.plan, hooks.listing, store.twin = projector.plan, projector.listing, projector.twin
    hooks.take_edits = lambda changes: take_edits(ctx, projector, store.root, changes)
    hooks.merge = lambda other: _merge(ctx, other)
    if not store.read_only:
        write_settings(store.root)
        write_defaults(store.root / HIDDEN / FOLDER)
        if store.site.arriving.exists():
            store.adopt()
            store.site.arriving.unlink(missing_ok=True)
        store.list_what_is_owed()
        if read_settings(store.root).watch:
            store.watcher.start()
    return store


def _insider(store: VaultStore) -> Context:
    """A handle for what comes from the files: it may write every namespace and never waits for a model."""
    embedding = Embedding(resolve(NONE))
    return Context(
        store, embedding, Filler(store, embedding), Policy.open(), "default", actor="file", door="vault",
        door_trust="observed",
    )  # fmt: skip


def _merge(ctx: Context, other: Path) -> None:
    from omoide.verbs.transfer.merge import merge_from

    merge_from(ctx, other)
