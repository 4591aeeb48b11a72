"""The index tended: vectors that are pending made, in small steps, as long as there is time."""

from __future__ import annotations

from omoide.errors import EmbedderError, StoreBusyError
from omoide.sleep.night import Night
from omoide.store.sqlite.indexing import codes
from omoide.verbs.filling import fill

_PATIENCE = 5.0


def tend_index(night: Night) -> None:
    """Fill in pending vectors and save what makes the next opening quicker; none of it changes an answer's words."""
    ctx = night.ctx
    if ctx.embedding.model_name is not None and ctx.embedding.wait_ready(_PATIENCE):
        try:
            while fill(ctx.store, ctx.embedding):
                night.check_time()
        except EmbedderError as error:
            night.withhold("vectors stay pending", detail=str(error))
        except StoreBusyError:
            night.withhold("vectors stay pending: the store was busy")
    codes.save(ctx.store)
