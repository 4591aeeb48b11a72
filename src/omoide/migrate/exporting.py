"""What a store believes now, written as other systems read it."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from omoide.errors import InvalidInputError, StoreError
from omoide.handle import Handle
from omoide.migrate.importing import context_of
from omoide.model.selection import Selection
from omoide.store.sqlite.transfer import backup as files
from omoide.store.sqlite.transfer.copies import note_copy
from omoide.types import MemoryRecord
from omoide.verbs.context import Context
from omoide.verbs.drafts import draft_label
from omoide.verbs.look import list_memories
from omoide.verbs.transfer.export import check_target, export

JSONL: Final = "jsonl"
SHAPES: Final[Mapping[str, str]] = {
    "markdown": "omoide.migrate.shapes.markdown",
    "memory-server": "omoide.migrate.shapes.memory_server",
    "mem0": "omoide.migrate.shapes.mem0",
}
"""Each shape beside omoide's own, and the module that writes it."""
Pieces = Callable[[Iterable[MemoryRecord]], Iterator[str]]


def export_as(
    memory: Handle | Any, path: str | os.PathLike[str], shape: str = JSONL, *, subject: str | None = None
) -> str:
    """Write what this handle may read and what holds now to a file, or for Markdown a folder; return its path.

    ``shape``: jsonl is omoide's own, which keeps the past too; markdown, memory-server, mem0. Markdown goes into one
    file when the path ends in .md, else into a new folder, a note for each subject. Each file appears whole or not at
    all. ``subject``: only what is about it.

    Raises:
        InvalidInputError: no such shape, or a path that cannot be one.
        StoreError: it cannot be written.
    """
    ctx = context_of(memory)
    about = draft_label(subject, "subject")
    if shape == JSONL:
        return export(ctx, path, about)
    if shape not in SHAPES:
        raise InvalidInputError(f"omoide writes {', '.join((JSONL, *SHAPES))}, not {shape!r}", value=shape)
    made = import_module(SHAPES[shape])
    if shape == "markdown" and Path(path).suffix.lower() not in (".md", ".markdown"):
        return _folder(ctx, Path(path), made.notes(_records(ctx, about)))
    target = check_target(ctx, path)
    _publish(target, made.pieces(_records(ctx, about)))
    note_copy(ctx.store, ctx.voice(), target, "export")
    return str(target)


def _records(ctx: Context, subject: str | None) -> Iterator[MemoryRecord]:
    """Yield what holds now in every namespace that may be read, oldest first."""
    ctx.flush()
    for namespace in sorted(ctx.wide_scope().readable):
        wanted = Selection(namespace, subjects=None if subject is None else (subject,))
        found = list_memories(ctx, wanted, limit=None, as_of=None, valid_at=None, known_at=None)
        yield from sorted(found, key=lambda record: record.id)


def _publish(target: Path, pieces: Iterable[str]) -> None:
    unfinished = target.with_name(f"{target.name}.{secrets.token_hex(4)}.unfinished")
    try:
        with unfinished.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(pieces)
        files.publish(unfinished, target, overwrite=True)
    except OSError as error:
        raise StoreError(f"{target} cannot be written: {error}", value=str(target)) from error
    finally:
        files.remove(unfinished)


def _folder(ctx: Context, target: Path, notes: Iterable[tuple[str, str]]) -> str:
    """Write a file for each note into a folder that is new or empty.

    Raises:
        InvalidInputError: something is there already.
    """
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise InvalidInputError(f"{target} is there already; name a new or empty folder", value=str(target))
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{target} cannot be made: {error}", value=str(target)) from error
    for name, text in notes:
        _publish(target / name, [text])
    note_copy(ctx.store, ctx.voice(), target, "export")
    return str(target)
