"""Dump: the store as text that does not change when nothing did, so that two states can be compared line by line."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator
from typing import IO, Any, Final

from omoide.errors import InvalidInputError
from omoide.model.carried import CarriedMemory, CarriedVersion
from omoide.model.lineage import MERGE
from omoide.model.relations import Carried, CarriedLink
from omoide.store.sqlite.transaction import Read
from omoide.store.sqlite.transfer import backup as files
from omoide.store.sqlite.transfer.carrying import Carrying
from omoide.store.sqlite.transfer.copies import note_copy
from omoide.store.sqlite.transfer.relating import Relating
from omoide.verbs.context import Context
from omoide.verbs.transfer import dump_history
from omoide.verbs.transfer.export import check_target, encode_around
from omoide.verbs.transfer.jsonl import encode_claim, when

HEAD: Final = "# omoide dump 1"
_INDENT: Final = "    "
_FIRST: Final = ("trust", "kind")
# A NUL would make git take the dump for a binary file.
_CONTROLS: Final = {code: f"\\x{code:02x}" for code in range(32) if code != 9}


def dump(ctx: Context, to: str | os.PathLike[str] | IO[str]) -> str | None:
    """Write the namespaces that this handle may read as text; return the path, None for a stream.

    Raises:
        InvalidInputError: the path names a folder or the store itself.
    """
    if not isinstance(to, str | os.PathLike) and not hasattr(to, "write"):
        raise InvalidInputError(f"to must be the path of a file or a stream, not {to!r}", value=to)
    ctx.flush()
    names = sorted(ctx.wide_scope().readable)
    if not isinstance(to, str | os.PathLike):
        with ctx.store.read_aside() as tx:
            for line in lines(tx, names):
                to.write(line + "\n")
        return None
    target = check_target(ctx, to)
    unfinished = target.with_name(f"{target.name}.{secrets.token_hex(4)}.unfinished")
    try:
        with ctx.store.read_aside() as tx, unfinished.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(line + "\n" for line in lines(tx, names))
        files.publish(unfinished, target, overwrite=True)
    finally:
        files.remove(unfinished)
    note_copy(ctx.store, ctx.voice(), target, "dump")
    return str(target)


def lines(tx: Read, names: list[str]) -> Iterator[str]:
    """Yield the lines: memories by uid, so that the numbers of this store do not matter."""
    yield HEAD
    carrying, relating = Carrying(tx), Relating(tx.connection)
    for name in names:
        ns = tx.namespaces.id(name)
        if ns is None:
            continue
        yield ""
        yield f"## namespace {json.dumps(name, ensure_ascii=False)}"
        yield from _around(relating, ns)
        for memory in carrying.memories(_by_uid(tx, carrying.ids(ns))):
            yield from _memory(memory)
        yield from dump_history.lines(tx, ns, _CONTROLS)


def _by_uid(tx: Read, ids: list[int]) -> list[int]:
    states = tx.memories.many(ids)
    return sorted(ids, key=lambda memory_id: states[memory_id].uid)


def _around(relating: Relating, ns: int) -> list[str]:
    items: list[Carried] = [
        *relating.rejections(ns),
        *relating.aliases(ns),
        *relating.exclusives(ns),
        *relating.marks(ns),
    ]
    return [_labelled(encode_around(item)) for item in items] + sorted(_link(link) for link in relating.links(ns))


def _link(link: CarriedLink) -> str:
    return _labelled({name: value for name, value in encode_around(link).items() if name != "event"})


def _labelled(line: dict[str, Any]) -> str:
    parts = [f"{name}={_short(value)}" for name, value in line.items() if name not in ("type", "namespace")]
    return f"- {line['type']} " + " ".join(parts)


def _memory(memory: CarriedMemory) -> Iterator[str]:
    state = memory.state
    marks = [name for name in ("pinned", "archived") if getattr(state, name)]
    marks += ["disputed"] * (state.disputed is not None) + ([f"ended by {state.ended}"] if state.ended else [])
    yield ""
    yield f"### {memory.uid}" + (f" ({', '.join(marks)})" if marks else "")
    for version in memory.versions:
        yield from _version(version)
    for item in memory.evidence:
        withdrawn = "" if item.withdrawn_at is None else f", withdrawn {when(item.withdrawn_at)}"
        yield f"  + {item.cause} {when(item.at)} source={_short(item.source)}{withdrawn}"


def _version(version: CarriedVersion) -> Iterator[str]:
    ended = f", {version.closed_cause} {when(version.known_to)}" if not version.open else ""
    cause = "merged" if version.cause == MERGE else version.cause
    mark = " " if version.open else "~"
    span = f"[{when(version.valid_from)} .. {when(version.valid_to) or ''}]"
    yield f"{mark} {span} {cause} {when(version.known_from)}{ended}"
    yield from (f"{_INDENT}{line.translate(_CONTROLS)}" for line in version.claim.text.splitlines() or [""])
    labels = {name: value for name, value in encode_claim(version.claim).items() if name != "text"}
    ordered = sorted(labels, key=lambda name: (_FIRST.index(name) if name in _FIRST else len(_FIRST), name))
    yield f"{_INDENT}({' '.join(f'{name}={_short(labels[name])}' for name in ordered)})"


def _short(value: object) -> str:
    if isinstance(value, str) and value and not set(value) & set(' "\\\n\r\t='):
        return value
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
