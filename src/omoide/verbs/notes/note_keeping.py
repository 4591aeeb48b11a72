"""Notes that are left alone until they are mended, and notes of others made memories on request."""

from __future__ import annotations

from typing import Final

from omoide.errors import InvalidInputError, NotFoundError
from omoide.model.time import to_datetime
from omoide.store.sqlite.notes import Notes
from omoide.types.notes import HeldNote
from omoide.vault import outbox
from omoide.vault.damage import DamagedNoteError
from omoide.vault.files import HIDDEN
from omoide.vault.frontmatter import parse, render
from omoide.vault.links import Link
from omoide.vault.settings import FILE, read_settings
from omoide.vault.store import VaultStore
from omoide.vault.types import FOLDER, load
from omoide.vault.watching import is_installed
from omoide.verbs.context import Context
from omoide.verbs.notes.note_edits import state_of
from omoide.verbs.notes.note_links import Web, dangling, vault_of

NO_WATCHER: Final = "watch is set and watchfiles is not installed; pip install 'omoide[watch]', or take the line out"


def inspect(ctx: Context) -> dict[str, object]:
    """Return the notes of a vault that are left alone, and the links that lead nowhere."""
    if not isinstance(ctx.store, VaultStore):
        return {"vault": False, "held": [], "dangling": []}
    return {"vault": True, "held": quarantine(ctx), "dangling": dangling(ctx)}


def quarantine(ctx: Context) -> list[HeldNote]:
    """Return the notes of a vault that are left alone, with the reason of each."""
    store = vault_of(ctx)
    ctx.flush()
    with store.read(None) as tx:
        rows = Notes(tx.connection).held()
    held = [HeldNote(row.path, row.code, row.reason, to_datetime(row.at)) for row in rows]
    problems = {each.field: each.message for each in load(store.root / HIDDEN / FOLDER).problems}
    settings = read_settings(store.root)
    problem = NO_WATCHER if settings.watch and not is_installed() else settings.problem
    problems |= {} if problem is None else {FILE: problem}
    return [*held, *(HeldNote(f"{HIDDEN}/{name}", "invalid", message) for name, message in problems.items())]


def adopt(ctx: Context, path: str, *, kind: str, subject: str | None) -> int:
    """Make a memory of a note that omoide did not write: it gets the lines that say so; return the memory's id.

    Raises:
        NotFoundError: there is no such note here.
        InvalidInputError: it is a memory's already, or cannot be one; the message says why.
    """
    web = Web(ctx)
    found = path if path in web.paths else web.names.resolve("", Link(path, "wiki"))
    if found is None:
        raise NotFoundError(f"there is no note at {path!r} here", value=path)
    if found in web.ids:
        raise InvalidInputError(f"{found} is the note of memory {web.ids[found]} already", value=path)
    file = web.store.root / found
    types = load(web.store.root / HIDDEN / FOLDER)
    if types.named(kind) is None:
        raise InvalidInputError(f"type must be one of {', '.join(types.by_name)}, not {kind!r}", value=kind)
    try:
        note = parse(file.read_bytes())
    except DamagedNoteError as error:
        raise InvalidInputError(f"{found} cannot be a memory: {error.message}", value=path) from error
    about = subject or note.fields.get("subject") or note.fields.get("title") or file.stem
    fields = {"type": kind, "subject": str(about)}
    if ctx.namespace != "default":
        fields["namespace"] = ctx.namespace
    with web.store.mutex.hold():
        outbox.replace(file, render(note, fields, note.body))
    return _adopted(ctx, found)


def _adopted(ctx: Context, path: str) -> int:
    store = vault_of(ctx)
    store.look_again()
    with store.read(None) as tx:
        notes = Notes(tx.connection)
        row = notes.at(path)
        state = None if row is None else state_of(tx, row.uid)
        held = {each.path: each.reason for each in notes.held()}
    if state is None:
        raise InvalidInputError(f"{path} was not made a memory: {held.get(path, 'it changed meanwhile')}", value=path)
    return state.id
