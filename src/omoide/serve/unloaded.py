"""A model that nobody waits for: a new store is made for it, and what is written waits for its vector."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, ClassVar

from omoide.embed.resolve import NONE, resolve
from omoide.errors import EmbedderUnavailableError
from omoide.ports import Vector
from omoide.store.sqlite.mending.repair import recorded_model


class Unloaded:
    """The name of a model."""

    ready: ClassVar[bool] = False
    failed: ClassVar[bool] = True
    """So that nothing waits for it to become ready."""

    def __init__(self, model_name: str) -> None:
        self.model_name = model_name

    def embed(self, texts: list[str], /) -> list[Vector]:
        """Return nothing.

        Raises:
            EmbedderUnavailableError: always.
        """
        raise EmbedderUnavailableError(f"{self.model_name} was not loaded", value=self.model_name)


def without_loading(path: str | os.PathLike[str], embedder: str | None) -> Any:
    """Return the embedder to write a store with at once: vectors are marked as pending.

    ``embedder``: the one that would be used, None for the one that the store records, else the default.

    Raises:
        EmbedderUnavailableError: a new store, and the model named is not installed.
    """
    if embedder == NONE or (Path(path).is_file() and recorded_model(os.fspath(path)) is not None):
        return NONE  # a store that records a model marks what lacks a vector by itself
    wanted = resolve(embedder).embedder
    return NONE if wanted is None else Unloaded(wanted.model_name)
