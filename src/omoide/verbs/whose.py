"""Which memory an id means: here, or in another copy of the vault."""

from __future__ import annotations

from omoide.errors import InvalidInputError, NotFoundError
from omoide.model.records import State
from omoide.store.sqlite.elsewhere import called
from omoide.store.sqlite.transaction import Read
from omoide.verbs.context import Context


def meant(ctx: Context, tx: Read, memory_id: int) -> State | None:
    """Return the memory to read for an id, None when there is none or it may not be read.

    An id that no memory has here, and that another copy of the vault gave to one, means that one.

    Raises:
        InvalidInputError: other copies gave the id to several.
    """
    state = tx.memories.get(memory_id)
    if state is not None:
        return state if ctx.policy.can_read(ctx.namespace, state.namespace) else None
    found = _elsewhere(ctx, tx, memory_id)
    if len(found) > 1:
        ids = ", ".join(str(state.id) for state in found)
        raise InvalidInputError(
            f"other copies of this vault gave the id {memory_id} to several memories, which are {ids} here; name one",
            value=memory_id,
        )
    return found[0] if found else None


def to_read(ctx: Context, memory_id: int) -> State:
    """Return the memory to read for an id.

    Raises:
        NotFoundError: there is none here.
        InvalidInputError: other copies of the vault gave the id to several.
    """
    ctx.flush()
    with ctx.store.read(None) as tx:
        state = meant(ctx, tx, memory_id)
    if state is None:
        raise missing(ctx, memory_id)
    return state


def locate(ctx: Context, memory_id: int) -> State | None:
    """Return the memory to change for an id, or None: what another copy calls so is not guessed."""
    ctx.flush()
    with ctx.store.read(None) as tx:
        state = tx.memories.get(memory_id)
    if state is None or not ctx.policy.can_read(ctx.namespace, state.namespace):
        return None
    return state


def missing(ctx: Context, memory_id: int) -> NotFoundError:
    """Return what to raise for an id that no memory has; where another copy gave it, it names the memories meant."""
    with ctx.store.read(None) as tx:
        ids = [str(state.id) for state in _elsewhere(ctx, tx, memory_id)]
    told = f"; what another copy of this vault calls so is {' or '.join(ids)} here" if ids else ""
    return NotFoundError(f"there is no memory {memory_id} here{told}", value=memory_id)


def _elsewhere(ctx: Context, tx: Read, memory_id: int) -> list[State]:
    if tx.memories.get(memory_id) is not None:
        return []
    states = tx.memories.many(called(tx, memory_id)).values()
    return [state for state in states if ctx.policy.can_read(ctx.namespace, state.namespace)]
