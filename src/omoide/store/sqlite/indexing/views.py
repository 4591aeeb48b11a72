"""The search sides of spaces that one connection holds in memory, and what is known while nothing is written."""

from __future__ import annotations

from typing import Any, Final

import apsw

from omoide.store.sqlite.indexing.posting_kept import KeptLists
from omoide.store.sqlite.indexing.view import SpaceView
from omoide.store.sqlite.namespaces import HISTORY, Namespaces, Space

VIEWS: Final = 64
"""Spaces held at most, those used last."""
_NOTES: Final = 1024

Notes = dict[Any, Any]


class Views:
    """Finds the views of spaces and brings them in step with the transaction that asks."""

    def __init__(self, connection: apsw.Connection, namespaces: Namespaces) -> None:
        self._connection = connection
        self._namespaces = namespaces
        self._views: dict[int, SpaceView] = {}
        self._lists = KeptLists()
        self._notes: Notes = {}
        self._version = -1

    def notes(self) -> Notes:
        """Return what earlier reads of the same content have noted, nothing when the content changed since.

        To be asked in a read transaction after its first look at the file.
        """
        version = self._connection.data_version()
        if version != self._version or len(self._notes) > _NOTES:
            self._notes, self._version = {}, version
        return self._notes

    def find(self, ns: int, collection: str, notes: Notes | None) -> SpaceView | None:
        """Return the view of a collection, None when it has no entry; ``notes`` as this transaction has them."""
        number = None if notes is None else notes.get((ns, collection))
        view = None if number is None else self._views.pop(number, None)
        if view is None:
            space = self._namespaces.space(ns, collection)
            if space is None:
                return None
            view = self._refreshed(space, holds=collection == HISTORY)
        self._views[view.space.space] = view
        if notes is not None:
            notes[ns, collection] = view.space.space
        return view

    def loaded(self) -> list[SpaceView]:
        """Return the views that are in memory, as they are."""
        return list(self._views.values())

    def drop(self) -> None:
        """Forget what is in memory; the next read loads it again."""
        self._views.clear()
        self._lists.clear()
        self._notes, self._version = {}, -1

    def _refreshed(self, space: Space, *, holds: bool) -> SpaceView:
        view = self._views.pop(space.space, None)
        if view is None:
            view = SpaceView(self._connection, space, self._lists, holds=holds)
            while len(self._views) >= VIEWS:
                self._views.pop(next(iter(self._views)))
        view.refresh(space)
        return view
