"""Every operation at every network door it is declared for: the same result as the table's own."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import Client
from tests.surfaces.doors import bearer, web
from tests.surfaces.test_ops import SCENES, filled, no_folder, played, prepared, settled

from omoide.ops import OPERATIONS, run
from omoide.serve.mcp import build_mcp_server
from omoide.serve.mcp.answers import structured

PASSWORD = "a token of this test"  # noqa: S105
ROUTES = [(name, route) for name, operation in OPERATIONS.items() for route in operation.doors.http]
TOOLS = [name for name, operation in OPERATIONS.items() if operation.doors.mcp_full]


def expected(name: str, folder: Path) -> Any:
    with prepared(folder / "expected.db", name) as faces:
        return played(name, faces, folder)


def set_up(name: str, folder: Path) -> tuple[Path, dict[str, Any]]:
    """Prepare a store of its own for a door; return it with the arguments of the scene."""
    path = folder / "door.db"
    with prepared(path, name) as faces:
        for operation, arguments in SCENES[name].before:
            run(faces, operation, arguments)
        (folder / "mine").mkdir()
        return path, filled(SCENES[name].arguments, folder / "mine", faces)


def alike(value: Any, folder: Path) -> Any:
    """Return a result without what differs between two runs and two doors."""
    if isinstance(value, dict):
        return {key: "cli" if key == "door" else alike(each, folder) for key, each in value.items()}
    if isinstance(value, list):
        return [alike(each, folder) for each in value]
    return settled(no_folder(value, folder))


@pytest.mark.parametrize("name, route", ROUTES, ids=lambda one: getattr(one, "method", one))
def test_a_route_answers_what_the_table_says(name: str, route: Any, tmp_path: Path) -> None:
    path, arguments = set_up(name, tmp_path)
    place = route.path.replace("{id}", str(arguments.pop("id"))) if "{id}" in route.path else route.path
    with web(path, token=PASSWORD) as client:
        body = {**arguments, **({"confirm": True} if OPERATIONS[name].confirm != "never" else {})}
        content: dict[str, Any] = {"json": body} if route.method in ("POST", "PATCH") else {"params": arguments}
        answer = client.request(route.method, place, headers=bearer(PASSWORD), **content)
    assert answer.status_code == route.status, answer.text
    if route.status == 204:
        assert answer.content == b""
        return
    got = answer.json()
    if route.method == "PATCH":
        assert got.pop("status") == "updated"
    assert alike(settled(got), tmp_path) == alike(settled(expected(name, tmp_path)), tmp_path)


@pytest.mark.parametrize("name", TOOLS)
def test_a_tool_answers_what_the_table_says(name: str, tmp_path: Path) -> None:
    path, arguments = set_up(name, tmp_path)

    async def agree(context: Any, params: Any) -> Any:
        return types.ElicitResult(action="accept", content={"confirm": True})

    async def run_it() -> Any:
        server = build_mcp_server(path, embedder="none", tools="full")
        async with Client(server, elicitation_callback=agree) as client:
            return await client.call_tool(name, arguments)

    answer = asyncio.run(run_it())
    assert not answer.is_error, answer.content[0].text
    wanted = structured(OPERATIONS[name], expected(name, tmp_path))
    assert alike(settled(answer.structured_content), tmp_path) == alike(settled(wanted), tmp_path)
    assert answer.content[0].text
