"""What hooks accepted and what became of it: accepted, pending, stored, failed.

A record is one file in the inbox, made whole under another name first. It leaves the inbox only after the store has
what it names, so that a kill at any point leaves it there. What happened to it is a line of the ledger.
"""

from __future__ import annotations

import json
import os

from omoide.beside import lines
from omoide.beside.places import INBOX, LEDGER, place, ready, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Row = dict[str, Any]

MOST_LEDGER = 4 << 20
KEPT = ("session", "host", "moment", "transcript", "position", "namespace")
FIELDS = ("session", "host", "moment", "state", "at", "transcript", "tries", "new", "turns", "masked", "reason")


def key_of(record: Row) -> str:
    """Return what two hooks that fire for one thing have in common: session, moment and place in the transcript."""
    parts = (record.get("session") or "none", record["moment"], record.get("position", 0), record.get("agent") or "")
    return safe("-".join(str(part) for part in parts if part != ""))


def accept(store: str, record: Row) -> bool:
    """Keep a record durably; return whether it is new in the inbox.

    Raises:
        OSError: it cannot be written.
    """
    file = os.path.join(ready(place(store, INBOX)), key_of(record) + ".json")
    if os.path.exists(file):
        return False
    lines.write(file, json.dumps(record, ensure_ascii=True), durable=True)
    return True


def inbox(store: str) -> list[tuple[str, Row]]:
    """Return the records that wait, oldest first, each with its key; a file that does not parse is an empty record."""
    folder = place(store, INBOX)
    try:
        names = [name for name in os.listdir(folder) if name.endswith(".json")]
    except OSError:
        return []
    found = [(name[:-5], lines.load(os.path.join(folder, name))) for name in names]
    return sorted(found, key=lambda item: (str(item[1].get("at", "")), item[0]))


def done(store: str, key: str) -> None:
    """Take a record out of the inbox."""
    lines.drop(place(store, INBOX, key + ".json"))


def note(store: str, key: str, record: Row, state: str, at: str, **more: Any) -> None:
    """Write what became of a record."""
    kept: Row = {name: record[name] for name in KEPT if name in record}
    path = os.path.join(ready(place(store)), LEDGER)
    lines.append(path, {"key": key, **kept, "state": state, "at": at, **more})


def tries(store: str) -> dict[str, int]:
    """Return how often each record that waits was begun; what is settled may be asked for again from the start."""
    found = [line for line in lines.read(place(store, LEDGER)) if "key" in line]
    return {line["key"]: int(line.get("tries", 0)) if line.get("state") == "pending" else 0 for line in found}


def settled(store: str) -> set[tuple[str, int]]:
    """Return the transcripts, each with its size, that wait or that were given up: not to be begun once more."""
    lost = [line for line in lines.read(place(store, LEDGER)) if line.get("state") == "failed"]
    found = [*lost, *(record for _, record in inbox(store))]
    return {(str(each.get("transcript", "")), int(each.get("position", 0))) for each in found}


def captures(store: str, namespace: str = "default") -> list[Row]:
    """Return every capture that is known for a namespace, the latest first."""
    known: dict[str, Row] = {}
    for line in lines.read(place(store, LEDGER)):
        if "key" in line and "state" in line:
            known.pop(line["key"], None)
            known[line["key"]] = line
    for key, record in inbox(store):
        before = known.get(key)
        if before is None or before["state"] != "pending":
            known[key] = {**record, "state": "accepted"}
    mine = [row for row in known.values() if row.get("namespace", "default") == namespace]
    rows = [{name: row.get(name) for name in FIELDS} for row in mine]
    return sorted(rows, key=lambda row: str(row["at"] or ""), reverse=True)
