"""A store made into the other kind: a file into a folder of notes, a folder into a file; nothing is lost."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from omoide.errors import InvalidInputError
from omoide.model.paths import check_path
from omoide.store.sqlite.store import SqliteStore
from omoide.store.sqlite.transfer import backup as copying
from omoide.store.sqlite.transfer.copies import note_copy
from omoide.vault.place import Place
from omoide.vault.store import VaultStore
from omoide.verbs.context import Context
from omoide.verbs.opening import is_vault, open_store


def convert(ctx: Context, path: str | os.PathLike[str]) -> str:
    """Write the whole store to a new one of the other kind: ids, times, past and audit chain as they are.

    Raises:
        InvalidInputError: there is a store already, or it would be of the same kind.
    """
    target = Path(check_path(path))
    into_folder, from_folder = is_vault(path), isinstance(ctx.store, VaultStore)
    if into_folder == from_folder:
        other = "a file, such as agents.db" if from_folder else "a folder, such as notes/"
        raise InvalidInputError(f"convert makes {other} of this store; for a copy there is backup", value=str(path))
    ctx.flush()
    with ctx.store.settled():
        made = _folder(ctx.store, target) if into_folder else _file(ctx.store, target)
    note_copy(ctx.store, ctx.voice(), target, "conversion")
    return made


def _folder(store: SqliteStore, root: Path) -> str:
    """Make a vault. Notes that lie in the folder already stay what they are."""
    site = Place(root)
    if site.hidden.exists():
        raise InvalidInputError(f"{root} is a vault already; take this store into it with merge", value=str(root))
    try:
        site.ensure()
        new = Path(copying.backup(store, site.index / "arriving.db"))
        _strip(new)
        site.arriving.touch()  # from now on every opening goes on from here
        new.replace(site.database)
    except BaseException:
        site.remove_index()
        shutil.rmtree(site.hidden, ignore_errors=True)
        raise
    open_store(f"{root}{os.sep}", clock=store.clock).close()
    return str(root)


def _file(store: SqliteStore, target: Path) -> str:
    made = copying.backup(store, target)
    _strip(Path(made))
    return made


def _strip(database: Path) -> None:
    """Take from a copy what it knows about a folder that is not its own."""
    store = SqliteStore(str(database), read_only=False)
    try:
        store.forget_folder()
        store.scrub()
    finally:
        store.close()
