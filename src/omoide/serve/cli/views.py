"""How the results of operations are told to people."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias

from omoide.serve.cli import history_views as conversations
from omoide.serve.cli.blocks import Block, Line, Table, day, harmless, table, tidy
from omoide.serve.cli.hook_views import captures_view, context_view, injected_view
from omoide.serve.cli.level_views import feedback_view, level_view, many_view, trace_view
from omoide.serve.cli.migrate_views import import_view
from omoide.serve.cli.native_views import native_import_view, native_write_view
from omoide.serve.cli.past_views import chain_view, diff_view, timeline_view, vouched
from omoide.serve.cli.sleep_views import decision_view, proposal_view, proposals_view, sleep_view
from omoide.serve.messages.speech import Speech

View: TypeAlias = Callable[[Any, Speech], list[Block]]


def blocks_of(operation: str, result: Any, say: Speech) -> list[Block]:
    """Return the words for the result of an operation."""
    if isinstance(result, Mapping) and result.get("spooled"):
        return [Line(say("spooled"), "warn")]
    view = VIEWS.get(operation, _anything)
    return view(result, say)


# -- what was written --------------------------------------------------------------------------------------


def _remembered(result: Any, say: Speech) -> list[Block]:
    notes = [Line(say("notice", message=tidy(say.sentence(note["message"]))), "warn") for note in result["notices"]]
    return [Line(say("remembered", id=result["id"]), "good"), *notes]


def _forgotten(result: Any, say: Speech) -> list[Block]:
    ids = result["ids"]
    key = "preview.forget" if result["dry_run"] else "forgotten"
    lines: list[Block] = [
        Line(say.count(key, len(ids), ids=_ids(ids)) if ids else say("forgotten.none"), "good" if ids else "dim")
    ]
    if result["dry_run"] and ids:
        lines.append(Line(_ids(ids)))
    if result["kept"]:
        lines.append(Line(say("forget.kept", ids=_ids(result["kept"]))))
    return lines


def _purged(result: Any, say: Speech) -> list[Block]:
    ids = result["purged_ids"]
    places = tidy([say.sentence(place) for place in result["locations"]])
    lines: list[Block] = [Line(say.count("purged", len(ids), places=places), "good")]
    if not result["verified"]:
        lines.append(Line(say("purge.unverified"), "warn"))
    return lines + [Line(say("purge.remaining", what=tidy(say.sentence(what))), "warn") for what in result["remaining"]]


def _saying(key: str, style: str = "good") -> View:
    """One sentence whose places are fields of the result."""

    def view(result: Any, say: Speech) -> list[Block]:
        values = {name: tidy(value) for name, value in result.items()} if isinstance(result, Mapping) else {}
        return [Line(say(key, **values), style)]

    return view


def _updated(result: Any, say: Speech) -> list[Block]:
    key = "updated" if result["updated"] else "not_updated"
    return [Line(say(key, id=result["id"]), "good" if result["updated"] else "warn")]


def _changed(yes: str) -> View:
    def view(result: Any, say: Speech) -> list[Block]:
        if not result["changed"]:
            return [Line(say("unchanged"), "dim")]
        return [Line(say(yes, **{name: value for name, value in result.items() if name != "changed"}), "good")]

    return view


def _confirmed(result: Any, say: Speech) -> list[Block]:
    return [Line(say("confirmed", id=result["memory_id"]), "good")]


def _repaired(result: Any, say: Speech) -> list[Block]:
    lines: list[Block] = [
        Line(say("repaired", what=tidy(say.sentence(action))), "good") for action in result["actions"]
    ]
    lines += [Line(say("lost", what=f"{count} {say.word(name)}"), "bad") for name, count in result["lost"].items()]
    lines += [Line(say("remaining", what=tidy(say.sentence(what))), "bad") for what in result["remaining"]]
    if result["kept_at"]:
        lines.append(Line(say("kept_at", path=tidy(result["kept_at"]))))
    return lines or [Line(say("sound"), "good")]


# -- what was asked ----------------------------------------------------------------------------------------


def _hits(result: Any, say: Speech) -> list[Block]:
    rows = result["results"]
    blocks: list[Block] = []
    if rows:
        columns = ("col.id", "col.text", "col.subject", "col.from", "col.trust", "col.source", "col.score")
        cells = [
            (
                row["id"],
                _told(row, say),
                row["subject"],
                day(row["valid_from"]),
                row["trust"],
                row["source"],
                row["score"],
            )
            for row in rows
        ]
        blocks.append(table([say(name) for name in columns], cells))
        blocks += [Line(f"{row['id']}: {_parts(row['explanation'])}", "dim") for row in rows if "explanation" in row]
    else:
        blocks.append(Line(say("nothing_found"), "dim"))
    return blocks


def _told(row: Mapping[str, Any], say: Speech) -> str:
    """The text, led by its origin or state where that is not the usual one."""
    usual = {"origin": "memory", "status": "current"}
    marks = [say.word(row[name]) for name, expected in usual.items() if row[name] != expected]
    return f"[{', '.join(marks)}] {row['text']}" if marks else str(row["text"])


def _parts(explanation: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {tidy(value)}" for name, value in explanation.items())


def _ingested(result: Any, say: Speech) -> list[Block]:
    """How many files came to what, then those that did not get in."""
    if "id" in result:
        return _saying("added")(result, say)
    counts = [(say.word(name), count) for name, count in result["counts"].items()]
    left = [row for row in result["files"] if row["status"] in ("failed", "skipped")]
    blocks: list[Block] = [table([say("col.status"), say("col.count")], counts)]
    if left:
        columns = [say("col.name"), say("col.reason"), say("col.status")]
        rows = [(row["path"], say.sentence(row["reason"] or ""), say.word(row["status"])) for row in left]
        blocks.append(table(columns, rows))
    return blocks


def _documents(result: Any, say: Speech) -> list[Block]:
    if not result["results"]:
        return [Line(say("nothing"), "dim")]
    columns = [say(name) for name in ("col.id", "col.name", "col.source", "col.count", "col.at")]
    rows = [(row["id"], row["title"], row["source"], row["chunks"], day(row["added_at"])) for row in result["results"]]
    more: list[Block] = [Line(say("truncated"), "dim")] if result["truncated"] else []
    return [table(columns, rows), *more]


def _records(result: Any, say: Speech) -> list[Block]:
    if not result["results"]:
        return [Line(say("nothing"), "dim")]
    columns = ("col.id", "col.text", "col.subject", "col.from", "col.to", "col.kind", "col.source")
    rows = [
        (
            row["id"],
            vouched(row),
            row["subject"],
            day(row["valid_from"]),
            day(row["valid_to"]),
            row["kind"] if row["kind"] != "fact" else "",
            row["source"],
        )
        for row in result["results"]
    ]
    more: list[Block] = [Line(say("truncated"), "dim")] if result["truncated"] else []
    return [table([say(name) for name in columns], rows), *more]


def _record(result: Any, say: Speech) -> list[Block]:
    """The text as it is, then what is known about it."""
    about = [
        (name, say.word(value) if name == "status" else _told_value(name, value))
        for name, value in result.items()
        if name not in ("text", "provenance", "metadata") and value not in (None, "", [], False, {})
    ]
    about += [(f"metadata.{name}", tidy(value)) for name, value in (result.get("metadata") or {}).items()]
    return [Line(harmless(str(result.get("text", "")))), _named(about, say)]


def _told_value(name: str, value: Any) -> str:
    return day(value) if name.endswith(("_at", "_from", "_to")) and isinstance(value, str) else tidy(value)


def _stats(result: Any, say: Speech) -> list[Block]:
    blocks: list[Block] = []
    for namespace, numbers in result.items():
        named = [(name, _told_value(_stat_kind(name), value)) for name, value in numbers.items()]
        blocks += [Line(tidy(namespace), "title"), _named(named, say)]
    return blocks or [Line(say("nothing"), "dim")]


def _stat_kind(name: str) -> str:
    return f"{name}_at" if name in ("oldest", "newest") else name


def _events(result: Any, say: Speech) -> list[Block]:
    if not result["results"]:
        return [Line(say("nothing"), "dim")]
    columns = ("col.at", "col.op", "col.targets", "col.actor", "col.door")
    rows = [
        (day(row["at"]), row["op"], _ids(row["targets"][:20]), row["actor"], row["door"]) for row in result["results"]
    ]
    return [table([say(name) for name in columns], rows, wide=2)]


def _conflicts(result: Any, say: Speech) -> list[Block]:
    rows = [(_ids(row["ids"]), say.sentence(row["reason"]), row["kind"], day(row["at"])) for row in result["results"]]
    columns = [say("col.targets"), say("col.reason"), say("col.kind"), say("col.at")]
    return [table(columns, rows)] if rows else [Line(say("nothing"), "dim")]


def _findings(result: Any, say: Speech) -> list[Block]:
    lines: list[Block] = [Line(harmless(say.sentence(finding)), "warn") for finding in result["findings"]]
    return lines or [Line(say("sound"), "good")]


def _head(result: Any, _say: Speech) -> list[Block]:
    return [Line(tidy(result["head"]))]


def _dumped(result: Any, say: Speech) -> list[Block]:
    if result["path"] is not None:
        return [Line(say("written", path=tidy(result["path"])), "good")]
    return [Line(harmless(result["text"] or "").rstrip("\n"))]


# -- anything else -----------------------------------------------------------------------------------------


def _anything(result: Any, say: Speech) -> list[Block]:
    """A list of objects as a table, an object as names and values."""
    if isinstance(result, Mapping):
        rows = next((value for value in result.values() if isinstance(value, list)), None)
        if rows and all(isinstance(row, Mapping) for row in rows):
            return [_of_rows(rows, say)]
        return [_named([(name, tidy(_flat(value))) for name, value in result.items()], say)]
    if isinstance(result, list):
        return [Line(tidy(_flat(item))) for item in result] or [Line(say("nothing"), "dim")]
    return [Line(say("done") if result is None else tidy(_flat(result)), "good")]


def _of_rows(rows: list[Any], say: Speech) -> Table:
    names = list(dict.fromkeys(name for row in rows for name in row))
    return table([say.word(name) for name in names], [[tidy(_flat(row.get(name))) for name in names] for row in rows])


def _flat(value: Any) -> Any:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {tidy(_flat(item))}" for name, item in value.items())
    return [_flat(item) for item in value] if isinstance(value, list) else value


def _named(rows: list[tuple[str, str]], say: Speech) -> Table:
    return table([say("col.name"), say("col.value")], [(say.word(name), value) for name, value in rows if value])


def _ids(ids: Iterable[Any]) -> str:
    return ", ".join(str(each) for each in ids)


VIEWS: Final[Mapping[str, View]] = {
    "remember": _remembered,
    "supersede": _remembered,
    "revise": _saying("revised"),
    "update": _updated,
    "forget": _forgotten,
    "purge": _purged,
    "restore": _changed("restored"),
    "reject": _saying("rejected"),
    "unreject": _changed("unrejected"),
    "confirm": _confirmed,
    "dispute": _saying("disputed"),
    "recall": _hits,
    "search": _hits,
    "list": _records,
    "get": _record,
    "document": _record,
    "timeline": timeline_view,
    "why": chain_view,
    "diff": diff_view,
    "stats": _stats,
    "document_stats": _stats,
    "audit": _events,
    "conflicts": _conflicts,
    "check": _findings,
    "verify": _findings,
    "rebuild": lambda result, say: [Line(say("rebuilt", n=result["entries"]), "good")],
    "repair": _repaired,
    "backup": _saying("written"),
    "convert": _saying("written"),
    "export": _saying("written"),
    "import": import_view,
    "merge": import_view,
    "dump": _dumped,
    "add": _saying("added"),
    "add_files": _ingested,
    "documents": _documents,
    "delete_document": _saying("done"),
    "update_document": _updated,
    "unalias_subject": _changed("done"),
    "rename_subject": _saying("done"),
    "alias_subject": _saying("done"),
    "exclusive": _saying("done"),
    "head": _head,
    "sleep": sleep_view,
    "native_import": native_import_view,
    "native_write": native_write_view,
    "proposals": proposals_view,
    "explain_proposal": proposal_view,
    "accept": decision_view,
    "refuse": decision_view,
    "history_save": conversations.saved_view,
    "history_list": conversations.segments_view,
    "sessions": conversations.sessions_view,
    "history_search": conversations.found_view,
    "history_grep": conversations.lines_view,
    "history_read": conversations.read_view,
    "history_status": conversations.status_view,
    "ingest": conversations.ingested_view,
    "retention_preview": conversations.retained_view,
    "retention_run": conversations.retained_view,
    "history_archive": _changed("history.archive.done"),
    "unarchive": _changed("history.restore.done"),
    "history_erase": _purged,
    "domains": conversations.domains_view,
    "choose_domains": conversations.chosen_view,
    "read": level_view,
    "trace": trace_view,
    "feedback": feedback_view,
    "remember_many": many_view,
    "context": context_view,
    "captures": captures_view,
    "injected": injected_view,
    "ack": _saying("hook.acknowledged"),
}
