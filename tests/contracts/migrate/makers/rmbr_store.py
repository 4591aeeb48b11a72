"""Makes an rmbr store in argv[1] with rmbr itself, and prints what rmbr says is in it."""

import json
import sys

from rmbr import Index, Memory, Policy
from rmbr.embed import FakeEmbedder

path = sys.argv[1] + "/rmbr.db"
embedder = FakeEmbedder(dimension=32)
grow = len(sys.argv) > 2
memory = Memory(path, "assistant", embedder=embedder, policy=Policy.open())
if grow:
    memory.remember("said after the first import")
    memory.update(2, text="habite à Lyon")
else:
    memory.remember("likes green tea", metadata={"n": 1, "deep": {"x": ["é", None]}})
    memory.remember("habite à Paris", pinned=True)
    memory.remember_turn("user", "東京に住んでいる", session_id="s1")
    memory.forget(memory.remember("forgotten there"))
    memory.update(1, text="likes black tea")
    with Index(path, namespace="assistant", embedder=embedder) as index:
        index.add_text(
            "# Deploy\n\nRun make deploy.\n\n## Rollback\n\nRun make rollback.", source="docs/deploy.md",
            metadata={"team": "ops"}, splitter="markdown",
        )
rows = [{"id": r.id, "text": r.text, "metadata": r.metadata, "at": r.created_at} for r in memory.list()]
with Index(path, namespace="assistant", embedder=embedder) as index:
    stats = index.stats()["assistant"]
memory.close()
print(json.dumps({"memories": rows, "documents": stats["documents"], "chunks": stats["chunks"]}))
