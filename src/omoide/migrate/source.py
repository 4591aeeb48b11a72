"""What every reader of another system gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from omoide.migrate.values import Brought, Tie
from omoide.model.carried import CarriedDocument
from omoide.model.history import SegmentRow
from omoide.types.reports import LeftOut


class Source:
    """A source without anything; readers override what they have. Each method may be called more than once."""

    name = ""

    def __init__(self, path: Path) -> None:
        self.path = path

    def memories(self) -> Iterator[Brought | LeftOut]:
        """Yield the memories, and what could not be read as one."""
        return iter(())

    def ties(self) -> Iterator[Tie]:
        """Yield the relations between memories."""
        return iter(())

    def documents(self) -> Iterator[CarriedDocument | LeftOut]:
        """Yield the documents; their namespace is a scope of the source, an empty one for none."""
        return iter(())

    def segments(self) -> Iterator[tuple[SegmentRow, str] | LeftOut]:
        """Yield parts of conversations that were saved, each with its text."""
        return iter(())

    def transcripts(self) -> Sequence[Path]:
        """Return the files of conversations."""
        return ()

    def scopes(self) -> Mapping[str, int]:
        """Return how many things belong to each scope of the source; none where there is no such thing."""
        return {}

    def vectors_of(self, key: bytes) -> NDArray[Any] | None:
        """Return the vectors of an embedded text, None when there are none of the store's model."""
        return None

    def use_door(self, door: str) -> None:
        """Say through which door the memories come in."""

    def use_model(self, name: str | None, dimension: int | None) -> None:
        """Say which model the taking store has, so that vectors of the same one are used."""
