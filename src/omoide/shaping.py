"""What the verbs return, brought into the shape that the table of operations promises."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from omoide.errors import InvalidInputError, NotFoundError
from omoide.model.catalog.conversations import READ
from omoide.model.shape import plain

if TYPE_CHECKING:
    from omoide.history import History
    from omoide.index import Index
    from omoide.memory import Memory
    from omoide.types import Chain, Hits

Handler = Callable[[Any, dict[str, Any]], Any]
MANY: Final = 100
"""How many rows a list returns when nobody says."""
SAVED: Final = {"saved": True, "spooled": False}


def as_it_is(method: str) -> Handler:
    """Return what calls a method with the arguments and returns what it returns."""
    return lambda handle, given: getattr(handle, method)(**given)


def _listed(method: str, name: str = "results") -> Handler:
    return lambda handle, given: {name: getattr(handle, method)(**given)}


def _echoed(method: str) -> Handler:
    """For verbs that return nothing: the arguments say what was done."""

    def call(handle: Any, given: dict[str, Any]) -> dict[str, Any]:
        getattr(handle, method)(**given)
        return given

    return call


def _remember(handle: Memory, given: dict[str, Any]) -> dict[str, Any]:
    made = handle.remember(**given)
    return {"id": int(made), **SAVED, "notices": made.notices}


def _remember_many(handle: Memory, given: dict[str, Any]) -> dict[str, Any]:
    outcomes = handle.remember_many(given["items"])
    saved = sum(outcome.id is not None for outcome in outcomes)
    return {"results": outcomes, "saved": saved, "refused": len(outcomes) - saved}


def _supersede(handle: Memory, given: dict[str, Any]) -> dict[str, Any]:
    made = handle.supersede(given.pop("ids"), given.pop("text"), **given)
    return {"id": int(made), **SAVED, "notices": made.notices}


def _revise(handle: Memory, given: dict[str, Any]) -> dict[str, Any]:
    version = handle.revise(**given)  # of another memory where the door may not replace what this one says
    return {"id": version.memory_id, **SAVED, "version": version}


def _update(handle: Memory, given: dict[str, Any]) -> dict[str, Any]:
    if not given.keys() - {"id"}:
        raise InvalidInputError("update needs a text or metadata")
    before = _open(handle.why(given["id"]))
    handle.update(**given)
    after = handle.why(given["id"])
    return {"id": given["id"] if _open(after) != before else _beside(handle, after, given), "updated": bool(before)}


def _open(chain: Chain) -> set[int]:
    return {version.version_id for version in chain.versions if version.known_to is None}


def _beside(handle: Memory, chain: Chain, given: dict[str, Any]) -> int:
    """Return the memory that says what a door could not put in the place of another one, that one without any."""
    asked = {name: given[name] for name in ("text", "metadata") if name in given}
    for id in sorted(chain.conflicts, reverse=True):
        said = handle.get(id)
        if said is not None and all(getattr(said, name) == value for name, value in asked.items()):
            return id
    return int(given["id"])


def _forget(handle: Memory, given: dict[str, Any]) -> dict[str, Any]:
    ended = handle.forget(**given)
    if not ended and "id" in given:
        handle.why(given["id"])
    return {"ids": list(ended), "kept": ended.kept, "dry_run": ended.dry_run, **SAVED}


def _purge(handle: Memory, given: dict[str, Any]) -> Any:
    if given.pop("everything", False):
        if given:
            raise InvalidInputError(f"purge takes everything or {next(iter(given))}, not both", value=given)
        return handle.purge(namespace=handle.namespace)
    return handle.purge(**given)


def _dispute(handle: Memory, given: dict[str, Any]) -> dict[str, Any]:
    handle.dispute(**given)
    return {"id": given["id"]}


def _restore(handle: Memory, given: dict[str, Any]) -> dict[str, Any]:
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


def _get(handle: Memory | Index, given: dict[str, Any]) -> Any:
    record = handle.get(**given)
    if record is None:
        raise NotFoundError(f"there is no {_thing(handle)} {given['id']} here at that time", value=given["id"])
    return record


def _thing(handle: Memory | Index | History) -> str:
    return {"Index": "document", "History": "segment"}.get(type(handle).__name__, "memory")


def _list(handle: Memory | Index | History, given: dict[str, Any]) -> dict[str, Any]:
    limit = given.pop("limit", MANY)
    rows = handle.list(limit=limit + 1, **given)
    return {"results": list(rows)[:limit], "truncated": len(rows) > limit}


def _delete_document(handle: Index, given: dict[str, Any]) -> dict[str, Any]:
    _get(handle, given)
    handle.delete(given["id"])
    return {"id": given["id"]}


def _add(handle: Index, given: dict[str, Any]) -> dict[str, Any]:
    return {"id": int(handle.add_text(**given))}


def _add_files(handle: Index, given: dict[str, Any]) -> dict[str, Any]:
    made = handle.add_files(given.pop("paths"), **given)
    return {
        "ids": list(made),
        "batch": made.batch,
        "counts": made.counts,
        "files": made.files,
        "timings": made.timings,
    }


def _update_document(handle: Index, given: dict[str, Any]) -> dict[str, Any]:
    if not given.keys() - {"id"}:
        raise InvalidInputError("update_document needs a text or metadata")
    _get(handle, {"id": given["id"]})
    handle.update(**given)
    return {"id": given["id"], "updated": True}


def _subjects(handle: Memory, given: dict[str, Any]) -> dict[str, Any]:
    found = handle.subjects(**given)
    rows = [{"subject": name, "count": count, "aliases": found.aliases.get(name, ())} for name, count in found.items()]
    return {"results": rows}


def _rename(handle: Memory, given: dict[str, Any]) -> dict[str, Any]:
    return {**given, "count": handle.rename_subject(given["old"], given["new"])}


def _alias(handle: Memory, given: dict[str, Any]) -> dict[str, Any]:
    handle.alias_subject(given["name"], of=given["of"])
    return given


def _export(handle: Any, given: dict[str, Any]) -> dict[str, Any]:
    handle.export_as(given["path"], given.pop("as_", "jsonl"), subject=given.get("subject"))
    return {"path": given["path"]}


def _dump(handle: Memory, given: dict[str, Any]) -> dict[str, Any]:
    if "path" in given:
        handle.dump(given["path"])
        return {"path": given["path"], "text": None}
    import io

    stream = io.StringIO()
    handle.dump(stream)
    return {"path": None, "text": stream.getvalue()}


def _merge(handle: Memory, given: dict[str, Any]) -> Any:
    return handle.merge_from(given.pop("path"), **given)


def _import(handle: Any, given: dict[str, Any]) -> Any:
    fields = given.pop("map", None)
    columns = None if fields is None else {part: str(column) for part, column in fields.items()}
    return handle.import_from(given.pop("path"), given.pop("from_", "auto"), fields=columns, **given)


def _save(handle: History, given: dict[str, Any]) -> dict[str, Any]:
    made = handle.save(**given)
    return {"id": str(made), "known": made.known, "masked": made.masked}


def _grep(handle: History, given: dict[str, Any]) -> dict[str, Any]:
    found = handle.grep(**given)
    counted = {name: getattr(found, name) for name in ("total", "truncated", "searched", "reasons")}
    return {"results": list(found), **counted}


def _read(handle: History, given: dict[str, Any]) -> dict[str, Any]:
    found = handle.read(**given)
    return {name: getattr(found, name) for name in READ}


def _ingest(handle: History, given: dict[str, Any]) -> dict[str, Any]:
    made = handle.ingest(**given)
    return {name: getattr(made, name) for name in ("files", "batch", "new", "turns", "known", "masked")}


def _domains(handle: History, given: dict[str, Any]) -> dict[str, Any]:
    return {"results": [{"domain": name, "count": count} for name, count in handle.domains(**given).items()]}


def _choose_domains(handle: History, given: dict[str, Any]) -> dict[str, Any]:
    names = given.get("names") or []
    handle.choose_domains(given["project"], names or None)
    return {"project": given["project"], "names": names}


def _acknowledge(handle: History, given: dict[str, Any]) -> dict[str, Any]:
    handle.ack(**given)
    return {"session": given["session"]}


def _proposals(handle: Memory, given: dict[str, Any]) -> dict[str, Any]:
    return {"results": handle.proposals(given.pop("state", "open"), **{"limit": MANY, **given})}


def _sleep_settings(handle: Memory, given: dict[str, Any]) -> Any:
    return handle.sleep_settings(**given.get("changes", {}))


HANDLERS: Final[Mapping[str, Handler]] = {
    "proposals": _proposals,
    "sleep_settings": _sleep_settings,
    "history_save": _save,
    "history_search": lambda handle, given: _found("search")(handle, {"query": None, **given}),
    "history_grep": _grep,
    "history_read": _read,
    "history_list": _list,
    "ingest": _ingest,
    "sessions": _listed("sessions"),
    "unarchive": _listed("unarchive", "changed"),
    "history_archive": _listed("archive", "changed"),
    "domains": _domains,
    "choose_domains": _choose_domains,
    "ack": _acknowledge,
    "injected": _listed("injected"),
    "remember": _remember,
    "remember_many": _remember_many,
    "feedback": lambda handle, given: {"id": given["id"], "value": handle.feedback(**given)},
    "trace": _listed("trace"),
    "rename_note": lambda h, given: h.rename_note(given["note"], given["new"], dry_run=not given.get("go", False)),
    "adopt_note": lambda h, given: {"id": h.adopt_note(str(given.pop("note")), **given)},
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
    "document_stats": as_it_is("stats"),
    "check": _listed("integrity_check", "findings"),
    "rebuild": _listed("rebuild", "entries"),
    "backup": _listed("backup", "path"),
    "convert": _listed("convert", "path"),
    "export": _export,
    "dump": _dump,
    "import": _import,
    "merge": _merge,
    "audit": _listed("audit"),
    "head": _listed("head", "head"),
    "verify": _listed("verify", "findings"),
}
"""What differs from calling the method of that name with the arguments."""
