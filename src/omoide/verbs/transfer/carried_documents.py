"""Documents as they travel between stores: read, told as JSON, taken in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from omoide.model.carried import CarriedDocument
from omoide.model.documents import DocumentRow, Part, Sheet, deleted_document, part_claim, purged_document
from omoide.model.namespaces import check_namespace
from omoide.model.relations import purged_memory
from omoide.model.time import to_micros
from omoide.model.trust import RANK, check_trust
from omoide.store.sqlite import document_writing
from omoide.store.sqlite.document_writing import Cut
from omoide.store.sqlite.transaction import Read
from omoide.store.sqlite.transfer.carrying import documents_of_ids
from omoide.text.normalize import check_text
from omoide.types import Trust
from omoide.types.reports import Refusal
from omoide.verbs.drafts import draft_metadata
from omoide.verbs.transfer.intake import Intake
from omoide.verbs.transfer.jsonl import Line, moment, when

_SHEET: Final = ("source", "root", "stat", "recipe", "title", "project", "size")
_PART: Final = ("char_from", "char_to", "title", "heading", "line_from", "line_to", "page")


def encode_document(document: CarriedDocument) -> Line:
    """Return the line of a document; what is as usual is left out."""
    sheet = document.sheet
    line: Line = {"type": "document", "uid": document.uid, "namespace": document.namespace, "trust": sheet.trust}
    line |= _given(sheet, _SHEET) | _given(document, ("actor", "door", "batch"))
    line |= {"hash": sheet.hash.hex()} if sheet.hash is not None else {}
    line |= {"metadata": dict(sheet.metadata)} if sheet.metadata else {}
    times = {
        "modified_at": sheet.modified_at, "added_at": document.added_at, "updated_at": document.updated_at,
        "removed_at": document.removed_at,
    }  # fmt: skip
    line |= {name: when(at) for name, at in times.items() if at is not None}
    return line | {"parts": [_encode_part(part) for part in document.parts]}


def _encode_part(part: Part) -> Line:
    metadata = {"metadata": dict(part.metadata)} if part.metadata else {}
    return {"text": part.text, **_given(part, _PART), **metadata}


def _given(value: object, names: Sequence[str]) -> Line:
    return {name: getattr(value, name) for name in names if getattr(value, name) is not None}


def decode_document(line: Mapping[str, Any]) -> CarriedDocument:
    """Return the document of a line.

    Raises:
        InvalidInputError, KeyError, TypeError, ValueError: it is no such line.
    """
    sheet = Sheet(
        **{name: line.get(name) for name in _SHEET}, hash=bytes.fromhex(line["hash"]) if "hash" in line else None,
        metadata=draft_metadata(line.get("metadata")), trust=check_trust(line["trust"]),
        modified_at=moment(line.get("modified_at")),
    )  # fmt: skip
    return CarriedDocument(
        uid=check_text(line["uid"], "uid"), namespace=check_namespace(line["namespace"]), sheet=sheet,
        actor=line.get("actor"), door=check_text(line["door"], "door"), batch=line.get("batch"),
        added_at=to_micros(line["added_at"]), updated_at=moment(line.get("updated_at")),
        removed_at=moment(line.get("removed_at")), parts=tuple(_decode_part(part) for part in line["parts"]),
    )  # fmt: skip


def _decode_part(line: Mapping[str, Any]) -> Part:
    values = {name: line.get(name) for name in _PART}
    return Part(check_text(line["text"], "text"), metadata=draft_metadata(line.get("metadata")), **values)


class DocumentIntake:
    """Documents of a cargo taken in: new ones added, of two states of one the later kept."""

    def __init__(self, intake: Intake, *, cap: Trust | None, original_times: bool) -> None:
        self._intake, self._tx = intake, intake.tx
        self._cap, self._original_times = cap, original_times

    def run(self) -> None:
        """Take every document of the cargo in."""
        for document in self._intake.cargo.documents():
            if self._is_purged(document):
                self._intake.outcome.refused.append(Refusal(document.uid, "purged"))
            elif self._take(document):
                self._intake.outcome.documents += 1

    def _is_purged(self, document: CarriedDocument) -> bool:
        content = document.sheet.hash
        marks = [purged_memory(document.uid)]
        marks += [] if content is None else [purged_document(document.namespace, content)]
        return any(self._tx.relations.is_purged(mark) for mark in marks) or is_deleted(self._tx, document)

    def _take(self, document: CarriedDocument) -> bool:
        ns, tx = self._tx.ns_of(document.namespace), self._tx
        document_id = tx.documents.with_uid(ns, document.uid)
        if document_id is None:
            self._add(document)
            return True
        mine = next(documents_of_ids(tx, [document_id]))
        if mine.changed_at >= document.changed_at or _same(mine, document):
            return False
        row = tx.documents.get(document_id)
        assert row is not None
        if document.removed_at is not None:
            document_writing.remove(tx, row)
        else:
            document_writing.replace_parts(tx, row, self._cut(document))
        return True

    def _add(self, document: CarriedDocument) -> None:
        tx, now = self._tx, self._tx.now
        tx.now = min(document.added_at, now) if self._original_times else now
        (row,) = document_writing.add(tx, document.namespace, [self._cut(document)])
        tx.now = now
        batch = document.batch if self._original_times else self._intake.batch
        tx.documents.set(row.document_id, uid=document.uid, actor=document.actor, door=document.door, batch=batch)
        if document.removed_at is not None:
            document_writing.remove(tx, row)

    def _cut(self, document: CarriedDocument) -> Cut:
        claims = [part_claim(part.text, part.heading, part.title) for part in document.parts]
        trust = document.sheet.trust
        lowered = trust if self._cap is None or RANK[trust] <= RANK[self._cap] else self._cap
        return Cut(document.sheet._replace(trust=lowered), document.parts, self._intake.prepare(claims))


def is_deleted(tx: Read, document: CarriedDocument | DocumentRow) -> bool:
    """Say whether a document was deleted here or in a copy that was taken in, and not changed since."""
    deleted_at = tx.relations.marked_at(deleted_document(document.uid))
    changed_at = max(document.added_at, document.updated_at or document.added_at, document.removed_at or 0)
    return deleted_at is not None and changed_at <= deleted_at


def _same(one: CarriedDocument, other: CarriedDocument) -> bool:
    """Say whether two copies of a document say the same, trust aside."""
    there = (one.removed_at is None, one.sheet.hash, one.sheet.source, [part.text for part in one.parts])
    return there == (
        other.removed_at is None,
        other.sheet.hash,
        other.sheet.source,
        [part.text for part in other.parts],
    )
