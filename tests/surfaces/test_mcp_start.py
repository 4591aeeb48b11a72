"""What an MCP server loads before it answers the first request: the SDK, and little else."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

LATER = (
    "numpy",
    "apsw",
    "onnxruntime",
    "rich",
    "yaml",
    "omoide.types",
    "omoide.memory",
    "omoide.store",
    "omoide.search",
)
LOADED = """
import json, sys
from omoide.serve.mcp.build import build_mcp_server
server = build_mcp_server(sys.argv[1], tools="full")
print(json.dumps(sorted(sys.modules)))
"""


def test_a_server_is_built_without_what_only_its_store_needs(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED, str(tmp_path / "agents.db")], check=True, capture_output=True, text=True
    )
    loaded = set(json.loads(done.stdout))
    assert "mcp.server.mcpserver" in loaded
    assert loaded.isdisjoint(LATER)
    ours = [name for name in loaded if name.startswith("omoide")]
    assert len(ours) < 60, sorted(ours)
