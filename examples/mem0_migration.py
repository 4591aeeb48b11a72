"""From mem0 to omoide: take in what mem0 kept, then run the same calls on one file, without a server or a key.

``export.json`` stands for what ``Memory.get_all`` of mem0 returned, written to a file; ``import_into`` also reads
mem0's own history and vector store (docs/migration.md).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agent_loop import run, title
from omoide import Policy
from omoide.integrations.mem0_compat import Memory  # was: from mem0 import Memory
from omoide.migrate.face import Migration

EXPORT = {
    "results": [
        {"id": "5c1d6a2e-0001", "memory": "Likes green tea", "user_id": "alice", "metadata": {"topic": "drinks"},
         "created_at": "2025-11-02T10:00:00+00:00", "updated_at": "2025-11-02T10:00:00+00:00"},
        {"id": "5c1d6a2e-0002", "memory": "Habite à Lyon", "user_id": "alice", "agent_id": "desk",
         "created_at": "2025-12-01T10:00:00+00:00", "updated_at": "2026-01-05T10:00:00+00:00"},
        {"id": "5c1d6a2e-0003", "memory": "東京に出張する", "user_id": "bob",
         "created_at": "2026-01-20T10:00:00+00:00", "updated_at": "2026-01-20T10:00:00+00:00"},
    ]
}  # fmt: skip


def main(folder: Path, embedder: Any = None) -> None:
    export, store = folder / "export.json", folder / "agents.db"
    export.write_text(json.dumps(EXPORT, ensure_ascii=False), encoding="utf-8")

    title("Look first, then take it in; a second time adds nothing")
    with Migration(store, policy=Policy.open(), embedder=embedder, door="mem0") as migration:
        for dry_run in (True, False, False):
            report = migration.import_from(export, "mem0", dry_run=dry_run)
            print(f"    {'would take in' if dry_run else 'took in'} {len(report.added)} of {report.read}")

    title("The calls are those of mem0")
    memory = Memory(store, embedder=embedder)
    for row in memory.get_all(filters={"user_id": "alice"})["results"]:
        print(f"    {row['memory']} {row['metadata'] or ''}")
    found = memory.search("tea", filters={"user_id": "alice"}, threshold=0.0)["results"][0]
    memory.update(found["id"], text="Likes green tea, and coffee in the morning")
    memory.add([{"role": "user", "content": "J'ai déménagé à Paris"}], user_id="alice", infer=False)
    for event in memory.history(found["id"]):
        print(f"    {event['event']}: {event['old_memory']} -> {event['new_memory']}")

    title("What needs a language model says so")
    try:
        memory.add("I prefer trains to planes", user_id="alice")
    except NotImplementedError as error:
        print(f"    {error}")

    title("Other users stay apart")
    print(f"    bob: {[row['memory'] for row in memory.get_all(filters={'user_id': 'bob'})['results']]}")
    memory.close()


if __name__ == "__main__":
    run(main)
