"""What can be taken in: another store or an exported file, read as memories and what stands around them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, Protocol

from numpy.typing import NDArray

from omoide.model.carried import CarriedDocument, CarriedMemory
from omoide.model.carried_history import CarriedSegment, CarriedSession, CarriedTurn
from omoide.model.relations import Carried
from omoide.store.sqlite.transaction import Read
from omoide.store.sqlite.transfer import carrying_history
from omoide.store.sqlite.transfer.carrying import Carrying, documents_of, untouched
from omoide.store.sqlite.transfer.relating import Relating


class Cargo(Protocol):
    """Everything that is to be taken in. Each method may be called more than once."""

    def memories(self) -> Iterator[CarriedMemory]:
        """Yield the memories."""
        ...

    def around(self) -> Iterator[Carried]:
        """Yield what stands around the memories."""
        ...

    def documents(self) -> Iterator[CarriedDocument]:
        """Yield the documents."""
        ...

    def sessions(self) -> Iterator[CarriedSession]:
        """Yield the sessions."""
        ...

    def turns(self) -> Iterator[CarriedTurn]:
        """Yield the records of the sessions, those of one session together."""
        ...

    def segments(self) -> Iterator[CarriedSegment]:
        """Yield the saved segments."""
        ...

    def vectors_of(self, key: bytes) -> NDArray[Any] | None:
        """Return vectors of the same model as the taking store's, or None."""
        ...


class StoreCargo:
    """The namespaces of another store, seen in one read transaction."""

    def __init__(self, other: Read, names: Collection[str], mine: Read, *, same_model: bool) -> None:
        self._other, self._mine, self._same_model = other, mine, same_model
        self._numbers = [ns for ns in map(other.namespaces.id, sorted(names)) if ns is not None]
        self._carrying = Carrying(other)
        self._ids: list[int] | None = None

    def memories(self) -> Iterator[CarriedMemory]:
        """Yield the memories whose rows differ from those of the taking store."""
        if self._ids is None:
            ids = [memory_id for ns in self._numbers for memory_id in self._carrying.ids(ns)]
            same = untouched(self._mine.connection, self._other.connection, ids)
            self._ids = [memory_id for memory_id in ids if memory_id not in same]
        return self._carrying.memories(self._ids)

    def around(self) -> Iterator[Carried]:
        """Yield what stands around all memories."""
        relating = Relating(self._other.connection)
        for ns in self._numbers:
            yield from relating.batches(ns)
            yield from relating.rejections(ns)
            yield from relating.aliases(ns)
            yield from relating.exclusives(ns)
            yield from relating.marks(ns)
            yield from relating.links(ns)

    def documents(self) -> Iterator[CarriedDocument]:
        """Yield the documents of all namespaces."""
        return documents_of(self._other, self._numbers)

    def sessions(self) -> Iterator[CarriedSession]:
        """Yield the sessions of all namespaces."""
        return carrying_history.sessions_of(self._other, self._numbers)

    def turns(self) -> Iterator[CarriedTurn]:
        """Yield the records of all sessions."""
        return carrying_history.turns_of(self._other, self._numbers)

    def segments(self) -> Iterator[CarriedSegment]:
        """Yield the saved segments of all namespaces."""
        return carrying_history.segments_of(self._other, self._numbers)

    def vectors_of(self, key: bytes) -> NDArray[Any] | None:
        """Return the vectors that the other store has, when both have one model."""
        return self._other.vectors_of(key) if self._same_model else None
