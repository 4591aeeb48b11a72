"""Scope is structural: a handle and its tools are pinned to their namespace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from omoide import Memory, Policy
from omoide.errors import AccessDeniedError
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
