"""A list and a diff leave nothing out: what nobody vouches for is in them, says so, and can be left out."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from tests.features.conftest import Opener

from omoide import Memory, ops
from omoide.errors import InvalidInputError
from omoide.serve.mcp import build_mcp_server

SINCE = "2025-01-01"


@pytest.fixture
def mem(opened: Opener) -> Memory:
    made = opened()
    made.remember("the gate code is 1234", subject="office", source="web:https://example.org")
    made.remember("the gate is blue", subject="office")
    return made


def test_a_record_and_a_version_say_how_far_they_are_trusted(mem: Memory) -> None:
    assert [(each.id, each.trust) for each in mem.list()] == [(2, "observed"), (1, "untrusted")]
    assert [(each.memory_id, each.trust) for each in mem.diff(SINCE).learned] == [(1, "untrusted"), (2, "observed")]


@pytest.mark.parametrize("trust, ids", [(None, [2, 1]), ("untrusted", [2, 1]), ("derived", [2]), (["untrusted"], [1])])
def test_a_list_can_ask_for_more_trust(mem: Memory, trust: Any, ids: list[int]) -> None:
    assert [each.id for each in mem.list(trust=trust)] == ids


def test_as_many_as_asked_for_come_back_whatever_else_is_there(mem: Memory) -> None:
    for number in range(5):
        mem.remember(f"page {number} says so", trust="untrusted")
    assert [each.id for each in mem.list(trust="observed", limit=1)] == [2]


def test_a_diff_can_ask_for_more_trust(mem: Memory) -> None:
    mem.revise(1, "the gate code is 4321")
    mem.revise(2, "the gate is red")
    mem.forget(1)
    told = mem.diff(SINCE, trust="observed")
    assert [each.memory_id for each in told.learned] == [2]
    assert [pair.new.text for pair in told.revised] == ["the gate code is 4321", "the gate is red"]
    assert [each.memory_id for each in told.retracted] == [1]  # an observed revision stood there last
    assert [each.memory_id for each in mem.diff(SINCE, trust=["untrusted"]).learned] == []


def test_a_level_that_is_none_is_refused(mem: Memory) -> None:
    with pytest.raises(InvalidInputError, match="trust"):
        mem.list(trust="divine")
    with pytest.raises(InvalidInputError, match="trust"):
        mem.diff(SINCE, trust="divine")


@pytest.mark.parametrize("language", ["en", "fr", "ja"])
def test_a_diff_told_to_people_marks_it(mem: Memory, language: str) -> None:
    told = mem.diff_text(SINCE, language=language).splitlines()
    assert [line for line in told if "[untrusted]" in line] == [line for line in told if "1234" in line]
    assert sum("1234" in line for line in told) == 1


@pytest.fixture
def faces(tmp_path: Path) -> Iterator[ops.Faces]:
    with ops.Faces(str(tmp_path / "agents.db"), embedder="none") as made:
        made("memory").remember("the gate code is 1234", subject="office", trust="untrusted")
        made("memory").remember("the gate is blue", subject="office")
        yield made


def test_the_operations_take_the_same_argument(faces: ops.Faces) -> None:
    assert [row["trust"] for row in ops.run(faces, "list", {})["results"]] == ["observed", "untrusted"]
    assert [row["id"] for row in ops.run(faces, "list", {"trust": "observed"})["results"]] == [2]
    assert [row["memory_id"] for row in ops.run(faces, "diff", {"since": SINCE, "trust": "derived"})["learned"]] == [2]
    assert [row["memory_id"] for row in ops.run(faces, "timeline", {"subject": "office"})["versions"]] == [2]
    asked = {"subject": "office", "trust": "untrusted"}
    assert [row["memory_id"] for row in ops.run(faces, "timeline", asked)["versions"]] == [1, 2]


@pytest.mark.parametrize("tool, arguments", [("list", {}), ("diff", {"since": SINCE})])
def test_what_a_model_reads_over_mcp_says_it(faces: ops.Faces, tool: str, arguments: dict[str, Any]) -> None:
    server = build_mcp_server(faces.path, embedder="none", tools="full")
    assert "trust=untrusted" in asyncio.run(called(server, tool, arguments))


async def called(server: Any, tool: str, arguments: dict[str, Any]) -> str:
    async with Client(server) as client:
        result = await client.call_tool(tool, arguments)
    return "".join(getattr(block, "text", "") for block in result.content)
