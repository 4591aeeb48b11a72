"""Makes a mem0 store in argv[1] with mem0 itself (no model: texts as they are), and prints what mem0 says is in it."""

import hashlib
import json
import os
import sys

folder = sys.argv[1]
os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": folder, "OPENAI_API_KEY": "unused", "HOME": folder}

from mem0 import Memory  # noqa: E402
from mem0.utils.factory import EmbedderFactory, LlmFactory  # noqa: E402


class Hashed:
    """An embedder that needs no model."""

    config = type("Config", (), {"embedding_dims": 8})()

    def embed(self, text, action=None):
        return [byte / 255 for byte in hashlib.sha256(text.encode()).digest()[:8]]

    def embed_batch(self, texts, action=None):
        return [self.embed(text) for text in texts]


EmbedderFactory.create = staticmethod(lambda *a, **k: Hashed())
LlmFactory.create = staticmethod(lambda *a, **k: object())
store = {"path": f"{folder}/qdrant", "on_disk": True, "embedding_model_dims": 8, "collection_name": "mem0"}
memory = Memory.from_config(
    {"vector_store": {"provider": "qdrant", "config": store}, "history_db_path": f"{folder}/history.db"}
)
if len(sys.argv) > 2:
    known = memory.get_all(filters={"user_id": "alex"})["results"][0]
    memory.update(known["id"], "likes oolong")
    memory.add("added later", user_id="alex", infer=False)
else:
    first = memory.add("likes tea", user_id="alex", infer=False, metadata={"cat": "drinks"})["results"][0]["id"]
    memory.update(first, "likes green tea")
    gone = memory.add("habite à Paris", user_id="alex", infer=False)["results"][0]["id"]
    memory.add("東京に住んでいる", user_id="yuki", agent_id="bot", infer=False)
    memory.delete(gone)
alex, yuki = (memory.get_all(filters={"user_id": name})["results"] for name in ("alex", "yuki"))
with open(f"{folder}/alex.json.export", "w", encoding="utf-8") as file:
    json.dump({"results": alex}, file)
history = {item["id"]: memory.history(item["id"]) for item in alex + yuki}
memory.vector_store.client.close()
memory.close()
print(json.dumps({"alex": alex, "yuki": yuki, "history": history}))
