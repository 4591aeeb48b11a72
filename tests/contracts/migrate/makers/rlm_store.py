"""Makes an RLM folder in argv[1] with RLM itself, and prints what it says is in it."""

import json
import os
import sys
from pathlib import Path

folder = sys.argv[1] + "/context"
os.environ |= {"RLM_CONTEXT_DIR": folder, "RLM_PROJECT": "demo", "HOME": sys.argv[1], "TZ": "Asia/Tokyo"}
Path(folder).mkdir(parents=True, exist_ok=True)

from mcp_server.tools import memory, navigation, retention  # noqa: E402

if len(sys.argv) > 2:
    memory.remember("said after the first import", category="finding")
    navigation.chunk("a chunk of the second day", summary="late")
else:
    memory.remember("Alice préfère les tabulations", category="preference", importance="high", tags=["style"])
    memory.remember("認証はJWT", category="decision")
    navigation.chunk("# API v2\nWe use JWT in src/auth.py", summary="API v2", tags=["api"], domain="dev")
    navigation.chunk("Débogage du parseur\nFixed in parser.py", tags=["bug"], chunk_type="debug", ticket="AB-12")
    old = navigation.chunk("old gossip about nothing much\nsecond line", summary="old gossip")
    retention.archive_chunk(old["chunk_id"])
insights = json.loads(Path(folder, "session_memory.json").read_text(encoding="utf-8"))["insights"]
index = json.loads(Path(folder, "index.json").read_text(encoding="utf-8"))["chunks"]
archive = json.loads(Path(folder, "archive_index.json").read_text(encoding="utf-8"))["archives"]
print(json.dumps({"insights": insights, "chunks": index, "archived": archive}))
