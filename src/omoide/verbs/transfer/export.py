"""Export: everything that a store knows, past included, as lines of JSON in one order."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import IO, Any, Final

from omoide.errors import InvalidInputError, StoreError
from omoide.model.paths import check_path
from omoide.model.relations import Carried
from omoide.store.sqlite.events import every_event
from omoide.store.sqlite.transaction import Read
from omoide.store.sqlite.transfer import backup as files
from omoide.store.sqlite.transfer import carrying_history
from omoide.store.sqlite.transfer.carrying import Carrying, documents_of
from omoide.store.sqlite.transfer.copies import note_copy
from omoide.store.sqlite.transfer.relating import Relating
from omoide.verbs.context import Context
from omoide.verbs.embedding import MODEL
from omoide.verbs.transfer.carried_conversations import encode_segment, encode_session, encode_turn
from omoide.verbs.transfer.carried_documents import encode_document
from omoide.verbs.transfer.jsonl import Line, encode_memory, when

FORMAT: Final = 1
NAMES: Final = {
    "CarriedLink": "link", "CarriedRejection": "rejection", "CarriedAlias": "alias", "CarriedExclusive": "exclusive",
    "CarriedMark": "purged", "CarriedBatch": "batch",
}  # fmt: skip
"""What a line is called that holds one thing that stands around memories."""


def export(ctx: Context, path: str | os.PathLike[str], subject: str | None = None) -> str:
    """Write the namespaces that this handle may read to a file that appears whole or not at all; return its path.

    Raises:
        InvalidInputError: the path names a folder or the store itself.
        StoreError: the file cannot be written.
    """
    target = check_target(ctx, path)
    unfinished = target.with_name(f"{target.name}.{secrets.token_hex(4)}.unfinished")
    ctx.flush()
    try:
        with ctx.store.read_aside() as tx:
            names = sorted(ctx.wide_scope().readable)
            with unfinished.open("wb") as file:
                _write(file, lines(tx, names, subject))
        files.publish(unfinished, target, overwrite=True)
    except StoreError:
        raise
    except OSError as error:
        raise StoreError(f"{target} cannot be written: {error}", value=str(target)) from error
    finally:
        files.remove(unfinished)
    note_copy(ctx.store, ctx.voice(), target, "export")
    return str(target)


def check_target(ctx: Context, path: str | os.PathLike[str] | None) -> Path:
    """Return where a file may be written, its folder made.

    Raises:
        InvalidInputError: the path names a folder or the store itself.
    """
    target = Path(check_path(path))
    if target.is_dir() or not target.name:
        raise InvalidInputError(f"{target} is a folder; an export needs the path of a file", value=str(target))
    if target.exists() and Path(ctx.store.path).exists() and target.samefile(ctx.store.path):
        raise InvalidInputError("a store cannot be exported onto itself", value=str(target))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"the folder of {target} cannot be made: {error}", value=str(target)) from error
    return target


def lines(tx: Read, names: Sequence[str], subject: str | None = None) -> Iterator[Line]:
    """Yield everything in namespaces, or what was ever about one subject; the same for the same state."""
    numbers = [(name, ns) for name in names if (ns := tx.namespaces.id(name)) is not None]
    complete = subject is None and len(numbers) == len(tx.namespaces.all())
    yield {
        "omoide": "export", "format": FORMAT, "complete": complete, "subject": subject,
        "embedder": tx.settings.get(MODEL), "namespaces": [name for name, _ in numbers],
    }  # fmt: skip
    yield from ({"type": "namespace", "name": name, "number": ns} for name, ns in numbers)
    carrying, relating = Carrying(tx, salts=complete), Relating(tx.connection)
    kept: set[str] = set()
    ids: set[int] = set()
    for _, ns in numbers:
        if subject is None:
            yield from around(relating, ns)
            yield from map(encode_document, documents_of(tx, [ns]))
        for memory in carrying.memories(_ids(tx, carrying, ns, subject)):
            kept.add(memory.uid)
            ids.add(memory.id)
            yield encode_memory(memory)
    for _, ns in numbers:
        yield from (encode_around(link) for link in relating.links(ns) if {link.from_uid, link.to_uid} <= kept)
    if subject is None:
        yield from conversations(tx, [ns for _, ns in numbers])
    yield from events(tx, {ns for _, ns in numbers}, None if subject is None else ids)


def conversations(tx: Read, numbers: Sequence[int]) -> Iterator[Line]:
    """Yield the lines of the conversations of namespaces: sessions, their records, segments."""
    yield from map(encode_session, carrying_history.sessions_of(tx, numbers))
    yield from map(encode_turn, carrying_history.turns_of(tx, numbers))
    yield from map(encode_segment, carrying_history.segments_of(tx, numbers))


def _ids(tx: Read, carrying: Carrying, ns: int, subject: str | None) -> list[int]:
    if subject is None:
        return carrying.ids(ns)
    rows = tx.versions.of_subject(ns, tx.aliases.names(ns, subject))
    return sorted({row.memory_id for row in rows})


def around(relating: Relating, ns: int) -> Iterator[Line]:
    """Yield the lines of what stands around the memories of a namespace, links apart."""
    for items in (relating.batches, relating.rejections, relating.aliases, relating.exclusives, relating.marks):
        yield from map(encode_around, items(ns))


def encode_around(item: Carried) -> Line:
    """Return the line of one thing that stands around memories."""
    line: Line = {"type": NAMES[type(item).__name__]}
    for field in fields(item):
        value = getattr(item, field.name)
        if isinstance(value, bytes):
            value = value.hex()
        elif field.name == "at" or field.name.endswith("_at"):
            value = when(value)
        if value is not None:
            line[field.name] = value
    return line


def events(tx: Read, numbers: set[int], ids: set[int] | None) -> Iterator[Line]:
    """Yield the audit events of namespaces, or only those about some memories."""
    for row, seals in every_event(tx.connection):
        if (row.ns is not None and row.ns not in numbers) or (ids is not None and not ids.intersection(row.targets)):
            continue
        line: Line = {"type": "event", "seq": row.seq, "at": when(row.at), "op": row.op, "door": row.door}
        line |= {name: value for name, value in (("ns", row.ns), ("actor", row.actor), ("batch", row.batch)) if value}
        yield line | {"targets": list(row.targets), "seals": seals.hex(), "hash": row.hash.hex()}


def _write(file: IO[bytes], found: Iterable[Line]) -> None:
    digest, count = hashlib.sha256(), 0
    for line in found:
        data = as_line(line)
        digest.update(data)
        file.write(data)
        count += 1
    file.write(as_line({"type": "end", "lines": count, "sha256": digest.hexdigest()}))


def as_line(line: dict[str, Any]) -> bytes:
    """Return an object as the bytes of one line."""
    text = json.dumps(line, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8") + b"\n"
