"""The short way of a tool call: what it answers is what the SDK's long way answers, and the odd ones take that."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from omoide.serve.mcp import build_mcp_server
from omoide.serve.mcp.direct import Direct
from omoide.testing import FakeClock

CHANCE = frozenset({"uid", "version_uid", "bytes", "timings"})
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("remember", {"text": "lives in 大阪", "subject": "user", "tags": ["home"], "metadata": {"n": 1}}),
    ("remember", {"text": "Il habite à Paris.", "source": "session:1"}),
    ("recall", {"query": "大阪", "k": "3"}),
    ("recall", {"query": "", "k": 2}),
    ("revise", {"id": 1, "text": "lives in Tokyo"}),
    ("why", {"id": 1}),
    ("diff", {"since": "2020-01-01"}),
    ("stats", {}),
    ("list", {"limit": 1}),
    ("get", {"id": 99}),
    ("get", {"id": "x"}),
    ("remember", {"text": " "}),
    ("recall", {"namespace": "other"}),
]


def direct_of(server: Any) -> Any:
    (direct,) = [one for one in server._lowlevel_server.middleware if isinstance(one, Direct)]
    return direct


def answers(path: Path, mode: str, *, long: bool) -> Any:
    """Return what a client is answered to the calls, apart from what differs from store to store."""
    server = build_mcp_server(path, embedder="none", tools="full", clock=FakeClock("2026-06-01T00:00:00Z"))
    direct = direct_of(server)
    assert {name for name, _ in CALLS} <= direct._tools.keys()
    if long:
        direct._tools.clear()

    async def run() -> list[Any]:
        async with Client(server, mode=mode) as client:
            found = [await client.call_tool(name, arguments) for name, arguments in CALLS]
        return [one.model_dump(mode="json", by_alias=True) for one in found]

    return without_chance(asyncio.run(run()))


def without_chance(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: without_chance(item) for name, item in value.items() if name not in CHANCE}
    return [without_chance(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("mode", ["2026-07-28", "legacy"])
def test_both_ways_answer_alike(tmp_path: Path, mode: str) -> None:
    short = answers(tmp_path / "short.db", mode, long=False)
    assert short == answers(tmp_path / "long.db", mode, long=True)
    assert [one["isError"] for one in short] == [False] * 9 + [True] * 4


@pytest.mark.parametrize("name", ["forget", "purge"])
def test_a_tool_that_may_ask_a_person_takes_the_long_way(db: Path, name: str) -> None:
    direct = direct_of(build_mcp_server(db, embedder="none", tools="full"))
    assert name not in direct._tools
    assert "recall" in direct._tools
