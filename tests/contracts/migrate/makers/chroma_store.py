"""Makes a Chroma folder in argv[1] with Chroma itself (vectors made up), and prints what Chroma says is in it."""

import json
import os
import sys

os.environ |= {"ANONYMIZED_TELEMETRY": "False", "HOME": sys.argv[1]}

import chromadb  # noqa: E402

client = chromadb.PersistentClient(sys.argv[1] + "/chroma")
drawers = client.get_or_create_collection("drawers", embedding_function=None)
if len(sys.argv) > 2:
    drawers.add(ids=["d3"], documents=["said after the first import"], embeddings=[[0.0, 1.0]])
else:
    drawers.add(
        ids=["d1", "d2"], documents=["nous utilisons PostgreSQL", "東京オフィス"], embeddings=[[1.0, 0.0], [0.0, 1.0]],
        metadatas=[{"wing": "shop", "n": 3, "kept": True, "weight": 0.5}, {"filed_at": "2026-01-01T00:00:00+09:00"}],
    )
found = drawers.get()
print(json.dumps({"ids": found["ids"], "documents": found["documents"], "metadatas": found["metadatas"]}))
