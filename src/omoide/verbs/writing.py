"""How every verb writes: one transaction, the right checked, the model recorded."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from omoide.errors import AccessDeniedError, InvalidInputError
from omoide.model.policy import WriteScope
from omoide.model.records import Row, State
from omoide.model.trust import RANK
from omoide.store.sqlite.transaction import Write
from omoide.verbs.context import Context
from omoide.verbs.whose import locate, missing


@contextmanager
def writing(ctx: Context, *scopes: WriteScope, batch: str | None = None) -> Iterator[Write]:
    """Yield the write transaction of a verb; what ``bulk`` holds back is written first."""
    ctx.flush()
    with ctx.store.write(ctx.voice(batch), *scopes) as tx:
        tx.has_model = ctx.embedding.record(tx)
        yield tx
    if ctx.embedding.owes:
        ctx.filler.nudge()


def writable(ctx: Context, memory_id: int) -> tuple[State, WriteScope]:
    """Return a memory that this handle may read and write.

    Raises:
        NotFoundError: it does not exist or may not be read.
        AccessDeniedError: it may be read but not written.
    """
    state = locate(ctx, memory_id)
    if state is None:
        raise missing(ctx, memory_id)
    return state, ctx.policy.write_scope(ctx.namespace, state.namespace)


def vouching(ctx: Context, verb: str) -> None:
    """Refuse what a door may not decide for others.

    Raises:
        AccessDeniedError: the door's trust is below ``observed``.
    """
    if RANK[ctx.door_trust] < RANK["observed"]:
        raise AccessDeniedError(f"a door of trust {ctx.door_trust!r} may not {verb}; propose it instead", value=verb)


def open_rows(tx: Write, memory_id: int) -> list[Row]:
    """Return the open pieces of a memory.

    Raises:
        InvalidInputError: it was forgotten, rejected or superseded as a whole.
    """
    rows = tx.versions.of_memory(memory_id, only_open=True)
    if not rows:
        raise InvalidInputError(f"memory {memory_id} is no longer believed; restore it first", value=memory_id)
    return rows
