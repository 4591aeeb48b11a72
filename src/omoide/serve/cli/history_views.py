"""How conversations are told to people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from omoide.serve.cli.blocks import Block, Line, day, harmless, table, tidy
from omoide.serve.messages.speech import Speech

_TIMES = ("oldest", "newest")


def saved_view(result: Any, say: Speech) -> list[Block]:
    """Return the id of what was saved, and what was masked in it."""
    lines: list[Block] = [Line(say("history.known" if result["known"] else "history.saved", id=result["id"]), "good")]
    return lines + _masked(result["masked"], say)


def _masked(found: Mapping[str, int], say: Speech) -> list[Block]:
    what = ", ".join(f"{kind} {count}" for kind, count in found.items())
    return [Line(say("history.masked", what=what), "warn")] if what else []


def segments_view(result: Any, say: Speech) -> list[Block]:
    """Return a table of segments."""
    rows = [
        (row["id"], row["summary"], row["project"], row["domain"], ", ".join(row["tags"]), _state(row, say),
         day(row["at"]))
        for row in result["results"]
    ]  # fmt: skip
    names = ("col.id", "col.summary", "col.project", "col.domain", "col.tags", "col.status", "col.at")
    more: list[Block] = [Line(say("truncated"), "dim")] if result["truncated"] else []
    return [table([say(name) for name in names], rows), *more] if rows else [Line(say("nothing"), "dim")]


def _state(row: Mapping[str, Any], say: Speech) -> str:
    if row["replaced_by"]:
        return f"→ {row['replaced_by']}"
    return say("history.archived") if row["archived"] else ""


def sessions_view(result: Any, say: Speech) -> list[Block]:
    """Return a table of sessions."""
    rows = [
        (row["id"], row["title"], row["host"], row["project"], row["turns"], row["segments"] or "",
         row["error"] or "", day(row["ended_at"] or row["started_at"] or row["added_at"]))
        for row in result["results"]
    ]  # fmt: skip
    names = (
        "col.id", "col.name", "col.host", "col.project", "col.turns", "col.segments", "col.reason", "col.at",
    )  # fmt: skip
    return [table([say(name) for name in names], rows)] if rows else [Line(say("nothing"), "dim")]


def found_view(result: Any, say: Speech) -> list[Block]:
    """Return a table of what was found, each where it stands; archived segments are marked."""
    rows = result["results"]
    if not rows:
        return [Line(say("nothing_found"), "dim")]
    cells = [
        (row["id"], _shown(row, say), _place(row, say), row["project"], day(row["valid_from"]), row["score"])
        for row in rows
    ]
    names = ("col.id", "col.text", "col.place", "col.project", "col.at", "col.score")
    blocks: list[Block] = [table([say(name) for name in names], cells)]
    if any(row["status"] == "archived" for row in rows):
        blocks.append(Line(say("history.restore"), "dim"))
    return blocks


def _shown(row: Mapping[str, Any], say: Speech) -> str:
    mark = f"[{say('history.archived')}] " if row["status"] == "archived" else ""
    role = row["metadata"].get("role")
    return f"{mark}{role}: {row['text']}" if role else f"{mark}{row['text']}"


def _place(row: Mapping[str, Any], say: Speech) -> str:
    about = row["metadata"]
    if "turn" in about:
        return f"{about['turn']}/{about['turns']}"
    if "lines" in about:
        return say("history.lines", first=about["line_from"], last=about["line_to"], of=about["lines"])
    return ""


def lines_view(result: Any, say: Speech) -> list[Block]:
    """Return the lines that matched, with their neighbours."""
    blocks: list[Block] = []
    for row in result["results"]:
        head = f"{row['id']}:{row['line']}" + (f"  {row['score']:.0f}" if row["score"] < 100 else "")
        mark = f"  {say('history.archived')}" if row["archived"] else ""
        blocks.append(Line(tidy(head + mark), "title"))
        blocks += [Line(f"  {harmless(text)}", "dim") for text in row["before"]]
        blocks.append(Line(f"> {harmless(row['text'])}"))
        blocks += [Line(f"  {harmless(text)}", "dim") for text in row["after"]]
    if not blocks:
        return [Line(say("history.nothing", n=result["searched"]), "dim")]
    if result["truncated"]:
        blocks.append(Line(say("history.more", shown=len(result["results"]), total=result["total"]), "warn"))
    return blocks


def read_view(result: Any, say: Speech) -> list[Block]:
    """Return a text as it is, which part of the whole it is, and how to go on."""
    mark = f"  {say('history.archived')}" if result["archived"] else ""
    blocks: list[Block] = [Line(f"{tidy(result['id'])}  {tidy(result['place'])}{mark}", "title")]
    blocks.append(Line(harmless(result["text"])))
    if result["rest"] is not None:
        blocks.append(Line(say("history.rest", id=tidy(result["id"]), start=result["rest"]), "dim"))
    return blocks


def ingested_view(result: Any, say: Speech) -> list[Block]:
    """Return how many records came in, what was masked, what failed and why, and how to take it back."""
    line = say("history.ingested", new=result["new"], turns=result["turns"], known=result["known"])
    blocks: list[Block] = [Line(line, "good")]
    masked: dict[str, int] = {}
    for file in result["files"]:
        for kind, count in file["masked"].items():
            masked[kind] = masked.get(kind, 0) + count
    blocks += _masked(masked, say)
    left = [
        (file["path"], say.sentence(file["reason"] or ""))
        for file in result["files"]
        if file["status"] in ("failed", "purged")
    ]
    if left:
        blocks += [Line(say("history.failed"), "warn"), table([say("col.name"), say("col.reason")], left)]
    return blocks + ([Line(say("history.batch", batch=result["batch"]), "dim")] if result["batch"] else [])


def status_view(result: Any, say: Speech) -> list[Block]:
    """Return the coverage of each namespace, then what failed."""
    blocks: list[Block] = []
    for name, counts in result.items():
        blocks.append(Line(tidy(name), "title"))
        rows = [
            (say.word(key), day(value) if key in _TIMES else tidy(value))
            for key, value in counts.items()
            if not isinstance(value, list | dict) and value not in (None, "")
        ]
        blocks.append(table([say("col.name"), say("col.value")], rows))
        failed = [(each["path"], say.sentence(each["reason"] or ""), day(each["at"])) for each in counts["failed"]]
        if failed:
            columns = [say("col.name"), say("col.reason"), say("col.at")]
            blocks += [Line(say("history.failed"), "warn"), table(columns, failed)]
    return blocks or [Line(say("nothing"), "dim")]


def retained_view(result: Any, say: Speech) -> list[Block]:
    """Return what retention did or would do, and why the rest is kept."""
    blocks: list[Block] = []
    titles = (
        ("archived", "history.would" if result["dry_run"] else "history.did"),
        ("erased", "history.would_erase" if result["dry_run"] else "history.erased"),
    )
    for part, title in titles:
        if result[part]:
            rows = [(name, _reason(result["reasons"].get(name, ""), say)) for name in result[part]]
            blocks += [Line(say(title), "title"), table([say("col.id"), say("col.reason")], rows)]
    kept = ", ".join(f"{_reason(reason, say)} {count}" for reason, count in result["kept"].items())
    if kept:
        blocks.append(Line(say("history.kept", what=kept), "dim"))
    return blocks or [Line(say("nothing"), "dim")]


def _reason(reason: str, say: Speech) -> str:
    word = say.word(reason)
    return say.sentence(reason) if word == reason else word


def domains_view(result: Any, say: Speech) -> list[Block]:
    """Return a table of domains."""
    rows = [(row["domain"], row["count"] or "") for row in result["results"]]
    return [table([say("col.domain"), say("col.count")], rows, wide=0)] if rows else [Line(say("nothing"), "dim")]


def chosen_view(result: Any, say: Speech) -> list[Block]:
    """Return which domains a project has from now on."""
    key = "history.domains.set" if result["names"] else "history.domains.any"
    return [Line(say(key, project=tidy(result["project"]), names=tidy(result["names"])), "good")]
