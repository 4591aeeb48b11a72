"""Scope is structural: a handle and its tools are pinned to their namespace."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from tests.surfaces.doors import web

from omoide import Memory, Policy
from omoide.errors import AccessDeniedError
from omoide.serve.mcp import build_mcp_server
from omoide.tools import ToolCallError

Opener = Callable[..., Memory]


def test_default_is_deny(opened: Opener) -> None:
    """Without a policy no other namespace is read or written, not even by asking for all."""
    opened("a").remember("secret of a")
    b = opened("b")
    for call in (
        lambda: b.recall("secret", namespaces="a"),
        lambda: b.recall("secret", namespaces=["b", "a"]),
        lambda: b.stats("a"),
        lambda: b.remember("x", namespace="a"),
        lambda: b.remember_turn("user", "x", namespace="a"),
        lambda: b.forget_older_than(0, namespace="a"),
        lambda: b.diff("2026-01-01", namespaces="a"),
    ):
        with pytest.raises(AccessDeniedError):
            call()
    assert b.recall("secret", namespaces="*") == []


def test_an_unreadable_namespace_and_a_missing_one_look_alike(opened: Opener) -> None:
    """Being refused does not tell whether anything is there."""
    opened("zzz1").remember("secret")
    b = opened("b")
    said = []
    for name in ("zzz1", "zzz2"):
        with pytest.raises(AccessDeniedError) as caught:
            b.recall("secret", namespaces=name)
        said.append(str(caught.value).replace(name, "NAME"))
    assert said[0] == said[1]


def test_tools_have_no_namespace(opened: Opener) -> None:
    """No tool has an argument that names a namespace, and one that is given is an error."""
    mem = opened("a", policy=Policy.open())
    opened("b").remember("secret of b")
    for tool in mem.as_tools():
        assert not [name for name in tool.parameters["properties"] if "namespace" in name]
        with pytest.raises(ToolCallError):
            tool.call(query="secret", text="secret", namespaces="*")


@pytest.mark.parametrize("where", [{"namespace": "a"}, {"$or": [{"namespace": "a"}, {"namespace": "b"}]}])
def test_a_filter_does_not_widen(opened: Opener, where: dict[str, Any]) -> None:
    """``where`` speaks about metadata; it never reaches another namespace."""
    opened("a").remember("secret", metadata={"namespace": "a"})
    assert opened("b").recall("secret", where=where) == []


def test_a_narrowing_policy_binds_open_handles(opened: Opener) -> None:
    """A grant that a callback takes away at call time is gone at once."""
    allowed = {"yes": True}
    policy = Policy().on_access(lambda *_: allowed["yes"])
    opened("a").remember("secret of a")
    b = opened("b", policy=policy)
    assert b.recall("secret", namespaces="a")
    allowed["yes"] = False
    with pytest.raises(AccessDeniedError):
        b.recall("secret", namespaces="a")


@pytest.fixture
def walled(opened: Opener) -> int:
    """Two namespaces, each with a text of its own; the id of the other one's."""
    opened("mine").remember("zebra of mine", subject="zebra")
    return opened("theirs").remember("zebra of theirs", subject="zebra", source="their source")


def test_the_http_door_is_pinned(walled: int, path: Path) -> None:
    """No parameter, path, filter or header reaches another namespace than the server's."""
    with web(path, namespace="mine") as client:
        asked = [
            client.post("/memories/search", json={"query": "zebra", "k": 9}),
            client.post("/memories/search", json={"query": "zebra", "namespaces": "*"}),
            client.post("/memories/search", json={"query": "zebra", "namespace": "theirs"}),
            client.get("/memories", params={"namespace": "theirs"}),
            client.get("/memories/stats", params={"namespaces": "*"}),
            client.get(f"/memories/{walled}"),
            client.get(f"/memories/{walled}/why"),
            client.get("/diff", params={"since": "2020-01-01"}),
            client.get("/audit"),
            client.post("/memories", json={"text": "x", "namespace": "theirs"}),
            client.delete(f"/memories/{walled}"),
            client.patch(f"/memories/{walled}", json={"text": "gone"}),
        ]
        assert not [answer.url for answer in asked if "theirs" in answer.text and answer.status_code < 400]
        assert {answer.status_code for answer in asked[-2:]} == {404}


def test_the_mcp_door_is_pinned(walled: int, path: Path, opened: Opener) -> None:
    """No tool reads or changes another namespace, by id, filter or an argument that is not there."""
    calls: list[tuple[str, dict[str, Any]]] = [
        ("recall", {"query": "zebra", "k": 9}),
        ("recall", {"query": "zebra", "namespaces": "*"}),
        ("get", {"id": walled}), ("why", {"id": walled}), ("list", {"namespace": "theirs"}), ("stats", {}),
        ("revise", {"id": walled, "text": "gone"}), ("forget", {"id": walled}), ("timeline", {"subject": "zebra"}),
        ("confirm", {"id": walled}), ("dispute", {"id": walled}), ("diff", {"since": "2020-01-01"}),
    ]  # fmt: skip

    async def scene() -> list[str]:
        server = build_mcp_server(path, namespace="mine", embedder="none", tools="full")
        async with Client(server) as client:
            results = [await client.call_tool(name, arguments) for name, arguments in calls]
        return [str(result) for result in results if not result.is_error]

    assert [said for said in asyncio.run(scene()) if "theirs" in said] == []
    kept = opened("theirs").get(walled)
    assert kept is not None
    assert (kept.text, kept.status) == ("zebra of theirs", "current")
