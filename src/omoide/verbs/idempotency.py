"""A retry under the same key returns the first result and writes nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from omoide.errors import InvalidInputError
from omoide.model.records import canonical, digest
from omoide.store.sqlite.transaction import Write
from omoide.text.normalize import check_text
from omoide.types import Forgotten, MemoryId, Notice, Version

T = TypeVar("T", MemoryId, Version, Forgotten)


@dataclass(frozen=True, slots=True)
class Key:
    """The key of a call, per namespace and operation, and the hash of its arguments."""

    op: str
    key: bytes
    arguments: bytes


def key_of(op: str, key: object, arguments: dict[str, Any]) -> Key | None:
    """Return the key of a call, or None when the caller gave none.

    Raises:
        InvalidInputError: the key is not a text.
    """
    if key is None:
        return None
    return Key(op, digest("key", op, check_text(key, "idempotency_key")), digest(op, canonical(_plain(arguments))))


def once(tx: Write, namespace: str, key: Key | None, call: Callable[[], T]) -> T:
    """Run ``call``, or return what it returned the first time.

    Raises:
        InvalidInputError: the key was used with other arguments.
    """
    if key is None:
        return call()
    ns = tx.namespaces.ensure(namespace, tx.now)
    known = tx.relations.remembered_call(ns, key.op, key.key)
    if known is None:
        result = call()
        tx.relations.remember_call(ns, key.op, key.key, key.arguments, _pack(result), tx.seq - 1)
        return result
    if known[0] != key.arguments:
        raise InvalidInputError(
            f"this idempotency_key was used for another {key.op}; use a new key for other arguments", value=key.op
        )
    return _unpack(tx, known[1])  # type: ignore[return-value]  # the operation fixes which type it is


def _pack(result: MemoryId | Version | Forgotten) -> str:
    if isinstance(result, MemoryId):
        notes = [[note.code, note.message, list(note.ids)] for note in result.notices]
        return json.dumps({"id": int(result), "notices": notes})
    if isinstance(result, Version):
        return json.dumps({"version": result.version_id})
    return json.dumps({"ids": list(result), "kept": list(result.kept)})


def _unpack(tx: Write, text: str) -> MemoryId | Version | Forgotten:
    from omoide.verbs.convert import version_of

    stored = json.loads(text)
    if "id" in stored:
        return MemoryId(stored["id"], [Notice(code, message, tuple(ids)) for code, message, ids in stored["notices"]])
    if "ids" in stored:
        return Forgotten(stored["ids"], kept=stored["kept"])
    row = tx.versions.by_ids([stored["version"]]).get(stored["version"])
    if row is None:
        raise InvalidInputError("the result of that call was purged", value=stored["version"])
    return version_of(row)


def _plain(arguments: dict[str, Any]) -> list[Any]:
    return [[name, repr(value)] for name, value in sorted(arguments.items()) if value is not None]
