"""Every documented name of the installed rmbr, with its parameters and defaults, under ``omoide.compat.rmbr``."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest

MODULES = [
    "chunk", "embed", "extract", "index", "integrations.mem0_compat", "mcp_server", "memory", "policy", "rerank", "search", "server", "tools",
]
# The adapters of LangChain, LangGraph and LlamaIndex need those; their suites call them.
BETTER = {"encoding"}
"""Parameters with another default on purpose: an encoding is found out."""
INNER = {"hybrid_search"}
"""What serves rmbr's own storage and is not documented."""


def theirs(module: str) -> Any:
    import onnxruntime  # noqa: F401  (before usearch, which crashes it otherwise)

    return import_module(f"rmbr.{module}" if module else "rmbr")


def ours(module: str) -> Any:
    return import_module(f"omoide.compat.rmbr.{module}" if module else "omoide.compat.rmbr")


def names(module: str) -> list[str]:
    found = vars(theirs(module)).items()
    mine = [name for name, value in found if getattr(value, "__module__", "") == f"rmbr.{module}"]
    return sorted(name for name in mine if not name.startswith("_") and name not in INNER and name[0] != "D")


def calls() -> Iterator[tuple[str, str, Any, Any]]:
    """Yield (module, name, theirs, ours) of every function, class and method."""
    for module in MODULES:
        for name in names(module):
            one = getattr(theirs(module), name)
            other = getattr(ours(module), name, None)
            if not inspect.isclass(one):
                yield module, name, one, other
                continue
            if not issubclass(one, Exception | list) and not getattr(one, "_is_protocol", False):
                yield module, name, one.__init__, getattr(other, "__init__", None)
            for method, value in vars(one).items():
                if not method.startswith("_") and callable(getattr(one, method)) and not isinstance(value, property):
                    yield module, f"{name}.{method}", getattr(one, method), getattr(other, method, None)


CALLS = list(calls())


@pytest.mark.parametrize("module", MODULES)
def test_a_module_has_every_name(module: str) -> None:
    assert [name for name in names(module) if not hasattr(ours(module), name)] == []


@pytest.mark.parametrize("one, other", [call[2:] for call in CALLS], ids=[f"{module}.{name}" for module, name, *_ in CALLS])
def test_a_call_fits(one: Any, other: Any) -> None:
    assert other is not None
    wanted, given = (list(inspect.signature(each).parameters.values()) for each in (one, other))
    offered = {each.name: each for each in given}
    open_ended = any(each.kind is each.VAR_KEYWORD for each in given)
    for place, parameter in enumerate(wanted):
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL) or parameter.name == "self":
            continue
        if parameter.name not in offered:
            # Callers give these by place, or omoide's own name for them through the options.
            assert parameter.kind is parameter.POSITIONAL_OR_KEYWORD
            assert place < len(given) and given[place].kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.POSITIONAL_ONLY) or open_ended, parameter.name
            continue
        mine = offered[parameter.name]
        by_place = parameter.name == "texts" and mine.kind is mine.POSITIONAL_ONLY  # as its own code calls an embedder
        assert by_place or mine.kind in (parameter.kind, parameter.POSITIONAL_OR_KEYWORD), parameter.name
        plain = isinstance(parameter.default, str | int | float | bool | None | type(None))
        if parameter.default is not parameter.empty and plain and parameter.name not in BETTER:
            assert mine.default == parameter.default, parameter.name
    assert inspect.iscoroutinefunction(other) == inspect.iscoroutinefunction(one)


def test_the_package_has_every_name() -> None:
    package = theirs("")
    assert [name for name in package.__all__ if not hasattr(ours(""), name)] == []


def test_a_program_of_rmbr_answers_alike(tmp_path: Any) -> None:
    said = []
    for package in (theirs(""), ours("")):
        embedder = package.embed.FakeEmbedder() if hasattr(package, "embed") else import_module("rmbr.embed").FakeEmbedder()
        policy = package.Policy.strict().allow("desk", read="billing")
        with package.Memory(str(tmp_path / f"{package.__name__}.db"), "billing", embedder=embedder) as billing:
            first = billing.remember("refund policy is 30 days", metadata={"kind": "rule"}, pinned=True)
            billing.remember("refund policy is 30 days")
            billing.update(first, metadata={"kind": "law"})
        path = str(tmp_path / f"{package.__name__}.db")
        with package.Memory(path, "desk", policy=policy, embedder=embedder) as desk:
            try:
                desk.remember("x", namespace="billing")
                refused = ""
            except PermissionError as error:
                refused = type(error).__mro__[-3].__name__ and "refused"
            hits = desk.recall("refund policy is 30 days", namespaces="billing", k=5)
            said.append({
                "first": first, "texts": [hit.text for hit in hits], "refused": refused, "missing": desk.get(999),
                "count": desk.stats("billing")["billing"]["count"], "mine": desk.list(), "degraded": hits.degraded,
                "tools": [tool.name for tool in desk.as_tools()], "open": desk.recall("x") == [],
                "law": sorted(hit.metadata.get("kind", "") for hit in hits),
            })
    assert said[0] == said[1]
