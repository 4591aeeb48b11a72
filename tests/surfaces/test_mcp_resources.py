"""Resources of the MCP door: single memories, and examples whose code runs."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from omoide import Memory
from omoide.serve.mcp import build_mcp_server
from omoide.serve.mcp.resources import PATTERNS, text_of_example


@pytest.fixture
def server(db: Path) -> Any:
    with Memory(db, embedder="none") as memory:
        memory.remember("lives in Osaka", source="chat")
    with Memory(db, "other", embedder="none") as memory:
        memory.remember("not for everybody")
    return build_mcp_server(db, embedder="none")


def read(server: Any, uri: str) -> str:
    async def run() -> str:
        async with Client(server) as client:
            (content,) = (await client.read_resource(uri)).contents
            return str(getattr(content, "text", ""))

    return asyncio.run(run())


def refused(server: Any, uri: str) -> int:
    """Return the code of the error that reading a resource is."""

    async def run() -> int:
        async with Client(server) as client:
            try:
                await client.read_resource(uri)
            except MCPError as error:
                return error.error.code
        return 0

    return asyncio.run(run())


def test_a_memory_has_an_address(server: Any) -> None:
    text = read(server, "omoide://memory/1")
    assert "> lives in Osaka" in text
    assert "source=chat" in text


@pytest.mark.parametrize("id", ["2", "99", "x", "-1", "1.0", "9" * 30, "1%2F2"])
def test_what_is_not_in_this_namespace_is_not_found(server: Any, id: str) -> None:
    assert refused(server, f"omoide://memory/{id}") == -32602


def test_the_examples_are_listed(server: Any) -> None:
    text = read(server, "omoide://examples")
    assert all(f"omoide://examples/{name}" in text for name in PATTERNS)


@pytest.mark.parametrize("name", PATTERNS)
def test_an_example_is_read(server: Any, name: str) -> None:
    assert read(server, f"omoide://examples/{name}").startswith("# ")


def test_an_unknown_example_says_what_there_is(server: Any) -> None:
    assert "omoide://examples/basic-memory" in read(server, "omoide://examples/nope")


def test_the_names_of_examples_are_completed(server: Any) -> None:
    async def run() -> list[str]:
        async with Client(server) as client:
            reference = types.ResourceTemplateReference(type="ref/resource", uri="omoide://examples/{pattern}")
            return (await client.complete(reference, {"name": "pattern", "value": "time"})).completion.values

    assert asyncio.run(run()) == ["time-travel"]


@pytest.mark.parametrize("name", PATTERNS)
def test_the_code_of_an_example_runs_as_it_is(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keyword search stands in for the model, which the examples do not depend on."""
    code = "\n".join(re.findall(r"```python\n(.*?)```", text_of_example(name), re.DOTALL))
    assert "assert" in code
    monkeypatch.chdir(tmp_path)
    code = code.replace('namespace="', 'embedder="none", namespace="')
    exec(compile(code, name, "exec"), {})  # noqa: S102 - our own text
