"""ChatGPT exports (JSON or ZIP): conversations, each a tree of messages of which one path is the one shown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from omoide.transcripts.elements import array_start, compact, elements_of
from omoide.transcripts.jsonl import JsonDict, decoded
from omoide.transcripts.parts import clean, fields, items, joined, known, leaves, moment, title_of
from omoide.transcripts.sniff import Sample
from omoide.transcripts.values import Kind, Position, Reading, Record, Session, place_all

HOST = "chatgpt"

ROLES = frozenset({"user", "assistant", "tool"})
THOUGHTS = frozenset({"thoughts", "reasoning_recap"})


def recognises(sample: Sample) -> bool:
    """Tell whether a file is an export of conversations."""
    text = sample.inner_text
    return '"mapping"' in text and '"author"' in text and array_start(sample.path, None) is not None


def read(path: Path, start: Position) -> Iterator[Record]:
    """Yield a record for every conversation's head and every node of its tree, in the order of the tree."""
    first, before = start.offset or array_start(path, None), start
    for element in elements_of(path, first) if first is not None else ():
        value = decoded(element.raw)
        name = None if isinstance(value, str) else _name(value)
        records = place_all(_readings(value, element.raw), element.raw, element.start, element.end, before, name)
        for record in records:
            before = record.after
            yield record


def _name(conversation: JsonDict) -> str | None:
    return known(conversation.get("conversation_id")) or known(conversation.get("id"))


def _readings(value: JsonDict | str, raw: bytes) -> list[tuple[Reading, bytes]]:
    if isinstance(value, str):
        return [(Reading("broken", "broken", note=value), raw)]
    nodes = fields(value.get("mapping"))
    head = {name: inner for name, inner in value.items() if name != "mapping"}
    at, shown = moment(value.get("create_time")), _shown(nodes, value.get("current_node"))
    first = Reading("event", "conversation", "system", clean(value.get("title")), at, _name(value), note="title")
    ordered = [(understand(nodes[name], shown=name in shown), compact({name: nodes[name]})) for name in _order(nodes)]
    return [(first, compact(head)), *ordered]


def _shown(nodes: JsonDict, last: object) -> set[str]:
    """Return the names of the nodes on the path that ends at ``last``; all of them when it leads nowhere."""
    path: set[str] = set()
    name = last
    while isinstance(name, str) and name in nodes and name not in path:
        path.add(name)
        name = fields(nodes[name]).get("parent")
    return path or set(nodes)


def _order(nodes: JsonDict) -> list[str]:
    """Return all names, parents before children, roots in their order."""
    seen: dict[str, None] = {}
    waiting = [name for name in reversed(nodes) if fields(nodes[name]).get("parent") not in nodes]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen[name] = None
            children = items(fields(nodes[name]).get("children"))
            waiting += [child for child in reversed(children) if isinstance(child, str) and child in nodes]
    return [*seen, *(name for name in nodes if name not in seen)]


def understand(node: object, *, shown: bool = True) -> Reading:
    """Return what one node says; a message of a path that was left is a turn with a note."""
    parent, message = known(fields(node).get("parent")), fields(fields(node).get("message"))
    if not message:
        return Reading("event", "node", "system", key=known(fields(node).get("id")), parent=parent)
    role, content = clean(fields(message.get("author")).get("role")), fields(message.get("content"))
    at, key, text = moment(message.get("create_time")), known(message.get("id")), content_text(content)
    hidden = bool(fields(message.get("metadata")).get("is_visually_hidden_from_conversation"))
    said = role in ROLES and bool(text) and not hidden and content.get("content_type") not in THOUGHTS
    note = "" if shown else "other branch"
    tool = known(fields(message.get("author")).get("name")) if role == "tool" else None
    kind: Kind = "turn" if said else "event"
    return Reading(kind, role or "untyped", role or "system", text, at, key, parent, tool, note)


def content_text(content: JsonDict) -> str:
    """Return the texts of a content: its parts, its code, or its result; pictures have none."""
    parts = [clean(part) or clean(fields(part).get("text")) for part in items(content.get("parts"))]
    named = [clean(content.get(name)) for name in ("text", "result", "content")]
    return joined([*parts, *named, *leaves(content.get("thoughts"))])


def sessions(path: Path) -> Iterator[Session]:
    """Yield the conversations of an export."""
    first = array_start(path, None)
    for element in elements_of(path, first) if first is not None else ():
        value = decoded(element.raw)
        if not isinstance(value, str) and (name := _name(value)):
            title, at = title_of(clean(value.get("title"))), moment(value.get("create_time"))
            yield Session(HOST, name, title=title, started=at)
