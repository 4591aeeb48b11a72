"""What has to be done with each file of an ingest, seen from what the store knows of it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from omoide.model.documents import Sheet
from omoide.store.sqlite.documents import Known, stored_object
from omoide.verbs.context import Context
from omoide.verbs.passages.ingest_walk import Found, Walk, matches

What = Literal["new", "changed", "renamed", "unchanged", "failed"]


@dataclass(frozen=True, slots=True)
class Step:
    """One file and what is to be done with it; ``hash`` stands for its content, None where it was not read."""

    found: Found
    what: What
    known: Known | None = None
    hash: bytes | None = None
    reason: str | None = None


@dataclass(slots=True)
class Plan:
    """What the store knows of the files below the roots, against what a walk found."""

    roots: Sequence[str]
    walk: Walk
    known: dict[str, Known]
    model: Sheet
    max_bytes: int
    _lost: dict[bytes, Known] = field(default_factory=dict)
    _moved: set[int] = field(default_factory=set)

    def steps(self) -> Iterator[Step]:
        """Yield what to do with each file, in the order they were found."""
        seen = {found.path for found in self.walk.files}
        missing = (each for path, each in self.known.items() if path not in seen and each.removed_at is None)
        self._lost = {each.hash: each for each in missing if each.hash is not None and not _exists(each.source)}
        for found in self.walk.files:
            yield self._step(found)

    def gone(self, pattern: str) -> Iterator[tuple[Known, str]]:
        """Yield the documents whose files are there no longer, and why: ``"vanished"`` or ``"ignored"``."""
        seen = {found.path for found in self.walk.files}
        told = {each.path for each in self.walk.left_out if each.status in ("failed", "skipped")}
        for path, each in self.known.items():
            if path in seen or path in told or each.removed_at is not None or each.document_id in self._moved:
                continue
            root = next((root for root in self.roots if _below(path, root)), None)
            hidden = any(_below(path, folder) for folder in self.walk.unseen)
            if root is not None and not hidden and matches(root, pattern, path):
                yield each, "ignored" if _exists(path) else "vanished"

    def _step(self, found: Found) -> Step:
        known = self.known.get(found.path)
        there = known is not None and known.removed_at is None
        if known is not None and there and known.stat == found.stat is not None and _described(known, self.model):
            return Step(found, "unchanged", known, known.hash)
        if found.size > self.max_bytes:
            return Step(found, "changed" if there else "new", known)
        try:
            digest = _hash(found.path)
        except OSError as error:
            return Step(found, "failed", known, reason=f"it cannot be read: {error.strerror}")
        if known is not None:
            same = there and known.hash == digest and _described(known, self.model)
            return Step(found, "unchanged" if same else "changed", known, digest)
        old = self._lost.pop(digest, None)
        if old is None:
            return Step(found, "new", None, digest)
        self._moved.add(old.document_id)
        return Step(found, "renamed", old, digest)


def make_plan(ctx: Context, namespace: str, roots: Sequence[str], walk: Walk, model: Sheet, max_bytes: int) -> Plan:
    """Return the plan of an ingest of some folders and files into a namespace."""
    known: dict[str, Known] = {}
    with ctx.store.read(None) as tx:
        ns = tx.namespaces.id(namespace)
        for root in roots if ns is not None else ():
            assert ns is not None
            for each in tx.documents.files_below(ns, root):
                if each.source == root or _below(each.source, root):
                    known[each.source] = each
    return Plan(roots, walk, known, model, max_bytes)


def _described(known: Known, model: Sheet) -> bool:
    """Say whether a file would be cut and described as it was."""
    told = (known.recipe, known.metadata, known.project, known.trust)
    return told == (model.recipe, stored_object(model.metadata), model.project, model.trust)


def _below(path: str, root: str) -> bool:
    return path.startswith(root if root.endswith(os.sep) else root + os.sep)


def _exists(path: str) -> bool:
    return os.path.lexists(path)


def _hash(path: str) -> bytes:
    with open(path, "rb") as stream:  # noqa: PTH123  # the path is text here
        return hashlib.file_digest(stream, lambda: hashlib.blake2b(digest_size=16)).digest()
