"""A source of another system as cargo of a taking-in: its memories under stable uids, its documents, its links."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any, Final

from numpy.typing import NDArray

from omoide.migrate.again import said_again
from omoide.migrate.source import Source
from omoide.migrate.telling import REF, carried, news_of, uid_of
from omoide.migrate.values import Brought, Edit, Step, Tie
from omoide.model.carried import CarriedDocument, CarriedMemory
from omoide.model.carried_history import CarriedSegment, CarriedSession, CarriedTurn
from omoide.model.relations import Carried, CarriedLink
from omoide.model.trust import RANK
from omoide.store.sqlite.transaction import Read
from omoide.store.sqlite.transfer.carrying import Carrying
from omoide.store.sqlite.transfer.relating import Relating
from omoide.types import Trust
from omoide.types.reports import LeftOut
from omoide.verbs.conversations.segments import masked_text

_PORTION: Final = 200
LINKED: Final = 0
"""The event of links: none of their own."""


class ForeignCargo:
    """What a source holds, read anew each time. ``home`` gives the namespace of a scope of the source.

    ``trust``: what every statement is worth that the source does not mark as derived or untrusted.
    """

    def __init__(self, source: Source, home: Callable[[str | None], str | None], tx: Read, trust: Trust) -> None:
        self._source, self._home, self._tx, self._trust = source, home, tx, trust
        self._carrying, self._relating = Carrying(tx), Relating(tx.connection)
        self.read = self.saved = 0
        self._links: list[CarriedLink] | None = None
        self.left_out: dict[LeftOut, None] = {}

    def memories(self) -> Iterator[CarriedMemory]:
        """Yield the memories, each once; one that is known here comes with what the source says of it now."""
        self.read, seen = 0, set[str]()
        found = self._brought(seen)
        while portion := list(islice(found, _PORTION)):
            ids = self._relating.ids_of(uid for uid, _ in portion)
            here = {memory.uid: memory for memory in self._carrying.memories(sorted(ids.values()))} if ids else {}
            for uid, brought in portion:
                mine = here.get(uid)
                yield self._first(uid, brought) if mine is None else self._again(uid, mine, brought)

    def _brought(self, seen: set[str]) -> Iterator[tuple[str, Brought]]:
        for item in self._source.memories():
            if isinstance(item, LeftOut):
                self.read += 1
                self.left_out[item] = None
                continue
            if self._home(item.scope) is None:
                continue
            self.read += 1
            uid = uid_of(self._source.name, item.key)
            if uid in seen:
                self.left_out[LeftOut(item.ref, "it is in the source twice")] = None
            else:
                seen.add(uid)
                yield uid, replace(item, steps=tuple(map(self._trusted, item.steps)))

    def _trusted(self, step: Step) -> Step:
        if not isinstance(step, Edit) or step.claim.trust != "observed" or self._trust == "observed":
            return step
        return replace(step, claim=replace(step.claim, trust=self._trust))

    def _first(self, uid: str, brought: Brought) -> CarriedMemory:
        namespace = self._home(brought.scope)
        assert namespace is not None
        return carried(uid, namespace, brought, self._tx.now)

    def _again(self, uid: str, mine: CarriedMemory, brought: Brought) -> CarriedMemory:
        """Return a memory that was taken in before with what is new of it; what an undo took back comes again."""
        if brought.live:
            kept = [version for version in mine.versions if (version.origin or {}).get(REF) is not None]
            edits, ends = news_of(uid, mine, brought, self._tx.now)
            theirs = replace(mine, versions=(*kept, *edits), ends=tuple(ends), evidence=())
        else:
            theirs = replace(carried(uid, mine.namespace, brought, self._tx.now), id=mine.id)
        theirs = replace(theirs, state=replace(theirs.state, seen=mine.state.seen))
        back = said_again(self._tx, mine)
        if not back:
            return theirs
        # Said again by who has seen the undo: no divergence.
        known = {version.key for version in mine.versions}
        news = [version for version in theirs.versions if version.key not in known]
        return replace(theirs, versions=(*mine.versions, *back, *news), ends=(*mine.ends, *theirs.ends))

    def around(self) -> Iterator[Carried]:
        """Yield the links between memories."""
        if self._links is None:
            self._links = [self._link(tie) for tie in self._source.ties()]
        yield from self._links

    def _link(self, tie: Tie) -> CarriedLink:
        ends = [uid_of(self._source.name, key) for key in (tie.start, tie.end)]
        return CarriedLink(tie.kind, ends[0], ends[1], tie.at or 0, tie.reason, LINKED, None)

    def documents(self) -> Iterator[CarriedDocument]:
        """Yield the documents, in the namespaces of their scopes."""
        for item in self._source.documents():
            if isinstance(item, LeftOut):
                self.left_out[item] = None
                continue
            namespace = self._home(item.namespace or None)
            if namespace is None:
                continue
            trust = item.sheet.trust if RANK[item.sheet.trust] < RANK["observed"] else self._trust
            again = self._tx.now + 1 if self._document_undone(namespace, item.uid) else item.updated_at
            yield replace(item, namespace=namespace, sheet=item.sheet._replace(trust=trust), updated_at=again)

    def _document_undone(self, namespace: str, uid: str) -> bool:
        """Say whether a document is here, taken out by an undo of its import."""
        ns = self._tx.namespaces.id(namespace)
        document_id = None if ns is None else self._tx.documents.with_uid(ns, uid)
        row = None if document_id is None else self._tx.documents.get(document_id)
        return bool(row and row.removed_at and row.batch and self._tx.batches.is_undone(row.batch))

    def sessions(self) -> Iterator[CarriedSession]:
        """Yield nothing: transcripts are read as such."""
        return iter(())

    def turns(self) -> Iterator[CarriedTurn]:
        """Yield nothing: transcripts are read as such."""
        return iter(())

    def segments(self) -> Iterator[CarriedSegment]:
        """Yield the saved parts of conversations, their secrets masked."""
        self.saved = 0
        for item in self._source.segments():
            self.saved += 1
            if isinstance(item, LeftOut):
                self.left_out[item] = None
                continue
            row, text = item
            namespace = self._home(row.namespace or None)
            if namespace is not None:
                yield CarriedSegment(row._replace(namespace=namespace), None, masked_text(text, ())[0])

    def vectors_of(self, key: bytes) -> NDArray[Any] | None:
        """Return the vectors that the source has of an embedded text, when both have one model."""
        return self._source.vectors_of(key)
