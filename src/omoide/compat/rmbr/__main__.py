"""``python -m omoide.compat.rmbr PATH``: the MCP server, with rmbr's options."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from omoide.compat.rmbr.mcp_server import serve_mcp


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m omoide.compat.rmbr")
    parser.add_argument("path")
    parser.add_argument("--namespace", default="default")
    parser.add_argument("--read-only", action="store_true")
    given = parser.parse_args(arguments)
    serve_mcp(given.path, namespace=given.namespace, read_only=given.read_only)


if __name__ == "__main__":
    main()
