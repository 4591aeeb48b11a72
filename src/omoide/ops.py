"""The table of operations with what carries each out: validated arguments in, plain JSON out.

Every door is made from ``OPERATIONS`` and goes through ``run``. No operation has a namespace argument: it
reaches what the handles that a door opened reach.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from importlib import import_module
from threading import RLock
from types import TracebackType
from typing import Any, Final, Protocol, Self

from omoide.errors import InvalidInputError, NotFoundError
from omoide.model.arguments import ToolCallError, check_arguments
from omoide.model.catalog.conversations import READ
from omoide.model.catalog.operation import Doors, Face, Operation, Parameter, Route
from omoide.model.catalog.table import TABLE as OPERATIONS
from omoide.model.shape import plain
from omoide.types import Hits

__all__ = ["OPERATIONS", "Doors", "Faces", "Operation", "Parameter", "Provider", "Route", "checked", "run"]

Handler = Callable[[Any, dict[str, Any]], Any]
HOMES: Final[Mapping[Face, str]] = {
    "memory": "omoide.memory:Memory",
    "index": "omoide.index:Index",
    "history": "omoide.history:History",
}
MANY: Final = 100
"""How many rows a list returns when nobody says."""


SAVED: Final = {"saved": True, "spooled": False}


class Provider(Protocol):
    """Whoever hands out the handle of a face."""

    def __call__(self, face: Face, /) -> Any:
        """Return the handle."""


class Faces:
    """The faces of one namespace of one store, each opened when it is first used and closed together.

    ``options`` are those of a handle: policy, embedder, clock, actor, door, door_trust, read_only, ...
    """

    def __init__(self, path: str | os.PathLike[str], namespace: str = "default", **options: Any) -> None:
        self.path = os.fspath(path)
        self.namespace = namespace
        self.options = options
        self._open: dict[Face, Any] = {}
        self._lock = RLock()

    def __call__(self, face: Face, /) -> Any:
        """Return the handle of a face, opened if it is not."""
        with self._lock:
            handle = self._open.get(face)
            if handle is None:
                home, name = HOMES[face].split(":")
                handle = getattr(import_module(home), name)(self.path, self.namespace, **self.options)
                self._open[face] = handle
            return handle

    def close(self) -> None:
        """Close what is open; the next use opens it anew."""
        with self._lock:
            while self._open:
                self._open.popitem()[1].close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def checked(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of an operation as native values; those left out stay out.

    Raises:
        ToolCallError: no such operation; a missing or unknown argument, or one of the wrong type or range.
    """
    operation = OPERATIONS.get(name)
    if operation is None:
        raise ToolCallError(f"there is no operation {name!r}; there are {', '.join(OPERATIONS)}", value=name)
    blanks = {key: value for key, value in arguments.items() if value == "" and key in operation.blanks}
    return {**check_arguments(name, operation.checked, arguments), **blanks}


def run(provider: Provider, name: str, arguments: Mapping[str, Any], **extras: Any) -> Any:
    """Check the arguments, carry the operation out and return its result as plain JSON.

    ``extras`` go to the method as they are, such as ``progress`` of ``add_files``.

    Raises:
        ToolCallError: arguments that the operation cannot take.
        NotFoundError: the id does not exist here.
        OmoideError: whatever the verb raises.
    """
    given = checked(name, arguments)
    operation = OPERATIONS[name]
    handler = HANDLERS.get(name) or _as_it_is(operation.method or name)
    return plain(handler(provider(operation.face), {**given, **extras}))


# -- what the verbs return, brought into the shape that the table promises ---------------------------------


def _as_it_is(method: str) -> Handler:
    return lambda handle, given: getattr(handle, method)(**given)


def _listed(method: str, name: str = "results") -> Handler:
    return lambda handle, given: {name: getattr(handle, method)(**given)}


def _echoed(method: str) -> Handler:
    """For verbs that return nothing: the arguments say what was done."""

    def call(handle: Any, given: dict[str, Any]) -> dict[str, Any]:
        getattr(handle, method)(**given)
        return given

    return call


def _remember(handle: Any, given: dict[str, Any]) -> dict[str, Any]:
    made = handle.remember(**given)
    return {"id": int(made), **SAVED, "notices": made.notices}


def _supersede(handle: Any, given: dict[str, Any]) -> dict[str, Any]:
    made = handle.supersede(given.pop("ids"), given.pop("text"), **given)
    return {"id": int(made), **SAVED, "notices": made.notices}


def _revise(handle: Any, given: dict[str, Any]) -> dict[str, Any]:
    return {"id": given["id"], **SAVED, "version": handle.revise(**given)}


def _update(handle: Any, given: dict[str, Any]) -> dict[str, Any]:
    if not given.keys() - {"id"}:
        raise InvalidInputError("update needs a text or metadata")
    held = any(version.known_to is None for version in handle.why(given["id"]).versions)
    handle.update(**given)
    return {"id": given["id"], "updated": held}


def _forget(handle: Any, given: dict[str, Any]) -> dict[str, Any]:
    ended = handle.forget(**given)
    if not ended and "id" in given:
        handle.why(given["id"])
    return {"ids": list(ended), "kept": ended.kept, "dry_run": ended.dry_run, **SAVED}


def _purge(handle: Any, given: dict[str, Any]) -> Any:
    if given.pop("everything", False):
        if given:
            raise InvalidInputError(f"purge takes everything or {next(iter(given))}, not both", value=given)
        return handle.purge(namespace=handle.namespace)
    return handle.purge(**given)


def _dispute(handle: Any, given: dict[str, Any]) -> dict[str, Any]:
    handle.dispute(**given)
    return {"id": given["id"]}


def _restore(handle: Any, given: dict[str, Any]) -> dict[str, Any]:
    return {"id": given["id"], "changed": handle.restore(given["id"])}


def _found(method: str) -> Handler:
    def call(handle: Any, given: dict[str, Any]) -> dict[str, Any]:
        explained = given.pop("explain", False)
        return _hits(getattr(handle, method)(**given), explained)

    return call


def _hits(hits: Hits, explained: bool) -> dict[str, Any]:
    rows = [{**plain(hit), "explanation": hit.explain()} for hit in hits] if explained else list(hits)
    return {
        "results": rows,
        "degraded": hits.degraded,
        "reasons": hits.reasons,
        "truncated": hits.truncated,
        "below_threshold": hits.below_threshold,
        "abstained": hits.abstained,
        "when": hits.when,
        "timings": hits.timings,
    }


def _get(handle: Any, given: dict[str, Any]) -> Any:
    record = handle.get(**given)
    if record is None:
        raise NotFoundError(f"there is no {_thing(handle)} {given['id']} here at that time", value=given["id"])
    return record


def _thing(handle: Any) -> str:
    return {"Index": "document", "History": "segment"}.get(type(handle).__name__, "memory")


def _list(handle: Any, given: dict[str, Any]) -> dict[str, Any]:
    limit = given.pop("limit", MANY)
    rows = handle.list(limit=limit + 1, **given)
    return {"results": list(rows)[:limit], "truncated": len(rows) > limit}


def _delete_document(handle: Any, given: dict[str, Any]) -> dict[str, Any]:
    _get(handle, given)
    handle.delete(given["id"])
    return {"id": given["id"]}


def _add(handle: Any, given: dict[str, Any]) -> dict[str, Any]:
    return {"id": int(handle.add_text(**given))}


def _add_files(handle: Any, given: dict[str, Any]) -> dict[str, Any]:
    made = handle.add_files(given.pop("paths"), **given)
    return {
        "ids": list(made),
        "batch": made.batch,
        "counts": made.counts,
        "files": made.files,
        "timings": made.timings,
    }


def _update_document(handle: Any, given: dict[str, Any]) -> dict[str, Any]:
    if not given.keys() - {"id"}:
        raise InvalidInputError("update_document needs a text or metadata")
    _get(handle, {"id": given["id"]})
    handle.update(**given)
    return {"id": given["id"], "updated": True}


def _subjects(handle: Any, given: dict[str, Any]) -> dict[str, Any]:
    found = handle.subjects(**given)
    rows = [{"subject": name, "count": count, "aliases": found.aliases.get(name, ())} for name, count in found.items()]
    return {"results": rows}


def _rename(handle: Any, given: dict[str, Any]) -> dict[str, Any]:
    return {**given, "count": handle.rename_subject(given["old"], given["new"])}


def _alias(handle: Any, given: dict[str, Any]) -> dict[str, Any]:
    handle.alias_subject(given["name"], of=given["of"])
    return given


def _export(handle: Any, given: dict[str, Any]) -> dict[str, Any]:
    handle.export(**given)
    return {"path": given["path"]}


def _dump(handle: Any, given: dict[str, Any]) -> dict[str, Any]:
    if "path" in given:
        handle.dump(given["path"])
        return {"path": given["path"], "text": None}
    import io

    stream = io.StringIO()
    handle.dump(stream)
    return {"path": None, "text": stream.getvalue()}


def _merge(handle: Any, given: dict[str, Any]) -> Any:
    return handle.merge_from(given.pop("path"), **given)


def _import(handle: Any, given: dict[str, Any]) -> Any:
    return handle.import_(given.pop("path"), **given)


def _save(handle: Any, given: dict[str, Any]) -> dict[str, Any]:
    made = handle.save(**given)
    return {"id": str(made), "known": made.known, "masked": made.masked}


def _grep(handle: Any, given: dict[str, Any]) -> dict[str, Any]:
    found = handle.grep(**given)
    counted = {name: getattr(found, name) for name in ("total", "truncated", "searched", "reasons")}
    return {"results": list(found), **counted}


def _read(handle: Any, given: dict[str, Any]) -> dict[str, Any]:
    found = handle.read(**given)
    return {name: getattr(found, name) for name in READ}


def _ingest(handle: Any, given: dict[str, Any]) -> dict[str, Any]:
    made = handle.ingest(**given)
    return {name: getattr(made, name) for name in ("files", "batch", "new", "turns", "known", "masked")}


HANDLERS: Final[Mapping[str, Handler]] = {
    "history_save": _save,
    "history_search": lambda handle, given: _found("search")(handle, {"query": None, **given}),
    "history_grep": _grep,
    "history_read": _read,
    "history_list": _list,
    "ingest": _ingest,
    "sessions": _listed("sessions"),
    "unarchive": _listed("unarchive", "changed"),
    "remember": _remember,
    "supersede": _supersede,
    "revise": _revise,
    "update": _update,
    "forget": _forget,
    "purge": _purge,
    "dispute": _dispute,
    "restore": _restore,
    "reject": _listed("reject", "ids"),
    "unreject": _listed("unreject", "changed"),
    "recall": _found("recall"),
    "search": _found("search"),
    "get": _get,
    "list": _list,
    "timeline": _listed("timeline", "versions"),
    "conflicts": _listed("conflicts"),
    "subjects": _subjects,
    "rename_subject": _rename,
    "alias_subject": _alias,
    "unalias_subject": _listed("unalias_subject", "changed"),
    "exclusive": _echoed("exclusive"),
    "add": _add,
    "add_files": _add_files,
    "document": _get,
    "documents": _list,
    "update_document": _update_document,
    "delete_document": _delete_document,
    "document_stats": _as_it_is("stats"),
    "check": _listed("integrity_check", "findings"),
    "rebuild": _listed("rebuild", "entries"),
    "backup": _listed("backup", "path"),
    "export": _export,
    "dump": _dump,
    "import": _import,
    "merge": _merge,
    "audit": _listed("audit"),
    "head": _listed("head", "head"),
    "verify": _listed("verify", "findings"),
}
"""What differs from calling the method of that name with the arguments."""
