"""The notes of others in a vault: documents, found by their text and never changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from omoide.errors import ExtractError
from omoide.model.documents import DocumentRow, Part, Sheet, purged_document
from omoide.model.policy import Policy
from omoide.store.sqlite import document_writing
from omoide.store.sqlite.notes import HeldRow, Notes, SeenRow
from omoide.store.sqlite.transaction import Write
from omoide.text.extract import read_document
from omoide.vault.damage import TOO_LARGE
from omoide.vault.scan import Look
from omoide.vault.settings import read_settings
from omoide.verbs.context import Context
from omoide.verbs.passages.document_parts import Recipe, parts_of
from omoide.verbs.passages.documents import prepared
from omoide.verbs.writing import writing

ROOT: Final = "vault"
"""What stands for the vault as the root of its documents, wherever its folder lies."""
RECIPE: Final = Recipe(splitter="markdown")
TOGETHER: Final = 64
MAX_SECONDS: Final = 20.0


@dataclass(frozen=True, slots=True)
class _Text:
    look: Look
    old: str | None
    sheet: Sheet
    parts: Sequence[Part]
    reason: str | None = None


def take_documents(
    ctx: Context, root: Path, texts: Sequence[tuple[Look, str | None]], gone: Sequence[str], adopted: Sequence[str]
) -> None:
    """Take in notes of others, each with the path it was at before, and take out those that are gone.

    ``adopted`` are memories' by now.
    """
    if not texts and not gone and not adopted:
        return
    namespace = read_settings(root).namespace
    for portion in _portions(texts):
        read = [_read(root, look, old) for look, old in portion]
        cuts = prepared(ctx, [(text.sheet, text.parts) for text in read])
        with writing(ctx, Policy.open().write_scope(namespace, namespace)) as tx:
            settled = _Settled(tx, namespace)
            for text, cut in zip(read, cuts, strict=True):
                settled.settle(text, cut)
            settled.finish()
    if gone or adopted:
        with writing(ctx, Policy.open().write_scope(namespace, namespace)) as tx:
            settled = _Settled(tx, namespace)
            settled.remove(gone, adopted)
            settled.finish()


def _read(root: Path, look: Look, old: str | None) -> _Text:
    sheet = Sheet(look.path, ROOT, look.hash, look.stat, title=look.path.rpartition("/")[2], trust="observed")
    try:
        text = read_document(root / look.path, max_bytes=TOO_LARGE, max_seconds=MAX_SECONDS)
        state = (root / look.path).stat()
    except ExtractError as error:
        return _Text(look, old, sheet, (), None if error.reason == "empty" else error.message)
    except OSError as error:
        return _Text(look, old, sheet, (), f"it cannot be read: {error.strerror}")
    title = text.title or Path(look.path).stem
    sheet = sheet._replace(title=title, size=state.st_size, modified_at=state.st_mtime_ns // 1000)
    return _Text(look, old, sheet, parts_of(text.text, RECIPE, {}, title=title, path=look.path, placed=True))


class _Settled:
    """The documents of one transaction."""

    def __init__(self, tx: Write, namespace: str) -> None:
        self._tx, self._namespace, self._ns = tx, namespace, tx.ns_of(namespace)
        self._notes = Notes(tx.connection)
        self._fresh: list[document_writing.Cut] = []
        self._done: dict[str, list[int]] = {"replace": [], "remove": []}

    def settle(self, text: _Text, cut: document_writing.Cut) -> None:
        """Add or replace the document of one note; an empty one is in no search."""
        look = text.look
        if text.old is not None:
            self._notes.unsee([text.old])
        self._notes.see([SeenRow(look.path, look.hash, look.stat, None)])
        row = self._tx.documents.file(self._ns, text.old or look.path)
        if not text.parts:
            if text.reason is not None:
                self._notes.hold(HeldRow(look.path, "unreadable", text.reason, look.stat, self._tx.now))
            self._take_out(row)
        elif self._tx.relations.is_purged(purged_document(self._namespace, look.hash)):
            return
        elif row is None:
            self._fresh.append(cut)
        elif row.removed_at is not None or (row.sheet.hash, row.sheet.source) != (look.hash, look.path):
            document_writing.replace_parts(self._tx, row, cut)
            self._done["replace"].append(row.document_id)

    def remove(self, gone: Sequence[str], adopted: Sequence[str]) -> None:
        """Take the documents of notes that are gone, or are memories, out of search."""
        self._notes.unsee(gone)
        for path in (*gone, *adopted):
            self._take_out(self._tx.documents.file(self._ns, path))

    def finish(self) -> None:
        """Write what is new, and the audit."""
        if self._fresh:
            rows = document_writing.add(self._tx, self._namespace, self._fresh)
            self._tx.log("add", self._namespace, [row.document_id for row in rows])
        for op, ids in self._done.items():
            if ids:
                self._tx.log(op, self._namespace, ids)

    def _take_out(self, row: DocumentRow | None) -> None:
        if row is not None and row.removed_at is None:
            document_writing.remove(self._tx, row)
            self._done["remove"].append(row.document_id)


def _portions(texts: Sequence[tuple[Look, str | None]]) -> Iterator[Sequence[tuple[Look, str | None]]]:
    for first in range(0, len(texts), TOGETHER):
        yield texts[first : first + TOGETHER]
