"""A server of one namespace reaches no other: every argument of every tool and route is given what lies in another."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp_types import ElicitResult
from tests.surfaces.doors import bearer, web

from omoide import History, Index, Memory
from omoide.model.catalog.operation import Operation
from omoide.ops import OPERATIONS
from omoide.serve.mcp import build_mcp_server
from omoide.testing import FakeClock

SECRET = "hushed"  # noqa: S105 - it is what must not come out
PASSWORD = "a token of this test"  # noqa: S105
TOOLS = [name for name, one in OPERATIONS.items() if one.doors.mcp_full]
ROUTES = [(name, route) for name, one in OPERATIONS.items() for route in one.doors.http]
BEYOND = ("namespace", "namespaces", "ns", "scope", "policy", "trust_level", "path", "store", "door", "actor")
"""Arguments that no operation has, at any door."""


def fill(path: Path, namespace: str, words: str) -> dict[str, Any]:
    """Put one of everything into a namespace; return how an outsider would name it."""
    options: dict[str, Any] = {"embedder": "none", "clock": FakeClock("2026-01-01T00:00:00Z")}
    note: dict[str, Any] = {
        "subject": f"{namespace} subject",
        "source": f"{namespace} source",
        "metadata": {"what": namespace, "hidden": words},
    }
    with Memory(path, namespace, **options) as memory:
        first = memory.remember(f"{words} one", predicate="city", tags=[words], **note)
        memory.remember(f"{words} limit is 10 requests", valid_from="2025-01-01", **note)
        memory.remember(f"{words} limit is 20 requests", valid_from="2025-02-01", **note)
        gone = memory.remember(f"{words} gone", **note)
        memory.forget(gone)
        memory.sleep()
        proposals = memory.proposals()
        uid = memory.get(first).uid  # type: ignore[union-attr]
    with Index(path, namespace, **options) as index:
        document = index.add_text(
            f"{words} document", source=f"{namespace} source", metadata={"what": namespace, "hidden": words}
        )
        (path.parent / f"{namespace}.md").write_text(f"{words} file", encoding="utf-8")
        batch = index.add_files([path.parent / f"{namespace}.md"]).batch
    with History(path, namespace, **options) as history:
        segment = history.save(
            f"{words} segment", session=f"{namespace} session", metadata={"what": namespace, "hidden": words}
        )
    return {
        "id": int(first), "gone": int(gone), "document": int(document), "segment_id": str(segment), "uid": str(uid),
        "session": f"{namespace} session", "subject": f"{namespace} subject", "source": f"{namespace} source",
        "batch": batch, "proposal": proposals[0].id if proposals else "p-1", "namespace": namespace,
    }  # fmt: skip


class Siege:
    """A store with a namespace of the server's own and one beyond it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "agents.db"
        self.own = fill(self.path, "mine", "plain")
        self.theirs = fill(self.path, "theirs", SECRET)
        self.before = self.state()

    def state(self) -> Any:
        """Return all that the other namespace holds, as its owner sees it."""
        with (
            Memory(self.path, "theirs", embedder="none") as memory,
            Index(self.path, "theirs", embedder="none") as index,
            History(self.path, "theirs", embedder="none") as history,
        ):
            chains = [memory.why(row.id) for row in memory.list(include_retracted=True, include_archived=True)]
            return repr((chains, list(memory.proposals()), list(index.list()), list(history.list()), memory.subjects()))

    def attacks(self, operation: Operation) -> Iterator[dict[str, Any]]:
        """Yield arguments for one operation, each with something of the other namespace in one place."""
        usual = {p.name: self._usual(p) for p in operation.parameters if p.required}
        for parameter in operation.parameters:
            for value in self._values(parameter):
                yield {**usual, parameter.name: value}
        for name in BEYOND:
            yield {**usual, name: "theirs"}

    def _usual(self, parameter: Any) -> Any:
        (first, *_) = self._values(parameter)
        return first

    def _values(self, parameter: Any) -> list[Any]:
        kinds = parameter.schema.get("type", "string")
        theirs = self.theirs
        if "enum" in parameter.schema:
            return [parameter.schema["enum"][-1]]
        if parameter.name in ("since", "until", "as_of", "valid_at", "known_at"):
            return ["2020-01-01", "2030-01-01"]
        named = [theirs[parameter.name]] if parameter.name in theirs else []
        values: dict[str, list[Any]] = {
            "integer": [theirs["id"], theirs["document"], theirs["gone"]],
            "object": [
                {"namespace": "theirs"},
                {"what": "theirs"},
                {"$or": [{"namespace": "theirs"}, {"what": "theirs"}]},
            ],
            "array": [[theirs["id"]], [theirs["proposal"]], [theirs["segment_id"]], [{"text": "x", "namespace": "?"}]],
            "boolean": [True],
            "number": [1],
            "string": [*named, "theirs", "*", "theirs/../mine", theirs["uid"], theirs["segment_id"], theirs["batch"]],
        }
        return values[kinds if isinstance(kinds, str) else kinds[0]]


@pytest.fixture(scope="module")
def siege(tmp_path_factory: pytest.TempPathFactory) -> Siege:
    return Siege(tmp_path_factory.mktemp("siege"))


def silent(siege: Siege, answers: list[str]) -> None:
    """Nothing of the other namespace came out, and nothing there is different."""
    for answer in answers:
        assert SECRET not in answer
    assert siege.state() == siege.before


@pytest.mark.parametrize("name", TOOLS)
def test_no_argument_of_a_tool_leaves_the_namespace(siege: Siege, name: str) -> None:
    server = build_mcp_server(siege.path, namespace="mine", embedder="none", tools="full")

    async def yes(context: object, params: object) -> ElicitResult:
        return ElicitResult(action="accept", content={"confirm": True})

    async def run() -> list[str]:
        told = []
        async with Client(server, elicitation_callback=yes) as client:
            for arguments in siege.attacks(OPERATIONS[name]):
                try:
                    answer = await client.call_tool(name, arguments)
                except MCPError as error:
                    told.append(str(error))
                    continue
                if not (arguments.keys() & set(BEYOND)):
                    told.append(answer.model_dump_json())
                else:
                    assert answer.is_error, arguments
        return told

    silent(siege, asyncio.run(run()))


@pytest.mark.parametrize("name, route", ROUTES, ids=lambda one: getattr(one, "method", one))
def test_no_argument_of_a_route_leaves_the_namespace(siege: Siege, name: str, route: Any) -> None:
    told = []
    with web(siege.path, namespace="mine", token=PASSWORD) as client:
        for arguments in siege.attacks(OPERATIONS[name]):
            given = dict(arguments)
            place = route.path.replace("{id}", str(given.pop("id", ""))) if "{id}" in route.path else route.path
            confirmed = {"confirm": True} if OPERATIONS[name].confirm != "never" else {}
            content: dict[str, Any] = {"json": {**given, **confirmed}}
            if route.method not in ("POST", "PATCH"):
                content = {
                    "params": {key: one if isinstance(one, str) else json.dumps(one) for key, one in given.items()}
                }
            answer = client.request(route.method, place, headers=bearer(PASSWORD), **content)
            assert answer.status_code < 500, answer.text
            if given.keys() & set(BEYOND):
                assert answer.status_code in (400, 404), (given, answer.text)
            told.append(answer.text)
    silent(siege, told)


@pytest.mark.parametrize("what", ["id", "gone", "document"])
def test_no_resource_leaves_the_namespace(siege: Siege, what: str) -> None:
    server = build_mcp_server(siege.path, namespace="mine", embedder="none")

    async def run() -> list[str]:
        told = []
        async with Client(server) as client:
            for uri in (f"omoide://memory/{siege.theirs[what]}", "omoide://memory/theirs", "omoide://examples/theirs"):
                try:
                    told.append((await client.read_resource(uri)).model_dump_json())
                except MCPError as error:
                    told.append(str(error))
        return told

    silent(siege, asyncio.run(run()))
