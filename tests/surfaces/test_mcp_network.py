"""The MCP server over streamable HTTP: the same guard as the HTTP door, the rights of each token."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from starlette.testclient import TestClient
from tests.surfaces.doors import HOST, bearer, free_port, process, wait_for_port

from omoide.errors import ConfigurationError
from omoide.serve.mcp import build_mcp_server, serve_mcp
from omoide.serve.mcp.network import guarded
from omoide.serve.tokens import Keyring

SERVE = """
import json, sys
from omoide import serve_mcp
serve_mcp(sys.argv[1], transport="http", **{"embedder": "none", **json.loads(sys.argv[2])})
"""
INITIALIZE = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}  # fmt: skip
ACCEPT = {"accept": "application/json, text/event-stream"}
ONE, OTHER = "first-secret-token", "second-secret-token"


@contextmanager
def calling(path: Path, keyring: Keyring) -> Iterator[TestClient]:
    app = guarded(build_mcp_server(path, embedder="none"), keyring)
    with TestClient(app, base_url=HOST, headers=ACCEPT) as client:
        yield client


def test_a_name_that_was_pointed_here_and_a_foreign_page_are_refused(db: Path) -> None:
    with calling(db, Keyring()) as client:
        for headers in ({"host": "evil.example"}, {"origin": "https://evil.example"}):
            assert client.post("/mcp", json=INITIALIZE, headers=headers).status_code == 403
        assert client.post("/mcp", json=INITIALIZE).status_code == 200


def test_without_its_token_nobody_comes_in(db: Path) -> None:
    with calling(db, Keyring(ONE)) as client:
        assert client.post("/mcp", json=INITIALIZE).status_code == 401
        assert client.post("/mcp", json=INITIALIZE, headers=bearer(OTHER)).status_code == 401
        assert client.post("/mcp", json=INITIALIZE, headers=bearer(ONE)).status_code == 200


def test_what_is_not_json_or_too_large_is_refused(db: Path) -> None:
    with calling(db, Keyring()) as client:
        plain = client.post("/mcp", content=json.dumps(INITIALIZE), headers={"content-type": "text/plain"})
        assert 400 <= plain.status_code < 500
        large = client.post("/mcp", content=b"x" * 9_000_000, headers={"content-type": "application/json"})
        assert large.status_code == 413


def test_an_unknown_transport_is_refused(db: Path) -> None:
    with pytest.raises(ConfigurationError, match="stdio or http"):
        serve_mcp(db, transport="carrier pigeon")  # type: ignore[arg-type]


def test_beyond_this_machine_a_token_is_needed(db: Path) -> None:
    with pytest.raises(ConfigurationError, match="without a token"):
        serve_mcp(db, transport="http", host="192.0.2.7", port=0)


@pytest.fixture
def port(db: Path, tmp_path: Path) -> Iterator[int]:
    tokens = tmp_path / "tokens.toml"
    tokens.write_text(
        f'[[token]]\ntoken = "{ONE}"\nactor = "alice"\ntrust = "stated"\n'
        f'[[token]]\ntoken = "{OTHER}"\nnamespace = "team"\nread_only = true\n',
        encoding="utf-8",
    )
    chosen = free_port()
    with process(SERVE, str(db), json.dumps({"port": chosen, "token_file": str(tokens), "tools": "full"})):
        wait_for_port(chosen)
        yield chosen


@pytest.mark.parametrize("mode", ["2026-07-28", "legacy"])
def test_a_client_has_the_rights_of_its_token(port: int, mode: Any) -> None:
    async def scene(token: str, *calls: tuple[str, dict[str, Any]]) -> list[Any]:
        async with httpx2.AsyncClient(headers=bearer(token), timeout=60) as http:
            transport = streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=http)
            async with Client(transport, mode=mode) as client:
                return [await client.call_tool(name, arguments) for name, arguments in calls]

    remember = ("remember", {"text": "lives in Osaka", "subject": "user"})
    made, seen = asyncio.run(scene(ONE, remember, ("get", {"id": 1})))
    assert not made.is_error
    record = seen.structured_content["result"]
    assert (record["trust"], record["provenance"]["actor"]) == ("stated", "alice")
    refused, hidden = asyncio.run(scene(OTHER, remember, ("recall", {"query": "Osaka"})))
    assert refused.is_error
    assert "access_denied" in refused.content[0].text
    assert hidden.structured_content["result"] == []
