"""Makes a store of mcp-memory-service in argv[1] with its own storage class, and prints what it says is in it."""

import asyncio
import hashlib
import json
import os
import sys

try:
    import pysqlite3

    sys.modules["sqlite3"] = pysqlite3  # its vector extension needs a SQLite that loads extensions
except ImportError:
    pass
folder = sys.argv[1]
os.environ |= {"MCP_MEMORY_BASE_DIR": f"{folder}/base", "HOME": folder}

from mcp_memory_service.models.memory import Memory  # noqa: E402
from mcp_memory_service.storage.graph import GraphStorage  # noqa: E402
from mcp_memory_service.storage.sqlite_vec import SqliteVecMemoryStorage  # noqa: E402
from mcp_memory_service.utils.hashing import generate_content_hash  # noqa: E402


async def no_model(self):
    self.embedding_model, self.embedding_dimension = object(), 384


SqliteVecMemoryStorage._initialize_embedding_model = no_model
SqliteVecMemoryStorage._generate_embedding = lambda self, text: [
    byte / 255 for byte in hashlib.sha256(text.encode()).digest() * 12
]


async def main():
    storage = SqliteVecMemoryStorage(f"{folder}/sqlite_vec.db")
    await storage.initialize(strict_dimension_check=False)
    storage.semantic_dedup_enabled = False

    async def put(text, **more):
        made = Memory(content=text, content_hash=generate_content_hash(text), **more)
        done, why = await storage.store(made)
        assert done, why
        return made.content_hash

    if len(sys.argv) > 2:
        await put("said after the first import", tags=["late"])
    else:
        noon = await put("the deploy runs at noon", tags=["ops"], memory_type="decision", metadata={"who": "ann"},
                         created_at=1700000000.5)
        gone = await put("nous utilisons PostgreSQL", tags=["db"])
        office = await put("東京オフィスは渋谷にある", tags=["office"])
        assert (await storage.update_memory_versioned(noon, "the deploy runs at three"))[0]
        assert (await storage.delete(gone))[0]
        graph = GraphStorage(storage.db_path)
        three = generate_content_hash("the deploy runs at three")
        assert await graph.store_association(office, three, 0.5, ["semantic"], {})
    rows = [
        {"hash": m.content_hash, "text": m.content, "tags": m.tags, "at": m.created_at, "metadata": m.metadata}
        for m in await storage.get_all_memories()
    ]
    await storage.close()
    print(json.dumps(rows))


asyncio.run(main())
